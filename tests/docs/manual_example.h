// The C code of the manual's pages, as functions. The build makes one file of the blocks of each page.
#ifndef LIMBER_TESTS_DOCS_MANUAL_EXAMPLE_H
#define LIMBER_TESTS_DOCS_MANUAL_EXAMPLE_H

#include <limber/cpu.h>
#include <limber/gpu_readback.h>
#include <limber/gpu_skin.h>
#include <limber/import.h>
#include <limber/motion_database.h>
#include <limber/snapshot.h>

// docs/cookbook.md.
void look_at(const lmb_graph *graph, uint32_t character, const float target[3], float *points);
lmb_result take_ragdoll(const lmb_graph *graph, uint32_t character_count, float *models, float *poses,
                        lmb_error *error);
void write_distance(const lmb_graph *graph, float distance, float *row);
uint64_t hash_states(const lmb_graph *graph, const uint32_t *states, uint32_t character_count);
uint32_t find_difference(const uint64_t *ours, const uint64_t *theirs, uint32_t character_count);
bool has_same_bits(lmb_cpu *reference, const lmb_batch_def *batch, const lmb_batch_inputs *given, float *palettes,
                   float *expected);
// docs/getting-started.md. It is compiled, and not called.
lmb_result manual_getting_started(VkInstance instance, VkPhysicalDevice physical_device, VkDevice device, VkQueue queue,
                                  uint32_t queue_family, PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr,
                                  const lmb_rig *rig, const lmb_clip *const *clips, VkCommandBuffer commands,
                                  uint32_t slot);
// docs/importing.md.
lmb_result manual_importing(const char *character_path, const char *more_clips_path, lmb_error *errors);
// Events of each frame, a number of `sent`. Those of frame `changed` arrive in frame `arrives`.
typedef struct manual_inputs {
    const lmb_event *sent;
    uint32_t *counts; // [frame]
    uint64_t arrives, changed;
    uint32_t arriving; // events of frame `changed`
    struct manual_sound *sounds;
    uint32_t sound_count, stopped;
} manual_inputs;

// A sound that was played.
enum { MANUAL_SOUNDS = 200 };
typedef struct manual_sound {
    uint32_t character;
    int64_t when;
    lmb_emitted_event event;
} manual_sound;

// docs/netcode.md: runs frames, and those of late input again.
lmb_result manual_netcode(const lmb_graph *graph, lmb_cpu *cpu, manual_inputs *inputs, uint64_t frame_count,
                          lmb_control_frame frame, lmb_batch_outputs outputs);
// Runs a character again as it was in frame `then.number`, from `saved`, the snapshot before that frame.
lmb_result manual_past(lmb_cpu *cpu, lmb_batch_def batch, lmb_control_frame then, const unsigned char *saved,
                       size_t size, uint32_t character, uint32_t *state, float *sockets, float *bounds);
// Packs a snapshot against another one, of `size` bytes too. `room` is that of the packet.
lmb_result manual_pack(const void *now, const void *acknowledged, size_t size, unsigned char *packet, size_t room,
                       size_t *packed_size);
// docs/motion-matching.md: a database of loops, and a graph that plays what the host says.
enum { MANUAL_TAKES = 8 };
lmb_result manual_motion_matching(const lmb_rig *rig, const lmb_clip *const *clips, const lmb_motion_track *motions,
                                  lmb_motion_database **made, lmb_graph **graph);
// Returns whether another row is to play, and writes it.
bool manual_motion_search(const lmb_motion_database *database, const float velocity[2], const float stick[2],
                          float speed, float turn, lmb_motion_row *playing);
// docs/skinning.md. It is compiled, and not called.
lmb_result manual_skinning(const lmb_import *import, lmb_gpu_batch *batch, lmb_gpu_skin *gpu_skin,
                           VkCommandBuffer commands, const VkDeviceAddress addresses[6], const float *palette_floats,
                           float *vertices, const uint32_t counts[3]);
// docs/state-machines.md: the clips are idle, walk, run, hop and land. Writes the palette of the last frame, and
// returns how many footsteps were emitted in `footstep_count`.
lmb_result manual_state_machines(const lmb_rig *rig, const lmb_clip *const *clips, float *palette,
                                 uint32_t *footstep_count);

#endif
