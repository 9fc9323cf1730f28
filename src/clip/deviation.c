// Between neighbouring key times a track is a polynomial of third degree, or a rotation about a fixed axis, or the
// direction of a polynomial. The difference d of the two positions of a virtual point is then smooth, and its length is
// at most
//
//     the larger of the lengths at both ends + 1/8 of the largest second derivative of d
//
// with a parameter that goes from 0 to 1. The second derivative is bounded by the product rule, from the local
// transforms down the hierarchy. An interval whose bound is far above the largest distance found so far is halved,
// which divides the second term by four.
#include "deviation.h"

#include "math/float64.h"

#include <math.h>
#include <string.h>

#define MOST_HALVINGS 12
#define HALVINGS_AN_INTERVAL 64u // on average
#define NEAR_ENOUGH 1.001
#define HUGE_BOUND 1e60 // stands for no bound, and may be multiplied
#define WILD_PARTS 4
#define WILD_SPEED 0.5 // in one part; half of the angle

// Bounds of the magnitude of something in an interval, and of its first two derivatives.
typedef struct jet {
    double of[3];
} jet;

// A track in an interval: the control points of a Bezier curve. For rotations about a fixed axis only the first and the
// last one.
typedef struct piece {
    double points[4][4];
    uint32_t width;
    bool is_spline;
} piece;

// A rotation in an interval: the quaternions at both ends, and bounds of their speed and tangential acceleration.
typedef struct spin {
    double ends[2][4];
    double speed;
    double acceleration;
} spin;

struct deviating_joint {
    matrix models[2][2];  // [end][clip]
    jet linear;           // of the compressed clip's model matrix, without the translation
    jet linear_deviation; // of its difference from the source's
    jet place_deviation;
};

size_t lmb_deviation_joint_bytes(void) {
    return sizeof(deviating_joint);
}

// ---- Jets. ----

static jet jet_of(double value, double first, double second) {
    return (jet){{fmin(value, HUGE_BOUND), fmin(first, HUGE_BOUND), fmin(second, HUGE_BOUND)}};
}

static jet sum(jet a, jet b) {
    return jet_of(a.of[0] + b.of[0], a.of[1] + b.of[1], a.of[2] + b.of[2]);
}

static jet product(jet a, jet b) {
    return jet_of(a.of[0] * b.of[0], a.of[1] * b.of[0] + a.of[0] * b.of[1],
                  a.of[2] * b.of[0] + 2.0 * a.of[1] * b.of[1] + a.of[0] * b.of[2]);
}

// ---- Tracks. ----

static double dot(const double *a, const double *b, uint32_t width) {
    double sum = 0.0;
    for (uint32_t i = 0; i < width; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// Evaluates the symmetric form of three parameters whose diagonal is a Bezier curve. The control points of a part of
// the curve are values of it.
static void blossom(double points[4][4], const double at[3], double result[4]) {
    double row[4][4];
    memcpy(row, points, sizeof row);
    for (int level = 0; level < 3; level++) {
        for (int i = 0; i < 3 - level; i++) {
            for (int k = 0; k < 4; k++) {
                row[i][k] += (row[i + 1][k] - row[i][k]) * at[level];
            }
        }
    }
    memcpy(result, row[0], sizeof row[0]);
}

// Cuts the part from `from` to `to`, fractions of the curve.
static void cut(piece *p, double from, double to) {
    double points[4][4];
    for (int i = 0; i < 4; i++) {
        const double at[3] = {i > 0 ? to : from, i > 1 ? to : from, i > 2 ? to : from};
        blossom(p->points, at, points[i]);
    }
    memcpy(p->points, points, sizeof points);
}

// Loads a spline between two neighbouring keys.
static void load_spline(const uint32_t *words, track t, uint32_t key, uint32_t width, piece *p) {
    const double interval = (double)REAL(words[t.times + key + 1]) - (double)REAL(words[t.times + key]);
    const uint32_t *from = words + t.values + (size_t)3 * width * key + width, *to = from + (size_t)3 * width;
    for (uint32_t i = 0; i < width; i++) {
        p->points[0][i] = (double)REAL(from[i]);
        p->points[1][i] = p->points[0][i] + interval / 3.0 * (double)REAL(from[width + i]);
        p->points[3][i] = (double)REAL(to[i]);
        p->points[2][i] = p->points[3][i] - interval / 3.0 * (double)REAL((to - width)[i]);
    }
}

static bool has_spline(const uint32_t *words, track t, const float times[2]) {
    return t.mode == MODE_CUBIC && t.keys > 1 && REAL(words[t.times]) < times[1] &&
           REAL(words[t.times + t.keys - 1]) > times[0];
}

static bool is_held(track t) {
    return t.mode == MODE_STEP || t.mode == MODE_REST || t.keys == 1;
}

static piece load_piece(const lmb_clip *clip, uint32_t property, uint32_t joint, const float times[2],
                        const float *const ends[2]) {
    const uint32_t *words = clip->words;
    const track t = load_track(words, 0, property, joint);
    piece p = {.width = lmb_property_width((lmb_property)property)};
    if (has_spline(words, t, times)) {
        const uint32_t key = find_key(words, t, words[FIELD(CLIP, search)], times[0]).key;
        const double start = (double)REAL(words[t.times + key]), end = (double)REAL(words[t.times + key + 1]);
        load_spline(words, t, key, p.width, &p);
        cut(&p, ((double)times[0] - start) / (end - start), ((double)times[1] - start) / (end - start));
        p.is_spline = property == PROPERTY_ROTATION;
        return p;
    }
    for (uint32_t i = 0; i < p.width; i++) {
        const double from = (double)ends[0][i], step = is_held(t) ? 0.0 : ((double)ends[1][i] - from) / 3.0;
        for (int k = 0; k < 4; k++) {
            p.points[k][i] = from + k * step;
        }
    }
    return p;
}

// Returns the length of a combination of control points.
static double length_of(const piece *p, int first, const double factors[3]) {
    double v[4] = {0.0, 0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < p->width; i++) {
        for (int k = 0; k < 3 && first + k < 4; k++) {
            v[i] += factors[k] * p->points[first + k][i];
        }
    }
    return sqrt(dot(v, v, p->width));
}

// The magnitudes of a Bezier curve and of its derivatives are at most those of their control points.
static jet jet_of_piece(const piece *p) {
    static const double factors[3][3] = {{1.0, 0.0, 0.0}, {-1.0, 1.0, 0.0}, {1.0, -2.0, 1.0}};
    static const double degrees[3] = {1.0, 3.0, 6.0};
    jet j = {{0.0, 0.0, 0.0}};
    for (int order = 0; order < 3; order++) {
        for (int i = 0; i + order < 4; i++) {
            j.of[order] = fmax(j.of[order], degrees[order] * length_of(p, i, factors[order]));
        }
    }
    return jet_of(j.of[0], j.of[1], j.of[2]);
}

static piece subtract(const piece *a, const piece *b) {
    piece p = *a;
    for (int i = 0; i < 4; i++) {
        for (uint32_t k = 0; k < p.width; k++) {
            p.points[i][k] -= b->points[i][k];
        }
    }
    return p;
}

// Returns the jet of a scale, whose magnitude is that of its largest component.
static jet jet_of_scale(const piece *p) {
    jet j = {{0.0, 0.0, 0.0}};
    for (int axis = 0; axis < 3; axis++) {
        piece component = {.width = 1};
        for (int i = 0; i < 4; i++) {
            component.points[i][0] = p->points[i][axis];
        }
        const jet own = jet_of_piece(&component);
        for (int order = 0; order < 3; order++) {
            j.of[order] = fmax(j.of[order], own.of[order]);
        }
    }
    return j;
}

// ---- Rotations. ----

// The direction q of a polynomial Q moves at most as fast as Q', divided by the smallest length of Q. Its acceleration
// is -|q'|^2 q and a tangential part, of Q'' and of the change of the length.
static void spin_of_spline(const piece *p, spin *s) {
    double middle[4], shortest = HUGE_BOUND;
    for (int i = 0; i < 4; i++) {
        middle[i] = p->points[0][i] + p->points[1][i] + p->points[2][i] + p->points[3][i];
    }
    const double length = sqrt(dot(middle, middle, 4));
    for (int i = 0; i < 4; i++) {
        shortest = fmin(shortest, length > 0.0 ? dot(p->points[i], middle, 4) / length : 0.0);
    }
    const jet j = jet_of_piece(p);
    const bool is_bounded = shortest > 1e-9 * j.of[0];
    s->speed = is_bounded ? fmin(j.of[1] / shortest, HUGE_BOUND) : HUGE_BOUND;
    s->acceleration =
        is_bounded ? fmin(j.of[2] / shortest + 2.0 * s->speed * j.of[1] / shortest, HUGE_BOUND) : HUGE_BOUND;
}

static spin spin_of(const piece *p) {
    spin s = {.acceleration = 0.0};
    for (int end = 0; end < 2; end++) {
        const double *q = p->points[3 * end];
        const double length = sqrt(dot(q, q, 4));
        for (int i = 0; i < 4; i++) {
            s.ends[end][i] = length > 0.0 ? q[i] / length : 0.0;
        }
    }
    if (p->is_spline) {
        spin_of_spline(p, &s);
        return s;
    }
    const double sign = dot(s.ends[0], s.ends[1], 4) < 0.0 ? -1.0 : 1.0;
    double square = 0.0;
    for (int i = 0; i < 4; i++) {
        s.ends[1][i] *= sign;
        square += (s.ends[1][i] - s.ends[0][i]) * (s.ends[1][i] - s.ends[0][i]);
    }
    s.speed = 2.0 * lmb_arc_sine64(fmin(0.5 * sqrt(square), 1.0));
    return s;
}

// A rotated vector has the quaternion twice.
static jet jet_of_spin(const spin *s) {
    return jet_of(1.0, 2.0 * s->speed, 2.0 * s->acceleration + 4.0 * s->speed * s->speed);
}

// Bounds the difference of two rotations that move alike. With e = a - b and speeds v and w, the second derivative of e
// is at most the accelerations + v^2 |e| + |v^2 - w^2|, and |v - w| is at most the first derivative of e.
static jet jet_between(const spin *a, const spin *b) {
    const double sign = dot(a->ends[0], b->ends[0], 4) < 0.0 ? -1.0 : 1.0;
    double apart[2] = {0.0, 0.0}, moved = 0.0;
    for (int i = 0; i < 4; i++) {
        const double first = a->ends[0][i] - sign * b->ends[0][i], last = a->ends[1][i] - sign * b->ends[1][i];
        apart[0] += first * first;
        apart[1] += last * last;
        moved += (last - first) * (last - first);
    }
    moved = sqrt(moved);
    const double farther = sqrt(fmax(apart[0], apart[1])), v = a->speed, w = b->speed;
    const double accelerations = a->acceleration + b->acceleration;
    const double rest = 1.0 - v * v / 8.0 - (v + w) / 2.0;
    double second = accelerations + v * v + w * w;
    if (rest > 0.25) {
        second = fmin(second, (accelerations + v * v * farther + (v + w) * moved) / rest);
    }
    const double value = fmin(farther + second / 8.0, 2.0), first = fmin(moved + second / 2.0, v + w);
    const double both = a->acceleration + v * v + b->acceleration + w * w;
    return jet_of(2.0 * value, 2.0 * first + value * (v + w), 2.0 * second + 2.0 * first * (v + w) + value * both);
}

// ---- Intervals. ----

// The local transforms of a joint in an interval.
typedef struct local_pieces {
    lmb_transform ends[2];
    piece of[PROPERTIES];
} local_pieces;

static local_pieces load_pieces(const deviation *d, const lmb_clip *clip, uint32_t joint, const float times[2]) {
    local_pieces found;
    for (int end = 0; end < 2; end++) {
        found.ends[end] = lmb_clip_sample(clip, d->rig, joint, times[end]);
    }
    for (uint32_t property = 0; property < PROPERTIES; property++) {
        const float *const ends[2] = {lmb_property_in(&found.ends[0], property),
                                      lmb_property_in(&found.ends[1], property)};
        found.of[property] = load_piece(clip, property, joint, times, ends);
        if (is_held(load_track(clip->words, 0, property, joint))) { // until the end, where it may step
            memcpy(lmb_property_of(&found.ends[1], property), ends[0], found.of[property].width * sizeof(float));
        }
    }
    return found;
}

static jet jet_of_rotations(const piece *a, const piece *b, const spin spins[2]) {
    // A spline is kept as it is, or replaced by keys.
    return a->is_spline && b->is_spline ? jet_of(0.0, 0.0, 0.0) : jet_between(&spins[0], &spins[1]);
}

static void bound_joint(deviation *d, uint32_t joint, const float times[2]) {
    const uint32_t parent = d->rig->def.joints[joint].parent;
    const deviating_joint *above = parent != LMB_NONE ? &d->joints[parent] : NULL;
    deviating_joint *own = &d->joints[joint];
    const local_pieces source = load_pieces(d, d->source, joint, times), clip = load_pieces(d, d->clip, joint, times);
    for (int end = 0; end < 2; end++) {
        own->models[end][0] = lmb_model_of(&source.ends[end], above != NULL ? &above->models[end][0] : NULL);
        own->models[end][1] = lmb_model_of(&clip.ends[end], above != NULL ? &above->models[end][1] : NULL);
    }
    piece apart[PROPERTIES];
    for (uint32_t property = 0; property < PROPERTIES; property++) {
        apart[property] = subtract(&source.of[property], &clip.of[property]);
    }
    const spin spins[2] = {spin_of(&source.of[PROPERTY_ROTATION]), spin_of(&clip.of[PROPERTY_ROTATION])};
    const jet turns[2] = {jet_of_spin(&spins[0]), jet_of_spin(&spins[1])};
    const jet scales[2] = {jet_of_scale(&source.of[PROPERTY_SCALE]), jet_of_scale(&clip.of[PROPERTY_SCALE])};
    const jet turned = jet_of_rotations(&source.of[PROPERTY_ROTATION], &clip.of[PROPERTY_ROTATION], spins);
    const jet linear = product(turns[1], scales[1]);
    own->linear = linear;
    own->linear_deviation = sum(product(turned, scales[0]), product(turns[1], jet_of_scale(&apart[PROPERTY_SCALE])));
    own->place_deviation = jet_of_piece(&apart[PROPERTY_TRANSLATION]);
    if (above != NULL) {
        const jet source_linear = product(turns[0], scales[0]);
        own->place_deviation = sum(above->place_deviation,
                                   sum(product(above->linear_deviation, jet_of_piece(&source.of[PROPERTY_TRANSLATION])),
                                       product(above->linear, own->place_deviation)));
        own->linear_deviation =
            sum(product(above->linear_deviation, source_linear), product(above->linear, own->linear_deviation));
        own->linear = product(above->linear, linear);
    }
}

// Bounds the distances in an interval, and finds those at its ends.
static double bound_interval(deviation *d, const float times[2]) {
    double bound = 0.0;
    for (uint32_t joint = 0; joint < d->rig->def.joint_count; joint++) {
        const deviating_joint *own = &d->joints[joint];
        bound_joint(d, joint, times);
        const lmb_tolerance *tolerance = &d->tolerances[joint];
        const double ends = fmax(lmb_deviation_of(&own->models[0][0], &own->models[0][1], tolerance),
                                 lmb_deviation_of(&own->models[1][0], &own->models[1][1], tolerance));
        const jet turned = product(jet_of(tolerance->shell, 0.0, 0.0), own->linear_deviation);
        const jet point = product(jet_of(tolerance->share, 0.0, 0.0), sum(own->place_deviation, turned));
        bound = fmax(bound, fmin(ends + point.of[2] / 8.0, fmax(ends, point.of[0])));
        d->largest = fmax(d->largest, ends);
    }
    return bound;
}

static double bound_halves(deviation *d, const float times[2], int halvings) {
    const double bound = bound_interval(d, times);
    const float middle = snap(0.5f * times[0] + 0.5f * times[1]);
    if (bound <= NEAR_ENOUGH * d->largest || halvings == MOST_HALVINGS || d->halvings == 0 ||
        !(times[0] < middle && middle < times[1])) {
        return bound;
    }
    d->halvings--;
    const float first[2] = {times[0], middle}, second[2] = {middle, times[1]};
    const double early = bound_halves(d, first, halvings + 1), late = bound_halves(d, second, halvings + 1);
    return fmin(bound, fmax(early, late));
}

double lmb_deviation_bound(deviation *d) {
    d->halvings = (uint64_t)HALVINGS_AN_INTERVAL * d->count;
    double bound = d->largest;
    for (uint32_t i = 0; i + 1 < d->count; i++) {
        const float times[2] = {d->times[i * d->stride], d->times[(i + 1) * d->stride]};
        bound = fmax(bound, bound_halves(d, times, 0));
    }
    return fmax(bound, d->largest);
}

bool lmb_deviation_is_wild(const lmb_clip *source, uint32_t joint) {
    const track t = load_track(source->words, 0, PROPERTY_ROTATION, joint);
    for (uint32_t i = 0; t.mode == MODE_CUBIC && i < (t.keys - 1) * WILD_PARTS; i++) {
        piece p = {.width = 4, .is_spline = true};
        spin s;
        load_spline(source->words, t, i / WILD_PARTS, 4, &p);
        cut(&p, (double)(i % WILD_PARTS) / WILD_PARTS, (double)(i % WILD_PARTS + 1) / WILD_PARTS);
        spin_of_spline(&p, &s);
        if (!(s.speed <= WILD_SPEED)) {
            return true;
        }
    }
    return false;
}
