// Builds meshes and materials of an FBX scene. A mesh becomes one for each of its materials. Corners of polygons with
// the same vertex and the same attributes become one vertex.
#include "fbx.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct corner {
    uint32_t vertex; // of the file's mesh
    float normal[3];
    float texcoord[2];
} corner;

// Part of a mesh while it is built.
typedef struct part {
    lmb_fbx *fbx;
    const ufbx_node *node;
    const ufbx_mesh *mesh;
    const ufbx_mesh_part *source;
    const char *name;
    corner *corners; // each once
    uint32_t corner_count;
    lmb_gltf_geometry geometry;
} part;

// ---- Materials ----

static bool use_texture(lmb_fbx *fbx, const ufbx_texture *texture, uint32_t *image) {
    lmb_gltf *tables = &fbx->tables;
    const char *path = texture->relative_filename.length > 0 ? texture->relative_filename.data : texture->filename.data;
    if (!texture->has_file || texture->content.size == 0) {
        return lmb_importer_note(tables->importer, "image '%.200s' is not inside the file: left out", path);
    }
    const lmb_image file = {
        .name = lmb_gltf_base_name(path), .bytes = texture->content.data, .size = texture->content.size};
    const bool success =
        tables->image_of[texture->file_index] != LMB_NONE || lmb_gltf_keep_image(tables, texture->file_index, file);
    *image = tables->image_of[texture->file_index];
    return success;
}

static bool read_properties(lmb_fbx *fbx, const ufbx_material *source, lmb_gltf_material *material) {
    const ufbx_material_map *color = &source->fbx.diffuse_color, *factor = &source->fbx.diffuse_factor;
    if (!color->has_value && color->texture == NULL) {
        color = &source->pbr.base_color;
        factor = &source->pbr.base_factor;
    }
    const double scale = factor->has_value ? factor->value_real : 1.0;
    for (int i = 0; color->has_value && i < 3; i++) {
        material->look.base_color[i] = lmb_gltf_linear_of((float)(color->value_vec3.v[i] * scale));
    }
    material->look.double_sided = source->features.double_sided.enabled;
    material->look.material = source->name.data;
    const ufbx_texture *texture = color->texture;
    if (texture == NULL || texture->file_textures.count == 0) {
        return true;
    }
    if (!use_texture(fbx, texture->file_textures.data[0], &material->look.image)) {
        return false;
    }
    for (int i = 0; material->look.image != LMB_NONE && i < 3; i++) {
        material->look.base_color[i] = 1; // the texture is shown instead of the colour
    }
    return true;
}

static bool read_material(const part *part, lmb_gltf_material *material) {
    const ufbx_material_list *list = &part->node->materials;
    *material = lmb_gltf_default_material();
    material->look.metallic = 0; // the format knows no metal
    if (part->source->index >= list->count || list->data[part->source->index] == NULL) {
        return true;
    }
    const ufbx_material *source = list->data[part->source->index];
    lmb_gltf_material *cached = &part->fbx->tables.material_cache[source->typed_id];
    if (!cached->is_read) {
        *cached = *material;
        if (!read_properties(part->fbx, source, cached)) {
            return false;
        }
        cached->is_read = true;
    }
    *material = *cached;
    return true;
}

// ---- Geometry ----

static bool is_finite(const double *values, int count) {
    bool finite = true;
    for (int i = 0; i < count; i++) {
        finite = finite && fabs(values[i]) <= (double)LMB_LARGEST;
    }
    return finite;
}

// Some exporters write normals that are not finite. Such a normal stays zero here and gets an arbitrary direction
// later.
static corner corner_of(const ufbx_mesh *mesh, uint32_t index) {
    corner result = {.vertex = mesh->vertex_indices.data[index]};
    if (mesh->vertex_normal.exists) {
        const ufbx_vec3 normal = ufbx_get_vertex_vec3(&mesh->vertex_normal, index);
        for (int i = 0; i < 3 && is_finite(normal.v, 3); i++) {
            result.normal[i] = (float)normal.v[i] + 0.0f; // without a negative zero
        }
    }
    if (mesh->vertex_uv.exists) {
        const ufbx_vec2 uv = ufbx_get_vertex_vec2(&mesh->vertex_uv, index);
        if (is_finite(uv.v, 2)) {
            result.texcoord[0] = (float)uv.x + 0.0f;
            result.texcoord[1] = (float)(1.0 - uv.y) + 0.0f; // FBX counts from the bottom of the image
        }
    }
    return result;
}

// Returns the index of a corner among those that are listed, to which it is added if it is none of them.
static bool find_corner(part *part, lmb_index *index, const corner *corner, uint32_t *result) {
    lmb_importer *importer = part->fbx->tables.importer;
    const uint64_t hash = lmb_index_hash(corner, sizeof *corner);
    uint32_t found = lmb_index_first(index, hash);
    while (found != LMB_NONE && memcmp(&part->corners[found], corner, sizeof *corner) != 0) {
        found = lmb_index_next(index, found);
    }
    *result = found != LMB_NONE ? found : part->corner_count;
    return found != LMB_NONE ||
           (lmb_importer_append(importer, &importer->scratch, &part->corners, &part->corner_count, corner,
                                sizeof *corner) &&
            (lmb_index_add(index, &importer->scratch, hash) || lmb_importer_fail_memory(importer)));
}

static bool read_face(part *part, ufbx_face face, uint32_t *triangles, lmb_index *index) {
    const ufbx_mesh *mesh = part->mesh;
    const uint32_t count = 3 * ufbx_triangulate_face(triangles, mesh->max_face_triangles * 3, mesh, face);
    lmb_gltf_geometry *geometry = &part->geometry;
    bool success = true;
    for (uint32_t i = 0; success && i < count; i++) {
        const corner corner = corner_of(mesh, triangles[i]);
        success = find_corner(part, index, &corner, &geometry->indices[geometry->index_count++]);
    }
    return success;
}

static bool is_hole(const ufbx_mesh *mesh, uint32_t face) {
    return face < mesh->face_hole.count && mesh->face_hole.data[face];
}

static bool read_faces(part *part) {
    lmb_importer *importer = part->fbx->tables.importer;
    const ufbx_mesh *mesh = part->mesh;
    if (part->source->num_triangles > UINT32_MAX / 3) {
        return lmb_importer_fail(importer, LMB_ERROR_LIMIT, "mesh '%.200s' has %zu triangles", part->name,
                                 part->source->num_triangles);
    }
    if (!lmb_importer_decode(importer, part->source->num_triangles * 3 * sizeof(corner))) {
        return false;
    }
    lmb_index index = {0};
    part->geometry.indices = lmb_importer_keep(importer, part->source->num_triangles * 3, sizeof(uint32_t));
    uint32_t *triangles = lmb_importer_scratch(importer, mesh->max_face_triangles * 3, sizeof *triangles);
    bool success = part->geometry.indices != NULL && triangles != NULL;
    for (size_t i = 0; success && i < part->source->num_faces; i++) {
        const uint32_t face = part->source->face_indices.data[i];
        success = is_hole(mesh, face) || read_face(part, mesh->faces.data[face], triangles, &index);
    }
    lmb_pool_release(&importer->scratch, triangles);
    lmb_pool_release(&importer->scratch, index.entries);
    lmb_pool_release(&importer->scratch, index.buckets);
    return success;
}

static bool read_vertices(part *part) {
    lmb_importer *importer = part->fbx->tables.importer;
    lmb_gltf_geometry *geometry = &part->geometry;
    geometry->has_normals = part->mesh->vertex_normal.exists;
    geometry->vertex_count = part->corner_count;
    geometry->vertices = lmb_importer_keep(importer, part->corner_count, sizeof(lmb_vertex));
    for (uint32_t i = 0; geometry->vertices != NULL && i < part->corner_count; i++) {
        const corner *corner = &part->corners[i];
        const ufbx_vec3 position = part->mesh->vertices.data[corner->vertex];
        lmb_vertex *vertex = &geometry->vertices[i];
        if (!is_finite(position.v, 3)) {
            return lmb_importer_fail(importer, LMB_ERROR_FORMAT,
                                     "mesh '%.200s': vertex %" PRIu32 " has a position that is no number below 2^40",
                                     part->name, corner->vertex);
        }
        for (int k = 0; k < 3; k++) {
            vertex->position[k] = (float)position.v[k];
        }
        memcpy(vertex->normal, corner->normal, sizeof vertex->normal);
        memcpy(vertex->texcoord, corner->texcoord, sizeof vertex->texcoord);
    }
    return geometry->vertices != NULL;
}

// ---- Skins ----

static bool read_weights(part *part, const ufbx_skin_deformer *skin) {
    lmb_importer *importer = part->fbx->tables.importer;
    uint32_t wrong = 0;
    bool lost = false;
    for (uint32_t i = 0; i < part->corner_count; i++) {
        const uint32_t vertex = part->corners[i].vertex;
        const ufbx_skin_vertex none = {0};
        const ufbx_skin_vertex *weights = vertex < skin->vertices.count ? &skin->vertices.data[vertex] : &none;
        for (uint32_t k = 0; k < weights->num_weights; k++) {
            const ufbx_skin_weight *weight = &skin->weights.data[weights->weight_begin + k];
            const bool is_good = weight->weight >= 0.0 && weight->weight <= (double)LMB_LARGEST;
            wrong += !is_good;
            lost |= is_good && weight->weight > 0.0 &&
                    lmb_gltf_add_influence(&part->geometry.vertices[i], weight->cluster_index, (float)weight->weight);
        }
    }
    return (wrong == 0 ||
            lmb_importer_note(importer, "mesh '%.200s': %" PRIu32 " weights below 0, or that are no numbers, left out",
                              part->name, wrong)) &&
           lmb_gltf_normalise_weights(&part->fbx->tables, part->name, lost, &part->geometry);
}

// ---- Blend shapes ----

// The displacement of a vertex by a shape.
static lmb_skin_delta delta_of(const ufbx_blend_shape *shape, uint32_t vertex, uint32_t in_file) {
    const uint32_t offset = ufbx_get_blend_shape_offset_index(shape, in_file);
    lmb_skin_delta delta = {.vertex = vertex};
    for (int i = 0; i < 3 && offset < shape->num_offsets; i++) {
        delta.position[i] = (float)shape->position_offsets.data[offset].v[i];
        delta.normal[i] = offset < shape->normal_offsets.count ? (float)shape->normal_offsets.data[offset].v[i] : 0.0f;
    }
    return delta;
}

static bool is_displaced(const lmb_skin_delta *delta) {
    bool is_displaced = false;
    for (int i = 0; i < 3; i++) {
        is_displaced = is_displaced || delta->position[i] != 0.0f || delta->normal[i] != 0.0f;
    }
    return is_displaced;
}

static bool is_delta_finite(const lmb_skin_delta *delta) {
    bool finite = true;
    for (int i = 0; i < 3; i++) {
        finite = finite && fabsf(delta->position[i]) <= LMB_LARGEST && fabsf(delta->normal[i]) <= LMB_LARGEST;
    }
    return finite;
}

static bool read_deltas(part *part, const ufbx_blend_shape *shape, lmb_skin_target *target) {
    lmb_importer *importer = part->fbx->tables.importer;
    uint32_t count = 0;
    if (!lmb_importer_decode(importer, part->corner_count * sizeof(lmb_skin_delta))) {
        return false;
    }
    for (uint32_t i = 0; i < part->corner_count; i++) {
        const lmb_skin_delta delta = delta_of(shape, i, part->corners[i].vertex);
        if (!is_delta_finite(&delta)) {
            return lmb_importer_fail(importer, LMB_ERROR_FORMAT,
                                     "blend shape '%.200s': vertex %" PRIu32 " is displaced by what is no number",
                                     shape->name.data, part->corners[i].vertex);
        }
        count += is_displaced(&delta);
    }
    lmb_skin_delta *deltas = lmb_importer_keep(importer, count, sizeof *deltas);
    for (uint32_t i = 0; deltas != NULL && i < part->corner_count; i++) {
        const lmb_skin_delta delta = delta_of(shape, i, part->corners[i].vertex);
        if (is_displaced(&delta)) {
            deltas[target->delta_count++] = delta;
        }
    }
    target->deltas = deltas;
    return deltas != NULL;
}

static bool read_target(part *part, const ufbx_blend_channel *channel, size_t shape) {
    lmb_gltf *tables = &part->fbx->tables;
    lmb_importer *importer = tables->importer;
    lmb_skin_target *target = &part->geometry.targets[part->geometry.target_count++];
    target->channel = tables->channel_of[part->fbx->channel_at[channel->typed_id] + shape];
    target->name = lmb_importer_copy_text(importer, &importer->import->pool,
                                          lmb_rig_get_def(importer->import->rig)->channels[target->channel].name);
    return target->name != NULL && read_deltas(part, channel->keyframes.data[shape].shape, target);
}

static bool read_targets(part *part) {
    const ufbx_blend_deformer_list *deformers = &part->mesh->blend_deformers;
    size_t count = 0;
    for (size_t i = 0; i < deformers->count; i++) {
        for (size_t k = 0; k < deformers->data[i]->channels.count; k++) {
            count += deformers->data[i]->channels.data[k]->keyframes.count;
        }
    }
    part->geometry.targets =
        count == 0 ? NULL : lmb_importer_keep(part->fbx->tables.importer, count, sizeof *part->geometry.targets);
    bool success = count == 0 || part->geometry.targets != NULL;
    for (size_t i = 0; i < deformers->count; i++) {
        for (size_t k = 0; k < deformers->data[i]->channels.count; k++) {
            const ufbx_blend_channel *channel = deformers->data[i]->channels.data[k];
            for (size_t shape = 0; success && shape < channel->keyframes.count; shape++) {
                success = read_target(part, channel, shape);
            }
        }
    }
    return success;
}

// ---- Meshes ----

// A geometric transform moves the mesh of a node, and not its children.
static lmb_gltf_node with_geometry(const lmb_gltf_node *node, const ufbx_node *source) {
    lmb_gltf_node result = *node;
    result.to_anchor = lmb_affine_multiply(node->to_anchor, lmb_fbx_affine(&source->geometry_to_node));
    return result;
}

static bool build_part(part *part, const lmb_gltf_node *node) {
    lmb_gltf *tables = &part->fbx->tables;
    lmb_importer *importer = tables->importer;
    const ufbx_skin_deformer *deformer = lmb_fbx_skin_of(part->mesh);
    const lmb_gltf_skin *skin = deformer != NULL ? part->fbx->skin_of[deformer->typed_id] : NULL;
    const lmb_gltf_node placed = with_geometry(node, part->node);
    const lmb_gltf_place place = lmb_gltf_place_of("mesh '%.100s'", part->name);
    lmb_gltf_material material;
    if (!read_material(part, &material) || !read_faces(part) || !read_vertices(part) ||
        !lmb_gltf_turn_normals(tables, part->name, &part->geometry) ||
        (skin != NULL && !read_weights(part, deformer)) || !read_targets(part)) {
        return false;
    }
    lmb_pool_release(&importer->scratch, part->corners);
    return lmb_gltf_add_mesh(tables, &placed, skin, part->name, place.text, &material, &part->geometry);
}

static bool build_mesh(lmb_fbx *fbx, const lmb_gltf_node *node, const ufbx_node *source) {
    lmb_importer *importer = fbx->tables.importer;
    const ufbx_mesh *mesh = source->mesh;
    const char *name = mesh->name.length > 0 ? mesh->name.data : node->name;
    if (mesh->num_triangles == 0) {
        return lmb_importer_note(importer, "mesh '%.200s' has no polygons: left out", name);
    }
    if (lmb_fbx_skin_of(mesh) == NULL && node->anchor == LMB_NONE) {
        return lmb_importer_note(importer, "mesh '%.150s' of node '%.150s' hangs on no joint: left out", name,
                                 node->name);
    }
    bool success = true;
    for (size_t i = 0; success && i < mesh->material_parts.count; i++) {
        part part = {.fbx = fbx, .node = source, .mesh = mesh, .source = &mesh->material_parts.data[i], .name = name};
        success = part.source->num_triangles == 0 || build_part(&part, node);
    }
    return success;
}

bool lmb_fbx_build_meshes(lmb_fbx *fbx) {
    lmb_gltf *tables = &fbx->tables;
    const ufbx_scene *scene = fbx->scene;
    bool success =
        lmb_gltf_prepare_cache(tables, (uint32_t)scene->materials.count, (uint32_t)scene->texture_files.count);
    for (uint32_t i = 0; success && i < tables->node_count; i++) {
        const ufbx_node *source = fbx->sources[i];
        success = source->mesh == NULL || build_mesh(fbx, &tables->nodes[i], source);
    }
    return success;
}
