// Layers by priority: computes the share of each input from the fades of all. Included by weights.h.
#ifndef LMB_OPS_LAYERS_H
#define LMB_OPS_LAYERS_H

// An input's fade, in [0, 1]. NaN becomes 0.
OP real load_fade(frame f, uint value) {
    real given = load_plain_value(f, value);
    return clamp_real(apply_curve(f, value, snap(given)), 0.0f, 1.0f);
}

// The share of an input is its fade, divided by the sum of its layer's fades if that exceeds 1, times what the layers
// above leave. The rest pose, the last input, has the share that all layers leave. joint_share() does the same for a
// single joint. If shares differ by joint, an input's weight is the maximum that any joint can have, and only the fade
// that every joint has reduces the other inputs.
OP void weigh_layers(frame f, uint rule, bool by_joint) {
    uint count = LOAD(f.program, rule + RULE_COUNT) - 1u;
    uint table = LOAD(f.program, rule + RULE_TABLE);
    real own = load_weight(f, LOAD(f.program, rule + RULE_OWN));
    real left = SPLAT(1.0f);
    for (uint first = 0u; first < count;) {
        uint end = LOAD(f.program, table + first * LAYER_WORDS + LAYER_END);
        real sum = SPLAT(0.0f);
        for (uint i = first; i < end; i++) {
            uint layer = table + i * LAYER_WORDS;
            uint value = LOAD(f.program, layer + LAYER_VALUE);
            REFUSE(f, REFUSED_WEIGHT, is_nan(load_plain_value(f, value)));
            sum = sum + load_fade(f, value) * LOAD_FLOAT(f.program, layer + LAYER_COVERS);
        }
        real part = layer_part(sum);
        for (uint i = first; i < end; i++) {
            uint layer = table + i * LAYER_WORDS;
            uint which = LOAD(f.program, layer + LAYER_INPUT);
            real fade = load_fade(f, LOAD(f.program, layer + LAYER_VALUE));
            real share = snap_small(((fade * LOAD_FLOAT(f.program, layer + LAYER_SHARE)) * part) * left);
            if (by_joint) {
                store_share(f, rule, which, fade);
                store_weight(f, LOAD(f.program, rule + RULE_INPUTS) + which, weight_below(own, share));
            } else {
                store_share(f, rule, which, share);
            }
        }
        left = layer_rest(left, sum);
        first = end;
    }
    // If shares differ by joint, each joint computes the remaining share and the sum of shares itself.
    store_share(f, rule, count, by_joint ? SPLAT(1.0f) : snap_small(left));
    if (by_joint) {
        store_share(f, rule, count + 1u, SPLAT(1.0f));
    }
}

#endif
