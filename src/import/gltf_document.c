// Reads the JSON text, its version, the required extensions and the top-level lists.
#include "gltf.h"

#include <inttypes.h>
#include <string.h>

// Returns whether a file may require this extension: it is implemented, or it concerns only lights or the look of a
// surface beyond its base colour.
static bool is_known_extension(const char *name) {
    static const char *const known[] = {"KHR_mesh_quantization", "KHR_texture_transform", "KHR_lights_punctual"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(name, known[i]) == 0) {
            return true;
        }
    }
    const char materials[] = "KHR_materials_";
    return strncmp(name, materials, sizeof materials - 1) == 0 &&
           strcmp(name, "KHR_materials_pbrSpecularGlossiness") != 0;
}

static bool parse_text(lmb_gltf *gltf) {
    const char *text = gltf->glb.json;
    size_t size = gltf->glb.json_size;
    // A byte order mark is not allowed, but some editors write it, and it does no harm.
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        size -= 3;
    }
    lmb_importer *importer = gltf->importer;
    lmb_json_error error;
    if (!lmb_json_read(text, size, &importer->scratch, &gltf->json, &error)) {
        if (error.result == LMB_ERROR_MEMORY) {
            return lmb_importer_fail_memory(importer);
        }
        return lmb_importer_fail(importer, error.result, "JSON line %" PRIu32 ", column %" PRIu32 ": %s", error.line,
                                 error.column, error.reason);
    }
    if (gltf->json.values[0].type != LMB_JSON_OBJECT) {
        return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "JSON: %s, not an object",
                                 lmb_json_type_name(gltf->json.values[0].type));
    }
    gltf->root = (lmb_gltf_object){.value = 0};
    return true;
}

static bool check_version(lmb_gltf *gltf) {
    lmb_gltf_object asset;
    bool present;
    const char *version = "";
    const char *min = "2.0";
    if (!lmb_gltf_require(gltf, &gltf->root, "asset") ||
        !lmb_gltf_read_object(gltf, &gltf->root, "asset", &asset, &present) ||
        !lmb_gltf_require(gltf, &asset, "version") || !lmb_gltf_read_string(gltf, &asset, "version", &version) ||
        !lmb_gltf_read_string(gltf, &asset, "minVersion", &min)) {
        return false;
    }
    if (strncmp(version, "2.", 2) != 0 || strcmp(min, "2.0") != 0) {
        bool old = strncmp(version, "2.", 2) != 0;
        return lmb_importer_fail(gltf->importer, LMB_ERROR_UNSUPPORTED, "asset.%s: '%.40s', 2.0 is read",
                                 old ? "version" : "minVersion", old ? version : min);
    }
    return true;
}

static bool check_extensions(lmb_gltf *gltf) {
    lmb_importer *importer = gltf->importer;
    lmb_gltf_list required;
    if (!lmb_gltf_read_list(gltf, &importer->scratch, &gltf->root, "extensionsRequired", LMB_JSON_STRING, &required)) {
        return false;
    }
    for (uint32_t i = 0; i < required.count; i++) {
        char *name = lmb_importer_allocate(importer, &importer->scratch,
                                           lmb_json_string_room(&gltf->json, required.values[i]), 1);
        if (name == NULL) {
            return false;
        }
        lmb_json_string(&gltf->json, required.values[i], name);
        if (!is_known_extension(name)) {
            return lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED, "extensionsRequired: '%.200s' is not known here",
                                     name);
        }
        lmb_pool_release(&importer->scratch, name);
    }
    return true;
}

static bool read_lists(lmb_gltf *gltf) {
    const struct {
        const char *key;
        lmb_gltf_list *list;
    } lists[] = {{"scenes", &gltf->scenes},     {"meshes", &gltf->meshes}, {"materials", &gltf->materials},
                 {"textures", &gltf->textures}, {"images", &gltf->images}, {"animations", &gltf->animations}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (!lmb_gltf_read_list(gltf, &gltf->importer->scratch, &gltf->root, lists[i].key, LMB_JSON_OBJECT,
                                lists[i].list)) {
            return false;
        }
    }
    return true;
}

bool lmb_gltf_read_document(lmb_gltf *gltf) {
    return parse_text(gltf) && check_version(gltf) && check_extensions(gltf) && read_lists(gltf);
}
