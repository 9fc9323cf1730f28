/// @file clip.h
/// A clip: key-framed tracks over the joints and the float channels of one rig, built once into one relocatable block of 32-bit words, which
/// the CPU reads and the GPU is given as it is. Immutable once created, so any number of threads may read it.
#ifndef LIMBER_CLIP_H
#define LIMBER_CLIP_H

#include <limber/rig.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lmb_clip lmb_clip;

/// What a track drives: one of three of a joint, or a float channel of the rig.
typedef enum lmb_channel {
    LMB_CHANNEL_TRANSLATION,
    LMB_CHANNEL_ROTATION,
    LMB_CHANNEL_SCALE,
    LMB_CHANNEL_FLOAT
} lmb_channel;

/// glTF 2.0, section 3.11 and appendix C.
typedef enum lmb_interpolation {
    LMB_INTERPOLATION_STEP,   ///< the value of the last key at or before the time
    LMB_INTERPOLATION_LINEAR, ///< lerp; slerp the short way for rotations; angles the short way
    /// Hermite, tangents per key in units per second; rotations normalised after; angles go from a key to the next one's
    /// nearest full turn, and are wrapped after.
    LMB_INTERPOLATION_CUBIC_SPLINE,
} lmb_interpolation;

/// The keys of one channel of one joint, or of one float channel. Start from zero.
typedef struct lmb_track_def {
    uint32_t joint; ///< rig index; of #LMB_CHANNEL_FLOAT that of the float channel
    lmb_channel channel;
    lmb_interpolation interpolation;
    uint32_t key_count; ///< 1 or more
    /// Seconds, `key_count` of them, 0 or more, strictly ascending.
    const float *times;
    /// 3 floats a key, 4 (x, y, z, w) for rotations, 1 for float channels; for cubic splines three such in a row per key: in-tangent, value,
    /// out-tangent. Rotations are normalised, except in cubic splines, where only a zero one is refused. Values of angles
    /// are wrapped to [-180, 180).
    const float *values;
} lmb_track_def;

typedef struct lmb_clip_def {
    const char *name; ///< copied; NULL means ""
    /// Seconds. 0 takes the time of the last key of all; otherwise it is not before that.
    float duration;
    const lmb_track_def *
        tracks; ///< at most one for each channel of each joint and for each float channel; what is missing takes the rest pose
    uint32_t track_count;
    /// For a clip that animates a part of the body: 0 to 255 for each joint of the rig, then for each float channel, which
    /// its poses carry for #LMB_OP_PARTIAL; 0 means that the joint is absent. Copied; NULL takes 255 for all.
    const uint8_t *joint_weights;
    /// Its poses are additives, as those of lmb_clip_make_additive(): what #LMB_OP_ADDITIVE adds. What has no track then takes no
    /// change, instead of the rest pose.
    bool additive;
} lmb_clip_def;

/// Builds a clip. Before its first key and after its last a track holds that key's value. Fails with
/// #LMB_ERROR_ARGUMENT (message: clip, track, joint, key), #LMB_ERROR_LIMIT past 2^30 words, #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_clip_create(const lmb_rig *rig, const lmb_clip_def *def, const lmb_host *host, lmb_clip **clip,
                                   lmb_error *error);

/// Takes a block that lmb_clip_block() gave, from a file or a network, copies and checks all of it: nothing in it is
/// trusted. `bytes` needs no alignment. Fails with #LMB_ERROR_FORMAT (message: which word and why). The block holds
/// little-endian words.
LMB_API lmb_result lmb_clip_open(const void *bytes, size_t size, const lmb_host *host, lmb_clip **clip,
                                 lmb_error *error);
/// NULL is fine.
LMB_API void lmb_clip_destroy(lmb_clip *clip);

/// The block and its size in bytes, where `size` is not NULL; lives as long as the clip, and holds no pointer.
LMB_API const void *lmb_clip_block(const lmb_clip *clip, size_t *size);
LMB_API const char *lmb_clip_name(const lmb_clip *clip);
/// Seconds.
LMB_API float lmb_clip_duration(const lmb_clip *clip);
LMB_API uint32_t lmb_clip_joint_count(const lmb_clip *clip);
/// Whether its poses are additives.
LMB_API bool lmb_clip_is_additive(const lmb_clip *clip);
/// Of the rig's float channels, whether or not the clip has a track for each.
LMB_API uint32_t lmb_clip_channel_count(const lmb_clip *clip);
/// Tracks and keys as the author gave them: what the rest pose fills in is not counted.
LMB_API uint32_t lmb_clip_track_count(const lmb_clip *clip);
LMB_API uint32_t lmb_clip_key_count(const lmb_clip *clip);

/// How far a compressed clip may stray, and how that is measured. Start from zero, which takes the defaults.
typedef struct lmb_clip_compression {
    /// The farthest, in units of the rig, that a virtual point may lie from where the source clip has it. 0 takes 0.01 %
    /// of the rig's extent, the largest distance between joints of its rest pose.
    float error;
    /// Virtual points stand this far from each joint, to both sides along its axes: about where its skin is. They move
    /// with the joint in model space, scale included. 0 takes 2 % of the rig's extent, or 1
    /// where that is 0.
    float shell_distance;
} lmb_clip_compression;

typedef struct lmb_clip_compression_report {
    float bound;          ///< the error that was allowed
    float error;          ///< the error reached, at the times of all keys of the source and halfway between them
    size_t source_bytes;  ///< the block before
    size_t bytes;         ///< and after
    uint32_t frame_count; ///< key times that the packed tracks share
    /// Channels of joints, float channels aside: those left to the rest pose, those of one value, packed ones, those kept as they were.
    uint32_t rest_count, constant_count, packed_count, kept_count;
} lmb_clip_compression_report;

/// Makes a smaller clip that moves `rig`, whose clip `source` is, within a bound of `source`. Linear tracks and cubic
/// splines become keys of few bits at times that all of them share, as few of the source's as the bound lets; what hardly
/// moves becomes one value; what hardly leaves the rest pose is left to the rest pose of the rig that the clip is played
/// on. Float tracks are kept as they are, except for constant ones, which become one key or are left to the rest pose.
/// Rotations may come out as their negative, the same rotation. Step tracks keep every value and time. What cannot be
/// packed within the bound is kept as it is, and where nothing is gained the result is a copy of `source`.
///
/// `settings` NULL takes the defaults; `report` may be NULL. It may take seconds, and memory in proportion to joints times
/// key times. Fails with #LMB_ERROR_ARGUMENT (a negative or infinite setting, a rig of another joint or channel count, a source that
/// is compressed already) and #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_clip_compress(const lmb_rig *rig, const lmb_clip *source, const lmb_clip_compression *settings,
                                     const lmb_host *host, lmb_clip **clip, lmb_clip_compression_report *report,
                                     lmb_error *error);

#ifdef __cplusplus
}
#endif

#endif
