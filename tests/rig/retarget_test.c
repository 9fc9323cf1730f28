// Retargeting against its formula in float64, computed in model space: any maps between random rigs, clips, pose
// buffers and static poses, reference poses, corrections and scales. Names, edges, nodes inside and outside, and
// refused definitions.
#include "keyframes.h"
#include "refusal.h"
#include "scene.h"

#include "control/moving.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 23, MOST_SOURCES = 41, CHARACTERS = 24, TIME = 0, WEIGHT = 1, PARAMETERS = 2 };

typedef struct fixture {
    test_scene scene;
    random_source random;
    lmb_rig *source;
    uint32_t source_count;
    uint32_t table[JOINTS];
    lmb_transform source_pose[MOST_SOURCES];
    lmb_transform target_pose[JOINTS];
    uint8_t aligned[JOINTS];
    float scales[JOINTS];
    lmb_retarget_def retarget;
    keyframes keys;
    lmb_clip_def clip;
    const lmb_rig *clip_rigs[1];
    float *buffer; // a pose of the source for each character
} fixture;

// ---- Small double arithmetic.

typedef struct frame {
    double q[4];
    double t[3];
    double size;
} frame;

static const double identity[4] = {0.0, 0.0, 0.0, 1.0};

static void rotate(const double q[4], const double v[3], double result[3]) {
    const double p[4] = {v[0], v[1], v[2], 0.0};
    double back[4], turned[4];
    oracle_quaternion_conjugate(q, back);
    oracle_quaternion_multiply(q, p, turned);
    oracle_quaternion_multiply(turned, back, turned);
    memcpy(result, turned, 3 * sizeof *result);
}

static void times(const double a[4], const double b[4], double result[4]) {
    double product[4];
    oracle_quaternion_multiply(a, b, product);
    memcpy(result, product, sizeof product);
}

static void times_inverse(const double a[4], const double b[4], double result[4]) {
    double back[4];
    oracle_quaternion_conjugate(b, back);
    times(a, back, result);
}

static void inverse_times(const double a[4], const double b[4], double result[4]) {
    double back[4];
    oracle_quaternion_conjugate(a, back);
    times(back, b, result);
}

static double length_of(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void difference_of(const double a[3], const double b[3], double result[3]) {
    for (int i = 0; i < 3; i++) {
        result[i] = a[i] - b[i];
    }
}

static double distance(const double a[3], const double b[3]) {
    double way[3];
    difference_of(a, b, way);
    return length_of(way);
}

static double mean_scale(const lmb_transform *local) {
    return (fabs((double)local->scale[0]) + fabs((double)local->scale[1]) + fabs((double)local->scale[2])) / 3.0;
}

static frame child_of(const frame *parent, const lmb_transform *local, double size) {
    const oracle_transform own = oracle_transform_from_float(local);
    frame result = {.size = parent->size * size};
    double q[4], t[3];
    oracle_quaternion_normalise(own.rotation, q);
    times(parent->q, q, result.q);
    rotate(parent->q, own.translation, t);
    for (int i = 0; i < 3; i++) {
        result.t[i] = parent->t[i] + parent->size * t[i];
    }
    return result;
}

static const frame world = {{0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}, 1.0};

// ---- The oracle.

static uint32_t mapped_above(const fixture *f, uint32_t joint) {
    uint32_t above = lmb_rig_get_def(f->scene.rig)->joints[joint].parent;
    while (above != LMB_NONE && f->table[above] == LMB_NONE) {
        above = lmb_rig_get_def(f->scene.rig)->joints[above].parent;
    }
    return above;
}

static bool is_under(const lmb_rig *rig, uint32_t joint, uint32_t ancestor) {
    while (joint != LMB_NONE && joint != ancestor) {
        joint = lmb_rig_get_def(rig)->joints[joint].parent;
    }
    return joint == ancestor;
}

// The poses of one character in model space.
typedef struct model {
    frame rest[MOST_SOURCES];    // S0, X0
    frame source[MOST_SOURCES];  // S, X; sizes are those of the reference pose
    frame own[JOINTS];           // T0, P0
    double corrected[JOINTS][4]; // T'
    double turned[JOINTS][4];    // T
    double root_scale;
} model;

static lmb_transform reference_of(const fixture *f, uint32_t joint) {
    return f->retarget.target_pose != NULL && f->table[joint] != LMB_NONE
               ? f->target_pose[joint]
               : lmb_rig_get_def(f->scene.rig)->joints[joint].rest;
}

static lmb_transform source_reference_of(const fixture *f, uint32_t joint) {
    return f->retarget.source_pose != NULL ? f->source_pose[joint] : lmb_rig_get_def(f->source)->joints[joint].rest;
}

static void turn_of(const fixture *f, double a[4]) {
    const double given[4] = {(double)f->retarget.turn[0], (double)f->retarget.turn[1], (double)f->retarget.turn[2],
                             (double)f->retarget.turn[3]};
    oracle_quaternion_normalise(given, a);
}

// The only mapped joint whose nearest mapped ancestor a joint is, or LMB_NONE.
static uint32_t bone_end(const fixture *f, uint32_t joint) {
    uint32_t end = LMB_NONE, count = 0;
    for (uint32_t i = 0; i < JOINTS; i++) {
        if (f->table[i] != LMB_NONE && mapped_above(f, i) == joint) {
            end = i;
            count++;
        }
    }
    return count == 1 ? end : LMB_NONE;
}

static void correct(const fixture *f, model *m) {
    double corrections[JOINTS][4], a[4];
    turn_of(f, a);
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        const uint32_t parent = lmb_rig_get_def(f->scene.rig)->joints[joint].parent;
        double *own = corrections[joint];
        memcpy(own, parent == LMB_NONE ? identity : corrections[parent], sizeof identity);
        const uint32_t end = f->table[joint] == LMB_NONE ? LMB_NONE : bone_end(f, joint);
        if (end != LMB_NONE && (f->retarget.aligned == NULL || f->aligned[joint] != 0)) {
            double from[3], to[3], arc[4];
            difference_of(m->own[end].t, m->own[joint].t, from);
            difference_of(m->rest[f->table[end]].t, m->rest[f->table[joint]].t, to);
            rotate(own, from, from);
            rotate(a, to, to);
            const double both = length_of(from) * length_of(to);
            const double cosine = both > 0.0 ? (from[0] * to[0] + from[1] * to[1] + from[2] * to[2]) / both : 1.0;
            if (acos(fmin(fmax(cosine, -1.0), 1.0)) > (double)f->retarget.align_above) {
                arc[0] = (from[1] * to[2] - from[2] * to[1]) / both;
                arc[1] = (from[2] * to[0] - from[0] * to[2]) / both;
                arc[2] = (from[0] * to[1] - from[1] * to[0]) / both;
                arc[3] = 1.0 + cosine;
                oracle_quaternion_normalise(arc, arc);
                times(arc, own, own);
            }
        }
        times(own, m->own[joint].q, m->corrected[joint]);
    }
}

static double find_root_scale(const fixture *f, const model *m) {
    if (f->retarget.root_scale > 0.0f) {
        return (double)f->retarget.root_scale;
    }
    if (f->retarget.foot != LMB_NONE) {
        const uint32_t foot = f->retarget.foot, shin = mapped_above(f, foot), thigh = mapped_above(f, shin);
        const uint32_t *s = f->table;
        return (distance(m->own[foot].t, m->own[shin].t) + distance(m->own[shin].t, m->own[thigh].t)) /
               (distance(m->rest[s[foot]].t, m->rest[s[shin]].t) + distance(m->rest[s[shin]].t, m->rest[s[thigh]].t));
    }
    for (uint32_t i = 0; i < JOINTS; i++) {
        if (f->table[i] != LMB_NONE && length_of(m->own[i].t) > 0x1p-20 &&
            length_of(m->rest[f->table[i]].t) > 0x1p-20) {
            return length_of(m->own[i].t) / length_of(m->rest[f->table[i]].t);
        }
    }
    return 1.0;
}

// `local` has the source's joints.
static void pose_model(const fixture *f, const lmb_transform *local, model *m) {
    double a[4];
    turn_of(f, a);
    for (uint32_t i = 0; i < f->source_count; i++) {
        const uint32_t parent = lmb_rig_get_def(f->source)->joints[i].parent;
        const lmb_transform reference = source_reference_of(f, i);
        m->rest[i] = child_of(parent == LMB_NONE ? &world : &m->rest[parent], &reference, mean_scale(&reference));
        m->source[i] = child_of(parent == LMB_NONE ? &world : &m->source[parent], &local[i], mean_scale(&reference));
    }
    for (uint32_t i = 0; i < JOINTS; i++) {
        const uint32_t parent = lmb_rig_get_def(f->scene.rig)->joints[i].parent;
        const lmb_transform reference = reference_of(f, i);
        m->own[i] = child_of(parent == LMB_NONE ? &world : &m->own[parent], &reference, mean_scale(&reference));
    }
    correct(f, m);
    m->root_scale = find_root_scale(f, m);
    for (uint32_t i = 0; i < JOINTS; i++) {
        const uint32_t parent = lmb_rig_get_def(f->scene.rig)->joints[i].parent, s = f->table[i];
        if (s != LMB_NONE) {
            times(a, m->source[s].q, m->turned[i]);
            times_inverse(m->turned[i], m->rest[s].q, m->turned[i]);
            times_inverse(m->turned[i], a, m->turned[i]);
            times(m->turned[i], m->corrected[i], m->turned[i]);
        } else {
            const lmb_transform rest = lmb_rig_get_def(f->scene.rig)->joints[i].rest;
            const frame own = child_of(&world, &rest, 1.0);
            times(parent == LMB_NONE ? identity : m->turned[parent], own.q, m->turned[i]);
        }
    }
}

// d, in the space of s(m).
static void find_moved(const fixture *f, const model *m, const lmb_transform *local, uint32_t joint, double moved[3]) {
    const uint32_t above = mapped_above(f, joint), s = f->table[joint];
    moved[0] = moved[1] = moved[2] = 0.0;
    if (above == LMB_NONE) {
        difference_of(m->source[s].t, m->rest[s].t, moved);
        return;
    }
    const uint32_t to = f->table[above];
    const uint32_t end = is_under(f->source, s, to) ? to : LMB_NONE;
    double sum[3] = {0.0, 0.0, 0.0}; // in model space, of the pose
    for (uint32_t i = s; i != end; i = lmb_rig_get_def(f->source)->joints[i].parent) {
        const uint32_t parent = lmb_rig_get_def(f->source)->joints[i].parent;
        const lmb_transform reference = source_reference_of(f, i);
        double way[3];
        for (int k = 0; k < 3; k++) {
            way[k] = (double)local[i].translation[k] - (double)reference.translation[k];
        }
        if (parent != LMB_NONE) {
            rotate(m->source[parent].q, way, way);
        }
        for (int k = 0; k < 3; k++) {
            sum[k] += way[k] * (parent == LMB_NONE ? 1.0 : m->source[parent].size);
        }
    }
    double back[4];
    oracle_quaternion_conjugate(m->source[to].q, back);
    rotate(back, sum, moved);
    for (int k = 0; k < 3; k++) {
        moved[k] /= m->source[to].size;
    }
}

// Returns the lengths that are added, times k.
static double expect_translation(const fixture *f, const model *m, const lmb_transform *local, uint32_t joint,
                                 double t[3]) {
    const uint32_t above = mapped_above(f, joint), s = f->table[joint],
                   parent = lmb_rig_get_def(f->scene.rig)->joints[joint].parent;
    const lmb_transform reference = reference_of(f, joint);
    double a[4], moved[3], before[4], k = m->root_scale;
    find_moved(f, m, local, joint, moved);
    turn_of(f, a);
    memcpy(before, a, sizeof before);
    if (above != LMB_NONE) {
        const double other = distance(m->rest[s].t, m->rest[f->table[above]].t);
        k = other > 0x1p-20 ? distance(m->own[joint].t, m->own[above].t) / other : k;
        k *= m->rest[f->table[above]].size;
        times(a, m->rest[f->table[above]].q, before);
    }
    k *= f->retarget.scales != NULL ? (double)f->scales[joint] : 1.0;
    if (parent != LMB_NONE) {
        inverse_times(m->corrected[parent], before, before);
        k /= m->own[parent].size;
    }
    rotate(before, moved, moved);
    double sum = 1.0;
    for (int i = 0; i < 3; i++) {
        t[i] = (double)reference.translation[i] + k * moved[i];
        sum += fabs((double)reference.translation[i]);
    }
    for (uint32_t i = s; i != LMB_NONE; i = lmb_rig_get_def(f->source)->joints[i].parent) {
        const uint32_t over = lmb_rig_get_def(f->source)->joints[i].parent;
        for (int c = 0; c < 3; c++) {
            sum += k *
                   (fabs((double)local[i].translation[c]) + fabs((double)source_reference_of(f, i).translation[c])) *
                   (over == LMB_NONE ? 1.0 : fmax(1.0, m->source[over].size));
        }
    }
    return sum;
}

static double rotation_difference(const double a[4], const double b[4]) {
    const double sign = oracle_quaternion_dot(a, b) < 0.0 ? -1.0 : 1.0;
    double worst = 0.0;
    for (int i = 0; i < 4; i++) {
        worst = fmax(worst, fabs(a[i] - sign * b[i]));
    }
    return worst;
}

static uint32_t depth_of(const lmb_rig *rig, uint32_t joint) {
    uint32_t depth = 0;
    for (; joint != LMB_NONE; joint = lmb_rig_get_def(rig)->joints[joint].parent) {
        depth++;
    }
    return depth;
}

// Compares a character whose source has this pose. Rotations in units of 1e-6 + 2e-7 for each joint of the source,
// translations in units of their bound.
static void compare(fixture *f, uint32_t character, const lmb_transform *local, double worst[2]) {
    model m;
    pose_model(f, local, &m);
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        const lmb_transform rest = lmb_rig_get_def(f->scene.rig)->joints[joint].rest;
        const lmb_transform got = scene_transform(&f->scene, f->scene.buffers[LMB_OUTPUT_LOCAL], character, joint);
        assert_memory_equal(got.scale, rest.scale, sizeof rest.scale);
        if (f->table[joint] == LMB_NONE) {
            assert_memory_equal(&got, &rest, sizeof rest);
            continue;
        }
        const uint32_t parent = lmb_rig_get_def(f->scene.rig)->joints[joint].parent, above = mapped_above(f, joint);
        double expected[4], t[3], q[4];
        memcpy(expected, m.turned[joint], sizeof expected);
        if (parent != LMB_NONE) {
            inverse_times(m.turned[parent], expected, expected);
        }
        const double steps = (double)depth_of(f->source, f->table[joint]) +
                             (above != LMB_NONE ? (double)depth_of(f->source, f->table[above]) : 0.0);
        scene_rotation(&f->scene, f->scene.buffers[LMB_OUTPUT_LOCAL], character, joint, q);
        worst[0] = fmax(worst[0], rotation_difference(q, expected) / (1e-6 + 2e-7 * steps));
        const double lengths = expect_translation(f, &m, local, joint, t);
        for (int i = 0; i < 3; i++) {
            worst[1] = fmax(worst[1], fabs(t[i] - (double)got.translation[i]) / (2e-6 * lengths));
        }
    }
}

// ---- Fixtures.

static void draw_pose(random_source *random, lmb_transform *pose, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        random_rotation(random, pose[i].rotation);
        for (int k = 0; k < 3; k++) {
            pose[i].translation[k] = (float)random_between(random, -4.0, 4.0);
            pose[i].scale[k] = (float)random_between(random, 0.5, 2.0);
        }
    }
}

// A map in which the source of a joint is below that of the mapped joint above it, with joints left out on both sides.
static void draw_descending_map(fixture *f) {
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        f->table[joint] = LMB_NONE;
        const uint32_t above = mapped_above(f, joint);
        if (random_below(&f->random, 5) == 0) {
            continue;
        }
        for (uint32_t tries = 0; tries < 40 && f->table[joint] == LMB_NONE; tries++) {
            const uint32_t s = random_below(&f->random, f->source_count);
            if (above == LMB_NONE ? depth_of(f->source, s) < 4 : is_under(f->source, s, f->table[above])) {
                f->table[joint] = s;
            }
        }
    }
}

static void draw_any_map(fixture *f) {
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        f->table[joint] = random_below(&f->random, 4) == 0 ? LMB_NONE : random_below(&f->random, f->source_count);
    }
}

static fixture *create(uint64_t seed, uint32_t source_count, bool any_map) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->random = (random_source){seed};
    scene_start(&f->scene, scene_rig(JOINTS, seed % 2 == 0 ? SCENE_TREE : SCENE_CHAIN, seed), CHARACTERS, PARAMETERS);
    f->source = scene_rig(source_count, seed % 3 == 0 ? SCENE_TREE : SCENE_CHAIN, seed + 100);
    f->source_count = source_count;
    if (any_map) {
        draw_any_map(f);
    } else {
        draw_descending_map(f);
    }
    f->retarget = lmb_retarget_of(f->source, f->table);
    f->scene.retargets = &f->retarget;
    f->scene.retarget_count = 1;
    f->keys = keyframes_create(source_count, 7, seed);
    f->clip = f->keys.clip;
    f->clip_rigs[0] = f->source;
    f->scene.clips = &f->clip;
    f->scene.clip_count = 1;
    f->scene.clip_rigs = f->clip_rigs;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        *scene_parameter(&f->scene, i, TIME) = (float)random_between(&f->random, 0.0, (double)KEYFRAMES_DURATION);
        *scene_parameter(&f->scene, i, WEIGHT) = (float)random_between(&f->random, 0.0, 1.0);
    }
    return f;
}

static void destroy(fixture *f) {
    keyframes_destroy(&f->keys);
    lmb_rig_destroy(f->source);
    scene_end(&f->scene);
    free(f);
}

static uint32_t add_retarget(fixture *f, uint32_t pose) {
    f->scene.nodes[f->scene.node_count++] = lmb_retarget_node(pose, 0);
    return f->scene.node_count - 1;
}

static uint32_t add_clip(fixture *f) {
    f->scene.nodes[f->scene.node_count++] = lmb_clip_node(0, lmb_parameter(TIME));
    f->scene.nodes[f->scene.node_count - 1].loop = false;
    return f->scene.node_count - 1;
}

// A pose buffer of the source, with random poses.
static uint32_t add_buffer(fixture *f) {
    const uint32_t count = f->source_count;
    lmb_transform pose[MOST_SOURCES];
    f->scene.poses[0] = calloc((size_t)CHARACTERS * count * LMB_POSE_COMPONENTS, sizeof(float));
    assert_non_null(f->scene.poses[0]);
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        float *to = f->scene.poses[0] + (size_t)character * count * LMB_POSE_COMPONENTS;
        draw_pose(&f->random, pose, count);
        for (uint32_t joint = 0; joint < count; joint++) {
            float components[LMB_POSE_COMPONENTS];
            memcpy(components, &pose[joint], sizeof components);
            for (uint32_t k = 0; k < LMB_POSE_COMPONENTS; k++) {
                to[k * count + joint] = components[k];
            }
        }
    }
    scene_add_pose_node(&f->scene, 0);
    return f->scene.node_count - 1;
}

static void load_buffer(const fixture *f, uint32_t character, lmb_transform *pose) {
    const float *from = f->scene.poses[0] + (size_t)character * f->source_count * LMB_POSE_COMPONENTS;
    for (uint32_t joint = 0; joint < f->source_count; joint++) {
        float components[LMB_POSE_COMPONENTS];
        for (uint32_t k = 0; k < LMB_POSE_COMPONENTS; k++) {
            components[k] = from[k * f->source_count + joint];
        }
        memcpy(&pose[joint], components, sizeof components);
    }
}

static void sample_clip(fixture *f, uint32_t character, lmb_transform *pose) {
    const double time =
        oracle_clip_time((double)*scene_parameter(&f->scene, character, TIME), oracle_clip_duration(&f->clip), false);
    for (uint32_t joint = 0; joint < f->source_count; joint++) {
        const lmb_transform rest = lmb_rig_get_def(f->source)->joints[joint].rest;
        const oracle_transform from = oracle_transform_from_float(&rest);
        oracle_choices choices = {0};
        oracle_transform found;
        oracle_clip_sample(&f->clip, joint, time, &from, &choices, &found);
        for (int i = 0; i < 4; i++) {
            pose[joint].rotation[i] = (float)found.rotation[i];
        }
        for (int i = 0; i < 3; i++) {
            pose[joint].translation[i] = (float)found.translation[i];
            pose[joint].scale[i] = (float)found.scale[i];
        }
    }
}

static lmb_result check_fixture(const fixture *f, lmb_error *error) {
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = f->scene.rig;
    def.nodes = f->scene.nodes;
    def.node_count = f->scene.node_count;
    def.retargets = f->scene.retargets;
    def.retarget_count = f->scene.retarget_count;
    def.static_poses = f->scene.static_poses;
    def.static_pose_count = f->scene.static_pose_count;
    lmb_graph *graph = NULL;
    const lmb_result result = lmb_graph_create(&def, NULL, &graph, error);
    lmb_graph_destroy(graph);
    return result;
}

#define REFUSED(f, ...) CHECK_REFUSAL(check_fixture(f, &error), &error, LMB_ERROR_ARGUMENT, __VA_ARGS__)

// ---- Tests.

static void add_options(fixture *f, uint64_t seed) {
    for (uint32_t i = 0; i < JOINTS; i++) {
        f->aligned[i] = (uint8_t)(random_below(&f->random, 3) > 0);
        f->scales[i] = i % 4 == 0 ? 0.0f : (float)random_between(&f->random, 0.0, 3.0);
    }
    draw_pose(&f->random, f->source_pose, f->source_count);
    draw_pose(&f->random, f->target_pose, JOINTS);
    f->retarget.align_above = seed % 4 == 0 ? 4.0f : seed % 4 == 1 ? 0.0f : 0.9f;
    f->retarget.aligned = seed % 2 == 0 ? f->aligned : NULL;
    f->retarget.scales = seed % 3 == 0 ? f->scales : NULL;
    f->retarget.source_pose = seed % 5 < 2 ? f->source_pose : NULL;
    f->retarget.target_pose = seed % 5 == 1 || seed % 5 == 2 ? f->target_pose : NULL;
    f->retarget.root_scale = seed % 6 == 0 ? 1.75f : 0.0f;
    if (seed % 7 < 3) {
        random_rotation(&f->random, f->retarget.turn);
        f->retarget.turn[1] *= 3.0f; // any length
        f->retarget.turn[0] *= 3.0f;
        f->retarget.turn[2] *= 3.0f;
        f->retarget.turn[3] *= 3.0f;
    }
}

static void joints_move_as_in_the_source(void **state) {
    (void)state;
    double worst[2] = {0.0, 0.0};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const uint32_t counts[] = {1, 9, JOINTS, MOST_SOURCES};
        fixture *f = create(seed, counts[seed % 4], seed % 10 == 9);
        add_options(f, seed);
        add_retarget(f, add_buffer(f));
        scene_run_all_paths(&f->scene);
        scene_expect_no_refusals(&f->scene);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            lmb_transform pose[MOST_SOURCES];
            load_buffer(f, i, pose);
            compare(f, i, pose, worst);
        }
        destroy(f);
    }
    print_message("buffers: rotation %.2g, translation %.2g of their bounds\n", worst[0], worst[1]);
    assert_true(worst[0] < 1.0 && worst[1] < 1.0);
}

static void clips_of_another_rig_play(void **state) {
    (void)state;
    double worst[2] = {0.0, 0.0};
    for (uint64_t seed = 1; seed <= 16; seed++) {
        fixture *f = create(seed, seed % 2 == 0 ? 17 : MOST_SOURCES, false);
        add_retarget(f, add_clip(f));
        scene_run_all_paths(&f->scene);
        scene_expect_no_refusals(&f->scene);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            lmb_transform pose[MOST_SOURCES];
            sample_clip(f, i, pose);
            compare(f, i, pose, worst);
        }
        destroy(f);
    }
    print_message("clips: rotation %.2g, translation %.2g of their bounds\n", worst[0], worst[1]);
    assert_true(worst[0] < 3.0 && worst[1] < 3.0); // sampling has errors of its own
}

static uint32_t add_static(fixture *f, lmb_static_pose_def *pose, lmb_transform *joints) {
    draw_pose(&f->random, joints, f->source_count);
    *pose = (lmb_static_pose_def){.joints = joints, .joint_count = f->source_count};
    f->scene.static_poses = pose;
    f->scene.static_pose_count = 1;
    scene_add_pose_node(&f->scene, 0)->static_pose = 0;
    return f->scene.node_count - 1;
}

static void static_poses_of_another_rig(void **state) {
    (void)state;
    double worst[2] = {0.0, 0.0};
    for (uint64_t seed = 1; seed <= 8; seed++) {
        fixture *f = create(seed, 31, false);
        lmb_transform joints[MOST_SOURCES];
        lmb_static_pose_def pose;
        add_retarget(f, add_static(f, &pose, joints));
        scene_run_all_paths(&f->scene);
        compare(f, 0, joints, worst);
        destroy(f);
    }
    print_message("static poses: rotation %.2g, translation %.2g of their bounds\n", worst[0], worst[1]);
    assert_true(worst[0] < 1.0 && worst[1] < 1.0);
}

// The reference pose of the source becomes that of the rig, wherever no bone is turned.
static void reference_becomes_reference(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        fixture *f = create(seed, 29, false);
        lmb_transform rest[MOST_SOURCES];
        lmb_static_pose_def pose;
        f->retarget.align_above = 4.0f;
        add_retarget(f, add_static(f, &pose, rest));
        for (uint32_t i = 0; i < f->source_count; i++) {
            rest[i] = lmb_rig_get_def(f->source)->joints[i].rest;
        }
        scene_run_all_paths(&f->scene);
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            const lmb_transform own = lmb_rig_get_def(f->scene.rig)->joints[joint].rest;
            const oracle_transform expected = oracle_transform_from_float(&own);
            double q[4];
            scene_rotation(&f->scene, f->scene.buffers[LMB_OUTPUT_LOCAL], 0, joint, q);
            assert_true(rotation_difference(q, expected.rotation) < 4e-6);
            for (uint32_t k = 0; k < 3; k++) {
                const double got = (double)*scene_component(&f->scene, f->scene.buffers[LMB_OUTPUT_LOCAL], 0, joint, k);
                assert_true(fabs(got - expected.translation[k]) < 1e-3);
            }
        }
        destroy(f);
    }
}

// A rig onto itself gives its own clip.
static void a_rig_on_itself_plays_as_it_is(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        fixture *f = create(seed, JOINTS, false);
        lmb_rig_destroy(f->source);
        f->source = scene_rig(JOINTS, seed % 2 == 0 ? SCENE_TREE : SCENE_CHAIN, seed); // as that of the scene
        f->clip_rigs[0] = f->source;
        for (uint32_t i = 0; i < JOINTS; i++) {
            f->table[i] = i;
        }
        f->retarget = lmb_retarget_of(f->source, f->table);
        add_clip(f);
        scene_run(&f->scene);
        float *expected = scene_keep_output(&f->scene, LMB_OUTPUT_LOCAL);
        add_retarget(f, 0);
        scene_run_all_paths(&f->scene);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            for (uint32_t joint = 0; joint < JOINTS; joint++) {
                double a[4], b[4];
                scene_rotation(&f->scene, expected, i, joint, a);
                scene_rotation(&f->scene, f->scene.buffers[LMB_OUTPUT_LOCAL], i, joint, b);
                assert_true(rotation_difference(a, b) < 1e-6);
                for (uint32_t k = 0; k < 3; k++) {
                    const double x = (double)*scene_component(&f->scene, expected, i, joint, k);
                    const double y =
                        (double)*scene_component(&f->scene, f->scene.buffers[LMB_OUTPUT_LOCAL], i, joint, k);
                    assert_true(fabs(x - y) < 1e-4);
                }
            }
        }
        free(expected);
        destroy(f);
    }
}

// Nodes between the sources and the retarget work on the rig: a blend of converted poses, masked.
static void nodes_inside_work_on_the_rig(void **state) {
    (void)state;
    fixture *f = create(5, MOST_SOURCES, false);
    uint8_t mask[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        mask[i] = (uint8_t)(i * 11);
    }
    f->scene.masks[0] = mask;
    f->scene.mask_count = 1;
    const uint32_t clip = add_clip(f), buffer = add_buffer(f);
    scene_add(&f->scene, LMB_OP_MASKED, clip, buffer)->weight = lmb_parameter(WEIGHT);
    add_retarget(f, 2);
    scene_run_all_paths(&f->scene);
    const scene_results inside = scene_keep(&f->scene);
    f->scene.node_count = 2;
    add_retarget(f, clip);
    add_retarget(f, buffer);
    scene_add(&f->scene, LMB_OP_MASKED, 2, 3)->weight = lmb_parameter(WEIGHT);
    scene_run_all_paths(&f->scene);
    scene_expect(&f->scene, &inside);
    scene_results_destroy((scene_results *)&inside);
    destroy(f);
}

// The inner one of a joint map and a retarget defines the joints of a source.
static void retargets_nest_with_joint_maps(void **state) {
    (void)state;
    fixture *f = create(8, 13, false);
    const uint32_t clip = add_clip(f);
    const uint32_t whole = add_retarget(f, clip);
    uint32_t mapped[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        mapped[i] = i % 2 == 0 ? LMB_NONE : i % 5;
    }
    const lmb_joint_map_def map = {mapped, 5};
    f->scene.joint_maps = &map;
    f->scene.joint_map_count = 1;
    scene_run(&f->scene);
    float *alone = scene_keep_output(&f->scene, LMB_OUTPUT_LOCAL);
    lmb_node_def *combine = scene_add(&f->scene, LMB_OP_COMBINE, LMB_NONE, LMB_NONE);
    combine->input_count = 1;
    combine->inputs[0] = whole;
    combine->joint_maps[0] = 0;
    scene_run_all_paths(&f->scene);
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        const lmb_transform got = scene_transform(&f->scene, f->scene.buffers[LMB_OUTPUT_LOCAL], 3, joint);
        const lmb_transform expected = mapped[joint] != LMB_NONE ? scene_transform(&f->scene, alone, 3, joint)
                                                                 : lmb_rig_get_def(f->scene.rig)->joints[joint].rest;
        assert_memory_equal(&got, &expected, sizeof got);
    }
    free(alone);
    destroy(f);
}

// What the source lacks is its rest pose: clips that do not exist, joints that are refused.
static void refused_sources_are_at_rest(void **state) {
    (void)state;
    double worst[2] = {0.0, 0.0};
    fixture *f = create(7, 19, false);
    lmb_transform rest[MOST_SOURCES];
    for (uint32_t i = 0; i < f->source_count; i++) {
        rest[i] = lmb_rig_get_def(f->source)->joints[i].rest;
    }
    const uint32_t clip = add_clip(f);
    f->scene.nodes[clip].clip = lmb_parameter(WEIGHT);
    add_retarget(f, clip);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        *scene_parameter(&f->scene, i, WEIGHT) = i % 2 == 0 ? 7.0f : NAN;
    }
    scene_run_all_paths(&f->scene);
    assert_int_equal(f->scene.refused[LMB_REFUSED_CLIP], CHARACTERS);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        compare(f, i, rest, worst);
    }
    f->scene.node_count = 0;
    add_retarget(f, add_buffer(f));
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        float *to = f->scene.poses[0] + (size_t)i * f->source_count * LMB_POSE_COMPONENTS;
        for (uint32_t joint = 0; joint < f->source_count; joint++) {
            to[((i + joint) % LMB_POSE_COMPONENTS) * f->source_count + joint] = i % 2 == 0 ? NAN : INFINITY;
        }
    }
    scene_run_all_paths(&f->scene);
    assert_true(f->scene.refused[LMB_REFUSED_POSE] >= CHARACTERS);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        compare(f, i, rest, worst);
    }
    assert_true(worst[0] < 1.0 && worst[1] < 1.0);
    destroy(f);
}

static void set_joint(lmb_joint_def *joint, const char *name, uint32_t parent, float x, float y) {
    *joint = lmb_default_joint_def();
    joint->name = name;
    joint->parent = parent;
    joint->rest.translation[0] = x;
    joint->rest.translation[1] = y;
}

static lmb_rig *rig_of(const lmb_joint_def *joints, uint32_t count) {
    const lmb_rig_def def = {.joints = joints, .joint_count = count};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

// A leg and an arm. That of the source is in a T-pose, that of the rig hangs down, and it is half as large.
enum { HIPS, THIGH, SHIN, FOOT, ARM, FOREARM, HAND, PERSON };
static const char *const names[PERSON] = {"hips", "thigh", "shin", "foot", "arm", "forearm", "hand"};

static lmb_rig *create_person(float size, bool arm_hangs, const char *prefix) {
    static const uint32_t parents[PERSON] = {LMB_NONE, HIPS, THIGH, SHIN, HIPS, ARM, FOREARM};
    const float x[PERSON] = {0.0f, 0.1f, 0.0f, 0.0f, 0.2f, arm_hangs ? 0.0f : 0.3f, arm_hangs ? 0.0f : 0.3f};
    const float y[PERSON] = {1.0f, 0.0f, -0.5f, -0.5f, 0.5f, arm_hangs ? -0.3f : 0.0f, arm_hangs ? -0.3f : 0.0f};
    lmb_joint_def joints[PERSON];
    char texts[PERSON][40];
    for (uint32_t i = 0; i < PERSON; i++) {
        snprintf(texts[i], sizeof texts[i], "%s%s", prefix, names[i]);
        set_joint(&joints[i], texts[i], parents[i], size * x[i], size * y[i]);
    }
    return rig_of(joints, PERSON);
}

// An arm that hangs down takes the direction of the T-pose, and translations scale with the legs.
static void rest_poses_are_corrected(void **state) {
    (void)state;
    lmb_rig *source = create_person(1.0f, false, "mixamorig:");
    test_scene scene;
    uint32_t table[PERSON];
    scene_start(&scene, create_person(0.5f, true, "Rig|"), 1, 0);
    assert_int_equal(lmb_rig_find_retarget(scene.rig, source, table), PERSON);
    for (uint32_t i = 0; i < PERSON; i++) {
        assert_int_equal(table[i], i);
    }
    lmb_retarget_def retarget = lmb_retarget_of(source, table);
    assert_true(lmb_retarget_root_scale(scene.rig, &retarget, NULL) == 0.5f); // heights
    retarget.foot = FOOT;
    assert_true(fabsf(lmb_retarget_root_scale(scene.rig, &retarget, NULL) - 0.5f) < 1e-7f);
    retarget.root_scale = 3.0f;
    assert_true(lmb_retarget_root_scale(scene.rig, &retarget, NULL) == 3.0f);
    retarget.root_scale = 0.0f;
    lmb_transform pose[PERSON];
    for (uint32_t i = 0; i < PERSON; i++) {
        pose[i] = lmb_rig_get_def(source)->joints[i].rest;
    }
    pose[HIPS].translation[1] = 0.8f; // a crouch, and a step
    pose[HIPS].translation[2] = 2.0f;
    const lmb_static_pose_def crouch = {.joints = pose, .joint_count = PERSON};
    scene.static_poses = &crouch;
    scene.static_pose_count = 1;
    scene.retargets = &retarget;
    scene.retarget_count = 1;
    scene_add_pose_node(&scene, 0)->static_pose = 0;
    scene.nodes[scene.node_count++] = lmb_retarget_node(0, 0);
    scene_run_all_paths(&scene);
    const float *model = scene.buffers[LMB_OUTPUT_MODEL];
    const float expected[PERSON][3] = {{0.0f, 0.4f, 1.0f},   {0.05f, 0.4f, 1.0f}, {0.05f, 0.15f, 1.0f},
                                       {0.05f, -0.1f, 1.0f}, {0.1f, 0.65f, 1.0f}, {0.25f, 0.65f, 1.0f},
                                       {0.4f, 0.65f, 1.0f}};
    for (uint32_t i = 0; i < PERSON; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            assert_true(fabsf(model[i * LMB_MATRIX_COMPONENTS + 4 * k + 3] - expected[i][k]) < 2e-6f);
        }
    }
    // Without the correction it hangs.
    retarget.align_above = 4.0f;
    scene_run_all_paths(&scene);
    assert_true(fabsf(model[HAND * LMB_MATRIX_COMPONENTS + 3] - 0.1f) < 2e-6f);
    retarget.align_above = 0.26f;
    const uint8_t aligned[PERSON] = {1, 1, 1, 1, 0, 0, 1};
    retarget.aligned = aligned;
    scene_run_all_paths(&scene);
    assert_true(fabsf(model[HAND * LMB_MATRIX_COMPONENTS + 3] - 0.1f) < 2e-6f);
    lmb_rig_destroy(source);
    scene_end(&scene);
}

static void draw_crouch(random_source *random, lmb_rig *source, lmb_transform *pose) {
    for (uint32_t i = 0; i < PERSON; i++) {
        pose[i] = lmb_rig_get_def(source)->joints[i].rest;
        const double angle = random_between(random, -0.4, 0.4);
        pose[i].rotation[i % 3] = (float)sin(angle);
        pose[i].rotation[3] = (float)cos(angle);
    }
    pose[HIPS].translation[0] = (float)random_between(random, -1.0, 1.0);
    pose[HIPS].translation[1] = (float)random_between(random, 0.7, 0.8);
}

// The position of a joint in model space.
static void place_of(const lmb_rig *rig, const lmb_transform *pose, uint32_t joint, double place[3]) {
    frame at = world;
    uint32_t ancestors[PERSON], count = 0;
    for (uint32_t i = joint; i != LMB_NONE; i = lmb_rig_get_def(rig)->joints[i].parent) {
        ancestors[count++] = i;
    }
    while (count-- > 0) {
        at = child_of(&at, &pose[ancestors[count]], 1.0);
    }
    memcpy(place, at.t, sizeof at.t);
}

// A retarget of a blend of two poses and the pose at rest, with goals for a foot and a hand.
typedef struct limbs {
    test_scene scene;
    lmb_rig *source;
    uint32_t table[PERSON];
    lmb_retarget_def retarget;
    lmb_transform poses[3][PERSON]; // the last one at rest
    lmb_static_pose_def named[2];
} limbs;

static void limbs_start(limbs *l) {
    l->source = create_person(1.0f, false, "");
    scene_start(&l->scene, create_person(0.5f, true, ""), 1, 2);
    lmb_rig_find_retarget(l->scene.rig, l->source, l->table);
    l->retarget = lmb_retarget_of(l->source, l->table);
    for (uint32_t i = 0; i < 2; i++) {
        l->named[i] = (lmb_static_pose_def){.joints = l->poses[i], .joint_count = PERSON};
        scene_add_pose_node(&l->scene, 0)->static_pose = i;
    }
    for (uint32_t i = 0; i < PERSON; i++) {
        l->poses[2][i] = lmb_rig_get_def(l->source)->joints[i].rest;
    }
    l->scene.static_poses = l->named;
    l->scene.static_pose_count = 2;
    l->scene.retargets = &l->retarget;
    l->scene.retarget_count = 1;
    scene_add(&l->scene, LMB_OP_REST, LMB_NONE, LMB_NONE);
    lmb_node_def *sum = scene_add(&l->scene, LMB_OP_WEIGHTED, LMB_NONE, LMB_NONE);
    sum->input_count = 3;
    for (uint32_t i = 0; i < 3; i++) {
        sum->inputs[i] = i;
        sum->weights[i] = i < 2 ? lmb_parameter(i) : lmb_constant(0.125f);
    }
    l->scene.nodes[l->scene.node_count++] = lmb_retarget_node(3, 0);
    l->scene.nodes[l->scene.node_count++] = lmb_goal_node(4, THIGH, SHIN, FOOT, 4);
    l->scene.nodes[l->scene.node_count++] = lmb_goal_node(5, ARM, FOREARM, HAND, 4);
    for (uint32_t i = 5; i <= 6; i++) {
        l->scene.nodes[i].two_bone.mid_axis[0] = 1.0f;
        l->scene.nodes[i].two_bone.mid_axis[2] = i == 5 ? 0.0f : 1.0f;
    }
}

// P'_j + k A (X_s - X0_s), blended by the weights.
static void expect_goal(const limbs *l, const double weights[3], uint32_t end, double goal[3]) {
    // The pose at rest with the arm in the direction of the source's.
    const double corrected[2][3] = {{0.05, 0.0, 0.0}, {0.4, 0.75, 0.0}};
    double before[3], now[3];
    place_of(l->source, l->poses[2], end, before);
    goal[0] = goal[1] = goal[2] = 0.0;
    for (uint32_t i = 0; i < 3; i++) {
        place_of(l->source, l->poses[i], end, now);
        for (int k = 0; k < 3; k++) {
            goal[k] += (corrected[end == FOOT ? 0 : 1][k] + 0.5 * (now[k] - before[k])) * weights[i] /
                       (weights[0] + weights[1] + weights[2]);
        }
    }
}

static void load_place(const test_scene *scene, uint32_t joint, double place[3]) {
    for (uint32_t k = 0; k < 3; k++) {
        place[k] = (double)scene->buffers[LMB_OUTPUT_MODEL][joint * LMB_MATRIX_COMPONENTS + 4 * k + 3];
    }
}

// Feet and hands reach their goals, though the rig has other proportions.
static void goals_are_reached(void **state) {
    (void)state;
    random_source random = {77};
    limbs l = {0};
    limbs_start(&l);
    double worst = 0.0;
    uint32_t reached = 0;
    for (uint32_t try = 0; try < 60; try++) {
        const double weights[3] = {0.5, try % 2 == 0 ? 0.0 : 0.25, try % 3 == 0 ? 0.125 : 0.0};
        draw_crouch(&random, l.source, l.poses[0]);
        draw_crouch(&random, l.source, l.poses[1]);
        l.scene.parameters[0] = (float)weights[0];
        l.scene.parameters[1] = (float)weights[1];
        l.scene.nodes[3].weights[2] = lmb_constant((float)weights[2]);
        scene_run_all_paths(&l.scene);
        for (uint32_t limb = 0; limb < 2; limb++) {
            const uint32_t end = limb == 0 ? FOOT : HAND;
            double goal[3], got[3], from[3];
            expect_goal(&l, weights, end, goal);
            load_place(&l.scene, end, got);
            load_place(&l.scene, limb == 0 ? THIGH : ARM, from);
            if (distance(from, goal) < 0.99 * (limb == 0 ? 0.5 : 0.3)) {
                worst = fmax(worst, distance(got, goal));
                reached++;
            }
        }
    }
    print_message("goals: %u reached, %.2g\n", reached, worst);
    assert_true(reached > 30 && worst < 2e-6);
    // At weight 0 the base passes.
    l.scene.nodes[5].weight = l.scene.nodes[6].weight = lmb_constant(0.0f);
    scene_run_all_paths(&l.scene);
    float *with = scene_keep_output(&l.scene, LMB_OUTPUT_LOCAL);
    l.scene.node_count = 5;
    scene_run(&l.scene);
    scene_expect_output(&l.scene, LMB_OUTPUT_LOCAL, with);
    free(with);
    lmb_rig_destroy(l.source);
    scene_end(&l.scene);
}

static void faulty_goals_are_refused(void **state) {
    (void)state;
    fixture *f = create(1, 11, false); // a chain
    lmb_transform joints[MOST_SOURCES];
    lmb_static_pose_def pose;
    lmb_error error = {0};
    for (uint32_t i = 0; i < JOINTS; i++) {
        f->table[i] = i == 4 ? LMB_NONE : 0;
    }
    const uint32_t end = JOINTS - 1, mid = lmb_rig_get_def(f->scene.rig)->joints[end].parent;
    add_retarget(f, add_static(f, &pose, joints));
    f->scene.nodes[2] = lmb_goal_node(1, lmb_rig_get_def(f->scene.rig)->joints[mid].parent, mid, end, 1);
    f->scene.node_count = 3;
    assert_int_equal(check_fixture(f, &error), LMB_OK);
    f->scene.nodes[2].goal = 0;
    REFUSED(f, "node 2 (ik-two-bone)", "goal", "not a retarget");
    f->scene.nodes[2].goal = 2;
    REFUSED(f, "goal", "before the node");
    f->scene.nodes[2].goal = 1;
    f->table[end] = LMB_NONE;
    REFUSED(f, "goal", "no joint of the source for the end");
    f->table[end] = 0;
    // An operation inside that no positions pass.
    f->scene.nodes[3] = f->scene.nodes[2];
    f->scene.nodes[2] = lmb_retarget_node(1, 0);
    f->scene.nodes[1] = lmb_default_node_def();
    f->scene.nodes[1].op = LMB_OP_SCALE;
    f->scene.nodes[1].input_count = 1;
    f->scene.nodes[3].inputs[0] = f->scene.nodes[3].goal = 2;
    f->scene.node_count = 4;
    REFUSED(f, "node 1 (scale)", "goal");
    f->scene.nodes[3].goal = LMB_NONE;
    assert_int_equal(check_fixture(f, &error), LMB_OK);
    destroy(f);
}

// Bones without a length, an opposite bone, joints at one place, a joint that repeats its parent's source.
static void degenerate_rigs_stay_finite(void **state) {
    (void)state;
    lmb_joint_def own[4], other[3];
    set_joint(&own[0], "a", LMB_NONE, 0.0f, 0.0f);
    set_joint(&own[1], "b", 0, 0.0f, 1.0f);
    set_joint(&own[2], "c", 1, 0.0f, 0.0f);
    set_joint(&own[3], "d", 2, 0.0f, 1.0f);
    set_joint(&other[0], "a", LMB_NONE, 0.0f, 0.0f);
    set_joint(&other[1], "b", 0, 0.0f, -1.0f);
    set_joint(&other[2], "c", 1, 0.0f, 0.0f);
    other[1].rest.scale[0] = other[1].rest.scale[1] = other[1].rest.scale[2] = 0.0f;
    other[1].has_inverse_bind = other[2].has_inverse_bind = true;
    lmb_rig *source = rig_of(other, 3);
    test_scene scene;
    scene_start(&scene, rig_of(own, 4), 2, 0);
    const uint32_t table[4] = {0, 1, 2, 2};
    const lmb_retarget_def retarget = lmb_retarget_of(source, table);
    scene.retargets = &retarget;
    scene.retarget_count = 1;
    scene.poses[0] = calloc(2 * 3 * LMB_POSE_COMPONENTS, sizeof(float));
    assert_non_null(scene.poses[0]);
    for (uint32_t i = 0; i < 2 * 3 * LMB_POSE_COMPONENTS; i++) {
        scene.poses[0][i] = i % 3 == 0 ? 0x1p40f : -0.5f;
    }
    scene_add_pose_node(&scene, 0);
    scene.nodes[scene.node_count++] = lmb_retarget_node(0, 0);
    scene_run_all_paths(&scene); // checks that every output is finite
    // The bone of a is turned by half a turn; c and d have the same source.
    const lmb_transform d = scene_transform(&scene, scene.buffers[LMB_OUTPUT_LOCAL], 0, 3);
    const lmb_transform rest = lmb_rig_get_def(scene.rig)->joints[3].rest;
    assert_true(fabsf(d.translation[1] - rest.translation[1]) < 1e-6f && fabsf(d.rotation[3]) > 0.999f);
    lmb_rig_destroy(source);
    scene_end(&scene);
}

// Joints of a source whose joint weight is 0 are absent, and channels keep their rest values.
static void joint_weights_and_channels(void **state) {
    (void)state;
    fixture *f = create(4, 21, false);
    uint8_t weights[MOST_SOURCES];
    for (uint32_t i = 0; i < MOST_SOURCES; i++) {
        weights[i] = (uint8_t)(i % 3 == 0 ? 0 : 255);
    }
    f->clip.joint_weights = weights;
    scene_add(&f->scene, LMB_OP_REST, LMB_NONE, LMB_NONE);
    const uint32_t clip = add_clip(f), retargeted = add_retarget(f, clip);
    scene_run(&f->scene);
    float *whole = scene_keep_output(&f->scene, LMB_OUTPUT_LOCAL);
    scene_add(&f->scene, LMB_OP_PARTIAL, 0, retargeted)->weight = lmb_constant(1.0f);
    scene_run_all_paths(&f->scene);
    uint32_t absent = 0;
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        const bool is_absent = f->table[joint] != LMB_NONE && f->table[joint] % 3 == 0;
        const lmb_transform got = scene_transform(&f->scene, f->scene.buffers[LMB_OUTPUT_LOCAL], 1, joint);
        const lmb_transform expected =
            is_absent ? lmb_rig_get_def(f->scene.rig)->joints[joint].rest : scene_transform(&f->scene, whole, 1, joint);
        assert_memory_equal(&got, &expected, sizeof got);
        absent += is_absent;
    }
    assert_true(absent > 0);
    free(whole);
    destroy(f);
}

static void faulty_definitions_are_refused(void **state) {
    (void)state;
    fixture *f = create(2, 11, false);
    lmb_transform joints[MOST_SOURCES];
    lmb_static_pose_def pose;
    lmb_error error = {0};
    add_retarget(f, add_static(f, &pose, joints));
    lmb_retarget_def *def = &f->retarget;
    const lmb_retarget_def good = *def;
    assert_int_equal(check_fixture(f, &error), LMB_OK);
    def->cookie = 0;
    REFUSED(f, "retarget 0", "lmb_default_retarget_def");
    *def = good;
    def->source_joint_count = 0;
    REFUSED(f, "retarget 0", "1 to 65535");
    *def = good;
    def->joints = NULL;
    REFUSED(f, "the joints are NULL");
    *def = good;
    def->source_parents = NULL;
    REFUSED(f, "parents", "NULL");
    *def = good;
    def->source_rest = NULL;
    REFUSED(f, "rest pose", "NULL");
    *def = good;
    f->table[3] = 11;
    REFUSED(f, "retarget 0", "joint 3", "no such joint");
    f->table[3] = LMB_NONE;
    uint32_t parents[11] = {LMB_NONE, 0, 1, 3};
    def->source_parents = parents;
    REFUSED(f, "joint 3 of the source", "parent");
    *def = good;
    lmb_transform rest[11];
    for (uint32_t i = 0; i < 11; i++) {
        rest[i] = lmb_transform_identity();
    }
    rest[5].rotation[3] = 0.5f;
    def->source_rest = rest;
    REFUSED(f, "joint 5 of the source", "rest pose");
    *def = good;
    rest[5].rotation[3] = 1.0f;
    rest[7].translation[1] = NAN;
    def->source_pose = rest;
    REFUSED(f, "joint 7 of the source", "reference pose");
    *def = good;
    for (uint32_t i = 0; i < JOINTS; i++) {
        f->target_pose[i] = lmb_transform_identity();
        f->scales[i] = 1.0f;
    }
    f->table[6] = 0;
    f->target_pose[6].scale[2] = INFINITY;
    def->target_pose = f->target_pose;
    REFUSED(f, "joint 6", "reference pose");
    *def = good;
    f->scales[4] = -1.0f;
    def->scales = f->scales;
    REFUSED(f, "joint 4", "scale", "2^20");
    *def = good;
    def->turn[3] = 0.0f;
    REFUSED(f, "turn", "0");
    def->turn[3] = NAN;
    REFUSED(f, "turn");
    *def = good;
    def->align_above = -0.1f;
    REFUSED(f, "align_above");
    *def = good;
    def->root_scale = NAN;
    REFUSED(f, "root_scale");
    *def = good;
    def->foot = JOINTS;
    REFUSED(f, "foot", "no such joint");
    def->foot = 0;
    REFUSED(f, "joint 0", "foot", "not mapped");
    *def = good;
    assert_true(lmb_retarget_root_scale(f->scene.rig, def, NULL) > 0.0f);
    def->cookie = 1;
    assert_true(lmb_retarget_root_scale(f->scene.rig, def, NULL) == 0.0f);
    *def = good;
    f->scene.nodes[1].retarget = 1;
    REFUSED(f, "node 1 (retarget)", "no such retarget");
    f->scene.nodes[1].retarget = 0;
    pose.joint_count = 10;
    REFUSED(f, "node 0 (pose)", "10 joints", "source of retarget 0", "11");
    pose.joint_count = 11;
    f->scene.nodes[1].input_count = 2;
    REFUSED(f, "inputs", "1");
    f->scene.nodes[1].input_count = 1;
    f->scene.retarget_count = LMB_MAX_RETARGETS + 1;
    CHECK_REFUSAL(check_fixture(f, &error), &error, LMB_ERROR_LIMIT, "retargets");
    f->scene.retarget_count = 1;
    f->scene.retargets = NULL;
    REFUSED(f, "retargets", "NULL");
    destroy(f);
}

static void additives_are_refused(void **state) {
    (void)state;
    fixture *f = create(3, 11, false);
    lmb_error error = {0};
    scene_add(&f->scene, LMB_OP_REST, LMB_NONE, LMB_NONE);
    scene_add(&f->scene, LMB_OP_REST, LMB_NONE, LMB_NONE);
    scene_add(&f->scene, LMB_OP_MAKE_ADDITIVE, 0, 1);
    add_retarget(f, 2);
    REFUSED(f, "node 3 (retarget)", "additive", "model space");
    destroy(f);
}

// A clip that a parameter chooses among additives, none of which has the joints of the source: it would be absent, and
// an absent additive is of the rig's joints.
static void absent_additives_are_refused(void **state) {
    (void)state;
    fixture *f = create(3, 11, false);
    lmb_error error = {0};
    lmb_clip *clip = NULL;
    assert_int_equal(
        lmb_clip_create(f->scene.rig, &(lmb_clip_def){.duration = 1.0f, .additive = true}, NULL, &clip, &error),
        LMB_OK);
    add_buffer(f);
    add_clip(f);
    f->scene.nodes[1].clip = lmb_parameter(WEIGHT);
    scene_add(&f->scene, LMB_OP_ADDITIVE, 0, 1);
    add_retarget(f, 2);
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = f->scene.rig;
    def.clips = (const lmb_clip *const *)&clip;
    def.clip_count = 1;
    def.nodes = f->scene.nodes;
    def.node_count = f->scene.node_count;
    def.retargets = f->scene.retargets;
    def.retarget_count = 1;
    def.parameter_count = PARAMETERS;
    lmb_graph *graph = NULL;
    const lmb_result result = lmb_graph_create(&def, NULL, &graph, &error);
    CHECK_REFUSAL(result, &error, LMB_ERROR_ARGUMENT, "node 1 (clip)", "an additive in a retarget");
    lmb_graph_destroy(graph);
    lmb_clip_destroy(clip);
    destroy(f);
}

static void defaults_and_constructors(void **state) {
    (void)state;
    const lmb_node_def node = lmb_retarget_node(4, 2);
    assert_int_equal(node.op, LMB_OP_RETARGET);
    assert_true(node.input_count == 1 && node.inputs[0] == 4 && node.retarget == 2);
    const lmb_retarget_def def = lmb_default_retarget_def();
    assert_true(def.turn[3] == 1.0f && def.align_above == 0.26f && def.foot == LMB_NONE && def.root_scale == 0.0f);
    const lmb_retarget_def none = lmb_retarget_of(NULL, NULL);
    assert_int_equal(none.source_joint_count, 0);
}

// Case, separators and namespaces do not matter; nothing else matches.
static void joints_are_found_by_name(void **state) {
    (void)state;
    static const char *const own[] = {"Left Arm", "right_arm", "arm", "ns:a|Spine.1", "", "__"};
    static const char *const other[] = {"mixamorig:LeftArm", "RIGHT-ARM", "arms", "spine1", "Spine.1"};
    static const uint32_t expected[] = {0, 1, LMB_NONE, 3, LMB_NONE, LMB_NONE};
    lmb_joint_def joints[6];
    for (uint32_t i = 0; i < 6; i++) {
        set_joint(&joints[i], own[i], LMB_NONE, 0.0f, 0.0f);
    }
    lmb_rig *rig = rig_of(joints, 6);
    for (uint32_t i = 0; i < 5; i++) {
        set_joint(&joints[i], other[i], LMB_NONE, 0.0f, 0.0f);
    }
    lmb_rig *source = rig_of(joints, 5);
    uint32_t table[6];
    assert_int_equal(lmb_rig_find_retarget(rig, source, table), 3);
    assert_memory_equal(table, expected, sizeof expected);
    lmb_rig_destroy(rig);
    lmb_rig_destroy(source);
}

// Every allocation of a graph with a retarget fails once.
typedef struct failing {
    uint32_t left;
} failing;

static void *allocate(void *user, size_t size) {
    failing *f = user;
    if (f->left == 0) {
        return NULL;
    }
    f->left--;
    return malloc(size);
}

static void release(void *user, void *memory) {
    (void)user;
    free(memory);
}

static void memory_may_run_out(void **state) {
    (void)state;
    fixture *f = create(6, 11, false);
    lmb_transform joints[MOST_SOURCES];
    lmb_static_pose_def pose;
    add_retarget(f, add_static(f, &pose, joints));
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = f->scene.rig;
    def.nodes = f->scene.nodes;
    def.node_count = f->scene.node_count;
    def.retargets = &f->retarget;
    def.retarget_count = 1;
    def.static_poses = &pose;
    def.static_pose_count = 1;
    lmb_result result = LMB_ERROR_MEMORY;
    uint32_t failures = 0;
    for (; result == LMB_ERROR_MEMORY; failures++) {
        failing user = {failures};
        const lmb_host host = {.allocate = allocate, .release = release, .user = &user};
        lmb_graph *graph = NULL;
        result = lmb_graph_create(&def, &host, &graph, NULL);
        assert_int_equal(result == LMB_OK, graph != NULL);
        lmb_graph_destroy(graph);
    }
    assert_int_equal(result, LMB_OK);
    assert_true(failures > 4);
    failing none = {0};
    const lmb_host host = {.allocate = allocate, .release = release, .user = &none};
    assert_true(lmb_retarget_root_scale(f->scene.rig, &f->retarget, &host) == 0.0f);
    destroy(f);
}

// The root motion of clips that play inside a retarget is scaled by its legs and turned; that of others is not.
static void root_motion_is_scaled(void **state) {
    (void)state;
    lmb_rig *source = create_person(1.0f, false, ""), *rig = create_person(0.5f, true, "");
    lmb_error error = {0};
    lmb_clip *clips[2];
    uint32_t table[PERSON];
    assert_int_equal(lmb_clip_create(source, &(lmb_clip_def){.name = "walk", .duration = 1.0f}, NULL, &clips[0], NULL),
                     LMB_OK);
    assert_int_equal(lmb_clip_create(rig, &(lmb_clip_def){.name = "own", .duration = 1.0f}, NULL, &clips[1], NULL),
                     LMB_OK);
    lmb_rig_find_retarget(rig, source, table);
    lmb_retarget_def retarget = lmb_retarget_of(source, table);
    retarget.turn[1] = retarget.turn[3] = 3.0f; // z to x
    const float keys[8] = {0.0f, 0.0f, 0.0f, 0.25f, 0.5f, 0.125f, 1.5f, 1.25f};
    const float rotations[8] = {0.0f, 0.0f, 0.0f, 1.0f, 0.48f, 0.36f, 0.64f, 0.48f};
    const lmb_motion_track track = {2, keys, rotations};
    lmb_player_def players[2] = {lmb_default_player_def(), lmb_default_player_def()};
    players[0].velocity = players[1].velocity = 1.5f;
    players[0].motion = players[1].motion = &track;
    const lmb_motion_def motion = lmb_default_motion_def();
    const lmb_node_def nodes[4] = {lmb_playing_node(0, &players[0]), lmb_playing_node(1, &players[1]),
                                   lmb_retarget_node(0, 0), lmb_blend_node(2, 1, lmb_constant(0.5f))};
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = rig;
    def.clips = (const lmb_clip *const *)clips;
    def.clip_count = 2;
    def.nodes = nodes;
    def.node_count = 4;
    def.retargets = &retarget;
    def.retarget_count = 1;
    def.motion = &motion;
    lmb_moving moving;
    assert_int_equal(lmb_moving_create(&def, NULL, &moving, &error), LMB_OK);
    const lmb_player_def *scaled = moving.players[0].def;
    const float expected[8] = {0.0f, 0.0f, 0.0f, 0.25f, 0.75f, 0.0625f, -0.25f, 1.25f};
    const float expected_rotations[8] = {0.0f, 0.0f, 0.0f, 1.0f, 0.64f, 0.36f, -0.48f, 0.48f}; // the axis is turned
    assert_true(scaled->velocity == 0.75f && scaled->motion->key_count == 2);
    for (int i = 0; i < 8; i++) {
        assert_true(fabsf(scaled->motion->keys[i] - expected[i]) < 1e-6f);
        assert_true(fabsf(scaled->motion->rotations[i] - expected_rotations[i]) < 1e-6f);
    }
    assert_true(moving.players[1].def == &players[1]);
    lmb_moving_release(&moving);
    // The scale of joint 0 scales the displacement too, not the velocity of its group.
    const float scales[PERSON] = {0.25f};
    for (uint32_t i = 0; i < 2; i++) {
        retarget.scales = i == 0 ? NULL : scales;
        lmb_graph *graph = NULL;
        assert_int_equal(lmb_graph_create(&def, NULL, &graph, &error), LMB_OK);
        uint32_t words[64] = {0};
        float parameters[2];
        assert_true(lmb_graph_get_info(graph)->state_words <= 64 && lmb_graph_get_info(graph)->parameter_count == 2);
        const lmb_control_frame frame = {
            .step = LMB_TICKS_PER_SECOND / 2, .character_count = 1, .state = words, .parameters = parameters};
        assert_int_equal(lmb_control_run(graph, &frame, 0, 1, &error), LMB_OK);
        // Half of each clip, each with a weight of a half.
        const double scale = i == 0 ? 1.0 : 0.25, x = scale * 0.75 + 0.5, z = scale * -0.25 + 1.5;
        const lmb_motion reached = lmb_state_motion(graph, words);
        assert_true(fabs(reached.position[0] - 0.25 * x) < 1e-6);
        assert_true(fabs(reached.position[1] - 0.25 * (scale * 0.0625 + 0.125)) < 1e-6);
        assert_true(fabs(reached.position[2] - 0.25 * z) < 1e-6);
        lmb_graph_destroy(graph);
    }
    retarget.scales = NULL;
    const lmb_node_def twice[3] = {nodes[0], lmb_retarget_node(0, 0), lmb_blend_node(1, 0, lmb_constant(0.5f))};
    lmb_graph_def both = def;
    both.nodes = twice;
    both.node_count = 3;
    CHECK_REFUSAL(lmb_moving_create(&both, NULL, &moving, &error), &error, LMB_ERROR_ARGUMENT, "node 0 (clip)",
                  "several retargets");
    lmb_result result = LMB_ERROR_MEMORY;
    for (uint32_t failures = 0; result == LMB_ERROR_MEMORY; failures++) {
        failing user = {failures};
        const lmb_host host = {.allocate = allocate, .release = release, .user = &user};
        lmb_graph *graph = NULL;
        result = lmb_graph_create(&def, &host, &graph, NULL);
        assert_int_equal(result == LMB_OK, graph != NULL);
        lmb_graph_destroy(graph);
    }
    assert_int_equal(result, LMB_OK);
    lmb_clip_destroy(clips[0]);
    lmb_clip_destroy(clips[1]);
    lmb_rig_destroy(source);
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_move_as_in_the_source),
        cmocka_unit_test(clips_of_another_rig_play),
        cmocka_unit_test(static_poses_of_another_rig),
        cmocka_unit_test(reference_becomes_reference),
        cmocka_unit_test(a_rig_on_itself_plays_as_it_is),
        cmocka_unit_test(nodes_inside_work_on_the_rig),
        cmocka_unit_test(retargets_nest_with_joint_maps),
        cmocka_unit_test(refused_sources_are_at_rest),
        cmocka_unit_test(rest_poses_are_corrected),
        cmocka_unit_test(goals_are_reached),
        cmocka_unit_test(faulty_goals_are_refused),
        cmocka_unit_test(degenerate_rigs_stay_finite),
        cmocka_unit_test(joint_weights_and_channels),
        cmocka_unit_test(faulty_definitions_are_refused),
        cmocka_unit_test(additives_are_refused),
        cmocka_unit_test(absent_additives_are_refused),
        cmocka_unit_test(defaults_and_constructors),
        cmocka_unit_test(joints_are_found_by_name),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(root_motion_is_scaled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
