// Prints the profile of a kernel by phases.
#ifndef LIMBER_BENCH_KERNELS_PROFILE_H
#define LIMBER_BENCH_KERNELS_PROFILE_H

#include "rdna_profile.h"

// What a profile is of.
typedef struct profile_subject {
    const char *workload;
    const char *kernel;
    uint32_t items; // joints or characters: counts are printed for one of them
    uint32_t bands; // of the hierarchy (PROGRAM.bands): of the kernel that has phases; 0 for others
} profile_subject;

// Prints a row for all phases together, after a row for each phase if `by_phase` is true: lanes in use in percent,
// instructions times 32 lanes, of all kinds and of each, sectors loaded and stored; for a workgroup its cycles and the
// cycles of each cause; sectors fetched, as in rdna_profile.h.
void profile_print(const profile_subject *subject, const rdna_profile *profile, bool by_phase);

#endif
