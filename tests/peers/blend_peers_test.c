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

// ---- Poses of one joint.

#define POSES 4u
#define REST POSES // in place of the index of a pose

static const lmb_transform ozz_rest = {{0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}, {1.0f, 1.0f, 1.0f}};
static const lmb_transform three_rest = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}, {1.0f, 1.0f, 1.0f}};
static const lmb_transform given_poses[POSES] = {
    {{1.0f, 2.0f, 3.0f}, {0.6f, 0.0f, 0.0f, 0.8f}, {2.0f, 1.0f, 0.5f}},
    {{-1.0f, 0.0f, 4.0f}, {0.0f, -0.8f, 0.0f, -0.6f}, {0.5f, 3.0f, 1.0f}},
    {{0.0f, 4.0f, -2.0f}, {0.28f, 0.0f, 0.96f, 0.0f}, {1.0f, 1.0f, 4.0f}},
    {{0.5f, -1.0f, 2.0f}, {0.0f, 0.0f, 0.28f, 0.96f}, {2.0f, 0.5f, 1.5f}},
};

static const struct pose_row {
    const char *peer, *name;
    const lmb_transform *rest;
    lmb_op op;
    lmb_mix mix;
    uint32_t count;
    uint32_t inputs[3];
    float weights[3]; // of a blend or an additive the first one
    uint8_t masks[3]; // of layers
    float threshold;  // of layers
    double expected[10];
} pose_rows[] = {
    // ozz-animation 0.16, BlendingJob: layers with joint weights, and the rest pose below the threshold.
    {"ozz",
     "one has the joint",
     &ozz_rest,
     LMB_OP_LAYERS,
     LMB_MIX_DEFAULT,
     2,
     {0, 1},
     {1.0f, 1.0f},
     {255, 0},
     0.1f,
     {1, 2, 3, 0.6, 0, 0, 0.8, 2, 1, 0.5}},
    {"ozz",
     "both have a part",
     &ozz_rest,
     LMB_OP_LAYERS,
     LMB_MIX_DEFAULT,
     2,
     {0, 1},
     {1.0f, 1.0f},
     {204, 102},
     0.1f,
     {0.333333, 1.333333, 3.333333, 0.456172, 0.304114, 0, 0.836315, 1.5, 1.666667, 0.666667}},
    {"ozz",
     "both have little",
     &ozz_rest,
     LMB_OP_LAYERS,
     LMB_MIX_DEFAULT,
     2,
     {0, 1},
     {1.0f, 1.0f},
     {51, 51},
     0.1f,
     {0, 1, 3.5, 0.348743, 0.464991, 0, 0.813733, 1.25, 2, 0.75}},
    {"ozz",
     "none has the joint",
     &ozz_rest,
     LMB_OP_LAYERS,
     LMB_MIX_DEFAULT,
     2,
     {0, 1},
     {1.0f, 1.0f},
     {0, 0},
     0.1f,
     {0, 1, 0, 0, 0, 0, 1, 1, 1, 1}},
    {"ozz",
     "above the threshold",
     &ozz_rest,
     LMB_OP_LAYERS,
     LMB_MIX_DEFAULT,
     2,
     {0, 1},
     {0.5f, 0.25f},
     {204, 102},
     0.4f,
     {0.6, 1.6, 3.2, 0.525730, 0.175243, 0, 0.832405, 1.7, 1.4, 0.6}},
    {"ozz",
     "below the threshold",
     &ozz_rest,
     LMB_OP_LAYERS,
     LMB_MIX_DEFAULT,
     2,
     {0, 1},
     {0.5f, 0.25f},
     {51, 51},
     0.4f,
     {0.125, 1.125, 1.25, 0.163420, 0.108947, 0, 0.980522, 1.1875, 1.25, 0.875}},
    {"ozz",
     "no masks",
     &ozz_rest,
     LMB_OP_LAYERS,
     LMB_MIX_DEFAULT,
     2,
     {0, 1},
     {0.3f, 0.6f},
     {255, 255},
     0.1f,
     {-0.333333, 0.666667, 3.666667, 0.228086, 0.608229, 0, 0.760286, 1, 2.333333, 0.833333}},
    {"ozz",
     "no masks, below the threshold",
     &ozz_rest,
     LMB_OP_LAYERS,
     LMB_MIX_DEFAULT,
     2,
     {0, 1},
     {0.1f, 0.2f},
     {255, 255},
     0.5f,
     {-0.2, 0.8, 2.2, 0.137940, 0.367840, 0, 0.919601, 1, 1.8, 0.9}},
    {"ozz",
     "an additive layer",
     &ozz_rest,
     LMB_OP_ADDITIVE,
     LMB_MIX_NLERP,
     2,
     {0, 3},
     {0.25f},
     {0},
     1.0f,
     {1.125, 1.75, 3.5, 0.598506, -0.042319, 0.056425, 0.798008, 2.5, 0.875, 0.5625}},
    // three.js 0.187, AnimationMixer: actions of an object; where their weights leave something, what it was before.
    {"three.js",
     "two actions",
     &three_rest,
     LMB_OP_WEIGHTED,
     LMB_MIX_SLERP,
     2,
     {0, 1},
     {0.25f, 0.75f},
     {0},
     1.0f,
     {-0.5, 0.5, 3.75, 0.180803, 0.655826, 0, 0.732941, 0.875, 2.5, 0.875}},
    {"three.js",
     "three actions",
     &three_rest,
     LMB_OP_WEIGHTED,
     LMB_MIX_SLERP,
     3,
     {0, 1, 2},
     {0.2f, 0.3f, 0.5f},
     {0},
     1.0f,
     {-0.1, 2.4, 0.8, 0.383780, 0.371674, 0.653350, 0.536381, 1.05, 1.6, 2.4}},
    {"three.js",
     "three others",
     &three_rest,
     LMB_OP_WEIGHTED,
     LMB_MIX_SLERP,
     3,
     {0, 1, 2},
     {0.6f, 0.3f, 0.1f},
     {0},
     1.0f,
     {0.3, 1.6, 2.8, 0.475427, 0.309328, 0.139350, 0.811707, 1.45, 1.6, 1}},
    {"three.js",
     "weights of 1/2",
     &three_rest,
     LMB_OP_WEIGHTED,
     LMB_MIX_SLERP,
     3,
     {0, 1, REST},
     {0.3f, 0.2f, 0.5f},
     {0},
     1.0f,
     {0.1, 0.6, 1.7, 0.214094, 0.197866, 0, 0.956563, 1.2, 1.4, 0.85}},
    {"three.js",
     "between keys",
     &three_rest,
     LMB_OP_BLEND,
     LMB_MIX_SLERP,
     2,
     {0, 1},
     {0.3f},
     {0},
     1.0f,
     {0.4, 1.4, 3.3, 0.465750, 0.287762, 0, 0.836821, 1.55, 1.6, 0.65}},
};

static lmb_rig *create_joint(const lmb_transform *rest) {
    lmb_joint_def joint = lmb_default_joint_def();
    joint.rest = *rest;
    lmb_rig_def def = lmb_default_rig_def();
    def.joints = &joint;
    def.joint_count = 1;
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

static void add_pose(test_scene *scene, uint32_t buffer, const lmb_transform *given) {
    float *pose = scene_add_pose(scene, buffer);
    for (uint32_t i = 0; i < 4; i++) {
        *scene_component(scene, pose, 0, 0, 3 + i) = given->rotation[i];
        if (i < 3) {
            *scene_component(scene, pose, 0, 0, i) = given->translation[i];
            *scene_component(scene, pose, 0, 0, 7 + i) = given->scale[i];
        }
    }
    scene_add_pose_node(scene, buffer);
}

static void run_pose(test_scene *scene, const struct pose_row *row) {
    scene_start(scene, create_joint(row->rest), 1, 0);
    for (uint32_t i = 0; i < row->count; i++) {
        if (row->inputs[i] == REST) {
            scene_add(scene, LMB_OP_REST, LMB_NONE, LMB_NONE);
        } else {
            add_pose(scene, i, &given_poses[row->inputs[i]]);
        }
    }
    lmb_node_def *node = scene_add(scene, row->op, LMB_NONE, LMB_NONE);
    node->input_count = row->count;
    node->interpolation = row->mix;
    node->linear_scale = true;
    node->threshold = row->threshold;
    node->weight = lmb_constant(row->weights[0]);
    scene->mask_count = row->count;
    for (uint32_t i = 0; i < row->count; i++) {
        node->inputs[i] = i;
        node->weights[i] = lmb_constant(row->weights[i]);
        node->masks[i] = i;
        scene->masks[i] = &row->masks[i];
    }
    scene_run(scene);
}

// Compares up to the sign of the rotation.
static void poses(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof pose_rows / sizeof *pose_rows; i++) {
        const struct pose_row *row = &pose_rows[i];
        test_scene scene;
        run_pose(&scene, row);
        double ours[10], sign = 0.0;
        for (uint32_t k = 0; k < 10; k++) {
            ours[k] = (double)*scene_component(&scene, scene.buffers[LMB_OUTPUT_LOCAL], 0, 0, k);
            sign += k >= 3 && k < 7 ? ours[k] * row->expected[k] : 0.0;
        }
        for (uint32_t k = 0; k < 10; k++) {
            const double expected = k >= 3 && k < 7 && sign < 0.0 ? -row->expected[k] : row->expected[k];
            if (!(fabs(ours[k] - expected) <= 2e-6)) {
                fail_msg("%s, %s: component %u is %f, and ours %f", row->peer, row->name, k, expected, ours[k]);
            }
        }
        scene_end(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(spaces), cmocka_unit_test(poses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
