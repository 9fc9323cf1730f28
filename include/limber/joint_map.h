/// @file joint_map.h
/// Parts of a rig, and poses that are given with a graph.
///
/// A part has joints of its own, and a table that says which of them each of the rig's joints is. Inside an input of
/// #LMB_OP_COMBINE that has a part, the sources of poses have the part's joints: clips built for a rig of as many, pose buffers
/// and static poses of as many, so that a body part is stored as its own small pose. A source gives each of the rig's joints
/// what the part's joint of the table has, and the rig's rest pose to those that the part lacks. So what is between the
/// sources and #LMB_OP_COMBINE works on the rig's joints as everywhere: masks, limits and mirrors are the rig's, and a mirror
/// whose partner the part lacks reflects the rest pose. No part has float channels: #LMB_OP_COMBINE takes those of the last
/// input without a part.
#ifndef LIMBER_JOINT_MAP_H
#define LIMBER_JOINT_MAP_H

#include <limber/rig.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LMB_MAX_JOINT_MAPS 64u     ///< of one graph
#define LMB_MAX_STATIC_POSES 1024u ///< of one graph

typedef struct lmb_joint_map_def {
    /// One for each of the rig's joints: the part's joint that stands for it, below `joint_count`, or #LMB_NONE where the part
    /// lacks it. Several of the rig's joints may be one of the part's.
    const uint32_t *joints;
    /// Of the part: 1 to #LMB_MAX_JOINTS, or 0 where the rig has none either. Those that the table does not name are stored, and never read.
    uint32_t joint_count;
} lmb_joint_map_def;

/// A pose that does not change.
typedef struct lmb_static_pose_def {
    const char *name; ///< for messages, and for graphs written as JSON; may be NULL
    /// Local transforms, one for each joint. Values are finite and at most #LMB_LARGEST; rotations have a length of 1 to
    /// within 1e-3 and are normalised. NULL where there are none.
    const lmb_transform *joints;
    uint32_t joint_count; ///< the rig's, or that of the part in which it is used
    /// Where it has the rig's joints, one for each of the rig's float channels, angles in degrees; NULL for those at rest.
    const float *channels;
} lmb_static_pose_def;

#ifdef __cplusplus
}
#endif

#endif
