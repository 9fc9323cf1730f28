// What every suite includes: cmocka with the headers that it wants before it.
#ifndef LIMBER_TESTS_SUITE_H
#define LIMBER_TESTS_SUITE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

// Whether LIMBER_CASES in the environment is that word; `quick` is what it is by default.
static inline bool suite_cases_are(const char *cases) {
    const char *text = getenv("LIMBER_CASES");
    return text != NULL && strcmp(text, cases) == 0;
}

static inline bool suite_is_quick(void) {
    return !suite_cases_are("full") && !suite_cases_are("nightly");
}

// Skips a case that only `full` and `nightly` have: it takes long, and what it adds to the others is breadth.
static inline void suite_full_only(void) {
    if (suite_is_quick()) {
        skip();
    }
}

// The step of a search over values by the million, or over random cases by the hundred, by LIMBER_CASES in the environment:
// `quick`, the default, leaves out four of five; `full` none, but with sanitizers, or where LIMBER_EMULATED says that the
// processor is an emulated one, most still, since they would take minutes; `nightly` none anywhere.
static inline uint32_t suite_stride(void) {
    if (suite_cases_are("nightly")) {
        return 1;
    }
    return getenv("LIMBER_EMULATED") != NULL ? 37 : SUITE_SANITIZED ? 7 : suite_cases_are("full") ? 1 : 5;
}

// Whether the processor is emulated, or sanitizers run, and not at night: suites then leave out repetitions.
static inline bool suite_is_slow(void) {
    return suite_stride() > 5;
}

// A number in the environment, or `otherwise` where there is none.
static inline uint32_t suite_number(const char *name, uint32_t otherwise) {
    const char *text = getenv(name);
    const unsigned long number = text == NULL ? 0 : strtoul(text, NULL, 10);
    return number > 0 && number < UINT32_MAX ? (uint32_t)number : otherwise;
}

// The number of the first random case, 0 by default: what LIMBER_FIRST says, so that every night has cases of its own.
static inline uint32_t suite_first(void) {
    return suite_number("LIMBER_FIRST", 0);
}

// Seconds that random cases run for, however many they are; 0, by default, for a fixed number of cases.
static inline uint32_t suite_seconds(void) {
    return suite_number("LIMBER_SECONDS", 0);
}

// Leaves the cases that LIMBER_ONLY in the environment matches, where it is set: `random_*`, say.
static inline void suite_filter(void) {
    const char *pattern = getenv("LIMBER_ONLY");
    if (pattern != NULL) {
        cmocka_set_test_filter(pattern);
    }
}

#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, setup, teardown)                                                                 \
    (suite_filter(), _cmocka_run_group_tests(#tests, tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown))

#endif
