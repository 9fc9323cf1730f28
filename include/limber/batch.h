/// @file batch.h
/// @ingroup cpu
/// Batches: a number of characters that run one graph, and the layout of their buffers. The layout is the same on the
/// CPU and on the GPU, so either one can be compared with the other or replace it.
///
/// With C characters, J joints, S sockets, M float channels and P = lmb_graph_info.parameter_count, which can be more
/// than lmb_graph_def.parameter_count:
///
/// | buffer | shape | unit |
/// | --- | --- | --- |
/// | parameters | float [C][P] | as the graph's nodes use them |
/// | points | float [C][lmb_graph_info.point_count][4]: x, y, z, and a number that is not read | see ik.h |
/// | world transforms | float [C][3][4], row-major | model space to world space |
/// | pose, local | float [C], each [10][J], then [M] channels | joint space to parent; channels as below |
/// | model | float [C][J][3][4], row-major | joint space to model space |
/// | palette | float [C][J][3][4], row-major | bind pose's model space to model space: model times inverse bind |
/// | previous palette | float [C][J][3][4], row-major | the palette of the previous frame, for motion vectors |
/// | dual quaternions | float [C][J][8]: rotation x y z w, dual part x y z w | bind pose's model space to model space |
/// | bounds | float [C][2][3]: min corner, max corner | model space |
/// | sockets | float [C][S][3][4], row-major | socket space to model space: model of its joint times its own |
/// | channels | float [C][M] | as the rig's channels define it; angles in degrees, -180 to below 180 |
///
/// **Poses, local and channels.** The 10 components of a joint are translation x y z, rotation x y z w, and scale x y
/// z. They are stored component after component, unlike an array of lmb_transform: component c of joint j of character
/// i is at [i (10 J + M) + c J + j], channel m at [i (10 J + M) + 10 J + m]. The float channels follow the transforms:
/// a pose has 10 J + M floats per character. So a local output can be used as a pose buffer unchanged. A pose buffer
/// has lmb_graph_pose_joint_count() joints, and channels only if that is the rig's joint count. The output "channels"
/// has the channels alone, for a renderer that reads morph weights. Channels are evaluated only if the output "local"
/// or "channels" is requested. Only then are the channels of a pose buffer checked, and refused if they are not finite.
///
/// **Previous palette.** It is copied bit by bit, so that it exists beside the palette for as long as a renderer needs
/// both. If the host gives none, it equals the palette, and nothing moves. It requires #LMB_OUTPUT_PALETTE_BIT.
///
/// **Dual quaternions** are the rigid part of skinning, for renderers that blend (rotation, dual) pairs.
/// - The rotation r is R(model) R(bind)*, where bind is the inverse of the inverse bind matrix, and R is the rotation
///   in a matrix: its x axis keeps its direction, its y axis keeps its half of the plane of x and y, and z = x cross y.
/// - The dual part is t r / 2, with t = position - r bind_position r*. So the joint's bind position moves to where the
///   model matrix moves it.
/// - The rotation has unit length within 1e-6. Each component is within 2e-6 (of the dual part: relative to the
///   distances) of the same computed from the model matrix in float64, divided by the sine of the angle between its x
///   and y axes.
/// - Scale is ignored except for its effect on positions. A scale, mirroring included, that pose and bind pose share
///   cancels. A mirroring of the pose alone reverses z. Of shear (from a non-uniform scale of an ancestor) only the
///   part that R keeps remains.
/// - A zero x axis is replaced by y cross z; a y axis that is zero, or within 2^-10 of x, by z cross x. If fewer than
///   two directions are left, r is that of the parent. A bind pose without such a rotation counts as unrotated, an
///   inverse bind matrix without an inverse as the identity.
/// - The sign of r is chosen so that r and the parent's r have a dot product of at least 0; blends between neighbouring
///   joints then go the short way. Further roots are compared with joint 0, and joint 0 with the identity, so that its
///   w is not negative.
///
/// **Bounds** are the smallest box around the boxes of all joints, joined in the order of the joints. The model matrix
/// of a joint turns a sphere with lmb_joint_def.radius into an ellipsoid, and the joint's box is the box of that:
/// position +- radius times the length of the matrix's row (of the three linear columns). If each radius encloses the
/// vertices bound to its joint, the box encloses the skinned mesh, up to rounding, because a linearly blended vertex is
/// between its positions under each joint. If all radii are 0, it is the box of the joints' positions. Extra joints
/// (lmb_joint_def.is_extra) with a radius of 0 are left out. A rig without other joints has an empty box: min 2^40,
/// max -2^40.
#ifndef LIMBER_BATCH_H
#define LIMBER_BATCH_H

#include <limber/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup cpu
/// @{

#define LMB_POSE_COMPONENTS 10u
#define LMB_MATRIX_COMPONENTS 12u
#define LMB_DUAL_COMPONENTS 8u
#define LMB_BOX_COMPONENTS 6u

/// Outputs of a batch.
typedef enum lmb_output {
    LMB_OUTPUT_LOCAL,
    LMB_OUTPUT_MODEL,
    LMB_OUTPUT_PALETTE,
    LMB_OUTPUT_PREVIOUS_PALETTE,
    LMB_OUTPUT_DUAL_QUATERNIONS,
    LMB_OUTPUT_BOUNDS,
    LMB_OUTPUT_SOCKETS,
    LMB_OUTPUT_CHANNELS,
    LMB_OUTPUT_COUNT
} lmb_output;

/// Returns the name of an output: "local", "model", "palette", "previous palette", "dual quaternions", "bounds",
/// "sockets", "channels".
LMB_API const char *lmb_output_name(lmb_output output);

/// Bits of `lmb_batch_def.outputs`.
#define LMB_OUTPUT_LOCAL_BIT (1u << LMB_OUTPUT_LOCAL)
#define LMB_OUTPUT_MODEL_BIT (1u << LMB_OUTPUT_MODEL)
#define LMB_OUTPUT_PALETTE_BIT (1u << LMB_OUTPUT_PALETTE)
#define LMB_OUTPUT_PREVIOUS_PALETTE_BIT (1u << LMB_OUTPUT_PREVIOUS_PALETTE)
#define LMB_OUTPUT_DUAL_QUATERNIONS_BIT (1u << LMB_OUTPUT_DUAL_QUATERNIONS)
#define LMB_OUTPUT_BOUNDS_BIT (1u << LMB_OUTPUT_BOUNDS)
#define LMB_OUTPUT_SOCKETS_BIT (1u << LMB_OUTPUT_SOCKETS)
#define LMB_OUTPUT_CHANNELS_BIT (1u << LMB_OUTPUT_CHANNELS)

/// Invalid input that is refused at run time, as an index into the counters of lmb_batch_outputs.refused.
///
/// The operation documents what replaces the input. A refusal counts once for each character, value and use: a point
/// with three NaN counts three times, and a coordinate of #LMB_OP_BILINEAR once for each blend that uses it. For pose
/// buffers it counts once for each read of a joint; for shear and ragdolls, once for each joint; for skins as skin.h
/// says. Counters have 32 bits and wrap.
typedef enum lmb_refusal {
    /// a clip index outside the graph's clips; a clip of a weight above 0 whose slot is empty
    LMB_REFUSED_CLIP,
    LMB_REFUSED_TIME, ///< a clip time, rate or offset, or a parameter of inertialization, that is not finite
    /// a weight, a level of detail, a coordinate of a point, or a time, velocity or planted foot, that is NaN; the
    /// weight of a morph target that is not finite
    LMB_REFUSED_WEIGHT,
    /// a joint or channel of a pose buffer that is not finite, a zero rotation; a world transform that is not finite or
    /// has no inverse, once for each point that it converts
    LMB_REFUSED_POSE,
    LMB_REFUSED_CHARACTER, ///< in a list of characters: an index outside the batch; once for a list longer than stated
    LMB_REFUSED_SHEAR,     ///< a joint of an additive of #LMB_FORM_AFFINE that shears, or is flat
    LMB_REFUSAL_COUNT
} lmb_refusal;

/// Characters that run one graph. It is a plain value, so there is nothing to destroy. The graph must outlive every
/// use.
typedef struct lmb_batch_def {
    const lmb_graph *graph;
    uint32_t character_count; ///< may be 0: only the refusal counters become 0
    uint32_t outputs;         ///< LMB_OUTPUT_..._BIT bits; at least one
} lmb_batch_def;

/// No characters, the palette; a graph is needed.
LMB_API lmb_batch_def lmb_default_batch_def(void);

/// Checks a batch.
///
/// Fails with #LMB_ERROR_ARGUMENT if batch or graph are NULL, if no or unknown output bits are set, if the graph lacks
/// an output (lmb_graph_info.outputs), or if the previous palette is requested without the palette; with
/// #LMB_ERROR_LIMIT if a buffer would not fit a size_t.
LMB_API lmb_result lmb_batch_check(const lmb_batch_def *batch, lmb_error *error);

/// Returns the number of floats per character in an output's buffer, whether or not the batch outputs it.
///
/// Returns 0 for the sockets or channels of a rig without any, for the outputs of joints in a rig without joints, and
/// for an unknown output.
LMB_API uint32_t lmb_batch_output_floats(const lmb_batch_def *batch, lmb_output output);

/// Caller-owned memory that a run reads, aligned to 4. Of these, a run writes only what `control` points to.
typedef struct lmb_batch_inputs {
    /// May be NULL if the graph has none. If the graph has a control, lmb_cpu_run() and lmb_cpu_run_range() read those
    /// of `control` instead, and ignore these. Runs without the control read these.
    const float *parameters;
    /// The frame for the graph's control (lmb_control_run()): its step and events are read, its states, parameters,
    /// emitted events and motions are written. NULL if the graph has none (lmb_graph_info.state_words).
    const lmb_control_frame *control;
    const float *poses[LMB_MAX_POSES]; ///< as many as lmb_graph_info.pose_count
    const float *points;               ///< may be NULL if lmb_graph_info.point_count is 0
    /// World transforms; may be NULL unless lmb_graph_info.uses_transforms. NULL: lmb_control_frame.matrices of
    /// `control`, which lmb_cpu_run() and lmb_cpu_run_range() fill in first, so nodes follow the character's own
    /// motion.
    const float *transforms;
    /// The whole batch's palette of the previous frame, for #LMB_OUTPUT_PREVIOUS_PALETTE_BIT. NULL takes the palette of
    /// this frame. It may be the same memory as the palette output, because it is read first.
    const float *previous_palette;
} lmb_batch_inputs;

/// Caller-owned memory that a run writes, aligned to 4. Buffers of outputs that the batch does not request, or that
/// have no floats, are ignored.
typedef struct lmb_batch_outputs {
    float *buffers[LMB_OUTPUT_COUNT];
    uint32_t *refused; ///< #LMB_REFUSAL_COUNT counters of what this run refused, overwritten; may be NULL
    /// uint32_t [C][lmb_graph_info.inertia_words]: read and written, kept from frame to frame (inertia.h, chain.h,
    /// ik.h). Start from zero. NULL: nothing is inertialized, no chain swings and no foot is locked. lmb_cpu_run() and
    /// lmb_cpu_run_range() fail then if the graph's machines have inertialized transitions; other runs do not.
    uint32_t *inertia;
    /// uint32_t [C][lmb_graph_info.reached_count]: 1 if a node reaches its target, or 0; written, kept from frame to
    /// frame (ik.h, "Reached"). May be NULL.
    uint32_t *reached;
} lmb_batch_outputs;

/// @}

#ifdef __cplusplus
}
#endif

#endif
