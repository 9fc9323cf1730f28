/// @file profile.h
/// A profile: how long named stages took, as totals, as a window of the newest samples and as events to take away. The
/// profiles of the CPU (cpu_profile.h) and of the GPU (gpu_profile.h) each keep one; a host can add stages of its own to
/// those, or create one for itself. Nothing here reads a clock: all times are nanoseconds that somebody hands in.
#ifndef LIMBER_PROFILE_H
#define LIMBER_PROFILE_H

#include <limber/batch.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LMB_MAX_PROFILE_STAGES 64u
#define LMB_MAX_PROFILE_WINDOW 65536u
#define LMB_MAX_PROFILE_EVENTS 16777216u

/// One thread at a time uses it.
typedef struct lmb_profile lmb_profile;

/// Start from zero, except for the stages.
typedef struct lmb_profile_def {
    const char *const *stages; ///< names, copied
    uint32_t stage_count;      ///< 1 to #LMB_MAX_PROFILE_STAGES
    uint32_t window;           ///< samples of a stage that its median and history look back on; 0 takes 128
    uint32_t event_count;      ///< events kept until they are taken, the newest ones; 0 takes 1,024
} lmb_profile_def;

/// Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_LIMIT, #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_profile_create(const lmb_profile_def *def, const lmb_host *host, lmb_profile **profile,
                                      lmb_error *error);
/// NULL is fine.
LMB_API void lmb_profile_destroy(lmb_profile *profile);

/// Adds a sample: a stage began and ended. Allocates nothing. False, and nothing is added, where there is no such stage
/// or it ended before it began.
LMB_API bool lmb_profile_add(lmb_profile *profile, uint32_t stage, uint64_t begin, uint64_t end);
/// Forgets all samples and events: after a warm-up, say.
LMB_API void lmb_profile_clear(lmb_profile *profile);

LMB_API uint32_t lmb_profile_stage_count(const lmb_profile *profile);
/// NULL where there is no such stage. Lives as long as the profile.
LMB_API const char *lmb_profile_stage_name(const lmb_profile *profile, uint32_t stage);

/// Durations in nanoseconds. All zero where there is no sample, or no such stage.
typedef struct lmb_profile_totals {
    uint64_t count;  ///< samples since creation, or since they were cleared
    uint64_t sum;    ///< of all of them
    uint64_t min;    ///< of all of them
    uint64_t max;    ///< of all of them
    uint64_t median; ///< of those in the window; the lower of the middle two where their number is even
    uint64_t newest;
} lmb_profile_totals;

LMB_API lmb_profile_totals lmb_profile_total(const lmb_profile *profile, uint32_t stage);

/// The newest durations of a stage, up to `count` and to the window, oldest first. Returns how many were written.
LMB_API uint32_t lmb_profile_history(const lmb_profile *profile, uint32_t stage, uint64_t *durations, uint32_t count);

/// When a stage began and ended, on the clock of whoever added it.
typedef struct lmb_profile_event {
    uint32_t stage;
    uint64_t begin;
    uint64_t end;
} lmb_profile_event;

/// Takes the oldest events away, up to `count`, in the order in which they were added. Returns how many were written.
LMB_API uint32_t lmb_profile_take(lmb_profile *profile, lmb_profile_event *events, uint32_t count);
/// Events that made room for newer ones before they were taken.
LMB_API uint64_t lmb_profile_dropped(const lmb_profile *profile);

/// How near a batch came to its floor: the time in which memory of `bytes_per_second` takes up what the batch writes, its
/// outputs and nothing else, over the time that it took. 1 is the floor, and less is slower. 0 where either number is
/// not above 0, or lmb_batch_check() refuses the batch.
LMB_API double lmb_profile_floor_share(const lmb_batch *batch, double bytes_per_second, double nanoseconds);

#ifdef __cplusplus
}
#endif

#endif
