// Runs a control on the CPU: lmb_control_run(). The frames of up to MOST_TOGETHER characters are computed together by
// scalar code. Stages that are the same for all characters run for one in each lane of a vector (lanes.h),
// unless the path is the reference.
#include "run.h"

#include "base/cpu_path.h"
#include "base/float_environment.h"
#include "control.h"
#include "lanes.h"
#include "match/database.h"

#include <limber/batch.h>

// Inlining all operations into one long function is faster.
#include "math/inline_ops.h"

#include "../../shaders/ops/control.h"

_Static_assert(LMB_MAX_PIECES_A_FRAME == MOST_PIECES, "the pieces of a frame");
_Static_assert(MOST_TOGETHER == LMB_CONTROL_TOGETHER, "characters that run together");
// The maximum words of a character's state. The words of smoothed parameters and of fades with a blend profile are
// counted as parameters, because each of them has a parameter that is written from it. A player's root motion has up to
// eight weights, one for each reflection.
#define MOST_STATE_WORDS 10240u
_Static_assert(WORDS_OF(CHARACTER) + LMB_MAX_PARAMETERS +
                       LMB_MAX_PLAYERS * (WORDS_OF(PLAYING) + 2 + WORDS_OF(MOTION_SPAN) + 7) +
                       LMB_MAX_MACHINES *
                           (WORDS_OF(MACHINE_NOW) + LMB_MAX_STATES * WORDS_OF(STATE_WEIGHT) + WORDS_OF(PROFILED)) +
                       WORDS_OF(MOVING_FULLY) + WORDS_OF(MOVED_FULLY) + WORDS_OF(REMAINING) + WORDS_OF(INERTIAL) <=
                   MOST_STATE_WORDS,
               "the words of a state");

// The stages of each path; NULL if this build lacks the path.
#define STAGES(lanes) [LMB_CPU_SIMD_##lanes] = lmb_control_stages_##lanes,
static lmb_control_stage *const *const stages_of_paths[LMB_CPU_PATH_COUNT] = {[LMB_CPU_REFERENCE] = NULL,
                                                                              LMB_SIMD_PATHS(STAGES)};

// Returns what a frame lacks, or NULL.
static const char *find_missing(const lmb_graph *graph, const lmb_control_frame *frame) {
    return frame == NULL ? "the frame is NULL"
           : graph != NULL && frame->parameters == NULL && graph->info.parameter_count > 0
               ? "the row of parameters is NULL"
               : lmb_control_missing(graph, frame->state);
}

static lmb_result check_frame(const lmb_graph *graph, const lmb_control_frame *frame, uint32_t first, uint32_t count,
                              lmb_error *error) {
    const char *missing = find_missing(graph, frame);
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "control: %s", missing);
    }
    if (frame->step > LMB_MAX_STEP_TICKS) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "control: a step of %llu ticks is longer than 60 s",
                        (unsigned long long)frame->step);
    }
    if (first > frame->character_count || count > frame->character_count - first) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "control: characters %u and %u more are not in a batch of %u",
                        (unsigned)first, (unsigned)count, (unsigned)frame->character_count);
    }
    return lmb_control_check_events(graph->control, frame->events, frame->event_count, frame->character_count, error);
}

// The frame of a batch. Its arrays begin at a row that may be another one than the first.
typedef struct frame_rows {
    const lmb_control_frame *frame;
    uint32_t first;
} frame_rows;

// The stages that run in vectors.
struct lane_stages {
    lmb_control_lanes lanes;
    lmb_control_stage *run[STAGE_COUNT]; // or NULL
};

// Emits what a player has passed in the lanes of a vector.
static void emit_in_lanes(const lmb_control_lanes *lanes, const lmb_control_passages *passages) {
    const characters *all = lanes->characters;
    const player own = load_player(lanes->block, passages->player);
    const bool is_grouped = lanes->block[passages->player + FIELD(PLAYER, is_grouped)] != 0;
    for (uint32_t i = 0; i < LMB_CONTROL_TOGETHER && passages->emits >> i != 0; i++) {
        if ((passages->emits >> i & 1u) == 0) {
            continue;
        }
        const player_move m = {.p = {.from = make_ticks(passages->from[0][i], passages->from[1][i]),
                                     .to = make_ticks(passages->to[0][i], passages->to[1][i]),
                                     .ends = passages->counts[i],
                                     .backwards = (passages->backwards >> i & 1u) != 0},
                               .stops = (passages->stops >> i & 1u) != 0,
                               .had_turned = (passages->had_turned >> i & 1u) != 0,
                               .rate = passages->rates[i],
                               .waits = make_ticks(passages->waits[0][i], passages->waits[1][i])};
        const control c = all->each[passages->first + i];
        if (is_grouped) {
            emit_member(c, own.record, m.p);
        } else {
            emit_move(c, own, m);
        }
    }
}

// Whether the vectors have the code for a control's character motion.
static bool has_plain_motion(const uint32_t *block) {
    const uint32_t *record = block + block[FIELD(CONTROL, character_motion)];
    bool plain = record[FIELD(CHARACTER_MOTION, place_words)] == WORDS_OF(MOVING);
    for (uint32_t i = 0; i < record[FIELD(CHARACTER_MOTION, track_count)]; i++) {
        plain = plain &&
                block[record[FIELD(CHARACTER_MOTION, tracks)] + i * WORDS_OF(MOTION) + FIELD(MOTION, warp_count)] == 0;
    }
    return plain;
}

static struct lane_stages begin_stages(const lmb_control *control, lmb_cpu_path path, frame_rows rows, uint32_t first,
                                       uint32_t count) {
    const size_t before = (size_t)(first - rows.first) * control->parameter_count;
    const uint32_t *block = control->block, *program = control->graph != NULL ? control->graph->program : NULL;
    struct lane_stages stages = {
        .lanes = {.block = block,
                  .program = program,
                  .parameters = control->parameter_count > 0 ? (uint32_t *)rows.frame->parameters + before : NULL,
                  .parameter_count = control->parameter_count,
                  .count = count,
                  .emit = emit_in_lanes}};
    if (stages_of_paths[path] != NULL) {
        memcpy(stages.run, stages_of_paths[path], sizeof stages.run);
    }
    if (program != NULL && program[FIELD(PROGRAM, control_weights)] > LMB_CONTROL_LANE_WEIGHTS) {
        stages.run[STAGE_WEIGHTS] = NULL;
    }
    if (block[FIELD(CONTROL, character_motion)] == CONTROL_NONE || !has_plain_motion(block)) {
        stages.run[STAGE_DRIVE] = stages.run[STAGE_ROOT_MOTION] = NULL;
    }
    return stages;
}

static void take_character(lmb_control_lanes *lanes, uint32_t i, const control *c) {
    lanes->states[i] = c->state;
    lanes->moves |= (uint32_t)c->moves << i;
    lanes->updates |= (uint32_t)c->updates << i;
    lanes->begins |= (uint32_t)c->begins << i;
    lanes->emits |= (uint32_t)c->emits_events << i;
    lanes->steps[0][i] = ticks_low(c->step);
    lanes->steps[1][i] = ticks_high(c->step);
}

static void begin_piece_of_lanes(CHANGED_CHARACTERS all) {
    lmb_control_lanes *lanes = &all->stages->lanes;
    const bool may_jump = matches(all->block);
    lanes->moves = lanes->first_pieces = lanes->decides = 0;
    for (uint32_t i = 0; i < all->count && all->stages->run[STAGE_STOPS] != NULL; i++) {
        const control *c = &all->each[i];
        lanes->moves |= (uint32_t)c->moves << i;
        lanes->first_pieces |= (uint32_t)is_first_piece(*c) << i;
        lanes->decides |= (uint32_t)(c->begins || c->sent_count > 0 || (may_jump && jumps(*c))) << i;
        lanes->lefts[0][i] = ticks_low(c->left);
        lanes->lefts[1][i] = ticks_high(c->left);
    }
}

static void cut_piece_of_lanes(CHANGED_CHARACTERS all) {
    lmb_control_lanes *lanes = &all->stages->lanes;
    for (uint32_t i = 0; i < all->count && all->stages->run[STAGE_PLAYERS] != NULL; i++) {
        lanes->durations[0][i] = ticks_low(all->each[i].duration);
        lanes->durations[1][i] = ticks_high(all->each[i].duration);
    }
}

// One character alone runs the scalar code.
static bool run_in_lanes(CHARACTERS all, uint stage, address record) {
    lmb_control_lanes *lanes = &all->stages->lanes;
    lmb_control_stage *run = all->stages->run[stage];
    const bool runs = run != NULL && all->count > 1;
    if (runs) {
        run(lanes, (uint32_t)record);
    }
    return runs;
}

static bool runs_alone(CHARACTERS all, address i) {
    return (all->stages->lanes.alone >> i & 1u) != 0;
}

// ---- Motion matching.

static lmb_motion_rows rows_of(const uint32_t *block, address matching) {
    const uint32_t *record = block + matching;
    return (lmb_motion_rows){
        .are_mirrored = record[FIELD(MATCHING, mirrored)] != CONTROL_NONE,
        .mirrors = block + record[FIELD(MATCHING, mirrors)],
        .row_count = record[FIELD(MATCHING, row_count)],
        .found_count = record[FIELD(MATCHING, found_count)],
        .takes = (const motion_take *)(block + record[FIELD(MATCHING, takes)]),
        .moment_of = block + record[FIELD(MATCHING, moments)],
        .take_of = block + record[FIELD(MATCHING, take_of)],
        .tags = block + record[FIELD(MATCHING, tags)],
        .numbers = (const int16_t(*)[LMB_MOTION_ROW_SIZE])(const void *)(block + record[FIELD(MATCHING, numbers)]),
        .small = (const motion_box *)(block + record[FIELD(MATCHING, small_boxes)]),
        .large = (const motion_box *)(block + record[FIELD(MATCHING, large_boxes)])};
}

// Searches for a character. shaders/match.comp does the same.
static LMB_NOINLINE void search(control c, address matching) {
    const lmb_motion_rows rows = rows_of(c.block, matching);
    const match_question asked = find_question(c, matching);
    lmb_motion_question question = {.required = asked.required,
                                    .forbidden = asked.forbidden,
                                    .current = asked.current,
                                    .bonus = c.block[matching + FIELD(MATCHING, bonus)],
                                    .left_out_count = asked.without.count};
    memcpy(question.query, asked.query, sizeof question.query);
    for (uint32_t i = 0; i < asked.without.count; i++) {
        question.left_out[i] = (lmb_motion_range){asked.without.first[i], asked.without.last[i]};
    }
    const uint64_t best = lmb_motion_find(&rows, &question);
    const bool stays = best == UINT64_MAX || (uint32_t)best == asked.current;
    set_state_word(c, matched_at(c, matching) + FIELD(MATCHED, found), stays ? 0 : (uint32_t)best + 1);
}

static void search_all(CHARACTERS all) {
    for (address i = 0; i < all->count; i++) {
        const control c = all->each[i];
        for (address at = c.block[FIELD(CONTROL, matchings)]; at < matchings_end(c.block); at += WORDS_OF(MATCHING)) {
            if (c.updates && state_word(c, matched_at(c, at) + FIELD(MATCHED, found)) == MATCH_ASKED) {
                search(c, at);
            }
        }
    }
}

// Runs up to MOST_TOGETHER characters together. `copies` has room for the states of `count` characters, or is NULL
// without interpolated updates.
static LMB_NOINLINE void run_some(const lmb_control *block, lmb_cpu_path path, frame_rows rows, uint32_t first,
                                  uint32_t count, uint32_t *copies) {
    const lmb_control_frame *frame = rows.frame;
    const uint32_t *sent = (const uint32_t *)frame->events;
    stored_weight weights[LMB_MAX_CONTROL_WEIGHTS];
    uint32_t refused[LMB_REFUSAL_COUNT] = {0}; // not used: later stages count refusals
    control c = {.block = block->block,
                 .program = block->graph != NULL ? block->graph->program : NULL,
                 .weights = weights,
                 .refused = refused,
                 .emits_events = frame->emitted != NULL,
                 .shows = frame->motions != NULL,
                 .places = frame->matrices != NULL,
                 .sent = sent,
                 .number = frame->number,
                 .own_step = make_ticks((uint32_t)frame->step, (uint32_t)(frame->step >> 32))};
    c.step = c.own_step;
    const size_t reached_count = block->graph != NULL ? block->graph->info.reached_count : 0;
    characters all;
    struct lane_stages stages = begin_stages(block, path, rows, first, count);
    stages.lanes.characters = &all;
    all.block = block->block;
    all.count = count;
    all.stages = &stages;
    uint32_t event = find_sent(sent, frame->event_count, first);
    for (uint32_t i = 0; i < count; i++) {
        // Rows are found here because size_t indices cannot overflow.
        size_t character = (size_t)first + i, row = character - rows.first;
        c.state = frame->state + row * block->state_words;
        c.parameters = block->parameter_count > 0 ? (uint32_t *)frame->parameters + row * block->parameter_count : NULL;
        c.emitted = frame->emitted != NULL ? frame->emitted + row * lmb_control_emitted_words(block) : NULL;
        c.motions = frame->motions != NULL ? (uint32_t *)frame->motions + row * lmb_control_motion_floats(block) : NULL;
        c.matrices = frame->matrices != NULL ? (uint32_t *)frame->matrices + row * LMB_MATRIX_COMPONENTS : NULL;
        c.character = (uint32_t)character;
        c.sent_first = event;
        while (event < frame->event_count && frame->events[event].character == character) {
            event++;
        }
        c.sent_count = event - c.sent_first;
        if (reached_count > 0) {
            static const uint32_t none[LMB_MAX_REACHED];
            write_reached(c, frame->reached != NULL ? frame->reached + row * reached_count : none, 0);
        }
        all.each[i] = begin_frame(c);
        if (copies != NULL) {
            all.each[i] = begin_between(all.each[i], copies, (size_t)i * block->state_words, true);
        }
        take_character(&stages.lanes, i, &all.each[i]);
    }
    for (uint32_t i = count; i < MOST_TOGETHER; i++) {
        stages.lanes.states[i] = all.each[count - 1].state;
    }
    run_control(&all, (frame_part){0});
    if (matches(block->block)) {
        search_all(&all);
    }
}

// Runs characters in groups of at most `most`.
static void run_characters(const lmb_control *block, lmb_cpu_path path, frame_rows rows, uint32_t first, uint32_t count,
                           uint32_t most, uint32_t *copies) {
    while (count > 0) {
        const uint32_t together = count < most ? count : most;
        run_some(block, path, rows, first, together, copies);
        first += together;
        count -= together;
    }
}

static LMB_NOINLINE void run_interpolated(const lmb_control *block, lmb_cpu_path path, frame_rows rows, uint32_t first,
                                          uint32_t count) {
    uint32_t copies[MOST_STATE_WORDS];
    const uint32_t fit = MOST_STATE_WORDS / block->state_words;
    run_characters(block, path, rows, first, count, fit < MOST_TOGETHER ? fit : MOST_TOGETHER, copies);
}

lmb_result lmb_control_run(const lmb_graph *graph, const lmb_control_frame *frame, uint32_t first, uint32_t count,
                           lmb_error *error) {
    return lmb_control_run_path(graph, LMB_CPU_FAST, frame, first, count, error);
}

static lmb_result run_rows(const lmb_graph *graph, lmb_cpu_path path, frame_rows rows, uint32_t first, uint32_t count,
                           lmb_error *error) {
    lmb_result result = check_frame(graph, rows.frame, first, count, error);
    if (result != LMB_OK) {
        return result;
    }
    const lmb_control *control = graph->control;
    path = lmb_cpu_resolve(path);
    lmb_environment callers;
    lmb_environment_enter(&callers);
    if ((control->block[FIELD(CONTROL, flags)] & CONTROL_INTERPOLATES) != 0) {
        run_interpolated(control, path, rows, first, count);
    } else {
        run_characters(control, path, rows, first, count, MOST_TOGETHER, NULL);
    }
    lmb_environment_leave(&callers);
    return LMB_OK;
}

lmb_result lmb_control_run_path(const lmb_graph *graph, lmb_cpu_path path, const lmb_control_frame *frame,
                                uint32_t first, uint32_t count, lmb_error *error) {
    return run_rows(graph, path, (frame_rows){frame, 0}, first, count, error);
}

lmb_result lmb_control_run_apart(const lmb_graph *graph, lmb_cpu_path path, const lmb_control_frame *frame,
                                 uint32_t row, lmb_error *error) {
    return run_rows(graph, path, (frame_rows){frame, row}, row, 1, error);
}
