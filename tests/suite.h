// What every suite includes: cmocka with the headers that it wants before it.
#ifndef LIMBER_TESTS_SUITE_H
#define LIMBER_TESTS_SUITE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

// The step of a search over values by the million: 1, or more where LIMBER_EMULATED in the environment says that the
// processor is an emulated one, where it would take minutes.
static inline uint32_t suite_stride(void) {
    return getenv("LIMBER_EMULATED") != NULL ? 37 : 1;
}

#endif
