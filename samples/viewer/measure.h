// Measures the size of a moving character, and finds its points that touch the ground.
#ifndef LIMBER_SAMPLES_VIEWER_MEASURE_H
#define LIMBER_SAMPLES_VIEWER_MEASURE_H

#include "character.h"

// Runs the base clips on the CPU once, when the viewer starts, and sets unit, height, width, origin and contacts.
lmb_result character_measure(character *character, lmb_error *error);

#endif
