// Builds the rig from nodes, morph targets and skins, or matches them with the rig of another file.
#include "gltf.h"

#include "math/quaternion.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// Max number in the last row of a matrix that rounding explains.
#define LARGEST_ROW 1e-4f

static bool is_zero(const float rotation[4]) {
    return rotation[0] == 0 && rotation[1] == 0 && rotation[2] == 0 && rotation[3] == 0;
}

static bool excuse_node(const lmb_gltf_object *object, const char *key, const lmb_gltf_node *node, lmb_gltf_flaw flaw) {
    lmb_gltf_object named = *object;
    named.place = lmb_gltf_place_of("%s.%s ('%.60s')", object->place.text, key, node->name);
    return lmb_gltf_excuse(&named, NULL, flaw);
}

// Divides a matrix by its last number. A last row that rounding has changed becomes 0 0 0 1.
static void normalise_matrix(float m[16]) {
    const float w = m[15];
    const bool is_scaled = w != 0 && w != 1;
    for (int i = 0; i < 16 && is_scaled; i++) {
        m[i] = i < 15 ? m[i] / w : 1.0f;
    }
    for (int column = 0; column < 3; column++) {
        m[column * 4 + 3] = fabsf(m[column * 4 + 3]) <= LARGEST_ROW ? 0.0f : m[column * 4 + 3];
    }
}

static bool read_matrix(const lmb_gltf_object *object, float matrix[16], lmb_gltf_node *node) {
    if (matrix[15] != 1.0f) {
        excuse_node(object, "matrix", node, LMB_GLTF_SCALED_MATRIX);
    }
    normalise_matrix(matrix);
    const lmb_affine identity = lmb_affine_identity();
    node->shear = identity;
    node->rest = lmb_transform_identity();
    const char *reason = lmb_gltf_decompose(matrix, &node->rest, &node->shear);
    if (reason != NULL) {
        return lmb_importer_fail(object->gltf->importer, LMB_ERROR_UNSUPPORTED, "%s.matrix of node '%.100s': %s",
                                 object->place.text, node->name, reason);
    }
    node->is_sheared = memcmp(&node->shear, &identity, sizeof identity) != 0;
    return !node->is_sheared || excuse_node(object, "matrix", node, LMB_GLTF_SHEARED_MATRIX);
}

static bool read_rest(const lmb_gltf_object *object, lmb_gltf_node *node) {
    float matrix[16];
    bool has_matrix;
    bool has[3];
    lmb_transform *rest = &node->rest;
    *rest = lmb_transform_identity();
    if (!lmb_gltf_read_floats(object, "matrix", 16, matrix, &has_matrix) ||
        !lmb_gltf_read_floats(object, "translation", 3, rest->translation, &has[0]) ||
        !lmb_gltf_read_floats(object, "rotation", 4, rest->rotation, &has[1]) ||
        !lmb_gltf_read_floats(object, "scale", 3, rest->scale, &has[2])) {
        return false;
    }
    if (is_zero(rest->rotation)) {
        rest->rotation[3] = 1;
        excuse_node(object, "rotation", node, LMB_GLTF_ZERO_ROTATION);
    }
    if (has_matrix && (has[0] || has[1] || has[2])) {
        excuse_node(object, "matrix", node, LMB_GLTF_MATRIX_AND_PARTS);
    }
    return !has_matrix || read_matrix(object, matrix, node);
}

static bool read_children(const lmb_gltf_object *object, uint32_t index) {
    uint32_t *children;
    uint32_t count;
    if (!lmb_gltf_read_indices(object, "children", object->gltf->node_count, "nodes", &children, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *parent = &object->gltf->nodes[children[i]].parent;
        if (*parent != LMB_NONE) {
            return lmb_gltf_fail(object, "children",
                                 "nodes[%" PRIu32 "] has two parents, or one twice: nodes[%" PRIu32
                                 "] and nodes[%" PRIu32 "]",
                                 children[i], *parent, index);
        }
        *parent = index;
    }
    return true;
}

static bool read_node(const lmb_gltf_object *object, uint32_t index) {
    lmb_gltf *gltf = object->gltf;
    lmb_gltf_node *node = &gltf->nodes[index];
    node->object = object->value;
    return lmb_gltf_read_name(object, "node", index, &node->name) &&
           lmb_gltf_read_index(object, "mesh", gltf->meshes.count, "meshes", &node->mesh) &&
           lmb_gltf_read_index(object, "skin", gltf->skin_list.count, "skins", &node->skin) &&
           read_rest(object, node) && read_children(object, index);
}

// Walks up from each node to a node that is listed already, then lists the nodes of that path from the top down. Fails
// if a node is its own ancestor.
static bool order_nodes(lmb_gltf *gltf) {
    enum { NEW, ON_THE_WAY, PLACED };
    lmb_importer *importer = gltf->importer;
    uint32_t count = gltf->node_count;
    uint32_t *way = lmb_importer_scratch(importer, count, sizeof *way);
    uint8_t *states = lmb_importer_scratch(importer, count, 1);
    gltf->node_order = lmb_importer_scratch(importer, count, sizeof *gltf->node_order);
    if (way == NULL || states == NULL || gltf->node_order == NULL) {
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

static bool read_scene(const lmb_gltf_object *object, bool is_shown) {
    lmb_gltf_node *nodes = object->gltf->nodes;
    uint32_t *roots;
    uint32_t count;
    if (!lmb_gltf_read_indices(object, "nodes", object->gltf->node_count, "nodes", &roots, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (nodes[roots[i]].parent != LMB_NONE) {
            return lmb_gltf_fail(object, "nodes", "nodes[%" PRIu32 "] has a parent, so it is no root", roots[i]);
        }
        nodes[roots[i]].in_scene |= is_shown;
    }
    return true;
}

// The scene is the one the file chooses, else its first. If the file has no scenes, all nodes are in it.
static bool read_scenes(lmb_gltf *gltf) {
    uint32_t shown = 0;
    if (!lmb_gltf_read_index(&gltf->root, "scene", gltf->scenes.count, "scenes", &shown)) {
        return false;
    }
    for (uint32_t i = 0; i < gltf->scenes.count; i++) {
        lmb_gltf_object object = lmb_gltf_item(&gltf->scenes, i);
        if (!read_scene(&object, i == shown)) {
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
    lmb_gltf_list list;
    gltf->nodes = lmb_gltf_read_table(gltf, "nodes", sizeof *gltf->nodes, &list);
    if (gltf->nodes == NULL) {
        return false;
    }
    gltf->node_count = list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        gltf->nodes[i] = (lmb_gltf_node){
            .parent = LMB_NONE, .mesh = LMB_NONE, .skin = LMB_NONE, .joint = LMB_NONE, .anchor = LMB_NONE};
    }
    return lmb_gltf_read_each(&list, read_node) && order_nodes(gltf) && read_scenes(gltf);
}

// ---- Morph targets ----

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
        size_t length;
        text = lmb_gltf_copy_string(gltf, name, &length);
        if (text == NULL) {
            return false;
        }
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
    float *weights = lmb_importer_scratch(importer, count, sizeof *weights);
    const lmb_gltf_object object = {
        .gltf = gltf, .value = node->object, .place = lmb_gltf_place_of("nodes[%td]", node - gltf->nodes)};
    bool present = false;
    if (weights == NULL || !lmb_gltf_read_floats(&object, "weights", count, weights, &present) ||
        (!present && !lmb_gltf_read_floats(mesh, "weights", count, weights, &present))) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        channels[i].rest = weights[i];
    }
    lmb_pool_release(&importer->scratch, weights);
    return true;
}

static bool read_channels(lmb_gltf *gltf, lmb_gltf_node *node, uint32_t name) {
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
    targets *list = lmb_importer_scratch(importer, gltf->meshes.count, sizeof *list);
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
    gltf->channels = lmb_importer_scratch(importer, count, sizeof *gltf->channels);
    gltf->channel_of = lmb_importer_scratch(importer, count, sizeof *gltf->channel_of);
    bool read = gltf->channels != NULL && gltf->channel_of != NULL;
    for (uint32_t i = 0; i < count && read; i++) {
        gltf->channel_of[i] = i;
    }
    for (uint32_t i = 0; i < gltf->node_count && read; i++) {
        lmb_gltf_node *node = &gltf->nodes[i];
        read = node->channel_count == 0 || read_channels(gltf, node, of_mesh[node->mesh].names);
    }
    lmb_pool_release(&importer->scratch, of_mesh);
    return read;
}

// ---- Skins ----

static bool read_joints(const lmb_gltf_object *object, uint32_t index, lmb_gltf_skin *skin) {
    lmb_gltf *gltf = object->gltf;
    if (!lmb_gltf_require(object, "joints") ||
        !lmb_gltf_read_indices(object, "joints", gltf->node_count, "nodes", &skin->nodes, &skin->joint_count)) {
        return false;
    }
    if (skin->joint_count == 0) {
        return lmb_gltf_fail(object, "joints", "there are none");
    }
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        uint32_t *last_skin = &gltf->nodes[skin->nodes[i]].last_skin;
        if (*last_skin == index + 1) {
            return lmb_gltf_fail(object, "joints", "nodes[%" PRIu32 "] occurs twice", skin->nodes[i]);
        }
        *last_skin = index + 1;
    }
    return true;
}

static bool set_inverse_bind(const lmb_gltf_object *object, uint32_t joint, const float matrix[16],
                             lmb_affine *inverse_bind) {
    const float last_row[4] = {0, 0, 0, 1};
    for (int column = 0; column < 4; column++) {
        if (!(fabsf(matrix[column * 4 + 3] - last_row[column]) <= 1e-4f)) {
            return lmb_gltf_fail(object, "inverseBindMatrices", "matrix %" PRIu32 " has a last row that is not 0 0 0 1",
                                 joint);
        }
        for (int row = 0; row < 3; row++) {
            inverse_bind->m[row][column] = matrix[column * 4 + row];
        }
    }
    return true;
}

static bool read_inverse_binds(const lmb_gltf_object *object, lmb_gltf_skin *skin) {
    lmb_gltf *gltf = object->gltf;
    lmb_importer *importer = gltf->importer;
    uint32_t index = LMB_NONE;
    skin->inverse_binds = lmb_importer_scratch(importer, skin->joint_count, sizeof(lmb_affine));
    if (skin->inverse_binds == NULL ||
        !lmb_gltf_read_index(object, "inverseBindMatrices", gltf->accessor_count, "accessors", &index)) {
        return false;
    }
    if (index == LMB_NONE) {
        for (uint32_t i = 0; i < skin->joint_count; i++) {
            skin->inverse_binds[i] = lmb_affine_identity();
        }
        return true;
    }
    const lmb_gltf_accessor *accessor = &gltf->accessors[index];
    if (accessor->shape != LMB_GLTF_MAT4 || accessor->component != LMB_GLTF_FLOAT ||
        accessor->count < skin->joint_count) {
        return lmb_gltf_fail(object, "inverseBindMatrices",
                             "accessor %" PRIu32 " does not hold %" PRIu32 " MAT4 of floats, one for each joint", index,
                             skin->joint_count);
    }
    float *matrices = lmb_gltf_decode_floats(gltf, &importer->scratch, index, skin->joint_count);
    for (uint32_t i = 0; matrices != NULL && i < skin->joint_count; i++) {
        if (!set_inverse_bind(object, i, matrices + (size_t)i * 16, &skin->inverse_binds[i])) {
            return false;
        }
    }
    lmb_pool_release(&importer->scratch, matrices);
    return matrices != NULL;
}

static bool read_skin(const lmb_gltf_object *object, uint32_t index) {
    lmb_gltf_skin *skin = &object->gltf->skins[index];
    uint32_t skeleton = LMB_NONE; // only checked: the joints contain all that is needed
    skin->to_model = lmb_affine_identity();
    return read_joints(object, index, skin) && read_inverse_binds(object, skin) &&
           lmb_gltf_read_index(object, "skeleton", object->gltf->node_count, "nodes", &skeleton);
}

bool lmb_gltf_read_skins(lmb_gltf *gltf) {
    gltf->skin_count = gltf->skin_list.count;
    gltf->skins = lmb_importer_scratch(gltf->importer, gltf->skin_count, sizeof *gltf->skins);
    if (gltf->skins == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < gltf->skin_count; i++) {
        gltf->skins[i].is_unused = true;
    }
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        const lmb_gltf_node *node = &gltf->nodes[i];
        if (node->mesh != LMB_NONE && node->skin != LMB_NONE && node->in_scene) {
            gltf->skins[node->skin].is_unused = false;
        }
    }
    return lmb_gltf_read_each(&gltf->skin_list, read_skin);
}

// ---- The rig ----

// Puts a node and its ancestors into the rig, up to one that is in it.
static void mark(lmb_gltf *gltf, uint32_t node, bool is_extra) {
    while (node != LMB_NONE && !gltf->nodes[node].in_rig) {
        gltf->nodes[node].in_rig = true;
        gltf->nodes[node].is_extra = is_extra;
        node = gltf->nodes[node].parent;
    }
}

// Adds the joints of all skins and all their ancestors to those marked already; all nodes if there is no skin.
static void mark_skeleton(lmb_gltf *gltf) {
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        gltf->nodes[i].in_rig |= gltf->skin_count == 0;
    }
    for (uint32_t s = 0; s < gltf->skin_count; s++) {
        for (uint32_t i = 0; i < gltf->skins[s].joint_count; i++) {
            mark(gltf, gltf->skins[s].nodes[i], false);
        }
    }
}

// Adds the nodes of the scene that move, and those whose mesh has no skin and so moves with them. In place of nodes
// below a sheared one it adds that one: no joint can have its shear, but meshes can.
static void mark_extras(lmb_gltf *gltf) {
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        const uint32_t index = gltf->node_order[i];
        lmb_gltf_node *node = &gltf->nodes[index];
        const lmb_gltf_node *parent = node->parent == LMB_NONE ? NULL : &gltf->nodes[node->parent];
        node->top_shear = parent != NULL && parent->top_shear != LMB_NONE ? parent->top_shear
                          : node->is_sheared                              ? index
                                                                          : LMB_NONE;
        if (node->in_scene && (node->moves || (node->mesh != LMB_NONE && node->skin == LMB_NONE))) {
            mark(gltf, node->top_shear != LMB_NONE ? node->top_shear : index, true);
        }
    }
}

static uint32_t number_nodes(lmb_gltf *gltf, bool are_extra, uint32_t count) {
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        lmb_gltf_node *node = &gltf->nodes[i];
        if (node->in_rig && node->is_extra == are_extra) {
            node->joint = count++;
        }
    }
    return count;
}

// Numbers the nodes of the rig in the file's order, the skeleton first, so that its joints have the same indices with
// and without others. `joint` holds that number until the rig exists.
static uint32_t number_joints(lmb_gltf *gltf) {
    uint32_t count = number_nodes(gltf, false, 0);
    for (uint32_t i = 0; i < gltf->binding_count; i++) {
        gltf->bindings[i].joint = count++;
    }
    return number_nodes(gltf, true, count);
}

// Returns the matrix that the rig will have: with a normalised rotation, and with tiny scales set to zero.
static lmb_affine local_matrix(const lmb_gltf_node *node) {
    lmb_transform local = node->rest;
    double unit[4];
    lmb_quaternion_from(local.rotation, unit);
    for (int i = 0; i < 4; i++) {
        local.rotation[i] = (float)unit[i];
    }
    for (int i = 0; i < 3; i++) {
        local.scale[i] = fabsf(local.scale[i]) < LMB_SMALLEST ? 0 : local.scale[i];
    }
    return lmb_affine_from_transform(local);
}

// A joint of no skin gets the inverse of its rest pose as inverse bind matrix. With a scale of zero there is no
// inverse; then the joint keeps its default matrix. Any matrix will do, because only meshes bound to the joint depend
// on it.
static void bind_flat_joints(const lmb_gltf *gltf, lmb_affine *models, lmb_joint_def *joints) {
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        uint32_t index = gltf->node_order[i];
        const lmb_gltf_node *node = &gltf->nodes[index];
        lmb_affine local = local_matrix(node);
        models[index] = node->parent == LMB_NONE ? local : lmb_affine_multiply(models[node->parent], local);
        lmb_affine inverse;
        if (node->in_rig && !lmb_affine_invert(models[index], &inverse)) {
            joints[node->joint].has_inverse_bind = true;
        }
    }
}

static void fill_joints(const lmb_gltf *gltf, lmb_joint_def *joints) {
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        const lmb_gltf_node *node = &gltf->nodes[i];
        if (!node->in_rig) {
            continue;
        }
        lmb_joint_def *joint = &joints[node->joint];
        *joint = lmb_default_joint_def();
        joint->name = node->name;
        joint->rest = node->rest;
        joint->is_extra = node->is_extra;
        joint->parent = node->parent == LMB_NONE ? LMB_NONE : gltf->nodes[node->parent].joint;
        joint->has_inverse_bind = node->inverse_bind != NULL;
        if (joint->has_inverse_bind) {
            joint->inverse_bind = *node->inverse_bind;
        }
    }
}

static bool fill_bindings(lmb_gltf *gltf, lmb_joint_def *joints) {
    bool named = true;
    for (uint32_t i = 0; named && i < gltf->binding_count; i++) {
        const lmb_gltf_binding *binding = &gltf->bindings[i];
        lmb_joint_def *joint = &joints[binding->joint];
        *joint = lmb_default_joint_def();
        joint->name = lmb_gltf_binding_name(gltf, binding);
        joint->parent = gltf->nodes[binding->node].joint;
        joint->inverse_bind = binding->inverse_bind;
        joint->has_inverse_bind = true;
        named = joint->name != NULL;
    }
    return named;
}

// Visits parents first, so that each node needs only its parent.
static void find_anchors(lmb_gltf *gltf) {
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        lmb_gltf_node *node = &gltf->nodes[gltf->node_order[i]];
        node->anchor = LMB_NONE;
        if (node->in_rig) {
            node->anchor = node->rigid_binding != LMB_NONE ? gltf->bindings[node->rigid_binding].joint : node->joint;
            node->to_anchor = node->is_sheared ? node->shear : lmb_affine_identity();
        } else if (node->parent != LMB_NONE && gltf->nodes[node->parent].anchor != LMB_NONE) {
            const lmb_gltf_node *parent = &gltf->nodes[node->parent];
            node->anchor = parent->anchor;
            const lmb_affine local =
                node->is_sheared ? lmb_affine_multiply(local_matrix(node), node->shear) : local_matrix(node);
            node->to_anchor = lmb_affine_multiply(parent->to_anchor, local);
        }
    }
}

static bool fail_shear(const lmb_gltf *gltf, uint32_t node, const char *why) {
    return lmb_importer_fail(gltf->importer, LMB_ERROR_UNSUPPORTED,
                             "nodes[%" PRIu32 "].matrix of node '%.100s': it is sheared, and %s", node,
                             gltf->nodes[node].name, why);
}

// Joints have no shear, so neither a skin nor another joint may depend on that of a node.
static bool check_shear(const lmb_gltf *gltf) {
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        const lmb_gltf_node *node = &gltf->nodes[i];
        if (node->in_rig && node->is_sheared && node->last_skin != 0) {
            return fail_shear(gltf, i, "the node is a joint of a skin");
        }
        if (node->in_rig && node->parent != LMB_NONE && gltf->nodes[node->parent].is_sheared) {
            return fail_shear(gltf, node->parent, "a joint hangs on the node");
        }
    }
    return true;
}

bool lmb_gltf_build_rig(lmb_gltf *gltf) {
    lmb_importer *importer = gltf->importer;
    mark_skeleton(gltf);
    if (!importer->skeleton_only) {
        mark_extras(gltf);
    }
    if (!check_shear(gltf) || !lmb_gltf_find_bindings(gltf)) {
        return false;
    }
    uint32_t count = number_joints(gltf);
    if (count == 0) {
        return lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED, "nodes: there are none, so there is no rig");
    }
    if (count > LMB_MAX_JOINTS) {
        return lmb_importer_fail(importer, LMB_ERROR_LIMIT, "nodes: the rig would have %" PRIu32 " joints, %u at most",
                                 count, LMB_MAX_JOINTS);
    }
    lmb_joint_def *joints = lmb_importer_scratch(importer, count, sizeof *joints);
    lmb_affine *models = lmb_importer_scratch(importer, gltf->node_count, sizeof *models);
    if (joints == NULL || models == NULL) {
        return false;
    }
    fill_joints(gltf, joints);
    bind_flat_joints(gltf, models, joints);
    if (!fill_bindings(gltf, joints) ||
        !lmb_importer_create_rig(importer, joints, count, gltf->channels, gltf->channel_count)) {
        return false;
    }
    lmb_pool_release(&importer->scratch, joints);
    lmb_pool_release(&importer->scratch, models);
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        lmb_gltf_node *node = &gltf->nodes[i];
        node->joint = node->in_rig ? lmb_rig_joint_of_def(importer->import->rig, node->joint) : LMB_NONE;
    }
    for (uint32_t i = 0; i < gltf->binding_count; i++) {
        gltf->bindings[i].joint = lmb_rig_joint_of_def(importer->import->rig, gltf->bindings[i].joint);
    }
    importer->first_binding = gltf->binding_count > 0 ? gltf->bindings[0].joint : 0;
    importer->binding_count = gltf->binding_count;
    find_anchors(gltf);
    return true;
}

// ---- A file that adds clips ----

// Rest poses in two files exported from one character differ by rounding errors.
#define SAME_REST 1e-6

// Returns the names of a rig's joints, or of its channels, sorted, in scratch memory; NULL if there is none.
static lmb_name *names_of(lmb_importer *importer, const lmb_rig_def *rig, bool of_joints) {
    const uint32_t count = of_joints ? rig->joint_count : rig->channel_count;
    lmb_name *names = lmb_importer_scratch(importer, count, sizeof *names);
    for (uint32_t i = 0; names != NULL && i < count; i++) {
        names[i] = (lmb_name){.text = of_joints ? rig->joints[i].name : rig->channels[i].name, .index = i};
    }
    if (names != NULL) {
        lmb_names_sort(names, count);
    }
    return names;
}

// Returns the index of a name and takes it. If several have one name, the first one gets it, the others LMB_NONE.
static uint32_t take(const lmb_name *names, uint32_t count, bool *taken, const char *text) {
    uint32_t found = lmb_names_find(names, count, text);
    if (found == LMB_NONE || taken[found]) {
        return LMB_NONE;
    }
    taken[found] = true;
    return found;
}

static bool note_missing(const lmb_gltf *gltf, const bool *taken) {
    const lmb_importer *importer = gltf->importer;
    const lmb_rig *rig = importer->import->rig;
    lmb_name_list names = {0};
    for (uint32_t joint = 0; joint < lmb_rig_get_def(rig)->joint_count; joint++) {
        if (!taken[joint] && joint - importer->first_binding >= importer->binding_count) {
            lmb_name_list_add(&names, lmb_rig_get_def(rig)->joints[joint].name);
        }
    }
    return lmb_importer_note_names(gltf->importer, "joints of the rig that it does not have keep their rest pose",
                                   &names);
}

// Notes joints with another parent than in the rig: their local transforms have another meaning. A joint whose parent
// in the file is no joint counts as having no parent.
static bool note_other_parents(const lmb_gltf *gltf) {
    const lmb_rig *rig = gltf->importer->import->rig;
    lmb_name_list names = {0};
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        const lmb_gltf_node *node = &gltf->nodes[i];
        uint32_t parent = node->parent == LMB_NONE ? LMB_NONE : gltf->nodes[node->parent].joint;
        if (node->in_rig && parent != lmb_rig_get_def(rig)->joints[node->joint].parent) {
            lmb_name_list_add(&names, node->name);
        }
    }
    return lmb_importer_note_names(gltf->importer, "joints that hang on another joint than in the rig", &names);
}

bool lmb_gltf_match_rig(lmb_gltf *gltf) {
    lmb_importer *importer = gltf->importer;
    const lmb_rig_def *rig = lmb_rig_get_def(importer->import->rig);
    const uint32_t joint_count = rig->joint_count, channel_count = rig->channel_count;
    lmb_name *joints = names_of(importer, rig, true);
    lmb_name *channels = names_of(importer, rig, false);
    bool *taken_joints = lmb_importer_scratch(importer, joint_count, sizeof *taken_joints);
    bool *taken_channels = lmb_importer_scratch(importer, channel_count, sizeof *taken_channels);
    if (joints == NULL || channels == NULL || taken_joints == NULL || taken_channels == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        gltf->nodes[i].joint = take(joints, joint_count, taken_joints, gltf->nodes[i].name);
        gltf->nodes[i].in_rig = gltf->nodes[i].joint != LMB_NONE;
        if (gltf->nodes[i].in_rig && gltf->nodes[i].is_sheared) {
            return fail_shear(gltf, i, "the node is a joint");
        }
    }
    for (uint32_t i = 0; i < gltf->channel_count; i++) {
        gltf->channel_of[i] = take(channels, channel_count, taken_channels, gltf->channels[i].name);
    }
    return note_missing(gltf, taken_joints) && note_other_parents(gltf);
}

static bool is_close(const float *a, const float *b, uint32_t count, float sign, double tolerance) {
    for (uint32_t i = 0; i < count; i++) {
        if (!(fabs((double)a[i] - (double)(sign * b[i])) <= tolerance * fmax(1, fabs((double)a[i])))) {
            return false;
        }
    }
    return true;
}

bool lmb_gltf_differs(lmb_property channel, const float *rest, const float *value, double tolerance) {
    const bool is_rotation = channel == LMB_PROPERTY_ROTATION;
    return !is_close(rest, value, is_rotation ? 4 : 3, 1, tolerance) &&
           !(is_rotation && is_close(rest, value, 4, -1, tolerance));
}

bool lmb_gltf_leaves_rest(const lmb_rig *rig, const lmb_track_def *track, double tolerance) {
    const lmb_transform rest = lmb_rig_get_def(rig)->joints[track->joint].rest;
    const float *values[] = {rest.translation, rest.rotation, rest.scale};
    const size_t width = track->property == LMB_PROPERTY_ROTATION ? 4 : 3;
    bool leaves = false;
    for (uint32_t i = 0; i < track->key_count && !leaves; i++) {
        leaves = lmb_gltf_differs(track->property, values[track->property], track->values + i * width, tolerance);
    }
    return leaves;
}

static bool rest_differs(const lmb_gltf *gltf, const lmb_gltf_node *node, lmb_property channel, lmb_track_def *track) {
    static const float start = 0;
    lmb_transform rest = lmb_rig_get_def(gltf->importer->import->rig)->joints[node->joint].rest;
    const float *theirs[] = {node->rest.translation, node->rest.rotation, node->rest.scale};
    const float *ours[] = {rest.translation, rest.rotation, rest.scale};
    *track = (lmb_track_def){.joint = node->joint,
                             .property = channel,
                             .interpolation = LMB_INTERPOLATION_STEP,
                             .key_count = 1,
                             .times = &start,
                             .values = theirs[channel]};
    return lmb_gltf_differs(channel, theirs[channel], ours[channel], SAME_REST);
}

bool lmb_gltf_list_rests(lmb_gltf *gltf) {
    lmb_importer *importer = gltf->importer;
    for (uint32_t i = 0; importer->adds_clips && i < gltf->node_count; i++) {
        const lmb_gltf_node *node = &gltf->nodes[i];
        for (int channel = LMB_PROPERTY_TRANSLATION; node->in_rig && channel <= LMB_PROPERTY_SCALE; channel++) {
            lmb_gltf_rest rest = {.node = i};
            if (rest_differs(gltf, node, (lmb_property)channel, &rest.track) &&
                !lmb_importer_append(importer, &importer->scratch, &gltf->rests, &gltf->rest_count, &rest,
                                     sizeof rest)) {
                return false;
            }
        }
    }
    return true;
}

bool lmb_gltf_note_unmatched(const lmb_gltf *gltf, const char *animation, lmb_name_list *names) {
    return names->count == 0 || lmb_importer_note(gltf->importer,
                                                  "animation '%.200s': tracks of nodes that are no joints of the rig"
                                                  " skipped: %s",
                                                  animation, lmb_name_list_text(names));
}
