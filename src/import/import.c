// Imports files: recognises their format, reads them, and owns the result.
#include "gltf.h"

#include "base/float_environment.h"
#include "clip/split.h"
#include "file.h"
#include "rig/rig.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// Memory budget of a file of any size: room for meshes and clips that many nodes share.
#define BASE_BUDGET ((size_t)256 << 20)

// Keeps the map from the nodes of the file to the joints of the rig.
static bool keep_nodes(lmb_importer *importer, const lmb_gltf *gltf) {
    uint32_t *joints = lmb_importer_keep(importer, gltf->node_count, sizeof *joints);
    for (uint32_t i = 0; joints != NULL && i < gltf->node_count; i++) {
        joints[i] = gltf->nodes[i].joint;
    }
    importer->import->joint_of_node = joints;
    importer->import->node_count = joints != NULL ? gltf->node_count : 0;
    return joints != NULL;
}

static bool read_gltf(lmb_importer *importer, const uint8_t *bytes, size_t size) {
    lmb_gltf gltf = {.importer = importer};
    if (!lmb_gltf_read_document(&gltf, bytes, size) || !lmb_gltf_read_buffers(&gltf) || !lmb_gltf_read_views(&gltf) ||
        !lmb_gltf_read_accessors(&gltf) || !lmb_gltf_read_nodes(&gltf) || !lmb_gltf_read_morphs(&gltf) ||
        !lmb_gltf_read_curves(&gltf)) {
        return false;
    }
    if (importer->adds_clips) {
        return lmb_gltf_match_rig(&gltf) && lmb_gltf_build_clips(&gltf) && lmb_gltf_note_flaws(&gltf);
    }
    return lmb_gltf_read_skins(&gltf) && lmb_gltf_build_rig(&gltf) && lmb_gltf_build_clips(&gltf) &&
           lmb_gltf_build_meshes(&gltf) && keep_nodes(importer, &gltf) && lmb_gltf_note_flaws(&gltf);
}

static bool read_format(lmb_importer *importer, const uint8_t *bytes, size_t size) {
    const lmb_format format = lmb_format_of(importer->name, bytes, size);
    if (lmb_pack_is_pack(bytes, size)) {
        return lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED, "it is a pack, which lmb_pack_open() reads alone");
    }
    switch (format) {
    case LMB_FORMAT_GLTF:
        return read_gltf(importer, bytes, size);
    case LMB_FORMAT_BLOCK:
        return lmb_import_read_block(importer, bytes, size);
    case LMB_FORMAT_BVH:
        return lmb_bvh_read(importer, bytes, size);
#ifdef LMB_WITH_UFBX
    case LMB_FORMAT_FBX:
        return lmb_fbx_read(importer, bytes, size);
#endif
    default:
#ifdef LMB_WITH_ASSIMP
        return lmb_assimp_read(importer, format, bytes, size);
#else
        return lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED, "%s is read by a build with %sLIMBER_ASSIMP alone",
                                 lmb_format_name(format), format == LMB_FORMAT_FBX ? "LIMBER_UFBX or " : "");
#endif
    }
}

// Returns the distance of a vertex from the joint, in the joint's space, rounded up.
static float distance_from(const lmb_affine *inverse_bind, const float position[3]) {
    double square = 0.0;
    for (int row = 0; row < 3; row++) {
        double at = (double)inverse_bind->m[row][3];
        for (int column = 0; column < 3; column++) {
            at += (double)inverse_bind->m[row][column] * (double)position[column];
        }
        square += at * at;
    }
    double distance = sqrt(square);
    return distance < (double)LMB_LARGEST ? nextafterf((float)distance, LMB_LARGEST) : LMB_LARGEST;
}

static void hold_vertex(lmb_rig *rig, const lmb_vertex *vertex) {
    for (uint32_t i = 0; i < LMB_MAX_INFLUENCES; i++) {
        if (vertex->weights[i] > 0.0f) {
            uint32_t joint = vertex->joints[i];
            lmb_affine inverse_bind = lmb_rig_get_def(rig)->joints[joint].inverse_bind;
            lmb_rig_grow_radius(rig, joint, distance_from(&inverse_bind, vertex->position));
        }
    }
}

// Sets the radii of the rig's joints: spheres that contain the vertices bound to them.
static void find_radii(lmb_import *import) {
    for (uint32_t i = 0; i < import->mesh_count; i++) {
        const lmb_mesh *mesh = &import->meshes[i];
        for (uint32_t k = 0; k < mesh->vertex_count; k++) {
            hold_vertex(import->rig, &mesh->vertices[k]);
        }
    }
}

static LMB_NOINLINE bool read_content(lmb_importer *importer, const uint8_t *bytes, size_t size) {
    const uint32_t clips_before = importer->import->clip_count;
    if (!read_format(importer, bytes, size)) {
        return false;
    }
    if (!lmb_scale_noise_note(importer)) {
        return false;
    }
    if (!importer->adds_clips && importer->import->pack == NULL) {
        find_radii(importer->import);
    }
    return !importer->adds_clips || importer->import->clip_count > clips_before ||
           lmb_importer_note(importer, "it has no animation of the rig");
}

// Copies the folder of the file's path, including the last slash; it is empty if there is none.
static bool find_directory(lmb_importer *importer) {
    size_t length = strlen(importer->name);
    while (length > 0 && importer->name[length - 1] != '/'
#if defined(_WIN32)
           && importer->name[length - 1] != '\\'
#endif
    ) {
        length--;
    }
    char *directory = lmb_importer_scratch(importer, length + 1, 1);
    if (directory == NULL) {
        return false;
    }
    memcpy(directory, importer->name, length);
    importer->directory = directory;
    return true;
}

static bool read_source(lmb_importer *importer, const lmb_import_def *def) {
    const uint8_t *content = def->bytes == NULL ? (const uint8_t *)"" : def->bytes;
    size_t size = def->size;
    if (def->paths == NULL) {
        importer->directory = def->directory;
        lmb_importer_add_source(importer, size);
    } else if (!find_directory(importer) || !lmb_file_read(importer, importer->name, "", &content, &size)) {
        return false;
    }
    lmb_environment callers;
    lmb_environment_enter(&callers);
    bool success = read_content(importer, content, size);
    lmb_environment_leave(&callers);
    return success;
}

// Replaces clips by parts of them. Like all clips of an import, parts are in its pool.
static bool split_clips(lmb_importer *importer, const lmb_import_def *def) {
    lmb_import *import = importer->import;
    const lmb_host host = lmb_pool_host(&import->pool);
    const lmb_clip **clips = lmb_importer_keep(importer, (size_t)import->clip_count + def->split_count, sizeof *clips);
    lmb_clip **parts = lmb_importer_scratch(importer, def->split_count, sizeof *parts);
    if (clips == NULL || parts == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < import->clip_count; i++) {
        clips[i] = import->clips[i];
    }
    lmb_error error;
    const lmb_result result =
        lmb_clips_split(import->rig, def->splits, def->split_count, &host, clips, &import->clip_count, parts, &error);
    import->clips = clips;
    return result == LMB_OK || (result == LMB_ERROR_MEMORY ? lmb_importer_fail_memory(importer)
                                                           : lmb_importer_fail(importer, result, "%s", error.message));
}

static lmb_import *create(const lmb_host *host) {
    lmb_host resolved = lmb_host_resolve(host);
    lmb_import *import = lmb_host_allocate(&resolved, 1, sizeof(lmb_import));
    if (import != NULL) {
        import->budget = (lmb_budget){.host = resolved, .limit = BASE_BUDGET};
        import->pool = (lmb_pool){.budget = &import->budget};
    }
    return import;
}

// Reads the rig from the first source, and adds clips of the others.
static void find_content(lmb_import *import) {
    import->content = (lmb_import_content){.rig = import->rig,
                                           .clips = import->clips,
                                           .clip_count = import->clip_count,
                                           .meshes = import->meshes,
                                           .mesh_count = import->mesh_count,
                                           .images = import->images,
                                           .image_count = import->image_count,
                                           .node_joints = import->joint_of_node,
                                           .node_count = import->node_count,
                                           .notes = (const char *const *)import->notes,
                                           .note_count = import->note_count};
}

static lmb_result run(const lmb_import_def *def, const lmb_host *host, lmb_import **result, lmb_error *error) {
    const char *const memory = def->name == NULL ? "memory" : def->name;
    const char *const *names = def->paths == NULL ? &memory : def->paths;
    lmb_importer importer = {.import = create(host),
                             .trusts = def->trusted,
                             .skeleton_only = def->skeleton_only,
                             .exact_scales = def->exact_scales,
                             .scale_error = (double)def->scale_error,
                             .bvh_unit = def->bvh_unit == 0.0f ? 0.01 : (double)def->bvh_unit,
                             .error = error};
    if (importer.import == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "%.200s: the host has no memory", names[0]);
    }
    importer.scratch = (lmb_pool){.budget = &importer.import->budget};
    bool success = true;
    for (uint32_t i = 0; success && i < (def->paths == NULL ? 1 : def->path_count); i++) {
        importer.name = names[i];
        importer.adds_clips = i > 0;
        importer.earlier_clips = importer.import->clip_count;
        success = read_source(&importer, def);
        lmb_pool_clear(&importer.scratch);
    }
    if (success && def->split_count > 0) {
        importer.name = names[0];
        success = split_clips(&importer, def);
        lmb_pool_clear(&importer.scratch);
    }
    if (!success) {
        lmb_import_destroy(importer.import);
        return importer.result;
    }
    find_content(importer.import);
    *result = importer.import;
    return LMB_OK;
}

static lmb_result check_paths(const lmb_import_def *def, lmb_error *error) {
    if (def->path_count == 0 || def->path_count > LMB_MAX_IMPORT_FILES) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "import: path_count is %" PRIu32 ", 1 to %u may be given",
                        def->path_count, LMB_MAX_IMPORT_FILES);
    }
    for (uint32_t i = 0; i < def->path_count; i++) {
        if (def->paths[i] == NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "import: paths[%" PRIu32 "] is NULL", i);
        }
    }
    return LMB_OK;
}

lmb_import_def lmb_default_import_def(void) {
    return (lmb_import_def){0};
}

lmb_result lmb_import_create(const lmb_import_def *def, const lmb_host *host, lmb_import **import, lmb_error *error) {
    if (import != NULL) {
        *import = NULL;
    }
    if (def == NULL || import == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "lmb_import_create: %s is NULL", def == NULL ? "def" : "import");
    }
    if (def->paths == NULL && (def->path_count > 0 || (def->bytes == NULL && def->size > 0))) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "import: %s is NULL", def->path_count > 0 ? "paths" : "bytes");
    }
    if (def->bvh_unit != 0.0f && !(def->bvh_unit >= 1e-6f && def->bvh_unit <= 1e6f)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "import: bvh_unit is %g m, 1e-6 to 1e6 may be given, or 0",
                        (double)def->bvh_unit);
    }
    if (!(def->scale_error >= 0.0f && def->scale_error <= LMB_LARGEST)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "import: scale_error is %g, 0 to 2^40 may be given",
                        (double)def->scale_error);
    }
    if (def->splits == NULL && def->split_count > 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "import: splits is NULL");
    }
    lmb_result result = def->paths == NULL ? LMB_OK : check_paths(def, error);
    return result == LMB_OK ? run(def, host, import, error) : result;
}

lmb_result lmb_import_file(const char *path, const lmb_host *host, lmb_import **import, lmb_error *error) {
    return lmb_import_files(&path, 1, host, import, error);
}

lmb_result lmb_import_files(const char *const *paths, uint32_t count, const lmb_host *host, lmb_import **import,
                            lmb_error *error) {
    return lmb_import_create(&(lmb_import_def){.paths = paths, .path_count = count}, host, import, error);
}

lmb_result lmb_import_memory(const void *bytes, size_t size, const char *name, const char *directory,
                             const lmb_host *host, lmb_import **import, lmb_error *error) {
    const lmb_import_def def = {.bytes = bytes, .size = size, .name = name, .directory = directory};
    return lmb_import_create(&def, host, import, error);
}

void lmb_import_destroy(lmb_import *import) {
    if (import == NULL) {
        return;
    }
    lmb_pool_clear(&import->pool); // with the rig, the clips and the pack, whose memory is in it
    lmb_host host = import->budget.host;
    lmb_host_release(&host, import);
}

const lmb_import_content *lmb_import_get_content(const lmb_import *import) {
    return &import->content;
}

lmb_pack_def lmb_import_pack_def(const lmb_import *import) {
    return (lmb_pack_def){.rig = import->rig,
                          .clips = import->clips,
                          .clip_count = import->clip_count,
                          .meshes = import->meshes,
                          .mesh_count = import->mesh_count,
                          .images = import->images,
                          .image_count = import->image_count};
}
