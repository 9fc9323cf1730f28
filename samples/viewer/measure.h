// How large a character is while it moves, and which of its points touch the ground.
#ifndef LIMBER_SAMPLES_VIEWER_MEASURE_H
#define LIMBER_SAMPLES_VIEWER_MEASURE_H

#include "character.h"

// Runs the base clips on the CPU once, when the viewer starts, and sets unit, height, width, origin and contacts.
lmb_result character_measure(character *character, lmb_error *error);

#endif
