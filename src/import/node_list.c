// Lists of nodes that readers of other formats than glTF build.
#include "gltf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool lmb_gltf_add_node(lmb_gltf *gltf, const char *name, uint32_t parent) {
    const lmb_gltf_node node = {.name = name,
                                .parent = parent,
                                .mesh = LMB_NONE,
                                .skin = LMB_NONE,
                                .rest = lmb_transform_identity(),
                                .in_scene = true,
                                .joint = LMB_NONE,
                                .anchor = LMB_NONE};
    return lmb_importer_append(gltf->importer, &gltf->importer->scratch, &gltf->nodes, &gltf->node_count, &node,
                               sizeof node);
}

bool lmb_gltf_order_as_listed(lmb_gltf *gltf) {
    gltf->node_order = lmb_importer_scratch(gltf->importer, gltf->node_count, sizeof *gltf->node_order);
    for (uint32_t i = 0; gltf->node_order != NULL && i < gltf->node_count; i++) {
        gltf->node_order[i] = i;
    }
    return gltf->node_order != NULL;
}

void lmb_gltf_mark_around_bones(lmb_gltf *tables) {
    for (uint32_t s = 0; s < tables->skin_count; s++) {
        for (uint32_t i = 0; i < tables->skins[s].joint_count; i++) {
            tables->nodes[tables->skins[s].nodes[i]].in_rig = true;
        }
    }
    for (uint32_t i = 0; i < tables->node_count; i++) {
        lmb_gltf_node *node = &tables->nodes[i];
        node->in_rig |= node->parent != LMB_NONE && tables->nodes[node->parent].in_rig;
    }
    for (uint32_t i = tables->node_count; i-- > 0;) {
        const lmb_gltf_node *node = &tables->nodes[i];
        if (node->in_rig && node->parent != LMB_NONE) {
            tables->nodes[node->parent].in_rig = true;
        }
    }
}

// ---- Names ----

struct lmb_gltf_given {
    const char *name;
    uint32_t namesakes; // later names that were asked for as this one
};

static uint32_t find(const lmb_gltf_names *names, const char *name) {
    uint32_t found = lmb_index_first(&names->index, lmb_index_hash_text(name));
    while (found != LMB_NONE && strcmp(names->given[found].name, name) != 0) {
        found = lmb_index_next(&names->index, found);
    }
    return found;
}

static bool give(lmb_importer *importer, lmb_gltf_names *names, const char *name) {
    const struct lmb_gltf_given given = {.name = name};
    return lmb_importer_append(importer, &importer->scratch, &names->given, &names->count, &given, sizeof given) &&
           (lmb_index_add(&names->index, &importer->scratch, lmb_index_hash_text(name)) ||
            lmb_importer_fail_memory(importer));
}

const char *lmb_gltf_make_unique(lmb_importer *importer, lmb_gltf_names *names, const char *name) {
    const size_t size = strlen(name) + 12;
    char *unique = lmb_importer_scratch(importer, size, 1);
    if (unique == NULL) {
        return NULL;
    }
    memcpy(unique, name, strlen(name));
    const uint32_t first = find(names, name);
    if (first != LMB_NONE) {
        do {
            snprintf(unique, size, "%s_%" PRIu32, name, 1 + ++names->given[first].namesakes);
        } while (find(names, unique) != LMB_NONE);
        lmb_name_list_add(&names->renamed, unique);
    }
    return give(importer, names, unique) ? unique : NULL;
}
