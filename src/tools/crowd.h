// Random crowds, to compare two sides with each other: programs over a rig and its clips that use every operation, and
// inputs for the characters that run them. The same seed gives the same crowd on every machine.
#ifndef LIMBER_SRC_TOOLS_CROWD_H
#define LIMBER_SRC_TOOLS_CROWD_H

#include "base/host.h"
#include "random_program.h"

#include <limber/batch.h>

typedef struct crowd_def {
    const lmb_rig *rig;
    const lmb_clip *const *clips;
    uint32_t clip_count; // may be 0
    uint32_t character_count;
    uint64_t seed;
    uint32_t program;           // which of the seed's programs: 0 has every operation, the others are random trees
    uint32_t most_nodes;        // of a random tree; 0 for a default
    const lmb_graph_def *given; // what runs instead of a random program, or NULL
    uint32_t one_in;            // about one input in this many is invalid and must be refused; 0 for none
} crowd_def;

typedef struct crowd {
    crowd_def def; // the rig and the clips must outlive the crowd
    lmb_graph *program;
    lmb_graph_def program_def; // what it was created from
    random_program *random;    // whose nodes these are, or NULL
    float longest;             // seconds
    float *parameters;
    float *poses[LMB_MAX_POSES];
    float *points;
    float *transforms;
    lmb_arena pool;
} crowd;

// On failure nothing is left allocated.
lmb_result crowd_create(const crowd_def *def, crowd *crowd, lmb_error *error);
// Accepts a zeroed one.
void crowd_destroy(crowd *crowd);

// Replaces the crowd's program by another one, with as many parameters and no more pose buffers. Keeps pointers to what
// the descriptor points to. On failure nothing has changed.
lmb_result crowd_compile(crowd *crowd, const lmb_graph_def *def, lmb_error *error);

// Returns a batch of the crowd with these outputs.
lmb_batch_def crowd_batch(const crowd *crowd, uint32_t outputs);
// Draws the parameters and pose buffers of a frame. They depend only on seed, program and frame.
void crowd_draw(crowd *crowd, uint32_t frame);
// Returns pointers to the drawn inputs.
lmb_batch_inputs crowd_inputs(const crowd *crowd);

#endif
