// Memory that ends where a read beyond it fails: at a page without access, or, on Windows, where the C library ends it.
#ifndef LIMBER_TESTS_SUPPORT_GUARDED_H
#define LIMBER_TESTS_SUPPORT_GUARDED_H

#include "suite.h"

#include <stdlib.h>
#include <string.h>

#ifndef _WIN32
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

typedef struct guarded {
    void *bytes;
    void *memory;
    size_t size; // of `memory`
} guarded;

static inline guarded guarded_copy(const void *bytes, size_t size) {
#ifdef _WIN32
    guarded g = {.memory = malloc(size + 1)};
    g.bytes = g.memory;
#else
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (size + page - 1) / page * page;
    guarded g = {.size = pages + page};
    const int zeros = open("/dev/zero", O_RDWR);
    g.memory = mmap(NULL, g.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, zeros, 0);
    close(zeros);
    assert_true(g.memory != MAP_FAILED && mprotect((char *)g.memory + pages, page, PROT_NONE) == 0);
    g.bytes = (char *)g.memory + pages - size;
#endif
    assert_non_null(g.memory);
    memcpy(g.bytes, bytes, size);
    return g;
}

static inline void guarded_release(guarded *g) {
#ifdef _WIN32
    free(g->memory);
#else
    munmap(g->memory, g->size);
#endif
}

#endif
