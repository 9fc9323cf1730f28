// A crowd with the graph of a game's character: states of which some are blend spaces, a layer for the upper body and
// two additives. Each character is in a state or two of its own, and half of them have a layer or an additive.
#ifndef LIMBER_BENCH_GAME_H
#define LIMBER_BENCH_GAME_H

#include "workload.h"

// Creates the clips and the graph of the workload, whose kind and actor are set.
lmb_result game_create(workload *workload, lmb_error *error);
void game_fill(const workload *workload, uint32_t characters, uint32_t frame, float *parameters);

// For another library: the clips that a character plays, which have a weight above 0.
enum { GAME_USES = 10 /* at most */, GAME_ADDITIVES = 2 };
typedef enum game_layer {
    GAME_BODY,    // weights sum to 1
    GAME_UPPER,   // by the actor's `upper_body` over the body; their weights are 0, or sum to 1
    GAME_ADDITIVE // what the clip adds to the rest pose
} game_layer;
typedef struct game_use {
    game_layer layer;
    uint32_t clip;
    float time; // seconds
    float weight;
} game_use;
extern const uint32_t game_additives[GAME_ADDITIVES]; // the clips of GAME_ADDITIVE
// Returns their number.
uint32_t game_find_uses(const workload *workload, uint32_t character, uint32_t frame, game_use found[GAME_USES]);

#endif
