// A recursive reader with a bounded depth. It stores no text: a value refers to the source, and strings are decoded
// each time they are compared or copied. Values follow each other in the order of the text. Each one has the index of
// the first value after it, so that members are skipped without a tree.
#include "json.h"

#include "text.h"

#include <limits.h>
#include <string.h>

#define SPACE " \t\r\n"
#define DIGITS "0123456789"

typedef struct reader {
    const char *text;
    size_t size;
    size_t at;
    uint32_t depth; // of arrays and objects that are not closed yet
    lmb_pool *pool;
    lmb_json *json;
    lmb_json_error *error;
} reader;

void lmb_json_locate(const char *text, size_t offset, uint32_t *line, uint32_t *column) {
    *line = *column = 1;
    for (size_t i = 0; i < offset; i++) {
        const bool line_ends = text[i] == '\n';
        *line += line_ends;
        *column = line_ends ? 1 : *column + 1;
    }
}

static bool fail(reader *r, const char *reason) {
    r->error->result = LMB_ERROR_FORMAT;
    r->error->reason = reason;
    lmb_json_locate(r->text, r->at, &r->error->line, &r->error->column);
    return false;
}

static bool next_is(const reader *r, const char *characters) {
    return r->at < r->size && r->text[r->at] != '\0' && strchr(characters, r->text[r->at]) != NULL;
}

static bool skip(reader *r, const char *characters) {
    size_t start = r->at;
    while (next_is(r, characters)) {
        r->at++;
    }
    return r->at > start;
}

static bool skip_one(reader *r, const char *characters) {
    bool found = next_is(r, characters);
    r->at += found ? 1 : 0;
    return found;
}

static bool expect(reader *r, const char *characters, const char *reason) {
    skip(r, SPACE);
    return next_is(r, characters) || fail(r, reason);
}

// Adds a value that starts here; returns its index, or LMB_NONE without memory.
static uint32_t add_value(reader *r, lmb_json_type type) {
    lmb_json *json = r->json;
    const lmb_json_value value = {.type = type, .start = (uint32_t)r->at};
    if (!lmb_pool_append(r->pool, &json->values, &json->count, &value, sizeof value)) {
        r->error->result = LMB_ERROR_MEMORY;
        return LMB_NONE;
    }
    return json->count - 1;
}

// The value ends here, and everything read since it was added is inside it.
static void end_value(reader *r, uint32_t value) {
    r->json->values[value].end = (uint32_t)r->at;
    r->json->values[value].next = r->json->count;
}

static bool skip_number(reader *r) {
    skip_one(r, "-");
    if ((!skip_one(r, "0") && !skip(r, DIGITS)) || (skip_one(r, ".") && !skip(r, DIGITS))) {
        return false;
    }
    if (!skip_one(r, "eE")) {
        return true;
    }
    skip_one(r, "+-");
    return skip(r, DIGITS);
}

// Returns the value of the 4 digits of an escape "\uXXXX" at `text`, or -1.
static int32_t escaped_unit(const char *text, size_t size) {
    if (size < 6 || text[0] != '\\' || text[1] != 'u') {
        return -1;
    }
    int32_t unit = 0;
    for (int i = 2; i < 6 && unit >= 0; i++) {
        const int digit = lmb_text_digit(text[i]);
        unit = digit < 0 ? -1 : unit * 16 + digit;
    }
    return unit;
}

static bool is_high_surrogate(int32_t unit) {
    return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_low_surrogate(int32_t unit) {
    return unit >= 0xDC00 && unit < 0xE000;
}

// Decodes one character to UTF-8. Returns the length of its text, or 0 if it is invalid.
static size_t decode_character(const char *text, size_t size, char bytes[4], size_t *count) {
    static const char escapes[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    if (text[0] != '\\') {
        const bool is_ascii = (uint8_t)text[0] < 0x80;
        *count = is_ascii ? 1 : lmb_text_sequence(text, size);
        for (size_t i = 0; i < *count; i++) {
            bytes[i] = text[i];
        }
        return *count;
    }
    const char *escape = size < 2 ? NULL : memchr(escapes, text[1], sizeof escapes - 1);
    if (escape != NULL) {
        bytes[0] = meanings[escape - escapes];
        *count = 1;
        return 2;
    }
    int32_t unit = escaped_unit(text, size);
    const int32_t low = is_high_surrogate(unit) ? escaped_unit(text + 6, size - 6) : -1;
    if (unit < 0 || is_low_surrogate(unit) || (is_high_surrogate(unit) && !is_low_surrogate(low))) {
        return 0;
    }
    const uint32_t code_point =
        low < 0 ? (uint32_t)unit : 0x10000u + ((uint32_t)(unit - 0xD800) << 10) + (uint32_t)(low - 0xDC00);
    *count = lmb_text_encode(code_point, bytes);
    return low < 0 ? 6 : 12;
}

// Moves to the end of a string's text.
static bool skip_text(reader *r) {
    while (r->at < r->size && r->text[r->at] != '"') {
        const char *text = r->text + r->at;
        char bytes[4];
        size_t count;
        if ((uint8_t)text[0] < 0x20) {
            return fail(r, "a control character in a string");
        }
        size_t length = decode_character(text, r->size - r->at, bytes, &count);
        if (length == 0) {
            return fail(r, text[0] == '\\' ? "an escape that JSON does not have, or half of a surrogate pair"
                                           : "bytes that are not UTF-8");
        }
        r->at += length;
    }
    return r->at < r->size || fail(r, "the text ends inside a string");
}

static bool read_string(reader *r) {
    r->at++;
    uint32_t value = add_value(r, LMB_JSON_STRING);
    if (value == LMB_NONE || !skip_text(r)) {
        return false;
    }
    end_value(r, value);
    r->at++;
    return true;
}

static bool skip_word(reader *r, const char *word) {
    size_t length = strlen(word);
    if (r->size - r->at < length || memcmp(r->text + r->at, word, length) != 0) {
        return fail(r, "a value was expected");
    }
    r->at += length;
    return true;
}

static bool read_primitive(reader *r) {
    char first = r->text[r->at];
    const char *word = first == 't' ? "true" : first == 'f' ? "false" : first == 'n' ? "null" : NULL;
    if (word == NULL && !next_is(r, "-" DIGITS)) {
        return fail(r, "a value was expected");
    }
    uint32_t value = add_value(r, word == NULL ? LMB_JSON_NUMBER : first == 'n' ? LMB_JSON_NULL : LMB_JSON_BOOLEAN);
    if (value == LMB_NONE ||
        !(word != NULL ? skip_word(r, word) : skip_number(r) || fail(r, "a number that JSON does not have"))) {
        return false;
    }
    end_value(r, value);
    return true;
}

static bool read_value(reader *r);

static bool read_member(reader *r) {
    uint32_t key = r->json->count;
    if (!expect(r, "\"", "a key in quotes was expected") || !read_string(r) || !expect(r, ":", "':' was expected")) {
        return false;
    }
    r->at++;
    if (!read_value(r)) {
        return false;
    }
    r->json->values[key].count = 1;
    r->json->values[key].next = r->json->count;
    return true;
}

// Reads an array or an object. It recurses at most LMB_JSON_DEPTH deep.
static bool read_inside(reader *r, bool is_array) {
    if (r->depth == LMB_JSON_DEPTH) {
        return fail(r, "more than 256 nested arrays and objects");
    }
    uint32_t value = add_value(r, is_array ? LMB_JSON_ARRAY : LMB_JSON_OBJECT);
    if (value == LMB_NONE) {
        return false;
    }
    r->depth++;
    r->at++;
    skip(r, SPACE);
    for (bool more = !next_is(r, is_array ? "]" : "}"); more; more = skip_one(r, ",")) {
        if (!(is_array ? read_value(r) : read_member(r)) ||
            !expect(r, is_array ? ",]" : ",}", is_array ? "',' or ']' was expected" : "',' or '}' was expected")) {
            return false;
        }
        r->json->values[value].count++;
    }
    r->depth--;
    r->at++;
    end_value(r, value);
    return true;
}

static bool read_value(reader *r) {
    skip(r, SPACE);
    if (r->at == r->size) {
        return fail(r, "the text ends where a value was expected");
    }
    switch (r->text[r->at]) {
    case '[':
    case '{':
        return read_inside(r, r->text[r->at] == '[');
    case '"':
        return read_string(r);
    default:
        return read_primitive(r);
    }
}

bool lmb_json_read(const char *text, size_t size, lmb_pool *pool, lmb_json *json, lmb_json_error *error) {
    *json = (lmb_json){.text = text};
    *error = (lmb_json_error){.result = LMB_OK};
    reader r = {.text = text, .size = size, .pool = pool, .json = json, .error = error};
    if (size > INT_MAX) {
        return fail(&r, "2 GiB or more of JSON");
    }
    if (!read_value(&r)) {
        return false;
    }
    skip(&r, SPACE);
    return r.at == size || fail(&r, "something is behind the end");
}

const char *lmb_json_type_name(lmb_json_type type) {
    static const char *const names[] = {"null", "a boolean", "a number", "a string", "an array", "an object"};
    return names[type];
}

static bool string_equals(const lmb_json *json, uint32_t value, const char *key) {
    const char *text = json->text + json->values[value].start;
    const char *end = json->text + json->values[value].end;
    size_t left = strlen(key);
    while (text < end) {
        char bytes[4];
        size_t count;
        text += decode_character(text, (size_t)(end - text), bytes, &count);
        if (count > left || memcmp(bytes, key, count) != 0) {
            return false;
        }
        key += count;
        left -= count;
    }
    return left == 0;
}

uint32_t lmb_json_member(const lmb_json *json, uint32_t object, const char *key, bool *twice) {
    uint32_t found = LMB_NONE;
    *twice = false;
    for (uint32_t at = object + 1; at < json->values[object].next; at = json->values[at].next) {
        if (string_equals(json, at, key)) {
            *twice = found != LMB_NONE;
            found = at + 1;
        }
    }
    return found;
}

double lmb_json_number(const lmb_json *json, uint32_t value) {
    const lmb_json_value *number = &json->values[value];
    return lmb_strtod(json->text + number->start, number->end - number->start);
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
        char character[4];
        size_t count;
        text += decode_character(text, (size_t)(end - text), character, &count);
        memcpy(bytes + length, character, count);
        length += count;
    }
    bytes[length] = '\0';
    return length;
}
