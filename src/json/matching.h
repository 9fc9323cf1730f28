// Reads motion matching of a machine.
#ifndef LIMBER_SRC_JSON_MATCHING_H
#define LIMBER_SRC_JSON_MATCHING_H

#include "graph.h"

// A state that is a take.
typedef struct lmb_graph_take {
    uint32_t object;   // of the state
    uint32_t end_node; // its clip, or LMB_NONE
} lmb_graph_take;

extern const lmb_graph_definition lmb_graph_matching_definitions[];

// Reads the value of "matching", and makes the database of the takes. Returns NULL after an error was reported.
const lmb_matching_def *lmb_graph_read_matching(lmb_graph_reader *reader, uint32_t value, const lmb_graph_take *takes,
                                                uint32_t count);

#endif
