// What is made again of a readback, for a batch of another graph (reload.c).
#ifndef LIMBER_SRC_GPU_READBACK_H
#define LIMBER_SRC_GPU_READBACK_H

#include <limber/gpu_readback.h>

lmb_gpu_readback_def lmb_gpu_readback_made_by(const lmb_gpu_readback *readback);

// Returns the contents that a readback of the batch can have.
uint32_t lmb_gpu_readback_contents_of(const lmb_gpu_batch *batch);

#endif
