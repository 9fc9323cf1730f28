// Builds meshes from the nodes of an Assimp scene.
#include "assimp_scene.h"

#include <inttypes.h>

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
           lmb_assimp_read_material(assimp, mesh->mMaterialIndex, &material) &&
           lmb_assimp_read_geometry(assimp, mesh, name, skin, &geometry) &&
           lmb_gltf_add_mesh(tables, node, skin, name, place.text, &material, &geometry);
}

bool lmb_assimp_build_meshes(lmb_assimp *assimp) {
    lmb_gltf *tables = &assimp->tables;
    const lmb_gltf_skin *skin = tables->skins;
    if (!lmb_assimp_prepare_materials(assimp)) {
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
