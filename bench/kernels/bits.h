// Compares the results of a workload on an emulated device with the reference.
#ifndef LIMBER_BENCH_KERNELS_BITS_H
#define LIMBER_BENCH_KERNELS_BITS_H

#include "emulated.h"
#include "workload.h"

// What was compared, and the counts of the kernels that ran.
typedef struct bits_part {
    uint32_t items; // joints of all characters, or characters
    uint32_t words;
    uint32_t differing;
    rdna_counts counts; // per frame
} bits_part;

typedef struct bits_result {
    bits_part poses;   // palettes
    bits_part control; // states; zero if the workload has no control
} bits_result;

// Called with the profile of each kernel of a frame, which is valid during the call.
typedef void (*bits_profiled)(const workload *workload, const char *kernel, const rdna_profile *profile);
// Called after each frame of the control with the reference's states and parameters.
typedef void (*bits_moved)(const workload *workload, uint32_t characters, const uint32_t *state,
                           const float *parameters);

// What is compared.
typedef struct bits_subject {
    const workload *workload;
    bool sorted;
    bits_profiled profiled; // or NULL
    bits_moved moved;       // or NULL
} bits_subject;

// Records frames of a batch that outputs palettes. The graph must not be uploaded yet. A divergent crowd is a part of
// one of 10,000 characters: workgroups of it, and of the same crowd sorted by clips if `sorted` is true. Then the batch
// has them in another order again, and runs them by a list.
lmb_result bits_compare(const bits_subject *subject, lmb_gpu_graph *graph, lmb_gpu_batch *batch, bits_result *found,
                        lmb_error *error);

#endif
