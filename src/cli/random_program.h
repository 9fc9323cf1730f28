// Random programs over every operation, valid whatever they were drawn from.
#ifndef LIMBER_SRC_CLI_RANDOM_PROGRAM_H
#define LIMBER_SRC_CLI_RANDOM_PROGRAM_H

#include "random.h"

#include <limber/graph.h>

#define RANDOM_PROGRAM_NODES 64u // of a tree
#define RANDOM_PROGRAM_MOST_NODES 160u
#define RANDOM_PROGRAM_STACK 8u // poses held at once
// A clip has at most four, other operations one, and one for each input; and one is for the level.
#define RANDOM_PROGRAM_PARAMETERS (6u * RANDOM_PROGRAM_MOST_NODES + 1u)
#define RANDOM_PROGRAM_MASKS 3u
#define RANDOM_PROGRAM_MIRRORS 3u
#define RANDOM_PROGRAM_LIMITS 2u
#define RANDOM_PROGRAM_PARTS 3u
#define RANDOM_PROGRAM_STATIC_POSES 2u
#define RANDOM_PROGRAM_POSES 2u

// What a parameter of a program is for.
typedef enum parameter_kind {
    PARAMETER_CLIP,
    PARAMETER_TIME,
    PARAMETER_WEIGHT, // of a blend, masked, additive
    PARAMETER_SHARE,  // of one input of a weighted operation
    PARAMETER_RATE,
    PARAMETER_LEVEL,
    PARAMETER_RANGE // anything in its range
} parameter_kind;

typedef struct random_program {
    lmb_node_def nodes[RANDOM_PROGRAM_MOST_NODES]; // the last is the result
    uint32_t node_count;
    parameter_kind parameters[RANDOM_PROGRAM_PARAMETERS];
    uint32_t parameter_count;
} random_program;

// A tree of at most so many nodes, 1 to #RANDOM_PROGRAM_NODES. Clips are drawn from so many, or there are none.
void random_program_grow(random_program *program, random_source *random, uint32_t clip_count, uint32_t most_nodes);
// Every operation but the blend of matrices, which only ends a program; a sum and a space with as many inputs as they may
// have.
void random_program_hold_all(random_program *program, random_source *random, uint32_t clip_count);

#endif
