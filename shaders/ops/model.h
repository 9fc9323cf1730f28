// Model matrices and the skinning palette, from local transforms.
#ifndef LMB_OPS_MODEL_H
#define LMB_OPS_MODEL_H

#include "transform.h"

// Snaps an element of a linear part. Programs without scale only multiply rotations, whose squared length is 1 to
// within 1e-5. Even with a depth of 65,535 joints no element gets near 2^40, so the upper bound is not needed.
OP real snap_turned(real x) {
#ifdef LMB_GLSL
    return snap_number(x);
#else
    return USES_SCALE ? snap_number(x) : snap_small(x);
#endif
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
