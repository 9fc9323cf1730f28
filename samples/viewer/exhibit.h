// A graph written as JSON, shown as a row of figures: each pose that its outermost operation takes in, and the result.
#ifndef LIMBER_SAMPLES_VIEWER_EXHIBIT_H
#define LIMBER_SAMPLES_VIEWER_EXHIBIT_H

#include "camera.h"
#include "crowd.h"
#include "overlay.h"

#define EXHIBIT_SETTINGS 16u
#define EXHIBIT_FIGURES LMB_MAX_INPUTS

typedef struct exhibit_def {
    const char *graph;                      // JSON, or the name of a file of it
    const char *settings[EXHIBIT_SETTINGS]; // NAME=VALUE
    uint32_t setting_count;
    const char *labels[EXHIBIT_FIGURES]; // in place of the figures' names
    uint32_t label_count;
    uint32_t row; // the inputs alone, of which as many, the last ones, are results; 0: the inputs and one result
} exhibit_def;

// A zeroed one shows nothing.
typedef struct exhibit {
    lmb_graph_json *graph;
    uint32_t own_count; // parameters of the graph as it is read; those of the figures follow
    float *parameters;  // [figure][parameter]
    uint32_t parameter_count;
    uint32_t figure_count;
    uint32_t result_count; // the last figures
    bool of_matrices;      // the operation has parameters for its weights, which the results have from here
    float weights[LMB_MAX_INPUTS];
    const char *names[EXHIBIT_FIGURES];
} exhibit;

// Reads the graph over the character's clips and makes one of it that gives each figure its pose, in place of the
// character's own.
lmb_result exhibit_create(const exhibit_def *def, character *character, exhibit *exhibit, lmb_error *error);
void exhibit_destroy(exhibit *exhibit);

// The picture that the row fills.
void exhibit_size(const exhibit *exhibit, uint32_t *width, uint32_t *height);
// Puts the crowd's members in a row, the results apart and in another colour.
void exhibit_place(const exhibit *exhibit, crowd *crowd);
camera exhibit_camera(const character *character);
// The figures' names below them.
void exhibit_draw_names(const exhibit *exhibit, overlay *overlay);

#endif
