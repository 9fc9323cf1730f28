// Internal view of a CPU executor, for profiles and for the cost of nodes.
#ifndef LIMBER_SRC_CPU_CPU_H
#define LIMBER_SRC_CPU_CPU_H

#include "base/host.h"
#include "simd.h"

#include <limber/cpu_profile.h>

typedef void lmb_run_function(const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                              const lmb_batch_outputs *outputs, const lmb_characters *characters, clip_cache *cache,
                              void *scratch);

// The code of a path and, of the fast path, of all narrower ones, the widest first: few characters take the narrowest
// that holds them.
typedef struct lmb_cpu_width {
    uint32_t lanes;
    lmb_run_function *run;
} lmb_cpu_width;

// How a profile runs the stages. lmb_cpu_set_profile() sets it, so that programs without profiles link none.
typedef struct lmb_cpu_profiler {
    // Runs the graph's control. The next run includes its time.
    lmb_result (*control)(const lmb_cpu *cpu, const lmb_control_frame *frame, uint32_t first, uint32_t count,
                          lmb_error *error);
    // Calls lmb_cpu_run_characters(), for at least 1 character.
    void (*run)(const lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                const lmb_batch_outputs *outputs, const lmb_characters *characters);
} lmb_cpu_profiler;

struct lmb_cpu {
    lmb_host host;
    const lmb_graph *graph;
    lmb_cpu_path path;
    lmb_cpu_width widths[LMB_CPU_PATH_COUNT];
    uint32_t width_count;
    lmb_cpu_profile *profile;         // or NULL
    const lmb_cpu_profiler *profiler; // of a profile
    clip_cache *cache;                // NULL for the reference
    void *memory;
    void *scratch;  // inside `memory`, aligned
    uint32_t *past; // inside `memory`: lmb_cpu_past_words()
    uint32_t reach; // characters from one to another one of a run, so that offsets stay below 2^31
};

// The words in which lmb_cpu_run_past() runs a character, and their sum. Not in past.c, which programs that only run
// batches do not link.
typedef struct lmb_past_words {
    uint32_t state, inertia, reached, parameters, emitted, motion, matrix;
} lmb_past_words;

lmb_past_words lmb_cpu_count_past(const lmb_graph *graph);
size_t lmb_cpu_past_words(const lmb_graph *graph);

// Runs poses. The caller has checked all arguments and set the default float environment. The last character of a list
// is less than cpu->reach from the first one.
void lmb_cpu_run_characters(const lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                            const lmb_batch_outputs *outputs, const lmb_characters *characters);
// The same, and writes no outputs.
void lmb_cpu_evaluate(const lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                      const lmb_characters *characters);

#endif
