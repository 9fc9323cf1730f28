// The options of a program or a subcommand: read, checked and explained from one table.
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
    OPTION_LIMITED, // option_limited, 1 or more
    OPTION_NUMBER,  // uint64_t
    OPTION_SECONDS, // option_seconds; each use of the option adds one
    OPTION_TEXTS,   // option_texts; each use of the option adds one
    OPTION_OTHER    // option_other
} option_kind;

typedef struct option_limited {
    uint32_t *value;
    uint32_t most;
} option_limited;

// A value that the caller reads. `read` stores it and returns NULL, or returns what a value must be.
typedef struct option_other {
    const char *(*read)(const char *text, void *target);
    void *target;
} option_other;

// The values are allocated when the first one is read, and the caller frees them.
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
    const char *help;  // lines
} option;

typedef enum option_files { OPTION_NO_FILES, OPTION_ONE_FILE, OPTION_SOME_FILES, OPTION_ANY_FILES } option_files;

typedef struct usage {
    const char *command;   // "limber sample"
    const char *synopsis;  // text after the command's name
    const char *text;      // what the command does; each line ends in a line break
    const option *options; // the last has no name
    option_files files;    // OPTION_SOME_FILES: 1 or more
    // So many of the options, the first in the list, must be given. They are texts or seconds.
    uint32_t required_count;
} usage;

// What command_line_read() returns if the command may run.
#define COMMAND_LINE_GOOD (-1)

// Reads argv[0 .. argc), which follow the command's name. Returns #COMMAND_LINE_GOOD, or the exit status with which the
// command must end at once: help was requested (0), or the usage is wrong (2, printed on stderr). Moves the arguments
// that are not options to the front of argv and counts them. `file_count` may be NULL if the command takes no files.
int command_line_read(const usage *usage, int argc, char **argv, uint32_t *file_count);

// Reads a finite number in plain decimal notation. Returns false if the text is not one.
bool option_read_float(const char *text, float *value);
// A number from 0 on that an option may give, as a distance. For option_other: `target` is one.
typedef struct option_distance {
    float value; // 0 or more
    bool is_given;
} option_distance;
const char *option_read_distance(const char *text, void *target);
// Reads a whole number, at most `most`. Returns false if the text is not one.
bool option_read_whole(const char *text, uint64_t most, uint64_t *number);

// Cuts NAME=FILE,FILE... into its parts: the text becomes the name. `files` has room for as many as the text has bytes.
// Returns the number of files, or 0 if the text is not of this form.
uint32_t option_split_files(char *text, char **files);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
// Prints on stderr what is wrong with the usage of a command. Returns the exit status of such errors, 2.
int usage_error(const char *command, const char *format, ...);

#endif
