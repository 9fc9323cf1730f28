// A profile on the device: timestamps ascend and belong to their stages, reading does not wait, unfinished frames are
// skipped, invalid arguments and states are reported. Wrapped Vulkan functions observe the reads and can replace their
// results.
#include "gpu_suite.h"

#include "scenario.h"

#include <gpu_side.h>

#include <limber/gpu_profile.h>
#include <string.h>

static device opened;
static scenario shared;
static VkPipelineCache cache; // shared, because every test creates the same pipelines

// ---- The wrapped functions. ----

static VkResult answer = VK_SUCCESS;  // of vkGetQueryPoolResults; only VK_SUCCESS calls the device
static const uint64_t *answer_stamps; // replace the device's timestamps; NULL to keep those
static uint32_t answer_bits;          // timestampValidBits of every family; UINT32_MAX for the device's own
static uint32_t reads, waits;
static uint32_t resets, writes; // queries

static VKAPI_ATTR VkResult VKAPI_CALL door_results(VkDevice device, VkQueryPool pool, uint32_t first, uint32_t count,
                                                   size_t size, void *data, VkDeviceSize stride,
                                                   VkQueryResultFlags flags) {
    reads++;
    assert_int_equal(flags & VK_QUERY_RESULT_WAIT_BIT, 0);
    assert_int_equal(flags & VK_QUERY_RESULT_64_BIT, VK_QUERY_RESULT_64_BIT);
    if (answer != VK_SUCCESS || answer_stamps == NULL) {
        return answer != VK_SUCCESS ? answer
                                    : vkGetQueryPoolResults(device, pool, first, count, size, data, stride, flags);
    }
    memcpy(data, answer_stamps, count * sizeof *answer_stamps);
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL door_wait(VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all,
                                                uint64_t timeout) {
    waits++;
    return vkWaitForFences(device, count, fences, all, timeout);
}

static VKAPI_ATTR void VKAPI_CALL door_reset(VkCommandBuffer commands, VkQueryPool pool, uint32_t first,
                                             uint32_t count) {
    resets += count;
    vkCmdResetQueryPool(commands, pool, first, count);
}

static VKAPI_ATTR void VKAPI_CALL door_write(VkCommandBuffer commands, VkPipelineStageFlagBits stage, VkQueryPool pool,
                                             uint32_t query) {
    writes++;
    vkCmdWriteTimestamp(commands, stage, pool, query);
}

static VKAPI_ATTR void VKAPI_CALL door_families(VkPhysicalDevice physical, uint32_t *count,
                                                VkQueueFamilyProperties *families) {
    vkGetPhysicalDeviceQueueFamilyProperties(physical, count, families);
    for (uint32_t i = 0; families != NULL && answer_bits != UINT32_MAX && i < *count; i++) {
        families[i].timestampValidBits = answer_bits;
    }
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL door_device(VkDevice device, const char *name) {
    if (strcmp(name, "vkGetQueryPoolResults") == 0) {
        return (PFN_vkVoidFunction)door_results;
    }
    if (strcmp(name, "vkWaitForFences") == 0) {
        return (PFN_vkVoidFunction)door_wait;
    }
    if (strcmp(name, "vkCmdResetQueryPool") == 0) {
        return (PFN_vkVoidFunction)door_reset;
    }
    if (strcmp(name, "vkCmdWriteTimestamp") == 0) {
        return (PFN_vkVoidFunction)door_write;
    }
    return vkGetDeviceProcAddr(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL door_instance(VkInstance instance, const char *name) {
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
        return (PFN_vkVoidFunction)door_device;
    }
    if (strcmp(name, "vkGetPhysicalDeviceQueueFamilyProperties") == 0) {
        return (PFN_vkVoidFunction)door_families;
    }
    return vkGetInstanceProcAddr(instance, name);
}

// ---- The fixture of all tests: a GPU, a batch of the scenario, a profile with two frame slots. ----

typedef struct ground {
    lmb_gpu *gpu;
    gpu_side side;
    lmb_gpu_profile *profile;
    lmb_profile *times;
} ground;

static const char *const own[] = {"draw"};
#define DRAW ((uint32_t)LMB_GPU_STAGE_COUNT)

static lmb_gpu_profile_def profile_def(void) {
    lmb_gpu_profile_def def = lmb_default_gpu_profile_def();
    def.queue_family = opened.queue_family;
    def.stages = own;
    def.stage_count = 1;
    return def;
}

static bool ground_create(ground *ground) {
    answer = VK_SUCCESS;
    answer_stamps = NULL;
    answer_bits = UINT32_MAX;
    lmb_error error;
    lmb_gpu_def def = device_gpu_def(&opened);
    def.get_instance_proc_addr = door_instance;
    def.pipeline_cache = cache;
    *ground = (struct ground){0};
    assert_ok(lmb_gpu_create(&def, NULL, &ground->gpu, &error), &error);
    lmb_batch_def batch = shared.batch;
    batch.outputs = LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_MODEL_BIT | LMB_OUTPUT_PALETTE_BIT;
    assert_ok(gpu_side_create(&opened, ground->gpu, &batch, 0, &ground->side, &error), &error);
    const lmb_gpu_profile_def with = profile_def();
    lmb_result result = lmb_gpu_profile_create(ground->gpu, &with, &ground->profile, &error);
    if (result == LMB_ERROR_UNSUPPORTED) {
        return false;
    }
    assert_ok(result, &error);
    ground->times = lmb_gpu_profile_times(ground->profile);
    reads = waits = resets = writes = 0;
    return true;
}

static void ground_destroy(ground *ground) {
    lmb_gpu_profile_destroy(ground->profile);
    gpu_side_destroy(&ground->side);
    lmb_gpu_destroy(ground->gpu);
}

#define CREATE_GROUND(name)                                                                                            \
    ground name;                                                                                                       \
    if (!ground_create(&name)) {                                                                                       \
        ground_destroy(&name);                                                                                         \
        skip(); /* the queue has no timestamps */                                                                      \
    }

// Records a frame in a slot of the profile: `batches` times the batch, which has one slot, and a stage of the host.
static void run_frame(ground *ground, uint32_t slot, uint32_t batches) {
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_error error;
    memset(ground->side.poses[0].mapped, 0, ground->side.poses[0].size);
    memcpy(lmb_gpu_batch_parameters(ground->side.batch, 0), shared.parameters[0],
           shared.batch.character_count * lmb_graph_get_info(shared.program)->parameter_count * sizeof(float));
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    assert_ok(lmb_gpu_profile_begin(ground->profile, slot, commands, &error), &error);
    for (uint32_t i = 0; i < batches && slot == 0; i++) {
        const lmb_gpu_record_info info = {.commands = commands, .slot = slot, .profile = ground->profile};
        assert_ok(lmb_gpu_batch_record(ground->side.batch, &info, &error), &error);
    }
    assert_ok(lmb_gpu_profile_mark(ground->profile, slot, commands, LMB_NONE, &error), &error);
    assert_ok(lmb_gpu_profile_mark(ground->profile, slot, commands, DRAW, &error), &error);
    assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
}

static bool collect(ground *ground, uint32_t slot) {
    bool collected = false;
    lmb_error error;
    assert_ok(lmb_gpu_profile_collect(ground->profile, slot, &collected, &error), &error);
    return collected;
}

static void expect_error(lmb_result result, const lmb_error *error, lmb_result expected, const char *part) {
    if (result != expected || error->result != expected || strstr(error->message, part) == NULL) {
        fail_msg("%s '%s' instead of %s with '%s'", lmb_result_name(result), result == LMB_OK ? "" : error->message,
                 lmb_result_name(expected), part);
    }
}

static void stages_follow_each_other_and_lie_within_their_frame(void **state) {
    (void)state;
    CREATE_GROUND(ground);
    lmb_profile_event events[64];
    uint64_t ended = 0;
    for (uint32_t frame = 0; frame < 3; frame++) {
        run_frame(&ground, 0, 2);
        assert_true(collect(&ground, 0));
        const uint32_t count = lmb_profile_take(ground.times, events, 64);
        assert_true(count >= 6 && count < 64);
        const lmb_profile_event whole = events[count - 1];
        assert_int_equal(whole.stage, LMB_GPU_STAGE_FRAME);
        assert_true(whole.begin >= ended && whole.end > whole.begin);
        assert_true(frame > 0 || whole.begin == 0);
        assert_int_equal(events[0].stage, LMB_GPU_STAGE_PARAMETERS);
        assert_int_equal(events[count - 2].stage, DRAW);
        uint64_t before = whole.begin, sum = 0;
        for (uint32_t i = 0; i + 1 < count; i++) {
            assert_true(events[i].begin >= before && events[i].end >= events[i].begin);
            assert_true(events[i].end <= whole.end);
            before = events[i].end;
            sum += events[i].end - events[i].begin;
        }
        assert_true(sum > 0 && sum <= whole.end - whole.begin);
        ended = whole.end;
    }
    assert_int_equal(lmb_profile_total(ground.times, LMB_GPU_STAGE_FRAME).count, 3);
    assert_int_equal(lmb_profile_total(ground.times, LMB_GPU_STAGE_PARAMETERS).count, 6);
    assert_int_equal(lmb_profile_total(ground.times, LMB_GPU_STAGE_CHARACTERS).count, 6);
    assert_true(lmb_profile_total(ground.times, LMB_GPU_STAGE_CHARACTERS).min > 0);
    assert_int_equal(lmb_profile_total(ground.times, DRAW).count, 3);
    assert_string_equal(lmb_profile_stage_name(ground.times, DRAW), "draw");
    assert_string_equal(lmb_profile_stage_name(ground.times, LMB_GPU_STAGE_CHARACTERS), "characters");
    assert_int_equal(waits, 0);
    ground_destroy(&ground);
}

static void a_batch_without_a_profile_writes_no_timestamps(void **state) {
    (void)state;
    CREATE_GROUND(ground);
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_error error;
    memset(lmb_gpu_batch_parameters(ground.side.batch, 0), 0,
           shared.batch.character_count * lmb_graph_get_info(shared.program)->parameter_count * sizeof(float));
    memset(ground.side.poses[0].mapped, 0, ground.side.poses[0].size);
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    const lmb_gpu_record_info info = {.commands = commands};
    assert_ok(lmb_gpu_batch_record(ground.side.batch, &info, &error), &error);
    assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
    assert_int_equal(resets + writes + reads, 0);
    ground_destroy(&ground);
}

// Unfinished frames are skipped without waiting, and can be read later. A frame that was read is not read again.
static void a_frame_that_is_not_there_yet_is_left(void **state) {
    (void)state;
    CREATE_GROUND(ground);
    assert_false(collect(&ground, 0)); // never recorded
    assert_int_equal(reads, 0);
    run_frame(&ground, 0, 1);
    answer = VK_NOT_READY;
    for (int i = 0; i < 3; i++) {
        assert_false(collect(&ground, 0));
    }
    assert_int_equal(reads, 3);
    assert_int_equal(lmb_profile_total(ground.times, LMB_GPU_STAGE_FRAME).count, 0);
    answer = VK_SUCCESS;
    assert_true(collect(&ground, 0));
    assert_false(collect(&ground, 0));
    assert_int_equal(reads, 4);
    assert_int_equal(lmb_profile_total(ground.times, LMB_GPU_STAGE_FRAME).count, 1);
    assert_int_equal(lmb_gpu_profile_missed(ground.profile), 0);
    // Recorded again and not yet submitted: the queries still contain the previous frame.
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_error error;
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    assert_ok(lmb_gpu_profile_begin(ground.profile, 0, commands, &error), &error);
    assert_false(collect(&ground, 0));
    assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
    assert_true(collect(&ground, 0));
    run_frame(&ground, 1, 0);
    run_frame(&ground, 1, 0);
    assert_int_equal(lmb_gpu_profile_missed(ground.profile), 1);
    assert_true(collect(&ground, 1));
    assert_int_equal(lmb_profile_total(ground.times, LMB_GPU_STAGE_FRAME).count, 3);
    assert_int_equal(waits, 0);
    ground_destroy(&ground);
}

static void a_read_that_fails_is_named(void **state) {
    (void)state;
    CREATE_GROUND(ground);
    run_frame(&ground, 0, 1);
    answer = VK_ERROR_DEVICE_LOST;
    bool collected = true;
    lmb_error error;
    expect_error(lmb_gpu_profile_collect(ground.profile, 0, &collected, &error), &error, LMB_ERROR_VULKAN,
                 "vkGetQueryPoolResults: VK_ERROR_DEVICE_LOST");
    assert_false(collected);
    answer = VK_SUCCESS;
    assert_true(collect(&ground, 0));
    ground_destroy(&ground);
}

// Timestamps of 36 bits that wrap around within a frame and between frames, with the device's period.
static void timestamps_wrap_at_their_valid_bits(void **state) {
    (void)state;
    CREATE_GROUND(ground);
    lmb_gpu_profile_destroy(ground.profile);
    ground.profile = NULL;
    answer_bits = 36;
    lmb_error error;
    const lmb_gpu_profile_def def = profile_def();
    assert_ok(lmb_gpu_profile_create(ground.gpu, &def, &ground.profile, &error), &error);
    ground.times = lmb_gpu_profile_times(ground.profile);
    const double period = (double)opened.properties.limits.timestampPeriod;
    const uint64_t top = ((uint64_t)1 << 36) - 1, dirt = (uint64_t)0xabc << 36;
    const uint64_t frames[2][3] = {{top - 999, (top - 499) | dirt, 500}, {700 | dirt, 1200, 1700 | dirt}};
    for (int frame = 0; frame < 2; frame++) {
        run_frame(&ground, 1, 0);
        answer_stamps = frames[frame];
        assert_true(collect(&ground, 1));
        answer_stamps = NULL;
    }
    lmb_profile_event events[4];
    assert_int_equal(lmb_profile_take(ground.times, events, 4), 4);
    const double expected[4][2] = {{500, 1500}, {0, 1500}, {2200, 2700}, {1700, 2700}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(events[i].stage, i % 2 == 0 ? DRAW : LMB_GPU_STAGE_FRAME);
        assert_int_equal(events[i].begin, (uint64_t)(expected[i][0] * period));
        assert_int_equal(events[i].end, (uint64_t)(expected[i][1] * period));
    }
    ground_destroy(&ground);
}

static void a_queue_without_timestamps_is_not_supported(void **state) {
    (void)state;
    CREATE_GROUND(ground);
    answer_bits = 0;
    lmb_gpu_profile *profile = NULL;
    lmb_error error;
    const lmb_gpu_profile_def def = profile_def();
    expect_error(lmb_gpu_profile_create(ground.gpu, &def, &profile, &error), &error, LMB_ERROR_UNSUPPORTED,
                 "no timestamps");
    assert_null(profile);
    ground_destroy(&ground);
}

static void wrong_descriptors_are_named(void **state) {
    (void)state;
    CREATE_GROUND(ground);
    const lmb_gpu_profile_def good = profile_def();
    lmb_gpu_profile *profile = NULL;
    lmb_error error;
    expect_error(lmb_gpu_profile_create(NULL, &good, &profile, &error), &error, LMB_ERROR_ARGUMENT, "gpu is NULL");
    expect_error(lmb_gpu_profile_create(ground.gpu, NULL, &profile, &error), &error, LMB_ERROR_ARGUMENT, "descriptor");
    expect_error(lmb_gpu_profile_create(ground.gpu, &good, NULL, &error), &error, LMB_ERROR_ARGUMENT, "result");
    lmb_gpu_profile_def defs[8];
    for (int i = 0; i < 8; i++) {
        defs[i] = good;
    }
    defs[0].queue_family = 1000;
    defs[1].slot_count = 0;
    defs[2].slot_count = 9;
    defs[3].mark_count = 1;
    defs[4].mark_count = 4097;
    defs[5].stages = NULL;
    defs[6].stage_count = LMB_MAX_PROFILE_STAGES;
    defs[7].window = LMB_MAX_PROFILE_WINDOW + 1;
    static const char *const messages[] = {"queue family 1000", "0 frame slots", "9 frame slots", "1 marks",
                                           "4097 marks",        "stages",        "64 stages",     "window"};
    for (int i = 0; i < 8; i++) {
        expect_error(lmb_gpu_profile_create(ground.gpu, &defs[i], &profile, &error), &error,
                     i < 6 ? LMB_ERROR_ARGUMENT : LMB_ERROR_LIMIT, messages[i]);
        assert_null(profile);
    }
    lmb_gpu_profile_destroy(NULL);
    ground_destroy(&ground);
}

static void calls_in_the_wrong_state_are_refused(void **state) {
    (void)state;
    CREATE_GROUND(ground);
    lmb_gpu_profile_def def = profile_def();
    def.mark_count = 4;
    lmb_gpu_profile *small = NULL;
    lmb_gpu *other = NULL;
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_error error;
    lmb_gpu_def gpu_def = device_gpu_def(&opened);
    gpu_def.pipeline_cache = cache;
    assert_ok(lmb_gpu_create(&gpu_def, NULL, &other, &error), &error);
    assert_ok(lmb_gpu_profile_create(other, &def, &small, &error), &error);
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    lmb_gpu_record_info info = {.commands = commands, .profile = ground.profile};
    expect_error(lmb_gpu_batch_record(ground.side.batch, &info, &error), &error, LMB_ERROR_STATE, "has not begun");
    info.profile = small;
    expect_error(lmb_gpu_batch_record(ground.side.batch, &info, &error), &error, LMB_ERROR_ARGUMENT, "another gpu");
    expect_error(lmb_gpu_profile_begin(NULL, 0, commands, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    expect_error(lmb_gpu_profile_begin(small, 2, commands, &error), &error, LMB_ERROR_ARGUMENT, "frame slot 2");
    expect_error(lmb_gpu_profile_begin(small, 0, NULL, &error), &error, LMB_ERROR_ARGUMENT, "command buffer");
    expect_error(lmb_gpu_profile_mark(small, 0, commands, DRAW, &error), &error, LMB_ERROR_STATE, "has not begun");
    assert_ok(lmb_gpu_profile_begin(small, 0, commands, &error), &error);
    expect_error(lmb_gpu_profile_mark(NULL, 0, commands, DRAW, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    expect_error(lmb_gpu_profile_mark(small, 0, NULL, DRAW, &error), &error, LMB_ERROR_ARGUMENT, "command buffer");
    expect_error(lmb_gpu_profile_mark(small, 9, commands, DRAW, &error), &error, LMB_ERROR_ARGUMENT, "frame slot 9");
    expect_error(lmb_gpu_profile_mark(small, 0, commands, DRAW + 1, &error), &error, LMB_ERROR_ARGUMENT, "stage");
    expect_error(lmb_gpu_profile_mark(small, 0, commands, LMB_GPU_STAGE_FRAME, &error), &error, LMB_ERROR_ARGUMENT,
                 "stage 0");
    for (int i = 0; i < 3; i++) {
        assert_ok(lmb_gpu_profile_mark(small, 0, commands, DRAW, &error), &error);
    }
    expect_error(lmb_gpu_profile_mark(small, 0, commands, DRAW, &error), &error, LMB_ERROR_LIMIT, "4 marks");
    expect_error(lmb_gpu_profile_collect(small, 2, NULL, &error), &error, LMB_ERROR_ARGUMENT, "frame slot 2");
    expect_error(lmb_gpu_profile_collect(NULL, 0, NULL, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
    lmb_gpu_profile_destroy(small);
    lmb_gpu_destroy(other);
    ground_destroy(&ground);
}

// A batch whose marks do not all fit records nothing.
static void a_batch_past_the_marks_is_refused_whole(void **state) {
    (void)state;
    CREATE_GROUND(ground);
    lmb_gpu_profile_def def = profile_def();
    def.mark_count = 6;
    lmb_gpu_profile *small = NULL;
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_error error;
    memset(lmb_gpu_batch_parameters(ground.side.batch, 0), 0,
           shared.batch.character_count * lmb_graph_get_info(shared.program)->parameter_count * sizeof(float));
    memset(ground.side.poses[0].mapped, 0, ground.side.poses[0].size);
    assert_ok(lmb_gpu_profile_create(ground.gpu, &def, &small, &error), &error);
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    assert_ok(lmb_gpu_profile_begin(small, 0, commands, &error), &error);
    const lmb_gpu_record_info info = {.commands = commands, .profile = small};
    assert_ok(lmb_gpu_batch_record(ground.side.batch, &info, &error), &error);
    const uint32_t before = writes;
    expect_error(lmb_gpu_batch_record(ground.side.batch, &info, &error), &error, LMB_ERROR_LIMIT, "do not fit");
    assert_int_equal(writes, before);
    assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
    lmb_gpu_profile_destroy(small);
    ground_destroy(&ground);
}

static VkDeviceSize bytes_of(const lmb_gpu_bytes *rows, uint32_t count, const char *name, uint32_t buffers) {
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            assert_int_equal(rows[i].count, buffers);
            return rows[i].bytes;
        }
    }
    fail_msg("no row '%s'", name);
    return 0;
}

static void bytes_are_those_of_every_buffer(void **state) {
    (void)state;
    CREATE_GROUND(ground);
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.graph = ground.side.program;
    def.character_count = 10;
    def.outputs = LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_MODEL_BIT | LMB_OUTPUT_PALETTE_BIT;
    def.slot_count = 3;
    const uint64_t joints = lmb_graph_get_info(shared.program)->joint_count;
    def.span_bytes = 5 * joints * sizeof(lmb_affine);
    lmb_gpu_batch *batch = NULL;
    lmb_error error;
    assert_ok(lmb_gpu_batch_create(ground.gpu, &def, &batch, &error), &error);
    lmb_gpu_bytes rows[LMB_MAX_GPU_BYTES_ROWS];
    const uint32_t count = lmb_gpu_batch_bytes(batch, rows, LMB_MAX_GPU_BYTES_ROWS);
    assert_true(count >= 6 && count <= LMB_MAX_GPU_BYTES_ROWS);
    const uint64_t parameters = 3 * 10 * lmb_graph_get_info(shared.program)->parameter_count * sizeof(float);
    assert_int_equal(bytes_of(rows, count, "parameters", 3), parameters);
    assert_int_equal(bytes_of(rows, count, "palette", 6), 3 * 10 * joints * sizeof(lmb_affine));
    assert_int_equal(bytes_of(rows, count, "model", 6), 3 * 10 * joints * sizeof(lmb_affine));
    assert_int_equal(bytes_of(rows, count, "local", 6), 3 * 10 * joints * sizeof(lmb_transform));
    assert_int_equal(lmb_gpu_batch_refused(batch, 2).size, LMB_REFUSAL_COUNT * sizeof(uint32_t));
    assert_true(bytes_of(rows, count, "spans", 3) > 3 * (LMB_REFUSAL_COUNT * sizeof(uint32_t) + 2 * sizeof(uint64_t)));
    assert_true(bytes_of(rows, count, "graph", 1) > joints * sizeof(lmb_affine));
    for (uint32_t i = 0; i < count; i++) {
        const bool staging = strstr(rows[i].name, "staging") != NULL;
        assert_true(rows[i].host_access == staging || strcmp(rows[i].name, "parameters") == 0);
    }
    lmb_gpu_bytes first = {0};
    assert_int_equal(lmb_gpu_batch_bytes(batch, &first, 1), count);
    assert_string_equal(first.name, rows[0].name);
    assert_int_equal(lmb_gpu_batch_bytes(batch, NULL, 0), count);
    lmb_gpu_batch_destroy(batch);
    ground_destroy(&ground);
}

static void bytes_include_the_control_and_exchange_areas(void **state) {
    (void)state;
    CREATE_GROUND(ground);
    const lmb_player_def player = lmb_default_player_def();
    static const float forward[3] = {0.0f, 0.0f, 1.0f};
    const lmb_value target[3] = {lmb_constant(1.0f), lmb_constant(0.0f), lmb_constant(0.0f)};
    const lmb_node_def nodes[2] = {lmb_playing_node(0, &player), lmb_aim_node(0, 0, forward, target)};
    lmb_graph_def graph_def = lmb_default_graph_def();
    graph_def.rig = shared.rig;
    graph_def.clips = (const lmb_clip *const[]){shared.clips[0]};
    graph_def.clip_count = 1;
    graph_def.nodes = nodes;
    graph_def.node_count = 2;
    lmb_graph *graph = NULL;
    lmb_gpu_graph *gpu_graph = NULL;
    lmb_gpu_batch *batch = NULL;
    lmb_error error;
    assert_ok(lmb_graph_create(&graph_def, NULL, &graph, &error), &error);
    assert_ok(lmb_gpu_graph_create(ground.gpu, graph, &gpu_graph, &error), &error);
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.graph = gpu_graph;
    def.character_count = 10;
    def.slot_count = 2;
    def.events_a_frame = 5;
    assert_ok(lmb_gpu_batch_create(ground.gpu, &def, &batch, &error), &error);
    lmb_gpu_bytes rows[LMB_MAX_GPU_BYTES_ROWS];
    const uint32_t count = lmb_gpu_batch_bytes(batch, rows, LMB_MAX_GPU_BYTES_ROWS);
    assert_true(count <= LMB_MAX_GPU_BYTES_ROWS);
    const uint32_t words = lmb_graph_get_info(graph)->state_words;
    const uint64_t parameters = 2 * 10 * lmb_graph_get_info(graph)->parameter_count * sizeof(float);
    assert_int_equal(bytes_of(rows, count, "parameters", 2), parameters);
    assert_int_equal(bytes_of(rows, count, "parameters staging", 2), parameters);
    assert_int_equal(bytes_of(rows, count, "control state", 1), 10 * words * sizeof(uint32_t));
    const uint64_t areas = (uint64_t)lmb_graph_get_info(graph)->exchange_count *
                           lmb_graph_get_info(graph)->joint_count * sizeof(lmb_affine);
    assert_true(areas > 0);
    assert_int_equal(bytes_of(rows, count, "exchange areas", 2), 2 * 10 * areas);
    assert_int_equal(bytes_of(rows, count, "events", 2), 2 * 5 * sizeof(lmb_event));
    assert_int_equal(bytes_of(rows, count, "events staging", 2), 2 * 5 * sizeof(lmb_event));
    lmb_gpu_batch_destroy(batch);
    lmb_gpu_graph_destroy(gpu_graph);
    lmb_graph_destroy(graph);
    ground_destroy(&ground);
}

static int start(void **state) {
    (void)state;
    lmb_error error;
    open_device(&opened);
    const VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    assert_int_equal(vkCreatePipelineCache(opened.device, &info, NULL, &cache), VK_SUCCESS);
    return scenario_create(&shared, &error) == LMB_OK ? 0 : -1;
}

static int finish(void **state) {
    (void)state;
    scenario_destroy(&shared);
    vkDestroyPipelineCache(opened.device, cache, NULL);
    return device_close(&opened) == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_follow_each_other_and_lie_within_their_frame),
        cmocka_unit_test(a_batch_without_a_profile_writes_no_timestamps),
        cmocka_unit_test(a_frame_that_is_not_there_yet_is_left),
        cmocka_unit_test(a_read_that_fails_is_named),
        cmocka_unit_test(timestamps_wrap_at_their_valid_bits),
        cmocka_unit_test(a_queue_without_timestamps_is_not_supported),
        cmocka_unit_test(wrong_descriptors_are_named),
        cmocka_unit_test(calls_in_the_wrong_state_are_refused),
        cmocka_unit_test(a_batch_past_the_marks_is_refused_whole),
        cmocka_unit_test(bytes_are_those_of_every_buffer),
        cmocka_unit_test(bytes_include_the_control_and_exchange_areas),
    };
    return run_gpu_suite_with("gpu_profile", tests, sizeof tests / sizeof tests[0], start, finish);
}
