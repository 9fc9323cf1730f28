// Output for a terminal. Names, paths, arguments and messages may come from anywhere, and a terminal obeys what some
// characters say: it moves the cursor, changes the window's title, turns the order of text around. So the programs here
// print through this file alone, which writes every character that is not printable as an escape:
//   \u{1b}  a character: control characters, line breaks and tabs among them; those that turn the direction of text,
//           that separate lines or paragraphs, that have no width or no glyph of their own; those reserved for good
//   \x9b    a byte that is not part of a UTF-8 character
// All other characters stay as they are, and so does a backslash.
#ifndef LIMBER_SRC_CLI_TERMINAL_H
#define LIMBER_SRC_CLI_TERMINAL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define TERMINAL_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define TERMINAL_FORMAT(text, first)
#endif

// Prints to stdout and to stderr as printf does, with every %s and %c escaped. The format is the program's own and is
// written as it is. A width counts characters, a precision of text its bytes. Conversions are d i u o x X c s, those of
// doubles and %%, with the lengths l, ll, j, z and t; any other aborts.
void terminal_print(const char *format, ...) TERMINAL_FORMAT(1, 2);
void terminal_error(const char *format, ...) TERMINAL_FORMAT(1, 2);
void terminal_print_list(FILE *stream, const char *format, va_list arguments) TERMINAL_FORMAT(2, 0);

// Prints text that has line breaks of its own, such as help: they stay, all else is escaped.
void terminal_print_lines(FILE *stream, const char *text);

// One character of a text, or one byte that is not part of any.
typedef struct terminal_character {
    uint32_t code_point; // TERMINAL_NO_CHARACTER for such a byte
    size_t size;         // bytes in the text
    size_t length;       // bytes of `shown`, which is not terminated
    char shown[12];      // the character itself, or its escape
} terminal_character;

#define TERMINAL_NO_CHARACTER UINT32_MAX

// Reads the first character of a text of `size` bytes, 1 or more.
terminal_character terminal_read(const char *text, size_t size);
bool terminal_is_printable(uint32_t code_point);

#endif
