// The code of docs/existing-renderer.md on a device: a crowd from a pack, with lists, levels of detail, previous
// palettes, a semaphore between queues and a reload, gives the bits of the CPU. Only its draw is not called.
#include "gpu_suite.h"
#include "manual_page.h"
#include "packed.h"

#include <limber/graph_json.h>
#include <mannequin.h>

// The page's functions need no header in a host's source file.
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "existing-renderer.inc"

enum { CHARACTERS = 5, FRAMES = 4, LISTED = 2 };
#define STEP 0.125 // seconds: exact ticks
static const float speeds[CHARACTERS] = {1.25f, 2.0f, 3.0f, 1.5f, 2.5f};
static const float heights[CHARACTERS] = {0.5f, 0.2f, 0.05f, 0.01f, 0.4f};

// Writes a pack with the page's graph.
static void *write_pack(size_t *size) {
    char text[2000];
    FILE *page = manual_page_open("existing-renderer");
    assert_true(manual_page_next(page, "json", text, sizeof text));
    fclose(page);
    mannequin *character = NULL;
    lmb_graph_json *json = NULL;
    lmb_error error = {0};
    assert_ok(mannequin_create(NULL, &character, &error), &error);
    const lmb_clip *const clips[2] = {mannequin_clip(character, MANNEQUIN_WALK),
                                      mannequin_clip(character, MANNEQUIN_RUN)};
    const lmb_graph_source source = {
        .text = text, .size = strlen(text), .rig = mannequin_rig(character), .clips = clips, .clip_count = 2};
    assert_ok(lmb_graph_json_read(&source, NULL, &json, NULL, &error), &error);
    void *bytes = packed_graph("crowd", lmb_graph_json_def(json), size);
    assert_non_null(bytes);
    lmb_graph_json_destroy(json);
    mannequin_destroy(character);
    return bytes;
}

// The same crowd on the CPU.
typedef struct cpu_crowd {
    lmb_cpu_pool *pool;
    lmb_control_frame frame;
    float *palettes;
    size_t character_floats;
} cpu_crowd;

static void start_cpu(const lmb_graph *graph, const lmb_motion *places, cpu_crowd *c) {
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    lmb_error error = {0};
    assert_ok(lmb_cpu_pool_create(graph, LMB_CPU_FAST, 2, NULL, &c->pool, &error), &error);
    c->character_floats = (size_t)info->joint_count * LMB_MATRIX_COMPONENTS;
    c->palettes = calloc(CHARACTERS * c->character_floats, sizeof *c->palettes);
    c->frame = lmb_default_control_frame();
    c->frame.step = lmb_ticks_from_seconds(STEP);
    c->frame.character_count = CHARACTERS;
    c->frame.state = calloc((size_t)CHARACTERS * info->state_words, sizeof(uint32_t));
    c->frame.parameters = calloc((size_t)CHARACTERS * info->parameter_count, sizeof(float));
    c->frame.motions = calloc((size_t)CHARACTERS * LMB_MOTION_FLOATS, sizeof(float));
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        uint32_t *state = c->frame.state + (size_t)i * info->state_words;
        assert_ok(lmb_state_set_motion(graph, state, &places[i], &error), &error);
    }
}

static void end_cpu(cpu_crowd *c) {
    lmb_cpu_pool_destroy(c->pool);
    free(c->frame.state);
    free(c->frame.parameters);
    free(c->frame.motions);
    free(c->palettes);
}

static void set_lods(const lmb_graph *graph, float *rows) {
    const uint32_t lod = lmb_graph_find_parameter(graph, "lod");
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        rows[i * lmb_graph_get_info(graph)->parameter_count + lod] = choose_lod(heights[i]);
    }
}

// Submits to one queue as the page does to two.
static void submit(device *device, VkCommandPool pool, VkCommandBuffer commands) {
    const VkSemaphoreCreateInfo semaphore_info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkSemaphore posed;
    VkFence fence;
    assert_int_equal(vkCreateSemaphore(device->device, &semaphore_info, NULL, &posed), VK_SUCCESS);
    assert_int_equal(vkCreateFence(device->device, &fence_info, NULL, &fence), VK_SUCCESS);
    assert_int_equal(vkEndCommandBuffer(commands), VK_SUCCESS);
    assert_int_equal(submit_compute(device->queue, commands, posed), VK_SUCCESS);
    assert_int_equal(submit_graphics(device->queue, NULL, 0, posed, fence), VK_SUCCESS);
    assert_int_equal(vkWaitForFences(device->device, 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
    vkDestroyFence(device->device, fence, NULL);
    vkDestroySemaphore(device->device, posed, NULL);
    vkDestroyCommandPool(device->device, pool, NULL);
}

// Runs a frame on the device, with a list if there is one, and reads it back if there is a readback.
static void run(device *device, crowd *c, const device_buffer *list, lmb_gpu_readback *readback) {
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_error error = {0};
    assert_ok(device_begin(device, &pool, &commands, &error), &error);
    lmb_gpu_record_info info = begin_frame(c, commands, STEP);
    write_parameters(c, info.slot, speeds);
    set_lods(c->graph, lmb_gpu_batch_parameters(c->batch, info.slot));
    use_previous(c, &info);
    if (list != NULL) {
        use_list(&info, list->address + sizeof(uint32_t), list->address, LISTED);
    }
    assert_ok(record_frame(c, &info, &error), &error);
    if (readback != NULL) {
        assert_ok(lmb_gpu_readback_record(readback, info.slot, commands, &error), &error);
    }
    submit(device, pool, commands);
    if (readback != NULL) {
        assert_ok(lmb_gpu_readback_completed(readback, info.slot, &error), &error);
    }
}

static float *read_output(device *device, const crowd *c, lmb_output output) {
    const lmb_batch_def batch = lmb_gpu_batch_description(c->batch);
    float *floats = calloc(CHARACTERS * lmb_batch_output_floats(&batch, output), sizeof *floats);
    lmb_error error = {0};
    assert_ok(device_read_output(device, c->batch, (c->number - 1) % FRAMES_IN_FLIGHT, output, floats, &error), &error);
    return floats;
}

// Compares the palettes of some characters.
static void compare(const float *got, const float *expected, size_t floats, const uint32_t *characters,
                    uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        assert_memory_equal(got + characters[i] * floats, expected + characters[i] * floats, floats * sizeof *got);
    }
}

static void bind(device *device, const crowd *c) {
    const VkDescriptorSetLayoutBinding binding = {.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                  .descriptorCount = 1,
                                                  .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    const VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    VkDescriptorSetLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    assert_int_equal(vkCreateDescriptorSetLayout(device->device, &layout_info, NULL, &layout), VK_SUCCESS);
    assert_int_equal(vkCreateDescriptorPool(device->device, &pool_info, NULL, &pool), VK_SUCCESS);
    const VkDescriptorSetAllocateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = pool,
                                                  .descriptorSetCount = 1,
                                                  .pSetLayouts = &layout};
    assert_int_equal(vkAllocateDescriptorSets(device->device, &set_info, &set), VK_SUCCESS);
    for (uint32_t span = 0; span < lmb_gpu_batch_span_count(c->batch); span++) {
        bind_palettes(c, device->device, 1, span, set); // the validation layer checks it
    }
    vkDestroyDescriptorPool(device->device, pool, NULL);
    vkDestroyDescriptorSetLayout(device->device, layout, NULL);
}

static void a_crowd_in_a_renderer(void **state) {
    (void)state;
    lmb_motion places[CHARACTERS] = {{.position = {1, 0, 2}, .yaw = 0.5}, {.position = {-3, 0, 0}, .yaw = -2.0}};
    gpu_device opened;
    lmb_graph *graph = NULL;
    crowd current, next, old;
    cpu_crowd on_cpu;
    size_t size;
    lmb_error error = {0};
    void *bytes = write_pack(&size);
    assert_true(load_graph(bytes, size, "other", &graph, &error) != LMB_OK);
    assert_ok(load_graph(bytes, size, "crowd", &graph, &error), &error);
    free(bytes);
    assert_ok(gpu_device_open(NULL, false, &opened, &error), &error);
    const uint32_t range = 2 * 48 * lmb_graph_get_info(graph)->joint_count;
    assert_ok(create_crowd(opened.gpu, graph, places, CHARACTERS, range, &current, &error), &error);
    assert_int_equal(lmb_gpu_batch_span_count(current.batch), 3);
    bind(&opened.device, &current);
    lmb_gpu_readback *readback = NULL;
    assert_ok(create_readback(opened.gpu, &current, &readback, &error), &error);
    start_cpu(graph, places, &on_cpu);
    static const uint32_t all[CHARACTERS] = {0, 1, 2, 3, 4}, listed[1 + LISTED] = {LISTED, 4, 1};
    device_buffer list = suite_buffer(&opened.device, listed, sizeof listed);
    float *before = NULL;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        const bool has_list = frame == FRAMES - 1;
        run(&opened.device, &current, has_list ? &list : NULL, readback);
        on_cpu.frame.number = frame;
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            float *row = on_cpu.frame.parameters + i * lmb_graph_get_info(graph)->parameter_count;
            lmb_graph_defaults(graph, row);
            row[lmb_graph_find_parameter(graph, "speed")] = speeds[i];
        }
        set_lods(graph, on_cpu.frame.parameters);
        assert_ok(run_on_cpu(on_cpu.pool, graph, &on_cpu.frame, on_cpu.palettes, &error), &error);
        float *palettes = read_output(&opened.device, &current, LMB_OUTPUT_PALETTE);
        float *previous = read_output(&opened.device, &current, LMB_OUTPUT_PREVIOUS_PALETTE);
        const uint32_t *characters = has_list ? listed + 1 : all, count = has_list ? LISTED : CHARACTERS;
        compare(palettes, on_cpu.palettes, on_cpu.character_floats, characters, count);
        if (before != NULL) {
            compare(previous, before, on_cpu.character_floats, characters, count);
            assert_memory_not_equal(previous, palettes, on_cpu.character_floats * sizeof *palettes);
        }
        free(previous);
        free(before);
        before = palettes;
    }
    free(before);

    // A reload: the next frame of the new crowd is the one that the CPU runs.
    lmb_gpu_readback_frame last;
    assert_true(find_newest(readback, &last, &error));
    assert_int_equal(last.number, FRAMES - 1);
    lmb_gpu_readback *next_readback;
    assert_ok(reload_crowd(opened.gpu, &current, readback, &last, graph, &next, &next_readback, &error), &error);
    assert_int_equal(lmb_gpu_batch_span_count(next.batch), 3);
    lmb_gpu_readback_destroy(readback);
    exchange_crowds(&current, &next, &old);
    destroy_crowd(&old);
    compile_crowd(&current);
    prepare_frame(&current);
    run(&opened.device, &current, NULL, next_readback);
    assert_true(lmb_gpu_readback_next(next_readback, &last));
    float moved[CHARACTERS * LMB_MOTION_FLOATS];
    const lmb_gpu_span after = lmb_gpu_batch_motions(current.batch, 0);
    assert_int_equal(after.size, sizeof moved);
    assert_ok(device_read_span(&opened.device, &after, moved, &error), &error);
    on_cpu.frame.number = FRAMES;
    assert_ok(run_on_cpu(on_cpu.pool, graph, &on_cpu.frame, on_cpu.palettes, &error), &error);
    assert_memory_equal(moved, on_cpu.frame.motions, sizeof moved);
    float *palettes = read_output(&opened.device, &current, LMB_OUTPUT_PALETTE);
    compare(palettes, on_cpu.palettes, on_cpu.character_floats, all, CHARACTERS);
    free(palettes);
    lmb_gpu_readback_destroy(next_readback);
    destroy_crowd(&current);
    device_buffer_destroy(&opened.device, &list);
    end_cpu(&on_cpu);
    assert_ok(gpu_device_close(&opened, LMB_OK, &error), &error);
    lmb_graph_destroy(graph);
}

// The page's way to read JSON for the character of a pack, which need not stay.
static void a_graph_for_a_pack(void **state) {
    (void)state;
    static const char text[] = "{\"op\": \"clip\", \"clip\": \"run\", \"play\": true}";
    size_t size;
    void *bytes = write_pack(&size);
    lmb_pack *pack = NULL;
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    assert_ok(lmb_pack_open(bytes, size, NULL, &pack, &error), &error);
    assert_ok(read_graph(pack, text, strlen(text), &graph, &error), &error);
    assert_int_equal(read_graph(pack, "{}", 2, &(lmb_graph *){NULL}, &error), LMB_ERROR_FORMAT);
    lmb_pack_close(pack);
    free(bytes);
    assert_string_equal(lmb_graph_player_at(graph, 0).name, "run");
    lmb_graph_destroy(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_crowd_in_a_renderer), cmocka_unit_test(a_graph_for_a_pack)};
    return run_gpu_suite("existing renderer", tests, sizeof tests / sizeof *tests);
}
