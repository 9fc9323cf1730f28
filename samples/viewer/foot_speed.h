// How fast a clip walks on the spot: as fast as the feet that stand go the other way.
#ifndef LIMBER_SAMPLES_VIEWER_FOOT_SPEED_H
#define LIMBER_SAMPLES_VIEWER_FOOT_SPEED_H

#include "character.h"

// Metres a second in the character's own space, x and z; 0 of a clip that stands, or whose character has no feet.
lmb_result stride_measure(const character *character, const lmb_clip *clip, float velocity[2], lmb_error *error);

#endif
