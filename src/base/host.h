// The host's memory, log and error messages, and the cookie of descriptors, used by every other source file of the
// library. No public header declares these functions. They are exported because the libraries beside the core use them
// too.
#ifndef LIMBER_SRC_BASE_HOST_H
#define LIMBER_SRC_BASE_HOST_H

#include <limber/base.h>

// The cookie of descriptors that come from a default function. Zeroed ones would name parameter 0, event 0 or mask 0.
#define LMB_COOKIE UINT32_C(0x4c4d4244)

// Returns a copy of the caller's host with every member set, so that no use needs to check.
LMB_API lmb_host lmb_host_resolve(const lmb_host *host);

// Returns zeroed memory for `count` elements, or NULL if the product overflows or the host has no memory. A count of 0
// also returns memory, so NULL always means failure.
LMB_API void *lmb_host_allocate(const lmb_host *host, size_t count, size_t size);
// Accepts NULL.
LMB_API void lmb_host_release(const lmb_host *host, void *memory);

// Allocations that are released together. Set the host, which must be resolved, and zero the rest.
typedef struct lmb_arena {
    const lmb_host *host; // NULL: malloc() and free()
    void *newest;         // allocation; each begins with a pointer to the one before it
    bool failed;          // an allocation has failed, so all after it fail too
} lmb_arena;

// Does what lmb_host_allocate() does. Callers may check `failed` once after several calls.
LMB_API void *lmb_arena_allocate(lmb_arena *arena, size_t count, size_t size);
LMB_API void lmb_arena_release(lmb_arena *arena);

#if defined(__GNUC__)
#define LMB_PRINTF(text, rest) __attribute__((format(printf, text, rest)))
#else
#define LMB_PRINTF(text, rest)
#endif

LMB_API void lmb_host_log(const lmb_host *host, lmb_log_level level, const char *format, ...) LMB_PRINTF(3, 4);

// Stores the result and the message in `error` unless that is NULL. Returns the result.
LMB_API lmb_result lmb_fail(lmb_error *error, lmb_result result, const char *format, ...) LMB_PRINTF(3, 4);

// Stores the result and the message in `error`, which must not be NULL. Returns false. For lists of checks that return
// bool: they are conjunctions, which end at the first check that fails.
bool lmb_refuse(lmb_error *error, lmb_result result, const char *format, ...) LMB_PRINTF(3, 4);
// Refuses more than `most` items of the owner: "rig: 3 sockets, and at most 2 are possible".
bool lmb_check_count(lmb_error *error, const char *owner, const char *items, uint32_t count, uint32_t most);
// Also refuses a list that is NULL and not empty.
bool lmb_check_list(lmb_error *error, const char *owner, const char *items, const void *list, uint32_t count,
                    uint32_t most);

// Appends names that exist to a message about `name`, which does not: all if they are few, else the nearest.
typedef const char *lmb_name_at(const void *of, uint32_t index);
LMB_API void lmb_append_names(char *message, size_t size, const char *name, size_t length, lmb_name_at *at,
                              const void *of, uint32_t count);

#endif
