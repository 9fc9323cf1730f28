/// @file root_motion.h
/// @ingroup clips
/// Root motion: the displacement of a character by a clip, as a track of its own.
#ifndef LIMBER_ROOT_MOTION_H
#define LIMBER_ROOT_MOTION_H

#include <limber/clip.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup clips
/// @{

#define LMB_MAX_MOTION_KEYS 65536u ///< of a motion track
#define LMB_MAX_MOTION 1048576.0f  ///< of the values in its keys: 2^20

/// The root motion of a clip: where it has moved its character, at evenly spaced times.
///
/// The first key is at the clip's beginning, the last one at its end. Between keys all four values are linear. Only the
/// change since the first key counts.
typedef struct lmb_motion_track {
    uint32_t key_count; ///< 2 to #LMB_MAX_MOTION_KEYS
    /// float [key][4]: x, y, z in model space, and yaw in radians, the angle about the y axis that takes z to x. Yaw is
    /// not wrapped after a whole turn. The magnitude of each value is at most #LMB_MAX_MOTION.
    const float *keys;
    /// float [key][4]: unit quaternions x, y, z, w, whose rotations replace the yaw of the keys; or NULL. Between two
    /// keys the rotation is about one axis at a constant rate, the short way. A character motion of yaw alone takes
    /// their twist about the y axis.
    const float *rotations;
} lmb_motion_track;

/// What the motion is measured from: where the joint is in the clip that remains, along the axes that are extracted.
typedef enum lmb_motion_reference {
    LMB_MOTION_REFERENCE_FIRST_FRAME, ///< where it is at the clip's beginning: the motion begins at zero
    LMB_MOTION_REFERENCE_REST_POSE,   ///< where it is in the rig's rest pose
    LMB_MOTION_REFERENCE_ABSOLUTE     ///< the origin of model space, not turned: the motion is where the joint is
} lmb_motion_reference;

/// What to extract from a clip. Start from lmb_default_root_motion_def().
typedef struct lmb_root_motion_def {
    uint32_t joint; ///< the joint that moves the character, as a rig index. Its ancestors may move too
    bool x, y, z;   ///< which axes of model space are extracted; the others stay in the clip
    /// Which turns since the reference are extracted: about x, y (which must be up) and z. All three give the whole
    /// rotation R, one gives the twist of R about that axis, and two give R T^-1, where T is the twist about the third.
    bool pitch, yaw, roll;
    /// Minimum number of keys a second: 1e-3 to 1,000. Between two keys the joint must turn by less than half a turn.
    float rate;
    lmb_motion_reference reference;
    /// Axes that a loop closes: the track ends where it begins, so that repeating the clip adds no drift. The
    /// difference is taken out of the track evenly over its time, and not put into the clip.
    bool close_x, close_y, close_z;
    bool close_turn; ///< the same for the turns; whole turns of the yaw alone stay
} lmb_root_motion_def;

/// Joint 0; x, z and yaw; 30 keys a second; since the first frame; nothing closed.
LMB_API lmb_root_motion_def lmb_default_root_motion_def(void);

/// Finds the first joint that travels in any of these clips: the joint whose motion to extract from rigs that begin
/// with an armature, which stays where it is. Use it for all clips of a character. It is 0 if no joint travels.
///
/// A joint travels if at least half of the skeleton hangs on it, and at the end of a clip its own translation is
/// another than at the beginning: by more than 1/100 of the diagonal of the box around the rest pose's joints, along
/// the axes that `def` extracts. Extra joints (lmb_joint_def.is_extra) and clips of other rigs do not count. `host`
/// provides temporary memory and may be NULL. Fails with #LMB_ERROR_ARGUMENT if something is NULL, and with
/// #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_root_motion_find_joint(const lmb_rig *rig, const lmb_clip *const *clips, uint32_t clip_count,
                                              const lmb_root_motion_def *def, const lmb_host *host, uint32_t *joint,
                                              lmb_error *error);

/// How the feet of a clip in place walk.
typedef struct lmb_foot_speed {
    /// The velocity at which the character has to move so that they slide least: for lmb_player_def.velocity, and for
    /// the inputs of a blend space. Units of length a second along x, y (always 0) and z. It is 0 if no foot takes
    /// steps, and below 3/100 of the height of the rest pose's joints a second.
    float velocity[3];
    /// How far standing feet slide at that velocity, as a share of the character's way: the mean difference of their
    /// velocities by its length. Feet that roll over give some hundredths. From about a third on the clip does not
    /// fit one velocity: lock the feet (lmb_feet_def), or move the character by keys (lmb_player_def.motion).
    float slide;
    /// When the feet on the left (x above 0 in the rest pose) stand and the others do not, as a share of the clip from
    /// 0 to 1. Walks are in step if their phases agree, less the offsets of their players (lmb_player_def.offset).
    float phase;
    /// How clearly the sides take turns, once in the clip: from 0, where `phase` means nothing, to 1.
    float alternation;
} lmb_foot_speed;

/// Measures the velocity at which a character has to move so that its feet slide least in a clip in place.
///
/// The clip is sampled at 128 times, as a loop. A foot is a joint without children that is within 14/100 of that height
/// of the lowest joint in the rest pose, and within 4/100 of the lowest one of its side (x above 0, or not), as hands
/// may be low, too; extra joints do not count. It stands while it is within 12/1000 of the height above its own lowest
/// point; one that always stands takes no steps. The median of its velocities then counts, and the mean of the feet. y
/// is up. `host` provides temporary memory and may be NULL. Fails with #LMB_ERROR_ARGUMENT if something is NULL or the
/// clip is for another number of joints, and with #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_root_motion_measure_feet(const lmb_rig *rig, const lmb_clip *clip, const lmb_host *host,
                                                lmb_foot_speed *speed, lmb_error *error);

/// A motion track and the clip without this motion.
typedef struct lmb_root_motion lmb_root_motion;

/// Splits a clip into a motion track and a clip without that motion.
///
/// The track's motion times the joint's model matrix in the new clip is its model matrix in `clip`. With T the joint's
/// position, T0 that of the reference and Q the turns that are extracted, the motion is the turn Q and the displacement
/// T - Q T0, of which only the chosen axes are kept. The new clip contains the inverse of the motion times the joint's
/// model matrix. With pitch, yaw and roll the joint does not turn in the new clip. Yaw alone is in the track's keys,
/// and other turns are in its rotations. Where a loop is closed, the track moves by that less afterwards. Other joints
/// and float channels keep their tracks, so joints that do not descend from the joint move with the character, too.
/// Extract before lmb_clip_compress().
///
/// **Accuracy.** At any time, not only at keys, the product is within 1e-6 of the original: positions relative to D,
/// the axes of a matrix relative to their length. D is the larger of two lengths: the largest distance of the joint or
/// its reference from the model's origin, and half the length of the bones from the origin to the joint. Three things
/// can exceed the bound: the rounding of many ancestors, about 1e-7 each; with turns, scales of ancestors that
/// are equal along all axes only to 1e-4; and an interval in which the joint turns by more than 10 radians, for
/// which 64 pieces are too few (see below).
///
/// **Keys.** The joint's translation, and with turns its rotation, get keys at the times of the motion track,
/// of the joint's own tracks and of its ancestors' tracks, linear in between. If turns make the result between two of
/// these keys curved, linear keys are not exact. Then the track is a cubic spline with three values a key, and each
/// interval between keys is split into 1, 2, 4 and up to 64 equal pieces, none shorter than 1e-5 s, as the accuracy
/// requires. A piece may turn by about 0.15 radians; clips of people need no split at 30 keys a second. Temporary
/// memory is at most 92 bytes a key.
///
/// Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_LIMIT beyond #LMB_MAX_MOTION_KEYS, and #LMB_ERROR_MEMORY. The message of
/// #LMB_ERROR_ARGUMENT says which: something is NULL, a joint, a rate or a reference is out of range, the clip has
/// another joint or channel count or is compressed, the scale of an ancestor is 0, or with turns not equal along all
/// axes or of mixed signs, or the motion exceeds #LMB_MAX_MOTION.
LMB_API lmb_result lmb_root_motion_extract(const lmb_rig *rig, const lmb_clip *clip, const lmb_root_motion_def *def,
                                           const lmb_host *host, lmb_root_motion **motion, lmb_error *error);
/// Destroys a root motion, its clip and its track. NULL is allowed.
LMB_API void lmb_root_motion_destroy(lmb_root_motion *motion);

/// Returns the motion track, which lives as long as `motion`.
LMB_API const lmb_motion_track *lmb_root_motion_track(const lmb_root_motion *motion);
/// Returns the clip without the motion, which lives as long as `motion`.
LMB_API const lmb_clip *lmb_root_motion_clip(const lmb_root_motion *motion);

/// @}

#ifdef __cplusplus
}
#endif

#endif
