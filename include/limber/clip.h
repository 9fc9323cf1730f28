/// @file clip.h
/// @ingroup clips
/// A clip: key-framed tracks for the joints and float channels of one rig.
///
/// A clip is built once, as one relocatable block of 32-bit words, which the CPU reads and the GPU gets unchanged. It
/// is immutable once created, so any number of threads may read it.
#ifndef LIMBER_CLIP_H
#define LIMBER_CLIP_H

#include <limber/rig.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup clips
/// @{

/// A clip. Create one with lmb_clip_create() or lmb_clip_open().
typedef struct lmb_clip lmb_clip;

/// What a track drives: the translation, rotation or scale of a joint, or a float channel of the rig.
typedef enum lmb_property {
    LMB_PROPERTY_TRANSLATION,
    LMB_PROPERTY_ROTATION,
    LMB_PROPERTY_SCALE,
    LMB_PROPERTY_FLOAT
} lmb_property;

/// How values between keys are interpolated, as in glTF 2.0, section 3.11 and appendix C.
typedef enum lmb_interpolation {
    LMB_INTERPOLATION_STEP,   ///< the value of the last key at or before the time
    LMB_INTERPOLATION_LINEAR, ///< lerp; for rotations slerp the short way; for angles the short way
    /// Hermite, with tangents per key in units per second. Rotations are normalised afterwards. An angle
    /// first moves the next key by whole turns, to be nearest to this key; the result is wrapped.
    LMB_INTERPOLATION_CUBIC_SPLINE,
} lmb_interpolation;

/// The keys of one property of one joint, or of one float channel. Start from lmb_default_track_def().
typedef struct lmb_track_def {
    uint32_t joint; ///< rig index of the joint; for #LMB_PROPERTY_FLOAT that of the float channel
    lmb_property property;
    lmb_interpolation interpolation;
    uint32_t key_count; ///< 1 or more
    /// Seconds, `key_count` of them, 0 or more, strictly ascending.
    const float *times;
    /// 3 floats a key; 4 (x, y, z, w) for rotations; 1 for float channels. A cubic spline has three of these in a row
    /// per key: in-tangent, value, out-tangent. Rotations are normalised, except in cubic splines. A zero rotation is
    /// refused; a zero tangent is allowed. Values of angles are wrapped to [-180, 180).
    const float *values;
} lmb_track_def;

/// No joint and no keys; translation, linear.
LMB_API lmb_track_def lmb_default_track_def(void);

/// The tracks of a clip. Start from lmb_default_clip_def().
typedef struct lmb_clip_def {
    const char *name; ///< copied; NULL means ""
    /// Seconds. 0 takes the time of the last key of all tracks; any other duration must not be before it.
    float duration;
    /// At most one for each property of each joint and for each float channel. A property of a joint without a track
    /// has the rest value of the rig given to lmb_clip_create(): the clip stores it. A float channel without a track
    /// has the rest value of the rig of the graph that plays the clip.
    const lmb_track_def *tracks;
    uint32_t track_count;
    /// For a clip that animates only some joints of the rig: a weight from 0 to 255 for each joint, then for each float
    /// channel. Poses of the clip have these weights for #LMB_OP_PARTIAL; 0 means that the joint is absent. Copied;
    /// NULL takes 255 for all.
    const uint8_t *joint_weights;
    /// The clip gives additives, as a clip of lmb_clip_make_additive() does, for #LMB_OP_ADDITIVE. Joint properties and
    /// float channels without a track then have no change, instead of a rest value. A clip does not store the form and
    /// space of its additives: give the node those with which they were made.
    bool additive;
} lmb_clip_def;

/// No name, no tracks; lasts until the last key; not additive, all joint weights 255.
LMB_API lmb_clip_def lmb_default_clip_def(void);

/// Builds a clip. Before its first key and after its last key a track holds that key's value.
///
/// Fails with #LMB_ERROR_ARGUMENT (message: clip, track, joint, key), #LMB_ERROR_LIMIT beyond 2^30 words,
/// #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_clip_create(const lmb_rig *rig, const lmb_clip_def *def, const lmb_host *host, lmb_clip **clip,
                                   lmb_error *error);

/// Creates a clip from a block of lmb_clip_block() that comes from a file or a network.
///
/// Copies the block and checks all of it: nothing in it is trusted. `bytes` needs no alignment. The block contains
/// little-endian words. A block of another version of the format is refused: keep what it was made from. Fails with
/// #LMB_ERROR_FORMAT (message: which word and why), #LMB_ERROR_ARGUMENT and #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_clip_open(const void *bytes, size_t size, const lmb_host *host, lmb_clip **clip,
                                 lmb_error *error);
/// NULL is allowed.
LMB_API void lmb_clip_destroy(lmb_clip *clip);

/// Returns the clip's block, which contains no pointers and lives as long as the clip. Writes its size in bytes if
/// `size` is not NULL.
LMB_API const void *lmb_clip_block(const lmb_clip *clip, size_t *size);

/// What a clip has.
typedef struct lmb_clip_info {
    const char *name;
    float duration;         ///< seconds
    uint32_t joint_count;   ///< of the rig
    uint32_t channel_count; ///< float channels of the rig, whether or not the clip has tracks for them
    uint32_t track_count;   ///< tracks that the clip was given; rest values that it stores are not counted
    uint32_t key_count;     ///< keys that the clip was given, in all tracks
    bool is_additive;       ///< whether the clip gives additives
} lmb_clip_info;

/// Returns what a clip has. It lives as long as the clip.
LMB_API const lmb_clip_info *lmb_clip_get_info(const lmb_clip *clip);

/// Where a float track crosses a threshold.
typedef struct lmb_crossing {
    float time; ///< seconds in the clip
    bool rises; ///< the value becomes greater than the threshold; else it becomes equal or less
} lmb_crossing;

/// Finds where a float channel of a clip crosses a threshold: a foot that touches the ground, a door that opens. Make
/// notifies of them (lmb_notify_def). Played backwards, a crossing goes the other way.
///
/// A value is above if it is greater than the threshold. A step track crosses at its key, others where the curve
/// between two keys meets the threshold, as a float of the time. With `loops` the end of the clip is followed by its
/// beginning, so that a crossing between the two is at 0 s. A channel without a track crosses nowhere. Writes the
/// crossings in the order of their times, at most `capacity`, and their number to `count`, which may be greater;
/// `crossings` may be NULL if `capacity` is 0. Fails with #LMB_ERROR_ARGUMENT: something is NULL, there is no such
/// channel, or the threshold is not finite. ozz-animation's track triggering gives the same edges for step and linear
/// tracks.
LMB_API lmb_result lmb_clip_find_crossings(const lmb_clip *clip, uint32_t channel, float threshold, bool loops,
                                           lmb_crossing *crossings, uint32_t capacity, uint32_t *count,
                                           lmb_error *error);

/// What a compression allows one joint, in place of its own numbers: fingers and eyes less, the end of a cape more.
typedef struct lmb_joint_tolerance {
    uint32_t joint;       ///< of the rig
    float error;          ///< as lmb_clip_compression.error, from 0; 0 takes that of the compression
    float shell_distance; ///< as lmb_clip_compression.shell_distance, from 0; 0 takes that of the compression
} lmb_joint_tolerance;

/// A part of a clip. Start from lmb_default_clip_part_def().
typedef struct lmb_clip_part_def {
    const char *name; ///< of the new clip, copied; NULL: that of the clip
    float start;      ///< seconds in the clip, 0 or more
    float end;        ///< after `start`, at most the clip's duration
} lmb_clip_part_def;

/// From 0 s; the end is at 0 s, which is refused until it is set.
LMB_API lmb_clip_part_def lmb_default_clip_part_def(void);

/// Cuts a part out of a clip: a new clip from `start` to `end`, for a long take that contains several motions.
///
/// Keys inside keep their values. Times are subtracted in ticks (#LMB_TICKS_PER_SECOND): a key at the tick t of the
/// clip is at t minus that of `start`. Where a track moves at an end of the part, it gets a key of what it has there:
/// lines stay lines, and cubic splines keep their cubics. So the part is the clip between its ends, apart from the
/// rounding of these keys and of times: 1e-6 of the values, and what a track moves within 1e-7 of the duration. The
/// part has the joint weights of the clip and loops by itself. Extract its root motion (root_motion.h), and compress
/// it, afterwards.
///
/// Fails with #LMB_ERROR_ARGUMENT (something is NULL, times that are not in order within the clip, a compressed clip, a
/// clip of another joint or channel count) and #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_clip_cut(const lmb_rig *rig, const lmb_clip *clip, const lmb_clip_part_def *def,
                                const lmb_host *host, lmb_clip **part, lmb_error *error);

/// A part of a clip that takes the place of the clip in a list: see lmb_import_def.splits.
typedef struct lmb_clip_split {
    const char *clip;       ///< the name of the clip; of several the first
    lmb_clip_part_def part; ///< its name and times
} lmb_clip_split;

/// How far a compressed clip may deviate, and how this is measured. Start from
/// lmb_default_clip_compression().
typedef struct lmb_clip_compression {
    /// The largest distance, in units of the rig, of a virtual point from where the source clip has it. 0 takes 0.01 %
    /// of the rig's extent, the largest distance between joints of its rest pose.
    float error;
    /// The distance of virtual points from each joint, to both sides along its axes: about where its skin is. They move
    /// with the joint in model space, scale included. 0 takes 2 % of the rig's extent, or 1 if the extent is 0.
    float shell_distance;
    /// Joints with a tolerance of their own. Joints above them move them, so these become as exact as they must. The
    /// last one of a joint counts.
    const lmb_joint_tolerance *joints;
    uint32_t joint_count;
} lmb_clip_compression;

/// Error and distance in proportion to the extent of the rig.
LMB_API lmb_clip_compression lmb_default_clip_compression(void);

/// The result of a compression.
typedef struct lmb_clip_compression_report {
    float bound; ///< the error that was allowed
    /// A bound of the error reached, at all times: at most 0.1 % above it as a rule. A joint with an error of its own
    /// counts in proportion: its distance, times `bound`, divided by its error.
    float error;
    size_t source_bytes;  ///< size of the source's block
    size_t bytes;         ///< size of the compressed block
    uint32_t frame_count; ///< key times that the packed tracks share
    /// Properties of joints, without float channels: those left out because they are at rest, those with one value,
    /// packed ones, and those kept as they were.
    uint32_t rest_count, constant_count, packed_count, kept_count;
} lmb_clip_compression_report;

/// Makes a smaller clip for `rig`, within a bound of `source`, which must be a clip of this rig. The bound holds at all
/// times, apart from the rounding of floats: between keys it follows from derivatives of the tracks.
///
/// - Linear tracks and cubic splines become keys of few bits at times that they all share: as few of the source's key
///   times as the bound allows. A track that hardly changes becomes one value. A track that hardly differs from the
///   rest pose of `rig` is left out: the clip then has the rest value of the rig of the graph that plays it.
/// - Float tracks are kept as they are, except for constant ones, which become one key or are left out in the same way.
/// - Step tracks keep every value and time.
/// - Rotations may be negated, which is the same rotation.
/// - Tracks that cannot be packed within the bound are kept as they are. If nothing is gained, the result is a copy of
///   `source`.
///
/// `settings` may be NULL for the defaults; `report` may be NULL. Joints' tolerances are read during the call. The call
/// may take seconds, and memory in proportion to joints times key times. Fails with #LMB_ERROR_ARGUMENT (a negative or
/// infinite setting, no such joint, a rig of another joint or channel count, a source that is already compressed) and
/// #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_clip_compress(const lmb_rig *rig, const lmb_clip *source, const lmb_clip_compression *settings,
                                     const lmb_host *host, lmb_clip **clip, lmb_clip_compression_report *report,
                                     lmb_error *error);

/// @}

#ifdef __cplusplus
}
#endif

#endif
