// Reads FBX, Collada and BVH files with Assimp, and builds rig, clips and meshes from its scene.
#include "assimp.h"

#include "assimp_scene.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <limits.h>
#include <threads.h>

// Only triangles; vertices are shared if all their attributes are equal. No step moves or renumbers nodes.
#define STEPS (aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_JoinIdenticalVertices)

// Assimp stores the message of its last failure in a global, so only one file is read at a time. This lock is the
// library's only global state.
static mtx_t reader_lock;
static once_flag reader_once = ONCE_FLAG_INIT;

static void create_lock(void) {
    mtx_init(&reader_lock, mtx_plain);
}

static struct aiPropertyStore *create_properties(void) {
    struct aiPropertyStore *properties = aiCreatePropertyStore();
    if (properties != NULL) {
        aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 0);
        aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    }
    return properties;
}

static const struct aiScene *load(lmb_importer *importer, lmb_format format, const uint8_t *bytes, size_t size,
                                  const struct aiPropertyStore *properties) {
    const struct aiScene *scene = aiImportFileFromMemoryWithProperties((const char *)bytes, (unsigned)size, STEPS,
                                                                       lmb_format_ending(format), properties);
    if (scene == NULL || scene->mRootNode == NULL) {
        lmb_importer_fail(importer, LMB_ERROR_FORMAT, "not read as %s: %.300s", lmb_format_name(format),
                          scene == NULL ? aiGetErrorString() : "it has no scene");
        aiReleaseImport(scene);
        return NULL;
    }
    return scene;
}

static const struct aiScene *load_locked(lmb_importer *importer, lmb_format format, const uint8_t *bytes, size_t size) {
    call_once(&reader_once, create_lock);
    mtx_lock(&reader_lock);
    struct aiPropertyStore *properties = create_properties();
    const struct aiScene *scene = NULL;
    if (properties == NULL) {
        lmb_importer_fail(importer, LMB_ERROR_MEMORY, "Assimp has no memory");
    } else {
        scene = load(importer, format, bytes, size, properties);
        aiReleasePropertyStore(properties);
    }
    mtx_unlock(&reader_lock);
    return scene;
}

static bool read_scene(lmb_assimp *assimp) {
    lmb_gltf *tables = &assimp->tables;
    if (!lmb_assimp_find_space(assimp) || !lmb_assimp_read_nodes(assimp)) {
        return false;
    }
    if (tables->importer->adds_clips) {
        if (!lmb_gltf_match_rig(tables)) {
            return false;
        }
        for (uint32_t i = 0; i < tables->node_count; i++) {
            if (tables->nodes[i].in_rig && !lmb_assimp_read_rest(assimp, i)) {
                return false;
            }
        }
        return lmb_assimp_build_clips(assimp);
    }
    for (uint32_t i = 0; i < tables->node_count; i++) {
        if (!lmb_assimp_read_rest(assimp, i)) {
            return false;
        }
    }
    return lmb_assimp_read_skins(assimp) && lmb_gltf_build_rig(tables) && lmb_assimp_build_clips(assimp) &&
           lmb_assimp_build_meshes(assimp);
}

bool lmb_assimp_read(lmb_importer *importer, lmb_format format, const uint8_t *bytes, size_t size) {
    if (!importer->trusts) {
        return lmb_importer_fail(importer, LMB_ERROR_UNTRUSTED,
                                 "%s files can end the process that reads them; lmb_import_def.trusted allows it",
                                 lmb_format_name(format));
    }
    if (size == 0) { // Assimp would end the process
        return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "is empty");
    }
    if (size > INT_MAX) {
        return lmb_importer_fail(importer, LMB_ERROR_LIMIT, "%s files of 2 GiB or more are not read",
                                 lmb_format_name(format));
    }
    const struct aiScene *scene = load_locked(importer, format, bytes, size);
    if (scene == NULL) {
        return false;
    }
    lmb_assimp assimp = {.tables = {.importer = importer}, .scene = scene, .format = format};
    bool success = read_scene(&assimp) && (format != LMB_FORMAT_FBX || lmb_assimp_note_stacks(&assimp, bytes, size));
    aiReleaseImport(scene);
    return success;
}
