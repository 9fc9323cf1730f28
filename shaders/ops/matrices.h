// Weighted blend of joints' matrices, which is the last operation of a program. The result can have shear, so it
// remains a matrix. Included by operations.h.
#ifndef LMB_OPS_MATRICES_H
#define LMB_OPS_MATRICES_H

#include "model.h"

// Twelve sums of matrix elements, in the order of an affine's rows, and the sum of weights.
// - `sums`: t: the last column; q and s: the first seven of the other elements.
// - `extra`: t.x, t.y: the eighth and ninth; q.x: sum of weights, as in a weighted blend.
OP weighted_sums weighted_matrix_begin(void) {
    return weighted_begin();
}

// A weight of 0 changes no bit: no sum is ever -0.
OP weighted_sums weighted_matrix_accumulate(frame f, uint instruction, weighted_sums so_far, transform a) {
    real weight = operand_weight(f, instruction);
    affine own = own_matrix(a);
    transform sums = so_far.sums;
    transform extra = so_far.extra;
    sums.t.x = sums.t.x + weight * own.xt;
    sums.t.y = sums.t.y + weight * own.yt;
    sums.t.z = sums.t.z + weight * own.zt;
    sums.q.x = sums.q.x + weight * own.xx;
    sums.q.y = sums.q.y + weight * own.xy;
    sums.q.z = sums.q.z + weight * own.xz;
    sums.q.w = sums.q.w + weight * own.yx;
    sums.s.x = sums.s.x + weight * own.yy;
    sums.s.y = sums.s.y + weight * own.yz;
    sums.s.z = sums.s.z + weight * own.zx;
    extra.t.x = extra.t.x + weight * own.zy;
    extra.t.y = extra.t.y + weight * own.zz;
    extra.q.x = extra.q.x + weight;
    weighted_sums sum;
    sum.sums = sums;
    sum.extra = extra;
    return sum;
}

// Leaves both accumulators on the stack, because only blended_matrix() can return the whole matrix.
OP transform weighted_matrix_end(frame f, uint instruction, weighted_sums all) {
    UNUSED(f);
    UNUSED(instruction);
    return all.sums;
}

OP affine select_affine(lane_mask condition, affine a, affine b) {
    affine chosen;
    chosen.xx = SELECT(condition, a.xx, b.xx);
    chosen.xy = SELECT(condition, a.xy, b.xy);
    chosen.xz = SELECT(condition, a.xz, b.xz);
    chosen.xt = SELECT(condition, a.xt, b.xt);
    chosen.yx = SELECT(condition, a.yx, b.yx);
    chosen.yy = SELECT(condition, a.yy, b.yy);
    chosen.yz = SELECT(condition, a.yz, b.yz);
    chosen.yt = SELECT(condition, a.yt, b.yt);
    chosen.zx = SELECT(condition, a.zx, b.zx);
    chosen.zy = SELECT(condition, a.zy, b.zy);
    chosen.zz = SELECT(condition, a.zz, b.zz);
    chosen.zt = SELECT(condition, a.zt, b.zt);
    return chosen;
}

// The result of such a program for a joint: its local matrix, or that of the rest pose if no input has a weight.
OP affine blended_matrix(memory program, uint joint, transform sums, transform extra) {
    real inverse = reciprocal(extra.q.x);
    affine mean;
    mean.xx = sums.q.x * inverse;
    mean.xy = sums.q.y * inverse;
    mean.xz = sums.q.z * inverse;
    mean.xt = sums.t.x * inverse;
    mean.yx = sums.q.w * inverse;
    mean.yy = sums.s.x * inverse;
    mean.yz = sums.s.y * inverse;
    mean.yt = sums.t.y * inverse;
    mean.zx = sums.s.z * inverse;
    mean.zy = extra.t.x * inverse;
    mean.zz = extra.t.y * inverse;
    mean.zt = sums.t.z * inverse;
    affine snapped = snap_affine(mean);
    return select_affine(extra.q.x > 0.0f, snapped, own_matrix(load_rest(program, joint)));
}

#endif
