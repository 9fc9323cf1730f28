// Local transforms of joints whose model matrices are given: the bodies of a ragdoll. See include/limber/ragdoll.h.
#ifndef LMB_OPS_RAGDOLL_H
#define LMB_OPS_RAGDOLL_H

#include "outputs.h"

// The volume of a parent's normalised axes, 2^-20, at or below which its matrix has no inverse.
#define BODY_FLAT 9.53674316e-07f

// The arrays of a call, and the character.
STRUCT(ragdoll)
memory program;
memory animated; // poses
mutable_memory models;
mutable_memory poses;
bool is_animated; // otherwise there is no `animated`, and joints without a body have the rest pose
bool has_mask;    // otherwise every joint has a body
uint mask;        // offset in the program
uint character;
END_STRUCT(ragdoll)

STRUCT(body)
transform local;
lane_mask lost; // there is no such transform, and `local` is not valid
END_STRUCT(body)

OP vector axis_x(affine m) {
    return make_vector(m.xx, m.yx, m.zx);
}

OP vector axis_y(affine m) {
    return make_vector(m.xy, m.yy, m.zy);
}

OP vector axis_z(affine m) {
    return make_vector(m.xz, m.yz, m.zz);
}

OP vector position_in(affine m) {
    return make_vector(m.xt, m.yt, m.zt);
}

// A matrix as a rotation and the scale along its axes. Shear is dropped.
OP body body_of_matrix(affine m) {
    found_rotation found = affine_rotation(m);
    body b;
    b.local = identity_transform();
    b.local.q = snap_quaternion(found.q);
    affine turned = affine_from_transform(b.local);
    b.local.t = position_in(m);
    b.local.s = snap_vector(make_vector(vector_dot(axis_x(m), axis_x(turned)), vector_dot(axis_y(m), axis_y(turned)),
                                        vector_dot(axis_z(m), axis_z(turned))));
    b.lost = found.lost;
    return b;
}

// The rows of the inverse of a matrix: `shares` of an axis are those of its direction, divided by its length.
STRUCT(inverse_rows)
vector of_x;
vector of_y;
vector of_z;
real volume; // of the directions, inverse
vector shrink;
lane_mask is_flat;
END_STRUCT(inverse_rows)

OP real inverse_length(vector v, lane_mask is_flat) {
    return SELECT(is_flat, SPLAT(1.0f), reciprocal(row_reach(v.x, v.y, v.z)));
}

OP inverse_rows invert(affine m) {
    vector x = direction_of(axis_x(m));
    vector y = direction_of(axis_y(m));
    vector z = direction_of(axis_z(m));
    inverse_rows rows;
    rows.of_x = cross_product(y, z);
    rows.of_y = cross_product(z, x);
    rows.of_z = cross_product(x, y);
    real volume = vector_dot(x, rows.of_x);
    rows.is_flat = NOT(magnitude_of(volume) > BODY_FLAT);
    rows.volume = reciprocal(SELECT(rows.is_flat, SPLAT(1.0f), volume));
    rows.shrink = make_vector(inverse_length(axis_x(m), rows.is_flat), inverse_length(axis_y(m), rows.is_flat),
                              inverse_length(axis_z(m), rows.is_flat));
    return rows;
}

OP vector times_inverse(inverse_rows rows, vector v) {
    return snap_vector(make_vector((vector_dot(rows.of_x, v) * rows.volume) * rows.shrink.x,
                                   (vector_dot(rows.of_y, v) * rows.volume) * rows.shrink.y,
                                   (vector_dot(rows.of_z, v) * rows.volume) * rows.shrink.z));
}

// The local transform of a joint below a parent.
OP body body_under(affine parent, affine model) {
    inverse_rows rows = invert(parent);
    vector x = times_inverse(rows, axis_x(model));
    vector y = times_inverse(rows, axis_y(model));
    vector z = times_inverse(rows, axis_z(model));
    vector t = times_inverse(rows, snap_vector(subtract_vectors(position_in(model), position_in(parent))));
    body b = body_of_matrix(
        affine_of_rows(make_row(x.x, y.x, z.x, t.x), make_row(x.y, y.y, z.y, t.y), make_row(x.z, y.z, z.z, t.z)));
    b.lost = OR(b.lost, rows.is_flat);
    return b;
}

OP real model_number(ragdoll r, uint at) {
    return REAL(LOAD(r.models, at));
}

OP matrix_row model_row(ragdoll r, uint at) {
    return make_row(model_number(r, at), model_number(r, at + 1u), model_number(r, at + 2u), model_number(r, at + 3u));
}

OP uint model_place_of(ragdoll r, uint joint) {
    return (r.character * HEADER(r.program, PROGRAM, joints) + joint) * MATRIX_COMPONENTS;
}

OP affine model_of(ragdoll r, uint joint) {
    uint at = model_place_of(r, joint);
    return affine_of_rows(model_row(r, at), model_row(r, at + 4u), model_row(r, at + 8u));
}

OP void store_model_row(ragdoll r, uint at, matrix_row row) {
    STORE(r.models, at, BITS(row.x));
    STORE(r.models, at + 1u, BITS(row.y));
    STORE(r.models, at + 2u, BITS(row.z));
    STORE(r.models, at + 3u, BITS(row.t));
}

OP void store_model_of(ragdoll r, uint joint, affine m) {
    uint at = model_place_of(r, joint);
    store_model_row(r, at, row_x(m));
    store_model_row(r, at + 4u, row_y(m));
    store_model_row(r, at + 8u, row_z(m));
}

OP void store_pose_of(ragdoll r, uint joint, transform local) {
    uint joints = HEADER(r.program, PROGRAM, joints);
    uint at = r.character * HEADER(r.program, PROGRAM, pose_floats) + joint;
    STORE(r.poses, at, BITS(local.t.x));
    STORE(r.poses, at + joints, BITS(local.t.y));
    STORE(r.poses, at + 2u * joints, BITS(local.t.z));
    STORE(r.poses, at + 3u * joints, BITS(local.q.x));
    STORE(r.poses, at + 4u * joints, BITS(local.q.y));
    STORE(r.poses, at + 5u * joints, BITS(local.q.z));
    STORE(r.poses, at + 6u * joints, BITS(local.q.w));
    STORE(r.poses, at + 7u * joints, BITS(local.s.x));
    STORE(r.poses, at + 8u * joints, BITS(local.s.y));
    STORE(r.poses, at + 9u * joints, BITS(local.s.z));
}

// The animated transform of a joint. One that is not valid is the rest pose.
OP checked_transform animated_transform(ragdoll r, uint joint) {
    checked_transform found;
    found.a = load_rest(r.program, joint);
    found.good = SPLAT(0.0f) == 0.0f;
    if (r.is_animated) {
        word at = ALL_WORD(r.character * HEADER(r.program, PROGRAM, pose_floats) + joint);
        checked_transform given = check_given(load_pose(r.animated, at, HEADER(r.program, PROGRAM, joints)));
        found.a = select_transform(given.good, given.a, found.a);
        found.good = given.good;
    }
    return found;
}

OP bool has_body(ragdoll r, uint joint) {
    return !r.has_mask || ANY(load_byte(r.program, r.mask, joint) > 0.0f);
}

// Finds a joint's transform and stores it with its model matrix. Returns how many inputs were refused.
OP uint place_joint(ragdoll r, uint joint) {
    uint parent = LOAD(r.program, HEADER(r.program, PROGRAM, parents) + joint);
    checked_transform animated = animated_transform(r, joint);
    uint refused = ANY(NOT(animated.good)) ? 1u : 0u;
    transform local = animated.a;
    affine above = own_matrix(identity_transform());
    affine model = own_matrix(local);
    if (parent != NO_PARENT) {
        above = model_of(r, parent);
        model = matrix_under(above, model);
    }
    if (has_body(r, joint)) {
        affine given = model_of(r, joint);
        lane_mask good =
            AND(row_is_finite(row_x(given)), AND(row_is_finite(row_y(given)), row_is_finite(row_z(given))));
        given =
            affine_of_rows(snap_given_row(row_x(given)), snap_given_row(row_y(given)), snap_given_row(row_z(given)));
        body b = body_of_matrix(given);
        if (parent != NO_PARENT) {
            b = body_under(above, given);
        }
        good = AND(good, NOT(b.lost));
        local = select_transform(good, b.local, local);
        refused += ANY(NOT(good)) ? 1u : 0u;
        if (ANY(good)) {
            model = given;
        }
    }
    store_model_of(r, joint, model);
    store_pose_of(r, joint, local);
    return refused;
}

// Copies the float channels of the animated pose.
OP void copy_channels(ragdoll r) {
    uint channels = HEADER(r.program, PROGRAM, channels);
    uint at =
        r.character * HEADER(r.program, PROGRAM, pose_floats) + HEADER(r.program, PROGRAM, joints) * POSE_COMPONENTS;
    for (uint i = 0u; i < channels; i++) {
        uint value = LOAD(r.program, HEADER(r.program, PROGRAM, channel_rest) + i);
        if (r.is_animated) {
            value = LOAD(r.animated, at + i);
        }
        STORE(r.poses, at + i, value);
    }
}

// Parents are before their children. Returns how many inputs were refused.
OP uint place_bodies(ragdoll r) {
    uint joints = HEADER(r.program, PROGRAM, joints);
    uint refused = 0u;
    for (uint joint = 0u; joint < joints; joint++) {
        refused += place_joint(r, joint);
    }
    copy_channels(r);
    return refused;
}

#endif
