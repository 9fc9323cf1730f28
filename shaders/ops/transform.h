// Transforms (translation, rotation, scale); 3x4 matrices, row-major; model matrices and the skinning palette.
#ifndef LMB_OPS_TRANSFORM_H
#define LMB_OPS_TRANSFORM_H

#include "quaternion.h"

STRUCT(vector)
real x;
real y;
real z;
END_STRUCT(vector)

// `weight` is the joint weight of partial poses: an integer, 0 for a joint that is absent.
STRUCT(transform)
vector t;
quaternion q;
vector s;
real weight;
END_STRUCT(transform)

#define WEIGHT_PRESENT 255.0f

// Three rows: columns x, y, z of the linear part, then the translation.
STRUCT(affine)
real xx;
real xy;
real xz;
real xt;
real yx;
real yy;
real yz;
real yt;
real zx;
real zy;
real zz;
real zt;
END_STRUCT(affine)

// A row of an affine.
STRUCT(matrix_row)
real x;
real y;
real z;
real t;
END_STRUCT(matrix_row)

OP matrix_row make_row(real x, real y, real z, real t) {
    matrix_row row;
    row.x = x;
    row.y = y;
    row.z = z;
    row.t = t;
    return row;
}

OP vector make_vector(real x, real y, real z) {
    vector v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

OP vector all_vector(float x, float y, float z) {
    return make_vector(SPLAT(x), SPLAT(y), SPLAT(z));
}

OP vector snap_vector(vector v) {
    return make_vector(snap_number(v.x), snap_number(v.y), snap_number(v.z));
}

// Snaps what lerp() gives of snapped values for t from 0 to 1. Its products and their sum round monotonically, and at
// 2^40 they are exact, so the result has no larger magnitude.
OP vector snap_between(vector v) {
    return make_vector(snap_small(v.x), snap_small(v.y), snap_small(v.z));
}

OP vector select_vector(lane_mask condition, vector yes, vector no) {
    return make_vector(SELECT(condition, yes.x, no.x), SELECT(condition, yes.y, no.y), SELECT(condition, yes.z, no.z));
}

OP vector add_vectors(vector a, vector b) {
    return make_vector(a.x + b.x, a.y + b.y, a.z + b.z);
}

OP vector subtract_vectors(vector a, vector b) {
    return make_vector(a.x - b.x, a.y - b.y, a.z - b.z);
}

OP vector scale_vector(vector v, real factor) {
    return make_vector(v.x * factor, v.y * factor, v.z * factor);
}

OP vector lerp_vectors(vector a, vector b, real t) {
    return make_vector(lerp(a.x, b.x, t), lerp(a.y, b.y, t), lerp(a.z, b.z, t));
}

OP transform identity_transform(void) {
    transform identity;
    identity.t = all_vector(0.0f, 0.0f, 0.0f);
    identity.q = all_quaternion(0.0f, 0.0f, 0.0f, 1.0f);
    identity.s = all_vector(1.0f, 1.0f, 1.0f);
    identity.weight = SPLAT(WEIGHT_PRESENT);
    return identity;
}

OP transform snap_transform(transform a) {
    a.t = snap_vector(a.t);
    a.q = snap_quaternion(a.q);
    a.s = snap_vector(a.s);
    return a;
}

// Snaps a transform loaded from memory, whatever its bits.
OP transform snap_given(transform a) {
    a.t = make_vector(snap(a.t.x), snap(a.t.y), snap(a.t.z));
    a.q = make_quaternion(snap(a.q.x), snap(a.q.y), snap(a.q.z), snap(a.q.w));
    a.s = make_vector(snap(a.s.x), snap(a.s.y), snap(a.s.z));
    return a;
}

OP lane_mask transform_is_finite(transform a) {
    lane_mask t = AND(is_finite(a.t.x), AND(is_finite(a.t.y), is_finite(a.t.z)));
    lane_mask q = AND(AND(is_finite(a.q.x), is_finite(a.q.y)), AND(is_finite(a.q.z), is_finite(a.q.w)));
    lane_mask s = AND(is_finite(a.s.x), AND(is_finite(a.s.y), is_finite(a.s.z)));
    return AND(t, AND(q, s));
}

STRUCT(checked_transform)
transform a;
lane_mask good; // otherwise `a` is not valid
END_STRUCT(checked_transform)

// Snaps and normalises a transform loaded from memory. It must be finite, and its rotation not zero.
OP checked_transform check_given(transform given) {
    checked_transform checked;
    checked.a = snap_given(given);
    real square = quaternion_dot(checked.a.q, checked.a.q);
    checked.good = AND(transform_is_finite(given), square > 0.0f);
    checked.a.q = quaternion_normalize(checked.a.q);
    return checked;
}

OP transform select_transform(lane_mask condition, transform yes, transform no) {
    transform chosen;
    chosen.t = select_vector(condition, yes.t, no.t);
    chosen.q = select_quaternion(condition, yes.q, no.q);
    chosen.s = select_vector(condition, yes.s, no.s);
    chosen.weight = yes.weight;
    if (USES_WEIGHTS) {
        chosen.weight = SELECT(condition, yes.weight, no.weight);
    }
    return chosen;
}

// Blends two scales: a (b/a)^t if both have the same sign, exactly a at t = 0 and b at t = 1; linear if one is zero or
// the signs differ.
OP real blend_scale(real a, real b, real t) {
    real power = a * exponential2(t * logarithm2(b * reciprocal(a)));
    real blended = SELECT(a * b > 0.0f, power, lerp(a, b, t));
    return snap_number(SELECT(OR(a == b, t == 1.0f), b, blended));
}

#ifndef LMB_GLSL
// Out of line, because scales rarely differ, and this code is long.
OP_COLD void blend_scales_apart(const vector *a, const vector *b, const real *t, vector *blended) {
    *blended = make_vector(blend_scale(a->x, b->x, *t), blend_scale(a->y, b->y, *t), blend_scale(a->z, b->z, *t));
}
#endif

OP vector blend_scales(vector a, vector b, real t) {
    vector blended = b;
    if (USES_SCALE && ANY(OR(OR(a.x != b.x, a.y != b.y), a.z != b.z))) {
#ifdef LMB_GLSL
        blended = make_vector(blend_scale(a.x, b.x, t), blend_scale(a.y, b.y, t), blend_scale(a.z, b.z, t));
#else
        const vector from = a, to = b;
        const real weight = t;
        vector apart;
        blend_scales_apart(&from, &to, &weight, &apart);
        blended = apart;
#endif
    }
    return snap_vector(blended);
}

// s / r, or 1 if r is zero.
OP real divide_scale(real s, real r) {
    return snap_number(SELECT(r == 0.0f, SPLAT(1.0f), s * reciprocal(r)));
}

OP affine scale_columns(affine m, vector s) {
    m.xx = m.xx * s.x;
    m.xy = m.xy * s.y;
    m.xz = m.xz * s.z;
    m.yx = m.yx * s.x;
    m.yy = m.yy * s.y;
    m.yz = m.yz * s.z;
    m.zx = m.zx * s.x;
    m.zy = m.zy * s.y;
    m.zz = m.zz * s.z;
    return m;
}

// The matrix of a transform: the rotation matrix of its unit quaternion with scaled columns, and the translation.
OP affine affine_from_transform(transform a) {
    real x2 = a.q.x + a.q.x;
    real y2 = a.q.y + a.q.y;
    real z2 = a.q.z + a.q.z;
    real xx = a.q.x * x2;
    real yy = a.q.y * y2;
    real zz = a.q.z * z2;
    real xy = a.q.x * y2;
    real xz = a.q.x * z2;
    real yz = a.q.y * z2;
    real wx = a.q.w * x2;
    real wy = a.q.w * y2;
    real wz = a.q.w * z2;
    affine m;
    m.xx = 1.0f - (yy + zz);
    m.xy = xy - wz;
    m.xz = xz + wy;
    m.xt = a.t.x;
    m.yx = xy + wz;
    m.yy = 1.0f - (xx + zz);
    m.yz = yz - wx;
    m.yt = a.t.y;
    m.zx = xz - wy;
    m.zy = yz + wx;
    m.zz = 1.0f - (xx + yy);
    m.zt = a.t.z;
    if (USES_SCALE) {
        m = scale_columns(m, a.s);
    }
    return m;
}

OP real affine_row(real a, real b, real c, real x, real y, real z) {
    real xy = a * x + b * y;
    return xy + c * z;
}

OP vector move_point(affine m, vector p) {
    return snap_vector(make_vector(affine_row(m.xx, m.xy, m.xz, p.x, p.y, p.z) + m.xt,
                                   affine_row(m.yx, m.yy, m.yz, p.x, p.y, p.z) + m.yt,
                                   affine_row(m.zx, m.zy, m.zz, p.x, p.y, p.z) + m.zt));
}

OP real vector_dot(vector a, vector b) {
    return affine_row(a.x, a.y, a.z, b.x, b.y, b.z);
}

// Snapped, so that products of such vectors do not become subnormal, which a device may flush.
OP vector cross_product(vector a, vector b) {
    return snap_vector(make_vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x));
}

// The unit vector, snapped; zero for the zero vector. Components must be 0, or from 2^-40 to 2^40 in magnitude.
OP vector direction_of(vector v) {
    return snap_vector(scale_vector(v, reciprocal_root(vector_dot(v, v))));
}

OP matrix_row row_x(affine m) {
    return make_row(m.xx, m.xy, m.xz, m.xt);
}

OP matrix_row row_y(affine m) {
    return make_row(m.yx, m.yy, m.yz, m.yt);
}

OP matrix_row row_z(affine m) {
    return make_row(m.zx, m.zy, m.zz, m.zt);
}

OP affine affine_of_rows(matrix_row x, matrix_row y, matrix_row z) {
    affine m;
    m.xx = x.x;
    m.xy = x.y;
    m.xz = x.z;
    m.xt = x.t;
    m.yx = y.x;
    m.yy = y.y;
    m.yz = y.z;
    m.yt = y.t;
    m.zx = z.x;
    m.zy = z.y;
    m.zz = z.z;
    m.zt = z.t;
    return m;
}

// The row of a matrix product that corresponds to a row of its left factor.
OP matrix_row row_times(matrix_row a, affine b) {
    real x = affine_row(a.x, a.y, a.z, b.xx, b.yx, b.zx);
    real y = affine_row(a.x, a.y, a.z, b.xy, b.yy, b.zy);
    real z = affine_row(a.x, a.y, a.z, b.xz, b.yz, b.zz);
    real t = affine_row(a.x, a.y, a.z, b.xt, b.yt, b.zt) + a.t;
    return make_row(x, y, z, t);
}

OP affine affine_multiply(affine a, affine b) {
    return affine_of_rows(row_times(row_x(a), b), row_times(row_y(a), b), row_times(row_z(a), b));
}

OP lane_mask row_is_finite(matrix_row r) {
    return AND(AND(is_finite(r.x), is_finite(r.y)), AND(is_finite(r.z), is_finite(r.t)));
}

// Snaps a row loaded from memory, whatever its bits.
OP matrix_row snap_given_row(matrix_row a) {
    return make_row(snap(a.x), snap(a.y), snap(a.z), snap(a.t));
}

OP matrix_row snap_row(matrix_row a) {
    return make_row(snap_number(a.x), snap_number(a.y), snap_number(a.z), snap_number(a.t));
}

OP affine snap_linear_part(affine m) {
    m.xx = snap_number(m.xx);
    m.xy = snap_number(m.xy);
    m.xz = snap_number(m.xz);
    m.yx = snap_number(m.yx);
    m.yy = snap_number(m.yy);
    m.yz = snap_number(m.yz);
    m.zx = snap_number(m.zx);
    m.zy = snap_number(m.zy);
    m.zz = snap_number(m.zz);
    return m;
}

OP affine snap_affine(affine m) {
    m = snap_linear_part(m);
    m.xt = snap_number(m.xt);
    m.yt = snap_number(m.yt);
    m.zt = snap_number(m.zt);
    return m;
}

// Rotates a vector by a unit quaternion: v + 2 u x (u x v + w v).
OP vector rotate_vector(quaternion q, vector v) {
    real cx = (q.y * v.z - q.z * v.y) + q.w * v.x;
    real cy = (q.z * v.x - q.x * v.z) + q.w * v.y;
    real cz = (q.x * v.y - q.y * v.x) + q.w * v.z;
    real rx = q.y * cz - q.z * cy;
    real ry = q.z * cx - q.x * cz;
    real rz = q.x * cy - q.y * cx;
    return make_vector(v.x + 2.0f * rx, v.y + 2.0f * ry, v.z + 2.0f * rz);
}

// The product a b by components: b is applied first.
OP transform transform_multiply(transform a, transform b) {
    transform product;
    vector scaled = b.t;
    if (USES_SCALE) {
        scaled = make_vector(a.s.x * b.t.x, a.s.y * b.t.y, a.s.z * b.t.z);
    }
    product.t = add_vectors(a.t, rotate_vector(a.q, scaled));
    quaternion q = quaternion_multiply(a.q, b.q);
    product.q = quaternion_normalize(q);
    product.s = make_vector(a.s.x * b.s.x, a.s.y * b.s.y, a.s.z * b.s.z);
    product.weight = a.weight;
    return snap_transform(product);
}

// Model matrices and the skinning palette, from local transforms.

// Snaps an element of a linear part. Programs without scale only multiply rotations, whose squared length is 1 to
// within 1e-5. Even with a depth of 65,535 joints no element gets near 2^40, so the upper bound is not needed.
OP real snap_turned(real x) {
    return USES_SCALE ? snap_number(x) : snap_small(x);
}

// Snaps the linear part and replaces the translation by t.
OP matrix_row snap_turned_row(matrix_row a, real t) {
    return make_row(snap_turned(a.x), snap_turned(a.y), snap_turned(a.z), t);
}

// A joint's local matrix, from joint space to the parent's space. Snapped, so that a large parent matrix cannot amplify
// values that underflow. Translations of poses are snapped already.
OP affine own_matrix(transform local) {
    affine m = affine_from_transform(local);
    return affine_of_rows(snap_turned_row(row_x(m), m.xt), snap_turned_row(row_y(m), m.yt),
                          snap_turned_row(row_z(m), m.zt));
}

// Concatenates with the parent's model matrix.
OP matrix_row matrix_row_under(matrix_row parent, affine own) {
    matrix_row product = row_times(parent, own);
    return snap_turned_row(product, snap_number(product.t));
}

OP affine matrix_under(affine parent, affine own) {
    return affine_of_rows(matrix_row_under(row_x(parent), own), matrix_row_under(row_y(parent), own),
                          matrix_row_under(row_z(parent), own));
}

// The palette matrix: from the bind pose's model space to the model space of this frame.
OP matrix_row palette_row(matrix_row model, affine inverse_bind) {
    return snap_row(row_times(model, inverse_bind));
}

OP affine palette_matrix(affine model, affine inverse_bind) {
    return affine_of_rows(palette_row(row_x(model), inverse_bind), palette_row(row_y(model), inverse_bind),
                          palette_row(row_z(model), inverse_bind));
}

#endif
