// The weights of the inputs of a blend space in double precision, computed from the definition in graph.h.
#ifndef LIMBER_TESTS_SUPPORT_SPACE_ORACLE_H
#define LIMBER_TESTS_SUPPORT_SPACE_ORACLE_H

#include <limber/graph.h>

// Computes the weights of a space1d or space2d node at a position. Of scattered positions, no four may be on one
// circle.
void space_oracle_weights(const lmb_node_def *node, double x, double y, double weights[LMB_MAX_SPACE_INPUTS]);

#endif
