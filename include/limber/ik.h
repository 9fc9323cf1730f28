/// @file ik.h
/// @ingroup graphs
/// Inverse kinematics: #LMB_OP_IK_TWO_BONE turns joints so that a limb reaches a target, #LMB_OP_IK_AIM so that an axis
/// points at it, #LMB_OP_FOOT_PLACEMENT so that feet stand on the ground. lmb_two_bone_node(), lmb_aim_node() and
/// lmb_foot_placement_node() make such nodes with their defaults.
///
/// **Points.** A target is a position. A pole vector is a direction, not a position. Both are called a point here, and
/// have three coordinates. Each coordinate is a value, a constant or a parameter; or the point comes from the batch's
/// points (lmb_batch_inputs.points, lmb_gpu_batch_bind_points()), which the host writes, or on a device another kernel.
/// The magnitude of a coordinate is limited to 2^40, so infinity is 2^40. NaN counts as 0 and as a refused weight
/// (#LMB_REFUSED_WEIGHT). Both ways give the same bits.
///
/// **Space.** Targets and pole vectors are in model space, the space of the rig's roots, or in world space
/// (#lmb_ik_space). A batch then needs a world transform for each character (lmb_batch_inputs.transforms,
/// lmb_gpu_batch_bind_transforms()): a matrix M = [L | t] of three rows of four floats that takes model space to world
/// space. With a character motion it can be the batch's own (lmb_gpu_batch_def.own_transforms; on the CPU
/// lmb_control_frame.matrices). A position becomes L^-1 (p - t), a direction L^-1 p; so a normal of the ground keeps
/// its direction exactly if the scale of L is uniform. This is computed once per character.
///
/// L may have any scale, also mirroring. It has no inverse if its determinant, once L is divided by its largest
/// element, is within 2^-30 of 0. Such a transform, and one with an element that is not finite, counts as the identity
/// and as a refused pose (#LMB_REFUSED_POSE), once for each point that it converts. If L is a rotation with a uniform
/// scale, the result is within 2e-6 of float64, relative to the distance of p from t, divided by the scale. For any
/// other L, that is multiplied by the square of the ratio of its largest to its smallest scale.
///
/// **Weights.** The solution has the weight w of the node, clamped to [0, 1]: each joint that it turns is slerp(base,
/// solved, w), the short way. At weight 0 the result is the base, to the bit, and nothing is computed. At weight 1 it
/// is the solution. Only local rotations change, and the translations of the pelvis in foot placement and of detached
/// ends: all other translations, scales and float channels are those of the base, and so are root motion and joint
/// weights.
///
/// **Reached.** A node of #LMB_OP_IK_TWO_BONE or #LMB_OP_IK_AIM can report whether it reaches its target
/// (#lmb_reached_slot): 1 or 0 in a word of each character, in lmb_batch_outputs.reached, or on a device in
/// lmb_gpu_batch_reached(), which lmb_gpu_readback also copies. Words are kept from frame to frame, and each frame that
/// evaluates a character writes them anew. While a list omits the character, or its level of detail drops the joint
/// that writes the word, it remains. That is the start of two bones, or the last of the joints that aim. A node that
/// several nodes use writes the word for each use, in their order.
///
/// Poses come after the control, so conditions read what the frame before reported: lmb_reached_slot.parameter. Such a
/// control depends on which characters were evaluated. To save or restore characters between frames, do the same with
/// these words. On the CPU lmb_control_frame.reached has them; give it the memory of lmb_batch_outputs.reached.
///
/// **Cost.** The base is evaluated for all joints first, in an exchange area (lmb_graph_info.exchange_count). Then the
/// joints that turn compute the solution, each by itself, and read all ancestors of the chain.
#ifndef LIMBER_IK_H
#define LIMBER_IK_H

#include <limber/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup graphs
/// @{

#define LMB_MAX_POINTS 64u ///< points of each character

/// The space of the target and the pole vector of a node.
typedef enum lmb_ik_space {
    LMB_IK_MODEL, ///< the space of the rig's roots
    LMB_IK_WORLD, ///< that to which the batch's world transforms lead
    LMB_IK_SPACE_COUNT
} lmb_ik_space;

/// Whether a point comes from the batch's points, and from which one. Zeroed: it comes from values.
typedef struct lmb_point_slot {
    bool in_buffer;
    uint32_t index; ///< of `in_buffer`: below #LMB_MAX_POINTS; several nodes may read one point
} lmb_point_slot;

/// Returns a point that comes from the batch's points.
static inline lmb_point_slot lmb_point(uint32_t index) {
    lmb_point_slot slot = {true, index};
    return slot;
}

#define LMB_MAX_REACHED 32u ///< nodes of a graph that report whether they reach their targets

/// Whether a node reports whether it reaches its target, and in which word. Zeroed: it does not.
typedef struct lmb_reached_slot {
    bool is_reported;
    /// Of `is_reported`: below #LMB_MAX_REACHED. Nodes have the same index only if the same joint writes the word: that
    /// of the one evaluated last remains.
    uint32_t index;
    /// Of `is_reported`: written by the graph's control where a frame begins, 1 or 0 as of the frame before; or
    /// #LMB_NONE. Everything that moves by itself may read it, as a parameter of the host.
    uint32_t parameter;
} lmb_reached_slot;

/// Returns a word in which a node reports; no parameter.
static inline lmb_reached_slot lmb_reached(uint32_t index) {
    lmb_reached_slot slot = {true, index, 0xffffffffu};
    return slot;
}

/// Two bones that reach for a target: shoulder, elbow and wrist, or hip, knee and ankle. lmb_node_def.two_bone of an
/// #LMB_OP_IK_TWO_BONE.
///
/// `start` must be an ancestor of `mid`, and `mid` one of `end`, unless the end is detached. Joints between them keep
/// their local transforms. The bones are the lines from start to mid and from mid to end.
///
/// 1. The mid turns about `mid_axis` until the end is as far from the start as the target is. Choose the sign of
///    the axis so that a positive turn straightens the limb: the mid is on the side of axis x (end - start). The other
///    sign bends it the other way.
/// 2. The start turns the end to the line from start to target, by the shortest arc.
/// 3. The start turns about this line until mid_axis x (target - start) is on the side of `pole`, and then by `twist`.
///
/// If mid_axis is perpendicular to both bones, as it is in most rigs, the mid is then in the half plane of `pole`.
/// Under an ancestor that mirrors, positive turns go the other way in model space, `twist` included.
///
/// **Reach.** Let R be the longest distance between start and end that step 1 can reach: the sum of both bones if
/// mid_axis is perpendicular to them. Up to the distance soften R a target is reached. From there on, the distance d of
/// the target is replaced by one that approaches R, so that the limb does not snap straight:
///
///     soften R + (1 - soften) R (1 - exp(-(d - soften R) / ((1 - soften) R)))
///
/// This has no jump, and no jump in speed. With soften 1 the limb is straight from R on. A target nearer than the
/// shortest distance that step 1 can reach folds the limb to that distance.
///
/// A target is reached (`reached`) if the weight is 1, the mid can turn, and d is from that shortest distance to soften
/// R, within 2^-20 of the sum of both bones. ozz-animation says the same, except for targets at the shortest distance.
///
/// **Detached ends.** In rigs made for inverse kinematics the end may be elsewhere: a foot under the root, not under
/// the shin. An end that is not below `mid` must be apart from `start`: neither above nor below it. The lower bone then
/// ends at the tip, a point that is fixed in the space of the mid: where the rest pose has the end. With M the model
/// matrix of the mid and e the position of the end, both in the rest pose,
///
///     tip = M^-1 e
///
/// The tip reaches for the target as the end does otherwise. So the limb is closed at weight 1, also if a clip moves
/// the end away from it, as clips of such rigs do whose limbs were not baked. The end moves by its own local
/// translation: in model space by
///
///     w (r - e')
///
/// where e' is its position in the base, and r is the target if that is in reach, else where the tip is. Its
/// local rotation stays that of the base.
///
/// **Scale.** Ancestors of the start, the mid and the end may have any scale. That of the start and of joints between
/// start and mid must be uniform; otherwise the end does not quite reach the target.
///
/// **Edges.** A target nearer to the start than 2^-16 of the bones' lengths has no direction: the end stays in its own,
/// and step 3 turns about the line to the end. An end as near to the start after step 1 has no direction either: step 2
/// turns nothing. If neither has one, or if no bone has a length, the start does not turn. Within 2^-10 radians of
/// straight behind the end, the arc goes about any axis, and is up to that much longer than the shortest: only a pole
/// vector decides then where the mid is.
///
/// A pole vector that is 0, or along the line to the target within 2^-20 (sine), is ignored: the start turns by the
/// shortest arc and then by `twist`. If the product of the bones' lengths across mid_axis is below 2^-22 of the square
/// of their sum, as that of a bone without a length is, the mid does not turn, and the limb turns as a whole. A limb
/// that is straight in the base bends as any other: mid_axis alone says to which side.
///
/// **Error.** The end is within 4e-6 of where this puts it, relative to the bones' lengths plus the distances between
/// the ancestors. The mid is within 2e-5, except where small differences decide: within 1e-3 where the limb is nearly
/// straight; with a factor of 1 / sine of the angle between pole and line, and of the bones' lengths / the distance of
/// the target from the start if these are small; and 4e-8 times the twist's magnitude in radians more.
typedef struct lmb_two_bone_def {
    uint32_t start; ///< joints of the rig
    uint32_t mid;
    uint32_t end;
    lmb_value target[3]; ///< x, y, z of the position for the end
    /// Direction, not position, from the line between start and end towards the mid; of any length. Default 0: the limb
    /// bends as in the base.
    lmb_value pole[3];
    float mid_axis[3];          ///< in the space of the mid; of any length up to 2^40 except 0
    float soften;               ///< from 0 to 1
    lmb_value twist;            ///< radians, about the line from start to target
    lmb_point_slot target_slot; ///< where the target comes from if not from `target`
    lmb_point_slot pole_slot;   ///< the same for `pole`
    lmb_ik_space space;         ///< of target and pole vector
    lmb_reached_slot reached;   ///< whether the target is reached; see "Reach"
} lmb_two_bone_def;

#define LMB_MAX_AIM_JOINTS 8u ///< of a chain that aims

/// A joint that aims at a target, such as a head that looks at it, and ancestors that help. lmb_node_def.aim of an
/// #LMB_OP_IK_AIM.
///
/// `joints` begins with the one that aims; each further one is an ancestor of the one before it. They turn one after
/// another, so that a line of the first joint, from `offset` along `forward`, meets the target:
///
/// 1. Let P be the point of the line that is as far from the turning joint as the target is; of two such points, the
///    one farther along `forward`; or, if all points are farther, the one nearest to the joint. The joint turns P to
///    the target, by the shortest arc.
/// 2. About the line from the turning joint to the target, `up` turns to the side of `pole`, and then by `twist`.
/// 3. If both together exceed the angle `limit`, they are reduced to it about the same axis. Then the ancestors aim at
///    where `forward` and `up` are directed now, in place of target and pole, without a twist; a pole of 0 remains 0
///    unless there is a twist. They do the same if there is a twist and no pole.
/// 4. The joint turns by its share of this rotation, slerp(1, rotation, share), and leaves the rest to its ancestors.
///
/// So a last share of 1 aims exactly, unless the limit prevents it. No joint turns further than `limit` times its share
/// from the base. With a single joint that is a limit of the aim. With several it is one of the aim of the first joint
/// alone, from which the aim of the whole chain differs as far as the ancestors move that joint.
///
/// **Reached.** The aim is exact (`reached`) if the weight and the last share are 1, no limit reduces a turn, and the
/// last joint finds a P on the line as far away as the target, within 2^-20. The target has a direction from there. ozz
/// reports that such a P exists, at any weight.
///
/// **Scale.** Ancestors may have any scale. That of the joints from the first to the last one must be uniform;
/// otherwise the aim is not exact.
///
/// **Edges.** A target nearer to a turning joint than 2^-16 of that joint's distance from its parent has no direction:
/// the joint does not turn. A pole vector that is 0, or along the line to the target within 2^-20 (sine), is ignored,
/// and so is such an `up`, as one along `forward` is without an offset: then step 2 does not turn. Within 2^-10 radians
/// of straight behind the joint, the arc goes about any axis, and is up to that much longer than the shortest. For a
/// target between joint and offset the line meets the target behind the offset, so `forward` points away from it. A
/// scale of 0 may leave `forward` or `up` without a length: then P is the offset itself, or step 2 does not turn. If P
/// is at the joint, step 1 does not turn. Under an ancestor that mirrors, twists go the other way in model space.
///
/// **Error.** The line misses the target by an angle within 4e-6, if the target is farther away than four times the
/// offset and the longest distance between joints that are turned or above them. Nearer targets are missed by more, in
/// proportion.
typedef struct lmb_aim_def {
    uint32_t joints[LMB_MAX_AIM_JOINTS]; ///< of the rig
    float shares[LMB_MAX_AIM_JOINTS];    ///< of what the joints before leave, from 0 to 1; the last: 1 to aim exactly
    uint32_t joint_count;                ///< 1 to #LMB_MAX_AIM_JOINTS
    lmb_value target[3];                 ///< x, y, z of the position to aim at
    lmb_value pole[3];                   ///< direction for `up`; of any length
    float forward[3];                    ///< in the space of the first joint; of any length up to 2^40 except 0
    float up[3];                         ///< the same
    float offset[3];                     ///< a position in the space of the first joint, such as that of the eyes
    float limit;                         ///< radians; pi or more: none
    lmb_point_slot target_slot;          ///< where the target comes from if not from `target`
    lmb_point_slot pole_slot;            ///< the same for `pole`
    lmb_ik_space space;                  ///< of target and pole vector
    lmb_value twist;                     ///< radians, about the line from the turning joint to the target
    lmb_reached_slot reached;            ///< whether the aim is exact
} lmb_aim_def;

#define LMB_MAX_FEET 4u ///< of a node

/// A foot, and the ground under it. Start from lmb_default_foot_def().
typedef struct lmb_foot_def {
    uint32_t hip; ///< joints of the rig; the hip is below the pelvis, the knee below the hip, the ankle below the knee
    uint32_t knee;
    uint32_t ankle;             ///< or detached, see lmb_feet_def
    float knee_axis[3];         ///< as lmb_two_bone_def.mid_axis
    lmb_value ground[3];        ///< a point of the ground's plane under the foot; any point of the plane will do
    lmb_value normal[3];        ///< of the ground, upwards; of any length; 0: there is no ground
    lmb_point_slot ground_slot; ///< where the point comes from if not from `ground`
    lmb_point_slot normal_slot; ///< the same for `normal`
    lmb_value planted;          ///< see lmb_feet_def, "Locks"; clamped to [0, 1]; default 0
    uint32_t planted_from;      ///< sync markers between which clips plant the foot; #LMB_NONE: none do
    uint32_t planted_to;
    /// Without these markers: a float channel of the rig, which is above 1/2 in a clip while it plants the foot; or
    /// #LMB_NONE.
    uint32_t planted_channel;
} lmb_foot_def;

/// No joints, knee axis z, ground at the origin, normal y.
LMB_API lmb_foot_def lmb_default_foot_def(void);

/// Feet that stand on uneven ground. lmb_node_def.feet of an #LMB_OP_FOOT_PLACEMENT.
///
/// The host casts a ray down through each foot, or a kernel reads a height field, and stores where the ground is and
/// its normal: for each character and foot two points of the batch, or values. The position of the foot in the frame
/// before is good enough for the ray, since this moves feet along `up` only, except for strides and locks. In the base
/// the ground is the plane through the origin of model space that is perpendicular to `up`.
///
/// 1. Each ankle moves along `up` by an offset d, to where its distance from the ground's plane, along the normal, is
///    its height above the origin in the base. With ankle a, ground point g, unit normal n and unit vector u up, that
///    is
///
///        d = (dot(g - a, n) + dot(a, u)) / dot(u, n)
///
///    So a foot that the animation lifts is lifted above the ground by as much.
/// 2. The pelvis moves along `up` by the smallest d of all feet if that is below 0, at most by `max_lowering`. So the
///    foot that is lowered most keeps the bend of its knee, and every other foot moves up towards its hip.
/// 3. Each leg reaches for its ankle's position from there, as #LMB_OP_IK_TWO_BONE does with `soften` and without a
///    pole vector: the knee bends about its axis, and the hip turns by the shortest arc.
/// 4. Each foot turns in model space as it was in the base, and then by the shortest arc from `up` to the normal, by at
///    most `max_angle`.
///
/// **Detached ankles.** An ankle that is not below its knee (lmb_two_bone_def, "Detached ends") must be apart from the
/// hips of all feet and from their detached ankles; it may be below the pelvis. a is its own position in the base. The
/// leg reaches with its tip, which is fixed in the space of the knee, for where the ankle belongs; the ankle moves
/// there by its own local translation, or, if that is out of reach, to where the tip is. So on level ground, too, a
/// foot that a clip moves apart from its leg is joined with it. Without ground the ankle goes down with the pelvis.
///
/// **Stride.** Feet that follow a clip of another speed than the character's slide. If `speed` and `clip_speed` differ,
/// the stride is scaled to match (as Unreal's Stride Warping does): with s = clamp(speed / clip_speed, 0, 4), pelvis p
/// and unit vector v in `direction`, before step 1 each ankle moves by
///
///     (s - 1) dot(a - p, v) v
///
/// So the feet travel s times as far under the pelvis. In step 2 the pelvis moves further down if a leg would be longer
/// than in the base: by the smallest x with |h - a'| <= |h - a|, where h is the hip after it, and a' where the ankle
/// belongs; if there is none, to where h is nearest to a'. Give `speed` the desired speed, and move the character by it
/// (lmb_motion_def.velocity): root motion is not scaled. A speed of 0 brings the feet together; where `direction` is 0,
/// or the magnitude of `clip_speed` is at most 2^-20, nothing is scaled, and neither is a foot without ground. For
/// strides alone, leave the ground at its default, the plane through the origin.
///
/// **Locks.** With a `lock_distance` above 0, a foot that is planted keeps its place, so that it does not slide where
/// clip and movement differ (as Unreal's Foot Placement does). It is planted in a frame if
///
///     lmb_foot_def.planted + (sum of w_i) / w >= 1/2
///
/// where w is the weight of the node in the result, and w_i are those of the clips below it that play (lmb_player_def)
/// and are at a time from their sync marker `planted_from` until before `planted_to`. If the second marker is not later
/// than the first one, the time goes around the end of the clip; if both are the same, it is the whole clip. With a
/// `planted_channel` it is a time from where the clip's track of the channel becomes greater than 1/2 until before it
/// is not any more (lmb_clip_find_crossings()): takes of many steps have no markers. A clip inside a mirror plants a
/// foot when it has planted the foot of the node at the partner of its ankle. So a blend plants a foot when the
/// clips that do so have half of the weight, and clips without these markers or this track, such as a jump, do not.
/// `planted` is for all else: a fade, a computed parameter that reads the weight of an idle state, or a decision of the
/// host. A foot without ground is not planted.
///
/// In the frame in which a foot becomes planted, it is locked where it is shown, at l = a + m, where a is its ankle in
/// the base with its stride, and m its displacement. While it is locked,
///
///     m = (l - a) - dot(l - a, u) u
///
/// The lock ends when the foot is not planted any more. It breaks if |m| > `lock_distance`: m is shortened to that, and
/// the foot is not locked until it becomes planted again. After a lock m decays, in each frame to the share
/// 2^(-t / release_half_life) of what it was, t seconds after the frame before.
///
/// Before step 1 each ankle moves by m, after its stride; height and rotation follow the ground as without a lock. In
/// step 2 the pelvis moves further down if a leg would be longer than in the base, as for strides. l, a and m are in
/// `space`: with #LMB_IK_WORLD a foot keeps its place in the world. With #LMB_IK_MODEL it keeps it in model space, for
/// characters that no world transform moves.
///
/// **Smoothing.** With a `ground_half_life` the offset d of each foot and the normal n, in model space, follow the
/// ground with a delay. With d' and n' those of the frame before, and k = 2^(-t / ground_half_life), step 1 and step 4
/// use d + k (d' - d), and n + k (n' - n), normalised. A foot that had no ground in the frame before takes them at
/// once. In the same way the pelvis's offset follows with `pelvis_half_life`, after step 2.
///
/// **Time.** `time` is the time of the frame in seconds, as that of a chain (chain.h): a parameter that the host
/// advances, modulo 1024 s. The feet of a node begin anew in their first frame; if more than half a second passed since
/// the frame before; if time went back; or if the pelvis in the base moved farther than `teleport` since then, in
/// `space`. Then no displacement is left, planted feet are locked where the base has them, and nothing is smoothed. A
/// frame with the same `time` as the one before replaces that one. While the weight is 0, a list omits the character,
/// or the level of detail drops the pelvis, the state stands still. In frames in which the character is not updated
/// (lmb_graph_def.update_every) its feet stay locked, and time passes for all that decays.
///
/// **Memory.** A batch keeps 2 (5 + 11 n) words for each character and each use of the node with n feet, if anything is
/// locked or smoothed, else none. They are stored with those of chains, and all that chain.h says about these is true
/// of them. Without the memory, nothing is locked or smoothed. In world space such a node converts seven more points,
/// so a world transform that counts as the identity counts as seven more refused poses.
///
/// **Weight.** At weight w the translations of the pelvis and of detached ankles are base + w (solved - base), and the
/// rotations of the legs' and feet's joints are slerp(base, solved, w). All else is that of the base. So below weight 1
/// a locked foot slides by a share of what it does in the base.
///
/// **Scale.** That of the ancestors of the ankles must be uniform, and must not mirror. The ankles themselves may have
/// any scale.
///
/// **Edges.** If the normal is 0, or more than 80 degrees from `up`, there is no ground: the leg keeps its pose, and
/// goes down with the pelvis. A foot whose ground is out of reach ends on the line from its hip towards it: a leg folds
/// as its ground rises to the hip, flips as it passes, and points up to ground above. Give such ground a normal of 0.
/// A place within 2^-16 of the leg's length from the hip gives no direction: the hip does not turn. Legs that are
/// straight in the base, or have bones without a length, are treated as such limbs (lmb_two_bone_def); their feet turn
/// with the ground, and the pelvis goes down, all the same.
///
/// **Error.** The ankle is within 1e-5 of where this puts it, relative to the bones' lengths plus the distances of the
/// ground and between the ancestors. The foot's rotation is within 2e-5 in each component, except where the leg is
/// nearly straight; there the directions of its bones are within 1e-3, but that of the foot is not affected. With locks
/// and smoothing the distances include that of the character from the origin of `space`.
///
/// **Cost.** The pelvis, and each hip, knee and ankle, computes the offsets of all feet, each from the joints of a leg
/// and its ancestors; their states, too.
typedef struct lmb_feet_def {
    lmb_foot_def feet[LMB_MAX_FEET]; ///< no two feet have a joint in common
    uint32_t foot_count;             ///< 1 to #LMB_MAX_FEET
    uint32_t pelvis;                 ///< joint that is lowered: an ancestor of all hips
    float up[3];                     ///< direction, always in model space; of any length up to 2^40 except 0
    float max_lowering;              ///< in units of model space, from 0 to 2^40; 0: the pelvis does not move
    float max_angle;               ///< radians by which a foot turns at most; pi or more: no limit; 0: feet do not tilt
    float soften;                  ///< of the legs, from 0 to 1; see lmb_two_bone_def
    lmb_ik_space space;            ///< of ground, normals and direction, whether values or points
    lmb_value speed;               ///< desired, in any unit
    lmb_value clip_speed;          ///< at which the feet do not slide in the base, in the same unit
    lmb_value direction[3];        ///< of the movement; of any length
    lmb_point_slot direction_slot; ///< where the direction comes from if not from `direction`
    lmb_value time;                ///< seconds; a parameter if feet are locked or anything is smoothed
    float lock_distance;           ///< up to which a lock holds, in units of `space`, to 2^40; 0: feet are not locked
    float release_half_life;       ///< seconds, 0 to 1000: of a displacement after its lock; 0: it ends at once
    float ground_half_life;        ///< seconds, 0 to 1000: of the offsets d and the normals; 0: not smoothed
    float pelvis_half_life;        ///< seconds, 0 to 1000: of the pelvis's offset; 0: not smoothed
    float teleport;                ///< distance, in units of `space`, to 2^40: see "Time"; 2^40: never
} lmb_feet_def;

/// @}

#ifdef __cplusplus
}
#endif

#endif
