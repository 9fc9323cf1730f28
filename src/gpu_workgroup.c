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

// Returns 128 to 256 invocations in whole subgroups: the largest number that leaves at most half of them idle in the
// last round, else the one that leaves the fewest idle. Up to 320 for subgroups of 64: such devices are limited by
// workgroup memory, and have more to run for the same memory.
static uint32_t find_invocations(lmb_gpu_limits limits, uint32_t pairs) {
    uint32_t most = limits.subgroup >= 64 ? 320 : 256;
    most = limits.workgroup_invocations < most ? limits.workgroup_invocations : most;
    uint32_t best = limits.subgroup, fewest = UINT32_MAX;
    for (uint32_t invocations = 128; invocations <= most; invocations += limits.subgroup) {
        const uint32_t idle = (pairs + invocations - 1) / invocations * invocations - pairs;
        if (idle <= fewest || 2 * idle <= invocations) {
            fewest = 2 * idle <= invocations ? 0 : idle;
            best = invocations;
        }
    }
    return best;
}

// Chooses characters: eight if they fit 32 KiB, so that several workgroups share a multiprocessor and one computes
// while another waits for memory; more for small rigs.
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
    return (lmb_gpu_workgroup){characters, find_invocations(limits, characters * joints), false};
}

lmb_gpu_workgroup lmb_gpu_find_shape(lmb_gpu_limits limits, uint32_t joints) {
    uint64_t bytes = character_bytes(joints);
    return limits.is_cpu ? workgroup_for_cpu(limits, bytes) : workgroup_for_gpu(limits, bytes, joints);
}
