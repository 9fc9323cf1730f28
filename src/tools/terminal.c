// A format is read directive by directive, to tell the program's own text from that of arguments. Numbers are formatted
// by snprintf one at a time, text by terminal_read(). The output of a call is collected and written at once, so that
// lines of several programs on one terminal do not mix.
#include "terminal.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

// ---- Characters.

typedef struct range {
    uint32_t first, last;
} range;

// All other characters are printable. The table has Unicode's control characters and line separators, and the
// characters that are ignorable by default, except the variation selectors that emoji need (U+FE00 to U+FE0F).
static const range unprintable[] = {
    {0x0000, 0x001f},   {0x007f, 0x009f},   // C0, DEL, C1
    {0x00ad, 0x00ad},                       // soft hyphen
    {0x034f, 0x034f},                       // combining grapheme joiner
    {0x061c, 0x061c},                       // Arabic letter mark
    {0x115f, 0x1160},   {0x17b4, 0x17b5},   // fillers and vowels without a glyph
    {0x180b, 0x180f},                       // Mongolian selectors
    {0x200b, 0x200f},                       // without width; marks of direction
    {0x2028, 0x202e},                       // separators; embeddings and overrides of direction
    {0x2060, 0x206f},                       // joiners, invisible operators, isolates
    {0x3164, 0x3164},                       // filler
    {0xd800, 0xdfff},                       // surrogates
    {0xfdd0, 0xfdef},                       // noncharacters
    {0xfeff, 0xfeff},                       // byte order mark
    {0xffa0, 0xffa0},                       // filler
    {0xfff0, 0xfffb},                       // annotations
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, // controls of shorthand and of music
    {0xe0000, 0xe0fff},                     // tags and further selectors
};

bool terminal_is_printable(uint32_t code_point) {
    for (size_t i = 0; i < sizeof unprintable / sizeof unprintable[0]; i++) {
        if (code_point >= unprintable[i].first && code_point <= unprintable[i].last) {
            return false;
        }
    }
    return code_point <= 0x10ffff && (code_point & 0xfffe) != 0xfffe;
}

terminal_character terminal_read(const char *text, size_t size) {
    terminal_character character = {.code_point = TERMINAL_NO_CHARACTER};
    uint32_t code_point = 0;
    character.size = lmb_utf8_decode(text, size, &code_point);
    if (character.size == 0) {
        character.size = 1;
        character.length =
            (size_t)snprintf(character.shown, sizeof character.shown, "\\x%02x", (unsigned)(unsigned char)text[0]);
        return character;
    }
    character.code_point = code_point;
    if (terminal_is_printable(code_point)) {
        character.length = character.size;
        memcpy(character.shown, text, character.size);
    } else {
        character.length = (size_t)snprintf(character.shown, sizeof character.shown, "\\u{%x}", (unsigned)code_point);
    }
    return character;
}

// ---- Collected output.

typedef struct writer {
    FILE *stream;
    size_t used;
    char bytes[1024];
} writer;

static void flush(writer *writer) {
    fwrite(writer->bytes, 1, writer->used, writer->stream);
    writer->used = 0;
}

// `size` may be at most the writer's capacity.
static void write_bytes(writer *writer, const char *bytes, size_t size) {
    if (size > sizeof writer->bytes - writer->used) {
        flush(writer);
    }
    memcpy(writer->bytes + writer->used, bytes, size);
    writer->used += size;
}

static void write_blanks(writer *writer, size_t count) {
    for (; count > 0; count--) {
        write_bytes(writer, " ", 1);
    }
}

static void write_text(writer *writer, const char *text, size_t size) {
    while (size > 0) {
        const terminal_character character = terminal_read(text, size);
        write_bytes(writer, character.shown, character.length);
        text += character.size;
        size -= character.size;
    }
}

// Counts the columns of a text: one for a character, and one for each byte of an escape.
static size_t count_columns(const char *text, size_t size) {
    size_t columns = 0;
    while (size > 0) {
        const terminal_character character = terminal_read(text, size);
        columns += terminal_is_printable(character.code_point) ? 1 : character.length;
        text += character.size;
        size -= character.size;
    }
    return columns;
}

// ---- Formats.

// A struct, because a va_list may be an array, which cannot be passed by reference.
typedef struct arguments {
    va_list list;
} arguments;

typedef struct directive {
    char flags[8];
    int width;     // -1 if there is none
    int precision; // -1 if there is none
    char length;   // 'L' for ll, 0 if there is none
    char conversion;
} directive;

// Reads a number in the format, or the next argument if there is a star.
static int read_size(const char **format, arguments *arguments) {
    if (**format == '*') {
        ++*format;
        return va_arg(arguments->list, int);
    }
    int number = 0;
    for (; **format >= '0' && **format <= '9' && number < 100000; ++*format) {
        number = number * 10 + (**format - '0');
    }
    return number;
}

// Reads a directive after its percent sign. Returns the position after it.
static const char *read_directive(const char *format, arguments *arguments, directive *directive) {
    *directive = (struct directive){.width = -1, .precision = -1};
    for (size_t count = 0; strchr("-+ #0", *format) != NULL && *format != '\0'; format++) {
        if (count + 1 < sizeof directive->flags) {
            directive->flags[count++] = *format;
        }
    }
    if (*format == '*' || (*format >= '1' && *format <= '9')) {
        directive->width = read_size(&format, arguments);
    }
    if (*format == '.') {
        format++;
        directive->precision = read_size(&format, arguments);
    }
    if (*format == 'l' && format[1] == 'l') {
        directive->length = 'L';
        format += 2;
    } else if (*format != '\0' && strchr("ljzt", *format) != NULL) {
        directive->length = *format++;
    }
    directive->conversion = *format;
    return *format == '\0' ? format : format + 1;
}

static void write_directive_text(writer *writer, const directive *directive, const char *text, size_t size) {
    const size_t columns = count_columns(text, size);
    const size_t width = directive->width < 0 ? 0 : (size_t)directive->width;
    const size_t blanks = width > columns ? width - columns : 0;
    const bool left = strchr(directive->flags, '-') != NULL;
    write_blanks(writer, left ? 0 : blanks);
    write_text(writer, text, size);
    write_blanks(writer, left ? blanks : 0);
}

// Makes the format of a directive, for an argument of the widest type of its kind.
static void make_format(const directive *directive, const char *length, char *format, size_t size) {
    int used = snprintf(format, size, "%%%s", directive->flags);
    if (directive->width >= 0) {
        used += snprintf(format + used, size - (size_t)used, "%d", directive->width);
    }
    if (directive->precision >= 0) {
        used += snprintf(format + used, size - (size_t)used, ".%d", directive->precision);
    }
    snprintf(format + used, size - (size_t)used, "%s%c", length, directive->conversion);
}

// Returns the next argument. That of a signed conversion is to be converted back to intmax_t.
static uintmax_t next_integer(char length, bool is_signed, arguments *arguments) {
    switch (length) {
    case 'l':
        return is_signed ? (uintmax_t)va_arg(arguments->list, long) : va_arg(arguments->list, unsigned long);
    case 'L':
        return is_signed ? (uintmax_t)va_arg(arguments->list, long long) : va_arg(arguments->list, unsigned long long);
    case 'j':
        return is_signed ? (uintmax_t)va_arg(arguments->list, intmax_t) : va_arg(arguments->list, uintmax_t);
    case 'z':
    case 't':
        return is_signed ? (uintmax_t)va_arg(arguments->list, ptrdiff_t) : va_arg(arguments->list, size_t);
    default:
        return is_signed ? (uintmax_t)va_arg(arguments->list, int) : va_arg(arguments->list, unsigned);
    }
}

static void write_number(writer *writer, const directive *directive, arguments *arguments) {
    char format[48], number[sizeof writer->bytes];
    int length = 0;
    if (strchr("di", directive->conversion) != NULL) {
        make_format(directive, "j", format, sizeof format);
        length = snprintf(number, sizeof number, format, (intmax_t)next_integer(directive->length, true, arguments));
    } else if (strchr("uoxX", directive->conversion) != NULL) {
        make_format(directive, "j", format, sizeof format);
        length = snprintf(number, sizeof number, format, next_integer(directive->length, false, arguments));
    } else {
        make_format(directive, "", format, sizeof format);
        length = snprintf(number, sizeof number, format, va_arg(arguments->list, double));
    }
    if (length > 0) {
        write_bytes(writer, number, (size_t)length < sizeof number ? (size_t)length : sizeof number - 1);
    }
}

static void write_directive(writer *writer, const directive *directive, arguments *arguments) {
    if (directive->conversion == '%') {
        write_bytes(writer, "%", 1);
    } else if (directive->conversion == 'c') {
        const char byte = (char)va_arg(arguments->list, int);
        write_directive_text(writer, directive, &byte, 1);
    } else if (directive->conversion == 's') {
        const char *text = va_arg(arguments->list, const char *);
        text = text == NULL ? "(null)" : text;
        const char *end = directive->precision < 0 ? NULL : memchr(text, '\0', (size_t)directive->precision);
        const size_t size = directive->precision < 0 ? strlen(text)
                            : end == NULL            ? (size_t)directive->precision
                                                     : (size_t)(end - text);
        write_directive_text(writer, directive, text, size);
    } else if (directive->conversion != '\0' && strchr("diuoxXaAeEfFgG", directive->conversion) != NULL) {
        write_number(writer, directive, arguments);
    } else {
        abort();
    }
}

void terminal_print_list(FILE *stream, const char *format, va_list list) {
    writer writer = {.stream = stream};
    arguments arguments;
    va_copy(arguments.list, list);
    while (*format != '\0') {
        if (*format != '%') {
            write_bytes(&writer, format++, 1);
            continue;
        }
        directive directive;
        format = read_directive(format + 1, &arguments, &directive);
        write_directive(&writer, &directive, &arguments);
    }
    va_end(arguments.list);
    flush(&writer);
}

void terminal_print(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    terminal_print_list(stdout, format, arguments);
    va_end(arguments);
}

void terminal_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    terminal_print_list(stderr, format, arguments);
    va_end(arguments);
}

void terminal_print_lines(FILE *stream, const char *text) {
    writer writer = {.stream = stream};
    while (*text != '\0') {
        const size_t size = strcspn(text, "\n");
        write_text(&writer, text, size);
        text += size;
        if (*text == '\n') {
            write_bytes(&writer, text++, 1);
        }
    }
    flush(&writer);
}
