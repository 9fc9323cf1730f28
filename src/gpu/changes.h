// What changes of a batch's characters before a frame runs: where they are placed, which begin anew, and which are
// moved to other rows or restored.
#ifndef LIMBER_SRC_GPU_CHANGES_H
#define LIMBER_SRC_GPU_CHANGES_H

#include "gpu.h"

#include "../../shaders/ops/control_layout.h"

// Arrays of words that are kept of each character. Palettes are only read for those of the frame before.
typedef enum lmb_gpu_kept {
    LMB_GPU_KEPT_STATES,
    LMB_GPU_KEPT_INERTIA,
    LMB_GPU_KEPT_REACHED,
    LMB_GPU_KEPT_PALETTES,
    LMB_GPU_KEPT_COUNT
} lmb_gpu_kept;

// The rows of such an array, in a buffer for each span.
typedef struct lmb_gpu_rows {
    const lmb_gpu_buffer *buffers; // every `stride`-th of them is that of a span
    uint32_t stride;
    uint32_t span_characters;
} lmb_gpu_rows;

// Where the words of a character come from.
typedef enum lmb_gpu_change_base {
    LMB_GPU_CHANGE_SAME,    // they stay
    LMB_GPU_CHANGE_ANEW,    // zeros
    LMB_GPU_CHANGE_MOVED,   // row `index`, as it is before the frame
    LMB_GPU_CHANGE_RESTORED // restored row `index` of the staging memory
} lmb_gpu_change_base;

typedef struct lmb_gpu_change {
    uint32_t character;
    lmb_gpu_change_base base;
    uint32_t index;
    uint32_t palette; // row of its previous palette, or LMB_NONE: its palette of this frame
    bool is_placed;   // `motion` replaces the words of the character motion
    uint32_t motion[WORDS_OF(MOVING_FULLY)];
} lmb_gpu_change;

// The changes of a frame slot, one for each character that changes.
typedef struct lmb_gpu_slot_changes {
    lmb_gpu_buffer staging;
    lmb_gpu_change *changes; // [capacity]
    uint32_t *found;         // [character]: 1 + index of its change, or 0
    uint32_t count;
    uint32_t restored_count; // rows of the staging memory
} lmb_gpu_slot_changes;

typedef struct lmb_gpu_changes {
    lmb_gpu *gpu;
    const lmb_graph *graph;
    uint32_t character_count;
    uint32_t slot_count;
    uint32_t capacity;          // changes of a frame
    uint32_t restored_capacity; // rows that a frame restores
    uint32_t words[LMB_GPU_KEPT_COUNT];
    lmb_word_range motion;  // in a state
    lmb_gpu_buffer initial; // uint32_t [character][motion words]; none without initial motions
    lmb_gpu_buffer scratch; // rows that move, between reading and writing: [array][capacity][words]
    lmb_gpu_slot_changes slots[LMB_GPU_MOST_SLOTS];
} lmb_gpu_changes;

typedef struct lmb_gpu_changes_def {
    const lmb_graph *graph;
    uint32_t character_count;
    uint32_t slot_count;
    uint32_t changes_a_frame;
    uint32_t restored_a_frame;
    const lmb_motion *motions; // [character]; may be NULL
    uint32_t palette_words;    // of a character; 0 without previous palettes
} lmb_gpu_changes_def;

// Creates all buffers. Destroy it also after a failure. Fails with LMB_ERROR_ARGUMENT, LMB_ERROR_LIMIT (a buffer would
// have more than the device allocates), LMB_ERROR_MEMORY, LMB_ERROR_VULKAN, LMB_ERROR_DEVICE.
lmb_result lmb_gpu_changes_create(lmb_gpu *gpu, const lmb_gpu_changes_def *def, lmb_gpu_changes *changes,
                                  lmb_error *error);
// Accepts zeroed changes.
void lmb_gpu_changes_destroy(lmb_gpu_changes *changes);
// Calls a function with each buffer, those that do not exist included.
void lmb_gpu_changes_visit_buffers(lmb_gpu_changes *changes, lmb_gpu_buffer_visitor *visit, void *user);

// These do what the lmb_gpu_batch functions of the same names do.
lmb_result lmb_gpu_changes_place(lmb_gpu_changes *changes, uint32_t slot, uint32_t character, const lmb_motion *motion,
                                 lmb_error *error);
lmb_result lmb_gpu_changes_respawn(lmb_gpu_changes *changes, uint32_t slot, uint32_t character,
                                   const lmb_motion *motion, lmb_error *error);
lmb_result lmb_gpu_changes_move(lmb_gpu_changes *changes, uint32_t slot, uint32_t from, uint32_t to, lmb_error *error);
lmb_result lmb_gpu_changes_restore(lmb_gpu_changes *changes, uint32_t slot, const void *bytes, size_t size,
                                   const uint32_t *characters, lmb_error *error);

// Records the copy of the initial motions, which must exist, after the states have been zeroed, and after a barrier.
void lmb_gpu_changes_record_initial(const lmb_gpu_changes *changes, VkCommandBuffer commands, lmb_gpu_rows states);

// Records the changes of a slot, after a barrier. `rows` has the arrays without palettes, and the palettes of the frame
// before, or no buffers for them. They need a barrier afterwards.
void lmb_gpu_changes_record(const lmb_gpu_changes *changes, uint32_t slot, VkCommandBuffer commands,
                            const lmb_gpu_rows rows[LMB_GPU_KEPT_COUNT]);

// Records that the previous palettes follow the changes: that of a moved character is the one that it had before, that
// of a character that begins anew is its palette. For characters below `character_count`. Brings the barriers before
// it; a barrier afterwards is needed.
void lmb_gpu_changes_record_palettes(const lmb_gpu_changes *changes, uint32_t slot, VkCommandBuffer commands,
                                     uint32_t character_count, lmb_gpu_rows palettes, lmb_gpu_rows previous);

// Forgets the changes of a slot, which have been recorded.
void lmb_gpu_changes_clear(lmb_gpu_changes *changes, uint32_t slot);

#endif
