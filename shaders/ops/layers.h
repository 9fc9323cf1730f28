// Layers by priority: what each input has of the whole, from the fades of all. Included by weights.h.
#ifndef LMB_OPS_LAYERS_H
#define LMB_OPS_LAYERS_H

// An input's fade, in [0, 1]; NaN is 0.
OP real load_fade(frame f, uint value) {
    real given = load_plain_value(f, value);
    return clamp_real(shape_value(f, value, snap(given)), 0.0f, 1.0f);
}

// An input gets its fade, divided by the sum of its layer's fades if that exceeds 1, of what the layers above leave.
// The rest pose, the last input, gets what all of them leave.
OP void weigh_layers(frame f, uint rule) {
    uint count = LOAD(f.program, rule + RULE_COUNT) - 1u;
    uint table = LOAD(f.program, rule + RULE_TABLE);
    real left = ALL(1.0f);
    for (uint first = 0u; first < count;) {
        uint end = LOAD(f.program, table + first * LAYER_WORDS + LAYER_END);
        real sum = ALL(0.0f);
        for (uint i = first; i < end; i++) {
            uint value = LOAD(f.program, table + i * LAYER_WORDS + LAYER_VALUE);
            REFUSE(f, REFUSED_WEIGHT, is_nan(load_plain_value(f, value)));
            sum = sum + load_fade(f, value);
        }
        real part = SELECT(sum > 1.0f, reciprocal(sum), ALL(1.0f));
        for (uint i = first; i < end; i++) {
            uint layer = table + i * LAYER_WORDS;
            real fade = load_fade(f, LOAD(f.program, layer + LAYER_VALUE));
            store_share(f, rule, LOAD(f.program, layer + LAYER_INPUT), snap_small((fade * part) * left));
        }
        left = left * (1.0f - LESSER(sum, 1.0f));
        first = end;
    }
    store_share(f, rule, count, snap_small(left));
}

#endif
