// A figure: the mannequin's posture in the terms an animator uses, from which its joints' rotations follow.
#ifndef LIMBER_SAMPLES_MANNEQUIN_FIGURE_H
#define LIMBER_SAMPLES_MANNEQUIN_FIGURE_H

#include "mannequin_motion.h"

// Radians; the turn of a part of the body in model space. Positive: to the left, bowed forward, tilted to the right.
typedef struct figure_turn {
    double yaw, pitch, roll;
} figure_turn;

typedef struct figure_arm {
    double swing;   // forward, from hanging
    double spread;  // outwards, from hanging
    double outward; // turn about the upper arm: the thumb goes outwards
    double elbow;   // flexion beyond the rest pose
    double curl;    // of the fingers
    double shrug;   // of the collar bone
} figure_arm;

// A foot stands with its whole sole on the ground at (x, z), the point below its ankle, and from there rolls: over the
// ball with the heel up (positive `roll`; the toes stay down), over the heel with the toes up (negative).
typedef struct figure_foot {
    double x, z, yaw, roll;
    double lift; // of all of it
} figure_foot;

enum { FIGURE_LEFT, FIGURE_RIGHT };

typedef struct figure {
    vec3 pelvis; // from where it rests
    figure_turn hips, chest, head;
    figure_arm arms[2];
    figure_foot feet[2];
} figure;

// Where the ankles rest, to the left and the right of the middle and forward of the root.
#define FIGURE_FOOT_X 0.115
#define FIGURE_FOOT_Z -0.015

// Upright on both feet, with the arms hanging.
figure figure_standing(void);

// Solves the spine by shares and the legs by inverse kinematics.
void figure_pose(const figure *figure, motion_pose *pose);

void figure_rest(motion_pose *pose);

#endif
