#include "ticks_functions.h"

#ifdef __SIZEOF_INT128__
#include "../shaders/ops/ticks_wide.h"
#else
#include "../shaders/ops/ticks_words.h"
#endif

#include "ticks_functions.inc"

const ticks_functions ticks_of_the_compiler = FUNCTIONS;
