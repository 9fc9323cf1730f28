// The compact text of a state machine, and the JSON that it becomes.
#ifndef LIMBER_SRC_IMPORT_MACHINE_TEXT_H
#define LIMBER_SRC_IMPORT_MACHINE_TEXT_H

#include "pool.h"

#include <limber/machine.h>

typedef struct lmb_machine_text {
    const lmb_graph_source *source;
    lmb_pool *pool;               // of all that reading takes
    lmb_graph_problems *problems; // or NULL

    lmb_result result; // LMB_OK where memory sufficed
    uint32_t problem_count;
    lmb_graph_problem first;
    lmb_graph_problem *warnings; // of the pool
    uint32_t warning_count;
    char *json; // where there was no problem: what follows {"op":"machine" in its object, in one line; not terminated
    size_t size;
    bool has_name;
} lmb_machine_text;

// Start from zero except for the first three members.
void lmb_machine_text_read(lmb_machine_text *text);

#endif
