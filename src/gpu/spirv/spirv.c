// Walks over a module's instructions, whose first words have their length and operation. Modules are those of the
// build, but nothing relies on that: lmb_spirv_check_shape() runs before anything is read by position. Loops are
// counted by rounds over all functions, in each of which a function's sum includes those of the functions that it
// calls, until no sum changes.
#include "spirv.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

// The max bound of ids.
#define MOST_IDS (1u << 22)
// The max depth of calls.
#define MOST_LEVELS 64u

size_t lmb_spirv_defined_at(const uint32_t *words) {
    const uint32_t op = spirv_opcode(words[0]);
    const bool defines = spirv_length(words[0]) > 2 && !(op >= SpvOpStore && op <= SpvOpCopyMemorySized) &&
                         op != SpvOpLine && op != SpvOpControlBarrier && op != SpvOpMemoryBarrier &&
                         op != SpvOpAtomicStore && !(op >= SpvOpLoopMerge && op <= SpvOpLifetimeStop);
    return op == SpvOpLabel ? 1 : defines ? 2 : 0;
}

bool lmb_spirv_is_float_operation(uint32_t op) {
    return op == SpvOpFNegate || op == SpvOpFAdd || op == SpvOpFSub || op == SpvOpFMul;
}

bool lmb_spirv_is_integer_operation(uint32_t op) {
    return op == SpvOpBitcast || op == SpvOpNot || op == SpvOpIAdd || op == SpvOpISub || op == SpvOpIMul ||
           op == SpvOpUDiv || op == SpvOpUMod || (op >= SpvOpLogicalEqual && op <= SpvOpULessThanEqual) ||
           (op >= SpvOpShiftRightLogical && op <= SpvOpBitwiseAnd);
}

// Returns the min words of an instruction, which include those that this library reads by position.
static uint32_t min_length(uint32_t op) {
    switch (op) {
    case SpvOpLabel:
    case SpvOpBranch:
    case SpvOpTypeBool:
        return 2;
    case SpvOpName:
    case SpvOpDecorate:
    case SpvOpEntryPoint:
    case SpvOpTypeFloat:
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpFunctionParameter:
    case SpvOpPhi:
    case SpvOpSelectionMerge:
    case SpvOpSwitch:
        return 3;
    case SpvOpMemberName:
    case SpvOpMemberDecorate:
    case SpvOpTypeInt:
    case SpvOpFunctionCall:
    case SpvOpTypePointer:
    case SpvOpConstant:
    case SpvOpSpecConstantOp:
    case SpvOpLoad:
    case SpvOpBitcast:
    case SpvOpNot:
    case SpvOpLogicalNot:
    case SpvOpLoopMerge:
    case SpvOpBranchConditional:
        return 4;
    case SpvOpFunction:
    case SpvOpExtInst:
        return 5;
    case SpvOpSelect:
        return 6;
    default:
        return lmb_spirv_is_float_operation(op) ? 3 : lmb_spirv_is_integer_operation(op) ? 5 : 1;
    }
}

// Checks that every instruction is inside the module and has a valid length.
lmb_result lmb_spirv_check_shape(const uint32_t *words, size_t count, lmb_error *error) {
    if (count < SPIRV_HEADER_WORDS || words[0] != SpvMagicNumber || words[SPIRV_BOUND] > MOST_IDS) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: this is not a module");
    }
    for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words[at])) {
        uint32_t op = spirv_opcode(words[at]);
        if (spirv_length(words[at]) < min_length(op) || spirv_length(words[at]) > count - at) {
            return lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: word %zu: an instruction leaves the module", at);
        }
        if (lmb_spirv_is_float_operation(op) && words[at + 2] >= words[SPIRV_BOUND]) {
            return lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: word %zu: an id is out of bounds", at);
        }
    }
    return LMB_OK;
}

void lmb_spirv_release(const lmb_host *host, lmb_spirv *module) {
    lmb_host_release(host, module->words);
    *module = (lmb_spirv){0};
}

void lmb_spirv_keep_loops(uint32_t *words, size_t count) {
    for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words[at])) {
        if (spirv_opcode(words[at]) == SpvOpLoopMerge && words[at + 3] == SpvLoopControlUnrollMask) {
            words[at + 3] = SpvLoopControlDontUnrollMask;
        }
    }
}

lmb_result lmb_spirv_declare_rte(const lmb_host *host, const uint32_t *words, size_t count, lmb_spirv *result,
                                 lmb_error *error) {
    lmb_result shape = lmb_spirv_check_shape(words, count, error);
    if (shape != LMB_OK) {
        return shape;
    }
    // Capabilities come first in a module, then extensions; execution modes follow the entry points.
    size_t extension_at = SPIRV_HEADER_WORDS, mode_at = 0;
    uint32_t entry = 0;
    for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words[at])) {
        if (spirv_opcode(words[at]) == SpvOpCapability) {
            extension_at = at + spirv_length(words[at]);
        }
        if (spirv_opcode(words[at]) == SpvOpEntryPoint) {
            mode_at = at + spirv_length(words[at]);
            entry = words[at + 2];
        }
    }
    if (mode_at < extension_at) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: there is no entry point");
    }
    static const char name[] = "SPV_KHR_float_controls"; // which SPIR-V 1.4 has in it
    enum { EXTENSION_WORDS = 1 + (sizeof name + 3) / 4 };
    const uint32_t capability[2] = {2u << 16 | SpvOpCapability, SpvCapabilityRoundingModeRTE};
    const uint32_t mode[4] = {4u << 16 | SpvOpExecutionMode, entry, SpvExecutionModeRoundingModeRTE, 32};
    uint32_t extension[EXTENSION_WORDS] = {EXTENSION_WORDS << 16 | SpvOpExtension};
    memcpy(extension + 1, name, sizeof name);
    const struct {
        const uint32_t *words;
        size_t count;
    } parts[] = {{words, extension_at},
                 {capability, sizeof capability / sizeof *capability},
                 {extension, EXTENSION_WORDS},
                 {words + extension_at, mode_at - extension_at},
                 {mode, sizeof mode / sizeof *mode},
                 {words + mode_at, count - mode_at}};
    const size_t total = count + 6 + EXTENSION_WORDS;
    uint32_t *copy = lmb_host_allocate(host, total, sizeof *copy);
    if (copy == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "SPIR-V: no memory for %zu words", total);
    }
    *result = (lmb_spirv){copy, total};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        memcpy(copy, parts[i].words, parts[i].count * sizeof *copy);
        copy += parts[i].count;
    }
    return LMB_OK;
}

// Adds up the loops of each function and of those that it calls, as far as these are known. Returns whether any sum
// changed.
static bool add_loops(const uint32_t *words, size_t count, uint32_t *loops_of) {
    uint32_t function = 0, loops = 0;
    bool changed = false;
    for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words[at])) {
        const uint32_t op = spirv_opcode(words[at]);
        if (op == SpvOpFunction) {
            function = words[at + 2];
            loops = 0;
        } else if (op == SpvOpFunctionEnd) {
            changed = changed || loops_of[function] != loops;
            loops_of[function] = loops;
        } else if (op == SpvOpLoopMerge || op == SpvOpFunctionCall) {
            const uint32_t more = op == SpvOpLoopMerge ? 1 : loops_of[words[at + 3]];
            loops = loops + more < loops ? UINT32_MAX : loops + more;
        }
    }
    return changed;
}

static uint32_t entry_point(const uint32_t *words, size_t count) {
    uint32_t entry = 0;
    for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words[at])) {
        entry = spirv_opcode(words[at]) == SpvOpEntryPoint ? words[at + 2] : entry;
    }
    return entry;
}

static bool ids_are_bounded(const uint32_t *words, size_t count) {
    bool bounded = words[SPIRV_BOUND] <= MOST_IDS;
    for (size_t at = SPIRV_HEADER_WORDS; bounded && at < count; at += spirv_length(words[at])) {
        const uint32_t op = spirv_opcode(words[at]);
        const size_t id = op == SpvOpFunctionCall ? 3 : op == SpvOpFunction || op == SpvOpEntryPoint ? 2 : 0;
        bounded = id == 0 || words[at + id] < words[SPIRV_BOUND];
    }
    return bounded;
}

lmb_result lmb_spirv_count_loops(const lmb_host *host, const uint32_t *words, size_t count, uint32_t *loops,
                                 lmb_error *error) {
    *loops = 0;
    const lmb_result shape = lmb_spirv_check_shape(words, count, error);
    if (shape != LMB_OK) {
        return shape;
    }
    if (!ids_are_bounded(words, count)) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: an id is beyond the module's bound");
    }
    uint32_t *loops_of = lmb_host_allocate(host, words[SPIRV_BOUND], sizeof *loops_of);
    if (loops_of == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "SPIR-V: no memory");
    }
    // Each round completes at least one more level of calls.
    uint32_t levels = 0;
    while (levels <= MOST_LEVELS && add_loops(words, count, loops_of)) {
        levels++;
    }
    *loops = loops_of[entry_point(words, count)];
    lmb_host_release(host, loops_of);
    return levels <= MOST_LEVELS ? LMB_OK : lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: calls are nested too deeply");
}
