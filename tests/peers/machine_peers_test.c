// State machines beside those of other engines: what each of them does by its documentation and its source, as a table
// of peer, case, and the states over time.
//
// Godot 4: AnimationNodeStateMachinePlayback.travel() follows the shortest path of transitions, without their
// conditions. On it, a transition waits until no fade runs, and with "At End" also for the end of the clip. While there
// is a path, no other transition is taken. A state without a path is reached at once ("teleports"). A transition whose
// advance mode is "Disabled" is on no path, and `priority` multiplies its length. Lengths are those of the editor's
// lines, here all equal. An "At End" transition begins its fade before the end, so these have none here.
#include "control_stage.h"

#include <math.h>

enum { A, B, C, D, E, STATES };
enum { AUTO = 100, MOST_TRANSITIONS = 6, MOST_SENT = 2, MOST_SEEN = 6 };

// A transition: at the end of the clip, with a fade, with a priority (0: disabled). `by` is LMB_NONE if only travel
// takes it, or AUTO if it is taken after half a second.
typedef struct edge {
    uint32_t from, to;
    bool at_end;
    float fade;
    uint32_t priority;
    uint32_t by;
} edge;

typedef struct travel_row {
    const char *peer, *name;
    edge edges[MOST_TRANSITIONS]; // until one from A to A
    struct {
        double at;
        uint32_t to;
    } sent[MOST_SENT]; // travel(to); E at 0 s: none
    struct {
        double at; // a time after which the state is current, until the next one
        uint32_t state;
    } seen[MOST_SEEN]; // until one at 0 s
} travel_row;

#define ONLY LMB_NONE
static const travel_row travels[] = {
    {"Godot", "a transition", {{A, B, false, 0.0f, 1, ONLY}}, {{0.1, B}}, {{0.1, B}}},
    {"Godot",
     "a chain without fades takes one frame",
     {{A, B, false, 0.0f, 1, ONLY}, {B, C, false, 0.0f, 1, ONLY}, {C, D, false, 0.0f, 1, ONLY}},
     {{0.1, D}},
     {{0.1, D}}},
    {"Godot",
     "each transition waits for the fade before it",
     {{A, B, false, 0.5f, 1, ONLY}, {B, C, false, 0.25f, 1, ONLY}, {C, D, false, 0.5f, 1, ONLY}},
     {{0.1, D}},
     {{0.1, B}, {0.6, C}, {0.85, D}}},
    {"Godot",
     "one at the end waits for the clip",
     {{A, B, false, 0.0f, 1, ONLY}, {B, C, true, 0.0f, 1, ONLY}, {C, D, true, 0.0f, 1, ONLY}},
     {{0.1, D}},
     {{0.1, B}, {1.1, C}, {2.1, D}}},
    {"Godot", "without a path at once", {{B, A, false, 0.5f, 1, ONLY}}, {{0.1, B}}, {{0.1, B}}},
    {"Godot",
     "a disabled transition is on no path",
     {{A, C, false, 0.0f, 0, ONLY}, {A, B, false, 0.5f, 1, ONLY}, {B, C, false, 0.0f, 1, ONLY}},
     {{0.1, C}},
     {{0.1, B}, {0.6, C}}},
    {"Godot",
     "priority multiplies the length",
     {{A, C, false, 0.5f, 3, ONLY},
      {C, D, false, 0.5f, 1, ONLY},
      {A, B, false, 0.5f, 1, ONLY},
      {B, D, false, 0.5f, 1, ONLY}},
     {{0.1, D}},
     {{0.1, B}, {0.6, D}}},
    {"Godot",
     "the shorter path",
     {{A, B, false, 0.5f, 1, ONLY},
      {B, C, false, 0.5f, 1, ONLY},
      {C, E, false, 0.5f, 1, ONLY},
      {A, D, false, 0.5f, 1, ONLY},
      {D, E, false, 0.25f, 1, ONLY}},
     {{0.1, E}},
     {{0.1, D}, {0.6, E}}},
    {"Godot", "travel to the current state", {{A, B, false, 0.0f, 1, ONLY}}, {{0.1, A}}, {{0.1, A}}},
    {"Godot",
     "no other transition meanwhile",
     {{A, B, true, 0.0f, 1, ONLY}, {A, C, false, 0.0f, 1, AUTO}},
     {{0.1, B}},
     {{0.1, A}, {1.0, B}}},
    {"Godot",
     "others again after the arrival",
     {{A, B, false, 0.0f, 1, ONLY}, {B, C, false, 0.0f, 1, AUTO}},
     {{0.1, B}},
     {{0.1, B}, {0.6, C}}},
    {"Godot",
     "another destination on the way",
     {{A, B, false, 0.5f, 1, ONLY}, {B, C, false, 0.0f, 1, ONLY}, {B, D, false, 0.0f, 1, ONLY}},
     {{0.1, C}, {0.3, D}},
     {{0.1, B}, {0.6, D}}},
    {"Godot",
     "back on the way",
     {{A, B, false, 0.5f, 1, ONLY}, {B, A, false, 0.0f, 1, ONLY}, {B, D, false, 0.0f, 1, ONLY}},
     {{0.1, D}, {0.3, A}},
     {{0.1, B}, {0.6, A}}},
};

enum { NO_EVENT = STATES, EVENTS };

// A machine of five states with clips of a second, which travel events 0 to 4 ask for.
typedef struct machine {
    control_player_def players[STATES];
    control_state_def states[STATES];
    lmb_transition_def transitions[MOST_TRANSITIONS];
    control_machine_def def;
} machine;

static control_def describe(const travel_row *row, machine *m) {
    m->def = (control_machine_def){
        .states = m->states, .state_count = STATES, .transitions = m->transitions, .machine = LMB_NONE};
    for (uint32_t i = 0; i < STATES; i++) {
        m->players[i] = stage_player(1.0f, i);
        m->players[i].end = LMB_END_HOLD;
        m->players[i].machine = 0;
        m->players[i].state = i;
        m->states[i] = default_control_state_def();
        m->states[i].end_player = i;
        m->states[i].travel_event = i;
    }
    uint32_t count = 0;
    for (const edge *from = row->edges; count < MOST_TRANSITIONS && from->from != from->to; from++) {
        lmb_transition_def *to = &m->transitions[count++];
        *to = stage_transition(from->from, from->to, from->by == AUTO ? LMB_NONE : NO_EVENT, from->fade);
        to->at_end = from->at_end;
        to->after = from->by == AUTO ? 0.5f : -1.0f;
        to->travel_cost = from->priority;
    }
    m->def.transition_count = count;
    control_def def = stage_control(m->players, STATES, STATES);
    def.machines = &m->def;
    def.machine_count = 1;
    def.event_count = EVENTS;
    return def;
}

// The state that the row has at a time, which no transition is close to.
static uint32_t state_at(const travel_row *row, double time) {
    uint32_t state = A;
    for (uint32_t i = 0; i < MOST_SEEN && row->seen[i].at > 0.0 && row->seen[i].at < time; i++) {
        state = row->seen[i].state;
    }
    return state;
}

static void run_travel(const travel_row *row) {
    machine m;
    const control_def def = describe(row, &m);
    stage s = stage_begin(&def);
    for (uint32_t i = 0; i < 240; i++) {
        const double begin = i / 60.0, end = (i + 1) / 60.0;
        uint32_t events[MOST_SENT], count = 0;
        for (uint32_t k = 0; k < MOST_SENT && row->sent[k].at > 0.0; k++) {
            if (fabs(row->sent[k].at - begin) < 1e-6) {
                events[count++] = row->sent[k].to;
            }
        }
        stage_step_with(&s, SIXTIETH, events, count);
        const uint32_t state = stage_current_state(&s, 0);
        if (state != state_at(row, end - 1e-6)) {
            fail_msg("%s: %s: at %.3f s the state is %u, not %u", row->peer, row->name, end, state,
                     state_at(row, end - 1e-6));
        }
    }
    stage_end(&s);
}

static void travel_takes_the_shortest_path(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof travels / sizeof *travels; i++) {
        run_travel(&travels[i]);
    }
}

// Where the clip of the second state begins, in seconds. The first one has a clip of a second, which the machine leaves
// after half a second.
//
// Unity: "Transition Offset: a value of 0.5 means the target state begins playing at 50% of the way through its own
// timeline" (manual, Animation transitions). Godot: switch mode "Sync" seeks the new state to the position of the old
// one, which is the same phase if both last equally long. "Immediate" begins at 0.
static const struct {
    const char *peer, *name;
    lmb_start start;
    float phase, duration;
    lmb_end end;
    double begins;
} starts[] = {
    {"Unity", "no offset", LMB_START_PHASE, 0.0f, 2.0f, LMB_END_LOOP, 0.0},
    {"Unity", "offset", LMB_START_PHASE, 0.5f, 2.0f, LMB_END_LOOP, 1.0},
    {"Unity", "offset of a clip that holds", LMB_START_PHASE, 0.25f, 4.0f, LMB_END_HOLD, 1.0},
    {"Unity", "offset at the end", LMB_START_PHASE, 1.0f, 2.0f, LMB_END_HOLD, 2.0},
    {"Godot", "sync", LMB_START_SYNC, 0.0f, 1.0f, LMB_END_LOOP, 0.5},
    {"Godot", "immediate", LMB_START_OFFSET, 0.0f, 1.0f, LMB_END_LOOP, 0.0},
    {"Limber", "sync of a longer clip", LMB_START_SYNC, 0.0f, 3.0f, LMB_END_LOOP, 1.5},
};

static void states_begin_where_transitions_say(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        const travel_row row = {.edges = {{A, B, false, 0.25f, 1, AUTO}}};
        machine m;
        const control_def def = describe(&row, &m);
        m.players[B].duration = starts[i].duration;
        m.players[B].end = starts[i].end;
        m.transitions[0].start = starts[i].start;
        m.transitions[0].start_phase = starts[i].phase;
        stage s = stage_begin(&def);
        for (uint32_t frame = 0; frame < 36; frame++) {
            stage_step(&s, SIXTIETH);
        }
        const double expected = fmin(starts[i].begins + 0.1, starts[i].end == LMB_END_HOLD ? starts[i].duration : 9.0);
        if (fabs(stage_player_seconds(&s, B) - expected) > 1e-6) {
            fail_msg("%s: %s: %.6f s, not %.6f", starts[i].peer, starts[i].name, stage_player_seconds(&s, B), expected);
        }
        stage_end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(travel_takes_the_shortest_path),
        cmocka_unit_test(states_begin_where_transitions_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
