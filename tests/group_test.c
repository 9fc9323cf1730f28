// Sync groups against their rules in float64: which player gives the phase when players begin, and steps that pass
// markers between pieces of different rates.
#include "control_stage.h"

#include "../src/tools/random.h"

#include <math.h>
#include <string.h>

#define SECOND LMB_TICKS_PER_SECOND

static double wrap(double x, double d) {
    return x - d * floor(x / d);
}

// Returns the distance of two positions in a loop.
static double apart(double a, double b, double d) {
    const double off = wrap(a - b, d);
    return fmin(off, d - off);
}

// ---- Phases: random machines against a model of the rules. ----

// Machine 0 has three states, one of which contains machine 1 with two states. So there are four states without a
// machine in them. Up to five clips are each in one of these, or in no state. Clips have one marker each, and most are
// in the group.
enum { OUTER_STATES = 3, INNER_STATES = 2, OWNERS = 4, CLIPS = 5, TRANSITIONS = 5, IN_NO_STATE = OWNERS };

typedef struct scene {
    control_player_def players[CLIPS];
    float markers[CLIPS];
    uint32_t player_count;
    uint32_t outer_state;    // that contains the inner machine
    bool freezes[2];         // of each machine: its fades freeze
    uint32_t members[CLIPS]; // of the group
    control_group_def group;
    control_state_def states[OUTER_STATES + INNER_STATES];
    lmb_transition_def transitions[TRANSITIONS];
    control_machine_def machines[2];
    control_def def;
    double rate;
} scene;

// The machine and the state in it of an owner.
static uint32_t machine_of(uint32_t owner) {
    return owner < 2 ? 0 : 1;
}

static uint32_t state_of(const scene *s, uint32_t owner) {
    return owner >= 2 ? owner - 2 : (owner + s->outer_state + 1) % OUTER_STATES;
}

static void draw_players(random_source *random, scene *s) {
    s->player_count = 1 + random_below(random, CLIPS);
    for (uint32_t i = 0; i < s->player_count; i++) {
        const uint32_t owner = random_below(random, 20) == 0 ? IN_NO_STATE : random_below(random, OWNERS);
        control_player_def *player = &s->players[i];
        *player = stage_player((float)random_between(random, 0.4, 1.5), i);
        s->markers[i] = player->duration * (float)random_between(random, 0.0, 0.9);
        player->markers = &s->markers[i];
        player->marker_count = 1;
        player->offset = player->duration * (float)random_between(random, 0.0, 0.95);
        player->machine = owner == IN_NO_STATE ? LMB_NONE : machine_of(owner);
        player->state = owner == IN_NO_STATE ? 0 : state_of(s, owner);
        if (random_below(random, 4) > 0 || (i + 1 == s->player_count && s->group.player_count == 0)) {
            s->members[s->group.player_count++] = i;
        }
    }
}

static void draw_scene(random_source *random, scene *s) {
    memset(s, 0, sizeof *s);
    s->outer_state = random_below(random, OUTER_STATES);
    s->rate = random_below(random, 4) == 0 ? -0.75 : 1.25;
    s->group.players = s->members;
    s->group.rate = lmb_constant((float)s->rate);
    s->group.cadence = LMB_CADENCE_DURATION;
    s->group.velocity_parameter = LMB_NONE;
    draw_players(random, s);
    for (uint32_t i = 0; i < OUTER_STATES + INNER_STATES; i++) {
        s->states[i] = default_control_state_def();
        s->states[i].restart = random_below(random, 3) == 0;
        s->transitions[i] =
            stage_transition(LMB_NONE, i < OUTER_STATES ? i : i - OUTER_STATES, i,
                             random_below(random, 4) == 0 ? 0.0f : (float)random_between(random, 0.05, 0.6));
        s->transitions[i].curve = LMB_CURVE_LINEAR;
    }
    for (uint32_t i = 0; i < 2; i++) {
        s->freezes[i] = random_below(random, 3) == 0;
    }
    for (uint32_t i = 0; i < TRANSITIONS; i++) {
        const bool freezes = s->freezes[i < OUTER_STATES ? 0 : 1];
        s->transitions[i].kind = random_below(random, 4) == 0 ? LMB_FADE_INERTIALIZED
                                 : freezes                    ? LMB_FADE_FROZEN
                                                              : LMB_FADE_SMOOTH;
    }
    s->machines[0] = (control_machine_def){s->states, OUTER_STATES, s->transitions, OUTER_STATES, LMB_NONE, 0, 0};
    s->machines[1] = (control_machine_def){s->states + OUTER_STATES,
                                           INNER_STATES,
                                           s->transitions + OUTER_STATES,
                                           TRANSITIONS - OUTER_STATES,
                                           0,
                                           s->outer_state,
                                           0};
    s->def = stage_control(s->players, s->player_count, CLIPS + LMB_INERTIA_PARAMETERS);
    s->def.event_count = TRANSITIONS;
    s->def.machines = s->machines;
    s->def.machine_count = 2;
    s->def.groups = &s->group;
    s->def.group_count = 1;
    s->def.inertialize = true;
    s->def.inertia_parameters = CLIPS;
}

// What the model reads of a character before a frame.
typedef struct snapshot {
    uint32_t current[2];
    double weights[2][OUTER_STATES];
} snapshot;

static snapshot look(const stage *s) {
    snapshot shot = {{0, 0}, {{0}}};
    for (uint32_t machine = 0; machine < 2; machine++) {
        shot.current[machine] = stage_current_state(s, machine);
        for (uint32_t i = 0; i < (machine == 0 ? OUTER_STATES : INNER_STATES); i++) {
            shot.weights[machine][i] = (double)lmb_control_state_weight(s->control, s->state, machine, i);
        }
    }
    return shot;
}

static bool state_moves_in(const scene *s, const snapshot *shot, uint32_t machine, uint32_t state) {
    const bool moves = shot->current[machine] == state || (shot->weights[machine][state] > 0.0 && !s->freezes[machine]);
    return moves && (machine == 0 || state_moves_in(s, shot, 0, s->outer_state));
}

static bool player_moves_in(const scene *s, const snapshot *shot, uint32_t player) {
    const control_player_def *def = &s->players[player];
    return def->machine == LMB_NONE || state_moves_in(s, shot, def->machine, def->state);
}

static bool is_current_in(const scene *s, const snapshot *shot, uint32_t player) {
    const control_player_def *def = &s->players[player];
    return def->machine == LMB_NONE ||
           (shot->current[def->machine] == def->state && (def->machine == 0 || shot->current[0] == s->outer_state));
}

static double phase_at(const scene *s, uint32_t player, double seconds) {
    const double d = (double)s->players[player].duration;
    return wrap(seconds - (double)s->markers[player], d) / d;
}

// The transition by an event, if it is taken, changes the snapshot. Returns the players that begin, as bits.
static uint32_t take_event(const scene *s, snapshot *shot, uint32_t event) {
    const uint32_t machine = event < OUTER_STATES ? 0 : 1, to = event < OUTER_STATES ? event : event - OUTER_STATES;
    uint32_t begin = 0;
    if (shot->current[machine] == to || (machine == 1 && shot->current[0] != s->outer_state)) {
        return 0;
    }
    shot->current[machine] = to;
    if (shot->weights[machine][to] > 0.0 && !s->states[event].restart) {
        return 0;
    }
    for (uint32_t i = 0; i < s->player_count; i++) {
        const control_player_def *def = &s->players[i];
        const bool is_inside = def->machine == 1 && machine == 0 && to == s->outer_state;
        begin |= (def->machine == machine && def->state == to) || is_inside ? 1u << i : 0u;
    }
    if (machine == 0 && to == s->outer_state) {
        shot->current[1] = 0;
    }
    return begin;
}

// Returns the member that gives the phase to players that begin, or LMB_NONE if the group's phase stays.
static uint32_t find_giver(const scene *s, const snapshot *before, const snapshot *after, uint32_t begin) {
    uint32_t giver = LMB_NONE, first = LMB_NONE;
    for (uint32_t k = 0; k < s->group.player_count; k++) {
        const uint32_t i = s->members[k];
        if ((begin >> i & 1) == 0) {
            if (before != NULL && player_moves_in(s, before, i)) {
                return LMB_NONE;
            }
        } else {
            first = first == LMB_NONE ? i : first;
            giver = giver == LMB_NONE && is_current_in(s, after, i) ? i : giver;
        }
    }
    return giver == LMB_NONE ? first : giver;
}

// The phase per second of a group in the duration cadence.
static double find_speed(const scene *s, const stage *shown) {
    double weights = 0.0, turns = 0.0;
    for (uint32_t k = 0; k < s->group.player_count; k++) {
        const double weight = stage_player_weight(shown, s->members[k]);
        weights += weight;
        turns += weight / (double)s->players[s->members[k]].duration;
    }
    return s->rate * (weights > 0.0 ? turns / weights : 1.0 / (double)s->players[s->members[0]].duration);
}

static void check_phases(random_source *random, uint32_t *given, uint32_t *kept) {
    scene s;
    draw_scene(random, &s);
    stage shown = stage_begin(&s.def);
    double phase = 0.0;
    for (int frame = 0; frame < 120; frame++) {
        const uint32_t drawn = random_below(random, 12);
        const bool begins = frame == 0 || drawn == 11;
        const uint32_t event = drawn < TRANSITIONS ? drawn : LMB_NONE;
        const snapshot zero = {{0, 0}, {{1.0}, {1.0}}};
        const snapshot before = begins ? zero : look(&shown);
        snapshot after = before;
        if (begins) {
            const uint32_t giver = find_giver(&s, NULL, &before, ~0u);
            phase = phase_at(&s, giver, (double)s.players[giver].offset);
        }
        const uint32_t begin = event != LMB_NONE ? take_event(&s, &after, event) : 0;
        const uint32_t giver = find_giver(&s, &before, &after, begin);
        if (giver != LMB_NONE) {
            phase = phase_at(&s, giver, (double)s.players[giver].offset);
            *given += giver != s.members[0];
        }
        *kept += begin != 0 && giver == LMB_NONE;
        if (drawn == 11) {
            stage_send(&shown, SIXTIETH, LMB_EVENT_RESET);
        } else if (event != LMB_NONE) {
            stage_send(&shown, SIXTIETH, event);
        } else {
            stage_step(&shown, SIXTIETH);
        }
        const snapshot now = look(&shown);
        bool moves = false;
        for (uint32_t k = 0; k < s.group.player_count; k++) {
            moves = moves || player_moves_in(&s, &now, s.members[k]);
        }
        phase = wrap(phase + (moves ? find_speed(&s, &shown) / 60.0 : 0.0), 1.0);
        for (uint32_t k = 0; k < s.group.player_count; k++) {
            // The rate is rounded to 1/65,536.
            const uint32_t i = s.members[k];
            assert_near(apart(phase_at(&s, i, stage_player_seconds(&shown, i)), phase, 1.0), 0.0, 2e-6);
        }
        phase = phase_at(&s, s.members[0], stage_player_seconds(&shown, s.members[0]));
    }
    stage_end(&shown);
}

static void test_phases(void **state) {
    (void)state;
    random_source random = {7};
    uint32_t given = 0, kept = 0;
    for (int i = 0; i < 400; i++) {
        check_phases(&random, &given, &kept);
    }
    assert_true(given > 200 && kept > 200);
}

// ---- A member that is not the leader begins the group. ----

// The offset is inside the last piece, between pieces, or where rounding would put it before the clip's beginning.
static const float first_offsets[] = {0.0f, 0.1f, 0.4f, 0.55f, 0.9f, 1.0f / 3.0f};
enum { FIRST_OFFSETS = sizeof first_offsets / sizeof *first_offsets };
enum { AT_OFFSET, AT_BEGINNING, LOOPED, OTHER_LOOPED };

// It begins exactly at its offset: notifies there are emitted once, by the first step that leaves it, and no end is
// passed.
static void check_first_step(float offset, float rate, float leading_duration) {
    static const float markers[2][3] = {{0.05f, 0.1f, 0.125f}, {0.1f, 0.4f, 0.5f}};
    const lmb_notify_def notifies[] = {{0.0f, AT_BEGINNING}, {offset, AT_OFFSET}};
    const control_state_def states[] = {default_control_state_def(), default_control_state_def()};
    const lmb_transition_def leave = stage_transition(0, 1, AT_OFFSET, 0.2f);
    const control_machine_def machine = {states, 2, &leave, 1, LMB_NONE, 0, 0};
    const control_group_def group = {.players = (const uint32_t[]){0, 1},
                                     .player_count = 2,
                                     .rate = lmb_parameter(0),
                                     .velocity_parameter = LMB_NONE};
    control_player_def players[2] = {stage_player(leading_duration, LMB_NONE), stage_player(1.0f, LMB_NONE)};
    for (uint32_t i = 0; i < 2; i++) {
        players[i].machine = 0;
        players[i].state = 1 - i; // the second player's state is the initial one
        players[i].markers = markers[i];
        players[i].marker_count = 3;
        players[i].looped_event = i == 0 ? OTHER_LOOPED : LOOPED;
    }
    players[1].offset = offset;
    players[1].notifies = offset > 0.0f ? notifies : notifies + 1;
    players[1].notify_count = offset > 0.0f ? 2 : 1;
    control_def def = stage_control(players, 2, 1);
    def.event_count = 4;
    def.max_emitted_events = STAGE_EMITTED;
    def.groups = &group;
    def.group_count = 1;
    def.machines = &machine;
    def.machine_count = 1;
    stage s = stage_begin(&def);
    const uint64_t ticks = lmb_ticks_from_seconds((double)offset);
    stage_step(&s, SIXTIETH); // the group rests
    assert_near((double)lmb_control_player_ticks(s.control, s.state, 1), (double)ticks, 20.0);
    const uint64_t begun = lmb_control_player_ticks(s.control, s.state, 1);
    assert_int_equal(s.emitted[0], 0);
    s.parameters[0] = rate;
    stage_step(&s, SECOND / 1000);
    const double moved = stage_player_seconds(&s, 1) - (double)begun / (double)SECOND;
    if (rate > 0.0f) {
        assert_true(moved > 0.0);
        assert_int_equal(s.emitted[0], 1); // also if it is at the beginning
        assert_int_equal(s.emitted[1], AT_OFFSET);
    } else if (offset > 0.0f) {
        assert_true(moved < 0.0);
        assert_int_equal(s.emitted[0], 0);
    } else {
        assert_true(moved > 0.9); // it looped, and did not pass the beginning
        assert_int_equal(s.counts[LOOPED], 1);
        assert_int_equal(s.counts[AT_OFFSET], 0);
    }
    assert_int_equal(s.counts[OTHER_LOOPED], 0);
    stage_end(&s);
}

static void test_first_step(void **state) {
    (void)state;
    static const float leading_durations[] = {0.13f, 0.3f, 7.0f};
    for (size_t i = 0; i < FIRST_OFFSETS * 2 * 3; i++) {
        check_first_step(first_offsets[i / 6], i % 2 == 0 ? 1.0f : -1.0f, leading_durations[i / 2 % 3]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_phases), cmocka_unit_test(test_first_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
