// A batch on a device: its buffers, and the commands of a frame.
//
// Characters are divided into spans, because allocations and 32-bit indices limit how many fit into a buffer. Each
// output has a buffer for each span and frame slot; slots let several frames be in flight. The inertia buffers and the
// control's states exist once, since they go from frame to frame. A table on the device has the addresses of each span,
// and a kernel is dispatched once for each span.
//
// A frame is recorded in this order, with a barrier between two steps of which the second reads what the first wrote:
// 1. Copies: the table of spans with zeroed refusal counters, changes of characters (changes.h), parameters (unless the
//    kernels read the memory that the host writes), events. A barrier before them orders the frame after the earlier
//    use of these buffers.
// 2. The control, if the graph moves by itself: it writes parameters.
// 3. The list kernel, if the host gives a list on the device: it computes the arguments of the indirect dispatches that
//    follow, so its length need not be known while recording.
// 4. The weights: stage 1 of the graph, one invocation per character, or several in small crowds.
// 5. The poses. A specialised kernel may run all stages of the graph in one dispatch. Otherwise each pass is a
//    dispatch, because a pass reads exchange areas that earlier passes wrote for other joints.
// 6. The model matrices and what depends on them, unless step 5 ran all stages.
// 7. A barrier that makes the outputs visible to every later command of the host.
#include "gpu.h"

#include "changes.h"
#include "control.h"
#include "cpu/batch.h"
#include "profile.h"
#include "program/program.h"
#include "push.h"
#include "specialized.h"

#include "../../shaders/ops/layout.h"

#include <stddef.h>
#include <string.h>

#define MARKS 4u // marks in a frame's profile, without the one for stage 1
#define DEFAULT_SPAN_BYTES ((VkDeviceSize)256 << 20)
// Rows of the span table that one command writes.
#define ROWS_AT_ONCE 64u
// Bytes of a joint in an exchange area: three rows of four floats.
#define EXCHANGE_BYTES 48u

// What each frame writes first, the rows ROWS_AT_ONCE at a time.
typedef struct frame_table {
    uint32_t refused[LMB_REFUSAL_COUNT]; // counted by kernels
    lmb_span_row rows[ROWS_AT_ONCE];
} frame_table;

// Data of a frame slot.
typedef struct frame_slot {
    lmb_gpu_buffer staging;    // parameters that the host writes, unless it writes those below
    lmb_gpu_buffer parameters; // parameters that the kernels read
    lmb_gpu_buffer table;      // frame_table, with a row for each span
    lmb_gpu_buffer dispatch;   // written by shaders/list.comp
    VkDeviceAddress poses[LMB_MAX_POSES];
    VkDeviceAddress points;
    VkDeviceAddress transforms;
    lmb_gpu_buffer *exchanges; // [span]: exchange areas
    lmb_gpu_buffer *records;   // [span]: the results of stage 1: sources, then weights
    lmb_gpu_buffer *outputs;   // [span][output]
    lmb_gpu_recorded recorded;
} frame_slot;

struct lmb_gpu_batch {
    lmb_gpu *gpu;
    lmb_gpu_graph *graph;
    lmb_batch_def description;
    lmb_gpu_batch_def made_by; // without motions
    uint32_t slot_count;
    uint32_t span_characters; // of every span except the last
    uint32_t span_count;
    lmb_gpu_buffer *inertia;  // [span], kept from frame to frame; NULL if the graph needs none
    lmb_gpu_buffer reached;   // of all characters, kept likewise; if nodes report whether they reach their targets
    bool begun;               // the inertia buffers and `reached` have been zeroed
    lmb_gpu_control *control; // or NULL
    lmb_gpu_changes changes;
    lmb_gpu_children children;
    uint64_t frames;     // recorded so far
    uint32_t first_slot; // what a reload restored is in it, so that the first frame must be; or LMB_NONE: any
    frame_slot slots[LMB_GPU_MOST_SLOTS];
};

lmb_gpu_batch_def lmb_default_gpu_batch_def(void) {
    return (lmb_gpu_batch_def){
        .outputs = LMB_OUTPUT_PALETTE_BIT, .slot_count = 2, .events_a_frame = 1024, .changes_a_frame = 256};
}

lmb_gpu_record_info lmb_default_gpu_record_info(void) {
    return (lmb_gpu_record_info){0};
}

// Returns how many of the first `count` characters are in a span.
static uint32_t span_share(const lmb_gpu_batch *batch, uint32_t span, uint32_t count) {
    uint32_t first = span * batch->span_characters;
    uint32_t left = count > first ? count - first : 0;
    return left < batch->span_characters ? left : batch->span_characters;
}

static uint32_t span_size(const lmb_gpu_batch *batch, uint32_t span) {
    return span_share(batch, span, batch->description.character_count);
}

// Returns how many characters a frame runs.
static uint32_t running_count(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info) {
    return info->character_count != 0 ? info->character_count : batch->description.character_count;
}

static VkDeviceSize output_bytes(const lmb_gpu_batch *batch, lmb_output output) {
    return (VkDeviceSize)lmb_batch_output_floats(&batch->description, output) * sizeof(float);
}

// Returns bytes per character.
static VkDeviceSize inertia_bytes(const lmb_gpu_batch *batch) {
    return (VkDeviceSize)lmb_graph_get_info(batch->description.graph)->inertia_words * sizeof(uint32_t);
}

// Returns bytes per character.
static VkDeviceSize source_bytes(const lmb_gpu_batch *batch) {
    return (VkDeviceSize)batch->description.graph->program[FIELD(PROGRAM, sources)] * SOURCE_WORDS * sizeof(uint32_t);
}

// Returns bytes per character.
static VkDeviceSize exchange_bytes(const lmb_gpu_batch *batch) {
    const lmb_graph *graph = batch->description.graph;
    return (VkDeviceSize)graph->info.exchange_count * (graph->info.joint_count + graph->info.channel_count) *
           EXCHANGE_BYTES;
}

static VkDeviceSize record_bytes(const lmb_gpu_batch *batch) {
    return source_bytes(batch) +
           (VkDeviceSize)batch->description.graph->program[FIELD(PROGRAM, weights)] * sizeof(float);
}

// Returns whether stage 1 has any weights, sources or points to compute.
static bool has_rules(const lmb_gpu_batch *batch) {
    return lmb_gpu_has_results(batch->description.graph);
}

// Returns the bytes of a character in a pose buffer.
static VkDeviceSize pose_bytes(const lmb_gpu_batch *batch, uint32_t pose) {
    return (VkDeviceSize)batch->description.graph->pose_floats[pose] * sizeof(float);
}

// Returns whether one kernel, the specialised one of its graph, runs all stages.
static bool in_one_kernel(const lmb_gpu_batch *batch) {
    return batch->graph->shape.characters > 0;
}

// Returns whether an output has a buffer. If one kernel runs all stages, only outputs have one. Otherwise local
// transforms also have one, because the model kernel reads them, and so do model matrices if that kernel runs. If a
// graph ends with matrices, the model kernel finds local matrices in the buffer of the model matrices.
static bool keeps_output(const lmb_gpu_batch *batch, lmb_output output) {
    uint32_t outputs = batch->description.outputs;
    if (!in_one_kernel(batch)) {
        uint32_t needs_models = outputs & ~(LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_CHANNELS_BIT);
        const bool matrices = batch->description.graph->gives_matrices;
        outputs |= (matrices ? 0u : LMB_OUTPUT_LOCAL_BIT) | (needs_models || matrices ? LMB_OUTPUT_MODEL_BIT : 0u);
    }
    return outputs >> output & 1u;
}

// Returns how many invocations of stage 1 a character has.
static uint32_t weights_parts(const lmb_gpu_batch *batch) {
    return lmb_gpu_weights_parts(batch->gpu->limits, batch->description.character_count,
                                 batch->description.graph->program[FIELD(PROGRAM, sources)]);
}

static lmb_result check_def(const lmb_gpu *gpu, const lmb_gpu_batch_def *def, lmb_gpu_batch **batch, lmb_error *error) {
    if (gpu == NULL || def == NULL || batch == NULL || def->graph == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: %s is NULL",
                        gpu == NULL     ? "the gpu"
                        : def == NULL   ? "the descriptor"
                        : batch == NULL ? "the result"
                                        : "the graph");
    }
    if (lmb_gpu_check_owner(gpu, def->graph->gpu, "gpu batch", "graph", error)) {
        return LMB_ERROR_ARGUMENT;
    }
    if (def->character_count == 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: there are no characters");
    }
    if (def->slot_count == 0 || def->slot_count > LMB_GPU_MOST_SLOTS) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: %u frame slots are not 1 to %u",
                        (unsigned)def->slot_count, LMB_GPU_MOST_SLOTS);
    }
    const lmb_graph *graph = def->graph->graph;
    if (def->emits_events && lmb_graph_get_info(graph)->state_words == 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: emits_events: nothing in the graph emits events");
    }
    if (def->own_transforms && !lmb_graph_get_info(graph)->has_motion) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: own_transforms: the graph has no character motion");
    }
    uint64_t joints =
        (uint64_t)def->character_count *
        (graph->info.joint_count > graph->info.channel_count ? graph->info.joint_count : graph->info.channel_count);
    if (joints >= LMB_GPU_MOST_WORDS) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "gpu batch: %llu %s of all characters are not below 2^31",
                        (unsigned long long)joints,
                        graph->info.joint_count < graph->info.channel_count ? "channels" : "joints");
    }
    lmb_batch_def description = {def->graph->graph, def->character_count, def->outputs};
    return lmb_batch_check(&description, error);
}

// Returns the largest number of bytes per character of all buffers. Model matrices always count.
static VkDeviceSize largest_output_bytes(const lmb_gpu_batch *batch) {
    VkDeviceSize largest = output_bytes(batch, LMB_OUTPUT_MODEL);
    largest = inertia_bytes(batch) > largest ? inertia_bytes(batch) : largest;
    largest = exchange_bytes(batch) > largest ? exchange_bytes(batch) : largest;
    largest = record_bytes(batch) > largest ? record_bytes(batch) : largest;
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        VkDeviceSize bytes = output_bytes(batch, (lmb_output)output);
        largest = keeps_output(batch, (lmb_output)output) && bytes > largest ? bytes : largest;
    }
    return largest;
}

// Returns the largest size of a span.
static VkDeviceSize span_limit(const lmb_gpu *gpu, const lmb_gpu_batch_def *def) {
    const VkDeviceSize usual = def->one_span ? UINT64_MAX : DEFAULT_SPAN_BYTES;
    VkDeviceSize limit = def->span_bytes != 0 ? def->span_bytes : usual;
    if (gpu->largest_allocation != 0 && gpu->largest_allocation < limit) {
        limit = gpu->largest_allocation;
    }
    return def->binds_spans && gpu->largest_range < limit ? gpu->largest_range : limit;
}

static lmb_result plan_spans(lmb_gpu_batch *batch, const lmb_gpu_batch_def *def, lmb_error *error) {
    const lmb_gpu *gpu = batch->gpu;
    const VkDeviceSize limit = span_limit(gpu, def);
    VkDeviceSize bytes = largest_output_bytes(batch);
    bytes = bytes > 0 ? bytes : sizeof(float); // a rig without joints whose channels are not asked for
    uint64_t characters = limit / bytes;
    if (characters == 0) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "gpu batch: one character takes %llu bytes, and a span has %llu",
                        (unsigned long long)bytes, (unsigned long long)limit);
    }
    uint64_t parameters = lmb_graph_get_info(batch->description.graph)->parameter_count;
    uint64_t parameter_bytes = parameters * sizeof(float) * batch->description.character_count;
    if (gpu->largest_allocation != 0 && parameter_bytes > gpu->largest_allocation) {
        return lmb_fail(error, LMB_ERROR_LIMIT,
                        "gpu batch: the parameters take %llu bytes, and the device allocates %llu at most",
                        (unsigned long long)parameter_bytes, (unsigned long long)gpu->largest_allocation);
    }
    uint64_t words = bytes / sizeof(float) > parameters ? bytes / sizeof(float) : parameters;
    for (uint32_t i = 0; i < lmb_graph_get_info(batch->description.graph)->pose_count; i++) {
        words = pose_bytes(batch, i) / sizeof(float) > words ? pose_bytes(batch, i) / sizeof(float) : words;
    }
    const uint64_t points = batch->description.graph->program[FIELD(PROGRAM, point_floats)];
    words = points > words ? points : words;
    words = batch->description.graph->info.uses_transforms && words < MATRIX_COMPONENTS ? MATRIX_COMPONENTS : words;
    uint64_t addressable = (LMB_GPU_MOST_WORDS - 1) / words;
    characters = characters < addressable ? characters : addressable;
    uint32_t count = batch->description.character_count;
    batch->span_characters = characters < count ? (uint32_t)characters : count;
    batch->span_count = (count - 1) / batch->span_characters + 1;
    if (def->one_span && batch->span_count > 1) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "gpu batch: one_span: a span has room for %u characters instead of %u",
                        (unsigned)batch->span_characters, (unsigned)count);
    }
    return LMB_OK;
}

// Checks that a descriptor can bind what is always in one span.
static lmb_result check_ranges(const lmb_gpu_batch *batch, lmb_error *error) {
    const struct {
        const char *name;
        VkDeviceSize size;
    } spans[] = {{"the states", lmb_gpu_control_state(batch->control).size},
                 {"the motions", lmb_gpu_control_motions(batch->control, 0).size},
                 {"the matrices", lmb_gpu_control_matrices(batch->control, 0).size},
                 {"the emitted events", lmb_gpu_control_emitted(batch->control, 0).size},
                 {"the reached targets", batch->reached.size}};
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
        if (spans[i].size > batch->gpu->largest_range) {
            return lmb_fail(error, LMB_ERROR_LIMIT,
                            "gpu batch: binds_spans: %s take %llu bytes, and a descriptor binds %llu at most",
                            spans[i].name, (unsigned long long)spans[i].size,
                            (unsigned long long)batch->gpu->largest_range);
        }
    }
    return LMB_OK;
}

// Makes the parameters of a slot: in mapped memory of the device if it has some to spare, else in two buffers, of which
// each frame copies one to the other. A control overwrites what the host wrote, so it needs two as well.
static void make_parameters(const lmb_gpu_batch *batch, lmb_gpu_maker *maker, frame_slot *slot) {
    const lmb_graph *graph = batch->description.graph;
    const VkDeviceSize bytes =
        (VkDeviceSize)batch->description.character_count * lmb_graph_get_info(graph)->parameter_count * sizeof(float);
    lmb_error ignored;
    const bool direct = maker->result == LMB_OK && bytes > 0 && lmb_graph_get_info(graph)->state_words == 0 &&
                        lmb_gpu_buffer_create(batch->gpu, bytes, LMB_GPU_MEMORY_DIRECT, "limber parameters",
                                              &slot->parameters, &ignored) == LMB_OK;
    if (!direct) {
        lmb_gpu_make(maker, bytes, LMB_GPU_MEMORY_UPLOAD, "limber parameters staging", &slot->staging);
        lmb_gpu_make(maker, bytes, LMB_GPU_MEMORY_DEVICE, "limber parameters", &slot->parameters);
    }
}

// Returns where a span's row is in the table of a slot.
static VkDeviceSize rows_offset(uint32_t span) {
    return offsetof(frame_table, rows) + (VkDeviceSize)span * sizeof(lmb_span_row);
}

static lmb_result create_slot(lmb_gpu_batch *batch, frame_slot *slot, lmb_error *error) {
    lmb_gpu *gpu = batch->gpu;
    slot->outputs = lmb_host_allocate(&gpu->host, batch->span_count, LMB_OUTPUT_COUNT * sizeof *slot->outputs);
    slot->exchanges = lmb_host_allocate(&gpu->host, batch->span_count, sizeof *slot->exchanges);
    slot->records = lmb_host_allocate(&gpu->host, batch->span_count, sizeof *slot->records);
    if (slot->outputs == NULL || slot->exchanges == NULL || slot->records == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu batch: no memory for %u spans", (unsigned)batch->span_count);
    }
    static const char *const names[LMB_OUTPUT_COUNT] = {
        "limber local",  "limber model",   "limber palette", "limber previous palette", "limber dual quaternions",
        "limber bounds", "limber sockets", "limber channels"};
    lmb_gpu_maker maker = {.gpu = gpu, .error = error};
    lmb_gpu_make(&maker, rows_offset(batch->span_count), LMB_GPU_MEMORY_DEVICE, "limber spans", &slot->table);
    lmb_gpu_make(&maker, WORDS_OF(DISPATCH) * sizeof(uint32_t), LMB_GPU_MEMORY_DEVICE, "limber dispatch",
                 &slot->dispatch);
    make_parameters(batch, &maker, slot);
    for (uint32_t span = 0; span < batch->span_count; span++) {
        lmb_gpu_make(&maker, batch->span_characters * exchange_bytes(batch), LMB_GPU_MEMORY_DEVICE,
                     "limber exchange areas", &slot->exchanges[span]);
        lmb_gpu_make(&maker, has_rules(batch) ? batch->span_characters * record_bytes(batch) : 0, LMB_GPU_MEMORY_DEVICE,
                     "limber weights", &slot->records[span]);
    }
    for (uint32_t i = 0; i < batch->span_count * LMB_OUTPUT_COUNT; i++) {
        const lmb_output output = (lmb_output)(i % LMB_OUTPUT_COUNT);
        const VkDeviceSize bytes = keeps_output(batch, output) ? output_bytes(batch, output) : 0;
        lmb_gpu_make(&maker, span_size(batch, i / LMB_OUTPUT_COUNT) * bytes, LMB_GPU_MEMORY_DEVICE, names[output],
                     &slot->outputs[i]);
    }
    return maker.result;
}

static lmb_result create_inertia(lmb_gpu_batch *batch, lmb_error *error) {
    lmb_gpu *gpu = batch->gpu;
    const VkDeviceSize bytes = inertia_bytes(batch);
    if (bytes == 0) {
        return LMB_OK;
    }
    batch->inertia = lmb_host_allocate(&gpu->host, batch->span_count, sizeof *batch->inertia);
    if (batch->inertia == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu batch: no memory for %u spans", (unsigned)batch->span_count);
    }
    lmb_gpu_maker maker = {.gpu = gpu, .error = error};
    for (uint32_t span = 0; span < batch->span_count; span++) {
        lmb_gpu_make(&maker, span_size(batch, span) * bytes, LMB_GPU_MEMORY_DEVICE, "limber inertia",
                     &batch->inertia[span]);
    }
    return maker.result;
}

static lmb_result create_reached(lmb_gpu_batch *batch, lmb_error *error) {
    lmb_gpu_maker maker = {.gpu = batch->gpu, .error = error};
    const VkDeviceSize words =
        (VkDeviceSize)batch->description.character_count * batch->description.graph->info.reached_count;
    lmb_gpu_make(&maker, words * sizeof(uint32_t), LMB_GPU_MEMORY_DEVICE, "limber reached", &batch->reached);
    return maker.result;
}

static lmb_result create_control(lmb_gpu_batch *batch, const lmb_gpu_batch_def *def, lmb_error *error) {
    const lmb_gpu_control_def control = {.control = batch->description.graph->control,
                                         .graph = batch->graph,
                                         .character_count = batch->description.character_count,
                                         .slot_count = batch->slot_count,
                                         .events_a_frame = def->events_a_frame,
                                         .emits_events = def->emits_events,
                                         .writes_matrices = def->own_transforms};
    return control.control != NULL ? lmb_gpu_control_create(batch->gpu, &control, &batch->control, error) : LMB_OK;
}

static bool has_previous_palettes(const lmb_gpu_batch *batch) {
    return (batch->description.outputs & LMB_OUTPUT_PREVIOUS_PALETTE_BIT) != 0;
}

static lmb_result create_changes(lmb_gpu_batch *batch, const lmb_gpu_batch_def *def, lmb_error *error) {
    const VkDeviceSize palette = output_bytes(batch, LMB_OUTPUT_PALETTE) / sizeof(uint32_t);
    const lmb_gpu_changes_def changes = {.graph = batch->description.graph,
                                         .character_count = batch->description.character_count,
                                         .slot_count = batch->slot_count,
                                         .changes_a_frame = def->changes_a_frame,
                                         .restored_a_frame = def->restored_a_frame,
                                         .motions = def->motions,
                                         .palette_words = has_previous_palettes(batch) ? (uint32_t)palette : 0};
    return lmb_gpu_changes_create(batch->gpu, &changes, &batch->changes, error);
}

lmb_result lmb_gpu_batch_create(lmb_gpu *gpu, const lmb_gpu_batch_def *def, lmb_gpu_batch **batch, lmb_error *error) {
    if (batch != NULL) {
        *batch = NULL;
    }
    lmb_result result = check_def(gpu, def, batch, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_gpu_batch *created = lmb_host_allocate(&gpu->host, 1, sizeof *created);
    if (created == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu batch: no memory");
    }
    created->gpu = gpu;
    created->graph = def->graph;
    lmb_gpu_add_child(&gpu->children, LMB_GPU_CHILD_BATCH);
    lmb_gpu_add_child(&def->graph->children, LMB_GPU_CHILD_BATCH);
    created->description = (lmb_batch_def){def->graph->graph, def->character_count, def->outputs};
    created->made_by = *def;
    created->made_by.motions = NULL; // the host's memory
    created->slot_count = def->slot_count;
    created->first_slot = LMB_NONE;
    result = plan_spans(created, def, error);
    if (result == LMB_OK) {
        result = create_inertia(created, error);
    }
    if (result == LMB_OK) {
        result = create_reached(created, error);
    }
    for (uint32_t i = 0; i < def->slot_count && result == LMB_OK; i++) {
        result = create_slot(created, &created->slots[i], error);
    }
    if (result == LMB_OK) {
        result = create_control(created, def, error);
    }
    if (result == LMB_OK && def->binds_spans) {
        result = check_ranges(created, error);
    }
    if (result == LMB_OK) {
        result = create_changes(created, def, error);
    }
    if (result != LMB_OK) {
        lmb_gpu_batch_destroy(created);
        return result;
    }
    *batch = created;
    return LMB_OK;
}

// Calls a function with each of the batch's own buffers, those that do not exist included.
static void visit_buffers(lmb_gpu_batch *batch, lmb_gpu_buffer_visitor *visit, void *user) {
    for (uint32_t i = 0; i < batch->slot_count; i++) {
        frame_slot *slot = &batch->slots[i];
        visit(user, &slot->staging);
        visit(user, &slot->parameters);
        visit(user, &slot->table);
        visit(user, &slot->dispatch);
        for (uint32_t j = 0; slot->exchanges != NULL && j < batch->span_count; j++) {
            visit(user, &slot->exchanges[j]);
        }
        for (uint32_t j = 0; slot->records != NULL && j < batch->span_count; j++) {
            visit(user, &slot->records[j]);
        }
        for (uint32_t j = 0; slot->outputs != NULL && j < batch->span_count * LMB_OUTPUT_COUNT; j++) {
            visit(user, &slot->outputs[j]);
        }
    }
    for (uint32_t i = 0; batch->inertia != NULL && i < batch->span_count; i++) {
        visit(user, &batch->inertia[i]);
    }
    visit(user, &batch->reached);
}

void lmb_gpu_batch_destroy(lmb_gpu_batch *batch) {
    if (batch == NULL || !lmb_gpu_is_childless(batch->gpu, &batch->children, "gpu batch")) {
        return;
    }
    lmb_gpu *gpu = batch->gpu;
    lmb_gpu_remove_child(&gpu->children, LMB_GPU_CHILD_BATCH);
    lmb_gpu_remove_child(&batch->graph->children, LMB_GPU_CHILD_BATCH);
    lmb_gpu_control_destroy(batch->control);
    lmb_gpu_changes_destroy(&batch->changes);
    visit_buffers(batch, lmb_gpu_buffer_destroy_visited, gpu);
    for (uint32_t i = 0; i < batch->slot_count; i++) {
        lmb_host_release(&gpu->host, batch->slots[i].outputs);
        lmb_host_release(&gpu->host, batch->slots[i].exchanges);
        lmb_host_release(&gpu->host, batch->slots[i].records);
    }
    lmb_host_release(&gpu->host, batch->inertia);
    lmb_host_release(&gpu->host, batch);
}

lmb_batch_def lmb_gpu_batch_description(const lmb_gpu_batch *batch) {
    return batch->description;
}

lmb_gpu_batch_def lmb_gpu_batch_made_by(const lmb_gpu_batch *batch) {
    return batch->made_by;
}

lmb_gpu *lmb_gpu_batch_gpu(const lmb_gpu_batch *batch) {
    return batch->gpu;
}

lmb_gpu_children *lmb_gpu_batch_children(const lmb_gpu_batch *batch) {
    return &((lmb_gpu_batch *)(uintptr_t)batch)->children; // no batch is a constant object
}

uint32_t lmb_gpu_batch_slot_count(const lmb_gpu_batch *batch) {
    return batch->slot_count;
}

lmb_gpu_recorded lmb_gpu_batch_recorded(const lmb_gpu_batch *batch, uint32_t slot) {
    return batch->slots[slot].recorded;
}

void lmb_gpu_batch_set_control(lmb_gpu_batch *batch, lmb_gpu_control *control) {
    batch->control = control;
}

static lmb_result refuse_null(lmb_error *error) {
    return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: it is NULL");
}

lmb_result lmb_gpu_batch_send(lmb_gpu_batch *batch, uint32_t slot, uint32_t character, uint32_t event,
                              lmb_error *error) {
    return batch == NULL ? refuse_null(error) : lmb_gpu_control_send(batch->control, slot, character, event, error);
}

lmb_result lmb_gpu_batch_place(lmb_gpu_batch *batch, uint32_t slot, uint32_t character, const lmb_motion *motion,
                               lmb_error *error) {
    return batch == NULL ? refuse_null(error) : lmb_gpu_changes_place(&batch->changes, slot, character, motion, error);
}

lmb_result lmb_gpu_batch_respawn(lmb_gpu_batch *batch, uint32_t slot, uint32_t character, const lmb_motion *motion,
                                 lmb_error *error) {
    return batch == NULL ? refuse_null(error)
                         : lmb_gpu_changes_respawn(&batch->changes, slot, character, motion, error);
}

lmb_result lmb_gpu_batch_move(lmb_gpu_batch *batch, uint32_t slot, uint32_t from, uint32_t to, lmb_error *error) {
    return batch == NULL ? refuse_null(error) : lmb_gpu_changes_move(&batch->changes, slot, from, to, error);
}

lmb_result lmb_gpu_batch_restore(lmb_gpu_batch *batch, uint32_t slot, const void *bytes, size_t size,
                                 const uint32_t *characters, lmb_error *error) {
    return batch == NULL ? refuse_null(error)
                         : lmb_gpu_changes_restore(&batch->changes, slot, bytes, size, characters, error);
}

void lmb_gpu_batch_begin_with(lmb_gpu_batch *batch, uint32_t slot) {
    batch->first_slot = slot;
}

lmb_gpu_span lmb_gpu_batch_state(const lmb_gpu_batch *batch) {
    return lmb_gpu_control_state(batch->control);
}

// Returns whether something is one of `count`. If not, logs that: a host that uses a zero span would end in the driver.
static bool exists(const lmb_gpu_batch *batch, const char *what, uint32_t index, uint32_t count) {
    if (index >= count) {
        lmb_host_log(&batch->gpu->host, LMB_LOG_ERROR, "gpu batch: there is no %s %u: there are %u", what,
                     (unsigned)index, (unsigned)count);
    }
    return index < count;
}

static bool has_slot(const lmb_gpu_batch *batch, uint32_t slot) {
    return exists(batch, "frame slot", slot, batch->slot_count);
}

lmb_gpu_span lmb_gpu_batch_emitted(const lmb_gpu_batch *batch, uint32_t slot) {
    return has_slot(batch, slot) ? lmb_gpu_control_emitted(batch->control, slot) : (lmb_gpu_span){0};
}

lmb_gpu_span lmb_gpu_batch_motions(const lmb_gpu_batch *batch, uint32_t slot) {
    return has_slot(batch, slot) ? lmb_gpu_control_motions(batch->control, slot) : (lmb_gpu_span){0};
}

lmb_gpu_span lmb_gpu_batch_matrices(const lmb_gpu_batch *batch, uint32_t slot) {
    if (!has_slot(batch, slot)) {
        return (lmb_gpu_span){0};
    }
    const lmb_gpu_span span = lmb_gpu_control_matrices(batch->control, slot);
    if (span.size == 0) {
        lmb_host_log(&batch->gpu->host, LMB_LOG_ERROR,
                     "gpu batch: there are no matrices: own_transforms was not asked for, or the graph has no motion");
    }
    return span;
}

static float *slot_parameters(const frame_slot *slot) {
    return slot->staging.buffer != VK_NULL_HANDLE ? slot->staging.memory.mapped : slot->parameters.memory.mapped;
}

float *lmb_gpu_batch_parameters(lmb_gpu_batch *batch, uint32_t slot) {
    return has_slot(batch, slot) ? slot_parameters(&batch->slots[slot]) : NULL;
}

static lmb_result check_slot(const lmb_gpu_batch *batch, uint32_t slot, lmb_error *error) {
    return batch == NULL ? lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: it is NULL")
                         : lmb_gpu_check_slot("gpu batch", slot, batch->slot_count, error);
}

lmb_result lmb_gpu_batch_write_parameters(lmb_gpu_batch *batch, uint32_t slot, uint32_t first, uint32_t count,
                                          const float *rows, uint32_t length, lmb_error *error) {
    if (check_slot(batch, slot, error)) {
        return LMB_ERROR_ARGUMENT;
    }
    const uint32_t characters = batch->description.character_count;
    const uint32_t expected = lmb_graph_get_info(batch->description.graph)->parameter_count;
    if (first > characters || count > characters - first) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: parameters of characters %u to %llu: there are %u",
                        (unsigned)first, (unsigned long long)first + count, (unsigned)characters);
    }
    if (length != expected || (rows == NULL && count > 0 && length > 0)) {
        return length == expected
                   ? lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: the parameters are NULL")
                   : lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: a row has %u parameters, and the graph has %u",
                              (unsigned)length, (unsigned)expected);
    }
    if (count > 0 && length > 0) {
        memcpy(slot_parameters(&batch->slots[slot]) + (size_t)first * length, rows,
               (size_t)count * length * sizeof *rows);
    }
    return LMB_OK;
}

lmb_result lmb_gpu_batch_bind_pose(lmb_gpu_batch *batch, uint32_t slot, uint32_t pose, VkDeviceAddress address,
                                   lmb_error *error) {
    if (check_slot(batch, slot, error)) {
        return LMB_ERROR_ARGUMENT;
    }
    const uint32_t count = lmb_graph_get_info(batch->description.graph)->pose_count;
    if (pose >= count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: there is no pose buffer %u: the graph has %u",
                        (unsigned)pose, (unsigned)count);
    }
    if (address == 0 || address % 4 != 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: the address of pose buffer %u is %s", (unsigned)pose,
                        address == 0 ? "0" : "not a multiple of 4");
    }
    batch->slots[slot].poses[pose] = address;
    return LMB_OK;
}

// Binds an address of host memory to a frame slot. Rows of four floats must not cross a multiple of 16 bytes.
static lmb_result bind_rows(lmb_gpu_batch *batch, uint32_t slot, bool points, VkDeviceAddress bound, lmb_error *error) {
    if (check_slot(batch, slot, error)) {
        return LMB_ERROR_ARGUMENT;
    }
    const lmb_graph *graph = batch->description.graph;
    if (points ? lmb_graph_get_info(graph)->point_count == 0 : !lmb_graph_get_info(graph)->uses_transforms) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: the graph has no %s",
                        points ? "points" : "points in world space");
    }
    if (bound == 0 || bound % 16 != 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: the address of the %s is %s",
                        points ? "points" : "world transforms", bound == 0 ? "0" : "not a multiple of 16");
    }
    *(points ? &batch->slots[slot].points : &batch->slots[slot].transforms) = bound;
    return LMB_OK;
}

lmb_result lmb_gpu_batch_bind_points(lmb_gpu_batch *batch, uint32_t slot, VkDeviceAddress points, lmb_error *error) {
    return bind_rows(batch, slot, true, points, error);
}

lmb_result lmb_gpu_batch_bind_transforms(lmb_gpu_batch *batch, uint32_t slot, VkDeviceAddress transforms,
                                         lmb_error *error) {
    return bind_rows(batch, slot, false, transforms, error);
}

static bool runs_control(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info) {
    return batch->control != NULL && !info->poses_alone;
}

static bool has_control_stage(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info) {
    return runs_control(batch, info) || has_rules(batch);
}

// Returns the world transforms of a frame: those that the host bound, or those that its control writes; or 0.
static VkDeviceAddress find_transforms(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info) {
    const VkDeviceAddress bound = batch->slots[info->slot].transforms;
    return bound != 0 || !runs_control(batch, info) ? bound
                                                    : lmb_gpu_control_matrices(batch->control, info->slot).address;
}

static lmb_result check_record(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info, lmb_error *error) {
    if (batch == NULL || info == NULL || info->commands == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: %s is NULL",
                        batch == NULL  ? "it"
                        : info == NULL ? "the record info"
                                       : "the command buffer");
    }
    if (lmb_gpu_check_slot("gpu batch", info->slot, batch->slot_count, error)) {
        return LMB_ERROR_ARGUMENT;
    }
    if (batch->frames == 0 && batch->first_slot != LMB_NONE && info->slot != batch->first_slot) {
        return lmb_fail(error, LMB_ERROR_STATE,
                        "gpu batch: frame slot %u: the reloaded characters wait in frame slot %u, which must be first "
                        "(lmb_gpu_reload_def.slot)",
                        (unsigned)info->slot, (unsigned)batch->first_slot);
    }
    if (info->has_previous_slot && info->previous_slot >= batch->slot_count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: frame slot %u of the previous palette is not one of %u",
                        (unsigned)info->previous_slot, (unsigned)batch->slot_count);
    }
    if (info->has_previous_slot && batch->slots[info->previous_slot].recorded.serial == 0) {
        return lmb_fail(error, LMB_ERROR_STATE, "gpu batch: frame slot %u of the previous palette was never recorded",
                        (unsigned)info->previous_slot);
    }
    if (info->character_count > batch->description.character_count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: %u characters are more than the %u of the batch",
                        (unsigned)info->character_count, (unsigned)batch->description.character_count);
    }
    if (info->list != 0 && (info->list % 4 != 0 || info->list_count == 0 || info->list_count % 4 != 0)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: the address of %s is 0 or not a multiple of 4",
                        info->list % 4 != 0 ? "the list" : "the list's count");
    }
    if (info->list != 0 && info->list_capacity > batch->description.character_count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: a list of %u is longer than a batch of %u characters",
                        (unsigned)info->list_capacity, (unsigned)batch->description.character_count);
    }
    if (lmb_gpu_check_probe(batch->gpu, "gpu batch", error)) {
        return LMB_ERROR_STATE;
    }
    if (lmb_gpu_check_upload(batch->graph, "gpu batch", error)) {
        return LMB_ERROR_STATE;
    }
    for (uint32_t i = 0; i < lmb_graph_get_info(batch->description.graph)->pose_count; i++) {
        if (batch->slots[info->slot].poses[i] == 0) {
            return lmb_fail(error, LMB_ERROR_STATE, "gpu batch: pose buffer %u of frame slot %u is not bound",
                            (unsigned)i, (unsigned)info->slot);
        }
    }
    const lmb_graph *graph = batch->description.graph;
    const frame_slot *slot = &batch->slots[info->slot];
    if ((graph->info.point_count > 0 && slot->points == 0) ||
        (graph->info.uses_transforms && find_transforms(batch, info) == 0)) {
        return lmb_fail(error, LMB_ERROR_STATE, "gpu batch: the %s of frame slot %u are not bound",
                        graph->info.point_count > 0 && slot->points == 0 ? "points" : "world transforms",
                        (unsigned)info->slot);
    }
    if (runs_control(batch, info) && info->step > LMB_MAX_STEP_TICKS) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: a step of %llu ticks is longer than 60 s",
                        (unsigned long long)info->step);
    }
    return lmb_gpu_profile_check(info->profile, batch->gpu, info->slot, MARKS + has_control_stage(batch, info), error);
}

static void mark(const lmb_gpu_record_info *info, uint32_t stage) {
    lmb_gpu_profile_write(info->profile, info->slot, info->commands, stage);
}

static lmb_span_row find_row(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info, uint32_t span) {
    const frame_slot *slot = &batch->slots[info->slot];
    const frame_slot *named = info->has_previous_slot ? &batch->slots[info->previous_slot] : slot;
    const lmb_graph *graph = batch->description.graph;
    uint64_t first = (uint64_t)span * batch->span_characters;
    lmb_span_row row = {.parameters = slot->parameters.address + first * graph->info.parameter_count * sizeof(float),
                        .named_palette = named->outputs[span * LMB_OUTPUT_COUNT + LMB_OUTPUT_PALETTE].address};
    for (uint32_t output = 0; output < LMB_OUTPUT_COUNT; output++) {
        row.outputs[output] = slot->outputs[span * LMB_OUTPUT_COUNT + output].address;
        row.rows[output] = row.outputs[output];
    }
    row.dual_quaternions = row.outputs[LMB_OUTPUT_DUAL_QUATERNIONS];
    row.named_rows = row.named_palette;
    for (uint32_t i = 0; i < graph->info.pose_count; i++) {
        row.poses[i] = slot->poses[i] + first * pose_bytes(batch, i);
    }
    if (graph->info.point_count > 0) {
        row.points = slot->points + first * graph->program[FIELD(PROGRAM, point_floats)] * sizeof(float);
    }
    if (graph->info.uses_transforms) {
        row.transforms = find_transforms(batch, info) + first * MATRIX_COMPONENTS * sizeof(float);
    }
    if (batch->inertia != NULL) {
        row.inertia = batch->inertia[span].address;
    }
    if (graph->info.reached_count > 0) {
        row.reached = batch->reached.address + first * graph->info.reached_count * sizeof(uint32_t);
    }
    return row;
}

// Zeroes the refusal counters and writes the rows. These are stored in the commands, so a pose that is bound later does
// not change what was recorded.
static void record_table(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info) {
    frame_table table = {0};
    for (uint32_t first = 0; first < batch->span_count; first += ROWS_AT_ONCE) {
        const uint32_t left = batch->span_count - first;
        const uint32_t count = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
        for (uint32_t i = 0; i < count; i++) {
            table.rows[i] = find_row(batch, info, first + i);
        }
        const VkDeviceSize begin = first == 0 ? 0 : rows_offset(first), end = rows_offset(first + count);
        batch->gpu->vk.CmdUpdateBuffer(info->commands, batch->slots[info->slot].table.buffer, begin, end - begin,
                                       first == 0 ? (const void *)&table : table.rows);
    }
}

// Zeroes what is kept from frame to frame once, before the first frame. Returns whether it has recorded that.
static bool record_beginning(lmb_gpu_batch *batch, const lmb_gpu_record_info *info) {
    const bool begins = !batch->begun;
    for (uint32_t i = 0; batch->inertia != NULL && begins && i < batch->span_count; i++) {
        batch->gpu->vk.CmdFillBuffer(info->commands, batch->inertia[i].buffer, 0, batch->inertia[i].size, 0);
    }
    if (begins && batch->reached.buffer != VK_NULL_HANDLE) {
        batch->gpu->vk.CmdFillBuffer(info->commands, batch->reached.buffer, 0, batch->reached.size, 0);
    }
    batch->begun = true;
    return begins;
}

static bool has_changes(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info) {
    return batch->changes.slots[info->slot].count > 0;
}

// Returns whether the frame changes previous palettes, which are those of another frame.
static bool changes_palettes(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info) {
    return has_changes(batch, info) && info->has_previous_slot && has_previous_palettes(batch) &&
           output_bytes(batch, LMB_OUTPUT_PALETTE) > 0;
}

static lmb_gpu_rows output_rows(const lmb_gpu_batch *batch, uint32_t slot, lmb_output output) {
    return (lmb_gpu_rows){batch->slots[slot].outputs + output, LMB_OUTPUT_COUNT, batch->span_characters};
}

// Orders copies after those that wrote the same memory.
static void record_copy_barrier(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info) {
    lmb_gpu_barrier(batch->gpu, info->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                    VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
}

// Zeroes what begins, and then changes characters.
static void record_changes(lmb_gpu_batch *batch, const lmb_gpu_record_info *info) {
    lmb_gpu_rows rows[LMB_GPU_KEPT_COUNT] = {
        [LMB_GPU_KEPT_INERTIA] = {batch->inertia, 1, batch->span_characters},
        [LMB_GPU_KEPT_REACHED] = {&batch->reached, 1, batch->description.character_count},
    };
    bool filled = record_beginning(batch, info);
    if (batch->control != NULL && (runs_control(batch, info) || has_changes(batch, info))) {
        rows[LMB_GPU_KEPT_STATES] =
            (lmb_gpu_rows){lmb_gpu_control_states(batch->control), 1, batch->description.character_count};
        if (lmb_gpu_control_record_beginning(batch->control, info->commands)) {
            filled = true;
            if (batch->changes.initial.buffer != VK_NULL_HANDLE) {
                record_copy_barrier(batch, info);
                lmb_gpu_changes_record_initial(&batch->changes, info->commands, rows[LMB_GPU_KEPT_STATES]);
            }
        }
    }
    if (has_changes(batch, info)) {
        if (filled) {
            record_copy_barrier(batch, info);
        }
        if (changes_palettes(batch, info)) {
            rows[LMB_GPU_KEPT_PALETTES] = output_rows(batch, info->previous_slot, LMB_OUTPUT_PALETTE);
        }
        lmb_gpu_changes_record(&batch->changes, info->slot, info->commands, rows);
    }
}

static void record_parameters(lmb_gpu_batch *batch, const lmb_gpu_record_info *info) {
    const frame_slot *slot = &batch->slots[info->slot];
    VkCommandBuffer commands = info->commands;
    const lmb_gpu *gpu = batch->gpu;
    const VkPipelineStageFlags copy_and_compute = VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    lmb_gpu_begin_label(gpu, commands, "limber parameters");
    lmb_gpu_barrier(gpu, commands, copy_and_compute | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                    VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT, copy_and_compute,
                    VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_READ_BIT |
                        VK_ACCESS_SHADER_WRITE_BIT);
    record_table(batch, info);
    record_changes(batch, info);
    if (slot->staging.buffer != VK_NULL_HANDLE) {
        const VkDeviceSize row = slot->parameters.size / batch->description.character_count;
        VkBufferCopy copy = {.size = running_count(batch, info) * row};
        gpu->vk.CmdCopyBuffer(commands, slot->staging.buffer, slot->parameters.buffer, 1, &copy);
    }
    if (runs_control(batch, info)) {
        lmb_gpu_control_record_copies(batch->control, info);
    }
    lmb_gpu_barrier(gpu, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    lmb_gpu_end_label(gpu, commands);
}

static uint64_t groups_for(uint64_t count, uint32_t of_each) {
    return (count + of_each - 1) / of_each;
}

// The work of a kernel: a character consists of `parts` items (1, or one per joint), and a workgroup takes `items`.
typedef struct share {
    uint32_t items;
    uint32_t parts;
    uint32_t rows; // if above 1: so many rows of the grid, each of all characters
} share;

// Dispatches a kernel once for each span. If there is a list, `offset` is the word of the kernel's dispatch arguments.
static void record_kernel(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info, VkPipeline pipeline, share share,
                          uint32_t offset, uint32_t pass) {
    const frame_slot *slot = &batch->slots[info->slot];
    const lmb_graph *graph = batch->description.graph;
    const bool has_list = info->list != 0;
    const uint32_t count = running_count(batch, info);
    for (uint32_t span = 0; span < batch->span_count && span_share(batch, span, count) > 0; span++) {
        const VkDeviceAddress sources = slot->records[span].address;
        const VkDeviceAddress weights = sources != 0 ? sources + batch->span_characters * source_bytes(batch) : 0;
        const lmb_batch_push push = {.program = batch->graph->buffer.address,
                                     .span = slot->table.address + rows_offset(span),
                                     .refused = slot->table.address,
                                     .list = info->list,
                                     .dispatch = slot->dispatch.address,
                                     .sources = sources,
                                     .weights = weights,
                                     .exchange = slot->exchanges[span].address,
                                     .characters = count,
                                     .first = span * batch->span_characters,
                                     .span_characters = batch->span_characters,
                                     .outputs = batch->description.outputs,
                                     .has_named = info->has_previous_slot,
                                     .has_list = has_list,
                                     .pass = pass,
                                     .exchanged = graph->info.joint_count + graph->info.channel_count,
                                     .wide_program = batch->graph->buffer.address};
        if (has_list) {
            lmb_gpu_dispatch_indirect(batch->gpu, info->commands, pipeline, &push, sizeof push, slot->dispatch.buffer,
                                      offset * sizeof(uint32_t));
        } else if (share.rows > 1) {
            lmb_gpu_dispatch_rows(batch->gpu, info->commands, pipeline, &push, sizeof push,
                                  (uint32_t)groups_for(span_share(batch, span, count), share.items), share.rows);
        } else {
            lmb_gpu_dispatch(batch->gpu, info->commands, pipeline, &push, sizeof push,
                             groups_for((uint64_t)span_share(batch, span, count) * share.parts, share.items));
        }
    }
}

// The work of the pose kernel.
static share first_share(const lmb_gpu_batch *batch) {
    const lmb_gpu_graph *graph = batch->graph;
    return graph->shape.characters > 0 ? (share){graph->shape.characters, 1, 1}
                                       : (share){LMB_GPU_GROUP, graph->graph->info.joint_count, 1};
}

// Computes how many workgroups the listed characters need.
static void record_list(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info) {
    const frame_slot *slot = &batch->slots[info->slot];
    const share first = first_share(batch);
    const lmb_list_push push = {.list_count = info->list_count,
                                .dispatch = slot->dispatch.address,
                                .refused = slot->table.address,
                                .capacity = info->list_capacity,
                                .first_items = first.items,
                                .first_joint_maps = first.parts,
                                .character_items = LMB_GPU_GROUP,
                                .channels = batch->description.graph->info.channel_count,
                                .channel_items = LMB_GPU_GROUP,
                                .weights_parts = weights_parts(batch)};
    lmb_gpu_begin_label(batch->gpu, info->commands, "limber list");
    lmb_gpu_dispatch(batch->gpu, info->commands, batch->gpu->pipelines[LMB_KERNEL_LIST], &push, sizeof push, 1);
    lmb_gpu_barrier(batch->gpu, info->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                    VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    lmb_gpu_end_label(batch->gpu, info->commands);
}

// Orders a kernel before one that reads or overwrites its results.
static void record_kernel_barrier(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info) {
    lmb_gpu_barrier(batch->gpu, info->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

static void record_weights(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info) {
    lmb_gpu_begin_label(batch->gpu, info->commands, "limber weights");
    const uint32_t parts = weights_parts(batch);
    record_kernel(batch, info, lmb_gpu_graph_weights(batch->graph), (share){LMB_GPU_GROUP, 1, parts},
                  FIELD(DISPATCH, weights), parts);
    record_kernel_barrier(batch, info);
    lmb_gpu_end_label(batch->gpu, info->commands);
}

// Records a pass of the pose, or all stages in one kernel.
static void record_pose(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info, uint32_t pass) {
    const lmb_gpu_graph *graph = batch->graph;
    bool all_stages = in_one_kernel(batch);
    lmb_gpu_begin_label(batch->gpu, info->commands, all_stages ? "limber characters" : "limber pose");
    record_kernel(batch, info,
                  graph->steps != VK_NULL_HANDLE         ? graph->steps
                  : graph->interpreter != VK_NULL_HANDLE ? graph->interpreter
                                                         : batch->gpu->pipelines[LMB_KERNEL_POSE],
                  first_share(batch), FIELD(DISPATCH, first), pass);
    lmb_gpu_end_label(batch->gpu, info->commands);
}

static void record_channels(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info, uint32_t pass) {
    const uint32_t channels = batch->description.graph->info.channel_count;
    lmb_gpu_begin_label(batch->gpu, info->commands, "limber channels");
    const VkPipeline own = batch->graph->channels;
    record_kernel(batch, info, own != VK_NULL_HANDLE ? own : batch->gpu->pipelines[LMB_KERNEL_CHANNELS],
                  (share){LMB_GPU_GROUP, channels, 1}, FIELD(DISPATCH, channels), pass);
    lmb_gpu_end_label(batch->gpu, info->commands);
}

// Records the passes. One kernel runs all passes of the joints, or one kernel per pass. Passes of float channels always
// have a kernel each.
static void record_passes(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info) {
    const lmb_graph *graph = batch->description.graph;
    const bool runs_channels = lmb_batch_runs_channels(&batch->description);
    for (uint32_t pass = 0; pass < graph->program[FIELD(PROGRAM, pass_count)]; pass++) {
        const bool runs_joints = graph->info.joint_count > 0 && (pass == 0 || !in_one_kernel(batch));
        if (pass > 0 && (runs_joints || runs_channels)) {
            record_kernel_barrier(batch, info);
        }
        if (runs_joints) {
            record_pose(batch, info, pass);
        }
        if (runs_channels) {
            record_channels(batch, info, pass);
        }
    }
}

static void record_models(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info) {
    lmb_gpu_begin_label(batch->gpu, info->commands, "limber model");
    record_kernel_barrier(batch, info);
    record_kernel(batch, info, batch->gpu->pipelines[LMB_KERNEL_MODEL], (share){LMB_GPU_GROUP, 1, 1},
                  FIELD(DISPATCH, characters), 0);
    lmb_gpu_end_label(batch->gpu, info->commands);
}

lmb_result lmb_gpu_batch_record(lmb_gpu_batch *batch, const lmb_gpu_record_info *info, lmb_error *error) {
    lmb_result result = check_record(batch, info, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_gpu_begin_label(batch->gpu, info->commands, "limber batch");
    mark(info, LMB_NONE);
    record_parameters(batch, info);
    mark(info, LMB_GPU_STAGE_PARAMETERS);
    if (runs_control(batch, info)) {
        lmb_gpu_control_record(batch->control, info, batch->slots[info->slot].parameters.address,
                               batch->reached.address);
    }
    if (info->list != 0) {
        record_list(batch, info);
    }
    if (has_rules(batch)) {
        record_weights(batch, info);
    }
    if (has_control_stage(batch, info)) {
        mark(info, LMB_GPU_STAGE_CONTROL);
    }
    record_passes(batch, info);
    bool all_stages = in_one_kernel(batch);
    mark(info, all_stages ? LMB_GPU_STAGE_CHARACTERS : LMB_GPU_STAGE_POSE);
    if (!all_stages && keeps_output(batch, LMB_OUTPUT_MODEL)) {
        record_models(batch, info);
        mark(info, LMB_GPU_STAGE_MODEL);
    }
    const bool copies = changes_palettes(batch, info);
    if (copies) {
        lmb_gpu_changes_record_palettes(&batch->changes, info->slot, info->commands, running_count(batch, info),
                                        output_rows(batch, info->slot, LMB_OUTPUT_PALETTE),
                                        output_rows(batch, info->slot, LMB_OUTPUT_PREVIOUS_PALETTE));
    }
    lmb_gpu_barrier(batch->gpu, info->commands,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | (copies ? VK_PIPELINE_STAGE_TRANSFER_BIT : 0u),
                    VK_ACCESS_SHADER_WRITE_BIT | (copies ? VK_ACCESS_TRANSFER_WRITE_BIT : 0u),
                    VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT);
    lmb_gpu_changes_clear(&batch->changes, info->slot);
    lmb_gpu_end_label(batch->gpu, info->commands);
    batch->slots[info->slot].recorded = (lmb_gpu_recorded){.serial = ++batch->frames,
                                                           .number = info->number,
                                                           .ran_control = runs_control(batch, info),
                                                           .character_count = running_count(batch, info)};
    return LMB_OK;
}

uint32_t lmb_gpu_batch_span_count(const lmb_gpu_batch *batch) {
    return batch->span_count;
}

static bool has_span(const lmb_gpu_batch *batch, uint32_t span) {
    return exists(batch, "span", span, batch->span_count);
}

bool lmb_gpu_batch_output(const lmb_gpu_batch *batch, uint32_t slot, lmb_output output, uint32_t span,
                          lmb_gpu_span *found) {
    *found = (lmb_gpu_span){0};
    if (!has_slot(batch, slot) || (unsigned)output >= LMB_OUTPUT_COUNT || !has_span(batch, span) ||
        !(batch->description.outputs >> output & 1u)) {
        return false;
    }
    const lmb_gpu_buffer *buffer = &batch->slots[slot].outputs[span * LMB_OUTPUT_COUNT + (uint32_t)output];
    *found = lmb_gpu_span_of(buffer, span * batch->span_characters, span_size(batch, span));
    return true;
}

bool lmb_gpu_batch_inertia(const lmb_gpu_batch *batch, uint32_t span, lmb_gpu_span *inertia) {
    *inertia = (lmb_gpu_span){0};
    if (!has_span(batch, span) || batch->inertia == NULL) {
        return false;
    }
    *inertia = lmb_gpu_span_of(&batch->inertia[span], span * batch->span_characters, span_size(batch, span));
    return true;
}

lmb_gpu_span lmb_gpu_batch_reached(const lmb_gpu_batch *batch) {
    return lmb_gpu_span_of(&batch->reached, 0, batch->description.character_count);
}

lmb_gpu_span lmb_gpu_batch_refused(const lmb_gpu_batch *batch, uint32_t slot) {
    lmb_gpu_span span = {0};
    if (has_slot(batch, slot)) {
        span = lmb_gpu_span_of(&batch->slots[slot].table, 0, batch->description.character_count);
        span.size = sizeof(((frame_table *)NULL)->refused);
    }
    return span;
}

typedef struct bytes_table {
    lmb_gpu_bytes rows[LMB_MAX_GPU_BYTES_ROWS];
    uint32_t count;
} bytes_table;

static void add_bytes(void *user, lmb_gpu_buffer *buffer) {
    bytes_table *table = user;
    lmb_gpu_bytes_add(buffer, table->rows, &table->count);
}

uint32_t lmb_gpu_batch_bytes(const lmb_gpu_batch *batch, lmb_gpu_bytes *rows, uint32_t count) {
    bytes_table table = {.count = 0};
    // Buffers are only read here.
    visit_buffers((lmb_gpu_batch *)(uintptr_t)batch, add_bytes, &table);
    if (batch->control != NULL) {
        lmb_gpu_control_visit_buffers(batch->control, add_bytes, &table);
    }
    lmb_gpu_changes_visit_buffers((lmb_gpu_changes *)(uintptr_t)&batch->changes, add_bytes, &table);
    add_bytes(&table, &batch->graph->buffer);
    add_bytes(&table, &batch->graph->staging);
    for (uint32_t i = 0; i < table.count && i < count; i++) {
        rows[i] = table.rows[i];
    }
    return table.count;
}
