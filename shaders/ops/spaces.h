// Blend spaces: computes the share of each input at a position in parameter space, from the inputs' positions.
// src/program/space.c writes the tables. Included by weights.h.
//
// - 1D, and each axis of a grid: triangular weights, 1 at an input's coordinate and 0 at its neighbours'.
// - Triangles: barycentric weights in a triangulation. Positions outside are projected to the hull.
// - Bands: gradient band interpolation, in Cartesian or in polar space.
// - Nearest: weight 1 for one input.
#ifndef LMB_OPS_SPACES_H
#define LMB_OPS_SPACES_H

// The triangular weight of a coordinate on an axis: 1 there, falling to 0 at its neighbours.
OP real weigh_place(evaluation e, uint row, real coordinate) {
    float own = READ_FLOAT(e.program, row, ROW, own);
    float before = READ_FLOAT(e.program, row, ROW, before);
    float after = READ_FLOAT(e.program, row, ROW, after);
    real x = clamp_real(coordinate, READ_FLOAT(e.program, row, ROW, min), READ_FLOAT(e.program, row, ROW, max));
    real rise = clamp_real((x - before) * READ_FLOAT(e.program, row, ROW, rise), 0.0f, 1.0f);
    real fall = clamp_real((x - own) * READ_FLOAT(e.program, row, ROW, fall), 0.0f, 1.0f);
    fall = SELECT(x < after, fall, SPLAT(1.0f));
    return SELECT(x < own, rise, 1.0f - fall);
}

OP void weigh_line(evaluation e, uint rule, real seen, real x) {
    uint row = READ(e.program, rule, RULE, table);
    uint count = READ(e.program, rule, RULE, count);
    for (uint i = 0u; i < count; i++) {
        store_share(e, rule, seen, i, snap_small(weigh_place(e, row, x)));
        row = row + WORDS_OF(ROW);
    }
}

STRUCT(position)
real x;
real y;
END_STRUCT(position)

OP position select_position(lane_mask condition, position yes, position no) {
    position selected;
    selected.x = SELECT(condition, yes.x, no.x);
    selected.y = SELECT(condition, yes.y, no.y);
    return selected;
}

// The difference between a position and the one at an offset.
OP position from_place(evaluation e, uint place, position p) {
    position difference;
    difference.x = p.x - LOAD_FLOAT(e.program, place);
    difference.y = p.y - LOAD_FLOAT(e.program, place + 1u);
    return difference;
}

// The dot product with the vector at an offset.
OP real dot_position(evaluation e, position p, uint by) {
    return p.x * LOAD_FLOAT(e.program, by) + p.y * LOAD_FLOAT(e.program, by + 1u);
}

OP lane_mask is_at_place(evaluation e, uint place, position p) {
    return AND(p.x == LOAD_FLOAT(e.program, place), p.y == LOAD_FLOAT(e.program, place + 1u));
}

// Moves a position that is farther from the middle than SPACE.reach straight towards the middle, to that distance.
OP position reach_position(evaluation e, uint table, position p) {
    float reach = READ_FLOAT(e.program, table, SPACE, reach);
    float limit = reach * reach;
    position out_there = from_place(e, table + FIELD(SPACE, middle), p);
    real square = out_there.x * out_there.x + out_there.y * out_there.y;
    real part = reach * reciprocal_root(square);
    position drawn;
    drawn.x = snap_small(LOAD_FLOAT(e.program, table + FIELD(SPACE, middle)) + out_there.x * part);
    drawn.y = snap_small(LOAD_FLOAT(e.program, table + FIELD(SPACE, middle) + 1u) + out_there.y * part);
    return select_position(square > limit, drawn, p);
}

// The point of the hull that is nearest to a position outside of it; positions inside are returned unchanged. Among the
// edges that the position is outside of, the nearest one is that whose ends the projected position exceeds least. This
// needs no squared distances, which would lose the difference between edges at large distances. Edges that rounding
// puts the position just inside of are included. Otherwise rounding could leave a wrong one of several collinear edges
// as the only candidate.
OP position project_position(evaluation e, uint table, position p) {
    float near = READ_FLOAT(e.program, table, TRIANGLE_SPACE, tolerance);
    uint count = READ(e.program, table, TRIANGLE_SPACE, edges);
    uint edge = READ(e.program, table, TRIANGLE_SPACE, first_edge);
    real outermost = SPLAT(0.0f);
    real smallest = SPLAT(1.329228e+36f); // 2^120
    position nearest = p;
    for (uint i = 0u; i < count; i++) {
        float length = READ_FLOAT(e.program, edge, EDGE, distance);
        position d = from_place(e, edge + FIELD(EDGE, from), p);
        real along = dot_position(e, d, edge + FIELD(EDGE, along));
        real outside = d.x * LOAD_FLOAT(e.program, edge + FIELD(EDGE, along) + 1u) -
                       d.y * LOAD_FLOAT(e.program, edge + FIELD(EDGE, along));
        real past = SELECT(along < 0.0f, -along, along - length);
        past = SELECT(past > 0.0f, past, SPLAT(0.0f));
        position foot;
        foot.x =
            LOAD_FLOAT(e.program, edge + FIELD(EDGE, from)) + along * LOAD_FLOAT(e.program, edge + FIELD(EDGE, along));
        foot.y = LOAD_FLOAT(e.program, edge + FIELD(EDGE, from) + 1u) +
                 along * LOAD_FLOAT(e.program, edge + FIELD(EDGE, along) + 1u);
        position end;
        end.x = SELECT(along < 0.0f, SPLAT(LOAD_FLOAT(e.program, edge + FIELD(EDGE, from))),
                       SPLAT(LOAD_FLOAT(e.program, edge + FIELD(EDGE, to))));
        end.y = SELECT(along < 0.0f, SPLAT(LOAD_FLOAT(e.program, edge + FIELD(EDGE, from) + 1u)),
                       SPLAT(LOAD_FLOAT(e.program, edge + FIELD(EDGE, to) + 1u)));
        foot = select_position(OR(along<0.0f, along> length), end, foot);
        lane_mask better = AND(outside > -near, past < smallest);
        nearest = select_position(better, foot, nearest);
        smallest = SELECT(better, past, smallest);
        outermost = SELECT(outside > outermost, outside, outermost);
        edge = edge + WORDS_OF(EDGE);
    }
    return select_position(outermost > 0.0f, nearest, p);
}

// The piece of the plane that contains a position, or contains it most nearly: its corners, as inputs, and their
// weights.
STRUCT(piece_of_plane)
real corners[3];
real weights[3];
END_STRUCT(piece_of_plane)

OP piece_of_plane find_piece_of_plane(evaluation e, uint table, position p) {
    uint count = READ(e.program, table, TRIANGLE_SPACE, pieces);
    uint piece = READ(e.program, table, TRIANGLE_SPACE, first_piece);
    real innermost = SPLAT(-1.329228e+36f);
    piece_of_plane found;
    for (uint i = 0u; i < 3u; i++) {
        found.corners[i] = SPLAT(-1.0f);
        found.weights[i] = SPLAT(0.0f);
    }
    for (uint i = 0u; i < count; i++) {
        uint opposite = LOAD(e.program, piece + FIELD(PIECE, corners));
        position d = from_place(e, piece + FIELD(PIECE, from), p);
        real first = dot_position(e, d, piece + FIELD(PIECE, gradients));
        real second = dot_position(e, d, piece + FIELD(PIECE, gradients) + 2u);
        real third = 1.0f - second;
        float corner = -1.0f;
        if (opposite != NO_CORNER) {
            third = third - first;
            corner = FLOAT_OF(opposite);
        }
        real inside = SELECT(first < second, first, second);
        inside = SELECT(third < inside, third, inside);
        lane_mask better = inside > innermost;
        found.weights[0] = SELECT(better, first, found.weights[0]);
        found.weights[1] = SELECT(better, second, found.weights[1]);
        found.weights[2] = SELECT(better, third, found.weights[2]);
        found.corners[0] = SELECT(better, SPLAT(corner), found.corners[0]);
        found.corners[1] =
            SELECT(better, SPLAT(FLOAT_OF(LOAD(e.program, piece + FIELD(PIECE, corners) + 1u))), found.corners[1]);
        found.corners[2] =
            SELECT(better, SPLAT(FLOAT_OF(LOAD(e.program, piece + FIELD(PIECE, corners) + 2u))), found.corners[2]);
        innermost = SELECT(better, inside, innermost);
        piece = piece + WORDS_OF(PIECE);
    }
    return found;
}

// Computes shares by triangles. At the position of an input, shares are exactly 1 or 0.
OP void weigh_corners(evaluation e, uint rule, real seen, position given) {
    uint table = READ(e.program, rule, RULE, table);
    uint count = READ(e.program, rule, RULE, count);
    position p = project_position(e, table, given);
    piece_of_plane piece = find_piece_of_plane(e, table, p);
    real there = SPLAT(-1.0f); // the input at whose position it is
    for (uint i = 0u; i < count; i++) {
        uint place = table + WORDS_OF(TRIANGLE_SPACE) + 2u * i;
        lane_mask is_there = OR(is_at_place(e, place, given), is_at_place(e, place, p));
        there = SELECT(is_there, SPLAT(FLOAT_OF(i)), there);
    }
    for (uint i = 0u; i < count; i++) {
        real weight = SPLAT(0.0f);
        for (uint corner = 3u; corner > 0u; corner--) {
            weight = SELECT(piece.corners[corner - 1u] == FLOAT_OF(i), piece.weights[corner - 1u], weight);
        }
        weight = clamp_real(weight, 0.0f, 1.0f);
        real alone = SELECT(there == FLOAT_OF(i), SPLAT(1.0f), SPLAT(0.0f));
        store_share(e, rule, seen, i, snap_small(SELECT(there < 0.0f, weight, alone)));
    }
}

// An input's weight by gradient bands, before normalisation. Each band goes from the position of another input, where
// it is 0, to this input's, where it is 1. The minimum of all bands counts.
OP real weigh_bands(evaluation e, uint table, position p) {
    uint count = READ(e.program, table, SPACE, places);
    uint band = table + WORDS_OF(BAND_SPACE);
    real weight = SPLAT(1.0f);
    for (uint i = 0u; i < count; i++) {
        position d = from_place(e, band, p);
        real influence = dot_position(e, d, band + FIELD(BAND, gradient));
        weight = SELECT(influence < weight, influence, weight);
        band = band + WORDS_OF(BAND);
    }
    weight = SELECT(weight > 0.0f, weight, SPLAT(0.0f));
    return SELECT(is_at_place(e, table + FIELD(BAND_SPACE, own_place), p), SPLAT(1.0f), weight);
}

OP void weigh_all_bands(evaluation e, uint rule, real seen, position p) {
    uint bands = READ(e.program, rule, RULE, table);
    uint count = READ(e.program, rule, RULE, count);
    for (uint i = 0u; i < count; i++) {
        store_share(e, rule, seen, i, snap_small(weigh_bands(e, bands, p)));
        bands = bands + WORDS_OF(BAND_SPACE) + (count - 1u) * WORDS_OF(BAND);
    }
}

// The direction of a position, seen from the origin: its angle to the direction of the place at an offset, and on which
// side of that it is (positive: anticlockwise). Both are 0 at the origin.
STRUCT(bearing)
real angle;
real side;
END_STRUCT(bearing)

OP bearing bearing_from_place(evaluation e, uint place, position p) {
    float x = LOAD_FLOAT(e.program, place);
    float y = LOAD_FLOAT(e.program, place + 1u);
    bearing b;
    b.side = p.y * x - p.x * y;
    b.angle = angle_from_axis(p.x * x + p.y * y, b.side);
    return b;
}

// A band between two positions that are not the origin, by the bearing from the own one. `farther` is how much farther
// from the origin the position is than the own one.
OP real weigh_polar_band(evaluation e, uint band, bearing own, real farther) {
    real angle = SELECT(own.side * READ_FLOAT(e.program, band, POLAR, side) < 0.0f, -own.angle, own.angle);
    real by_angle = angle * READ_FLOAT(e.program, band, POLAR, by_angle);
    return 1.0f - (by_angle + farther * READ_FLOAT(e.program, band, POLAR, by_distance));
}

// An input's weight by gradient bands in polar space, before normalisation. The input at the origin has no direction:
// its bands go by the bearings from the others.
OP real weigh_polar_bands(evaluation e, uint table, position p, real distance) {
    uint count = READ(e.program, table, SPACE, places);
    uint band = table + WORDS_OF(POLAR_SPACE);
    real farther = distance - READ_FLOAT(e.program, table, POLAR_SPACE, own_distance);
    real weight = SPLAT(1.0f);
    bearing b;
    b.angle = SPLAT(0.0f);
    b.side = SPLAT(0.0f);
    for (uint i = 0u; i < count; i++) {
        uint kind = READ(e.program, band, POLAR, kind);
        if (i == 0u || kind == POLAR_FROM_ORIGIN) {
            b = bearing_from_place(e, kind == POLAR_FROM_ORIGIN ? band : table + FIELD(BAND_SPACE, own_place), p);
        }
        real influence;
        if (kind == POLAR_BETWEEN) {
            influence = weigh_polar_band(e, band, b, farther);
        } else {
            influence = distance * READ_FLOAT(e.program, band, POLAR, by_distance);
            influence = influence * reciprocal(4.0f + b.angle * b.angle);
            if (kind == POLAR_FROM_ORIGIN) {
                influence = 1.0f - influence;
            }
        }
        influence = SELECT(is_at_place(e, band, p), SPLAT(0.0f), influence);
        weight = SELECT(influence < weight, influence, weight);
        band = band + WORDS_OF(POLAR);
    }
    weight = SELECT(weight > 0.0f, weight, SPLAT(0.0f));
    return SELECT(is_at_place(e, table + FIELD(BAND_SPACE, own_place), p), SPLAT(1.0f), weight);
}

OP void weigh_all_polar_bands(evaluation e, uint rule, real seen, position p) {
    uint bands = READ(e.program, rule, RULE, table);
    uint count = READ(e.program, rule, RULE, count);
    real square = p.x * p.x + p.y * p.y;
    real distance = square * reciprocal_root(square);
    for (uint i = 0u; i < count; i++) {
        store_share(e, rule, seen, i, snap_small(weigh_polar_bands(e, bands, p, distance)));
        bands = bands + WORDS_OF(POLAR_SPACE) + (count - 1u) * WORDS_OF(POLAR);
    }
}

// Gives the nearest input weight 1; the first one of several.
OP void weigh_nearest(evaluation e, uint rule, real seen, position p) {
    uint places = READ(e.program, rule, RULE, table) + WORDS_OF(SPACE);
    uint count = READ(e.program, rule, RULE, count);
    real nearest = SPLAT(0.0f);
    real smallest = SPLAT(1.329228e+36f); // 2^120
    for (uint i = 0u; i < count; i++) {
        position d = from_place(e, places + 2u * i, p);
        real square = d.x * d.x + d.y * d.y;
        nearest = SELECT(square < smallest, SPLAT(FLOAT_OF(i)), nearest);
        smallest = SELECT(square < smallest, square, smallest);
    }
    for (uint i = 0u; i < count; i++) {
        store_share(e, rule, seen, i, SELECT(nearest == FLOAT_OF(i), SPLAT(1.0f), SPLAT(0.0f)));
    }
}

OP void weigh_grid(evaluation e, uint rule, real seen, position p) {
    uint row = READ(e.program, rule, RULE, table);
    uint count = READ(e.program, rule, RULE, count);
    for (uint i = 0u; i < count; i++) {
        real weight = weigh_place(e, row, p.x) * weigh_place(e, row + WORDS_OF(ROW), p.y);
        store_share(e, rule, seen, i, snap_small(weight));
        row = row + 2u * WORDS_OF(ROW);
    }
}

OP void weigh_plane(evaluation e, uint rule, real seen, position at) {
    uint kind = READ(e.program, rule, RULE, space);
    uint table = READ(e.program, rule, RULE, table);
    if (kind == SPACE_GRID) {
        weigh_grid(e, rule, seen, at);
    } else if (kind == SPACE_BANDS) {
        weigh_all_bands(e, rule, seen, reach_position(e, table, at));
    } else if (kind == SPACE_POLAR_BANDS) {
        weigh_all_polar_bands(e, rule, seen, reach_position(e, table, at));
    } else if (kind == SPACE_NEAREST) {
        weigh_nearest(e, rule, seen, reach_position(e, table, at));
    } else {
        weigh_corners(e, rule, seen, reach_position(e, table, at));
    }
}

OP void weigh_space(evaluation e, uint rule, real own, float always, bool plane) {
    position at;
    // First y, then x. As a loop, so that kernels contain the code that reads a value only once.
    at.x = SPLAT(0.0f);
    for (uint axis = plane ? 0u : 1u; axis < 2u; axis++) {
        at.y = at.x;
        at.x = load_number(e, LOAD(e.program, rule + (axis == 0u ? FIELD(RULE, y) : FIELD(RULE, x))));
    }
    real seen = own + always;
    if (!plane) {
        weigh_line(e, rule, seen, at.x);
    } else if (USES_SPACES) {
        weigh_plane(e, rule, seen, at);
    }
}

#endif
