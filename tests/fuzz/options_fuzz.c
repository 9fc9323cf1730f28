// Untrusted command-line options: the arguments are read, or refused with the status of wrong usage. In the input, each
// argument ends with a zero byte.
#include "command_line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 64, MOST_BYTES = 4096 };

static FILE *nowhere;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "options_fuzz: %s\n", what);
        abort();
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    nowhere = fopen("/dev/null", "w");
    require(nowhere != NULL, "no /dev/null");
    return 0;
}

// Discards the messages, which would otherwise fill the log.
static int read_quietly(const usage *usage, int argc, char **argv, uint32_t *files) {
    FILE *const kept_errors = stderr, *const kept_output = stdout;
    stderr = stdout = nowhere;
    const int status = command_line_read(usage, argc, argv, files);
    stderr = kept_errors;
    stdout = kept_output;
    return status;
}

static bool is_inside(const char *text, const char *begin, size_t size) {
    return text >= begin && text < begin + size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1); // exact size, for the sanitizer
    char *arguments[MOST_ARGUMENTS + 1] = {NULL};
    int count = 0;
    require(text != NULL, "no memory");
    memcpy(text, data, size);
    text[size] = '\0';
    for (size_t at = 1; at < size && count < MOST_ARGUMENTS; at += strlen(text + at) + 1) {
        arguments[count++] = text + at;
    }

    bool flag = false;
    const char *name = NULL;
    uint32_t number = 0, limited = 0;
    uint64_t seed = 0;
    option_seconds times = {0};
    option_texts texts = {0};
    const option options[] = {{"--name", OPTION_TEXT, &name, "TEXT", "a text"},
                              {"--flag", OPTION_FLAG, &flag, NULL, "a flag"},
                              {"--count", OPTION_COUNT, &number, "N", "a count"},
                              {"--seed", OPTION_NUMBER, &seed, "N", "a number"},
                              {"--at", OPTION_SECONDS, &times, "SECONDS", "a time"},
                              {"--pose", OPTION_TEXTS, &texts, "NAME", "a pose"},
                              {"--row", OPTION_LIMITED, &(option_limited){&limited, 16}, "N", "a row"},
                              {0}};
    const option_files takes = size > 0 ? data[0] % 4 : OPTION_NO_FILES;
    const usage usage = {.command = "fuzz",
                         .synopsis = "[options]",
                         .text = "Nothing.\n",
                         .options = options,
                         .files = takes,
                         .required_count = size > 0 ? data[0] / 4 % 2 : 0};
    uint32_t files = 0;
    const int status = read_quietly(&usage, count, arguments, takes == OPTION_NO_FILES ? NULL : &files);
    if (status == COMMAND_LINE_GOOD) {
        require(takes == OPTION_NO_FILES ? files == 0 : files <= (uint32_t)count, "another number of files");
        require(takes != OPTION_SOME_FILES || files > 0, "no file");
        require(takes != OPTION_ONE_FILE || files == 1, "not one file");
        require(limited <= 16, "a number above its limit");
        require(usage.required_count == 0 || name != NULL, "a required option that is missing");
        for (uint32_t i = 0; i < files; i++) {
            require(is_inside(arguments[i], text, size + 1), "a file that is no argument");
        }
        for (uint32_t i = 0; i < times.count; i++) {
            require(isfinite(times.values[i]), "a time that is not finite");
        }
        for (uint32_t i = 0; i < texts.count; i++) {
            require(is_inside(texts.values[i], text, size + 1), "a text that is no argument");
        }
        require(files + times.count + texts.count <= (uint32_t)count, "more than there are arguments");
    } else {
        require(status == 0 || status == 2, "another exit status");
    }
    free(times.values);
    free(texts.values);
    free(text);
    return 0;
}
