// Parameters computed from other values, as described at lmb_computed_def.
#ifndef LMB_OPS_COMPUTED_H
#define LMB_OPS_COMPUTED_H

#include "control_memory.h"

// Maps x from one range to another, exactly at both ends. Factors are snapped, so no product is below 2^-80.
OP real remap(real x, real from_low, real from_high, real to_low, real to_high) {
    bool has_passed = from_low <= from_high ? x >= from_high : x <= from_high;
    real share = snap(clamp_real((x - from_low) * reciprocal(from_high - from_low), 0.0f, 1.0f));
    return lerp(to_low, to_high, has_passed ? 1.0f : share);
}

// Inputs must be snapped. Kinds with fewer inputs do not use the last ones.
OP real compute(uint kind, real a, real b, real c, real d, real e) {
    real larger = a < b ? b : a;
    real y = a + b;
    if (kind == COMPUTED_SUBTRACT) {
        y = a - b;
    }
    if (kind == COMPUTED_MULTIPLY) {
        y = a * b;
    }
    if (kind == COMPUTED_MIN) {
        y = b < a ? b : a;
    }
    if (kind == COMPUTED_MAX) {
        y = larger;
    }
    if (kind == COMPUTED_CLAMP) {
        y = larger > c ? c : larger;
    }
    if (kind == COMPUTED_REMAP) {
        y = remap(a, b, c, d, e);
    }
    return snap(y);
}

// Writes the parameters of a phase, also for characters that do not move, because the host may overwrite the rows of
// parameters.
OP void write_computed(CHARACTERS all, uint phase) {
    memory block = CHARACTERS_BLOCK(all);
    address table = HEADER(block, CONTROL, alone) + HEADER(block, CONTROL, alone_count) + phase;
    address record = LOAD(block, table);
    address end = LOAD(block, table + 1u);
    for (; record < end; record += WORDS_OF(COMPUTED)) {
        uint kind = READ(block, record, COMPUTED, kind);
        uint count = READ(block, record, COMPUTED, input_count);
        address parameter = READ(block, record, COMPUTED, parameter);
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            real inputs[MOST_COMPUTED_INPUTS];
            for (uint k = 0u; k < MOST_COMPUTED_INPUTS; k++) {
                inputs[k] = 0.0f;
                if (k < count) {
                    inputs[k] = snap(control_number(c, record + FIELD(COMPUTED, inputs) + k * WORDS_OF(VALUE)));
                }
            }
            write_parameter(c, parameter, compute(kind, inputs[0], inputs[1], inputs[2], inputs[3], inputs[4]));
        }
    }
}

#endif
