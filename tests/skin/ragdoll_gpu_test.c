// Bodies of ragdolls on a device: the bits of the CPU for usual and extreme values, with and without masks and animated
// poses; and invalid calls.
#include "gpu_suite.h"
#include "ragdoll_scene.h"

#include <limber/gpu_ragdoll.h>

static device opened;
static lmb_gpu *gpu;
static lmb_gpu_ragdoll *kernel;

static int start(void **state) {
    (void)state;
    lmb_error error;
    open_device(&opened);
    const lmb_gpu_def def = device_gpu_def(&opened);
    assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
    assert_ok(lmb_gpu_ragdoll_create(gpu, &kernel, &error), &error);
    return 0;
}

static int finish(void **state) {
    (void)state;
    lmb_gpu_ragdoll_destroy(kernel);
    lmb_gpu_destroy(gpu);
    close_device(&opened);
    return 0;
}

static device_buffer buffer_with(const void *bytes, size_t size) {
    return suite_buffer(&opened, bytes, size);
}

// The arrays of a scene on the device.
typedef struct arrays {
    lmb_gpu_graph *graph;
    device_buffer animated, models, poses, refused;
} arrays;

static arrays arrays_create(const ragdoll_scene *scene) {
    const uint32_t zeros[LMB_REFUSAL_COUNT] = {0};
    arrays a = {
        .animated = buffer_with(scene->animated, scene->character_count * scene->pose_floats * sizeof(float)),
        .models = buffer_with(scene->models, scene->character_count * scene->model_floats * sizeof(float)),
        .poses = buffer_with(scene->poses, scene->character_count * scene->pose_floats * sizeof(float)),
        .refused = buffer_with(zeros, sizeof zeros),
    };
    lmb_error error;
    assert_ok(lmb_gpu_graph_create(gpu, scene->graph, &a.graph, &error), &error);
    return a;
}

static void arrays_destroy(arrays *a) {
    lmb_gpu_graph_destroy(a->graph);
    device_buffer_destroy(&opened, &a->animated);
    device_buffer_destroy(&opened, &a->models);
    device_buffer_destroy(&opened, &a->poses);
    device_buffer_destroy(&opened, &a->refused);
}

static lmb_gpu_ragdoll_info info_of(const ragdoll_scene *scene, const arrays *a, uint32_t mask, bool is_animated) {
    lmb_gpu_ragdoll_info info = lmb_default_gpu_ragdoll_info();
    info.graph = a->graph;
    info.character_count = scene->character_count;
    info.mask = mask;
    info.animated = is_animated ? a->animated.address : 0;
    info.models = a->models.address;
    info.poses = a->poses.address;
    info.refused_sums = a->refused.address;
    return info;
}

static void run(const arrays *a, const lmb_gpu_ragdoll_info *info) {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    lmb_error error;
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    lmb_result result = lmb_gpu_graph_record_upload(a->graph, commands, &error);
    if (result == LMB_OK) {
        result = lmb_gpu_ragdoll_record(kernel, commands, info, &error);
    }
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                         NULL, 0, NULL);
    assert_ok(device_finish(&opened, pool, commands, result, &error), &error);
}

static void expect_same(ragdoll_values values, uint32_t mask, bool is_animated, uint64_t seed) {
    ragdoll_scene scene = ragdoll_scene_create(131, values, seed);
    arrays a = arrays_create(&scene);
    const lmb_gpu_ragdoll_info there = info_of(&scene, &a, mask, is_animated);
    const lmb_ragdoll_info here = ragdoll_scene_info(&scene, mask, is_animated);
    lmb_error error;
    run(&a, &there);
    assert_ok(lmb_ragdoll_run(&here, &error), &error);
    assert_memory_equal(a.poses.mapped, scene.poses, scene.character_count * scene.pose_floats * sizeof(float));
    assert_memory_equal(a.models.mapped, scene.models, scene.character_count * scene.model_floats * sizeof(float));
    assert_memory_equal(a.refused.mapped, scene.refused, sizeof scene.refused);
    assert_true(values == RAGDOLL_USUAL || scene.refused[LMB_REFUSED_POSE] > 0);
    arrays_destroy(&a);
    ragdoll_scene_destroy(&scene);
}

static void bits_are_those_of_the_cpu(void **state) {
    (void)state;
    static const uint32_t masks[] = {LMB_NONE, 0, 1};
    for (uint64_t i = 0; i < 12; i++) {
        expect_same(i % 2 == 0 ? RAGDOLL_USUAL : RAGDOLL_EXTREME, masks[i / 2 % 3], i >= 6, i);
    }
}

static void invalid_calls_are_refused(void **state) {
    (void)state;
    ragdoll_scene scene = ragdoll_scene_create(2, RAGDOLL_USUAL, 1);
    arrays a = arrays_create(&scene);
    const lmb_gpu_ragdoll_info good = info_of(&scene, &a, 0, true);
    const VkCommandBuffer commands = (VkCommandBuffer)(uintptr_t)16; // not reached
    lmb_error error;
#define REFUSED(result, change, text)                                                                                  \
    do {                                                                                                               \
        lmb_gpu_ragdoll_info info = good;                                                                              \
        change;                                                                                                        \
        assert_int_equal(lmb_gpu_ragdoll_record(kernel, commands, &info, &error), result);                             \
        assert_string_equal(error.message, "gpu ragdoll: " text);                                                      \
    } while (0)
    REFUSED(LMB_ERROR_ARGUMENT, info.graph = NULL, "the graph is NULL");
    REFUSED(LMB_ERROR_ARGUMENT, info.models = 0, "the address of the models is 0");
    REFUSED(LMB_ERROR_ARGUMENT, info.poses = 0, "the address of the poses is 0");
    REFUSED(LMB_ERROR_ARGUMENT, info.poses += 2, "the address of the poses is not a multiple of 4");
    REFUSED(LMB_ERROR_ARGUMENT, info.animated += 1, "the address of the animated poses is not a multiple of 4");
    REFUSED(LMB_ERROR_ARGUMENT, info.refused_sums += 1, "the address of the refusal counters is not a multiple of 4");
    REFUSED(LMB_ERROR_LIMIT, info.character_count = UINT32_MAX,
            "an array of 4294967295 characters has 2^31 words or more");
#undef REFUSED
    lmb_gpu_ragdoll_info info = good;
    info.mask = 2;
    assert_int_equal(lmb_gpu_ragdoll_record(kernel, commands, &info, &error), LMB_ERROR_ARGUMENT);
    assert_string_equal(error.message, "ragdoll: there is no mask 2: the graph has 2");
    assert_int_equal(lmb_gpu_ragdoll_record(kernel, NULL, &good, &error), LMB_ERROR_ARGUMENT);
    assert_string_equal(error.message, "gpu ragdoll: the command buffer is NULL");
    assert_int_equal(lmb_gpu_ragdoll_record(NULL, commands, &good, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_gpu_ragdoll_record(kernel, commands, NULL, &error), LMB_ERROR_ARGUMENT);
    lmb_gpu_ragdoll *created = kernel;
    assert_int_equal(lmb_gpu_ragdoll_create(NULL, &created, &error), LMB_ERROR_ARGUMENT);
    assert_null(created);
    arrays_destroy(&a);
    ragdoll_scene_destroy(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_the_cpu),
        cmocka_unit_test(invalid_calls_are_refused),
    };
    return run_gpu_suite_with("ragdoll_gpu_test", tests, sizeof tests / sizeof tests[0], start, finish);
}
