// Internal view of a CPU executor, for profiles and for the cost of nodes.
#ifndef LIMBER_SRC_CPU_H
#define LIMBER_SRC_CPU_H

#include "host.h"

#include <limber/cpu_profile.h>

typedef void lmb_run_function(const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                              const lmb_batch_outputs *outputs, uint32_t first, uint32_t count, void *scratch);

struct lmb_cpu {
    lmb_host host;
    const lmb_graph *graph;
    lmb_cpu_path path;
    lmb_run_function *run;
    lmb_cpu_profile *profile; // or NULL
    void *memory;
    void *scratch; // inside `memory`, aligned
};

// Resolves the fast path to the widest path that this machine has.
lmb_cpu_path lmb_cpu_resolve(lmb_cpu_path path);

// Evaluates graphs and writes no outputs. The caller has checked all arguments and set the default float environment.
void lmb_cpu_evaluate(const lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs, uint32_t first,
                      uint32_t count);

// Runs a control under the profile of `cpu`. The next run includes its time.
lmb_result lmb_cpu_profile_control(const lmb_cpu *cpu, const lmb_control *control, const lmb_control_frame *frame,
                                   uint32_t first, uint32_t count, lmb_error *error);
// Calls cpu->run() under the profile of `cpu`, for at least 1 character.
void lmb_cpu_profile_run(const lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                         const lmb_batch_outputs *outputs, uint32_t first, uint32_t count);

#endif
