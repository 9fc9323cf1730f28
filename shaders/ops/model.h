// From local transforms to model matrices and the skinning palette.
#ifndef LMB_OPS_MODEL_H
#define LMB_OPS_MODEL_H

#include "transform.h"

// Model matrix of a joint: the parent's (the identity for roots), then its own transform.
OP affine model_matrix(transform local, truth has_parent, affine parent) {
    affine own = affine_from_transform(local);
    affine model = own;
    if (ANY(has_parent)) {
        model = affine_multiply(parent, own);
    }
    return snap_affine(model);
}

// Palette matrix: from the bind pose's model space to the model space of this frame.
OP affine palette_matrix(affine model, affine inverse_bind) {
    affine palette = affine_multiply(model, inverse_bind);
    return snap_affine(palette);
}

#define MATRIX_COMPONENTS 12u

OP affine load_affine(memory data, word at) {
    affine m;
    m.xx = LOAD_REAL(data, at);
    m.xy = LOAD_REAL(data, at + 1u);
    m.xz = LOAD_REAL(data, at + 2u);
    m.xt = LOAD_REAL(data, at + 3u);
    m.yx = LOAD_REAL(data, at + 4u);
    m.yy = LOAD_REAL(data, at + 5u);
    m.yz = LOAD_REAL(data, at + 6u);
    m.yt = LOAD_REAL(data, at + 7u);
    m.zx = LOAD_REAL(data, at + 8u);
    m.zy = LOAD_REAL(data, at + 9u);
    m.zz = LOAD_REAL(data, at + 10u);
    m.zt = LOAD_REAL(data, at + 11u);
    return m;
}

#endif
