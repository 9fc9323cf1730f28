// Folders for the files of a test, on POSIX and on Windows.
#ifndef LIMBER_TESTS_SUPPORT_FOLDER_H
#define LIMBER_TESTS_SUPPORT_FOLDER_H

#include <stdbool.h>

#define FOLDER_PATH 200

// Creates a new, empty folder in the folder for temporary files, and stores its path.
bool folder_create_temporary(char path[FOLDER_PATH]);
bool folder_create(const char *path);
bool folder_remove(const char *path); // an empty one

#endif
