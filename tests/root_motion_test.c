// Root motion taken out of clips: put together again, motion and clip are the clip as it was, in float64.
#include "failing_host.h"

#include <limber/cpu.h>
#include <limber/root_motion.h>
#include <math.h>
#include <string.h>

#define PI 3.141592653589793

enum { JOINTS = 4, SAMPLES = 361 };

static void assert_ok(lmb_result result, const lmb_error *error) {
    if (result != LMB_OK) {
        fail_msg("%s", error->message);
    }
}

typedef struct fixture {
    lmb_rig *rig;
    lmb_clip *clip;
    lmb_root_motion *motion;
} fixture;

// An armature that is turned and scaled as exporters have it, hips, a spine, and a second root.
static lmb_rig *make_rig(float scale) {
    lmb_joint_def joints[JOINTS];
    static const char *const names[] = {"armature", "hips", "spine", "prop"};
    static const uint32_t parents[] = {LMB_NONE, 0, 1, LMB_NONE};
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
        joints[i].parent = parents[i];
    }
    joints[0].rest.rotation[0] = -0.70710678f;
    joints[0].rest.rotation[3] = 0.70710678f;
    joints[0].rest.translation[0] = 0.2f;
    for (int i = 0; i < 3; i++) {
        joints[0].rest.scale[i] = scale;
    }
    joints[1].rest.translation[2] = 1.0f / scale;
    joints[2].rest.translation[1] = 0.3f / scale;
    const lmb_channel_def channels[] = {{.name = "smile"}, {.name = "frown"}};
    const lmb_rig_def def = {.joints = joints, .joint_count = JOINTS, .channels = channels, .channel_count = 2};
    lmb_rig *rig = NULL;
    lmb_error error = {0};
    assert_ok(lmb_rig_create(&def, NULL, &rig, &error), &error);
    return rig;
}

// About an axis, in a clip's form.
static void put_rotation(double x, double y, double z, double angle, float *rotation) {
    const double length = sqrt(x * x + y * y + z * z);
    rotation[0] = (float)(x / length * sin(angle / 2.0));
    rotation[1] = (float)(y / length * sin(angle / 2.0));
    rotation[2] = (float)(z / length * sin(angle / 2.0));
    rotation[3] = (float)cos(angle / 2.0);
}

// Hips that wander in a curve, nod and turn about what is upwards for their parent, by `turns` radians in 3 s; a spine
// and a prop that move as well; an armature that glides where `glides`.
static lmb_clip *make_clip(const lmb_rig *rig, float scale, double turns, lmb_interpolation interpolation,
                           bool glides) {
    enum { KEYS = 25 };
    static float times[KEYS], ways[KEYS * 9], rotations[KEYS * 4], nods[KEYS * 4],
        glide[6] = {0.2f, 0, 0, 0.5f, 0.1f, 1};
    static const float ends[2] = {0.0f, 3.0f};
    static uint8_t weights[JOINTS + 2] = {255, 255, 128, 7, 0, 9};
    memset(ways, 0, sizeof ways);
    const bool cubic = interpolation == LMB_INTERPOLATION_CUBIC_SPLINE;
    for (int i = 0; i < KEYS; i++) {
        const double t = i / 8.0;
        times[i] = (float)t;
        float *way = ways + (cubic ? 9 * i + 3 : 3 * i);
        way[0] = (float)((0.3 * sin(2.0 * t) + 0.1) / (double)scale);
        way[1] = (float)((-1.4 * t + 0.05 * cos(5.0 * t)) / (double)scale);
        way[2] = (float)((1.0 + 0.04 * sin(9.0 * t)) / (double)scale);
        put_rotation(0.0, 0.0, 1.0, turns * t / 3.0, rotations + 4 * i);
        put_rotation(1.0, 0.2, -0.4, 0.4 * sin(4.0 * t), nods + 4 * i);
    }
    const lmb_track_def tracks[] = {
        {1, LMB_CHANNEL_TRANSLATION, interpolation, KEYS, times, ways},
        {1, LMB_CHANNEL_ROTATION, LMB_INTERPOLATION_LINEAR, KEYS, times, rotations},
        {2, LMB_CHANNEL_ROTATION, LMB_INTERPOLATION_LINEAR, KEYS, times, nods},
        {3, LMB_CHANNEL_ROTATION, LMB_INTERPOLATION_STEP, KEYS, times, nods},
        {1, LMB_CHANNEL_FLOAT, LMB_INTERPOLATION_LINEAR, KEYS, times, nods},
        {0, LMB_CHANNEL_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, ends, glide},
    };
    const lmb_clip_def def = {
        .name = "wander", .tracks = tracks, .track_count = glides ? 6 : 5, .joint_weights = weights};
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    assert_ok(lmb_clip_create(rig, &def, NULL, &clip, &error), &error);
    return clip;
}

// Model matrices at as many times, evenly spread over the clip.
static void sample(const lmb_rig *rig, const lmb_clip *clip, float (*models)[JOINTS][3][4]) {
    lmb_error error = {0};
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_parameter(0);
    const lmb_program_def def = {
        .rig = rig, .clips = &clip, .clip_count = 1, .nodes = &node, .node_count = 1, .parameter_count = 1};
    lmb_program *program = NULL;
    lmb_cpu *cpu = NULL;
    assert_ok(lmb_program_create(&def, NULL, &program, &error), &error);
    assert_ok(lmb_cpu_create(program, LMB_CPU_REFERENCE, NULL, &cpu, &error), &error);
    static float times[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        times[i] = lmb_clip_duration(clip) * (float)i / (float)(SAMPLES - 1);
    }
    const lmb_batch batch = {program, SAMPLES, LMB_OUTPUT_MODEL};
    const lmb_batch_inputs inputs = {.parameters = times};
    const lmb_batch_outputs outputs = {.stages[LMB_STAGE_MODEL] = &models[0][0][0][0]};
    assert_ok(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), &error);
    lmb_cpu_destroy(cpu);
    lmb_program_destroy(program);
}

// A track at a share of its time.
static void motion_at(const lmb_motion_track *track, double share, double numbers[4]) {
    const double at = share * (track->key_count - 1);
    const uint32_t key = at < track->key_count - 2 ? (uint32_t)at : track->key_count - 2;
    for (int i = 0; i < 4; i++) {
        const double from = (double)track->keys[4 * key + i], to = (double)track->keys[4 * key + 4 + i];
        numbers[i] = from + (to - from) * (at - key);
    }
}

static double difference(const double motion[4], float (*left)[4], float (*source)[4]) {
    const double c = cos(motion[3]), s = sin(motion[3]);
    const double turn[3][3] = {{c, 0.0, s}, {0.0, 1.0, 0.0}, {-s, 0.0, c}};
    double largest = 0.0;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            double entry = column == 3 ? motion[row] : 0.0;
            for (int i = 0; i < 3; i++) {
                entry += turn[row][i] * (double)left[i][column];
            }
            largest = fmax(largest, fabs(entry - (double)source[row][column]));
        }
    }
    return largest;
}

static float before[SAMPLES][JOINTS][3][4], after[SAMPLES][JOINTS][3][4];

// The largest difference of what was put together again, over the joints that hang from the hips.
static double largest_difference(const fixture *f) {
    sample(f->rig, f->clip, before);
    sample(f->rig, lmb_root_motion_clip(f->motion), after);
    double largest = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        double motion[4];
        motion_at(lmb_root_motion_track(f->motion), (double)i / (SAMPLES - 1), motion);
        for (int joint = 1; joint < 3; joint++) {
            largest = fmax(largest, difference(motion, after[i][joint], before[i][joint]));
        }
        // What does not hang from them has not changed.
        assert_memory_equal(after[i][3], before[i][3], sizeof after[i][3]);
    }
    return largest;
}

static fixture extract(float scale, double turns, lmb_interpolation interpolation, bool glides,
                       const lmb_root_motion_def *def) {
    fixture f = {.rig = make_rig(scale)};
    lmb_error error = {0};
    f.clip = make_clip(f.rig, scale, turns, interpolation, glides);
    assert_ok(lmb_root_motion_extract(f.rig, f.clip, def, NULL, &f.motion, &error), &error);
    return f;
}

static void release(fixture *f) {
    lmb_root_motion_destroy(f->motion);
    lmb_clip_destroy(f->clip);
    lmb_rig_destroy(f->rig);
}

static void assert_below(double value, double bound) {
    if (!(value <= bound)) {
        fail_msg("%g is above %g", value, bound);
    }
}

// Without yaw it is the same everywhere; steps stay steps, however large the scale above.
static void test_ways(void **state) {
    (void)state;
    for (int i = 0; i < 8 * 3 * 2; i++) {
        lmb_root_motion_def def = lmb_default_root_motion_def();
        def.joint = 1;
        def.x = i & 1;
        def.y = i & 2;
        def.z = i & 4;
        def.yaw = false;
        def.rate = i / 24 ? 7.0f : 30.0f;
        const float scale = (float[]){1.0f, 0.01f, 100.0f}[i / 8 % 3];
        fixture f = extract(scale, 2.0, i / 24 ? LMB_INTERPOLATION_STEP : LMB_INTERPOLATION_LINEAR, !(i / 24), &def);
        assert_int_equal(lmb_root_motion_track(f.motion)->key_count, i / 24 ? 22 : 91);
        if (i / 24) {
            // Between grid keys a step leaves the motion's line; the clip takes it back.
            assert_below(largest_difference(&f), 2e-5);
        } else {
            assert_below(largest_difference(&f), 1e-5);
        }
        // Taken ways leave the hips where they were at the beginning, at the motion's keys: sample 0 is one, and the last.
        for (int axis = 0; axis < 3; axis++) {
            if (i >> axis & 1) {
                assert_below(fabs((double)after[SAMPLES - 1][1][axis][3] - (double)before[0][1][axis][3]), 1e-5);
            } else {
                assert_true(lmb_root_motion_track(f.motion)->keys[4 * 20 + axis] == 0.0f);
            }
        }
        release(&f);
    }
}

// With yaw, within what is stated; several turns too. What is left neither walks nor turns.
static void test_yaw(void **state) {
    (void)state;
    static const double turns[] = {0.0, 1.0, -7.0, 20.0};
    for (int i = 0; i < 8; i++) {
        lmb_root_motion_def def = lmb_default_root_motion_def();
        def.joint = 1;
        def.rate = 60.0f;
        fixture f = extract(i / 4 ? 0.01f : 1.0f, turns[i % 4], LMB_INTERPOLATION_LINEAR, i / 4 == 0, &def);
        const lmb_motion_track *track = lmb_root_motion_track(f.motion);
        const double step = turns[i % 4] / 3.0 / 60.0;
        assert_below(largest_difference(&f), 1e-5 + 5.0 * step * step / 4.0);
        // The parent's z is up: a turn about it is the yaw.
        const double last = (double)track->keys[4 * (track->key_count - 1) + 3];
        assert_below(fabs(last - turns[i % 4]), 1e-5);
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 4; column++) {
                if (row != 1 || column != 3) {
                    assert_below(fabs((double)after[SAMPLES - 1][1][row][column] - (double)after[0][1][row][column]),
                                 2e-5);
                }
            }
        }
        release(&f);
    }
}

// Yaw alone turns about the model's origin; a spline's error shrinks with the square of the rate.
static void test_rest(void **state) {
    (void)state;
    lmb_root_motion_def def = lmb_default_root_motion_def();
    def.joint = 1;
    def.x = def.z = false;
    fixture f = extract(1.0f, 3.0, LMB_INTERPOLATION_LINEAR, false, &def);
    assert_below(largest_difference(&f), 1e-3);
    assert_true(lmb_root_motion_track(f.motion)->keys[4 * 50] == 0.0f);
    release(&f);
    double errors[2];
    for (int i = 0; i < 2; i++) {
        def = lmb_default_root_motion_def();
        def.joint = 1;
        def.rate = i == 0 ? 20.0f : 80.0f;
        f = extract(1.0f, 1.0, LMB_INTERPOLATION_CUBIC_SPLINE, false, &def);
        errors[i] = largest_difference(&f);
        release(&f);
    }
    assert_below(errors[0], 0.02);
    assert_below(errors[1], errors[0] / 8.0);
}

// What a clip has beside its tracks stays; one without any key of the joint, or without duration, works too.
static void test_edges(void **state) {
    (void)state;
    lmb_error error = {0};
    lmb_root_motion_def def = lmb_default_root_motion_def();
    def.joint = 1;
    fixture f = extract(1.0f, 1.0, LMB_INTERPOLATION_LINEAR, false, &def);
    const lmb_clip *left = lmb_root_motion_clip(f.motion);
    assert_string_equal(lmb_clip_name(left), "wander");
    assert_true(lmb_clip_duration(left) == lmb_clip_duration(f.clip));
    assert_int_equal(lmb_clip_track_count(left), lmb_clip_track_count(f.clip));
    // Three tracks are as they were; two have keys at the motion's 91 times, as theirs are among these but for rounding.
    assert_true(lmb_clip_key_count(left) >= 3 * 25 + 2 * 91);
    lmb_root_motion_destroy(f.motion);
    lmb_clip_destroy(f.clip);
    const lmb_clip_def still = {.name = "still", .duration = 0.0f};
    assert_ok(lmb_clip_create(f.rig, &still, NULL, &f.clip, &error), &error);
    assert_ok(lmb_root_motion_extract(f.rig, f.clip, &def, NULL, &f.motion, &error), &error);
    assert_int_equal(lmb_root_motion_track(f.motion)->key_count, 2);
    for (int i = 0; i < 8; i++) {
        assert_true(lmb_root_motion_track(f.motion)->keys[i] == 0.0f);
    }
    assert_below(largest_difference(&f), 1e-6);
    release(&f);
    lmb_root_motion_destroy(NULL);
}

static void refuse(const fixture *f, const lmb_clip *clip, lmb_root_motion_def def, lmb_result expected,
                   const char *why) {
    lmb_root_motion *motion = NULL;
    lmb_error error = {0};
    assert_int_equal(lmb_root_motion_extract(f->rig, clip, &def, NULL, &motion, &error), expected);
    if (strstr(error.message, why) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, why);
    }
    assert_null(motion);
}

static void test_refusals(void **state) {
    (void)state;
    const lmb_root_motion_def good = lmb_default_root_motion_def();
    fixture f = {.rig = make_rig(1.0f)};
    f.clip = make_clip(f.rig, 1.0f, 1.0, LMB_INTERPOLATION_LINEAR, false);
    lmb_error error = {0};
    lmb_root_motion *motion = NULL;
    assert_int_equal(lmb_root_motion_extract(NULL, f.clip, &good, NULL, &motion, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_root_motion_extract(f.rig, NULL, &good, NULL, &motion, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_root_motion_extract(f.rig, f.clip, NULL, NULL, &motion, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_root_motion_extract(f.rig, f.clip, &good, NULL, NULL, &error), LMB_ERROR_ARGUMENT);
    lmb_root_motion_def bad = good;
    bad.joint = JOINTS;
    refuse(&f, f.clip, bad, LMB_ERROR_ARGUMENT, "no such joint");
    for (int i = 0; i < 4; i++) {
        bad = good;
        bad.rate = (float[]){0.0f, -1.0f, 1001.0f, NAN}[i];
        refuse(&f, f.clip, bad, LMB_ERROR_ARGUMENT, "the rate");
    }
    lmb_clip *packed = NULL;
    assert_ok(lmb_clip_compress(f.rig, f.clip, NULL, NULL, &packed, NULL, &error), &error);
    refuse(&f, packed, good, LMB_ERROR_ARGUMENT, "compressed");
    lmb_clip_destroy(packed);
    lmb_clip *other = NULL;
    const lmb_clip_def long_def = {.name = "long", .duration = 2000.0f};
    assert_ok(lmb_clip_create(f.rig, &long_def, NULL, &other, &error), &error);
    bad = good;
    bad.rate = 1000.0f;
    refuse(&f, other, bad, LMB_ERROR_LIMIT, "65,536");
    lmb_clip_destroy(other);
    const lmb_joint_def joint = lmb_default_joint_def();
    const lmb_rig_def small_def = {.joints = &joint, .joint_count = 1};
    lmb_rig *small = NULL;
    assert_ok(lmb_rig_create(&small_def, NULL, &small, &error), &error);
    const lmb_clip_def of_small = {.name = "of another"};
    assert_ok(lmb_clip_create(small, &of_small, NULL, &other, &error), &error);
    refuse(&f, other, good, LMB_ERROR_ARGUMENT, "channel count");
    lmb_clip_destroy(other);
    lmb_rig_destroy(small);
    static const float zero = 0.0f, uneven[] = {1.0f, 2.0f, 1.0f}, flat[] = {0.0f, 0.0f, 0.0f};
    static const float times[] = {0.0f, 1.0f}, leaves[] = {0.0f, 0.0f, 0.0f, 3e6f, 0.0f, 0.0f};
    bad = good;
    bad.joint = 1;
    for (int i = 0; i < 3; i++) {
        const lmb_track_def tracks[] = {
            {0, LMB_CHANNEL_SCALE, LMB_INTERPOLATION_STEP, 1, &zero, uneven},
            {0, LMB_CHANNEL_SCALE, LMB_INTERPOLATION_STEP, 1, &zero, flat},
            {1, LMB_CHANNEL_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, leaves},
        };
        const lmb_clip_def def = {.name = "bad", .tracks = &tracks[i], .track_count = 1};
        assert_ok(lmb_clip_create(f.rig, &def, NULL, &other, &error), &error);
        refuse(&f, other, bad, LMB_ERROR_ARGUMENT, (const char *[]){"scales that differ", "scale of 0", "2^20"}[i]);
        lmb_clip_destroy(other);
    }
    release(&f);
}

static lmb_result try_extract(const lmb_host *host, lmb_error *error, void *user) {
    const fixture *f = user;
    const lmb_root_motion_def def = lmb_default_root_motion_def();
    lmb_root_motion *motion = NULL;
    const lmb_result result = lmb_root_motion_extract(f->rig, f->clip, &def, host, &motion, error);
    assert_true((motion != NULL) == (result == LMB_OK));
    lmb_root_motion_destroy(motion);
    return result;
}

static void test_no_memory(void **state) {
    (void)state;
    fixture f = {.rig = make_rig(1.0f)};
    f.clip = make_clip(f.rig, 1.0f, 1.0, LMB_INTERPOLATION_LINEAR, false);
    failing_host_try_all(try_extract, &f);
    release(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways),  cmocka_unit_test(test_yaw),      cmocka_unit_test(test_rest),
        cmocka_unit_test(test_edges), cmocka_unit_test(test_refusals), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
