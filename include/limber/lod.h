/// @file lod.h
/// @ingroup characters
/// Levels of detail: fewer joints are computed for characters that are far away.
///
/// A graph has a table with a max lod for each joint (lmb_graph_def.max_lods) and a level for each character
/// (lmb_graph_def.lod), where 0 is the nearest. The max lod is the last level at which a joint is computed. A joint
/// whose max lod is below the character's level is dropped: it is neither sampled nor blended, and its local transform
/// is that of the rest pose, so it follows its parent rigidly. Model matrices, palette, dual quaternions, bounds and
/// sockets follow from that as from any other local transform. Level 0 drops nothing.
///
/// A parent must be computed at every level at which one of its children is, so dropped joints are the ends of
/// branches. A root, which moves the character, is computed at every level.
///
/// Poses that operations read at other joints (mirrors, inverse kinematics, feet, twist, chains, model space) are
/// computed for all joints at every level, and refusals in them are counted. If the result of a graph is an additive, a
/// dropped joint is still the rest pose. A dropped joint of a pose buffer is not read, so it is not refused either.
///
/// **Cost.** The CPU evaluates as many characters at a time as its SIMD path is wide, from the first of the batch on. A
/// joint costs nothing if all of these characters drop it, and as much as at level 0 if one does not. On the GPU an
/// invocation skips a dropped joint; a workgroup, which has a few neighbouring characters, finishes sooner if all of
/// them drop the joint. So characters of similar levels should be next to each other in a batch. Model matrices and
/// palette cost the same at any level, and so do poses that operations read at other joints.
#ifndef LIMBER_LOD_H
#define LIMBER_LOD_H

#include <limber/rig.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup characters
/// @{

/// Number of levels: 0 to #LMB_MAX_LODS - 1. A joint whose max lod is the last level is never dropped.
#define LMB_MAX_LODS 8u

/// Checks a table of max lods, [joint of the rig].
///
/// Fails with #LMB_ERROR_ARGUMENT, naming the joint, if a max lod is not below #LMB_MAX_LODS, if that of a root is not
/// the last level, or if that of a joint is above its parent's; also if rig or table are NULL.
LMB_API lmb_result lmb_rig_check_max_lods(const lmb_rig *rig, const uint8_t *max_lods, lmb_error *error);

/// Computes a table of max lods, [joint of the rig], from the size of the branch at each joint.
///
/// The reach of a joint is the longest path in the rest pose from the joint along the bones below it, plus the radius
/// at its end (lmb_joint_def.radius times the longest column of that joint's rest matrix in model space). The size of
/// the rig is the largest reach of a root. A root is computed at every level, any other joint at level L if its reach
/// is at least size / 2^(8-L): 1/128 of the size at level 1, half of it at level 7. At level 0 every joint is computed.
/// Extra joints (lmb_joint_def.is_extra) do not count for the size, and for a reach only if they have vertices, so a
/// camera or a large prop changes no level of the skeleton but those of the joints that hold it.
/// For example, the mannequin of the samples is a person of 1.78 m whose root is on the ground. Its fingers and toes
/// are dropped from level 4 on, hands, feet and head from 5, forearms and neck from 6, everything except root, pelvis
/// and lower spine at 7.
///
/// The computation uses double precision. `host` provides temporary memory and may be NULL. Fails with
/// #LMB_ERROR_ARGUMENT if rig or table are NULL, and with #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_rig_suggest_max_lods(const lmb_rig *rig, const lmb_host *host, uint8_t *max_lods,
                                            lmb_error *error);

/// @}

#ifdef __cplusplus
}
#endif

#endif
