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

// Converts a point or a direction from world space to model space. The linear part is divided by its largest element
// first, so that no product overflows or is subnormal. A transform that is not finite or has no inverse counts as the
// identity.
OP vector from_world(evaluation e, vector world, bool is_direction) {
    word at = e.character * MATRIX_COMPONENTS;
    matrix_row row_of_x = load_world_row(TRANSFORMS(e), at);
    matrix_row row_of_y = load_world_row(TRANSFORMS(e), at + 4u);
    matrix_row row_of_z = load_world_row(TRANSFORMS(e), at + 8u);
    lane_mask finite = AND(row_is_finite(row_of_x), AND(row_is_finite(row_of_y), row_is_finite(row_of_z)));
    vector from = world;
    if (!is_direction) {
        vector origin = make_vector(snap(row_of_x.t), snap(row_of_y.t), snap(row_of_z.t));
        from = snap_vector(subtract_vectors(world, origin));
    }
    vector x = linear_row(row_of_x);
    vector y = linear_row(row_of_y);
    vector z = linear_row(row_of_z);
    real largest = larger_of(larger_of(largest_component(x), largest_component(y)), largest_component(z));
    real inverse_largest = reciprocal(largest);
    x = snap_vector(scale_vector(x, inverse_largest));
    y = snap_vector(scale_vector(y, inverse_largest));
    z = snap_vector(scale_vector(z, inverse_largest));
    // The columns of the inverse, times the volume.
    vector of_x = cross_product(y, z);
    vector of_y = cross_product(z, x);
    vector of_z = cross_product(x, y);
    real volume = vector_dot(x, of_x);
    lane_mask good = AND(finite, magnitude_of(volume) > POINT_FLAT);
    REFUSE(e, REFUSED_POSE, NOT(good));
    vector sum =
        add_vectors(add_vectors(scale_vector(of_x, from.x), scale_vector(of_y, from.y)), scale_vector(of_z, from.z));
    real inverse_volume = reciprocal(SELECT(good, volume, SPLAT(1.0f)));
    vector found = scale_vector(scale_vector(snap_vector(sum), inverse_volume), inverse_largest);
    return select_vector(good, snap_vector(found), world);
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
        word at = e.character * LOAD(e.program, PROGRAM_POINT_FLOATS) +
                  LOAD(e.program, point + POINT_SLOT) * POINT_COMPONENTS;
        loaded = make_vector(load_coordinate(e, at), load_coordinate(e, at + 1u), load_coordinate(e, at + 2u));
    } else {
        uint values = point + POINT_VALUES;
        loaded = make_vector(load_number(e, LOAD(e.program, values)), load_number(e, LOAD(e.program, values + 1u)),
                             load_number(e, LOAD(e.program, values + 2u)));
        loaded = snap_vector(loaded);
    }
    return loaded;
}

OP void find_points(evaluation e) {
    uint point = LOAD(e.program, PROGRAM_POINTS);
    uint end = point + LOAD(e.program, PROGRAM_POINT_COUNT) * POINT_WORDS;
    for (; point < end; point += POINT_WORDS) {
        uint flags = LOAD(e.program, point + POINT_FLAGS);
        uint weight = LOAD(e.program, point + POINT_WEIGHT);
        vector p = load_point(e, point, (flags & POINT_IN_BUFFER) != 0u);
        if ((flags & POINT_IN_WORLD) != 0u) {
            p = from_world(e, p, (flags & POINT_IS_DIRECTION) != 0u);
        }
        store_weight(e, weight, p.x);
        store_weight(e, weight + 1u, p.y);
        store_weight(e, weight + 2u, p.z);
    }
}

#endif
