/// @file chain.h
/// @ingroup graphs
/// Chains: #LMB_OP_CHAIN lets tails, hair, antennas and straps swing after their animation. lmb_chain_node() makes such
/// a node with its defaults. The host gives it the time of each frame.
///
/// A chain is a line of joints from `start` down to `end`. Each bone, from a joint to the next one, is simulated as a
/// particle at its end, by Verlet integration with constraints on positions (Müller et al., "Position Based Dynamics",
/// 2007), and the joint at its beginning turns by the shortest arc from the animated bone to the simulated one. Dynamic
/// Bone for Unity does the same.
///
/// **A step.** There are 120 steps a second, h = 1/120, whatever the frame rate. With x and p the end of a bone now and
/// a step ago, a its beginning, d the animated bone, and v the `velocity`, all in model space:
///
///     1. x' = x - h v + exp(-damping h) (x - p + h v) + h^2 gravity
///     2. f = s (a + d - x'),  s = k / (1 + k),  k = (2 pi stiffness h)^2
///        x'' = x' + f - (f . r) r / |d|^2,  r = x' - a
///     3. the end is at a + |d| (x'' - a) / |x'' - a|
///
/// The first line keeps the velocity in the world, the second is the spring to the animation, of XPBD (Macklin et al.,
/// 2016), across the bone, and the third keeps the bone's length. The base is the node's input.
///
/// **Energy.** Without damping, a bone whose beginning rests gains no energy: its greatest is within 1 % of the first.
/// Steps lose some, the more, the faster it swings. Bones have no mass that pulls at the bones above, as in a whip. So
/// one below a bone that swings may swing farther than that.
///
/// **Colliders.** After line 3 a bone's end is pushed out of the spheres and capsules of `colliders`, in their order.
/// Its formulas are those of VRMC_springBone 1.0. With c the point of the collider's line that is nearest to the end x,
/// and r the sum of the collider's radius and the bone's:
///
///     if |x - c| < r:  x' = c + r (x - c) / |x - c|,  and the end is at a + |d| (x' - a) / |x' - a|
///
/// So the bone keeps its length, and another collider, or a bone that does not reach out of one, may leave it inside.
/// All steps of a frame use the colliders where the base has them in this frame. Radii are lengths in model space,
/// which scales do not change. An end exactly at c is not pushed. Bones collide at their ends, not along their length.
///
/// All steps of a frame use this frame's `d`. `a` moves in a straight line from its place in the previous frame to its
/// place in this one: of the first bone it is the position of `start`, of the others the end of the bone above, so a
/// frame moves bone after bone. Steps are at the
/// times (n - 1/8) h, away from the times of frames at 60 or 120 Hz. From the last step to the time of the frame the
/// end moves on at its velocity. It is then put at the bone's length again, and pushed out of colliders.
///
/// **Space.** Everything is in model space, so moving or turning a character in the world does not swing its chains;
/// `velocity` does. It is the velocity of the character in the world, turned into the axes of model space, in units of
/// model space a second: with root motion, its translation in the frame before (lmb_state_root_motion()) divided by
/// the step, or by the time since the last update; with lmb_motion_def.velocity, plus the velocity in
/// lmb_motion_def.velocity_parameters. A frame late is not visible. Chains trail behind a character that moves, more
/// with more damping, which is the drag of still air. If a character jumps to another place, give the velocity without
/// the jump. A turn of the character is not a velocity.
///
/// **Time.** `time` is the time of the frame in seconds: a parameter that the host advances, for all characters or each
/// by itself. With a constant time nothing swings. Times are compared modulo 1024 s: for games that run long give
/// fmod(seconds, 1024), computed in double. A chain begins anew, with the base to the bit, in its first frame; or if
/// more than half a second passed since its last frame; or if time went back. If the beginning of a bone moves farther
/// than `teleport` in model space in a frame, this bone and those below it begin anew; the beginning of the first bone
/// is `start`. A frame with the same `time` as the one before replaces that one, so it gives the same bits for the same
/// pose. While the weight is 0, a list omits the character, or the level of detail drops a joint, its bone stands
/// still: it goes on from its last frame, or begins anew if that is long ago.
///
/// **Memory.** A batch keeps 20 words for each bone of each character, with those of feet (ik.h) and after those of
/// inertialization, in the same array: lmb_graph_info.inertia_words, lmb_batch_outputs.inertia and
/// lmb_gpu_batch_inertia() include them, and inertia.h says how to save and restore them. A character whose words are
/// zeroed begins its chains anew. #LMB_EVENT_RESET does not do that by itself: to begin the chains anew too, zero the
/// character's lmb_graph_info.inertia_words words before that frame. This also drops the offset of an inertialized
/// transition, which a character that begins anew does not have. Results are finite whatever the words contain. Without
/// the memory the result is the base. A node that several nodes use is a chain for each use.
///
/// **Weights.** Each joint is slerp(base, simulated, w) with w in [0, 1]: the node's weight times the joint's in
/// `weights`, as in stiffer roots and looser tips. At weight 0 the result is the base, to the bit. A joint's weight
/// changes no other joint: bones are simulated as if all were 1, also where one is 0. Only local rotations change:
/// translations, scales and float channels are those of the base, and so are root motion and joint weights.
///
/// **Scale.** The scales of the chain's joints and of all their ancestors must be uniform and positive; otherwise
/// joints do not quite point along the simulated bones.
///
/// **Edges.** A bone of length 0 does not turn its joint. An end that is pushed exactly into the beginning is put where
/// the animation has it. A bone turned back by half a turn goes about any axis. NaN in `time` or `velocity` counts as 0
/// and as a refused weight (#LMB_REFUSED_WEIGHT).
///
/// **Error.** With the default stiffness and damping, ends are within 1e-4 of float64 after seconds in which a chain of
/// length 2 swings by half a turn. Chains with little of both amplify any difference, as a double pendulum does.
///
/// **Cost.** The base is evaluated for all joints first, in an exchange area (lmb_graph_info.exchange_count). Each
/// joint of the chain steps the bones above it and its own, so n joints take n (n + 1) / 2 times the steps of the
/// frame. Each finds all colliders first.
#ifndef LIMBER_CHAIN_H
#define LIMBER_CHAIN_H

#include <limber/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup graphs
/// @{

#define LMB_MAX_CHAIN_BONES 32u
#define LMB_MAX_CHAIN_COLLIDERS 8u

/// A sphere or a capsule on a joint, out of which a chain is pushed. Start from lmb_default_collider_def().
typedef struct lmb_collider_def {
    uint32_t joint;  ///< of the rig, with which it moves
    bool is_capsule; ///< from `offset` to `tail`; else a sphere at `offset`
    float offset[3]; ///< along the axes of the joint, each up to 2^20
    float tail[3];   ///< the other end of a capsule, likewise
    float radius;    ///< 0 to 2^20
    uint32_t cookie; ///< of lmb_default_collider_def(): any other number is refused
} lmb_collider_def;

/// A sphere of radius 0 at the origin of a joint, which is refused until it is set.
LMB_API lmb_collider_def lmb_default_collider_def(void);

/// A chain of joints that swings: lmb_node_def.chain of an #LMB_OP_CHAIN.
typedef struct lmb_chain_def {
    uint32_t start; ///< joint of the rig: the first one that turns
    /// Joint where the last bone ends: a descendant of `start`, at most #LMB_MAX_CHAIN_BONES bones away. It does not
    /// turn itself.
    uint32_t end;
    lmb_value time;        ///< seconds
    lmb_value velocity[3]; ///< of the character in the world, along the axes of model space, in units a second
    float gravity[3];      ///< acceleration along the axes of model space, in units a second squared; each up to 2^20
    float stiffness;       ///< frequency in Hz at which a bone without damping would swing; 0 to 1000; 0: none
    float damping;         ///< of velocity, per second: the share exp(-damping t) is left after t seconds; 0 to 1000
    /// Distance in model space: if the beginning of a bone moves farther in a frame, this bone and those below it begin
    /// anew. A small distance ends fast swings. 2^40: never.
    float teleport;
    const lmb_collider_def *colliders; ///< up to #LMB_MAX_CHAIN_COLLIDERS
    uint32_t collider_count;
    const float *radii;    ///< of the ends of the bones, 0 to 2^20
    uint32_t radius_count; ///< as many as bones; 1: the same for all; 0: all are 0
    const float *weights;  ///< of the joints from `start` on, 0 to 1: factors of the node's weight
    uint32_t weight_count; ///< as many as bones; 1: the same for all; 0: all are 1
} lmb_chain_def;

/// @}

#ifdef __cplusplus
}
#endif

#endif
