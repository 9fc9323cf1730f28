// A file of text that a person names to the command.
#ifndef LIMBER_SRC_CLI_TEXT_FILE_H
#define LIMBER_SRC_CLI_TEXT_FILE_H

#include <limber/base.h>

// Reads all of it, to be freed; not terminated. The message names the file. Fails with #LMB_ERROR_FILE, #LMB_ERROR_LIMIT
// past 64 MiB, #LMB_ERROR_MEMORY; nothing is left then.
lmb_result text_file_read(const char *name, char **text, size_t *size, lmb_error *error);

#endif
