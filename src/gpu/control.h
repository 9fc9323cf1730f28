// The control of a batch: its buffers and kernel, which the batch records.
#ifndef LIMBER_SRC_GPU_CONTROL_H
#define LIMBER_SRC_GPU_CONTROL_H

#include "control_parts.h"
#include "gpu.h"
#include "push.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lmb_gpu_control lmb_gpu_control;

// Start from lmb_default_gpu_control_def().
typedef struct lmb_gpu_control_def {
    // Must outlive the GPU control. It has as many parameters as the batch's graph, and its graph is that one or NULL.
    // If it inertializes, the batch's graph does so with the same parameters.
    const lmb_control *control;
    // Those of the batch that runs the control.
    const lmb_gpu_graph *graph;
    uint32_t character_count;
    uint32_t slot_count;
    uint32_t events_a_frame;
    bool emits_events;
    bool writes_matrices; // the control has a character motion then
} lmb_gpu_control_def;

// Returns the same defaults as lmb_default_gpu_batch_def().
LMB_API lmb_gpu_control_def lmb_default_gpu_control_def(void);

// Creates a pipeline and all buffers. Fails with LMB_ERROR_ARGUMENT, LMB_ERROR_LIMIT (a buffer would have 2^31 words or
// more, or more than the device allocates), LMB_ERROR_MEMORY, LMB_ERROR_VULKAN.
LMB_API lmb_result lmb_gpu_control_create(lmb_gpu *gpu, const lmb_gpu_control_def *def, lmb_gpu_control **control,
                                          lmb_error *error);
// Calls a function with each buffer, those that do not exist included.
void lmb_gpu_control_visit_buffers(lmb_gpu_control *control, lmb_gpu_buffer_visitor *visit, void *user);
// Accepts NULL.
LMB_API void lmb_gpu_control_destroy(lmb_gpu_control *control);

// Sets the control that a batch's frames run, and that it destroys with itself.
LMB_API void lmb_gpu_batch_set_control(lmb_gpu_batch *batch, lmb_gpu_control *control); // batch.c

// These do what the lmb_gpu_batch functions of the same names do.
LMB_API lmb_result lmb_gpu_control_send(lmb_gpu_control *control, uint32_t slot, uint32_t character, uint32_t event,
                                        lmb_error *error);
LMB_API lmb_gpu_span lmb_gpu_control_state(const lmb_gpu_control *control);
LMB_API lmb_gpu_span lmb_gpu_control_emitted(const lmb_gpu_control *control, uint32_t slot);
LMB_API lmb_gpu_span lmb_gpu_control_motions(const lmb_gpu_control *control, uint32_t slot);
LMB_API lmb_gpu_span lmb_gpu_control_matrices(const lmb_gpu_control *control, uint32_t slot);

// Returns the constants of the kernel that runs the control: only the features that the control uses, or if `is_shared`
// all but those of character motion, which are the largest. Drivers that run on the processor take long to compile a
// kernel and so share it between controls.
lmb_kernel_constants lmb_gpu_control_constants(const lmb_control *control, bool is_shared);
// Creates the pipeline of such a kernel. It runs a frame in parts if the driver needs that.
lmb_result lmb_gpu_control_pipeline_create(lmb_gpu *gpu, lmb_kernel_constants constants, VkPipeline *pipeline,
                                           lmb_error *error);

// The parts of a control's frames, and the memory that their dispatches need.
typedef struct lmb_gpu_control_division {
    lmb_gpu_control_parts parts; // none, if a dispatch runs a whole frame
    lmb_gpu_buffer table;        // [part] PART, then the arguments of their dispatches
    lmb_gpu_buffer kept;         // [character] KEPT
    bool recorded;               // the initialisation of the table has been recorded
} lmb_gpu_control_division;

// Destroy it also after a failure.
lmb_result lmb_gpu_control_division_create(lmb_gpu *gpu, const lmb_control *control, uint32_t character_count,
                                           uint32_t events_a_frame, lmb_gpu_control_division *division,
                                           lmb_error *error);
void lmb_gpu_control_division_destroy(lmb_gpu *gpu, lmb_gpu_control_division *division);
// Record a copy before a frame, which needs a barrier, and the dispatches.
void lmb_gpu_control_division_record_copies(const lmb_gpu *gpu, lmb_gpu_control_division *division,
                                            VkCommandBuffer commands);
void lmb_gpu_control_dispatch(const lmb_gpu *gpu, VkCommandBuffer commands, VkPipeline pipeline,
                              const lmb_control_push *push, const lmb_gpu_control_division *division);

// Creates the pipeline of a control's searches: VK_NULL_HANDLE if it has none.
lmb_result lmb_gpu_match_pipeline_create(lmb_gpu *gpu, const lmb_control *control, VkPipeline *pipeline,
                                         lmb_error *error);
// Records the searches of characters that the control's kernel has begun, a workgroup for each, after a barrier.
void lmb_gpu_match_dispatch(const lmb_gpu *gpu, VkCommandBuffer commands, VkPipeline pipeline,
                            const lmb_control_push *of_control);

// Records, once, the control's block and zeroed states. Returns whether it has recorded them.
bool lmb_gpu_control_record_beginning(lmb_gpu_control *control, VkCommandBuffer commands);
// The states, for copies.
const lmb_gpu_buffer *lmb_gpu_control_states(const lmb_gpu_control *control);

// Record the copies before the kernel, and the kernel, which reads and writes the parameters at the address, and reads
// what nodes reported in the frame before.
void lmb_gpu_control_record_copies(lmb_gpu_control *control, const lmb_gpu_record_info *info);
void lmb_gpu_control_record(lmb_gpu_control *control, const lmb_gpu_record_info *info, VkDeviceAddress parameters,
                            VkDeviceAddress reached);

#ifdef __cplusplus
}
#endif

#endif
