// Random graphs, frame by frame, on the CPU and in the float64 oracle: current states, weights, times, emitted events,
// root motion and the character's position.
#include "oracle_control.h"
#include "oracle_graph.h"
#include "program_loop.h"

#include <math.h>
#include <stdio.h>

static const double weight_tolerance = 1e-5;

// One graph on both sides.
typedef struct comparison {
    random_graph *graph;
    oracle_graph *oracle;
    oracle_character *characters;
    lmb_graph *compiled;
    uint32_t parameter_count, state_words, emitted_words, motion_floats;
    float *parameters, *motions;
    uint32_t *state, *emitted;
    uint32_t number, frame, character;
    uint32_t differences;
    uint64_t values; // compared
} comparison;

static void report(comparison *c, const char *what, uint32_t index, double expected, double got) {
    if (c->differences++ < 6) {
        print_error("graph %u, frame %u, character %u: %s %u is %.9g, the oracle has %.9g\n", c->number, c->frame,
                    c->character, what, index, got, expected);
    }
}

static void check(comparison *c, const char *what, uint32_t index, double expected, double got, double tolerance) {
    c->values++;
    if (!(fabs(expected - got) <= tolerance)) {
        report(c, what, index, expected, got);
    }
}

// The library's index of a machine of the oracle.
static uint32_t machine_of(const comparison *c, uint32_t index) {
    const oracle_machine *m = &c->oracle->machines[index];
    return m->node == LMB_NONE ? lmb_graph_fade_machine(c->compiled, m->fade)
                               : lmb_graph_node_machine(c->compiled, m->node);
}

static void compare_machines(comparison *c, const oracle_character *oracle, const uint32_t *state) {
    for (uint32_t i = 0; i < c->oracle->machine_count; i++) {
        const oracle_machine *m = &c->oracle->machines[i];
        const uint32_t machine = machine_of(c, i);
        check(c, "current state of machine", machine, oracle->machines[i].current,
              lmb_state_current(c->compiled, state, machine), 0.0);
        for (uint32_t j = 0; j < m->state_count; j++) {
            check(c, "weight of a state of machine", machine, oracle->machines[i].weights[j],
                  lmb_state_weight(c->compiled, state, machine, j), weight_tolerance);
        }
    }
}

static void compare_players(comparison *c, const oracle_character *oracle, const uint32_t *state) {
    for (uint32_t i = 0; i < c->oracle->player_count; i++) {
        const oracle_player *p = &c->oracle->players[i];
        const uint32_t player = lmb_graph_node_player(c->compiled, p->node);
        const int64_t got = (int64_t)lmb_state_player(c->compiled, state, player).ticks;
        const int64_t expected = oracle->players[i].time / ORACLE_UNITS;
        const int64_t error = (int64_t)ceil(oracle_time_error(oracle, i) / ORACLE_UNITS);
        const int64_t duration = p->duration / ORACLE_UNITS, difference = llabs(expected - got);
        if (difference > error && difference < duration - error) {
            report(c, "time of player", player, (double)expected / (double)LMB_TICKS_PER_SECOND,
                   (double)got / (double)LMB_TICKS_PER_SECOND);
        }
        check(c, "weight of player", player, oracle->players[i].weight,
              lmb_state_player(c->compiled, state, player).weight, weight_tolerance);
    }
}

// The library's index of the player or machine that emitted an event of the oracle.
static uint32_t source_of(const comparison *c, const oracle_emitted *emitted) {
    return emitted->kind == LMB_EMITTED_ENTRY || emitted->kind == LMB_EMITTED_EXIT
               ? machine_of(c, emitted->source)
               : lmb_graph_node_player(c->compiled, c->oracle->players[emitted->source].node);
}

static void compare_events(comparison *c, const oracle_character *oracle, const uint32_t *emitted) {
    check(c, "number of emitted events", 0, oracle->emitted_count, emitted[0], 0.0);
    const uint32_t count = lmb_emitted_count(c->compiled, emitted);
    for (uint32_t i = 0; i < count && i < oracle->emitted_count; i++) {
        const lmb_emitted_event event = lmb_emitted_event_at(emitted, i);
        check(c, "emitted event", i, oracle->emitted[i].event, event.event, 0.0);
        check(c, "weight of emitted event", i, oracle->emitted[i].weight, event.weight, weight_tolerance);
        check(c, "passes of emitted event", i, oracle->emitted[i].passes, event.passes, 0.0);
        check(c, "kind of emitted event", i, oracle->emitted[i].kind, event.kind, 0.0);
        check(c, "source of emitted event", i, source_of(c, &oracle->emitted[i]), event.source, 0.0);
        check(c, "part of emitted event", i, oracle->emitted[i].part, event.part, 0.0);
        check(c, "ticks of emitted event", i, oracle->emitted[i].ticks, (double)event.ticks, oracle->emitted[i].error);
    }
    for (size_t i = 1 + (size_t)count * LMB_EMITTED_EVENT_WORDS; i < c->emitted_words; i++) {
        check(c, "unused emitted word", (uint32_t)i, 0.0, emitted[i], 0.0);
    }
}

static double turn_between(double a, double b) {
    return remainder(a - b, 6.28318530717958647692);
}

// The largest difference of two rotations' components, whichever of the two quaternions each has.
static double rotation_between(const double *a, const double *b) {
    double same = 0.0, opposite = 0.0;
    for (uint32_t i = 0; i < 4; i++) {
        same = fmax(same, fabs(a[i] - b[i]));
        opposite = fmax(opposite, fabs(a[i] + b[i]));
    }
    return fmin(same, opposite);
}

static double turn_tolerance(const oracle_character *oracle, const double *slack) {
    return 1e-6 + 1e-5 * oracle->turned + 3e-7 * oracle->pieces + slack[1];
}

static double position_tolerance(const oracle_character *oracle, const double *slack) {
    return 1e-6 + 1e-5 * oracle->distance + slack[0] + turn_tolerance(oracle, slack) * oracle->distance;
}

// What a renderer gets, which goes on between updates.
static void compare_shown(comparison *c, const oracle_character *oracle, const float *shown) {
    const double turn = turn_tolerance(oracle, oracle->shown_slack),
                 tolerance = position_tolerance(oracle, oracle->shown_slack);
    for (uint32_t i = 0; i < 3; i++) {
        check(c, "shown position", i, oracle->shown.position[i], shown[i], tolerance);
    }
    if (c->motion_floats == LMB_FULL_MOTION_FLOATS) {
        const double rotation[4] = {shown[3], shown[4], shown[5], shown[6]};
        check(c, "shown rotation", 0, 0.0, rotation_between(oracle->shown.rotation, rotation), turn);
    } else {
        check(c, "shown yaw", 0, 0.0, turn_between(shown[3], oracle->shown.yaw), turn);
    }
}

static void compare_motion(comparison *c, const oracle_character *oracle, const uint32_t *state) {
    const lmb_motion motion = lmb_state_motion(c->compiled, state);
    const double turn = turn_tolerance(oracle, oracle->slack), tolerance = position_tolerance(oracle, oracle->slack);
    const lmb_root_displacement step = lmb_state_root_motion(c->compiled, state);
    for (uint32_t i = 0; i < 3; i++) {
        check(c, "position", i, oracle->motion.position[i], motion.position[i], tolerance);
        check(c, "root motion", i, oracle->step.position[i], step.translation[i], tolerance);
    }
    check(c, "rotation", 0, 0.0, rotation_between(oracle->motion.rotation, motion.rotation), turn);
    check(c, "root motion's rotation", 0, 0.0, rotation_between(oracle->step.rotation, step.rotation), turn);
    if (!c->graph->motion.full_rotation) {
        check(c, "yaw", 0, 0.0, turn_between(motion.yaw, oracle->motion.yaw), turn);
        check(c, "root motion's yaw", 0, 0.0, turn_between(step.yaw, oracle->step.yaw), turn);
    }
}

static void compare_counts(comparison *c, const oracle_character *oracle, const uint32_t *state) {
    const lmb_state_counts counts = lmb_state_get_counts(c->compiled, state);
    check(c, "count of stopped transitions", 0, oracle->counts.transitions, counts.transitions, 0.0);
    check(c, "count of ignored events", 0, oracle->counts.sent_events, counts.sent_events, 0.0);
}

static void run_library(comparison *c, const random_frame *script) {
    lmb_control_frame frame = lmb_default_control_frame();
    lmb_event events[GRAPH_CHARACTERS * GRAPH_SENT_A_FRAME];
    lmb_error error;
    for (uint32_t i = 0; i < GRAPH_CHARACTERS; i++) {
        for (uint32_t j = 0; j < c->graph->def.parameter_count; j++) {
            if (c->graph->low[j] < c->graph->high[j]) {
                c->parameters[i * c->parameter_count + j] = script->rows[i][j];
            }
        }
        for (uint32_t j = 0; j < script->event_counts[i]; j++) {
            events[frame.event_count++] = (lmb_event){i, script->events[i][j]};
        }
    }
    frame.step = script->step;
    frame.number = c->frame;
    frame.character_count = GRAPH_CHARACTERS;
    frame.state = c->state;
    frame.parameters = c->parameters;
    frame.events = events;
    frame.emitted = c->emitted;
    frame.motions = c->motions;
    if (lmb_control_run(c->compiled, &frame, 0, GRAPH_CHARACTERS, &error) != LMB_OK) {
        print_error("graph %u: %s\n", c->number, error.message);
        c->differences++;
    }
}

static void run_oracle(oracle_character *character, const random_frame *script, uint32_t frame, uint32_t index) {
    oracle_frame(character, script->step, frame, script->rows[index], script->events[index],
                 script->event_counts[index]);
}

// Whether a decision of the oracle hangs on rounding in any frame.
static bool is_close(const random_graph *graph, const oracle_graph *oracle, oracle_character *characters) {
    for (uint32_t i = 0; i < GRAPH_CHARACTERS; i++) {
        oracle_begin(&characters[i], oracle, i, graph->phases[i] == LMB_NONE ? i : graph->phases[i]);
        for (uint32_t f = 0; f < GRAPH_FRAMES; f++) {
            run_oracle(&characters[i], &graph->frames[f], f, i);
        }
        if (characters[i].close != NULL) {
            return true;
        }
    }
    return false;
}

// Prints what both sides have after a frame, with LIMBER_TRACE.
static void trace_library(const comparison *c, const uint32_t *state) {
    print_error("   library");
    for (uint32_t i = 0; i < c->oracle->machine_count; i++) {
        const uint32_t machine = machine_of(c, i);
        print_error("  machine %u: state %u,", i, lmb_state_current(c->compiled, state, machine));
        for (uint32_t j = 0; j < c->oracle->machines[i].state_count; j++) {
            print_error(" %.4f", lmb_state_weight(c->compiled, state, machine, j));
        }
    }
    for (uint32_t i = 0; i < c->oracle->player_count; i++) {
        const uint32_t player = lmb_graph_node_player(c->compiled, c->oracle->players[i].node);
        print_error("  node %u %.6f x%.4f", c->oracle->players[i].node,
                    (double)lmb_state_player(c->compiled, state, player).ticks / (double)LMB_TICKS_PER_SECOND,
                    lmb_state_player(c->compiled, state, player).weight);
    }
    const uint32_t *emitted = c->emitted + c->character * c->emitted_words;
    for (uint32_t i = 0; i < emitted[0]; i++) {
        print_error(" !%u", lmb_emitted_event_at(emitted, i).event);
    }
    print_error("\n");
}

static void trace_oracle(const oracle_character *oracle) {
    print_error("   oracle ");
    for (uint32_t i = 0; i < oracle->graph->machine_count; i++) {
        print_error("  machine %u: state %u,", i, oracle->machines[i].current);
        for (uint32_t j = 0; j < oracle->graph->machines[i].state_count; j++) {
            print_error(" %.4f", oracle->machines[i].weights[j]);
        }
    }
    for (uint32_t i = 0; i < oracle->graph->player_count; i++) {
        print_error("  node %u %.6f x%.4f", oracle->graph->players[i].node,
                    (double)oracle->players[i].time / ORACLE_UNITS_A_SECOND, oracle->players[i].weight);
    }
    for (uint32_t i = 0; i < oracle->emitted_count; i++) {
        print_error(" !%u", oracle->emitted[i].event);
    }
    print_error("\n");
}

static void trace(const comparison *c, const oracle_character *oracle, const uint32_t *state) {
    const random_frame *script = &c->graph->frames[c->frame];
    if (getenv("LIMBER_TRACE") == NULL) {
        return;
    }
    print_error("frame %u, character %u, step %.6f, events", c->frame, c->character,
                (double)script->step / (double)LMB_TICKS_PER_SECOND);
    for (uint32_t i = 0; i < script->event_counts[c->character]; i++) {
        print_error(" %d", (int)script->events[c->character][i]);
    }
    for (uint32_t i = 0; i < c->graph->def.parameter_count; i++) {
        print_error(" p%u %.3f", i, script->rows[c->character][i]);
    }
    print_error("\n");
    trace_library(c, state);
    trace_oracle(oracle);
}

static void compare_frames(comparison *c) {
    for (uint32_t i = 0; i < GRAPH_CHARACTERS; i++) {
        const uint32_t phase = c->graph->phases[i];
        oracle_begin(&c->characters[i], c->oracle, i, phase == LMB_NONE ? i : phase);
        if (phase != LMB_NONE &&
            lmb_state_set_update_phase(c->compiled, c->state + i * c->state_words, phase, NULL) != LMB_OK) {
            report(c, "refused phase of character", i, 0.0, phase);
        }
    }
    for (c->frame = 0; c->frame < GRAPH_FRAMES && c->differences == 0; c->frame++) {
        run_library(c, &c->graph->frames[c->frame]);
        for (c->character = 0; c->character < GRAPH_CHARACTERS; c->character++) {
            oracle_character *oracle = &c->characters[c->character];
            const uint32_t *state = c->state + c->character * c->state_words;
            run_oracle(oracle, &c->graph->frames[c->frame], c->frame, c->character);
            trace(c, oracle, state);
            compare_machines(c, oracle, state);
            compare_players(c, oracle, state);
            compare_events(c, oracle, c->emitted + c->character * c->emitted_words);
            compare_motion(c, oracle, state);
            compare_shown(c, oracle, c->motions + c->character * c->motion_floats);
            compare_counts(c, oracle, state);
        }
    }
}

// Runs the loop's graph on both sides. Returns whether they agree.
static bool agrees(random_graph *graph, oracle_graph *oracle, oracle_character *characters, lmb_graph *compiled,
                   program_loop *loop) {
    comparison c = {
        .graph = graph, .oracle = oracle, .characters = characters, .compiled = compiled, .number = loop->program};
    c.parameter_count = lmb_graph_get_info(c.compiled)->parameter_count;
    c.state_words = lmb_graph_get_info(c.compiled)->state_words;
    c.emitted_words = lmb_graph_get_info(c.compiled)->emitted_words;
    c.motion_floats = lmb_graph_get_info(c.compiled)->motion_floats;
    c.motions = calloc((size_t)GRAPH_CHARACTERS * c.motion_floats + 1, sizeof *c.motions);
    c.parameters = calloc((size_t)GRAPH_CHARACTERS * c.parameter_count + 1, sizeof *c.parameters);
    c.state = calloc((size_t)GRAPH_CHARACTERS * c.state_words + 1, sizeof *c.state);
    c.emitted = calloc((size_t)GRAPH_CHARACTERS * c.emitted_words + 1, sizeof *c.emitted);
    compare_frames(&c);
    if (c.differences > 0) {
        random_graph_print(graph);
    }
    free(c.motions);
    free(c.parameters);
    free(c.state);
    free(c.emitted);
    loop->values += c.values;
    return c.differences == 0;
}

// Makes the next graph of a number that both sides can run: one that is not too large, and in which no decision hangs
// on rounding.
static lmb_graph *next_graph(random_graph *graph, oracle_graph *oracle, oracle_character *characters, uint32_t number) {
    for (uint64_t attempt = 0;; attempt++) {
        lmb_graph *compiled = NULL;
        lmb_error error;
        random_graph_create(graph, number + (attempt << 32));
        oracle_graph_create(oracle, &graph->def);
        if (oracle->player_count + oracle->machine_count > 0 && !is_close(graph, oracle, characters)) {
            const lmb_result result = lmb_graph_create(&graph->def, NULL, &compiled, &error);
            if (result == LMB_OK) {
                return compiled;
            }
            if (result != LMB_ERROR_LIMIT) {
                fail_msg("graph %u: %s", number, error.message);
            }
        }
        random_graph_destroy(graph);
    }
}

static void random_graphs_agree_with_the_oracle(void **state) {
    (void)state;
    random_graph *graph = malloc(sizeof *graph);
    oracle_graph *oracle = malloc(sizeof *oracle);
    oracle_character *characters = malloc(GRAPH_CHARACTERS * sizeof *characters);
    uint32_t failures = 0;
    program_loop loop = program_loop_start("graphs of the oracle", 0, suite_number("LIMBER_PROGRAMS", 200), 1);
    while (program_loop_next(&loop)) {
        lmb_graph *compiled = next_graph(graph, oracle, characters, loop.program);
        failures += agrees(graph, oracle, characters, compiled, &loop) ? 0 : 1;
        lmb_graph_destroy(compiled);
        random_graph_destroy(graph);
    }
    free(characters);
    free(oracle);
    free(graph);
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs_agree_with_the_oracle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
