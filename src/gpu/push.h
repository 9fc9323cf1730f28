// Push constants of the kernels, as the shaders declare them.
#ifndef LIMBER_SRC_GPU_PUSH_H
#define LIMBER_SRC_GPU_PUSH_H

#include <limber/skin.h>
#include <vulkan/vulkan_core.h>

// Addresses of a span's buffers. A dispatch of a batch's kernel runs the characters of one span.
typedef struct lmb_span_row {
    VkDeviceAddress parameters;
    VkDeviceAddress outputs[LMB_OUTPUT_COUNT];
    VkDeviceAddress rows[LMB_OUTPUT_COUNT]; // the same addresses
    VkDeviceAddress dual_quaternions;       // the same address again
    VkDeviceAddress named_palette;          // of the frame that the host names as the previous one, or of this frame
    VkDeviceAddress named_rows;             // the same address
    VkDeviceAddress poses[LMB_MAX_POSES];
    VkDeviceAddress inertia;    // data kept from frame to frame, or 0
    VkDeviceAddress points;     // or 0
    VkDeviceAddress transforms; // or 0
} lmb_span_row;

typedef struct lmb_batch_push {
    VkDeviceAddress graph;
    VkDeviceAddress span; // an lmb_span_row
    VkDeviceAddress refused;
    VkDeviceAddress list;
    VkDeviceAddress dispatch;
    VkDeviceAddress sources;  // of the span: records of clip sources from stage 1, or 0
    VkDeviceAddress weights;  // of the span: weights from stage 1, or 0
    VkDeviceAddress exchange; // of the span, or 0
    uint32_t characters;      // of the batch
    uint32_t first;           // character of the span
    uint32_t span_characters;
    uint32_t outputs;
    uint32_t has_named;
    uint32_t has_list;
    uint32_t pass;
    uint32_t exchanged;         // joints and channels of a character in an exchange area
    VkDeviceAddress wide_graph; // the graph's address again
} lmb_batch_push;

typedef struct lmb_list_push {
    VkDeviceAddress list_count;
    VkDeviceAddress dispatch;
    VkDeviceAddress refused;
    uint32_t capacity;
    uint32_t first_items;
    uint32_t first_joint_maps;
    uint32_t character_items;
    uint32_t channels;
    uint32_t channel_items;
} lmb_list_push;

typedef struct lmb_control_push {
    VkDeviceAddress block;
    VkDeviceAddress state;
    VkDeviceAddress parameters;
    VkDeviceAddress sent;
    VkDeviceAddress emitted;
    VkDeviceAddress motions;
    VkDeviceAddress graph;
    VkDeviceAddress weights;
    uint32_t sent_count;
    uint32_t characters;
    uint32_t number;
    uint32_t step_low;
    uint32_t step_high;
    uint32_t emits_events;
    uint32_t part;
    uint32_t part_count;
    VkDeviceAddress parts; // if a dispatch runs a part of a frame, or 0
    VkDeviceAddress kept;
} lmb_control_push;

typedef struct lmb_probe_push {
    VkDeviceAddress cases;
    uint32_t count;
    uint32_t unused;
} lmb_probe_push;

typedef struct lmb_ragdoll_push {
    VkDeviceAddress graph;
    VkDeviceAddress animated;
    VkDeviceAddress models;
    VkDeviceAddress poses;
    VkDeviceAddress refused;
    uint32_t characters;
    uint32_t mask;
    uint32_t flags;
    uint32_t unused;
} lmb_ragdoll_push;

typedef struct lmb_skin_push {
    VkDeviceAddress block;
    VkDeviceAddress palette;
    VkDeviceAddress previous_palette;
    VkDeviceAddress channels;
    VkDeviceAddress previous_channels;
    VkDeviceAddress list;
    VkDeviceAddress list_count;
    VkDeviceAddress refused;
    VkDeviceAddress streams[LMB_SKIN_OUTPUT_COUNT];
    uint32_t capacity;
    uint32_t characters;
    uint32_t first_character;
    uint32_t palette_count;
    uint32_t character_vertices;
    uint32_t strides;
    uint32_t flags;
    uint32_t unused;
} lmb_skin_push;

// The size of the largest push constants. Vulkan guarantees 128 bytes.
#define LMB_PUSH_SIZE sizeof(lmb_skin_push)
_Static_assert(sizeof(lmb_batch_push) <= LMB_PUSH_SIZE && sizeof(lmb_list_push) <= LMB_PUSH_SIZE &&
                   sizeof(lmb_control_push) <= LMB_PUSH_SIZE && sizeof(lmb_ragdoll_push) <= LMB_PUSH_SIZE,
               "the push constants of skinning are not the longest");
_Static_assert(LMB_PUSH_SIZE <= 128, "push constants exceed 128 bytes");

#endif
