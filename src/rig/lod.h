// Levels of detail in a graph's block.
#ifndef LIMBER_SRC_RIG_LOD_H
#define LIMBER_SRC_RIG_LOD_H

#include <limber/lod.h>

// Returns the words of the table in a graph's block.
uint32_t lmb_lod_words(const lmb_rig *rig);

// Writes the table from checked max lods. `weight` is the index of the weight that holds the level.
void lmb_lod_write(const lmb_rig *rig, const uint8_t *max_lods, uint32_t weight, uint32_t *table);

#endif
