// Values of graphs and controls: either a constant for all characters or read from a character's parameters.
#ifndef LIMBER_SRC_BASE_NUMBER_H
#define LIMBER_SRC_BASE_NUMBER_H

#include <limber/control.h>

// Returns the parameter that a value reads, or LMB_NONE.
static inline uint32_t lmb_value_reads(lmb_value value) {
    return value.kind == LMB_VALUE_PARAMETER ? value.parameter : LMB_NONE;
}

// Returns what is wrong with a curve and its control points, or NULL if they are valid.
const char *lmb_curve_fault(lmb_curve curve, const float control[2]);
// Returns what is wrong with a value if there are `parameter_count` parameters, or NULL if it is valid.
const char *lmb_value_fault(lmb_value value, uint32_t parameter_count);
// Writes a value as VALUE_WORDS words.
void lmb_value_write(lmb_value value, uint32_t *words);
// Returns the number of inputs of a computed parameter.
LMB_API uint32_t lmb_computed_input_count(lmb_computed_kind kind);

#endif
