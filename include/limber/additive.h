/// @file additive.h
/// Differences baked into clips: what #LMB_OP_MAKE_ADDITIVE finds at run time, found once. The result is an additive clip
/// (lmb_clip_is_additive()), whose pose is what #LMB_OP_ADDITIVE takes as its second input, in the form and space it was baked in; added to its
/// reference it gives its source.
#ifndef LIMBER_ADDITIVE_H
#define LIMBER_ADDITIVE_H

#include <limber/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a clip's difference is taken from, and how. Start from zero: from its own first frame, local.
typedef struct lmb_clip_additive_def {
    const char *name; ///< of the result, copied; NULL takes the source's
    /// A pose to take the difference from, one transform for each joint, rotations of any length but 0; or NULL.
    const lmb_transform *pose;
    /// A clip to take it from, at the same phase: at time / duration of the source times its own duration. Where the source's
    /// duration is 0 the phase is 0. Or NULL; at most one of both is given.
    const lmb_clip *clip;
    lmb_form form;
    lmb_space space;
    /// How far the result may stray between its keys; 0 takes 1e-4. See below.
    float error;
} lmb_clip_additive_def;

/// Bakes the difference of `source` from a reference, both clips of rigs like `rig`. Each track has keys at those times at
/// which its source and its reference have some, the reference's scaled to the source's phase (times nearer than 2^-20 of the duration are
/// one), where its values are the operation's, within its errors. Between them, keys are halved up to eight times until
/// a linear track stays within `error` of the operation's result, measured at the quarters of what is left: each component of
/// a rotation by `error`, of translation and scale by `error` or that times its magnitude, whichever is more. Where source and reference are
/// both steps or still, so is the result; a step in one of them takes from the last float before it to it. What does not
/// change has one key. Tracks are those of all channels of all joints; the source's duration and joint weights go with it.
///
/// In model space a rotation's keys are those of the joint and of all above it. An additive of such a clip does
/// without the differences' part of what model space costs.
///
/// Fails with #LMB_ERROR_ARGUMENT (something is NULL; a rig, source or reference of another joint count; both references given; an unusable
/// pose, form, space or error; the affine form in model space, or where it shears: the message names joint and
/// time), #LMB_ERROR_LIMIT past what a clip can hold, #LMB_ERROR_MEMORY. It keeps nothing but the clip.
LMB_API lmb_result lmb_clip_make_additive(const lmb_rig *rig, const lmb_clip *source, const lmb_clip_additive_def *def,
                                          const lmb_host *host, lmb_clip **clip, lmb_error *error);

#ifdef __cplusplus
}
#endif

#endif
