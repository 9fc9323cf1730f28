// Reads materials of an Assimp scene, and the images inside the file that they use.
#include "assimp_scene.h"

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_png_or_jpeg(const uint8_t *bytes, size_t size) {
    return (size >= 8 && memcmp(bytes, "\x89PNG\r\n\x1A\n", 8) == 0) ||
           (size >= 3 && memcmp(bytes, "\xFF\xD8\xFF", 3) == 0);
}

// Returns the part of a path after its last slash or backslash.
static const char *base_name(const char *path) {
    const char *base = path;
    for (; *path != '\0'; path++) {
        base = *path == '/' || *path == '\\' ? path + 1 : base;
    }
    return base;
}

// Finds a texture inside the file: it is named "*0", "*1" and so on, or by the name of its original file.
static uint32_t find_texture(const struct aiScene *scene, const char *path) {
    if (path[0] == '*' && path[1] >= '0' && path[1] <= '9') {
        unsigned long index = strtoul(path + 1, NULL, 10);
        return index < scene->mNumTextures ? (uint32_t)index : LMB_NONE;
    }
    for (unsigned i = 0; i < scene->mNumTextures; i++) {
        const char *name = base_name(scene->mTextures[i]->mFilename.data);
        if (name[0] != '\0' && strcmp(name, base_name(path)) == 0) {
            return i;
        }
    }
    return LMB_NONE;
}

static bool keep_image(lmb_assimp *assimp, uint32_t index, const char *name) {
    lmb_importer *importer = assimp->tables.importer;
    lmb_import *import = importer->import;
    const struct aiTexture *texture = assimp->scene->mTextures[index];
    lmb_image image = {.name = lmb_importer_copy_text(importer, &import->pool, name), .size = texture->mWidth};
    uint8_t *bytes = image.name == NULL ? NULL : lmb_importer_allocate(importer, &import->pool, texture->mWidth, 1);
    lmb_image *images = bytes == NULL ? NULL
                                      : lmb_importer_grow(importer, &import->pool, import->images, import->image_count,
                                                          &import->image_capacity, sizeof(lmb_image));
    if (images == NULL) {
        return false;
    }
    memcpy(bytes, texture->pcData, texture->mWidth);
    image.bytes = bytes;
    import->images = images;
    assimp->tables.image_of[index] = (uint32_t)import->image_count;
    images[import->image_count++] = image;
    return true;
}

// A texture with a height of 0 is an encoded file of `mWidth` bytes.
static bool use_texture(lmb_assimp *assimp, const char *path, uint32_t *image) {
    lmb_importer *importer = assimp->tables.importer;
    uint32_t index = find_texture(assimp->scene, path);
    if (index == LMB_NONE) {
        return lmb_importer_note(importer, "image '%.200s' is not inside the file: left out", path);
    }
    const struct aiTexture *texture = assimp->scene->mTextures[index];
    const char *name = texture->mFilename.length > 0 ? base_name(texture->mFilename.data) : base_name(path);
    if (texture->mHeight != 0 || texture->pcData == NULL ||
        !is_png_or_jpeg((const uint8_t *)texture->pcData, texture->mWidth)) {
        return lmb_importer_note(importer, "image '%.200s' is neither PNG nor JPEG: left out", name);
    }
    if (assimp->tables.image_of[index] == LMB_NONE && !keep_image(assimp, index, name)) {
        return false;
    }
    *image = assimp->tables.image_of[index];
    return true;
}

// Converts an sRGB component to linear light.
static float linear_of(float value) {
    value = value > 0 ? fminf(value, 1) : 0; // NaN is 0 as well
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static bool read_material(lmb_assimp *assimp, const struct aiMaterial *source, lmb_gltf_material *material) {
    struct aiColor4D color;
    int two_sided = 0;
    struct aiString path;
    if (aiGetMaterialColor(source, AI_MATKEY_COLOR_DIFFUSE, &color) == aiReturn_SUCCESS) {
        material->base_color[0] = linear_of(color.r);
        material->base_color[1] = linear_of(color.g);
        material->base_color[2] = linear_of(color.b);
    }
    if (aiGetMaterialIntegerArray(source, AI_MATKEY_TWOSIDED, &two_sided, NULL) == aiReturn_SUCCESS) {
        material->double_sided = two_sided != 0;
    }
    if (aiGetMaterialTexture(source, aiTextureType_DIFFUSE, 0, &path, NULL, NULL, NULL, NULL, NULL, NULL) !=
        aiReturn_SUCCESS) {
        return true;
    }
    if (!use_texture(assimp, path.data, &material->image)) {
        return false;
    }
    for (int i = 0; material->image != LMB_NONE && i < 3; i++) {
        material->base_color[i] = 1; // these formats show the texture instead of the colour
    }
    return true;
}

bool lmb_assimp_prepare_materials(lmb_assimp *assimp) {
    lmb_gltf *tables = &assimp->tables;
    lmb_importer *importer = tables->importer;
    tables->material_cache =
        lmb_importer_allocate(importer, &importer->scratch, assimp->scene->mNumMaterials, sizeof(lmb_gltf_material));
    tables->image_of =
        tables->material_cache == NULL
            ? NULL
            : lmb_importer_allocate(importer, &importer->scratch, assimp->scene->mNumTextures, sizeof(uint32_t));
    for (unsigned i = 0; tables->image_of != NULL && i < assimp->scene->mNumTextures; i++) {
        tables->image_of[i] = LMB_NONE;
    }
    return tables->image_of != NULL;
}

bool lmb_assimp_read_material(lmb_assimp *assimp, uint32_t index, lmb_gltf_material *material) {
    const lmb_gltf_material plain = {
        .is_read = true, .base_color = {1, 1, 1, 1}, .image = LMB_NONE, .texcoord_transform = {{1, 0, 0}, {0, 1, 0}}};
    *material = plain;
    if (index >= assimp->scene->mNumMaterials) {
        return true;
    }
    lmb_gltf_material *cached = &assimp->tables.material_cache[index];
    if (!cached->is_read) {
        *cached = plain;
        if (!read_material(assimp, assimp->scene->mMaterials[index], cached)) {
            return false;
        }
    }
    *material = *cached;
    return true;
}
