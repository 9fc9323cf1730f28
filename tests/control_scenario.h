// One fixed control that uses everything a control has but character motion and a program, another that has both as well, and a
// crowd that it moves: random parameters and events, made from integers alone. The golden hashes are of the states, and
// of what was reported and written in the last frame.
#ifndef LIMBER_TESTS_CONTROL_SCENARIO_H
#define LIMBER_TESTS_CONTROL_SCENARIO_H

#include "../src/control_def.h"

enum { CONTROL_SCENARIO_PARAMETERS = 32, CONTROL_SCENARIO_EVENTS = 12 };

typedef struct control_scenario {
    lmb_control *control;
    lmb_graph
        *program; // plays the players' clips; of one that has no character motion, without its control's knowledge
    uint32_t character_count;
    float *parameters; // the host's part is written anew each frame
    uint32_t *state;
    uint32_t *emitted;
    float *motions;    // of one that has them
    lmb_event *events; // of the frame: at most one for each character
    uint32_t event_count;
    uint64_t step; // of the frame
} control_scenario;

lmb_result control_scenario_create(control_scenario *scenario, uint32_t character_count, lmb_error *error);
lmb_result motion_scenario_create(control_scenario *scenario, uint32_t character_count, lmb_error *error);
// That with character motion, where one group stretches across the states of a machine, and another has a place in a plane.
lmb_result stretched_scenario_create(control_scenario *scenario, uint32_t character_count, lmb_error *error);
// That with character motion, whose updates interpolate: the states, and what is emitted, are those of that one.
lmb_result interpolated_scenario_create(control_scenario *scenario, uint32_t character_count, lmb_error *error);
void control_scenario_destroy(control_scenario *scenario);

// Fills in what the host gives in a frame: parameters, events, step.
void control_scenario_begin_frame(control_scenario *scenario, uint32_t frame);
// Moves on by the frame on the CPU.
lmb_result control_scenario_run(control_scenario *scenario, uint32_t frame, lmb_error *error);

// Of state, emitted events and parameters as they stand.
uint64_t control_scenario_hash(const control_scenario *scenario);

// What 200 characters come to after 400 frames.
enum { CONTROL_GOLDEN_CHARACTERS = 200, CONTROL_GOLDEN_FRAMES = 400 };
extern const uint64_t control_scenario_golden, motion_scenario_golden;
// What 1,000 with character motion come to after 10,000 frames: nearly three minutes at 60 a second.
enum { CONTROL_LONG_CHARACTERS = 1000, CONTROL_LONG_FRAMES = 10000 };
extern const uint64_t motion_scenario_long_golden;

#endif
