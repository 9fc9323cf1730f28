// Shows a graph written as JSON as a row of figures: each input pose of its outermost operation, and the result.
#ifndef LIMBER_SAMPLES_VIEWER_COMPARISON_H
#define LIMBER_SAMPLES_VIEWER_COMPARISON_H

#include "camera.h"
#include "crowd.h"
#include "ui.h"

#define COMPARISON_SETTINGS 16u
#define COMPARISON_FIGURES LMB_MAX_INPUTS

typedef struct comparison_def {
    const char *graph;                         // JSON, or the name of a JSON file
    const char *settings[COMPARISON_SETTINGS]; // NAME=VALUE
    uint32_t setting_count;
    const char *labels[COMPARISON_FIGURES]; // replace the figures' names
    uint32_t label_count;
    uint32_t row; // shows the inputs only, of which the last `row` are results; 0: the inputs and one result
} comparison_def;

// A zeroed comparison shows nothing.
typedef struct comparison {
    lmb_graph_json *graph;
    uint32_t own_count; // parameters of the graph in the text; the figures' parameters follow
    float *parameters;  // [figure][parameter], in the first frame
    uint32_t parameter_count;
    uint32_t time_parameter; // named "time", advances by a second in 60 frames; LMB_NONE if there is none
    uint32_t figure_count;
    uint32_t result_count; // the last figures
    bool of_matrices;      // the operation's weights are parameters; `weights` are the ones for the results
    float weights[LMB_MAX_INPUTS];
    const char *names[COMPARISON_FIGURES];
    float height; // metres, of the tallest figure or of the character
    float place_width;
    float view_height; // of the part that the picture shows at the figures
    float view_width;
} comparison;

// Reads the graph with the character's clips, and replaces the character's graph by one that gives each figure its
// pose. `aspect` is the picture's width divided by its height.
lmb_result comparison_create(const comparison_def *def, float aspect, character *character, comparison *comparison,
                             lmb_error *error);
void comparison_destroy(comparison *comparison);

// Writes the parameters of a frame, numbered from 0.
void comparison_write_parameters(const comparison *comparison, uint32_t frame, float *parameters);
// Places the crowd's members in a row, with the results at a distance and in another colour.
void comparison_place(const comparison *comparison, crowd *crowd);
// Shows the whole row.
camera comparison_camera(const comparison *comparison, const character *character);
// Shows the figures' names below them.
void comparison_show_names(const comparison *comparison, ui *ui);

#endif
