// Removes the code of a module that its boolean specialisation constants and the words of a block disable, and the
// functions that nothing calls.
//
// Two kinds of facts are found in turn until neither changes: which ids of booleans and 32-bit integers have only one
// value (constants, words of the block at known places, operations on known ids, and a phi whose live edges agree), and
// which blocks can be reached (a branch on a known id goes one way). At first no id is known and every block is
// reached. Then a new module is written: an instruction with a known result becomes a constant with the same id, a
// decided branch loses its other target and its selection merge, a decided switch its other cases, a phi its dead
// edges, and unreached blocks are left out. An unreached merge block that a kept merge instruction names stays as an
// empty block.
#include "spirv.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

// What is known of an id.
typedef struct value {
    bool known;
    bool is_float;   // it is converted to a float bit by bit
    uint32_t number; // 0 or 1 for a boolean
} value;

static const value unknown = {0};

#define BEFORE_BLOCKS UINT32_MAX // in place of a block's index: before the first function

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
    size_t at;
    size_t end;
    uint32_t first_block;
    uint32_t block_end;
    bool reached;
    bool followed; // the functions that it calls are reached
} function;

typedef struct folding {
    const uint32_t *words;
    size_t count;
    const lmb_spirv_known *given;
    uint32_t bool_type, unsigned_type, signed_type, float_type;
    uint32_t *holders; // [id of a struct, or of a type that points to one]: 1 plus its member `program`, or 0
    value *values;     // [id]
    uint8_t *dropped;  // [id]: whether its definition is removed
    uint32_t *indices; // [id]: index of a label's block or of a function, plus 1
    uint32_t *places;  // [id]: of its definition in a function
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

// ---- The module's blocks, functions and constants. ----

static void count_parts(folding *f) {
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
            f->functions[functions] =
                (function){.id = id_at(f, at + 2), .at = at, .first_block = blocks, .block_end = blocks};
            f->indices[id_at(f, at + 2)] = ++functions;
        } else if (op == SpvOpLabel && functions > 0) {
            f->blocks[blocks] = (block){.at = at, .terminator = at, .function = functions - 1, .reached = true};
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
        if (functions > 0) {
            f->functions[functions - 1].end = at + spirv_length(f->words[at]);
        }
        if ((functions > 0 || op == SpvOpVariable) && lmb_spirv_defined_at(f->words + at) != 0) {
            f->places[id_at(f, at + lmb_spirv_defined_at(f->words + at))] = (uint32_t)at;
        }
    }
}

// Finds the types, and which integers become floats.
static void find_types(folding *f) {
    for (size_t at = SPIRV_HEADER_WORDS; at < f->count; at += spirv_length(f->words[at])) {
        const uint32_t *words = f->words + at;
        const uint32_t op = spirv_opcode(words[0]);
        if (op == SpvOpMemberName && spirv_length(words[0]) == 5 && memcmp(words + 3, "program", 8) == 0) {
            f->holders[id_at(f, at + 1)] = 1 + words[2];
        } else if (op == SpvOpTypeBool) {
            f->bool_type = words[1];
        } else if (op == SpvOpTypeFloat && words[2] == 32) {
            f->float_type = words[1];
        } else if (op == SpvOpTypeInt && words[2] == 32) {
            *(words[3] == 0 ? &f->unsigned_type : &f->signed_type) = words[1];
        } else if (op == SpvOpTypePointer) {
            f->holders[id_at(f, at + 1)] = f->holders[id_at(f, at + 3)];
        } else if (op == SpvOpBitcast && words[1] == f->float_type) {
            f->values[id_at(f, at + 3)].is_float = true;
        }
    }
}

static bool is_integer(const folding *f, uint32_t type) {
    return type != 0 && (type == f->unsigned_type || type == f->signed_type);
}

static value known(uint32_t number) {
    return (value){.known = true, .number = number};
}

// Finds the values of the constants. A decoration gives the constant_id of each.
static void find_constants(folding *f) {
    for (size_t at = SPIRV_HEADER_WORDS; at < f->count; at += spirv_length(f->words[at])) {
        const uint32_t op = spirv_opcode(f->words[at]);
        if (op == SpvOpConstantTrue || op == SpvOpSpecConstantTrue) {
            f->values[id_at(f, at + 2)] = known(1);
        } else if (op == SpvOpConstantFalse || op == SpvOpSpecConstantFalse) {
            f->values[id_at(f, at + 2)] = known(0);
        } else if (op == SpvOpConstant && is_integer(f, f->words[at + 1])) {
            f->values[id_at(f, at + 2)] = known(f->words[at + 3]);
        }
    }
    for (size_t at = SPIRV_HEADER_WORDS; at < f->count; at += spirv_length(f->words[at])) {
        if (spirv_opcode(f->words[at]) == SpvOpDecorate && spirv_length(f->words[at]) == 4 &&
            f->words[at + 2] == SpvDecorationSpecId && f->words[at + 3] < f->given->constant_count) {
            value *of = &f->values[id_at(f, at + 1)];
            *of = of->known ? known(f->given->constants[f->words[at + 3]] != 0) : unknown;
        }
    }
}

// ---- Values and reached blocks. ----

// Returns the position, in a switch with a known selector, of the label that it goes to.
static size_t find_case(folding *f, size_t at) {
    const uint32_t *words = f->words + at;
    const uint32_t number = f->values[id_at(f, at + 1)].number;
    for (size_t i = 3; i + 1 < spirv_length(words[0]); i += 2) {
        if (words[i] == number) {
            return i + 1;
        }
    }
    return 2;
}

// Finds the i-th block that a block may branch to. Returns false if there are fewer.
static bool successor(folding *f, const block *from, uint32_t i, uint32_t *index) {
    const uint32_t *end = f->words + from->terminator;
    const uint32_t op = spirv_opcode(end[0]);
    size_t target = 0;
    if (op == SpvOpBranch) {
        target = i == 0 ? 1 : 0;
    } else if (op == SpvOpBranchConditional) {
        const value condition = f->values[id_at(f, from->terminator + 1)];
        target = !condition.known ? (i < 2 ? 2 + i : 0) : i > 0 ? 0 : condition.number != 0 ? 2 : 3;
    } else if (op == SpvOpSwitch && f->values[id_at(f, from->terminator + 1)].known) {
        target = i > 0 ? 0 : find_case(f, from->terminator);
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

static value phi_value(folding *f, size_t at, uint32_t block) {
    value one = unknown;
    for (size_t i = 3; i + 1 < spirv_length(f->words[at]); i += 2) {
        if (is_live_edge(f, at + i + 1, block)) {
            const value incoming = f->values[id_at(f, at + i)];
            if (!incoming.known || (one.known && one.number != incoming.number)) {
                return unknown;
            }
            one = known(incoming.number);
        }
    }
    return one;
}

// Returns the member `program` of the struct that an id is, or that it points to, plus 1; 0 if there is none.
static uint32_t program_member(folding *f, uint32_t id) {
    const size_t at = f->places[id];
    return at != 0 ? f->holders[id_at(f, at + 1)] : 0;
}

static bool is_access(folding *f, size_t at, uint32_t length) {
    const uint32_t op = spirv_opcode(f->words[at]);
    return (op == SpvOpAccessChain || op == SpvOpInBoundsAccessChain) && spirv_length(f->words[at]) == length;
}

// Whether an id is a reference to the block: the member `program` of a struct.
static bool is_program(folding *f, uint32_t id) {
    const size_t at = f->places[id];
    if (spirv_opcode(f->words[at]) == SpvOpCompositeExtract && spirv_length(f->words[at]) == 5) {
        return program_member(f, id_at(f, at + 3)) == 1 + f->words[at + 4];
    }
    const size_t from = spirv_opcode(f->words[at]) == SpvOpLoad ? f->places[id_at(f, at + 3)] : 0;
    if (from == 0 || !is_access(f, from, 5)) {
        return false;
    }
    const value member = f->values[id_at(f, from + 4)];
    return member.known && program_member(f, id_at(f, from + 3)) == 1 + member.number;
}

// Returns the word that a load reads, if it reads the block at a known place.
static value loaded_value(folding *f, size_t at) {
    const lmb_spirv_block *given = f->given->block;
    const size_t from = f->places[id_at(f, at + 3)];
    if (given == NULL || from == 0 || !is_access(f, from, 6)) {
        return unknown;
    }
    const value index = f->values[id_at(f, from + 5)];
    const bool is_constant = index.known && index.number < given->count &&
                             (index.number < given->changing_from || index.number >= given->changing_end);
    return is_constant && is_program(f, id_at(f, from + 3)) ? known(given->words[index.number]) : unknown;
}

static value logic_value(uint32_t op, value a, value b) {
    const uint32_t decides = op == SpvOpLogicalOr;
    if ((a.known && a.number == decides) || (b.known && b.number == decides)) {
        return known(decides);
    }
    return a.known && b.known ? known(!decides) : unknown;
}

// Returns the result of an operation on two known integers or booleans. One that takes a single operand has it twice.
static value integer_value(uint32_t op, uint32_t a, uint32_t b) {
    switch (op) {
    case SpvOpBitcast:
        return known(a);
    case SpvOpNot:
        return known(~a);
    case SpvOpLogicalNot:
        return known(!a);
    case SpvOpIAdd:
        return known(a + b);
    case SpvOpISub:
        return known(a - b);
    case SpvOpIMul:
        return known(a * b);
    case SpvOpUDiv:
        return b != 0 ? known(a / b) : unknown;
    case SpvOpUMod:
        return b != 0 ? known(a % b) : unknown;
    case SpvOpShiftRightLogical:
        return b < 32 ? known(a >> b) : unknown;
    case SpvOpShiftLeftLogical:
        return b < 32 ? known(a << b) : unknown;
    case SpvOpBitwiseAnd:
        return known(a & b);
    case SpvOpBitwiseOr:
        return known(a | b);
    case SpvOpBitwiseXor:
        return known(a ^ b);
    case SpvOpIEqual:
    case SpvOpLogicalEqual:
        return known(a == b);
    case SpvOpINotEqual:
    case SpvOpLogicalNotEqual:
        return known(a != b);
    case SpvOpUGreaterThan:
        return known(a > b);
    case SpvOpUGreaterThanEqual:
        return known(a >= b);
    case SpvOpULessThan:
        return known(a < b);
    case SpvOpULessThanEqual:
        return known(a <= b);
    default:
        return unknown;
    }
}

// Returns the value of the result of an instruction in `block`.
static value result_value(folding *f, size_t at, uint32_t block) {
    const uint32_t *words = f->words + at;
    const uint32_t length = spirv_length(words[0]);
    uint32_t op = spirv_opcode(words[0]);
    size_t operand = 3;
    if (op == SpvOpPhi) {
        return phi_value(f, at, block);
    }
    if (op == SpvOpLoad) {
        return loaded_value(f, at);
    }
    if (op == SpvOpSpecConstantOp) {
        op = words[3];
        operand = 4;
    }
    const bool is_logic = op == SpvOpLogicalOr || op == SpvOpLogicalAnd;
    const bool takes_one = op == SpvOpLogicalNot || op == SpvOpNot || op == SpvOpBitcast;
    if (operand + (takes_one ? 1 : 2) > length) {
        return unknown;
    }
    const value a = f->values[id_at(f, at + operand)];
    if (op == SpvOpSelect) {
        return a.known && length == 6 ? f->values[id_at(f, at + (a.number != 0 ? 4 : 5))] : unknown;
    }
    const value b = takes_one ? a : f->values[id_at(f, at + operand + 1)];
    return is_logic ? logic_value(op, a, b) : a.known && b.known ? integer_value(op, a.number, b.number) : unknown;
}

// Whether the result of an instruction may be found: it is a boolean or an integer. A word whose bits are read as a
// float stays a load, because some compilers simplify float arithmetic with a constant, 0 or 1 for example, and change
// its bits.
static bool is_candidate(const folding *f, size_t at) {
    const uint32_t *words = f->words + at;
    const uint32_t op = spirv_opcode(words[0]);
    return ((op == SpvOpPhi && spirv_length(words[0]) > 3) || op == SpvOpLoad || op == SpvOpSpecConstantOp ||
            lmb_spirv_is_integer_operation(op)) &&
           (words[1] == f->bool_type || is_integer(f, words[1]));
}

// Goes once over the instructions of a function, or over those before the first function. Returns whether it found new
// values.
static bool find_values(folding *f, size_t from, size_t end, uint32_t first_block) {
    bool changed = false;
    uint32_t block = first_block - 1; // until the first label
    for (size_t at = from; at < end; at += spirv_length(f->words[at])) {
        block += spirv_opcode(f->words[at]) == SpvOpLabel;
        if (is_candidate(f, at) &&
            (first_block == BEFORE_BLOCKS || (block < f->block_count && f->blocks[block].reached))) {
            value *of = &f->values[id_at(f, at + 2)];
            if (!of->known && !of->is_float) {
                const value found = result_value(f, at, block);
                *of = found.known ? known(found.number) : *of;
                changed = changed || found.known;
            }
        }
    }
    return changed;
}

static bool find_all_values(folding *f) {
    const size_t first = f->function_count > 0 ? f->functions[0].at : f->count;
    bool changed = find_values(f, SPIRV_HEADER_WORDS, first, BEFORE_BLOCKS);
    for (uint32_t i = 0; i < f->function_count; i++) {
        const function *of = &f->functions[i];
        changed = (of->reached && find_values(f, of->at, of->end, of->first_block)) || changed;
    }
    return changed;
}

static void mark_function(folding *f, uint32_t id) {
    const uint32_t index = f->indices[id];
    if (index > 0 && index <= f->function_count && f->functions[index - 1].id == id) {
        f->functions[index - 1].reached = true;
    }
}

static void mark_called_functions(folding *f, const function *of) {
    uint32_t block = of->first_block - 1; // until the first label
    for (size_t at = of->at; at < of->end; at += spirv_length(f->words[at])) {
        block += spirv_opcode(f->words[at]) == SpvOpLabel;
        if (spirv_opcode(f->words[at]) == SpvOpFunctionCall && block < f->block_count && f->blocks[block].reached) {
            mark_function(f, id_at(f, at + 3));
        }
    }
}

// Marks the functions that the entry point calls from reached blocks, directly or through others.
static void mark_reached_functions(folding *f) {
    for (uint32_t i = 0; i < f->function_count; i++) {
        f->functions[i].reached = f->functions[i].followed = false;
    }
    mark_function(f, f->entry);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < f->function_count; i++) {
            if (f->functions[i].reached && !f->functions[i].followed) {
                f->functions[i].followed = more = true;
                mark_called_functions(f, &f->functions[i]);
            }
        }
    }
}

static bool is_decided(folding *f, const block *b) {
    return spirv_opcode(f->words[b->terminator]) == SpvOpBranchConditional &&
           f->values[id_at(f, b->terminator + 1)].known;
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
        const size_t defined = lmb_spirv_defined_at(f->words + at);
        if (!kept && defined != 0) {
            f->dropped[id_at(f, at + defined)] = true;
        }
    }
}

// ---- The new module. ----

static bool is_of_dropped(folding *f, size_t at) {
    const uint32_t op = spirv_opcode(f->words[at]);
    return (op == SpvOpName || op == SpvOpMemberName || op == SpvOpDecorate || op == SpvOpMemberDecorate) &&
           (f->dropped[id_at(f, at + 1)] || (op == SpvOpDecorate && f->values[id_at(f, at + 1)].known));
}

static size_t put(uint32_t *to, size_t at, const uint32_t *words, size_t count) {
    memcpy(to + at, words, count * sizeof *to);
    return at + count;
}

// Writes an instruction of a reached block. Returns where the next one goes.
static size_t write_instruction(folding *f, uint32_t *to, size_t written, size_t at, uint32_t block) {
    const uint32_t *words = f->words + at;
    const struct block *in = &f->blocks[block];
    if (is_candidate(f, at) && f->values[id_at(f, at + 2)].known) {
        return written; // a constant
    }
    if (spirv_opcode(words[0]) == SpvOpPhi) {
        const size_t head = written;
        written = put(to, written, words, 3);
        for (size_t i = 3; i + 1 < spirv_length(words[0]); i += 2) {
            written = is_live_edge(f, at + i + 1, block) ? put(to, written, words + i, 2) : written;
        }
        to[head] = (uint32_t)(written - head) << 16 | SpvOpPhi;
    } else if (at == in->terminator && is_decided(f, in)) {
        const uint32_t branch[2] = {2u << 16 | SpvOpBranch, words[f->values[id_at(f, at + 1)].number != 0 ? 2 : 3]};
        written = put(to, written, branch, 2);
    } else if (spirv_opcode(words[0]) == SpvOpSwitch && f->values[id_at(f, at + 1)].known) {
        // It keeps its merge block, to which blocks inside of it may branch.
        const uint32_t only[3] = {3u << 16 | SpvOpSwitch, words[1], words[find_case(f, at)]};
        written = put(to, written, only, 3);
    } else if (spirv_opcode(words[0]) == SpvOpSelect && f->values[id_at(f, at + 3)].known) {
        const uint32_t chosen = words[f->values[id_at(f, at + 3)].number != 0 ? 4 : 5];
        const uint32_t copy[4] = {4u << 16 | SpvOpCopyObject, words[1], words[2], chosen};
        written = put(to, written, copy, 4);
    } else if (!(at == in->merge && spirv_opcode(words[0]) == SpvOpSelectionMerge && is_decided(f, in))) {
        written = put(to, written, words, spirv_length(words[0]));
    }
    return written;
}

// Writes the known results of reached blocks as constants. None is longer than the instruction that it replaces.
static size_t write_constants(folding *f, uint32_t *to, size_t written) {
    uint32_t blocks = 0;
    for (size_t at = SPIRV_HEADER_WORDS; at < f->count; at += spirv_length(f->words[at])) {
        blocks += spirv_opcode(f->words[at]) == SpvOpLabel;
        if (blocks == 0 || !f->blocks[blocks - 1].reached || !is_candidate(f, at) ||
            !f->values[id_at(f, at + 2)].known) {
            continue;
        }
        const uint32_t type = f->words[at + 1], id = f->words[at + 2], number = f->values[id].number;
        const uint32_t boolean[3] = {3u << 16 | (number != 0 ? SpvOpConstantTrue : SpvOpConstantFalse), type, id};
        const uint32_t integer[4] = {4u << 16 | SpvOpConstant, type, id, number};
        written = type == f->bool_type ? put(to, written, boolean, 3) : put(to, written, integer, 4);
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
            written = functions == 0 ? write_constants(f, to, written) : written;
            first = blocks;
            functions++;
        }
        blocks += op == SpvOpLabel && functions > 0;
        const block *in = blocks > first ? &f->blocks[blocks - 1] : NULL;
        if (functions > 0 && !f->functions[functions - 1].reached) {
            continue;
        }
        if (op == SpvOpSpecConstantTrue || op == SpvOpSpecConstantFalse) {
            const uint32_t code = f->values[id_at(f, at + 2)].number != 0 ? SpvOpConstantTrue : SpvOpConstantFalse;
            const uint32_t constant[3] = {3u << 16 | code, words[1], words[2]};
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
    lmb_host_release(host, f->places);
    lmb_host_release(host, f->holders);
    lmb_host_release(host, f->blocks);
    lmb_host_release(host, f->functions);
    lmb_host_release(host, f->stack);
}

static bool allocate(const lmb_host *host, folding *f) {
    const size_t bound = (size_t)f->words[SPIRV_BOUND] + 1;
    f->values = lmb_host_allocate(host, bound, sizeof *f->values);
    f->dropped = lmb_host_allocate(host, bound, sizeof *f->dropped);
    f->indices = lmb_host_allocate(host, bound, sizeof *f->indices);
    f->places = lmb_host_allocate(host, bound, sizeof *f->places);
    f->holders = lmb_host_allocate(host, bound, sizeof *f->holders);
    f->blocks = lmb_host_allocate(host, (size_t)f->block_count + 1, sizeof *f->blocks);
    f->functions = lmb_host_allocate(host, (size_t)f->function_count + 1, sizeof *f->functions);
    f->stack = lmb_host_allocate(host, (size_t)f->block_count + 1, sizeof *f->stack);
    return f->values != NULL && f->dropped != NULL && f->indices != NULL && f->places != NULL && f->holders != NULL &&
           f->blocks != NULL && f->functions != NULL && f->stack != NULL;
}

static void evaluate_constants(folding *f) {
    find_parts(f);
    find_types(f);
    find_constants(f);
    mark_reached_functions(f); // with all blocks
    do {
        for (uint32_t i = 0; i < f->function_count; i++) {
            if (f->functions[i].reached) {
                mark_reached_blocks(f, &f->functions[i]);
            }
        }
    } while (find_all_values(f));
    mark_reached_functions(f);
    mark_dropped(f);
}

lmb_result lmb_spirv_specialize(const lmb_host *host, const uint32_t *words, size_t count, const lmb_spirv_known *given,
                                lmb_spirv *result, lmb_error *error) {
    lmb_result checked = lmb_spirv_check_shape(words, count, error);
    if (checked != LMB_OK) {
        return checked;
    }
    folding f = {.words = words, .count = count, .given = given};
    count_parts(&f);
    // A kept block without a terminator gets one.
    uint32_t *copy = allocate(host, &f) ? lmb_host_allocate(host, count + f.block_count, sizeof *copy) : NULL;
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
