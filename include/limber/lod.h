/// @file lod.h
/// Levels of detail: which joints of a rig are computed for a character that is far away. A graph is given a table,
/// lmb_graph_def.max_lods, with a number for each joint, and a level for each character, lmb_graph_def.lod: 0 is
/// the nearest. A joint whose number is below the character's level is dropped: it is neither sampled nor blended, and its
/// local transform is the rest pose's, so that it follows its parent rigidly. Everything behind follows from that as from
/// any other local transform: model matrices, palette, dual quaternions, bounds, sockets. At level 0 nothing is dropped.
///
/// A parent is computed at every level at which one of its children is, so dropped joints are the ends of branches; a
/// root, which carries the character, is computed at all.
///
/// What operations read at other joints (#LMB_OP_MIRROR, model space) is computed for all joints at every level, and
/// counts there what it refuses. What a graph gives that is no pose in itself (a difference) is the rest pose as well
/// where a joint is dropped.
/// A dropped joint of a pose buffer is not read, so not refused either.
///
/// Cost. On the CPU characters go through a graph side by side, as many as the path has lanes, from the batch's first on:
/// a joint costs nothing where all of them drop it, and the same as at level 0 where one of them does not. In kernels an
/// invocation leaves out the joint that is dropped; those of one workgroup, a few neighbouring characters, are
/// done sooner where all drop it. So characters of like levels should stand side by side. Model matrices and palette are
/// those of all joints at any level, and so is what operations read at other joints.
#ifndef LIMBER_LOD_H
#define LIMBER_LOD_H

#include <limber/rig.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Levels are 0 to this less 1; the last of them as a joint's number: the joint is never dropped.
#define LMB_MAX_LODS 8u

/// Checks a table [joint of the rig]: #LMB_ERROR_ARGUMENT, naming the joint, where a number is not below #LMB_MAX_LODS, a
/// root's is not the last level, or a joint's is above its parent's. NULL is refused likewise.
LMB_API lmb_result lmb_rig_check_max_lods(const lmb_rig *rig, const uint8_t *max_lods, lmb_error *error);

/// Makes a table [joint of the rig] from the size of what hangs at each joint: its reach, the longest way in the rest pose from
/// the joint along the bones below it, with the radius at its end (lmb_joint_def.radius, times the longest column of the
/// joint's rest matrix in model space). With the largest reach of a root for the rig's size, a joint is computed at level L
/// if its reach is at least size / 2^(8-L): at level 1 a 128th, at level 7 half of it, and at level 0 always. On a person
/// of 1.8 m the tips of fingers go at 1, hands and feet at 5, all but trunk, neck and thighs at 7. Computed in double
/// precision. `host` gives the memory that this takes meanwhile, and may be NULL. Fails with #LMB_ERROR_ARGUMENT where rig or
/// table are NULL, #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_rig_suggest_max_lods(const lmb_rig *rig, const lmb_host *host, uint8_t *max_lods,
                                            lmb_error *error);

#ifdef __cplusplus
}
#endif

#endif
