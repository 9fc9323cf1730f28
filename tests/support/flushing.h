// A processor that flushes subnormals, as some devices do.
#ifndef LIMBER_TESTS_SUPPORT_FLUSHING_H
#define LIMBER_TESTS_SUPPORT_FLUSHING_H

#include <stdbool.h>

// Whether this processor and C library can be made to flush.
bool flushing_is_possible(void);
// Sets whether library calls from now on flush subnormals, operands and results; not at first. Does nothing if that is
// not possible.
void flushing_set(bool flushes);

#endif
