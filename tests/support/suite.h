// Included by every suite. Includes cmocka and the headers that cmocka needs before it.
#ifndef LIMBER_TESTS_SUPPORT_SUITE_H
#define LIMBER_TESTS_SUPPORT_SUITE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limber/base.h>
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

static inline void assert_ok(lmb_result result, const lmb_error *error) {
    if (result != LMB_OK) {
        fail_msg("%s: %s", lmb_result_name(result), error->message);
    }
}

// Whether LIMBER_CASES in the environment is this word. Without the variable, `quick` applies: see suite_is_quick().
static inline bool suite_cases_are(const char *cases) {
    const char *text = getenv("LIMBER_CASES");
    return text != NULL && strcmp(text, cases) == 0;
}

static inline bool suite_is_quick(void) {
    return !suite_cases_are("full") && !suite_cases_are("nightly");
}

// Skips a case that runs only with `full` and `nightly`, because it is slow and only adds breadth to the other cases.
static inline void suite_full_only(void) {
    if (suite_is_quick()) {
        skip();
    }
}

// The stride of a search over millions of values or hundreds of random cases, chosen by LIMBER_CASES: `quick`, the
// default, tests every fifth; `full` tests all; `nightly` tests all. Under sanitizers (every seventh) and when
// LIMBER_EMULATED says that the processor is emulated (every 37th), `quick` and `full` skip most values, because they
// would take minutes.
static inline uint32_t suite_stride(void) {
    if (suite_cases_are("nightly")) {
        return 1;
    }
    return getenv("LIMBER_EMULATED") != NULL ? 37 : SUITE_SANITIZED ? 7 : suite_cases_are("full") ? 1 : 5;
}

// Whether suites should skip repetitions: under sanitizers or on an emulated processor, except with `nightly`.
static inline bool suite_is_slow(void) {
    return suite_stride() > 5;
}

// A positive number from the environment, or `otherwise` if there is none.
static inline uint32_t suite_number(const char *name, uint32_t otherwise) {
    const char *text = getenv(name);
    const unsigned long number = text == NULL ? 0 : strtoul(text, NULL, 10);
    return number > 0 && number < UINT32_MAX ? (uint32_t)number : otherwise;
}

// The number of the first random case: LIMBER_FIRST, or 0. Each nightly run sets another number to get other cases.
static inline uint32_t suite_first(void) {
    return suite_number("LIMBER_FIRST", 0);
}

// The time in seconds that random cases run for, whatever their number. 0, the default, means a fixed number of cases.
static inline uint32_t suite_seconds(void) {
    return suite_number("LIMBER_SECONDS", 0);
}

// Restricts the run to the cases that match LIMBER_ONLY in the environment, if it is set: for example `random_*`.
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
