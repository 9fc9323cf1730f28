// The weights of all nodes of a graph in the result, for one character, as graph.h defines them ("Weights"). Those of
// states are the ones that the control reports.
#ifndef LIMBER_SAMPLES_VIEWER_GRAPH_WEIGHTS_H
#define LIMBER_SAMPLES_VIEWER_GRAPH_WEIGHTS_H

#include <limber/cpu.h>

// What a graph's blend spaces need.
typedef struct graph_weights graph_weights;

// Both must outlive the object.
lmb_result graph_weights_create(const lmb_graph_def *def, const lmb_graph *graph, graph_weights **weights,
                                lmb_error *error);
// NULL is allowed.
void graph_weights_destroy(graph_weights *weights);

// Stores what a node passes on to each of its inputs: their weights if the node's own weight is 1. `parameters` and
// `state` are one character's after a frame; `state` may be NULL if the graph has no control. Inputs that are not found
// have a share of 0.
void graph_weights_shares(const graph_weights *weights, uint32_t node, const float *parameters, const uint32_t *state,
                          float shares[LMB_MAX_SPACE_INPUTS]);

#endif
