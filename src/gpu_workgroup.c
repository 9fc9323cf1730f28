#include "gpu_workgroup.h"

// Returns the workgroup memory that shaders/character_specialized.comp needs for a character: matrices, its span and
// index, its bounding box and its level.
static uint64_t character_bytes(uint32_t joints) {
    uint64_t matrices = (UINT64_C(3) * joints) | 1;
    return matrices * 16 + 8 + 24 + 4;
}

// A workgroup of exactly one subgroup has barriers that cost nothing. It takes one character per lane if memory allows.
static lmb_gpu_workgroup workgroup_for_cpu(lmb_gpu_limits limits, uint64_t bytes) {
    uint32_t characters = limits.subgroup;
    while (characters > 0 && characters * bytes > limits.workgroup_bytes) {
        characters /= 2;
    }
    return (lmb_gpu_workgroup){characters, limits.subgroup, characters == limits.subgroup};
}

// Chooses characters: eight if they fit 32 KiB, so that several workgroups share a multiprocessor and one computes
// while another waits for memory; more for small rigs. Chooses invocations: 128 to 256 in whole subgroups, the number
// that leaves the fewest idle in the last round.
static lmb_gpu_workgroup workgroup_for_gpu(lmb_gpu_limits limits, uint64_t bytes, uint32_t joints) {
    const uint32_t most_bytes = limits.workgroup_bytes < 32768 ? limits.workgroup_bytes : 32768;
    uint32_t characters = 8;
    while (characters * joints < 128) {
        characters *= 2;
    }
    while (characters > 1 && characters * bytes > most_bytes) {
        characters--;
    }
    if (characters * bytes > limits.workgroup_bytes) {
        return (lmb_gpu_workgroup){0};
    }
    const uint32_t most = limits.workgroup_invocations < 256 ? limits.workgroup_invocations : 256;
    const uint32_t pairs = characters * joints;
    uint32_t best = limits.subgroup;
    uint32_t fewest = UINT32_MAX;
    for (uint32_t invocations = 128; invocations <= most; invocations += limits.subgroup) {
        uint32_t taken = (pairs + invocations - 1) / invocations * invocations;
        if (taken <= fewest) {
            fewest = taken;
            best = invocations;
        }
    }
    return (lmb_gpu_workgroup){characters, best, false};
}

lmb_gpu_workgroup lmb_gpu_find_shape(lmb_gpu_limits limits, uint32_t joints) {
    uint64_t bytes = character_bytes(joints);
    return limits.is_cpu ? workgroup_for_cpu(limits, bytes) : workgroup_for_gpu(limits, bytes, joints);
}
