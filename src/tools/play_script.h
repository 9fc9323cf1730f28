// The script of `limber play`: what the host does and when, one action per line:
//
//     0.5  send JUMP_PRESS        # to every character
//     0.75 send JUMP_RELEASE 3    # to character 3 alone
//     1    set  speed 2.5
//
// Times are seconds, in order; # begins a comment. A line takes effect in the frame that is nearest to its time.
#ifndef LIMBER_SRC_TOOLS_PLAY_SCRIPT_H
#define LIMBER_SRC_TOOLS_PLAY_SCRIPT_H

#include <limber/base.h>

#define PLAY_NAME_SIZE 64

typedef struct play_line {
    double seconds;
    bool sets;                 // sets a parameter; otherwise sends an event
    char name[PLAY_NAME_SIZE]; // of the parameter or event
    float value;               // to set
    uint32_t character;        // LMB_NONE: all characters
    uint32_t number;           // of the line in the text, from 1
    uint32_t column;           // of the name, from 1
} play_line;

typedef struct play_script {
    play_line *lines;
    uint32_t count;
} play_script;

// Reads a text, which need not be terminated. Fails with #LMB_ERROR_FORMAT, whose message names line and column, and
// #LMB_ERROR_MEMORY. On failure nothing is left allocated.
lmb_result play_script_read(const char *text, size_t size, play_script *script, lmb_error *error);
// Returns whether a line takes effect in a frame at `now` seconds, `step` after the one before: the frame nearest to
// its time, or the later of two. So 0.016667 is the second of 60 frames a second, at 1/60.
bool play_line_is_due(const play_line *line, double now, double step);
// Accepts a zeroed one.
void play_script_release(play_script *script);

#endif
