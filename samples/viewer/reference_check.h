// Compares the drawn poses with the CPU reference, bit by bit.
#ifndef LIMBER_SAMPLES_VIEWER_REFERENCE_CHECK_H
#define LIMBER_SAMPLES_VIEWER_REFERENCE_CHECK_H

#include <limber/compare.h>

#include "device.h"

// Max number of characters that are run on the CPU.
#define COMPARED_CHARACTERS 4096u

// Reads the palettes of a completed frame, runs the same parameters on the CPU, and compares the results. `inputs` are
// the points and the world transforms of the frame, if the graph reads them.
lmb_result compare_with_reference(device *device, lmb_gpu_batch *batch, uint32_t frame, const lmb_batch_inputs *inputs,
                                  lmb_comparison *comparison, lmb_error *error);

#endif
