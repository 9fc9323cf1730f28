// A small world for one test: a rig, a program over it and a batch of characters, run on the reference and compared
// with the float64 oracle. Every run also checks what holds for all outputs: no infinity, NaN, negative zero or
// subnormal, and nothing between 0 and 2^-40 or above 2^40.
#ifndef LIMBER_TESTS_SCENE_H
#define LIMBER_TESTS_SCENE_H

#include "oracle.h"
#include "random.h"
#include "suite.h"

#include <limber/cpu.h>

#define SCENE_NODES 65u
#define SCENE_MASKS 4u

typedef struct test_scene {
    lmb_rig *rig;              // owned
    const lmb_clip_def *clips; // borrowed
    uint32_t clip_count;
    const uint8_t *masks[SCENE_MASKS]; // borrowed
    uint32_t mask_count;
    const lmb_mirror_def *mirrors; // borrowed
    uint32_t mirror_count;
    const lmb_joint_limit_def *joint_limits; // borrowed; the only ones, or NULL
    const lmb_joint_map_def *joint_maps;     // borrowed
    uint32_t joint_map_count;
    const lmb_static_pose_def *static_poses; // borrowed
    uint32_t static_pose_count;
    const lmb_rig *const *clip_rigs; // borrowed; NULL where all clips are the rig's
    const uint8_t *max_lods;         // borrowed, or NULL
    lmb_value lod;
    lmb_node_def nodes[SCENE_NODES];
    uint32_t node_count;
    uint32_t parameter_count;
    uint32_t character_count;
    float *parameters;              // [character][parameter]
    float *poses[LMB_MAX_POSES];    // as batch.h lays them out
    const float *previous_palette;  // borrowed
    lmb_cpu_path path;              // the reference, unless set
    float *stages[LMB_STAGE_COUNT]; // written by scene_run
    uint32_t refused[LMB_REFUSAL_COUNT];
} test_scene;

typedef enum scene_shape { SCENE_CHAIN, SCENE_WIDE, SCENE_TREE } scene_shape;

// Joints in rig order with random rest poses; scales near 1, so that long chains stay in range. Radii to 2, now and then
// 0; five sockets.
lmb_rig *scene_rig(uint32_t joint_count, scene_shape shape, uint64_t seed);
// One root at rest: its model matrix is its local matrix. No sockets, no radius.
lmb_rig *scene_single_joint(void);

// Takes the rig over. Parameters start as 0.
void scene_start(test_scene *scene, lmb_rig *rig, uint32_t character_count, uint32_t parameter_count);
void scene_end(test_scene *scene);

// A pose buffer of identities, or of random poses (translations to 10, scales from 1/8 to 8).
float *scene_add_pose(test_scene *scene, uint32_t pose);
void scene_fill_pose(test_scene *scene, uint32_t pose, random_source *source);
// One component (0 to 9) of a pose buffer's or the local output's joint.
float *scene_component(const test_scene *scene, float *buffer, uint32_t character, uint32_t joint, uint32_t component);
// Floats of a stage's output, of all characters.
size_t scene_stage_floats(const test_scene *scene, lmb_stage stage);
float *scene_parameter(test_scene *scene, uint32_t character, uint32_t parameter);

// A new node of that operation, with the inputs given (LMB_NONE for none); its index is node_count - 1.
lmb_node_def *scene_add(test_scene *scene, lmb_op op, uint32_t first, uint32_t second);
lmb_node_def *scene_add_pose_node(test_scene *scene, uint32_t pose);

void scene_run(test_scene *scene);

// How far the outputs may stand from the oracle, and by scene_compare how far they did at most. Translations are
// relative to max(1, magnitude of the inputs), rotations absolute, scales relative to max(scale, scale_floor).
typedef struct scene_bounds {
    double translation;
    double rotation;
    double scale;
    double magnitude;
    double scale_floor;
} scene_bounds;

#define SCENE_BOUNDS ((scene_bounds){1e-6, 1e-6, 2e-6, 1.0, 0.0})

// Local outputs; prints the largest errors under `title`.
void scene_compare_local(const test_scene *scene, const char *title, scene_bounds bounds);
// Model outputs within `bound` x depth x extent, the palette within that times the largest row of the inverse binds.
// The extent is the largest entry of the model matrices of the pose and of the rest pose, and at least 1.
void scene_compare_model(const test_scene *scene, const char *title, double bound);

#endif
