// Cuts the plane of a two-dimensional blend space with scattered positions into pieces in which weights are linear.
#ifndef LIMBER_SRC_PROGRAM_BLEND_SPACE_H
#define LIMBER_SRC_PROGRAM_BLEND_SPACE_H

#include <limber/graph.h>

// A triangulation of n positions, h of them on the hull, has 2 n - 2 - h triangles. A flat triangle is replaced by two
// strips, or splits the strip at its side into two.
#define LMB_MOST_TRIANGLES (2 * LMB_MAX_SPACE_INPUTS)
#define LMB_MOST_PIECES (4 * LMB_MAX_SPACE_INPUTS)

// Positions that are closer than this fraction of the larger range count as the same, and a point this close to the
// hull counts as on it.
#define LMB_SPACE_NEAR 0x1p-20
// Triangles at the border whose height is below this fraction of the ranges are flat; see graph.h.
#define LMB_SPACE_FLAT 0x1p-6
// Positions farther from the middle than this multiple of the larger range are moved to that distance.
#define LMB_SPACE_REACH 1024.0

// x and y.
typedef struct lmb_place {
    float at[2];
} lmb_place;

// Delaunay triangles, each anticlockwise, and the edges of the hull, anticlockwise one after another.
typedef struct lmb_triangulation {
    uint32_t triangle_count;
    uint32_t triangles[LMB_MOST_TRIANGLES][3];
    uint32_t edge_count;
    uint32_t edges[LMB_MAX_SPACE_INPUTS][2];
} lmb_triangulation;

// Positions must be distinct, and each coordinate is 0 or from 2^-40 to 2^40 in magnitude. The result has no triangles
// if all positions are on a line.
void lmb_triangulate(const lmb_place *positions, uint32_t count, lmb_triangulation *result);

// Either a triangle, whose three numbers are its corners' weights, or a strip between the hull and two positions,
// corners[1] and corners[2], that replaces a flat triangle. In a strip corners[0] is LMB_NONE, and its number only says
// where the strip is. A position is inside if none of the three numbers is negative.
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

// Sets only middle and ranges.
void lmb_blend_space_measure(const lmb_place *positions, uint32_t count, lmb_blend_space *space);
// Sets everything. Returns false if the positions are on a line, or so close to one that every triangle is flat.
bool lmb_blend_space_cut(const lmb_place *positions, uint32_t count, lmb_blend_space *space);

#endif
