// Writes JSON, value by value, to a stream. Always well formed: in text that is not UTF-8 stands U+FFFD in place of
// what is wrong with it, and a float that is not finite is null. What is not printable is escaped, so that a terminal
// may show it (terminal.h).
#ifndef LIMBER_SRC_CLI_JSON_H
#define LIMBER_SRC_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *stream;
    bool comma; // a value is before the next one
} json;

// `key` is the member's name inside an object, NULL inside an array and at the top.
void json_begin_object(json *json, const char *key);
void json_end_object(json *json);
void json_begin_array(json *json, const char *key);
void json_end_array(json *json);
// NULL text is null.
void json_text(json *json, const char *key, const char *text);
void json_bool(json *json, const char *key, bool value);
void json_integer(json *json, const char *key, int64_t value);
void json_unsigned(json *json, const char *key, uint64_t value);
// A number of thousandths, exactly, with three decimals.
void json_thousandths(json *json, const char *key, uint64_t thousandths);
// Nine digits: enough to read the same bits back.
void json_float(json *json, const char *key, float value);
void json_floats(json *json, const char *key, const float *values, uint32_t count);

#endif
