/// @file mirror.h
/// What it takes to see a rig's poses in a mirror, the plane x = 0, y = 0 or z = 0 of model space: a table that gives each
/// joint its partner on the other side.
///
/// #LMB_OP_MIRROR reads its input at the partner p of a joint j and reflects it. With the reflection M, the
/// rest pose's rotations in model space G, and C_j = M G_p^-1 M G_j, which turns the partner's rest frame, reflected,
/// into the joint's, the joint gets, per component,
/// - rotation C_parent^-1 (M q_p M) C_j,
/// - translation C_parent^-1 M t_p,
/// - scale: the diagonal of C_j^-1 S_p C_j, that is s_i = sum over k of C_ki^2 s_k, so that scales change places as the
///   axes do,
///
/// where C is none for the parent of a root. From the model matrices L of the input the result has M L_p M C_j, so model
/// positions are the partners' positions, reflected, whatever the rest frames are; that is how C is derived, from
/// G'_j = M G_p G_p,rest^-1 M G_j,rest, a partner's deviation from rest, reflected. So a rest rotation becomes a rest
/// rotation, on rigs whose frames are mirrored and on rigs whose frames are not; the whole rest pose does where the rest
/// translations are symmetric. Mirroring twice gives the pose back.
///
/// A float channel gets its partner's value times its sign, exactly; an angle wrapped to [-180, 180).
///
/// Errors. C is computed in double; where all its quaternion's components are within 1e-6 of 0, +-1/2, +-sqrt(1/2) or +-1,
/// and these make a rotation, it is taken to be that. Where C_j and C_parent are half turns about an axis or none, which
/// frames that follow the model's axes give, mirroring only changes signs: it is exact, and twice gives every bit back.
/// Elsewhere rotations are within 1e-6 of float64 in each component, translations within 1e-6 of their length, scales
/// within 1e-6, relative; twice gives the pose back within twice that. Taking C to be exact adds to rotations what C was off,
/// at most 2e-6. Where C turns axes to other places than those of
/// axes, and a scale differs from axis to axis, the exact result would shear: the shear is dropped, as it is everywhere,
/// and the differences between the axes shrink.
#ifndef LIMBER_MIRROR_H
#define LIMBER_MIRROR_H

#include <limber/rig.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LMB_MAX_MIRRORS 16u ///< of one graph

typedef struct lmb_mirror_def {
    lmb_axis axis; ///< the plane is where this coordinate is 0
    /// One for each joint of the rig: its partner, whose partner it is in turn; a joint on the middle is its own. The
    /// parents of partners are partners, and roots have roots as partners. lmb_rig_find_mirror() fills such a table.
    const uint32_t *partners;
    /// One for each float channel: its partner, whose partner it is in turn and which is as much an angle as it is. NULL
    /// takes each to be its own. lmb_rig_find_mirror_channels() fills such a table.
    const uint32_t *channel_partners;
    const int8_t *channel_signs; ///< 1 or -1 for each float channel, partners alike; NULL takes 1
} lmb_mirror_def;

/// Finds partners by names, for all joints of the rig: `partners` has room for lmb_rig_joint_count(). A joint whose name
/// says left or right in one place has the partner whose name says the opposite there and is otherwise the same:
/// - `left`, `Left`, `LEFT` and the same of right anywhere: "mixamorig:LeftArm", "left_arm", "b_LeftArm_03";
/// - `l`, `L` and the same of r as a word by itself, set off by a start, an end, anything but letters, or camel case:
///   "arm.L", "L-Arm", "arm_l", "LArm", "armL", "thumb.01.L", "Arm_L_end".
///
/// A number at the end that follows a `_` or `.`, which some exporters add to every name, may differ where no name fits
/// without that. Where several joints fit, it is the first one whose parent is the parent's partner; below a pair a joint
/// of the same name fits too. A joint that says neither, or has no counterpart in the rig, is its own partner. Fails with #LMB_ERROR_ARGUMENT, and a message that names
/// the joint, where the parents of counterparts are not partners, or one of a pair's descendants has no counterpart.
LMB_API lmb_result lmb_rig_find_mirror(const lmb_rig *rig, uint32_t *partners, lmb_error *error);

/// The same for float channels, with room for lmb_rig_channel_count(): the first channel whose name says the opposite and
/// that is as much an angle is the partner; any other channel is its own.
LMB_API void lmb_rig_find_mirror_channels(const lmb_rig *rig, uint32_t *partners);

#ifdef __cplusplus
}
#endif

#endif
