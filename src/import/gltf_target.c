// What channels of animations move: translation, rotation and scale of nodes, weights of morph targets, and by the
// pointers of KHR_animation_pointer anything else. A pointer to one of the former is that. One to other numbers is a
// curve: float channels of the rig, called as the pointer.
#include "gltf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Max number of float channels of a curve: those of a 4x4 matrix.
#define LARGEST_CURVE 16u

const char *const lmb_gltf_path_names[LMB_GLTF_PATH_COUNT] = {"translation", "rotation", "scale", "weights", "pointer"};

// ---- Pointers ----

// Reads the next token of a JSON pointer (RFC 6901) and steps past it. Returns false at the end, and for a token that
// is too long for anything in a file that Limber reads.
static bool next_token(const char **pointer, char token[64]) {
    size_t length = 0;
    if (**pointer != '/') {
        return false;
    }
    const char *at = *pointer + 1;
    for (; *at != '/' && *at != '\0' && length < 63; at++) {
        const bool is_escape = at[0] == '~' && (at[1] == '0' || at[1] == '1');
        token[length++] = !is_escape ? *at : at[1] == '0' ? '~' : '/';
        at += is_escape;
    }
    token[length] = '\0';
    *pointer = at;
    return *at == '/' || *at == '\0';
}

// Returns the index that a token is, or LMB_NONE.
static uint32_t index_of(const char *token) {
    uint64_t index = 0;
    for (const char *at = token; *at != '\0' && index < LMB_NONE; at++) {
        index = *at >= '0' && *at <= '9' ? index * 10 + (uint64_t)(*at - '0') : LMB_NONE;
    }
    return token[0] == '\0' || index >= LMB_NONE ? LMB_NONE : (uint32_t)index;
}

// Finds the value to which a pointer leads. `depth` is the number of tokens that lead to something. Searching an array
// counts as decoding, because many pointers may do it.
static bool find_value(const lmb_gltf *gltf, const char *pointer, uint32_t *value, uint32_t *depth) {
    const lmb_json *json = &gltf->json;
    char token[64];
    *value = 0;
    *depth = 0;
    while (*value != LMB_NONE && next_token(&pointer, token)) {
        const lmb_json_value *parent = &json->values[*value];
        const uint32_t index = index_of(token);
        bool twice;
        if (parent->type == LMB_JSON_OBJECT) {
            *value = lmb_json_member(json, *value, token, &twice);
        } else if (parent->type == LMB_JSON_ARRAY && index < parent->count) {
            if (!lmb_importer_decode(gltf->importer, index * sizeof(uint32_t))) {
                return false;
            }
            *value += 1;
            for (uint32_t i = 0; i < index; i++) {
                *value = json->values[*value].next;
            }
        } else {
            *value = LMB_NONE;
        }
        *depth += *value != LMB_NONE;
    }
    *value = *pointer == '\0' ? *value : LMB_NONE;
    return true;
}

// Reads /nodes/N/translation, rotation, scale or weights, /nodes/N/weights/K, and the weights of meshes. Returns
// whether the pointer is one of these.
static bool read_node_pointer(const lmb_gltf *gltf, const char *pointer, lmb_gltf_target *target) {
    char kind[64], index[64], name[64], element[64];
    if (!next_token(&pointer, kind) || !next_token(&pointer, index) || !next_token(&pointer, name)) {
        return false;
    }
    const bool has_element = next_token(&pointer, element), is_mesh = strcmp(kind, "meshes") == 0;
    const uint32_t number = index_of(index), count = is_mesh ? gltf->meshes.count : gltf->node_count;
    lmb_gltf_path path = LMB_GLTF_TRANSLATION;
    while (path < LMB_GLTF_CURVE && strcmp(name, lmb_gltf_path_names[path]) != 0) {
        path = (lmb_gltf_path)(path + 1);
    }
    const bool is_weights = path == LMB_GLTF_WEIGHTS;
    if (*pointer != '\0' || (!is_mesh && strcmp(kind, "nodes") != 0) || (is_mesh && !is_weights) || number >= count ||
        path == LMB_GLTF_CURVE || (has_element && (!is_weights || index_of(element) == LMB_NONE))) {
        return false;
    }
    target->path = path;
    *(is_mesh ? &target->mesh : &target->node) = number;
    target->element = has_element ? index_of(element) : LMB_NONE;
    return true;
}

static uint32_t find_curve(const lmb_gltf *gltf, const char *pointer) {
    uint32_t found = lmb_index_first(&gltf->curve_index, lmb_index_hash_text(pointer));
    while (found != LMB_NONE && strcmp(gltf->curves[found].pointer, pointer) != 0) {
        found = lmb_index_next(&gltf->curve_index, found);
    }
    return found;
}

static bool read_pointer(const lmb_gltf_object *object, lmb_gltf_target *target) {
    lmb_gltf_object extensions, extension;
    bool present;
    if (!lmb_gltf_read_object(object, "extensions", &extensions, &present) ||
        (present && !lmb_gltf_read_object(&extensions, "KHR_animation_pointer", &extension, &present)) ||
        (present && !lmb_gltf_read_string(&extension, "pointer", &target->pointer))) {
        return false;
    }
    target->pointer = target->pointer == NULL ? "" : target->pointer;
    target->node = LMB_NONE;
    if (!read_node_pointer(object->gltf, target->pointer, target)) {
        target->curve = find_curve(object->gltf, target->pointer);
    }
    target->name = lmb_gltf_path_names[target->path];
    return true;
}

bool lmb_gltf_read_target(const lmb_gltf_object *channel, lmb_gltf_target *target) {
    lmb_gltf_object object;
    const char *name = "";
    *target = (lmb_gltf_target){.node = LMB_NONE, .mesh = LMB_NONE, .element = LMB_NONE, .curve = LMB_NONE};
    if (!lmb_gltf_read_object(channel, "target", &object, NULL) || !lmb_gltf_require(&object, "path") ||
        !lmb_gltf_read_string(&object, "path", &name) ||
        !lmb_gltf_read_index(&object, "node", channel->gltf->node_count, "nodes", &target->node)) {
        return false;
    }
    while (target->path < LMB_GLTF_PATH_COUNT && strcmp(name, lmb_gltf_path_names[target->path]) != 0) {
        target->path = (lmb_gltf_path)(target->path + 1);
    }
    target->name = name;
    return target->path != LMB_GLTF_CURVE || read_pointer(&object, target);
}

bool lmb_gltf_has_weights(const lmb_gltf *gltf, const lmb_gltf_node *node) {
    bool twice;
    return lmb_json_member(&gltf->json, node->object, "weights", &twice) != LMB_NONE;
}

// ---- Curves ----

// Finds the number of floats that each key of a sampler has, by the counts of its accessors; 0 if none fits.
static bool find_width(const lmb_gltf_object *channel, const lmb_gltf_list *samplers, uint32_t *width) {
    lmb_gltf *gltf = channel->gltf;
    uint32_t index = 0, input = LMB_NONE, output = LMB_NONE;
    const char *interpolation = "";
    *width = 0;
    if (!lmb_gltf_read_index(channel, "sampler", samplers->count, "samplers", &index)) {
        return false;
    }
    if (index >= samplers->count) {
        return true;
    }
    const lmb_gltf_object sampler = lmb_gltf_item(samplers, index);
    if (!lmb_gltf_read_index(&sampler, "input", gltf->accessor_count, "accessors", &input) ||
        !lmb_gltf_read_index(&sampler, "output", gltf->accessor_count, "accessors", &output) ||
        !lmb_gltf_read_string(&sampler, "interpolation", &interpolation)) {
        return false;
    }
    if (input != LMB_NONE && output != LMB_NONE && gltf->accessors[input].count > 0) {
        const uint64_t rows =
            (uint64_t)gltf->accessors[input].count * (strcmp(interpolation, "CUBICSPLINE") == 0 ? 3 : 1);
        const uint64_t floats = gltf->accessors[output].count / rows;
        const uint32_t components = lmb_gltf_component_count(gltf->accessors[output].shape);
        *width = floats <= LARGEST_CURVE / components ? (uint32_t)floats * components : 0;
    }
    return true;
}

// What properties have that a file does not state, for those whose default is not 0.
static float default_of(const char *pointer) {
    static const struct {
        const char *name;
        float value;
    } defaults[] = {{"baseColorFactor", 1.0f},
                    {"metallicFactor", 1.0f},
                    {"roughnessFactor", 1.0f},
                    {"emissiveStrength", 1.0f},
                    {"scale", 1.0f},
                    {"strength", 1.0f},
                    {"intensity", 1.0f},
                    {"color", 1.0f},
                    {"visible", 1.0f},
                    {"specularFactor", 1.0f},
                    {"specularColorFactor", 1.0f},
                    {"attenuationColor", 1.0f},
                    {"diffuseFactor", 1.0f},
                    {"glossinessFactor", 1.0f},
                    {"alphaCutoff", 0.5f},
                    {"ior", 1.5f},
                    {"iridescenceIor", 1.3f},
                    {"iridescenceThicknessMaximum", 400.0f},
                    {"iridescenceThicknessMinimum", 100.0f}};
    const char *last = strrchr(pointer, '/');
    for (size_t i = 0; last != NULL && i < sizeof defaults / sizeof defaults[0]; i++) {
        if (strcmp(last + 1, defaults[i].name) == 0) {
            return defaults[i].value;
        }
    }
    return 0.0f;
}

static float number_at(const lmb_json *json, uint32_t value) {
    const lmb_json_type type = json->values[value].type;
    const double number = type == LMB_JSON_NUMBER ? lmb_json_number(json, value) : 0.0;
    return type == LMB_JSON_BOOLEAN                                          ? (float)lmb_json_boolean(json, value)
           : number >= -(double)LMB_LARGEST && number <= (double)LMB_LARGEST ? (float)number
                                                                             : 0.0f;
}

// Names a channel as its curve. One of several has its axis or index behind the name.
static const char *name_channel(lmb_gltf *gltf, const lmb_gltf_curve *curve, uint32_t index) {
    char end[16] = "";
    if (curve->width > 4) {
        snprintf(end, sizeof end, "[%" PRIu32 "]", index);
    } else if (curve->width > 1) {
        snprintf(end, sizeof end, ".%c", "xyzw"[index]);
    }
    const size_t length = strlen(curve->pointer);
    char *name = lmb_importer_scratch(gltf->importer, length + sizeof end, 1);
    if (name != NULL) {
        memcpy(name, curve->pointer, length);
        memcpy(name + length, end, sizeof end);
    }
    return name;
}

// Fills the channels of a curve. They rest at the value that the file states, or at the property's default.
static bool fill_channels(lmb_gltf *gltf, const lmb_gltf_curve *curve, lmb_channel_def *channels) {
    const lmb_json *json = &gltf->json;
    uint32_t value, depth;
    if (!find_value(gltf, curve->pointer, &value, &depth)) {
        return false;
    }
    const bool is_list = value != LMB_NONE && json->values[value].type == LMB_JSON_ARRAY;
    const uint32_t count = is_list ? json->values[value].count : value != LMB_NONE ? 1 : 0;
    uint32_t at = is_list ? value + 1 : value;
    for (uint32_t i = 0; i < curve->width; i++) {
        channels[i] = lmb_default_channel_def();
        channels[i].name = name_channel(gltf, curve, i);
        channels[i].rest = count == curve->width ? number_at(json, at) : default_of(curve->pointer);
        at = count == curve->width ? json->values[at].next : at;
        if (channels[i].name == NULL) {
            return false;
        }
    }
    return true;
}

// Appends the channels of all curves to those of the morph targets.
static bool add_channels(lmb_gltf *gltf, uint32_t added) {
    lmb_importer *importer = gltf->importer;
    const uint32_t before = gltf->channel_count, count = before + added;
    if (count > LMB_MAX_CHANNELS) {
        return lmb_importer_fail(importer, LMB_ERROR_LIMIT, "animations: more than %u weights and other values",
                                 LMB_MAX_CHANNELS);
    }
    lmb_channel_def *channels = lmb_importer_scratch(importer, count, sizeof *channels);
    uint32_t *channel_of = lmb_importer_scratch(importer, count, sizeof *channel_of);
    if (channels == NULL || channel_of == NULL) {
        return false;
    }
    memcpy(channels, gltf->channels, before * sizeof *channels);
    for (uint32_t i = 0; i < count; i++) {
        channel_of[i] = i;
    }
    lmb_pool_release(&importer->scratch, gltf->channels);
    lmb_pool_release(&importer->scratch, gltf->channel_of);
    gltf->channels = channels;
    gltf->channel_of = channel_of;
    gltf->channel_count = count;
    for (uint32_t i = 0; i < gltf->curve_count; i++) {
        lmb_gltf_curve *curve = &gltf->curves[i];
        curve->first_channel += before;
        if (!fill_channels(gltf, curve, channels + curve->first_channel)) {
            return false;
        }
    }
    return true;
}

// Marks the node that a channel moves. Adds its curve, unless it is known or leads to no object of the file.
static bool add_channel(const lmb_gltf_object *channel, const lmb_gltf_list *samplers, uint32_t *total) {
    lmb_gltf *gltf = channel->gltf;
    lmb_importer *importer = gltf->importer;
    lmb_gltf_target target;
    uint32_t value, depth;
    if (!lmb_gltf_read_target(channel, &target)) {
        return false;
    }
    if (target.node != LMB_NONE && target.path <= LMB_GLTF_SCALE) {
        gltf->nodes[target.node].moves = true;
    }
    if (target.path != LMB_GLTF_CURVE || target.curve != LMB_NONE) {
        return true;
    }
    lmb_gltf_curve curve = {.pointer = target.pointer, .first_channel = *total};
    if (!find_value(gltf, target.pointer, &value, &depth) || !find_width(channel, samplers, &curve.width)) {
        return false;
    }
    if (depth < 2 || curve.width == 0) {
        return true;
    }
    *total += curve.width;
    return lmb_importer_append(importer, &importer->scratch, &gltf->curves, &gltf->curve_count, &curve, sizeof curve) &&
           (lmb_index_add(&gltf->curve_index, &importer->scratch, lmb_index_hash_text(curve.pointer)) ||
            lmb_importer_fail_memory(importer));
}

bool lmb_gltf_read_curves(lmb_gltf *gltf) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < gltf->animations.count; i++) {
        const lmb_gltf_object animation = lmb_gltf_item(&gltf->animations, i);
        lmb_gltf_list channels, samplers;
        if (!lmb_gltf_read_list(&animation, "channels", LMB_JSON_OBJECT, &channels) ||
            !lmb_gltf_read_list(&animation, "samplers", LMB_JSON_OBJECT, &samplers)) {
            return false;
        }
        for (uint32_t k = 0; k < channels.count; k++) {
            const lmb_gltf_object channel = lmb_gltf_item(&channels, k);
            if (!add_channel(&channel, &samplers, &total)) {
                return false;
            }
        }
        lmb_pool_release(&gltf->importer->scratch, channels.values);
        lmb_pool_release(&gltf->importer->scratch, samplers.values);
    }
    return total == 0 || add_channels(gltf, total);
}
