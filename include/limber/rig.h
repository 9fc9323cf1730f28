/// @file rig.h
/// A rig: joints with names, parents, rest transforms and inverse bind matrices; float channels, which are named numbers
/// that are animated beside the joints, as the weights of morph targets are; and sockets, which are named places on joints
/// that things are attached to. Immutable once created, so any number of threads may read it. Clips and graphs copy what they need from it and do not keep it.
#ifndef LIMBER_RIG_H
#define LIMBER_RIG_H

#include <limber/math.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LMB_MAX_JOINTS 65535u
#define LMB_MAX_SOCKETS 65535u
#define LMB_MAX_CHANNELS 65535u

typedef struct lmb_rig lmb_rig;

/// One joint as its author has it. Start from lmb_default_joint_def().
typedef struct lmb_joint_def {
    /// Copied. May be NULL or empty: the joint is then called "joint_<index in the descriptor>". Need not be unique.
    const char *name;
    /// Index into the descriptor's joints, in any order, or #LMB_NONE for a root. A rig may have several roots.
    uint32_t parent;
    /// Local transform of the rest pose, relative to the parent. The rotation is normalised; a zero one is refused.
    lmb_transform rest;
    /// The rotation is that of a rig already, and is taken as it is: normalising it anew could change its last bits. Its
    /// length has to be 1 to within 1e-6.
    bool is_normalised;
    /// Model space of the bind pose to joint space. Used only with `has_inverse_bind`; otherwise the inverse of the
    /// rest pose's model matrix is taken.
    lmb_affine inverse_bind;
    bool has_inverse_bind;
    /// Of a sphere about the joint's origin that holds all vertices bound to it, in the joint's own space: the largest
    /// length of inverse_bind times vertex. Bounding boxes are grown by it. 0 or more, at most #LMB_LARGEST.
    float radius;
} lmb_joint_def;

/// No name, no parent, identity, no inverse bind matrix, radius 0.
LMB_API lmb_joint_def lmb_default_joint_def(void);

/// A socket as its author has it: a place that moves with a joint. Start from lmb_default_socket_def().
typedef struct lmb_socket_def {
    const char *name;    ///< copied; NULL or empty: "socket_<index>"; need not be unique
    uint32_t joint;      ///< index into the descriptor's joints
    lmb_transform local; ///< relative to the joint; the rotation is normalised, a zero one is refused
    bool is_normalised;  ///< as that of a joint
} lmb_socket_def;

/// No name, joint 0, identity.
LMB_API lmb_socket_def lmb_default_socket_def(void);

/// A float channel as its author has it. Zeroed, it is a plain number at 0.
typedef struct lmb_channel_def {
    const char *name; ///< copied; NULL or empty: "channel_<index>"; need not be unique
    float rest;       ///< its value in the rest pose
    /// In degrees. Angles are kept in [-180, 180), exactly the same angle, and go the short way round.
    bool angle;
} lmb_channel_def;

typedef struct lmb_rig_def {
    const lmb_joint_def *joints;     ///< may be NULL where there are none
    uint32_t joint_count;            ///< 0 to #LMB_MAX_JOINTS; 1 or more where there are no channels
    const lmb_socket_def *sockets;   ///< may be NULL where there are none
    uint32_t socket_count;           ///< 0 to #LMB_MAX_SOCKETS
    const lmb_channel_def *channels; ///< may be NULL where there are none
    uint32_t channel_count;          ///< 0 to #LMB_MAX_CHANNELS
} lmb_rig_def;

/// Builds a rig. Joints are put in an order in which parents are before children; joints whose order is already so
/// keep it; sockets and channels always keep theirs. Fails with #LMB_ERROR_ARGUMENT on a parent or a socket's joint out of range, a
/// cycle, a value that is not finite or above #LMB_LARGEST, a negative radius, or a rest pose without an inverse where
/// none is given (the message names joint, socket or channel and field), #LMB_ERROR_LIMIT on too many joints, sockets or channels,
/// #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_rig_create(const lmb_rig_def *def, const lmb_host *host, lmb_rig **rig, lmb_error *error);
/// NULL is fine.
LMB_API void lmb_rig_destroy(lmb_rig *rig);

LMB_API uint32_t lmb_rig_joint_count(const lmb_rig *rig);
/// The rig's index of the joint that was at `def_index` in the descriptor; #LMB_NONE where there was none.
LMB_API uint32_t lmb_rig_joint_of_def(const lmb_rig *rig, uint32_t def_index);
/// The first joint of that name, or #LMB_NONE.
LMB_API uint32_t lmb_rig_find_joint(const lmb_rig *rig, const char *name);

/// Per joint, index below lmb_rig_joint_count() (not checked beyond an assertion). Pointers live as long as the rig.
LMB_API const char *lmb_rig_joint_name(const lmb_rig *rig, uint32_t joint);
/// Always smaller than `joint`, or #LMB_NONE.
LMB_API uint32_t lmb_rig_joint_parent(const lmb_rig *rig, uint32_t joint);
LMB_API lmb_transform lmb_rig_joint_rest(const lmb_rig *rig, uint32_t joint);
LMB_API lmb_affine lmb_rig_joint_inverse_bind(const lmb_rig *rig, uint32_t joint);
LMB_API float lmb_rig_joint_radius(const lmb_rig *rig, uint32_t joint);

LMB_API uint32_t lmb_rig_socket_count(const lmb_rig *rig);
/// The first socket of that name, or #LMB_NONE.
LMB_API uint32_t lmb_rig_find_socket(const lmb_rig *rig, const char *name);
/// Per socket, index below lmb_rig_socket_count() (not checked beyond an assertion). Pointers live as long as the rig.
LMB_API const char *lmb_rig_socket_name(const lmb_rig *rig, uint32_t socket);
/// The rig's index of its joint.
LMB_API uint32_t lmb_rig_socket_joint(const lmb_rig *rig, uint32_t socket);
LMB_API lmb_transform lmb_rig_socket_local(const lmb_rig *rig, uint32_t socket);

LMB_API uint32_t lmb_rig_channel_count(const lmb_rig *rig);
/// The first float channel of that name, or #LMB_NONE.
LMB_API uint32_t lmb_rig_find_channel(const lmb_rig *rig, const char *name);
/// Per float channel, index below lmb_rig_channel_count() (not checked beyond an assertion). Pointers live as long as the
/// rig.
LMB_API const char *lmb_rig_channel_name(const lmb_rig *rig, uint32_t channel);
/// An angle's in [-180, 180).
LMB_API float lmb_rig_channel_rest(const lmb_rig *rig, uint32_t channel);
LMB_API bool lmb_rig_channel_is_angle(const lmb_rig *rig, uint32_t channel);

/// Number of joints on the longest way from a root to a leaf, 1 for a rig of roots alone, 0 for one without joints.
LMB_API uint32_t lmb_rig_depth(const lmb_rig *rig);

#ifdef __cplusplus
}
#endif

#endif
