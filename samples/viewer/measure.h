// Measures the size of a moving character, and finds its points that touch the ground.
#ifndef LIMBER_SAMPLES_VIEWER_MEASURE_H
#define LIMBER_SAMPLES_VIEWER_MEASURE_H

#include "character.h"

typedef struct measure_bounds {
    float low[3];
    float high[3];
} measure_bounds;

// Runs the base clips on the CPU once, when the viewer starts, and sets unit, height, width, origin and contacts.
lmb_result character_measure(character *character, lmb_error *error);

// Sets the same, except for the base clips' ground, from the poses of a graph, one for each row of its parameters:
// without the root motion that the graph extracts. `points` are those of one character at the origin.
lmb_result character_measure_graph(character *character, const lmb_graph *graph, const float *parameters,
                                   const float *points, uint32_t count, lmb_error *error);

// Stores the bounds of the character, turned about Y, in one pose for each row of its graph's parameters: metres from
// its origin.
lmb_result measure_poses(const character *character, const float *parameters, uint32_t count, float turn,
                         measure_bounds *bounds, lmb_error *error);

#endif
