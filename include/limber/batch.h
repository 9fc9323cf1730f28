/// @file batch.h
/// A batch: a number of characters that run one program, and the layout of the buffers that belong to it. The layout is
/// the same on the CPU and on the GPU, so one can be compared with, or stand in for, the other.
///
/// With C characters, J joints and P parameters:
///
/// | buffer | shape | unit |
/// | --- | --- | --- |
/// | parameters | float [C][P] | as the program's nodes use them |
/// | pose, local | float [C][10][J]: translation x y z, rotation x y z w, scale x y z | relative to the parent |
/// | model | float [C][J][3][4], row-major | joint space to model space |
/// | palette | float [C][J][3][4], row-major | bind pose's model space to model space: model times inverse bind |
#ifndef LIMBER_BATCH_H
#define LIMBER_BATCH_H

#include <limber/program.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LMB_POSE_COMPONENTS 10u
#define LMB_MATRIX_COMPONENTS 12u

typedef enum lmb_stage { LMB_STAGE_LOCAL, LMB_STAGE_MODEL, LMB_STAGE_PALETTE, LMB_STAGE_COUNT } lmb_stage;

/// "local", "model", "palette".
LMB_API const char *lmb_stage_name(lmb_stage stage);

/// Bits of `lmb_batch.outputs`.
#define LMB_OUTPUT_LOCAL (1u << LMB_STAGE_LOCAL)
#define LMB_OUTPUT_MODEL (1u << LMB_STAGE_MODEL)
#define LMB_OUTPUT_PALETTE (1u << LMB_STAGE_PALETTE)

/// What stages refuse while they run is replaced as the operation says, and counted, once for each character and
/// operation (for pose buffers: for each joint; for #LMB_OP_WEIGHTED: for each of its weights). Counters are 32 bits
/// and wrap.
typedef enum lmb_refusal {
    LMB_REFUSED_CLIP,   ///< a clip index outside the program's clips
    LMB_REFUSED_TIME,   ///< a clip time, rate or offset that is not finite
    LMB_REFUSED_WEIGHT, ///< a weight that is NaN
    LMB_REFUSED_POSE,   ///< a joint of a pose buffer with a component that is not finite, or a zero rotation
    LMB_REFUSAL_COUNT
} lmb_refusal;

/// A plain value: nothing to destroy. The program must outlive every use.
typedef struct lmb_batch {
    const lmb_program *program;
    uint32_t character_count; ///< 0 is allowed and does nothing
    uint32_t outputs;         ///< LMB_OUTPUT_... bits; at least one
} lmb_batch;

/// Checks a batch: #LMB_ERROR_ARGUMENT where the program is NULL, no or unknown output bits are set;
/// #LMB_ERROR_LIMIT where a buffer would not fit a size_t.
LMB_API lmb_result lmb_batch_check(const lmb_batch *batch, lmb_error *error);

/// Floats per character of a stage's buffer, whether or not it is among the batch's outputs.
LMB_API uint32_t lmb_batch_stage_floats(const lmb_batch *batch, lmb_stage stage);

/// Caller-owned memory that a run reads. Aligned to 4.
typedef struct lmb_batch_inputs {
    const float *parameters;           ///< may be NULL where the program has none
    const float *poses[LMB_MAX_POSES]; ///< as many as lmb_program_pose_count()
} lmb_batch_inputs;

/// Caller-owned memory that a run writes. Aligned to 4; pointers of stages that are not among the outputs are ignored.
typedef struct lmb_batch_outputs {
    float *stages[LMB_STAGE_COUNT];
    uint32_t *refused; ///< #LMB_REFUSAL_COUNT counters, added to; may be NULL
} lmb_batch_outputs;

#ifdef __cplusplus
}
#endif

#endif
