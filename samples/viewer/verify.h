// Was what was shown the same, bit by bit, as the reference's?
#ifndef LIMBER_SAMPLES_VIEWER_VERIFY_H
#define LIMBER_SAMPLES_VIEWER_VERIFY_H

#include <limber/compare.h>

#include "device.h"

// At most this many characters are run on the CPU.
#define VERIFY_CHARACTERS 4096u

// Reads the palettes of a frame that has completed, runs the same parameters on the CPU, and compares.
lmb_result verify_frame(device *device, lmb_gpu_batch *batch, uint32_t frame, lmb_comparison *comparison,
                        lmb_error *error);

#endif
