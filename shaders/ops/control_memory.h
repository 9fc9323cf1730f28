// What the control of a character reads and writes: the block, the character's state, its row of parameters.
#ifndef LMB_OPS_CONTROL_MEMORY_H
#define LMB_OPS_CONTROL_MEMORY_H

#include "control_layout.h"
#include "curve.h"

// Whether there can be a mover: a kernel without one is a good deal smaller.
#if defined(LMB_GLSL) && defined(LMB_PLAIN)
#define USES_MOVER false
#else
#define USES_MOVER true
#endif

// A character in a frame.
STRUCT(control)
memory block;
mutable_memory state;
uint state_at; // where the character's begins
mutable_memory parameters;
uint row;
mutable_memory told;
uint told_at;
bool tells;
mutable_memory movers; // where renderers read them
uint mover_at;
bool shows;
memory sent;     // events: character, event; sorted by character
uint sent_first; // the character's
uint sent_count;
uint number;    // frame number plus character
ticks duration; // of the step, in ticks
END_STRUCT(control)

OP uint state_word(control c, uint index) {
    return LOAD(c.state, c.state_at + index);
}

OP void set_state_word(control c, uint index, uint value) {
    STORE(c.state, c.state_at + index, value);
}

OP real state_number(control c, uint index) {
    return REAL(state_word(c, index));
}

OP ticks state_ticks(control c, uint index) {
    return make_ticks(state_word(c, index), state_word(c, index + 1u));
}

OP void set_state_ticks(control c, uint index, ticks value) {
    set_state_word(c, index, value.low);
    set_state_word(c, index + 1u, value.high);
}

OP ticks block_ticks(control c, uint index) {
    return make_ticks(LOAD(c.block, index), LOAD(c.block, index + 1u));
}

OP void write_parameter(control c, uint parameter, real value) {
    if (parameter != CONTROL_NONE) {
        STORE(c.parameters, c.row + parameter, BITS(value));
    }
}

// A value as an instruction's: a constant or a parameter, shaped. May be anything that a float can be.
OP real control_number(control c, uint value) {
    uint parameter = LOAD(c.block, value);
    real x = LOAD_FLOAT(c.block, value + 1u);
    if (parameter != CONTROL_NONE) {
        x = LOAD_FLOAT(c.parameters, c.row + parameter);
    }
    uint curve = LOAD(c.block, value + 2u);
    if (curve != CURVE_LINEAR && is_finite(x)) {
        real bounded = clamp_real(snap(x), 0.0f, 1.0f);
        real shaped = shape_number(curve, LOAD_FLOAT(c.block, value + 3u), LOAD_FLOAT(c.block, value + 4u), bounded);
        x = snap(shaped);
    }
    return x;
}

#endif
