#include "space_oracle.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// The weight of position `own` among the positions of one axis: 1 at the position, linear to 0 at the next one on
// either side.
static double weigh_on_axis(const lmb_node_def *node, uint32_t own, int axis, double x) {
    const double place = (double)node->positions[own][axis];
    double before = -HUGE_VAL, after = HUGE_VAL;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const double other = (double)node->positions[i][axis];
        before = other < place ? fmax(before, other) : before;
        after = other > place ? fmin(after, other) : after;
    }
    if (x <= place) {
        return isinf(before) ? 1.0 : fmax(0.0, (x - before) / (place - before));
    }
    return isinf(after) ? 1.0 : fmax(0.0, (after - x) / (after - place));
}

static void weigh_bands(const lmb_node_def *node, double x, double y, double *weights) {
    double sum = 0.0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const double from[2] = {(double)node->positions[i][0], (double)node->positions[i][1]};
        double min = 1.0;
        for (uint32_t k = 0; k < node->input_count; k++) {
            const double way[2] = {(double)node->positions[k][0] - from[0], (double)node->positions[k][1] - from[1]};
            const double square = way[0] * way[0] + way[1] * way[1];
            if (k != i) {
                min = fmin(min, 1.0 - ((x - from[0]) * way[0] + (y - from[1]) * way[1]) / square);
            }
        }
        weights[i] = fmax(0.0, min);
        sum += weights[i];
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        weights[i] /= sum;
    }
}

// ---- Polar space. Positions and their differences are pairs of angle, twice, and distance over the mean distance.
// ----

static double distance_of(const double p[2]) {
    return sqrt(p[0] * p[0] + p[1] * p[1]);
}

static double cross_of(const double a[2], const double b[2]) {
    return a[0] * b[1] - a[1] * b[0];
}

// The angle between two directions in radians; 0 if one of them is none.
static double angle_between(const double a[2], const double b[2]) {
    return atan2(fabs(cross_of(a, b)), a[0] * b[0] + a[1] * b[1]);
}

// By Johansen's definition, except at p = 0: the influence of position i at p, limited by position j.
static double polar_influence(const double i[2], const double j[2], const double p[2]) {
    const double mean = (distance_of(i) + distance_of(j)) / 2.0;
    double to_j = angle_between(i, j), to_p = angle_between(i, p), scale = 2.0;
    if (distance_of(i) == 0.0) {
        to_j = angle_between(p, j);
        to_p = 0.0;
        scale = 1.0;
    } else if (distance_of(j) == 0.0) {
        to_j = to_p;
        scale = 1.0;
    } else if (to_j < 0.99 * 3.14159265358979323846 && cross_of(i, p) * cross_of(i, j) < 0.0) {
        to_p = -to_p;
    }
    const double way[2] = {scale * to_j, (distance_of(j) - distance_of(i)) / mean};
    const double part[2] = {scale * to_p, (distance_of(p) - distance_of(i)) / mean};
    return 1.0 - (way[0] * part[0] + way[1] * part[1]) / (way[0] * way[0] + way[1] * way[1]);
}

static void weigh_polar_bands(const lmb_node_def *node, double x, double y, double *weights) {
    const double p[2] = {x, y};
    double sum = 0.0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const double own[2] = {(double)node->positions[i][0], (double)node->positions[i][1]};
        double min = 1.0;
        for (uint32_t k = 0; k < node->input_count; k++) {
            const double other[2] = {(double)node->positions[k][0], (double)node->positions[k][1]};
            min = k == i ? min : fmin(min, polar_influence(own, other, p));
        }
        weights[i] = fmax(0.0, min);
        sum += weights[i];
    }
    for (uint32_t i = 0; i < node->input_count && sum > 0.0; i++) {
        weights[i] /= sum;
    }
}

static void weigh_nearest(const lmb_node_def *node, double x, double y, double *weights) {
    const bool is_line = node->op == LMB_OP_SPACE1D;
    uint32_t nearest = 0;
    double min = HUGE_VAL;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const double above = is_line ? 0.0 : (double)node->positions[i][1] - y;
        const double distance = hypot((double)node->positions[i][0] - x, above);
        nearest = distance < min ? i : nearest;
        min = fmin(distance, min);
    }
    weights[nearest] = 1.0;
}

// ---- Triangles. ----

typedef struct point {
    double x, y;
} point;

typedef struct triangle {
    uint32_t corners[3];
    bool is_flat;
    uint32_t side; // for a flat triangle, its side of the hull
} triangle;

typedef struct plane {
    const lmb_node_def *node;
    point ranges;
    triangle triangles[2 * LMB_MAX_SPACE_INPUTS];
    uint32_t triangle_count;
    uint32_t sides[LMB_MAX_SPACE_INPUTS][2];
    uint32_t chains[LMB_MAX_SPACE_INPUTS][LMB_MAX_SPACE_INPUTS]; // positions on a side
    uint32_t chain_counts[LMB_MAX_SPACE_INPUTS];
    uint32_t side_count;
} plane;

static point place_of(const plane *p, uint32_t i) {
    return (point){(double)p->node->positions[i][0], (double)p->node->positions[i][1]};
}

static point minus(point a, point b) {
    return (point){a.x - b.x, a.y - b.y};
}

static double cross(point a, point b) {
    return a.x * b.y - a.y * b.x;
}

static double dot(point a, point b) {
    return a.x * b.x + a.y * b.y;
}

// Whether d is inside the circle through a, b and c.
static bool is_in_circle(point a, point b, point c, point d) {
    const point ab = minus(b, a), ac = minus(c, a);
    const double twice = 2.0 * cross(ab, ac);
    const point centre = {a.x + (dot(ab, ab) * ac.y - dot(ac, ac) * ab.y) / twice,
                          a.y + (dot(ac, ac) * ab.x - dot(ab, ab) * ac.x) / twice};
    const point radius = minus(a, centre), distance = minus(d, centre);
    return dot(distance, distance) < dot(radius, radius);
}

static void find_triangles(plane *p) {
    const uint32_t count = p->node->input_count;
    for (uint32_t corners = 0; corners < count * count * count; corners++) {
        const uint32_t a = corners / count / count, b = corners / count % count, c = corners % count;
        bool is_empty = a < b && b < c &&
                        cross(minus(place_of(p, b), place_of(p, a)), minus(place_of(p, c), place_of(p, a))) != 0.0;
        for (uint32_t d = 0; d < count && is_empty; d++) {
            is_empty = d == a || d == b || d == c ||
                       !is_in_circle(place_of(p, a), place_of(p, b), place_of(p, c), place_of(p, d));
        }
        if (is_empty) {
            p->triangles[p->triangle_count++] = (triangle){{a, b, c}, false, 0};
        }
    }
}

// Finds the sides of the hull. All positions are to the left of a side.
static void find_sides(plane *p) {
    const uint32_t count = p->node->input_count;
    for (uint32_t pair = 0; pair < count * count; pair++) {
        const uint32_t a = pair / count, b = pair % count;
        bool is_side = a != b;
        for (uint32_t c = 0; c < count && is_side; c++) {
            is_side = c == a || c == b ||
                      cross(minus(place_of(p, b), place_of(p, a)), minus(place_of(p, c), place_of(p, a))) > 0.0;
        }
        if (is_side) {
            p->sides[p->side_count][0] = a;
            p->sides[p->side_count++][1] = b;
        }
    }
}

// Returns the third corner of a triangle with these two corners, or LMB_NONE.
static uint32_t third_corner(const triangle *t, uint32_t a, uint32_t b) {
    uint32_t found = LMB_NONE, shared = 0;
    for (int i = 0; i < 3; i++) {
        const bool is_shared = t->corners[i] == a || t->corners[i] == b;
        shared += is_shared;
        found = is_shared ? found : t->corners[i];
    }
    return shared == 2 ? found : LMB_NONE;
}

static double part_along(const plane *p, uint32_t side, point at) {
    const point from = place_of(p, p->sides[side][0]), way = minus(place_of(p, p->sides[side][1]), from);
    return dot(minus(at, from), way) / dot(way, way);
}

static point in_ranges(const plane *p, point a) {
    return (point){a.x / p->ranges.x, a.y / p->ranges.y};
}

// Appends the positions of a hull side from a to b, without b. Marks flat triangles at the side; their third corners
// become positions of the side.
static void follow(plane *p, uint32_t side, uint32_t a, uint32_t b, const triangle *behind) {
    for (uint32_t i = 0; i < p->triangle_count; i++) {
        triangle *t = &p->triangles[i];
        const uint32_t m = t == behind || t->is_flat ? LMB_NONE : third_corner(t, a, b);
        if (m == LMB_NONE) {
            continue;
        }
        const point way = in_ranges(p, minus(place_of(p, b), place_of(p, a)));
        const point up = in_ranges(p, minus(place_of(p, m), place_of(p, a)));
        const double at = part_along(p, side, place_of(p, m));
        if (fabs(cross(way, up)) / sqrt(dot(way, way)) < 1.0 / 64.0 && at > part_along(p, side, place_of(p, a)) &&
            at < part_along(p, side, place_of(p, b))) {
            t->is_flat = true;
            t->side = side;
            follow(p, side, a, m, t);
            follow(p, side, m, b, t);
            return;
        }
    }
    p->chains[side][p->chain_counts[side]++] = a;
}

static plane plane_of(const lmb_node_def *node) {
    plane p = {.node = node};
    point min = {HUGE_VAL, HUGE_VAL}, max = {-HUGE_VAL, -HUGE_VAL};
    for (uint32_t i = 0; i < node->input_count; i++) {
        const point place = place_of(&p, i);
        min = (point){fmin(min.x, place.x), fmin(min.y, place.y)};
        max = (point){fmax(max.x, place.x), fmax(max.y, place.y)};
    }
    p.ranges = minus(max, min);
    find_triangles(&p);
    find_sides(&p);
    for (uint32_t side = 0; side < p.side_count; side++) {
        follow(&p, side, p.sides[side][0], p.sides[side][1], NULL);
        p.chains[side][p.chain_counts[side]++] = p.sides[side][1];
    }
    return p;
}

static point nearest_on(const plane *p, uint32_t side, point at) {
    const point from = place_of(p, p->sides[side][0]), to = place_of(p, p->sides[side][1]);
    const double part = fmin(fmax(part_along(p, side, at), 0.0), 1.0);
    return (point){from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)};
}

static point project(const plane *p, point at) {
    point nearest = at;
    double min = HUGE_VAL;
    bool is_outside = false;
    for (uint32_t side = 0; side < p->side_count; side++) {
        const point from = place_of(p, p->sides[side][0]), to = place_of(p, p->sides[side][1]);
        const point on = nearest_on(p, side, at), way = minus(at, on);
        is_outside = is_outside || cross(minus(to, from), minus(at, from)) < 0.0;
        nearest = dot(way, way) < min ? on : nearest;
        min = fmin(min, dot(way, way));
    }
    return is_outside ? nearest : at;
}

static void barycentric(const plane *p, const triangle *t, point at, double inside_weights[3]) {
    const point a = place_of(p, t->corners[0]), b = place_of(p, t->corners[1]), c = place_of(p, t->corners[2]);
    const double area = cross(minus(b, a), minus(c, a));
    inside_weights[0] = cross(minus(b, at), minus(c, at)) / area;
    inside_weights[1] = cross(minus(c, at), minus(a, at)) / area;
    inside_weights[2] = cross(minus(a, at), minus(b, at)) / area;
}

static void weigh_along(const plane *p, uint32_t side, point at, double *weights) {
    const double part = fmin(fmax(part_along(p, side, at), 0.0), 1.0);
    for (uint32_t i = 0; i + 1 < p->chain_counts[side]; i++) {
        const uint32_t a = p->chains[side][i], b = p->chains[side][i + 1];
        const double from = part_along(p, side, place_of(p, a)), to = part_along(p, side, place_of(p, b));
        if (part >= from && part <= to) {
            weights[a] = (to - part) / (to - from);
            weights[b] = (part - from) / (to - from);
            return;
        }
    }
}

static void weigh_triangles(const lmb_node_def *node, point at, double *weights) {
    const plane p = plane_of(node);
    const point inside = project(&p, at);
    const triangle *best = NULL;
    double inside_weights[3], innermost = -HUGE_VAL;
    for (uint32_t i = 0; i < p.triangle_count; i++) {
        barycentric(&p, &p.triangles[i], inside, inside_weights);
        const double depth = fmin(inside_weights[0], fmin(inside_weights[1], inside_weights[2]));
        best = depth > innermost ? &p.triangles[i] : best;
        innermost = fmax(innermost, depth);
    }
    if (best->is_flat) {
        weigh_along(&p, best->side, inside, weights);
        return;
    }
    barycentric(&p, best, inside, inside_weights);
    for (int i = 0; i < 3; i++) {
        weights[best->corners[i]] = fmax(0.0, inside_weights[i]);
    }
}

void space_oracle_weights(const lmb_node_def *node, double x, double y, double weights[LMB_MAX_SPACE_INPUTS]) {
    memset(weights, 0, LMB_MAX_SPACE_INPUTS * sizeof *weights);
    const bool is_line = node->op == LMB_OP_SPACE1D;
    if (node->discrete) {
        weigh_nearest(node, x, y, weights);
    } else if (!is_line && node->space2d == LMB_SPACE2D_DIRECTIONAL) {
        weigh_polar_bands(node, x, y, weights);
    } else if (!is_line && node->space2d == LMB_SPACE2D_FREEFORM) {
        weigh_bands(node, x, y, weights);
    } else if (!is_line && node->space2d == LMB_SPACE2D_TRIANGLES) {
        weigh_triangles(node, (point){x, y}, weights);
    } else {
        for (uint32_t i = 0; i < node->input_count; i++) {
            weights[i] = weigh_on_axis(node, i, 0, x) * (is_line ? 1.0 : weigh_on_axis(node, i, 1, y));
        }
    }
}
