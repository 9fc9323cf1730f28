// A graph written as JSON, shown as a row of figures: each pose that its outermost operation takes in, and the result.
#ifndef LIMBER_SAMPLES_VIEWER_COMPARISON_H
#define LIMBER_SAMPLES_VIEWER_COMPARISON_H

#include "camera.h"
#include "crowd.h"
#include "overlay.h"

#define COMPARISON_SETTINGS 16u
#define COMPARISON_FIGURES LMB_MAX_INPUTS

typedef struct comparison_def {
    const char *graph;                         // JSON, or the name of a file of it
    const char *settings[COMPARISON_SETTINGS]; // NAME=VALUE
    uint32_t setting_count;
    const char *labels[COMPARISON_FIGURES]; // in place of the figures' names
    uint32_t label_count;
    uint32_t row; // the inputs alone, of which as many, the last ones, are results; 0: the inputs and one result
} comparison_def;

// A zeroed one shows nothing.
typedef struct comparison {
    lmb_graph_json *graph;
    uint32_t own_count; // parameters of the graph as it is read; those of the figures follow
    float *parameters;  // [figure][parameter]
    uint32_t parameter_count;
    uint32_t figure_count;
    uint32_t result_count; // the last figures
    bool of_matrices;      // the operation has parameters for its weights, which the results have from here
    float weights[LMB_MAX_INPUTS];
    const char *names[COMPARISON_FIGURES];
} comparison;

// Reads the graph over the character's clips and makes one of it that gives each figure its pose, in place of the
// character's own.
lmb_result comparison_create(const comparison_def *def, character *character, comparison *comparison, lmb_error *error);
void comparison_destroy(comparison *comparison);

// The picture that the row fills.
void comparison_size(const comparison *comparison, uint32_t *width, uint32_t *height);
// Puts the crowd's members in a row, the results apart and in another colour.
void comparison_place(const comparison *comparison, crowd *crowd);
camera comparison_camera(const character *character);
// The figures' names below them.
void comparison_draw_names(const comparison *comparison, overlay *overlay);

#endif
