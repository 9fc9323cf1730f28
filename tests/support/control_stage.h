// One character of a control that a test builds by hand, with or without a program that plays its clips.
#ifndef LIMBER_TESTS_SUPPORT_CONTROL_STAGE_H
#define LIMBER_TESTS_SUPPORT_CONTROL_STAGE_H

#include "suite.h"

#include "control_def.h"

#define SIXTIETH (LMB_TICKS_PER_SECOND / 60)

enum { STAGE_WORDS = 1024, STAGE_EMITTED = 64, STAGE_PARAMETERS = 64, STAGE_EVENTS = 32 };
enum { STAGE_EMITTED_WORDS = 1 + STAGE_EMITTED * LMB_EMITTED_EVENT_WORDS };

typedef struct stage {
    lmb_graph *control;
    lmb_graph *program; // or NULL
    uint32_t state[STAGE_WORDS];
    uint32_t emitted[STAGE_EMITTED_WORDS]; // of the last frame
    uint32_t counts[STAGE_EVENTS];         // how often each event was emitted since the beginning
    float parameters[STAGE_PARAMETERS];
    float motion[LMB_FULL_MOTION_FLOATS];
    uint32_t number; // of the next frame
} stage;

// Takes ownership of the program, if there is one. All functions fail the test if a call is refused.
stage stage_begin_with(const control_def *def, lmb_graph *program);
stage stage_begin(const control_def *def);
void stage_end(stage *s);

// Runs a frame, with events in this order, with one event, or with none. Each frame also checks the state.
void stage_step_with(stage *s, uint64_t ticks, const uint32_t *events, uint32_t count);
void stage_send(stage *s, uint64_t ticks, uint32_t event);
void stage_step(stage *s, uint64_t ticks);

uint32_t stage_current_state(const stage *s, uint32_t machine);
double stage_player_seconds(const stage *s, uint32_t player);
double stage_player_weight(const stage *s, uint32_t player);

// Fails the test unless the control is refused with this result and message.
void stage_refuse(const control_def *def, lmb_result expected, const char *message);

// Also fails for NaN.
void assert_near(double actual, double expected, double bound);

// Definitions with defaults for all other members.
control_player_def stage_player(float duration, uint32_t time_parameter);
control_def stage_control(const control_player_def *players, uint32_t count, uint32_t parameter_count);
lmb_transition_def stage_transition(uint32_t from, uint32_t to, uint32_t event, float fade);

// A program where the weight of player i's clip is weights[i] divided by their sum. If the sum is 0, the result is the
// rest pose. Players have time parameters, and there are 2 to 16 players. Destroy it after the control.
lmb_graph *control_program_create(const control_def *def, const lmb_value *weights);

// Creates a program of any nodes over a rig of one joint, with clip 0, which is constant, and mask 0, which gives the
// joint the weight CONTROL_PROGRAM_MASK / 255.
enum { CONTROL_PROGRAM_MASK = 102 };
lmb_graph *control_program_create_of(const lmb_node_def *nodes, uint32_t node_count, uint32_t parameter_count);

#endif
