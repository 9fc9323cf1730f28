// Changes are collected on the host, one for each character and frame slot: where its words come from, and where it is
// placed. So calls have the effect of their order, although all are recorded at once: a character that is placed twice
// is where it was placed last, and one that is moved takes along where it was placed before.
//
// Recording writes the placed motions to the staging memory of the slot and copies them, as regions. Rows that move are
// copied to scratch memory first, and from there to where they belong, so that the order of rows makes no difference.
#include "changes.h"

#include "base/host.h"
#include "control/control.h"

#include <limber/batch.h>
#include <limber/snapshot.h>

#include <string.h>

#define WORD sizeof(uint32_t)
#define REGIONS_AT_ONCE 64u // regions of one command

// ---- Memory.

// Words of the staging memory: zeros for characters that begin anew, motions, then the arrays of restored rows.
static VkDeviceSize zero_words(const lmb_gpu_changes *changes) {
    VkDeviceSize words = 0;
    for (int i = 0; i < LMB_GPU_KEPT_PALETTES; i++) {
        words = changes->words[i] > words ? changes->words[i] : words;
    }
    return words;
}

static VkDeviceSize motions_at(const lmb_gpu_changes *changes) {
    return zero_words(changes);
}

static VkDeviceSize restored_at(const lmb_gpu_changes *changes, int kept) {
    VkDeviceSize at = motions_at(changes) + (VkDeviceSize)changes->capacity * changes->motion.count;
    for (int i = 0; i < kept; i++) {
        at += (VkDeviceSize)changes->restored_capacity * changes->words[i];
    }
    return at;
}

static VkDeviceSize scratch_at(const lmb_gpu_changes *changes, int kept) {
    VkDeviceSize at = 0;
    for (int i = 0; i < kept; i++) {
        at += (VkDeviceSize)changes->capacity * changes->words[i];
    }
    return at;
}

static uint32_t *staging_words(const lmb_gpu_slot_changes *slot) {
    return slot->staging.memory.mapped;
}

static uint32_t at_most(uint32_t value, uint32_t most) {
    return value < most ? value : most;
}

static lmb_result check_size(const lmb_gpu *gpu, const char *what, VkDeviceSize bytes, lmb_error *error) {
    if (gpu->largest_allocation != 0 && bytes > gpu->largest_allocation) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "gpu batch: %s take %llu bytes, and the device allocates %llu at most",
                        what, (unsigned long long)bytes, (unsigned long long)gpu->largest_allocation);
    }
    return LMB_OK;
}

static lmb_result create_slot(lmb_gpu_changes *changes, lmb_gpu_slot_changes *slot, lmb_error *error) {
    lmb_gpu *gpu = changes->gpu;
    const VkDeviceSize bytes = restored_at(changes, LMB_GPU_KEPT_PALETTES) * WORD;
    if (check_size(gpu, "the changes of a frame", bytes, error)) {
        return LMB_ERROR_LIMIT;
    }
    slot->changes = lmb_host_allocate(&gpu->host, changes->capacity, sizeof *slot->changes);
    slot->found = lmb_host_allocate(&gpu->host, changes->character_count, sizeof *slot->found);
    if (slot->changes == NULL || slot->found == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu batch: no memory for %u changes", (unsigned)changes->capacity);
    }
    lmb_gpu_maker maker = {.gpu = gpu, .error = error};
    lmb_gpu_make(&maker, bytes, LMB_GPU_MEMORY_UPLOAD, "limber changes staging", &slot->staging);
    if (maker.result == LMB_OK && bytes > 0) {
        memset(slot->staging.memory.mapped, 0, (size_t)(zero_words(changes) * WORD));
    }
    return maker.result;
}

// Writes where the characters begin.
static lmb_result create_initial(lmb_gpu_changes *changes, const lmb_motion *motions, lmb_error *error) {
    const VkDeviceSize bytes = (VkDeviceSize)changes->character_count * changes->motion.count * WORD;
    if (motions == NULL) {
        return LMB_OK;
    }
    if (bytes == 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: motions: the graph has no character motion");
    }
    if (check_size(changes->gpu, "the initial motions", bytes, error)) {
        return LMB_ERROR_LIMIT;
    }
    lmb_gpu_maker maker = {.gpu = changes->gpu, .error = error};
    lmb_gpu_make(&maker, bytes, LMB_GPU_MEMORY_UPLOAD, "limber initial motions staging", &changes->initial);
    for (uint32_t i = 0; maker.result == LMB_OK && i < changes->character_count; i++) {
        uint32_t *words = (uint32_t *)changes->initial.memory.mapped + (size_t)i * changes->motion.count;
        lmb_error why;
        if (lmb_control_motion_to_words(changes->graph->control, &motions[i], words, &why)) {
            return lmb_fail(error, why.result, "gpu batch: motions[%u]: %s", (unsigned)i, why.message);
        }
    }
    return maker.result;
}

lmb_result lmb_gpu_changes_create(lmb_gpu *gpu, const lmb_gpu_changes_def *def, lmb_gpu_changes *changes,
                                  lmb_error *error) {
    const lmb_graph_info *info = lmb_graph_get_info(def->graph);
    *changes = (lmb_gpu_changes){.gpu = gpu,
                                 .graph = def->graph,
                                 .character_count = def->character_count,
                                 .slot_count = def->slot_count,
                                 .capacity = at_most(def->changes_a_frame, def->character_count),
                                 .restored_capacity = def->restored_a_frame,
                                 .words = {[LMB_GPU_KEPT_STATES] = info->state_words,
                                           [LMB_GPU_KEPT_INERTIA] = info->inertia_words,
                                           [LMB_GPU_KEPT_REACHED] = info->reached_count,
                                           [LMB_GPU_KEPT_PALETTES] = def->palette_words},
                                 .motion = info->motion_words};
    const VkDeviceSize scratch = scratch_at(changes, LMB_GPU_KEPT_COUNT) * WORD;
    lmb_result result = check_size(gpu, "the changes of a frame", scratch, error);
    if (result == LMB_OK) {
        lmb_gpu_maker maker = {.gpu = gpu, .error = error};
        lmb_gpu_make(&maker, scratch, LMB_GPU_MEMORY_DEVICE, "limber changes", &changes->scratch);
        result = maker.result;
    }
    for (uint32_t i = 0; i < def->slot_count && result == LMB_OK && changes->capacity > 0; i++) {
        result = create_slot(changes, &changes->slots[i], error);
    }
    return result == LMB_OK ? create_initial(changes, def->motions, error) : result;
}

void lmb_gpu_changes_visit_buffers(lmb_gpu_changes *changes, lmb_gpu_buffer_visitor *visit, void *user) {
    for (uint32_t i = 0; i < changes->slot_count; i++) {
        visit(user, &changes->slots[i].staging);
    }
    visit(user, &changes->initial);
    visit(user, &changes->scratch);
}

void lmb_gpu_changes_destroy(lmb_gpu_changes *changes) {
    lmb_gpu *gpu = changes->gpu;
    if (gpu == NULL) {
        return;
    }
    lmb_gpu_changes_visit_buffers(changes, lmb_gpu_buffer_destroy_visited, gpu);
    for (uint32_t i = 0; i < changes->slot_count; i++) {
        lmb_host_release(&gpu->host, changes->slots[i].changes);
        lmb_host_release(&gpu->host, changes->slots[i].found);
    }
}

// ---- What the host asks for.

static lmb_result check_character(const lmb_gpu_changes *changes, uint32_t slot, uint32_t character, lmb_error *error) {
    const lmb_result result = lmb_gpu_check_slot("gpu batch", slot, changes->slot_count, error);
    return result != LMB_OK || character < changes->character_count
               ? result
               : lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: there is no character %u: there are %u",
                          (unsigned)character, (unsigned)changes->character_count);
}

static lmb_result refuse_more(const lmb_gpu_changes *changes, lmb_error *error) {
    return lmb_fail(error, LMB_ERROR_LIMIT, "gpu batch: a frame has room for changes of %u characters: changes_a_frame",
                    (unsigned)changes->capacity);
}

static lmb_gpu_change *find_change(const lmb_gpu_slot_changes *slot, uint32_t character) {
    return slot->found != NULL && slot->found[character] != 0 ? &slot->changes[slot->found[character] - 1] : NULL;
}

// Returns the change of a character, which may be a new one, or NULL if there is no room.
static lmb_gpu_change *take_change(const lmb_gpu_changes *changes, lmb_gpu_slot_changes *slot, uint32_t character) {
    lmb_gpu_change *change = find_change(slot, character);
    if (change == NULL && slot->count < changes->capacity) {
        change = &slot->changes[slot->count++];
        *change = (lmb_gpu_change){.character = character, .palette = character};
        slot->found[character] = slot->count;
    }
    return change;
}

static lmb_result find_motion(const lmb_gpu_changes *changes, const lmb_motion *motion,
                              uint32_t words[WORDS_OF(MOVING_FULLY)], lmb_error *error) {
    if (motion == NULL || changes->motion.count == 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: %s",
                        motion == NULL ? "the motion is NULL" : "the graph has no character motion");
    }
    lmb_error why;
    if (lmb_control_motion_to_words(changes->graph->control, motion, words, &why)) {
        return lmb_fail(error, why.result, "gpu batch: %s", why.message);
    }
    return LMB_OK;
}

lmb_result lmb_gpu_changes_place(lmb_gpu_changes *changes, uint32_t slot, uint32_t character, const lmb_motion *motion,
                                 lmb_error *error) {
    uint32_t words[WORDS_OF(MOVING_FULLY)] = {0};
    if (check_character(changes, slot, character, error) || find_motion(changes, motion, words, error)) {
        return LMB_ERROR_ARGUMENT;
    }
    lmb_gpu_change *change = take_change(changes, &changes->slots[slot], character);
    if (change == NULL) {
        return refuse_more(changes, error);
    }
    change->is_placed = true;
    memcpy(change->motion, words, sizeof words);
    return LMB_OK;
}

lmb_result lmb_gpu_changes_respawn(lmb_gpu_changes *changes, uint32_t slot, uint32_t character,
                                   const lmb_motion *motion, lmb_error *error) {
    uint32_t words[WORDS_OF(MOVING_FULLY)] = {0};
    if (check_character(changes, slot, character, error) ||
        (motion != NULL && find_motion(changes, motion, words, error))) {
        return LMB_ERROR_ARGUMENT;
    }
    lmb_gpu_change *change = take_change(changes, &changes->slots[slot], character);
    if (change == NULL) {
        return refuse_more(changes, error);
    }
    *change = (lmb_gpu_change){.character = character,
                               .base = LMB_GPU_CHANGE_ANEW,
                               .palette = LMB_NONE,
                               .is_placed = changes->motion.count > 0};
    memcpy(change->motion, words, sizeof words);
    return LMB_OK;
}

lmb_result lmb_gpu_changes_move(lmb_gpu_changes *changes, uint32_t slot, uint32_t from, uint32_t to, lmb_error *error) {
    if (check_character(changes, slot, from, error) || check_character(changes, slot, to, error)) {
        return LMB_ERROR_ARGUMENT;
    }
    if (from == to) {
        return LMB_OK;
    }
    lmb_gpu_slot_changes *own = &changes->slots[slot];
    lmb_gpu_change *change = take_change(changes, own, to);
    if (change == NULL) {
        return refuse_more(changes, error);
    }
    const lmb_gpu_change *moved = find_change(own, from);
    *change = moved != NULL ? *moved : (lmb_gpu_change){.palette = from};
    change->character = to;
    if (change->base == LMB_GPU_CHANGE_SAME) {
        change->base = LMB_GPU_CHANGE_MOVED;
        change->index = from;
    } else if (change->base == LMB_GPU_CHANGE_MOVED && change->index == to) {
        change->base = LMB_GPU_CHANGE_SAME;
    }
    return LMB_OK;
}

lmb_result lmb_gpu_changes_restore(lmb_gpu_changes *changes, uint32_t slot, const void *bytes, size_t size,
                                   const uint32_t *characters, lmb_error *error) {
    if (check_character(changes, slot, 0, error)) {
        return LMB_ERROR_ARGUMENT;
    }
    lmb_snapshot snapshot;
    lmb_result result = lmb_snapshot_open(bytes, size, &snapshot, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_gpu_slot_changes *own = &changes->slots[slot];
    uint32_t added = 0;
    for (uint32_t i = 0; i < snapshot.character_count; i++) {
        const uint32_t character = characters != NULL ? characters[i] : i;
        if (character >= changes->character_count) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: characters[%u]: there is no character %u",
                            (unsigned)i, (unsigned)character);
        }
        added += find_change(own, character) == NULL;
    }
    if (changes->capacity == 0 || changes->restored_capacity == 0 ||
        snapshot.character_count > changes->restored_capacity - own->restored_count) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "gpu batch: a frame restores %u characters",
                        (unsigned)changes->restored_capacity);
    }
    if (added > changes->capacity - own->count) {
        return refuse_more(changes, error);
    }
    uint32_t *staging = staging_words(own);
    const lmb_character_words to = {.states = staging + restored_at(changes, LMB_GPU_KEPT_STATES),
                                    .inertia = staging + restored_at(changes, LMB_GPU_KEPT_INERTIA),
                                    .reached = staging + restored_at(changes, LMB_GPU_KEPT_REACHED),
                                    .row_count = changes->restored_capacity,
                                    .first = own->restored_count,
                                    .count = snapshot.character_count};
    result = lmb_snapshot_restore(changes->graph, bytes, size, &to, error);
    for (uint32_t i = 0; result == LMB_OK && i < snapshot.character_count; i++) {
        const uint32_t character = characters != NULL ? characters[i] : i;
        lmb_gpu_change *change = take_change(changes, own, character);
        change->base = LMB_GPU_CHANGE_RESTORED;
        change->index = own->restored_count++;
        change->is_placed = false;
    }
    return result;
}

// ---- Recording.

// Collects regions of copies between two buffers. A region that continues the last one extends it.
typedef struct copier {
    const lmb_gpu *gpu;
    VkCommandBuffer commands;
    VkBuffer from, to;
    uint32_t count;
    VkBufferCopy regions[REGIONS_AT_ONCE];
} copier;

// Bytes of a buffer.
typedef struct location {
    VkBuffer buffer;
    VkDeviceSize offset;
} location;

static void finish(copier *copier) {
    if (copier->count > 0) {
        copier->gpu->vk.CmdCopyBuffer(copier->commands, copier->from, copier->to, copier->count, copier->regions);
        copier->count = 0;
    }
}

static void copy(copier *copier, location from, location to, VkDeviceSize words) {
    const bool other = copier->from != from.buffer || copier->to != to.buffer;
    if (words == 0) {
        return;
    }
    if (other || copier->count == REGIONS_AT_ONCE) {
        finish(copier);
    }
    copier->from = from.buffer;
    copier->to = to.buffer;
    VkBufferCopy *last = copier->count > 0 ? &copier->regions[copier->count - 1] : NULL;
    if (last != NULL && last->srcOffset + last->size == from.offset && last->dstOffset + last->size == to.offset) {
        last->size += words * WORD;
    } else {
        copier->regions[copier->count++] = (VkBufferCopy){from.offset, to.offset, words * WORD};
    }
}

static location row_of(lmb_gpu_rows rows, VkDeviceSize words, uint32_t character) {
    const uint32_t span = character / rows.span_characters;
    return (location){rows.buffers[(size_t)span * rows.stride].buffer,
                      (character - span * rows.span_characters) * words * WORD};
}

static location words_after(location at, VkDeviceSize words) {
    return (location){at.buffer, at.offset + words * WORD};
}

static location scratch_row(const lmb_gpu_changes *changes, int kept, uint32_t index) {
    return (location){changes->scratch.buffer,
                      (scratch_at(changes, kept) + (VkDeviceSize)index * changes->words[kept]) * WORD};
}

static location staging_row(const lmb_gpu_slot_changes *slot, VkDeviceSize at) {
    return (location){slot->staging.buffer, at * WORD};
}

// Returns where a row's words come from.
static location source_of(const lmb_gpu_changes *changes, const lmb_gpu_slot_changes *slot, int kept, uint32_t index) {
    const lmb_gpu_change *change = &slot->changes[index];
    return change->base == LMB_GPU_CHANGE_MOVED ? scratch_row(changes, kept, index)
           : change->base == LMB_GPU_CHANGE_RESTORED
               ? staging_row(slot, restored_at(changes, kept) + (VkDeviceSize)change->index * changes->words[kept])
               : staging_row(slot, 0);
}

static void write_row(copier *copier, const lmb_gpu_changes *changes, const lmb_gpu_slot_changes *slot, int kept,
                      uint32_t index, location row) {
    const lmb_gpu_change *change = &slot->changes[index];
    const uint32_t words = changes->words[kept];
    const bool is_placed = kept == LMB_GPU_KEPT_STATES && change->is_placed;
    const lmb_word_range placed = is_placed ? changes->motion : (lmb_word_range){words, 0};
    if (change->base != LMB_GPU_CHANGE_SAME) {
        // Around the motion, so that no word is written twice.
        const location source = source_of(changes, slot, kept, index);
        const uint32_t after = placed.first + placed.count;
        copy(copier, source, row, placed.first);
        copy(copier, words_after(source, after), words_after(row, after), words - after);
    }
    if (is_placed) {
        const VkDeviceSize at = motions_at(changes) + (VkDeviceSize)index * placed.count;
        memcpy(staging_words(slot) + at, change->motion, placed.count * WORD);
        copy(copier, staging_row(slot, at), words_after(row, placed.first), placed.count);
    }
}

static bool has_rows(const lmb_gpu_changes *changes, const lmb_gpu_rows rows[LMB_GPU_KEPT_COUNT], int kept) {
    return changes->words[kept] > 0 && rows[kept].buffers != NULL;
}

// Returns the row that is copied to scratch memory for a change, or LMB_NONE.
static uint32_t moved_row(const lmb_gpu_change *change, int kept) {
    if (kept == LMB_GPU_KEPT_PALETTES) {
        return change->palette != change->character ? change->palette : LMB_NONE;
    }
    return change->base == LMB_GPU_CHANGE_MOVED ? change->index : LMB_NONE;
}

// Copies the rows that move to scratch memory. Returns whether there are some.
static bool record_moved(copier *copier, const lmb_gpu_changes *changes, const lmb_gpu_slot_changes *slot,
                         const lmb_gpu_rows rows[LMB_GPU_KEPT_COUNT]) {
    bool any = false;
    for (int kept = 0; kept < LMB_GPU_KEPT_COUNT; kept++) {
        for (uint32_t i = 0; has_rows(changes, rows, kept) && i < slot->count; i++) {
            const uint32_t row = moved_row(&slot->changes[i], kept);
            if (row != LMB_NONE) {
                any = true;
                copy(copier, row_of(rows[kept], changes->words[kept], row), scratch_row(changes, kept, i),
                     changes->words[kept]);
            }
        }
    }
    finish(copier);
    return any;
}

void lmb_gpu_changes_record_initial(const lmb_gpu_changes *changes, VkCommandBuffer commands, lmb_gpu_rows states) {
    copier copier = {.gpu = changes->gpu, .commands = commands};
    const uint32_t words = changes->motion.count;
    for (uint32_t i = 0; i < changes->character_count; i++) {
        copy(&copier, (location){changes->initial.buffer, (VkDeviceSize)i * words * WORD},
             words_after(row_of(states, changes->words[LMB_GPU_KEPT_STATES], i), changes->motion.first), words);
    }
    finish(&copier);
}

void lmb_gpu_changes_record(const lmb_gpu_changes *changes, uint32_t slot, VkCommandBuffer commands,
                            const lmb_gpu_rows rows[LMB_GPU_KEPT_COUNT]) {
    const lmb_gpu_slot_changes *own = &changes->slots[slot];
    copier copier = {.gpu = changes->gpu, .commands = commands};
    lmb_gpu_begin_label(changes->gpu, commands, "limber changes");
    if (record_moved(&copier, changes, own, rows)) {
        lmb_gpu_barrier(changes->gpu, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                        VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    }
    for (int kept = 0; kept < LMB_GPU_KEPT_PALETTES; kept++) {
        for (uint32_t i = 0; has_rows(changes, rows, kept) && i < own->count; i++) {
            write_row(&copier, changes, own, kept, i,
                      row_of(rows[kept], changes->words[kept], own->changes[i].character));
        }
    }
    finish(&copier);
    lmb_gpu_end_label(changes->gpu, commands);
}

void lmb_gpu_changes_record_palettes(const lmb_gpu_changes *changes, uint32_t slot, VkCommandBuffer commands,
                                     uint32_t character_count, lmb_gpu_rows palettes, lmb_gpu_rows previous) {
    const lmb_gpu_slot_changes *own = &changes->slots[slot];
    const uint32_t words = changes->words[LMB_GPU_KEPT_PALETTES];
    copier copier = {.gpu = changes->gpu, .commands = commands};
    lmb_gpu_begin_label(changes->gpu, commands, "limber changes");
    lmb_gpu_barrier(changes->gpu, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    for (uint32_t i = 0; i < own->count; i++) {
        const lmb_gpu_change *change = &own->changes[i];
        if (change->character < character_count && change->palette != change->character) {
            copy(&copier,
                 change->palette != LMB_NONE ? scratch_row(changes, LMB_GPU_KEPT_PALETTES, i)
                                             : row_of(palettes, words, change->character),
                 row_of(previous, words, change->character), words);
        }
    }
    finish(&copier);
    lmb_gpu_end_label(changes->gpu, commands);
}

void lmb_gpu_changes_clear(lmb_gpu_changes *changes, uint32_t slot) {
    lmb_gpu_slot_changes *own = &changes->slots[slot];
    for (uint32_t i = 0; i < own->count; i++) {
        own->found[own->changes[i].character] = 0;
    }
    own->count = 0;
    own->restored_count = 0;
}
