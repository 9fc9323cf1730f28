// Matches the nodes of a file that adds clips with the joints of the rig.
#include "gltf.h"

#include <inttypes.h>
#include <math.h>

// Rest poses in two files exported from one character differ by rounding errors.
#define SAME_REST 1e-6

// If several nodes have one name, the first one gets the joint.
static bool match_nodes(lmb_gltf *gltf, bool *taken) {
    lmb_importer *importer = gltf->importer;
    const lmb_rig *rig = importer->import->rig;
    lmb_name *names = lmb_names_of_rig(importer, rig);
    if (names == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        lmb_gltf_node *node = &gltf->nodes[i];
        uint32_t joint = lmb_names_find(names, lmb_rig_joint_count(rig), node->name);
        node->in_rig = joint != LMB_NONE && !taken[joint];
        node->joint = node->in_rig ? joint : LMB_NONE;
        if (node->in_rig) {
            taken[joint] = true;
        }
    }
    lmb_pool_release(&importer->scratch, names);
    return true;
}

static bool note_missing(const lmb_gltf *gltf, const bool *taken) {
    const lmb_rig *rig = gltf->importer->import->rig;
    lmb_name_list names = {0};
    for (uint32_t joint = 0; joint < lmb_rig_joint_count(rig); joint++) {
        if (!taken[joint]) {
            lmb_name_list_add(&names, lmb_rig_joint_name(rig, joint));
        }
    }
    return names.count == 0 ||
           lmb_importer_note(gltf->importer, "joints of the rig that it does not have keep their rest pose: %s",
                             lmb_name_list_text(&names));
}

// Notes joints with another parent than in the rig: their local transforms have another meaning. A joint whose parent
// in the file is no joint counts as having no parent.
static bool note_other_parents(const lmb_gltf *gltf) {
    const lmb_rig *rig = gltf->importer->import->rig;
    lmb_name_list names = {0};
    for (uint32_t i = 0; i < gltf->node_count; i++) {
        const lmb_gltf_node *node = &gltf->nodes[i];
        uint32_t parent = node->parent == LMB_NONE ? LMB_NONE : gltf->nodes[node->parent].joint;
        if (node->in_rig && parent != lmb_rig_joint_parent(rig, node->joint)) {
            lmb_name_list_add(&names, node->name);
        }
    }
    return names.count == 0 ||
           lmb_importer_note(gltf->importer, "joints that hang on another joint than in the rig: %s",
                             lmb_name_list_text(&names));
}

bool lmb_gltf_match_rig(lmb_gltf *gltf) {
    lmb_importer *importer = gltf->importer;
    bool *taken =
        lmb_importer_allocate(importer, &importer->scratch, lmb_rig_joint_count(importer->import->rig), sizeof(bool));
    return taken != NULL && match_nodes(gltf, taken) && note_missing(gltf, taken) && note_other_parents(gltf);
}

static bool differs(const float *a, const float *b, int count, float sign) {
    for (int i = 0; i < count; i++) {
        if (!(fabs((double)a[i] - (double)(sign * b[i])) <= SAME_REST * fmax(1, fabs((double)a[i])))) {
            return true;
        }
    }
    return false;
}

static bool rest_differs(const lmb_gltf *gltf, const lmb_gltf_node *node, lmb_channel channel, lmb_track_def *track) {
    static const float start = 0;
    lmb_transform rest = lmb_rig_joint_rest(gltf->importer->import->rig, node->joint);
    const float *theirs[] = {node->rest.translation, node->rest.rotation, node->rest.scale};
    const float *ours[] = {rest.translation, rest.rotation, rest.scale};
    int count = channel == LMB_CHANNEL_ROTATION ? 4 : 3;
    bool moved = differs(theirs[channel], ours[channel], count, 1) &&
                 (channel != LMB_CHANNEL_ROTATION || differs(theirs[channel], ours[channel], count, -1));
    *track = (lmb_track_def){.joint = node->joint,
                             .channel = channel,
                             .interpolation = LMB_INTERPOLATION_STEP,
                             .key_count = 1,
                             .times = &start,
                             .values = theirs[channel]};
    return moved;
}

bool lmb_gltf_list_rests(lmb_gltf *gltf) {
    lmb_importer *importer = gltf->importer;
    size_t capacity = 0;
    for (uint32_t i = 0; importer->adds_clips && i < gltf->node_count; i++) {
        const lmb_gltf_node *node = &gltf->nodes[i];
        for (int channel = LMB_CHANNEL_TRANSLATION; node->in_rig && channel <= LMB_CHANNEL_SCALE; channel++) {
            lmb_gltf_rest rest = {.node = i};
            if (!rest_differs(gltf, node, (lmb_channel)channel, &rest.track)) {
                continue;
            }
            lmb_gltf_rest *rests = lmb_importer_grow(importer, &importer->scratch, gltf->rests, gltf->rest_count,
                                                     &capacity, sizeof *rests);
            if (rests == NULL) {
                return false;
            }
            gltf->rests = rests;
            gltf->rests[gltf->rest_count++] = rest;
        }
    }
    return true;
}

bool lmb_gltf_note_unmatched(const lmb_gltf *gltf, const char *animation, lmb_name_list *names) {
    return names->count == 0 || lmb_importer_note(gltf->importer,
                                                  "animation '%.200s': tracks of nodes that are no joints of the rig"
                                                  " skipped: %s",
                                                  animation, lmb_name_list_text(names));
}
