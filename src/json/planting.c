// Warnings about feet that sync markers plant: whether the clip lifts them meanwhile.
#include "graph.h"

#include <math.h>

#define HEIGHTS 64
#define STANDING_LIFT 0.2 // share of a step: up to there a foot stands
#define MOST_LIFT 0.5     // from there on it is lifted
#define EDGE 0.15         // share of the time between the markers, at both ends, in which a foot may land or lift

// How high an ankle is in a clip, as shares of its step.
typedef struct lift {
    double shares[HEIGHTS];
    double duration;
} lift;

// Returns false if the ankle is always at one height.
static bool measure_lift(const lmb_rig *rig, const lmb_clip *clip, uint32_t ankle, lift *lift) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    lift->duration = (double)lmb_clip_get_info(clip)->duration;
    for (int i = 0; i < HEIGHTS; i++) {
        const float time = (float)(lift->duration * i / HEIGHTS);
        lift->shares[i] = (double)lmb_graph_model_of(rig, clip, time, ankle).m[1][3];
        low = fmin(low, lift->shares[i]);
        high = fmax(high, lift->shares[i]);
    }
    for (int i = 0; i < HEIGHTS && high > low; i++) {
        lift->shares[i] = (lift->shares[i] - low) / (high - low);
    }
    return high > low;
}

// Finds from when to when the ankle stands longest, around the end of the clip, too.
static void find_standing(const lift *lift, double times[2]) {
    int best = 0, begin = 0;
    for (int i = 0; i < HEIGHTS; i++) {
        int length = 0;
        while (length < HEIGHTS && lift->shares[(i + length) % HEIGHTS] <= STANDING_LIFT) {
            length++;
        }
        begin = length > best ? i : begin;
        best = length > best ? length : best;
    }
    times[0] = lift->duration * begin / HEIGHTS;
    times[1] = lift->duration * ((begin + best) % HEIGHTS) / HEIGHTS;
}

static void check_planting(lmb_graph_reader *reader, const lmb_foot_def *foot, const lmb_node_def *node, uint32_t at) {
    const lmb_graph_def *def = &reader->graph->def;
    const lmb_clip *clip = def->clips[(uint32_t)node->clip.constant];
    lift lift;
    if (foot->planted_from >= node->player->marker_count || foot->planted_to >= node->player->marker_count ||
        lmb_clip_get_info(clip)->joint_count != lmb_rig_get_def(def->rig)->joint_count ||
        !(lmb_clip_get_info(clip)->duration > 0.0f) || !measure_lift(def->rig, clip, foot->ankle, &lift)) {
        return;
    }
    const double from = (double)node->player->markers[foot->planted_from];
    double length = (double)node->player->markers[foot->planted_to] - from, most = 0.0;
    length += length <= 0.0 ? lift.duration : 0.0;
    for (double k = EDGE; k <= 1.0 - EDGE; k += 1.0 / HEIGHTS) {
        const double share = (from + k * length) / lift.duration;
        most = fmax(most, lift.shares[(int)(share * HEIGHTS) % HEIGHTS]);
    }
    if (most > MOST_LIFT) {
        double stands[2];
        find_standing(&lift, stands);
        lmb_graph_warn(reader, at,
                       "in '%.60s' '%.60s' is lifted between these markers, and stands from %.2g to %.2g s: give such "
                       "times as its \"markers\"",
                       lmb_clip_get_info(clip)->name, lmb_rig_get_def(def->rig)->joints[foot->ankle].name, stands[0],
                       stands[1]);
    }
}

void lmb_graph_warn_of_planting(lmb_graph_reader *reader, const bool *shown) {
    const lmb_graph_def *def = &reader->graph->def;
    bool *below = lmb_graph_allocate(reader, &reader->scratch, def->node_count, sizeof *below);
    const uint8_t *ways = lmb_graph_find_ways(reader, shown);
    for (uint32_t i = 0; below != NULL && ways != NULL && i < def->node_count; i++) {
        const lmb_feet_def *feet = &def->nodes[i].feet;
        const uint32_t count = shown[i] && def->nodes[i].op == LMB_OP_FOOT_PLACEMENT ? feet->foot_count : 0;
        if (count > 0) {
            lmb_graph_mark_below(def, i, below);
        }
        for (uint32_t k = 0; k < count && reader->result == LMB_OK; k++) {
            const uint32_t list = lmb_graph_find_member(reader, reader->objects[i], "feet");
            const uint32_t at =
                lmb_graph_find_member(reader, lmb_graph_find_element(reader, list, k), "planted-markers");
            for (uint32_t clip = 0; clip < i && at != LMB_NONE; clip++) {
                const lmb_node_def *node = &def->nodes[clip];
                const bool is_mirrored = (ways[clip] & ways[i]) == 0; // it plants the other foot
                if (below[clip] && !is_mirrored && node->op == LMB_OP_CLIP &&
                    lmb_graph_is_constant(node->clip, node->clip.constant) && node->player != NULL &&
                    node->player->markers != NULL) {
                    check_planting(reader, &feet->feet[k], node, at);
                }
            }
        }
    }
}
