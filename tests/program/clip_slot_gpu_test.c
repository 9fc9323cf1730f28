// Clip slots on a device: clips are exchanged while two frames are in flight, and every frame has the bits of the CPU,
// in the graph's own pipeline and interpreted. Frames that were recorded before a change have it or not by the order of
// submission alone.
#include "clip_slot_scene.h"
#include "failing_host.h"
#include "gpu_suite.h"
#include "refusal.h"

#include <string.h>

enum { FRAMES = 44, IN_FLIGHT = 2 };

// What a frame leaves, in host memory: outputs, states, emitted events, counters of refused values.
enum { READ_LOCAL, READ_PALETTE, READ_CHANNELS, READ_STATE, READ_EMITTED, READ_REFUSED, READS };
static const lmb_output outputs_read[] = {LMB_OUTPUT_LOCAL, LMB_OUTPUT_PALETTE, LMB_OUTPUT_CHANNELS};

typedef struct frame {
    VkCommandBuffer commands;
    VkFence fence;
    device_buffer reads[READS];
    void *expected[READS];
    lmb_gpu_clip *clips[2]; // that its commands copy
    uint32_t number;
    bool submitted;
} frame;

static device opened;
static failing_host counts;
// Cases without an interpreter share it, so that drivers find their graph's kernels in the pipeline cache.
static lmb_gpu *shared_gpu;

typedef struct fixture {
    uint32_t live; // allocations at the start
    lmb_gpu *gpu;
    slot_scene scene;
    lmb_graph *graph;
    slot_side here;
    lmb_gpu_graph *there;
    lmb_gpu_batch *batch;
    VkCommandPool pool;
    frame frames[IN_FLIGHT];
} fixture;

static lmb_gpu_span span_of(const fixture *f, uint32_t slot, uint32_t read) {
    lmb_gpu_span span;
    switch (read) {
    case READ_STATE:
        return lmb_gpu_batch_state(f->batch);
    case READ_EMITTED:
        return lmb_gpu_batch_emitted(f->batch, slot);
    case READ_REFUSED:
        return lmb_gpu_batch_refused(f->batch, slot);
    default:
        assert_true(lmb_gpu_batch_output(f->batch, slot, outputs_read[read], 0, &span));
        return span;
    }
}

static const void *result_of(const slot_side *side, uint32_t read) {
    return read == READ_STATE     ? side->state
           : read == READ_EMITTED ? side->emitted
           : read == READ_REFUSED ? side->refused
                                  : (const void *)side->outputs.buffers[outputs_read[read]];
}

static void open_frame(fixture *f, uint32_t slot) {
    frame *at = &f->frames[slot];
    lmb_error error = {0};
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = f->pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                              .commandBufferCount = 1};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    assert_int_equal(vkAllocateCommandBuffers(opened.device, &info, &at->commands), VK_SUCCESS);
    assert_int_equal(vkCreateFence(opened.device, &fence, NULL, &at->fence), VK_SUCCESS);
    for (uint32_t i = 0; i < READS; i++) {
        const VkDeviceSize size = span_of(f, slot, i).size;
        assert_ok(device_buffer_create(&opened, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true, &at->reads[i], &error),
                  &error);
        at->expected[i] = malloc(size);
        assert_non_null(at->expected[i]);
    }
}

static lmb_gpu *create_gpu(bool interprets) {
    lmb_error error = {0};
    lmb_gpu *gpu = NULL;
    const lmb_host host = failing_host_of(&counts);
    lmb_gpu_def def = device_gpu_def(&opened);
    def.interpret_graphs = interprets;
    def.kept_pipelines = 0; // close_fixture() counts what is left
    assert_ok(lmb_gpu_create(&def, &host, &gpu, &error), &error);
    return gpu;
}

static void open_fixture(fixture *f, bool interprets) {
    lmb_error error = {0};
    *f = (fixture){.live = counts.live, .gpu = interprets ? create_gpu(true) : shared_gpu};
    slot_scene_create(&f->scene);
    f->graph = slot_graph_create(&f->scene);
    // The device's copy has what is in the slots when it is created.
    assert_ok(lmb_graph_set_clip(f->graph, SLOT_PLAYED, f->scene.poses[SLOT_CUBIC], &error), &error);
    slot_side_create(&f->here, f->graph, LMB_CPU_FAST);
    assert_ok(lmb_gpu_graph_create(f->gpu, f->graph, &f->there, &error), &error);
    lmb_gpu_batch_def batch = lmb_default_gpu_batch_def();
    batch.graph = f->there;
    batch.character_count = SLOT_CHARACTERS;
    batch.outputs = SLOT_OUTPUTS;
    batch.slot_count = IN_FLIGHT;
    batch.emits_events = true;
    assert_ok(lmb_gpu_batch_create(f->gpu, &batch, &f->batch, &error), &error);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                          .queueFamilyIndex = opened.queue_family};
    assert_int_equal(vkCreateCommandPool(opened.device, &pool, NULL, &f->pool), VK_SUCCESS);
    for (uint32_t i = 0; i < IN_FLIGHT; i++) {
        open_frame(f, i);
    }
}

static void upload(fixture *f) {
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_error error = {0};
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    assert_ok(device_finish(&opened, pool, commands, lmb_gpu_graph_record_upload(f->there, commands, &error), &error),
              &error);
    assert_ok(lmb_gpu_graph_uploaded(f->there, &error), &error);
}

static void close_fixture(fixture *f) {
    for (uint32_t i = 0; i < IN_FLIGHT; i++) {
        vkDestroyFence(opened.device, f->frames[i].fence, NULL);
        for (uint32_t k = 0; k < READS; k++) {
            device_buffer_destroy(&opened, &f->frames[i].reads[k]);
            free(f->frames[i].expected[k]);
        }
    }
    vkDestroyCommandPool(opened.device, f->pool, NULL);
    lmb_gpu_batch_destroy(f->batch);
    lmb_gpu_graph_destroy(f->there);
    if (f->gpu != shared_gpu) {
        lmb_gpu_destroy(f->gpu);
    }
    assert_int_equal(counts.live, f->live);
    slot_side_destroy(&f->here);
    lmb_graph_destroy(f->graph);
    slot_scene_destroy(&f->scene);
}

// ---- Frames.

static void begin_commands(const frame *at) {
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    assert_int_equal(vkBeginCommandBuffer(at->commands, &begin), VK_SUCCESS);
}

// Records a frame, and copies what it leaves to host memory.
static void record_frame(fixture *f, uint32_t slot, uint32_t number) {
    frame *at = &f->frames[slot];
    lmb_error error = {0};
    uint32_t count;
    const lmb_event *events = slot_side_steer(&f->here, number, &count);
    memcpy(lmb_gpu_batch_parameters(f->batch, slot), f->here.parameters,
           SLOT_CHARACTERS * lmb_graph_get_info(f->graph)->parameter_count * sizeof(float));
    for (uint32_t i = 0; i < count; i++) {
        assert_ok(lmb_gpu_batch_send(f->batch, slot, events[i].character, events[i].event, &error), &error);
    }
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    info.commands = at->commands;
    info.slot = slot;
    info.step = SLOT_STEP_TICKS;
    info.number = number;
    assert_ok(lmb_gpu_batch_record(f->batch, &info, &error), &error);
    for (uint32_t i = 0; i < READS; i++) {
        const lmb_gpu_span span = span_of(f, slot, i);
        const VkBufferCopy copy = {.srcOffset = span.offset, .size = span.size};
        vkCmdCopyBuffer(at->commands, span.buffer, at->reads[i].buffer, 1, &copy);
    }
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(at->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                         NULL, 0, NULL);
    at->number = number;
}

static void expect_frame(fixture *f, uint32_t slot) {
    frame *at = &f->frames[slot];
    assert_int_equal(vkWaitForFences(opened.device, 1, &at->fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
    assert_int_equal(vkResetFences(opened.device, 1, &at->fence), VK_SUCCESS);
    at->submitted = false;
    for (uint32_t i = 0; i < READS; i++) {
        const uint32_t *there = at->reads[i].mapped, *here = at->expected[i];
        for (size_t k = 0; k < at->reads[i].size / 4; k++) {
            if (there[k] != here[k]) {
                fail_msg("frame %u: read %u, word %zu: 0x%08x on the device and 0x%08x here", at->number, i, k,
                         there[k], here[k]);
            }
        }
    }
    for (uint32_t i = 0; i < 2; i++) {
        lmb_gpu_clip_destroy(at->clips[i]);
        at->clips[i] = NULL;
    }
}

// Runs a frame here, and keeps what it leaves until the device's is there.
static void run_here(fixture *f, uint32_t slot, uint32_t number) {
    slot_side_run(&f->here, number);
    for (uint32_t i = 0; i < READS; i++) {
        memcpy(f->frames[slot].expected[i], result_of(&f->here, i), span_of(f, slot, i).size);
    }
}

static void change_here(fixture *f, slot_change change) {
    lmb_error error = {0};
    assert_ok(lmb_graph_set_clip(f->graph, change.clip, slot_changed_clip(&f->scene, change), &error), &error);
}

static lmb_gpu_clip *record_change(fixture *f, slot_change change, VkCommandBuffer commands) {
    const lmb_clip *clip = slot_changed_clip(&f->scene, change);
    lmb_gpu_clip *made = NULL;
    lmb_error error = {0};
    if (clip != NULL) {
        assert_ok(lmb_gpu_clip_create(f->gpu, clip, &made, &error), &error);
    }
    const uint32_t asked = counts.asked;
    assert_ok(lmb_gpu_graph_record_clip(f->there, change.clip, made, commands, &error), &error);
    assert_int_equal(counts.asked, asked);
    return made;
}

static void submit(const VkCommandBuffer *commands, uint32_t count, VkFence fence) {
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = count, .pCommandBuffers = commands};
    assert_int_equal(vkQueueSubmit(opened.queue, 1, &info, fence), VK_SUCCESS);
}

static void run_frames(bool interprets) {
    fixture f;
    open_fixture(&f, interprets);
    upload(&f);
    for (uint32_t number = 0; number < FRAMES; number++) {
        const uint32_t slot = number % IN_FLIGHT;
        frame *at = &f.frames[slot];
        slot_change changes[2];
        if (at->submitted) {
            expect_frame(&f, slot);
        }
        const uint32_t count = slot_changes(number, changes);
        begin_commands(at);
        for (uint32_t i = 0; i < count; i++) {
            at->clips[i] = record_change(&f, changes[i], at->commands);
            change_here(&f, changes[i]);
        }
        record_frame(&f, slot, number);
        assert_int_equal(vkEndCommandBuffer(at->commands), VK_SUCCESS);
        submit(&at->commands, 1, at->fence);
        at->submitted = true;
        run_here(&f, slot, number);
    }
    for (uint32_t i = 0; i < IN_FLIGHT; i++) {
        expect_frame(&f, (FRAMES + i) % IN_FLIGHT);
    }
    close_fixture(&f);
}

static void clips_change_while_frames_are_in_flight(void **state) {
    (void)state;
    run_frames(false);
}

static void clips_change_in_an_interpreted_graph(void **state) {
    (void)state;
    suite_full_only(); // drivers take long to compile the interpreter, which gpu_bits_test has in every set
    run_frames(true);
}

// Both frames are recorded before the change, and submitted around it. Nothing waits in between.
static void the_order_of_submission_decides(void **state) {
    (void)state;
    static const slot_change changes[3] = {
        {SLOT_PLAYED, SLOT_PACKED}, {SLOT_HOST, SLOT_SCALED}, {SLOT_PLAYED, SLOT_KINDS}};
    fixture f;
    open_fixture(&f, false);
    upload(&f);
    VkCommandBuffer between;
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = f.pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                              .commandBufferCount = 1};
    assert_int_equal(vkAllocateCommandBuffers(opened.device, &info, &between), VK_SUCCESS);
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t slot = 0; slot < IN_FLIGHT; slot++) {
            begin_commands(&f.frames[slot]);
            record_frame(&f, slot, IN_FLIGHT * i + slot);
            assert_int_equal(vkEndCommandBuffer(f.frames[slot].commands), VK_SUCCESS);
        }
        const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        assert_int_equal(vkBeginCommandBuffer(between, &begin), VK_SUCCESS);
        f.frames[1].clips[0] = record_change(&f, changes[i], between);
        assert_int_equal(vkEndCommandBuffer(between), VK_SUCCESS);
        const VkCommandBuffer later[2] = {between, f.frames[1].commands};
        submit(&f.frames[0].commands, 1, f.frames[0].fence);
        submit(later, 2, f.frames[1].fence);
        run_here(&f, 0, IN_FLIGHT * i);
        change_here(&f, changes[i]);
        run_here(&f, 1, IN_FLIGHT * i + 1);
        expect_frame(&f, 0);
        expect_frame(&f, 1);
    }
    close_fixture(&f);
}

// A clip in host-visible memory may go into several slots of one submission, and into the same slot again.
static void one_clip_goes_into_several_slots(void **state) {
    (void)state;
    fixture f;
    open_fixture(&f, false);
    upload(&f);
    lmb_error error = {0};
    frame *at = &f.frames[0];
    const slot_change packed = {SLOT_HOST, SLOT_PACKED};
    begin_commands(at);
    at->clips[0] = record_change(&f, packed, at->commands);
    assert_ok(lmb_gpu_graph_record_clip(f.there, SLOT_PLAYED, at->clips[0], at->commands, &error), &error);
    assert_ok(lmb_gpu_graph_record_clip(f.there, SLOT_HOST, NULL, at->commands, &error), &error);
    assert_ok(lmb_gpu_graph_record_clip(f.there, SLOT_HOST, at->clips[0], at->commands, &error), &error);
    record_frame(&f, 0, 3);
    assert_int_equal(vkEndCommandBuffer(at->commands), VK_SUCCESS);
    submit(&at->commands, 1, at->fence);
    change_here(&f, packed);
    change_here(&f, (slot_change){SLOT_PLAYED, SLOT_PACKED});
    run_here(&f, 0, 3);
    expect_frame(&f, 0);
    close_fixture(&f);
}

// ---- What is refused.

static void changes_that_do_not_fit_are_refused(void **state) {
    (void)state;
    fixture f;
    open_fixture(&f, false);
    lmb_error error = {0};
    lmb_gpu_clip *clip = NULL, *additive = NULL, *foreign = NULL;
    lmb_gpu *other = NULL;
    const VkCommandBuffer commands = f.frames[0].commands;
    assert_ok(lmb_gpu_clip_create(f.gpu, f.scene.poses[SLOT_PLAIN], &clip, &error), &error);
    assert_ok(lmb_gpu_clip_create(f.gpu, f.scene.additives[0], &additive, &error), &error);
    lmb_gpu_clip *none = clip;
    CHECK_REFUSAL(lmb_gpu_clip_create(NULL, f.scene.base, &none, &error), &error, LMB_ERROR_ARGUMENT, "the gpu");
    assert_null(none);
    CHECK_REFUSAL(lmb_gpu_clip_create(f.gpu, NULL, &none, &error), &error, LMB_ERROR_ARGUMENT, "the clip");
    CHECK_REFUSAL(lmb_gpu_clip_create(f.gpu, f.scene.base, NULL, &error), &error, LMB_ERROR_ARGUMENT, "the result");
    lmb_gpu_clip_destroy(NULL);
    begin_commands(&f.frames[0]);
    CHECK_REFUSAL(lmb_gpu_graph_record_clip(f.there, SLOT_HOST, clip, commands, &error), &error, LMB_ERROR_STATE,
                  "clip 1", "before the upload");
    CHECK_REFUSAL(lmb_gpu_graph_record_clip(f.there, SLOT_HOST, NULL, commands, &error), &error, LMB_ERROR_STATE,
                  "before the upload");
    assert_ok(lmb_gpu_graph_record_upload(f.there, commands, &error), &error);
    CHECK_REFUSAL(lmb_gpu_graph_record_clip(NULL, SLOT_HOST, clip, commands, &error), &error, LMB_ERROR_ARGUMENT, "it");
    CHECK_REFUSAL(lmb_gpu_graph_record_clip(f.there, SLOT_HOST, clip, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "command buffer");
    CHECK_REFUSAL(lmb_gpu_graph_record_clip(f.there, SLOT_BASE, clip, commands, &error), &error, LMB_ERROR_ARGUMENT,
                  "gpu graph: there is no slot for clip 0");
    CHECK_REFUSAL(lmb_gpu_graph_record_clip(f.there, SLOT_HOST, additive, commands, &error), &error, LMB_ERROR_ARGUMENT,
                  "gpu graph: clip 1 'nod'", "is an additive");
    CHECK_REFUSAL(lmb_gpu_graph_record_clip(f.there, SLOT_ADDITIVE, clip, commands, &error), &error, LMB_ERROR_ARGUMENT,
                  "clip 3 'plain'");
    lmb_gpu_def def = device_gpu_def(&opened);
    def.probe_queue = VK_NULL_HANDLE;
    assert_ok(lmb_gpu_create(&def, NULL, &other, &error), &error);
    assert_ok(lmb_gpu_clip_create(other, f.scene.poses[SLOT_PLAIN], &foreign, &error), &error);
    CHECK_REFUSAL(lmb_gpu_graph_record_clip(f.there, SLOT_HOST, foreign, commands, &error), &error, LMB_ERROR_ARGUMENT,
                  "another gpu");
    assert_ok(lmb_gpu_graph_record_clip(f.there, SLOT_HOST, clip, commands, &error), &error);
    CHECK_REFUSAL(lmb_gpu_graph_record_upload(f.there, commands, &error), &error, LMB_ERROR_STATE, "undo");
    assert_int_equal(vkEndCommandBuffer(commands), VK_SUCCESS);
    lmb_gpu_clip_destroy(foreign);
    lmb_gpu_destroy(other);
    lmb_gpu_clip_destroy(clip);
    lmb_gpu_clip_destroy(additive);
    close_fixture(&f);
}

static int start(void **state) {
    (void)state;
    open_device(&opened);
    shared_gpu = create_gpu(false);
    return 0;
}

static int finish(void **state) {
    (void)state;
    lmb_gpu_destroy(shared_gpu);
    assert_int_equal(counts.live, 0);
    return device_close(&opened) == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_change_while_frames_are_in_flight),
        cmocka_unit_test(clips_change_in_an_interpreted_graph),
        cmocka_unit_test(the_order_of_submission_decides),
        cmocka_unit_test(one_clip_goes_into_several_slots),
        cmocka_unit_test(changes_that_do_not_fit_are_refused),
    };
    return run_gpu_suite_with("clip_slot_gpu", tests, sizeof tests / sizeof tests[0], start, finish);
}
