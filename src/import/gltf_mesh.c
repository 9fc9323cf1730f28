// Builds meshes: binds their geometry to joints of the rig, in the bind pose's model space.
#include "gltf.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// Two matrices count as equal if no entry differs by more than this, relative to the larger of 1 and the entry.
#define SAME_MATRIX 1e-6
// Decoding budget that each primitive uses for each node of its mesh, in addition to its vertices.
#define PRIMITIVE_BYTES ((size_t)1024)
// Tolerance for bind poses of two skins, which are computed from each other and so lose digits.
#define SAME_BIND 1e-4

static bool is_close(const lmb_affine *a, const lmb_affine *b, double tolerance) {
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            double x = a->m[row][column];
            double y = b->m[row][column];
            if (!(fabs(x - y) <= tolerance * fmax(1, fabs(x)))) {
                return false;
            }
        }
    }
    return true;
}

// Computes the matrix by which vertices of a skin are multiplied to fit the rig's inverse bind matrix of a joint
// instead of the skin's own: inverse(rig's) * skin's.
static bool bind_of_joint(const lmb_gltf *gltf, const lmb_gltf_skin *skin, uint32_t skin_joint, lmb_affine *bind) {
    uint32_t joint = gltf->nodes[skin->nodes[skin_joint]].joint;
    lmb_affine own = lmb_rig_joint_inverse_bind(gltf->importer->import->rig, joint);
    if (is_close(&own, &skin->inverse_binds[skin_joint], SAME_MATRIX)) {
        *bind = lmb_affine_identity();
        return true;
    }
    lmb_affine inverse;
    if (!lmb_affine_invert(own, &inverse)) {
        return false;
    }
    *bind = lmb_affine_multiply(inverse, skin->inverse_binds[skin_joint]);
    return true;
}

// Finds one matrix for all joints that influence the vertices; sets `found` to false if they need different ones.
// Replaces the joints of the vertices, which are indices into the skin, by those of the rig.
static bool bind_to_skin(lmb_gltf *gltf, const lmb_gltf_skin *skin, lmb_gltf_geometry *geometry, lmb_affine *bind,
                         bool *found) {
    lmb_importer *importer = gltf->importer;
    uint8_t *checked = lmb_importer_decode(importer, skin->joint_count)
                           ? lmb_importer_allocate(importer, &importer->scratch, skin->joint_count, 1)
                           : NULL;
    if (checked == NULL) {
        return false;
    }
    bool is_first = true;
    *found = true;
    for (uint32_t i = 0; *found && i < geometry->vertex_count; i++) {
        lmb_vertex *vertex = &geometry->vertices[i];
        for (uint32_t k = 0; k < LMB_MAX_INFLUENCES; k++) {
            uint32_t skin_joint = vertex->joints[k];
            if (vertex->weights[k] == 0) {
                continue;
            }
            if (!checked[skin_joint]) {
                lmb_affine other = lmb_affine_identity();
                *found = *found && bind_of_joint(gltf, skin, skin_joint, &other) &&
                         (is_first || is_close(bind, &other, SAME_BIND));
                *bind = is_first && *found ? other : *bind;
                is_first = false;
                checked[skin_joint] = 1;
            }
            vertex->joints[k] = gltf->nodes[skin->nodes[skin_joint]].joint;
        }
    }
    lmb_pool_release(&importer->scratch, checked);
    return true;
}

// Binds a mesh without a skin to its anchor. The matrix undoes the joint's inverse bind matrix, which the palette will
// apply.
static bool bind_to_anchor(const lmb_gltf *gltf, const lmb_gltf_node *node, lmb_gltf_geometry *geometry,
                           lmb_affine *bind) {
    lmb_affine inverse;
    if (!lmb_affine_invert(lmb_rig_joint_inverse_bind(gltf->importer->import->rig, node->anchor), &inverse)) {
        return false;
    }
    *bind = lmb_affine_multiply(inverse, node->to_anchor);
    for (uint32_t i = 0; i < geometry->vertex_count; i++) {
        geometry->vertices[i].joints[0] = node->anchor;
        geometry->vertices[i].weights[0] = 1;
    }
    return true;
}

static void transform_point(const lmb_affine *matrix, float point[3]) {
    double result[3];
    for (int row = 0; row < 3; row++) {
        const float *m = matrix->m[row];
        result[row] = (double)m[0] * point[0] + (double)m[1] * point[1] + (double)m[2] * point[2] + (double)m[3];
    }
    for (int row = 0; row < 3; row++) {
        point[row] = (float)result[row];
    }
}

// Normals are transformed by the transposed inverse. The cofactors are that times the determinant, and exist for every
// matrix. Returns the determinant.
static double cofactors(const lmb_affine *matrix, double cofactor[3][3]) {
    for (int row = 0; row < 3; row++) {
        const float *a = matrix->m[(row + 1) % 3];
        const float *b = matrix->m[(row + 2) % 3];
        for (int column = 0; column < 3; column++) {
            int next = (column + 1) % 3;
            int last = (column + 2) % 3;
            cofactor[row][column] = (double)a[next] * b[last] - (double)a[last] * b[next];
        }
    }
    const float *m = matrix->m[0];
    return m[0] * cofactor[0][0] + m[1] * cofactor[0][1] + m[2] * cofactor[0][2];
}

// Normalises a normal. One without a direction points up.
static void set_unit(float normal[3], double x, double y, double z) {
    double length = sqrt(x * x + y * y + z * z);
    bool has_direction = length > 0 && isfinite(length);
    normal[0] = has_direction ? (float)(x / length) : 0;
    normal[1] = has_direction ? (float)(y / length) : 1;
    normal[2] = has_direction ? (float)(z / length) : 0;
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
    lmb_affine identity = lmb_affine_identity();
    bool is_identity = memcmp(bind, &identity, sizeof identity) == 0;
    double cofactor[3][3];
    double determinant = cofactors(bind, cofactor);
    double sign = determinant < 0 ? -1 : 1;
    for (uint32_t i = 0; i < geometry->vertex_count; i++) {
        lmb_vertex *vertex = &geometry->vertices[i];
        if (!is_identity) {
            transform_point(bind, vertex->position);
        }
        if (!is_in_range(vertex->position)) {
            return false;
        }
        double normal[3];
        for (int row = 0; row < 3; row++) {
            const double *c = cofactor[row];
            const float *n = vertex->normal;
            normal[row] = sign * (c[0] * (double)n[0] + c[1] * (double)n[1] + c[2] * (double)n[2]);
        }
        set_unit(vertex->normal, normal[0], normal[1], normal[2]);
    }
    if (determinant < 0) {
        flip_triangles(geometry);
    }
    return true;
}

static void set_flat_normal(lmb_vertex corners[3]) {
    double a[3];
    double b[3];
    for (int i = 0; i < 3; i++) {
        a[i] = (double)corners[1].position[i] - corners[0].position[i];
        b[i] = (double)corners[2].position[i] - corners[0].position[i];
    }
    for (int corner = 0; corner < 3; corner++) {
        set_unit(corners[corner].normal, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                 a[0] * b[1] - a[1] * b[0]);
    }
}

// glTF requires flat normals if a file has none, so triangles no longer share vertices.
static bool make_flat(lmb_gltf *gltf, lmb_gltf_geometry *geometry) {
    lmb_importer *importer = gltf->importer;
    lmb_pool *pool = &importer->import->pool;
    lmb_vertex *vertices = lmb_importer_allocate(importer, pool, geometry->index_count, sizeof(lmb_vertex));
    if (vertices == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < geometry->index_count; i++) {
        vertices[i] = geometry->vertices[geometry->indices[i]];
        geometry->indices[i] = i;
    }
    for (uint32_t i = 0; i < geometry->index_count; i += 3) {
        set_flat_normal(vertices + i);
    }
    lmb_pool_release(pool, geometry->vertices);
    geometry->vertices = vertices;
    geometry->vertex_count = geometry->index_count;
    return true;
}

static bool add_mesh(lmb_gltf *gltf, const char *name, const lmb_gltf_material *material,
                     const lmb_gltf_geometry *geometry) {
    lmb_importer *importer = gltf->importer;
    lmb_import *import = importer->import;
    lmb_mesh mesh = {.name = lmb_importer_copy_text(importer, &import->pool, name),
                     .vertices = geometry->vertices,
                     .vertex_count = geometry->vertex_count,
                     .indices = geometry->indices,
                     .index_count = geometry->index_count,
                     .image = material->image,
                     .double_sided = material->double_sided};
    memcpy(mesh.base_color, material->base_color, sizeof mesh.base_color);
    lmb_mesh *meshes = mesh.name == NULL
                           ? NULL
                           : lmb_importer_grow(importer, &import->pool, import->meshes, import->mesh_count,
                                               &import->mesh_capacity, sizeof(lmb_mesh));
    if (meshes == NULL) {
        return false;
    }
    import->meshes = meshes;
    import->meshes[import->mesh_count++] = mesh;
    return true;
}

static void transform_texcoords(const lmb_gltf_material *material, lmb_gltf_geometry *geometry) {
    const float(*m)[3] = material->texcoord_transform;
    for (uint32_t i = 0; i < geometry->vertex_count; i++) {
        float *texcoord = geometry->vertices[i].texcoord;
        float u = texcoord[0];
        float v = texcoord[1];
        texcoord[0] = m[0][0] * u + m[0][1] * v + m[0][2];
        texcoord[1] = m[1][0] * u + m[1][1] * v + m[1][2];
    }
}

static bool leave_out(lmb_gltf *gltf, lmb_gltf_geometry *geometry, const char *mesh_name, const lmb_gltf_node *node,
                      const char *reason) {
    lmb_pool *pool = &gltf->importer->import->pool;
    lmb_pool_release(pool, geometry->vertices);
    lmb_pool_release(pool, geometry->indices);
    return lmb_importer_note(gltf->importer, "mesh '%.150s' of node '%.150s' %s: left out", mesh_name, node->name,
                             reason);
}

bool lmb_gltf_add_mesh(lmb_gltf *gltf, const lmb_gltf_node *node, const lmb_gltf_skin *skin, const char *name,
                       const char *place, const lmb_gltf_material *material, lmb_gltf_geometry *geometry) {
    lmb_affine bind = lmb_affine_identity();
    if (skin == NULL) {
        if (!bind_to_anchor(gltf, node, geometry, &bind)) {
            return leave_out(gltf, geometry, name, node, "hangs on a joint whose bind matrix has no inverse");
        }
    } else {
        bool found;
        if (!bind_to_skin(gltf, skin, geometry, &bind, &found)) {
            return false;
        }
        if (!found) {
            return leave_out(gltf, geometry, name, node,
                             "has a skin that binds joints unlike another skin that shares them");
        }
        bind = lmb_affine_multiply(bind, skin->to_model);
    }
    if (!transform_geometry(&bind, geometry)) {
        return lmb_importer_fail(gltf->importer, LMB_ERROR_FORMAT, "%s: a vertex is moved beyond 2^40 by node '%.100s'",
                                 place, node->name);
    }
    transform_texcoords(material, geometry);
    return (geometry->has_normals || make_flat(gltf, geometry)) && add_mesh(gltf, name, material, geometry);
}

static bool build_primitive(lmb_gltf *gltf, const lmb_gltf_node *node, const char *name,
                            const lmb_gltf_object *primitive) {
    const lmb_gltf_skin *skin = node->skin == LMB_NONE ? NULL : &gltf->skins[node->skin];
    lmb_gltf_material material;
    lmb_gltf_geometry geometry;
    return lmb_gltf_read_material(gltf, primitive, &material) &&
           lmb_gltf_read_geometry(gltf, primitive, name, skin, material.texcoord, &geometry) &&
           (geometry.left_out ||
            lmb_gltf_add_mesh(gltf, node, skin, name, primitive->place.text, &material, &geometry));
}

static bool note_morph_targets(const lmb_gltf *gltf, const lmb_gltf_list *primitives, const char *name) {
    bool found = false;
    for (uint32_t i = 0; !found && i < primitives->count; i++) {
        lmb_gltf_object primitive = lmb_gltf_item(primitives, i);
        if (!lmb_gltf_has(gltf, &primitive, "targets", &found)) {
            return false;
        }
    }
    return !found || lmb_importer_note(gltf->importer, "mesh '%.200s': morph targets skipped", name);
}

static bool build_mesh(lmb_gltf *gltf, const lmb_gltf_node *node) {
    lmb_pool *scratch = &gltf->importer->scratch;
    lmb_gltf_object object = lmb_gltf_item(&gltf->meshes, node->mesh);
    lmb_gltf_list primitives;
    const char *name;
    if (!lmb_gltf_read_name(gltf, &object, "mesh", node->mesh, &name) ||
        !lmb_gltf_require(gltf, &object, "primitives")) {
        return false;
    }
    if (node->skin == LMB_NONE && node->anchor == LMB_NONE) {
        return lmb_importer_note(gltf->importer, "mesh '%.150s' of node '%.150s' hangs on no joint: left out", name,
                                 node->name);
    }
    if (!lmb_gltf_read_list(gltf, scratch, &object, "primitives", LMB_JSON_OBJECT, &primitives) ||
        !lmb_importer_decode(gltf->importer, primitives.count * PRIMITIVE_BYTES) ||
        !note_morph_targets(gltf, &primitives, name)) {
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
