// Random controls: smoothed parameters, computed parameters, players, groups, machines inside each other, conditions, fades and a
// character motion, with numbers at the edges of what is allowed, half of them with a random program that plays their clips; and
// frames for them, whose parameters are any floats at all.
#ifndef LIMBER_TESTS_CONTROL_RANDOM_H
#define LIMBER_TESTS_CONTROL_RANDOM_H

#include "random.h"
#include "suite.h"

#include "../src/control_def.h"

enum {
    CONTROL_RANDOM_CHARACTERS = 40,
    CONTROL_RANDOM_FRAMES = 30,
    CONTROL_RANDOM_PARAMETERS = 96,                         // the host's stand first
    CONTROL_RANDOM_EVENTS = CONTROL_RANDOM_CHARACTERS * 24, // at most, of a frame
    CONTROL_RANDOM_CONSTANTS = 64,
};

typedef struct control_random_frame {
    uint64_t step;
    uint32_t event_count;
    lmb_event events[CONTROL_RANDOM_EVENTS];
    float parameters[CONTROL_RANDOM_CHARACTERS * CONTROL_RANDOM_PARAMETERS]; // as the host gives them
} control_random_frame;

// A control and what its host gives it.
typedef struct control_random {
    lmb_control *control;
    lmb_graph *program;    // the control's, or NULL
    uint32_t first_number; // of its first frame
    float constants[CONTROL_RANDOM_CONSTANTS];
    uint32_t constant_count; // drawn, of which the last ones stay
    control_random_frame frames[CONTROL_RANDOM_FRAMES];
} control_random;

// What one side keeps of a frame.
typedef struct control_random_result {
    uint32_t *state;
    uint32_t *emitted;
    float *parameters;
    float *motions;
} control_random_result;

// The same for the same number. To be freed by control_random_destroy().
control_random *control_random_create(uint32_t number);
void control_random_destroy(control_random *random);

control_random_result control_random_result_create(const control_random *random);
void control_random_result_destroy(control_random_result *result);

// Runs a frame on the CPU: `result` holds the state of the frame before. `at_once` characters are beside each other.
void control_random_run(const control_random *random, uint32_t frame, uint32_t at_once, control_random_result *result);

// Fails, naming number and frame, where a bit differs. Returns how many words were compared.
uint64_t control_random_expect_same(const control_random *random, uint32_t number, uint32_t frame,
                                    const control_random_result *here, const control_random_result *there);

#endif
