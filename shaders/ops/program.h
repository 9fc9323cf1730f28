// The evaluator: runs a program's instructions for one joint of one character. Poses lie in slots that
// STORE_SLOT(slot, transform) and LOAD_SLOT(slot) reach, which who evaluates defines.
#ifndef LMB_OPS_PROGRAM_H
#define LMB_OPS_PROGRAM_H

#include "operations.h"

#ifdef LMB_GLSL
#define SLOTS
#define STORE_SLOT(slot, pose) store_slot(slot, pose)
#define LOAD_SLOT(slot) load_slot(slot)
void store_slot(uint slot, transform pose);
transform load_slot(uint slot);
#else
#define SLOTS transform slots[STACK_POSES];
#define STORE_SLOT(slot, pose) slots[slot] = (pose)
#define LOAD_SLOT(slot) slots[slot]
#endif

#define EVALUATE_SOURCE(NAME, name, code, prepare, takes)                                                              \
    case code:                                                                                                         \
        STORE_SLOT(depth, name##_operation(f, at));                                                                    \
        depth = depth + 1u;                                                                                            \
        break;

#define EVALUATE_BINARY(NAME, name, code, prepare, takes)                                                              \
    case code:                                                                                                         \
        depth = depth - 1u;                                                                                            \
        STORE_SLOT(depth - 1u, name##_operation(f, at, LOAD_SLOT(depth - 1u), LOAD_SLOT(depth)));                      \
        break;

// The sums of a fold stand as two poses, `sums` below `notes`.
#define EVALUATE_FOLD(NAME, name, code, prepare, takes)                                                                \
    case code: {                                                                                                       \
        fold_sums none = name##_begin();                                                                               \
        STORE_SLOT(depth, none.sums);                                                                                  \
        STORE_SLOT(depth + 1u, none.notes);                                                                            \
        depth = depth + 2u;                                                                                            \
        break;                                                                                                         \
    }                                                                                                                  \
    case code + 1u: {                                                                                                  \
        fold_sums so_far;                                                                                              \
        so_far.sums = LOAD_SLOT(depth - 3u);                                                                           \
        so_far.notes = LOAD_SLOT(depth - 2u);                                                                          \
        fold_sums more = name##_accumulate(f, at, so_far, LOAD_SLOT(depth - 1u));                                      \
        STORE_SLOT(depth - 3u, more.sums);                                                                             \
        STORE_SLOT(depth - 2u, more.notes);                                                                            \
        depth = depth - 1u;                                                                                            \
        break;                                                                                                         \
    }                                                                                                                  \
    case code + 2u: {                                                                                                  \
        fold_sums all;                                                                                                 \
        all.sums = LOAD_SLOT(depth - 2u);                                                                              \
        all.notes = LOAD_SLOT(depth - 1u);                                                                             \
        STORE_SLOT(depth - 2u, name##_end(f, at, all));                                                                \
        depth = depth - 1u;                                                                                            \
        break;                                                                                                         \
    }

#ifndef LMB_GLSL
#define PREPARE(NAME, name, code, prepare, takes)                                                                      \
    case code:                                                                                                         \
        values[i] = prepare(f, at);                                                                                    \
        break;
#define PREPARE_FOLD(NAME, name, code, prepare, takes)                                                                 \
    case code + 1u:                                                                                                    \
        values[i] = prepare(f, at);                                                                                    \
        break;

// What each instruction prepares for a character (of each lane): for evaluate_program(), with joint 0.
OP void prepare_program(frame f, prepared *values) {
    uint instructions = LOAD(f.program, PROGRAM_INSTRUCTIONS);
    uint count = LOAD(f.program, PROGRAM_INSTRUCTION_COUNT);
    for (uint i = 0u; i < count; i++) {
        uint at = instructions + i * INSTRUCTION_WORDS;
        switch (LOAD(f.program, at + INSTRUCTION_OPERATION)) {
            OPERATIONS(PREPARE, PREPARE, PREPARE_FOLD)
        default:
            break;
        }
    }
}
#define NEXT_PREPARED(frame) (frame).now++
#else
#define NEXT_PREPARED(frame)
#endif

// The local transform. On the CPU `f.now` is the first of what prepare_program() wrote.
OP transform evaluate_program(frame f) {
    SLOTS
    uint depth = 0u;
    uint instructions = LOAD(f.program, PROGRAM_INSTRUCTIONS);
    uint count = LOAD(f.program, PROGRAM_INSTRUCTION_COUNT);
    for (uint i = 0u; i < count; i++) {
        uint at = instructions + i * INSTRUCTION_WORDS;
        switch (LOAD(f.program, at + INSTRUCTION_OPERATION)) {
            OPERATIONS(EVALUATE_SOURCE, EVALUATE_BINARY, EVALUATE_FOLD)
        default:
            break;
        }
        NEXT_PREPARED(f);
    }
    return LOAD_SLOT(0u);
}

#endif
