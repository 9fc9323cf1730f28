/// @file retarget.h
/// @ingroup characters
/// Retargeting: clips and poses of one rig (the source) on another (the rig of the graph).
///
/// Inside the input of #LMB_OP_RETARGET the sources of poses have the joints of the source: clips built for that rig,
/// and pose buffers and static poses with that joint count. Each is converted where it is read, joint by joint, so
/// nodes between the sources and #LMB_OP_RETARGET work on the graph's rig, as everywhere: masks, joint limits and
/// mirrors are those of the graph's rig, and a weight is the weight of a converted pose. Clips of several rigs may be
/// in one graph and so in one batch. The innermost retarget or joint map around a source (joint_map.h) defines its
/// joints.
///
/// **Formula.** A joint j of the graph's rig takes the motion of a joint s(j) of the source. m is the nearest ancestor
/// of j that takes one too, and p the parent of j. S and X are the rotation and the position of a joint of the source
/// in model space, S0 and X0 the same in its reference pose; T, P, T0 and P0 are those of the graph's rig, and t0 the
/// local translation in its reference pose. A is `turn`.
///
///     T_j = A S_s S0_s^-1 A^-1 T'_j                  turns as much as its source since the reference pose
///     q_j = T'_p^-1 A S0_s(m) (S_s(m)^-1 S_s) S0_s^-1 A^-1 T'_j     the same, as a local rotation
///     t_j = t0_j + c k T'_p^-1 A S0_s(m) d           d: how far s has moved from its place, see below
///
/// So joints of the source between s(m) and s(j) that nothing is mapped to still count. Joints of the graph's rig that
/// take no motion keep their local rest pose; without m, S_s(m) is the identity. Scales are those of the rest pose.
///
/// **Translations.** d is in the space of s(m). If there is no m, j is a root of the motion, such as the pelvis: d is
/// X_s - X0_s, and k the scale of the root. Otherwise d is the sum of what the translations of s and of the joints
/// between s(m) and s differ from the reference pose, each turned by the joints above it: bones keep their lengths
/// unless the source animates them. k is then the ratio of the limbs' lengths, |P0_j - P0_m| / |X0_s - X0_s(m)|, or the
/// scale of the root if the source's limb has no length. c is `scales`, 1 by default; 0 keeps the translation of the
/// rest pose.
///
/// **Scale of the root.** It is `root_scale`, if that is not 0. Otherwise it is the ratio of the lengths of the legs,
/// if `foot` gives one: from the foot to its mapped ancestor and from there to the next, which are the shin and the
/// thigh. Otherwise it is the ratio of the heights: the distances from the origin, in the reference poses, of the first
/// joint j and s(j) for which both are above 2^-20; or 1 if there is none. lmb_retarget_root_scale() returns it: a game
/// that moves a character by root motion of the source multiplies it by this number. Players do so by themselves: they
/// scale motion tracks and lmb_player_def.velocity by it, and turn the displacements of motion tracks by A. The
/// displacements are also scaled by c of joint 0, as its translation is; if joint 0 takes no motion, by c of the first
/// joint that does.
///
/// **Correction of rest poses.** T' is T0, with the bones turned to the directions that they have in the reference pose
/// of the source: from an arm that hangs down to the arm of a T-pose. A mapped joint has a bone if exactly one mapped
/// joint has it as the nearest mapped ancestor. From the roots on, if its bone and that of s(j) point in directions
/// that differ by more than `align_above`, it is turned by the shortest arc between them, and its descendants turn with
/// it; a smaller difference counts as the shape of the character. `aligned` excludes joints; exclude feet, whose slopes
/// are their shapes. Where no bone is turned, the reference pose of the source becomes that of the graph's rig.
/// `source_pose` and `target_pose` replace the rest poses as references if the characters are at rest in poses that are
/// not alike.
///
/// **Goals of hands and feet.** Limbs of other proportions turn as the source's do, so hands and feet come to other
/// places: feet slide, hands miss what they hold. An #LMB_OP_IK_TWO_BONE whose `goal` is the retarget node (usually
/// with it as its base; lmb_goal_node()) moves the end of the chain to
///
///     P'_j + k A (X_s - X0_s)        k: the scale of the root; P' the positions in the corrected pose
///
/// in model space: feet keep their height over the ground and the distance of their steps, scaled by the legs. `target`
/// and `target_slot` are not read; pole vector, its space, twist, soften and weight are those of the node, so a goal
/// can be faded. The poses inside such a retarget must be sources and blends of them; the goal blends the positions
/// that they give. Each goal evaluates them again for its joint, in an exchange area of its own, and counts what they
/// refuse again.
///
/// **Edges.** If s(j) = s(m), j keeps its place under m. s(j) need not be a descendant of s(m): the way then goes
/// through a root of the source, down to s(m) backwards, which translations do not follow. Directions shorter than
/// 2^-20 turn nothing. Scales in reference poses count as their mean over the three axes, without signs; animated
/// scales of the source do not count. lmb_graph_create() fails if a node inside a retarget may play an additive clip
/// that has the source's joint count, because a change of a pose has no place in model space: make additives of
/// retargeted poses. Float channels keep their rest values. The joint weight of j is that of s(j), or 255 if j takes no
/// motion.
///
/// **Error.** Rotations are within 1e-6 of float64 in each component, plus 2e-7 for each joint between s(m) and s(j).
/// Translations are within 2e-6 of the sum of the lengths that are added, times k.
///
/// **Cost.** Each source samples s(j) and the joints between s(m) and s(j). A joint with a mapped parent whose source
/// is the parent of its own takes two products of rotations more than a clip of the rig.
#ifndef LIMBER_RETARGET_H
#define LIMBER_RETARGET_H

#include <limber/rig.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup characters
/// @{

#define LMB_MAX_RETARGETS 64u           ///< in one graph
#define LMB_MAX_RETARGET_STEPS 1048576u ///< joints of the source that all joints read together, counted for each

/// Maps joints of a graph's rig to joints of another rig. Start from lmb_default_retarget_def() or lmb_retarget_of().
typedef struct lmb_retarget_def {
    uint32_t source_joint_count;      ///< 1 to #LMB_MAX_JOINTS, or 0 if the graph's rig has no joints
    const uint32_t *source_parents;   ///< for each joint of the source its parent, of a smaller index, or #LMB_NONE
    const lmb_transform *source_rest; ///< the rest pose of the source, one transform for each joint
    /// For each joint of the graph's rig the joint of the source whose motion it takes, or #LMB_NONE.
    const uint32_t *joints;
    /// Reference poses: for each joint a local transform, with rotations of length 1 within 1e-3. NULL: the rest poses.
    /// The one of the graph's rig is only read at mapped joints.
    const lmb_transform *source_pose;
    const lmb_transform *target_pose;
    /// For each joint of the graph's rig 0 if its bone is not turned to the direction of the source's. NULL: all are.
    const uint8_t *aligned;
    /// For each joint of the graph's rig a factor of its translation, from 0 to 2^20. NULL: 1.
    const float *scales;
    float turn[4];     ///< rotation from the model space of the source to that of the graph's rig; normalised
    float align_above; ///< radians, 0 or more
    float root_scale;  ///< 0 to 2^20; 0: found from the legs or the heights
    uint32_t foot;     ///< a mapped joint of the graph's rig with two mapped ancestors, or #LMB_NONE
    uint32_t cookie;   ///< of lmb_default_retarget_def(): any other number is refused
} lmb_retarget_def;

/// No source, no joints; the rest poses as references, no turn, align_above 0.26 (15 degrees), root_scale 0, no foot.
LMB_API lmb_retarget_def lmb_default_retarget_def(void);
/// Returns the default for a source, whose arrays it points at, and a table of joints.
LMB_API lmb_retarget_def lmb_retarget_of(const lmb_rig *source, const uint32_t *joints);

/// Finds joints of `source` by the names of the joints of `rig`. `joints` has room for lmb_rig_def.joint_count of
/// `rig`. Returns the number of joints that were found; the others are #LMB_NONE.
///
/// Two names match if they are equal without their namespace (what ends with the last ':' or '|'), case, and
/// characters that are neither letters nor digits: "mixamorig:LeftArm" and "left_arm". A joint takes the first one that
/// matches.
LMB_API uint32_t lmb_rig_find_retarget(const lmb_rig *rig, const lmb_rig *source, uint32_t *joints);

/// Returns the scale of the root; 0 if the descriptor is not valid for the rig, or if the host has no temporary memory.
/// `host` may be NULL.
LMB_API float lmb_retarget_root_scale(const lmb_rig *rig, const lmb_retarget_def *def, const lmb_host *host);

/// @}

#ifdef __cplusplus
}
#endif

#endif
