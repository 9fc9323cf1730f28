// A program for a control that a test builds by hand. It plays all the control's players in one weighted blend.
#ifndef LIMBER_TESTS_CONTROL_PROGRAM_H
#define LIMBER_TESTS_CONTROL_PROGRAM_H

#include "../src/control_def.h"

// The weight of player i's clip is weights[i] divided by their sum. If the sum is 0, the result is the rest pose.
// Players have time parameters, and there are 2 to 16 players. Fails the test if the program cannot be created. Destroy
// it after the control.
lmb_graph *control_program_create(const lmb_control_def *def, const lmb_value *weights);

// Creates a program of any nodes over a rig of one joint, with clip 0, which is constant, and mask 0, which gives the
// joint the weight CONTROL_PROGRAM_MASK / 255.
enum { CONTROL_PROGRAM_MASK = 102 };
lmb_graph *control_program_create_of(const lmb_node_def *nodes, uint32_t node_count, uint32_t parameter_count);

#endif
