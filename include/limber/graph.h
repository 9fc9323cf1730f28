/// @file graph.h
/// @ingroup graphs
/// Animation graphs: nodes that produce poses, combine poses, or decide over time between poses.
///
/// lmb_graph_create() checks a graph and compiles it once. A batch (batch.h) then evaluates it for many characters. The
/// graph contains everything that a batch needs: rig, clips, masks. It is immutable once created, so any number of
/// threads and batches may share it. The one exception are clips that have slots (clip_slot.h), which can be added and
/// removed between frames.
///
/// The host drives a clip node through parameters, or the node plays by itself (lmb_player_def). A machine node has one
/// pose for each state. control.h describes everything that advances by itself; a graph without such nodes needs no
/// state.
///
/// A frame has these stages:
///
///     parameters, events
///        |  1 control   once per character (lmb_control_run()): transitions, fades, weights of all nodes from
///        |              the last one down, then clips and sync groups, root motion, emitted events
///        |  2 weights   once per character: weights of all nodes, targets of IK, each clip's position among its keys
///        |  3 pose      once per joint: sample clips of a weight above 0, the operations, inertialization
///        v  4 model     along the hierarchy
///     local transforms, model matrices, palette, dual quaternions, bounds, sockets, float channels (batch.h)
///
/// A graph without a control starts at stage 2. lmb_cpu_run() and lmb_gpu_batch_record() run all stages.
///
/// Conventions that all operations share:
/// - A node reads only nodes before it. The last node is the result.
/// - Formulas hold for each joint (#lmb_op). #lmb_op also describes the types of nodes, how weights pass from a node to
///   its inputs, and float channels.
/// - Weights are clamped to [0, 1] unless an operation says otherwise. A weight of a magnitude below 2^-40 counts as 0.
///   A weight that is NaN counts as 0 and is refused (#LMB_REFUSED_WEIGHT).
/// - Invalid input at run time is refused: it is replaced as the operation says, and counted (#lmb_refusal).
/// - Angles are radians, except those of joint limits and float channels, which are degrees. Defaults that are lengths
///   (of feet, gravity) are for metres.
/// - Error bounds are against the same formula in float64.
#ifndef LIMBER_GRAPH_H
#define LIMBER_GRAPH_H

#include <limber/chain.h>
#include <limber/clip_slot.h>
#include <limber/control.h>
#include <limber/ik.h>
#include <limber/inertia.h>
#include <limber/joint_limits.h>
#include <limber/joint_map.h>
#include <limber/lod.h>
#include <limber/mirror.h>
#include <limber/retarget.h>
#include <limber/twist.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup graphs
/// @{

#define LMB_MAX_INPUTS 16u        ///< inputs of an operation, except blend spaces and machines (#LMB_MAX_SPACE_INPUTS)
#define LMB_MAX_SPACE_INPUTS 64u  ///< inputs of a blend space, states of a machine
#define LMB_MAX_STACK 11u         ///< poses held at once while a graph runs; see lmb_graph_info.stack
#define LMB_MAX_CHANNEL_STACK 81u ///< values of a float channel held at once; see lmb_graph_create()
#define LMB_MAX_PARAMETERS 1024u  ///< of a character, with those that the graph appends
#define LMB_MAX_POSES 8u          ///< pose buffers of one batch
#define LMB_MAX_NODES 4096u
#define LMB_MAX_CLIPS 65536u ///< of one graph
#define LMB_MAX_MASKS 65536u ///< of one graph
#define LMB_MAX_EXCHANGES                                                                                              \
    64u ///< poses that a graph reads at other joints, counted per use; see lmb_graph_info.exchange_count

/// The operation of a node.
///
/// **Notation.** a, b, ... are the inputs in their order; t, q and s are the translation, rotation and scale of a
/// joint; w is the node's weight after its curve. q* is the conjugate of a rotation, 1 the identity; slerp(1, d, w) is
/// d to the power w. A formula for t, q or s names only the poses: `t = a - b` subtracts the translations of a and b.
///
/// **Types.** A node is either a pose or an additive, which is a change between poses. lmb_graph_create() refuses a
/// graph that mixes the two:
/// - #LMB_OP_REST is a pose. #LMB_OP_CLIP is what lmb_clip_info.is_additive says, or either if it may play clips of
///   both types (lmb_node_def.clip). #LMB_OP_POSE is either; only the host knows which.
/// - #LMB_OP_MAKE_ADDITIVE takes two inputs of one type and gives an additive.
/// - #LMB_OP_ADDITIVE takes a base of any type and an additive. The result has the type of the base. It must have the
///   form and the space of each #LMB_OP_MAKE_ADDITIVE that made the additive.
/// - #LMB_OP_CLAMP, #LMB_OP_IK_TWO_BONE, #LMB_OP_IK_AIM, #LMB_OP_FOOT_PLACEMENT, #LMB_OP_TWIST, #LMB_OP_CHAIN and
///   #LMB_OP_RETARGET take poses.
/// - #LMB_OP_ADD, #LMB_OP_SUBTRACT and #LMB_OP_SUBTRACT_SCALE_ADD take any types. A sum is an additive if both terms
///   are, otherwise a pose. A pose minus an additive is a pose; every other difference is an additive.
/// - Every other operation takes inputs of one type and gives that type.
///
/// The result of a graph may be an additive, for a host that stores it. Operations fall back to the rest pose where no
/// input counts (such as all weights 0); if the node is an additive, they fall back to no change instead. There a node
/// that is either counts as a pose.
///
/// **Weights.** The weight W of each node in the result is computed before any joint, from the last node down. The last
/// node has weight 1. A node that is used several times has a W for each use. A node of weight W passes on:
/// - #LMB_OP_BLEND: (1-w) W to a, w W to b. #LMB_OP_BILINEAR and #LMB_OP_TRILINEAR pass on weights as the blends that
///   they consist of.
/// - #LMB_OP_MASKED, #LMB_OP_PARTIAL, #LMB_OP_ADDITIVE: W to the first input, |w| W, at most W, to the second (of a
///   partial, 2^-40 W at least). #LMB_OP_SUBTRACT_SCALE_ADD: W to base, min(|w|, 1) W to a and to b. #LMB_OP_SCALE: |w|
///   W, at most W.
/// - #LMB_OP_WEIGHTED, #LMB_OP_WEIGHTED_MATRIX, #LMB_OP_LAYERS, #LMB_OP_MACHINE and blend spaces: W times each input's
///   share. In layers with masks or joint weights, an input's share is the largest that it can have at any joint: its
///   fade / max(h, s), at most 1, times max(0, 1 - s' / h) for each higher layer. s and s' are the sums of the fades of
///   inputs without masks and joint weights, in its own layer and in that layer; h is `threshold`, at least 2^-60.
/// - Every other operation: W to each input.
///
/// These weights are never negative. Root motion has signed ones (lmb_motion_def, "Motion weights").
///
/// A clip of weight 0 is not sampled: the rest pose, or no change, replaces it. This changes no output, but it can
/// change how many shears are counted. What only serves an input of weight 0, such as the blend space of a state that
/// is not seen, is not evaluated, and values that only it would take from an override's buffer are not refused. Nodes
/// of inverse kinematics, feet and chains always run, and see their input as if they were seen. The second input of
/// #LMB_OP_PARTIAL is always sampled, because it shows where the first one is absent.
///
/// **Float channels.** Operations treat the value of a float channel as they treat one component of a translation:
/// - #LMB_OP_REST, #LMB_OP_CLIP and #LMB_OP_POSE give its rest value, sample it and read it.
/// - Blends are (1-w) a + w b, whatever their `interpolation`. Weighted blends are weighted means.
/// - Additives and sums are `a - r`, `base + w d`, `a + b`, `a - b`, `w a`. `form` and `space` make no difference.
/// - Masks and joint weights have one byte per channel after those of the joints; #LMB_OP_PARTIAL blends channels by
///   it.
/// - Mirrors have a partner and a sign for each channel (mirror.h), joint limits a range (joint_limits.h).
///
/// Channels that are angles differ as follows:
/// - The difference of two angles is the short way, in [-180, 180). For opposite angles that is -180.
/// - A blend is a + w (b - a) with that difference. If `shortest` is false, it is (1-w) a + w b.
/// - #LMB_OP_WEIGHTED, #LMB_OP_LAYERS, #LMB_OP_MACHINE and blend spaces may have inputs all round the circle. Before
///   they average, they unwrap each input to within 180 of the input that has the largest weight (the first of
///   several).
/// - Every result is wrapped to [-180, 180), which is exact.
///
/// Both ends of a blend and the mean of equal values are exact. Other values are within 1e-6 of the largest value
/// involved, angles within 1e-6 times 180; for weights outside [0, 1] four times that.
///
/// **Error bounds** that hold unless an operation states its own: rotations within 1e-6 in each component, after a
/// slerp or a normalised sum. Scale within 2e-6, relative, where b/a is from 2^-8 to 2^8, and within 1e-5 for any other
/// ratio of values that snapping (#LMB_SMALLEST, #LMB_LARGEST) leaves unchanged. #lmb_mix, #lmb_form and #lmb_space
/// state the bounds of their choices.
typedef enum lmb_op {
    /// The rest pose. No inputs.
    LMB_OP_REST,

    /// Samples a clip. No inputs. For a part of a clip, give the graph a clip that lmb_clip_cut() made.
    ///
    /// The time in the clip is `time` * `rate` + `offset`, clamped to [0, duration], or looped over it (`loop`). A clip
    /// with a `player` plays by itself instead.
    LMB_OP_CLIP,

    /// Reads a pose from the batch's pose buffer `pose`, or from the graph's static pose `static_pose`. No inputs.
    ///
    /// A joint of a pose buffer with a component that is not finite, or with a zero rotation, is refused
    /// (#LMB_REFUSED_POSE) and becomes the rest pose, also in a buffer that contains additives. A channel that is not
    /// finite is refused in the same way.
    LMB_OP_POSE,

    /// Blends from a to b by `weight`. Inputs: a, b.
    ///
    ///     t = (1-w) a + w b
    ///     q = slerp(a, b, w), the short way
    ///     s = a (b/a)^w
    ///
    /// Scale interpolates linearly where either value is zero or the signs differ. `interpolation` and `shortest`
    /// choose other formulas (#lmb_mix). At weights 0 and 1 the result is exactly a or b, except that the rotation is
    /// renormalised; it has the sign of a's or b's own quaternion there. In between it is in the hemisphere of a.
    LMB_OP_BLEND,

    /// #LMB_OP_BLEND with w multiplied by mask/255 of the joint (`mask`). Inputs: a, b.
    LMB_OP_MASKED,

    /// Blends 2 to 16 inputs by `weights`, divided by their sum.
    ///
    /// - Translation: the weighted mean.
    /// - Rotation: the normalised weighted sum. Each input is first turned to the hemisphere of the sum so far, in the
    ///   order of the inputs. If the sum is shorter than 2^-20, the rotation is that of the rest pose.
    /// - Scale: the weighted geometric mean, or the weighted mean where an input is zero or differs in sign from the
    ///   first.
    ///
    /// Weights are clamped to [0, 2^40]. Inputs of weight 0 change nothing. If all weights are 0, the result is the
    /// rest pose. `interpolation` and `shortest` choose other formulas (#lmb_mix).
    LMB_OP_WEIGHTED,

    /// Makes the additive that turns r into a. Inputs: a, r.
    ///
    ///     t = a - r
    ///     q = r* a
    ///     s = a / r, or 1 where r is zero
    ///
    /// `form` and `space` choose other formulas (#lmb_form, #lmb_space).
    LMB_OP_MAKE_ADDITIVE,

    /// Adds the additive d to a base by `weight`. Inputs: base, d.
    ///
    ///     t = base + w d
    ///     q = base slerp(1, d, w)
    ///     s = base d^w
    ///
    /// A mask (`mask`) multiplies w by mask/255 of the joint. `unclamped` allows w from -4 to 4, as in #LMB_OP_SCALE.
    /// `interpolation` and `shortest` choose how d is scaled by w (#lmb_mix), `form` and `space` how it is applied
    /// (#lmb_form, #lmb_space). An additive that #LMB_OP_MAKE_ADDITIVE made of a and r, added to r with weight 1 and
    /// the same form, gives a.
    ///
    /// Weight -w undoes weight w with slerp, the default: rotations within 1e-5 in each component, scales too where d's
    /// are positive. It does so in every form and space except #LMB_FORM_AFFINE. #LMB_MIX_NLERP and #LMB_MIX_LERP do
    /// not undo: of a turn by 90 degrees, 0.5 and -0.5 leave 11 degrees.
    LMB_OP_ADDITIVE,

    /// Blends b over a by `weight` and by the joint weights of both. Inputs: a, b.
    ///
    /// A pose has a weight from 0 to 255 for each joint: that of its clip (lmb_clip_def.joint_weights, or
    /// `joint_weights`), or 255 without one. 0 means that the joint is absent. With joint weights wa and wb, the result
    /// is #LMB_OP_BLEND by
    ///
    ///     blend  = (wb - wa + w wa) / wb  if wb > wa,  else  w wb / wa
    ///     weight = (1 - blend) wa + blend wb, rounded
    ///
    /// where `weight` is the joint weight of the result. If one input lacks the joint, the result is the other. If both
    /// lack it, the joint is absent from the result, and its transform is that of b, which is the rest pose if b does
    /// not move it.
    ///
    /// Every other operation passes on the joint weights of its first input, except that #LMB_OP_COMBINE passes on
    /// those of the input that it takes the joint from, and weighted sums, layers, machines and blend spaces pass on
    /// the largest joint weight among the inputs that count. The rest pose below layers counts with 255.
    LMB_OP_PARTIAL,

    /// Combines inputs in layers by priority; each layer is faded in over those below. Inputs: 2 to 16.
    ///
    /// `priorities` assigns inputs to layers; inputs of equal priority are one layer, and higher priorities are above
    /// lower ones. `weights` are the fades, clamped to [0, 1]. Within a layer an input weighs its fade, divided by the
    /// sum of the layer's fades or by `threshold` (1 by default), whichever is more. The sum of these weights, at most
    /// 1, is the fade f of the layer. The highest layer n takes f_n of the whole, the next one f_(n-1) (1 - f_n), and
    /// so on. The rest pose takes what all layers leave. The resulting weights are used as in #LMB_OP_WEIGHTED, in the
    /// order of the inputs. So the order within a layer matters no more than it does there. A layer of fade 1 hides all
    /// layers below it, to the bit.
    ///
    /// (Priorities work as in the layers of Unity's legacy animation: higher layers take their weights first, and lower
    /// ones share the remainder.)
    ///
    /// An input may have a mask (`masks`), and an input that is a clip has the clip's joint weights. Then the weights
    /// are computed per joint, and the fade is multiplied by mask/255 and by joint weight/255. So legs can walk under
    /// arms that hold something: where a layer has no share of a joint, the layers below it show. Masks of 255 give the
    /// same bits as no masks. Joint weights deeper inside an input, as in a blend of clips, do not count: give the
    /// input a mask.
    ///
    /// With `threshold` 0 the masked fades of a layer are divided by their sum at each joint, so the layers below show
    /// only where all of them are 0. A single layer with masks and a small threshold is the partial blending of ozz: at
    /// a joint whose sum is below the threshold, the rest pose takes what is missing.
    ///
    /// Each weight is within 1e-6 of float64.
    LMB_OP_LAYERS,

    /// Mirrors a pose: each joint takes the reflection of its partner in a. Inputs: a. See mirror.h.
    LMB_OP_MIRROR,

    /// Clamps each joint of a to its joint limits. Inputs: a. See joint_limits.h.
    LMB_OP_CLAMP,

    /// Adds b to a. Inputs: a, b.
    ///
    ///     t = a + b
    ///     q = a b
    ///     s = a b
    LMB_OP_ADD,

    /// Subtracts b from a. Inputs: a, b.
    ///
    ///     t = a - b
    ///     q = a b*
    ///     s = a / b, or 1 where b is zero
    LMB_OP_SUBTRACT,

    /// Scales a pose or an additive by `weight`, from -4 to 4. Inputs: a.
    ///
    ///     t = w a
    ///     q = a^w = slerp(1, a, w)
    ///     s = a^w
    ///
    /// The angle of the result is w times that of a. Outside [0, 1] a is raised to the integer part of w and to the
    /// rest of w.
    LMB_OP_SCALE,

    /// Computes w (a - b) + base. Inputs: a, b, base. `weight` is from -4 to 4.
    ///
    /// It consists of #LMB_OP_SUBTRACT, #LMB_OP_SCALE and #LMB_OP_ADD: q = (a b*)^w base. For base b and w 1 it gives
    /// a.
    LMB_OP_SUBTRACT_SCALE_ADD,

    /// Blends four inputs at the corners of a square. Inputs: 4.
    ///
    /// Blends inputs 0 and 1, and inputs 2 and 3, by coordinates[0], then both results by coordinates[1].
    LMB_OP_BILINEAR,

    /// Blends eight inputs at the corners of a cube. Inputs: 8.
    ///
    /// Blends inputs 0 to 3, and inputs 4 to 7, as #LMB_OP_BILINEAR does, then both results by coordinates[2].
    LMB_OP_TRILINEAR,

    /// Takes each joint from the last input that has it, or from the rest pose. Inputs: 1 to 16.
    ///
    /// `joint_maps` gives each input the joint map of a subset of the rig's joints (joint_map.h). The sources inside
    /// such an input have the joints of the subset, so their poses are smaller than those of the rig. The result takes
    /// the rig's joints that the joint map has from this input, to the bit; later inputs override earlier ones. An
    /// input without a joint map is a whole pose and has all joints.
    ///
    /// Combines may be nested. Of two joint maps around a source, the inner one defines the joints of the source, the
    /// outer one which joints are taken in the end. A clip whose joint count differs from the one required here is
    /// replaced by the rest pose and refused (#LMB_REFUSED_CLIP), if a parameter chooses it; if the node names it,
    /// lmb_graph_create() fails.
    LMB_OP_COMBINE,

    /// Blends the two inputs next to a coordinate on a line: a 1D blend space. Inputs: 2 to 64.
    ///
    /// The x of `positions` places the inputs, in any order and range; no two may be equal. coordinates[0] gives the
    /// coordinate p, which is clamped to the first and the last position. Between adjacent positions a and b the
    /// weights are
    ///
    ///     1 - t and t with t = (p - a) / (b - a)
    ///
    /// At a position its input's weight is exactly 1 and all others are 0. Weights are used as in #LMB_OP_WEIGHTED;
    /// inputs of weight 0 change nothing. A coordinate that is NaN counts as 0 and as a refused weight; its magnitude
    /// is limited to 2^40. Weights are within 1e-6 of float64.
    LMB_OP_SPACE1D,

    /// Blends the inputs around a point in the plane: a 2D blend space. Inputs: 2 to 64.
    ///
    /// `positions` places the inputs, in any order and range. Let the range be the larger of the two differences
    /// between the largest and the smallest x, and y; and the middle the middle of their bounding box. Two positions
    /// that differ by at most 2^-20 of the range on both axes are refused as equal. coordinates[0] and coordinates[1]
    /// give the point p. `space2d` chooses how weights, which sum to 1, follow from p (#lmb_space2d). At a position its
    /// input's weight is exactly 1 and all others are 0. Weights are used as in #LMB_OP_WEIGHTED; inputs of weight 0
    /// change nothing. A coordinate that is NaN counts as 0 and as a refused weight; its magnitude is limited to 2^40.
    ///
    /// If p is farther from the middle than 1024 times the range, the point at that distance in its direction is used,
    /// except in a grid.
    LMB_OP_SPACE2D,

    /// Blends the local matrices of its inputs by `weights`, element by element. Inputs: 2 to 16.
    ///
    /// It sums the matrices T R S, each times its weight over the sum of weights (linear blending of matrices, as
    /// skinning does with its influences). Weights are those of #LMB_OP_WEIGHTED; if all are 0, the result is the rest
    /// pose.
    ///
    /// Where rotations differ, the result is smaller than either input, and it can shear, so it is not a pose. It can
    /// only be a graph's last operation, and a batch then outputs model matrices and what follows from them, but no
    /// local transforms and no dual quaternions (lmb_graph_info.outputs).
    ///
    /// Elements are within 1e-6 of float64 times the largest element of the inputs: translation elements relative to
    /// the translations, the other nine relative to those nine. Float channels are the weighted mean.
    LMB_OP_WEIGHTED_MATRIX,

    /// Takes joints from a pose buffer or a static pose, each with a weight of its own: a ragdoll. Inputs: a.
    ///
    /// Each joint is #LMB_OP_BLEND from a to the pose of #LMB_OP_POSE (`pose`, `static_pose`), with w multiplied by
    /// mask/255 of the joint (`mask`, or 1 without a mask). Where that product is 0, the result is a, to the bit, and
    /// the buffer is not read: for characters of weight 0 it may contain anything, and nothing is refused. Where it is
    /// 1, the result is the buffer's joint.
    LMB_OP_OVERRIDE,

    /// Turns two joints of a so that a third one reaches a target: inverse kinematics of a limb. Inputs: a. See ik.h.
    LMB_OP_IK_TWO_BONE,

    /// Turns a chain of up to eight joints of a so that an axis of the first one points at a target. Inputs: a. See
    /// ik.h.
    LMB_OP_IK_AIM,

    /// Moves up to four feet of a to the ground, lowers the pelvis and turns the feet to the ground's slope. Inputs: a.
    /// See ik.h.
    LMB_OP_FOOT_PLACEMENT,

    /// Gives up to eight helper joints of a a share of the twist of another joint. Inputs: a. See twist.h.
    LMB_OP_TWIST,

    /// Lets a chain of joints of a swing after its animation: a tail, hair. Inputs: a. See chain.h.
    LMB_OP_CHAIN,

    /// Plays clips and poses of another rig. Inputs: a, whose sources have the joints of `retarget`. See retarget.h.
    ///
    /// It is no step of its own: each source inside is converted to the graph's rig where it is read, and the result is
    /// a. A clip whose joint count differs from the source's is refused (#LMB_REFUSED_CLIP), if a parameter chooses it;
    /// if the node names it, lmb_graph_create() fails. Clips that are refused, and joints of pose buffers that are,
    /// become the rest pose of the source.
    LMB_OP_RETARGET,

    /// A state machine: #LMB_OP_WEIGHTED with the weights of its states. Inputs: 1 to 64, one for each state. See
    /// control.h.
    LMB_OP_MACHINE,
    LMB_OP_COUNT
} lmb_op;

/// Returns the name of an operation, "rest", "clip" and so on; never NULL. The text is static.
LMB_API const char *lmb_op_name(lmb_op op);

/// How an operation interpolates between poses: `interpolation` of a node.
///
/// It applies to blend, masked, weighted, bilinear, trilinear, additive, scale and subtract-scale-add; the last three
/// interpolate from no change. `shortest` applies to the same operations. Every other operation uses #LMB_MIX_DEFAULT
/// and goes the short way. `linear_scale` applies to these operations, layers, machines and blend spaces: scale is then
/// that of #LMB_MIX_LERP, whatever the rotation. With #LMB_MIX_SLERP, weighted sums are those of three.js; with
/// #LMB_MIX_NLERP, those of ozz.
///
/// If `shortest` is false, quaternions are used as they are: with a negative dot product the rotation goes the long
/// way.
typedef enum lmb_mix {
    /// Spherical linear interpolation: rotation slerp(a, b, w), scale a (b/a)^w.
    ///
    /// Weighted: slerp from input to input in their order, skipping those of weight 0:
    ///
    ///     q_k = slerp(q_(k-1), q_k, w_k / (w_1 + ... + w_k))
    ///
    /// For two inputs this is a blend; for more the result depends on their order.
    ///
    /// The long way goes through the normalised a + b. If that sum is shorter than 2^-10 (opposite quaternions), the
    /// result stays at a.
    ///
    /// Errors: within 1e-6; the long way within 1e-6 times 2 / |a + b|; weighted within 1e-6 for each input. Powers
    /// outside [0, 1] are within 4e-6, the long way within 1e-5 times 2 / |1 + q|.
    LMB_MIX_SLERP,
    /// The rotation is the normalised sum (1-w) a + w b; scale is that of #LMB_MIX_SLERP.
    ///
    /// A sum shorter than 2^-20 gives a; in weighted it gives the rotation of the rest pose. Within 1e-6, for weights
    /// outside [0, 1] within 3e-6.
    LMB_MIX_NLERP,
    /// Linear interpolation of each component, scale included.
    ///
    /// The rotation is normalised afterwards, as in every pose, so it is that of #LMB_MIX_NLERP. Weighted: as
    /// #LMB_MIX_NLERP, but with the weighted mean of scales. Errors are those of #LMB_MIX_NLERP.
    LMB_MIX_LERP,
    LMB_MIX_DEFAULT, ///< nlerp for weighted, layers, machines and blend spaces; slerp for all others
    LMB_MIX_COUNT
} lmb_mix;

/// On which side #LMB_OP_MAKE_ADDITIVE and #LMB_OP_ADDITIVE apply the rotation of an additive.
typedef enum lmb_form {
    /// On the right, in the joint's own space: q = r* a and q = base slerp(1, d, w).
    LMB_FORM_LOCAL,
    /// On the left, in the parent's space: q = a r* and q = slerp(1, d, w) base. t and s are those of #LMB_FORM_LOCAL.
    LMB_FORM_PARENT,
    /// On the left, as full matrices, so that translation and scale take part.
    ///
    /// With M(x) the matrix of a transform, #LMB_OP_MAKE_ADDITIVE computes M(a) M(r)^-1, and #LMB_OP_ADDITIVE computes
    /// M(slerp(1, d, w)) M(base), where t, q and s of d each go from no change by w. The resulting matrix is then
    /// decomposed into t, q and s.
    ///
    /// Decomposition is impossible if the matrix shears, which needs a non-uniform scale that is not along the axes of
    /// what it scales. The joint is refused and counted (#LMB_REFUSED_SHEAR) if the cosine between two axes exceeds
    /// 1e-4, if an axis is shorter than 2^-20 of the longest, or if #LMB_OP_MAKE_ADDITIVE divides by a zero scale. The
    /// result is then that of #LMB_FORM_PARENT, which has the same rotation.
    ///
    /// Let S be the scale of the left factor and Q the rotation of the right factor. If S leaves the axes of Q in
    /// place, signs included, the product has the rotation of these axes. If S mirrors them so that it does not (mixed
    /// signs, not along the axes), S acts as half a turn about the axis whose sign differs from the other two, and the
    /// scale has one sign for all axes. The result is then right as a matrix, but its rotation and the signs of its
    /// scale may differ from those of the factors.
    ///
    /// Within 4e-6: distances relative to the sum of those involved; up to 1.5e-4 where the axes are nearly sheared.
    LMB_FORM_AFFINE,
    LMB_FORM_COUNT
} lmb_form;

/// In which space #LMB_OP_MAKE_ADDITIVE and #LMB_OP_ADDITIVE combine rotations.
typedef enum lmb_space {
    LMB_SPACE_LOCAL, ///< each joint's local rotation; see #lmb_form
    /// Model space, on the left, as the mesh-space additive of Unreal. Not for #LMB_FORM_AFFINE.
    ///
    /// Let x_m be the rotation of a joint in model space: the product of the rotations of its ancestors, root first,
    /// and its own. #LMB_OP_MAKE_ADDITIVE computes q = a_m r_m*. #LMB_OP_ADDITIVE turns the base by P = slerp(1, d, w)
    /// in model space, q_m = P base_m. Relative to the parent p that is
    ///
    ///     q = base_m(p)* P(p)* P base_m
    ///
    /// where w is masked for each of the two joints by its own mask byte. So a character that aims along a barrel keeps
    /// aiming whatever its spine does. t and s are local, as in the other forms. #LMB_FORM_LOCAL and #LMB_FORM_PARENT
    /// are the same here. Rotations are within 1e-6 for each joint from the root on.
    LMB_SPACE_MODEL,
    LMB_SPACE_COUNT
} lmb_space;

/// How #LMB_OP_SPACE2D computes the weights of its inputs at a point p.
typedef enum lmb_space2d {
    /// Delaunay triangles of scattered positions, at least three of them not on a line.
    ///
    /// p is inside one Delaunay triangle (Delaunay, "Sur la sphere vide", 1934), whose corners have the barycentric
    /// coordinates of p as weights. If p is outside the convex hull, the nearest point of the hull replaces it.
    ///
    /// The triangles are exact: they are computed with bigints when the graph is created. Positions on one circle,
    /// as in a grid, have several triangulations. The one used cuts off the position given first, so that no diagonal
    /// ends at it, then the next, and so on. Distances use the coordinates as given, so coordinates of different units
    /// should be scaled to similar ranges.
    ///
    /// Triangles at the hull may be very flat, and a weight would change from 0 to 1 and back across them. Such
    /// triangles are replaced: if the third corner m of a triangle at a hull side ab is less than 1/64 high over that
    /// side (each axis in units of its range) and between a and b, then inside this triangle and on the hull beyond it,
    /// weights go from a to m and from m to b as on a line, by the coordinates of p and m along ab. The same is
    /// repeated for a triangle at am or mb. A graph in which every triangle is flat is refused. So weights have no
    /// jumps, and if no two positions are nearer to each other than 1/64 of the range, moving p by s ranges changes no
    /// weight by more than about 64 s.
    ///
    /// Error: as #LMB_SPACE2D_FREEFORM.
    LMB_SPACE2D_TRIANGLES,
    /// Positions in columns and rows: bilinear.
    ///
    /// Every pair of a column's x and a row's y is the position of one input. An input's weight is the product of the
    /// weights that its column and its row have along x and y as in #LMB_OP_SPACE1D. Weights are within 1e-6 of
    /// float64.
    LMB_SPACE2D_GRID,
    /// Gradient bands of any positions; any number of inputs can have a weight above 0.
    ///
    /// (Johansen, "Automated Semi-Procedural Animation for Character Locomotion", 2009, 6.3, those in Cartesian space.)
    /// The weight of input i is h_i divided by the sum of all h, where h_i is the minimum over all other positions j,
    /// clamped to [0, 1], of
    ///
    ///     1 - (p - p_i) (p_j - p_i) / |p_j - p_i|^2
    ///
    /// The sum is never below 1/2, because h of the nearest position is at least that.
    ///
    /// Weights are within 1e-6 of float64. Multiply that by the distance of p from the middle of the positions, in
    /// units of their range (#LMB_OP_SPACE2D), if it is more than 1, and by the range over the shortest distance in
    /// which a weight goes from 0 to 1.
    LMB_SPACE2D_FREEFORM,
    /// Gradient bands in polar space: for positions that are directions with a speed, seen from (0, 0).
    ///
    /// (Johansen, as above, those in polar space. Unity's 2D freeform directional.) Weights follow from all h as in
    /// #LMB_SPACE2D_FREEFORM, where h_i is the minimum over all other positions j, clamped to [0, 1], of
    ///
    ///     1 - (4 a_p a_j + m_p m_j) / (4 a_j^2 + m_j^2)
    ///
    /// with m_p = (|p| - |p_i|) / r, m_j = (|p_j| - |p_i|) / r and r = (|p_i| + |p_j|) / 2. a_j is the angle between
    /// p_i and p_j in radians. a_p is the angle between p_i and p, negative if p and p_j are on different sides of p_i;
    /// it is never negative if a_j is at least 0.99 pi, and 0 if p is 0. If p_j is 0, the term is instead
    ///
    ///     4 |p| / |p_i| / (4 + a_p^2)
    ///
    /// and if p_i is 0, it is 1 minus that with i and j exchanged. So an input at (0, 0) fades out with the speed, and
    /// between equal speeds weights follow from the direction alone.
    ///
    /// Give an input the position (0, 0), and let neighbouring directions be less than 180 degrees apart. Otherwise
    /// weights jump at (0, 0), or opposite to a position. There all h may even be 0; the result is then the rest pose.
    ///
    /// If p is farther from (0, 0) than 1024 times the farthest position, the point at that distance in its direction
    /// is used. Errors are those of #LMB_SPACE2D_FREEFORM with lengths in polar space, (2 a, m), and divided by the sum
    /// of all h where it is less than 1/2.
    LMB_SPACE2D_DIRECTIONAL,
    LMB_SPACE2D_COUNT
} lmb_space2d;

/// A node: one operation and its settings. Start from lmb_default_node_def(). Fields that the operation does not use
/// are ignored.
typedef struct lmb_node_def {
    lmb_op op;
    /// Indices of nodes before this one. A node used by several nodes is evaluated once for each use. What moves by
    /// itself in it (players, machines, fades) exists once, so all uses have the same phase. It belongs to the
    /// innermost state that all uses are in (control.h, lmb_machine_def), and to none if they are in several states.
    uint32_t inputs[LMB_MAX_SPACE_INPUTS];
    uint32_t input_count;
    lmb_value weight; ///< blends, override, additive, ik, twist, chain; scale and subtract-scale-add: the factor
    lmb_value weights[LMB_MAX_INPUTS];  ///< weighted: one for each input; layers: its fade, clamped to [0, 1]
    int32_t priorities[LMB_MAX_INPUTS]; ///< layers: the highest layer has the largest
    uint32_t masks[LMB_MAX_INPUTS];     ///< layers: for each input an index into the graph's masks, or #LMB_NONE
    /// combine: for each input an index into the graph's joint maps, or #LMB_NONE for a whole pose
    uint32_t joint_maps[LMB_MAX_INPUTS];
    /// clip: index into the graph's clips, rounded down. If it is a constant without a curve, the node plays only that
    /// clip. Any other node may play every clip of the graph, whatever its joint count: a parameter chooses. An index
    /// out of range is refused (#LMB_REFUSED_CLIP) and gives the rest pose, or no change if all clips that the node may
    /// play are additives. So does a clip whose slot is empty (clip_slot.h), which is refused only if its weight is
    /// above 0.
    lmb_value clip;
    lmb_value time; ///< clip: seconds
    lmb_value rate; ///< clip: the time in the clip is time * rate + offset
    /// clip: seconds. If time, rate or offset is not finite, the time in the clip is 0 and counts as refused
    /// (#LMB_REFUSED_TIME).
    lmb_value offset;
    bool loop;     ///< clip: loop over the duration (at it, 0 again) instead of clamping to [0, duration]
    uint32_t mask; ///< masked: index into the graph's masks; additive, override: the same, or #LMB_NONE for none
    uint32_t joint_weights; ///< clip: a mask that replaces the clip's joint weights, or #LMB_NONE for the clip's own
    uint32_t pose;          ///< pose, override: index of the batch's pose buffer, below #LMB_MAX_POSES
    uint32_t static_pose;   ///< pose, override: index into the graph's static poses, or #LMB_NONE for the pose buffer
    uint32_t mirror;        ///< mirror: index into the graph's mirrors
    uint32_t joint_limits;  ///< clamp: index into the graph's joint limits
    lmb_mix interpolation;  ///< see #lmb_mix
    bool shortest;          ///< go the short way between rotations; see #lmb_mix
    bool linear_scale;      ///< blend scale linearly instead of geometrically; see #lmb_mix
    lmb_form form;          ///< make-additive, additive
    lmb_space space;        ///< make-additive, additive
    bool unclamped;         ///< additive: the weight may be from -4 to 4
    /// bilinear: s, t; trilinear: s, t, u; each clamped to [0, 1]. space1d, space2d: x and y of the point, in any range
    lmb_value coordinates[3];
    lmb_space2d space2d; ///< space2d: how weights are computed
    /// space1d, space2d: the nearest input has weight 1, of several the first one, and `space2d` is ignored. Squares of
    /// distances are compared, each within 4e-7 of float64.
    bool discrete;
    uint32_t retarget; ///< retarget: index into the graph's retargets
    /// ik-two-bone: index of a node before this one, an #LMB_OP_RETARGET, from whose source the end has its target
    /// (retarget.h), or #LMB_NONE for the target of `two_bone`.
    uint32_t goal;
    float threshold;           ///< layers, 0 to 1: the sum of a layer's fades from which on it covers all below
    lmb_two_bone_def two_bone; ///< ik-two-bone
    lmb_aim_def aim;           ///< ik-aim
    lmb_feet_def feet;         ///< foot-placement
    lmb_twist_def twist;       ///< twist
    lmb_chain_def chain;       ///< chain
    /// clip: how it plays by itself, instead of by `time`, `rate`, `offset` and `loop`; `clip` is then a constant.
    /// NULL: the clip does not play by itself.
    const lmb_player_def *player;
    const lmb_machine_def *machine;           ///< machine: its states and transitions
    float positions[LMB_MAX_SPACE_INPUTS][2]; ///< space2d: x and y of each input; space1d: x
    uint32_t cookie;                          ///< of lmb_default_node_def(): any other number is refused
} lmb_node_def;

/// Returns a node with these defaults.
///
/// The rest pose without inputs. Weights 1, linear; priorities 0; threshold 1; no masks, joint maps, static pose or
/// goal; mirror, joint limits and retarget 0. Clip 0 at time 0, rate 1, offset 0, clamped, with its own joint weights;
/// no player. Pose buffer 0. #LMB_MIX_DEFAULT the short way, geometric scale; local form and space. Coordinates 1/2;
/// triangles, not discrete, all positions 0.
/// Two bones: no joints (#LMB_NONE), target 0, pole 0, mid_axis z, soften 1, twist 0. Aim: no joints, shares 1, target
/// 0, pole y, forward x, up y, offset 0, no limit. Feet: none, no pelvis, up y, max_lowering 1/2, max_angle 0.7, soften
/// 1, speed and clip_speed 1, direction z; each foot as lmb_default_foot_def(). Twist: no joints, shares 1, axis x.
/// Chain: no joints, time and velocity 0, gravity -9.81 along y, stiffness 2 Hz, damping 4, teleport 2^40.
LMB_API lmb_node_def lmb_default_node_def(void);
/// Makes a node that samples a clip, given by its index, at a time that the host gives; it loops.
LMB_API lmb_node_def lmb_clip_node(uint32_t clip, lmb_value time);
/// Makes a node for a clip that plays by itself.
LMB_API lmb_node_def lmb_playing_node(uint32_t clip, const lmb_player_def *player);
/// Makes a node that blends from a to b.
LMB_API lmb_node_def lmb_blend_node(uint32_t a, uint32_t b, lmb_value weight);
/// Makes a node that blends from a to b, scaled by a mask for each joint.
LMB_API lmb_node_def lmb_masked_node(uint32_t a, uint32_t b, uint32_t mask, lmb_value weight);
/// Makes a node that takes the joints of a mask from the pose buffer `pose`; #LMB_NONE as `mask` takes all joints.
LMB_API lmb_node_def lmb_override_node(uint32_t base, uint32_t pose, uint32_t mask, lmb_value weight);
/// Makes a node that adds an additive to a base.
LMB_API lmb_node_def lmb_additive_node(uint32_t base, uint32_t add, lmb_value weight);
/// Makes a node that turns `start` and `mid` so that `end` reaches a target; see ik.h. `target` has three values.
LMB_API lmb_node_def lmb_two_bone_node(uint32_t base, uint32_t start, uint32_t mid, uint32_t end,
                                       const lmb_value *target);
/// Makes a node that turns `start` and `mid` so that `end` reaches the position that the node `retarget_node`, an
/// #LMB_OP_RETARGET, gives it; see retarget.h.
LMB_API lmb_node_def lmb_goal_node(uint32_t base, uint32_t start, uint32_t mid, uint32_t end, uint32_t retarget_node);
/// Makes a node that turns `joint` so that its axis `forward` points at a target; see ik.h. Both have three elements.
LMB_API lmb_node_def lmb_aim_node(uint32_t base, uint32_t joint, const float *forward, const lmb_value *target);
/// Makes a node that moves `foot_count` feet to the ground; see ik.h. `feet` is copied.
LMB_API lmb_node_def lmb_foot_placement_node(uint32_t base, uint32_t pelvis, const lmb_foot_def *feet,
                                             uint32_t foot_count);
/// Makes a node that gives the helper `joint` a share of the twist of `source` about `axis`, which has three elements;
/// see twist.h.
LMB_API lmb_node_def lmb_twist_node(uint32_t base, uint32_t source, const float *axis, uint32_t joint, float share);
/// Makes a node that lets the joints from `start` to the parent of `end` swing, in a frame at `time`; see chain.h.
LMB_API lmb_node_def lmb_chain_node(uint32_t base, uint32_t start, uint32_t end, lmb_value time);
/// Makes a node that mirrors `pose`. `mirror` is an index into the graph's mirrors.
LMB_API lmb_node_def lmb_mirror_node(uint32_t pose, uint32_t mirror);
/// Makes a node that keeps `pose` within limits. `joint_limits` is an index into the graph's lists of limits.
LMB_API lmb_node_def lmb_clamp_node(uint32_t pose, uint32_t joint_limits);
/// Makes a node that plays `pose`, whose sources are of another rig. `retarget` is an index into the graph's retargets.
LMB_API lmb_node_def lmb_retarget_node(uint32_t pose, uint32_t retarget);
/// Makes a state machine node; `poses` has one node for each of `machine->state_count` states.
LMB_API lmb_node_def lmb_machine_node(const uint32_t *poses, const lmb_machine_def *machine);

/// Describes a parameter for the code that sets it.
typedef struct lmb_parameter_def {
    const char *name; ///< copied; NULL: ""
    float initial;    ///< written by lmb_graph_defaults()
    float min, max;   ///< information only: parameters are not clamped to them
} lmb_parameter_def;

/// No name; 0, from 0 to 1.
LMB_API lmb_parameter_def lmb_default_parameter_def(void);

/// A clip of a graph that lmb_clip_cut() made of another clip of the graph. All four are required.
typedef struct lmb_clip_origin {
    uint32_t clip;    ///< index of the part among the graph's clips
    uint32_t of;      ///< index of the clip from which it was cut
    float start, end; ///< seconds of that clip
} lmb_clip_origin;

/// A graph as its author describes it. lmb_graph_create() checks it, and copies it with everything that it points to.
/// Start from lmb_default_graph_def().
typedef struct lmb_graph_def {
    const lmb_rig *rig;
    /// Copied. Only counts are compared. Each clip has as many joints and channels as `rig`; or as many joints as a
    /// joint map, and as many channels as `rig` or none; or as many joints as a retarget's source, and any number of
    /// channels. Those that have a slot may be NULL.
    const lmb_clip *const *clips;
    uint32_t clip_count;                 ///< 0 to #LMB_MAX_CLIPS
    const lmb_clip_slot_def *clip_slots; ///< clips that can change while the graph runs (clip_slot.h); may be NULL
    uint32_t clip_slot_count;            ///< 0 to #LMB_MAX_CLIP_SLOTS
    /// Copied. Each has one byte per joint, then one per float channel: 0 gives the node no effect there, 255 all of
    /// it. For blend profiles it is a time instead (lmb_transition_def).
    const uint8_t *const *masks;
    uint32_t mask_count;       ///< 0 to #LMB_MAX_MASKS
    const lmb_node_def *nodes; ///< the last one is the result
    uint32_t node_count;       ///< 1 to #LMB_MAX_NODES
    /// Parameters that the host sets or this descriptor names: 0 to #LMB_MAX_PARAMETERS. A character's row has more
    /// floats if the graph appends parameters of its own: lmb_graph_info.parameter_count.
    uint32_t parameter_count;
    const lmb_mirror_def *mirrors; ///< copied; may be NULL if there are none
    uint32_t mirror_count;         ///< 0 to #LMB_MAX_MIRRORS
    /// Copied. Each has one definition per joint. May be NULL if there are none.
    const lmb_joint_limit_def *const *joint_limits;
    uint32_t joint_limits_count;             ///< 0 to #LMB_MAX_JOINT_LIMITS
    const lmb_joint_map_def *joint_maps;     ///< copied; may be NULL if there are none
    uint32_t joint_map_count;                ///< 0 to #LMB_MAX_JOINT_MAPS
    const lmb_retarget_def *retargets;       ///< copied; may be NULL if there are none
    uint32_t retarget_count;                 ///< 0 to #LMB_MAX_RETARGETS
    const lmb_static_pose_def *static_poses; ///< copied; may be NULL if there are none
    uint32_t static_pose_count;              ///< 0 to #LMB_MAX_STATIC_POSES
    /// Copied. For each of `joint_limits` one range per float channel, or NULL for no ranges. NULL if no limits have
    /// ranges.
    const lmb_channel_range *const *channel_ranges;
    /// Levels of detail (lod.h): for each joint of the rig the max lod at which it is computed. Copied. NULL: no levels
    /// of detail, and `lod` is ignored.
    const uint8_t *max_lods;
    /// The level of detail of each character, rounded down and clamped to 0 to #LMB_MAX_LODS - 1. NaN counts as 0 and
    /// as a refused weight.
    lmb_value lod;
    const lmb_curve_def *curves; ///< of its own, for values, transitions and fades; copied; may be NULL if none
    uint32_t curve_count;        ///< 0 to #LMB_MAX_CURVES
    /// Whether the pose, below the corrections that end the graph, is inertialized when the host says so (inertia.h).
    /// Not for #LMB_OP_WEIGHTED_MATRIX. If a machine has a transition of #LMB_FADE_INERTIALIZED, the graph inertializes
    /// by itself, and this must be false. If one can restart a state that is still seen (lmb_transition_def,
    /// "Restarts"), the graph inertializes by itself unless this is true.
    bool inertialize;
    uint32_t inertia_parameters; ///< with `inertialize`: the first of #LMB_INERTIA_PARAMETERS parameters

    // Everything that advances by itself; see control.h. Each pointer may be NULL if there is nothing of its kind.
    const lmb_parameter_def *parameters; ///< `parameter_count` of them, or NULL: no names, initial values 0
    uint32_t event_count;                ///< events are the numbers below it; up to #LMB_MAX_EVENTS
    const char *const *event_names;      ///< copied; or NULL: no names
    const lmb_smoothed_def *smoothed;    ///< updated in this order, so one may follow an earlier one
    uint32_t smoothed_count;
    const lmb_computed_def *computed; ///< computed in this order, so one may read an earlier one
    uint32_t computed_count;          ///< up to #LMB_MAX_PARAMETERS
    const lmb_group_def *groups;      ///< each has at least one player
    uint32_t group_count;
    const lmb_fade_def *fades;
    uint32_t fade_count;
    const lmb_motion_def *motion; ///< NULL: there is no character motion, and root motion moves nothing
    /// Events stored for one character and frame; further ones are only counted (lmb_graph_info.emitted_words). Up to
    /// #LMB_MAX_EMITTED_EVENTS; 0 takes 8.
    uint32_t max_emitted_events;
    /// A character is updated every N frames: this value, rounded down and clamped to 1 to 16; 1 if it is not finite. A
    /// constant, or a parameter that the host writes. NULL: every frame.
    ///
    /// A character is updated in its first frame, in a frame whose number plus the character's phase is divisible by N,
    /// and if events are sent to it. The phase is part of its state: lmb_state_set_update_phase(), or else the
    /// character's index in the batch when it begins. An update advances it by all the time since its last one, at most
    /// by 17 of the longest steps (#LMB_MAX_STEP_TICKS). Events take effect where the frame's own step begins
    /// (control.h, "Events"). In other frames it stands still, unless `interpolate_updates` is set.
    const lmb_value *update_every;
    /// Whether everything continuous goes on between updates (control.h, "Updates").
    ///
    /// A frame without an update then takes the same steps as an update, except transitions and weights of clips. A
    /// device keeps a second row of state for each character. It is scratch memory: it is not in lmb_gpu_batch_state(),
    /// and need not be saved.
    bool interpolate_updates;
    /// Which clips are parts of others: information only, with which lmb_graph_json_write() writes "from" and "to".
    const lmb_clip_origin *clip_origins;
    uint32_t clip_origin_count; ///< 0 to #LMB_MAX_CLIPS
    /// For each node a name, and a comment; "" or NULL for none. Information only, which files keep. NULL: no node has
    /// one. A machine has a name of its own.
    const char *const *node_names;
    const char *const *node_comments;
} lmb_graph_def;

/// Nothing, level of detail 0, no inertia parameters: `inertialize` needs them.
LMB_API lmb_graph_def lmb_default_graph_def(void);

/// Checks a graph and compiles it.
///
/// Fails with
/// - #LMB_ERROR_ARGUMENT if the definition is not valid. The message names node and field, or the joint.
/// - #LMB_ERROR_LIMIT if there are too many of something that the graph has (nodes, parameters, events, players,
///   machines, groups, fades, clip slots, mirrors ...); what a player or a machine has too many of is
///   #LMB_ERROR_ARGUMENT. Also if more than #LMB_MAX_STACK poses would be held at once; if nodes, counted for each use,
///   exceed 65,536; if more than #LMB_MAX_EXCHANGES poses are read at other joints; or if the compiled graph would
///   exceed 2^30 words. In a rig with float channels also if more than #LMB_MAX_CHANNEL_STACK values of one channel
///   would be held at once.
/// - #LMB_ERROR_MEMORY.
///
/// For channels, a sum holds the values of all inputs up to the one that it evaluates. Sums of 16 inputs always fit. A
/// blend space of 64 inputs fits as one of the first 18 inputs of another.
LMB_API lmb_result lmb_graph_create(const lmb_graph_def *def, const lmb_host *host, lmb_graph **graph,
                                    lmb_error *error);
/// Checks a graph as lmb_graph_create() does, with the same results, but creates nothing. Checking the control
/// (control.h) allocates temporary memory from the C library, so #LMB_ERROR_MEMORY is possible.
LMB_API lmb_result lmb_graph_check(const lmb_graph_def *def, lmb_error *error);
/// Destroys a graph. NULL is allowed. Logs an error (lmb_host) and does nothing while an lmb_gpu_graph of it exists.
LMB_API void lmb_graph_destroy(lmb_graph *graph);

/// Returns a 64-bit hash of everything that decides the bits of a graph's results: rig, clips, masks, nodes and what
/// advances by itself, and the arithmetic of this library. It has the names of parameters, events, machines and states,
/// too, because hosts find their indices by these.
///
/// Two hosts whose graphs have one fingerprint get the same bits from the same input. Not part of it are clips in slots
/// (clip_slot.h), because they change, and names of joints. Libraries of different versions may give a graph different
/// fingerprints even if its bits are the same.
LMB_API uint64_t lmb_graph_fingerprint(const lmb_graph *graph);

/// Puts a clip into its slot, in place of what is there; NULL empties the slot (clip_slot.h). The next frame on the CPU
/// has it. Device copies that exist do not change: see lmb_gpu_graph_record_clip().
///
/// `index` is that of the graph's clip. The clip is copied, so it need not outlive the call. Allocates nothing. No
/// other thread may use the graph meanwhile. Fails with #LMB_ERROR_ARGUMENT if there is no slot for this clip, or the
/// clip has another joint count, type or duration than the slot, a number of channels that does not fit
/// (lmb_clip_slot_def.joint_count), or a kind that the slot lacks, and with #LMB_ERROR_LIMIT if its block is larger
/// than the slot; the slot then keeps what it has.
LMB_API lmb_result lmb_graph_set_clip(lmb_graph *graph, uint32_t index, const lmb_clip *clip, lmb_error *error);
/// Returns whether the graph has a clip of that index and its slot, if it has one, is not empty.
LMB_API bool lmb_graph_has_clip(const lmb_graph *graph, uint32_t index);
/// Returns what a slot was created with. `slot` is below lmb_graph_info.clip_slot_count; the name lives as long as the
/// graph. Otherwise returns lmb_default_clip_slot_def(), with the name "".
LMB_API lmb_clip_slot_def lmb_graph_clip_slot_at(const lmb_graph *graph, uint32_t slot);
/// Returns the clip index of the first slot of that name, or #LMB_NONE.
LMB_API uint32_t lmb_graph_find_clip_slot(const lmb_graph *graph, const char *name);

/// Some of the words of a character's state.
typedef struct lmb_word_range {
    uint32_t first; ///< index in the state
    uint32_t count; ///< 0: none
} lmb_word_range;

/// What a graph has, and what a batch of it needs.
typedef struct lmb_graph_info {
    uint32_t joint_count;
    uint32_t channel_count; ///< the rig's float channels, which are copied into the graph
    uint32_t socket_count;  ///< the rig's sockets, which are copied as well
    /// Floats in a character's row of parameters: first the lmb_graph_def.parameter_count of the descriptor, then those
    /// that the graph appends and writes for itself (times of clips that play, weights of states, inertialization).
    /// Values of a descriptor cannot read the latter.
    uint32_t parameter_count;
    uint32_t event_count;
    uint32_t player_count;
    uint32_t group_count;
    uint32_t machine_count;
    uint32_t fade_count;
    uint32_t clip_slot_count;
    uint32_t pose_count;  ///< pose buffers that a batch must bind: the largest index used, plus one
    uint32_t point_count; ///< points of each character for inverse kinematics (ik.h): the largest index used, plus one
    bool uses_transforms; ///< whether a batch must have world transforms: a node has points in world space (ik.h)
    /// LMB_OUTPUT_..._BIT bits that a batch may request: all, except local transforms and dual quaternions for a graph
    /// that ends with #LMB_OP_WEIGHTED_MATRIX.
    uint32_t outputs;
    /// Words that a batch keeps for each character to inertialize the result (inertia.h), and for its chains (chain.h)
    /// and feet (ik.h); 0 if the result is not inertialized and there is neither.
    uint32_t inertia_words;
    /// The first of the #LMB_INERTIA_PARAMETERS parameters that inertialization reads, or #LMB_NONE if nothing is
    /// inertialized.
    uint32_t inertia_parameters;
    /// Words of each character that say which nodes reach their targets (ik.h, "Reached"): the largest index used, plus
    /// one.
    uint32_t reached_count;
    /// Poses held at once while the graph runs.
    ///
    /// Inputs are evaluated in order. An operation of two inputs holds the first while it evaluates the second. One
    /// that takes any number, such as #LMB_OP_WEIGHTED, holds sums of the size of two poses. So chains that grow in the
    /// first input do not add to the stack.
    uint32_t stack;
    /// Exchange areas: poses that are evaluated for all joints first, because they are read at other joints.
    ///
    /// #LMB_OP_MIRROR reads its input at the partners of the joints, #LMB_OP_IK_TWO_BONE, #LMB_OP_IK_AIM,
    /// #LMB_OP_FOOT_PLACEMENT and #LMB_OP_CHAIN at chains and their ancestors, #LMB_OP_TWIST at the joint that twists.
    /// In #LMB_SPACE_MODEL, #LMB_OP_MAKE_ADDITIVE reads both inputs at the ancestors of the joints, and
    /// #LMB_OP_ADDITIVE its base and its result. Each such pose has an exchange area of its own, except that an
    /// additive whose base is an additive in model space shares the base's. For each joint and float channel an area
    /// takes 44 bytes per SIMD lane on the CPU, and 48 bytes per character and frame slot on the GPU.
    uint32_t exchange_count;

    // What advances by itself (control.h).
    /// Words of a character's state. 0 if nothing advances by itself: then the graph has no control. Otherwise above 0.
    ///
    /// All 0 is the state of a character that has not begun; lmb_state_set_motion(), lmb_state_set_update_phase() and
    /// lmb_state_set_seed() may have changed some of its words. States are plain words without addresses. Copy them
    /// away and back for a rollback; compare them to find out whether two sides agree. Zero one character's state to
    /// begin it anew without changing the others; its character motion is then at 0, and its index becomes its phase of
    /// updates.
    uint32_t state_words;
    /// Words of a character's emitted events; 0 if nothing advances by itself.
    ///
    /// The first word is how many events were emitted. #LMB_EMITTED_EVENT_WORDS for each of
    /// lmb_graph_def.max_emitted_events follow it; further events are lost. Words that are not used are 0. Read them by
    /// lmb_emitted_count() and lmb_emitted_event_at().
    uint32_t emitted_words;
    bool has_motion;    ///< whether there is a character motion (lmb_graph_def.motion)
    bool rotates_fully; ///< whether that has full rotation
    /// Floats in a character's motion for renderers: #LMB_MOTION_FLOATS, #LMB_FULL_MOTION_FLOATS, or 0 without a
    /// character motion.
    uint32_t motion_floats;
    /// Words of a state that lmb_state_set_motion() writes, and on a device lmb_gpu_batch_place(); none without a
    /// character motion. They write no others.
    lmb_word_range motion_words;
    lmb_word_range update_phase_words; ///< likewise, of lmb_state_set_update_phase()
    lmb_word_range seed_words;         ///< likewise, of lmb_state_set_seed()
} lmb_graph_info;

/// Returns what a graph has and needs. It lives as long as the graph.
LMB_API const lmb_graph_info *lmb_graph_get_info(const lmb_graph *graph);
/// Returns the number of joints of a pose buffer: the rig's, or those of the joint map or the retarget's source in
/// which it is used; 0 if it is unused.
LMB_API uint32_t lmb_graph_pose_joint_count(const lmb_graph *graph, uint32_t pose);
/// Returns the number of floats of one character in a pose buffer; 0 if it is unused.
///
/// #LMB_POSE_COMPONENTS for each joint; if there are as many joints as in the rig, then one for each float channel,
/// which is not read inside a joint map or a retarget.
LMB_API uint32_t lmb_graph_pose_floats(const lmb_graph *graph, uint32_t pose);
/// Returns the number of joints that are computed at a level of detail (lod.h); all joints if the graph has no levels.
/// A level above the last one counts as the last one.
LMB_API uint32_t lmb_graph_joints_at(const lmb_graph *graph, uint32_t lod);

/// Return the index of a clip node's player, and of the machine of a node or a fade, as lmb_state_player(),
/// lmb_state_current() and others take them; #LMB_NONE if there is none.
LMB_API uint32_t lmb_graph_node_player(const lmb_graph *graph, uint32_t node);
LMB_API uint32_t lmb_graph_node_machine(const lmb_graph *graph, uint32_t node);
LMB_API uint32_t lmb_graph_fade_machine(const lmb_graph *graph, uint32_t fade);

/// A parameter of a graph.
typedef struct lmb_graph_parameter {
    const char *name; ///< lives as long as the graph; "" without one
    float initial;
    float min;
    float max;
    bool is_written; ///< the graph writes it: the host must not set it, and it is not found by name
} lmb_graph_parameter;

/// Returns a parameter. Its name is "" if there is no such parameter.
LMB_API lmb_graph_parameter lmb_graph_parameter_at(const lmb_graph *graph, uint32_t index);
/// Returns the index of the parameter of that name, if the host sets it, or #LMB_NONE. NULL finds nothing.
LMB_API uint32_t lmb_graph_find_parameter(const lmb_graph *graph, const char *name);
/// Fills a character's row of parameters, float [lmb_graph_info.parameter_count], with initial values.
LMB_API void lmb_graph_defaults(const lmb_graph *graph, float *row);
/// Returns the event of that name, or #LMB_NONE. NULL finds nothing.
LMB_API uint32_t lmb_graph_find_event(const lmb_graph *graph, const char *name);
/// Returns the name of an event, "" without one. This name and those below live as long as the graph.
LMB_API const char *lmb_graph_event_name(const lmb_graph *graph, uint32_t event);
LMB_API const char *lmb_graph_group_name(const lmb_graph *graph, uint32_t group);

/// A player of a graph.
typedef struct lmb_graph_player {
    const char *name; ///< of its clip
    float duration;   ///< of its clip, in seconds
} lmb_graph_player;

/// Returns a player. Its name is "" if there is no such player.
LMB_API lmb_graph_player lmb_graph_player_at(const lmb_graph *graph, uint32_t index);

/// A machine of a graph.
typedef struct lmb_graph_machine {
    const char *name; ///< of the machine, or of the fade that the machine belongs to
    uint32_t state_count;
    uint32_t owner;       ///< the machine in one of whose states it runs, or #LMB_NONE
    uint32_t owner_state; ///< that state, or #LMB_NONE
    bool matches_motion;  ///< lmb_machine_def.matching
} lmb_graph_machine;

/// Returns a machine. It has no states, and its name is "", if there is no such machine.
LMB_API lmb_graph_machine lmb_graph_machine_at(const lmb_graph *graph, uint32_t index);
/// Returns the name of a state. State 0 of a fade's machine is "out" and state 1 "in"; with lmb_fade_def.begins_in it
/// is the other way round.
LMB_API const char *lmb_graph_state_name(const lmb_graph *graph, uint32_t machine, uint32_t state);
/// Writes what emitted an event, for people: `walk`, the name of the player's clip, or `body/run`, machine and state.
/// Writes at most `size` bytes with the final zero.
LMB_API void lmb_graph_emitter_name(const lmb_graph *graph, const lmb_emitted_event *event, char *text, size_t size);

/// Prints the instructions that a graph was compiled to. Calls `print` for each instruction, in order, with a line
/// without a line break, such as
///
///        2  s0   blend          s0 s1, weight speed uniform-s
///
/// for the third instruction, which writes a blend of the poses at s0 and s1 of the stack (lmb_graph_info.stack) to s0.
/// An operation that runs as several instructions is named in each of them, "weighted begin" and so on. Parameters
/// without a name are printed as p0, p1 and so on.
LMB_API void lmb_graph_print(const lmb_graph *graph, void (*print)(void *user, const char *line), void *user);

/// @}

#ifdef __cplusplus
}
#endif

#endif
