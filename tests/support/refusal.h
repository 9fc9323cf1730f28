// Checks of a refused call: the result code, and a message that names the cause.
#ifndef LIMBER_TESTS_SUPPORT_REFUSAL_H
#define LIMBER_TESTS_SUPPORT_REFUSAL_H

#include "suite.h"

#include <limber/base.h>
#include <string.h>

static inline void check_refusal(lmb_result result, const lmb_error *error, lmb_result expected,
                                 const char *const *fragments, size_t count) {
    if (result != expected || error->result != expected) {
        fail_msg("%s instead of %s: %s", lmb_result_name(result), lmb_result_name(expected), error->message);
    }
    assert_non_null(memchr(error->message, '\0', sizeof error->message));
    for (size_t i = 0; i < count; i++) {
        if (strstr(error->message, fragments[i]) == NULL) {
            fail_msg("\"%s\" does not say \"%s\"", error->message, fragments[i]);
        }
    }
}

// CHECK_REFUSAL(result, &error, LMB_ERROR_..., "fragment", ...)
#define CHECK_REFUSAL(result, error, expected, ...)                                                                    \
    check_refusal(result, error, expected, (const char *const[]){__VA_ARGS__},                                         \
                  sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

#endif
