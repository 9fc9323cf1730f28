// The steps of the split:
// 1. Check what is read here; lmb_moving_check() checks the rest later.
// 2. Find which state owns each node, from the last node down: the innermost one that all uses of the node are in. Its
//    time advances only while that state has a weight. Then visit the nodes in the order of inputs, and add a machine
//    for each node or fade on the way. So outer machines come before those inside their states. The walk has a stack
//    of its own, since graphs may be deep.
// 3. Find the retarget around each clip that plays. Its root motion is scaled and turned as the retarget does with
//    poses.
// 4. Number the added parameters, and give each player and state the parameter that it writes.
// 5. Write the transitions of fades as those of machines with the states "in" and "out".
// 6. Copy the nodes. In the copy clips read their time, and machines their weights, from the added parameters.
#include "moving.h"

#include "base/fields.h"
#include "base/number.h"
#include "program/clip_slot.h"
#include "rig/retarget.h"

#include "../../shaders/ops/layout.h"

#include <stdio.h>
#include <string.h>

// The state that owns a pose. The machine is that of a node, or node_count plus the fade; LMB_NONE if no state owns
// the pose.
typedef struct owner {
    uint32_t machine;
    uint32_t state;
} owner;

// The transitions of a fade: in, again, out, at the end, after a time.
#define FADE_TRANSITIONS 5u

// What the machine of a fade consists of.
typedef struct fade_machine {
    lmb_state_def states[2];
    lmb_transition_def transitions[FADE_TRANSITIONS];
} fade_machine;

typedef struct lowering {
    lmb_moving *moving;
    const lmb_graph_def *def;
    lmb_error *error; // not NULL. Checks return false if they fail, and store it
    lmb_node_def *nodes;
    lmb_moving_state *states; // of all machines, one machine after another in the order in which they are found
    fade_machine *fades;      // [fade]
    owner *around;            // [node]: owns it, without its own fade
    bool *reached;            // [node]
    bool *visited;            // [node]
    uint32_t *faded;          // [node]: the fade of which it is the pose, or LMB_NONE
    uint32_t *retargets;      // [node]: the retarget that its sources are in, or LMB_NONE
    uint32_t *visits;         // nodes that are still to be visited
    uint32_t visit_count;
    uint32_t state_count;
} lowering;

bool lmb_node_plays(const lmb_node_def *node) {
    return node->op == LMB_OP_CLIP && node->player != NULL;
}

static bool refuse_node(const lowering *l, uint32_t node, const char *what) {
    return lmb_refuse(l->error, LMB_ERROR_ARGUMENT, "graph: node %u (%s): %s", (unsigned)node,
                      lmb_op_name(l->def->nodes[node].op), what);
}

static bool refuse_fade(const lowering *l, uint32_t fade, const char *what) {
    return lmb_refuse(l->error, LMB_ERROR_ARGUMENT, "graph: fade %u: %s", (unsigned)fade, what);
}

bool lmb_graph_moves(const lmb_graph_def *def) {
    bool moves = def->smoothed_count > 0 || def->computed_count > 0 || def->fade_count > 0 || def->group_count > 0 ||
                 def->motion != NULL;
    const uint32_t count = def->nodes != NULL && def->node_count <= LMB_MAX_NODES ? def->node_count : 0;
    for (uint32_t i = 0; i < count && !moves; i++) {
        const lmb_reached_slot *reached = lmb_graph_reached_of(&def->nodes[i]);
        moves = lmb_node_plays(&def->nodes[i]) || def->nodes[i].op == LMB_OP_MACHINE ||
                (reached != NULL && reached->is_reported && reached->parameter != LMB_NONE);
    }
    return moves;
}

// Returns the fade of which a node is the pose, or LMB_NONE.
static uint32_t find_fade(const lmb_graph_def *def, uint32_t node) {
    uint32_t fade = 0;
    while (fade < def->fade_count && def->fades[fade].pose != node) {
        fade++;
    }
    return fade < def->fade_count ? fade : LMB_NONE;
}

// ---- Checks of fades, and of counts and indices by which lists are read here. lmb_moving_check() does the others.

static const char *find_fault(const lowering *l, uint32_t index) {
    const lmb_fade_def *fade = &l->def->fades[index];
    const char *curve_fault = lmb_fade_curve_fault(fade->curve, fade->curve_control, l->def);
    return fade->cookie != LMB_COOKIE                                        ? "it is not from lmb_default_fade_def()"
           : fade->parameter >= l->def->parameter_count                      ? "parameter: there is no such parameter"
           : fade->pose != LMB_NONE && fade->pose >= l->def->node_count      ? "pose: there is no such node"
           : find_fade(l->def, fade->pose) < index && fade->pose != LMB_NONE ? "pose: another fade has it"
           : fade->in_event == LMB_NONE                                      ? "in_event: there is no such event"
           : fade->restart && fade->in_event == fade->out_event              ? "restart: the same event fades it out"
                                                                             : curve_fault;
}

static bool check_lists(const lowering *l) {
    const lmb_graph_def *def = l->def;
    bool valid = lmb_check_list(l->error, "graph", "groups", def->groups, def->group_count, LMB_MAX_PLAYERS) &&
                 lmb_check_list(l->error, "graph", "fades", def->fades, def->fade_count, LMB_MAX_MACHINES) &&
                 lmb_check_list(l->error, "graph", "smoothed parameters", def->smoothed, def->smoothed_count,
                                LMB_MAX_PARAMETERS) &&
                 lmb_check_list(l->error, "graph", "computed parameters", def->computed, def->computed_count,
                                LMB_MAX_PARAMETERS);
    for (uint32_t i = 0; valid && i < def->fade_count; i++) {
        const lmb_field_context context = {
            .parameter_count = def->parameter_count, .event_count = def->event_count, .curve_count = def->curve_count};
        const char *fault = find_fault(l, i);
        lmb_field_fault range;
        char message[sizeof range + 4];
        valid = fault == NULL || refuse_fade(l, i, fault);
        if (valid && !lmb_fields_check(&lmb_fade_fields, &def->fades[i], &context, &range)) {
            snprintf(message, sizeof message, "%s: %s", range.field, range.why);
            valid = refuse_fade(l, i, message);
        }
    }
    return valid;
}

static bool check_machine(const lowering *l, uint32_t index) {
    const lmb_node_def *node = &l->def->nodes[index];
    const lmb_machine_def *machine = node->machine;
    const char *fault =
        machine == NULL                             ? "machine: it is NULL"
        : machine->states == NULL                   ? "machine: states: they are NULL"
        : machine->state_count != node->input_count ? "machine: it has another number of states than inputs"
        : machine->transition_count > 0 && machine->transitions == NULL ? "machine: transitions: they are NULL"
        : machine->transition_count > LMB_MAX_TRANSITIONS               ? "machine: transitions: there are too many"
        : machine->matching != NULL && machine->matching->cookie != LMB_COOKIE
            ? "machine: matching: it is not from lmb_default_matching_def()"
        : machine->matching != NULL && machine->matching->database == NULL ? "machine: matching: database: it is NULL"
                                                                           : NULL;
    return fault == NULL || refuse_node(l, index, fault);
}

static bool check_player(const lowering *l, uint32_t index) {
    const lmb_node_def *node = &l->def->nodes[index];
    const char *fault = node->player->cookie != LMB_COOKIE ? "player: it is not from lmb_default_player_def()"
                        : node->clip.kind == LMB_VALUE_PARAMETER || node->clip.curve != LMB_CURVE_LINEAR
                            ? "player: a clip that plays is a constant"
                        : lmb_graph_clip_duration(l->def, (uint32_t)node->clip.constant) < 0.0f
                            ? "player: the slot of its clip states no duration"
                        : node->player->group != LMB_NONE && node->player->group >= l->def->group_count
                            ? "player: group: there is no such group"
                            : NULL;
    return fault == NULL || refuse_node(l, index, fault);
}

static bool check_nodes(const lowering *l) {
    bool valid = true;
    for (uint32_t i = 0; i < l->def->node_count && valid; i++) {
        valid = lmb_node_plays(&l->def->nodes[i])       ? check_player(l, i)
                : l->def->nodes[i].op == LMB_OP_MACHINE ? check_machine(l, i)
                                                        : true;
    }
    return valid;
}

// ---- Memory.

void lmb_moving_release(lmb_moving *moving) {
    for (uint32_t i = 0; i < moving->machine_count; i++) {
        lmb_motion_database_destroy(moving->machines[i].database);
    }
    moving->machine_count = 0;
    moving->memory.host = &moving->host; // it may have been copied
    lmb_arena_release(&moving->memory);
}

static bool allocate_all(lowering *l, lmb_arena *scratch) {
    const lmb_graph_def *def = l->def;
    uint32_t players = 0, machines = def->fade_count, states = 2 * def->fade_count;
    size_t visits = 1;
    for (uint32_t i = 0; i < def->node_count; i++) {
        const lmb_node_def *node = &def->nodes[i];
        players += lmb_node_plays(node);
        machines += node->op == LMB_OP_MACHINE;
        states += node->op == LMB_OP_MACHINE ? node->input_count : 0;
        visits += node->input_count;
    }
    lmb_moving *moving = l->moving;
    const size_t numbers = (size_t)def->node_count + def->fade_count;
    l->nodes = lmb_arena_allocate(&moving->memory, def->node_count, sizeof *l->nodes);
    l->states = lmb_arena_allocate(&moving->memory, states, sizeof *l->states);
    l->fades = lmb_arena_allocate(&moving->memory, def->fade_count, sizeof *l->fades);
    moving->players = lmb_arena_allocate(&moving->memory, players, sizeof *moving->players);
    moving->machines = lmb_arena_allocate(&moving->memory, machines, sizeof *moving->machines);
    moving->player_of = lmb_arena_allocate(&moving->memory, def->node_count, sizeof *moving->player_of);
    moving->machine_of = lmb_arena_allocate(&moving->memory, numbers, sizeof *moving->machine_of);
    moving->first_parameters = lmb_arena_allocate(&moving->memory, def->node_count, sizeof *moving->first_parameters);
    l->around = lmb_arena_allocate(scratch, def->node_count, sizeof *l->around);
    l->reached = lmb_arena_allocate(scratch, def->node_count, sizeof *l->reached);
    l->visited = lmb_arena_allocate(scratch, def->node_count, sizeof *l->visited);
    l->faded = lmb_arena_allocate(scratch, def->node_count, sizeof *l->faded);
    l->retargets = lmb_arena_allocate(scratch, def->node_count, sizeof *l->retargets);
    l->visits = lmb_arena_allocate(scratch, visits, sizeof *l->visits);
    if (moving->memory.failed || scratch->failed) {
        return lmb_refuse(l->error, LMB_ERROR_MEMORY, "graph: no memory for what moves by itself");
    }
    for (size_t i = 0; i < numbers; i++) {
        moving->machine_of[i] = LMB_NONE;
    }
    for (uint32_t i = 0; i < def->node_count; i++) {
        moving->player_of[i] = l->faded[i] = LMB_NONE;
    }
    for (uint32_t i = 0; i < def->fade_count; i++) { // no two have the same pose
        if (def->fades[i].pose != LMB_NONE) {
            l->faded[def->fades[i].pose] = i;
        }
    }
    return true;
}

// ---- Parameters.

// Returns the parameters of a machine: the weights of its states, and those that joints need for a fade with a blend
// profile.
static uint32_t count_weights(const lmb_node_def *node) {
    const uint32_t states = node->machine->state_count;
    return states + (lmb_graph_profile_count(node) > 0 ? PROFILED_NUMBERS(states) : 0);
}

// Numbers the parameters of clips and machines.
static void number_parameters(lowering *l) {
    const lmb_graph_def *def = l->def;
    uint32_t count = def->parameter_count;
    for (uint32_t i = 0; i < def->node_count; i++) {
        const lmb_node_def *node = &def->nodes[i];
        const uint32_t own = lmb_node_plays(node) ? 1 : node->op == LMB_OP_MACHINE ? count_weights(node) : 0;
        l->moving->first_parameters[i] = own > 0 ? count : LMB_NONE;
        count += own;
    }
    l->moving->poses = *def;
    l->moving->poses.parameter_count = count;
}

// ---- Owning states: from the last node down, machines before those inside their states.

// Returns the state of a fade in which its pose has a weight.
static uint32_t in_state(const lmb_fade_def *fade) {
    return fade->begins_in ? 0 : 1;
}

// Returns the node of a machine, or the pose of a fade's.
static uint32_t place_of(const lowering *l, uint32_t machine) {
    return machine < l->def->node_count ? machine : l->def->fades[machine - l->def->node_count].pose;
}

// Returns what owns a node: the state of its own fade if it has one.
static owner owner_of(const lowering *l, uint32_t node) {
    const uint32_t fade = l->faded[node];
    return fade == LMB_NONE ? l->around[node] : (owner){l->def->node_count + fade, in_state(&l->def->fades[fade])};
}

// Returns what owns a machine.
static owner outside_of(const lowering *l, uint32_t machine) {
    return machine < l->def->node_count ? owner_of(l, machine) : l->around[place_of(l, machine)];
}

// Returns whether a machine cannot be around another one: its node is an earlier one, or it has the pose of its fade.
static bool is_inner(const lowering *l, uint32_t machine, uint32_t other) {
    const uint32_t at = place_of(l, machine), other_at = place_of(l, other);
    return at < other_at || (at == other_at && machine < other);
}

// Returns the innermost state that is around both, or is one of them.
static owner find_common(const lowering *l, owner a, owner b) {
    while (a.machine != b.machine && a.machine != LMB_NONE && b.machine != LMB_NONE) {
        if (is_inner(l, a.machine, b.machine)) {
            a = outside_of(l, a.machine);
        } else {
            b = outside_of(l, b.machine);
        }
    }
    const bool is_same = a.machine == b.machine && (a.machine == LMB_NONE || a.state == b.state);
    return is_same                  ? a
           : a.machine == b.machine ? outside_of(l, a.machine) // two states of one machine
                                    : (owner){LMB_NONE, 0};
}

// Finds which nodes the result uses, and checks the number of machines, which bounds the states around a node.
static bool find_reached(const lowering *l) {
    const lmb_graph_def *def = l->def;
    uint32_t machines = def->fade_count;
    l->reached[def->node_count - 1] = true;
    for (uint32_t i = def->node_count; i-- > 0;) {
        for (uint32_t k = 0; k < def->nodes[i].input_count && l->reached[i]; k++) {
            l->reached[def->nodes[i].inputs[k]] = true;
        }
        machines += l->reached[i] && def->nodes[i].op == LMB_OP_MACHINE;
    }
    return lmb_check_count(l->error, "graph", "machines", machines, LMB_MAX_MACHINES);
}

// A node comes after its inputs, so that all uses of a node are known when it is its turn.
static void find_owners(const lowering *l) {
    const owner none = {LMB_NONE, 0}, unknown = {LMB_NONE, LMB_NONE};
    for (uint32_t i = l->def->node_count; i-- > 0;) {
        l->around[i] = unknown;
    }
    l->around[l->def->node_count - 1] = none;
    for (uint32_t i = l->def->node_count; i-- > 0;) {
        const lmb_node_def *node = &l->def->nodes[i];
        for (uint32_t k = 0; k < node->input_count && l->reached[i]; k++) {
            owner *around = &l->around[node->inputs[k]];
            const owner use = node->op == LMB_OP_MACHINE ? (owner){i, k} : owner_of(l, i);
            *around = around->state == LMB_NONE ? use : find_common(l, *around, use);
        }
    }
}

// Adds the machine of a node, or node_count plus a fade. Its states write no parameters yet.
static void add_machine(lowering *l, uint32_t machine, owner outside) {
    const uint32_t index = l->moving->machine_count++;
    const bool is_node = machine < l->def->node_count;
    const uint32_t states = is_node ? l->def->nodes[machine].input_count : 2;
    l->moving->machine_of[machine] = index;
    l->moving->machines[index] =
        (lmb_moving_machine){.node = is_node ? machine : LMB_NONE,
                             .fade = is_node ? LMB_NONE : machine - l->def->node_count,
                             .states = l->states + l->state_count,
                             .machine = outside.machine == LMB_NONE ? LMB_NONE : l->moving->machine_of[outside.machine],
                             .state = outside.state};
    for (uint32_t i = 0; i < states; i++) {
        l->states[l->state_count++] = (lmb_moving_state){LMB_NONE, LMB_NONE};
    }
}

// Every path from the last node to a machine passes the states around it, so they have been added.
static void add_machines(lowering *l) {
    const owner none = {LMB_NONE, 0};
    l->visits[l->visit_count++] = l->def->node_count - 1;
    while (l->visit_count > 0) {
        const uint32_t index = l->visits[--l->visit_count];
        const lmb_node_def *node = &l->def->nodes[index];
        if (l->visited[index]) {
            continue;
        }
        l->visited[index] = true;
        if (l->faded[index] != LMB_NONE) {
            add_machine(l, l->def->node_count + l->faded[index], l->around[index]);
        }
        if (node->op == LMB_OP_MACHINE) {
            add_machine(l, index, owner_of(l, index));
        }
        for (uint32_t i = node->input_count; i-- > 0;) {
            l->visits[l->visit_count++] = node->inputs[i];
        }
    }
    for (uint32_t i = 0; i < l->def->fade_count; i++) { // fades without a pose
        if (l->moving->machine_of[l->def->node_count + i] == LMB_NONE) {
            add_machine(l, l->def->node_count + i, none);
        }
    }
}

// ---- Root motion of clips of other rigs.

// Beside an index, and LMB_NONE for nodes in no retarget.
#define NOT_SEEN (LMB_NONE - 1)
#define IN_SEVERAL (LMB_NONE - 2)

static bool find_retargets(lowering *l) {
    for (uint32_t i = 0; i < l->def->node_count; i++) {
        l->retargets[i] = NOT_SEEN;
    }
    l->retargets[l->def->node_count - 1] = LMB_NONE;
    bool valid = true;
    for (uint32_t i = l->def->node_count; i-- > 0 && valid;) {
        const lmb_node_def *node = &l->def->nodes[i];
        for (uint32_t k = 0; k < node->input_count && l->reached[i]; k++) {
            uint32_t *of_input = &l->retargets[node->inputs[k]];
            const uint32_t retarget = node->op == LMB_OP_RETARGET  ? node->retarget
                                      : node->op == LMB_OP_COMBINE ? LMB_NONE
                                                                   : l->retargets[i];
            *of_input = *of_input == NOT_SEEN || *of_input == retarget ? retarget : IN_SEVERAL;
        }
        valid = l->retargets[i] != IN_SEVERAL || !lmb_node_plays(node) ||
                refuse_node(l, i, "its root motion would be that of several retargets, or also of none");
    }
    return valid;
}

// Returns a copy of a player with the root motion of its retarget: scaled and turned. NULL: there is no memory.
static const lmb_player_def *retarget_motion(lowering *l, uint32_t retarget, const lmb_player_def *from) {
    const lmb_retarget_def *def = &l->def->retargets[retarget];
    lmb_arena *memory = &l->moving->memory;
    // A track that lmb_moving_check() refuses stays as it is.
    const bool has_keys = from->motion != NULL && from->motion->keys != NULL;
    const uint32_t key_count = has_keys && from->motion->key_count <= LMB_MAX_MOTION_KEYS ? from->motion->key_count : 0;
    const float scale = lmb_retarget_root_scale(l->def->rig, def, memory->host);
    lmb_player_def *player = lmb_arena_allocate(memory, 1, sizeof *player);
    lmb_motion_track *track = lmb_arena_allocate(memory, 1, sizeof *track);
    float *keys = lmb_arena_allocate(memory, key_count, 4 * sizeof *keys);
    const float *given = key_count > 0 ? from->motion->rotations : NULL;
    float *rotations = given != NULL ? lmb_arena_allocate(memory, key_count, 4 * sizeof *rotations) : NULL;
    memory->failed = memory->failed || scale == 0.0f;
    if (memory->failed) {
        return NULL;
    }
    *player = *from;
    player->velocity *= scale;
    *track = (lmb_motion_track){key_count, keys, rotations};
    player->motion = key_count > 0 ? track : from->motion;
    for (uint32_t i = 0; i < key_count; i++) {
        const float *key = from->motion->keys + 4 * (size_t)i;
        lmb_retarget_turn(def, key, keys + 4 * (size_t)i);
        for (int k = 0; k < 3; k++) {
            keys[4 * (size_t)i + (size_t)k] *= scale;
        }
        keys[4 * (size_t)i + 3] = key[3];
        if (rotations != NULL) { // about the turned axis
            const float *rotation = given + 4 * (size_t)i;
            lmb_retarget_turn(def, rotation, rotations + 4 * (size_t)i);
            rotations[4 * (size_t)i + 3] = rotation[3];
        }
    }
    return player;
}

// Returns the factor by which a retarget scales the translation of joint 0, beside its scale of the root. If joint 0
// takes no motion, it is that of the first joint that does, which is a root of the motion.
static float find_travel(const lmb_graph_def *def, uint32_t retarget) {
    const lmb_retarget_def *from = retarget != LMB_NONE ? &def->retargets[retarget] : NULL;
    for (uint32_t joint = 0; from != NULL && from->scales != NULL && joint < lmb_rig_get_def(def->rig)->joint_count;
         joint++) {
        if (from->joints[joint] != LMB_NONE) {
            return from->scales[joint];
        }
    }
    return 1.0f;
}

// ---- Players.

static void add_player(lowering *l, uint32_t index) {
    const lmb_node_def *node = &l->def->nodes[index];
    const owner own = owner_of(l, index);
    const uint32_t machine = own.machine != LMB_NONE ? l->moving->machine_of[own.machine] : LMB_NONE;
    const lmb_player_def *def =
        l->retargets[index] == LMB_NONE ? node->player : retarget_motion(l, l->retargets[index], node->player);
    const uint32_t player = l->moving->player_count++;
    l->moving->player_of[index] = player;
    l->moving->players[player] =
        (lmb_moving_player){.node = index,
                            .def = def,
                            .duration = lmb_graph_clip_duration(l->def, (uint32_t)node->clip.constant),
                            .time_parameter = l->moving->first_parameters[index],
                            .weight_parameter = LMB_NONE,
                            .travel = find_travel(l->def, l->retargets[index]),
                            .machine = machine,
                            .state = own.state};
    lmb_moving_state *state = machine != LMB_NONE ? &l->moving->machines[machine].states[own.state] : NULL;
    if (state != NULL && state->end_player == LMB_NONE) {
        state->end_player = player;
    }
}

// ---- Machines.

// Assigns the parameter of a state's weight to the state, except if the state's pose is a clip of its own that drops
// out: then to its player.
static void weigh_state(const lowering *l, const lmb_moving_machine *machine, uint32_t index, uint32_t pose,
                        uint32_t parameter) {
    lmb_moving_state *state = &machine->states[index];
    if (pose != LMB_NONE && l->def->nodes[pose].op == LMB_OP_MAKE_ADDITIVE) {
        pose = l->def->nodes[pose].inputs[0]; // an additive clip
    }
    const uint32_t player = pose != LMB_NONE ? l->moving->player_of[pose] : LMB_NONE;
    const lmb_moving_player *plays = player != LMB_NONE ? &l->moving->players[player] : NULL;
    const bool is_own =
        plays != NULL && plays->machine == (uint32_t)(machine - l->moving->machines) && plays->state == index;
    if (is_own && lmb_player_last_end(plays->def) == LMB_END_ONCE) {
        l->moving->players[player].weight_parameter = parameter;
    } else {
        state->weight_parameter = parameter;
    }
}

static void fill_machine(const lowering *l, lmb_moving_machine *machine) {
    const lmb_node_def *node = &l->def->nodes[machine->node];
    const uint32_t first = l->moving->first_parameters[machine->node];
    machine->def = *node->machine;
    machine->profile_parameter = first + machine->def.state_count;
    for (uint32_t i = 0; i < machine->def.state_count; i++) {
        weigh_state(l, machine, i, node->inputs[i], first + i);
    }
}

// Writes the transitions in the order in which one of several is taken.
static uint32_t write_transitions(const lmb_fade_def *fade, lmb_transition_def *transitions) {
    const uint32_t in = in_state(fade), out = 1 - in;
    uint32_t count = 0;
    lmb_transition_def def = lmb_default_transition_def();
    def.curve = fade->curve;
    memcpy(def.curve_control, fade->curve_control, sizeof def.curve_control);
    def.fade = fade->in_seconds;
    def.from = out;
    def.to = in;
    def.event = fade->in_event;
    transitions[count++] = def;
    if (fade->restart) {
        def.from = in;
        transitions[count++] = def;
    }
    def.fade = fade->out_seconds;
    def.from = in;
    def.to = out;
    def.event = fade->out_event;
    if (def.event != LMB_NONE) {
        transitions[count++] = def;
    }
    def.event = LMB_NONE;
    def.at_end = true;
    if (fade->at_end) {
        transitions[count++] = def;
    }
    def.at_end = false;
    def.after = fade->after;
    if (def.after >= 0.0f) {
        transitions[count++] = def;
    }
    return count;
}

static void fill_fade(const lowering *l, lmb_moving_machine *machine) {
    const lmb_fade_def *fade = &l->def->fades[machine->fade];
    const uint32_t in = in_state(fade);
    fade_machine *made = &l->fades[machine->fade];
    made->states[0] = made->states[1] = lmb_default_state_def();
    made->states[in].name = "in";
    made->states[1 - in].name = "out";
    made->states[in].restart = fade->restart;
    machine->def = (lmb_machine_def){.name = fade->name,
                                     .states = made->states,
                                     .state_count = 2,
                                     .transitions = made->transitions,
                                     .transition_count = write_transitions(fade, made->transitions)};
    weigh_state(l, machine, in, fade->pose, fade->parameter);
}

static bool fill_machines(const lowering *l) {
    bool valid = true;
    for (uint32_t i = 0; i < l->moving->machine_count && valid; i++) {
        lmb_moving_machine *machine = &l->moving->machines[i];
        if (machine->node != LMB_NONE) {
            fill_machine(l, machine);
            continue;
        }
        fill_fade(l, machine);
        const lmb_fade_def *fade = &l->def->fades[machine->fade];
        valid = !fade->at_end || machine->states[in_state(fade)].end_player != LMB_NONE ||
                refuse_fade(l, machine->fade, "at_end: no clip plays in its pose");
    }
    return valid;
}

// ---- Motion matching.

// Opens the databases of machines, which checks them.
static bool open_databases(const lowering *l) {
    for (uint32_t i = 0; i < l->moving->machine_count; i++) {
        lmb_moving_machine *machine = &l->moving->machines[i];
        const lmb_matching_def *matching = machine->def.matching;
        lmb_error why;
        if (matching != NULL &&
            lmb_motion_database_open(matching->database, (size_t)matching->database_words * sizeof(uint32_t),
                                     &l->moving->host, &machine->database, &why) != LMB_OK) {
            return lmb_refuse(l->error, why.result == LMB_ERROR_MEMORY ? why.result : LMB_ERROR_ARGUMENT,
                              "graph: node %u (machine): matching: %s", (unsigned)machine->node, why.message);
        }
    }
    return true;
}

// ---- Inertialization.

// Returns whether a transition of a machine is of the kind #LMB_FADE_INERTIALIZED, or a jump is inertialized.
static bool has_inertialized(const lmb_machine_def *machine) {
    if (machine->matching != NULL && machine->matching->fade > 0.0f) {
        return true;
    }
    for (uint32_t i = 0; i < machine->transition_count; i++) {
        if (machine->transitions[i].kind == LMB_FADE_INERTIALIZED) {
            return true;
        }
    }
    return false;
}

// Adds the parameters of inertialization, if a machine needs it.
static bool number_inertia(lowering *l) {
    const lmb_graph_def *def = l->def;
    lmb_graph_def *poses = &l->moving->poses;
    const bool can = !def->inertialize && def->nodes[def->node_count - 1].op != LMB_OP_WEIGHTED_MATRIX;
    bool says_so = false, needs = false;
    for (uint32_t i = 0; i < l->moving->machine_count; i++) {
        says_so = says_so || has_inertialized(&l->moving->machines[i].def);
        needs = needs || (can && lmb_moving_restarts_seen(l->moving, &l->moving->machines[i]));
    }
    if (says_so && def->inertialize) {
        return lmb_refuse(l->error, LMB_ERROR_ARGUMENT,
                          "graph: inertialize: a machine does it already, by a transition that is inertialized");
    }
    if (says_so || needs) {
        poses->inertialize = true;
        poses->inertia_parameters = l->moving->inertia_parameters = poses->parameter_count;
        poses->parameter_count += LMB_INERTIA_PARAMETERS;
    }
    return poses->parameter_count <= LMB_MAX_PARAMETERS ||
           lmb_refuse(l->error, LMB_ERROR_LIMIT,
                      "graph: %u parameters, those of clips and states among them, and at most %u are possible",
                      (unsigned)poses->parameter_count, LMB_MAX_PARAMETERS);
}

// ---- Nodes.

static void write_nodes(lowering *l) {
    memcpy(l->nodes, l->def->nodes, l->def->node_count * sizeof *l->nodes);
    for (uint32_t i = 0; i < l->def->node_count; i++) {
        lmb_node_def *node = &l->nodes[i];
        if (lmb_node_plays(node)) {
            node->time = lmb_parameter(l->moving->first_parameters[i]);
            node->rate = lmb_constant(1.0f);
            node->offset = lmb_constant(0.0f);
            node->loop = false;
        }
        if (node->op == LMB_OP_MACHINE) {
            node->weights[0] = lmb_parameter(l->moving->first_parameters[i]); // the others follow: count_weights()
        }
    }
    l->moving->poses.nodes = l->nodes;
}

static bool lower(lowering *l, lmb_arena *scratch) {
    if (!check_lists(l) || !check_nodes(l) || !allocate_all(l, scratch) || !find_reached(l)) {
        return false;
    }
    find_owners(l);
    add_machines(l);
    if (!find_retargets(l)) {
        return false;
    }
    number_parameters(l);
    for (uint32_t i = 0; i < l->def->node_count; i++) {
        if (lmb_node_plays(&l->def->nodes[i]) && l->reached[i]) {
            add_player(l, i);
        }
    }
    if (l->moving->memory.failed) {
        return lmb_refuse(l->error, LMB_ERROR_MEMORY, "graph: no memory for the root motion of retargeted clips");
    }
    if (!fill_machines(l) || !open_databases(l) || !number_inertia(l)) {
        return false;
    }
    write_nodes(l);
    return true;
}

lmb_result lmb_moving_create(const lmb_graph_def *def, const lmb_host *host, lmb_moving *moving, lmb_error *error) {
    *moving = (lmb_moving){.host = lmb_host_resolve(host),
                           .def = def,
                           .max_emitted_events = def->max_emitted_events > 0 ? def->max_emitted_events : 8,
                           .update_every = def->update_every != NULL ? *def->update_every : lmb_constant(1.0f),
                           .inertia_parameters = LMB_NONE};
    moving->memory.host = &moving->host;
    lmb_error unread;
    lowering l = {.moving = moving, .def = def, .error = error != NULL ? error : &unread};
    lmb_arena scratch = {.host = &moving->host};
    const bool valid = lower(&l, &scratch);
    lmb_arena_release(&scratch);
    if (!valid) {
        lmb_moving_release(moving);
    }
    return valid ? LMB_OK : l.error->result;
}
