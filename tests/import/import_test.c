// Import of valid glTF files.
#define _POSIX_C_SOURCE 200809L
#include "folder.h"
#include "gltf_document.h"
#include "random.h"

#include "suite.h"

#include <limber/cpu.h>
#include <limber/import.h>

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

static lmb_import *load_from(const void *bytes, size_t size, const char *directory) {
    lmb_import *import = NULL;
    lmb_error error;
    if (lmb_import_memory(bytes, size, "test.gltf", directory, NULL, &import, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return import;
}

static lmb_import *load_text(const char *text) {
    return load_from(text, strlen(text), NULL);
}

static lmb_import *load(const gltf_document *document, const char *sections) {
    char *text = gltf_text(document, sections);
    lmb_import *import = load_text(text);
    free(text);
    return import;
}

static lmb_import *load_file(const char *name, bool skeleton_only) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", LIMBER_CORPUS "/files", name);
    const char *paths = path;
    const lmb_import_def def = {.paths = &paths, .path_count = 1, .skeleton_only = skeleton_only};
    lmb_import *import = NULL;
    lmb_error error;
    if (lmb_import_create(&def, NULL, &import, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return import;
}

static lmb_import *load_complete(void) {
    gltf_document document;
    char *sections = gltf_complete(&document);
    lmb_import *import = load(&document, sections);
    free(sections);
    return import;
}

static bool has_note(const lmb_import *import, const char *text) {
    for (uint32_t i = 0; i < lmb_import_get_content(import)->note_count; i++) {
        if (strstr(lmb_import_get_content(import)->notes[i], text) != NULL) {
            return true;
        }
    }
    return false;
}

static void assert_near(const float *values, const float *expected, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!(fabsf(values[i] - expected[i]) <= 1e-5f * fmaxf(1, fabsf(expected[i])))) {
            fail_msg("component %zu is %.9g, not %.9g", i, (double)values[i], (double)expected[i]);
        }
    }
}

static lmb_affine rest_model(const lmb_rig *rig, uint32_t joint) {
    lmb_affine local = lmb_affine_from_transform(lmb_rig_get_def(rig)->joints[joint].rest);
    uint32_t parent = lmb_rig_get_def(rig)->joints[joint].parent;
    return parent == LMB_NONE ? local : lmb_affine_multiply(rest_model(rig, parent), local);
}

static void transform_point(const lmb_affine *matrix, const float point[3], float weight, float sum[3]) {
    for (int row = 0; row < 3; row++) {
        const float *m = matrix->m[row];
        sum[row] += weight * (m[0] * point[0] + m[1] * point[1] + m[2] * point[2] + m[3]);
    }
}

// Computes a vertex position with the palette of the rest pose.
static void skin_at_rest(const lmb_rig *rig, const lmb_vertex *vertex, float result[3]) {
    memset(result, 0, 3 * sizeof(float));
    for (uint32_t i = 0; i < LMB_MAX_INFLUENCES; i++) {
        lmb_affine palette = lmb_affine_multiply(rest_model(rig, vertex->joints[i]),
                                                 lmb_rig_get_def(rig)->joints[vertex->joints[i]].inverse_bind);
        transform_point(&palette, vertex->position, vertex->weights[i], result);
    }
}

static lmb_transform sample(const lmb_import *import, uint32_t clip_index, uint32_t joint, float time) {
    const lmb_clip *clip = lmb_import_get_content(import)->clips[clip_index];
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_parameter(0);
    const lmb_graph_def def = {.rig = lmb_import_get_content(import)->rig,
                               .clips = &clip,
                               .clip_count = 1,
                               .nodes = &node,
                               .node_count = 1,
                               .parameter_count = 1};
    lmb_graph *program = NULL;
    lmb_cpu *cpu = NULL;
    float local[LMB_POSE_COMPONENTS * 64];
    uint32_t joint_count = lmb_rig_get_def(def.rig)->joint_count;
    assert_in_range(joint_count, 1, 64);
    assert_int_equal(lmb_graph_create(&def, NULL, &program, NULL), LMB_OK);
    assert_int_equal(lmb_cpu_create(program, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    const lmb_batch_def batch = {program, 1, LMB_OUTPUT_LOCAL_BIT};
    const lmb_batch_inputs inputs = {.parameters = &time};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_LOCAL] = local}};
    assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(program);
    float components[LMB_POSE_COMPONENTS];
    for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
        components[i] = local[i * joint_count + joint];
    }
    lmb_transform transform;
    memcpy(transform.translation, components, sizeof transform.translation);
    memcpy(transform.rotation, components + 3, sizeof transform.rotation);
    memcpy(transform.scale, components + 7, sizeof transform.scale);
    return transform;
}

// Computes the palette of a clip at a time: [joint][3][4].
static float *palette_of(const lmb_import *import, uint32_t clip_index, float time) {
    const lmb_clip *clip = lmb_import_get_content(import)->clips[clip_index];
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_parameter(0);
    const lmb_graph_def def = {.rig = lmb_import_get_content(import)->rig,
                               .clips = &clip,
                               .clip_count = 1,
                               .nodes = &node,
                               .node_count = 1,
                               .parameter_count = 1};
    lmb_graph *graph = NULL;
    lmb_cpu *cpu = NULL;
    float *palette = calloc(lmb_rig_get_def(def.rig)->joint_count, sizeof(lmb_affine));
    assert_non_null(palette);
    assert_int_equal(lmb_graph_create(&def, NULL, &graph, NULL), LMB_OK);
    assert_int_equal(lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    const lmb_batch_def batch = {graph, 1, LMB_OUTPUT_PALETTE_BIT};
    const lmb_batch_inputs inputs = {.parameters = &time};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_PALETTE] = palette}};
    assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(graph);
    return palette;
}

// Skins a vertex as a shader does.
static void skin(const float *palette, const lmb_vertex *vertex, float result[3]) {
    memset(result, 0, 3 * sizeof(float));
    for (uint32_t i = 0; i < LMB_MAX_INFLUENCES; i++) {
        lmb_affine matrix;
        memcpy(&matrix, palette + (size_t)vertex->joints[i] * 12, sizeof matrix);
        transform_point(&matrix, vertex->position, vertex->weights[i], result);
    }
}

static void rig_of_a_skin_has_its_joints_and_their_ancestors(void **state) {
    (void)state;
    lmb_import *import = load_complete();
    const lmb_rig *rig = lmb_import_get_content(import)->rig;
    assert_int_equal(lmb_rig_get_def(rig)->joint_count, 5); // and two nodes with a mesh
    assert_string_equal(lmb_rig_get_def(rig)->joints[0].name, "Root");
    assert_string_equal(lmb_rig_get_def(rig)->joints[1].name, "H\xC3\xBC"
                                                              "fte");
    assert_string_equal(lmb_rig_get_def(rig)->joints[2].name, "Knee");
    assert_int_equal(lmb_rig_get_def(rig)->joints[0].parent, LMB_NONE);
    assert_int_equal(lmb_rig_get_def(rig)->joints[1].parent, 0);
    assert_int_equal(lmb_rig_get_def(rig)->joints[2].parent, 1);
    lmb_transform hip = lmb_rig_get_def(rig)->joints[1].rest;
    assert_near(hip.translation, (float[]){0, 1, 0}, 3);
    assert_near(hip.rotation, (float[]){0, 0, 0.70710678f, 0.70710678f}, 4);
    for (uint32_t joint = 0; joint < 5; joint++) {
        assert_int_equal(lmb_rig_get_def(rig)->joints[joint].is_extra, joint >= 3);
    }
    assert_string_equal(lmb_rig_get_def(rig)->joints[3].name, "Hat");
    assert_int_equal(lmb_rig_get_def(rig)->joints[3].parent, 0);
    assert_int_equal(lmb_rig_get_def(rig)->joints[4].parent, 3);
    // The file's inverse bind matrices correspond to its rest pose.
    for (uint32_t joint = 0; joint < 3; joint++) {
        lmb_affine inverse;
        assert_true(lmb_affine_invert(rest_model(rig, joint), &inverse));
        lmb_affine given = lmb_rig_get_def(rig)->joints[joint].inverse_bind;
        assert_near(&given.m[0][0], &inverse.m[0][0], 12);
    }
    lmb_import_destroy(import);
}

static void matrix_becomes_translation_rotation_scale(void **state) {
    (void)state;
    lmb_import *import = load_complete();
    lmb_transform knee = lmb_rig_get_def(lmb_import_get_content(import)->rig)->joints[2].rest;
    assert_near(knee.translation, (float[]){1, 0, 0}, 3);
    assert_near(knee.rotation, (float[]){0.70710678f, 0, 0, 0.70710678f}, 4);
    assert_near(knee.scale, (float[]){2, 2, 2}, 3);
    lmb_import_destroy(import);
}

// Decomposition and composition must reproduce every matrix of translation, rotation and scale, including mirrored and
// flat ones.
static void matrices_survive_decomposition(void **state) {
    (void)state;
    static const float cases[][10] = {{0, 0, 0, 0, 0, 0, 1, 1, 1, 1},
                                      {1, 2, 3, 0, 0, 1, 0, 1, 2, 3},
                                      {0, 0, 0, 1, 0, 0, 0, 1, 1, -1},
                                      {0, 0, 0, 0, 1, 0, 0, -2, 1, 1},
                                      {5, 0, 0, 0.5f, 0.5f, 0.5f, 0.5f, -1, -1, -1},
                                      {0, 0, 9, 0.5f, -0.5f, 0.5f, 0.5f, 1, 0, 1},
                                      {0, 0, 0, 0.6f, 0, 0.8f, 0, 0, 0, 2},
                                      {0, 1, 0, 0, 0.6f, 0, 0.8f, 0, 0, 0},
                                      {0, 1, 0, 0, 0.28f, 0, 0.96f, 0.01f, 100, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lmb_transform transform;
        memcpy(&transform, cases[i], sizeof transform);
        lmb_affine matrix = lmb_affine_from_transform(transform);
        char sections[1024];
        int at = snprintf(sections, sizeof sections, "\"nodes\":[{\"matrix\":[");
        for (int column = 0; column < 4; column++) {
            for (int row = 0; row < 4; row++) {
                double entry = row < 3 ? (double)matrix.m[row][column] : column == 3;
                at +=
                    snprintf(sections + at, sizeof sections - (size_t)at, "%s%.9g", row + column > 0 ? "," : "", entry);
            }
        }
        snprintf(sections + at, sizeof sections - (size_t)at, "]}]");
        gltf_document document = {0};
        lmb_import *import = load(&document, sections);
        lmb_affine result =
            lmb_affine_from_transform(lmb_rig_get_def(lmb_import_get_content(import)->rig)->joints[0].rest);
        assert_near(&result.m[0][0], &matrix.m[0][0], 12);
        lmb_import_destroy(import);
    }
}

static void clip_has_every_interpolation(void **state) {
    (void)state;
    lmb_import *import = load_complete();
    assert_int_equal(lmb_import_get_content(import)->clip_count, 1);
    const lmb_clip *clip = lmb_import_get_content(import)->clips[0];
    assert_string_equal(lmb_clip_get_info(clip)->name, "Walk");
    assert_float_equal(lmb_clip_get_info(clip)->duration, 1, 0);
    assert_int_equal(lmb_clip_get_info(clip)->track_count, 5);
    assert_int_equal(lmb_clip_get_info(clip)->key_count, 15);
    lmb_transform hip = sample(import, 0, 1, 0.25f);
    lmb_transform knee = sample(import, 0, 2, 0.75f);
    assert_near(hip.translation, (float[]){1, 1, 0}, 3);
    // Between the identity and a half turn about z, with zero tangents: the middle of the spline is their mean.
    assert_near(hip.rotation, (float[]){0, 0, 0.70710678f, 0.70710678f}, 4);
    assert_near(knee.scale, (float[]){2, 2, 2}, 3);
    // Normalised shorts: between half turns about x and about -y, whose component is clamped to -1.
    assert_float_equal(fabsf(knee.rotation[0]), 0.70710678f, 1e-5f);
    assert_float_equal(fabsf(knee.rotation[1]), 0.70710678f, 1e-5f);
    lmb_import_destroy(import);
}

static void nodes_map_to_joints(void **state) {
    (void)state;
    lmb_import *import = load_complete();
    const lmb_rig *rig = lmb_import_get_content(import)->rig;
    uint32_t joints = 0;
    assert_int_equal(lmb_import_get_content(import)->node_count, 7);
    for (uint32_t i = 0; i < 7; i++) {
        joints += lmb_import_get_content(import)->node_joints[i] != LMB_NONE;
    }
    assert_int_equal(joints, lmb_rig_get_def(rig)->joint_count);
    assert_string_equal(lmb_rig_get_def(rig)->joints[lmb_import_get_content(import)->node_joints[0]].name, "Root");
    assert_string_equal(lmb_rig_get_def(rig)->joints[lmb_import_get_content(import)->node_joints[2]].name, "Knee");
    assert_int_equal(lmb_import_get_content(import)->node_joints[6], LMB_NONE); // the camera
    lmb_import_destroy(import);
}

static void what_is_left_out_is_noted(void **state) {
    (void)state;
    lmb_import *import = load_complete();
    assert_true(
        has_note(import, "animation 'Walk': tracks of nodes outside the rig skipped: translation of node 'Camera'"));
    assert_true(has_note(import, "mesh 'mesh_1': meshes[1].primitives[1] consists of lines: left out"));
    assert_true(has_note(import, "1 mesh outside the scene left out"));
    lmb_import_destroy(import);
}

static void skinned_mesh_has_eight_influences(void **state) {
    (void)state;
    lmb_import *import = load_complete();
    assert_int_equal(lmb_import_get_content(import)->mesh_count, 3);
    const lmb_mesh *mesh = &lmb_import_get_content(import)->meshes[2];
    assert_string_equal(mesh->name, "Skin");
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->index_count, 6);
    const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    assert_memory_equal(mesh->indices, indices, sizeof indices);
    assert_near(mesh->vertices[2].position, (float[]){1, 1, 0}, 3);
    assert_near(mesh->vertices[0].normal, (float[]){0, 0, 1}, 3);
    assert_near(mesh->vertices[2].texcoord, (float[]){1, 1}, 2);
    assert_int_equal(mesh->influence_count, 2);
    assert_int_equal(lmb_import_get_content(import)->meshes[0].influence_count, 1);
    assert_near(mesh->vertices[0].weights, (float[]){0.5f, 0.5f, 0, 0, 0, 0, 0, 0}, 8);
    assert_near(mesh->vertices[3].weights, (float[]){0.8f, 0.2f, 0, 0, 0, 0, 0, 0}, 8);
    assert_int_equal(mesh->vertices[0].joints[0], 1);
    assert_int_equal(mesh->vertices[0].joints[1], 2);
    assert_int_equal(mesh->vertices[3].joints[0], 2);
    assert_int_equal(mesh->vertices[3].joints[1], 1);
    assert_int_equal(mesh->vertices[3].joints[2], 0); // names no joint of the skin, but has weight 0
    for (uint32_t i = 0; i < 4; i++) {
        float skinned[3];
        skin_at_rest(lmb_import_get_content(import)->rig, &mesh->vertices[i], skinned);
        assert_near(skinned, mesh->vertices[i].position, 3);
    }
    lmb_import_destroy(import);
}

// ---- Random influences ----

enum { SETS = 3, MOST = 4 * SETS, BOUND_JOINTS = 14, BOUND_VERTICES = 40 };

typedef struct influences {
    uint32_t sets;
    uint8_t joints[SETS][BOUND_VERTICES * 4];
    float weights[SETS][BOUND_VERTICES * 4];
} influences;

// Draws influences of all kinds: empty ones, several on a joint, equal weights, weights a little below 0, any sum.
static void draw_influences(random_source *source, influences *s) {
    s->sets = 1 + random_below(source, SETS);
    for (uint32_t vertex = 0; vertex < BOUND_VERTICES; vertex++) {
        const double size = random_below(source, 4) == 0 ? random_between(source, 0.1, 2) : 1;
        const uint32_t count = random_below(source, 4 * s->sets + 1);
        double sum = 0;
        for (uint32_t set = 0; set < s->sets; set++) {
            for (uint32_t i = 0; i < 4; i++) {
                const bool is_used = 4 * set + i < count;
                float *weight = &s->weights[set][vertex * 4 + i];
                s->joints[set][vertex * 4 + i] = (uint8_t)random_below(source, BOUND_JOINTS);
                const bool is_even = count <= LMB_MAX_INFLUENCES && random_below(source, 4) == 0;
                *weight = !is_used                       ? 0.0f
                          : random_below(source, 8) == 0 ? -1e-6f
                          : is_even                      ? 0.25f
                                                         : (float)random_between(source, 0.05, 1);
                sum += fmax(0, (double)*weight);
            }
        }
        for (uint32_t k = 0; k < 4 * s->sets && sum > 0; k++) {
            float *weight = &s->weights[k / 4][vertex * 4 + k % 4];
            *weight = *weight > 0 ? (float)((double)*weight * size / sum) : *weight;
        }
    }
}

static lmb_import *load_influences(const influences *s) {
    gltf_document document = {0};
    float positions[BOUND_VERTICES * 3] = {0};
    char sections[4000];
    gltf_floats(&document, "VEC3", BOUND_VERTICES, positions);
    int at = snprintf(sections, sizeof sections, "\"nodes\":[{\"mesh\":0,\"skin\":0}");
    for (int i = 0; i < BOUND_JOINTS; i++) {
        at += snprintf(sections + at, sizeof sections - (size_t)at, ",{\"name\":\"joint %d\"}", i);
    }
    at += snprintf(
        sections + at, sizeof sections - (size_t)at,
        "],\"skins\":[{\"joints\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14]}],\"meshes\":[{\"name\":\"coat\",\"primitives\":["
        "{\"mode\":5,\"attributes\":{\"POSITION\":0,\"NORMAL\":0");
    for (uint32_t set = 0; set < s->sets; set++) {
        const unsigned joints =
            gltf_accessor(&document, GLTF_UINT8, "VEC4", BOUND_VERTICES, s->joints[set], sizeof s->joints[set], "");
        const unsigned weights = gltf_floats(&document, "VEC4", BOUND_VERTICES, s->weights[set]);
        at += snprintf(sections + at, sizeof sections - (size_t)at, ",\"JOINTS_%u\":%u,\"WEIGHTS_%u\":%u", set, joints,
                       set, weights);
    }
    snprintf(sections + at, sizeof sections - (size_t)at, "}}]}]");
    return load(&document, sections);
}

// The weight of each joint, and how many joints have one. The smallest of more than 8 influences of the file are 0.
static uint32_t expected_weights(const influences *s, uint32_t vertex, double weights[BOUND_JOINTS], double *sum) {
    double all[MOST] = {0};
    uint32_t joints[MOST] = {0}, count = 0;
    *sum = 0;
    for (uint32_t k = 0; k < 4 * s->sets; k++) {
        all[k] = fmax(0, (double)s->weights[k / 4][vertex * 4 + k % 4]);
        joints[k] = s->joints[k / 4][vertex * 4 + k % 4];
        count += all[k] > 0;
    }
    for (; count > LMB_MAX_INFLUENCES; count--) {
        uint32_t smallest = MOST;
        for (uint32_t k = 0; k < MOST; k++) {
            smallest = all[k] > 0 && (smallest == MOST || all[k] < all[smallest]) ? k : smallest;
        }
        all[smallest] = 0;
    }
    uint32_t used = 0;
    for (uint32_t joint = 0; joint < BOUND_JOINTS; joint++) {
        weights[joint] = 0;
        for (uint32_t k = 0; k < MOST; k++) {
            weights[joint] += joints[k] == joint ? all[k] : 0;
        }
        *sum += weights[joint];
        used += weights[joint] > 0;
    }
    return used;
}

// Returns how many influences the vertex needs.
static uint32_t check_influences(const lmb_import *import, const influences *s, uint32_t index, double *worst) {
    const lmb_vertex *vertex = &lmb_import_get_content(import)->meshes->vertices[index];
    double weights[BOUND_JOINTS], sum, found = 0;
    const uint32_t used = expected_weights(s, index, weights, &sum);
    for (uint32_t i = 0; i < LMB_MAX_INFLUENCES; i++) {
        assert_true(i == 0 || vertex->weights[i] <= vertex->weights[i - 1]);
        assert_true((vertex->weights[i] > 0) == (i < (used > 0 ? used : 1)));
        if (vertex->weights[i] == 0) {
            assert_int_equal(vertex->joints[i], 0);
        } else if (used > 0) {
            assert_true(fabs((double)vertex->weights[i] - weights[vertex->joints[i]] / sum) <= 1e-6);
        }
        found += (double)vertex->weights[i];
    }
    assert_true(fabs(found - 1) <= 1e-6);
    *worst = used > 0 && fabs(sum - 1) > fabs(*worst - 1) ? sum : *worst;
    return used;
}

static void influences_are_sorted_and_normalised(void **state) {
    (void)state;
    uint32_t beyond = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        random_source source = {seed};
        influences s = {0};
        draw_influences(&source, &s);
        lmb_import *import = load_influences(&s);
        double worst = 1;
        uint32_t most = 1;
        for (uint32_t vertex = 0; vertex < BOUND_VERTICES; vertex++) {
            const uint32_t used = check_influences(import, &s, vertex, &worst);
            most = used > most ? used : most;
        }
        assert_int_equal(lmb_import_get_content(import)->meshes[0].influence_count, most);
        char note[80];
        snprintf(note, sizeof note, " with %.3g", worst);
        assert_true(has_note(import, "mesh 'coat': weights of ") && has_note(import, note));
        assert_true(has_note(import, " weights a little below 0 read as 0, the lowest -1e-06 at vertex "));
        beyond += has_note(import, "mesh 'coat': influences of a vertex beyond 8 left out, the smallest ones");
        lmb_import_destroy(import);
    }
    assert_in_range(beyond, 10, 30);
}

// Weights that sum to 1 have no note; those of -1e-9 in the file have one.
static void weights_a_little_below_0_are_0(void **state) {
    (void)state;
    lmb_import *import = load_file("k_negw.gltf", false);
    assert_int_equal(lmb_import_get_content(import)->mesh_count, 0); // its mesh is outside the scene
    lmb_import_destroy(import);
    influences s = {.sets = 1};
    for (uint32_t vertex = 0; vertex < BOUND_VERTICES; vertex++) {
        s.weights[0][vertex * 4] = 1;
        s.weights[0][vertex * 4 + 1] = vertex == 7 ? -0.01f : vertex < 9 ? -1e-9f : 0.0f;
    }
    import = load_influences(&s);
    assert_int_equal(lmb_import_get_content(import)->note_count, 1);
    assert_true(has_note(import, "mesh 'coat': 9 weights a little below 0 read as 0, the lowest -0.01 at vertex 7"));
    assert_int_equal(lmb_import_get_content(import)->meshes[0].influence_count, 1);
    lmb_import_destroy(import);
}

static double farthest_vertex(const lmb_import *import, uint32_t joint) {
    const lmb_import_content *content = lmb_import_get_content(import);
    const lmb_affine inverse_bind = lmb_rig_get_def(content->rig)->joints[joint].inverse_bind;
    double farthest = 0.0;
    for (uint32_t i = 0; i < content->mesh_count; i++) {
        const lmb_mesh *mesh = &content->meshes[i];
        for (uint32_t k = 0; k < mesh->vertex_count * LMB_MAX_INFLUENCES; k++) {
            const lmb_vertex *vertex = &mesh->vertices[k / LMB_MAX_INFLUENCES];
            float at[3] = {0.0f, 0.0f, 0.0f};
            if (vertex->weights[k % LMB_MAX_INFLUENCES] > 0.0f && vertex->joints[k % LMB_MAX_INFLUENCES] == joint) {
                transform_point(&inverse_bind, vertex->position, 1.0f, at);
                const double x = (double)at[0], y = (double)at[1], z = (double)at[2];
                farthest = fmax(farthest, sqrt(x * x + y * y + z * z));
            }
        }
    }
    return farthest;
}

static void radii_hold_the_meshes(void **state) {
    (void)state;
    lmb_import *import = load_complete();
    const lmb_rig *rig = lmb_import_get_content(import)->rig;
    uint32_t held = 0;
    for (uint32_t joint = 0; joint < lmb_rig_get_def(rig)->joint_count; joint++) {
        const double farthest = farthest_vertex(import, joint),
                     radius = (double)lmb_rig_get_def(rig)->joints[joint].radius;
        assert_true(fabs(radius - farthest) <= 1e-6 * farthest);
        held += radius > 0.0;
    }
    assert_true(held >= 2);
    lmb_import_destroy(import);
}

static void material_has_color_and_image(void **state) {
    (void)state;
    lmb_import *import = load_complete();
    const lmb_mesh *mesh = &lmb_import_get_content(import)->meshes[2];
    assert_near(mesh->base_color, (float[]){0.5f, 0.25f, 1, 1}, 4);
    assert_true(mesh->double_sided);
    assert_int_equal(mesh->image, 0);
    assert_int_equal(lmb_import_get_content(import)->image_count, 1);
    const lmb_image *image = lmb_import_get_content(import)->images;
    assert_string_equal(image->name, "Fur");
    assert_int_equal(image->size, 12);
    assert_memory_equal(image->bytes, "\x89PNG\r\n\x1A\n1234", 12);
    assert_near(lmb_import_get_content(import)->meshes[0].base_color, (float[]){1, 1, 1, 1}, 4);
    assert_int_equal(lmb_import_get_content(import)->meshes[0].image, LMB_NONE);
    lmb_import_destroy(import);
}

static float signed_area(const lmb_mesh *mesh, uint32_t triangle) {
    const float *a = mesh->vertices[mesh->indices[triangle * 3]].position;
    const float *b = mesh->vertices[mesh->indices[triangle * 3 + 1]].position;
    const float *c = mesh->vertices[mesh->indices[triangle * 3 + 2]].position;
    return ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
}

// The strip is in the plane z = 0 and faces +z. Its last vertex is from the sparse accessor data.
static void unskinned_strip_hangs_on_its_node(void **state) {
    (void)state;
    lmb_import *import = load_complete();
    for (uint32_t m = 0; m < 2; m++) {
        const lmb_mesh *mesh = &lmb_import_get_content(import)->meshes[m];
        assert_string_equal(mesh->name, "mesh_1");
        assert_int_equal(mesh->index_count, 6);
        float highest = 0;
        for (uint32_t i = 0; i < mesh->vertex_count; i++) {
            const lmb_vertex *vertex = &mesh->vertices[i];
            assert_int_equal(vertex->joints[0], 3 + m);
            assert_float_equal(vertex->weights[0], 1, 0);
            assert_near(vertex->normal, (float[]){0, 0, 1}, 3);
            assert_true(m == 0 ? vertex->position[0] >= 0 : vertex->position[0] <= 0); // the second strip is mirrored
            highest = fmaxf(highest, vertex->position[1]);
        }
        assert_float_equal(highest, 4, 1e-5f); // height 1, and the hat's node is 3 above
        for (uint32_t triangle = 0; triangle < 2; triangle++) {
            assert_float_equal(signed_area(mesh, triangle), 0.5f, 1e-5f);
        }
    }
    lmb_import_destroy(import);
}

// In prop.gltf a strip of 10 vertices, x 0 to 1 and y 0 to 2, is skinned to nodes 1 and 2; the nodes Prop, below node
// 2, and Beside have a mesh of the same vertices. Nodes 2, Prop and Beside turn about z, each by the same angle.
enum { STRIP = 24 }; // flat triangles

// The turn of a node in radians. The keys are 0.5 s apart; the file gives z and w of their quaternions.
static double turn_at(double time) {
    static const double keys[12][2] = {{0, 1},          {0.383, 0.924},  {0.707, 0.707},  {0.707, 0.707},
                                       {0.383, 0.924},  {0, 1},          {0, 1},          {-0.383, 0.924},
                                       {-0.707, 0.707}, {-0.707, 0.707}, {-0.383, 0.924}, {0, 1}};
    const int key = (int)fmin(floor(time / 0.5), 10.0);
    const double share = time / 0.5 - key;
    const double from = 2.0 * atan2(keys[key][0], keys[key][1]), to = 2.0 * atan2(keys[key + 1][0], keys[key + 1][1]);
    return from + share * (to - from); // slerp about one axis
}

static void turn_point(double angle, const double at[2], double moved[2]) {
    moved[0] = cos(angle) * at[0] - sin(angle) * at[1];
    moved[1] = sin(angle) * at[0] + cos(angle) * at[1];
}

// Where a corner of the strip is, if its mesh is that of Prop or of Beside.
static void expected_corner(uint32_t corner, bool is_prop, double time, float result[3]) {
    static const uint32_t vertices[STRIP] = {0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4, 4, 5, 7, 4, 7, 6, 6, 7, 9, 6, 9, 8};
    static const double held[2] = {0, 0.5};
    const double own[2] = {vertices[corner] % 2, 0.5 * (vertices[corner] / 2)}, angle = turn_at(time);
    double moved[2], hand[2];
    turn_point(is_prop ? 2 * angle : angle, own, moved);
    turn_point(angle, held, hand);
    result[0] = (float)(moved[0] + (is_prop ? hand[0] : 2));
    result[1] = (float)(moved[1] + (is_prop ? 1 + hand[1] : 0));
    result[2] = 0;
}

static void expect_strip(const lmb_import *import, uint32_t mesh_index, bool is_prop) {
    const lmb_mesh *mesh = &lmb_import_get_content(import)->meshes[mesh_index];
    assert_int_equal(mesh->vertex_count, STRIP);
    for (int step = 0; step <= 22; step++) {
        float *palette = palette_of(import, 0, 0.25f * (float)step);
        for (uint32_t i = 0; i < STRIP; i++) {
            float expected[3], skinned[3];
            expected_corner(i, is_prop, 0.25 * step, expected);
            skin(palette, &mesh->vertices[i], skinned);
            assert_near(skinned, expected, 3);
        }
        free(palette);
    }
}

static void what_moves_is_an_extra_joint(void **state) {
    (void)state;
    static const char *const files[] = {"prop.gltf", "prop_only.gltf"};
    for (uint32_t i = 0; i < 2; i++) {
        lmb_import *import = load_file(files[i], false);
        const lmb_rig *rig = lmb_import_get_content(import)->rig;
        const uint32_t extras = i == 0 ? 2 : 1; // Beside is outside the scene of the second file
        assert_int_equal(lmb_rig_get_def(rig)->joint_count, 3 + extras);
        for (uint32_t joint = 0; joint < 3 + extras; joint++) {
            assert_int_equal(lmb_rig_get_def(rig)->joints[joint].is_extra, joint >= 3);
        }
        assert_int_equal(lmb_rig_find_joint(rig, "Prop"), 3);
        assert_int_equal(lmb_rig_get_def(rig)->joints[3].parent, 2);
        assert_int_equal(lmb_import_get_content(import)->node_joints[3], 3);
        assert_int_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->track_count, 1 + extras);
        assert_int_equal(lmb_import_get_content(import)->mesh_count, 1 + extras);
        assert_int_equal(lmb_import_get_content(import)->note_count, i); // the mesh outside the scene
        expect_strip(import, 1, true);
        if (i == 0) {
            assert_int_equal(lmb_rig_get_def(rig)->joints[4].parent, LMB_NONE);
            expect_strip(import, 2, false);
        }
        lmb_import_destroy(import);
    }
}

static void a_skeleton_alone_has_no_extra_joints(void **state) {
    (void)state;
    lmb_import *whole = load_file("prop.gltf", false), *import = load_file("prop.gltf", true);
    const lmb_rig *rig = lmb_import_get_content(import)->rig;
    assert_false(lmb_default_import_def().skeleton_only);
    assert_int_equal(lmb_rig_get_def(rig)->joint_count, 3);
    for (uint32_t joint = 0; joint < 3; joint++) {
        assert_string_equal(lmb_rig_get_def(rig)->joints[joint].name,
                            lmb_rig_get_def(lmb_import_get_content(whole)->rig)->joints[joint].name);
    }
    assert_true(has_note(
        import,
        "animation 'animation_0': tracks of nodes outside the rig skipped: rotation of node 'Prop', rotation of "
        "node 'Beside'"));
    assert_true(has_note(import, "mesh 'rigid' of node 'Beside' hangs on no joint: left out"));
    assert_int_equal(lmb_import_get_content(import)->mesh_count, 2);
    assert_int_equal(lmb_import_get_content(import)->meshes[1].vertices[0].joints[0],
                     2); // the joint that holds the prop
    lmb_import_destroy(import);
    lmb_import_destroy(whole);
}

// Accessors of a triangle's positions, and of the times and values of a translation by 9 along y in a second.
static void add_triangle_that_moves(gltf_document *document) {
    const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, times[2] = {0, 1}, moves[6] = {0, 0, 0, 0, 9, 0};
    gltf_floats(document, "VEC3", 3, triangle);
    gltf_floats(document, "SCALAR", 2, times);
    gltf_floats(document, "VEC3", 2, moves);
}

// A skin's joint, a camera and a light that do not move, the same moving, and a node above a mesh.
static void cameras_and_lights_are_no_joints_unless_they_move(void **state) {
    (void)state;
    gltf_document document = {0};
    add_triangle_that_moves(&document);
    lmb_import *import =
        load(&document,
             "\"nodes\":[{\"name\":\"still camera\",\"camera\":0},{\"name\":\"crane\",\"children\":[2]},"
             "{\"name\":\"camera\",\"camera\":0,\"translation\":[0,0,50]},{\"name\":\"hip\"},{\"name\":\"light\"},"
             "{\"name\":\"shelf\",\"children\":[6]},{\"name\":\"box\",\"mesh\":0},{\"name\":\"body\",\"mesh\":0,"
             "\"skin\":0}],"
             "\"cameras\":[{\"type\":\"perspective\",\"perspective\":{\"yfov\":1,\"znear\":1}}],\"skins\":[{\"joints\":"
             "[3]}],"
             "\"scenes\":[{\"nodes\":[0,1,3,4,5]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
             "\"animations\":[{\"samplers\":[{\"input\":1,\"output\":2}],"
             "\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"translation\"}}]}]");
    const lmb_rig *rig = lmb_import_get_content(import)->rig;
    static const char *const expected[] = {"hip", "crane", "camera", "shelf", "box"};
    assert_int_equal(lmb_rig_get_def(rig)->joint_count, 5);
    for (uint32_t joint = 0; joint < 5; joint++) {
        assert_string_equal(lmb_rig_get_def(rig)->joints[joint].name, expected[joint]);
        assert_int_equal(lmb_rig_get_def(rig)->joints[joint].is_extra, joint > 0);
    }
    assert_near(sample(import, 0, 2, 0.5f).translation, (float[]){0, 4.5f, 0}, 3);
    lmb_import_destroy(import);
}

// No joint can have the shear of the node above it, so the mesh hangs on the sheared node, and its motion is left out.
static void what_hangs_on_a_sheared_node_keeps_its_shear(void **state) {
    (void)state;
    gltf_document document = {0};
    add_triangle_that_moves(&document);
    lmb_import *import =
        load(&document,
             "\"nodes\":[{\"name\":\"hip\"},{\"name\":\"shelf\",\"matrix\":[1,0,0,0,0.5,1,0,0,0,0,1,0,1,2,3,1],"
             "\"children\":[2]},{\"name\":\"box\",\"mesh\":0,\"translation\":[0,1,0]}],\"skins\":[{\"joints\":[0]}],"
             "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
             "\"animations\":[{\"samplers\":[{\"input\":1,\"output\":2}],"
             "\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"translation\"}}]}]");
    const lmb_rig *rig = lmb_import_get_content(import)->rig;
    assert_int_equal(lmb_rig_get_def(rig)->joint_count, 2);
    assert_int_equal(lmb_rig_find_joint(rig, "shelf"), 1);
    assert_true(has_note(import, "tracks of nodes outside the rig skipped: translation of node 'box'"));
    float skinned[3];
    skin_at_rest(rig, &lmb_import_get_content(import)->meshes->vertices[2], skinned);
    assert_near(skinned, (float[]){2, 4, 3}, 3); // (0, 1, 0) + (0, 1, 0), sheared by (1, 0, 0), moved by (1, 2, 3)
    lmb_import_destroy(import);
}

static void file_without_skin_makes_a_rig_of_all_nodes(void **state) {
    (void)state;
    gltf_document document = {0};
    const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    gltf_floats(&document, "VEC3", 3, triangle);
    lmb_import *import =
        load(&document, "\"nodes\":[{\"name\":\"b\",\"translation\":[0,5,0],\"mesh\":0,\"scale\":[2,2,2]},"
                        "{\"children\":[0],\"name\":\"\",\"translation\":[1,0,0]},{\"scale\":[0,1,1],\"mesh\":0}],"
                        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]");
    const lmb_rig *rig = lmb_import_get_content(import)->rig;
    assert_int_equal(lmb_rig_get_def(rig)->joint_count, 3);
    uint32_t b = lmb_rig_find_joint(rig, "b");
    assert_string_equal(lmb_rig_get_def(rig)->joints[lmb_rig_get_def(rig)->joints[b].parent].name, "node_1");
    assert_int_not_equal(lmb_rig_find_joint(rig, "node_2"), LMB_NONE);
    assert_int_equal(lmb_import_get_content(import)->mesh_count, 2);
    const lmb_vertex *vertex = &lmb_import_get_content(import)->meshes->vertices[1];
    assert_int_equal(vertex->joints[0], b);
    float skinned[3];
    skin_at_rest(rig, vertex, skinned);
    assert_near(skinned, (float[]){3, 5, 0}, 3);
    // A joint that is flat at rest still has its mesh, flattened.
    skin_at_rest(rig, &lmb_import_get_content(import)->meshes[1].vertices[1], skinned);
    assert_near(skinned, (float[]){0, 0, 0}, 3);
    skin_at_rest(rig, &lmb_import_get_content(import)->meshes[1].vertices[2], skinned);
    assert_near(skinned, (float[]){0, 1, 0}, 3);
    lmb_import_destroy(import);
}

static void skin_without_matrices_has_identities(void **state) {
    (void)state;
    gltf_document document = {0};
    lmb_import *import = load(&document, "\"nodes\":[{\"translation\":[0,5,0]}],\"skins\":[{\"joints\":[0]}]");
    lmb_affine given = lmb_rig_get_def(lmb_import_get_content(import)->rig)->joints[0].inverse_bind;
    lmb_affine identity = lmb_affine_identity();
    assert_memory_equal(&given, &identity, sizeof given);
    lmb_import_destroy(import);
}

#define TWO_SKINS                                                                                                      \
    "\"nodes\":[{\"children\":[1]},{\"translation\":[0,1,0]},{\"mesh\":0,\"skin\":0},{\"mesh\":0,\"skin\":1}],"        \
    "\"skins\":[{\"joints\":[0,1],\"inverseBindMatrices\":3},{\"joints\":[1,0],\"inverseBindMatrices\":4}],"           \
    "\"meshes\":[{\"name\":\"coat\",\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2}}]" \
    "}]"

// Two skins over the same two joints. The second skin's matrices are those of the first after a shift of the mesh.
static lmb_import *load_two_skins(void) {
    gltf_document document = {0};
    const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint8_t joints[12] = {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0};
    const float weights[12] = {1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0, 1, 0, 0};
    float first[32] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1};
    float second[32];
    memcpy(second, first + 16, 16 * sizeof(float));
    memcpy(second + 16, first, 16 * sizeof(float));
    second[12] += 7;
    second[28] += 7;
    gltf_floats(&document, "VEC3", 3, triangle);
    gltf_accessor(&document, GLTF_UINT8, "VEC4", 3, joints, sizeof joints, "");
    gltf_floats(&document, "VEC4", 3, weights);
    gltf_floats(&document, "MAT4", 2, first);
    gltf_floats(&document, "MAT4", 2, second);
    return load(&document, TWO_SKINS);
}

static void second_skin_with_one_shift_moves_its_mesh(void **state) {
    (void)state;
    lmb_import *import = load_two_skins();
    assert_int_equal(lmb_import_get_content(import)->mesh_count, 2);
    const lmb_vertex *vertex = &lmb_import_get_content(import)->meshes[1].vertices[0];
    assert_near(vertex->position, (float[]){7, 0, 0}, 3);
    assert_int_equal(vertex->joints[0], 1); // the second skin lists the joints in reverse order
    lmb_import_destroy(import);
}

// Matrices and rotations in float64, as the glTF specification has them.
typedef struct skin_matrix {
    double m[3][4];
} skin_matrix;

static skin_matrix multiply(const skin_matrix *a, const skin_matrix *b) {
    skin_matrix product = {0};
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            product.m[row][column] = column == 3 ? a->m[row][3] : 0;
            for (int k = 0; k < 3; k++) {
                product.m[row][column] += a->m[row][k] * b->m[k][column];
            }
        }
    }
    return product;
}

// The matrix of a node: its translation, then a turn about an axis, then one scale.
static skin_matrix placed(const double translation[3], int axis, double angle, double scale) {
    skin_matrix m = {0};
    const int next = (axis + 1) % 3, last = (axis + 2) % 3;
    for (int i = 0; i < 3; i++) {
        m.m[i][3] = translation[i];
    }
    m.m[axis][axis] = scale;
    m.m[next][next] = m.m[last][last] = scale * cos(angle);
    m.m[next][last] = scale * -sin(angle);
    m.m[last][next] = scale * sin(angle);
    return m;
}

static skin_matrix from_columns(const float columns[16]) {
    skin_matrix m;
    for (int i = 0; i < 12; i++) {
        m.m[i / 4][i % 4] = (double)columns[i % 4 * 4 + i / 4];
    }
    return m;
}

static void add_skinned(const skin_matrix *model, const skin_matrix *inverse_bind, const double position[3],
                        double weight, double sum[3]) {
    const skin_matrix m = multiply(model, inverse_bind);
    for (int row = 0; row < 3; row++) {
        sum[row] +=
            weight * (m.m[row][0] * position[0] + m.m[row][1] * position[1] + m.m[row][2] * position[2] + m.m[row][3]);
    }
}

static void expect_point(const float point[3], const double expected[3], double tolerance) {
    for (int i = 0; i < 3; i++) {
        if (!(fabs((double)point[i] - expected[i]) <= tolerance)) {
            fail_msg("component %d is %.9g, not %.9g", i, (double)point[i], expected[i]);
        }
    }
}

// Two files of one form: node a, which turns by 90 degrees about z within 1 s, and b below it, which in the first file
// turns by 60 degrees about y. Two meshes with a skin each have three vertices: on a, on b, on both by halves.
static void skins_that_bind_joints_differently(void **state) {
    (void)state;
    static const double positions[3][3][3] = {{{0, 1, 0}, {1, 1, 0}, {1.5, 1.25, 0}},
                                              {{0, 1, 0}, {1, 1, 0}, {1.5, 1.25, 0}},
                                              {{0, 16000, 0}, {16000, 16000, 0}, {16000, 8000, 100}}};
    static const float binds[3][2][16] = {
        {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, -1, 0, 1}},
        {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -0.7f, -1, 0, 1}},
        {{6e-5f, 0, 0, 0, 0, 6e-5f, 0, 0, 0, 0, 6e-5f, 0, 0, -1, 0, 1},
         {4.596266808221117e-05f, 3.8567257433896884e-05f, 0, 0, -3.8567257433896884e-05f, 4.596266808221117e-05f, 0, 0,
          0, 0, 6e-5f, 0, -1, -1, 0, 1}}};
    static const double weights[3][2] = {{1, 0}, {0, 1}, {0.5, 0.5}};
    static const double at_a[3] = {0, 1, 0}, at_b[3] = {1, 0, 0};
    for (int file = 0; file < 2; file++) {
        lmb_import *import = load_file(file == 0 ? "skins_differ.gltf" : "q_float_then_quant_rot.gltf", false);
        assert_int_equal(lmb_import_get_content(import)->mesh_count, 2);
        assert_int_equal(lmb_import_get_content(import)->note_count, 0);
        assert_int_equal(lmb_rig_get_def(lmb_import_get_content(import)->rig)->joint_count, 4);
        assert_string_equal(lmb_rig_get_def(lmb_import_get_content(import)->rig)->joints[3].name, "b (skin 1)");
        assert_int_equal(lmb_rig_get_def(lmb_import_get_content(import)->rig)->joints[3].parent, 2);
        for (int step = 0; step <= 4; step++) {
            const double time = 0.25 * step;
            const skin_matrix a = placed(at_a, 2, time * acos(-1) / 2, 1);
            const skin_matrix local = placed(at_b, 1, file == 0 ? time * acos(-1) / 3 : 0, 1), b = multiply(&a, &local);
            float *palette = palette_of(import, 0, (float)time);
            for (int k = 0; k < 6; k++) {
                const int mesh = k / 3, set = mesh == 0 ? 0 : 1 + file;
                double expected[3] = {0};
                float skinned[3];
                for (int joint = 0; joint < 2; joint++) {
                    const skin_matrix bind = from_columns(binds[set][joint]);
                    add_skinned(joint == 0 ? &a : &b, &bind, positions[set][k % 3], weights[k % 3][joint], expected);
                }
                skin(palette, &lmb_import_get_content(import)->meshes[(uint32_t)mesh].vertices[k % 3], skinned);
                expect_point(skinned, expected, 1e-6);
                if (file == 1 && step == 4 && k == 4) {
                    expect_point(skinned, (double[]){-0.35248, 1.11833, 0}, 5e-6);
                }
            }
            free(palette);
        }
        lmb_import_destroy(import);
    }
}

// ---- Random skins over the same joints ----

enum { SHARED_JOINTS = 6, SHARED_SKINS = 4, SHARED_VERTICES = 3 };

typedef struct shared_skins {
    double translations[SHARED_JOINTS][3];
    int axes[SHARED_JOINTS];
    double angles[2][SHARED_JOINTS]; // at 0 s and at 1 s
    float binds[SHARED_SKINS][SHARED_JOINTS * 16];
    float positions[SHARED_SKINS][SHARED_VERTICES * 3];
    uint8_t joints[SHARED_VERTICES * 4];
    float weights[SHARED_VERTICES * 4];
} shared_skins;

static void model_of(const shared_skins *s, double share, skin_matrix models[SHARED_JOINTS]) {
    for (int i = 0; i < SHARED_JOINTS; i++) {
        const double angle = s->angles[0][i] + share * (s->angles[1][i] - s->angles[0][i]);
        const skin_matrix local = placed(s->translations[i], s->axes[i], angle, 1);
        models[i] = i == 0 ? local : multiply(&models[i - 1], &local);
    }
}

// The inverse of a matrix of rotation and translation.
static skin_matrix inverse_of(const skin_matrix *m) {
    skin_matrix result = {0};
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            result.m[row][column] = m->m[column][row];
            result.m[row][3] -= m->m[column][row] * m->m[column][3];
        }
    }
    return result;
}

// Draws skins whose meshes are stored in spaces of their own: the first one as it is, the others moved, turned and
// scaled, down to quantised positions. Some joints of the others have another bind pose, or a matrix without an
// inverse.
static void draw_shared_skins(random_source *source, shared_skins *s) {
    skin_matrix models[SHARED_JOINTS];
    for (int i = 0; i < SHARED_JOINTS; i++) {
        s->axes[i] = (int)random_below(source, 3);
        for (int k = 0; k < 3; k++) {
            s->translations[i][k] = random_between(source, -1, 1);
        }
        for (int k = 0; k < 2; k++) {
            s->angles[k][i] = random_between(source, -1.5, 1.5);
        }
    }
    model_of(s, 0, models);
    for (int skin = 0; skin < SHARED_SKINS; skin++) {
        static const double scales[] = {1, 1, 100, 6e-5};
        const double shift[3] = {random_between(source, -2, 2), random_between(source, -2, 2), 0};
        const double scale = skin == 0 ? 1 : scales[random_below(source, 4)];
        const skin_matrix space = placed(skin == 0 ? (double[3]){0} : shift, 2, skin == 0 ? 0 : shift[1], scale);
        for (int i = 0; i < SHARED_JOINTS; i++) {
            skin_matrix bind = inverse_of(&models[i]);
            bind = multiply(&bind, &space);
            if (skin > 0 && random_below(source, 4) == 0) {
                const skin_matrix other = placed(shift, i % 3, 0.25, 1);
                bind = multiply(&other, &bind);
            }
            const bool is_flat = skin > 0 && random_below(source, 12) == 0;
            for (int k = 0; k < 16; k++) {
                s->binds[skin][i * 16 + k] = k % 4 == 3          ? (k == 15)
                                             : is_flat && k < 12 ? 0
                                                                 : (float)bind.m[k % 4][k / 4];
            }
        }
        for (int k = 0; k < SHARED_VERTICES * 3; k++) {
            s->positions[skin][k] = (float)(random_between(source, -2, 2) / scale);
        }
    }
    for (int k = 0; k < SHARED_VERTICES; k++) {
        const double share = random_between(source, 0.1, 0.5);
        s->joints[k * 4] = (uint8_t)random_below(source, SHARED_JOINTS);
        s->joints[k * 4 + 1] = (uint8_t)((s->joints[k * 4] + 1) % SHARED_JOINTS);
        s->weights[k * 4] = (float)(1 - share);
        s->weights[k * 4 + 1] = (float)share;
    }
}

static lmb_import *load_shared_skins(const shared_skins *s) {
    gltf_document document = {0};
    char sections[6000];
    static const float times[2] = {0, 1};
    int at = snprintf(sections, sizeof sections, "\"nodes\":[");
    for (int i = 0; i < SHARED_JOINTS; i++) {
        at += snprintf(sections + at, sizeof sections - (size_t)at, "{\"translation\":[%.17g,%.17g,%.17g]%s%.0d%s},",
                       s->translations[i][0], s->translations[i][1], s->translations[i][2],
                       i + 1 < SHARED_JOINTS ? ",\"children\":[" : "", i + 1 < SHARED_JOINTS ? i + 1 : 0,
                       i + 1 < SHARED_JOINTS ? "]" : "");
    }
    for (int skin = 0; skin < SHARED_SKINS; skin++) {
        at += snprintf(sections + at, sizeof sections - (size_t)at, "%s{\"mesh\":%d,\"skin\":%d}", skin > 0 ? "," : "",
                       skin, skin);
    }
    at += snprintf(sections + at, sizeof sections - (size_t)at, "],\"skins\":[");
    gltf_accessor(&document, GLTF_UINT8, "VEC4", SHARED_VERTICES, s->joints, sizeof s->joints, "");
    gltf_floats(&document, "VEC4", SHARED_VERTICES, s->weights);
    for (int skin = 0; skin < SHARED_SKINS; skin++) {
        const unsigned binds = gltf_floats(&document, "MAT4", SHARED_JOINTS, s->binds[skin]);
        gltf_floats(&document, "VEC3", SHARED_VERTICES, s->positions[skin]);
        at += snprintf(sections + at, sizeof sections - (size_t)at,
                       "%s{\"joints\":[0,1,2,3,4,5],\"inverseBindMatrices\":%u}", skin > 0 ? "," : "", binds);
    }
    at += snprintf(sections + at, sizeof sections - (size_t)at, "],\"meshes\":[");
    for (int skin = 0; skin < SHARED_SKINS; skin++) {
        at += snprintf(sections + at, sizeof sections - (size_t)at,
                       "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":0,\"WEIGHTS_0\":1}}]}",
                       skin > 0 ? "," : "", 3 + 2 * skin);
    }
    const unsigned input = gltf_floats(&document, "SCALAR", 2, times);
    at += snprintf(sections + at, sizeof sections - (size_t)at, "],\"animations\":[{\"samplers\":[");
    for (int i = 0; i < SHARED_JOINTS; i++) {
        float keys[8] = {0};
        for (int k = 0; k < 2; k++) {
            keys[k * 4 + s->axes[i]] = (float)sin(s->angles[k][i] / 2);
            keys[k * 4 + 3] = (float)cos(s->angles[k][i] / 2);
        }
        at += snprintf(sections + at, sizeof sections - (size_t)at, "%s{\"input\":%u,\"output\":%u}", i > 0 ? "," : "",
                       input, gltf_floats(&document, "VEC4", 2, keys));
    }
    at += snprintf(sections + at, sizeof sections - (size_t)at, "],\"channels\":[");
    for (int i = 0; i < SHARED_JOINTS; i++) {
        at += snprintf(sections + at, sizeof sections - (size_t)at,
                       "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"rotation\"}}", i > 0 ? "," : "", i, i);
    }
    snprintf(sections + at, sizeof sections - (size_t)at, "]}]");
    return load(&document, sections);
}

static void random_skins_over_the_same_joints(void **state) {
    (void)state;
    uint32_t further = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        random_source source = {seed};
        shared_skins s = {0};
        draw_shared_skins(&source, &s);
        lmb_import *import = load_shared_skins(&s);
        further += lmb_rig_get_def(lmb_import_get_content(import)->rig)->joint_count - SHARED_JOINTS;
        assert_int_equal(lmb_import_get_content(import)->mesh_count, SHARED_SKINS);
        for (int step = 0; step <= 2; step++) {
            skin_matrix models[SHARED_JOINTS];
            float *palette = palette_of(import, 0, 0.5f * (float)step);
            model_of(&s, 0.5 * step, models);
            for (int k = 0; k < SHARED_SKINS * SHARED_VERTICES; k++) {
                const int mesh = k / SHARED_VERTICES, vertex = k % SHARED_VERTICES;
                double expected[3] = {0}, position[3];
                float skinned[3];
                for (int axis = 0; axis < 3; axis++) {
                    position[axis] = (double)s.positions[mesh][vertex * 3 + axis];
                }
                for (int i = 0; i < 2; i++) {
                    const int joint = s.joints[vertex * 4 + i];
                    const skin_matrix bind = from_columns(s.binds[mesh] + joint * 16);
                    add_skinned(&models[joint], &bind, position, (double)s.weights[vertex * 4 + i], expected);
                }
                skin(palette, &lmb_import_get_content(import)->meshes[(uint32_t)mesh].vertices[vertex], skinned);
                expect_point(skinned, expected, 2e-5); // of an extent of about 8
            }
            free(palette);
        }
        lmb_import_destroy(import);
    }
    assert_true(further > 60 && further < 60 * SHARED_JOINTS * (SHARED_SKINS - 1) / 2);
}

// One triangle whose positions have the given component type and stride.
static void check_positions(int component, const void *bytes, size_t stride, size_t element, bool normalized,
                            const float expected[9]) {
    gltf_document document = {0};
    uint8_t spaced[64] = {0};
    for (size_t i = 0; i < 3; i++) {
        memcpy(spaced + i * stride, (const uint8_t *)bytes + i * element, element);
    }
    gltf_accessor(&document, component, "VEC3", 3, spaced, stride * 3, normalized ? ",\"normalized\":true" : "");
    char *text = gltf_text(&document, "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
                                      "\"POSITION\":0}}]}]");
    char stride_text[64];
    snprintf(stride_text, sizeof stride_text, "\"byteOffset\":0,\"byteStride\":%zu", stride);
    char *strided = gltf_replace(text, "\"byteOffset\":0", stride_text);
    lmb_import *import = load_text(strided);
    for (uint32_t i = 0; i < 3; i++) {
        assert_near(lmb_import_get_content(import)->meshes[0].vertices[i].position, expected + (size_t)i * 3, 3);
    }
    lmb_import_destroy(import);
    free(strided);
    free(text);
}

static void accessors_of_every_component_type(void **state) {
    (void)state;
    const int8_t bytes[9] = {0, 127, -128, 1, 2, 3, -1, -127, 5};
    const uint8_t unsigned_bytes[9] = {0, 255, 51, 1, 2, 3, 4, 5, 6};
    const int16_t shorts[9] = {0, 32767, -32768, 1, 2, 3, -1, -300, 5};
    const uint16_t unsigned_shorts[9] = {0, 65535, 13107, 1, 2, 3, 4, 5, 600};
    const float floats[9] = {0, 1.5f, -3, 1, 2, 3, 4, 5, 6};
    float plain[9];
    float normal[9];
    for (int i = 0; i < 9; i++) {
        plain[i] = bytes[i];
        normal[i] = fmaxf(bytes[i] / 127.0f, -1);
    }
    check_positions(GLTF_INT8, bytes, 4, 3, false, plain);
    check_positions(GLTF_INT8, bytes, 4, 3, true, normal);
    for (int i = 0; i < 9; i++) {
        plain[i] = unsigned_bytes[i];
        normal[i] = unsigned_bytes[i] / 255.0f;
    }
    check_positions(GLTF_UINT8, unsigned_bytes, 8, 3, false, plain);
    check_positions(GLTF_UINT8, unsigned_bytes, 4, 3, true, normal);
    for (int i = 0; i < 9; i++) {
        plain[i] = shorts[i];
        normal[i] = fmaxf(shorts[i] / 32767.0f, -1);
    }
    check_positions(GLTF_INT16, shorts, 8, 6, false, plain);
    check_positions(GLTF_INT16, shorts, 8, 6, true, normal);
    for (int i = 0; i < 9; i++) {
        plain[i] = unsigned_shorts[i];
        normal[i] = unsigned_shorts[i] / 65535.0f;
    }
    check_positions(GLTF_UINT16, unsigned_shorts, 8, 6, false, plain);
    check_positions(GLTF_UINT16, unsigned_shorts, 12, 6, true, normal);
    check_positions(GLTF_FLOAT, floats, 16, 12, false, floats);
}

static void accessor_without_a_view_is_zero(void **state) {
    (void)state;
    gltf_document document = {0};
    gltf_raw_accessor(&document, "{\"componentType\":5126,\"type\":\"VEC3\",\"count\":3}");
    lmb_import *import = load(&document, "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
                                         "\"POSITION\":0}}]}]");
    const lmb_vertex *vertex = &lmb_import_get_content(import)->meshes->vertices[2];
    assert_near(vertex->position, (float[]){0, 0, 0}, 3);
    assert_near(vertex->normal, (float[]){0, 1, 0}, 3); // a unit vector even without an area
    lmb_import_destroy(import);
}

static void fan_becomes_triangles(void **state) {
    (void)state;
    gltf_document document = {0};
    const float square[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    const uint8_t indices[4] = {0, 1, 2, 3};
    gltf_floats(&document, "VEC3", 4, square);
    gltf_floats(&document, "VEC3", 4, (float[12]){0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1});
    gltf_accessor(&document, GLTF_UINT8, "SCALAR", 4, indices, sizeof indices, "");
    lmb_import *import = load(&document, "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"mode\":6,"
                                         "\"indices\":2,\"attributes\":{\"POSITION\":0,\"NORMAL\":1}}]}]");
    const uint32_t expected[6] = {1, 2, 0, 2, 3, 0};
    assert_int_equal(lmb_import_get_content(import)->meshes[0].index_count, 6);
    assert_int_equal(lmb_import_get_content(import)->meshes[0].vertex_count, 4);
    assert_memory_equal(lmb_import_get_content(import)->meshes[0].indices, expected, sizeof expected);
    lmb_import_destroy(import);
}

// Loads the complete document with one text replaced.
static lmb_import *load_changed(const char *old, const char *replacement) {
    gltf_document document;
    char *sections = gltf_complete(&document);
    char *text = gltf_text(&document, sections);
    char *changed = gltf_replace(text, old, replacement);
    lmb_import *import = load_text(changed);
    free(changed);
    free(text);
    free(sections);
    return import;
}

static void further_notes(void **state) {
    (void)state;
    static const struct {
        const char *old;
        const char *replacement;
        const char *note;
    } cases[] = {
        {"\"JOINTS_1\":11", "\"WEIGHTS_2\":12,\"JOINTS_1\":11", "mesh 'Skin': WEIGHTS_2 without JOINTS_2 left out"},
        {"\"JOINTS_1\":11", "\"JOINTS_2\":11,\"JOINTS_1\":11", "mesh 'Skin': JOINTS_2 without WEIGHTS_2 left out"},
        {"\"source\":1", "\"sampler\":0", "textures[0] has no PNG or JPEG image: left out"},
        {"\"bufferView\":17}]", "\"view\":17}]", "image 'Fur' left out: images[1] has neither uri nor bufferView"},
        {"\"mimeType\":\"image/png\",\"bufferView\":17", "\"uri\":\"file:///etc/passwd\"",
         "image 'Fur' left out: test.gltf: images[1].uri: a URI with the scheme 'file'"},
        {"\"mimeType\":\"image/png\",\"bufferView\":17", "\"uri\":\"data:image/png,1234\"",
         "image 'Fur' left out: test.gltf: images[1].uri: a data URI that is not base64"},
        {"\"bufferView\":17}]", "\"bufferView\":16}]", "image 'Fur' is neither PNG nor JPEG: left out"},
        {"{\"node\":2,\"path\":\"scale\"}", "{\"path\":\"pointer\"}",
         "animation 'Walk': pointers that lead to no number of the file skipped: ''"},
        {"{\"node\":2,\"path\":\"scale\"}", "{\"path\":\"scale\"}",
         "animation 'Walk': tracks of nodes outside the rig skipped: scale of no node, translation of node 'Camera'"},
        {"\"attributes\":{\"POSITION\":14},\"mode\":1", "\"attributes\":{\"COLOR_0\":14}",
         "meshes[1].primitives[1] has no POSITION: left out"},
        {"\"WEIGHTS_0\":10,\"JOINTS_1\":11,\"WEIGHTS_1\":12", "\"WEIGHTS_0\":18",
         "mesh 'Skin': 4 vertices without weights hang on the skin's first joint"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gltf_document document;
        char *sections = gltf_complete(&document);
        gltf_raw_accessor(&document, "{\"componentType\":5126,\"type\":\"VEC4\",\"count\":4},"
                                     "{\"componentType\":5126,\"type\":\"VEC4\",\"count\":4},"
                                     "{\"componentType\":5126,\"type\":\"VEC4\",\"count\":4}");
        char *changed = gltf_replace(sections, cases[i].old, cases[i].replacement);
        lmb_import *import = load(&document, changed);
        if (!has_note(import, cases[i].note)) {
            fail_msg("no note '%s'", cases[i].note);
        }
        lmb_import_destroy(import);
        free(changed);
        free(sections);
    }
}

// What glTF forbids, but leaves no doubt of what is meant, is read: the rest of the file is what it is without.
static void flaws_are_read_with_a_note(void **state) {
    (void)state;
    static const struct {
        const char *old;
        const char *replacement;
        const char *note;
    } cases[] = {
        {"\"name\":\"Body\"", "\"name\":\"Body\",\"children\":[]",
         "empty arrays, read as absent ones: nodes[5].children"},
        {"\"name\":\"Body\"", "\"name\":\"Body\",\"translation\":[]",
         "empty arrays, read as absent ones: nodes[5].translation"},
        {"\"extensionsRequired\":[\"KHR_mesh_quantization\"]", "\"extensionsRequired\":[]",
         "empty arrays, read as absent ones: extensionsRequired"},
        {"\"animations\":[", "\"animations\":[{\"name\":\"Nothing\",\"channels\":[],\"samplers\":[]},",
         "animation 'Nothing' has no channels: left out"},
        {"{\"node\":2,\"path\":\"scale\"}", "{\"node\":2,\"path\":\"size\"}",
         "animations[0].channels[2].target.path: 'size' is none of glTF's: channel left out"},
        {"{\"sampler\":1,\"target\"",
         "{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"}},{\"sampler\":1,\"target\"",
         "animation 'Walk': of two channels of one property the later one is used: translation of node 'H"},
        {"\"name\":\"Camera\"", "\"name\":\"Camera\",\"matrix\":[1,0,0,0,0.05,1,0,0,0,0,1,0,1,2,3,1]",
         "sheared matrices, whose shear only meshes have and joints do not: nodes[6].matrix ('Camera')"},
        {"[2,0,0,0,0,0,2,0,0,-2,0,0,1,0,0,1]", "[4,0,0,0,0,0,4,0,0,-4,0,0,2,0,0,2]",
         "matrices that do not end with 1, divided by their last number: nodes[2].matrix ('Knee')"},
        {"[2,0,0,0,0,0,2,0,0,-2,0,0,1,0,0,1]", "[2,0,0,1e-6,0,0,2,0,0,-2,0,0,1,0,0,1]", "translation of node 'Camera'"},
        {"[2,0,0,0,0,0,2,0,0,-2,0,0,1,0,0,1]", "[2,0,0,0,0,0,2,0,0,-2,0,0,1,0,0,1],\"scale\":[1,1,1]",
         "a matrix beside translation, rotation or scale, of which the matrix is used: nodes[2].matrix ('Knee')"},
        {"\"name\":\"Root\"", "\"name\":\"Root\",\"rotation\":[0,0,0,0]",
         "rotations of zero length, read as no rotation: nodes[0].rotation ('Root')"},
        {"{\"bufferView\":0,\"componentType\":5126", "{\"bufferView\":0,\"normalized\":true,\"componentType\":5126",
         "'normalized' of numbers that are not of 8 or 16 bits, ignored: accessors[0].normalized"},
    };
    lmb_import *whole = load_complete();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lmb_import *import = load_changed(cases[i].old, cases[i].replacement);
        if (!has_note(import, cases[i].note)) {
            fail_msg("no note '%s'", cases[i].note);
        }
        assert_int_equal(lmb_import_get_content(import)->mesh_count, lmb_import_get_content(whole)->mesh_count);
        assert_int_equal(lmb_rig_get_def(lmb_import_get_content(import)->rig)->joint_count,
                         lmb_rig_get_def(lmb_import_get_content(whole)->rig)->joint_count);
        for (uint32_t joint = 0; joint < 3; joint++) {
            const lmb_affine expected = rest_model(lmb_import_get_content(whole)->rig, joint);
            const lmb_affine found = rest_model(lmb_import_get_content(import)->rig, joint);
            assert_near(&found.m[0][0], &expected.m[0][0], 12);
        }
        lmb_import_destroy(import);
    }
    lmb_import_destroy(whole);
}

static void required_extensions_that_change_no_motion(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"KHR_texture_basisu", "its images are left out"},
                                           {"EXT_texture_webp", "its images are left out"},
                                           {"KHR_node_visibility", "every node is visible"},
                                           {"KHR_materials_pbrSpecularGlossiness", NULL},
                                           {"KHR_materials_variants", NULL},
                                           {"KHR_technique_webgl", NULL},
                                           {"EXT_lights_image_based", NULL},
                                           {"KHR_xmp_json_ld", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char list[100], note[200];
        snprintf(list, sizeof list, "[\"%s\"]", cases[i][0]);
        snprintf(note, sizeof note, "extension '%s' is required but not read: %s", cases[i][0],
                 cases[i][1] != NULL ? cases[i][1] : "");
        lmb_import *import = load_changed("[\"KHR_mesh_quantization\"]", list);
        assert_int_equal(has_note(import, note), cases[i][1] != NULL);
        lmb_import_destroy(import);
    }
}

// The diffuse colour and image of the extension that preceded metal and roughness.
static void old_materials_have_their_color(void **state) {
    (void)state;
    lmb_import *import =
        load_changed("\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.5,0.25,1,1],\"baseColorTexture\"",
                     "\"extensions\":{\"KHR_materials_pbrSpecularGlossiness\":{\"diffuseFactor\":[0.5,0.25,1,1],"
                     "\"glossinessFactor\":0.25,\"diffuseTexture\":{\"index\":0}}},\"x\":{\"baseColorTexture\"");
    const lmb_mesh *mesh = &lmb_import_get_content(import)->meshes[2];
    assert_near(mesh->base_color, (float[]){0.5f, 0.25f, 1, 1}, 4);
    assert_int_equal(mesh->image, 0);
    assert_float_equal(mesh->roughness, 0.75f, 1e-6f);
    assert_float_equal(mesh->metallic, 0, 0);
    lmb_import_destroy(import);
}

// Data that is not aligned, that has indices to spare, or that has no element.
static void data_that_is_odd_is_read(void **state) {
    (void)state;
    static const float square[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    static const uint8_t indices[5] = {0, 1, 2, 3, 0};
    uint8_t shifted[1 + sizeof square];
    memcpy(shifted + 1, square, sizeof square);
    gltf_document document = {0};
    gltf_view(&document, shifted, sizeof shifted);
    gltf_raw_accessor(&document,
                      "{\"bufferView\":0,\"byteOffset\":1,\"componentType\":5126,\"type\":\"VEC3\",\"count\":4}");
    gltf_accessor(&document, GLTF_UINT8, "SCALAR", 5, indices, sizeof indices, "");
    gltf_raw_accessor(&document, "{\"componentType\":5126,\"type\":\"SCALAR\",\"count\":0}");
    gltf_raw_accessor(&document, "{\"componentType\":5126,\"type\":\"VEC3\",\"count\":0}");
    gltf_raw_accessor(&document, "{\"componentType\":5123,\"type\":\"SCALAR\",\"count\":0}");
    lmb_import *import =
        load(&document, "\"nodes\":[{\"name\":\"a\",\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
                        "\"POSITION\":0},\"indices\":1},{\"attributes\":{\"POSITION\":3}},{\"attributes\":{"
                        "\"POSITION\":0},\"indices\":4,\"mode\":5}]}],"
                        "\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}}],"
                        "\"samplers\":[{\"input\":2,\"output\":3}]}]");
    assert_int_equal(lmb_import_get_content(import)->mesh_count, 1);
    assert_int_equal(lmb_import_get_content(import)->meshes[0].index_count, 3);
    assert_near(lmb_import_get_content(import)->meshes[0].vertices[2].position, (float[]){1, 1, 0}, 3);
    assert_true(has_note(import, "data that is not aligned, read as it is: accessors[0]"));
    assert_true(has_note(import, "data without a byte or an element, read as such: accessors[2].count"));
    assert_true(has_note(import, "indices that make no whole triangle, left out: meshes[0].primitives[0].indices"));
    assert_true(has_note(import, "meshes[0].primitives[1] has no triangle: left out"));
    assert_true(has_note(import, "meshes[0].primitives[2] has no triangle: left out"));
    assert_true(has_note(import, "animation 'animation_0': channels without keys left out: scale of node 'a'"));
    lmb_import_destroy(import);
}

// Bytes behind a binary file, and a chunk whose length is no multiple of 4.
static void containers_of_odd_lengths(void **state) {
    (void)state;
    static const char json[] = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"a\"}]}";
    uint8_t file[200] = "glTF\2\0\0\0\0\0\0\0\0\0\0\0JSON";
    const size_t size = sizeof json - 1;
    file[12] = (uint8_t)size;
    file[8] = (uint8_t)(20 + size);
    memcpy(file + 20, json, size);
    assert_true(size % 4 != 0);
    lmb_import *import = load_from(file, 20 + size + 3, NULL);
    assert_true(has_note(import, "bytes behind the end of the GLB, GLB chunk 0"));
    lmb_import_destroy(import);
}

// The shear of a node's matrix is in its mesh; its joint has none.
static void shear_moves_into_meshes(void **state) {
    (void)state;
    static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 2, 0};
    static const struct {
        const char *matrix;
        float expected[9]; // of the corners
        bool mirrors;      // exchanges the corners of the triangle
    } cases[] = {{"[1,0,0,0,0.5,1,0,0,0,0,2,0,1,2,3,1]", {1, 2, 3, 2, 2, 3, 2, 4, 3}, false},
                 {"[1,0,0,0,0.5,-1,0,0,0,0,2,0,1,2,3,1]", {1, 2, 3, 2, 2, 3, 2, 0, 3}, true},
                 {"[0,1,0,0,0,1,0,0,0,0,2,0,1,2,3,1]", {1, 2, 3, 1, 3, 3, 1, 4, 3}, false},
                 {"[1,0,0,0,1,0,0,0,1,0,0,0,1,2,3,1]", {1, 2, 3, 2, 2, 3, 3, 2, 3}, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gltf_document document = {0};
        gltf_floats(&document, "VEC3", 3, triangle);
        char sections[512];
        snprintf(sections, sizeof sections,
                 "\"nodes\":[{\"name\":\"a\",\"children\":[1]},{\"name\":\"prop\",\"mesh\":0,\"matrix\":%s}],"
                 "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]",
                 cases[i].matrix);
        lmb_import *import = load(&document, sections);
        const lmb_mesh *mesh = lmb_import_get_content(import)->meshes;
        assert_int_equal(lmb_import_get_content(import)->mesh_count, 1);
        assert_true(has_note(import, "nodes[1].matrix ('prop')"));
        for (uint32_t k = 0; k < 3; k++) {
            float position[3];
            skin_at_rest(lmb_import_get_content(import)->rig,
                         &mesh->vertices[mesh->indices[cases[i].mirrors && k > 0 ? 3 - k : k]], position);
            assert_near(position, cases[i].expected + (size_t)k * 3, 3);
        }
        lmb_import_destroy(import);
    }
}

// Of several keys at one time the last one counts, in tracks of every kind; an animation begins at 0.
static void keys_at_one_time_and_before_0(void **state) {
    (void)state;
    static const float times[6] = {-0.5f, -0.5f, 0.5f, 1.5f, 1.5f, 1.5f};
    static const float moves[18] = {9, 9, 9, 1, 2, 3, 3, 4, 5, 8, 8, 8, 9, 9, 9, 5, 6, 7};
    static const float later[2] = {0, 2}, scales[6] = {1, 1, 1, 3, 3, 3};
    float spline[54] = {0}; // in-tangent, value and out-tangent of each key; the curve is a line
    for (int key = 0; key < 6; key++) {
        for (int axis = 0; axis < 3; axis++) {
            spline[key * 9 + axis] = spline[key * 9 + 6 + axis] = 2;
            spline[key * 9 + 3 + axis] = moves[key * 3 + axis];
        }
    }
    gltf_document document = {0};
    gltf_floats(&document, "SCALAR", 6, times);
    gltf_floats(&document, "VEC3", 6, moves);
    gltf_floats(&document, "SCALAR", 2, later);
    gltf_floats(&document, "VEC3", 2, scales);
    gltf_floats(&document, "VEC3", 18, spline);
    lmb_import *import =
        load(&document, "\"nodes\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"animations\":[{\"name\":\"c\",\"channels\":["
                        "{\"sampler\":1,\"target\":{\"node\":0,\"path\":\"scale\"}},"
                        "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}},"
                        "{\"sampler\":2,\"target\":{\"node\":1,\"path\":\"translation\"}}],"
                        "\"samplers\":[{\"input\":0,\"output\":1},{\"input\":2,\"output\":3},"
                        "{\"input\":0,\"output\":4,\"interpolation\":\"CUBICSPLINE\"}]}]");
    assert_float_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->duration, 2.5f, 0);
    assert_int_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->key_count, 8);
    static const float at[] = {0, 0.5f, 1, 1.5f, 2, 2.5f};
    static const float x[] = {1, 2, 3, 4, 5, 5};
    static const float scale[] = {1, 1, 1.5f, 2, 2.5f, 3};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        const lmb_transform a = sample(import, 0, 0, at[i]), b = sample(import, 0, 1, at[i]);
        assert_near(a.translation, (float[]){x[i], x[i] + 1, x[i] + 2}, 3);
        assert_near(b.translation, (float[]){x[i], x[i] + 1, x[i] + 2}, 3);
        assert_near(a.scale, (float[]){scale[i], scale[i], scale[i]}, 3);
    }
    assert_true(has_note(import, "animation 'c' begins at -0.5 s (translation of node 'a'): its keys were moved to 0"));
    assert_true(has_note(import, "animation 'c': of several keys at one time the last one is used: translation of node "
                                 "'a' (3 of 6), translation of node 'b' (3 of 6)"));
    lmb_import_destroy(import);
}

// A texture that cannot be read is left out. The rest of the file is what it is with the texture.
static void missing_images_are_left_out(void **state) {
    (void)state;
    gltf_document document;
    char *sections = gltf_complete(&document);
    char *text = gltf_text(&document, sections);
    char *changed = gltf_replace(text, "\"textures\":[{\"source\":1}]", "\"textures\":[{\"source\":0}]");
    static const char *const directories[] = {NULL, "."};
    static const char *const notes[] = {
        "image 'image_0' left out: memory: images[0].uri: the file 'unused.png' is needed, but there is no folder",
        "image 'image_0' left out: memory: images[0].uri: 'unused.png' cannot be opened"};
    for (int i = 0; i < 2; i++) {
        lmb_import *import = NULL;
        lmb_error error = {0};
        if (lmb_import_memory(changed, strlen(changed), NULL, directories[i], NULL, &import, &error) != LMB_OK) {
            fail_msg("%s", error.message);
        }
        assert_int_equal(error.result, LMB_OK); // written only on failure
        if (!has_note(import, notes[i])) {
            fail_msg("no note '%s'", notes[i]);
        }
        assert_int_equal(lmb_import_get_content(import)->image_count, 0);
        assert_int_equal(lmb_import_get_content(import)->meshes[0].image, LMB_NONE);
        lmb_import *whole = load_text(text);
        assert_int_equal(lmb_import_get_content(import)->mesh_count, lmb_import_get_content(whole)->mesh_count);
        assert_int_equal(lmb_import_get_content(import)->clip_count, lmb_import_get_content(whole)->clip_count);
        lmb_import_destroy(whole);
        lmb_import_destroy(import);
    }
    free(changed);
    free(text);
    free(sections);
}

// A bind matrix of zeros has no inverse, so a mesh attached to its joint cannot be shown. The skin's own mesh can.
static void mesh_on_a_joint_without_inverse_has_one_of_its_own(void **state) {
    (void)state;
    gltf_document document = {0};
    gltf_floats(&document, "MAT4", 1, (float[16]){[15] = 1});
    gltf_floats(&document, "VEC3", 3, (float[9]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    lmb_import *import = load(&document, "\"nodes\":[{\"mesh\":0,\"translation\":[0,2,0]}],\"skins\":[{\"joints\":[0],"
                                         "\"inverseBindMatrices\":0}],\"meshes\":[{\"primitives\":[{"
                                         "\"attributes\":{\"POSITION\":1}}]}]");
    const lmb_rig *rig = lmb_import_get_content(import)->rig;
    float skinned[3];
    assert_int_equal(lmb_rig_get_def(rig)->joint_count, 2);
    assert_string_equal(lmb_rig_get_def(rig)->joints[1].name, "node_0 (mesh)");
    assert_int_equal(lmb_import_get_content(import)->mesh_count, 1);
    assert_int_equal(lmb_import_get_content(import)->note_count, 0);
    skin_at_rest(rig, &lmb_import_get_content(import)->meshes->vertices[2], skinned);
    assert_near(skinned, (float[]){0, 3, 0}, 3);
    lmb_import_destroy(import);
}

// An image that two materials share is stored once. Materials without an image differ only in colour.
static void images_are_kept_once(void **state) {
    (void)state;
    lmb_import *import = load_changed("{\"attributes\":{\"POSITION\":14},\"mode\":1}",
                                      "{\"attributes\":{\"POSITION\":14},\"mode\":5,\"material\":0}");
    assert_int_equal(lmb_import_get_content(import)->mesh_count, 5);
    assert_int_equal(lmb_import_get_content(import)->image_count, 1);
    assert_int_equal(lmb_import_get_content(import)->meshes[1].image, 0);
    lmb_import_destroy(import);
}

static void caller_rounding_changes_nothing(void **state) {
    (void)state;
    gltf_document document;
    char *sections = gltf_complete(&document);
    char *text = gltf_text(&document, sections);
    char *changed =
        gltf_replace(text, "\"translation\":[0,1,0]", "\"translation\":[0.1,1.00000001,3.3333333333333333]");
    lmb_import *near_even = load_text(changed);
    assert_int_equal(fesetround(FE_UPWARD), 0);
    lmb_import *upward = load_text(changed);
    int rounding = fegetround();
    fesetround(FE_TONEAREST);
    assert_int_equal(rounding, FE_UPWARD);
    for (uint32_t joint = 0; joint < 3; joint++) {
        lmb_transform a = lmb_rig_get_def(lmb_import_get_content(near_even)->rig)->joints[joint].rest;
        lmb_transform b = lmb_rig_get_def(lmb_import_get_content(upward)->rig)->joints[joint].rest;
        assert_memory_equal(&a, &b, sizeof a);
    }
    for (uint32_t i = 0; i < lmb_import_get_content(near_even)->mesh_count; i++) {
        const lmb_mesh *mesh = &lmb_import_get_content(near_even)->meshes[i];
        assert_memory_equal(mesh->vertices, lmb_import_get_content(upward)->meshes[i].vertices,
                            mesh->vertex_count * sizeof(lmb_vertex));
    }
    lmb_import_destroy(near_even);
    lmb_import_destroy(upward);
    free(changed);
    free(text);
    free(sections);
}

static void texture_transform_moves_texcoords(void **state) {
    (void)state;
    gltf_document document = {0};
    gltf_floats(&document, "VEC3", 3, (float[9]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    gltf_floats(&document, "VEC2", 3, (float[6]){0, 0, 1, 0, 0, 1});
    const char jpeg[4] = "\xFF\xD8\xFF\xE0";
    gltf_view(&document, jpeg, sizeof jpeg);
    lmb_import *import = load(
        &document,
        "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"material\":0,\"attributes\":{\"POSITION\":0,"
        "\"TEXCOORD_1\":1}}]}],\"images\":[{\"bufferView\":2,\"mimeType\":\"image/"
        "jpeg\"}],\"textures\":[{\"source\":0}],"
        "\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0,\"extensions\":{"
        "\"KHR_texture_transform\":{\"texCoord\":1,\"offset\":[0.5,1],\"scale\":[2,3],\"rotation\":1.5707963267948966}"
        "}}}}],\"extensionsRequired\":[\"KHR_texture_transform\"]");
    const lmb_mesh *mesh = lmb_import_get_content(import)->meshes;
    assert_near(mesh->vertices[0].texcoord, (float[]){0.5f, 1}, 2);
    assert_near(mesh->vertices[1].texcoord, (float[]){0.5f, -1}, 2);
    assert_near(mesh->vertices[2].texcoord, (float[]){3.5f, 1}, 2);
    assert_string_equal(lmb_import_get_content(import)->images[0].name, "image_0");
    lmb_import_destroy(import);
}

static void expect_factors(const lmb_mesh *mesh, const float expected[3]) {
    assert_near((float[]){mesh->metallic, mesh->roughness, mesh->normal_scale}, expected, 3);
}

// All textures of a material use the coordinates of the first one. The third material has none, and glTF's defaults.
static void materials_have_three_textures(void **state) {
    (void)state;
    gltf_document document = {0};
    gltf_floats(&document, "VEC3", 3, (float[9]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    const char *const png = "\x89PNG\r\n\x1A\n";
    gltf_view(&document, png, 8);
    lmb_import *import =
        load(&document,
             "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"material\":0,\"attributes\":{\"POSITION\":0}},"
             "{\"material\":1,\"attributes\":{\"POSITION\":0}},{\"material\":2,\"attributes\":{\"POSITION\":0}}]}],"
             "\"images\":[{\"name\":\"color\",\"bufferView\":1,\"mimeType\":\"image/png\"},"
             "{\"name\":\"normals\",\"bufferView\":1,\"mimeType\":\"image/png\"},"
             "{\"name\":\"metal\",\"bufferView\":1,\"mimeType\":\"image/png\"}],"
             "\"textures\":[{\"source\":0},{\"source\":1},{\"source\":2}],\"materials\":[{\"name\":\"armour\","
             "\"normalTexture\":{\"index\":1,\"scale\":0.5},\"pbrMetallicRoughness\":{\"metallicFactor\":0.25,"
             "\"roughnessFactor\":0.75,\"baseColorTexture\":{\"index\":0},\"metallicRoughnessTexture\":{\"index\":2}}},"
             "{\"normalTexture\":{\"index\":1},\"pbrMetallicRoughness\":{\"metallicRoughnessTexture\":{\"index\":2,"
             "\"texCoord\":1}}},{}]");
    const lmb_mesh *mesh = lmb_import_get_content(import)->meshes;
    assert_string_equal(mesh->material, "armour");
    assert_string_equal(lmb_import_get_content(import)->images[mesh->image].name, "color");
    assert_string_equal(lmb_import_get_content(import)->images[mesh->metallic_roughness_image].name, "metal");
    assert_string_equal(lmb_import_get_content(import)->images[mesh->normal_image].name, "normals");
    expect_factors(mesh, (float[]){0.25f, 0.75f, 0.5f});
    mesh = &lmb_import_get_content(import)->meshes[1];
    assert_int_equal(mesh->image, LMB_NONE);
    assert_string_equal(lmb_import_get_content(import)->images[mesh->metallic_roughness_image].name, "metal");
    assert_int_equal(mesh->normal_image, LMB_NONE);
    assert_true(
        has_note(import, "materials[1].normalTexture uses other coordinates than the material's first texture"));
    mesh = &lmb_import_get_content(import)->meshes[2];
    assert_string_equal(mesh->material, "");
    expect_factors(mesh, (float[]){1, 1, 1});
    assert_int_equal(lmb_import_get_content(import)->image_count, 3);
    lmb_import_destroy(import);
}

static void names_are_decoded(void **state) {
    (void)state;
    gltf_document document = {0};
    lmb_import *import = load(&document, "\"nodes\":[{\"n\\u0061me\":\"a\\\"\\\\\\/\\n\\u20AC\\uD83D\\uDE00\"}]");
    assert_string_equal(lmb_rig_get_def(lmb_import_get_content(import)->rig)->joints[0].name,
                        "a\"\\/\n\xE2\x82\xAC\xF0\x9F\x98\x80");
    lmb_import_destroy(import);
}

static void same_document_as_glb(void **state) {
    (void)state;
    gltf_document document;
    char *sections = gltf_complete(&document);
    size_t size;
    uint8_t *bytes = gltf_binary(&document, sections, &size);
    lmb_import *text = load(&document, sections);
    // The caller's bytes need not be aligned.
    uint8_t *unaligned = malloc(size + 1);
    memcpy(unaligned + 1, bytes, size);
    lmb_import *binary = load_from(unaligned + 1, size, NULL);
    free(unaligned);
    assert_int_equal(lmb_import_get_content(binary)->mesh_count, lmb_import_get_content(text)->mesh_count);
    for (uint32_t i = 0; i < lmb_import_get_content(text)->mesh_count; i++) {
        const lmb_mesh *a = &lmb_import_get_content(text)->meshes[i];
        const lmb_mesh *b = &lmb_import_get_content(binary)->meshes[i];
        assert_int_equal(a->vertex_count, b->vertex_count);
        assert_memory_equal(a->vertices, b->vertices, a->vertex_count * sizeof(lmb_vertex));
    }
    size_t text_size;
    size_t binary_size;
    const void *text_block = lmb_clip_block(lmb_import_get_content(text)->clips[0], &text_size);
    const void *binary_block = lmb_clip_block(lmb_import_get_content(binary)->clips[0], &binary_size);
    assert_int_equal(text_size, binary_size);
    assert_memory_equal(text_block, binary_block, text_size);
    lmb_import_destroy(text);
    lmb_import_destroy(binary);
    free(bytes);
    free(sections);
}

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void files_beside_it_are_found(void **state) {
    (void)state;
    const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 7};
    static const char text[] =
        "\xEF\xBB\xBF{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"x/.././"
        "import%20test%2Ebin\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
        "\"type\":\"VEC3\",\"count\":3}],\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
        "\"POSITION\":0}}]}]}";
    write_file("import test.bin", triangle, sizeof triangle);
    write_file("import_test.gltf", text, sizeof text - 1);
    lmb_import *import = NULL;
    lmb_error error;
    static const char *const paths[] = {"import_test.gltf", "./import_test.gltf"};
    for (size_t i = 0; i < 2; i++) {
        if (lmb_import_file(paths[i], NULL, &import, &error) != LMB_OK) {
            fail_msg("%s", error.message);
        }
        assert_near(lmb_import_get_content(import)->meshes[0].vertices[2].position, triangle + 6, 3);
        lmb_import_destroy(import);
    }
    import = load_from(text, sizeof text - 1, ".");
    lmb_import_destroy(import);
    import = load_from(text, sizeof text - 1, "");
    lmb_import_destroy(import);
    remove("import_test.gltf");
    remove("import test.bin");
    assert_int_equal(lmb_import_memory(text, sizeof text - 1, "moved", ".", NULL, &import, &error), LMB_ERROR_FILE);
    assert_non_null(strstr(error.message, "buffers[0].uri: 'import test.bin' cannot be opened"));
    assert_int_equal(lmb_import_memory(text, sizeof text - 1, "moved", NULL, NULL, &import, &error), LMB_ERROR_FILE);
    assert_non_null(strstr(error.message, "there is no folder"));
    assert_int_equal(lmb_import_file("import_test.gltf", NULL, &import, &error), LMB_ERROR_FILE);
    assert_non_null(strstr(error.message, "import_test.gltf: cannot be opened"));
    assert_int_equal(lmb_import_file(".", NULL, &import, &error), LMB_ERROR_FILE);
}

// A name that leads out of the folder through a link, or to something other than a regular file, is refused
// immediately. Each name is used as the buffer's URI.
static void files_beside_it_are_regular_ones(void **state) {
    (void)state;
    static const char form[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"%s\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
        "\"type\":\"VEC3\",\"count\":3}],\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
        "\"POSITION\":0}}]}]}";
    static const struct {
        const char *uri;
        const char *message; // NULL if it is read
    } rows[] = {
        {"inner/real.bin", NULL},
#ifndef _WIN32
        {"link.bin", "cannot be opened: it is a link, or below one"},
        {"linked/real.bin", "is a link"},
        {"pipe", "cannot be opened: it is a pipe, not a file"},
#endif
        {"inner", "cannot be opened: it is a folder"},
        {"inner/none.bin", "cannot be opened"},
        {"inner/real.bin/x", "cannot be opened"},
    };
    const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 7};
    char folder[FOLDER_PATH], path[FOLDER_PATH + 20], text[1000];
    assert_true(folder_create_temporary(folder));
    snprintf(path, sizeof path, "%s/inner", folder);
    assert_true(folder_create(path));
    snprintf(path, sizeof path, "%s/inner/real.bin", folder);
    write_file(path, triangle, sizeof triangle);
#ifndef _WIN32
    snprintf(path, sizeof path, "%s/link.bin", folder);
    assert_int_equal(symlink("inner/real.bin", path), 0);
    snprintf(path, sizeof path, "%s/linked", folder);
    assert_int_equal(symlink("inner", path), 0);
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    alarm(60); // nothing writes into the pipe
#endif
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lmb_import *import = NULL;
        lmb_error error = {0};
        const int size = snprintf(text, sizeof text, form, rows[i].uri);
        const lmb_result result = lmb_import_memory(text, (size_t)size, "beside", folder, NULL, &import, &error);
        assert_int_equal(result, rows[i].message == NULL ? LMB_OK : LMB_ERROR_FILE);
        if (rows[i].message != NULL && strstr(error.message, rows[i].message) == NULL) {
            fail_msg("%s: '%s' does not say '%s'", rows[i].uri, error.message, rows[i].message);
        }
        lmb_import_destroy(import);
    }
    static const char *const made[] = {
#ifndef _WIN32
        "pipe", "linked", "link.bin",
#endif
        "inner/real.bin"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        assert_int_equal(remove(path), 0);
    }
    snprintf(path, sizeof path, "%s/inner", folder);
    assert_true(folder_remove(path));
    assert_true(folder_remove(folder));
#ifndef _WIN32
    alarm(0);
#endif
}

typedef struct log_count {
    uint32_t warnings;
} log_count;

static void count_warning(void *user, lmb_log_level level, const char *message) {
    log_count *count = user;
    assert_null(strchr(message, '\n'));
    assert_non_null(strstr(message, "file\?name: "));
    count->warnings += level == LMB_LOG_WARNING;
}

static void notes_are_logged(void **state) {
    (void)state;
    gltf_document document;
    char *sections = gltf_complete(&document);
    char *renamed = gltf_replace(sections, "\"Walk\"", "\"Wa\\nlk\"");
    char *text = gltf_text(&document, renamed);
    log_count count = {0};
    lmb_host host = {.log = count_warning, .user = &count};
    lmb_import *import = NULL;
    assert_int_equal(lmb_import_memory(text, strlen(text), "file\?name", NULL, &host, &import, NULL), LMB_OK);
    assert_int_equal(count.warnings, lmb_import_get_content(import)->note_count);
    assert_true(count.warnings > 3);
    assert_true(
        has_note(import, "animation 'Wa?lk': tracks of nodes outside the rig skipped: translation of node 'Camera'"));
    lmb_import_destroy(import);
    free(text);
    free(renamed);
    free(sections);
}

// 60,000 nodes, each below the previous one, each with a name and a channel: nothing may take quadratic time.
static void many_nodes_take_linear_time(void **state) {
    (void)state;
    enum { NODES = 60000 };
    size_t room = (size_t)NODES * 160 + 4096;
    char *text = malloc(room);
    assert_non_null(text);
    size_t at =
        (size_t)snprintf(text, room,
                         "{\"asset\":{\"version\":\"2.0\"},\"accessors\":[{\"componentType\":5126,\"count\":1,"
                         "\"type\":\"SCALAR\"},{\"componentType\":5126,\"count\":1,\"type\":\"VEC3\"}],\"nodes\":[");
    for (int i = 0; i < NODES; i++) {
        at += (size_t)snprintf(text + at, room - at,
                               i + 1 < NODES ? "{\"name\":\"joint %d\",\"children\":[%d]}," : "{}", i, i + 1);
    }
    at += (size_t)snprintf(text + at, room - at,
                           "],\"animations\":[{\"samplers\":[{\"input\":0,\"output\":1}],\"channels\":[");
    for (int i = 0; i < NODES; i++) {
        at += (size_t)snprintf(text + at, room - at,
                               "%s{\"sampler\":0,\"target\":{\"node\":%d,\"path\":\"translation\"}}", i > 0 ? "," : "",
                               i);
    }
    snprintf(text + at, room - at, "]}]}");
    lmb_import *import = load_text(text);
    assert_int_equal(lmb_rig_get_def(lmb_import_get_content(import)->rig)->joint_count, NODES);
    assert_int_equal(lmb_rig_depth(lmb_import_get_content(import)->rig), NODES);
    assert_int_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->track_count, NODES);
    lmb_import_destroy(import);
    free(text);
}

static lmb_import *load_asset(const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", LIMBER_ASSETS, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        print_message("%s is missing\n", path);
        return NULL;
    }
    fclose(file);
    lmb_import *import = NULL;
    lmb_error error;
    if (lmb_import_file(path, NULL, &import, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return import;
}

static void check_meshes(const lmb_import *import) {
    const lmb_import_content *content = lmb_import_get_content(import);
    const lmb_rig *rig = content->rig;
    for (uint32_t m = 0; m < content->mesh_count; m++) {
        const lmb_mesh *mesh = &content->meshes[m];
        for (uint32_t i = 0; i < mesh->vertex_count; i++) {
            const lmb_vertex *vertex = &mesh->vertices[i];
            double sum = 0;
            for (uint32_t k = 0; k < LMB_MAX_INFLUENCES; k++) {
                sum += (double)vertex->weights[k];
                assert_true(vertex->joints[k] < lmb_rig_get_def(rig)->joint_count);
            }
            const float *n = vertex->normal;
            assert_true(fabs(sum - 1) < 1e-6);
            assert_true(fabsf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-5f);
        }
        for (uint32_t i = 0; i < mesh->index_count; i++) {
            assert_true(mesh->indices[i] < mesh->vertex_count);
        }
    }
}

static void fox(void **state) {
    (void)state;
    lmb_import *import = load_asset("Fox.glb");
    if (import == NULL) {
        skip();
    }
    const lmb_rig *rig = lmb_import_get_content(import)->rig;
    assert_int_equal(lmb_rig_get_def(rig)->joint_count, 25);
    assert_string_equal(lmb_rig_get_def(rig)->joints[0].name, "root");
    assert_string_equal(lmb_rig_get_def(rig)->joints[1].name, "_rootJoint");
    assert_int_not_equal(lmb_rig_find_joint(rig, "b_Head_05"), LMB_NONE);
    assert_int_equal(lmb_import_get_content(import)->clip_count, 3);
    const char *names[] = {"Survey", "Walk", "Run"};
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[i])->name, names[i]);
    }
    assert_float_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[1])->duration, 0.7083333f, 1e-5f);
    assert_int_equal(lmb_import_get_content(import)->mesh_count, 1);
    assert_int_equal(lmb_import_get_content(import)->meshes[0].index_count, 1728);
    assert_int_equal(lmb_import_get_content(import)->meshes[0].image, 0);
    assert_memory_equal(lmb_import_get_content(import)->images[0].bytes, "\x89PNG", 4);
    assert_int_equal(lmb_import_get_content(import)->note_count, 0);
    check_meshes(import);
    lmb_import_destroy(import);
}

static void cesium_man(void **state) {
    (void)state;
    lmb_import *import = load_asset("cesium_man.gltf");
    if (import == NULL) {
        skip();
    }
    const lmb_rig *rig = lmb_import_get_content(import)->rig;
    assert_int_equal(lmb_rig_get_def(rig)->joint_count, 21); // 19 of the skin, and 2 ancestors
    assert_string_equal(lmb_rig_get_def(rig)->joints[0].name, "node_0");
    assert_int_equal(lmb_import_get_content(import)->clip_count, 1);
    assert_string_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->name, "animation_0");
    assert_float_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->duration, 2, 1e-5f);
    assert_int_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->track_count,
                     38); // scales keep the rest pose
    // Z is up in the file, and its root corrects that: the standing man is taller than wide or deep.
    float low[3] = {1e9f, 1e9f, 1e9f};
    float high[3] = {-1e9f, -1e9f, -1e9f};
    const lmb_mesh *mesh = lmb_import_get_content(import)->meshes;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        float point[3];
        skin_at_rest(rig, &mesh->vertices[i], point);
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = fminf(low[axis], point[axis]);
            high[axis] = fmaxf(high[axis], point[axis]);
        }
    }
    assert_true(high[1] - low[1] > 1.4f && high[1] - low[1] < 1.7f);
    assert_true(fabsf(low[1]) < 0.1f);
    check_meshes(import);
    lmb_import_destroy(import);
}

// A face of two triangles below a turned, scaled and moved node. The first target moves three vertices, the second one
// is sparse and moves one, the third one is all zeros and moves none.
enum { FACE_VERTICES = 4 };
static const float face_positions[12] = {0, 0, 0, 1, 0, 0.25f, 1, 1, 0, 0, 1, 0.5f};
static const float face_normals[12] = {0, 0, 1, 0, 0.6f, 0.8f, 0.6f, 0, 0.8f, 0, 0, 1};
static const float face_moves[2][12] = {{0, 0, 0, 0.5f, 0, 0, 0, -0.25f, 1, 0.1f, 0.2f, 0.3f},
                                        {[6] = 0.5f, [7] = 0.75f, [8] = -1}};
static const float face_turns[12] = {0, 0, 0, 0.1f, 0.2f, -0.3f, 0, 0, 0, 0.5f, 0, 0};

static const float face_tangents[16] = {1, 0, 0, 1, 0, 0.8f, -0.6f, -1, 0, 1, 0, 1, 0.6f, 0.8f, 0, 1};
static const uint8_t face_colors[12] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 51, 102, 204};

typedef enum face_kind { FACE_FLAT, FACE_SMOOTH, FACE_MIRRORED, FACE_KINDS } face_kind;

// `displaced`: the attributes are those of the first target at weight 1, and there are no targets.
static char *face_text(face_kind kind, bool displaced) {
    gltf_document document = {0};
    float positions[12], normals[12], tangents[16];
    memcpy(tangents, face_tangents, sizeof tangents);
    for (int i = 0; i < 12; i++) {
        positions[i] = face_positions[i] + (displaced ? face_moves[0][i] : 0.0f);
        normals[i] = face_normals[i] + (displaced ? face_turns[i] : 0.0f);
        tangents[i / 3 * 4 + i % 3] += displaced ? face_moves[0][i] : 0.0f;
    }
    gltf_floats(&document, "VEC3", FACE_VERTICES, positions);
    gltf_floats(&document, "VEC3", FACE_VERTICES, normals);
    gltf_floats(&document, "VEC3", FACE_VERTICES, face_moves[0]);
    gltf_floats(&document, "VEC3", FACE_VERTICES, face_turns);
    const uint16_t indices[6] = {0, 1, 2, 0, 2, 3}, sparse_index = 2;
    gltf_accessor(&document, GLTF_UINT16, "SCALAR", 6, indices, sizeof indices, "");
    gltf_floats(&document, "VEC4", FACE_VERTICES, tangents);
    const int components = kind == FACE_FLAT ? 4 : 3;
    uint8_t rows[16] = {0};
    for (int i = 0; i < 12; i++) {
        rows[i / 3 * components + i % 3] = face_colors[i];
    }
    const uint32_t color_view = gltf_view(&document, rows, sizeof rows);
    const uint32_t index_view = gltf_view(&document, &sparse_index, sizeof sparse_index);
    const uint32_t value_view = gltf_view(&document, face_moves[1] + 6, 12);
    char json[400];
    snprintf(
        json, sizeof json,
        "{\"bufferView\":%u,\"componentType\":5121,\"normalized\":true,\"type\":\"VEC%d\",\"count\":4},"
        "{\"componentType\":5126,\"type\":\"VEC3\",\"count\":4,\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":%u,"
        "\"componentType\":5123},\"values\":{\"bufferView\":%u}}},"
        "{\"componentType\":5126,\"type\":\"VEC3\",\"count\":4}",
        color_view, components, index_view, value_view);
    gltf_raw_accessor(&document, json);
    char *text = gltf_text(&document, "@");
    char sections[1200];
    const bool smooth = kind != FACE_FLAT;
    snprintf(
        sections, sizeof sections,
        "\"nodes\":[{\"name\":\"Head\",\"children\":[1]},{\"name\":\"Face\",\"mesh\":0,\"rotation\":[0.5,0.5,-0.5,0.5],"
        "\"scale\":[%s2,3,0.5],\"translation\":[1,2,3]}],\"skins\":[{\"joints\":[0]}],"
        "\"meshes\":[{\"name\":\"face\",\"extras\":{\"targetNames\":[\"smile\",\"blink\",\"none\"]},\"primitives\":[{"
        "\"attributes\":{\"POSITION\":0,\"TANGENT\":5,\"COLOR_0\":6%s},\"indices\":4%s%s%s}]}]",
        kind == FACE_MIRRORED ? "-" : "", smooth ? ",\"NORMAL\":1" : "",
        displaced ? "" : ",\"targets\":[{\"POSITION\":2", smooth && !displaced ? ",\"NORMAL\":3,\"TANGENT\":2" : "",
        displaced ? "" : "},{\"POSITION\":7},{\"POSITION\":8}]");
    char *whole = gltf_replace(text, "@", sections);
    free(text);
    return whole;
}

// The vertices with a target at weight 1 are those of a file that has them displaced.
static void expect_displaced(const lmb_mesh *mesh, const lmb_skin_target *target, const lmb_mesh *expected) {
    assert_int_equal(mesh->vertex_count, expected->vertex_count);
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        float position[3], normal[3], tangent[3] = {0}, square = 0.0f, tangent_square = 0.0f;
        if (mesh->tangents != NULL) {
            memcpy(tangent, mesh->tangents + (size_t)i * 4, sizeof tangent);
        }
        memcpy(position, mesh->vertices[i].position, sizeof position);
        memcpy(normal, mesh->vertices[i].normal, sizeof normal);
        for (uint32_t d = 0; d < target->delta_count; d++) {
            for (int axis = 0; axis < 3 && target->deltas[d].vertex == i; axis++) {
                position[axis] += target->deltas[d].position[axis];
                normal[axis] += target->deltas[d].normal[axis];
                tangent[axis] += target->deltas[d].tangent[axis];
            }
        }
        for (int axis = 0; axis < 3; axis++) {
            square += normal[axis] * normal[axis];
            tangent_square += tangent[axis] * tangent[axis];
        }
        for (int axis = 0; axis < 3; axis++) {
            normal[axis] /= sqrtf(square);
            tangent[axis] /= sqrtf(tangent_square);
        }
        assert_near(position, expected->vertices[i].position, 3);
        assert_near(normal, expected->vertices[i].normal, 3);
        assert_true((mesh->tangents == NULL) == (expected->tangents == NULL));
        if (mesh->tangents != NULL) {
            assert_near(tangent, expected->tangents + (size_t)i * 4, 3);
            assert_true(mesh->tangents[(size_t)i * 4 + 3] == expected->tangents[(size_t)i * 4 + 3]);
        }
    }
}

static void morph_targets_displace_vertices(void **state) {
    (void)state;
    for (face_kind kind = FACE_FLAT; kind < FACE_KINDS; kind++) {
        const bool has_normals = kind != FACE_FLAT;
        char *text = face_text(kind, false), *displaced_text = face_text(kind, true);
        lmb_import *import = load_text(text), *displaced = load_text(displaced_text);
        const lmb_mesh *mesh = lmb_import_get_content(import)->meshes;
        assert_int_equal(lmb_import_get_content(import)->note_count, 0);
        assert_int_equal(mesh->vertex_count, has_normals ? 4 : 6);
        assert_int_equal(mesh->target_count, 3);
        assert_int_equal(lmb_import_get_content(displaced)->meshes[0].target_count, 0);
        static const char *const names[] = {"smile", "blink", "none"};
        for (uint32_t i = 0; i < 3; i++) {
            assert_string_equal(mesh->targets[i].name, names[i]);
            assert_int_equal(mesh->targets[i].channel,
                             lmb_rig_find_channel(lmb_import_get_content(import)->rig, names[i]));
        }
        // Flat triangles have a normal each, which moves if any of their corners does.
        assert_int_equal(mesh->targets[0].delta_count, has_normals ? 3 : 6);
        assert_int_equal(mesh->targets[1].delta_count, has_normals ? 1 : 6);
        assert_int_equal(mesh->targets[2].delta_count, 0);
        expect_displaced(mesh, &mesh->targets[0], lmb_import_get_content(displaced)->meshes);
        const lmb_skin_delta *blink = &mesh->targets[1].deltas[has_normals ? 0 : 2];
        assert_int_equal(blink->vertex, 2);
        assert_true((mesh->tangents != NULL) == has_normals); // flat normals have no tangents
        for (uint32_t i = 0; i < mesh->vertex_count; i++) {
            static const uint32_t flat[] = {0, 1, 2, 0, 2, 3};
            const uint32_t from = has_normals ? i : flat[i];
            for (uint32_t axis = 0; axis < 3; axis++) {
                assert_near(mesh->colors + i * 4 + axis, (float[]){(float)face_colors[from * 3 + axis] / 255.0f}, 1);
            }
            assert_true(mesh->colors[i * 4 + 3] == (kind == FACE_FLAT ? 0.0f : 1.0f)); // VEC4, or VEC3
            if (has_normals) {
                const float side = face_tangents[i * 4 + 3] * (kind == FACE_MIRRORED ? -1.0f : 1.0f);
                assert_true(mesh->tangents[i * 4 + 3] == side);
            }
        }
        // The mesh and its targets make an lmb_skin.
        lmb_skin_def def = lmb_default_skin_def();
        const uint32_t stride = sizeof *mesh->vertices;
        def.joint_count = lmb_rig_get_def(lmb_import_get_content(import)->rig)->joint_count;
        def.vertex_count = mesh->vertex_count;
        def.positions = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, mesh->vertices->position, stride};
        def.normals = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, mesh->vertices->normal, stride};
        def.joints = (lmb_skin_attribute){LMB_SKIN_FORMAT_UINT32, mesh->vertices->joints, stride};
        def.weights = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, mesh->vertices->weights, stride};
        def.targets = mesh->targets;
        def.target_count = mesh->target_count;
        def.channel_count = lmb_rig_get_def(lmb_import_get_content(import)->rig)->channel_count;
        lmb_skin *skin = NULL;
        lmb_error error;
        if (lmb_skin_create(&def, NULL, &skin, &error) != LMB_OK) {
            fail_msg("%s", error.message);
        }
        assert_true(lmb_skin_get_info(skin)->has_targets);
        lmb_skin_destroy(skin);
        lmb_import_destroy(displaced);
        lmb_import_destroy(import);
        free(displaced_text);
        free(text);
    }
}

static void malformed_morph_targets_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *old, *replacement, *part;
    } rows[] = {
        {"{\"POSITION\":7}", "{\"POSITION\":4}", "targets[1].POSITION: accessor 4 has a type that it may not have"},
        {"{\"POSITION\":7}", "{\"POSITION\":9}", "targets[1].POSITION: 9 is no index"},
        {"{\"POSITION\":7}", "7", "targets: [1] is a number"},
        {"\"NORMAL\":3,", "\"NORMAL\":4,", "targets[0].NORMAL: accessor 4 has a type"},
        {"\"TANGENT\":5,", "\"TANGENT\":0,", "attributes.TANGENT: accessor 0 has a type"},
        {"\"COLOR_0\":6,", "\"COLOR_0\":4,", "attributes.COLOR_0: accessor 4 has a type"},
        {"\"VEC3\",\"count\":4}]", "\"VEC3\",\"count\":3}]", "targets[2].POSITION: accessor 8 has 3 elements"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = face_text(FACE_SMOOTH, false);
        char *changed = gltf_replace(text, rows[i].old, rows[i].replacement);
        lmb_import *import = NULL;
        lmb_error error = {0};
        assert_int_equal(lmb_import_memory(changed, strlen(changed), "face.gltf", NULL, NULL, &import, &error),
                         LMB_ERROR_FORMAT);
        if (strstr(error.message, rows[i].part) == NULL) {
            fail_msg("'%s' lacks '%s'", error.message, rows[i].part);
        }
        free(changed);
        free(text);
    }
    // A second primitive with another number of targets keeps its vertices.
    char *text = face_text(FACE_SMOOTH, false);
    char *changed = gltf_replace(text, "{\"POSITION\":8}]}",
                                 "{\"POSITION\":8}]},{\"attributes\":{\"POSITION\":0},"
                                 "\"indices\":4,\"targets\":[{\"POSITION\":2}]}");
    lmb_import *import = load_text(changed);
    assert_int_equal(lmb_import_get_content(import)->mesh_count, 2);
    assert_int_equal(lmb_import_get_content(import)->meshes[1].target_count, 0);
    assert_true(has_note(import, "mesh 'face': meshes[0].primitives[1] has 1 morph targets, the first primitive 3"));
    lmb_import_destroy(import);
    free(changed);
    free(text);
}

static const char morph_sections[] =
    "\"scene\":0,\"scenes\":[{\"nodes\":[0,1]},{\"nodes\":[2]}],\n"
    "\"nodes\":[{\"name\":\"Face\",\"mesh\":0,\"weights\":[0.25,0.5]},{\"name\":\"Eye\",\"mesh\":1},"
    "{\"name\":\"Unseen\",\"mesh\":1}],\n"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":2},\"targets\":[{\"POSITION\":2},{\"POSITION\":2}]}],"
    "\"weights\":[1,1],\"extras\":{\"targetNames\":[\"smile\",\"blink\"]}},\n"
    " {\"primitives\":[{\"attributes\":{\"POSITION\":2},\"targets\":[{\"POSITION\":2}]}],\"weights\":[0.75]}],\n"
    "\"animations\":[{\"name\":\"Talk\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"weights\"}},"
    "{\"sampler\":1,\"target\":{\"node\":1,\"path\":\"weights\"}}],"
    "\"samplers\":[{\"input\":0,\"output\":1},{\"input\":0,\"output\":3,\"interpolation\":\"CUBICSPLINE\"}]},\n"
    " {\"name\":\"Hold\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"weights\"}}],"
    "\"samplers\":[{\"input\":0,\"output\":4,\"interpolation\":\"STEP\"}]}]";

static char *morph_text(const char *old, const char *replacement) {
    static const float times[3] = {0, 1, 2};
    static const float linear[6] = {0, 1, 1, 0.5f, 0, 0};
    static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const float spline[9] = {0, 0, 1, 0, 1, 0, 0, 0, 0};

    gltf_document document = {0};
    gltf_floats(&document, "SCALAR", 3, times);
    gltf_floats(&document, "SCALAR", 6, linear);
    gltf_floats(&document, "VEC3", 3, triangle);
    gltf_floats(&document, "SCALAR", 9, spline);
    static const uint8_t packed[3] = {0, 255, 51};
    gltf_accessor(&document, GLTF_UINT8, "SCALAR", 3, packed, sizeof packed, ",\"normalized\":true");
    char *sections = old != NULL ? gltf_replace(morph_sections, old, replacement) : NULL;
    char *text = gltf_text(&document, sections != NULL ? sections : morph_sections);
    free(sections);
    return text;
}

static void sample_channels(const lmb_import *import, uint32_t index, float time, float *values) {
    const lmb_clip *clip = lmb_import_get_content(import)->clips[index];
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_constant(time);
    const lmb_graph_def def = {
        .rig = lmb_import_get_content(import)->rig, .clips = &clip, .clip_count = 1, .nodes = &node, .node_count = 1};
    lmb_graph *program = NULL;
    lmb_cpu *cpu = NULL;
    assert_int_equal(lmb_graph_create(&def, NULL, &program, NULL), LMB_OK);
    assert_int_equal(lmb_cpu_create(program, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    const lmb_batch_def batch = {program, 1, LMB_OUTPUT_CHANNELS_BIT};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_CHANNELS] = values}};
    assert_int_equal(lmb_cpu_run(cpu, &batch, &(lmb_batch_inputs){0}, &outputs, NULL), LMB_OK);
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(program);
}

static void morph_weights_become_channels(void **state) {
    (void)state;
    char *text = morph_text(NULL, NULL);
    lmb_import *import = load_text(text);
    free(text);
    const lmb_rig *rig = lmb_import_get_content(import)->rig;
    assert_int_equal(lmb_rig_get_def(rig)->channel_count, 3); // no targets of meshes that are not shown
    assert_string_equal(lmb_rig_get_def(rig)->channels[0].name, "smile");
    assert_string_equal(lmb_rig_get_def(rig)->channels[1].name, "blink");
    assert_string_equal(lmb_rig_get_def(rig)->channels[2].name, "Eye_0");
    // The node's own weights, or those of its mesh.
    assert_true(lmb_rig_get_def(rig)->channels[0].rest == 0.25f && lmb_rig_get_def(rig)->channels[1].rest == 0.5f);
    assert_true(lmb_rig_get_def(rig)->channels[2].rest == 0.75f && !lmb_rig_get_def(rig)->channels[2].angle);
    float values[3];
    assert_int_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->track_count, 3);
    sample_channels(import, 0, 0.5f, values);
    assert_near(values, (float[]){0.5f, 0.75f, 0.625f}, 3); // (1 * 1 / 8) + 1 / 2
    sample_channels(import, 0, 1.0f, values);
    assert_near(values, (float[]){1.0f, 0.5f, 1.0f}, 3);
    sample_channels(import, 1, 1.5f, values);
    assert_near(values, (float[]){0.25f, 0.5f, 1.0f}, 3);
    sample_channels(import, 1, 2.0f, values);
    assert_near(values, (float[]){0.25f, 0.5f, 0.2f}, 3);
    lmb_import_destroy(import);
    static const struct {
        const char *old, *replacement, *place, *what;
    } rows[] = {
        {"[0.25,0.5]", "[0.25]", "nodes[0].weights", "1 numbers, not 2"},
        {"[0.75]", "[true]", "meshes[1].weights", "a boolean"},
        {"\"output\":1}", "\"output\":3}", "output", "9 elements, the 3 keys need 6"},
        {"\"output\":4", "\"output\":2", "output", "no weights has"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lmb_error error = {0};
        text = morph_text(rows[i].old, rows[i].replacement);
        assert_int_equal(lmb_import_memory(text, strlen(text), "test.gltf", NULL, NULL, &import, &error),
                         LMB_ERROR_FORMAT);
        assert_non_null(strstr(error.message, rows[i].place));
        if (strstr(error.message, rows[i].what) == NULL) {
            fail_msg("%s", error.message);
        }
        free(text);
    }
    // Other contents of extras give no names.
    static const char *const extras[] = {"{\"targetNames\":[\"smile\"]}", "{\"targetNames\":[1,\"\"]}", "7"};
    for (size_t i = 0; i < sizeof extras / sizeof extras[0]; i++) {
        text = morph_text("{\"targetNames\":[\"smile\",\"blink\"]}", extras[i]);
        import = load_text(text);
        assert_string_equal(lmb_rig_get_def(lmb_import_get_content(import)->rig)->channels[0].name, "Face_0");
        assert_string_equal(lmb_rig_get_def(lmb_import_get_content(import)->rig)->channels[1].name, "Face_1");
        lmb_import_destroy(import);
        free(text);
    }
}

static uint32_t channel_called(const lmb_rig *rig, const char *name) {
    for (uint32_t i = 0; i < lmb_rig_get_def(rig)->channel_count; i++) {
        if (strcmp(lmb_rig_get_def(rig)->channels[i].name, name) == 0) {
            return i;
        }
    }
    fail_msg("no channel '%s'", name);
    return 0;
}

// By a pointer, properties of nodes and weights of morph targets move as by a channel, and other numbers become curves.
static void pointers_move_what_they_name(void **state) {
    (void)state;
    gltf_document document = {0};
    gltf_floats(&document, "SCALAR", 2, (float[2]){0, 1});
    gltf_floats(&document, "VEC3", 2, (float[6]){0, 0, 0, 0, 4, 8});
    gltf_floats(&document, "VEC4", 2, (float[8]){0, 0, 0, 1, 1, 0, 0, 0});
    gltf_floats(&document, "SCALAR", 2, (float[2]){0, 0.5f});
    gltf_floats(&document, "SCALAR", 4, (float[4]){0, 0, 1, 0.25f});
    gltf_floats(&document, "VEC3", 3, (float[9]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    gltf_accessor(&document, GLTF_UINT8, "SCALAR", 2, (uint8_t[2]){1, 0}, 2, "");
    gltf_floats(&document, "VEC2", 6, (float[12]){0, 0, 1, 2, 0, 0, 0, 0, 3, 4, 0, 0});
    static const char *const pointers[][3] = {{"/nodes/1/translation", "1", "LINEAR"},
                                              {"/nodes/1/rotation", "2", "LINEAR"},
                                              {"/nodes/1/scale", "1", "LINEAR"},
                                              {"/nodes/1/weights/1", "3", "LINEAR"},
                                              {"/meshes/1/weights", "4", "LINEAR"},
                                              {"/materials/0/pbrMetallicRoughness/baseColorFactor", "2", "LINEAR"},
                                              {"/materials/0/emissiveFactor", "1", "LINEAR"},
                                              {"/materials/0/extensions/a~1b~0/x", "3", "LINEAR"},
                                              {"/nodes/0/extensions/KHR_node_visibility/visible", "6", "STEP"},
                                              {"/materials/0/offset", "7", "CUBICSPLINE"},
                                              {"/nodes/0/extras/foot/contact", "3", "LINEAR"},
                                              {"/materials/1/alphaCutoff", "3", "LINEAR"},
                                              {"/nodes/7/translation", "1", "LINEAR"},
                                              {"nodes", "1", "LINEAR"}};
    char channels[4096] = "", samplers[4096] = "";
    for (size_t i = 0; i < sizeof pointers / sizeof pointers[0]; i++) {
        size_t at = strlen(channels);
        snprintf(channels + at, sizeof channels - at,
                 "%s{\"sampler\":%zu,\"target\":{\"path\":\"pointer\",\"extensions\":{\"KHR_animation_pointer\":{"
                 "\"pointer\":\"%s\"}}}}",
                 i > 0 ? "," : "", i, pointers[i][0]);
        at = strlen(samplers);
        snprintf(samplers + at, sizeof samplers - at, "%s{\"input\":0,\"output\":%s,\"interpolation\":\"%s\"}",
                 i > 0 ? "," : "", pointers[i][1], pointers[i][2]);
    }
    char sections[10000];
    snprintf(sections, sizeof sections,
             "\"extensionsRequired\":[\"KHR_animation_pointer\"],"
             "\"nodes\":[{\"name\":\"a\",\"extras\":{\"foot\":{\"contact\":2}}},{\"name\":\"b\",\"mesh\":0},"
             "{\"name\":\"c\",\"mesh\":1},"
             "{\"name\":\"d\",\"mesh\":1,\"weights\":[0.75,0]},{\"name\":\"e\",\"mesh\":1}],"
             "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":5},\"targets\":[{\"POSITION\":5},{"
             "\"POSITION\":5}]}]},"
             "{\"primitives\":[{\"attributes\":{\"POSITION\":5},\"targets\":[{\"POSITION\":5},{\"POSITION\":5}]}]}],"
             "\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.5,0.25,1,1]},"
             "\"extensions\":{\"a/b~\":{\"x\":7}}}],"
             "\"animations\":[{\"name\":\"Show\",\"channels\":[%s],\"samplers\":[%s]}]",
             channels, samplers);
    lmb_import *import = load(&document, sections);
    const lmb_rig *rig = lmb_import_get_content(import)->rig;
    const lmb_transform b = sample(import, 0, 1, 0.5f);
    assert_near(b.translation, (float[]){0, 2, 4}, 3);
    assert_near(b.rotation, (float[]){0.70710678f, 0, 0, 0.70710678f}, 4);
    assert_near(b.scale, (float[]){0, 2, 4}, 3);
    float values[64];
    sample_channels(import, 0, 0.5f, values);
    static const struct {
        const char *name;
        float value, rest;
    } expected[] = {{"b_0", 0, 0},
                    {"b_1", 0.25f, 0},
                    {"c_0", 0.5f, 0},
                    {"c_1", 0.125f, 0},
                    {"d_0", 0.75f, 0.75f},
                    {"e_0", 0.5f, 0},
                    {"/materials/0/pbrMetallicRoughness/baseColorFactor.x", 0.5f, 0.5f},
                    {"/materials/0/pbrMetallicRoughness/baseColorFactor.w", 0.5f, 1},
                    {"/materials/0/emissiveFactor.y", 2, 0},
                    {"/materials/0/emissiveFactor.z", 4, 0},
                    {"/materials/0/extensions/a~1b~0/x", 0.25f, 7},
                    {"/nodes/0/extensions/KHR_node_visibility/visible", 1, 1},
                    {"/materials/0/offset.x", 2, 0}, // splines without tangents: half way
                    {"/materials/0/offset.y", 3, 0},
                    {"/nodes/0/extras/foot/contact", 0.25f, 2}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const uint32_t channel = channel_called(rig, expected[i].name);
        assert_near(&values[channel], &expected[i].value, 1);
        const float rest = lmb_rig_get_def(rig)->channels[channel].rest;
        assert_near(&rest, &expected[i].rest, 1);
    }
    assert_true(has_note(import, "animation 'Show': pointers that lead to no number of the file skipped: "
                                 "'/materials/1/alphaCutoff', '/nodes/7/translation', 'nodes'"));
    lmb_import_destroy(import);
}

// Curves of a file that adds clips are found by their names.
static void pointers_of_added_clips_match_by_name(void **state) {
    (void)state;
    static const char *const materials[] = {"\"materials\":[{}]", "\"materials\":[{},{}]"};
    static const char *const pointers[] = {"/materials/0/alphaCutoff", "/materials/1/alphaCutoff"};
    char folder[FOLDER_PATH], paths[2][FOLDER_PATH + 20];
    assert_true(folder_create_temporary(folder));
    for (int i = 0; i < 2; i++) {
        gltf_document document = {0};
        gltf_floats(&document, "SCALAR", 2, (float[2]){0, 1});
        gltf_floats(&document, "SCALAR", 2, (float[2]){0, 4});
        char sections[1024];
        snprintf(sections, sizeof sections,
                 "\"nodes\":[{\"name\":\"a\"}],%s,\"animations\":[{\"name\":\"c%d\",\"channels\":["
                 "{\"sampler\":0,\"target\":{\"path\":\"pointer\",\"extensions\":{\"KHR_animation_pointer\":{"
                 "\"pointer\":\"/materials/0/alphaCutoff\"}}}},"
                 "{\"sampler\":0,\"target\":{\"path\":\"pointer\",\"extensions\":{\"KHR_animation_pointer\":{"
                 "\"pointer\":\"%s\"}}}}],"
                 "\"samplers\":[{\"input\":0,\"output\":1}]}]",
                 materials[i], i, pointers[i]);
        char *text = gltf_text(&document, sections);
        snprintf(paths[i], sizeof paths[i], "%s/%d.gltf", folder, i);
        write_file(paths[i], text, strlen(text));
        free(text);
    }
    const char *const both[] = {paths[0], paths[1]};
    lmb_import *import = NULL;
    lmb_error error;
    if (lmb_import_files(both, 2, NULL, &import, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    float value;
    assert_int_equal(lmb_rig_get_def(lmb_import_get_content(import)->rig)->channel_count, 1);
    sample_channels(import, 1, 0.5f, &value);
    assert_float_equal(value, 2, 1e-6f);
    assert_true(has_note(
        import, "animation 'c1': pointers to what the rig has no channel for skipped: '/materials/1/alphaCutoff'"));
    lmb_import_destroy(import);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(remove(paths[i]), 0);
    }
    assert_true(folder_remove(folder));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rig_of_a_skin_has_its_joints_and_their_ancestors),
        cmocka_unit_test(matrix_becomes_translation_rotation_scale),
        cmocka_unit_test(matrices_survive_decomposition),
        cmocka_unit_test(clip_has_every_interpolation),
        cmocka_unit_test(nodes_map_to_joints),
        cmocka_unit_test(what_is_left_out_is_noted),
        cmocka_unit_test(skinned_mesh_has_eight_influences),
        cmocka_unit_test(influences_are_sorted_and_normalised),
        cmocka_unit_test(weights_a_little_below_0_are_0),
        cmocka_unit_test(radii_hold_the_meshes),
        cmocka_unit_test(material_has_color_and_image),
        cmocka_unit_test(unskinned_strip_hangs_on_its_node),
        cmocka_unit_test(what_moves_is_an_extra_joint),
        cmocka_unit_test(a_skeleton_alone_has_no_extra_joints),
        cmocka_unit_test(cameras_and_lights_are_no_joints_unless_they_move),
        cmocka_unit_test(what_hangs_on_a_sheared_node_keeps_its_shear),
        cmocka_unit_test(file_without_skin_makes_a_rig_of_all_nodes),
        cmocka_unit_test(skin_without_matrices_has_identities),
        cmocka_unit_test(second_skin_with_one_shift_moves_its_mesh),
        cmocka_unit_test(skins_that_bind_joints_differently),
        cmocka_unit_test(random_skins_over_the_same_joints),
        cmocka_unit_test(accessors_of_every_component_type),
        cmocka_unit_test(accessor_without_a_view_is_zero),
        cmocka_unit_test(fan_becomes_triangles),
        cmocka_unit_test(further_notes),
        cmocka_unit_test(mesh_on_a_joint_without_inverse_has_one_of_its_own),
        cmocka_unit_test(images_are_kept_once),
        cmocka_unit_test(flaws_are_read_with_a_note),
        cmocka_unit_test(required_extensions_that_change_no_motion),
        cmocka_unit_test(old_materials_have_their_color),
        cmocka_unit_test(data_that_is_odd_is_read),
        cmocka_unit_test(containers_of_odd_lengths),
        cmocka_unit_test(shear_moves_into_meshes),
        cmocka_unit_test(keys_at_one_time_and_before_0),
        cmocka_unit_test(missing_images_are_left_out),
        cmocka_unit_test(pointers_move_what_they_name),
        cmocka_unit_test(pointers_of_added_clips_match_by_name),
        cmocka_unit_test(morph_targets_displace_vertices),
        cmocka_unit_test(malformed_morph_targets_are_refused),
        cmocka_unit_test(caller_rounding_changes_nothing),
        cmocka_unit_test(texture_transform_moves_texcoords),
        cmocka_unit_test(materials_have_three_textures),
        cmocka_unit_test(names_are_decoded),
        cmocka_unit_test(same_document_as_glb),
        cmocka_unit_test(files_beside_it_are_found),
        cmocka_unit_test(files_beside_it_are_regular_ones),
        cmocka_unit_test(notes_are_logged),
        cmocka_unit_test(many_nodes_take_linear_time),
        cmocka_unit_test(morph_weights_become_channels),
        cmocka_unit_test(fox),
        cmocka_unit_test(cesium_man),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
