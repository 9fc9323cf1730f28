// Clips of a graph that can change while it runs: what a slot requires of them, and where their blocks are.
#ifndef LIMBER_SRC_PROGRAM_CLIP_SLOT_H
#define LIMBER_SRC_PROGRAM_CLIP_SLOT_H

#include "compiler.h"

#include <limber/clip_slot.h>

// What a slot requires of a clip.
typedef struct lmb_clip_traits {
    char name[64]; // its first characters, for messages
    uint32_t words;
    float duration;
    uint32_t joint_count;
    uint32_t channel_count;
    bool additive;
    uint32_t kinds;
} lmb_clip_traits;

// A slot of a graph that was created.
struct lmb_clip_slot {
    lmb_clip_slot_def def; // its name is in the same allocation
    uint32_t channel_count;
    bool may_lack_channels; // its joints are those of a joint map
    bool any_channels;      // its joints are those of a retarget's source
    uint32_t offset;        // of its block in the program
};

lmb_clip_traits lmb_clip_find_traits(const lmb_clip *clip);
// Returns what CLIP.common_times must be in a copy of a clip's block that a graph has.
uint32_t lmb_clip_find_common_track(const uint32_t *words);

// Returns the slot of a graph's clip, or NULL.
const lmb_clip_slot_def *lmb_graph_slot_of(const lmb_graph_def *def, uint32_t clip);
// What graphs need to know of a clip: of its slot if it has one.
const char *lmb_graph_clip_name(const lmb_graph_def *def, uint32_t clip);
float lmb_graph_clip_duration(const lmb_graph_def *def, uint32_t clip);
uint32_t lmb_graph_clip_joints(const lmb_graph_def *def, uint32_t clip);
bool lmb_graph_clip_is_additive(const lmb_graph_def *def, uint32_t clip);
bool lmb_graph_clip_is_partial(const lmb_graph_def *def, uint32_t clip);
uint32_t lmb_graph_clip_kinds(const lmb_graph_def *def, uint32_t clip);
// Words that the clip takes in a graph's program.
uint64_t lmb_graph_clip_words(const lmb_graph_def *def, uint32_t clip);

// Checks the slots, and that clips fit into theirs.
bool lmb_graph_check_slots(const lmb_compiler *c);

// Copies the slots of a descriptor that was checked, as one allocation. The graph's program has the offset of each slot
// in its table of clips, in which those of empty slots become 0.
void lmb_clip_slots_write(const lmb_graph_def *def, uint32_t *program, lmb_clip_slot *slots);
// Returns the bytes of that allocation.
size_t lmb_clip_slots_bytes(const lmb_graph_def *def);

// Returns the slot of a graph's clip, and checks whether a clip fits into it; `clip` may be NULL. Returns NULL if a
// check fails. Messages begin with `owner`.
const lmb_clip_slot *lmb_graph_check_change(const lmb_graph *graph, uint32_t index, const lmb_clip_traits *clip,
                                            const char *owner, lmb_error *error);

#endif
