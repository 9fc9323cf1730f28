#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

// Length of the UTF-8 sequence that starts at `text` (RFC 3629: no surrogates, no overlong forms), 0 where none does.
// The terminator ends every sequence too early, so nothing behind it is read.
static size_t utf8_length(const unsigned char *text) {
    static const struct {
        unsigned char first, last, second_first, second_last;
        size_t length;
    } rows[] = {
        {0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        if (text[0] < rows[row].first || text[0] > rows[row].last) {
            continue;
        }
        if (rows[row].length > 1 && (text[1] < rows[row].second_first || text[1] > rows[row].second_last)) {
            return 0;
        }
        for (size_t i = 2; i < rows[row].length; i++) {
            if ((text[i] & 0xc0) != 0x80) {
                return 0;
            }
        }
        return rows[row].length;
    }
    return 0;
}

static void write_text(FILE *stream, const char *text) {
    fputc('"', stream);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        size_t length = utf8_length(at);
        if (length == 0) {
            fputs("\\ufffd", stream);
            length = 1;
        } else if (*at == '"' || *at == '\\') {
            fprintf(stream, "\\%c", *at);
        } else if (*at < 0x20 || *at == 0x7f) {
            fprintf(stream, "\\u%04x", *at);
        } else {
            fwrite(at, 1, length, stream);
        }
        at += length;
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

void json_integer(json *json, const char *key, int64_t value) {
    begin_value(json, key);
    fprintf(json->stream, "%" PRId64, value);
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
