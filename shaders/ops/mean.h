// Weighted blend by choice: nlerp, or each component by itself, optionally between quaternions as given, or slerp from
// input to input. Included by operations.h.
#ifndef LMB_OPS_MEAN_H
#define LMB_OPS_MEAN_H

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

OP weighted_sums mean_accumulate(frame f, uint instruction, weighted_sums so_far, transform a) {
    uint choice = LOAD(f.program, instruction + CHOICES);
    real weight = input_weight(f, instruction, choice);
    lane_mask counts = weight > 0.0f;
    lane_mask starts = AND(counts, so_far.extra.q.x == 0.0f);
    weighted_sums sum = accumulate_pose(so_far, a, weight);
    if ((choice & CHOICE_LERP) != 0u) {
        sum.extra = mark_unlike_scales(sum.extra, a, counts);
    }
    if ((choice & (CHOICE_NLERP | CHOICE_LERP)) == 0u) {
        real share = clamp_real(weight * reciprocal(sum.extra.q.x), 0.0f, 1.0f);
        quaternion further = slerp_on(so_far.sums.q, a.q, share, choice);
        quaternion kept = select_quaternion(counts, further, so_far.sums.q);
        sum.sums.q = select_quaternion(starts, a.q, kept);
    } else if ((choice & CHOICE_AS_GIVEN) != 0u) {
        sum.sums.q = quaternion_combine(so_far.sums.q, a.q, SPLAT(1.0f), weight * WEIGHTED_LARGE);
    }
    return sum;
}

OP transform mean_end(frame f, uint instruction, weighted_sums all) {
    uint choice = LOAD(f.program, instruction + CHOICES);
    real inverse = total_inverse(f, instruction);
    transform mean;
    if ((choice & (CHOICE_LAYERS | CHOICE_PROFILES)) != 0u) {
        inverse = reciprocal(all.extra.q.x);
    }
    if ((choice & (CHOICE_NLERP | CHOICE_LERP)) == 0u) {
        mean = finish_mean(f, instruction, all, inverse, all.sums.q, NOT(all.extra.q.x > 0.0f));
    } else {
        mean = finish_sum(f, instruction, all, inverse);
    }
    return mean;
}

#endif
