#include "ticks_functions.h"

#define LMB_TICKS_IN_WORDS
#include "../../shaders/ops/ticks.h"

#include "ticks_functions.inc"

const ticks_functions ticks_of_words = FUNCTIONS;
