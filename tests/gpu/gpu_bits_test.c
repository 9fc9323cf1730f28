// The GPU side against the reference, bit by bit: random programs over rigs of every size, batches of every size,
// batches split into spans, and several batches in one command buffer. Compares over 10 million values on each driver.
#include "gpu_suite.h"
#include "keyframes.h"
#include "scene.h"

#include "gpu/gpu.h"
#include "program/program.h"

#include "../../shaders/ops/layout.h"

#include <crowd.h>
#include <gpu_side.h>

#include <inttypes.h>
#include <limber/compare.h>
#include <string.h>

#define ALL_OUTPUTS ((1u << LMB_OUTPUT_COUNT) - 1)
#define CLIP_COUNT 3u
// The size of a random program. A driver's compile time grows faster than the program. program_random_gpu_test has
// longer ones.
#define NODES 6u
#define NIGHTLY_NODES 16u
#define EXPECTED_VALUES 10000000u

static device opened;
static lmb_gpu *gpu;
static lmb_gpu *interpreting_gpu; // runs programs with the interpreting kernel, as for long programs
static lmb_gpu *separate_gpu;     // has no workgroup memory, so pose and model each have a kernel
static lmb_gpu *levels_gpu;       // distributes work in a workgroup as for GPUs, not as for CPU devices
static uint64_t compared;         // values compared by all tests so far

// A rig and clips of every interpolation for it.
typedef struct world {
    lmb_rig *rig;
    keyframes keys[CLIP_COUNT];
    lmb_clip *clips[CLIP_COUNT];
} world;

static world world_create(uint32_t joint_count, scene_shape shape) {
    world world = {.rig = scene_rig(joint_count, shape, joint_count)};
    lmb_error error;
    for (uint32_t i = 0; i < CLIP_COUNT; i++) {
        world.keys[i] = keyframes_create(joint_count, 2 + 9 * i, joint_count + i);
        assert_ok(lmb_clip_create(world.rig, &world.keys[i].clip, NULL, &world.clips[i], &error), &error);
    }
    return world;
}

// The same with compressed clips of each kind of entry, within some millimetres to a metre of smooth clips.
static world world_create_compressed(uint32_t joint_count) {
    world world = {.rig = scene_rig(joint_count, SCENE_TREE, joint_count)};
    lmb_clip_compression_report all = {0};
    for (uint32_t i = 0; i < CLIP_COUNT; i++) {
        lmb_clip *source = NULL;
        lmb_clip_compression_report report;
        lmb_error error;
        world.keys[i] = keyframes_create_waves(joint_count, 2 + 19 * i, joint_count + i);
        assert_ok(lmb_clip_create(world.rig, &world.keys[i].clip, NULL, &source, &error), &error);
        const lmb_clip_compression settings = {.error = i == 2 ? 0.01f : 1.0f, .shell_distance = 0.1f};
        assert_ok(lmb_clip_compress(world.rig, source, &settings, NULL, &world.clips[i], &report, &error), &error);
        lmb_clip_destroy(source);
        all.rest_count += report.rest_count;
        all.constant_count += report.constant_count;
        all.packed_count += report.packed_count;
        all.kept_count += report.kept_count;
    }
    assert_true(all.rest_count > 0 && all.constant_count > 0 && all.packed_count > joint_count && all.kept_count > 0);
    return world;
}

static void world_destroy(world *world) {
    for (uint32_t i = 0; i < CLIP_COUNT; i++) {
        lmb_clip_destroy(world->clips[i]);
        keyframes_destroy(&world->keys[i]);
    }
    lmb_rig_destroy(world->rig);
}

// A number that stands for a blend of a pose and a clip instead of a random program. Drivers compile it much faster.
// For tests of the outputs before and after the program.
#define SHORT UINT32_MAX

static lmb_graph_def short_program(const world *world, lmb_node_def nodes[3]) {
    for (int i = 0; i < 3; i++) {
        nodes[i] = lmb_default_node_def();
    }
    nodes[0].op = LMB_OP_POSE;
    nodes[1].op = LMB_OP_CLIP;
    nodes[1].clip = lmb_parameter(0);
    nodes[1].time = lmb_parameter(1);
    nodes[2].op = LMB_OP_BLEND;
    nodes[2].input_count = 2;
    nodes[2].inputs[1] = 1;
    nodes[2].weight = lmb_parameter(2);
    static const lmb_parameter_def parameters[3] = {
        {.max = (float)CLIP_COUNT}, {.min = -3.0f, .max = 3.0f}, {.max = 1.0f}};
    return (lmb_graph_def){.rig = world->rig,
                           .clips = (const lmb_clip *const *)world->clips,
                           .clip_count = CLIP_COUNT,
                           .nodes = nodes,
                           .node_count = 3,
                           .parameter_count = 3,
                           .parameters = parameters};
}

static crowd world_crowd(const world *world, uint32_t character_count, uint32_t program, uint32_t one_in) {
    static lmb_node_def nodes[3]; // both must outlive the crowd
    static lmb_graph_def given;
    given = short_program(world, nodes);
    const crowd_def def = {.rig = world->rig,
                           .clips = (const lmb_clip *const *)world->clips,
                           .clip_count = CLIP_COUNT,
                           .character_count = character_count,
                           .seed = 20261121,
                           .program = program,
                           .most_nodes = suite_cases_are("nightly") ? NIGHTLY_NODES : NODES,
                           .given = program == SHORT ? &given : NULL,
                           .one_in = one_in};
    crowd crowd;
    lmb_error error;
    assert_ok(crowd_create(&def, &crowd, &error), &error);
    return crowd;
}

// Whether the result is transforms, not matrices.
static bool has_every_output(const lmb_graph *graph) {
    return (lmb_graph_get_info(graph)->outputs & LMB_OUTPUT_LOCAL_BIT) != 0;
}

// Whether the graph keeps nothing between frames and reads no points, too.
static bool is_stateless(const lmb_graph *graph) {
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    return has_every_output(graph) && info->inertia_words == 0 && info->point_count == 0 && !info->uses_transforms;
}

// The crowd of a random program from a number on for which `fits` holds.
static crowd fitting_crowd(const world *world, uint32_t character_count, uint32_t program,
                           bool (*fits)(const lmb_graph *graph)) {
    crowd crowd = world_crowd(world, character_count, program, 61);
    while (!fits(crowd.program)) {
        crowd_destroy(&crowd);
        crowd = world_crowd(world, character_count, ++program, 61);
    }
    return crowd;
}

// The outputs of one side.
typedef struct results {
    lmb_batch_outputs outputs;
    uint32_t refused[LMB_REFUSAL_COUNT];
} results;

// Allocated on the heap, because `outputs` points into it.
static results *results_create(const lmb_batch_def *batch) {
    results *created = calloc(1, sizeof *created);
    assert_non_null(created);
    created->outputs.refused = created->refused;
    created->outputs.inertia =
        calloc((size_t)batch->character_count * lmb_graph_get_info(batch->graph)->inertia_words + 1, sizeof(uint32_t));
    assert_non_null(created->outputs.inertia);
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        if (batch->outputs >> output & 1u) {
            size_t floats = lmb_batch_output_floats(batch, (lmb_output)output);
            created->outputs.buffers[output] = calloc(batch->character_count * floats, sizeof(float));
            assert_non_null(created->outputs.buffers[output]);
        }
    }
    return created;
}

static void results_destroy(results *results) {
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        free(results->outputs.buffers[output]);
    }
    free(results->outputs.inertia);
    free(results);
}

static void run_reference(const lmb_batch_def *batch, const lmb_batch_inputs *inputs, results *results) {
    lmb_cpu *cpu = NULL;
    lmb_error error;
    assert_ok(lmb_cpu_create(batch->graph, LMB_CPU_REFERENCE, NULL, &cpu, &error), &error);
    assert_ok(lmb_cpu_run(cpu, batch, inputs, &results->outputs, &error), &error);
    lmb_cpu_destroy(cpu);
}

static void expect_same(const lmb_batch_def *batch, const results *reference, const results *device, const char *what) {
    lmb_comparison comparison = {0};
    lmb_error error;
    assert_ok(lmb_compare(batch, &reference->outputs, &device->outputs, 0, batch->character_count, &comparison, &error),
              &error);
    if (lmb_comparison_differs(&comparison) != 0) {
        char text[300];
        lmb_comparison_describe(&comparison, text, sizeof text);
        fail_msg("%s: %" PRIu64 " of %" PRIu64 " values differ; %s", what, lmb_comparison_differs(&comparison),
                 lmb_comparison_values(&comparison), text);
    }
    for (uint32_t i = 0; i < LMB_REFUSAL_COUNT; i++) {
        if (reference->refused[i] != device->refused[i]) {
            fail_msg("%s: refusal counter %u is %u on the reference, %u on the device", what, i, reference->refused[i],
                     device->refused[i]);
        }
    }
    compared += lmb_comparison_values(&comparison);
}

// Compares one frame of a crowd on both sides.
static void compare_crowd(crowd *crowd, lmb_gpu *on, uint32_t outputs, VkDeviceSize span_bytes, uint32_t min_spans) {
    const lmb_batch_def batch = crowd_batch(crowd, outputs);
    crowd_draw(crowd, 0);
    const lmb_batch_inputs inputs = crowd_inputs(crowd);
    results *reference = results_create(&batch);
    results *device = results_create(&batch);
    run_reference(&batch, &inputs, reference);
    gpu_side side;
    lmb_error error;
    assert_ok(gpu_side_create(&opened, on, &batch, span_bytes, &side, &error), &error);
    assert_true(lmb_gpu_batch_span_count(side.batch) >= min_spans);
    assert_ok(gpu_side_run(&side, &inputs, &device->outputs, &error), &error);
    gpu_side_destroy(&side);
    char what[100];
    snprintf(what, sizeof what, "program %u, %u characters of %u joints", crowd->def.program, batch.character_count,
             lmb_graph_get_info(batch.graph)->joint_count);
    expect_same(&batch, reference, device, what);
    results_destroy(device);
    results_destroy(reference);
}

// Program 0 contains every operation, 0.3 s of work a character on a driver that runs on the processor.
#define ALL_OPERATIONS_CHARACTERS (suite_is_quick() ? 5u : 19u)
// More characters than a workgroup of any kernel has.
#define MANY_CHARACTERS (suite_is_quick() ? 67u : 131u)

// Some drivers take a second or more to compile a program's pipeline, so most batches use only the interpreting kernel.
// Outside interpreting_gpu, program 0 is too long for a pipeline, and has an interpreter of its own.
static void compare_program(const world *world, lmb_gpu *on, uint32_t character_count, uint32_t program,
                            uint32_t one_in) {
    const uint32_t most = program == 0 ? ALL_OPERATIONS_CHARACTERS : character_count;
    crowd crowd = world_crowd(world, character_count < most ? character_count : most, program, one_in);
    compare_crowd(&crowd, on, ALL_OUTPUTS, 0, 1);
    crowd_destroy(&crowd);
}

static void random_programs_over_67_joints(void **state) {
    (void)state;
    world world = world_create(67, SCENE_TREE);
    for (uint32_t program = 0; program < 4; program++) {
        compare_program(&world, interpreting_gpu, MANY_CHARACTERS, program, 0);
        if (program == 1 || (program == 2 && !suite_is_quick())) {
            compare_program(&world, gpu, MANY_CHARACTERS, program, 0);
        }
        if (program == 1) {
            compare_program(&world, separate_gpu, MANY_CHARACTERS, program, 0);
        }
        if (program == 1 && !suite_is_quick()) { // quick: every_set_of_outputs has it
            compare_program(&world, levels_gpu, MANY_CHARACTERS, program, 0);
        }
    }
    world_destroy(&world);
}

// The kernel writes exactly the requested outputs, and no output depends on another. If cases are quick, each set is on
// one of the devices.
static void every_set_of_outputs(void **state) {
    (void)state;
    lmb_gpu *const each[] = {gpu, levels_gpu, interpreting_gpu};
    static const uint32_t sets[] = {LMB_OUTPUT_LOCAL_BIT,
                                    LMB_OUTPUT_MODEL_BIT,
                                    LMB_OUTPUT_PALETTE_BIT,
                                    LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_PALETTE_BIT,
                                    LMB_OUTPUT_MODEL_BIT | LMB_OUTPUT_PALETTE_BIT,
                                    LMB_OUTPUT_PALETTE_BIT | LMB_OUTPUT_PREVIOUS_PALETTE_BIT,
                                    LMB_OUTPUT_DUAL_QUATERNIONS_BIT,
                                    LMB_OUTPUT_BOUNDS_BIT,
                                    LMB_OUTPUT_SOCKETS_BIT,
                                    LMB_OUTPUT_PALETTE_BIT | LMB_OUTPUT_DUAL_QUATERNIONS_BIT | LMB_OUTPUT_BOUNDS_BIT};
    world world = world_create(67, SCENE_TREE);
    const uint32_t characters = suite_is_quick() ? 7 : 43;
    crowd crowd = fitting_crowd(&world, characters, 1, has_every_output);
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        for (size_t k = suite_is_quick() ? i : 0; k < sizeof sets / sizeof sets[0]; k += suite_is_quick() ? 3 : 1) {
            compare_crowd(&crowd, each[i], sets[k], 0, 1);
        }
        compare_crowd(&crowd, each[i], LMB_OUTPUT_PALETTE_BIT, 5 * 67 * sizeof(lmb_affine), (characters + 4) / 5);
    }
    crowd_destroy(&crowd);
    world_destroy(&world);
}

// From rigs with many characters in a workgroup, over rigs with one, to rigs that do not fit.
static void rigs_of_every_shape(void **state) {
    (void)state;
    static const uint32_t joint_counts[] = {3, 24, 85, 86, 200, 650, 700};
    world world;
    for (size_t i = 0; i < sizeof joint_counts / sizeof joint_counts[0]; i += suite_is_quick() ? 2 : 1) {
        world = world_create(joint_counts[i], i % 2 == 0 ? SCENE_TREE : SCENE_WIDE);
        compare_program(&world, gpu, 19, SHORT, 61);
        compare_program(&world, levels_gpu, 19, SHORT, 61);
        world_destroy(&world);
    }
    if (!suite_is_quick()) {
        world = world_create(200, SCENE_CHAIN);
        compare_program(&world, levels_gpu, 19, SHORT, 61);
        world_destroy(&world);
    }
}

static void compressed_clips(void **state) {
    (void)state;
    static const uint32_t joint_counts[] = {1 + 2 * 7, 67};
    for (size_t i = 0; i < 2; i++) {
        world world = world_create_compressed(joint_counts[i]);
        for (uint32_t program = 0; program < 4; program++) {
            if (suite_is_quick() && i == 1 && program != 1) {
                continue;
            }
            const bool interprets = i == 0 || program == 3;
            lmb_gpu *const on = interprets ? interpreting_gpu : program < 2 ? gpu : levels_gpu;
            compare_program(&world, on, suite_is_quick() ? 9 : 67, program, 61);
        }
        world_destroy(&world);
    }
}

static void every_kind_of_refusal(void **state) {
    (void)state;
    world world = world_create(67, SCENE_TREE);
    for (uint32_t program = 0; program < 4; program++) {
        compare_program(&world, program == 1 ? gpu : interpreting_gpu, suite_is_quick() ? 15 : 65, program, 5);
    }
    world_destroy(&world);
}

static void batches_around_the_workgroup(void **state) {
    (void)state;
    static const uint32_t joint_counts[] = {1, 2, 63, 64, 65};
    static const uint32_t character_counts[] = {1, 2, 63, 64, 65, 129};
    const size_t first = suite_is_quick() ? 1 : 0, end = suite_is_quick() ? 5 : 6;
    for (size_t i = 0; i < sizeof joint_counts / sizeof joint_counts[0]; i++) {
        world world = world_create(joint_counts[i], SCENE_WIDE);
        for (size_t j = first; j < end; j++) {
            // The program does not affect the workgroup, so only few programs do more than blend.
            compare_program(&world, i == j ? gpu : interpreting_gpu, character_counts[j],
                            i + 1 == j ? 1 + (uint32_t)i % 3 : SHORT, 61);
        }
        world_destroy(&world);
    }
}

static void a_rig_of_1000_joints(void **state) {
    (void)state;
    static const scene_shape shapes[] = {SCENE_CHAIN, SCENE_TREE};
    for (size_t i = 0; i < 2; i++) {
        world world = world_create(1000, shapes[i]);
        compare_program(&world, gpu, 1, SHORT, 61);
        compare_program(&world, interpreting_gpu, suite_is_quick() ? 3 : 7, i == 0 ? SHORT : 1, 61);
        world_destroy(&world);
    }
}

// Stage 1 has nothing to write for a rest pose, and a workgroup has invocations of its own for each joint.
static void a_rig_of_100_joints_at_rest(void **state) {
    (void)state;
    world world = world_create(100, SCENE_CHAIN);
    const lmb_node_def rest = lmb_default_node_def();
    const lmb_graph_def given = {.rig = world.rig, .nodes = &rest, .node_count = 1};
    const crowd_def def = {
        .rig = world.rig, .character_count = 20, .seed = 20261121, .program = SHORT, .given = &given};
    crowd crowd;
    lmb_error error;
    assert_ok(crowd_create(&def, &crowd, &error), &error);
    compare_crowd(&crowd, gpu, ALL_OUTPUTS, 0, 1);
    crowd_destroy(&crowd);
    world_destroy(&world);
}

static void a_batch_split_into_spans(void **state) {
    (void)state;
    world world = world_create(67, SCENE_TREE);
    const VkDeviceSize character = 67 * sizeof(lmb_affine);
    crowd crowd = world_crowd(&world, 131, SHORT, 61);
    compare_crowd(&crowd, interpreting_gpu, ALL_OUTPUTS, character, 131);             // one character per span
    compare_crowd(&crowd, gpu, ALL_OUTPUTS, 64 * character + 100, 3);                 // the last span is shorter
    compare_crowd(&crowd, gpu, ALL_OUTPUTS, 131 * character, 1);                      // exactly one span
    compare_crowd(&crowd, interpreting_gpu, LMB_OUTPUT_LOCAL_BIT, 50 * character, 3); // model kernel not run
    // Model matrices stay internal and are not an output.
    compare_crowd(&crowd, interpreting_gpu, LMB_OUTPUT_PALETTE_BIT, 50 * character, 3);
    crowd_destroy(&crowd);
    const uint32_t few = suite_is_quick() ? 67 : 131;
    for (uint32_t program = 0; program < 4; program += 3) { // with all other buffers that have a row per character
        crowd = world_crowd(&world, program == 0 ? ALL_OPERATIONS_CHARACTERS : few, program, 61);
        // A character of program 0 has rows as large as 8 palettes.
        compare_crowd(&crowd, interpreting_gpu, ALL_OUTPUTS, (program == 0 ? 8 : (few + 2) / 3) * character, 3);
        crowd_destroy(&crowd);
    }
    world_destroy(&world);
}

// A slot's palette is copied before the frame overwrites it.
static void the_palette_of_the_frame_before(void **state) {
    (void)state;
    world world = world_create(67, SCENE_TREE);
    lmb_gpu *const each[] = {gpu, levels_gpu, interpreting_gpu};
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        crowd crowd = world_crowd(&world, suite_is_quick() ? 27 : 67, 1, 61);
        const lmb_batch_def batch = crowd_batch(&crowd, ALL_OUTPUTS);
        results *reference = results_create(&batch);
        results *device = results_create(&batch);
        gpu_side side;
        lmb_error error;
        assert_ok(gpu_side_create(&opened, each[i], &batch, 20 * 67 * sizeof(lmb_affine), &side, &error), &error);
        for (uint32_t frame = 0; frame < 3; frame++) {
            crowd_draw(&crowd, frame);
            lmb_batch_inputs inputs = crowd_inputs(&crowd);
            inputs.previous_palette = frame > 0 ? reference->outputs.buffers[LMB_OUTPUT_PALETTE] : NULL;
            run_reference(&batch, &inputs, reference);
            assert_ok(gpu_side_run(&side, &inputs, &device->outputs, &error), &error);
            expect_same(&batch, reference, device, "frames in one slot");
        }
        gpu_side_destroy(&side);
        results_destroy(device);
        results_destroy(reference);
        crowd_destroy(&crowd);
    }
    world_destroy(&world);
}

static void a_rig_without_sockets(void **state) {
    (void)state;
    world world = {.rig = scene_single_joint()};
    for (uint32_t i = 0; i < CLIP_COUNT; i++) {
        lmb_error error;
        world.keys[i] = keyframes_create(1, 5, i);
        assert_ok(lmb_clip_create(world.rig, &world.keys[i].clip, NULL, &world.clips[i], &error), &error);
    }
    compare_program(&world, suite_is_quick() ? interpreting_gpu : gpu, 65, 0, 61);
    world_destroy(&world);
}

enum { LISTS = 6, LISTED = 131 };

// Fills a list with all characters, with none, with some in any order and repeated, with some outside the batch, or
// with a count beyond its capacity. Returns the count to pass to the device.
static uint32_t fill_list(uint32_t which, uint32_t *list) {
    random_source source = {which + 1};
    for (uint32_t i = 0; i < LISTED; i++) {
        list[i] = which == 0 ? LISTED - 1 - i : random_below(&source, which == 3 ? LISTED + 20 : LISTED);
    }
    list[7] = which == 4 ? LMB_NONE : list[7];
    static const uint32_t counts[LISTS] = {LISTED, 0, 71, 120, 8, 100000};
    return counts[which];
}

// Runs a whole frame, then a frame of the listed characters. The others must keep their outputs.
static void compare_list(crowd *crowd, lmb_gpu *on, uint32_t outputs, uint32_t which) {
    const lmb_batch_def batch = crowd_batch(crowd, outputs);
    results *reference = results_create(&batch);
    results *device = results_create(&batch);
    gpu_side side;
    device_buffer list;
    lmb_error error;
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    assert_ok(device_buffer_create(&opened, (1 + LISTED) * sizeof(uint32_t), usage, true, &list, &error), &error);
    uint32_t *words = list.mapped;
    words[0] = fill_list(which, words + 1);
    assert_ok(gpu_side_create(&opened, on, &batch, 50 * 67 * sizeof(lmb_affine), &side, &error), &error);
    crowd_draw(crowd, 0);
    lmb_batch_inputs inputs = crowd_inputs(crowd);
    run_reference(&batch, &inputs, reference);
    assert_ok(gpu_side_run(&side, &inputs, &device->outputs, &error), &error);
    crowd_draw(crowd, 1);
    inputs = crowd_inputs(crowd);
    lmb_cpu *cpu = NULL;
    uint32_t count = words[0] <= LISTED ? words[0] : LISTED;
    assert_ok(lmb_cpu_create(batch.graph, which % 2 == 0 ? LMB_CPU_REFERENCE : LMB_CPU_FAST, NULL, &cpu, &error),
              &error);
    assert_ok(lmb_cpu_run_list(cpu, &batch, &inputs, &reference->outputs, words + 1, count, &error), &error);
    lmb_cpu_destroy(cpu);
    reference->refused[LMB_REFUSED_CHARACTER] += words[0] > LISTED;
    side.list = list.address + sizeof(uint32_t);
    side.list_count = list.address;
    side.list_capacity = LISTED;
    assert_ok(gpu_side_run(&side, &inputs, &device->outputs, &error), &error);
    char what[100];
    snprintf(what, sizeof what, "list %u, program %u, outputs 0x%x", which, crowd->def.program, outputs);
    expect_same(&batch, reference, device, what);
    assert_int_equal(reference->refused[LMB_REFUSED_CHARACTER] > 0, which >= 3);
    gpu_side_destroy(&side);
    device_buffer_destroy(&opened, &list);
    results_destroy(device);
    results_destroy(reference);
}

static void lists_of_characters(void **state) {
    (void)state;
    lmb_gpu *const each[] = {gpu, levels_gpu, separate_gpu, interpreting_gpu};
    world world = world_create(67, SCENE_TREE);
    crowd crowd = world_crowd(&world, LISTED, SHORT, 61);
    for (uint32_t which = 0; which < LISTS; which++) {
        // Interpreters are slow on a processor.
        const size_t count = sizeof each / sizeof each[0] - (suite_is_quick() && which % 3 != 0 ? 1 : 0);
        for (size_t i = 0; i < count; i++) {
            compare_list(&crowd, each[i], ALL_OUTPUTS, which);
        }
    }
    compare_list(&crowd, levels_gpu, LMB_OUTPUT_PALETTE_BIT, 3);
    crowd_destroy(&crowd);
    world_destroy(&world);
}

// Where a driver ends loops early, an invocation computes a joint instead of a character, or the graph is refused.
static void loops_decide_the_shape(void **state) {
    (void)state;
    const uint32_t limit = gpu->limits.loops;
    world world = world_create(67, SCENE_TREE);
    crowd crowd = world_crowd(&world, 1, SHORT, 0);
    lmb_gpu_graph *graph = NULL;
    lmb_error error;
    gpu->limits.loops = 2000;
    assert_ok(lmb_gpu_graph_create(gpu, crowd.program, &graph, &error), &error);
    assert_int_equal(graph->shape.characters, 0);
    lmb_gpu_graph_destroy(graph);
    gpu->limits.loops = 10;
    assert_int_equal(lmb_gpu_graph_create(gpu, crowd.program, &graph, &error), LMB_ERROR_DEVICE);
    assert_non_null(strstr(error.message, "iterations of loops"));
    gpu->limits.loops = limit;
    crowd_destroy(&crowd);
    world_destroy(&world);
}

// The invocations that share a character's sources find all of them, and count each refusal once. The kernels are the
// same either way. Other tests have the invocations that do not share them.
static void sources_of_small_crowds(void **state) {
    (void)state;
    const bool is_cpu = interpreting_gpu->limits.is_cpu;
    world world = world_create(15, SCENE_TREE);
    uint32_t most_sources = 0;
    for (uint32_t program = 1; program < (suite_is_quick() ? 2 : 4); program++) {
        crowd crowd = fitting_crowd(&world, LISTED, program, is_stateless);
        const uint32_t sources = crowd.program->program[FIELD(PROGRAM, sources)];
        most_sources = sources > most_sources ? sources : most_sources;
        for (uint32_t shared = suite_is_quick() ? 1 : 0; shared < 2; shared++) {
            interpreting_gpu->limits.is_cpu = !shared;
            compare_crowd(&crowd, interpreting_gpu, LMB_OUTPUT_LOCAL_BIT, 50 * 15 * sizeof(lmb_transform), 2);
            compare_list(&crowd, interpreting_gpu, LMB_OUTPUT_LOCAL_BIT, 1); // nobody
            compare_list(&crowd, interpreting_gpu, LMB_OUTPUT_LOCAL_BIT, 3);
        }
        crowd_destroy(&crowd);
    }
    interpreting_gpu->limits.is_cpu = is_cpu;
    assert_true(most_sources > 2);
}

static bool has_exchanges(const lmb_graph *graph) {
    return is_stateless(graph) && graph->info.exchange_count > 0;
}

// Each pass of a graph runs the list: an index outside the batch is still counted once.
static void lists_of_graphs_with_exchanges(void **state) {
    (void)state;
    world world = world_create(29, SCENE_TREE);
    crowd crowd = fitting_crowd(&world, LISTED, 1, has_exchanges);
    compare_list(&crowd, separate_gpu, ALL_OUTPUTS, 3);
    compare_list(&crowd, interpreting_gpu, LMB_OUTPUT_LOCAL_BIT, 3);
    crowd_destroy(&crowd);
    world_destroy(&world);
}

// Plays one clip at each character's own time.
static lmb_graph *create_clip_program(const world *world) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_parameter(0);
    const lmb_graph_def def = {.rig = world->rig,
                               .clips = (const lmb_clip *const *)world->clips,
                               .clip_count = 1,
                               .nodes = &node,
                               .node_count = 1,
                               .parameter_count = 1};
    lmb_graph *program = NULL;
    lmb_error error;
    assert_ok(lmb_graph_create(&def, NULL, &program, &error), &error);
    return program;
}

// Compares `count` characters of one joint.
static void compare_many(lmb_gpu *on, uint32_t count) {
    world world = world_create(1, SCENE_CHAIN);
    lmb_graph *program = create_clip_program(&world);
    float *times = malloc(count * sizeof *times);
    assert_non_null(times);
    for (uint32_t i = 0; i < count; i++) {
        times[i] = (float)i * (KEYFRAMES_DURATION / (float)count);
    }
    // Only model matrices. If there is a second kernel, it computes them from the local transforms.
    const lmb_batch_def batch = {program, count, LMB_OUTPUT_MODEL_BIT};
    const lmb_batch_inputs inputs = {.parameters = times};
    results *reference = results_create(&batch);
    results *device = results_create(&batch);
    run_reference(&batch, &inputs, reference);
    gpu_side side;
    lmb_error error;
    // One span, whatever a character takes.
    assert_ok(gpu_side_create(&opened, on, &batch, (VkDeviceSize)count * 256, &side, &error), &error);
    assert_ok(gpu_side_run(&side, &inputs, &device->outputs, &error), &error);
    assert_int_equal(lmb_gpu_batch_span_count(side.batch), 1);
    gpu_side_destroy(&side);
    expect_same(&batch, reference, device, "more than 65,535 workgroups");
    results_destroy(device);
    results_destroy(reference);
    free(times);
    lmb_graph_destroy(program);
    world_destroy(&world);
}

static void more_workgroups_than_an_axis_has(void **state) {
    (void)state;
    // One workgroup and one invocation more than fit: the grid of the kernel, or of both kernels, has two rows.
    if (!suite_is_quick()) {
        compare_many(separate_gpu, 65535 * LMB_GPU_GROUP + LMB_GPU_GROUP + 1);
    }
    const uint32_t characters = lmb_gpu_find_shape(gpu->limits, 1, 0).characters;
    assert_true(characters > 0);
    compare_many(gpu, 65535 * characters + characters + 1);
}

// ---- Several batches, several frame slots each, in one command buffer. ----

enum { FLIGHT_BATCHES = 3, FLIGHT_FRAMES = 3 };

typedef struct flight {
    crowd crowd;
    lmb_gpu_graph *program;
    lmb_gpu_batch *batch;
    device_buffer poses[FLIGHT_FRAMES][LMB_MAX_POSES];
    results *reference[FLIGHT_FRAMES];
} flight;

static void flight_start(flight *flight, const world *world, uint32_t character_count, uint32_t program) {
    lmb_error error;
    *flight = (struct flight){.crowd = fitting_crowd(world, character_count, program, is_stateless)};
    assert_ok(lmb_gpu_graph_create(gpu, flight->crowd.program, &flight->program, &error), &error);
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.graph = flight->program;
    def.character_count = character_count;
    def.outputs = ALL_OUTPUTS;
    def.slot_count = FLIGHT_FRAMES;
    def.span_bytes = 40 * lmb_rig_get_def(world->rig)->joint_count * sizeof(lmb_affine);
    assert_ok(lmb_gpu_batch_create(gpu, &def, &flight->batch, &error), &error);
}

// Sets the inputs of one frame for both sides and runs the reference.
static void flight_fill(flight *flight, uint32_t frame) {
    const lmb_batch_def batch = lmb_gpu_batch_description(flight->batch);
    lmb_error error;
    crowd_draw(&flight->crowd, frame);
    const lmb_batch_inputs inputs = crowd_inputs(&flight->crowd);
    size_t parameters = (size_t)batch.character_count * lmb_graph_get_info(batch.graph)->parameter_count;
    memcpy(lmb_gpu_batch_parameters(flight->batch, frame), inputs.parameters, parameters * sizeof(float));
    const size_t bytes = batch.character_count * lmb_batch_output_floats(&batch, LMB_OUTPUT_LOCAL) * sizeof(float);
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    for (uint32_t i = 0; i < lmb_graph_get_info(batch.graph)->pose_count; i++) {
        device_buffer *pose = &flight->poses[frame][i];
        assert_ok(device_buffer_create(&opened, bytes, usage, true, pose, &error), &error);
        memcpy(pose->mapped, inputs.poses[i], bytes);
        assert_ok(lmb_gpu_batch_bind_pose(flight->batch, frame, i, pose->address, &error), &error);
    }
    flight->reference[frame] = results_create(&batch);
    run_reference(&batch, &inputs, flight->reference[frame]);
}

static void flight_compare(flight *flight, uint32_t frame) {
    const lmb_batch_def batch = lmb_gpu_batch_description(flight->batch);
    lmb_error error;
    results *device = results_create(&batch);
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        assert_ok(device_read_output(&opened, flight->batch, frame, (lmb_output)output, device->outputs.buffers[output],
                                     &error),
                  &error);
    }
    const lmb_gpu_span refused = lmb_gpu_batch_refused(flight->batch, frame);
    assert_ok(device_read_span(&opened, &refused, device->refused, &error), &error);
    // The palette of the previous slot, recorded in the same round or in the one before.
    const results *before = flight->reference[(frame + FLIGHT_FRAMES - 1) % FLIGHT_FRAMES];
    memcpy(flight->reference[frame]->outputs.buffers[LMB_OUTPUT_PREVIOUS_PALETTE],
           before->outputs.buffers[LMB_OUTPUT_PALETTE],
           batch.character_count * lmb_batch_output_floats(&batch, LMB_OUTPUT_PALETTE) * sizeof(float));
    char what[100];
    snprintf(what, sizeof what, "program %u, frame slot %u", flight->crowd.def.program, frame);
    expect_same(&batch, flight->reference[frame], device, what);
    results_destroy(device);
}

static void flight_end(flight *flight) {
    for (uint32_t frame = 0; frame < FLIGHT_FRAMES; frame++) {
        results_destroy(flight->reference[frame]);
        for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
            device_buffer_destroy(&opened, &flight->poses[frame][i]);
        }
    }
    lmb_gpu_batch_destroy(flight->batch);
    lmb_gpu_graph_destroy(flight->program);
    crowd_destroy(&flight->crowd);
}

static void record_flights(flight *flights, VkCommandBuffer commands, bool upload) {
    lmb_error error;
    for (uint32_t i = 0; i < FLIGHT_BATCHES && upload; i++) {
        assert_ok(lmb_gpu_graph_record_upload(flights[i].program, commands, &error), &error);
    }
    for (uint32_t frame = 0; frame < FLIGHT_FRAMES; frame++) {
        for (uint32_t i = 0; i < FLIGHT_BATCHES; i++) {
            const lmb_gpu_record_info info = {.commands = commands,
                                              .slot = frame,
                                              .has_previous_slot = !upload || frame > 0,
                                              .previous_slot = (frame + FLIGHT_FRAMES - 1) % FLIGHT_FRAMES};
            assert_ok(lmb_gpu_batch_record(flights[i].batch, &info, &error), &error);
        }
    }
}

// First with the uploads before the frames, with every slot used twice; then again with the data already on the device.
static void batches_and_frames_share_a_command_buffer(void **state) {
    (void)state;
    world world = world_create(20, SCENE_TREE);
    flight flights[FLIGHT_BATCHES];
    for (uint32_t i = 0; i < FLIGHT_BATCHES; i++) {
        flight_start(&flights[i], &world, 50 + 50 * i, i == 0 ? SHORT : 2 * i - 1);
        for (uint32_t frame = 0; frame < FLIGHT_FRAMES; frame++) {
            flight_fill(&flights[i], frame);
        }
    }
    for (int submission = 0; submission < 2; submission++) {
        lmb_error error;
        VkCommandPool pool;
        VkCommandBuffer commands;
        assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
        record_flights(flights, commands, submission == 0);
        record_flights(flights, commands, false);
        assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
        for (uint32_t i = 0; i < FLIGHT_BATCHES; i++) {
            assert_ok(lmb_gpu_graph_uploaded(flights[i].program, &error), &error);
            for (uint32_t frame = 0; frame < FLIGHT_FRAMES; frame++) {
                flight_compare(&flights[i], frame);
            }
        }
    }
    for (uint32_t i = 0; i < FLIGHT_BATCHES; i++) {
        flight_end(&flights[i]);
    }
    world_destroy(&world);
}

// Counts the tests before this one. The test after it compares millions of simple values.
static void enough_was_compared(void **state) {
    (void)state;
    printf("%" PRIu64 " values compared\n", compared);
    assert_true(compared >= EXPECTED_VALUES);
}

static int start(void **state) {
    (void)state;
    lmb_error error;
    open_device(&opened);
    lmb_gpu_def def = device_gpu_def(&opened);
    assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
    assert_ok(lmb_gpu_create(&def, NULL, &separate_gpu, &error), &error);
    separate_gpu->limits.workgroup_bytes = 0;
    assert_ok(lmb_gpu_create(&def, NULL, &levels_gpu, &error), &error);
    levels_gpu->limits.is_cpu = false;
    levels_gpu->limits.subgroup = 32;
    levels_gpu->limits.workgroup_invocations = 128; // of which each computes several joints of the larger rigs
    def.interpret_graphs = true;
    assert_ok(lmb_gpu_create(&def, NULL, &interpreting_gpu, &error), &error);
    return 0;
}

static int finish(void **state) {
    (void)state;
    lmb_gpu_destroy(interpreting_gpu);
    lmb_gpu_destroy(levels_gpu);
    lmb_gpu_destroy(separate_gpu);
    lmb_gpu_destroy(gpu);
    return device_close(&opened) == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_over_67_joints),
        cmocka_unit_test(every_set_of_outputs),
        cmocka_unit_test(rigs_of_every_shape),
        cmocka_unit_test(lists_of_characters),
        cmocka_unit_test(lists_of_graphs_with_exchanges),
        cmocka_unit_test(sources_of_small_crowds),
        cmocka_unit_test(loops_decide_the_shape),
        cmocka_unit_test(compressed_clips),
        cmocka_unit_test(every_kind_of_refusal),
        cmocka_unit_test(batches_around_the_workgroup),
        cmocka_unit_test(a_rig_of_1000_joints),
        cmocka_unit_test(a_rig_of_100_joints_at_rest),
        cmocka_unit_test(a_batch_split_into_spans),
        cmocka_unit_test(the_palette_of_the_frame_before),
        cmocka_unit_test(a_rig_without_sockets),
        cmocka_unit_test(batches_and_frames_share_a_command_buffer),
        cmocka_unit_test(enough_was_compared),
        cmocka_unit_test(more_workgroups_than_an_axis_has),
    };
    return run_gpu_suite_with("gpu_bits", tests, sizeof tests / sizeof tests[0], start, finish);
}
