// A host that counts its allocations and returns NULL for a chosen one.
#ifndef LIMBER_TESTS_SUPPORT_FAILING_HOST_H
#define LIMBER_TESTS_SUPPORT_FAILING_HOST_H

#include "suite.h"

#include <limber/base.h>
#include <stdlib.h>

typedef struct failing_host {
    uint32_t asked; // allocations so far
    uint32_t live;  // allocations not yet released
    uint32_t fails; // the number of the allocation that returns NULL, from 1; 0 for none
} failing_host;

static inline void *failing_host_allocate(void *user, size_t size) {
    failing_host *counts = user;
    if (++counts->asked == counts->fails) {
        return NULL;
    }
    counts->live++;
    return malloc(size);
}

static inline void failing_host_release(void *user, void *memory) {
    failing_host *counts = user;
    assert_non_null(memory);
    counts->live--;
    free(memory);
}

static inline lmb_host failing_host_of(failing_host *counts) {
    return (lmb_host){.allocate = failing_host_allocate, .release = failing_host_release, .user = counts};
}

// A function for failing_host_try_all(), which calls it with a host whose first allocation fails, then with one whose
// second allocation fails, and so on until it succeeds. It returns the result and destroys the objects that it created.
typedef lmb_result failing_host_create(const lmb_host *host, lmb_error *error, void *user);

static inline void failing_host_try_all(failing_host_create *create, void *user) {
    for (uint32_t fails = 1;; fails++) {
        failing_host counts = {.fails = fails};
        const lmb_host host = failing_host_of(&counts);
        lmb_error error = {0};
        const lmb_result result = create(&host, &error, user);
        assert_int_equal(counts.live, 0);
        if (counts.asked < fails) {
            assert_int_equal(result, LMB_OK);
            assert_true(fails > 1); // it allocated memory
            return;
        }
        assert_int_equal(result, LMB_ERROR_MEMORY);
        assert_int_equal(error.result, LMB_ERROR_MEMORY);
        assert_true(error.message[0] != '\0');
    }
}

#endif
