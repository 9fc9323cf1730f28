// The state of a workgroup that runs: rdna_run.c changes it, rdna_profile.c reads it.
#ifndef LIMBER_BENCH_KERNELS_RDNA_WAVE_H
#define LIMBER_BENCH_KERNELS_RDNA_WAVE_H

#include "rdna_code.h"

enum { SIMD_WIDTH = RDNA_LANES };

typedef struct wave {
    uint32_t vgprs[RDNA_VGPRS][SIMD_WIDTH];
    uint32_t sgprs[RDNA_SGPRS];
    bool scc;
    bool waits; // at a barrier
    bool done;
    uint32_t at; // index of the next instruction
} wave;

typedef struct workgroup {
    const rdna_kernel *kernel;
    const rdna_dispatch *dispatch;
    rdna_counts *counts;
    unsigned char *lds;
    wave *waves;
    uint32_t wave_count;
    struct rdna_profiler *profiler; // or NULL
    const char *problem;            // or NULL
} workgroup;

static inline uint32_t read_scalar(const wave *wave, const operand *operand, uint32_t word) {
    switch (operand->kind) {
    case OPERAND_SGPR:
        return operand->index == RDNA_NULL ? 0 : wave->sgprs[operand->index + word];
    case OPERAND_SCC:
        return wave->scc && word == 0;
    default:
        return (uint32_t)(operand->value >> (32 * word));
    }
}

static inline uint64_t read_scalar_64(const wave *wave, const operand *operand) {
    return read_scalar(wave, operand, 0) | (uint64_t)read_scalar(wave, operand, 1) << 32;
}

static inline uint64_t exec_of(const wave *wave) {
    return wave->sgprs[RDNA_EXEC] | (uint64_t)wave->sgprs[RDNA_EXEC + 1] << 32;
}

// Returns the first active lane from `lane` on, or SIMD_WIDTH.
static inline uint32_t next_lane(const wave *wave, uint32_t lane) {
    const uint64_t mask = exec_of(wave);
    while (lane < SIMD_WIDTH && !(mask >> lane & 1u)) {
        lane++;
    }
    return lane;
}

static inline uint32_t read_lane(const wave *wave, const operand *operand, uint32_t lane) {
    uint32_t bits = operand->kind == OPERAND_VGPR ? wave->vgprs[operand->index][lane] : read_scalar(wave, operand, 0);
    bits = bits >> operand->shift & operand->mask;
    bits = operand->absolute ? bits & 0x7fffffffu : bits;
    return operand->negated ? bits ^ 0x80000000u : bits;
}

static inline uint64_t read_lane_64(const wave *wave, const operand *operand, uint32_t lane) {
    return operand->kind == OPERAND_VGPR
               ? wave->vgprs[operand->index][lane] | (uint64_t)wave->vgprs[operand->index + 1][lane] << 32
               : read_scalar_64(wave, operand);
}

// Returns the address of a lane's access to global memory.
static inline uint64_t global_address(const wave *wave, const instruction *in, uint32_t lane) {
    const operand *place = &in->operands[in->kind == RDNA_LOAD ? 1 : 0], *base = &in->operands[2];
    const uint64_t address = base->kind == OPERAND_OFF ? read_lane_64(wave, place, lane)
                                                       : read_scalar_64(wave, base) + read_lane(wave, place, lane);
    return address + (uint64_t)(int64_t)in->offsets[0];
}

#endif
