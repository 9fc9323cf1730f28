/// @file inertia.h
/// Inertialization: a transition that takes the new pose at once, and lets what it lacks of the pose shown before decay
/// (Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War", GDC 2018). What is faded from need not
/// be evaluated any more, so it costs as much as one pose; and since offsets are taken from what was shown, whatever that
/// came from, a transition that interrupts another one has no jump either.
///
/// It is done to a graph's result, the local transforms that its last operation gives, where lmb_graph_def.inertialize
/// says so. A graph has it once, behind everything else, and it serves all machines whose transitions are of the kind
/// #LMB_FADE_INERTIALIZED.
///
/// **The curve.** In the frame of a switch each joint's translation, rotation and scale have an offset: the transform
/// shown in the frame before, less the new one. It has a length x0 (of a rotation: the angle about its axis, on the left of
/// the new rotation, by the short way), which goes along its direction, or about its axis, at v0: as fast as what was shown
/// went from the frame before that one to that one, along that direction; but never above 0, so that an offset does not
/// grow. With
///
///     t1 = min(duration, -5 x0 / v0),  a0 = max(0, (-8 v0 t1 - 20 x0) / t1^2)
///
/// the length at time t is the quintic x(t) for which x, x' and x'' are x0, v0 and a0 at 0, and all 0 at t1; the result is
/// the new transform with x(t) of the offset. Time counts from the frame before the switch, so that the frame of the switch
/// itself shows the offset one step on. From t1 on the result is the graph's, to the bit.
/// What is new moves by itself from the beginning: the velocity that is seen after a switch is v0 and that of the new pose.
///
/// Translations and scales are within 1e-6 of float64, relative to the offset, rotations within 2e-6; where a rotation's
/// offset is within 1e-3 of half a turn, either way round is right.
///
/// **Memory.** A batch keeps 36 words of each joint of each character (lmb_graph_inertia_words()): the transforms shown in
/// two frames, the offset, and which frames these were. On the CPU they are the host's, lmb_batch_outputs.inertia; on a
/// device the batch's, lmb_gpu_batch_inertia(). They are plain words without addresses, the same on all sides, zero before
/// the first frame. They are no part of a control's state: what saves, restores or compares that does so with these beside
/// it, and a host that zeroes a character's state itself, in the place of #LMB_EVENT_RESET, zeroes these too. Where they are
/// zeroed, as where the command plays a capture again, or those of another frame are restored, no offset is taken until a
/// frame has been shown, and no velocity until two have. Whatever is in them, results are finite.
///
/// A character that was not shown in the frame of a switch or in the one before, because a list left it out, has no offset
/// and is seen in its new pose at once; likewise a joint that its level of detail dropped. One that was not shown in the
/// frame before these has no velocity. To run a character once more in a frame, after the first time, changes nothing.
///
/// **Float channels** are switched at once, and so is what carries character motion.
#ifndef LIMBER_INERTIA_H
#define LIMBER_INERTIA_H

#include <limber/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a character's parameters say, one after another. A control writes them (lmb_control_def.inertia_parameters); a host
/// that has none may do so itself. Numbers are clamped to their ranges; what is not finite is 0, and counts as a refused
/// time.
typedef enum lmb_inertia_parameter {
    /// Of the frame, whole: one more in each in which the character moves, up to #LMB_INERTIA_LAST_NUMBER, and then 0. One is
    /// passed over where it begins anew, which has nothing before it.
    LMB_INERTIA_NUMBER,
    LMB_INERTIA_STEP,      ///< seconds between the two frames before this one
    LMB_INERTIA_TRIGGERED, ///< the number of the frame of the last switch
    LMB_INERTIA_TIME,      ///< seconds since the frame before that one
    LMB_INERTIA_DURATION,  ///< seconds that the last switch takes, up to 100,000; 0: none
    LMB_INERTIA_PARAMETERS
} lmb_inertia_parameter;

#define LMB_INERTIA_LAST_NUMBER 0xffffffu ///< up to here all whole numbers are floats

#ifdef __cplusplus
}
#endif

#endif
