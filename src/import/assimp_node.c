// Lists the nodes of an Assimp scene in the tables of a glTF document.
#include "assimp_scene.h"

#include <inttypes.h>

// The root of an FBX or Collada file is the scene itself; its matrix belongs to the space. The root of a BVH file is a
// joint. A root without children is kept, so that the scene has a node.
static bool drops_root(const lmb_assimp *assimp) {
    return assimp->format != LMB_FORMAT_BVH && assimp->scene->mRootNode->mNumChildren > 0;
}

typedef struct pending {
    const struct aiNode *node;
    uint32_t parent;
} pending;

static bool push(lmb_importer *importer, pending **stack, size_t *count, size_t *capacity, pending entry) {
    pending *grown = lmb_importer_grow(importer, &importer->scratch, *stack, *count, capacity, sizeof(pending));
    if (grown == NULL) {
        return false;
    }
    *stack = grown;
    (*stack)[(*count)++] = entry;
    return true;
}

// Pushes children in reverse, so that the first child is taken first and nodes keep the file's order.
static bool push_children(lmb_importer *importer, const struct aiNode *node, uint32_t parent, pending **stack,
                          size_t *count, size_t *capacity) {
    for (unsigned i = node->mNumChildren; i-- > 0;) {
        if (!push(importer, stack, count, capacity, (pending){node->mChildren[i], parent})) {
            return false;
        }
    }
    return true;
}

static bool add_node(lmb_assimp *assimp, pending entry, size_t *capacity, size_t *source_capacity) {
    lmb_gltf *tables = &assimp->tables;
    lmb_importer *importer = tables->importer;
    if (tables->node_count > LMB_MAX_JOINTS) {
        return lmb_importer_fail(importer, LMB_ERROR_LIMIT, "more than %u nodes", LMB_MAX_JOINTS);
    }
    lmb_gltf_node *nodes = lmb_importer_grow(importer, &importer->scratch, tables->nodes, tables->node_count, capacity,
                                             sizeof(lmb_gltf_node));
    if (nodes == NULL) {
        return false;
    }
    tables->nodes = nodes;
    const struct aiNode **sources = lmb_importer_grow(importer, &importer->scratch, (void *)assimp->sources,
                                                      tables->node_count, source_capacity, sizeof(struct aiNode *));
    if (sources == NULL) {
        return false;
    }
    assimp->sources = sources;
    sources[tables->node_count] = entry.node;
    nodes[tables->node_count++] = (lmb_gltf_node){.name = entry.node->mName.data,
                                                  .parent = entry.parent,
                                                  .mesh = LMB_NONE,
                                                  .skin = LMB_NONE,
                                                  .rest = lmb_transform_identity(),
                                                  .in_scene = true,
                                                  .joint = LMB_NONE,
                                                  .anchor = LMB_NONE};
    return true;
}

// Does not recurse, because the file decides how deep its nodes are nested.
static bool list_nodes(lmb_assimp *assimp) {
    lmb_importer *importer = assimp->tables.importer;
    const struct aiNode *root = assimp->scene->mRootNode;
    pending *stack = NULL;
    size_t count = 0;
    size_t capacity = 0;
    size_t node_capacity = 0;
    size_t source_capacity = 0;
    bool success = drops_root(assimp) ? push_children(importer, root, LMB_NONE, &stack, &count, &capacity)
                                      : push(importer, &stack, &count, &capacity, (pending){root, LMB_NONE});
    while (success && count > 0) {
        pending entry = stack[--count];
        uint32_t index = assimp->tables.node_count;
        success = add_node(assimp, entry, &node_capacity, &source_capacity) &&
                  push_children(importer, entry.node, index, &stack, &count, &capacity);
    }
    lmb_pool_release(&importer->scratch, stack);
    return success;
}

// Nodes are listed with parents before children already, so their order is that of the list.
static bool order_and_name(lmb_assimp *assimp) {
    lmb_gltf *tables = &assimp->tables;
    lmb_importer *importer = tables->importer;
    tables->node_order = lmb_importer_allocate(importer, &importer->scratch, tables->node_count, sizeof(uint32_t));
    assimp->node_names = tables->node_order == NULL ? NULL
                                                    : lmb_importer_allocate(importer, &importer->scratch,
                                                                            tables->node_count, sizeof(lmb_name));
    if (assimp->node_names == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < tables->node_count; i++) {
        tables->node_order[i] = i;
        assimp->node_names[i] = (lmb_name){.text = tables->nodes[i].name, .index = i};
    }
    lmb_names_sort(assimp->node_names, tables->node_count);
    return true;
}

bool lmb_assimp_read_nodes(lmb_assimp *assimp) {
    return list_nodes(assimp) && order_and_name(assimp);
}

bool lmb_assimp_read_rest(lmb_assimp *assimp, uint32_t index) {
    lmb_gltf_node *node = &assimp->tables.nodes[index];
    float matrix[16];
    lmb_assimp_column_major(&assimp->sources[index]->mTransformation, matrix);
    const char *reason = lmb_gltf_decompose(matrix, &node->rest);
    if (reason != NULL) {
        return lmb_importer_fail(assimp->tables.importer, LMB_ERROR_UNSUPPORTED, "the matrix of node '%.100s': %s",
                                 node->name, reason);
    }
    node->rest = lmb_assimp_place(&assimp->space, node->rest, node->parent == LMB_NONE);
    return true;
}
