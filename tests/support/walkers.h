// Walkers on the CPU (walker.h). Their input depends on the frame and on the character that is in a row, so that a
// character does the same in every row.
#ifndef LIMBER_TESTS_SUPPORT_WALKERS_H
#define LIMBER_TESTS_SUPPORT_WALKERS_H

#include "walker.h"

#include <limber/cpu.h>
#include <limber/snapshot.h>
#include <stdlib.h>

enum {
    WALKERS_ROWS = 7,
    WALKERS_STATE = 256, // at least the words of a state, and so on
    WALKERS_INERTIA = 512,
    WALKERS_PARAMETERS = 16,
    WALKERS_PALETTE = WALKER_JOINTS * 12
};

static const uint32_t walkers_in_order[WALKERS_ROWS] = {0, 1, 2, 3, 4, 5, 6};

typedef struct walkers {
    lmb_graph *graph;
    lmb_cpu *cpu;
    uint32_t state_words, inertia_words; // of a character
    uint32_t states[WALKERS_ROWS * WALKERS_STATE];
    uint32_t inertia[WALKERS_ROWS * WALKERS_INERTIA];
    uint32_t reached[WALKERS_ROWS];
    float parameters[WALKERS_ROWS * WALKERS_PARAMETERS];
    float palettes[WALKERS_ROWS * WALKERS_PALETTE];
} walkers;

// They destroy the graph.
static inline walkers *walkers_create(lmb_graph *graph, lmb_cpu_path path) {
    walkers *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->graph = graph;
    assert_int_equal(lmb_cpu_create(graph, path, NULL, &c->cpu, NULL), LMB_OK);
    c->state_words = lmb_graph_get_info(graph)->state_words;
    c->inertia_words = lmb_graph_get_info(graph)->inertia_words;
    assert_true(c->state_words > 0 && c->state_words <= WALKERS_STATE);
    assert_true(c->inertia_words > 36 && c->inertia_words <= WALKERS_INERTIA);
    assert_true(lmb_graph_get_info(graph)->parameter_count <= WALKERS_PARAMETERS &&
                lmb_graph_get_info(graph)->reached_count == 1);
    return c;
}

static inline void walkers_destroy(walkers *c) {
    lmb_cpu_destroy(c->cpu);
    lmb_graph_destroy(c->graph);
    free(c);
}

static inline lmb_character_words walkers_words(walkers *c) {
    return (lmb_character_words){.states = c->states,
                                 .inertia = c->inertia,
                                 .reached = c->reached,
                                 .row_count = WALKERS_ROWS,
                                 .count = WALKERS_ROWS};
}

// Writes the parameters of `count` rows.
static inline void walkers_input(const lmb_graph *graph, uint32_t frame, const uint32_t *characters, uint32_t count,
                                 float *parameters) {
    for (uint32_t row = 0; row < count; row++, parameters += lmb_graph_get_info(graph)->parameter_count) {
        lmb_graph_defaults(graph, parameters);
        parameters[lmb_graph_find_parameter(graph, "pace")] = 0.5f + 0.25f * (float)characters[row];
        parameters[lmb_graph_find_parameter(graph, "now")] = (float)frame / 60.0f;
    }
}

// Writes the events of `count` rows, and returns their number.
static inline uint32_t walkers_events(const lmb_graph *graph, uint32_t frame, const uint32_t *characters,
                                      uint32_t count, lmb_event *events) {
    uint32_t sent = 0;
    for (uint32_t row = 0; row < count; row++) {
        if ((frame + 5 * characters[row]) % 23 == 3) {
            events[sent++] = (lmb_event){row, lmb_graph_find_event(graph, "jump")};
        }
    }
    return sent;
}

// A frame of the first `count` rows.
static inline lmb_control_frame walkers_frame(walkers *c, uint32_t frame, uint32_t count, const lmb_event *events,
                                              uint32_t event_count) {
    lmb_control_frame control = lmb_default_control_frame();
    control.step = LMB_TICKS_PER_SECOND / 60;
    control.number = frame;
    control.character_count = count;
    control.state = c->states;
    control.parameters = c->parameters;
    control.events = events;
    control.event_count = event_count;
    control.reached = c->reached;
    return control;
}

static inline void walkers_run_with(walkers *c, uint32_t frame, const uint32_t *characters, uint32_t count,
                                    const lmb_event *events, uint32_t event_count) {
    const lmb_control_frame control = walkers_frame(c, frame, count, events, event_count);
    const lmb_batch_def batch = {c->graph, count, LMB_OUTPUT_PALETTE_BIT};
    const lmb_batch_inputs inputs = {.control = &control};
    const lmb_batch_outputs outputs = {
        .buffers = {[LMB_OUTPUT_PALETTE] = c->palettes}, .inertia = c->inertia, .reached = c->reached};
    lmb_error error = {0};
    walkers_input(c->graph, frame, characters, count, c->parameters);
    if (lmb_cpu_run(c->cpu, &batch, &inputs, &outputs, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
}

// Runs a frame of the first `count` rows. `characters` says who is in each.
static inline void walkers_run(walkers *c, uint32_t frame, const uint32_t *characters, uint32_t count) {
    lmb_event events[WALKERS_ROWS];
    const uint32_t event_count = walkers_events(c->graph, frame, characters, count, events);
    walkers_run_with(c, frame, characters, count, events, event_count);
}

#endif
