// How a graph's characters are shared out among the workgroups of shaders/character_specialized.comp.
#ifndef LIMBER_SRC_GPU_WORKGROUP_H
#define LIMBER_SRC_GPU_WORKGROUP_H

#include <stdbool.h>
#include <stdint.h>

// What of a device decides.
typedef struct lmb_gpu_limits {
    uint32_t workgroup_bytes;
    uint32_t workgroup_invocations;
    uint32_t subgroup;
    bool is_cpu; // a processor runs the kernels, a subgroup as the lanes of its vectors
} lmb_gpu_limits;

// A workgroup.
typedef struct lmb_gpu_workgroup {
    uint32_t characters; // 0 where not even one fits
    uint32_t invocations;
    bool walks; // an invocation has a character to itself
} lmb_gpu_workgroup;

lmb_gpu_workgroup lmb_gpu_find_shape(lmb_gpu_limits limits, uint32_t joints);

#endif
