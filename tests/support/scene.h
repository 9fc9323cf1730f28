// The fixture of a test: a rig, a program for it and a batch of characters. Runs them on the reference and compares the
// result with the float64 oracle. Every run also checks all outputs: no infinity, NaN, negative zero or subnormal, and
// no magnitude between 0 and 2^-40 or above 2^40.
#ifndef LIMBER_TESTS_SUPPORT_SCENE_H
#define LIMBER_TESTS_SUPPORT_SCENE_H

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
    const lmb_retarget_def *retargets; // borrowed
    uint32_t retarget_count;
    const lmb_static_pose_def *static_poses; // borrowed
    uint32_t static_pose_count;
    const lmb_rig *const *clip_rigs; // borrowed; NULL if all clips use the rig
    const uint8_t *max_lods;         // borrowed, or NULL
    lmb_value lod;
    lmb_node_def nodes[SCENE_NODES];
    uint32_t node_count;
    uint32_t parameter_count;
    uint32_t character_count;
    float *parameters;                // [character][parameter]
    float *poses[LMB_MAX_POSES];      // in the layout of batch.h
    const float *previous_palette;    // borrowed
    const float *points;              // borrowed
    const float *transforms;          // borrowed
    lmb_cpu_path path;                // the reference, unless set
    float *buffers[LMB_OUTPUT_COUNT]; // written by scene_run
    uint32_t *reached;                // the same: [character][LMB_MAX_REACHED], of which the graph's are written
    uint32_t reached_count;           // of the graph: its rows follow each other
    uint32_t refused[LMB_REFUSAL_COUNT];
} test_scene;

typedef enum scene_shape { SCENE_CHAIN, SCENE_WIDE, SCENE_TREE } scene_shape;

// Creates a rig with joints in rig order and random rest poses. Scales are near 1, so that long chains stay in range.
// Radii are between 0 and 2, some of them exactly 0. It has five sockets.
lmb_rig *scene_rig(uint32_t joint_count, scene_shape shape, uint64_t seed);
// A single root at the identity: its model matrix equals its local matrix. It has no sockets and no radius.
lmb_rig *scene_single_joint(void);

// Takes ownership of the rig. Parameters start at 0.
void scene_start(test_scene *scene, lmb_rig *rig, uint32_t character_count, uint32_t parameter_count);
void scene_end(test_scene *scene);

// Adds a pose buffer of identities. scene_fill_pose() writes random poses (translations up to 10, scales from 1/8 to
// 8).
float *scene_add_pose(test_scene *scene, uint32_t pose);
void scene_fill_pose(test_scene *scene, uint32_t pose, random_source *source);
// Returns one component (0 to 9) of a joint in a pose buffer or in the local output.
float *scene_component(const test_scene *scene, float *buffer, uint32_t character, uint32_t joint, uint32_t component);
lmb_transform scene_transform(const test_scene *scene, float *buffer, uint32_t character, uint32_t joint);
void scene_rotation(const test_scene *scene, float *buffer, uint32_t character, uint32_t joint, double q[4]);
// Returns the number of floats in the output of an output, for all characters.
size_t scene_output_floats(const test_scene *scene, lmb_output output);
float *scene_parameter(test_scene *scene, uint32_t character, uint32_t parameter);

// Adds a node of this operation with the given inputs (LMB_NONE for none), of #LMB_OP_MASKED and #LMB_OP_OVERRIDE with
// the first mask. Its index is node_count - 1.
lmb_node_def *scene_add(test_scene *scene, lmb_op op, uint32_t first, uint32_t second);
lmb_node_def *scene_add_pose_node(test_scene *scene, uint32_t pose);
// Adds random poses 0 to 7, and a node of this operation whose inputs are these in turn. Its weights are parameters 0,
// 1 and so on.
lmb_node_def *scene_add_many(test_scene *scene, lmb_op op, uint32_t inputs, random_source *source);

void scene_run(test_scene *scene);
// Runs every CPU path of this machine. All outputs and counters of each must equal the reference's, bit by bit. The
// scene then has the reference's path and results.
void scene_run_all_paths(test_scene *scene);

// Whether the node that reports in this word has reached its target.
bool scene_reached(const test_scene *scene, uint32_t character, uint32_t index);

// A copy of all outputs and counters, or of one output, for comparison with another run, bit by bit.
typedef struct scene_results {
    float *buffers[LMB_OUTPUT_COUNT];
    uint32_t *reached;
    uint32_t refused[LMB_REFUSAL_COUNT];
} scene_results;

scene_results scene_keep(const test_scene *scene);
void scene_results_destroy(scene_results *results);
void scene_expect(const test_scene *scene, const scene_results *expected);
float *scene_keep_output(const test_scene *scene, lmb_output output); // free it
void scene_expect_output(const test_scene *scene, lmb_output output, const float *expected);
void scene_expect_no_refusals(const test_scene *scene);

// The allowed difference between the outputs and the oracle, or a measured one. Translations are relative to max(1,
// magnitude of the inputs), rotations are absolute, and scales are relative to max(scale, scale_floor).
typedef struct scene_bounds {
    double translation;
    double rotation;
    double scale;
    double magnitude;
    double scale_floor;
} scene_bounds;

#define SCENE_BOUNDS ((scene_bounds){1e-6, 1e-6, 2e-6, 1.0, 0.0})

// Compares the local outputs and prints the largest errors under `title`.
void scene_compare_local(const test_scene *scene, const char *title, scene_bounds bounds);
void scene_run_and_compare(test_scene *scene, const char *title, scene_bounds bounds);
// Compares the model outputs within `bound` x depth x extent, and the palette within that times the largest row of the
// inverse bind matrices. The extent is the largest entry of the model matrices of the pose and of the rest pose, and at
// least 1.
void scene_compare_model(const test_scene *scene, const char *title, double bound);

// Compares what lmb_graph_print() prints, with a line break after each line.
void expect_printed(const lmb_graph *graph, const char *expected);

#endif
