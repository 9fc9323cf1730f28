#include "gltf.h"

#include "../environment.h"
#include "file.h"

#include <string.h>

// What any file may take, whatever its size: room for meshes and clips that many nodes share.
#define BASE_BUDGET ((size_t)256 << 20)

static LMB_NOINLINE bool read_gltf(lmb_gltf *gltf, const uint8_t *bytes, size_t size) {
    if (!lmb_glb_recognise(bytes, size)) {
        gltf->glb = (lmb_glb){.json = (const char *)bytes, .json_size = size};
    } else if (!lmb_glb_read(gltf->importer, bytes, size, &gltf->glb)) {
        return false;
    }
    return lmb_gltf_read_document(gltf) && lmb_gltf_read_buffers(gltf) && lmb_gltf_read_views(gltf) &&
           lmb_gltf_read_accessors(gltf) && lmb_gltf_read_nodes(gltf) && lmb_gltf_read_skins(gltf) &&
           lmb_gltf_build_rig(gltf) && lmb_gltf_build_clips(gltf) && lmb_gltf_build_meshes(gltf);
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

// `bytes` is NULL where the file is still to be read.
static lmb_result run(const char *name, const char *directory, const void *bytes, size_t size, const lmb_host *host,
                      lmb_import **result, lmb_error *error) {
    lmb_importer importer = {.name = name, .directory = directory, .error = error};
    importer.import = create(host);
    if (importer.import == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "%.200s: the host has no memory", name);
    }
    importer.scratch = (lmb_pool){.budget = &importer.import->budget};
    const uint8_t *content = bytes;
    bool success = bytes != NULL || lmb_file_read(&importer, name, "", &content, &size);
    if (success) {
        if (bytes != NULL) {
            lmb_importer_add_source(&importer, size);
        }
        lmb_gltf gltf = {.importer = &importer};
        fenv_t callers;
        lmb_environment_enter(&callers);
        success = read_gltf(&gltf, content, size);
        lmb_environment_leave(&callers);
    }
    lmb_pool_clear(&importer.scratch);
    if (!success) {
        lmb_import_destroy(importer.import);
        return importer.result;
    }
    *result = importer.import;
    return LMB_OK;
}

// The folder of a path, its last slash included; "" where it has none.
static size_t directory_length(const char *path) {
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] != '/'
#if defined(_WIN32)
           && path[length - 1] != '\\'
#endif
    ) {
        length--;
    }
    return length;
}

lmb_result lmb_import_file(const char *path, const lmb_host *host, lmb_import **import, lmb_error *error) {
    if (path == NULL || import == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "lmb_import_file: %s is NULL", path == NULL ? "path" : "import");
    }
    lmb_host resolved = lmb_host_resolve(host);
    size_t length = directory_length(path);
    char *directory = lmb_host_allocate(&resolved, length + 1, 1);
    if (directory == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "%.200s: the host has no memory", path);
    }
    memcpy(directory, path, length);
    lmb_result result = run(path, directory, NULL, 0, &resolved, import, error);
    lmb_host_release(&resolved, directory);
    return result;
}

lmb_result lmb_import_memory(const void *bytes, size_t size, const char *name, const char *directory,
                             const lmb_host *host, lmb_import **import, lmb_error *error) {
    if ((bytes == NULL && size > 0) || import == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "lmb_import_memory: %s is NULL",
                        import == NULL ? "import" : "bytes");
    }
    return run(name == NULL ? "memory" : name, directory, bytes == NULL ? "" : bytes, size, host, import, error);
}

void lmb_import_destroy(lmb_import *import) {
    if (import == NULL) {
        return;
    }
    for (size_t i = 0; i < import->clip_count; i++) {
        lmb_clip_destroy(import->clips[i]);
    }
    lmb_rig_destroy(import->rig);
    lmb_pool_clear(&import->pool);
    lmb_host host = import->budget.host;
    lmb_host_release(&host, import);
}

const lmb_rig *lmb_import_rig(const lmb_import *import) {
    return import->rig;
}

uint32_t lmb_import_clip_count(const lmb_import *import) {
    return (uint32_t)import->clip_count;
}

const lmb_clip *lmb_import_clip(const lmb_import *import, uint32_t index) {
    return index < import->clip_count ? import->clips[index] : NULL;
}

uint32_t lmb_import_mesh_count(const lmb_import *import) {
    return (uint32_t)import->mesh_count;
}

const lmb_mesh *lmb_import_mesh(const lmb_import *import, uint32_t index) {
    return index < import->mesh_count ? &import->meshes[index] : NULL;
}

uint32_t lmb_import_image_count(const lmb_import *import) {
    return (uint32_t)import->image_count;
}

const lmb_image *lmb_import_image(const lmb_import *import, uint32_t index) {
    return index < import->image_count ? &import->images[index] : NULL;
}

uint32_t lmb_import_note_count(const lmb_import *import) {
    return (uint32_t)import->note_count;
}

const char *lmb_import_note(const lmb_import *import, uint32_t index) {
    return index < import->note_count ? import->notes[index] : NULL;
}
