// Graphs whose nodes keep memory from frame to frame (chains, locked feet), on every CPU path, and on a processor that
// flushes subnormals: all must have the same poses and the same memory after every frame. And what tests of these nodes
// share: a rig, times of frames, and model matrices.
#ifndef LIMBER_TESTS_SUPPORT_KEPT_PATHS_H
#define LIMBER_TESTS_SUPPORT_KEPT_PATHS_H

#include "oracle.h"

#include <limber/cpu.h>

typedef struct kept_paths {
    lmb_cpu *cpu[LMB_CPU_PATH_COUNT];     // NULL where the machine lacks the path, and for LMB_CPU_FAST
    uint32_t *memory[LMB_CPU_PATH_COUNT]; // owned, zero at first
    lmb_batch_def batch;                  // of local transforms
    uint32_t words;                       // of memory per character
    uint32_t refused[LMB_REFUSAL_COUNT];  // by the last run
} kept_paths;

void kept_paths_start(kept_paths *paths, const lmb_graph *graph, uint32_t characters);
void kept_paths_end(kept_paths *paths);

// Returns the size of the memory of a path.
size_t kept_paths_bytes(const kept_paths *paths);

// Copies memory to every path.
void kept_paths_set(kept_paths *paths, const uint32_t *memory);

// Runs a path with this memory, which may be NULL.
void kept_paths_run(kept_paths *paths, int path, const lmb_batch_inputs *inputs, uint32_t *memory, float *poses);

// Runs a frame on every path, and compares poses and memory. Stores the poses, which must be finite.
void kept_paths_run_all(kept_paths *paths, const lmb_batch_inputs *inputs, float *poses);

// Creates a rig of joints with these parents.
lmb_rig *kept_rig_create(const uint32_t *parents, uint32_t count);

// Returns the time of a frame: characters have rates of their own, from 20 to 300 a second, some irregular.
double kept_time(uint32_t character, uint32_t characters, uint32_t frame);

// Computes model matrices in float64 from a character's pose, float [LMB_POSE_COMPONENTS][joint].
void kept_models(const lmb_rig *rig, const float *pose, oracle_affine *models);

#endif
