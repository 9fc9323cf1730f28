// A script: lines of `TIME send EVENT` and `TIME set NAME VALUE`, in ascending order of time; `#` begins a comment.
#ifndef LIMBER_SAMPLES_VIEWER_DEMO_SCRIPT_H
#define LIMBER_SAMPLES_VIEWER_DEMO_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCRIPT_LINES 64u

typedef struct demo_script_line {
    double time; // seconds
    char name[32];
    bool sends; // an event; otherwise it sets a slider
    float value;
} demo_script_line;

typedef struct demo_script {
    demo_script_line lines[SCRIPT_LINES];
    uint32_t count;
    uint32_t next;
} demo_script;

// Returns false if a line has another form; `count` is then the number of that line.
bool demo_script_read(const char *text, size_t size, demo_script *script);
// Returns the next line that is due, or NULL.
const demo_script_line *demo_script_take(demo_script *script, double time);

#endif
