// A graph with a mask of bodies, and random matrices and poses, for the suites of ragdolls.
#ifndef LIMBER_TESTS_SUPPORT_RAGDOLL_SCENE_H
#define LIMBER_TESTS_SUPPORT_RAGDOLL_SCENE_H

#include "random.h"
#include "suite.h"

#include <limber/ragdoll.h>

enum { RAGDOLL_JOINTS = 19, RAGDOLL_CHANNELS = 3 };

// Values that a host writes: poses of a graph, or any bits.
typedef enum ragdoll_values { RAGDOLL_USUAL, RAGDOLL_EXTREME } ragdoll_values;

// Mask 0 has half of the joints, mask 1 has all. The graph shows pose buffer 0.
typedef struct ragdoll_scene {
    lmb_rig *rig;
    lmb_graph *graph;
    uint32_t character_count;
    size_t pose_floats, model_floats; // of a character
    float *animated, *models, *poses;
    uint32_t refused[LMB_REFUSAL_COUNT];
} ragdoll_scene;

extern const uint8_t ragdoll_mask[RAGDOLL_JOINTS + RAGDOLL_CHANNELS];

ragdoll_scene ragdoll_scene_create(uint32_t character_count, ragdoll_values values, uint64_t seed);
void ragdoll_scene_destroy(ragdoll_scene *scene);

// The info of a call for the scene's arrays.
lmb_ragdoll_info ragdoll_scene_info(ragdoll_scene *scene, uint32_t mask, bool is_animated);

#endif
