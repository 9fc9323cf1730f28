// The pose kernel made for one program: its instructions as straight-line code, so that no device interprets them and
// poses stay in registers.
#ifndef LIMBER_SRC_GPU_STEPS_H
#define LIMBER_SRC_GPU_STEPS_H

#include "gpu.h"
#include "spirv.h"

// Whether a program is short enough to be worth a pipeline of its own.
bool lmb_gpu_steps_fit(const lmb_program *program);

// The module of a program's kernel.
lmb_result lmb_gpu_steps_module(const lmb_host *host, const lmb_program *program, lmb_spirv *module, lmb_error *error);

lmb_result lmb_gpu_steps_create(lmb_gpu *gpu, const lmb_program *program, VkPipeline *pipeline, lmb_error *error);

#endif
