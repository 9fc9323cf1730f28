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
    real given = load_value(e, READ(e.program, rule, MOTION_RULE, by));
    real chosen = FLOOR(snap(given));
    lane_mask known = AND(chosen >= 0.0f, chosen < FLOAT_OF(HEADER(e.program, PROGRAM, clip_count)));
    known = AND(known, is_finite(given));
    real weight = SPLAT(WEIGHT_PRESENT);
    if (ANY(known)) {
        word clip = TO_WORD(SELECT(known, chosen, SPLAT(0.0f)));
        weight = SELECT(known, GATHER_REAL(e.program, READ(e.program, rule, MOTION_RULE, table) + clip), weight);
    }
    return weight;
}

// Stores the blend of a partial blend at joint 0, and the joint weight of the result.
OP void blend_partial_root(evaluation e, uint rule) {
    uint operands = READ(e.program, rule, MOTION_RULE, table);
    uint result = READ(e.program, rule, MOTION_RULE, result);
    real a = load_joint_weight(e, operands);
    real b = load_joint_weight(e, operands + WORDS_OF(JOINT_WEIGHT));
    lane_mask both = AND(a > 0.0f, b > 0.0f);
    real blend = SELECT(a > 0.0f, SPLAT(0.0f), SPLAT(1.0f));
    real weight = SELECT(a > 0.0f, a, b);
    if (ANY(both)) {
        blend = SELECT(both, partial_blend(load_weight(e, READ(e.program, rule, MOTION_RULE, by)), a, b), blend);
        weight = SELECT(both, partial_weight(blend, a, b), weight);
    }
    store_weight(e, result, blend);
    store_weight(e, result + 1u, weight);
}

// Stores the shares of layers at joint 0, as joint_share() computes them for each joint, and their sum, which is 1.
OP void share_layers(evaluation e, uint rule) {
    uint count = READ(e.program, rule, MOTION_RULE, count) - 1u;
    uint table = READ(e.program, rule, MOTION_RULE, table);
    uint result = READ(e.program, rule, MOTION_RULE, result);
    real left = SPLAT(1.0f);
    for (uint first = 0u; first < count;) {
        uint end = READ(e.program, table + first * WORDS_OF(LAYER), LAYER, end);
        float full = READ_FLOAT(e.program, table + first * WORDS_OF(LAYER), LAYER, full);
        real sum = SPLAT(0.0f);
        for (uint pass = 0u; pass < 2u; pass++) {
            real part = layer_part(sum, full);
            for (uint i = first; i < end; i++) {
                uint layer = table + i * WORDS_OF(LAYER);
                real fade = load_weight(e, READ(e.program, layer, LAYER, fade));
                fade = fade * READ_FLOAT(e.program, layer, LAYER, root);
                fade = share_of_weight(fade, load_joint_weight(e, layer + FIELD(LAYER, root_weight)));
                if (pass == 0u) {
                    sum = sum + fade;
                } else {
                    store_weight(e, result + READ(e.program, layer, LAYER, from), snap_small((fade * part) * left));
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
    uint shares = READ(e.program, rule, MOTION_RULE, by);
    uint states = READ(e.program, rule, MOTION_RULE, count);
    uint table = READ(e.program, rule, MOTION_RULE, table);
    uint result = READ(e.program, rule, MOTION_RULE, result);
    uint numbers = READ(e.program, table, PROFILES, numbers);
    real given = load_weight(e, numbers + PROFILED_WHICH(states));
    lane_mask fades = AND(given >= 1.0f, given <= FLOAT_OF(READ(e.program, table, PROFILES, count)));
    real progress = SPLAT(0.0f);
    if (ANY(fades)) {
        word which = SELECT_BITS(fades, TO_WORD(SELECT(fades, given, SPLAT(0.0f))));
        real part = load_weight(e, numbers + PROFILED_PART(states));
        progress = numbered_profile_share(e.program, table, READ(e.program, rule, MOTION_RULE, own), which, part);
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
    uint shares = READ(e.program, rule, MOTION_RULE, by);
    uint count = READ(e.program, rule, MOTION_RULE, count);
    uint operand = READ(e.program, rule, MOTION_RULE, table);
    real largest = SPLAT(-1.0f); // if no input counts
    for (uint i = 0u; i < count; i++) {
        real weight = load_joint_weight(e, operand);
        lane_mask counts = AND(load_weight(e, shares + i) > 0.0f, weight > largest);
        largest = SELECT(counts, weight, largest);
        operand = operand + WORDS_OF(JOINT_WEIGHT);
    }
    return SELECT(largest < 0.0f, SPLAT(WEIGHT_PRESENT), largest);
}

OP void weigh_inputs_in_motion(evaluation e, uint rule, uint kind) {
    real own = load_weight(e, READ(e.program, rule, MOTION_RULE, own));
    uint by = READ(e.program, rule, MOTION_RULE, by);
    uint result = READ(e.program, rule, MOTION_RULE, result);
    if (kind == MOTION_RULE_SUM) {
        uint count = READ(e.program, rule, MOTION_RULE, count);
        real inverse = load_weight(e, by + count + 1u);
        for (uint i = 0u; i < count; i++) {
            store_weight(e, result + i, snap(own * (load_weight(e, by + i) * inverse)));
        }
    } else {
        real share = load_weight(e, by) * READ_FLOAT(e.program, rule, SCALED_MOTION_RULE, factor);
        if (kind == MOTION_RULE_BLEND) {
            store_weight(e, result, snap(own * (1.0f - share)));
            result = result + 1u;
        }
        store_weight(e, result, snap(own * share));
    }
}

// Computes all motion weights of a character.
OP_NOINLINE void weigh_motions(evaluation e) {
    uint rule = HEADER(e.program, PROGRAM, motion_rules);
    uint end = rule + HEADER(e.program, PROGRAM, motion_rule_count) * WORDS_OF(MOTION_RULE);
    for (; rule < end; rule += WORDS_OF(MOTION_RULE)) {
        uint kind = READ(e.program, rule, MOTION_RULE, kind);
        uint result = READ(e.program, rule, MOTION_RULE, result);
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
