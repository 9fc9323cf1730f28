// UTF-8 as in RFC 3629: no overlong forms, no surrogates, and nothing above U+10FFFF.
#ifndef LIMBER_SRC_BASE_UTF8_H
#define LIMBER_SRC_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns the length of the sequences that begin with this byte, 1 to 4; 0 if there are none.
static inline size_t lmb_utf8_length(char first) {
    const uint8_t lead = (uint8_t)first;
    return lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
}

// Returns the length of the sequence at `text` and its code point; 0 if there is none within `size` bytes.
static inline size_t lmb_utf8_decode(const char *text, size_t size, uint32_t *code_point) {
    static const uint8_t marks[] = {0, 0, 0xC0, 0xE0, 0xF0};
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t length = size == 0 ? 0 : lmb_utf8_length(text[0]);
    if (length == 0 || length > size) {
        return 0;
    }
    uint32_t value = (uint8_t)text[0] - marks[length];
    for (size_t i = 1; i < length; i++) {
        if (((uint8_t)text[i] & 0xC0) != 0x80) {
            return 0;
        }
        value = value << 6 | ((uint8_t)text[i] & 0x3Fu);
    }
    const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
    *code_point = value;
    return is_surrogate || value < smallest[length] || value > 0x10FFFF ? 0 : length;
}

#endif
