// Levels of detail as a graph's block has them.
#ifndef LIMBER_SRC_LOD_H
#define LIMBER_SRC_LOD_H

#include <limber/lod.h>

// Words of the table in a graph's block.
uint32_t lmb_lod_words(const lmb_rig *rig);

// Writes it, from a table that is checked. `weight` is the index of the weight that has the level.
void lmb_lod_write(const lmb_rig *rig, const uint8_t *max_lods, uint32_t weight, uint32_t *table);

#endif
