#include "matching.h"

#include "matching_takes.h"
#include "random.h"
#include "walk_takes.h"

#include <limber/explain.h>

#include <stdlib.h>

enum { FRAMES_A_SECOND = 10, COURSE_FRAMES = 7, RUN_TAG = 1, LOOP = 3 };
enum { ASKED_X, ASKED_Z, ASKED_RUNS, MIRRORED, NUMBERS };
enum { MOST_NODES = LMB_MAX_STATES + 3 }; // with the machine, its mirror and the blend of both

// The descriptors of a graph whose states are takes.
typedef struct definition {
    lmb_motion_take takes[LMB_MAX_STATES];
    lmb_motion_tag_range ranges[LMB_MAX_STATES];
    lmb_player_def players[LMB_MAX_STATES];
    lmb_state_def states[LMB_MAX_STATES];
    lmb_node_def nodes[MOST_NODES];
    const lmb_clip *clips[LMB_MAX_STATES];
    uint32_t poses[LMB_MAX_STATES];
    lmb_tag_rule_def rule;
    lmb_mirror_def mirror;
    uint32_t partners[WALK_JOINTS];
    lmb_matching_def matching;
    lmb_machine_def machine;
    lmb_motion_def motion;
} definition;

// Each character asks for another course every 0.7 seconds, in turns.
static void fill(const lmb_graph *graph, uint32_t characters, uint32_t frame, float *parameters) {
    const size_t width = lmb_graph_get_info(graph)->parameter_count;
    for (uint32_t i = 0; i < characters; i++) {
        uint32_t state = i * 0x9e3779b1u ^ (frame + i) / COURSE_FRAMES * 0x85ebca77u;
        random_next(&state);
        const float speed = 2.0f + 2.0f * walk_draw(&state), angle = 3.1f * walk_draw(&state);
        parameters[i * width + ASKED_X] = speed * sinf(angle);
        parameters[i * width + ASKED_Z] = speed * cosf(angle);
        parameters[i * width + ASKED_RUNS] = (float)(random_next(&state) / 4096 % 3) - 1.0f;
    }
}

static const workload_moves moves = {LMB_TICKS_PER_SECOND / FRAMES_A_SECOND, fill};

static lmb_result make_takes(matching *made, lmb_error *error) {
    uint32_t state = 1, same = 1;
    lmb_result result = walk_make_rig(&made->actor.rig, error);
    for (uint32_t i = 0; i < made->take_count && result == LMB_OK; i++) {
        const bool is_twin = made->varied && i + 1 == made->take_count;
        result = walk_make_take(made->actor.rig, &made->made[i], is_twin ? &same : &state, error);
    }
    return result;
}

static lmb_result make_database(matching *made, definition *d, lmb_error *error) {
    lmb_motion_database_def def = walk_database_def(made->actor.rig, made->made, made->take_count, d->takes);
    for (uint32_t i = 0; i < made->take_count && made->varied; i++) {
        d->ranges[i] = (lmb_motion_tag_range){5.0f, 20.0f, RUN_TAG};
        d->takes[i].ranges = &d->ranges[i];
        d->takes[i].range_count = 1;
        d->takes[i].loop = i == LOOP;
    }
    def.mirrored = made->varied;
    return lmb_motion_database_create(&def, NULL, &made->database, error);
}

static void make_machine(const matching *made, definition *d) {
    for (uint32_t i = 0; i < made->take_count; i++) {
        d->poses[i] = i;
        d->clips[i] = made->made[i].clip;
    }
    matching_fill_states(d->takes, made->take_count, made->take_count, d->players, d->states, d->nodes);
    d->rule = (lmb_tag_rule_def){RUN_TAG, lmb_parameter(ASKED_RUNS)};
    d->matching = matching_by_velocity(made->database);
    d->matching.interval = 0.09f; // shorter than a frame, so that it is always due
    d->matching.rules = &d->rule;
    d->matching.rule_count = made->varied ? 1 : 0;
    d->matching.mirrored = made->varied ? MIRRORED : LMB_NONE;
    d->machine = lmb_default_machine_def();
    d->machine.states = d->states;
    d->machine.state_count = made->take_count;
    d->machine.matching = &d->matching;
    d->nodes[made->take_count] = lmb_machine_node(d->poses, &d->machine);
    d->motion = lmb_default_motion_def();
}

// Adds the mirror of the machine, and the blend of both.
static lmb_result add_mirror(definition *d, lmb_graph_def *def, lmb_error *error) {
    d->mirror = lmb_default_mirror_def();
    d->mirror.partners = d->partners;
    matching_add_mirror(def, d->nodes, &d->mirror, MIRRORED);
    return lmb_rig_find_mirror(def->rig, NULL, d->partners, error);
}

static lmb_result make_graph(matching *made, definition *d, lmb_error *error) {
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = made->actor.rig;
    def.clips = d->clips;
    def.clip_count = made->take_count;
    def.nodes = d->nodes;
    def.node_count = made->take_count + 1;
    def.parameter_count = NUMBERS;
    def.motion = &d->motion;
    const lmb_result result = made->varied ? add_mirror(d, &def, error) : LMB_OK;
    return result == LMB_OK ? lmb_graph_create(&def, NULL, &made->workload.graph, error) : result;
}

lmb_result matching_create(uint32_t take_count, bool varied, matching *made, lmb_error *error) {
    *made = (matching){.take_count = take_count, .varied = varied};
    definition *d = calloc(1, sizeof *d);
    made->made = calloc(take_count, sizeof *made->made);
    lmb_result result = d != NULL && made->made != NULL ? make_takes(made, error) : actor_no_memory(error);
    if (result == LMB_OK) {
        result = make_database(made, d, error);
    }
    if (result == LMB_OK) {
        make_machine(made, d);
        result = make_graph(made, d, error);
    }
    if (result == LMB_OK) {
        made->workload.kind = WORKLOAD_KIND_COUNT;
        made->workload.actor = &made->actor;
        made->workload.moves = &moves;
    }
    free(d);
    return result;
}

void matching_destroy(matching *made) {
    workload_destroy(&made->workload);
    lmb_motion_database_destroy(made->database);
    for (uint32_t i = 0; i < made->take_count && made->made != NULL; i++) {
        lmb_clip_destroy(made->made[i].clip);
    }
    free(made->made);
    lmb_rig_destroy(made->actor.rig);
    *made = (matching){0};
}

// ---- What searches find.

// Returns the question of a character's search. A row at the end of a take is left out like one that was recently left.
static lmb_motion_search_def question_of(const matching *made, const lmb_matching_report *report, float runs) {
    const lmb_matching_def defaults = lmb_default_matching_def();
    lmb_motion_search_def search = lmb_default_motion_search_def();
    const bool continues = lmb_motion_database_row(made->database, report->played.row).can_be_found;
    lmb_motion_database_query(made->database, report->played.row, report->played.mirrored, &report->asked,
                              search.query);
    for (uint32_t i = 0; i < report->recent_count; i++) {
        if (report->recent_seconds[i] <= defaults.recent) {
            search.recent_rows[search.recent_count++] = report->recent_rows[i];
        }
    }
    search.current_row = continues ? report->played.row : LMB_NONE;
    search.current_is_mirrored = report->played.mirrored;
    if (!continues) {
        search.recent_rows[search.recent_count++] = report->played.row;
    }
    search.required_tags = made->varied && runs > 0.5f ? RUN_TAG : 0;
    search.forbidden_tags = made->varied && runs < -0.5f ? RUN_TAG : 0;
    return search;
}

// Returns whether two searches find the same.
static bool are_same(const lmb_motion_match *a, const lmb_motion_match *b) {
    return a->row == b->row && a->mirrored == b->mirrored;
}

static void count_search(const matching *made, const lmb_motion_search_def *search, const lmb_matching_row *found,
                         matching_counts *counts) {
    const lmb_motion_match match = lmb_motion_database_search(made->database, search);
    const bool stays = match.row == search->current_row && match.mirrored == search->current_is_mirrored;
    const lmb_motion_match expected = stays ? (lmb_motion_match){.row = LMB_NONE} : match,
                           reported = {.row = found->row, .mirrored = found->mirrored};
    lmb_motion_search_def other = *search;
    counts->searches++;
    counts->jumps += found->row != LMB_NONE;
    counts->mirrored += found->row != LMB_NONE && found->mirrored;
    counts->others += !are_same(&expected, &reported);
    other.required_tags = other.forbidden_tags = 0;
    lmb_motion_match next = lmb_motion_database_search(made->database, &other);
    counts->tagged += !are_same(&next, &match);
    other = *search;
    other.window = 0.0f;
    other.recent_count = 0;
    next = lmb_motion_database_search(made->database, &other);
    counts->left_out += !are_same(&next, &match);
    if (found->row != LMB_NONE) {
        other = *search;
        other.recent_rows[other.recent_count++] = found->row;
        counts->ties += lmb_motion_database_search(made->database, &other).cost == match.cost;
    }
}

void matching_count(const matching *made, uint32_t characters, const uint32_t *state, const float *parameters,
                    matching_counts *counts) {
    const size_t words = lmb_graph_get_info(made->workload.graph)->state_words,
                 width = lmb_graph_get_info(made->workload.graph)->parameter_count;
    for (uint32_t i = 0; i < characters; i++) {
        lmb_matching_report report;
        if (lmb_state_explain_matching(made->workload.graph, state + i * words, parameters + i * width, 0, &report)) {
            const lmb_motion_search_def search = question_of(made, &report, parameters[i * width + ASKED_RUNS]);
            count_search(made, &search, &report.found, counts);
        }
    }
}
