// A ring of places, each a buffer that the host reads. A place is taken when its frame is recorded, and free again when
// the frame was returned, lost, or overwritten. After its copies a frame writes its mark, the batch's serial of the
// frame, so that a frame whose commands never ran is not taken for one that did.
#include "readback.h"

#include "base/host.h"
#include "gpu.h"
#include "push.h"

#include "../../shaders/ops/hash.h"

#include <limber/snapshot.h>

#include <string.h>

#include "hash.spv.h"

#define ALL_CONTENTS                                                                                                   \
    (LMB_READBACK_EMITTED_BIT | LMB_READBACK_MOTIONS_BIT | LMB_READBACK_STATES_BIT | LMB_READBACK_REFUSED_BIT |        \
     LMB_READBACK_REACHED_BIT | LMB_READBACK_INERTIA_BIT | LMB_READBACK_HASHES_BIT)
#define ALIGNMENT 64u // of each part of a place

typedef enum part { EMITTED, MOTIONS, STATES, REFUSED, REACHED, INERTIA, HASHES, PART_COUNT } part;

typedef struct place {
    lmb_gpu_buffer buffer;
    lmb_gpu_recorded frame;
    uint32_t slot;
    bool completed;
} place;

struct lmb_gpu_readback {
    lmb_gpu *gpu;
    const lmb_gpu_batch *batch;
    uint32_t contents;
    uint32_t slot_count;
    VkDeviceSize offsets[PART_COUNT]; // in a place
    VkDeviceSize mark;                // offset of the mark
    VkPipeline hash;                  // or VK_NULL_HANDLE without hashes
    lmb_gpu_buffer part_hashes;       // [character][part of hashed_parts][2]; or nothing
    lmb_gpu_buffer hashes;            // [character][2]; or nothing
    uint64_t last;                    // serial of the frame that was recorded last
    uint64_t missed;
    uint64_t reported; // of `missed`, in frames returned
    uint32_t first;    // place of the oldest frame
    uint32_t taken;    // places
    uint32_t frame_count;
    place *places;
};

lmb_gpu_readback_def lmb_default_gpu_readback_def(void) {
    return (lmb_gpu_readback_def){.frame_count = 8};
}

// Returns a span of a part, of size 0 if there is none. Only words of inertialization may have several.
static lmb_gpu_span part_span(const lmb_gpu_batch *batch, uint32_t slot, part part, uint32_t index) {
    lmb_gpu_span span = {0};
    if (part == INERTIA) {
        if (index < lmb_gpu_batch_span_count(batch)) {
            lmb_gpu_batch_inertia(batch, index, &span);
        }
        return span;
    }
    return index > 0         ? span
           : part == EMITTED ? lmb_gpu_batch_emitted(batch, slot)
           : part == MOTIONS ? lmb_gpu_batch_motions(batch, slot)
           : part == STATES  ? lmb_gpu_batch_state(batch)
           : part == REACHED ? lmb_gpu_batch_reached(batch)
                             : lmb_gpu_batch_refused(batch, slot);
}

// The parts that are hashed, in their order in a character's hash.
static const part hashed_parts[] = {STATES, INERTIA, REACHED};
enum { HASHED_PARTS = sizeof hashed_parts / sizeof hashed_parts[0] };

static bool is_hashed(const lmb_gpu_batch *batch) {
    bool hashed = false;
    for (int i = 0; i < HASHED_PARTS; i++) {
        hashed = hashed || part_span(batch, 0, hashed_parts[i], 0).size > 0;
    }
    return hashed;
}

static uint32_t characters_of(const lmb_gpu_batch *batch) {
    return lmb_gpu_batch_description(batch).character_count;
}

static VkDeviceSize part_bytes(const lmb_gpu_batch *batch, part part) {
    if (part == HASHES) {
        return is_hashed(batch) ? characters_of(batch) * sizeof(uint64_t) : 0;
    }
    VkDeviceSize bytes = 0;
    lmb_gpu_span span;
    for (uint32_t i = 0; (span = part_span(batch, 0, part, i)).size > 0; i++) {
        bytes += span.size;
    }
    return bytes;
}

uint32_t lmb_gpu_readback_contents_of(const lmb_gpu_batch *batch) {
    uint32_t contents = 0;
    for (int i = 0; i < PART_COUNT; i++) {
        contents |= part_bytes(batch, (part)i) > 0 ? 1u << i : 0;
    }
    return contents;
}

lmb_gpu_readback_def lmb_gpu_readback_made_by(const lmb_gpu_readback *readback) {
    return (lmb_gpu_readback_def){readback->batch, readback->contents, readback->frame_count};
}

static bool has_part(const lmb_gpu_readback *readback, part part) {
    return readback->contents >> part & 1u;
}

static lmb_result check_def(const lmb_gpu *gpu, const lmb_gpu_readback_def *def, lmb_gpu_readback **readback,
                            lmb_error *error) {
    const char *missing = gpu == NULL          ? "the gpu"
                          : def == NULL        ? "the descriptor"
                          : readback == NULL   ? "the result"
                          : def->batch == NULL ? "the batch"
                                               : NULL;
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu readback: %s is NULL", missing);
    }
    if (lmb_gpu_check_owner(gpu, lmb_gpu_batch_gpu(def->batch), "gpu readback", "batch", error)) {
        return LMB_ERROR_ARGUMENT;
    }
    if (def->contents == 0 || (def->contents & ~ALL_CONTENTS) != 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu readback: contents 0x%x are not LMB_READBACK bits",
                        (unsigned)def->contents);
    }
    static const char *const lacks[PART_COUNT] = {"emitted events",
                                                  "character motion",
                                                  "states",
                                                  "refusal counters",
                                                  "nodes that report whether they reach their targets",
                                                  "words of inertialization",
                                                  "words that a frame continues from"};
    for (int i = 0; i < PART_COUNT; i++) {
        if ((def->contents >> i & 1u) && part_bytes(def->batch, (part)i) == 0) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu readback: the batch has no %s", lacks[i]);
        }
    }
    const uint32_t slots = lmb_gpu_batch_slot_count(def->batch);
    if (def->frame_count < slots || def->frame_count > LMB_MAX_READBACK_FRAMES) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu readback: %u frames are not %u, the batch's frame slots, to %u",
                        (unsigned)def->frame_count, (unsigned)slots, LMB_MAX_READBACK_FRAMES);
    }
    return LMB_OK;
}

// Finds the offsets of the parts. Returns the bytes of a place.
static VkDeviceSize plan_place(lmb_gpu_readback *readback) {
    VkDeviceSize size = 0;
    for (int i = 0; i < PART_COUNT; i++) {
        readback->offsets[i] = size;
        if (has_part(readback, (part)i)) {
            const VkDeviceSize bytes = part_bytes(readback->batch, (part)i);
            size += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        }
    }
    readback->mark = size;
    return size + sizeof(uint64_t);
}

static lmb_result create_places(lmb_gpu_readback *readback, lmb_error *error) {
    lmb_gpu *gpu = readback->gpu;
    const VkDeviceSize bytes = plan_place(readback);
    if (gpu->largest_allocation != 0 && bytes > gpu->largest_allocation) {
        return lmb_fail(error, LMB_ERROR_LIMIT,
                        "gpu readback: a frame takes %llu bytes, and the device allocates %llu at most",
                        (unsigned long long)bytes, (unsigned long long)gpu->largest_allocation);
    }
    lmb_gpu_maker maker = {.gpu = gpu, .error = error};
    if (has_part(readback, HASHES)) {
        const VkDeviceSize hashes = characters_of(readback->batch) * sizeof(uint64_t);
        maker.result = lmb_gpu_pipeline_create(gpu, kernel_hash, sizeof kernel_hash / sizeof kernel_hash[0],
                                               (lmb_kernel_constants){0}, "limber hash", &readback->hash, error);
        lmb_gpu_make(&maker, HASHED_PARTS * hashes, LMB_GPU_MEMORY_DEVICE, "limber part hashes",
                     &readback->part_hashes);
        lmb_gpu_make(&maker, hashes, LMB_GPU_MEMORY_DEVICE, "limber hashes", &readback->hashes);
    }
    for (uint32_t i = 0; i < readback->frame_count; i++) {
        lmb_gpu_make(&maker, bytes, LMB_GPU_MEMORY_READBACK, "limber readback", &readback->places[i].buffer);
        if (maker.result == LMB_OK) {
            memset(readback->places[i].buffer.memory.mapped, 0, (size_t)bytes);
        }
    }
    return maker.result;
}

lmb_result lmb_gpu_readback_create(lmb_gpu *gpu, const lmb_gpu_readback_def *def, lmb_gpu_readback **readback,
                                   lmb_error *error) {
    if (readback != NULL) {
        *readback = NULL;
    }
    lmb_result result = check_def(gpu, def, readback, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_gpu_readback *created = lmb_host_allocate(&gpu->host, 1, sizeof *created);
    place *places = lmb_host_allocate(&gpu->host, def->frame_count, sizeof *places);
    if (created == NULL || places == NULL) {
        lmb_host_release(&gpu->host, created);
        lmb_host_release(&gpu->host, places);
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu readback: no memory for %u frames", (unsigned)def->frame_count);
    }
    *created = (lmb_gpu_readback){.gpu = gpu,
                                  .batch = def->batch,
                                  .contents = def->contents,
                                  .slot_count = lmb_gpu_batch_slot_count(def->batch),
                                  .frame_count = def->frame_count,
                                  .places = places};
    lmb_gpu_add_child(&gpu->children, LMB_GPU_CHILD_READBACK);
    lmb_gpu_add_child(lmb_gpu_batch_children(def->batch), LMB_GPU_CHILD_READBACK);
    result = create_places(created, error);
    if (result != LMB_OK) {
        lmb_gpu_readback_destroy(created);
        return result;
    }
    *readback = created;
    return LMB_OK;
}

void lmb_gpu_readback_destroy(lmb_gpu_readback *readback) {
    if (readback == NULL) {
        return;
    }
    lmb_gpu *gpu = readback->gpu;
    lmb_gpu_remove_child(&gpu->children, LMB_GPU_CHILD_READBACK);
    lmb_gpu_remove_child(lmb_gpu_batch_children(readback->batch), LMB_GPU_CHILD_READBACK);
    for (uint32_t i = 0; i < readback->frame_count; i++) {
        lmb_gpu_buffer_destroy(gpu, &readback->places[i].buffer);
    }
    lmb_gpu_buffer_destroy(gpu, &readback->part_hashes);
    lmb_gpu_buffer_destroy(gpu, &readback->hashes);
    lmb_gpu_pipeline_release(gpu, readback->hash);
    lmb_host_release(&gpu->host, readback->places);
    lmb_host_release(&gpu->host, readback);
}

static lmb_result check_slot(const lmb_gpu_readback *readback, uint32_t slot, lmb_error *error) {
    return readback == NULL ? lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu readback: it is NULL")
                            : lmb_gpu_check_slot("gpu readback", slot, readback->slot_count, error);
}

static void free_oldest(lmb_gpu_readback *readback) {
    readback->first = (readback->first + 1) % readback->frame_count;
    readback->taken--;
}

static place *take_place(lmb_gpu_readback *readback) {
    if (readback->taken == readback->frame_count) {
        readback->missed++;
        free_oldest(readback);
    }
    return &readback->places[(readback->first + readback->taken++) % readback->frame_count];
}

// Parts that the frame has: without the control, only what poses write.
static bool copies_part(const lmb_gpu_readback *readback, const place *place, part part) {
    const bool of_control = part == EMITTED || part == MOTIONS || part == STATES;
    return has_part(readback, part) && (!of_control || place->frame.ran_control);
}

static void dispatch_hash(const lmb_gpu_readback *readback, VkCommandBuffer commands, const lmb_hash_push *push) {
    const uint32_t rows_of_group = LMB_GPU_GROUP / HASH_LANES;
    const uint64_t groups = ((uint64_t)push->rows + rows_of_group - 1) / rows_of_group;
    lmb_gpu_dispatch(readback->gpu, commands, readback->hash, push, sizeof *push, groups);
}

// Hashes the words of each part, and then the hashes of a character's parts.
static void record_hashes(const lmb_gpu_readback *readback, uint32_t slot, VkCommandBuffer commands) {
    const lmb_gpu *gpu = readback->gpu;
    const VkPipelineStageFlags copy_and_compute = VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const VkAccessFlags shader = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    const uint32_t characters = characters_of(readback->batch), words_of_hash = sizeof(uint64_t) / sizeof(uint32_t);
    lmb_gpu_barrier(gpu, commands, copy_and_compute, shader | VK_ACCESS_TRANSFER_READ_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, shader);
    for (uint32_t i = 0; i < HASHED_PARTS; i++) {
        lmb_hash_push push = {.words = readback->part_hashes.address, // not read without words
                              .hashes = readback->part_hashes.address,
                              .rows = characters,
                              .stride = HASHED_PARTS * words_of_hash,
                              .column = i * words_of_hash};
        lmb_gpu_span span = part_span(readback->batch, slot, hashed_parts[i], 0);
        if (span.size == 0) {
            dispatch_hash(readback, commands, &push);
        }
        for (uint32_t k = 0; span.size > 0; span = part_span(readback->batch, slot, hashed_parts[i], ++k)) {
            push.words = span.address;
            push.first_row = span.first_character;
            push.rows = span.character_count;
            push.row_words = (uint32_t)(span.size / sizeof(uint32_t) / span.character_count);
            dispatch_hash(readback, commands, &push);
        }
    }
    lmb_gpu_barrier(gpu, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
    const lmb_hash_push push = {.words = readback->part_hashes.address,
                                .hashes = readback->hashes.address,
                                .row_words = HASHED_PARTS * words_of_hash,
                                .rows = characters,
                                .stride = words_of_hash};
    dispatch_hash(readback, commands, &push);
    lmb_gpu_barrier(gpu, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
}

// Returns the span of a part that is copied, as part_span() does.
static lmb_gpu_span copied_span(const lmb_gpu_readback *readback, uint32_t slot, part part, uint32_t index) {
    if (part != HASHES) {
        return part_span(readback->batch, slot, part, index);
    }
    return index > 0 ? (lmb_gpu_span){0} : lmb_gpu_span_of(&readback->hashes, 0, characters_of(readback->batch));
}

// Copies the spans of a part one after another.
static void record_part(const lmb_gpu_readback *readback, const place *place, part part, VkCommandBuffer commands) {
    VkDeviceSize to = readback->offsets[part];
    lmb_gpu_span span;
    for (uint32_t i = 0; (span = copied_span(readback, place->slot, part, i)).size > 0; i++) {
        const VkBufferCopy copy = {span.offset, to, span.size};
        readback->gpu->vk.CmdCopyBuffer(commands, span.buffer, place->buffer.buffer, 1, &copy);
        to += span.size;
    }
}

static void record_copies(const lmb_gpu_readback *readback, const place *place, VkCommandBuffer commands) {
    const lmb_gpu *gpu = readback->gpu;
    lmb_gpu_begin_label(gpu, commands, "limber readback");
    lmb_gpu_barrier(gpu, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                    VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
    if (copies_part(readback, place, HASHES)) {
        record_hashes(readback, place->slot, commands);
    }
    for (int i = 0; i < PART_COUNT; i++) {
        if (copies_part(readback, place, (part)i)) {
            record_part(readback, place, (part)i, commands);
        }
    }
    gpu->vk.CmdUpdateBuffer(commands, place->buffer.buffer, readback->mark, sizeof place->frame.serial,
                            &place->frame.serial);
    lmb_gpu_barrier(gpu, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                    VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    lmb_gpu_end_label(gpu, commands);
}

lmb_result lmb_gpu_readback_record(lmb_gpu_readback *readback, uint32_t slot, VkCommandBuffer commands,
                                   lmb_error *error) {
    lmb_result result = check_slot(readback, slot, error);
    if (result != LMB_OK) {
        return result;
    }
    if (commands == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu readback: the command buffer is NULL");
    }
    const lmb_gpu_recorded frame = lmb_gpu_batch_recorded(readback->batch, slot);
    if (frame.serial <= readback->last) {
        return lmb_fail(error, LMB_ERROR_STATE, "gpu readback: %s frame slot %u %s",
                        frame.serial == 0 ? "no frame of" : "the frame of", (unsigned)slot,
                        frame.serial == 0                ? "was recorded"
                        : frame.serial == readback->last ? "is read back already"
                                                         : "was recorded before one that is read back already");
    }
    place *taken = take_place(readback);
    taken->frame = frame;
    taken->slot = slot;
    taken->completed = false;
    readback->last = frame.serial;
    record_copies(readback, taken, commands);
    return LMB_OK;
}

lmb_result lmb_gpu_readback_completed(lmb_gpu_readback *readback, uint32_t slot, lmb_error *error) {
    const lmb_result result = check_slot(readback, slot, error);
    for (uint32_t i = 0; result == LMB_OK && i < readback->taken; i++) {
        place *place = &readback->places[(readback->first + i) % readback->frame_count];
        place->completed = place->completed || place->slot == slot;
    }
    return result;
}

static const char *place_bytes(const place *place) {
    return place->buffer.memory.mapped;
}

static bool has_run(const lmb_gpu_readback *readback, const place *place) {
    return memcmp(place_bytes(place) + readback->mark, &place->frame.serial, sizeof place->frame.serial) == 0;
}

static const void *find_part(const lmb_gpu_readback *readback, const place *place, part part) {
    return copies_part(readback, place, part) ? place_bytes(place) + readback->offsets[part] : NULL;
}

bool lmb_gpu_readback_next(lmb_gpu_readback *readback, lmb_gpu_readback_frame *frame) {
    while (readback->taken > 0 && readback->places[readback->first].completed) {
        const place *oldest = &readback->places[readback->first];
        free_oldest(readback);
        if (has_run(readback, oldest)) {
            *frame = (lmb_gpu_readback_frame){.number = oldest->frame.number,
                                              .missed = (uint32_t)(readback->missed - readback->reported),
                                              .emitted = find_part(readback, oldest, EMITTED),
                                              .motions = find_part(readback, oldest, MOTIONS),
                                              .states = find_part(readback, oldest, STATES),
                                              .refused = find_part(readback, oldest, REFUSED),
                                              .reached = find_part(readback, oldest, REACHED),
                                              .inertia = find_part(readback, oldest, INERTIA),
                                              .hashes = find_part(readback, oldest, HASHES),
                                              .character_count = oldest->frame.character_count,
                                              .recorded = readback->last};
            readback->reported = readback->missed;
            return true;
        }
        readback->missed++;
    }
    return false;
}

// A snapshot only reads what is read back.
static uint32_t *words_of(const uint32_t *read_back) {
    return (uint32_t *)(uintptr_t)read_back;
}

lmb_result lmb_gpu_readback_save(const lmb_gpu_readback *readback, const lmb_gpu_readback_frame *frame,
                                 const uint32_t *characters, uint32_t count, uint64_t tag, void *bytes, size_t room,
                                 lmb_error *error) {
    if (readback == NULL || frame == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu readback: %s is NULL", readback == NULL ? "it" : "the frame");
    }
    if (frame->recorded != readback->last) {
        return lmb_fail(error, LMB_ERROR_STATE,
                        "gpu readback: the pointers of frame %u are no longer valid: a later one was recorded",
                        (unsigned)frame->number);
    }
    const lmb_batch_def batch = lmb_gpu_batch_description(readback->batch);
    const lmb_character_words from = {.states = words_of(frame->states),
                                      .inertia = words_of(frame->inertia),
                                      .reached = words_of(frame->reached),
                                      .row_count = batch.character_count,
                                      .characters = characters,
                                      .count = count};
    return lmb_snapshot_save(batch.graph, &from, tag, bytes, room, error);
}

uint64_t lmb_gpu_readback_missed(const lmb_gpu_readback *readback) {
    return readback->missed;
}
