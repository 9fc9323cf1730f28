#include "gpu_workgroup.h"

// Subgroups of 64 have Radeons and their kind. Two workgroups of this many invocations give each of the four SIMDs that
// share 128 KiB of workgroup memory six waves.
#define MOST_WIDE_INVOCATIONS 768u

// Returns the workgroup memory that shaders/character_specialized.comp needs for a character: matrices, its index and
// that of its rows, its bounding box and its level.
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

static uint32_t min_of(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

// Returns the number of invocations, in whole subgroups and a multiple of the characters. Of 128 to 256 it is the
// largest number that leaves at most half of them idle in the last round, else the one that leaves the fewest idle. For
// subgroups of 64 it is as many as there is work for, because workgroup memory limits how many workgroups there are.
static uint32_t find_invocations(lmb_gpu_limits limits, uint32_t characters, uint32_t joints) {
    const uint32_t step = characters > limits.subgroup ? characters : limits.subgroup, pairs = characters * joints;
    if (limits.subgroup >= 64) {
        const uint32_t most = min_of(MOST_WIDE_INVOCATIONS, limits.workgroup_invocations) / step * step;
        return min_of((pairs + step - 1) / step * step, most > 0 ? most : step);
    }
    const uint32_t most = min_of(256, limits.workgroup_invocations);
    uint32_t best = step, fewest = UINT32_MAX;
    for (uint32_t invocations = (127 + step) / step * step; invocations <= most; invocations += step) {
        const uint32_t idle = (pairs + invocations - 1) / invocations * invocations - pairs;
        if (idle <= fewest || 2 * idle <= invocations) {
            fewest = 2 * idle <= invocations ? 0 : idle;
            best = invocations;
        }
    }
    return best;
}

// Chooses characters: eight if they fit 32 KiB, so that several workgroups share a multiprocessor and one computes
// while another waits for memory; 16 for subgroups of 64, which then have fewer idle lanes; more for small rigs.
static lmb_gpu_workgroup workgroup_for_gpu(lmb_gpu_limits limits, uint64_t bytes, uint32_t joints) {
    const bool wide = limits.subgroup >= 64;
    const uint32_t most_bytes = min_of(limits.workgroup_bytes, wide ? 65536 : 32768);
    uint32_t characters = wide ? 16 : 8;
    while (characters * joints < 128) {
        characters *= 2;
    }
    while (characters > 1 && characters * bytes > most_bytes) {
        characters /= 2;
    }
    if (characters * bytes > limits.workgroup_bytes) {
        return (lmb_gpu_workgroup){0};
    }
    return (lmb_gpu_workgroup){characters, find_invocations(limits, characters, joints), false};
}

lmb_gpu_workgroup lmb_gpu_find_shape(lmb_gpu_limits limits, uint32_t joints) {
    uint64_t bytes = character_bytes(joints);
    return limits.is_cpu ? workgroup_for_cpu(limits, bytes) : workgroup_for_gpu(limits, bytes, joints);
}
