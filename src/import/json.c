#include "json.h"

#include "decimal.h"
#include "text.h"

#include <string.h>

typedef struct reader {
    const char *text;
    size_t size;
    size_t at;
    uint32_t depth;
    lmb_pool *pool;
    lmb_json *json;
    size_t capacity;
    lmb_json_error *error;
} reader;

static bool read_value(reader *r);

static bool fail(reader *r, const char *reason) {
    r->error->result = LMB_ERROR_FORMAT;
    r->error->reason = reason;
    r->error->line = 1;
    r->error->column = 1;
    for (size_t i = 0; i < r->at; i++) {
        r->error->column++;
        if (r->text[i] == '\n') {
            r->error->line++;
            r->error->column = 1;
        }
    }
    return false;
}

static void skip_space(reader *r) {
    while (r->at < r->size && strchr(" \t\r\n", r->text[r->at]) != NULL && r->text[r->at] != '\0') {
        r->at++;
    }
}

static bool next_is(const reader *r, char character) {
    return r->at < r->size && r->text[r->at] == character;
}

static bool append(reader *r, lmb_json_type type, size_t start, uint32_t *index) {
    lmb_json *json = r->json;
    lmb_json_value *values = lmb_pool_grow(r->pool, json->values, json->count, &r->capacity, sizeof(lmb_json_value));
    if (values == NULL) {
        r->error->result = LMB_ERROR_MEMORY;
        return false;
    }
    json->values = values;
    *index = json->count++;
    json->values[*index] = (lmb_json_value){.type = type, .start = (uint32_t)start};
    return true;
}

static void close_value(reader *r, uint32_t index, size_t end) {
    r->json->values[index].end = (uint32_t)end;
    r->json->values[index].next = r->json->count;
}

static int hexadecimal_digit(char character) {
    if (character >= '0' && character <= '9') {
        return character - '0';
    }
    if (character >= 'a' && character <= 'f') {
        return character - 'a' + 10;
    }
    if (character >= 'A' && character <= 'F') {
        return character - 'A' + 10;
    }
    return -1;
}

// The 4 digits behind "\u" at `text`, or -1.
static int32_t escaped_unit(const char *text, size_t size) {
    if (size < 6 || text[0] != '\\' || text[1] != 'u') {
        return -1;
    }
    int32_t unit = 0;
    for (int i = 2; i < 6; i++) {
        int digit = hexadecimal_digit(text[i]);
        if (digit < 0) {
            return -1;
        }
        unit = unit * 16 + digit;
    }
    return unit;
}

static bool is_high_surrogate(int32_t unit) {
    return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_low_surrogate(int32_t unit) {
    return unit >= 0xDC00 && unit < 0xE000;
}

// Bytes of the escape at `text`, or 0 where it is none: 2, 6, or 12 for a pair of surrogates.
static size_t escape_length(const char *text, size_t size) {
    if (size >= 2 && text[1] != '\0' && strchr("\"\\/bfnrt", text[1]) != NULL) {
        return 2;
    }
    int32_t unit = escaped_unit(text, size);
    if (unit < 0 || is_low_surrogate(unit)) {
        return 0;
    }
    if (!is_high_surrogate(unit)) {
        return 6;
    }
    return is_low_surrogate(escaped_unit(text + 6, size - 6)) ? 12 : 0;
}

static bool read_string(reader *r) {
    uint32_t index;
    if (!append(r, LMB_JSON_STRING, r->at + 1, &index)) {
        return false;
    }
    r->at++;
    while (!next_is(r, '"')) {
        const char *text = r->text + r->at;
        size_t left = r->size - r->at;
        if (left == 0) {
            return fail(r, "the text ends inside a string");
        }
        if ((uint8_t)text[0] < 0x20) {
            return fail(r, "a control character in a string");
        }
        size_t length = text[0] == '\\' ? escape_length(text, left) : lmb_text_sequence(text, left);
        if (length == 0) {
            return fail(r, text[0] == '\\' ? "an escape that JSON does not have, or half of a surrogate pair"
                                           : "bytes that are not UTF-8");
        }
        r->at += length;
    }
    close_value(r, index, r->at);
    r->at++;
    return true;
}

static bool skip_digits(reader *r) {
    size_t start = r->at;
    while (r->at < r->size && r->text[r->at] >= '0' && r->text[r->at] <= '9') {
        r->at++;
    }
    return r->at > start;
}

static bool skip_number(reader *r) {
    if (next_is(r, '-')) {
        r->at++;
    }
    if (next_is(r, '0')) {
        r->at++;
    } else if (!skip_digits(r)) {
        return false;
    }
    if (next_is(r, '.')) {
        r->at++;
        if (!skip_digits(r)) {
            return false;
        }
    }
    if (next_is(r, 'e') || next_is(r, 'E')) {
        r->at++;
        if (next_is(r, '-') || next_is(r, '+')) {
            r->at++;
        }
        return skip_digits(r);
    }
    return true;
}

static bool read_number(reader *r) {
    uint32_t index;
    if (!append(r, LMB_JSON_NUMBER, r->at, &index)) {
        return false;
    }
    if (!skip_number(r)) {
        return fail(r, "a number that JSON does not have");
    }
    close_value(r, index, r->at);
    return true;
}

static bool read_word(reader *r) {
    static const struct {
        const char *text;
        lmb_json_type type;
    } words[] = {{"true", LMB_JSON_BOOLEAN}, {"false", LMB_JSON_BOOLEAN}, {"null", LMB_JSON_NULL}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i].text);
        if (r->size - r->at >= length && memcmp(r->text + r->at, words[i].text, length) == 0) {
            uint32_t index;
            if (!append(r, words[i].type, r->at, &index)) {
                return false;
            }
            r->at += length;
            close_value(r, index, r->at);
            return true;
        }
    }
    return fail(r, "a value was expected");
}

static bool read_key(reader *r) {
    if (!next_is(r, '"')) {
        return fail(r, "a key in quotes was expected");
    }
    if (!read_string(r)) {
        return false;
    }
    skip_space(r);
    if (!next_is(r, ':')) {
        return fail(r, "':' was expected");
    }
    r->at++;
    return true;
}

static bool read_elements(reader *r, uint32_t container, bool keyed, char closing) {
    skip_space(r);
    if (next_is(r, closing)) {
        return true;
    }
    for (;;) {
        skip_space(r);
        if ((keyed && !read_key(r)) || !read_value(r)) {
            return false;
        }
        r->json->values[container].count++;
        skip_space(r);
        if (next_is(r, closing)) {
            return true;
        }
        if (!next_is(r, ',')) {
            return fail(r, keyed ? "',' or '}' was expected" : "',' or ']' was expected");
        }
        r->at++;
    }
}

static bool read_container(reader *r, lmb_json_type type) {
    if (r->depth == LMB_JSON_DEPTH) {
        return fail(r, "more than 256 arrays and objects inside each other");
    }
    uint32_t index;
    if (!append(r, type, r->at, &index)) {
        return false;
    }
    r->depth++;
    r->at++;
    bool keyed = type == LMB_JSON_OBJECT;
    if (!read_elements(r, index, keyed, keyed ? '}' : ']')) {
        return false;
    }
    r->at++;
    r->depth--;
    close_value(r, index, r->at);
    return true;
}

static bool read_value(reader *r) {
    skip_space(r);
    if (r->at == r->size) {
        return fail(r, "the text ends where a value was expected");
    }
    char first = r->text[r->at];
    switch (first) {
    case '{':
        return read_container(r, LMB_JSON_OBJECT);
    case '[':
        return read_container(r, LMB_JSON_ARRAY);
    case '"':
        return read_string(r);
    default:
        return first == '-' || (first >= '0' && first <= '9') ? read_number(r) : read_word(r);
    }
}

bool lmb_json_read(const char *text, size_t size, lmb_pool *pool, lmb_json *json, lmb_json_error *error) {
    *json = (lmb_json){.text = text};
    *error = (lmb_json_error){.result = LMB_OK};
    reader r = {.text = text, .size = size, .pool = pool, .json = json, .error = error};
    if (size >= UINT32_MAX) {
        return fail(&r, "4 GiB or more of JSON");
    }
    if (!read_value(&r)) {
        return false;
    }
    skip_space(&r);
    return r.at == size || fail(&r, "something stands behind the end");
}

const char *lmb_json_type_name(lmb_json_type type) {
    static const char *const names[] = {"null", "a boolean", "a number", "a string", "an array", "an object"};
    return names[type];
}

// Decodes one character and moves on; the escapes were checked when they were read.
static size_t decode_character(const char **text, char *bytes) {
    const char *at = *text;
    if (at[0] != '\\') {
        bytes[0] = at[0];
        *text += 1;
        return 1;
    }
    if (at[1] != 'u') {
        static const char escapes[] = "bfnrt";
        static const char meanings[] = "\b\f\n\r\t";
        const char *escape = strchr(escapes, at[1]);
        bytes[0] = escape != NULL ? meanings[escape - escapes] : at[1];
        *text += 2;
        return 1;
    }
    int32_t unit = escaped_unit(at, 6);
    *text += 6;
    if (is_high_surrogate(unit)) {
        unit = 0x10000 + ((unit - 0xD800) << 10) + (escaped_unit(at + 6, 6) - 0xDC00);
        *text += 6;
    }
    return lmb_text_encode((uint32_t)unit, bytes);
}

static bool string_equals(const lmb_json *json, uint32_t value, const char *key) {
    const char *text = json->text + json->values[value].start;
    const char *end = json->text + json->values[value].end;
    size_t left = strlen(key);
    while (text < end) {
        char bytes[4];
        size_t length = decode_character(&text, bytes);
        if (length > left || memcmp(bytes, key, length) != 0) {
            return false;
        }
        key += length;
        left -= length;
    }
    return left == 0;
}

uint32_t lmb_json_member(const lmb_json *json, uint32_t object, const char *key, bool *twice) {
    uint32_t found = LMB_NONE;
    *twice = false;
    for (uint32_t at = object + 1; at < json->values[object].next; at = json->values[at + 1].next) {
        if (string_equals(json, at, key)) {
            *twice = found != LMB_NONE;
            found = at + 1;
        }
    }
    return found;
}

double lmb_json_number(const lmb_json *json, uint32_t value) {
    const lmb_json_value *number = &json->values[value];
    return lmb_decimal_parse(json->text + number->start, number->end - number->start);
}

bool lmb_json_boolean(const lmb_json *json, uint32_t value) {
    return json->text[json->values[value].start] == 't';
}

size_t lmb_json_string_room(const lmb_json *json, uint32_t value) {
    return (size_t)json->values[value].end - json->values[value].start + 1;
}

size_t lmb_json_string(const lmb_json *json, uint32_t value, char *bytes) {
    const char *text = json->text + json->values[value].start;
    const char *end = json->text + json->values[value].end;
    size_t length = 0;
    while (text < end) {
        length += decode_character(&text, bytes + length);
    }
    bytes[length] = '\0';
    return length;
}
