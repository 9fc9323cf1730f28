// Skinning: positions, normals and tangents of a vertex from the matrices or dual quaternions of its joints. Lanes are
// consecutive vertices of one character.
//
// The includer stores palettes: it defines the type skin_palette, and load_joint_matrix() and load_joint_dual() for the
// joints of each lane.
#ifndef LMB_OPS_SKIN_H
#define LMB_OPS_SKIN_H

#include "outputs.h"
#include "skin_layout.h"

// The bind pose of a vertex, as the block has it. `side` is the sign of the bitangent.
STRUCT(skin_vertex)
vector position;
vector normal;
vector tangent;
real side;
END_STRUCT(skin_vertex)

// How a vertex moves: by a matrix, or by a rotation and a translation. `refused` has a sign bit if the palette is
// invalid for it; it is then the identity.
STRUCT(skin_matrix)
affine m;
word refused;
END_STRUCT(skin_matrix)

STRUCT(skin_rigid)
quaternion rotation;
vector translation;
word refused;
END_STRUCT(skin_rigid)

OP vector load_skin_vector(memory block, address at, address vertex) {
    address padded = HEADER(block, SKIN, padded);
    return make_vector(LOAD_LANES_REAL(block, at + vertex), LOAD_LANES_REAL(block, at + padded + vertex),
                       LOAD_LANES_REAL(block, at + padded + padded + vertex));
}

// `vertex` is that of the first lane.
OP vector load_skin_position(memory block, address vertex) {
    return load_skin_vector(block, HEADER(block, SKIN, positions), vertex);
}

// Loads a vertex. Attributes that the mesh lacks are zero.
OP skin_vertex load_skin_vertex(memory block, address vertex) {
    address normals = HEADER(block, SKIN, normals);
    address tangents = HEADER(block, SKIN, tangents);
    skin_vertex v;
    v.position = load_skin_position(block, vertex);
    v.normal = all_vector(0.0f, 0.0f, 0.0f);
    v.tangent = all_vector(0.0f, 0.0f, 0.0f);
    v.side = SPLAT(1.0f);
    if (normals != 0u) {
        v.normal = load_skin_vector(block, normals, vertex);
    }
    if (tangents != 0u) {
        v.tangent = load_skin_vector(block, tangents, vertex);
        v.side = LOAD_LANES_REAL(block, tangents + 3u * HEADER(block, SKIN, padded) + vertex);
    }
    return v;
}

// The direction of a vector, or `otherwise` if it is zero.
OP vector direction_or(vector v, vector otherwise) {
    vector snapped = snap_vector(v);
    vector found = direction_of(snapped);
    real square = vector_dot(found, found);
    return select_vector(square < 0.5f, otherwise, found);
}

// The weights of morph targets: the float channels of a character, from an index on.
STRUCT(skin_channels)
memory words;
uint first;
END_STRUCT(skin_channels)

// A vertex displaced by morph targets, and how many of their weights were refused.
STRUCT(skin_morphed)
skin_vertex v;
word refused;
END_STRUCT(skin_morphed)

OP vector add_displacement(vector v, memory block, word at, real weight) {
    return make_vector(v.x + weight * GATHER_REAL(block, at), v.y + weight * GATHER_REAL(block, at + 1u),
                       v.z + weight * GATHER_REAL(block, at + 2u));
}

// Adds the displacements of one entry per lane, times their weights, to the attributes that the mesh has. `turns`: not
// only to the position.
OP skin_vertex displace_vertex(memory block, skin_vertex v, word entry, real weight, bool turns) {
    uint normal = HEADER(block, SKIN, entry_normal);
    uint tangent = HEADER(block, SKIN, entry_tangent);
    v.position = add_displacement(v.position, block, entry + FIELD(ENTRY, position), weight);
    if (turns && normal != 0u) {
        v.normal = add_displacement(v.normal, block, entry + normal, weight);
    }
    if (turns && tangent != 0u) {
        v.tangent = add_displacement(v.tangent, block, entry + tangent, weight);
    }
    return v;
}

// Displaces a vertex by the morph targets whose weight is not 0. A vertex that none displaces keeps its bits; the
// directions of others are made unit again.
OP skin_morphed morph_vertex(memory block, address vertex, skin_vertex v, skin_channels channels, bool turns) {
    address starts = HEADER(block, SKIN, morphs);
    uint size = HEADER(block, SKIN, entry_words);
    word entry = LOAD_LANES(block, starts + vertex);
    word end = LOAD_LANES(block, starts + vertex + 1u);
    word first_of_all = ALL_WORD(LOAD(block, starts));
    word moved = ALL_WORD(0u);
    skin_vertex sum = v;
    skin_morphed morphed;
    morphed.refused = ALL_WORD(0u);
    while (ANY(entry < end)) {
        lane_mask left = entry < end;
        word at = SELECT(left, entry, first_of_all);
        real given = GATHER_REAL(channels.words, GATHER(block, at) + channels.first);
        lane_mask valid = is_finite(given);
        morphed.refused = morphed.refused + SELECT_BITS(AND(left, NOT(valid)), ALL_WORD(1u));
        real weight = REAL(SELECT_BITS(AND(left, valid), BITS(snap(given))));
        lane_mask moves = weight != 0.0f;
        if (ANY(moves)) { // adds zeros to the other lanes
            sum = displace_vertex(block, sum, at, weight, turns);
            moved = moved | SELECT_BITS(moves, ALL_WORD(1u));
        }
        entry = entry + size;
    }
    lane_mask is_moved = moved != 0u;
    morphed.v = v;
    if (ANY(is_moved)) {
        morphed.v.position = select_vector(is_moved, snap_vector(sum.position), v.position);
        if (turns) {
            morphed.v.normal = select_vector(is_moved, direction_or(sum.normal, v.normal), v.normal);
            morphed.v.tangent = select_vector(is_moved, direction_or(sum.tangent, v.tangent), v.tangent);
        }
    }
    return morphed;
}

// A magnitude plus this has the sign bit if it is above 2^40 or not finite.
#define SKIN_EXCESS 0x2c7fffffu

OP word excess_of(real x) {
    return (BITS(x) & BITS_MAGNITUDE) + SKIN_EXCESS;
}

OP word row_excess(matrix_row row) {
    return excess_of(row.x) | excess_of(row.y) | excess_of(row.z) | excess_of(row.t);
}

OP word quaternion_excess(quaternion q) {
    return excess_of(q.x) | excess_of(q.y) | excess_of(q.z) | excess_of(q.w);
}

OP lane_mask is_refused(word refused) {
    return (refused & BITS_SIGN) != 0u;
}

OP matrix_row add_weighted_row(matrix_row sum, matrix_row row, real weight) {
    return make_row(sum.x + weight * row.x, sum.y + weight * row.y, sum.z + weight * row.z, sum.t + weight * row.t);
}

OP matrix_row select_row(lane_mask condition, matrix_row yes, matrix_row no) {
    return make_row(SELECT(condition, yes.x, no.x), SELECT(condition, yes.y, no.y), SELECT(condition, yes.z, no.z),
                    SELECT(condition, yes.t, no.t));
}

OP matrix_row all_row(float x, float y, float z) {
    return make_row(SPLAT(x), SPLAT(y), SPLAT(z), SPLAT(0.0f));
}

// The weighted sum of the matrices of a vertex's joints, in the order of the influences.
OP skin_matrix blend_joint_matrices(memory block, address vertex, skin_palette palette) {
    uint count = HEADER(block, SKIN, influences);
    address padded = HEADER(block, SKIN, padded);
    address joints = HEADER(block, SKIN, indices) + vertex;
    address weights = HEADER(block, SKIN, weights) + vertex;
    matrix_row x = all_row(0.0f, 0.0f, 0.0f);
    matrix_row y = x;
    matrix_row z = x;
    word refused = ALL_WORD(0u);
    for (uint i = 0u; i < count; i++) {
        real weight = LOAD_LANES_REAL(block, weights);
        // Weights descend. A weight of 0 adds zeros, whose sign does not matter, and repeats a joint.
        if (ANY(weight != 0.0f)) {
            affine m = load_joint_matrix(palette, LOAD_LANES(block, joints));
            refused = refused | row_excess(row_x(m)) | row_excess(row_y(m)) | row_excess(row_z(m));
            x = add_weighted_row(x, row_x(m), weight);
            y = add_weighted_row(y, row_y(m), weight);
            z = add_weighted_row(z, row_z(m), weight);
        }
        joints = joints + padded;
        weights = weights + padded;
    }
    lane_mask bad = is_refused(refused);
    if (ANY(bad)) {
        x = select_row(bad, all_row(1.0f, 0.0f, 0.0f), x);
        y = select_row(bad, all_row(0.0f, 1.0f, 0.0f), y);
        z = select_row(bad, all_row(0.0f, 0.0f, 1.0f), z);
    }
    skin_matrix blended;
    blended.m = affine_of_rows(x, y, z);
    blended.refused = refused;
    return blended;
}

OP real larger_magnitude(real magnitude, real x) {
    real other = magnitude_of(x);
    return SELECT(other > magnitude, other, magnitude);
}

// The linear part times the power of two that makes its largest element at least 1 and below 2, so that products of its
// elements neither overflow nor vanish. Zero if all elements are below 2^-40. The result has no translation.
OP affine normalize_linear_part(affine m) {
    real most = larger_magnitude(larger_magnitude(magnitude_of(m.xx), m.xy), m.xz);
    most = larger_magnitude(larger_magnitude(larger_magnitude(most, m.yx), m.yy), m.yz);
    most = larger_magnitude(larger_magnitude(larger_magnitude(most, m.zx), m.zy), m.zz);
    word inverse = (254u << 23u) - (BITS(most) & BITS_INFINITY);
    real factor = REAL(SELECT_BITS(ABOVE(BITS(most), SNAP_SMALLEST - 1u), inverse));
    matrix_row x = make_row(m.xx * factor, m.xy * factor, m.xz * factor, SPLAT(0.0f));
    matrix_row y = make_row(m.yx * factor, m.yy * factor, m.yz * factor, SPLAT(0.0f));
    matrix_row z = make_row(m.zx * factor, m.zy * factor, m.zz * factor, SPLAT(0.0f));
    return affine_of_rows(snap_row(x), snap_row(y), snap_row(z));
}

// The unit normal and tangent under a matrix, each as it was if the matrix maps it to zero.
OP skin_vertex turn_by_matrix(skin_vertex v, affine blended) {
    affine m = normalize_linear_part(blended);
    vector x = make_vector(m.xx, m.xy, m.xz);
    vector y = make_vector(m.yx, m.yy, m.yz);
    vector z = make_vector(m.zx, m.zy, m.zz);
    // The rows of the inverse transpose, times the determinant.
    vector yz = cross_product(y, z);
    vector zx = cross_product(z, x);
    vector xy = cross_product(x, y);
    real side = SELECT(vector_dot(x, yz) < 0.0f, SPLAT(-1.0f), SPLAT(1.0f));
    vector normal = make_vector(vector_dot(yz, v.normal), vector_dot(zx, v.normal), vector_dot(xy, v.normal));
    vector tangent = make_vector(vector_dot(x, v.tangent), vector_dot(y, v.tangent), vector_dot(z, v.tangent));
    skin_vertex turned = v;
    turned.normal = direction_or(scale_vector(normal, side), v.normal);
    turned.tangent = direction_or(tangent, v.tangent);
    turned.side = v.side * side;
    return turned;
}

OP quaternion add_weighted_quaternion(quaternion sum, quaternion q, real weight) {
    return make_quaternion(sum.x + weight * q.x, sum.y + weight * q.y, sum.z + weight * q.z, sum.w + weight * q.w);
}

// The vector part of 2 dual conjugate(rotation).
OP vector dual_translation(quaternion rotation, quaternion dual) {
    real x = ((rotation.w * dual.x - dual.w * rotation.x) + rotation.y * dual.z) - rotation.z * dual.y;
    real y = ((rotation.w * dual.y - dual.w * rotation.y) + rotation.z * dual.x) - rotation.x * dual.z;
    real z = ((rotation.w * dual.z - dual.w * rotation.z) + rotation.x * dual.y) - rotation.y * dual.x;
    return snap_vector(make_vector(x + x, y + y, z + z));
}

// The weighted sum of the dual quaternions of a vertex's joints, each with the sign that is nearer to the first, made
// unit.
OP skin_rigid blend_joint_duals(memory block, address vertex, skin_palette palette) {
    uint count = HEADER(block, SKIN, influences);
    address padded = HEADER(block, SKIN, padded);
    address joints = HEADER(block, SKIN, indices) + vertex;
    address weights = HEADER(block, SKIN, weights) + vertex;
    dual_quaternion sum;
    sum.rotation = all_quaternion(0.0f, 0.0f, 0.0f, 0.0f);
    sum.dual = sum.rotation;
    quaternion first = sum.rotation;
    word refused = ALL_WORD(0u);
    for (uint i = 0u; i < count; i++) {
        real weight = LOAD_LANES_REAL(block, weights);
        if (ANY(weight != 0.0f)) {
            dual_quaternion joint = load_joint_dual(palette, LOAD_LANES(block, joints));
            refused = refused | quaternion_excess(joint.rotation) | quaternion_excess(joint.dual);
            joint.rotation = snap_quaternion(joint.rotation); // products of tiny components would be subnormal
            if (i == 0u) {
                first = joint.rotation;
            }
            // By comparison, because the sign of a zero may differ between devices.
            real factor = SELECT(quaternion_dot(first, joint.rotation) < 0.0f, -weight, weight);
            sum.rotation = add_weighted_quaternion(sum.rotation, joint.rotation, factor);
            sum.dual = add_weighted_quaternion(sum.dual, joint.dual, factor);
        }
        joints = joints + padded;
        weights = weights + padded;
    }
    quaternion rotation = snap_quaternion(sum.rotation);
    real square = quaternion_dot(rotation, rotation);
    refused = refused | SELECT_BITS(square < QUATERNION_VANISHED, ALL_WORD(BITS_SIGN));
    real factor = reciprocal_root(square);
    quaternion unit = snap_quaternion(quaternion_scale(rotation, factor));
    quaternion dual = snap_quaternion(quaternion_scale(sum.dual, factor));
    lane_mask bad = is_refused(refused);
    skin_rigid blended;
    blended.rotation = select_quaternion(bad, all_quaternion(0.0f, 0.0f, 0.0f, 1.0f), unit);
    blended.translation = dual_translation(unit, dual);
    blended.translation = select_vector(bad, all_vector(0.0f, 0.0f, 0.0f), blended.translation);
    blended.refused = refused;
    return blended;
}

OP vector move_rigidly(skin_rigid by, vector p) {
    return snap_vector(add_vectors(rotate_vector(by.rotation, p), by.translation));
}

OP skin_vertex turn_rigidly(skin_vertex v, skin_rigid by) {
    skin_vertex turned = v;
    turned.normal = direction_or(rotate_vector(by.rotation, v.normal), v.normal);
    turned.tangent = direction_or(rotate_vector(by.rotation, v.tangent), v.tangent);
    return turned;
}

// A component of at most 1 in magnitude as a 16-bit signed normalised integer.
OP word snorm16(real x) {
    return (TO_WORD(FLOOR(clamp_real(x, -1.0f, 1.0f) * 32767.0f + 32768.5f)) - 32768u) & 0xffffu;
}

// Two of them in a word, the first in the low half.
OP word snorm16_pair(real low, real high) {
    return snorm16(low) | snorm16(high) << 16u;
}

#endif
