// Runs the command for suites and reads its output.
#ifndef LIMBER_TESTS_SUPPORT_COMMAND_H
#define LIMBER_TESTS_SUPPORT_COMMAND_H

#include <stdbool.h>

// Creates a folder in which commands then run. The folder is removed at the end of the process.
bool command_enter_folder(void);
void command_leave_folder(void);

typedef struct command_output {
    int status; // exit status; -1 if it did not exit by itself
    char *out;  // contents of stdout and stderr, null-terminated
    char *err;
} command_output;

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
// Runs a shell command line.
command_output
command_run(const char *format, ...);
void command_output_release(command_output *output);
// Runs a shell command line, which must end with this status.
command_output command_expect(int status, const char *line);
// Returns what a command line prints, which must succeed without a word on stderr. The caller frees it.
char *command_read(const char *line);
// Runs a command line, which must end with this status and say `message` on stderr.
void command_refuse(int status, const char *line, const char *message);

// Returns the whole file, null-terminated, or NULL.
char *command_read_file(const char *path);

// Writes a glTF file with three joints and two clips: "Bend", and one whose name needs escapes in JSON.
bool command_write_small_gltf(const char *path);

#endif
