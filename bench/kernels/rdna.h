// Runs a compute kernel of RDNA 2 from RADV's disassembly, one workgroup after another: waves of 64 lanes, the EXEC
// mask, LDS, barriers. It implements the instructions that the kernels have used so far, and rejects any other.
//
// Unlike the hardware, it does not reorder memory accesses and does not run waves concurrently. Floats are rounded to
// nearest even and subnormals are flushed, as RADV configures the hardware.
#ifndef LIMBER_BENCH_KERNELS_RDNA_H
#define LIMBER_BENCH_KERNELS_RDNA_H

#include <limber/base.h>

#include <stdbool.h>
#include <stddef.h>

enum { RDNA_LANES = 64, RDNA_PUSH_BYTES = 128 };

typedef struct rdna_kernel rdna_kernel;

// Returns `bytes` bytes at an address of the kernel; NULL if they are not in memory.
typedef void *(*rdna_memory)(uint64_t address, uint32_t bytes);

typedef struct rdna_profile rdna_profile;

typedef struct rdna_dispatch {
    uint32_t groups[2];
    uint32_t invocations; // per workgroup
    uint32_t lds_bytes;
    uint32_t push_words; // push constants in registers if the kernel reads no others; 0: it also has their address
    rdna_memory memory;
    bool (*is_shared)(uint64_t address); // whether all characters read what is there, so that a cache has it
    rdna_profile *profile;               // or NULL
    unsigned char push[RDNA_PUSH_BYTES];
} rdna_dispatch;

// Sums over all waves.
typedef struct rdna_counts {
    uint64_t valu;   // vector instructions
    uint64_t cycles; // of a SIMD for these instructions
    uint64_t loads;  // from global memory
} rdna_counts;

// Fails with #LMB_ERROR_UNSUPPORTED at an unknown instruction, and with #LMB_ERROR_MEMORY.
lmb_result rdna_read(const char *assembly, rdna_kernel **kernel, lmb_error *error);
void rdna_destroy(rdna_kernel *kernel);

// Adds to the counts and to the dispatch's profile. Fails with #LMB_ERROR_LIMIT and the line's number if an access is
// outside all memory or the kernel does not end.
lmb_result rdna_run(const rdna_kernel *kernel, const rdna_dispatch *dispatch, rdna_counts *counts, lmb_error *error);

#endif
