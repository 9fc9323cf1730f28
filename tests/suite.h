// What every suite includes: cmocka with the headers that it wants before it.
#ifndef LIMBER_TESTS_SUITE_H
#define LIMBER_TESTS_SUITE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define SUITE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SUITE_SANITIZED 1
#endif
#endif
#ifndef SUITE_SANITIZED
#define SUITE_SANITIZED 0
#endif

// The step of a search over values by the million, or over random cases by the hundred: 1, or more where it would take
// minutes, with sanitizers, or where LIMBER_EMULATED in the environment says that the processor is an emulated one.
static inline uint32_t suite_stride(void) {
    return getenv("LIMBER_EMULATED") != NULL ? 37 : SUITE_SANITIZED ? 7 : 1;
}

#endif
