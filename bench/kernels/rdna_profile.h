// What a kernel's run consists of, between its barriers: instructions by kind, lanes in use, sectors of memory, and the
// cycles of a workgroup in a model of latencies.
//
// The model is of an NVIDIA H100 or H200 with one workgroup on a multiprocessor. A wave issues its instructions in
// order, one a cycle, and waits for the operands of each; workgroups share nothing, and stores take no time. Sectors
// that this workgroup has loaded before are in the first cache. Others are in the second one if all characters read
// them, and in memory otherwise. The latencies were not fitted to a time of these kernels.
#ifndef LIMBER_BENCH_KERNELS_RDNA_PROFILE_H
#define LIMBER_BENCH_KERNELS_RDNA_PROFILE_H

#include "rdna.h"

typedef enum rdna_kind {
    RDNA_FLOAT,    // arithmetic of floats
    RDNA_SELECT,   // selects and comparisons
    RDNA_INTEGER,  // all other arithmetic of lanes
    RDNA_MULTIPLY, // of integers of 32 bits, which takes four times as long
    RDNA_MOVE,
    RDNA_SCALAR,
    RDNA_SCALAR_LOAD,
    RDNA_BRANCH,
    RDNA_LDS_READ,
    RDNA_LDS_WRITE, // and atomic operations
    RDNA_LOAD,
    RDNA_STORE, // and atomic operations
    RDNA_BARRIER,
    RDNA_HINT, // such as waits for operands: not counted, because other devices have none
    RDNA_KIND_COUNT
} rdna_kind;

// What a wave waits for.
typedef enum rdna_cause {
    RDNA_FOR_ISSUE,
    RDNA_FOR_ARITHMETIC,
    RDNA_FOR_LDS,
    RDNA_FOR_SCALAR,
    RDNA_FOR_FIRST_CACHE,
    RDNA_FOR_SECOND_CACHE,
    RDNA_FOR_MEMORY,
    RDNA_FOR_BARRIER,
    RDNA_CAUSE_COUNT
} rdna_cause;

enum { RDNA_SUBGROUP = 32, RDNA_SECTOR = 32 }; // lanes and bytes of the counts below

// Half waves without an active lane are not counted: a subgroup of 32 lanes would jump over the instruction.
typedef struct rdna_row {
    uint64_t instructions; // of a half wave
    uint64_t lanes;        // active ones of these
    uint64_t sectors;      // that they access, each once an instruction
} rdna_row;

typedef struct rdna_interval {
    rdna_row kinds[RDNA_KIND_COUNT];
    uint64_t fetched;               // sectors that are not in the first cache: each once a workgroup
    double waits[RDNA_CAUSE_COUNT]; // cycles, the mean of a workgroup's waves; summed over workgroups
} rdna_interval;

enum { RDNA_MOST_INTERVALS = 64 };

struct rdna_profile {
    rdna_interval intervals[RDNA_MOST_INTERVALS]; // between barriers; the last one has all that follow, too
    uint32_t interval_count;
    uint32_t groups;
    double cycles; // summed over workgroups
};

#endif
