// How a graph's characters are divided among the workgroups of shaders/character_specialized.comp.
#ifndef LIMBER_SRC_GPU_WORKGROUP_H
#define LIMBER_SRC_GPU_WORKGROUP_H

#include <stdbool.h>
#include <stdint.h>

// The device limits that the choice depends on.
typedef struct lmb_gpu_limits {
    uint32_t workgroup_bytes;
    uint32_t workgroup_invocations;
    uint32_t subgroup;
    uint32_t block; // invocations of a workgroup, from a multiple of this number on, that are always in one subgroup
    bool is_cpu;    // the device is a processor; a subgroup is the lanes of its vectors
    uint32_t loops; // iterations after which the driver ends all loops of an invocation (loops.h)
    uint32_t instructions; // of the longest graph that has a kernel of its own; a run counts as one
} lmb_gpu_limits;

// The shape of a workgroup.
typedef struct lmb_gpu_workgroup {
    uint32_t characters; // 0 if not even one fits
    uint32_t invocations;
    bool walks; // each invocation runs a character of its own
} lmb_gpu_workgroup;

// `weighed` is the number of weights of which a character needs bits.
lmb_gpu_workgroup lmb_gpu_find_shape(lmb_gpu_limits limits, uint32_t joints, uint32_t weighed);

// Returns how many invocations of stage 1 share the sources of a character: 1 to `sources`, or 1 if there are none.
uint32_t lmb_gpu_weights_parts(lmb_gpu_limits limits, uint32_t characters, uint32_t sources);

#endif
