// Reads JSON (RFC 8259) as a flat list of values. It is strict: invalid text is rejected with its line and column.
#ifndef LIMBER_SRC_JSON_JSON_H
#define LIMBER_SRC_JSON_JSON_H

#include "pool.h"

// Max nesting of objects and arrays.
#define LMB_JSON_DEPTH 256u

typedef enum lmb_json_type {
    LMB_JSON_NULL,
    LMB_JSON_BOOLEAN,
    LMB_JSON_NUMBER,
    LMB_JSON_STRING,
    LMB_JSON_ARRAY,
    LMB_JSON_OBJECT
} lmb_json_type;

// The values inside an array or object follow it directly. An object contains its keys, which are strings, and each key
// contains its value.
typedef struct lmb_json_value {
    lmb_json_type type;
    uint32_t start; // of its text; for a string, after the opening quote
    uint32_t end;
    uint32_t next;  // index of the first value that is not inside this one
    uint32_t count; // elements or members; 1 for a key
} lmb_json_value;

typedef struct lmb_json {
    const char *text;
    lmb_json_value *values; // the first is the outermost value
    uint32_t count;
} lmb_json;

typedef struct lmb_json_error {
    lmb_result result;
    uint32_t line;
    uint32_t column; // bytes, from 1
    const char *reason;
} lmb_json_error;

// Reads a text of less than 2 GiB, which must outlive the values. The values are allocated from the pool.
LMB_API bool lmb_json_read(const char *text, size_t size, lmb_pool *pool, lmb_json *json, lmb_json_error *error);

// Finds the line and the column, both from 1, of a byte in a text.
LMB_API void lmb_json_locate(const char *text, size_t offset, uint32_t *line, uint32_t *column);

// Returns the type for messages, such as "a number" or "an object".
LMB_API const char *lmb_json_type_name(lmb_json_type type);
// Returns the value of an object's member, or LMB_NONE; `twice` becomes true if several members have this key.
LMB_API uint32_t lmb_json_member(const lmb_json *json, uint32_t object, const char *key, bool *twice);
LMB_API double lmb_json_number(const lmb_json *json, uint32_t value);
LMB_API bool lmb_json_boolean(const lmb_json *json, uint32_t value);
// Returns the max number of bytes that lmb_json_string() writes, including the terminating zero.
LMB_API size_t lmb_json_string_room(const lmb_json *json, uint32_t value);
// Decodes a string's escapes, terminates it with a zero and returns its length. It may contain zeros.
LMB_API size_t lmb_json_string(const lmb_json *json, uint32_t value, char *bytes);

#endif
