// Computes the rotations of all joints from a figure.
#include "mannequin_figure.h"

// Points relative to the point on the ground below the ankle: the ankle, and the points about which a foot rolls.
static const vec3 ANKLE = {0.0, 0.080, 0.0};
static const vec3 HEEL = {0.0, 0.0, -0.045};
static const vec3 BALL = {0.003, 0.020, 0.130};

// Share of a leg's length near full stretch over which the reach is softened, so that knees neither snap straight nor
// bend backwards.
static const double STRETCH = 0.006;

void figure_rest(motion_pose *pose) {
    pose->pelvis = vec3_subtract(joint_rest(PELVIS), joint_rest(ROOT));
    for (int i = 0; i < JOINT_COUNT; i++) {
        pose->rotations[i] = quat_identity();
        pose->scales[i] = 1.0;
    }
}

figure figure_standing(void) {
    figure result = {.pelvis = {0.0, -0.005, 0.0}};
    for (int side = 0; side < 2; side++) {
        double outwards = side == FIGURE_LEFT ? 1.0 : -1.0;
        result.arms[side] = (figure_arm){.swing = 0.03, .spread = 0.16, .elbow = 0.16, .curl = 0.30, .shrug = -0.03};
        result.feet[side] = (figure_foot){FIGURE_FOOT_X * outwards, FIGURE_FOOT_Z, 0.10 * outwards, 0.0, 0.0};
    }
    return result;
}

static quat turn_rotation(figure_turn turn) {
    return quat_multiply(quat_about_y(turn.yaw), quat_multiply(quat_about_x(turn.pitch), quat_about_z(turn.roll)));
}

static quat relative(quat parent, quat child) {
    return quat_multiply(quat_conjugate(parent), child);
}

static void pose_spine(const figure *figure, motion_pose *pose) {
    quat hips = turn_rotation(figure->hips);
    quat chest = turn_rotation(figure->chest);
    quat spine = relative(hips, chest);
    quat neck = relative(chest, turn_rotation(figure->head));
    pose->rotations[PELVIS] = hips;
    pose->rotations[SPINE_LOWER] = quat_power(spine, 0.35);
    pose->rotations[SPINE_UPPER] = quat_power(spine, 0.35);
    pose->rotations[CHEST] = quat_power(spine, 0.30);
    pose->rotations[NECK] = quat_power(neck, 0.45);
    pose->rotations[HEAD] = quat_power(neck, 0.55);
}

// Returns the direction from one joint to another in the rest pose.
static vec3 rest_direction(uint32_t from, uint32_t to) {
    return vec3_unit(vec3_subtract(joint_rest(to), joint_rest(from)));
}

static void pose_arm(const figure_arm *arm, int side, motion_pose *pose) {
    uint32_t first = side == FIGURE_LEFT ? LEFT_ARM : RIGHT_ARM;
    double outwards = side == FIGURE_LEFT ? 1.0 : -1.0;
    vec3 upper = rest_direction(first + UPPER_ARM, first + FOREARM);
    vec3 lower = rest_direction(first + FOREARM, first + HAND);
    vec3 fingers = rest_direction(first + HAND, first + FINGERS);
    double rest_spread = atan2(fabs(upper.x), -upper.y);
    quat spread = quat_about_z((arm->spread - rest_spread - arm->shrug) * outwards);
    quat twist = quat_about(upper, -arm->outward * outwards);
    quat turned = quat_multiply(quat_about_x(-arm->swing), quat_multiply(spread, twist));
    vec3 knuckles = vec3_across(vec3_of(0.0, 0.0, -outwards), fingers);
    pose->rotations[first + CLAVICLE] = quat_about_z(arm->shrug * outwards);
    pose->rotations[first + SHOULDER] = quat_power(turned, 0.5);
    pose->rotations[first + UPPER_ARM] = turned;
    pose->rotations[first + FOREARM] = quat_about(vec3_unit(vec3_cross(upper, lower)), arm->elbow);
    pose->rotations[first + HAND] = quat_about(knuckles, 0.25 * arm->curl);
    pose->rotations[first + FINGERS] = quat_about(knuckles, arm->curl);
    pose->rotations[first + THUMB] = quat_about(knuckles, 0.5 * arm->curl);
}

// Returns the position of the ankle, and stores the foot's rotation, in model space.
static vec3 place_foot(const figure_foot *foot, int side, quat *rotation) {
    vec3 pivot = foot->roll > 0.0 ? BALL : HEEL;
    pivot.x *= side == FIGURE_LEFT ? 1.0 : -1.0;
    vec3 rolled = vec3_add(pivot, quat_rotate(quat_about_x(foot->roll), vec3_subtract(ANKLE, pivot)));
    quat yaw = quat_about_y(foot->yaw);
    *rotation = quat_multiply(yaw, quat_about_x(foot->roll));
    return vec3_add(vec3_of(foot->x, foot->lift, foot->z), quat_rotate(yaw, rolled));
}

static double soften_reach(double reach, double length) {
    double soft = STRETCH * length;
    double start = length - soft;
    return reach <= start ? reach : length - soft * exp((start - reach) / soft);
}

static void pose_leg(const figure *figure, int side, motion_pose *pose) {
    uint32_t first = side == FIGURE_LEFT ? LEFT_LEG : RIGHT_LEG;
    const figure_foot *foot = &figure->feet[side];
    quat foot_rotation;
    vec3 ankle = place_foot(foot, side, &foot_rotation);
    quat hips = pose->rotations[PELVIS];
    vec3 offset = vec3_subtract(joint_rest(first + THIGH), joint_rest(PELVIS));
    vec3 hip = vec3_add(pose->pelvis, quat_rotate(hips, offset));

    vec3 thigh = vec3_subtract(joint_rest(first + SHIN), joint_rest(first + THIGH));
    vec3 shin = vec3_subtract(joint_rest(first + FOOT), joint_rest(first + SHIN));
    double a = vec3_length(thigh);
    double b = vec3_length(shin);
    vec3 way = vec3_unit(vec3_subtract(ankle, hip));
    double reach = soften_reach(vec3_length(vec3_subtract(ankle, hip)), a + b);
    ankle = vec3_add(hip, vec3_scale(way, reach));

    // The knee bends about an axis perpendicular to the direction to the ankle; it follows a mean of the foot's and
    // hips' yaw.
    quat heading = quat_about_y(0.65 * foot->yaw + 0.35 * figure->hips.yaw);
    vec3 hinge = vec3_across(quat_rotate(heading, vec3_of(1.0, 0.0, 0.0)), way);
    vec3 forward = vec3_cross(way, hinge);
    double along = (a * a + reach * reach - b * b) / (2.0 * reach);
    double out = sqrt(greater(a * a - along * along, 0.0));
    vec3 knee = vec3_add(hip, vec3_add(vec3_scale(way, along), vec3_scale(forward, out)));

    vec3 rest_hinge = vec3_unit(vec3_cross(thigh, shin));
    quat upper = quat_between_frames(vec3_unit(thigh), rest_hinge, vec3_unit(vec3_subtract(knee, hip)), hinge);
    quat lower = quat_between_frames(vec3_unit(shin), rest_hinge, vec3_unit(vec3_subtract(ankle, knee)), hinge);
    pose->rotations[first + THIGH] = relative(hips, upper);
    pose->rotations[first + SHIN] = relative(upper, lower);
    pose->rotations[first + FOOT] = relative(lower, foot_rotation);
    // In the air, the toes straighten halfway.
    double bent = 1.0 - 0.5 * smooth_rise(0.0, 0.10, foot->lift);
    pose->rotations[first + TOES] = quat_about_x(foot->roll > 0.0 ? -foot->roll * bent : 0.0);
}

void figure_pose(const figure *figure, motion_pose *pose) {
    figure_rest(pose);
    pose->pelvis = vec3_add(pose->pelvis, figure->pelvis);
    pose_spine(figure, pose);
    for (int side = 0; side < 2; side++) {
        pose_arm(&figure->arms[side], side, pose);
        pose_leg(figure, side, pose);
    }
}
