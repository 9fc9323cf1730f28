// The characters drawn in a frame, and their levels of detail: placements in drawing order, and the part of the world
// that the shadow map covers.
#ifndef LIMBER_SAMPLES_VIEWER_DRAW_LIST_H
#define LIMBER_SAMPLES_VIEWER_DRAW_LIST_H

#include "camera.h"
#include "crowd.h"

// Placements drawn with one call per mesh: characters of one span at one level of detail.
typedef struct draw_group {
    uint32_t first;
    uint32_t visible; // these are first
    uint32_t total;   // including those outside the view whose shadows may reach into it
} draw_group;

typedef struct draw_span {
    uint32_t first_character;
    uint32_t character_count;
} draw_span;

typedef enum draw_sight { SIGHT_VISIBLE, SIGHT_CASTS_ONLY, SIGHT_NONE } draw_sight;

typedef struct draw_entry {
    uint32_t character;
    uint32_t level;
    draw_sight sight;
    float distance; // metres from the eye
} draw_entry;

// Input of draw_list_build(). It fills `placements`, at most one per character, and CHARACTER_LEVELS groups for each
// span. It computes the matrix from the world to the shadow map and the size of a texel, for a map of `map_size` x
// `map_size` texels.
typedef struct draw_list_def {
    const crowd *crowd;
    const camera_view *view;
    const draw_span *spans;
    uint32_t span_count;
    draw_entry *entries;  // scratch, one per character
    float picture_height; // pixels
    uint32_t map_size;
    const float *sun; // unit, towards it
    bool has_solids;  // beside the characters
} draw_list_def;

typedef struct draw_list_shadow {
    float projection[16];
    float texel; // metres
} draw_list_shadow;

void draw_list_build(const draw_list_def *def, crowd_placement *placements, draw_group *groups,
                     draw_list_shadow *shadow);

#endif
