// The viewer's command line.
#ifndef LIMBER_SAMPLES_VIEWER_OPTIONS_H
#define LIMBER_SAMPLES_VIEWER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "character_file.h"
#include "command_line.h"
#include "comparison.h"
#include "demo.h"
#include "demo_clips.h"
#include "graph_view.h"
#include "scripted_input.h"

#define VIEWER_SPLITS 32

typedef struct options {
    char **files; // the first one gives the character, the others add clips
    uint32_t file_count;
    bool skeleton_only;     // as in lmb_import_def
    bool exact_scales;      // as there
    float bvh_unit;         // metres; 0: that of lmb_import_def
    const char *mannequin;  // the name of the one that is shown in place of files, or NULL
    const char *device;     // part of a name, or an index; NULL: the best device
    const char *screenshot; // file for the last frame, or NULL
    const char *trace;      // file for a trace, or NULL
    uint32_t characters;    // 0: a number that suits the device
    uint32_t frames;        // 0: until the window is closed
    uint32_t width;
    uint32_t height;
    const demo_kind *demo;         // or NULL
    const char *clips[DEMO_CLIPS]; // NAME=CLIP: replace the demo's clips by the file's
    uint32_t clip_count;
    const char *sources[SOURCES]; // NAME=FILE,...: characters whose clips graphs play by retargets
    uint32_t source_count;
    const char *poses[CHARACTER_POSES]; // NAME=CLIP@TIME: static poses of graphs
    uint32_t pose_count;
    const char *splits[VIEWER_SPLITS]; // CLIP=NAME:FROM-TO,...: clips of the file in parts
    uint32_t split_count;
    uint32_t every;            // frames between pictures; 0: only the last frame
    comparison_def comparison; // its graph is NULL if there is none
    graph_view_def graph;      // its file is NULL if there is none
    scripted_input input;
    bool headless;
    bool times;
    bool plain; // no windows over the picture
    bool validate;
} options;

// Moves the files to the front of the arguments. Returns COMMAND_LINE_GOOD, or the exit status with which the viewer
// must end.
int options_parse(int argument_count, char **arguments, options *options);

#endif
