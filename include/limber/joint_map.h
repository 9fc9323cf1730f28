/// @file joint_map.h
/// @ingroup characters
/// Joint maps, which define subsets of a rig's joints, and static poses, which are stored in a graph.
///
/// A joint map defines a subset with joints of its own, and a table that maps each of the rig's joints to a joint of
/// the subset. Inside an input of #LMB_OP_COMBINE that has a joint map, the sources of poses have the joints of the
/// subset: clips built for a rig with that joint count, and pose buffers and static poses with that joint count. So the
/// pose of a body part is stored as a small pose of its own. A source gives each of the rig's joints the transform of
/// the subset's joint in the table, or the rig's rest pose, with a joint weight of 255, if the subset lacks the joint.
/// So nodes between the sources and #LMB_OP_COMBINE work on the rig's joints, as everywhere: masks, joint limits and
/// mirrors are those of the rig, and a mirror whose partner is not in the subset reflects the rest pose.
///
/// Clips of another rig are retargeted instead (retarget.h).
///
/// A subset has no float channels. A clip, pose buffer or static pose inside such an input may have channels, as one
/// with the rig's joint count does; they are not read. #LMB_OP_COMBINE takes channels from its last input without a
/// joint map. If it has no such input, channels have their rest values, or no change in an additive.
#ifndef LIMBER_JOINT_MAP_H
#define LIMBER_JOINT_MAP_H

#include <limber/rig.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup characters
/// @{

#define LMB_MAX_JOINT_MAPS 64u     ///< in one graph
#define LMB_MAX_STATIC_POSES 1024u ///< in one graph

/// Maps the rig's joints to those of a subset.
typedef struct lmb_joint_map_def {
    /// For each of the rig's joints the subset's joint that represents it, below `joint_count`, or #LMB_NONE if the
    /// subset lacks it. Several of the rig's joints may map to one joint.
    const uint32_t *joints;
    /// Joints of the subset: 1 to #LMB_MAX_JOINTS, or 0 if the rig has none either. Joints that the table does not name
    /// are stored in poses but never read.
    uint32_t joint_count;
} lmb_joint_map_def;

/// No joints.
LMB_API lmb_joint_map_def lmb_default_joint_map_def(void);

/// A static pose: one that does not change.
typedef struct lmb_static_pose_def {
    const char *name; ///< for messages, and for graphs written as JSON; may be NULL
    /// Local transforms, one for each joint. Values must be finite and at most #LMB_LARGEST. Rotations must have a
    /// length of 1 within 1e-3, and are normalised. NULL if there are no joints.
    const lmb_transform *joints;
    uint32_t joint_count; ///< the rig's, or that of the joint map or the retarget's source in which it is used
    /// If the pose has the rig's joints: one value for each of the rig's float channels, angles in degrees. NULL: the
    /// rest values.
    const float *channels;
} lmb_static_pose_def;

/// No name and no joints.
LMB_API lmb_static_pose_def lmb_default_static_pose_def(void);

/// @}

#ifdef __cplusplus
}
#endif

#endif
