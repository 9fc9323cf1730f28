// Reading back on a device: frames in flight arrive once, in order, with their numbers and the CPU's bits; a host that
// is late learns how many frames it missed; frames that never ran are not returned; nothing waits; invalid calls are
// named. Wrapped Vulkan functions watch the barriers, and offer several types of memory.
#include "suite.h"

#include "control_scenario.h"
#include "flight.h"

#include "gpu/control.h"
#include <limber/gpu_readback.h>
#include <math.h>
#include <string.h>

enum { SLOTS = FLIGHT_SLOTS, CHARACTERS = 70, FRAMES = 40, EVERYTHING = 15 };

// Shared by all tests, so that drivers compile kernels once.
static device opened;
static VkPipelineCache cache;
static lmb_gpu *gpu;
static control_scenario scenario;
static lmb_gpu_graph *graph;
static bool uploaded;

// ---- The wrapped functions. ----

static VkPipelineStageFlags stages; // of all barriers
static bool many_types;             // offers the types of memory below, each of which is mapped_type()
static uint32_t types_used[4];      // allocations

static const VkMemoryPropertyFlags offered[] = {
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
};
static uint32_t offered_count;

static VKAPI_ATTR void VKAPI_CALL door_barrier(VkCommandBuffer commands, VkPipelineStageFlags from,
                                               VkPipelineStageFlags to, VkDependencyFlags flags, uint32_t count,
                                               const VkMemoryBarrier *barriers, uint32_t buffer_count,
                                               const VkBufferMemoryBarrier *buffers, uint32_t image_count,
                                               const VkImageMemoryBarrier *images) {
    stages |= from | to;
    vkCmdPipelineBarrier(commands, from, to, flags, count, barriers, buffer_count, buffers, image_count, images);
}

static VKAPI_ATTR void VKAPI_CALL door_properties(VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties *memory) {
    vkGetPhysicalDeviceMemoryProperties(physical, memory);
    for (uint32_t i = 0; many_types && i < offered_count; i++) {
        memory->memoryTypes[i] = (VkMemoryType){.propertyFlags = offered[i]};
        memory->memoryTypeCount = offered_count;
    }
}

static VKAPI_ATTR void VKAPI_CALL door_requirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements *needs) {
    vkGetBufferMemoryRequirements(device, buffer, needs);
    needs->memoryTypeBits = many_types ? (1u << offered_count) - 1 : needs->memoryTypeBits;
}

// The device's first type of memory that the host can map.
static uint32_t mapped_type(void) {
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(opened.physical, &memory);
    const VkMemoryPropertyFlags needed = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (type + 1 < memory.memoryTypeCount && (memory.memoryTypes[type].propertyFlags & needed) != needed) {
        type++;
    }
    return type;
}

static VKAPI_ATTR VkResult VKAPI_CALL door_allocate(VkDevice device, const VkMemoryAllocateInfo *info,
                                                    const VkAllocationCallbacks *callbacks, VkDeviceMemory *memory) {
    VkMemoryAllocateInfo real = *info;
    if (many_types) {
        types_used[info->memoryTypeIndex]++;
        real.memoryTypeIndex = mapped_type();
    }
    return vkAllocateMemory(device, &real, callbacks, memory);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL door_device(VkDevice device, const char *name) {
    return strcmp(name, "vkCmdPipelineBarrier") == 0            ? (PFN_vkVoidFunction)door_barrier
           : strcmp(name, "vkGetBufferMemoryRequirements") == 0 ? (PFN_vkVoidFunction)door_requirements
           : strcmp(name, "vkAllocateMemory") == 0              ? (PFN_vkVoidFunction)door_allocate
                                                                : vkGetDeviceProcAddr(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL door_instance(VkInstance instance, const char *name) {
    return strcmp(name, "vkGetDeviceProcAddr") == 0                   ? (PFN_vkVoidFunction)door_device
           : strcmp(name, "vkGetPhysicalDeviceMemoryProperties") == 0 ? (PFN_vkVoidFunction)door_properties
                                                                      : vkGetInstanceProcAddr(instance, name);
}

static void refuse_log(void *user, lmb_log_level level, const char *message) {
    (void)user;
    (void)level;
    fail_msg("logged: %s", message);
}

static lmb_gpu *open_gpu(void) {
    static const lmb_host host = {.log = refuse_log};
    lmb_gpu_def def = device_gpu_def(&opened);
    def.get_instance_proc_addr = door_instance;
    def.pipeline_cache = cache;
    lmb_gpu *made = NULL;
    lmb_error error;
    assert_ok(lmb_gpu_create(&def, &host, &made, &error), &error);
    return made;
}

// ---- The fixture: a batch of the scenario, its readback, and what the CPU computes. ----

// A frame as the CPU has it.
typedef struct expected_frame {
    uint32_t *emitted;
    float *motions;
    uint32_t *states;
} expected_frame;

typedef struct fixture {
    lmb_gpu_batch *batch;
    lmb_gpu_control *control;
    lmb_gpu_readback *readback;
    device_buffer list; // of posed characters, after their number; none if all are posed
    flight flight;
    expected_frame expected[FRAMES];
    uint32_t recorded; // frames
} fixture;

static void open_fixture(fixture *f, VkDeviceSize span_bytes, uint32_t contents, uint32_t frame_count) {
    lmb_error error;
    memset(f, 0, sizeof *f);
    memset(scenario.state, 0, CHARACTERS * lmb_graph_get_info(scenario.control)->state_words * sizeof(uint32_t));
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.graph = graph;
    def.character_count = CHARACTERS;
    def.outputs = LMB_OUTPUT_LOCAL_BIT;
    def.slot_count = SLOTS;
    def.span_bytes = span_bytes;
    assert_ok(lmb_gpu_batch_create(gpu, &def, &f->batch, &error), &error);
    lmb_gpu_control_def control = lmb_default_gpu_control_def();
    control.control = scenario.control->control;
    control.graph = graph;
    control.character_count = CHARACTERS;
    control.slot_count = SLOTS;
    control.emits_events = true;
    assert_ok(lmb_gpu_control_create(gpu, &control, &f->control, &error), &error);
    lmb_gpu_batch_set_control(f->batch, f->control);
    lmb_gpu_readback_def readback = lmb_default_gpu_readback_def();
    readback.batch = f->batch;
    readback.contents = contents;
    readback.frame_count = frame_count;
    assert_ok(lmb_gpu_readback_create(gpu, &readback, &f->readback, &error), &error);
    flight_open(&f->flight, &opened);
}

static void close_fixture(fixture *f) {
    flight_close(&f->flight);
    device_buffer_destroy(&opened, &f->list);
    lmb_gpu_readback_destroy(f->readback);
    lmb_gpu_batch_destroy(f->batch); // with its control
    for (uint32_t i = 0; i < FRAMES; i++) {
        free(f->expected[i].emitted);
        free(f->expected[i].motions);
        free(f->expected[i].states);
    }
}

static void *copy_of(const void *bytes, size_t size) {
    void *copy = malloc(size);
    assert_non_null(copy);
    return memcpy(copy, bytes, size);
}

// Frames are numbered so that the number wraps.
static uint32_t number_of(uint32_t frame) {
    return frame - 5;
}

// Waits for the slot of the next frame and begins its commands.
static uint32_t begin_frame(fixture *f) {
    lmb_error error;
    const uint32_t slot = f->recorded % SLOTS;
    const VkCommandBuffer commands = flight_begin(&f->flight, slot);
    if (!uploaded) {
        uploaded = true;
        assert_ok(lmb_gpu_graph_record_upload(graph, commands, &error), &error);
    }
    return slot;
}

static lmb_gpu_record_info record_info(const fixture *f, uint32_t slot) {
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    info.commands = f->flight.commands[slot];
    info.slot = slot;
    info.number = number_of(f->recorded);
    if (f->list.buffer != VK_NULL_HANDLE) {
        info.list_count = f->list.address;
        info.list = f->list.address + sizeof(uint32_t);
        info.list_capacity = 3;
    }
    return info;
}

static void submit_frame(fixture *f, uint32_t slot) {
    flight_submit(&f->flight, slot);
    f->recorded++;
}

// Records the next frame of the scenario, and runs it on the CPU.
static uint32_t record_frame(fixture *f) {
    lmb_error error;
    const uint32_t frame = f->recorded, slot = begin_frame(f);
    control_scenario_begin_frame(&scenario, frame);
    memcpy(lmb_gpu_batch_parameters(f->batch, slot), scenario.parameters,
           (size_t)CHARACTERS * CONTROL_SCENARIO_PARAMETERS * sizeof(float));
    for (uint32_t i = 0; i < scenario.event_count; i++) {
        const lmb_event event = scenario.events[i];
        assert_ok(lmb_gpu_batch_send(f->batch, slot, event.character, event.event, &error), &error);
    }
    lmb_gpu_record_info info = record_info(f, slot);
    info.step = scenario.step;
    assert_ok(lmb_gpu_batch_record(f->batch, &info, &error), &error);
    assert_ok(control_scenario_run(&scenario, number_of(frame), &error), &error);
    f->expected[frame] = (expected_frame){
        copy_of(scenario.emitted,
                (size_t)CHARACTERS * lmb_graph_get_info(scenario.control)->emitted_words * sizeof(uint32_t)),
        copy_of(scenario.motions, (size_t)CHARACTERS * LMB_MOTION_FLOATS * sizeof(float)),
        copy_of(scenario.state,
                (size_t)CHARACTERS * lmb_graph_get_info(scenario.control)->state_words * sizeof(uint32_t)),
    };
    return slot;
}

static void run_frame(fixture *f) {
    lmb_error error;
    const uint32_t slot = record_frame(f);
    stages = 0;
    assert_ok(lmb_gpu_readback_record(f->readback, slot, f->flight.commands[slot], &error), &error);
    // Valid on any queue family, also on one that only copies.
    assert_int_equal(stages & ~(VkPipelineStageFlags)(VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT), 0);
    submit_frame(f, slot);
}

static void complete(fixture *f, uint32_t slot) {
    lmb_error error;
    flight_wait(&f->flight, slot);
    assert_ok(lmb_gpu_readback_completed(f->readback, slot, &error), &error);
}

static bool next(fixture *f, lmb_gpu_readback_frame *frame) {
    return lmb_gpu_readback_next(f->readback, frame);
}

static void expect_none(fixture *f) {
    lmb_gpu_readback_frame frame = {.number = 7};
    assert_false(next(f, &frame));
    assert_int_equal(frame.number, 7);
    assert_null(frame.states); // as it was
}

// Compares the rows of emitted events. Returns the number of events stored.
static uint32_t compare_emitted(const uint32_t *found, const uint32_t *expected) {
    const uint32_t each = lmb_graph_get_info(scenario.control)->emitted_words;
    uint32_t count = 0;
    for (uint32_t i = 0; i < CHARACTERS; i++, found += each, expected += each) {
        assert_memory_equal(found, expected, each * sizeof *found);
        count += lmb_emitted_count(scenario.control, expected);
    }
    return count;
}

// Returns the number of events in the frame.
static uint32_t expect_frame(const fixture *f, const lmb_gpu_readback_frame *found, uint32_t frame, uint32_t missed) {
    assert_int_equal(found->number, number_of(frame));
    assert_int_equal(found->missed, missed);
    const expected_frame *expected = &f->expected[frame];
    const size_t words = (size_t)CHARACTERS * lmb_graph_get_info(scenario.control)->state_words;
    assert_memory_equal(found->states, expected->states, words * sizeof(uint32_t));
    assert_memory_equal(found->motions, expected->motions, (size_t)CHARACTERS * LMB_MOTION_FLOATS * sizeof(float));
    for (int i = 0; i < LMB_REFUSAL_COUNT; i++) {
        assert_int_equal(found->refused[i], 0);
    }
    return compare_emitted(found->emitted, expected->emitted);
}

// ---- Tests. ----

// Runs all frames, SLOTS of them in flight, and reads each as soon as its slot has completed.
static void run_and_read_all(fixture *f) {
    lmb_gpu_readback_frame found;
    uint32_t arrived = 0, events = 0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        if (frame >= SLOTS) {
            complete(f, frame % SLOTS);
            assert_true(next(f, &found));
            events += expect_frame(f, &found, arrived++, 0);
        }
        expect_none(f); // the other frames are in flight
        run_frame(f);
    }
    for (uint32_t i = 0; i < SLOTS; i++) {
        expect_none(f);
        complete(f, (FRAMES + i) % SLOTS);
        assert_true(next(f, &found));
        events += expect_frame(f, &found, arrived++, 0);
    }
    expect_none(f);
    assert_int_equal(arrived, FRAMES);
    assert_true(events > 100);
    assert_int_equal(lmb_gpu_readback_missed(f->readback), 0);
}

static void frames_arrive_once_in_order_with_the_bits_of_the_cpu(void **state) {
    (void)state;
    for (uint32_t frame_count = SLOTS; frame_count < SLOTS + 3; frame_count += 2) {
        fixture f;
        open_fixture(&f, 0, EVERYTHING, frame_count);
        run_and_read_all(&f);
        close_fixture(&f);
    }
}

// Several spans, and a list of three characters whose poses run: all characters are read back.
static void spans_and_lists_change_nothing(void **state) {
    (void)state;
    fixture f;
    lmb_error error;
    open_fixture(&f, 1024, EVERYTHING, SLOTS);
    assert_true(lmb_gpu_batch_span_count(f.batch) > 1);
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    assert_ok(device_buffer_create(&opened, 4 * sizeof(uint32_t), usage, true, &f.list, &error), &error);
    memcpy(f.list.mapped, (const uint32_t[]){2, 5, 69, 0}, 4 * sizeof(uint32_t));
    run_and_read_all(&f);
    close_fixture(&f);
}

// Frames that complete out of order wait for those before them.
static void a_frame_waits_for_those_before_it(void **state) {
    (void)state;
    fixture f;
    lmb_gpu_readback_frame found;
    open_fixture(&f, 0, EVERYTHING, SLOTS);
    for (uint32_t i = 0; i < SLOTS; i++) {
        run_frame(&f);
    }
    for (uint32_t slot = SLOTS; slot-- > 1;) {
        complete(&f, slot);
        expect_none(&f);
    }
    complete(&f, 0);
    for (uint32_t i = 0; i < SLOTS; i++) {
        assert_true(next(&f, &found));
        expect_frame(&f, &found, i, 0);
    }
    expect_none(&f);
    close_fixture(&f);
}

static void a_late_host_learns_how_many_frames_it_missed(void **state) {
    (void)state;
    enum { RING = 5 };
    fixture f;
    lmb_gpu_readback_frame found;
    open_fixture(&f, 0, EVERYTHING, RING);
    uint32_t arrived = 0;
    uint64_t missed = 0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        if (frame >= SLOTS) {
            complete(&f, frame % SLOTS);
        }
        // The host comes every eighth frame, and finds the ring's frames except those in flight.
        for (uint32_t i = 0; frame % 8 == 7 && next(&f, &found); i++) {
            const uint32_t expected = frame - RING + i;
            expect_frame(&f, &found, expected, i > 0 ? 0 : expected - arrived);
            missed += found.missed;
            arrived = expected + 1;
            assert_int_equal(lmb_gpu_readback_missed(f.readback), missed);
        }
        assert_true(frame % 8 != 7 || arrived == frame - SLOTS + 1);
        run_frame(&f);
    }
    assert_true(missed > FRAMES / 4);
    close_fixture(&f);
}

// The host drops a recorded frame. Its place still has an older frame, which is not returned twice.
static void a_frame_that_was_never_submitted_is_missed(void **state) {
    (void)state;
    fixture f;
    lmb_error error;
    lmb_gpu_readback_frame found;
    open_fixture(&f, 0, EVERYTHING, SLOTS);
    for (uint32_t i = 0; i < SLOTS; i++) {
        run_frame(&f);
        complete(&f, i);
        assert_true(next(&f, &found));
    }
    const uint32_t slot = begin_frame(&f);
    const lmb_gpu_record_info info = record_info(&f, slot);
    assert_ok(lmb_gpu_batch_record(f.batch, &info, &error), &error);
    assert_ok(lmb_gpu_readback_record(f.readback, slot, f.flight.commands[slot], &error), &error);
    assert_int_equal(vkResetCommandBuffer(f.flight.commands[slot], 0), VK_SUCCESS);
    complete(&f, slot);
    expect_none(&f);
    assert_int_equal(lmb_gpu_readback_missed(f.readback), 1);
    run_frame(&f); // in the same slot
    complete(&f, slot);
    assert_true(next(&f, &found));
    expect_frame(&f, &found, SLOTS, 1);
    close_fixture(&f);
}

// Frames whose control the host runs itself have refusal counters only. Here some times are not finite.
static void frames_without_control_have_refusal_counters(void **state) {
    (void)state;
    fixture f;
    lmb_error error;
    lmb_gpu_readback_frame found;
    open_fixture(&f, 0, EVERYTHING, SLOTS);
    run_frame(&f);
    complete(&f, 0);
    assert_true(next(&f, &found));
    const uint32_t slot = begin_frame(&f);
    float *parameters = lmb_gpu_batch_parameters(f.batch, slot);
    for (uint32_t i = 0; i < CHARACTERS * CONTROL_SCENARIO_PARAMETERS; i++) {
        parameters[i] = NAN;
    }
    lmb_gpu_record_info info = record_info(&f, slot);
    info.poses_alone = true;
    assert_ok(lmb_gpu_batch_record(f.batch, &info, &error), &error);
    assert_ok(lmb_gpu_readback_record(f.readback, slot, f.flight.commands[slot], &error), &error);
    submit_frame(&f, slot);
    complete(&f, slot);
    assert_true(next(&f, &found));
    assert_int_equal(found.number, number_of(1));
    assert_null(found.emitted);
    assert_null(found.motions);
    assert_null(found.states);
    const lmb_gpu_span span = lmb_gpu_batch_refused(f.batch, slot);
    uint32_t refused[LMB_REFUSAL_COUNT];
    assert_ok(device_read_span(&opened, &span, refused, &error), &error);
    assert_memory_equal(found.refused, refused, sizeof refused);
    assert_true(refused[LMB_REFUSED_TIME] >= CHARACTERS);
    close_fixture(&f);
}

static void only_the_contents_are_read_back(void **state) {
    (void)state;
    fixture f;
    lmb_error error;
    lmb_gpu_readback_frame found;
    lmb_gpu_readback *each[4] = {0};
    open_fixture(&f, 0, EVERYTHING, SLOTS);
    const uint32_t slot = record_frame(&f);
    for (uint32_t i = 0; i < 4; i++) {
        lmb_gpu_readback_def def = lmb_default_gpu_readback_def();
        def.batch = f.batch;
        def.contents = 1u << i;
        assert_ok(lmb_gpu_readback_create(gpu, &def, &each[i], &error), &error);
        assert_ok(lmb_gpu_readback_record(each[i], slot, f.flight.commands[slot], &error), &error);
    }
    submit_frame(&f, slot);
    complete(&f, slot);
    for (uint32_t contents = 1, i = 0; i < 4; contents *= 2, i++) {
        assert_ok(lmb_gpu_readback_completed(each[i], slot, &error), &error);
        assert_true(lmb_gpu_readback_next(each[i], &found));
        assert_int_equal(found.emitted != NULL, contents == LMB_READBACK_EMITTED_BIT);
        assert_int_equal(found.motions != NULL, contents == LMB_READBACK_MOTIONS_BIT);
        assert_int_equal(found.states != NULL, contents == LMB_READBACK_STATES_BIT);
        assert_int_equal(found.refused != NULL, contents == LMB_READBACK_REFUSED_BIT);
        lmb_gpu_readback_destroy(each[i]);
    }
    close_fixture(&f);
}

// What the host reads is in cached memory, if there is any that is coherent, too.
static void memory_that_the_host_reads_is_cached(void **state) {
    (void)state;
    for (offered_count = 3; offered_count < 5; offered_count++) {
        many_types = true;
        lmb_gpu *other = open_gpu();
        lmb_gpu_batch *batch = NULL;
        lmb_gpu_readback *readback = NULL;
        lmb_gpu_graph *other_graph = NULL;
        lmb_error error;
        assert_ok(lmb_gpu_graph_create(other, scenario.program, &other_graph, &error), &error);
        lmb_gpu_batch_def batch_def = lmb_default_gpu_batch_def();
        batch_def.graph = other_graph;
        batch_def.character_count = 2;
        assert_ok(lmb_gpu_batch_create(other, &batch_def, &batch, &error), &error);
        memset(types_used, 0, sizeof types_used);
        lmb_gpu_readback_def def = lmb_default_gpu_readback_def();
        def.batch = batch;
        def.contents = LMB_READBACK_REFUSED_BIT;
        def.frame_count = 5;
        assert_ok(lmb_gpu_readback_create(other, &def, &readback, &error), &error);
        const bool has_cached = offered_count == 4;
        const uint32_t expected[4] = {0, has_cached ? 0 : 5, 0, has_cached ? 5 : 0};
        assert_memory_equal(types_used, expected, sizeof expected);
        lmb_gpu_readback_destroy(readback);
        lmb_gpu_batch_destroy(batch);
        lmb_gpu_graph_destroy(other_graph);
        lmb_gpu_destroy(other);
        many_types = false;
    }
}

static void expect_error(lmb_result result, const lmb_error *error, lmb_result expected, const char *part) {
    if (result != expected || error->result != expected || strstr(error->message, part) == NULL) {
        fail_msg("%s '%s' instead of %s with '%s'", lmb_result_name(result), result == LMB_OK ? "" : error->message,
                 lmb_result_name(expected), part);
    }
}

static void expect_refused(lmb_gpu *on, const lmb_gpu_readback_def *def, const char *part) {
    lmb_error error;
    lmb_gpu_readback *made = NULL;
    expect_error(lmb_gpu_readback_create(on, def, &made, &error), &error, LMB_ERROR_ARGUMENT, part);
    assert_null(made);
}

static void wrong_descriptors_are_named(void **state) {
    (void)state;
    fixture f;
    lmb_error error;
    open_fixture(&f, 0, EVERYTHING, SLOTS);
    lmb_gpu_readback_def def = lmb_default_gpu_readback_def();
    expect_refused(NULL, &def, "gpu is NULL");
    expect_refused(gpu, NULL, "descriptor");
    expect_refused(gpu, &def, "batch is NULL");
    expect_error(lmb_gpu_readback_create(gpu, &def, NULL, &error), &error, LMB_ERROR_ARGUMENT, "result");
    def.batch = f.batch;
    expect_refused(gpu, &def, "contents 0x0");
    def.contents = 128;
    expect_refused(gpu, &def, "contents 0x80");
    def.contents = LMB_READBACK_EMITTED_BIT;
    def.frame_count = SLOTS - 1;
    expect_refused(gpu, &def, "2 frames are not 3");
    def.frame_count = LMB_MAX_READBACK_FRAMES + 1;
    expect_refused(gpu, &def, "65 frames");
    def.frame_count = SLOTS;
    lmb_gpu *other = open_gpu();
    expect_refused(other, &def, "another gpu");
    lmb_gpu_destroy(other);
    // A batch without a control, which has refusal counters alone.
    lmb_gpu_batch_def plain_def = lmb_default_gpu_batch_def();
    lmb_gpu_batch *plain = NULL;
    plain_def.graph = graph;
    plain_def.character_count = 2;
    assert_ok(lmb_gpu_batch_create(gpu, &plain_def, &plain, &error), &error);
    def.batch = plain;
    static const char *const lacks[] = {"no emitted events", "no character motion", "no states"};
    for (uint32_t i = 0; i < 3; i++) {
        def.contents = LMB_READBACK_REFUSED_BIT | 1u << i;
        expect_refused(gpu, &def, lacks[i]);
    }
    def.contents = LMB_READBACK_REACHED_BIT;
    expect_refused(gpu, &def, "no nodes that report");
    def.contents = LMB_READBACK_HASHES_BIT;
    expect_refused(gpu, &def, "no words that a frame continues from");
    def.contents = LMB_READBACK_REFUSED_BIT;
    lmb_gpu_readback *made = NULL;
    assert_ok(lmb_gpu_readback_create(gpu, &def, &made, &error), &error);
    lmb_gpu_readback_destroy(made);
    lmb_gpu_readback_destroy(NULL);
    lmb_gpu_batch_destroy(plain);
    close_fixture(&f);
}

static void calls_in_the_wrong_state_are_refused(void **state) {
    (void)state;
    fixture f;
    lmb_error error;
    lmb_gpu_readback_frame found;
    open_fixture(&f, 0, EVERYTHING, SLOTS);
    VkCommandBuffer any = f.flight.commands[0];
    expect_error(lmb_gpu_readback_record(NULL, 0, any, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    expect_error(lmb_gpu_readback_record(f.readback, 0, NULL, &error), &error, LMB_ERROR_ARGUMENT, "command buffer");
    expect_error(lmb_gpu_readback_record(f.readback, SLOTS, any, &error), &error, LMB_ERROR_ARGUMENT, "frame slot 3");
    expect_error(lmb_gpu_readback_record(f.readback, 0, any, &error), &error, LMB_ERROR_STATE,
                 "no frame of frame slot 0");
    expect_error(lmb_gpu_readback_completed(NULL, 0, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    expect_error(lmb_gpu_readback_completed(f.readback, SLOTS, &error), &error, LMB_ERROR_ARGUMENT, "frame slot 3");
    assert_ok(lmb_gpu_readback_completed(f.readback, 0, &error), &error); // of no frame
    expect_none(&f);
    // The frame of slot 0 is not read back, that of slot 1 is: frames must arrive in order.
    submit_frame(&f, record_frame(&f));
    const uint32_t slot = record_frame(&f);
    assert_ok(lmb_gpu_readback_record(f.readback, slot, f.flight.commands[slot], &error), &error);
    stages = 0;
    expect_error(lmb_gpu_readback_record(f.readback, slot, f.flight.commands[slot], &error), &error, LMB_ERROR_STATE,
                 "slot 1 is read back already");
    expect_error(lmb_gpu_readback_record(f.readback, 0, f.flight.commands[slot], &error), &error, LMB_ERROR_STATE,
                 "was recorded before");
    assert_int_equal(stages, 0);
    submit_frame(&f, slot);
    complete(&f, slot);
    assert_true(next(&f, &found));
    expect_frame(&f, &found, 1, 0);
    expect_none(&f);
    close_fixture(&f);
}

static int start(void **state) {
    (void)state;
    lmb_error error;
    open_device(&opened);
    const VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    assert_int_equal(vkCreatePipelineCache(opened.device, &info, NULL, &cache), VK_SUCCESS);
    gpu = open_gpu();
    assert_ok(motion_scenario_create(&scenario, CHARACTERS, &error), &error);
    assert_ok(lmb_gpu_graph_create(gpu, scenario.program, &graph, &error), &error);
    return 0;
}

static int finish(void **state) {
    (void)state;
    lmb_gpu_graph_destroy(graph);
    lmb_gpu_destroy(gpu);
    control_scenario_destroy(&scenario);
    vkDestroyPipelineCache(opened.device, cache, NULL);
    return device_close(&opened) == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_arrive_once_in_order_with_the_bits_of_the_cpu),
        cmocka_unit_test(spans_and_lists_change_nothing),
        cmocka_unit_test(a_frame_waits_for_those_before_it),
        cmocka_unit_test(a_late_host_learns_how_many_frames_it_missed),
        cmocka_unit_test(a_frame_that_was_never_submitted_is_missed),
        cmocka_unit_test(frames_without_control_have_refusal_counters),
        cmocka_unit_test(only_the_contents_are_read_back),
        cmocka_unit_test(memory_that_the_host_reads_is_cached),
        cmocka_unit_test(wrong_descriptors_are_named),
        cmocka_unit_test(calls_in_the_wrong_state_are_refused),
    };
    return run_gpu_suite_with("gpu_readback", tests, sizeof tests / sizeof tests[0], start, finish);
}
