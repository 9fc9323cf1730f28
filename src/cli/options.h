// Options of a subcommand: read, checked and explained from one table.
#ifndef LIMBER_SRC_CLI_OPTIONS_H
#define LIMBER_SRC_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a value must look like, and what `target` points to.
typedef enum option_kind {
    OPTION_FLAG,    // bool; takes no value
    OPTION_TEXT,    // const char *
    OPTION_COUNT,   // uint32_t, 1 or more
    OPTION_NUMBER,  // uint64_t
    OPTION_SECONDS, // option_seconds: one more each time the option is given
    OPTION_TEXTS    // option_texts: one more each time
} option_kind;

// Room for as many values as there are arguments is the caller's.
typedef struct option_seconds {
    float *values;
    uint32_t count;
} option_seconds;

typedef struct option_texts {
    const char **values;
    uint32_t count;
} option_texts;

typedef struct option {
    const char *name; // with its dashes
    option_kind kind;
    void *target;
    const char *value; // what the help calls its value
    const char *help;
} option;

typedef struct usage {
    const char *command;  // "sample"
    const char *synopsis; // what follows the command's name
    const char *text;     // what the command does; lines that end in a line break
    const option *options;
    size_t option_count;
    bool takes_files;
} usage;

// Reads argv[0 .. argc), which follow the command's name. False where the command is to end at once with *status: help
// was asked for (0), or the usage is wrong (2, told on stderr). The arguments that are no options are moved to the front
// of argv and counted: 1 or more, or none where the command takes no files, and `file_count` may be NULL.
bool options_read(const usage *usage, int argc, char **argv, uint32_t *file_count, int *status);

// A finite number in plain decimal; false where the text is none.
bool option_read_float(const char *text, float *value);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
// Tells on stderr what is wrong with the usage of a command. Returns the exit status of such errors, 2.
int usage_error(const char *command, const char *format, ...);

#endif
