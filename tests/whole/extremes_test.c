// No result depends on the flushing of subnormals: extreme inputs give the same bits on a processor that flushes them,
// as some devices do, and on one that does not.
#include "extremes.h"
#include "flushing.h"

#include <limber/cpu.h>
#include <string.h>

static void run(const lmb_batch_def *batch, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                lmb_cpu_path path, bool flush) {
    lmb_cpu *cpu = NULL;
    assert_int_equal(lmb_cpu_create(batch->graph, path, NULL, &cpu, NULL), LMB_OK);
    flushing_set(flush);
    assert_int_equal(lmb_cpu_run(cpu, batch, inputs, outputs, NULL), LMB_OK);
    flushing_set(false);
    lmb_cpu_destroy(cpu);
}

// Compares every path of this machine with the reference without flushing.
static void random_programs(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < 300; seed += suite_stride()) {
        extremes *e = extremes_create(seed);
        run(&e->batch, &e->inputs, &e->outputs[0], LMB_CPU_REFERENCE, false);
        extremes_expect_snapped(e, seed);
        for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
            for (int flush = 0; flush < 2 && lmb_cpu_has((lmb_cpu_path)path); flush++) {
                run(&e->batch, &e->inputs, &e->outputs[1], (lmb_cpu_path)path, flush != 0);
                extremes_expect_same(e, seed);
            }
        }
        extremes_destroy(e);
    }
}

// Runs one joint and one program in both modes.
static void expect_same(lmb_clip *clip, const lmb_node_def *nodes, uint32_t count, const lmb_rig *rig,
                        const float *pose) {
    const lmb_clip *clips[] = {clip};
    lmb_graph_def def = {.rig = rig, .clips = clips, .clip_count = clip != NULL, .nodes = nodes, .node_count = count};
    lmb_graph *program = NULL;
    assert_int_equal(lmb_graph_create(&def, NULL, &program, NULL), LMB_OK);
    lmb_batch_def batch = {program, 1, LMB_OUTPUT_LOCAL_BIT};
    lmb_batch_inputs inputs = {.poses = {pose, pose != NULL ? pose + LMB_POSE_COMPONENTS : NULL}};
    float kept[LMB_POSE_COMPONENTS], flushed[LMB_POSE_COMPONENTS];
    run(&batch, &inputs, &(lmb_batch_outputs){.buffers = {kept}}, LMB_CPU_REFERENCE, false);
    run(&batch, &inputs, &(lmb_batch_outputs){.buffers = {flushed}}, LMB_CPU_REFERENCE, true);
    assert_memory_equal(kept, flushed, sizeof kept);
    lmb_graph_destroy(program);
}

static lmb_rig *one_joint(void) {
    lmb_joint_def joint = lmb_default_joint_def();
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = &joint, .joint_count = 1}, NULL, &rig, NULL), LMB_OK);
    return rig;
}

// The square of the fraction underflows, and a steep tangent over a long interval would amplify the difference.
static void splines_near_a_key(void **state) {
    (void)state;
    lmb_rig *rig = one_joint();
    const float times[] = {0.0f, 0x1p40f};
    float values[18] = {0};
    values[3] = values[4] = values[5] = 0x1p-40f;
    values[9] = values[10] = values[11] = LMB_LARGEST; // in-tangents of the second key
    lmb_track_def track = {0, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_CUBIC_SPLINE, 2, times, values};
    lmb_clip *clip = NULL;
    lmb_clip_def def = {.tracks = &track, .track_count = 1};
    assert_int_equal(lmb_clip_create(rig, &def, NULL, &clip, NULL), LMB_OK);
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    for (int i = 0; i < 64; i++) {
        node.time = lmb_constant(0x1.8p-24f * (1.0f + (float)i / 32.0f));
        expect_same(clip, &node, 1, rig, NULL);
    }
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
}

// The cosine between the smallest weight's rotation and a nearly perpendicular one.
static void smallest_weights(void **state) {
    (void)state;
    lmb_rig *rig = one_joint();
    const float tiny = 0x1p-40f, less = 0x1.000002p-40f;
    const float pose[2 * LMB_POSE_COMPONENTS] = {0, 0, 0, tiny, less,  1, 0, 1, 1, 1,
                                                 0, 0, 0, less, -less, 0, 1, 1, 1, 1};
    lmb_node_def nodes[3];
    for (uint32_t i = 0; i < 3; i++) {
        nodes[i] = lmb_default_node_def();
        nodes[i].op = i < 2 ? LMB_OP_POSE : LMB_OP_WEIGHTED;
        nodes[i].pose = i % 2;
        nodes[2].inputs[i % 2] = i % 2;
    }
    nodes[2].inputs[1] = 1;
    nodes[2].input_count = 2;
    nodes[2].weights[0] = nodes[2].weights[1] = lmb_constant(LMB_SMALLEST);
    expect_same(NULL, nodes, 3, rig, pose);
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs), cmocka_unit_test(splines_near_a_key),
                                       cmocka_unit_test(smallest_weights)};
    return flushing_is_possible() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
