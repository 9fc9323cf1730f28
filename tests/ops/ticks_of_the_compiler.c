#include "ticks_functions.h"

#include "../../shaders/ops/ticks.h"

#include "ticks_functions.inc"

const ticks_functions ticks_of_the_compiler = FUNCTIONS;
