// The parts of a pack, and their tables.
#ifndef LIMBER_SRC_PACK_RECORDS_H
#define LIMBER_SRC_PACK_RECORDS_H

#include "base/record.h"

#include <limber/pack.h>

// A clip's block.
typedef struct lmb_pack_block {
    const uint32_t *words;
    uint32_t word_count;
} lmb_pack_block;

typedef struct lmb_pack_blocks {
    const lmb_pack_block *blocks;
    uint32_t count;
} lmb_pack_blocks;

typedef struct lmb_pack_meshes {
    const lmb_mesh *meshes;
    uint32_t count;
} lmb_pack_meshes;

typedef struct lmb_pack_images {
    const lmb_image *images;
    uint32_t count;
} lmb_pack_images;

typedef struct lmb_pack_graphs {
    const lmb_pack_graph *graphs;
    uint32_t count;
} lmb_pack_graphs;

extern const lmb_fields lmb_block_fields, lmb_blocks_fields, lmb_meshes_fields, lmb_image_fields, lmb_images_fields;
extern const lmb_fields lmb_named_graph_fields, lmb_graphs_fields;

// The structs are lmb_rig_def, lmb_pack_blocks, lmb_pack_meshes, lmb_pack_images and lmb_pack_graphs.
extern const lmb_fields *const lmb_pack_parts[LMB_PACK_PART_COUNT];

#endif
