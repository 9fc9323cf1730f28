// Stage 1: motion weights (lmb_motion_def in limber/control.h), after the rules of weights.h have been computed. They
// are signed, and follow what decides the translation of joint 0.
//
// First come the rules of joint 0, of a node's inputs before those of the node: its joint weight, and its share in
// layers and states. Then those of motion weights, from the last node down. A node has a rule only where its inputs'
// motion weights differ from their weights in the pose, or where it is not known in advance what decides joint 0.
#ifndef LMB_OPS_MOTION_WEIGHTS_H
#define LMB_OPS_MOTION_WEIGHTS_H

#include "joint_shares.h"
#include "weights.h"

// A joint weight: the index of a weight, or WEIGHT_NONE for the constant that follows it.
OP real load_joint_weight(evaluation e, uint at) {
    uint weight = LOAD(e.program, at);
    real x = SPLAT(LOAD_FLOAT(e.program, at + 1u));
    if (weight != WEIGHT_NONE) {
        x = load_weight(e, weight);
    }
    return x;
}

// Of a clip that a parameter chooses, from a table with the joint weight of each clip.
OP real weigh_chosen_clip(evaluation e, uint rule) {
    real given = load_value(e, LOAD(e.program, rule + MOTION_RULE_BY));
    real chosen = FLOOR(snap(given));
    lane_mask known = AND(chosen >= 0.0f, chosen < FLOAT_OF(LOAD(e.program, PROGRAM_CLIP_COUNT)));
    known = AND(known, is_finite(given));
    real weight = SPLAT(WEIGHT_PRESENT);
    if (ANY(known)) {
        word clip = TO_WORD(SELECT(known, chosen, SPLAT(0.0f)));
        weight = SELECT(known, GATHER_REAL(e.program, LOAD(e.program, rule + MOTION_RULE_TABLE) + clip), weight);
    }
    return weight;
}

// Stores the blend of a partial blend at joint 0, and the joint weight of the result.
OP void blend_partial_root(evaluation e, uint rule) {
    uint operands = LOAD(e.program, rule + MOTION_RULE_TABLE);
    uint result = LOAD(e.program, rule + MOTION_RULE_RESULT);
    real a = load_joint_weight(e, operands);
    real b = load_joint_weight(e, operands + JOINT_WEIGHT_WORDS);
    lane_mask both = AND(a > 0.0f, b > 0.0f);
    real blend = SELECT(a > 0.0f, SPLAT(0.0f), SPLAT(1.0f));
    real weight = SELECT(a > 0.0f, a, b);
    if (ANY(both)) {
        blend = SELECT(both, partial_blend(load_weight(e, LOAD(e.program, rule + MOTION_RULE_BY)), a, b), blend);
        weight = SELECT(both, partial_weight(blend, a, b), weight);
    }
    store_weight(e, result, blend);
    store_weight(e, result + 1u, weight);
}

// Stores the shares of layers at joint 0, as joint_share() computes them for each joint, and their sum, which is 1.
OP void share_layers(evaluation e, uint rule) {
    uint count = LOAD(e.program, rule + MOTION_RULE_COUNT) - 1u;
    uint table = LOAD(e.program, rule + MOTION_RULE_TABLE);
    uint result = LOAD(e.program, rule + MOTION_RULE_RESULT);
    real left = SPLAT(1.0f);
    for (uint first = 0u; first < count;) {
        uint end = LOAD(e.program, table + first * LAYER_WORDS + LAYER_END);
        float full = LOAD_FLOAT(e.program, table + first * LAYER_WORDS + LAYER_FULL);
        real sum = SPLAT(0.0f);
        for (uint pass = 0u; pass < 2u; pass++) {
            real part = layer_part(sum, full);
            for (uint i = first; i < end; i++) {
                uint layer = table + i * LAYER_WORDS;
                real fade = load_weight(e, LOAD(e.program, layer + LAYER_FADE));
                fade = fade * LOAD_FLOAT(e.program, layer + LAYER_ROOT);
                fade = share_of_weight(fade, load_joint_weight(e, layer + LAYER_ROOT_WEIGHT));
                if (pass == 0u) {
                    sum = sum + fade;
                } else {
                    store_weight(e, result + LOAD(e.program, layer + LAYER_INPUT), snap_small((fade * part) * left));
                }
            }
        }
        left = layer_rest(left, sum, full);
        first = end;
    }
    store_weight(e, result + count, snap_small(left));
    store_weight(e, result + count + 1u, SPLAT(1.0f));
    store_weight(e, result + count + 2u, SPLAT(1.0f));
}

// Stores the shares of a machine's states at joint 0, as profiled_weight() computes them for each joint.
OP void share_states(evaluation e, uint rule) {
    uint shares = LOAD(e.program, rule + MOTION_RULE_BY);
    uint states = LOAD(e.program, rule + MOTION_RULE_COUNT);
    uint table = LOAD(e.program, rule + MOTION_RULE_TABLE);
    uint result = LOAD(e.program, rule + MOTION_RULE_RESULT);
    uint numbers = LOAD(e.program, table + PROFILES_NUMBERS);
    real given = load_weight(e, numbers + PROFILED_WHICH(states));
    lane_mask fades = AND(given >= 1.0f, given <= FLOAT_OF(LOAD(e.program, table + PROFILES_COUNT)));
    real progress = SPLAT(0.0f);
    if (ANY(fades)) {
        word which = SELECT_BITS(fades, TO_WORD(SELECT(fades, given, SPLAT(0.0f))));
        real part = load_weight(e, numbers + PROFILED_PART(states));
        progress = numbered_profile_share(e.program, table, LOAD(e.program, rule + MOTION_RULE_JOINT), which, part);
    }
    real total = SPLAT(0.0f);
    for (uint i = 0u; i < states; i++) {
        real share = load_weight(e, shares + i);
        lane_mask mixes = AND(fades, share > 0.0f);
        if (ANY(mixes)) {
            real before = load_weight(e, numbers + i);
            real mixed = snap_small(lerp(before, load_weight(e, numbers + states + i), progress));
            share = SELECT(mixes, mixed, share);
        }
        store_weight(e, result + i, share);
        total = total + share;
    }
    store_weight(e, result + states, total);
    store_weight(e, result + states + 1u, reciprocal(total));
}

// The joint weight of a sum: the largest of the inputs that count. Without one, it is the rest pose.
OP real weigh_summed_root(evaluation e, uint rule) {
    uint shares = LOAD(e.program, rule + MOTION_RULE_BY);
    uint count = LOAD(e.program, rule + MOTION_RULE_COUNT);
    uint operand = LOAD(e.program, rule + MOTION_RULE_TABLE);
    real largest = SPLAT(-1.0f); // if no input counts
    for (uint i = 0u; i < count; i++) {
        real weight = load_joint_weight(e, operand);
        lane_mask counts = AND(load_weight(e, shares + i) > 0.0f, weight > largest);
        largest = SELECT(counts, weight, largest);
        operand = operand + JOINT_WEIGHT_WORDS;
    }
    return SELECT(largest < 0.0f, SPLAT(WEIGHT_PRESENT), largest);
}

OP void weigh_inputs_in_motion(evaluation e, uint rule, uint kind) {
    real own = load_weight(e, LOAD(e.program, rule + MOTION_RULE_OWN));
    uint by = LOAD(e.program, rule + MOTION_RULE_BY);
    uint result = LOAD(e.program, rule + MOTION_RULE_RESULT);
    if (kind == MOTION_RULE_SUM) {
        uint count = LOAD(e.program, rule + MOTION_RULE_COUNT);
        real inverse = load_weight(e, by + count + 1u);
        for (uint i = 0u; i < count; i++) {
            store_weight(e, result + i, snap(own * (load_weight(e, by + i) * inverse)));
        }
    } else {
        real share = load_weight(e, by) * LOAD_FLOAT(e.program, rule + MOTION_RULE_FACTOR);
        if (kind == MOTION_RULE_BLEND) {
            store_weight(e, result, snap(own * (1.0f - share)));
            result = result + 1u;
        }
        store_weight(e, result, snap(own * share));
    }
}

// Computes all motion weights of a character.
OP_NOINLINE void weigh_motions(evaluation e) {
    uint rule = LOAD(e.program, PROGRAM_MOTION_RULES);
    uint end = rule + LOAD(e.program, PROGRAM_MOTION_RULE_COUNT) * MOTION_RULE_WORDS;
    for (; rule < end; rule += MOTION_RULE_WORDS) {
        uint kind = LOAD(e.program, rule + MOTION_RULE_KIND);
        uint result = LOAD(e.program, rule + MOTION_RULE_RESULT);
        switch (kind) {
        case ROOT_RULE_CLIP:
            store_weight(e, result, weigh_chosen_clip(e, rule));
            break;
        case ROOT_RULE_PARTIAL:
            blend_partial_root(e, rule);
            break;
        case ROOT_RULE_LAYERS:
            share_layers(e, rule);
            break;
        case ROOT_RULE_PROFILES:
            if (USES_PROFILES) {
                share_states(e, rule);
            }
            break;
        case ROOT_RULE_SUM:
            store_weight(e, result, weigh_summed_root(e, rule));
            break;
        default:
            weigh_inputs_in_motion(e, rule, kind);
            break;
        }
    }
}

#endif
