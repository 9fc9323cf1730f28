/// @file compare.h
/// Compares two sides' outputs bit by bit.
#ifndef LIMBER_COMPARE_H
#define LIMBER_COMPARE_H

#include <limber/batch.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What comparing found. Zero it first; every comparison adds to it, so several frames or batches can share one.
typedef struct lmb_comparison {
    uint64_t values[LMB_STAGE_COUNT];  ///< floats compared
    uint64_t differs[LMB_STAGE_COUNT]; ///< of them with other bits
    bool has_first;                    ///< the rest is set: the first difference met, in the order of data flow
    lmb_stage stage;
    uint32_t character;
    uint32_t joint; ///< for sockets the socket, for channels the channel, for bounds 0
    /// Below 10 for local (translation, rotation, scale), below 12 for matrices (row * 4 + column), below 8 for dual
    /// quaternions (rotation, dual part), below 6 for bounds (lowest corner, highest).
    uint32_t component;
    uint32_t bits_a;
    uint32_t bits_b;
    /// Number of floats between the two, +0 and -0 counted as neighbours; UINT32_MAX where one is NaN.
    uint32_t ulp;
} lmb_comparison;

/// Compares characters [first, first + count) of every stage among the batch's outputs. The two sides' pointers are
/// those of that range: element 0 is character `first`. Fails with #LMB_ERROR_ARGUMENT where one is NULL, or
/// the batch has fewer characters.
LMB_API lmb_result lmb_compare(const lmb_batch *batch, const lmb_batch_outputs *a, const lmb_batch_outputs *b,
                               uint32_t first, uint32_t count, lmb_comparison *comparison, lmb_error *error);

/// Sums over the stages.
LMB_API uint64_t lmb_comparison_values(const lmb_comparison *comparison);
LMB_API uint64_t lmb_comparison_differs(const lmb_comparison *comparison);

/// One line about the first difference, terminated, cut to `size`; "no difference" where there is none.
LMB_API void lmb_comparison_describe(const lmb_comparison *comparison, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
