// Runs the command and reads what it says, for suites.
#ifndef LIMBER_TESTS_COMMAND_H
#define LIMBER_TESTS_COMMAND_H

#include <stdbool.h>

// A folder of its own, in which commands then run, and which goes at the end of the process.
bool command_enter_folder(void);
void command_leave_folder(void);

typedef struct command_output {
    int status; // exit status; -1 where it did not end by itself
    char *out;  // what stood on stdout and on stderr, terminated
    char *err;
} command_output;

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
// Runs a line of the shell.
command_output
command_run(const char *format, ...);
void command_output_release(command_output *output);

// The whole file, terminated, or NULL.
char *command_read_file(const char *path);

// Writes a glTF file of three joints and two clips, "Bend" and one with a name that JSON has to escape.
bool command_write_small_gltf(const char *path);

#endif
