// Reads primitives and builds meshes: binds their geometry to joints of the rig, in the bind pose's model space.
#include "gltf.h"

#include "math/matrix.h"
#include "skin/mesh.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

// Sums of weights that are further from 1 are noted. One step of 8-bit weights is.
#define OFF_ONE 1e-3
// Weights below it are refused, those from it to 0 are rounding errors of the program that wrote them.
#define LOWEST_WEIGHT -0.01f

enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 };

typedef struct primitive {
    lmb_gltf *gltf;
    const lmb_gltf_object *object;
    lmb_gltf_object attributes;
    const char *mesh_name;
    const lmb_gltf_node *node;
    const lmb_gltf_skin *skin;
    lmb_gltf_geometry *geometry;
} primitive;

static int kind_of(const lmb_gltf_accessor *accessor) {
    return accessor->component == LMB_GLTF_FLOAT ? LMB_GLTF_FLOATS
           : accessor->normalized                ? LMB_GLTF_FRACTIONS
                                                 : LMB_GLTF_WHOLE;
}

static bool find_attribute(const lmb_gltf_object *object, const char *key, uint32_t *accessor) {
    *accessor = LMB_NONE;
    return lmb_gltf_read_index(object, key, object->gltf->accessor_count, "accessors", accessor);
}

// Finds the attribute's accessor and checks its type and count; LMB_NONE if there is none.
static bool find_checked(const lmb_gltf_object *object, const char *key, lmb_gltf_shape shape, int kinds,
                         uint32_t vertex_count, uint32_t *accessor) {
    if (!find_attribute(object, key, accessor)) {
        return false;
    }
    const lmb_gltf_accessor *found = *accessor != LMB_NONE ? &object->gltf->accessors[*accessor] : NULL;
    if (found != NULL &&
        (found->shape != shape || (kind_of(found) & kinds) == 0 || found->component == LMB_GLTF_UINT32)) {
        return lmb_gltf_fail(object, key, "accessor %" PRIu32 " has a type that it may not have", *accessor);
    }
    return found == NULL || found->count == vertex_count ||
           lmb_gltf_fail(object, key, "accessor %" PRIu32 " has %" PRIu32 " elements, POSITION has %" PRIu32, *accessor,
                         found->count, vertex_count);
}

bool lmb_gltf_read_array(const lmb_gltf_object *object, const char *key, lmb_gltf_shape shape, int kinds,
                         uint32_t vertex_count, lmb_pool *pool, float **values) {
    uint32_t index;
    const bool success = find_checked(object, key, shape, kinds, vertex_count, &index);
    const bool present = success && index != LMB_NONE;
    *values = present ? lmb_gltf_decode_floats(object->gltf, pool, index, vertex_count) : NULL;
    return success && (!present || *values != NULL);
}

// Stores an attribute in all vertices, at an offset within lmb_vertex: integers if it may be nothing else, else floats.
static bool read_attribute(primitive *p, const char *key, lmb_gltf_shape shape, int kinds, size_t offset,
                           bool *present) {
    lmb_gltf *gltf = p->gltf;
    lmb_pool *scratch = &gltf->importer->scratch;
    const uint32_t count = p->geometry->vertex_count;
    uint32_t index;
    const bool success = find_checked(&p->attributes, key, shape, kinds, count, &index);
    *present = success && index != LMB_NONE;
    if (!*present) {
        return success;
    }
    const lmb_gltf_component component = gltf->accessors[index].component;
    if (kinds == LMB_GLTF_WHOLE && component != LMB_GLTF_UINT8 && component != LMB_GLTF_UINT16) {
        return lmb_gltf_fail(&p->attributes, key, "accessor %" PRIu32 " has signed components", index);
    }
    uint8_t *values = kinds == LMB_GLTF_WHOLE ? (void *)lmb_gltf_decode_integers(gltf, scratch, index, count)
                                              : (void *)lmb_gltf_decode_floats(gltf, scratch, index, count);
    const size_t size = lmb_gltf_component_count(shape) * sizeof(float);
    for (uint32_t i = 0; values != NULL && i < count; i++) {
        memcpy((uint8_t *)&p->geometry->vertices[i] + offset, values + i * size, size);
    }
    lmb_pool_release(scratch, values);
    return values != NULL;
}

// Reads an attribute that few meshes have into an array of its own; NULL if the mesh lacks it.
static bool read_array(primitive *p, const char *key, lmb_gltf_shape shape, float **values) {
    return lmb_gltf_read_array(&p->attributes, key, shape, LMB_GLTF_FLOATS | LMB_GLTF_FRACTIONS,
                               p->geometry->vertex_count, &p->gltf->importer->import->pool, values);
}

// Reads colours of three or four components. The fourth is 1 if the file has three.
static bool read_colors(primitive *p) {
    uint32_t index;
    if (!find_attribute(&p->attributes, "COLOR_0", &index)) {
        return false;
    }
    const bool is_opaque = index != LMB_NONE && p->gltf->accessors[index].shape == LMB_GLTF_VEC3;
    float *values;
    if (!read_array(p, "COLOR_0", is_opaque ? LMB_GLTF_VEC3 : LMB_GLTF_VEC4, &values)) {
        return false;
    }
    p->geometry->colors = values;
    if (!is_opaque) {
        return true;
    }
    float *colors = lmb_importer_keep(p->gltf->importer, p->geometry->vertex_count, 4 * sizeof *colors);
    for (uint32_t i = 0; colors != NULL && i < p->geometry->vertex_count; i++) {
        memcpy(colors + (size_t)i * 4, values + (size_t)i * 3, 3 * sizeof *colors);
        colors[(size_t)i * 4 + 3] = 1.0f;
    }
    lmb_pool_release(&p->gltf->importer->import->pool, values);
    p->geometry->colors = colors;
    return colors != NULL;
}

// Tangents mean nothing without normals: glTF requires flat ones then, and that tangents are ignored.
static bool read_tangents(primitive *p) {
    return !p->geometry->has_normals || read_array(p, "TANGENT", LMB_GLTF_VEC4, &p->geometry->tangents);
}

// Reads four influences of each vertex unchanged into influences `set` * 4 to `set` * 4 + 3.
static bool read_influences(primitive *p, uint32_t set) {
    lmb_gltf_place joints_key = lmb_gltf_place_of("JOINTS_%" PRIu32, set);
    lmb_gltf_place weights_key = lmb_gltf_place_of("WEIGHTS_%" PRIu32, set);
    const size_t offset = (size_t)set * 4 * sizeof(float);
    bool has_joints;
    bool has_weights;
    if (!read_attribute(p, joints_key.text, LMB_GLTF_VEC4, LMB_GLTF_WHOLE, offsetof(lmb_vertex, joints) + offset,
                        &has_joints) ||
        !read_attribute(p, weights_key.text, LMB_GLTF_VEC4, LMB_GLTF_FLOATS | LMB_GLTF_FRACTIONS,
                        offsetof(lmb_vertex, weights) + offset, &has_weights)) {
        return false;
    }
    if (has_joints != has_weights || (set == 0 && !has_joints)) {
        const char *missing = has_joints ? weights_key.text : joints_key.text;
        return lmb_gltf_fail(&p->attributes, missing, "is missing on a mesh with a skin");
    }
    return true;
}

// Adds up the influences of a vertex on one joint.
static void merge_influences(lmb_vertex *vertex) {
    for (uint32_t i = 1; i < LMB_MAX_INFLUENCES; i++) {
        for (uint32_t k = 0; k < i && vertex->weights[i] > 0; k++) {
            if (vertex->weights[k] > 0 && vertex->joints[k] == vertex->joints[i]) {
                vertex->weights[k] += vertex->weights[i];
                vertex->weights[i] = 0;
            }
        }
    }
}

static double sum_of_weights(const lmb_vertex *vertex) {
    double sum = 0;
    for (uint32_t k = 0; k < LMB_MAX_INFLUENCES; k++) {
        sum += vertex->weights[k];
    }
    return sum;
}

// What was wrong with the weights of a mesh.
typedef struct weight_flaws {
    uint32_t missing; // vertices without weights
    uint32_t off;     // vertices whose weights do not sum to 1
    double worst_sum; // that of the vertex that is furthest off
    uint32_t worst;
} weight_flaws;

static void finish_weights(lmb_gltf_geometry *geometry, uint32_t index, weight_flaws *flaws) {
    lmb_vertex *vertex = &geometry->vertices[index];
    merge_influences(vertex);
    lmb_vertex_sort(vertex);
    const double sum = sum_of_weights(vertex);
    if (sum == 0) {
        vertex->weights[0] = 1;
        flaws->missing++;
        return;
    }
    if (fabs(sum - 1) > OFF_ONE && (flaws->off++ == 0 || fabs(sum - 1) > fabs(flaws->worst_sum - 1))) {
        flaws->worst = index;
        flaws->worst_sum = sum;
    }
    lmb_vertex_divide(vertex, sum);
}

bool lmb_gltf_normalise_weights(lmb_gltf *gltf, const char *mesh_name, bool left_out, lmb_gltf_geometry *geometry) {
    weight_flaws flaws = {0};
    for (uint32_t i = 0; i < geometry->vertex_count; i++) {
        finish_weights(geometry, i, &flaws);
    }
    lmb_importer *importer = gltf->importer;
    return (!left_out ||
            lmb_importer_note(importer, "mesh '%.200s': influences of a vertex beyond 8 left out, the smallest ones",
                              mesh_name)) &&
           (flaws.missing == 0 ||
            lmb_importer_note(importer,
                              "mesh '%.200s': %" PRIu32 " vertices without weights hang on the skin's first joint",
                              mesh_name, flaws.missing)) &&
           (flaws.off == 0 ||
            lmb_importer_note(importer,
                              "mesh '%.200s': weights of %" PRIu32 " vertices normalised to a sum of 1; furthest off is"
                              " vertex %" PRIu32 " with %.3g",
                              mesh_name, flaws.off, flaws.worst, flaws.worst_sum));
}

// Weights that are a little below 0.
typedef struct negative_weights {
    uint32_t count;
    uint32_t vertex; // that of the lowest
    float lowest;
} negative_weights;

// Checks an influence and makes one without weight empty.
static bool check_influence(const primitive *p, uint32_t vertex, uint32_t *joint, float *weight,
                            negative_weights *negative) {
    if (*weight < LOWEST_WEIGHT) {
        return lmb_gltf_fail(&p->attributes, NULL, "vertex %" PRIu32 " has the weight %g", vertex, (double)*weight);
    }
    if (*weight < 0) {
        negative->vertex = *weight < negative->lowest ? vertex : negative->vertex;
        negative->lowest = fminf(negative->lowest, *weight);
        negative->count++;
        *weight = 0;
    }
    if (*weight > 0 && *joint >= p->skin->joint_count) {
        return lmb_gltf_fail(&p->attributes, NULL,
                             "vertex %" PRIu32 " hangs on joint %" PRIu32 ", the skin has %" PRIu32, vertex, *joint,
                             p->skin->joint_count);
    }
    *joint = *weight > 0 ? *joint : 0;
    return true;
}

// Replaces the smallest influence of a vertex by one that is larger. Returns whether one was lost.
static bool replace_smallest(lmb_vertex *vertex, uint32_t joint, float weight) {
    uint32_t smallest = 0;
    for (uint32_t i = 1; i < LMB_MAX_INFLUENCES; i++) {
        smallest = vertex->weights[i] < vertex->weights[smallest] ? i : smallest;
    }
    const bool lost = vertex->weights[smallest] > 0 && weight > 0;
    if (weight > vertex->weights[smallest]) {
        vertex->weights[smallest] = weight;
        vertex->joints[smallest] = joint;
    }
    return lost;
}

// Reads a set of influences beyond the eight that a vertex has, and keeps the largest.
static bool read_further_set(primitive *p, uint32_t set, negative_weights *negative, bool *present, bool *lost) {
    const lmb_gltf_place joints_key = lmb_gltf_place_of("JOINTS_%" PRIu32, set);
    const lmb_gltf_place weights_key = lmb_gltf_place_of("WEIGHTS_%" PRIu32, set);
    lmb_pool *scratch = &p->gltf->importer->scratch;
    const uint32_t count = p->geometry->vertex_count;
    uint32_t joints_index;
    float *weights = NULL;
    if (!find_checked(&p->attributes, joints_key.text, LMB_GLTF_VEC4, LMB_GLTF_WHOLE, count, &joints_index) ||
        !lmb_gltf_read_array(&p->attributes, weights_key.text, LMB_GLTF_VEC4, LMB_GLTF_FLOATS | LMB_GLTF_FRACTIONS,
                             count, scratch, &weights)) {
        return false;
    }
    *present = joints_index != LMB_NONE && weights != NULL;
    if (!*present) {
        return (joints_index == LMB_NONE && weights == NULL) ||
               lmb_importer_note(p->gltf->importer, "mesh '%.200s': %s without %s left out", p->mesh_name,
                                 weights == NULL ? joints_key.text : weights_key.text,
                                 weights == NULL ? weights_key.text : joints_key.text);
    }
    uint32_t *joints = lmb_gltf_decode_integers(p->gltf, scratch, joints_index, count);
    bool read = joints != NULL;
    for (size_t i = 0; read && i < (size_t)count * 4; i++) {
        const uint32_t vertex = (uint32_t)(i / 4);
        read = check_influence(p, vertex, &joints[i], &weights[i], negative);
        *lost |= replace_smallest(&p->geometry->vertices[vertex], joints[i], weights[i]);
    }
    lmb_pool_release(scratch, joints);
    lmb_pool_release(scratch, weights);
    return read;
}

static bool read_all_influences(primitive *p, negative_weights *negative, bool *lost) {
    if (!read_influences(p, 0) || !read_influences(p, 1)) {
        return false;
    }
    bool read = true;
    for (size_t i = 0; read && i < (size_t)p->geometry->vertex_count * LMB_MAX_INFLUENCES; i++) {
        lmb_vertex *vertex = &p->geometry->vertices[i / LMB_MAX_INFLUENCES];
        read = check_influence(p, (uint32_t)(i / LMB_MAX_INFLUENCES), &vertex->joints[i % LMB_MAX_INFLUENCES],
                               &vertex->weights[i % LMB_MAX_INFLUENCES], negative);
    }
    bool present = true;
    for (uint32_t set = 2; read && present; set++) {
        read = read_further_set(p, set, negative, &present, lost);
    }
    return read;
}

static bool read_skinning(primitive *p) {
    negative_weights negative = {0};
    bool lost = false;
    if (p->skin == NULL) {
        return true;
    }
    if (!read_all_influences(p, &negative, &lost)) {
        return false;
    }
    return (negative.count == 0 ||
            lmb_importer_note(p->gltf->importer,
                              "mesh '%.200s': %" PRIu32 " weights a little below 0 read as 0, the lowest %.3g at vertex"
                              " %" PRIu32,
                              p->mesh_name, negative.count, (double)negative.lowest, negative.vertex)) &&
           lmb_gltf_normalise_weights(p->gltf, p->mesh_name, lost, p->geometry);
}

static bool leave_out_primitive(primitive *p, const char *reason) {
    p->geometry->left_out = true;
    return lmb_importer_note(p->gltf->importer, "mesh '%.200s': %s %s: left out", p->mesh_name, p->object->place.text,
                             reason);
}

// Reads the file's indices, or numbers the vertices in order if there are none.
static bool read_raw_indices(primitive *p, uint32_t **indices, uint32_t *count) {
    lmb_gltf *gltf = p->gltf;
    uint32_t index = LMB_NONE;
    if (!lmb_gltf_read_index(p->object, "indices", gltf->accessor_count, "accessors", &index)) {
        return false;
    }
    if (index == LMB_NONE) {
        *count = p->geometry->vertex_count;
        *indices = lmb_importer_scratch(gltf->importer, *count, sizeof **indices);
        for (uint32_t i = 0; *indices != NULL && i < *count; i++) {
            (*indices)[i] = i;
        }
        return *indices != NULL;
    }
    const lmb_gltf_accessor *accessor = &gltf->accessors[index];
    bool is_unsigned = accessor->component == LMB_GLTF_UINT8 || accessor->component == LMB_GLTF_UINT16 ||
                       accessor->component == LMB_GLTF_UINT32;
    if (accessor->shape != LMB_GLTF_SCALAR || !is_unsigned || accessor->normalized) {
        return lmb_gltf_fail(p->object, "indices", "accessor %" PRIu32 " does not hold unsigned SCALAR integers",
                             index);
    }
    *count = accessor->count;
    *indices = lmb_gltf_decode_integers(gltf, &gltf->importer->scratch, index, *count);
    for (uint32_t i = 0; *indices != NULL && i < *count; i++) {
        if ((*indices)[i] >= p->geometry->vertex_count) {
            return lmb_gltf_fail(p->object, "indices",
                                 "index %" PRIu32 " is %" PRIu32 ", there are %" PRIu32 " vertices", i, (*indices)[i],
                                 p->geometry->vertex_count);
        }
    }
    return *indices != NULL;
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
    if (raw_count < 3) {
        lmb_pool_release(&p->gltf->importer->scratch, raw);
        return leave_out_primitive(p, "has no triangle");
    }
    if (mode == MODE_TRIANGLES && raw_count % 3 != 0) {
        lmb_gltf_excuse(p->object, "indices", LMB_GLTF_LEFT_OVER_INDICES);
    }
    uint32_t triangle_count = mode == MODE_TRIANGLES ? raw_count / 3 : raw_count - 2;
    if (triangle_count > UINT32_MAX / 3) {
        return lmb_importer_fail(p->gltf->importer, LMB_ERROR_LIMIT, "%s: %" PRIu32 " triangles", p->object->place.text,
                                 triangle_count);
    }
    lmb_gltf_geometry *geometry = p->geometry;
    geometry->index_count = triangle_count * 3;
    geometry->indices = lmb_importer_keep(p->gltf->importer, geometry->index_count, sizeof(uint32_t));
    for (uint32_t i = 0; geometry->indices != NULL && i < triangle_count; i++) {
        list_triangle(mode, raw, i, geometry->indices + (size_t)i * 3);
    }
    lmb_pool_release(&p->gltf->importer->scratch, raw);
    return geometry->indices != NULL;
}

static bool read_primitive(primitive *p, uint32_t texcoord) {
    static const char *const mode_names[] = {"consists of points", "consists of lines", "consists of a line loop",
                                             "consists of a line strip"};
    uint64_t mode = MODE_TRIANGLES;
    uint32_t position;
    bool present, decoded;
    if (!lmb_gltf_read_object(p->object, "attributes", &p->attributes, NULL) ||
        !lmb_gltf_read_integer(p->object, "mode", 0, MODE_FAN, &mode) ||
        !lmb_gltf_decompress_primitive(p->object, &decoded) || !find_attribute(&p->attributes, "POSITION", &position)) {
        return false;
    }
    mode = decoded ? MODE_TRIANGLES : mode;
    if (mode < MODE_TRIANGLES) {
        return leave_out_primitive(p, mode_names[mode]);
    }
    if (position == LMB_NONE) {
        return leave_out_primitive(p, "has no POSITION");
    }
    lmb_gltf_geometry *geometry = p->geometry;
    const int any_kind = LMB_GLTF_FLOATS | LMB_GLTF_FRACTIONS | LMB_GLTF_WHOLE;
    const lmb_gltf_place texcoord_key = lmb_gltf_place_of("TEXCOORD_%" PRIu32, texcoord);
    geometry->vertex_count = p->gltf->accessors[position].count;
    geometry->vertices = lmb_importer_keep(p->gltf->importer, geometry->vertex_count, sizeof(lmb_vertex));
    return geometry->vertices != NULL &&
           read_attribute(p, "POSITION", LMB_GLTF_VEC3, any_kind, offsetof(lmb_vertex, position), &present) &&
           read_attribute(p, "NORMAL", LMB_GLTF_VEC3, LMB_GLTF_FLOATS | LMB_GLTF_FRACTIONS,
                          offsetof(lmb_vertex, normal), &geometry->has_normals) &&
           read_attribute(p, texcoord_key.text, LMB_GLTF_VEC2, any_kind, offsetof(lmb_vertex, texcoord), &present) &&
           read_tangents(p) && read_colors(p) && read_skinning(p) && read_indices(p, mode) &&
           (geometry->left_out || lmb_gltf_read_targets(p->gltf, p->object, p->node, p->mesh_name, geometry));
}

// ---- Meshes ----

// Decoding budget that each primitive uses for each node of its mesh, in addition to its vertices.
#define PRIMITIVE_BYTES ((size_t)1024)
// Replaces the joints of the vertices, which are indices into the skin, by those of the rig.
static void bind_to_skin(const lmb_gltf *gltf, const lmb_gltf_skin *skin, lmb_gltf_geometry *geometry) {
    for (uint32_t i = 0; i < geometry->vertex_count; i++) {
        lmb_vertex *vertex = &geometry->vertices[i];
        for (uint32_t k = 0; k < LMB_MAX_INFLUENCES; k++) {
            if (vertex->weights[k] > 0) {
                const uint32_t binding = skin->bindings[vertex->joints[k]];
                vertex->joints[k] = binding != LMB_NONE ? gltf->bindings[binding].joint
                                                        : gltf->nodes[skin->nodes[vertex->joints[k]]].joint;
            }
        }
    }
}

// Binds a mesh without a skin to its anchor. The matrix undoes the joint's inverse bind matrix, which the palette will
// apply.
static bool bind_to_anchor(const lmb_gltf *gltf, const lmb_gltf_node *node, lmb_gltf_geometry *geometry,
                           lmb_affine *bind) {
    lmb_affine inverse;
    if (!lmb_affine_invert(lmb_rig_get_def(gltf->importer->import->rig)->joints[node->anchor].inverse_bind, &inverse)) {
        return false;
    }
    *bind = lmb_affine_multiply(inverse, node->to_anchor);
    for (uint32_t i = 0; i < geometry->vertex_count; i++) {
        geometry->vertices[i].joints[0] = node->anchor;
        geometry->vertices[i].weights[0] = 1;
    }
    return true;
}

// Normalises a vector. One without a direction gets that of an axis.
static void set_unit(float unit[3], const double v[3], int axis) {
    const double length = lmb_length(v);
    const bool has_direction = length > 0 && isfinite(length);
    for (int i = 0; i < 3; i++) {
        unit[i] = has_direction ? (float)(v[i] / length) : i == axis ? 1.0f : 0.0f;
    }
}

static void flip_triangles(lmb_gltf_geometry *geometry) {
    for (uint32_t i = 0; i < geometry->index_count; i += 3) {
        uint32_t index = geometry->indices[i + 1];
        geometry->indices[i + 1] = geometry->indices[i + 2];
        geometry->indices[i + 2] = index;
    }
}

static bool is_in_range(const float position[3]) {
    return fabsf(position[0]) <= LMB_LARGEST && fabsf(position[1]) <= LMB_LARGEST && fabsf(position[2]) <= LMB_LARGEST;
}

// Transforms to the bind pose's model space. Returns false if a position is out of range.
static bool transform_geometry(const lmb_affine *bind, lmb_gltf_geometry *geometry) {
    const lmb_affine identity = lmb_affine_identity();
    const bool is_identity = memcmp(bind, &identity, sizeof identity) == 0;
    const matrix m = lmb_matrix_from(bind);
    matrix cofactors; // by which normals are transformed
    const double determinant = lmb_matrix_cofactors(&m, &cofactors);
    const float sign = determinant < 0 ? -1 : 1;
    if (!lmb_gltf_transform_targets(&m, geometry)) {
        return false;
    }
    for (uint32_t i = 0; i < geometry->vertex_count; i++) {
        lmb_vertex *vertex = &geometry->vertices[i];
        double moved[3];
        lmb_matrix_turn(&m, vertex->position, moved);
        for (int row = 0; row < 3 && !is_identity; row++) {
            vertex->position[row] = (float)(moved[row] + m.m[row][3]);
        }
        if (!is_in_range(vertex->position)) {
            return false;
        }
        lmb_matrix_turn(&cofactors, vertex->normal, moved);
        for (int row = 0; row < 3; row++) {
            moved[row] *= (double)sign;
        }
        set_unit(vertex->normal, moved, 1);
        if (geometry->tangents != NULL) {
            float *tangent = geometry->tangents + (size_t)i * 4;
            lmb_matrix_turn(&m, tangent, moved);
            set_unit(tangent, moved, 0);
            // The sign of the bitangent changes if the matrix mirrors.
            tangent[3] = (tangent[3] < 0 ? -1.0f : 1.0f) * sign;
        }
    }
    if (determinant < 0) {
        flip_triangles(geometry);
    }
    return true;
}

void lmb_gltf_set_flat_normal(lmb_vertex corners[3]) {
    double a[3], b[3], normal[3];
    for (int i = 0; i < 3; i++) {
        a[i] = (double)corners[1].position[i] - corners[0].position[i];
        b[i] = (double)corners[2].position[i] - corners[0].position[i];
    }
    lmb_cross(a, b, normal);
    for (int corner = 0; corner < 3; corner++) {
        set_unit(corners[corner].normal, normal, 1);
    }
}

// Gives each index a colour of its own.
static bool flatten_colors(lmb_gltf *gltf, lmb_gltf_geometry *geometry) {
    if (geometry->colors == NULL) {
        return true;
    }
    float *colors = lmb_importer_keep(gltf->importer, geometry->index_count, 4 * sizeof *colors);
    for (uint32_t i = 0; colors != NULL && i < geometry->index_count; i++) {
        memcpy(colors + (size_t)i * 4, geometry->colors + (size_t)geometry->indices[i] * 4, 4 * sizeof *colors);
    }
    lmb_pool_release(&gltf->importer->import->pool, geometry->colors);
    geometry->colors = colors;
    return colors != NULL;
}

// glTF requires flat normals if a file has none, so triangles no longer share vertices.
static bool make_flat(lmb_gltf *gltf, lmb_gltf_geometry *geometry) {
    lmb_importer *importer = gltf->importer;
    lmb_pool *pool = &importer->import->pool;
    lmb_vertex *vertices = lmb_importer_allocate(importer, pool, geometry->index_count, sizeof(lmb_vertex));
    if (vertices == NULL || !lmb_gltf_flatten_targets(gltf, geometry) || !flatten_colors(gltf, geometry)) {
        return false;
    }
    for (uint32_t i = 0; i < geometry->index_count; i++) {
        vertices[i] = geometry->vertices[geometry->indices[i]];
        geometry->indices[i] = i;
    }
    for (uint32_t i = 0; i < geometry->index_count; i += 3) {
        lmb_gltf_set_flat_normal(vertices + i);
    }
    lmb_pool_release(pool, geometry->vertices);
    geometry->vertices = vertices;
    geometry->vertex_count = geometry->index_count;
    return true;
}

// The influences of each vertex are sorted.
static uint32_t count_influences(const lmb_gltf_geometry *geometry) {
    uint32_t most = 1;
    for (uint32_t i = 0; i < geometry->vertex_count; i++) {
        while (most < LMB_MAX_INFLUENCES && geometry->vertices[i].weights[most] > 0) {
            most++;
        }
    }
    return most;
}

static bool add_mesh(lmb_gltf *gltf, const char *name, const lmb_gltf_material *material,
                     const lmb_gltf_geometry *geometry) {
    lmb_importer *importer = gltf->importer;
    lmb_import *import = importer->import;
    lmb_mesh mesh = material->look;
    mesh.name = lmb_importer_copy_text(importer, &import->pool, name);
    mesh.material = lmb_importer_copy_text(importer, &import->pool, mesh.material);
    mesh.vertices = geometry->vertices;
    mesh.vertex_count = geometry->vertex_count;
    mesh.indices = geometry->indices;
    mesh.index_count = geometry->index_count;
    mesh.tangents = geometry->tangents;
    mesh.colors = geometry->colors;
    mesh.targets = geometry->targets;
    mesh.target_count = geometry->target_count;
    mesh.influence_count = count_influences(geometry);
    return mesh.name != NULL && mesh.material != NULL &&
           lmb_importer_append(importer, &import->pool, &import->meshes, &import->mesh_count, &mesh, sizeof mesh);
}

static void transform_texcoords(const lmb_gltf_material *material, lmb_gltf_geometry *geometry) {
    const float(*m)[3] = material->texcoords.transform;
    for (uint32_t i = 0; i < geometry->vertex_count; i++) {
        float *texcoord = geometry->vertices[i].texcoord;
        float u = texcoord[0];
        float v = texcoord[1];
        texcoord[0] = m[0][0] * u + m[0][1] * v + m[0][2];
        texcoord[1] = m[1][0] * u + m[1][1] * v + m[1][2];
    }
}

static void release_geometry(lmb_gltf *gltf, lmb_gltf_geometry *geometry) {
    lmb_pool *pool = &gltf->importer->import->pool;
    lmb_pool_release(pool, geometry->vertices);
    lmb_pool_release(pool, geometry->indices);
    lmb_pool_release(pool, geometry->tangents);
    lmb_pool_release(pool, geometry->colors);
    lmb_gltf_release_targets(gltf, geometry);
}

static bool leave_out(lmb_gltf *gltf, lmb_gltf_geometry *geometry, const char *mesh_name, const lmb_gltf_node *node,
                      const char *reason) {
    release_geometry(gltf, geometry);
    return lmb_importer_note(gltf->importer, "mesh '%.150s' of node '%.150s' %s: left out", mesh_name, node->name,
                             reason);
}

bool lmb_gltf_add_mesh(lmb_gltf *gltf, const lmb_gltf_node *node, const lmb_gltf_skin *skin, const char *name,
                       const char *place, const lmb_gltf_material *material, lmb_gltf_geometry *geometry) {
    lmb_affine bind;
    if (skin != NULL) {
        bind_to_skin(gltf, skin, geometry);
        bind = lmb_affine_multiply(skin->move, skin->to_model);
    } else if (!bind_to_anchor(gltf, node, geometry, &bind)) {
        return leave_out(gltf, geometry, name, node, "hangs on a joint whose bind matrix has no inverse");
    }
    if (!transform_geometry(&bind, geometry)) {
        return lmb_importer_fail(gltf->importer, LMB_ERROR_FORMAT, "%s: a vertex is moved beyond 2^40 by node '%.100s'",
                                 place, node->name);
    }
    transform_texcoords(material, geometry);
    return (geometry->has_normals || make_flat(gltf, geometry)) && add_mesh(gltf, name, material, geometry);
}

static bool build_primitive(lmb_gltf *gltf, const lmb_gltf_node *node, const char *name,
                            const lmb_gltf_object *object) {
    const lmb_gltf_skin *skin = node->skin == LMB_NONE ? NULL : &gltf->skins[node->skin];
    lmb_gltf_material material;
    lmb_gltf_geometry geometry = {0};
    primitive p = {
        .gltf = gltf, .object = object, .mesh_name = name, .node = node, .skin = skin, .geometry = &geometry};
    if (!lmb_gltf_read_material(gltf, object, &material) || !read_primitive(&p, material.texcoords.set)) {
        return false;
    }
    if (geometry.left_out) {
        release_geometry(gltf, &geometry);
        return true;
    }
    return lmb_gltf_add_mesh(gltf, node, skin, name, object->place.text, &material, &geometry);
}

static bool build_mesh(lmb_gltf *gltf, const lmb_gltf_node *node) {
    lmb_pool *scratch = &gltf->importer->scratch;
    lmb_gltf_object object = lmb_gltf_item(&gltf->meshes, node->mesh);
    lmb_gltf_list primitives;
    const char *name;
    if (!lmb_gltf_read_name(&object, "mesh", node->mesh, &name) || !lmb_gltf_require(&object, "primitives")) {
        return false;
    }
    if (node->skin == LMB_NONE && node->anchor == LMB_NONE) {
        return lmb_importer_note(gltf->importer, "mesh '%.150s' of node '%.150s' hangs on no joint: left out", name,
                                 node->name);
    }
    if (!lmb_gltf_read_list(&object, "primitives", LMB_JSON_OBJECT, &primitives) ||
        !lmb_importer_decode(gltf->importer, primitives.count * PRIMITIVE_BYTES)) {
        return false;
    }
    for (uint32_t i = 0; i < primitives.count; i++) {
        lmb_gltf_object primitive = lmb_gltf_item(&primitives, i);
        if (!build_primitive(gltf, node, name, &primitive)) {
            return false;
        }
    }
    lmb_pool_release(scratch, (void *)primitives.values);
    return true;
}

bool lmb_gltf_build_meshes(lmb_gltf *gltf) {
    uint32_t outside = 0;
    if (!lmb_gltf_prepare_materials(gltf)) {
        return false;
    }
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        const lmb_gltf_node *node = &gltf->nodes[i];
        if (node->mesh == LMB_NONE) {
            continue;
        }
        if (!node->in_scene) {
            outside++;
        } else if (!build_mesh(gltf, node)) {
            return false;
        }
    }
    return outside == 0 || lmb_importer_note(gltf->importer, "%" PRIu32 " %s outside the scene left out", outside,
                                             outside == 1 ? "mesh" : "meshes");
}
