// The shaders of docs/shaders.md on a device, in GLSL and in HLSL: what they read from the outputs of a batch with
// several spans gives the vertices and positions of the reference.
#include "gpu_suite.h"
#include "random.h"

#include <limber/skin.h>
#include <mannequin.h>
#include <math.h>

enum { CHARACTERS = 5, VERTICES = 50, BINDINGS = 8 };
static const uint32_t in_glsl[] = {
#include "shaders.comp.inc"
};
static const uint32_t in_hlsl[] = {
#include "shaders.hlsl.inc"
};

// Mirrored by shaders.comp and shaders.hlsl.
typedef struct vertex {
    uint32_t joints[4];
    float weights[4];
    float position[4];
} vertex;
enum { BY_ADDRESS, BY_DESCRIPTOR, BY_DUALS, PLACED, PREVIOUS, POSITION, NORMAL, RESULTS };
typedef float results[CHARACTERS * VERTICES][RESULTS][4];
typedef struct push {
    VkDeviceAddress palette, spans;
    uint32_t joint_count, vertex_count, first_character, character_count, rotates_fully, unused;
} push;
typedef struct span_row {
    VkDeviceAddress palette;
    uint32_t first_character, character_count;
} span_row;

static gpu_device opened;

typedef struct scene {
    lmb_graph *graph;
    lmb_gpu_graph *gpu_graph;
    lmb_gpu_batch *batch;
    lmb_motion motions[CHARACTERS];
    vertex vertices[VERTICES];
    float normals[VERTICES][3];
    lmb_skin *skin;
} scene;

// A mannequin that walks, and stays where it is placed. Its clip moves in place.
static lmb_graph *create_graph(bool rotates_fully) {
    mannequin *character = NULL;
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    assert_ok(mannequin_create(NULL, &character, &error), &error);
    const lmb_clip *walk = mannequin_clip(character, MANNEQUIN_WALK);
    const lmb_player_def player = lmb_default_player_def();
    const lmb_node_def node = lmb_playing_node(0, &player);
    lmb_motion_def motion = lmb_default_motion_def();
    motion.full_rotation = rotates_fully;
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = mannequin_rig(character);
    def.clips = &walk;
    def.clip_count = 1;
    def.nodes = &node;
    def.node_count = 1;
    def.motion = &motion;
    assert_ok(lmb_graph_create(&def, NULL, &graph, &error), &error);
    mannequin_destroy(character);
    return graph;
}

// Vertices with any joints; weights fall and sum to 1.
static void create_mesh(scene *s, random_source *source) {
    for (uint32_t i = 0; i < VERTICES; i++) {
        vertex *v = &s->vertices[i];
        float sum = 0.0f;
        for (int k = 0; k < 4; k++) {
            v->joints[k] = (uint32_t)random_below(source, lmb_graph_get_info(s->graph)->joint_count);
            v->weights[k] = (float)random_between(source, 0.1, 0.2) + (k == 0 ? 0.2f : 0.0f);
            v->weights[k] = k > 1 && i % 3 == 0 ? 0.0f : v->weights[k];
            sum += v->weights[k];
        }
        for (int k = 0; k < 4; k++) {
            v->weights[k] /= sum;
            v->position[k] = k == 3 ? 1.0f : (float)random_between(source, -1.0, 2.0);
        }
        for (int k = 0; k < 3; k++) {
            s->normals[i][k] = (float)random_between(source, 0.1, 1.0) * (k == 1 ? -1.0f : 1.0f);
        }
    }
    const uint32_t stride = sizeof *s->vertices;
    lmb_skin_def def = lmb_default_skin_def();
    def.joint_count = lmb_graph_get_info(s->graph)->joint_count;
    def.vertex_count = VERTICES;
    def.positions = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, s->vertices->position, stride};
    def.normals = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, s->normals, 0};
    def.joints = (lmb_skin_attribute){LMB_SKIN_FORMAT_UINT32, s->vertices->joints, stride};
    def.weights = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, s->vertices->weights, stride};
    lmb_error error = {0};
    assert_ok(lmb_skin_create(&def, NULL, &s->skin, &error), &error);
}

// A batch of three spans, after two frames.
static void start(scene *s, bool rotates_fully) {
    random_source source = random_branch(41, rotates_fully);
    *s = (scene){.graph = create_graph(rotates_fully)};
    create_mesh(s, &source);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        lmb_motion *motion = &s->motions[i];
        float rotation[4];
        random_rotation(&source, rotation);
        motion->yaw = random_between(&source, -3.0, 3.0);
        for (int k = 0; k < 4; k++) {
            motion->rotation[k] = rotation[k];
        }
        for (int k = 0; k < 3; k++) {
            motion->position[k] = random_between(&source, -9.0, 9.0);
        }
    }
    lmb_error error = {0};
    assert_ok(lmb_gpu_graph_create(opened.gpu, s->graph, &s->gpu_graph, &error), &error);
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.graph = s->gpu_graph;
    def.character_count = CHARACTERS;
    def.outputs = LMB_OUTPUT_PALETTE_BIT | LMB_OUTPUT_PREVIOUS_PALETTE_BIT | LMB_OUTPUT_DUAL_QUATERNIONS_BIT;
    def.motions = s->motions;
    def.span_bytes = 2 * 48 * lmb_graph_get_info(s->graph)->joint_count;
    assert_ok(lmb_gpu_batch_create(opened.gpu, &def, &s->batch, &error), &error);
    assert_int_equal(lmb_gpu_batch_span_count(s->batch), 3);
    VkCommandPool pool;
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    assert_ok(device_begin(&opened.device, &pool, &info.commands, &error), &error);
    assert_ok(lmb_gpu_graph_record_upload(s->gpu_graph, info.commands, &error), &error);
    for (info.number = 0; info.number < 2; info.number++) {
        info.slot = info.number;
        info.has_previous_slot = info.number > 0;
        info.step = info.number * lmb_ticks_from_seconds(0.25);
        assert_ok(lmb_gpu_batch_record(s->batch, &info, &error), &error);
    }
    assert_ok(device_finish(&opened.device, pool, info.commands, LMB_OK, &error), &error);
}

static void end(scene *s) {
    lmb_gpu_batch_destroy(s->batch);
    lmb_gpu_graph_destroy(s->gpu_graph);
    lmb_skin_destroy(s->skin);
    lmb_graph_destroy(s->graph);
}

static lmb_gpu_span output(const scene *s, lmb_output output, uint32_t span) {
    lmb_gpu_span found;
    assert_true(lmb_gpu_batch_output(s->batch, 1, output, span, &found));
    return found;
}

static float *read_output(scene *s, lmb_output output) {
    const lmb_batch_def batch = lmb_gpu_batch_description(s->batch);
    float *floats = calloc(CHARACTERS * lmb_batch_output_floats(&batch, output), sizeof *floats);
    lmb_error error = {0};
    assert_non_null(floats);
    assert_ok(device_read_output(&opened.device, s->batch, 1, output, floats, &error), &error);
    return floats;
}

// The streams that a run of the skin writes: positions and previous positions as floats, and normals.
typedef struct streams {
    float positions[CHARACTERS * VERTICES][3], previous[CHARACTERS * VERTICES][3];
    int16_t normals[CHARACTERS * VERTICES][4];
} streams;

static void run_skin(scene *s, lmb_skin_method method, streams *written) {
    const bool linear = method == LMB_SKIN_METHOD_LINEAR;
    float *palette = read_output(s, linear ? LMB_OUTPUT_PALETTE : LMB_OUTPUT_DUAL_QUATERNIONS);
    float *previous = read_output(s, LMB_OUTPUT_PREVIOUS_PALETTE);
    lmb_skin_run_info info = {.layout = lmb_default_skin_layout(CHARACTERS), .palette = palette};
    info.layout.method = method;
    info.layout.streams[LMB_SKIN_OUTPUT_NORMALS].format = LMB_SKIN_FORMAT_SNORM16;
    info.streams[LMB_SKIN_OUTPUT_POSITIONS] = written->positions;
    info.streams[LMB_SKIN_OUTPUT_NORMALS] = written->normals;
    if (linear) {
        info.layout.streams[LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS].format = LMB_SKIN_FORMAT_FLOAT;
        info.previous_palette = previous;
        info.streams[LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS] = written->previous;
    }
    lmb_error error = {0};
    assert_ok(lmb_skin_run(s->skin, LMB_CPU_REFERENCE, &info, &error), &error);
    free(palette);
    free(previous);
}

static VkDescriptorBufferInfo of_span(lmb_gpu_span span) {
    return (VkDescriptorBufferInfo){span.buffer, span.offset, span.size};
}

static VkDescriptorBufferInfo of_buffer(const device_buffer *buffer) {
    return (VkDescriptorBufferInfo){buffer->buffer, 0, buffer->size};
}

// Runs a shader once for each span, with the descriptors of that span.
static void run_shader(scene *s, const uint32_t *words, size_t size, bool rotates_fully, const streams *written,
                       results got) {
    device *device = &opened.device;
    device_buffer positions = suite_buffer(device, written->positions, sizeof written->positions);
    device_buffer normals = suite_buffer(device, written->normals, sizeof written->normals);
    device_buffer mesh = suite_buffer(device, s->vertices, sizeof s->vertices);
    device_buffer result = suite_buffer(device, got, sizeof(results));
    span_row rows[3];
    for (uint32_t span = 0; span < 3; span++) {
        const lmb_gpu_span palette = output(s, LMB_OUTPUT_PALETTE, span);
        rows[span] = (span_row){palette.address, palette.first_character, palette.character_count};
    }
    device_buffer spans = suite_buffer(device, rows, sizeof rows);

    VkDescriptorSetLayoutBinding bindings[BINDINGS];
    for (uint32_t i = 0; i < BINDINGS; i++) {
        bindings[i] =
            (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    }
    const VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = BINDINGS, .pBindings = bindings};
    VkDescriptorSetLayout set_layout;
    assert_int_equal(vkCreateDescriptorSetLayout(device->device, &set_info, NULL, &set_layout), VK_SUCCESS);
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push)};
    const VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                    .setLayoutCount = 1,
                                                    .pSetLayouts = &set_layout,
                                                    .pushConstantRangeCount = 1,
                                                    .pPushConstantRanges = &range};
    VkPipelineLayout layout;
    assert_int_equal(vkCreatePipelineLayout(device->device, &layout_info, NULL, &layout), VK_SUCCESS);
    const VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
    VkShaderModule module;
    assert_int_equal(vkCreateShaderModule(device->device, &module_info, NULL, &module), VK_SUCCESS);
    const VkComputePipelineCreateInfo pipeline_info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = layout};
    VkPipeline pipeline;
    assert_int_equal(vkCreateComputePipelines(device->device, VK_NULL_HANDLE, 1, &pipeline_info, NULL, &pipeline),
                     VK_SUCCESS);
    const VkDescriptorPoolSize pool_size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3 * BINDINGS};
    const VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                  .maxSets = 3,
                                                  .poolSizeCount = 1,
                                                  .pPoolSizes = &pool_size};
    VkDescriptorPool descriptors;
    assert_int_equal(vkCreateDescriptorPool(device->device, &pool_info, NULL, &descriptors), VK_SUCCESS);

    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_error error = {0};
    assert_ok(device_begin(device, &pool, &commands, &error), &error);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    for (uint32_t span = 0; span < 3; span++) {
        const VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                 .descriptorPool = descriptors,
                                                 .descriptorSetCount = 1,
                                                 .pSetLayouts = &set_layout};
        VkDescriptorSet bound;
        assert_int_equal(vkAllocateDescriptorSets(device->device, &set, &bound), VK_SUCCESS);
        const VkDescriptorBufferInfo buffers[BINDINGS] = {of_span(output(s, LMB_OUTPUT_PALETTE, span)),
                                                          of_span(output(s, LMB_OUTPUT_DUAL_QUATERNIONS, span)),
                                                          of_span(lmb_gpu_batch_motions(s->batch, 1)),
                                                          of_span(output(s, LMB_OUTPUT_PREVIOUS_PALETTE, span)),
                                                          of_buffer(&positions),
                                                          of_buffer(&normals),
                                                          of_buffer(&mesh),
                                                          of_buffer(&result)};
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = bound,
                                            .descriptorCount = BINDINGS, // the bindings follow each other
                                            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .pBufferInfo = buffers};
        vkUpdateDescriptorSets(device->device, 1, &write, 0, NULL);
        const push constants = {.palette = rows[span].palette,
                                .spans = spans.address,
                                .joint_count = lmb_graph_get_info(s->graph)->joint_count,
                                .vertex_count = VERTICES,
                                .first_character = rows[span].first_character,
                                .character_count = rows[span].character_count,
                                .rotates_fully = rotates_fully};
        vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants, &constants);
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &bound, 0, NULL);
        vkCmdDispatch(commands, (VERTICES * rows[span].character_count + 63) / 64, 1, 1);
    }
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                         NULL, 0, NULL);
    assert_ok(device_finish(device, pool, commands, LMB_OK, &error), &error);
    memcpy(got, result.mapped, sizeof(results));

    vkDestroyDescriptorPool(device->device, descriptors, NULL);
    vkDestroyPipeline(device->device, pipeline, NULL);
    vkDestroyShaderModule(device->device, module, NULL);
    vkDestroyPipelineLayout(device->device, layout, NULL);
    vkDestroyDescriptorSetLayout(device->device, set_layout, NULL);
    device_buffer *const all[] = {&positions, &normals, &mesh, &result, &spans};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        device_buffer_destroy(device, all[i]);
    }
}

static void expect_near(const float *got, const float *expected, float error, const char *what, uint32_t vertex) {
    for (int k = 0; k < 3; k++) {
        if (!(fabsf(got[k] - expected[k]) < error)) {
            fail_msg("%s of vertex %u: %g instead of %g", what, (unsigned)vertex, (double)got[k], (double)expected[k]);
        }
    }
}

// Where the matrix of a motion takes a point, from the library.
static void place(const scene *s, uint32_t character, const float point[3], float placed[3]) {
    uint32_t *state = calloc(lmb_graph_get_info(s->graph)->state_words, sizeof *state);
    lmb_error error = {0};
    assert_ok(lmb_state_set_motion(s->graph, state, &s->motions[character], &error), &error);
    const lmb_affine matrix = lmb_state_matrix(s->graph, state);
    for (int k = 0; k < 3; k++) {
        placed[k] = matrix.m[k][3];
        for (int i = 0; i < 3; i++) {
            placed[k] += matrix.m[k][i] * point[i];
        }
    }
    free(state);
}

static void compare(const uint32_t *words, size_t size, bool rotates_fully) {
    scene s;
    start(&s, rotates_fully);
    static streams linear, dual;
    static results got;
    memset(got, 0, sizeof got);
    run_skin(&s, LMB_SKIN_METHOD_LINEAR, &linear);
    run_skin(&s, LMB_SKIN_METHOD_DUAL_QUATERNION, &dual);
    run_shader(&s, words, size, rotates_fully, &linear, got);
    float moved = 0.0f;
    for (uint32_t i = 0; i < CHARACTERS * VERTICES; i++) {
        float placed[3], normal[3];
        place(&s, i / VERTICES, linear.positions[i], placed);
        for (int k = 0; k < 3; k++) {
            normal[k] = (float)linear.normals[i][k] / 32767.0f;
            moved += fabsf(linear.positions[i][k] - linear.previous[i][k]);
        }
        expect_near(got[i][BY_ADDRESS], linear.positions[i], 3e-5f, "by address", i);
        assert_true(got[i][BY_ADDRESS][3] < 1e-6f); // the same in the table of spans
        expect_near(got[i][BY_DESCRIPTOR], linear.positions[i], 3e-5f, "by descriptor", i);
        expect_near(got[i][BY_DUALS], dual.positions[i], 3e-5f, "by dual quaternions", i);
        // Vulkan's sine and cosine may err by 2^-11.
        expect_near(got[i][PLACED], placed, 5e-3f, "in the world", i);
        expect_near(got[i][PREVIOUS], linear.previous[i], 3e-5f, "previous", i);
        expect_near(got[i][POSITION], linear.positions[i], 3e-5f, "stream of positions", i);
        expect_near(got[i][NORMAL], normal, 3e-5f, "stream of normals", i);
        assert_true(got[i][NORMAL][3] == 0.5f); // the motion vector of a fixed pair
    }
    assert_true(moved > 1.0f);
    end(&s);
}

static void shaders_in_glsl(void **state) {
    (void)state;
    compare(in_glsl, sizeof in_glsl, false);
    compare(in_glsl, sizeof in_glsl, true);
}

static void shaders_in_hlsl(void **state) {
    (void)state;
    compare(in_hlsl, sizeof in_hlsl, false);
    compare(in_hlsl, sizeof in_hlsl, true);
}

static int open_gpu(void **state) {
    (void)state;
    lmb_error error = {0};
    assert_ok(gpu_device_open(NULL, false, &opened, &error), &error);
    return 0;
}

static int close_gpu(void **state) {
    (void)state;
    lmb_error error = {0};
    assert_ok(gpu_device_close(&opened, LMB_OK, &error), &error);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shaders_in_glsl), cmocka_unit_test(shaders_in_hlsl)};
    return run_gpu_suite_with("shaders", tests, sizeof tests / sizeof *tests, open_gpu, close_gpu);
}
