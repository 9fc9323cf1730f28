// Skinning on a Vulkan device: the bits of the reference for usual and extreme values, lists, spans and packed slots;
// after a batch in one command buffer; and invalid runs.
#include "gpu_suite.h"
#include "scene.h"
#include "skin_scene.h"

#include <limber/gpu_skin.h>

#include <stdio.h>

static device opened;
static lmb_gpu *gpu;
static lmb_gpu_skin *gpu_skin;

static int start(void **state) {
    (void)state;
    lmb_error error;
    open_device(&opened);
    const lmb_gpu_def def = device_gpu_def(&opened);
    assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
    assert_ok(lmb_gpu_skin_create(gpu, &gpu_skin, &error), &error);
    return 0;
}

static int finish(void **state) {
    (void)state;
    lmb_gpu_skin_destroy(gpu_skin);
    lmb_gpu_destroy(gpu);
    close_device(&opened);
    return 0;
}

static device_buffer buffer_with(const void *bytes, size_t size) {
    return suite_buffer(&opened, bytes, size);
}

// The buffers of a run. Those that the run does not need have no buffer.
typedef struct run_buffers {
    device_buffer words, palettes[2], channels[2], list, refused, streams[LMB_SKIN_OUTPUT_COUNT];
    lmb_gpu_skin_run run;
} run_buffers;

// `outputs` gives the content of the streams before the run. The list's buffer begins with its count.
static run_buffers buffers_create(const skin_scene *scene, const lmb_skin_layout *layout, const uint32_t *list,
                                  uint32_t list_count, uint32_t capacity, const skin_scene_outputs *outputs) {
    run_buffers b = {.run = {.skin = scene->skin, .layout = *layout}};
    const lmb_skin_method method = layout->method;
    const size_t palette_bytes = scene->palette_floats[method] * sizeof(float);
    const VkDeviceSize first = palette_bytes / SKIN_SCENE_CHARACTERS * layout->first_character;
    b.words = buffer_with(lmb_skin_get_info(scene->skin)->words,
                          lmb_skin_get_info(scene->skin)->word_count * sizeof(uint32_t));
    b.run.words = b.words.address;
    for (int frame = 0; frame < 2; frame++) {
        b.palettes[frame] = buffer_with(scene->palettes[method][frame], palette_bytes);
    }
    const VkDeviceSize first_channel = layout->first_character * SKIN_SCENE_CHANNELS * sizeof(float);
    for (int frame = 0; frame < 2; frame++) {
        b.channels[frame] = buffer_with(scene->channels[frame], sizeof scene->channels[frame]);
    }
    b.run.channels = b.channels[0].address + first_channel;
    b.run.previous_channels = b.channels[1].address + first_channel;
    b.run.palette = b.palettes[0].address + first;
    b.run.previous_palette = b.palettes[1].address + first;
    b.refused = buffer_with(outputs->refused, sizeof outputs->refused);
    b.run.refused_sums = b.refused.address;
    if (list != NULL) {
        uint32_t content[64] = {list_count};
        assert_true(list_count < 64);
        memcpy(content + 1, list, (list_count < capacity ? list_count : capacity) * sizeof *list);
        b.list = buffer_with(content, sizeof content);
        b.run.list_count = b.list.address;
        b.run.list = b.list.address + sizeof(uint32_t);
        b.run.list_capacity = capacity;
    }
    for (int i = 0; i < LMB_SKIN_OUTPUT_COUNT; i++) {
        if (outputs->sizes[i] > 0) {
            b.streams[i] = buffer_with(outputs->streams[i], outputs->sizes[i]);
            b.run.streams[i] = b.streams[i].address;
        }
    }
    return b;
}

static void buffers_destroy(run_buffers *b) {
    device_buffer *const all[] = {&b->words,       &b->palettes[0], &b->palettes[1], &b->channels[0],
                                  &b->channels[1], &b->list,        &b->refused};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        device_buffer_destroy(&opened, all[i]);
    }
    for (int i = 0; i < LMB_SKIN_OUTPUT_COUNT; i++) {
        device_buffer_destroy(&opened, &b->streams[i]);
    }
}

// Makes writes of compute shaders visible to the host.
static void record_host_barrier(VkCommandBuffer commands) {
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                         NULL, 0, NULL);
}

static void submit_runs(const lmb_gpu_skin_run *runs, uint32_t count) {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    lmb_error error;
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    const lmb_result result = lmb_gpu_skin_record(gpu_skin, commands, runs, count, &error);
    record_host_barrier(commands);
    assert_ok(device_finish(&opened, pool, commands, result, &error), &error);
}

static void expect_outputs(const run_buffers *b, const skin_scene_outputs *expected, uint32_t number) {
    for (int i = 0; i < LMB_SKIN_OUTPUT_COUNT; i++) {
        const char *found = b->streams[i].mapped;
        for (size_t at = 0; at < expected->sizes[i]; at++) {
            if (found[at] != expected->streams[i][at]) {
                fail_msg("case %u: byte %zu of %zu of the %s differs", number, at, expected->sizes[i],
                         lmb_skin_output_name((lmb_skin_output)i));
            }
        }
    }
    const uint32_t *refused = b->refused.mapped;
    for (int i = 0; i < LMB_REFUSAL_COUNT; i++) {
        if (refused[i] != expected->refused[i]) {
            fail_msg("case %u: %u refusals of kind %d on the device, %u on the reference", number, refused[i], i,
                     expected->refused[i]);
        }
    }
}

// Runs a scene on both sides.
static void compare_case(const skin_scene *scene, const lmb_skin_layout *layout, const uint32_t *list,
                         uint32_t list_count, uint32_t number) {
    const uint32_t slots = SKIN_SCENE_CHARACTERS;
    skin_scene_outputs expected = skin_scene_outputs_create(scene->skin, layout, slots, 0x33);
    run_buffers b = buffers_create(scene, layout, list, list_count, slots, &expected);
    lmb_error error;
    assert_ok(skin_scene_run(scene, LMB_CPU_REFERENCE, layout, list, list_count, &expected, &error), &error);
    submit_runs(&b.run, 1);
    expect_outputs(&b, &expected, number);
    buffers_destroy(&b);
    skin_scene_outputs_destroy(&expected);
}

static void results_have_the_bits_of_the_reference(void **state) {
    (void)state;
    static const uint32_t list[] = {3, 4, 0, 8, SKIN_SCENE_CHARACTERS, 1, UINT32_MAX};
    for (uint32_t i = 0; i < 32; i++) {
        const skin_scene_values values = i % 3 != 0 ? SKIN_SCENE_EXTREME : SKIN_SCENE_USUAL;
        const uint32_t targets = i / 3 % 2 == 0 ? 0 : 1 + i;
        skin_scene scene =
            skin_scene_create(1 + i * 29, 1 + i % LMB_MAX_SKIN_INFLUENCES, targets, values, suite_first() + i);
        lmb_skin_layout layout = skin_scene_layout((lmb_skin_method)(i % 2),
                                                   i / 2 % 2 == 0 ? LMB_SKIN_FORMAT_FLOAT : LMB_SKIN_FORMAT_SNORM16);
        const bool listed = i / 4 % 2 == 0;
        layout.packed = i / 8 % 2 == 0;
        layout.character_vertices = i / 16 % 2 == 0 ? 0 : lmb_skin_get_info(scene.skin)->vertex_count + 5;
        layout.streams[LMB_SKIN_OUTPUT_POSITIONS].stride = i % 5 == 0 ? 28 : 0;
        if (i % 7 == 0) { // a span
            layout.first_character = 2;
            layout.palette_count = 5;
        }
        if (i % 11 == 0) {
            layout.streams[LMB_SKIN_OUTPUT_POSITIONS].format = LMB_SKIN_FORMAT_NONE;
            layout.streams[LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS].format = LMB_SKIN_FORMAT_NONE;
        }
        compare_case(&scene, &layout, listed ? list : NULL, listed ? sizeof list / sizeof list[0] : 0, i);
        skin_scene_destroy(&scene);
    }
}

// A workgroup skins its vertices for several characters.
static void large_meshes_have_them_too(void **state) {
    (void)state;
    skin_scene scene = skin_scene_create(140001, 2, 3, SKIN_SCENE_USUAL, 77);
    for (int method = 0; method < LMB_SKIN_METHOD_COUNT; method++) {
        const lmb_skin_layout layout = skin_scene_layout((lmb_skin_method)method, LMB_SKIN_FORMAT_SNORM16);
        compare_case(&scene, &layout, NULL, 0, 0);
    }
    skin_scene_destroy(&scene);
}

static void long_lists_are_cut_and_counted(void **state) {
    (void)state;
    static const uint32_t list[] = {3, 4, 0, 8, 2};
    skin_scene scene = skin_scene_create(100, 4, 0, SKIN_SCENE_USUAL, 78);
    lmb_skin_layout layout = skin_scene_layout(LMB_SKIN_METHOD_LINEAR, LMB_SKIN_FORMAT_FLOAT);
    layout.packed = true;
    skin_scene_outputs expected = skin_scene_outputs_create(scene.skin, &layout, 5, 0x33);
    run_buffers b = buffers_create(&scene, &layout, list, 5, 3, &expected);
    lmb_error error;
    assert_ok(skin_scene_run(&scene, LMB_CPU_REFERENCE, &layout, list, 3, &expected, &error), &error);
    expected.refused[LMB_REFUSED_CHARACTER]++;
    submit_runs(&b.run, 1);
    expect_outputs(&b, &expected, 0);
    buffers_destroy(&b);
    skin_scene_outputs_destroy(&expected);
    skin_scene_destroy(&scene);
}

// A batch of several spans, with a previous palette, and a mesh for it in the same command buffer.
enum { BATCH_CHARACTERS = 20, BATCH_JOINTS = 23 };

static lmb_graph *create_graph(lmb_rig *rig) {
    lmb_node_def nodes[1] = {lmb_default_node_def()};
    nodes[0].op = LMB_OP_POSE;
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = rig;
    def.nodes = nodes;
    def.node_count = 1;
    lmb_graph *graph = NULL;
    lmb_error error;
    assert_ok(lmb_graph_create(&def, NULL, &graph, &error), &error);
    return graph;
}

static float *create_poses(const lmb_graph *graph, uint32_t frame, size_t *bytes) {
    const size_t floats = lmb_graph_pose_floats(graph, 0);
    float *poses = calloc(BATCH_CHARACTERS * floats, sizeof *poses);
    assert_non_null(poses);
    for (uint32_t i = 0; i < BATCH_CHARACTERS * BATCH_JOINTS; i++) {
        random_source source = random_branch(frame, i);
        float rotation[4];
        random_rotation(&source, rotation);
        float *to = poses + i / BATCH_JOINTS * floats + i % BATCH_JOINTS;
        for (uint32_t component = 0; component < LMB_POSE_COMPONENTS; component++) {
            const bool rotates = component >= 3 && component < 7;
            const double low = component < 3 ? -1.0 : 0.8, high = component < 3 ? 1.0 : 1.25;
            to[component * BATCH_JOINTS] =
                rotates ? rotation[component - 3] : (float)random_between(&source, low, high);
        }
    }
    *bytes = BATCH_CHARACTERS * floats * sizeof *poses;
    return poses;
}

// Skins two frames of a batch on the CPU.
static void run_on_the_cpu(const lmb_graph *graph, lmb_skin_method method, const skin_scene *scene, float *poses[2],
                           const lmb_skin_layout *layout, skin_scene_outputs *expected) {
    const lmb_output stage = method == LMB_SKIN_METHOD_LINEAR ? LMB_OUTPUT_PALETTE : LMB_OUTPUT_DUAL_QUATERNIONS;
    const lmb_batch_def batch = {graph, BATCH_CHARACTERS, 1u << stage};
    const size_t floats = (size_t)BATCH_CHARACTERS * lmb_batch_output_floats(&batch, stage);
    float *palettes[2];
    lmb_cpu *cpu = NULL;
    lmb_error error;
    assert_ok(lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &cpu, &error), &error);
    for (int frame = 0; frame < 2; frame++) {
        palettes[frame] = calloc(floats, sizeof(float));
        const lmb_batch_inputs inputs = {.poses = {poses[frame]}};
        lmb_batch_outputs outputs = {.refused = NULL};
        outputs.buffers[stage] = palettes[frame];
        assert_ok(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), &error);
    }
    lmb_skin_run_info info = {
        .layout = *layout, .palette = palettes[1], .previous_palette = palettes[0], .refused_sums = expected->refused};
    for (int i = 0; i < LMB_SKIN_OUTPUT_COUNT; i++) {
        info.streams[i] = expected->streams[i];
    }
    assert_ok(lmb_skin_run(scene->skin, LMB_CPU_REFERENCE, &info, &error), &error);
    lmb_cpu_destroy(cpu);
    free(palettes[0]);
    free(palettes[1]);
}

// Records a frame of a batch, and then runs for its spans, if there is a frame before.
static void record_frame(lmb_gpu_batch *batch, lmb_skin_method method, uint32_t frame, const run_buffers *b) {
    const lmb_output stage = method == LMB_SKIN_METHOD_LINEAR ? LMB_OUTPUT_PALETTE : LMB_OUTPUT_DUAL_QUATERNIONS;
    VkCommandPool pool = VK_NULL_HANDLE;
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    lmb_error error;
    assert_ok(device_begin(&opened, &pool, &info.commands, &error), &error);
    info.slot = frame;
    lmb_result result = lmb_gpu_batch_record(batch, &info, &error);
    assert_ok(result, &error);
    lmb_gpu_skin_run runs[8];
    const uint32_t count = lmb_gpu_batch_span_count(batch);
    assert_in_range(count, 2, 8);
    for (uint32_t span = 0; span < count && frame == 1; span++) {
        lmb_gpu_span now, before;
        assert_true(lmb_gpu_batch_output(batch, 1, stage, span, &now));
        assert_true(lmb_gpu_batch_output(batch, 0, stage, span, &before));
        runs[span] = b->run;
        runs[span].palette = now.address;
        runs[span].previous_palette = before.address;
        runs[span].layout.first_character = now.first_character;
        runs[span].layout.palette_count = now.character_count;
        for (int i = 0; i < LMB_SKIN_OUTPUT_COUNT; i++) {
            runs[span].streams[i] +=
                now.first_character * lmb_skin_character_bytes(b->run.skin, &b->run.layout, (lmb_skin_output)i);
        }
    }
    if (frame == 1) {
        result = lmb_gpu_skin_record(gpu_skin, info.commands, runs, count, &error);
        record_host_barrier(info.commands);
    }
    assert_ok(device_finish(&opened, pool, info.commands, result, &error), &error);
}

static void upload(lmb_gpu_graph *graph) {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    lmb_error error;
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    const lmb_result result = lmb_gpu_graph_record_upload(graph, commands, &error);
    assert_ok(device_finish(&opened, pool, commands, result, &error), &error);
    assert_ok(lmb_gpu_graph_uploaded(graph, &error), &error);
}

static void meshes_follow_a_batch(void **state) {
    (void)state;
    lmb_rig *rig = scene_rig(BATCH_JOINTS, SCENE_TREE, 5);
    lmb_graph *graph = create_graph(rig);
    skin_scene scene = skin_scene_create(150, 4, 0, SKIN_SCENE_USUAL, 80);
    lmb_gpu_graph *gpu_graph = NULL;
    lmb_error error;
    assert_int_equal(BATCH_JOINTS, SKIN_SCENE_JOINTS);
    assert_ok(lmb_gpu_graph_create(gpu, graph, &gpu_graph, &error), &error);
    upload(gpu_graph);
    float *poses[2];
    device_buffer pose_buffers[2];
    for (uint32_t frame = 0; frame < 2; frame++) {
        size_t bytes;
        poses[frame] = create_poses(graph, frame, &bytes);
        pose_buffers[frame] = buffer_with(poses[frame], bytes);
    }
    for (int method = 0; method < LMB_SKIN_METHOD_COUNT; method++) {
        lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
        def.graph = gpu_graph;
        def.character_count = BATCH_CHARACTERS;
        def.outputs = method == LMB_SKIN_METHOD_LINEAR ? LMB_OUTPUT_PALETTE_BIT : LMB_OUTPUT_DUAL_QUATERNIONS_BIT;
        def.span_bytes = 7 * BATCH_JOINTS * sizeof(lmb_affine);
        lmb_gpu_batch *batch = NULL;
        assert_ok(lmb_gpu_batch_create(gpu, &def, &batch, &error), &error);
        lmb_skin_layout layout = skin_scene_layout((lmb_skin_method)method, LMB_SKIN_FORMAT_FLOAT);
        layout.character_count = layout.palette_count = BATCH_CHARACTERS;
        skin_scene_outputs expected = skin_scene_outputs_create(scene.skin, &layout, BATCH_CHARACTERS, 0x33);
        run_buffers b = buffers_create(&scene, &layout, NULL, 0, 0, &expected);
        run_on_the_cpu(graph, (lmb_skin_method)method, &scene, poses, &layout, &expected);
        for (uint32_t frame = 0; frame < 2; frame++) {
            assert_ok(lmb_gpu_batch_bind_pose(batch, frame, 0, pose_buffers[frame].address, &error), &error);
            record_frame(batch, (lmb_skin_method)method, frame, &b);
        }
        expect_outputs(&b, &expected, (uint32_t)method);
        buffers_destroy(&b);
        skin_scene_outputs_destroy(&expected);
        lmb_gpu_batch_destroy(batch);
    }
    for (uint32_t frame = 0; frame < 2; frame++) {
        device_buffer_destroy(&opened, &pose_buffers[frame]);
        free(poses[frame]);
    }
    lmb_gpu_graph_destroy(gpu_graph);
    skin_scene_destroy(&scene);
    lmb_graph_destroy(graph);
    lmb_rig_destroy(rig);
}

static void expect_refused(const lmb_gpu_skin_run *run, lmb_result result, const char *text) {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    lmb_error error;
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    lmb_error refusal = {0};
    assert_int_equal(lmb_gpu_skin_record(gpu_skin, commands, run, 1, &refusal), result);
    if (strstr(refusal.message, text) == NULL) {
        fail_msg("'%s' lacks '%s'", refusal.message, text);
    }
    assert_ok(device_finish(&opened, pool, commands, LMB_OK, &error), &error);
}

static void invalid_runs_are_refused(void **state) {
    (void)state;
    static const uint32_t list[] = {1, 2};
    skin_scene scene = skin_scene_create(30, 4, 2, SKIN_SCENE_USUAL, 79);
    const lmb_skin_layout layout = skin_scene_layout(LMB_SKIN_METHOD_LINEAR, LMB_SKIN_FORMAT_FLOAT);
    skin_scene_outputs outputs = skin_scene_outputs_create(scene.skin, &layout, SKIN_SCENE_CHARACTERS, 0);
    run_buffers b = buffers_create(&scene, &layout, list, 2, 2, &outputs);
    lmb_gpu_skin_run run;
#define REFUSED(change, result, text)                                                                                  \
    run = b.run;                                                                                                       \
    change;                                                                                                            \
    expect_refused(&run, result, text)
    REFUSED(run.skin = NULL, LMB_ERROR_ARGUMENT, "run 0: skin: the mesh is NULL");
    REFUSED(run.layout.character_vertices = 1, LMB_ERROR_ARGUMENT,
            "run 0: skin 'scene': a character has room for 1 vertices");
    REFUSED(run.words = 0, LMB_ERROR_ARGUMENT, "the mesh is 0");
    REFUSED(run.palette += 4, LMB_ERROR_ARGUMENT, "the palette is not aligned");
    REFUSED(run.previous_palette = 0, LMB_ERROR_ARGUMENT, "the previous palette is 0");
    REFUSED(run.channels = 0, LMB_ERROR_ARGUMENT, "the channels is 0");
    REFUSED(run.previous_channels += 2, LMB_ERROR_ARGUMENT, "the previous channels is not aligned");
    REFUSED(run.list += 2, LMB_ERROR_ARGUMENT, "the list is not aligned");
    REFUSED(run.list_count = 0, LMB_ERROR_ARGUMENT, "the list's count is 0");
    REFUSED(run.list_capacity = SKIN_SCENE_CHARACTERS + 1, LMB_ERROR_ARGUMENT, "a list of 10 is longer");
    REFUSED(run.refused_sums += 1, LMB_ERROR_ARGUMENT, "the refusal counters is not aligned");
    REFUSED(run.streams[LMB_SKIN_OUTPUT_TANGENTS] = 0, LMB_ERROR_ARGUMENT, "tangents is 0");
#undef REFUSED
    assert_int_equal(lmb_gpu_skin_record(NULL, NULL, &b.run, 1, NULL), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_gpu_skin_record(gpu_skin, NULL, &b.run, 1, NULL), LMB_ERROR_ARGUMENT);
    lmb_gpu_skin *none = gpu_skin;
    assert_int_equal(lmb_gpu_skin_create(NULL, &none, NULL), LMB_ERROR_ARGUMENT);
    assert_null(none);
    lmb_gpu_skin_destroy(NULL);
    assert_int_equal(lmb_gpu_skin_create(gpu, NULL, NULL), LMB_ERROR_ARGUMENT);
    submit_runs(NULL, 0);
    buffers_destroy(&b);
    skin_scene_outputs_destroy(&outputs);
    skin_scene_destroy(&scene);
}

// Without a probe, the object exists and refuses to record.
static void an_unprobed_device_is_refused(void **state) {
    (void)state;
    lmb_gpu_def def = device_gpu_def(&opened);
    def.probe_queue = VK_NULL_HANDLE;
    lmb_gpu *unprobed = NULL;
    lmb_gpu_skin *kernels = NULL;
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    lmb_error error;
    assert_ok(lmb_gpu_create(&def, NULL, &unprobed, &error), &error);
    assert_ok(lmb_gpu_skin_create(unprobed, &kernels, &error), &error);
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    assert_int_equal(lmb_gpu_skin_record(kernels, commands, NULL, 0, &error), LMB_ERROR_STATE);
    assert_ok(device_finish(&opened, pool, commands, LMB_OK, &error), &error);
    lmb_gpu_skin_destroy(kernels);
    lmb_gpu_destroy(unprobed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_have_the_bits_of_the_reference),
        cmocka_unit_test(large_meshes_have_them_too),
        cmocka_unit_test(long_lists_are_cut_and_counted),
        cmocka_unit_test(meshes_follow_a_batch),
        cmocka_unit_test(invalid_runs_are_refused),
        cmocka_unit_test(an_unprobed_device_is_refused),
    };
    return run_gpu_suite_with("skin_gpu_test", tests, sizeof tests / sizeof tests[0], start, finish);
}
