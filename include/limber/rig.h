/// @file rig.h
/// @ingroup characters
/// A rig: the skeleton that clips and graphs are made for.
///
/// It has
/// - joints with names, parents, rest transforms and inverse bind matrices;
/// - float channels: named values that are animated with the joints, for example the weights of morph targets;
/// - sockets: named positions on joints, to which things are attached.
///
/// A rig is immutable once created, so any number of threads may read it. Clips and graphs copy what they need from it
/// and do not keep it.
#ifndef LIMBER_RIG_H
#define LIMBER_RIG_H

#include <limber/math.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup characters
/// @{

#define LMB_MAX_JOINTS 65535u
#define LMB_MAX_SOCKETS 65535u
#define LMB_MAX_CHANNELS 65535u

/// A rig. Create one with lmb_rig_create().
typedef struct lmb_rig lmb_rig;

/// One joint. Start from lmb_default_joint_def().
typedef struct lmb_joint_def {
    /// Copied. If NULL or empty, the joint is called "joint_<index in the descriptor>". Need not be unique.
    const char *name;
    /// Index into the descriptor's joints, in any order, or #LMB_NONE for a root. A rig may have several roots.
    uint32_t parent;
    /// Local transform of the rest pose, relative to the parent. The rotation is normalised; a zero one is refused.
    lmb_transform rest;
    /// If set, the rotation is used unchanged, because it is that of an existing rig and normalising it again could
    /// change its last bits. Its length must be 1 to within 1e-6.
    bool is_normalised;
    /// Transforms model space of the bind pose to joint space. Used only with `has_inverse_bind`; otherwise the inverse
    /// of the rest pose's model matrix is used.
    lmb_affine inverse_bind;
    bool has_inverse_bind;
    /// Radius of a sphere about the joint's origin that contains all vertices bound to it, in the joint's own space:
    /// the largest length of inverse_bind times vertex. Bounding boxes are enlarged by it. For boxes that contain what
    /// morph targets displace, include that. 0 to #LMB_LARGEST.
    float radius;
    /// Not part of the skeleton: a node that a file animates or that has a rigid mesh, such as a prop, a camera or a
    /// light. Bounding boxes contain it only if its radius is above 0, and lmb_rig_suggest_max_lods() measures the
    /// skeleton without it. It is evaluated as any other joint.
    bool is_extra;
} lmb_joint_def;

/// No name, no parent, identity, no inverse bind matrix, radius 0, part of the skeleton.
LMB_API lmb_joint_def lmb_default_joint_def(void);

/// A socket: a position and orientation that moves with a joint. Start from lmb_default_socket_def().
typedef struct lmb_socket_def {
    const char *name;    ///< copied; NULL or empty: "socket_<index>"; need not be unique
    uint32_t joint;      ///< index into the descriptor's joints
    lmb_transform local; ///< relative to the joint; the rotation is normalised, and a zero one is refused
    bool is_normalised;  ///< as lmb_joint_def.is_normalised
} lmb_socket_def;

/// No name, joint 0, identity.
LMB_API lmb_socket_def lmb_default_socket_def(void);

/// A float channel. Start from lmb_default_channel_def().
typedef struct lmb_channel_def {
    const char *name; ///< copied; NULL or empty: "channel_<index>"; need not be unique
    float rest;       ///< its value in the rest pose
    /// The value is an angle in degrees. It is wrapped to [-180, 180), which is exact, and interpolates the short way.
    bool angle;
} lmb_channel_def;

/// No name, a plain value at 0.
LMB_API lmb_channel_def lmb_default_channel_def(void);

/// The content of a rig. Start from lmb_default_rig_def().
typedef struct lmb_rig_def {
    const lmb_joint_def *joints;     ///< may be NULL if there are none
    uint32_t joint_count;            ///< 0 to #LMB_MAX_JOINTS; 1 or more if there are no channels
    const lmb_socket_def *sockets;   ///< may be NULL if there are none
    uint32_t socket_count;           ///< 0 to #LMB_MAX_SOCKETS
    const lmb_channel_def *channels; ///< may be NULL if there are none
    uint32_t channel_count;          ///< 0 to #LMB_MAX_CHANNELS
} lmb_rig_def;

/// No joints, sockets or channels.
LMB_API lmb_rig_def lmb_default_rig_def(void);

/// Builds a rig. Puts joints in an order in which parents come before their children.
///
/// If parents already come before their children, the order is kept. Sockets and channels always keep theirs. Every
/// other table per joint in this library (of tracks, masks, joint limits, joint maps, mirrors, poses) is in the rig's
/// order, not in the descriptor's. Fails with
/// - #LMB_ERROR_ARGUMENT if a parent or a socket's joint is out of range, parents form a cycle, a value is not finite
///   or exceeds #LMB_LARGEST, a radius is negative, or a rest pose has no inverse and no inverse bind matrix is given
///   (the message names joint, socket or channel and field);
/// - #LMB_ERROR_LIMIT if there are too many joints, sockets or channels;
/// - #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_rig_create(const lmb_rig_def *def, const lmb_host *host, lmb_rig **rig, lmb_error *error);
/// NULL is allowed.
LMB_API void lmb_rig_destroy(lmb_rig *rig);

/// Returns what a rig has, as a descriptor that gives an equal rig. It lives as long as the rig.
///
/// Joints are in the rig's order, so a parent's index is always smaller. All names are set, all rotations are
/// normalised, all inverse bind matrices are given, and the rest of an angle is in [-180, 180).
LMB_API const lmb_rig_def *lmb_rig_get_def(const lmb_rig *rig);
/// Returns the rig's index of the joint that was at `def_index` in the descriptor; #LMB_NONE if there was none.
LMB_API uint32_t lmb_rig_joint_of_def(const lmb_rig *rig, uint32_t def_index);
/// Returns the first joint of that name, or #LMB_NONE.
LMB_API uint32_t lmb_rig_find_joint(const lmb_rig *rig, const char *name);
/// Returns the first socket of that name, or #LMB_NONE.
LMB_API uint32_t lmb_rig_find_socket(const lmb_rig *rig, const char *name);
/// Returns the first float channel of that name, or #LMB_NONE.
LMB_API uint32_t lmb_rig_find_channel(const lmb_rig *rig, const char *name);

/// Returns the number of joints on the longest path from a root to a leaf: 1 if all joints are roots, 0 without joints.
LMB_API uint32_t lmb_rig_depth(const lmb_rig *rig);

/// @}

#ifdef __cplusplus
}
#endif

#endif
