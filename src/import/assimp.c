// Reads FBX and Collada files with Assimp, and builds rig, clips and meshes from its scene.
#include "assimp.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <threads.h>

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

static void column_major(const struct aiMatrix4x4 *m, float result[16]) {
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
    const char *reason = lmb_gltf_decompose(matrix, &root, NULL);
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

static bool find_space(lmb_assimp *assimp) {
    float root[16];
    float axes[16] = {[15] = 1};
    float unit = 1;
    column_major(&assimp->scene->mRootNode->mTransformation, root);
    if (assimp->format == LMB_FORMAT_COLLADA) {
        return set_space(assimp, unit, root); // the root's matrix contains unit and axes
    }
    // A root that is rotated already comes from a later version of Assimp, which applies the axes itself.
    return read_fbx_settings(assimp, &unit, axes) && set_space(assimp, unit, is_identity(root) ? axes : root);
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

// ---- Nodes ----

// The root is the scene itself; its matrix belongs to the space. A root without children is kept, so that the scene has
// a node.
static bool drops_root(const lmb_assimp *assimp) {
    return assimp->scene->mRootNode->mNumChildren > 0;
}

typedef struct pending {
    const struct aiNode *node;
    uint32_t parent;
} pending;

static bool add_node(lmb_assimp *assimp, pending entry) {
    lmb_gltf *tables = &assimp->tables;
    lmb_importer *importer = tables->importer;
    uint32_t source_count = tables->node_count;
    if (source_count > LMB_MAX_JOINTS) {
        return lmb_importer_fail(importer, LMB_ERROR_LIMIT, "more than %u nodes", LMB_MAX_JOINTS);
    }
    return lmb_importer_append(importer, &importer->scratch, &assimp->sources, &source_count, &entry.node,
                               sizeof entry.node) &&
           lmb_gltf_add_node(tables, entry.node->mName.data, entry.parent);
}

// Pushes children in reverse, so that the first child is taken first and nodes keep the file's order.
static bool push_children(lmb_importer *importer, const struct aiNode *node, uint32_t parent, pending **stack,
                          uint32_t *count) {
    for (unsigned i = node->mNumChildren; i-- > 0;) {
        const pending child = {node->mChildren[i], parent};
        if (!lmb_importer_append(importer, &importer->scratch, stack, count, &child, sizeof child)) {
            return false;
        }
    }
    return true;
}

// Does not recurse, because the file decides how deep its nodes are nested.
static bool list_nodes(lmb_assimp *assimp) {
    lmb_importer *importer = assimp->tables.importer;
    const struct aiNode *root = assimp->scene->mRootNode;
    pending *stack = NULL;
    uint32_t count = 0;
    bool success = (drops_root(assimp) || add_node(assimp, (pending){root, LMB_NONE})) &&
                   push_children(importer, root, drops_root(assimp) ? LMB_NONE : 0, &stack, &count);
    while (success && count > 0) {
        const pending entry = stack[--count];
        const uint32_t index = assimp->tables.node_count;
        success = add_node(assimp, entry) && push_children(importer, entry.node, index, &stack, &count);
    }
    lmb_pool_release(&importer->scratch, stack);
    return success;
}

static bool list_names(lmb_assimp *assimp) {
    const lmb_gltf *tables = &assimp->tables;
    assimp->node_names = lmb_importer_scratch(tables->importer, tables->node_count, sizeof(lmb_name));
    for (uint32_t i = 0; assimp->node_names != NULL && i < tables->node_count; i++) {
        assimp->node_names[i] = (lmb_name){.text = tables->nodes[i].name, .index = i};
    }
    if (assimp->node_names != NULL) {
        lmb_names_sort(assimp->node_names, tables->node_count);
    }
    return assimp->node_names != NULL;
}

static bool read_nodes(lmb_assimp *assimp) {
    return list_nodes(assimp) && lmb_gltf_order_as_listed(&assimp->tables) && list_names(assimp);
}

static bool read_rest(lmb_assimp *assimp, uint32_t index) {
    lmb_gltf_node *node = &assimp->tables.nodes[index];
    float matrix[16];
    column_major(&assimp->sources[index]->mTransformation, matrix);
    const char *reason = lmb_gltf_decompose(matrix, &node->rest, NULL);
    if (reason != NULL) {
        return lmb_importer_fail(assimp->tables.importer, LMB_ERROR_UNSUPPORTED, "the matrix of node '%.100s': %s",
                                 node->name, reason);
    }
    node->rest = lmb_assimp_place(&assimp->space, node->rest, node->parent == LMB_NONE);
    return true;
}

// Of a file that adds clips, only the rest poses of joints are needed.
static bool read_rests(lmb_assimp *assimp) {
    const lmb_gltf *tables = &assimp->tables;
    bool success = true;
    for (uint32_t i = 0; success && i < tables->node_count; i++) {
        success = (tables->importer->adds_clips && !tables->nodes[i].in_rig) || read_rest(assimp, i);
    }
    return success;
}

// ---- Skins ----

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
    column_major(&bone->mOffsetMatrix, matrix);
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
    skin->nodes = lmb_importer_scratch(importer, mesh->mNumBones, sizeof(uint32_t));
    skin->inverse_binds = lmb_importer_scratch(importer, mesh->mNumBones, sizeof(lmb_affine));
    if (skin->nodes == NULL || skin->inverse_binds == NULL) {
        return false;
    }
    for (unsigned i = 0; i < mesh->mNumBones; i++) {
        if (!read_bone(assimp, mesh, i, &from_model, skin)) {
            return false;
        }
    }
    return true;
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

static bool read_skins(lmb_assimp *assimp) {
    lmb_gltf *tables = &assimp->tables;
    lmb_importer *importer = tables->importer;
    uint32_t count = 0;
    if (!count_skins(assimp, &count)) {
        return false;
    }
    tables->skins = lmb_importer_scratch(importer, count, sizeof(lmb_gltf_skin));
    lmb_affine *models = lmb_importer_scratch(importer, tables->node_count, sizeof(lmb_affine));
    if (tables->skins == NULL || models == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < tables->node_count; i++) {
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
    lmb_gltf_mark_around_bones(tables);
    return true;
}

// ---- Animation stacks ----

#define NAME_SIZE sizeof(((struct aiString *)0)->data)

typedef struct bytes {
    const char *at;
    size_t left;
} bytes;

// Moves past the next occurrence; returns false if there is none.
static bool skip_past(bytes *text, const char *pattern, size_t length) {
    while (text->left >= length) {
        const char *found = memchr(text->at, pattern[0], text->left - length + 1);
        if (found == NULL) {
            return false;
        }
        bool equal = memcmp(found, pattern, length) == 0;
        size_t passed = (size_t)(found - text->at) + (equal ? length : 1);
        text->at += passed;
        text->left -= passed;
        if (equal) {
            return true;
        }
    }
    return false;
}

static bool copy_name(const char *name, size_t length, char result[NAME_SIZE]) {
    if (length >= NAME_SIZE) {
        return false;
    }
    memcpy(result, name, length);
    result[length] = '\0';
    return true;
}

// Finds the next line of the form: AnimationStack: 200, "AnimStack::Lift", "" {
static bool next_in_text(bytes *text, char name[NAME_SIZE]) {
    static const char prefix[] = "AnimStack::";
    while (skip_past(text, "AnimationStack:", 15)) {
        bytes line = *text;
        if (!skip_past(&line, "\"", 1) || line.left < sizeof prefix - 1 ||
            memcmp(line.at, prefix, sizeof prefix - 1) != 0) {
            continue;
        }
        const char *start = line.at + sizeof prefix - 1;
        const char *end = memchr(start, '"', line.left - (sizeof prefix - 1));
        if (end != NULL && copy_name(start, (size_t)(end - start), name)) {
            return true;
        }
    }
    return false;
}

// Finds the next binary record: its name after the length of that, then its properties: 'L' and 8 bytes, 'S', a length
// of 4 bytes and "Lift\0\1AnimStack".
static bool next_in_records(bytes *text, char name[NAME_SIZE]) {
    while (skip_past(text,
                     "\x0E"
                     "AnimationStackL",
                     16)) {
        if (text->left < 13 || text->at[8] != 'S') {
            continue;
        }
        const char *start = text->at + 13;
        const char *end = memchr(start, '\0', text->left - 13);
        if (end != NULL && copy_name(start, (size_t)(end - start), name)) {
            return true;
        }
    }
    return false;
}

static lmb_name *list_animations(const lmb_assimp *assimp) {
    lmb_importer *importer = assimp->tables.importer;
    uint32_t count = assimp->scene->mNumAnimations;
    lmb_name *names = lmb_importer_scratch(importer, count, sizeof *names);
    for (uint32_t i = 0; names != NULL && i < count; i++) {
        names[i] = (lmb_name){.text = assimp->scene->mAnimations[i]->mName.data, .index = i};
    }
    if (names != NULL) {
        lmb_names_sort(names, count);
    }
    return names;
}

static bool note_stacks(const lmb_assimp *assimp, const uint8_t *file, size_t size) {
    static const char binary[] = "Kaydara FBX Binary";
    lmb_importer *importer = assimp->tables.importer;
    lmb_name *animations = list_animations(assimp);
    if (animations == NULL) {
        return false;
    }
    bytes text = {(const char *)file, size};
    bool is_binary = size >= sizeof binary && memcmp(file, binary, sizeof binary - 1) == 0;
    char name[NAME_SIZE];
    while (is_binary ? next_in_records(&text, name) : next_in_text(&text, name)) {
        if (lmb_names_find(animations, assimp->scene->mNumAnimations, name) == LMB_NONE && name[0] != '\0' &&
            !lmb_importer_note(
                importer, "animation '%.200s': it has no keys, or no curve whose key times ascend: left out", name)) {
            return false;
        }
    }
    lmb_pool_release(&importer->scratch, animations);
    return true;
}

// ---- The scene ----

// Only triangles; vertices are shared if all their attributes are equal. No step moves or renumbers nodes.
#define STEPS (aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_JoinIdenticalVertices)

// Assimp stores the message of its last failure in a global, so only one file is read at a time. This lock is the
// library's only global state.
static mtx_t reader_lock;
static once_flag reader_once = ONCE_FLAG_INIT;

static void create_lock(void) {
    mtx_init(&reader_lock, mtx_plain);
}

static const struct aiScene *load(lmb_importer *importer, lmb_format format, const uint8_t *bytes, size_t size) {
    struct aiPropertyStore *properties = aiCreatePropertyStore();
    if (properties == NULL) {
        lmb_importer_fail(importer, LMB_ERROR_MEMORY, "Assimp has no memory");
        return NULL;
    }
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 0);
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    const struct aiScene *scene = aiImportFileFromMemoryWithProperties((const char *)bytes, (unsigned)size, STEPS,
                                                                       lmb_format_ending(format), properties);
    aiReleasePropertyStore(properties);
    if (scene == NULL || scene->mRootNode == NULL) {
        lmb_importer_fail(importer, LMB_ERROR_FORMAT, "not read as %s: %.300s", lmb_format_name(format),
                          scene == NULL ? aiGetErrorString() : "it has no scene");
        aiReleaseImport(scene);
        return NULL;
    }
    return scene;
}

static bool read_scene(lmb_assimp *assimp) {
    lmb_gltf *tables = &assimp->tables;
    if (!find_space(assimp) || !read_nodes(assimp)) {
        return false;
    }
    if (tables->importer->adds_clips) {
        return lmb_gltf_match_rig(tables) && read_rests(assimp) && lmb_assimp_build_clips(assimp);
    }
    return read_rests(assimp) && read_skins(assimp) && lmb_gltf_build_rig(tables) && lmb_assimp_build_clips(assimp) &&
           lmb_assimp_build_meshes(assimp);
}

bool lmb_assimp_read(lmb_importer *importer, lmb_format format, const uint8_t *bytes, size_t size) {
    if (!importer->trusts) {
        return lmb_importer_fail(importer, LMB_ERROR_UNTRUSTED,
                                 "%s files can end the process that reads them; lmb_import_def.trusted allows it",
                                 lmb_format_name(format));
    }
    if (size == 0) { // Assimp would end the process
        return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "is empty");
    }
    if (size > INT_MAX) {
        return lmb_importer_fail(importer, LMB_ERROR_LIMIT, "%s files of 2 GiB or more are not read",
                                 lmb_format_name(format));
    }
    call_once(&reader_once, create_lock);
    mtx_lock(&reader_lock);
    const struct aiScene *scene = load(importer, format, bytes, size);
    mtx_unlock(&reader_lock);
    if (scene == NULL) {
        return false;
    }
    lmb_assimp assimp = {.tables = {.importer = importer}, .scene = scene, .format = format};
    bool success =
        read_scene(&assimp) &&
        (format != LMB_FORMAT_FBX || (note_stacks(&assimp, bytes, size) &&
                                      lmb_importer_note(importer, "read by Assimp: curves between keys, layers and"
                                                                  " inherit types are not those of the file; a"
                                                                  " build with LIMBER_UFBX has them")));
    aiReleaseImport(scene);
    return success;
}
