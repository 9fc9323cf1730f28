// What an instruction of any kind prepares for a character, after the table of operations.
#ifndef LMB_OPS_PREPARE_H
#define LMB_OPS_PREPARE_H

#include "operations.h"

#define PREPARE(NAME, name, code, prepare, takes)                                                                      \
    case code:                                                                                                         \
        p = prepare(f, at);                                                                                            \
        break;

#define PREPARE_FOLD(NAME, name, code, prepare, takes)                                                                 \
    case code + 1u:                                                                                                    \
        p = prepare(f, at);                                                                                            \
        break;

#define PREPARE_WRAP(NAME, name, code, prepare, takes) PREPARE_FOLD(NAME, name, code, prepare, takes)

// With joint 0, where refusals are counted.
OP prepared prepare_instruction(frame f, uint at) {
    prepared p = prepare_nothing(f, at);
    switch (LOAD(f.program, at + INSTRUCTION_OPERATION)) {
        EVERY_INSTRUCTION(PREPARE, PREPARE, PREPARE, PREPARE_FOLD, PREPARE_WRAP)
    default:
        break;
    }
    return p;
}

#endif
