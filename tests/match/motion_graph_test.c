// Motion graphs against a float64 oracle, written from motion_graph.h: distances of all pairs of moments, their minima,
// the moments that reach each other by Floyd and Warshall, parts and transitions; limits, refusals and failing memory.
#include "failing_host.h"
#include "motion_takes.h"
#include "refusal.h"

#include <limber/motion_graph.h>
#include <math.h>

enum { MAX_MOMENTS = 160, MAX_TAKES = 4 };

typedef struct pair {
    double distance, jump;
    double turn, shift[2]; // of the best alignment
    bool begins;           // both windows do
} pair;

// What the header says of some takes.
typedef struct expectation {
    uint32_t window, count, first[MAX_TAKES + 1], take_of[MAX_MOMENTS], chosen, kept_count;
    bool loops[MAX_TAKES];
    pair pairs[MAX_MOMENTS][MAX_MOMENTS];
    bool is_minimum[MAX_MOMENTS][MAX_MOMENTS], leads[MAX_MOMENTS][MAX_MOMENTS], used[MAX_MOMENTS][MAX_MOMENTS];
    bool reach[MAX_MOMENTS][MAX_MOMENTS];
    bool kept[MAX_MOMENTS];
} expectation;

// ---- Distances. ----

typedef double point[3];

// The window of a moment in the frame of the character: [moment][joint].
static bool make_window(const lmb_motion_graph_def *def, const take_source *t, const expectation *e, uint32_t take,
                        uint32_t index, point *points) {
    const uint32_t count = e->first[take + 1] - e->first[take];
    if (!t->take.loop && index + e->window > count) {
        return false;
    }
    const double rate = (double)def->rate;
    const place here = take_place_at(t, index / rate, rate);
    for (uint32_t k = 0; k < e->window; k++) {
        const double time = (index + k) / rate;
        const place there = take_place_at(t, time, rate), seen = place_seen_from(&here, &there);
        double positions[TAKE_JOINTS][3];
        take_positions_at(def->rig, t, time, positions);
        for (uint32_t joint = 0; joint < TAKE_JOINTS; joint++) {
            place p = {.yaw = 0.0};
            memcpy(p.p, positions[joint], sizeof p.p);
            p = place_go_on(&seen, &p);
            memcpy(points[k * TAKE_JOINTS + joint], p.p, sizeof p.p);
        }
    }
    return true;
}

static double weight_of(const lmb_motion_graph_def *def, uint32_t joint) {
    return def->joint_weights == NULL ? 1.0 : (double)def->joint_weights[joint];
}

// The mean square of the distances after b was turned and moved.
static double mean_square(const lmb_motion_graph_def *def, uint32_t window, point *a, point *b, double turn, double x,
                          double z) {
    double sum = 0.0, weights = 0.0;
    for (uint32_t i = 0; i < window * TAKE_JOINTS; i++) {
        const double weight = weight_of(def, i % TAKE_JOINTS);
        const double off[3] = {a[i][0] - b[i][0] * cos(turn) - b[i][2] * sin(turn) - x, a[i][1] - b[i][1],
                               a[i][2] - b[i][2] * cos(turn) + b[i][0] * sin(turn) - z};
        sum += weight * (off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
        weights += weight;
    }
    return sum / weights;
}

static pair compare(const lmb_motion_graph_def *def, uint32_t window, point *a, point *b) {
    double weights = 0.0, means[4] = {0}, along = 0.0, across = 0.0;
    for (uint32_t i = 0; i < window * TAKE_JOINTS; i++) {
        const double weight = weight_of(def, i % TAKE_JOINTS);
        const double values[4] = {a[i][0], a[i][2], b[i][0], b[i][2]};
        weights += weight;
        for (int k = 0; k < 4; k++) {
            means[k] += weight * values[k];
        }
    }
    for (int k = 0; k < 4; k++) {
        means[k] /= weights;
    }
    for (uint32_t i = 0; i < window * TAKE_JOINTS; i++) {
        const double weight = weight_of(def, i % TAKE_JOINTS);
        const double ax = a[i][0] - means[0], az = a[i][2] - means[1];
        const double bx = b[i][0] - means[2], bz = b[i][2] - means[3];
        along += weight * (ax * bx + az * bz);
        across += weight * (ax * bz - az * bx);
    }
    pair result = {.turn = atan2(across, along), .begins = true};
    result.shift[0] = means[0] - means[2] * cos(result.turn) - means[3] * sin(result.turn);
    result.shift[1] = means[1] - means[3] * cos(result.turn) + means[2] * sin(result.turn);
    result.distance = sqrt(mean_square(def, window, a, b, result.turn, result.shift[0], result.shift[1]));
    result.jump = sqrt(mean_square(def, 1, a, b, 0.0, 0.0, 0.0)); // of the first moments, in the characters' frames
    return result;
}

// No turn and no displacement around the best ones is better.
static void check_best(const lmb_motion_graph_def *def, uint32_t window, point *a, point *b, const pair *best) {
    const double lowest = best->distance * best->distance - 1e-12;
    for (int i = 0; i < 90; i++) {
        for (int k = 0; k < 5; k++) {
            const double x = best->shift[0] + (k == 1 ? 1e-3 : k == 2 ? -1e-3 : 0.0);
            const double z = best->shift[1] + (k == 3 ? 1e-3 : k == 4 ? -1e-3 : 0.0);
            assert_true(mean_square(def, window, a, b, best->turn + i * 0.0698131700797732, x, z) >= lowest);
        }
    }
}

// ---- Minima and what is kept. ----

// The moment `step` moments away; or LMB_NONE.
static uint32_t beside(const expectation *e, uint32_t moment, int step) {
    const uint32_t take = e->take_of[moment];
    const int count = (int)(e->first[take + 1] - e->first[take]);
    int index = (int)(moment - e->first[take]) + step;
    if (e->loops[take]) {
        index = (index % count + count) % count;
    }
    return index < 0 || index >= count ? LMB_NONE : e->first[take] + (uint32_t)index;
}

// How many moments are between two of the same take, the short way in a loop; or a large number.
static uint32_t apart(const expectation *e, uint32_t a, uint32_t b) {
    if (e->take_of[a] != e->take_of[b]) {
        return UINT32_MAX;
    }
    const uint32_t take = e->take_of[a], count = e->first[take + 1] - e->first[take], off = a < b ? b - a : a - b;
    return e->loops[take] && count - off < off ? count - off : off;
}

static bool may_lead(const lmb_motion_graph_def *def, const expectation *e, uint32_t from, uint32_t to) {
    const pair *p = &e->pairs[from][to];
    return p->begins && p->distance < (double)def->threshold && apart(e, from, to) >= e->window &&
           p->jump <= (double)def->max_jump;
}

// Neighbours over the beginning of a loop do not count.
static bool is_minimum(const expectation *e, uint32_t from, uint32_t to) {
    for (uint32_t a = from > 0 ? from - 1 : 0; a <= from + 1 && a < e->count; a++) {
        for (uint32_t b = to > 0 ? to - 1 : 0; b <= to + 1 && b < e->count; b++) {
            if (e->take_of[a] == e->take_of[from] && e->take_of[b] == e->take_of[to] && e->pairs[a][b].begins &&
                e->pairs[a][b].distance < e->pairs[from][to].distance) {
                return false;
            }
        }
    }
    return true;
}

// Takes the smallest minimum, leaves out those near it, and so on.
static void choose_transitions(expectation *e) {
    bool(*left)[MAX_MOMENTS] = allocate(MAX_MOMENTS, sizeof *left);
    memcpy(left, e->is_minimum, sizeof e->is_minimum);
    for (;;) {
        uint32_t from = LMB_NONE, to = LMB_NONE;
        for (uint32_t i = 0; i < e->count * e->count; i++) {
            const uint32_t a = i / e->count, b = i % e->count;
            if (left[a][b] && (from == LMB_NONE || e->pairs[a][b].distance < e->pairs[from][to].distance)) {
                from = a;
                to = b;
            }
        }
        if (from == LMB_NONE) {
            break;
        }
        e->leads[from][to] = true;
        e->chosen++;
        for (uint32_t i = 0; i < e->count * e->count; i++) {
            const uint32_t a = i / e->count, b = i % e->count;
            left[a][b] = left[a][b] && !(apart(e, a, from) < e->window && apart(e, b, to) < e->window);
        }
    }
    free(left);
}

// The largest set of steps that reach each other. A step leads to a moment from the one before it, and has the index of
// the former. What follows a transition is the step behind the moment that is entered. Moments at either end of a kept
// step are kept, and transitions between kept steps.
static void find_kept(expectation *e) {
    bool steps[MAX_MOMENTS] = {false};
    memset(e->reach, 0, sizeof e->reach);
    for (uint32_t i = 0; i < e->count * e->count; i++) {
        const uint32_t a = i / e->count, b = i % e->count, after = beside(e, b, 1);
        if (beside(e, a, -1) != LMB_NONE && after != LMB_NONE && (b == a || e->leads[a][b])) {
            e->reach[a][after] = true;
        }
    }
    for (uint32_t k = 0; k < e->count; k++) {
        for (uint32_t a = 0; a < e->count; a++) {
            for (uint32_t b = 0; b < e->count && e->reach[a][k]; b++) {
                e->reach[a][b] = e->reach[a][b] || e->reach[k][b];
            }
        }
    }
    uint32_t best = LMB_NONE, most = 1;
    for (uint32_t a = 0; a < e->count; a++) {
        uint32_t size = 0;
        for (uint32_t b = 0; b < e->count; b++) {
            size += e->reach[a][b] && e->reach[b][a] ? 1 : 0;
        }
        best = size > most ? a : best;
        most = size > most ? size : most;
    }
    for (uint32_t b = 0; b < e->count && best != LMB_NONE; b++) {
        steps[b] = e->reach[best][b] && e->reach[b][best];
    }
    e->kept_count = 0;
    for (uint32_t a = 0; a < e->count; a++) {
        const uint32_t after = beside(e, a, 1);
        e->kept[a] = steps[a] || (after != LMB_NONE && steps[after]);
        e->kept_count += e->kept[a] ? 1 : 0;
        for (uint32_t b = 0; b < e->count; b++) {
            const uint32_t entered = beside(e, b, 1);
            e->used[a][b] = e->leads[a][b] && steps[a] && entered != LMB_NONE && steps[entered];
        }
    }
}

static expectation *expect_graph(const lmb_motion_graph_def *def, const take_source *sources) {
    expectation *e = allocate(1, sizeof *e);
    const double window = floor((double)def->window * (double)def->rate + 0.5);
    e->window = window < 1.0 ? 1 : (uint32_t)window;
    for (uint32_t take = 0; take < def->take_count; take++) {
        e->first[take] = e->count;
        e->count += count_take_moments(&sources[take], (double)def->rate);
        e->loops[take] = sources[take].take.loop;
        assert_true(e->count <= MAX_MOMENTS);
        for (uint32_t i = e->first[take]; i < e->count; i++) {
            e->take_of[i] = take;
        }
    }
    e->first[def->take_count] = e->count;
    const size_t points = (size_t)e->window * TAKE_JOINTS;
    point *clouds = allocate(e->count * points, sizeof *clouds);
    bool begins[MAX_MOMENTS];
    for (uint32_t i = 0; i < e->count; i++) {
        const uint32_t take = e->take_of[i];
        begins[i] = make_window(def, &sources[take], e, take, i - e->first[take], clouds + i * points);
    }
    for (uint32_t a = 0; a < e->count; a++) {
        for (uint32_t b = 0; b < e->count; b++) {
            if (begins[a] && begins[b]) {
                e->pairs[a][b] = compare(def, e->window, clouds + a * points, clouds + b * points);
                if ((a * 31 + b * 17) % 997 == 0) {
                    check_best(def, e->window, clouds + a * points, clouds + b * points, &e->pairs[a][b]);
                }
            }
        }
    }
    for (uint32_t i = 0; i < e->count * e->count; i++) {
        const uint32_t a = i / e->count, b = i % e->count;
        e->is_minimum[a][b] = may_lead(def, e, a, b) && is_minimum(e, a, b);
    }
    choose_transitions(e);
    find_kept(e);
    free(clouds);
    return e;
}

// ---- Checks. ----

static uint32_t moment_at(const lmb_motion_graph_def *def, const expectation *e, uint32_t take, float time) {
    const uint32_t count = e->first[take + 1] - e->first[take];
    const double index = (double)time * (double)def->rate;
    const uint32_t whole = (uint32_t)lround(index);
    assert_near(index, whole, 1e-3, "a part begins or ends at a moment");
    assert_true(whole < count || (e->loops[take] && whole == count));
    return e->first[take] + whole % count;
}

static void check_transitions(const lmb_motion_graph_def *def, const expectation *e, const lmb_motion_graph *graph,
                              bool found[MAX_MOMENTS][MAX_MOMENTS]) {
    const lmb_motion_graph_content *content = lmb_motion_graph_get_content(graph);
    const lmb_motion_part *parts = content->parts;
    const uint32_t part_count = content->part_count;
    const lmb_motion_transition *transitions = content->transitions;
    const uint32_t count = content->transition_count;
    for (uint32_t i = 0; i < count; i++) {
        const lmb_motion_transition *t = &transitions[i];
        assert_true(t->from < part_count && t->to < part_count);
        assert_true(i == 0 || t[-1].from < t->from || (t[-1].from == t->from && t[-1].distance <= t->distance));
        const lmb_motion_part *from = &parts[t->from], *to = &parts[t->to];
        assert_true(from->first_transition <= i && i < from->first_transition + from->transition_count);
        const uint32_t a = moment_at(def, e, from->take, from->end), b = moment_at(def, e, to->take, to->start);
        const pair *p = &e->pairs[a][b];
        assert_near((double)t->distance, p->distance, 2e-6, "distance");
        assert_near((double)t->jump, p->jump, 2e-6, "jump");
        if (!e->leads[a][b]) {
            fail_msg("%u to %u is no transition (minimum: %d)", (unsigned)a, (unsigned)b, e->is_minimum[a][b]);
        }
        assert_false(found[a][b]);
        found[a][b] = true;
    }
}

static void check_parts(const lmb_motion_graph_def *def, const expectation *e, const lmb_motion_graph *graph,
                        bool covered[MAX_MOMENTS]) {
    const lmb_motion_graph_content *content = lmb_motion_graph_get_content(graph);
    uint32_t count, transition_count, next_transition = 0;
    const lmb_motion_part *parts = content->parts;
    count = content->part_count;
    const lmb_motion_transition *transitions = content->transitions;
    transition_count = content->transition_count;
    assert_true(count > 0);
    bool *reach = allocate((size_t)count * count, sizeof *reach);
    for (uint32_t i = 0; i < count; i++) {
        const lmb_motion_part *p = &parts[i], *next = p->next == LMB_NONE ? NULL : &parts[p->next];
        assert_true(p->take < def->take_count && p->start < p->end);
        assert_true(i == 0 || p[-1].take < p->take || (p[-1].take == p->take && p[-1].end <= p->start));
        assert_int_equal(p->first_transition, next_transition);
        next_transition += p->transition_count;
        const uint32_t first = moment_at(def, e, p->take, p->start), last = moment_at(def, e, p->take, p->end);
        uint32_t at = first, steps = 0;
        do {
            covered[at] = true;
            at = beside(e, at, 1);
            steps++;
        } while (at != last && at != LMB_NONE && steps <= MAX_MOMENTS);
        assert_int_equal(at, last);
        covered[last] = true;
        // Cuts are where transitions begin or end, and where a loop does.
        const bool wraps = e->loops[p->take] && last == e->first[p->take];
        bool entered = false, next_entered = false;
        for (uint32_t k = 0; k < transition_count; k++) {
            entered = entered || transitions[k].to == i;
            next_entered = next_entered || (next != NULL && transitions[k].to == p->next);
            reach[transitions[k].from * count + transitions[k].to] = true;
        }
        if (next != NULL) {
            assert_true(p->next < count && next->take == p->take);
            assert_int_equal(moment_at(def, e, next->take, next->start), last);
            assert_true(p->transition_count > 0 || next_entered || wraps);
            reach[i * count + p->next] = true;
        } else {
            assert_true(p->transition_count > 0);
        }
        bool followed = false;
        for (uint32_t k = 0; k < count; k++) {
            followed = followed || parts[k].next == i;
            const bool touches = parts[k].take == p->take && moment_at(def, e, p->take, parts[k].start) == last;
            assert_true(!touches || p->next == k);
        }
        assert_true(entered || followed);
    }
    assert_int_equal(next_transition, transition_count);
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t i = 0; i < count * count; i++) {
            reach[i] = reach[i] || (reach[i / count * count + k] && reach[k * count + i % count]);
        }
    }
    for (uint32_t i = 0; i < count * count; i++) {
        assert_true(reach[i]);
    }
    free(reach);
}

static void check_map(const lmb_motion_graph_def *def, const expectation *e) {
    for (uint32_t cell = 0; cell < def->map_size * def->map_size; cell++) {
        const uint32_t row = cell / def->map_size, column = cell % def->map_size;
        double lowest = HUGE_VAL;
        for (uint32_t i = 0; i < e->count * e->count; i++) {
            const uint32_t a = i / e->count, b = i % e->count;
            const bool inside = a * def->map_size / e->count == row && b * def->map_size / e->count == column;
            lowest = inside && e->pairs[a][b].begins ? fmin(lowest, e->pairs[a][b].distance) : lowest;
        }
        assert_true(isinf(lowest) ? isinf(def->map[cell]) : fabs((double)def->map[cell] - lowest) <= 2e-6);
    }
}

static void check_graph(const lmb_motion_graph_def *def, const expectation *e, const lmb_motion_graph *graph) {
    bool(*found)[MAX_MOMENTS] = allocate(MAX_MOMENTS, sizeof *found);
    bool covered[MAX_MOMENTS] = {false};
    check_transitions(def, e, graph, found);
    check_parts(def, e, graph, covered);
    for (uint32_t a = 0; a < e->count; a++) {
        if (covered[a] != e->kept[a]) {
            fail_msg("moment %u of take %u: covered %d, kept %d", (unsigned)a, (unsigned)e->take_of[a], covered[a],
                     e->kept[a]);
        }
        for (uint32_t b = 0; b < e->count && def->max_parts == 0 && def->max_transitions == 0; b++) {
            if (found[a][b] != e->used[a][b]) {
                fail_msg("%u to %u is missing: %g", (unsigned)a, (unsigned)b, e->pairs[a][b].distance);
            }
        }
    }
    for (uint32_t take = 0; take < def->take_count; take++) {
        const lmb_motion_graph_take is = lmb_motion_graph_get_content(graph)->takes[take];
        uint32_t kept = 0;
        for (uint32_t i = e->first[take]; i < e->first[take + 1]; i++) {
            kept += e->kept[i] ? 1 : 0;
        }
        assert_int_equal(is.moments, e->first[take + 1] - e->first[take]);
        assert_int_equal(is.kept, kept);
        assert_true((is.joining_threshold == 0.0f) == (kept > 0));
    }
    assert_int_equal(lmb_motion_graph_get_content(graph)->minimum_count, e->chosen);
    free(found);
}

// ---- Random takes. ----

typedef struct scene {
    lmb_rig *rig;
    take_source *sources;
    lmb_motion_take list[MAX_TAKES];
    float weights[TAKE_JOINTS];
    lmb_motion_graph_def def;
} scene;

// Two to four takes of few moments, every second one a loop.
static void make_scene(scene *s, uint32_t number) {
    static const float rates[] = {30.0f, 24.0f, 60.0f, 7.5f};
    random_source source = random_branch(number, 1);
    *s = (scene){.rig = make_take_rig(), .def = lmb_default_motion_graph_def()};
    s->def.rig = s->rig;
    s->def.takes = s->list;
    s->def.take_count = 1 + random_below(&source, MAX_TAKES);
    s->def.rate = rates[number % 4];
    s->sources = allocate(s->def.take_count, sizeof *s->sources);
    const double rate = (double)s->def.rate;
    s->def.window = (float)((number % 5 == 0 ? 1 : 2 + random_below(&source, 8)) / rate);
    for (uint32_t i = 0; i < s->def.take_count; i++) {
        const bool loop = random_below(&source, 2) == 0 || s->def.take_count == 1;
        const double moments = 4.0 + random_below(&source, 34) + (loop ? 0.0 : random_below(&source, 2) * 0.25);
        make_random_take(&s->sources[i], s->rig, moments / rate, loop, (travel)random_below(&source, TRAVELS), rate,
                         &source);
        s->list[i] = s->sources[i].take;
    }
    for (uint32_t i = 0; i < TAKE_JOINTS; i++) {
        s->weights[i] = (float)random_between(&source, 0.0, 2.0);
    }
    s->weights[3] = 0.0f;
    s->def.joint_weights = random_below(&source, 2) == 0 ? NULL : s->weights;
    s->def.threshold = (float)random_between(&source, 0.1, 0.4);
    s->def.max_jump = (float)random_between(&source, 0.1, 1.0);
}

static void release_scene(scene *s) {
    release_takes(s->sources, s->def.take_count);
    lmb_rig_destroy(s->rig);
}

static uint32_t case_count(uint32_t quick) {
    return suite_is_slow() ? quick / 5 : suite_is_quick() ? quick : 10 * quick;
}

static void random_graphs_are_those_of_the_oracle(void **state) {
    (void)state;
    uint32_t made = 0, transitions = 0;
    for (uint32_t i = 0; i < case_count(50); i++) {
        scene s;
        make_scene(&s, suite_first() + i);
        expectation *e = expect_graph(&s.def, s.sources);
        float map[24 * 24];
        s.def.map_size = 1 + i % 24;
        s.def.map = map;
        lmb_motion_graph *graph = NULL;
        lmb_error error = {0};
        const lmb_result result = lmb_motion_graph_create(&s.def, NULL, &graph, &error);
        if (e->kept_count == 0) {
            CHECK_REFUSAL(result, &error, LMB_ERROR_ARGUMENT, "motion graph");
            assert_null(graph);
        } else {
            assert_ok(result, &error);
            uint32_t count;
            count = lmb_motion_graph_get_content(graph)->transition_count;
            transitions += count;
            made++;
            check_graph(&s.def, e, graph);
            check_map(&s.def, e);
        }
        lmb_motion_graph_destroy(graph);
        release_scene(&s);
        free(e);
    }
    print_message("%u graphs with %u transitions\n", (unsigned)made, (unsigned)transitions);
    assert_true(2 * made > case_count(50) && transitions > made);
}

// ---- Limits of parts and transitions. ----

// Parts, transitions and what is kept obey the header, whatever was removed.
static void limits_hold_and_moments_stay(void **state) {
    (void)state;
    uint32_t limited = 0;
    for (uint32_t i = 0; i < case_count(40); i++) {
        scene s;
        make_scene(&s, suite_first() + i);
        lmb_motion_graph *all = NULL, *graph = NULL;
        if (lmb_motion_graph_create(&s.def, NULL, &all, NULL) == LMB_OK) {
            uint32_t parts, transitions, now_parts, now_transitions;
            const lmb_motion_part *of_all = lmb_motion_graph_get_content(all)->parts;
            parts = lmb_motion_graph_get_content(all)->part_count;
            assert_true(of_all != NULL);
            transitions = lmb_motion_graph_get_content(all)->transition_count;
            const bool of_parts = i % 2 == 0;
            const uint32_t limit = (of_parts ? parts : transitions) - 1;
            if (limit >= 2) {
                *(of_parts ? &s.def.max_parts : &s.def.max_transitions) = 2 + i % (limit - 1);
                lmb_error error = {0};
                assert_ok(lmb_motion_graph_create(&s.def, NULL, &graph, &error), &error);
                now_parts = lmb_motion_graph_get_content(graph)->part_count;
                now_transitions = lmb_motion_graph_get_content(graph)->transition_count;
                assert_true(!of_parts || now_parts <= s.def.max_parts);
                assert_true(of_parts || now_transitions <= s.def.max_transitions);
                expectation *e = expect_graph(&s.def, s.sources);
                bool(*found)[MAX_MOMENTS] = allocate(MAX_MOMENTS, sizeof *found), covered[MAX_MOMENTS] = {false};
                check_transitions(&s.def, e, graph, found);
                check_parts(&s.def, e, graph, covered);
                uint32_t is_covered = 0; // of another set, if that became the largest one
                for (uint32_t k = 0; k < e->count; k++) {
                    is_covered += covered[k] ? 1 : 0;
                }
                // What could have been left out without a loss, the one with the largest distance first?
                if (is_covered == e->kept_count) {
                    limited++;
                }
                free(found);
                free(e);
            }
        }
        lmb_motion_graph_destroy(graph);
        lmb_motion_graph_destroy(all);
        release_scene(&s);
    }
    print_message("%u limited graphs keep all moments\n", (unsigned)limited);
    assert_true(limited > 0);
}

// With a limit of one less than there are, the one with the largest distance goes without which every moment stays.
static void the_largest_distance_that_is_not_needed_goes_first(void **state) {
    (void)state;
    uint32_t tried = 0;
    for (uint32_t i = 0; i < case_count(40); i++) {
        scene s;
        make_scene(&s, suite_first() + i);
        lmb_motion_graph *all = NULL, *graph = NULL;
        uint32_t count = 0, now;
        if (lmb_motion_graph_create(&s.def, NULL, &all, NULL) == LMB_OK) {
            count = lmb_motion_graph_get_content(all)->transition_count;
        }
        if (count >= 2) {
            expectation *e = expect_graph(&s.def, s.sources);
            bool kept[MAX_MOMENTS], leads[MAX_MOMENTS][MAX_MOMENTS], used[MAX_MOMENTS][MAX_MOMENTS];
            memcpy(kept, e->kept, sizeof kept);
            memcpy(leads, e->leads, sizeof leads);
            memcpy(used, e->used, sizeof used);
            // The pairs, from the largest distance on: the first one without which the same moments are kept.
            double before = HUGE_VAL, gone = -1.0;
            while (gone < 0.0) {
                uint32_t from = LMB_NONE, to = LMB_NONE;
                for (uint32_t k = 0; k < e->count * e->count; k++) {
                    const uint32_t a = k / e->count, b = k % e->count;
                    if (used[a][b] && e->pairs[a][b].distance < before &&
                        (from == LMB_NONE || e->pairs[a][b].distance > e->pairs[from][to].distance)) {
                        from = a;
                        to = b;
                    }
                }
                if (from == LMB_NONE) {
                    break;
                }
                before = e->pairs[from][to].distance;
                e->leads[from][to] = false;
                find_kept(e);
                memcpy(e->leads, leads, sizeof leads);
                gone = memcmp(kept, e->kept, sizeof kept) == 0 ? before : gone;
            }
            s.def.max_transitions = count - 1;
            if (gone >= 0.0) {
                lmb_error error = {0};
                assert_ok(lmb_motion_graph_create(&s.def, NULL, &graph, &error), &error);
                const lmb_motion_transition *was = lmb_motion_graph_get_content(all)->transitions;
                count = lmb_motion_graph_get_content(all)->transition_count;
                const lmb_motion_transition *is = lmb_motion_graph_get_content(graph)->transitions;
                now = lmb_motion_graph_get_content(graph)->transition_count;
                assert_int_equal(now, count - 1);
                double difference = 0.0;
                for (uint32_t k = 0; k < count; k++) {
                    difference += (double)was[k].distance - (k < now ? (double)is[k].distance : 0.0);
                }
                assert_near(difference, gone, 1e-5, "the distance of what was removed");
                tried++;
            }
            free(e);
        }
        lmb_motion_graph_destroy(graph);
        lmb_motion_graph_destroy(all);
        release_scene(&s);
    }
    print_message("%u graphs lost one transition\n", (unsigned)tried);
    assert_true(tried > 0 || suite_is_slow());
}

// ---- Thresholds of takes. ----

static uint32_t kept_with(scene *s, float threshold, uint32_t take) {
    const float before = s->def.threshold;
    s->def.threshold = threshold;
    lmb_motion_graph *graph = NULL;
    uint32_t kept = 0;
    if (lmb_motion_graph_create(&s->def, NULL, &graph, NULL) == LMB_OK) {
        kept = lmb_motion_graph_get_content(graph)->takes[take].kept;
    }
    lmb_motion_graph_destroy(graph);
    s->def.threshold = before;
    return kept;
}

static void takes_join_above_their_thresholds(void **state) {
    (void)state;
    uint32_t joined = 0, never = 0;
    for (uint32_t i = 0; i < case_count(60); i++) {
        scene s;
        make_scene(&s, suite_first() + i);
        s.def.threshold *= 0.6f;
        lmb_motion_graph *graph = NULL;
        if (lmb_motion_graph_create(&s.def, NULL, &graph, NULL) == LMB_OK) {
            for (uint32_t take = 0; take < s.def.take_count; take++) {
                const float joining = lmb_motion_graph_get_content(graph)->takes[take].joining_threshold;
                if (isinf(joining)) {
                    assert_int_equal(kept_with(&s, 9.999f * s.def.threshold, take), 0);
                    never++;
                } else if (joining > 0.0f) {
                    assert_true(joining >= s.def.threshold && joining <= 10.0f * s.def.threshold);
                    assert_int_equal(kept_with(&s, joining * 0.99999f, take), 0);
                    assert_true(kept_with(&s, joining * 1.00001f, take) > 0);
                    joined++;
                }
            }
        }
        lmb_motion_graph_destroy(graph);
        release_scene(&s);
    }
    print_message("%u takes join, %u do not\n", (unsigned)joined, (unsigned)never);
    assert_true(joined > 0 && never > 0);
}

// ---- Bits. ----

static void the_same_takes_give_the_same_bits(void **state) {
    (void)state;
    for (uint32_t i = 0; i < case_count(10); i++) {
        scene s[2];
        lmb_motion_graph *graphs[2] = {NULL, NULL};
        for (int k = 0; k < 2; k++) {
            make_scene(&s[k], i);
        }
        const bool made = lmb_motion_graph_create(&s[0].def, NULL, &graphs[0], NULL) == LMB_OK;
        assert_int_equal(lmb_motion_graph_create(&s[1].def, NULL, &graphs[1], NULL) == LMB_OK, made);
        for (int k = 0; k < 2; k++) {
            memset(s[k].list, 0xff, sizeof s[k].list); // not needed afterwards
            release_scene(&s[k]);
        }
        if (made) {
            const lmb_motion_graph_content *x = lmb_motion_graph_get_content(graphs[0]);
            const lmb_motion_graph_content *y = lmb_motion_graph_get_content(graphs[1]);
            assert_true(x->part_count == y->part_count && x->transition_count == y->transition_count);
            assert_memory_equal(x->parts, y->parts, x->part_count * sizeof *x->parts);
            if (x->transition_count > 0) {
                assert_memory_equal(x->transitions, y->transitions, x->transition_count * sizeof *x->transitions);
            }
        }
        lmb_motion_graph_destroy(graphs[0]);
        lmb_motion_graph_destroy(graphs[1]);
    }
}

// ---- Edges. ----

// Takes of 20 moments at 30 a second, in which a joint moves evenly; still without `moves`.
static void make_lines(scene *s, uint32_t takes, uint32_t moments, bool loop, bool moves) {
    static const float from[3] = {0.0f, 0.0f, -0.8f}, to[3] = {0.0f, 0.0f, 3.0f};
    *s = (scene){.rig = make_take_rig(), .def = lmb_default_motion_graph_def()};
    s->sources = allocate(takes, sizeof *s->sources);
    s->def.rig = s->rig;
    s->def.takes = s->list;
    s->def.take_count = takes;
    for (uint32_t i = 0; i < takes; i++) {
        make_line_take(&s->sources[i], s->rig, (float)(loop ? moments : moments - 1) / 30.0f, LEFT_FOOT, from,
                       moves ? to : from);
        s->sources[i].take.loop = loop;
        s->list[i] = s->sources[i].take;
    }
}

static lmb_motion_graph *graph_of(const scene *s) {
    lmb_motion_graph *graph = NULL;
    lmb_error error = {0};
    assert_ok(lmb_motion_graph_create(&s->def, NULL, &graph, &error), &error);
    return graph;
}

// A loop shorter than a window has no transitions to itself: it is one part, which follows itself.
static void one_loop_alone_follows_itself(void **state) {
    (void)state;
    for (uint32_t moments = 2; moments < 20; moments += 5) {
        scene s;
        make_lines(&s, 1, moments, true, true);
        s.def.window = (float)moments / 60.0f + 1.0f / 30.0f;
        lmb_motion_graph *graph = graph_of(&s);
        const lmb_motion_part *part = lmb_motion_graph_get_content(graph)->parts;
        assert_int_equal(lmb_motion_graph_get_content(graph)->part_count, 1);
        assert_true(part->take == 0 && part->next == 0 && part->start == 0.0f && part->transition_count == 0);
        assert_near((double)part->end, moments / 30.0, 1e-6, "end");
        assert_int_equal(lmb_motion_graph_get_content(graph)->transition_count, 0);
        assert_int_equal(lmb_motion_graph_get_content(graph)->takes[0].kept, moments);
        lmb_motion_graph_destroy(graph);
        release_scene(&s);
    }
}

// Without loops and with a small threshold nothing can be reached again; nor if takes are shorter than a window.
static void what_ends_is_refused(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        scene s;
        make_lines(&s, 2, 9, false, true);
        s.def.threshold = i == 0 ? 1e-9f : 10.0f;
        s.def.window = i == 0 ? 0.1f : 0.5f;
        lmb_motion_graph *graph = (lmb_motion_graph *)(uintptr_t)8;
        lmb_error error = {0};
        CHECK_REFUSAL(lmb_motion_graph_create(&s.def, NULL, &graph, &error), &error, LMB_ERROR_ARGUMENT, "motion graph",
                      "threshold");
        assert_null(graph);
        release_scene(&s);
    }
}

// Many equal distances: what comes out is a graph in which all reach each other, twice the same.
static void still_takes_make_a_graph(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        scene s;
        make_lines(&s, 1 + i % 2, 20, i < 2, false);
        s.def.window = 0.1f;
        lmb_motion_graph *graph = NULL;
        const lmb_result result = lmb_motion_graph_create(&s.def, NULL, &graph, NULL);
        assert_true(result == LMB_OK || (i >= 2 && result == LMB_ERROR_ARGUMENT));
        if (result == LMB_OK) {
            expectation *e = expect_graph(&s.def, s.sources);
            bool covered[MAX_MOMENTS] = {false};
            check_parts(&s.def, e, graph, covered);
            free(e);
        }
        lmb_motion_graph_destroy(graph);
        release_scene(&s);
    }
    lmb_motion_graph_destroy(NULL);
}

static void gaps_are_measured(void **state) {
    (void)state;
    scene s;
    make_lines(&s, 1, 20, false, true);
    double positions[2][TAKE_JOINTS][3], expected = 0.0;
    take_positions_at(s.rig, s.sources, 0.0, positions[0]);
    take_positions_at(s.rig, s.sources, (double)lmb_clip_get_info(s.sources[0].clip)->duration, positions[1]);
    for (uint32_t i = 0; i < TAKE_JOINTS; i++) {
        double square = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            square += pow(positions[1][i][axis] - positions[0][i][axis], 2.0);
        }
        expected = fmax(expected, sqrt(square));
    }
    float gap = -1.0f;
    lmb_error error = {0};
    assert_ok(lmb_motion_take_measure_gap(s.rig, s.sources[0].clip, NULL, &gap, &error), &error);
    assert_near((double)gap, expected, 1e-5, "gap");
    assert_true(expected > 1.0);
    CHECK_REFUSAL(lmb_motion_take_measure_gap(NULL, s.sources[0].clip, NULL, &gap, &error), &error, LMB_ERROR_ARGUMENT,
                  "NULL");
    CHECK_REFUSAL(lmb_motion_take_measure_gap(s.rig, NULL, NULL, &gap, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    CHECK_REFUSAL(lmb_motion_take_measure_gap(s.rig, s.sources[0].clip, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "NULL");
    release_scene(&s);
}

// ---- Refusals and memory. ----

static void check_refused(const lmb_motion_graph_def *def, lmb_result expected, const char *first, const char *second) {
    lmb_motion_graph *graph = (lmb_motion_graph *)(uintptr_t)8;
    lmb_error error = {0};
    failing_host counts = {0};
    const lmb_host host = failing_host_of(&counts);
    CHECK_REFUSAL(lmb_motion_graph_create(def, &host, &graph, &error), &error, expected, "motion graph", first, second);
    assert_null(graph);
    assert_int_equal(counts.live, 0);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    scene s;
    make_scene(&s, 3);
    const lmb_motion_graph_def good = s.def;
    const lmb_motion_take take = s.list[0];
    lmb_motion_graph *graph = NULL;
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_motion_graph_create(NULL, NULL, &graph, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    CHECK_REFUSAL(lmb_motion_graph_create(&good, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    static const float odd[] = {NAN, HUGE_VALF, -HUGE_VALF, -1.0f};
    for (int i = 0; i < 4; i++) {
        float *const members[] = {&s.def.rate, &s.def.window, &s.def.threshold, &s.def.max_jump};
        static const char *const names[] = {"rate", "window", "threshold", "jump"};
        for (int k = 0; k < 4; k++) {
            s.def = good;
            *members[k] = odd[i];
            check_refused(&s.def, LMB_ERROR_ARGUMENT, names[k], "");
        }
        s.def = good;
        s.def.joint_weights = s.weights;
        s.weights[2] = odd[i];
        check_refused(&s.def, LMB_ERROR_ARGUMENT, "weight", "");
    }
    memset(s.weights, 0, sizeof s.weights);
    check_refused(&s.def, LMB_ERROR_ARGUMENT, "joint", "counts");
    static const struct {
        float rate, window, threshold;
        const char *name;
    } rows[] = {{0.99f, 0.2f, 1.0f, "rate"},
                {240.5f, 0.2f, 1.0f, "rate"},
                {30.0f, 0.0f, 1.0f, "window"},
                {30.0f, 10.01f, 1.0f, "window"},
                {30.0f, 0.2f, 0.0f, "threshold"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        s.def = good;
        s.def.rate = rows[i].rate;
        s.def.window = rows[i].window;
        s.def.threshold = rows[i].threshold;
        check_refused(&s.def, LMB_ERROR_ARGUMENT, rows[i].name, "");
    }
    s.def = good;
    s.def.rig = NULL;
    check_refused(&s.def, LMB_ERROR_ARGUMENT, "rig", "NULL");
    s.def = good;
    s.def.takes = NULL;
    check_refused(&s.def, LMB_ERROR_ARGUMENT, "take", "NULL");
    s.def = good;
    s.def.take_count = 0;
    check_refused(&s.def, LMB_ERROR_ARGUMENT, "take", "");
    s.def.take_count = LMB_MAX_MOTION_TAKES + 1;
    check_refused(&s.def, LMB_ERROR_LIMIT, "take", "");
    s.def = good;
    s.def.max_parts = 1;
    check_refused(&s.def, LMB_ERROR_ARGUMENT, "part", "");
    float map = 0.0f;
    s.def = good;
    s.def.map = &map;
    s.def.map_size = LMB_MAX_MOTION_MAP + 1;
    check_refused(&s.def, LMB_ERROR_ARGUMENT, "map", "");
    s.def = good;
    s.list[0].clip = NULL;
    check_refused(&s.def, LMB_ERROR_ARGUMENT, "take 0", "clip");
    s.list[0] = take;
    s.list[0].motion = NULL;
    s.list[0].velocity[1] = NAN;
    check_refused(&s.def, LMB_ERROR_ARGUMENT, "take 0", "velocity");
    s.list[0] = take;
    release_scene(&s);
}

static void too_many_moments_are_refused(void **state) {
    (void)state;
    scene s;
    make_lines(&s, 1, 30 * 140, true, true);
    s.def.rate = 240.0f;
    check_refused(&s.def, LMB_ERROR_LIMIT, "moments", "");
    release_scene(&s);
}

static lmb_result create_graph(const lmb_host *host, lmb_error *error, void *user) {
    const scene *s = user;
    lmb_motion_graph *graph = NULL;
    const lmb_result result = lmb_motion_graph_create(&s->def, host, &graph, error);
    assert_true((graph != NULL) == (result == LMB_OK));
    lmb_motion_graph_destroy(graph);
    return result;
}

static lmb_result measure_gap(const lmb_host *host, lmb_error *error, void *user) {
    const scene *s = user;
    float gap;
    return lmb_motion_take_measure_gap(s->rig, s->sources[0].clip, host, &gap, error);
}

static void failing_memory_is_reported(void **state) {
    (void)state;
    scene s;
    make_lines(&s, 2, 20, true, true);
    s.def.window = 0.1f;
    failing_host_try_all(create_graph, &s);
    failing_host_try_all(measure_gap, &s);
    s.def.max_parts = 3;
    failing_host_try_all(create_graph, &s);
    release_scene(&s);
}

static void defaults_are_those_of_the_header(void **state) {
    (void)state;
    const lmb_motion_graph_def def = lmb_default_motion_graph_def();
    assert_true(def.rig == NULL && def.takes == NULL && def.take_count == 0 && def.joint_weights == NULL);
    assert_true(def.rate == 30.0f && def.window == 1.0f / 3.0f && def.threshold == 0.1f);
    assert_true(def.max_jump == 0.2f && def.max_parts == 0 && def.max_transitions == 0);
    assert_true(def.map == NULL && def.map_size == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_are_those_of_the_oracle),
        cmocka_unit_test(limits_hold_and_moments_stay),
        cmocka_unit_test(the_largest_distance_that_is_not_needed_goes_first),
        cmocka_unit_test(takes_join_above_their_thresholds),
        cmocka_unit_test(the_same_takes_give_the_same_bits),
        cmocka_unit_test(one_loop_alone_follows_itself),
        cmocka_unit_test(what_ends_is_refused),
        cmocka_unit_test(still_takes_make_a_graph),
        cmocka_unit_test(gaps_are_measured),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(too_many_moments_are_refused),
        cmocka_unit_test(failing_memory_is_reported),
        cmocka_unit_test(defaults_are_those_of_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
