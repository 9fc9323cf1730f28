// Blend spaces: what each input of one weighs at a position, from the places of all. Included by operations.h;
// src/program_space.c writes the tables.
#ifndef LMB_OPS_SPACES_H
#define LMB_OPS_SPACES_H

// A coordinate of the position; one that is NaN is 0, and counted by the first input.
OP real load_coordinate(frame f, uint instruction, uint operand) {
    uint value = LOAD(f.program, instruction + operand);
    real given = load_plain_value(f, value);
    if (LOAD(f.program, instruction + SPACE_INPUT) == 0u) {
        REFUSE(f, REFUSED_WEIGHT, BOTH(JOINT_IS_FIRST(f), is_nan(given)));
    }
    return shape_value(f, value, snap(given));
}

// What a place on a line weighs: 1 there, falling to 0 at its neighbours.
OP real weigh_place(frame f, uint row, real coordinate) {
    float own = LOAD_FLOAT(f.program, row + ROW_OWN);
    float before = LOAD_FLOAT(f.program, row + ROW_BEFORE);
    float after = LOAD_FLOAT(f.program, row + ROW_AFTER);
    real x = clamp_real(coordinate, LOAD_FLOAT(f.program, row + ROW_LEAST), LOAD_FLOAT(f.program, row + ROW_GREATEST));
    real rise = clamp_real((x - before) * LOAD_FLOAT(f.program, row + ROW_RISE), 0.0f, 1.0f);
    real fall = clamp_real((x - own) * LOAD_FLOAT(f.program, row + ROW_FALL), 0.0f, 1.0f);
    fall = SELECT(x < after, fall, ALL(1.0f));
    return SELECT(x < own, rise, 1.0f - fall);
}

OP prepared prepare_space1d(frame f, uint instruction) {
    prepared p = prepare_nothing(f, instruction);
    real x = load_coordinate(f, instruction, SPACE_X);
    p.weight = snap_small(weigh_place(f, LOAD(f.program, instruction + SPACE_TABLE), x));
    return p;
}

STRUCT(position)
real x;
real y;
END_STRUCT(position)

OP position select_position(truth condition, position yes, position no) {
    position selected;
    selected.x = SELECT(condition, yes.x, no.x);
    selected.y = SELECT(condition, yes.y, no.y);
    return selected;
}

// How far a position is from the place at that offset.
OP position from_place(frame f, uint place, position p) {
    position difference;
    difference.x = p.x - LOAD_FLOAT(f.program, place);
    difference.y = p.y - LOAD_FLOAT(f.program, place + 1u);
    return difference;
}

// Times the vector at that offset.
OP real dot_position(frame f, position p, uint by) {
    return p.x * LOAD_FLOAT(f.program, by) + p.y * LOAD_FLOAT(f.program, by + 1u);
}

OP truth is_at_place(frame f, uint place, position p) {
    return BOTH(p.x == LOAD_FLOAT(f.program, place), p.y == LOAD_FLOAT(f.program, place + 1u));
}

// What is further from the middle than a space reaches is drawn nearer, straight towards it.
OP position reach_position(frame f, uint table, position p) {
    float reach = LOAD_FLOAT(f.program, table + SPACE_REACH);
    float limit = reach * reach;
    position out_there = from_place(f, table + SPACE_MIDDLE, p);
    real square = out_there.x * out_there.x + out_there.y * out_there.y;
    real part = reach * reciprocal_root(square);
    position drawn;
    drawn.x = LOAD_FLOAT(f.program, table + SPACE_MIDDLE) + out_there.x * part;
    drawn.y = LOAD_FLOAT(f.program, table + SPACE_MIDDLE + 1u) + out_there.y * part;
    return select_position(square > limit, drawn, p);
}

// The point of the hull that is nearest to a position outside of it, else the position. Of the sides that it is outside of,
// it is nearest to the one past whose ends it is least. That needs no squares of distances, which would lose what tells
// the sides apart far out; and sides on which rounding has it just inside take part, so that one of several in a line is
// not chosen for being the only one.
OP position project_position(frame f, uint table, position p) {
    float near = LOAD_FLOAT(f.program, table + SPACE_NEAR);
    uint count = LOAD(f.program, table + SPACE_EDGES);
    uint edge = LOAD(f.program, table + SPACE_FIRST_EDGE);
    real outermost = ALL(0.0f);
    real least = ALL(1.329228e+36f); // 2^120
    position nearest = p;
    for (uint i = 0u; i < count; i++) {
        float length = LOAD_FLOAT(f.program, edge + EDGE_LENGTH);
        position d = from_place(f, edge + EDGE_FROM, p);
        real along = dot_position(f, d, edge + EDGE_ALONG);
        real outside =
            d.x * LOAD_FLOAT(f.program, edge + EDGE_ALONG + 1u) - d.y * LOAD_FLOAT(f.program, edge + EDGE_ALONG);
        real past = SELECT(along < 0.0f, -along, along - length);
        past = SELECT(past > 0.0f, past, ALL(0.0f));
        position foot;
        foot.x = LOAD_FLOAT(f.program, edge + EDGE_FROM) + along * LOAD_FLOAT(f.program, edge + EDGE_ALONG);
        foot.y = LOAD_FLOAT(f.program, edge + EDGE_FROM + 1u) + along * LOAD_FLOAT(f.program, edge + EDGE_ALONG + 1u);
        position end;
        end.x = SELECT(along < 0.0f, ALL(LOAD_FLOAT(f.program, edge + EDGE_FROM)),
                       ALL(LOAD_FLOAT(f.program, edge + EDGE_TO)));
        end.y = SELECT(along < 0.0f, ALL(LOAD_FLOAT(f.program, edge + EDGE_FROM + 1u)),
                       ALL(LOAD_FLOAT(f.program, edge + EDGE_TO + 1u)));
        foot = select_position(EITHER(along<0.0f, along> length), end, foot);
        truth better = BOTH(outside > -near, past < least);
        nearest = select_position(better, foot, nearest);
        least = SELECT(better, past, least);
        outermost = SELECT(outside > outermost, outside, outermost);
        edge = edge + EDGE_WORDS;
    }
    return select_position(outermost > 0.0f, nearest, p);
}

// What an input weighs in the piece of the plane that the position is in: that of which it is furthest inside. At a place
// it is exactly 1 or 0.
OP real weigh_corner(frame f, uint table, uint which, position given) {
    position p = project_position(f, table, given);
    uint count = LOAD(f.program, table + SPACE_PIECES);
    uint piece = LOAD(f.program, table + SPACE_FIRST_PIECE);
    real innermost = ALL(-1.329228e+36f);
    real weight = ALL(0.0f);
    for (uint i = 0u; i < count; i++) {
        uint opposite = LOAD(f.program, piece + PIECE_CORNERS);
        position d = from_place(f, piece + PIECE_FROM, p);
        real first = dot_position(f, d, piece + PIECE_GRADIENTS);
        real second = dot_position(f, d, piece + PIECE_GRADIENTS + 2u);
        real third = 1.0f - second;
        if (opposite != NO_CORNER) {
            third = third - first;
        }
        real inside = SELECT(first < second, first, second);
        inside = SELECT(third < inside, third, inside);
        real own = ALL(0.0f);
        if (opposite == which) {
            own = first;
        } else if (LOAD(f.program, piece + PIECE_CORNERS + 1u) == which) {
            own = second;
        } else if (LOAD(f.program, piece + PIECE_CORNERS + 2u) == which) {
            own = third;
        }
        truth better = inside > innermost;
        weight = SELECT(better, own, weight);
        innermost = SELECT(better, inside, innermost);
        piece = piece + PIECE_WORDS;
    }
    weight = clamp_real(weight, 0.0f, 1.0f);
    uint places = LOAD(f.program, table + SPACE_PLACES);
    for (uint i = 0u; i < places; i++) {
        float alone = 0.0f;
        if (i == which) {
            alone = 1.0f;
        }
        uint place = table + SPACE_FIRST_PLACE + 2u * i;
        truth is_there = EITHER(is_at_place(f, place, given), is_at_place(f, place, p));
        weight = SELECT(is_there, ALL(alone), weight);
    }
    return weight;
}

// An input's gradient bands, before all are divided by their sum: from each other place to its own, where it is 0 and 1.
OP real weigh_bands(frame f, uint table, position p) {
    uint count = LOAD(f.program, table + SPACE_PLACES);
    uint band = table + SPACE_FIRST_BAND;
    real weight = ALL(1.0f);
    for (uint i = 0u; i < count; i++) {
        position d = from_place(f, band, p);
        real influence = dot_position(f, d, band + BAND_GRADIENT);
        weight = SELECT(influence < weight, influence, weight);
        band = band + BAND_WORDS;
    }
    weight = SELECT(weight > 0.0f, weight, ALL(0.0f));
    return SELECT(is_at_place(f, table + SPACE_OWN_PLACE, p), ALL(1.0f), weight);
}

OP prepared prepare_space2d(frame f, uint instruction) {
    prepared p = prepare_nothing(f, instruction);
    uint kind = LOAD(f.program, instruction + SPACE_KIND);
    uint table = LOAD(f.program, instruction + SPACE_TABLE);
    position at;
    at.x = load_coordinate(f, instruction, SPACE_X);
    at.y = load_coordinate(f, instruction, SPACE_Y);
    real weight = ALL(0.0f);
    if (kind == SPACE_GRID) {
        weight = weigh_place(f, table, at.x) * weigh_place(f, table + ROW_WORDS, at.y);
    } else if (kind == SPACE_BANDS) {
        weight = weigh_bands(f, table, reach_position(f, table, at));
    } else {
        weight = weigh_corner(f, table, LOAD(f.program, instruction + SPACE_INPUT), reach_position(f, table, at));
    }
    p.weight = snap_small(weight);
    return p;
}

OP fold_sums space1d_begin(void) {
    return weighted_begin();
}

OP fold_sums space1d_accumulate(frame f, uint instruction, fold_sums so_far, transform a) {
    prepared p = PREPARED(f, instruction, prepare_space1d);
    return accumulate_pose(so_far, a, p.weight);
}

OP transform space1d_end(frame f, uint instruction, fold_sums all) {
    return weighted_end(f, instruction, all);
}

OP fold_sums space2d_begin(void) {
    return weighted_begin();
}

OP fold_sums space2d_accumulate(frame f, uint instruction, fold_sums so_far, transform a) {
    prepared p = PREPARED(f, instruction, prepare_space2d);
    return accumulate_pose(so_far, a, p.weight);
}

OP transform space2d_end(frame f, uint instruction, fold_sums all) {
    return weighted_end(f, instruction, all);
}

#endif
