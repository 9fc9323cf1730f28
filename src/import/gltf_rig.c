// Builds the rig from the nodes and skins.
#include "gltf.h"

#include <inttypes.h>
#include <math.h>

// Adds the joints of all skins and all their ancestors to those marked already; all nodes if there is no skin.
static void mark_joints(lmb_gltf *gltf) {
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        gltf->nodes[i].in_rig |= gltf->skin_count == 0;
    }
    for (uint32_t s = 0; s < gltf->skin_count; s++) {
        for (uint32_t i = 0; i < gltf->skins[s].joint_count; i++) {
            uint32_t node = gltf->skins[s].nodes[i];
            while (node != LMB_NONE && !gltf->nodes[node].in_rig) {
                gltf->nodes[node].in_rig = true;
                node = gltf->nodes[node].parent;
            }
        }
    }
}

// Numbers the nodes of the rig in the file's order. `joint` holds that number until the rig exists.
static uint32_t number_joints(lmb_gltf *gltf) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        gltf->nodes[i].joint = gltf->nodes[i].in_rig ? count++ : LMB_NONE;
    }
    return count;
}

// Returns the matrix that the rig will have: with a normalised rotation, and with tiny scales set to zero.
static lmb_affine local_matrix(const lmb_gltf_node *node) {
    lmb_transform local = node->rest;
    double norm = 0;
    for (int i = 0; i < 4; i++) {
        norm += (double)local.rotation[i] * local.rotation[i];
    }
    for (int i = 0; i < 4; i++) {
        local.rotation[i] = (float)(local.rotation[i] / sqrt(norm));
    }
    for (int i = 0; i < 3; i++) {
        local.scale[i] = fabsf(local.scale[i]) < LMB_SMALLEST ? 0 : local.scale[i];
    }
    return lmb_affine_from_transform(local);
}

// A joint of no skin gets the inverse of its rest pose as inverse bind matrix. With a scale of zero there is no
// inverse; then the joint keeps its default matrix. Any matrix will do, because only meshes bound to the joint depend
// on it.
static void bind_flat_joints(const lmb_gltf *gltf, lmb_affine *models, lmb_joint_def *joints) {
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        uint32_t index = gltf->node_order[i];
        const lmb_gltf_node *node = &gltf->nodes[index];
        lmb_affine local = local_matrix(node);
        models[index] = node->parent == LMB_NONE ? local : lmb_affine_multiply(models[node->parent], local);
        lmb_affine inverse;
        if (node->in_rig && !lmb_affine_invert(models[index], &inverse)) {
            joints[node->joint].has_inverse_bind = true;
        }
    }
}

static void fill_joints(const lmb_gltf *gltf, lmb_joint_def *joints) {
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        const lmb_gltf_node *node = &gltf->nodes[i];
        if (!node->in_rig) {
            continue;
        }
        lmb_joint_def *joint = &joints[node->joint];
        *joint = lmb_default_joint_def();
        joint->name = node->name;
        joint->rest = node->rest;
        joint->parent = node->parent == LMB_NONE ? LMB_NONE : gltf->nodes[node->parent].joint;
    }
    // Iterates from the last skin to the first: if skins share a joint, the first skin's matrix is the one that
    // remains.
    for (uint32_t s = gltf->skin_count; s-- > 0;) {
        const lmb_gltf_skin *skin = &gltf->skins[s];
        for (uint32_t i = 0; i < skin->joint_count; i++) {
            lmb_joint_def *joint = &joints[gltf->nodes[skin->nodes[i]].joint];
            joint->inverse_bind = skin->inverse_binds[i];
            joint->has_inverse_bind = true;
        }
    }
}

// Visits parents first, so that each node needs only its parent.
static void find_anchors(lmb_gltf *gltf) {
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        lmb_gltf_node *node = &gltf->nodes[gltf->node_order[i]];
        if (node->in_rig) {
            node->anchor = node->joint;
            node->to_anchor = lmb_affine_identity();
        } else if (node->parent != LMB_NONE && gltf->nodes[node->parent].anchor != LMB_NONE) {
            const lmb_gltf_node *parent = &gltf->nodes[node->parent];
            node->anchor = parent->anchor;
            node->to_anchor = lmb_affine_multiply(parent->to_anchor, local_matrix(node));
        }
    }
}

bool lmb_gltf_build_rig(lmb_gltf *gltf) {
    lmb_importer *importer = gltf->importer;
    mark_joints(gltf);
    uint32_t count = number_joints(gltf);
    if (count == 0) {
        return lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED, "nodes: there are none, so there is no rig");
    }
    if (count > LMB_MAX_JOINTS) {
        return lmb_importer_fail(importer, LMB_ERROR_LIMIT, "nodes: the rig would have %" PRIu32 " joints, %u at most",
                                 count, LMB_MAX_JOINTS);
    }
    lmb_joint_def *joints = lmb_importer_allocate(importer, &importer->scratch, count, sizeof(lmb_joint_def));
    lmb_affine *models =
        joints == NULL ? NULL
                       : lmb_importer_allocate(importer, &importer->scratch, gltf->node_count, sizeof(lmb_affine));
    if (models == NULL) {
        return false;
    }
    fill_joints(gltf, joints);
    bind_flat_joints(gltf, models, joints);
    lmb_import *import = importer->import;
    lmb_host host = lmb_pool_host(&import->pool);
    lmb_error error;
    const lmb_rig_def def = {
        .joints = joints, .joint_count = count, .channels = gltf->channels, .channel_count = gltf->channel_count};
    if (lmb_rig_create(&def, &host, &import->rig, &error) != LMB_OK) {
        return lmb_importer_fail_inner(importer, "rig", &error);
    }
    lmb_pool_release(&importer->scratch, joints);
    lmb_pool_release(&importer->scratch, models);
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        lmb_gltf_node *node = &gltf->nodes[i];
        node->joint = node->in_rig ? lmb_rig_joint_of_def(import->rig, node->joint) : LMB_NONE;
    }
    find_anchors(gltf);
    return true;
}
