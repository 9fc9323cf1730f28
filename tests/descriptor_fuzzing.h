// What fuzzers of descriptors share: numbers, indices, counts and arrays drawn from an input's bytes. Every array has
// exactly as many elements as its count says, so that a sanitizer sees what is read beyond; one whose count is above
// what is allowed has one element, as nothing may read any.
#ifndef LIMBER_TESTS_DESCRIPTOR_FUZZING_H
#define LIMBER_TESTS_DESCRIPTOR_FUZZING_H

#include <limber/graph.h>

#include <stddef.h>

enum { FUZZ_MOST_ARRAYS = 1 << 14 };

typedef struct fuzz_input {
    const uint8_t *at; // what is left; zeros follow its end
    const uint8_t *end;
    void *arrays[FUZZ_MOST_ARRAYS];
    uint32_t array_count;
} fuzz_input;

void fuzz_begin(fuzz_input *input, const uint8_t *data, size_t size);
// Frees all arrays.
void fuzz_end(fuzz_input *input);

// Ends the process where it does not hold.
void fuzz_require(bool holds, const char *what);

uint8_t fuzz_byte(fuzz_input *input);
uint32_t fuzz_word(fuzz_input *input);
bool fuzz_flag(fuzz_input *input);
// A usual number, one at an edge, or any bits.
float fuzz_float(fuzz_input *input);
// Mostly below `count`, or LMB_NONE, `count`, any number.
uint32_t fuzz_index(fuzz_input *input, uint32_t count);
// The number of an enumeration of so many, or any other.
uint32_t fuzz_choice(fuzz_input *input, uint32_t count);
// Mostly up to `usual`; or anything, much more than `most` among it.
uint32_t fuzz_count(fuzz_input *input, uint32_t usual, uint32_t most);
// Over so many parameters.
lmb_value fuzz_value(fuzz_input *input, uint32_t parameter_count);

// Zeroed. One element for a count above `most`; sometimes NULL for none.
void *fuzz_array(fuzz_input *input, uint32_t count, uint32_t most, size_t size);
float *fuzz_floats(fuzz_input *input, uint32_t count, uint32_t most);
uint8_t *fuzz_bytes(fuzz_input *input, uint32_t count);
uint32_t *fuzz_indices(fuzz_input *input, uint32_t count, uint32_t below);
// How many elements such an array has to be filled with.
uint32_t fuzz_elements(uint32_t count, uint32_t most);

// Refused with a message of its kind, and nothing made.
void fuzz_require_refused(lmb_result result, const void *made, const lmb_error *error);

#endif
