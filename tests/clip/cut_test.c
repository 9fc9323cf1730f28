// Parts of clips: a part is the clip between its ends, at the ticks that it has there, for every property and
// interpolation, against an evaluation of the keys in float64.
#include "failing_host.h"
#include "keyframes.h"
#include "refusal.h"
#include "suite.h"

#include "clip/clip.h"
#include "clip/given.h"
#include "clip/split.h"

#include <limber/root_motion.h>
#include <math.h>

enum { JOINTS = 5, CHANNELS = 2, MOST_KEYS = 9, FLOAT_KEYS = 6 };

static lmb_rig *make_rig(void) {
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
    }
    const lmb_channel_def channels[CHANNELS] = {{.name = "smile"}, {.name = "turn", .angle = true}};
    const lmb_rig_def def = {.joints = joints, .joint_count = JOINTS, .channels = channels, .channel_count = CHANNELS};
    lmb_rig *rig = NULL;
    lmb_error error = {0};
    assert_ok(lmb_rig_create(&def, NULL, &rig, &error), &error);
    return rig;
}

static lmb_clip *cut(const lmb_rig *rig, const lmb_clip *clip, float start, float end) {
    const lmb_clip_part_def def = {.name = "part", .start = start, .end = end};
    lmb_clip *part = NULL;
    lmb_error error = {0};
    assert_ok(lmb_clip_cut(rig, clip, &def, NULL, &part, &error), &error);
    return part;
}

// The value of a float track at a time, in float64, by the formulas of glTF.
static double evaluate(const lmb_track_def *t, bool is_angle, double time) {
    const uint32_t stride = t->interpolation == LMB_INTERPOLATION_CUBIC_SPLINE ? 3 : 1, middle = stride / 2;
    uint32_t key = 0;
    while (key + 1 < t->key_count && (double)t->times[key + 1] <= time) {
        key++;
    }
    const float *a = t->values + key * stride, *b = a + stride;
    if (t->key_count == 1 || key + 1 == t->key_count || time <= (double)t->times[0] ||
        t->interpolation == LMB_INTERPOLATION_STEP) {
        return (double)a[middle];
    }
    const double d = (double)t->times[key + 1] - (double)t->times[key], u = (time - (double)t->times[key]) / d;
    const double p = (double)a[middle], turns = is_angle ? round(((double)b[middle] - p) / 360.0) : 0.0;
    const double q = (double)b[middle] - 360.0 * turns;
    if (t->interpolation == LMB_INTERPOLATION_LINEAR) {
        return p + (q - p) * u;
    }
    const double u2 = u * u, u3 = u2 * u;
    return (2 * u3 - 3 * u2 + 1) * p + (u3 - 2 * u2 + u) * d * (double)a[2] + (3 * u2 - 2 * u3) * q +
           (u3 - u2) * d * (double)b[0];
}

// Random tracks of all joints, and of a weight and an angle.
static lmb_clip *make_clip(const lmb_rig *rig, random_source *random, uint64_t seed, keyframes *owned) {
    static float times[CHANNELS][FLOAT_KEYS], values[CHANNELS][3 * FLOAT_KEYS];
    *owned = keyframes_create(JOINTS, MOST_KEYS, seed);
    lmb_track_def tracks[3 * JOINTS + CHANNELS];
    uint32_t count = owned->clip.track_count;
    assert_in_range(count, 0, 3 * JOINTS);
    memcpy(tracks, owned->tracks, count * sizeof *tracks);
    for (uint32_t i = 0; i < CHANNELS; i++) {
        for (uint32_t k = 0; k < FLOAT_KEYS; k++) {
            times[i][k] = 0.1f + 0.4f * (float)k + (float)random_between(random, 0.0, 0.3);
        }
        for (uint32_t k = 0; k < 3 * FLOAT_KEYS; k++) {
            values[i][k] = (float)random_between(random, -100.0, 100.0);
        }
        tracks[count++] = (lmb_track_def){.joint = i,
                                          .property = LMB_PROPERTY_FLOAT,
                                          .interpolation = (lmb_interpolation)random_below(random, 3),
                                          .key_count = FLOAT_KEYS,
                                          .times = times[i],
                                          .values = values[i]};
    }
    lmb_clip_def def = owned->clip;
    def.duration = KEYFRAMES_DURATION;
    def.tracks = tracks;
    def.track_count = count;
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    assert_ok(lmb_clip_create(rig, &def, NULL, &clip, &error), &error);
    return clip;
}

static void expect_near(double a, double b, double bound, const char *what, float start, float time) {
    if (!(fabs(a - b) <= bound)) {
        fail_msg("%s, %g s into the part from %g s: %.9g instead of %.9g", what, (double)time, (double)start, a, b);
    }
}

static void expect_same_pose(const lmb_rig *rig, const lmb_clip *clip, const lmb_clip *part, float start, float time) {
    const float at = (float)((double)start + (double)time);
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        const lmb_transform a = lmb_clip_sample(clip, rig, joint, at), b = lmb_clip_sample(part, rig, joint, time);
        double dot = 0.0;
        for (int i = 0; i < 3; i++) {
            expect_near((double)b.translation[i], (double)a.translation[i], 1e-4, "translation", start, time);
            expect_near((double)b.scale[i], (double)a.scale[i], 1e-4, "scale", start, time);
        }
        for (int i = 0; i < 4; i++) {
            dot += (double)a.rotation[i] * (double)b.rotation[i];
        }
        expect_near(fabs(dot), 1.0, 1e-6, "rotation", start, time);
    }
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        const lmb_track_def a = lmb_given_track(clip->words, LMB_PROPERTY_FLOAT, channel);
        const lmb_track_def b = lmb_given_track(part->words, LMB_PROPERTY_FLOAT, channel);
        const double from = evaluate(&a, channel == 1, (double)at), to = evaluate(&b, channel == 1, (double)time);
        const double off = channel == 1 ? remainder(to - from, 360.0) : to - from;
        expect_near(off, 0.0, 2e-3, channel == 1 ? "angle" : "weight", start, time);
    }
}

// Whether a step is within rounding of a time.
static bool is_at_step(const lmb_clip *clip, double time) {
    bool found = false;
    for (uint32_t i = 0; i < JOINTS * PROPERTIES + CHANNELS; i++) {
        const bool is_float = i >= JOINTS * PROPERTIES;
        const lmb_track_def t =
            lmb_given_track(clip->words, is_float ? LMB_PROPERTY_FLOAT : (lmb_property)(i % PROPERTIES),
                            is_float ? i - JOINTS * PROPERTIES : i / PROPERTIES);
        for (uint32_t k = 0; k < t.key_count && t.interpolation == LMB_INTERPOLATION_STEP; k++) {
            found = found || fabs((double)t.times[k] - time) < 1e-6;
        }
    }
    return found;
}

static void a_part_is_the_clip_between_its_ends(void **state) {
    (void)state;
    lmb_rig *rig = make_rig();
    random_source random = random_branch(38, 2);
    for (uint64_t seed = 0; seed < 40; seed++) {
        keyframes owned;
        lmb_clip *clip = make_clip(rig, &random, seed, &owned);
        for (int i = 0; i < 6; i++) {
            // From a key, to a key, or between keys.
            const lmb_track_def *track = &owned.tracks[random_below(&random, owned.clip.track_count)];
            const float key = track->times[random_below(&random, track->key_count)];
            const float start = i % 2 == 0 && key < 2.4f ? key : (float)random_between(&random, 0.0, 2.4);
            const float end = i == 5 ? KEYFRAMES_DURATION : (float)random_between(&random, (double)start + 0.05, 2.5);
            lmb_clip *part = cut(rig, clip, start, end);
            assert_string_equal(lmb_clip_get_info(part)->name, "part");
            expect_near((double)lmb_clip_get_info(part)->duration, (double)end - (double)start, 5e-7, "duration", start,
                        end);
            for (int k = 0; k <= 40; k++) {
                const float time = (float)((double)lmb_clip_get_info(part)->duration * k / 40.0);
                if (!is_at_step(clip, (double)start + (double)time)) {
                    expect_same_pose(rig, clip, part, start, time);
                }
            }
            lmb_clip_destroy(part);
        }
        lmb_clip_destroy(clip);
        keyframes_destroy(&owned);
    }
    lmb_rig_destroy(rig);
}

// 1 s minus 0.4 s is 0.6 s to the tick, which is the float 0.6f; the difference of the floats is another.
static void times_are_subtracted_in_ticks(void **state) {
    (void)state;
    lmb_rig *rig = make_rig();
    static const float times[] = {0.0f, 0.4f, 0.5f, 0.7f, 1.0f, 1.3f};
    static const float values[18] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5};
    const lmb_track_def track = {
        .key_count = 6, .times = times, .values = values, .interpolation = LMB_INTERPOLATION_LINEAR};
    const lmb_clip_def def = {.name = "take", .tracks = &track, .track_count = 1};
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    assert_ok(lmb_clip_create(rig, &def, NULL, &clip, &error), &error);
    lmb_clip *part = cut(rig, clip, 0.4f, 1.0f);
    assert_true(lmb_clip_get_info(part)->duration == 0.6f);
    const lmb_track_def kept = lmb_given_track(part->words, LMB_PROPERTY_TRANSLATION, 0);
    static const float expected[] = {0.0f, 0.1f, 0.3f, 0.6f};
    assert_int_equal(kept.key_count, 4);
    assert_int_equal(lmb_clip_get_info(part)->track_count, 1);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(kept.times[i] == expected[i]);
        assert_true(kept.values[3 * i] == (float)(i + 1)); // as they were
    }
    lmb_clip_destroy(part);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
}

// The root motions of two parts that follow each other are that of the whole.
static void parts_have_their_own_root_motion(void **state) {
    (void)state;
    lmb_rig *rig = make_rig();
    static const float times[] = {0.0f, 1.0f, 2.0f}, values[9] = {0, 0, 0, 0, 1, 3, 2, 1, 4};
    const lmb_track_def track = {
        .key_count = 3, .times = times, .values = values, .interpolation = LMB_INTERPOLATION_LINEAR};
    const lmb_clip_def def = {.name = "take", .tracks = &track, .track_count = 1};
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    assert_ok(lmb_clip_create(rig, &def, NULL, &clip, &error), &error);
    const lmb_root_motion_def motion_def = lmb_default_root_motion_def();
    static const float ends[] = {0.0f, 0.75f, 2.0f};
    double sum[2] = {0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        lmb_clip *part = cut(rig, clip, ends[i], ends[i + 1]);
        lmb_root_motion *motion = NULL;
        assert_ok(lmb_root_motion_extract(rig, part, &motion_def, NULL, &motion, &error), &error);
        const lmb_motion_track *taken = lmb_root_motion_track(motion);
        const float *last = taken->keys + 4 * ((size_t)taken->key_count - 1);
        sum[0] += (double)last[0] - (double)taken->keys[0];
        sum[1] += (double)last[2] - (double)taken->keys[2];
        lmb_root_motion_destroy(motion);
        lmb_clip_destroy(part);
    }
    expect_near(sum[0], 2.0, 1e-6, "x", 0.0f, 2.0f);
    expect_near(sum[1], 4.0, 1e-6, "z", 0.0f, 2.0f);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
}

static void refused_parts(void **state) {
    (void)state;
    lmb_rig *rig = make_rig();
    random_source random = random_branch(38, 3);
    keyframes owned;
    lmb_clip *clip = make_clip(rig, &random, 1, &owned), *part = NULL;
    static const struct {
        float start, end;
        const char *message;
    } rows[] = {{0.0f, 0.0f, "from a time to a later one"},  {1.0f, 0.5f, "from a time to a later one"},
                {-1.0f, 0.5f, "from a time to a later one"}, {0.0f, 2.6f, "from a time to a later one"},
                {NAN, 1.0f, "from a time to a later one"},   {0.0f, NAN, "from a time to a later one"},
                {0.0f, 1e-12f, "the part takes no tick"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const lmb_clip_part_def def = {.start = rows[i].start, .end = rows[i].end};
        lmb_error error = {0};
        CHECK_REFUSAL(lmb_clip_cut(rig, clip, &def, NULL, &part, &error), &error, LMB_ERROR_ARGUMENT, rows[i].message);
        assert_null(part);
    }
    const lmb_clip_part_def def = {.start = 0.5f, .end = 1.0f};
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_clip_cut(NULL, clip, &def, NULL, &part, &error), &error, LMB_ERROR_ARGUMENT, "the rig is NULL");
    lmb_clip *packed = NULL;
    assert_ok(lmb_clip_compress(rig, clip, &(lmb_clip_compression){.error = 1.0f}, NULL, &packed, NULL, &error),
              &error);
    if (packed->words[FIELD(CLIP, packed)] != 0) {
        CHECK_REFUSAL(lmb_clip_cut(rig, packed, &def, NULL, &part, &error), &error, LMB_ERROR_ARGUMENT,
                      "it is compressed");
    }
    lmb_clip_destroy(packed);
    lmb_clip_destroy(clip);
    keyframes_destroy(&owned);
    lmb_rig_destroy(rig);
}

// Parts take the places of their clips, in the order in which they are given. Of two clips of one name the first is
// split.
static void parts_take_the_places_of_clips(void **state) {
    (void)state;
    static const char *const names[] = {"still", "take", "take", "end"};
    static const struct {
        const char *name;
        float duration;
    } expected[] = {{"still", 2.0f}, {"rise", 0.5f}, {"fall", 1.25f}, {"take", 2.0f}, {"last", 1.5f}};
    lmb_rig *rig = make_rig();
    lmb_clip *clips[4], *parts[3] = {NULL};
    lmb_error error = {0};
    for (uint32_t i = 0; i < 4; i++) {
        assert_ok(lmb_clip_create(rig, &(lmb_clip_def){.name = names[i], .duration = 2.0f}, NULL, &clips[i], &error),
                  &error);
    }
    const lmb_clip *list[7] = {clips[0], clips[1], clips[2], clips[3]};
    lmb_clip_split splits[] = {
        {"take", {"rise", 0.0f, 0.5f}}, {"end", {"last", 0.5f, 2.0f}}, {"take", {"fall", 0.75f, 2.0f}}};
    uint32_t count = 4;
    assert_ok(lmb_clips_split(rig, splits, 3, NULL, list, &count, parts, &error), &error);
    assert_int_equal(count, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < count; i++) {
        assert_string_equal(lmb_clip_get_info(list[i])->name, expected[i].name);
        assert_true(lmb_clip_get_info(list[i])->duration == expected[i].duration);
    }
    for (uint32_t i = 0; i < 3; i++) {
        lmb_clip_destroy(parts[i]);
    }
    // On failure the list stays.
    const lmb_clip *whole[7] = {clips[0], clips[1], clips[2], clips[3]};
    count = 4;
    splits[1].clip = "End";
    CHECK_REFUSAL(lmb_clips_split(rig, splits, 2, NULL, whole, &count, parts, &error), &error, LMB_ERROR_ARGUMENT,
                  "part 'last' of 'End': there is no such clip");
    lmb_clip_destroy(parts[0]);
    assert_null(parts[1]);
    splits[0].part.end = 2.5f;
    CHECK_REFUSAL(lmb_clips_split(rig, splits, 1, NULL, whole, &count, parts, &error), &error, LMB_ERROR_ARGUMENT,
                  "part 'rise' of 'take': cut: clip 'take': the part does not go");
    assert_true(count == 4 && whole[1] == clips[1]);
    lmb_rig_destroy(rig);
    for (uint32_t i = 0; i < 4; i++) {
        lmb_clip_destroy(clips[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_is_the_clip_between_its_ends), cmocka_unit_test(times_are_subtracted_in_ticks),
        cmocka_unit_test(parts_have_their_own_root_motion), cmocka_unit_test(refused_parts),
        cmocka_unit_test(parts_take_the_places_of_clips)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
