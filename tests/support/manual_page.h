// Reads the blocks of a page of the manual.
#ifndef LIMBER_TESTS_SUPPORT_MANUAL_PAGE_H
#define LIMBER_TESTS_SUPPORT_MANUAL_PAGE_H

#include "suite.h"

#include <stdio.h>
#include <string.h>

static inline FILE *manual_page_open(const char *name) {
    char path[1000];
    snprintf(path, sizeof path, LIMBER_SOURCES "/docs/%s.md", name);
    FILE *page = fopen(path, "r");
    assert_non_null(page);
    return page;
}

// Reads the next block of a language. Returns false at the end of the page.
static inline bool manual_page_next(FILE *page, const char *language, char *block, size_t size) {
    char line[1024], fence[40];
    size_t length = 0;
    bool inside = false;
    snprintf(fence, sizeof fence, "```%s\n", language);
    while (fgets(line, sizeof line, page) != NULL) {
        if (inside && strcmp(line, "```\n") == 0) {
            return true;
        }
        if (inside) {
            length += (size_t)snprintf(block + length, size - length, "%s", line);
            assert_true(length < size);
        }
        inside = inside || strcmp(line, fence) == 0;
    }
    return false;
}

#endif
