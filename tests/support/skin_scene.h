// Random meshes and palettes for the suites of skinning.
#ifndef LIMBER_TESTS_SUPPORT_SKIN_SCENE_H
#define LIMBER_TESTS_SUPPORT_SKIN_SCENE_H

#include "random.h"
#include "suite.h"

#include <limber/skin.h>

#define SKIN_SCENE_JOINTS 23u
#define SKIN_SCENE_CHARACTERS 9u
#define SKIN_SCENE_CHANNELS 13u

// A vertex as a host may store it.
typedef struct skin_scene_vertex {
    float position[3];
    float normal[3];
    float tangent[4];
    uint32_t joints[LMB_MAX_SKIN_INFLUENCES];
    float weights[LMB_MAX_SKIN_INFLUENCES];
} skin_scene_vertex;

// A mesh, and the palettes of the two methods for this frame and the previous one.
typedef struct skin_scene {
    skin_scene_vertex *vertices;
    lmb_skin_def def; // reads `vertices`
    lmb_skin *skin;
    float *palettes[LMB_SKIN_METHOD_COUNT][2];
    size_t palette_floats[LMB_SKIN_METHOD_COUNT];
    lmb_skin_target *targets;
    float channels[2][SKIN_SCENE_CHARACTERS * SKIN_SCENE_CHANNELS];
} skin_scene;

// Values that a host writes: usual ones, or any bits.
typedef enum skin_scene_values { SKIN_SCENE_USUAL, SKIN_SCENE_EXTREME } skin_scene_values;

skin_scene skin_scene_create(uint32_t vertex_count, uint32_t influence_count, uint32_t target_count,
                             skin_scene_values values, uint64_t seed);
void skin_scene_destroy(skin_scene *scene);

// The streams of a run.
typedef struct skin_scene_outputs {
    char *streams[LMB_SKIN_OUTPUT_COUNT];
    size_t sizes[LMB_SKIN_OUTPUT_COUNT];
    uint32_t refused[LMB_REFUSAL_COUNT];
} skin_scene_outputs;

// Allocates the streams of a layout for a number of slots, filled with a byte.
skin_scene_outputs skin_scene_outputs_create(const lmb_skin *skin, const lmb_skin_layout *layout, uint32_t slots,
                                             int byte);
void skin_scene_outputs_destroy(skin_scene_outputs *outputs);

// A layout that writes everything, normals and tangents in a format.
lmb_skin_layout skin_scene_layout(lmb_skin_method method, lmb_skin_format directions);

// Runs on the CPU.
lmb_result skin_scene_run(const skin_scene *scene, lmb_cpu_path path, const lmb_skin_layout *layout,
                          const uint32_t *list, uint32_t list_count, skin_scene_outputs *outputs, lmb_error *error);

#endif
