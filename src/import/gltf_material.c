// Reads materials and the images that they use.
#include "gltf.h"

#include "file.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_png_or_jpeg(const lmb_image *image) {
    return (image->size >= 8 && memcmp(image->bytes, "\x89PNG\r\n\x1A\n", 8) == 0) ||
           (image->size >= 3 && memcmp(image->bytes, "\xFF\xD8\xFF", 3) == 0);
}

// Loads the file of an image. One that cannot be read, or whose URI is refused, is left out with a note: it changes how
// a mesh looks, and nothing else.
static bool load_image_file(lmb_gltf *gltf, const lmb_gltf_object *object, const char *uri, const char *name,
                            lmb_gltf_buffer *file) {
    lmb_importer *importer = gltf->importer;
    lmb_error *const callers = importer->error;
    lmb_error reason = {0};
    importer->error = &reason;
    const bool loaded = lmb_gltf_load_uri(object, uri, &gltf->image_uris, file);
    importer->error = callers;
    if (loaded) {
        return true;
    }
    if (reason.result != LMB_ERROR_MEMORY && reason.result != LMB_ERROR_LIMIT) {
        importer->result = LMB_OK;
        *file = (lmb_gltf_buffer){0};
        return lmb_importer_note(importer, "image '%.100s' left out: %.380s", name, reason.message);
    }
    if (callers != NULL) {
        *callers = reason;
    }
    return false;
}

static bool load_image(lmb_gltf *gltf, const lmb_gltf_object *object, lmb_image *image) {
    const char *uri = NULL;
    uint32_t view = LMB_NONE;
    if (!lmb_gltf_read_string(object, "uri", &uri) ||
        !lmb_gltf_read_index(object, "bufferView", gltf->view_count, "buffer views", &view)) {
        return false;
    }
    if (uri == NULL && view == LMB_NONE) {
        return lmb_importer_note(gltf->importer, "image '%.100s' left out: %s has neither uri nor bufferView",
                                 image->name, object->place.text);
    }
    lmb_gltf_buffer file;
    if (view != LMB_NONE) {
        file = (lmb_gltf_buffer){.bytes = gltf->views[view].bytes, .size = gltf->views[view].size};
    } else if (!load_image_file(gltf, object, uri, image->name, &file)) {
        return false;
    }
    image->bytes = file.bytes;
    image->size = file.size;
    return true;
}

bool lmb_gltf_keep_image(lmb_gltf *gltf, uint32_t index, lmb_image image) {
    lmb_importer *importer = gltf->importer;
    lmb_import *import = importer->import;
    if (!is_png_or_jpeg(&image)) {
        return lmb_importer_note(importer, "image '%.200s' is neither PNG nor JPEG: left out", image.name);
    }
    const void *bytes = image.bytes;
    uint8_t *copy = lmb_importer_keep(importer, image.size, 1);
    image.bytes = copy;
    image.name = lmb_importer_copy_text(importer, &import->pool, image.name);
    if (copy == NULL || image.name == NULL ||
        !lmb_importer_append(importer, &import->pool, &import->images, &import->image_count, &image, sizeof image)) {
        return false;
    }
    memcpy(copy, bytes, image.size);
    gltf->image_of[index] = import->image_count - 1;
    return true;
}

static bool use_image(lmb_gltf *gltf, uint32_t index) {
    lmb_gltf_object object = lmb_gltf_item(&gltf->images, index);
    lmb_image image = {0};
    return gltf->image_of[index] != LMB_NONE ||
           (lmb_gltf_read_name(&object, "image", index, &image.name) && load_image(gltf, &object, &image) &&
            (image.bytes == NULL || lmb_gltf_keep_image(gltf, index, image)));
}

// Reads offset, rotation and scale of KHR_texture_transform, and combines them in one matrix.
static bool read_texcoord_transform(const lmb_gltf_object *texture_info, lmb_gltf_texcoords *texcoords) {
    lmb_gltf_object extensions;
    lmb_gltf_object object;
    bool present;
    if (!lmb_gltf_read_object(texture_info, "extensions", &extensions, &present) ||
        (present && !lmb_gltf_read_object(&extensions, "KHR_texture_transform", &object, &present))) {
        return false;
    }
    if (!present) {
        return true;
    }
    float offset[2] = {0, 0};
    float scale[2] = {1, 1};
    float rotation = 0;
    if (!lmb_gltf_read_floats(&object, "offset", 2, offset, &present) ||
        !lmb_gltf_read_floats(&object, "scale", 2, scale, &present) ||
        !lmb_gltf_read_float(&object, "rotation", &rotation) ||
        !lmb_gltf_read_index(&object, "texCoord", LMB_NONE, "sets", &texcoords->set)) {
        return false;
    }
    // The rotation is counter-clockwise in a plane whose second axis points down.
    float cosine = cosf(rotation);
    float sine = sinf(rotation);
    for (int column = 0; column < 2; column++) {
        texcoords->transform[0][column] = (column == 0 ? cosine : sine) * scale[column];
        texcoords->transform[1][column] = (column == 0 ? -sine : cosine) * scale[column];
    }
    texcoords->transform[0][2] = offset[0];
    texcoords->transform[1][2] = offset[1];
    return true;
}

// Reads where a texture's coordinates are from. The mesh has one set, that of the material's first texture: `same` is
// false if this one uses others.
static bool read_texcoords(const lmb_gltf_object *info, lmb_gltf_material *material, bool *same) {
    lmb_gltf_texcoords texcoords = {.transform = {{1, 0, 0}, {0, 1, 0}}};
    if (!lmb_gltf_read_index(info, "texCoord", LMB_NONE, "sets", &texcoords.set) ||
        !read_texcoord_transform(info, &texcoords)) {
        return false;
    }
    if (!material->has_texcoords) {
        material->texcoords = texcoords;
        material->has_texcoords = true;
    }
    *same = memcmp(&texcoords, &material->texcoords, sizeof texcoords) == 0;
    return true;
}

// Reads a texture of a material, if it has it, and stores its image.
static bool read_texture(lmb_gltf *gltf, const lmb_gltf_object *info, lmb_gltf_material *material, uint32_t *image) {
    uint32_t index = 0;
    uint32_t source = LMB_NONE;
    bool same;
    if (!lmb_gltf_require(info, "index") ||
        !lmb_gltf_read_index(info, "index", gltf->textures.count, "textures", &index) ||
        !read_texcoords(info, material, &same)) {
        return false;
    }
    lmb_gltf_object texture = lmb_gltf_item(&gltf->textures, index);
    if (!lmb_gltf_read_index(&texture, "source", gltf->images.count, "images", &source)) {
        return false;
    }
    if (source == LMB_NONE) {
        return lmb_importer_note(gltf->importer, "%s has no PNG or JPEG image: left out", texture.place.text);
    }
    if (!same) {
        return lmb_importer_note(
            gltf->importer, "%s uses other coordinates than the material's first texture: left out", info->place.text);
    }
    if (!use_image(gltf, source)) {
        return false;
    }
    *image = gltf->image_of[source];
    return true;
}

static bool read_surface(lmb_gltf *gltf, const lmb_gltf_object *surface, lmb_gltf_material *material) {
    lmb_mesh *look = &material->look;
    lmb_gltf_object texture;
    bool has_factor;
    bool present;
    return lmb_gltf_read_floats(surface, "baseColorFactor", 4, look->base_color, &has_factor) &&
           lmb_gltf_read_float(surface, "metallicFactor", &look->metallic) &&
           lmb_gltf_read_float(surface, "roughnessFactor", &look->roughness) &&
           lmb_gltf_read_object(surface, "baseColorTexture", &texture, &present) &&
           (!present || read_texture(gltf, &texture, material, &look->image)) &&
           lmb_gltf_read_object(surface, "metallicRoughnessTexture", &texture, &present) &&
           (!present || read_texture(gltf, &texture, material, &look->metallic_roughness_image));
}

// Reads the diffuse colour of an old extension as base colour, for files that have nothing else.
static bool read_diffuse(lmb_gltf *gltf, const lmb_gltf_object *surface, lmb_gltf_material *material) {
    lmb_mesh *look = &material->look;
    lmb_gltf_object texture;
    float glossiness = 1.0f;
    bool present;
    look->metallic = 0.0f;
    if (!lmb_gltf_read_floats(surface, "diffuseFactor", 4, look->base_color, &present) ||
        !lmb_gltf_read_float(surface, "glossinessFactor", &glossiness) ||
        !lmb_gltf_read_object(surface, "diffuseTexture", &texture, &present)) {
        return false;
    }
    look->roughness = 1.0f - glossiness;
    return !present || read_texture(gltf, &texture, material, &look->image);
}

// Reads pbrMetallicRoughness, or the extension that came before it.
static bool read_any_surface(lmb_gltf *gltf, const lmb_gltf_object *object, lmb_gltf_material *material) {
    lmb_gltf_object surface, extensions;
    bool present;
    if (!lmb_gltf_read_object(object, "pbrMetallicRoughness", &surface, &present)) {
        return false;
    }
    if (present) {
        return read_surface(gltf, &surface, material);
    }
    return lmb_gltf_read_object(object, "extensions", &extensions, &present) &&
           (!present || lmb_gltf_read_object(&extensions, "KHR_materials_pbrSpecularGlossiness", &surface, &present)) &&
           (!present || read_diffuse(gltf, &surface, material));
}

static bool read_material(lmb_gltf *gltf, const lmb_gltf_object *object, lmb_gltf_material *material) {
    lmb_mesh *look = &material->look;
    lmb_gltf_object member;
    bool present;
    return lmb_gltf_read_string(object, "name", &look->material) &&
           lmb_gltf_read_boolean(object, "doubleSided", &look->double_sided) &&
           read_any_surface(gltf, object, material) &&
           lmb_gltf_read_object(object, "normalTexture", &member, &present) &&
           (!present || (lmb_gltf_read_float(&member, "scale", &look->normal_scale) &&
                         read_texture(gltf, &member, material, &look->normal_image)));
}

lmb_gltf_material lmb_gltf_default_material(void) {
    lmb_gltf_material material = {.look = lmb_default_mesh(), .texcoords = {.transform = {{1, 0, 0}, {0, 1, 0}}}};
    material.look.metallic = 1;
    return material;
}

bool lmb_gltf_prepare_cache(lmb_gltf *gltf, uint32_t material_count, uint32_t image_count) {
    gltf->material_cache = lmb_importer_scratch(gltf->importer, material_count, sizeof *gltf->material_cache);
    gltf->image_of = lmb_importer_scratch(gltf->importer, image_count, sizeof *gltf->image_of);
    for (uint32_t i = 0; gltf->material_cache != NULL && i < material_count; i++) {
        gltf->material_cache[i] = lmb_gltf_default_material();
    }
    for (uint32_t i = 0; gltf->image_of != NULL && i < image_count; i++) {
        gltf->image_of[i] = LMB_NONE;
    }
    return gltf->material_cache != NULL && gltf->image_of != NULL;
}

bool lmb_gltf_read_material(lmb_gltf *gltf, const lmb_gltf_object *primitive, lmb_gltf_material *material) {
    uint32_t index = LMB_NONE;
    *material = lmb_gltf_default_material();
    if (!lmb_gltf_read_index(primitive, "material", gltf->materials.count, "materials", &index)) {
        return false;
    }
    if (index == LMB_NONE) {
        return true;
    }
    lmb_gltf_material *cached = &gltf->material_cache[index];
    if (!cached->is_read) {
        lmb_gltf_object object = lmb_gltf_item(&gltf->materials, index);
        if (!read_material(gltf, &object, cached)) {
            return false;
        }
        cached->is_read = true;
    }
    *material = *cached;
    return true;
}

bool lmb_gltf_prepare_materials(lmb_gltf *gltf) {
    return lmb_gltf_prepare_cache(gltf, gltf->materials.count, gltf->images.count) &&
           lmb_gltf_read_uris(&gltf->images, false, &gltf->image_uris);
}
