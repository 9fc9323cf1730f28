#include "spirv.h"

#include "spirv_words.h"

#include <string.h>

static bool is_float_operation(uint32_t op) {
    return op == OP_F_NEGATE || op == OP_F_ADD || op == OP_F_SUB || op == OP_F_MUL;
}

static bool is_banned(uint32_t op) {
    return op == OP_F_DIV || op == OP_F_REM || op == OP_F_MOD || (op >= OP_VECTOR_TIMES_SCALAR && op <= OP_DOT) ||
           op == OP_QUANTIZE_TO_F16 || (op >= OP_D_PDX && op <= OP_FWIDTH_COARSE);
}

static bool is_exact(uint32_t extended) {
    return extended == EXTENDED_ABSOLUTE || extended == EXTENDED_FLOOR || extended == EXTENDED_CLAMP;
}

// Returns the min words of an instruction, which include those that this library reads by position.
static uint32_t min_length(uint32_t op) {
    switch (op) {
    case OP_LABEL:
    case OP_BRANCH:
        return 2;
    case OP_NAME:
    case OP_DECORATE:
    case OP_ENTRY_POINT:
    case OP_TYPE_FLOAT:
    case OP_SPEC_CONSTANT_TRUE:
    case OP_SPEC_CONSTANT_FALSE:
    case OP_PHI:
    case OP_SELECTION_MERGE:
    case OP_SWITCH:
        return 3;
    case OP_MEMBER_NAME:
    case OP_MEMBER_DECORATE:
    case OP_TYPE_INT:
    case OP_FUNCTION_CALL:
    case OP_SPEC_CONSTANT_OP:
    case OP_LOGICAL_NOT:
    case OP_LOOP_MERGE:
    case OP_BRANCH_CONDITIONAL:
        return 4;
    case OP_FUNCTION:
    case OP_EXT_INST:
    case OP_LOGICAL_OR:
    case OP_LOGICAL_AND:
        return 5;
    default:
        return is_float_operation(op) ? 3 : 1;
    }
}

// Checks that every instruction is inside the module and has a valid length.
lmb_result lmb_spirv_check_shape(const uint32_t *words, size_t count, lmb_error *error) {
    if (count < HEADER_WORDS || words[0] != MAGIC || words[BOUND] > MOST_IDS) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: this is not a module");
    }
    for (size_t at = HEADER_WORDS; at < count; at += length(words[at])) {
        uint32_t op = opcode(words[at]);
        if (length(words[at]) < min_length(op) || length(words[at]) > count - at) {
            return lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: word %zu: an instruction leaves the module", at);
        }
        if (is_float_operation(op) && words[at + 2] >= words[BOUND]) {
            return lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: word %zu: an id is out of bounds", at);
        }
    }
    return LMB_OK;
}

// Returns one byte per id: whether it is decorated NoContraction. Returns NULL if there is no memory.
static uint8_t *find_decorated(const lmb_host *host, const uint32_t *words, size_t count) {
    uint8_t *decorated = lmb_host_allocate(host, words[BOUND], 1);
    for (size_t at = HEADER_WORDS; decorated != NULL && at < count; at += length(words[at])) {
        if (opcode(words[at]) == OP_DECORATE && words[at + 2] == DECORATION_NO_CONTRACTION &&
            words[at + 1] < words[BOUND]) {
            decorated[words[at + 1]] = 1;
        }
    }
    return decorated;
}

void lmb_spirv_release(const lmb_host *host, lmb_spirv *module) {
    lmb_host_release(host, module->words);
    *module = (lmb_spirv){0};
}

size_t lmb_spirv_count_float_operations(const uint32_t *words, size_t count) {
    size_t operations = 0;
    if (lmb_spirv_check_shape(words, count, NULL) == LMB_OK) {
        for (size_t at = HEADER_WORDS; at < count; at += length(words[at])) {
            operations += is_float_operation(opcode(words[at]));
        }
    }
    return operations;
}

// Returns a copy with a gap of `more` words at `at`.
static uint32_t *copy_with_gap(const lmb_host *host, const uint32_t *words, size_t count, size_t at, size_t more) {
    uint32_t *copy = lmb_host_allocate(host, count + more, sizeof *copy);
    if (copy != NULL) {
        memcpy(copy, words, at * sizeof *copy);
        memcpy(copy + at + more, words + at, (count - at) * sizeof *copy);
    }
    return copy;
}

lmb_result lmb_spirv_forbid_contraction(const lmb_host *host, const uint32_t *words, size_t count, lmb_spirv *result,
                                        lmb_error *error) {
    lmb_result shape = lmb_spirv_check_shape(words, count, error);
    if (shape != LMB_OK) {
        return shape;
    }
    uint8_t *decorated = find_decorated(host, words, count);
    if (decorated == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "SPIR-V: no memory for %u ids", (unsigned)words[BOUND]);
    }
    size_t bare = 0;
    size_t types = 0; // annotations come before the first type
    for (size_t at = HEADER_WORDS; at < count; at += length(words[at])) {
        uint32_t op = opcode(words[at]);
        bare += is_float_operation(op) && !decorated[words[at + 2]];
        if (types == 0 && op >= OP_TYPE_VOID && op <= OP_TYPE_LAST) {
            types = at;
        }
    }
    size_t gap = types != 0 ? types : count;
    uint32_t *copy = copy_with_gap(host, words, count, gap, 3 * bare);
    for (size_t at = HEADER_WORDS; copy != NULL && at < count; at += length(words[at])) {
        if (is_float_operation(opcode(words[at])) && !decorated[words[at + 2]]) {
            copy[gap++] = 3u << 16 | OP_DECORATE;
            copy[gap++] = words[at + 2];
            copy[gap++] = DECORATION_NO_CONTRACTION;
        }
    }
    lmb_host_release(host, decorated);
    if (copy == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "SPIR-V: no memory for %zu words", count + 3 * bare);
    }
    *result = (lmb_spirv){copy, count + 3 * bare};
    return LMB_OK;
}

void lmb_spirv_declare_in_bounds(uint32_t *words, size_t count) {
    for (size_t type = HEADER_WORDS; type < count; type += length(words[type])) {
        if (opcode(words[type]) != OP_TYPE_POINTER || words[type + 2] != STORAGE_CLASS_PHYSICAL_STORAGE_BUFFER) {
            continue;
        }
        for (size_t at = HEADER_WORDS; at < count; at += length(words[at])) {
            if (opcode(words[at]) == OP_ACCESS_CHAIN && words[at + 1] == words[type + 1]) {
                words[at] = (words[at] & 0xffff0000u) | OP_IN_BOUNDS_ACCESS_CHAIN;
            }
        }
    }
}

void lmb_spirv_keep_loops(uint32_t *words, size_t count) {
    for (size_t at = HEADER_WORDS; at < count; at += length(words[at])) {
        if (opcode(words[at]) == OP_LOOP_MERGE && words[at + 3] == LOOP_CONTROL_UNROLL) {
            words[at + 3] = LOOP_CONTROL_DONT_UNROLL;
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
    for (size_t at = HEADER_WORDS; at < count; at += length(words[at])) {
        if (opcode(words[at]) == OP_ENTRY_POINT) {
            mode_at = at + length(words[at]);
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
    const uint32_t capability[2] = {2u << 16 | OP_CAPABILITY, CAPABILITY_ROUNDING_MODE_RTE};
    const uint32_t mode[4] = {4u << 16 | OP_EXECUTION_MODE, entry, EXECUTION_MODE_ROUNDING_MODE_RTE, 32};
    memcpy(copy, words, HEADER_WORDS * sizeof *copy);
    memcpy(copy + HEADER_WORDS, capability, sizeof capability);
    memcpy(copy + HEADER_WORDS + 2, words + HEADER_WORDS, (mode_at - HEADER_WORDS) * sizeof *copy);
    memcpy(copy + mode_at + 2, mode, sizeof mode);
    memcpy(copy + mode_at + 6, words + mode_at, (count - mode_at) * sizeof *copy);
    *result = (lmb_spirv){copy, count + 6};
    return LMB_OK;
}

// Returns the id of a function by its source name, or 0 if there is none. Debug names append the parameters' types in
// parentheses.
static uint32_t find_function(const uint32_t *words, size_t count, const char *name) {
    size_t size = strlen(name);
    for (size_t at = HEADER_WORDS; at < count; at += length(words[at])) {
        const char *text = (const char *)(words + at + 2);
        if (opcode(words[at]) == OP_NAME && (length(words[at]) - 2) * 4 > size && memcmp(text, name, size) == 0 &&
            text[size] == '(') {
            return words[at + 1];
        }
    }
    return 0;
}

size_t lmb_spirv_keep_functions(uint32_t *words, size_t count, const char *prefix) {
    size_t kept = 0;
    if (lmb_spirv_check_shape(words, count, NULL) != LMB_OK) {
        return 0;
    }
    for (size_t name = HEADER_WORDS; name < count; name += length(words[name])) {
        const char *text = (const char *)(words + name + 2);
        if (opcode(words[name]) != OP_NAME || (length(words[name]) - 2) * 4 < strlen(prefix) ||
            strncmp(text, prefix, strlen(prefix)) != 0) {
            continue;
        }
        for (size_t at = HEADER_WORDS; at < count; at += length(words[at])) {
            if (opcode(words[at]) == OP_FUNCTION && words[at + 2] == words[name + 1]) {
                words[at + 3] = FUNCTION_CONTROL_DONT_INLINE;
                kept++;
            }
        }
    }
    return kept;
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
    for (size_t at = HEADER_WORDS; at < count; at += length(words[at])) {
        uint32_t op = opcode(words[at]);
        if (op == OP_TYPE_INT && words[at + 2] == 32 && words[at + 3] == 0) {
            s->unsigned_type = words[at + 1];
        } else if (op == OP_FUNCTION) {
            s->constants_at = s->constants_at == 0 ? at : s->constants_at;
            inside = id != 0 && words[at + 2] == id;
            s->void_type = inside ? words[at + 1] : s->void_type;
        } else if (inside && op == OP_LABEL && s->body_at == 0) {
            s->body_at = at + length(words[at]);
        } else if (inside && op == OP_FUNCTION_END) {
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
    const uint32_t words[4] = {2u << 16 | OP_BRANCH, w->merge, 2u << 16 | OP_LABEL, w->merge};
    write_words(w, words, w->merge != 0 ? 4 : 0);
    w->merge = 0;
}

static void begin_decided(writer *w, uint32_t result) {
    const uint32_t then = w->next++;
    w->merge = w->next++;
    const uint32_t words[9] = {
        3u << 16 | OP_SELECTION_MERGE, w->merge, 0, 4u << 16 | OP_BRANCH_CONDITIONAL, result, then, w->merge,
        2u << 16 | OP_LABEL,           then};
    write_words(w, words, 9);
}

// Returns the type of a function's result.
static uint32_t result_type(const uint32_t *words, size_t count, uint32_t function) {
    for (size_t at = HEADER_WORDS; at < count; at += length(words[at])) {
        if (opcode(words[at]) == OP_FUNCTION && words[at + 2] == function) {
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
            6u << 16 | OP_FUNCTION_CALL, result_type(words, count, callee), w->next++, callee, argument, argument + 1};
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
    writer w = {.words = lmb_host_allocate(host, size, sizeof *w.words), .next = words[BOUND]};
    if (w.words == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "SPIR-V: no memory for %zu words", size);
    }
    const uint32_t constants = w.next;
    write_words(&w, words, s.constants_at);
    for (size_t i = 0; i < 2 * call_count; i++) {
        const uint32_t constant[4] = {4u << 16 | OP_CONSTANT, s.unsigned_type, w.next++, calls[i / 2].arguments[i % 2]};
        write_words(&w, constant, 4);
    }
    write_words(&w, words + s.constants_at, s.body_at - s.constants_at);
    found = write_calls(&w, words, count, calls, call_count, constants, error);
    if (found != LMB_OK) {
        lmb_host_release(host, w.words);
        return found;
    }
    const uint32_t end = 1u << 16 | OP_RETURN;
    write_words(&w, &end, 1);
    write_words(&w, words + s.body_end, count - s.body_end);
    w.words[BOUND] = w.next;
    for (size_t i = HEADER_WORDS; i < w.at; i += length(w.words[i])) {
        if (opcode(w.words[i]) == OP_FUNCTION) {
            w.words[i + 3] = 0;
        }
    }
    *result = (lmb_spirv){w.words, w.at};
    return LMB_OK;
}

lmb_result lmb_spirv_check(const lmb_host *host, const uint32_t *words, size_t count, lmb_error *error) {
    lmb_result result = lmb_spirv_check_shape(words, count, error);
    if (result != LMB_OK) {
        return result;
    }
    uint8_t *decorated = find_decorated(host, words, count);
    if (decorated == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "SPIR-V: no memory for %u ids", (unsigned)words[BOUND]);
    }
    for (size_t at = HEADER_WORDS; at < count && result == LMB_OK; at += length(words[at])) {
        uint32_t op = opcode(words[at]);
        if (is_float_operation(op) && !decorated[words[at + 2]]) {
            result = lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: word %zu: opcode %u, id %u, lacks NoContraction", at,
                              (unsigned)op, (unsigned)words[at + 2]);
        } else if (is_banned(op)) {
            result = lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: word %zu: opcode %u is not rounded alike everywhere",
                              at, (unsigned)op);
        } else if (op == OP_EXT_INST && !is_exact(words[at + 4])) {
            result = lmb_fail(error, LMB_ERROR_FORMAT,
                              "SPIR-V: word %zu: extended instruction %u is not rounded alike everywhere", at,
                              (unsigned)words[at + 4]);
        } else if (op == OP_TYPE_FLOAT && words[at + 2] != 32) {
            result =
                lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: word %zu: floats of %u bits", at, (unsigned)words[at + 2]);
        }
    }
    lmb_host_release(host, decorated);
    return result;
}
