// The kernels are optimised as SPIR-V 1.5, because spirv-opt leaves out most passes for a module with an extension that
// it does not know, and 1.3 has buffers by address as such. What differs between the versions are declarations, and
// selections of structs, which become a selection of each member.
#include "lower.h"

#include "../src/base/host.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

#define VERSION_1_3 0x00010300u
#define EXTENSION "SPV_KHR_physical_storage_buffer"

enum { EXTENSION_WORDS = 1 + (sizeof EXTENSION + 3) / 4, EXTRACT_WORDS = 5, SELECT_WORDS = 6, CONSTRUCT_WORDS = 3 };

// A module that is read, and its copy.
typedef struct lowered {
    const uint32_t *words;
    size_t count;
    const size_t *defined; // [id]: where a variable or a struct is declared, or 0
    uint32_t *copy;        // NULL: only counts
    size_t length;         // of the copy
    uint32_t bound;        // of its ids
} lowered;

static void put(lowered *m, const uint32_t *words, size_t count) {
    if (m->copy != NULL) {
        memcpy(m->copy + m->length, words, count * sizeof *words);
    }
    m->length += count;
}

// Puts an entry point, with inputs and outputs alone. Version 1.4 lists all variables that it uses.
static void put_entry_point(lowered *m, const uint32_t *words) {
    const uint32_t end = spirv_length(words[0]);
    uint32_t name_end = 3; // behind the word of the name that has a zero byte
    while (name_end < end && memchr(&words[name_end], '\0', sizeof *words) == NULL) {
        name_end++;
    }
    name_end = name_end < end ? name_end + 1 : end;
    const size_t begin = m->length;
    put(m, words, name_end);
    for (uint32_t i = name_end; i < end; i++) {
        const size_t variable = words[i] < m->words[SPIRV_BOUND] ? m->defined[words[i]] : 0;
        if (variable == 0 || m->words[variable + 3] == SpvStorageClassInput ||
            m->words[variable + 3] == SpvStorageClassOutput) {
            put(m, &words[i], 1);
        }
    }
    if (m->copy != NULL) {
        m->copy[begin] = (uint32_t)(m->length - begin) << 16 | SpvOpEntryPoint;
    }
}

// Puts selections of the members of a struct, and the struct of them.
static void put_select(lowered *m, const uint32_t *words, const uint32_t *type) {
    const uint32_t members = spirv_length(type[0]) - 2, first = m->bound;
    for (uint32_t i = 0; i < members; i++) {
        const uint32_t a = m->bound, b = a + members, result = b + members;
        const uint32_t extract[2][EXTRACT_WORDS] = {
            {EXTRACT_WORDS << 16 | SpvOpCompositeExtract, type[2 + i], a, words[4], i},
            {EXTRACT_WORDS << 16 | SpvOpCompositeExtract, type[2 + i], b, words[5], i}};
        const uint32_t select[SELECT_WORDS] = {SELECT_WORDS << 16 | SpvOpSelect, type[2 + i], result, words[3], a, b};
        put(m, extract[0], EXTRACT_WORDS);
        put(m, extract[1], EXTRACT_WORDS);
        put(m, select, SELECT_WORDS);
        m->bound++;
    }
    const uint32_t construct[CONSTRUCT_WORDS] = {(CONSTRUCT_WORDS + members) << 16 | SpvOpCompositeConstruct, words[1],
                                                 words[2]};
    put(m, construct, CONSTRUCT_WORDS);
    for (uint32_t i = 0; i < members; i++) {
        const uint32_t result = first + 2 * members + i;
        put(m, &result, 1);
    }
    m->bound = first + 3 * members;
}

// Puts the whole module. Returns where an instruction is that 1.3 does not have, or 0.
static size_t put_module(lowered *m) {
    uint32_t extension[EXTENSION_WORDS] = {EXTENSION_WORDS << 16 | SpvOpExtension};
    memcpy(extension + 1, EXTENSION, sizeof EXTENSION);
    m->length = 0;
    m->bound = m->words[SPIRV_BOUND];
    put(m, m->words, SPIRV_HEADER_WORDS);
    bool has_extension = false;
    for (size_t at = SPIRV_HEADER_WORDS; at < m->count; at += spirv_length(m->words[at])) {
        const uint32_t *words = m->words + at, op = spirv_opcode(words[0]);
        if (op == SpvOpCopyLogical) {
            return at;
        }
        if (!has_extension && op != SpvOpCapability) { // extensions follow capabilities
            put(m, extension, EXTENSION_WORDS);
            has_extension = true;
        }
        const size_t type = op == SpvOpSelect && words[1] < m->words[SPIRV_BOUND] ? m->defined[words[1]] : 0;
        if (op == SpvOpEntryPoint) {
            put_entry_point(m, words);
        } else if (type != 0) {
            put_select(m, words, m->words + type);
        } else {
            put(m, words, spirv_length(words[0]));
        }
    }
    return 0;
}

lmb_result lower_module(const lmb_host *host, const uint32_t *words, size_t count, lmb_spirv *result,
                        lmb_error *error) {
    lmb_result shape = lmb_spirv_check_shape(words, count, error);
    if (shape != LMB_OK) {
        return shape;
    }
    size_t *defined = lmb_host_allocate(host, words[SPIRV_BOUND], sizeof *defined);
    if (defined == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "SPIR-V: no memory for %u ids", (unsigned)words[SPIRV_BOUND]);
    }
    for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words[at])) {
        const uint32_t op = spirv_opcode(words[at]);
        const uint32_t id = op == SpvOpTypeStruct                                 ? words[at + 1]
                            : op == SpvOpVariable && spirv_length(words[at]) >= 4 ? words[at + 2]
                                                                                  : 0;
        if (id != 0 && id < words[SPIRV_BOUND]) {
            defined[id] = at;
        }
    }
    lowered module = {.words = words, .count = count, .defined = defined};
    const size_t refused = put_module(&module);
    module.copy = refused == 0 ? lmb_host_allocate(host, module.length, sizeof *module.copy) : NULL;
    if (module.copy != NULL) {
        put_module(&module);
        module.copy[1] = VERSION_1_3;
        module.copy[SPIRV_BOUND] = module.bound;
        *result = (lmb_spirv){module.copy, module.length};
    }
    lmb_host_release(host, defined);
    return module.copy != NULL ? LMB_OK
           : refused == 0
               ? lmb_fail(error, LMB_ERROR_MEMORY, "SPIR-V: no memory for %zu words", module.length)
               : lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: word %zu: version 1.3 has no OpCopyLogical", refused);
}
