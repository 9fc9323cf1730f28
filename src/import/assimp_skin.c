// Reads the bones of Assimp's meshes as skins, and marks the joints of the rig.
#include "assimp_scene.h"

#include <inttypes.h>

static bool read_bone(lmb_assimp *assimp, const struct aiMesh *mesh, unsigned index, const lmb_affine *from_model,
                      lmb_gltf_skin *skin) {
    lmb_gltf *tables = &assimp->tables;
    const struct aiBone *bone = mesh->mBones[index];
    uint32_t node = lmb_names_find(assimp->node_names, tables->node_count, bone->mName.data);
    if (node == LMB_NONE) {
        return lmb_importer_fail(tables->importer, LMB_ERROR_FORMAT, "mesh '%.100s': no node is called '%.100s'",
                                 mesh->mName.data, bone->mName.data);
    }
    float matrix[16];
    lmb_assimp_column_major(&bone->mOffsetMatrix, matrix);
    lmb_affine bind;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            bind.m[row][column] = matrix[column * 4 + row] * (column == 3 ? assimp->space.scale : 1);
        }
    }
    skin->nodes[index] = node;
    skin->inverse_binds[index] = lmb_affine_multiply(bind, *from_model);
    return true;
}

// Assimp's bind matrices start from the mesh, the rig's from model space, so they are multiplied by the inverse of the
// node's model matrix.
static bool read_skin(lmb_assimp *assimp, const struct aiMesh *mesh, lmb_affine model, lmb_gltf_skin *skin) {
    lmb_importer *importer = assimp->tables.importer;
    lmb_affine from_model;
    if (!lmb_affine_invert(model, &from_model)) {
        model = from_model = lmb_affine_identity();
    }
    skin->to_model = model;
    skin->joint_count = mesh->mNumBones;
    skin->nodes = lmb_importer_allocate(importer, &importer->scratch, mesh->mNumBones, sizeof(uint32_t));
    skin->inverse_binds =
        skin->nodes == NULL ? NULL
                            : lmb_importer_allocate(importer, &importer->scratch, mesh->mNumBones, sizeof(lmb_affine));
    if (skin->inverse_binds == NULL) {
        return false;
    }
    for (unsigned i = 0; i < mesh->mNumBones; i++) {
        if (!read_bone(assimp, mesh, i, &from_model, skin)) {
            return false;
        }
    }
    return true;
}

// Marks the bones, all their descendants and all their ancestors. Joints that move no vertex themselves, such as the
// tips of fingers, are thereby in the rig too.
static void mark_around_bones(lmb_gltf *tables) {
    for (uint32_t s = 0; s < tables->skin_count; s++) {
        for (uint32_t i = 0; i < tables->skins[s].joint_count; i++) {
            tables->nodes[tables->skins[s].nodes[i]].in_rig = true;
        }
    }
    for (uint32_t i = 0; i < tables->node_count; i++) {
        lmb_gltf_node *node = &tables->nodes[i];
        node->in_rig |= node->parent != LMB_NONE && tables->nodes[node->parent].in_rig;
    }
    for (uint32_t i = tables->node_count; i-- > 0;) {
        const lmb_gltf_node *node = &tables->nodes[i];
        if (node->in_rig && node->parent != LMB_NONE) {
            tables->nodes[node->parent].in_rig = true;
        }
    }
}

static bool count_skins(lmb_assimp *assimp, uint32_t *count) {
    const struct aiScene *scene = assimp->scene;
    *count = 0;
    for (uint32_t i = 0; i < assimp->tables.node_count; i++) {
        const struct aiNode *node = assimp->sources[i];
        for (unsigned k = 0; k < node->mNumMeshes; k++) {
            if (node->mMeshes[k] >= scene->mNumMeshes) {
                return lmb_importer_fail(assimp->tables.importer, LMB_ERROR_FORMAT,
                                         "node '%.100s' has mesh %u, there are %u", node->mName.data, node->mMeshes[k],
                                         scene->mNumMeshes);
            }
            *count += scene->mMeshes[node->mMeshes[k]]->mNumBones > 0;
        }
    }
    return true;
}

bool lmb_assimp_read_skins(lmb_assimp *assimp) {
    lmb_gltf *tables = &assimp->tables;
    lmb_importer *importer = tables->importer;
    uint32_t count = 0;
    if (!count_skins(assimp, &count)) {
        return false;
    }
    tables->skins = lmb_importer_allocate(importer, &importer->scratch, count, sizeof(lmb_gltf_skin));
    lmb_affine *models = tables->skins == NULL ? NULL
                                               : lmb_importer_allocate(importer, &importer->scratch, tables->node_count,
                                                                       sizeof(lmb_affine));
    for (uint32_t i = 0; models != NULL && i < tables->node_count; i++) {
        const lmb_gltf_node *node = &tables->nodes[i];
        lmb_affine local = lmb_affine_from_transform(node->rest);
        models[i] = node->parent == LMB_NONE ? local : lmb_affine_multiply(models[node->parent], local);
        for (unsigned k = 0; k < assimp->sources[i]->mNumMeshes; k++) {
            const struct aiMesh *mesh = assimp->scene->mMeshes[assimp->sources[i]->mMeshes[k]];
            if (mesh->mNumBones > 0 && !read_skin(assimp, mesh, models[i], &tables->skins[tables->skin_count++])) {
                return false;
            }
        }
    }
    mark_around_bones(tables);
    return models != NULL;
}
