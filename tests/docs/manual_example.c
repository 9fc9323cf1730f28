#include "manual_example.h"

#include <limber/additive.h>
#include <limber/cpu.h>
#include <limber/graph_json.h>
#include <limber/pack.h>
#include <limber/root_motion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cookbook.inc"

lmb_result manual_getting_started(VkInstance instance, VkPhysicalDevice physical_device, VkDevice device, VkQueue queue,
                                  uint32_t queue_family, PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr,
                                  const lmb_rig *rig, const lmb_clip *const *clips, VkCommandBuffer commands,
                                  uint32_t slot) {
    const VkDeviceCreateInfo device_info = {0}; // which says nothing
    lmb_error error;
#include "getting-started.inc"
    return result;
}

lmb_result manual_importing(const char *character_path, const char *more_clips_path, lmb_error *errors) {
    lmb_error error = {0};
#include "importing.inc"
    (void)player;
    (void)mirror;
    (void)packed_clip;
    *errors = error;
    lmb_pack_close(pack);
    free(bytes);
    free(partners);
    lmb_clip_destroy(compressed);
    lmb_clip_destroy(additive);
    lmb_root_motion_destroy(motion);
    lmb_import_destroy(import);
    return result;
}

// The host's function in that page.
static uint64_t first_changed(manual_inputs *inputs, uint64_t now) {
    if (now != inputs->arrives) {
        return now;
    }
    inputs->counts[inputs->changed] = inputs->arriving;
    return inputs->changed;
}

// Without what depends on the input of the whole frame.
static manual_sound sound_of(uint32_t character, const lmb_emitted_event *event, int64_t when) {
    manual_sound sound = {character, when, *event};
    sound.event.weight = 0.0f;
    sound.event.passes = 0;
    return sound;
}

static bool is_same_sound(const manual_sound *a, const manual_sound *b) {
    return a->character == b->character && a->when == b->when && memcmp(&a->event, &b->event, sizeof a->event) == 0;
}

static void play_sound(manual_inputs *inputs, uint32_t character, const lmb_emitted_event *event, int64_t when) {
    if (inputs->sound_count < MANUAL_SOUNDS) {
        inputs->sounds[inputs->sound_count++] = sound_of(character, event, when);
    }
}

static void stop_sound(manual_inputs *inputs, uint32_t character, const lmb_emitted_event *event, int64_t when) {
    const manual_sound stopped = sound_of(character, event, when);
    uint32_t left = 0;
    for (uint32_t i = 0; i < inputs->sound_count; i++) {
        const bool stops = is_same_sound(&inputs->sounds[i], &stopped);
        inputs->stopped += stops;
        if (!stops) {
            inputs->sounds[left++] = inputs->sounds[i];
        }
    }
    inputs->sound_count = left;
}

lmb_result manual_netcode(const lmb_graph *graph, lmb_cpu *cpu, manual_inputs *inputs, uint64_t frame_count,
                          lmb_control_frame frame, lmb_batch_outputs outputs) {
    lmb_error error = {0};
    lmb_batch_def batch = lmb_default_batch_def();
    batch.graph = graph;
    batch.character_count = frame.character_count;
    batch.outputs = LMB_OUTPUT_PALETTE_BIT;
    const lmb_batch_inputs batch_inputs = {.control = &frame};
#include "netcode.inc"
    return result;
}

lmb_result manual_past(lmb_cpu *cpu, lmb_batch_def batch, lmb_control_frame then, const unsigned char *saved,
                       size_t size, uint32_t character, uint32_t *state, float *sockets, float *bounds) {
    enum { KEPT = 1 };
    const uint64_t tick = then.number;
    lmb_result result;
    lmb_error error;
#include "netcode_past.inc"
    return result;
}

lmb_result manual_pack(const void *now, const void *acknowledged, size_t size, unsigned char *packet, size_t room,
                       size_t *packed_size) {
    size_t packet_size = 0;
    lmb_result result;
    lmb_error error;
#include "netcode_pack.inc"
    *packed_size = packet_size;
    return result;
}

lmb_result manual_motion_matching(const lmb_rig *rig, const lmb_clip *const *clips, const lmb_motion_track *motions,
                                  lmb_motion_database **made, lmb_graph **graph) {
    enum { TAKES = MANUAL_TAKES };
    lmb_error error;
#include "motion-matching.inc"
    *made = database;
    return result == LMB_OK ? lmb_graph_create(&graph_def, NULL, graph, &error) : result;
}

bool manual_motion_search(const lmb_motion_database *database, const float velocity[2], const float stick[2],
                          float speed, float turn, lmb_motion_row *playing) {
    const uint32_t recent_row = LMB_NONE;
#include "motion-matching_search.inc"
    return jumps;
}

lmb_result manual_skinning(const lmb_import *import, lmb_gpu_batch *batch, lmb_gpu_skin *gpu_skin,
                           VkCommandBuffer commands, const VkDeviceAddress addresses[6], const float *palette_floats,
                           float *vertices, const uint32_t counts[3]) {
    const uint32_t character_count = counts[0], slot = counts[1], previous_slot = counts[2];
    const VkDeviceAddress words = addresses[0], visible = addresses[1], visible_count = addresses[2];
    const VkDeviceAddress positions = addresses[3], normals = addresses[4], previous_positions = addresses[5];
    lmb_error error;
#include "skinning.inc"
    lmb_skin_destroy(skin);
    return result;
}

lmb_result manual_state_machines(const lmb_rig *rig, const lmb_clip *const *clips, float *palette,
                                 uint32_t *footstep_count) {
    lmb_error error = {0};
    lmb_graph *graph = NULL;
    uint32_t footsteps = 0;
#include "state-machines.inc"
    *footstep_count = footsteps;
    free(inertia);
    free(emitted);
    free(state);
    free(parameters);
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(graph);
    return result;
}
