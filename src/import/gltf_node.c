// Reads the nodes, orders them with parents before children, and finds those in the scene.
#include "gltf.h"

#include <inttypes.h>
#include <string.h>

static bool is_zero(const float rotation[4]) {
    return rotation[0] == 0 && rotation[1] == 0 && rotation[2] == 0 && rotation[3] == 0;
}

static bool read_rest(lmb_gltf *gltf, const lmb_gltf_object *object, lmb_gltf_node *node) {
    float matrix[16];
    bool has_matrix;
    bool has[3];
    lmb_transform *rest = &node->rest;
    *rest = lmb_transform_identity();
    if (!lmb_gltf_read_floats(gltf, object, "matrix", 16, matrix, &has_matrix) ||
        !lmb_gltf_read_floats(gltf, object, "translation", 3, rest->translation, &has[0]) ||
        !lmb_gltf_read_floats(gltf, object, "rotation", 4, rest->rotation, &has[1]) ||
        !lmb_gltf_read_floats(gltf, object, "scale", 3, rest->scale, &has[2])) {
        return false;
    }
    if (is_zero(rest->rotation)) {
        return lmb_gltf_fail(gltf, object, "rotation", "is zero (node '%.100s')", node->name);
    }
    if (!has_matrix) {
        return true;
    }
    if (has[0] || has[1] || has[2]) {
        return lmb_gltf_fail(gltf, object, "matrix", "is beside translation, rotation or scale (node '%.100s')",
                             node->name);
    }
    const char *reason = lmb_gltf_decompose(matrix, rest);
    return reason == NULL || lmb_importer_fail(gltf->importer, LMB_ERROR_UNSUPPORTED, "%s.matrix of node '%.100s': %s",
                                               object->place.text, node->name, reason);
}

static bool read_children(lmb_gltf *gltf, const lmb_gltf_object *object, uint32_t index) {
    lmb_pool *scratch = &gltf->importer->scratch;
    lmb_gltf_list list;
    if (!lmb_gltf_read_list(gltf, scratch, object, "children", LMB_JSON_NUMBER, &list)) {
        return false;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t child = 0;
        if (!lmb_gltf_check_index(gltf, object, "children", list.values[i], gltf->node_count, "nodes", &child)) {
            return false;
        }
        uint32_t *parent = &gltf->nodes[child].parent;
        if (*parent != LMB_NONE) {
            return lmb_gltf_fail(gltf, object, "children",
                                 "nodes[%" PRIu32 "] has two parents, or one twice: nodes[%" PRIu32
                                 "] and nodes[%" PRIu32 "]",
                                 child, *parent, index);
        }
        *parent = index;
    }
    lmb_pool_release(scratch, (void *)list.values);
    return true;
}

static bool read_node(lmb_gltf *gltf, const lmb_gltf_object *object, uint32_t index, uint32_t skin_count) {
    lmb_gltf_node *node = &gltf->nodes[index];
    node->object = object->value;
    return lmb_gltf_read_name(gltf, object, "node", index, &node->name) &&
           lmb_gltf_read_index(gltf, object, "mesh", gltf->meshes.count, "meshes", &node->mesh) &&
           lmb_gltf_read_index(gltf, object, "skin", skin_count, "skins", &node->skin) &&
           read_rest(gltf, object, node) && read_children(gltf, object, index);
}

// Walks up from each node to a node that is listed already, then lists the nodes of that path from the top down. Fails
// if a node is its own ancestor.
static bool order_nodes(lmb_gltf *gltf) {
    enum { NEW, ON_THE_WAY, PLACED };
    lmb_importer *importer = gltf->importer;
    uint32_t count = gltf->node_count;
    uint32_t *way = lmb_importer_allocate(importer, &importer->scratch, count, sizeof(uint32_t));
    uint8_t *states = way == NULL ? NULL : lmb_importer_allocate(importer, &importer->scratch, count, 1);
    gltf->node_order =
        states == NULL ? NULL : lmb_importer_allocate(importer, &importer->scratch, count, sizeof(uint32_t));
    if (gltf->node_order == NULL) {
        return false;
    }
    uint32_t placed = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = 0;
        uint32_t node = i;
        while (node != LMB_NONE && states[node] == NEW) {
            states[node] = ON_THE_WAY;
            way[length++] = node;
            node = gltf->nodes[node].parent;
        }
        if (node != LMB_NONE && states[node] == ON_THE_WAY) {
            return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "nodes[%" PRIu32 "] ('%.100s') is its own ancestor",
                                     node, gltf->nodes[node].name);
        }
        while (length > 0) {
            node = way[--length];
            states[node] = PLACED;
            gltf->node_order[placed++] = node;
        }
    }
    return true;
}

static bool read_scene(lmb_gltf *gltf, const lmb_gltf_object *object, bool shown) {
    lmb_pool *scratch = &gltf->importer->scratch;
    lmb_gltf_list list;
    if (!lmb_gltf_read_list(gltf, scratch, object, "nodes", LMB_JSON_NUMBER, &list)) {
        return false;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t root = 0;
        if (!lmb_gltf_check_index(gltf, object, "nodes", list.values[i], gltf->node_count, "nodes", &root)) {
            return false;
        }
        if (gltf->nodes[root].parent != LMB_NONE) {
            return lmb_gltf_fail(gltf, object, "nodes", "nodes[%" PRIu32 "] has a parent, so it is no root", root);
        }
        gltf->nodes[root].in_scene |= shown;
    }
    lmb_pool_release(scratch, (void *)list.values);
    return true;
}

// The scene is the one the file chooses, else its first. If the file has no scenes, all nodes are in it.
static bool read_scenes(lmb_gltf *gltf) {
    uint32_t shown = 0;
    if (!lmb_gltf_read_index(gltf, &gltf->root, "scene", gltf->scenes.count, "scenes", &shown)) {
        return false;
    }
    for (uint32_t i = 0; i < gltf->scenes.count; i++) {
        lmb_gltf_object object = lmb_gltf_item(&gltf->scenes, i);
        if (!read_scene(gltf, &object, i == shown)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        lmb_gltf_node *node = &gltf->nodes[gltf->node_order[i]];
        node->in_scene |= gltf->scenes.count == 0;
        node->in_scene |= node->parent != LMB_NONE && gltf->nodes[node->parent].in_scene;
    }
    return true;
}

bool lmb_gltf_read_nodes(lmb_gltf *gltf) {
    lmb_importer *importer = gltf->importer;
    lmb_gltf_list list;
    lmb_gltf_list skins;
    if (!lmb_gltf_read_list(gltf, &importer->scratch, &gltf->root, "nodes", LMB_JSON_OBJECT, &list) ||
        !lmb_gltf_read_list(gltf, &importer->scratch, &gltf->root, "skins", LMB_JSON_OBJECT, &skins)) {
        return false;
    }
    gltf->node_count = list.count;
    gltf->nodes = lmb_importer_allocate(importer, &importer->scratch, list.count, sizeof(lmb_gltf_node));
    if (gltf->nodes == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        gltf->nodes[i] = (lmb_gltf_node){
            .parent = LMB_NONE, .mesh = LMB_NONE, .skin = LMB_NONE, .joint = LMB_NONE, .anchor = LMB_NONE};
    }
    for (uint32_t i = 0; i < list.count; i++) {
        lmb_gltf_object object = lmb_gltf_item(&list, i);
        if (!read_node(gltf, &object, i, skins.count)) {
            return false;
        }
    }
    return order_nodes(gltf) && read_scenes(gltf);
}
