// Warnings of single nodes and clips that are allowed and most likely not meant: motion that moves nothing or twice,
// layers that are never seen, inputs of blend spaces that are never reached or out of step, random beginnings that are
// not drawn, conditions that no value of their parameter meets. traps.c has those that look at the whole graph.
#include "graph.h"

#include <math.h>
#include <string.h>

// Returns a member of a clip, or the clip's object if it has none.
static uint32_t place_of(const lmb_graph_reader *reader, uint32_t node, const char *member) {
    const uint32_t at = lmb_graph_find_of_clip(reader, node, member);
    return at != LMB_NONE ? at : reader->objects[node];
}

// Returns the name of the clip of a node that has a player.
static const char *clip_name(const lmb_graph_def *def, uint32_t node) {
    return lmb_clip_name(def->clips[(uint32_t)def->nodes[node].clip.constant]);
}

static bool has_velocity(const lmb_node_def *node) {
    return node->op == LMB_OP_CLIP && node->player != NULL && node->player->motion == NULL &&
           node->player->velocity != 0.0f;
}

static bool is_constant(lmb_value value, float constant) {
    return value.kind == LMB_VALUE_CONSTANT && value.curve == LMB_CURVE_LINEAR && value.constant == constant;
}

// ---- Motion.

// Feet that slide by more at any speed take no steps of a walk.
#define MOST_WALK_SLIDE 0.5f

// Returns how the feet of a node's clip walk, measured once for each clip: at 0 if they take no steps, and if the clip
// is not played as the loop that is measured.
static lmb_foot_speed walk_of(lmb_graph_reader *reader, const lmb_node_def *node) {
    const lmb_graph_def *def = &reader->graph->def;
    lmb_foot_speed speed = {0};
    if (node->op != LMB_OP_CLIP || !is_constant(node->clip, node->clip.constant) || node->player == NULL ||
        node->player->end != LMB_END_LOOP) {
        return speed;
    }
    const uint32_t clip = (uint32_t)node->clip.constant;
    if (reader->walks == NULL) {
        reader->walks = lmb_graph_allocate(reader, &reader->scratch, def->clip_count, sizeof *reader->walks);
    }
    if (reader->walks != NULL && !reader->walks[clip].is_measured) {
        const lmb_host host = lmb_pool_host(&reader->scratch);
        lmb_error ignored; // it may be a clip of another rig
        reader->walks[clip].is_measured = true;
        (void)lmb_root_motion_measure_feet(def->rig, def->clips[clip], &host, &reader->walks[clip].speed, &ignored);
    }
    if (reader->walks != NULL && reader->walks[clip].speed.slide <= MOST_WALK_SLIDE) {
        speed = reader->walks[clip].speed;
    }
    return speed;
}

static bool takes_steps(lmb_graph_reader *reader, const lmb_node_def *node) {
    const lmb_foot_speed speed = walk_of(reader, node);
    return speed.velocity[0] != 0.0f || speed.velocity[2] != 0.0f;
}

// Warns of a velocity that is not that of the clip's feet.
static void warn_of_velocity(lmb_graph_reader *reader, uint32_t index) {
    const lmb_node_def *node = &reader->graph->def.nodes[index];
    const uint32_t at = place_of(reader, index, "velocity");
    if (!has_velocity(node) || lmb_graph_is_text(reader, at, "auto")) {
        return;
    }
    const lmb_foot_speed walk = walk_of(reader, node);
    const float forward = walk.velocity[2], share = forward != 0.0f ? node->player->velocity / forward : 1.0f;
    if (fabsf(walk.velocity[0]) > 2.0f * fabsf(forward)) {
        lmb_graph_warn(reader, at,
                       "the feet of '%.60s' walk sideways, by %.3g a second along x, and \"velocity\" is along z: give "
                       "keys as its \"motion\"",
                       clip_name(&reader->graph->def, index), (double)walk.velocity[0]);
    } else if (share < 0.5f || share > 2.0f) {
        lmb_graph_warn(reader, at,
                       "the feet of '%.60s' walk by %.3g a second along z, so at %.3g they slide: \"auto\" takes what "
                       "is measured",
                       clip_name(&reader->graph->def, index), (double)forward, (double)node->player->velocity);
    }
}

// Warns of a clip without a velocity in a group in which another has one.
static void warn_of_missing_velocity(lmb_graph_reader *reader, uint32_t index) {
    const lmb_graph_def *def = &reader->graph->def;
    const lmb_node_def *node = &def->nodes[index];
    if (def->motion == NULL || node->op != LMB_OP_CLIP || node->player == NULL || node->player->group == LMB_NONE ||
        node->player->motion != NULL || node->player->velocity != 0.0f || !takes_steps(reader, node)) {
        return;
    }
    for (uint32_t i = 0; i < def->node_count; i++) {
        if (has_velocity(&def->nodes[i]) && def->nodes[i].player->group == node->player->group) {
            lmb_graph_warn(reader, place_of(reader, index, "group"),
                           "'%.60s' has no \"velocity\", while '%.60s' of its group has one: it slows the character "
                           "down, although its feet walk by %.3g a second",
                           clip_name(def, index), clip_name(def, i), (double)walk_of(reader, node).velocity[2]);
            return;
        }
    }
}

// Returns the first clip whose velocity moves the character, or would; of those without a group if `is_alone`.
static uint32_t find_velocity(const lmb_graph_def *def, const bool *shown, bool is_alone) {
    uint32_t found = LMB_NONE;
    for (uint32_t i = 0; i < def->node_count && found == LMB_NONE; i++) {
        const bool moves = shown[i] && has_velocity(&def->nodes[i]);
        found = moves && !(is_alone && def->nodes[i].player->group != LMB_NONE) ? i : LMB_NONE;
    }
    return found;
}

// Returns whether something else than the velocities of clips moves the character.
static bool moves_otherwise(const lmb_graph_def *def) {
    bool moves = def->motion->turns_to_heading;
    for (int axis = 0; axis < 3; axis++) {
        moves = moves || !is_constant(def->motion->velocity[axis], 0.0f);
    }
    for (uint32_t i = 0; i < def->node_count && !moves; i++) {
        const lmb_node_def *node = &def->nodes[i];
        moves = (node->machine != NULL && node->machine->matching != NULL) ||
                (node->player != NULL && (node->player->motion != NULL || node->player->warp_count > 0));
    }
    return moves;
}

// Returns whether an input of a blend space is chosen by a parameter.
static bool chooses(const lmb_graph_def *def, uint32_t parameter) {
    bool found = false;
    for (uint32_t i = 0; i < def->node_count && !found; i++) {
        const lmb_node_def *node = &def->nodes[i];
        const uint32_t axes = node->op == LMB_OP_SPACE2D ? 2 : node->op == LMB_OP_SPACE1D ? 1 : 0;
        for (uint32_t axis = 0; axis < axes; axis++) {
            const lmb_value at = node->coordinates[axis];
            found = found || (at.kind == LMB_VALUE_PARAMETER && at.parameter == parameter);
        }
    }
    return found;
}

// Returns whether a velocity is that of the character's way, from the first frame on or with the clips that a parameter
// chooses. Any other parameter of 0 may be what the host adds now and then.
static bool is_of_the_way(const lmb_graph_json *graph, lmb_value velocity) {
    return velocity.kind == LMB_VALUE_PARAMETER
               ? graph->parameters[velocity.parameter].initial.value != 0.0f || chooses(&graph->def, velocity.parameter)
               : !is_constant(velocity, 0.0f);
}

static void warn_of_motion(lmb_graph_reader *reader, const bool *shown) {
    const lmb_graph_def *def = &reader->graph->def;
    const uint32_t motion = lmb_graph_find_member(reader, 0, "character-motion");
    const uint32_t moving = find_velocity(def, shown, def->motion == NULL);
    if (def->motion == NULL && moving != LMB_NONE) {
        lmb_graph_warn(
            reader, place_of(reader, moving, "velocity"),
            "it moves nothing, as the graph has no character motion: write \"character-motion\": true in the "
            "outermost pose");
    } else if (motion != LMB_NONE && moving == LMB_NONE && !moves_otherwise(def)) {
        lmb_graph_warn(reader, motion,
                       "nothing moves the character: no clip has a \"velocity\" or a \"motion\", and no velocity is "
                       "stated here");
    } else if (def->motion != NULL && moving != LMB_NONE && is_of_the_way(reader->graph, def->motion->velocity[2])) {
        lmb_graph_warn(reader, lmb_graph_find_member(reader, motion, "velocity"),
                       "the velocities of clips are added, as that of '%.60s': the character moves by both together, "
                       "where one of them is enough",
                       clip_name(def, moving));
    }
}

// ---- Operations.

// Warns of layers below one that covers everything at any time.
static void warn_of_hidden_layers(lmb_graph_reader *reader, const lmb_node_def *node) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        for (uint32_t k = 0; k < node->input_count; k++) {
            if (node->priorities[k] > node->priorities[i] && node->masks[k] == LMB_NONE &&
                is_constant(node->weights[k], 1.0f)) {
                lmb_graph_warn(
                    reader, reader->objects[node->inputs[i]],
                    "never seen: inputs[%u] has a greater \"priority\", and neither a \"mask\" nor a \"fade\"", k);
                break;
            }
        }
    }
}

// Warns of clips that walk beside each other, and not in step.
static void warn_of_steps(lmb_graph_reader *reader, const lmb_node_def *node) {
    const lmb_graph_def *def = &reader->graph->def;
    uint32_t first = LMB_NONE;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const uint32_t input = node->inputs[i];
        if (!has_velocity(&def->nodes[input]) && !takes_steps(reader, &def->nodes[input])) {
            continue;
        }
        first = first == LMB_NONE ? input : first;
        const uint32_t group = def->nodes[input].player->group;
        if (input != first && (group == LMB_NONE || group != def->nodes[first].player->group)) {
            lmb_graph_warn(reader, place_of(reader, input, "group"),
                           "'%.60s' and '%.60s' have no common \"group\", so their steps are not in phase: write "
                           "\"group\": \"steps\" in both",
                           clip_name(def, first), clip_name(def, input));
            return;
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

// Returns whether two clips show the same at any time.
static bool are_the_same(const lmb_graph_def *def, const lmb_node_def *a, const lmb_node_def *b) {
    if (a->op != LMB_OP_CLIP || b->op != LMB_OP_CLIP || a->clip.kind != LMB_VALUE_CONSTANT ||
        !is_constant(b->clip, a->clip.constant) || !is_constant(a->clip, a->clip.constant)) {
        return false;
    }
    const lmb_player_def *p = a->player, *q = b->player;
    const bool is_still = !(lmb_clip_duration(def->clips[(uint32_t)a->clip.constant]) > 0.0f);
    const bool play_alike = p != NULL && q != NULL && p->offset == q->offset && p->delay == q->delay &&
                            p->end == q->end && p->group == q->group && !p->random_offset && !q->random_offset &&
                            p->rate.kind == LMB_VALUE_CONSTANT && is_constant(q->rate, p->rate.constant);
    const bool stay_alike = p == NULL && q == NULL && a->time.kind == LMB_VALUE_CONSTANT &&
                            is_constant(b->time, a->time.constant) && a->offset.kind == LMB_VALUE_CONSTANT &&
                            is_constant(b->offset, a->offset.constant);
    return is_still || play_alike || stay_alike;
}

static void warn_of_node(lmb_graph_reader *reader, uint32_t index) {
    const lmb_graph_def *def = &reader->graph->def;
    const lmb_node_def *node = &def->nodes[index];
    if (node->op == LMB_OP_LAYERS) {
        warn_of_hidden_layers(reader, node);
    } else if (node->op == LMB_OP_SPACE1D || node->op == LMB_OP_SPACE2D) {
        warn_of_steps(reader, node);
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
        lmb_graph_warn(reader, place_of(reader, index, "offset"),
                       "'%.60s' does not loop, so it begins anywhere inside, and what comes before is not seen: leave "
                       "\"offset\" out, or let the clip loop",
                       clip_name(def, index));
    } else if (leader != player && !leader->random_offset && !has_machine(def)) {
        lmb_graph_warn(reader, place_of(reader, index, "offset"),
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

void lmb_graph_warn_of_nodes(lmb_graph_reader *reader, const bool *shown) {
    const lmb_graph_def *def = &reader->graph->def;
    warn_of_motion(reader, shown);
    for (uint32_t i = 0; i < def->node_count && reader->result == LMB_OK; i++) {
        if (shown[i]) {
            warn_of_node(reader, i);
            warn_of_beginning(reader, i);
            warn_of_velocity(reader, i);
            warn_of_missing_velocity(reader, i);
        }
    }
    for (uint32_t i = 0; i < reader->compared_count && reader->result == LMB_OK; i++) {
        warn_of_comparison(reader, &reader->compared[i]);
    }
}
