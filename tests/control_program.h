// A program for a control that a test makes by hand: it plays each of its players in one weighted sum.
#ifndef LIMBER_TESTS_CONTROL_PROGRAM_H
#define LIMBER_TESTS_CONTROL_PROGRAM_H

#include "../src/control_def.h"

// Player i's clip weighs weights[i] over their sum, or all are at rest where that is 0. Players have time parameters,
// and there are 2 to 16 of them. Fails the test where it cannot be made. Destroy it after the control.
lmb_graph *control_program_create(const lmb_control_def *def, const lmb_value *weights);

// Of any nodes, over a rig of one joint, with clip 0, which is still, and mask 0, which gives the joint
// CONTROL_PROGRAM_MASK / 255.
enum { CONTROL_PROGRAM_MASK = 102 };
lmb_graph *control_program_create_of(const lmb_node_def *nodes, uint32_t node_count, uint32_t parameter_count);

#endif
