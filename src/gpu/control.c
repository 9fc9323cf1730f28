// Events that the host sends are collected in the staging buffer of a frame slot. Recording sorts them by character,
// because each invocation of the kernel searches for those of its character.
//
// Most drivers run the control of a frame in one dispatch. For those that end loops (control_parts.h) it is a
// dispatch for each part, with a barrier between two of them. All except the first are indirect: their arguments are
// zeroed, and a part that some character must continue writes those of the next one. So a part that nobody needs costs
// nearly nothing. The state between two parts is kept in a buffer.
#include "control.h"

#include "control/control.h"
#include "program/program.h"

#include <string.h>

#include "control.spv.h"
#include "match.spv.h"

#include "../../shaders/ops/control_layout.h"
#include "../../shaders/ops/layout.h"

#define UPDATE_WORDS 16384u // words of a buffer that one command writes
#define SPAN_ALIGNMENT 256u // of offsets of spans

typedef struct frame_slot {
    lmb_gpu_buffer staging; // events that the host writes
    lmb_gpu_buffer sent;    // events that the kernel reads
    lmb_gpu_buffer emitted;
    lmb_gpu_buffer motions; // and from `matrices` on, if they are written, matrices
    uint32_t sent_count;    // for the next frame to be recorded
} frame_slot;

struct lmb_gpu_control {
    lmb_gpu *gpu;
    const lmb_control *control;
    VkDeviceAddress program; // of the graph
    uint32_t character_count;
    uint32_t events_a_frame;
    uint32_t slot_count;
    uint32_t matrices; // words from the first motion to the first matrix; 0: none are written
    bool emits_events;
    bool recorded; // the initialisation of block and state has been recorded
    lmb_event *scratch;
    VkPipeline pipeline;
    VkPipeline match; // or VK_NULL_HANDLE without motion matching
    lmb_gpu_buffer block;
    lmb_gpu_buffer state;
    lmb_gpu_buffer weights; // float [weight][character], if the graph uses a player's clip
    lmb_gpu_control_division division;
    frame_slot slots[LMB_GPU_MOST_SLOTS];
};

lmb_gpu_control_def lmb_default_gpu_control_def(void) {
    return (lmb_gpu_control_def){.events_a_frame = 1024};
}

static uint32_t weight_count(const lmb_control *control) {
    return (control->block[FIELD(CONTROL, flags)] & CONTROL_WEIGHS) != 0
               ? control->graph->program[FIELD(PROGRAM, control_weights)]
               : 0;
}

// Returns words per character: its state, and with interpolated updates a copy that changes between updates. The copies
// of all characters follow all states.
static uint32_t state_words(const lmb_control *control) {
    const bool interpolates = (control->block[FIELD(CONTROL, flags)] & CONTROL_INTERPOLATES) != 0;
    return control->state_words * (interpolates ? 2 : 1);
}

// Returns bytes of the motions of all characters.
static VkDeviceSize motion_bytes(const lmb_control *control, uint32_t character_count) {
    return (VkDeviceSize)character_count * lmb_control_motion_floats(control) * sizeof(float);
}

// Returns bytes from the first motion to the first matrix.
static VkDeviceSize matrices_offset(const lmb_control *control, uint32_t character_count) {
    const VkDeviceSize motions = motion_bytes(control, character_count);
    return motions + (SPAN_ALIGNMENT - motions % SPAN_ALIGNMENT) % SPAN_ALIGNMENT;
}

static lmb_result check_def(const lmb_gpu *gpu, const lmb_gpu_control_def *def, lmb_gpu_control **control,
                            lmb_error *error) {
    const char *missing = gpu == NULL            ? "the gpu"
                          : def == NULL          ? "the descriptor"
                          : control == NULL      ? "the result"
                          : def->control == NULL ? "the control"
                          : def->graph == NULL   ? "the graph"
                                                 : NULL;
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu control: %s is NULL", missing);
    }
    if (lmb_gpu_check_owner(gpu, def->graph->gpu, "gpu control", "graph", error)) {
        return LMB_ERROR_ARGUMENT;
    }
    const lmb_graph *graph = def->graph->graph;
    uint32_t parameters = lmb_graph_get_info(graph)->parameter_count;
    if (def->control->parameter_count != parameters) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu control: it has %u parameters, and the batch's graph %u",
                        (unsigned)def->control->parameter_count, (unsigned)parameters);
    }
    if (def->control->graph != NULL && def->control->graph != graph) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu control: its graph is not the batch's");
    }
    if (lmb_control_inertia_parameters(def->control) != LMB_NONE &&
        lmb_control_inertia_parameters(def->control) != lmb_graph_get_info(graph)->inertia_parameters) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "gpu control: it inertializes, and the batch's graph does not by the same parameters");
    }
    const uint32_t rows[] = {state_words(def->control), parameters, weight_count(def->control),
                             def->emits_events ? lmb_control_emitted_words(def->control) : 0};
    uint32_t words = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        words = rows[i] > words ? rows[i] : words;
    }
    uint64_t all = (uint64_t)words * def->character_count;
    uint64_t sent = (uint64_t)def->events_a_frame * 2;
    uint64_t most = all > sent ? all : sent;
    const uint64_t places = def->writes_matrices ? matrices_offset(def->control, def->character_count) / sizeof(float) +
                                                       (uint64_t)def->character_count * LMB_MATRIX_COMPONENTS
                                                 : 0;
    most = places > most ? places : most;
    if (most >= LMB_GPU_MOST_WORDS ||
        (gpu->largest_allocation != 0 && most * sizeof(uint32_t) > gpu->largest_allocation)) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "gpu control: a buffer would take %llu words",
                        (unsigned long long)most);
    }
    return LMB_OK;
}

static lmb_result create_buffers(lmb_gpu_control *control, lmb_error *error) {
    const lmb_control *from = control->control;
    const VkDeviceSize characters = control->character_count, sent = control->events_a_frame * sizeof(lmb_event);
    const VkDeviceSize emitted = control->emits_events ? lmb_control_emitted_words(from) * sizeof(uint32_t) : 0;
    const VkDeviceSize matrices = characters * LMB_MATRIX_COMPONENTS * sizeof(float);
    const VkDeviceSize motions = control->matrices != 0 ? matrices_offset(from, control->character_count) + matrices
                                                        : motion_bytes(from, control->character_count);
    lmb_gpu_maker maker = {.gpu = control->gpu, .error = error};
    lmb_gpu_make(&maker, from->size * sizeof(uint32_t), LMB_GPU_MEMORY_DEVICE, "limber control", &control->block);
    lmb_gpu_make(&maker, characters * state_words(from) * sizeof(uint32_t), LMB_GPU_MEMORY_DEVICE,
                 "limber control state", &control->state);
    lmb_gpu_make(&maker, characters * weight_count(from) * sizeof(float), LMB_GPU_MEMORY_DEVICE,
                 "limber control weights", &control->weights);
    for (uint32_t i = 0; i < control->slot_count; i++) {
        frame_slot *buffers = &control->slots[i];
        lmb_gpu_make(&maker, sent, LMB_GPU_MEMORY_UPLOAD, "limber events staging", &buffers->staging);
        lmb_gpu_make(&maker, sent, LMB_GPU_MEMORY_DEVICE, "limber events", &buffers->sent);
        lmb_gpu_make(&maker, characters * emitted, LMB_GPU_MEMORY_DEVICE, "limber emitted events", &buffers->emitted);
        lmb_gpu_make(&maker, motions, LMB_GPU_MEMORY_DEVICE, "limber character motions", &buffers->motions);
    }
    return maker.result;
}

// Whether a frame runs in parts.
static bool runs_parts(const lmb_gpu *gpu) {
    return gpu->limits.loops != UINT32_MAX;
}

lmb_kernel_constants lmb_gpu_control_constants(const lmb_control *control, bool is_shared) {
    const lmb_control_features features = lmb_control_find_features(control);
    return (lmb_kernel_constants){.inertia = is_shared || features.inertia,
                                  .spaces = is_shared || features.spaces,
                                  .profiles = is_shared || features.profiles,
                                  .travel = is_shared || features.travel,
                                  .starts = is_shared || features.starts,
                                  .player_options = is_shared || features.player_options,
                                  .decisions = is_shared || features.decisions,
                                  .matching = features.matching,
                                  .reached = features.reached,
                                  .motion = features.motion,
                                  .warps = features.warps,
                                  .full_rotation = features.full_rotation,
                                  .groups = is_shared || features.groups,
                                  .curves = is_shared || features.curves,
                                  .user_curves = features.user_curves,
                                  .interpolates = is_shared || features.interpolates,
                                  .motion_rules = features.motion_rules};
}

lmb_result lmb_gpu_control_pipeline_create(lmb_gpu *gpu, lmb_kernel_constants constants, VkPipeline *pipeline,
                                           lmb_error *error) {
    constants.frame_parts = runs_parts(gpu);
    return lmb_gpu_pipeline_create(gpu, kernel_control, sizeof kernel_control / sizeof *kernel_control, constants,
                                   "limber control", pipeline, error);
}

lmb_result lmb_gpu_match_pipeline_create(lmb_gpu *gpu, const lmb_control *control, VkPipeline *pipeline,
                                         lmb_error *error) {
    *pipeline = VK_NULL_HANDLE;
    if ((control->block[FIELD(CONTROL, flags)] & CONTROL_MATCHES) == 0) {
        return LMB_OK;
    }
    const lmb_kernel_constants constants = {.curves = VK_TRUE, .user_curves = VK_TRUE, .matching = VK_TRUE};
    return lmb_gpu_pipeline_create(gpu, kernel_match, sizeof kernel_match / sizeof *kernel_match, constants,
                                   "limber match", pipeline, error);
}

// ---- Parts of a frame.

static VkDeviceSize part_count(const lmb_gpu_control_division *division) {
    return (VkDeviceSize)division->parts.counts[0] + division->parts.counts[1];
}

lmb_result lmb_gpu_control_division_create(lmb_gpu *gpu, const lmb_control *control, uint32_t character_count,
                                           uint32_t events_a_frame, lmb_gpu_control_division *division,
                                           lmb_error *error) {
    *division = (lmb_gpu_control_division){0};
    if (!runs_parts(gpu)) {
        return LMB_OK;
    }
    lmb_gpu_loop_limits limits = {.iterations = gpu->limits.loops, .events_a_frame = events_a_frame};
    lmb_result result = lmb_gpu_count_loops(gpu, LMB_KERNEL_WEIGHTS, &limits.own_weights, error);
    if (result == LMB_OK) {
        result = lmb_spirv_count_loops(&gpu->host, kernel_control, sizeof kernel_control / sizeof *kernel_control,
                                       &limits.own, error);
    }
    if (result == LMB_OK) {
        result = lmb_gpu_control_parts_create(&gpu->host, control, &limits, &division->parts, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    lmb_gpu_maker maker = {.gpu = gpu, .error = error};
    lmb_gpu_make(&maker, part_count(division) * (WORDS_OF(PART) + ARGUMENT_WORDS) * sizeof(uint32_t),
                 LMB_GPU_MEMORY_DEVICE, "limber control parts", &division->table);
    lmb_gpu_make(&maker, (VkDeviceSize)character_count * WORDS_OF(KEPT) * sizeof(uint32_t), LMB_GPU_MEMORY_DEVICE,
                 "limber control kept", &division->kept);
    return maker.result;
}

void lmb_gpu_control_division_destroy(lmb_gpu *gpu, lmb_gpu_control_division *division) {
    lmb_gpu_buffer_destroy_visited(gpu, &division->table);
    lmb_gpu_buffer_destroy_visited(gpu, &division->kept);
    lmb_gpu_control_parts_destroy(&gpu->host, &division->parts);
}

// Updates a buffer from its beginning on.
static void record_words(const lmb_gpu *gpu, VkCommandBuffer commands, const lmb_gpu_buffer *buffer,
                         const uint32_t *words, VkDeviceSize word_count) {
    for (VkDeviceSize first = 0; first < word_count; first += UPDATE_WORDS) {
        const VkDeviceSize left = word_count - first, count = left < UPDATE_WORDS ? left : UPDATE_WORDS;
        gpu->vk.CmdUpdateBuffer(commands, buffer->buffer, first * sizeof(uint32_t), count * sizeof(uint32_t),
                                words + first);
    }
}

void lmb_gpu_control_division_record_copies(const lmb_gpu *gpu, lmb_gpu_control_division *division,
                                            VkCommandBuffer commands) {
    const VkDeviceSize words = part_count(division) * WORDS_OF(PART);
    if (words == 0) {
        return;
    }
    if (!division->recorded) {
        record_words(gpu, commands, &division->table, division->parts.words, words);
        division->recorded = true;
    }
    // A part is dispatched only if a character goes on in it, which the part before says.
    gpu->vk.CmdFillBuffer(commands, division->table.buffer, words * sizeof(uint32_t),
                          part_count(division) * ARGUMENT_WORDS * sizeof(uint32_t), 0);
}

void lmb_gpu_control_dispatch(const lmb_gpu *gpu, VkCommandBuffer commands, VkPipeline pipeline,
                              const lmb_control_push *push, const lmb_gpu_control_division *division) {
    const uint64_t groups = ((uint64_t)push->characters + LMB_GPU_GROUP - 1) / LMB_GPU_GROUP;
    const bool has_events = push->sent_count > 0;
    const uint32_t first = has_events ? division->parts.counts[0] : 0, count = division->parts.counts[has_events];
    lmb_control_push own = *push;
    own.parts = division->table.address;
    own.kept = division->kept.address;
    own.part = first;
    own.part_count = (uint32_t)part_count(division);
    lmb_gpu_dispatch(gpu, commands, pipeline, &own, sizeof own, groups);
    for (own.part++; own.part < first + count; own.part++) {
        lmb_gpu_barrier(gpu, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                        VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
        const VkDeviceSize at = part_count(division) * WORDS_OF(PART) + (VkDeviceSize)own.part * ARGUMENT_WORDS;
        lmb_gpu_dispatch_indirect(gpu, commands, pipeline, &own, sizeof own, division->table.buffer,
                                  at * sizeof(uint32_t));
    }
}

lmb_result lmb_gpu_control_create(lmb_gpu *gpu, const lmb_gpu_control_def *def, lmb_gpu_control **control,
                                  lmb_error *error) {
    if (control != NULL) {
        *control = NULL;
    }
    lmb_result result = check_def(gpu, def, control, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_gpu_control *created = lmb_host_allocate(&gpu->host, 1, sizeof *created);
    lmb_event *scratch = lmb_host_allocate(&gpu->host, def->events_a_frame, sizeof *scratch);
    if (created == NULL || scratch == NULL) {
        lmb_host_release(&gpu->host, created);
        lmb_host_release(&gpu->host, scratch);
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu control: no memory");
    }
    *created = (lmb_gpu_control){.gpu = gpu,
                                 .control = def->control,
                                 .program = def->graph->buffer.address,
                                 .character_count = def->character_count,
                                 .events_a_frame = def->events_a_frame,
                                 .slot_count = def->slot_count,
                                 .emits_events = def->emits_events,
                                 .scratch = scratch};
    if (def->writes_matrices) {
        created->matrices = (uint32_t)(matrices_offset(def->control, def->character_count) / sizeof(float));
    }
    result = create_buffers(created, error);
    if (result == LMB_OK) {
        result = lmb_gpu_control_division_create(gpu, created->control, created->character_count,
                                                 created->events_a_frame, &created->division, error);
    }
    if (result == LMB_OK) {
        const lmb_kernel_constants constants = lmb_gpu_control_constants(created->control, gpu->limits.is_cpu);
        result = lmb_gpu_control_pipeline_create(gpu, constants, &created->pipeline, error);
    }
    if (result == LMB_OK) {
        result = lmb_gpu_match_pipeline_create(gpu, created->control, &created->match, error);
    }
    if (result != LMB_OK) {
        lmb_gpu_control_destroy(created);
        return result;
    }
    *control = created;
    return LMB_OK;
}

void lmb_gpu_control_visit_buffers(lmb_gpu_control *control, lmb_gpu_buffer_visitor *visit, void *user) {
    for (uint32_t i = 0; i < control->slot_count; i++) {
        visit(user, &control->slots[i].staging);
        visit(user, &control->slots[i].sent);
        visit(user, &control->slots[i].emitted);
        visit(user, &control->slots[i].motions);
    }
    visit(user, &control->block);
    visit(user, &control->state);
    visit(user, &control->weights);
    visit(user, &control->division.table);
    visit(user, &control->division.kept);
}

void lmb_gpu_control_destroy(lmb_gpu_control *control) {
    if (control == NULL) {
        return;
    }
    lmb_gpu *gpu = control->gpu;
    lmb_gpu_control_visit_buffers(control, lmb_gpu_buffer_destroy_visited, gpu);
    lmb_gpu_control_parts_destroy(&gpu->host, &control->division.parts);
    lmb_gpu_pipeline_release(gpu, control->pipeline);
    lmb_gpu_pipeline_release(gpu, control->match);
    lmb_host_release(&gpu->host, control->scratch);
    lmb_host_release(&gpu->host, control);
}

lmb_result lmb_gpu_control_send(lmb_gpu_control *control, uint32_t slot, uint32_t character, uint32_t event,
                                lmb_error *error) {
    if (control == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: nothing in its graph takes events");
    }
    if (lmb_gpu_check_slot("gpu batch", slot, control->slot_count, error)) {
        return LMB_ERROR_ARGUMENT;
    }
    const bool is_character = character < control->character_count;
    if (is_character && event == LMB_NONE) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: the event is LMB_NONE, as of a name that was not found");
    }
    if (!is_character || (event >= control->control->event_count && event != LMB_EVENT_RESET)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu batch: there is no %s %u: there are %u",
                        is_character ? "event" : "character", (unsigned)(is_character ? event : character),
                        (unsigned)(is_character ? control->control->event_count : control->character_count));
    }
    frame_slot *buffers = &control->slots[slot];
    if (buffers->sent_count == control->events_a_frame) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "gpu batch: a frame has room for %u events: events_a_frame",
                        (unsigned)control->events_a_frame);
    }
    lmb_event *events = buffers->staging.memory.mapped;
    events[buffers->sent_count++] = (lmb_event){character, event};
    return LMB_OK;
}

static void record_block(const lmb_gpu_control *control, VkCommandBuffer commands) {
    const lmb_gpu *gpu = control->gpu;
    record_words(gpu, commands, &control->block, control->control->block, control->control->size);
    gpu->vk.CmdFillBuffer(commands, control->state.buffer, 0, control->state.size, 0);
}

bool lmb_gpu_control_record_beginning(lmb_gpu_control *control, VkCommandBuffer commands) {
    const bool records = !control->recorded;
    if (records) {
        record_block(control, commands);
        control->recorded = true;
    }
    return records;
}

const lmb_gpu_buffer *lmb_gpu_control_states(const lmb_gpu_control *control) {
    return &control->state;
}

void lmb_gpu_control_record_copies(lmb_gpu_control *control, const lmb_gpu_record_info *info) {
    frame_slot *buffers = &control->slots[info->slot];
    lmb_gpu_control_division_record_copies(control->gpu, &control->division, info->commands);
    if (buffers->sent_count > 0) {
        lmb_events_sort(buffers->staging.memory.mapped, control->scratch, buffers->sent_count);
        VkBufferCopy copy = {.size = buffers->sent_count * sizeof(lmb_event)};
        control->gpu->vk.CmdCopyBuffer(info->commands, buffers->staging.buffer, buffers->sent.buffer, 1, &copy);
    }
}

void lmb_gpu_match_dispatch(const lmb_gpu *gpu, VkCommandBuffer commands, VkPipeline pipeline,
                            const lmb_control_push *of_control) {
    const lmb_match_push push = {.block = of_control->block,
                                 .state = of_control->state,
                                 .parameters = of_control->parameters,
                                 .characters = of_control->characters};
    lmb_gpu_barrier(gpu, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    lmb_gpu_dispatch(gpu, commands, pipeline, &push, sizeof push, push.characters);
}

void lmb_gpu_control_record(lmb_gpu_control *control, const lmb_gpu_record_info *info, VkDeviceAddress parameters,
                            VkDeviceAddress reached) {
    const lmb_gpu *gpu = control->gpu;
    frame_slot *buffers = &control->slots[info->slot];
    const lmb_control_push push = {.block = control->block.address,
                                   .state = control->state.address,
                                   .parameters = parameters,
                                   .reached = reached,
                                   .copies = control->character_count * control->control->state_words,
                                   .sent = buffers->sent.address,
                                   .emitted = buffers->emitted.address,
                                   .motions = buffers->motions.address,
                                   .matrices = control->matrices,
                                   .program = control->program,
                                   .weights = control->weights.address,
                                   .sent_count = buffers->sent_count,
                                   .characters =
                                       info->character_count != 0 ? info->character_count : control->character_count,
                                   .number = info->number,
                                   .step_low = (uint32_t)info->step,
                                   .step_high = (uint32_t)(info->step >> 32),
                                   .emits_events = control->emits_events};
    lmb_gpu_begin_label(gpu, info->commands, "limber control");
    lmb_gpu_control_dispatch(gpu, info->commands, control->pipeline, &push, &control->division);
    if (control->match != VK_NULL_HANDLE) {
        lmb_gpu_match_dispatch(gpu, info->commands, control->match, &push);
    }
    lmb_gpu_barrier(gpu, info->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
    lmb_gpu_end_label(gpu, info->commands);
    buffers->sent_count = 0;
}

lmb_gpu_span lmb_gpu_control_state(const lmb_gpu_control *control) {
    lmb_gpu_span span = {0};
    if (control != NULL) {
        span = lmb_gpu_span_of(&control->state, 0, control->character_count);
        span.size = (VkDeviceSize)control->character_count * control->control->state_words * sizeof(uint32_t);
    }
    return span;
}

lmb_gpu_span lmb_gpu_control_emitted(const lmb_gpu_control *control, uint32_t slot) {
    if (control == NULL || slot >= control->slot_count || !control->emits_events) {
        return (lmb_gpu_span){0};
    }
    return lmb_gpu_span_of(&control->slots[slot].emitted, 0, control->character_count);
}

lmb_gpu_span lmb_gpu_control_motions(const lmb_gpu_control *control, uint32_t slot) {
    if (control == NULL || slot >= control->slot_count || !lmb_control_has_motion(control->control)) {
        return (lmb_gpu_span){0};
    }
    lmb_gpu_span span = lmb_gpu_span_of(&control->slots[slot].motions, 0, control->character_count);
    span.size = motion_bytes(control->control, control->character_count);
    return span;
}

lmb_gpu_span lmb_gpu_control_matrices(const lmb_gpu_control *control, uint32_t slot) {
    if (control == NULL || slot >= control->slot_count || control->matrices == 0) {
        return (lmb_gpu_span){0};
    }
    lmb_gpu_span span = lmb_gpu_span_of(&control->slots[slot].motions, 0, control->character_count);
    span.offset += control->matrices * sizeof(float);
    span.address += control->matrices * sizeof(float);
    span.size = (VkDeviceSize)control->character_count * LMB_MATRIX_COMPONENTS * sizeof(float);
    return span;
}
