// Functions for fuzzers of character files.
#ifndef LIMBER_TESTS_FUZZ_GLTF_FUZZING_H
#define LIMBER_TESTS_FUZZ_GLTF_FUZZING_H

#include <limber/import.h>

#include <stddef.h>

// Ends the process if the condition is false.
void import_require(bool holds, const char *what);

// Checks that the parts of an import are consistent.
void import_require_whole(const lmb_import *import);
// Checks that a failed import has a result that the header names, and a message that begins with `begin`.
void import_require_failed(lmb_result result, const lmb_import *import, const lmb_error *error, const char *begin);

// Mutates a file for libFuzzer. It splits binary files, so that lengths stay correct and numbers in the JSON change as
// numbers.
size_t gltf_mutate(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

#endif
