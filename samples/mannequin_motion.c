// Poses of the mannequin's clips: standing, the jump, pointing, and additive clips.
#include "mannequin_motion.h"

#include "mannequin_gait.h"

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
        return &GAIT_WALK;
    case MANNEQUIN_RUN:
        return &GAIT_RUN;
    case MANNEQUIN_WALK_BACK:
        return &GAIT_WALK_BACK;
    case MANNEQUIN_STRAFE_LEFT:
    case MANNEQUIN_STRAFE_RIGHT:
        return &GAIT_STRAFE;
    case MANNEQUIN_TURN_LEFT:
    case MANNEQUIN_TURN_RIGHT:
        return &GAIT_TURN;
    default:
        return NULL;
    }
}

// Gaits are defined for the left side. What is mirrored begins half a cycle later, so that the left foot stands when it
// does in all others.
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
        if (is_mirrored(id)) {
            gait_pose(gait, fmod(time + 0.5 * gait->duration, gait->duration), pose);
            mirror(pose);
        } else {
            gait_pose(gait, time, pose);
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
