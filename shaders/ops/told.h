// What a control tells its host: events with weights, in the order in which they came about.
#ifndef LMB_OPS_TOLD_H
#define LMB_OPS_TOLD_H

#include "control_memory.h"

// What is told to the host. Where there is no room it is counted.
OP_APART void tell_times(control c, uint event, real weight, uint times) {
    if (event == CONTROL_NONE || !c.tells) {
        return;
    }
    uint capacity = LOAD(c.block, CONTROL_TOLD_CAPACITY);
    uint count = LOAD(c.told, TOLD_AT(c, 0u));
    uint room = capacity > count ? capacity - count : 0u;
    uint kept = times < room ? times : room;
    for (address i = 0u; i < kept; i++) {
        STORE(c.told, TOLD_AT(c, 1u + 2u * (count + i)), event);
        STORE(c.told, TOLD_AT(c, 2u + 2u * (count + i)), BITS(weight));
    }
    STORE(c.told, TOLD_AT(c, 0u), count + times);
    set_state_word(c, CHARACTER_TOLD_LOST, state_word(c, CHARACTER_TOLD_LOST) + (times - kept));
}

OP void tell(control c, uint event, real weight) {
    tell_times(c, event, weight, 1u);
}

#endif
