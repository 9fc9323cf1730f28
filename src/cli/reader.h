// Reads characters that need not be trusted, whatever their format: what Assimp has to read, it reads in a child
// process with limits, which hands over a pack.
#ifndef LIMBER_SRC_CLI_READER_H
#define LIMBER_SRC_CLI_READER_H

#include <limber/import.h>

// What main() begins with, in every program that calls reader_import(): in a child process it reads what the parent
// asks for and ends the process; otherwise it returns.
void reader_serve(int argc, char **argv);

// As lmb_import_files(). Where the child dies or passes a limit, #LMB_ERROR_FORMAT or #LMB_ERROR_LIMIT says so.
lmb_result reader_import(const char *const *paths, uint32_t count, lmb_import **import, lmb_error *error);

#endif
