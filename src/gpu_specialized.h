// The kernel made for one graph: its instructions as straight-line code, so that no device interprets them and
// poses stay in registers.
#ifndef LIMBER_SRC_GPU_STEPS_H
#define LIMBER_SRC_GPU_STEPS_H

#include "gpu.h"
#include "spirv.h"

// Whether a graph is short enough to be worth a pipeline of its own.
bool lmb_gpu_specialized_fit(const lmb_graph *graph);

// The module of a graph's kernel: of all stages, or of the pose alone.
lmb_result lmb_gpu_specialized_module(const lmb_host *host, const lmb_graph *graph, bool all_stages, lmb_spirv *module,
                                      lmb_error *error);

// The pipeline, of all stages where a character of the rig fits a workgroup; and its shape, which says so.
lmb_result lmb_gpu_specialized_create(lmb_gpu *gpu, const lmb_graph *graph, VkPipeline *pipeline,
                                      lmb_gpu_workgroup *shape, lmb_error *error);

#endif
