#include "control_scenario.h"

#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

const uint64_t control_scenario_golden = BITS_OF_CONTROL;
const uint64_t motion_scenario_golden = BITS_OF_MOTION;
const uint64_t motion_scenario_long_golden = UINT64_C(0xa877ddf596ca8255);

// The host's parameters, then the parameters that the control writes.
enum {
    SPEED,
    TURN,
    MOOD,
    EVERY,
    FOLLOWED,
    FOLLOWED_AGAIN,
    TIMES,
    WEIGHTS = TIMES + 9,
    STATES = WEIGHTS + 3,
    VELOCITY = STATES + 7,
    OWN_VELOCITY
};

static uint32_t mix(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t h = a * 0x9e3779b1u ^ b * 0x85ebca77u ^ c * 0xc2b2ae3du;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return h ^ h >> 15;
}

static const lmb_notify_def steps[] = {{0.0f, 6}, {0.25f, 7}, {0.75f, 8}};
static const float walk_markers[] = {0.125f, 0.5f}, run_markers[] = {0.25f, 0.375f};

static void make_players(control_player_def players[9]) {
    for (uint32_t i = 0; i < 9; i++) {
        players[i] = default_control_player_def();
        players[i].duration = 0.75f + 0.125f * (float)i;
        players[i].time_parameter = TIMES + i;
        players[i].machine = i < 6 ? 0 : LMB_NONE;
        players[i].state = i % 4;
        players[i].notifies = steps;
        players[i].notify_count = i % 3 + 1;
        players[i].looped_event = i % 2 ? 9 : LMB_NONE;
    }
    players[1].end = LMB_END_HOLD;
    players[1].ended_event = 10;
    players[2].end = LMB_END_ONCE;
    players[2].weight_parameter = WEIGHTS;
    players[3].end = LMB_END_PING_PONG;
    players[3].rate = lmb_parameter(FOLLOWED);
    players[4].rate = lmb_parameter(TURN);
    players[5].machine = 1;
    players[5].state = 1;
    players[5].weight_parameter = WEIGHTS + 1;
    players[6].markers = walk_markers;
    players[6].marker_count = 2;
    players[6].velocity = 1.5f;
    players[7].markers = run_markers;
    players[7].marker_count = 2;
    players[7].velocity = 4.0f;
    players[8].offset = 0.5f;
    players[8].rate = lmb_constant(-0.7f);
}

static void make_machines(control_machine_def machines[3], control_state_def states[9],
                          lmb_transition_def transitions[12]) {
    static const lmb_term excited[] = {
        {.kind = LMB_TERM_GREATER, .left = {LMB_VALUE_PARAMETER, .parameter = MOOD}, .right = {.constant = 0.75f}},
        {.kind = LMB_TERM_LESS_EQUAL,
         .left = {LMB_VALUE_PARAMETER, .parameter = FOLLOWED},
         .right = {.constant = 1.0f}},
        {.kind = LMB_TERM_OR}};
    static const struct {
        uint32_t machine, from, to, event;
        float after;
        uint32_t terms;
        bool at_end;
    } rows[12] = {
        {0, 0, 1, 0, -1.0f, 0, false},        {0, 1, 2, LMB_NONE, -1.0f, 0, true}, {0, 2, 0, LMB_NONE, 0.5f, 0, false},
        {0, LMB_NONE, 3, 1, -1.0f, 3, false}, {0, 3, 0, 2, -1.0f, 0, false},       {0, 2, 1, 3, 0.25f, 0, false},
        {1, 0, 1, 4, -1.0f, 0, false},        {1, 1, 2, LMB_NONE, 0.3f, 3, false}, {1, LMB_NONE, 0, 5, -1.0f, 0, false},
        {2, 0, 1, LMB_NONE, 0.2f, 0, false},  {2, 1, 0, 4, -1.0f, 0, false},       {2, 1, 0, LMB_NONE, 0.9f, 0, false}};
    static const uint32_t first[] = {0, 4, 7, 9}, first_row[] = {0, 6, 9, 12};
    for (uint32_t i = 0; i < 9; i++) {
        states[i] = default_control_state_def();
        states[i].weight_parameter = i < 7 ? STATES + i : LMB_NONE;
        states[i].end_player = i < 4 ? i : LMB_NONE;
        states[i].entry_event = i == 1 ? 11 : LMB_NONE;
        states[i].exit_event = i == 5 ? 11 : LMB_NONE;
        states[i].restart = i == 3;
    }
    for (uint32_t i = 0; i < 12; i++) {
        transitions[i] = lmb_default_transition_def();
        transitions[i].from = rows[i].from;
        transitions[i].to = rows[i].to;
        transitions[i].event = rows[i].event;
        transitions[i].after = rows[i].after;
        transitions[i].at_end = rows[i].at_end;
        transitions[i].terms = excited;
        transitions[i].term_count = rows[i].terms;
        transitions[i].priority = (int32_t)(i % 3);
        transitions[i].fade = 0.07f * (float)(i % 5);
        transitions[i].curve = i % 4 == 0   ? LMB_CURVE_SINE_IN_OUT
                               : i % 4 == 1 ? LMB_CURVE_LINEAR
                                            : LMB_CURVE_SMOOTHSTEP;
        transitions[i].kind = i % 3 == 1 ? LMB_FADE_FROZEN : LMB_FADE_SMOOTH;
    }
    for (uint32_t i = 0; i < 3; i++) {
        machines[i] = (control_machine_def){.states = states + first[i],
                                            .state_count = first[i + 1] - first[i],
                                            .transitions = transitions + first_row[i],
                                            .transition_count = first_row[i + 1] - first_row[i],
                                            .machine = i == 0 ? LMB_NONE : i - 1,
                                            .state = 1};
    }
}

// A winding path, a spin, and a short jump.
static const float winding[] = {0.0f, 0.0f, 0.0f, 0.0f,  0.1f, 0.05f, 0.4f, 0.3f, 0.3f, 0.0f,
                                0.7f, 0.5f, 0.2f, 0.05f, 1.1f, 0.1f,  0.4f, 0.0f, 1.4f, -0.2f};
static const float spin[] = {3.0f, 1.0f, -2.0f, 1.0f, 3.0f, 1.0f, -2.0f, 14.0f};
static const float jump[] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.8f, 0.3f, 0.0f, 0.0f, 0.0f, 0.6f, 0.0f};
static const lmb_motion_track ways[] = {{5, winding, NULL}, {2, spin, NULL}, {3, jump, NULL}};

static void add_motion(control_player_def players[9], lmb_motion_def *character_motion) {
    for (uint32_t i = 0; i < 6; i++) {
        players[i].motion = &ways[i % 3];
    }
    players[8].velocity = 2.5f;
    *character_motion = lmb_default_motion_def();
    character_motion->velocity[0] = lmb_parameter(TURN);
    character_motion->velocity[2] = lmb_parameter(FOLLOWED);
    character_motion->turns_to_heading = true;
    character_motion->heading = lmb_parameter(TURN);
    character_motion->acceleration = 3.0f;
    character_motion->deceleration = 5.5f;
    character_motion->turn_rate = 2.5f;
    character_motion->velocity_half_life = 0.2f;
    character_motion->velocity_parameters[0] = OWN_VELOCITY;
    character_motion->velocity_parameters[2] = OWN_VELOCITY + 1;
}

// ---- The program: a joint that moves on a line with a player's time, blended by parameters and states. ----

typedef enum scenario_kind { PLAIN, MOVES, STRETCHED, INTERPOLATED } scenario_kind;

// Nodes: the players' clips, then the following nodes.
enum { STILL = 9, STANDS, WITHIN, BODY, STRIDES, LEGS, LEAN, ADDED, LAST, NODES };

static lmb_node_def node_of(lmb_op op, uint32_t first, uint32_t second, lmb_value weight) {
    lmb_node_def node = lmb_default_node_def();
    node.op = op;
    node.mask = op == LMB_OP_MASKED ? 0 : LMB_NONE;
    node.inputs[0] = first;
    node.inputs[1] = second;
    node.input_count = 2;
    node.weight = weight;
    return node;
}

static lmb_node_def sum_of(const uint32_t *inputs, const uint32_t *weights, uint32_t count) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_WEIGHTED;
    node.input_count = count;
    for (uint32_t i = 0; i < count; i++) {
        node.inputs[i] = inputs[i];
        node.weights[i] = lmb_parameter(weights[i]);
    }
    return node;
}

// A space over a line, or over a plane.
static lmb_node_def make_strides(bool is_plane) {
    static const float positions[][2] = {{0.25f, -1.0f}, {1.25f, 0.5f}, {0.75f, 2.0f}};
    lmb_node_def node = lmb_default_node_def();
    node.op = is_plane ? LMB_OP_SPACE2D : LMB_OP_SPACE1D;
    node.input_count = is_plane ? 3 : 2;
    for (uint32_t i = 0; i < node.input_count; i++) {
        node.inputs[i] = 6 + i;
        memcpy(node.positions[i], positions[i], sizeof positions[i]);
    }
    node.coordinates[0] = lmb_parameter(FOLLOWED);
    node.coordinates[1] = lmb_parameter(TURN);
    return node;
}

// States 0 to 3 of the outer machine; the second one contains the inner machine. Over them, masked strides, and an
// added clip that also plays elsewhere.
static void make_nodes(scenario_kind kind, lmb_node_def nodes[NODES]) {
    for (uint32_t i = 0; i < STILL; i++) {
        nodes[i] = lmb_default_node_def();
        nodes[i].op = LMB_OP_CLIP;
        nodes[i].time = lmb_parameter(TIMES + i);
        nodes[i].clip = lmb_constant((float)(i % 2));
    }
    nodes[STILL] = lmb_default_node_def();
    nodes[STANDS] = node_of(LMB_OP_BLEND, 0, 4, lmb_parameter(MOOD));
    nodes[STANDS].weight.curve = LMB_CURVE_SMOOTHSTEP;
    nodes[WITHIN] = sum_of((const uint32_t[]){1, 5, STILL}, (const uint32_t[]){STATES + 4, STATES + 5, STATES + 6}, 3);
    nodes[BODY] = sum_of((const uint32_t[]){STANDS, WITHIN, 2, 3},
                         (const uint32_t[]){STATES, STATES + 1, WEIGHTS, STATES + 3}, 4);
    nodes[STRIDES] = make_strides(kind == STRETCHED);
    nodes[LEGS] = node_of(LMB_OP_MASKED, BODY, STRIDES, lmb_parameter(FOLLOWED_AGAIN));
    nodes[LEAN] = node_of(LMB_OP_MAKE_ADDITIVE, 8, STILL, lmb_constant(1.0f));
    nodes[ADDED] = node_of(LMB_OP_ADDITIVE, LEGS, LEAN, lmb_parameter(MOOD));
    nodes[ADDED].mask = 1;
    nodes[LAST] = node_of(LMB_OP_PARTIAL, ADDED, 0, lmb_constant(0.125f));
    nodes[LAST].inputs[1] = kind == STRETCHED ? 6 : 0;
}

static lmb_result create_program(control_scenario *scenario, scenario_kind kind, lmb_error *error) {
    static const float times[] = {0.0f, 2.0f}, values[] = {0.0f, 0.0f, 0.0f, 1.0f, -2.0f, 4.0f};
    static const uint8_t first_mask[] = {96}, second_mask[] = {200}, weights[] = {128};
    static const uint8_t *const masks[] = {first_mask, second_mask};
    lmb_joint_def joint = lmb_default_joint_def();
    const lmb_rig_def rig_def = {.joints = &joint, .joint_count = 1};
    const lmb_track_def track = {
        .joint = 0, .property = LMB_PROPERTY_TRANSLATION, .times = times, .values = values, .key_count = 2};
    lmb_rig *rig = NULL;
    lmb_clip *clips[2] = {NULL, NULL};
    lmb_result result = lmb_rig_create(&rig_def, NULL, &rig, error);
    for (uint32_t i = 0; i < 2 && result == LMB_OK; i++) {
        const lmb_clip_def def = {.name = "line",
                                  .duration = 2.0f,
                                  .tracks = &track,
                                  .track_count = 1,
                                  .joint_weights = i == 0 ? weights : NULL};
        result = lmb_clip_create(rig, &def, NULL, &clips[i], error);
    }
    if (result == LMB_OK) {
        lmb_node_def nodes[NODES];
        make_nodes(kind, nodes);
        const lmb_graph_def def = {.rig = rig,
                                   .clips = (const lmb_clip *const *)clips,
                                   .clip_count = 2,
                                   .masks = masks,
                                   .mask_count = 2,
                                   .nodes = nodes,
                                   .node_count = NODES,
                                   .parameter_count = CONTROL_SCENARIO_PARAMETERS};
        result = lmb_graph_create(&def, NULL, &scenario->program, error);
    }
    lmb_clip_destroy(clips[0]);
    lmb_clip_destroy(clips[1]);
    lmb_rig_destroy(rig);
    return result;
}

// Two groups: strides, matched by velocity, and standing clips, matched by duration.
static const uint32_t strides[] = {6, 7}, stands[] = {0, 4};

static void make_groups(control_group_def groups[2]) {
    groups[0] = (control_group_def){
        .players = strides, .player_count = 2, .rate = lmb_parameter(SPEED), .velocity_parameter = VELOCITY};
    groups[1] = (control_group_def){.players = stands,
                                    .player_count = 2,
                                    .cadence = LMB_CADENCE_DURATION,
                                    .rate = lmb_parameter(FOLLOWED),
                                    .velocity_parameter = LMB_NONE};
}

// The strides' positions are in two states of nested machines, and one clip runs backwards.
static void stretch(control_player_def players[9], control_group_def groups[2]) {
    players[6].machine = 0;
    players[6].state = 2;
    players[7].machine = 1;
    players[7].state = 2;
    players[7].velocity = -4.0f;
    groups[0].cadence = LMB_CADENCE_VELOCITY;
}

static lmb_result create(control_scenario *scenario, uint32_t character_count, scenario_kind kind, lmb_error *error) {
    const bool moves = kind != PLAIN;
    control_player_def players[9];
    control_machine_def machines[3];
    control_state_def states[9];
    lmb_transition_def transitions[12];
    control_group_def groups[2];
    make_players(players);
    make_machines(machines, states, transitions);
    make_groups(groups);
    lmb_motion_def motion;
    if (moves) {
        add_motion(players, &motion);
    }
    if (kind == STRETCHED) {
        stretch(players, groups);
    }
    const lmb_smoothed_def smoothed[] = {lmb_smoothed_parameter(lmb_parameter(SPEED), 0.25f, FOLLOWED),
                                         lmb_smoothed_parameter(lmb_parameter(FOLLOWED), 1.0f, FOLLOWED_AGAIN)};
    control_def def = default_control_def();
    def.parameter_count = CONTROL_SCENARIO_PARAMETERS;
    def.event_count = CONTROL_SCENARIO_EVENTS;
    def.smoothed = smoothed;
    def.smoothed_count = 2;
    def.players = players;
    def.player_count = 9;
    def.groups = groups;
    def.group_count = moves ? 2 : 1;
    def.machines = machines;
    def.machine_count = 3;
    def.update_every = lmb_parameter(EVERY);
    def.interpolate_updates = kind == INTERPOLATED;
    def.motion = moves ? &motion : NULL;
    *scenario = (control_scenario){.character_count = character_count};
    lmb_result result = create_program(scenario, kind, error);
    if (result == LMB_OK) {
        result = control_create(&def, moves ? scenario->program : NULL, NULL, &scenario->control, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    scenario->parameters = calloc((size_t)character_count * CONTROL_SCENARIO_PARAMETERS, sizeof(float));
    scenario->state =
        calloc((size_t)character_count * lmb_graph_get_info(scenario->control)->state_words, sizeof(uint32_t));
    scenario->emitted =
        calloc((size_t)character_count * lmb_graph_get_info(scenario->control)->emitted_words, sizeof(uint32_t));
    scenario->motions = calloc((size_t)character_count * LMB_MOTION_FLOATS, sizeof(float));
    scenario->events = calloc((size_t)character_count, sizeof(lmb_event));
    return scenario->parameters != NULL && scenario->state != NULL && scenario->emitted != NULL &&
                   scenario->motions != NULL && scenario->events != NULL
               ? LMB_OK
               : LMB_ERROR_MEMORY;
}

lmb_result control_scenario_create(control_scenario *scenario, uint32_t character_count, lmb_error *error) {
    return create(scenario, character_count, PLAIN, error);
}

lmb_result motion_scenario_create(control_scenario *scenario, uint32_t character_count, lmb_error *error) {
    return create(scenario, character_count, MOVES, error);
}

lmb_result stretched_scenario_create(control_scenario *scenario, uint32_t character_count, lmb_error *error) {
    return create(scenario, character_count, STRETCHED, error);
}

lmb_result interpolated_scenario_create(control_scenario *scenario, uint32_t character_count, lmb_error *error) {
    return create(scenario, character_count, INTERPOLATED, error);
}

void control_scenario_destroy(control_scenario *scenario) {
    lmb_graph_destroy(scenario->control);
    lmb_graph_destroy(scenario->program);
    free(scenario->parameters);
    free(scenario->state);
    free(scenario->emitted);
    free(scenario->motions);
    free(scenario->events);
}

void control_scenario_begin_frame(control_scenario *scenario, uint32_t frame) {
    static const uint64_t rates[] = {60, 60, 60, 144, 30, 7};
    scenario->step = LMB_TICKS_PER_SECOND / rates[mix(frame, 1, 2) % 6];
    scenario->event_count = 0;
    for (uint32_t i = 0; i < scenario->character_count; i++) {
        uint32_t bits = mix(frame, i, 3);
        float *row = scenario->parameters + (size_t)i * CONTROL_SCENARIO_PARAMETERS;
        memset(row, 0, CONTROL_SCENARIO_PARAMETERS * sizeof *row);
        row[SPEED] = (float)(mix(frame / 20, i, 4) >> 24) * 0.0078125f;
        row[TURN] = (float)(mix(frame / 50, i, 5) >> 24) * 0.03125f - 4.0f;
        row[MOOD] = (float)(mix(frame / 10, i, 6) >> 24) * 0.00390625f;
        row[EVERY] = i % 5 == 0 ? 4.0f : 1.0f;
        if (bits % 8 == 0) {
            uint32_t event = bits >> 8;
            event = event % 997 == 0 ? LMB_EVENT_RESET : event % 6;
            scenario->events[scenario->event_count++] = (lmb_event){i, event};
        }
    }
}

lmb_result control_scenario_run(control_scenario *scenario, uint32_t frame, lmb_error *error) {
    const lmb_control_frame run = {.step = scenario->step,
                                   .number = frame,
                                   .character_count = scenario->character_count,
                                   .state = scenario->state,
                                   .parameters = scenario->parameters,
                                   .events = scenario->events,
                                   .event_count = scenario->event_count,
                                   .emitted = scenario->emitted,
                                   .motions = scenario->motions};
    return lmb_control_run(scenario->control, &run, 0, scenario->character_count, error);
}

static uint64_t hash_floats(const float *numbers, size_t count, uint64_t hash) {
    uint32_t *bits = malloc(count * sizeof *bits);
    if (bits == NULL) {
        return 0;
    }
    memcpy(bits, numbers, count * sizeof *bits);
    hash = hash * 31 + lmb_hash_words(bits, count);
    free(bits);
    return hash;
}

uint64_t control_scenario_hash(const control_scenario *scenario) {
    size_t characters = scenario->character_count;
    uint64_t hash = lmb_hash_words(scenario->state, characters * lmb_graph_get_info(scenario->control)->state_words);
    hash = hash_floats(scenario->parameters, characters * CONTROL_SCENARIO_PARAMETERS, hash);
    if (lmb_graph_get_info(scenario->control)->has_motion) {
        hash = hash_floats(scenario->motions, characters * LMB_MOTION_FLOATS, hash);
    }
    return hash * 31 +
           lmb_hash_words(scenario->emitted, characters * lmb_graph_get_info(scenario->control)->emitted_words);
}
