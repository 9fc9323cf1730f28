// Compressed clips: the bound, measured in float64 independently of the compressor; exact steps; and dropped data.
#include "failing_host.h"
#include "keyframes.h"
#include "oracle.h"
#include "refusal.h"
#include "scene.h"
#include "suite.h"

#include "clip/clip.h"
#include "clip/layout.h"

#include <mannequin.h>

#include <limber/cpu.h>
#include <limber/import.h>
#include <stdio.h>
#include <stdlib.h>

static void assert_fine(lmb_result result, const lmb_error *error) {
    if (result != LMB_OK) {
        fail_msg("%s: %s", lmb_result_name(result), error->message);
    }
}

static lmb_clip *create(const lmb_rig *rig, const lmb_track_def *tracks, uint32_t count) {
    const lmb_clip_def def = {.name = "clip", .tracks = tracks, .track_count = count};
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    assert_fine(lmb_clip_create(rig, &def, NULL, &clip, &error), &error);
    return clip;
}

static lmb_clip *compress(const lmb_rig *rig, const lmb_clip *source, const lmb_clip_compression *settings,
                          lmb_clip_compression_report *report) {
    const lmb_clip_info *info = lmb_clip_get_info(source);
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    assert_fine(lmb_clip_compress(rig, source, settings, NULL, &clip, report, &error), &error);
    size_t size;
    const void *block = lmb_clip_block(clip, &size);
    assert_int_equal(size, report->bytes);
    lmb_clip *opened = NULL;
    assert_fine(lmb_clip_open(block, size, NULL, &opened, &error), &error);
    lmb_clip_destroy(opened);
    assert_string_equal(lmb_clip_get_info(clip)->name, info->name);
    assert_true(lmb_clip_get_info(clip)->duration == info->duration);
    assert_int_equal(lmb_clip_get_info(clip)->track_count, info->track_count);
    return clip;
}

// Samples the clip at each time: [time][10][joint].
static float *sample_by(lmb_cpu_path path, const lmb_rig *rig, const lmb_clip *clip, const float *times,
                        uint32_t count) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_parameter(0);
    const lmb_graph_def def = {
        .rig = rig, .clips = &clip, .clip_count = 1, .nodes = &node, .node_count = 1, .parameter_count = 1};
    lmb_graph *program = NULL;
    lmb_cpu *cpu = NULL;
    lmb_error error = {0};
    assert_fine(lmb_graph_create(&def, NULL, &program, &error), &error);
    assert_fine(lmb_cpu_create(program, path, NULL, &cpu, &error), &error);
    float *local = calloc((size_t)count * LMB_POSE_COMPONENTS * lmb_rig_get_def(rig)->joint_count, sizeof *local);
    assert_non_null(local);
    const lmb_batch_def batch = {program, count, LMB_OUTPUT_LOCAL_BIT};
    const lmb_batch_inputs inputs = {.parameters = times};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_LOCAL] = local}};
    assert_fine(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), &error);
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(program);
    return local;
}

static float *sample(const lmb_rig *rig, const lmb_clip *clip, const float *times, uint32_t count) {
    return sample_by(LMB_CPU_REFERENCE, rig, clip, times, count);
}

static void to_model(const lmb_rig *rig, const float *local, oracle_affine *model) {
    const uint32_t joints = lmb_rig_get_def(rig)->joint_count;
    oracle_transform *transforms = calloc(joints, sizeof *transforms);
    assert_non_null(transforms);
    for (uint32_t joint = 0; joint < joints; joint++) {
        lmb_transform t;
        float values[LMB_POSE_COMPONENTS];
        for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
            values[i] = local[i * joints + joint];
        }
        memcpy(&t, values, sizeof t);
        transforms[joint] = oracle_transform_from_float(&t);
    }
    oracle_model(rig, transforms, model, NULL);
    free(transforms);
}

// Returns the largest distance between the positions of points at `shell` from a joint along an axis.
static double shell_distance(const oracle_affine *a, const oracle_affine *b, double shell) {
    double largest = 0.0;
    for (int point = 0; point < 6; point++) {
        double square = 0.0;
        for (int row = 0; row < 3; row++) {
            const double *m = a->m[row], *n = b->m[row];
            const double along = point % 2 == 0 ? shell : -shell;
            const double apart = m[3] + along * m[point / 2] - n[3] - along * n[point / 2];
            square += apart * apart;
        }
        largest = square > largest ? square : largest;
    }
    return sqrt(largest);
}

// Raises the largest distance of each joint ([joint]) to at least that between two poses.
static void raise_distances(const lmb_rig *rig, const float *a, const float *b, const double *shells, double *largest) {
    const uint32_t joints = lmb_rig_get_def(rig)->joint_count;
    oracle_affine *models = calloc(2 * (size_t)joints, sizeof *models);
    assert_non_null(models);
    to_model(rig, a, models);
    to_model(rig, b, models + joints);
    for (uint32_t joint = 0; joint < joints; joint++) {
        const double distance = shell_distance(&models[joint], &models[joints + joint], shells[joint]);
        largest[joint] = distance <= largest[joint] ? largest[joint] : distance;
    }
    free(models);
}

static int compare_times(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

// Returns all key times of the source, the midpoints between consecutive key times, and the end. The caller frees them.
static float *times_of(const lmb_clip *source, uint32_t *count) {
    const uint32_t *words = source->words;
    const uint32_t joints = words[FIELD(CLIP, joints)];
    uint32_t keys = 0;
    for (uint32_t i = 0; i < PROPERTIES * joints; i++) {
        keys += load_track(words, 0, i / joints, i % joints).keys;
    }
    float *all = calloc(keys, sizeof *all), *times = calloc(2 * (size_t)keys, sizeof *times);
    assert_non_null(all);
    assert_non_null(times);
    for (uint32_t i = 0, at = 0; i < PROPERTIES * joints; i++) {
        const track t = load_track(words, 0, i / joints, i % joints);
        memcpy(all + at, words + t.times, t.keys * sizeof *all);
        at += t.keys;
    }
    qsort(all, keys, sizeof *all, compare_times);
    *count = 0;
    for (uint32_t i = 0; i < keys; i++) {
        if (i > 0 && all[i] == all[i - 1]) {
            continue;
        }
        if (*count > 0) {
            times[*count] = 0.5f * times[*count - 1] + 0.5f * all[i];
            ++*count;
        }
        times[(*count)++] = all[i];
    }
    times[(*count)++] = lmb_clip_get_info(source)->duration;
    free(all);
    return times;
}

// Finds the largest distance of each joint, with a shell for each.
static void find_distances(const lmb_rig *rig, const lmb_clip *source, const lmb_clip *clip, const double *shells,
                           double *largest) {
    const size_t values = (size_t)LMB_POSE_COMPONENTS * lmb_rig_get_def(rig)->joint_count;
    uint32_t count;
    float *times = times_of(source, &count);
    float *before = sample(rig, source, times, count), *after = sample(rig, clip, times, count);
    memset(largest, 0, lmb_rig_get_def(rig)->joint_count * sizeof *largest);
    for (uint32_t k = 0; k < count; k++) {
        raise_distances(rig, before + k * values, after + k * values, shells, largest);
    }
    free(before);
    free(after);
    free(times);
}

enum { MOST_JOINTS = 128 };

static double distance_between(const lmb_rig *rig, const lmb_clip *source, const lmb_clip *clip, double shell) {
    double shells[MOST_JOINTS] = {0.0}, distances[MOST_JOINTS], largest = 0.0;
    const uint32_t joints = lmb_rig_get_def(rig)->joint_count;
    assert_true(joints <= MOST_JOINTS);
    for (uint32_t joint = 0; joint < joints; joint++) {
        shells[joint] = shell;
    }
    find_distances(rig, source, clip, shells, distances);
    for (uint32_t joint = 0; joint < joints; joint++) {
        largest = distances[joint] <= largest ? largest : distances[joint];
    }
    return largest;
}

static lmb_clip_compression_report check_bound(const lmb_rig *rig, const lmb_clip *source, float error, float shell) {
    const lmb_clip_compression settings = {.error = error, .shell_distance = shell};
    lmb_clip_compression_report report;
    lmb_clip *clip = compress(rig, source, &settings, &report);
    const double measured = distance_between(rig, source, clip, (double)shell);
    assert_true(report.bound == error && report.error <= error);
    if (!(measured <= (double)error * 1.001 + 1e-6)) {
        fail_msg("%s: %g off, and %g is the bound", lmb_clip_get_info(source)->name, measured, (double)error);
    }
    // The reported error is not smaller than the error measured here at the same times.
    assert_true(measured <= (double)report.error * 1.001 + 1e-6);
    assert_int_equal(report.rest_count + report.constant_count + report.packed_count + report.kept_count,
                     3 * lmb_rig_get_def(rig)->joint_count);
    assert_true(report.bytes <= report.source_bytes);
    printf(
        "  %-24s %7zu -> %6zu bytes, %5.1f to 1, %.3g of %.3g, %u key times, %u rest %u constant %u packed %u kept\n",
        lmb_clip_get_info(source)->name, report.source_bytes, report.bytes,
        (double)report.source_bytes / (double)report.bytes, (double)report.error, (double)error, report.frame_count,
        report.rest_count, report.constant_count, report.packed_count, report.kept_count);
    lmb_clip_destroy(clip);
    return report;
}

static void the_mannequins_clips(void **state) {
    (void)state;
    mannequin *made = NULL;
    lmb_error error = {0};
    assert_fine(mannequin_create(NULL, &made, &error), &error);
    for (int i = 0; i < MANNEQUIN_CLIP_COUNT; i++) {
        const lmb_clip *clip = mannequin_clip(made, (mannequin_clip_id)i);
        const lmb_clip_compression_report report = check_bound(mannequin_rig(made), clip, 1e-4f, 0.03f);
        assert_true(report.source_bytes > 3 * report.bytes);
    }
    mannequin_destroy(made);
}

static void foxs_clips(void **state) {
    (void)state;
    lmb_import *import = NULL;
    lmb_error error = {0};
    const lmb_result result = lmb_import_file(LIMBER_ASSETS "/Fox.glb", NULL, &import, &error);
    if (result == LMB_ERROR_FILE) {
        print_message("skipped: %s\n", error.message);
        skip();
    }
    assert_fine(result, &error);
    for (uint32_t i = 0; i < lmb_import_get_content(import)->clip_count; i++) {
        const lmb_clip_compression_report report =
            check_bound(lmb_import_get_content(import)->rig, lmb_import_get_content(import)->clips[i], 0.01f, 3.0f);
        assert_true(report.source_bytes > 3 * report.bytes);
    }
    lmb_import_destroy(import);
}

// Every interpolation, with different key times and large rotations.
static void random_clips(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < 6; seed++) {
        lmb_rig *rig = scene_rig(6, SCENE_TREE, seed);
        keyframes keys = keyframes_create(6, 2 + 3 * seed, seed);
        lmb_clip *clip = NULL;
        lmb_error error = {0};
        assert_fine(lmb_clip_create(rig, &keys.clip, NULL, &clip, &error), &error);
        check_bound(rig, clip, 0.5f, 0.1f);
        check_bound(rig, clip, 0.01f, 0.1f);
        check_bound(rig, clip, 1e-9f, 0.1f);
        lmb_clip_destroy(clip);
        keyframes_destroy(&keys);
        lmb_rig_destroy(rig);
    }
}

// Joints with errors and shells of their own stay within these, and the bound reported counts them in proportion.
// With the same for all joints, the clip is that of a compression with this error.
static void joints_have_their_own_tolerances(void **state) {
    (void)state;
    enum { JOINTS = 12 };
    for (uint32_t seed = 0; seed < (suite_is_slow() ? 1 : 6); seed++) {
        lmb_rig *rig = scene_rig(JOINTS, SCENE_TREE, seed);
        keyframes keys = keyframes_create(JOINTS, 20, seed);
        lmb_clip *source = NULL;
        lmb_error error = {0};
        assert_fine(lmb_clip_create(rig, &keys.clip, NULL, &source, &error), &error);
        const lmb_joint_tolerance joints[] = {{0, 1e-5f, 0.0f},
                                              {0, 0.0f, 0.0f},
                                              {JOINTS - 1, 0.0005f, 0.5f},
                                              {JOINTS - 2, 0.0f, 0.001f},
                                              {JOINTS - 3, 2.0f, 0.0f}};
        lmb_clip_compression settings = {.error = 0.0625f, .shell_distance = 0.1f, .joints = joints, .joint_count = 5};
        lmb_clip_compression_report own, whole;
        lmb_clip *clip = compress(rig, source, &settings, &own);
        double shells[JOINTS], errors[JOINTS], distances[JOINTS];
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            shells[joint] = joint == JOINTS - 1 ? 0.5 : joint == JOINTS - 2 ? 0.001 : 0.1;
            errors[joint] = joint == JOINTS - 1 ? 0.0005 : joint == JOINTS - 3 ? 2.0 : 0.0625;
        }
        find_distances(rig, source, clip, shells, distances);
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            assert_true(distances[joint] <= errors[joint] * 1.001 + 1e-6);
            assert_true(distances[joint] * 0.0625 / errors[joint] <= (double)own.error * 1.001 + 1e-6);
        }
        assert_true(own.error <= own.bound);
        lmb_clip_destroy(clip);
        lmb_joint_tolerance all[JOINTS];
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            all[joint] = (lmb_joint_tolerance){joint, 0.5f, 0.0f};
        }
        settings.joints = all;
        settings.joint_count = JOINTS;
        clip = compress(rig, source, &settings, &own);
        settings = (lmb_clip_compression){.error = 0.5f, .shell_distance = 0.1f};
        lmb_clip *same = compress(rig, source, &settings, &whole);
        size_t sizes[2];
        const void *blocks[2] = {lmb_clip_block(clip, &sizes[0]), lmb_clip_block(same, &sizes[1])};
        assert_true(sizes[0] == sizes[1] && 8.0f * own.error == whole.error && 8.0f * own.bound == whole.bound);
        assert_memory_equal(blocks[0], blocks[1], sizes[0]);
        lmb_clip_destroy(same);
        lmb_clip_destroy(clip);
        lmb_clip_destroy(source);
        keyframes_destroy(&keys);
        lmb_rig_destroy(rig);
    }
}

static lmb_rig *chain(uint32_t count) {
    lmb_joint_def joints[8];
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
        joints[i].rest.translation[1] = 0.5f;
    }
    lmb_rig *rig = NULL;
    lmb_error error = {0};
    assert_fine(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = count}, NULL, &rig, &error), &error);
    return rig;
}

enum { KEYS = 64 };

typedef struct waving {
    float times[KEYS], rotations[KEYS][4], translations[KEYS][3], steps[KEYS][3];
} waving;

// A wave, steps, and a joint that hardly moves.
static void wave(waving *w) {
    for (int i = 0; i < KEYS; i++) {
        const double t = (double)i / 30.0;
        w->times[i] = (float)t;
        const double angle = 0.4 * sin(3.0 * t);
        memcpy(w->rotations[i], (float[4]){(float)sin(angle), 0.0f, 0.0f, (float)cos(angle)}, sizeof w->rotations[i]);
        memcpy(w->translations[i], (float[3]){0.0f, 0.5f + 1e-7f * (float)(i % 2), 0.0f}, sizeof w->translations[i]);
        memcpy(w->steps[i], (float[3]){0.1f * (float)(i % 5), 0.7f, 1.0f}, sizeof w->steps[i]);
    }
}

static void steps_stay_exact(void **state) {
    (void)state;
    lmb_rig *rig = chain(4);
    waving w;
    wave(&w);
    const lmb_track_def tracks[] = {
        {0, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, KEYS, w.times, w.rotations[0]},
        {1, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_STEP, KEYS, w.times, w.steps[0]},
        {2, LMB_PROPERTY_SCALE, LMB_INTERPOLATION_STEP, KEYS, w.times, w.steps[0]},
        {3, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_STEP, KEYS, w.times, w.rotations[0]},
    };
    lmb_clip *source = create(rig, tracks, 4);
    lmb_clip_compression_report report;
    lmb_clip *clip = compress(rig, source, &(lmb_clip_compression){.error = 10.0f, .shell_distance = 0.1f},
                              &report); // allows to drop everything
    assert_int_equal(report.kept_count, 3);
    float times[4 * KEYS];
    for (int i = 0; i < 4 * KEYS; i++) {
        times[i] = (float)i / 117.0f;
    }
    float *before = sample(rig, source, times, 4 * KEYS), *after = sample(rig, clip, times, 4 * KEYS);
    for (uint32_t i = 0; i < 4 * KEYS; i++) {
        for (uint32_t k = 0; k < LMB_POSE_COMPONENTS; k++) {
            const size_t row = ((size_t)i * LMB_POSE_COMPONENTS + k) * 4;
            for (uint32_t joint = 1; joint < 4; joint++) {
                assert_memory_equal(before + row + joint, after + row + joint, sizeof(float));
            }
        }
    }
    free(before);
    free(after);
    lmb_clip_destroy(clip);
    lmb_clip_destroy(source);
    lmb_rig_destroy(rig);
}

static void what_hardly_moves_is_one_value_or_none(void **state) {
    (void)state;
    lmb_rig *rig = chain(3);
    waving w;
    wave(&w);
    float away[KEYS][3];
    for (int i = 0; i < KEYS; i++) {
        memcpy(away[i], (float[3]){2.0f, 1.0f + 1e-7f * (float)(i % 2), 0.0f}, sizeof away[i]);
    }
    const lmb_track_def tracks[] = {
        {0, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, KEYS, w.times, w.rotations[0]},
        {1, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, KEYS, w.times, w.translations[0]},
        {2, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, KEYS, w.times, away[0]},
    };
    lmb_clip *source = create(rig, tracks, 3);
    const lmb_clip_compression_report report = check_bound(rig, source, 1e-4f, 0.03f);
    assert_int_equal(report.packed_count, 1);
    assert_int_equal(report.constant_count, 1);
    assert_int_equal(report.rest_count, 7);
    assert_int_equal(report.frame_count, KEYS); // the wave bends too much to skip a key
    assert_true(check_bound(rig, source, 0.02f, 0.03f).frame_count < KEYS / 2);
    lmb_clip_destroy(source);
    lmb_rig_destroy(rig);
}

static void one_joint_and_one_key(void **state) {
    (void)state;
    lmb_rig *rig = chain(1);
    waving w;
    wave(&w);
    const lmb_track_def whole = {0, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, KEYS, w.times, w.rotations[0]};
    const lmb_track_def single = {0, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 1, w.times, w.rotations[9]};
    lmb_clip *moving = create(rig, &whole, 1), *still = create(rig, &single, 1), *empty = create(rig, NULL, 0);
    assert_int_equal(check_bound(rig, moving, 1e-3f, 0.5f).packed_count, 1);
    check_bound(rig, still, 1e-3f, 0.5f);
    check_bound(rig, empty, 1e-3f, 0.5f);
    // The bound of a rig without an extent is 0: moving data does not change.
    lmb_clip_compression_report report;
    lmb_clip *exact = compress(rig, moving, NULL, &report);
    assert_true(report.bound == 0.0f && report.error == 0.0f);
    assert_int_equal(report.kept_count, 1);
    lmb_clip_destroy(exact);
    lmb_clip_destroy(moving);
    lmb_clip_destroy(still);
    lmb_clip_destroy(empty);
    lmb_rig_destroy(rig);
}

// Full turns, so that every component of the rotation passes through zero.
static void whole_turns(void **state) {
    (void)state;
    lmb_rig *rig = chain(3);
    waving w;
    wave(&w);
    for (int i = 0; i < KEYS; i++) {
        const double angle = 0.25 * i, tilt = 0.11 * i;
        memcpy(w.rotations[i],
               (float[4]){(float)(sin(angle) * cos(tilt)), (float)(sin(angle) * sin(tilt)),
                          (float)(cos(angle) * sin(tilt)), (float)(cos(angle) * cos(tilt))},
               sizeof w.rotations[i]);
    }
    const lmb_track_def track = {1, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, KEYS, w.times, w.rotations[0]};
    lmb_clip *source = create(rig, &track, 1);
    const lmb_clip_compression_report report = check_bound(rig, source, 1e-3f, 0.05f);
    assert_int_equal(report.packed_count, 1);
    lmb_clip_destroy(source);
    lmb_rig_destroy(rig);
}

static void huge_and_tiny_values(void **state) {
    (void)state;
    lmb_rig *rig = chain(3);
    waving w;
    wave(&w);
    for (int i = 0; i < KEYS; i++) {
        w.translations[i][0] = (i % 2 == 0 ? 1.0f : -1.0f) * LMB_LARGEST;
        w.steps[i][1] = (float)i * 2e-12f;
    }
    const lmb_track_def tracks[] = {
        {0, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, KEYS, w.times, w.translations[0]},
        {1, LMB_PROPERTY_SCALE, LMB_INTERPOLATION_LINEAR, KEYS, w.times, w.translations[0]},
        {2, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, KEYS, w.times, w.steps[0]},
    };
    lmb_clip *source = create(rig, tracks, 3);
    static const float bounds[] = {1e-12f, 1.0f, 1e6f, LMB_LARGEST};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        lmb_clip_compression_report report;
        lmb_clip *clip =
            compress(rig, source, &(lmb_clip_compression){.error = bounds[i], .shell_distance = 1.0f}, &report);
        assert_true(report.error <= report.bound);
        lmb_clip_destroy(clip);
    }
    lmb_clip_destroy(source);
    lmb_rig_destroy(rig);
}

static void defaults_and_once_only(void **state) {
    (void)state;
    lmb_rig *rig = chain(2);
    waving w;
    wave(&w);
    const lmb_track_def track = {0, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, KEYS, w.times, w.steps[0]};
    lmb_clip *source = create(rig, &track, 1);
    lmb_clip_compression_report report;
    lmb_clip *clip = compress(rig, source, NULL, &report);
    assert_true(report.bound == (float)(1e-4 * 0.5));
    assert_int_equal(report.packed_count, 1);
    lmb_clip *again = NULL;
    lmb_error error;
    CHECK_REFUSAL(lmb_clip_compress(rig, clip, NULL, NULL, &again, NULL, &error), &error, LMB_ERROR_ARGUMENT, "clip",
                  "already");
    lmb_clip_destroy(clip);
    lmb_clip_destroy(source);
    lmb_rig_destroy(rig);
}

enum { PATH_TIMES = 1003 };

// Fails the test unless all CPU paths sample the same bits.
static void expect_same_bits(const lmb_rig *rig, const lmb_clip *clip, const float *times) {
    float *reference = sample(rig, clip, times, PATH_TIMES);
    for (int path = LMB_CPU_REFERENCE + 1; path < LMB_CPU_PATH_COUNT; path++) {
        if (lmb_cpu_has((lmb_cpu_path)path)) {
            float *lanes = sample_by((lmb_cpu_path)path, rig, clip, times, PATH_TIMES);
            const size_t floats = (size_t)PATH_TIMES * lmb_rig_get_def(rig)->joint_count * LMB_POSE_COMPONENTS;
            assert_memory_equal(reference, lanes, floats * sizeof *lanes);
            free(lanes);
        }
    }
    free(reference);
}

static void every_cpu_path_gives_the_same_bits(void **state) {
    (void)state;
    enum { JOINTS = 21 };
    lmb_rig *rig = scene_rig(JOINTS, SCENE_TREE, 5);
    float times[PATH_TIMES];
    for (int i = 0; i < PATH_TIMES; i++) {
        times[i] = KEYFRAMES_DURATION * (float)((i * 769) % PATH_TIMES) / (float)PATH_TIMES;
    }
    static const float bounds[] = {1.0f, 0.1f, 1e-3f, 1e-4f};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        keyframes keys = keyframes_create_waves(JOINTS, 40, i);
        lmb_clip *source = NULL;
        lmb_error error = {0};
        assert_fine(lmb_clip_create(rig, &keys.clip, NULL, &source, &error), &error);
        lmb_clip_compression_report report;
        lmb_clip *clip =
            compress(rig, source, &(lmb_clip_compression){.error = bounds[i], .shell_distance = 0.1f}, &report);
        printf("  within %g: %u packed, %u kept\n", (double)bounds[i], report.packed_count, report.kept_count);
        assert_true(report.packed_count > 8);
        expect_same_bits(rig, clip, times);
        lmb_clip_destroy(clip);
        lmb_clip_destroy(source);
        keyframes_destroy(&keys);
    }
    lmb_rig_destroy(rig);
}

// Keys of up to 63 bits begin at any bit, so some need 65 bits or more from the byte in which they begin.
static void keys_may_be_longer_than_two_words(void **state) {
    (void)state;
    enum { JOINTS = 8, STEPS = 16 };
    lmb_rig *rig = chain(JOINTS);
    random_source source = {7};
    float key_times[STEPS], values[JOINTS][3 * STEPS], times[PATH_TIMES];
    lmb_track_def tracks[JOINTS];
    for (uint32_t i = 0; i < STEPS; i++) {
        key_times[i] = (float)i / (STEPS - 1);
    }
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        for (uint32_t i = 0; i < 3 * STEPS; i++) {
            values[joint][i] = (float)random_between(&source, -1.0, 1.0);
        }
        tracks[joint] =
            (lmb_track_def){joint, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, STEPS, key_times, values[joint]};
    }
    for (uint32_t i = 0; i < PATH_TIMES; i++) {
        times[i] = (float)(i * 769 % PATH_TIMES) / (float)PATH_TIMES;
    }
    lmb_clip *plain = create(rig, tracks, JOINTS);
    for (float bound = 2e-5f; bound > 1e-6f; bound *= 0.7f) {
        lmb_clip_compression_report report;
        lmb_clip *clip = compress(rig, plain, &(lmb_clip_compression){.error = bound, .shell_distance = 0.1f}, &report);
        printf("  within %g: %u packed, %u kept\n", (double)bound, report.packed_count, report.kept_count);
        expect_same_bits(rig, clip, times);
        lmb_clip_destroy(clip);
    }
    lmb_clip_destroy(plain);
    lmb_rig_destroy(rig);
}

// ---- The error at all times.

enum { SEGMENT_POINTS = 64, CURVED_JOINTS = 3, CURVED_KEYS = 6 };

// Tracks of a chain of joints, and their keys.
typedef struct curved {
    lmb_track_def tracks[PROPERTIES * CURVED_JOINTS];
    float times[CURVED_KEYS];
    float values[PROPERTIES * CURVED_JOINTS][CURVED_KEYS * 12];
    lmb_clip_def clip;
} curved;

typedef enum tangent_kind {
    TANGENTS_SMALL,
    TANGENTS_EQUAL,
    TANGENTS_OPPOSITE,
    TANGENTS_HUGE,
    TANGENT_KINDS
} tangent_kind;

static void draw_tangents(random_source *random, tangent_kind kind, uint32_t width, float *key) {
    static const double largest[TANGENT_KINDS] = {0.05, 2.0, 2.0, 1e4};
    for (uint32_t i = 0; i < width; i++) {
        const float out = (float)random_between(random, -largest[kind], largest[kind]);
        key[2 * width + i] = out;
        key[i] = kind == TANGENTS_EQUAL      ? out
                 : kind == TANGENTS_OPPOSITE ? -out
                                             : (float)random_between(random, -2.0, 2.0);
    }
}

// Draws a key's value: rotations of up to 175 degrees from one key to the next, scales through 0.
static void draw_value(random_source *random, lmb_property property, const float *before, float *value) {
    if (property != LMB_PROPERTY_ROTATION) {
        for (int i = 0; i < 3; i++) {
            value[i] = (float)random_between(random, -1.0, 1.0);
        }
        return;
    }
    const double half = random_between(random, 0.0, 87.5) * 3.141592653589793 / 180.0;
    float axis[4];
    random_rotation(random, axis);
    const double length = sqrt((double)(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])) + 1e-9;
    double turn[4] = {0.0, 0.0, 0.0, cos(half)}, first[4] = {0.0, 0.0, 0.0, 1.0}, product[4];
    for (int i = 0; i < 4; i++) {
        turn[i] = i < 3 ? sin(half) * (double)axis[i] / length : turn[i];
        first[i] = before != NULL ? (double)before[i] : first[i];
    }
    oracle_quaternion_multiply(first, turn, product);
    oracle_quaternion_normalise(product, product);
    for (int i = 0; i < 4; i++) {
        value[i] = (float)product[i];
    }
}

static void draw_track(random_source *random, curved *c, uint32_t index) {
    lmb_track_def *track = &c->tracks[index];
    const tangent_kind kind = (tangent_kind)random_below(random, TANGENT_KINDS);
    track->joint = index / PROPERTIES;
    track->property = (lmb_property)(index % PROPERTIES);
    const uint32_t choice = random_below(random, 6);
    track->interpolation = choice == 0   ? LMB_INTERPOLATION_LINEAR
                           : choice == 1 ? LMB_INTERPOLATION_STEP
                                         : LMB_INTERPOLATION_CUBIC_SPLINE;
    track->key_count = CURVED_KEYS;
    track->times = c->times;
    track->values = c->values[index];
    const uint32_t width = track->property == LMB_PROPERTY_ROTATION ? 4 : 3;
    const bool spline = track->interpolation == LMB_INTERPOLATION_CUBIC_SPLINE;
    const uint32_t stride = spline ? 3 * width : width;
    const float *before = NULL;
    for (uint32_t i = 0; i < CURVED_KEYS; i++) {
        float *key = c->values[index] + (size_t)i * stride, *value = key + (spline ? width : 0);
        draw_value(random, track->property, before, value);
        if (spline) {
            draw_tangents(random, kind, width, key);
        }
        before = value;
    }
}

static void draw_curved(uint64_t seed, curved *c) {
    random_source random = {seed};
    const uint32_t count = 1 + random_below(&random, PROPERTIES * CURVED_JOINTS);
    for (uint32_t i = 0; i < CURVED_KEYS; i++) {
        c->times[i] = 0.5f * (float)i;
    }
    for (uint32_t i = 0; i < count; i++) {
        draw_track(&random, c, i);
    }
    c->clip = lmb_default_clip_def();
    c->clip.name = "curved";
    c->clip.tracks = c->tracks;
    c->clip.track_count = count;
}

// Returns the largest distance at 64 points between neighbouring key times, with the source in float64. Also returns
// the largest entry of a model matrix, by which floats are rounded.
static double distance_at_all_times(const lmb_rig *rig, const lmb_clip_def *def, const lmb_clip *clip, double shell,
                                    double *extent) {
    enum { TIMES = (CURVED_KEYS - 1) * SEGMENT_POINTS + 1 };
    const uint32_t joints = lmb_rig_get_def(rig)->joint_count;
    oracle_transform poses[2][8];
    oracle_affine models[2][8];
    float times[TIMES];
    for (uint32_t i = 0; i < TIMES; i++) {
        times[i] = 0.5f * (float)i / SEGMENT_POINTS;
    }
    float *after = sample(rig, clip, times, TIMES);
    double largest = 0.0;
    *extent = 1.0;
    for (uint32_t i = 0; i < TIMES; i++) {
        for (uint32_t joint = 0; joint < joints; joint++) {
            oracle_choices choices = {0};
            const lmb_transform rest_values = lmb_rig_get_def(rig)->joints[joint].rest;
            const oracle_transform rest = oracle_transform_from_float(&rest_values);
            if (!oracle_clip_sample(def, joint, (double)times[i], &rest, &choices, &poses[0][joint])) {
                poses[0][joint] = rest;
            }
            float values[LMB_POSE_COMPONENTS];
            for (uint32_t k = 0; k < LMB_POSE_COMPONENTS; k++) {
                values[k] = after[((size_t)i * LMB_POSE_COMPONENTS + k) * joints + joint];
            }
            lmb_transform packed;
            memcpy(&packed, values, sizeof packed);
            poses[1][joint] = oracle_transform_from_float(&packed);
        }
        for (int side = 0; side < 2; side++) {
            oracle_model(rig, poses[side], models[side], NULL);
        }
        for (uint32_t joint = 0; joint < joints; joint++) {
            largest = fmax(largest, shell_distance(&models[0][joint], &models[1][joint], shell));
            for (int k = 0; k < 12; k++) {
                *extent = fmax(*extent, fabs(models[0][joint].m[k / 4][k % 4]));
            }
        }
    }
    free(after);
    return largest;
}

static void the_bound_holds_at_all_times(void **state) {
    (void)state;
    static const float bounds[] = {0.5f, 0.05f, 0.002f};
    const uint32_t clips = suite_is_quick() ? 60 : 2000;
    lmb_rig *rig = chain(CURVED_JOINTS);
    uint32_t packed = 0, smaller = 0;
    double nearest = 0.0;
    for (uint32_t seed = 0; seed < clips; seed++) {
        curved c;
        draw_curved(seed, &c);
        lmb_clip *source = NULL;
        lmb_error error = {0};
        assert_fine(lmb_clip_create(rig, &c.clip, NULL, &source, &error), &error);
        for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
            lmb_clip_compression_report report;
            lmb_clip *clip =
                compress(rig, source, &(lmb_clip_compression){.error = bounds[i], .shell_distance = 0.2f}, &report);
            double extent;
            const double found = distance_at_all_times(rig, &c.clip, clip, 0.2, &extent);
            if (report.error > report.bound || found > (double)report.error * (1.0 + 1e-6) + 2e-6 * extent) {
                fail_msg("clip %u within %g: reported %g, found %g", seed, (double)bounds[i], (double)report.error,
                         found);
            }
            nearest = report.error > 0.0f ? fmax(nearest, (found - 2e-6 * extent) / (double)report.error) : nearest;
            packed += report.packed_count;
            smaller += report.bytes < report.source_bytes;
            lmb_clip_destroy(clip);
        }
        lmb_clip_destroy(source);
    }
    printf("  %u clips: %u smaller, %u tracks packed, %.4f of the reported error\n", 3 * clips, smaller, packed,
           nearest);
    assert_true(packed > clips / 4 && smaller > clips / 2);
    lmb_rig_destroy(rig);
}

// A spline that meets the line between its keys at them and halfway between them.
static void a_spline_may_cross_its_chord(void **state) {
    (void)state;
    static const float times[] = {0.0f, 1.0f, 2.0f, 0.25f};
    float values[3][9] = {{0.0f}};
    for (int key = 0; key < 3; key++) {
        values[key][0] = values[key][6] = 8.0f;
    }
    const lmb_track_def track = {0, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_CUBIC_SPLINE, 3, times, &values[0][0]};
    lmb_rig *rig = chain(2);
    lmb_clip *source = create(rig, &track, 1);
    lmb_clip_compression_report report;
    lmb_clip *clip = compress(rig, source, &(lmb_clip_compression){.error = 1e-4f, .shell_distance = 0.1f}, &report);
    float *at = sample(rig, clip, &times[3], 1);
    assert_true(report.error == 0.0f && fabsf(at[0] - 0.75f) < 1e-6f);
    free(at);
    lmb_clip_destroy(clip);
    clip = compress(rig, source, &(lmb_clip_compression){.error = 0.8f, .shell_distance = 0.1f},
                    &report); // 0.77 is the largest value
    assert_true(report.error > 0.769f && report.error < 0.771f && report.kept_count == 0);
    lmb_clip_destroy(clip);
    lmb_clip_destroy(source);
    lmb_rig_destroy(rig);
}

static void bad_arguments(void **state) {
    (void)state;
    lmb_rig *rig = chain(2), *other = chain(3);
    lmb_clip *source = create(rig, NULL, 0), *clip = NULL;
    lmb_error error;
    CHECK_REFUSAL(lmb_clip_compress(NULL, source, NULL, NULL, &clip, NULL, &error), &error, LMB_ERROR_ARGUMENT, "rig");
    CHECK_REFUSAL(lmb_clip_compress(rig, NULL, NULL, NULL, &clip, NULL, &error), &error, LMB_ERROR_ARGUMENT, "source");
    CHECK_REFUSAL(lmb_clip_compress(rig, source, NULL, NULL, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "result");
    CHECK_REFUSAL(lmb_clip_compress(other, source, NULL, NULL, &clip, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "2 joints");
    static const float bad[] = {-1.0f, INFINITY, NAN};
    for (size_t i = 0; i < 3; i++) {
        CHECK_REFUSAL(lmb_clip_compress(rig, source, &(lmb_clip_compression){.error = bad[i], .shell_distance = 0.0f},
                                        NULL, &clip, NULL, &error),
                      &error, LMB_ERROR_ARGUMENT, "error");
        CHECK_REFUSAL(lmb_clip_compress(rig, source, &(lmb_clip_compression){.error = 0.0f, .shell_distance = bad[i]},
                                        NULL, &clip, NULL, &error),
                      &error, LMB_ERROR_ARGUMENT, "shell_distance");
    }
    const struct {
        lmb_joint_tolerance tolerance;
        const char *part;
    } wrong[] = {{{2, 0.0f, 0.0f}, "joints[1]: joint"},
                 {{0, -1.0f, 0.0f}, "joints[1]: error"},
                 {{0, 0.0f, NAN}, "joints[1]: shell_distance"}};
    for (size_t i = 0; i < 3; i++) {
        const lmb_joint_tolerance joints[2] = {{1, 0.1f, 0.1f}, wrong[i].tolerance};
        CHECK_REFUSAL(lmb_clip_compress(rig, source, &(lmb_clip_compression){.joints = joints, .joint_count = 2}, NULL,
                                        &clip, NULL, &error),
                      &error, LMB_ERROR_ARGUMENT, wrong[i].part);
    }
    CHECK_REFUSAL(lmb_clip_compress(rig, source, &(lmb_clip_compression){.joint_count = 1}, NULL, &clip, NULL, &error),
                  &error, LMB_ERROR_ARGUMENT, "joints");
    assert_null(clip);
    lmb_clip_destroy(source);
    lmb_rig_destroy(other);
    lmb_rig_destroy(rig);
}

typedef struct attempt {
    const lmb_rig *rig;
    const lmb_clip *source;
} attempt;

static lmb_result try_compress(const lmb_host *host, lmb_error *error, void *user) {
    const attempt *a = user;
    lmb_clip *clip = NULL;
    const lmb_result result = lmb_clip_compress(a->rig, a->source, NULL, host, &clip, NULL, error);
    lmb_clip_destroy(clip);
    return result;
}

static lmb_clip *create_rich(const lmb_rig *rig) {
    waving w;
    wave(&w);
    const lmb_track_def tracks[] = {
        {0, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, KEYS, w.times, w.rotations[0]},
        {1, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, KEYS, w.times, w.steps[0]},
        {2, LMB_PROPERTY_SCALE, LMB_INTERPOLATION_STEP, KEYS, w.times, w.steps[0]},
        {2, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 1, w.times, w.rotations[9]},
    };
    return create(rig, tracks, 4);
}

static void allocation_failures(void **state) {
    (void)state;
    lmb_rig *rig = chain(3);
    lmb_clip *source = create_rich(rig);
    failing_host_try_all(try_compress, &(attempt){rig, source});
    lmb_clip_destroy(source);
    lmb_rig_destroy(rig);
}

// A change of any word in a block with every kind of entry is refused or gives finite numbers.
static void corrupted_blocks(void **state) {
    (void)state;
    lmb_rig *rig = chain(3);
    lmb_clip *source = create_rich(rig);
    lmb_clip_compression_report report;
    lmb_clip *clip = compress(rig, source, NULL, &report);
    assert_true(report.packed_count > 0 && report.kept_count > 0 && report.constant_count > 0);
    size_t size;
    const uint32_t *block = lmb_clip_block(clip, &size);
    uint32_t *changed = malloc(size);
    assert_non_null(changed);
    memcpy(changed, block, size);
    static const uint32_t flips[] = {1u, 2u, 4u, 0x20u, 0x80u, 0x100u, 0x10000u, 0x800000u, 0x80000000u, 0xffffffffu};
    uint32_t refused = 0;
    for (size_t word = 0; word < size / 4; word++) {
        for (size_t flip = 0; flip < sizeof flips / sizeof flips[0]; flip++) {
            changed[word] ^= flips[flip];
            lmb_clip *opened = NULL;
            lmb_error error = {0};
            if (lmb_clip_open(changed, size, NULL, &opened, &error) != LMB_OK) {
                assert_int_equal(error.result, LMB_ERROR_FORMAT);
                refused++;
            } else if (lmb_clip_get_info(opened)->joint_count == 3) {
                const float times[] = {0.0f, 0.7f, 5.0f};
                float *local = sample(rig, opened, times, 3);
                for (uint32_t i = 0; i < 3 * LMB_POSE_COMPONENTS * 3; i++) {
                    assert_true(fabsf(local[i]) <= LMB_LARGEST);
                }
                free(local);
            }
            lmb_clip_destroy(opened);
            changed[word] ^= flips[flip];
        }
    }
    assert_true(refused > 1000);
    // A block truncated anywhere is refused.
    for (size_t cut = 0; cut < size; cut += 4) {
        memcpy(changed, block, size);
        if (cut >= 4 * WORDS_OF(CLIP)) {
            changed[FIELD(CLIP, size)] = (uint32_t)(cut / 4);
        }
        lmb_clip *opened = NULL;
        assert_int_equal(lmb_clip_open(changed, cut, NULL, &opened, NULL), LMB_ERROR_FORMAT);
    }
    free(changed);
    lmb_clip_destroy(clip);
    lmb_clip_destroy(source);
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mannequins_clips),
        cmocka_unit_test(foxs_clips),
        cmocka_unit_test(random_clips),
        cmocka_unit_test(joints_have_their_own_tolerances),
        cmocka_unit_test(steps_stay_exact),
        cmocka_unit_test(what_hardly_moves_is_one_value_or_none),
        cmocka_unit_test(one_joint_and_one_key),
        cmocka_unit_test(whole_turns),
        cmocka_unit_test(huge_and_tiny_values),
        cmocka_unit_test(defaults_and_once_only),
        cmocka_unit_test(every_cpu_path_gives_the_same_bits),
        cmocka_unit_test(keys_may_be_longer_than_two_words),
        cmocka_unit_test(the_bound_holds_at_all_times),
        cmocka_unit_test(a_spline_may_cross_its_chord),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(allocation_failures),
        cmocka_unit_test(corrupted_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
