// Build tool for SPIR-V modules.
// - embed IN.spv OUT.spv [PREFIX] forbids contraction in a module, declares access chains of buffers in bounds, and
//   prevents inlining of functions whose names begin with PREFIX.
// - embed --array NAME IN.spv OUT.h checks a module and writes it as a C array.
#include "exact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t *read_words(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "embed: %s: cannot be read\n", path);
        exit(1);
    }
    long size = ftell(file);
    rewind(file);
    uint32_t *words = malloc(size > 0 ? (size_t)size : 1);
    *count = size > 0 ? (size_t)size / sizeof *words : 0;
    if (words == NULL || fread(words, sizeof *words, *count, file) != *count) {
        fprintf(stderr, "embed: %s: cannot be read\n", path);
        exit(1);
    }
    fclose(file);
    return words;
}

static FILE *open_output(const char *path) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        fprintf(stderr, "embed: %s: cannot be written\n", path);
        exit(1);
    }
    return file;
}

static void fail_if(lmb_result result, const char *path, const lmb_error *error) {
    if (result != LMB_OK) {
        fprintf(stderr, "embed: %s: %s\n", path, error->message);
        exit(1);
    }
}

static void forbid(const lmb_host *host, const char *in, const char *out, const char *prefix) {
    size_t count;
    uint32_t *words = read_words(in, &count);
    lmb_spirv module;
    lmb_error error;
    fail_if(exact_forbid_contraction(host, words, count, &module, &error), in, &error);
    if (prefix != NULL && exact_keep_functions(module.words, module.count, prefix) == 0) {
        fprintf(stderr, "embed: %s: no function is called %s...\n", in, prefix);
        exit(1);
    }
    exact_declare_in_bounds(module.words, module.count);
    FILE *file = open_output(out);
    fwrite(module.words, sizeof *module.words, module.count, file);
    fclose(file);
    lmb_spirv_release(host, &module);
    free(words);
}

static void embed(const lmb_host *host, const char *name, const char *in, const char *out) {
    size_t count;
    uint32_t *words = read_words(in, &count);
    lmb_error error;
    fail_if(exact_check(host, words, count, &error), in, &error);
    FILE *file = open_output(out);
    fprintf(file, "static const uint32_t %s[%zu] = {", name, count);
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "%s0x%08x,", i % 10 == 0 ? "\n    " : " ", (unsigned)words[i]);
    }
    fprintf(file, "\n};\n");
    fclose(file);
    free(words);
}

int main(int argc, char **argv) {
    lmb_host host = lmb_host_resolve(NULL);
    if (argc == 5 && strcmp(argv[1], "--array") == 0) {
        embed(&host, argv[2], argv[3], argv[4]);
    } else if (argc == 3 || argc == 4) {
        forbid(&host, argv[1], argv[2], argc == 4 ? argv[3] : NULL);
    } else {
        fprintf(stderr, "usage: embed IN.spv OUT.spv [PREFIX] | embed --array NAME IN.spv OUT.h\n");
        return 2;
    }
    return 0;
}
