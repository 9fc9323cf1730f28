// Runs the viewer as a user does.
#define _POSIX_C_SOURCE 200809L
#ifndef LIMBER_TESTS_SAMPLES_VIEWER_RUN_H
#define LIMBER_TESTS_SAMPLES_VIEWER_RUN_H

typedef struct viewer_result {
    int status;        // the exit status, or -1
    char output[8192]; // stdout and stderr, or their beginning
} viewer_result;

// Runs the viewer with these arguments. `before` precedes the command and sets variables, or is "".
viewer_result viewer_run(const char *before, const char *arguments);
// Fails the test if the status differs, or if the output does not contain the text.
void viewer_expect(const viewer_result *result, int status, const char *text);

#endif
