/// @file clip.h
/// A clip: key-framed tracks over the joints of one rig, built once into one relocatable block of 32-bit words, which
/// the CPU reads and the GPU is given as it is. Immutable once created, so any number of threads may read it.
#ifndef LIMBER_CLIP_H
#define LIMBER_CLIP_H

#include <limber/rig.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lmb_clip lmb_clip;

typedef enum lmb_channel { LMB_CHANNEL_TRANSLATION, LMB_CHANNEL_ROTATION, LMB_CHANNEL_SCALE } lmb_channel;

/// glTF 2.0, section 3.11 and appendix C.
typedef enum lmb_interpolation {
    LMB_INTERPOLATION_STEP,         ///< the value of the last key at or before the time
    LMB_INTERPOLATION_LINEAR,       ///< lerp; slerp the short way for rotations
    LMB_INTERPOLATION_CUBIC_SPLINE, ///< Hermite, tangents per key in units per second; rotations normalised after
} lmb_interpolation;

/// The keys of one channel of one joint. Start from zero.
typedef struct lmb_track_def {
    uint32_t joint; ///< rig index
    lmb_channel channel;
    lmb_interpolation interpolation;
    uint32_t key_count; ///< 1 or more
    /// Seconds, `key_count` of them, 0 or more, strictly ascending.
    const float *times;
    /// 3 floats a key, 4 (x, y, z, w) for rotations; for cubic splines three such in a row per key: in-tangent, value,
    /// out-tangent. Rotations are normalised, except in cubic splines, where only a zero one is refused.
    const float *values;
} lmb_track_def;

typedef struct lmb_clip_def {
    const char *name; ///< copied; NULL means ""
    /// Seconds. 0 takes the time of the last key of all; otherwise it is not before that.
    float duration;
    const lmb_track_def *tracks; ///< at most one for each channel of each joint; what is missing takes the rest pose
    uint32_t track_count;
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

/// The block and its size in bytes; lives as long as the clip, and holds no pointer.
LMB_API const void *lmb_clip_block(const lmb_clip *clip, size_t *size);
LMB_API const char *lmb_clip_name(const lmb_clip *clip);
/// Seconds.
LMB_API float lmb_clip_duration(const lmb_clip *clip);
LMB_API uint32_t lmb_clip_joint_count(const lmb_clip *clip);
/// Tracks and keys as the author gave them: what the rest pose fills in is not counted.
LMB_API uint32_t lmb_clip_track_count(const lmb_clip *clip);
LMB_API uint32_t lmb_clip_key_count(const lmb_clip *clip);

#ifdef __cplusplus
}
#endif

#endif
