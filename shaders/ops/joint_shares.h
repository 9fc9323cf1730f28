// What decides how much of an input a joint shows: masks, partial blends by joint weights, blend profiles of machines.
// Used for each joint, and in stage 1 for joint 0.
#ifndef LMB_OPS_JOINT_SHARES_H
#define LMB_OPS_JOINT_SHARES_H

#include "curve.h"
#include "layout.h"

// Scales a weight by a byte, where 255 is 1.
OP real share_of_weight(real weight, real byte) {
    // 1/255; a byte of 255 gives exactly 1.
    real part = byte * 0.00392156886f;
    return weight * part;
}

// The blend factor from a to b for a joint that is in both partial poses, from alpha and the joint weights a and b.
// Both quotients are exactly 1 if their operands are equal.
OP real partial_blend(real alpha, real a, real b) {
    real part = (b - a) + alpha * a;
    real rise = SELECT(part == b, SPLAT(1.0f), part * reciprocal(b));
    real share = SELECT(a == b, SPLAT(1.0f), b * reciprocal(a));
    real blend = SELECT(b > a, rise, alpha * share);
    return clamp_real(snap(blend), 0.0f, 1.0f);
}

// The joint weight of the result.
OP real partial_weight(real blend, real a, real b) {
    return FLOOR(((1.0f - blend) * a + blend * b) + 0.5f);
}

// The progress of a fade at a joint, from the fraction of the fade's time that has passed. The profile scales the
// fade's time.
OP real profile_share(memory program, uint profile, uint joint, real part) {
    uint mask = READ(program, profile, PROFILE, mask);
    real scale = share_of_weight(SPLAT(1.0f), load_byte(program, mask, joint));
    real scaled = SELECT(scale > 0.0f, part * reciprocal(scale), SPLAT(1.0f));
    real share = evaluate_any_curve(program, load_curve(program, profile + FIELD(PROFILE, curve)), scaled);
    return clamp_real(share, 0.0f, 1.0f);
}

#ifdef LMB_SIMD_WIDTH
// If lanes have different profiles, evaluates each in turn; 0 is none.
OP_COLD void share_each_profile(memory program, uint first, uint joint, const word *which, const real *part,
                                real *share) {
    lane_mask left = ABOVE(*which, 0u);
    while (ANY(left)) {
        uint profile = ONE_OF(left, *which);
        lane_mask mine = AND(left, *which == profile);
        *share = SELECT(mine, profile_share(program, first + (profile - 1u) * WORDS_OF(PROFILE), joint, *part), *share);
        left = AND(left, NOT(mine));
    }
}
#endif

// The same by the number of the profile, from 1 on, of the table's profiles.
OP real numbered_profile_share(memory program, uint table, uint joint, word which, real part) {
#ifdef LMB_SIMD_WIDTH
    real share = SPLAT(0.0f);
    share_each_profile(program, table + WORDS_OF(PROFILES), joint, &which, &part, &share);
    return share;
#else
    return profile_share(program, table + WORDS_OF(PROFILES) + (which - 1u) * WORDS_OF(PROFILE), joint, part);
#endif
}

#endif
