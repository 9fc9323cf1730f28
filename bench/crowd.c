#include "crowd.h"

#include "random.h"

// The host's parameters, then those that the control writes.
enum {
    SPEED, // wanted: 0 stands, 1 runs
    PLACE, // in the blend space: the speed, followed
    TIMES,
    STATE_WEIGHTS = TIMES + 6,
    WAVE_WEIGHT = STATE_WEIGHTS + 3,
    PARAMETERS
};
_Static_assert((int)PARAMETERS == (int)CROWD_PARAMETERS, "as many as are told");

enum { IDLE, WALK, JOG, RUN, JUMP, WAVE, PLAYERS };  // players, and the program's first nodes
enum { IDLES, MOVES, JUMPS, BODY_STATES };           // of the body's machine
enum { RESTS, WAVES, ARM_STATES };                   // of the upper body's
enum { EVENT_JUMP, EVENT_WAVE, EVENT_STEP, EVENTS }; // sent, sent, told
enum { BODY_TRANSITIONS = 5, ARM_TRANSITIONS = 2 };
enum { UNITS_A_SECOND = 120, WARM_UNITS = 15, UNITS = 2 }; // of the host's own time, in a frame
enum { SPEED_UNITS = 180, EVENT_UNITS = 240 };             // between changes of the speed, between events

static const uint32_t player_clips[PLAYERS] = {3, 0, 1, 2, 3, 3};

static uint32_t hash(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t state = a * 0x9e3779b1u ^ b * 0x85ebca77u ^ c * 0xc2b2ae3du;
    random_next(&state);
    state ^= state >> 15;
    return random_next(&state);
}

// Where the host's time stands as a frame begins.
static uint32_t units_at(uint32_t frame) {
    return frame < CROWD_WARM_FRAMES ? frame * WARM_UNITS
                                     : CROWD_WARM_FRAMES * WARM_UNITS + (frame - CROWD_WARM_FRAMES) * UNITS;
}

uint64_t crowd_step(uint32_t frame) {
    return LMB_TICKS_PER_SECOND / UNITS_A_SECOND * (units_at(frame + 1) - units_at(frame));
}

void crowd_fill(uint32_t characters, uint32_t frame, float *parameters) {
    for (uint32_t i = 0; i < characters; i++) {
        float *row = parameters + (size_t)i * CROWD_PARAMETERS;
        uint32_t change = (units_at(frame) + hash(i, 0, 1) % SPEED_UNITS) / SPEED_UNITS;
        float speed = (float)(hash(i, change, 2) % 1024) / 768.0f - 1.0f / 3.0f; // a quarter of them stand
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

void crowd_make_nodes(lmb_node_def nodes[CROWD_NODES]) {
    enum { GAITS = PLAYERS, BODY, ALL };
    _Static_assert(ALL + 1 == CROWD_NODES, "all of them");
    for (uint32_t i = 0; i < CROWD_NODES; i++) {
        nodes[i] = lmb_default_node_def();
    }
    for (uint32_t i = 0; i < PLAYERS; i++) {
        nodes[i].op = LMB_OP_CLIP;
        nodes[i].clip = lmb_constant((float)player_clips[i]);
        nodes[i].time = lmb_parameter(TIMES + i);
    }
    nodes[GAITS].op = LMB_OP_SPACE1D;
    nodes[GAITS].input_count = 3;
    nodes[GAITS].along[0] = lmb_parameter(PLACE);
    for (uint32_t gait = 0; gait < 3; gait++) {
        nodes[GAITS].inputs[gait] = WALK + gait;
        nodes[GAITS].places[gait][0] = 0.5f * (float)gait;
    }
    nodes[BODY].op = LMB_OP_WEIGHTED;
    nodes[BODY].input_count = BODY_STATES;
    static const uint32_t inputs[BODY_STATES] = {[IDLES] = IDLE, [MOVES] = GAITS, [JUMPS] = JUMP};
    for (uint32_t state = 0; state < BODY_STATES; state++) {
        nodes[BODY].inputs[state] = inputs[state];
        nodes[BODY].weights[state] = lmb_parameter(STATE_WEIGHTS + state);
    }
    nodes[ALL].op = LMB_OP_MASKED;
    nodes[ALL].input_count = 2;
    nodes[ALL].inputs[0] = BODY;
    nodes[ALL].inputs[1] = WAVE;
    nodes[ALL].weight = lmb_parameter(WAVE_WEIGHT);
}

static void make_players(const actor *actor, lmb_player_def players[PLAYERS], float markers[3][2],
                         lmb_notify_def steps[3][2]) {
    for (uint32_t i = 0; i < PLAYERS; i++) {
        players[i] = lmb_default_player_def();
        players[i].duration = lmb_clip_duration(actor->clips[player_clips[i]]);
        players[i].time_parameter = TIMES + i;
        players[i].machine = i == WAVE ? 1 : 0;
        players[i].state = i == WAVE ? WAVES : i == IDLE ? IDLES : i == JUMP ? JUMPS : MOVES;
        players[i].end = i == JUMP || i == WAVE ? LMB_END_HOLD : LMB_END_LOOP;
    }
    for (uint32_t gait = 0; gait < 3; gait++) { // a foot comes down at either marker
        lmb_player_def *player = &players[WALK + gait];
        for (uint32_t foot = 0; foot < 2; foot++) {
            markers[gait][foot] = player->duration * (0.1f + 0.5f * (float)foot);
            steps[gait][foot] = (lmb_notify_def){markers[gait][foot], EVENT_STEP};
        }
        player->markers = markers[gait];
        player->marker_count = 2;
        player->notifies = steps[gait];
        player->notify_count = 2;
        player->velocity = 1.5f + 1.5f * (float)gait;
    }
    players[JUMP].rate = lmb_constant(2.0f);
    players[WAVE].rate = lmb_constant(2.0f);
}

static lmb_transition_def make_transition(uint32_t from, uint32_t to, const lmb_term *term) {
    lmb_transition_def transition = lmb_default_transition_def();
    transition.from = from;
    transition.to = to;
    transition.terms = term;
    transition.term_count = term != NULL;
    return transition;
}

static void make_machines(lmb_transition_def body[BODY_TRANSITIONS], lmb_transition_def arm[ARM_TRANSITIONS],
                          lmb_term terms[2]) {
    terms[0] = (lmb_term){LMB_TERM_GREATER, lmb_parameter(PLACE), lmb_constant(0.05f)};
    terms[1] = (lmb_term){LMB_TERM_LESS_EQUAL, lmb_parameter(PLACE), lmb_constant(0.02f)};
    body[0] = make_transition(IDLES, MOVES, &terms[0]);
    body[1] = make_transition(MOVES, IDLES, &terms[1]);
    body[2] = make_transition(LMB_NONE, JUMPS, NULL);
    body[2].event = EVENT_JUMP;
    body[3] = make_transition(JUMPS, MOVES, &terms[0]);
    body[3].at_end = true;
    body[4] = make_transition(JUMPS, IDLES, NULL);
    body[4].at_end = true;
    arm[0] = make_transition(RESTS, WAVES, NULL);
    arm[0].event = EVENT_WAVE;
    arm[1] = make_transition(WAVES, RESTS, NULL);
    arm[1].at_end = true;
}

lmb_result crowd_create_control(const actor *actor, const lmb_program *program, lmb_control **control,
                                lmb_error *error) {
    lmb_player_def players[PLAYERS];
    float markers[3][2];
    lmb_notify_def steps[3][2];
    lmb_state_def body[BODY_STATES], arm[ARM_STATES];
    lmb_transition_def body_transitions[BODY_TRANSITIONS], arm_transitions[ARM_TRANSITIONS];
    lmb_term terms[2];
    make_players(actor, players, markers, steps);
    make_machines(body_transitions, arm_transitions, terms);
    for (uint32_t i = 0; i < BODY_STATES; i++) {
        body[i] = lmb_default_state_def();
        body[i].weight_parameter = STATE_WEIGHTS + i;
    }
    for (uint32_t i = 0; i < ARM_STATES; i++) {
        arm[i] = lmb_default_state_def();
    }
    body[JUMPS].end_player = JUMP;
    arm[WAVES].end_player = WAVE;
    arm[WAVES].weight_parameter = WAVE_WEIGHT;
    const lmb_machine_def machines[] = {{body, BODY_STATES, body_transitions, BODY_TRANSITIONS, LMB_NONE, 0},
                                        {arm, ARM_STATES, arm_transitions, ARM_TRANSITIONS, LMB_NONE, 0}};
    static const uint32_t members[] = {WALK, JOG, RUN};
    const lmb_group_def group = {
        .players = members, .player_count = 3, .rate = lmb_constant(1.0f), .velocity_parameter = LMB_NONE};
    const lmb_follower_def follower = {lmb_parameter(SPEED), 0.1f, PLACE};
    lmb_control_def def = lmb_default_control_def();
    def.parameter_count = CROWD_PARAMETERS;
    def.event_count = EVENTS;
    def.followers = &follower;
    def.follower_count = 1;
    def.players = players;
    def.player_count = PLAYERS;
    def.groups = &group;
    def.group_count = 1;
    def.machines = machines;
    def.machine_count = 2;
    return lmb_control_create(&def, program, NULL, control, error);
}
