// The C example of README.md: the test compiles its functions, and checks that the program does what its comments say.
#include "suite.h"

#include <limber/cpu.h>
#include <math.h>
#include <string.h>

// Defined in README.md.
lmb_result create_graph(const lmb_rig *rig, const lmb_clip *const clips[2], lmb_graph **graph, lmb_error *error);

// A clip of 1 second. Clip 0 moves along x by 1 without a rotation. Clip 1 is at y = 2, turned by 90 degrees about z;
// its quaternion has the sign of the longer way.
static lmb_clip *create_clip(const lmb_rig *rig, uint32_t index) {
    static const float times[2] = {0.0f, 1.0f};
    static const float positions[2][6] = {{0, 0, 0, 1, 0, 0}, {0, 2, 0, 0, 2, 0}};
    static const float turns[2][8] = {{0, 0, 0, 1, 0, 0, 0, 1},
                                      {0, 0, -0.707106769f, -0.707106769f, 0, 0, -0.707106769f, -0.707106769f}};
    const lmb_track_def tracks[2] = {
        {0, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, positions[index]},
        {0, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 2, times, turns[index]}};
    const lmb_clip_def def = {.tracks = tracks, .track_count = 2};
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    assert_int_equal(lmb_clip_create(rig, &def, NULL, &clip, &error), LMB_OK);
    return clip;
}

static void the_program_loops_and_blends(void **state) {
    (void)state;
    const lmb_joint_def joint = lmb_default_joint_def();
    const lmb_rig_def rig_def = {.joints = &joint, .joint_count = 1};
    lmb_rig *rig = NULL;
    lmb_graph *program = NULL;
    lmb_cpu *cpu = NULL;
    lmb_error error = {0};
    assert_int_equal(lmb_rig_create(&rig_def, NULL, &rig, &error), LMB_OK);
    lmb_clip *clips[2] = {create_clip(rig, 0), create_clip(rig, 1)};
    if (create_graph(rig, (const lmb_clip *const *)clips, &program, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(lmb_graph_parameter_count(program), 2);
    assert_int_equal(lmb_cpu_create(program, LMB_CPU_REFERENCE, NULL, &cpu, &error), LMB_OK);
    static const float parameters[3][2] = {{1.25f, 0.0f}, {1.25f, 0.5f}, {0.5f, 1.0f}};
    static const double expected[3][3] = {{0.25, 0.0, 0.0}, {0.125, 1.0, 45.0}, {0.0, 2.0, 90.0}};
    float local[3][LMB_POSE_COMPONENTS];
    const lmb_batch_def batch = {program, 3, LMB_OUTPUT_LOCAL_BIT};
    const lmb_batch_inputs inputs = {.parameters = &parameters[0][0]};
    lmb_batch_outputs outputs = {0};
    outputs.buffers[LMB_OUTPUT_LOCAL] = &local[0][0];
    assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), LMB_OK);
    for (int i = 0; i < 3; i++) {
        double half = expected[i][2] * (3.14159265358979 / 360.0);
        double along = local[i][5] * sin(half) + local[i][6] * cos(half);
        assert_true(fabs(local[i][0] - expected[i][0]) < 1e-6);
        assert_true(fabs(local[i][1] - expected[i][1]) < 1e-6);
        assert_true(fabs(fabs(along) - 1.0) < 1e-6);
    }
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(program);
    lmb_clip_destroy(clips[0]);
    lmb_clip_destroy(clips[1]);
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_program_loops_and_blends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
