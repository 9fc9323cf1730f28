// Output for a terminal. Names, paths, arguments and messages may come from anywhere, and some characters control a
// terminal: they move the cursor, change the window's title or reverse the text direction. So the programs here print
// only through this file, which writes every unprintable character as an escape:
//   \u{1b}  a character: control characters, including line breaks and tabs; those that change the text direction, that
//           separate lines or paragraphs, or that have no width or no glyph of their own; noncharacters
//   \x9b    a byte that is not part of a UTF-8 character
// All other characters are printed unchanged, and so is a backslash.
#ifndef LIMBER_SRC_TOOLS_TERMINAL_H
#define LIMBER_SRC_TOOLS_TERMINAL_H

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

// Print to stdout or stderr as printf does, but escape every %s and %c. The format is the program's own and is printed
// unchanged. A width counts characters, a precision of text counts bytes. Conversions are d i u o x X c s, those of
// doubles and %%, with the lengths l, ll, j, z and t; any other aborts.
void terminal_print(const char *format, ...) TERMINAL_FORMAT(1, 2);
void terminal_error(const char *format, ...) TERMINAL_FORMAT(1, 2);
void terminal_print_list(FILE *stream, const char *format, va_list arguments) TERMINAL_FORMAT(2, 0);

// Prints text with line breaks of its own, such as help. Keeps the line breaks and escapes all else.
void terminal_print_lines(FILE *stream, const char *text);

// A character of a text, or a byte that is not part of a character.
typedef struct terminal_character {
    uint32_t code_point; // TERMINAL_NO_CHARACTER for a byte that is not part of one
    size_t size;         // bytes in the text
    size_t length;       // bytes of `shown`, which is not terminated
    char shown[12];      // the character itself, or its escape
} terminal_character;

#define TERMINAL_NO_CHARACTER UINT32_MAX

// Reads the first character of a text of `size` bytes, 1 or more.
terminal_character terminal_read(const char *text, size_t size);
bool terminal_is_printable(uint32_t code_point);

#endif
