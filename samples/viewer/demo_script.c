#include "demo_script.h"

#include <stdio.h>
#include <string.h>

static bool read_line(const char *text, demo_script_line *line) {
    char verb[8];
    int used = 0;
    *line = (demo_script_line){0};
    if (sscanf(text, "%lf %7s %31s%n", &line->time, verb, line->name, &used) != 3) {
        return false;
    }
    line->sends = strcmp(verb, "send") == 0;
    return line->sends || (strcmp(verb, "set") == 0 && sscanf(text + used, "%f", &line->value) == 1);
}

static bool says_nothing(const char *text) {
    size_t blank = strspn(text, " \t");
    return text[blank] == '\0' || text[blank] == '#';
}

bool demo_script_read(const char *text, size_t size, demo_script *script) {
    *script = (demo_script){0};
    uint32_t number = 0;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end != NULL ? (size_t)(end - text) - at : size - at;
        char line[128] = {0};
        memcpy(line, text + at, length < sizeof line - 1 ? length : sizeof line - 1);
        at += length + 1;
        number++;
        if (!says_nothing(line) &&
            (script->count == SCRIPT_LINES || !read_line(line, &script->lines[script->count++]))) {
            script->count = number;
            return false;
        }
    }
    return true;
}

const demo_script_line *demo_script_take(demo_script *script, double time) {
    bool due = script->next < script->count && script->lines[script->next].time <= time;
    return due ? &script->lines[script->next++] : NULL;
}
