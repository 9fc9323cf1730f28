// The nodes have the mannequin's proportions. Targets are within reach or just out of it, slopes are moderate, and each
// character is at a phase of its own. So no branch of an operation is always or never taken.
#include "node.h"

#include <limber/batch.h>

#include <math.h>
#include <stdio.h>

enum { MOST_NODE_PARAMETERS = 12 };

uint32_t node_parameter_count(workload_kind kind) {
    switch (kind) {
    case WORKLOAD_IK_TWO_BONE:
    case WORKLOAD_IK_AIM:
        return 3; // the target
    case WORKLOAD_FOOT_PLACEMENT:
        return 6; // for each foot the height of the ground and two components of its normal
    case WORKLOAD_STRIDE:
        return 7; // and the speed
    case WORKLOAD_FOOT_LOCK:
        return 9; // and whether each foot is planted, and the time
    case WORKLOAD_CHAIN:
    case WORKLOAD_OVERRIDE:
        return 1; // time; weight
    default:
        return 0;
    }
}

// The mannequin's joints, by name.
typedef struct finder {
    const lmb_rig *rig;
    const char *missing;
} finder;

static uint32_t find(finder *finder, const char *name) {
    const uint32_t joint = lmb_rig_find_joint(finder->rig, name);
    finder->missing = joint == LMB_NONE ? name : finder->missing;
    return joint;
}

static void make_target(uint32_t first_parameter, lmb_value target[3]) {
    for (uint32_t i = 0; i < 3; i++) {
        target[i] = lmb_parameter(first_parameter + i);
    }
}

// The elbow's axis is perpendicular to both bones in the rest pose, and the arm opens about it.
static lmb_node_def make_two_bone(finder *finder, uint32_t base, uint32_t first_parameter) {
    static const float axis[3] = {0.7375f, 0.6750f, 0.0228f};
    lmb_value target[3];
    make_target(first_parameter, target);
    lmb_node_def node = lmb_two_bone_node(base, find(finder, "left_upper_arm"), find(finder, "left_forearm"),
                                          find(finder, "left_hand"), target);
    for (uint32_t i = 0; i < 3; i++) {
        node.two_bone.mid_axis[i] = axis[i];
    }
    node.two_bone.pole[2] = lmb_constant(-1.0f);
    return node;
}

static lmb_node_def make_aim(finder *finder, uint32_t base, uint32_t first_parameter) {
    lmb_value target[3];
    make_target(first_parameter, target);
    lmb_node_def node = lmb_aim_node(base, find(finder, "head"), (const float[3]){0.0f, 0.0f, 1.0f}, target);
    node.aim.offset[1] = 0.08f;
    node.aim.offset[2] = 0.1f;
    return node;
}

static lmb_node_def make_feet(finder *finder, uint32_t base, uint32_t first_parameter) {
    static const char *const names[2][3] = {{"left_thigh", "left_shin", "left_foot"},
                                            {"right_thigh", "right_shin", "right_foot"}};
    lmb_foot_def feet[2];
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t first = first_parameter + 3 * i;
        feet[i] = lmb_default_foot_def();
        feet[i].hip = find(finder, names[i][0]);
        feet[i].knee = find(finder, names[i][1]);
        feet[i].ankle = find(finder, names[i][2]);
        feet[i].knee_axis[0] = -1.0f;
        feet[i].knee_axis[2] = 0.0f;
        feet[i].ground[1] = lmb_parameter(first);
        feet[i].normal[0] = lmb_parameter(first + 1);
        feet[i].normal[2] = lmb_parameter(first + 2);
    }
    return lmb_foot_placement_node(base, find(finder, "pelvis"), feet, 2);
}

// The clips move at about 1.5 m/s.
static lmb_node_def make_stride(finder *finder, uint32_t base, uint32_t first_parameter) {
    lmb_node_def node = make_feet(finder, base, first_parameter);
    node.feet.speed = lmb_parameter(first_parameter + 6);
    node.feet.clip_speed = lmb_constant(1.5f);
    node.feet.direction[2] = lmb_constant(1.0f);
    return node;
}

static lmb_node_def make_locked_feet(finder *finder, uint32_t base, uint32_t first_parameter) {
    lmb_node_def node = make_feet(finder, base, first_parameter);
    node.feet.feet[0].planted = lmb_parameter(first_parameter + 6);
    node.feet.feet[1].planted = lmb_parameter(first_parameter + 7);
    node.feet.time = lmb_parameter(first_parameter + 8);
    node.feet.lock_distance = 0.5f;
    node.feet.ground_half_life = 0.05f;
    node.feet.pelvis_half_life = 0.05f;
    return node;
}

static lmb_node_def make_override(uint32_t base, uint32_t first_parameter) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_OVERRIDE;
    node.input_count = 1;
    node.inputs[0] = base;
    node.mask = 0; // the upper body
    node.weight = lmb_parameter(first_parameter);
    return node;
}

lmb_result node_make(workload_kind kind, const lmb_rig *rig, uint32_t base, uint32_t first_parameter,
                     lmb_node_def *node, lmb_error *error) {
    finder finder = {rig, NULL};
    switch (kind) {
    case WORKLOAD_IK_TWO_BONE:
        *node = make_two_bone(&finder, base, first_parameter);
        break;
    case WORKLOAD_IK_AIM:
        *node = make_aim(&finder, base, first_parameter);
        break;
    case WORKLOAD_FOOT_PLACEMENT:
        *node = make_feet(&finder, base, first_parameter);
        break;
    case WORKLOAD_STRIDE:
        *node = make_stride(&finder, base, first_parameter);
        break;
    case WORKLOAD_FOOT_LOCK:
        *node = make_locked_feet(&finder, base, first_parameter);
        break;
    case WORKLOAD_TWIST: // along the arm's bone
        *node = lmb_twist_node(base, find(&finder, "left_upper_arm"), (const float[3]){0.198f, -0.216f, -0.01f},
                               find(&finder, "left_shoulder"), 0.5f);
        break;
    case WORKLOAD_CHAIN:
        *node = lmb_chain_node(base, find(&finder, "left_upper_arm"), find(&finder, "left_fingers"),
                               lmb_parameter(first_parameter));
        break;
    default:
        *node = make_override(base, first_parameter);
        break;
    }
    if (finder.missing != NULL) {
        error->result = LMB_ERROR_ARGUMENT;
        snprintf(error->message, sizeof error->message, "%s needs the joint '%s', which the mannequin has",
                 workload_kind_name(kind), finder.missing);
        return error->result;
    }
    return LMB_OK;
}

// Points move on circles once in two seconds.
void node_fill(workload_kind kind, float phase, uint32_t frame, float *values) {
    const float time = (float)(frame % 61440) / 60.0f, angle = 6.2831853f * phase + 3.1415927f * time;
    const float c = cosf(angle), s = sinf(angle);
    switch (kind) {
    case WORKLOAD_IK_TWO_BONE: // in front of the body, within reach and just out of it
        values[0] = 0.25f + 0.15f * c;
        values[1] = 1.25f + 0.15f * s;
        values[2] = 0.35f;
        break;
    case WORKLOAD_IK_AIM: // a few steps ahead
        values[0] = 2.0f * c;
        values[1] = 1.4f + 0.6f * s;
        values[2] = 3.0f;
        break;
    case WORKLOAD_FOOT_PLACEMENT: // a slope of up to 14 degrees
    case WORKLOAD_STRIDE:
    case WORKLOAD_FOOT_LOCK:
        for (uint32_t foot = 0; foot < 2; foot++) {
            values[3 * foot] = foot == 0 ? 0.1f * c : -0.1f * s;
            values[3 * foot + 1] = 0.25f * s;
            values[3 * foot + 2] = 0.25f * c;
        }
        if (kind == WORKLOAD_STRIDE) { // from half the speed of the clips to one and a half of it
            values[6] = 1.5f + 0.75f * c;
        } else if (kind == WORKLOAD_FOOT_LOCK) {
            values[6] = c > 0.0f ? 1.0f : 0.0f;
            values[7] = 1.0f - values[6];
            values[8] = time;
        }
        break;
    case WORKLOAD_CHAIN:
        values[0] = time;
        break;
    case WORKLOAD_OVERRIDE:
        values[0] = 0.5f + 0.4f * c;
        break;
    default:
        break;
    }
}

void node_fill_pose(const lmb_rig *rig, float phase, float *pose) {
    const uint32_t joints = lmb_rig_get_def(rig)->joint_count;
    const float half_angle = 0.5f * phase;
    for (uint32_t joint = 0; joint < joints; joint++) {
        lmb_transform turned = lmb_rig_get_def(rig)->joints[joint].rest;
        turned.rotation[0] = sinf(half_angle);
        turned.rotation[1] = 0.0f;
        turned.rotation[2] = 0.0f;
        turned.rotation[3] = cosf(half_angle);
        const float *components = (const float *)&turned;
        for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
            pose[i * joints + joint] = components[i];
        }
    }
}
