// Stage 1 of inverse kinematics: points that come from a buffer or are in world space. Once per character, their
// coordinates in model space are stored as weights, which the operations read like those that parameters determine.
#ifndef LMB_OPS_POINTS_H
#define LMB_OPS_POINTS_H

#include "weights.h"

// A transform whose volume, once its largest element is 1, is not above this has no inverse: 2^-30.
#define POINT_FLAT 9.31322575e-10f

// Loads a row of each lane's world transform.
OP matrix_row load_world_row(memory transforms, word at) {
    return make_row(GATHER_REAL(transforms, at), GATHER_REAL(transforms, at + 1u), GATHER_REAL(transforms, at + 2u),
                    GATHER_REAL(transforms, at + 3u));
}

OP vector linear_row(matrix_row r) {
    return make_vector(snap(r.x), snap(r.y), snap(r.z));
}

OP real larger_of(real a, real b) {
    return SELECT(a > b, a, b);
}

OP real largest_component(vector v) {
    return larger_of(larger_of(magnitude_of(v.x), magnitude_of(v.y)), magnitude_of(v.z));
}

// A character's world transform: the rows of its linear part, divided by its largest element, so that no product
// overflows or is subnormal. The columns of the inverse, times the volume, are the cross products of two rows. A
// transform that is not finite or has no inverse counts as the identity.
STRUCT(world_transform)
vector x;
vector y;
vector z;
vector origin;
vector of_x;
vector of_y;
vector of_z;
real largest;
real volume;
lane_mask good;
END_STRUCT(world_transform)

OP world_transform load_world(evaluation e) {
    word at = e.character * MATRIX_COMPONENTS;
    matrix_row row_of_x = load_world_row(TRANSFORMS(e), at);
    matrix_row row_of_y = load_world_row(TRANSFORMS(e), at + 4u);
    matrix_row row_of_z = load_world_row(TRANSFORMS(e), at + 8u);
    lane_mask finite = AND(row_is_finite(row_of_x), AND(row_is_finite(row_of_y), row_is_finite(row_of_z)));
    world_transform world;
    world.origin = make_vector(snap(row_of_x.t), snap(row_of_y.t), snap(row_of_z.t));
    world.x = linear_row(row_of_x);
    world.y = linear_row(row_of_y);
    world.z = linear_row(row_of_z);
    real of_rows = larger_of(largest_component(world.x), largest_component(world.y));
    world.largest = larger_of(of_rows, largest_component(world.z));
    real inverse_largest = reciprocal(world.largest);
    vector x = snap_vector(scale_vector(world.x, inverse_largest));
    vector y = snap_vector(scale_vector(world.y, inverse_largest));
    vector z = snap_vector(scale_vector(world.z, inverse_largest));
    world.of_x = cross_product(y, z);
    world.of_y = cross_product(z, x);
    world.of_z = cross_product(x, y);
    world.volume = vector_dot(x, world.of_x);
    world.good = AND(finite, magnitude_of(world.volume) > POINT_FLAT);
    REFUSE(e, REFUSED_POSE, NOT(world.good));
    return world;
}

// Converts a point or a direction from world space to model space.
OP vector from_world(evaluation e, vector given, bool is_direction) {
    world_transform world = load_world(e);
    vector from = given;
    if (!is_direction) {
        from = snap_vector(subtract_vectors(given, world.origin));
    }
    vector sum = add_vectors(add_vectors(scale_vector(world.of_x, from.x), scale_vector(world.of_y, from.y)),
                             scale_vector(world.of_z, from.z));
    real inverse_volume = reciprocal(SELECT(world.good, world.volume, SPLAT(1.0f)));
    vector found = scale_vector(scale_vector(snap_vector(sum), inverse_volume), reciprocal(world.largest));
    return select_vector(world.good, snap_vector(found), given);
}

// Converts a point or a direction from model space to world space.
OP vector to_world(evaluation e, vector given, bool is_direction) {
    world_transform world = load_world(e);
    vector found =
        snap_vector(make_vector(vector_dot(world.x, given), vector_dot(world.y, given), vector_dot(world.z, given)));
    if (!is_direction) {
        found = snap_vector(add_vectors(found, world.origin));
    }
    return select_vector(world.good, found, given);
}

// Loads a coordinate from the buffer of points. NaN becomes 0 and is counted as refused.
OP real load_coordinate(evaluation e, word at) {
    real given = GATHER_REAL(POINTS(e), at);
    REFUSE(e, REFUSED_WEIGHT, is_nan(given));
    return snap(given);
}

OP vector load_point(evaluation e, uint point, bool in_buffer) {
    vector loaded;
    if (in_buffer) {
        word at = e.character * HEADER(e.program, PROGRAM, point_floats) +
                  READ(e.program, point, POINT, slot) * POINT_COMPONENTS;
        loaded = make_vector(load_coordinate(e, at), load_coordinate(e, at + 1u), load_coordinate(e, at + 2u));
    } else {
        uint values = point + FIELD(POINT, values);
        loaded = make_vector(load_number(e, LOAD(e.program, values)), load_number(e, LOAD(e.program, values + 1u)),
                             load_number(e, LOAD(e.program, values + 2u)));
        loaded = snap_vector(loaded);
    }
    return loaded;
}

OP void find_points(evaluation e) {
    uint point = HEADER(e.program, PROGRAM, points);
    uint end = point + HEADER(e.program, PROGRAM, point_count) * WORDS_OF(POINT);
    for (; point < end; point += WORDS_OF(POINT)) {
        uint flags = READ(e.program, point, POINT, flags);
        uint weight = READ(e.program, point, POINT, weight);
        vector p = load_point(e, point, (flags & POINT_IN_BUFFER) != 0u);
        if ((flags & POINT_TO_WORLD) != 0u) {
            p = to_world(e, p, (flags & POINT_IS_DIRECTION) != 0u);
        } else if ((flags & POINT_IN_WORLD) != 0u) {
            p = from_world(e, p, (flags & POINT_IS_DIRECTION) != 0u);
        }
        store_weight(e, weight, p.x);
        store_weight(e, weight + 1u, p.y);
        store_weight(e, weight + 2u, p.z);
    }
}

#endif
