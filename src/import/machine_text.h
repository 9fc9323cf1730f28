// Translates the compact text of a state machine to JSON.
#ifndef LIMBER_SRC_IMPORT_MACHINE_TEXT_H
#define LIMBER_SRC_IMPORT_MACHINE_TEXT_H

#include "pool.h"

#include <limber/machine.h>

typedef struct lmb_machine_text {
    const lmb_graph_source *source;
    lmb_pool *pool;               // for all memory of the reader
    lmb_graph_problems *problems; // or NULL

    lmb_result result; // LMB_OK if there was enough memory
    uint32_t problem_count;
    lmb_graph_problem first;
    lmb_graph_problem *warnings; // in the pool
    uint32_t warning_count;
    char *json; // if there was no problem: what follows {"op":"machine" in its object, in one line; not terminated
    size_t size;
    bool has_name;
} lmb_machine_text;

// Initialise all members to zero, except the first three.
void lmb_machine_text_read(lmb_machine_text *text);

#endif
