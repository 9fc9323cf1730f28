// UTF-8, and text that must fit on one line.
#ifndef LIMBER_SRC_IMPORT_TEXT_H
#define LIMBER_SRC_IMPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>

// Bytes of the well-formed UTF-8 sequence at `text`, 1 to 4, or 0 where there is none within `size` bytes (overlong
// forms, surrogates and values past U+10FFFF are not well formed).
size_t lmb_text_sequence(const char *text, size_t size);
// Writes one code point (not a surrogate) as 1 to 4 bytes and returns their number.
size_t lmb_text_encode(uint32_t code_point, char *bytes);
// Replaces control characters by '?' and drops a sequence that was cut off at the end, so that what came from a file
// can be in a message.
void lmb_text_make_line(char *text);

#endif
