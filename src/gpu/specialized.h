// The specialised kernel of one graph. Its instructions are straight-line code, so the device does not interpret them
// and poses stay in registers.
#ifndef LIMBER_SRC_GPU_SPECIALIZED_H
#define LIMBER_SRC_GPU_SPECIALIZED_H

#include "gpu.h"
#include "gpu/spirv/spirv.h"

// The most instructions of a graph with a pipeline of its own; a run counts as one. Drivers that run on the processor
// take seconds to compile many.
#define LMB_GPU_MOST_SPECIALIZED 128u
#define LMB_GPU_MOST_SPECIALIZED_ON_CPU 32u

// Returns whether a graph is short enough for it.
bool lmb_gpu_specialized_fit(lmb_gpu_limits limits, const lmb_graph *graph);

// Whether stage 1 has anything to write for a graph. Without it, a batch has no memory for results.
bool lmb_gpu_has_results(const lmb_graph *graph);

// What a graph's pipelines leave out because it does not need it.
lmb_kernel_constants lmb_gpu_graph_constants(const lmb_graph *graph);

// Creates the module of a graph's kernel, for all stages or for the pose only.
lmb_result lmb_gpu_specialized_module(const lmb_host *host, const lmb_graph *graph, bool all_stages, lmb_spirv *module,
                                      lmb_error *error);

// Creates the pipeline, for all stages if a character of the rig fits a workgroup, else for the pose only. `shape` says
// which.
lmb_result lmb_gpu_specialized_create(lmb_gpu *gpu, const lmb_graph *graph, VkPipeline *pipeline,
                                      lmb_gpu_workgroup *shape, lmb_error *error);

#endif
