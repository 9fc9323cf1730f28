// Options of a subcommand, read, checked and explained from one table.
#ifndef LIMBER_SRC_TOOLS_COMMAND_LINE_H
#define LIMBER_SRC_TOOLS_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The form of an option's value, and the type that `target` points to.
typedef enum option_kind {
    OPTION_FLAG,    // bool; takes no value
    OPTION_TEXT,    // const char *
    OPTION_COUNT,   // uint32_t, 1 or more
    OPTION_NUMBER,  // uint64_t
    OPTION_SECONDS, // option_seconds; each use of the option adds one
    OPTION_TEXTS    // option_texts; each use of the option adds one
} option_kind;

// The caller provides room for as many values as there are arguments.
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
    const char *value; // name of its value in the help
    const char *help;
} option;

typedef struct usage {
    const char *command;  // "sample"
    const char *synopsis; // text after the command's name
    const char *text;     // what the command does; each line ends in a line break
    const option *options;
    size_t option_count;
    bool takes_files;
} usage;

// Reads argv[0 .. argc), which follow the command's name. Returns false if the command must end at once with *status:
// help was requested (0), or the usage is wrong (2, printed on stderr). Moves the arguments that are not options to the
// front of argv and counts them. There is at least 1, or none if the command takes no files; then `file_count` may be
// NULL.
bool command_line_read(const usage *usage, int argc, char **argv, uint32_t *file_count, int *status);

// Reads a finite number in plain decimal notation. Returns false if the text is not one.
bool option_read_float(const char *text, float *value);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
// Prints on stderr what is wrong with the usage of a command. Returns the exit status of such errors, 2.
int usage_error(const char *command, const char *format, ...);

#endif
