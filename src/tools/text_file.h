// A text file that the user names to the command.
#ifndef LIMBER_SRC_TOOLS_TEXT_FILE_H
#define LIMBER_SRC_TOOLS_TEXT_FILE_H

#include <limber/base.h>

#define TEXT_FILE_LARGEST ((size_t)64 << 20) // for files that people write
#define TEXT_FILE_ANY_SIZE (SIZE_MAX / 2)    // for files that the command writes itself

// Reads the whole file. The text is not terminated, and the caller frees it. Error messages name the file. Fails with
// #LMB_ERROR_FILE, #LMB_ERROR_LIMIT if there are more than `largest` bytes, #LMB_ERROR_MEMORY; nothing is left
// allocated then.
lmb_result text_file_read(const char *name, size_t largest, char **text, size_t *size, lmb_error *error);

#endif
