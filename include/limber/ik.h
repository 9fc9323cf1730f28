/// @file ik.h
/// Inverse kinematics: #LMB_OP_IK_TWO_BONE turns joints so that a limb reaches a target, #LMB_OP_IK_AIM so that an axis
/// points at it.
///
/// **Space.** Targets and pole vectors are in model space, the space of the rig's roots. A batch does not know where a
/// character is in the world, so the host converts targets from world space.
///
/// **Values.** Each coordinate is a value: a constant or a parameter. Its magnitude is limited to 2^40, so infinity is
/// 2^40. NaN counts as 0 and as a refused weight (#LMB_REFUSED_WEIGHT).
///
/// **Weights.** The solution has the weight w of the node, clamped to [0, 1]: each joint that it turns is slerp(base,
/// solved, w), the short way. At weight 0 the result is the base, to the bit, and nothing is computed. At weight 1 it
/// is the solution. Only local rotations change: translations, scales and float channels are those of the base, and so
/// are root motion and joint weights.
///
/// **Cost.** The base is evaluated for all joints first, in an exchange area (lmb_graph_exchanges()). Then the joints
/// that turn compute the solution, each by itself, and read all ancestors of the chain.
#ifndef LIMBER_IK_H
#define LIMBER_IK_H

#include <limber/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Two bones that reach for a target: shoulder, elbow and wrist, or hip, knee and ankle. Of #LMB_OP_IK_TWO_BONE.
///
/// `start` must be an ancestor of `mid`, and `mid` one of `end`. Joints between them keep their local transforms. The
/// bones are the lines from start to mid and from mid to end.
///
/// 1. The mid turns about `mid_axis` until the end is as far from the start as the target is. A positive turn about the
///    axis opens the chain: the mid is on the side of axis x (end - start). Of two angles with the same distance, this
///    determines which one is used.
/// 2. The start turns the end to the line from start to target, by the shortest arc.
/// 3. The start turns about this line until mid_axis x (target - start) is on the side of `pole`, and then by `twist`.
///
/// If mid_axis is perpendicular to both bones, as it is in most rigs, the mid is then in the half plane of `pole`.
/// Under an ancestor that mirrors, positive turns go the other way in model space, `twist` included.
///
/// **Reach.** Let L be the longest distance between start and end that step 1 can reach: the sum of both bones if
/// mid_axis is perpendicular to them. Up to the distance soften L a target is reached. From there on, the distance d of
/// the target is replaced by one that approaches L, so that the limb does not snap straight:
///
///     soften L + (1 - soften) L (1 - exp(-(d - soften L) / ((1 - soften) L)))
///
/// This has no jump, and no jump in speed. With soften 1 the limb is straight from L on. A target nearer than the
/// shortest distance that step 1 can reach folds the limb to that distance.
///
/// **Scale.** Ancestors of the start, the mid and the end may have any scale. That of the start and of joints between
/// start and mid must be uniform; otherwise the end does not quite reach the target.
///
/// **Edges.** A target nearer to the start than 2^-16 of the bones' lengths has no direction: the end stays in its own.
/// A pole vector that is 0, or along the line to the target within 2^-20 (sine), is ignored: the start turns by the
/// shortest arc and then by `twist`. If the product of the bones' lengths across mid_axis is below 2^-22 of the square
/// of their sum, the mid does not turn.
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
    lmb_value pole[3];   ///< direction from the line between start and end towards the mid; of any length
    float mid_axis[3];   ///< in the space of the mid; of any length up to 2^40 except 0
    float soften;        ///< from 0 to 1
    lmb_value twist;     ///< radians, about the line from start to target
} lmb_two_bone_def;

#define LMB_MAX_AIM_JOINTS 8u ///< of a chain that aims

/// A joint that aims at a target, such as a head that looks at it, and ancestors that help. Of #LMB_OP_IK_AIM.
///
/// `joints` begins with the one that aims; each further one is an ancestor of the one before it. They turn one after
/// another, so that a line of the first joint, from `offset` along `forward`, meets the target:
///
/// 1. By the shortest arc, the vector from the turning joint to the point of the line that is as far from it as the
///    target is turns to the target. If the line is nowhere as near, its point nearest to the joint is used.
/// 2. About the line from the turning joint to the target, `up` turns to the side of `pole`.
/// 3. If both together exceed the angle `limit`, they are reduced to it about the same axis. Where `forward` and `up`
///    are then directed replaces target and pole for the ancestors; a pole of 0 remains 0.
/// 4. The joint turns by its share of this rotation, slerp(1, rotation, share), and leaves the rest to its ancestors.
///
/// So a last share of 1 aims exactly, unless the limit prevents it. No joint turns further than `limit` times its share
/// from the base. With a single joint that is a limit of the aim. With several it is one of the aim of the first joint
/// alone, from which the aim of the whole chain differs as far as the ancestors move that joint.
///
/// **Scale.** Ancestors may have any scale. That of the joints from the first to the last one must be uniform;
/// otherwise the aim is not exact.
///
/// **Edges.** A target nearer to a turning joint than 2^-16 of that joint's distance from its parent has no direction:
/// the joint does not turn. A pole vector that is 0, or along the line to the target within 2^-20 (sine), is ignored,
/// and so is such an `up`. Within 2^-10 radians of straight behind the joint, the arc goes about any axis, and is up to
/// that much longer than the shortest. A target between joint and offset is on the line, but behind the offset.
///
/// **Error.** The line misses the target by an angle within 4e-6, if the target is farther away than four times the
/// offset and the longest distance between joints that are turned or above them. Nearer targets are missed by more, in
/// proportion.
typedef struct lmb_aim_def {
    uint32_t joints[LMB_MAX_AIM_JOINTS]; ///< of the rig
    float shares[LMB_MAX_AIM_JOINTS];    ///< for each of `joints`, from 0 to 1
    uint32_t joint_count;                ///< 1 to #LMB_MAX_AIM_JOINTS
    lmb_value target[3];                 ///< x, y, z of the position to aim at
    lmb_value pole[3];                   ///< direction for `up`; of any length
    float forward[3];                    ///< in the space of the first joint; of any length up to 2^40 except 0
    float up[3];                         ///< the same
    float offset[3];                     ///< a position in the space of the first joint, such as that of the eyes
    float limit;                         ///< radians; pi or more: none
} lmb_aim_def;

#ifdef __cplusplus
}
#endif

#endif
