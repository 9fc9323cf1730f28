/// @file cpu_profile.h
/// How long runs take on the CPU, by a clock of the host's: the library reads none by itself, and an lmb_cpu without a
/// profile runs as if there were no profiles.
#ifndef LIMBER_CPU_PROFILE_H
#define LIMBER_CPU_PROFILE_H

#include <limber/cpu.h>
#include <limber/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One thread at a time uses it.
typedef struct lmb_cpu_profile lmb_cpu_profile;

/// A clock that only goes forward, in nanoseconds: clock_gettime(CLOCK_MONOTONIC), say.
typedef struct lmb_clock {
    uint64_t (*now)(void *user);
    void *user;
} lmb_clock;

/// Stages of an lmb_cpu_profile. Those of the host follow.
typedef enum lmb_cpu_stage {
    /// "run": lmb_cpu_run_range() from its first character to its last. Every run that has any, at the cost of two
    /// looks at the clock.
    LMB_CPU_STAGE_RUN,
    /// "pose": the part of a run in which the graphs are evaluated. An estimate, at every #LMB_CPU_PROFILE_PERIOD th
    /// run, the first one included: the graphs of up to 64 of its characters are evaluated twice beforehand, with
    /// nothing written, and the lesser time is scaled to the number of characters in the run.
    LMB_CPU_STAGE_POSE,
    LMB_CPU_STAGE_MODEL, ///< "model": the rest of that run: hierarchy, palettes, and writing all outputs
    LMB_CPU_STAGE_COUNT
} lmb_cpu_stage;

#define LMB_CPU_PROFILE_PERIOD 16u

/// Start from zero, except for the clock.
typedef struct lmb_cpu_profile_def {
    lmb_clock clock;
    const char *const
        *stages; ///< names of stages of the host's own, copied: stage i is number #LMB_CPU_STAGE_COUNT + i
    uint32_t stage_count;
    uint32_t window;      ///< as in lmb_profile_def
    uint32_t event_count; ///< as in lmb_profile_def
} lmb_cpu_profile_def;

/// Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_LIMIT, #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_cpu_profile_create(const lmb_cpu_profile_def *def, const lmb_host *host,
                                          lmb_cpu_profile **profile, lmb_error *error);
/// NULL is fine. No lmb_cpu may use it any more.
LMB_API void lmb_cpu_profile_destroy(lmb_cpu_profile *profile);

/// Times all later runs of `cpu`; with NULL none. The profile must outlive them. Bits are the same with and without.
LMB_API void lmb_cpu_set_profile(lmb_cpu *cpu, lmb_cpu_profile *profile);

/// What was timed, in the clock's own nanoseconds. Events of the stages "pose" and "model" follow each other within their
/// run, though its characters in truth go through both in turn.
LMB_API lmb_profile *lmb_cpu_profile_times(lmb_cpu_profile *profile);

#ifdef __cplusplus
}
#endif

#endif
