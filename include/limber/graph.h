/// @file graph.h
/// An animation graph: a tree of nodes that are poses, combine poses, or decide over time between poses. It is checked
/// and compiled once, then runs for every character of a batch. It holds all that a batch needs: rig, clips, masks.
/// Immutable once created, so any number of threads and batches may share it.
///
/// A clip's node is driven by the host, through parameters, or plays by itself (lmb_player_def). A machine's node has a
/// pose for each state. control.h describes what moves by itself; a graph in which nothing does needs no state.
///
/// A frame has these stages:
///
///     parameters, events
///        |  1 control   once per character (lmb_control_run()): transitions, fades, weights of all nodes from
///        |              the last one down, then clips and sync groups, root motion, emitted events
///        |  2 weights   once per character: weights of all nodes, and where each clip's keys are
///        |  3 pose      once per joint: sample clips of a weight above 0, operations
///        v  4 model     along the hierarchy
///     local transforms, model matrices, palette, dual quaternions, bounds, sockets, float channels (batch.h)
///
/// A graph without a control begins with the second stage. lmb_cpu_run() and lmb_gpu_batch_record() run them all.
///
/// Operations (a and b are poses; `w` is the weight after its curve; formulas hold per joint):
///
/// | operation | inputs | result |
/// | --- | --- | --- |
/// | #LMB_OP_REST | none | the rest pose |
/// | #LMB_OP_CLIP | none | a clip at time * rate + offset, clamped to [0, duration] or looped over it |
/// | #LMB_OP_POSE | none | the batch's pose buffer `pose`; what is not finite in it counts as refused, becomes rest |
/// | | | or, where it is given, the graph's static pose `static_pose` |
/// | #LMB_OP_BLEND | a, b | translation (1-w) a + w b; rotation slerp(a, b, w) the short way; scale a (b/a)^w |
/// | #LMB_OP_MASKED | a, b | the same with w times mask/255 of the joint |
/// | #LMB_OP_WEIGHTED | 2 to 16 | weights divided by their sum; see below |
/// | #LMB_OP_MAKE_ADDITIVE | a, r | the additive that turns r into a: q = r* a, t = a - r, s = a / r |
/// | #LMB_OP_PARTIAL | a, b | b over a where both carry a weight for the joint; see below |
/// | #LMB_OP_WEIGHTED_MATRIX | 2 to 16 | the same of the joints' matrices, as the last operation alone; see below |
/// | #LMB_OP_LAYERS | 2 to 16 | each in a layer by its priority, faded in over the layers below; see below |
/// | #LMB_OP_SPACE1D | 2 to 64 | the two whose places are next to the position; see below |
/// | #LMB_OP_SPACE2D | 2 to 64 | those whose places are about the position; see below |
/// | #LMB_OP_ADDITIVE | base, d | t = base + w d, q = base slerp(1, d, w), s = base d^w |
/// | #LMB_OP_MIRROR | a | a as seen in a mirror, on the partners of the joints: see mirror.h |
/// | #LMB_OP_CLAMP | a | a within limits of its joints: see joint_limits.h |
/// | #LMB_OP_ADD | a, b | t = a + b, q = a b, s = a b |
/// | #LMB_OP_SUBTRACT | a, b | t = a - b, q = a b*, s = a / b |
/// | #LMB_OP_SCALE | a | t = w a, q = a^w = slerp(1, a, w), s = a^w; w from -4 to 4 |
/// | #LMB_OP_SUBTRACT_SCALE_ADD | a, b, base | w (a - b) + base by these three, q = (a b*)^w base: a for base b, w 1 |
/// | #LMB_OP_BILINEAR | 4 | blends of inputs 0 and 1, and of 2 and 3, by along[0]; both by along[1] |
/// | #LMB_OP_TRILINEAR | 8 | bilinear blends of inputs 0 to 3 and of 4 to 7; both by along[2] |
/// | #LMB_OP_COMBINE | 1 to 16 | for each joint the last input whose part has it, to the bit; rest where none has |
/// | #LMB_OP_MACHINE | 1 to 64 | #LMB_OP_WEIGHTED, with the weights of the machine's states: see control.h |
///
/// Types. A pose and an additive, a change of poses, are different things, and lmb_graph_create() refuses what would mix
/// them. The rest pose is a pose; a clip is what lmb_clip_is_additive() says, and either where a parameter chooses among
/// clips of both types; pose buffers and static poses are either, as the host knows. A difference is an additive, of
/// two of one type. What an additive adds is an additive, to a base of any type, which is the result's. Clamp takes poses.
/// Algebra takes any: add gives an additive of additives and else a pose, subtract a pose only of a pose less an
/// additive. Every other operation takes inputs of one type, and gives that. A graph's result may be an additive, for
/// a host that keeps it. Where this file says rest pose for want of an input, of additives no change takes its place.
///
/// Edges. Weights are clamped to [0, 1]; those of #LMB_OP_WEIGHTED to [0, 2^40]; one below 2^-40 counts as 0, one that
/// is NaN as 0 and as refused. Scale: where either value is zero, or the signs differ, scale interpolates linearly;
/// where s is to be divided by a zero, the quotient is 1 (no change). Weighted: translation is the weighted mean,
/// rotation the weighted sum with each input turned to the hemisphere of the sum so far, in the order of the inputs,
/// then normalised; scale the weighted geometric mean, or the weighted mean where an input differs in sign from the
/// first or is zero; inputs of weight 0 change nothing. If all weights are 0 the result is the rest pose. If a sum of
/// rotations vanishes, the rotation is that of the rest pose.
///
/// Partial poses. A pose has a weight for each joint, 0 to 255: that of its clip (lmb_clip_def.joint_weights), 255 without
/// one; 0 means that the joint is absent. #LMB_OP_PARTIAL blends with what follows from both weights and from w: where
/// wb > wa, (wb - wa + w wa) / wb, else w wb / wa; the result's weight is (1 - blend) wa + blend wb, rounded. Where one of
/// the poses lacks the joint, the other is taken; where both do, it is absent, and at rest or where b has it. Every other
/// operation passes on the weights of its first input, one that takes any number the largest among those that count.
///
/// Layers. Inputs of one priority are a layer, in which each weighs its fade, or its fade divided by the sum of the
/// layer's fades where that exceeds 1; the sum of these weights, at most 1, is the layer's own fade. The highest layer takes
/// its fade of the whole, each one below its fade of what those above it left, f_n, f_(n-1) (1 - f_n) and so on; what
/// all leave goes to the rest pose. The weights found so are those of #LMB_OP_WEIGHTED, in the order of the inputs: within a
/// layer the order matters no more than it does there. A layer of fade 1 hides all below it to the bit. (Priorities as those of
/// layers in Unity's legacy animation: higher ones take their weights first, and what they do not use up falls through.)
/// Each weight is within 1e-6 of float64. An input may have a mask, and one that is a clip has the clip's joint weights:
/// then all this holds for each joint, with the fade times mask/255 times joint weight/255 in the place of the fade. Masks
/// of 255 give the same bits as none. So legs walk under arms that hold, and where a layer has no share of a joint, those
/// below it show. Joint weights that are further down in an input, as in a blend of clips, do not count: give it a mask.
///
/// Combine. Each input may have a part of the rig (joint_map.h): its sources then have the part's joints, poses smaller than the
/// rig's, and the joints of the part's table are taken from it. An input without a part is a whole pose and has all joints. Later
/// inputs lie over earlier ones. Combines may be inside each other: of two parts around a source the inner one is its own,
/// the outer one says what is taken in the end. A clip that a parameter chooses among clips of several rigs is refused, and is
/// the rest pose, where it has not as many joints as its place.
///
/// Blend spaces. Each input is at a place, and the position p reports how much of each the result has: weights that sum
/// to 1, of which at a place one is exactly 1 and the others are 0, put together as those of #LMB_OP_WEIGHTED are.
/// Inputs of weight 0 change nothing. Places come in any order and along any range; no two may be the same. A coordinate
/// of the position that is NaN counts as a refused weight, and 0 stands in for it; one beyond 2^40 is 2^40.
///
/// Space1d: p goes to the first or the last place where it is beyond them. Between places a and b, next to one another,
/// they weigh 1 - t and t with t = (p - a) / (b - a).
///
/// Space2d, #LMB_SPACE2D_GRID: every pair of a column's x and a row's y is the place of one input. An input's weight is the
/// product of those that its column and its row have along x and y by themselves.
///
/// Space2d, #LMB_SPACE2D_TRIANGLES: p is inside one of Delaunay's triangles of the places (Delaunay, "Sur la sphere vide",
/// 1934), whose corners have its barycentric coordinates as weights. Outside of the convex hull it is the nearest point of
/// the hull in its stead. The triangles are exact: found when the graph is built, in whole numbers of as many digits as it
/// takes. Of places on one circle, as in a grid, the one given first has no diagonal cut off, then the next. Distances are
/// those of the numbers as they stand, so coordinates of unlike units are better scaled to like ranges.
/// Triangles at the hull can be as flat as chance has it, a weight going from 0 to 1 and back across them. So where the
/// third corner m of a triangle at a side ab of the hull stands less than 1/64 high over it (both axes in parts of their
/// ranges) and between a and b, the triangle gives way: in it, and on the hull beyond it, weights go from a to m and from
/// m to b along ab, as on a line, by the place of p and of m along ab. The same goes on for a triangle at am or mb. So weights
/// have no jumps, and where no two places are nearer than 1/64 of the range to each other, a step of s ranges changes none
/// by more than about 64 s.
///
/// Space2d, #LMB_SPACE2D_FREEFORM: gradient bands (Johansen, "Automated Semi-Procedural Animation for Character
/// Locomotion", 2009, 6.3, those in Cartesian space): with h_i the least over all other places j of
/// 1 - (p - p_i) (p_j - p_i) / |p_j - p_i|^2, held to 0 to 1, the weight of i is h_i divided by the sum of all h. The sum is
/// never below 1/2, as h is at least that for the nearest place. Any number of inputs can have a part in it.
///
/// Where p is more than 1024 times the larger range away from the middle of the places, space2d takes (except for grids) the
/// point at that distance in its direction. Weights are within 1e-6 of float64 on a line and in grids; in the others within 1e-6,
/// times how many ranges p is away where that is more than 1, times the larger range over the least distance that a
/// weight goes from 0 to 1 in.
///
/// Matrices. #LMB_OP_WEIGHTED_MATRIX sums its inputs' local matrices T R S, element by element, each times its weight over the
/// sum of weights (linear blending of matrices, as skinning does with its influences). Where rotations are apart the result is
/// smaller than either, and it can shear; so it is no pose: it can only be a graph's last operation, and a batch leaves
/// model matrices and what follows from them, but no local transforms and no dual quaternions (lmb_graph_outputs()). Weights are those of #LMB_OP_WEIGHTED; where all are
/// 0 it is the rest pose. Elements are within 1e-6 of float64 times the largest one of the inputs: of their translations for
/// those of translation, of the other nine for those. Float channels are the weighted mean.
///
/// Choices. `interpolation` is for blend, masked, weighted, bilinear, trilinear, additive, scale and subtract-scale-add (the
/// last three interpolate from no change): slerp; nlerp, the normalised sum (1-w) a + w b; or lerp, every component by itself,
/// scale linear too, with the rotation normalised afterwards as every pose's is, which makes it that of nlerp. Weighted:
/// nlerp as above; lerp the same with the weighted mean of scales; slerp from input to input, in their order, passing over
/// those of weight 0: q_k = slerp(q_(k-1), q_k, w_k / (w_1 + ... + w_k)), which for two inputs is a blend, and for more depends
/// on the order. Where
/// `shortest` is false quaternions are taken as they stand: with a negative dot product the way is the long one. Slerp then
/// goes by way of the normalised a + b; where that sum is shorter than 2^-10 (opposite quaternions) it stays at a. A sum of
/// nlerp that is shorter than 2^-20 gives a, one of weighted the rest pose's rotation. `form` is for difference and additive:
/// local as above; parent, q = a r* and q = slerp(1, d, w) base, each in the other's place, t and s the same; or affine, see
/// below. Additive: `unclamped` lets w go from
/// -4 to 4, where slerp(1, d, w) is d's angle times w (d to the whole and the rest of w); `masked` multiplies w by
/// mask/255 of the joint. An additive of weight 1 applied to the reference of a difference of the same form gives the
/// difference's source.
///
/// Affine. With M(x) the matrix of a transform, difference is M(a) M(r)^-1 and additive M(slerp(1, d, w)) M(base), where t, q and s of
/// d each go from no change by w as above; the product is taken apart again to t, q and s. That is impossible where
/// it shears, which takes an uneven scale that is not along the axes of what it scales: a product in which the cosine between
/// two axes exceeds 1e-4, in which an axis is shorter than 2^-20 of the longest, or in which a difference divides by a
/// zero scale, is refused and counted (#LMB_REFUSED_SHEAR), and the result is that of the form parent, which has the same rotation. The
/// scale that stands on the left is S, the rotation it meets Q: where S leaves the axes of Q in place, signs and all, the
/// rotation of the product is theirs; where it mirrors them so that it does not (mixed signs, not along the axes), S is
/// half a turn about the axis whose sign stands alone, and the scale has one sign for all axes. A product is then right as a matrix, while
/// its rotation and the signs of its scale may be others than those it was made from.
///
/// Model space. With x_m for the rotation of a joint in model space, the product of those of its ancestors, root first, and
/// its own, a difference of #LMB_SPACE_MODEL has q = a_m r_m*, and an additive turns the base by P = slerp(1, d, w) there:
/// q_m = P base_m, which is, relative to the parent p, q = base_m(p)* P(p)* P base_m, w masked for each of the two joints by its
/// own mask. So what looks down its barrel keeps doing so whatever the spine does (the mesh-space additive of Unreal). t and s are local,
/// as in the other forms; `form` local and parent are the same here.
///
/// Other joints. A mirror reads its input at the partners of the joints, a difference of model space both inputs at their
/// ancestors, and an additive of it its base and its result. Each such pose is evaluated once for every joint, into an
/// exchange area of its own: 44 bytes a joint and lane on the CPU, 48 bytes a joint, character and frame slot on the GPU.
/// lmb_graph_exchanges() reports how many areas a graph has. An additive whose base is an additive of model space shares
/// the base's.
///
/// Float channels. Every operation does to a channel's number what it does to a translation, component by component: rest,
/// sampled or read; (1-w) a + w b for blends, whatever their interpolation; weighted means; base + w d, a - r, a + b, a - b,
/// w a. Masks and weights of joints have a byte for each channel behind those of the joints, and partial poses blend by it.
/// Mirror and clamp have a partner and a sign, and a range, for each (mirror.h, joint_limits.h). Between angles a difference is
/// the short way, in [-180, 180), so of exactly opposite ones the way down; a blend is a + w (b - a) by it, unless `shortest`
/// is false, when it is (1-w) a + w b; of weighted, layers and blend spaces, whose inputs can lie all round, each is always unwrapped to within
/// 180 of the input that weighs most, the first of those, before they are averaged. Forms of additives make no difference. Every result of an angle is wrapped to
/// [-180, 180), which is exact; both ends of a blend and the mean of like numbers are exact too. Errors: within 1e-6 of the
/// largest number met, of an angle within 1e-6 times 180, weights beyond 0 to 1 four times that.
///
/// Errors against float64. Choices: nlerp and lerp within 1e-6, for weights outside 0 to 1 within 3e-6; slerp as it
/// stands within 1e-6 times 2 / |a + b|; powers beyond 0 to 1 within 4e-6 (the long way 1e-5, again by 2 / |1 + q|);
/// weighted as slerp within 1e-6 for each input; in model space within 1e-6 for each joint from the root on; affine
/// within 4e-6 (of distances the sum of those involved; up to 1.5e-4 where the axes are that near to shearing).
/// Rotations: each component of a slerp or of a normalised sum within 1e-6. Scale: within 2e-6, relative, where b/a is
/// from 2^-8 to 2^8, and within 1e-5 for any other ratio of values that the snapping rule leaves alone. Both ends of a
/// blend, weights 0 and 1, are exact except for the renormalised rotation, which is a's or b's own quaternion there;
/// between them it is in the hemisphere of a.
///
/// Weights. Each node's weight in the result is found before any joint, from the root down. The last node has 1. A node
/// of weight W passes (1-w) W and w W to the inputs of a blend; W to what a masked, partial or additive pose lies over,
/// and |w| W, at most W, to that pose; W times each input's share to those of a weighted sum, of layers and of a blend
/// space; W to those of any other operation. Of layers with masks or joint weights an input's share is the largest that
/// a joint can have: its fade, of what inputs without them leave. A clip of weight 0 is not sampled: the rest pose takes its place, which
/// changes no output, but can change how many shears are counted. The second input of a partial blend is always
/// sampled, since it shows where the first one is absent.
#ifndef LIMBER_GRAPH_H
#define LIMBER_GRAPH_H

#include <limber/clip.h>
#include <limber/control.h>
#include <limber/inertia.h>
#include <limber/joint_limits.h>
#include <limber/joint_map.h>
#include <limber/lod.h>
#include <limber/mirror.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LMB_MAX_INPUTS 16u        ///< inputs of one operation; of a blend space or a machine #LMB_MAX_SPACE_INPUTS
#define LMB_MAX_SPACE_INPUTS 64u  ///< inputs of a blend space, states of a machine
#define LMB_MAX_STACK 11u         ///< poses held at once while a graph runs; see lmb_graph_stack()
#define LMB_MAX_CHANNEL_STACK 81u ///< values of a float channel held at once; see lmb_graph_create()
#define LMB_MAX_PARAMETERS 1024u  ///< floats per character
#define LMB_MAX_POSES 8u          ///< pose buffers of one batch
#define LMB_MAX_NODES 4096u
#define LMB_MAX_EXCHANGES 64u ///< poses that a graph reads at other joints; nodes count for each use

typedef struct lmb_graph lmb_graph;

typedef enum lmb_op {
    LMB_OP_REST,
    LMB_OP_CLIP,
    LMB_OP_POSE,
    LMB_OP_BLEND,
    LMB_OP_MASKED,
    LMB_OP_WEIGHTED,
    LMB_OP_MAKE_ADDITIVE,
    LMB_OP_ADDITIVE,
    LMB_OP_PARTIAL,
    LMB_OP_LAYERS,
    LMB_OP_MIRROR,
    LMB_OP_CLAMP,
    LMB_OP_ADD,
    LMB_OP_SUBTRACT,
    LMB_OP_SCALE,
    LMB_OP_SUBTRACT_SCALE_ADD,
    LMB_OP_BILINEAR,
    LMB_OP_TRILINEAR,
    LMB_OP_COMBINE,
    LMB_OP_SPACE1D,
    LMB_OP_SPACE2D,
    LMB_OP_WEIGHTED_MATRIX,
    LMB_OP_MACHINE,
    LMB_OP_COUNT
} lmb_op;

/// "rest", "clip" and so on; never NULL. The text is static.
LMB_API const char *lmb_op_name(lmb_op op);

/// How an operation goes from one pose to another; see above.
typedef enum lmb_mix {
    LMB_MIX_SLERP,
    LMB_MIX_NLERP,
    LMB_MIX_LERP,
    LMB_MIX_DEFAULT, ///< nlerp for weighted, slerp for all others
    LMB_MIX_COUNT
} lmb_mix;

/// Where a difference and an additive have the rotation that is added.
typedef enum lmb_form {
    LMB_FORM_LOCAL,  ///< on the right: in the joint's own space
    LMB_FORM_PARENT, ///< on the left: in its parent's
    LMB_FORM_AFFINE, ///< on the left, translation and scale with it: as full matrices
    LMB_FORM_COUNT
} lmb_form;

/// Where a difference and an additive have rotations.
typedef enum lmb_space {
    LMB_SPACE_LOCAL,
    LMB_SPACE_MODEL, ///< in model space, on the left; not for #LMB_FORM_AFFINE
    LMB_SPACE_COUNT
} lmb_space;

/// How a blend space of two dimensions finds its weights; see above.
typedef enum lmb_space2d {
    LMB_SPACE2D_TRIANGLES, ///< scattered places, at least three of them not in a line: Delaunay triangles
    LMB_SPACE2D_GRID,      ///< places in columns and rows: bilinear
    LMB_SPACE2D_FREEFORM,  ///< any places: gradient bands
    LMB_SPACE2D_COUNT
} lmb_space2d;

/// One operation. Start from lmb_default_node_def(); fields that an operation does not use are ignored.
typedef struct lmb_node_def {
    lmb_op op;
    /// Nodes that are before this one. A node used by several is evaluated for each of them.
    uint32_t inputs[LMB_MAX_SPACE_INPUTS];
    uint32_t input_count;
    lmb_value weight;                   ///< blend, masked, partial, additive; scale and subtract-scale-add: the factor
    lmb_value weights[LMB_MAX_INPUTS];  ///< weighted: one for each input; layers: its fade, clamped to [0, 1]
    int32_t priorities[LMB_MAX_INPUTS]; ///< layers: the greatest are the highest layer
    uint32_t masks[LMB_MAX_INPUTS];     ///< layers: of each input an index into the graph's masks, or #LMB_NONE
    uint32_t
        joint_maps[LMB_MAX_INPUTS]; ///< combine: of each input an index into the graph's parts, or #LMB_NONE: whole
    lmb_value clip;         ///< clip: index into the graph's clips, rounded down; out of range: rest pose, refused
    lmb_value time;         ///< clip: seconds, for all that follows it
    lmb_value rate;         ///< clip: time times this, plus the offset, is the time in the clip
    lmb_value offset;       ///< clip: seconds; where one of the three is not finite: 0 in their place, refused
    bool loop;              ///< clip: loop over the duration (0 again at it) instead of clamping to [0, duration]
    uint32_t mask;          ///< masked, and additive where `masked`: index into the graph's masks
    uint32_t joint_weights; ///< clip: index of a mask that stands for its joints' weights, or #LMB_NONE: its own
    uint32_t pose;          ///< pose: index of the batch's pose buffer, below #LMB_MAX_POSES
    uint32_t static_pose;   ///< pose: index into the graph's static poses, or #LMB_NONE: pose buffer
    uint32_t mirror;        ///< mirror: index into the graph's mirrors
    uint32_t joint_limits;  ///< clamp: index into the graph's limits
    lmb_mix interpolation;
    bool shortest;   ///< the short way between rotations
    lmb_form form;   ///< difference, additive
    lmb_space space; ///< difference, additive
    bool unclamped;  ///< additive: the weight may be from -4 to 4
    bool masked;     ///< additive: by `mask`
    /// bilinear: s, t; trilinear: s, t, u; each clamped to [0, 1]. space1d, space2d: the position, x and y, of any range
    lmb_value coordinates[3];
    lmb_space2d space2d; ///< space2d
    /// clip: plays it by itself, in place of `time`, `rate`, `offset` and `loop`; then `clip` is a constant. NULL: does not
    const lmb_player_def *player;
    const lmb_machine_def *machine;           ///< machine
    float positions[LMB_MAX_SPACE_INPUTS][2]; ///< space2d: x and y of each input; space1d: x
} lmb_node_def;

/// Rest pose; weights 1, linear; #LMB_MIX_DEFAULT the short way, local; along 1/2; triangles, all places 0; priorities 0; clip 0 at time 0, rate 1, offset 0, clamped, with its own joint weights;
/// pose buffer 0; no masks of layers; no parts; no inputs.
LMB_API lmb_node_def lmb_default_node_def(void);
/// A clip at a time that the host gives, looped; the clip is an index.
LMB_API lmb_node_def lmb_clip_node(uint32_t clip, lmb_value time);
/// A clip that plays by itself.
LMB_API lmb_node_def lmb_playing_node(uint32_t clip, const lmb_player_def *player);
/// Goes from a to b.
LMB_API lmb_node_def lmb_blend_node(uint32_t a, uint32_t b, lmb_value weight);
/// Goes from a to b as far as the mask lets it.
LMB_API lmb_node_def lmb_masked_node(uint32_t a, uint32_t b, uint32_t mask, lmb_value weight);
/// Adds an additive pose to a base.
LMB_API lmb_node_def lmb_additive_node(uint32_t base, uint32_t add, lmb_value weight);
/// A state machine over the poses of its states, `machine->state_count` of them.
LMB_API lmb_node_def lmb_machine_node(const uint32_t *poses, const lmb_machine_def *machine);

/// A parameter, for whoever sets it.
typedef struct lmb_parameter_def {
    const char *name; ///< copied; NULL: ""
    float initial;    ///< what lmb_graph_defaults() gives
    float min, max;   ///< a note: nothing holds a parameter to them
} lmb_parameter_def;

typedef struct lmb_graph_def {
    const lmb_rig *rig;
    const lmb_clip *const *
        clips; ///< copied; each built for a rig of as many joints and float channels as this one, or of as many joints as one of the parts and as many channels or none
    uint32_t clip_count;
    const uint8_t *const *masks; ///< copied; each one byte per joint, then per float channel; 0 takes a, 255 b
    uint32_t mask_count;
    const lmb_node_def *nodes;     ///< the last one is the result
    uint32_t node_count;           ///< 1 to #LMB_MAX_NODES
    uint32_t parameter_count;      ///< floats per character; 0 to #LMB_MAX_PARAMETERS
    const lmb_mirror_def *mirrors; ///< copied; may be NULL where there are none
    uint32_t mirror_count;         ///< 0 to #LMB_MAX_MIRRORS
    const lmb_joint_limit_def *const
        *joint_limits;                   ///< copied; each one definition per joint; may be NULL where there are none
    uint32_t joint_limits_count;         ///< 0 to #LMB_MAX_JOINT_LIMITS
    const lmb_joint_map_def *joint_maps; ///< copied; may be NULL where there are none
    uint32_t joint_map_count;            ///< 0 to #LMB_MAX_JOINT_MAPS
    const lmb_static_pose_def *static_poses; ///< copied; may be NULL where there are none
    uint32_t static_pose_count;              ///< 0 to #LMB_MAX_STATIC_POSES
    /// Copied; beside each of `limits` a range for each float channel, or NULL for none; NULL where there are none at all.
    const lmb_channel_range *const *channel_ranges;
    /// Levels of detail, see lod.h: for each joint of the rig the maximum level at which it is computed; copied; NULL:
    /// there are none, and `lod` is ignored.
    const uint8_t *max_lods;
    /// The level of each character: rounded down, and clamped to 0 to #LMB_MAX_LODS - 1; NaN counts as 0 and as a refused
    /// weight.
    lmb_value lod;
    /// Whether the host inertializes what the last operation gives, see inertia.h; not for #LMB_OP_WEIGHTED_MATRIX. Where
    /// a machine has a transition of #LMB_FADE_INERTIALIZED, the graph does so by itself, and this is false.
    bool inertialize;
    uint32_t inertia_parameters; ///< the first of #LMB_INERTIA_PARAMETERS parameters, where it does

    // What moves by itself; see control.h. All may be NULL where there are none.
    const lmb_parameter_def *parameters; ///< `parameter_count` of them, or NULL: without names, 0
    uint32_t event_count;                ///< events are numbers below it; up to #LMB_MAX_EVENTS
    const char *const *event_names;      ///< copied; or NULL: without names
    const lmb_smoothed_def *smoothed;    ///< in the order in which they move; one may follow an earlier one
    uint32_t smoothed_count;
    const lmb_computed_def *computed; ///< in the order in which they are found; one may read an earlier one
    uint32_t computed_count;          ///< up to #LMB_MAX_PARAMETERS
    const lmb_group_def *groups;      ///< each with one player at least
    uint32_t group_count;
    const lmb_fade_def *fades;
    uint32_t fade_count;
    const lmb_motion_def *motion; ///< NULL: there is none, and root motion moves nothing
    uint32_t max_emitted_events;  ///< events emitted of one character and frame; more are counted alone. 0 takes 8
    /// Frames between updates: a whole number from 1 to 16, rounded down. A character is updated in frames where frame
    /// number plus its own is divisible by it, by all the time that has passed since, and in frames in which it is sent
    /// events; in others it stands still, unless `interpolate_updates`. NULL: each frame.
    const lmb_value *update_every;
    /// Between updates what is continuous goes on: control.h, "Updates". A frame without an update then costs what
    /// moving does, without weights and decisions, and a device keeps a second row of state for each character.
    bool interpolate_updates;
} lmb_graph_def;

/// Checks and compiles. Fails with #LMB_ERROR_ARGUMENT (message: node and field, or joint), #LMB_ERROR_LIMIT where
/// there are too many nodes, parameters, mirrors, limits, parts or static poses, more than #LMB_MAX_STACK poses would
/// be held at once, nodes counted for each use come to more than 65,536, more than #LMB_MAX_EXCHANGES poses are read at
/// other joints, or the block would exceed 2^30 words, #LMB_ERROR_MEMORY. In a rig with float channels
/// #LMB_ERROR_LIMIT too where more than #LMB_MAX_CHANNEL_STACK values of one would be held at once: a sum holds those of
/// all inputs up to the one that it evaluates. Sums of 16 inputs always fit; a blend space of 64 fits as one of the first
/// 18 inputs of another.
LMB_API lmb_result lmb_graph_create(const lmb_graph_def *def, const lmb_host *host, lmb_graph **graph,
                                    lmb_error *error);
/// The checks of lmb_graph_create() alone, with the same results. What moves by itself takes memory of the C library
/// meanwhile, so #LMB_ERROR_MEMORY is possible.
LMB_API lmb_result lmb_graph_check(const lmb_graph_def *def, lmb_error *error);
/// NULL is fine.
LMB_API void lmb_graph_destroy(lmb_graph *graph);

LMB_API uint32_t lmb_graph_joint_count(const lmb_graph *graph);
/// Floats of a character's row of parameters: those of the descriptor, then those that the graph writes for itself (times
/// of clips that play, weights of states).
LMB_API uint32_t lmb_graph_parameter_count(const lmb_graph *graph);
/// Number of pose buffers that a batch must bind: the largest index used, plus one.
LMB_API uint32_t lmb_graph_pose_count(const lmb_graph *graph);
/// How many joints a pose buffer has: the rig's, or those of the part in which it is used; 0 where nothing uses it.
LMB_API uint32_t lmb_graph_pose_joint_count(const lmb_graph *graph, uint32_t pose);
/// Floats of one character in a pose buffer: #LMB_POSE_COMPONENTS for each joint, and behind them, where those are as many
/// as the rig's, one for each float channel; 0 where nothing uses it.
LMB_API uint32_t lmb_graph_pose_floats(const lmb_graph *graph, uint32_t pose);
/// The rig's, copied into the graph.
LMB_API uint32_t lmb_graph_socket_count(const lmb_graph *graph);
/// The rig's float channels, copied into the graph.
LMB_API uint32_t lmb_graph_channel_count(const lmb_graph *graph);
/// Joints that are computed at a level of detail, see lod.h; all of them where the graph has no levels. Levels past the
/// last count as that.
LMB_API uint32_t lmb_graph_joints_at(const lmb_graph *graph, uint32_t lod);
/// Words that a batch keeps of each character where the graph's result is inertialized, see inertia.h; 0 where it is not.
LMB_API uint32_t lmb_graph_inertia_words(const lmb_graph *graph);
/// The first of the #LMB_INERTIA_PARAMETERS parameters that inertialization reads, or #LMB_NONE where nothing is
/// inertialized.
LMB_API uint32_t lmb_graph_inertia_parameters(const lmb_graph *graph);
/// Poses held at once while it runs. Evaluating inputs in order, an operation of two inputs holds the first while it
/// evaluates the second, and one that takes any number, as #LMB_OP_WEIGHTED does, holds two poses' worth of sums: chains that grow in the first input
/// stay flat.
LMB_API uint32_t lmb_graph_stack(const lmb_graph *graph);

/// Exchange areas; see the note on other joints.
LMB_API uint32_t lmb_graph_exchanges(const lmb_graph *graph);

/// What moves by itself: stage 1, for its state of each character (control.h). NULL where nothing does. Lives as long as
/// the graph.
LMB_API const lmb_control *lmb_graph_control(const lmb_graph *graph);
/// The player of a clip's node, or the machine of a node or of a fade, as numbers that lmb_control_player_ticks(),
/// lmb_control_current_state() and others take; #LMB_NONE where there is none.
LMB_API uint32_t lmb_graph_node_player(const lmb_graph *graph, uint32_t node);
LMB_API uint32_t lmb_graph_node_machine(const lmb_graph *graph, uint32_t node);
LMB_API uint32_t lmb_graph_fade_machine(const lmb_graph *graph, uint32_t fade);

/// A parameter of a graph.
typedef struct lmb_graph_parameter {
    const char *name; ///< lives as long as the graph; "" without one
    float initial;
    float min;
    float max;
    bool is_written; ///< by the graph: not for the host to set, and not found by its name
} lmb_graph_parameter;

/// `index` is below lmb_graph_parameter_count() (not checked beyond an assertion).
LMB_API lmb_graph_parameter lmb_graph_parameter_at(const lmb_graph *graph, uint32_t index);
/// The index of the parameter of that name which the host sets, or #LMB_NONE.
LMB_API uint32_t lmb_graph_find_parameter(const lmb_graph *graph, const char *name);
/// Fills a character's row, float [lmb_graph_parameter_count()], with initial values.
LMB_API void lmb_graph_defaults(const lmb_graph *graph, float *row);
LMB_API uint32_t lmb_graph_event_count(const lmb_graph *graph);
/// The event of that name, or #LMB_NONE.
LMB_API uint32_t lmb_graph_find_event(const lmb_graph *graph, const char *name);
/// Names live as long as the graph; "" without one. Indices are below their counts (not checked beyond an assertion).
LMB_API const char *lmb_graph_event_name(const lmb_graph *graph, uint32_t event);
LMB_API uint32_t lmb_graph_player_count(const lmb_graph *graph);
/// Its clip's.
LMB_API const char *lmb_graph_player_name(const lmb_graph *graph, uint32_t player);
/// In seconds, of its clip.
LMB_API float lmb_graph_player_duration(const lmb_graph *graph, uint32_t player);
LMB_API const char *lmb_graph_group_name(const lmb_graph *graph, uint32_t group);
LMB_API uint32_t lmb_graph_machine_count(const lmb_graph *graph);
/// A machine's, or a fade's.
LMB_API const char *lmb_graph_machine_name(const lmb_graph *graph, uint32_t machine);
LMB_API uint32_t lmb_graph_state_count(const lmb_graph *graph, uint32_t machine);
/// The machine within whose state a machine runs, or #LMB_NONE; that state, where `state` is not NULL.
LMB_API uint32_t lmb_graph_machine_owner(const lmb_graph *graph, uint32_t machine, uint32_t *state);
/// Those of a fade's machine are "in" and "out".
LMB_API const char *lmb_graph_state_name(const lmb_graph *graph, uint32_t machine, uint32_t state);

/// Tells what a graph was compiled to: calls `print` for each instruction, in order, with a line without a line break, as
/// in
///
///        2  s0   blend          s0 s1, weight speed uniform-s
///
/// for the third instruction, which puts a blend of the poses in slots 0 and 1 into slot 0. What a graph runs as
/// several instructions is named for each, "weighted begin" and so on. Parameters without a name are called p0, p1 and so on.
LMB_API void lmb_graph_print(const lmb_graph *graph, void (*print)(void *user, const char *line), void *user);

#ifdef __cplusplus
}
#endif

#endif
