// Meshes: defaults, influences of vertices, and checks.
#include "mesh.h"

#include "base/float_environment.h"

#include <limber/math.h>

#include <float.h>
#include <math.h>
#include <stdio.h>

static bool are_within(const float *numbers, uint32_t count, float most) {
    for (uint32_t i = 0; i < count; i++) {
        if (!(fabsf(numbers[i]) <= most)) {
            return false;
        }
    }
    return true;
}

static bool vertex_is_fine(const lmb_vertex *vertex, uint32_t joint_count) {
    if (!are_within(vertex->position, 3, LMB_LARGEST) || !are_within(vertex->normal, 3, 1.0001f) ||
        !are_within(vertex->texcoord, 2, FLT_MAX)) {
        return false;
    }
    float sum = 0.0f;
    for (uint32_t i = 0; i < LMB_MAX_INFLUENCES; i++) {
        if (!(vertex->weights[i] >= 0.0f) || vertex->joints[i] >= joint_count ||
            (vertex->weights[i] == 0.0f && vertex->joints[i] != 0)) {
            return false;
        }
        sum += vertex->weights[i];
    }
    return fabsf(sum - 1.0f) <= 1e-5f;
}

static bool needs_more(const lmb_vertex *vertex, uint32_t influence_count) {
    bool found = false;
    for (uint32_t i = influence_count; i < LMB_MAX_INFLUENCES; i++) {
        found = found || vertex->weights[i] != 0.0f;
    }
    return found;
}

static bool check_vertices(const lmb_mesh *mesh, uint32_t joint_count, char *why, size_t size) {
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        if (needs_more(&mesh->vertices[i], mesh->influence_count)) {
            snprintf(why, size, "vertex %u has more than %u influences", (unsigned)i, (unsigned)mesh->influence_count);
            return false;
        }
        if (!vertex_is_fine(&mesh->vertices[i], joint_count)) {
            snprintf(why, size, "vertex %u is not valid", (unsigned)i);
            return false;
        }
        if (mesh->tangents != NULL && !are_within(mesh->tangents + (size_t)i * 4, 4, LMB_LARGEST)) {
            snprintf(why, size, "the tangent of vertex %u is out of range", (unsigned)i);
            return false;
        }
        if (mesh->colors != NULL && !are_within(mesh->colors + (size_t)i * 4, 4, LMB_LARGEST)) {
            snprintf(why, size, "the color of vertex %u is out of range", (unsigned)i);
            return false;
        }
    }
    return true;
}

static bool check_indices(const lmb_mesh *mesh, char *why, size_t size) {
    for (uint32_t i = 0; i < mesh->index_count; i++) {
        if (mesh->indices[i] >= mesh->vertex_count) {
            snprintf(why, size, "index %u is out of range", (unsigned)i);
            return false;
        }
    }
    return true;
}

static bool delta_is_fine(const lmb_skin_target *target, uint32_t index, uint32_t vertex_count) {
    const lmb_skin_delta *delta = &target->deltas[index];
    return (index == 0 || delta->vertex > delta[-1].vertex) && delta->vertex < vertex_count &&
           are_within(delta->position, 3, LMB_LARGEST) && are_within(delta->normal, 3, LMB_LARGEST) &&
           are_within(delta->tangent, 3, LMB_LARGEST);
}

static bool check_target(const lmb_mesh *mesh, uint32_t index, uint32_t channel_count, char *why, size_t size) {
    const lmb_skin_target *target = &mesh->targets[index];
    const char *fault = target->channel >= channel_count                    ? "its channel is out of range"
                        : target->delta_count > 0 && target->deltas == NULL ? "its displacements are NULL"
                        : target->delta_count > mesh->vertex_count          ? "it has too many displacements"
                                                                            : NULL;
    if (fault != NULL) {
        snprintf(why, size, "target %u: %s", (unsigned)index, fault);
        return false;
    }
    for (uint32_t i = 0; i < target->delta_count; i++) {
        if (!delta_is_fine(target, i, mesh->vertex_count)) {
            snprintf(why, size, "target %u: displacement %u is not valid", (unsigned)index, (unsigned)i);
            return false;
        }
    }
    return true;
}

static bool check_targets(const lmb_mesh *mesh, uint32_t channel_count, char *why, size_t size) {
    for (uint32_t i = 0; i < mesh->target_count; i++) {
        if (!check_target(mesh, i, channel_count, why, size)) {
            return false;
        }
    }
    return true;
}

// ---- Influences ----

void lmb_vertex_sort(lmb_vertex *vertex) {
    for (uint32_t i = 0; i < LMB_MAX_INFLUENCES; i++) {
        const float weight = vertex->weights[i];
        const uint32_t joint = weight != 0.0f ? vertex->joints[i] : 0;
        uint32_t at = i;
        for (; at > 0 && vertex->weights[at - 1] < weight; at--) {
            vertex->weights[at] = vertex->weights[at - 1];
            vertex->joints[at] = vertex->joints[at - 1];
        }
        vertex->weights[at] = weight;
        vertex->joints[at] = joint;
    }
}

void lmb_vertex_divide(lmb_vertex *vertex, double sum) {
    for (uint32_t i = 0; i < LMB_MAX_INFLUENCES; i++) {
        vertex->weights[i] = (float)((double)vertex->weights[i] / sum);
    }
}

static double sum_weights(const lmb_vertex *vertex, uint32_t count) {
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        sum += (double)vertex->weights[i];
    }
    return sum;
}

// Returns the part of the weights that the vertex loses, or a negative number if they cannot be normalised.
static double reduce(lmb_vertex *vertex, uint32_t influence_count) {
    bool usable = true;
    for (uint32_t i = 0; i < LMB_MAX_INFLUENCES; i++) {
        usable = usable && vertex->weights[i] >= 0.0f && vertex->weights[i] <= FLT_MAX;
    }
    const double before = sum_weights(vertex, LMB_MAX_INFLUENCES);
    if (!usable || before <= 0.0) {
        return -1.0;
    }
    lmb_vertex_sort(vertex);
    const double kept = sum_weights(vertex, influence_count);
    for (uint32_t i = influence_count; i < LMB_MAX_INFLUENCES; i++) {
        vertex->weights[i] = 0.0f;
        vertex->joints[i] = 0;
    }
    lmb_vertex_divide(vertex, kept);
    return (before - kept) / before;
}

lmb_result lmb_reduce_influences(lmb_vertex *vertices, uint32_t vertex_count, uint32_t influence_count,
                                 float *largest_loss, lmb_error *error) {
    if (influence_count == 0 || influence_count > LMB_MAX_INFLUENCES) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "influences: %u of a vertex, 1 to %u may be kept",
                        (unsigned)influence_count, LMB_MAX_INFLUENCES);
    }
    if (vertices == NULL && vertex_count > 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "influences: vertices is NULL");
    }
    lmb_environment callers;
    lmb_environment_enter(&callers);
    double largest = 0.0;
    uint32_t done = 0;
    for (double loss = 0.0; done < vertex_count && loss >= 0.0; done += loss >= 0.0) {
        loss = reduce(&vertices[done], influence_count);
        largest = loss > largest ? loss : largest;
    }
    lmb_environment_leave(&callers);
    if (largest_loss != NULL) {
        *largest_loss = (float)largest;
    }
    return done == vertex_count
               ? LMB_OK
               : lmb_fail(error, LMB_ERROR_ARGUMENT,
                          "influences: the weights of vertex %u are negative, not finite or all 0", (unsigned)done);
}

// ---- Checks ----

static bool are_images(const lmb_mesh *mesh, uint32_t image_count) {
    const uint32_t images[] = {mesh->image, mesh->metallic_roughness_image, mesh->normal_image};
    bool exist = true;
    for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
        exist = exist && (images[i] == LMB_NONE || images[i] < image_count);
    }
    return exist;
}

static bool has_finite_factors(const lmb_mesh *mesh) {
    const float factors[] = {mesh->metallic, mesh->roughness, mesh->normal_scale};
    return are_within(mesh->base_color, 4, FLT_MAX) && are_within(factors, 3, FLT_MAX);
}

bool lmb_mesh_check(const lmb_mesh *mesh, const lmb_rig *rig, uint32_t image_count, char *why, size_t size) {
    const char *fault = (mesh->vertex_count > 0 && mesh->vertices == NULL)     ? "its vertices are NULL"
                        : (mesh->index_count > 0 && mesh->indices == NULL)     ? "its indices are NULL"
                        : (mesh->target_count > 0 && mesh->targets == NULL)    ? "its targets are NULL"
                        : mesh->index_count == 0 || mesh->index_count % 3 != 0 ? "its indices are no triangles"
                        : !has_finite_factors(mesh)                            ? "its material is not finite"
                        : !are_images(mesh, image_count)                       ? "its image is out of range"
                        : mesh->influence_count == 0 || mesh->influence_count > LMB_MAX_INFLUENCES
                            ? "its number of influences is out of range"
                            : NULL;
    if (fault != NULL) {
        snprintf(why, size, "%s", fault);
        return false;
    }
    return check_vertices(mesh, lmb_rig_get_def(rig)->joint_count, why, size) && check_indices(mesh, why, size) &&
           check_targets(mesh, lmb_rig_get_def(rig)->channel_count, why, size);
}
