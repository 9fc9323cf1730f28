// Computes the pose of every clip at any time, from gaits, key poses and inverse kinematics.
#ifndef LIMBER_SAMPLES_MANNEQUIN_MOTION_H
#define LIMBER_SAMPLES_MANNEQUIN_MOTION_H

#include "mannequin.h"
#include "mannequin_joints.h"

typedef struct motion_pose {
    vec3 pelvis;                 // relative to the root
    quat rotations[JOINT_COUNT]; // local; the identity in the rest pose
    double scales[JOINT_COUNT];  // local, the same along all axes
} motion_pose;

// Keys per second of all clips.
#define MOTION_RATE 30.0

// Returns seconds: a whole number of keys.
double motion_duration(mannequin_clip_id id);

// Returns whether the pose at the clip's end equals that at 0.
bool motion_loops(mannequin_clip_id id);

// Computes the pose of a clip at a time in [0, duration].
void motion_sample(mannequin_clip_id id, double time, motion_pose *pose);

#endif
