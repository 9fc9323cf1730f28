// Parameters by which a control triggers inertialization in the pose kernels.
#ifndef LMB_OPS_INERTIA_TRIGGER_H
#define LMB_OPS_INERTIA_TRIGGER_H

#include "control_memory.h"

OP address inertia_state(control c) {
    return LOAD(c.block, LOAD(c.block, CONTROL_INERTIA) + INERTIAL_STATE);
}

// Advances the clock of inertialization. In an update the frame number increases; between updates it stays, and only
// time advances.
OP_NOINLINE void move_inertia(control c) {
    address at = inertia_state(c);
    ticks step = fine_of_ticks(c.step);
    if (c.updates) {
        set_state_word(c, at + INERTIAL_NUMBER, (state_word(c, at + INERTIAL_NUMBER) + 1u) & INERTIA_LAST_NUMBER);
        set_state_word(c, at + INERTIAL_STEP_BEFORE, state_word(c, at + INERTIAL_STEP));
        set_state_word(c, at + INERTIAL_STEP, BITS(seconds_of_fine(step)));
    }
    if (state_number(c, at + INERTIAL_DURATION) > 0.0f) {
        set_state_ticks(c, at + INERTIAL_TIME, add_ticks(state_ticks(c, at + INERTIAL_TIME), step));
    }
    if (!(seconds_of_fine(state_ticks(c, at + INERTIAL_TIME)) < state_number(c, at + INERTIAL_DURATION))) {
        set_state_word(c, at + INERTIAL_DURATION, 0u);
        set_state_ticks(c, at + INERTIAL_TIME, make_ticks(0u, 0u));
    }
}

// Triggers inertialization, which starts from the previous frame. If there are several triggers in a frame, the longest
// duration counts.
OP_NOINLINE void switch_inertia(control c, real duration) {
    address at = inertia_state(c);
    uint number = state_word(c, at + INERTIAL_NUMBER);
    bool again = state_word(c, at + INERTIAL_SWITCHED) == number;
    real longest = state_number(c, at + INERTIAL_DURATION);
    if (!again || duration > longest) {
        longest = duration;
    }
    set_state_word(c, at + INERTIAL_SWITCHED, number);
    set_state_word(c, at + INERTIAL_DURATION, BITS(longest));
    set_state_ticks(c, at + INERTIAL_TIME, fine_of_ticks(c.step));
}

OP_NOINLINE void write_inertia(control c) {
    address at = inertia_state(c);
    uint first = LOAD(c.block, LOAD(c.block, CONTROL_INERTIA) + INERTIAL_PARAMETER);
    real number = TO_REAL(state_word(c, at + INERTIAL_NUMBER));
    real switched = TO_REAL(state_word(c, at + INERTIAL_SWITCHED));
    write_parameter(c, first + INERTIA_NUMBER, number);
    write_parameter(c, first + INERTIA_STEP, state_number(c, at + INERTIAL_STEP_BEFORE));
    write_parameter(c, first + INERTIA_SWITCHED, switched);
    write_parameter(c, first + INERTIA_TIME, seconds_of_fine(state_ticks(c, at + INERTIAL_TIME)));
    write_parameter(c, first + INERTIA_DURATION, state_number(c, at + INERTIAL_DURATION));
}

#endif
