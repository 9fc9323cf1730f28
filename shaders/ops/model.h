// From local transforms to model matrices and the skinning palette.
#ifndef LMB_OPS_MODEL_H
#define LMB_OPS_MODEL_H

#include "transform.h"

// Model matrix of a joint: the parent's (the identity for roots), then its own transform.
OP affine model_matrix(transform local, bool has_parent, affine parent) {
    // Snapped, so that a large parent's matrix cannot lift what underflows; translations of poses are already.
    affine own = snap_linear_part(affine_from_transform(local));
    affine model = own;
    if (has_parent) {
        model = snap_affine(affine_multiply(parent, own));
    }
    return model;
}

// Palette matrix: from the bind pose's model space to the model space of this frame.
OP affine palette_matrix(affine model, affine inverse_bind) {
    affine palette = affine_multiply(model, inverse_bind);
    return snap_affine(palette);
}

#endif
