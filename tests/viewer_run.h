// Runs the viewer as a user does.
#ifndef LIMBER_TESTS_VIEWER_RUN_H
#define LIMBER_TESTS_VIEWER_RUN_H

typedef struct viewer_result {
    int status;        // what it ended with, or -1
    char output[8192]; // stdout and stderr, or their beginning
} viewer_result;

// With these arguments, and before it what sets variables for it, or "".
viewer_result viewer_run(const char *before, const char *arguments);
// Fails the test where the status is another, or the text is not in the output.
void viewer_expect(const viewer_result *result, int status, const char *text);

#endif
