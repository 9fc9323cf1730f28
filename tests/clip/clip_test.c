// Clips: validation and the stored result.
#include "failing_host.h"
#include "guarded.h"
#include "keyframes.h"
#include "refusal.h"
#include "scene.h"

#include <limber/cpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 4 };

static lmb_rig *small_rig(void) {
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
    }
    joints[2].name = "knee";
    const lmb_rig_def def = {.joints = joints, .joint_count = JOINTS};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

static lmb_clip *created(const lmb_rig *rig, const lmb_clip_def *def) {
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    if (lmb_clip_create(rig, def, NULL, &clip, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return clip;
}

// Three keys of translation, rotation and scale, plain and as splines. Tests change one number to an invalid one.
static const float three_times[] = {0.0f, 0.5f, 2.0f};
static const float three_values[36] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9,
                                       1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9};

static lmb_track_def track_of(uint32_t joint, lmb_property property, lmb_interpolation interpolation) {
    return (lmb_track_def){joint, property, interpolation, 3, three_times, three_values};
}

static void a_clip_reports_what_it_is(void **state) {
    (void)state;
    lmb_rig *rig = small_rig();
    char name[] = "Walk";
    lmb_track_def tracks[2] = {track_of(1, LMB_PROPERTY_SCALE, LMB_INTERPOLATION_STEP),
                               track_of(2, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_CUBIC_SPLINE)};
    tracks[0].key_count = 2;
    lmb_clip *clip = created(rig, &(lmb_clip_def){.name = name, .tracks = tracks, .track_count = 2});
    lmb_rig_destroy(rig); // the clip does not keep the rig
    memset(name, 'x', 4);
    assert_string_equal(lmb_clip_get_info(clip)->name, "Walk");
    assert_true(lmb_clip_get_info(clip)->duration == 2.0f);
    assert_int_equal(lmb_clip_get_info(clip)->joint_count, JOINTS);
    assert_int_equal(lmb_clip_get_info(clip)->track_count, 2);
    assert_int_equal(lmb_clip_get_info(clip)->key_count, 5);
    size_t size = 0;
    assert_non_null(lmb_clip_block(clip, &size));
    assert_true(size > 0 && size % 4 == 0);
    lmb_clip_destroy(clip);
    lmb_clip_destroy(NULL);
}

static void names_and_durations(void **state) {
    (void)state;
    lmb_rig *rig = small_rig();
    const lmb_track_def track = track_of(0, LMB_PROPERTY_SCALE, LMB_INTERPOLATION_LINEAR);
    static const char *const names[] = {NULL, "", "a", "ab", "abc", "abcd", "abcde", "M\xc3\xa4rz"};
    for (uint32_t i = 0; i < 8; i++) {
        lmb_clip *clip =
            created(rig, &(lmb_clip_def){.name = names[i], .duration = 3.5f, .tracks = &track, .track_count = 1});
        assert_string_equal(lmb_clip_get_info(clip)->name, names[i] == NULL ? "" : names[i]);
        assert_true(lmb_clip_get_info(clip)->duration == 3.5f);
        lmb_clip_destroy(clip);
    }
    lmb_clip *clip =
        created(rig, &(lmb_clip_def){.name = "exactly", .duration = 2.0f, .tracks = &track, .track_count = 1});
    assert_true(lmb_clip_get_info(clip)->duration == 2.0f);
    lmb_clip_destroy(clip);
    clip = created(rig, &(lmb_clip_def){.name = "nothing"});
    assert_true(lmb_clip_get_info(clip)->duration == 0.0f);
    assert_int_equal(lmb_clip_get_info(clip)->track_count + lmb_clip_get_info(clip)->key_count, 0);
    lmb_clip_destroy(clip);
    static const float bad[] = {1.999f, -1.0f, NAN, INFINITY, -INFINITY, 1.2e12f};
    for (uint32_t i = 0; i < 6; i++) {
        lmb_error error = {0};
        const lmb_clip_def def = {.name = "Walk", .duration = bad[i], .tracks = &track, .track_count = 1};
        CHECK_REFUSAL(lmb_clip_create(rig, &def, NULL, &clip, &error), &error, LMB_ERROR_ARGUMENT, "Walk", "duration");
        assert_null(clip);
    }
    lmb_rig_destroy(rig);
}

static void refuse_tracks(const lmb_track_def *tracks, uint32_t count, const char *first, const char *second,
                          const char *third) {
    lmb_rig *rig = small_rig();
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    const lmb_clip_def def = {.name = "Walk", .duration = 0.0f, .tracks = tracks, .track_count = count};
    CHECK_REFUSAL(lmb_clip_create(rig, &def, NULL, &clip, &error), &error, LMB_ERROR_ARGUMENT, "clip 'Walk'", first,
                  second, third);
    assert_null(clip);
    lmb_rig_destroy(rig);
}

static void tracks_that_fit_no_joint_or_property(void **state) {
    (void)state;
    lmb_track_def tracks[13];
    for (uint32_t i = 0; i < 12; i++) {
        tracks[i] = track_of(i / 3, (lmb_property)(i % 3), LMB_INTERPOLATION_LINEAR);
    }
    lmb_rig *rig = small_rig();
    lmb_clip_destroy(
        created(rig, &(lmb_clip_def){.name = "full", .duration = 0.0f, .tracks = tracks, .track_count = 12}));
    lmb_rig_destroy(rig);
    tracks[12] = tracks[0];
    refuse_tracks(tracks, 13, "13 tracks", "", "");
    refuse_tracks(NULL, 1, "track", "", "");
    refuse_tracks(tracks, LMB_NONE, "tracks", "", "");
    tracks[1] = track_of(2, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_STEP);
    tracks[2] = tracks[1];
    refuse_tracks(tracks, 3, "track 2", "rotation of joint 'knee'", "already");
    tracks[2].joint = JOINTS;
    refuse_tracks(tracks, 3, "track 2", "joint", "");
    tracks[2].joint = LMB_NONE;
    refuse_tracks(tracks, 3, "track 2", "joint", "");
    tracks[2] = tracks[1];
    tracks[1].property = (lmb_property)4;
    refuse_tracks(tracks, 3, "track 1", "?", "property");
    tracks[1].property = (lmb_property)-1;
    refuse_tracks(tracks, 3, "track 1", "?", "property");
    tracks[1] = tracks[2];
    tracks[1].interpolation = (lmb_interpolation)3;
    refuse_tracks(tracks, 2, "track 1", "knee", "interpolation");
    tracks[1].interpolation = (lmb_interpolation)-1;
    refuse_tracks(tracks, 2, "track 1", "knee", "interpolation");
}

static void tracks_without_keys(void **state) {
    (void)state;
    for (uint32_t which = 0; which < 3; which++) {
        lmb_track_def track = track_of(2, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR);
        track.key_count = which == 0 ? 0 : 3;
        track.times = which == 1 ? NULL : three_times;
        track.values = which == 2 ? NULL : three_values;
        refuse_tracks(&track, 1, "track 0", "translation of joint 'knee'", "key");
    }
}

static void times_that_do_not_ascend(void **state) {
    (void)state;
    static const struct {
        float times[3];
        const char *key;
    } rows[] = {{{0.0f, 0.5f, 0.5f}, "key 2"},   {{0.0f, 0.0f, 0.5f}, "key 1"},     {{1.0f, 0.5f, 2.0f}, "key 1"},
                {{-0.1f, 0.5f, 2.0f}, "key 0"},  {{NAN, 0.5f, 2.0f}, "key 0"},      {{0.0f, NAN, 2.0f}, "key 1"},
                {{0.0f, 0.5f, NAN}, "key 2"},    {{0.0f, 0.5f, INFINITY}, "key 2"}, {{0.0f, 1e-30f, 1.0f}, "key 1"},
                {{0.0f, 0.5f, 1.2e12f}, "key 2"}};
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lmb_track_def track = track_of(2, LMB_PROPERTY_SCALE, LMB_INTERPOLATION_STEP);
        track.times = rows[i].times;
        refuse_tracks(&track, 1, "track 0 (scale of joint 'knee')", rows[i].key, "time");
    }
}

static void values_that_are_none(void **state) {
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY, 1.2e12f, -1.2e12f};
    for (int property = 0; property < 3; property++) {
        for (int interpolation = 0; interpolation < 3; interpolation++) {
            const uint32_t width = property == LMB_PROPERTY_ROTATION ? 4 : 3;
            const uint32_t stride = interpolation == LMB_INTERPOLATION_CUBIC_SPLINE ? 3 * width : width;
            for (uint32_t i = 0; i < 3 * stride; i++) {
                float values[36];
                memcpy(values, three_values, sizeof values);
                values[i] = bad[i % 5];
                lmb_track_def track = track_of(2, (lmb_property)property, (lmb_interpolation)interpolation);
                track.values = values;
                char key[16];
                snprintf(key, sizeof key, "key %u", i / stride);
                refuse_tracks(&track, 1, "track 0", "knee", key);
            }
        }
    }
}

static void rotations_that_are_zero(void **state) {
    (void)state;
    for (int interpolation = 0; interpolation < 3; interpolation++) {
        const bool spline = interpolation == LMB_INTERPOLATION_CUBIC_SPLINE;
        float values[36];
        memcpy(values, three_values, sizeof values);
        float *key = values + (spline ? 12 + 4 : 4);
        memset(key, 0, 4 * sizeof *key);
        lmb_track_def track = track_of(2, LMB_PROPERTY_ROTATION, (lmb_interpolation)interpolation);
        track.values = values;
        refuse_tracks(&track, 1, "rotation of joint 'knee'", "key 1", "zero");
        if (spline) { // tangents may be zero
            memcpy(values, three_values, sizeof values);
            memset(values + 12, 0, 4 * sizeof *values);
            memset(values + 20, 0, 4 * sizeof *values);
            lmb_rig *rig = small_rig();
            lmb_clip_destroy(
                created(rig, &(lmb_clip_def){.name = "flat", .duration = 0.0f, .tracks = &track, .track_count = 1}));
            lmb_rig_destroy(rig);
        }
    }
}

static void arguments_that_are_missing(void **state) {
    (void)state;
    lmb_rig *rig = small_rig();
    const lmb_clip_def def = {.name = "Walk"};
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_clip_create(NULL, &def, NULL, &clip, &error), &error, LMB_ERROR_ARGUMENT, "rig", "NULL");
    CHECK_REFUSAL(lmb_clip_create(rig, NULL, NULL, &clip, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    CHECK_REFUSAL(lmb_clip_create(rig, &def, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    CHECK_REFUSAL(lmb_clip_open(NULL, 64, NULL, &clip, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    CHECK_REFUSAL(lmb_clip_open(&def, 64, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    assert_int_equal(lmb_clip_open(&def, 0, NULL, &clip, NULL), LMB_ERROR_FORMAT);
    lmb_rig_destroy(rig);
}

// Samples the clip's local poses at several times, looped and clamped, for all its joints.
enum { SAMPLES = 12 };

static size_t pose_floats(const lmb_clip *clip) {
    return (size_t)LMB_POSE_COMPONENTS * lmb_clip_get_info(clip)->joint_count + lmb_clip_get_info(clip)->channel_count;
}

// A chain, with float channels of which every second one is an angle.
static lmb_rig *rig_with_channels(uint32_t joint_count, uint32_t channel_count) {
    lmb_joint_def *joints = calloc((size_t)joint_count + 1, sizeof *joints);
    lmb_channel_def *channels = calloc((size_t)channel_count + 1, sizeof *channels);
    assert_non_null(joints);
    assert_non_null(channels);
    for (uint32_t i = 0; i < joint_count; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
    }
    for (uint32_t i = 0; i < channel_count; i++) {
        channels[i] = (lmb_channel_def){.rest = (float)i, .angle = i % 2 == 1};
    }
    const lmb_rig_def def = {
        .joints = joints, .joint_count = joint_count, .channels = channels, .channel_count = channel_count};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    free(joints);
    free(channels);
    return rig;
}

static float *sampled(const lmb_clip *clip) {
    const lmb_clip_info *info = lmb_clip_get_info(clip);
    const uint32_t joint_count = info->joint_count;
    lmb_rig *rig = rig_with_channels(joint_count, info->channel_count);
    lmb_node_def nodes[2] = {lmb_default_node_def(), lmb_default_node_def()};
    for (uint32_t i = 0; i < 2; i++) {
        nodes[i].op = LMB_OP_CLIP;
        nodes[i].time = lmb_parameter(0);
    }
    float *result = calloc((size_t)2 * SAMPLES * pose_floats(clip), sizeof *result);
    assert_non_null(result);
    for (uint32_t loop = 0; loop < 2; loop++) {
        nodes[0].loop = loop == 1;
        const lmb_graph_def def = {
            .rig = rig, .clips = &clip, .clip_count = 1, .nodes = nodes, .node_count = 1, .parameter_count = 1};
        lmb_graph *program = NULL;
        lmb_cpu *cpu = NULL;
        assert_int_equal(lmb_graph_create(&def, NULL, &program, NULL), LMB_OK);
        assert_int_equal(lmb_cpu_create(program, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
        float times[SAMPLES];
        for (uint32_t i = 0; i < SAMPLES; i++) {
            times[i] = ((float)i / 4.0f - 0.5f) * info->duration;
        }
        const lmb_batch_def batch = {program, SAMPLES, LMB_OUTPUT_LOCAL_BIT};
        const lmb_batch_inputs inputs = {.parameters = times};
        const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_LOCAL] =
                                               result + (size_t)loop * SAMPLES * pose_floats(clip)};
        assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
        lmb_cpu_destroy(cpu);
        lmb_graph_destroy(program);
    }
    lmb_rig_destroy(rig);
    return result;
}

static void a_block_may_move(void **state) {
    (void)state;
    lmb_rig *rig = scene_rig(9, SCENE_CHAIN, 1);
    keyframes source = keyframes_create(9, 6, 70);
    lmb_clip *clip = created(rig, &source.clip);
    size_t size, copied_size;
    const void *block = lmb_clip_block(clip, &size);
    float *expected = sampled(clip);
    char *bytes = malloc(size + 8);
    assert_non_null(bytes);
    for (uint32_t shift = 0; shift < 8; shift++) {
        memcpy(bytes + shift, block, size);
        lmb_clip *copy = NULL;
        lmb_error error = {0};
        if (lmb_clip_open(bytes + shift, size, NULL, &copy, &error) != LMB_OK) {
            fail_msg("%s", error.message);
        }
        memset(bytes, 0xff, size + 8); // the bytes were copied
        const void *copied = lmb_clip_block(copy, &copied_size);
        assert_true(copied_size == size && copied != block);
        assert_memory_equal(copied, block, size);
        assert_string_equal(lmb_clip_get_info(copy)->name, "random");
        assert_true(lmb_clip_get_info(copy)->duration == lmb_clip_get_info(clip)->duration);
        assert_int_equal(lmb_clip_get_info(copy)->joint_count, 9);
        assert_int_equal(lmb_clip_get_info(copy)->track_count, lmb_clip_get_info(clip)->track_count);
        assert_int_equal(lmb_clip_get_info(copy)->key_count, lmb_clip_get_info(clip)->key_count);
        float *values = sampled(copy);
        assert_memory_equal(values, expected, sizeof(float[2 * SAMPLES * LMB_POSE_COMPONENTS * 9]));
        free(values);
        lmb_clip_destroy(copy);
    }
    free(bytes);
    free(expected);
    keyframes_destroy(&source);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
}

// Rotations are rounded when a block is built. Opening a block checks their length only up to that rounding.
static void every_rotation_that_was_built_opens(void **state) {
    (void)state;
    enum { KEYS = 50000 };
    random_source source = {73};
    float *times = malloc(KEYS * sizeof *times), *values = malloc(KEYS * 4 * sizeof *values);
    assert_true(times != NULL && values != NULL);
    for (uint32_t i = 0; i < KEYS; i++) {
        times[i] = (float)i;
        for (uint32_t k = 0; k < 4; k++) {
            values[4 * i + k] = (float)random_between(&source, -1.0, 1.0);
        }
    }
    const lmb_track_def track = {0, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, KEYS, times, values};
    lmb_rig *rig = small_rig();
    lmb_clip *clip = created(rig,
                             &(lmb_clip_def){.name = "all ways", .duration = 0.0f, .tracks = &track, .track_count = 1}),
             *copy = NULL;
    size_t size;
    const void *block = lmb_clip_block(clip, &size);
    assert_int_equal(lmb_clip_open(block, size, NULL, &copy, NULL), LMB_OK);
    lmb_clip_destroy(copy);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
    free(times);
    free(values);
}

// The same descriptor gives the same bytes: a block contains no address and no uninitialised data.
static void a_block_is_what_its_descriptor_says(void **state) {
    (void)state;
    lmb_rig *rig = scene_rig(9, SCENE_CHAIN, 1);
    keyframes one = keyframes_create(9, 6, 71), two = keyframes_create(9, 6, 71);
    lmb_clip *first = created(rig, &one.clip), *second = created(rig, &two.clip);
    size_t size, other;
    const void *block = lmb_clip_block(first, &size);
    const void *again = lmb_clip_block(second, &other);
    assert_int_equal(size, other);
    assert_memory_equal(block, again, size);
    keyframes_destroy(&one);
    keyframes_destroy(&two);
    lmb_clip_destroy(first);
    lmb_clip_destroy(second);
    lmb_rig_destroy(rig);
}

// A block for damage tests: all channels and interpolations, shared and separate times, and channels with the rest
// value.
static lmb_clip *victim(void) {
    static const float times[] = {0.25f, 1.0f};
    lmb_track_def tracks[] = {track_of(0, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR),
                              track_of(0, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_CUBIC_SPLINE),
                              track_of(0, LMB_PROPERTY_SCALE, LMB_INTERPOLATION_STEP),
                              track_of(1, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR),
                              track_of(0, LMB_PROPERTY_FLOAT, LMB_INTERPOLATION_LINEAR),
                              track_of(1, LMB_PROPERTY_FLOAT, LMB_INTERPOLATION_CUBIC_SPLINE)};
    tracks[3].key_count = 2;
    tracks[3].times = times;
    lmb_rig *rig = rig_with_channels(2, 3);
    lmb_clip *clip =
        created(rig, &(lmb_clip_def){.name = "victim", .duration = 0.0f, .tracks = tracks, .track_count = 6});
    lmb_rig_destroy(rig);
    return clip;
}

// Opens data that may be a block. A refused block must be malformed, with a message. An accepted one must sample to
// numbers in range and to rotations of length 1. The address sanitizer detects reads outside of the block.
static bool survives(const uint32_t *words, size_t size) {
    uint32_t *exact = malloc(size > 0 ? size : 1); // exact size
    assert_non_null(exact);
    memcpy(exact, words, size);
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    const lmb_result result = lmb_clip_open(exact, size, NULL, &clip, &error);
    free(exact);
    if (result != LMB_OK) {
        CHECK_REFUSAL(result, &error, LMB_ERROR_FORMAT, "clip block");
        assert_null(clip);
        return false;
    }
    assert_true(strlen(lmb_clip_get_info(clip)->name) < size);
    const uint32_t joint_count = lmb_clip_get_info(clip)->joint_count;
    float *values = sampled(clip);
    for (uint32_t i = 0; i < 2 * SAMPLES * joint_count; i++) {
        const uint32_t character = i / joint_count, joint = i % joint_count;
        const float *pose = values + character * pose_floats(clip);
        double square = 0.0;
        for (uint32_t component = 0; component < LMB_POSE_COMPONENTS; component++) {
            const float value = pose[component * joint_count + joint];
            assert_true(value == 0.0f || (fabsf(value) >= LMB_SMALLEST && fabsf(value) <= LMB_LARGEST));
            square += component >= 3 && component < 7 ? (double)value * (double)value : 0.0;
        }
        assert_true(fabs(square - 1.0) <= 2e-6);
    }
    for (uint32_t i = 0; i < 2 * SAMPLES * lmb_clip_get_info(clip)->channel_count; i++) {
        const uint32_t count = lmb_clip_get_info(clip)->channel_count, channel = i % count;
        const float *channels = values + i / count * pose_floats(clip) + (size_t)LMB_POSE_COMPONENTS * joint_count;
        assert_true(channels[channel] == 0.0f || fabsf(channels[channel]) >= LMB_SMALLEST);
        assert_true(fabsf(channels[channel]) <= (channel % 2 == 1 ? 180.0f : LMB_LARGEST));
    }
    free(values);
    lmb_clip_destroy(clip);
    return true;
}

static void every_word_may_be_spoiled(void **state) {
    (void)state;
    static const uint32_t values[] = {0,          1,          2,          3,          0xffffffffu, 0x80000000u,
                                      0x7fffffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001,  0x007fffff,
                                      0x3f800000, 0xbf800000, 0x53800000, 0x53800001, 0x2b800000,  0x2b7fffff,
                                      0x00010000, 0x40000000, 100,        0x3f8fffff};
    lmb_clip *clip = victim();
    size_t size;
    const void *block = lmb_clip_block(clip, &size);
    uint32_t *words = malloc(size);
    assert_non_null(words);
    memcpy(words, block, size);
    assert_true(survives(words, size));
    uint32_t opened = 0, refused = 0;
    for (uint32_t i = 0; i < size / 4; i++) {
        const uint32_t kept = words[i];
        for (uint32_t k = 0; k < sizeof values / sizeof *values + 32 + 4; k++) {
            const uint32_t plain = sizeof values / sizeof *values;
            words[i] = k < plain        ? values[k]
                       : k < plain + 32 ? kept ^ (1u << (k - plain))
                                        : kept + (k - plain - 32) - 2;
            *(survives(words, size) ? &opened : &refused) += 1;
        }
        words[i] = kept;
    }
    print_message("%zu words, spoiled: %u refused, %u opened\n", size / 4, refused, opened);
    assert_true(refused > 1000);
    free(words);
    lmb_clip_destroy(clip);
}

// Writes NaNs and infinities, which are also counts and offsets beyond any block. Every word must be checked, except
// those of the name, whose last word must contain its end.
static void no_word_is_left_unchecked(void **state) {
    (void)state;
    static const uint32_t values[] = {0x7fc00000, 0xffc00000, 0x7f800000, 0xff800000, 0x53800001, 0xd3800001};
    lmb_clip *clip = victim();
    size_t size;
    const void *block = lmb_clip_block(clip, &size);
    uint32_t *words = malloc(size);
    assert_non_null(words);
    memcpy(words, block, size);
    uint32_t first_of_name;
    memcpy(&first_of_name, "vict", 4);
    for (uint32_t i = 0; i < size / 4; i++) {
        const uint32_t kept = words[i];
        for (uint32_t k = 0; k < sizeof values / sizeof *values; k++) {
            words[i] = values[k];
            if (kept != first_of_name && survives(words, size)) {
                fail_msg("word %u, spoiled with %08x, is not refused", i, values[k]);
            }
        }
        words[i] = kept;
    }
    free(words);
    lmb_clip_destroy(clip);
}

// The stored reciprocals match the changed times, so only the check of the times themselves can refuse them.
static void times_in_a_block_ascend_to_the_duration(void **state) {
    (void)state;
    static const struct {
        float first, second;
        bool right;
    } rows[] = {{0.25f, 1.0f, true},   {0.0f, 2.0f, true},   {1.0f, 0.25f, false},
                {0.25f, 2.25f, false}, {-0.5f, 1.0f, false}, {-1.0f, -0.5f, false},
                {3.0f, 4.0f, false},   {-0.0f, 1.0f, false}, {0x1p-41f, 1.0f, false}};
    lmb_clip *clip = victim();
    size_t size;
    const void *block = lmb_clip_block(clip, &size);
    uint32_t *words = malloc(size);
    assert_non_null(words);
    uint32_t at = 0, found = 0;
    const float given[4] = {0.25f, 1.0f, 1.0f / 0.75f, 0.0f};
    for (uint32_t i = 0; i + 4 <= size / 4; i++) {
        if (memcmp((const uint32_t *)block + i, given, sizeof given) == 0) {
            at = i;
            found++;
        }
    }
    assert_int_equal(found, 1);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const float times[4] = {rows[i].first, rows[i].second, 1.0f / (rows[i].second - rows[i].first), 0.0f};
        memcpy(words, block, size);
        memcpy(words + at, times, sizeof times);
        assert_true(survives(words, size) == rows[i].right);
    }
    free(words);
    lmb_clip_destroy(clip);
}

static void durations_in_a_block_are_in_range(void **state) {
    (void)state;
    static const struct {
        float duration, rate;
        bool right;
    } rows[] = {{2.0f, 0.5f, true},      {4.0f, 0.25f, true},        {0x1p40f, 0x1p-40f, true},
                {1.0f, 1.0f, false},     {0x1p41f, 0x1p-41f, false}, {NAN, 0.0f, false},
                {INFINITY, 0.0f, false}, {-2.0f, 0.0f, false},       {2.0f, 0.25f, false}};
    static const float given[2] = {2.0f, 0.5f};
    lmb_clip *clip = victim();
    size_t size;
    const void *block = lmb_clip_block(clip, &size);
    uint32_t *words = malloc(size);
    assert_non_null(words);
    uint32_t at = 0;
    while (memcmp((const uint32_t *)block + at, given, sizeof given) != 0) {
        assert_true(++at + 2 <= size / 4);
    }
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const float pair[2] = {rows[i].duration, rows[i].rate};
        memcpy(words, block, size);
        memcpy(words + at, pair, sizeof pair);
        assert_true(survives(words, size) == rows[i].right);
    }
    free(words);
    lmb_clip_destroy(clip);
}

static void many_words_may_be_spoiled(void **state) {
    (void)state;
    lmb_clip *clip = victim();
    size_t size;
    const void *block = lmb_clip_block(clip, &size);
    uint32_t *words = malloc(size);
    assert_non_null(words);
    random_source source = {72};
    for (uint32_t round = 0; round < 20000; round++) {
        memcpy(words, block, size);
        for (uint32_t spoiled = 2 + random_below(&source, 3); spoiled > 0; spoiled--) {
            const uint32_t from = random_below(&source, (uint32_t)size / 4);
            const uint32_t to = random_below(&source, (uint32_t)size / 4);
            words[to] = random_below(&source, 2) == 0 ? words[from] : words[to] ^ (1u << random_below(&source, 32));
        }
        survives(words, size);
    }
    free(words);
    lmb_clip_destroy(clip);
}

static void a_block_may_be_cut_or_continued(void **state) {
    (void)state;
    lmb_clip *clip = victim();
    size_t size;
    const void *block = lmb_clip_block(clip, &size);
    uint32_t *words = calloc(1, size + 64);
    assert_non_null(words);
    memcpy(words, block, size);
    for (size_t length = 0; length <= size + 64; length++) {
        assert_true(survives(words, length) == (length == size));
    }
    free(words);
    lmb_clip_destroy(clip);
}

static lmb_result create_and_destroy(const lmb_host *host, lmb_error *error, void *user) {
    const lmb_track_def track = track_of(1, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR);
    const lmb_clip_def def = {.name = "Walk", .duration = 0.0f, .tracks = &track, .track_count = 1};
    lmb_clip *clip = NULL;
    const lmb_result result = lmb_clip_create(user, &def, host, &clip, error);
    assert_true((result == LMB_OK) == (clip != NULL));
    lmb_clip_destroy(clip);
    return result;
}

// A graph writes the common track into the header of its copy of a block. Here word 15 is also joint 0's entry of a
// packed section, which is at rest when it is checked, and would then be a track with keys far outside of the block.
static void nothing_overlaps_the_header(void **state) {
    (void)state;
    enum { WORDS = 64, SECTION = 8 };
    uint32_t words[WORDS] = {0x43424d4cu, 4, WORDS, 32, 0x3f800000u, 0x3f800000u, 1};
    words[11] = 52;          // the name, and the section's frames, of which there are none
    words[12] = 7;           // words of the name, and the row of translations, from word 15 on
    words[14] = SECTION;     // the packed section, and its row of scales, from word 16 on
    words[30] = 0x00720000u; // joint 31 has the track at 36
    words[32] = 2;
    words[33] = 0x30000000u;
    words[36] = 1;
    words[37] = 2;
    words[38] = 40;
    words[39] = 44;
    words[41] = words[42] = 0x3f800000u;
    lmb_clip *clip = NULL;
    lmb_error error;
    assert_int_equal(lmb_clip_open(words, sizeof words, NULL, &clip, &error), LMB_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "the packed section leaves the block"));
    words[14] = 0;
    words[8] = 12; // a track table in the header
    assert_int_equal(lmb_clip_open(words, sizeof words, NULL, &clip, &error), LMB_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "the track table leaves the block"));
}

static lmb_result open_and_destroy(const lmb_host *host, lmb_error *error, void *user) {
    size_t size;
    const void *block = lmb_clip_block(user, &size);
    lmb_clip *clip = NULL;
    const lmb_result result = lmb_clip_open(block, size, host, &clip, error);
    assert_true((result == LMB_OK) == (clip != NULL));
    lmb_clip_destroy(clip);
    return result;
}

// A refused descriptor or block also leaks nothing.
static void nothing_is_leaked_where_input_is_refused(void **state) {
    (void)state;
    failing_host counts = {0};
    const lmb_host host = failing_host_of(&counts);
    lmb_rig *rig = small_rig();
    lmb_track_def track = track_of(1, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR);
    track.times = (const float[]){1.0f, 0.5f, 0.25f};
    const lmb_clip_def def = {.name = "Walk", .duration = 0.0f, .tracks = &track, .track_count = 1};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(rig, &def, &host, &clip, NULL), LMB_ERROR_ARGUMENT);
    assert_int_equal(counts.live, 0);
    const uint32_t words[64] = {0};
    assert_int_equal(lmb_clip_open(words, sizeof words, &host, &clip, NULL), LMB_ERROR_FORMAT);
    assert_int_equal(counts.live, 0);
    lmb_rig_destroy(rig);
}

static void memory_that_is_refused(void **state) {
    (void)state;
    lmb_rig *rig = small_rig();
    failing_host_try_all(create_and_destroy, rig);
    lmb_clip *clip = victim();
    failing_host_try_all(open_and_destroy, clip);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
}

// Counts of keys for which a clip has no room are refused before the keys are read.
static void keys_are_counted_before_they_are_read(void **state) {
    (void)state;
    lmb_rig *rig = small_rig();
    guarded times = guarded_copy(three_times, sizeof three_times);
    guarded values = guarded_copy(three_values, sizeof three_values);
    for (lmb_property property = LMB_PROPERTY_TRANSLATION; property <= LMB_PROPERTY_SCALE; property++) {
        lmb_track_def tracks[2] = {track_of(1, property, LMB_INTERPOLATION_STEP),
                                   {2, property, LMB_INTERPOLATION_CUBIC_SPLINE, 3, times.bytes, values.bytes}};
        const lmb_clip_def def = {.tracks = tracks, .track_count = 2};
        lmb_clip_destroy(created(rig, &def));
        static const uint32_t counts[] = {(1u << 30) / 9 + 1, UINT32_MAX / 9 + 1, UINT32_MAX};
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            tracks[1].key_count = counts[i];
            lmb_clip *clip = NULL;
            lmb_error error = {0};
            CHECK_REFUSAL(lmb_clip_create(rig, &def, NULL, &clip, &error), &error, LMB_ERROR_LIMIT, "2^30");
        }
    }
    guarded_release(&times);
    guarded_release(&values);
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clip_reports_what_it_is),
        cmocka_unit_test(names_and_durations),
        cmocka_unit_test(tracks_that_fit_no_joint_or_property),
        cmocka_unit_test(tracks_without_keys),
        cmocka_unit_test(keys_are_counted_before_they_are_read),
        cmocka_unit_test(times_that_do_not_ascend),
        cmocka_unit_test(values_that_are_none),
        cmocka_unit_test(rotations_that_are_zero),
        cmocka_unit_test(arguments_that_are_missing),
        cmocka_unit_test(a_block_may_move),
        cmocka_unit_test(every_rotation_that_was_built_opens),
        cmocka_unit_test(a_block_is_what_its_descriptor_says),
        cmocka_unit_test(every_word_may_be_spoiled),
        cmocka_unit_test(no_word_is_left_unchecked),
        cmocka_unit_test(times_in_a_block_ascend_to_the_duration),
        cmocka_unit_test(durations_in_a_block_are_in_range),
        cmocka_unit_test(many_words_may_be_spoiled),
        cmocka_unit_test(a_block_may_be_cut_or_continued),
        cmocka_unit_test(nothing_is_leaked_where_input_is_refused),
        cmocka_unit_test(nothing_overlaps_the_header),
        cmocka_unit_test(memory_that_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
