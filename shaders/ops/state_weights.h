// Weights of the states of machines, in a character's state, and whether time passes in them.
#ifndef LMB_OPS_STATE_WEIGHTS_H
#define LMB_OPS_STATE_WEIGHTS_H

#include "control_memory.h"

OP address machine_at(control c, address machine) {
    return READ(c.block, machine, MACHINE, state);
}

OP address state_weight_at(control c, address machine, address state) {
    return machine_at(c, machine) + WORDS_OF(MACHINE_NOW) + state * WORDS_OF(STATE_WEIGHT);
}

OP real state_weight(control c, address machine, address state) {
    return state_number(c, state_weight_at(c, machine, state));
}

OP lane_mask is_frozen(control c, address machine, address state) {
    return (state_word(c, state_weight_at(c, machine, state) + FIELD(STATE_WEIGHT, began)) & MACHINE_FROZEN) != 0u;
}

// A state's total weight: the product of its weight in its machine and of the weights of the states that contain the
// machine. 1 if there is no machine.
OP real whole_weight(control c, address machine, address state) {
    real weight = SPLAT(1.0f);
    for (address level = 0u; level < MOST_MACHINES_WITHIN && machine != CONTROL_NONE; level++) {
        weight = weight * state_weight(c, machine, state);
        state = READ(c.block, machine, MACHINE, outer_state);
        machine = READ(c.block, machine, MACHINE, outer);
    }
    return snap(weight);
}

// Whether time passes in a state: it is current or has a weight, and neither it nor a state that contains it is frozen.
OP lane_mask state_moves(control c, address machine, uint state) {
    lane_mask moves = ALL_WORD(0u) == 0u;
    for (address level = 0u; level < MOST_MACHINES_WITHIN && machine != CONTROL_NONE && ANY(moves); level++) {
        lane_mask is_current = state_word(c, machine_at(c, machine) + FIELD(MACHINE_NOW, current)) == state;
        if (!ALL(is_current)) {
            // Most states that are not current have no weight.
            lane_mask seen = AND(state_weight(c, machine, state) > 0.0f, NOT(is_frozen(c, machine, state)));
            moves = AND(moves, OR(is_current, seen));
        }
        state = READ(c.block, machine, MACHINE, outer_state);
        machine = READ(c.block, machine, MACHINE, outer);
    }
    return moves;
}

// A state that owns players, or none. The same for all characters.
STRUCT(owning_state)
address machine;
uint state;
address current;   // offset in the state of the number of the machine's current state
address weight;    // offset in the state of this state's weight
bool is_outermost; // the machine is in no other
END_STRUCT(owning_state)

OP owning_state load_owner(memory block, address player) {
    owning_state h;
    h.machine = READ(block, player, PLAYER, machine);
    h.state = READ(block, player, PLAYER, machine_state);
    h.current = 0u;
    h.weight = 0u;
    h.is_outermost = false;
    if (h.machine != CONTROL_NONE) {
        address at = READ(block, h.machine, MACHINE, state);
        h.current = at + FIELD(MACHINE_NOW, current);
        h.weight = at + WORDS_OF(MACHINE_NOW) + h.state * WORDS_OF(STATE_WEIGHT);
        h.is_outermost = READ(block, h.machine, MACHINE, outer) == CONTROL_NONE;
    }
    return h;
}

// The same as state_moves(), which it calls only for the less simple cases.
OP lane_mask owner_moves(control c, owning_state h) {
    lane_mask moves = ALL_WORD(0u) == 0u;
    if (h.machine != CONTROL_NONE) {
        lane_mask is_current = state_word(c, h.current) == h.state;
        lane_mask is_simple = is_current;
        if (!h.is_outermost) {
            is_simple = ALL_WORD(0u) != 0u;
        }
        moves = OR(is_current, state_number(c, h.weight) > 0.0f);
        if (ANY(AND(moves, NOT(is_simple)))) {
            moves = OR(AND(moves, is_simple), state_moves(c, h.machine, h.state));
        }
    }
    return moves;
}

#endif
