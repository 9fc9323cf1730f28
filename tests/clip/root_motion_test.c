// Root motion extracted from clips: motion and remaining clip together give the original clip, in float64.
#include "failing_host.h"
#include "oracle.h"
#include "refusal.h"

#include <limber/cpu.h>
#include <limber/root_motion.h>
#ifdef LIMBER_HAS_IMPORT
#include <limber/import.h>
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.141592653589793

enum { JOINTS = 4, SAMPLES = 361 };

typedef struct fixture {
    lmb_rig *rig;
    lmb_clip *clip;
    lmb_root_motion *motion;
} fixture;

// An armature that is turned and scaled as exporters write it, hips, a spine, and a second root.
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

static lmb_clip *create_clip(const lmb_rig *rig, const lmb_clip_def *def) {
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    assert_ok(lmb_clip_create(rig, def, NULL, &clip, &error), &error);
    return clip;
}

// Writes a rotation about an axis as a clip's quaternion.
static void put_rotation(double x, double y, double z, double angle, float *rotation) {
    const double length = sqrt(x * x + y * y + z * z);
    rotation[0] = (float)(x / length * sin(angle / 2.0));
    rotation[1] = (float)(y / length * sin(angle / 2.0));
    rotation[2] = (float)(z / length * sin(angle / 2.0));
    rotation[3] = (float)cos(angle / 2.0);
}

// Hips that move along a curve, nod, and turn about their parent's up axis by `turns` radians in 3 s. The spine and the
// prop also move. With `glides`, the armature moves as well.
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
        {1, LMB_PROPERTY_TRANSLATION, interpolation, KEYS, times, ways},
        {1, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, KEYS, times, rotations},
        {2, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, KEYS, times, nods},
        {3, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_STEP, KEYS, times, nods},
        {1, LMB_PROPERTY_FLOAT, LMB_INTERPOLATION_LINEAR, KEYS, times, nods},
        {0, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, ends, glide},
    };
    const lmb_clip_def def = {
        .name = "wander", .tracks = tracks, .track_count = glides ? 6 : 5, .joint_weights = weights};
    return create_clip(rig, &def);
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    assert_non_null(memory);
    return memory;
}

// Returns an output of a clip at these times. The caller frees it.
static float *run_clip(const lmb_rig *rig, const lmb_clip *clip, const float *times, uint32_t count,
                       lmb_output output) {
    lmb_error error = {0};
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_parameter(0);
    const lmb_graph_def def = {
        .rig = rig, .clips = &clip, .clip_count = 1, .nodes = &node, .node_count = 1, .parameter_count = 1};
    lmb_graph *program = NULL;
    lmb_cpu *cpu = NULL;
    assert_ok(lmb_graph_create(&def, NULL, &program, &error), &error);
    assert_ok(lmb_cpu_create(program, LMB_CPU_REFERENCE, NULL, &cpu, &error), &error);
    const lmb_batch_def batch = {program, count, 1u << output};
    const lmb_batch_inputs inputs = {.parameters = times};
    lmb_batch_outputs outputs = {0};
    float *result = allocate((size_t)count * lmb_batch_output_floats(&batch, output), sizeof *result);
    outputs.buffers[output] = result;
    assert_ok(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), &error);
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(program);
    return result;
}

// Computes model matrices at evenly spaced times over the clip.
static void sample(const lmb_rig *rig, const lmb_clip *clip, float (*models)[JOINTS][3][4]) {
    static float times[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        times[i] = lmb_clip_get_info(clip)->duration * (float)i / (float)(SAMPLES - 1);
    }
    float *found = run_clip(rig, clip, times, SAMPLES, LMB_OUTPUT_MODEL);
    memcpy(models, found, SAMPLES * sizeof *models);
    free(found);
}

// Evaluates a track at a fraction of its time.
static void motion_at(const lmb_motion_track *track, double share, double numbers[4]) {
    const double at = share * (track->key_count - 1);
    const uint32_t key = at < track->key_count - 2 ? (uint32_t)at : track->key_count - 2;
    for (int i = 0; i < 4; i++) {
        const double from = (double)track->keys[4 * key + i], to = (double)track->keys[4 * key + 4 + i];
        numbers[i] = from + (to - from) * (at - key);
    }
}

// Evaluates the rotation of a track at a fraction of its time, as a matrix: its yaw, or the slerp of its quaternions.
static void turn_at(const lmb_motion_track *track, double share, const double motion[4], double turn[3][3]) {
    const double c = cos(motion[3]), s = sin(motion[3]);
    const double about_y[3][3] = {{c, 0.0, s}, {0.0, 1.0, 0.0}, {-s, 0.0, c}};
    memcpy(turn, about_y, sizeof about_y);
    if (track->rotations == NULL) {
        return;
    }
    const double at = share * (track->key_count - 1);
    const uint32_t key = at < track->key_count - 2 ? (uint32_t)at : track->key_count - 2;
    double from[4], to[4], q[4];
    for (int i = 0; i < 4; i++) {
        from[i] = (double)track->rotations[4 * key + i];
        to[i] = (double)track->rotations[4 * key + 4 + i];
    }
    oracle_choices choices = {0};
    oracle_quaternion_slerp(from, to, at - key, &choices, q);
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double whole[3][3] = {{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)},
                                {2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)},
                                {2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)}};
    memcpy(turn, whole, sizeof whole);
}

static double difference(const lmb_motion_track *track, double share, const double motion[4], float (*left)[4],
                         float (*source)[4]) {
    double turn[3][3], largest = 0.0;
    turn_at(track, share, motion, turn);
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

// Returns the largest difference after motion and clip are combined again, over the hips and their descendants.
static double largest_difference(const fixture *f) {
    sample(f->rig, f->clip, before);
    sample(f->rig, lmb_root_motion_clip(f->motion), after);
    double largest = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        double motion[4];
        const lmb_motion_track *track = lmb_root_motion_track(f->motion);
        const double share = (double)i / (SAMPLES - 1);
        motion_at(track, share, motion);
        for (int joint = 1; joint < 3; joint++) {
            largest = fmax(largest, difference(track, share, motion, after[i][joint], before[i][joint]));
        }
        // Other joints have not changed.
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

// Without yaw, the result equals the original everywhere. Steps remain steps, however large the scale above is.
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
            // Between its keys the motion is linear and a step is not; the clip compensates.
            assert_below(largest_difference(&f), 2e-5);
        } else {
            assert_below(largest_difference(&f), 1e-5);
        }
        // Extracted axes leave the hips at their start, at the motion's keys: here the first and the last sample.
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

// With yaw, also over several turns. The remaining clip does not move or turn the hips.
static void test_yaw(void **state) {
    (void)state;
    static const double turns[] = {0.0, 1.0, -7.0, 20.0};
    for (int i = 0; i < 8; i++) {
        lmb_root_motion_def def = lmb_default_root_motion_def();
        def.joint = 1;
        def.rate = 60.0f;
        fixture f = extract(i / 4 ? 0.01f : 1.0f, turns[i % 4], LMB_INTERPOLATION_LINEAR, i / 4 == 0, &def);
        const lmb_motion_track *track = lmb_root_motion_track(f.motion);
        assert_below(largest_difference(&f), 1e-5);
        // The parent's z is up, so a rotation about it is the yaw.
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

// The whole rotation: the hips neither move nor turn in the remaining clip, whatever the parents do. Keys of the track
// are unit quaternions in one hemisphere.
static void test_rotation(void **state) {
    (void)state;
    static const double turns[] = {0.0, 1.0, -7.0, 20.0};
    for (int i = 0; i < 16; i++) {
        lmb_root_motion_def def = lmb_default_root_motion_def();
        def.joint = i / 8 ? 2 : 1; // the spine nods
        def.rate = 60.0f;
        def.y = def.pitch = def.roll = true;
        fixture f = extract(i / 4 % 2 ? 0.01f : 1.0f, turns[i % 4], LMB_INTERPOLATION_LINEAR, i / 4 % 2 == 0, &def);
        const lmb_motion_track *track = lmb_root_motion_track(f.motion);
        sample(f.rig, f.clip, before);
        sample(f.rig, lmb_root_motion_clip(f.motion), after);
        assert_non_null(track->rotations);
        for (uint32_t key = 0; key < track->key_count; key++) {
            const float *q = track->rotations + 4 * (size_t)key;
            double square = 0.0, dot = 1.0;
            for (int k = 0; k < 4; k++) {
                square += (double)q[k] * (double)q[k];
                dot += key > 0 ? (double)q[k] * (double)q[k - 4] : 0.0;
            }
            assert_below(fabs(square - 1.0), 1e-6);
            assert_true(dot >= 1.0 && track->keys[4 * key + 3] == 0.0f);
        }
        for (int k = 0; k < SAMPLES; k++) {
            double motion[4];
            const double share = (double)k / (SAMPLES - 1);
            motion_at(track, share, motion);
            assert_below(difference(track, share, motion, after[k][def.joint], before[k][def.joint]), 1e-5);
            for (int row = 0; row < 3; row++) {
                for (int column = 0; column < 4; column++) {
                    assert_below(
                        fabs((double)after[k][def.joint][row][column] - (double)before[0][def.joint][row][column]),
                        k % 4 == 0 ? 2e-5 : 2e-2);
                }
            }
        }
        release(&f);
    }
}

// The hips in the rest pose: the armature is turned by -90 degrees about x and moved along x.
static const double rest_hips[3][4] = {{1, 0, 0, 0.2}, {0, 0, 1, 1}, {0, -1, 0, 0}};

// Where the hips are in the remaining clip: as the reference says, along the extracted axes, and turned so, where the
// whole rotation is extracted. Motion and clip give the original also then.
static void test_references(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 3 * 3 * 2; i++) {
        const lmb_motion_reference reference = (lmb_motion_reference)(i % 3);
        lmb_root_motion_def def = lmb_default_root_motion_def();
        assert_int_equal(def.reference, LMB_MOTION_REFERENCE_FIRST_FRAME);
        def.joint = 1;
        def.reference = reference;
        def.y = i / 3 % 3 > 0;
        def.yaw = i / 3 % 3 > 0;
        def.pitch = def.roll = i / 3 % 3 == 2;
        def.rate = 60.0f;
        const double scale = i / 9 ? 0.01 : 1.0;
        fixture f = extract((float)scale, 5.0, LMB_INTERPOLATION_LINEAR, i / 9 == 0, &def);
        assert_below(largest_difference(&f), 1e-5);
        for (int k = 0; k < SAMPLES; k += 4) { // at the motion's keys, or near them
            for (int row = 0; row < 3; row++) {
                const double at = reference == LMB_MOTION_REFERENCE_ABSOLUTE    ? 0.0
                                  : reference == LMB_MOTION_REFERENCE_REST_POSE ? rest_hips[row][3]
                                                                                : (double)before[0][1][row][3];
                if (row != 1 || def.y) {
                    assert_below(fabs((double)after[k][1][row][3] - at), 2e-5);
                }
                for (int column = 0; column < 3 && def.pitch; column++) {
                    const double axis = reference == LMB_MOTION_REFERENCE_ABSOLUTE ? scale * (row == column)
                                        : reference == LMB_MOTION_REFERENCE_REST_POSE
                                            ? scale * rest_hips[row][column]
                                            : (double)before[0][1][row][column];
                    assert_below(fabs((double)after[k][1][row][column] - axis), 2e-5);
                }
            }
        }
        release(&f);
    }
}

static void multiply_quaternions(const float a[4], const double b[4], double product[4]) {
    const double x = (double)a[0], y = (double)a[1], z = (double)a[2], w = (double)a[3];
    product[0] = w * b[0] + x * b[3] + y * b[2] - z * b[1];
    product[1] = w * b[1] - x * b[2] + y * b[3] + z * b[0];
    product[2] = w * b[2] + x * b[1] - y * b[0] + z * b[3];
    product[3] = w * b[3] - x * b[0] - y * b[1] - z * b[2];
}

// The angle of the rotation from one key's to another's.
static double angle_between(const float *from, const float *to) {
    const double back[4] = {-(double)from[0], -(double)from[1], -(double)from[2], (double)from[3]};
    double turned[4];
    multiply_quaternions(to, back, turned);
    return 2.0 * atan2(sqrt(turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2]), fabs(turned[3]));
}

// Turns about one axis or two, checked against the whole rotation R. One is the twist of R: both have the same ratio
// between the axis and w. Of two, Q R lacks everything but the twist about the third axis, with Q the inverse.
static void test_turns(void **state) {
    (void)state;
    for (uint32_t taken = 1; taken < 7; taken++) {
        const uint32_t count = (taken & 1) + (taken >> 1 & 1) + (taken >> 2);
        lmb_root_motion_def def = lmb_default_root_motion_def();
        def.joint = 2; // the spine, which nods while the hips turn
        def.rate = 60.0f;
        def.y = def.pitch = def.roll = true;
        fixture whole = extract(1.0f, -7.0, LMB_INTERPOLATION_LINEAR, true, &def);
        def.pitch = taken & 1;
        def.yaw = taken & 2;
        def.roll = taken & 4;
        fixture f = extract(1.0f, -7.0, LMB_INTERPOLATION_LINEAR, true, &def);
        const lmb_motion_track *track = lmb_root_motion_track(f.motion), *all = lmb_root_motion_track(whole.motion);
        sample(f.rig, f.clip, before);
        sample(f.rig, lmb_root_motion_clip(f.motion), after);
        for (int k = 0; k < SAMPLES; k++) {
            double motion[4];
            const double share = (double)k / (SAMPLES - 1);
            motion_at(track, share, motion);
            assert_below(difference(track, share, motion, after[k][2], before[k][2]), 1e-5);
        }
        assert_int_equal(track->key_count, all->key_count);
        assert_true((track->rotations != NULL) == (taken != 2));
        for (uint32_t key = 0; key < track->key_count; key++) {
            const float *r = all->rotations + 4 * (size_t)key, *keys = track->keys + 4 * (size_t)key;
            const double half = 0.5 * (double)keys[3];
            double q[4] = {0.0, sin(half), 0.0, cos(half)}, left[4];
            for (int i = 0; i < 4 && taken != 2; i++) {
                q[i] = (double)track->rotations[4 * key + (uint32_t)i];
            }
            q[0] = -q[0], q[1] = -q[1], q[2] = -q[2];
            const float back[4] = {(float)q[0], (float)q[1], (float)q[2], (float)q[3]};
            const double whole_turn[4] = {(double)r[0], (double)r[1], (double)r[2], (double)r[3]};
            multiply_quaternions(back, whole_turn, left);
            for (int axis = 0; axis < 3; axis++) {
                const uint32_t bit = 1u << axis;
                if (taken == bit) {
                    assert_below(fabs(q[axis] * (double)r[3] + q[3] * (double)r[axis]), 1e-6);
                } else if (count == 1) {
                    assert_below(fabs(q[axis]), 1e-6);
                } else {
                    assert_below(fabs(taken & bit ? left[axis] : q[axis]), 1e-6);
                }
            }
        }
        release(&f);
        release(&whole);
    }
}

// A closed track has the share of the open one's drift less, and the clip is the same. Whole turns stay.
static void test_closed_loops(void **state) {
    (void)state;
    static const double turns[] = {0.3, 1.0, -7.0, 20.0};
    for (uint32_t i = 0; i < 4 * 16 * 2; i++) {
        lmb_root_motion_def def = lmb_default_root_motion_def();
        def.joint = 1;
        def.y = true;
        def.pitch = def.roll = i / 64;
        fixture open = extract(1.0f, turns[i % 4], LMB_INTERPOLATION_LINEAR, true, &def);
        def.close_x = i & 4;
        def.close_y = i & 8;
        def.close_z = i & 16;
        def.close_turn = i & 32;
        fixture closed = extract(1.0f, turns[i % 4], LMB_INTERPOLATION_LINEAR, true, &def);
        const lmb_motion_track *a = lmb_root_motion_track(open.motion), *b = lmb_root_motion_track(closed.motion);
        const uint32_t last = a->key_count - 1;
        const bool closes[4] = {def.close_x, def.close_y, def.close_z, def.close_turn};
        assert_int_equal(b->key_count, a->key_count);
        for (uint32_t k = 0; k <= 4 * last + 3; k++) {
            double drift = (double)a->keys[4 * last + k % 4] - (double)a->keys[k % 4];
            drift -= k % 4 == 3 ? 2.0 * PI * round(drift / (2.0 * PI)) : 0.0;
            const double share = (double)(k / 4) / last;
            assert_below(fabs((double)b->keys[k] - ((double)a->keys[k] - (closes[k % 4] ? share * drift : 0.0))), 2e-6);
        }
        for (uint32_t key = 0; def.pitch && key <= last; key++) {
            const float *from = a->rotations + 4 * (size_t)key, *to = b->rotations + 4 * (size_t)key;
            const double whole = angle_between(a->rotations, a->rotations + 4 * (size_t)last);
            assert_below(fabs(angle_between(from, to) - (def.close_turn ? whole * key / last : 0.0)), 2e-6);
        }
        assert_true(!def.pitch || !def.close_turn ||
                    angle_between(b->rotations, b->rotations + 4 * (size_t)last) < 1e-6);
        size_t sizes[2];
        const void *blocks[2] = {lmb_clip_block(lmb_root_motion_clip(open.motion), &sizes[0]),
                                 lmb_clip_block(lmb_root_motion_clip(closed.motion), &sizes[1])};
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(blocks[0], blocks[1], sizes[0]);
        release(&open);
        release(&closed);
    }
}

static void take_axes(const char *axes, lmb_root_motion_def *def) {
    def->x = strchr(axes, 'x') != NULL;
    def->y = strchr(axes, 'y') != NULL;
    def->z = strchr(axes, 'z') != NULL;
}

static uint32_t find_joint(const lmb_rig *rig, const lmb_clip *const *clips, uint32_t count,
                           const lmb_root_motion_def *def) {
    uint32_t joint = LMB_NONE;
    lmb_error error = {0};
    assert_ok(lmb_root_motion_find_joint(rig, clips, count, def, NULL, &joint, &error), &error);
    return joint;
}

// Which joint travels: the armature if it glides, else the hips; none if only the prop moves, which is no joint of the
// skeleton then.
static void test_joint_that_travels(void **state) {
    (void)state;
    lmb_root_motion_def def = lmb_default_root_motion_def();
    fixture f = {.rig = make_rig(1.0f)};
    const lmb_clip *clips[3] = {create_clip(f.rig, &(lmb_clip_def){.name = "still", .duration = 1.0f}),
                                make_clip(f.rig, 1.0f, 1.0, LMB_INTERPOLATION_LINEAR, false),
                                make_clip(f.rig, 1.0f, 1.0, LMB_INTERPOLATION_LINEAR, true)};
    assert_int_equal(find_joint(f.rig, NULL, 0, &def), 0);
    assert_int_equal(find_joint(f.rig, clips, 1, &def), 0);
    assert_int_equal(find_joint(f.rig, clips, 2, &def), 1);
    assert_int_equal(find_joint(f.rig, clips, 3, &def), 0);
    // Without axes nothing travels.
    take_axes("", &def);
    assert_int_equal(find_joint(f.rig, clips, 3, &def), 0);
    const lmb_clip *missing = NULL;
    uint32_t joint = 7;
    lmb_error error = {0};
    static const char *const messages[] = {"the rig is NULL", "the clips is NULL", "a clip is NULL",
                                           "the descriptor is NULL", "the result is NULL"};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(lmb_root_motion_find_joint(i == 0 ? NULL : f.rig,
                                                    i == 1   ? NULL
                                                    : i == 2 ? &missing
                                                             : clips,
                                                    1, i == 3 ? NULL : &def, NULL, i == 4 ? NULL : &joint, &error),
                         LMB_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, messages[i]));
        assert_int_equal(joint, i == 4 ? 7 : 0);
        joint = 7;
    }
    // An armature, hips, and an arm and a hand on them; the first joint of the list is a prop. The rest pose has a size
    // of 1, so 0.009 is sway, and 0.011 is not. The arm turns and so moves the hand; the hand moves by itself, too.
    lmb_joint_def joints[5];
    for (uint32_t i = 0; i < 5; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i < 2 ? LMB_NONE : i - 1;
    }
    joints[4].rest.translation[0] = 1.0f;
    joints[0].is_extra = true;
    joints[0].rest.translation[0] = 50.0f;
    const lmb_rig_def rig_def = {.joints = joints, .joint_count = 5};
    lmb_rig *rig = NULL;
    assert_ok(lmb_rig_create(&rig_def, NULL, &rig, &error), &error);
    def = lmb_default_root_motion_def();
    for (uint32_t i = 0; i < 2; i++) {
        const float times[2] = {0.0f, 1.0f}, way = i == 0 ? 0.009f : 0.011f;
        const float ways[6] = {0.0f, 1.0f, 0.0f, 0.0f, 1.0f, way}, far[6] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 9.0f};
        const float turns[8] = {0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.6f, 0.0f, 0.8f};
        const lmb_track_def tracks[4] = {{2, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, ways},
                                         {0, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, far},
                                         {3, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 2, times, turns},
                                         {4, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, far}};
        lmb_clip *clip = create_clip(rig, &(lmb_clip_def){.name = "sway", .tracks = tracks, .track_count = 4});
        assert_int_equal(find_joint(rig, (const lmb_clip *[]){clips[0], clip}, 2, &def), 2 * i);
        lmb_clip_destroy(clip);
    }
    lmb_rig_destroy(rig);
    for (uint32_t i = 0; i < 3; i++) {
        lmb_clip_destroy((lmb_clip *)(uintptr_t)clips[i]);
    }
    release(&f);
}

// Only yaw is extracted, about the model's origin. Cubic splines and steps are as exact as linear tracks, at any rate.
static void test_rest(void **state) {
    (void)state;
    lmb_root_motion_def def = lmb_default_root_motion_def();
    def.joint = 1;
    def.x = def.z = false;
    fixture f = extract(1.0f, 3.0, LMB_INTERPOLATION_LINEAR, false, &def);
    assert_below(largest_difference(&f), 1e-5);
    assert_true(lmb_root_motion_track(f.motion)->keys[4 * 50] == 0.0f);
    release(&f);
    for (int i = 0; i < 4; i++) {
        def = lmb_default_root_motion_def();
        def.joint = 1;
        def.rate = i % 2 == 0 ? 2.0f : 80.0f;
        f = extract(1.0f, 1.0, i < 2 ? LMB_INTERPOLATION_CUBIC_SPLINE : LMB_INTERPOLATION_STEP, false, &def);
        assert_below(largest_difference(&f), 1e-5);
        release(&f);
    }
}

// The other properties of a clip are kept. A clip without keys of the joint, or without a duration, also works.
static void test_edges(void **state) {
    (void)state;
    lmb_error error = {0};
    lmb_root_motion_def def = lmb_default_root_motion_def();
    def.joint = 1;
    fixture f = extract(1.0f, 1.0, LMB_INTERPOLATION_LINEAR, false, &def);
    const lmb_clip *left = lmb_root_motion_clip(f.motion);
    assert_string_equal(lmb_clip_get_info(left)->name, "wander");
    assert_true(lmb_clip_get_info(left)->duration == lmb_clip_get_info(f.clip)->duration);
    assert_int_equal(lmb_clip_get_info(left)->track_count, lmb_clip_get_info(f.clip)->track_count);
    // Three tracks are unchanged. Two have keys at the motion's 91 times, which include their own times.
    assert_true(lmb_clip_get_info(left)->key_count >= 3 * 25 + 2 * 91);
    lmb_root_motion_destroy(f.motion);
    lmb_clip_destroy(f.clip);
    const lmb_clip_def still = {.name = "still", .duration = 0.0f};
    f.clip = create_clip(f.rig, &still);
    assert_ok(lmb_root_motion_extract(f.rig, f.clip, &def, NULL, &f.motion, &error), &error);
    assert_int_equal(lmb_root_motion_track(f.motion)->key_count, 2);
    for (int i = 0; i < 8; i++) {
        assert_true(lmb_root_motion_track(f.motion)->keys[i] == 0.0f);
    }
    assert_below(largest_difference(&f), 1e-6);
    release(&f);
    lmb_root_motion_destroy(NULL);
}

// ---- At any time, against float64 with the formulas of lerp and slerp. ----

enum { LINKS = 4, LINK_KEYS = 5, BETWEEN = 607 };

// A root, a body, hips and a spine, each below the previous one, as in robots. One key per second, with large changes.
typedef struct chain {
    lmb_rig *rig;
    lmb_clip *clip;
    float times[LINK_KEYS];
    float translations[LINKS][LINK_KEYS * 3];
    float rotations[LINKS][LINK_KEYS * 4];
    float scales[LINK_KEYS * 3]; // scales of the body
    lmb_track_def tracks[2 * LINKS + 1];
    lmb_clip_def def;
} chain;

// The joints in the set `turning` turn by up to 2.2 radians between keys. With `grows`, the body grows. All joints
// move.
static void start_chain(chain *c, uint32_t turning, bool grows, float scale) {
    static const double axes[LINKS][3] = {{0.1, 1.0, 0.2}, {0.6, 0.5, -0.4}, {-0.3, 1.0, 0.5}, {1.0, 0.2, 0.1}};
    static const char *const names[LINKS] = {"Root", "Body", "Hips", "Spine"};
    lmb_joint_def joints[LINKS];
    for (uint32_t i = 0; i < LINKS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
        joints[0].rest.scale[i % 3] = scale;
        const double unit = i == 0 ? 1.0 : (double)scale;
        for (int key = 0; key < LINK_KEYS; key++) {
            const double t = key;
            c->times[key] = (float)t;
            float *way = c->translations[i] + 3 * key;
            way[0] = (float)((0.3 * sin(2.0 * t + i) + (i == 2 ? 2.0 * t : 0.2)) / unit);
            way[1] = (float)((0.5 + 0.1 * cos(3.0 * t + i)) / unit);
            way[2] = (float)((i == 0 ? 1.5 * t : 0.1 * sin(t)) / unit);
            const double angle = turning >> i & 1 ? 2.2 * t - 0.5 * t * sin(t + i) : 0.3;
            put_rotation(axes[i][0], axes[i][1], axes[i][2], angle, c->rotations[i] + 4 * key);
            c->scales[3 * key + i % 3] = (float)(grows ? 1.0 + 0.4 * sin(2.0 * t) : 1.0);
        }
    }
    const lmb_rig_def rig_def = {.joints = joints, .joint_count = LINKS};
    lmb_error error = {0};
    assert_ok(lmb_rig_create(&rig_def, NULL, &c->rig, &error), &error);
    for (uint32_t i = 0; i < LINKS; i++) {
        c->tracks[2 * i] = (lmb_track_def){i,        LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, LINK_KEYS,
                                           c->times, c->translations[i]};
        c->tracks[2 * i + 1] =
            (lmb_track_def){i, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, LINK_KEYS, c->times, c->rotations[i]};
    }
    c->tracks[2 * LINKS] =
        (lmb_track_def){1, LMB_PROPERTY_SCALE, LMB_INTERPOLATION_LINEAR, LINK_KEYS, c->times, c->scales};
    c->def = (lmb_clip_def){.name = "chain", .tracks = c->tracks, .track_count = 2 * LINKS + grows};
    c->clip = create_clip(c->rig, &c->def);
}

static void release_chain(chain *c) {
    lmb_clip_destroy(c->clip);
    lmb_rig_destroy(c->rig);
}

// Evaluates the chain at a time from its keys.
static void chain_at(const chain *c, float time, oracle_affine *result) {
    oracle_transform local[LINKS];
    oracle_choices choices = {0, 0};
    for (uint32_t joint = 0; joint < LINKS; joint++) {
        const lmb_transform given = lmb_rig_get_def(c->rig)->joints[joint].rest;
        const oracle_transform rest = oracle_transform_from_float(&given);
        assert_true(oracle_clip_sample(&c->def, joint, (double)time, &rest, &choices, &local[joint]));
    }
    oracle_model(c->rig, local, result, NULL);
}

// Computes model matrices in float64, [time][joint], from the local poses that a clip is sampled to.
static oracle_affine *sample_models(const lmb_rig *rig, const lmb_clip *clip, const float *times, uint32_t count) {
    const uint32_t joints = lmb_rig_get_def(rig)->joint_count;
    const size_t floats = (size_t)LMB_POSE_COMPONENTS * joints + lmb_rig_get_def(rig)->channel_count;
    float *locals = run_clip(rig, clip, times, count, LMB_OUTPUT_LOCAL);
    oracle_affine *result = allocate((size_t)count * joints, sizeof *result);
    oracle_transform *local = allocate(joints, sizeof *local);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t joint = 0; joint < joints; joint++) {
            float values[LMB_POSE_COMPONENTS];
            lmb_transform given;
            for (uint32_t k = 0; k < LMB_POSE_COMPONENTS; k++) {
                values[k] = locals[i * floats + k * joints + joint];
            }
            memcpy(&given, values, sizeof given);
            local[joint] = oracle_transform_from_float(&given);
        }
        oracle_model(rig, local, result + (size_t)i * joints, NULL);
    }
    free(local);
    free(locals);
    return result;
}

// The largest errors over all times and joints: of positions, relative to the largest distance of a joint from the
// origin, and of axes, relative to their length. They cover the descendants of the joint whose motion was extracted.
typedef struct errors {
    double position, axes, distance;
} errors;

static void compare(const oracle_affine *expected, const oracle_affine *actual, errors *worst) {
    double square = 0.0;
    for (int row = 0; row < 3; row++) {
        square += pow(expected->m[row][3] - actual->m[row][3], 2.0);
    }
    worst->position = fmax(worst->position, sqrt(square) / worst->distance);
    for (int column = 0; column < 3; column++) {
        double apart = 0.0, length = 0.0;
        for (int row = 0; row < 3; row++) {
            apart += pow(expected->m[row][column] - actual->m[row][column], 2.0);
            length += pow(expected->m[row][column], 2.0);
        }
        worst->axes = fmax(worst->axes, sqrt(apart / length));
    }
}

static bool hangs_from(const lmb_rig *rig, uint32_t joint, uint32_t ancestor) {
    while (joint != LMB_NONE && joint != ancestor) {
        joint = lmb_rig_get_def(rig)->joints[joint].parent;
    }
    return joint == ancestor;
}

static errors errors_of(const lmb_rig *rig, uint32_t taken, const oracle_affine *expected,
                        const lmb_root_motion *motion, const float *times) {
    const lmb_clip *clip = lmb_root_motion_clip(motion);
    const uint32_t joints = lmb_rig_get_def(rig)->joint_count;
    oracle_affine *left = sample_models(rig, clip, times, BETWEEN);
    errors worst = {0};
    for (uint32_t i = 0; i < BETWEEN * joints; i++) {
        const double x = expected[i].m[0][3], y = expected[i].m[1][3], z = expected[i].m[2][3];
        worst.distance =
            hangs_from(rig, i % joints, taken) ? fmax(worst.distance, sqrt(x * x + y * y + z * z)) : worst.distance;
    }
    for (uint32_t i = 0; i < BETWEEN; i++) {
        double way[4];
        motion_at(lmb_root_motion_track(motion), (double)times[i] / (double)lmb_clip_get_info(clip)->duration, way);
        const double c = cos(way[3]), s = sin(way[3]);
        const oracle_affine matrix = {{{c, 0.0, s, way[0]}, {0.0, 1.0, 0.0, way[1]}, {-s, 0.0, c, way[2]}}};
        for (uint32_t joint = 0; joint < joints; joint++) {
            if (hangs_from(rig, joint, taken)) {
                const oracle_affine moved = oracle_affine_multiply(&matrix, &left[i * joints + joint]);
                compare(&expected[i * joints + joint], &moved, &worst);
            }
        }
    }
    free(left);
    return worst;
}

// Times, few of which are key times.
static void spread_times(const lmb_clip *clip, float *times) {
    for (int i = 0; i < BETWEEN; i++) {
        times[i] = lmb_clip_get_info(clip)->duration * (float)i / (BETWEEN - 1);
    }
}

static errors chain_errors(const chain *c, const lmb_root_motion_def *def, uint32_t *key_count) {
    static float times[BETWEEN];
    lmb_root_motion *motion = NULL;
    lmb_error error = {0};
    assert_ok(lmb_root_motion_extract(c->rig, c->clip, def, NULL, &motion, &error), &error);
    oracle_affine *expected = allocate(BETWEEN * LINKS, sizeof *expected);
    spread_times(c->clip, times);
    for (int i = 0; i < BETWEEN; i++) {
        chain_at(c, times[i], expected + i * LINKS);
    }
    const errors found = errors_of(c->rig, def->joint, expected, motion, times);
    *key_count = lmb_clip_get_info(lmb_root_motion_clip(motion))->key_count;
    free(expected);
    lmb_root_motion_destroy(motion);
    return found;
}

// Linear tracks with large rotations between keys, of the joint, its ancestors and its descendants, are as exact at any
// time as at keys. With linear keys only, at 30 keys a second and without yaw, the error would be 12 mm at 11 m from
// the origin.
static void test_between_keys(void **state) {
    (void)state;
    static const char *const axes[] = {"xz", "xyz", "y", ""};
    static const uint32_t turning[] = {1, 2, 4, 7, 15, 0};
    errors worst = {0};
    uint32_t most = 0;
    for (uint32_t i = 0; i < 3 * 6 * 4 * 2 * 3; i++) {
        const uint32_t kind = i / 144;
        lmb_root_motion_def def = lmb_default_root_motion_def();
        def.joint = i % 3;
        take_axes(axes[i / 18 % 4], &def);
        def.yaw = i / 72 % 2;
        def.rate = (float[]){30.0f, 7.0f, 0.7f}[kind];
        chain c;
        start_chain(&c, turning[i / 3 % 6], kind == 1, kind == 1 ? 0.01f : 1.0f);
        uint32_t keys;
        const errors found = chain_errors(&c, &def, &keys);
        worst.position = fmax(worst.position, found.position);
        worst.axes = fmax(worst.axes, found.axes);
        most = keys > most ? keys : most;
        if (turning[i / 3 % 6] == 0 && kind == 0) {
            // The rest is linear: only keys at the motion's times, 121 per track.
            assert_int_equal(keys, (def.yaw ? 6 : 7) * LINK_KEYS + (def.yaw ? 2 : 1) * 121);
        }
        release_chain(&c);
    }
    print_message("positions within %.2g, axes within %.2g; %u keys at most\n", worst.position, worst.axes,
                  (unsigned)most);
    assert_below(worst.position, 1e-6);
    assert_below(worst.axes, 1e-6);
    assert_below(most, 2.0 * 272.0);
}

#ifdef LIMBER_HAS_IMPORT
// Each clip of a real character, with and without yaw, by each of its first joints, so also with rotations above the
// joint.
static void check_character(const lmb_import_def *def) {
    static float times[BETWEEN];
    lmb_import *import = NULL;
    lmb_error error = {0};
    if (lmb_import_create(def, NULL, &import, &error) != LMB_OK) {
        print_message("%s\n", error.message);
        return;
    }
    const lmb_rig *rig = lmb_import_get_content(import)->rig;
    errors worst = {0};
    uint32_t before_count = 0, after_count = 0, cases = 0;
    for (uint32_t i = 0; i < lmb_import_get_content(import)->clip_count; i++) {
        const lmb_clip *clip = lmb_import_get_content(import)->clips[i];
        spread_times(clip, times);
        oracle_affine *expected = sample_models(rig, clip, times, BETWEEN);
        for (uint32_t k = 0; k < 2 * 6; k++, cases++) {
            lmb_root_motion_def motion_def = lmb_default_root_motion_def();
            motion_def.joint = k / 2;
            motion_def.yaw = k % 2;
            lmb_root_motion *motion = NULL;
            assert_ok(lmb_root_motion_extract(rig, clip, &motion_def, NULL, &motion, &error), &error);
            const errors found = errors_of(rig, motion_def.joint, expected, motion, times);
            worst.position = fmax(worst.position, found.position);
            worst.axes = fmax(worst.axes, found.axes);
            worst.distance = fmax(worst.distance, found.distance);
            before_count += lmb_clip_get_info(clip)->key_count;
            after_count += lmb_clip_get_info(lmb_root_motion_clip(motion))->key_count;
            lmb_root_motion_destroy(motion);
        }
        free(expected);
    }
    lmb_import_destroy(import);
    print_message("%s: %u cases, positions within %.2g of %.3g, axes within %.2g; keys by %.2g\n", def->paths[0],
                  (unsigned)cases, worst.position, worst.distance, worst.axes,
                  (double)after_count / (double)before_count);
    assert_below(worst.position, 1e-6);
    assert_below(worst.axes, 1e-6);
}

static void test_characters(void **state) {
    (void)state;
    static const char *const paths[] = {LIMBER_ASSETS "/Fox.glb", LIMBER_ASSETS "/cesium_man.gltf",
                                        LIMBER_ASSETS "/pab/skeleton.fbx", LIMBER_ASSETS "/pab/walk.fbx",
                                        LIMBER_ASSETS "/pab/run.fbx"};
    for (uint32_t i = 0; i < 3; i++) {
        lmb_import_def def = lmb_default_import_def();
        def.paths = paths + i;
        def.path_count = i < 2 ? 1 : 3;
        def.trusted = i == 2; // the project's own FBX file
        check_character(&def);
    }
}
#endif

static void refuse(const fixture *f, const lmb_clip *clip, lmb_root_motion_def def, lmb_result expected,
                   const char *why) {
    lmb_root_motion *motion = NULL;
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_root_motion_extract(f->rig, clip, &def, NULL, &motion, &error), &error, expected, why);
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
    bad = good;
    bad.reference = (lmb_motion_reference)3;
    refuse(&f, f.clip, bad, LMB_ERROR_ARGUMENT, "no such reference");
    lmb_clip *packed = NULL;
    assert_ok(lmb_clip_compress(f.rig, f.clip, NULL, NULL, &packed, NULL, &error), &error);
    refuse(&f, packed, good, LMB_ERROR_ARGUMENT, "compressed");
    lmb_clip_destroy(packed);
    lmb_clip *other = create_clip(f.rig, &(lmb_clip_def){.name = "long", .duration = 2000.0f});
    bad = good;
    bad.rate = 1000.0f;
    refuse(&f, other, bad, LMB_ERROR_LIMIT, "65,536");
    lmb_clip_destroy(other);
    const lmb_joint_def joint = lmb_default_joint_def();
    const lmb_rig_def small_def = {.joints = &joint, .joint_count = 1};
    lmb_rig *small = NULL;
    assert_ok(lmb_rig_create(&small_def, NULL, &small, &error), &error);
    other = create_clip(small, &(lmb_clip_def){.name = "of another"});
    refuse(&f, other, good, LMB_ERROR_ARGUMENT, "channel count");
    lmb_clip_destroy(other);
    lmb_rig_destroy(small);
    static const float zero = 0.0f, uneven[] = {1.0f, 2.0f, 1.0f}, flat[] = {0.0f, 0.0f, 0.0f};
    static const float times[] = {0.0f, 1.0f}, leaves[] = {0.0f, 0.0f, 0.0f, 3e6f, 0.0f, 0.0f};
    bad = good;
    bad.joint = 1;
    for (int i = 0; i < 3; i++) {
        const lmb_track_def tracks[] = {
            {0, LMB_PROPERTY_SCALE, LMB_INTERPOLATION_STEP, 1, &zero, uneven},
            {0, LMB_PROPERTY_SCALE, LMB_INTERPOLATION_STEP, 1, &zero, flat},
            {1, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, leaves},
        };
        const lmb_clip_def def = {.name = "bad", .tracks = &tracks[i], .track_count = 1};
        other = create_clip(f.rig, &def);
        refuse(&f, other, bad, LMB_ERROR_ARGUMENT, (const char *[]){"scales that differ", "scale of 0", "2^20"}[i]);
        lmb_clip_destroy(other);
    }
    // Also between the motion's keys: scales that differ for a while, and a scale that changes its sign.
    static const float between[] = {0.0f, 0.3f, 1.0f}, differ[] = {1, 1, 1, 1, 2, 1, 1, 1, 1};
    static const float changes[] = {1, 1, 1, 0.5f, 0.5f, 0.5f, -0.5f, -0.5f, -0.5f};
    for (int i = 0; i < 2; i++) {
        const lmb_track_def track = {0,       LMB_PROPERTY_SCALE,       LMB_INTERPOLATION_LINEAR, 3,
                                     between, i == 0 ? differ : changes};
        const lmb_clip_def def = {.name = "bad", .tracks = &track, .track_count = 1};
        other = create_clip(f.rig, &def);
        bad.rate = 1e-3f;
        bad.yaw = i == 0;
        refuse(&f, other, bad, LMB_ERROR_ARGUMENT, (const char *[]){"scales that differ", "scale of 0"}[i]);
        lmb_clip_destroy(other);
    }
    release(&f);
}

static lmb_result try_extract(const lmb_host *host, lmb_error *error, void *user) {
    const fixture *f = user;
    lmb_root_motion_def def = lmb_default_root_motion_def();
    def.joint = 1; // its tracks become cubic splines
    def.pitch = def.roll = true;
    lmb_root_motion *motion = NULL;
    const lmb_result result = lmb_root_motion_extract(f->rig, f->clip, &def, host, &motion, error);
    assert_true((motion != NULL) == (result == LMB_OK));
    lmb_root_motion_destroy(motion);
    return result;
}

static lmb_result try_find(const lmb_host *host, lmb_error *error, void *user) {
    const fixture *f = user;
    const lmb_root_motion_def def = lmb_default_root_motion_def();
    uint32_t joint;
    return lmb_root_motion_find_joint(f->rig, (const lmb_clip *const *)&f->clip, 1, &def, host, &joint, error);
}

static void test_no_memory(void **state) {
    (void)state;
    fixture f = {.rig = make_rig(1.0f)};
    f.clip = make_clip(f.rig, 1.0f, 1.0, LMB_INTERPOLATION_LINEAR, false);
    failing_host_try_all(try_extract, &f);
    failing_host_try_all(try_find, &f);
    release(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways),         cmocka_unit_test(test_yaw),
        cmocka_unit_test(test_rotation),     cmocka_unit_test(test_turns),
        cmocka_unit_test(test_rest),         cmocka_unit_test(test_references),
        cmocka_unit_test(test_closed_loops), cmocka_unit_test(test_joint_that_travels),
        cmocka_unit_test(test_edges),        cmocka_unit_test(test_between_keys),
        cmocka_unit_test(test_refusals),     cmocka_unit_test(test_no_memory),
#ifdef LIMBER_HAS_IMPORT
        cmocka_unit_test(test_characters),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
