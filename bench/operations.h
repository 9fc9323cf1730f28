// The number of multiplications and additions of a workload.
#ifndef LIMBER_BENCH_OPERATIONS_H
#define LIMBER_BENCH_OPERATIONS_H

#include "workload.h"

// Returns float multiplications, additions and subtractions per joint, counted by bench/count.sh in the reference; 0 if
// they have not been counted.
double operations_of(workload_kind workload, actor_kind clips, bool compressed);

#endif
