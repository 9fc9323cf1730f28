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

// Motion matching of a machine.
typedef struct lmb_graph_matched {
    const lmb_matching_def *def; // or NULL
    uint32_t mirror;             // of rows that count mirrored
} lmb_graph_matched;

// Reads the value of "matching", and makes the database of the takes. `machine` begins the names of parameters. There
// is no definition after an error was reported.
lmb_graph_matched lmb_graph_read_matching(lmb_graph_reader *reader, const char *machine, uint32_t value,
                                          const lmb_graph_take *takes, uint32_t count);
// Adds a mirror of a machine that matches motion with mirrored rows, and the blend of both. Returns the blend.
uint32_t lmb_graph_add_mirrored(lmb_graph_reader *reader, const lmb_graph_matched *matched, uint32_t machine,
                                uint32_t object);

#endif
