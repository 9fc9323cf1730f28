// Warnings about steps and motion: velocities that are not those of the feet, walks that are not in step, motion that
// moves nothing or twice.
#include "graph.h"

#include <math.h>

static bool has_velocity(const lmb_node_def *node) {
    return node->op == LMB_OP_CLIP && node->player != NULL && node->player->motion == NULL &&
           node->player->velocity != 0.0f;
}

// Feet that slide by more at any speed take no steps of a walk.
#define MOST_WALK_SLIDE 0.5f
// Radians from which on a clip turns its character.
#define SEEN_TURN 0.1f

// Returns how the feet of a node's clip walk, measured once for each clip: at 0 if they take no steps, and if the clip
// is not played as the loop that is measured.
static lmb_foot_speed walk_of(lmb_graph_reader *reader, const lmb_node_def *node) {
    const lmb_graph_def *def = &reader->graph->def;
    lmb_foot_speed speed = {0};
    if (node->op != LMB_OP_CLIP || !lmb_graph_is_constant(node->clip, node->clip.constant) || node->player == NULL ||
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

bool lmb_graph_warn_of_sideways(lmb_graph_reader *reader, uint32_t value, const char *clip, const lmb_foot_speed *walk,
                                float share) {
    const bool warns = fabsf(walk->velocity[0]) > share * fabsf(walk->velocity[2]);
    if (warns) {
        lmb_graph_warn(reader, value,
                       "the feet of '%.60s' walk sideways, by %.3g a second along x, and \"velocity\" is along z: give "
                       "keys as its \"motion\"",
                       clip, (double)walk->velocity[0]);
    }
    return warns;
}

// Warns of a velocity that is not that of the clip's feet.
static void warn_of_velocity(lmb_graph_reader *reader, uint32_t index) {
    const lmb_node_def *node = &reader->graph->def.nodes[index];
    const uint32_t at = lmb_graph_place_of(reader, index, "velocity");
    if (!has_velocity(node) || lmb_graph_is_text(reader, at, "auto")) {
        return;
    }
    const lmb_foot_speed walk = walk_of(reader, node);
    const float forward = walk.velocity[2], share = forward != 0.0f ? node->player->velocity / forward : 1.0f;
    const char *clip = lmb_graph_name_of_clip(&reader->graph->def, index);
    if (!lmb_graph_warn_of_sideways(reader, at, clip, &walk, 2.0f) && (share < 0.5f || share > 2.0f)) {
        lmb_graph_warn(reader, at,
                       "the feet of '%.60s' walk by %.3g a second along z, so at %.3g they slide: \"auto\" takes what "
                       "is measured",
                       clip, (double)forward, (double)node->player->velocity);
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
            lmb_graph_warn(reader, lmb_graph_place_of(reader, index, "group"),
                           "'%.60s' has no \"velocity\", while '%.60s' of its group has one: it slows the character "
                           "down, although its feet walk by %.3g a second",
                           lmb_graph_name_of_clip(def, index), lmb_graph_name_of_clip(def, i),
                           (double)walk_of(reader, node).velocity[2]);
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
        moves = moves || !lmb_graph_is_constant(def->motion->velocity[axis], 0.0f);
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
               : !lmb_graph_is_constant(velocity, 0.0f);
}

static void warn_of_motion(lmb_graph_reader *reader, const bool *shown) {
    const lmb_graph_def *def = &reader->graph->def;
    const uint32_t motion = lmb_graph_find_member(reader, 0, "character-motion");
    const uint32_t moving = find_velocity(def, shown, def->motion == NULL);
    if (def->motion == NULL && moving != LMB_NONE) {
        lmb_graph_warn(
            reader, lmb_graph_place_of(reader, moving, "velocity"),
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
                       lmb_graph_name_of_clip(def, moving));
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
            lmb_graph_warn(reader, lmb_graph_place_of(reader, input, "group"),
                           "'%.60s' and '%.60s' have no common \"group\", so their steps are not in phase: write "
                           "\"group\": \"steps\" in both",
                           lmb_graph_name_of_clip(def, first), lmb_graph_name_of_clip(def, input));
            return;
        }
    }
}

// Warns of clips that turn a character whose heading is stated.
static void warn_of_turns(lmb_graph_reader *reader, const bool *shown) {
    const lmb_graph_def *def = &reader->graph->def;
    for (uint32_t i = 0; def->motion != NULL && def->motion->turns_to_heading && i < def->node_count; i++) {
        const lmb_player_def *player = shown[i] ? def->nodes[i].player : NULL;
        const lmb_motion_track *track = player != NULL ? player->motion : NULL;
        const float turn = track != NULL ? track->keys[4 * (track->key_count - 1) + 3] - track->keys[3] : 0.0f;
        if (fabsf(turn) > SEEN_TURN) {
            lmb_graph_warn(reader, lmb_graph_place_of(reader, i, "motion"),
                           "'%.60s' turns the character by %.3g, and \"heading\" turns it back: turn by one of "
                           "both",
                           lmb_graph_name_of_clip(def, i), (double)turn);
        }
    }
}

// Returns whether a pose, or one below it, moves the character.
static bool moves_below(const lmb_graph_def *def, uint32_t index, bool *below) {
    bool found = false;
    lmb_graph_mark_below(def, index, below);
    for (uint32_t i = 0; i <= index && !found; i++) {
        const lmb_node_def *node = &def->nodes[i];
        found = below[i] && node->player != NULL && (node->player->motion != NULL || node->player->velocity != 0.0f);
    }
    return found;
}

// Warns of a pose that moves the character and is masked out at joint 0, which says how much of its motion counts,
// while it has nine tenths of all joints.
static void warn_of_masked_motion(lmb_graph_reader *reader, const bool *shown) {
    const lmb_graph_def *def = &reader->graph->def;
    const uint32_t joints = lmb_rig_get_def(def->rig)->joint_count;
    bool *below = lmb_graph_allocate(reader, &reader->scratch, def->node_count, sizeof *below);
    for (uint32_t i = 0; below != NULL && def->motion != NULL && i < def->node_count; i++) {
        const lmb_node_def *node = &def->nodes[i];
        uint32_t covered = 0, count = 0;
        for (uint32_t k = 0; shown[i] && node->op == LMB_OP_MASKED && k < joints; k++) {
            const bool counts = !lmb_rig_get_def(def->rig)->joints[k].is_extra;
            count += counts;
            covered += counts && def->masks[node->mask][k] >= 128;
        }
        if (covered > 0 && 10 * covered >= 9 * count && def->masks[node->mask][0] == 0 &&
            moves_below(def, node->inputs[1], below)) {
            const uint32_t at = lmb_graph_find_member(reader, reader->objects[i], "mask");
            lmb_graph_warn(reader, at != LMB_NONE ? at : reader->objects[i],
                           "\"b\" does not move the character: its share at the first joint, '%.60s', counts, and that "
                           "is 0",
                           lmb_rig_get_def(def->rig)->joints[0].name);
        }
    }
}

uint8_t *lmb_graph_find_ways(lmb_graph_reader *reader, const bool *shown) {
    const lmb_graph_def *def = &reader->graph->def;
    uint8_t *ways = lmb_graph_allocate(reader, &reader->scratch, def->node_count, sizeof *ways);
    if (ways == NULL) {
        return NULL;
    }
    ways[def->node_count - 1] = LMB_SHOWN_AS_IT_IS;
    for (uint32_t i = def->node_count; i-- > 0;) { // inputs come before
        const lmb_node_def *node = &def->nodes[i];
        const bool turns = node->op == LMB_OP_MIRROR;
        const uint32_t way = ways[i];
        const uint32_t passed = turns ? ((way & LMB_SHOWN_AS_IT_IS) << 1) | ((way & LMB_SHOWN_MIRRORED) >> 1) : way;
        // Of two that share the joints the one with joint 0 takes the steps.
        const uint32_t skipped = node->op != LMB_OP_MASKED ? LMB_NONE : def->masks[node->mask][0] >= 128 ? 0 : 1;
        for (uint32_t k = 0; k < node->input_count; k++) {
            ways[node->inputs[k]] |= shown[node->inputs[k]] && k != skipped ? (uint8_t)passed : 0;
        }
    }
    return ways;
}

// Below that the sides do not take turns clearly enough for a phase.
#define CLEAR_ALTERNATION 0.3f
// Shares of a cycle by which walks of a group differ from which on they are out of step.
#define MOST_PHASE_DIFFERENCE 0.3f

static bool has_phase(lmb_graph_reader *reader, const lmb_node_def *node) {
    return node->op == LMB_OP_CLIP && node->player != NULL && node->player->group != LMB_NONE &&
           node->player->markers == NULL && walk_of(reader, node).alternation > CLEAR_ALTERNATION;
}

// Returns the phase of a clip's steps from where its group aligns it.
static float phase_in_group(lmb_graph_reader *reader, const lmb_node_def *node, uint32_t way) {
    const lmb_clip *clip = reader->graph->def.clips[(uint32_t)node->clip.constant];
    return walk_of(reader, node).phase - node->player->offset / lmb_clip_get_info(clip)->duration +
           (way == LMB_SHOWN_MIRRORED ? 0.5f : 0.0f);
}

// Warns of walks of a group whose left feet are on the ground at different times.
static void warn_of_phases(lmb_graph_reader *reader, const bool *shown) {
    const lmb_graph_def *def = &reader->graph->def;
    const uint8_t *ways = lmb_graph_find_ways(reader, shown);
    for (uint32_t i = 0; ways != NULL && i < def->node_count; i++) {
        const lmb_node_def *node = &def->nodes[i];
        if (!shown[i] || !has_phase(reader, node)) {
            continue;
        }
        if (ways[i] == (LMB_SHOWN_AS_IT_IS | LMB_SHOWN_MIRRORED)) {
            lmb_graph_warn(reader, reader->objects[i],
                           "'%.60s' is shown as it is and mirrored, whose steps are half a cycle apart: where both are "
                           "blended, write the clip twice, and give one an \"offset\" of half its duration",
                           lmb_graph_name_of_clip(def, i));
            continue;
        }
        uint32_t first = 0;
        while (first < i && !(shown[first] && has_phase(reader, &def->nodes[first]) &&
                              def->nodes[first].player->group == node->player->group)) {
            first++;
        }
        const float turns =
            phase_in_group(reader, node, ways[i]) - phase_in_group(reader, &def->nodes[first], ways[first]);
        const float later = turns - roundf(turns);
        if (fabsf(later) > MOST_PHASE_DIFFERENCE && ways[first] != (LMB_SHOWN_AS_IT_IS | LMB_SHOWN_MIRRORED)) {
            const float duration = lmb_clip_get_info(def->clips[(uint32_t)node->clip.constant])->duration;
            const float begin = node->player->offset / duration + later;
            lmb_graph_warn(reader, lmb_graph_place_of(reader, i, "offset"),
                           "the steps of '%.60s'%s are out of phase with those of '%.60s' in its group, by %.2g of a "
                           "cycle: \"offset\": %.3g brings the same foot down",
                           lmb_graph_name_of_clip(def, i), ways[i] == LMB_SHOWN_MIRRORED ? " mirrored" : "",
                           lmb_graph_name_of_clip(def, first), (double)fabsf(later),
                           (double)(duration * (begin - floorf(begin))));
        }
    }
}

// Returns the clip that a pose shows, or LMB_NONE, and whether it is mirrored.
static uint32_t find_shown_clip(const lmb_graph_def *def, uint32_t index, bool *is_mirrored) {
    *is_mirrored = false;
    for (; def->nodes[index].op == LMB_OP_MIRROR; index = def->nodes[index].inputs[0]) {
        *is_mirrored = !*is_mirrored;
    }
    return def->nodes[index].op == LMB_OP_CLIP ? index : LMB_NONE;
}

// Warns of a transition that goes on in the phase of a clip whose other foot stands then.
static void warn_of_synced(lmb_graph_reader *reader, uint32_t index) {
    const lmb_graph_def *def = &reader->graph->def;
    const lmb_node_def *node = &def->nodes[index];
    for (uint32_t i = 0; i < node->machine->transition_count; i++) {
        const lmb_transition_def *t = &node->machine->transitions[i];
        bool is_mirrored[2];
        if (t->start != LMB_START_SYNC || t->from == LMB_NONE) {
            continue;
        }
        const uint32_t from = find_shown_clip(def, node->inputs[t->from], &is_mirrored[0]);
        const uint32_t to = find_shown_clip(def, node->inputs[t->to], &is_mirrored[1]);
        if (from == LMB_NONE || to == LMB_NONE) {
            continue;
        }
        const lmb_foot_speed a = walk_of(reader, &def->nodes[from]), b = walk_of(reader, &def->nodes[to]);
        const float turns = b.phase - a.phase + (is_mirrored[0] != is_mirrored[1] ? 0.5f : 0.0f);
        if (fminf(a.alternation, b.alternation) > CLEAR_ALTERNATION &&
            fabsf(turns - roundf(turns)) > MOST_PHASE_DIFFERENCE) {
            lmb_graph_warn(
                reader, reader->objects[node->inputs[t->to]],
                "\"start\": \"sync\" comes here from '%.60s' when the other foot stands, so they pass through "
                "each other: give both clips one \"group\", and this one an \"offset\" of half its duration",
                node->machine->states[t->from].name);
        }
    }
}

void lmb_graph_warn_of_steps(lmb_graph_reader *reader, const bool *shown) {
    const lmb_graph_def *def = &reader->graph->def;
    warn_of_motion(reader, shown);
    for (uint32_t i = 0; i < def->node_count && reader->result == LMB_OK; i++) {
        const lmb_op op = def->nodes[i].op;
        if (shown[i]) {
            if (op == LMB_OP_SPACE1D || op == LMB_OP_SPACE2D) {
                warn_of_steps(reader, &def->nodes[i]);
            } else if (op == LMB_OP_MACHINE) {
                warn_of_synced(reader, i);
            }
            warn_of_velocity(reader, i);
            warn_of_missing_velocity(reader, i);
        }
    }
    warn_of_phases(reader, shown);
    warn_of_turns(reader, shown);
    warn_of_masked_motion(reader, shown);
    lmb_graph_warn_of_planting(reader, shown);
}
