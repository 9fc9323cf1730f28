// Gaits: their numbers, and the figure at each time of a cycle of steps.
#include "mannequin_gait.h"

const gait GAIT_WALK = {
    .travel = {.forward = 1.25f},
    .duration = 1.0,
    .duty = 0.60,
    .behind = 0.045,
    .apart = 0.085,
    .toe_out = 6.0,
    .roll = {8,
             {{0.0, -20.0},
              {0.09, 0.0},
              {0.33, 0.0},
              {0.48, 14.0},
              {0.60, 42.0},
              {0.68, 50.0},
              {0.82, 6.0},
              {0.94, -21.0}}},
    .lift = {7, {{0.0, 0.0}, {0.595, 0.0}, {0.65, 0.024}, {0.72, 0.045}, {0.80, 0.050}, {0.90, 0.032}, {0.97, 0.011}}},
    .height = -0.030,
    .bob = 0.017,
    .lowest = 0.06,
    .sway = 0.024,
    .hip_yaw = 6.0,
    .hip_roll = 3.5,
    .hip_pitch = 2.0,
    .chest_yaw = 5.0,
    .lean = 3.0,
    .swing = 22.0,
    .swing_middle = -1.0,
    .elbow = 14.0,
    .elbow_swing = 9.0,
    .spread = 8.0};

const gait GAIT_RUN = {
    .travel = {.forward = 3.0f},
    .duration = 0.7,
    .duty = 0.33,
    .behind = 0.10,
    .apart = 0.055,
    .toe_out = 4.0,
    .roll = {9,
             {{0.0, -6.0},
              {0.05, 0.0},
              {0.15, 0.0},
              {0.33, 56.0},
              {0.43, 84.0},
              {0.57, 88.0},
              {0.72, 42.0},
              {0.86, 4.0},
              {0.95, -8.0}}},
    .lift = {7, {{0.0, 0.0}, {0.325, 0.0}, {0.43, 0.12}, {0.56, 0.26}, {0.68, 0.22}, {0.82, 0.09}, {0.94, 0.018}}},
    .height = -0.058,
    .bob = 0.034,
    .lowest = 0.165,
    .sway = 0.012,
    .hip_yaw = 9.0,
    .hip_roll = 4.0,
    .hip_pitch = 7.0,
    .chest_yaw = 12.0,
    .lean = 12.0,
    .swing = 38.0,
    .swing_middle = -8.0,
    .elbow = 78.0,
    .elbow_swing = 14.0,
    .spread = 13.0};

const gait GAIT_WALK_BACK = {
    .travel = {.forward = -0.85f},
    .duration = 1.0,
    .duty = 0.62,
    .behind = 0.03,
    .apart = 0.095,
    .toe_out = 6.0,
    .roll = {7, {{0.0, 26.0}, {0.14, 0.0}, {0.50, 0.0}, {0.62, -10.0}, {0.70, -8.0}, {0.82, 12.0}, {0.94, 27.0}}},
    .lift = {6, {{0.0, 0.0}, {0.605, 0.0}, {0.70, 0.030}, {0.80, 0.045}, {0.90, 0.030}, {0.97, 0.006}}},
    .height = -0.030,
    .bob = 0.012,
    .lowest = 0.06,
    .sway = 0.024,
    .hip_yaw = -4.0,
    .hip_roll = 3.0,
    .hip_pitch = 2.0,
    .chest_yaw = -3.0,
    .lean = 4.0,
    .swing = -11.0,
    .swing_middle = 0.0,
    .elbow = 20.0,
    .elbow_swing = 4.0,
    .spread = 10.0};

// To the left; the gait to the right is its mirror image.
const gait GAIT_STRAFE = {
    .travel = {.left = 0.6f},
    .duration = 0.8,
    .duty = 0.60,
    .behind = 0.0,
    .apart = 0.18,
    .toe_out = 7.0,
    .roll = {5, {{0.0, 5.0}, {0.08, 0.0}, {0.42, 0.0}, {0.60, 16.0}, {0.80, 16.0}}},
    .lift = {6, {{0.0, 0.0}, {0.585, 0.0}, {0.70, 0.035}, {0.80, 0.045}, {0.90, 0.028}, {0.97, 0.005}}},
    .height = -0.060,
    .bob = 0.010,
    .lowest = 0.05,
    .sway = 0.030,
    .hip_yaw = 0.0,
    .hip_roll = 3.0,
    .hip_pitch = 4.0,
    .chest_yaw = 0.0,
    .lean = 6.0,
    .swing = 6.0,
    .swing_middle = 4.0,
    .elbow = 32.0,
    .elbow_swing = 3.0,
    .spread = 16.0};

const gait GAIT_TURN = {
    .travel = {.turn = (float)(75.0 * DEGREES)},
    .duration = 0.8,
    .duty = 0.62,
    .behind = 0.0,
    .apart = 0.12,
    .toe_out = 6.0,
    .roll = {5, {{0.0, 4.0}, {0.08, 0.0}, {0.40, 0.0}, {0.62, 18.0}, {0.80, 18.0}}},
    .lift = {6, {{0.0, 0.0}, {0.605, 0.0}, {0.72, 0.035}, {0.81, 0.045}, {0.91, 0.026}, {0.975, 0.004}}},
    .height = -0.018,
    .bob = 0.008,
    .lowest = 0.05,
    .sway = 0.026,
    .hip_yaw = 0.0,
    .hip_roll = 2.5,
    .hip_pitch = 2.0,
    .chest_yaw = 0.0,
    .lean = 3.0,
    .look = 16.0,
    .swing = 8.0,
    .swing_middle = 2.0,
    .elbow = 18.0,
    .elbow_swing = 4.0,
    .spread = 10.0};

// Returns the seconds since the foot was at the middle of its stance. In the air, this returns to the value before the
// next stance; the foot leaves and meets the ground at the ground's speed.
static double time_since_middle(const gait *gait, double phase) {
    double half = 0.5 * gait->duty * gait->duration;
    if (phase <= gait->duty) {
        return phase * gait->duration - half;
    }
    double s = (phase - gait->duty) / (1.0 - gait->duty);
    double r = 1.0 - s;
    double speed = (1.0 - gait->duty) * gait->duration;
    return half * (r * r * (1.0 + 2.0 * s) - s * s * (3.0 - 2.0 * s)) + speed * s * r * (r - s);
}

double gait_value(const gait_curve *curve, double phase) {
    return curve_around(curve->keys, curve->count, phase);
}

static figure_foot gait_foot(const gait *gait, int side, double phase) {
    double outwards = side == FIGURE_LEFT ? 1.0 : -1.0;
    double time = time_since_middle(gait, phase);
    double turn = -gait->travel.turn * time;
    vec3 foot = vec3_of(gait->apart * outwards - gait->travel.left * time, 0.0,
                        FIGURE_FOOT_Z - gait->behind - gait->travel.forward * time);
    vec3 place = quat_rotate(quat_about_y(turn), foot);
    return (figure_foot){place.x, place.z, gait->toe_out * DEGREES * outwards + turn,
                         gait_value(&gait->roll, phase) * DEGREES,
                         phase <= gait->duty ? 0.0 : gait_value(&gait->lift, phase)};
}

figure_arm gait_arm(const gait *gait, double phase) {
    double ahead = -cos(2.0 * PI * (phase - 0.02));
    figure_arm arm = {.swing = (gait->swing_middle + gait->swing * ahead) * DEGREES,
                      .spread = gait->spread * DEGREES,
                      .elbow = (gait->elbow + gait->elbow_swing * ahead) * DEGREES,
                      .curl = 0.35 + 0.004 * gait->elbow,
                      .shrug = -0.02};
    return arm;
}

void gait_pose(const gait *gait, double time, motion_pose *pose) {
    double phase = time / gait->duration;
    double turn = 2.0 * PI * phase;
    double side = sin(turn - 0.10 * PI);
    figure f = {0};
    f.pelvis.x = gait->sway * side;
    f.pelvis.y = gait->height - gait->bob * cos(2.0 * (turn - 2.0 * PI * gait->lowest));
    f.hips =
        (figure_turn){-gait->hip_yaw * DEGREES * cos(turn), gait->hip_pitch * DEGREES, gait->hip_roll * DEGREES * side};
    f.chest = (figure_turn){gait->chest_yaw * DEGREES * cos(turn) + 0.4 * gait->look * DEGREES, gait->lean * DEGREES,
                            -0.5 * f.hips.roll};
    f.head = (figure_turn){0.15 * f.chest.yaw + gait->look * DEGREES, 0.25 * gait->lean * DEGREES, 0.0};
    for (int i = 0; i < 2; i++) {
        double own = phase + 0.5 * i;
        own -= floor(own);
        f.feet[i] = gait_foot(gait, i, own);
        f.arms[i] = gait_arm(gait, own);
    }
    figure_pose(&f, pose);
}
