/// @file additive.h
/// @ingroup clips
/// Bakes additive clips: computes the result of #LMB_OP_MAKE_ADDITIVE once, instead of at run time.
///
/// The result is an additive clip (lmb_clip_info.is_additive). Its poses are the second input of an #LMB_OP_ADDITIVE of
/// the same form and space. Added to its reference, the clip gives its source, except for float channels, which do not
/// change.
#ifndef LIMBER_ADDITIVE_H
#define LIMBER_ADDITIVE_H

#include <limber/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup clips
/// @{

/// The reference of an additive clip, and how it is baked. Start from lmb_default_clip_additive_def().
typedef struct lmb_clip_additive_def {
    const char *name; ///< name of the result, copied; NULL takes the source's name
    /// A reference pose: one transform for each joint, with rotations of any length except 0. May be NULL.
    const lmb_transform *pose;
    /// A reference clip, sampled at the same phase: at (time / duration of the source) times the duration of the
    /// reference. If the source's duration is 0, the phase is 0. May be NULL. At most one of `pose` and `clip` may be
    /// given. If both are NULL, the reference is the source at time 0.
    const lmb_clip *clip;
    lmb_form form;
    lmb_space space;
    /// Max error between the keys of the result; 0 takes 1e-4. See lmb_clip_make_additive().
    float error;
} lmb_clip_additive_def;

/// Relative to the source at time 0, local, error 1e-4.
LMB_API lmb_clip_additive_def lmb_default_clip_additive_def(void);

/// Bakes an additive clip from `source` and a reference. `source` and a reference clip must have the joint count of
/// `rig`, and may be compressed.
///
/// Each track has keys at the times of the keys of its source and its reference, the reference's times scaled to the
/// phase of the source (times nearer than 2^-20 of the duration are merged). At these times its values are those of the
/// operation, within the operation's errors. Between them, intervals are halved up to eight times until a linear track
/// stays within `error` of the operation's result, measured at the quarters of each interval: each component of a
/// rotation by `error`, translation and scale by `error` or by that times their magnitude, whichever is larger.
///
/// If source and reference are both stepped or constant, so is the result. A step at time t becomes a linear segment
/// from the last float before t to t. Values that do not change have one key. The result has tracks for the
/// translation, rotation and scale of all joints, none for float channels, and the duration and joint weights of the
/// source.
///
/// In model space, the keys of a rotation are those of the joint and of all its ancestors. An #LMB_OP_ADDITIVE with
/// such a clip saves the cost that #LMB_OP_MAKE_ADDITIVE has in model space.
///
/// Fails with
/// - #LMB_ERROR_ARGUMENT if something is NULL; if rig, source and reference have different joint counts; if both
///   references are given; if the pose, form, space or error is invalid; if the affine form is used in model space, or
///   if it shears (the message names joint and time).
/// - #LMB_ERROR_LIMIT if the result exceeds the limits of a clip.
/// - #LMB_ERROR_MEMORY.
///
/// Only the clip stays allocated.
LMB_API lmb_result lmb_clip_make_additive(const lmb_rig *rig, const lmb_clip *source, const lmb_clip_additive_def *def,
                                          const lmb_host *host, lmb_clip **clip, lmb_error *error);

/// @}

#ifdef __cplusplus
}
#endif

#endif
