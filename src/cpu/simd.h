// The CPU executor. It runs the shared operations for several characters at once, on the same joint of each. It is
// compiled with vectors once per instruction set, and once as plain C for one character. The plain C version is the
// reference, which defines the bits. src/cpu/cpu.c chooses a version at run time.
#ifndef LIMBER_SRC_CPU_SIMD_H
#define LIMBER_SRC_CPU_SIMD_H

#include "base/float_environment.h"
#include "clip_cache.h"

#include <limber/batch.h>

#define LMB_SIMD_ALIGNMENT 64u

// The characters of a run: `first` + i, or `first` + list[i].
typedef struct lmb_characters {
    uint32_t first;
    uint32_t count;
    const uint32_t *list; // or NULL
} lmb_characters;

// lmb_simd_..._scratch() returns the bytes of scratch that a run of the graph needs, aligned to LMB_SIMD_ALIGNMENT.
//
// lmb_simd_..._run() runs characters. The caller checks all arguments and sets the float environment. Offsets from
// `first` to the last character must be below 2^31 in all buffers. If the graph keeps memory, no character may be
// listed twice. The reference needs no cache.
#define LMB_DECLARE_SIMD(lanes)                                                                                        \
    size_t lmb_simd_##lanes##_scratch(const lmb_graph *graph);                                                         \
    LMB_NOINLINE void lmb_simd_##lanes##_run(const lmb_batch_def *batch, const lmb_batch_inputs *inputs,               \
                                             const lmb_batch_outputs *outputs, const lmb_characters *characters,       \
                                             clip_cache *cache, void *scratch);

LMB_DECLARE_SIMD(1)
// Versions for any graph, and for graphs that are plain (lmb_graph_is_plain()).
LMB_DECLARE_SIMD(4)
LMB_DECLARE_SIMD(4_plain)
LMB_DECLARE_SIMD(8)
LMB_DECLARE_SIMD(8_plain)
LMB_DECLARE_SIMD(16)
LMB_DECLARE_SIMD(16_plain)

#endif
