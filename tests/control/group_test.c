// Sync groups against their rules in float64: which player gives the phase when players begin, and steps that pass
// markers between pieces of different rates.
#include "control_stage.h"

#include "tools/random.h"

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
            shot.weights[machine][i] = (double)lmb_state_weight(s->control, s->state, machine, i);
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
    assert_near((double)lmb_state_player(s.control, s.state, 1).ticks, (double)ticks, 20.0);
    const uint64_t begun = lmb_state_player(s.control, s.state, 1).ticks;
    assert_int_equal(s.emitted[0], 0);
    s.parameters[0] = rate;
    stage_step(&s, SECOND / 1000);
    const double moved = stage_player_seconds(&s, 1) - (double)begun / (double)SECOND;
    if (rate > 0.0f) {
        assert_true(moved > 0.0);
        assert_int_equal(s.emitted[0], 1); // also if it is at the beginning
        assert_int_equal(lmb_emitted_event_at(s.emitted, 0).event, AT_OFFSET);
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

// ---- Steps that pass markers between pieces of different rates, against an integration piece by piece. ----

enum { MEMBERS = 3, MOST_MEMBER_MARKERS = 4, EVENTS_OF_MEMBER = 3 };

typedef struct piece_case {
    lmb_cadence cadence;
    uint32_t marker_count;
    float rate;
    float scale; // of durations and markers
} piece_case;

static const piece_case piece_cases[] = {
    {LMB_CADENCE_DURATION, 2, 1.0f, 1.0f},     {LMB_CADENCE_DURATION, 4, -1.3f, 1.0f},
    {LMB_CADENCE_VELOCITY, 2, 1.3f, 1.0f},     {LMB_CADENCE_VELOCITY, 4, 1.0f, 1.0f},
    {LMB_CADENCE_VELOCITY, 3, -0.7f, 1.0f},    {LMB_CADENCE_DURATION, 3, 11.0f, 1.0f},
    {LMB_CADENCE_DURATION, 4, 64.0f, 0.25f},   {LMB_CADENCE_VELOCITY, 4, -33.0f, 0.125f},
    {LMB_CADENCE_DURATION, 4, 0x1p-12f, 1.0f}, {LMB_CADENCE_LENGTH, 4, 1.0f, 1.0f},
    {LMB_CADENCE_LENGTH, 3, -1.3f, 1.0f},
};
enum { PIECE_CASES = sizeof piece_cases / sizeof *piece_cases };

static const float member_durations[MEMBERS] = {0.75f, 1.25f, 1.75f};
static const float member_velocities[MEMBERS] = {4.0f, 1.5f, -0.75f};
static const double member_weights[MEMBERS] = {0.5, 0.125, 0.375};
static const float member_markers[MEMBERS][MOST_MEMBER_MARKERS] = {
    {0.0625f, 0.25f, 0.3125f, 0.5f}, {0.125f, 0.375f, 0.875f, 1.0f}, {0.3125f, 1.0f, 1.125f, 1.25f}};
#define LEADER_OFFSET 0.1875

typedef struct piece_scene {
    control_player_def players[MEMBERS];
    float markers[MEMBERS][MOST_MEMBER_MARKERS];
    lmb_notify_def notifies[MEMBERS][2];
    control_group_def group;
    lmb_motion_def motion;
    control_def def;
} piece_scene;

static stage begin_pieces(const piece_case *given, piece_scene *scene) {
    static const uint32_t members[MEMBERS] = {0, 1, 2};
    lmb_value weights[MEMBERS];
    for (uint32_t i = 0; i < MEMBERS; i++) {
        control_player_def *player = &scene->players[i];
        *player = stage_player(member_durations[i] * given->scale, i);
        for (uint32_t k = 0; k < given->marker_count; k++) {
            scene->markers[i][k] = member_markers[i][k] * given->scale;
        }
        player->markers = scene->markers[i];
        player->marker_count = given->marker_count;
        player->velocity = member_velocities[i];
        player->looped_event = EVENTS_OF_MEMBER * i + 2;
        for (uint32_t k = 0; k < 2; k++) {
            scene->notifies[i][k] =
                (lmb_notify_def){player->duration * (k == 0 ? 0.1875f : 0.6875f), EVENTS_OF_MEMBER * i + k};
        }
        player->notifies = scene->notifies[i];
        player->notify_count = 2;
        weights[i] = lmb_constant((float)member_weights[i]);
    }
    scene->players[0].offset = (float)LEADER_OFFSET * given->scale;
    scene->group = (control_group_def){.players = members,
                                       .player_count = MEMBERS,
                                       .cadence = given->cadence,
                                       .rate = lmb_constant(given->rate),
                                       .velocity_parameter = LMB_NONE};
    scene->motion = lmb_default_motion_def();
    scene->def = stage_control(scene->players, MEMBERS, MEMBERS);
    scene->def.event_count = EVENTS_OF_MEMBER * MEMBERS;
    scene->def.max_emitted_events = STAGE_EMITTED;
    scene->def.groups = &scene->group;
    scene->def.group_count = 1;
    scene->def.motion = &scene->motion;
    return stage_begin_with(&scene->def, control_program_create(&scene->def, weights));
}

// A piece of a member's clip: its beginning after the first marker, and its length.
static double find_piece(const piece_case *given, uint32_t member, uint32_t piece, double *length) {
    const float *markers = member_markers[member];
    const double begin = (double)(markers[piece] - markers[0]);
    const double end =
        piece + 1 < given->marker_count ? (double)(markers[piece + 1] - markers[0]) : (double)member_durations[member];
    *length = (end - begin) * (double)given->scale;
    return begin * (double)given->scale;
}

// The leader's rate in a piece.
static double find_piece_rate(const piece_case *given, uint32_t piece) {
    double speeds = 0.0, pieces = 0.0, rates = 0.0, lengths = 0.0, led, own;
    find_piece(given, 0, piece, &led);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        const double speed = member_weights[i] * fabs((double)member_velocities[i]);
        find_piece(given, i, piece, &own);
        speeds += speed;
        pieces += speed * own / led;
        rates += member_weights[i] * led / own;
        lengths += member_weights[i] * own;
    }
    const double r = given->cadence == LMB_CADENCE_VELOCITY ? speeds / pieces
                     : given->cadence == LMB_CADENCE_LENGTH ? led / lengths
                                                            : rates;
    return copysign(fmin(fabs((double)given->rate) * r, 64.0), (double)given->rate);
}

// Rounds of all members since the first marker: whole ones, and a piece and the share of it in the present one.
typedef struct course {
    double rounds;
    uint32_t piece;
    double share;
} course;

static double position_of(const piece_case *given, uint32_t member, const course *at) {
    double length;
    const double begin = find_piece(given, member, at->piece, &length);
    return at->rounds * (double)member_durations[member] * (double)given->scale + begin + at->share * length;
}

static void travel(const piece_case *given, course *at, double seconds) {
    for (;;) {
        double length;
        const double rate = find_piece_rate(given, at->piece);
        find_piece(given, 0, at->piece, &length);
        const double left = (rate < 0.0 ? at->share : 1.0 - at->share) * length;
        if (fabs(rate) * seconds <= left) {
            at->share += rate * seconds / length;
            return;
        }
        seconds -= left / fabs(rate);
        at->share = rate < 0.0 ? 1.0 : 0.0;
        if (rate < 0.0) {
            at->rounds -= at->piece == 0;
            at->piece = (at->piece + given->marker_count - 1) % given->marker_count;
        } else {
            at->piece = (at->piece + 1) % given->marker_count;
            at->rounds += at->piece == 0;
        }
    }
}

static course begin_course(const piece_case *given) {
    course at = {0.0, 0, 0.0};
    const double offset = (LEADER_OFFSET - (double)member_markers[0][0]) * (double)given->scale;
    double length, begin = find_piece(given, 0, 0, &length);
    while (begin + length <= offset) {
        begin = find_piece(given, 0, ++at.piece, &length);
    }
    at.share = (offset - begin) / length;
    return at;
}

// How often a time in a clip lies between two positions.
static double count_passes(double from, double to, double time, double duration) {
    return ceil((fmax(from, to) - time) / duration) - ceil((fmin(from, to) - time) / duration);
}

// Checks positions, root motion and the numbers of events after this time. Rates have a relative error of 3e-7, and are
// rounded to 2^-24.
static void check_course(const piece_case *given, const stage *s, double seconds) {
    const double bound = seconds * (3e-7 * fmin(2.0 * fabs((double)given->rate), 64.0) + 0x1p-23);
    const course begun = begin_course(given);
    course at = begun;
    double displacement = 0.0;
    travel(given, &at, seconds);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        const double duration = (double)member_durations[i] * (double)given->scale;
        const double first = (double)member_markers[i][0] * (double)given->scale;
        const double from = first + position_of(given, i, &begun), to = first + position_of(given, i, &at);
        assert_near(apart(stage_player_seconds(s, i), to, duration), 0.0, bound);
        displacement += member_weights[i] * (double)member_velocities[i] * (to - from);
        for (uint32_t k = 0; k < 2 && s->counts[0] > 0; k++) {
            const double time = duration * (k == 0 ? 0.1875 : 0.6875);
            assert_near(s->counts[EVENTS_OF_MEMBER * i + k], count_passes(from, to, time, duration), 0.0);
        }
    }
    assert_near(lmb_state_motion(s->control, s->state).position[2], displacement,
                2e-6 * fabs(displacement) + 8.0 * bound + 1e-6);
}

// At any number of frames a second, the positions are the same to a few units of 1/65,536 of a tick for each marker.
static void test_frame_rates(void **state) {
    (void)state;
    static const uint64_t rates[] = {1, 5, 7, 10, 24, 30, 60, 144, 240};
    for (size_t i = 0; i < PIECE_CASES; i++) {
        const piece_case *given = &piece_cases[i];
        uint64_t first = 0;
        for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
            piece_scene scene;
            stage s = begin_pieces(given, &scene);
            bool lost = false;
            for (uint64_t frame = 0; frame < 10 * rates[k]; frame++) {
                stage_step(&s, SECOND / rates[k]);
                lost = lost || s.emitted[0] > STAGE_EMITTED;
            }
            if (lost) {
                s.counts[0] = 0;
            }
            check_course(given, &s, 10.0);
            const uint64_t ticks = lmb_state_player(s.control, s.state, 0).ticks;
            first = k == 0 ? ticks : first;
            assert_near(apart((double)ticks, (double)first, (double)scene.players[0].duration * (double)SECOND), 0.0,
                        1.0);
            stage_end(&s);
        }
    }
}

// A step of a minute passes thousands of rounds.
static void test_long_steps(void **state) {
    (void)state;
    for (size_t i = 0; i < PIECE_CASES; i++) {
        piece_scene scene;
        stage s = begin_pieces(&piece_cases[i], &scene);
        for (int frame = 0; frame < 3; frame++) {
            stage_step(&s, LMB_MAX_STEP_TICKS);
        }
        s.counts[0] = 0; // most are lost
        check_course(&piece_cases[i], &s, 180.0);
        stage_end(&s);
    }
}

// The events of each member have the same order in one step as in many.
static void test_order_over_markers(void **state) {
    (void)state;
    for (size_t i = 0; i < PIECE_CASES; i++) {
        piece_scene scene;
        uint32_t orders[2][MEMBERS] = {{0}};
        for (uint32_t way = 0; way < 2; way++) {
            stage s = begin_pieces(&piece_cases[i], &scene);
            const double rate = fabs((double)piece_cases[i].rate);
            const double seconds = 2.0 * (double)piece_cases[i].scale / fmax(1.0, rate);
            const uint64_t steps = way == 0 ? 1 : 50;
            for (uint64_t frame = 0; frame < steps; frame++) {
                stage_step(&s, lmb_ticks_from_seconds(seconds / 50.0) * (50 / steps));
                assert_in_range(s.emitted[0], 0, STAGE_EMITTED);
                for (uint32_t k = 0; k < s.emitted[0]; k++) {
                    const uint32_t event = lmb_emitted_event_at(s.emitted, k).event;
                    if (event % EVENTS_OF_MEMBER != 2) { // `looped` follows the notifies of a step, once
                        uint32_t *order = &orders[way][event / EVENTS_OF_MEMBER];
                        *order = *order * 31 + event + 1;
                    }
                }
            }
            stage_end(&s);
        }
        assert_memory_equal(orders[0], orders[1], sizeof orders[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_phases), cmocka_unit_test(test_first_step),
                                       cmocka_unit_test(test_frame_rates), cmocka_unit_test(test_long_steps),
                                       cmocka_unit_test(test_order_over_markers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
