// The viewer's command line.
#ifndef LIMBER_SAMPLES_VIEWER_OPTIONS_H
#define LIMBER_SAMPLES_VIEWER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "comparison.h"
#include "demo.h"
#include "demo_clips.h"

typedef struct options {
    char **files;           // the first gives the character, the others clips
    uint32_t file_count;    // 0 shows the mannequin
    const char *device;     // part of a name, or an index; NULL takes the best
    const char *screenshot; // where the last frame goes, or NULL
    const char *trace;      // where a trace goes, or NULL
    uint32_t characters;
    uint32_t frames; // 0 runs until the window is closed
    uint32_t width;
    uint32_t height;
    bool sized;                    // width and height were given
    const demo_kind *demo;         // or NULL
    const char *clips[DEMO_CLIPS]; // of the file, for those of the demo
    uint32_t clip_count;
    uint32_t every;            // frames between pictures, 0: the last one alone
    comparison_def comparison; // its graph is NULL where there is none
    bool headless;
    bool times;
    bool validate;
    bool help;
} options;

extern const char options_usage[];

// False after a message on stderr where the arguments are not valid. Files are moved to the front of the arguments.
bool options_parse(int argument_count, char **arguments, options *options);

#endif
