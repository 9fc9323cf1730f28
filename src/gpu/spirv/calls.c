// Replaces the body of a function by calls. Each call has a copy of the called function with the constants in place of
// its parameters.
#include "spirv.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

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
    size_t types_at;     // the first type; decorations come before it
    size_t constants_at; // the first function; constants come before it
    size_t body_at;      // after the label of the function whose body is replaced
    size_t body_end;     // its OpFunctionEnd
} splice;

static lmb_result find_splice(const uint32_t *words, size_t count, const char *function, splice *s, lmb_error *error) {
    uint32_t id = find_function(words, count, function);
    bool inside = false;
    for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words[at])) {
        uint32_t op = spirv_opcode(words[at]);
        if (op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer && s->types_at == 0) {
            s->types_at = at;
        }
        if (op == SpvOpTypeInt && words[at + 2] == 32 && words[at + 3] == 0) {
            s->unsigned_type = words[at + 1];
        } else if (op == SpvOpFunction) {
            s->constants_at = s->constants_at == 0 ? at : s->constants_at;
            inside = id != 0 && words[at + 2] == id;
        } else if (inside && op == SpvOpLabel && s->body_at == 0) {
            s->body_at = at + spirv_length(words[at]);
        } else if (inside && op == SpvOpFunctionEnd) {
            s->body_end = at;
            inside = false;
        }
    }
    const bool is_ordered = s->types_at != 0 && s->types_at < s->constants_at;
    if (s->unsigned_type == 0 || !is_ordered || s->body_at == 0 || s->body_end < s->body_at) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: there is no function '%s' to fill", function);
    }
    return LMB_OK;
}

// A function of the module.
typedef struct function {
    size_t at, end;
    uint32_t type; // of its result
    uint32_t parameters;
    uint32_t ids;
    uint32_t decoration_words;
} function;

// A call. The ids of the copy that it calls are in the order of the function's, and begin with that of the copy.
typedef struct call {
    uint32_t function; // its index
    uint32_t first_id;
    uint32_t argument; // id of the first of the constants
} call;

enum { ARGUMENTS = 2 };

// The max words of a call: its constants of 4 words, the call of 6, and the branches around the code that it decides
// on.
#define CALL_WORDS 27u

// The module that is read and the one that is written. New ids are consecutive.
typedef struct writer {
    const uint32_t *words;
    size_t count;
    uint32_t bound;     // of ids
    uint32_t *owners;   // [id]: 1 plus the index of the function that defines it, or 0
    uint32_t *ordinals; // [id]: its index among those of the function, which is the first itself
    function *functions;
    call *calls;
    size_t call_count;
    uint32_t *to;
    size_t at;
    uint32_t next;
    uint32_t merges[LMB_SPIRV_MOST_NESTED]; // labels after the code that calls around the current one decide on
    uint32_t nested;
} writer;

static void write_words(writer *w, const uint32_t *words, size_t count) {
    memcpy(w->to + w->at, words, count * sizeof *words);
    w->at += count;
}

// ---- Functions, and their copies. ----

static bool is_decoration(const writer *w, size_t at) {
    return spirv_opcode(w->words[at]) == SpvOpDecorate && w->words[at + 1] < w->bound &&
           w->owners[w->words[at + 1]] != 0;
}

// Finds all functions and their ids. Returns false if an id is out of bounds.
static bool find_functions(writer *w, const splice *s) {
    uint32_t index = 0;
    for (size_t at = s->constants_at; at < w->count; at += spirv_length(w->words[at])) {
        const uint32_t *words = w->words + at;
        const uint32_t op = spirv_opcode(words[0]);
        if (op == SpvOpFunction) {
            w->functions[index++] = (function){.at = at, .type = words[1]};
        }
        function *f = &w->functions[index - 1];
        const size_t defined = lmb_spirv_defined_at(words);
        if (defined != 0) {
            if (words[defined] >= w->bound) {
                return false;
            }
            w->owners[words[defined]] = index;
            w->ordinals[words[defined]] = f->ids++;
        }
        f->parameters += op == SpvOpFunctionParameter;
        f->end = at + spirv_length(words[0]);
    }
    for (size_t at = SPIRV_HEADER_WORDS; at < s->types_at; at += spirv_length(w->words[at])) {
        if (is_decoration(w, at)) {
            w->functions[w->owners[w->words[at + 1]] - 1].decoration_words += spirv_length(w->words[at]);
        }
    }
    return true;
}

// Returns the id that stands for one of a function in a call's copy: a constant for a parameter.
static uint32_t copied_id(const writer *w, const call *c, uint32_t id) {
    if (id >= w->bound || w->owners[id] != c->function + 1) {
        return id;
    }
    const uint32_t ordinal = w->ordinals[id];
    return ordinal >= 1 && ordinal <= ARGUMENTS ? c->argument + ordinal - 1 : c->first_id + ordinal;
}

// Returns whether a word of an instruction of a function is an id, not a literal.
static bool is_id(uint32_t op, size_t i) {
    switch (op) {
    case SpvOpSelectionMerge:
        return i < 2;
    case SpvOpStore:
    case SpvOpLoopMerge:
        return i < 3;
    case SpvOpLoad:
    case SpvOpCompositeExtract:
    case SpvOpBranchConditional:
        return i < 4;
    case SpvOpVectorShuffle:
    case SpvOpCompositeInsert:
        return i < 5;
    case SpvOpVariable:
    case SpvOpFunction:
        return i != 3;
    case SpvOpExtInst:
        return i != 4;
    case SpvOpSwitch:
        return i < 3 || i % 2 == 0;
    default:
        return true;
    }
}

static void write_copy(writer *w, const call *c) {
    const function *f = &w->functions[c->function];
    uint32_t parameter = c->first_id + 1;
    for (size_t at = f->at; at < f->end; at += spirv_length(w->words[at])) {
        const uint32_t op = spirv_opcode(w->words[at]);
        uint32_t *to = w->to + w->at;
        write_words(w, w->words + at, spirv_length(w->words[at]));
        for (size_t i = 1; i < spirv_length(to[0]); i++) {
            to[i] = is_id(op, i) ? copied_id(w, c, to[i]) : to[i];
        }
        if (op == SpvOpFunctionParameter) {
            to[2] = parameter++; // nothing uses it any more
        }
    }
}

// Writes the decorations of all copies.
static void write_decorations(writer *w, const splice *s) {
    for (size_t at = SPIRV_HEADER_WORDS; at < s->types_at; at += spirv_length(w->words[at])) {
        const uint32_t owner = is_decoration(w, at) ? w->owners[w->words[at + 1]] : 0;
        for (size_t i = 0; i < w->call_count && owner != 0; i++) {
            if (w->calls[i].function + 1 == owner) {
                const size_t place = w->at;
                write_words(w, w->words + at, spirv_length(w->words[at]));
                w->to[place + 1] = copied_id(w, &w->calls[i], w->words[at + 1]);
            }
        }
    }
}

// ---- The calls. ----

static void begin_decided(writer *w, uint32_t result) {
    const uint32_t then = w->next++, merge = w->next++;
    const uint32_t words[9] = {
        3u << 16 | SpvOpSelectionMerge, merge, 0, 4u << 16 | SpvOpBranchConditional, result, then, merge,
        2u << 16 | SpvOpLabel,          then};
    write_words(w, words, 9);
    w->merges[w->nested++] = merge;
}

static void end_decided(writer *w) {
    const uint32_t merge = w->merges[--w->nested];
    const uint32_t words[4] = {2u << 16 | SpvOpBranch, merge, 2u << 16 | SpvOpLabel, merge};
    write_words(w, words, 4);
}

static void write_body(writer *w, const lmb_spirv_call *calls) {
    for (size_t i = 0; i < w->call_count; i++) {
        const call *c = &w->calls[i];
        const uint32_t words[6] = {6u << 16 | SpvOpFunctionCall,
                                   w->functions[c->function].type,
                                   w->next++,
                                   c->first_id,
                                   c->argument,
                                   c->argument + 1};
        write_words(w, words, 6);
        if (calls[i].decides) {
            begin_decided(w, words[2]);
        }
        for (uint32_t ended = 0; ended < calls[i].ends && w->nested > 0; ended++) {
            end_decided(w);
        }
    }
    const uint32_t end = 1u << 16 | SpvOpReturn;
    write_words(w, &end, 1);
}

static void write_module(writer *w, const splice *s, const lmb_spirv_call *calls) {
    write_words(w, w->words, s->types_at);
    write_decorations(w, s);
    write_words(w, w->words + s->types_at, s->constants_at - s->types_at);
    for (size_t i = 0; i < ARGUMENTS * w->call_count; i++) {
        const uint32_t constant[4] = {4u << 16 | SpvOpConstant, s->unsigned_type,
                                      w->calls[i / ARGUMENTS].argument + (uint32_t)(i % ARGUMENTS),
                                      calls[i / ARGUMENTS].arguments[i % ARGUMENTS]};
        write_words(w, constant, 4);
    }
    write_words(w, w->words + s->constants_at, s->body_at - s->constants_at);
    write_body(w, calls);
    write_words(w, w->words + s->body_end, w->count - s->body_end);
    for (size_t i = 0; i < w->call_count; i++) {
        write_copy(w, &w->calls[i]);
    }
    w->to[SPIRV_BOUND] = w->next;
    for (size_t at = SPIRV_HEADER_WORDS; at < w->at; at += spirv_length(w->to[at])) {
        if (spirv_opcode(w->to[at]) == SpvOpFunction) {
            w->to[at + 3] = 0;
        }
    }
}

// Finds the called functions. Returns the words of the output.
static lmb_result plan(writer *w, const splice *s, const lmb_spirv_call *calls, size_t *size, lmb_error *error) {
    if (!find_functions(w, s)) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: an id is out of bounds");
    }
    *size = w->count + w->call_count * CALL_WORDS + 1 - (s->body_end - s->body_at);
    for (size_t i = 0; i < w->call_count; i++) {
        const uint32_t id = find_function(w->words, w->count, calls[i].function);
        const uint32_t owner = id < w->bound ? w->owners[id] : 0;
        if (id == 0 || owner == 0 || w->functions[owner - 1].parameters != ARGUMENTS) {
            return lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: there is no function '%s' to call", calls[i].function);
        }
        const function *f = &w->functions[owner - 1];
        w->calls[i] = (call){owner - 1, w->next, w->next + f->ids};
        w->next += f->ids + ARGUMENTS;
        *size += f->end - f->at + f->decoration_words;
    }
    return LMB_OK;
}

static bool allocate(const lmb_host *host, writer *w) {
    size_t functions = 0;
    for (size_t at = SPIRV_HEADER_WORDS; at < w->count; at += spirv_length(w->words[at])) {
        functions += spirv_opcode(w->words[at]) == SpvOpFunction;
    }
    w->owners = lmb_host_allocate(host, w->bound, sizeof *w->owners);
    w->ordinals = lmb_host_allocate(host, w->bound, sizeof *w->ordinals);
    w->functions = lmb_host_allocate(host, functions, sizeof *w->functions);
    w->calls = lmb_host_allocate(host, w->call_count + 1, sizeof *w->calls);
    return w->owners != NULL && w->ordinals != NULL && w->functions != NULL && w->calls != NULL;
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
    const uint32_t bound = words[SPIRV_BOUND];
    writer w = {.words = words, .count = count, .bound = bound, .call_count = call_count, .next = bound};
    size_t size = count;
    bool allocated = allocate(host, &w);
    if (allocated) {
        found = plan(&w, &s, calls, &size, error);
        w.to = found == LMB_OK ? lmb_host_allocate(host, size, sizeof *w.to) : NULL;
        allocated = found != LMB_OK || w.to != NULL;
    }
    if (!allocated) {
        found = lmb_fail(error, LMB_ERROR_MEMORY, "SPIR-V: no memory for %zu words", size);
    } else if (found == LMB_OK) {
        write_module(&w, &s, calls);
        *result = (lmb_spirv){w.to, w.at};
    }
    lmb_host_release(host, w.owners);
    lmb_host_release(host, w.ordinals);
    lmb_host_release(host, w.functions);
    lmb_host_release(host, w.calls);
    return found;
}
