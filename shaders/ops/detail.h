// Levels of detail: a character's level, and which joints it leaves at rest. For programs that have them.
#ifndef LMB_OPS_DETAIL_H
#define LMB_OPS_DETAIL_H

#include "records.h"

// The character's, a whole number.
OP real detail_level(frame f) {
    return load_weight(f, LOAD(f.program, LOAD(f.program, PROGRAM_DETAIL) + DETAIL_WEIGHT));
}

// The first so many joints of the order are all that a level computes.
OP uint detail_count(memory program, uint level) {
    return LOAD(program, LOAD(program, PROGRAM_DETAIL) + DETAIL_COUNTS + level);
}

OP uint detail_joint(memory program, uint place) {
    return LOAD(program, LOAD(program, PROGRAM_DETAIL) + DETAIL_ORDER + place);
}

OP truth joint_is_dropped(memory program, uint joint, real level) {
    uint last_levels = LOAD(program, PROGRAM_DETAIL) + DETAIL_ORDER + LOAD(program, PROGRAM_JOINTS);
    return load_byte(program, last_levels, joint) < level;
}

#endif
