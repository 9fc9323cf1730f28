// Names of the things in a graph, copied from its descriptor.
#ifndef LIMBER_SRC_GRAPH_NAMES_H
#define LIMBER_SRC_GRAPH_NAMES_H

#include "control/moving.h"

typedef struct lmb_graph_names lmb_graph_names;

// `moving` is NULL if nothing in the graph moves by itself. Returns NULL if there is no memory.
lmb_graph_names *lmb_graph_names_create(const lmb_graph_def *def, const lmb_moving *moving, const lmb_host *host);
void lmb_graph_names_destroy(lmb_graph_names *names, const lmb_host *host);
// Stores the numbers of what has names.
void lmb_graph_names_count(const lmb_graph_names *names, lmb_graph_info *info);
// Returns all names, one after another, each with its zero. Stores their bytes in `size`.
const char *lmb_graph_names_text(const lmb_graph_names *names, size_t *size);

// Computes the fingerprint of a graph that has its control and its names.
uint64_t lmb_graph_find_fingerprint(const lmb_graph *graph);

#endif
