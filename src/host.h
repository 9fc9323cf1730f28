// The host's memory and log, and messages: what every other source file of the library starts from. The functions are
// exported, though no public header has them, because limber::import, a library of its own, uses them too.
#ifndef LIMBER_SRC_HOST_H
#define LIMBER_SRC_HOST_H

#include <limber/base.h>

// A copy of the caller's host with every member set, so that no use needs to check.
LMB_API lmb_host lmb_host_resolve(const lmb_host *host);

// Zeroed memory for `count` elements, or NULL where the product overflows or the host has none. A count of 0 gives
// memory too, so that NULL always means failure.
LMB_API void *lmb_host_allocate(const lmb_host *host, size_t count, size_t size);
// NULL is fine.
LMB_API void lmb_host_release(const lmb_host *host, void *memory);

#if defined(__GNUC__)
#define LMB_PRINTF(text, rest) __attribute__((format(printf, text, rest)))
#else
#define LMB_PRINTF(text, rest)
#endif

LMB_API void lmb_host_log(const lmb_host *host, lmb_log_level level, const char *format, ...) LMB_PRINTF(3, 4);

// Writes the result and the message where `error` is not NULL, and returns the result.
LMB_API lmb_result lmb_fail(lmb_error *error, lmb_result result, const char *format, ...) LMB_PRINTF(3, 4);

#endif
