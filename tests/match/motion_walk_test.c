// Walks over motion graphs against a float64 oracle, written from motion_graph.h: an exhaustive search finds the same
// cost as each search, parts follow each other, places are sums of displacements; straight paths, paths that double
// back or cannot be followed, characters that stand; limits, refusals and failing memory.
#include "failing_host.h"
#include "motion_takes.h"
#include "refusal.h"

#include <limber/motion_graph.h>
#include <math.h>

enum { MAX_TAKES = 4, MAX_POINTS = 8, MOST_VISITED = 200000 };

typedef struct scene {
    lmb_rig *rig;
    take_source *sources;
    lmb_motion_take list[MAX_TAKES];
    lmb_motion_graph_def graph_def;
    lmb_motion_graph *graph;
    float path[2 * MAX_POINTS];
    lmb_motion_walk_def def;
    const lmb_motion_part *parts;
    const lmb_motion_transition *transitions;
    uint32_t part_count;
} scene;

static lmb_result make_graph(scene *s, lmb_error *error) {
    s->graph_def.rig = s->rig;
    s->graph_def.takes = s->list;
    for (uint32_t i = 0; i < s->graph_def.take_count; i++) {
        s->list[i] = s->sources[i].take;
    }
    const lmb_result result = lmb_motion_graph_create(&s->graph_def, NULL, &s->graph, error);
    if (result == LMB_OK) {
        s->parts = lmb_motion_graph_get_content(s->graph)->parts;
        s->part_count = lmb_motion_graph_get_content(s->graph)->part_count;
        s->transitions = lmb_motion_graph_get_content(s->graph)->transitions;
    }
    s->def.graph = s->graph;
    s->def.takes = s->list;
    s->def.take_count = s->graph_def.take_count;
    s->def.path = s->path;
    return result;
}

static void release_scene(scene *s) {
    lmb_motion_graph_destroy(s->graph);
    release_takes(s->sources, s->graph_def.take_count);
    lmb_rig_destroy(s->rig);
}

static lmb_motion_walk *walk_of(const scene *s) {
    lmb_motion_walk *walk = NULL;
    lmb_error error = {0};
    assert_ok(lmb_motion_walk_create(&s->def, NULL, &walk, &error), &error);
    return walk;
}

// ---- What the header says. ----

// Where a walk is.
typedef struct spot {
    place at;
    double travelled;
    uint32_t part, settled; // that ends here, or LMB_NONE; moments since a transition
} spot;

typedef struct sums {
    double cost, deviation, most, time;
    uint32_t moments;
    const lmb_motion_walk_moment *is; // to be checked, or NULL
} sums;

static uint32_t moments_in(const scene *s, float seconds) {
    return (uint32_t)floor((double)seconds * (double)s->graph_def.rate + 0.5);
}

static uint32_t one_or_more(uint32_t count) {
    return count > 0 ? count : 1;
}

static double length_of(const scene *s) {
    double sum = 0.0;
    for (uint32_t i = 1; i < s->def.point_count; i++) {
        sum += hypot((double)s->path[2 * i] - (double)s->path[2 * i - 2],
                     (double)s->path[2 * i + 1] - (double)s->path[2 * i - 1]);
    }
    return sum;
}

static double distance_from_path(const scene *s, const spot *spot) {
    double left = spot->travelled;
    uint32_t i = 1;
    for (; i < s->def.point_count; i++) {
        const double x = (double)s->path[2 * i - 2], z = (double)s->path[2 * i - 1];
        const double way_x = (double)s->path[2 * i] - x, way_z = (double)s->path[2 * i + 1] - z;
        const double length = hypot(way_x, way_z);
        if (left < length) {
            return hypot(spot->at.p[0] - x - way_x * left / length, spot->at.p[2] - z - way_z * left / length);
        }
        left -= length;
    }
    return hypot(spot->at.p[0] - (double)s->path[2 * i - 2], spot->at.p[2] - (double)s->path[2 * i - 1]);
}

// Goes along a part, not beyond the end of the path. The first `most` moments of all cost something. Returns whether
// all are within the tolerance.
static bool go_along(const scene *s, spot *spot, uint32_t index, uint32_t most, sums *sums) {
    const lmb_motion_part *part = &s->parts[index];
    const double rate = (double)s->graph_def.rate, duration = (double)part->end - (double)part->start;
    const place begin = spot->at, first = take_place_at(&s->sources[part->take], (double)part->start, rate);
    const bool is_next = spot->part == LMB_NONE || s->parts[spot->part].next == index;
    spot->settled = is_next ? spot->settled : 0;
    bool within = true;
    double before = 0.0;
    for (uint32_t i = 1; before < duration && spot->travelled < length_of(s); i++) {
        const double time = i / rate < duration - 0.05 / rate ? i / rate : duration;
        const place there = take_place_at(&s->sources[part->take], (double)part->start + time, rate);
        const place seen = place_seen_from(&first, &there), now = place_go_on(&begin, &seen);
        spot->travelled +=
            fmax(hypot(now.p[0] - spot->at.p[0], now.p[2] - spot->at.p[2]), (double)s->def.progress * (time - before));
        spot->at = now;
        const double distance = distance_from_path(s, spot);
        within = within && distance <= (double)s->def.tolerance;
        sums->cost += sums->moments < most ? distance * distance : 0.0;
        sums->deviation += distance;
        sums->most = fmax(sums->most, distance);
        sums->time += time - before;
        if (sums->is != NULL) {
            const lmb_motion_walk_moment *is = &sums->is[sums->moments];
            assert_near((double)is->time, sums->time, 1e-4, "time of a moment");
            assert_near((double)is->deviation, distance, 1e-4, "deviation");
            assert_near((double)is->position[0], now.p[0], 1e-4, "x");
            assert_near((double)is->position[1], now.p[2], 1e-4, "z");
        }
        sums->moments++;
        spot->settled++;
        before = time;
    }
    spot->part = index;
    return within;
}

static bool follows(const scene *s, const spot *spot, uint32_t next) {
    const uint32_t part = spot->part;
    bool found =
        part == LMB_NONE ? s->def.first_part == LMB_NONE || s->def.first_part == next : s->parts[part].next == next;
    for (uint32_t i = 0; part != LMB_NONE && i < s->parts[part].transition_count; i++) {
        const lmb_motion_transition *t = &s->transitions[s->parts[part].first_transition + i];
        const bool may_leave = spot->settled >= moments_in(s, s->def.settle) || s->parts[part].next == LMB_NONE;
        found = found || (t->from == part && t->to == next && may_leave);
    }
    return found;
}

// Returns the lowest cost of all walks from here, whose first parts are given; infinity without one.
static double lowest_cost(const scene *s, const spot *from, const sums *before, const lmb_motion_walk_step *given,
                          uint32_t given_count, uint32_t *visited) {
    const uint32_t horizon = one_or_more(moments_in(s, s->def.look_ahead));
    if (before->moments >= horizon || from->travelled >= length_of(s)) {
        return before->cost;
    }
    double lowest = HUGE_VAL;
    for (uint32_t i = 0; i < s->part_count && *visited < MOST_VISITED; i++) {
        if (follows(s, from, i) && (given_count == 0 || given->part == i)) {
            spot to = *from;
            sums now = *before;
            ++*visited;
            if (go_along(s, &to, i, horizon, &now)) {
                lowest = fmin(lowest, lowest_cost(s, &to, &now, given + (given_count > 0 ? 1 : 0),
                                                  given_count > 0 ? given_count - 1 : 0, visited));
            }
        }
    }
    return lowest;
}

static void check_place(const place *expected, const float position[3], float yaw, const char *what) {
    for (int i = 0; i < 3; i++) {
        assert_near((double)position[i], expected->p[i], 1e-4, what);
    }
    assert_near(sin((double)yaw - expected->yaw), 0.0, 1e-4, what);
    assert_near(cos((double)yaw - expected->yaw), 1.0, 1e-4, what);
    assert_true(fabsf(yaw) <= 3.1415930f);
}

typedef struct counts {
    uint32_t searches, exhaustive, steps, ends[3];
} counts;

// A search begins at `from` and kept `kept` steps. Nothing costs less than what begins with them.
static void check_search(const scene *s, const spot *from, const lmb_motion_walk_step *steps, uint32_t kept,
                         counts *c) {
    uint32_t visited = 0, visited_kept = 0;
    const sums zero = {0};
    const double all = lowest_cost(s, from, &zero, steps, 0, &visited);
    const double best = lowest_cost(s, from, &zero, steps, kept, &visited_kept);
    c->searches++;
    if (visited < MOST_VISITED && visited_kept < MOST_VISITED) {
        c->exhaustive++;
        if (kept == 0) {
            assert_true(isinf(all)); // lost
        } else {
            assert_near(best, all, 1e-5 * (1.0 + all), "cost");
        }
    }
}

static void check_walk(const scene *s, const lmb_motion_walk *walk, counts *c) {
    const lmb_motion_walk_content *content = lmb_motion_walk_get_content(walk);
    const lmb_motion_walk_step *steps = content->steps;
    const lmb_motion_walk_summary summary = content->summary;
    const uint32_t count = content->step_count;
    uint32_t searches = 0;
    spot now = {.at = {{(double)s->def.position[0], (double)s->def.position[1], (double)s->def.position[2]},
                       (double)s->def.yaw},
                .part = LMB_NONE,
                .settled = moments_in(s, s->def.settle)};
    sums all = {.is = content->moments};
    uint32_t i = 0;
    while (i < count) {
        const uint32_t first = i, target = all.moments + one_or_more(moments_in(s, s->def.keep));
        const spot begin = now;
        for (; i < count && all.moments < target && now.travelled < length_of(s); i++) {
            assert_true(steps[i].part < s->part_count && follows(s, &now, steps[i].part));
            assert_near((double)steps[i].time, all.time, 1e-4, "time");
            check_place(&now.at, steps[i].position, steps[i].yaw, "step");
            assert_true(go_along(s, &now, steps[i].part, UINT32_MAX, &all));
        }
        assert_true(i > first);
        check_search(s, &begin, steps + first, i - first, c);
        searches++;
    }
    assert_int_equal(content->moment_count, all.moments);
    const bool arrived = now.travelled >= length_of(s);
    assert_int_equal(summary.end, arrived ? LMB_MOTION_WALK_ARRIVED : LMB_MOTION_WALK_LOST);
    if (!arrived) {
        check_search(s, &now, steps, 0, c);
        searches++;
    }
    assert_int_equal(summary.searches, searches);
    assert_int_equal(summary.cut_searches, 0);
    assert_true(summary.appended >= count);
    check_place(&now.at, summary.position, summary.yaw, "end");
    assert_near((double)summary.time, all.time, 1e-4, "end");
    assert_near((double)summary.travelled, now.travelled, 1e-4, "travelled");
    assert_near((double)summary.path_length, length_of(s), 1e-5, "path length");
    assert_near((double)summary.mean_deviation, all.moments > 0 ? all.deviation / all.moments : 0.0, 1e-4, "mean");
    assert_near((double)summary.most_deviation, all.most, 1e-4, "most");
    c->ends[summary.end]++;
    c->steps += count;
}

// ---- Random graphs and paths. ----

static bool make_scene(scene *s, uint32_t number) {
    static const float rates[] = {30.0f, 24.0f, 60.0f, 12.0f};
    random_source source = random_branch(number, 71);
    *s = (scene){
        .rig = make_take_rig(), .graph_def = lmb_default_motion_graph_def(), .def = lmb_default_motion_walk_def()};
    lmb_motion_graph_def *graph = &s->graph_def;
    graph->take_count = 1 + random_below(&source, MAX_TAKES);
    graph->rate = rates[number % 4];
    graph->window = (float)random_between(&source, 0.1, 0.3);
    graph->threshold = (float)random_between(&source, 0.3, 1.5);
    graph->max_jump = 3.0f;
    graph->max_parts = 2 + random_below(&source, 12);
    s->sources = allocate(graph->take_count, sizeof *s->sources);
    for (uint32_t i = 0; i < graph->take_count; i++) {
        const bool loop = random_below(&source, 2) == 0 || graph->take_count == 1;
        const double moments = 8.0 + random_below(&source, 30) + 0.25 * random_below(&source, 4);
        make_random_take(&s->sources[i], s->rig, moments / (double)graph->rate, loop,
                         (travel)random_below(&source, TRAVELS), (double)graph->rate, &source);
    }
    const bool made = make_graph(s, NULL) == LMB_OK;
    lmb_motion_walk_def *def = &s->def;
    def->point_count = 2 + random_below(&source, MAX_POINTS - 1);
    for (uint32_t i = 0; i < 2 * def->point_count; i++) {
        const bool repeats = i >= 4 && random_below(&source, 6) == 0;
        s->path[i] = repeats ? s->path[i - 2] : (float)random_between(&source, -1.0, 1.0);
    }
    for (int i = 0; i < 3; i++) {
        def->position[i] = (float)random_between(&source, -0.2, 0.2) + (i == 1 ? 3.0f : s->path[i / 2]);
    }
    def->yaw = (float)random_between(&source, -7.0, 7.0);
    def->first_part = made && random_below(&source, 3) == 0 ? random_below(&source, s->part_count) : LMB_NONE;
    def->look_ahead = (float)random_between(&source, 0.01, 1.0);
    def->keep = def->look_ahead * (float)random_between(&source, 0.05, 1.0);
    def->progress = (float)random_between(&source, 0.05, 0.5);
    def->settle = random_below(&source, 3) == 0 ? 0.0f : (float)random_between(&source, 0.0, 0.5);
    def->tolerance = (float)random_between(&source, 0.3, 4.0);
    def->max_appended = 100000000;
    return made;
}

static void each_search_is_as_good_as_all_walks(void **state) {
    (void)state;
    counts c = {0};
    const uint32_t cases = suite_is_slow() ? 20 : suite_is_quick() ? 100 : 1000;
    for (uint32_t i = 0; i < cases; i++) {
        scene s;
        if (make_scene(&s, suite_first() + i)) {
            lmb_motion_walk *walk = walk_of(&s);
            check_walk(&s, walk, &c);
            lmb_motion_walk_destroy(walk);
        }
        release_scene(&s);
    }
    print_message("%u walks arrive, %u get lost; %u steps, %u searches, %u of them with all walks\n",
                  (unsigned)c.ends[0], (unsigned)c.ends[1], (unsigned)c.steps, (unsigned)c.searches,
                  (unsigned)c.exhaustive);
    assert_true(suite_is_slow() || (c.ends[0] > cases / 20 && c.ends[1] > cases / 20 && c.steps > cases));
    assert_true(2 * c.exhaustive > c.searches);
}

// ---- Known walks. ----

typedef enum known { KNOWN_WALK = 1, KNOWN_TURN = 2, KNOWN_STAND = 4 } known;

// Takes of a second whose pose does not change: a walk at 1.2 along z, a turn on the spot by pi, standing.
static void make_known(scene *s, unsigned takes) {
    static const float still[3] = {0.0f, 0.0f, -0.8f};
    *s = (scene){
        .rig = make_take_rig(), .graph_def = lmb_default_motion_graph_def(), .def = lmb_default_motion_walk_def()};
    s->graph_def.threshold = 10.0f;
    s->sources = allocate(MAX_TAKES, sizeof *s->sources);
    for (unsigned kind = KNOWN_WALK; kind <= KNOWN_STAND; kind *= 2) {
        if ((takes & kind) != 0) {
            take_source *t = &s->sources[s->graph_def.take_count++];
            make_line_take(t, s->rig, 1.0f, LEFT_FOOT, still, still);
            t->take.loop = true;
            t->take.velocity[2] = kind == KNOWN_WALK ? 1.2f : 0.0f;
            if (kind == KNOWN_TURN) {
                t->motion_keys[7] = 3.1415927f;
                t->motion = (lmb_motion_track){.key_count = 2, .keys = t->motion_keys};
                t->take.motion = &t->motion;
            }
        }
    }
    lmb_error error = {0};
    assert_ok(make_graph(s, &error), &error);
}

static void set_path(scene *s, uint32_t count, const float *points) {
    memcpy(s->path, points, 2 * count * sizeof *points);
    s->def.point_count = count;
    memcpy(s->def.position, (const float[3]){points[0], 0.0f, points[1]}, sizeof s->def.position);
}

static lmb_motion_walk_summary summary_of(const scene *s) {
    lmb_motion_walk *walk = walk_of(s);
    const lmb_motion_walk_summary summary = lmb_motion_walk_get_content(walk)->summary;
    lmb_motion_walk_destroy(walk);
    return summary;
}

// In any direction, also with points that repeat. Beginnings of parts are on the line.
static void a_straight_walk_follows_a_straight_path(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        const double yaw = 0.8 * i;
        const float end[2] = {(float)(30.0 * sin(yaw)), (float)(30.0 * cos(yaw))};
        scene s;
        make_known(&s, KNOWN_WALK | KNOWN_STAND);
        const float points[] = {2.0f,
                                3.0f,
                                2.0f,
                                3.0f,
                                2.0f + end[0] * 0.5f,
                                3.0f + end[1] * 0.5f,
                                2.0f + end[0] * 0.5f,
                                3.0f + end[1] * 0.5f,
                                2.0f + end[0],
                                3.0f + end[1],
                                2.0f + end[0],
                                3.0f + end[1]};
        set_path(&s, 6, points);
        s.def.yaw = (float)yaw;
        lmb_motion_walk *walk = walk_of(&s);
        const lmb_motion_walk_summary summary = lmb_motion_walk_get_content(walk)->summary;
        const lmb_motion_walk_step *steps = lmb_motion_walk_get_content(walk)->steps;
        const uint32_t count = lmb_motion_walk_get_content(walk)->step_count;
        assert_int_equal(summary.end, LMB_MOTION_WALK_ARRIVED);
        assert_true(summary.most_deviation < 1e-4f && summary.mean_deviation <= summary.most_deviation);
        assert_near((double)summary.time, 25.0, 1.0 / 30.0 + 1e-3, "time");
        assert_near((double)summary.travelled, 30.0, 0.05, "travelled");
        for (uint32_t k = 0; k < count; k++) {
            assert_true(s.parts[steps[k].part].take == 0 || steps[k].time > 24.9f); // the last step may stand
            const double x = (double)steps[k].position[0] - 2.0, z = (double)steps[k].position[2] - 3.0;
            assert_near(x * cos(yaw) - z * sin(yaw), 0.0, 1e-4, "beside the line");
        }
        lmb_motion_walk_destroy(walk);
        release_scene(&s);
    }
}

// Along z and back again: it walks, turns about, walks. Without a turn it goes on until it is lost.
static void a_path_may_double_back(void **state) {
    (void)state;
    static const float points[] = {0.0f, 0.0f, 0.0f, 4.8f, 0.0f, 0.0f};
    scene s;
    make_known(&s, KNOWN_WALK | KNOWN_TURN);
    set_path(&s, 3, points);
    const lmb_motion_walk_summary back = summary_of(&s);
    assert_int_equal(back.end, LMB_MOTION_WALK_ARRIVED);
    assert_true(back.most_deviation < 0.35f && back.mean_deviation < 0.2f);
    assert_near((double)back.position[2], 0.0, 0.35, "back");
    assert_near(fabs((double)back.yaw), 3.14159, 1e-3, "turned");
    release_scene(&s);
    make_known(&s, KNOWN_WALK);
    set_path(&s, 3, points);
    const lmb_motion_walk_summary lost = summary_of(&s);
    assert_int_equal(lost.end, LMB_MOTION_WALK_LOST);
    // It sees 4 seconds ahead that it gets lost behind 5.3.
    assert_true(lost.travelled > 0.4f && lost.travelled < 5.3f && lost.most_deviation < 1e-4f);
    release_scene(&s);
}

// Who stands is left behind by `progress`.
static void standing_is_not_free(void **state) {
    (void)state;
    static const float points[] = {0.0f, 0.0f, 2.0f, 0.0f};
    scene s;
    make_known(&s, KNOWN_STAND);
    set_path(&s, 2, points);
    s.def.progress = 0.5f;
    s.def.tolerance = 2.0f;
    const lmb_motion_walk_summary stands = summary_of(&s);
    assert_int_equal(stands.end, LMB_MOTION_WALK_ARRIVED);
    assert_near((double)stands.time, 4.0, 0.04, "time");
    assert_near((double)stands.mean_deviation, 1.0, 0.02, "mean");
    assert_near((double)stands.most_deviation, 2.0, 1e-5, "most");
    s.def.tolerance = 1.0f;
    assert_int_equal(summary_of(&s).end, LMB_MOTION_WALK_LOST);
    release_scene(&s);
    make_known(&s, KNOWN_WALK | KNOWN_STAND);
    set_path(&s, 2, points);
    s.def.yaw = 1.5707964f;
    assert_true(summary_of(&s).most_deviation < 1e-4f);
    release_scene(&s);
}

// Too far away from the first moment on: no step.
static void a_walk_may_begin_lost(void **state) {
    (void)state;
    static const float points[] = {0.0f, 0.0f, 0.0f, 5.0f};
    scene s;
    make_known(&s, KNOWN_WALK);
    set_path(&s, 2, points);
    s.def.position[0] = 1.01f;
    lmb_motion_walk *walk = walk_of(&s);
    const lmb_motion_walk_summary summary = lmb_motion_walk_get_content(walk)->summary;
    uint32_t count;
    count = lmb_motion_walk_get_content(walk)->step_count;
    assert_int_equal(summary.end, LMB_MOTION_WALK_LOST);
    assert_true(count == 0 && summary.time == 0.0f && summary.travelled == 0.0f && summary.mean_deviation == 0.0f);
    assert_true(summary.position[0] == 1.01f && summary.searches == 1);
    lmb_motion_walk_destroy(walk);
    s.def.position[0] = 0.99f;
    assert_int_equal(summary_of(&s).end, LMB_MOTION_WALK_ARRIVED);
    release_scene(&s);
}

static void limits_end_searches_and_walks(void **state) {
    (void)state;
    static const float points[] = {0.0f, 0.0f, 0.0f, 40.0f};
    scene s;
    make_known(&s, KNOWN_WALK | KNOWN_TURN);
    set_path(&s, 2, points);
    const lmb_motion_walk_summary all = summary_of(&s);
    assert_true(all.end == LMB_MOTION_WALK_ARRIVED && all.cut_searches == 0);
    s.def.max_appended = 1;
    const lmb_motion_walk_summary none = summary_of(&s);
    assert_true(none.end == LMB_MOTION_WALK_LIMITED && none.cut_searches == 1 && none.appended == 1);
    // Each number of appended parts is kept, and the walk that is found is no better.
    for (uint32_t most = 2; most < 2000; most += most / 2 + 1) {
        s.def.max_appended = most;
        const lmb_motion_walk_summary some = summary_of(&s);
        assert_true(some.appended <= (uint64_t)most * some.searches);
        assert_true(some.end == LMB_MOTION_WALK_ARRIVED || some.cut_searches > 0);
    }
    s.def.max_appended = all.searches * 100000;
    for (uint32_t most = 1; most < 8; most += 3) {
        s.def.max_steps = most;
        lmb_motion_walk *walk = walk_of(&s);
        uint32_t count;
        count = lmb_motion_walk_get_content(walk)->step_count;
        assert_int_equal(count, most);
        assert_int_equal(lmb_motion_walk_get_content(walk)->summary.end, LMB_MOTION_WALK_LIMITED);
        lmb_motion_walk_destroy(walk);
    }
    release_scene(&s);
}

static void the_same_path_gives_the_same_bits(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        scene s;
        if (make_scene(&s, i)) {
            lmb_motion_walk *a = walk_of(&s), *b = walk_of(&s);
            const lmb_motion_walk_content *x = lmb_motion_walk_get_content(a), *y = lmb_motion_walk_get_content(b);
            assert_int_equal(x->step_count, y->step_count);
            assert_true(x->step_count == 0 || memcmp(x->steps, y->steps, x->step_count * sizeof *x->steps) == 0);
            assert_memory_equal(&x->summary, &y->summary, sizeof x->summary);
            lmb_motion_walk_destroy(a);
            lmb_motion_walk_destroy(b);
        }
        release_scene(&s);
    }
    lmb_motion_walk_destroy(NULL);
}

// ---- Refusals and memory. ----

static void check_refused(const scene *s, lmb_result expected, const char *first, const char *second) {
    lmb_motion_walk *walk = (lmb_motion_walk *)(uintptr_t)8;
    lmb_error error = {0};
    failing_host counts = {0};
    const lmb_host host = failing_host_of(&counts);
    CHECK_REFUSAL(lmb_motion_walk_create(&s->def, &host, &walk, &error), &error, expected, "motion walk", first,
                  second);
    assert_null(walk);
    assert_int_equal(counts.asked, 0);
}

static void numbers_that_do_not_fit_are_refused(scene *s) {
    const lmb_motion_walk_def good = s->def;
    static const float odd[] = {NAN, HUGE_VALF, -HUGE_VALF, -1.0f, 0.0f};
    for (int i = 0; i < 5; i++) {
        float *const members[] = {&s->def.look_ahead, &s->def.keep, &s->def.progress, &s->def.tolerance};
        static const char *const names[] = {"ahead", "kept", "progress", "tolerance"};
        for (int k = 0; k < 4; k++) {
            s->def = good;
            *members[k] = odd[i];
            check_refused(s, LMB_ERROR_ARGUMENT, names[k], "");
        }
        s->def = good;
        s->def.settle = i < 4 ? odd[i] : 10.01f;
        check_refused(s, LMB_ERROR_ARGUMENT, "settle", "");
        if (i < 3) {
            s->def = good;
            s->def.yaw = odd[i];
            check_refused(s, LMB_ERROR_ARGUMENT, "yaw", "");
            s->def = good;
            s->def.position[i] = odd[i];
            check_refused(s, LMB_ERROR_ARGUMENT, "position", "");
            s->def = good;
            s->path[3] = odd[i];
            check_refused(s, LMB_ERROR_ARGUMENT, "point 1", "finite");
            s->path[3] = 5.0f;
        }
    }
    s->def = good;
    s->def.look_ahead = 10.01f;
    check_refused(s, LMB_ERROR_ARGUMENT, "ahead", "10");
    s->def = good;
    s->def.keep = good.look_ahead * 1.01f;
    check_refused(s, LMB_ERROR_ARGUMENT, "kept", "");
    s->def = good;
    s->def.max_appended = 0;
    check_refused(s, LMB_ERROR_ARGUMENT, "append", "");
    s->def = good;
    s->def.max_steps = 0;
    check_refused(s, LMB_ERROR_ARGUMENT, "steps", "");
    s->def.max_steps = LMB_MAX_MOTION_WALK_STEPS + 1;
    check_refused(s, LMB_ERROR_ARGUMENT, "steps", "");
    s->def = good;
    s->def.first_part = s->part_count;
    check_refused(s, LMB_ERROR_ARGUMENT, "part", "");
    s->def = good;
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    static const float points[] = {0.0f, 0.0f, 0.0f, 5.0f};
    scene s, other;
    make_known(&s, KNOWN_WALK | KNOWN_STAND);
    set_path(&s, 2, points);
    lmb_motion_walk *walk = NULL;
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_motion_walk_create(NULL, NULL, &walk, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    CHECK_REFUSAL(lmb_motion_walk_create(&s.def, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    numbers_that_do_not_fit_are_refused(&s);
    const lmb_motion_walk_def good = s.def;
    s.def.graph = NULL;
    check_refused(&s, LMB_ERROR_ARGUMENT, "graph", "NULL");
    s.def = good;
    s.def.takes = NULL;
    check_refused(&s, LMB_ERROR_ARGUMENT, "takes", "NULL");
    s.def = good;
    s.def.take_count = 1;
    check_refused(&s, LMB_ERROR_ARGUMENT, "number of takes", "");
    s.def = good;
    s.def.path = NULL;
    check_refused(&s, LMB_ERROR_ARGUMENT, "points", "NULL");
    s.def = good;
    s.def.point_count = 1;
    check_refused(&s, LMB_ERROR_ARGUMENT, "2 points", "");
    s.def.point_count = LMB_MAX_MOTION_WALK_POINTS + 1;
    check_refused(&s, LMB_ERROR_LIMIT, "points", "");
    s.def = good;
    s.path[3] = 0.0f;
    check_refused(&s, LMB_ERROR_ARGUMENT, "the same", "");
    s.path[3] = 5.0f;
    const lmb_motion_take take = s.list[1];
    s.list[1].clip = NULL;
    check_refused(&s, LMB_ERROR_ARGUMENT, "take 1", "clip");
    s.list[1] = take;
    s.list[1].velocity[0] = NAN;
    check_refused(&s, LMB_ERROR_ARGUMENT, "take 1", "velocity");
    s.list[1] = take;
    // A clip of another length.
    static const float still[3] = {0.0f, 0.0f, -0.8f};
    other = (scene){.rig = s.rig, .sources = allocate(1, sizeof *other.sources)};
    make_line_take(other.sources, s.rig, 1.1f, LEFT_FOOT, still, still);
    s.list[1].clip = other.sources[0].clip;
    check_refused(&s, LMB_ERROR_ARGUMENT, "take 1", "long");
    s.list[1] = take;
    lmb_motion_walk_destroy(walk_of(&s));
    release_takes(other.sources, 1);
    release_scene(&s);
}

static lmb_result create_walk(const lmb_host *host, lmb_error *error, void *user) {
    const scene *s = user;
    lmb_motion_walk *walk = NULL;
    const lmb_result result = lmb_motion_walk_create(&s->def, host, &walk, error);
    assert_true((walk != NULL) == (result == LMB_OK));
    lmb_motion_walk_destroy(walk);
    return result;
}

static void failing_memory_is_reported(void **state) {
    (void)state;
    static const float points[] = {0.0f, 0.0f, 0.0f, 5.0f};
    scene s;
    make_known(&s, KNOWN_WALK | KNOWN_TURN);
    set_path(&s, 2, points);
    failing_host_try_all(create_walk, &s);
    release_scene(&s);
}

static void defaults_are_those_of_the_header(void **state) {
    (void)state;
    const lmb_motion_walk_def def = lmb_default_motion_walk_def();
    assert_true(def.graph == NULL && def.takes == NULL && def.take_count == 0);
    assert_true(def.path == NULL && def.point_count == 0 && def.yaw == 0.0f && def.first_part == LMB_NONE);
    assert_true(def.position[0] == 0.0f && def.position[1] == 0.0f && def.position[2] == 0.0f);
    assert_true(def.look_ahead == 2.0f && def.keep == 0.5f && def.settle == 0.25f);
    assert_true(def.progress == 0.1f && def.tolerance == 1.0f);
    assert_true(def.max_appended == 200000 && def.max_steps == 4096);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_search_is_as_good_as_all_walks),
        cmocka_unit_test(a_straight_walk_follows_a_straight_path),
        cmocka_unit_test(a_path_may_double_back),
        cmocka_unit_test(standing_is_not_free),
        cmocka_unit_test(a_walk_may_begin_lost),
        cmocka_unit_test(limits_end_searches_and_walks),
        cmocka_unit_test(the_same_path_gives_the_same_bits),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(failing_memory_is_reported),
        cmocka_unit_test(defaults_are_those_of_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
