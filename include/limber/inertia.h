/// @file inertia.h
/// @ingroup graphs
/// Inertialization: a transition that switches to the new pose at once and lets its offset from the pose shown before
/// decay (Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War", GDC 2018).
///
/// The old pose is not evaluated any more, so a transition costs as much as one pose. Offsets are taken from the pose
/// that was shown, whatever produced it, so a transition that interrupts another one does not jump either.
///
/// Inertialization applies to the local transforms of a graph's last operation, but before the corrections that end the
/// graph: #LMB_OP_IK_TWO_BONE, #LMB_OP_IK_AIM, #LMB_OP_FOOT_PLACEMENT, #LMB_OP_TWIST and #LMB_OP_CHAIN, from the last
/// operation down through their first inputs, with #LMB_OP_CLAMP between them. So a hand reaches its target, and a
/// locked foot keeps its place, while an offset decays below. What a correction itself changes at a switch, such as its
/// weight, is not smoothed.
///
/// There are two ways to use it:
///
/// 1. A machine has a transition of the kind #LMB_FADE_INERTIALIZED, or one that can restart a state that is still
///    seen (lmb_transition_def, "Restarts"). The graph does everything, for all machines. With a transition of that
///    kind lmb_graph_def.inertialize must be false.
/// 2. lmb_graph_def.inertialize is true. The host says when the pose switches: before each frame it writes the
///    parameters of #lmb_inertia_parameter for each character.
///
/// **The curve.** In the frame of a switch each joint's translation, rotation and scale get an offset: the transform
/// shown in the previous frame minus the new one. The offset has a length x0 along its direction; for a rotation that
/// is the angle about its axis, on the left of the new rotation, the short way. The velocity v0 is the velocity at
/// which the shown transform moved along that direction (or about that axis) between the two previous frames. It is
/// clamped to at most 0, so that an offset does not grow. With
///
///     t1 = min(duration, -5 x0 / v0),  a0 = max(0, (-8 v0 t1 - 20 x0) / t1^2)
///
/// the length at time t is the quintic x(t) for which x, x' and x'' are x0, v0 and a0 at 0, and all 0 at t1. The result
/// is the new transform with an offset of length x(t). Time counts from the frame before the switch, so the frame of
/// the switch already shows the offset one step later. From t1 on the result is the graph's, to the bit. The new pose
/// keeps its own velocity: after a switch, the visible velocity is the sum of v0 and the velocity of the new pose.
///
/// Translations and scales are within 1e-6 of float64, relative to the offset, rotations within 2e-6. If a rotation's
/// offset is within 1e-3 of half a turn, either direction is allowed.
///
/// **Memory.** A batch keeps lmb_graph_info.inertia_words words for each character: first, if
/// lmb_graph_info.inertia_parameters is not #LMB_NONE, 26 for each joint, or 36 if a scale other than 1 can occur, then
/// those of chains (chain.h) and feet (ik.h), in the order in which they are evaluated. A joint's are the transforms
/// shown in two frames, the offset, and the numbers of these frames. On the CPU the host owns them
/// (lmb_batch_outputs.inertia); on a device the batch does (lmb_gpu_batch_inertia()). They are plain words without
/// addresses, equal on all devices, and zero before the first frame. They are not part of a control's state: code that
/// saves, restores or compares states must do the same with these words. Words and state of one frame, restored
/// together, continue with the same bits. To begin a character anew, either send #LMB_EVENT_RESET: then only the words
/// of chains and feet need to be zeroed, if these are to begin anew too; or zero the character's state: then zero all
/// of these words. After the words of joints are zeroed, or if they are of another frame than the state, no offset is
/// taken until one frame has been shown, and no velocity until two have. Results are finite and have the same bits on
/// every device, whatever the words contain.
///
/// **Skipped frames.** A character that was not shown in the frame of a switch or in the one before, because a list
/// omitted it, has no offset and shows its new pose at once; so does a joint that its level of detail dropped, unless a
/// correction follows, which reads all joints. A
/// character that was not shown in the frame before those two has no velocity. A second run of a character in the same
/// frame changes nothing, if the first run has completed; a list on a device must not name it twice (gpu.h).
///
/// **Float channels** and character motion switch at once.
#ifndef LIMBER_INERTIA_H
#define LIMBER_INERTIA_H

#include <limber/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup graphs
/// @{

/// Consecutive parameters of a character that control its inertialization.
///
/// A graph whose machines inertialize writes them (lmb_graph_info.inertia_parameters); with lmb_graph_def.inertialize
/// the host does. Whoever writes them sets, at a switch, #LMB_INERTIA_TRIGGERED to the frame's number,
/// #LMB_INERTIA_TIME to the frame's step and #LMB_INERTIA_DURATION, and in later frames adds their steps to the time.
/// Values are clamped to their ranges. A value that is not finite is 0 and counts as a refused time
/// (#LMB_REFUSED_TIME).
typedef enum lmb_inertia_parameter {
    /// Number of the frame, an integer that may begin anywhere: one more in each frame that advances the character,
    /// whether or not it is shown, up to #LMB_MAX_INERTIA_NUMBER, then 0. Add two when the character starts anew,
    /// because no frame precedes that one.
    LMB_INERTIA_NUMBER,
    LMB_INERTIA_STEP,      ///< the step of the previous frame, not of this one, in seconds
    LMB_INERTIA_TRIGGERED, ///< the number of the frame of the last switch
    LMB_INERTIA_TIME,      ///< seconds since the frame before the last switch
    LMB_INERTIA_DURATION,  ///< of the last switch, seconds up to 100,000; 0: none, as before the first switch
    LMB_INERTIA_PARAMETERS
} lmb_inertia_parameter;

#define LMB_MAX_INERTIA_NUMBER 0xffffffu ///< up to this every integer is exact as a float

/// @}

#ifdef __cplusplus
}
#endif

#endif
