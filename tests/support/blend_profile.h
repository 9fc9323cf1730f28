// A crowd whose machine fades by blend profiles. The joints' positions show the weight of each state at each joint.
// Random events interrupt fades.
#ifndef LIMBER_TESTS_SUPPORT_BLEND_PROFILE_H
#define LIMBER_TESTS_SUPPORT_BLEND_PROFILE_H

#include "suite.h"

#include <limber/graph.h>

enum {
    PROFILED_JOINTS = 6,
    PROFILED_CHANNELS = 1,
    PROFILED_BYTES = PROFILED_JOINTS + PROFILED_CHANNELS, // of a mask
    PROFILED_STATES = 3,
    PROFILED_MASKS = 3, // the last one is full
    PROFILED_TRANSITIONS = 6,
    PROFILED_CHARACTERS = 40,
    PROFILED_EVENTS = 2, // per character and frame, at most
    PROFILED_LOCAL_FLOATS = PROFILED_CHARACTERS * (PROFILED_JOINTS * 10 + PROFILED_CHANNELS),
};

typedef struct blend_profile {
    lmb_rig *rig;
    lmb_clip *clips[PROFILED_STATES]; // a state's joints are at 1 on the state's axis; its float channel is 2^state
    uint8_t masks[PROFILED_MASKS][PROFILED_BYTES];
    const uint8_t *mask_rows[PROFILED_MASKS];
    lmb_player_def players[PROFILED_STATES];
    lmb_state_def states[PROFILED_STATES];
    lmb_transition_def transitions[PROFILED_TRANSITIONS]; // the event of its number starts it
    lmb_machine_def machine;
    lmb_node_def nodes[PROFILED_STATES + 1];
    lmb_graph_def def;

    // Valid after the creation.
    lmb_graph *graph;
    uint32_t *state;
    float *parameters;
    uint32_t frame; // the number of the next frame
    // Of the last frame.
    uint64_t step;
    lmb_event events[PROFILED_CHARACTERS * PROFILED_EVENTS];
    uint32_t event_count;
} blend_profile;

// Fills in the descriptor. A test may change it before it creates the graph.
void blend_profile_start(blend_profile *scene);
void blend_profile_create(blend_profile *scene);
void blend_profile_destroy(blend_profile *scene);

// Draws the events and the step of a frame.
void blend_profile_draw(blend_profile *scene);
// Runs stage 1 of a frame. `parameters` then hold the inputs of the poses.
void blend_profile_run(blend_profile *scene);

#endif
