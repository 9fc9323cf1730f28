// The costs of a device's parts, by small kernels.
#ifndef LIMBER_BENCH_LAB_SMALL_H
#define LIMBER_BENCH_LAB_SMALL_H

#include "lab.h"

// Prints a row for each: dispatches, barriers, small transfers and timestamps; latencies; barriers in a workgroup;
// resident workgroups; types of memory.
void small_run(lab *lab);

#endif
