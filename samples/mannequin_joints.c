// The table of the mannequin's joints and sockets.
#include "mannequin_joints.h"

#include "mannequin_child.h"
#include "mannequin_face.h"

enum { MOST_CHANNELS = FACE_CHANNELS };

typedef struct rest_joint {
    const char *name;
    uint32_t parent;
    vec3 rest;
    double radius; // around the joint; contains the skin bound to it
} rest_joint;

// clang-format off
static const rest_joint JOINTS[JOINT_COUNT] = {
    {"root", LMB_NONE, {0.0, 0.0, 0.0}, 0.00},
    {"pelvis", ROOT, {0.0, 0.955, -0.005}, 0.21},
    {"spine_lower", PELVIS, {0.0, 1.060, -0.005}, 0.24},
    {"spine_upper", SPINE_LOWER, {0.0, 1.175, -0.010}, 0.28},
    {"chest", SPINE_UPPER, {0.0, 1.290, -0.020}, 0.48},
    {"neck", CHEST, {0.0, 1.490, -0.025}, 0.22},
    {"head", NECK, {0.0, 1.585, -0.005}, 0.21},
    {"left_clavicle", CHEST, {0.030, 1.440, 0.010}, 0.32},
    {"left_shoulder", LEFT_ARM + CLAVICLE, {0.182, 1.418, -0.015}, 0.20},
    {"left_upper_arm", LEFT_ARM + CLAVICLE, {0.182, 1.418, -0.015}, 0.35},
    {"left_forearm", LEFT_ARM + UPPER_ARM, {0.380, 1.202, -0.025}, 0.30},
    {"left_hand", LEFT_ARM + FOREARM, {0.549, 1.016, 0.015}, 0.13},
    {"left_fingers", LEFT_ARM + HAND, {0.608, 0.948, 0.031}, 0.10},
    {"left_thumb", LEFT_ARM + HAND, {0.567, 0.996, 0.047}, 0.09},
    {"right_clavicle", CHEST, {-0.030, 1.440, 0.010}, 0.32},
    {"right_shoulder", RIGHT_ARM + CLAVICLE, {-0.182, 1.418, -0.015}, 0.20},
    {"right_upper_arm", RIGHT_ARM + CLAVICLE, {-0.182, 1.418, -0.015}, 0.35},
    {"right_forearm", RIGHT_ARM + UPPER_ARM, {-0.380, 1.202, -0.025}, 0.30},
    {"right_hand", RIGHT_ARM + FOREARM, {-0.549, 1.016, 0.015}, 0.13},
    {"right_fingers", RIGHT_ARM + HAND, {-0.608, 0.948, 0.031}, 0.10},
    {"right_thumb", RIGHT_ARM + HAND, {-0.567, 0.996, 0.047}, 0.09},
    {"left_thigh", PELVIS, {0.090, 0.925, 0.000}, 0.49},
    {"left_shin", LEFT_LEG + THIGH, {0.103, 0.497, 0.012}, 0.49},
    {"left_foot", LEFT_LEG + SHIN, {0.115, 0.080, -0.015}, 0.19},
    {"left_toes", LEFT_LEG + FOOT, {0.118, 0.020, 0.115}, 0.10},
    {"right_thigh", PELVIS, {-0.090, 0.925, 0.000}, 0.49},
    {"right_shin", RIGHT_LEG + THIGH, {-0.103, 0.497, 0.012}, 0.49},
    {"right_foot", RIGHT_LEG + SHIN, {-0.115, 0.080, -0.015}, 0.19},
    {"right_toes", RIGHT_LEG + FOOT, {-0.118, 0.020, 0.115}, 0.10},
};
// clang-format on

static const struct {
    const char *name;
    uint32_t joint;
    vec3 offset;
} SOCKETS[] = {
    {"hat", HEAD, {0.0, 0.195, 0.0}},
    {"back", CHEST, {0.0, 0.05, -0.14}},
    {"left_palm", LEFT_ARM + HAND, {0.030, -0.034, 0.008}},
    {"right_palm", RIGHT_ARM + HAND, {-0.030, -0.034, 0.008}},
};
enum { SOCKET_COUNT = sizeof SOCKETS / sizeof SOCKETS[0] };

const vec3 LEFT_FINGER_TIP = {0.652, 0.872, 0.043};
const vec3 LEFT_THUMB_TIP = {0.594, 0.948, 0.109};

vec3 joint_rest(uint32_t joint) {
    return JOINTS[joint].rest;
}

uint32_t joint_parent(uint32_t joint) {
    return JOINTS[joint].parent;
}

const char *joint_name(uint32_t joint) {
    return JOINTS[joint].name;
}

const char *joints_step_channel(uint32_t side) {
    return side == 0 ? "left_planted" : "right_planted";
}

// Returns the number of channels.
static uint32_t make_channels(joints_kind kind, lmb_channel_def channels[MOST_CHANNELS]) {
    const uint32_t count = kind == JOINTS_WITH_FACE ? FACE_CHANNELS : kind == JOINTS_WITH_STEPS ? 2 : 0;
    for (uint32_t i = 0; i < count; i++) {
        channels[i] = lmb_default_channel_def();
        channels[i].name = kind == JOINTS_WITH_FACE ? face_channel_name(i) : joints_step_channel(i);
    }
    return count;
}

static void set_translation(lmb_transform *transform, vec3 offset) {
    transform->translation[0] = (float)offset.x;
    transform->translation[1] = (float)offset.y;
    transform->translation[2] = (float)offset.z;
}

lmb_result joints_create_rig(joints_kind kind, const lmb_host *host, lmb_rig **rig, lmb_error *error) {
    const bool has_face = kind == JOINTS_WITH_FACE, is_child = kind == JOINTS_OF_CHILD;
    lmb_joint_def joints[FACE_JOINT_COUNT];
    lmb_channel_def channels[MOST_CHANNELS];
    for (uint32_t i = 0; i < JOINT_COUNT; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = JOINTS[i].name;
        joints[i].parent = JOINTS[i].parent;
        vec3 offset = is_child ? child_rest(i) : JOINTS[i].rest;
        if (JOINTS[i].parent != LMB_NONE) {
            offset = vec3_subtract(offset, is_child ? child_rest(JOINTS[i].parent) : JOINTS[JOINTS[i].parent].rest);
        }
        set_translation(&joints[i].rest, offset);
        joints[i].radius = (float)JOINTS[i].radius;
    }
    lmb_socket_def sockets[SOCKET_COUNT];
    for (uint32_t i = 0; i < SOCKET_COUNT; i++) {
        sockets[i] = lmb_default_socket_def();
        sockets[i].name = SOCKETS[i].name;
        sockets[i].joint = SOCKETS[i].joint;
        const double scale = is_child ? child_scale(SOCKETS[i].joint) : 1.0;
        set_translation(&sockets[i].local, vec3_scale(SOCKETS[i].offset, scale));
    }
    for (uint32_t i = JOINT_COUNT; has_face && i < FACE_JOINT_COUNT; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = i == LEFT_EYE ? "left_eye" : "right_eye";
        joints[i].parent = HEAD;
        set_translation(&joints[i].rest, vec3_subtract(face_eye(i), joint_rest(HEAD)));
        joints[i].radius = 0.03f;
    }
    lmb_rig_def def = {.joints = joints,
                       .joint_count = has_face ? FACE_JOINT_COUNT : JOINT_COUNT,
                       .sockets = sockets,
                       .socket_count = SOCKET_COUNT,
                       .channels = channels,
                       .channel_count = make_channels(kind, channels)};
    return lmb_rig_create(&def, host, rig, error);
}
