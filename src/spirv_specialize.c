// Removes the code of a module that its boolean specialisation constants disable, and the functions that nothing calls.
//
// Two kinds of facts are found in turn until neither changes: which boolean ids have only one value (the constants,
// logic on known ids, and a phi whose live edges agree), and which blocks can be reached (a branch on a known id goes
// one way). At first no id is known and every block is reached. Then a new module is written: a decided branch loses
// its other target and its selection merge, a phi loses its dead edges, and unreached blocks are left out. An unreached
// merge block that a kept merge instruction names stays as an empty block.
#include "spirv.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

typedef enum known_value { NOT_KNOWN, KNOWN_FALSE, KNOWN_TRUE } known_value;

typedef struct block {
    size_t at;         // of its label
    size_t merge;      // of its merge instruction, or 0
    size_t terminator; // of its last instruction
    uint32_t function; // its index
    bool reached;
    bool named; // a merge instruction that is kept names it
} block;

typedef struct function {
    uint32_t id;
    uint32_t first_block;
    uint32_t block_end;
    bool reached;
} function;

typedef struct folding {
    const uint32_t *words;
    size_t count;
    const uint32_t *constants;
    uint32_t constant_count;
    uint8_t *values;   // known_value of each id
    uint8_t *dropped;  // [id]: whether its definition is removed
    uint32_t *indices; // [id]: index of a label's block or of a function, plus 1
    block *blocks;
    uint32_t block_count;
    function *functions;
    uint32_t function_count;
    uint32_t *stack; // blocks to visit
    uint32_t entry;  // the function at which the module starts
    size_t bad;      // an instruction with an id that is out of bounds, or 0
} folding;

// Returns the id at a word. If it is out of bounds, records the error and returns 0.
static uint32_t id_at(folding *f, size_t at) {
    if (f->words[at] >= f->words[SPIRV_BOUND]) {
        f->bad = at;
        return 0;
    }
    return f->words[at];
}

static bool is_terminator(uint32_t op) {
    return op >= SpvOpBranch && op <= SpvOpUnreachable;
}

// Returns the position of the id that an instruction of a function defines, relative to the instruction; 0 for none.
static size_t defined_at(const uint32_t *words) {
    const uint32_t op = spirv_opcode(words[0]);
    const bool defines = spirv_length(words[0]) > 2 && !(op >= SpvOpStore && op <= SpvOpCopyMemorySized) &&
                         op != SpvOpLine && op != SpvOpControlBarrier && op != SpvOpMemoryBarrier &&
                         op != SpvOpAtomicStore && !(op >= SpvOpLoopMerge && op <= SpvOpLifetimeStop);
    return op == SpvOpLabel ? 1 : defines ? 2 : 0;
}

// ---- The module's blocks, functions and constants. ----

static void count_joint_maps(folding *f) {
    for (size_t at = SPIRV_HEADER_WORDS; at < f->count; at += spirv_length(f->words[at])) {
        f->block_count += spirv_opcode(f->words[at]) == SpvOpLabel;
        f->function_count += spirv_opcode(f->words[at]) == SpvOpFunction;
    }
}

static void find_parts(folding *f) {
    uint32_t blocks = 0, functions = 0;
    for (size_t at = SPIRV_HEADER_WORDS; at < f->count; at += spirv_length(f->words[at])) {
        const uint32_t op = spirv_opcode(f->words[at]);
        block *last = blocks > 0 ? &f->blocks[blocks - 1] : NULL;
        if (op == SpvOpFunction) {
            f->functions[functions] = (function){id_at(f, at + 2), blocks, blocks, false};
            f->indices[id_at(f, at + 2)] = ++functions;
        } else if (op == SpvOpLabel && functions > 0) {
            f->blocks[blocks] = (block){.at = at, .terminator = at, .function = functions - 1};
            f->indices[id_at(f, at + 1)] = ++blocks;
            f->functions[functions - 1].block_end = blocks;
        } else if (last != NULL && (op == SpvOpLoopMerge || op == SpvOpSelectionMerge)) {
            last->merge = at;
        } else if (last != NULL && is_terminator(op)) {
            last->terminator = at;
        } else if (op == SpvOpEntryPoint) {
            f->entry = id_at(f, at + 2);
        } else if (op == SpvOpFunctionCall) {
            id_at(f, at + 3);
        } else if (op == SpvOpName || op == SpvOpMemberName || op == SpvOpDecorate || op == SpvOpMemberDecorate) {
            id_at(f, at + 1);
        }
        if (functions > 0 && defined_at(f->words + at) != 0) {
            id_at(f, at + defined_at(f->words + at));
        }
    }
}

// Finds the values of the constants. A decoration gives the constant_id of each.
static void find_constants(folding *f) {
    for (size_t at = SPIRV_HEADER_WORDS; at < f->count; at += spirv_length(f->words[at])) {
        const uint32_t op = spirv_opcode(f->words[at]);
        if (op == SpvOpConstantTrue || op == SpvOpSpecConstantTrue) {
            f->values[id_at(f, at + 2)] = KNOWN_TRUE;
        } else if (op == SpvOpConstantFalse || op == SpvOpSpecConstantFalse) {
            f->values[id_at(f, at + 2)] = KNOWN_FALSE;
        }
    }
    for (size_t at = SPIRV_HEADER_WORDS; at < f->count; at += spirv_length(f->words[at])) {
        if (spirv_opcode(f->words[at]) == SpvOpDecorate && spirv_length(f->words[at]) == 4 &&
            f->words[at + 2] == SpvDecorationSpecId && f->words[at + 3] < f->constant_count) {
            uint8_t *value = &f->values[id_at(f, at + 1)];
            *value = *value == NOT_KNOWN ? NOT_KNOWN : f->constants[f->words[at + 3]] != 0 ? KNOWN_TRUE : KNOWN_FALSE;
        }
    }
}

// ---- Values and reached blocks. ----

// Finds the i-th block that a block may branch to. Returns false if there are fewer.
static bool successor(folding *f, const block *from, uint32_t i, uint32_t *index) {
    const uint32_t *end = f->words + from->terminator;
    const uint32_t op = spirv_opcode(end[0]);
    size_t target = 0;
    if (op == SpvOpBranch) {
        target = i == 0 ? 1 : 0;
    } else if (op == SpvOpBranchConditional) {
        const uint8_t value = f->values[id_at(f, from->terminator + 1)];
        target = value == NOT_KNOWN ? (i < 2 ? 2 + i : 0) : i > 0 ? 0 : value == KNOWN_TRUE ? 2 : 3;
    } else if (op == SpvOpSwitch) {
        target = 2 + 2 * (size_t)i < spirv_length(end[0]) ? 2 + 2 * (size_t)i : 0;
    }
    *index = target == 0 ? 0 : f->indices[id_at(f, from->terminator + target)];
    return *index != 0 && (*index)-- <= f->block_count;
}

static bool goes_to(folding *f, const block *from, uint32_t block) {
    uint32_t next;
    for (uint32_t i = 0; successor(f, from, i, &next); i++) {
        if (next == block) {
            return true;
        }
    }
    return false;
}

static void visit(folding *f, uint32_t block, uint32_t *open) {
    if (!f->blocks[block].reached) {
        f->blocks[block].reached = true;
        f->stack[(*open)++] = block;
    }
}

// Marks the reached blocks of a function. A loop's continue target is kept with its header, even if no branch goes to
// it.
static void mark_reached_blocks(folding *f, const function *of) {
    uint32_t open = 0, next;
    for (uint32_t i = of->first_block; i < of->block_end; i++) {
        f->blocks[i].reached = false;
    }
    if (of->first_block < of->block_end) {
        visit(f, of->first_block, &open);
    }
    while (open > 0) {
        const block *from = &f->blocks[f->stack[--open]];
        for (uint32_t i = 0; successor(f, from, i, &next); i++) {
            visit(f, next, &open);
        }
        if (from->merge != 0 && spirv_opcode(f->words[from->merge]) == SpvOpLoopMerge) {
            const uint32_t index = f->indices[id_at(f, from->merge + 2)];
            if (index > 0 && index <= f->block_count) {
                visit(f, index - 1, &open);
            }
        }
    }
}

// Returns whether the edge from the block with that label to `to` can be taken.
static bool is_live_edge(folding *f, size_t label_at, uint32_t to) {
    const uint32_t index = f->indices[id_at(f, label_at)];
    return index > 0 && index <= f->block_count && f->blocks[index - 1].reached &&
           goes_to(f, &f->blocks[index - 1], to);
}

static uint8_t phi_value(folding *f, size_t at, uint32_t block) {
    uint8_t value = NOT_KNOWN;
    for (size_t i = 3; i + 1 < spirv_length(f->words[at]); i += 2) {
        if (is_live_edge(f, at + i + 1, block)) {
            const uint8_t incoming = f->values[id_at(f, at + i)];
            if (incoming == NOT_KNOWN || (value != NOT_KNOWN && value != incoming)) {
                return NOT_KNOWN;
            }
            value = incoming;
        }
    }
    return value;
}

static uint8_t logic_value(uint32_t op, uint8_t a, uint8_t b) {
    const uint8_t decides = op == SpvOpLogicalOr ? KNOWN_TRUE : KNOWN_FALSE;
    if (op == SpvOpLogicalNot) {
        return a == NOT_KNOWN ? NOT_KNOWN : a == KNOWN_TRUE ? KNOWN_FALSE : KNOWN_TRUE;
    }
    return a == decides || b == decides ? decides : a == NOT_KNOWN || b == NOT_KNOWN ? NOT_KNOWN : a;
}

// Returns the value of the result of an instruction in `block`.
static uint8_t result_value(folding *f, size_t at, uint32_t block) {
    uint32_t op = spirv_opcode(f->words[at]);
    size_t operand = 3;
    if (op == SpvOpPhi) {
        return phi_value(f, at, block);
    }
    if (op == SpvOpSpecConstantOp) {
        op = f->words[at + 3];
        operand = 4;
    }
    const bool is_logic = op >= SpvOpLogicalOr && op <= SpvOpLogicalNot;
    const size_t operands = op == SpvOpLogicalNot ? 1 : 2;
    if (!is_logic || operand + operands > spirv_length(f->words[at])) {
        return NOT_KNOWN;
    }
    return logic_value(op, f->values[id_at(f, at + operand)],
                       operands == 2 ? f->values[id_at(f, at + operand + 1)] : (uint8_t)NOT_KNOWN);
}

// Goes over all instructions once. Returns whether it found new values.
static bool find_values(folding *f) {
    bool changed = false;
    uint32_t blocks = 0;
    for (size_t at = SPIRV_HEADER_WORDS; at < f->count; at += spirv_length(f->words[at])) {
        const uint32_t op = spirv_opcode(f->words[at]);
        blocks += op == SpvOpLabel;
        if (op == SpvOpPhi || op == SpvOpSpecConstantOp || (op >= SpvOpLogicalOr && op <= SpvOpLogicalNot)) {
            uint8_t *value = &f->values[id_at(f, at + 2)];
            if (*value == NOT_KNOWN && (blocks == 0 || f->blocks[blocks - 1].reached)) {
                *value = result_value(f, at, blocks - 1);
                changed = changed || *value != NOT_KNOWN;
            }
        }
    }
    return changed;
}

// Marks the functions that the entry point calls from reached blocks, directly or through others.
static void mark_reached_functions(folding *f) {
    for (bool more = true; more;) {
        more = false;
        uint32_t blocks = 0;
        for (size_t at = SPIRV_HEADER_WORDS; at < f->count; at += spirv_length(f->words[at])) {
            const uint32_t op = spirv_opcode(f->words[at]);
            blocks += op == SpvOpLabel;
            const bool runs =
                blocks > 0 && f->blocks[blocks - 1].reached && f->functions[f->blocks[blocks - 1].function].reached;
            const uint32_t id = op == SpvOpFunctionCall && runs ? id_at(f, at + 3)
                                : op == SpvOpEntryPoint         ? f->entry
                                                                : 0;
            const uint32_t index = f->indices[id];
            if (id != 0 && index > 0 && index <= f->function_count && f->functions[index - 1].id == id &&
                !f->functions[index - 1].reached) {
                f->functions[index - 1].reached = true;
                more = true;
            }
        }
    }
}

static bool is_decided(folding *f, const block *b) {
    return spirv_opcode(f->words[b->terminator]) == SpvOpBranchConditional &&
           f->values[id_at(f, b->terminator + 1)] != NOT_KNOWN;
}

// Marks blocks that kept merge instructions name, and ids whose definitions are removed.
static void mark_dropped(folding *f) {
    for (uint32_t i = 0; i < f->block_count; i++) {
        block *b = &f->blocks[i];
        b->reached = b->reached && f->functions[b->function].reached;
        if (b->reached && b->merge != 0 && (spirv_opcode(f->words[b->merge]) == SpvOpLoopMerge || !is_decided(f, b))) {
            const uint32_t index = f->indices[id_at(f, b->merge + 1)];
            if (index > 0 && index <= f->block_count) {
                f->blocks[index - 1].named = true;
            }
        }
    }
    uint32_t functions = 0, blocks = 0, first = 0;
    for (size_t at = SPIRV_HEADER_WORDS; at < f->count; at += spirv_length(f->words[at])) {
        if (spirv_opcode(f->words[at]) == SpvOpFunction) {
            first = blocks;
            functions++;
        }
        if (functions == 0) {
            continue;
        }
        const bool is_label = spirv_opcode(f->words[at]) == SpvOpLabel;
        blocks += is_label;
        const block *in = blocks > first ? &f->blocks[blocks - 1] : NULL;
        const bool kept = in == NULL ? f->functions[functions - 1].reached : in->reached || (is_label && in->named);
        const size_t defined = defined_at(f->words + at);
        if (!kept && defined != 0) {
            f->dropped[id_at(f, at + defined)] = true;
        }
    }
}

// ---- The new module. ----

static bool is_of_dropped(folding *f, size_t at) {
    const uint32_t op = spirv_opcode(f->words[at]);
    return (op == SpvOpName || op == SpvOpMemberName || op == SpvOpDecorate || op == SpvOpMemberDecorate) &&
           (f->dropped[id_at(f, at + 1)] || (op == SpvOpDecorate && f->words[at + 2] == SpvDecorationSpecId &&
                                             f->values[id_at(f, at + 1)] != NOT_KNOWN));
}

static size_t put(uint32_t *to, size_t at, const uint32_t *words, size_t count) {
    memcpy(to + at, words, count * sizeof *to);
    return at + count;
}

// Writes an instruction of a reached block. Returns where the next one goes.
static size_t write_instruction(folding *f, uint32_t *to, size_t written, size_t at, uint32_t block) {
    const uint32_t *words = f->words + at;
    const struct block *in = &f->blocks[block];
    if (spirv_opcode(words[0]) == SpvOpPhi) {
        const size_t head = written;
        written = put(to, written, words, 3);
        for (size_t i = 3; i + 1 < spirv_length(words[0]); i += 2) {
            written = is_live_edge(f, at + i + 1, block) ? put(to, written, words + i, 2) : written;
        }
        to[head] = (uint32_t)(written - head) << 16 | SpvOpPhi;
    } else if (at == in->terminator && is_decided(f, in)) {
        const uint32_t branch[2] = {2u << 16 | SpvOpBranch, words[f->values[id_at(f, at + 1)] == KNOWN_TRUE ? 2 : 3]};
        written = put(to, written, branch, 2);
    } else if (!(at == in->merge && spirv_opcode(words[0]) == SpvOpSelectionMerge && is_decided(f, in))) {
        written = put(to, written, words, spirv_length(words[0]));
    }
    return written;
}

// Returns the number of words written.
static size_t write_module(folding *f, uint32_t *to) {
    size_t written = put(to, 0, f->words, SPIRV_HEADER_WORDS);
    uint32_t functions = 0, blocks = 0, first = 0;
    for (size_t at = SPIRV_HEADER_WORDS; at < f->count; at += spirv_length(f->words[at])) {
        const uint32_t *words = f->words + at;
        const uint32_t op = spirv_opcode(words[0]);
        if (op == SpvOpFunction) {
            first = blocks;
            functions++;
        }
        blocks += op == SpvOpLabel && functions > 0;
        const block *in = blocks > first ? &f->blocks[blocks - 1] : NULL;
        if (functions > 0 && !f->functions[functions - 1].reached) {
            continue;
        }
        if (op == SpvOpSpecConstantTrue || op == SpvOpSpecConstantFalse) {
            const uint32_t value = f->values[id_at(f, at + 2)] == KNOWN_TRUE ? SpvOpConstantTrue : SpvOpConstantFalse;
            const uint32_t constant[3] = {3u << 16 | value, words[1], words[2]};
            written = put(to, written, constant, 3);
        } else if (in == NULL || op == SpvOpFunctionEnd) {
            written = is_of_dropped(f, at) ? written : put(to, written, words, spirv_length(words[0]));
        } else if (in->reached) {
            written = write_instruction(f, to, written, at, blocks - 1);
        } else if (in->named && op == SpvOpLabel) {
            const uint32_t end = 1u << 16 | SpvOpUnreachable;
            written = put(to, put(to, written, words, 2), &end, 1);
        }
    }
    return written;
}

static void release(const lmb_host *host, folding *f) {
    lmb_host_release(host, f->values);
    lmb_host_release(host, f->dropped);
    lmb_host_release(host, f->indices);
    lmb_host_release(host, f->blocks);
    lmb_host_release(host, f->functions);
    lmb_host_release(host, f->stack);
}

static bool allocate(const lmb_host *host, folding *f) {
    const size_t bound = (size_t)f->words[SPIRV_BOUND] + 1;
    f->values = lmb_host_allocate(host, bound, sizeof *f->values);
    f->dropped = lmb_host_allocate(host, bound, sizeof *f->dropped);
    f->indices = lmb_host_allocate(host, bound, sizeof *f->indices);
    f->blocks = lmb_host_allocate(host, (size_t)f->block_count + 1, sizeof *f->blocks);
    f->functions = lmb_host_allocate(host, (size_t)f->function_count + 1, sizeof *f->functions);
    f->stack = lmb_host_allocate(host, (size_t)f->block_count + 1, sizeof *f->stack);
    return f->values != NULL && f->dropped != NULL && f->indices != NULL && f->blocks != NULL && f->functions != NULL &&
           f->stack != NULL;
}

static void evaluate_constants(folding *f) {
    find_parts(f);
    find_constants(f);
    do {
        for (uint32_t i = 0; i < f->function_count; i++) {
            mark_reached_blocks(f, &f->functions[i]);
        }
    } while (find_values(f));
    mark_reached_functions(f);
    mark_dropped(f);
}

lmb_result lmb_spirv_specialize(const lmb_host *host, const uint32_t *words, size_t count, const uint32_t *constants,
                                uint32_t constant_count, lmb_spirv *result, lmb_error *error) {
    lmb_result checked = lmb_spirv_check_shape(words, count, error);
    if (checked != LMB_OK) {
        return checked;
    }
    folding f = {.words = words, .count = count, .constants = constants, .constant_count = constant_count};
    count_joint_maps(&f);
    uint32_t *copy = allocate(host, &f) ? lmb_host_allocate(host, count, sizeof *copy) : NULL;
    if (copy == NULL) {
        release(host, &f);
        return lmb_fail(error, LMB_ERROR_MEMORY, "SPIR-V: no memory for %zu words", count);
    }
    evaluate_constants(&f);
    *result = (lmb_spirv){copy, f.bad == 0 ? write_module(&f, copy) : 0};
    release(host, &f);
    if (f.bad != 0) {
        lmb_spirv_release(host, result);
        return lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: word %zu: an id is out of bounds", f.bad);
    }
    return LMB_OK;
}
