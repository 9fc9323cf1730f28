// Characters that match motion of the mannequin's long takes. Each is asked for another course every 0.7 seconds.
#ifndef LIMBER_BENCH_TAKES_H
#define LIMBER_BENCH_TAKES_H

#include "workload.h"

// Creates the clips and the graph of the workload, whose actor is set and has the mannequin's body. Fails with
// LMB_ERROR_ARGUMENT if it has not.
lmb_result takes_create(workload *workload, lmb_error *error);
// Writes the host's parameters, as workload_fill_moving().
void takes_fill(const lmb_graph *graph, uint32_t characters, uint32_t frame, float *parameters);

#endif
