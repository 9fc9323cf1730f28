// The reference's evaluator, with the iterations of its loops counted. It takes the place of the library's.
#include "loops_counted.h"

#include "cpu/simd.c"

uint64_t loops_counted;
