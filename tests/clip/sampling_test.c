// Clips in a program against the float64 oracle: interpolations, clamping, looping, refused times and indices.
#include "keyframes.h"
#include "scene.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Parameter 0 is the clip index, parameter 1 the time.
static void start_sampling(test_scene *scene, lmb_rig *rig, const lmb_clip_def *clips, uint32_t clip_count,
                           uint32_t characters, bool loop) {
    scene_start(scene, rig, characters, 2);
    scene->clips = clips;
    scene->clip_count = clip_count;
    lmb_node_def *node = scene_add(scene, LMB_OP_CLIP, LMB_NONE, LMB_NONE);
    node->clip = lmb_parameter(0);
    node->time = lmb_parameter(1);
    node->loop = loop;
}

static scene_bounds sampling_bounds(void) {
    scene_bounds bounds = SCENE_BOUNDS;
    bounds.magnitude = KEYFRAMES_MAGNITUDE;
    bounds.scale = 1e-6; // sampled linearly, so also relative to the keys
    bounds.scale_floor = KEYFRAMES_MAGNITUDE;
    return bounds;
}

static void random_clips_clamped(void **state) {
    (void)state;
    enum { JOINTS = 30, CHARACTERS = 130 };
    static const uint32_t most_keys[] = {1, 2, 3, 9, 100};
    keyframes sources[5];
    lmb_clip_def clips[5];
    for (uint32_t i = 0; i < 5; i++) {
        sources[i] = keyframes_create(JOINTS, most_keys[i], 20 + i);
        clips[i] = sources[i].clip;
    }
    test_scene scene;
    random_source source = {21};
    start_sampling(&scene, scene_rig(JOINTS, SCENE_TREE, 20), clips, 5, CHARACTERS, false);
    for (uint32_t round = 0; round < 5; round++) {
        for (uint32_t character = 0; character < CHARACTERS; character++) {
            *scene_parameter(&scene, character, 0) = (float)round;
            *scene_parameter(&scene, character, 1) = (float)random_between(&source, -0.5, 3.0);
        }
        char title[32];
        snprintf(title, sizeof title, "up to %u keys", most_keys[round]);
        scene_run(&scene);
        scene_compare_local(&scene, title, sampling_bounds());
        assert_int_equal(scene.refused[LMB_REFUSED_CLIP] + scene.refused[LMB_REFUSED_TIME], 0);
    }
    scene_end(&scene);
    for (uint32_t i = 0; i < 5; i++) {
        keyframes_destroy(&sources[i]);
    }
}

// At every key, one float before it and one after it, with a character for each.
static void times_at_keys(void **state) {
    (void)state;
    enum { JOINTS = 6 };
    keyframes source = keyframes_create(JOINTS, 12, 22);
    for (uint32_t shift = 0; shift < 3; shift++) {
        for (uint32_t loop = 0; loop < 2; loop++) {
            uint32_t keys = 0;
            for (uint32_t i = 0; i < source.clip.track_count; i++) {
                keys += source.tracks[i].key_count;
            }
            test_scene scene;
            start_sampling(&scene, scene_rig(JOINTS, SCENE_TREE, 22), &source.clip, 1, keys, loop == 1);
            uint32_t character = 0;
            for (uint32_t i = 0; i < source.clip.track_count; i++) {
                for (uint32_t key = 0; key < source.tracks[i].key_count; key++, character++) {
                    const float time = source.tracks[i].times[key];
                    *scene_parameter(&scene, character, 1) = shift == 0   ? time
                                                             : shift == 1 ? nextafterf(time, -1.0f)
                                                                          : nextafterf(time, 10.0f);
                }
            }
            // With looping, one float before 0 is one float before the end, or the end itself, which is the start.
            if (!(loop == 1 && shift == 1)) {
                scene_run(&scene);
                scene_compare_local(&scene, "at keys", sampling_bounds());
            }
            scene_end(&scene);
        }
    }
    keyframes_destroy(&source);
}

static const float zero_and_one[] = {0.0f, 1.0f};

// The range of a sampled channel if the time is known to within `reach`: the oracle's values for these times, and
// everything between them.
typedef struct value_range {
    double low[LMB_POSE_COMPONENTS];
    double high[LMB_POSE_COMPONENTS];
} value_range;

static void flatten(const oracle_transform *transform, double values[LMB_POSE_COMPONENTS]) {
    memcpy(values, transform->translation, sizeof transform->translation);
    memcpy(values + 3, transform->rotation, sizeof transform->rotation);
    memcpy(values + 7, transform->scale, sizeof transform->scale);
}

static value_range range_around(const test_scene *scene, const lmb_clip_def *clip, uint32_t joint, double time,
                                double reach) {
    value_range range;
    const lmb_transform rest_float = lmb_rig_get_def(scene->rig)->joints[joint].rest;
    const oracle_transform rest = oracle_transform_from_float(&rest_float);
    for (int step = -2; step <= 2; step++) {
        oracle_choices choices = {0, 0};
        oracle_transform exact;
        double values[LMB_POSE_COMPONENTS];
        const double at = oracle_clip_time(time + reach * step / 2.0, oracle_clip_duration(clip), true);
        oracle_clip_sample(clip, joint, at, &rest, &choices, &exact);
        flatten(&exact, values);
        for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
            range.low[i] = step == -2 ? values[i] : fmin(range.low[i], values[i]);
            range.high[i] = step == -2 ? values[i] : fmax(range.high[i], values[i]);
        }
    }
    return range;
}

// Looping reduces the time in floats, so the time is known to some ulps of the original time; the test allows twice
// that.
static void looped_within_the_times_own_ulp(void **state) {
    (void)state;
    enum { JOINTS = 24, CHARACTERS = 400 };
    keyframes source = keyframes_create(JOINTS, 7, 23);
    test_scene scene;
    random_source random = {23};
    start_sampling(&scene, scene_rig(JOINTS, SCENE_TREE, 23), &source.clip, 1, CHARACTERS, true);
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        const double reach = exp2(random_between(&random, -20.0, 12.0));
        float time = (float)(random_below(&random, 2) == 0 ? -reach : reach);
        if (character % 8 == 0) { // whole loops
            time = KEYFRAMES_DURATION * ((float)(character / 8) - 25.0f);
        }
        *scene_parameter(&scene, character, 1) = time;
    }
    scene_run(&scene);
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        const double time = (double)*scene_parameter(&scene, character, 1);
        const double reach = 4.0 * fmax(fabs(time), (double)KEYFRAMES_DURATION) * (double)FLT_EPSILON;
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            const value_range range = range_around(&scene, &source.clip, joint, time, reach);
            for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
                const double value =
                    (double)*scene_component(&scene, scene.buffers[LMB_OUTPUT_LOCAL], character, joint, i);
                const double bound = i >= 3 && i < 7 ? 1e-6 : 1e-6 * KEYFRAMES_MAGNITUDE;
                if (!(value >= range.low[i] - bound && value <= range.high[i] + bound)) {
                    fail_msg("time %.9g, joint %u, component %u: %.9g is outside [%.9g, %.9g]", time, joint, i, value,
                             range.low[i], range.high[i]);
                }
            }
        }
    }
    scene_end(&scene);
    keyframes_destroy(&source);
}

// A ramp whose value is the time, so the result is the looped time.
static void looped_time_stays_in_range(void **state) {
    (void)state;
    static const float durations[] = {1.0f, 0.1f, 3.0f, 1e-3f, 1e-6f, 1e6f, 0.0166666675f, 7.7f};
    static const float ramp[] = {0.0f, 0.0f, 0.0f, 1.0f, 1.0f, 1.0f};
    static const float odd_times[] = {-0.0f,    -1e-30f, -FLT_MIN, FLT_MAX,     -FLT_MAX, 1e9f,    -1e9f,   0x1p40f,
                                      -0x1p40f, 0x1p24f, -0x1p24f, 16777217.0f, 1e-45f,   -1e-45f, 0x1p23f, -0x1p23f,
                                      0x1p31f,  0x1p32f, -0x1p31f, -0x1p33f,    5e8f,     0x1p63f, 0x1p64f, -0x1p64f};
    enum { ODD = sizeof odd_times / sizeof *odd_times, CHARACTERS = ODD + 3000 };
    for (uint32_t i = 0; i < sizeof durations / sizeof *durations; i++) {
        const float times[2] = {0.0f, durations[i]};
        const lmb_track_def track = {0, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, ramp};
        const lmb_clip_def clip = {.name = "ramp", .duration = 0.0f, .tracks = &track, .track_count = 1};
        test_scene scene;
        random_source source = {24 + i};
        start_sampling(&scene, scene_single_joint(), &clip, 1, CHARACTERS, true);
        for (uint32_t character = 0; character < CHARACTERS; character++) {
            const double rounds = random_between(&source, -200.0, 200.0);
            float time = (float)(rounds * (double)durations[i]);
            if (character % 3 == 0) { // just around the end of a loop
                time = durations[i] * (float)(int)rounds;
                time = character % 2 == 0 ? nextafterf(time, -INFINITY) : time;
            }
            *scene_parameter(&scene, character, 1) = character < ODD ? odd_times[character] : time;
        }
        scene_run(&scene);
        double largest = 0.0;
        for (uint32_t character = 0; character < CHARACTERS; character++) {
            const float value = *scene_component(&scene, scene.buffers[LMB_OUTPUT_LOCAL], character, 0, 0);
            assert_true(value >= 0.0f && value <= 1.0f);
            const double time = (double)*scene_parameter(&scene, character, 1), duration = (double)durations[i];
            const double exact = oracle_clip_time(time, duration, true) / duration;
            double error = fabs((double)value - exact);
            error = fmin(error, fabs(1.0 - error)); // the end of a loop is the start of the next
            if (fabs(time) <= 300.0 * duration) {
                largest = fmax(largest, error / fmax(1.0, fabs(time / duration)));
            }
        }
        print_message("looped over %g s: %.2g of the larger of time and duration\n", (double)durations[i], largest);
        assert_true(largest <= 4.0 * (double)FLT_EPSILON);
        assert_int_equal(scene.refused[LMB_REFUSED_TIME], 0);
        scene_end(&scene);
    }
}

static void times_and_indices_that_are_refused(void **state) {
    (void)state;
    static const struct {
        float clip, time;
        uint32_t refused_clip, refused_time;
    } rows[] = {
        {0.0f, 0.5f, 0, 0},          {0.999f, 0.5f, 0, 0},    {1.0f, 0.5f, 0, 0},          {1.999f, 0.5f, 0, 0},
        {2.0f, 0.5f, 1, 0},          {-0.0f, 0.5f, 0, 0},     {-0.5f, 0.5f, 1, 0},         {-1.0f, 0.5f, 1, 0},
        {NAN, 0.5f, 1, 0},           {INFINITY, 0.5f, 1, 0},  {-INFINITY, 0.5f, 1, 0},     {4294967296.0f, 0.5f, 1, 0},
        {4294967040.0f, 0.5f, 1, 0}, {1e30f, 0.5f, 1, 0},     {2147483648.0f, 0.5f, 1, 0}, {0.0f, NAN, 0, 1},
        {1.0f, INFINITY, 0, 1},      {0.0f, -INFINITY, 0, 1}, {1.0f, -NAN, 0, 1},          {0.0f, 1e30f, 0, 0},
        {0.0f, -1e30f, 0, 0},        {0.0f, 1e-30f, 0, 0}};
    const uint32_t count = sizeof rows / sizeof *rows;
    keyframes sources[2] = {keyframes_create(5, 4, 25), keyframes_create(5, 4, 26)};
    const lmb_clip_def clips[2] = {sources[0].clip, sources[1].clip};
    for (uint32_t loop = 0; loop < 2; loop++) {
        test_scene scene;
        start_sampling(&scene, scene_rig(5, SCENE_TREE, 25), clips, 2, count, loop == 1);
        uint32_t refused_clip = 0, refused_time = 0;
        for (uint32_t character = 0; character < count; character++) {
            const bool huge = fabsf(rows[character].time) > 1e9f && isfinite(rows[character].time);
            *scene_parameter(&scene, character, 0) = rows[character].clip;
            *scene_parameter(&scene, character, 1) = huge && loop == 1 ? 0.25f : rows[character].time;
            refused_clip += rows[character].refused_clip;
            refused_time += rows[character].refused_time;
        }
        scene_run(&scene);
        scene_compare_local(&scene, loop == 1 ? "refused, looped" : "refused, clamped", sampling_bounds());
        assert_int_equal(scene.refused[LMB_REFUSED_CLIP], refused_clip);
        assert_int_equal(scene.refused[LMB_REFUSED_TIME], refused_time);
        scene_end(&scene);
    }
    keyframes_destroy(&sources[0]);
    keyframes_destroy(&sources[1]);
}

// Clips of duration 0: with a single key at 0, and without tracks.
static void clips_of_no_duration(void **state) {
    (void)state;
    static const float values[] = {1.0f, 2.0f, 3.0f};
    const lmb_track_def track = {1, LMB_PROPERTY_SCALE, LMB_INTERPOLATION_LINEAR, 1, zero_and_one, values};
    const lmb_clip_def clips[2] = {{.name = "one key", .duration = 0.0f, .tracks = &track, .track_count = 1},
                                   {.name = "nothing"}};
    static const float times[] = {0.0f, 1.0f, -1.0f, 1e30f, NAN, 1e-30f};
    for (uint32_t loop = 0; loop < 2; loop++) {
        test_scene scene;
        start_sampling(&scene, scene_rig(3, SCENE_TREE, 28), clips, 2, 12, loop == 1);
        for (uint32_t character = 0; character < 12; character++) {
            *scene_parameter(&scene, character, 0) = (float)(character / 6);
            *scene_parameter(&scene, character, 1) = times[character % 6];
        }
        scene_run(&scene);
        scene_compare_local(&scene, "no duration", SCENE_BOUNDS);
        assert_int_equal(scene.refused[LMB_REFUSED_TIME], 2);
        scene_end(&scene);
    }
}

// Keys at 1 and 2 s in a clip of 4 s: the first value applies before, the last one after, also when looped.
static void the_first_and_last_keys_hold(void **state) {
    (void)state;
    static const float times[] = {1.0f, 2.0f};
    static const float plain[] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f};
    static const float spline[] = {9.0f, 9.0f, 9.0f, 1.0f, 2.0f, 3.0f, 9.0f, 9.0f, 9.0f,
                                   9.0f, 9.0f, 9.0f, 4.0f, 5.0f, 6.0f, 9.0f, 9.0f, 9.0f};
    static const float at[] = {0.0f, 0.5f, 1.0f, 2.0f, 3.0f, 3.99f};
    for (int interpolation = 0; interpolation < 3; interpolation++) {
        const bool is_spline = interpolation == LMB_INTERPOLATION_CUBIC_SPLINE;
        const lmb_track_def track = {0,     LMB_PROPERTY_TRANSLATION,  (lmb_interpolation)interpolation, 2,
                                     times, is_spline ? spline : plain};
        const lmb_clip_def clip = {.name = "holds", .duration = 4.0f, .tracks = &track, .track_count = 1};
        for (uint32_t loop = 0; loop < 2; loop++) {
            test_scene scene;
            start_sampling(&scene, scene_single_joint(), &clip, 1, 6, loop == 1);
            for (uint32_t character = 0; character < 6; character++) {
                *scene_parameter(&scene, character, 1) = at[character];
            }
            scene_run(&scene);
            scene_compare_local(&scene, "held keys", SCENE_BOUNDS);
            for (uint32_t character = 0; character < 6; character++) {
                for (uint32_t i = 0; i < 3; i++) { // exactly
                    const float value = *scene_component(&scene, scene.buffers[LMB_OUTPUT_LOCAL], character, 0, i);
                    assert_true(value == plain[i + (at[character] >= 2.0f ? 3 : 0)]);
                }
            }
            scene_end(&scene);
        }
    }
}

// From q to -q with zero tangents, the spline passes through zero, where it has no direction. Any unit quaternion is
// correct there, and nothing else.
static void a_spline_through_zero_stays_a_rotation(void **state) {
    (void)state;
    static const float values[] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0};
    const lmb_track_def track = {0, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_CUBIC_SPLINE, 2, zero_and_one, values};
    const lmb_clip_def clip = {.name = "through zero", .duration = 0.0f, .tracks = &track, .track_count = 1};
    test_scene scene;
    start_sampling(&scene, scene_single_joint(), &clip, 1, 201, false);
    for (uint32_t character = 0; character < 201; character++) {
        const float distance = character == 200 ? 0.0f : exp2f(-(float)(character / 2) / 4.0f);
        *scene_parameter(&scene, character, 1) = 0.5f + (character % 2 == 0 ? distance : -distance) * 0.5f;
    }
    scene_run(&scene);
    for (uint32_t character = 0; character < 201; character++) {
        double square = 0.0;
        for (uint32_t i = 3; i < 7; i++) {
            const double value = (double)*scene_component(&scene, scene.buffers[LMB_OUTPUT_LOCAL], character, 0, i);
            square += value * value;
        }
        assert_true(fabs(square - 1.0) <= 2e-6);
    }
    scene_end(&scene);
}

// The glTF specification's own example: with tangents equal to the slope, a Hermite curve is a straight line.
static void a_straight_spline_is_a_line(void **state) {
    (void)state;
    static const float times[] = {0.5f, 2.5f};
    static const float values[] = {4, 8, -2, 1, 2, 3, 4, 8, -2, 4, 8, -2, 9, 18, -1, 4, 8, -2};
    const lmb_track_def track = {0, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_CUBIC_SPLINE, 2, times, values};
    const lmb_clip_def clip = {.name = "line", .duration = 0.0f, .tracks = &track, .track_count = 1};
    test_scene scene;
    start_sampling(&scene, scene_single_joint(), &clip, 1, 101, false);
    for (uint32_t character = 0; character < 101; character++) {
        *scene_parameter(&scene, character, 1) = 0.5f + 0.02f * (float)character;
    }
    scene_run(&scene);
    for (uint32_t character = 0; character < 101; character++) {
        const double t = (double)*scene_parameter(&scene, character, 1) - 0.5;
        for (uint32_t i = 0; i < 3; i++) {
            const double value = (double)*scene_component(&scene, scene.buffers[LMB_OUTPUT_LOCAL], character, 0, i);
            assert_true(fabs(value - ((double)values[3 + i] + t * (double)values[i])) <= 2e-5);
        }
    }
    scene_end(&scene);
}

// Sampled as an additive: the difference from the clip's own first frame, and from the rest pose, then applied.
static void sampled_as_additive(void **state) {
    (void)state;
    keyframes sources[2] = {keyframes_create(17, 5, 29), keyframes_create(17, 5, 30)};
    const lmb_clip_def clips[2] = {sources[0].clip, sources[1].clip};
    test_scene scene;
    random_source source = {29};
    scene_start(&scene, scene_rig(17, SCENE_TREE, 29), 40, 3);
    scene.clips = clips;
    scene.clip_count = 2;
    scene_add(&scene, LMB_OP_CLIP, LMB_NONE, LMB_NONE)->time = lmb_parameter(0);
    lmb_node_def *node = scene_add(&scene, LMB_OP_CLIP, LMB_NONE, LMB_NONE);
    node->clip = lmb_constant(1.0f);
    node->time = lmb_parameter(1);
    node = scene_add(&scene, LMB_OP_CLIP, LMB_NONE, LMB_NONE);
    node->clip = lmb_constant(1.0f);
    scene_add(&scene, LMB_OP_MAKE_ADDITIVE, 1, 2);
    scene_add(&scene, LMB_OP_ADDITIVE, 0, 3)->weight = lmb_parameter(2);
    for (uint32_t i = 0; i < 120; i++) {
        scene.parameters[i] = (float)random_between(&source, 0.0, i % 3 == 2 ? 1.0 : 2.5);
    }
    // Keys of scale are anywhere in [-8, 8], so their quotients can be as large as one over the smallest.
    scene_bounds bounds = {2e-6, 2e-6, 1e-4, 2.0 * KEYFRAMES_MAGNITUDE, 10.0};
    scene_run(&scene);
    scene_compare_local(&scene, "sampled as additive", bounds);
    scene_end(&scene);
    keyframes_destroy(&sources[0]);
    keyframes_destroy(&sources[1]);
}

// Times, rates and offsets are multiples of 1/16, so that the time in the clip is exact.
static void a_rate_and_an_offset(void **state) {
    (void)state;
    enum { CHARACTERS = 64 };
    keyframes keys = keyframes_create(17, 9, 31);
    test_scene scene;
    random_source source = {31};
    scene_start(&scene, scene_rig(17, SCENE_TREE, 31), CHARACTERS, 3);
    scene.clips = &keys.clip;
    scene.clip_count = 1;
    lmb_node_def *node = scene_add(&scene, LMB_OP_CLIP, LMB_NONE, LMB_NONE);
    node->time = lmb_parameter(0);
    for (uint32_t round = 0; round < 4; round++) {
        node->rate = round & 1 ? lmb_parameter(1) : lmb_constant(-0.5f);
        node->offset = round & 2 ? lmb_parameter(2) : lmb_constant(1.25f);
        for (uint32_t i = 0; i < CHARACTERS * 3; i++) {
            scene.parameters[i] = (float)((int)random_below(&source, 64) - 16) * 0.0625f;
        }
        scene_run(&scene);
        scene_compare_local(&scene, "rate and offset", sampling_bounds());
        assert_int_equal(scene.refused[LMB_REFUSED_TIME], 0);
    }
    scene_end(&scene);
    keyframes_destroy(&keys);
}

// If any of the three is not finite, this counts once and the time in the clip is 0. Products above 2^40 are clamped.
static void rates_and_offsets_that_are_refused(void **state) {
    (void)state;
    static const struct {
        float time, rate, offset, shown;
        uint32_t refused;
    } rows[] = {
        {1.0f, NAN, 0.0f, 0.0f, 1},    {1.0f, 2.0f, INFINITY, 0.0f, 1}, {NAN, INFINITY, NAN, 0.0f, 1},
        {1e30f, 1e30f, 0.0f, 1e9f, 0}, {1e30f, -1e30f, 0.0f, 0.0f, 0},  {1.0f, 0.0f, 0.5f, 0.5f, 0},
    };
    keyframes keys = keyframes_create(3, 9, 32);
    test_scene scene;
    scene_start(&scene, scene_rig(3, SCENE_CHAIN, 32), 2, 3);
    scene.clips = &keys.clip;
    scene.clip_count = 1;
    lmb_node_def *node = scene_add(&scene, LMB_OP_CLIP, LMB_NONE, LMB_NONE);
    node->time = lmb_parameter(0);
    node->rate = lmb_parameter(1);
    node->offset = lmb_parameter(2);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const float given[2][3] = {{rows[i].time, rows[i].rate, rows[i].offset}, {rows[i].shown, 1.0f, 0.0f}};
        memcpy(scene.parameters, given, sizeof given);
        scene_run(&scene);
        const size_t floats = (size_t)3 * LMB_POSE_COMPONENTS;
        assert_memory_equal(scene.buffers[LMB_OUTPUT_LOCAL], scene.buffers[LMB_OUTPUT_LOCAL] + floats,
                            floats * sizeof(float));
        assert_int_equal(scene.refused[LMB_REFUSED_TIME], rows[i].refused);
    }
    scene_end(&scene);
    keyframes_destroy(&keys);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rate_and_an_offset),
        cmocka_unit_test(rates_and_offsets_that_are_refused),
        cmocka_unit_test(random_clips_clamped),
        cmocka_unit_test(times_at_keys),
        cmocka_unit_test(looped_within_the_times_own_ulp),
        cmocka_unit_test(looped_time_stays_in_range),
        cmocka_unit_test(times_and_indices_that_are_refused),
        cmocka_unit_test(clips_of_no_duration),
        cmocka_unit_test(the_first_and_last_keys_hold),
        cmocka_unit_test(a_spline_through_zero_stays_a_rotation),
        cmocka_unit_test(a_straight_spline_is_a_line),
        cmocka_unit_test(sampled_as_additive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
