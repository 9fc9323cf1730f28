#include "text.h"

#include <stdbool.h>
#include <string.h>

static size_t sequence_length(uint8_t lead) {
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF) {
        return 2;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        return 3;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        return 4;
    }
    return 0;
}

// The second byte excludes overlong forms (E0, F0), surrogates (ED) and values past U+10FFFF (F4).
static bool second_byte_fits(uint8_t lead, uint8_t second) {
    uint8_t lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    uint8_t highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    return second >= lowest && second <= highest;
}

size_t lmb_text_sequence(const char *text, size_t size) {
    const uint8_t *bytes = (const uint8_t *)text;
    size_t length = size == 0 ? 0 : sequence_length(bytes[0]);
    if (length == 0 || length > size) {
        return 0;
    }
    if (length > 1 && !second_byte_fits(bytes[0], bytes[1])) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return length;
}

size_t lmb_text_encode(uint32_t code_point, char *bytes) {
    if (code_point < 0x80) {
        bytes[0] = (char)code_point;
        return 1;
    }
    size_t length = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    static const uint8_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (code_point & 0x3F));
        code_point >>= 6;
    }
    bytes[0] = (char)(leads[length] | code_point);
    return length;
}

void lmb_text_make_line(char *text) {
    size_t size = strlen(text);
    for (size_t i = 0; i < size;) {
        size_t length = lmb_text_sequence(text + i, size - i);
        bool cut_off = length == 0 && i + 4 > size && sequence_length((uint8_t)text[i]) > size - i;
        if (cut_off) {
            text[i] = '\0';
            return;
        }
        if (length == 0 || (uint8_t)text[i] < 0x20 || text[i] == 0x7F) {
            text[i] = '?';
            length = 1;
        }
        i += length;
    }
}
