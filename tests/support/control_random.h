// Random controls: smoothed and computed parameters, players, groups, nested machines, conditions, fades and a
// character motion, with values at the edges of the allowed ranges. Half of the controls have a random program that
// plays their clips, and nodes of it may report whether they reached targets. Frames for these controls have arbitrary
// floats as parameters.
#ifndef LIMBER_TESTS_SUPPORT_CONTROL_RANDOM_H
#define LIMBER_TESTS_SUPPORT_CONTROL_RANDOM_H

#include "random.h"
#include "suite.h"

#include "control_def.h"

#include <limber/cpu.h>

enum {
    CONTROL_RANDOM_CHARACTERS = 40,
    CONTROL_RANDOM_FRAMES = 30,
    CONTROL_RANDOM_PARAMETERS = 96,                         // the host's parameters are first
    CONTROL_RANDOM_EVENTS = CONTROL_RANDOM_CHARACTERS * 24, // the most in one frame
    CONTROL_RANDOM_CONSTANTS = 64,
    CONTROL_RANDOM_REACHED = 2, // the most nodes that report whether they reach their targets
};

typedef struct control_random_frame {
    uint64_t step;
    uint32_t event_count;
    lmb_event events[CONTROL_RANDOM_EVENTS];
    float parameters[CONTROL_RANDOM_CHARACTERS * CONTROL_RANDOM_PARAMETERS]; // as set by the host
    uint32_t reached[CONTROL_RANDOM_CHARACTERS * CONTROL_RANDOM_REACHED];    // rows are as long as the program's
} control_random_frame;

// A control and the inputs from its host.
typedef struct control_random {
    lmb_graph *control;
    lmb_cpu_path path;                          // that runs it; the fast one at first
    lmb_graph *program;                         // the control's, or NULL
    bool interpolates;                          // updates
    bool writes_matrices;                       // of character motions
    uint32_t first_number;                      // the first frame's number
    uint32_t phases[CONTROL_RANDOM_CHARACTERS]; // of updates; LMB_NONE: as the index
    float constants[CONTROL_RANDOM_CONSTANTS];
    uint32_t constant_count; // the number drawn; only the last ones are kept
    control_random_frame frames[CONTROL_RANDOM_FRAMES];
} control_random;

// The results of one side after a frame.
typedef struct control_random_result {
    uint32_t *state;
    uint32_t *emitted;
    float *parameters;
    float *motions;
    float *matrices; // 0 if none are written
} control_random_result;

// Returns the same control for the same number. Release it with control_random_destroy().
control_random *control_random_create(uint32_t number);
void control_random_destroy(control_random *random);

// Writes the states of all characters before the first frame.
void control_random_begin(const control_random *random, uint32_t *states);

control_random_result control_random_result_create(const control_random *random);
void control_random_result_destroy(control_random_result *result);

// Runs a frame on the CPU. `result` holds the state of the previous frame. A call runs at most `at_once` of them.
void control_random_run(const control_random *random, uint32_t frame, uint32_t at_once, control_random_result *result);

// Fails and names the number and the frame if a bit differs. Returns the number of words compared.
uint64_t control_random_expect_same(const control_random *random, uint32_t number, uint32_t frame,
                                    const control_random_result *here, const control_random_result *there);

#endif
