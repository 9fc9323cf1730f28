// Scale noise in imported files: what is rounded, what is kept, and how far points move at most.
#include "clip/clip.h"
#include "gltf_document.h"
#include "program/program.h"
#include "random.h"
#include "refusal.h"
#include "suite.h"

#include <limber/graph.h>
#include <limber/import.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NODES 8
#define MOST_TRACKS 16

// A chain of nodes, each the parent of the next one, and an animation.
typedef struct chain_node {
    float translation[3], scale[3];
} chain_node;

typedef struct chain_track {
    uint32_t node;
    const char *path, *interpolation;
    uint32_t keys;
    const float *times, *values;
} chain_track;

typedef struct chain {
    chain_node nodes[MOST_NODES];
    uint32_t node_count;
    chain_track tracks[MOST_TRACKS];
    uint32_t track_count;
    lmb_import_def def;
} chain;

static const float two_times[2] = {0.0f, 1.0f};

static chain make_chain(uint32_t nodes) {
    chain c = {.node_count = nodes, .def = lmb_default_import_def()};
    for (uint32_t i = 0; i < nodes; i++) {
        c.nodes[i] = (chain_node){{0.0f, i > 0 ? 1.0f : 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}};
    }
    return c;
}

static void add_track(chain *c, uint32_t node, const char *path, const char *interpolation, uint32_t keys,
                      const float *times, const float *values) {
    assert_true(c->track_count < MOST_TRACKS);
    c->tracks[c->track_count++] = (chain_track){node, path, interpolation, keys, times, values};
}

// Adds two linear keys of a scale.
static void add_scales(chain *c, uint32_t node, const float values[6]) {
    add_track(c, node, "scale", "LINEAR", 2, two_times, values);
}

static lmb_result import_chain(const chain *c, lmb_import **import, lmb_error *error) {
    static gltf_document document;
    static char sections[16384];
    memset(&document, 0, sizeof document);
    int at = snprintf(sections, sizeof sections, "\"nodes\":[");
    for (uint32_t i = 0; i < c->node_count; i++) {
        const chain_node *n = &c->nodes[i];
        at += snprintf(sections + at, sizeof sections - (size_t)at,
                       "%s{\"name\":\"n%u\",\"translation\":[%.9g,%.9g,%.9g],\"scale\":[%.9g,%.9g,%.9g]",
                       i > 0 ? "," : "", (unsigned)i, (double)n->translation[0], (double)n->translation[1],
                       (double)n->translation[2], (double)n->scale[0], (double)n->scale[1], (double)n->scale[2]);
        at += snprintf(sections + at, sizeof sections - (size_t)at, i + 1 < c->node_count ? ",\"children\":[%u]}" : "}",
                       (unsigned)i + 1);
    }
    at += snprintf(sections + at, sizeof sections - (size_t)at, "]");
    for (uint32_t i = 0; i < c->track_count; i++) {
        at += snprintf(sections + at, sizeof sections - (size_t)at,
                       "%s{\"sampler\":%u,\"target\":{\"node\":%u,\"path\":\"%s\"}}",
                       i == 0 ? ",\"animations\":[{\"name\":\"Move\",\"channels\":[" : ",", (unsigned)i,
                       (unsigned)c->tracks[i].node, c->tracks[i].path);
    }
    for (uint32_t i = 0; i < c->track_count; i++) {
        const chain_track *t = &c->tracks[i];
        const uint32_t input = gltf_floats(&document, "SCALAR", t->keys, t->times);
        const bool is_spline = strcmp(t->interpolation, "CUBICSPLINE") == 0;
        const uint32_t output = gltf_floats(&document, "VEC3", t->keys * (is_spline ? 3u : 1u), t->values);
        at += snprintf(sections + at, sizeof sections - (size_t)at,
                       "%s{\"input\":%u,\"output\":%u,\"interpolation\":\"%s\"}%s", i == 0 ? "],\"samplers\":[" : ",",
                       (unsigned)input, (unsigned)output, t->interpolation, i + 1 == c->track_count ? "]}]" : "");
    }
    char *text = gltf_text(&document, sections);
    lmb_import_def def = c->def;
    def.bytes = text;
    def.size = strlen(text);
    const lmb_result result = lmb_import_create(&def, NULL, import, error);
    free(text);
    return result;
}

static lmb_import *read_chain(const chain *c) {
    lmb_import *import = NULL;
    lmb_error error;
    if (import_chain(c, &import, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return import;
}

static uint32_t count_tracks(const lmb_import *import) {
    return lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->track_count;
}

static void expect_scale(const lmb_import *import, uint32_t joint, float time, float x, float y, float z) {
    const lmb_transform at =
        lmb_clip_sample(lmb_import_get_content(import)->clips[0], lmb_import_get_content(import)->rig, joint, time);
    assert_true(at.scale[0] == x && at.scale[1] == y && at.scale[2] == z);
}

static void expect_rest(const lmb_import *import, uint32_t joint, float scale) {
    const lmb_transform rest = lmb_rig_get_def(lmb_import_get_content(import)->rig)->joints[joint].rest;
    for (int axis = 0; axis < 3; axis++) {
        assert_true(rest.scale[axis] == scale);
    }
}

static void expect_note(const lmb_import *import, const char *text) {
    assert_int_equal(lmb_import_get_content(import)->note_count, text == NULL ? 0 : 1);
    if (text != NULL) {
        assert_string_equal(lmb_import_get_content(import)->notes[0], text);
    }
}

static const float one_bit_off[6] = {1.0f + FLT_EPSILON, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f - FLT_EPSILON};
static const float small_but_real[6] = {1.001f, 1.001f, 1.001f, 1.001f, 1.001f, 1.001f};
static const float animated[6] = {1.0f, 1.0f, 1.0f, 2.0f, 1.0f, 1.0f};

static chain make_noisy(void) {
    chain c = make_chain(4);
    c.nodes[1].scale[2] = 1.0f + 2.0f * FLT_EPSILON;
    c.nodes[3].scale[0] = 1.5f;
    add_scales(&c, 0, one_bit_off);
    add_scales(&c, 1, small_but_real);
    add_scales(&c, 2, animated);
    return c;
}

static void noise_is_rounded(void **state) {
    (void)state;
    const chain c = make_noisy();
    lmb_import *import = read_chain(&c);
    expect_note(import,
                "scale noise: 1 scale of tracks and 1 of the rest pose rounded, which differ by at most 2.4e-07");
    expect_rest(import, 1, 1.0f);
    assert_true(lmb_rig_get_def(lmb_import_get_content(import)->rig)->joints[3].rest.scale[0] == 1.5f);
    assert_int_equal(count_tracks(import), 2);
    expect_scale(import, 0, 0.0f, 1.0f, 1.0f, 1.0f);
    expect_scale(import, 0, 0.7f, 1.0f, 1.0f, 1.0f);
    expect_scale(import, 1, 0.5f, 1.001f, 1.001f, 1.001f);
    expect_scale(import, 2, 0.0f, 1.0f, 1.0f, 1.0f);
    expect_scale(import, 2, 0.5f, 1.5f, 1.0f, 1.0f);
    expect_scale(import, 2, 1.0f, 2.0f, 1.0f, 1.0f);
    assert_float_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->duration, 1.0f, 0.0f);
    lmb_import_destroy(import);
}

static void exact_scales_keep_their_bits(void **state) {
    (void)state;
    chain c = make_noisy();
    c.def.exact_scales = true;
    lmb_import *import = read_chain(&c);
    expect_note(import, NULL);
    assert_true(lmb_rig_get_def(lmb_import_get_content(import)->rig)->joints[1].rest.scale[2] ==
                1.0f + 2.0f * FLT_EPSILON);
    assert_int_equal(count_tracks(import), 3);
    expect_scale(import, 0, 0.0f, 1.0f + FLT_EPSILON, 1.0f, 1.0f);
    expect_scale(import, 0, 1.0f, 1.0f, 1.0f, 1.0f - FLT_EPSILON);
    lmb_import_destroy(import);
}

// Without noise, nothing is noted, also where tracks only repeat the rest pose.
static void scales_at_rest_are_left_out(void **state) {
    (void)state;
    static const float ones[6] = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
    static const float twos[6] = {2.0f, 2.0f, 2.0f, 2.0f, 2.0f, 2.0f};
    chain c = make_chain(2);
    c.nodes[1] = (chain_node){{1.0f, 0.0f, 0.0f}, {2.0f, 2.0f, 2.0f}};
    add_scales(&c, 0, ones);
    add_scales(&c, 1, twos);
    lmb_import *import = read_chain(&c);
    expect_note(import, NULL);
    assert_int_equal(count_tracks(import), 0);
    expect_scale(import, 0, 0.5f, 1.0f, 1.0f, 1.0f);
    expect_scale(import, 1, 0.5f, 2.0f, 2.0f, 2.0f);
    assert_float_equal(lmb_clip_get_info(lmb_import_get_content(import)->clips[0])->duration, 1.0f, 0.0f);
    lmb_import_destroy(import);
}

// Noise is a part of the scale of the rest pose: 1e-4 of 0.01 is 1e-6.
static void noise_is_relative(void **state) {
    (void)state;
    static const float close[6] = {0.0100005f, 0.01f, 0.01f, 0.01f, 0.01f, 0.01f};
    static const float far[6] = {0.01005f, 0.01f, 0.01f, 0.01f, 0.01f, 0.01f};
    static const float zero[6] = {1e-6f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    chain c = make_chain(3);
    for (uint32_t i = 0; i < 3; i++) {
        for (int axis = 0; axis < 3; axis++) {
            c.nodes[i].scale[axis] = i < 2 ? 0.01f : 0.0f;
        }
    }
    add_scales(&c, 0, close);
    add_scales(&c, 1, far);
    add_scales(&c, 2, zero);
    lmb_import *import = read_chain(&c);
    assert_int_equal(count_tracks(import), 2);
    expect_rest(import, 0, 0.01f);
    expect_scale(import, 0, 0.0f, 0.01f, 0.01f, 0.01f);
    expect_scale(import, 1, 0.0f, 0.01005f, 0.01f, 0.01f);
    expect_scale(import, 2, 0.0f, 1e-6f, 0.0f, 0.0f);
    lmb_import_destroy(import);
}

// A spline whose keys are 1 and whose tangents are not swings out between them.
static void splines_swing_out(void **state) {
    (void)state;
    static const float flat[18] = {0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0};
    static const float swings[18] = {0, 0, 0, 1, 1, 1, 0.01f, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0};
    static const float hardly[18] = {0, 0, 0, 1, 1, 1, 0.0001f, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0};
    chain c = make_chain(3);
    add_track(&c, 0, "scale", "CUBICSPLINE", 2, two_times, flat);
    add_track(&c, 1, "scale", "CUBICSPLINE", 2, two_times, swings);
    add_track(&c, 2, "scale", "CUBICSPLINE", 2, two_times, hardly);
    lmb_import *import = read_chain(&c);
    expect_note(import,
                "scale noise: 1 scale of tracks and 0 of the rest pose rounded, which differ by at most 3.3e-05");
    assert_int_equal(count_tracks(import), 1);
    assert_true(lmb_clip_sample(lmb_import_get_content(import)->clips[0], lmb_import_get_content(import)->rig, 1, 0.5f)
                    .scale[0] > 1.001f);
    lmb_import_destroy(import);
}

// Three nodes that are off by 8e-5 would move the end of the chain by more than 1e-4 of it. The root is rounded, then
// nothing is left.
static void the_bound_holds_for_the_chain(void **state) {
    (void)state;
    chain c = make_chain(4);
    for (uint32_t i = 0; i < 3; i++) {
        for (int axis = 0; axis < 3; axis++) {
            c.nodes[i].scale[axis] = 1.00008f;
        }
    }
    lmb_import *import = read_chain(&c);
    expect_rest(import, 0, 1.0f);
    expect_rest(import, 1, 1.00008f);
    lmb_import_destroy(import);
    c.def.scale_error = 1e-5f;
    import = read_chain(&c);
    expect_rest(import, 0, 1.00008f);
    expect_note(import, NULL);
    lmb_import_destroy(import);
    c.def.scale_error = 1e-3f;
    import = read_chain(&c);
    for (uint32_t i = 0; i < 4; i++) {
        expect_rest(import, i, 1.0f);
    }
    lmb_import_destroy(import);
}

// What is far from the root in the clip moves far.
static void lengths_are_those_of_the_clip(void **state) {
    (void)state;
    static const float off[6] = {1.00001f, 1.00001f, 1.00001f, 1.00001f, 1.00001f, 1.00001f};
    static const float travels[6] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1000.0f};
    chain c = make_chain(2);
    add_scales(&c, 0, off);
    lmb_import *import = read_chain(&c);
    assert_int_equal(count_tracks(import), 0);
    lmb_import_destroy(import);
    add_track(&c, 1, "translation", "LINEAR", 2, two_times, travels);
    import = read_chain(&c);
    assert_int_equal(count_tracks(import), 2);
    expect_scale(import, 0, 0.5f, 1.00001f, 1.00001f, 1.00001f);
    lmb_import_destroy(import);
}

static void invalid_tracks_are_refused(void **state) {
    (void)state;
    static const float backwards[2] = {1.0f, 0.0f};
    lmb_import *import = NULL;
    lmb_error error;
    chain c = make_chain(1);
    add_track(&c, 0, "scale", "LINEAR", 2, backwards, one_bit_off);
    assert_int_equal(import_chain(&c, &import, &error), LMB_ERROR_FORMAT);
    c = make_chain(1);
    c.def.scale_error = -1.0f;
    CHECK_REFUSAL(import_chain(&c, &import, &error), &error, LMB_ERROR_ARGUMENT, "scale_error", "-1");
    c.def.scale_error = NAN;
    CHECK_REFUSAL(import_chain(&c, &import, &error), &error, LMB_ERROR_ARGUMENT, "scale_error");
}

// ---- The bound, in float64 ----

typedef struct model {
    double m[3][4];
} model;

static model model_of(const model *parent, const lmb_transform *local) {
    model result;
    for (int row = 0; row < 3; row++) {
        result.m[row][3] = parent->m[row][3];
        for (int k = 0; k < 3; k++) {
            result.m[row][k] = parent->m[row][k] * (double)local->scale[k]; // no node is turned
            result.m[row][3] += parent->m[row][k] * (double)local->translation[k];
        }
    }
    return result;
}

// The distance between the same point in both, `shell` from the joint along one axis.
static double distance_of(const model *a, const model *b, int axis, double shell) {
    double square = 0.0;
    for (int row = 0; row < 3; row++) {
        const double off = (a->m[row][3] + a->m[row][axis] * shell) - (b->m[row][3] + b->m[row][axis] * shell);
        square += off * off;
    }
    return sqrt(square);
}

static lmb_transform local_of(const lmb_import *import, uint32_t joint, float time) {
    const lmb_import_content *content = lmb_import_get_content(import);
    return time < 0.0f ? lmb_rig_get_def(content->rig)->joints[joint].rest
                       : lmb_clip_sample(content->clips[0], content->rig, joint, time);
}

// Of the rest pose if the time is below 0.
static double largest_distance(const lmb_import *a, const lmb_import *b, float time, double shell) {
    const model identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    model of_a = identity, of_b = identity;
    double largest = 0.0;
    for (uint32_t joint = 0; joint < lmb_rig_get_def(lmb_import_get_content(a)->rig)->joint_count; joint++) {
        const lmb_transform local_a = local_of(a, joint, time), local_b = local_of(b, joint, time);
        of_a = model_of(&of_a, &local_a);
        of_b = model_of(&of_b, &local_b);
        for (int axis = 0; axis < 3; axis++) {
            largest = fmax(largest, distance_of(&of_a, &of_b, axis, shell));
        }
    }
    return largest;
}

static void no_point_moves_further(void **state) {
    (void)state;
    random_source random = {1};
    uint32_t kept = 0, left_out = 0;
    double nearest = 0.0; // to the bound
    for (int round = 0; round < 60; round++) {
        chain c = make_chain(6);
        float scales[6][6], travels[6][6];
        for (uint32_t i = 0; i < 6; i++) {
            for (int k = 0; k < 6; k++) {
                scales[i][k] = 1.0f + 1.01e-4f * (float)random_between(&random, -1.0, 1.0);
                travels[i][k] = (float)random_between(&random, -3.0, 3.0);
            }
            for (int k = 0; k < 3; k++) {
                c.nodes[i].translation[k] = (float)random_between(&random, -1.0, 1.0);
                c.nodes[i].scale[k] = round % 2 == 0 ? 1.0f : 1.0f + 1e-4f * (float)random_between(&random, -1.0, 1.0);
            }
            if (round % 2 == 0) {
                add_scales(&c, i, scales[i]);
                add_track(&c, i, "translation", "LINEAR", 2, two_times, travels[i]);
            }
        }
        c.def.scale_error = 1e-4f * (float)(1 + round % 5);
        lmb_import *rounded = read_chain(&c);
        c.def.exact_scales = true;
        lmb_import *exact = read_chain(&c);
        for (int step = 0; step <= (round % 2 == 0 ? 16 : 0); step++) {
            const float time = round % 2 == 0 ? (float)step / 16.0f : -1.0f;
            const double distance = largest_distance(rounded, exact, time, 0.01);
            nearest = fmax(nearest, distance / (double)c.def.scale_error);
            if (distance > (double)c.def.scale_error * (1.0 + 1e-3)) {
                fail_msg("round %d, time %g: %g is above %g", round, (double)time, distance, (double)c.def.scale_error);
            }
        }
        if (round % 2 == 0) {
            kept += count_tracks(rounded) - 6;
            left_out += 12 - count_tracks(rounded);
        }
        lmb_import_destroy(rounded);
        lmb_import_destroy(exact);
    }
    assert_in_range(kept, 20, 160);
    assert_in_range(left_out, 20, 160);
    assert_true(nearest > 0.5);
}

// ---- What it brings ----

static bool is_plain(const lmb_import *import) {
    const lmb_clip *clip = lmb_import_get_content(import)->clips[0];
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = lmb_import_get_content(import)->rig;
    def.clips = &clip;
    def.clip_count = 1;
    def.nodes = &node;
    def.node_count = 1;
    lmb_graph *graph = NULL;
    lmb_error error;
    if (lmb_graph_create(&def, NULL, &graph, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    const bool plain = lmb_graph_is_plain(graph);
    lmb_graph_destroy(graph);
    return plain;
}

static void graphs_run_without_scale(void **state) {
    (void)state;
    chain c = make_chain(3);
    c.nodes[1].scale[2] = 1.0f + 2.0f * FLT_EPSILON;
    add_scales(&c, 0, one_bit_off);
    lmb_import *import = read_chain(&c);
    assert_true(is_plain(import));
    lmb_import_destroy(import);
    c.def.exact_scales = true;
    import = read_chain(&c);
    assert_false(is_plain(import));
    lmb_import_destroy(import);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_rounded),
        cmocka_unit_test(exact_scales_keep_their_bits),
        cmocka_unit_test(scales_at_rest_are_left_out),
        cmocka_unit_test(noise_is_relative),
        cmocka_unit_test(splines_swing_out),
        cmocka_unit_test(the_bound_holds_for_the_chain),
        cmocka_unit_test(lengths_are_those_of_the_clip),
        cmocka_unit_test(invalid_tracks_are_refused),
        cmocka_unit_test(no_point_moves_further),
        cmocka_unit_test(graphs_run_without_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
