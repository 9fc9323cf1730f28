// Names with terminal control sequences, and checks of the output that programs print for them.
#ifndef LIMBER_TESTS_SUPPORT_HOSTILE_H
#define LIMBER_TESTS_SUPPORT_HOSTILE_H

#include <stdbool.h>

// Sets a window title, begins a C1 escape sequence, reverses the text direction, breaks the line, and inserts an
// invisible space.
#define HOSTILE "\x1b]0;pwned\a\xc2\x9b\xe2\x80\xae\n\xe2\x80\x8b"
#define HOSTILE_JSON "\\u001b]0;pwned\\u0007\\u009b\\u202e\\u000a\\u200b" // the same in a JSON string
#define HOSTILE_BYTES HOSTILE "\x9b"                                      // and a byte that is not UTF-8

// Writes the file of command_write_small_gltf() with hostile names, also for a mesh. With `bytes`, one name is not
// UTF-8, which makes the file malformed.
bool hostile_write_gltf(const char *path, bool bytes);

// Returns the text with '?' for characters that are not ASCII or not printable, for messages of tests. The result is
// valid until the next call.
const char *hostile_show(const char *text);

// Fails unless the whole text is printable, except for its line breaks.
void hostile_expect_none(const char *what, const char *text);

#endif
