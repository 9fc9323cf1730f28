// Finds the joint of the rig that each joint of a skin becomes. The rig has one inverse bind matrix for each joint, but
// skins that share a node may bind it differently: exporters write one skin per mesh, or quantise the positions of one.
//
// The rig has the matrix R of the first skin that names a node. Another skin with matrices S needs
//     palette * vertex = model * S * vertex
// Where one matrix A gives S = R * A for its joints, A moves the vertices of its meshes once, and the skin uses the
// joints of the others. A is the one that most of its joints agree on. A joint that does not agree gets a joint of its
// own: a child that stays at the identity, with the inverse bind matrix S * inverse(A).
//
// Matrices are compared by what they do to a box around the joints, since the size of their entries means nothing:
// those of quantised positions are small, and their translations are not.
#include "gltf.h"

#include "math/matrix.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// By this part of the box's diagonal a corner may move between two matrices that count as the same.
#define SAME_BIND 5e-6
// A box is at least this part of its distance from the origin, since so far away its joints have few digits left.
#define SMALLEST_BOX 0.02
// Further joints of a node with which a new one is compared, so that the time stays in proportion to the file.
#define MOST_COMPARED 16u

typedef struct box {
    double corners[2][3];
    double diagonal;
} box;

// ---- Comparing ----

static void grow(box *box, const double point[3], bool is_first) {
    for (int axis = 0; axis < 3; axis++) {
        box->corners[0][axis] = is_first ? point[axis] : fmin(box->corners[0][axis], point[axis]);
        box->corners[1][axis] = is_first ? point[axis] : fmax(box->corners[1][axis], point[axis]);
    }
}

// The box of the bind poses of a skin's joints in the rig, enlarged by half its diagonal to hold meshes around them.
static box box_of(const lmb_gltf *gltf, const lmb_gltf_skin *skin) {
    box result = {{{0}}, 0};
    bool is_first = true;
    double farthest = 0;
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        const matrix bind = lmb_matrix_from(gltf->nodes[skin->nodes[i]].inverse_bind);
        matrix model;
        if (lmb_matrix_invert(&bind, &model)) {
            const double point[3] = {model.m[0][3], model.m[1][3], model.m[2][3]};
            grow(&result, point, is_first);
            farthest = fmax(farthest, lmb_length(point));
            is_first = false;
        }
    }
    double way[3];
    for (int axis = 0; axis < 3; axis++) {
        way[axis] = result.corners[1][axis] - result.corners[0][axis];
    }
    result.diagonal = fmax(lmb_length(way), SMALLEST_BOX * farthest);
    for (int axis = 0; axis < 3; axis++) {
        result.corners[0][axis] -= 0.5 * result.diagonal;
        result.corners[1][axis] += 0.5 * result.diagonal;
    }
    return result;
}

static bool keeps_box(const matrix *m, const box *box) {
    bool keeps = true;
    for (int corner = 0; corner < 8; corner++) {
        const double point[3] = {box->corners[corner & 1][0], box->corners[corner >> 1 & 1][1],
                                 box->corners[corner >> 2][2]};
        double way[3];
        for (int row = 0; row < 3; row++) {
            way[row] = lmb_dot(m->m[row], point) + m->m[row][3] - point[row];
        }
        keeps = keeps && lmb_length(way) <= SAME_BIND * box->diagonal;
    }
    return keeps;
}

// Whether two inverse bind matrices of a joint are the same for what is in the box. Without an inverse only equal ones
// are.
static bool is_same_bind(const lmb_affine *a, const lmb_affine *b, const box *box) {
    const matrix from = lmb_matrix_from(a), to = lmb_matrix_from(b);
    matrix inverse;
    if (memcmp(a, b, sizeof *a) == 0 || !lmb_matrix_invert(&from, &inverse)) {
        return memcmp(a, b, sizeof *a) == 0;
    }
    const matrix product = lmb_matrix_multiply(&inverse, &to);
    return keeps_box(&product, box);
}

// ---- Skins ----

// Finds the matrix A that the skin's joint asks for. There is none if a matrix has no inverse.
static bool find_move(const lmb_gltf *gltf, const lmb_gltf_skin *skin, uint32_t joint, matrix *move) {
    const matrix rig = lmb_matrix_from(gltf->nodes[skin->nodes[joint]].inverse_bind);
    const matrix own = lmb_matrix_from(&skin->inverse_binds[joint]);
    matrix inverse, unused;
    if (!lmb_matrix_invert(&rig, &inverse) || !lmb_matrix_invert(&own, &unused)) {
        return false;
    }
    *move = lmb_matrix_multiply(&inverse, &own);
    return true;
}

static bool is_same_move(const matrix *move, const matrix *inverse, const box *box) {
    const matrix change = lmb_matrix_multiply(move, inverse);
    return keeps_box(&change, box);
}

// How many joints ask for the matrix whose inverse is given.
static uint32_t count_votes(const lmb_gltf *gltf, const lmb_gltf_skin *skin, const box *box, const matrix *inverse) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        matrix move;
        count += find_move(gltf, skin, i, &move) && is_same_move(&move, inverse, box);
    }
    return count;
}

// Finds the matrix that more than half of the joints ask for, or else one of theirs (Boyer and Moore), and its inverse.
static void elect(const lmb_gltf *gltf, const lmb_gltf_skin *skin, const box *box, matrix *elected, matrix *inverse) {
    uint32_t lead = 0;
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        matrix move;
        if (!find_move(gltf, skin, i, &move)) {
            continue;
        }
        if (lead > 0) {
            lead = is_same_move(&move, inverse, box) ? lead + 1 : lead - 1;
        } else if (lmb_matrix_invert(&move, inverse)) {
            *elected = move;
            lead = 1;
        }
    }
}

// Finds by what the vertices are moved. Returns whether it is nothing, which wins where it has as many votes.
static bool find_common_move(const lmb_gltf *gltf, const lmb_gltf_skin *skin, const box *box, matrix *move,
                             matrix *inverse) {
    const lmb_affine none = lmb_affine_identity();
    const matrix identity = lmb_matrix_from(&none);
    *move = *inverse = identity;
    elect(gltf, skin, box, move, inverse);
    return count_votes(gltf, skin, box, &identity) >= count_votes(gltf, skin, box, inverse);
}

static bool add_binding(lmb_gltf *gltf, uint32_t node, uint32_t skin, const lmb_affine *inverse_bind, uint32_t *index) {
    lmb_importer *importer = gltf->importer;
    const lmb_gltf_binding binding = {
        .node = node, .skin = skin, .inverse_bind = *inverse_bind, .next = gltf->nodes[node].bindings};
    *index = gltf->binding_count;
    gltf->nodes[node].bindings = *index;
    return lmb_importer_append(importer, &importer->scratch, &gltf->bindings, &gltf->binding_count, &binding,
                               sizeof binding);
}

// Finds a binding of the node that is the same, or adds one.
static bool find_binding(lmb_gltf *gltf, uint32_t node, uint32_t skin, const lmb_affine *inverse_bind, const box *box,
                         uint32_t *index) {
    *index = gltf->nodes[node].bindings;
    uint32_t compared = 0;
    while (*index != LMB_NONE && compared < MOST_COMPARED &&
           !is_same_bind(&gltf->bindings[*index].inverse_bind, inverse_bind, box)) {
        *index = gltf->bindings[*index].next;
        compared++;
    }
    return (*index != LMB_NONE && compared < MOST_COMPARED) || add_binding(gltf, node, skin, inverse_bind, index);
}

static bool has_binds_of_rig(const lmb_gltf *gltf, const lmb_gltf_skin *skin) {
    bool equal = true;
    for (uint32_t i = 0; equal && i < skin->joint_count; i++) {
        const lmb_affine *bind = gltf->nodes[skin->nodes[i]].inverse_bind;
        equal = bind == &skin->inverse_binds[i] || memcmp(bind, &skin->inverse_binds[i], sizeof *bind) == 0;
    }
    return equal;
}

static bool bind_skin(lmb_gltf *gltf, uint32_t index) {
    lmb_gltf_skin *skin = &gltf->skins[index];
    skin->move = lmb_affine_identity();
    skin->bindings = lmb_importer_scratch(gltf->importer, skin->joint_count, sizeof *skin->bindings);
    for (uint32_t i = 0; skin->bindings != NULL && i < skin->joint_count; i++) {
        skin->bindings[i] = LMB_NONE;
    }
    if (skin->bindings == NULL || skin->is_unused || has_binds_of_rig(gltf, skin)) {
        return skin->bindings != NULL;
    }
    const box box = box_of(gltf, skin);
    matrix move, inverse;
    const bool stays = find_common_move(gltf, skin, &box, &move, &inverse);
    if (!stays) {
        skin->move = lmb_affine_from_matrix(&move);
    }
    bool bound = true;
    for (uint32_t i = 0; bound && i < skin->joint_count; i++) {
        const lmb_gltf_node *node = &gltf->nodes[skin->nodes[i]];
        lmb_affine own = skin->inverse_binds[i];
        if (!stays) {
            const matrix given = lmb_matrix_from(&own), product = lmb_matrix_multiply(&given, &inverse);
            own = lmb_affine_from_matrix(&product);
        }
        bound = is_same_bind(node->inverse_bind, &own, &box) ||
                find_binding(gltf, skin->nodes[i], index, &own, &box, &skin->bindings[i]);
    }
    return bound;
}

// ---- Meshes without a skin ----

// Finds the nearest node of the rig for each node, itself or an ancestor. `anchor` holds its index until the rig
// exists.
static void find_nearest(lmb_gltf *gltf) {
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        lmb_gltf_node *node = &gltf->nodes[gltf->node_order[i]];
        node->anchor = node->in_rig               ? gltf->node_order[i]
                       : node->parent != LMB_NONE ? gltf->nodes[node->parent].anchor
                                                  : LMB_NONE;
    }
}

// A mesh on a joint whose inverse bind matrix has no inverse hangs on a joint of its own.
static bool bind_rigid(lmb_gltf *gltf, const lmb_gltf_node *mesh) {
    const lmb_affine identity = lmb_affine_identity();
    lmb_gltf_node *node = mesh->anchor != LMB_NONE ? &gltf->nodes[mesh->anchor] : NULL;
    lmb_affine inverse;
    if (node == NULL || node->inverse_bind == NULL || node->rigid_binding != LMB_NONE ||
        lmb_affine_invert(*node->inverse_bind, &inverse)) {
        return true;
    }
    return add_binding(gltf, mesh->anchor, LMB_NONE, &identity, &node->rigid_binding);
}

bool lmb_gltf_find_bindings(lmb_gltf *gltf) {
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        gltf->nodes[i].bindings = gltf->nodes[i].rigid_binding = LMB_NONE;
    }
    for (uint32_t s = gltf->skin_count; s-- > 0;) { // the first skin's matrix is the one that remains
        for (uint32_t i = 0; i < gltf->skins[s].joint_count; i++) {
            gltf->nodes[gltf->skins[s].nodes[i]].inverse_bind = &gltf->skins[s].inverse_binds[i];
        }
    }
    bool found = true;
    for (uint32_t s = 0; found && s < gltf->skin_count; s++) {
        found = bind_skin(gltf, s);
    }
    find_nearest(gltf);
    for (uint32_t i = 0; found && i < gltf->node_count; i++) {
        const lmb_gltf_node *node = &gltf->nodes[i];
        found = node->mesh == LMB_NONE || node->skin != LMB_NONE || !node->in_scene || bind_rigid(gltf, node);
    }
    return found;
}

const char *lmb_gltf_binding_name(lmb_gltf *gltf, const lmb_gltf_binding *binding) {
    char end[32] = " (mesh)";
    if (binding->skin != LMB_NONE) {
        snprintf(end, sizeof end, " (skin %" PRIu32 ")", binding->skin);
    }
    const char *name = gltf->nodes[binding->node].name;
    const size_t length = strlen(name);
    char *made = lmb_importer_scratch(gltf->importer, length + sizeof end, 1);
    if (made != NULL) {
        memcpy(made, name, length);
        memcpy(made + length, end, strlen(end));
    }
    return made;
}
