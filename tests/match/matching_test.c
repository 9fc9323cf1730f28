// Motion matching in a machine, beside an oracle in float64 that knows the header alone: from what the public functions
// say of a character after a frame, it makes the query, looks at all rows, and expects the next frame to begin there.
#include "matching_scene.h"

#include "control/control.h"

#include "../../shaders/ops/control_layout.h"

#include <limber/explain.h>
#include <limber/pack.h>
#include <limber/snapshot.h>
#include <string.h>

#define STEP (LMB_TICKS_PER_SECOND / 60)
enum { FRAMES = 600 };

// ---- The oracle.

typedef struct chosen_row {
    uint32_t row;
    double age;
} chosen_row;

typedef struct oracle {
    const matching_scene *scene;
    const lmb_control *control;
    uint32_t take;
    double time; // in it
    chosen_row recent[4];
    double velocity[2], acceleration[2]; // in the world, behind what it asks for
    uint32_t worse;                      // frames in a row after which another row would have been better by far
} oracle;

static double seconds_of(uint64_t ticks) {
    return (double)ticks / (double)LMB_TICKS_PER_SECOND;
}

static bool take_ends(const oracle *o, uint32_t row) {
    const double last = (double)lmb_clip_duration(o->scene->takes[o->take].clip);
    return !lmb_motion_database_row(o->scene->database, row).can_be_found ||
           (!o->scene->takes[o->take].loop && o->time >= last);
}

// Makes the numbers of a query: the pose of the row that plays, and the path by its formula.
static void make_query(const oracle *o, const uint32_t *state, const float *parameters, uint32_t row,
                       int16_t query[LMB_MOTION_ROW_SIZE]) {
    float features[LMB_MOTION_FEATURES] = {0};
    const double yaw = lmb_control_motion(o->control, state).yaw, sine = sin(yaw), cosine = cos(yaw);
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
    lmb_motion_database_normalize(o->scene->database, features, query);
    memcpy(query, lmb_motion_database_features(o->scene->database, row), 15 * sizeof *query);
}

// The cost of a row, and by how much rounding of the path can change it.
static double cost_of(const oracle *o, const int16_t *query, uint32_t row, double *slack) {
    const int16_t *numbers = lmb_motion_database_features(o->scene->database, row);
    double cost = 0.0;
    *slack = 0.0;
    for (uint32_t i = 0; i < LMB_MOTION_FEATURES; i++) {
        const double difference = (double)query[i] - (double)numbers[i];
        cost += difference * difference;
        *slack += i >= 15 ? 2.0 * fabs(difference) + 1.0 : 0.0;
    }
    return cost;
}

static bool is_near(const oracle *o, uint32_t row, uint32_t other) {
    const lmb_motion_row a = lmb_motion_database_row(o->scene->database, row),
                         b = lmb_motion_database_row(o->scene->database, other);
    const double duration = (double)lmb_clip_duration(o->scene->takes[a.take].clip);
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

static verdict judge(const oracle *o, const uint32_t *state, const float *parameters, uint32_t found) {
    const lmb_motion_database *database = o->scene->database;
    const uint32_t current = lmb_motion_database_find_row(database, o->take, (float)o->time + 1e-4f);
    const double scale = (double)lmb_motion_database_scale(database), bonus = floor(scale * scale);
    int16_t query[LMB_MOTION_ROW_SIZE];
    make_query(o, state, parameters, current, query);
    verdict v = {.best = INFINITY, .found = INFINITY, .current = INFINITY};
    double slack;
    if (!take_ends(o, current) && tags_fit(o, current, parameters[ASKED_RUNS])) {
        v.current = fmax(cost_of(o, query, current, &slack) - bonus, 0.0);
    }
    for (uint32_t row = 0; row < lmb_motion_database_row_count(database); row++) {
        if (lmb_motion_database_row(database, row).can_be_found && tags_fit(o, row, parameters[ASKED_RUNS]) &&
            !is_left_out(o, row, current)) {
            const double cost = cost_of(o, query, row, &slack);
            if (row == found) {
                v.found = cost;
                v.found_slack = slack;
            }
            if (cost < v.best) {
                v.best = cost;
                v.best_slack = slack;
            }
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

// Follows a character through a frame. Returns the row to which it has jumped, or LMB_NONE.
static uint32_t follow(oracle *o, const uint32_t *state) {
    const uint32_t take = lmb_control_current_state(o->control, state, 0);
    const double time = seconds_of(lmb_control_player_ticks(o->control, state, take));
    const double duration = (double)lmb_clip_duration(o->scene->takes[take].clip);
    double expected = o->time + 1.0 / 60.0;
    expected = o->scene->takes[o->take].loop ? fmod(expected, duration) : fmin(expected, duration);
    uint32_t row = LMB_NONE;
    if (take != o->take || fabs(time - expected) > 1e-3) {
        row = lmb_motion_database_find_row(o->scene->database, take, (float)(time - 1.0 / 60.0 + 1e-4));
        const double began = (double)lmb_motion_database_row(o->scene->database, row).time;
        if (fabs(began - (time - 1.0 / 60.0)) > 1e-3) {
            fail_msg("take %u goes on from %g s, which is no row", (unsigned)take, time - 1.0 / 60.0);
        }
        memmove(o->recent + 1, o->recent, 3 * sizeof *o->recent);
        o->recent[0] = (chosen_row){row, 0.0};
    }
    for (uint32_t i = 0; i < 4; i++) {
        o->recent[i].age += 1.0 / 60.0;
    }
    o->take = take;
    o->time = time;
    return row;
}

typedef struct crowd {
    lmb_graph *graph;
    const lmb_control *control;
    uint32_t *states;
    float *parameters;
    uint32_t row; // parameters of a character
} crowd;

static void crowd_start(const matching_scene *scene, crowd *crowd) {
    lmb_error error = {0};
    assert_ok(lmb_graph_create(&scene->def, NULL, &crowd->graph, &error), &error);
    crowd->control = lmb_graph_control(crowd->graph);
    crowd->row = lmb_graph_parameter_count(crowd->graph);
    crowd->states = calloc(MATCHING_CHARACTERS, lmb_control_state_words(crowd->control) * sizeof(uint32_t));
    crowd->parameters = calloc(MATCHING_CHARACTERS, crowd->row * sizeof(float));
    assert_true(crowd->states != NULL && crowd->parameters != NULL);
}

static void crowd_end(crowd *crowd) {
    lmb_graph_destroy(crowd->graph);
    free(crowd->states);
    free(crowd->parameters);
}

static uint32_t *state_of(const crowd *crowd, uint32_t character) {
    return crowd->states + (size_t)character * lmb_control_state_words(crowd->control);
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
    assert_ok(lmb_control_run(crowd->control, &frame, 0, MATCHING_CHARACTERS, &error), &error);
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
    const int16_t *numbers = lmb_motion_database_features(o->scene->database, row->row);
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
    const double duration = a.take < SCENE_TAKES ? (double)lmb_clip_duration(o->scene->takes[a.take].clip) : 1.0;
    return row != LMB_NONE && other != LMB_NONE && a.take == b.take &&
           fabs(remainder((double)a.time - (double)b.time, duration)) < 1e-4;
}

// The report of a character before it jumps to a row, or to none.
static void check_report(const oracle *o, const uint32_t *state, const float *parameters, uint32_t row) {
    lmb_matching_report report;
    int16_t query[LMB_MOTION_ROW_SIZE];
    const uint32_t current = lmb_motion_database_find_row(o->scene->database, o->take, (float)o->time + 1e-4f);
    make_query(o, state, parameters, current, query);
    assert_true(lmb_control_explain_matching(o->control, state, parameters, 0, &report));
    check_path(o, query, &report.asked);
    assert_int_equal(report.played.row, current);
    check_costs(o, query, &report.played);
    assert_true(report.found.row == row || is_same_moment(o, report.found.row, row));
    if (row != LMB_NONE) {
        check_costs(o, query, &report.found);
    }
    assert_true(report.seconds >= 0.0f && report.seconds < 0.1f + 1.0f / 60.0f);
    for (uint32_t i = 0; i < LMB_MATCHING_RECENT; i++) {
        assert_int_equal(i < report.recent_count, o->recent[i].row != LMB_NONE);
        assert_true(i >= report.recent_count || (is_same_moment(o, report.recent_rows[i], o->recent[i].row) &&
                                                 fabs((double)report.recent_seconds[i] - o->recent[i].age) < 1e-4));
    }
}

static uint32_t expect_best_rows(const matching_scene *scene) {
    crowd crowd;
    crowd_start(scene, &crowd);
    oracle oracles[MATCHING_CHARACTERS];
    float asked[ASKED_NUMBERS];
    const size_t bytes = lmb_control_state_words(crowd.control) * sizeof(uint32_t);
    uint32_t *before = malloc(MATCHING_CHARACTERS * bytes), jumps = 0;
    assert_non_null(before);
    for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
        oracles[i] = (oracle){.scene = scene, .control = crowd.control};
        memset(oracles[i].recent, 0xff, sizeof oracles[i].recent);
    }
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        memcpy(before, crowd.states, MATCHING_CHARACTERS * bytes);
        for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
            matching_ask(i, frame, parameters_of(&crowd, i));
        }
        crowd_run(&crowd, frame, NULL, 0);
        for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
            oracle was = oracles[i];
            const uint32_t row = follow(&oracles[i], state_of(&crowd, i));
            follow_velocity(&oracles[i], parameters_of(&crowd, i));
            if (frame > 0 && i % 3 == frame % 3) { // looking at all rows takes long
                matching_ask(i, frame - 1, asked);
                const verdict v = judge(&was, (const uint32_t *)((const char *)before + i * bytes), asked, row);
                oracles[i].worse = was.worse;
                check_report(&was, (const uint32_t *)((const char *)before + i * bytes), asked, row);
                jumps += check_jump(&oracles[i], &v, row);
            }
        }
    }
    free(before);
    crowd_end(&crowd);
    return jumps;
}

static void jumps_go_to_the_best_row(void **state) {
    (void)state;
    matching_scene scene;
    matching_start(&scene);
    for (int faces = 0; faces < 2; faces++) {
        scene.matching.faces_heading = faces > 0;
        const uint32_t jumps = expect_best_rows(&scene);
        print_message("%u jumps in %u frames of %u characters\n", (unsigned)jumps, FRAMES / 3, MATCHING_CHARACTERS);
        assert_in_range(jumps, 200, UINT32_MAX);
    }
    matching_end(&scene);
}

// ---- When characters search.

static uint32_t *matched_of(const crowd *crowd, uint32_t character) {
    const uint32_t *block = crowd->control->block;
    return state_of(crowd, character) + block[block[CONTROL_MATCHINGS] + MATCHING_STATE];
}

// With parameters at rest each character searches once in six frames of 1/60 s, and the crowd takes turns.
static void searches_take_turns(void **state) {
    (void)state;
    matching_scene scene;
    matching_start(&scene);
    crowd crowd;
    crowd_start(&scene, &crowd);
    uint32_t searches[MATCHING_CHARACTERS] = {0}, most = 0;
    for (uint32_t frame = 0; frame < 66; frame++) {
        crowd_run(&crowd, frame, NULL, 0);
        uint32_t now = 0;
        for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
            const uint32_t *waited = matched_of(&crowd, i) + MATCHED_WAITED;
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
    matching_start(&scene);
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
            const uint32_t *recent = matched_of(&crowd, i) + MATCHED_RECENT;
            jumped += frame == 51 && recent[0] != 0 && recent[1] == STEP;
        }
    }
    assert_int_equal(jumped, MATCHING_CHARACTERS);
    crowd_end(&crowd);
    matching_end(&scene);
}

// While a state that is no take is current, nothing jumps. After it, the takes go on.
static void other_states_are_left_alone(void **state) {
    (void)state;
    matching_scene scene;
    matching_start(&scene);
    crowd crowd;
    crowd_start(&scene, &crowd);
    lmb_event events[MATCHING_CHARACTERS];
    uint32_t in_other = 0, after = 0;
    for (uint32_t frame = 0; frame < 200; frame++) {
        for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
            matching_ask(i, frame, parameters_of(&crowd, i));
            events[i] = (lmb_event){i, 0};
        }
        crowd_run(&crowd, frame, events, frame == 20 ? MATCHING_CHARACTERS : 0);
        for (uint32_t i = 0; i < MATCHING_CHARACTERS; i++) {
            const bool other = lmb_control_current_state(crowd.control, state_of(&crowd, i), 0) == MATCHING_OTHER;
            const float left = 33.3f - 32.0f; // seconds of that state's clip
            const bool expected = frame >= 20 && (float)(frame - 19) / 60.0f < left - 0.05f;
            assert_true(!expected || other);
            lmb_matching_report report;
            assert_int_equal(
                lmb_control_explain_matching(crowd.control, state_of(&crowd, i), parameters_of(&crowd, i), 0, &report),
                !other);
            in_other += other;
            after += frame > 120 && !other && matched_of(&crowd, i)[MATCHED_RECENT] != 0;
        }
    }
    assert_true(in_other > 0 && after > 0);
    lmb_matching_report report;
    const float *parameters = parameters_of(&crowd, 0);
    assert_true(lmb_control_matches(crowd.control, 0));
    assert_false(lmb_control_matches(crowd.control, 1));
    assert_false(lmb_control_explain_matching(NULL, crowd.states, parameters, 0, &report));
    assert_false(lmb_control_explain_matching(crowd.control, NULL, parameters, 0, &report));
    assert_false(lmb_control_explain_matching(crowd.control, crowd.states, NULL, 0, &report));
    assert_false(lmb_control_explain_matching(crowd.control, crowd.states, parameters, 1, &report));
    assert_false(lmb_control_explain_matching(crowd.control, crowd.states, parameters, 0, NULL));
    crowd_end(&crowd);
    matching_end(&scene);
}

// ---- What a state consists of.

static void differences_are_named(void **state) {
    (void)state;
    static const struct {
        uint32_t word;
        const char *text;
    } rows[] = {{MATCHED_FOUND, "machine \"body\": the row that a search found"},
                {MATCHED_MOVING + 3, "machine \"body\": velocity that follows the desired one"},
                {MATCHED_RECENT + 7, "machine \"body\": rows chosen shortly before"},
                {MATCHED_WAITED, "machine \"body\": its last search"}};
    matching_scene scene;
    matching_start(&scene);
    scene.machine.name = "body";
    crowd crowd;
    crowd_start(&scene, &crowd);
    crowd_run(&crowd, 0, NULL, 0);
    const uint32_t words = lmb_control_state_words(crowd.control);
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
    const uint32_t of_machine = MACHINE_WEIGHTS + SCENE_STATES * MACHINE_STATE_WEIGHT_WORDS;
    assert_int_equal(sizes.machines, of_machine + MATCHED_WORDS);
    free(other);
    crowd_end(&crowd);
    matching_end(&scene);
}

// ---- Packs.

// A graph from a pack has the same database, and so the same states.
static void packs_have_the_database(void **state) {
    (void)state;
    matching_scene scene;
    lmb_error error = {0};
    matching_start(&scene);
    const lmb_pack_graph graph = {.name = "walk", .def = &scene.def};
    lmb_pack_def def = lmb_default_pack_def();
    def.graphs = &graph;
    def.graph_count = 1;
    def.rig = scene.rig;
    def.clips = scene.def.clips;
    def.clip_count = scene.def.clip_count;
    size_t size = 0;
    assert_ok(lmb_pack_write(&def, NULL, NULL, 0, &size, &error), &error);
    void *bytes = malloc(size);
    lmb_pack *pack = NULL;
    assert_non_null(bytes);
    assert_ok(lmb_pack_write(&def, NULL, bytes, size, &size, &error), &error);
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
    const size_t words = lmb_control_state_words(crowds[0].control);
    assert_int_equal(words, lmb_control_state_words(crowds[1].control));
    assert_memory_equal(crowds[0].states, crowds[1].states, MATCHING_CHARACTERS * words * sizeof(uint32_t));
    crowd_end(&crowds[0]);
    crowd_end(&crowds[1]);
    lmb_pack_close(pack);
    free(bytes);
    matching_end(&scene);
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
    matching_start(&kept);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_go_to_the_best_row),     cmocka_unit_test(searches_take_turns),
        cmocka_unit_test(a_change_is_answered_at_once), cmocka_unit_test(other_states_are_left_alone),
        cmocka_unit_test(packs_have_the_database),      cmocka_unit_test(differences_are_named),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
