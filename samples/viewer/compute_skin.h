// Skins the characters' finest meshes in a compute kernel, with morph targets, into streams from which they are drawn.
#ifndef LIMBER_SAMPLES_VIEWER_COMPUTE_SKIN_H
#define LIMBER_SAMPLES_VIEWER_COMPUTE_SKIN_H

#include "character.h"
#include "graphics.h"

#include <limber/gpu_skin.h>

typedef struct compute_skin compute_skin;

typedef struct compute_skin_def {
    device *device;
    lmb_gpu *gpu;
    const character *character;
    uint32_t character_count;
    uint32_t frame_count; // frames in flight
} compute_skin_def;

// What is drawn: vec3 [character][character_vertices] each.
typedef struct compute_skin_streams {
    VkDeviceAddress positions;
    VkDeviceAddress normals;
    uint32_t character_vertices;
} compute_skin_streams;

lmb_result compute_skin_create(const compute_skin_def *def, compute_skin **skin, lmb_error *error);
// NULL is allowed. The device must be idle.
void compute_skin_destroy(compute_skin *skin);

// Records the runs of a frame, after its batch, which outputs palettes and channels.
lmb_result compute_skin_record(compute_skin *skin, VkCommandBuffer commands, const lmb_gpu_batch *batch, uint32_t frame,
                               lmb_error *error);
compute_skin_streams compute_skin_of(const compute_skin *skin, uint32_t frame);

// Runs a completed frame on the CPU, and counts the floats whose bits differ.
lmb_result compute_skin_compare(const compute_skin *skin, lmb_gpu_batch *batch, uint32_t frame, uint64_t *compared,
                                uint64_t *differ, lmb_error *error);

#endif
