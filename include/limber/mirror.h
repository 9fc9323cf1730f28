/// @file mirror.h
/// @ingroup characters
/// Mirrors of a rig: reflection of poses in the plane x = 0, y = 0 or z = 0 of model space, by a table that gives each
/// joint its partner on the other side.
///
/// #LMB_OP_MIRROR reads its input at the partner p of a joint j and reflects it. Let M be the reflection, G the rest
/// pose's rotations in model space, and C_j = M G_p^-1 M G_j, which turns the reflected rest frame of the partner into
/// that of the joint. Then the joint gets, per component,
/// - rotation C_parent^-1 (M q_p M) C_j,
/// - translation C_parent^-1 M t_p,
/// - scale: the diagonal of C_j^-1 S_p C_j, that is s_i = sum over k of C_ki^2 s_k (row k, column i), so that scales
///   are exchanged between axes as the axes are,
///
/// where C of the parent of a root is the identity.
///
/// If X are the model matrices of the input, those of the result are M X_p M C_j. So the model positions are the
/// reflected positions of the partners, whatever the rest frames are. C is derived from that: with A the rotations of
/// the input in model space, a partner's deviation from rest, reflected, is A'_j = M A_p G_p^-1 M G_j. So a rest
/// rotation becomes a rest rotation, whether or not the frames of the rig are mirrored. If the rest translations are
/// symmetric, the whole rest pose becomes the rest pose. Mirroring twice gives the input again.
///
/// A float channel gets its partner's value times its sign, exactly; an angle is wrapped to [-180, 180). Root motion is
/// reflected, too (lmb_motion_def, "Motion weights").
///
/// **Errors.** C is computed in double precision. If all components of its quaternion are within 1e-6 of 0, +-1/2,
/// +-sqrt(1/2) or +-1, and these values make a rotation, C is taken to be that rotation. This adds the deviation of C,
/// at most 2e-6, to the errors of rotations.
/// - If C_j and C_parent are each the identity or half a turn about an axis, as with frames that follow the model's
///   axes, mirroring only changes signs. It is exact, and mirroring twice gives the same bits.
/// - Otherwise rotations are within 1e-6 of float64 in each component, translations within 1e-6 of their length, and
///   scales within 1e-6, relative. Mirroring twice gives the input within twice that.
/// - If C turns axes to directions that are not axes, and the scale is not uniform, the exact result would shear. The
///   shear is dropped, as everywhere, and the differences between the axes shrink.
#ifndef LIMBER_MIRROR_H
#define LIMBER_MIRROR_H

#include <limber/rig.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup characters
/// @{

#define LMB_MAX_MIRRORS 16u ///< in one graph

/// A mirror plane, and the partners of joints and float channels.
typedef struct lmb_mirror_def {
    lmb_axis axis; ///< the plane is where this coordinate is 0
    /// The partner of each joint of the rig. Partners are mutual; a joint in the middle is its own partner. The parents
    /// of partners must be partners, and the partner of a root must be a root. lmb_rig_find_mirror() fills such a
    /// table.
    const uint32_t *partners;
    /// The partner of each float channel. Partners are mutual, and either both are angles or neither is. NULL: each
    /// channel is its own partner. lmb_rig_find_mirror_channels() fills such a table.
    const uint32_t *channel_partners;
    const int8_t *channel_signs; ///< 1 or -1 for each float channel, the same for partners; NULL takes 1
} lmb_mirror_def;

/// The plane x = 0; partners are needed; channels are their own partners.
LMB_API lmb_mirror_def lmb_default_mirror_def(void);

/// Finds the partners of all joints of a rig by their names. `partners` has room for lmb_rig_def.joint_count.
///
/// A joint whose name says left or right in one place has the partner whose name says the opposite there and is
/// otherwise equal. Left and right are
/// - `left`, `Left`, `LEFT` and the same of right, anywhere: "mixamorig:LeftArm", "left_arm", "b_LeftArm_03";
/// - `l`, `L` and the same of r as a word of its own, which is delimited by the start, the end, a character that is not
///   a letter, or camel case: "arm.L", "L-Arm", "arm_l", "LArm", "armL", "thumb.01.L", "Arm_L_end";
/// - `l` and `r` where a word of lower-case letters begins: "lfoot", "b_larm".
///
/// A number at the end that follows a `_` or `.`, which some exporters append to every name, may differ if no name
/// matches otherwise. If several joints match, the partner is the first one whose parent is the parent's partner. A
/// descendant of a joint that has another partner also matches a joint of its own name. A joint whose name says neither
/// side, or that has no counterpart in the rig, is its own partner.
///
/// Fails with #LMB_ERROR_ARGUMENT, and a message that names the joint, if the parents of counterparts are not partners,
/// or if a descendant of a pair has no counterpart. `host` provides temporary memory and may be NULL; without memory
/// the search takes longer.
LMB_API lmb_result lmb_rig_find_mirror(const lmb_rig *rig, const lmb_host *host, uint32_t *partners, lmb_error *error);

/// Finds the partners of all float channels by their names. `partners` has room for lmb_rig_def.channel_count.
///
/// The partner is the first channel whose name says the opposite side, if both are angles or neither is. A channel
/// without one is its own partner. `host` is that of lmb_rig_find_mirror().
LMB_API void lmb_rig_find_mirror_channels(const lmb_rig *rig, const lmb_host *host, uint32_t *partners);

/// @}

#ifdef __cplusplus
}
#endif

#endif
