// Products of transforms as full 3x4 matrices, decomposed into translation, rotation and scale if they have no shear.
//
// A product of two transforms is T R S T R S. It is decomposed by moving the scale of the left factor past the rotation
// of the right factor. This is possible without shear only if the scale keeps the axes of that rotation orthogonal.
#ifndef LMB_OPS_DECOMPOSE_H
#define LMB_OPS_DECOMPOSE_H

#include "transform.h"

// The square, 1e-8, of the cosine between axes above which a matrix has shear.
#define SHEAR_SQUARE 9.99999994e-09f
// The square of 2^-20. An axis shorter than 2^-20 of the largest scale counts as zero.
#define FLAT_SQUARE 9.09494702e-13f

STRUCT(decomposed)
transform whole;
lane_mask shears; // or has a zero axis; then `whole` is not valid
END_STRUCT(decomposed)

// Dot products of three axes: of the first and second, second and third, third and first.
STRUCT(products)
real xy;
real yz;
real zx;
END_STRUCT(products)

OP real dot_vectors(vector a, vector b) {
    real xy = a.x * b.x + a.y * b.y;
    return xy + a.z * b.z;
}

// Dot products of each axis of the first three with the next axis of the others.
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

// Writes diag(k) times the rotation q as another rotation times diag(s), unless it has shear. Let q_ri be the elements
// of q.
// - If all k have the same sign, or diag(k) is also diagonal in the axes of q, that rotation is q, and s_i = sum of k_r
//   q_ri^2.
// - Otherwise the signs of k are those of a half turn about the axis whose sign differs from the other two, mirrored if
//   one or three are negative. The rotation is that half turn times q, and s_i = +- the sum of |k_r| q_ri^2.
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

    // Whether diag(k) in the axes of q has elements off the diagonal.
    products beside = products_of(x, y, z, kx, ky, kz);
    lane_mask leaves_xy = beside.xy * beside.xy > lesser_of(squares.x, squares.y) * SHEAR_SQUARE;
    lane_mask leaves_yz = beside.yz * beside.yz > lesser_of(squares.y, squares.z) * SHEAR_SQUARE;
    lane_mask leaves_zx = beside.zx * beside.zx > lesser_of(squares.z, squares.x) * SHEAR_SQUARE;
    lane_mask turned = OR(leaves_xy, OR(leaves_yz, leaves_zx));

    // The axis whose sign differs from the other two: x if y and z have the same sign, and so on.
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
    // A uniform scale changes nothing, exactly.
    lane_mask even = AND(AND(scale.x == scale.y, scale.y == scale.z), scale.x != 0.0f);
    d.whole.q = select_quaternion(even, q, d.whole.q);
    d.whole.s = select_vector(even, scale, d.whole.s);
    d.shears = AND(d.shears, NOT(even));
    return d;
}

// The matrix product a b: b is applied first.
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

// The matrix product s r^-1.
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
