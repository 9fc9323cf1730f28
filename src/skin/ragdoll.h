// Checks that the CPU and the GPU share.
#ifndef LIMBER_SRC_SKIN_RAGDOLL_H
#define LIMBER_SRC_SKIN_RAGDOLL_H

#include "program/program.h"

// Returns the offset of a mask in the graph's block; 0 for LMB_NONE.
uint32_t lmb_ragdoll_mask(const lmb_graph *graph, uint32_t mask);

// Fails if the graph has no such mask.
lmb_result lmb_ragdoll_check_mask(const lmb_graph *graph, uint32_t mask, lmb_error *error);

#endif
