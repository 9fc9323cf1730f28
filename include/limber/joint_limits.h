/// @file joint_limits.h
/// Limits of joints, which #LMB_OP_CLAMP holds a pose to. A pose that is within them is left as it is, every bit of it;
/// what is outside goes to the nearest place in the following sense, each of translation, rotation and scale by itself.
///
/// - Translation, relative to the rest pose's: each component to its range. Exact.
/// - Scale: each component to its range. Exact.
/// - Rotation, by r = rest* q, the turn from the rest pose in the joint's own frame, in one of two ways:
///   - Swing and twist: r = swing * twist, where the twist turns about one axis and the swing about one at right angles to
///     it. A twist outside its range goes to the end that is nearer round the circle, at half a turn from the range's middle
///     to the greatest; a swing of more than the cone's angle becomes one by that angle about the same axis. Each leaves
///     the other as it is.
///   - Angles: the angle about each of the three axes is that of the twist about it, 2 atan2(r_axis, r_w), from -180 to 180
///     with r_w >= 0; that about each goes to its range, as a component of the vector tan(angle / 2) = r_xyz / r_w.
///
/// A float channel is held to a range: a plain number exactly; an angle outside goes to the end that is nearer round the
/// circle, at half a turn from the range's middle to the greatest.
///
/// Angles in degrees. At run time those of joints are compared and set by sines and cosines of their halves, which are computed in
/// double when the graph is built.
///
/// Edges. What is beyond a limit by less than 1e-6 in the components of the quaternion (2.3e-4 degrees) counts as inside: so
/// clamping twice is clamping once, bit by bit. Results move continuously with the pose, except for such a step, and except for
/// the places where two ends are equally near. Where the swing is half a turn (to 2e-6), there is no twist: it counts as 0
/// once the swing is held, and is left alone otherwise; the swing is held on the side that the sign of the quaternion
/// tells, either of which is right. Angles of +-180 degrees are the same turn: which of the two it is held on follows the
/// sign of the quaternion there too; r_w of less than 1e-6 counts as that. The result is the one of q and -q that is nearer to
/// what came in.
///
/// Errors against float64: rotations within 2e-6 in each component, divided by the cosine of half of the swing, for a small
/// rest of which the twist is ill-conditioned; for angles divided by the length that is left of r when its components are
/// in their ranges.
#ifndef LIMBER_JOINT_LIMITS_H
#define LIMBER_JOINT_LIMITS_H

#include <limber/rig.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LMB_MAX_JOINT_LIMITS 64u ///< tables of one graph

/// Bits of lmb_joint_limit_def::set.
#define LMB_JOINT_LIMIT_TRANSLATION 1u
#define LMB_JOINT_LIMIT_SCALE 2u
#define LMB_JOINT_LIMIT_TWIST 4u
#define LMB_JOINT_LIMIT_SWING 8u
#define LMB_JOINT_LIMIT_ANGLES 16u ///< not together with twist or swing

/// The limits of a joint. Start from lmb_default_joint_limit_def().
typedef struct lmb_joint_limit_def {
    uint32_t set;             ///< LMB_JOINT_LIMIT_... bits: which of the following count
    float translation_min[3]; ///< relative to the rest pose
    float translation_max[3];
    float scale_min[3]; ///< absolute
    float scale_max[3];
    lmb_axis twist_axis; ///< of the joint's own frame: for twist and for swing
    float twist_min;     ///< degrees, -360 to 360; a range of 360 or more is no limit
    float twist_max;
    float swing;        ///< degrees, 0 to 180
    float angle_min[3]; ///< degrees, -180 to 180, below 180
    float angle_max[3]; ///< degrees, -180 to 180, above -180
} lmb_joint_limit_def;

/// The range of a float channel. From -#LMB_LARGEST to #LMB_LARGEST is no limit; of an angle the ends are from -360 to 360,
/// or that, and a range of 360 or more is no limit.
typedef struct lmb_channel_range {
    float min;
    float max;
} lmb_channel_range;

/// No limit.
static inline lmb_channel_range lmb_default_channel_range(void) {
    lmb_channel_range range = {-LMB_LARGEST, LMB_LARGEST};
    return range;
}

/// No limits; ranges that, once set, hold everything to the rest pose (scales to 1), with y as the twist axis.
LMB_API lmb_joint_limit_def lmb_default_joint_limit_def(void);

#ifdef __cplusplus
}
#endif

#endif
