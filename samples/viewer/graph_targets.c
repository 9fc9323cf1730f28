// Finds the points that a graph's nodes read. A target begins where the rest pose has its joint, so that it changes
// little until the user moves it; a foot's ground begins below the foot.
#include "graph_targets.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AIM_SHARE 0.6f // of the character's height: how far ahead a joint aims

typedef struct search {
    const lmb_rig *rig;
    lmb_affine *models; // [joint], of the rest pose
    float low, height;
    graph_target *targets;
    uint32_t count;
} search;

void graph_targets_transform(const lmb_affine *matrix, bool is_direction, const float point[3], float result[3]) {
    float moved[3];
    for (size_t row = 0; row < 3; row++) {
        const float *m = matrix->m[row];
        moved[row] = m[0] * point[0] + m[1] * point[1] + m[2] * point[2] + (is_direction ? 0.0f : m[3]);
    }
    memcpy(result, moved, sizeof moved);
}

static void measure_rest(search *search) {
    float high = -FLT_MAX;
    search->low = FLT_MAX;
    for (uint32_t joint = 0; joint < lmb_rig_get_def(search->rig)->joint_count; joint++) {
        const uint32_t parent = lmb_rig_get_def(search->rig)->joints[joint].parent;
        const lmb_affine local = lmb_affine_from_transform(lmb_rig_get_def(search->rig)->joints[joint].rest);
        search->models[joint] = parent != LMB_NONE ? lmb_affine_multiply(search->models[parent], local) : local;
        search->low = fminf(search->low, search->models[joint].m[1][3]);
        high = fmaxf(high, search->models[joint].m[1][3]);
    }
    search->height = fmaxf(high - search->low, 1e-3f);
}

// Adds the target of a slot. Its position or direction is `model`.
static void add(search *search, const lmb_point_slot *slot, const char *what, uint32_t joint,
                const graph_target *kind) {
    bool is_new = slot->in_buffer && slot->index < LMB_MAX_POINTS && joint < lmb_rig_get_def(search->rig)->joint_count;
    for (uint32_t i = 0; is_new && i < search->count; i++) {
        is_new = search->targets[i].point != slot->index;
    }
    if (!is_new) {
        return;
    }
    graph_target *target = &search->targets[search->count++];
    *target = *kind;
    target->point = slot->index;
    snprintf(target->name, sizeof target->name, "%s of %.60s", what, lmb_rig_get_def(search->rig)->joints[joint].name);
    for (size_t axis = 0; axis < 3; axis++) {
        target->from[axis] = search->models[joint].m[axis][3];
    }
}

static graph_target at_joint(const search *search, uint32_t joint, lmb_ik_space space) {
    graph_target target = {.is_world = space == LMB_IK_WORLD};
    for (size_t axis = 0; axis < 3 && joint < lmb_rig_get_def(search->rig)->joint_count; axis++) {
        target.model[axis] = search->models[joint].m[axis][3];
    }
    return target;
}

static graph_target along(lmb_ik_space space, float x, float y, float z) {
    return (graph_target){.is_direction = true, .is_world = space == LMB_IK_WORLD, .model = {x, y, z}};
}

static void add_two_bone(search *search, const lmb_two_bone_def *two_bone) {
    const graph_target end = at_joint(search, two_bone->end, two_bone->space);
    const graph_target pole = along(two_bone->space, 0.0f, 0.0f, 1.0f);
    add(search, &two_bone->target_slot, "target", two_bone->end, &end);
    add(search, &two_bone->pole_slot, "pole", two_bone->mid, &pole);
}

static void add_aim(search *search, const lmb_aim_def *aim) {
    const uint32_t joint = aim->joints[0];
    graph_target ahead = at_joint(search, joint, aim->space);
    const graph_target pole = along(aim->space, 0.0f, 1.0f, 0.0f);
    if (joint < lmb_rig_get_def(search->rig)->joint_count) {
        float forward[3], length = 0.0f;
        graph_targets_transform(&search->models[joint], true, aim->forward, forward);
        for (size_t axis = 0; axis < 3; axis++) {
            length += forward[axis] * forward[axis];
        }
        for (size_t axis = 0; axis < 3; axis++) {
            ahead.model[axis] += AIM_SHARE * search->height * forward[axis] / fmaxf(sqrtf(length), 1e-6f);
        }
    }
    add(search, &aim->target_slot, "target", joint, &ahead);
    add(search, &aim->pole_slot, "pole", joint, &pole);
}

static void add_feet(search *search, const lmb_feet_def *feet) {
    for (uint32_t i = 0; i < feet->foot_count; i++) {
        const lmb_foot_def *foot = &feet->feet[i];
        const graph_target normal = along(feet->space, 0.0f, 1.0f, 0.0f);
        graph_target ground = at_joint(search, foot->ankle, feet->space);
        ground.model[1] = 0.0f; // in the base the ground is at the origin of model space
        add(search, &foot->ground_slot, "ground", foot->ankle, &ground);
        add(search, &foot->normal_slot, "normal", foot->ankle, &normal);
    }
}

uint32_t graph_targets_find(const lmb_graph_def *def, graph_target targets[LMB_MAX_POINTS]) {
    const size_t joints = lmb_rig_get_def(def->rig)->joint_count;
    bool *is_own = calloc(def->node_count + (size_t)1, sizeof *is_own); // below no retarget
    search search = {.rig = def->rig, .models = calloc(joints + 1, sizeof *search.models), .targets = targets};
    if (is_own != NULL && search.models != NULL && def->node_count > 0) {
        measure_rest(&search);
        is_own[def->node_count - 1] = true;
    }
    for (uint32_t i = def->node_count; is_own != NULL && search.models != NULL && i-- > 0;) {
        const lmb_node_def *node = &def->nodes[i];
        for (uint32_t k = 0; is_own[i] && node->op != LMB_OP_RETARGET && k < node->input_count; k++) {
            is_own[node->inputs[k]] = true;
        }
        if (is_own[i] && node->op == LMB_OP_IK_TWO_BONE) {
            add_two_bone(&search, &node->two_bone);
        } else if (is_own[i] && node->op == LMB_OP_IK_AIM) {
            add_aim(&search, &node->aim);
        } else if (is_own[i] && node->op == LMB_OP_FOOT_PLACEMENT) {
            add_feet(&search, &node->feet);
        }
    }
    free(search.models);
    free(is_own);
    return search.count;
}
