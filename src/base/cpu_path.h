// The CPU paths that this build and this processor have.
#ifndef LIMBER_SRC_BASE_CPU_PATH_H
#define LIMBER_SRC_BASE_CPU_PATH_H

#include <limber/cpu.h>

// The paths with vectors, the widest first, then the reference.
enum { LMB_CPU_WIDTHS = 4 };
extern const lmb_cpu_path lmb_cpu_widest_first[LMB_CPU_WIDTHS];

// Resolves the fast path to the widest path that this machine has.
lmb_cpu_path lmb_cpu_resolve(lmb_cpu_path path);
// Returns the lanes of a path, 1 for the reference; 0 for the fast path, and if this build lacks the path.
uint32_t lmb_cpu_lanes(lmb_cpu_path path);

#endif
