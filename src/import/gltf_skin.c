// Reads skins: their joints and inverse bind matrices.
#include "gltf.h"

#include <inttypes.h>
#include <math.h>

// `marks` holds, per node, 1 + the index of the last skin that names it.
static bool read_joints(lmb_gltf *gltf, const lmb_gltf_object *object, uint32_t index, uint32_t *marks,
                        lmb_gltf_skin *skin) {
    lmb_importer *importer = gltf->importer;
    lmb_gltf_list list;
    if (!lmb_gltf_require(gltf, object, "joints") ||
        !lmb_gltf_read_list(gltf, &importer->scratch, object, "joints", LMB_JSON_NUMBER, &list)) {
        return false;
    }
    skin->joint_count = list.count;
    skin->to_model = lmb_affine_identity();
    skin->nodes = lmb_importer_allocate(importer, &importer->scratch, list.count, sizeof(uint32_t));
    if (skin->nodes == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t node = 0;
        if (!lmb_gltf_check_index(gltf, object, "joints", list.values[i], gltf->node_count, "nodes", &node)) {
            return false;
        }
        if (marks[node] == index + 1) {
            return lmb_gltf_fail(gltf, object, "joints", "nodes[%" PRIu32 "] occurs twice", node);
        }
        marks[node] = index + 1;
        skin->nodes[i] = node;
    }
    lmb_pool_release(&importer->scratch, (void *)list.values);
    return true;
}

static bool set_inverse_bind(lmb_gltf *gltf, const lmb_gltf_object *object, uint32_t joint, const float matrix[16],
                             lmb_affine *inverse_bind) {
    const float last_row[4] = {0, 0, 0, 1};
    for (int column = 0; column < 4; column++) {
        if (!(fabsf(matrix[column * 4 + 3] - last_row[column]) <= 1e-4f)) {
            return lmb_gltf_fail(gltf, object, "inverseBindMatrices",
                                 "matrix %" PRIu32 " has a last row that is not 0 0 0 1", joint);
        }
        for (int row = 0; row < 3; row++) {
            inverse_bind->m[row][column] = matrix[column * 4 + row];
        }
    }
    return true;
}

static bool read_inverse_binds(lmb_gltf *gltf, const lmb_gltf_object *object, lmb_gltf_skin *skin) {
    lmb_importer *importer = gltf->importer;
    uint32_t index = LMB_NONE;
    skin->inverse_binds = lmb_importer_allocate(importer, &importer->scratch, skin->joint_count, sizeof(lmb_affine));
    if (skin->inverse_binds == NULL ||
        !lmb_gltf_read_index(gltf, object, "inverseBindMatrices", gltf->accessor_count, "accessors", &index)) {
        return false;
    }
    if (index == LMB_NONE) {
        for (uint32_t i = 0; i < skin->joint_count; i++) {
            skin->inverse_binds[i] = lmb_affine_identity();
        }
        return true;
    }
    const lmb_gltf_accessor *accessor = &gltf->accessors[index];
    if (accessor->shape != LMB_GLTF_MAT4 || accessor->component != LMB_GLTF_FLOAT ||
        accessor->count < skin->joint_count) {
        return lmb_gltf_fail(gltf, object, "inverseBindMatrices",
                             "accessor %" PRIu32 " does not hold %" PRIu32 " MAT4 of floats, one for each joint", index,
                             skin->joint_count);
    }
    float *matrices = lmb_importer_allocate(importer, &importer->scratch, skin->joint_count, 16 * sizeof(float));
    if (matrices == NULL || !lmb_gltf_decode_floats(gltf, index, skin->joint_count, matrices)) {
        return false;
    }
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        if (!set_inverse_bind(gltf, object, i, matrices + (size_t)i * 16, &skin->inverse_binds[i])) {
            return false;
        }
    }
    lmb_pool_release(&importer->scratch, matrices);
    return true;
}

static bool read_skin(lmb_gltf *gltf, const lmb_gltf_object *object, uint32_t index, uint32_t *marks) {
    uint32_t skeleton = LMB_NONE; // only checked: the joints contain all that is needed
    return read_joints(gltf, object, index, marks, &gltf->skins[index]) &&
           read_inverse_binds(gltf, object, &gltf->skins[index]) &&
           lmb_gltf_read_index(gltf, object, "skeleton", gltf->node_count, "nodes", &skeleton);
}

bool lmb_gltf_read_skins(lmb_gltf *gltf) {
    lmb_importer *importer = gltf->importer;
    lmb_gltf_list list;
    if (!lmb_gltf_read_list(gltf, &importer->scratch, &gltf->root, "skins", LMB_JSON_OBJECT, &list)) {
        return false;
    }
    gltf->skin_count = list.count;
    gltf->skins = lmb_importer_allocate(importer, &importer->scratch, list.count, sizeof(lmb_gltf_skin));
    uint32_t *marks = gltf->skins == NULL
                          ? NULL
                          : lmb_importer_allocate(importer, &importer->scratch, gltf->node_count, sizeof(uint32_t));
    for (uint32_t i = 0; marks != NULL && i < list.count; i++) {
        lmb_gltf_object object = lmb_gltf_item(&list, i);
        if (!read_skin(gltf, &object, i, marks)) {
            return false;
        }
    }
    return marks != NULL;
}
