/// @file joint_limits.h
/// @ingroup characters
/// Joint limits, to which #LMB_OP_CLAMP clamps a pose.
///
/// A joint that is within its limits is unchanged, to the bit. Otherwise translation, rotation and scale are each
/// clamped to the nearest allowed value in the following sense:
///
/// - Translation, relative to that of the rest pose: each component is clamped to its range. Exact.
/// - Scale: each component is clamped to its range. Exact.
/// - Rotation: r = rest* q, the rotation relative to the rest pose in the joint's own frame, is clamped in one of two
///   ways:
///   - Swing and twist: r = swing * twist, where the twist turns about one axis and the swing about an axis at right
///     angles to it. A twist outside its range is clamped to the end that is nearer round the circle, or to the max if
///     it is half a turn from the middle of the range. A swing by more than the cone's angle becomes a swing by that
///     angle about the same axis. Clamping one does not change the other.
///   - Angles: the angle about each of the three axes is that of the twist about it, 2 atan2(r_axis, r_w), from -180 to
///     180 with r_w >= 0. Each is clamped to its range, as a component of the vector tan(angle / 2) = r_xyz / r_w.
///
/// A float channel is clamped to a range: a plain value exactly; an angle to the end that is nearer round the circle,
/// or to the max if it is half a turn from the middle of the range.
///
/// All angles are in degrees. At run time, angles of joints are compared and clamped through sines and cosines of half
/// angles, which are computed in double precision when the graph is created.
///
/// **Edge cases.**
/// - A rotation beyond a limit by less than 1e-6 in the components of the quaternion (2.3e-4 degrees) counts as inside.
///   So clamping twice gives the same bits as clamping once.
/// - Results change continuously with the pose, except for this tolerance, and except where both ends are equally near.
/// - If the swing is half a turn (within 2e-6), there is no twist: it counts as 0 if the swing is clamped, and is
///   unchanged otherwise. The swing is then clamped on the side that the sign of the quaternion gives; both sides are
///   allowed.
/// - Angles of +-180 degrees are the same rotation. The sign of the quaternion decides to which of them the result
///   belongs. An r_w of less than 1e-6 counts as 1e-6.
/// - Of q and -q, the result is the one nearer to the input.
///
/// **Errors** against float64: rotations are within 2e-6 in each component, divided by the cosine of half of the swing,
/// because the twist is ill-conditioned where that is small; for angles, divided by the length of r after its
/// components have been clamped to their ranges.
#ifndef LIMBER_JOINT_LIMITS_H
#define LIMBER_JOINT_LIMITS_H

#include <limber/rig.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup characters
/// @{

#define LMB_MAX_JOINT_LIMITS 64u ///< tables in one graph

/// Bits of lmb_joint_limit_def.set.
#define LMB_JOINT_LIMIT_TRANSLATION 1u
#define LMB_JOINT_LIMIT_SCALE 2u
#define LMB_JOINT_LIMIT_TWIST 4u
#define LMB_JOINT_LIMIT_SWING 8u
#define LMB_JOINT_LIMIT_ANGLES 16u ///< not together with twist or swing

/// The limits of one joint. Start from lmb_default_joint_limit_def(). A min above its max is refused. Limits that are
/// not in `set` are not read.
typedef struct lmb_joint_limit_def {
    uint32_t set;             ///< LMB_JOINT_LIMIT_... bits: which of the limits below apply
    float translation_min[3]; ///< relative to the rest pose
    float translation_max[3];
    float scale_min[3]; ///< absolute
    float scale_max[3];
    lmb_axis twist_axis; ///< axis in the joint's own frame, for twist and swing
    float twist_min;     ///< degrees, -360 to 360; a range of 360 or more does not limit
    float twist_max;
    float swing;        ///< degrees, 0 to 180
    float angle_min[3]; ///< degrees, -180 to 180, below 180
    float angle_max[3]; ///< degrees, -180 to 180, above -180
} lmb_joint_limit_def;

/// The range of a float channel. -#LMB_LARGEST to #LMB_LARGEST does not limit.
///
/// The ends of an angle's range are from -360 to 360, or -#LMB_LARGEST and #LMB_LARGEST; a range of 360 or more does
/// not limit.
typedef struct lmb_channel_range {
    float min;
    float max;
} lmb_channel_range;

/// Returns a range that does not limit.
static inline lmb_channel_range lmb_default_channel_range(void) {
    lmb_channel_range range = {-LMB_LARGEST, LMB_LARGEST};
    return range;
}

/// Returns a definition without limits. Its ranges, once enabled in `set`, clamp everything to the rest pose (scales to
/// 1); the twist axis is y.
LMB_API lmb_joint_limit_def lmb_default_joint_limit_def(void);

/// @}

#ifdef __cplusplus
}
#endif

#endif
