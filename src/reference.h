// The reference: the shared operations as scalar C, one character and one joint at a time. It defines the bits.
#ifndef LIMBER_SRC_REFERENCE_H
#define LIMBER_SRC_REFERENCE_H

#include "environment.h"

#include <limber/batch.h>

// Bytes of scratch that a run of the program needs, aligned to 16.
size_t lmb_reference_scratch(const lmb_graph *program);

// Runs characters [first, first + count). Everything is checked already; the floating-point environment is the default one.
LMB_NOINLINE void lmb_reference_run(const lmb_batch *batch, const lmb_batch_inputs *inputs,
                                    const lmb_batch_outputs *outputs, uint32_t first, uint32_t count, void *scratch);

// reference_channels.c: the float channels of a character, whose weights are known.
struct frame;
void lmb_reference_run_channels(const lmb_batch *batch, const lmb_batch_outputs *outputs, size_t character,
                                const struct frame *at);

#endif
