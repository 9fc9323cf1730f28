// Feet that a float channel of a clip plants: many times, and blended with a clip that has no such track. The same feet
// by a value that the host computes from the stated times are the oracle: all else of both graphs is the same.
#ifndef LIMBER_TESTS_SUPPORT_PLANTED_SCENE_H
#define LIMBER_TESTS_SUPPORT_PLANTED_SCENE_H

#include "suite.h"

#include <limber/cpu.h>

enum { PLANTED_CHARACTERS = 21, PLANTED_FEET = 2, PLANTED_JOINTS = 7, PLANTED_RATE = 60 };
enum { PLANTED_CLOCK, PLANTED_PACE, PLANTED_BLEND, PLANTED_SPEED, PLANTED_HOST, PLANTED_PARAMETERS = PLANTED_HOST + 2 };

typedef struct planted_scene {
    lmb_rig *rig;
    lmb_clip *clips[2];
    lmb_graph *graph;
    lmb_batch_def batch;
    uint32_t *state, *memory;
    float *parameters, *models;
    uint32_t row;
    lmb_control_frame frame;
    uint64_t ticks[PLANTED_CHARACTERS]; // of the clip with the channels
    bool is_mirrored;                   // the clips are, so they plant the other feet
} planted_scene;

// The feet above a node. `by_channels`: else the host plants them.
lmb_node_def planted_feet(uint32_t base, bool by_channels);
void planted_begin(planted_scene *s, bool by_channels, bool is_mirrored);
void planted_end(planted_scene *s);
// Sets what the host gives a frame.
void planted_move(planted_scene *s, uint32_t frame);
// Whether the stated times plant a foot.
bool planted_inside(const planted_scene *s, uint32_t character, uint32_t foot);

#endif
