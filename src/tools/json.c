// No tree is built. A flag says whether a comma must come before the next value, which is enough as values are written
// in order.
#include "json.h"

#include "terminal.h"

#include <limber/base.h>

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

// Writes a \u escape, or two if the character needs more than 16 bits.
static void write_escape(FILE *stream, uint32_t code_point) {
    if (code_point >= 0x10000) {
        fprintf(stream, "\\u%04x", (unsigned)(0xd800 + ((code_point - 0x10000) >> 10)));
        code_point = 0xdc00 + (code_point & 0x3ff);
    }
    fprintf(stream, "\\u%04x", (unsigned)code_point);
}

static void write_text(FILE *stream, const char *text) {
    fputc('"', stream);
    for (size_t left = strlen(text); left > 0;) {
        const terminal_character character = terminal_read(text, left);
        if (character.code_point == TERMINAL_NO_CHARACTER) {
            fputs("\\ufffd", stream);
        } else if (!terminal_is_printable(character.code_point)) {
            write_escape(stream, character.code_point);
        } else {
            if (*text == '"' || *text == '\\') {
                fputc('\\', stream);
            }
            fwrite(text, 1, character.size, stream);
        }
        text += character.size;
        left -= character.size;
    }
    fputc('"', stream);
}

static void begin_value(json *json, const char *key) {
    if (json->comma) {
        fputs(", ", json->stream);
    }
    json->comma = true;
    if (key != NULL) {
        write_text(json->stream, key);
        fputs(": ", json->stream);
    }
}

void json_line(json *json, int indent) {
    fprintf(json->stream, "%s\n%*s", json->comma ? "," : "", indent, "");
    json->comma = false;
}

static void begin(json *json, const char *key, char bracket) {
    begin_value(json, key);
    fputc(bracket, json->stream);
    json->comma = false;
}

static void end(json *json, char bracket) {
    fputc(bracket, json->stream);
    json->comma = true;
}

void json_begin_object(json *json, const char *key) {
    begin(json, key, '{');
}

void json_begin_named(json *json, const char *name) {
    json_begin_object(json, NULL);
    json_text(json, "name", name);
}

json json_begin(FILE *stream) {
    json json = {.stream = stream};
    json_begin_object(&json, NULL);
    return json;
}

void json_end(json *json) {
    json_end_object(json);
    fputc('\n', json->stream);
}

void json_end_object(json *json) {
    end(json, '}');
}

void json_begin_array(json *json, const char *key) {
    begin(json, key, '[');
}

void json_end_array(json *json) {
    end(json, ']');
}

void json_text(json *json, const char *key, const char *text) {
    begin_value(json, key);
    if (text == NULL) {
        fputs("null", json->stream);
    } else {
        write_text(json->stream, text);
    }
}

void json_bool(json *json, const char *key, bool value) {
    begin_value(json, key);
    fputs(value ? "true" : "false", json->stream);
}

void json_index(json *json, const char *key, uint32_t index) {
    begin_value(json, key);
    fprintf(json->stream, "%" PRId64, index == LMB_NONE ? -1 : (int64_t)index);
}

void json_unsigned(json *json, const char *key, uint64_t value) {
    begin_value(json, key);
    fprintf(json->stream, "%" PRIu64, value);
}

void json_thousandths(json *json, const char *key, uint64_t thousandths) {
    begin_value(json, key);
    fprintf(json->stream, "%" PRIu64 ".%03u", thousandths / 1000, (unsigned)(thousandths % 1000));
}

void json_float(json *json, const char *key, float value) {
    begin_value(json, key);
    if (isfinite(value)) {
        fprintf(json->stream, "%.9g", (double)value);
    } else {
        fputs("null", json->stream);
    }
}

void json_floats(json *json, const char *key, const float *values, uint32_t count) {
    json_begin_array(json, key);
    for (uint32_t i = 0; i < count; i++) {
        json_float(json, NULL, values[i]);
    }
    json_end_array(json);
}
