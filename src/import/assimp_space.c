// Finds the units and axes of an Assimp scene, and converts transforms to metres with Y up.
#include "assimp_scene.h"

#include <math.h>
#include <string.h>

#define METRES_PER_CENTIMETRE 0.01f
// Relative difference up to which the three scales of a scene's root count as equal.
#define SAME_SCALE 1e-4f

static const struct aiMetadataEntry *find_entry(const lmb_assimp *assimp, const char *key) {
    const struct aiMetadata *metadata = assimp->scene->mMetaData;
    for (unsigned i = 0; metadata != NULL && i < metadata->mNumProperties; i++) {
        if (strcmp(metadata->mKeys[i].data, key) == 0 && metadata->mValues[i].mData != NULL) {
            return &metadata->mValues[i];
        }
    }
    return NULL;
}

static int32_t integer_of(const lmb_assimp *assimp, const char *key, int32_t otherwise) {
    const struct aiMetadataEntry *entry = find_entry(assimp, key);
    int32_t value = otherwise;
    if (entry != NULL && entry->mType == AI_INT32) {
        memcpy(&value, entry->mData, sizeof value);
    }
    return value;
}

static float float_of(const lmb_assimp *assimp, const char *key, float otherwise) {
    const struct aiMetadataEntry *entry = find_entry(assimp, key);
    float value = otherwise;
    if (entry != NULL && entry->mType == AI_FLOAT) {
        memcpy(&value, entry->mData, sizeof value);
    } else if (entry != NULL && entry->mType == AI_DOUBLE) {
        double wide;
        memcpy(&wide, entry->mData, sizeof wide);
        value = (float)wide;
    }
    return value;
}

// Sets one row of a column-major matrix: which axis of the file becomes this axis.
static bool set_axis(const lmb_assimp *assimp, int row, const char *axis_key, int32_t axis, const char *sign_key,
                     float matrix[16]) {
    axis = integer_of(assimp, axis_key, axis);
    int32_t sign = integer_of(assimp, sign_key, 1);
    if (axis < 0 || axis > 2 || (sign != 1 && sign != -1)) {
        return lmb_importer_fail(assimp->tables.importer, LMB_ERROR_FORMAT, "GlobalSettings: %s is %d, %s is %d",
                                 axis_key, (int)axis, sign_key, (int)sign);
    }
    matrix[axis * 4 + row] = (float)sign;
    return true;
}

static float determinant(const float m[16]) {
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[4] * (m[1] * m[10] - m[2] * m[9]) +
           m[8] * (m[1] * m[6] - m[2] * m[5]);
}

// Assimp reports units and axes of an FBX file as metadata, and does not apply them to the scene.
static bool read_fbx_settings(const lmb_assimp *assimp, float *scale, float matrix[16]) {
    lmb_importer *importer = assimp->tables.importer;
    if (!set_axis(assimp, 0, "CoordAxis", 0, "CoordAxisSign", matrix) ||
        !set_axis(assimp, 1, "UpAxis", 1, "UpAxisSign", matrix) ||
        !set_axis(assimp, 2, "FrontAxis", 2, "FrontAxisSign", matrix)) {
        return false;
    }
    if (determinant(matrix) < 0) {
        return lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED, "GlobalSettings: the axes are left-handed");
    }
    if (determinant(matrix) < 0.5f) {
        return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "GlobalSettings: two axes are one");
    }
    float centimetres = float_of(assimp, "UnitScaleFactor", 1);
    if (!(centimetres >= 1e-6f && centimetres <= 1e6f)) {
        return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "GlobalSettings: UnitScaleFactor is %g",
                                 (double)centimetres);
    }
    *scale = centimetres * METRES_PER_CENTIMETRE;
    return true;
}

void lmb_assimp_column_major(const struct aiMatrix4x4 *m, float result[16]) {
    const float columns[16] = {m->a1, m->b1, m->c1, m->d1, m->a2, m->b2, m->c2, m->d2,
                               m->a3, m->b3, m->c3, m->d3, m->a4, m->b4, m->c4, m->d4};
    memcpy(result, columns, sizeof columns);
}

static bool is_identity(const float matrix[16]) {
    for (int i = 0; i < 16; i++) {
        if (matrix[i] != (i % 5 == 0 ? 1.0f : 0.0f)) {
            return false;
        }
    }
    return true;
}

static bool set_space(lmb_assimp *assimp, float unit, const float matrix[16]) {
    lmb_transform root;
    const char *reason = lmb_gltf_decompose(matrix, &root);
    float scale = root.scale[0];
    if (reason == NULL && !(scale > 0 && fabsf(root.scale[1] - scale) <= SAME_SCALE * scale &&
                            fabsf(root.scale[2] - scale) <= SAME_SCALE * scale)) {
        reason = "it mirrors, flattens or stretches";
    }
    if (reason != NULL) {
        return lmb_importer_fail(assimp->tables.importer, LMB_ERROR_UNSUPPORTED, "the scene's own matrix: %s", reason);
    }
    assimp->space.scale = unit * scale;
    for (int i = 0; i < 3; i++) {
        root.translation[i] *= unit;
        root.scale[i] = 1;
    }
    assimp->space.turn_parts = root;
    assimp->space.turn = lmb_affine_from_transform(root);
    return true;
}

bool lmb_assimp_find_space(lmb_assimp *assimp) {
    float root[16];
    float axes[16] = {[15] = 1};
    float unit = 1;
    lmb_assimp_column_major(&assimp->scene->mRootNode->mTransformation, root);
    switch (assimp->format) {
    case LMB_FORMAT_FBX:
        if (!read_fbx_settings(assimp, &unit, axes)) {
            return false;
        }
        // A root that is rotated already comes from a later version of Assimp, which applies the axes itself.
        return set_space(assimp, unit, is_identity(root) ? axes : root);
    case LMB_FORMAT_COLLADA:
        return set_space(assimp, unit, root); // the root's matrix contains unit and axes
    default:
        axes[0] = axes[5] = axes[10] = 1; // the root is a joint; the format does not define a unit, and centimetres are
                                          // assumed
        return set_space(assimp, METRES_PER_CENTIMETRE, axes);
    }
}

lmb_transform lmb_assimp_place(const lmb_assimp_space *space, lmb_transform local, bool is_top) {
    for (int i = 0; i < 3; i++) {
        local.translation[i] *= space->scale;
    }
    if (!is_top) {
        return local;
    }
    lmb_transform placed = local;
    for (int row = 0; row < 3; row++) {
        const float *m = space->turn.m[row];
        placed.translation[row] =
            m[0] * local.translation[0] + m[1] * local.translation[1] + m[2] * local.translation[2] + m[3];
    }
    const float *p = space->turn_parts.rotation;
    const float *q = local.rotation;
    placed.rotation[0] = p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1];
    placed.rotation[1] = p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0];
    placed.rotation[2] = p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3];
    placed.rotation[3] = p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2];
    return placed;
}
