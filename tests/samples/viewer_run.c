#define _POSIX_C_SOURCE 200809L
#include "viewer_run.h"

#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

viewer_result viewer_run(const char *before, const char *arguments) {
    char command[2048];
    viewer_result result = {.status = -1};
    snprintf(command, sizeof command, "%s '%s' %s 2>&1", before, LIMBER_VIEWER, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(result.output, 1, sizeof result.output - 1, pipe);
    result.output[length] = '\0';
    while (fgetc(pipe) != EOF) {
    }
    int status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return result;
}

void viewer_expect(const viewer_result *result, int status, const char *text) {
    if (result->status != status || strstr(result->output, text) == NULL) {
        fail_msg("expected status %d and \"%s\", got status %d and:\n%s", status, text, result->status, result->output);
    }
}
