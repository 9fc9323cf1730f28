// Further outputs for renderers: dual quaternions, a bounding box, matrices of sockets. All of them are computed from
// the model matrices only.
#ifndef LMB_OPS_OUTPUTS_H
#define LMB_OPS_OUTPUTS_H

#include "layout.h"

STRUCT(dual_quaternion)
quaternion rotation;
quaternion dual;
END_STRUCT(dual_quaternion)

STRUCT(box)
vector low;
vector high;
END_STRUCT(box)

// A rotation, and whether it is undefined because fewer than two axis directions exist.
STRUCT(found_rotation)
quaternion q;
lane_mask lost;
END_STRUCT(found_rotation)

// The quaternion of three orthogonal axes, the columns of a rotation matrix. Uses the largest of the four components,
// which is at least 1/2, so there is no cancellation.
OP quaternion axes_rotation(vector x, vector y, vector z) {
    real w4 = ((1.0f + x.x) + y.y) + z.z;
    real x4 = ((1.0f + x.x) - y.y) - z.z;
    real y4 = ((1.0f - x.x) + y.y) - z.z;
    real z4 = ((1.0f - x.x) - y.y) + z.z;
    quaternion q = make_quaternion(y.z - z.y, z.x - x.z, x.y - y.x, w4);
    real most = w4;
    q = select_quaternion(x4 > most, make_quaternion(x4, x.y + y.x, z.x + x.z, y.z - z.y), q);
    most = SELECT(x4 > most, x4, most);
    q = select_quaternion(y4 > most, make_quaternion(x.y + y.x, y4, y.z + z.y, z.x - x.z), q);
    most = SELECT(y4 > most, y4, most);
    q = select_quaternion(z4 > most, make_quaternion(z.x + x.z, y.z + z.y, z4, x.y - y.x), q);
    return quaternion_normalize(q);
}

// Squared sine of the angle, 2^-20, below which two axes count as parallel.
#define AXES_FLAT 9.53674316e-07f

// The rotation of a matrix: x keeps its direction, y its half of the plane of x and y, and z is perpendicular to both
// (so a mirrored z is reversed). A zero x is replaced by y cross z; a y that is zero or parallel to x is replaced by z
// cross x.
OP found_rotation affine_rotation(affine m) {
    vector x = direction_of(make_vector(m.xx, m.yx, m.zx));
    vector y = direction_of(make_vector(m.xy, m.yy, m.zy));
    vector z = direction_of(make_vector(m.xz, m.yz, m.zz));
    x = select_vector(vector_dot(x, x) < 0.5f, cross_product(y, z), x);
    vector normal = cross_product(x, y);
    y = select_vector(vector_dot(normal, normal) < AXES_FLAT, cross_product(z, x), y);
    normal = cross_product(x, y);
    found_rotation found;
    found.lost = vector_dot(normal, normal) < AXES_FLAT;
    vector first = direction_of(x);
    vector third = direction_of(normal);
    found.q = axes_rotation(first, cross_product(third, first), third);
    return found;
}

// The rigid motion of a joint from its bind pose, given by inverse rotation and position in model space, to its model
// matrix. Of the two signs of the rotation it has the one in the hemisphere of `beside`, which also replaces an
// undefined rotation.
OP dual_quaternion rigid_motion(affine model, quaternion inverse_rotation, vector bind_position, quaternion beside) {
    found_rotation found = affine_rotation(model);
    quaternion turned = quaternion_multiply(found.q, inverse_rotation);
    quaternion q = select_quaternion(found.lost, beside, quaternion_normalize(turned));
    real side = SELECT(quaternion_dot(q, beside) < 0.0f, SPLAT(-1.0f), SPLAT(1.0f));
    q = snap_quaternion(quaternion_scale(q, side));
    vector moved = rotate_vector(q, bind_position);
    vector t = snap_vector(make_vector(model.xt - moved.x, model.yt - moved.y, model.zt - moved.z));
    dual_quaternion motion;
    motion.rotation = q;
    motion.dual =
        make_quaternion(((t.x * q.w + t.y * q.z) - t.z * q.y) * 0.5f, ((t.y * q.w + t.z * q.x) - t.x * q.z) * 0.5f,
                        ((t.z * q.w + t.x * q.y) - t.y * q.x) * 0.5f, ((t.x * q.x + t.y * q.y) + t.z * q.z) * -0.5f);
    motion.dual = snap_quaternion(motion.dual);
    return motion;
}

// The joint whose dual quaternion determines the sign of another joint's: the parent; joint 0 for further roots; joint
// 0 itself for joint 0, whose sign is determined by the identity.
OP uint joint_beside(uint parent) {
    return parent != NO_PARENT ? parent : 0u;
}

OP quaternion load_inverse_rotation(memory program, uint joint) {
    uint at = HEADER(program, PROGRAM, binds) + joint * BIND_COMPONENTS;
    return all_quaternion(LOAD_FLOAT(program, at), LOAD_FLOAT(program, at + 1u), LOAD_FLOAT(program, at + 2u),
                          LOAD_FLOAT(program, at + 3u));
}

OP vector load_bind_position(memory program, uint joint) {
    uint at = HEADER(program, PROGRAM, binds) + joint * BIND_COMPONENTS + 4u;
    return all_vector(LOAD_FLOAT(program, at), LOAD_FLOAT(program, at + 1u), LOAD_FLOAT(program, at + 2u));
}

// The radius, in joint space, of a sphere about a joint that contains everything bound to it, or OUTSIDE_BOUNDS.
OP float load_radius(memory program, uint joint) {
    return LOAD_FLOAT(program, HEADER(program, PROGRAM, binds) + joint * BIND_COMPONENTS + 7u);
}

// An empty box. Joining it with a box gives that box.
OP box empty_box(void) {
    box none;
    none.low = all_vector(1.09951163e+12f, 1.09951163e+12f, 1.09951163e+12f);
    none.high = all_vector(-1.09951163e+12f, -1.09951163e+12f, -1.09951163e+12f);
    return none;
}

// The extent of a unit sphere along an axis, given the matrix row of that axis: the row's length.
OP real row_reach(real x, real y, real z) {
    real square = affine_row(x, y, z, x, y, z);
    return square * reciprocal_root(square);
}

// The box of the ellipsoid into which a joint's model matrix transforms its sphere; empty for a joint outside.
OP box joint_box(affine model, float radius) {
    vector at = make_vector(model.xt, model.yt, model.zt);
    vector reach = all_vector(0.0f, 0.0f, 0.0f);
    if (radius > 0.0f) {
        reach = make_vector(row_reach(model.xx, model.xy, model.xz), row_reach(model.yx, model.yy, model.yz),
                            row_reach(model.zx, model.zy, model.zz));
        reach = scale_vector(reach, SPLAT(radius));
    }
    box grown = empty_box();
    if (radius >= 0.0f) {
        grown.low = snap_vector(make_vector(at.x - reach.x, at.y - reach.y, at.z - reach.z));
        grown.high = snap_vector(make_vector(at.x + reach.x, at.y + reach.y, at.z + reach.z));
    }
    return grown;
}

OP vector lower_vector(vector a, vector b) {
    return make_vector(SELECT(b.x < a.x, b.x, a.x), SELECT(b.y < a.y, b.y, a.y), SELECT(b.z < a.z, b.z, a.z));
}

OP vector upper_vector(vector a, vector b) {
    return make_vector(SELECT(b.x > a.x, b.x, a.x), SELECT(b.y > a.y, b.y, a.y), SELECT(b.z > a.z, b.z, a.z));
}

// Joins snapped boxes. The order of joining does not matter, because equal snapped values have equal bits.
OP box join_boxes(box a, box b) {
    box joined;
    joined.low = lower_vector(a.low, b.low);
    joined.high = upper_vector(a.high, b.high);
    return joined;
}

OP uint load_socket_joint(memory program, uint socket) {
    return LOAD(program, HEADER(program, PROGRAM, sockets) + socket * WORDS_OF(SOCKET));
}

// The socket's matrix, from the joint's model matrix.
OP affine socket_matrix(memory program, uint socket, affine model) {
    affine own = load_affine(program, HEADER(program, PROGRAM, sockets) + socket * WORDS_OF(SOCKET) + 1u);
    affine product = affine_multiply(model, own);
    return snap_affine(product);
}

#endif
