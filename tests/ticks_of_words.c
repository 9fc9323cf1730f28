#include "ticks_functions.h"

#include "../shaders/ops/ticks_words.h"

#include "ticks_functions.inc"

const ticks_functions ticks_of_words = FUNCTIONS;
