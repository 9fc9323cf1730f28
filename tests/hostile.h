// Names that a terminal would obey, and what a program may print of them.
#ifndef LIMBER_TESTS_HOSTILE_H
#define LIMBER_TESTS_HOSTILE_H

#include <stdbool.h>

// Sets a window's title, begins an escape sequence in C1, turns the order of text around, breaks the line, hides.
#define HOSTILE "\x1b]0;pwned\a\xc2\x9b\xe2\x80\xae\n\xe2\x80\x8b"
#define HOSTILE_JSON "\\u001b]0;pwned\\u0007\\u009b\\u202e\\u000a\\u200b" // the same in JSON's string
#define HOSTILE_BYTES HOSTILE "\x9b"                                      // and a byte that is not UTF-8

// The file of command_write_small_gltf() with hostile names, of a mesh as well. With `bytes`, one of them is not UTF-8,
// which makes the file a malformed one.
bool hostile_write_gltf(const char *path, bool bytes);

// The text with '?' for what is not ASCII or not printable, for a test's own messages; kept until the next call.
const char *hostile_show(const char *text);

// Fails unless all of it is printable but its line breaks.
void hostile_expect_none(const char *what, const char *text);

#endif
