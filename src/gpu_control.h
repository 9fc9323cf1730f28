// The control of a batch as the batch records it.
#ifndef LIMBER_SRC_GPU_CONTROL_H
#define LIMBER_SRC_GPU_CONTROL_H

#include "gpu.h"

#include <limber/gpu_control.h>

// Whether the record info's control can be recorded for that batch.
lmb_result lmb_gpu_control_check(const lmb_gpu_batch *batch, const lmb_gpu_record_info *info, lmb_error *error);

// What is copied before the kernel runs, then the kernel, which reads and writes the parameters at the address.
void lmb_gpu_control_record_copies(lmb_gpu_control *control, const lmb_gpu_record_info *info);
void lmb_gpu_control_record(lmb_gpu_control *control, const lmb_gpu_record_info *info, VkDeviceAddress parameters);

// gpu_batch.c
uint32_t lmb_gpu_batch_frame_count(const lmb_gpu_batch *batch);
// Of its program's block on the device.
VkDeviceAddress lmb_gpu_batch_program_address(const lmb_gpu_batch *batch);

#endif
