// Workgroup memory holds the matrices of all joints of a workgroup's characters, so characters times joints decides how
// many workgroups run at once. The best division depends on the subgroup size, so there are three rules: for
// processors, for subgroups of 64, and for smaller ones. The numbers are measured, not derived (bench/NOTES.md).
#include "workgroup.h"

// Of a workgroup with subgroups of 64, as Radeons have. Two workgroups of this many invocations give six waves to each
// of the four SIMDs that share 128 KiB of workgroup memory.
#define MOST_WIDE_INVOCATIONS 768u

// Invocations of the smallest subgroup that can run the kernel: three of them compute the rows of a matrix.
#define FEWEST_LANES 4u

// Of a workgroup with subgroups of 32 or fewer. Measured (bench/NOTES.md).
#define FEWEST_JOINTS 96u

// Invocations of stage 1 that a large GPU runs in hardly more time than one. Measured (bench/NOTES.md). A grid may have
// so many rows, too.
#define SMALL_CROWD_INVOCATIONS 65535u

// Returns the workgroup memory that shaders/character_specialized.comp needs for a character: matrices, its index and
// that of its rows, its bounding box, its level, and bits of weights.
static uint64_t character_bytes(uint32_t joints, uint32_t weighed) {
    const uint64_t matrices = (UINT64_C(3) * joints) | 1, words = weighed / 32u + 1u;
    return matrices * 16 + 8 + 24 + 4 + words * 4;
}

// A workgroup of exactly one subgroup has barriers that cost nothing. It takes one character per lane if memory allows.
static lmb_gpu_workgroup workgroup_for_cpu(lmb_gpu_limits limits, uint64_t bytes) {
    uint32_t characters = limits.subgroup;
    while (characters > 0 && characters * bytes > limits.workgroup_bytes) {
        characters /= 2;
    }
    const bool walks = characters == limits.subgroup;
    return walks || limits.subgroup >= FEWEST_LANES ? (lmb_gpu_workgroup){characters, limits.subgroup, walks}
                                                    : (lmb_gpu_workgroup){0};
}

static uint32_t min_of(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

// Rounds up to whole subgroups and a multiple of the characters, but to at most the limit. The larger of the two
// numbers is a multiple of the other, because both are powers of two.
static uint32_t whole_subgroups(lmb_gpu_limits limits, uint32_t characters, uint32_t invocations, uint32_t most) {
    const uint32_t step = characters > limits.subgroup ? characters : limits.subgroup, largest = most / step * step;
    return min_of((invocations + step - 1) / step * step, largest > 0 ? largest : step);
}

// Chooses 16 characters, so that most subgroups have a single kind of track, or as many as 64 KiB hold; more for small
// rigs. Then as many invocations as there is work for, because workgroup memory limits how many workgroups
// there are.
static lmb_gpu_workgroup workgroup_for_wide(lmb_gpu_limits limits, uint64_t bytes, uint32_t joints) {
    const uint32_t most_bytes = min_of(limits.workgroup_bytes, 65536);
    uint32_t characters = 16;
    while (characters * joints < 128) {
        characters *= 2;
    }
    while (characters > 1 && characters * bytes > most_bytes) {
        characters /= 2;
    }
    const uint32_t most = min_of(MOST_WIDE_INVOCATIONS, limits.workgroup_invocations);
    return (lmb_gpu_workgroup){characters, whole_subgroups(limits, characters, characters * joints, most), false};
}

// Chooses the fewest characters that have FEWEST_JOINTS, and an invocation for each of their joints: several small
// workgroups share a multiprocessor, so that one computes poses while another waits at a barrier or for memory. If
// there are not enough invocations, each computes the same number of joints.
static lmb_gpu_workgroup workgroup_for_narrow(lmb_gpu_limits limits, uint64_t bytes, uint32_t joints) {
    uint32_t characters = 1;
    while (characters * joints < FEWEST_JOINTS && 2 * characters * bytes <= limits.workgroup_bytes) {
        characters *= 2;
    }
    const uint32_t pairs = characters * joints, most = limits.workgroup_invocations, rounds = (pairs + most - 1) / most;
    return (lmb_gpu_workgroup){characters, whole_subgroups(limits, characters, (pairs + rounds - 1) / rounds, most),
                               false};
}

static lmb_gpu_workgroup workgroup_for_gpu(lmb_gpu_limits limits, uint64_t bytes, uint32_t joints) {
    if (bytes > limits.workgroup_bytes || limits.subgroup < FEWEST_LANES) {
        return (lmb_gpu_workgroup){0};
    }
    return limits.subgroup >= 64 ? workgroup_for_wide(limits, bytes, joints)
                                 : workgroup_for_narrow(limits, bytes, joints);
}

lmb_gpu_workgroup lmb_gpu_find_shape(lmb_gpu_limits limits, uint32_t joints, uint32_t weighed) {
    const uint64_t bytes = character_bytes(joints, weighed);
    return limits.is_cpu ? workgroup_for_cpu(limits, bytes) : workgroup_for_gpu(limits, bytes, joints);
}

uint32_t lmb_gpu_weights_parts(lmb_gpu_limits limits, uint32_t characters, uint32_t sources) {
    const uint32_t parts = limits.is_cpu ? 1 : min_of(SMALL_CROWD_INVOCATIONS / characters, sources);
    return parts > 0 ? parts : 1;
}
