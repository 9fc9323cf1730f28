// Reads the vertices, triangles and influences of an Assimp mesh.
#include "assimp_scene.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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
    geometry->vertices =
        lmb_importer_allocate(importer, &importer->import->pool, mesh->mNumVertices, sizeof(lmb_vertex));
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
    geometry->indices =
        lmb_importer_allocate(importer, &importer->import->pool, geometry->index_count, sizeof(uint32_t));
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

// Adds an influence. If the vertex has the maximum number of influences, the new one replaces the smallest if it is
// larger. Returns whether an influence was lost.
static bool add_influence(lmb_vertex *vertex, uint32_t joint, float weight) {
    uint32_t smallest = 0;
    for (uint32_t i = 1; i < LMB_MAX_INFLUENCES; i++) {
        smallest = vertex->weights[i] < vertex->weights[smallest] ? i : smallest;
    }
    bool lost = vertex->weights[smallest] > 0;
    if (weight > vertex->weights[smallest]) {
        vertex->weights[smallest] = weight;
        vertex->joints[smallest] = joint;
    }
    return lost;
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
            *lost |= weight->mWeight > 0 && add_influence(&geometry->vertices[weight->mVertexId], b, weight->mWeight);
        }
    }
    return true;
}

// Normalises the weights to a sum of 1. A vertex without weights is bound to the skin's first joint.
static uint32_t normalise_weights(lmb_gltf_geometry *geometry) {
    uint32_t weightless = 0;
    for (uint32_t i = 0; i < geometry->vertex_count; i++) {
        lmb_vertex *vertex = &geometry->vertices[i];
        double sum = 0;
        for (uint32_t k = 0; k < LMB_MAX_INFLUENCES; k++) {
            sum += vertex->weights[k];
        }
        if (sum == 0) {
            vertex->weights[0] = 1;
            weightless++;
            continue;
        }
        for (uint32_t k = 0; k < LMB_MAX_INFLUENCES; k++) {
            vertex->weights[k] = (float)(vertex->weights[k] / sum);
        }
    }
    return weightless;
}

static bool read_skinning(lmb_assimp *assimp, const struct aiMesh *mesh, const char *name,
                          lmb_gltf_geometry *geometry) {
    lmb_importer *importer = assimp->tables.importer;
    bool lost = false;
    if (!read_weights(assimp, mesh, name, geometry, &lost)) {
        return false;
    }
    uint32_t weightless = normalise_weights(geometry);
    return (!lost || lmb_importer_note(importer, "mesh '%.200s': influences of a vertex beyond 8 left out", name)) &&
           (weightless == 0 ||
            lmb_importer_note(importer,
                              "mesh '%.200s': %" PRIu32 " vertices without weights hang on the skin's first joint",
                              name, weightless));
}

bool lmb_assimp_read_geometry(lmb_assimp *assimp, const struct aiMesh *mesh, const char *name,
                              const lmb_gltf_skin *skin, lmb_gltf_geometry *geometry) {
    *geometry = (lmb_gltf_geometry){0};
    return read_vertices(assimp, mesh, name, geometry) && read_indices(assimp, mesh, name, geometry) &&
           (skin == NULL || read_skinning(assimp, mesh, name, geometry));
}
