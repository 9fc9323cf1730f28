// Reads the script line by line. The first mistake ends it, with its line and column. Names are not looked up here,
// because the graph may not exist yet.
#include "play_script.h"

#include "base/host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SECONDS 1e6
#define NUMBER_SIZE 48

// The remaining text, and its position.
typedef struct reader {
    const char *at;
    const char *end;
    const char *line_start;
    uint32_t line;
    lmb_error *error;
} reader;

typedef struct word {
    const char *text;
    size_t length;
} word;

static uint32_t column_of(const reader *r, const char *at) {
    return (uint32_t)(at - r->line_start) + 1;
}

static lmb_result fail_at(const reader *r, const char *at, const char *message) {
    return lmb_fail(r->error, LMB_ERROR_FORMAT, "line %u, column %u: %s", (unsigned)r->line, (unsigned)column_of(r, at),
                    message);
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

// Returns the next word of the line. Its length is 0 at the end of the line or at a comment.
static word next_word(reader *r) {
    while (r->at < r->end && is_space(*r->at)) {
        r->at++;
    }
    word found = {r->at, 0};
    if (r->at < r->end && *r->at == '#') {
        return found;
    }
    while (r->at < r->end && !is_space(*r->at) && *r->at != '\n' && *r->at != '#') {
        r->at++;
    }
    found.length = (size_t)(r->at - found.text);
    return found;
}

static bool is_word(word found, const char *text) {
    return found.length == strlen(text) && memcmp(found.text, text, found.length) == 0;
}

// Reads decimal digits, a point and an exponent, as strtod() does in the C locale, but no names and no hexadecimal
// numbers.
static bool read_number(word found, double *number) {
    char copy[NUMBER_SIZE];
    if (found.length == 0 || found.length >= sizeof copy) {
        return false;
    }
    memcpy(copy, found.text, found.length);
    copy[found.length] = '\0';
    if (strspn(copy, "0123456789.eE+-") != found.length) {
        return false;
    }
    char *end;
    *number = strtod(copy, &end);
    return *end == '\0' && isfinite(*number);
}

static lmb_result read_name(reader *r, play_line *line) {
    word name = next_word(r);
    if (name.length == 0) {
        return fail_at(r, name.text, line->sets ? "the parameter's name is missing" : "the event's name is missing");
    }
    if (name.length >= sizeof line->name) {
        return fail_at(r, name.text, "the name is longer than 63 bytes");
    }
    if (memchr(name.text, '\0', name.length) != NULL) {
        return fail_at(r, name.text, "the name has a byte of 0");
    }
    memcpy(line->name, name.text, name.length);
    line->column = column_of(r, name.text);
    return LMB_OK;
}

static lmb_result read_value(reader *r, play_line *line) {
    word text = next_word(r);
    double value;
    if (!read_number(text, &value) || fabs(value) > 1e30) {
        char message[100];
        snprintf(message, sizeof message, "'%.*s' is no number from -1e30 to 1e30",
                 (int)fmin(40.0, (double)text.length), text.text);
        return fail_at(r, text.text, text.length == 0 ? "the value is missing" : message);
    }
    line->value = (float)value;
    return LMB_OK;
}

static lmb_result read_character(reader *r, play_line *line) {
    word text = next_word(r);
    double number;
    if (text.length == 0) {
        return LMB_OK;
    }
    if (!read_number(text, &number) || number < 0.0 || number >= 4294967295.0 || number != floor(number)) {
        return fail_at(r, text.text, "the number of a character is a whole one, from 0 on");
    }
    line->character = (uint32_t)number;
    word more = next_word(r);
    return more.length == 0 ? LMB_OK : fail_at(r, more.text, "nothing may follow");
}

static lmb_result read_line(reader *r, word first, double earliest, play_line *line) {
    *line = (play_line){.character = LMB_NONE, .number = r->line};
    if (!read_number(first, &line->seconds) || line->seconds < 0.0 || line->seconds > MOST_SECONDS) {
        return fail_at(r, first.text, "a line begins with a time in seconds, from 0 to 1,000,000");
    }
    if (line->seconds < earliest) {
        return fail_at(r, first.text, "the time is before that of an earlier line");
    }
    word verb = next_word(r);
    line->sets = is_word(verb, "set");
    if (!line->sets && !is_word(verb, "send")) {
        return fail_at(r, verb.text, "after the time comes 'send EVENT' or 'set NAME VALUE'");
    }
    lmb_result result = read_name(r, line);
    if (result == LMB_OK && line->sets) {
        result = read_value(r, line);
    }
    return result == LMB_OK ? read_character(r, line) : result;
}

static lmb_result add_line(play_script *script, const play_line *line, lmb_error *error) {
    // Doubles the room whenever the count is a power of two.
    if ((script->count & (script->count - 1)) == 0) {
        size_t room = script->count == 0 ? 1 : (size_t)script->count * 2;
        play_line *larger = realloc(script->lines, room * sizeof *larger);
        if (larger == NULL) {
            return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for a script");
        }
        script->lines = larger;
    }
    script->lines[script->count++] = *line;
    return LMB_OK;
}

lmb_result play_script_read(const char *text, size_t size, play_script *script, lmb_error *error) {
    reader r = {.at = text, .end = text + size, .line_start = text, .line = 1, .error = error};
    lmb_result result = LMB_OK;
    double latest = 0.0;
    *script = (play_script){0};
    while (r.at < r.end && result == LMB_OK) {
        word first = next_word(&r);
        play_line line;
        if (first.length > 0) {
            result = read_line(&r, first, latest, &line);
            latest = line.seconds;
        }
        if (first.length > 0 && result == LMB_OK) {
            result = add_line(script, &line, error);
        }
        while (r.at < r.end && *r.at != '\n') {
            r.at++;
        }
        r.at += r.at < r.end;
        r.line_start = r.at;
        r.line++;
    }
    if (result != LMB_OK) {
        play_script_release(script);
    }
    return result;
}

bool play_line_is_due(const play_line *line, double now, double step) {
    return line->seconds < now + 0.5 * step - 1e-9 || line->seconds <= now + 1e-9;
}

void play_script_release(play_script *script) {
    free(script->lines);
    *script = (play_script){0};
}
