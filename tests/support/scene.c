#include "scene.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(lmb_result result, const lmb_error *error) {
    if (result != LMB_OK) {
        fail_msg("%s: %s", lmb_result_name(result), error->message);
    }
}

static void *zeroed(size_t count, size_t size) {
    void *memory = calloc(count > 0 ? count : 1, size);
    assert_non_null(memory);
    return memory;
}

static uint32_t parent_in(scene_shape shape, uint32_t joint, random_source *source) {
    if (joint == 0) {
        return LMB_NONE;
    }
    if (shape == SCENE_TREE) {
        return random_below(source, 20) == 0 ? LMB_NONE : random_below(source, joint);
    }
    return shape == SCENE_CHAIN ? joint - 1 : 0;
}

// Draws from a separate random source, so that a seed still gives the same joints as before radii were added.
static void add_radii(lmb_joint_def *joints, uint32_t joint_count, random_source *source) {
    for (uint32_t i = 0; i < joint_count; i++) {
        joints[i].radius = random_below(source, 4) == 0 ? 0.0f : (float)random_between(source, 0.0, 2.0);
    }
}

// Draws from a separate random source, too.
static void add_extras(lmb_joint_def *joints, uint32_t joint_count, random_source *source) {
    for (uint32_t i = 1; i < joint_count; i++) {
        joints[i].is_extra = random_below(source, 4) == 0;
    }
}

enum { SOCKETS = 5 };

static void draw_sockets(uint32_t joint_count, random_source *source, lmb_socket_def sockets[SOCKETS]) {
    for (uint32_t i = 0; i < SOCKETS; i++) {
        sockets[i] = lmb_default_socket_def();
        sockets[i].joint = i == 0 ? joint_count - 1 : random_below(source, joint_count);
        random_rotation(source, sockets[i].local.rotation);
        for (int k = 0; k < 3; k++) {
            sockets[i].local.translation[k] = (float)random_between(source, -1.0, 1.0);
            sockets[i].local.scale[k] = (float)random_between(source, -2.0, 2.0);
        }
    }
}

lmb_rig *scene_rig(uint32_t joint_count, scene_shape shape, uint64_t seed) {
    random_source source = {seed};
    lmb_joint_def *joints = zeroed(joint_count, sizeof *joints);
    for (uint32_t i = 0; i < joint_count; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = parent_in(shape, i, &source);
        random_rotation(&source, joints[i].rest.rotation);
        for (int k = 0; k < 3; k++) {
            joints[i].rest.translation[k] = (float)random_between(&source, -1.0, 1.0);
            joints[i].rest.scale[k] = (float)random_between(&source, 0.999, 1.001);
        }
    }
    lmb_rig *rig = NULL;
    lmb_error error = {0};
    random_source later = {seed ^ 0x5eed}, extra = {seed ^ 0xe7a};
    lmb_socket_def sockets[SOCKETS];
    add_radii(joints, joint_count, &later);
    add_extras(joints, joint_count, &extra);
    draw_sockets(joint_count, &later, sockets);
    const lmb_rig_def def = {.joints = joints, .joint_count = joint_count, .sockets = sockets, .socket_count = SOCKETS};
    check(lmb_rig_create(&def, NULL, &rig, &error), &error);
    free(joints);
    return rig;
}

lmb_rig *scene_single_joint(void) {
    const lmb_joint_def joint = lmb_default_joint_def();
    const lmb_rig_def def = {.joints = &joint, .joint_count = 1};
    lmb_rig *rig = NULL;
    lmb_error error = {0};
    check(lmb_rig_create(&def, NULL, &rig, &error), &error);
    return rig;
}

size_t scene_output_floats(const test_scene *scene, lmb_output output) {
    const size_t joints = lmb_rig_get_def(scene->rig)->joint_count;
    const size_t floats = output == LMB_OUTPUT_LOCAL              ? LMB_POSE_COMPONENTS * joints
                          : output == LMB_OUTPUT_DUAL_QUATERNIONS ? LMB_DUAL_COMPONENTS * joints
                          : output == LMB_OUTPUT_BOUNDS           ? LMB_BOX_COMPONENTS
                          : output == LMB_OUTPUT_CHANNELS         ? lmb_rig_get_def(scene->rig)->channel_count
                          : output == LMB_OUTPUT_SOCKETS
                              ? LMB_MATRIX_COMPONENTS * lmb_rig_get_def(scene->rig)->socket_count
                              : LMB_MATRIX_COMPONENTS * joints;
    return floats * scene->character_count;
}

void scene_start(test_scene *scene, lmb_rig *rig, uint32_t character_count, uint32_t parameter_count) {
    memset(scene, 0, sizeof *scene);
    scene->rig = rig;
    scene->character_count = character_count;
    scene->parameter_count = parameter_count;
    scene->parameters = zeroed((size_t)character_count * parameter_count, sizeof(float));
    scene->reached = zeroed((size_t)character_count * LMB_MAX_REACHED, sizeof(uint32_t));
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        scene->buffers[output] = zeroed(scene_output_floats(scene, (lmb_output)output), sizeof(float));
    }
}

void scene_end(test_scene *scene) {
    for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
        free(scene->poses[i]);
    }
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        free(scene->buffers[output]);
    }
    free(scene->parameters);
    free(scene->reached);
    lmb_rig_destroy(scene->rig);
}

float *scene_component(const test_scene *scene, float *buffer, uint32_t character, uint32_t joint, uint32_t component) {
    const size_t joints = lmb_rig_get_def(scene->rig)->joint_count;
    return buffer + ((size_t)character * LMB_POSE_COMPONENTS + component) * joints + joint;
}

lmb_transform scene_transform(const test_scene *scene, float *buffer, uint32_t character, uint32_t joint) {
    float values[LMB_POSE_COMPONENTS];
    lmb_transform transform;
    for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
        values[i] = *scene_component(scene, buffer, character, joint, i);
    }
    memcpy(&transform, values, sizeof transform);
    return transform;
}

void scene_rotation(const test_scene *scene, float *buffer, uint32_t character, uint32_t joint, double q[4]) {
    for (uint32_t i = 0; i < 4; i++) {
        q[i] = (double)*scene_component(scene, buffer, character, joint, 3 + i);
    }
}

float *scene_parameter(test_scene *scene, uint32_t character, uint32_t parameter) {
    return scene->parameters + (size_t)character * scene->parameter_count + parameter;
}

float *scene_add_pose(test_scene *scene, uint32_t pose) {
    float *buffer = zeroed(scene_output_floats(scene, LMB_OUTPUT_LOCAL), sizeof(float));
    for (uint32_t character = 0; character < scene->character_count; character++) {
        for (uint32_t joint = 0; joint < lmb_rig_get_def(scene->rig)->joint_count; joint++) {
            for (uint32_t component = 6; component < LMB_POSE_COMPONENTS; component++) {
                *scene_component(scene, buffer, character, joint, component) = 1.0f;
            }
        }
    }
    return scene->poses[pose] = buffer;
}

void scene_fill_pose(test_scene *scene, uint32_t pose, random_source *source) {
    float *buffer = scene_add_pose(scene, pose);
    for (uint32_t character = 0; character < scene->character_count; character++) {
        for (uint32_t joint = 0; joint < lmb_rig_get_def(scene->rig)->joint_count; joint++) {
            float rotation[4];
            random_rotation(source, rotation);
            for (uint32_t i = 0; i < 3; i++) {
                *scene_component(scene, buffer, character, joint, i) = (float)random_between(source, -10.0, 10.0);
                *scene_component(scene, buffer, character, joint, 7 + i) =
                    (float)exp2(random_between(source, -3.0, 3.0));
            }
            for (uint32_t i = 0; i < 4; i++) {
                *scene_component(scene, buffer, character, joint, 3 + i) = rotation[i];
            }
        }
    }
}

lmb_node_def *scene_add(test_scene *scene, lmb_op op, uint32_t first, uint32_t second) {
    assert_true(scene->node_count < SCENE_NODES);
    lmb_node_def *node = &scene->nodes[scene->node_count++];
    *node = lmb_default_node_def();
    node->op = op;
    node->mask = op == LMB_OP_MASKED || op == LMB_OP_OVERRIDE ? 0 : LMB_NONE;
    node->inputs[0] = first;
    node->inputs[1] = second;
    node->input_count = (first != LMB_NONE ? 1u : 0u) + (second != LMB_NONE ? 1u : 0u);
    return node;
}

lmb_node_def *scene_add_pose_node(test_scene *scene, uint32_t pose) {
    lmb_node_def *node = scene_add(scene, LMB_OP_POSE, LMB_NONE, LMB_NONE);
    node->pose = pose;
    return node;
}

lmb_node_def *scene_add_many(test_scene *scene, lmb_op op, uint32_t inputs, random_source *source) {
    const uint32_t poses = inputs < LMB_MAX_POSES ? inputs : LMB_MAX_POSES;
    for (uint32_t i = 0; i < poses; i++) {
        scene_fill_pose(scene, i, source);
        scene_add_pose_node(scene, i);
    }
    lmb_node_def *node = scene_add(scene, op, LMB_NONE, LMB_NONE);
    node->input_count = inputs;
    for (uint32_t i = 0; i < inputs; i++) {
        node->inputs[i] = i % poses;
        node->weights[i] = lmb_parameter(i);
    }
    return node;
}

static void check_value(float value, lmb_output output, size_t index) {
    const bool zero = value == 0.0f && !signbit(value);
    const float magnitude = fabsf(value);
    if (!zero && !(magnitude >= LMB_SMALLEST && magnitude <= LMB_LARGEST)) {
        fail_msg("%s[%zu] is %a, which no output may give", lmb_output_name(output), index, (double)value);
    }
}

static lmb_graph *create_program(const test_scene *scene) {
    lmb_error error = {0};
    lmb_clip **clips = zeroed(scene->clip_count, sizeof(lmb_clip *));
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        const lmb_rig *rig = scene->clip_rigs == NULL ? scene->rig : scene->clip_rigs[i];
        check(lmb_clip_create(rig, &scene->clips[i], NULL, &clips[i], &error), &error);
    }
    const lmb_graph_def def = {.rig = scene->rig,
                               .clips = (const lmb_clip *const *)clips,
                               .clip_count = scene->clip_count,
                               .masks = scene->masks,
                               .mask_count = scene->mask_count,
                               .nodes = scene->nodes,
                               .node_count = scene->node_count,
                               .parameter_count = scene->parameter_count,
                               .mirrors = scene->mirrors,
                               .mirror_count = scene->mirror_count,
                               .joint_limits = &scene->joint_limits,
                               .joint_limits_count = scene->joint_limits == NULL ? 0 : 1,
                               .joint_maps = scene->joint_maps,
                               .joint_map_count = scene->joint_map_count,
                               .retargets = scene->retargets,
                               .retarget_count = scene->retarget_count,
                               .static_poses = scene->static_poses,
                               .static_pose_count = scene->static_pose_count,
                               .max_lods = scene->max_lods,
                               .lod = scene->lod};
    lmb_graph *program = NULL;
    check(lmb_graph_create(&def, NULL, &program, &error), &error);
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        lmb_clip_destroy(clips[i]);
    }
    free(clips);
    return program;
}

void scene_run(test_scene *scene) {
    lmb_error error = {0};
    lmb_graph *program = create_program(scene);
    lmb_cpu *cpu = NULL;
    check(lmb_cpu_create(program, scene->path, NULL, &cpu, &error), &error);
    const lmb_batch_def batch = {program, scene->character_count, lmb_graph_get_info(program)->outputs};
    check(lmb_batch_check(&batch, &error), &error);
    lmb_batch_inputs inputs = {0};
    inputs.parameters = scene->parameters;
    inputs.previous_palette = scene->previous_palette;
    inputs.points = scene->points;
    inputs.transforms = scene->transforms;
    lmb_batch_outputs outputs = {0};
    for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
        inputs.poses[i] = scene->poses[i];
    }
    memset(scene->refused, 0xff, sizeof scene->refused);
    outputs.refused = scene->refused;
    outputs.reached = scene->reached;
    memset(scene->reached, 0xff, (size_t)scene->character_count * LMB_MAX_REACHED * sizeof *scene->reached);
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        outputs.buffers[output] = scene->buffers[output];
        assert_int_equal((size_t)lmb_batch_output_floats(&batch, (lmb_output)output) * scene->character_count,
                         scene_output_floats(scene, (lmb_output)output));
        memset(scene->buffers[output], 0xff, scene_output_floats(scene, (lmb_output)output) * sizeof(float));
    }
    check(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), &error);
    scene->reached_count = lmb_graph_get_info(program)->reached_count;
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(program);
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        const bool is_asked = batch.outputs >> output & 1u;
        for (size_t i = 0; is_asked && i < scene_output_floats(scene, (lmb_output)output); i++) {
            check_value(scene->buffers[output][i], (lmb_output)output, i);
        }
    }
}

float *scene_keep_output(const test_scene *scene, lmb_output output) {
    const size_t floats = scene_output_floats(scene, output);
    float *copy = zeroed(floats, sizeof *copy);
    memcpy(copy, scene->buffers[output], floats * sizeof *copy);
    return copy;
}

void scene_expect_output(const test_scene *scene, lmb_output output, const float *expected) {
    const float *found = scene->buffers[output];
    for (size_t i = 0; i < scene_output_floats(scene, output); i++) {
        if (memcmp(&found[i], &expected[i], sizeof *found) != 0) {
            fail_msg("CPU path %d: %s[%zu] is %a instead of %a", scene->path, lmb_output_name(output), i,
                     (double)found[i], (double)expected[i]);
        }
    }
}

bool scene_reached(const test_scene *scene, uint32_t character, uint32_t index) {
    assert_true(index < scene->reached_count);
    const uint32_t word = scene->reached[(size_t)character * scene->reached_count + index];
    assert_in_range(word, 0, 1);
    return word == 1;
}

scene_results scene_keep(const test_scene *scene) {
    scene_results results;
    results.reached = zeroed((size_t)scene->character_count * LMB_MAX_REACHED, sizeof(uint32_t));
    memcpy(results.reached, scene->reached, (size_t)scene->character_count * LMB_MAX_REACHED * sizeof *scene->reached);
    memcpy(results.refused, scene->refused, sizeof results.refused);
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        results.buffers[output] = scene_keep_output(scene, (lmb_output)output);
    }
    return results;
}

void scene_results_destroy(scene_results *results) {
    free(results->reached);
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        free(results->buffers[output]);
    }
}

void scene_expect(const test_scene *scene, const scene_results *expected) {
    assert_memory_equal(scene->refused, expected->refused, sizeof scene->refused);
    assert_memory_equal(scene->reached, expected->reached,
                        (size_t)scene->character_count * LMB_MAX_REACHED * sizeof *scene->reached);
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        scene_expect_output(scene, (lmb_output)output, expected->buffers[output]);
    }
}

void scene_expect_no_refusals(const test_scene *scene) {
    for (int i = 0; i < LMB_REFUSAL_COUNT; i++) {
        assert_int_equal(scene->refused[i], 0);
    }
}

void scene_run_all_paths(test_scene *scene) {
    scene->path = LMB_CPU_REFERENCE;
    scene_run(scene);
    scene_results reference = scene_keep(scene);
    for (int path = LMB_CPU_REFERENCE + 1; path < LMB_CPU_PATH_COUNT; path++) {
        if (lmb_cpu_has((lmb_cpu_path)path)) {
            scene->path = (lmb_cpu_path)path;
            scene_run(scene);
            scene_expect(scene, &reference);
        }
    }
    scene->path = LMB_CPU_REFERENCE; // the outputs are equal
    scene_results_destroy(&reference);
}

static oracle_scene as_oracle_scene(const test_scene *scene) {
    oracle_scene result = {.rig = scene->rig,
                           .clips = scene->clips,
                           .clip_count = scene->clip_count,
                           .masks = scene->masks,
                           .nodes = scene->nodes,
                           .mirrors = scene->mirrors,
                           .joint_limits = scene->joint_limits,
                           .joint_maps = scene->joint_maps,
                           .static_poses = scene->static_poses,
                           .clip_rigs = scene->clip_rigs,
                           .parameter_count = scene->parameter_count,
                           .parameters = scene->parameters};
    for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
        result.poses[i] = scene->poses[i];
    }
    return result;
}

// Returns the larger value. NaN, which a broken oracle would return, counts as larger than every value.
static double larger(double a, double b) {
    return isnan(a) || isnan(b) ? HUGE_VAL : fmax(a, b);
}

// Returns the errors in the units of the bounds; see scene_bounds.
static scene_bounds errors_of(const test_scene *scene, uint32_t character, uint32_t joint,
                              const oracle_transform *expected, const scene_bounds *bounds) {
    scene_bounds errors = {0};
    for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
        const double value = (double)*scene_component(scene, scene->buffers[LMB_OUTPUT_LOCAL], character, joint, i);
        if (i < 3) {
            const double unit = fmax(bounds->magnitude, fabs(expected->translation[i]));
            errors.translation = larger(errors.translation, fabs(value - oracle_snap(expected->translation[i])) / unit);
        } else if (i < 7) {
            errors.rotation = larger(errors.rotation, fabs(value - expected->rotation[i - 3]));
        } else {
            const double scale = oracle_snap(expected->scale[i - 7]);
            const double unit = fmax(fmax(bounds->scale_floor, fabs(scale)), DBL_MIN);
            errors.scale = larger(errors.scale, fabs(value - scale) / unit);
        }
    }
    return errors;
}

static double worst(const scene_bounds *errors, const scene_bounds *bounds) {
    return fmax(fmax(errors->translation / bounds->translation, errors->rotation / bounds->rotation),
                errors->scale / bounds->scale);
}

static scene_bounds compare_joint(const test_scene *scene, uint32_t character, uint32_t joint,
                                  const scene_bounds *bounds) {
    const oracle_scene world = as_oracle_scene(scene);
    scene_bounds best = {0};
    oracle_choices choices = {0, 0};
    for (uint32_t turned = 0;; turned++) {
        choices = (oracle_choices){turned, 0};
        const oracle_transform expected = oracle_evaluate(&world, scene->node_count - 1, character, joint, &choices);
        const scene_bounds errors = errors_of(scene, character, joint, &expected, bounds);
        if (turned == 0 || worst(&errors, bounds) < worst(&best, bounds)) {
            best = errors;
        }
        if (turned + 1 >= 1u << (choices.met < 8 ? choices.met : 8)) {
            return best;
        }
    }
}

void scene_compare_local(const test_scene *scene, const char *title, scene_bounds bounds) {
    scene_bounds largest = {0};
    for (uint32_t character = 0; character < scene->character_count; character++) {
        for (uint32_t joint = 0; joint < lmb_rig_get_def(scene->rig)->joint_count; joint++) {
            const scene_bounds errors = compare_joint(scene, character, joint, &bounds);
            if (!(worst(&errors, &bounds) <= 1.0)) {
                fail_msg("%s: character %u, joint %u: translation off by %.3g (bound %.3g), rotation by %.3g (%.3g), "
                         "scale by %.3g (%.3g)",
                         title, character, joint, errors.translation, bounds.translation, errors.rotation,
                         bounds.rotation, errors.scale, bounds.scale);
            }
            largest.translation = fmax(largest.translation, errors.translation);
            largest.rotation = fmax(largest.rotation, errors.rotation);
            largest.scale = fmax(largest.scale, errors.scale);
        }
    }
    print_message("%s: translation %.2g, rotation %.2g, scale %.2g\n", title, largest.translation, largest.rotation,
                  largest.scale);
}

void scene_run_and_compare(test_scene *scene, const char *title, scene_bounds bounds) {
    scene_run(scene);
    scene_compare_local(scene, title, bounds);
}

static double largest_entry(const oracle_affine *affines, uint32_t count) {
    double largest = 1.0;
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 12; k++) {
            largest = fmax(largest, fabs(affines[i].m[k / 4][k % 4]));
        }
    }
    return largest;
}

static double largest_difference(const float *values, const oracle_affine *expected, uint32_t count) {
    double largest = 0.0;
    for (size_t i = 0; i < (size_t)count * 12; i++) {
        largest = larger(largest, fabs((double)values[i] - expected[i / 12].m[i % 12 / 4][i % 4]));
    }
    return largest;
}

static double largest_inverse_row(const lmb_rig *rig) {
    double largest = 1.0;
    for (uint32_t joint = 0; joint < lmb_rig_get_def(rig)->joint_count; joint++) {
        const lmb_affine inverse = lmb_rig_get_def(rig)->joints[joint].inverse_bind;
        for (int column = 0; column < 4; column++) {
            largest = fmax(largest, 1.0 + fabs((double)inverse.m[0][column]) + fabs((double)inverse.m[1][column]) +
                                        fabs((double)inverse.m[2][column]));
        }
    }
    return largest;
}

static double rest_extent(const lmb_rig *rig, oracle_transform *local, oracle_affine *model) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(rig);
    for (uint32_t joint = 0; joint < rig_def->joint_count; joint++) {
        const lmb_transform rest = rig_def->joints[joint].rest;
        local[joint] = oracle_transform_from_float(&rest);
    }
    oracle_model(rig, local, model, NULL);
    return largest_entry(model, rig_def->joint_count);
}

void scene_compare_model(const test_scene *scene, const char *title, double bound) {
    const uint32_t joints = lmb_rig_get_def(scene->rig)->joint_count;
    const oracle_scene world = as_oracle_scene(scene);
    oracle_transform *local = zeroed(joints, sizeof *local);
    oracle_affine *model = zeroed(joints, sizeof *model), *palette = zeroed(joints, sizeof *palette);
    const double rest = rest_extent(scene->rig, local, model), inverse = largest_inverse_row(scene->rig);
    double largest_model = 0.0, largest_palette = 0.0;
    for (uint32_t character = 0; character < scene->character_count; character++) {
        for (uint32_t joint = 0; joint < joints; joint++) {
            oracle_choices choices = {0, 0};
            local[joint] = oracle_evaluate(&world, scene->node_count - 1, character, joint, &choices);
            assert_int_equal(choices.met, 0);
        }
        oracle_model(scene->rig, local, model, palette);
        const double unit = lmb_rig_depth(scene->rig) * fmax(rest, largest_entry(model, joints));
        const size_t first = (size_t)character * joints * LMB_MATRIX_COMPONENTS;
        largest_model =
            larger(largest_model, largest_difference(scene->buffers[LMB_OUTPUT_MODEL] + first, model, joints) / unit);
        largest_palette =
            larger(largest_palette,
                   largest_difference(scene->buffers[LMB_OUTPUT_PALETTE] + first, palette, joints) / (unit * inverse));
    }
    free(local);
    free(model);
    free(palette);
    print_message("%s: model %.2g, palette %.2g of depth x extent\n", title, largest_model, largest_palette);
    assert_true(largest_model <= bound && largest_palette <= bound);
}

typedef struct printed_text {
    char text[2000];
    size_t length;
} printed_text;

static void append_line(void *user, const char *line) {
    printed_text *printed = user;
    const size_t room = sizeof printed->text - printed->length;
    const int length = snprintf(printed->text + printed->length, room, "%s\n", line);
    assert_in_range(length, 0, room - 1);
    printed->length += (size_t)length;
}

void expect_printed(const lmb_graph *graph, const char *expected) {
    printed_text printed = {0};
    lmb_graph_print(graph, append_line, &printed);
    assert_string_equal(printed.text, expected);
}
