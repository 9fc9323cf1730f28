// Layers by priority: what each input has of the whole, from the fades of all. Included by weights.h.
#ifndef LMB_OPS_LAYERS_H
#define LMB_OPS_LAYERS_H

// An input gets its fade, divided by the sum of its layer's fades if that exceeds 1, of what the layers above leave. The rest
// pose, the last input, gets what all of them leave.
OP void weigh_layers(frame f, uint rule) {
    uint count = LOAD(f.program, rule + RULE_COUNT) - 1u;
    uint table = LOAD(f.program, rule + RULE_TABLE);
    uint shares = LOAD(f.program, rule + RULE_LOCAL);
    real left = ALL(1.0f);
    for (uint first = 0u; first < count;) {
        uint end = LOAD(f.program, table + first * LAYER_WORDS + LAYER_END);
        real sum = ALL(0.0f);
        for (uint i = first; i < end; i++) {
            uint layer = table + i * LAYER_WORDS;
            real fade = clamp_real(load_number(f, LOAD(f.program, layer + LAYER_VALUE)), 0.0f, 1.0f);
            store_share(f, rule, LOAD(f.program, layer + LAYER_INPUT), fade);
            sum = sum + fade;
        }
        real part = SELECT(sum > 1.0f, reciprocal(sum), ALL(1.0f));
        for (uint i = first; i < end; i++) {
            uint which = LOAD(f.program, table + i * LAYER_WORDS + LAYER_INPUT);
            real fade = load_weight(f, shares + which);
            store_share(f, rule, which, snap_small((fade * part) * left));
        }
        left = left * (1.0f - LESSER(sum, 1.0f));
        first = end;
    }
    store_share(f, rule, count, snap_small(left));
}

#endif
