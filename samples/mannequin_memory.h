// The host's memory, for the mannequin's own objects and scratch.
#ifndef LIMBER_SAMPLES_MANNEQUIN_MEMORY_H
#define LIMBER_SAMPLES_MANNEQUIN_MEMORY_H

#include <limber/base.h>

// A copy of the caller's host in which `allocate` and `release` are set.
lmb_host memory_host(const lmb_host *host);
// Zeroed, or NULL.
void *memory_take(const lmb_host *host, size_t count, size_t size);
// NULL is fine.
void memory_give(const lmb_host *host, void *memory);
// Writes the error and returns #LMB_ERROR_MEMORY.
lmb_result memory_missing(lmb_error *error);

#endif
