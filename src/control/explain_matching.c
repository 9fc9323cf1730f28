// Reports of motion matching, for tools: the question of a search by the code that asks it, and the rows beside it.
#include "control.h"

#include "base/float_environment.h"
#include "math/inline_ops.h"

#include "../../shaders/ops/searches.h"

#include <limber/explain.h>

_Static_assert(LMB_MATCHING_RECENT == MOST_RECENT, "the rows that a machine remembers");

// Returns a stored number of a row or of a query.
static int32_t number_at(const uint32_t *numbers, uint32_t feature) {
    return (int16_t)(numbers[feature / 2] >> (feature % 2 * 16) & 0xffff);
}

// Returns a feature of the path in its own unit. One that does not differ in the database has the factor 0.
static float feature_at(control c, address matching, const uint32_t *numbers, uint32_t feature) {
    const address normal = matching + FIELD(MATCHING, normals) + 2 * (feature - MATCH_PATH);
    const float mean = LOAD_FLOAT(c.block, normal), factor = LOAD_FLOAT(c.block, normal + 1);
    return factor != 0.0f ? mean + (float)number_at(numbers, feature) / factor : mean;
}

static lmb_motion_path path_of(control c, address matching, const uint32_t *numbers) {
    lmb_motion_path path;
    for (uint32_t i = 0; i < 6; i++) {
        path.positions[i / 2][i % 2] = feature_at(c, matching, numbers, MATCH_PATH + i);
        path.headings[i / 2][i % 2] = feature_at(c, matching, numbers, MATCH_PATH + 6 + i);
    }
    return path;
}

// Returns the cost of features from `first` on, up to `end`.
static uint32_t cost_of(const uint32_t *a, const uint32_t *b, uint32_t first, uint32_t end) {
    uint32_t sum = 0;
    for (uint32_t i = first; i < end; i++) {
        const int32_t difference = number_at(a, i) - number_at(b, i);
        sum += (uint32_t)(difference * difference);
    }
    return sum;
}

// Copies the numbers of a choice.
static void copy_numbers(control c, address matching, uint32_t choice, uint32_t numbers[MATCH_ROW_WORDS]) {
    const address row = c.block[matching + FIELD(MATCHING, numbers)] + row_of_choice(choice) * MATCH_ROW_WORDS;
    for (uint32_t i = 0; i < MATCH_ROW_WORDS; i++) {
        numbers[i] = load_pair(c.block, matching, row, i, choice >= MATCH_MIRRORED);
    }
}

static lmb_matching_row report_choice(control c, address matching, const match_question *question, uint32_t choice) {
    const uint32_t *block = c.block, *query = question->query, row = row_of_choice(choice);
    uint32_t numbers[MATCH_ROW_WORDS];
    copy_numbers(c, matching, choice, numbers);
    const uint32_t take = block[block[matching + FIELD(MATCHING, take_of)] + row];
    const uint32_t first = block[block[matching + FIELD(MATCHING, takes)] + take * WORDS_OF(TAKE) + FIELD(TAKE, first)];
    const uint32_t moment = block[block[matching + FIELD(MATCHING, moments)] + row];
    return (lmb_matching_row){.row = row,
                              .take = take,
                              .time = (float)(moment - first) / READ_FLOAT(block, matching, MATCHING, rate),
                              .mirrored = choice >= MATCH_MIRRORED,
                              .path = path_of(c, matching, numbers),
                              .costs = {.foot_positions = cost_of(query, numbers, 0, 6),
                                        .foot_velocities = cost_of(query, numbers, 6, 12),
                                        .hip_velocity = cost_of(query, numbers, 12, MATCH_PATH),
                                        .path = cost_of(query, numbers, MATCH_PATH, MATCH_PATH + 6),
                                        .headings = cost_of(query, numbers, MATCH_PATH + 6, MATCH_FEATURES),
                                        .joints = cost_of(query, numbers, MATCH_FEATURES, 2 * MATCH_ROW_WORDS)}};
}

static void report_recent(control c, address matching, lmb_matching_report *report) {
    const uint32_t *recent = c.state + matched_at(c, matching) + WORDS_OF(MATCHED);
    for (uint32_t i = 0; i < MOST_RECENT && recent[i * WORDS_OF(RECENT)] != 0; i++, report->recent_count++) {
        report->recent_rows[i] = recent[i * WORDS_OF(RECENT)] - 1;
        report->recent_seconds[i] = (float)((double)recent[i * WORDS_OF(RECENT) + 1] / (double)LMB_TICKS_PER_SECOND);
    }
}

static lmb_matching_report report_matching(control c, address matching) {
    const match_question question = find_question(c, matching);
    const uint32_t row = row_of_moment(c, matching, current_moment(c, matching, current_take(c, matching)));
    const uint32_t played = row + (plays_mirrored(c, matching) ? MATCH_MIRRORED : 0);
    const uint32_t found = found_choice(c, matching);
    lmb_matching_report report = {.asked = path_of(c, matching, question.query),
                                  .played = report_choice(c, matching, &question, played),
                                  .found = {.row = LMB_NONE},
                                  .seconds =
                                      (float)((double)state_ticks(c, matched_at(c, matching) + FIELD(MATCHED, waited)) /
                                              (double)LMB_TICKS_PER_SECOND)};
    if (found != 0 && found - 1 != played) {
        report.found = report_choice(c, matching, &question, found - 1);
    }
    report_recent(c, matching, &report);
    return report;
}

// Returns the matching of a machine, or CONTROL_NONE.
static address find_matching(const lmb_control *control, uint32_t machine) {
    return control != NULL && machine < control->machine_count
               ? matching_of(control->block,
                             control->block[FIELD(CONTROL, machines)] + (address)machine * WORDS_OF(MACHINE))
               : CONTROL_NONE;
}

bool lmb_state_explain_matching(const lmb_graph *graph, const uint32_t *state, const float *parameters,
                                uint32_t machine, lmb_matching_report *report) {
    const lmb_control *control = graph != NULL ? graph->control : NULL;
    const address matching = find_matching(control, machine);
    if (matching == CONTROL_NONE || state == NULL || report == NULL ||
        (parameters == NULL && control->parameter_count > 0)) {
        return false;
    }
    // Nothing here writes to them.
    const struct control c = {.block = control->block,
                              .state = (uint32_t *)(uintptr_t)state,
                              .parameters = (uint32_t *)(uintptr_t)parameters};
    if (!plays_take(c, matching)) {
        return false;
    }
    lmb_environment callers;
    lmb_environment_enter(&callers);
    *report = report_matching(c, matching);
    lmb_environment_leave(&callers);
    return true;
}
