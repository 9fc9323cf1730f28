// How many multiplications and additions a workload comes to.
#ifndef LIMBER_BENCH_OPERATIONS_H
#define LIMBER_BENCH_OPERATIONS_H

#include "workload.h"

// Float multiplications, additions and subtractions a joint, as counted by bench/count.sh in what the reference runs;
// 0 where it has not been counted.
double operations_of(workload_kind workload, actor_kind clips, bool compressed);

#endif
