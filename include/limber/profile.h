/// @file profile.h
/// @ingroup profiles
/// A profile: how long named stages took, as totals, as a window of the newest samples, and as a queue of events.
///
/// The profiles of the CPU (cpu_profile.h) and of the GPU (gpu_profile.h) each contain one. A host can add its own
/// stages to those, or create a profile for itself. Nothing here reads a clock: all times are nanoseconds that the
/// caller passes.
#ifndef LIMBER_PROFILE_H
#define LIMBER_PROFILE_H

#include <limber/batch.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup profiles
/// @{

#define LMB_MAX_PROFILE_STAGES 64u
#define LMB_MAX_PROFILE_WINDOW 65536u
#define LMB_MAX_PROFILE_EVENTS 16777216u

/// Times of named stages. One thread at a time may use it.
typedef struct lmb_profile lmb_profile;

/// The stages and sizes of a profile. Start from lmb_default_profile_def().
typedef struct lmb_profile_def {
    const char *const *stages; ///< names, copied
    uint32_t stage_count;      ///< 1 to #LMB_MAX_PROFILE_STAGES
    uint32_t window;           ///< newest samples of a stage that its median and history use; 0 takes 128
    uint32_t event_count;      ///< newest events that are kept until they are taken; 0 takes 1,024
} lmb_profile_def;

/// A window of 128 samples, 1,024 events; stages are needed.
LMB_API lmb_profile_def lmb_default_profile_def(void);

/// Creates a profile. Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_LIMIT, #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_profile_create(const lmb_profile_def *def, const lmb_host *host, lmb_profile **profile,
                                      lmb_error *error);
/// NULL is allowed.
LMB_API void lmb_profile_destroy(lmb_profile *profile);

/// Adds a sample: when a stage began and ended. Allocates nothing. Returns false and adds nothing if there is no such
/// stage or it ended before it began.
LMB_API bool lmb_profile_add(lmb_profile *profile, uint32_t stage, uint64_t begin, uint64_t end);
/// Removes all samples and events, for example after a warm-up.
LMB_API void lmb_profile_clear(lmb_profile *profile);

/// Returns the number of stages.
LMB_API uint32_t lmb_profile_stage_count(const lmb_profile *profile);
/// Returns a stage's name, which lives as long as the profile; "" if there is no such stage.
LMB_API const char *lmb_profile_stage_name(const lmb_profile *profile, uint32_t stage);

/// Durations in nanoseconds. All are zero if there is no sample, or no such stage.
typedef struct lmb_profile_totals {
    uint64_t count;  ///< number of samples since creation, or since lmb_profile_clear()
    uint64_t sum;    ///< of all samples
    uint64_t min;    ///< of all samples
    uint64_t max;    ///< of all samples
    uint64_t median; ///< of the samples in the window; the lower of the middle two if their number is even
    uint64_t newest;
} lmb_profile_totals;

/// Returns the totals of a stage.
LMB_API lmb_profile_totals lmb_profile_total(const lmb_profile *profile, uint32_t stage);

/// Writes the newest durations of a stage, at most the smaller of `count` and the window, oldest first. Returns how
/// many were written.
LMB_API uint32_t lmb_profile_history(const lmb_profile *profile, uint32_t stage, uint64_t *durations, uint32_t count);

/// When a stage began and ended, on the clock of the caller that added it.
typedef struct lmb_profile_event {
    uint32_t stage;
    uint64_t begin;
    uint64_t end;
} lmb_profile_event;

/// Removes up to `count` of the oldest events and writes them in the order in which they were added. Returns how many
/// were written.
LMB_API uint32_t lmb_profile_take(lmb_profile *profile, lmb_profile_event *events, uint32_t count);
/// Returns the number of events that were replaced by newer ones before they were taken.
LMB_API uint64_t lmb_profile_dropped(const lmb_profile *profile);

/// Returns how close a batch came to the minimum time that memory bandwidth allows.
///
/// This is the number of bytes of the batch's outputs, divided by `bytes_per_second` and by the time that the batch
/// took. 1 is the minimum time; less is slower. 0 if either number is not above 0, or lmb_batch_check() refuses the
/// batch.
LMB_API double lmb_profile_floor_share(const lmb_batch_def *batch, double bytes_per_second, double nanoseconds);

/// @}

#ifdef __cplusplus
}
#endif

#endif
