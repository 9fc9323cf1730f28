// A file of text that a person names to the command.
#ifndef LIMBER_SRC_CLI_TEXT_FILE_H
#define LIMBER_SRC_CLI_TEXT_FILE_H

#include <limber/base.h>

#define TEXT_FILE_LARGEST ((size_t)64 << 20) // of what people write
#define TEXT_FILE_ANY_SIZE (SIZE_MAX / 2)    // of what the command writes itself

// Reads all of it, to be freed; not terminated. The message names the file. Fails with #LMB_ERROR_FILE, #LMB_ERROR_LIMIT
// past `largest` bytes, #LMB_ERROR_MEMORY; nothing is left then.
lmb_result text_file_read(const char *name, size_t largest, char **text, size_t *size, lmb_error *error);

#endif
