// Levels of detail: a character's level, and the joints that keep the rest pose at that level. Only for programs that
// have levels of detail.
#ifndef LMB_OPS_LOD_H
#define LMB_OPS_LOD_H

#include "records.h"

// The character's level of detail, an integer.
OP real lod_level(frame f) {
    return load_weight(f, LOAD(f.program, LOAD(f.program, PROGRAM_LOD) + LOD_WEIGHT));
}

// The number of joints that a level computes: the first ones of the order.
OP uint lod_count(memory program, uint level) {
    return LOAD(program, LOAD(program, PROGRAM_LOD) + LOD_COUNTS + level);
}

OP uint lod_joint(memory program, uint place) {
    return LOAD(program, LOAD(program, PROGRAM_LOD) + LOD_ORDER + place);
}

OP lane_mask joint_is_dropped(memory program, uint joint, real level) {
    uint max_lods = LOAD(program, PROGRAM_LOD) + LOD_ORDER + LOAD(program, PROGRAM_JOINTS);
    return load_byte(program, max_lods, joint) < level;
}

#endif
