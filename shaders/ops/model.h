// From local transforms to model matrices and the skinning palette.
#ifndef LMB_OPS_MODEL_H
#define LMB_OPS_MODEL_H

#include "transform.h"

// A joint's own matrix: from joint space to the parent's. Snapped, so that a large parent's matrix cannot lift what
// underflows; translations of poses are already.
OP affine own_matrix(transform local) {
    return snap_linear_part(affine_from_transform(local));
}

// From the parent's space on to model space.
OP affine matrix_under(affine parent, affine own) {
    affine product = affine_multiply(parent, own);
    return snap_affine(product);
}

// Model matrix of a joint: the parent's (the identity for roots), then its own transform.
OP affine model_matrix(transform local, bool has_parent, affine parent) {
    affine model = own_matrix(local);
    if (has_parent) {
        model = matrix_under(parent, model);
    }
    return model;
}

// Palette matrix: from the bind pose's model space to the model space of this frame.
OP affine palette_matrix(affine model, affine inverse_bind) {
    affine palette = affine_multiply(model, inverse_bind);
    return snap_affine(palette);
}

#endif
