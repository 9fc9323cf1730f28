// Where float tracks cross a threshold, against dense samples of the interpolation's formula in double precision.
#include "random.h"
#include "refusal.h"
#include "suite.h"

#include <limber/clip.h>
#include <math.h>

enum { MOST_KEYS = 12, PARTS = 4096 };

typedef struct track_of_floats {
    lmb_interpolation interpolation;
    uint32_t keys;
    float times[MOST_KEYS], values[3 * MOST_KEYS];
} track_of_floats;

static lmb_rig *make_rig(void) {
    static const lmb_channel_def channels[2] = {{.name = "contact"}, {.name = "open"}};
    const lmb_joint_def joint = lmb_default_joint_def();
    const lmb_rig_def def = {.joints = &joint, .joint_count = 1, .channels = channels, .channel_count = 2};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

static lmb_clip *make_clip(const lmb_rig *rig, const track_of_floats *t, float duration) {
    const lmb_track_def track = {1, LMB_PROPERTY_FLOAT, t->interpolation, t->keys, t->times, t->values};
    lmb_clip_def def = lmb_default_clip_def();
    def.name = "steps";
    def.duration = duration;
    def.tracks = &track;
    def.track_count = 1;
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    if (lmb_clip_create(rig, &def, NULL, &clip, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return clip;
}

// The value of a key, after its tangent in a cubic spline.
static double key_value(const track_of_floats *t, uint32_t key) {
    return (double)t->values[t->interpolation == LMB_INTERPOLATION_CUBIC_SPLINE ? 3 * key + 1 : key];
}

static double value_between(const track_of_floats *t, uint32_t key, double u) {
    const double a = key_value(t, key), b = key_value(t, key + 1);
    const double interval = (double)t->times[key + 1] - (double)t->times[key];
    if (t->interpolation == LMB_INTERPOLATION_STEP) {
        return u < 1.0 ? a : b;
    }
    if (t->interpolation == LMB_INTERPOLATION_LINEAR) {
        return a + (b - a) * u;
    }
    const double out = (double)t->values[3 * key + 2], in = (double)t->values[3 * (key + 1)];
    return (2 * u * u * u - 3 * u * u + 1) * a + (u * u * u - 2 * u * u + u) * interval * out +
           (3 * u * u - 2 * u * u * u) * b + (u * u * u - u * u) * interval * in;
}

static uint32_t find(const lmb_clip *clip, float threshold, bool loops, lmb_crossing *found, uint32_t capacity) {
    uint32_t count = 0;
    lmb_error error = {0};
    if (lmb_clip_find_crossings(clip, 1, threshold, loops, found, capacity, &count, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return count;
}

// Checks that the crossings are those between dense samples, in their order.
static void check_against_samples(const track_of_floats *t, float threshold, const lmb_crossing *found,
                                  uint32_t count) {
    uint32_t next = 0;
    bool is_above = key_value(t, 0) > (double)threshold;
    for (uint32_t key = 0; key + 1 < t->keys; key++) {
        const double from = (double)t->times[key], interval = (double)t->times[key + 1] - from;
        for (int part = 1; part <= PARTS; part++) {
            if ((value_between(t, key, (double)part / PARTS) > (double)threshold) == is_above) {
                continue;
            }
            is_above = !is_above;
            assert_true(next < count && found[next].rises == is_above);
            const double low = from + interval * (part - 1) / PARTS, high = from + interval * part / PARTS;
            assert_true((double)found[next].time >= low - 1e-6 && (double)found[next].time <= high + 1e-6);
            next++;
        }
    }
    assert_int_equal(next, count);
}

static void random_tracks(void **state) {
    (void)state;
    lmb_rig *rig = make_rig();
    random_source random = random_branch(7, 0);
    uint32_t all = 0;
    for (uint32_t i = 0; i < 600; i++) {
        track_of_floats t = {.interpolation = (lmb_interpolation)(i % 3), .keys = 2 + i % (MOST_KEYS - 1)};
        const uint32_t width = t.interpolation == LMB_INTERPOLATION_CUBIC_SPLINE ? 3 : 1;
        for (uint32_t key = 0; key < t.keys; key++) {
            t.times[key] = (key > 0 ? t.times[key - 1] : 0.0f) + (float)random_between(&random, 0.05, 1.0);
            for (uint32_t k = 0; k < width; k++) {
                t.values[width * key + k] =
                    (float)random_between(&random, -1.0, 1.0) * (width == 3 && k != 1 ? 8.0f : 1.0f);
            }
        }
        lmb_clip *clip = make_clip(rig, &t, 0.0f);
        lmb_crossing found[4 * MOST_KEYS];
        const float threshold = (float)random_between(&random, -0.8, 0.8);
        const uint32_t count = find(clip, threshold, false, found, 4 * MOST_KEYS);
        check_against_samples(&t, threshold, found, count);
        // A loop also joins its end to its beginning.
        lmb_crossing looped[4 * MOST_KEYS];
        const bool joins = (key_value(&t, 0) > (double)threshold) != (key_value(&t, t.keys - 1) > (double)threshold);
        assert_int_equal(find(clip, threshold, true, looped, 4 * MOST_KEYS), count + joins);
        assert_true(!joins || (looped[0].time == 0.0f && looped[0].rises == (key_value(&t, 0) > (double)threshold)));
        // Without enough memory the number is the same.
        assert_int_equal(find(clip, threshold, true, NULL, 0), count + joins);
        all += count;
        lmb_clip_destroy(clip);
    }
    assert_true(all > 600);
    lmb_rig_destroy(rig);
}

// Edges as ozz-animation's track triggering gives them: a value equal to the threshold is not above it.
static void edges(void **state) {
    (void)state;
    lmb_rig *rig = make_rig();
    track_of_floats t = {LMB_INTERPOLATION_LINEAR, 5, {0.0f, 0.25f, 0.5f, 0.75f, 1.0f}, {0.0f, 2.0f, 0.0f, 1.0f, 1.0f}};
    lmb_clip *clip = make_clip(rig, &t, 2.0f);
    lmb_crossing found[4];
    assert_int_equal(find(clip, 1.0f, false, found, 4), 2); // it only reaches 1 afterwards
    assert_true(found[0].time == 0.125f && found[0].rises && found[1].time == 0.375f && !found[1].rises);
    assert_int_equal(find(clip, 0.0f, true, found, 4), 4); // the loop falls from 1 to 0
    assert_true(found[0].time == 0.0f && !found[0].rises && found[1].time == 0.0f && found[1].rises);
    assert_true(found[2].time == 0.5f && !found[2].rises && found[3].time == 0.5f && found[3].rises);
    assert_int_equal(find(clip, 2.0f, true, found, 4), 0);
    uint32_t count = 7;
    assert_int_equal(lmb_clip_find_crossings(clip, 0, 0.0f, true, found, 4, &count, NULL), LMB_OK);
    assert_int_equal(count, 0); // the channel has no track
    lmb_clip_destroy(clip);
    t.interpolation = LMB_INTERPOLATION_STEP;
    clip = make_clip(rig, &t, 0.0f);
    assert_int_equal(find(clip, 0.5f, false, found, 4), 3);
    assert_true(found[0].time == 0.25f && found[1].time == 0.5f && found[2].time == 0.75f && found[2].rises);
    lmb_error error;
    CHECK_REFUSAL(lmb_clip_find_crossings(NULL, 1, 0.0f, true, found, 4, &count, &error), &error, LMB_ERROR_ARGUMENT,
                  "clip");
    CHECK_REFUSAL(lmb_clip_find_crossings(clip, 1, 0.0f, true, found, 4, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "count");
    CHECK_REFUSAL(lmb_clip_find_crossings(clip, 2, 0.0f, true, found, 4, &count, &error), &error, LMB_ERROR_ARGUMENT,
                  "channel");
    CHECK_REFUSAL(lmb_clip_find_crossings(clip, 1, NAN, true, found, 4, &count, &error), &error, LMB_ERROR_ARGUMENT,
                  "threshold");
    CHECK_REFUSAL(lmb_clip_find_crossings(clip, 1, 0.0f, true, NULL, 4, &count, &error), &error, LMB_ERROR_ARGUMENT,
                  "memory");
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_tracks),
        cmocka_unit_test(edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
