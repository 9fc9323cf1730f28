// Makes random graphs: trees of poses and additives with players, groups, machines and fades, and a script.
//
// Times are multiples of 1/240 s, which are exact ticks, so that players without a group meet ends, notifies and frames
// at exactly equal times.
#include "oracle_graph.h"

#include "random.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Whether the generator uses a feature. The letters in LIMBER_WITHOUT leave some out of all graphs, to find what a
// difference depends on: additives (a), where states begin (b), other conditions beside an event or a time (c), delays
// (d), fades (f) that end with their clip (E) or are inside states (N), full rotation (F), groups (g) with several
// markers (M), joint weights (j), kinds of transitions (k), masks of layers (l), mirrors (m), updates in some frames
// (n), partial poses (p), triggers, draws and states in conditions (q), restarts (r), resets (R), transitions of a
// state to itself (s), repetitions (t), nodes used twice (u), curves of the graph's own (v), travel (w), machines (x),
// the times of other clips (y), random beginnings (z).
static bool uses(char feature) {
    const char *without = getenv("LIMBER_WITHOUT");
    return without == NULL || strchr(without, feature) == NULL;
}

static uint64_t bits(random_graph *g) {
    uint64_t z = g->source += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t below(random_graph *g, uint32_t count) {
    return (uint32_t)((bits(g) >> 32) * count >> 32);
}

static double between(random_graph *g, double low, double high) {
    return low + (high - low) * (double)(bits(g) >> 11) * 0x1p-53;
}

static bool chance(random_graph *g, uint32_t percent) {
    return below(g, 100) < percent;
}

// A multiple of 1/240 s from `low` to `high`, in such multiples.
static float seconds(random_graph *g, uint32_t low, uint32_t high) {
    return (float)((low + below(g, high - low + 1)) / 240.0);
}

// ---- Values

static lmb_value parameter(random_graph *g, double low, double high) {
    if (g->def.parameter_count + GRAPH_FADES + 1 >= GRAPH_PARAMETERS) {
        return lmb_constant((float)between(g, low, high));
    }
    const uint32_t index = g->def.parameter_count++;
    g->low[index] = (float)low;
    g->high[index] = (float)high;
    return lmb_parameter(index);
}

static lmb_value value(random_graph *g, double low, double high) {
    return chance(g, 40) ? lmb_constant((float)between(g, low, high)) : parameter(g, low, high);
}

static lmb_curve curve(random_graph *g, uint32_t own) {
    const uint32_t drawn = below(g, LMB_CURVE_COUNT + (uses('v') ? own : 0));
    return drawn < LMB_CURVE_COUNT ? (lmb_curve)drawn : lmb_user_curve(drawn - LMB_CURVE_COUNT);
}

static lmb_value weight(random_graph *g) {
    lmb_value result = chance(g, 10) ? lmb_constant((float)below(g, 2)) : value(g, -0.2, 1.2);
    if (chance(g, 25)) {
        result.curve = curve(g, RANDOM_CURVES);
        result.control[0] = (float)between(g, -0.5, 1.5);
        result.control[1] = (float)between(g, -0.5, 1.5);
    }
    return result;
}

static uint32_t mask(random_graph *g) {
    if (g->mask_count == GRAPH_MASKS) {
        return below(g, GRAPH_MASKS);
    }
    uint8_t *joints = g->masks[g->mask_count];
    for (uint32_t i = 0; i < GRAPH_JOINTS; i++) {
        const uint32_t kind = below(g, 4);
        joints[i] = kind == 0 ? 0 : kind == 1 ? 255 : (uint8_t)below(g, 256);
    }
    return g->mask_count++;
}

// ---- Clips that play

// Rotations of up to a radian about any axis between two keys.
static void make_rotations(random_graph *g, random_player *player) {
    double q[4] = {0.0, 0.0, 0.0, 1.0};
    for (uint32_t i = 0; i < player->track.key_count; i++) {
        double square = 0.0;
        for (uint32_t j = 0; j < 4; j++) {
            q[j] += i == 0 ? 0.0 : between(g, -0.3, 0.3);
            square += q[j] * q[j];
        }
        for (uint32_t j = 0; j < 4; j++) {
            q[j] /= sqrt(square);
            player->rotations[i][j] = (float)q[j];
        }
    }
    player->track.rotations = player->rotations[0];
}

static bool stays(const random_player *player) {
    return player->def.end == LMB_END_HOLD || player->def.end == LMB_END_ONCE;
}

static void make_track(random_graph *g, random_player *player, bool straight) {
    player->track.key_count = straight ? 2 : 2 + below(g, GRAPH_MOTION_KEYS - 1);
    player->track.keys = player->keys[0];
    for (uint32_t i = 0; i < player->track.key_count; i++) {
        for (uint32_t j = 0; j < 4; j++) {
            const double range = j == 1 ? 0.2 : j == 3 ? 0.6 : 1.0;
            player->keys[i][j] = (float)((i == 0 ? 0.0 : player->keys[i - 1][j]) +
                                         (straight && j == 3 ? 0.0 : between(g, -range, range)));
        }
    }
    player->def.motion = &player->track;
    if (g->motion.full_rotation && chance(g, 70)) {
        make_rotations(g, player);
    }
}

static void join_group(random_graph *g, random_player *player) {
    const uint32_t group = below(g, GRAPH_GROUPS), count = g->marker_counts[group];
    const uint32_t length = (uint32_t)lround(player->duration * 240.0);
    player->def.group = group;
    player->def.end = LMB_END_LOOP;
    if (g->groups[group].cadence == LMB_CADENCE_VELOCITY && player->def.velocity == 0.0f) {
        player->def.velocity = (float)between(g, 0.2, 3.0);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t first = length * i / count, last = length * (i + 1) / count;
        player->markers[i] = (float)((first + below(g, last - first)) / 240.0);
    }
    player->def.markers = count == 0 ? NULL : player->markers;
    player->def.marker_count = count;
}

// A player that stays at an end, or turns around there, begins inside its clip if it plays backwards.
static void choose_rate(random_graph *g, random_player *player) {
    static const float rates[] = {1.0f, 0.5f, 2.0f, -1.0f, 1.37f, -0.7f, 0.0f, 3.3f};
    const bool loops = player->def.end == LMB_END_LOOP;
    player->def.rate = chance(g, 60) ? lmb_constant(rates[below(g, 8)]) : parameter(g, loops ? -1.0 : 0.2, 2.0);
    if (!loops && player->def.rate.kind == LMB_VALUE_CONSTANT && player->def.rate.constant <= 0.0f) {
        player->def.offset = fmaxf(player->def.offset, 0.1f);
    }
}

static void choose_events(random_graph *g, random_player *player, uint32_t index) {
    const uint32_t length = (uint32_t)lround(player->duration * 240.0);
    uint32_t times[2] = {below(g, length + 1), below(g, length + 1)};
    if (times[0] > times[1]) {
        const uint32_t later = times[0];
        times[0] = times[1];
        times[1] = later;
    }
    player->def.notify_count = below(g, 3);
    player->def.notifies = player->notifies;
    for (uint32_t i = 0; i < player->def.notify_count; i++) {
        player->notifies[i] = lmb_default_notify_def();
        player->notifies[i].time = (float)(times[i] / 240.0);
        player->notifies[i].event = 20 + 4 * index + i;
    }
    player->def.ended_event = chance(g, 50) ? 20 + 4 * index + 2 : LMB_NONE;
    player->def.looped_event = chance(g, 50) ? 20 + 4 * index + 3 : LMB_NONE;
}

static uint32_t add_node(random_graph *g, lmb_node_def node, uint32_t scope, bool additive) {
    assert(g->def.node_count < GRAPH_NODES);
    g->nodes[g->def.node_count] = node;
    g->scopes[g->def.node_count] = scope;
    g->additive[g->def.node_count] = additive;
    return g->def.node_count++;
}

static uint32_t make_clip(random_graph *g, uint32_t scope, bool additive) {
    static const lmb_end ends[] = {LMB_END_LOOP, LMB_END_LOOP, LMB_END_HOLD, LMB_END_ONCE, LMB_END_PING_PONG};
    lmb_node_def node = lmb_default_node_def();
    const uint32_t clip = below(g, GRAPH_CLIPS / 2) + (additive ? GRAPH_CLIPS / 2 : 0);
    node.op = LMB_OP_CLIP;
    node.clip = lmb_constant((float)clip);
    if (chance(g, 15) && uses('j')) {
        node.joint_weights = mask(g);
    }
    if (g->player_count == GRAPH_PLAYERS || chance(g, 8)) {
        return add_node(g, node, scope, additive);
    }
    const uint32_t index = g->player_count++;
    random_player *player = &g->players[index];
    player->def = lmb_default_player_def();
    player->duration = g->durations[clip];
    player->def.end = ends[below(g, 5)];
    player->def.offset = chance(g, 60) ? 0.0f : seconds(g, 0, (uint32_t)lround(player->duration * 240.0) - 1);
    player->def.velocity = chance(g, 40) ? (float)between(g, 0.2, 3.0) : 0.0f;
    if (chance(g, 40) && uses('g')) {
        join_group(g, player);
    }
    if (player->def.group == LMB_NONE && !stays(player) && chance(g, 35) && uses('t')) {
        player->def.repetitions = 1 + below(g, 4);
        player->def.drops_out = chance(g, 40);
    }
    if (player->def.group == LMB_NONE && chance(g, 15) && uses('d')) {
        player->def.delay = seconds(g, 1, 120);
    }
    if (player->def.group == LMB_NONE && !stays(player) && index > 0 && chance(g, 20) && uses('y')) {
        const random_player *other = &g->players[below(g, index)];
        player->def.sync_node = other->def.group == LMB_NONE ? other->node : LMB_NONE;
    }
    choose_rate(g, player);
    choose_events(g, player, index);
    if (chance(g, 70)) {
        make_track(g, player, player->def.velocity == 0.0f);
    }
    player->scope = scope;
    player->node = g->def.node_count;
    node.player = &player->def;
    return add_node(g, node, scope, additive);
}

// ---- Operations

static uint32_t make(random_graph *g, uint32_t scope, bool additive, uint32_t depth, uint32_t *budget);

static const random_player *player_of_scope(const random_graph *g, uint32_t scope) {
    for (uint32_t i = 0; i < g->player_count; i++) {
        if (g->players[i].scope == scope) {
            return &g->players[i];
        }
    }
    return NULL;
}

static uint32_t new_event(random_graph *g) {
    return below(g, GRAPH_SENT);
}

// A weight that a fade writes; `pose` is the node that it fades, or LMB_NONE.
static lmb_value make_fade(random_graph *g, lmb_fade_def *fade, uint32_t pose) {
    *fade = lmb_default_fade_def();
    fade->parameter = g->def.parameter_count++;
    fade->pose = pose;
    fade->in_event = new_event(g);
    fade->out_event = chance(g, 80) ? (chance(g, 30) ? fade->in_event : new_event(g)) : LMB_NONE;
    const uint32_t in = chance(g, 20) ? 0 : 5 + below(g, 116);
    fade->in_seconds = (float)(in / 240.0);
    fade->after = fade->out_event == LMB_NONE || chance(g, 30) ? seconds(g, in + 10, in + 240) : -1.0f;
    fade->out_seconds = chance(g, 20) ? 0.0f : seconds(g, 5, 120);
    fade->begins_in = chance(g, 30);
    fade->curve = curve(g, RANDOM_FADE_CURVES);
    fade->curve_control[0] = (float)between(g, -0.5, 1.5);
    fade->curve_control[1] = (float)between(g, -0.5, 1.5);
    const random_player *player = pose == LMB_NONE ? NULL : player_of_scope(g, g->scopes[pose]);
    fade->at_end = player != NULL && chance(g, 25) && uses('E');
    fade->restart = chance(g, 20) && fade->out_event != fade->in_event && uses('r');
    return lmb_parameter(fade->parameter);
}

// The second input of an operation with a weight, and the weight, which a fade may write.
static uint32_t make_weighted(random_graph *g, uint32_t scope, bool additive, uint32_t depth, uint32_t *budget,
                              lmb_value *w) {
    const bool fades = uses('f') && (scope == 0 || uses('N')) && g->def.fade_count < GRAPH_FADES && chance(g, 35);
    const bool has_pose = chance(g, 70);
    lmb_fade_def *fade = fades ? &g->fades[g->def.fade_count++] : NULL;
    const uint32_t node = make(g, fades && has_pose ? ++g->scope_count : scope, additive, depth, budget);
    *w = fades ? make_fade(g, fade, has_pose ? node : LMB_NONE) : weight(g);
    return node;
}

static uint32_t make_sum(random_graph *g, uint32_t scope, bool additive, uint32_t depth, uint32_t *budget) {
    lmb_node_def node = lmb_default_node_def();
    const lmb_op ops[] = {LMB_OP_WEIGHTED, LMB_OP_LAYERS, LMB_OP_SPACE1D, LMB_OP_SPACE2D};
    node.op = ops[below(g, 4)];
    node.input_count = 2 + below(g, 2);
    // The letter v leaves out directional and discrete spaces.
    node.space2d = chance(g, 50) && uses('v') ? LMB_SPACE2D_DIRECTIONAL : LMB_SPACE2D_FREEFORM;
    node.discrete = chance(g, 20) && uses('v');
    node.threshold = chance(g, 30) && uses('l') ? (float)between(g, 0.0, 1.0) : 1.0f;
    if (node.op == LMB_OP_SPACE1D || node.op == LMB_OP_SPACE2D) {
        node.coordinates[0] = value(g, -0.5, (double)node.input_count);
        node.coordinates[1] = value(g, -1.5, 1.5);
    }
    for (uint32_t i = 0; i < node.input_count; i++) {
        node.inputs[i] = make_weighted(g, scope, additive, depth, budget, &node.weights[i]);
        node.positions[i][0] = (float)(i + between(g, 0.0, 0.7));
        node.positions[i][1] = (float)between(g, -1.0, 1.0);
        node.priorities[i] = (int32_t)below(g, 3);
        node.masks[i] = chance(g, 30) && uses('l') ? mask(g) : LMB_NONE;
    }
    return add_node(g, node, scope, additive);
}

static uint32_t make_of_two(random_graph *g, uint32_t scope, bool additive, uint32_t depth, uint32_t *budget) {
    lmb_node_def node = lmb_default_node_def();
    const lmb_op ops[] = {LMB_OP_BLEND, LMB_OP_BLEND, LMB_OP_MASKED, LMB_OP_PARTIAL, LMB_OP_COMBINE};
    node.op = ops[below(g, uses('p') ? 5 : 2)];
    node.input_count = 2;
    node.inputs[0] = make(g, scope, additive, depth, budget);
    node.inputs[1] = make_weighted(g, scope, additive, depth, budget, &node.weight);
    node.mask = mask(g);
    for (uint32_t i = 0; i < 2; i++) {
        node.joint_maps[i] = chance(g, 50) ? below(g, GRAPH_MAPS) : LMB_NONE;
    }
    return add_node(g, node, scope, additive);
}

// Sums and differences, and what scales them.
static uint32_t make_additive(random_graph *g, uint32_t scope, bool additive, uint32_t depth, uint32_t *budget) {
    lmb_node_def node = lmb_default_node_def();
    const lmb_op ops[] = {LMB_OP_ADDITIVE,           LMB_OP_ADD,      LMB_OP_SCALE,
                          LMB_OP_SUBTRACT_SCALE_ADD, LMB_OP_SUBTRACT, LMB_OP_MAKE_ADDITIVE};
    node.op = ops[below(g, 6)];
    if (node.op == LMB_OP_MAKE_ADDITIVE && !additive) {
        node.op = LMB_OP_ADDITIVE;
    }
    const bool kind = chance(g, 50);
    node.input_count = node.op == LMB_OP_SCALE ? 1 : node.op == LMB_OP_SUBTRACT_SCALE_ADD ? 3 : 2;
    const bool is_difference = node.op == LMB_OP_MAKE_ADDITIVE || node.op == LMB_OP_SUBTRACT_SCALE_ADD;
    const bool first = is_difference ? kind : node.op == LMB_OP_SUBTRACT && additive ? kind : additive;
    const bool second = is_difference                ? kind
                        : node.op == LMB_OP_SUBTRACT ? !additive || kind
                        : node.op == LMB_OP_ADDITIVE ? true
                                                     : additive || kind;
    node.inputs[0] = make(g, scope, first, depth, budget);
    if (node.input_count > 1) {
        node.inputs[1] = make_weighted(g, scope, second, depth, budget, &node.weight);
    }
    if (node.input_count > 2) {
        node.inputs[2] = make(g, scope, additive, depth, budget);
    }
    node.unclamped = chance(g, 50);
    node.mask = chance(g, 30) ? mask(g) : LMB_NONE;
    const bool factor = node.op == LMB_OP_SCALE || node.op == LMB_OP_SUBTRACT_SCALE_ADD;
    if (factor || (node.unclamped && node.weight.kind == LMB_VALUE_CONSTANT)) {
        node.weight = value(g, -2.0, 2.0);
    }
    if (node.op == LMB_OP_SUBTRACT && !additive) {
        node.weight = lmb_constant(1.0f);
    }
    return add_node(g, node, scope, additive);
}

static uint32_t make_corners(random_graph *g, uint32_t scope, bool additive, uint32_t depth, uint32_t *budget) {
    lmb_node_def node = lmb_default_node_def();
    node.op = chance(g, 70) ? LMB_OP_BILINEAR : LMB_OP_TRILINEAR;
    node.input_count = node.op == LMB_OP_BILINEAR ? 4 : 8;
    for (uint32_t i = 0; i < node.input_count; i++) {
        node.inputs[i] = i < 4 ? make(g, scope, additive, depth, budget) : node.inputs[below(g, 4)];
    }
    node.coordinates[2] = value(g, -0.2, 1.2);
    node.coordinates[0] = value(g, -0.2, 1.2);
    node.coordinates[1] = value(g, -0.2, 1.2);
    return add_node(g, node, scope, additive);
}

static uint32_t make_mirror(random_graph *g, uint32_t scope, bool additive, uint32_t depth, uint32_t *budget) {
    lmb_node_def node = lmb_default_node_def();
    node.op = chance(g, 70) ? LMB_OP_MIRROR : LMB_OP_OVERRIDE;
    node.input_count = 1;
    node.inputs[0] = make(g, scope, additive, depth, budget);
    node.mirror = below(g, 3);
    node.mask = chance(g, 70) ? mask(g) : LMB_NONE;
    node.weight = weight(g);
    return add_node(g, node, scope, additive);
}

// ---- Machines

// Adds a condition: a value, a phase or a remaining time, or two of them.
static void make_condition(random_graph *g, lmb_transition_def *transition, lmb_term *terms,
                           const random_player *player) {
    terms[0] = lmb_default_term();
    terms[0].kind = (lmb_term_kind)below(g, LMB_TERM_EQUAL);
    terms[0].left = parameter(g, 0.0, 1.0);
    terms[0].right = lmb_constant((float)between(g, 0.2, 0.8));
    transition->terms = terms;
    transition->term_count = 1;
    if (player == NULL || chance(g, 40)) {
        return;
    }
    const bool is_phase = chance(g, 50), single = chance(g, 50);
    lmb_term *term = single ? &terms[0] : &terms[1];
    *term = lmb_default_term();
    term->operand = is_phase ? LMB_OPERAND_PHASE : LMB_OPERAND_REMAINING;
    term->player_node = player->node;
    // A position inside the clip, also its ends if it stays there.
    const uint32_t eighths = stays(player) ? below(g, 9) : 1 + below(g, 7);
    const uint32_t length = (uint32_t)lround(player->duration * 240.0);
    term->right = lmb_constant((float)(is_phase ? eighths / 8.0 : length * eighths / 8 / 240.0));
    const bool backwards = player->def.rate.kind == LMB_VALUE_CONSTANT && player->def.rate.constant < 0.0f;
    const bool greater = is_phase != backwards;
    const bool strict = eighths > 0 && eighths < 8 && chance(g, 50);
    term->kind =
        greater ? (strict ? LMB_TERM_GREATER : LMB_TERM_GREATER_EQUAL) : (strict ? LMB_TERM_LESS : LMB_TERM_LESS_EQUAL);
    if (!single) {
        terms[2] = lmb_default_term();
        terms[2].kind = chance(g, 50) ? LMB_TERM_AND : LMB_TERM_OR;
        transition->term_count = 3;
    }
}

static void make_transition(random_graph *g, random_machine *machine, uint32_t from, uint32_t scope) {
    const uint32_t index = machine->def.transition_count++;
    lmb_transition_def *transition = &machine->transitions[index];
    const random_player *player = from == LMB_NONE ? NULL : player_of_scope(g, scope);
    *transition = lmb_default_transition_def();
    transition->from = from;
    transition->to = below(g, machine->def.state_count);
    if (transition->to == from && !uses('s')) {
        transition->to = (from + 1) % machine->def.state_count;
    }
    transition->event = LMB_NONE;
    transition->after = -1.0f;
    const uint32_t kind = below(g, 10);
    if (kind < 4 || from == LMB_NONE) {
        transition->event = new_event(g);
    } else if (kind < 6 && player != NULL && (transition->to != from || stays(player))) {
        transition->at_end = true;
    } else if (kind < 8) {
        transition->after = seconds(g, 0, 240);
    } else {
        make_condition(g, transition, machine->terms[index], player);
    }
    if (transition->event != LMB_NONE && chance(g, 20)) {
        transition->after = seconds(g, 0, 60);
    }
    if (transition->event != LMB_NONE && player != NULL && chance(g, 15)) {
        transition->at_end = true;
    }
    if (transition->term_count == 0 && chance(g, 10) && uses('c')) {
        make_condition(g, transition, machine->terms[index], transition->event != LMB_NONE ? player : NULL);
    }
    const bool ends = player != NULL && stays(player) &&
                      (player->def.rate.kind == LMB_VALUE_PARAMETER || player->def.rate.constant != 0.0f);
    if (transition->at_end && ends && chance(g, 20)) {
        transition->after = seconds(g, 0, 240);
    }
    transition->priority = (int32_t)below(g, 3);
    transition->fade = chance(g, 20) ? 0.0f : seconds(g, 5, 150);
    transition->curve = curve(g, RANDOM_FADE_CURVES);
    transition->curve_control[0] = (float)between(g, -0.5, 1.5);
    transition->curve_control[1] = (float)between(g, -0.5, 1.5);
    transition->to_self = from == LMB_NONE && chance(g, 40) && uses('s');
    transition->travel_cost = chance(g, 50) ? 1 : below(g, 4);
    // The phases of groups are known to the oracle only within an error.
    const bool may_sync = player != NULL && player->def.group == LMB_NONE;
    transition->start = chance(g, 30) && uses('b') ? (lmb_start)below(g, may_sync ? LMB_START_COUNT : LMB_START_SYNC)
                                                   : LMB_START_OFFSET;
    transition->start_phase = (float)between(g, 0.0, 1.0);
    transition->kind = (lmb_fade_kind)(uses('k') ? below(g, LMB_FADE_COUNT) : 0);
}

static uint32_t make_machine(random_graph *g, uint32_t scope, bool additive, uint32_t depth, uint32_t *budget) {
    if (g->machine_count == GRAPH_MACHINES) {
        return make_clip(g, scope, additive);
    }
    const uint32_t number = g->machine_count++;
    random_machine *machine = &g->machines[number];
    lmb_node_def node = lmb_default_node_def();
    uint32_t scopes[GRAPH_STATES];
    machine->def = lmb_default_machine_def();
    machine->def.state_count = 2 + below(g, 2);
    machine->def.states = machine->states;
    machine->def.transitions = machine->transitions;
    node.op = LMB_OP_MACHINE;
    node.input_count = machine->def.state_count;
    node.machine = &machine->def;
    for (uint32_t i = 0; i < machine->def.state_count; i++) {
        scopes[i] = ++g->scope_count;
        node.inputs[i] = make(g, scopes[i], additive, depth, budget);
        machine->states[i] = lmb_default_state_def();
        machine->states[i].restart = chance(g, 25) && uses('r');
        machine->states[i].entry_event = chance(g, 40) ? 4 + 2 * number : LMB_NONE;
        machine->states[i].exit_event = chance(g, 40) ? 5 + 2 * number : LMB_NONE;
        machine->states[i].travel_event = chance(g, 30) && uses('w') ? i : LMB_NONE;
    }
    for (uint32_t i = 0; i < machine->def.state_count; i++) {
        const uint32_t count = 1 + below(g, 3);
        for (uint32_t j = 0; j < count; j++) {
            make_transition(g, machine, i, scopes[i]);
        }
    }
    if (chance(g, 40)) {
        make_transition(g, machine, LMB_NONE, 0);
    }
    machine->node = add_node(g, node, scope, additive);
    return machine->node;
}

// ---- Graphs

// A node of the same state and type that exists already, or LMB_NONE.
static uint32_t reuse(random_graph *g, uint32_t scope, bool additive) {
    const uint32_t index = below(g, g->def.node_count + 1);
    return index < g->def.node_count && g->scopes[index] == scope && g->additive[index] == additive && uses('u')
               ? index
               : LMB_NONE;
}

static uint32_t make(random_graph *g, uint32_t scope, bool additive, uint32_t depth, uint32_t *budget) {
    if (chance(g, 10)) {
        const uint32_t node = reuse(g, scope, additive);
        if (node != LMB_NONE) {
            return node;
        }
    }
    if (*budget < 3 || depth == 0) {
        *budget -= *budget > 0 ? 1 : 0;
        if (!additive && chance(g, 5)) {
            return add_node(g, lmb_default_node_def(), scope, false);
        }
        return make_clip(g, scope, additive);
    }
    *budget -= 1;
    const uint32_t kind = below(g, 10);
    if (kind < 4 && uses('x')) {
        return make_machine(g, scope, additive, depth - 1, budget);
    }
    if (kind < 6) {
        return make_of_two(g, scope, additive, depth - 1, budget);
    }
    if (kind < 7) {
        return make_sum(g, scope, additive, depth - 1, budget);
    }
    if (kind < 8 && uses('a')) {
        return make_additive(g, scope, additive, depth - 1, budget);
    }
    if (kind < 9 && uses('m')) {
        return make_mirror(g, scope, additive, depth - 1, budget);
    }
    return *budget >= 4 ? make_corners(g, scope, additive, depth - 1, budget)
                        : make_of_two(g, scope, additive, depth - 1, budget);
}

static void make_rig(random_graph *g) {
    lmb_joint_def joints[GRAPH_JOINTS];
    lmb_rig_def def = lmb_default_rig_def();
    for (uint32_t i = 0; i < GRAPH_JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i < 2 ? LMB_NONE : i - 2;
        g->partners[0][i] = i;
        g->partners[1][i] = i ^ 1u;
    }
    def.joints = joints;
    def.joint_count = GRAPH_JOINTS;
    const lmb_result result = lmb_rig_create(&def, NULL, &g->rig, NULL);
    assert(result == LMB_OK);
    (void)result;
    for (uint32_t i = 0; i < GRAPH_CLIPS; i++) {
        lmb_clip_def clip = lmb_default_clip_def();
        clip.duration = g->durations[i] = (float)(8.0 * (6 + below(g, 55)) / 240.0);
        clip.additive = i >= GRAPH_CLIPS / 2;
        const lmb_result made = lmb_clip_create(g->rig, &clip, NULL, &g->clips[i], NULL);
        assert(made == LMB_OK);
        (void)made;
    }
}

static void make_tables(random_graph *g) {
    for (uint32_t i = 0; i < 3; i++) {
        g->mirrors[i] = lmb_default_mirror_def();
        g->mirrors[i].axis = (lmb_axis)i;
        g->mirrors[i].partners = g->partners[below(g, 2)];
    }
    for (uint32_t i = 0; i < GRAPH_MAPS; i++) {
        g->maps[i] = lmb_default_joint_map_def();
        g->maps[i].joints = g->map_joints[i];
        g->maps[i].joint_count = GRAPH_JOINTS;
        for (uint32_t j = 0; j < GRAPH_JOINTS; j++) {
            g->map_joints[i][j] = (j == 0) == (i == 0) ? j : LMB_NONE;
        }
    }
    for (uint32_t i = 0; i < GRAPH_GROUPS; i++) {
        g->groups[i] = lmb_default_group_def();
        g->groups[i].cadence = (lmb_cadence)below(g, LMB_CADENCE_COUNT);
        g->marker_counts[i] = below(g, uses('M') ? 4 : 2);
    }
    g->motion = lmb_default_motion_def();
    g->motion.full_rotation = chance(g, 30) && uses('F');
}

// Removes groups that no player is in.
static void compact_groups(random_graph *g) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < GRAPH_GROUPS; i++) {
        bool is_used = false;
        for (uint32_t j = 0; j < g->player_count; j++) {
            if (g->players[j].def.group == i) {
                g->players[j].def.group = count;
                is_used = true;
            }
        }
        if (is_used) {
            g->groups[count++] = g->groups[i];
        }
    }
    g->def.group_count = count;
}

static void make_frames(random_graph *g) {
    static const uint32_t steps[] = {2, 4, 8, 8, 8, 8, 16, 24};
    for (uint32_t f = 0; f < GRAPH_FRAMES; f++) {
        random_frame *frame = &g->frames[f];
        const uint64_t tick = LMB_TICKS_PER_SECOND;
        const uint32_t kind = below(g, 20);
        frame->step = kind == 0   ? 0
                      : kind == 1 ? (uint64_t)between(g, 0.0, 0.5 * (double)tick)
                      : kind == 2 ? tick / 240 * below(g, 121)
                                  : tick / 480 * steps[below(g, 8)];
        for (uint32_t c = 0; c < GRAPH_CHARACTERS; c++) {
            for (uint32_t i = 0; i < g->def.parameter_count; i++) {
                const bool changes = f == 0 || chance(g, 10);
                frame->rows[c][i] = changes ? (float)between(g, g->low[i], g->high[i]) : g->frames[f - 1].rows[c][i];
            }
            frame->event_counts[c] = chance(g, 15) ? 1 + below(g, chance(g, 20) ? 3 : 1) : 0;
            for (uint32_t i = 0; i < frame->event_counts[c]; i++) {
                frame->events[c][i] = chance(g, 2) && uses('R') ? LMB_EVENT_RESET : new_event(g);
            }
        }
    }
}

// Lets a transition that has no condition wait for a trigger in place of its event, and others read a draw or the state
// of a machine. These draws change no others.
static void add_decisions(random_graph *g) {
    random_source random = random_branch(g->source, 39);
    for (uint32_t i = 0; i < g->machine_count && uses('q'); i++) {
        for (uint32_t k = 0; k < g->machines[i].def.transition_count; k++) {
            lmb_transition_def *transition = &g->machines[i].transitions[k];
            lmb_term *term = g->machines[i].terms[k];
            const uint32_t drawn = random_below(&random, 6), other = random_below(&random, g->machine_count);
            const float chance = (float)random_between(&random, 0.1, 0.9);
            if (transition->term_count > 0 || drawn > 2) {
                continue;
            }
            *term = lmb_default_term();
            term->kind = LMB_TERM_GREATER;
            if (drawn == 0 && transition->event != LMB_NONE && transition->from != LMB_NONE) {
                term->operand = LMB_OPERAND_TRIGGER;
                term->event = transition->event;
                transition->event = LMB_NONE;
            } else if (drawn == 1) {
                term->operand = k % 2 == 0 ? LMB_OPERAND_DRAW : LMB_OPERAND_CHOICE;
                term->right = lmb_constant(chance);
            } else {
                term->operand = LMB_OPERAND_STATE;
                term->kind = LMB_TERM_EQUAL;
                term->right = lmb_constant((float)(k % 2));
                term->machine_node = g->machines[other].node;
            }
            transition->terms = term;
            transition->term_count = 1;
        }
    }
}

// Lets players begin at random times. These draws change no others.
static void add_random_offsets(random_graph *g) {
    random_source random = random_branch(g->source, 45);
    const bool may = random_below(&random, 3) == 0 && uses('z');
    for (uint32_t i = 0; i < g->player_count && may; i++) {
        g->players[i].def.random_offset = random_below(&random, 3) == 0;
    }
}

void random_graph_create(random_graph *g, uint64_t seed) {
    memset(g, 0, sizeof *g);
    g->source = seed;
    bits(g);
    make_rig(g);
    make_tables(g);
    g->def = lmb_default_graph_def();
    random_source source = random_branch(seed, 38);
    random_curves_draw_gentle(&g->curves, &source);
    g->def.curves = g->curves.defs;
    g->def.curve_count = RANDOM_CURVES;
    uint32_t budget = 2 + below(g, 10);
    make(g, 0, chance(g, 5) && uses('a'), 4, &budget);
    compact_groups(g);
    add_decisions(g);
    add_random_offsets(g);
    if (chance(g, 40) && uses('n')) {
        g->update_every = chance(g, 50) ? lmb_constant((float)between(g, 1.0, 6.0)) : parameter(g, 0.0, 8.0);
        g->def.update_every = &g->update_every;
        g->def.interpolate_updates = chance(g, 50);
    }
    for (uint32_t i = 0; i < GRAPH_MASKS; i++) {
        g->mask_list[i] = g->masks[i];
    }
    g->def.rig = g->rig;
    g->def.clips = (const lmb_clip *const *)g->clips;
    g->def.clip_count = GRAPH_CLIPS;
    g->def.nodes = g->nodes;
    g->def.masks = g->mask_list;
    g->def.mask_count = g->mask_count;
    g->def.mirrors = g->mirrors;
    g->def.mirror_count = 3;
    g->def.joint_maps = g->maps;
    g->def.joint_map_count = GRAPH_MAPS;
    g->def.groups = g->groups;
    g->def.fades = g->fades;
    g->def.motion = &g->motion;
    g->def.event_count = GRAPH_EVENTS;
    g->def.max_emitted_events = 128;
    for (uint32_t c = 0; c < GRAPH_CHARACTERS; c++) {
        g->phases[c] = chance(g, 50) ? LMB_NONE : below(g, 100);
    }
    make_frames(g);
}

void random_graph_destroy(random_graph *g) {
    for (uint32_t i = 0; i < GRAPH_CLIPS; i++) {
        lmb_clip_destroy(g->clips[i]);
    }
    lmb_rig_destroy(g->rig);
}

// ---- For a person who looks for the cause of a difference

static void print_value(const char *name, lmb_value value) {
    if (value.kind == LMB_VALUE_CONSTANT) {
        fprintf(stderr, " %s %g", name, value.constant);
    } else {
        fprintf(stderr, " %s p%u", name, value.parameter);
    }
    if (value.curve != LMB_CURVE_LINEAR) {
        fprintf(stderr, " %s", lmb_curve_name(value.curve));
    }
}

static void print_mask(const random_graph *g, const char *name, uint32_t mask) {
    if (mask != LMB_NONE) {
        fprintf(stderr, " %s %u %u", name, g->masks[mask][0], g->masks[mask][1]);
    }
}

// The settings of an operation, of which it may ignore some.
static void print_settings(const random_graph *g, const lmb_node_def *node) {
    print_mask(g, "mask", node->mask);
    print_mask(g, "joint weights", node->joint_weights);
    for (uint32_t i = 0; i < node->input_count && node->op == LMB_OP_LAYERS; i++) {
        print_value(", fade", node->weights[i]);
        fprintf(stderr, " priority %d", node->priorities[i]);
        print_mask(g, "mask", node->masks[i]);
    }
    for (uint32_t i = 0; i < node->input_count && node->op == LMB_OP_COMBINE; i++) {
        fprintf(stderr, ", map %d", (int)node->joint_maps[i]);
    }
    if (node->op == LMB_OP_MIRROR) {
        fprintf(stderr, ", axis %d, partner of joint 0 %u", (int)node->mirror, g->mirrors[node->mirror].partners[0]);
    }
}

static void print_player(const lmb_player_def *player, float duration) {
    static const char *const ends[] = {"loop", "hold", "once", "ping-pong"};
    fprintf(stderr, " %s of %g s from %g", ends[player->end], duration, player->offset);
    print_value("rate", player->rate);
    fprintf(stderr, " group %d velocity %g repetitions %u%s", (int)player->group, player->velocity, player->repetitions,
            player->drops_out ? " drops out" : "");
    fprintf(stderr, " delay %g sync %d%s", player->delay, (int)player->sync_node,
            player->random_offset ? " random" : "");
    for (uint32_t i = 0; i < player->notify_count; i++) {
        fprintf(stderr, ", notify %u at %g", player->notifies[i].event, player->notifies[i].time);
    }
    for (uint32_t i = 0; i < player->marker_count; i++) {
        fprintf(stderr, ", marker %g", player->markers[i]);
    }
    fprintf(stderr, ", ended %d looped %d%s", (int)player->ended_event, (int)player->looped_event,
            player->motion != NULL ? ", track" : "");
}

static void print_machine(const lmb_machine_def *machine) {
    for (uint32_t i = 0; i < machine->state_count; i++) {
        fprintf(stderr, "\n        state %u%s entry %d exit %d travel %d", i,
                machine->states[i].restart ? " restart" : "", (int)machine->states[i].entry_event,
                (int)machine->states[i].exit_event, (int)machine->states[i].travel_event);
    }
    for (uint32_t i = 0; i < machine->transition_count; i++) {
        static const char *const kinds[] = {"smooth", "frozen", "inertialized"};
        static const char *const terms[] = {"<", "<=", ">", ">=", "==", "and", "or"};
        const lmb_transition_def *t = &machine->transitions[i];
        fprintf(stderr, "\n        %d -> %u event %d%s after %g priority %d %s fade %g %s cost %u start %d %g",
                (int)t->from, t->to, (int)t->event, t->at_end ? " end" : "", t->after, t->priority, kinds[t->kind],
                t->fade, lmb_curve_name(t->curve), t->travel_cost, (int)t->start, t->start_phase);
        for (uint32_t j = 0; j < t->term_count; j++) {
            const lmb_term *term = &t->terms[j];
            fprintf(stderr, " [");
            if (term->kind < LMB_TERM_AND && term->operand == LMB_OPERAND_VALUE) {
                print_value("", term->left);
            } else if (term->kind < LMB_TERM_AND && term->operand == LMB_OPERAND_STATE) {
                fprintf(stderr, "state of %u", term->machine_node);
            } else if (term->kind < LMB_TERM_AND && term->operand == LMB_OPERAND_TRIGGER) {
                fprintf(stderr, "trigger %u", term->event);
            } else if (term->kind < LMB_TERM_AND && term->operand == LMB_OPERAND_DRAW) {
                fprintf(stderr, "draw");
            } else if (term->kind < LMB_TERM_AND && term->operand == LMB_OPERAND_CHOICE) {
                fprintf(stderr, "choice");
            } else if (term->kind < LMB_TERM_AND) {
                fprintf(stderr, "%s of %u", term->operand == LMB_OPERAND_PHASE ? "phase" : "remaining",
                        term->player_node);
            }
            fprintf(stderr, " %s", terms[term->kind]);
            print_value("", term->right);
            fprintf(stderr, "]");
        }
    }
}

void random_graph_print(const random_graph *g) {
    for (uint32_t i = 0; i < g->def.node_count; i++) {
        const lmb_node_def *node = &g->nodes[i];
        fprintf(stderr, "    %u %s", i, lmb_op_name(node->op));
        for (uint32_t j = 0; j < node->input_count; j++) {
            fprintf(stderr, " %u", node->inputs[j]);
        }
        print_value("weight", node->weight);
        print_settings(g, node);
        if (node->player != NULL) {
            print_player(node->player, g->durations[(uint32_t)node->clip.constant]);
        }
        if (node->machine != NULL) {
            print_machine(node->machine);
        }
        fprintf(stderr, "\n");
    }
    for (uint32_t i = 0; i < g->def.fade_count; i++) {
        const lmb_fade_def *fade = &g->fades[i];
        fprintf(stderr, "    fade p%u pose %d in %u out %d after %g, %g %g s%s\n", fade->parameter, (int)fade->pose,
                fade->in_event, (int)fade->out_event, fade->after, fade->in_seconds, fade->out_seconds,
                fade->begins_in ? ", begins in" : "");
    }
    for (uint32_t i = 0; i < g->def.group_count; i++) {
        fprintf(stderr, "    group %u cadence %d\n", i, (int)g->groups[i].cadence);
    }
    if (g->def.update_every != NULL) {
        print_value("    update", g->update_every);
        fprintf(stderr, "%s\n", g->def.interpolate_updates ? ", interpolated" : "");
    }
}
