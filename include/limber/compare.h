/// @file compare.h
/// @ingroup cpu
/// Compares the outputs of two sides bit by bit, for example those of the CPU and of the GPU.
#ifndef LIMBER_COMPARE_H
#define LIMBER_COMPARE_H

#include <limber/batch.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup cpu
/// @{

/// The result of comparisons. Start from zero. Each comparison adds to it, so several frames or batches can share one.
typedef struct lmb_comparison {
    uint64_t values[LMB_OUTPUT_COUNT];  ///< floats compared
    uint64_t differs[LMB_OUTPUT_COUNT]; ///< floats that have other bits
    /// Whether the members below are set. They are the first difference of the earliest comparison that has one, in the
    /// order of #lmb_output.
    bool has_first;
    lmb_output output;
    uint32_t character; ///< index in the batch, not in the range
    uint32_t joint;     ///< for sockets the socket; for channels, also those of local, the channel; for bounds 0
    /// Below 10 for local (translation, rotation, scale), or 10 for a channel of local; below 12 for matrices (4 row +
    /// column), below 8 for dual quaternions (rotation, dual part), below 6 for bounds (min corner, max corner).
    uint32_t component;
    uint32_t bits_a;
    uint32_t bits_b;
    /// The distance of the two in floats, where +0 and -0 are neighbours; UINT32_MAX if one is NaN.
    uint32_t ulp;
} lmb_comparison;

/// Compares characters [first, first + count) of every output of the batch.
///
/// Unlike those of lmb_cpu_run_range(), the pointers of both sides are those of that range: element 0 is character
/// `first`. Fails with #LMB_ERROR_ARGUMENT if the buffer of an output of the batch is NULL, or the batch has fewer
/// characters.
LMB_API lmb_result lmb_compare(const lmb_batch_def *batch, const lmb_batch_outputs *a, const lmb_batch_outputs *b,
                               uint32_t first, uint32_t count, lmb_comparison *comparison, lmb_error *error);

/// Returns the number of floats compared, in all outputs.
LMB_API uint64_t lmb_comparison_values(const lmb_comparison *comparison);
/// Returns the number of floats that differ, in all outputs.
LMB_API uint64_t lmb_comparison_differs(const lmb_comparison *comparison);

/// Writes one line about the first difference, terminated, cut to `size`; "no difference" if there is none.
LMB_API void lmb_comparison_describe(const lmb_comparison *comparison, char *text, size_t size);

/// @}

#ifdef __cplusplus
}
#endif

#endif
