// One fixed batch that uses every operation, every interpolation and every kind of refusal, made from integers alone, so
// that it is the same whatever the floating-point environment. The golden hashes are of its outputs.
#ifndef LIMBER_TESTS_SCENARIO_H
#define LIMBER_TESTS_SCENARIO_H

#include <limber/cpu.h>

enum { SCENARIO_CHARACTERS = 203, SCENARIO_FRAMES = 3 };

typedef struct scenario {
    lmb_rig *rig;
    lmb_clip *clips[3];
    lmb_program *program;
    lmb_batch batch; // every stage is an output
    float *parameters[SCENARIO_FRAMES];
    float *pose; // the program's pose buffer, the same in every frame
    size_t pose_floats;
} scenario;

// On failure, destroy what there is.
lmb_result scenario_create(scenario *scenario, lmb_error *error);
void scenario_destroy(scenario *scenario);

// Memory for all outputs of a frame, counters included; NULL pointers where there is none.
lmb_batch_outputs scenario_outputs_create(const scenario *scenario);
void scenario_outputs_destroy(lmb_batch_outputs *outputs);

// FNV-1a over the bits of every stage and the counters, continued from `hash` (0 to start).
uint64_t scenario_hash(const scenario *scenario, const lmb_batch_outputs *outputs, uint64_t hash);

// The hash that all frames together must have.
extern const uint64_t scenario_golden;

#endif
