// Motion matching in a machine, beside an oracle in float64 that knows the header alone: from what the public functions
// say of a character after a frame, it makes the query, looks at all rows, and expects the next frame to begin there,
// mirrored or not, and to move the character as the take does, or as its reflection.
#include "matching_scene.h"
#include "packed.h"

#include "control/control.h"

#include "../../shaders/ops/control_layout.h"
#include "../../shaders/ops/match_layout.h"

#include <limber/cpu.h>
#include <limber/explain.h>
#include <limber/snapshot.h>
#include <limber/transfer.h>
#include <string.h>

#define STEP (LMB_TICKS_PER_SECOND / 60)
enum { FRAMES = 600 };

// ---- The oracle.

// A row, or the mirrored one.
typedef struct choice {
    uint32_t row;
    bool mirrored;
} choice;

typedef struct chosen_row {
    uint32_t row;
    double age;
} chosen_row;

typedef struct oracle_numbers {
    uint32_t rows, count;
    int16_t (*numbers)[LMB_MOTION_ROW_SIZE];
} oracle_numbers;

typedef struct oracle {
    const matching_scene *scene;
    const lmb_graph *graph;
    const oracle_numbers *all;
    uint32_t take;
    double time;   // in it
    bool mirrored; // plays mirrored
    chosen_row recent[4];
    double velocity[2], acceleration[2]; // in the world, behind what it asks for
    uint32_t worse;                      // frames in a row after which another row would have been better by far
} oracle;

static double seconds_of(uint64_t ticks) {
    return (double)ticks / (double)LMB_TICKS_PER_SECOND;
}

static bool take_ends(const oracle *o, uint32_t row) {
    const double last = (double)lmb_clip_get_info(o->scene->takes[o->take].clip)->duration;
    return !lmb_motion_database_row(o->scene->database, row).can_be_found ||
           (!o->scene->takes[o->take].loop && o->time >= last);
}

// Lists the numbers of all rows, then of the mirrored ones: those of the rows, with the feet exchanged, and with other
// signs along x and in sines.
static void list_numbers(oracle_numbers *list, const lmb_motion_database *database) {
    static const uint32_t signed_ones[] = {0, 3, 6, 9, 12, 15, 17, 19, 21, 23, 25};
    list->rows = lmb_motion_database_get_info(database)->row_count;
    list->count = lmb_motion_database_get_info(database)->is_mirrored ? 2 * list->rows : list->rows;
    list->numbers = malloc(list->count * sizeof *list->numbers);
    assert_non_null(list->numbers);
    for (uint32_t i = 0; i < list->count; i++) {
        const int16_t *stored = lmb_motion_database_features(database, i % list->rows);
        int16_t *numbers = list->numbers[i];
        memcpy(numbers, stored, sizeof *list->numbers);
        for (uint32_t k = 0; k < 12 && i >= list->rows; k++) {
            numbers[k] = stored[k % 6 < 3 ? k + 3 : k - 3];
        }
        for (size_t k = 0; k < sizeof signed_ones / sizeof signed_ones[0] && i >= list->rows; k++) {
            numbers[signed_ones[k]] = (int16_t)-numbers[signed_ones[k]];
        }
    }
}

static const int16_t *numbers_of(const oracle *o, choice of) {
    assert_true(of.row < o->all->rows && (!of.mirrored || o->all->count > o->all->rows));
    return o->all->numbers[of.mirrored ? o->all->rows + of.row : of.row];
}

// Puts the places of a path (matching_follow()), and the headings from each to the next that is elsewhere.
static void put_places(const oracle *o, const float *parameters, double yaw, float features[LMB_MOTION_FEATURES]) {
    double before[2] = {0.0}, heading = 0.0;
    for (int i = 0; i < 3; i++) {
        const lmb_value *place = o->scene->matching.path[i];
        const double x = (double)parameters[place[0].parameter], z = (double)parameters[place[1].parameter];
        if (x != before[0] || z != before[1]) {
            heading = atan2(x - before[0], z - before[1]) - yaw;
        }
        features[15 + 2 * i] = (float)(x * cos(yaw) - z * sin(yaw));
        features[16 + 2 * i] = (float)(z * cos(yaw) + x * sin(yaw));
        if (!o->scene->matching.faces_heading) {
            features[21 + 2 * i] = (float)sin(heading);
            features[22 + 2 * i] = (float)cos(heading);
        }
        before[0] = x;
        before[1] = z;
    }
}

// Makes the numbers of a query: the pose of the row that plays, and the path by its formula.
static void make_query(const oracle *o, const uint32_t *state, const float *parameters, uint32_t row,
                       int16_t query[LMB_MOTION_ROW_SIZE]) {
    float features[LMB_MOTION_FEATURES] = {0};
    const double yaw = lmb_state_motion(o->graph, state).yaw, sine = sin(yaw), cosine = cos(yaw);
    const double wx = (double)parameters[ASKED_X], wz = (double)parameters[ASKED_Z];
    const double desired[2] = {wx * cosine - wz * sine, wz * cosine + wx * sine};
    const double v[2] = {o->velocity[0] * cosine - o->velocity[1] * sine,
                         o->velocity[1] * cosine + o->velocity[0] * sine};
    const double a[2] = {o->acceleration[0] * cosine - o->acceleration[1] * sine,
                         o->acceleration[1] * cosine + o->acceleration[0] * sine};
    const double heading = o->scene->matching.faces_heading ? (double)parameters[ASKED_HEADING] : atan2(wx, wz);
    const double turn = remainder(heading - yaw, 2.0 * 3.14159265358979323846);
    for (int i = 0; i < 3; i++) {
        const double t = i < 2 ? (i + 1) / 3.0 : 1.0, y = 2.0 * log(2.0) / 0.27, e = exp(-y * t);
        for (int k = 0; k < 2; k++) {
            const double d = v[k] - desired[k], rest = a[k] + d * y;
            features[15 + 2 * i + k] = (float)(desired[k] * t + d * (1.0 - e) / y + rest * ((1.0 - e) / y - e * t) / y);
        }
        features[21 + 2 * i] = (float)sin(turn * (1.0 - e * (1.0 + y * t)));
        features[22 + 2 * i] = (float)cos(turn * (1.0 - e * (1.0 + y * t)));
    }
    if (o->scene->matching.follows_path) {
        put_places(o, parameters, yaw, features);
    }
    lmb_motion_database_normalize(o->scene->database, features, query);
    memcpy(query, numbers_of(o, (choice){row, o->mirrored}), 15 * sizeof *query);
}

static uint32_t cost_of(const int16_t *query, const int16_t *numbers) {
    uint32_t cost = 0;
    for (uint32_t i = 0; i < LMB_MOTION_FEATURES; i++) {
        const int32_t difference = query[i] - numbers[i];
        cost += (uint32_t)(difference * difference);
    }
    return cost;
}

// By how much rounding of the path can change a cost.
static double slack_of(const int16_t *query, const int16_t *numbers) {
    double slack = 0.0;
    for (uint32_t i = 15; i < LMB_MOTION_FEATURES; i++) {
        slack += 2.0 * fabs((double)query[i] - (double)numbers[i]) + 1.0;
    }
    return slack;
}

static bool is_near(const oracle *o, uint32_t row, uint32_t other) {
    const lmb_motion_row a = lmb_motion_database_row(o->scene->database, row),
                         b = lmb_motion_database_row(o->scene->database, other);
    const double duration = (double)lmb_clip_get_info(o->scene->takes[a.take].clip)->duration;
    double apart = fabs((double)a.time - (double)b.time);
    apart = o->scene->takes[a.take].loop ? fmin(apart, duration - apart) : apart;
    return a.take == b.take && apart < 0.2 + 0.5 / 30.0;
}

static bool is_left_out(const oracle *o, uint32_t row, uint32_t current) {
    bool out = is_near(o, row, current);
    for (uint32_t i = 0; i < 4; i++) {
        const bool counts = o->recent[i].row != LMB_NONE && o->recent[i].age <= 1.0 + 1e-9;
        out = out || (counts && is_near(o, row, o->recent[i].row));
    }
    return out;
}

static bool tags_fit(const oracle *o, uint32_t row, float runs) {
    const uint32_t tags = lmb_motion_database_row(o->scene->database, row).tags;
    return runs > 0.5f ? (tags & MATCHING_RUN) != 0 : runs < -0.5f ? (tags & MATCHING_RUN) == 0 : true;
}

// What a search after a frame may find: the best cost, that of a row, and of the row that plays.
typedef struct verdict {
    double best, best_slack;
    double found, found_slack; // infinite if it may not be found
    double current;            // less the bonus; infinite if it does not count
} verdict;

static verdict judge(const oracle *o, const uint32_t *state, const float *parameters, choice found) {
    const lmb_motion_database *database = o->scene->database;
    const uint32_t current = lmb_motion_database_find_row(database, o->take, (float)o->time + 1e-4f);
    const double scale = (double)lmb_motion_database_get_info(database)->scale, bonus = floor(scale * scale);
    int16_t query[LMB_MOTION_ROW_SIZE];
    make_query(o, state, parameters, current, query);
    verdict v = {.best = INFINITY, .found = INFINITY, .current = INFINITY};
    if (!take_ends(o, current) && tags_fit(o, current, parameters[ASKED_RUNS])) {
        v.current = fmax(cost_of(query, numbers_of(o, (choice){current, o->mirrored})) - bonus, 0.0);
    }
    for (uint32_t i = 0; i < o->all->count; i++) {
        const choice of = {i % o->all->rows, i >= o->all->rows};
        const int16_t *numbers = o->all->numbers[i];
        const double cost = cost_of(query, numbers);
        const bool is_found = of.row == found.row && of.mirrored == found.mirrored;
        if ((is_found || cost < v.best) && lmb_motion_database_row(database, of.row).can_be_found &&
            tags_fit(o, of.row, parameters[ASKED_RUNS]) && !is_left_out(o, of.row, current)) {
            const double slack = slack_of(query, numbers);
            v.found = is_found ? cost : v.found;
            v.found_slack = is_found ? slack : v.found_slack;
            v.best_slack = cost < v.best ? slack : v.best_slack;
            v.best = fmin(cost, v.best);
        }
    }
    return v;
}

// Moves the velocity that follows what is asked for.
static void follow_velocity(oracle *o, const float *parameters) {
    const double t = 1.0 / 60.0, y = 2.0 * log(2.0) / 0.27, e = exp(-y * t);
    for (int k = 0; k < 2; k++) {
        const double g = (double)parameters[k == 0 ? ASKED_X : ASKED_Z], d = o->velocity[k] - g;
        const double rest = o->acceleration[k] + d * y;
        o->velocity[k] = g + e * (d + rest * t);
        o->acceleration[k] = e * (o->acceleration[k] - rest * y * t);
    }
}

// ---- Root motion.

// Where a frame moves a character, in its own axes, and by how much it turns.
typedef struct displacement {
    double x, z, yaw;
} displacement;

static displacement turn(const displacement *d, double yaw) {
    return (displacement){d->x * cos(yaw) + d->z * sin(yaw), d->z * cos(yaw) - d->x * sin(yaw), d->yaw};
}

// The root motion of a take from a time to a later one.
static displacement displace(const oracle *o, uint32_t take, double from, double to) {
    const double duration = (double)lmb_clip_get_info(o->scene->takes[take].clip)->duration;
    double keys[2][4];
    for (int i = 0; i < 2; i++) {
        const double at = fmin((i == 0 ? from : to) / duration, 1.0) * (WALK_KEYS - 1);
        const uint32_t key = at < WALK_KEYS - 2 ? (uint32_t)at : WALK_KEYS - 2;
        for (int k = 0; k < 4; k++) {
            const double a = (double)o->scene->made[take].motion[key][k],
                         b = (double)o->scene->made[take].motion[key + 1][k];
            keys[i][k] = a + (b - a) * (at - key);
        }
    }
    const displacement moved = {keys[1][0] - keys[0][0], keys[1][2] - keys[0][2], keys[1][3] - keys[0][3]};
    return turn(&moved, -keys[0][3]);
}

// The same for a frame, in which a loop may go on at its beginning.
static displacement displace_in_frame(const oracle *o, uint32_t take, double from, double to) {
    if (to >= from) {
        return displace(o, take, from, to);
    }
    const displacement first = displace(o, take, from, (double)lmb_clip_get_info(o->scene->takes[take].clip)->duration);
    const displacement then = displace(o, take, 0.0, to), turned = turn(&then, first.yaw);
    return (displacement){first.x + turned.x, first.z + turned.z, first.yaw + turned.yaw};
}

// Checks that a character has moved as its take does, or as the reflection of it if that plays mirrored.
static void check_motion(const oracle *o, uint32_t take, double from, double to, const uint32_t *before,
                         const uint32_t *after) {
    const lmb_motion was = lmb_state_motion(o->graph, before), is = lmb_state_motion(o->graph, after);
    displacement own = displace_in_frame(o, take, from, to);
    own.x = o->mirrored ? -own.x : own.x;
    own.yaw = o->mirrored ? -own.yaw : own.yaw;
    const displacement moved = turn(&own, was.yaw);
    const double off[3] = {is.position[0] - was.position[0] - moved.x, is.position[2] - was.position[2] - moved.z,
                           remainder(is.yaw - was.yaw - moved.yaw, 2.0 * 3.14159265358979323846)};
    for (int i = 0; i < 3; i++) {
        if (!(fabs(off[i]) < 5e-5)) {
            fail_msg("take %u%s moves a character by %g too much along %d", (unsigned)take,
                     o->mirrored ? " mirrored" : "", off[i], i);
        }
    }
}

// Whether a character plays mirrored, by the parameter that its frame has written.
static bool read_mirrored(const oracle *o, const float *parameters) {
    if (!lmb_motion_database_get_info(o->scene->database)->is_mirrored) {
        return false;
    }
    const float mirrored = parameters[MATCHING_MIRRORED_PARAMETER];
    assert_true(mirrored == 0.0f || mirrored == 1.0f);
    return mirrored == 1.0f;
}

// The last row of a loop may be at its end, which is its beginning: a character that jumps there is seen at the first
// row. Returns the one that the report says was chosen.
static uint32_t row_at_end(const oracle *o, const uint32_t *state, const float *parameters, uint32_t take,
                           uint32_t first) {
    const double duration = (double)lmb_clip_get_info(o->scene->takes[take].clip)->duration;
    const uint32_t last = lmb_motion_database_find_row(o->scene->database, take, (float)duration);
    const bool is_at_end = duration - (double)lmb_motion_database_row(o->scene->database, last).time < 1e-3;
    lmb_matching_report report;
    assert_true(lmb_state_explain_matching(o->graph, state, parameters, 0, &report));
    return o->scene->takes[take].loop && is_at_end && report.recent_rows[0] == last ? last : first;
}

// Follows a character through a frame. Returns the row to which it has jumped, or LMB_NONE.
static choice follow(oracle *o, const uint32_t *before, const uint32_t *state, const float *parameters) {
    const uint32_t take = lmb_state_current(o->graph, state, 0);
    const double time = seconds_of(lmb_state_player(o->graph, state, take).ticks);
    const double duration = (double)lmb_clip_get_info(o->scene->takes[take].clip)->duration;
    double expected = o->time + 1.0 / 60.0;
    expected = o->scene->takes[o->take].loop ? fmod(expected, duration) : fmin(expected, duration);
    double from = o->time;
    uint32_t row = LMB_NONE;
    if (take != o->take || fabs(time - expected) > 1e-3) {
        row = lmb_motion_database_find_row(o->scene->database, take, (float)(time - 1.0 / 60.0 + 1e-4));
        const double began = (double)lmb_motion_database_row(o->scene->database, row).time;
        if (fabs(began - (time - 1.0 / 60.0)) > 1e-3) {
            fail_msg("take %u goes on from %g s, which is no row", (unsigned)take, time - 1.0 / 60.0);
        }
        row = began == 0.0 ? row_at_end(o, state, parameters, take, row) : row;
        memmove(o->recent + 1, o->recent, 3 * sizeof *o->recent);
        o->recent[0] = (chosen_row){row, 0.0};
        o->mirrored = read_mirrored(o, parameters);
        from = began;
    }
    assert_int_equal(read_mirrored(o, parameters), o->mirrored);
    check_motion(o, take, from, time, before, state);
    for (uint32_t i = 0; i < 4; i++) {
        o->recent[i].age += 1.0 / 60.0;
    }
    o->take = take;
    o->time = time;
    return (choice){row, row != LMB_NONE && o->mirrored};
}

typedef struct crowd {
    lmb_graph *graph;
    uint32_t *states;
    float *parameters;
    uint32_t row; // parameters of a character
} crowd;

static void crowd_start(const matching_scene *scene, crowd *crowd) {
    lmb_error error = {0};
    assert_ok(lmb_graph_create(&scene->def, NULL, &crowd->graph, &error), &error);
    crowd->row = lmb_graph_get_info(crowd->graph)->parameter_count;
    crowd->states = calloc(MATCHING_CHARACTERS, lmb_graph_get_info(crowd->graph)->state_words * sizeof(uint32_t));
    crowd->parameters = calloc(MATCHING_CHARACTERS, crowd->row * sizeof(float));
    assert_true(crowd->states != NULL && crowd->parameters != NULL);
}

static void crowd_end(crowd *crowd) {
    lmb_graph_destroy(crowd->graph);
    free(crowd->states);
    free(crowd->parameters);
}

static uint32_t *state_of(const crowd *crowd, uint32_t character) {
    return crowd->states + (size_t)character * lmb_graph_get_info(crowd->graph)->state_words;
}

static float *parameters_of(const crowd *crowd, uint32_t character) {
    return crowd->parameters + (size_t)character * crowd->row;
}

static void crowd_run(crowd *crowd, uint32_t number, const lmb_event *events, uint32_t event_count) {
    lmb_error error = {0};
    lmb_control_frame frame = lmb_default_control_frame();
    frame.state = crowd->states;
    frame.parameters = crowd->parameters;
    frame.character_count = MATCHING_CHARACTERS;
    frame.step = STEP;
    frame.number = number;
    frame.events = events;
    frame.event_count = event_count;
    assert_ok(lmb_control_run(crowd->graph, &frame, 0, MATCHING_CHARACTERS, &error), &error);
}

// A jump goes to the best row, by rounding, and is worth it. And nobody stays where a search, of which there is one in
// every seven frames, would find a better row.
static bool check_jump(oracle *o, const verdict *v, uint32_t row) {
    if (row != LMB_NONE) {
        if (!(v->found - v->found_slack <= v->best + v->best_slack)) {
            fail_msg("a row that costs %g was found, and another costs %g", v->found, v->best);
        }
        if (!(v->found - v->found_slack <= v->current)) {
            fail_msg("a row that costs %g was found, and the one that plays costs %g", v->found, v->current);
        }
    }
    const bool stays_worse = row == LMB_NONE && v->best + v->best_slack < v->current - v->best_slack - 1.0;
    o->worse = stays_worse ? o->worse + 1 : 0;
    assert_in_range(o->worse, 0, 7);
    return row != LMB_NONE;
}

// Checks that numbers of a path, as a query has them, are those of a report within one step.
static void check_path(const oracle *o, const int16_t *numbers, const lmb_motion_path *path) {
    float features[LMB_MOTION_FEATURES] = {0};
    int16_t reported[LMB_MOTION_ROW_SIZE];
    memcpy(features + 15, path->positions, sizeof path->positions);
    memcpy(features + 21, path->headings, sizeof path->headings);
    lmb_motion_database_normalize(o->scene->database, features, reported);
    for (uint32_t i = 15; i < LMB_MOTION_FEATURES; i++) {
        assert_in_range(reported[i] - numbers[i] + 1, 0, 2);
    }
}

static void check_costs(const oracle *o, const int16_t *query, const lmb_matching_row *row) {
    static const uint32_t ends[] = {6, 12, 15, 21, 27};
    const uint32_t costs[] = {row->costs.foot_positions, row->costs.foot_velocities, row->costs.hip_velocity,
                              row->costs.path, row->costs.headings};
    const int16_t *numbers = numbers_of(o, (choice){row->row, row->mirrored});
    for (uint32_t group = 0, i = 0; group < 5; group++) {
        double cost = 0.0, slack = 0.0;
        for (; i < ends[group]; i++) {
            const double difference = (double)query[i] - (double)numbers[i];
            cost += difference * difference;
            slack += i >= 15 ? 2.0 * fabs(difference) + 1.0 : 0.0;
        }
        assert_true(fabs((double)costs[group] - cost) <= slack);
    }
    const lmb_motion_row moment = lmb_motion_database_row(o->scene->database, row->row);
    assert_true(moment.take == row->take && fabsf(moment.time - row->time) < 1e-5f);
    check_path(o, numbers, &row->path);
}

// A loop may have a row a little before its end, which is its beginning again.
static bool is_same_moment(const oracle *o, uint32_t row, uint32_t other) {
    const lmb_motion_row a = lmb_motion_database_row(o->scene->database, row),
                         b = lmb_motion_database_row(o->scene->database, other);
    const double duration =
        a.take < SCENE_TAKES ? (double)lmb_clip_get_info(o->scene->takes[a.take].clip)->duration : 1.0;
    return row != LMB_NONE && other != LMB_NONE && a.take == b.take &&
           fabs(remainder((double)a.time - (double)b.time, duration)) < 1e-4;
}

// The report of a character before it jumps to a row, or to none.
static void check_report(const oracle *o, const uint32_t *state, const float *parameters, choice found) {
    lmb_matching_report report;
    int16_t query[LMB_MOTION_ROW_SIZE];
    const uint32_t current = lmb_motion_database_find_row(o->scene->database, o->take, (float)o->time + 1e-4f);
    make_query(o, state, parameters, current, query);
    assert_true(lmb_state_explain_matching(o->graph, state, parameters, 0, &report));
    check_path(o, query, &report.asked);
    assert_int_equal(report.played.row, current);
    assert_int_equal(report.played.mirrored, o->mirrored);
    check_costs(o, query, &report.played);
    assert_true(report.found.row == found.row || is_same_moment(o, report.found.row, found.row));
    assert_int_equal(report.found.mirrored, found.mirrored);
    if (found.row != LMB_NONE) {
        check_costs(o, query, &report.found);
    }
    assert_true(report.seconds >= 0.0f && report.seconds < 0.1f + 1.0f / 60.0f);
    for (uint32_t i = 0; i < LMB_MATCHING_RECENT; i++) {
        assert_int_equal(i < report.recent_count, o->recent[i].row != LMB_NONE);
        assert_true(i >= report.recent_count || (is_same_moment(o, report.recent_rows[i], o->recent[i].row) &&
                                                 fabs((double)report.recent_seconds[i] - o->recent[i].age) < 1e-4));
    }
}

typedef struct jumps {
    uint32_t count;
    uint32_t mirrored; // of these, to mirrored rows
} jumps;

static jumps expect_best_rows(const matching_scene *scene) {
    crowd crowd;
    crowd_start(scene, &crowd);
    oracle oracles[MATCHING_CHARACTERS];
    float asked[ASKED_NUMBERS];
    const size_t words = lmb_graph_get_info(crowd.graph)->state_words;
    uint32_t *states = malloc(MATCHING_CHARACTERS * words * sizeof *states);
    jumps jumps = {0};
    oracle_numbers all;
    list_numbers(&all, scene->database);
    assert_non_null(states);
    for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
        oracles[i] = (oracle){.scene = scene, .graph = crowd.graph, .all = &all};
        memset(oracles[i].recent, 0xff, sizeof oracles[i].recent);
    }
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        memcpy(states, crowd.states, MATCHING_CHARACTERS * words * sizeof *states);
        for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
            matching_ask(i, frame, parameters_of(&crowd, i));
        }
        crowd_run(&crowd, frame, NULL, 0);
        for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
            oracle was = oracles[i];
            const uint32_t *before = states + i * words;
            const choice found = follow(&oracles[i], before, state_of(&crowd, i), parameters_of(&crowd, i));
            follow_velocity(&oracles[i], parameters_of(&crowd, i));
            if (frame > 0 && i % 3 == frame % 3) { // looking at all rows takes long
                matching_ask(i, frame - 1, asked);
                const verdict v = judge(&was, before, asked, found);
                oracles[i].worse = was.worse;
                check_report(&was, before, asked, found);
                jumps.count += check_jump(&oracles[i], &v, found.row);
                jumps.mirrored += found.mirrored;
            }
        }
    }
    free(states);
    free(all.numbers);
    crowd_end(&crowd);
    return jumps;
}

static void expect_jumps_to_the_best_rows(bool mirrored) {
    matching_scene scene;
    matching_start(&scene, mirrored);
    for (int way = 0; way < 5; way += suite_is_slow() ? 2 : 1) {
        scene.matching.faces_heading = way % 2 > 0;
        if (way >= 2) {
            matching_follow(&scene, way == 4);
        }
        const jumps jumps = expect_best_rows(&scene);
        print_message("%u jumps, %u of them mirrored, in %u frames of %u characters\n", (unsigned)jumps.count,
                      (unsigned)jumps.mirrored, FRAMES / 3, MATCHING_CHARACTERS);
        assert_in_range(jumps.count, 200, UINT32_MAX);
        assert_in_range(jumps.mirrored, mirrored ? 80 : 0, mirrored ? jumps.count - 80 : 0);
    }
    matching_end(&scene);
}

static void jumps_go_to_the_best_row(void **state) {
    (void)state;
    expect_jumps_to_the_best_rows(false);
}

static void jumps_go_to_the_best_row_or_its_mirror(void **state) {
    (void)state;
    expect_jumps_to_the_best_rows(true);
}

// ---- When characters search.

static uint32_t *matched_of(const crowd *crowd, uint32_t character) {
    const uint32_t *block = crowd->graph->control->block;
    return state_of(crowd, character) + block[block[FIELD(CONTROL, matchings)] + FIELD(MATCHING, state)];
}

// With parameters at rest each character searches once in six frames of 1/60 s, and the crowd takes turns.
static void searches_take_turns(void **state) {
    (void)state;
    matching_scene scene;
    matching_start(&scene, false);
    crowd crowd;
    crowd_start(&scene, &crowd);
    uint32_t searches[MATCHING_CHARACTERS] = {0}, most = 0;
    for (uint32_t frame = 0; frame < 66; frame++) {
        crowd_run(&crowd, frame, NULL, 0);
        uint32_t now = 0;
        for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
            const uint32_t *waited = matched_of(&crowd, i) + FIELD(MATCHED, waited);
            const bool searched = waited[1] == 0 && waited[0] < STEP;
            now += searched;
            searches[i] += searched && frame >= 6;
        }
        most = frame >= 6 && now > most ? now : most;
    }
    for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
        assert_in_range(searches[i], 9, 11);
    }
    assert_in_range(most, 2, MATCHING_CHARACTERS / 3);
    crowd_end(&crowd);
    matching_end(&scene);
}

// A changed parameter is answered in the next frame, whoever's turn it is.
static void a_change_is_answered_at_once(void **state) {
    (void)state;
    matching_scene scene;
    matching_start(&scene, false);
    scene.matching.interval = 10.0f;
    crowd crowd;
    crowd_start(&scene, &crowd);
    uint32_t jumped = 0;
    for (uint32_t frame = 0; frame < 100; frame++) {
        for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
            parameters_of(&crowd, i)[ASKED_RUNS] = frame < 50 ? -1.0f : 1.0f;
            parameters_of(&crowd, i)[ASKED_Z] = frame < 50 ? 1.0f : 4.0f;
        }
        crowd_run(&crowd, frame, NULL, 0);
        for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
            const uint32_t *recent = matched_of(&crowd, i) + WORDS_OF(MATCHED);
            jumped += frame == 51 && recent[0] != 0 && recent[1] == STEP;
        }
    }
    assert_int_equal(jumped, MATCHING_CHARACTERS);
    crowd_end(&crowd);
    matching_end(&scene);
}

// Checks a character in a state that is no take: its report, and that it moves by the state's clip, as the take before
// was mirrored.
static void check_other(const matching_scene *scene, const crowd *crowd, uint32_t character, const uint32_t *before,
                        bool fades) {
    const oracle o = {.scene = scene, .graph = crowd->graph};
    const uint32_t *state = state_of(crowd, character);
    const double time = seconds_of(lmb_state_player(crowd->graph, state, MATCHING_OTHER).ticks);
    oracle moved = o;
    moved.mirrored = read_mirrored(&o, parameters_of(crowd, character));
    if (!fades) {
        check_motion(&moved, 0, time - 1.0 / 60.0, time, before, state);
    }
}

// While a state that is no take is current, nothing jumps. After it, the takes go on. Only jumps change whether a
// character plays mirrored.
static void expect_others_left_alone(const matching_scene *scene, bool mirrored) {
    crowd crowd;
    crowd_start(scene, &crowd);
    lmb_event events[MATCHING_CHARACTERS];
    const oracle any = {.scene = scene};
    const size_t words = lmb_graph_get_info(crowd.graph)->state_words;
    uint32_t *states = calloc(MATCHING_CHARACTERS * words, sizeof *states);
    uint32_t in_other[2] = {0}, after = 0;
    bool was_mirrored[MATCHING_CHARACTERS] = {0};
    assert_non_null(states);
    for (uint32_t frame = 0; frame < 200; frame++) {
        memcpy(states, crowd.states, MATCHING_CHARACTERS * words * sizeof *states);
        for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
            matching_ask(i, frame, parameters_of(&crowd, i));
            events[i] = (lmb_event){i, 0};
        }
        crowd_run(&crowd, frame, events, frame == 40 ? MATCHING_CHARACTERS : 0);
        for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
            const uint32_t *state = state_of(&crowd, i), *before = states + i * words;
            const bool other = lmb_state_current(crowd.graph, state, 0) == MATCHING_OTHER;
            const float left = 33.3f - 32.0f; // seconds of that state's clip
            const bool expected = frame >= 40 && (float)(frame - 39) / 60.0f < left - 0.05f;
            assert_true(!expected || other);
            lmb_matching_report report;
            assert_int_equal(lmb_state_explain_matching(crowd.graph, state, parameters_of(&crowd, i), 0, &report),
                             !other);
            const bool is_mirrored = read_mirrored(&any, parameters_of(&crowd, i));
            const bool stays = frame > 40 && lmb_state_current(crowd.graph, before, 0) == MATCHING_OTHER;
            const uint32_t *recent = matched_of(&crowd, i) + WORDS_OF(MATCHED);
            assert_true(is_mirrored == was_mirrored[i] || (!stays && recent[0] != 0 && recent[1] == STEP));
            if (stays && other) {
                check_other(scene, &crowd, i, before, frame < 55);
            }
            was_mirrored[i] = is_mirrored;
            in_other[is_mirrored] += other;
            after += frame > 140 && !other && recent[0] != 0;
        }
    }
    assert_true(in_other[0] > 0 && after > 0);
    assert_int_equal(in_other[1] > 0, mirrored);
    free(states);
    crowd_end(&crowd);
}

static void other_states_are_left_alone(void **state) {
    (void)state;
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        matching_scene scene;
        matching_start(&scene, mirrored == 1);
        expect_others_left_alone(&scene, mirrored == 1);
        matching_end(&scene);
    }
}

static void reports_need_a_machine_that_matches(void **state) {
    (void)state;
    matching_scene scene;
    matching_start(&scene, false);
    crowd crowd;
    crowd_start(&scene, &crowd);
    crowd_run(&crowd, 0, NULL, 0);
    lmb_matching_report report;
    const float *parameters = parameters_of(&crowd, 0);
    assert_true(lmb_graph_machine_at(crowd.graph, 0).matches_motion);
    assert_false(lmb_graph_machine_at(crowd.graph, 1).matches_motion);
    assert_true(lmb_state_explain_matching(crowd.graph, crowd.states, parameters, 0, &report));
    assert_false(lmb_state_explain_matching(NULL, crowd.states, parameters, 0, &report));
    assert_false(lmb_state_explain_matching(crowd.graph, NULL, parameters, 0, &report));
    assert_false(lmb_state_explain_matching(crowd.graph, crowd.states, NULL, 0, &report));
    assert_false(lmb_state_explain_matching(crowd.graph, crowd.states, parameters, 1, &report));
    assert_false(lmb_state_explain_matching(crowd.graph, crowd.states, parameters, 0, NULL));
    crowd_end(&crowd);
    matching_end(&scene);
}

// ---- Poses of a machine that plays mirrored.

// Where a joint is at the time of a take that a character plays: its partner, reflected, if it plays mirrored.
static void find_joint(const matching_scene *scene, uint32_t take, double time, bool mirrored, uint32_t joint,
                       double position[3]) {
    static const uint32_t partners[WALK_JOINTS] = {WALK_HIPS, WALK_RIGHT_FOOT, WALK_LEFT_FOOT};
    const walk_take *made = &scene->made[take];
    const double at = fmin(time * 30.0, WALK_KEYS - 1.0);
    const uint32_t key = at < WALK_KEYS - 2 ? (uint32_t)at : WALK_KEYS - 2;
    const float(*keys)[3] = made->joints[mirrored ? partners[joint] : joint];
    for (int i = 0; i < 3; i++) {
        const double a = (double)keys[key][i], b = (double)keys[key + 1][i];
        position[i] = (a + (b - a) * (at - key)) * (mirrored && i == 0 ? -1.0 : 1.0);
    }
}

// What frames of a crowd have shown.
typedef struct watched {
    uint32_t mirrored; // characters that played mirrored
    double off;        // the most of a joint from where its take has it
    double roughest;   // the most that a joint's movement has changed where a character was mirrored, or no more
    bool was_mirrored[MATCHING_CHARACTERS];
    double last[2][MATCHING_CHARACTERS][WALK_JOINTS][3];
} watched;

static void watch(const matching_scene *scene, const crowd *crowd, uint32_t frame, const float *models, watched *w) {
    const oracle any = {.scene = scene};
    for (uint32_t i = 0; i < MATCHING_CHARACTERS * WALK_JOINTS; i++) {
        const uint32_t character = i / WALK_JOINTS, joint = i % WALK_JOINTS, *state = state_of(crowd, character);
        const uint32_t take = lmb_state_current(crowd->graph, state, 0);
        const bool mirrored = read_mirrored(&any, parameters_of(crowd, character));
        double expected[3];
        find_joint(scene, take, seconds_of(lmb_state_player(crowd->graph, state, take).ticks), mirrored, joint,
                   expected);
        for (uint32_t k = 0; k < 3; k++) {
            const double is = (double)models[12 * i + 4 * k + 3];
            double *before = &w->last[0][character][joint][k], *earlier = &w->last[1][character][joint][k];
            w->off = fmax(w->off, fabs(is - expected[k]));
            if (frame > 1 && mirrored != w->was_mirrored[character]) {
                w->roughest = fmax(w->roughest, fabs(is - 2.0 * *before + *earlier));
            }
            *earlier = *before;
            *before = is;
        }
        if (joint == WALK_JOINTS - 1) {
            w->mirrored += mirrored;
            w->was_mirrored[character] = mirrored;
        }
    }
}

static void watch_poses(const matching_scene *scene, watched *w) {
    crowd crowd;
    crowd_start(scene, &crowd);
    lmb_error error = {0};
    lmb_cpu *cpu = NULL;
    const lmb_batch_def batch = {crowd.graph, MATCHING_CHARACTERS, LMB_OUTPUT_MODEL_BIT};
    assert_ok(lmb_cpu_create(crowd.graph, LMB_CPU_FAST, NULL, &cpu, &error), &error);
    uint32_t *inertia =
        calloc(MATCHING_CHARACTERS * lmb_graph_get_info(crowd.graph)->inertia_words + 1, sizeof *inertia);
    float *models = calloc(MATCHING_CHARACTERS * WALK_JOINTS, 12 * sizeof *models);
    assert_true(inertia != NULL && models != NULL);
    *w = (watched){0};
    for (uint32_t number = 0; number < 240; number++) {
        for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
            matching_ask(i, number, parameters_of(&crowd, i));
        }
        lmb_control_frame frame = lmb_default_control_frame();
        frame.state = crowd.states;
        frame.parameters = crowd.parameters;
        frame.character_count = MATCHING_CHARACTERS;
        frame.step = STEP;
        frame.number = number;
        const lmb_batch_inputs inputs = {.control = &frame};
        const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_MODEL] = models}, .inertia = inertia};
        assert_ok(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), &error);
        watch(scene, &crowd, number, models, w);
    }
    lmb_cpu_destroy(cpu);
    free(inertia);
    free(models);
    crowd_end(&crowd);
}

// A pose is that of the take, or its reflection; and a jump from one to the other is as smooth as any.
static void poses_are_reflected(void **state) {
    (void)state;
    matching_scene scene;
    watched *w = malloc(sizeof *w);
    assert_non_null(w);
    matching_start(&scene, true);
    scene.matching.fade = 0.0f;
    watch_poses(&scene, w);
    assert_in_range(w->mirrored, 500, 240 * MATCHING_CHARACTERS - 500);
    assert_true(w->off < 1e-4 && w->roughest > 0.15);
    scene.matching.fade = 0.25f;
    watch_poses(&scene, w);
    assert_true(w->off > 0.1 && w->roughest < 0.08);
    free(w);
    matching_end(&scene);
}

// ---- What a state consists of.

static void differences_are_named(void **state) {
    (void)state;
    static const struct {
        uint32_t word;
        const char *text;
    } rows[] = {{FIELD(MATCHED, found), "machine \"body\": the row that a search found"},
                {FIELD(MATCHED, moving) + 3, "machine \"body\": velocity that follows the desired one"},
                {FIELD(MATCHED, mirrored), "machine \"body\": whether its take plays mirrored"},
                {WORDS_OF(MATCHED) + 7, "machine \"body\": rows chosen shortly before"},
                {FIELD(MATCHED, waited), "machine \"body\": its last search"}};
    matching_scene scene;
    matching_start(&scene, false);
    scene.machine.name = "body";
    crowd crowd;
    crowd_start(&scene, &crowd);
    crowd_run(&crowd, 0, NULL, 0);
    const uint32_t words = lmb_graph_get_info(crowd.graph)->state_words;
    uint32_t *other = malloc(words * sizeof *other);
    assert_non_null(other);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128];
        memcpy(other, crowd.states, words * sizeof *other);
        other[(uint32_t)(matched_of(&crowd, 0) - crowd.states) + rows[i].word] ^= 1u;
        assert_true(lmb_graph_state_difference(crowd.graph, crowd.states, other, text, sizeof text));
        assert_string_equal(text, rows[i].text);
    }
    const lmb_state_sizes sizes = lmb_graph_state_sizes(crowd.graph);
    const uint32_t of_machine = WORDS_OF(MACHINE_NOW) + SCENE_STATES * WORDS_OF(STATE_WEIGHT);
    assert_int_equal(sizes.machines, of_machine + MATCHED_WORDS);
    free(other);
    crowd_end(&crowd);
    matching_end(&scene);
}

// ---- Packs.

// A graph from a pack has the same database, and so the same states.
static void expect_the_same_from_a_pack(bool mirrored) {
    matching_scene scene;
    lmb_error error = {0};
    matching_start(&scene, mirrored);
    size_t size = 0;
    void *bytes = packed_graph("walk", &scene.def, &size);
    lmb_pack *pack = NULL;
    assert_non_null(bytes);
    assert_ok(lmb_pack_open(bytes, size, NULL, &pack, &error), &error);
    matching_scene packed = {.def = *lmb_pack_find_graph(pack, "walk")};
    crowd crowds[2];
    crowd_start(&scene, &crowds[0]);
    crowd_start(&packed, &crowds[1]);
    for (uint32_t frame = 0; frame < 100; frame++) {
        for (uint32_t i = 0; i < 2 * MATCHING_CHARACTERS; i++) {
            matching_ask(i / 2, frame, parameters_of(&crowds[i % 2], i / 2));
        }
        crowd_run(&crowds[0], frame, NULL, 0);
        crowd_run(&crowds[1], frame, NULL, 0);
    }
    const size_t words = lmb_graph_get_info(crowds[0].graph)->state_words;
    assert_int_equal(words, lmb_graph_get_info(crowds[1].graph)->state_words);
    assert_memory_equal(crowds[0].states, crowds[1].states, MATCHING_CHARACTERS * words * sizeof(uint32_t));
    assert_int_equal(crowds[0].row, crowds[1].row);
    assert_memory_equal(crowds[0].parameters, crowds[1].parameters,
                        MATCHING_CHARACTERS * crowds[0].row * sizeof(float));
    crowd_end(&crowds[0]);
    crowd_end(&crowds[1]);
    lmb_pack_close(pack);
    free(bytes);
    matching_end(&scene);
}

static void packs_have_the_database(void **state) {
    (void)state;
    expect_the_same_from_a_pack(false);
    expect_the_same_from_a_pack(true);
}

// ---- Snapshots.

// Runs both crowds, the second with a mirrored parameter that somebody else has written, and expects the same of both.
static uint32_t run_both(crowd *crowds, uint32_t first, uint32_t end, bool begins_anew) {
    lmb_event events[MATCHING_CHARACTERS];
    uint32_t mirrored = 0;
    for (uint32_t frame = first; frame < end; frame++) {
        for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
            matching_ask(i, frame, parameters_of(&crowds[0], i));
            matching_ask(i, frame, parameters_of(&crowds[1], i));
            parameters_of(&crowds[1], i)[MATCHING_MIRRORED_PARAMETER] = frame % 2 == 0 ? NAN : 0.5f;
            events[i] = (lmb_event){i, LMB_EVENT_RESET};
        }
        for (int side = 0; side < 2; side++) {
            crowd_run(&crowds[side], frame, events, begins_anew && frame == first ? MATCHING_CHARACTERS : 0);
        }
        assert_memory_equal(crowds[0].states, crowds[1].states,
                            MATCHING_CHARACTERS * lmb_graph_get_info(crowds[0].graph)->state_words * sizeof(uint32_t));
        assert_memory_equal(crowds[0].parameters, crowds[1].parameters,
                            MATCHING_CHARACTERS * crowds[0].row * sizeof(float));
        lmb_error error = {0};
        assert_ok(lmb_state_check(crowds[0].graph, crowds[0].states, MATCHING_CHARACTERS, &error), &error);
        for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
            const bool is_mirrored = parameters_of(&crowds[0], i)[MATCHING_MIRRORED_PARAMETER] == 1.0f;
            assert_false(begins_anew && frame == first && is_mirrored);
            mirrored += is_mirrored;
        }
    }
    return mirrored;
}

// Packs a snapshot and gets it back.
static void expect_unpacked(const void *bytes, size_t size) {
    lmb_error error = {0};
    const size_t room = lmb_snapshot_packed_bound(size);
    size_t packed_size, back_size;
    void *packed = malloc(room), *back = malloc(size);
    assert_true(packed != NULL && back != NULL);
    assert_ok(lmb_snapshot_pack(bytes, size, NULL, 0, packed, room, &packed_size, &error), &error);
    assert_ok(lmb_snapshot_unpack(packed, packed_size, NULL, 0, back, size, &back_size, &error), &error);
    assert_int_equal(back_size, size);
    assert_memory_equal(back, bytes, size);
    free(packed);
    free(back);
}

// A snapshot has whether characters play mirrored, whatever their parameters have. One that begins anew does not.
static void snapshots_have_mirrored_characters(void **state) {
    (void)state;
    matching_scene scene;
    lmb_error error = {0};
    matching_start(&scene, true);
    crowd crowds[2];
    crowd_start(&scene, &crowds[0]);
    crowd_start(&scene, &crowds[1]);
    assert_in_range(run_both(crowds, 0, 80, false), 100, UINT32_MAX);
    uint32_t *inertia =
        calloc(MATCHING_CHARACTERS, lmb_graph_get_info(crowds[0].graph)->inertia_words * sizeof *inertia + 1);
    const size_t size = lmb_snapshot_size(crowds[0].graph, MATCHING_CHARACTERS);
    const lmb_character_words words = {crowds[0].states,   inertia, NULL, MATCHING_CHARACTERS, NULL, 0,
                                       MATCHING_CHARACTERS};
    lmb_character_words others = words;
    others.states = crowds[1].states;
    uint32_t *bytes = malloc(size);
    assert_true(inertia != NULL && bytes != NULL);
    assert_ok(lmb_snapshot_save(crowds[0].graph, &words, 80, bytes, size, &error), &error);
    assert_ok(lmb_snapshot_seal(bytes, size, &error), &error);
    assert_ok(lmb_snapshot_check(crowds[0].graph, bytes, size, &error), &error);
    expect_unpacked(bytes, size);
    run_both(crowds, 80, 130, true);
    for (int side = 0; side < 2; side++) {
        assert_ok(lmb_snapshot_restore(crowds[side].graph, bytes, size, side == 0 ? &words : &others, &error), &error);
    }
    assert_in_range(run_both(crowds, 80, 130, false), 100, UINT32_MAX);
    free(inertia);
    free(bytes);
    crowd_end(&crowds[0]);
    crowd_end(&crowds[1]);
    matching_end(&scene);
}

// ---- Hot reload.

static void transfer(const crowd *from, const crowd *to) {
    lmb_graph_transfer *made = NULL;
    lmb_error error = {0};
    uint32_t *inertia[2];
    const crowd *crowds[2] = {from, to};
    lmb_character_words words[2];
    for (int i = 0; i < 2; i++) {
        inertia[i] =
            calloc(MATCHING_CHARACTERS, lmb_graph_get_info(crowds[i]->graph)->inertia_words * sizeof **inertia + 1);
        assert_non_null(inertia[i]);
        words[i] = (lmb_character_words){crowds[i]->states,  inertia[i], NULL, MATCHING_CHARACTERS, NULL, 0,
                                         MATCHING_CHARACTERS};
    }
    assert_ok(lmb_graph_transfer_create(from->graph, to->graph, NULL, &made, &error), &error);
    assert_int_equal(lmb_graph_transfer_lost_count(made), 0);
    assert_ok(lmb_graph_transfer_run(made, &words[0], &words[1], &error), &error);
    assert_ok(lmb_state_check(to->graph, to->states, MATCHING_CHARACTERS, &error), &error);
    lmb_graph_transfer_destroy(made);
    free(inertia[0]);
    free(inertia[1]);
}

// An equal graph goes on as the old one would.
static void an_equal_graph_goes_on(void **state) {
    (void)state;
    matching_scene scene;
    crowd crowds[2], other;
    matching_start(&scene, true);
    scene.motion.velocity_half_life = 0.15f; // goes on, too
    crowd_start(&scene, &crowds[0]);
    crowd_start(&scene, &crowds[1]);
    crowd_start(&scene, &other);
    run_both(crowds, 0, 80, false);
    transfer(&crowds[1], &other);
    memcpy(other.parameters, crowds[1].parameters, MATCHING_CHARACTERS * other.row * sizeof(float));
    crowd reloaded[2] = {crowds[0], other};
    assert_in_range(run_both(reloaded, 80, 200, false), 100, UINT32_MAX);
    crowd_end(&crowds[0]);
    crowd_end(&crowds[1]);
    crowd_end(&other);
    matching_end(&scene);
}

// Of a database with other rows, velocities are kept, and rows are not. Nothing plays mirrored that the new graph does
// not mirror.
static void other_rows_are_forgotten(void **state) {
    (void)state;
    matching_scene scenes[2];
    crowd crowds[2], plain;
    matching_start(&scenes[0], true);
    matching_start(&scenes[1], false);
    crowd_start(&scenes[0], &crowds[0]);
    crowd_start(&scenes[0], &crowds[1]);
    crowd_start(&scenes[1], &plain);
    assert_in_range(run_both(crowds, 0, 80, false), 100, UINT32_MAX);
    transfer(&crowds[0], &plain);
    for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
        const uint32_t *was = matched_of(&crowds[0], i), *is = matched_of(&plain, i);
        assert_memory_equal(is + FIELD(MATCHED, moving), was + FIELD(MATCHED, moving), 4 * sizeof *is);
        assert_memory_equal(is + FIELD(MATCHED, waited), was + FIELD(MATCHED, waited), 2 * sizeof *is);
        assert_true(is[FIELD(MATCHED, found)] == 0 && is[FIELD(MATCHED, mirrored)] == 0 && is[WORDS_OF(MATCHED)] == 0);
    }
    crowd_end(&crowds[0]);
    crowd_end(&crowds[1]);
    crowd_end(&plain);
    matching_end(&scenes[0]);
    matching_end(&scenes[1]);
}

// Expects that a state is refused with this word of its matching.
static void expect_word_refused(const crowd *crowd, uint32_t word, uint32_t value) {
    lmb_error error = {0};
    uint32_t *at = matched_of(crowd, 0) + word, kept = *at;
    assert_ok(lmb_state_check(crowd->graph, crowd->states, 1, &error), &error);
    *at = value;
    assert_int_equal(lmb_state_check(crowd->graph, crowd->states, 1, &error), LMB_ERROR_FORMAT);
    *at = kept;
}

// States from elsewhere have no mirrored rows that do not exist, and none at all if rows do not count mirrored.
static void choices_of_states_are_checked(void **state) {
    (void)state;
    for (uint32_t mirrored = 0; mirrored < 2; mirrored++) {
        matching_scene scene;
        matching_start(&scene, mirrored == 1);
        crowd crowd;
        crowd_start(&scene, &crowd);
        crowd_run(&crowd, 0, NULL, 0);
        const uint32_t rows = lmb_motion_database_get_info(scene.database)->row_count;
        uint32_t found = 0;
        while (found < rows && lmb_motion_database_row(scene.database, found).can_be_found) {
            found++;
        }
        assert_in_range(found, 1, rows - 1);
        expect_word_refused(&crowd, FIELD(MATCHED, mirrored), mirrored == 1 ? 2 : 1);
        expect_word_refused(&crowd, FIELD(MATCHED, found), 1 + found);
        expect_word_refused(&crowd, FIELD(MATCHED, found), 1 + MATCH_MIRRORED + (mirrored == 1 ? found : 0));
        expect_word_refused(&crowd, FIELD(MATCHED, found), 1 + 2 * MATCH_MIRRORED);
        expect_word_refused(&crowd, FIELD(MATCHED, found), UINT32_MAX);
        expect_word_refused(&crowd, WORDS_OF(MATCHED), 1 + rows);
        expect_word_refused(&crowd, WORDS_OF(MATCHED), 1 + MATCH_MIRRORED);
        lmb_error error = {0};
        const uint32_t last[2] = {found, MATCH_MIRRORED + found};
        for (uint32_t i = 0; i <= mirrored; i++) { // 1 plus the last choice
            matched_of(&crowd, 0)[FIELD(MATCHED, found)] = last[i];
            assert_ok(lmb_state_check(crowd.graph, crowd.states, 1, &error), &error);
        }
        crowd_end(&crowd);
        matching_end(&scene);
    }
}

// ---- Refusals.

static void expect_refused(const matching_scene *scene, const char *why) {
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    assert_int_equal(lmb_graph_create(&scene->def, NULL, &graph, &error), LMB_ERROR_ARGUMENT);
    if (strstr(error.message, why) == NULL) {
        fail_msg("'%s' instead of '%s'", error.message, why);
    }
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    matching_scene kept, scene;
    matching_start(&kept, false);
    lmb_value out_of_it = lmb_parameter(99);
    uint32_t other[64] = {0};
    for (int i = 0; i < 17; i++) {
        static const char *const whys[] = {"not from lmb_default_matching_def()",
                                           "database: it is NULL",
                                           "bytes are too few",
                                           "these are other bytes",
                                           "half_life",
                                           "interval",
                                           "velocity",
                                           "heading",
                                           "rules",
                                           "there is no character motion",
                                           "has full rotation",
                                           "more takes than the machine has states",
                                           "does not loop, and the take does",
                                           "hold at its end, and the take is no loop",
                                           "in a group",
                                           "begins with a delay",
                                           "shorter than the take"};
        scene = kept;
        lmb_matching_def *matching = &scene.matching;
        lmb_machine_def *machine = &scene.machine;
        const lmb_group_def group = lmb_default_group_def();
        machine->matching = matching;
        scene.nodes[SCENE_STATES].machine = machine;
        machine->states = scene.states;
        machine->transitions = scene.transitions;
        matching->rules = &scene.rule;
        scene.def.nodes = scene.nodes;
        scene.def.motion = &scene.motion;
        scene.def.clips = (const lmb_clip *const *)scene.clips;
        for (uint32_t k = 0; k < SCENE_STATES; k++) {
            scene.nodes[k].player = &scene.players[k];
        }
        matching->cookie = i == 0 ? 0 : matching->cookie;
        matching->database = i == 1 ? NULL : i == 3 ? other : matching->database;
        matching->database_words = i == 2 ? 3 : matching->database_words;
        matching->half_life = i == 4 ? 11.0f : matching->half_life;
        matching->interval = i == 5 ? 0.0f : matching->interval;
        matching->velocity[1] = i == 6 ? out_of_it : matching->velocity[1];
        matching->heading = i == 7 ? out_of_it : matching->heading;
        scene.rule.when = i == 8 ? out_of_it : scene.rule.when;
        scene.def.motion = i == 9 ? NULL : scene.def.motion;
        scene.motion.full_rotation = i == 10;
        scene.nodes[SCENE_STATES].input_count = i == 11 ? 3 : SCENE_STATES;
        machine->state_count = i == 11 ? 3 : SCENE_STATES;
        machine->transition_count = i == 11 ? 0 : machine->transition_count;
        scene.players[3].end = i == 12 ? LMB_END_HOLD : LMB_END_LOOP;
        scene.players[0].end = i == 13 || i == 14 ? LMB_END_LOOP : LMB_END_HOLD;
        scene.players[3].group = i == 14 ? 0 : LMB_NONE;
        scene.players[0].end = i == 14 ? LMB_END_HOLD : scene.players[0].end;
        scene.def.groups = &group;
        scene.def.group_count = i == 14;
        scene.players[1].delay = i == 15 ? 0.1f : 0.0f;
        scene.clips[1] = kept.clips[1];
        if (i == 16) {
            lmb_clip_def def = lmb_default_clip_def();
            def.duration = 1.0f;
            lmb_error error = {0};
            assert_ok(lmb_clip_create(scene.rig, &def, NULL, &scene.clips[1], &error), &error);
        }
        expect_refused(&scene, whys[i]);
        if (i == 16) {
            lmb_clip_destroy(scene.clips[1]);
        }
    }
    matching_end(&kept);
}

// The parameter must be there if rows count mirrored, and must not be otherwise; nothing else may write it.
static void a_mirrored_parameter_that_does_not_fit_is_refused(void **state) {
    (void)state;
    for (int i = 0; i < 8; i++) {
        matching_scene scene;
        matching_start(&scene, i != 1);
        scene.def.parameter_count = ASKED_NUMBERS + 1;
        lmb_smoothed_def smoothed = lmb_smoothed_parameter(lmb_constant(0.5f), 0.1f, MATCHING_MIRRORED_PARAMETER);
        lmb_computed_def computed = lmb_default_computed_def();
        lmb_fade_def fade = lmb_default_fade_def();
        computed.parameter = fade.parameter = MATCHING_MIRRORED_PARAMETER;
        fade.in_event = fade.out_event = 0;
        scene.def.smoothed = &smoothed;
        scene.def.computed = &computed;
        scene.def.fades = &fade;
        scene.matching.mirrored = i == 0   ? LMB_NONE
                                  : i == 1 ? MATCHING_MIRRORED_PARAMETER
                                  : i == 2 ? scene.def.parameter_count
                                  : i == 3 ? LMB_NONE - 1
                                           : scene.matching.mirrored;
        scene.def.smoothed_count = i == 4;
        scene.def.computed_count = i == 5;
        scene.def.fade_count = i == 6;
        if (i < 7) {
            expect_refused(&scene, i < 4 ? "matching: mirrored" : "something else writes this parameter");
        } else {
            crowd crowd; // nothing else is wrong
            crowd_start(&scene, &crowd);
            crowd_end(&crowd);
        }
        matching_end(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_go_to_the_best_row_or_its_mirror),
        cmocka_unit_test(jumps_go_to_the_best_row),
        cmocka_unit_test(searches_take_turns),
        cmocka_unit_test(a_change_is_answered_at_once),
        cmocka_unit_test(other_states_are_left_alone),
        cmocka_unit_test(reports_need_a_machine_that_matches),
        cmocka_unit_test(poses_are_reflected),
        cmocka_unit_test(choices_of_states_are_checked),
        cmocka_unit_test(snapshots_have_mirrored_characters),
        cmocka_unit_test(an_equal_graph_goes_on),
        cmocka_unit_test(other_rows_are_forgotten),
        cmocka_unit_test(a_mirrored_parameter_that_does_not_fit_is_refused),
        cmocka_unit_test(packs_have_the_database),
        cmocka_unit_test(differences_are_named),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
