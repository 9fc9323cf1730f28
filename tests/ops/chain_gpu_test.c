// Chains and feet on a device, frame by frame, in each kernel that evaluates poses: poses and memory have the bits of
// the CPU. With levels of detail, several spans, restored memory, and chains that a later operation reads.
#include "gpu_suite.h"
#include "long_chains.h"
#include "random.h"

#include <gpu_side.h>

#include <limber/cpu.h>

#include <math.h>
#include <string.h>

enum { TIME, VELOCITY, WEIGHT, LEVEL, PLANTED, INERTIA, PARAMETERS = INERTIA + LMB_INERTIA_PARAMETERS };
enum { MOST_JOINTS = 700, FRAMES = 24 };

typedef struct fixture {
    device device;
    lmb_gpu *gpu;
    lmb_rig *rig;
    lmb_graph *graph;
    lmb_cpu *cpu;
    lmb_batch_def batch;
    gpu_side side;
    uint32_t joints;
    size_t words; // of the memory of all characters
    size_t floats;
    float *parameters, *poses, *transforms, *here, *there;
    uint32_t *memory, *read;
} fixture;

// A leg in the third row, whose foot is locked and smoothed.
static lmb_node_def make_foot(void) {
    lmb_foot_def foot = lmb_default_foot_def();
    foot.hip = 3;
    foot.knee = 6;
    foot.ankle = 9;
    foot.ground[1] = lmb_constant(-0.25f);
    foot.normal[0] = lmb_parameter(VELOCITY);
    foot.normal[1] = lmb_constant(3.0f);
    foot.planted = lmb_parameter(PLANTED);
    lmb_node_def node = lmb_foot_placement_node(4, 0, &foot, 1);
    node.feet.space = LMB_IK_WORLD;
    node.feet.time = lmb_parameter(TIME);
    node.feet.lock_distance = 0.3f;
    node.feet.ground_half_life = 0.1f;
    node.feet.pelvis_half_life = 0.05f;
    return node;
}

// Joints hang in three rows below the root. Two chains of one row overlap, another is under a blend.
static void make_graph(fixture *f) {
    static lmb_joint_def joints[MOST_JOINTS];
    static uint8_t levels[MOST_JOINTS];
    lmb_error error = {0};
    for (uint32_t i = 0; i < f->joints; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i < 4 ? 0 : i - 3;
        levels[i] = i < 10 ? LMB_MAX_LODS - 1 : 0;
    }
    const lmb_rig_def rig = {.joints = joints, .joint_count = f->joints};
    assert_ok(lmb_rig_create(&rig, NULL, &f->rig, &error), &error);
    lmb_node_def nodes[6];
    nodes[0] = lmb_default_node_def();
    nodes[0].op = LMB_OP_POSE;
    for (uint32_t i = 1; i < 4; i++) {
        nodes[i] = lmb_chain_node(i - 1, i == 3 ? 2 : 1, i == 1 ? 10 : i == 2 ? 16 : 17, lmb_parameter(TIME));
        nodes[i].chain.velocity[i - 1] = lmb_parameter(VELOCITY);
        nodes[i].chain.teleport = 3.0f;
    }
    nodes[2].weight = lmb_parameter(WEIGHT);
    lmb_collider_def colliders[2] = {lmb_default_collider_def(), lmb_default_collider_def()};
    static const float radius = 0.1f;
    colliders[0].joint = 2;
    colliders[0].offset[1] = -0.3f;
    colliders[0].radius = 0.25f;
    colliders[1].joint = 6;
    colliders[1].is_capsule = true;
    colliders[1].tail[0] = 0.5f;
    colliders[1].radius = 0.2f;
    nodes[3].chain.colliders = colliders;
    nodes[3].chain.collider_count = 2;
    nodes[3].chain.radii = &radius;
    nodes[3].chain.radius_count = 1;
    static const float weights[3] = {1.0f, 0.5f, 0.0f};
    nodes[1].chain.weights = weights;
    nodes[1].chain.weight_count = 3;
    nodes[4] = lmb_blend_node(0, 3, lmb_constant(0.75f));
    nodes[5] = make_foot();
    const lmb_graph_def def = {.rig = f->rig,
                               .nodes = nodes,
                               .node_count = 6,
                               .parameter_count = PARAMETERS,
                               .max_lods = levels,
                               .lod = lmb_parameter(LEVEL),
                               .inertialize = true,
                               .inertia_parameters = INERTIA};
    assert_ok(lmb_graph_create(&def, NULL, &f->graph, &error), &error);
    assert_int_equal(lmb_graph_get_info(f->graph)->inertia_words, 36 * f->joints + 20 * (3 + 5 + 5) + 2 * (5 + 11));
}

static void open_fixture(fixture *f, uint32_t joints, uint32_t characters, bool interprets, uint64_t span_bytes) {
    lmb_error error = {0};
    *f = (fixture){.joints = joints};
    open_device(&f->device);
    lmb_gpu_def def = device_gpu_def(&f->device);
    def.interpret_graphs = interprets;
    assert_ok(lmb_gpu_create(&def, NULL, &f->gpu, &error), &error);
    make_graph(f);
    assert_ok(lmb_cpu_create(f->graph, LMB_CPU_REFERENCE, NULL, &f->cpu, &error), &error);
    f->batch = (lmb_batch_def){f->graph, characters, LMB_OUTPUT_LOCAL_BIT};
    assert_ok(gpu_side_create(&f->device, f->gpu, &f->batch, span_bytes, &f->side, &error), &error);
    f->words = (size_t)characters * lmb_graph_get_info(f->graph)->inertia_words;
    f->floats = (size_t)characters * joints * LMB_POSE_COMPONENTS;
    f->parameters = calloc(characters, PARAMETERS * sizeof(float));
    f->poses = calloc(f->floats, sizeof(float));
    f->transforms = calloc(characters, 12 * sizeof(float));
    f->here = calloc(f->floats, sizeof(float));
    f->there = calloc(f->floats, sizeof(float));
    f->memory = calloc(f->words, sizeof(uint32_t));
    f->read = calloc(f->words, sizeof(uint32_t));
    assert_true(f->parameters && f->poses && f->transforms && f->here && f->there && f->memory && f->read);
}

static void close_fixture(fixture *f) {
    gpu_side_destroy(&f->side);
    lmb_cpu_destroy(f->cpu);
    lmb_graph_destroy(f->graph);
    lmb_rig_destroy(f->rig);
    lmb_gpu_destroy(f->gpu);
    close_device(&f->device);
    free(f->parameters);
    free(f->poses);
    free(f->transforms);
    free(f->here);
    free(f->there);
    free(f->memory);
    free(f->read);
}

static void move(fixture *f, uint32_t frame) {
    for (uint32_t i = 0; i < f->batch.character_count; i++) {
        random_source source = random_branch(frame, i);
        float *parameters = f->parameters + (size_t)i * PARAMETERS,
              *pose = f->poses + f->floats / f->batch.character_count * i;
        parameters[TIME] =
            0.5f + (float)frame / (20.0f + 7.0f * (float)i) + (random_below(&source, 30) == 0 ? 3.0f : 0.0f);
        parameters[VELOCITY] = (float)random_between(&source, -3.0, 3.0);
        parameters[WEIGHT] = 0.5f * (float)random_below(&source, 3);
        parameters[PLANTED] = (float)((frame + 3 * i) / 5 % 2);
        parameters[LEVEL] = (float)((frame + i) / 3 % 2);
        parameters[INERTIA + LMB_INERTIA_NUMBER] = (float)frame;
        for (uint32_t joint = 0; joint < f->joints; joint++) {
            const double turn = 0.2 * sin(0.3 * frame + joint + i), swing = 0.3 * cos(0.2 * frame + 2 * joint);
            const double values[LMB_POSE_COMPONENTS] = {0.1, -0.3, 0.02 * joint, turn, swing, 0.0, 1.0, 1.0, 1.0, 1.0};
            for (uint32_t k = 0; k < LMB_POSE_COMPONENTS; k++) {
                pose[k * f->joints + joint] = (float)values[k];
            }
        }
        pose[0] += random_below(&source, 20) == 0 ? 9.0f : 0.0f;
        float *transform = f->transforms + (size_t)i * 12;
        const float moved = 0.02f * (float)frame, x = (float)cos(0.05 * frame + i), y = (float)sin(0.05 * frame + i);
        const float rows[12] = {1.5f * x, 0.0f, 1.5f * y,  moved, 0.0f,     1.5f,
                                0.0f,     0.2f, -1.5f * y, 0.0f,  1.5f * x, 7.0f};
        memcpy(transform, rows, sizeof rows);
        transform[3] += random_below(&source, 25) == 0 ? 3.0f : 0.0f;
    }
}

static void expect_same(const char *what, const void *here, const void *there, size_t words, uint32_t frame) {
    for (size_t i = 0; i < words; i++) {
        const uint32_t a = ((const uint32_t *)there)[i], b = ((const uint32_t *)here)[i];
        if (a != b) {
            fail_msg("frame %u: %s: word %zu is 0x%08x on the device and 0x%08x here", frame, what, i, a, b);
        }
    }
}

static void run_frame(fixture *f, uint32_t frame) {
    lmb_error error = {0};
    move(f, frame);
    const lmb_batch_inputs inputs = {.parameters = f->parameters, .poses = {f->poses}, .transforms = f->transforms};
    const lmb_batch_outputs here = {.buffers[LMB_OUTPUT_LOCAL] = f->here, .inertia = f->memory};
    const lmb_batch_outputs there = {.buffers[LMB_OUTPUT_LOCAL] = f->there};
    assert_ok(lmb_cpu_run(f->cpu, &f->batch, &inputs, &here, &error), &error);
    assert_ok(gpu_side_run(&f->side, &inputs, &there, &error), &error);
    expect_same("local", f->here, f->there, f->floats, frame);
    assert_ok(device_read_inertia(&f->device, f->side.batch, f->read, &error), &error);
    expect_same("memory", f->memory, f->read, f->words, frame);
}

// Runs frames, the second half of them again from saved memory.
static void run_frames(fixture *f) {
    lmb_error error = {0};
    uint32_t *kept = calloc(f->words, sizeof *kept);
    float *last = calloc(f->floats, sizeof *last);
    assert_true(kept != NULL && last != NULL);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        if (frame == FRAMES / 2) {
            memcpy(kept, f->memory, f->words * sizeof *kept);
        }
        run_frame(f, frame);
    }
    memcpy(last, f->here, f->floats * sizeof *last);
    memcpy(f->memory, kept, f->words * sizeof *kept);
    assert_ok(device_write_inertia(&f->device, f->side.batch, kept, &error), &error);
    for (uint32_t frame = FRAMES / 2; frame < FRAMES; frame++) {
        run_frame(f, frame);
    }
    assert_memory_equal(last, f->here, f->floats * sizeof *last);
    // The last bone of the longest chain has swung.
    const uint32_t joint = 14;
    float moved = 0.0f;
    for (uint32_t i = 0; i < f->batch.character_count; i++) {
        const size_t at = f->floats / f->batch.character_count * i + (size_t)3 * f->joints + joint;
        moved = fmaxf(moved, fabsf(f->here[at] - f->poses[at]));
    }
    assert_true(moved > 1e-3f);
    // Some feet are locked, and displaced.
    uint32_t locked = 0;
    for (uint32_t i = 0; i < f->batch.character_count; i++) {
        const uint32_t *slots = f->memory + f->words / f->batch.character_count * (i + 1) - 32;
        locked += (slots[5 + 10] & 2u) != 0 && (slots[5 + 3] << 1) != 0;
    }
    assert_true(locked > 0);
    free(kept);
    free(last);
}

static void in_its_own_pipeline(void **state) {
    (void)state;
    fixture f;
    open_fixture(&f, 19, 20, false, 8 * (36 * 19 + 292) * sizeof(uint32_t));
    assert_int_equal(lmb_gpu_batch_span_count(f.side.batch), 3);
    run_frames(&f);
    close_fixture(&f);
}

static void interpreted(void **state) {
    (void)state;
    suite_full_only(); // drivers take long to compile the interpreter, which gpu_bits_test has in every set
    fixture f;
    open_fixture(&f, 19, 20, true, 0);
    run_frames(&f);
    close_fixture(&f);
}

static void of_a_rig_too_large_for_one_kernel(void **state) {
    (void)state;
    suite_full_only(); // takes long to compile
    fixture f;
    open_fixture(&f, MOST_JOINTS, 3, false, 0);
    run_frames(&f);
    close_fixture(&f);
}

// lavapipe ends all loops of an invocation after 65,535 iterations.
static void of_long_chains_after_a_hitch(void **state) {
    (void)state;
    suite_full_only(); // takes long to compile
    enum { CHARACTERS = 2 };
    static const float times[] = {0.5f, 0.99f};
    lmb_rig *rig = NULL;
    lmb_graph *graph = long_chains_create(&rig);
    const lmb_batch_def batch = {graph, CHARACTERS, LMB_OUTPUT_MODEL_BIT};
    const size_t floats = CHARACTERS * lmb_batch_output_floats(&batch, LMB_OUTPUT_MODEL);
    const size_t words = CHARACTERS * (size_t)lmb_graph_get_info(graph)->inertia_words;
    float *here = calloc(floats, sizeof *here), *there = calloc(floats, sizeof *there);
    uint32_t *memory = calloc(words, sizeof *memory);
    device device;
    gpu_side side;
    lmb_gpu *gpu = NULL;
    lmb_cpu *cpu = NULL;
    lmb_error error = {0};
    assert_true(here != NULL && there != NULL && memory != NULL);
    open_device(&device);
    const lmb_gpu_def def = device_gpu_def(&device);
    assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
    assert_ok(lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &cpu, &error), &error);
    assert_ok(gpu_side_create(&device, gpu, &batch, 0, &side, &error), &error);
    for (uint32_t frame = 0; frame < 2; frame++) {
        const float parameters[CHARACTERS] = {times[frame], times[frame]};
        const lmb_batch_inputs inputs = {.parameters = parameters};
        assert_ok(lmb_cpu_run(cpu, &batch, &inputs,
                              &(lmb_batch_outputs){.buffers[LMB_OUTPUT_MODEL] = here, .inertia = memory}, &error),
                  &error);
        assert_ok(gpu_side_run(&side, &inputs, &(lmb_batch_outputs){.buffers[LMB_OUTPUT_MODEL] = there}, &error),
                  &error);
        expect_same("models", here, there, floats, frame);
    }
    gpu_side_destroy(&side);
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(graph);
    lmb_rig_destroy(rig);
    lmb_gpu_destroy(gpu);
    close_device(&device);
    free(here);
    free(there);
    free(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_its_own_pipeline),
        cmocka_unit_test(interpreted),
        cmocka_unit_test(of_a_rig_too_large_for_one_kernel),
        cmocka_unit_test(of_long_chains_after_a_hitch),
    };
    return run_gpu_suite("chain_gpu", tests, sizeof tests / sizeof tests[0]);
}
