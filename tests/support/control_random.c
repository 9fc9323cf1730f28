#include "control_random.h"

#include "control/run.h"
#include "random_matching.h"
#include "tools/random_curves.h"

#include <stdio.h>

enum {
    HOST_PARAMETERS = 6,
    MOST_SMOOTHED = 4,
    MOST_COMPUTED = 8,
    MOST_PLAYERS = 9,
    MOST_GROUPS = 2,
    MOST_MACHINES = 4,
    MOST_STATES = 5,
    MOST_TRANSITIONS = 8,
    MOST_TERMS = 7,
    MOST_MARKERS = 3,
    MOST_NOTIFIES = 3,
    MOST_WARPS = 2,
    MOST_KEYS = 4,
    MOST_RULES = 2,
    EVENTS = 6,
    JOINTS = 2,
    CLIPS = 3,
    MASKS = 4,
    PARTS = 2,
    MOST_LEAVES = 10,
    MOST_NODES = 32,
    NODES = MOST_NODES + CONTROL_RANDOM_REACHED, // with those that aim
};

// A descriptor under construction, with everything that it points to.
typedef struct plan {
    random_source *random;
    control_random *made;
    control_def def;
    random_curves curves;
    lmb_smoothed_def smoothed[MOST_SMOOTHED];
    lmb_computed_def computed[MOST_COMPUTED];
    control_player_def players[MOST_PLAYERS];
    lmb_notify_def notifies[MOST_PLAYERS][MOST_NOTIFIES];
    float markers[MOST_PLAYERS][MOST_MARKERS];
    float keys[MOST_PLAYERS][MOST_KEYS * 4];
    float rotations[MOST_PLAYERS][MOST_KEYS * 4];
    lmb_motion_track tracks[MOST_PLAYERS];
    lmb_warp_def warps[MOST_PLAYERS][MOST_WARPS];
    control_group_def groups[MOST_GROUPS];
    uint32_t positions[MOST_GROUPS][MOST_PLAYERS];
    control_machine_def machines[MOST_MACHINES];
    control_state_def states[MOST_MACHINES][MOST_STATES];
    lmb_transition_def transitions[MOST_MACHINES][MOST_TRANSITIONS];
    lmb_term terms[MOST_MACHINES][MOST_TRANSITIONS][MOST_TERMS];
    lmb_matching_def matchings[MOST_MACHINES];
    const lmb_matching_def *matched[MOST_MACHINES]; // or NULL
    lmb_tag_rule_def rules[MOST_MACHINES][MOST_RULES];
    lmb_motion_database *databases[MOST_MACHINES];
    lmb_motion_def motion;
    uint32_t readable[HOST_PARAMETERS + MOST_SMOOTHED + MOST_COMPUTED + 3]; // parameters that values may name
    uint32_t readable_count;
    uint32_t next_parameter;
} plan;

static bool chance(plan *p, uint32_t of) {
    return random_below(p->random, of) == 0;
}

static uint32_t take_parameter(plan *p) {
    assert_true(p->next_parameter < CONTROL_RANDOM_PARAMETERS);
    return p->next_parameter++;
}

static uint32_t maybe_parameter(plan *p) {
    return chance(p, 2) ? take_parameter(p) : LMB_NONE;
}

static uint32_t draw_event(plan *p) {
    return chance(p, 2) ? random_below(p->random, EVENTS) : LMB_NONE;
}

// Draws usual and extreme constants. The parameters of frames repeat them.
static float draw_constant(plan *p) {
    static const float usual[] = {0.0f, 1.0f, 0.5f, -1.0f, 2.0f, 1e-3f, 0x1p-40f, -0x1p-40f, 0x1p40f, 1e-42f};
    const float drawn = chance(p, 2) ? random_allowed(p->random) : usual[random_below(p->random, 10)];
    p->made->constants[p->made->constant_count++ % CONTROL_RANDOM_CONSTANTS] = drawn;
    return drawn;
}

static lmb_value draw_value(plan *p) {
    random_source *random = p->random;
    lmb_value value = lmb_parameter(p->readable[random_below(random, p->readable_count)]);
    if (chance(p, 5)) {
        value = lmb_constant(draw_constant(p));
    }
    if (chance(p, 3)) {
        value.curve = random_curve(random, RANDOM_CURVES);
        for (int i = 0; i < 2; i++) {
            value.control[i] = fminf(fmaxf(random_allowed(random), -16.0f), 16.0f);
        }
    }
    return value;
}

// Seconds for the duration of a clip, a fade, or a delay.
static float draw_seconds(plan *p) {
    static const float usual[] = {0.0f, 1e-9f, 1e-5f, 1e-42f, 1.0f / 60.0f, 0.1f, 0.3f, 1.0f, 1e5f};
    return chance(p, 2) ? (float)random_between(p->random, 0.0, 0.6) : usual[random_below(p->random, 9)];
}

// Half of them follow at a speed.
static void draw_speed(lmb_smoothed_def *smoothed, random_source *random) {
    static const float usual[] = {1e-42f, 0x1p-40f, 1e-3f, 0.5f, 1.0f, 30.0f, 1000.0f, 1048576.0f};
    if (random_below(random, 2) == 0) {
        smoothed->half_life = 0.0f;
        smoothed->speed = usual[random_below(random, 8)];
    }
}

static void draw_smoothed(plan *p) {
    random_source speeds = random_branch(p->random->state, 1);
    p->def.smoothed = p->smoothed;
    p->def.smoothed_count = random_below(p->random, MOST_SMOOTHED + 1);
    for (uint32_t i = 0; i < p->def.smoothed_count; i++) {
        p->smoothed[i].source = draw_value(p);
        p->smoothed[i].half_life = draw_seconds(p);
        draw_speed(&p->smoothed[i], &speeds);
        p->smoothed[i].parameter = take_parameter(p);
        p->readable[p->readable_count++] = p->smoothed[i].parameter;
    }
}

// Draws a computed parameter. It reads parameters that values may name so far, and is then one of them.
static void draw_computed(plan *p) {
    lmb_computed_def *computed = &p->computed[p->def.computed_count++];
    computed->kind = (lmb_computed_kind)random_below(p->random, LMB_COMPUTED_COUNT);
    for (uint32_t i = 0; i < LMB_MAX_COMPUTED_INPUTS; i++) {
        computed->inputs[i] = draw_value(p);
    }
    computed->parameter = take_parameter(p);
    p->readable[p->readable_count++] = computed->parameter;
    p->def.computed = p->computed;
}

// Draws computed parameters that read the weights of states and players, after all others. Some are moved before
// parameters whose values are available earlier.
static void draw_weighed(plan *p) {
    uint32_t weights[MOST_MACHINES * MOST_STATES + MOST_PLAYERS], count = 0;
    for (uint32_t i = 0; i < p->def.machine_count; i++) {
        for (uint32_t j = 0; j < p->machines[i].state_count; j++) {
            weights[count] = p->states[i][j].weight_parameter;
            count += weights[count] != LMB_NONE;
        }
    }
    for (uint32_t i = 0; i < p->def.player_count; i++) {
        weights[count] = p->players[i].weight_parameter;
        count += weights[count] != LMB_NONE;
    }
    while (count > 0 && p->def.computed_count < MOST_COMPUTED && !chance(p, 3)) {
        const uint32_t last = p->def.computed_count;
        draw_computed(p);
        p->computed[last].inputs[random_below(p->random, 2)] = lmb_parameter(weights[random_below(p->random, count)]);
        if (chance(p, 3)) { // reads no other computed parameter, so it may precede them
            const lmb_computed_def late = {.kind = LMB_COMPUTED_SUBTRACT,
                                           .inputs = {lmb_constant(1.0f), lmb_parameter(weights[0])},
                                           .parameter = p->computed[last].parameter};
            memmove(p->computed + 1, p->computed, last * sizeof *p->computed);
            p->computed[0] = late;
        }
    }
}

static float draw_limit(plan *p) {
    static const float usual[] = {0.0f, 0.0f, 1e-6f, 1.0f, 50.0f, 1048576.0f};
    return usual[random_below(p->random, 6)];
}

static void draw_character_motion(plan *p) {
    p->motion = lmb_default_motion_def();
    if (chance(p, 2)) {
        return;
    }
    p->def.motion = &p->motion;
    for (int i = 0; i < 3; i++) {
        p->motion.velocity[i] = chance(p, 3) ? lmb_constant(0.0f) : draw_value(p);
    }
    p->motion.turns_to_heading = chance(p, 2);
    p->motion.heading = draw_value(p);
    p->motion.acceleration = draw_limit(p);
    p->motion.deceleration = draw_limit(p);
    p->motion.turn_rate = draw_limit(p);
    p->motion.full_rotation = chance(p, 2);
    random_source own = *p->random; // further draws leave those of the program as they are
    p->motion.velocity_half_life = p->motion.full_rotation ? 0.0f : (float)random_between(&own, -1.0, 1.0);
    p->motion.velocity_half_life = p->motion.velocity_half_life < 0.0f ? 0.0f : p->motion.velocity_half_life;
    for (int i = 0; i < 3; i++) {
        p->motion.velocity_parameters[i] = maybe_parameter(p);
        if (p->motion.velocity_parameters[i] != LMB_NONE) {
            p->readable[p->readable_count++] = p->motion.velocity_parameters[i];
        }
    }
}

// A phase or a remaining time instead of a value.
static void draw_place(plan *p, lmb_term *term) {
    term->operand = chance(p, 2) ? LMB_OPERAND_PHASE : LMB_OPERAND_REMAINING;
    term->player_node = random_below(p->random, p->def.player_count);
    const float most = term->operand == LMB_OPERAND_PHASE ? 1.0f : p->players[term->player_node].duration;
    term->right = lmb_constant(chance(p, 4) ? most : fminf((float)random_between(p->random, 0.0, (double)most), most));
}

// Comparisons. Each is combined with the ones before it immediately or at the end.
static uint32_t draw_terms(plan *p, lmb_term *terms) {
    uint32_t count = 0, truths = 0;
    const uint32_t comparisons = 1 + random_below(p->random, 4);
    for (uint32_t i = 0; i < comparisons || truths > 1;) {
        const bool joins = truths > 1 && (i == comparisons || chance(p, 2));
        lmb_term *term = &terms[count++];
        *term = (lmb_term){.left = lmb_constant(0.0f), .right = lmb_constant(0.0f)};
        if (joins) {
            term->kind = chance(p, 2) ? LMB_TERM_AND : LMB_TERM_OR;
            truths--;
        } else {
            term->kind = (lmb_term_kind)random_below(p->random, LMB_TERM_AND);
            term->left = draw_value(p);
            term->right = chance(p, 3) ? draw_value(p) : lmb_constant(draw_constant(p));
            if (p->def.player_count > 0 && chance(p, 3)) {
                draw_place(p, term);
            }
            truths++;
            i++;
        }
    }
    return count;
}

static void draw_transition(plan *p, uint32_t machine, uint32_t index) {
    lmb_transition_def *transition = &p->transitions[machine][index];
    const uint32_t states = p->machines[machine].state_count;
    *transition = lmb_default_transition_def();
    transition->from = chance(p, 3) ? LMB_NONE : random_below(p->random, states);
    transition->to = random_below(p->random, states);
    transition->to_self = transition->from == LMB_NONE && chance(p, 2);
    transition->event = chance(p, 3) ? random_below(p->random, EVENTS) : LMB_NONE;
    transition->at_end =
        transition->from != LMB_NONE && chance(p, 4) && p->states[machine][transition->from].end_player != LMB_NONE;
    transition->after = chance(p, 3) ? draw_seconds(p) : -1.0f;
    const bool needs = transition->event != LMB_NONE || transition->at_end || transition->after >= 0.0f;
    transition->terms = p->terms[machine][index];
    transition->term_count = !needs || chance(p, 2) ? draw_terms(p, p->terms[machine][index]) : 0;
    transition->priority = (int32_t)random_below(p->random, 3);
    transition->travel_cost = random_below(p->random, 4);
    const bool may_sync = transition->from == LMB_NONE || p->states[machine][transition->from].end_player != LMB_NONE;
    transition->start = (lmb_start)random_below(p->random, may_sync ? LMB_START_COUNT : LMB_START_SYNC);
    transition->start_phase = chance(p, 4) ? 1.0f : (float)random_between(p->random, 0.0, 1.0);
    transition->fade = draw_seconds(p);
    transition->curve = random_curve(p->random, RANDOM_FADE_CURVES);
    for (int i = 0; i < 2; i++) {
        transition->curve_control[i] = fminf(fmaxf(random_allowed(p->random), -16.0f), 16.0f);
    }
    transition->kind = (lmb_fade_kind)random_below(p->random, p->def.inertialize ? LMB_FADE_COUNT : 2);
}

// Draws the counts first, because players name states and states name players.
static void count_machines(plan *p) {
    p->def.machines = p->machines;
    p->def.machine_count = random_below(p->random, MOST_MACHINES + 1);
    p->def.players = p->players;
    p->def.player_count = random_below(p->random, MOST_PLAYERS + 1);
    for (uint32_t i = 0; i < p->def.machine_count; i++) {
        control_machine_def *machine = &p->machines[i];
        *machine = (control_machine_def){.states = p->states[i],
                                         .state_count = 1 + random_below(p->random, MOST_STATES),
                                         .transitions = p->transitions[i],
                                         .transition_count = random_below(p->random, MOST_TRANSITIONS + 1),
                                         .machine = LMB_NONE};
        if (i > 0 && !chance(p, 3)) {
            machine->machine = random_below(p->random, i);
            machine->state = random_below(p->random, p->machines[machine->machine].state_count);
        }
    }
}

// Only for the first two machines, because there are not enough parameters for more.
static void draw_profiles(plan *p, uint32_t index) {
    control_machine_def *machine = &p->machines[index];
    uint32_t count = 0;
    for (uint32_t i = 0; i < machine->transition_count && index < 2; i++) {
        lmb_transition_def *transition = &p->transitions[index][i];
        transition->profile = transition->kind != LMB_FADE_INERTIALIZED && chance(p, 2) ? count++ : LMB_NONE;
    }
    machine->profile_parameter = p->next_parameter;
    for (uint32_t i = 0; i < 2 * machine->state_count + 2 && count > 0; i++) {
        take_parameter(p);
    }
}

static void draw_machines(plan *p) {
    for (uint32_t i = 0; i < p->def.machine_count; i++) {
        for (uint32_t j = 0; j < p->machines[i].state_count; j++) {
            control_state_def *state = &p->states[i][j];
            *state = default_control_state_def();
            state->weight_parameter = maybe_parameter(p);
            state->end_player =
                p->def.player_count > 0 && chance(p, 2) ? random_below(p->random, p->def.player_count) : LMB_NONE;
            state->entry_event = draw_event(p);
            state->exit_event = draw_event(p);
            state->restart = chance(p, 3);
            // Events of other states of the machine, so that no two are the same.
            state->travel_event = chance(p, 4) ? (i + j) % EVENTS : LMB_NONE;
        }
        for (uint32_t j = 0; j < p->machines[i].transition_count; j++) {
            draw_transition(p, i, j);
        }
        draw_profiles(p, i);
    }
}

// Lets some comparisons of values read a state, a trigger or a draw instead. These draws change no others.
static void draw_decisions(plan *p) {
    random_source random = random_branch(p->random->state, 2);
    for (uint32_t i = 0; i < p->def.machine_count; i++) {
        for (uint32_t j = 0; j < p->machines[i].transition_count; j++) {
            for (uint32_t k = 0; k < p->transitions[i][j].term_count; k++) {
                lmb_term *term = &p->terms[i][j][k];
                const uint32_t operand = LMB_OPERAND_STATE + random_below(&random, 6);
                const uint32_t machine = random_below(&random, p->def.machine_count);
                if (term->kind >= LMB_TERM_AND || term->operand != LMB_OPERAND_VALUE || operand >= LMB_OPERAND_COUNT) {
                    continue;
                }
                term->operand = (lmb_operand)operand;
                term->machine_node = p->def.player_count + machine;
                term->event = random_below(&random, EVENTS);
                if (random_below(&random, 3) > 0) {
                    term->right = lmb_constant((float)random_below(&random, 5) * 0.25f);
                }
            }
        }
    }
}

static float draw_in(plan *p, float duration) {
    return chance(p, 4) ? duration : fminf((float)random_between(p->random, 0.0, (double)duration), duration);
}

static void draw_rotation(plan *p, float rotation[4]) {
    double square = 0.0, q[4];
    do {
        square = 0.0;
        for (uint32_t i = 0; i < 4; i++) {
            q[i] = chance(p, 4) ? 0.0 : random_between(p->random, -1.0, 1.0);
            square += q[i] * q[i];
        }
    } while (square < 0.01);
    for (uint32_t i = 0; i < 4; i++) {
        rotation[i] = (float)(q[i] / sqrt(square));
    }
}

static void draw_motion(plan *p, uint32_t index) {
    control_player_def *player = &p->players[index];
    static const float usual[] = {0.0f, 1.0f, -1.5f, 1e-42f, 0x1p-40f, 0x1.8p-30f, 0x1p40f};
    player->velocity = chance(p, 2) ? usual[random_below(p->random, 7)] : random_allowed(p->random);
    if (chance(p, 2)) {
        return;
    }
    p->tracks[index] = (lmb_motion_track){2 + random_below(p->random, MOST_KEYS - 1), p->keys[index], NULL};
    player->motion = &p->tracks[index];
    p->tracks[index].rotations = chance(p, 2) ? p->rotations[index] : NULL;
    for (uint32_t i = 0; i < p->tracks[index].key_count; i++) {
        draw_rotation(p, p->rotations[index] + 4 * (size_t)i);
    }
    for (uint32_t i = 0; i < p->tracks[index].key_count * 4; i++) {
        const float number = random_allowed(p->random);
        p->keys[index][i] = fminf(fmaxf(number, -LMB_MAX_MOTION), LMB_MAX_MOTION);
    }
}

static void draw_warps(plan *p, uint32_t index) {
    control_player_def *player = &p->players[index];
    float time = 0.0f;
    player->warps = p->warps[index];
    while (player->end != LMB_END_PING_PONG && !p->motion.full_rotation && player->warp_count < MOST_WARPS &&
           time < player->duration && chance(p, 2)) {
        lmb_warp_def *warp = &p->warps[index][player->warp_count++];
        *warp = lmb_default_warp_def();
        warp->start = chance(p, 2) ? time : fmaxf(time, 0.5f * draw_in(p, player->duration));
        warp->end = fmaxf(nextafterf(warp->start, INFINITY), draw_in(p, player->duration));
        for (uint32_t i = 0; i < 3; i++) {
            warp->target[i] = chance(p, 2) ? draw_value(p) : lmb_constant((float)random_between(p->random, -3.0, 3.0));
        }
        warp->warps_height = chance(p, 2);
        warp->turns_to_heading = chance(p, 2);
        warp->heading = draw_value(p);
        time = warp->end;
    }
}

// `markers` is the number of markers of each player in the group; 0 for a player without a group.
static void draw_player(plan *p, uint32_t index, uint32_t markers) {
    control_player_def *player = &p->players[index];
    *player = default_control_player_def();
    player->duration = markers > 0 ? (float)random_between(p->random, 0.01, 1.5) : draw_seconds(p);
    player->rate = draw_value(p);
    player->offset = draw_in(p, player->duration);
    player->end = markers > 0 ? LMB_END_LOOP : (lmb_end)random_below(p->random, LMB_END_COUNT);
    player->time_parameter = take_parameter(p);
    player->weight_parameter = maybe_parameter(p);
    player->ended_event = draw_event(p);
    player->looped_event = draw_event(p);
    const bool goes_on = player->end == LMB_END_LOOP || player->end == LMB_END_PING_PONG;
    if (markers == 0 && goes_on && chance(p, 3)) {
        player->repetitions = player->duration > 1000.0f ? 1 : 1 + random_below(p->random, chance(p, 3) ? 60 : 4);
        player->drops_out = chance(p, 2);
    }
    if (markers == 0) {
        const uint32_t other = random_below(p->random, p->def.player_count);
        player->delay = chance(p, 4) ? draw_seconds(p) : 0.0f;
        player->sync = other != index && chance(p, 4) ? other + 1 : 0;
    }
    random_source beginning = random_branch(p->random->state, 4);
    player->random_offset = random_below(&beginning, 6) == 0;
    if (p->def.machine_count > 0 && !chance(p, 4)) {
        player->machine = random_below(p->random, p->def.machine_count);
        player->state = random_below(p->random, p->machines[player->machine].state_count);
    }
    const float spread = chance(p, 2) ? 0.0f : (float)random_between(p->random, -0.2, 0.6); // of unequal pieces
    for (uint32_t i = 0; i < markers; i++) {
        const float shift = i % 2 == 1 ? spread : 0.0f;
        p->markers[index][i] = player->duration * ((float)i + 0.25f + shift) / (float)markers;
    }
    player->markers = p->markers[index];
    player->marker_count = markers == 1 && chance(p, 2) ? 0 : markers;
    player->notifies = p->notifies[index];
    player->notify_count = random_below(p->random, MOST_NOTIFIES + 1);
    for (uint32_t i = 0; i < player->notify_count; i++) {
        const float time = draw_in(p, player->duration);
        const float before = i > 0 ? p->notifies[index][i - 1].time : 0.0f;
        p->notifies[index][i] = (lmb_notify_def){fmaxf(time, before), random_below(p->random, EVENTS)};
    }
    draw_motion(p, index);
    draw_warps(p, index);
}

// The players of a group are consecutive.
static void draw_players(plan *p) {
    p->def.groups = p->groups;
    uint32_t player = 0;
    while (player < p->def.player_count) {
        const uint32_t left = p->def.player_count - player;
        if (p->def.group_count < MOST_GROUPS && chance(p, 4)) {
            const uint32_t number = p->def.group_count++;
            const uint32_t count = 1 + random_below(p->random, left),
                           markers = 1 + random_below(p->random, MOST_MARKERS);
            control_group_def *group = &p->groups[number];
            *group = (control_group_def){.players = p->positions[number],
                                         .player_count = count,
                                         .cadence = (lmb_cadence)random_below(p->random, LMB_CADENCE_COUNT),
                                         .rate = draw_value(p),
                                         .velocity_parameter = maybe_parameter(p)};
            for (uint32_t i = 0; i < count; i++, player++) {
                draw_player(p, player, markers);
                if (group->cadence == LMB_CADENCE_VELOCITY && fabsf(p->players[player].velocity) < 0x1p-40f) {
                    p->players[player].velocity = (float)random_between(p->random, 0.5, 4.0);
                }
                p->positions[number][i] = player;
            }
        } else {
            draw_player(p, player++, 0);
        }
    }
}

static bool is_grouped(const plan *p, uint32_t player) {
    bool grouped = false;
    for (uint32_t i = 0; i < p->def.group_count; i++) {
        for (uint32_t k = 0; k < p->groups[i].player_count; k++) {
            grouped = grouped || p->groups[i].players[k] == player;
        }
    }
    return grouped;
}

// Finds takes for a machine's first states: those with a clip of their own that is in no group. Lets these clips loop
// or hold.
static random_matching_takes find_takes(plan *p, uint32_t machine) {
    random_matching_takes takes = {.rate = (float)(10 + 10 * random_below(p->random, 6))};
    for (uint32_t i = 0; i < p->machines[machine].state_count && i < RANDOM_MATCHING_TAKES; i++) {
        const uint32_t index = p->states[machine][i].end_player;
        control_player_def *player = index != LMB_NONE ? &p->players[index] : NULL;
        if (player == NULL || is_grouped(p, index) || player->duration * takes.rate < 1.0f) {
            break;
        }
        const float most = fminf(player->duration * takes.rate, (float)(RANDOM_MATCHING_ROWS - 1));
        takes.rows[i] = 2 + random_below(p->random, (uint32_t)most);
        takes.loops[i] = player->end == LMB_END_LOOP || player->end == LMB_END_PING_PONG;
        player->end = takes.loops[i] ? LMB_END_LOOP : LMB_END_HOLD;
        player->repetitions = player->sync = 0;
        player->drops_out = player->random_offset = false;
        player->delay = 0.0f;
        takes.count++;
    }
    return takes;
}

static void draw_matching(plan *p, uint32_t machine, const random_matching_takes *takes) {
    lmb_matching_def *matching = &p->matchings[machine];
    *matching = lmb_default_matching_def();
    const int32_t spread = 1 + (int32_t)random_below(p->random, LMB_MAX_MOTION_FEATURE);
    const bool mirrored = chance(p, 2);
    matching->mirrored = mirrored ? take_parameter(p) : LMB_NONE;
    p->databases[machine] = random_matching_database(p->random, takes, spread, mirrored);
    assert_non_null(p->databases[machine]);
    size_t size;
    matching->database = lmb_motion_database_block(p->databases[machine], &size);
    matching->database_words = (uint32_t)(size / sizeof(uint32_t));
    matching->velocity[0] = draw_value(p);
    matching->velocity[1] = draw_value(p);
    matching->follows_path = chance(p, 3);
    for (uint32_t i = 0; i < 6; i++) {
        matching->path[i / 2][i % 2] = draw_value(p);
    }
    matching->faces_heading = chance(p, 2);
    matching->heading = draw_value(p);
    matching->half_life = chance(p, 3) ? 0.0f : (float)random_between(p->random, 0.0, 1.0);
    matching->interval = chance(p, 2) ? 1.0f / 120.0f : (float)random_between(p->random, 0.01, 0.3);
    matching->window = chance(p, 3) ? 0.0f : (float)random_between(p->random, 0.0, 1.0);
    matching->recent = (float)random_between(p->random, 0.0, 0.5);
    matching->bonus = chance(p, 2) ? 0.0f : (float)random_between(p->random, 0.0, 10.0);
    matching->fade = chance(p, 3) || !p->def.inertialize ? 0.0f : draw_seconds(p);
    matching->rule_count = random_below(p->random, MOST_RULES + 1);
    matching->rules = p->rules[machine];
    for (uint32_t i = 0; i < matching->rule_count; i++) {
        p->rules[machine][i] = (lmb_tag_rule_def){random_below(p->random, 8), draw_value(p)};
    }
    p->matched[machine] = matching;
}

// Lets some machines match motion. These draws change no others.
static void draw_matchings(plan *p) {
    random_source own = random_branch(p->random->state, 3), *drawn = p->random;
    p->def.matchings = p->matched;
    p->random = &own;
    for (uint32_t i = 0; i < p->def.machine_count && p->def.motion != NULL && !p->motion.full_rotation; i++) {
        random_matching_takes takes = {0};
        if (chance(p, 2)) {
            takes = find_takes(p, i);
        }
        if (takes.count > 0) {
            draw_matching(p, i, &takes);
        }
    }
    p->random = drawn;
}

static void draw_control(plan *p) {
    p->def = default_control_def();
    p->def.parameter_count = CONTROL_RANDOM_PARAMETERS;
    p->def.event_count = EVENTS;
    p->def.max_emitted_events = random_below(p->random, 12);
    p->next_parameter = HOST_PARAMETERS;
    for (uint32_t i = 0; i < HOST_PARAMETERS; i++) {
        p->readable[p->readable_count++] = i;
    }
    p->def.update_every = chance(p, 3) ? draw_value(p) : lmb_constant(chance(p, 2) ? 1.0f : 2.5f);
    p->def.inertialize = chance(p, 3);
    p->def.inertia_parameters = p->next_parameter;
    p->next_parameter += LMB_INERTIA_PARAMETERS;
    draw_smoothed(p);
    p->def.interpolate_updates = chance(p, 2);
    for (uint32_t i = random_below(p->random, 4); i > 0; i--) {
        draw_computed(p);
    }
    draw_character_motion(p);
    for (uint32_t i = random_below(p->random, 3); i > 0; i--) {
        draw_computed(p);
    }
    count_machines(p);
    draw_players(p);
    draw_machines(p);
    draw_decisions(p);
    draw_matchings(p);
    draw_weighed(p);
}

// ---- The program that plays the players' clips. ----

typedef struct nodes {
    lmb_node_def each[NODES];
    uint32_t count;
    uint32_t open[MOST_NODES]; // not yet used as an input
    uint32_t open_count;
} nodes;

// Whether a weight may not read the parameter, because the control writes it after the weights are known. Weights may
// read any other parameter, including those that the control writes.
static bool is_written_late(const plan *p, uint32_t parameter) {
    bool late = p->def.inertialize && parameter - p->def.inertia_parameters < LMB_INERTIA_PARAMETERS;
    for (uint32_t i = 0; i < p->def.player_count; i++) {
        late = late || p->players[i].time_parameter == parameter;
    }
    for (uint32_t i = 0; i < p->def.group_count; i++) {
        late = late || p->groups[i].velocity_parameter == parameter;
    }
    return late;
}

static lmb_value draw_weight(plan *p) {
    lmb_value value = lmb_parameter(random_below(p->random, CONTROL_RANDOM_PARAMETERS));
    if (chance(p, 4) || is_written_late(p, value.parameter)) {
        value = lmb_constant(draw_constant(p));
    }
    if (chance(p, 3)) {
        value.curve = random_curve(p->random, RANDOM_CURVES);
        for (int i = 0; i < 2; i++) {
            value.control[i] = fminf(fmaxf(random_allowed(p->random), -16.0f), 16.0f);
        }
    }
    return value;
}

// Most clips use the time of a player. Several clips may use the time of the same player.
static lmb_node_def draw_leaf(plan *p) {
    lmb_node_def node = lmb_default_node_def();
    if (chance(p, 8)) {
        return node;
    }
    node.op = LMB_OP_CLIP;
    node.clip = chance(p, 2) ? lmb_parameter(random_below(p->random, CONTROL_RANDOM_PARAMETERS))
                             : lmb_constant((float)random_below(p->random, CLIPS));
    node.time = draw_weight(p);
    if (p->def.player_count > 0 && !chance(p, 5)) {
        node.time = lmb_parameter(p->players[random_below(p->random, p->def.player_count)].time_parameter);
    }
    if (chance(p, 4)) {
        node.rate = draw_weight(p);
    }
    node.joint_weights = chance(p, 4) ? random_below(p->random, MASKS) : LMB_NONE;
    return node;
}

// Operations and the number of their inputs.
static const struct {
    lmb_op op;
    uint32_t min, most;
} operations[] = {{LMB_OP_BLEND, 2, 2},         {LMB_OP_MASKED, 2, 2},   {LMB_OP_ADDITIVE, 2, 2},
                  {LMB_OP_PARTIAL, 2, 2},       {LMB_OP_WEIGHTED, 2, 4}, {LMB_OP_LAYERS, 2, 4},
                  {LMB_OP_SPACE1D, 2, 4},       {LMB_OP_SPACE2D, 4, 4},  {LMB_OP_SCALE, 1, 1},
                  {LMB_OP_MAKE_ADDITIVE, 2, 2}, {LMB_OP_ADD, 2, 2},      {LMB_OP_SUBTRACT, 2, 2},
                  {LMB_OP_COMBINE, 1, 3},       {LMB_OP_BILINEAR, 4, 4}, {LMB_OP_SUBTRACT_SCALE_ADD, 3, 3},
                  {LMB_OP_MIRROR, 1, 1}};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void draw_operation(plan *p, nodes *made) {
    const uint32_t which = random_below(p->random, OPERATIONS);
    const uint32_t min = operations[which].min, most = operations[which].most;
    lmb_node_def node = lmb_default_node_def();
    node.op = operations[which].op;
    node.input_count = min + random_below(p->random, most - min + 1);
    node.weight = draw_weight(p);
    node.mask = random_below(p->random, MASKS);
    if (!chance(p, 2) && node.op == LMB_OP_ADDITIVE) {
        node.mask = LMB_NONE;
    }
    node.unclamped = chance(p, 3);
    node.mirror = random_below(p->random, LMB_AXIS_COUNT);
    node.space2d = (lmb_space2d)random_below(p->random, LMB_SPACE2D_COUNT);
    node.discrete = chance(p, 5);
    node.linear_scale = chance(p, 4);
    node.threshold = chance(p, 3) ? 0.25f * (float)random_below(p->random, 5) : 1.0f;
    for (uint32_t i = 0; i < 3; i++) {
        node.coordinates[i] = draw_weight(p);
    }
    for (uint32_t i = 0; i < node.input_count; i++) {
        // Mostly a node without a use so far, sometimes a node that is already used.
        uint32_t taken = random_below(p->random, made->count);
        if (made->open_count > 0 && !chance(p, 6)) {
            const uint32_t at = random_below(p->random, made->open_count);
            taken = made->open[at];
            made->open[at] = made->open[--made->open_count];
        }
        node.inputs[i] = taken;
        node.weights[i] = draw_weight(p);
        node.priorities[i] = (int32_t)random_below(p->random, 3);
        node.joint_maps[i] = chance(p, 2) ? random_below(p->random, PARTS) : LMB_NONE;
        node.positions[i][0] = (float)(i % 2);
        node.positions[i][1] = 2.0f * (float)(i / 2);
        if (node.op == LMB_OP_SPACE1D) {
            node.positions[i][0] = (float)((i * 3) % 5) * 0.3f;
        }
    }
    made->open[made->open_count++] = made->count;
    made->each[made->count++] = node;
}

static void draw_nodes(plan *p, nodes *made) {
    made->count = made->open_count = 0;
    const uint32_t leaves = 1 + random_below(p->random, MOST_LEAVES);
    for (uint32_t i = 0; i < leaves; i++) {
        made->open[made->open_count++] = i;
        made->each[made->count++] = draw_leaf(p);
    }
    while (made->count < MOST_NODES && (made->open_count > 1 || chance(p, 3))) {
        draw_operation(p, made);
    }
}

// In half of the programs: joints that aim at targets, on top of all other nodes. They report whether they reach them,
// and so write parameters of the host. These draws change no others.
static void add_aims(uint32_t number, nodes *made) {
    random_source random = random_branch(43, number);
    const uint32_t count = random_below(&random, 2) == 0 ? 0 : 1 + random_below(&random, CONTROL_RANDOM_REACHED);
    const uint32_t first = random_below(&random, HOST_PARAMETERS);
    for (uint32_t i = 0; i < count; i++) {
        static const float forward[3] = {0.0f, 0.0f, 1.0f};
        const lmb_value target[3] = {lmb_constant(0.0f), lmb_constant(1.0f), lmb_constant(1.0f)};
        lmb_node_def node = lmb_aim_node(made->count - 1, 0, forward, target);
        node.aim.reached = lmb_reached(i);
        node.aim.reached.parameter = random_below(&random, 4) == 0 ? LMB_NONE : (first + i) % HOST_PARAMETERS;
        made->each[made->count++] = node;
    }
}

static lmb_graph *draw_program(plan *p, uint32_t number) {
    static const uint8_t masks[MASKS][JOINTS] = {{0, 255}, {255, 0}, {77, 9}, {1, 254}};
    static const uint8_t *const rows[MASKS] = {masks[0], masks[1], masks[2], masks[3]};
    static const uint32_t first_joints[JOINTS] = {0, LMB_NONE}, second_joints[JOINTS] = {LMB_NONE, 1};
    static const lmb_joint_map_def joint_maps[PARTS] = {{first_joints, JOINTS}, {second_joints, JOINTS}};
    static const uint32_t partners[JOINTS] = {0, 1};
    static const lmb_mirror_def mirrors[LMB_AXIS_COUNT] = {
        {LMB_AXIS_X, partners, NULL, NULL}, {LMB_AXIS_Y, partners, NULL, NULL}, {LMB_AXIS_Z, partners, NULL, NULL}};
    lmb_joint_def joints[JOINTS] = {lmb_default_joint_def(), lmb_default_joint_def()};
    joints[1].parent = 0;
    const lmb_rig_def rig_def = {.joints = joints, .joint_count = JOINTS};
    lmb_error error = {0};
    lmb_rig *rig = NULL;
    lmb_clip *clips[CLIPS] = {NULL};
    bool is_made = lmb_rig_create(&rig_def, NULL, &rig, &error) == LMB_OK;
    for (uint32_t i = 0; i < CLIPS && is_made; i++) {
        const lmb_clip_def def = {
            .duration = 1.0f, .joint_weights = i > 0 ? masks[1 + i] : NULL, .additive = i == CLIPS - 1};
        is_made = lmb_clip_create(rig, &def, NULL, &clips[i], &error) == LMB_OK;
    }
    lmb_graph *program = NULL;
    lmb_result result = LMB_ERROR_LIMIT;
    // Repeats until a program needs few enough poses at a time and adds only additives.
    nodes made = {.count = 0};
    lmb_graph_def def = lmb_default_graph_def();
    while (is_made && (result == LMB_ERROR_LIMIT || result == LMB_ERROR_ARGUMENT)) {
        draw_nodes(p, &made);
        def = (lmb_graph_def){.rig = rig,
                              .clips = (const lmb_clip *const *)clips,
                              .clip_count = CLIPS,
                              .masks = rows,
                              .mask_count = MASKS,
                              .joint_maps = joint_maps,
                              .joint_map_count = PARTS,
                              .mirrors = mirrors,
                              .mirror_count = LMB_AXIS_COUNT,
                              .nodes = made.each,
                              .node_count = made.count,
                              .parameter_count = CONTROL_RANDOM_PARAMETERS,
                              .curves = p->curves.defs,
                              .curve_count = RANDOM_CURVES};
        result = lmb_graph_create(&def, NULL, &program, &error);
    }
    if (result == LMB_OK) {
        lmb_graph *aiming = NULL;
        add_aims(number, &made);
        def.node_count = made.count;
        if (lmb_graph_create(&def, NULL, &aiming, NULL) == LMB_OK) { // not on top of an additive
            lmb_graph_destroy(program);
            program = aiming;
        }
    }
    for (uint32_t i = 0; i < CLIPS; i++) {
        lmb_clip_destroy(clips[i]);
    }
    lmb_rig_destroy(rig);
    if (program == NULL) {
        fail_msg("%s", error.message);
    }
    return program;
}

// ---- Frames. ----

// Returns any float, a constant of the control, a float next to one, or a value that a device could flush to 0.
static float draw_parameter(random_source *random, const control_random *made) {
    const uint32_t constants =
        made->constant_count < CONTROL_RANDOM_CONSTANTS ? made->constant_count : CONTROL_RANDOM_CONSTANTS;
    const float constant = constants > 0 ? made->constants[random_below(random, constants)] : 0.0f;
    switch (random_below(random, 8)) {
    case 0:
    case 1:
        return random_extreme(random);
    case 2:
        return constant;
    case 3:
        return nextafterf(constant, random_below(random, 2) == 0 ? INFINITY : -INFINITY);
    case 4:
        return (float)random_between(random, -1e-38, 1e-38);
    case 5:
        return (float)random_between(random, -4.0, 4.0);
    default:
        return (float)random_between(random, 0.0, 1.25);
    }
}

static uint64_t draw_step(random_source *random) {
    static const uint64_t steps[] = {LMB_TICKS_PER_SECOND / 60,
                                     LMB_TICKS_PER_SECOND / 60,
                                     LMB_TICKS_PER_SECOND / 30,
                                     LMB_TICKS_PER_SECOND / 144,
                                     LMB_TICKS_PER_SECOND / 5,
                                     0,
                                     1,
                                     3 * LMB_TICKS_PER_SECOND};
    return random_below(random, 40) == 0 ? LMB_MAX_STEP_TICKS : steps[random_below(random, 8)];
}

static void draw_frame(random_source *random, control_random *made, uint32_t number) {
    control_random_frame *frame = &made->frames[number];
    frame->step = draw_step(random);
    for (uint32_t i = 0; i < CONTROL_RANDOM_CHARACTERS; i++) {
        float *row = frame->parameters + i * CONTROL_RANDOM_PARAMETERS;
        const float *before = number > 0 ? made->frames[number - 1].parameters + i * CONTROL_RANDOM_PARAMETERS : NULL;
        for (uint32_t k = 0; k < CONTROL_RANDOM_PARAMETERS; k++) {
            row[k] = before == NULL || random_below(random, 3) == 0 ? draw_parameter(random, made) : before[k];
        }
        uint32_t events = random_below(random, 4) == 0 ? 1 + random_below(random, 3) : 0;
        if (random_below(random, 200) == 0) {
            events = LMB_MAX_EVENTS_SENT + random_below(random, 5);
        }
        for (uint32_t k = 0; k < events; k++) {
            const uint32_t event = random_below(random, 50) == 0 ? LMB_EVENT_RESET : random_below(random, EVENTS);
            frame->events[frame->event_count++] = (lmb_event){i, event};
        }
    }
}

control_random *control_random_create(uint32_t number) {
    control_random *made = calloc(1, sizeof *made);
    plan *p = calloc(1, sizeof *p);
    assert_true(made != NULL && p != NULL);
    random_source random = random_branch(40, number);
    p->random = &random;
    p->made = made;
    random_curves_draw(&p->curves, &random);
    draw_control(p);
    p->def.curves = p->curves.defs;
    p->def.curve_count = RANDOM_CURVES;
    made->interpolates = p->def.interpolate_updates;
    lmb_error error = {0};
    made->program = chance(p, 2) ? draw_program(p, number) : NULL;
    if (control_create(&p->def, made->program, NULL, &made->control, &error) != LMB_OK) {
        fail_msg("control %u: %s", number, error.message);
    }
    for (uint32_t i = 0; i < MOST_MACHINES; i++) {
        lmb_motion_database_destroy(p->databases[i]);
    }
    free(p);
    made->path = LMB_CPU_FAST;
    made->first_number = random_below(&random, 3) == 0 ? UINT32_MAX - 40 : random_below(&random, 100);
    for (uint32_t i = 0; i < CONTROL_RANDOM_FRAMES; i++) {
        draw_frame(&random, made, i);
    }
    random_source places = random_branch(44, number);
    made->writes_matrices = random_below(&places, 2) == 0;
    random_source reached = random_branch(42, number);
    for (uint32_t i = 0; i < CONTROL_RANDOM_FRAMES * CONTROL_RANDOM_CHARACTERS * CONTROL_RANDOM_REACHED; i++) {
        made->frames[i % CONTROL_RANDOM_FRAMES].reached[i / CONTROL_RANDOM_FRAMES] = random_below(&reached, 2);
    }
    for (uint32_t i = 0; i < CONTROL_RANDOM_CHARACTERS; i++) {
        made->phases[i] = random_below(&random, 3) == 0 ? random_below(&random, 1u << 20) : LMB_NONE;
    }
    return made;
}

void control_random_destroy(control_random *random) {
    lmb_graph_destroy(random->control);
    lmb_graph_destroy(random->program);
    free(random);
}

// ---- Results. ----

void control_random_begin(const control_random *random, uint32_t *states) {
    const size_t words = lmb_graph_get_info(random->control)->state_words;
    memset(states, 0, CONTROL_RANDOM_CHARACTERS * words * sizeof *states);
    for (uint32_t i = 0; i < CONTROL_RANDOM_CHARACTERS; i++) {
        if (random->phases[i] != LMB_NONE) {
            lmb_state_set_update_phase(random->control, states + i * words, random->phases[i], NULL);
        }
    }
}

control_random_result control_random_result_create(const control_random *random) {
    const control_random_result result = {
        .state = calloc((size_t)CONTROL_RANDOM_CHARACTERS * lmb_graph_get_info(random->control)->state_words, 4),
        .emitted = calloc((size_t)CONTROL_RANDOM_CHARACTERS * lmb_graph_get_info(random->control)->emitted_words, 4),
        .parameters = calloc(CONTROL_RANDOM_CHARACTERS * CONTROL_RANDOM_PARAMETERS, sizeof(float)),
        .motions = calloc(CONTROL_RANDOM_CHARACTERS * LMB_FULL_MOTION_FLOATS, sizeof(float)),
        .matrices = calloc(CONTROL_RANDOM_CHARACTERS * LMB_MATRIX_COMPONENTS, sizeof(float))};
    assert_true(result.state != NULL && result.emitted != NULL && result.parameters != NULL && result.motions != NULL &&
                result.matrices != NULL);
    control_random_begin(random, result.state);
    return result;
}

void control_random_result_destroy(control_random_result *result) {
    free(result->state);
    free(result->emitted);
    free(result->parameters);
    free(result->motions);
    free(result->matrices);
}

void control_random_run(const control_random *random, uint32_t frame, uint32_t at_once, control_random_result *result) {
    const control_random_frame *given = &random->frames[frame];
    memcpy(result->parameters, given->parameters, sizeof given->parameters);
    const lmb_control_frame run = {.step = given->step,
                                   .number = random->first_number + frame,
                                   .character_count = CONTROL_RANDOM_CHARACTERS,
                                   .state = result->state,
                                   .parameters = result->parameters,
                                   .reached = given->reached,
                                   .events = given->events,
                                   .event_count = given->event_count,
                                   .emitted = result->emitted,
                                   .motions = result->motions,
                                   .matrices = random->writes_matrices ? result->matrices : NULL};
    lmb_error error = {0};
    for (uint32_t first = 0; first < CONTROL_RANDOM_CHARACTERS; first += at_once) {
        const uint32_t left = CONTROL_RANDOM_CHARACTERS - first;
        const uint32_t count = left < at_once ? left : at_once;
        if (lmb_control_run_path(random->control, random->path, &run, first, count, &error) != LMB_OK) {
            fail_msg("frame %u: %s", frame, error.message);
        }
    }
}

static void expect_words(uint32_t number, uint32_t frame, const char *what, const void *here, const void *there,
                         size_t each, size_t kept, uint32_t character) {
    const uint32_t *a = (const uint32_t *)here + character * each, *b = (const uint32_t *)there + character * each;
    if (memcmp(a, b, kept * sizeof *a) == 0) {
        return;
    }
    size_t at = 0;
    while (a[at] == b[at]) {
        at++;
    }
    fail_msg("control %u, frame %u, character %u: %s: word %zu is 0x%08x and 0x%08x", number, frame, character, what,
             at, a[at], b[at]);
}

// Matrices are those of the states, if these are what is shown.
static void expect_matrix_of_state(const control_random *random, uint32_t number, uint32_t frame,
                                   const control_random_result *here, uint32_t character) {
    const uint32_t *state = here->state + character * (size_t)lmb_graph_get_info(random->control)->state_words;
    if (random->writes_matrices && !random->interpolates && lmb_graph_get_info(random->control)->has_motion) {
        const lmb_affine matrix = lmb_state_matrix(random->control, state);
        expect_words(number, frame, "matrix of the state", here->matrices + character * LMB_MATRIX_COMPONENTS, &matrix,
                     0, LMB_MATRIX_COMPONENTS, 0);
    }
}

uint64_t control_random_expect_same(const control_random *random, uint32_t number, uint32_t frame,
                                    const control_random_result *here, const control_random_result *there) {
    const size_t emitted = lmb_graph_get_info(random->control)->emitted_words,
                 state = lmb_graph_get_info(random->control)->state_words;
    const size_t character_motions = lmb_graph_get_info(random->control)->motion_floats;
    uint64_t compared = 0;
    for (uint32_t i = 0; i < CONTROL_RANDOM_CHARACTERS; i++) {
        expect_words(number, frame, "state", here->state, there->state, state, state, i);
        expect_words(number, frame, "emitted", here->emitted, there->emitted, emitted, emitted, i);
        expect_words(number, frame, "parameters", here->parameters, there->parameters, CONTROL_RANDOM_PARAMETERS,
                     CONTROL_RANDOM_PARAMETERS, i);
        expect_words(number, frame, "character motion", here->motions, there->motions, character_motions,
                     character_motions, i);
        expect_words(number, frame, "matrix", here->matrices, there->matrices, LMB_MATRIX_COMPONENTS,
                     LMB_MATRIX_COMPONENTS, i);
        expect_matrix_of_state(random, number, frame, here, i);
        compared += state + emitted + CONTROL_RANDOM_PARAMETERS + character_motions +
                    (random->writes_matrices ? LMB_MATRIX_COMPONENTS : 0);
    }
    return compared;
}
