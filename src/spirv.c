#include "spirv.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

// The max bound of ids.
#define MOST_IDS (1u << 22)

bool lmb_spirv_is_float_operation(uint32_t op) {
    return op == SpvOpFNegate || op == SpvOpFAdd || op == SpvOpFSub || op == SpvOpFMul;
}

// Returns the min words of an instruction, which include those that this library reads by position.
static uint32_t min_length(uint32_t op) {
    switch (op) {
    case SpvOpLabel:
    case SpvOpBranch:
        return 2;
    case SpvOpName:
    case SpvOpDecorate:
    case SpvOpEntryPoint:
    case SpvOpTypeFloat:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpPhi:
    case SpvOpSelectionMerge:
    case SpvOpSwitch:
        return 3;
    case SpvOpMemberName:
    case SpvOpMemberDecorate:
    case SpvOpTypeInt:
    case SpvOpFunctionCall:
    case SpvOpSpecConstantOp:
    case SpvOpLogicalNot:
    case SpvOpLoopMerge:
    case SpvOpBranchConditional:
        return 4;
    case SpvOpFunction:
    case SpvOpExtInst:
    case SpvOpLogicalOr:
    case SpvOpLogicalAnd:
        return 5;
    default:
        return lmb_spirv_is_float_operation(op) ? 3 : 1;
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
    // Capabilities come first in a module; execution modes follow the entry points.
    size_t mode_at = 0;
    uint32_t entry = 0;
    for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words[at])) {
        if (spirv_opcode(words[at]) == SpvOpEntryPoint) {
            mode_at = at + spirv_length(words[at]);
            entry = words[at + 2];
        }
    }
    if (mode_at == 0) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: there is no entry point");
    }
    uint32_t *copy = lmb_host_allocate(host, count + 6, sizeof *copy);
    if (copy == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "SPIR-V: no memory for %zu words", count + 6);
    }
    const uint32_t capability[2] = {2u << 16 | SpvOpCapability, SpvCapabilityRoundingModeRTE};
    const uint32_t mode[4] = {4u << 16 | SpvOpExecutionMode, entry, SpvExecutionModeRoundingModeRTE, 32};
    memcpy(copy, words, SPIRV_HEADER_WORDS * sizeof *copy);
    memcpy(copy + SPIRV_HEADER_WORDS, capability, sizeof capability);
    memcpy(copy + SPIRV_HEADER_WORDS + 2, words + SPIRV_HEADER_WORDS, (mode_at - SPIRV_HEADER_WORDS) * sizeof *copy);
    memcpy(copy + mode_at + 2, mode, sizeof mode);
    memcpy(copy + mode_at + 6, words + mode_at, (count - mode_at) * sizeof *copy);
    *result = (lmb_spirv){copy, count + 6};
    return LMB_OK;
}

// Returns the id of a function by its source name, or 0 if there is none. Debug names append the parameters' types in
// parentheses.
static uint32_t find_function(const uint32_t *words, size_t count, const char *name) {
    size_t size = strlen(name);
    for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words[at])) {
        const char *text = (const char *)(words + at + 2);
        if (spirv_opcode(words[at]) == SpvOpName && (spirv_length(words[at]) - 2) * 4 > size &&
            memcmp(text, name, size) == 0 && text[size] == '(') {
            return words[at + 1];
        }
    }
    return 0;
}

// The positions and types in a module that a sequence of calls needs to replace a body.
typedef struct splice {
    uint32_t unsigned_type;
    size_t constants_at; // the first function; constants come before it
    size_t body_at;      // after the label of the function whose body is replaced
    size_t body_end;     // its OpFunctionEnd
    uint32_t void_type;
} splice;

static lmb_result find_splice(const uint32_t *words, size_t count, const char *function, splice *s, lmb_error *error) {
    uint32_t id = find_function(words, count, function);
    bool inside = false;
    for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words[at])) {
        uint32_t op = spirv_opcode(words[at]);
        if (op == SpvOpTypeInt && words[at + 2] == 32 && words[at + 3] == 0) {
            s->unsigned_type = words[at + 1];
        } else if (op == SpvOpFunction) {
            s->constants_at = s->constants_at == 0 ? at : s->constants_at;
            inside = id != 0 && words[at + 2] == id;
            s->void_type = inside ? words[at + 1] : s->void_type;
        } else if (inside && op == SpvOpLabel && s->body_at == 0) {
            s->body_at = at + spirv_length(words[at]);
        } else if (inside && op == SpvOpFunctionEnd) {
            s->body_end = at;
            inside = false;
        }
    }
    if (s->unsigned_type == 0 || s->body_at == 0 || s->body_end < s->body_at) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: there is no function '%s' to fill", function);
    }
    return LMB_OK;
}

// The max words of a call: two constants of 4 words, the call of 6, and the branches around the code that it decides
// on.
#define CALL_WORDS 27u

// The output. New ids are consecutive.
typedef struct writer {
    uint32_t *words;
    size_t at;
    uint32_t next;
    uint32_t merge; // label after the code that the last call decides on, or 0
} writer;

static void write_words(writer *w, const uint32_t *words, size_t count) {
    memcpy(w->words + w->at, words, count * sizeof *words);
    w->at += count;
}

static void end_decided(writer *w) {
    const uint32_t words[4] = {2u << 16 | SpvOpBranch, w->merge, 2u << 16 | SpvOpLabel, w->merge};
    write_words(w, words, w->merge != 0 ? 4 : 0);
    w->merge = 0;
}

static void begin_decided(writer *w, uint32_t result) {
    const uint32_t then = w->next++;
    w->merge = w->next++;
    const uint32_t words[9] = {
        3u << 16 | SpvOpSelectionMerge, w->merge, 0, 4u << 16 | SpvOpBranchConditional, result, then, w->merge,
        2u << 16 | SpvOpLabel,          then};
    write_words(w, words, 9);
}

// Returns the type of a function's result.
static uint32_t result_type(const uint32_t *words, size_t count, uint32_t function) {
    for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words[at])) {
        if (spirv_opcode(words[at]) == SpvOpFunction && words[at + 2] == function) {
            return words[at + 1];
        }
    }
    return 0;
}

// Writes the calls. The ids of their constants are two per call, from `constants` on.
static lmb_result write_calls(writer *w, const uint32_t *words, size_t count, const lmb_spirv_call *calls,
                              size_t call_count, uint32_t constants, lmb_error *error) {
    for (size_t i = 0; i < call_count; i++) {
        const uint32_t callee = find_function(words, count, calls[i].function);
        if (callee == 0) {
            return lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: there is no function '%s' to call", calls[i].function);
        }
        if (calls[i].decides) {
            end_decided(w);
        }
        const uint32_t argument = constants + (uint32_t)(2 * i);
        const uint32_t call[6] = {
            6u << 16 | SpvOpFunctionCall, result_type(words, count, callee), w->next++, callee, argument, argument + 1};
        write_words(w, call, 6);
        if (calls[i].decides) {
            begin_decided(w, call[2]);
        }
    }
    end_decided(w);
    return LMB_OK;
}

lmb_result lmb_spirv_replace_body(const lmb_host *host, const uint32_t *words, size_t count, const char *function,
                                  const lmb_spirv_call *calls, size_t call_count, lmb_spirv *result, lmb_error *error) {
    splice s = {0};
    lmb_result found = lmb_spirv_check_shape(words, count, error);
    if (found == LMB_OK) {
        found = find_splice(words, count, function, &s, error);
    }
    if (found != LMB_OK) {
        return found;
    }
    size_t size = count + call_count * CALL_WORDS + 1 - (s.body_end - s.body_at);
    writer w = {.words = lmb_host_allocate(host, size, sizeof *w.words), .next = words[SPIRV_BOUND]};
    if (w.words == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "SPIR-V: no memory for %zu words", size);
    }
    const uint32_t constants = w.next;
    write_words(&w, words, s.constants_at);
    for (size_t i = 0; i < 2 * call_count; i++) {
        const uint32_t constant[4] = {4u << 16 | SpvOpConstant, s.unsigned_type, w.next++,
                                      calls[i / 2].arguments[i % 2]};
        write_words(&w, constant, 4);
    }
    write_words(&w, words + s.constants_at, s.body_at - s.constants_at);
    found = write_calls(&w, words, count, calls, call_count, constants, error);
    if (found != LMB_OK) {
        lmb_host_release(host, w.words);
        return found;
    }
    const uint32_t end = 1u << 16 | SpvOpReturn;
    write_words(&w, &end, 1);
    write_words(&w, words + s.body_end, count - s.body_end);
    w.words[SPIRV_BOUND] = w.next;
    for (size_t i = SPIRV_HEADER_WORDS; i < w.at; i += spirv_length(w.words[i])) {
        if (spirv_opcode(w.words[i]) == SpvOpFunction) {
            w.words[i + 3] = 0;
        }
    }
    *result = (lmb_spirv){w.words, w.at};
    return LMB_OK;
}
