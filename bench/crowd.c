// The graph of the crowd, and the speeds and events that the host provides.
#include "crowd.h"

#include "random.h"

enum {
    SPEED,       // desired speed: 0 stands, 1 runs; set by the host
    PLACE,       // position in the blend space: the smoothed speed
    WAVE_WEIGHT, // computed by a fade
    PARAMETERS
};
_Static_assert((int)PARAMETERS == (int)CROWD_PARAMETERS, "as many as are named");

enum {
    IDLE,
    WALK,
    JOG,
    RUN,
    JUMP,
    WAVE,
    PLAYERS,
    GAITS = PLAYERS,
    BODY,
    ALL,
    NODES
};                                                   // nodes; the first ones are
                                                     // clips that play
enum { IDLES, MOVES, JUMPS, STATES };                // states of the body's machine
enum { EVENT_JUMP, EVENT_WAVE, EVENT_STEP, EVENTS }; // sent, sent, emitted
enum { TRANSITIONS = 5 };
enum {
    UNITS_A_SECOND = 120,
    WARM_UNITS = 15,
    UNITS = 2
};                                             // units of the host's own time: per second, per warm-up
                                               // frame, per frame
enum { SPEED_UNITS = 180, EVENT_UNITS = 240 }; // between changes of the speed, between events

static const uint32_t player_clips[PLAYERS] = {3, 0, 1, 2, 3, 3};

static uint32_t hash(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t state = a * 0x9e3779b1u ^ b * 0x85ebca77u ^ c * 0xc2b2ae3du;
    random_next(&state);
    state ^= state >> 15;
    return random_next(&state);
}

// Returns the host's time at the beginning of a frame.
static uint32_t units_at(uint32_t frame) {
    return frame < CROWD_WARM_FRAMES ? frame * WARM_UNITS
                                     : CROWD_WARM_FRAMES * WARM_UNITS + (frame - CROWD_WARM_FRAMES) * UNITS;
}

uint64_t crowd_step(uint32_t frame) {
    return LMB_TICKS_PER_SECOND / UNITS_A_SECOND * (units_at(frame + 1) - units_at(frame));
}

void crowd_fill(const lmb_graph *graph, uint32_t characters, uint32_t frame, float *parameters) {
    const size_t stride = lmb_graph_get_info(graph)->parameter_count;
    for (uint32_t i = 0; i < characters; i++) {
        float *row = parameters + i * stride;
        uint32_t change = (units_at(frame) + hash(i, 0, 1) % SPEED_UNITS) / SPEED_UNITS;
        float speed = (float)(hash(i, change, 2) % 1024) / 768.0f - 1.0f / 3.0f; // a quarter of the characters stand
        row[SPEED] = speed > 0.0f ? speed : 0.0f;
    }
}

uint32_t crowd_list_events(uint32_t characters, uint32_t frame, lmb_event *events) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < characters; i++) {
        uint32_t offset = hash(i, 0, 3) % EVENT_UNITS;
        uint32_t number = (units_at(frame + 1) + offset) / EVENT_UNITS;
        if (number != (units_at(frame) + offset) / EVENT_UNITS) {
            events[count++] = (lmb_event){i, hash(i, number, 4) % 2 == 0 ? EVENT_JUMP : EVENT_WAVE};
        }
    }
    return count;
}

static void make_players(const actor *actor, lmb_player_def players[PLAYERS], float markers[3][2],
                         lmb_notify_def steps[3][2]) {
    for (uint32_t i = 0; i < PLAYERS; i++) {
        players[i] = lmb_default_player_def();
        players[i].end = i == JUMP ? LMB_END_HOLD : LMB_END_LOOP;
        players[i].rate = lmb_constant(i == JUMP || i == WAVE ? 2.0f : 1.0f);
    }
    for (uint32_t gait = 0; gait < 3; gait++) { // a foot touches the ground at each marker
        lmb_player_def *player = &players[WALK + gait];
        for (uint32_t foot = 0; foot < 2; foot++) {
            markers[gait][foot] = lmb_clip_get_info(actor->clips[gait])->duration * (0.1f + 0.5f * (float)foot);
            steps[gait][foot] = (lmb_notify_def){markers[gait][foot], EVENT_STEP};
        }
        player->group = 0;
        player->markers = markers[gait];
        player->marker_count = 2;
        player->notifies = steps[gait];
        player->notify_count = 2;
        player->velocity = 1.5f + 1.5f * (float)gait;
    }
}

static lmb_transition_def make_transition(uint32_t from, uint32_t to, const lmb_term *term) {
    lmb_transition_def transition = lmb_default_transition_def();
    transition.from = from;
    transition.to = to;
    transition.terms = term;
    transition.term_count = term != NULL;
    return transition;
}

static void make_transitions(lmb_transition_def body[TRANSITIONS], lmb_term terms[2]) {
    terms[0] = (lmb_term){.kind = LMB_TERM_GREATER, .left = lmb_parameter(PLACE), .right = lmb_constant(0.05f)};
    terms[1] = (lmb_term){.kind = LMB_TERM_LESS_EQUAL, .left = lmb_parameter(PLACE), .right = lmb_constant(0.02f)};
    body[0] = make_transition(IDLES, MOVES, &terms[0]);
    body[1] = make_transition(MOVES, IDLES, &terms[1]);
    body[2] = make_transition(LMB_NONE, JUMPS, NULL);
    body[2].event = EVENT_JUMP;
    body[2].after = body[2].fade; // so the jump is not seen when it begins anew, and nothing is inertialized
    body[3] = make_transition(JUMPS, MOVES, &terms[0]);
    body[3].at_end = true;
    body[4] = make_transition(JUMPS, IDLES, NULL);
    body[4].at_end = true;
}

static void make_nodes(const lmb_player_def *players, const lmb_machine_def *machine, lmb_node_def nodes[NODES]) {
    for (uint32_t i = 0; i < PLAYERS; i++) {
        nodes[i] = lmb_playing_node(player_clips[i], &players[i]);
    }
    nodes[GAITS] = lmb_default_node_def();
    nodes[GAITS].op = LMB_OP_SPACE1D;
    nodes[GAITS].input_count = 3;
    nodes[GAITS].coordinates[0] = lmb_parameter(PLACE);
    for (uint32_t gait = 0; gait < 3; gait++) {
        nodes[GAITS].inputs[gait] = WALK + gait;
        nodes[GAITS].positions[gait][0] = 0.5f * (float)gait;
    }
    static const uint32_t poses[STATES] = {[IDLES] = IDLE, [MOVES] = GAITS, [JUMPS] = JUMP};
    nodes[BODY] = lmb_machine_node(poses, machine);
    nodes[ALL] = lmb_masked_node(BODY, WAVE, 0, lmb_parameter(WAVE_WEIGHT));
}

lmb_result crowd_create_graph(const actor *actor, lmb_graph **graph, lmb_error *error) {
    lmb_player_def players[PLAYERS];
    float markers[3][2];
    lmb_notify_def steps[3][2];
    lmb_transition_def transitions[TRANSITIONS];
    lmb_term terms[2];
    lmb_node_def nodes[NODES];
    make_players(actor, players, markers, steps);
    make_transitions(transitions, terms);
    const lmb_state_def state = lmb_default_state_def();
    const lmb_state_def states[STATES] = {state, state, state};
    const lmb_machine_def machine = {
        .states = states, .state_count = STATES, .transitions = transitions, .transition_count = TRANSITIONS};
    make_nodes(players, &machine, nodes);
    const lmb_group_def gaits = lmb_default_group_def();
    const lmb_smoothed_def smoothed = lmb_smoothed_parameter(lmb_parameter(SPEED), 0.1f, PLACE);
    lmb_fade_def wave = lmb_default_fade_def();
    wave.parameter = WAVE_WEIGHT;
    wave.pose = WAVE;
    wave.in_event = EVENT_WAVE;
    wave.after = 0.5f * lmb_clip_get_info(actor->clips[player_clips[WAVE]])->duration;
    const lmb_clip *clips[ACTOR_CLIPS];
    const uint8_t *mask = actor->upper_body;
    for (int i = 0; i < ACTOR_CLIPS; i++) {
        clips[i] = actor->clips[i];
    }
    const lmb_graph_def def = {.rig = actor->rig,
                               .clips = clips,
                               .clip_count = ACTOR_CLIPS,
                               .masks = &mask,
                               .mask_count = 1,
                               .nodes = nodes,
                               .node_count = NODES,
                               .parameter_count = PARAMETERS,
                               .event_count = EVENTS,
                               .smoothed = &smoothed,
                               .smoothed_count = 1,
                               .groups = &gaits,
                               .group_count = 1,
                               .fades = &wave,
                               .fade_count = 1};
    return lmb_graph_create(&def, NULL, graph, error);
}
