// Weights that differ by joint: for layers whose inputs have masks or joint weights, by the formula in layers.h, and
// for states in a fade with a blend profile. Included by operations.h.
#ifndef LMB_OPS_JOINT_LAYERS_H
#define LMB_OPS_JOINT_LAYERS_H

#include "curve.h"

// The joint weight in the clip that a character plays. The full weight for everything that the clip does not have.
OP real played_joint_weight(frame f, source s, uint joint) {
    word size = GATHER(f.program, s.clip + CLIP_JOINTS) + GATHER(f.program, s.clip + CLIP_FLOAT_COUNT);
    word row = GATHER(f.program, s.clip + CLIP_WEIGHTS);
    lane_mask has = AND(s.known, AND(ABOVE(row, 0u), ABOVE(size, joint)));
    word bytes = GATHER(f.program, s.clip + SELECT_BITS(has, row + (joint >> 2u)));
    return SELECT(has, TO_REAL((bytes >> ((joint & 3u) * 8u)) & 255u), SPLAT(WEIGHT_PRESENT));
}

// The joint weight of a clip instruction, without sampling the clip. Indices from the joint count on are float
// channels, which are not in joint maps.
OP real input_joint_weight(frame f, uint instruction) {
    uint row = LOAD(f.program, instruction + CLIP_WEIGHTS_ROW);
    real weight = SPLAT(WEIGHT_PRESENT);
    if (row != 0u) {
        weight = load_byte(f.program, row, f.joint);
    } else {
        uint joint = f.joint;
        if (joint < LOAD(f.program, PROGRAM_JOINTS)) {
            joint = source_joint(f, instruction);
        }
        if (joint != NO_JOINT) {
            weight = played_joint_weight(f, load_source(f, LOAD(f.program, instruction + CLIP_SOURCE)), joint);
        }
    }
    return weight;
}

OP real joint_fade(frame f, uint layer) {
    uint mask = LOAD(f.program, layer + LAYER_MASK);
    uint clip = LOAD(f.program, layer + LAYER_CLIP);
    real fade = load_weight(f, LOAD(f.program, layer + LAYER_FADE));
    if (mask != 0u) {
        fade = share_of_weight(fade, load_byte(f.program, mask, f.joint));
    }
    if (USES_WEIGHTS && clip != 0u) {
        fade = share_of_weight(fade, input_joint_weight(f, clip));
    }
    return fade;
}

// The share of an input at the joint. It depends only on the layers above and on its own.
OP real joint_share(frame f, uint instruction) {
    uint table = LOAD(f.program, instruction + LAYERS_TABLE);
    uint count = LOAD(f.program, instruction + LAYERS_COUNT);
    uint place = LOAD(f.program, instruction + LAYERS_PLACE);
    real left = SPLAT(1.0f);
    real share = SPLAT(0.0f);
    for (uint first = 0u; first < count && first <= place;) {
        uint end = LOAD(f.program, table + first * LAYER_WORDS + LAYER_END);
        real sum = SPLAT(0.0f);
        real own = SPLAT(0.0f);
        for (uint i = first; i < end; i++) {
            real fade = joint_fade(f, table + i * LAYER_WORDS);
            sum = sum + fade;
            if (i == place) {
                own = fade;
            }
        }
        share = (own * layer_part(sum)) * left;
        left = layer_rest(left, sum);
        first = end;
    }
    if (place == count) {
        share = left;
    }
    return snap_small(share);
}

// The progress of a fade at the joint, from the fraction of the fade's time that has passed. The profile scales the
// fade's time.
OP real profile_share(frame f, uint profile, real part) {
    uint mask = LOAD(f.program, profile + PROFILE_MASK);
    real scale = share_of_weight(SPLAT(1.0f), load_byte(f.program, mask, f.joint));
    real scaled = SELECT(scale > 0.0f, part * reciprocal(scale), SPLAT(1.0f));
    real share = evaluate_any_curve(LOAD(f.program, profile + PROFILE_CURVE), 0.0f, 1.0f, scaled);
    return clamp_real(share, 0.0f, 1.0f);
}

#ifdef LMB_SIMD_WIDTH
// If lanes have different profiles, evaluates each in turn; 0 is none.
OP_COLD void share_each_profile(const frame *f, uint first, const word *which, const real *part, real *share) {
    lane_mask left = ABOVE(*which, 0u);
    while (ANY(left)) {
        uint profile = ONE_OF(left, *which);
        lane_mask mine = AND(left, *which == profile);
        *share = SELECT(mine, profile_share(*f, first + (profile - 1u) * PROFILE_WORDS, *part), *share);
        left = AND(left, NOT(mine));
    }
}
#endif

// The weight of a state at the joint. It is 0 if the state has no weight for the character.
OP real profiled_weight(frame f, uint instruction) {
    uint table = LOAD(f.program, instruction + PROFILES_TABLE);
    uint states = LOAD(f.program, instruction + PROFILES_STATES);
    uint numbers = LOAD(f.program, table + PROFILES_NUMBERS);
    real weight = operand_weight(f, instruction);
    real given = load_weight(f, numbers + PROFILED_WHICH(states));
    lane_mask known = AND(given >= 1.0f, given <= FLOAT_OF(LOAD(f.program, table + PROFILES_COUNT)));
    lane_mask fades = AND(known, weight > 0.0f);
    if (ANY(fades)) {
        word which = SELECT_BITS(fades, TO_WORD(SELECT(fades, given, SPLAT(0.0f))));
        real part = load_weight(f, numbers + PROFILED_PART(states));
        real share = SPLAT(0.0f);
#ifdef LMB_SIMD_WIDTH
        const frame at = f;
        share_each_profile(&at, table + PROFILES_FIRST, &which, &part, &share);
#else
        share = profile_share(f, table + PROFILES_FIRST + (which - 1u) * PROFILE_WORDS, part);
#endif
        uint own = numbers + LOAD(f.program, instruction + PROFILES_STATE);
        real mixed = lerp(load_weight(f, own), load_weight(f, own + states), share);
        weight = SELECT(fades, snap_small(mixed), weight);
    }
    return weight;
}

// The weight of an input of a sum: by joint if the choice says so, else the character's.
OP real input_weight(frame f, uint instruction, uint choice) {
    real weight = operand_weight(f, instruction);
    if ((choice & CHOICE_LAYERS) != 0u) {
        weight = joint_share(f, instruction);
    }
    if (USES_PROFILES && (choice & CHOICE_PROFILES) != 0u) {
        weight = profiled_weight(f, instruction);
    }
    return weight;
}

#endif
