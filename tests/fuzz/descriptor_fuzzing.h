// Functions for fuzzers of descriptors: numbers, indices, counts and arrays drawn from the bytes of an input. Every
// array has exactly as many elements as its count says, so that a sanitizer detects a read beyond the end. An array
// whose count is above the allowed max has one element, because nothing may read it.
#ifndef LIMBER_TESTS_FUZZ_DESCRIPTOR_FUZZING_H
#define LIMBER_TESTS_FUZZ_DESCRIPTOR_FUZZING_H

#include <limber/graph.h>

#include <stddef.h>

enum { FUZZ_MOST_ARRAYS = 1 << 14 };

typedef struct fuzz_input {
    const uint8_t *at; // the unread rest; zeros follow the end
    const uint8_t *end;
    void *arrays[FUZZ_MOST_ARRAYS];
    uint32_t array_count;
} fuzz_input;

void fuzz_begin(fuzz_input *input, const uint8_t *data, size_t size);
// Frees all arrays.
void fuzz_end(fuzz_input *input);

// Ends the process if the condition is false.
void fuzz_require(bool holds, const char *what);

uint8_t fuzz_byte(fuzz_input *input);
uint32_t fuzz_word(fuzz_input *input);
bool fuzz_flag(fuzz_input *input);
// A usual value, one at the edge of a range, or arbitrary bits.
float fuzz_float(fuzz_input *input);
// Mostly below `count`; otherwise LMB_NONE, `count`, or any number.
uint32_t fuzz_index(fuzz_input *input, uint32_t count);
// A value of an enumeration with `count` members, or any other number.
uint32_t fuzz_choice(fuzz_input *input, uint32_t count);
// Mostly up to `usual`; otherwise `most`, `most` + 1, or any number.
uint32_t fuzz_count(fuzz_input *input, uint32_t usual, uint32_t most);
// A value that may name one of `parameter_count` parameters.
lmb_value fuzz_value(fuzz_input *input, uint32_t parameter_count);
// Any curve, also a few of the graph's own, which may be missing; and these.
lmb_curve fuzz_curve(fuzz_input *input);
void fuzz_curves(fuzz_input *input, lmb_graph_def *def);

// A zeroed array. It has one element for a count above `most`, and is sometimes NULL for a count of 0.
void *fuzz_array(fuzz_input *input, uint32_t count, uint32_t most, size_t size);
float *fuzz_floats(fuzz_input *input, uint32_t count, uint32_t most);
uint8_t *fuzz_bytes(fuzz_input *input, uint32_t count);
uint32_t *fuzz_indices(fuzz_input *input, uint32_t count, uint32_t below);
// Returns how many elements of such an array a caller must fill in.
uint32_t fuzz_elements(uint32_t count, uint32_t most);

// Checks that a refusal has a message of its kind and created nothing.
void fuzz_require_refused(lmb_result result, const void *made, const lmb_error *error);

#endif
