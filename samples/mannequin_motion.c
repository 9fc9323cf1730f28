// Poses of the mannequin's clips: gaits, standing, the jump, pointing, and additive clips.
#include "mannequin_motion.h"

#include "mannequin_figure.h"

#define DEGREES (PI / 180.0)

// ---- Gaits: walking, running, stepping. One cycle of steps: the left foot lands at phase 0, the right one at 1/2.

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

static const gait WALK = {
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

static const gait RUN = {
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

static const gait WALK_BACK = {
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
static const gait STRAFE = {
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

static const gait TURN = {
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

static double gait_value(const gait_curve *curve, double phase) {
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

static figure_arm gait_arm(const gait *gait, double phase) {
    double ahead = -cos(2.0 * PI * (phase - 0.02));
    figure_arm arm = {.swing = (gait->swing_middle + gait->swing * ahead) * DEGREES,
                      .spread = gait->spread * DEGREES,
                      .elbow = (gait->elbow + gait->elbow_swing * ahead) * DEGREES,
                      .curl = 0.35 + 0.004 * gait->elbow,
                      .shrug = -0.02};
    return arm;
}

static void gait_pose(const gait *gait, double time, motion_pose *pose) {
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

static quat mirrored(quat q) {
    return (quat){q.x, -q.y, -q.z, q.w};
}

static void exchange(motion_pose *pose, uint32_t left, uint32_t right) {
    quat kept = mirrored(pose->rotations[left]);
    pose->rotations[left] = mirrored(pose->rotations[right]);
    pose->rotations[right] = kept;
}

static void mirror(motion_pose *pose) {
    pose->pelvis.x = -pose->pelvis.x;
    for (uint32_t i = 0; i < LEFT_ARM; i++) {
        pose->rotations[i] = mirrored(pose->rotations[i]);
    }
    for (uint32_t i = 0; i < RIGHT_ARM - LEFT_ARM; i++) {
        exchange(pose, LEFT_ARM + i, RIGHT_ARM + i);
    }
    for (uint32_t i = 0; i < RIGHT_LEG - LEFT_LEG; i++) {
        exchange(pose, LEFT_LEG + i, RIGHT_LEG + i);
    }
}

// ---- Standing.

// The weight is on the right leg, the left one is relaxed; the figure breathes.
static figure idle_figure(double turn) {
    figure f = figure_standing();
    f.pelvis = vec3_of(-0.022 + 0.010 * sin(turn), -0.0075 - 0.0025 * cos(turn), 0.004 * sin(turn + 0.8));
    f.hips = (figure_turn){0.03 + 0.012 * sin(turn), 0.02, -0.035 - 0.012 * sin(turn)};
    f.chest = (figure_turn){0.01 - 0.015 * sin(turn), 0.01 + 0.010 * cos(2.0 * turn), 0.020 + 0.008 * sin(turn)};
    f.head = (figure_turn){0.035 * sin(turn - 0.5), 0.02 * cos(turn), 0.012 * sin(turn)};
    f.feet[FIGURE_LEFT].z += 0.035;
    f.feet[FIGURE_LEFT].x += 0.012;
    f.feet[FIGURE_LEFT].yaw = 0.24;
    for (int i = 0; i < 2; i++) {
        f.arms[i].swing += 0.020 * sin(turn + 0.4 + 0.3 * i);
        f.arms[i].elbow += 0.030 * sin(turn + 0.6 * i) + 0.05 * i;
        f.arms[i].shrug += 0.012 * cos(2.0 * turn);
    }
    return f;
}

static figure wave_figure(double turn) {
    figure f = idle_figure(0.0);
    double wave = sin(2.0 * turn);
    f.chest.roll = -0.03 + 0.012 * wave;
    f.head = (figure_turn){-0.08, 0.0, 0.06 - 0.015 * wave};
    f.arms[FIGURE_RIGHT] = (figure_arm){.swing = 0.16,
                                        .spread = 72.0 * DEGREES,
                                        .outward = 78.0 * DEGREES + 0.10 * cos(2.0 * turn),
                                        .elbow = 92.0 * DEGREES - 22.0 * DEGREES * wave,
                                        .curl = 0.02 + 0.06 * wave,
                                        .shrug = 0.20};
    return f;
}

// ---- The jump.

// A key of a movement: its value and its speed.
typedef struct moment {
    double at, value, speed;
} moment;

static double between_moments(const moment *moments, size_t count, double time) {
    size_t i = 0;
    while (i + 2 < count && time > moments[i + 1].at) {
        i++;
    }
    const moment *a = &moments[i];
    const moment *b = &moments[i + 1];
    double span = b->at - a->at;
    double s = (time - a->at) / span;
    double r = 1.0 - s;
    return r * r * (1.0 + 2.0 * s) * a->value + s * s * (3.0 - 2.0 * s) * b->value +
           span * s * r * (r * a->speed - s * b->speed);
}

#define GRAVITY 9.81
#define JUMP_DURATION 1.6
#define JUMP_LEAVES 0.58
#define JUMP_LANDS 1.02

// While the body flies: its height above the height at which the feet leave the ground.
static double flight_height(double time) {
    if (time <= JUMP_LEAVES || time >= JUMP_LANDS) {
        return 0.0;
    }
    return 0.5 * GRAVITY * (time - JUMP_LEAVES) * (JUMP_LANDS - time);
}

// clang-format off
static double jump_pelvis(double time) {
    const double speed = 0.5 * GRAVITY * (JUMP_LANDS - JUMP_LEAVES);
    const moment up[] = {{0.0, -0.005, 0.0}, {0.38, -0.270, 0.0}, {JUMP_LEAVES, 0.055, speed}};
    const moment down[] = {{JUMP_LANDS, 0.030, -speed}, {1.19, -0.215, 0.0}, {JUMP_DURATION, -0.005, 0.0}};
    if (time <= JUMP_LEAVES) {
        return between_moments(up, 3, time);
    }
    if (time >= JUMP_LANDS) {
        return between_moments(down, 3, time);
    }
    double s = (time - JUMP_LEAVES) / (JUMP_LANDS - JUMP_LEAVES);
    return 0.055 - 0.025 * s + flight_height(time);
}

static const curve_key JUMP_BACK[] = {{0.0, 0.0}, {0.38, -0.085}, {0.58, 0.065}, {0.80, 0.05}, {1.02, 0.015}, {1.19, -0.075}, {1.6, 0.0}};
static const curve_key JUMP_HIPS[] = {{0.0, 1.0}, {0.36, 32.0}, {0.60, 0.0}, {0.80, 4.0}, {1.02, 8.0}, {1.20, 26.0}, {1.6, 1.0}};
static const curve_key JUMP_CHEST[] = {{0.0, 1.0}, {0.36, 44.0}, {0.60, -6.0}, {0.80, 2.0}, {1.02, 12.0}, {1.20, 34.0}, {1.6, 1.0}};
static const curve_key JUMP_HEAD[] = {{0.0, 0.0}, {0.36, 12.0}, {0.58, -14.0}, {0.82, 0.0}, {1.02, 12.0}, {1.20, 14.0}, {1.6, 0.0}};
static const curve_key JUMP_SWING[] = {{0.0, 2.0}, {0.34, -52.0}, {0.60, 108.0}, {0.78, 116.0}, {1.02, 66.0}, {1.22, 12.0}, {1.38, -6.0}, {1.6, 2.0}};
static const curve_key JUMP_ELBOW[] = {{0.0, 9.0}, {0.34, 18.0}, {0.50, 48.0}, {0.66, 22.0}, {1.02, 40.0}, {1.25, 34.0}, {1.6, 9.0}};
static const curve_key JUMP_ROLL[] = {{0.0, 0.0}, {0.44, 0.0}, {0.58, 52.0}, {0.66, 58.0}, {0.85, 40.0}, {1.02, 28.0}, {1.11, 0.0}, {1.6, 0.0}};
// clang-format on

#define CURVE_AT(keys, time) curve_at(keys, sizeof keys / sizeof keys[0], time)

static figure jump_figure(double time) {
    figure f = figure_standing();
    double flight = (time - JUMP_LEAVES) / (JUMP_LANDS - JUMP_LEAVES);
    double tuck = flight > 0.0 && flight < 1.0 ? 0.10 * pow(sin(PI * flight), 2.0) : 0.0;
    f.pelvis = vec3_of(0.0, jump_pelvis(time), CURVE_AT(JUMP_BACK, time));
    f.hips.pitch = CURVE_AT(JUMP_HIPS, time) * DEGREES;
    f.chest.pitch = CURVE_AT(JUMP_CHEST, time) * DEGREES;
    f.head.pitch = CURVE_AT(JUMP_HEAD, time) * DEGREES;
    for (int i = 0; i < 2; i++) {
        f.arms[i].swing = CURVE_AT(JUMP_SWING, time) * DEGREES;
        f.arms[i].elbow = CURVE_AT(JUMP_ELBOW, time) * DEGREES;
        // A raised arm raises the shoulder, and turns outwards so that the hands do not meet above the head.
        const double raised = smooth_rise(0.0, 1.8, f.arms[i].swing);
        f.arms[i].shrug += 0.34 * raised;
        f.arms[i].spread += 0.20 * raised;
        f.arms[i].outward += 0.30 * raised;
        f.feet[i].roll = CURVE_AT(JUMP_ROLL, time) * DEGREES;
        f.feet[i].lift = flight_height(time) + tuck;
    }
    return f;
}

// ---- Parts of the jump: down to the crouch, up, and down again. They are sections of the jump itself.

#define CROUCHED 0.38 // the time of the jump at which it is lowest
#define HIGHEST 0.80  // the time at which it is highest
#define HOP_BEGINS 0.46
#define LAND_BEGINS 0.90

static figure stand_figure(double turn) {
    figure f = jump_figure(0.0);
    f.chest.pitch += 0.012 * (1.0 - cos(turn));
    f.head.pitch -= 0.008 * (1.0 - cos(turn));
    for (int i = 0; i < 2; i++) {
        f.arms[i].shrug += 0.012 * (1.0 - cos(turn));
        f.arms[i].elbow += 0.020 * (1.0 - cos(turn));
    }
    return f;
}

static figure crouch_figure(double turn) {
    figure f = jump_figure(CROUCHED);
    f.pelvis.y -= 0.008 * (1.0 - cos(turn));
    f.chest.pitch += 0.010 * (1.0 - cos(turn));
    for (int i = 0; i < 2; i++) {
        f.arms[i].swing -= 0.030 * (1.0 - cos(turn));
    }
    return f;
}

// Arms and legs balance in the air.
static figure float_figure(double turn) {
    figure f = jump_figure(HIGHEST);
    for (int i = 0; i < 2; i++) {
        double own = turn + PI * i;
        f.arms[i].swing += 0.14 * (cos(own) - cos(PI * i));
        f.arms[i].spread += 0.16 * (1.0 - cos(turn));
        f.feet[i].lift += 0.03 * sin(own);
        f.feet[i].z += 0.05 * sin(own);
    }
    return f;
}

typedef struct part {
    mannequin_clip_id id;
    double begins, ends; // times of the jump
} part;

static const part PARTS[] = {{MANNEQUIN_STAND_TO_CROUCH, 0.0, CROUCHED},
                             {MANNEQUIN_TAKEOFF, CROUCHED, HIGHEST},
                             {MANNEQUIN_HOP, HOP_BEGINS, HIGHEST},
                             {MANNEQUIN_LAND, LAND_BEGINS, JUMP_DURATION}};

static const part *clip_part(mannequin_clip_id id) {
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
        if (PARTS[i].id == id) {
            return &PARTS[i];
        }
    }
    return NULL;
}

// Returns the duration, rounded up to the next key.
static double part_duration(const part *part) {
    return ceil((part->ends - part->begins) * MOTION_RATE - 1e-9) / MOTION_RATE;
}

static figure part_figure(const part *part, double time) {
    return jump_figure(part->begins + (part->ends - part->begins) * time / part_duration(part));
}

bool motion_loops(mannequin_clip_id id) {
    return clip_part(id) == NULL;
}

// ---- Pointing: nine clips, from the right to the left and from below to above.

#define AIM_SIDE (60.0 * DEGREES)
#define AIM_HEIGHT (40.0 * DEGREES)

static bool is_aim(mannequin_clip_id id) {
    return id >= MANNEQUIN_AIM_RIGHT_DOWN && id <= MANNEQUIN_AIM_LEFT_UP;
}

// Distributes the rotation over hips, chest and arm. Once the arm is raised, its spread rotates it to the side.
static figure aim_figure(mannequin_clip_id id, double turn) {
    int place = (int)id - MANNEQUIN_AIM_RIGHT_DOWN;
    double side = AIM_SIDE * (place % 3 - 1);
    double up = AIM_HEIGHT * (place / 3 - 1);
    double breath = 0.006 * (1.0 - cos(turn));
    figure f = figure_standing();
    f.pelvis.y -= 0.012;
    f.hips = (figure_turn){0.18 * side, 0.02 - 0.05 * up, 0.0};
    f.chest = (figure_turn){0.62 * side, 0.04 - 0.22 * up + breath, 0.0};
    f.head = (figure_turn){0.92 * side, -0.75 * up, 0.0};
    f.arms[FIGURE_RIGHT] = (figure_arm){.swing = 0.5 * PI + 0.75 * up + 2.0 * breath,
                                        .spread = -0.38 * side,
                                        .elbow = -0.10,
                                        .outward = 0.5,
                                        .curl = 0.03,
                                        .shrug = 0.14 + 0.18 * smooth_rise(0.0, 0.7, up)};
    f.arms[FIGURE_LEFT].swing -= 0.06;
    f.feet[FIGURE_LEFT].z += 0.10;
    f.feet[FIGURE_RIGHT].z -= 0.06;
    f.feet[FIGURE_RIGHT].yaw -= 0.20;
    return f;
}

// ---- Additive clips: all joints that they do not move are in the rest pose.

static void lean_pose(double turn, motion_pose *pose) {
    figure_rest(pose);
    // To the left at 1/4.
    double roll = -18.0 * DEGREES * sin(turn);
    for (uint32_t i = SPINE_LOWER; i <= CHEST; i++) {
        pose->rotations[i] = quat_multiply(quat_about_y(-0.12 * roll), quat_about_z(roll / 3.0));
    }
    pose->rotations[NECK] = quat_about_z(-0.25 * roll);
    pose->rotations[HEAD] = quat_about_z(-0.30 * roll);
}

static void twist_pose(double turn, motion_pose *pose) {
    figure_rest(pose);
    double yaw = 54.0 * DEGREES * sin(turn);
    for (uint32_t i = SPINE_LOWER; i <= CHEST; i++) {
        pose->rotations[i] = quat_about_y(yaw / 3.0);
    }
    pose->rotations[NECK] = quat_about_y(0.20 * yaw);
    pose->rotations[HEAD] = quat_about_y(0.25 * yaw);
}

static void breathe_pose(double turn, motion_pose *pose) {
    figure_rest(pose);
    double full = 0.5 - 0.5 * cos(turn);
    double growth = 1.0 + 0.022 * full;
    pose->rotations[SPINE_UPPER] = quat_about_x(-0.8 * DEGREES * full);
    pose->rotations[CHEST] = quat_about_x(-1.6 * DEGREES * full);
    pose->rotations[NECK] = quat_about_x(2.0 * DEGREES * full);
    pose->rotations[LEFT_ARM + CLAVICLE] = quat_about_z(2.2 * DEGREES * full);
    pose->rotations[RIGHT_ARM + CLAVICLE] = quat_about_z(-2.2 * DEGREES * full);
    // Only the chest grows: its children keep their size.
    pose->scales[CHEST] = growth;
    pose->scales[NECK] = 1.0 / growth;
    pose->scales[LEFT_ARM + CLAVICLE] = 1.0 / growth;
    pose->scales[RIGHT_ARM + CLAVICLE] = 1.0 / growth;
}

// ---- All clips.

static const gait *clip_gait(mannequin_clip_id id) {
    switch (id) {
    case MANNEQUIN_WALK:
        return &WALK;
    case MANNEQUIN_RUN:
        return &RUN;
    case MANNEQUIN_WALK_BACK:
        return &WALK_BACK;
    case MANNEQUIN_STRAFE_LEFT:
    case MANNEQUIN_STRAFE_RIGHT:
        return &STRAFE;
    case MANNEQUIN_TURN_LEFT:
    case MANNEQUIN_TURN_RIGHT:
        return &TURN;
    default:
        return NULL;
    }
}

// Gaits are defined for the left side.
static bool is_mirrored(mannequin_clip_id id) {
    return id == MANNEQUIN_STRAFE_RIGHT || id == MANNEQUIN_TURN_RIGHT;
}

mannequin_travel mannequin_clip_travel(mannequin_clip_id id) {
    const gait *gait = clip_gait(id);
    if (gait == NULL) {
        return (mannequin_travel){0};
    }
    float side = is_mirrored(id) ? -1.0f : 1.0f;
    return (mannequin_travel){side * gait->travel.left, gait->travel.forward, side * gait->travel.turn};
}

double motion_duration(mannequin_clip_id id) {
    const gait *gait = clip_gait(id);
    if (gait != NULL) {
        return gait->duration;
    }
    const part *part = clip_part(id);
    if (part != NULL) {
        return part_duration(part);
    }
    if (is_aim(id)) {
        return 2.0;
    }
    switch (id) {
    case MANNEQUIN_JUMP:
        return JUMP_DURATION;
    case MANNEQUIN_CROUCH:
    case MANNEQUIN_FLOAT:
        return 2.0;
    case MANNEQUIN_WAVE:
        return 1.6;
    case MANNEQUIN_LEAN:
    case MANNEQUIN_TWIST:
        return 2.0;
    default:
        return 4.0;
    }
}

static void standing_pose(figure figure, motion_pose *pose) {
    figure_pose(&figure, pose);
}

void motion_sample(mannequin_clip_id id, double time, motion_pose *pose) {
    const gait *gait = clip_gait(id);
    double turn = 2.0 * PI * time / motion_duration(id);
    if (gait != NULL) {
        gait_pose(gait, time, pose);
        if (is_mirrored(id)) {
            mirror(pose);
        }
        return;
    }
    const part *part = clip_part(id);
    if (part != NULL) {
        standing_pose(part_figure(part, time), pose);
        return;
    }
    if (is_aim(id)) {
        standing_pose(aim_figure(id, turn), pose);
        return;
    }
    switch (id) {
    case MANNEQUIN_JUMP:
        standing_pose(jump_figure(time), pose);
        break;
    case MANNEQUIN_STAND:
        standing_pose(stand_figure(turn), pose);
        break;
    case MANNEQUIN_CROUCH:
        standing_pose(crouch_figure(turn), pose);
        break;
    case MANNEQUIN_FLOAT:
        standing_pose(float_figure(turn), pose);
        break;
    case MANNEQUIN_WAVE:
        standing_pose(wave_figure(turn), pose);
        break;
    case MANNEQUIN_LEAN:
        lean_pose(turn, pose);
        break;
    case MANNEQUIN_TWIST:
        twist_pose(turn, pose);
        break;
    case MANNEQUIN_BREATHE:
        breathe_pose(turn, pose);
        break;
    default:
        standing_pose(idle_figure(turn), pose);
        break;
    }
}
