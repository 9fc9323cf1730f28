// The distance field of the mannequin: a smooth union of lofts.
#include "mannequin_shape.h"

// One cross-section of a loft: an ellipse across the axis.
typedef struct section {
    double at;          // position on the axis: 0 at its start, 1 at its end
    double side, front; // half-widths across and towards `front`
    double shift;       // of the centre, towards `front`
} section;

enum { SECTIONS = 12 };

// A body part: ellipses along an axis, interpolated smoothly, with rounded ends. Parts are defined for the left side.
typedef struct loft {
    vec3 start, end;
    vec3 front;   // approximate direction; made perpendicular to the axis
    double cap;   // how far the rounded ends reach beyond the axis
    double reach; // max distance of the part from the axis
    double blend; // width of the smooth union with the parts before it
    int section_count;
    section sections[SECTIONS];
} loft;

// Parts in the middle of the body, which are not mirrored.
// clang-format off
static const loft MIDDLE[] = {
    // Torso.
    {{0.0, 0.865, 0.0}, {0.0, 1.47, 0.0}, {0.0, 0.0, 1.0}, 0.030, 0.166, 0.0, 12,
     {{0.00, 0.080, 0.066, -0.006}, {0.07, 0.138, 0.094, -0.006}, {0.16, 0.163, 0.106, -0.006},
      {0.24, 0.157, 0.102, -0.001}, {0.34, 0.139, 0.093, 0.005}, {0.43, 0.131, 0.089, 0.006},
      {0.53, 0.139, 0.095, 0.004}, {0.66, 0.157, 0.108, 0.000}, {0.78, 0.165, 0.112, -0.004},
      {0.87, 0.156, 0.102, -0.010}, {0.95, 0.116, 0.080, -0.018}, {1.00, 0.076, 0.058, -0.022}}},
    // Neck.
    {{0.0, 1.44, -0.030}, {0.0, 1.60, 0.004}, {0.0, 0.0, 1.0}, 0.02, 0.067, 0.060, 4,
     {{0.0, 0.066, 0.060, 0.0}, {0.35, 0.056, 0.056, 0.0}, {0.7, 0.052, 0.053, 0.0}, {1.0, 0.052, 0.050, 0.0}}},
    // Skull.
    {{0.0, 1.640, 0.004}, {0.0, 1.720, 0.000}, {0.0, 0.0, 1.0}, 0.060, 0.098, 0.020, 3,
     {{0.0, 0.064, 0.080, 0.000}, {0.5, 0.074, 0.094, 0.000}, {1.0, 0.0755, 0.095, -0.002}}},
    // Face and jaw.
    {{0.0, 1.592, 0.048}, {0.0, 1.700, 0.048}, {0.0, 0.0, 1.0}, 0.032, 0.062, 0.045, 3,
     {{0.0, 0.046, 0.050, 0.003}, {0.5, 0.057, 0.053, 0.000}, {1.0, 0.061, 0.048, 0.000}}},
    // Nose.
    {{0.0, 1.682, 0.094}, {0.0, 1.642, 0.112}, {0.0, 0.0, 1.0}, 0.009, 0.013, 0.012, 2,
     {{0.0, 0.007, 0.008, 0.0}, {1.0, 0.012, 0.010, 0.0}}},
};

// Parts that are mirrored.
static const loft SIDE[] = {
    // Slope of the shoulder.
    {{0.020, 1.505, -0.032}, {0.160, 1.440, -0.022}, {0.0, 0.0, 1.0}, 0.03, 0.049, 0.060, 3,
     {{0.0, 0.040, 0.044, 0.0}, {0.5, 0.040, 0.046, 0.0}, {1.0, 0.040, 0.048, 0.0}}},
    // Chest muscle.
    {{0.055, 1.318, 0.058}, {0.105, 1.335, 0.044}, {0.0, 0.0, 1.0}, 0.045, 0.057, 0.040, 2,
     {{0.0, 0.056, 0.046, 0.0}, {1.0, 0.056, 0.048, 0.0}}},
    // Back, under the arm.
    {{0.098, 1.20, -0.040}, {0.128, 1.36, -0.055}, {0.0, 0.0, -1.0}, 0.05, 0.051, 0.04, 2,
     {{0.0, 0.040, 0.045, 0.0}, {1.0, 0.046, 0.046, 0.0}}},
    // Seat.
    {{0.074, 0.895, -0.050}, {0.078, 0.945, -0.052}, {0.0, 0.0, -1.0}, 0.055, 0.081, 0.035, 2,
     {{0.0, 0.080, 0.078, 0.0}, {1.0, 0.078, 0.070, 0.0}}},
    // Shoulder cap.
    {{0.168, 1.428, -0.018}, {0.235, 1.365, -0.020}, {0.0, 0.0, 1.0}, 0.040, 0.058, 0.035, 3,
     {{0.0, 0.050, 0.056, 0.0}, {0.4, 0.053, 0.057, 0.0}, {1.0, 0.046, 0.050, 0.0}}},
    // Upper arm.
    {{0.182, 1.418, -0.015}, {0.380, 1.202, -0.025}, {0.0, 0.0, 1.0}, 0.030, 0.054, 0.025, 6,
     {{0.0, 0.048, 0.052, 0.0}, {0.25, 0.047, 0.052, 0.000}, {0.5, 0.043, 0.050, 0.003}, {0.7, 0.041, 0.045, 0.002},
      {0.9, 0.039, 0.039, 0.0}, {1.0, 0.038, 0.038, -0.001}}},
    // Forearm.
    {{0.380, 1.202, -0.025}, {0.549, 1.016, 0.015}, {0.0, 0.0, 1.0}, 0.030, 0.048, 0.018, 6,
     {{0.0, 0.039, 0.039, 0.000}, {0.2, 0.042, 0.045, 0.002}, {0.4, 0.040, 0.043, 0.002}, {0.7, 0.032, 0.035, 0.000},
      {0.92, 0.025, 0.029, 0.0}, {1.0, 0.024, 0.029, 0.0}}},
    // Palm.
    {{0.549, 1.016, 0.015}, {0.610, 0.946, 0.029}, {0.0, 0.0, 1.0}, 0.018, 0.043, 0.015, 4,
     {{0.0, 0.023, 0.028, 0.0}, {0.35, 0.022, 0.035, 0.001}, {0.75, 0.0205, 0.041, 0.001}, {1.0, 0.019, 0.041, 0.001}}},
    // Fingers, together as in a mitten.
    {{0.608, 0.948, 0.030}, {0.639, 0.887, 0.040}, {0.0, 0.0, 1.0}, 0.018, 0.042, 0.012, 4,
     {{0.0, 0.0185, 0.040, 0.001}, {0.35, 0.018, 0.038, 0.0}, {0.7, 0.0165, 0.034, -0.001}, {1.0, 0.0145, 0.027, -0.003}}},
    // Thumb.
    {{0.560, 1.000, 0.034}, {0.588, 0.957, 0.098}, {0.0, 0.7, 0.7}, 0.014, 0.021, 0.018, 3,
     {{0.0, 0.018, 0.020, 0.0}, {0.5, 0.0165, 0.0165, 0.0}, {1.0, 0.0145, 0.0145, 0.0}}},
    // Thigh.
    {{0.092, 0.925, 0.000}, {0.103, 0.497, 0.010}, {0.0, 0.0, 1.0}, 0.035, 0.091, 0.035, 8,
     {{0.0, 0.082, 0.088, -0.002}, {0.15, 0.081, 0.089, 0.000}, {0.3, 0.078, 0.086, 0.003}, {0.5, 0.070, 0.077, 0.005},
      {0.7, 0.060, 0.065, 0.005}, {0.85, 0.053, 0.056, 0.003}, {0.94, 0.052, 0.053, 0.004}, {1.0, 0.051, 0.051, 0.003}}},
    // Shin and calf.
    {{0.103, 0.497, 0.010}, {0.115, 0.080, -0.015}, {0.0, 0.0, 1.0}, 0.030, 0.068, 0.022, 8,
     {{0.0, 0.051, 0.051, 0.002}, {0.1, 0.049, 0.049, -0.001}, {0.25, 0.053, 0.056, -0.011}, {0.4, 0.051, 0.054, -0.012},
      {0.6, 0.042, 0.045, -0.008}, {0.8, 0.034, 0.037, -0.003}, {0.92, 0.031, 0.036, 0.000}, {1.0, 0.032, 0.038, 0.001}}},
    // Foot. Its front is up; the ground cuts it flat.
    {{0.114, 0.0, -0.052}, {0.122, 0.0, 0.180}, {0.0, 1.0, 0.0}, 0.022, 0.083, 0.022, 7,
     {{0.0, 0.030, 0.034, 0.026}, {0.18, 0.036, 0.046, 0.034}, {0.38, 0.038, 0.046, 0.036}, {0.58, 0.043, 0.036, 0.027},
      {0.75, 0.047, 0.029, 0.019}, {0.90, 0.043, 0.023, 0.014}, {1.0, 0.032, 0.018, 0.012}}},
};
// clang-format on

enum { MIDDLE_COUNT = sizeof MIDDLE / sizeof MIDDLE[0], SIDE_COUNT = sizeof SIDE / sizeof SIDE[0] };

// Beyond this distance a part is only bounded; it is larger than any blend width.
static const double CLOSE = 0.085;

// Width of the blend between a part and its mirror image.
static const double ACROSS = 0.02;

// Returns the slope at b of the parabola through a, b, c.
static double slope_through(double at_a, double a, double at_b, double b, double at_c, double c) {
    double left = at_b - at_a;
    double right = at_c - at_b;
    return ((b - a) / left * right + (c - b) / right * left) / (left + right);
}

// Returns a section's slopes along the axis; they are 0 at both ends.
static section slopes_at(const loft *part, int i) {
    if (i == 0 || i == part->section_count - 1) {
        return (section){0};
    }
    const section *a = &part->sections[i - 1];
    const section *b = &part->sections[i];
    const section *c = &part->sections[i + 1];
    return (section){0.0, slope_through(a->at, a->side, b->at, b->side, c->at, c->side),
                     slope_through(a->at, a->front, b->at, b->front, c->at, c->front),
                     slope_through(a->at, a->shift, b->at, b->shift, c->at, c->shift)};
}

// Interpolates the sections smoothly.
static section section_at(const loft *part, double t) {
    int i = 0;
    while (i + 2 < part->section_count && t > part->sections[i + 1].at) {
        i++;
    }
    const section *a = &part->sections[i];
    const section *b = &part->sections[i + 1];
    section slope_a = slopes_at(part, i);
    section slope_b = slopes_at(part, i + 1);
    double span = b->at - a->at;
    double s = (t - a->at) / span;
    double r = 1.0 - s;
    double from_a = r * r * (1.0 + 2.0 * s);
    double from_b = 1.0 - from_a;
    double rise_a = span * s * r * r;
    double rise_b = -span * s * s * r;
    return (section){t, from_a * a->side + from_b * b->side + rise_a * slope_a.side + rise_b * slope_b.side,
                     from_a * a->front + from_b * b->front + rise_a * slope_a.front + rise_b * slope_b.front,
                     from_a * a->shift + from_b * b->shift + rise_a * slope_a.shift + rise_b * slope_b.shift};
}

// Returns how far a number is outside the range between two others.
static double outside(double a, double b, double x) {
    return greater(greater(lesser(a, b) - x, x - greater(a, b)), 0.0);
}

static double loft_distance(const loft *part, vec3 point) {
    double away =
        greater(outside(part->start.x, part->end.x, point.x),
                greater(outside(part->start.y, part->end.y, point.y), outside(part->start.z, part->end.z, point.z)));
    if (away > part->reach + CLOSE) {
        return away - part->reach;
    }
    vec3 axis = vec3_subtract(part->end, part->start);
    double length = vec3_length(axis);
    axis = vec3_scale(axis, 1.0 / length);
    vec3 offset = vec3_subtract(point, part->start);
    double along = vec3_dot(offset, axis);
    double t = along < 0.0 ? 0.0 : along > length ? 1.0 : along / length;
    double beyond = along - t * length;
    vec3 across = vec3_subtract(offset, vec3_scale(axis, t * length));
    double bound = vec3_length(across) - part->reach;
    if (bound > CLOSE) {
        return bound;
    }
    section s = section_at(part, t);
    vec3 front = vec3_across(part->front, axis);
    double u = vec3_dot(offset, vec3_cross(axis, front)) / s.side;
    double v = (vec3_dot(offset, front) - s.shift) / s.front;
    double w = beyond / part->cap;
    // First-order distance to an ellipsoid: the level divided by the length of the level's gradient.
    double level = sqrt(u * u + v * v + w * w);
    double us = u / s.side;
    double vs = v / s.front;
    double ws = w / part->cap;
    double slope = sqrt(us * us + vs * vs + ws * ws);
    if (slope < 1e-9) {
        return -lesser(s.side, s.front);
    }
    return level * (level - 1.0) / slope;
}

// Returns the smaller of two numbers, rounded if they are within `width` of each other.
static double smooth_minimum(double a, double b, double width) {
    double h = greater(width - fabs(a - b), 0.0);
    return lesser(a, b) - (width > 0.0 ? h * h * 0.25 / width : 0.0);
}

static vec3 mirrored(vec3 point) {
    return vec3_of(-point.x, point.y, point.z);
}

double shape_distance(vec3 point) {
    double distance = 1.0;
    for (int i = 0; i < MIDDLE_COUNT; i++) {
        distance = smooth_minimum(distance, loft_distance(&MIDDLE[i], point), MIDDLE[i].blend);
    }
    vec3 mirror = mirrored(point);
    for (int i = 0; i < SIDE_COUNT; i++) {
        double both = smooth_minimum(loft_distance(&SIDE[i], point), loft_distance(&SIDE[i], mirror), ACROSS);
        distance = smooth_minimum(distance, both, SIDE[i].blend);
    }
    return -smooth_minimum(-distance, point.y, 0.012);
}

// Samples the corners of a tetrahedron around the point.
static vec3 gradient(vec3 p) {
    const double step = 5e-4;
    double a = shape_distance(vec3_of(p.x + step, p.y - step, p.z - step));
    double b = shape_distance(vec3_of(p.x - step, p.y - step, p.z + step));
    double c = shape_distance(vec3_of(p.x - step, p.y + step, p.z - step));
    double d = shape_distance(vec3_of(p.x + step, p.y + step, p.z + step));
    return vec3_scale(vec3_of(a - b - c + d, c + d - a - b, b + d - a - c), 0.25 / step);
}

vec3 shape_normal(vec3 point) {
    return vec3_unit(gradient(point));
}

vec3 shape_project(vec3 point) {
    for (int i = 0; i < 3; i++) {
        double distance = shape_distance(point);
        if (fabs(distance) < 1e-4) {
            break;
        }
        vec3 slope = gradient(point);
        double steepness = greater(vec3_dot(slope, slope), 0.25);
        point = vec3_subtract(point, vec3_scale(slope, distance / steepness));
    }
    return point;
}

static vec3 on_left(vec3 point) {
    return vec3_of(fabs(point.x), point.y, point.z);
}

double shape_grain(vec3 point) {
    vec3 p = on_left(point);
    double head = smooth_rise(1.50, 1.60, p.y);
    double face = head * smooth_rise(0.02, 0.08, p.z);
    double hand = smooth_rise(0.50, 0.56, p.x);
    double foot = 1.0 - smooth_rise(0.06, 0.14, p.y);
    return 1.0 - 0.25 * head - 0.15 * face - 0.70 * hand - 0.35 * foot;
}

// Returns 0 before and 1 behind the plane through `centre` perpendicular to `direction`, with a smooth rise over
// `width` on both sides.
static double beyond(vec3 point, vec3 centre, vec3 direction, double width) {
    return smooth_rise(-width, width, vec3_dot(vec3_subtract(point, centre), vec3_unit(direction)));
}

static double beyond_joint(vec3 point, uint32_t joint, uint32_t child, double width) {
    vec3 before = vec3_unit(vec3_subtract(joint_rest(joint), joint_rest(joint_parent(joint))));
    vec3 after = vec3_unit(vec3_subtract(joint_rest(child), joint_rest(joint)));
    return beyond(point, joint_rest(joint), vec3_add(before, after), width);
}

static double distance_to_segment(vec3 point, vec3 start, vec3 end) {
    vec3 axis = vec3_subtract(end, start);
    double t = vec3_dot(vec3_subtract(point, start), axis) / vec3_dot(axis, axis);
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return vec3_length(vec3_subtract(point, vec3_lerp(start, end, t)));
}

// Returns the share of the arm in a point of the left side: 1 outside the seam of a sleeve.
static double arm_share(vec3 p) {
    // Above the shoulder the seam is vertical; otherwise it would lean over the head.
    p.y = lesser(p.y, 1.44);
    // Under the arm it is wider and farther inwards: a raised arm takes the skin of the armpit along, without a fold.
    double below = smooth_rise(0.0, 0.10, 1.40 - p.y);
    return beyond(p, vec3_of(0.156 - 0.030 * below, 1.42, -0.015), vec3_of(0.94, 0.34, 0.0), 0.045 + 0.020 * below);
}

// The seam of a trouser leg: from the crotch up and outwards.
static double leg_share(vec3 p) {
    return beyond(p, vec3_of(0.088, 0.920, 0.0), vec3_of(0.42, -0.90, 0.0), 0.075);
}

// Distributes `share` of a point on the left side among the arm's joints.
static void arm_weights(vec3 p, double share, double *weights) {
    double upper = share * beyond(p, vec3_of(0.212, 1.385, -0.017), vec3_of(0.75, -0.66, 0.0), 0.070);
    double forearm = upper * beyond_joint(p, LEFT_ARM + FOREARM, LEFT_ARM + HAND, 0.045);
    double hand = forearm * beyond_joint(p, LEFT_ARM + HAND, LEFT_ARM + FINGERS, 0.030);
    double to_palm = distance_to_segment(p, joint_rest(LEFT_ARM + HAND), LEFT_FINGER_TIP);
    double to_thumb = distance_to_segment(p, joint_rest(LEFT_ARM + THUMB), LEFT_THUMB_TIP);
    double thumb = hand * smooth_rise(-0.006, 0.022, to_palm - to_thumb);
    double fingers = (hand - thumb) * beyond(p, joint_rest(LEFT_ARM + FINGERS), vec3_of(0.55, -0.82, 0.14), 0.018);
    weights[SHOULDER] = share - upper;
    weights[UPPER_ARM] = upper - forearm;
    weights[FOREARM] = forearm - hand;
    weights[HAND] = hand - thumb - fingers;
    weights[FINGERS] = fingers;
    weights[THUMB] = thumb;
}

static void leg_weights(vec3 p, double share, double *weights) {
    double shin = share * beyond_joint(p, LEFT_LEG + SHIN, LEFT_LEG + FOOT, 0.055);
    double foot = shin * beyond(p, vec3_of(0.115, 0.088, -0.015), vec3_of(0.0, -0.9, 0.45), 0.035);
    double toes = foot * beyond(p, joint_rest(LEFT_LEG + TOES), vec3_of(0.0, 0.0, 1.0), 0.022);
    weights[THIGH] = share - shin;
    weights[SHIN] = shin - foot;
    weights[FOOT] = foot - toes;
    weights[TOES] = toes;
}

static void torso_weights(vec3 p, double share, double *weights) {
    double lower = share * beyond(p, vec3_of(0.0, 1.045, 0.0), vec3_of(0.0, 1.0, 0.0), 0.065);
    double upper = lower * beyond(p, vec3_of(0.0, 1.165, 0.0), vec3_of(0.0, 1.0, 0.0), 0.065);
    double chest = upper * beyond(p, vec3_of(0.0, 1.275, 0.0), vec3_of(0.0, 1.0, 0.0), 0.065);
    double middle = 1.0 - smooth_rise(0.06, 0.13, fabs(p.x));
    double neck = chest * middle * beyond(p, vec3_of(0.0, 1.490, -0.020), vec3_of(0.0, 0.97, 0.24), 0.040);
    double head = neck * beyond(p, vec3_of(0.0, 1.585, -0.010), vec3_of(0.0, 0.80, 0.60), 0.032);
    double collar = (chest - neck) * smooth_rise(0.02, 0.15, fabs(p.x)) * smooth_rise(1.30, 1.45, p.y);
    double left = smooth_rise(-0.02, 0.02, p.x);
    weights[PELVIS] += share - lower;
    weights[SPINE_LOWER] = lower - upper;
    weights[SPINE_UPPER] = upper - chest;
    weights[CHEST] = chest - neck - collar;
    weights[NECK] = neck - head;
    weights[HEAD] = head;
    weights[LEFT_ARM + CLAVICLE] = collar * left;
    weights[RIGHT_ARM + CLAVICLE] = collar * (1.0 - left);
}

void shape_weights(vec3 point, double weights[JOINT_COUNT]) {
    for (int i = 0; i < JOINT_COUNT; i++) {
        weights[i] = 0.0;
    }
    vec3 p = on_left(point);
    double left = smooth_rise(-0.018, 0.018, point.x);
    double arm = arm_share(p);
    double leg = leg_share(p) * (1.0 - arm);
    arm_weights(p, arm, weights + (point.x > 0.0 ? LEFT_ARM : RIGHT_ARM));
    leg_weights(p, leg * left, weights + LEFT_LEG);
    leg_weights(p, leg * (1.0 - left), weights + RIGHT_LEG);
    torso_weights(point, 1.0 - arm - leg, weights);
}

static double past(vec3 point, vec3 centre, vec3 direction) {
    return vec3_dot(vec3_subtract(point, centre), vec3_unit(direction));
}

static double past_joint(vec3 point, uint32_t joint, uint32_t child) {
    vec3 before = vec3_unit(vec3_subtract(joint_rest(joint), joint_rest(joint_parent(joint))));
    vec3 after = vec3_unit(vec3_subtract(joint_rest(child), joint_rest(joint)));
    return past(point, joint_rest(joint), vec3_add(before, after));
}

// Returns how far a point is past the middle of a band, and stores the band's half width. Each plane is limited to its
// limb, because it also intersects other limbs, nearer to the middle of the body or farther out.
static double past_band(vec3 p, uint32_t band, double *half_width) {
    switch (band) {
    case 0: // shoulder
        *half_width = 0.009;
        return lesser(past(p, vec3_of(0.174, 1.42, -0.015), vec3_of(0.94, 0.34, 0.0)), 1.53 - p.y);
    case 1: // elbow
        *half_width = 0.027;
        return lesser(past_joint(p, LEFT_ARM + FOREARM, LEFT_ARM + HAND), p.x - 0.30);
    case 2: // wrist
        *half_width = 0.012;
        return lesser(past_joint(p, LEFT_ARM + HAND, LEFT_ARM + FINGERS), p.x - 0.30);
    case 3: // hip
        *half_width = 0.010;
        return lesser(past(p, vec3_of(0.088, 0.925, 0.0), vec3_of(0.50, -0.87, 0.0)), 0.27 - p.x);
    case 4: // knee
        *half_width = 0.036;
        return past_joint(p, LEFT_LEG + SHIN, LEFT_LEG + FOOT);
    case 5: // ankle
        *half_width = 0.014;
        return past(p, vec3_of(0.115, 0.095, -0.015), vec3_of(0.0, -0.9, 0.3));
    case 6: // waist
        *half_width = 0.028;
        return lesser(past(p, vec3_of(0.0, 1.100, 0.0), vec3_of(0.0, -1.0, -0.10)), 0.27 - p.x);
    default: // neck
        *half_width = 0.021;
        return past(p, vec3_of(0.0, 1.540, 0.0), vec3_of(0.0, 0.93, 0.36));
    }
}

// A visor over the eyes: an ellipse as seen from the front.
static double visor_depth(vec3 p) {
    double x = p.x / 0.057;
    double y = (p.y - 1.682) / 0.024;
    double depth = 0.024 * (1.0 - sqrt(x * x * x * x + y * y));
    return lesser(depth, p.z - 0.02);
}

double shape_border_depth(vec3 point, uint32_t border) {
    vec3 p = on_left(point);
    if (border == 2 * BANDS) {
        return visor_depth(p);
    }
    double half_width;
    double middle = past_band(p, border / 2, &half_width);
    return border % 2 == 0 ? middle + half_width : middle - half_width;
}

shape_tone shape_tone_inside(uint32_t borders) {
    for (uint32_t band = 0; band < BANDS; band++) {
        if ((borders >> (2 * band) & 3u) == 1u) {
            return TONE_JOINT;
        }
    }
    return borders >> (2 * BANDS) & 1u ? TONE_FACE : TONE_SHELL;
}
