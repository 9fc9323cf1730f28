// Warnings of single nodes and clips that are allowed and most likely not meant: layers that are never seen, inputs of
// blend spaces that are never reached, random beginnings that are not drawn, conditions that no value of their
// parameter meets. traps.c has those that look at the whole graph, steps.c those about motion.
#include "graph.h"

#include "clip/clip.h"

#include <string.h>

// ---- Operations.

// Returns whether a mask, or all joints at LMB_NONE, has its whole weight wherever another one has any.
static bool covers(const lmb_graph_def *def, uint32_t mask, uint32_t other) {
    bool found = mask == LMB_NONE || other != LMB_NONE;
    for (uint32_t joint = 0; mask != LMB_NONE && found && joint < lmb_rig_get_def(def->rig)->joint_count; joint++) {
        found = def->masks[mask][joint] == 255 || def->masks[other][joint] == 0;
    }
    return found;
}

// Warns of layers below one that covers them at any time.
static void warn_of_hidden_layers(lmb_graph_reader *reader, const lmb_node_def *node) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        for (uint32_t k = 0; k < node->input_count; k++) {
            if (node->priorities[k] > node->priorities[i] && lmb_graph_is_constant(node->weights[k], 1.0f) &&
                covers(&reader->graph->def, node->masks[k], node->masks[i])) {
                lmb_graph_warn(reader, reader->objects[node->inputs[i]],
                               "never seen: inputs[%u] has a greater \"priority\", and %s", k,
                               node->masks[k] == LMB_NONE ? "neither a \"mask\" nor a \"fade\""
                                                          : "its \"mask\" covers the same joints");
                break;
            }
        }
    }
}

#define RESTING_SAMPLES 4
// A clip with a smaller share of the tracks that another one has is of a part of the body.
#define FEW_TRACKS 0.4f

static bool rests(const lmb_rig *rig, const lmb_clip *clip, uint32_t joint) {
    const lmb_transform rest = lmb_rig_get_def(rig)->joints[joint].rest;
    bool is_same = true;
    for (int i = 0; i < RESTING_SAMPLES && is_same; i++) {
        const float time = lmb_clip_get_info(clip)->duration * (float)i / RESTING_SAMPLES;
        const lmb_transform shown = lmb_clip_sample(clip, rig, joint, time);
        is_same = memcmp(&shown, &rest, sizeof rest) == 0;
    }
    return is_same;
}

// Warns of clips that leave all joints of their mask at rest.
static void warn_of_masked_rest(lmb_graph_reader *reader, const lmb_node_def *node) {
    const lmb_graph_def *def = &reader->graph->def;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const lmb_node_def *input = &def->nodes[node->inputs[i]];
        const uint32_t joints = lmb_rig_get_def(def->rig)->joint_count;
        if (node->masks[i] == LMB_NONE || input->op != LMB_OP_CLIP ||
            !lmb_graph_is_constant(input->clip, input->clip.constant)) {
            continue;
        }
        const lmb_clip *clip = def->clips[(uint32_t)input->clip.constant];
        const uint8_t *mask = def->masks[node->masks[i]];
        bool moves = lmb_clip_get_info(clip)->joint_count != joints; // of another rig
        bool has_share = false;
        for (uint32_t joint = 0; joint < joints && !moves; joint++) {
            has_share = has_share || mask[joint] > 0;
            moves = mask[joint] > 0 && !rests(def->rig, clip, joint);
        }
        if (has_share && !moves) {
            lmb_graph_warn(reader, reader->objects[node->inputs[i]],
                           "'%.60s' moves no joint of its \"mask\", which so has the rest pose",
                           lmb_clip_get_info(clip)->name);
        }
    }
}

// Returns the JSON value of an input's position along an axis, or the node's object.
static uint32_t position_of(const lmb_graph_reader *reader, uint32_t object, uint32_t input, uint32_t axis) {
    const uint32_t list = lmb_graph_find_member(reader, object, "inputs");
    const uint32_t at = lmb_graph_find_member(reader, lmb_graph_find_element(reader, list, input), "at");
    const uint32_t number = lmb_graph_find_element(reader, at, axis);
    return number != LMB_NONE ? number : at != LMB_NONE ? at : object;
}

// Warns of inputs of a blend space that the range of its parameter does not reach.
static void warn_of_positions(lmb_graph_reader *reader, uint32_t index) {
    const lmb_node_def *node = &reader->graph->def.nodes[index];
    for (uint32_t axis = 0; axis < (node->op == LMB_OP_SPACE2D ? 2u : 1u); axis++) {
        const lmb_value at = node->coordinates[axis];
        if (at.kind != LMB_VALUE_PARAMETER || at.curve != LMB_CURVE_LINEAR) {
            continue;
        }
        const lmb_graph_declared *range = &reader->graph->parameters[at.parameter];
        for (uint32_t i = 0; i < node->input_count && !range->is_computed; i++) {
            const float position = node->positions[i][axis];
            const bool is_above = range->max.at != LMB_NONE && position > range->max.value;
            if (is_above || (range->min.at != LMB_NONE && position < range->min.value)) {
                lmb_graph_warn(reader, position_of(reader, reader->objects[index], i, axis),
                               "%g is never reached: '%.60s' is from %g to %g", (double)position, range->name,
                               (double)range->min.value, (double)range->max.value);
            }
        }
    }
}

// Warns of states that show a clip of few tracks alone, while another one has many: all other joints go to the rest
// pose.
static void warn_of_parts(lmb_graph_reader *reader, const lmb_node_def *node) {
    const lmb_graph_def *def = &reader->graph->def;
    uint32_t most = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < node->input_count; i++) {
            const lmb_node_def *input = &def->nodes[node->inputs[i]];
            if (input->op != LMB_OP_CLIP || !lmb_graph_is_constant(input->clip, input->clip.constant)) {
                continue;
            }
            const lmb_clip *clip = def->clips[(uint32_t)input->clip.constant];
            const bool is_own = lmb_clip_get_info(clip)->joint_count == lmb_rig_get_def(def->rig)->joint_count;
            const uint32_t count = is_own ? lmb_clip_get_info(clip)->track_count : 0;
            most = count > most ? count : most;
            if (pass == 1 && count > 0 && (float)count < FEW_TRACKS * (float)most) {
                lmb_graph_warn(
                    reader, reader->objects[node->inputs[i]],
                    "'%.60s' has %u tracks and a clip of another state %u: joints without one go to the rest "
                    "pose here; \"layers\" with a \"mask\", or an \"additive\", show it over another pose",
                    lmb_clip_get_info(clip)->name, (unsigned)count, (unsigned)most);
            }
        }
    }
}

// Returns the mask of the pose that alone takes in a node, or NULL.
static const uint8_t *find_mask_around(const lmb_graph_def *def, uint32_t index) {
    const uint8_t *mask = NULL;
    uint32_t count = 0;
    for (uint32_t i = index + 1; i < def->node_count; i++) {
        const lmb_node_def *node = &def->nodes[i];
        for (uint32_t k = 0; k < node->input_count; k++) {
            const bool is_input = node->inputs[k] == index;
            count += is_input;
            mask = is_input && node->op == LMB_OP_MASKED && k == 1 ? def->masks[node->mask] : mask;
        }
    }
    return count == 1 ? mask : NULL;
}

// Returns whether two clips show the same at any time.
static bool are_the_same(const lmb_graph_def *def, const lmb_node_def *a, const lmb_node_def *b) {
    if (a->op != LMB_OP_CLIP || b->op != LMB_OP_CLIP || a->clip.kind != LMB_VALUE_CONSTANT ||
        !lmb_graph_is_constant(b->clip, a->clip.constant) || !lmb_graph_is_constant(a->clip, a->clip.constant)) {
        return false;
    }
    const lmb_player_def *p = a->player, *q = b->player;
    const bool is_still = !(lmb_clip_get_info(def->clips[(uint32_t)a->clip.constant])->duration > 0.0f);
    const bool play_alike = p != NULL && q != NULL && p->offset == q->offset && p->delay == q->delay &&
                            p->end == q->end && p->group == q->group && !p->random_offset && !q->random_offset &&
                            p->rate.kind == LMB_VALUE_CONSTANT && lmb_graph_is_constant(q->rate, p->rate.constant);
    const bool stay_alike = p == NULL && q == NULL && a->time.kind == LMB_VALUE_CONSTANT &&
                            lmb_graph_is_constant(b->time, a->time.constant) && a->offset.kind == LMB_VALUE_CONSTANT &&
                            lmb_graph_is_constant(b->offset, a->offset.constant);
    return is_still || play_alike || stay_alike;
}

static void warn_of_node(lmb_graph_reader *reader, uint32_t index) {
    const lmb_graph_def *def = &reader->graph->def;
    const lmb_node_def *node = &def->nodes[index];
    if (node->op == LMB_OP_MACHINE) {
        warn_of_parts(reader, node);
    } else if (node->op == LMB_OP_MIRROR) {
        lmb_graph_warn_of_partners(reader, index, find_mask_around(def, index));
    } else if (node->op == LMB_OP_LAYERS) {
        warn_of_hidden_layers(reader, node);
        warn_of_masked_rest(reader, node);
    } else if (node->op == LMB_OP_SPACE1D || node->op == LMB_OP_SPACE2D) {
        warn_of_positions(reader, index);
    } else if (node->op == LMB_OP_MAKE_ADDITIVE &&
               are_the_same(def, &def->nodes[node->inputs[0]], &def->nodes[node->inputs[1]])) {
        lmb_graph_warn(reader, reader->objects[index],
                       "it adds nothing, as the pose and its reference are the same clip at the same time: the "
                       "reference is a pose from which it differs, as the clip's beginning, with \"time\": 0");
    }
}

// ---- Random beginnings.

static bool has_machine(const lmb_graph_def *def) {
    bool found = false;
    for (uint32_t i = 0; i < def->node_count && !found; i++) {
        found = def->nodes[i].op == LMB_OP_MACHINE;
    }
    return found;
}

// Warns of a clip that begins at a random time and ends, and of one whose group begins with another clip.
static void warn_of_beginning(lmb_graph_reader *reader, uint32_t index) {
    const lmb_graph_def *def = &reader->graph->def;
    const lmb_player_def *player = def->nodes[index].op == LMB_OP_CLIP ? def->nodes[index].player : NULL;
    if (player == NULL || !player->random_offset) {
        return;
    }
    const lmb_player_def *leader = player->group != LMB_NONE ? reader->graph->leaders[player->group] : player;
    if (player->end == LMB_END_HOLD || player->end == LMB_END_ONCE) {
        lmb_graph_warn(reader, lmb_graph_place_of(reader, index, "offset"),
                       "'%.60s' does not loop, so it begins anywhere inside, and what comes before is not seen: leave "
                       "\"offset\" out, or let the clip loop",
                       lmb_graph_name_of_clip(def, index));
    } else if (leader != player && !leader->random_offset && !has_machine(def)) {
        lmb_graph_warn(reader, lmb_graph_place_of(reader, index, "offset"),
                       "not drawn: the group begins with its first clip, which does not begin at a random time; write "
                       "it there");
    }
}

// ---- Conditions.

static void warn_of_comparison(lmb_graph_reader *reader, const lmb_graph_compared *compared) {
    const lmb_graph_declared *range = &reader->graph->parameters[compared->parameter];
    const float at = compared->number;
    const bool has_min = range->min.at != LMB_NONE, has_max = range->max.at != LMB_NONE;
    const lmb_term_kind kind = compared->kind;
    const bool is_below = kind == LMB_TERM_LESS         ? range->min.value >= at
                          : kind == LMB_TERM_LESS_EQUAL ? range->min.value > at
                                                        : kind == LMB_TERM_EQUAL && range->min.value > at;
    const bool is_above = kind == LMB_TERM_GREATER         ? range->max.value <= at
                          : kind == LMB_TERM_GREATER_EQUAL ? range->max.value < at
                                                           : kind == LMB_TERM_EQUAL && range->max.value < at;
    const bool is_always = (kind == LMB_TERM_LESS && has_max && range->max.value < at) ||
                           (kind == LMB_TERM_LESS_EQUAL && has_max && range->max.value <= at) ||
                           (kind == LMB_TERM_GREATER && has_min && range->min.value > at) ||
                           (kind == LMB_TERM_GREATER_EQUAL && has_min && range->min.value >= at);
    const bool is_never = (has_min && is_below) || (has_max && is_above);
    if (!range->is_computed && (is_never || (is_always && compared->leaves))) {
        lmb_graph_warn(reader, compared->value, "%s: '%.60s' is from %g to %g",
                       is_never ? "never true" : "always true, so the state is left at once", range->name,
                       (double)range->min.value, (double)range->max.value);
    }
}

// From here on a parameter is most likely in percent.
#define MIN_PERCENT 10.0f

static void warn_of_percent(lmb_graph_reader *reader, const lmb_graph_declared *parameter) {
    if (parameter->share_at != 0 && parameter->max.at != LMB_NONE && parameter->max.value >= MIN_PERCENT) {
        lmb_graph_warn(reader, parameter->share_at,
                       "'%.60s' is from %g to %g, and above 1 it counts as 1 here: {\"remap\": [{\"param\": "
                       "\"%.60s\"}, %g, %g, 0, 1]} takes the whole range",
                       parameter->name, (double)parameter->min.value, (double)parameter->max.value, parameter->name,
                       (double)parameter->min.value, (double)parameter->max.value);
    }
}

void lmb_graph_warn_of_nodes(lmb_graph_reader *reader, const bool *shown) {
    const lmb_graph_def *def = &reader->graph->def;
    for (uint32_t i = 0; i < def->node_count && reader->result == LMB_OK; i++) {
        if (shown[i]) {
            warn_of_node(reader, i);
            warn_of_beginning(reader, i);
        }
    }
    for (uint32_t i = 0; i < reader->compared_count && reader->result == LMB_OK; i++) {
        warn_of_comparison(reader, &reader->compared[i]);
    }
    for (uint32_t i = 0; i < def->parameter_count && reader->result == LMB_OK; i++) {
        warn_of_percent(reader, &reader->graph->parameters[i]);
    }
}
