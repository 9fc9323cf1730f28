// The plane of a blend space of scattered places, cut into pieces in which weights are linear.
#ifndef LIMBER_SRC_BLEND_SPACE_H
#define LIMBER_SRC_BLEND_SPACE_H

#include <limber/graph.h>

// A triangulation of n places, h of them on the hull, has 2 n - 2 - h triangles. A flat one turns into two strips, or one
// where its side already was a strip's.
#define LMB_MOST_TRIANGLES (2 * LMB_MAX_SPACE_INPUTS)
#define LMB_MOST_PIECES (4 * LMB_MAX_SPACE_INPUTS)

// Places within this part of the larger range count as one, and so does what lies that near to the hull.
#define LMB_SPACE_NEAR 0x1p-20
// Triangles at the border that are flatter than this part of the ranges are flat; see graph.h.
#define LMB_SPACE_FLAT 0x1p-6
// Positions further from the middle than so many of the larger range are drawn nearer.
#define LMB_SPACE_REACH 1024.0

// x and y.
typedef struct lmb_place {
    float at[2];
} lmb_place;

// Delaunay's triangles, each anticlockwise, and the sides of the hull, anticlockwise one after another.
typedef struct lmb_triangulation {
    uint32_t triangle_count;
    uint32_t triangles[LMB_MOST_TRIANGLES][3];
    uint32_t edge_count;
    uint32_t edges[LMB_MAX_SPACE_INPUTS][2];
} lmb_triangulation;

// Places are distinct, and at most 2^40 and at least 2^-40, or 0. No triangle at all: they lie on a line.
void lmb_triangulate(const lmb_place *positions, uint32_t count, lmb_triangulation *result);

// A triangle: the corners' weights. Or a strip between the hull and two places, corners[1] and corners[2], where a flat
// triangle was: corners[0] is LMB_NONE, and its number tells only where the strip is. A position is inside where none of the
// three numbers is negative.
typedef struct lmb_space_piece {
    uint32_t corners[3];
    double gradients[2][2]; // of the first two numbers, which are 0 at corners[2]
} lmb_space_piece;

typedef struct lmb_blend_space {
    double middle[2];
    double ranges[2];
    double range; // the larger one
    uint32_t piece_count;
    lmb_space_piece pieces[LMB_MOST_PIECES];
    uint32_t edge_count; // of the hull
    uint32_t edges[LMB_MAX_SPACE_INPUTS][2];
} lmb_blend_space;

// Middle and ranges alone.
void lmb_blend_space_measure(const lmb_place *positions, uint32_t count, lmb_blend_space *space);
// All of it. False where the places lie on a line, or so near to one that every triangle is flat.
bool lmb_blend_space_cut(const lmb_place *positions, uint32_t count, lmb_blend_space *space);

#endif
