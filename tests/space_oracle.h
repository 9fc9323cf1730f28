// What the inputs of a blend space weigh, in double precision, from the words of graph.h.
#ifndef LIMBER_TESTS_SPACE_ORACLE_H
#define LIMBER_TESTS_SPACE_ORACLE_H

#include <limber/graph.h>

// Of a space1d or space2d node at a position. Scattered places have no four on one circle.
void space_oracle_weights(const lmb_node_def *node, double x, double y, double weights[LMB_MAX_SPACE_INPUTS]);

#endif
