// A program on its way from its descriptor to its block: checked, then emitted twice, to count and to write.
#ifndef LIMBER_SRC_PROGRAM_COMPILER_H
#define LIMBER_SRC_PROGRAM_COMPILER_H

#include "program.h"

#define LMB_MOST_INSTRUCTIONS (1u << 16)

// A row of the table of operations.
typedef struct lmb_operation {
    const char *name;
    uint32_t code; // of the instruction; of the first one where there are several
    uint32_t least_inputs;
    uint32_t most_inputs;
    bool fold;
    bool wrap;
    uint32_t takes; // TAKES_... bits; operands that it does not take are ignored
} lmb_operation;

// By its public number, which is below LMB_OP_COUNT.
const lmb_operation *lmb_find_operation(lmb_op op);

typedef struct lmb_compiler {
    const lmb_program_def *def;
    lmb_error *error;
    uint32_t *block; // NULL while counting
    uint32_t instruction_count;
    uint32_t data;       // offset of what instructions refer to
    uint32_t data_words; // of it so far
    uint32_t masks;      // offset of the first mask
    uint32_t mask_words;
    uint32_t depth; // poses held so far
    uint32_t deepest;
    uint32_t wraps; // operations that change the joint around the place so far
    uint32_t most_wraps;
    uint32_t pose_count;
    bool uses_curves;
} lmb_compiler;

// Everything that can be wrong with a descriptor but for its sizes.
lmb_result lmb_program_check_def(const lmb_compiler *c);

// Emits all nodes from the last one on. Fails where there are too many instructions or too deep a stack.
lmb_result lmb_program_emit(lmb_compiler *c);

#endif
