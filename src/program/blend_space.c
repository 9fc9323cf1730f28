// The triangulation is a Delaunay triangulation. It must be the same on every machine, and must never contain crossing
// triangles. So orientations and circles are decided exactly: all coordinates are scaled by a power of two to integers
// (bigint.h), and ties are broken by the indices of the positions.
//
// It starts at a side of the hull. For each side it searches all positions for the apex whose circle contains no other
// position, and goes on across the sides of the new triangle. That takes cubic time, which is short for 64 positions.
// Sorting makes the result independent of the order of discovery.
//
// Positions that are nearly on a side of the hull give flat triangles there, in which a weight would jump from 0 to 1
// across a tiny height. These triangles are removed one by one from the side inwards. Strips replace them, in which two
// neighbouring positions share the weight by the coordinate along the side.
#include "blend_space.h"

#include "base/bigint.h"
#include "math/float64.h"

#include <math.h>
#include <string.h>

typedef struct exact_place {
    lmb_bigint x;
    lmb_bigint y;
} exact_place;

static exact_place subtract(const exact_place *a, const exact_place *b) {
    return (exact_place){lmb_bigint_subtract(&a->x, &b->x), lmb_bigint_subtract(&a->y, &b->y)};
}

static lmb_bigint cross(const exact_place *a, const exact_place *b) {
    const lmb_bigint left = lmb_bigint_multiply(&a->x, &b->y);
    const lmb_bigint right = lmb_bigint_multiply(&a->y, &b->x);
    return lmb_bigint_subtract(&left, &right);
}

static lmb_bigint square(const exact_place *a) {
    const lmb_bigint x = lmb_bigint_multiply(&a->x, &a->x);
    const lmb_bigint y = lmb_bigint_multiply(&a->y, &a->y);
    return lmb_bigint_add(&x, &y);
}

// Returns the exponent of a power of two of which all coordinates are multiples.
static int find_exponent(const lmb_place *positions, uint32_t count) {
    int min = 64;
    for (uint32_t i = 0; i < 2 * count; i++) {
        int own;
        const float x = positions[i / 2].at[i % 2];
        (void)frexpf(x, &own);
        min = x != 0.0f && own - 24 < min ? own - 24 : min;
    }
    return min;
}

static bool is_before(const lmb_place *a, const lmb_place *b) {
    return a->at[0] < b->at[0] || (a->at[0] == b->at[0] && a->at[1] < b->at[1]);
}

// Returns a positive number if a, b and c turn left.
static int orientation(const exact_place *positions, uint32_t a, uint32_t b, uint32_t c) {
    const exact_place ab = subtract(&positions[b], &positions[a]);
    const exact_place ac = subtract(&positions[c], &positions[a]);
    const lmb_bigint turn = cross(&ab, &ac);
    return lmb_bigint_sign(&turn);
}

// Returns whether d is inside the circle through a, b and c, which turn left. Positions on one circle are decided by
// simulation of simplicity: each is raised a little above the paraboloid of which the circle is a plane section, and a
// position with a lower index is raised infinitely more than those after it. So the result is one triangulation,
// whichever side of a triangle is tested. (Edelsbrunner and Muecke, "Simulation of Simplicity".)
static bool encloses(const exact_place *positions, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const exact_place from_a = subtract(&positions[a], &positions[d]);
    const exact_place from_b = subtract(&positions[b], &positions[d]);
    const exact_place from_c = subtract(&positions[c], &positions[d]);
    const lmb_bigint of_a = cross(&from_b, &from_c);
    const lmb_bigint of_b = cross(&from_c, &from_a);
    const lmb_bigint of_c = cross(&from_a, &from_b);
    const lmb_bigint height_a = square(&from_a), height_b = square(&from_b), height_c = square(&from_c);
    const lmb_bigint part_a = lmb_bigint_multiply(&height_a, &of_a);
    const lmb_bigint part_b = lmb_bigint_multiply(&height_b, &of_b);
    const lmb_bigint part_c = lmb_bigint_multiply(&height_c, &of_c);
    const lmb_bigint two = lmb_bigint_add(&part_a, &part_b);
    const lmb_bigint all = lmb_bigint_add(&two, &part_c);
    if (lmb_bigint_sign(&all) != 0) {
        return lmb_bigint_sign(&all) > 0;
    }
    if (d < a && d < b && d < c) {
        return false;
    }
    const lmb_bigint *raised = a < b && a < c ? &of_a : b < c ? &of_b : &of_c;
    return lmb_bigint_sign(raised) > 0;
}

// Returns the corner opposite to the side `from` to `to` of a triangle, or LMB_NONE if it has no such side.
static uint32_t apex_over(const uint32_t corners[3], uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < 3; i++) {
        if (corners[i] == from && corners[(i + 1) % 3] == to) {
            return corners[(i + 2) % 3];
        }
    }
    return LMB_NONE;
}

static bool has_side(const lmb_triangulation *all, uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < all->triangle_count; i++) {
        if (apex_over(all->triangles[i], from, to) != LMB_NONE) {
            return true;
        }
    }
    return false;
}

// Finds the sides of triangles that no other triangle shares, in order.
static void find_hull(lmb_triangulation *result) {
    uint32_t after[LMB_MAX_SPACE_INPUTS] = {0};
    uint32_t first = LMB_NONE;
    for (uint32_t i = 0; i < result->triangle_count * 3; i++) {
        const uint32_t from = result->triangles[i / 3][i % 3];
        const uint32_t to = result->triangles[i / 3][(i + 1) % 3];
        if (!has_side(result, to, from)) {
            after[from] = to;
            first = first == LMB_NONE ? from : first;
        }
    }
    uint32_t from = first;
    while (first != LMB_NONE && (result->edge_count == 0 || from != first)) {
        uint32_t *edge = result->edges[result->edge_count++];
        edge[0] = from;
        edge[1] = from = after[from];
    }
}

// Adds the triangle on the left of a side, if there is one: the one whose circle contains no other position. The corner
// with the smallest index comes first.
static void add_left(const exact_place *positions, uint32_t count, uint32_t from, uint32_t to,
                     lmb_triangulation *result) {
    uint32_t apex = LMB_NONE;
    for (uint32_t i = 0; i < count && !has_side(result, from, to); i++) {
        if (i != from && i != to && orientation(positions, from, to, i) > 0 &&
            (apex == LMB_NONE || encloses(positions, from, to, apex, i))) {
            apex = i;
        }
    }
    if (apex != LMB_NONE) {
        const uint32_t corners[3] = {from, to, apex};
        const uint32_t first = from < to && from < apex ? 0 : to < apex ? 1 : 2;
        for (uint32_t i = 0; i < 3; i++) {
            result->triangles[result->triangle_count][i] = corners[(first + i) % 3];
        }
        result->triangle_count++;
    }
}

// Finds the side of the hull from the position with the smallest x to the next one on the hull. Of several in a line it
// takes the nearest.
static void find_first_side(const lmb_place *positions, const exact_place *exact, uint32_t count, uint32_t side[2]) {
    side[0] = 0;
    for (uint32_t i = 1; i < count; i++) {
        side[0] = is_before(&positions[i], &positions[side[0]]) ? i : side[0];
    }
    side[1] = side[0] == 0 ? 1 : 0;
    for (uint32_t i = 0; i < count; i++) {
        const int turn = i != side[0] && i != side[1] ? orientation(exact, side[0], side[1], i) : 1;
        side[1] = turn < 0 || (turn == 0 && is_before(&positions[i], &positions[side[1]])) ? i : side[1];
    }
}

// Triangles are sorted by the indices of their corners, whatever their orientation.
static uint32_t rank_of(const uint32_t corners[3]) {
    const uint32_t min = corners[1] < corners[2] ? corners[1] : corners[2];
    return (corners[0] * LMB_MAX_SPACE_INPUTS + min) * LMB_MAX_SPACE_INPUTS + (corners[1] + corners[2] - min);
}

static void sort(lmb_triangulation *result) {
    for (uint32_t i = 1; i < result->triangle_count; i++) {
        uint32_t own[3], place = i;
        memcpy(own, result->triangles[i], sizeof own);
        for (; place > 0 && rank_of(result->triangles[place - 1]) > rank_of(own); place--) {
            memcpy(result->triangles[place], result->triangles[place - 1], sizeof own);
        }
        memcpy(result->triangles[place], own, sizeof own);
    }
}

// Starts at a side of the hull and adds every triangle, then those across its sides.
void lmb_triangulate(const lmb_place *positions, uint32_t count, lmb_triangulation *result) {
    exact_place exact[LMB_MAX_SPACE_INPUTS];
    const int exponent = find_exponent(positions, count);
    for (uint32_t i = 0; i < count; i++) {
        exact[i] =
            (exact_place){lmb_bigint_from(positions[i].at[0], exponent), lmb_bigint_from(positions[i].at[1], exponent)};
    }
    uint32_t side[2];
    memset(result, 0, sizeof *result);
    find_first_side(positions, exact, count, side);
    add_left(exact, count, side[0], side[1], result);
    for (uint32_t i = 0; i < 3 * result->triangle_count; i++) {
        const uint32_t *corners = result->triangles[i / 3];
        add_left(exact, count, corners[(i + 1) % 3], corners[i % 3], result);
    }
    sort(result);
    find_hull(result);
}

void lmb_blend_space_measure(const lmb_place *positions, uint32_t count, lmb_blend_space *space) {
    memset(space, 0, sizeof *space);
    for (int axis = 0; axis < 2; axis++) {
        float min = positions[0].at[axis], max = positions[0].at[axis];
        for (uint32_t i = 1; i < count; i++) {
            min = fminf(min, positions[i].at[axis]);
            max = fmaxf(max, positions[i].at[axis]);
        }
        space->middle[axis] = ((double)min + (double)max) / 2.0;
        space->ranges[axis] = (double)max - (double)min;
    }
    space->range = fmax(space->ranges[0], space->ranges[1]);
}

// State of cutting a blend space.
typedef struct cutter {
    const lmb_place *positions;
    lmb_triangulation all; // the triangles that are left
    lmb_blend_space *space;
} cutter;

static void difference(const cutter *c, uint32_t from, uint32_t to, double result[2]) {
    for (int axis = 0; axis < 2; axis++) {
        result[axis] = (double)c->positions[to].at[axis] - (double)c->positions[from].at[axis];
    }
}

// Returns the height of a position over the line through two others. Both axes are fractions of their ranges.
static double height_over(const cutter *c, uint32_t place, uint32_t from, uint32_t to) {
    double side[2], up[2];
    difference(c, from, to, side);
    difference(c, from, place, up);
    for (int axis = 0; axis < 2; axis++) {
        side[axis] /= c->space->ranges[axis];
        up[axis] /= c->space->ranges[axis];
    }
    return fabs(side[0] * up[1] - side[1] * up[0]) / lmb_length64(side[0], side[1]);
}

// Returns the coordinate of a position along a side of the hull.
static double place_along(const cutter *c, const uint32_t edge[2], uint32_t place) {
    double side[2], to[2];
    difference(c, edge[0], edge[1], side);
    difference(c, edge[0], place, to);
    return (side[0] * to[0] + side[1] * to[1]) / lmb_length64(side[0], side[1]);
}

// Removes the triangle next to the line from `from` to `to`, which is on or near a side of the hull, if the triangle is
// flat. Returns its third corner, or LMB_NONE if it removed none.
static uint32_t take_flat(cutter *c, const uint32_t edge[2], uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < c->all.triangle_count; i++) {
        const uint32_t apex = apex_over(c->all.triangles[i], from, to);
        if (apex == LMB_NONE) {
            continue;
        }
        const double along = place_along(c, edge, apex);
        const bool between = place_along(c, edge, from) < along && along < place_along(c, edge, to);
        if (!between || height_over(c, apex, from, to) >= LMB_SPACE_FLAT) {
            return LMB_NONE;
        }
        memcpy(c->all.triangles[i], c->all.triangles[--c->all.triangle_count], sizeof c->all.triangles[i]);
        return apex;
    }
    return LMB_NONE;
}

// Leaves out pieces that are too flat for floats. Their neighbours cover them.
static void add_piece(cutter *c, const lmb_space_piece *piece) {
    const double steepest = fmax(lmb_length64(piece->gradients[0][0], piece->gradients[0][1]),
                                 lmb_length64(piece->gradients[1][0], piece->gradients[1][1]));
    if (steepest * c->space->range <= 0x1p30) {
        c->space->pieces[c->space->piece_count++] = *piece;
    }
}

static void add_strip(cutter *c, const uint32_t edge[2], uint32_t from, uint32_t to) {
    lmb_space_piece strip = {.corners = {LMB_NONE, to, from}};
    double along[2], side[2];
    difference(c, edge[0], edge[1], along);
    difference(c, from, to, side);
    const double part = place_along(c, edge, to) - place_along(c, edge, from);
    const double length = lmb_length64(along[0], along[1]);
    const double square_of_side = side[0] * side[0] + side[1] * side[1];
    strip.gradients[0][0] = side[1] / square_of_side;
    strip.gradients[0][1] = -side[0] / square_of_side;
    strip.gradients[1][0] = along[0] / length / part;
    strip.gradients[1][1] = along[1] / length / part;
    add_piece(c, &strip);
}

// Adds the strips along a side of the hull, if there are flat triangles.
static void cut_edge(cutter *c, const uint32_t edge[2]) {
    uint32_t chain[LMB_MAX_SPACE_INPUTS] = {edge[0], edge[1]};
    uint32_t count = 2;
    for (uint32_t i = 0; i + 1 < count;) {
        const uint32_t between = take_flat(c, edge, chain[i], chain[i + 1]);
        if (between == LMB_NONE) {
            i++;
            continue;
        }
        memmove(&chain[i + 2], &chain[i + 1], (count - i - 1) * sizeof chain[0]);
        chain[i + 1] = between;
        count++;
    }
    for (uint32_t i = 0; i + 1 < count && count > 2; i++) {
        add_strip(c, edge, chain[i], chain[i + 1]);
    }
}

static void add_triangle(cutter *c, const uint32_t corners[3]) {
    lmb_space_piece piece = {.corners = {corners[0], corners[1], corners[2]}};
    double first[2], second[2];
    difference(c, corners[2], corners[0], first);
    difference(c, corners[2], corners[1], second);
    const double area = first[0] * second[1] - first[1] * second[0];
    piece.gradients[0][0] = second[1] / area;
    piece.gradients[0][1] = -second[0] / area;
    piece.gradients[1][0] = -first[1] / area;
    piece.gradients[1][1] = first[0] / area;
    add_piece(c, &piece);
}

bool lmb_blend_space_cut(const lmb_place *positions, uint32_t count, lmb_blend_space *space) {
    lmb_blend_space_measure(positions, count, space);
    cutter c = {.positions = positions, .space = space};
    lmb_triangulate(positions, count, &c.all);
    space->edge_count = c.all.edge_count;
    memcpy(space->edges, c.all.edges, sizeof space->edges);
    for (uint32_t i = 0; i < c.all.edge_count; i++) {
        cut_edge(&c, c.all.edges[i]);
    }
    const uint32_t strips = space->piece_count;
    for (uint32_t i = 0; i < c.all.triangle_count; i++) {
        add_triangle(&c, c.all.triangles[i]);
    }
    return space->piece_count > strips;
}
