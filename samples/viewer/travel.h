// How a character moves over the ground while it has a pose: the travel of the mannequin's clips, blended as the pose is.
#ifndef LIMBER_SAMPLES_VIEWER_TRAVEL_H
#define LIMBER_SAMPLES_VIEWER_TRAVEL_H

#include <limber/control.h>

#include "../mannequin.h"

// Of the last node of a program over the mannequin's clips. `parameters` are the character's after its control ran;
// `control` may be NULL. What is laid over a pose moves nobody, and neither does a clip that no player moves.
mannequin_travel travel_of_pose(const lmb_program_def *program, const lmb_control_def *control,
                                const float *parameters);

#endif
