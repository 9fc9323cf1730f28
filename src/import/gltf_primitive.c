// Reads the vertices and triangles of a primitive.
#include "gltf.h"

#include <inttypes.h>
#include <string.h>

// Kinds of components that an attribute may have.
enum { KIND_FLOAT = 1, KIND_NORMALIZED = 2, KIND_INTEGER = 4 };

enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 };

typedef struct primitive {
    lmb_gltf *gltf;
    const lmb_gltf_object *object;
    lmb_gltf_object attributes;
    const char *mesh_name;
    const lmb_gltf_skin *skin;
    lmb_pool pool; // for decoded attributes
    lmb_gltf_geometry *geometry;
} primitive;

static int kind_of(const lmb_gltf_accessor *accessor) {
    if (accessor->component == LMB_GLTF_FLOAT) {
        return KIND_FLOAT;
    }
    return accessor->normalized ? KIND_NORMALIZED : KIND_INTEGER;
}

static bool find_attribute(const primitive *p, const char *key, uint32_t *accessor) {
    *accessor = LMB_NONE;
    return lmb_gltf_read_index(p->gltf, &p->attributes, key, p->gltf->accessor_count, "accessors", accessor);
}

// Finds the attribute's accessor and checks its type and count; LMB_NONE if there is none.
static bool find_checked(const primitive *p, const char *key, lmb_gltf_shape shape, int kinds, uint32_t *index) {
    if (!find_attribute(p, key, index)) {
        return false;
    }
    if (*index == LMB_NONE) {
        return true;
    }
    const lmb_gltf_accessor *accessor = &p->gltf->accessors[*index];
    if (accessor->shape != shape || (kind_of(accessor) & kinds) == 0 || accessor->component == LMB_GLTF_UINT32) {
        return lmb_gltf_fail(p->gltf, &p->attributes, key, "accessor %" PRIu32 " has a type that it may not have",
                             *index);
    }
    if (accessor->count != p->geometry->vertex_count) {
        return lmb_gltf_fail(p->gltf, &p->attributes, key,
                             "accessor %" PRIu32 " has %" PRIu32 " elements, POSITION has %" PRIu32, *index,
                             accessor->count, p->geometry->vertex_count);
    }
    return true;
}

// `values` is NULL if the primitive does not have the attribute.
static bool read_floats(primitive *p, const char *key, lmb_gltf_shape shape, int kinds, float **values) {
    uint32_t index;
    *values = NULL;
    if (!find_checked(p, key, shape, kinds, &index)) {
        return false;
    }
    if (index == LMB_NONE) {
        return true;
    }
    uint32_t count = p->geometry->vertex_count;
    *values =
        lmb_importer_allocate(p->gltf->importer, &p->pool, count, lmb_gltf_component_count(shape) * sizeof(float));
    return *values != NULL && lmb_gltf_decode_floats(p->gltf, index, count, *values);
}

static bool read_joints(primitive *p, const char *key, uint32_t **values) {
    uint32_t index;
    *values = NULL;
    if (!find_checked(p, key, LMB_GLTF_VEC4, KIND_INTEGER, &index)) {
        return false;
    }
    if (index == LMB_NONE) {
        return true;
    }
    lmb_gltf_component component = p->gltf->accessors[index].component;
    if (component != LMB_GLTF_UINT8 && component != LMB_GLTF_UINT16) {
        return lmb_gltf_fail(p->gltf, &p->attributes, key, "accessor %" PRIu32 " has signed components", index);
    }
    uint32_t count = p->geometry->vertex_count;
    *values = lmb_importer_allocate(p->gltf->importer, &p->pool, count, 4 * sizeof(uint32_t));
    return *values != NULL && lmb_gltf_decode_integers(p->gltf, index, count, *values);
}

static bool read_positions(primitive *p) {
    lmb_gltf_geometry *geometry = p->geometry;
    float *positions;
    if (!read_floats(p, "POSITION", LMB_GLTF_VEC3, KIND_FLOAT | KIND_NORMALIZED | KIND_INTEGER, &positions)) {
        return false;
    }
    geometry->vertices = lmb_importer_allocate(p->gltf->importer, &p->gltf->importer->import->pool,
                                               geometry->vertex_count, sizeof(lmb_vertex));
    for (uint32_t i = 0; geometry->vertices != NULL && i < geometry->vertex_count; i++) {
        memcpy(geometry->vertices[i].position, positions + (size_t)i * 3, 3 * sizeof(float));
    }
    return geometry->vertices != NULL;
}

static bool read_normals(primitive *p) {
    float *normals;
    if (!read_floats(p, "NORMAL", LMB_GLTF_VEC3, KIND_FLOAT | KIND_NORMALIZED, &normals)) {
        return false;
    }
    p->geometry->has_normals = normals != NULL;
    for (uint32_t i = 0; normals != NULL && i < p->geometry->vertex_count; i++) {
        memcpy(p->geometry->vertices[i].normal, normals + (size_t)i * 3, 3 * sizeof(float));
    }
    return true;
}

static bool read_texcoords(primitive *p, uint32_t set) {
    lmb_gltf_place key = lmb_gltf_place_of("TEXCOORD_%" PRIu32, set);
    float *texcoords;
    if (!read_floats(p, key.text, LMB_GLTF_VEC2, KIND_FLOAT | KIND_NORMALIZED | KIND_INTEGER, &texcoords)) {
        return false;
    }
    for (uint32_t i = 0; texcoords != NULL && i < p->geometry->vertex_count; i++) {
        memcpy(p->geometry->vertices[i].texcoord, texcoords + (size_t)i * 2, 2 * sizeof(float));
    }
    return true;
}

// Copies four influences of each vertex unchanged to influences `set` * 4 to `set` * 4 + 3.
static bool read_influences(primitive *p, uint32_t set) {
    lmb_gltf_place joints_key = lmb_gltf_place_of("JOINTS_%" PRIu32, set);
    lmb_gltf_place weights_key = lmb_gltf_place_of("WEIGHTS_%" PRIu32, set);
    uint32_t *joints;
    float *weights;
    if (!read_joints(p, joints_key.text, &joints) ||
        !read_floats(p, weights_key.text, LMB_GLTF_VEC4, KIND_FLOAT | KIND_NORMALIZED, &weights)) {
        return false;
    }
    if ((joints == NULL) != (weights == NULL) || (set == 0 && joints == NULL)) {
        const char *missing = joints == NULL ? joints_key.text : weights_key.text;
        return lmb_gltf_fail(p->gltf, &p->attributes, missing, "is missing on a mesh with a skin");
    }
    for (uint32_t i = 0; joints != NULL && i < p->geometry->vertex_count; i++) {
        lmb_vertex *vertex = &p->geometry->vertices[i];
        memcpy(vertex->joints + set * 4, joints + (size_t)i * 4, 4 * sizeof(uint32_t));
        memcpy(vertex->weights + set * 4, weights + (size_t)i * 4, 4 * sizeof(float));
    }
    return true;
}

// Checks the influences of a vertex, and normalises the weights to a sum of 1. A vertex without influences is bound to
// the skin's first joint.
static bool normalise_influences(primitive *p, uint32_t index, uint32_t *weightless) {
    lmb_vertex *vertex = &p->geometry->vertices[index];
    double sum = 0;
    for (uint32_t i = 0; i < LMB_MAX_INFLUENCES; i++) {
        if (vertex->weights[i] < 0) {
            return lmb_gltf_fail(p->gltf, &p->attributes, NULL, "vertex %" PRIu32 " has the weight %g", index,
                                 (double)vertex->weights[i]);
        }
        if (vertex->weights[i] > 0 && vertex->joints[i] >= p->skin->joint_count) {
            return lmb_gltf_fail(p->gltf, &p->attributes, NULL,
                                 "vertex %" PRIu32 " hangs on joint %" PRIu32 ", the skin has %" PRIu32, index,
                                 vertex->joints[i], p->skin->joint_count);
        }
        vertex->joints[i] = vertex->weights[i] > 0 ? vertex->joints[i] : 0;
        sum += vertex->weights[i];
    }
    if (sum == 0) {
        vertex->weights[0] = 1;
        (*weightless)++;
        return true;
    }
    for (uint32_t i = 0; i < LMB_MAX_INFLUENCES; i++) {
        vertex->weights[i] = (float)(vertex->weights[i] / sum);
    }
    return true;
}

static bool read_skinning(primitive *p) {
    if (p->skin == NULL) {
        return true;
    }
    uint32_t weightless = 0;
    uint32_t third_set;
    if (!read_influences(p, 0) || !read_influences(p, 1) || !find_attribute(p, "JOINTS_2", &third_set)) {
        return false;
    }
    for (uint32_t i = 0; i < p->geometry->vertex_count; i++) {
        if (!normalise_influences(p, i, &weightless)) {
            return false;
        }
    }
    lmb_importer *importer = p->gltf->importer;
    return (third_set == LMB_NONE ||
            lmb_importer_note(importer, "mesh '%.200s': influences of a vertex beyond 8 left out", p->mesh_name)) &&
           (weightless == 0 ||
            lmb_importer_note(importer,
                              "mesh '%.200s': %" PRIu32 " vertices without weights hang on the skin's first joint",
                              p->mesh_name, weightless));
}

// Reads the file's indices, or numbers the vertices in order if there are none.
static bool read_raw_indices(primitive *p, uint32_t **indices, uint32_t *count) {
    lmb_gltf *gltf = p->gltf;
    uint32_t accessor_index = LMB_NONE;
    if (!lmb_gltf_read_index(gltf, p->object, "indices", gltf->accessor_count, "accessors", &accessor_index)) {
        return false;
    }
    bool has_indices = accessor_index != LMB_NONE;
    *count = has_indices ? gltf->accessors[accessor_index].count : p->geometry->vertex_count;
    if (has_indices) {
        const lmb_gltf_accessor *accessor = &gltf->accessors[accessor_index];
        bool is_unsigned = accessor->component == LMB_GLTF_UINT8 || accessor->component == LMB_GLTF_UINT16 ||
                           accessor->component == LMB_GLTF_UINT32;
        if (accessor->shape != LMB_GLTF_SCALAR || !is_unsigned || accessor->normalized) {
            return lmb_gltf_fail(gltf, p->object, "indices",
                                 "accessor %" PRIu32 " does not hold unsigned SCALAR integers", accessor_index);
        }
    }
    *indices = lmb_importer_allocate(gltf->importer, &p->pool, *count, sizeof(uint32_t));
    if (*indices == NULL || (has_indices && !lmb_gltf_decode_integers(gltf, accessor_index, *count, *indices))) {
        return false;
    }
    for (uint32_t i = 0; i < *count; i++) {
        (*indices)[i] = has_indices ? (*indices)[i] : i;
        if ((*indices)[i] >= p->geometry->vertex_count) {
            return lmb_gltf_fail(gltf, p->object, "indices",
                                 "index %" PRIu32 " is %" PRIu32 ", there are %" PRIu32 " vertices", i, (*indices)[i],
                                 p->geometry->vertex_count);
        }
    }
    return true;
}

// Triangle `i` of a strip or fan, in the order of glTF 2.0, section 3.7.2.1.
static void list_triangle(uint64_t mode, const uint32_t *raw, uint32_t i, uint32_t *triangle) {
    switch (mode) {
    case MODE_STRIP:
        triangle[0] = raw[i];
        triangle[1] = raw[i + 1 + i % 2];
        triangle[2] = raw[i + 2 - i % 2];
        break;
    case MODE_FAN:
        triangle[0] = raw[i + 1];
        triangle[1] = raw[i + 2];
        triangle[2] = raw[0];
        break;
    default:
        memcpy(triangle, raw + (size_t)i * 3, 3 * sizeof(uint32_t));
    }
}

static bool read_indices(primitive *p, uint64_t mode) {
    uint32_t *raw = NULL;
    uint32_t raw_count = 0;
    if (!read_raw_indices(p, &raw, &raw_count)) {
        return false;
    }
    if (raw_count < 3 || (mode == MODE_TRIANGLES && raw_count % 3 != 0)) {
        return lmb_gltf_fail(p->gltf, p->object, "indices", "%" PRIu32 " of them make no whole triangles", raw_count);
    }
    uint32_t triangle_count = mode == MODE_TRIANGLES ? raw_count / 3 : raw_count - 2;
    if (triangle_count > UINT32_MAX / 3) {
        return lmb_importer_fail(p->gltf->importer, LMB_ERROR_LIMIT, "%s: %" PRIu32 " triangles", p->object->place.text,
                                 triangle_count);
    }
    lmb_gltf_geometry *geometry = p->geometry;
    geometry->index_count = triangle_count * 3;
    geometry->indices = lmb_importer_allocate(p->gltf->importer, &p->gltf->importer->import->pool,
                                              geometry->index_count, sizeof(uint32_t));
    for (uint32_t i = 0; geometry->indices != NULL && i < triangle_count; i++) {
        list_triangle(mode, raw, i, geometry->indices + (size_t)i * 3);
    }
    return geometry->indices != NULL;
}

static bool leave_out(primitive *p, const char *reason) {
    p->geometry->left_out = true;
    return lmb_importer_note(p->gltf->importer, "mesh '%.200s': %s %s: left out", p->mesh_name, p->object->place.text,
                             reason);
}

static bool read(primitive *p, uint32_t texcoord) {
    static const char *const mode_names[] = {"consists of points", "consists of lines", "consists of a line loop",
                                             "consists of a line strip"};
    uint64_t mode = MODE_TRIANGLES;
    uint32_t position;
    bool present;
    if (!lmb_gltf_require(p->gltf, p->object, "attributes") ||
        !lmb_gltf_read_object(p->gltf, p->object, "attributes", &p->attributes, &present) ||
        !lmb_gltf_read_integer(p->gltf, p->object, "mode", 0, MODE_FAN, &mode) ||
        !find_attribute(p, "POSITION", &position)) {
        return false;
    }
    if (mode < MODE_TRIANGLES) {
        return leave_out(p, mode_names[mode]);
    }
    if (position == LMB_NONE) {
        return leave_out(p, "has no POSITION");
    }
    p->geometry->vertex_count = p->gltf->accessors[position].count;
    return read_positions(p) && read_normals(p) && read_texcoords(p, texcoord) && read_skinning(p) &&
           read_indices(p, mode);
}

bool lmb_gltf_read_geometry(lmb_gltf *gltf, const lmb_gltf_object *object, const char *mesh_name,
                            const lmb_gltf_skin *skin, uint32_t texcoord, lmb_gltf_geometry *geometry) {
    *geometry = (lmb_gltf_geometry){0};
    primitive p = {.gltf = gltf,
                   .object = object,
                   .mesh_name = mesh_name,
                   .skin = skin,
                   .pool = {.budget = &gltf->importer->import->budget},
                   .geometry = geometry};
    bool read_all = read(&p, texcoord);
    lmb_pool_clear(&p.pool);
    return read_all;
}
