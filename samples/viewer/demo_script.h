// A script: lines of `TIME send EVENT` and `TIME set NAME VALUE`, in the order of their times; `#` begins a comment.
#ifndef LIMBER_SAMPLES_VIEWER_DEMO_SCRIPT_H
#define LIMBER_SAMPLES_VIEWER_DEMO_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCRIPT_LINES 64u

typedef struct demo_script_line {
    double time; // seconds
    char name[32];
    bool sends; // an event; sets otherwise
    float value;
} demo_script_line;

typedef struct demo_script {
    demo_script_line lines[SCRIPT_LINES];
    uint32_t count;
    uint32_t next;
} demo_script;

// False where a line is none of the above; the number of that line is then in `count`.
bool demo_script_read(const char *text, size_t size, demo_script *script);
// The next line whose time has come, or NULL.
const demo_script_line *demo_script_take(demo_script *script, double time);

#endif
