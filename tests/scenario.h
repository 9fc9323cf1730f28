// One fixed batch that uses every operation, every interpolation and every kind of refusal, made from integers alone, so
// that it is the same whatever the floating-point environment. The golden hashes are of its outputs.
#ifndef LIMBER_TESTS_SCENARIO_H
#define LIMBER_TESTS_SCENARIO_H

#include <limber/cpu.h>

enum { SCENARIO_CHARACTERS = 203, SCENARIO_FRAMES = 3 };

typedef struct scenario {
    lmb_rig *rig;
    lmb_clip *clips[3];
    lmb_graph *program;
    lmb_batch batch; // every stage is an output; each frame's previous palette is the palette of the frame before
    float *parameters[SCENARIO_FRAMES];
    float *pose; // the program's pose buffer, the same in every frame
    size_t pose_floats;
} scenario;

// On failure, destroy what there is.
lmb_result scenario_create(scenario *scenario, lmb_error *error);
void scenario_destroy(scenario *scenario);

// Of a frame that is written to where the frame before was: its palette is then the previous one. Zeroes the counters.
lmb_batch_inputs scenario_inputs(const scenario *scenario, int frame, lmb_batch_outputs *outputs);

// Memory for all outputs of a frame, counters included; NULL pointers where there is none.
lmb_batch_outputs scenario_outputs_create(const scenario *scenario);
void scenario_outputs_destroy(lmb_batch_outputs *outputs);

// FNV-1a over the bits of a frame's local transforms, model matrices, palettes and counters, and over those of what else a
// renderer may ask for; continued from those of the frame before (0 to start).
typedef struct scenario_hashes {
    uint64_t poses;
    uint64_t outputs;
} scenario_hashes;

scenario_hashes scenario_hash(const scenario *scenario, const lmb_batch_outputs *outputs, scenario_hashes hashes);

// What all frames together must have.
extern const scenario_hashes scenario_golden;
bool scenario_is_golden(scenario_hashes hashes);

#endif
