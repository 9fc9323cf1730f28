// The mesh that workloads skin: the mannequin's with 1,400 vertices, positions and normals.
#ifndef LIMBER_BENCH_SKINNING_H
#define LIMBER_BENCH_SKINNING_H

#include <limber/skin.h>

enum { SKINNING_TARGETS = 4 };

typedef struct skinning {
    lmb_skin *skin;
    lmb_skin_method method;
    bool morphs;
} skinning;

// The rig must have the mannequin's joints. The skinning must be destroyed in any case.
lmb_result skinning_create(const lmb_rig *rig, lmb_skin_method method, bool morphs, skinning *skinning,
                           lmb_error *error);
void skinning_destroy(skinning *skinning);

// Returns the layout of a run for the characters [first, first + count) of a crowd: positions and normals as floats.
lmb_skin_layout skinning_layout(const skinning *skinning, uint32_t characters, uint32_t first, uint32_t count);
// Returns the floats of positions and normals of a character, half of which are the positions.
size_t skinning_floats(const skinning *skinning);
// Writes the weights of the morph targets, SKINNING_TARGETS of them, for a character of a phase from 0 to 1.
void skinning_fill(float phase, float *channels);

#endif
