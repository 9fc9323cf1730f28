// The CPU paths that this build and this processor have.
#ifndef LIMBER_SRC_BASE_CPU_PATH_H
#define LIMBER_SRC_BASE_CPU_PATH_H

#include <limber/cpu.h>

// Expands ROW(lanes) for each path with vectors that this build has.
#ifdef LMB_HAS_SIMD_4
#define LMB_ROW_4(ROW) ROW(4)
#else
#define LMB_ROW_4(ROW)
#endif
#ifdef LMB_HAS_SIMD_8
#define LMB_ROW_8(ROW) ROW(8)
#else
#define LMB_ROW_8(ROW)
#endif
#ifdef LMB_HAS_SIMD_16
#define LMB_ROW_16(ROW) ROW(16)
#else
#define LMB_ROW_16(ROW)
#endif
#define LMB_SIMD_PATHS(ROW) LMB_ROW_4(ROW) LMB_ROW_8(ROW) LMB_ROW_16(ROW)

// The paths with vectors, the widest first, then the reference.
enum { LMB_CPU_WIDTHS = 4 };
extern const lmb_cpu_path lmb_cpu_widest_first[LMB_CPU_WIDTHS];

// Resolves the fast path to the widest path that this machine has.
lmb_cpu_path lmb_cpu_resolve(lmb_cpu_path path);
// Returns the lanes of a path, 1 for the reference; 0 for the fast path, and if this build lacks the path.
uint32_t lmb_cpu_lanes(lmb_cpu_path path);

#endif
