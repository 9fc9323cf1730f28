// Numbers are converted by strtod(), which rounds correctly but expects the locale's decimal point. So they are
// rewritten without a point, as digits and an exponent. Digits beyond those that can matter become one digit.
#include "text.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t lmb_text_sequence(const char *text, size_t size) {
    uint32_t code_point;
    return lmb_utf8_decode(text, size, &code_point);
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

int lmb_text_digit(char character) {
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *digit = memchr(digits, character, sizeof digits - 1);
    return digit == NULL ? -1 : (int)(digit - digits) - (digit >= digits + 16 ? 6 : 0);
}

void lmb_text_make_line(char *text) {
    size_t size = strlen(text);
    for (size_t i = 0; i < size;) {
        size_t length = lmb_text_sequence(text + i, size - i);
        bool cut_off = length == 0 && lmb_utf8_length(text[i]) > size - i;
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

// ---- Numbers ----

// A halfway point between two doubles has at most 767 significant digits. Digits after these can only break a tie, so
// one additional digit 1 represents all of them.
#define MAX_DIGITS 768u

static int64_t read_exponent(const char *text, size_t size) {
    int64_t exponent = 0;
    for (size_t at = text[0] == '-' || text[0] == '+' ? 1 : 0; at < size; at++) {
        // No text has enough digits to bring a larger exponent back into range.
        if (exponent < INT64_C(1000000000000000)) {
            exponent = exponent * 10 + (text[at] - '0');
        }
    }
    return text[0] == '-' ? -exponent : exponent;
}

// Writes the number without a decimal point, which is the only part that depends on the locale: strtod() reads digits
// and an exponent in every locale alike.
double lmb_strtod(const char *text, size_t size) {
    char number[MAX_DIGITS + 32];
    size_t count = 0;
    int64_t exponent = 0;
    bool behind_point = false;
    bool has_rest = false;
    size_t at = text[0] == '-' ? 1 : 0;
    for (; at < size && text[at] != 'e' && text[at] != 'E'; at++) {
        if (text[at] == '.') {
            behind_point = true;
            continue;
        }
        exponent -= behind_point ? 1 : 0;
        if (count == MAX_DIGITS) {
            exponent++;
            has_rest = has_rest || text[at] != '0';
        } else if (count > 0 || text[at] != '0') {
            number[count++] = text[at];
        }
    }
    if (has_rest) {
        number[count++] = '1';
        exponent--;
    }
    exponent += at < size ? read_exponent(text + at + 1, size - at - 1) : 0;
    snprintf(number + count, sizeof number - count, "e%" PRId64, exponent);
    double value = count == 0 ? 0.0 : strtod(number, NULL);
    return text[0] == '-' ? -value : value;
}

// ---- Names ----

// Size of " and 4294967295 more".
#define TAIL 24u

static int compare(const void *left, const void *right) {
    const lmb_name *a = left;
    const lmb_name *b = right;
    int order = strcmp(a->text, b->text);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

void lmb_names_sort(lmb_name *names, uint32_t count) {
    qsort(names, count, sizeof(lmb_name), compare);
}

uint32_t lmb_names_find(const lmb_name *names, uint32_t count, const char *text) {
    uint32_t first = 0;
    uint32_t end = count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (strcmp(names[middle].text, text) < 0) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first < count && strcmp(names[first].text, text) == 0 ? names[first].index : LMB_NONE;
}

void lmb_name_list_add(lmb_name_list *list, const char *name) {
    list->count++;
    const char *comma = list->shown == 0 ? "" : ", ";
    size_t room = sizeof list->text - list->length;
    // After a name that did not fit, later names are not listed, so that the order is kept.
    if (list->shown + 1 != list->count || strlen(comma) + strlen(name) + TAIL > room) {
        return;
    }
    list->length += (size_t)snprintf(list->text + list->length, room, "%s%s", comma, name);
    list->shown++;
}

const char *lmb_name_list_text(lmb_name_list *list) {
    if (list->shown < list->count) {
        snprintf(list->text + list->length, sizeof list->text - list->length, "%s%" PRIu32 " %s",
                 list->shown == 0 ? "" : " and ", list->count - list->shown,
                 list->shown == 0 ? "of long names" : "more");
    }
    return list->text;
}
