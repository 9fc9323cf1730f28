// Runs a compute kernel of RDNA 2 from the disassembly that RADV gives, one workgroup after another: waves of 64 lanes,
// the EXEC mask, LDS, barriers. It knows the instructions that kernels here have had so far, and fails at any other.
//
// What the hardware does and this does not: order memory loosely, and run waves side by side. Floats are rounded to
// nearest even and subnormals are flushed, as RADV sets the hardware up.
#ifndef LIMBER_BENCH_RADV_RDNA_H
#define LIMBER_BENCH_RADV_RDNA_H

#include <limber/base.h>

#include <stddef.h>

enum { RDNA_LANES = 64, RDNA_PUSH_BYTES = 128 };

typedef struct rdna_kernel rdna_kernel;

// That many bytes at an address of the kernel's, or NULL where there are none.
typedef void *(*rdna_memory)(uint64_t address, uint32_t bytes);

typedef struct rdna_dispatch {
    uint32_t groups[2];
    uint32_t invocations; // of a workgroup
    uint32_t lds_bytes;
    rdna_memory memory;
    unsigned char push[RDNA_PUSH_BYTES];
} rdna_dispatch;

// What all waves together ran.
typedef struct rdna_counts {
    uint64_t valu;   // vector instructions
    uint64_t cycles; // that these take a SIMD
    uint64_t loads;  // from global memory
} rdna_counts;

// Fails with #LMB_ERROR_UNSUPPORTED at an instruction that is not known, and with #LMB_ERROR_MEMORY.
lmb_result rdna_read(const char *assembly, rdna_kernel **kernel, lmb_error *error);
void rdna_destroy(rdna_kernel *kernel);

// Adds to the counts. Fails with #LMB_ERROR_LIMIT, naming the line, where an access is outside of all memory or a
// kernel does not end.
lmb_result rdna_run(const rdna_kernel *kernel, const rdna_dispatch *dispatch, rdna_counts *counts, lmb_error *error);

#endif
