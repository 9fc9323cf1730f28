// The mannequin's joints and their rest positions.
#ifndef LIMBER_SAMPLES_MANNEQUIN_JOINTS_H
#define LIMBER_SAMPLES_MANNEQUIN_JOINTS_H

#include "mannequin_math.h"

#include <limber/rig.h>

enum {
    ROOT, // on the ground between the feet
    PELVIS,
    SPINE_LOWER,
    SPINE_UPPER,
    CHEST,
    NECK,
    HEAD,
    LEFT_ARM,
    RIGHT_ARM = LEFT_ARM + 7,
    LEFT_LEG = RIGHT_ARM + 7,
    RIGHT_LEG = LEFT_LEG + 4,
    JOINT_COUNT = RIGHT_LEG + 4
};

// Offsets from LEFT_ARM or RIGHT_ARM. SHOULDER has the position of UPPER_ARM and rotates half as far, which keeps the
// skin round there.
enum { CLAVICLE, SHOULDER, UPPER_ARM, FOREARM, HAND, FINGERS, THUMB };

// Offsets from LEFT_LEG or RIGHT_LEG.
enum { THIGH, SHIN, FOOT, TOES };

// Rest positions are in model space. All rest rotations are the identity.
vec3 joint_rest(uint32_t joint);
uint32_t joint_parent(uint32_t joint);
const char *joint_name(uint32_t joint);

// The tips of the left hand's fingers and thumb in the rest pose.
extern const vec3 LEFT_FINGER_TIP;
extern const vec3 LEFT_THUMB_TIP;

typedef enum joints_kind {
    JOINTS_PLAIN,
    JOINTS_WITH_FACE,  // with the joints of the eyes and the channels of mannequin_face.h
    JOINTS_WITH_STEPS, // with channels that say which foot stands
    JOINTS_OF_CHILD    // of mannequin_child.h
} joints_kind;

// The channel that is 1 while a foot stands on the ground with all of its sole: of the left foot, and of the right.
const char *joints_step_channel(uint32_t side);

lmb_result joints_create_rig(joints_kind kind, const lmb_host *host, lmb_rig **rig, lmb_error *error);

#endif
