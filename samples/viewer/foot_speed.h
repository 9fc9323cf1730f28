// Measures the foot speed of a clip in place: the velocity opposite to that of its standing feet.
#ifndef LIMBER_SAMPLES_VIEWER_FOOT_SPEED_H
#define LIMBER_SAMPLES_VIEWER_FOOT_SPEED_H

#include "character.h"

// Stores metres per second in the character's space, along x and z; 0 for a clip that stands or a character without
// feet.
lmb_result stride_measure(const character *character, const lmb_clip *clip, float velocity[2], lmb_error *error);

#endif
