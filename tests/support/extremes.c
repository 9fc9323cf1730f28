#include "extremes.h"

#include "random.h"
#include "tools/random_curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MASKS = 2, KEYS = 5, PARAMETERS = 40, NODES = 128, MOST_UNARY = 4 };
enum { STACK = 8 }; // poses at a time; with more, a device compiles an interpreter for each program

static void expect_ok(lmb_result result, const lmb_error *error) {
    if (result != LMB_OK) {
        fail_msg("%s: %s", lmb_result_name(result), error->message);
    }
}

static void draw_rotation(random_source *random, float *rotation, float (*draw)(random_source *)) {
    for (int i = 0; i < 4; i++) {
        rotation[i] = random_below(random, 3) == 0 ? 0.0f : draw(random);
    }
    if (random_below(random, 2) == 0) {
        rotation[random_below(random, 4)] = random_below(random, 2) == 0 ? 1.0f : -1.0f;
    }
}

static void draw_usable_rotation(random_source *random, float *rotation) {
    float largest;
    do {
        draw_rotation(random, rotation, random_allowed);
        largest = fmaxf(fmaxf(fabsf(rotation[0]), fabsf(rotation[1])), fmaxf(fabsf(rotation[2]), fabsf(rotation[3])));
    } while (largest < LMB_SMALLEST);
}

static float draw_scale(random_source *random) {
    return random_below(random, 3) == 0 ? 1.0f : random_allowed(random);
}

static lmb_rig *create_rig(random_source *random) {
    lmb_joint_def joints[EXTREMES_JOINTS];
    for (uint32_t i = 0; i < EXTREMES_JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : random_below(random, i);
        joints[i].has_inverse_bind = true;
        draw_usable_rotation(random, joints[i].rest.rotation);
        for (int k = 0; k < 3; k++) {
            joints[i].rest.translation[k] = random_allowed(random);
            joints[i].rest.scale[k] = draw_scale(random);
        }
        for (int k = 0; k < 12; k++) {
            joints[i].inverse_bind.m[k / 4][k % 4] = random_allowed(random);
        }
    }
    lmb_rig *rig = NULL;
    lmb_error error;
    expect_ok(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = EXTREMES_JOINTS}, NULL, &rig, &error),
              &error);
    return rig;
}

static uint32_t draw_times(random_source *random, float *times) {
    uint32_t count = 1 + random_below(random, KEYS);
    float last = -1.0f;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        float time = fabsf(random_allowed(random));
        time = time < LMB_SMALLEST ? 0.0f : time;
        // Makes times ascend. Replaces a time that is not later by the next float but one, or by a much later time;
        // drops it if it is still not later or above LMB_LARGEST.
        if (time <= last) {
            time = random_below(random, 2) == 0 ? last * 1.0000002f : last * 2.0f + 1.0f;
        }
        if (time > last && time <= LMB_LARGEST) {
            times[kept++] = last = time;
        }
    }
    return kept;
}

static lmb_clip *create_clip(random_source *random, const lmb_rig *rig) {
    static float values[3 * EXTREMES_JOINTS][KEYS * 12];
    static float times[3 * EXTREMES_JOINTS][KEYS];
    lmb_track_def tracks[3 * EXTREMES_JOINTS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3 * EXTREMES_JOINTS; i++) {
        if (random_below(random, 5) == 0) {
            continue;
        }
        lmb_property channel = (lmb_property)(i % 3);
        lmb_interpolation interpolation = (lmb_interpolation)random_below(random, 3);
        uint32_t keys = draw_times(random, times[i]);
        uint32_t rows = interpolation == LMB_INTERPOLATION_CUBIC_SPLINE ? 3 : 1;
        for (uint32_t part = 0; part < keys * rows; part++) {
            if (channel == LMB_PROPERTY_ROTATION) {
                draw_usable_rotation(random, &values[i][part * 4]);
            }
            for (uint32_t k = 0; k < 3 && channel != LMB_PROPERTY_ROTATION; k++) {
                values[i][part * 3 + k] =
                    channel == LMB_PROPERTY_SCALE && rows == 1 ? draw_scale(random) : random_allowed(random);
            }
        }
        if (keys > 0) {
            tracks[count++] = (lmb_track_def){i / 3, channel, interpolation, keys, times[i], values[i]};
        }
    }
    lmb_clip *clip = NULL;
    lmb_error error;
    lmb_clip_def def = {.tracks = tracks, .track_count = count};
    expect_ok(lmb_clip_create(rig, &def, NULL, &clip, &error), &error);
    return clip;
}

typedef struct plan {
    random_source *random;
    lmb_node_def nodes[NODES];
    uint32_t node_count;
    uint32_t unary;
    random_curves curves;
} plan;

static lmb_value draw_value(plan *plan) {
    if (random_below(plan->random, 4) == 0) {
        return lmb_constant(random_allowed(plan->random));
    }
    return lmb_parameter(random_below(plan->random, PARAMETERS));
}

// Scales and shifts a few positions that form a valid space.
static void draw_places(plan *plan, lmb_node_def *node) {
    static const float shape[4][2] = {{0.0f, 0.0f}, {1.0f, 0.25f}, {0.25f, 1.0f}, {1.0f, 1.0f}};
    const float size = exp2f((float)random_between(plan->random, -36.0, 36.0));
    const float moved = random_below(plan->random, 2) == 0 ? 0.0f : size * 3.0f;
    static const lmb_space2d kinds[] = {LMB_SPACE2D_TRIANGLES, LMB_SPACE2D_FREEFORM, LMB_SPACE2D_DIRECTIONAL};
    node->space2d = kinds[random_below(plan->random, 3)];
    node->discrete = random_below(plan->random, 4) == 0;
    if (node->op == LMB_OP_SPACE2D && node->input_count < 3) {
        node->space2d = LMB_SPACE2D_GRID;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        for (int axis = 0; axis < 2; axis++) {
            node->positions[i][axis] = shape[i][axis] * size + moved;
        }
        node->positions[i][0] += node->op == LMB_OP_SPACE1D ? (float)i * size : 0.0f;
        node->positions[i][1] = node->space2d == LMB_SPACE2D_GRID ? 0.0f : node->positions[i][1];
    }
    node->coordinates[0] = draw_value(plan);
    node->coordinates[1] = draw_value(plan);
}

// A tree that holds at most `stack` poses at once.
static uint32_t grow(plan *plan, bool additive, uint32_t stack) {
    random_source *random = plan->random;
    lmb_node_def node = lmb_default_node_def();
    bool leaf = stack < 4 || plan->node_count > NODES / 12 || random_below(random, 5) == 0;
    static const lmb_op leaves[] = {LMB_OP_CLIP, LMB_OP_POSE, LMB_OP_CLIP, LMB_OP_POSE, LMB_OP_REST};
    static const lmb_op operations[] = {LMB_OP_BLEND,    LMB_OP_MASKED, LMB_OP_WEIGHTED, LMB_OP_MAKE_ADDITIVE,
                                        LMB_OP_ADDITIVE, LMB_OP_LAYERS, LMB_OP_SPACE1D,  LMB_OP_SPACE2D};
    static const lmb_op is_weighted_sum[] = {LMB_OP_WEIGHTED, LMB_OP_LAYERS, LMB_OP_SPACE1D, LMB_OP_SPACE2D};
    static const lmb_op unary[] = {LMB_OP_MIRROR, LMB_OP_CLAMP};
    do {
        node.op = leaf ? leaves[random_below(random, 5)]
                       : operations[random_below(random, sizeof operations / sizeof operations[0])];
    } while (additive ? node.op == LMB_OP_CLIP || node.op == LMB_OP_REST : node.op == LMB_OP_MAKE_ADDITIVE);
    if (!leaf && plan->unary < MOST_UNARY && random_below(random, 4) == 0) {
        plan->unary++;
        node.op = additive ? LMB_OP_MIRROR : unary[random_below(random, sizeof unary / sizeof unary[0])];
        node.mirror = random_below(random, LMB_AXIS_COUNT);
        node.input_count = 1;
        node.inputs[0] = grow(plan, additive, stack);
    } else if (!leaf) {
        bool weighted = false;
        for (size_t i = 0; i < sizeof is_weighted_sum / sizeof is_weighted_sum[0]; i++) {
            weighted = weighted || node.op == is_weighted_sum[i];
        }
        node.input_count = weighted ? 2 + random_below(random, 3) : 2;
        for (uint32_t i = 0; i < node.input_count; i++) {
            const bool adds = node.op == LMB_OP_ADDITIVE && i == 1;
            node.inputs[i] = grow(plan, node.op != LMB_OP_MAKE_ADDITIVE && (additive || adds),
                                  weighted ? stack - 2 : stack - (i > 0));
            node.weights[i] = draw_value(plan);
            node.priorities[i] = (int32_t)random_bits(random);
        }
        draw_places(plan, &node);
        node.linear_scale = random_below(random, 4) == 0;
        node.threshold = 0.5f * (float)random_below(random, 3);
        node.weight = draw_value(plan);
        node.weight.curve = random_curve(random, RANDOM_CURVES);
        node.mask = random_below(random, MASKS);
    }
    node.clip = lmb_parameter(random_below(random, PARAMETERS));
    node.time = draw_value(plan);
    node.loop = random_below(random, 2) == 0;
    node.pose = random_below(random, EXTREMES_POSES);
    assert_true(plan->node_count < NODES);
    plan->nodes[plan->node_count] = node;
    return plan->node_count++;
}

static void draw_range(random_source *random, float lowest, float highest, float *min, float *max) {
    float a = fminf(fmaxf(random_allowed(random), lowest), highest);
    float b = fminf(fmaxf(random_allowed(random), lowest), highest);
    *min = fminf(a, b);
    *max = fmaxf(a, b);
}

static lmb_joint_limit_def draw_limit(random_source *random) {
    lmb_joint_limit_def limit = lmb_default_joint_limit_def();
    limit.set = random_below(random, 16) | (random_below(random, 3) == 0 ? LMB_JOINT_LIMIT_ANGLES : 0);
    if (limit.set & LMB_JOINT_LIMIT_ANGLES) {
        limit.set &= ~(LMB_JOINT_LIMIT_TWIST | LMB_JOINT_LIMIT_SWING);
    }
    limit.twist_axis = (lmb_axis)random_below(random, LMB_AXIS_COUNT);
    draw_range(random, -360.0f, 360.0f, &limit.twist_min, &limit.twist_max);
    limit.swing = fminf(fabsf(random_allowed(random)), 180.0f);
    for (int i = 0; i < 3; i++) {
        draw_range(random, -LMB_LARGEST, LMB_LARGEST, &limit.translation_min[i], &limit.translation_max[i]);
        draw_range(random, -LMB_LARGEST, LMB_LARGEST, &limit.scale_min[i], &limit.scale_max[i]);
        draw_range(random, -180.0f, 180.0f, &limit.angle_min[i], &limit.angle_max[i]);
        limit.angle_min[i] = fminf(limit.angle_min[i], 179.0f);
        limit.angle_max[i] = fmaxf(limit.angle_max[i], -179.0f);
    }
    return limit;
}

static lmb_graph *create_program(random_source *random, const lmb_rig *rig, const lmb_clip *const *clips) {
    uint8_t masks[MASKS][EXTREMES_JOINTS];
    const uint8_t *mask_pointers[MASKS];
    for (uint32_t i = 0; i < MASKS; i++) {
        mask_pointers[i] = masks[i];
        for (uint32_t k = 0; k < EXTREMES_JOINTS; k++) {
            masks[i][k] = (uint8_t)random_bits(random);
        }
    }
    uint32_t partners[EXTREMES_JOINTS];
    lmb_mirror_def mirrors[LMB_AXIS_COUNT];
    for (uint32_t i = 0; i < EXTREMES_JOINTS; i++) {
        partners[i] = i;
    }
    for (uint32_t i = 0; i < LMB_AXIS_COUNT; i++) {
        mirrors[i] = (lmb_mirror_def){.axis = (lmb_axis)i, .partners = partners};
    }
    lmb_joint_limit_def limits[EXTREMES_JOINTS];
    const lmb_joint_limit_def *all_limits = limits;
    for (uint32_t i = 0; i < EXTREMES_JOINTS; i++) {
        limits[i] = draw_limit(random);
    }
    plan plan = {.random = random};
    random_curves_draw(&plan.curves, random);
    grow(&plan, false, STACK);
    const lmb_graph_def def = {.rig = rig,
                               .clips = clips,
                               .clip_count = EXTREMES_CLIPS,
                               .masks = mask_pointers,
                               .mask_count = MASKS,
                               .nodes = plan.nodes,
                               .node_count = plan.node_count,
                               .parameter_count = PARAMETERS,
                               .mirrors = mirrors,
                               .mirror_count = LMB_AXIS_COUNT,
                               .joint_limits = &all_limits,
                               .joint_limits_count = 1,
                               .curves = plan.curves.defs,
                               .curve_count = RANDOM_CURVES};
    lmb_graph *program = NULL;
    lmb_error error;
    expect_ok(lmb_graph_create(&def, NULL, &program, &error), &error);
    return program;
}

static void draw_inputs(random_source *random, extremes *e) {
    for (uint32_t i = 0; i < EXTREMES_CHARACTERS * PARAMETERS; i++) {
        // Half of them are small numbers, so that valid clip indices and weights occur.
        e->parameters[i] = random_below(random, 2) == 0 ? (float)random_between(random, 0.0, (double)EXTREMES_CLIPS)
                                                        : random_extreme(random);
    }
    for (uint32_t pose = 0; pose < EXTREMES_POSES; pose++) {
        for (uint32_t character = 0; character < EXTREMES_CHARACTERS; character++) {
            float *first = &e->poses[pose][character * LMB_POSE_COMPONENTS * EXTREMES_JOINTS];
            for (uint32_t joint = 0; joint < EXTREMES_JOINTS; joint++) {
                float values[LMB_POSE_COMPONENTS];
                float (*draw)(random_source *) = random_below(random, 4) == 0 ? random_extreme : random_allowed;
                for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
                    values[i] = draw(random);
                }
                draw_rotation(random, values + 3, draw);
                for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
                    first[i * EXTREMES_JOINTS + joint] = values[i];
                }
            }
        }
    }
}

extremes *extremes_create(uint32_t seed) {
    extremes *e = calloc(1, sizeof *e);
    assert_non_null(e);
    random_source random = random_branch(20, seed);
    e->rig = create_rig(&random);
    for (uint32_t i = 0; i < EXTREMES_CLIPS; i++) {
        e->clips[i] = create_clip(&random, e->rig);
    }
    e->program = create_program(&random, e->rig, (const lmb_clip *const *)e->clips);
    e->batch = (lmb_batch_def){e->program, EXTREMES_CHARACTERS, (1u << LMB_OUTPUT_COUNT) - 1};
    e->parameters = calloc((size_t)EXTREMES_CHARACTERS * PARAMETERS, sizeof(float));
    e->inputs.parameters = e->parameters;
    assert_non_null(e->parameters);
    for (uint32_t i = 0; i < EXTREMES_POSES; i++) {
        e->poses[i] = calloc((size_t)EXTREMES_CHARACTERS * LMB_POSE_COMPONENTS * EXTREMES_JOINTS, sizeof(float));
        assert_non_null(e->poses[i]);
        e->inputs.poses[i] = e->poses[i];
    }
    draw_inputs(&random, e);
    for (int side = 0; side < 2; side++) {
        e->outputs[side].refused = e->refused[side];
        for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
            size_t floats = (size_t)EXTREMES_CHARACTERS * lmb_batch_output_floats(&e->batch, (lmb_output)output);
            e->outputs[side].buffers[output] = calloc(floats, sizeof(float));
            assert_non_null(e->outputs[side].buffers[output]);
        }
    }
    return e;
}

void extremes_destroy(extremes *e) {
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        free(e->outputs[0].buffers[output]);
        free(e->outputs[1].buffers[output]);
    }
    for (uint32_t i = 0; i < EXTREMES_POSES; i++) {
        free(e->poses[i]);
    }
    free(e->parameters);
    lmb_graph_destroy(e->program);
    for (uint32_t i = 0; i < EXTREMES_CLIPS; i++) {
        lmb_clip_destroy(e->clips[i]);
    }
    lmb_rig_destroy(e->rig);
    free(e);
}

void extremes_expect_same(const extremes *e, uint32_t seed) {
    lmb_comparison comparison = {0};
    lmb_error error;
    expect_ok(lmb_compare(&e->batch, &e->outputs[0], &e->outputs[1], 0, EXTREMES_CHARACTERS, &comparison, &error),
              &error);
    if (comparison.has_first) {
        char text[400];
        lmb_comparison_describe(&comparison, text, sizeof text);
        fail_msg("seed %u: %s", seed, text);
    }
    for (int i = 0; i < LMB_REFUSAL_COUNT; i++) {
        if (e->refused[0][i] != e->refused[1][i]) {
            fail_msg("seed %u: refusals of kind %d: %u and %u", seed, i, e->refused[0][i], e->refused[1][i]);
        }
    }
}

void extremes_expect_snapped(const extremes *e, uint32_t seed) {
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        size_t floats = (size_t)EXTREMES_CHARACTERS * lmb_batch_output_floats(&e->batch, (lmb_output)output);
        for (size_t i = 0; i < floats; i++) {
            float value = e->outputs[0].buffers[output][i];
            bool zero = value == 0.0f && !signbit(value);
            if (!zero && !(fabsf(value) >= LMB_SMALLEST && fabsf(value) <= LMB_LARGEST)) {
                fail_msg("seed %u: output %d, value %zu: %g is not snapped", seed, output, i, (double)value);
            }
        }
    }
}
