/// @file cpu_profile.h
/// @ingroup profiles
/// Times runs on the CPU, by a clock of the host. The library reads no clock by itself. An lmb_cpu without a profile
/// reads none.
#ifndef LIMBER_CPU_PROFILE_H
#define LIMBER_CPU_PROFILE_H

#include <limber/cpu.h>
#include <limber/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup profiles
/// @{

/// The times of runs. One thread at a time may use it.
typedef struct lmb_cpu_profile lmb_cpu_profile;

/// A monotonic clock in nanoseconds, for example clock_gettime(CLOCK_MONOTONIC).
typedef struct lmb_clock {
    uint64_t (*now)(void *user);
    void *user;
} lmb_clock;

/// Stages of an lmb_cpu_profile. The host's own stages follow them.
typedef enum lmb_cpu_stage {
    /// "run": a run, from its first character to its last. Every run that has any characters, and each piece of a
    /// list, at most 1024 characters; costs two reads of the clock, and two more for the control.
    LMB_CPU_STAGE_RUN,
    /// "control": the part of lmb_cpu_run() and lmb_cpu_run_range() in which the graph's control runs (control.h).
    LMB_CPU_STAGE_CONTROL,
    /// "pose": the part of a run in which graphs are evaluated. This is an estimate, made in the first run of the
    /// profile and in each #LMB_CPU_PROFILE_PERIOD-th after it: the graph is evaluated twice beforehand for up to 64 of
    /// its characters, without writing anything, and the smaller time is scaled to the number of characters in the run.
    LMB_CPU_STAGE_POSE,
    LMB_CPU_STAGE_MODEL, ///< "model": the run without control and pose: hierarchy, palettes, and writing all outputs
    LMB_CPU_STAGE_COUNT
} lmb_cpu_stage;

#define LMB_CPU_PROFILE_PERIOD 16u

/// The clock and stages of a profile. Start from lmb_default_cpu_profile_def().
typedef struct lmb_cpu_profile_def {
    lmb_clock clock;
    const char *const *stages; ///< names of the host's own stages, copied: stage i is number #LMB_CPU_STAGE_COUNT + i
    uint32_t stage_count;
    uint32_t window;      ///< as in lmb_profile_def
    uint32_t event_count; ///< as in lmb_profile_def
} lmb_cpu_profile_def;

/// No stages of the host; a window of 128 samples, 1,024 events; a clock is needed.
LMB_API lmb_cpu_profile_def lmb_default_cpu_profile_def(void);

/// Creates a profile. Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_LIMIT, #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_cpu_profile_create(const lmb_cpu_profile_def *def, const lmb_host *host,
                                          lmb_cpu_profile **profile, lmb_error *error);
/// NULL is allowed. No lmb_cpu may still use it.
LMB_API void lmb_cpu_profile_destroy(lmb_cpu_profile *profile);

/// Times all later runs of `cpu`; NULL times none. The profile must outlive them. It does not change the bits of
/// results.
LMB_API void lmb_cpu_set_profile(lmb_cpu *cpu, lmb_cpu_profile *profile);

/// Returns the times, in the clock's own nanoseconds.
///
/// Events of the stages "control", "pose" and "model" follow each other within their run, although in fact the
/// characters alternate between the last two.
LMB_API lmb_profile *lmb_cpu_profile_times(lmb_cpu_profile *profile);

/// @}

#ifdef __cplusplus
}
#endif

#endif
