// The mannequin: rig, clips, feet on the ground, and a closed skin, at every level of detail.
#include "suite.h"

#include "mannequin.h"

#include <limber/cpu.h>
#include <limber/skin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 200, CYCLES = 2, MOST_JOINTS = 64, MOST_POINTS = 65536 };

typedef struct vector {
    double x, y, z;
} vector;

// A joint in model space, in double precision, independent of the library's arithmetic.
typedef struct placed {
    vector position;
    double axes[3][3]; // columns: rotation times scale
} placed;

static mannequin *built;

static int build(void **state) {
    (void)state;
    lmb_error error;
    return mannequin_create(NULL, &built, &error) == LMB_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    mannequin_destroy(built);
    return 0;
}

static uint32_t joint_named(const char *name) {
    uint32_t joint = lmb_rig_find_joint(mannequin_rig(built), name);
    assert_int_not_equal(joint, LMB_NONE);
    return joint;
}

// ---- Sampling: local poses through the reference.

// Returns `count` evenly spaced poses of a clip over `cycles` cycles, from 0 on: float [count][10][joints]. The caller
// frees them.
static float *sample_clip(const lmb_clip *clip, uint32_t count, double cycles, bool loop) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_parameter(0);
    node.loop = loop;
    lmb_graph_def def = {.rig = mannequin_rig(built),
                         .clips = &clip,
                         .clip_count = 1,
                         .nodes = &node,
                         .node_count = 1,
                         .parameter_count = 1};
    lmb_error error;
    lmb_graph *program;
    assert_int_equal(lmb_graph_create(&def, NULL, &program, &error), LMB_OK);
    lmb_cpu *cpu;
    assert_int_equal(lmb_cpu_create(program, LMB_CPU_REFERENCE, NULL, &cpu, &error), LMB_OK);
    float *times = malloc(count * sizeof(float));
    for (uint32_t i = 0; i < count; i++) {
        times[i] = (float)(cycles * lmb_clip_get_info(clip)->duration * i / (count - 1));
    }
    size_t floats = (size_t)count * LMB_POSE_COMPONENTS * lmb_rig_get_def(mannequin_rig(built))->joint_count;
    float *poses = malloc(floats * sizeof(float));
    lmb_batch_def batch = {program, count, LMB_OUTPUT_LOCAL_BIT};
    lmb_batch_inputs inputs = {.parameters = times};
    lmb_batch_outputs outputs = {.buffers = {poses}};
    assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), LMB_OK);
    free(times);
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(program);
    return poses;
}

static void rotation_matrix(const double q[4], double m[3][3]) {
    double x = q[0];
    double y = q[1];
    double z = q[2];
    double w = q[3];
    double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                         {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                         {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    memcpy(m, rows, sizeof rows);
}

static vector place_point(const placed *joint, vector p) {
    const double(*a)[3] = joint->axes;
    return (vector){joint->position.x + a[0][0] * p.x + a[0][1] * p.y + a[0][2] * p.z,
                    joint->position.y + a[1][0] * p.x + a[1][1] * p.y + a[1][2] * p.z,
                    joint->position.z + a[2][0] * p.x + a[2][1] * p.y + a[2][2] * p.z};
}

static double component(const float *pose, uint32_t which, uint32_t joint) {
    return pose[which * lmb_rig_get_def(mannequin_rig(built))->joint_count + joint];
}

static void place_joints(const float *pose, placed *joints) {
    const lmb_rig *rig = mannequin_rig(built);
    placed origin = {.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (uint32_t i = 0; i < lmb_rig_get_def(rig)->joint_count; i++) {
        uint32_t parent = lmb_rig_get_def(rig)->joints[i].parent;
        const placed *base = parent == LMB_NONE ? &origin : &joints[parent];
        vector t = {component(pose, 0, i), component(pose, 1, i), component(pose, 2, i)};
        double q[4];
        for (uint32_t k = 0; k < 4; k++) {
            q[k] = component(pose, 3 + k, i);
        }
        double turned[3][3];
        rotation_matrix(q, turned);
        joints[i].position = place_point(base, t);
        for (int row = 0; row < 3; row++) {
            for (uint32_t column = 0; column < 3; column++) {
                double sum = 0.0;
                for (int k = 0; k < 3; k++) {
                    sum += base->axes[row][k] * turned[k][column];
                }
                joints[i].axes[row][column] = sum * component(pose, 7 + column, i);
            }
        }
    }
}

static const float *pose_of(const float *poses, uint32_t index) {
    return poses + (size_t)index * LMB_POSE_COMPONENTS * lmb_rig_get_def(mannequin_rig(built))->joint_count;
}

// ---- The rig and the clips.

static void the_rig_is_a_person(void **state) {
    (void)state;
    const lmb_rig *rig = mannequin_rig(built);
    uint32_t count = lmb_rig_get_def(rig)->joint_count;
    assert_in_range(count, 20, MOST_JOINTS);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(lmb_rig_find_joint(rig, lmb_rig_get_def(rig)->joints[i].name), i);
    }
    const uint8_t *mask = mannequin_upper_body_mask(built);
    assert_int_equal(mask[joint_named("root")], 0);
    assert_int_equal(mask[joint_named("pelvis")], 0);
    assert_int_equal(mask[joint_named("left_toes")], 0);
    assert_in_range(mask[joint_named("spine_lower")], 1, 254);
    assert_int_equal(mask[joint_named("right_fingers")], 255);
    assert_int_equal(mask[joint_named("head")], 255);
}

static void every_clip_has_a_name_and_out_of_range_there_is_none(void **state) {
    (void)state;
    for (int i = 0; i < MANNEQUIN_CLIP_COUNT; i++) {
        const lmb_clip *clip = mannequin_clip(built, (mannequin_clip_id)i);
        assert_non_null(clip);
        assert_string_equal(lmb_clip_get_info(clip)->name, mannequin_clip_name((mannequin_clip_id)i));
        assert_int_equal(lmb_clip_get_info(clip)->joint_count, lmb_rig_get_def(mannequin_rig(built))->joint_count);
    }
    assert_null(mannequin_clip(built, MANNEQUIN_CLIP_COUNT));
    assert_null(mannequin_clip_name(MANNEQUIN_CLIP_COUNT));
}

static bool plays_once(int id) {
    return id == MANNEQUIN_STAND_TO_CROUCH || id == MANNEQUIN_TAKEOFF || id == MANNEQUIN_HOP || id == MANNEQUIN_LAND;
}

static void every_clip_loops_but_the_parts_of_the_jump(void **state) {
    (void)state;
    size_t bytes = LMB_POSE_COMPONENTS * lmb_rig_get_def(mannequin_rig(built))->joint_count * sizeof(float);
    for (int i = 0; i < MANNEQUIN_CLIP_COUNT; i++) {
        float *poses = sample_clip(mannequin_clip(built, (mannequin_clip_id)i), 4, 1.0, false);
        if (plays_once(i)) {
            assert_memory_not_equal(pose_of(poses, 0), pose_of(poses, 3), bytes);
        } else {
            assert_memory_equal(pose_of(poses, 0), pose_of(poses, 3), bytes);
        }
        assert_memory_not_equal(pose_of(poses, 0), pose_of(poses, 1), bytes);
        free(poses);
    }
}

// Each clip of the jump ends on the pose that the next one starts with, so a fade between them is not visible.
static void parts_of_the_jump_meet(void **state) {
    (void)state;
    static const struct {
        mannequin_clip_id ends, begins;
    } seams[] = {{MANNEQUIN_STAND_TO_CROUCH, MANNEQUIN_CROUCH},
                 {MANNEQUIN_TAKEOFF, MANNEQUIN_FLOAT},
                 {MANNEQUIN_HOP, MANNEQUIN_FLOAT},
                 {MANNEQUIN_LAND, MANNEQUIN_STAND}};
    size_t count = LMB_POSE_COMPONENTS * lmb_rig_get_def(mannequin_rig(built))->joint_count;
    for (size_t i = 0; i < sizeof seams / sizeof seams[0]; i++) {
        float *before = sample_clip(mannequin_clip(built, seams[i].ends), 4, 1.0, false);
        float *after = sample_clip(mannequin_clip(built, seams[i].begins), 4, 1.0, false);
        for (size_t k = 0; k < count; k++) {
            assert_float_equal(pose_of(before, 3)[k], pose_of(after, 0)[k], 1e-4);
        }
        free(before);
        free(after);
    }
}

// Additive clips do not move the legs or the body's position, and start at the rest pose.
static void additive_clips_start_at_rest_and_spare_the_legs(void **state) {
    (void)state;
    const lmb_rig *rig = mannequin_rig(built);
    for (int i = MANNEQUIN_LEAN; i <= MANNEQUIN_BREATHE; i++) {
        float *poses = sample_clip(mannequin_clip(built, (mannequin_clip_id)i), SAMPLES, 1.0, false);
        for (uint32_t sample = 0; sample < SAMPLES; sample++) {
            for (uint32_t joint = 0; joint < lmb_rig_get_def(rig)->joint_count; joint++) {
                bool still = sample == 0 || mannequin_upper_body_mask(built)[joint] == 0;
                lmb_transform rest = lmb_rig_get_def(rig)->joints[joint].rest;
                for (uint32_t k = 0; still && k < LMB_POSE_COMPONENTS; k++) {
                    float expected = k < 3 ? rest.translation[k] : k < 7 ? rest.rotation[k - 3] : rest.scale[k - 7];
                    assert_float_equal(component(pose_of(poses, sample), k, joint), expected, 1e-6);
                }
            }
        }
        free(poses);
    }
}

// ---- Feet.

// Maps a point of the character's model space to the ground, `time` seconds after both were aligned.
static vector on_ground(vector p, mannequin_travel travel, double time) {
    double angle = travel.turn * time;
    double c = cos(angle);
    double s = sin(angle);
    return (vector){c * p.x + s * p.z + travel.left * time, p.y, c * p.z - s * p.x + travel.forward * time};
}

typedef struct contact {
    const char *joint;
    vector rest; // a point under the joint, in the rest pose's model space
} contact;

static const contact contacts[4] = {
    {"left_foot", {0.115, 0.0, -0.060}},
    {"left_toes", {0.118, 0.0, 0.125}},
    {"right_foot", {-0.115, 0.0, -0.060}},
    {"right_toes", {-0.118, 0.0, 0.125}},
};

// A point is planted while it is this close to the ground.
static const double touch = 0.006;

typedef struct stances {
    double largest_drift;
    uint32_t grounded; // samples with a planted point
} stances;

static vector contact_place(const contact *point, const placed *joints) {
    uint32_t joint = joint_named(point->joint);
    vector rest = {0};
    for (uint32_t i = joint; i != LMB_NONE; i = lmb_rig_get_def(mannequin_rig(built))->joints[i].parent) {
        lmb_transform t = lmb_rig_get_def(mannequin_rig(built))->joints[i].rest;
        rest = (vector){rest.x + t.translation[0], rest.y + t.translation[1], rest.z + t.translation[2]};
    }
    vector local = {point->rest.x - rest.x, point->rest.y - rest.y, point->rest.z - rest.z};
    return place_point(&joints[joint], local);
}

static stances watch_feet(mannequin_clip_id id) {
    const lmb_clip *clip = mannequin_clip(built, id);
    uint32_t count = CYCLES * SAMPLES + 1;
    float *poses = sample_clip(clip, count, CYCLES, true);
    stances result = {0};
    bool planted[4] = {false};
    vector start[4] = {0};
    for (uint32_t i = 0; i < count; i++) {
        placed joints[MOST_JOINTS];
        place_joints(pose_of(poses, i), joints);
        double time = CYCLES * (double)lmb_clip_get_info(clip)->duration * i / (count - 1);
        bool grounded = false;
        for (int k = 0; k < 4; k++) {
            vector p = on_ground(contact_place(&contacts[k], joints), mannequin_clip_travel(id), time);
            bool touches = p.y < touch;
            if (touches && planted[k]) {
                result.largest_drift = fmax(result.largest_drift, hypot(p.x - start[k].x, p.z - start[k].z));
            } else if (touches) {
                start[k] = p;
            }
            planted[k] = touches;
            grounded = grounded || touches;
        }
        result.grounded += grounded ? 1 : 0;
    }
    free(poses);
    return result;
}

static void a_planted_foot_stays(void **state) {
    (void)state;
    for (int i = 0; i <= MANNEQUIN_WAVE; i++) {
        stances seen = watch_feet((mannequin_clip_id)i);
        print_message("%-13s drift %.1f mm, grounded %.0f %%\n", mannequin_clip_name((mannequin_clip_id)i),
                      1000.0 * seen.largest_drift, 100.0 * seen.grounded / (CYCLES * SAMPLES + 1));
        assert_true(seen.largest_drift <= 0.02);
        if (i == MANNEQUIN_RUN || i == MANNEQUIN_JUMP) {
            // Running and jumping have a phase in the air and one on the ground.
            assert_in_range(seen.grounded, CYCLES * SAMPLES / 2, CYCLES * SAMPLES * 9 / 10);
        } else {
            assert_int_equal(seen.grounded, CYCLES * SAMPLES + 1);
        }
    }
}

static void clips_travel_as_they_are_called(void **state) {
    (void)state;
    assert_true(mannequin_clip_travel(MANNEQUIN_WALK).forward > 1.0f);
    assert_true(mannequin_clip_travel(MANNEQUIN_RUN).forward > 2.0f);
    assert_true(mannequin_clip_travel(MANNEQUIN_WALK_BACK).forward < -0.5f);
    assert_true(mannequin_clip_travel(MANNEQUIN_STRAFE_LEFT).left > 0.3f);
    assert_true(mannequin_clip_travel(MANNEQUIN_STRAFE_RIGHT).left < -0.3f);
    assert_true(mannequin_clip_travel(MANNEQUIN_TURN_LEFT).turn > 0.5f);
    assert_true(mannequin_clip_travel(MANNEQUIN_TURN_RIGHT).turn < -0.5f);
    assert_true(mannequin_clip_travel(MANNEQUIN_IDLE).forward == 0.0f);
}

// Returns the lowest point of the skin in any pose of a clip.
static double lowest_point(const lmb_mesh *mesh, const float *poses, uint32_t count) {
    const lmb_rig *rig = mannequin_rig(built);
    double lowest = 1.0;
    for (uint32_t i = 0; i < count; i++) {
        placed joints[MOST_JOINTS];
        place_joints(pose_of(poses, i), joints);
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            const lmb_vertex *vertex = &mesh->vertices[v];
            double height = 0.0;
            for (uint32_t k = 0; k < LMB_MAX_INFLUENCES && vertex->weights[k] > 0.0f; k++) {
                lmb_affine bind = lmb_rig_get_def(rig)->joints[vertex->joints[k]].inverse_bind;
                const float *p = vertex->position;
                // Rest rotations are the identity, so the inverse bind matrix is a translation.
                vector local = {p[0] + bind.m[0][3], p[1] + bind.m[1][3], p[2] + bind.m[2][3]};
                height += vertex->weights[k] * place_point(&joints[vertex->joints[k]], local).y;
            }
            lowest = fmin(lowest, height);
        }
    }
    return lowest;
}

static void nothing_goes_through_the_ground(void **state) {
    (void)state;
    lmb_error error;
    mannequin_skin *skin;
    assert_int_equal(mannequin_skin_create(2500, NULL, &skin, &error), LMB_OK);
    const uint32_t samples = 60 / suite_stride();
    for (int i = 0; i < MANNEQUIN_CLIP_COUNT; i++) {
        float *poses = sample_clip(mannequin_clip(built, (mannequin_clip_id)i), samples, 1.0, false);
        double lowest = 1.0;
        for (uint32_t m = 0; m < mannequin_skin_mesh_count(skin); m++) {
            lowest = fmin(lowest, lowest_point(mannequin_skin_mesh(skin, m), poses, samples));
        }
        print_message("%-13s lowest %.1f mm\n", mannequin_clip_name((mannequin_clip_id)i), 1000.0 * lowest);
        assert_true(lowest > -0.02);
        free(poses);
    }
    mannequin_skin_destroy(skin);
}

// ---- Hinges: knees and elbows bend about one axis, one way.

typedef struct hinge {
    const char *before, *joint, *after;
} hinge;

static vector rest_bone(const char *name) {
    lmb_transform t = lmb_rig_get_def(mannequin_rig(built))->joints[joint_named(name)].rest;
    return (vector){t.translation[0], t.translation[1], t.translation[2]};
}

// Computes the angle in degrees between the two bones at a hinge, 0 if straight, and the rotation away from the hinge's
// axis.
static void hinge_angle(const hinge *h, const float *pose, double *degrees, double *aside) {
    vector a = rest_bone(h->joint);
    vector b = rest_bone(h->after);
    vector axis = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    double length = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
    double dot = a.x * b.x + a.y * b.y + a.z * b.z;
    double rest = atan2(length, dot);
    axis = (vector){axis.x / length, axis.y / length, axis.z / length};
    uint32_t joint = joint_named(h->joint);
    double q[4];
    for (uint32_t k = 0; k < 4; k++) {
        q[k] = component(pose, 3 + k, joint);
    }
    double sign = q[3] < 0.0 ? -1.0 : 1.0;
    double along = sign * (q[0] * axis.x + q[1] * axis.y + q[2] * axis.z);
    *aside = sqrt(fmax(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - along * along, 0.0));
    *degrees = (2.0 * atan2(along, sign * q[3]) + rest) * 180.0 / 3.14159265358979;
}

static void knees_and_elbows_bend_as_they_can(void **state) {
    (void)state;
    static const hinge hinges[4] = {{"left_thigh", "left_shin", "left_foot"},
                                    {"right_thigh", "right_shin", "right_foot"},
                                    {"left_upper_arm", "left_forearm", "left_hand"},
                                    {"right_upper_arm", "right_forearm", "right_hand"}};
    for (int i = 0; i < MANNEQUIN_CLIP_COUNT; i++) {
        float *poses = sample_clip(mannequin_clip(built, (mannequin_clip_id)i), SAMPLES, 1.0, false);
        for (uint32_t sample = 0; sample < SAMPLES; sample++) {
            for (int k = 0; k < 4; k++) {
                double degrees;
                double aside;
                hinge_angle(&hinges[k], pose_of(poses, sample), &degrees, &aside);
                if (!(degrees > 1.0 && degrees < 150.0 && aside < 0.01)) {
                    print_error("%s at sample %u: %s by %.1f degrees, %.4f aside\n",
                                mannequin_clip_name((mannequin_clip_id)i), sample, hinges[k].joint, degrees, aside);
                }
                assert_true(degrees > 1.0 && degrees < 150.0 && aside < 0.01);
            }
        }
        free(poses);
    }
}

// Returns the distance between the nearest joints of the two hands.
static double hands_apart(const placed *joints) {
    static const char *const parts[2][3] = {{"left_hand", "left_fingers", "left_thumb"},
                                            {"right_hand", "right_fingers", "right_thumb"}};
    double nearest = 10.0;
    for (uint32_t i = 0; i < 9; i++) {
        const vector a = joints[joint_named(parts[0][i / 3])].position,
                     b = joints[joint_named(parts[1][i % 3])].position;
        const double square = (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z);
        nearest = fmin(nearest, sqrt(square));
    }
    return nearest;
}

// Fingers reach 0.10 m beyond their joint, and lean inwards.
static void hands_keep_apart(void **state) {
    (void)state;
    for (int id = 0; id < MANNEQUIN_CLIP_COUNT; id++) {
        enum { POSES = 49 };
        placed joints[MOST_JOINTS];
        double nearest = 10.0;
        float *poses = sample_clip(mannequin_clip(built, (mannequin_clip_id)id), POSES, 1.0, false);
        for (uint32_t i = 0; i < POSES; i++) {
            place_joints(pose_of(poses, i), joints);
            nearest = fmin(nearest, hands_apart(joints));
        }
        free(poses);
        if (nearest < 0.2) {
            fail_msg("%s: hands come as near as %g m", mannequin_clip_name((mannequin_clip_id)id), nearest);
        }
    }
}

// No joint turns faster than a person's joints, so nothing snaps.
static void nothing_snaps(void **state) {
    (void)state;
    uint32_t joints = lmb_rig_get_def(mannequin_rig(built))->joint_count;
    for (int i = 0; i < MANNEQUIN_CLIP_COUNT; i++) {
        const lmb_clip *clip = mannequin_clip(built, (mannequin_clip_id)i);
        float *poses = sample_clip(clip, SAMPLES, 1.0, false);
        double step = lmb_clip_get_info(clip)->duration / (SAMPLES - 1);
        for (uint32_t sample = 1; sample < SAMPLES; sample++) {
            for (uint32_t joint = 0; joint < joints; joint++) {
                double dot = 0.0;
                for (uint32_t k = 3; k < 7; k++) {
                    dot +=
                        component(pose_of(poses, sample - 1), k, joint) * component(pose_of(poses, sample), k, joint);
                }
                double speed = 2.0 * acos(fmin(fabs(dot), 1.0)) / step;
                if (speed > 20.0) {
                    print_error("%s at sample %u: %s turns at %.1f rad/s\n", mannequin_clip_name((mannequin_clip_id)i),
                                sample, lmb_rig_get_def(mannequin_rig(built))->joints[joint].name, speed);
                }
                assert_true(speed <= 20.0);
            }
        }
        free(poses);
    }
}

// ---- The skin.

static void check_vertex(const lmb_vertex *vertex) {
    double length = 0.0;
    for (int k = 0; k < 3; k++) {
        assert_true(isfinite(vertex->position[k]));
        length += (double)vertex->normal[k] * vertex->normal[k];
    }
    assert_float_equal(length, 1.0, 1e-5);
    double sum = 0.0;
    for (uint32_t k = 0; k < LMB_MAX_INFLUENCES; k++) {
        assert_in_range(vertex->joints[k], 0, lmb_rig_get_def(mannequin_rig(built))->joint_count - 1);
        assert_true(vertex->weights[k] >= 0.0f);
        assert_true(k == 0 || vertex->weights[k] <= vertex->weights[k - 1]);
        assert_true(vertex->weights[k] > 0.0f || vertex->joints[k] == 0);
        assert_true(k < 4 || vertex->weights[k] == 0.0f);
        sum += vertex->weights[k];
    }
    assert_float_equal(sum, 1.0, 1e-6);
    assert_true(vertex->position[1] > -1e-3f && vertex->position[1] < 1.8f);
}

// All meshes as one mesh, with vertices at the same position merged.
typedef struct whole {
    float (*points)[3];
    uint32_t point_count;
    uint32_t (*triangles)[3];
    uint32_t triangle_count;
} whole;

static uint32_t join_point(whole *body, uint32_t *table, const float position[3]) {
    uint32_t words[3];
    memcpy(words, position, sizeof words);
    uint32_t slot = (words[0] * 73856093u ^ words[1] * 19349663u ^ words[2] * 83492791u) % (4 * MOST_POINTS);
    while (table[slot] != 0) {
        if (memcmp(body->points[table[slot] - 1], position, sizeof words) == 0) {
            return table[slot] - 1;
        }
        slot = (slot + 1) % (4 * MOST_POINTS);
    }
    assert_true(body->point_count < MOST_POINTS);
    memcpy(body->points[body->point_count], position, sizeof words);
    table[slot] = ++body->point_count;
    return body->point_count - 1;
}

static void check_triangle(const lmb_mesh *mesh, const uint32_t *corners) {
    const lmb_vertex *v[3];
    for (int k = 0; k < 3; k++) {
        assert_in_range(corners[k], 0, mesh->vertex_count - 1);
        v[k] = &mesh->vertices[corners[k]];
    }
    double e[2][3];
    for (int k = 0; k < 3; k++) {
        e[0][k] = (double)v[1]->position[k] - v[0]->position[k];
        e[1][k] = (double)v[2]->position[k] - v[0]->position[k];
    }
    double n[3] = {e[0][1] * e[1][2] - e[0][2] * e[1][1], e[0][2] * e[1][0] - e[0][0] * e[1][2],
                   e[0][0] * e[1][1] - e[0][1] * e[1][0]};
    double outward = 0.0;
    for (int k = 0; k < 3; k++) {
        outward += n[k] * ((double)v[0]->normal[k] + v[1]->normal[k] + v[2]->normal[k]);
    }
    assert_true(outward > 0.0);
}

static whole join_meshes(const mannequin_skin *skin) {
    whole body = {.points = malloc(MOST_POINTS * sizeof(float[3])),
                  .triangles = malloc(2 * MOST_POINTS * sizeof(uint32_t[3]))};
    uint32_t *table = calloc(4 * MOST_POINTS, sizeof(uint32_t));
    for (uint32_t m = 0; m < mannequin_skin_mesh_count(skin); m++) {
        const lmb_mesh *mesh = mannequin_skin_mesh(skin, m);
        assert_true(mesh->vertex_count > 0 && mesh->index_count > 0);
        assert_int_equal(mesh->index_count % 3, 0);
        for (uint32_t i = 0; i < mesh->vertex_count; i++) {
            check_vertex(&mesh->vertices[i]);
        }
        for (uint32_t i = 0; i < mesh->index_count; i += 3) {
            check_triangle(mesh, mesh->indices + i);
            uint32_t *triangle = body.triangles[body.triangle_count++];
            for (uint32_t k = 0; k < 3; k++) {
                triangle[k] = join_point(&body, table, mesh->vertices[mesh->indices[i + k]].position);
            }
        }
    }
    free(table);
    return body;
}

static int compare_edges(const void *a, const void *b) {
    return memcmp(a, b, sizeof(uint32_t[2]));
}

// Every edge occurs once in each direction, and the counts of points, edges and triangles are those of a sphere.
static void check_closed(const whole *body) {
    uint32_t count = 3 * body->triangle_count;
    uint32_t(*edges)[2] = malloc(count * sizeof *edges);
    uint32_t(*turned)[2] = malloc(count * sizeof *turned);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = body->triangles[i / 3][i % 3];
        uint32_t to = body->triangles[i / 3][(i % 3 + 1) % 3];
        assert_int_not_equal(from, to);
        edges[i][0] = turned[i][1] = from;
        edges[i][1] = turned[i][0] = to;
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    qsort(turned, count, sizeof *turned, compare_edges);
    for (uint32_t i = 1; i < count; i++) {
        assert_memory_not_equal(edges[i - 1], edges[i], sizeof edges[i]);
    }
    assert_memory_equal(edges, turned, count * sizeof *edges);
    assert_int_equal((int)body->point_count - (int)count / 2 + (int)body->triangle_count, 2);
    free(edges);
    free(turned);
}

// All rest rotations are the identity, so a joint's space is model space with a translation.
static void check_radii(const mannequin *figure, const mannequin_skin *skin) {
    const lmb_rig *rig = mannequin_rig(figure);
    for (uint32_t m = 0; m < mannequin_skin_mesh_count(skin); m++) {
        const lmb_mesh *mesh = mannequin_skin_mesh(skin, m);
        for (uint32_t i = 0; i < mesh->vertex_count * LMB_MAX_INFLUENCES; i++) {
            const lmb_vertex *vertex = &mesh->vertices[i / LMB_MAX_INFLUENCES];
            const uint32_t joint = vertex->joints[i % LMB_MAX_INFLUENCES];
            const lmb_affine bind = lmb_rig_get_def(rig)->joints[joint].inverse_bind;
            double square = 0.0;
            for (int k = 0; k < 3; k++) {
                const double offset = (double)vertex->position[k] + (double)bind.m[k][3];
                square += offset * offset;
            }
            assert_true(vertex->weights[i % LMB_MAX_INFLUENCES] == 0.0f ||
                        sqrt(square) <= (double)lmb_rig_get_def(rig)->joints[joint].radius);
        }
    }
    static const char *const sockets[] = {"hat", "back", "left_palm", "right_palm"};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(lmb_rig_find_socket(rig, sockets[i]), i);
    }
}

static void check_skin(uint32_t vertices) {
    lmb_error error;
    mannequin_skin *skin;
    assert_int_equal(mannequin_skin_create(vertices, NULL, &skin, &error), LMB_OK);
    check_radii(built, skin);
    whole body = join_meshes(skin);
    print_message("asked for %u vertices: %u points, %u triangles\n", vertices, body.point_count, body.triangle_count);
    assert_in_range(body.point_count, vertices / 2, 3 * vertices / 2);
    check_closed(&body);
    float highest = 0.0f;
    for (uint32_t i = 0; i < body.point_count; i++) {
        highest = fmaxf(highest, body.points[i][1]);
    }
    assert_in_range((int)(100.0f * highest), 175, 180);
    assert_null(mannequin_skin_mesh(skin, mannequin_skin_mesh_count(skin)));
    free(body.points);
    free(body.triangles);
    mannequin_skin_destroy(skin);
}

static void the_skin_is_closed_at_every_resolution(void **state) {
    (void)state;
    check_skin(MANNEQUIN_VERTICES_LOW);
    if (suite_stride() == 1) {
        check_skin(MANNEQUIN_VERTICES_MEDIUM);
        check_skin(MANNEQUIN_VERTICES_HIGH);
    }
}

// ---- The face.

// Its joints have the mannequin's names and other places, and its soles are on the ground.
static void a_child_has_other_proportions(void **state) {
    (void)state;
    lmb_error error;
    mannequin *child;
    mannequin_skin *skin;
    assert_int_equal(mannequin_create_child(NULL, &child, &error), LMB_OK);
    assert_true(mannequin_is_child(child) && !mannequin_is_child(built));
    assert_int_equal(mannequin_clip_count(child), 0);
    assert_null(mannequin_clip(child, MANNEQUIN_WALK));
    assert_int_equal(lmb_rig_get_def(mannequin_rig(child))->joint_count,
                     lmb_rig_get_def(mannequin_rig(built))->joint_count);
    for (uint32_t i = 0; i < lmb_rig_get_def(mannequin_rig(child))->joint_count; i++) {
        assert_string_equal(lmb_rig_get_def(mannequin_rig(child))->joints[i].name,
                            lmb_rig_get_def(mannequin_rig(built))->joints[i].name);
    }
    assert_int_equal(mannequin_skin_create_of(child, MANNEQUIN_VERTICES_LOW, NULL, &skin, &error), LMB_OK);
    check_radii(child, skin);
    whole body = join_meshes(skin);
    check_closed(&body);
    float highest = 0.0f, lowest = 1.0f;
    for (uint32_t i = 0; i < body.point_count; i++) {
        highest = fmaxf(highest, body.points[i][1]);
        lowest = fminf(lowest, body.points[i][1]);
    }
    assert_true(highest > 1.10f && highest < 1.20f);
    assert_true(fabsf(lowest) < 0.002f);
    free(body.points);
    free(body.triangles);
    mannequin_skin_destroy(skin);
    mannequin_destroy(child);
}

static void a_face_adds_joints_channels_and_clips(void **state) {
    (void)state;
    static const char *const channels[] = {"smile", "open", "blink", "brows"};
    mannequin *figure;
    lmb_error error;
    assert_int_equal(mannequin_create_with_face(NULL, &figure, &error), LMB_OK);
    const lmb_rig *rig = mannequin_rig(figure), *plain = mannequin_rig(built);
    const uint32_t count = lmb_rig_get_def(plain)->joint_count;
    assert_int_equal(lmb_rig_get_def(rig)->joint_count, count + 2);
    for (uint32_t i = 0; i < count; i++) {
        assert_string_equal(lmb_rig_get_def(rig)->joints[i].name, lmb_rig_get_def(plain)->joints[i].name);
    }
    assert_int_equal(lmb_rig_find_joint(rig, "left_eye"), count);
    assert_int_equal(lmb_rig_get_def(rig)->joints[count + 1].parent, lmb_rig_find_joint(rig, "head"));
    assert_int_equal(mannequin_upper_body_mask(figure)[count + 1], 255);
    assert_int_equal(lmb_rig_get_def(rig)->channel_count, 4);
    assert_int_equal(lmb_rig_get_def(plain)->channel_count, 0);
    assert_int_equal(mannequin_clip_count(built), MANNEQUIN_CLIP_COUNT);
    assert_int_equal(mannequin_clip_count(figure), MANNEQUIN_CLIP_COUNT + 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(lmb_rig_get_def(rig)->channels[i].name, channels[i]);
        assert_string_equal(
            lmb_clip_get_info(mannequin_clip(figure, (mannequin_clip_id)(MANNEQUIN_CLIP_COUNT + i)))->name,
            channels[i]);
    }
    assert_null(mannequin_clip(figure, (mannequin_clip_id)(MANNEQUIN_CLIP_COUNT + 4)));
    mannequin_destroy(figure);
}

// The meshes and their targets can be skinned; an expression moves a vertex by a few centimetres at most.
static void a_face_has_morph_targets(void **state) {
    (void)state;
    mannequin_skin *skin;
    lmb_error error;
    assert_int_equal(mannequin_skin_create_with_face(MANNEQUIN_VERTICES_LOW, NULL, &skin, &error), LMB_OK);
    assert_int_equal(mannequin_skin_mesh_count(skin), 7);
    assert_null(mannequin_skin_mesh(skin, 7));
    uint32_t moved[4] = {0};
    for (uint32_t m = 0; m < 7; m++) {
        const lmb_mesh *mesh = mannequin_skin_mesh(skin, m);
        const uint32_t stride = sizeof *mesh->vertices;
        lmb_skin_def def = lmb_default_skin_def();
        def.name = mesh->name;
        def.joint_count = lmb_rig_get_def(mannequin_rig(built))->joint_count + 2;
        def.vertex_count = mesh->vertex_count;
        def.positions = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, mesh->vertices->position, stride};
        def.normals = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, mesh->vertices->normal, stride};
        def.joints = (lmb_skin_attribute){LMB_SKIN_FORMAT_UINT32, mesh->vertices->joints, stride};
        def.weights = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, mesh->vertices->weights, stride};
        def.targets = mesh->targets;
        def.target_count = mesh->target_count;
        def.channel_count = 4;
        lmb_skin *made;
        assert_int_equal(lmb_skin_create(&def, NULL, &made, &error), LMB_OK);
        lmb_skin_destroy(made);
        for (uint32_t i = 0; i < mesh->index_count; i += 3) {
            check_triangle(mesh, mesh->indices + i);
        }
        for (uint32_t t = 0; t < mesh->target_count; t++) {
            moved[mesh->targets[t].channel] += mesh->targets[t].delta_count;
            for (uint32_t i = 0; i < mesh->targets[t].delta_count; i++) {
                const float *way = mesh->targets[t].deltas[i].position;
                assert_true(hypot(hypot(way[0], way[1]), way[2]) < 0.03);
            }
        }
    }
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(moved[i] > 8);
    }
    mannequin_skin_destroy(skin);
}

// ---- Memory.

typedef struct memory {
    uint32_t left; // allocations that still succeed
    uint32_t alive;
} memory;

static void *allocate(void *user, size_t size) {
    memory *m = user;
    if (m->left == 0) {
        return NULL;
    }
    m->left--;
    m->alive++;
    return malloc(size);
}

static void release(void *user, void *block) {
    memory *m = user;
    m->alive--;
    free(block);
}

static void without_memory_there_is_an_error_and_no_leak(void **state) {
    (void)state;
    lmb_result result = LMB_ERROR_MEMORY;
    for (uint32_t granted = 0; result != LMB_OK; granted++) {
        memory m = {.left = granted};
        lmb_host host = {.allocate = allocate, .release = release, .user = &m};
        mannequin *made = NULL;
        lmb_error error = {0};
        result = mannequin_create_with_face(&host, &made, &error);
        assert_true(result == LMB_OK || (result == LMB_ERROR_MEMORY && error.message[0] != 0 && made == NULL));
        mannequin_destroy(made);
        assert_int_equal(m.alive, 0);
    }
}

static void without_memory_there_is_no_skin(void **state) {
    (void)state;
    // Each of the seven meshes takes one or more allocations.
    for (uint32_t granted = 0; granted < 18 + 5 + 4 * 7; granted++) {
        memory m = {.left = granted};
        lmb_host host = {.allocate = allocate, .release = release, .user = &m};
        mannequin_skin *made = NULL;
        lmb_error error = {0};
        assert_int_equal(mannequin_skin_create_with_face(MANNEQUIN_VERTICES_LOW, &host, &made, &error),
                         LMB_ERROR_MEMORY);
        assert_int_equal(error.result, LMB_ERROR_MEMORY);
        assert_null(made);
        assert_int_equal(m.alive, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_rig_is_a_person),
                                       cmocka_unit_test(every_clip_has_a_name_and_out_of_range_there_is_none),
                                       cmocka_unit_test(every_clip_loops_but_the_parts_of_the_jump),
                                       cmocka_unit_test(parts_of_the_jump_meet),
                                       cmocka_unit_test(additive_clips_start_at_rest_and_spare_the_legs),
                                       cmocka_unit_test(a_planted_foot_stays),
                                       cmocka_unit_test(clips_travel_as_they_are_called),
                                       cmocka_unit_test(nothing_goes_through_the_ground),
                                       cmocka_unit_test(knees_and_elbows_bend_as_they_can),
                                       cmocka_unit_test(hands_keep_apart),
                                       cmocka_unit_test(nothing_snaps),
                                       cmocka_unit_test(the_skin_is_closed_at_every_resolution),
                                       cmocka_unit_test(a_child_has_other_proportions),
                                       cmocka_unit_test(a_face_adds_joints_channels_and_clips),
                                       cmocka_unit_test(a_face_has_morph_targets),
                                       cmocka_unit_test(without_memory_there_is_an_error_and_no_leak),
                                       cmocka_unit_test(without_memory_there_is_no_skin)};
    return cmocka_run_group_tests(tests, build, tear_down);
}
