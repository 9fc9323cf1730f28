// Morph targets: reads the weights of a node's mesh as float channels.
#include "gltf.h"

#include <inttypes.h>

// Returns a member of that type, or LMB_NONE. It reports nothing, because `extras` may contain anything.
static uint32_t find_member(const lmb_gltf *gltf, uint32_t object, const char *key, lmb_json_type type) {
    bool twice;
    if (object == LMB_NONE || gltf->json.values[object].type != LMB_JSON_OBJECT) {
        return LMB_NONE;
    }
    uint32_t value = lmb_json_member(&gltf->json, object, key, &twice);
    return value != LMB_NONE && gltf->json.values[value].type == type ? value : LMB_NONE;
}

static uint32_t count_targets(const lmb_gltf *gltf, uint32_t mesh) {
    uint32_t primitives = find_member(gltf, mesh, "primitives", LMB_JSON_ARRAY);
    if (primitives == LMB_NONE || gltf->json.values[primitives].count == 0) {
        return 0;
    }
    uint32_t targets = find_member(gltf, primitives + 1, "targets", LMB_JSON_ARRAY);
    return targets == LMB_NONE ? 0 : gltf->json.values[targets].count;
}

// Returns the value of the first target name of a mesh, or LMB_NONE. Exporters write the names to `extras.targetNames`.
static uint32_t find_names(const lmb_gltf *gltf, uint32_t mesh, uint32_t count) {
    uint32_t extras = find_member(gltf, mesh, "extras", LMB_JSON_OBJECT);
    uint32_t names = find_member(gltf, extras, "targetNames", LMB_JSON_ARRAY);
    return names != LMB_NONE && gltf->json.values[names].count == count ? names + 1 : LMB_NONE;
}

// Names a channel after its target, or after the node and the target's index if the target has no name.
static bool name_channel(lmb_gltf *gltf, const lmb_gltf_node *node, uint32_t target, uint32_t name,
                         lmb_channel_def *channel) {
    lmb_importer *importer = gltf->importer;
    char *text = NULL;
    if (name != LMB_NONE && gltf->json.values[name].type == LMB_JSON_STRING) {
        text = lmb_importer_allocate(importer, &importer->scratch, lmb_json_string_room(&gltf->json, name), 1);
        if (text == NULL) {
            return false;
        }
        lmb_json_string(&gltf->json, name, text);
    }
    if (text == NULL || text[0] == '\0') {
        lmb_gltf_place made = lmb_gltf_place_of("%.90s_%" PRIu32, node->name, target);
        text = lmb_importer_copy_text(importer, &importer->scratch, made.text);
    }
    channel->name = text;
    return text != NULL;
}

static bool read_rests(lmb_gltf *gltf, const lmb_gltf_node *node, const lmb_gltf_object *mesh, uint32_t count,
                       lmb_channel_def *channels) {
    lmb_importer *importer = gltf->importer;
    float *weights = lmb_importer_allocate(importer, &importer->scratch, count, sizeof *weights);
    const lmb_gltf_object object = {.value = node->object,
                                    .place = lmb_gltf_place_of("nodes[%td]", node - gltf->nodes)};
    bool present = false;
    if (weights == NULL || !lmb_gltf_read_floats(gltf, &object, "weights", count, weights, &present) ||
        (!present && !lmb_gltf_read_floats(gltf, mesh, "weights", count, weights, &present))) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        channels[i].rest = weights[i];
    }
    lmb_pool_release(&importer->scratch, weights);
    return true;
}

static bool read_node(lmb_gltf *gltf, lmb_gltf_node *node, uint32_t name) {
    const lmb_gltf_object mesh = lmb_gltf_item(&gltf->meshes, node->mesh);
    lmb_channel_def *channels = gltf->channels + node->first_channel;
    for (uint32_t i = 0; i < node->channel_count; i++) {
        if (!name_channel(gltf, node, i, name, &channels[i])) {
            return false;
        }
        name = name == LMB_NONE ? LMB_NONE : gltf->json.values[name].next;
    }
    return read_rests(gltf, node, &mesh, node->channel_count, channels);
}

// The morph targets of a mesh, found once because many nodes may use it.
typedef struct targets {
    uint32_t count;
    uint32_t names; // the value of the first name, or LMB_NONE
} targets;

static targets *list_targets(lmb_gltf *gltf) {
    lmb_importer *importer = gltf->importer;
    targets *list = lmb_importer_allocate(importer, &importer->scratch, gltf->meshes.count, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < gltf->meshes.count; i++) {
        uint32_t mesh = gltf->meshes.values[i];
        list[i].count = count_targets(gltf, mesh);
        list[i].names = find_names(gltf, mesh, list[i].count);
    }
    return list;
}

static bool count_channels(lmb_gltf *gltf, const targets *of_mesh, uint32_t *result) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        lmb_gltf_node *node = &gltf->nodes[i];
        if (node->mesh != LMB_NONE && node->in_scene) {
            node->first_channel = (uint32_t)count;
            node->channel_count = of_mesh[node->mesh].count;
            count += node->channel_count;
        }
        if (count > LMB_MAX_CHANNELS) {
            return lmb_importer_fail(gltf->importer, LMB_ERROR_LIMIT, "nodes: more than %u weights of morph targets",
                                     LMB_MAX_CHANNELS);
        }
    }
    *result = (uint32_t)count;
    return true;
}

bool lmb_gltf_read_morphs(lmb_gltf *gltf) {
    lmb_importer *importer = gltf->importer;
    targets *of_mesh = list_targets(gltf);
    uint32_t count = 0;
    if (of_mesh == NULL || !count_channels(gltf, of_mesh, &count)) {
        return false;
    }
    gltf->channel_count = count;
    gltf->channels = lmb_importer_allocate(importer, &importer->scratch, count, sizeof *gltf->channels);
    gltf->channel_of = lmb_importer_allocate(importer, &importer->scratch, count, sizeof *gltf->channel_of);
    bool read = gltf->channels != NULL && gltf->channel_of != NULL;
    for (uint32_t i = 0; i < count && read; i++) {
        gltf->channel_of[i] = i;
    }
    for (uint32_t i = 0; i < gltf->node_count && read; i++) {
        lmb_gltf_node *node = &gltf->nodes[i];
        read = node->channel_count == 0 || read_node(gltf, node, of_mesh[node->mesh].names);
    }
    lmb_pool_release(&importer->scratch, of_mesh);
    return read;
}

bool lmb_gltf_match_channels(lmb_gltf *gltf) {
    lmb_importer *importer = gltf->importer;
    const lmb_rig *rig = importer->import->rig;
    uint32_t count = lmb_rig_channel_count(rig);
    lmb_name *names = lmb_importer_allocate(importer, &importer->scratch, count, sizeof *names);
    bool *taken = lmb_importer_allocate(importer, &importer->scratch, count, sizeof *taken);
    if (names == NULL || taken == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        names[i] = (lmb_name){lmb_rig_channel_name(rig, i), i};
    }
    lmb_names_sort(names, count);
    for (uint32_t i = 0; i < gltf->channel_count; i++) {
        uint32_t found = lmb_names_find(names, count, gltf->channels[i].name);
        bool is_free = found != LMB_NONE && !taken[found];
        gltf->channel_of[i] = is_free ? found : LMB_NONE;
        if (is_free) {
            taken[found] = true;
        }
    }
    lmb_pool_release(&importer->scratch, names);
    lmb_pool_release(&importer->scratch, taken);
    return true;
}
