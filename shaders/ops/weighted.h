// Weighted sums of poses: blends of any number of inputs, weights that differ by joint, and sums of matrices. Included
// by operations.h.
#ifndef LMB_OPS_WEIGHTED_H
#define LMB_OPS_WEIGHTED_H

#include "curve.h"
#include "joint_shares.h"
#include "transform.h"

// The accumulators of a weighted sum. They are stored as two transforms, so that the pose stack can hold them.
// - `sums`: weighted translation, weighted rotation, and per axis the weighted log2 of scale over the first scale.
// - `extra`: t: weighted scale; q.x: sum of weights; q.y, q.z, q.w: 1 where an axis mixes signs; s: the first scale.
STRUCT(weighted_sums)
transform sums;
transform extra;
END_STRUCT(weighted_sums)

// Sums of rotations are scaled by 2^60, exactly, so that products of small values do not underflow.
#define WEIGHTED_LARGE 1.1529215e+18f
#define WEIGHTED_SMALL 8.67361738e-19f

OP transform zero_transform(void) {
    transform zero;
    zero.t = all_vector(0.0f, 0.0f, 0.0f);
    zero.q = all_quaternion(0.0f, 0.0f, 0.0f, 0.0f);
    zero.s = all_vector(0.0f, 0.0f, 0.0f);
    zero.weight = SPLAT(0.0f);
    return zero;
}

OP weighted_sums weighted_begin(void) {
    weighted_sums zero;
    zero.sums = zero_transform();
    zero.extra = zero_transform();
    return zero;
}

// log2(s / first), exactly 0 if they are equal.
OP real scale_logarithm(real s, real first) {
    return SELECT(s == first, SPLAT(0.0f), logarithm2(s * reciprocal(first)));
}

// Adds a weighted pose to the accumulators. A weight of 0 changes no bit.
OP weighted_sums accumulate_pose(weighted_sums so_far, transform a, real weight) {
    transform sums = so_far.sums;
    transform extra = so_far.extra;
    lane_mask counts = weight > 0.0f;
    lane_mask starts = AND(counts, extra.q.x == 0.0f);
    if (USES_SCALE) {
        extra.s = select_vector(starts, a.s, extra.s);
    }

    if (USES_WEIGHTS) {
        sums.weight = SELECT(AND(counts, a.weight > sums.weight), a.weight, sums.weight);
    }
    sums.t = add_vectors(sums.t, scale_vector(a.t, weight));
    lane_mask turns = quaternion_dot(sums.q, a.q) < 0.0f;
    real large = weight * WEIGHTED_LARGE;
    real turned = negated_where(turns, large);
    sums.q.x = sums.q.x + a.q.x * turned;
    sums.q.y = sums.q.y + a.q.y * turned;
    sums.q.z = sums.q.z + a.q.z * turned;
    sums.q.w = sums.q.w + a.q.w * turned;

    extra.q.x = extra.q.x + weight;
    if (USES_SCALE) {
        extra.t = add_vectors(extra.t, scale_vector(a.s, weight));
    }
    lane_mask differs = OR(a.s.x != extra.s.x, OR(a.s.y != extra.s.y, a.s.z != extra.s.z));
    if (USES_SCALE && ANY(AND(counts, OR(differs, a.s.x * (a.s.y * a.s.z) == 0.0f)))) {
        extra.q.y = SELECT(AND(counts, a.s.x * extra.s.x <= 0.0f), SPLAT(1.0f), extra.q.y);
        extra.q.z = SELECT(AND(counts, a.s.y * extra.s.y <= 0.0f), SPLAT(1.0f), extra.q.z);
        extra.q.w = SELECT(AND(counts, a.s.z * extra.s.z <= 0.0f), SPLAT(1.0f), extra.q.w);
        sums.s.x = sums.s.x + weight * scale_logarithm(a.s.x, extra.s.x);
        sums.s.y = sums.s.y + weight * scale_logarithm(a.s.y, extra.s.y);
        sums.s.z = sums.s.z + weight * scale_logarithm(a.s.z, extra.s.z);
    }
    weighted_sums sum;
    sum.sums = sums;
    sum.extra = extra;
    return sum;
}

OP weighted_sums weighted_accumulate(evaluation e, uint instruction, weighted_sums so_far, transform a) {
    return accumulate_pose(so_far, a, operand_weight(e, instruction));
}

OP real weighted_scale(real logarithms, real linear, real mixed, real first, real inverse) {
    real mean = first * exponential2(logarithms * inverse);
    return snap_number(SELECT(mixed != 0.0f, linear * inverse, mean));
}

// Divides the accumulators by the sum of weights. `q` is the resulting unit quaternion. Where `vanished`, the rotation
// of the pose at BLEND.rest is used instead: the rest pose or, for additives, the identity. If no input has a weight,
// the result is that pose.
OP transform finish_mean(evaluation e, uint instruction, weighted_sums all, real inverse, quaternion q,
                         lane_mask vanished) {
    transform sums = all.sums;
    transform extra = all.extra;
    transform mean;
    mean.weight = sums.weight;
    mean.t = snap_vector(scale_vector(sums.t, inverse));
    mean.q = q;
    // If all scales are equal, all logarithms are 0, and the mean is the first scale.
    mean.s = all_vector(1.0f, 1.0f, 1.0f);
    if (USES_SCALE) {
        mean.s = snap_vector(extra.s);
    }
    lane_mask unlike = OR(OR(sums.s.x != 0.0f, sums.s.y != 0.0f), sums.s.z != 0.0f);
    lane_mask mixed = OR(OR(extra.q.y != 0.0f, extra.q.z != 0.0f), extra.q.w != 0.0f);
    if (USES_SCALE && ANY(OR(unlike, mixed))) {
        mean.s.x = weighted_scale(sums.s.x, extra.t.x, extra.q.y, extra.s.x, inverse);
        mean.s.y = weighted_scale(sums.s.y, extra.t.y, extra.q.z, extra.s.y, inverse);
        mean.s.z = weighted_scale(sums.s.z, extra.t.z, extra.q.w, extra.s.z, inverse);
    }
    lane_mask weighs = extra.q.x > 0.0f;
    if (ANY(OR(vanished, NOT(weighs)))) {
        transform rest = load_static_pose(e.program, READ(e.program, instruction, BLEND, rest), e.joint);
        mean.q = select_quaternion(vanished, rest.q, mean.q);
        mean = select_transform(weighs, mean, rest);
    }
    return mean;
}

// The same for a sum of rotations, which is normalised here.
OP transform finish_sum(evaluation e, uint instruction, weighted_sums all, real inverse) {
    quaternion q = quaternion_scale(all.sums.q, inverse * WEIGHTED_SMALL);
    lane_mask vanished = quaternion_dot(q, q) < QUATERNION_VANISHED;
    return finish_mean(e, instruction, all, inverse, quaternion_normalize(q), vanished);
}

OP transform weighted_end(evaluation e, uint instruction, weighted_sums all) {
    return finish_sum(e, instruction, all, total_inverse(e, instruction));
}

// Weights that differ by joint: for layers whose inputs have masks or joint weights, by the formula in weights.h, and
// for states in a fade with a blend profile.

// The joint weight of a clip instruction, without sampling the clip. Indices from the joint count on are float
// channels, which are not in joint maps or retargets.
OP real input_joint_weight(evaluation e, uint instruction) {
    uint row = READ(e.program, instruction, SAMPLE, weights);
    real weight = SPLAT(WEIGHT_PRESENT);
    if (row != 0u) {
        weight = load_byte(e.program, row, e.joint);
    } else {
        uint joint = e.joint;
        if (joint < HEADER(e.program, PROGRAM, joints)) {
            joint = weighed_joint(e, instruction);
        } else if (retargets(e, instruction)) {
            joint = NO_JOINT;
        }
        if (joint != NO_JOINT) {
            weight = played_joint_weight(e, load_source(e, READ(e.program, instruction, SAMPLE, source)), joint);
        }
    }
    return weight;
}

OP real joint_fade(evaluation e, uint layer) {
    uint mask = READ(e.program, layer, LAYER, mask);
    uint clip = READ(e.program, layer, LAYER, clip);
    real fade = load_weight(e, READ(e.program, layer, LAYER, fade));
    if (mask != 0u) {
        fade = share_of_weight(fade, load_byte(e.program, mask, e.joint));
    }
    if (USES_WEIGHTS && clip != 0u) {
        fade = share_of_weight(fade, input_joint_weight(e, clip));
    }
    return fade;
}

// The share of an input at the joint. It depends only on the layers above and on its own.
OP real joint_share(evaluation e, uint instruction) {
    uint table = READ(e.program, instruction, LAYERED, table);
    uint count = READ(e.program, instruction, LAYERED, count);
    uint place = READ(e.program, instruction, LAYERED, place);
    real left = SPLAT(1.0f);
    real share = SPLAT(0.0f);
    for (uint first = 0u; first < count && first <= place;) {
        uint end = READ(e.program, table + first * WORDS_OF(LAYER), LAYER, end);
        float full = READ_FLOAT(e.program, table + first * WORDS_OF(LAYER), LAYER, full);
        real sum = SPLAT(0.0f);
        real own = SPLAT(0.0f);
        for (uint i = first; i < end; i++) {
            real fade = joint_fade(e, table + i * WORDS_OF(LAYER));
            sum = sum + fade;
            if (i == place) {
                own = fade;
            }
        }
        share = (own * layer_part(sum, full)) * left;
        left = layer_rest(left, sum, full);
        first = end;
    }
    if (place == count) {
        share = left;
    }
    return snap_small(share);
}

// The weight of a state at the joint. It is 0 if the state has no weight for the character.
OP real profiled_weight(evaluation e, uint instruction) {
    uint table = READ(e.program, instruction, STATES, table);
    uint states = READ(e.program, instruction, STATES, count);
    uint numbers = READ(e.program, table, PROFILES, numbers);
    real weight = operand_weight(e, instruction);
    real given = load_weight(e, numbers + PROFILED_WHICH(states));
    lane_mask known = AND(given >= 1.0f, given <= FLOAT_OF(READ(e.program, table, PROFILES, count)));
    lane_mask fades = AND(known, weight > 0.0f);
    if (ANY(fades)) {
        word which = SELECT_BITS(fades, TO_WORD(SELECT(fades, given, SPLAT(0.0f))));
        real part = load_weight(e, numbers + PROFILED_PART(states));
        real share = numbered_profile_share(e.program, table, e.joint, which, part);
        uint own = numbers + READ(e.program, instruction, STATES, state);
        real mixed = lerp(load_weight(e, own), load_weight(e, own + states), share);
        weight = SELECT(fades, snap_small(mixed), weight);
    }
    return weight;
}

// The weight of an input of a sum: by joint if the choice says so, else the character's.
OP real input_weight(evaluation e, uint instruction, uint choice) {
    real weight = operand_weight(e, instruction);
    if ((choice & CHOICE_LAYERS) != 0u) {
        weight = joint_share(e, instruction);
    }
    if (USES_PROFILES && (choice & CHOICE_PROFILES) != 0u) {
        weight = profiled_weight(e, instruction);
    }
    return weight;
}

// Weighted blend by choice: nlerp, optionally between quaternions as given, or slerp from input to input; with
// geometric or linear scale.

// The accumulators are those of a weighted blend, except that with slerp `sums.q` is the current mean rotation.
OP weighted_sums mean_begin(void) {
    return weighted_begin();
}

// Slerps from the current mean to the next rotation, which has `share` of the total weight so far.
OP quaternion slerp_on(quaternion before, quaternion q, real share, uint choice) {
    quaternion further;
    if ((choice & CHOICE_AS_GIVEN) != 0u) {
        further = quaternion_slerp_as_given(before, q, share);
    } else {
        further = quaternion_slerp(before, q, share);
    }
    return further;
}

// Marks axes whose scale differs from the first one. They get the arithmetic mean instead of the geometric one.
OP transform mark_unlike_scales(transform extra, transform a, lane_mask counts) {
    if (USES_SCALE) {
        extra.q.y = SELECT(AND(counts, a.s.x != extra.s.x), SPLAT(1.0f), extra.q.y);
        extra.q.z = SELECT(AND(counts, a.s.y != extra.s.y), SPLAT(1.0f), extra.q.z);
        extra.q.w = SELECT(AND(counts, a.s.z != extra.s.z), SPLAT(1.0f), extra.q.w);
    }
    return extra;
}

OP weighted_sums mean_accumulate(evaluation e, uint instruction, weighted_sums so_far, transform a) {
    uint choice = READ(e.program, instruction, BLEND, choices);
    real weight = input_weight(e, instruction, choice);
    lane_mask counts = weight > 0.0f;
    lane_mask starts = AND(counts, so_far.extra.q.x == 0.0f);
    weighted_sums sum = accumulate_pose(so_far, a, weight);
    if ((choice & CHOICE_LINEAR_SCALE) != 0u) {
        sum.extra = mark_unlike_scales(sum.extra, a, counts);
    }
    if ((choice & CHOICE_NLERP) == 0u) {
        real share = clamp_real(weight * reciprocal(sum.extra.q.x), 0.0f, 1.0f);
        quaternion further = slerp_on(so_far.sums.q, a.q, share, choice);
        quaternion kept = select_quaternion(counts, further, so_far.sums.q);
        sum.sums.q = select_quaternion(starts, a.q, kept);
    } else if ((choice & CHOICE_AS_GIVEN) != 0u) {
        sum.sums.q = quaternion_combine(so_far.sums.q, a.q, SPLAT(1.0f), weight * WEIGHTED_LARGE);
    }
    return sum;
}

OP transform mean_end(evaluation e, uint instruction, weighted_sums all) {
    uint choice = READ(e.program, instruction, BLEND, choices);
    real inverse = total_inverse(e, instruction);
    transform mean;
    if ((choice & (CHOICE_LAYERS | CHOICE_PROFILES)) != 0u) {
        inverse = reciprocal(all.extra.q.x);
    }
    if ((choice & CHOICE_NLERP) == 0u) {
        mean = finish_mean(e, instruction, all, inverse, all.sums.q, NOT(all.extra.q.x > 0.0f));
    } else {
        mean = finish_sum(e, instruction, all, inverse);
    }
    return mean;
}

// Weighted blend of joints' matrices, which is the last operation of a program. The result can have shear, so it
// remains a matrix.

// Twelve sums of matrix elements, in the order of an affine's rows, and the sum of weights.
// - `sums`: t: the last column; q and s: the first seven of the other elements.
// - `extra`: t.x, t.y: the eighth and ninth; q.x: sum of weights, as in a weighted blend.
OP weighted_sums weighted_matrix_begin(void) {
    return weighted_begin();
}

// A weight of 0 changes no bit: no sum is ever -0.
OP weighted_sums weighted_matrix_accumulate(evaluation e, uint instruction, weighted_sums so_far, transform a) {
    real weight = operand_weight(e, instruction);
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
OP transform weighted_matrix_end(evaluation e, uint instruction, weighted_sums all) {
    UNUSED(e);
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
