// Tables for the mirror operation; their layout is in shaders/ops/mirror.h.
#ifndef LIMBER_SRC_RIG_MIRROR_H
#define LIMBER_SRC_RIG_MIRROR_H

#include <limber/mirror.h>

// Returns the words of a table.
uint32_t lmb_mirror_words(const lmb_rig *rig);

// Checks whether a definition fits the rig. Error messages call it mirror `index` of the graph.
lmb_result lmb_mirror_check(const lmb_rig *rig, const lmb_mirror_def *mirror, uint32_t index, lmb_error *error);

// Writes the table of a definition that fits. `turns` is scratch memory for one rotation per joint.
void lmb_mirror_write(const lmb_rig *rig, const lmb_mirror_def *mirror, double (*turns)[4], uint32_t *table);

#endif
