// Reads characters from untrusted files of any format. Files that need Assimp are read in a child process with limits
// and a sandbox, which ends with its parent and returns an import block.
#ifndef LIMBER_SRC_TOOLS_READER_H
#define LIMBER_SRC_TOOLS_READER_H

#include <limber/import.h>

// Every program that calls reader_import() must call this first in main(). In a child process it reads the files that
// the parent requests and ends the process. Otherwise it returns.
void reader_serve(int argc, char **argv);

// Does what lmb_import_create() does with files that are not trusted. If the child dies, leaves its sandbox or exceeds
// a limit, fails with #LMB_ERROR_FORMAT or #LMB_ERROR_LIMIT.
lmb_result reader_import(const lmb_import_def *def, lmb_import **import, lmb_error *error);

#endif
