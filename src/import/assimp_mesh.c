// Builds meshes and materials of an Assimp scene.
#include "assimp.h"

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Finds a texture inside the file: it is named "*0", "*1" and so on, or by the name of its original file.
static uint32_t find_texture(const struct aiScene *scene, const char *path) {
    if (path[0] == '*' && path[1] >= '0' && path[1] <= '9') {
        unsigned long index = strtoul(path + 1, NULL, 10);
        return index < scene->mNumTextures ? (uint32_t)index : LMB_NONE;
    }
    for (unsigned i = 0; i < scene->mNumTextures; i++) {
        const char *name = lmb_gltf_base_name(scene->mTextures[i]->mFilename.data);
        if (name[0] != '\0' && strcmp(name, lmb_gltf_base_name(path)) == 0) {
            return i;
        }
    }
    return LMB_NONE;
}

// A texture with a height of 0 is an encoded file of `mWidth` bytes.
static bool use_texture(lmb_assimp *assimp, const char *path, uint32_t *image) {
    uint32_t index = find_texture(assimp->scene, path);
    if (index == LMB_NONE) {
        return lmb_importer_note(assimp->tables.importer, "image '%.200s' is not inside the file: left out", path);
    }
    const struct aiTexture *texture = assimp->scene->mTextures[index];
    const char *name =
        texture->mFilename.length > 0 ? lmb_gltf_base_name(texture->mFilename.data) : lmb_gltf_base_name(path);
    const bool is_file = texture->mHeight == 0 && texture->pcData != NULL;
    const lmb_image file = {
        .name = name, .bytes = (const uint8_t *)texture->pcData, .size = is_file ? texture->mWidth : 0};
    bool success = assimp->tables.image_of[index] != LMB_NONE || lmb_gltf_keep_image(&assimp->tables, index, file);
    *image = assimp->tables.image_of[index];
    return success;
}

static bool read_properties(lmb_assimp *assimp, const struct aiMaterial *source, lmb_gltf_material *material) {
    struct aiColor4D color;
    int two_sided = 0;
    struct aiString path;
    material->look.metallic = 0;
    if (aiGetMaterialColor(source, AI_MATKEY_COLOR_DIFFUSE, &color) == aiReturn_SUCCESS) {
        material->look.base_color[0] = lmb_gltf_linear_of(color.r);
        material->look.base_color[1] = lmb_gltf_linear_of(color.g);
        material->look.base_color[2] = lmb_gltf_linear_of(color.b);
    }
    if (aiGetMaterialIntegerArray(source, AI_MATKEY_TWOSIDED, &two_sided, NULL) == aiReturn_SUCCESS) {
        material->look.double_sided = two_sided != 0;
    }
    if (aiGetMaterialTexture(source, aiTextureType_DIFFUSE, 0, &path, NULL, NULL, NULL, NULL, NULL, NULL) !=
        aiReturn_SUCCESS) {
        return true;
    }
    if (!use_texture(assimp, path.data, &material->look.image)) {
        return false;
    }
    for (int i = 0; material->look.image != LMB_NONE && i < 3; i++) {
        material->look.base_color[i] = 1; // these formats show the texture instead of the colour
    }
    return true;
}

static bool read_material(lmb_assimp *assimp, uint32_t index, lmb_gltf_material *material) {
    *material = lmb_gltf_default_material();
    material->look.metallic = 0; // these formats know no metal
    if (index >= assimp->scene->mNumMaterials) {
        return true;
    }
    lmb_gltf_material *cached = &assimp->tables.material_cache[index];
    if (!cached->is_read) {
        if (!read_properties(assimp, assimp->scene->mMaterials[index], cached)) {
            return false;
        }
        cached->is_read = true;
    }
    *material = *cached;
    return true;
}

// ---- Geometry ----

static bool fail_vertex(const lmb_assimp *assimp, const char *name, unsigned vertex, const char *what) {
    return lmb_importer_fail(assimp->tables.importer, LMB_ERROR_FORMAT, "mesh '%.200s': vertex %u has %s", name, vertex,
                             what);
}

static bool is_finite(const struct aiVector3D *v) {
    return isfinite(v->x) && isfinite(v->y) && isfinite(v->z);
}

static bool read_vertices(lmb_assimp *assimp, const struct aiMesh *mesh, const char *name,
                          lmb_gltf_geometry *geometry) {
    lmb_importer *importer = assimp->tables.importer;
    geometry->vertex_count = mesh->mNumVertices;
    geometry->has_normals = mesh->mNormals != NULL;
    geometry->vertices = lmb_importer_keep(importer, mesh->mNumVertices, sizeof(lmb_vertex));
    for (unsigned i = 0; geometry->vertices != NULL && i < mesh->mNumVertices; i++) {
        lmb_vertex *vertex = &geometry->vertices[i];
        const struct aiVector3D *position = &mesh->mVertices[i];
        if (!is_finite(position)) {
            return fail_vertex(assimp, name, i, "a position that is not finite");
        }
        const float scaled[3] = {position->x * assimp->space.scale, position->y * assimp->space.scale,
                                 position->z * assimp->space.scale};
        memcpy(vertex->position, scaled, sizeof scaled);
        // Some exporters write normals that are not finite. Such a normal stays zero here and gets an arbitrary
        // direction later.
        if (geometry->has_normals && is_finite(&mesh->mNormals[i])) {
            memcpy(vertex->normal, &mesh->mNormals[i], sizeof vertex->normal);
        }
        if (mesh->mTextureCoords[0] != NULL && is_finite(&mesh->mTextureCoords[0][i])) {
            vertex->texcoord[0] = mesh->mTextureCoords[0][i].x;
            vertex->texcoord[1] = 1 - mesh->mTextureCoords[0][i].y; // Assimp counts from the bottom of the image
        }
    }
    return geometry->vertices != NULL;
}

static bool read_indices(lmb_assimp *assimp, const struct aiMesh *mesh, const char *name, lmb_gltf_geometry *geometry) {
    lmb_importer *importer = assimp->tables.importer;
    if (mesh->mNumFaces > UINT32_MAX / 3) {
        return lmb_importer_fail(importer, LMB_ERROR_LIMIT, "mesh '%.200s' has %u triangles", name, mesh->mNumFaces);
    }
    geometry->index_count = mesh->mNumFaces * 3;
    geometry->indices = lmb_importer_keep(importer, geometry->index_count, sizeof(uint32_t));
    for (unsigned i = 0; geometry->indices != NULL && i < geometry->index_count; i++) {
        const struct aiFace *face = &mesh->mFaces[i / 3];
        if (face->mNumIndices != 3 || face->mIndices[i % 3] >= mesh->mNumVertices) {
            return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "mesh '%.200s': face %u is no triangle of %u vertices",
                                     name, i / 3, mesh->mNumVertices);
        }
        geometry->indices[i] = face->mIndices[i % 3];
    }
    return geometry->indices != NULL;
}

static bool read_weights(lmb_assimp *assimp, const struct aiMesh *mesh, const char *name, lmb_gltf_geometry *geometry,
                         bool *lost) {
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        const struct aiBone *bone = mesh->mBones[b];
        for (unsigned i = 0; i < bone->mNumWeights; i++) {
            const struct aiVertexWeight *weight = &bone->mWeights[i];
            if (weight->mVertexId >= mesh->mNumVertices || !isfinite(weight->mWeight) || weight->mWeight < 0) {
                return lmb_importer_fail(assimp->tables.importer, LMB_ERROR_FORMAT,
                                         "mesh '%.100s': joint '%.100s' moves vertex %u of %u with the weight %g", name,
                                         bone->mName.data, weight->mVertexId, mesh->mNumVertices,
                                         (double)weight->mWeight);
            }
            *lost |= weight->mWeight > 0 &&
                     lmb_gltf_add_influence(&geometry->vertices[weight->mVertexId], b, weight->mWeight);
        }
    }
    return true;
}

static bool read_skinning(lmb_assimp *assimp, const struct aiMesh *mesh, const char *name,
                          lmb_gltf_geometry *geometry) {
    bool lost = false;
    return read_weights(assimp, mesh, name, geometry, &lost) &&
           lmb_gltf_normalise_weights(&assimp->tables, name, lost, geometry);
}

static bool read_geometry(lmb_assimp *assimp, const struct aiMesh *mesh, const char *name, const lmb_gltf_skin *skin,
                          lmb_gltf_geometry *geometry) {
    *geometry = (lmb_gltf_geometry){0};
    return read_vertices(assimp, mesh, name, geometry) && read_indices(assimp, mesh, name, geometry) &&
           lmb_gltf_turn_normals(&assimp->tables, name, geometry) &&
           (skin == NULL || read_skinning(assimp, mesh, name, geometry));
}

// ---- Meshes ----

static bool build_mesh(lmb_assimp *assimp, const lmb_gltf_node *node, unsigned index, const lmb_gltf_skin *skin) {
    lmb_gltf *tables = &assimp->tables;
    const struct aiMesh *mesh = assimp->scene->mMeshes[index];
    const char *name = mesh->mName.length > 0 ? mesh->mName.data : node->name;
    if ((mesh->mPrimitiveTypes & aiPrimitiveType_TRIANGLE) == 0 || mesh->mNumFaces == 0 || mesh->mVertices == NULL) {
        return lmb_importer_note(tables->importer, "mesh '%.200s' has points or lines alone: left out", name);
    }
    if (skin == NULL && node->anchor == LMB_NONE) {
        return lmb_importer_note(tables->importer, "mesh '%.150s' of node '%.150s' hangs on no joint: left out", name,
                                 node->name);
    }
    lmb_gltf_material material;
    lmb_gltf_geometry geometry;
    lmb_gltf_place place = lmb_gltf_place_of("meshes[%u]", index);
    return (mesh->mNumAnimMeshes == 0 ||
            lmb_importer_note(tables->importer, "mesh '%.200s': morph targets skipped", name)) &&
           read_material(assimp, mesh->mMaterialIndex, &material) &&
           read_geometry(assimp, mesh, name, skin, &geometry) &&
           lmb_gltf_add_mesh(tables, node, skin, name, place.text, &material, &geometry);
}

bool lmb_assimp_build_meshes(lmb_assimp *assimp) {
    lmb_gltf *tables = &assimp->tables;
    const lmb_gltf_skin *skin = tables->skins;
    if (!lmb_gltf_prepare_cache(tables, assimp->scene->mNumMaterials, assimp->scene->mNumTextures)) {
        return false;
    }
    for (uint32_t i = 0; i < tables->node_count; i++) {
        const struct aiNode *source = assimp->sources[i];
        for (unsigned k = 0; k < source->mNumMeshes; k++) {
            bool has_skin = assimp->scene->mMeshes[source->mMeshes[k]]->mNumBones > 0;
            if (!build_mesh(assimp, &tables->nodes[i], source->mMeshes[k], has_skin ? skin++ : NULL)) {
                return false;
            }
        }
    }
    return true;
}
