// Allocates the mannequin's objects and scratch memory from the host.
#ifndef LIMBER_SAMPLES_MANNEQUIN_MEMORY_H
#define LIMBER_SAMPLES_MANNEQUIN_MEMORY_H

#include <limber/base.h>

// Returns a copy of the caller's host whose `allocate` and `release` are set.
lmb_host memory_host(const lmb_host *host);
// Returns zeroed memory, or NULL.
void *memory_take(const lmb_host *host, size_t count, size_t size);
// Does nothing if `memory` is NULL.
void memory_give(const lmb_host *host, void *memory);
// Writes the error and returns #LMB_ERROR_MEMORY.
lmb_result memory_missing(lmb_error *error);

#endif
