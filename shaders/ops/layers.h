// Layers by priority: what each input of the operation weighs, from the fades of all. Included by operations.h.
#ifndef LMB_OPS_LAYERS_H
#define LMB_OPS_LAYERS_H

// An input's fade, in [0, 1]; NaN is 0.
OP real load_fade(frame f, uint value) {
    real given = load_plain_value(f, value);
    real shaped = shape_value(f, value, snap(given));
    return clamp_real(shaped, 0.0f, 1.0f);
}

// Where the sums of layers stand, on the way down.
STRUCT(layer_sums)
real left; // of the whole, by the layers above
real sum;  // of the fades in this one
END_STRUCT(layer_sums)

// What a layer of that sum leaves to those below.
OP real leave_below(layer_sums so_far) {
    return so_far.left * (1.0f - LESSER(so_far.sum, 1.0f));
}

OP layer_sums sum_layers(frame f, uint table, uint end) {
    layer_sums so_far;
    so_far.left = ALL(1.0f);
    so_far.sum = ALL(0.0f);
    uint layer = LOAD(f.program, table + 1u);
    for (uint i = 0u; i < end; i++) {
        uint own = LOAD(f.program, table + 2u * i + 1u);
        if (own != layer) {
            so_far.left = leave_below(so_far);
            so_far.sum = ALL(0.0f);
            layer = own;
        }
        real fade = load_fade(f, LOAD(f.program, table + 2u * i));
        so_far.sum = so_far.sum + fade;
    }
    return so_far;
}

// What an input weighs: its fade, over the sum of its layer's where that exceeds 1, of what the layers above leave; the rest
// pose, which has no value, what all of them leave.
OP prepared prepare_layer(frame f, uint instruction) {
    prepared p = prepare_nothing(f, instruction);
    uint value = LOAD(f.program, instruction + WEIGHT_VALUE);
    layer_sums sums =
        sum_layers(f, LOAD(f.program, instruction + LAYERS_TABLE), LOAD(f.program, instruction + LAYERS_END));
    real share = leave_below(sums);
    if (value != 0u) {
        REFUSE(f, REFUSED_WEIGHT, BOTH(JOINT_IS_FIRST(f), is_nan(load_plain_value(f, value))));
        real part = SELECT(sums.sum > 1.0f, reciprocal(sums.sum), ALL(1.0f));
        real fade = load_fade(f, value);
        share = (fade * part) * sums.left;
    }
    p.weight = snap_small(share);
    return p;
}

OP fold_sums layers_begin(void) {
    return weighted_begin();
}

OP fold_sums layers_accumulate(frame f, uint instruction, fold_sums so_far, transform a) {
    prepared p = PREPARED(f, instruction, prepare_layer);
    return accumulate_pose(so_far, a, p.weight);
}

OP transform layers_end(frame f, uint instruction, fold_sums all) {
    return weighted_end(f, instruction, all);
}

#endif
