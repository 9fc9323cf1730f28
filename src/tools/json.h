// Writes JSON to a stream, value by value. The output is always well formed: bytes that are not UTF-8 are replaced by
// U+FFFD, and a float that is not finite becomes null. Unprintable characters are escaped, so that a terminal may show
// the output (terminal.h).
#ifndef LIMBER_SRC_TOOLS_JSON_H
#define LIMBER_SRC_TOOLS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *stream;
    bool comma; // a value comes before the next one
} json;

// Begins and ends a text that is one object, and a line.
json json_begin(FILE *stream);
void json_end(json *json);
// The next value begins a line, indented by `indent` spaces.
void json_line(json *json, int indent);
// `key` is the member's name inside an object, NULL inside an array and at the top.
void json_begin_object(json *json, const char *key);
void json_end_object(json *json);
// Begins an object inside an array, with its name as the first member.
void json_begin_named(json *json, const char *name);
void json_begin_array(json *json, const char *key);
void json_end_array(json *json);
// Writes null if `text` is NULL.
void json_text(json *json, const char *key, const char *text);
void json_bool(json *json, const char *key, bool value);
// Writes -1 for LMB_NONE.
void json_index(json *json, const char *key, uint32_t index);
void json_unsigned(json *json, const char *key, uint64_t value);
// Writes a number of thousandths exactly, with three decimals.
void json_thousandths(json *json, const char *key, uint64_t thousandths);
// Writes nine digits, which are enough to read the same bits back.
void json_float(json *json, const char *key, float value);
void json_floats(json *json, const char *key, const float *values, uint32_t count);

#endif
