// Build tool for SPIR-V modules.
// - embed IN.spv OUT.spv [PREFIX] forbids contraction in a module, declares access chains of buffers in bounds, and
//   prevents inlining of functions whose names begin with PREFIX.
// - embed --hoist IN.spv OUT.spv moves the arithmetic of small branches before the branch.
// - embed --lower IN.spv OUT.spv makes a module of SPIR-V 1.5 one of 1.3.
// - embed --array NAME IN.spv OUT.h checks a module and writes it as a C array.
// - embed --plain ... as the first and the last, but contraction stays allowed and nothing is checked. This is for the
//   bench's kernel without the promise.
#include "exact.h"
#include "hoist.h"
#include "lower.h"

#include "../src/base/open_file.h"
#include "../src/tools/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail_if(lmb_result result, const char *path, const lmb_error *error) {
    if (result != LMB_OK) {
        fprintf(stderr, "embed: %s: %s\n", path, error->message);
        exit(1);
    }
}

static uint32_t *read_words(const char *path, size_t *count) {
    char *bytes = NULL;
    lmb_error error;
    fail_if(file_read(path, FILE_ANY_SIZE, &bytes, count, &error), "reading", &error);
    *count /= sizeof(uint32_t);
    return (uint32_t *)(void *)bytes;
}

// Returns a copy of a module.
static lmb_result copy_module(const lmb_host *host, const uint32_t *words, size_t count, lmb_spirv *copy,
                              lmb_error *error) {
    *copy = (lmb_spirv){lmb_host_allocate(host, count, sizeof *words), count};
    if (copy->words == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "SPIR-V: no memory for %zu words", count);
    }
    memcpy(copy->words, words, count * sizeof *words);
    return LMB_OK;
}

static void forbid(const lmb_host *host, bool plain, const char *in, const char *out, const char *prefix) {
    size_t count;
    uint32_t *words = read_words(in, &count);
    lmb_spirv module;
    lmb_error error;
    fail_if(plain ? copy_module(host, words, count, &module, &error)
                  : exact_forbid_contraction(host, words, count, &module, &error),
            in, &error);
    if (prefix != NULL && exact_keep_functions(module.words, module.count, prefix) == 0) {
        fprintf(stderr, "embed: %s: no function is called %s...\n", in, prefix);
        exit(1);
    }
    exact_declare_in_bounds(module.words, module.count);
    fail_if(file_write(out, module.words, module.count * sizeof *module.words, &error), "writing", &error);
    lmb_spirv_release(host, &module);
    free(words);
}

static void hoist(const lmb_host *host, const char *in, const char *out) {
    size_t count, branches;
    uint32_t *words = read_words(in, &count);
    lmb_spirv module;
    lmb_error error;
    fail_if(hoist_branches(host, words, count, &module, &branches, &error), in, &error);
    fail_if(file_write(out, module.words, module.count * sizeof *module.words, &error), "writing", &error);
    lmb_spirv_release(host, &module);
    free(words);
}

static void lower(const lmb_host *host, const char *in, const char *out) {
    size_t count;
    uint32_t *words = read_words(in, &count);
    lmb_spirv module;
    lmb_error error;
    fail_if(lower_module(host, words, count, &module, &error), in, &error);
    fail_if(file_write(out, module.words, module.count * sizeof *module.words, &error), "writing", &error);
    lmb_spirv_release(host, &module);
    free(words);
}

// Compilers warn of long strings, and new ones of those whose zero has no place.
static const char begin_string[] = "#pragma GCC diagnostic push\n"
                                   "#pragma GCC diagnostic ignored \"-Wpragmas\"\n"
                                   "#pragma GCC diagnostic ignored \"-Wunknown-warning-option\"\n"
                                   "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"
                                   "#pragma GCC diagnostic ignored \"-Wunterminated-string-initialization\"\n";

// Writes the words as a string of 32-bit characters, which compilers read five times as fast as a list of numbers.
static void embed(const lmb_host *host, bool plain, const char *name, const char *in, const char *out) {
    size_t count;
    uint32_t *words = read_words(in, &count);
    lmb_error error;
    fail_if(plain ? LMB_OK : exact_check(host, words, count, &error), in, &error);
    const char *why;
    FILE *file = lmb_open_file(out, LMB_OPEN_WRITE, &why);
    if (file == NULL) {
        fprintf(stderr, "embed: %s: %s\n", out, why);
        exit(1);
    }
    fprintf(file, "%sstatic const uint32_t %s[%zu] =", begin_string, name, count);
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "%s\\x%x", i % 12 != 0 ? "" : i == 0 ? "\n    U\"" : "\"\n    U\"", (unsigned)words[i]);
    }
    fprintf(file, "\";\n#pragma GCC diagnostic pop\n");
    fclose(file);
    free(words);
}

int main(int argc, char **argv) {
    lmb_host host = lmb_host_resolve(NULL);
    const bool plain = argc > 1 && strcmp(argv[1], "--plain") == 0;
    argc -= plain;
    argv += plain;
    if (argc == 5 && strcmp(argv[1], "--array") == 0) {
        embed(&host, plain, argv[2], argv[3], argv[4]);
    } else if (argc == 4 && strcmp(argv[1], "--hoist") == 0) {
        hoist(&host, argv[2], argv[3]);
    } else if (argc == 4 && strcmp(argv[1], "--lower") == 0) {
        lower(&host, argv[2], argv[3]);
    } else if (argc == 3 || argc == 4) {
        forbid(&host, plain, argv[1], argv[2], argc == 4 ? argv[3] : NULL);
    } else {
        fprintf(stderr, "usage: embed [--plain] IN.spv OUT.spv [PREFIX] | embed --hoist IN.spv OUT.spv | embed --lower "
                        "IN.spv OUT.spv | embed [--plain] --array NAME IN.spv OUT.h\n");
        return 2;
    }
    return 0;
}
