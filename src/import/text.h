// UTF-8, and text of one line for messages.
#ifndef LIMBER_SRC_IMPORT_TEXT_H
#define LIMBER_SRC_IMPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>

// Returns the length of the well-formed UTF-8 sequence at `text`, 1 to 4; 0 if there is none within `size` bytes.
// Overlong forms, surrogates and values past U+10FFFF are not well formed.
size_t lmb_text_sequence(const char *text, size_t size);
// Writes one code point, which must not be a surrogate, as 1 to 4 bytes and returns their number.
size_t lmb_text_encode(uint32_t code_point, char *bytes);
// Replaces control characters and invalid bytes by '?', and drops a sequence that is cut off at the end, so that text
// from a file can be part of a message.
void lmb_text_make_line(char *text);

#endif
