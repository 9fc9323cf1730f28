// Smoothed parameters: they follow a value with a half-life, or at a constant speed.
#ifndef LMB_OPS_SMOOTHED_H
#define LMB_OPS_SMOOTHED_H

#include "control_memory.h"

// The same for all characters.
STRUCT(smoothed)
control_value source;
float rate;
address state;
address parameter;
END_STRUCT(smoothed)

OP smoothed load_smoothed(memory block, address record) {
    smoothed s;
    s.source = load_control_value(block, record + FIELD(SMOOTHED, source));
    s.rate = READ_FLOAT(block, record, SMOOTHED, rate);
    s.state = READ(block, record, SMOOTHED, state);
    s.parameter = READ(block, record, SMOOTHED, parameter);
    return s;
}

// The part of the distance that is left after a step; at a constant speed, the distance of the step.
OP real find_decay(ticks step, smoothed own) {
    real halves = seconds_of_fine(fine_of_ticks(step)) * own.rate;
    return own.rate < 0.0f ? -halves : exponential2(-halves);
}

// Moves and writes a smoothed parameter. If its source is not finite, it stays.
OP void smooth_parameter(control c, smoothed own, real left) {
    real source = number_of_value(c, own.source);
    real x = state_number(c, own.state);
    lane_mask moves = AND(c.moves, is_finite(source));
    real target = snap(source);
    real moved = target;
    if (own.rate < 0.0f) {
        real beyond = SELECT(target < x, x - left, x + left);
        lane_mask arrives = SELECT(target < x, beyond, target) <= SELECT(target < x, target, beyond);
        moved = SELECT(OR(c.begins, arrives), target, snap(beyond));
    } else if (own.rate != 0.0f) {
        moved = SELECT(c.begins, target, snap(target + (x - target) * left));
    }
    x = SELECT(moves, moved, x);
    set_state_word(c, own.state, BITS(x));
    write_parameter(c, own.parameter, x);
}

#endif
