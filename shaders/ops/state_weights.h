// Weights of the states of machines, in a character's state.
#ifndef LMB_OPS_STATE_WEIGHTS_H
#define LMB_OPS_STATE_WEIGHTS_H

#include "control_memory.h"

OP address machine_at(control c, address machine) {
    return LOAD(c.block, machine + MACHINE_STATE);
}

OP address state_weight_at(control c, address machine, address state) {
    return machine_at(c, machine) + MACHINE_WEIGHTS + state * MACHINE_STATE_WEIGHT_WORDS;
}

OP real state_weight(control c, address machine, address state) {
    return state_number(c, state_weight_at(c, machine, state));
}

// A state's total weight: the product of its weight in its machine and of the weights of the states that contain the
// machine. 1 if there is no machine.
OP real whole_weight(control c, address machine, address state) {
    real weight = SPLAT(1.0f);
    for (address level = 0u; level < MOST_MACHINES_WITHIN && machine != CONTROL_NONE; level++) {
        weight = weight * state_weight(c, machine, state);
        state = LOAD(c.block, machine + MACHINE_OUTER_STATE);
        machine = LOAD(c.block, machine + MACHINE_OUTER);
    }
    return snap(weight);
}

#endif
