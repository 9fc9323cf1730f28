// Random crowds to try two sides against each other: programs over a rig and its clips that use every operation, and
// inputs for the characters that run them. The same seed gives the same crowd everywhere.
#ifndef LIMBER_SRC_CLI_CROWD_H
#define LIMBER_SRC_CLI_CROWD_H

#include "random.h"

#include <limber/batch.h>

typedef struct crowd_def {
    const lmb_rig *rig;
    const lmb_clip *const *clips;
    uint32_t clip_count; // may be 0
    uint32_t character_count;
    uint64_t seed;
    uint32_t program; // which of the seed's programs: 0 holds every operation, the others are random trees
    uint32_t one_in;  // about one input in so many is one that has to be refused; 0 for none
} crowd_def;

// What a parameter of a program is for.
typedef enum crowd_parameter {
    CROWD_CLIP,
    CROWD_TIME,
    CROWD_WEIGHT, // of a blend, masked, additive
    CROWD_SHARE   // of one input of a weighted operation
} crowd_parameter;

typedef struct crowd {
    crowd_def def; // its clips and its rig are those of the program's descriptor as well
    lmb_program *program;
    lmb_program_def program_def; // what it was created from
    lmb_node_def *nodes;         // of that
    uint8_t *mask_bytes;
    const uint8_t **masks;
    crowd_parameter *kinds; // one for each parameter
    float longest;          // seconds
    float *parameters;
    float *poses[LMB_MAX_POSES];
} crowd;

// On failure nothing is left. The rig must outlive it.
lmb_result crowd_create(const crowd_def *def, crowd *crowd, lmb_error *error);
// A zeroed one is fine.
void crowd_destroy(crowd *crowd);

// A batch of the crowd with these outputs.
lmb_batch crowd_batch(const crowd *crowd, uint32_t outputs);
// Draws one frame's parameters and pose buffers, a function of seed, program and frame.
void crowd_draw(crowd *crowd, uint32_t frame);
// Where they are.
lmb_batch_inputs crowd_inputs(const crowd *crowd);

#endif
