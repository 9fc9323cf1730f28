// JSON (RFC 8259) as a flat list of values, strict: what is no JSON is refused with its line and column. jsmn reads it,
// after a check for all that jsmn lets pass.
#ifndef LIMBER_SRC_IMPORT_JSON_H
#define LIMBER_SRC_IMPORT_JSON_H

#include "pool.h"

// Objects and arrays inside each other; deeper text is refused.
#define LMB_JSON_DEPTH 256u

typedef enum lmb_json_type {
    LMB_JSON_NULL,
    LMB_JSON_BOOLEAN,
    LMB_JSON_NUMBER,
    LMB_JSON_STRING,
    LMB_JSON_ARRAY,
    LMB_JSON_OBJECT
} lmb_json_type;

// The values inside an array or object follow it directly. What is inside an object are its keys, strings, and inside
// each of them is its value.
typedef struct lmb_json_value {
    lmb_json_type type;
    uint32_t start; // of its text; inside the quotes of a string
    uint32_t end;
    uint32_t next;  // index of the first value that is not inside this one
    uint32_t count; // elements or members; 1 for a key
} lmb_json_value;

typedef struct lmb_json {
    const char *text;
    lmb_json_value *values; // the first is the whole text's
    uint32_t count;
} lmb_json;

typedef struct lmb_json_error {
    lmb_result result;
    uint32_t line;
    uint32_t column; // bytes, from 1
    const char *reason;
} lmb_json_error;

// Reads a text below 2 GiB, which must outlive the values. They belong to the pool.
bool lmb_json_read(const char *text, size_t size, lmb_pool *pool, lmb_json *json, lmb_json_error *error);

// "a number", "an object" and so on.
const char *lmb_json_type_name(lmb_json_type type);
// The value of a member of an object, or LMB_NONE; `twice` tells whether another member has the same key.
uint32_t lmb_json_member(const lmb_json *json, uint32_t object, const char *key, bool *twice);
double lmb_json_number(const lmb_json *json, uint32_t value);
bool lmb_json_boolean(const lmb_json *json, uint32_t value);
// Bytes that lmb_json_string() writes at most, the closing zero included.
size_t lmb_json_string_room(const lmb_json *json, uint32_t value);
// Decodes a string's escapes, closes it with a zero, returns its length (it may hold zeros itself).
size_t lmb_json_string(const lmb_json *json, uint32_t value, char *bytes);

#endif
