// Warnings about graphs that are allowed and do not do what they seem to say. They look at the whole graph once it is
// read: what a clip beside others does, what a state shows, which names it has. Traps of a single field are found where
// it is read.
#include "graph.h"

#include <math.h>
#include <string.h>

// Returns whether the text says where a parameter is used or declared: {"param": NAME}.
static bool names_parameter(const lmb_graph_reader *reader, const char *name) {
    bool found = false;
    for (uint32_t i = 1; i < reader->json.count && !found; i++) {
        found = reader->json.values[i].type == LMB_JSON_STRING && lmb_graph_is_text(reader, i, name) &&
                reader->json.values[i - 1].type == LMB_JSON_STRING && lmb_graph_is_text(reader, i - 1, "param");
    }
    return found;
}

uint32_t lmb_graph_place_of(const lmb_graph_reader *reader, uint32_t node, const char *member) {
    const uint32_t at = lmb_graph_find_of_clip(reader, node, member);
    return at != LMB_NONE ? at : reader->objects[node];
}

const char *lmb_graph_name_of_clip(const lmb_graph_def *def, uint32_t node) {
    return lmb_clip_get_info(def->clips[(uint32_t)def->nodes[node].clip.constant])->name;
}

bool lmb_graph_is_constant(lmb_value value, float constant) {
    return value.kind == LMB_VALUE_CONSTANT && value.curve == LMB_CURVE_LINEAR && value.constant == constant;
}

// Marks the nodes that the result shows. What an additive is measured from is not shown.
static bool *find_shown(lmb_graph_reader *reader) {
    const lmb_graph_def *def = &reader->graph->def;
    bool *shown = lmb_graph_allocate(reader, &reader->scratch, def->node_count, sizeof *shown);
    if (shown == NULL) {
        return NULL;
    }
    shown[def->node_count - 1] = true;
    for (uint32_t i = def->node_count; i-- > 0;) { // inputs come before
        const lmb_node_def *node = &def->nodes[i];
        const uint32_t count = node->op == LMB_OP_MAKE_ADDITIVE ? 1 : node->input_count;
        for (uint32_t k = 0; k < count && shown[i]; k++) {
            shown[node->inputs[k]] = true;
        }
    }
    return shown;
}

// Returns the clip of a node; NULL if it plays none, or if a parameter or a curve chooses it.
static const lmb_clip *clip_of(const lmb_graph_def *def, const lmb_node_def *node) {
    const bool is_one =
        node->op == LMB_OP_CLIP && node->clip.kind == LMB_VALUE_CONSTANT && node->clip.curve == LMB_CURVE_LINEAR;
    return is_one ? def->clips[(uint32_t)node->clip.constant] : NULL;
}

// Warns of clips without a time beside clips that play: nothing moves them unless the host sets the parameter "time",
// and then the text has a reason to name it.
static void warn_of_resting_clips(lmb_graph_reader *reader, const bool *shown) {
    const lmb_graph_def *def = &reader->graph->def;
    if (reader->player_count == 0 || names_parameter(reader, "time")) {
        return;
    }
    for (uint32_t i = 0; i < def->node_count && reader->result == LMB_OK; i++) {
        const lmb_node_def *node = &def->nodes[i];
        const lmb_clip *clip = clip_of(def, node);
        if (clip != NULL && node->player == NULL && node->time.kind == LMB_VALUE_PARAMETER && shown[i] &&
            lmb_graph_find_member(reader, reader->objects[i], "time") == LMB_NONE &&
            lmb_clip_get_info(clip)->duration > 0.0f) {
            lmb_graph_warn(reader, reader->objects[i],
                           "'%.60s' rests at its beginning unless the host sets the parameter \"time\", while other "
                           "clips play: write \"play\": true, or \"time\": 0 if it shall rest",
                           lmb_clip_get_info(clip)->name);
        }
    }
}

// Returns whether a node gives an additive, as its first inputs say. Sums and differences are not followed.
static bool is_additive(const lmb_graph_def *def, uint32_t index) {
    const lmb_node_def *node = &def->nodes[index];
    while (node->input_count > 0 && node->op != LMB_OP_MAKE_ADDITIVE && node->op != LMB_OP_ADD &&
           node->op != LMB_OP_SUBTRACT && node->op != LMB_OP_SUBTRACT_SCALE_ADD) {
        node = &def->nodes[node->inputs[0]];
    }
    const lmb_clip *clip = clip_of(def, node);
    return node->op == LMB_OP_MAKE_ADDITIVE || (clip != NULL && lmb_clip_get_info(clip)->is_additive);
}

// Returns whether a clip of its own drops out at its end.
static bool drops_out(const lmb_graph_def *def, uint32_t index) {
    const lmb_node_def *node = &def->nodes[index];
    const lmb_player_def *player = node->op == LMB_OP_CLIP ? node->player : NULL;
    return player != NULL && (player->end == LMB_END_ONCE || (player->repetitions > 0 && player->drops_out)) &&
           !is_additive(def, index);
}

// Returns whether a transition may leave a state without an event.
static bool leaves_by_itself(const lmb_machine_def *machine, uint32_t state) {
    bool found = false;
    for (uint32_t i = 0; i < machine->transition_count && !found; i++) {
        const lmb_transition_def *transition = &machine->transitions[i];
        const bool leaves = transition->from == LMB_NONE ? transition->to != state : transition->from == state;
        found = leaves && transition->event == LMB_NONE;
    }
    return found;
}

// Warns of states whose clip drops out while nothing leads on: they show the rest pose.
static void warn_of_empty_states(lmb_graph_reader *reader, uint32_t index) {
    const lmb_graph_def *def = &reader->graph->def;
    const lmb_node_def *node = &def->nodes[index];
    for (uint32_t i = 0; i < node->input_count && reader->result == LMB_OK; i++) {
        if (drops_out(def, node->inputs[i]) && !leaves_by_itself(node->machine, i)) {
            const uint32_t object = reader->objects[node->inputs[i]];
            const uint32_t play = lmb_graph_find_member(reader, object, "play");
            const bool is_once = def->nodes[node->inputs[i]].player->end == LMB_END_ONCE;
            const uint32_t at = lmb_graph_find_member(reader, play, is_once ? "end" : "drops-out");
            lmb_graph_warn(
                reader, at != LMB_NONE ? at : object,
                "after its end '%.60s' shows the rest pose until an event leads on: %s holds the last frame, and "
                "a transition with \"end\": true leads on by itself",
                node->machine->states[i].name, is_once ? "\"hold\"" : "false");
        }
    }
}

void lmb_graph_mark_below(const lmb_graph_def *def, uint32_t index, bool *below) {
    memset(below, 0, index * sizeof *below);
    below[index] = true;
    for (uint32_t i = index + 1; i-- > 0;) { // inputs come before
        for (uint32_t k = 0; below[i] && k < def->nodes[i].input_count; k++) {
            below[def->nodes[i].inputs[k]] = true;
        }
    }
}

static bool hears(const lmb_machine_def *machine, uint32_t event) {
    bool found = false;
    for (uint32_t i = 0; machine != NULL && i < machine->transition_count && !found; i++) {
        found = machine->transitions[i].event == event;
    }
    return found;
}

// Warns of machines inside a state that hear an event by which the state is left at once. `below` has room for a flag
// of each node.
static void warn_of_inner_events(lmb_graph_reader *reader, uint32_t index, bool *below) {
    const lmb_graph_def *def = &reader->graph->def;
    const lmb_node_def *node = &def->nodes[index];
    for (uint32_t state = 0; state < node->input_count && reader->result == LMB_OK; state++) {
        const uint32_t pose = node->inputs[state];
        lmb_graph_mark_below(def, pose, below);
        for (uint32_t k = 0; k < node->machine->transition_count; k++) {
            const lmb_transition_def *t = &node->machine->transitions[k];
            const bool leaves = (t->from == state || t->from == LMB_NONE) && t->to != state;
            const bool is_at_once = t->event != LMB_NONE && !t->at_end && t->after <= 0.0f && t->term_count == 0;
            for (uint32_t i = 0; i <= pose && leaves && is_at_once; i++) {
                if (below[i] && hears(def->nodes[i].machine, t->event)) {
                    lmb_graph_warn(reader, reader->objects[i],
                                   "'%.60s' also leaves the state around this machine, at once, so what this one does "
                                   "with it is hardly seen",
                                   def->event_names[t->event]);
                }
            }
        }
    }
}

static void warn_of_machines(lmb_graph_reader *reader, const bool *shown) {
    const lmb_graph_def *def = &reader->graph->def;
    uint32_t count = 0;
    for (uint32_t i = 0; i < def->node_count; i++) {
        count += def->nodes[i].op == LMB_OP_MACHINE;
    }
    bool *below = count > 1 ? lmb_graph_allocate(reader, &reader->scratch, def->node_count, sizeof *below) : NULL;
    for (uint32_t i = 0; below != NULL && i < def->node_count && reader->result == LMB_OK; i++) {
        if (shown[i] && def->nodes[i].op == LMB_OP_MACHINE) {
            warn_of_inner_events(reader, i, below);
        }
    }
}

// Returns whether a weight is 0 until the host sets a parameter, or an event fades the pose in.
static bool is_zero_at_first(const lmb_graph_json *graph, lmb_value weight) {
    if (weight.curve != LMB_CURVE_LINEAR) {
        return false;
    }
    if (weight.kind == LMB_VALUE_CONSTANT) {
        return weight.constant == 0.0f;
    }
    const lmb_graph_declared *parameter = &graph->parameters[weight.parameter];
    return !parameter->is_computed && parameter->is_written == parameter->is_late && parameter->initial.value == 0.0f;
}

// Warns of weighted poses of which none has a weight at first.
static void warn_of_no_weight(lmb_graph_reader *reader, uint32_t index) {
    const lmb_graph_def *def = &reader->graph->def;
    const lmb_node_def *node = &def->nodes[index];
    bool shows = is_additive(def, index);
    for (uint32_t i = 0; i < node->input_count && !shows; i++) {
        shows = !is_zero_at_first(reader->graph, node->weights[i]);
    }
    if (!shows) {
        lmb_graph_warn(
            reader, reader->objects[index],
            "at first no input has a weight, so it shows the rest pose: a parameter with \"default\": 1, or a "
            "fade with \"initial\": \"in\", shows one");
    }
}

static void warn_of_rest_poses(lmb_graph_reader *reader, const bool *shown) {
    const lmb_graph_def *def = &reader->graph->def;
    for (uint32_t i = 0; i < def->node_count && reader->result == LMB_OK; i++) {
        const lmb_op op = def->nodes[i].op;
        if (op == LMB_OP_MACHINE && shown[i]) {
            warn_of_empty_states(reader, i);
        } else if (shown[i] && (op == LMB_OP_WEIGHTED || op == LMB_OP_WEIGHTED_MATRIX || op == LMB_OP_LAYERS)) {
            warn_of_no_weight(reader, i);
        }
    }
    if (is_additive(def, def->node_count - 1)) {
        lmb_graph_warn(
            reader, 0,
            "the result is an additive, which is a change of a pose and shows no character: it is the \"add\" "
            "of an \"additive\"");
    }
}

// ---- Events of clips, and ends.

uint32_t lmb_graph_find_of_clip(const lmb_graph_reader *reader, uint32_t node, const char *member) {
    const uint32_t object = reader->objects[node];
    const uint32_t at = lmb_graph_find_member(reader, lmb_graph_find_member(reader, object, "play"), member);
    return at != LMB_NONE ? at : lmb_graph_find_member(reader, object, member);
}

// Warns of events of a clip that it never emits.
static void warn_of_silent_events(lmb_graph_reader *reader, uint32_t index) {
    const lmb_player_def *player = reader->graph->def.nodes[index].player;
    const char *name = lmb_clip_get_info(clip_of(&reader->graph->def, &reader->graph->def.nodes[index]))->name;
    const bool stays = player->end == LMB_END_HOLD || player->end == LMB_END_ONCE;
    if (player->ended_event != LMB_NONE && !stays && player->repetitions == 0) {
        lmb_graph_warn(reader, lmb_graph_find_of_clip(reader, index, "ended"),
                       "never emitted: '%.60s' goes on for ever: \"looped\" is emitted each time, and \"end\": "
                       "\"hold\" or \"repetitions\" end it",
                       name);
    } else if (player->looped_event != LMB_NONE && (stays || player->repetitions == 1)) {
        lmb_graph_warn(reader, lmb_graph_find_of_clip(reader, index, "looped"),
                       "never emitted: '%.60s' stays at its first end, where \"ended\" is emitted", name);
    }
}

// Returns whether a transition may begin clips elsewhere than at their offsets.
static bool begins_elsewhere(const lmb_graph_reader *reader) {
    bool found = false;
    for (uint32_t i = 1; i < reader->json.count && !found; i++) {
        found = reader->json.values[i].type == LMB_JSON_STRING && lmb_graph_is_text(reader, i - 1, "start") &&
                (lmb_graph_is_text(reader, i, "phase") || lmb_graph_is_text(reader, i, "sync"));
    }
    return found;
}

// Warns of a clip that plays backwards from its beginning, where it ends.
static void warn_of_end_at_once(lmb_graph_reader *reader, uint32_t index) {
    const lmb_player_def *player = reader->graph->def.nodes[index].player;
    const lmb_clip *clip = clip_of(&reader->graph->def, &reader->graph->def.nodes[index]);
    const bool is_backwards = player->rate.kind == LMB_VALUE_CONSTANT && player->rate.curve == LMB_CURVE_LINEAR &&
                              player->rate.constant < 0.0f;
    if (is_backwards && (player->end == LMB_END_HOLD || player->end == LMB_END_ONCE) && player->offset == 0.0f &&
        !player->random_offset && lmb_graph_find_of_clip(reader, index, "sync-with") == LMB_NONE &&
        !begins_elsewhere(reader)) {
        lmb_graph_warn(reader, lmb_graph_find_of_clip(reader, index, "rate"),
                       "'%.60s' plays backwards from its beginning, so it is at its end at once: write \"offset\": %g",
                       lmb_clip_get_info(clip)->name, (double)lmb_clip_get_info(clip)->duration);
    }
}

static void warn_of_players(lmb_graph_reader *reader) {
    const lmb_graph_def *def = &reader->graph->def;
    for (uint32_t i = 0; i < def->node_count && reader->result == LMB_OK; i++) {
        const lmb_clip *clip = def->nodes[i].player != NULL ? clip_of(def, &def->nodes[i]) : NULL;
        if (clip != NULL && lmb_clip_get_info(clip)->duration > 0.0f) {
            warn_of_silent_events(reader, i);
            warn_of_end_at_once(reader, i);
        }
    }
}

// ---- What keeps a state: feet that lock, and chains.

// Returns the member of a foot that plants it, or LMB_NONE.
static uint32_t find_planting(const lmb_graph_reader *reader, uint32_t foot) {
    static const char *const members[] = {"planted-markers", "planted-channel", "planted"};
    uint32_t at = LMB_NONE;
    for (size_t i = 0; i < sizeof members / sizeof members[0] && at == LMB_NONE; i++) {
        at = lmb_graph_find_member(reader, foot, members[i]);
    }
    return at;
}

// Warns of feet that are planted where nothing locks them, and of a lock where nothing plants a foot.
static void warn_of_locks(lmb_graph_reader *reader, const lmb_feet_def *feet, uint32_t object) {
    const uint32_t list = lmb_graph_find_member(reader, object, "feet");
    bool is_planted = false;
    for (uint32_t i = 0; i < feet->foot_count; i++) {
        const uint32_t at = find_planting(reader, lmb_graph_find_element(reader, list, i));
        is_planted = is_planted || at != LMB_NONE;
        if (at != LMB_NONE && feet->lock_distance == 0.0f) {
            lmb_graph_warn(reader, at, "not used: a planted foot is locked with a \"lock-distance\" above 0");
        }
    }
    if (feet->lock_distance > 0.0f && !is_planted) {
        lmb_graph_warn(reader, lmb_graph_find_member(reader, object, "lock-distance"),
                       "nothing plants a foot, so none is locked: write \"planted-markers\", \"planted-channel\" or "
                       "\"planted\" in the feet");
    }
}

// Warns of ground that the text states itself, and that does not face up.
static void warn_of_ground(lmb_graph_reader *reader, const lmb_feet_def *feet, uint32_t object) {
    const uint32_t list = lmb_graph_find_member(reader, object, "feet");
    for (uint32_t i = 0; i < feet->foot_count; i++) {
        const lmb_value *n = feet->feet[i].normal;
        float along = 0.0f, length = 0.0f;
        bool is_stated = true;
        for (int axis = 0; axis < 3; axis++) {
            is_stated = is_stated && lmb_graph_is_constant(n[axis], n[axis].constant);
            along += n[axis].constant * feet->up[axis];
            length += fabsf(n[axis].constant);
        }
        if (is_stated && length > 0.0f && !(along > 0.0f)) {
            lmb_graph_warn(reader, lmb_graph_find_member(reader, lmb_graph_find_element(reader, list, i), "normal"),
                           "it does not point up, along [%g, %g, %g]", (double)feet->up[0], (double)feet->up[1],
                           (double)feet->up[2]);
        }
    }
}

static void warn_of_feet(lmb_graph_reader *reader, const lmb_feet_def *feet, uint32_t object) {
    warn_of_locks(reader, feet, object);
    warn_of_ground(reader, feet, object);
    if (feet->speed.kind == LMB_VALUE_PARAMETER && feet->clip_speed.kind == LMB_VALUE_PARAMETER &&
        feet->speed.parameter == feet->clip_speed.parameter && feet->speed.curve == LMB_CURVE_LINEAR &&
        feet->clip_speed.curve == LMB_CURVE_LINEAR) {
        lmb_graph_warn(reader, lmb_graph_find_member(reader, object, "clip-speed"),
                       "the same parameter as \"speed\", so the stride never changes: it is the speed of the clip");
    }
}

// Warns of a chain whose time does not pass. Feet that are locked with such a time are refused.
static void warn_of_clock(lmb_graph_reader *reader, lmb_value time, uint32_t object) {
    const uint32_t at = lmb_graph_find_member(reader, object, "time");
    if (at != LMB_NONE && time.kind == LMB_VALUE_CONSTANT) {
        lmb_graph_warn(reader, at,
                       "it does not pass, so nothing swings: write a parameter that the host advances, as {\"param\": "
                       "\"now\"}");
    }
}

// Warns of gravity along z, if the joints of the rest pose are higher than deep.
static void warn_of_gravity(lmb_graph_reader *reader, const float gravity[3], uint32_t object) {
    const lmb_rig *rig = reader->graph->def.rig;
    float low[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF}, high[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    for (uint32_t joint = 0; joint < lmb_rig_get_def(rig)->joint_count && gravity[1] == 0.0f && gravity[2] != 0.0f;
         joint++) {
        const lmb_affine model = lmb_graph_model_of(rig, NULL, 0.0f, joint);
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = fminf(low[axis], model.m[axis][3]);
            high[axis] = fmaxf(high[axis], model.m[axis][3]);
        }
    }
    if (high[1] - low[1] > high[2] - low[2]) {
        lmb_graph_warn(reader, lmb_graph_find_member(reader, object, "gravity"),
                       "along z, and the character stands along y: write [0, -9.81, 0]");
    }
}

static void warn_of_states(lmb_graph_reader *reader) {
    const lmb_graph_def *def = &reader->graph->def;
    for (uint32_t i = 0; i < def->node_count && reader->result == LMB_OK; i++) {
        const lmb_node_def *node = &def->nodes[i];
        if (node->op == LMB_OP_FOOT_PLACEMENT) {
            warn_of_feet(reader, &node->feet, reader->objects[i]);
        } else if (node->op == LMB_OP_CHAIN) {
            warn_of_clock(reader, node->chain.time, reader->objects[i]);
            warn_of_gravity(reader, node->chain.gravity, reader->objects[i]);
        }
    }
}

// ---- Names of a character that the text misses.

#define NAME_SIZE 100u

// Where two names differ: what is between the beginning and the end that they share.
typedef struct difference {
    size_t start, a_length, b_length;
    bool is_exchanged; // two letters that follow each other
} difference;

static difference find_difference(const char *a, const char *b) {
    size_t a_end = strlen(a), b_end = strlen(b), start = 0;
    while (a[start] != '\0' && a[start] == b[start]) {
        start++;
    }
    while (a_end > start && b_end > start && a[a_end - 1] == b[b_end - 1]) {
        a_end--;
        b_end--;
    }
    const bool are_two = a_end - start == 2 && b_end - start == 2;
    return (difference){start, a_end - start, b_end - start,
                        are_two && a[start] == b[start + 1] && a[start + 1] == b[start]};
}

// Returns whether what differs has one of some letters.
static bool differs_in(const difference *found, const char *a, const char *b, const char *letters) {
    return strcspn(a + found->start, letters) < found->a_length || strcspn(b + found->start, letters) < found->b_length;
}

// Returns whether two names differ by one letter, or by two that are exchanged. Names that differ in a digit or a side
// are two.
static bool is_misspelt(const char *a, const char *b) {
    const difference found = find_difference(a, b);
    const bool is_one = found.a_length <= 1 && found.b_length <= 1 && found.a_length + found.b_length > 0;
    return strlen(a) >= 3 && (found.is_exchanged || (is_one && !differs_in(&found, a, b, "0123456789lrLR")));
}

// Finds a string of the text that is a name of the character and resembles an alias which the text does not have.
static uint32_t find_misspelt(const lmb_graph_reader *reader, const lmb_graph_alias *aliases, uint32_t count,
                              uint32_t index, const lmb_name *names, uint32_t name_count, char found[NAME_SIZE]) {
    uint32_t at = LMB_NONE;
    for (uint32_t i = 0; i < reader->json.count; i++) {
        const lmb_json_value *value = &reader->json.values[i];
        const size_t length = value->end - value->start;
        if (value->type != LMB_JSON_STRING || length >= NAME_SIZE) {
            continue;
        }
        if (lmb_graph_is_text(reader, i, aliases[index].name)) {
            return LMB_NONE;
        }
        char name[NAME_SIZE] = "";
        memcpy(name, reader->json.text + value->start, length);
        if (at == LMB_NONE && is_misspelt(aliases[index].name, name) &&
            lmb_names_find(names, name_count, name) != LMB_NONE && lmb_graph_resolve(aliases, count, name) == name) {
            at = i;
            memcpy(found, name, NAME_SIZE);
        }
    }
    return at;
}

static void warn_of_misspelt(lmb_graph_reader *reader, const lmb_graph_alias *aliases, uint32_t count,
                             const lmb_name *names, uint32_t name_count) {
    for (uint32_t i = 0; i < count && reader->result == LMB_OK; i++) {
        char found[NAME_SIZE];
        const uint32_t at = find_misspelt(reader, aliases, count, i, names, name_count, found);
        if (at != LMB_NONE) {
            lmb_graph_warn(
                reader, at,
                "this is the character's own '%.60s': its names have '%.60s', which is nowhere in the graph; is "
                "'%.60s' meant there?",
                found, aliases[i].name, found);
        }
    }
}

// ---- Names of the graph's own: a slip makes another parameter, event or group.

#define COMPARED_NAMES 96u // of a kind; with more the names are most likely generated

bool lmb_graph_differs_in_case(const char *a, const char *b) {
    size_t i = 0;
    bool differs = false;
    for (; a[i] != '\0' && b[i] != '\0'; i++) {
        const char folded_a = a[i] >= 'A' && a[i] <= 'Z' ? (char)(a[i] - 'A' + 'a') : a[i];
        const char folded_b = b[i] >= 'A' && b[i] <= 'Z' ? (char)(b[i] - 'A' + 'a') : b[i];
        if (folded_a != folded_b) {
            return false;
        }
        differs = differs || a[i] != b[i];
    }
    return differs && i > 1 && a[i] == b[i];
}

// Returns whether one name is the other with an s.
static bool is_plural(const char *a, const char *b) {
    const size_t a_size = strlen(a), b_size = strlen(b);
    const char *longer = a_size > b_size ? a : b;
    const size_t shorter = a_size < b_size ? a_size : b_size;
    return shorter >= 3 && a_size + b_size == 2 * shorter + 1 && memcmp(a, b, shorter) == 0 &&
           (longer[shorter] == 's' || longer[shorter] == 'S');
}

// Returns whether a letter inside one name is missing in the other, or two are exchanged. Other names that differ by a
// letter are often meant: move_x and move_y, step_12 and step_112.
static bool is_slip(const char *a, const char *b) {
    const difference found = find_difference(a, b);
    const size_t a_size = strlen(a), b_size = strlen(b), shorter = a_size < b_size ? a_size : b_size;
    const bool is_missing = found.a_length + found.b_length == 1 && found.start > 0 && found.start < shorter;
    return shorter >= 4 && (found.is_exchanged || is_missing) && !differs_in(&found, a, b, "0123456789");
}

// Counts the strings of the text that are a name. Stores the first one.
static uint32_t count_strings(const lmb_graph_reader *reader, const char *name, uint32_t *first) {
    uint32_t count = 0;
    for (uint32_t i = reader->json.count; i-- > 0;) {
        if (reader->json.values[i].type == LMB_JSON_STRING && lmb_graph_is_text(reader, i, name)) {
            *first = i;
            count++;
        }
    }
    return count;
}

// Warns at the name that the text has less often, or later.
static void warn_of_slip(lmb_graph_reader *reader, const char *what, const char *how, const char *a, const char *b) {
    uint32_t at[2] = {0, 0};
    const uint32_t counts[2] = {count_strings(reader, a, &at[0]), count_strings(reader, b, &at[1])};
    const bool is_first = counts[0] < counts[1] || (counts[0] == counts[1] && at[0] > at[1]);
    if (counts[0] > 0 && counts[1] > 0) {
        lmb_graph_warn(reader, at[is_first ? 0 : 1],
                       "%s '%.60s' is another one than '%.60s', from which it differs %s: is it the same?", what,
                       is_first ? a : b, is_first ? b : a, how);
    }
}

typedef const char *name_at(const lmb_graph_json *graph, uint32_t index);

static const char *parameter_at(const lmb_graph_json *graph, uint32_t index) {
    return graph->parameters[index].name;
}

static const char *event_at(const lmb_graph_json *graph, uint32_t index) {
    return graph->def.event_names[index];
}

static const char *group_at(const lmb_graph_json *graph, uint32_t index) {
    return graph->def.groups[index].name;
}

// Parameters may well be a number and one of each, as step and steps; events and groups hardly.
static void warn_of_slips(lmb_graph_reader *reader, const char *what, name_at *name, uint32_t count,
                          bool has_no_plurals) {
    for (uint32_t i = 0; i < count && count <= COMPARED_NAMES; i++) {
        for (uint32_t k = 0; k < i && reader->result == LMB_OK; k++) {
            const char *a = name(reader->graph, k), *b = name(reader->graph, i);
            const char *how = is_slip(a, b) || (has_no_plurals && is_plural(a, b)) ? "by a letter"
                              : lmb_graph_differs_in_case(a, b)                    ? "in case alone"
                                                                                   : NULL;
            if (how != NULL) {
                warn_of_slip(reader, what, how, a, b);
            }
        }
    }
}

// Warns of events that the graph emits and awaits: it does not hear its own, and a host that sends them back is a frame
// late.
static void warn_of_own_events(lmb_graph_reader *reader) {
    for (uint32_t i = 0; i < reader->event_use_count; i++) {
        const lmb_graph_event_uses *uses = &reader->event_uses[i];
        if (uses->emitted != LMB_NONE && uses->awaited != LMB_NONE) {
            lmb_graph_warn(reader, uses->awaited,
                           "'%.60s' is emitted by the graph itself, and what it emits goes to the host alone: unless "
                           "the host sends it, too, nothing happens here; \"end\": true, \"after\", or a clip's "
                           "\"phase\" in \"when\" need no event",
                           reader->graph->def.event_names[i]);
        }
    }
}

void lmb_graph_warn_of_traps(lmb_graph_reader *reader) {
    bool *shown = find_shown(reader);
    if (shown != NULL) {
        warn_of_resting_clips(reader, shown);
        warn_of_rest_poses(reader, shown);
        warn_of_machines(reader, shown);
        lmb_graph_warn_of_steps(reader, shown);
        lmb_graph_warn_of_nodes(reader, shown);
    }
    warn_of_players(reader);
    warn_of_states(reader);
    const lmb_graph_source *source = reader->source;
    warn_of_misspelt(reader, source->clip_aliases, source->clip_alias_count, reader->clips, source->clip_count);
    warn_of_misspelt(reader, source->joint_aliases, source->joint_alias_count, reader->joints,
                     lmb_rig_get_def(source->rig)->joint_count);
    const lmb_graph_def *def = &reader->graph->def;
    warn_of_slips(reader, "the parameter", parameter_at, def->parameter_count, false);
    warn_of_slips(reader, "the event", event_at, def->event_count, true);
    warn_of_slips(reader, "the group", group_at, def->group_count, true);
    warn_of_own_events(reader);
}
