// What the fuzzers of character files share.
#ifndef LIMBER_TESTS_GLTF_FUZZING_H
#define LIMBER_TESTS_GLTF_FUZZING_H

#include <limber/import.h>

#include <stddef.h>

// Ends the process where it does not hold.
void import_require(bool holds, const char *what);

// Whether an import's parts fit each other.
void import_require_whole(const lmb_import *import);
// Whether an import that failed did so with a result that the header names, and a message that begins so.
void import_require_failed(lmb_result result, const lmb_import *import, const lmb_error *error, const char *begin);

// Changes a file, as a mutator of libFuzzer: binary files are taken apart, so that lengths stay right and numbers in
// the JSON change as numbers.
size_t gltf_mutate(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

#endif
