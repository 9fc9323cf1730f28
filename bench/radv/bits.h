// Compares what an emulated device makes of a workload with the reference.
#ifndef LIMBER_BENCH_RADV_BITS_H
#define LIMBER_BENCH_RADV_BITS_H

#include "emulated.h"
#include "workload.h"

// What was compared, and what ran of it.
typedef struct bits_part {
    uint32_t items; // joints of all characters, or characters
    uint32_t words;
    uint32_t differing;
    rdna_counts counts; // in a frame
} bits_part;

typedef struct bits_result {
    bits_part poses;   // palettes
    bits_part control; // states, if the workload has a control; else 0 of them
} bits_result;

// Records frames of a batch of palettes, of a graph that is not uploaded yet.
lmb_result bits_compare(const workload *workload, lmb_gpu_graph *graph, lmb_gpu_batch *batch, bits_result *found,
                        lmb_error *error);

#endif
