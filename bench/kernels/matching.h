// Crowds whose machine matches motion, of which every character searches in every frame, ten times a second.
#ifndef LIMBER_BENCH_KERNELS_MATCHING_H
#define LIMBER_BENCH_KERNELS_MATCHING_H

#include "workload.h"

#include <limber/motion_database.h>

// Searches, and those of them in which something else would have been found, or nothing decided between two rows.
typedef struct matching_counts {
    uint32_t searches;
    uint32_t jumps;
    uint32_t mirrored; // jumps to a mirrored row
    uint32_t ties;     // another row costs as much
    uint32_t tagged;   // another row without rules for tags
    uint32_t left_out; // another row if nothing was left out
    uint32_t others;   // the search of the database itself finds another row
} matching_counts;

typedef struct matching {
    workload workload;
    actor actor; // its rig alone
    struct walk_take *made;
    uint32_t take_count;
    bool varied;
    lmb_motion_database *database;
} matching;

// Creates a graph whose states are takes of 1,000 rows. If `varied` is true, there are tags that characters require or
// forbid, the fourth take is a loop, the last one is the first one again, so that there are ties, and rows count
// mirrored. Otherwise the crowd is that of limber-match-bench. The matching must be destroyed in any case, and stay
// where it is.
lmb_result matching_create(uint32_t take_count, bool varied, matching *matching, lmb_error *error);
void matching_destroy(matching *matching);

// Counts the searches of a frame from the states and the parameters after it. Repeats each one by
// lmb_motion_database_search().
void matching_count(const matching *matching, uint32_t characters, const uint32_t *state, const float *parameters,
                    matching_counts *counts);

#endif
