// Frames of workloads: their times, and whether their palettes have the bits of the reference.
#ifndef LIMBER_BENCH_LAB_FRAMES_H
#define LIMBER_BENCH_LAB_FRAMES_H

#include "lab.h"

// Prints a row for each workload and crowd.
void frames_run(lab *lab);

#endif
