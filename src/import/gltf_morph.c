// Reads the geometry of morph targets: the displacements of the vertices that a target moves.
#include "gltf.h"

#include "math/matrix.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// The attributes of a target, decoded: float [vertex][3], or NULL if the target lacks one.
enum { POSITION, NORMAL, TANGENT, ATTRIBUTES };

static bool is_displaced(float *const values[ATTRIBUTES], uint32_t vertex) {
    bool found = false;
    for (int which = 0; which < ATTRIBUTES; which++) {
        const float *v = values[which] != NULL ? values[which] + (size_t)vertex * 3 : NULL;
        found = found || (v != NULL && (v[0] != 0.0f || v[1] != 0.0f || v[2] != 0.0f));
    }
    return found;
}

static void copy_displacement(const float *values, uint32_t vertex, float to[3]) {
    if (values != NULL) {
        memcpy(to, values + (size_t)vertex * 3, 3 * sizeof *to);
    }
}

// Keeps the vertices that any attribute displaces.
static bool keep_displaced(lmb_gltf *gltf, float *const values[ATTRIBUTES], uint32_t vertex_count,
                           lmb_skin_target *target) {
    uint32_t count = 0;
    for (uint32_t vertex = 0; vertex < vertex_count; vertex++) {
        count += is_displaced(values, vertex);
    }
    lmb_skin_delta *deltas = lmb_importer_keep(gltf->importer, count, sizeof *deltas);
    for (uint32_t vertex = 0; deltas != NULL && vertex < vertex_count; vertex++) {
        if (is_displaced(values, vertex)) {
            lmb_skin_delta *delta = &deltas[target->delta_count++];
            delta->vertex = vertex;
            copy_displacement(values[POSITION], vertex, delta->position);
            copy_displacement(values[NORMAL], vertex, delta->normal);
            copy_displacement(values[TANGENT], vertex, delta->tangent);
        }
    }
    target->deltas = deltas;
    return deltas != NULL;
}

static bool read_target(lmb_gltf *gltf, const lmb_gltf_object *object, uint32_t vertex_count, lmb_skin_target *target) {
    static const char *const keys[ATTRIBUTES] = {"POSITION", "NORMAL", "TANGENT"};
    lmb_pool *scratch = &gltf->importer->scratch;
    float *values[ATTRIBUTES] = {NULL};
    for (int which = 0; which < ATTRIBUTES; which++) {
        const int kinds = LMB_GLTF_FLOATS | LMB_GLTF_FRACTIONS | (which == POSITION ? LMB_GLTF_WHOLE : 0);
        if (!lmb_gltf_read_array(object, keys[which], LMB_GLTF_VEC3, kinds, vertex_count, scratch, &values[which])) {
            return false;
        }
    }
    const bool kept = keep_displaced(gltf, values, vertex_count, target);
    for (int which = 0; which < ATTRIBUTES; which++) {
        lmb_pool_release(scratch, values[which]);
    }
    return kept;
}

// Names a target after its channel.
static bool name_target(lmb_gltf *gltf, const lmb_gltf_node *node, uint32_t index, lmb_skin_target *target) {
    lmb_importer *importer = gltf->importer;
    target->channel = gltf->channel_of[node->first_channel + index];
    target->name = lmb_importer_copy_text(importer, &importer->import->pool,
                                          lmb_rig_get_def(importer->import->rig)->channels[target->channel].name);
    return target->name != NULL;
}

bool lmb_gltf_read_targets(lmb_gltf *gltf, const lmb_gltf_object *primitive, const lmb_gltf_node *node,
                           const char *mesh_name, lmb_gltf_geometry *geometry) {
    lmb_gltf_list list;
    if (!lmb_gltf_read_list(primitive, "targets", LMB_JSON_OBJECT, &list)) {
        return false;
    }
    if (list.count == 0) {
        return true;
    }
    if (list.count != node->channel_count) {
        return lmb_importer_note(gltf->importer,
                                 "mesh '%.200s': %s has %" PRIu32 " morph targets, the first primitive %" PRIu32
                                 ": left out",
                                 mesh_name, primitive->place.text, list.count, node->channel_count);
    }
    geometry->targets = lmb_importer_keep(gltf->importer, list.count, sizeof *geometry->targets);
    for (uint32_t i = 0; i < list.count; i++) {
        const lmb_gltf_object object = lmb_gltf_item(&list, i);
        if (geometry->targets == NULL || !name_target(gltf, node, i, &geometry->targets[i]) ||
            !read_target(gltf, &object, geometry->vertex_count, &geometry->targets[i])) {
            return false;
        }
        geometry->target_count++;
    }
    lmb_pool_release(&gltf->importer->scratch, (void *)list.values);
    return true;
}

// The displacements of a target in memory of the import, which the import still changes.
static lmb_skin_delta *deltas_of(const lmb_skin_target *target) {
    return (lmb_skin_delta *)(uintptr_t)target->deltas;
}

void lmb_gltf_release_targets(lmb_gltf *gltf, lmb_gltf_geometry *geometry) {
    lmb_pool *pool = &gltf->importer->import->pool;
    for (uint32_t i = 0; i < geometry->target_count; i++) {
        lmb_pool_release(pool, deltas_of(&geometry->targets[i]));
        lmb_pool_release(pool, (void *)(uintptr_t)geometry->targets[i].name);
    }
    lmb_pool_release(pool, geometry->targets);
    geometry->targets = NULL;
    geometry->target_count = 0;
}

// Multiplies a displacement by a matrix and a factor. Returns whether it stays in range.
static bool transform(const matrix *m, double factor, float v[3]) {
    double result[3];
    bool in_range = true;
    lmb_matrix_turn(m, v, result);
    for (int row = 0; row < 3; row++) {
        in_range = in_range && fabs(factor * result[row]) <= (double)LMB_LARGEST;
        v[row] = in_range ? (float)(factor * result[row]) : 0.0f;
    }
    return in_range;
}

// The factor that makes the transformed normal or tangent of a vertex unit, which its displacements share.
static double unit_factor(const matrix *m, const float v[3]) {
    double moved[3];
    lmb_matrix_turn(m, v, moved);
    const double length = lmb_length(moved);
    return length > 0.0 ? 1.0 / length : 0.0;
}

bool lmb_gltf_transform_targets(const matrix *bind, lmb_gltf_geometry *geometry) {
    matrix cofactors;
    const double determinant = lmb_matrix_cofactors(bind, &cofactors), size = cbrt(fabs(determinant));
    const double sign = determinant < 0.0 ? -1.0 : 1.0;
    for (uint32_t t = 0; t < geometry->target_count; t++) {
        lmb_skin_delta *deltas = deltas_of(&geometry->targets[t]);
        for (uint32_t i = 0; i < geometry->targets[t].delta_count; i++) {
            const uint32_t vertex = deltas[i].vertex;
            // Without tangents, the displacements are those of unit tangents, under a matrix that scales all axes by
            // the cube root of its determinant.
            const double of_tangent = geometry->tangents != NULL
                                          ? unit_factor(bind, geometry->tangents + (size_t)vertex * 4)
                                      : size > 0.0 ? 1.0 / size
                                                   : 0.0;
            const double of_normal = sign * unit_factor(&cofactors, geometry->vertices[vertex].normal);
            if (!transform(bind, 1.0, deltas[i].position) || !transform(&cofactors, of_normal, deltas[i].normal) ||
                !transform(bind, of_tangent, deltas[i].tangent)) {
                return false;
            }
        }
    }
    return true;
}

// Writes the displacements of the corners of a triangle, which is flat in both positions.
static void write_triangle(const lmb_gltf_geometry *geometry, uint32_t first, const uint32_t *place_of,
                           const lmb_skin_delta *from, lmb_skin_delta to[3]) {
    lmb_vertex still[3], moved[3];
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t vertex = geometry->indices[first + i];
        still[i] = moved[i] = geometry->vertices[vertex];
        to[i] = place_of[vertex] != 0 ? from[place_of[vertex] - 1] : (lmb_skin_delta){0};
        to[i].vertex = first + i;
        for (int axis = 0; axis < 3; axis++) {
            moved[i].position[axis] += to[i].position[axis];
        }
    }
    lmb_gltf_set_flat_normal(still);
    lmb_gltf_set_flat_normal(moved);
    for (int i = 0; i < 9; i++) {
        to[i / 3].normal[i % 3] = moved[i / 3].normal[i % 3] - still[i / 3].normal[i % 3];
    }
}

static bool flatten_target(lmb_gltf *gltf, const lmb_gltf_geometry *geometry, lmb_skin_target *target) {
    lmb_importer *importer = gltf->importer;
    // For each vertex of the file 1 + the index of its displacement, or 0.
    uint32_t *place_of = lmb_importer_scratch(importer, geometry->vertex_count, sizeof *place_of);
    uint32_t count = 0;
    for (uint32_t i = 0; place_of != NULL && i < target->delta_count; i++) {
        place_of[target->deltas[i].vertex] = i + 1;
    }
    const uint32_t *indices = geometry->indices;
    for (uint32_t i = 0; place_of != NULL && i < geometry->index_count; i += 3) {
        count += (place_of[indices[i]] | place_of[indices[i + 1]] | place_of[indices[i + 2]]) != 0 ? 3 : 0;
    }
    lmb_skin_delta *deltas = place_of != NULL ? lmb_importer_keep(importer, count, sizeof *deltas) : NULL;
    if (deltas == NULL) {
        return false;
    }
    uint32_t written = 0;
    for (uint32_t i = 0; i < geometry->index_count; i += 3) {
        if ((place_of[indices[i]] | place_of[indices[i + 1]] | place_of[indices[i + 2]]) != 0) {
            write_triangle(geometry, i, place_of, target->deltas, deltas + written);
            written += 3;
        }
    }
    lmb_pool_release(&importer->scratch, place_of);
    lmb_pool_release(&importer->import->pool, deltas_of(target));
    target->deltas = deltas;
    target->delta_count = count;
    return true;
}

bool lmb_gltf_flatten_targets(lmb_gltf *gltf, lmb_gltf_geometry *geometry) {
    for (uint32_t i = 0; i < geometry->target_count; i++) {
        if (!flatten_target(gltf, geometry, &geometry->targets[i])) {
            return false;
        }
    }
    return true;
}
