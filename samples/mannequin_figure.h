// A figure: the mannequin's posture in an animator's terms. The joints' rotations are computed from it.
#ifndef LIMBER_SAMPLES_MANNEQUIN_FIGURE_H
#define LIMBER_SAMPLES_MANNEQUIN_FIGURE_H

#include "mannequin_motion.h"

// The rotation of a body part in model space, in radians. Positive: to the left, bent forward, tilted to the right.
typedef struct figure_turn {
    double yaw, pitch, roll;
} figure_turn;

typedef struct figure_arm {
    double swing;   // forward, from hanging down
    double spread;  // outwards, from hanging down
    double outward; // rotation about the upper arm: the thumb turns outwards
    double elbow;   // flexion beyond the rest pose
    double curl;    // of the fingers
    double shrug;   // of the collar bone
} figure_arm;

// A foot stands with its whole sole on the ground at (x, z), the point below its ankle, and rolls from there. With a
// positive `roll` it rolls over the ball: the heel is up, and the toes stay down. With a negative one it rolls over the
// heel: the toes are up.
typedef struct figure_foot {
    double x, z, yaw, roll;
    double lift; // of the whole foot
} figure_foot;

enum { FIGURE_LEFT, FIGURE_RIGHT };

typedef struct figure {
    vec3 pelvis; // relative to the rest position
    figure_turn hips, chest, head;
    figure_arm arms[2];
    figure_foot feet[2];
} figure;

// Rest positions of the ankles: to the left and right of the middle, and forward of the root.
#define FIGURE_FOOT_X 0.115
#define FIGURE_FOOT_Z -0.015

// Returns an upright figure on both feet, with its arms hanging down.
figure figure_standing(void);

// Computes the pose: the spine by sharing rotations among its joints, the legs by inverse kinematics.
void figure_pose(const figure *figure, motion_pose *pose);

void figure_rest(motion_pose *pose);

#endif
