// Random programs that use all operations. Every program drawn is valid.
#ifndef LIMBER_SRC_TOOLS_RANDOM_PROGRAM_H
#define LIMBER_SRC_TOOLS_RANDOM_PROGRAM_H

#include "random.h"
#include "random_curves.h"

#include <limber/graph.h>

#define RANDOM_PROGRAM_NODES 64u // of a tree
#define RANDOM_PROGRAM_MOST_NODES 160u
#define RANDOM_PROGRAM_STACK 8u // poses held at once
// Feet have at most eight parameters, but only a few nodes are feet; a chain of ik has five, a clip four, other
// operations one and one for each input; one more is for the level of detail.
#define RANDOM_PROGRAM_PARAMETERS (6u * RANDOM_PROGRAM_MOST_NODES + 1u)
#define RANDOM_PROGRAM_MASKS 3u
#define RANDOM_PROGRAM_MIRRORS 3u
#define RANDOM_PROGRAM_LIMITS 2u
#define RANDOM_PROGRAM_JOINT_MAPS 3u
#define RANDOM_PROGRAM_RETARGETS 2u
#define RANDOM_PROGRAM_STATIC_POSES 2u
#define RANDOM_PROGRAM_POSES 2u
#define RANDOM_PROGRAM_POINTS 3u
#define RANDOM_PROGRAM_COLLIDERS 32u

// The purpose of a program's parameter.
typedef enum parameter_kind {
    PARAMETER_CLIP,
    PARAMETER_TIME,
    PARAMETER_WEIGHT, // of a blend, masked, additive
    PARAMETER_SHARE,  // of one input of a weighted operation
    PARAMETER_RATE,
    PARAMETER_LEVEL,
    PARAMETER_RANGE // anything in the parameter's range
} parameter_kind;

typedef struct random_program {
    lmb_node_def nodes[RANDOM_PROGRAM_MOST_NODES]; // the last is the result
    uint32_t node_count;
    parameter_kind parameters[RANDOM_PROGRAM_PARAMETERS];
    uint32_t parameter_count;
    lmb_collider_def colliders[RANDOM_PROGRAM_COLLIDERS]; // of chains
    uint32_t collider_count;
    uint32_t reached_count; // nodes that report whether they reach their targets
    random_curves curves;
} random_program;

// Draws a tree of at most `most_nodes` nodes, 1 to #RANDOM_PROGRAM_NODES. Clips are drawn from `clip_count`, which may
// be 0.
void random_program_grow(random_program *program, random_source *random, const lmb_rig *rig, uint32_t clip_count,
                         uint32_t most_nodes);
// Draws a program with every operation that the rig allows, except the blend of matrices, which can only end a program.
// One sum and one space have as many inputs as possible.
void random_program_hold_all(random_program *program, random_source *random, const lmb_rig *rig, uint32_t clip_count);

#endif
