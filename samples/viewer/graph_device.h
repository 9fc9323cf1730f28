// The device's side of a graph that changes while it is shown: creates each version in a thread of its own, so that no
// frame waits for it, replaces the one that is shown, and destroys the old one when no frame uses it any more. A
// version is interpreted until the thread has compiled its kernel.
#ifndef LIMBER_SAMPLES_VIEWER_GRAPH_DEVICE_H
#define LIMBER_SAMPLES_VIEWER_GRAPH_DEVICE_H

#include "device.h"
#include "graph_file.h"

#define GRAPH_DEVICE_FRAMES 4u // in flight, at most

typedef struct graph_device graph_device;

typedef struct graph_device_def {
    device *device;
    lmb_gpu *gpu;
    uint32_t character_count;
    uint32_t frame_count; // frames in flight
    uint32_t kept_frames; // of which the words of inertialization are kept, if memory suffices
    bool waits;           // compiles at once, without a thread: for pictures, whose frames must not depend on time
    bool compiles;        // otherwise: compiles kernels of graphs that are shown already, and then uses them
} graph_device_def;

// A version with what the device needs for it.
typedef struct graph_device_version {
    graph_version *text;
    lmb_gpu_graph *graph; // NULL, and so is the batch, if the version is not a graph that can be shown
    lmb_gpu_batch *batch;
    uint32_t kept_frames; // as stated, or less
    // Of each frame slot, mapped, if the graph reads them: what the host writes for inverse kinematics, as in batch.h.
    device_buffer points[GRAPH_DEVICE_FRAMES];
    device_buffer transforms[GRAPH_DEVICE_FRAMES];
} graph_device_version;

// Takes the version `first`, which must be a graph, shows it, and follows a file. Destroys `first` if it fails.
lmb_result graph_device_create(const graph_device_def *def, graph_version *first, const graph_file *file,
                               graph_device **device, lmb_error *error);
// NULL is allowed. The device must be idle.
void graph_device_destroy(graph_device *device);
// Follows another file from now on.
void graph_device_follow(graph_device *device, const char *path);

// Returns the file's content if it is another one than at the last call, otherwise NULL. It lives until the next call,
// or for longer if it is shown.
const graph_device_version *graph_device_poll(graph_device *device);
// Shows the graph that graph_device_poll() returned last, from the frame `number` on. The one before lives until no
// frame uses it. The words of inertialization that it has kept are taken over if the new graph keeps as many.
void graph_device_show(graph_device *device, uint32_t number);
const graph_device_version *graph_device_shown(const graph_device *device);
// Whether a kernel is being compiled.
bool graph_device_is_compiling(graph_device *device);

// Call it before a frame is recorded, when the last frame of its slot has completed. `number` counts submitted frames.
// `is_first` is true if that was the first frame of the graph that is shown.
lmb_result graph_device_begin(graph_device *device, uint32_t slot, uint32_t number, bool *is_first, lmb_error *error);

// A frame of the graph that is shown. Its parameters are those that the control has written.
typedef struct graph_device_frame {
    VkCommandBuffer commands;
    uint32_t slot;
    lmb_gpu_profile *profile;
    // Where the words of inertialization are kept after the frame, and from where they are restored before it (or
    // #LMB_NONE): below `kept_frames`.
    uint32_t place;
    uint32_t restored_place;
} graph_device_frame;

lmb_result graph_device_record(graph_device *device, const graph_device_frame *frame, lmb_error *error);

#endif
