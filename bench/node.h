// The nodes that workloads add above the four clips: their joints, and their values for each character and frame.
#ifndef LIMBER_BENCH_NODE_H
#define LIMBER_BENCH_NODE_H

#include "workload.h"

// Returns the number of parameters of a workload's node; 0 if the workload has no node.
uint32_t node_parameter_count(workload_kind kind);

// Makes the node of a workload with the input `base`; its parameters begin at `first_parameter`. Fails with
// LMB_ERROR_ARGUMENT if the rig lacks a joint.
lmb_result node_make(workload_kind kind, const lmb_rig *rig, uint32_t base, uint32_t first_parameter,
                     lmb_node_def *node, lmb_error *error);

// Writes the node's parameters. Characters differ by their phase, from 0 to 1.
void node_fill(workload_kind kind, float phase, uint32_t frame, float *values);

// Writes the pose that WORKLOAD_OVERRIDE reads: the rest pose, turned. The layout is that of a pose buffer.
void node_fill_pose(const lmb_rig *rig, float phase, float *pose);

#endif
