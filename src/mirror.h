// Tables for the mirror operation; their layout is in shaders/ops/mirror.h.
#ifndef LIMBER_SRC_MIRROR_H
#define LIMBER_SRC_MIRROR_H

#include <limber/mirror.h>

// Words of a table.
uint32_t lmb_mirror_words(const lmb_rig *rig);

// Whether a definition fits the rig; messages call it mirror `index` of the graph.
lmb_result lmb_mirror_check(const lmb_rig *rig, const lmb_mirror_def *mirror, uint32_t index, lmb_error *error);

// Writes the table of a definition that fits. `turns` is scratch, one for each joint.
void lmb_mirror_write(const lmb_rig *rig, const lmb_mirror_def *mirror, double (*turns)[4], uint32_t *table);

#endif
