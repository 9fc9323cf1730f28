// Untrusted scripts of `limber play`: a script is read completely, or refused with line and column.
#include "tools/play_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "script_fuzz: %s\n", what);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    play_script script;
    lmb_error error = {0};
    lmb_result result = play_script_read((const char *)data, size, &script, &error);
    if (result != LMB_OK) {
        require(strncmp(error.message, "line ", 5) == 0, "a failure without a place");
        require(script.lines == NULL && script.count == 0, "a failure that leaves lines");
        return 0;
    }
    double latest = 0.0;
    for (uint32_t i = 0; i < script.count; i++) {
        const play_line *line = &script.lines[i];
        require(line->seconds >= latest && line->seconds <= 1e6, "times out of order");
        require(line->name[0] != '\0' && memchr(line->name, '\0', sizeof line->name) != NULL, "no name");
        require(line->number >= 1 && line->column >= 1, "no place");
        latest = line->seconds;
    }
    play_script_release(&script);
    return 0;
}
