// Numbers that are the same for all characters or read from their parameters, as graphs and controls have them.
#ifndef LIMBER_SRC_NUMBER_H
#define LIMBER_SRC_NUMBER_H

#include <limber/control.h>

// What is wrong with a value where there are that many parameters, or NULL.
const char *lmb_value_fault(lmb_value value, uint32_t parameter_count);
// As VALUE_WORDS words.
void lmb_value_write(lmb_value value, uint32_t *words);
// How many inputs a computed parameter has.
LMB_API uint32_t lmb_computed_input_count(lmb_computed_kind kind);

#endif
