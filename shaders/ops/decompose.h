// Products of transforms as full matrices, taken apart again to translation, rotation and scale where they do not shear.
#ifndef LMB_OPS_DECOMPOSE_H
#define LMB_OPS_DECOMPOSE_H

#include "transform.h"

// Axes whose cosine is farther from 0 than this shear. 1e-8 is its square.
#define SHEAR_SQUARE 9.99999994e-09f
// A length below 2^-20 of the largest scale counts as zero: its square.
#define FLAT_SQUARE 9.09494702e-13f

STRUCT(decomposed)
transform whole;
lane_mask shears; // or is flat: then `whole` stands for nothing
END_STRUCT(decomposed)

// How three axes stand to each other: products of the first and second, second and third, third and first.
STRUCT(products)
real xy;
real yz;
real zx;
END_STRUCT(products)

OP real dot_vectors(vector a, vector b) {
    real xy = a.x * b.x + a.y * b.y;
    return xy + a.z * b.z;
}

// Of each axis of the first three with the one after it of the others.
OP products products_of(vector x, vector y, vector z, vector other_x, vector other_y, vector other_z) {
    products p;
    p.xy = dot_vectors(x, other_y);
    p.yz = dot_vectors(y, other_z);
    p.zx = dot_vectors(z, other_x);
    return p;
}

OP real lesser_of(real a, real b) {
    return SELECT(a < b, a, b);
}

OP vector multiply_vectors(vector a, vector b) {
    return make_vector(a.x * b.x, a.y * b.y, a.z * b.z);
}

// diag(k) times the rotation q, which is given in columns, is another rotation times diag(s), unless it shears.
// - With k of one sign, or along q's own axes, that rotation is q, and s_i = sum of k_r q_ri^2.
// - Mixed signs are half a turn about the axis whose sign stands alone, mirrored where one or three are negative: the
//   rotation is that turn times q, and s_i = +- the sum of |k_r| q_ri^2.
OP decomposed scale_then_rotate(vector scale, quaternion q) {
    transform turn = identity_transform();
    turn.q = q;
    affine m = affine_from_transform(turn);
    vector magnitude = make_vector(magnitude_of(scale.x), magnitude_of(scale.y), magnitude_of(scale.z));
    real larger = SELECT(magnitude.x > magnitude.y, magnitude.x, magnitude.y);
    real largest = SELECT(larger > magnitude.z, larger, magnitude.z);
    vector k = scale_vector(scale, reciprocal(largest));
    vector size = scale_vector(magnitude, reciprocal(largest));

    vector x = make_vector(m.xx, m.yx, m.zx);
    vector y = make_vector(m.xy, m.yy, m.zy);
    vector z = make_vector(m.xz, m.yz, m.zz);
    vector kx = multiply_vectors(k, x);
    vector ky = multiply_vectors(k, y);
    vector kz = multiply_vectors(k, z);
    products columns = products_of(kx, ky, kz, kx, ky, kz);
    vector squares = make_vector(dot_vectors(kx, kx), dot_vectors(ky, ky), dot_vectors(kz, kz));
    lane_mask shears_xy = columns.xy * columns.xy > (squares.x * squares.y) * SHEAR_SQUARE;
    lane_mask shears_yz = columns.yz * columns.yz > (squares.y * squares.z) * SHEAR_SQUARE;
    lane_mask shears_zx = columns.zx * columns.zx > (squares.z * squares.x) * SHEAR_SQUARE;
    lane_mask is_flat = OR(squares.x < FLAT_SQUARE, OR(squares.y < FLAT_SQUARE, squares.z < FLAT_SQUARE));

    // Whether q's own axes leave anything beside the diagonal.
    products beside = products_of(x, y, z, kx, ky, kz);
    lane_mask leaves_xy = beside.xy * beside.xy > lesser_of(squares.x, squares.y) * SHEAR_SQUARE;
    lane_mask leaves_yz = beside.yz * beside.yz > lesser_of(squares.y, squares.z) * SHEAR_SQUARE;
    lane_mask leaves_zx = beside.zx * beside.zx > lesser_of(squares.z, squares.x) * SHEAR_SQUARE;
    lane_mask turned = OR(leaves_xy, OR(leaves_yz, leaves_zx));

    // The sign that stands alone: of x, where y and z have another, and so on.
    lane_mask alone_x = NOT(k.y * k.z < 0.0f);
    lane_mask alone_y = NOT(k.z * k.x < 0.0f);
    quaternion about_x = make_quaternion(q.w, -q.z, q.y, -q.x);
    quaternion about_y = make_quaternion(q.z, q.w, -q.x, -q.y);
    quaternion about_z = make_quaternion(-q.y, q.x, q.w, -q.z);
    quaternion half_turn = select_quaternion(alone_x, about_x, select_quaternion(alone_y, about_y, about_z));
    real sign = SELECT(k.x * (k.y * k.z) < 0.0f, -largest, largest);
    vector mirrored = make_vector(dot_vectors(multiply_vectors(size, x), x), dot_vectors(multiply_vectors(size, y), y),
                                  dot_vectors(multiply_vectors(size, z), z));
    vector straight = make_vector(dot_vectors(kx, x), dot_vectors(ky, y), dot_vectors(kz, z));

    decomposed d;
    d.whole = identity_transform();
    d.whole.q = select_quaternion(turned, half_turn, q);
    d.whole.s = select_vector(turned, scale_vector(mirrored, sign), scale_vector(straight, largest));
    d.shears = OR(OR(shears_xy, shears_yz), OR(shears_zx, is_flat));
    // Alike along all axes, nothing changes, not one bit.
    lane_mask even = AND(AND(scale.x == scale.y, scale.y == scale.z), scale.x != 0.0f);
    d.whole.q = select_quaternion(even, q, d.whole.q);
    d.whole.s = select_vector(even, scale, d.whole.s);
    d.shears = AND(d.shears, NOT(even));
    return d;
}

// a b as matrices: b is applied first.
OP decomposed decompose_product(transform a, transform b) {
    decomposed d;
    d.whole.q = b.q;
    d.whole.s = b.s;
    d.shears = a.s.x != a.s.x;
    if (USES_SCALE) {
        d = scale_then_rotate(a.s, b.q);
        d.whole.s = snap_vector(multiply_vectors(d.whole.s, b.s));
    }
    vector moved = rotate_vector(a.q, multiply_vectors(a.s, b.t));
    d.whole.t = snap_vector(add_vectors(a.t, moved));
    quaternion q = quaternion_multiply(a.q, d.whole.q);
    d.whole.q = quaternion_polish(q);
    d.whole.weight = a.weight;
    return d;
}

// s r^-1 as matrices.
OP decomposed decompose_quotient(transform s, transform r) {
    transform inverse = identity_transform();
    inverse.q = quaternion_conjugate(r.q);
    vector moved = rotate_vector(inverse.q, r.t);
    inverse.t = make_vector(-moved.x, -moved.y, -moved.z);
    transform ratio = s;
    if (USES_SCALE) {
        ratio.s = make_vector(divide_scale(s.s.x, r.s.x), divide_scale(s.s.y, r.s.y), divide_scale(s.s.z, r.s.z));
    }
    decomposed d = decompose_product(ratio, inverse);
    if (USES_SCALE) {
        lane_mask is_flat = OR(r.s.x == 0.0f, OR(r.s.y == 0.0f, r.s.z == 0.0f));
        d.shears = OR(d.shears, is_flat);
    }
    return d;
}

#endif
