#include "oracle.h"

#include "space_oracle.h"

#include <math.h>
#include <string.h>

#define ORACLE_PI 3.14159265358979323846

double oracle_snap(double value) {
    const double largest = 1099511627776.0;
    if (isnan(value) || fabs(value) * largest < 1.0) {
        return 0.0;
    }
    return fmin(fmax(value, -largest), largest);
}

void oracle_quaternion_multiply(const double a[4], const double b[4], double result[4]) {
    const double product[4] = {
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    };
    memcpy(result, product, sizeof product);
}

void oracle_quaternion_conjugate(const double a[4], double result[4]) {
    for (int i = 0; i < 4; i++) {
        result[i] = i < 3 ? -a[i] : a[i];
    }
}

double oracle_quaternion_dot(const double a[4], const double b[4]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

bool oracle_quaternion_normalise(const double a[4], double result[4]) {
    const double length = sqrt(oracle_quaternion_dot(a, a));
    if (length == 0.0) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        result[i] = a[i] / length;
    }
    return true;
}

// Returns -1 if b is in the other hemisphere than a. At right angles, the caller chooses.
static double hemisphere(const double a[4], const double b[4], oracle_choices *choices) {
    const double dot = oracle_quaternion_dot(a, b);
    bool turned = dot < 0.0;
    if (fabs(dot) < ORACLE_RIGHT_ANGLE * sqrt(oracle_quaternion_dot(a, a)) && choices->met < 32) {
        turned ^= (choices->turned >> choices->met & 1u) != 0;
        choices->met++;
    }
    return turned ? -1.0 : 1.0;
}

// Computes the angle between unit quaternions from their difference and sum. The acos of the dot product loses half of
// the digits if the two are nearly equal.
static double angle_between(const double a[4], const double b[4]) {
    double difference = 0.0, sum = 0.0;
    for (int i = 0; i < 4; i++) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        sum += (a[i] + b[i]) * (a[i] + b[i]);
    }
    return 2.0 * atan2(sqrt(difference), sqrt(sum));
}

void oracle_quaternion_slerp(const double a[4], const double b[4], double t, oracle_choices *choices,
                             double result[4]) {
    const double sign = hemisphere(a, b, choices);
    double near[4], blended[4];
    for (int i = 0; i < 4; i++) {
        near[i] = sign * b[i];
    }
    const double angle = angle_between(a, near);
    const bool small = angle < 1e-9;
    const double weight_a = small ? 1.0 - t : sin((1.0 - t) * angle) / sin(angle);
    const double weight_b = small ? t : sin(t * angle) / sin(angle);
    for (int i = 0; i < 4; i++) {
        blended[i] = weight_a * a[i] + weight_b * near[i];
    }
    oracle_quaternion_normalise(blended, result);
}

double oracle_lerp(double a, double b, double t) {
    return (1.0 - t) * a + t * b;
}

double oracle_scale_blend(double a, double b, double t) {
    if (a * b <= 0.0) {
        return oracle_lerp(a, b, t);
    }
    return a * pow(b / a, t);
}

static oracle_transform transform_of(const float *values, size_t stride) {
    oracle_transform result;
    double rotation[4];
    for (size_t i = 0; i < 3; i++) {
        result.translation[i] = (double)values[i * stride];
        result.scale[i] = (double)values[(7 + i) * stride];
    }
    for (size_t i = 0; i < 4; i++) {
        result.rotation[i] = rotation[i] = (double)values[(3 + i) * stride];
    }
    oracle_quaternion_normalise(rotation, result.rotation);
    result.weight = 255.0;
    return result;
}

oracle_transform oracle_transform_from_float(const lmb_transform *transform) {
    float values[LMB_POSE_COMPONENTS];
    memcpy(values, transform->translation, sizeof transform->translation);
    memcpy(values + 3, transform->rotation, sizeof transform->rotation);
    memcpy(values + 7, transform->scale, sizeof transform->scale);
    return transform_of(values, 1);
}

// v + 2 w (u x v) + 2 u x (u x v)
static void rotate(const double q[4], const double v[3], double result[3]) {
    const double c[3] = {q[1] * v[2] - q[2] * v[1], q[2] * v[0] - q[0] * v[2], q[0] * v[1] - q[1] * v[0]};
    const double d[3] = {q[1] * c[2] - q[2] * c[1], q[2] * c[0] - q[0] * c[2], q[0] * c[1] - q[1] * c[0]};
    for (int i = 0; i < 3; i++) {
        result[i] = v[i] + 2.0 * (q[3] * c[i] + d[i]);
    }
}

oracle_transform oracle_transform_multiply(const oracle_transform *a, const oracle_transform *b) {
    oracle_transform result;
    double scaled[3], rotated[3];
    for (int i = 0; i < 3; i++) {
        scaled[i] = a->scale[i] * b->translation[i];
        result.scale[i] = a->scale[i] * b->scale[i];
    }
    rotate(a->rotation, scaled, rotated);
    for (int i = 0; i < 3; i++) {
        result.translation[i] = a->translation[i] + rotated[i];
    }
    oracle_quaternion_multiply(a->rotation, b->rotation, result.rotation);
    return result;
}

oracle_affine oracle_affine_from_float(const lmb_affine *affine) {
    oracle_affine result;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            result.m[row][column] = (double)affine->m[row][column];
        }
    }
    return result;
}

oracle_affine oracle_affine_from_transform(const oracle_transform *transform) {
    oracle_affine result;
    for (int column = 0; column < 3; column++) {
        double axis[3] = {0.0, 0.0, 0.0}, rotated[3];
        axis[column] = transform->scale[column];
        rotate(transform->rotation, axis, rotated);
        for (int row = 0; row < 3; row++) {
            result.m[row][column] = rotated[row];
        }
    }
    for (int row = 0; row < 3; row++) {
        result.m[row][3] = transform->translation[row];
    }
    return result;
}

oracle_affine oracle_affine_multiply(const oracle_affine *a, const oracle_affine *b) {
    oracle_affine result;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            double sum = column == 3 ? a->m[row][3] : 0.0;
            for (int k = 0; k < 3; k++) {
                sum += a->m[row][k] * b->m[k][column];
            }
            result.m[row][column] = sum;
        }
    }
    return result;
}

double oracle_clip_time(double time, double duration, bool loop) {
    if (!isfinite(time)) {
        time = 0.0;
    }
    if (!loop) {
        return fmin(fmax(time, 0.0), duration);
    }
    if (duration <= 0.0) {
        return 0.0;
    }
    const double rest = fmod(time, duration);
    return rest < 0.0 ? rest + duration : rest;
}

double oracle_clip_duration(const lmb_clip_def *clip) {
    float last = 0.0f;
    for (uint32_t i = 0; i < clip->track_count && !(clip->duration > 0.0f); i++) {
        const float end = clip->tracks[i].times[clip->tracks[i].key_count - 1];
        last = end > last ? end : last;
    }
    return (double)(clip->duration > 0.0f ? clip->duration : last);
}

static const lmb_track_def *find_track(const lmb_clip_def *clip, uint32_t joint, lmb_property channel) {
    for (uint32_t i = 0; i < clip->track_count; i++) {
        if (clip->tracks[i].joint == joint && clip->tracks[i].property == channel) {
            return &clip->tracks[i];
        }
    }
    return NULL;
}

enum { IN_TANGENT, VALUE, OUT_TANGENT };

static void read_key(const lmb_track_def *track, uint32_t key, int part, double result[4]) {
    const uint32_t width = track->property == LMB_PROPERTY_ROTATION ? 4 : 3;
    const bool spline = track->interpolation == LMB_INTERPOLATION_CUBIC_SPLINE;
    const float *values = track->values + (spline ? (size_t)key * 3 + (size_t)part : key) * width;
    result[3] = 0.0;
    for (uint32_t i = 0; i < width; i++) {
        result[i] = (double)values[i];
    }
    if (width == 4 && !spline) {
        const double given[4] = {result[0], result[1], result[2], result[3]};
        oracle_quaternion_normalise(given, result);
    }
}

// glTF 2.0, appendix C.5: tangents are scaled by the time between the two keys.
static void hermite(const lmb_track_def *track, uint32_t key, double t, double step, double result[4]) {
    double value0[4], value1[4], out0[4], in1[4];
    read_key(track, key, VALUE, value0);
    read_key(track, key, OUT_TANGENT, out0);
    read_key(track, key + 1, VALUE, value1);
    read_key(track, key + 1, IN_TANGENT, in1);
    const double t2 = t * t, t3 = t2 * t;
    for (int i = 0; i < 4; i++) {
        result[i] = (2.0 * t3 - 3.0 * t2 + 1.0) * value0[i] + step * (t3 - 2.0 * t2 + t) * out0[i] +
                    (-2.0 * t3 + 3.0 * t2) * value1[i] + step * (t3 - t2) * in1[i];
    }
}

static void sample_track(const lmb_track_def *track, double time, oracle_choices *choices, double result[4]) {
    uint32_t key = 0;
    while (key + 1 < track->key_count && (double)track->times[key + 1] <= time) {
        key++;
    }
    read_key(track, key, VALUE, result);
    const double start = (double)track->times[key];
    if (key + 1 == track->key_count || time <= start || track->interpolation == LMB_INTERPOLATION_STEP) {
        return;
    }
    const double step = (double)track->times[key + 1] - start, t = (time - start) / step;
    if (track->interpolation == LMB_INTERPOLATION_CUBIC_SPLINE) {
        hermite(track, key, t, step, result);
        return;
    }
    const double from[4] = {result[0], result[1], result[2], result[3]};
    double next[4];
    read_key(track, key + 1, VALUE, next);
    if (track->property == LMB_PROPERTY_ROTATION) {
        oracle_quaternion_slerp(from, next, t, choices, result);
        return;
    }
    for (int i = 0; i < 3; i++) {
        result[i] = oracle_lerp(from[i], next[i], t);
    }
}

bool oracle_clip_sample(const lmb_clip_def *clip, uint32_t joint, double time, const oracle_transform *rest,
                        oracle_choices *choices, oracle_transform *result) {
    double value[4];
    bool direction = true;
    *result = *rest;
    const lmb_track_def *track = find_track(clip, joint, LMB_PROPERTY_TRANSLATION);
    if (track != NULL) {
        sample_track(track, time, choices, value);
        memcpy(result->translation, value, sizeof result->translation);
    }
    track = find_track(clip, joint, LMB_PROPERTY_ROTATION);
    if (track != NULL) {
        sample_track(track, time, choices, value);
        direction = oracle_quaternion_normalise(value, result->rotation);
    }
    track = find_track(clip, joint, LMB_PROPERTY_SCALE);
    if (track != NULL) {
        sample_track(track, time, choices, value);
        memcpy(result->scale, value, sizeof result->scale);
    }
    return direction;
}

// Evaluates the ease-in curve of a family: it starts flat and ends with its full slope. It is the first of the family's
// three curves.
static double curve_in(lmb_curve family, double a) {
    switch (family) {
    case LMB_CURVE_QUADRATIC_IN:
        return a * a;
    case LMB_CURVE_CUBIC_IN:
        return a * a * a;
    default:
        return 1.0 - cos(ORACLE_PI / 2.0 * a);
    }
}

double oracle_curve(lmb_value value, double a) {
    switch (value.curve) {
    case LMB_CURVE_LINEAR:
        return a;
    case LMB_CURVE_UNIFORM_S:
        return a * a / (2.0 * (a * a - a) + 1.0);
    case LMB_CURVE_SMOOTHSTEP:
        return 3.0 * a * a - 2.0 * a * a * a;
    case LMB_CURVE_BEZIER:
        return 3.0 * (1.0 - a) * (1.0 - a) * a * (double)value.control[0] +
               3.0 * (1.0 - a) * a * a * (double)value.control[1] + a * a * a;
    // Sine and cosine use their own formulas.
    case LMB_CURVE_SINE_OUT:
    case LMB_CURVE_COSINE_OUT:
        return sin(ORACLE_PI / 2.0 * a);
    case LMB_CURVE_SINE_IN_OUT:
    case LMB_CURVE_COSINE_IN_OUT:
        return (1.0 - cos(ORACLE_PI * a)) / 2.0;
    case LMB_CURVE_QUADRATIC_OUT:
    case LMB_CURVE_CUBIC_OUT:
        return 1.0 - curve_in((lmb_curve)(value.curve - 1), 1.0 - a);
    case LMB_CURVE_QUADRATIC_IN_OUT:
    case LMB_CURVE_CUBIC_IN_OUT:
        return a <= 0.5 ? curve_in((lmb_curve)(value.curve - 2), 2.0 * a) / 2.0
                        : 1.0 - curve_in((lmb_curve)(value.curve - 2), 2.0 - 2.0 * a) / 2.0;
    default:
        return curve_in(value.curve, a);
    }
}

static double read_plain(const oracle_scene *scene, lmb_value value, uint32_t character) {
    return value.kind == LMB_VALUE_CONSTANT
               ? (double)value.constant
               : (double)scene->parameters[(size_t)character * scene->parameter_count + value.parameter];
}

static double shape(lmb_value value, double number) {
    const double snapped = oracle_snap(number);
    const double given = fmin(fmax(snapped, 0.0), 1.0);
    return value.curve == LMB_CURVE_LINEAR ? number : oracle_curve(value, given);
}

static double read_value(const oracle_scene *scene, lmb_value value, uint32_t character) {
    const double number = read_plain(scene, value, character);
    return isfinite(number) ? shape(value, number) : number;
}

static double read_weight(const oracle_scene *scene, lmb_value value, uint32_t character, double min, double largest) {
    const double weight = oracle_snap(read_plain(scene, value, character));
    return fmin(fmax(shape(value, weight), min), largest);
}

static oracle_transform rest_of(const oracle_scene *scene, uint32_t joint) {
    const lmb_transform rest = lmb_rig_get_def(scene->rig)->joints[joint].rest;
    return oracle_transform_from_float(&rest);
}

// Returns the joint's index in poses of the current joint map, or LMB_NONE.
static uint32_t joint_there(const oracle_scene *scene, uint32_t joint) {
    return scene->part == NULL ? joint : scene->part->joints[joint];
}

static uint32_t joints_there(const oracle_scene *scene) {
    return scene->part == NULL ? lmb_rig_get_def(scene->rig)->joint_count : scene->part->joint_count;
}

static oracle_transform evaluate_clip(const oracle_scene *scene, const lmb_node_def *node, uint32_t character,
                                      uint32_t joint, oracle_choices *choices) {
    const oracle_transform rest = rest_of(scene, joint);
    const double index = floor(read_value(scene, node->clip, character));
    if (!(index >= 0.0 && index < (double)scene->clip_count) || joint_there(scene, joint) == LMB_NONE) {
        return rest;
    }
    const lmb_rig *clip_rig = scene->clip_rigs == NULL ? scene->rig : scene->clip_rigs[(uint32_t)index];
    if (lmb_rig_get_def(clip_rig)->joint_count != joints_there(scene)) {
        return rest;
    }
    const lmb_transform filled_float = lmb_rig_get_def(clip_rig)->joints[joint_there(scene, joint)].rest;
    const oracle_transform filled = oracle_transform_from_float(&filled_float);
    const lmb_clip_def *clip = &scene->clips[(uint32_t)index];
    const double given = read_value(scene, node->time, character) * read_value(scene, node->rate, character) +
                         read_value(scene, node->offset, character);
    const double time = oracle_clip_time(given, oracle_clip_duration(clip), node->loop);
    oracle_transform result;
    oracle_clip_sample(clip, joint_there(scene, joint), time, &filled, choices, &result);
    result.weight = clip->joint_weights != NULL ? (double)clip->joint_weights[joint_there(scene, joint)] : 255.0;
    return result;
}

static oracle_transform evaluate_pose(const oracle_scene *scene, const lmb_node_def *node, uint32_t character,
                                      uint32_t joint) {
    const size_t joints = joints_there(scene);
    const uint32_t there = joint_there(scene, joint);
    if (there == LMB_NONE) {
        return rest_of(scene, joint);
    }
    if (node->static_pose != LMB_NONE) {
        oracle_transform given = oracle_transform_from_float(&scene->static_poses[node->static_pose].joints[there]);
        oracle_quaternion_normalise(given.rotation, given.rotation);
        return given;
    }
    const float *values = scene->poses[node->pose] + (size_t)character * LMB_POSE_COMPONENTS * joints + there;
    float snapped[LMB_POSE_COMPONENTS];
    bool finite = true;
    for (size_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
        finite = finite && isfinite(values[i * joints]);
        snapped[i] = (float)oracle_snap((double)values[i * joints]);
    }
    const bool turned = snapped[3] != 0.0f || snapped[4] != 0.0f || snapped[5] != 0.0f || snapped[6] != 0.0f;
    return finite && turned ? transform_of(snapped, 1) : rest_of(scene, joint);
}

// Interpolates unit quaternions by sin(t angle) / sin(angle), without a choice of hemisphere.
static void slerp_as_given(const double a[4], const double b[4], double t, double result[4]) {
    double sum = 0.0, blended[4];
    for (int i = 0; i < 4; i++) {
        sum += (a[i] + b[i]) * (a[i] + b[i]);
    }
    const double angle = angle_between(a, b);
    for (int i = 0; i < 4; i++) {
        blended[i] = sum < exp2(-20.0) ? a[i]
                     : angle < 1e-9    ? (1.0 - t) * a[i] + t * b[i]
                                       : (sin((1.0 - t) * angle) * a[i] + sin(t * angle) * b[i]) / sin(angle);
    }
    oracle_quaternion_normalise(blended, result);
}

// Interpolates from a to b as the node selects, for any t.
static void interpolate_rotations(const lmb_node_def *node, const double a[4], const double b[4], double t,
                                  oracle_choices *choices, double result[4]) {
    const double sign = node->shortest ? hemisphere(a, b, choices) : 1.0;
    double near[4], sum[4], square = 0.0;
    for (int i = 0; i < 4; i++) {
        near[i] = sign * b[i];
        sum[i] = (1.0 - t) * a[i] + t * near[i];
        square += sum[i] * sum[i];
    }
    if (node->interpolation == LMB_MIX_SLERP || node->interpolation == LMB_MIX_DEFAULT) {
        slerp_as_given(a, near, t, result);
    } else {
        oracle_quaternion_normalise(square < exp2(-40.0) ? a : sum, result);
    }
}

static bool scales_linearly(const lmb_node_def *node) {
    return node->linear_scale || node->interpolation == LMB_MIX_LERP;
}

static double interpolate_scale(const lmb_node_def *node, double a, double b, double t) {
    return scales_linearly(node) ? oracle_lerp(a, b, t) : oracle_scale_blend(a, b, t);
}

static oracle_transform mix(const lmb_node_def *node, const oracle_transform *a, const oracle_transform *b,
                            double weight, oracle_choices *choices) {
    oracle_transform result;
    result.weight = a->weight;
    for (int i = 0; i < 3; i++) {
        result.translation[i] = oracle_lerp(a->translation[i], b->translation[i], weight);
        result.scale[i] = interpolate_scale(node, a->scale[i], b->scale[i], weight);
    }
    interpolate_rotations(node, a->rotation, b->rotation, weight, choices, result.rotation);
    return result;
}

// At weight 1 the rotation is b with b's own sign. So close to 1 that rounding decides, the caller chooses.
static oracle_transform blend(const lmb_node_def *node, const oracle_transform *a, const oracle_transform *b,
                              double weight, oracle_choices *choices) {
    oracle_transform result = mix(node, a, b, weight, choices);
    bool is_own = weight == 1.0;
    if (!is_own && weight > 1.0 - 1e-6 && choices->met < 32) {
        is_own = choices->turned >> choices->met++ & 1u;
    }
    if (is_own) {
        memcpy(result.rotation, b->rotation, sizeof result.rotation);
    }
    return result;
}

static const oracle_transform no_change = {.rotation = {0.0, 0.0, 0.0, 1.0}, .scale = {1.0, 1.0, 1.0}};

static oracle_transform add(const oracle_transform *a, const oracle_transform *b, double weight) {
    oracle_transform result;
    result.weight = weight;
    for (int i = 0; i < 3; i++) {
        result.translation[i] = a->translation[i] + b->translation[i];
        result.scale[i] = a->scale[i] * b->scale[i];
    }
    oracle_quaternion_multiply(a->rotation, b->rotation, result.rotation);
    return result;
}

static oracle_transform subtract(const oracle_transform *a, const oracle_transform *b) {
    oracle_transform result;
    result.weight = a->weight;
    double conjugate[4];
    for (int i = 0; i < 3; i++) {
        result.translation[i] = a->translation[i] - b->translation[i];
        result.scale[i] = b->scale[i] == 0.0 ? 1.0 : a->scale[i] / b->scale[i];
    }
    oracle_quaternion_conjugate(b->rotation, conjugate);
    oracle_quaternion_multiply(a->rotation, conjugate, result.rotation);
    return result;
}

static void linear_part(const double q[4], const double scale[3], double m[3][3]) {
    for (int column = 0; column < 3; column++) {
        double axis[3] = {0.0, 0.0, 0.0}, turned[3];
        axis[column] = scale[column];
        rotate(q, axis, turned);
        for (int row = 0; row < 3; row++) {
            m[row][column] = turned[row];
        }
    }
}

static double column_product(double a[3][3], int i, double b[3][3], int j) {
    return a[0][i] * b[0][j] + a[1][i] * b[1][j] + a[2][i] * b[2][j];
}

// Converts a rotation matrix to a quaternion by Shepperd's method, starting from the largest component.
static void matrix_quaternion(double m[3][3], double q[4]) {
    const double traces[4] = {m[0][0] - m[1][1] - m[2][2], m[1][1] - m[2][2] - m[0][0], m[2][2] - m[0][0] - m[1][1],
                              m[0][0] + m[1][1] + m[2][2]};
    int w = 0;
    for (int i = 1; i < 4; i++) {
        w = traces[i] > traces[w] ? i : w;
    }
    const int x = w == 3 ? 0 : w, y = (x + 1) % 3, z = (x + 2) % 3;
    if (w == 3) {
        q[0] = m[2][1] - m[1][2];
        q[1] = m[0][2] - m[2][0];
        q[2] = m[1][0] - m[0][1];
        q[3] = 1.0 + traces[3];
    } else {
        q[x] = 1.0 + traces[w];
        q[y] = m[y][x] + m[x][y];
        q[z] = m[z][x] + m[x][z];
        q[3] = m[z][y] - m[y][z];
    }
    oracle_quaternion_normalise(q, q);
}

// Finds the transform whose matrix has this linear part, with its columns multiplied by `scale`. The axes keep the
// signs that bring them near those of q if that gives a rotation; otherwise all axes have the same sign. Returns false
// for sheared or flat matrices.
static bool take_apart(double m[3][3], const double q[4], const double scale[3], oracle_transform *result) {
    const double none[3] = {1.0, 1.0, 1.0};
    double own[3][3], turn[3][3], lengths[3], max = 0.0, signs[3];
    linear_part(q, none, own);
    for (int i = 0; i < 3; i++) {
        lengths[i] = sqrt(column_product(m, i, m, i));
        max = fmax(max, lengths[i]);
    }
    for (int i = 0; i < 3; i++) {
        const int next = (i + 1) % 3;
        if (!(lengths[i] >= exp2(-20.0) * max) || max == 0.0 ||
            fabs(column_product(m, i, m, next)) > 1e-4 * lengths[i] * lengths[next]) {
            return false;
        }
    }
    bool near = true;
    for (int i = 0; i < 3; i++) {
        const double along = column_product(m, i, own, i) / lengths[i];
        signs[i] = along < 0.0 ? -1.0 : 1.0;
        near = near && fabs(fabs(along) - 1.0) <= 1e-8;
    }
    const double volume = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) +
                          m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
                          m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    for (int i = 0; i < 3; i++) {
        signs[i] = near ? signs[i] : volume < 0.0 ? -1.0 : 1.0;
        for (int row = 0; row < 3; row++) {
            turn[row][i] = signs[i] * m[row][i] / lengths[i];
        }
        result->scale[i] = signs[i] * lengths[i] * scale[i];
    }
    matrix_quaternion(turn, result->rotation);
    for (int i = 0, turned = oracle_quaternion_dot(result->rotation, q) < 0.0; i < 4 && turned; i++) {
        result->rotation[i] = -result->rotation[i];
    }
    return true;
}

// Multiplies as matrices: the linear part is a's rotation and scale times b's rotation, then times b's scale.
static bool product(const oracle_transform *a, const oracle_transform *b, oracle_transform *result) {
    const double none[3] = {1.0, 1.0, 1.0};
    double left[3][3], right[3][3], m[3][3], moved[3], whole[4];
    result->weight = b->weight;
    for (int i = 0; i < 3; i++) {
        moved[i] = a->scale[i] * b->translation[i];
    }
    rotate(a->rotation, moved, result->translation);
    linear_part(a->rotation, a->scale, left);
    linear_part(b->rotation, none, right);
    for (int row = 0; row < 3; row++) {
        result->translation[row] += a->translation[row];
        for (int column = 0; column < 3; column++) {
            m[row][column] =
                left[row][0] * right[0][column] + left[row][1] * right[1][column] + left[row][2] * right[2][column];
        }
    }
    oracle_quaternion_multiply(a->rotation, b->rotation, whole);
    return take_apart(m, whole, b->scale, result);
}

static bool quotient(const oracle_transform *s, const oracle_transform *r, oracle_transform *result) {
    oracle_transform ratio = *s, back = *r;
    double moved[3];
    for (int i = 0; i < 3; i++) {
        if (r->scale[i] == 0.0) {
            return false;
        }
        ratio.scale[i] = s->scale[i] / r->scale[i];
        back.scale[i] = 1.0;
    }
    oracle_quaternion_conjugate(r->rotation, back.rotation);
    rotate(back.rotation, r->translation, moved);
    for (int i = 0; i < 3; i++) {
        back.translation[i] = -moved[i];
    }
    return product(&ratio, &back, result);
}

static oracle_transform evaluate_corners(const oracle_scene *scene, const lmb_node_def *node, uint32_t first,
                                         uint32_t positions, uint32_t character, uint32_t joint,
                                         oracle_choices *choices) {
    if (positions == 0) {
        return oracle_evaluate(scene, node->inputs[first], character, joint, choices);
    }
    const uint32_t half = 1u << (positions - 1);
    const oracle_transform a = evaluate_corners(scene, node, first, positions - 1, character, joint, choices);
    const oracle_transform b = evaluate_corners(scene, node, first + half, positions - 1, character, joint, choices);
    return blend(node, &a, &b, read_weight(scene, node->coordinates[positions - 1], character, 0.0, 1.0), choices);
}

static oracle_transform difference(const oracle_transform *a, const oracle_transform *reference) {
    oracle_transform result;
    result.weight = a->weight;
    double conjugate[4];
    for (int i = 0; i < 3; i++) {
        result.translation[i] = a->translation[i] - reference->translation[i];
        result.scale[i] = reference->scale[i] == 0.0 ? 1.0 : a->scale[i] / reference->scale[i];
    }
    oracle_quaternion_conjugate(reference->rotation, conjugate);
    oracle_quaternion_multiply(conjugate, a->rotation, result.rotation);
    return result;
}

static double weighted_scale(const oracle_transform *inputs, const double *weights, uint32_t count, int axis) {
    double mean = 0.0, logarithm = 0.0, first = 0.0;
    bool geometric = true;
    for (uint32_t i = 0; i < count; i++) {
        const double scale = inputs[i].scale[axis];
        first = i == 0 ? scale : first;
        geometric = geometric && scale * first > 0.0;
        mean += weights[i] * scale;
        logarithm += geometric ? weights[i] * log(fabs(scale)) : 0.0;
    }
    return geometric ? copysign(exp(logarithm), first) : mean;
}

static double mean_scale(const oracle_transform *inputs, const double *weights, uint32_t count, int axis) {
    double mean = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        mean += weights[i] * inputs[i].scale[axis];
    }
    return mean;
}

// Interpolates from input to input; each input has its share of the weights up to it.
static void slerp_in_order(const lmb_node_def *node, const oracle_transform *inputs, const double *weights,
                           uint32_t count, oracle_choices *choices, double result[4]) {
    double sum = weights[0];
    memcpy(result, inputs[0].rotation, sizeof inputs[0].rotation);
    for (uint32_t i = 1; i < count; i++) {
        double before[4];
        memcpy(before, result, sizeof before);
        sum += weights[i];
        interpolate_rotations(node, before, inputs[i].rotation, weights[i] / sum, choices, result);
    }
}

// The caller leaves out inputs of weight 0, and the weights sum to 1.
static oracle_transform weighted(const lmb_node_def *node, const oracle_transform *inputs, const double *weights,
                                 uint32_t count, const oracle_transform *rest, oracle_choices *choices) {
    oracle_transform result = *rest;
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        result.translation[i] = 0.0;
        result.scale[i] =
            scales_linearly(node) ? mean_scale(inputs, weights, count, i) : weighted_scale(inputs, weights, count, i);
    }
    for (uint32_t i = 0; i < count; i++) {
        const double sign = i == 0 || !node->shortest ? 1.0 : hemisphere(sum, inputs[i].rotation, choices);
        for (int k = 0; k < 4; k++) {
            sum[k] += sign * weights[i] * inputs[i].rotation[k];
        }
        for (int k = 0; k < 3; k++) {
            result.translation[k] += weights[i] * inputs[i].translation[k];
        }
    }
    oracle_quaternion_normalise(sum, result.rotation);
    if (node->interpolation == LMB_MIX_SLERP) {
        slerp_in_order(node, inputs, weights, count, choices, result.rotation);
    }
    return result;
}

static oracle_transform evaluate_weighted(const oracle_scene *scene, const lmb_node_def *node, uint32_t character,
                                          uint32_t joint, oracle_choices *choices) {
    const oracle_transform rest = rest_of(scene, joint);
    oracle_transform inputs[LMB_MAX_INPUTS];
    double weights[LMB_MAX_INPUTS], sum = 0.0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        weights[count] = read_weight(scene, node->weights[i], character, 0.0, (double)LMB_LARGEST);
        if (weights[count] > 0.0) {
            inputs[count] = oracle_evaluate(scene, node->inputs[i], character, joint, choices);
            sum += weights[count++];
        }
    }
    double max = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        weights[i] /= sum;
        max = fmax(max, inputs[i].weight);
    }
    oracle_transform result = count == 0 ? rest : weighted(node, inputs, weights, count, &rest, choices);
    result.weight = count == 0 ? 255.0 : max;
    return result;
}

static oracle_transform evaluate_space(const oracle_scene *scene, const lmb_node_def *node, uint32_t character,
                                       uint32_t joint, oracle_choices *choices) {
    const oracle_transform rest = rest_of(scene, joint);
    oracle_transform inputs[LMB_MAX_SPACE_INPUTS];
    double position[2], all[LMB_MAX_SPACE_INPUTS], weights[LMB_MAX_SPACE_INPUTS], max = 0.0;
    uint32_t count = 0;
    for (int axis = 0; axis < 2; axis++) {
        const double snapped = oracle_snap(read_plain(scene, node->coordinates[axis], character));
        position[axis] = shape(node->coordinates[axis], snapped);
    }
    space_oracle_weights(node, position[0], position[1], all);
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (oracle_snap(all[i]) > 0.0) {
            inputs[count] = oracle_evaluate(scene, node->inputs[i], character, joint, choices);
            max = fmax(max, inputs[count].weight);
            weights[count++] = all[i];
        }
    }
    lmb_node_def plain = lmb_default_node_def();
    plain.linear_scale = node->linear_scale;
    oracle_transform result = count == 0 ? rest : weighted(&plain, inputs, weights, count, &rest, choices);
    result.weight = count == 0 ? 255.0 : max;
    return result;
}

// Rounds to an integer. Within 1e-4 of the midpoint between two integers, the caller chooses.
static double round_weight(double weight, oracle_choices *choices) {
    const double rounded = floor(weight + 0.5);
    const double past = weight - floor(weight) - 0.5;
    if (fabs(past) > 1e-4 || choices->met >= 32) {
        return rounded;
    }
    return choices->turned >> choices->met++ & 1u ? (past < 0.0 ? rounded + 1.0 : rounded - 1.0) : rounded;
}

// Blends as graph.h defines if both poses have the joint; otherwise returns the pose that has it.
static oracle_transform partial(const oracle_transform *a, const oracle_transform *b, double alpha,
                                oracle_choices *choices) {
    if (a->weight == 0.0 || b->weight == 0.0) {
        return a->weight == 0.0 ? *b : *a;
    }
    const double share =
        b->weight > a->weight ? (b->weight - a->weight + alpha * a->weight) / b->weight : alpha * b->weight / a->weight;
    const lmb_node_def plain = lmb_default_node_def();
    oracle_transform result = blend(&plain, a, b, share, choices);
    result.weight = round_weight((1.0 - share) * a->weight + share * b->weight, choices);
    return result;
}

// Returns the joint's share of an input's fade.
static double layer_input_share(const oracle_scene *scene, const lmb_node_def *node, uint32_t input, uint32_t character,
                                uint32_t joint) {
    oracle_choices ignored = {0};
    double share = node->masks[input] == LMB_NONE ? 1.0 : (double)scene->masks[node->masks[input]][joint] / 255.0;
    if (scene->nodes[node->inputs[input]].op == LMB_OP_CLIP) {
        share *= oracle_evaluate(scene, node->inputs[input], character, joint, &ignored).weight / 255.0;
    }
    return share;
}

// The rest pose is below the inputs and takes the weight that no layer took.
static oracle_transform evaluate_layers(const oracle_scene *scene, const lmb_node_def *node, uint32_t character,
                                        uint32_t joint, oracle_choices *choices) {
    const oracle_transform rest = rest_of(scene, joint);
    oracle_transform inputs[LMB_MAX_INPUTS + 1];
    double fades[LMB_MAX_INPUTS], weights[LMB_MAX_INPUTS + 1], left = 1.0;
    uint32_t count = 0;
    bool done[LMB_MAX_INPUTS] = {false};
    double shares[LMB_MAX_INPUTS] = {0.0};
    for (uint32_t i = 0; i < node->input_count; i++) {
        fades[i] = read_weight(scene, node->weights[i], character, 0.0, 1.0) *
                   layer_input_share(scene, node, i, character, joint);
    }
    for (uint32_t finished = 0; finished < node->input_count;) {
        int64_t highest = INT64_MIN;
        double sum = 0.0;
        for (uint32_t i = 0; i < node->input_count; i++) {
            highest = !done[i] && node->priorities[i] > highest ? node->priorities[i] : highest;
        }
        for (uint32_t i = 0; i < node->input_count; i++) {
            sum += node->priorities[i] == highest ? fades[i] : 0.0;
        }
        for (uint32_t i = 0; i < node->input_count; i++) {
            if (node->priorities[i] == highest) {
                shares[i] = fades[i] > 0.0 ? left * fades[i] / fmax(sum, (double)node->threshold) : 0.0;
                done[i] = true;
                finished++;
            }
        }
        left *= sum > 0.0 ? 1.0 - fmin(sum / (double)node->threshold, 1.0) : 1.0;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (oracle_snap(shares[i]) > 0.0) {
            inputs[count] = oracle_evaluate(scene, node->inputs[i], character, joint, choices);
            weights[count++] = shares[i];
        }
    }
    if (oracle_snap(left) > 0.0) {
        inputs[count] = rest;
        weights[count++] = left;
    }
    double max = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        max = fmax(max, inputs[i].weight);
    }
    lmb_node_def plain = lmb_default_node_def();
    plain.linear_scale = node->linear_scale;
    oracle_transform result = weighted(&plain, inputs, weights, count, &rest, choices);
    result.weight = max;
    return result;
}

// Computes the rotation of the rest pose in model space.
static void rest_turn(const oracle_scene *scene, uint32_t joint, double q[4]) {
    const oracle_transform rest = rest_of(scene, joint);
    const uint32_t parent = lmb_rig_get_def(scene->rig)->joints[joint].parent;
    double above[4] = {0.0, 0.0, 0.0, 1.0};
    if (parent != LMB_NONE) {
        rest_turn(scene, parent, above);
    }
    oracle_quaternion_multiply(above, rest.rotation, q);
}

static void reflect_vector(double v[3], lmb_axis axis) {
    v[axis] = -v[axis];
}

// Reflects a rotation: the mirror image of a rotation about an axis is the opposite rotation about the reflected axis.
static void reflect_rotation(double q[4], lmb_axis axis) {
    reflect_vector(q, axis);
    oracle_quaternion_conjugate(q, q);
}

// Computes M G_partner^-1 M G. Above a root, G is the identity.
static void frame_difference(const oracle_scene *scene, const lmb_mirror_def *mirror, uint32_t joint, double c[4]) {
    double own[4], partner[4];
    c[0] = c[1] = c[2] = 0.0;
    c[3] = 1.0;
    if (joint != LMB_NONE) {
        rest_turn(scene, joint, own);
        rest_turn(scene, mirror->partners[joint], partner);
        oracle_quaternion_conjugate(partner, partner);
        reflect_rotation(partner, mirror->axis);
        oracle_quaternion_multiply(partner, own, c);
    }
}

static oracle_transform evaluate_mirror(const oracle_scene *scene, const lmb_node_def *node, uint32_t character,
                                        uint32_t joint, oracle_choices *choices) {
    const lmb_mirror_def *mirror = &scene->mirrors[node->mirror];
    const uint32_t partner = mirror->partners[joint];
    oracle_transform a = oracle_evaluate(scene, node->inputs[0], character, partner, choices);
    oracle_transform result = a;
    double before[4], after[4], turned[4];
    frame_difference(scene, mirror, lmb_rig_get_def(scene->rig)->joints[joint].parent, before);
    frame_difference(scene, mirror, joint, after);
    oracle_quaternion_conjugate(before, before);
    reflect_vector(a.translation, mirror->axis);
    rotate(before, a.translation, result.translation);
    reflect_rotation(a.rotation, mirror->axis);
    oracle_quaternion_multiply(before, a.rotation, turned);
    oracle_quaternion_multiply(turned, after, result.rotation);
    for (int i = 0; i < 3; i++) {
        double axis[3] = {0.0, 0.0, 0.0}, old[3];
        axis[i] = 1.0;
        rotate(after, axis, old);
        result.scale[i] = old[0] * old[0] * a.scale[0] + old[1] * old[1] * a.scale[1] + old[2] * old[2] * a.scale[2];
    }
    return result;
}

static double clamp(double value, double min, double max) {
    return fmin(fmax(value, min), max);
}

// Clamps to the closer end around the circle; half a turn from the middle, to the max.
static double clamp_twist(double angle, double min, double max) {
    const double middle = (min + max) / 2.0, away = remainder(angle - middle, 360.0);
    if (fabs(away) <= (max - min) / 2.0) {
        return angle;
    }
    return away < 0.0 && away > -180.0 ? min : max;
}

static void limit_swing_twist(const lmb_joint_limit_def *limit, double r[4]) {
    const double degrees = 180.0 / 3.14159265358979324;
    const int x = (int)limit->twist_axis, y = (x + 1) % 3, z = (x + 2) % 3;
    double twist[4] = {0.0, 0.0, 0.0, 1.0}, back[4], swing[4];
    double angle = 2.0 * atan2(r[x], r[3]) * degrees;
    twist[x] = sin(angle / 2.0 / degrees);
    twist[3] = cos(angle / 2.0 / degrees);
    oracle_quaternion_conjugate(twist, back);
    oracle_quaternion_multiply(r, back, swing);
    if (limit->set & LMB_JOINT_LIMIT_TWIST) {
        angle = clamp_twist(angle, (double)limit->twist_min, (double)limit->twist_max);
    }
    const double across = hypot(swing[y], swing[z]), most = (double)limit->swing;
    if ((limit->set & LMB_JOINT_LIMIT_SWING) && 2.0 * atan2(across, swing[3]) * degrees > most) {
        swing[y] *= sin(most / 2.0 / degrees) / across;
        swing[z] *= sin(most / 2.0 / degrees) / across;
        swing[3] = cos(most / 2.0 / degrees);
    }
    swing[x] = 0.0;
    twist[x] = sin(angle / 2.0 / degrees);
    twist[3] = cos(angle / 2.0 / degrees);
    oracle_quaternion_multiply(swing, twist, r);
}

static void limit_angles(const lmb_joint_limit_def *limit, double r[4]) {
    const double degrees = 180.0 / 3.14159265358979324, sign = r[3] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; i++) {
        const double angle = 2.0 * atan2(sign * r[i], sign * r[3]) * degrees;
        const double held = clamp(angle, (double)limit->angle_min[i], (double)limit->angle_max[i]);
        r[i] = held == angle ? r[i] : tan(held / 2.0 / degrees) * r[3];
    }
    oracle_quaternion_normalise(r, r);
}

oracle_transform oracle_limit(const lmb_joint_limit_def *limit, const oracle_transform *rest,
                              const oracle_transform *a) {
    oracle_transform result = *a;
    double r[4], inverse[4];
    for (int i = 0; i < 3; i++) {
        if (limit->set & LMB_JOINT_LIMIT_TRANSLATION) {
            result.translation[i] = clamp(a->translation[i], rest->translation[i] + (double)limit->translation_min[i],
                                          rest->translation[i] + (double)limit->translation_max[i]);
        }
        if (limit->set & LMB_JOINT_LIMIT_SCALE) {
            result.scale[i] = clamp(a->scale[i], (double)limit->scale_min[i], (double)limit->scale_max[i]);
        }
    }
    oracle_quaternion_conjugate(rest->rotation, inverse);
    oracle_quaternion_multiply(inverse, a->rotation, r);
    if (limit->set & (LMB_JOINT_LIMIT_TWIST | LMB_JOINT_LIMIT_SWING)) {
        limit_swing_twist(limit, r);
    }
    if (limit->set & LMB_JOINT_LIMIT_ANGLES) {
        limit_angles(limit, r);
    }
    oracle_quaternion_multiply(rest->rotation, r, result.rotation);
    const double sign = oracle_quaternion_dot(result.rotation, a->rotation) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; i++) {
        result.rotation[i] *= sign;
    }
    return result;
}

// Returns the last input that has the joint.
static oracle_transform evaluate_combine(const oracle_scene *scene, const lmb_node_def *node, uint32_t character,
                                         uint32_t joint, oracle_choices *choices) {
    for (uint32_t i = node->input_count; i-- > 0;) {
        oracle_scene inner = *scene;
        inner.part = node->joint_maps[i] == LMB_NONE ? NULL : &scene->joint_maps[node->joint_maps[i]];
        if (joint_there(&inner, joint) != LMB_NONE) {
            return oracle_evaluate(&inner, node->inputs[i], character, joint, choices);
        }
    }
    return rest_of(scene, joint);
}

// Computes a joint's rotation in model space after a node: the product from the root to the joint.
static void model_rotation(const oracle_scene *scene, uint32_t node, uint32_t character, uint32_t joint,
                           oracle_choices *choices, double result[4]) {
    double product[4] = {0.0, 0.0, 0.0, 1.0};
    for (; joint != LMB_NONE; joint = lmb_rig_get_def(scene->rig)->joints[joint].parent) {
        const oracle_transform own = oracle_evaluate(scene, node, character, joint, choices);
        oracle_quaternion_multiply(own.rotation, product, product);
    }
    memcpy(result, product, sizeof product);
}

static oracle_transform model_difference(const oracle_scene *scene, const lmb_node_def *node, uint32_t character,
                                         uint32_t joint, oracle_choices *choices) {
    const oracle_transform a = oracle_evaluate(scene, node->inputs[0], character, joint, choices);
    const oracle_transform r = oracle_evaluate(scene, node->inputs[1], character, joint, choices);
    oracle_transform result = difference(&a, &r);
    double of_a[4], of_r[4];
    model_rotation(scene, node->inputs[0], character, joint, choices, of_a);
    model_rotation(scene, node->inputs[1], character, joint, choices, of_r);
    oracle_quaternion_conjugate(of_r, of_r);
    oracle_quaternion_multiply(of_a, of_r, result.rotation);
    return result;
}

// Returns the additive of a joint in model space, scaled by the node's weight and mask.
static oracle_transform model_part(const oracle_scene *scene, const lmb_node_def *node, uint32_t character,
                                   uint32_t joint, oracle_choices *choices) {
    const double reach = node->unclamped ? 4.0 : 1.0, min = node->unclamped ? -4.0 : 0.0;
    double weight = read_weight(scene, node->weight, character, min, reach);
    weight *= node->mask != LMB_NONE ? (double)scene->masks[node->mask][joint] / 255.0 : 1.0;
    const oracle_transform d = oracle_evaluate(scene, node->inputs[1], character, joint, choices);
    return mix(node, &no_change, &d, weight, choices);
}

// Computes q = B_parent^-1 (P_parent^-1 P) B_parent b, where B is the base's rotation in model space.
static oracle_transform model_additive(const oracle_scene *scene, const lmb_node_def *node, uint32_t character,
                                       uint32_t joint, oracle_choices *choices) {
    const uint32_t parent = lmb_rig_get_def(scene->rig)->joints[joint].parent;
    const oracle_transform base = oracle_evaluate(scene, node->inputs[0], character, joint, choices);
    const oracle_transform part = model_part(scene, node, character, joint, choices);
    oracle_transform result = add(&part, &base, base.weight);
    if (parent != LMB_NONE) {
        const oracle_transform above = model_part(scene, node, character, parent, choices);
        double around[4], back[4], turn[4];
        model_rotation(scene, node->inputs[0], character, parent, choices, around);
        oracle_quaternion_conjugate(above.rotation, turn);
        oracle_quaternion_multiply(turn, part.rotation, turn);
        oracle_quaternion_conjugate(around, back);
        oracle_quaternion_multiply(back, turn, turn);
        oracle_quaternion_multiply(turn, around, turn);
        oracle_quaternion_multiply(turn, base.rotation, result.rotation);
    }
    return result;
}

oracle_transform oracle_evaluate(const oracle_scene *scene, uint32_t index, uint32_t character, uint32_t joint,
                                 oracle_choices *choices) {
    const lmb_node_def *node = &scene->nodes[index];
    switch (node->op) {
    case LMB_OP_CLIP: {
        oracle_transform sampled = evaluate_clip(scene, node, character, joint, choices);
        if (node->joint_weights != LMB_NONE) {
            sampled.weight = (double)scene->masks[node->joint_weights][joint];
        }
        return sampled;
    }
    case LMB_OP_POSE:
        return evaluate_pose(scene, node, character, joint);
    case LMB_OP_WEIGHTED:
        return evaluate_weighted(scene, node, character, joint, choices);
    case LMB_OP_LAYERS:
        return evaluate_layers(scene, node, character, joint, choices);
    case LMB_OP_SPACE1D:
    case LMB_OP_SPACE2D:
        return evaluate_space(scene, node, character, joint, choices);
    case LMB_OP_MIRROR:
        return evaluate_mirror(scene, node, character, joint, choices);
    case LMB_OP_COMBINE:
        return evaluate_combine(scene, node, character, joint, choices);
    case LMB_OP_MAKE_ADDITIVE:
        if (node->space == LMB_SPACE_MODEL) {
            return model_difference(scene, node, character, joint, choices);
        }
        break;
    case LMB_OP_ADDITIVE:
        if (node->space == LMB_SPACE_MODEL) {
            return model_additive(scene, node, character, joint, choices);
        }
        break;
    case LMB_OP_BILINEAR:
        return evaluate_corners(scene, node, 0, 2, character, joint, choices);
    case LMB_OP_TRILINEAR:
        return evaluate_corners(scene, node, 0, 3, character, joint, choices);
    case LMB_OP_REST:
    case LMB_OP_COUNT:
        return rest_of(scene, joint);
    default:
        break;
    }
    const oracle_transform a = oracle_evaluate(scene, node->inputs[0], character, joint, choices);
    if (node->op == LMB_OP_CLAMP) {
        const oracle_transform rest = rest_of(scene, joint);
        return oracle_limit(&scene->joint_limits[joint], &rest, &a);
    }
    if (node->op == LMB_OP_OVERRIDE) { // always by slerp
        lmb_node_def plain = *node;
        plain.interpolation = LMB_MIX_DEFAULT;
        plain.shortest = true;
        plain.linear_scale = false;
        const oracle_transform given = evaluate_pose(scene, node, character, joint);
        const double share = node->mask != LMB_NONE ? (double)scene->masks[node->mask][joint] / 255.0 : 1.0;
        return blend(&plain, &a, &given, share * read_weight(scene, node->weight, character, 0.0, 1.0), choices);
    }
    if (node->op == LMB_OP_SCALE) {
        oracle_transform scaled =
            mix(node, &no_change, &a, read_weight(scene, node->weight, character, -4.0, 4.0), choices);
        scaled.weight = a.weight;
        return scaled;
    }
    const oracle_transform b = oracle_evaluate(scene, node->inputs[1], character, joint, choices);
    if (node->op == LMB_OP_MAKE_ADDITIVE) {
        oracle_transform whole = a;
        const bool is_whole = node->form == LMB_FORM_AFFINE && quotient(&a, &b, &whole);
        whole.weight = a.weight;
        return is_whole ? whole : node->form == LMB_FORM_LOCAL ? difference(&a, &b) : subtract(&a, &b);
    }
    if (node->op == LMB_OP_ADD || node->op == LMB_OP_SUBTRACT) {
        return node->op == LMB_OP_ADD ? add(&a, &b, a.weight) : subtract(&a, &b);
    }
    if (node->op == LMB_OP_SUBTRACT_SCALE_ADD) {
        const oracle_transform c = oracle_evaluate(scene, node->inputs[2], character, joint, choices);
        const oracle_transform whole = subtract(&a, &b);
        const double factor = read_weight(scene, node->weight, character, -4.0, 4.0);
        const oracle_transform part = mix(node, &no_change, &whole, factor, choices);
        return add(&part, &c, a.weight);
    }
    if (node->op == LMB_OP_PARTIAL) {
        return partial(&a, &b, read_weight(scene, node->weight, character, 0.0, 1.0), choices);
    }
    const bool unclamped = node->op == LMB_OP_ADDITIVE && node->unclamped;
    double weight = read_weight(scene, node->weight, character, unclamped ? -4.0 : 0.0, unclamped ? 4.0 : 1.0);
    if (node->op == LMB_OP_MASKED || (node->op == LMB_OP_ADDITIVE && node->mask != LMB_NONE)) {
        weight *= (double)scene->masks[node->mask][joint] / 255.0;
    }
    if (node->op == LMB_OP_ADDITIVE) {
        const oracle_transform part = mix(node, &no_change, &b, weight, choices);
        oracle_transform whole = a;
        const bool is_whole = node->form == LMB_FORM_AFFINE && product(&part, &a, &whole);
        return is_whole ? whole : node->form == LMB_FORM_LOCAL ? add(&a, &part, a.weight) : add(&part, &a, a.weight);
    }
    return blend(node, &a, &b, weight, choices);
}

static void snap_affine(oracle_affine *affine) {
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            affine->m[row][column] = oracle_snap(affine->m[row][column]);
        }
    }
}

void oracle_model(const lmb_rig *rig, const oracle_transform *local, oracle_affine *model, oracle_affine *palette) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(rig);
    for (uint32_t joint = 0; joint < rig_def->joint_count; joint++) {
        const uint32_t parent = rig_def->joints[joint].parent;
        const lmb_affine inverse_float = rig_def->joints[joint].inverse_bind;
        const oracle_affine inverse = oracle_affine_from_float(&inverse_float);
        model[joint] = oracle_affine_from_transform(&local[joint]);
        if (parent != LMB_NONE) {
            model[joint] = oracle_affine_multiply(&model[parent], &model[joint]);
        }
        snap_affine(&model[joint]);
        if (palette != NULL) {
            palette[joint] = oracle_affine_multiply(&model[joint], &inverse);
            snap_affine(&palette[joint]);
        }
    }
}

static void cross(const double a[3], const double b[3], double result[3]) {
    for (int i = 0; i < 3; i++) {
        result[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

static double length(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static bool normalise(double v[3]) {
    const double of = length(v);
    for (int i = 0; i < 3 && of > 0.0; i++) {
        v[i] /= of;
    }
    return of > 0.0;
}

static void column_of(const oracle_affine *affine, int column, double result[3]) {
    for (int row = 0; row < 3; row++) {
        result[row] = affine->m[row][column];
    }
}

bool oracle_affine_invert(const oracle_affine *affine, oracle_affine *inverse) {
    double x[3], y[3], z[3], rows[3][3];
    column_of(affine, 0, x);
    column_of(affine, 1, y);
    column_of(affine, 2, z);
    cross(y, z, rows[0]);
    cross(z, x, rows[1]);
    cross(x, y, rows[2]);
    const double determinant = x[0] * rows[0][0] + x[1] * rows[0][1] + x[2] * rows[0][2];
    *inverse = (oracle_affine){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    if (determinant == 0.0) {
        return false;
    }
    for (int row = 0; row < 3; row++) {
        inverse->m[row][3] = 0.0;
        for (int column = 0; column < 3; column++) {
            inverse->m[row][column] = rows[row][column] / determinant;
            inverse->m[row][3] -= inverse->m[row][column] * affine->m[column][3];
        }
    }
    return true;
}

// Converts an orthogonal matrix, given by its columns, to a quaternion. The square of each component selects the
// largest, which is computed first.
static void rotation_of_axes(double axes[3][3], double q[4]) {
    const double trace = axes[0][0] + axes[1][1] + axes[2][2];
    int largest = 3;
    double square = 1.0 + trace;
    for (int i = 0; i < 3; i++) {
        const double candidate = 1.0 + 2.0 * axes[i][i] - trace;
        largest = candidate > square ? i : largest;
        square = fmax(candidate, square);
    }
    const double four = 2.0 * sqrt(square);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        if (largest == 3) {
            q[i] = (axes[j][k] - axes[k][j]) / four;
        } else if (i == largest) {
            q[i] = four / 4.0;
            q[j] = (axes[i][j] + axes[j][i]) / four;
            q[k] = (axes[i][k] + axes[k][i]) / four;
            q[3] = (axes[j][k] - axes[k][j]) / four;
        }
    }
    q[3] = largest == 3 ? four / 4.0 : q[3];
}

bool oracle_affine_rotation(const oracle_affine *affine, double rotation[4]) {
    const double flat = 1.0 / 1024.0; // sine
    double axes[3][3], normal[3];
    for (int i = 0; i < 3; i++) {
        column_of(affine, i, axes[i]);
        normalise(axes[i]);
    }
    if (length(axes[0]) < 0.5) {
        cross(axes[1], axes[2], axes[0]);
    }
    cross(axes[0], axes[1], normal);
    if (length(normal) < flat) {
        cross(axes[2], axes[0], axes[1]);
        cross(axes[0], axes[1], normal);
    }
    rotation[0] = rotation[1] = rotation[2] = 0.0;
    rotation[3] = 1.0;
    if (length(normal) < flat) {
        return false;
    }
    normalise(axes[0]);
    memcpy(axes[2], normal, sizeof normal);
    normalise(axes[2]);
    cross(axes[2], axes[0], axes[1]);
    rotation_of_axes(axes, rotation);
    return true;
}

bool oracle_rigid_motion(const lmb_rig *rig, uint32_t joint, const oracle_affine *model, double rotation[4],
                         double translation[3]) {
    const lmb_affine inverse_float = lmb_rig_get_def(rig)->joints[joint].inverse_bind;
    const oracle_affine inverse = oracle_affine_from_float(&inverse_float);
    oracle_affine bind;
    double from[4], to[4], back[4], position[3], moved[3];
    oracle_affine_invert(&inverse, &bind);
    oracle_affine_rotation(&bind, from);
    if (!oracle_affine_rotation(model, to)) {
        return false;
    }
    oracle_quaternion_conjugate(from, back);
    oracle_quaternion_multiply(to, back, rotation);
    column_of(&bind, 3, position);
    rotate(rotation, position, moved);
    for (int i = 0; i < 3; i++) {
        translation[i] = model->m[i][3] - moved[i];
    }
    return true;
}

void oracle_bounds(const lmb_rig *rig, const oracle_affine *model, double low[3], double high[3]) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(rig);
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = HUGE_VAL;
        high[axis] = -HUGE_VAL;
        for (uint32_t joint = 0; joint < rig_def->joint_count; joint++) {
            const double radius = (double)rig_def->joints[joint].radius;
            if (rig_def->joints[joint].is_extra && radius == 0.0) {
                continue;
            }
            const double reach = radius * length(model[joint].m[axis]);
            low[axis] = fmin(low[axis], oracle_snap(model[joint].m[axis][3] - reach));
            high[axis] = fmax(high[axis], oracle_snap(model[joint].m[axis][3] + reach));
        }
    }
}

oracle_affine oracle_socket(const lmb_rig *rig, uint32_t socket, const oracle_affine *model) {
    const lmb_transform local_float = lmb_rig_get_def(rig)->sockets[socket].local;
    const oracle_transform local = oracle_transform_from_float(&local_float);
    const oracle_affine own = oracle_affine_from_transform(&local);
    oracle_affine result = oracle_affine_multiply(&model[lmb_rig_get_def(rig)->sockets[socket].joint], &own);
    snap_affine(&result);
    return result;
}
