/// @file root_motion.h
/// Root motion: the way that a clip carries its character, as a track of its own.
#ifndef LIMBER_ROOT_MOTION_H
#define LIMBER_ROOT_MOTION_H

#include <limber/clip.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LMB_MAX_MOTION_KEYS 65536u ///< of a motion track
#define LMB_MAX_MOTION 1048576.0f  ///< of its numbers: 2^20

/// Root motion: where a clip has moved its character, at evenly spaced times. The first key is at the clip's beginning,
/// the last one at its end. All four numbers are linear in between. Only the change since the first key counts.
typedef struct lmb_motion_track {
    uint32_t key_count; ///< 2 to #LMB_MAX_MOTION_KEYS
    /// float [key][4]: x, y, z in model space, and yaw in radians: the angle about the y axis that takes z to x. A yaw
    /// goes on beyond a whole turn. Each up to #LMB_MAX_MOTION.
    const float *keys;
} lmb_motion_track;

/// What to take out of a clip. Start from lmb_default_root_motion_def().
typedef struct lmb_root_motion_def {
    uint32_t joint; ///< the joint that moves the character: rig index. Its ancestors may move too
    bool x, y, z;   ///< which axes of model space are taken; others stay in the clip
    bool yaw;       ///< whether turns about the y axis are: the twist about it since the clip's beginning
    float rate;     ///< keys a second, at least: 1e-3 to 1,000. In between two, it turns by less than half a turn
} lmb_root_motion_def;

/// Joint 0, x and z and yaw, 30 keys a second.
LMB_API lmb_root_motion_def lmb_default_root_motion_def(void);

typedef struct lmb_root_motion lmb_root_motion;

/// Splits a clip into a motion track and a clip without that motion. The track's motion times the joint's model matrix
/// in the latter is its model matrix in `clip`. With T the joint's position and a its yaw since the clip's beginning,
/// the motion is the turn R(a) and the displacement T - R(a) T(0), of which only the axes taken are kept; what remains
/// in the clip is its inverse times the joint's model matrix. Other joints and float channels keep their tracks: the
/// motion also moves those that do not hang from the joint.
///
/// **Accuracy.** At any time, not only at keys, the product is within 1e-6 of what it was: positions relative to D, the
/// axes of a matrix relative to their length. D is the farthest that the joint lies from the model's origin, or half
/// the length of the bones from the origin to it where that is more. Three things can exceed it: the rounding of many
/// ancestors, about 1e-7 each; scales of ancestors that are alike to 1e-4 only, where yaw is taken; and an interval in
/// which the joint turns by more than 10 radians, see below.
///
/// **Keys.** The joint's translation, and where yaw is taken its rotation, get keys at those of the motion track, of
/// its own tracks and of its ancestors' tracks, linear in between. Where turns bend what remains between two of these
/// keys, no line is exact. Then the track is a cubic spline instead, of three values a key, and each interval between
/// keys is split into 1, 2, 4 to at most 64 equal pieces, none shorter than 1e-5 s, as the accuracy needs. A piece may
/// turn by about 0.15 radians: clips of people need no split at 30 keys a second. Temporary memory is at most 92 bytes
/// a key.
///
/// Fails with #LMB_ERROR_ARGUMENT (the message says which: something is NULL, a joint or a rate out of range, a clip of
/// another joint or channel count or a compressed one, an ancestor whose scale is 0, or not alike along all axes where
/// yaw is taken, a motion beyond #LMB_MAX_MOTION), #LMB_ERROR_LIMIT past #LMB_MAX_MOTION_KEYS, #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_root_motion_extract(const lmb_rig *rig, const lmb_clip *clip, const lmb_root_motion_def *def,
                                           const lmb_host *host, lmb_root_motion **motion, lmb_error *error);
/// NULL is fine. Its clip and its track go with it.
LMB_API void lmb_root_motion_destroy(lmb_root_motion *motion);

/// Both live as long as the motion.
LMB_API const lmb_motion_track *lmb_root_motion_track(const lmb_root_motion *motion);
LMB_API const lmb_clip *lmb_root_motion_clip(const lmb_root_motion *motion);

#ifdef __cplusplus
}
#endif

#endif
