// Runs a batch on a Vulkan device or on the reference: host memory in, host memory out. The device side submits and
// waits each time, which suits tools and tests. A renderer records into its own command buffer instead. No error may be
// NULL.
#ifndef LIMBER_SRC_TOOLS_GPU_SIDE_H
#define LIMBER_SRC_TOOLS_GPU_SIDE_H

#include "base/host.h"
#include "device.h"

#include <limber/cpu.h>
#include <limber/gpu_profile.h>
#include <limber/gpu_readback.h>

// Allocates the outputs among the batch's outputs, inertialization data and the counters of refused inputs, all zero.
// On failure the caller must still call outputs_destroy().
lmb_result outputs_create(const lmb_batch_def *batch, lmb_batch_outputs *outputs, lmb_error *error);
// Accepts zeroed ones.
void outputs_destroy(lmb_batch_outputs *outputs);

typedef struct gpu_side {
    device *device;
    lmb_gpu_graph *program;
    lmb_gpu_batch *batch;
    lmb_gpu_readback *readback;
    device_buffer poses[LMB_MAX_POSES];
    device_buffer points;
    device_buffer transforms;
    VkDeviceAddress list; // the caller's, as in lmb_gpu_record_info; if not 0, every run is of these characters
    VkDeviceAddress list_count;
    uint32_t list_capacity;
    lmb_gpu_profile *profile; // the caller's, may be NULL; every run is timed in its slot 0
} gpu_side;

// Creates buffers and uploads the program. All arguments must outlive the side. `span_bytes` is as in
// lmb_gpu_batch_def. On failure nothing is left allocated.
lmb_result gpu_side_create(device *device, lmb_gpu *gpu, const lmb_batch_def *batch, VkDeviceSize span_bytes,
                           gpu_side *side, lmb_error *error);
// Does the same for a batch whose control also runs, with at most this many events sent per frame. `own_transforms`: as
// in lmb_gpu_batch_def.
lmb_result gpu_side_create_moving(device *device, lmb_gpu *gpu, const lmb_batch_def *batch, uint32_t events_a_frame,
                                  bool own_transforms, gpu_side *side, lmb_error *error);
// Does the same as `def` says, except for the graph, the number of characters, the outputs and the frame slots.
lmb_result gpu_side_create_as(device *device, lmb_gpu *gpu, const lmb_batch_def *batch, lmb_gpu_batch_def def,
                              gpu_side *side, lmb_error *error);
// Accepts a zeroed one.
void gpu_side_destroy(gpu_side *side);

// Does what lmb_cpu_run() does if the inputs have a control frame, and what lmb_cpu_run_poses() does otherwise: writes
// the outputs among the batch's outputs, and adds to refusals. If the inputs name a previous palette, it must be the
// result of the run before. States and inertialization data stay on the device; the frame's states are only written.
lmb_result gpu_side_run(gpu_side *side, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                        lmb_error *error);

// Runs the poses of a batch on the reference.
lmb_result reference_run(const lmb_batch_def *batch, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                         lmb_error *error);

// A batch with all its memory, frame by frame, with the control if the graph has one, on the reference or on a device.
typedef struct side {
    // Set by the caller.
    lmb_batch_def batch;
    uint32_t events_a_frame;
    bool gpu;
    const char *device_name; // as asked for; NULL for the best
    bool has_points;         // the caller sets `points` and `transforms` before each run, if the graph reads them

    const float *points;
    const float *transforms;
    float *parameters; // of the frame, float [C][P]; the caller fills in the host's parameters
    float *poses[LMB_MAX_POSES];
    lmb_event *events; // of the frame, in any order
    uint32_t event_count;
    bool is_placed_by_motion; // no transforms are given: those of the characters' own motion are read
    float *matrices;          // of that on the reference, float [C][12]
    uint32_t *state;          // after the frame
    uint32_t *emitted;
    lmb_batch_outputs outputs; // the inertialization data is that of the reference
    lmb_event *scratch;
    lmb_arena pool;

    lmb_cpu *cpu;
    gpu_device opened;
    gpu_side on_device;
} side;

// The graph must outlive the side. On failure the caller must still call side_destroy().
lmb_result side_create(side *side, lmb_error *error);
lmb_result side_run(side *side, uint64_t step, uint32_t number, lmb_error *error);
// Returns a joint's local transform after the frame, if that is among the batch's outputs.
lmb_transform side_local(const side *side, uint32_t character, uint32_t joint);
// Returns the name of the device that runs the batch, or "reference".
const char *side_name(const side *side);
// Returns how many words poses keep from frame to frame, of all characters: their inertialization data, uint32_t
// [C][lmb_graph_info.inertia_words], and after these which targets they reached, uint32_t
// [C][lmb_graph_info.reached_count].
size_t side_kept_words(const lmb_graph *graph, uint32_t character_count);
// Sets the state before the first frame: the characters' states, uint32_t [C][lmb_graph_info.state_words], instead of
// states that have not begun, and the words that poses keep.
lmb_result side_restore(side *side, const uint32_t *state, const uint32_t *kept, lmb_error *error);
// Reads the words that poses keep, between frames.
lmb_result side_read_kept(side *side, uint32_t *kept, lmb_error *error);
// Accepts a zeroed one. Returns a result as gpu_device_close() does.
lmb_result side_destroy(side *side, lmb_result result, lmb_error *error);

#endif
