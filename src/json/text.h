// UTF-8, text of one line for messages, numbers, and names: finding them fast among many, and listing them in one line.
#ifndef LIMBER_SRC_JSON_TEXT_H
#define LIMBER_SRC_JSON_TEXT_H

#include <limber/base.h>

// Returns the length of the well-formed UTF-8 sequence at `text`, 1 to 4; 0 if there is none within `size` bytes.
// Overlong forms, surrogates and values past U+10FFFF are not well formed.
LMB_API size_t lmb_text_sequence(const char *text, size_t size);
// Writes one code point, which must not be a surrogate, as 1 to 4 bytes and returns their number.
LMB_API size_t lmb_text_encode(uint32_t code_point, char *bytes);
// Returns the value of a hexadecimal digit, or -1.
LMB_API int lmb_text_digit(char character);
// Replaces control characters and invalid bytes by '?', and drops a sequence that is cut off at the end, so that text
// from a file can be part of a message.
LMB_API void lmb_text_make_line(char *text);

// Converts a number as in JSON, [-]digits[.digits][e[+-]digits], whatever the locale. Rounds as the floating-point
// environment says; a number that is too large becomes infinity.
LMB_API double lmb_strtod(const char *text, size_t size);

typedef struct lmb_name {
    const char *text;
    uint32_t index;
} lmb_name;

// Sorts names for lmb_names_find().
LMB_API void lmb_names_sort(lmb_name *names, uint32_t count);
// Returns the min index among the names equal to `text`, or LMB_NONE.
LMB_API uint32_t lmb_names_find(const lmb_name *names, uint32_t count, const char *text);

// A list such as "Camera, Sky and 12 more". Initialise it to zero.
typedef struct lmb_name_list {
    char text[300];
    size_t length;
    uint32_t count;
    uint32_t shown;
} lmb_name_list;

LMB_API void lmb_name_list_add(lmb_name_list *list, const char *name);
// Completes and returns the text.
LMB_API const char *lmb_name_list_text(lmb_name_list *list);

#endif
