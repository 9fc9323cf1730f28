/// @file clip_slot.h
/// @ingroup clips
/// Clip slots: clips of a graph that can be added, exchanged and removed while the graph runs (streaming).
///
/// A graph copies its clips when it is created. A clip that has a slot (lmb_graph_def.clip_slots) may then be absent,
/// and may change between frames:
///
///     lmb_clip_slot_def slot = lmb_clip_slot_for(taunt); // room for a clip like this one
///     slot.clip = 2;                                     // the graph's clip of that index, which nodes name
///     ...
///     lmb_graph_set_clip(graph, 2, taunt, &error);       // before a frame on the CPU
///     lmb_gpu_graph_record_clip(gpu_graph, 2, gpu_taunt, commands, &error); // before a frame on the GPU
///     ...
///     lmb_graph_set_clip(graph, 2, NULL, &error);        // the slot is empty again
///
/// **Empty slots.** A source whose slot is empty gives the rest pose, or no change if all clips that its node may play
/// are additives. If its weight is above 0, it counts as #LMB_REFUSED_CLIP.
///
/// **The control** (control.h) does not depend on what is in the slots. Players, groups, machines, notifies and root
/// motion read the duration that the slot states, and what the node's player states, whether the slot is empty or not.
/// So states, emitted events and the motion of characters have the same bits on machines that load clips at different
/// times, and saved states fit whatever is loaded. Poses have the same bits on the CPU and on every device, given the
/// same changes between the same frames.
///
/// **Cost.** A slot takes its `bytes` in the graph's block on the host and again in the device's copy, filled or empty,
/// and allocates nothing later. lmb_graph_set_clip() copies the clip's block once. lmb_gpu_clip_create() copies it to
/// host-visible memory, and the command that lmb_gpu_graph_record_clip() records copies it from there into the slot; an
/// empty slot is one word. A frame reads a clip in a slot as it reads any other clip. What a slot's `kinds` cost is
/// said there.
///
/// **Synchronisation** on the CPU: no thread may use the graph during lmb_graph_set_clip(). On the GPU the change is a
/// command in the host's command buffer, with barriers, so frames submitted before it are not disturbed: see
/// lmb_gpu_graph_record_clip().
#ifndef LIMBER_CLIP_SLOT_H
#define LIMBER_CLIP_SLOT_H

#include <limber/clip.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup clips
/// @{

#define LMB_MAX_CLIP_SLOTS 4096u ///< in one graph

/// Kinds of clips, for lmb_clip_slot_def.kinds. A clip may be of several.
#define LMB_CLIP_CUBIC 1u    ///< it has cubic splines
#define LMB_CLIP_FAR 2u      ///< neighbouring keys of a rotation are about 50 degrees or more apart (cosine below 0.9)
#define LMB_CLIP_PACKED 4u   ///< lmb_clip_compress() made it
#define LMB_CLIP_SCALED 8u   ///< a joint may have a scale other than exactly 1
#define LMB_CLIP_PARTIAL 16u ///< it has joint weights (lmb_clip_def.joint_weights)
#define LMB_CLIP_ANY 31u     ///< all kinds

/// Returns the kinds of a clip, LMB_CLIP_... bits.
LMB_API uint32_t lmb_clip_kinds(const lmb_clip *clip);

/// Room for one clip of a graph, and what all clips in it have in common. Start from lmb_default_clip_slot_def() or
/// lmb_clip_slot_for().
typedef struct lmb_clip_slot_def {
    uint32_t clip; ///< index of the graph's clip; strictly ascending from slot to slot
    /// Copied; NULL: "". It is also the name of the clip's players, and with ".time" that of the parameters which hold
    /// their times.
    const char *name;
    uint32_t bytes; ///< room for the largest block (lmb_clip_block()), rounded up to whole words
    /// Seconds that every clip in the slot takes, to the bit. Below 0: any duration; the clip then cannot play by
    /// itself (lmb_node_def.player), only at times that the host gives.
    float duration;
    /// The rig's, a joint map's or that of a retarget's source; 0: the rig's. Clips in the slot have as many float
    /// channels as the rig; if a joint map has this joint count, they may also have none; if a source has it, any
    /// number.
    uint32_t joint_count;
    bool additive; ///< whether the clips are additives
    /// Kinds that clips in the slot may have. The code that evaluates the graph leaves out what no clip and no slot of
    /// the graph needs, so each kind that nothing else in the graph needs costs something for all of its clips:
    /// - #LMB_CLIP_FAR, #LMB_CLIP_SCALED, #LMB_CLIP_PARTIAL: on the CPU the code for plain graphs cannot run.
    /// - #LMB_CLIP_SCALED: every pose has a scale, which is sampled, blended and kept.
    /// - #LMB_CLIP_PACKED, #LMB_CLIP_CUBIC: in kernels a test for each track, and more registers.
    /// - #LMB_CLIP_FAR: rotations between keys by the long form of slerp.
    /// - #LMB_CLIP_PARTIAL: a joint weight is part of each pose. A layer (#LMB_OP_LAYERS) of the clip weighs each
    ///   joint, and root motion counts joint 0 of the clip fully, whatever weight the clip gives it.
    uint32_t kinds;
    uint32_t cookie; ///< of lmb_default_clip_slot_def(): any other number is refused
} lmb_clip_slot_def;

/// No clip (#LMB_NONE) and no room, which is refused until they are set; no name; any duration, the rig's joints,
/// poses, clips of any kind.
LMB_API lmb_clip_slot_def lmb_default_clip_slot_def(void);
/// Returns a slot for clips like this one: its name, which lives as long as the clip, its bytes, duration, joints, type
/// and kinds. Set `clip`, and more bytes or kinds if other clips need them.
LMB_API lmb_clip_slot_def lmb_clip_slot_for(const lmb_clip *clip);

/// @}

#ifdef __cplusplus
}
#endif

#endif
