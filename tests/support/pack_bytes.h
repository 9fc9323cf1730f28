// For code that changes the bytes of a pack on purpose: its header is made right again. Written from the format that
// pack.h states.
#ifndef LIMBER_TESTS_SUPPORT_PACK_BYTES_H
#define LIMBER_TESTS_SUPPORT_PACK_BYTES_H

#include <stdint.h>
#include <string.h>

enum { PACK_VERSION_AT = 8, PACK_SIZE_AT = 16, PACK_CHECKSUM_AT = 24, PACK_PARTS_AT = 32 };

// Does nothing if there is no room for a header.
static inline void pack_seal(uint8_t *bytes, size_t size) {
    const uint64_t stored = size;
    uint64_t sum = UINT64_C(14695981039346656037);
    for (size_t at = PACK_PARTS_AT; at + 4 <= size; at += 4) {
        uint32_t word;
        memcpy(&word, bytes + at, 4);
        sum = (sum ^ word) * UINT64_C(1099511628211);
    }
    if (size >= PACK_PARTS_AT) {
        memcpy(bytes + PACK_SIZE_AT, &stored, sizeof stored);
        memcpy(bytes + PACK_CHECKSUM_AT, &sum, sizeof sum);
    }
}

#endif
