// Internal view of a mesh, for the CPU and GPU sides.
#ifndef LIMBER_SRC_SKIN_SKIN_H
#define LIMBER_SRC_SKIN_SKIN_H

#include "base/float_environment.h"
#include "base/host.h"

#include <limber/skin.h>

struct lmb_skin {
    lmb_host host;
    char *name;
    lmb_skin_info info;
    uint32_t *block; // shaders/ops/skin.h
};

// One character of a run on the CPU. All pointers are those of the character.
typedef struct lmb_skin_job {
    const uint32_t *block;
    const lmb_skin_layout *layout;
    const float *palette;
    const float *previous_palette; // or NULL
    const float *channels;         // or NULL
    const float *previous_channels;
    char *streams[LMB_SKIN_OUTPUT_COUNT];
    uint32_t strides[LMB_SKIN_OUTPUT_COUNT]; // bytes
    uint32_t *refused;
} lmb_skin_job;

// Returns the floats of a joint in the palette of a method.
uint32_t lmb_skin_joint_floats(lmb_skin_method method);
// Whether a run writes anything that follows from the current palette.
bool lmb_skin_needs_current(const lmb_skin_layout *layout);

// Skins all vertices of a job. The caller checks everything and sets the float environment. One function for each
// number of lanes; the one for 1 is the reference.
typedef void lmb_skin_function(const lmb_skin_job *job);
LMB_NOINLINE lmb_skin_function lmb_skin_simd_1_run;
LMB_NOINLINE lmb_skin_function lmb_skin_simd_4_run;
LMB_NOINLINE lmb_skin_function lmb_skin_simd_8_run;
LMB_NOINLINE lmb_skin_function lmb_skin_simd_16_run;

#endif
