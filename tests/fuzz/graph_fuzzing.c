#include "graph_fuzzing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "fuzz: %s\n", what);
        abort();
    }
}

void require_problems(const lmb_graph_problems *problems, const char *text, size_t size) {
    uint32_t listed = problems->count < LMB_MAX_GRAPH_PROBLEMS ? problems->count : LMB_MAX_GRAPH_PROBLEMS;
    uint32_t lines = 1;
    for (size_t i = 0; i < size; i++) {
        lines += text[i] == '\n';
    }
    require(listed > 0, "a failure without a problem");
    for (uint32_t i = 0; i < listed; i++) {
        const lmb_graph_problem *problem = &problems->list[i];
        require(memchr(problem->path, '\0', sizeof problem->path) != NULL, "a path without an end");
        require(memchr(problem->message, '\0', sizeof problem->message) != NULL, "a message without an end");
        require(problem->message[0] != '\0', "a problem without a message");
        require(problem->line > 0 && problem->line <= lines && problem->column > 0, "a place outside the text");
    }
}

static void require_states(const lmb_graph *graph, const uint32_t *state) {
    for (uint32_t machine = 0; machine < lmb_graph_get_info(graph)->machine_count; machine++) {
        uint32_t current = lmb_state_current(graph, state, machine);
        require(current < lmb_graph_machine_at(graph, machine).state_count, "no such state");
        require(lmb_graph_machine_at(graph, machine).name[0] != '\0', "a machine without a name");
        require(lmb_graph_state_name(graph, machine, current)[0] != '\0', "a state without a name");
    }
}

void require_motion(const lmb_graph *graph, float *parameters) {
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    if (info->state_words == 0) {
        return;
    }
    uint32_t *state = calloc(info->state_words, sizeof *state);
    require(state != NULL, "no memory");
    for (uint32_t number = 0; number < 8; number++) {
        const lmb_event event = {0, number};
        const lmb_control_frame frame = {.step = (uint64_t)number * 123456789,
                                         .number = number,
                                         .character_count = 1,
                                         .state = state,
                                         .parameters = parameters,
                                         .events = &event,
                                         .event_count = number < info->event_count ? 1 : 0};
        require(lmb_control_run(graph, &frame, 0, 1, NULL) == LMB_OK, "the graph does not run");
        require(lmb_state_check(graph, state, 1, NULL) == LMB_OK, "a state that is refused");
        require_states(graph, state);
    }
    free(state);
}
