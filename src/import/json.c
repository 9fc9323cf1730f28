#include "json.h"

#include "strtod.h"
#include "text.h"

#include <limits.h>
#include <string.h>

// With links to parents, the number of steps to match a closing bracket is bounded by the depth. Strict mode is not
// used: it would find no error that check_text() has not found, and it rejects a text that is a single number.
#define JSMN_STATIC
#define JSMN_PARENT_LINKS
#include <jsmn.h>

typedef struct expectation {
    const char *allowed; // characters
    const char *reason;  // message for any other character
} expectation;

#define SPACE " \t\r\n"
#define DIGITS "0123456789"
#define VALUE "\"[{-" DIGITS "tfn"
static const expectation a_value = {VALUE, "a value was expected"};
static const expectation an_element = {VALUE "]", "a value was expected"};
static const expectation a_key = {"\"", "a key in quotes was expected"};
static const expectation a_member = {"\"}", "a key in quotes was expected"};
static const expectation a_colon = {":", "':' was expected"};
static const expectation more_elements = {",]", "',' or ']' was expected"};
static const expectation more_members = {",}", "',' or '}' was expected"};
static const expectation the_end = {"", "something is behind the end"};

typedef struct reader {
    const char *text;
    size_t size;
    size_t at;
    const expectation *expected;
    uint32_t depth;
    char open[LMB_JSON_DEPTH]; // brackets that are not closed yet
    lmb_json_error *error;
} reader;

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

static bool fail_expectation(reader *r) {
    bool value = r->expected == &a_value || r->expected == &an_element;
    return fail(r, value && r->at == r->size ? "the text ends where a value was expected" : r->expected->reason);
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
    static const char digits[] = "0123456789abcdefABCDEF";
    if (size < 6 || text[0] != '\\' || text[1] != 'u') {
        return -1;
    }
    int32_t unit = 0;
    for (int i = 2; i < 6; i++) {
        const char *digit = memchr(digits, text[i], sizeof digits - 1);
        if (digit == NULL) {
            return -1;
        }
        unit = unit * 16 + (int32_t)(digit - digits) - (digit >= digits + 16 ? 6 : 0);
    }
    return unit;
}

static bool is_high_surrogate(int32_t unit) {
    return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_low_surrogate(int32_t unit) {
    return unit >= 0xDC00 && unit < 0xE000;
}

// Returns the length of the escape at `text`: 2, 6, or 12 for a surrogate pair; 0 if it is invalid.
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

static bool check_string(reader *r) {
    r->at++;
    while (!next_is(r, "\"")) {
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
    r->at++;
    return true;
}

static bool check_primitive(reader *r) {
    const char *text = r->text + r->at;
    const char *word = text[0] == 't' ? "true" : text[0] == 'f' ? "false" : text[0] == 'n' ? "null" : NULL;
    if (word == NULL) {
        return skip_number(r) || fail(r, "a number that JSON does not have");
    }
    size_t length = strlen(word);
    if (r->size - r->at < length || memcmp(text, word, length) != 0) {
        return fail(r, "a value was expected");
    }
    r->at += length;
    return true;
}

static bool open_bracket(reader *r) {
    if (r->depth == LMB_JSON_DEPTH) {
        return fail(r, "more than 256 nested arrays and objects");
    }
    char bracket = r->text[r->at++];
    r->open[r->depth++] = bracket;
    r->expected = bracket == '[' ? &an_element : &a_member;
    return true;
}

static bool is_in_array(const reader *r) {
    return r->depth > 0 && r->open[r->depth - 1] == '[';
}

static bool end_value(reader *r) {
    r->expected = r->depth == 0 ? &the_end : is_in_array(r) ? &more_elements : &more_members;
    return true;
}

static bool check_next(reader *r) {
    if (!next_is(r, r->expected->allowed)) {
        return fail_expectation(r);
    }
    bool key = r->expected == &a_key || r->expected == &a_member;
    switch (r->text[r->at]) {
    case '[':
    case '{':
        return open_bracket(r);
    case ']':
    case '}':
        r->at++;
        r->depth--;
        return end_value(r);
    case ',':
        r->at++;
        r->expected = is_in_array(r) ? &a_value : &a_key;
        return true;
    case ':':
        r->at++;
        r->expected = &a_value;
        return true;
    case '"':
        if (!check_string(r)) {
            return false;
        }
        r->expected = &a_colon;
        return key || end_value(r);
    default:
        return check_primitive(r) && end_value(r);
    }
}

// Checks the whole text. jsmn accepts many invalid texts, and takes time quadratic in the depth and in successive
// colons, so it is given only valid JSON of a bounded depth.
static bool check_text(reader *r) {
    for (skip(r, SPACE); r->at < r->size; skip(r, SPACE)) {
        if (!check_next(r)) {
            return false;
        }
    }
    return r->expected == &the_end || fail_expectation(r);
}

static lmb_json_type type_of(const jsmntok_t *token, char first) {
    return token->type == JSMN_OBJECT     ? LMB_JSON_OBJECT
           : token->type == JSMN_ARRAY    ? LMB_JSON_ARRAY
           : token->type == JSMN_STRING   ? LMB_JSON_STRING
           : first == 'n'                 ? LMB_JSON_NULL
           : first == 't' || first == 'f' ? LMB_JSON_BOOLEAN
                                          : LMB_JSON_NUMBER;
}

// Iterates backwards, so that the first value seen inside another one is the last one inside it.
static void fill_values(lmb_json *json, const jsmntok_t *tokens) {
    for (uint32_t i = json->count; i-- > 0;) {
        const jsmntok_t *token = &tokens[i];
        lmb_json_value *value = &json->values[i];
        value->type = type_of(token, json->text[token->start]);
        value->start = (uint32_t)token->start;
        value->end = (uint32_t)token->end;
        value->count = (uint32_t)token->size;
        value->next = value->next == 0 ? i + 1 : value->next;
        if (token->parent >= 0 && json->values[token->parent].next == 0) {
            json->values[token->parent].next = value->next;
        }
    }
}

bool lmb_json_read(const char *text, size_t size, lmb_pool *pool, lmb_json *json, lmb_json_error *error) {
    *json = (lmb_json){.text = text};
    *error = (lmb_json_error){.result = LMB_OK};
    reader r = {.text = text, .size = size, .expected = &a_value, .error = error};
    if (size > INT_MAX) {
        return fail(&r, "2 GiB or more of JSON");
    }
    if (!check_text(&r)) {
        return false;
    }
    jsmn_parser parser;
    jsmn_init(&parser);
    json->count = (uint32_t)jsmn_parse(&parser, text, size, NULL, 0);
    json->values = lmb_pool_allocate(pool, json->count, sizeof(lmb_json_value));
    jsmntok_t *tokens = lmb_pool_allocate(pool, json->count, sizeof(jsmntok_t));
    if (json->values == NULL || tokens == NULL) {
        error->result = LMB_ERROR_MEMORY;
        return false;
    }
    jsmn_init(&parser);
    jsmn_parse(&parser, text, size, tokens, json->count);
    fill_values(json, tokens);
    lmb_pool_release(pool, tokens);
    return true;
}

const char *lmb_json_type_name(lmb_json_type type) {
    static const char *const names[] = {"null", "a boolean", "a number", "a string", "an array", "an object"};
    return names[type];
}

// Decodes one character and advances. Escapes have been checked before.
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
        length += decode_character(&text, bytes + length);
    }
    bytes[length] = '\0';
    return length;
}
