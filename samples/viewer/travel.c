#include "travel.h"

#include <math.h>
#include <string.h>

typedef struct traveller {
    const lmb_program_def *program;
    const lmb_control_def *control;
    const float *parameters;
} traveller;

// Curves shape fades, whose ends they share: what lies between matters little to the ground.
static float value_of(const traveller *traveller, lmb_value value) {
    return value.parameter != LMB_NONE ? traveller->parameters[value.parameter] : value.constant;
}

static float share_of(const traveller *traveller, lmb_value value) {
    return fminf(fmaxf(value_of(traveller, value), 0.0f), 1.0f);
}

static void add(mannequin_travel *sum, float weight, mannequin_travel travel) {
    sum->left += weight * travel.left;
    sum->forward += weight * travel.forward;
    sum->turn += weight * travel.turn;
}

// In a group all go through their clips in the same time, the mean of their paces as they weigh: a clip of another
// duration is stretched, and its travel with it, so that feet stay where they are.
static float rate_in_group(const traveller *traveller, const lmb_group_def *group, uint32_t player) {
    const lmb_player_def *players = traveller->control->players;
    float pace = 0.0f, total = 0.0f;
    for (uint32_t i = 0; i < group->player_count; i++) {
        float weight = fmaxf(value_of(traveller, group->players[i].weight), 0.0f);
        pace += weight / players[group->players[i].player].duration;
        total += weight;
    }
    pace = total > 0.0f ? pace / total : 1.0f / players[group->players[0].player].duration;
    return value_of(traveller, group->rate) * pace * players[player].duration;
}

static float rate_of_player(const traveller *traveller, uint32_t player) {
    const lmb_control_def *control = traveller->control;
    for (uint32_t i = 0; i < control->group_count; i++) {
        for (uint32_t k = 0; k < control->groups[i].player_count; k++) {
            if (control->groups[i].players[k].player == player) {
                return rate_in_group(traveller, &control->groups[i], player);
            }
        }
    }
    return value_of(traveller, control->players[player].rate);
}

static float rate_of_clip(const traveller *traveller, const lmb_node_def *node) {
    for (uint32_t i = 0; traveller->control != NULL && i < traveller->control->player_count; i++) {
        if (traveller->control->players[i].time_parameter == node->time.parameter) {
            return rate_of_player(traveller, i);
        }
    }
    return 0.0f;
}

static mannequin_travel travel_of_clip(const traveller *traveller, const lmb_node_def *node) {
    mannequin_travel travel = {0};
    uint32_t clip = (uint32_t)fmaxf(value_of(traveller, node->clip), 0.0f);
    if (clip < traveller->program->clip_count && clip < MANNEQUIN_CLIP_COUNT) {
        add(&travel, rate_of_clip(traveller, node), mannequin_clip_travel((mannequin_clip_id)clip));
    }
    return travel;
}

static mannequin_travel travel_of_node(const traveller *traveller, uint32_t index) {
    const lmb_node_def *node = &traveller->program->nodes[index];
    mannequin_travel travel = {0};
    float total = 0.0f;
    switch (node->op) {
    case LMB_OP_CLIP:
        return travel_of_clip(traveller, node);
    case LMB_OP_BLEND:
        total = share_of(traveller, node->weight);
        add(&travel, 1.0f - total, travel_of_node(traveller, node->inputs[0]));
        add(&travel, total, travel_of_node(traveller, node->inputs[1]));
        return travel;
    case LMB_OP_WEIGHTED:
        for (uint32_t i = 0; i < node->input_count; i++) {
            float weight = fmaxf(value_of(traveller, node->weights[i]), 0.0f);
            if (weight > 0.0f) {
                add(&travel, weight, travel_of_node(traveller, node->inputs[i]));
                total += weight;
            }
        }
        add(&travel, total > 0.0f ? 1.0f / total - 1.0f : 0.0f, travel);
        return travel;
    case LMB_OP_SUBTRACT_SCALE_ADD:
        return travel_of_node(traveller, node->inputs[2]);
    case LMB_OP_MASKED:
    case LMB_OP_ADDITIVE:
    case LMB_OP_ADD:
        return travel_of_node(traveller, node->inputs[0]);
    default:
        return travel;
    }
}

mannequin_travel travel_of_pose(const lmb_program_def *program, const lmb_control_def *control,
                                const float *parameters) {
    const traveller traveller = {program, control, parameters};
    return travel_of_node(&traveller, program->node_count - 1);
}
