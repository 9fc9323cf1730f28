// Root motion extraction.
//
// The motion is sampled at evenly spaced keys. The joint's remaining transform is its parent's inverse times the
// inverse of the motion, as it is played, times the joint's model matrix. Intervals are between neighbouring keys of
// the motion, of the joint and of its ancestors. Within an interval the remaining transform is smooth but not linear,
// because turns bend it. A line's error shrinks with the square of the turn, a cubic's with the fourth power. So a
// track stays linear if lines are exact enough everywhere. Otherwise it becomes a cubic spline: each interval is split
// evenly into 1, 2, 4 to 64 pieces. The splitting stops when in each piece a cubic through its ends and two points
// inside is exact enough at three more points.
#include <limber/root_motion.h>

#include "base/float_environment.h"
#include "clip.h"
#include "given.h"
#include "math/quaternion.h"
#include "motion.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.141592653589793
// A parent matrix with a smaller determinant cannot be inverted.
#define MIN_DETERMINANT 1e-18
// If an ancestor's scales differ by more than this, relative to the largest, a rotation below it would shear.
#define UNEVEN 1e-4
// The max error of the remaining transform: relative to the distance, and in radians.
#define TOLERANCE 3e-7
// The same, relative to the length of the bones from the origin to the joint, because these are rounded too.
#define CHAIN_TOLERANCE 1.5e-7
// The same as TOLERANCE, for the change at a kink of the motion: a key's time is a float, and the kink is not exactly
// there.
#define KINK_TOLERANCE 1e-7
// The max log2 of the pieces of an interval.
#define MAX_SPLITS 6
// The min length of a piece of a split interval, in seconds.
#define MIN_PIECE 1e-5
// If splitting does not halve an error below this many tolerances, the error is rounding, and the piece is not split.
#define ROUNDING 200.0

struct lmb_root_motion {
    lmb_host host;
    lmb_clip *clip;
    float *keys;
    float *rotations; // or NULL
    lmb_motion_track track;
};

// The joint in model space, and its parent.
typedef struct placed {
    lmb_transform local;
    double length; // upper bound of the length of the bones from the origin to it
    matrix parent;
    double parent_rotation[4];
    double rotation[4];
    double position[3];
} placed;

// The values of a transform: a translation, then a rotation.
enum { VALUES = 7, ROTATION = 3 };

// The joint's remaining local transform at a time.
typedef struct remaining {
    float time;
    double values[VALUES];
    matrix parent;
} remaining;

// A cubic from one key of the remaining clip to the next. Its ends are rounded as the clip stores them.
typedef struct piece {
    float from, to;
    float ends[2][VALUES];
    double slopes[2][VALUES]; // change per piece, at its ends
} piece;

// The largest errors of a line and of a cubic, [translation, rotation], in units of their tolerances.
typedef struct misfit {
    double line[2], cubic[2];
} misfit;

typedef struct extraction {
    const lmb_rig *rig;
    const lmb_clip *clip;
    const lmb_root_motion_def *def;
    const lmb_host *host;
    lmb_arena memory; // of all arrays except the keys
    lmb_error *error;
    float *keys;      // of the motion
    float *rotations; // of the motion, or NULL
    uint32_t key_count;
    float *times; // between which the remaining transform is smooth
    uint32_t time_count;
    uint8_t *splits;       // [interval between these times]: log2 of its pieces
    double distance;       // max distance of the joint from the origin
    double tolerance;      // of positions in model space
    bool cubic[2];         // [translation, rotation]: whether the track becomes a cubic spline
    uint32_t spline_count; // keys of a cubic spline track
    float *spline_times;
    float *values[2]; // [translation, rotation]: values of the new track
    lmb_track_def *tracks;
    uint8_t *weights;
} extraction;

lmb_root_motion_def lmb_default_root_motion_def(void) {
    return (lmb_root_motion_def){.x = true, .z = true, .yaw = true, .rate = 30.0f};
}

static lmb_result fail(const extraction *e, lmb_result result, const char *why) {
    return lmb_fail(e->error, result, "root motion: clip '%s': %s", lmb_clip_get_info(e->clip)->name, why);
}

// ---- The joint in model space. ----

// Gives a rotation the sign that puts it into the hemisphere of the one before.
static void align(const double *before, double *rotation) {
    double dot = 0.0;
    for (int i = 0; i < 4; i++) {
        dot += before[i] * rotation[i];
    }
    for (int i = 0; i < 4 && dot < 0.0; i++) {
        rotation[i] = -rotation[i];
    }
}

// The rotation from one to another, along the axes of the model.
static void rotation_between(const double from[4], const double to[4], double rotation[4]) {
    double back[4];
    lmb_quaternion_conjugate(from, back);
    lmb_quaternion_multiply(to, back, rotation);
}

static double length_of(const float v[3]) {
    const double x = (double)v[0], y = (double)v[1], z = (double)v[2];
    return sqrt(x * x + y * y + z * z);
}

static double largest_of(const float scale[3]) {
    return fmax(fmax(fabs((double)scale[0]), fabs((double)scale[1])), fabs((double)scale[2]));
}

static bool is_uneven(const float scale[3]) {
    const double x = fabs((double)scale[0]), y = fabs((double)scale[1]), z = fabs((double)scale[2]);
    const double largest = largest_of(scale);
    const bool mirrors = scale[0] * scale[1] < 0.0f || scale[1] * scale[2] < 0.0f;
    return mirrors || largest - fmin(fmin(x, y), z) > UNEVEN * largest;
}

// Returns whether the joint's rotation, or a part of it, is extracted.
static bool takes_turns(const extraction *e) {
    return e->def->pitch || e->def->yaw || e->def->roll;
}

// Returns whether the track has rotations, and not the yaw in its keys.
static bool has_rotations(const extraction *e) {
    return e->def->pitch || e->def->roll;
}

// Returns a local transform at a time, or in the rest pose without one.
static lmb_transform local_of(const extraction *e, uint32_t joint, const float *time) {
    return time != NULL ? lmb_clip_sample(e->clip, e->rig, joint, *time) : e->rig->def.joints[joint].rest;
}

// Places the joint at a time, or in the rest pose without one. Returns false if an ancestor's scale is uneven and turns
// are to be taken.
static bool place_joint(const extraction *e, const float *time, placed *at) {
    *at = (placed){.local = local_of(e, e->def->joint, time),
                   .parent = {{{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}}},
                   .parent_rotation = {0.0, 0.0, 0.0, 1.0}};
    at->length = length_of(at->local.translation);
    bool usable = true;
    for (uint32_t joint = e->rig->def.joints[e->def->joint].parent; joint != LMB_NONE;
         joint = e->rig->def.joints[joint].parent) {
        const lmb_transform local = local_of(e, joint, time);
        const matrix own = lmb_matrix_of(&local);
        double rotation[4];
        at->length = at->length * largest_of(local.scale) + length_of(local.translation);
        at->parent = lmb_matrix_multiply(&own, &at->parent);
        lmb_quaternion_from(local.rotation, rotation);
        lmb_quaternion_multiply(rotation, at->parent_rotation, at->parent_rotation);
        usable = usable && !(takes_turns(e) && is_uneven(local.scale));
    }
    double own[4];
    lmb_quaternion_from(at->local.rotation, own);
    lmb_quaternion_multiply(at->parent_rotation, own, at->rotation);
    lmb_matrix_turn(&at->parent, at->local.translation, at->position);
    for (int row = 0; row < 3; row++) {
        at->position[row] += at->parent.m[row][3];
    }
    return usable;
}

// ---- The motion. ----

// Returns the twist about y from one rotation to another, with the whole turns that bring it nearest to `before`.
static double yaw_between(const double from[4], const double to[4], double before) {
    double turned[4];
    rotation_between(from, to, turned);
    if (lmb_length64(turned[1], turned[3]) < 1e-9) {
        return before;
    }
    const double yaw = 2.0 * lmb_arc_tangent64(turned[1], turned[3]);
    return yaw + 2.0 * PI * round((before - yaw) / (2.0 * PI));
}

// Stores the twist of a rotation about an axis. If there is none, because the axis is turned around, the twist stays.
static void twist_about(const double rotation[4], int axis, double twist[4]) {
    const double length = lmb_length64(rotation[axis], rotation[3]);
    for (int i = 0; i < 4 && length >= 1e-9; i++) {
        twist[i] = i == axis || i == 3 ? rotation[i] / length : 0.0;
    }
}

// Reduces a rotation to the turns that are extracted. `twist` is that of the key before, and becomes that of this one.
static void keep_taken(const lmb_root_motion_def *def, double rotation[4], double twist[4]) {
    const bool taken[3] = {def->pitch, def->yaw, def->roll};
    const int count = taken[0] + taken[1] + taken[2];
    for (int axis = 0; axis < 3; axis++) {
        if (count == 1 && taken[axis]) {
            twist_about(rotation, axis, twist);
            memcpy(rotation, twist, 4 * sizeof *rotation);
        } else if (count == 2 && !taken[axis]) {
            double back[4];
            twist_about(rotation, axis, twist);
            lmb_quaternion_conjugate(twist, back);
            lmb_quaternion_multiply(rotation, back, rotation);
        }
    }
}

static float key_time(const extraction *e, uint32_t key) {
    return (float)((double)lmb_clip_get_info(e->clip)->duration * key / (e->key_count - 1));
}

static const char *const uneven = "an ancestor of the joint has scales that differ, and its turns are to be taken";

// Stores the rotation of a key as the track has it, in the hemisphere of the key before it, and returns it.
static void put_key_rotation(const extraction *e, uint32_t key, double rotation[4]) {
    float *to = e->rotations + 4 * (size_t)key;
    if (key > 0) {
        const double before[4] = {(double)to[-4], (double)to[-3], (double)to[-2], (double)to[-1]};
        align(before, rotation);
    }
    for (int i = 0; i < 4; i++) {
        to[i] = (float)rotation[i];
        rotation[i] = (double)to[i];
    }
    lmb_quaternion_normalize(rotation);
}

// Places the joint as the reference says. Returns false if an ancestor's scale is uneven and turns are to be taken.
static bool place_reference(const extraction *e, placed *reference) {
    static const float start = 0.0f;
    *reference = (placed){.rotation = {0.0, 0.0, 0.0, 1.0}};
    return e->def->reference == LMB_MOTION_REFERENCE_ABSOLUTE ||
           place_joint(e, e->def->reference == LMB_MOTION_REFERENCE_REST_POSE ? NULL : &start, reference);
}

static lmb_result find_motion(extraction *e) {
    placed reference;
    double yaw = 0.0, twist[4] = {0.0, 0.0, 0.0, 1.0};
    if (!place_reference(e, &reference)) {
        return fail(e, LMB_ERROR_ARGUMENT, uneven);
    }
    e->distance = lmb_length(reference.position);
    for (uint32_t key = 0; key < e->key_count; key++) {
        const float time = key_time(e, key);
        placed now;
        if (!place_joint(e, &time, &now)) {
            return fail(e, LMB_ERROR_ARGUMENT, uneven);
        }
        e->distance = fmax(e->distance, lmb_length(now.position));
        yaw = e->def->yaw && !has_rotations(e) ? yaw_between(reference.rotation, now.rotation, yaw) : 0.0;
        double turned[3], rotation[4];
        lmb_quaternion_from_yaw(yaw, rotation);
        if (has_rotations(e)) {
            rotation_between(reference.rotation, now.rotation, rotation);
            keep_taken(e->def, rotation, twist);
            put_key_rotation(e, key, rotation);
        }
        lmb_quaternion_rotate(rotation, reference.position, turned);
        const bool taken[3] = {e->def->x, e->def->y, e->def->z};
        float *numbers = e->keys + 4 * (size_t)key;
        for (int i = 0; i < 3; i++) {
            numbers[i] = taken[i] ? (float)(now.position[i] - turned[i]) : 0.0f;
        }
        numbers[3] = (float)yaw;
        for (int i = 0; i < 4; i++) {
            if (!(fabsf(numbers[i]) <= LMB_MAX_MOTION)) {
                return fail(e, LMB_ERROR_ARGUMENT, "the motion goes beyond 2^20");
            }
        }
    }
    return LMB_OK;
}

static void line_at(const piece *p, double u, double values[VALUES]) {
    double dot = 0.0;
    for (int i = ROTATION; i < VALUES; i++) {
        dot += (double)p->ends[0][i] * (double)p->ends[1][i];
    }
    double weights[2];
    lmb_slerp_weights(dot, u, weights);
    for (int i = 0; i < VALUES; i++) {
        const double from = (double)p->ends[0][i], to = (double)p->ends[1][i];
        values[i] = i < ROTATION ? from + (to - from) * u : from * weights[0] + to * weights[1];
    }
}

// Slerps between two rotations, the short way.
static void slerp(const float from[4], const float to[4], double u, double rotation[4]) {
    piece p = {0};
    double values[VALUES];
    memcpy(p.ends[0] + ROTATION, from, 4 * sizeof *from);
    memcpy(p.ends[1] + ROTATION, to, 4 * sizeof *to);
    line_at(&p, u, values);
    memcpy(rotation, values + ROTATION, 4 * sizeof *rotation);
    lmb_quaternion_normalize(rotation);
}

// Evaluates the motion track as a player does: the displacement and the rotation since the first key.
static void motion_at(const extraction *e, float time, double moved[3], double rotation[4]) {
    const double duration = (double)lmb_clip_get_info(e->clip)->duration;
    const double at = duration > 0.0 ? (double)time / duration * (e->key_count - 1) : 0.0;
    uint32_t key = at < e->key_count - 2 ? (uint32_t)at : e->key_count - 2;
    const float *from = e->keys + 4 * (size_t)key, *to = from + 4;
    double numbers[4];
    for (int i = 0; i < 4; i++) {
        numbers[i] = (double)from[i] + ((double)to[i] - (double)from[i]) * (at - key);
    }
    memcpy(moved, numbers, 3 * sizeof *moved);
    lmb_quaternion_from_yaw(numbers[3], rotation);
    if (e->rotations != NULL) {
        slerp(e->rotations + 4 * (size_t)key, e->rotations + 4 * (size_t)key + 4, at - key, rotation);
    }
}

// ---- The remaining transform. ----

static bool solve(const matrix *parent, const double position[3], double result[3]) {
    matrix cofactors;
    const double determinant = lmb_matrix_cofactors(parent, &cofactors);
    double v[3];
    for (int i = 0; i < 3; i++) {
        v[i] = position[i] - parent->m[i][3];
    }
    for (int i = 0; i < 3; i++) {
        const double column[3] = {cofactors.m[0][i], cofactors.m[1][i], cofactors.m[2][i]};
        result[i] = lmb_dot(column, v) / determinant;
    }
    return fabs(determinant) >= MIN_DETERMINANT;
}

// Returns NULL, or why there is no remaining transform.
static const char *find_remaining(const extraction *e, float time, remaining *found) {
    placed now;
    double motion[3], turned[4], back[3], inverse[4];
    if (!place_joint(e, &time, &now)) {
        return uneven;
    }
    motion_at(e, time, motion, turned);
    for (int i = 0; i < 3; i++) {
        back[i] = now.position[i] - motion[i];
    }
    double *rotation = found->values + ROTATION;
    lmb_quaternion_conjugate(turned, turned);
    lmb_quaternion_rotate(turned, back, back);
    lmb_quaternion_multiply(turned, now.rotation, rotation);
    lmb_quaternion_conjugate(now.parent_rotation, inverse);
    lmb_quaternion_multiply(inverse, rotation, rotation);
    found->time = time;
    found->parent = now.parent;
    return solve(&now.parent, back, found->values) ? NULL : "an ancestor of the joint has a scale of 0";
}

// Fits the cubic through both ends and two points inside. Puts the rotation at the end into the hemisphere of the point
// before it.
static const char *fit(const extraction *e, const remaining *from, remaining *to, piece *p) {
    const double duration = (double)to->time - (double)from->time;
    const float early = (float)((double)from->time + duration / 3.0);
    const float late = (float)((double)from->time + 2.0 * duration / 3.0);
    const bool is_short = !(from->time < early && early < late && late < to->time);
    remaining inside[2];
    *p = (piece){.from = from->time, .to = to->time};
    if (!is_short) {
        const char *why = find_remaining(e, early, &inside[0]);
        why = why == NULL ? find_remaining(e, late, &inside[1]) : why;
        if (why != NULL) {
            return why;
        }
        align(from->values + ROTATION, inside[0].values + ROTATION);
        align(inside[0].values + ROTATION, inside[1].values + ROTATION);
    }
    align((is_short ? from : &inside[1])->values + ROTATION, to->values + ROTATION);
    for (int i = 0; i < VALUES; i++) {
        const double a = (double)(p->ends[0][i] = (float)from->values[i]);
        const double b = (double)(p->ends[1][i] = (float)to->values[i]);
        double rest[2], at[2];
        for (int k = 0; k < 2 && !is_short; k++) {
            // The contribution that the slopes must make at u, divided by u (1 - u): (1 - u) times the first slope
            // minus u times the second.
            const double u = at[k] = ((double)inside[k].time - (double)from->time) / duration;
            rest[k] = (inside[k].values[i] - a - (b - a) * u * u * (3.0 - 2.0 * u)) / (u * (1.0 - u));
        }
        if (!is_short) {
            const double change = (rest[1] - rest[0]) / (at[1] - at[0]);
            p->slopes[0][i] = rest[0] - change * at[0];
            p->slopes[1][i] = -(rest[0] + change * (1.0 - at[0]));
        }
    }
    return NULL;
}

static void cubic_at(const piece *p, double u, double values[VALUES]) {
    for (int i = 0; i < VALUES; i++) {
        const double from = (double)p->ends[0][i], to = (double)p->ends[1][i];
        values[i] = from + (to - from) * u * u * (3.0 - 2.0 * u) +
                    u * (1.0 - u) * ((1.0 - u) * p->slopes[0][i] - u * p->slopes[1][i]);
    }
}

// Raises the largest errors of translation and rotation to at least the errors of `values`.
static void raise_errors(const extraction *e, const remaining *at, double values[VALUES], double largest[2]) {
    double square = 0.0, near = 0.0, far = 0.0;
    for (int row = 0; row < 3; row++) {
        double off = 0.0;
        for (int i = 0; i < 3; i++) {
            off += at->parent.m[row][i] * (values[i] - at->values[i]);
        }
        square += off * off;
    }
    lmb_quaternion_normalize(values + ROTATION);
    for (int i = ROTATION; i < VALUES; i++) {
        near += (values[i] - at->values[i]) * (values[i] - at->values[i]);
        far += (values[i] + at->values[i]) * (values[i] + at->values[i]);
    }
    largest[0] = fmax(largest[0], sqrt(square) / e->tolerance);
    largest[1] = fmax(largest[1], takes_turns(e) ? 2.0 * sqrt(fmin(near, far)) / TOLERANCE : 0.0);
}

static const char *measure_piece(const extraction *e, const piece *p, misfit *largest) {
    static const double fractions[] = {0.125, 0.5, 0.875};
    const double duration = (double)p->to - (double)p->from;
    for (int i = 0; i < 3; i++) {
        remaining at;
        double values[VALUES];
        const float time = (float)((double)p->from + duration * fractions[i]);
        const char *why = time > p->from && time < p->to ? find_remaining(e, time, &at) : NULL;
        if (why != NULL) {
            return why;
        }
        if (time > p->from && time < p->to) {
            const double u = ((double)time - (double)p->from) / duration;
            line_at(p, u, values);
            raise_errors(e, &at, values, largest->line);
            cubic_at(p, u, values);
            raise_errors(e, &at, values, largest->cubic);
        }
    }
    return NULL;
}

// ---- Pieces. ----

// Returns the time at which a piece of an interval begins.
static float piece_time(const extraction *e, uint32_t interval, uint32_t part) {
    const double from = (double)e->times[interval], to = (double)e->times[interval + 1];
    return (float)(from + (to - from) * part / (1u << e->splits[interval]));
}

static bool is_splittable(const extraction *e, uint32_t interval) {
    const float to = e->times[interval + 1];
    const double rounding = (double)(to - nextafterf(to, 0.0f));
    const double halves = ((double)to - (double)e->times[interval]) / (2u << e->splits[interval]);
    return e->splits[interval] < MAX_SPLITS && halves > MIN_PIECE && halves > 16.0 * rounding;
}

static double error_of(const misfit *m) {
    return fmax(m->cubic[0], m->cubic[1]);
}

// `from` is the remaining transform at the beginning of the interval. Stops at an error that splitting certainly
// reduces.
static const char *measure_interval(const extraction *e, uint32_t interval, const remaining *from, misfit *largest) {
    remaining ends[2] = {*from};
    *largest = (misfit){0};
    for (uint32_t part = 0; part < 1u << e->splits[interval] && error_of(largest) < ROUNDING; part++) {
        piece p;
        const char *why = find_remaining(e, piece_time(e, interval, part + 1), &ends[1]);
        why = why == NULL ? fit(e, &ends[0], &ends[1], &p) : why;
        why = why == NULL ? measure_piece(e, &p, largest) : why;
        if (why != NULL) {
            return why;
        }
        ends[0] = ends[1];
    }
    return NULL;
}

// Finds how often an interval is split if the tracks are cubic splines, and whether they must be.
static const char *split(extraction *e, uint32_t interval) {
    remaining from;
    misfit errors = {0};
    const char *why = find_remaining(e, e->times[interval], &from);
    why = why == NULL ? measure_interval(e, interval, &from, &errors) : why;
    for (int i = 0; i < 2 && why == NULL; i++) {
        e->cubic[i] = e->cubic[i] || errors.line[i] > 1.0;
    }
    double error = error_of(&errors);
    while (why == NULL && error > 1.0 && is_splittable(e, interval)) {
        const double before = error;
        e->splits[interval]++;
        why = measure_interval(e, interval, &from, &errors);
        error = error_of(&errors);
        if (error > 0.5 * before && before < ROUNDING) {
            e->splits[interval]--;
            break;
        }
    }
    return why;
}

// Finds which tracks must be cubic splines, and the number of keys.
static lmb_result plan(extraction *e) {
    double length = 0.0;
    for (uint32_t i = 0; i < e->time_count; i++) {
        placed now;
        place_joint(e, &e->times[i], &now);
        e->distance = fmax(e->distance, lmb_length(now.position));
        length = fmax(length, now.length);
    }
    e->tolerance = fmax(fmax(TOLERANCE * e->distance, CHAIN_TOLERANCE * length), 1e-30);
    uint64_t count = 1;
    for (uint32_t i = 0; i + 1 < e->time_count; i++) {
        const char *why = split(e, i);
        if (why != NULL) {
            return fail(e, LMB_ERROR_ARGUMENT, why);
        }
        count += 1u << e->splits[i];
    }
    e->spline_count = (uint32_t)count;
    return count <= UINT32_MAX ? LMB_OK : fail(e, LMB_ERROR_LIMIT, "what remains would take more than 2^32 keys");
}

// ---- Keys. ----

static const int first_value[2] = {0, ROTATION}, width[2] = {3, 4};

// Returns a part of a key: 0 is the tangent before it, 1 its value, 2 the tangent after it.
static float *spline_value(const extraction *e, int track, uint32_t key, int which) {
    return e->values[track] + (size_t)width[track] * (3 * (size_t)key + (size_t)which);
}

static float tangent(const piece *p, int end, int value) {
    const double slope = p->slopes[end][value] / ((double)p->to - (double)p->from);
    return (float)fmin(fmax(slope, -(double)LMB_LARGEST), (double)LMB_LARGEST);
}

static void put_key(const extraction *e, int track, uint32_t key, const remaining *at) {
    const size_t line = (size_t)width[track] * key;
    float *values = e->cubic[track] ? spline_value(e, track, key, 1) : e->values[track] + line;
    for (int i = 0; i < width[track]; i++) {
        values[i] = (float)at->values[first_value[track] + i];
    }
}

static void put_tangents(const extraction *e, int track, uint32_t key, const piece *p) {
    for (int i = 0; i < width[track]; i++) {
        spline_value(e, track, key, 2)[i] = tangent(p, 0, first_value[track] + i);
        spline_value(e, track, key + 1, 0)[i] = tangent(p, 1, first_value[track] + i);
    }
}

static LMB_NOINLINE lmb_result find_keys(const extraction *e) {
    remaining ends[2];
    const char *why = find_remaining(e, e->times[0], &ends[0]);
    for (int track = 0; track < 2 && why == NULL; track++) {
        put_key(e, track, 0, &ends[0]);
    }
    uint32_t key = 0;
    e->spline_times[0] = e->times[0];
    for (uint32_t i = 0; i + 1 < e->time_count && why == NULL; i++) {
        for (uint32_t part = 0; part < 1u << e->splits[i] && why == NULL; part++, key++) {
            piece p;
            e->spline_times[key + 1] = piece_time(e, i, part + 1);
            why = find_remaining(e, e->spline_times[key + 1], &ends[1]);
            why = why == NULL ? fit(e, &ends[0], &ends[1], &p) : why;
            for (int track = 0; track < 2 && why == NULL; track++) {
                if (e->cubic[track]) {
                    put_key(e, track, key + 1, &ends[1]);
                    put_tangents(e, track, key, &p);
                }
            }
            ends[0] = ends[1];
        }
        for (int track = 0; track < 2 && why == NULL; track++) {
            if (!e->cubic[track]) {
                put_key(e, track, i + 1, &ends[1]);
            }
        }
    }
    return why == NULL ? LMB_OK : fail(e, LMB_ERROR_ARGUMENT, why);
}

// ---- Closed loops. ----

// Takes the difference between the ends of a component out of the track, evenly over its time.
static void close_component(const extraction *e, int component, double drift) {
    const uint32_t last = e->key_count - 1;
    for (uint32_t key = 1; key <= last; key++) {
        float *value = e->keys + 4 * (size_t)key + component;
        *value = (float)((double)*value - drift * key / last);
    }
}

// Turns the rotations back by the difference between the ends, evenly over their time.
static void close_rotations(const extraction *e) {
    static const float none[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    const uint32_t last = e->key_count - 1;
    double from[4], to[4], back[4];
    float whole[4];
    lmb_quaternion_from(e->rotations, from);
    lmb_quaternion_from(e->rotations + 4 * (size_t)last, to);
    rotation_between(to, from, back);
    for (int i = 0; i < 4; i++) {
        whole[i] = (float)back[i];
    }
    for (uint32_t key = 1; key <= last; key++) {
        double part[4], rotation[4];
        lmb_quaternion_from(e->rotations + 4 * (size_t)key, rotation);
        slerp(none, whole, (double)key / last, part);
        lmb_quaternion_multiply(part, rotation, rotation);
        put_key_rotation(e, key, rotation);
    }
}

static void close_loop(const extraction *e) {
    const lmb_root_motion_def *def = e->def;
    const bool closes[3] = {def->close_x, def->close_y, def->close_z};
    const float *last = e->keys + 4 * ((size_t)e->key_count - 1);
    for (int i = 0; i < 3; i++) {
        if (closes[i]) {
            close_component(e, i, (double)last[i] - (double)e->keys[i]);
        }
    }
    if (def->close_turn && e->rotations != NULL) {
        close_rotations(e);
    } else if (def->close_turn) {
        const double turned = (double)last[3] - (double)e->keys[3];
        close_component(e, 3, turned - 2.0 * PI * round(turned / (2.0 * PI)));
    }
}

// ---- Times. ----

// Adds the key times of a track that moves. A step gets another key just before it.
static uint32_t add_times(const extraction *e, uint32_t property, uint32_t joint, float *times) {
    const lmb_track_def found = lmb_given_track(e->clip->words, (lmb_property)property, joint);
    uint32_t count = 0;
    for (uint32_t key = 0; key < found.key_count && found.key_count > 1; key++) {
        const float time = found.times[key];
        if (times != NULL) {
            times[count] = time;
        }
        count++;
        if (found.interpolation == LMB_INTERPOLATION_STEP && key > 0) {
            if (times != NULL) {
                times[count] = nextafterf(time, 0.0f);
            }
            count++;
        }
    }
    return count;
}

// Returns whether the motion's slope changes so much at a key that the rounding of the key's time matters.
static bool is_kink(const extraction *e, uint32_t key) {
    const double exact = (double)lmb_clip_get_info(e->clip)->duration * key / (e->key_count - 1);
    const double off = fabs((double)key_time(e, key) - exact), duration = exact / key;
    const float *at = e->keys + 4 * (size_t)key;
    bool found = false;
    for (int i = 0; i < 4; i++) {
        const double change = fabs(((double)at[i + 4] - (double)at[i]) - ((double)at[i] - (double)at[i - 4]));
        found = found || change / duration * off > KINK_TOLERANCE * (i < 3 ? e->distance : 1.0);
    }
    if (e->rotations != NULL) {
        // The rotations over the interval before and the one after differ by twice this angle at most.
        double ways[2][4], square = 0.0;
        for (int i = 0; i < 2; i++) {
            const float *q = e->rotations + 4 * ((size_t)key + i);
            double from[4], to[4];
            lmb_quaternion_from(q - 4, from);
            lmb_quaternion_from(q, to);
            rotation_between(from, to, ways[i]);
        }
        for (int i = 0; i < 3; i++) {
            square += (ways[1][i] - ways[0][i]) * (ways[1][i] - ways[0][i]);
        }
        found = found || 2.0 * sqrt(square) / duration * off > KINK_TOLERANCE;
    }
    return found;
}

// Adds the key times of the motion. A kink also gets the next float beyond its exact time, because a key's time is
// rounded.
static uint32_t add_motion_times(const extraction *e, float *times) {
    uint32_t count = 0;
    for (uint32_t key = 0; key < e->key_count; key++) {
        const float time = key_time(e, key);
        times[count++] = time;
        if (key > 0 && key + 1 < e->key_count && is_kink(e, key)) {
            const double exact = (double)lmb_clip_get_info(e->clip)->duration * key / (e->key_count - 1);
            times[count++] = nextafterf(time, exact > (double)time ? INFINITY : 0.0f);
        }
    }
    return count;
}

// Returns the number of times, or without `times` the max number.
static uint32_t collect_times(const extraction *e, float *times) {
    uint32_t count = 0;
    for (uint32_t joint = e->def->joint; joint != LMB_NONE; joint = e->rig->def.joints[joint].parent) {
        for (uint32_t property = 0; property < PROPERTIES; property++) {
            count += add_times(e, property, joint, times != NULL ? times + count : NULL);
        }
    }
    count += times != NULL ? add_motion_times(e, times + count) : 2 * e->key_count;
    return count;
}

static int compare_times(const void *a, const void *b) {
    const float first = *(const float *)a, second = *(const float *)b;
    return (first > second) - (first < second);
}

static void sort_times(extraction *e) {
    qsort(e->times, e->time_count, sizeof *e->times, compare_times);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < e->time_count; i++) {
        if (e->times[i] > e->times[kept - 1]) {
            e->times[kept++] = e->times[i];
        }
    }
    e->time_count = kept;
}

// ---- The clip. ----

static bool is_replaced(const extraction *e, uint32_t property, uint32_t joint) {
    return joint == e->def->joint &&
           (property == LMB_PROPERTY_TRANSLATION || (property == LMB_PROPERTY_ROTATION && takes_turns(e)));
}

static uint32_t copy_floats(const extraction *e, uint32_t count) {
    const uint32_t *words = e->clip->words;
    for (uint32_t channel = 0; channel < words[FIELD(CLIP, float_count)]; channel++) {
        const lmb_track_def from = lmb_given_track(words, LMB_PROPERTY_FLOAT, channel);
        if (from.key_count > 0) {
            e->tracks[count++] = from;
        }
    }
    return count;
}

static lmb_track_def new_track(const extraction *e, lmb_property property) {
    const int track = property == LMB_PROPERTY_TRANSLATION ? 0 : 1;
    const bool cubic = e->cubic[track];
    return (lmb_track_def){.joint = e->def->joint,
                           .property = property,
                           .interpolation = cubic ? LMB_INTERPOLATION_CUBIC_SPLINE : LMB_INTERPOLATION_LINEAR,
                           .key_count = cubic ? e->spline_count : e->time_count,
                           .times = cubic ? e->spline_times : e->times,
                           .values = e->values[track]};
}

static uint32_t copy_tracks(const extraction *e) {
    uint32_t count = 0;
    for (uint32_t joint = 0; joint < e->rig->def.joint_count; joint++) {
        for (uint32_t i = 0; i < PROPERTIES; i++) {
            const lmb_property property = (lmb_property)i;
            const lmb_track_def found = lmb_given_track(e->clip->words, property, joint);
            if (is_replaced(e, i, joint)) {
                e->tracks[count++] = new_track(e, property);
            } else if (found.key_count > 0) {
                e->tracks[count++] = found;
            }
        }
    }
    return copy_floats(e, count);
}

static lmb_result build_clip(const extraction *e, lmb_clip **clip) {
    const lmb_clip_def def = {.name = lmb_clip_get_info(e->clip)->name,
                              .duration = lmb_clip_get_info(e->clip)->duration,
                              .tracks = e->tracks,
                              .track_count = copy_tracks(e),
                              .joint_weights = lmb_given_weights(e->clip->words, e->weights),
                              .additive = lmb_clip_get_info(e->clip)->is_additive};
    return lmb_clip_create(e->rig, &def, e->host, clip, e->error);
}

static LMB_NOINLINE lmb_result survey(extraction *e) {
    const lmb_result result = find_motion(e);
    if (result != LMB_OK) {
        return result;
    }
    e->time_count = collect_times(e, e->times);
    sort_times(e);
    return plan(e);
}

static lmb_result run_survey(extraction *e) {
    e->time_count = collect_times(e, NULL);
    e->keys = lmb_host_allocate(e->host, (size_t)e->key_count * 4, sizeof *e->keys);
    e->times = lmb_arena_allocate(&e->memory, e->time_count, sizeof *e->times);
    e->splits = lmb_arena_allocate(&e->memory, e->time_count, sizeof *e->splits);
    e->rotations = has_rotations(e) ? lmb_host_allocate(e->host, (size_t)e->key_count * 4, sizeof *e->rotations) : NULL;
    if (e->keys == NULL || e->memory.failed || (has_rotations(e) && e->rotations == NULL)) {
        return fail(e, LMB_ERROR_MEMORY, "no memory");
    }
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const lmb_result result = survey(e);
    lmb_environment_leave(&callers);
    return result;
}

static lmb_result run_keys(extraction *e, lmb_clip **clip) {
    const size_t joints = e->rig->def.joint_count, floats = e->rig->def.channel_count;
    for (int track = 0; track < 2; track++) {
        const size_t keys = e->cubic[track] ? (size_t)e->spline_count * 3 : e->time_count;
        e->values[track] = lmb_arena_allocate(&e->memory, keys * (size_t)width[track], sizeof *e->values[track]);
    }
    e->spline_times = lmb_arena_allocate(&e->memory, e->spline_count, sizeof *e->spline_times);
    e->tracks = lmb_arena_allocate(&e->memory, joints * PROPERTIES + floats, sizeof *e->tracks);
    e->weights = lmb_arena_allocate(&e->memory, joints + floats, sizeof *e->weights);
    if (e->memory.failed) {
        return fail(e, LMB_ERROR_MEMORY, "no memory");
    }
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const lmb_result result = find_keys(e);
    close_loop(e);
    lmb_environment_leave(&callers);
    return result == LMB_OK ? build_clip(e, clip) : result;
}

static lmb_result check(extraction *e) {
    const char *why = e->def->joint >= e->rig->def.joint_count ? "there is no such joint"
                      : lmb_clip_get_info(e->clip)->joint_count != e->rig->def.joint_count ||
                              lmb_clip_get_info(e->clip)->channel_count != e->rig->def.channel_count
                          ? "it is not of the rig's joint and channel count"
                      : e->clip->words[FIELD(CLIP, packed)] != 0 ? "it is compressed; take its motion before that"
                      : !(e->def->rate >= 1e-3f && e->def->rate <= 1000.0f)
                          ? "the rate is not from 1e-3 to 1,000 keys a second"
                      : (uint32_t)e->def->reference > LMB_MOTION_REFERENCE_ABSOLUTE ? "there is no such reference"
                                                                                    : NULL;
    if (why != NULL) {
        return fail(e, LMB_ERROR_ARGUMENT, why);
    }
    const double intervals = ceil((double)lmb_clip_get_info(e->clip)->duration * (double)e->def->rate);
    if (!(intervals < LMB_MAX_MOTION_KEYS)) {
        return fail(e, LMB_ERROR_LIMIT, "its motion would take more than 65,536 keys");
    }
    e->key_count = intervals < 1.0 ? 2 : (uint32_t)intervals + 1;
    return LMB_OK;
}

lmb_result lmb_root_motion_extract(const lmb_rig *rig, const lmb_clip *clip, const lmb_root_motion_def *def,
                                   const lmb_host *host, lmb_root_motion **motion, lmb_error *error) {
    if (motion != NULL) {
        *motion = NULL;
    }
    const char *missing = rig == NULL      ? "the rig"
                          : clip == NULL   ? "the clip"
                          : def == NULL    ? "the descriptor"
                          : motion == NULL ? "the result"
                                           : NULL;
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "root motion: %s is NULL", missing);
    }
    const lmb_host resolved = lmb_host_resolve(host);
    extraction e = {
        .rig = rig, .clip = clip, .def = def, .host = &resolved, .memory = {.host = &resolved}, .error = error};
    lmb_result result = check(&e);
    if (result != LMB_OK) {
        return result;
    }
    lmb_clip *left = NULL;
    result = run_survey(&e);
    result = result == LMB_OK ? run_keys(&e, &left) : result;
    lmb_root_motion *created = result == LMB_OK ? lmb_host_allocate(&resolved, 1, sizeof *created) : NULL;
    if (created != NULL) {
        *created = (lmb_root_motion){.host = resolved,
                                     .clip = left,
                                     .keys = e.keys,
                                     .rotations = e.rotations,
                                     .track = {.key_count = e.key_count, .keys = e.keys, .rotations = e.rotations}};
        *motion = created;
    } else {
        lmb_clip_destroy(left);
        lmb_host_release(&resolved, e.keys);
        lmb_host_release(&resolved, e.rotations);
        result = result == LMB_OK ? fail(&e, LMB_ERROR_MEMORY, "no memory") : result;
    }
    lmb_arena_release(&e.memory);
    return result;
}

// ---- Which joint travels. ----

// A joint travels by more than this part of the rest pose's size.
#define MIN_TRAVEL 0.01

// Returns the diagonal of the box around the joints of the skeleton in the rest pose.
static double size_of(const lmb_rig *rig, matrix *models) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, way[3];
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        const uint32_t parent = rig->def.joints[joint].parent;
        models[joint] = lmb_model_of(&rig->def.joints[joint].rest, parent != LMB_NONE ? &models[parent] : NULL);
        for (int axis = 0; axis < 3 && !rig->def.joints[joint].is_extra; axis++) {
            low[axis] = fmin(low[axis], models[joint].m[axis][3]);
            high[axis] = fmax(high[axis], models[joint].m[axis][3]);
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        way[axis] = fmax(0.0, high[axis] - low[axis]);
    }
    return lmb_length(way);
}

// Marks the joints on which at least half of the skeleton hangs, themselves included: each the parent of the next one.
static void mark_holders(const lmb_rig *rig, uint32_t *held) {
    uint32_t all = 0;
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        held[joint] = !rig->def.joints[joint].is_extra;
        all += held[joint];
    }
    for (uint32_t joint = rig->def.joint_count; joint-- > 0;) {
        if (rig->def.joints[joint].parent != LMB_NONE) {
            held[rig->def.joints[joint].parent] += held[joint];
        }
    }
    uint32_t last = LMB_NONE;
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        const bool holds = rig->def.joints[joint].parent == last && 2 * (uint64_t)held[joint] >= all;
        last = holds ? joint : last;
        held[joint] = holds;
    }
}

// Returns the first joint below `end` whose own translation moves it during the clip, or `end`. What its ancestors do
// does not count: a hand goes far with an arm that is raised.
static uint32_t find_first(const lmb_rig *rig, const lmb_clip *clip, const lmb_root_motion_def *def, double length,
                           const uint32_t *held, uint32_t end) {
    const bool taken[3] = {def->x, def->y, def->z};
    matrix model = {{{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}}};
    for (uint32_t joint = 0; joint < end; joint++) {
        if (held[joint] == 0) {
            continue;
        }
        const lmb_transform first = lmb_clip_sample(clip, rig, joint, 0.0f);
        const lmb_transform last = lmb_clip_sample(clip, rig, joint, lmb_clip_get_info(clip)->duration);
        float own[3];
        double way[3];
        for (int i = 0; i < 3; i++) {
            own[i] = last.translation[i] - first.translation[i];
        }
        lmb_matrix_turn(&model, own, way);
        for (int i = 0; i < 3; i++) {
            way[i] = taken[i] ? way[i] : 0.0;
        }
        if (!rig->def.joints[joint].is_extra && lmb_length(way) > length) {
            return joint;
        }
        model = lmb_model_of(&first, &model);
    }
    return end;
}

static LMB_NOINLINE uint32_t find_joint(const lmb_rig *rig, const lmb_clip *const *clips, uint32_t clip_count,
                                        const lmb_root_motion_def *def, matrix *models, uint32_t *held) {
    const double length = MIN_TRAVEL * size_of(rig, models);
    uint32_t found = rig->def.joint_count;
    mark_holders(rig, held);
    for (uint32_t i = 0; i < clip_count; i++) {
        if (lmb_clip_get_info(clips[i])->joint_count == rig->def.joint_count) {
            found = find_first(rig, clips[i], def, length, held, found);
        }
    }
    return found < rig->def.joint_count ? found : 0;
}

lmb_result lmb_root_motion_find_joint(const lmb_rig *rig, const lmb_clip *const *clips, uint32_t clip_count,
                                      const lmb_root_motion_def *def, const lmb_host *host, uint32_t *joint,
                                      lmb_error *error) {
    if (joint != NULL) {
        *joint = 0;
    }
    const char *missing = rig == NULL                       ? "the rig"
                          : def == NULL                     ? "the descriptor"
                          : joint == NULL                   ? "the result"
                          : clip_count > 0 && clips == NULL ? "the clips"
                                                            : NULL;
    for (uint32_t i = 0; missing == NULL && i < clip_count; i++) {
        missing = clips[i] == NULL ? "a clip" : NULL;
    }
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "root motion: %s is NULL", missing);
    }
    const lmb_host resolved = lmb_host_resolve(host);
    lmb_arena memory = {.host = &resolved};
    matrix *models = lmb_arena_allocate(&memory, rig->def.joint_count, sizeof *models);
    uint32_t *held = lmb_arena_allocate(&memory, rig->def.joint_count, sizeof *held);
    if (!memory.failed) {
        lmb_environment callers;
        lmb_environment_enter(&callers);
        *joint = find_joint(rig, clips, clip_count, def, models, held);
        lmb_environment_leave(&callers);
    }
    const bool failed = memory.failed;
    lmb_arena_release(&memory);
    return failed ? lmb_fail(error, LMB_ERROR_MEMORY, "root motion: no memory for %u joints",
                             (unsigned)rig->def.joint_count)
                  : LMB_OK;
}

void lmb_root_motion_destroy(lmb_root_motion *motion) {
    if (motion == NULL) {
        return;
    }
    lmb_host host = motion->host;
    lmb_clip_destroy(motion->clip);
    lmb_host_release(&host, motion->keys);
    lmb_host_release(&host, motion->rotations);
    lmb_host_release(&host, motion);
}

const lmb_motion_track *lmb_root_motion_track(const lmb_root_motion *motion) {
    return &motion->track;
}

const lmb_clip *lmb_root_motion_clip(const lmb_root_motion *motion) {
    return motion->clip;
}
