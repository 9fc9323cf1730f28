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

// Where a character's rows begin: the CPU finds them beforehand.
#ifdef LMB_GLSL
#define STATE_AT(c, index) ((c).state_at + (index))
#define ROW_AT(c, index) ((c).row + (index))
#define TOLD_AT(c, index) ((c).told_at + (index))
#define MOVER_AT(c, index) ((c).mover_at + (index))
#else
#define STATE_AT(c, index) (index)
#define ROW_AT(c, index) (index)
#define TOLD_AT(c, index) (index)
#define MOVER_AT(c, index) (index)
#endif

// A character in a frame.
STRUCT(control)
memory block;
mutable_memory state;
mutable_memory parameters;
mutable_memory told;
mutable_memory movers; // where renderers read them
#ifdef LMB_GLSL
uint state_at;
uint row;
uint told_at;
uint mover_at;
#endif
bool tells;
bool shows;
memory sent;     // events: character, event; sorted by character
uint sent_first; // the character's
uint sent_count;
uint number;    // frame number plus character
ticks duration; // of the step, in ticks
END_STRUCT(control)

OP uint state_word(control c, address index) {
    return LOAD(c.state, STATE_AT(c, index));
}

OP void set_state_word(control c, address index, uint value) {
    STORE(c.state, STATE_AT(c, index), value);
}

OP real state_number(control c, address index) {
    return REAL(state_word(c, index));
}

OP ticks state_ticks(control c, address index) {
    return load_ticks(c.state, STATE_AT(c, index));
}

OP void set_state_ticks(control c, address index, ticks value) {
    store_ticks(c.state, STATE_AT(c, index), value);
}

OP ticks block_ticks(control c, address index) {
    return load_ticks(c.block, index);
}

OP void write_parameter(control c, address parameter, real value) {
    if (parameter != CONTROL_NONE) {
        STORE(c.parameters, ROW_AT(c, parameter), BITS(value));
    }
}

// A value as an instruction's: a constant or a parameter, shaped. May be anything that a float can be.
OP real control_number(control c, address value) {
    address parameter = LOAD(c.block, value);
    real x = LOAD_FLOAT(c.block, value + 1u);
    if (parameter != CONTROL_NONE) {
        x = LOAD_FLOAT(c.parameters, ROW_AT(c, parameter));
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
