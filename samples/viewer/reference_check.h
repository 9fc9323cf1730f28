// Was what was shown the same, bit by bit, as the reference's?
#ifndef LIMBER_SAMPLES_VIEWER_REFERENCE_CHECK_H
#define LIMBER_SAMPLES_VIEWER_REFERENCE_CHECK_H

#include <limber/compare.h>

#include "device.h"

// At most this many characters are run on the CPU.
#define COMPARED_CHARACTERS 4096u

// Reads the palettes of a frame that has completed, runs the same parameters on the CPU, and compares.
lmb_result compare_with_reference(device *device, lmb_gpu_batch *batch, uint32_t frame, lmb_comparison *comparison,
                                  lmb_error *error);

#endif
