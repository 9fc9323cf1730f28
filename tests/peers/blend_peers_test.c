// Blends beside those of peers: numbers that peers compute, and what Limber has for the same inputs.
#include "scene.h"

// ---- Blend spaces. Input i moves joint i by 1, so the translations of a result are the weights.

#define MOST_PLACES 8u

typedef struct space_def {
    lmb_op op;
    lmb_space2d kind;
    bool discrete;
    uint32_t count;
    float positions[MOST_PLACES][2];
} space_def;

// Stand, walk and run ahead, four walks to other directions, and a walk back.
static const space_def walks = {LMB_OP_SPACE2D,
                                LMB_SPACE2D_DIRECTIONAL,
                                false,
                                8,
                                {{0.0f, 0.0f},
                                 {0.0f, 1.5f},
                                 {0.0f, 4.0f},
                                 {1.0f, 1.0f},
                                 {-1.0f, 1.0f},
                                 {1.5f, 0.0f},
                                 {-1.5f, 0.0f},
                                 {0.0f, -1.0f}}};
static const space_def line = {LMB_OP_SPACE1D, LMB_SPACE2D_TRIANGLES, true, 3, {{0.0f}, {1.0f}, {3.0f}}};
static const space_def plane = {
    LMB_OP_SPACE2D, LMB_SPACE2D_TRIANGLES, true, 4, {{0.0f, 0.0f}, {1.0f, 0.0f}, {0.0f, 1.0f}, {-1.0f, -1.0f}}};

static const struct space_row {
    const char *peer, *name;
    const space_def *space;
    float at[2];
    double weights[MOST_PLACES];
    double tolerance;
} space_rows[] = {
    // Cocos Creator 3.8, cocos/animation/marionette/blend-2d.ts, sampleFreeformDirectional(), which is Johansen's
    // PolarGradientBandInterpolator; its own tests compare 5 digits.
    {"Cocos", "slowly ahead", &walks, {0.0f, 0.5f}, {0.645554, 0.322777, 0, 0.015835, 0.015835, 0, 0, 0}, 5e-6},
    {"Cocos", "slowly to the right", &walks, {0.4f, 0.3f}, {0.556187, 0, 0, 0.301839, 0, 0.141974, 0, 0}, 5e-6},
    {"Cocos", "between walk and run", &walks, {0.2f, 2.5f}, {0, 0.550042, 0.371602, 0.078355, 0, 0, 0, 0}, 5e-6},
    {"Cocos", "back to the left", &walks, {-1.0f, -0.5f}, {0.126039, 0, 0, 0, 0, 0, 0.609461, 0.264500}, 5e-6},
    {"Cocos", "a curve", &walks, {0.7f, 3.1f}, {0, 0.261992, 0.534868, 0.203140, 0, 0, 0, 0}, 5e-6},
    {"Cocos", "outside", &walks, {2.0f, -1.0f}, {0, 0, 0, 0, 0, 0.733026, 0, 0.266974}, 5e-6},
    {"Cocos", "too fast", &walks, {0.0f, -3.0f}, {0, 0, 0, 0, 0, 0.059983, 0.059983, 0.880033}, 5e-6},
    // Godot 4, AnimationNodeBlendSpace1D and AnimationNodeBlendSpace2D with BLEND_MODE_DISCRETE: the closest point, and
    // of two the first one.
    {"Godot", "discrete on a line", &line, {0.6f, 0.0f}, {0, 1, 0}, 0.0},
    {"Godot", "discrete, in the middle", &line, {2.0f, 0.0f}, {0, 1, 0}, 0.0},
    {"Godot", "discrete, beyond the end", &line, {9.0f, 0.0f}, {0, 0, 1}, 0.0},
    {"Godot", "discrete in the plane", &plane, {0.4f, 0.55f}, {0, 0, 1, 0}, 0.0},
    {"Godot", "discrete, as close to three", &plane, {0.5f, 0.5f}, {1, 0, 0, 0}, 0.0},
};

// Joints at the identity.
static lmb_rig *create_roots(uint32_t count) {
    lmb_joint_def joints[MOST_PLACES];
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = lmb_default_joint_def();
    }
    lmb_rig_def def = lmb_default_rig_def();
    def.joints = joints;
    def.joint_count = count;
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

static void run_space(test_scene *scene, const space_def *space, const float at[2]) {
    scene_start(scene, create_roots(MOST_PLACES), 1, 2);
    for (uint32_t i = 0; i < space->count; i++) {
        float *pose = scene_add_pose(scene, i);
        *scene_component(scene, pose, 0, i, 0) = 1.0f;
        scene_add_pose_node(scene, i);
    }
    lmb_node_def *node = scene_add(scene, space->op, LMB_NONE, LMB_NONE);
    node->input_count = space->count;
    node->space2d = space->kind;
    node->discrete = space->discrete;
    for (uint32_t i = 0; i < space->count; i++) {
        node->inputs[i] = i;
        node->positions[i][0] = space->positions[i][0];
        node->positions[i][1] = space->positions[i][1];
    }
    for (uint32_t axis = 0; axis < 2; axis++) {
        node->coordinates[axis] = lmb_parameter(axis);
        *scene_parameter(scene, 0, axis) = at[axis];
    }
    scene_run(scene);
}

static void spaces(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof space_rows / sizeof *space_rows; i++) {
        const struct space_row *row = &space_rows[i];
        test_scene scene;
        run_space(&scene, row->space, row->at);
        for (uint32_t input = 0; input < row->space->count; input++) {
            const double weight = (double)*scene_component(&scene, scene.buffers[LMB_OUTPUT_LOCAL], 0, input, 0);
            if (!(fabs(weight - row->weights[input]) <= row->tolerance)) {
                fail_msg("%s, %s: input %u weighs %f, and ours %f", row->peer, row->name, input, row->weights[input],
                         weight);
            }
        }
        scene_end(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(spaces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
