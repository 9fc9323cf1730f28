/// @file batch.h
/// A batch: a number of characters that run one graph, and the layout of the buffers that belong to it. The layout is
/// the same on the CPU and on the GPU, so one can be compared with, or stand in for, the other.
///
/// With C characters, J joints, S sockets, M float channels and P parameters:
///
/// | buffer | shape | unit |
/// | --- | --- | --- |
/// | parameters | float [C][P] | as the graph's nodes use them |
/// | pose, local | float [C], each [10][J]: translation x y z, rotation x y z w, scale x y z; then [M] channels | relative to the parent; a pose buffer has lmb_graph_pose_joint_count() joints, and channels where those are as many as the rig's |
/// | model | float [C][J][3][4], row-major | joint space to model space |
/// | palette | float [C][J][3][4], row-major | bind pose's model space to model space: model times inverse bind |
/// | previous palette | float [C][J][3][4], row-major | the palette of the frame before, for motion vectors |
/// | dual quaternions | float [C][J][8]: rotation x y z w, dual part x y z w | bind pose's model space to model space |
/// | bounds | float [C][2][3]: lowest corner, highest corner | model space |
/// | sockets | float [C][S][3][4], row-major | socket space to model space: model of its joint times its own |
/// | channels | float [C][M] | as the rig's channels have it; angles in degrees, -180 to below 180 |
///
/// **Local and channels.** The float channels are behind the transforms in a pose, 10 J + M floats a character, so
/// that a local output is a pose buffer as it is; the stage "channels" has them by themselves, for a renderer that takes
/// morph weights. They are evaluated where one of the two is asked for; what is not finite in a pose buffer's channels is
/// refused, and counted, then. A rig without joints has bounds of nothing: lowest 2^40, highest -2^40.
///
/// **Previous palette.** Copied bit by bit, so that it stays beside the palette for as long as a renderer needs both;
/// where the host names none it equals the palette, and nothing moves. It needs #LMB_OUTPUT_PALETTE as well.
///
/// **Dual quaternions** are the rigid part of skinning, for renderers that blend (rotation, dual) pairs. The rotation r
/// is R(model) R(bind)*, with bind the inverse of the inverse bind matrix, and R the rotation in a matrix: its x axis
/// keeps its direction, its y axis its half of their plane, z = x cross y. The dual part is t r / 2, with
/// t = position - r bind_position r*, so the joint's bind position lands where the model matrix has it. Unit length within
/// 1e-6; each component within 2e-6 (the dual part: relative to the distances) of the same from the model matrix in
/// float64, over the sine of the angle between its x and y axes. Scale is left out except for what it does to positions: what scales alike in pose and bind pose, mirrors
/// included, cancels; a mirroring of the pose alone turns z around; shear (an uneven scale of a joint above) leaves what
/// R keeps. A zero x axis counts as y cross z, a y axis that is zero or within 2^-10 of x as z cross x; where fewer than two directions
/// are left, r is that of the parent. A bind pose without such a rotation counts as unrotated, an inverse bind matrix
/// without an inverse as the identity.
/// Sign: r and the parent's r have a dot product of at least 0 (further roots: with joint 0's; joint 0: with the
/// identity, so w >= 0), so that blends between neighbours take the short way.
///
/// **Bounds**: the smallest box around the boxes of all joints, joined in their order. A joint's box is that of the
/// ellipsoid that its model matrix makes of a sphere with lmb_joint_def.radius: position +- radius times the length of
/// the matrix's row (of the three linear columns). Where each radius holds the vertices bound to its joint, the box
/// holds the skinned mesh, up to rounding: a linearly blended vertex is between its places under each joint. All radii
/// 0: the box of the joints' positions.
#ifndef LIMBER_BATCH_H
#define LIMBER_BATCH_H

#include <limber/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LMB_POSE_COMPONENTS 10u
#define LMB_MATRIX_COMPONENTS 12u
#define LMB_DUAL_COMPONENTS 8u
#define LMB_BOX_COMPONENTS 6u

typedef enum lmb_stage {
    LMB_STAGE_LOCAL,
    LMB_STAGE_MODEL,
    LMB_STAGE_PALETTE,
    LMB_STAGE_PREVIOUS_PALETTE,
    LMB_STAGE_DUAL_QUATERNIONS,
    LMB_STAGE_BOUNDS,
    LMB_STAGE_SOCKETS,
    LMB_STAGE_CHANNELS,
    LMB_STAGE_COUNT
} lmb_stage;

/// "local", "model", "palette", "previous palette", "dual quaternions", "bounds", "sockets", "channels".
LMB_API const char *lmb_stage_name(lmb_stage stage);

/// Bits of `lmb_batch.outputs`.
#define LMB_OUTPUT_LOCAL (1u << LMB_STAGE_LOCAL)
#define LMB_OUTPUT_MODEL (1u << LMB_STAGE_MODEL)
#define LMB_OUTPUT_PALETTE (1u << LMB_STAGE_PALETTE)
#define LMB_OUTPUT_PREVIOUS_PALETTE (1u << LMB_STAGE_PREVIOUS_PALETTE)
#define LMB_OUTPUT_DUAL_QUATERNIONS (1u << LMB_STAGE_DUAL_QUATERNIONS)
#define LMB_OUTPUT_BOUNDS (1u << LMB_STAGE_BOUNDS)
#define LMB_OUTPUT_SOCKETS (1u << LMB_STAGE_SOCKETS)
#define LMB_OUTPUT_CHANNELS (1u << LMB_STAGE_CHANNELS)

/// What stages refuse while they run is replaced as the operation says, and counted, once for each character and
/// operation (for pose buffers and shear: for each joint; for #LMB_OP_WEIGHTED and #LMB_OP_LAYERS: for each of its weights). Counters are 32 bits
/// and wrap.
typedef enum lmb_refusal {
    LMB_REFUSED_CLIP,      ///< a clip index outside the graph's clips
    LMB_REFUSED_TIME,      ///< a clip time, rate or offset that is not finite
    LMB_REFUSED_WEIGHT,    ///< a weight, or a level of detail, that is NaN
    LMB_REFUSED_POSE,      ///< a joint of a pose buffer with a component that is not finite, or a zero rotation
    LMB_REFUSED_CHARACTER, ///< in a list of characters: an index outside the batch; once, a list longer than stated
    LMB_REFUSED_SHEAR,     ///< a joint's product or difference of #LMB_FORM_AFFINE that shears, or is flat
    LMB_REFUSAL_COUNT
} lmb_refusal;

/// A plain value: nothing to destroy. The graph must outlive every use.
typedef struct lmb_batch {
    const lmb_graph *graph;
    uint32_t character_count; ///< 0 is allowed and does nothing
    uint32_t outputs;         ///< LMB_OUTPUT_... bits; at least one
} lmb_batch;

/// Bits of lmb_batch.outputs that a batch of this graph may ask for: all, except for one that ends
/// with #LMB_OP_WEIGHTED_MATRIX local transforms and dual quaternions.
LMB_API uint32_t lmb_graph_outputs(const lmb_graph *graph);

/// Checks a batch: #LMB_ERROR_ARGUMENT where the graph is NULL, no or unknown output bits are set, or the previous
/// palette is asked for without the palette;
/// #LMB_ERROR_LIMIT where a buffer would not fit a size_t.
LMB_API lmb_result lmb_batch_check(const lmb_batch *batch, lmb_error *error);

/// Floats per character of a stage's buffer, whether or not it is among the batch's outputs; 0 for the sockets or channels of a rig
/// without any, for what belongs to joints where there are none, and for an unknown stage.
LMB_API uint32_t lmb_batch_stage_floats(const lmb_batch *batch, lmb_stage stage);

/// Caller-owned memory that a run reads. Aligned to 4.
typedef struct lmb_batch_inputs {
    /// May be NULL where the graph has none, and where lmb_cpu_run() takes those of `control` in their place.
    const float *parameters;
    /// Of a graph that has a lmb_graph_control(): the frame for it. Else NULL.
    const lmb_control_frame *control;
    const float *poses[LMB_MAX_POSES]; ///< as many as lmb_graph_pose_count()
    /// The whole batch's palette of the frame before, for #LMB_OUTPUT_PREVIOUS_PALETTE; NULL for the palette of this
    /// frame. It may be the very palette that is written: it is read first.
    const float *previous_palette;
} lmb_batch_inputs;

/// Caller-owned memory that a run writes. Aligned to 4; pointers of stages that are not among the outputs, or that have
/// no floats, are ignored.
typedef struct lmb_batch_outputs {
    float *stages[LMB_STAGE_COUNT];
    uint32_t *refused; ///< #LMB_REFUSAL_COUNT counters, added to; may be NULL
    /// Read too: uint32_t [C][lmb_graph_inertia_words()] that go from frame to frame, see inertia.h. Start from zero. NULL:
    /// nothing is inertialized.
    uint32_t *inertia;
} lmb_batch_outputs;

#ifdef __cplusplus
}
#endif

#endif
