// How the frame of a control is divided into parts, each of which a dispatch of the kernel runs, for drivers that end
// all loops of an invocation after a number of iterations (lmb_gpu_limits.loops). Others run a frame in one dispatch.
#ifndef LIMBER_SRC_GPU_CONTROL_PARTS_H
#define LIMBER_SRC_GPU_CONTROL_PARTS_H

#include "control/control.h"

typedef struct lmb_gpu_control_parts {
    uint32_t *words;    // [part] PART, those of frames without events first
    uint32_t counts[2]; // of parts: of frames without events, and with events
} lmb_gpu_control_parts;

// What the loops of the kernel depend on, beside the control.
typedef struct lmb_gpu_loop_limits {
    uint32_t iterations;     // after which the driver ends all loops
    uint32_t own;            // loops of the kernel
    uint32_t own_weights;    // loops of the kernel of stage 1, whose code the control's has, too
    uint32_t events_a_frame; // events sent to one character at most
} lmb_gpu_loop_limits;

// Fails with LMB_ERROR_DEVICE if something that cannot be divided needs too many iterations.
lmb_result lmb_gpu_control_parts_create(const lmb_host *host, const lmb_control *control,
                                        const lmb_gpu_loop_limits *limits, lmb_gpu_control_parts *parts,
                                        lmb_error *error);
void lmb_gpu_control_parts_destroy(const lmb_host *host, lmb_gpu_control_parts *parts);

#endif
