// Events that a control emits to its host, with weights, in the order in which they occurred.
#ifndef LMB_OPS_EMITTED_H
#define LMB_OPS_EMITTED_H

#include "control_memory.h"

// Emits an event several times. Events for which there is no room are only counted.
OP_NOINLINE void emit_times(control c, uint event, real weight, uint times) {
    if (event == CONTROL_NONE || !c.emits_events) {
        return;
    }
    uint capacity = LOAD(c.block, CONTROL_EMITTED_CAPACITY);
    uint count = LOAD(c.emitted, EMITTED_AT(c, 0u));
    uint room = capacity > count ? capacity - count : 0u;
    uint kept = times < room ? times : room;
    for (address i = 0u; i < kept; i++) {
        STORE(c.emitted, EMITTED_AT(c, 1u + 2u * (count + i)), event);
        STORE(c.emitted, EMITTED_AT(c, 2u + 2u * (count + i)), BITS(weight));
    }
    STORE(c.emitted, EMITTED_AT(c, 0u), count + times);
    set_state_word(c, CHARACTER_LOST_EVENTS, state_word(c, CHARACTER_LOST_EVENTS) + (times - kept));
}

OP void emit(control c, uint event, real weight) {
    emit_times(c, event, weight, 1u);
}

#endif
