// FBX files as ufbx reads them: every property of a node alone, in pairs and in all rotation orders, and inherit types,
// against Autodesk's formula in float64; curves, layers, blend shapes, and the files of public reports.
#include "failing_host.h"
#include "fbx_text.h"
#include "suite.h"

#include <limber/cpu.h>
#include <limber/import.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define MOST_JOINTS 8
#define RADIANS (3.14159265358979323846 / 180.0)
// How far a model matrix may be off: the bound of keys along a chain, for joints within some metres.
#define TOLERANCE 3e-4

static lmb_result read_text(const char *text, size_t size, const lmb_host *host, lmb_import **import,
                            lmb_error *error) {
    const lmb_import_def def = {.bytes = text, .size = size, .name = "a.fbx"};
    *error = (lmb_error){0};
    return lmb_import_create(&def, host, import, error);
}

static lmb_import *load_file(const fbx_file *file) {
    char *text = fbx_write(file);
    lmb_import *import = NULL;
    lmb_error error;
    if (read_text(text, strlen(text), NULL, &import, &error) != LMB_OK) {
        fail_msg("%s\n%s", error.message, text);
    }
    free(text);
    return import;
}

static lmb_import *load_corpus(const char *name) {
    char path[512];
    snprintf(path, sizeof path, LIMBER_CORPUS "/fbx_fuzz/%s", name);
    lmb_import *import = NULL;
    lmb_error error;
    if (lmb_import_file(path, NULL, &import, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return import;
}

static bool has_note(const lmb_import *import, const char *text) {
    bool has = false;
    for (uint32_t i = 0; i < lmb_import_get_content(import)->note_count; i++) {
        has = has || strstr(lmb_import_get_content(import)->notes[i], text) != NULL;
    }
    return has;
}

// ---- Poses ----

typedef struct pose {
    float local[LMB_POSE_COMPONENTS * MOST_JOINTS];
    float model[LMB_MATRIX_COMPONENTS * MOST_JOINTS];
    float palette[LMB_MATRIX_COMPONENTS * MOST_JOINTS];
    float channels[MOST_JOINTS];
    uint32_t joint_count;
} pose;

// Samples the only clip at several times.
static void sample(const lmb_import *import, const float *times, uint32_t count, pose *poses) {
    const lmb_import_content *content = lmb_import_get_content(import);
    const lmb_clip *clip = content->clips[0];
    const lmb_rig *rig = content->rig;
    lmb_node_def node = lmb_clip_node(0, lmb_parameter(0));
    node.loop = false;
    const lmb_graph_def def = {
        .rig = rig, .clips = &clip, .clip_count = 1, .nodes = &node, .node_count = 1, .parameter_count = 1};
    lmb_graph *graph = NULL;
    lmb_cpu *cpu = NULL;
    assert_int_equal(content->clip_count, 1);
    assert_in_range(lmb_rig_get_def(rig)->joint_count, 1, MOST_JOINTS);
    assert_in_range(lmb_rig_get_def(rig)->channel_count, 0, MOST_JOINTS);
    assert_int_equal(lmb_graph_create(&def, NULL, &graph, NULL), LMB_OK);
    assert_int_equal(lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    const bool has_channels = lmb_rig_get_def(rig)->channel_count > 0;
    const lmb_batch_def batch = {graph, 1,
                                 LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_MODEL_BIT | LMB_OUTPUT_PALETTE_BIT |
                                     (has_channels ? LMB_OUTPUT_CHANNELS_BIT : 0)};
    for (uint32_t i = 0; i < count; i++) {
        pose *pose = &poses[i];
        const lmb_batch_inputs inputs = {.parameters = &times[i]};
        const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_LOCAL] = pose->local,
                                                       [LMB_OUTPUT_MODEL] = pose->model,
                                                       [LMB_OUTPUT_PALETTE] = pose->palette,
                                                       [LMB_OUTPUT_CHANNELS] = has_channels ? pose->channels : NULL}};
        pose->joint_count = lmb_rig_get_def(rig)->joint_count;
        assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
    }
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(graph);
}

static const float *model_of(const lmb_import *import, const pose *pose, const char *joint) {
    const uint32_t index = lmb_rig_find_joint(lmb_import_get_content(import)->rig, joint);
    if (index == LMB_NONE) {
        fail_msg("no joint '%s'", joint);
    }
    return pose->model + (size_t)index * LMB_MATRIX_COMPONENTS;
}

static void assert_values(const char *what, const float *values, const double *expected, int count, double tolerance) {
    for (int i = 0; i < count; i++) {
        if (!(fabs((double)values[i] - expected[i]) <= tolerance)) {
            fail_msg("%s: component %d is %.9g, not %.9g", what, i, (double)values[i], expected[i]);
        }
    }
}

static void assert_model(const lmb_import *import, const pose *pose, const char *joint, const double *expected,
                         double tolerance) {
    assert_values(joint, model_of(import, pose, joint), expected, 12, tolerance);
}

// ---- Autodesk's formula, in float64 ----

typedef struct matrix {
    double m[4][4];
} matrix;

static const matrix identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};

static matrix multiply(matrix a, matrix b) {
    matrix product;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            product.m[i][k] =
                a.m[i][0] * b.m[0][k] + a.m[i][1] * b.m[1][k] + a.m[i][2] * b.m[2][k] + a.m[i][3] * b.m[3][k];
        }
    }
    return product;
}

static matrix translation(const double *v, double sign) {
    matrix result = identity;
    for (int i = 0; i < 3; i++) {
        result.m[i][3] = sign * v[i];
    }
    return result;
}

static matrix scaling(const double *v) {
    matrix result = identity;
    for (int i = 0; i < 3; i++) {
        result.m[i][i] = v[i];
    }
    return result;
}

static matrix turn(int axis, double degrees) {
    matrix result = identity;
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    result.m[b][b] = result.m[c][c] = cos(degrees * RADIANS);
    result.m[b][c] = -sin(degrees * RADIANS);
    result.m[c][b] = sin(degrees * RADIANS);
    return result;
}

// The first axis of an order is applied first.
static matrix rotation(const double *degrees, int order) {
    static const int axes[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}, {1, 0, 2}, {2, 0, 1}, {2, 1, 0}};
    matrix result = identity;
    for (int i = 0; i < 3; i++) {
        const int axis = axes[order][i];
        result = multiply(turn(axis, degrees[axis]), result);
    }
    return result;
}

static matrix transposed_rotation(matrix a) {
    matrix result = identity;
    for (int i = 0; i < 9; i++) {
        result.m[i / 3][i % 3] = a.m[i % 3][i / 3];
    }
    return result;
}

// The parts of a node's transform: Autodesk's sample "Transformations".
typedef struct global {
    matrix world;
    matrix turned; // the rotation alone
    matrix scaled; // the rest without translation: world = translation * turned * scaled
    matrix scale;  // of the node alone
} global;

static global transform(const fbx_node *node, const double values[FBX_PROPERTIES][3], const global *parent) {
    const matrix rotate =
        multiply(multiply(rotation(values[FBX_PRE_ROTATION], 0), rotation(values[FBX_ROTATION], node->order)),
                 transposed_rotation(rotation(values[FBX_POST_ROTATION], 0)));
    const matrix scale = scaling(values[FBX_SCALE]);
    matrix local = translation(values[FBX_TRANSLATION], 1);
    local = multiply(local, translation(values[FBX_ROTATION_OFFSET], 1));
    local = multiply(local, translation(values[FBX_ROTATION_PIVOT], 1));
    local = multiply(local, rotate);
    local = multiply(local, translation(values[FBX_ROTATION_PIVOT], -1));
    local = multiply(local, translation(values[FBX_SCALE_OFFSET], 1));
    local = multiply(local, translation(values[FBX_SCALE_PIVOT], 1));
    local = multiply(local, scale);
    local = multiply(local, translation(values[FBX_SCALE_PIVOT], -1));
    const matrix origin = multiply(parent->world, local);
    matrix linear, without = identity;
    switch (node->inherit) {
    case FBX_COMPONENTS:
        linear = multiply(multiply(parent->turned, rotate), multiply(parent->scaled, scale));
        break;
    case FBX_IGNORES: // the scale of all but the parent
        for (int i = 0; i < 3; i++) {
            without.m[i][i] = parent->scaled.m[i][i] / parent->scale.m[i][i];
        }
        linear = multiply(multiply(parent->turned, rotate), multiply(without, scale));
        break;
    default:
        linear = multiply(multiply(parent->turned, parent->scaled), multiply(rotate, scale));
    }
    global result = {.world = linear, .turned = multiply(parent->turned, rotate), .scale = scale};
    result.scaled = multiply(transposed_rotation(result.turned), linear);
    for (int i = 0; i < 3; i++) {
        result.world.m[i][3] = origin.m[i][3];
    }
    return result;
}

static double value_at(const fbx_curve *curve, double time) {
    const fbx_key *keys = curve->keys;
    int next = 1;
    while (next < curve->count - 1 && keys[next].time <= time) {
        next++;
    }
    const fbx_key *a = &keys[next - 1], *b = &keys[next];
    if (time <= keys[0].time || time >= keys[curve->count - 1].time) {
        return time <= keys[0].time ? keys[0].value : keys[curve->count - 1].value;
    }
    const double span = b->time - a->time, t = (time - a->time) / span;
    if (curve->interpolation == FBX_CONSTANT) {
        return a->value;
    }
    if (curve->interpolation == FBX_LINEAR) {
        return a->value + t * (b->value - a->value);
    }
    return (2 * t * t * t - 3 * t * t + 1) * a->value + (t * t * t - 2 * t * t + t) * span * a->slope +
           (-2 * t * t * t + 3 * t * t) * b->value + (t * t * t - t * t) * span * b->slope;
}

// The model matrices of all nodes at a time, without layers.
static void evaluate(const fbx_file *file, double time, global *globals) {
    static const global scene = {{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}},
                                 {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}},
                                 {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}},
                                 {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}};
    for (int i = 0; i < file->node_count; i++) {
        double values[FBX_PROPERTIES][3];
        memcpy(values, file->nodes[i].values, sizeof values);
        for (int c = 0; c < file->curve_count; c++) {
            if (file->curves[c].node == i) {
                values[file->curves[c].property][file->curves[c].axis] = value_at(&file->curves[c], time);
            }
        }
        const int parent = file->nodes[i].parent;
        globals[i] = transform(&file->nodes[i], (const double(*)[3])values, parent < 0 ? &scene : &globals[parent]);
    }
}

// Expects every node where the formula has it, at these times.
static void check_file(const fbx_file *file, const float *times, uint32_t count) {
    pose poses[16];
    lmb_import *import = load_file(file);
    assert_in_range(count, 1, COUNT_OF(poses));
    sample(import, times, count, poses);
    for (uint32_t i = 0; i < count; i++) {
        global globals[MOST_JOINTS];
        evaluate(file, (double)times[i], globals);
        for (int n = 0; n < file->node_count; n++) {
            double expected[12];
            char scaled[64];
            // The model matrix of a joint whose scale a child of its own has is that of the child.
            snprintf(scaled, sizeof scaled, "%s_scale", file->nodes[n].name);
            const bool has_scale = lmb_rig_find_joint(lmb_import_get_content(import)->rig, scaled) != LMB_NONE;
            memcpy(expected, globals[n].world.m, sizeof expected);
            assert_model(import, &poses[i], has_scale ? scaled : file->nodes[n].name, expected, TOLERANCE);
        }
    }
    lmb_import_destroy(import);
}

// ---- Transforms ----

static const float thirds[] = {0, 0.2f, 0.5f, 0.77f, 1};

static void check_properties(unsigned used, int order) {
    static const double values[FBX_PROPERTIES][3] = {{1, -2, 0.5},     {35, -50, 110},    {1.5, 0.7, 1.2},
                                                     {20, 65, -130},   {-75, 15, 40},     {0.3, 0.1, -0.6},
                                                     {-0.4, 0.9, 0.2}, {0.7, -0.2, 0.15}, {0.25, -0.5, 0.8}};
    fbx_node nodes[] = {fbx_make_node("Root", -1), fbx_make_node("J", 0), fbx_make_node("E", 1)};
    nodes[0].values[FBX_TRANSLATION][1] = 1;
    nodes[2].values[FBX_TRANSLATION][0] = 0.5;
    nodes[1].order = order;
    for (int i = 0; i < FBX_PROPERTIES; i++) {
        if ((used >> i & 1) != 0) {
            memcpy(nodes[1].values[i], values[i], sizeof values[i]);
        }
    }
    const fbx_curve curves[] = {{1, FBX_ROTATION, 0, 0, FBX_LINEAR, 2, {{0, 10, 0}, {1, 80, 0}}},
                                {1, FBX_ROTATION, 1, 0, FBX_LINEAR, 2, {{0, -30, 0}, {1, 45, 0}}},
                                {1, FBX_ROTATION, 2, 0, FBX_LINEAR, 2, {{0, 100, 0}, {1, -60, 0}}}};
    check_file(&(fbx_file){.nodes = nodes, .node_count = 3, .curves = curves, .curve_count = 3, .stop = 1}, thirds,
               COUNT_OF(thirds));
}

static void properties_alone_in_pairs_and_in_all_orders(void **state) {
    (void)state;
    for (int order = 0; order < 6; order++) {
        for (int a = 0; a < FBX_PROPERTIES; a++) {
            for (int b = a; b < FBX_PROPERTIES; b++) {
                check_properties(1u << a | 1u << b, order);
            }
        }
        check_properties((1u << FBX_PROPERTIES) - 1, order);
    }
}

static void every_property_may_move(void **state) {
    (void)state;
    for (int property = 0; property <= FBX_SCALE; property++) {
        fbx_node nodes[] = {fbx_make_node("Root", -1), fbx_make_node("J", 0), fbx_make_node("E", 1)};
        const double pivot[] = {0.5, -0.25, 1};
        nodes[2].values[FBX_TRANSLATION][2] = 0.5;
        nodes[1].order = 3;
        memcpy(nodes[1].values[FBX_ROTATION], (double[]){20, 30, 40}, sizeof nodes[1].values[0]);
        memcpy(nodes[1].values[FBX_ROTATION_PIVOT], pivot, sizeof pivot);
        memcpy(nodes[1].values[FBX_SCALE_PIVOT], pivot, sizeof pivot);
        fbx_curve curves[3];
        for (int axis = 0; axis < 3; axis++) {
            curves[axis] = (fbx_curve){
                1, property, axis, 0, FBX_CUBIC, 3, {{0, 1 + axis, 2 - axis}, {0.4, 0.5 - axis, 1}, {1, 2 + axis, -3}}};
        }
        check_file(&(fbx_file){.nodes = nodes, .node_count = 3, .curves = curves, .curve_count = 3, .stop = 1}, thirds,
                   COUNT_OF(thirds));
    }
}

// A parent's scale: none, the same on all axes, different ones; still or moving.
static void scales_are_inherited_in_three_ways(void **state) {
    (void)state;
    static const double scales[][3] = {{1, 1, 1}, {2, 2, 2}, {2, 0.5, 1.25}};
    for (int inherit = FBX_COMPONENTS; inherit <= FBX_IGNORES; inherit++) {
        for (size_t i = 0; i < 2 * COUNT_OF(scales); i++) {
            fbx_node nodes[] = {fbx_make_node("Root", -1), fbx_make_node("A", 0), fbx_make_node("B", 1),
                                fbx_make_node("C", 2)};
            const bool moves = i >= COUNT_OF(scales);
            memcpy(nodes[1].values[FBX_SCALE], scales[i % COUNT_OF(scales)], sizeof scales[0]);
            memcpy(nodes[1].values[FBX_ROTATION], (double[]){10, 20, 30}, sizeof scales[0]);
            for (int n = 2; n < 4; n++) {
                memcpy(nodes[n].values[FBX_TRANSLATION], (double[]){0.5, 1, -0.25}, sizeof scales[0]);
                memcpy(nodes[n].values[FBX_ROTATION], (double[]){-40, 25, 60}, sizeof scales[0]);
                nodes[n].inherit = inherit;
            }
            const fbx_curve curves[] = {{2, FBX_ROTATION, 1, 0, FBX_LINEAR, 2, {{0, 0, 0}, {1, 50, 0}}},
                                        {1, FBX_SCALE, 0, 0, FBX_LINEAR, 2, {{0, 1, 0}, {1, 3, 0}}},
                                        {1, FBX_SCALE, 1, 0, FBX_LINEAR, 2, {{0, 1, 0}, {1, 0.5, 0}}}};
            check_file(
                &(fbx_file){.nodes = nodes, .node_count = 4, .curves = curves, .curve_count = moves ? 3 : 1, .stop = 1},
                thirds, COUNT_OF(thirds));
        }
    }
}

static void scales_of_their_own_are_noted(void **state) {
    (void)state;
    fbx_node nodes[] = {fbx_make_node("A", -1), fbx_make_node("B", 0)};
    nodes[0].values[FBX_SCALE][1] = 2;
    nodes[1].inherit = FBX_IGNORES;
    const fbx_curve curve = {1, FBX_ROTATION, 0, 0, FBX_LINEAR, 2, {{0, 0, 0}, {1, 90, 0}}};
    lmb_import *import =
        load_file(&(fbx_file){.nodes = nodes, .node_count = 2, .curves = &curve, .curve_count = 1, .stop = 1});
    assert_true(has_note(import, "scales that children do not inherit are nodes of their own: A_scale"));
    lmb_import_destroy(import);
}

// ---- Curves ----

static lmb_import *load_curve(const fbx_curve *curve, double stop) {
    fbx_node nodes[] = {fbx_make_node("A", -1), fbx_make_node("B", 0)};
    nodes[1].values[FBX_TRANSLATION][0] = 1;
    return load_file(&(fbx_file){.nodes = nodes, .node_count = 2, .curves = curve, .curve_count = 1, .stop = stop});
}

// Turns of any size between two keys, by lines and by tangents that swing beyond both.
static void turns_between_two_keys_are_all_there(void **state) {
    (void)state;
    static const double degrees[] = {90, 180, 359, 360, 720, 1440, -2000, 4 * 36000};
    for (size_t i = 0; i < COUNT_OF(degrees); i++) {
        const fbx_curve curves[] = {{0, FBX_ROTATION, 2, 0, FBX_LINEAR, 2, {{0, 0, 0}, {1, degrees[i], 0}}},
                                    {0, FBX_ROTATION, 2, 0, FBX_CUBIC, 2, {{0, 0, 6 * 360}, {1, degrees[i], 0}}}};
        for (size_t k = 0; k < COUNT_OF(curves); k++) {
            const float times[] = {0.05f, 0.1f, 0.3333f, 0.61f, 0.9f};
            pose poses[COUNT_OF(times)];
            lmb_import *import = load_curve(&curves[k], 1);
            sample(import, times, COUNT_OF(times), poses);
            for (size_t t = 0; t < COUNT_OF(times); t++) {
                const double angle = value_at(&curves[k], (double)times[t]) * RADIANS;
                const float *model = model_of(import, &poses[t], "B");
                // A turn that is as fast as the last one has the rounding of the time in it.
                const double tolerance = TOLERANCE + fabs(degrees[i]) * RADIANS * 1e-7;
                assert_values("B", (float[]){model[3], model[7]}, (double[]){cos(angle), sin(angle)}, 2, tolerance);
            }
            lmb_import_destroy(import);
        }
    }
}

static void constant_curves_are_steps(void **state) {
    (void)state;
    const fbx_curve curve = {0, FBX_TRANSLATION, 0, 0, FBX_CONSTANT, 3, {{0, 1, 0}, {0.5, 3, 0}, {1, 2, 0}}};
    const float times[] = {0.49999f, 0.5f, 0.99999f, 1};
    const double expected[] = {1, 3, 3, 2};
    pose poses[COUNT_OF(times)];
    lmb_import *import = load_curve(&curve, 1);
    assert_int_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->track_count, 1);
    assert_int_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->key_count, 3);
    sample(import, times, COUNT_OF(times), poses);
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        assert_values("A", model_of(import, &poses[i], "A") + 3, &expected[i], 1, 1e-7);
    }
    lmb_import_destroy(import);
}

// Between keys of different kinds, one axis jumps and another moves.
static void a_jump_beside_a_line_stays_a_jump(void **state) {
    (void)state;
    const fbx_node node = fbx_make_node("A", -1);
    const fbx_curve curves[] = {{0, FBX_TRANSLATION, 0, 0, FBX_CONSTANT, 3, {{0, 1, 0}, {0.5, 3, 0}, {1, 2, 0}}},
                                {0, FBX_TRANSLATION, 1, 0, FBX_LINEAR, 2, {{0, 0, 0}, {1, 1, 0}}}};
    const float times[] = {0, 0.25f, 0.499999f, 0.5f, 0.75f, 1};
    pose poses[COUNT_OF(times)];
    lmb_import *import =
        load_file(&(fbx_file){.nodes = &node, .node_count = 1, .curves = curves, .curve_count = 2, .stop = 1});
    sample(import, times, COUNT_OF(times), poses);
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        const float *model = model_of(import, &poses[i], "A");
        const double expected[] = {value_at(&curves[0], (double)times[i]), (double)times[i]};
        assert_values("A", (float[]){model[3], model[7]}, expected, 2, 1e-5);
    }
    lmb_import_destroy(import);
}

// The track has no keys but those of the file where lines are enough.
static void lines_keep_the_keys_of_the_file(void **state) {
    (void)state;
    const fbx_curve line = {0, FBX_TRANSLATION, 0, 0, FBX_LINEAR, 4, {{0, 0, 0}, {0.3, 1, 0}, {0.4, -1, 0}, {1, 5, 0}}};
    lmb_import *import = load_curve(&line, 1);
    assert_int_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->key_count, 4);
    lmb_import_destroy(import);
    const fbx_curve turn_about_one_axis = {
        0, FBX_ROTATION, 1, 0, FBX_LINEAR, 3, {{0, 0, 0}, {0.3, 100, 0}, {1, 20, 0}}};
    import = load_curve(&turn_about_one_axis, 1);
    assert_int_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->key_count, 3);
    lmb_import_destroy(import);
}

static void a_clip_goes_from_start_to_stop(void **state) {
    (void)state;
    const fbx_curve curve = {0, FBX_TRANSLATION, 0, 0, FBX_LINEAR, 2, {{-1, -1, 0}, {3, 3, 0}}};
    lmb_import *import = load_curve(&curve, 2);
    const float times[] = {0, 1.5f, 2};
    pose poses[COUNT_OF(times)];
    assert_float_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->duration, 2, 0);
    sample(import, times, COUNT_OF(times), poses);
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        assert_values("A", model_of(import, &poses[i], "A") + 3, (double[]){(double)times[i]}, 1, 1e-6);
    }
    lmb_import_destroy(import);
    import = load_curve(&curve, 0); // without a span: over all keys, from the first one
    assert_float_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->duration, 4, 0);
    lmb_import_destroy(import);
}

static void layers_are_added_or_replace(void **state) {
    (void)state;
    const fbx_node node = fbx_make_node("A", -1);
    const fbx_curve curves[] = {{0, FBX_TRANSLATION, 0, 0, FBX_LINEAR, 2, {{0, 0, 0}, {1, 4, 0}}},
                                {0, FBX_TRANSLATION, 0, 1, FBX_LINEAR, 2, {{0, 10, 0}, {1, 20, 0}}}};
    static const struct {
        fbx_layer layer;
        double expected; // at 0.5 s
    } rows[] = {{{100, 0}, 17}, {{50, 0}, 9.5}, {{0, 0}, 2}, {{100, 2}, 15}, {{25, 2}, 5.25}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const fbx_layer layers[] = {{100, 0}, rows[i].layer};
        const float time = 0.5f;
        pose pose;
        lmb_import *import = load_file(&(fbx_file){.nodes = &node,
                                                   .node_count = 1,
                                                   .curves = curves,
                                                   .curve_count = 2,
                                                   .layers = layers,
                                                   .layer_count = 2,
                                                   .stop = 1});
        sample(import, &time, 1, &pose);
        assert_values("A", model_of(import, &pose, "A") + 3, &rows[i].expected, 1, 1e-5);
        lmb_import_destroy(import);
    }
}

// ---- Units and axes ----

static void units_and_axes_become_metres_with_y_up(void **state) {
    (void)state;
#define AXES(up, up_sign, front, front_sign, right, right_sign, unit)                                                  \
    "P: \"UpAxis\", \"int\", \"Integer\", \"\"," #up "\nP: \"UpAxisSign\", \"int\", \"Integer\", \"\"," #up_sign       \
    "\nP: \"FrontAxis\", \"int\", \"Integer\", \"\"," #front                                                           \
    "\nP: \"FrontAxisSign\", \"int\", \"Integer\", \"\"," #front_sign                                                  \
    "\nP: \"CoordAxis\", \"int\", \"Integer\", \"\"," #right                                                           \
    "\nP: \"CoordAxisSign\", \"int\", \"Integer\", \"\"," #right_sign                                                  \
    "\nP: \"UnitScaleFactor\", \"double\", \"Number\", \"\"," #unit "\n"
    static const struct {
        const char *settings;
        double expected[3]; // of (1, 2, 3)
        double child[3];    // of a child at (0, 1, 0) of a node that is turned by 90 degrees about Z, from there
    } rows[] = {{AXES(1, 1, 2, 1, 0, 1, 1), {0.01, 0.02, 0.03}, {-0.01, 0, 0}},
                {AXES(1, 1, 2, 1, 0, 1, 100), {1, 2, 3}, {-1, 0, 0}},
                {AXES(2, 1, 1, -1, 0, 1, 100), {1, 3, -2}, {-1, 0, 0}},
                {AXES(1, 1, 2, -1, 0, 1, 100), {1, 2, -3}, {-1, 0, 0}}, // left-handed
                {AXES(2, 1, 1, 1, 0, 1, 100), {1, 3, 2}, {-1, 0, 0}},
                {AXES(2, 1, 0, 1, 1, 1, 2.54), {2 * 0.0254, 3 * 0.0254, 0.0254}, {0, 0, -0.0254}},
                {"", {0.01, 0.02, 0.03}, {-0.01, 0, 0}}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        fbx_node nodes[] = {fbx_make_node("A", -1), fbx_make_node("B", 0)};
        memcpy(nodes[0].values[FBX_TRANSLATION], (double[]){1, 2, 3}, sizeof nodes[0].values[0]);
        nodes[1].values[FBX_TRANSLATION][1] = 1;
        const fbx_curve curve = {0, FBX_ROTATION, 2, 0, FBX_LINEAR, 2, {{0, 0, 0}, {1, 90, 0}}};
        lmb_import *import = load_file(&(fbx_file){.nodes = nodes,
                                                   .node_count = 2,
                                                   .curves = &curve,
                                                   .curve_count = 1,
                                                   .stop = 1,
                                                   .settings = rows[i].settings});
        const float time = 1;
        pose pose;
        sample(import, &time, 1, &pose);
        const float *a = model_of(import, &pose, "A"), *b = model_of(import, &pose, "B");
        assert_values("A", (float[]){a[3], a[7], a[11]}, rows[i].expected, 3, 1e-6);
        assert_values("B", (float[]){b[3] - a[3], b[7] - a[7], b[11] - a[11]}, rows[i].child, 3, 1e-6);
        // No joint has the conversion in its scale.
        assert_values("scale", pose.local + 7 * pose.joint_count, (double[]){1, 1}, 2, 1e-6);
        lmb_import_destroy(import);
    }
}

// ---- Blend shapes ----

static void blend_shapes_are_morph_targets(void **state) {
    (void)state;
    fbx_node node = fbx_make_node("Face", -1);
    node.kind = "Mesh";
    const fbx_curve curve = {FBX_WEIGHT, 0, 0, 0, FBX_LINEAR, 3, {{0, 0, 0}, {1, 100, 0}, {2, 50, 0}}};
    const double full = 100;
    lmb_import *import = load_file(&(fbx_file){.nodes = &node,
                                               .node_count = 1,
                                               .curves = &curve,
                                               .curve_count = 1,
                                               .stop = 2,
                                               .full_weights = &full,
                                               .shape_count = 1,
                                               .weight = 25});
    const lmb_rig *rig = lmb_import_get_content(import)->rig;
    const lmb_mesh *mesh = lmb_import_get_content(import)->meshes;
    const float times[] = {0, 0.5f, 1, 1.5f};
    const double expected[] = {0, 0.5, 1, 0.75};
    pose poses[COUNT_OF(times)];
    assert_int_equal(lmb_rig_get_def(rig)->channel_count, 1);
    assert_string_equal(lmb_rig_get_def(rig)->channels[0].name, "Smile");
    assert_float_equal(lmb_rig_get_def(rig)->channels[0].rest, 0.25, 1e-7);
    assert_int_equal(mesh->target_count, 1);
    assert_int_equal(mesh->targets[0].delta_count, 3); // without normals, the whole triangle turns
    assert_float_equal(mesh->targets[0].deltas[0].position[0], 1, 1e-6);
    sample(import, times, COUNT_OF(times), poses);
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        assert_values("Smile", poses[i].channels, &expected[i], 1, 1e-6);
    }
    lmb_import_destroy(import);
}

// Shapes at 30 % and at 100 %: between them both count, below the first one it alone.
static void shapes_between_have_weights_of_their_own(void **state) {
    (void)state;
    fbx_node node = fbx_make_node("Face", -1);
    node.kind = "Mesh";
    const fbx_curve curve = {FBX_WEIGHT, 0, 0, 0, FBX_LINEAR, 2, {{0, -15, 0}, {1, 130, 0}}};
    const double full[] = {30, 100};
    lmb_import *import = load_file(&(fbx_file){.nodes = &node,
                                               .node_count = 1,
                                               .curves = &curve,
                                               .curve_count = 1,
                                               .stop = 1,
                                               .full_weights = full,
                                               .shape_count = 2});
    const float times[] = {15 / 145.0f, 30 / 145.0f, 45 / 145.0f, 80 / 145.0f, 115 / 145.0f, 1};
    const double expected[][2] = {{0, 0}, {0.5, 0}, {1, 0}, {0.5, 0.5}, {0, 1}, {-3 / 7.0, 10 / 7.0}};
    pose poses[COUNT_OF(times)];
    assert_string_equal(lmb_rig_get_def(lmb_import_get_content(import)->rig)->channels[0].name, "Shape0");
    assert_string_equal(lmb_rig_get_def(lmb_import_get_content(import)->rig)->channels[1].name, "Smile");
    sample(import, times, COUNT_OF(times), poses);
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        assert_values("weights", poses[i].channels, expected[i], 2, 2e-4);
    }
    lmb_import_destroy(import);
}

// A number that the user has added to a joint, as a step and as a line. It moves no joint.
static void numbers_of_nodes_are_float_channels(void **state) {
    (void)state;
    const double contact = 0.25;
    for (int i = 0; i < 2; i++) {
        fbx_node nodes[2] = {fbx_make_node("Hips", -1), fbx_make_node("Foot", 0)};
        nodes[1].number = &contact;
        const fbx_curve curves[] = {
            {1, FBX_NUMBER, 0, 0, i == 0 ? FBX_CONSTANT : FBX_LINEAR, 3, {{0, 0, 0}, {1, 1, 0}, {2, 0, 0}}},
            {0, FBX_TRANSLATION, 0, 0, FBX_LINEAR, 2, {{0, 0, 0}, {2, 2, 0}}}};
        lmb_import *import =
            load_file(&(fbx_file){.nodes = nodes, .node_count = 2, .curves = curves, .curve_count = 2, .stop = 2});
        const lmb_rig *rig = lmb_import_get_content(import)->rig;
        const float times[] = {0, 0.5f, 1.5f};
        const double expected[2][3] = {{0, 0, 1}, {0, 0.5, 0.5}};
        pose poses[COUNT_OF(times)];
        assert_int_equal(lmb_rig_get_def(rig)->channel_count, 1);
        assert_string_equal(lmb_rig_get_def(rig)->channels[0].name, "Foot.contact");
        assert_float_equal(lmb_rig_get_def(rig)->channels[0].rest, contact, 1e-7);
        assert_int_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->track_count, 2);
        sample(import, times, COUNT_OF(times), poses);
        for (size_t k = 0; k < COUNT_OF(times); k++) {
            assert_values("Foot.contact", poses[k].channels, &expected[i][k], 1, 1e-6);
        }
        lmb_import_destroy(import);
    }
}

// ---- Files of public reports, with values by hand ----

static void check_model(const char *file, float time, const char *joint, const double *expected) {
    pose pose;
    lmb_import *import = load_corpus(file);
    sample(import, &time, 1, &pose);
    assert_model(import, &pose, joint, expected, 2e-5);
    lmb_import_destroy(import);
}

static void pivots_and_rotations_of_reports_are_right(void **state) {
    (void)state;
    check_model("pivot_mixed.fbx", 1, "J", (double[]){0, -1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0});
    check_model("postrot.fbx", 0, "J",
                (double[]){.66341, .55667, -.5, 1, -.47302, .82977, .2962, 2, .57977, .04001, .8138, 3});
    check_model("zs_rest1.fbx", 0.5f, "Spine", (double[]){0.5, 0, 0, 0, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0});
    check_model("sneg.fbx", 0.5f, "Hips", (double[]){0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
}

static void geometric_transforms_do_not_move_children(void **state) {
    (void)state;
    const float time = 1;
    pose pose;
    lmb_import *import = load_corpus("un_geo_parent_anim.fbx");
    sample(import, &time, 1, &pose);
    const float *k = model_of(import, &pose, "K");
    assert_values("K", (float[]){k[3], k[7], k[11]}, (double[]){-2, 1, 0}, 3, 1e-6);
    lmb_import_destroy(import);
}

static void nodes_of_one_name_get_different_ones(void **state) {
    (void)state;
    const float time = 1;
    pose pose;
    lmb_import *import = load_corpus("dup.fbx");
    sample(import, &time, 1, &pose);
    const float *third = pose.model + 2 * LMB_MATRIX_COMPONENTS, *fourth = pose.model + 3 * LMB_MATRIX_COMPONENTS;
    assert_values("third", (float[]){third[3], third[7], third[11]}, (double[]){1, 1, 0}, 3, 1e-6);
    assert_values("fourth", (float[]){fourth[3], fourth[7], fourth[11]}, (double[]){7, 0, 1}, 3, 1e-6);
    assert_string_equal(lmb_rig_get_def(lmb_import_get_content(import)->rig)->joints[3].name, "Bone_2");
    assert_true(has_note(import, "nodes are renamed, since others have their names: Armature_2, Bone_2"));
    lmb_import_destroy(import);
}

static void a_skinned_mesh_has_its_geometric_transform(void **state) {
    (void)state;
    static const double expected[][3] = {{0.5, 0.25, 0}, {-0.25, 1.5, 0}, {-0.75, 2.5, 0}};
    const float time = 1;
    pose pose;
    lmb_import *import = load_corpus("skin_geo.fbx");
    const lmb_mesh *mesh = lmb_import_get_content(import)->meshes;
    sample(import, &time, 1, &pose);
    assert_int_equal(mesh->vertex_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const lmb_vertex *vertex = &mesh->vertices[i];
        float skinned[3] = {0};
        for (uint32_t k = 0; k < LMB_MAX_INFLUENCES; k++) {
            const float *m = pose.palette + (size_t)vertex->joints[k] * LMB_MATRIX_COMPONENTS;
            for (int row = 0; row < 3; row++) {
                const float *r = m + row * 4;
                skinned[row] += vertex->weights[k] * (r[0] * vertex->position[0] + r[1] * vertex->position[1] +
                                                      r[2] * vertex->position[2] + r[3]);
            }
        }
        assert_values("vertex", skinned, expected[i], 3, 1e-5);
    }
    lmb_import_destroy(import);
}

// ---- Files that add clips ----

static void a_clip_of_another_file_has_its_rest_pose(void **state) {
    (void)state;
    fbx_node nodes[] = {fbx_make_node("A", -1), fbx_make_node("B", 0)};
    nodes[1].values[FBX_TRANSLATION][0] = 1;
    const fbx_file rig = {.nodes = nodes, .node_count = 2, .stop = 1};
    char *first = fbx_write(&rig);
    nodes[1].values[FBX_TRANSLATION][0] = 3;
    const fbx_curve curve = {0, FBX_TRANSLATION, 1, 0, FBX_LINEAR, 2, {{0, 0, 0}, {1, 2, 0}}};
    char *second =
        fbx_write(&(fbx_file){.nodes = nodes, .node_count = 2, .curves = &curve, .curve_count = 1, .stop = 1});
    const char *const paths[] = {"fbx_test_rig.fbx", "fbx_test_clip.fbx"};
    const char *const texts[] = {first, second};
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(paths[i], "wb");
        assert_non_null(file);
        fputs(texts[i], file);
        fclose(file);
    }
    lmb_import *import = NULL;
    assert_int_equal(lmb_import_files(paths, 2, NULL, &import, NULL), LMB_OK);
    const float time = 0.5f;
    pose pose;
    sample(import, &time, 1, &pose);
    const float *b = model_of(import, &pose, "B");
    assert_values("B", (float[]){b[3], b[7]}, (double[]){3, 1}, 2, 1e-6);
    assert_true(has_note(import, "animation 'Take' has no keys: left out")); // of the first file
    lmb_import_destroy(import);
    for (int i = 0; i < 2; i++) {
        remove(paths[i]);
    }
    free(first);
    free(second);
}

// ---- Errors ----

static void broken_files_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *settings;
        const char *message;
    } rows[] = {
        {AXES(1, 1, 1, 1, 0, 1, 100), "a.fbx: GlobalSettings: two axes are one"},
        {AXES(1, 1, 7, 1, 0, 1, 100), "a.fbx: GlobalSettings: FrontAxis is 7"},
        {AXES(1, 1, 2, 1, 0, 1, 0), "a.fbx: GlobalSettings: UnitScaleFactor is 0"},
        {AXES(1, 1, 2, 1, 0, 1, 1e9), "a.fbx: GlobalSettings: UnitScaleFactor is 1e+09"},
    };
    const fbx_node node = fbx_make_node("A", -1);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *text = fbx_write(&(fbx_file){.nodes = &node, .node_count = 1, .settings = rows[i].settings});
        lmb_import *import = NULL;
        lmb_error error;
        assert_int_equal(read_text(text, strlen(text), NULL, &import, &error), LMB_ERROR_FORMAT);
        if (strstr(error.message, rows[i].message) != error.message) {
            fail_msg("%s", error.message);
        }
        free(text);
    }
    lmb_import *import = NULL;
    lmb_error error;
    assert_int_equal(read_text("", 0, NULL, &import, &error), LMB_ERROR_FORMAT);
    assert_int_equal(read_text("Kaydara FBX Binary  \0\x1a\0", 23, NULL, &import, &error), LMB_ERROR_FORMAT);
    assert_string_equal(error.message, "a.fbx: not read as FBX: Truncated file");
    const fbx_curve curve = {0, FBX_TRANSLATION, 0, 0, FBX_LINEAR, 2, {{0, 0, 0}, {1, 1e30, 0}}};
    char *text = fbx_write(&(fbx_file){.nodes = &node, .node_count = 1, .curves = &curve, .curve_count = 1, .stop = 1});
    assert_int_equal(read_text(text, strlen(text), NULL, &import, &error), LMB_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "animation 'Take': the translation of 'A' is no number below 2^40"));
    free(text);
}

static void deep_nodes_reach_a_limit(void **state) {
    (void)state;
    enum { COUNT = 70000 };
    const size_t room = (size_t)COUNT * 100;
    char *text = malloc(room);
    assert_non_null(text);
    size_t size = (size_t)sprintf(text, "; FBX 7.4.0 project file\nFBXHeaderExtension: {\nFBXVersion: 7400\n}\n"
                                        "Objects: {\n");
    for (int i = 1; i <= COUNT; i++) {
        size += (size_t)sprintf(text + size, "Model: %d, \"Model::a\", \"Null\" {\n}\n", i);
    }
    size += (size_t)sprintf(text + size, "}\nConnections: {\n");
    for (int i = 1; i <= COUNT; i++) {
        size += (size_t)sprintf(text + size, "C: \"OO\",%d,%d\n", i, i - 1);
    }
    size += (size_t)sprintf(text + size, "}\n");
    lmb_import *import = NULL;
    lmb_error error;
    assert_int_equal(read_text(text, size, NULL, &import, &error), LMB_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "Node depth limit"));
    free(text);
}

static void a_file_cut_anywhere_is_answered(void **state) {
    (void)state;
    fbx_node node = fbx_make_node("Face", -1);
    const fbx_curve curve = {FBX_WEIGHT, 0, 0, 0, FBX_LINEAR, 2, {{0, 0, 0}, {1, 100, 0}}};
    const double full = 100;
    char *text = fbx_write(&(fbx_file){.nodes = &node,
                                       .node_count = 1,
                                       .curves = &curve,
                                       .curve_count = 1,
                                       .stop = 1,
                                       .full_weights = &full,
                                       .shape_count = 1});
    const size_t size = strlen(text);
    for (size_t cut = 0; cut < size; cut += 7) {
        lmb_import *import = NULL;
        lmb_error error;
        const lmb_result result = read_text(text, cut, NULL, &import, &error);
        assert_true((result == LMB_OK) == (import != NULL));
        assert_true(result == LMB_OK || strstr(error.message, "a.fbx: ") == error.message);
        lmb_import_destroy(import);
    }
    free(text);
}

static lmb_result create(const lmb_host *host, lmb_error *error, void *user) {
    lmb_import *import = NULL;
    const lmb_result result = read_text(user, strlen(user), host, &import, error);
    lmb_import_destroy(import);
    return result;
}

static void every_failed_allocation_is_survived(void **state) {
    (void)state;
    fbx_node nodes[] = {fbx_make_node("Face", -1), fbx_make_node("Face", 0)};
    nodes[0].kind = "Mesh";
    nodes[0].values[FBX_SCALE][1] = 2;
    nodes[1].inherit = FBX_IGNORES;
    const fbx_curve curves[] = {{FBX_WEIGHT, 0, 0, 0, FBX_LINEAR, 2, {{0, 0, 0}, {1, 100, 0}}},
                                {1, FBX_ROTATION, 0, 0, FBX_CUBIC, 2, {{0, 0, 90}, {1, 50, 0}}}};
    const double full[] = {50, 100};
    char *text = fbx_write(&(fbx_file){.nodes = nodes,
                                       .node_count = 2,
                                       .curves = curves,
                                       .curve_count = 2,
                                       .stop = 1,
                                       .full_weights = full,
                                       .shape_count = 2});
    failing_host_try_all(create, text);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(properties_alone_in_pairs_and_in_all_orders),
                                       cmocka_unit_test(every_property_may_move),
                                       cmocka_unit_test(scales_are_inherited_in_three_ways),
                                       cmocka_unit_test(scales_of_their_own_are_noted),
                                       cmocka_unit_test(turns_between_two_keys_are_all_there),
                                       cmocka_unit_test(constant_curves_are_steps),
                                       cmocka_unit_test(a_jump_beside_a_line_stays_a_jump),
                                       cmocka_unit_test(lines_keep_the_keys_of_the_file),
                                       cmocka_unit_test(a_clip_goes_from_start_to_stop),
                                       cmocka_unit_test(layers_are_added_or_replace),
                                       cmocka_unit_test(units_and_axes_become_metres_with_y_up),
                                       cmocka_unit_test(blend_shapes_are_morph_targets),
                                       cmocka_unit_test(shapes_between_have_weights_of_their_own),
                                       cmocka_unit_test(numbers_of_nodes_are_float_channels),
                                       cmocka_unit_test(pivots_and_rotations_of_reports_are_right),
                                       cmocka_unit_test(geometric_transforms_do_not_move_children),
                                       cmocka_unit_test(nodes_of_one_name_get_different_ones),
                                       cmocka_unit_test(a_skinned_mesh_has_its_geometric_transform),
                                       cmocka_unit_test(a_clip_of_another_file_has_its_rest_pose),
                                       cmocka_unit_test(broken_files_are_refused),
                                       cmocka_unit_test(deep_nodes_reach_a_limit),
                                       cmocka_unit_test(a_file_cut_anywhere_is_answered),
                                       cmocka_unit_test(every_failed_allocation_is_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
