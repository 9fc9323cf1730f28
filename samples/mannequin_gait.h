// Gaits: walking, running, stepping. One cycle of steps: the left foot lands at phase 0, the right one at 1/2.
#ifndef LIMBER_SAMPLES_MANNEQUIN_GAIT_H
#define LIMBER_SAMPLES_MANNEQUIN_GAIT_H

#include "mannequin_figure.h"

#define DEGREES (PI / 180.0)

enum { GAIT_KEYS = 10 };

// A curve over the phase since a foot landed.
typedef struct gait_curve {
    size_t count;
    curve_key keys[GAIT_KEYS];
} gait_curve;

typedef struct gait {
    mannequin_travel travel;
    double duration;            // seconds
    double duty;                // share of the cycle in which a foot is on the ground
    double behind;              // how far the middle of the stance is behind the hips
    double apart;               // distance of each foot from the middle, to the side
    double toe_out;             // degrees
    gait_curve roll;            // of the foot, degrees
    gait_curve lift;            // of the foot, metres
    double height;              // of the pelvis, relative to its rest position
    double bob, lowest;         // half the pelvis' vertical movement; the phase at which it is lowest
    double sway;                // half its movement to the sides, towards the standing foot
    double hip_yaw, hip_roll;   // degrees: the hip of the landing foot is ahead; that of the standing foot is up
    double hip_pitch;           // degrees
    double chest_yaw;           // degrees, opposite to the hips
    double lean;                // of the chest forward, degrees
    double look;                // of the head to the side, degrees
    double swing, swing_middle; // of the arms, degrees
    double elbow, elbow_swing;  // degrees; more if the arm is ahead
    double spread;              // of the arms, degrees
} gait;

// GAIT_STRAFE goes to the left; the gait to the right is its mirror image, half a cycle later.
extern const gait GAIT_WALK, GAIT_RUN, GAIT_WALK_BACK, GAIT_STRAFE, GAIT_TURN;

// A curve at a phase of the cycle.
double gait_value(const gait_curve *curve, double phase);
// An arm at the phase of the foot on its side.
figure_arm gait_arm(const gait *gait, double phase);
// The pose at a time of the cycle.
void gait_pose(const gait *gait, double time, motion_pose *pose);

#endif
