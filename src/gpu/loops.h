// How many iterations of loops an invocation of a kernel runs at most. Some drivers end all loops of an invocation
// after a number of iterations (lmb_gpu_limits.loops), whatever they have left to do.
//
// These drivers run both sides of a branch, with no lane active on one of them. So each loop of a kernel that is
// entered counts at least once, in each iteration of the loop around it: `own` is the number of loops in the kernel's
// module (lmb_spirv_count_loops()). A loop counts once more than the times that its condition holds. And lanes with
// different iterations count all of these, so a bound is a sum over nested loops of the most that any lane runs.
#ifndef LIMBER_SRC_GPU_LOOPS_H
#define LIMBER_SRC_GPU_LOOPS_H

#include "program/program.h"

// The rules of weights, in a kernel that has no other loops than `own` inside the loop over rules.
uint64_t lmb_gpu_rules_loops(const lmb_graph *graph, uint32_t own);
// The kernel of stage 1.
uint64_t lmb_gpu_weights_loops(const lmb_graph *graph, uint32_t own);
// A pass of a kernel with one invocation per joint: the one with the most iterations. An interpreter runs each
// instruction in an iteration of a loop around all of its other loops.
uint64_t lmb_gpu_pose_loops(const lmb_graph *graph, uint32_t own, bool interprets);
// The kernel of all stages, if one subgroup is a workgroup.
uint64_t lmb_gpu_character_loops(const lmb_graph *graph, uint32_t own);
// The kernel of model matrices and of outputs computed from them.
uint64_t lmb_gpu_model_loops(const lmb_graph *graph, uint32_t own);
// A pass of the kernel with one invocation per float channel.
uint64_t lmb_gpu_channels_loops(const lmb_graph *graph, uint32_t own);

#endif
