// The tables of a pack's parts. Those of all descriptors are in base/fields.c.
#include "records.h"

#include "base/field_rows.h"

#define DEF lmb_pack_block
static const lmb_field block_rows[] = {PLAIN_LIST(words, word_count)};
TABLE(block);
#undef DEF

#define DEF lmb_pack_blocks
static const lmb_field blocks_rows[] = {LIST(blocks, count, block)};
TABLE(blocks);
#undef DEF

#define DEF lmb_pack_meshes
static const lmb_field meshes_rows[] = {LIST(meshes, count, mesh)};
TABLE(meshes);
#undef DEF

#define DEF lmb_image
static const lmb_field image_rows[] = {EMPTY_TEXT(name), PLAIN_LIST(bytes, size)};
TABLE(image);
#undef DEF

#define DEF lmb_pack_images
static const lmb_field images_rows[] = {LIST(images, count, image)};
TABLE(images);
#undef DEF

#define DEF lmb_pack_graph
static const lmb_field named_graph_rows[] = {TEXT(name), LIST_OF(LMB_LENGTH_ONE, def, graph_def)};
TABLE(named_graph);
#undef DEF

#define DEF lmb_pack_graphs
static const lmb_field graphs_rows[] = {LIST(graphs, count, named_graph)};
TABLE(graphs);
#undef DEF

const lmb_fields *const lmb_pack_parts[LMB_PACK_PART_COUNT] = {
    [LMB_PACK_RIG] = &lmb_rig_fields,       [LMB_PACK_CLIPS] = &lmb_blocks_fields,
    [LMB_PACK_MESHES] = &lmb_meshes_fields, [LMB_PACK_IMAGES] = &lmb_images_fields,
    [LMB_PACK_GRAPHS] = &lmb_graphs_fields,
};
