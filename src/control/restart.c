// Finds whether a state machine can restart a state that is still seen, which needs inertialization.
//
// A state that a fade leaves has a weight until this fade is over or, if others interrupt it, one of these. For each
// state the search follows the fades from it, and keeps by how long a fade each other state may be entered meanwhile.
// A transition that waits for longer than that, by `after` or for the end of a clip, is not followed. What is not known
// when a graph is created (events, conditions, rates by parameters) may happen at any time.
//
// The time to the end of a clip is known if the clip begins whenever its state is entered. That is first assumed of all
// states. It is withdrawn from those that are found to be entered while they are seen, and then all is searched again.
#include "moving.h"

#include <math.h>
#include <string.h>

// After so many searches no time to an end counts as known.
#define MOST_SEARCHES 8

typedef struct search {
    const lmb_moving *moving;
    const lmb_moving_machine *machine;
    bool goes_on[LMB_MAX_STATES];  // it may be entered while it is seen, and so its clip may be anywhere
    uint32_t seen;                 // the state that is followed
    float seconds[LMB_MAX_STATES]; // how long it may still be seen when this state is entered; 0: it is not
} search;

// Whether a transition fades by weights, so that the states that it leaves are still seen.
static bool fades(const lmb_transition_def *transition) {
    return transition->kind != LMB_FADE_INERTIALIZED && transition->fade > 0.0f;
}

// Returns the seconds from the entry of a state to the end of its clip, or 0 if they are not known. A margin covers the
// rounding of rates.
static float find_end(const search *s, uint32_t state) {
    const uint32_t index = s->machine->states[state].end_player;
    const lmb_moving_player *player = index != LMB_NONE ? &s->moving->players[index] : NULL;
    if (player == NULL || s->goes_on[state] || player->def->group != LMB_NONE || player->def->sync_node != LMB_NONE ||
        player->def->random_offset || player->def->rate.kind != LMB_VALUE_CONSTANT ||
        player->def->rate.curve != LMB_CURVE_LINEAR) {
        return 0.0f;
    }
    const float rate = fminf(fmaxf(player->def->rate.constant, -64.0f), 64.0f);
    const bool wraps = player->def->end == LMB_END_LOOP && player->def->offset == player->duration;
    const float offset = wraps ? 0.0f : player->def->offset;
    const float left = rate > 0.0f ? player->duration - offset : offset;
    const uint32_t later = player->def->repetitions > 0 ? player->def->repetitions - 1 : 0;
    const float delay = player->def->delay;
    return 0.99f * (delay + (left + (float)later * player->duration) / fmaxf(fabsf(rate), 1e-6f));
}

// Returns whether a transition may be taken from a state while the followed one is seen.
static bool leaves_seen(const search *s, const lmb_transition_def *transition, uint32_t from) {
    const float waits = fmaxf(transition->after, transition->at_end ? find_end(s, from) : 0.0f);
    const bool in_time = from == s->seen || (s->seconds[from] > 0.0f && waits < s->seconds[from]);
    return in_time && lmb_transition_leaves(transition, from);
}

// The same from any state.
static bool is_taken_seen(const search *s, const lmb_transition_def *transition) {
    bool taken = false;
    for (uint32_t from = 0; from < s->machine->def.state_count && !taken; from++) {
        taken = leaves_seen(s, transition, from);
    }
    return taken;
}

static void follow(search *s, uint32_t state) {
    const lmb_machine_def *machine = &s->machine->def;
    memset(s->seconds, 0, sizeof s->seconds);
    s->seen = state;
    bool grows = true;
    while (grows) {
        grows = false;
        for (uint32_t i = 0; i < machine->transition_count; i++) {
            const lmb_transition_def *transition = &machine->transitions[i];
            const uint32_t to = transition->to;
            // Indices have not been checked yet.
            if (to < machine->state_count && to != state && fades(transition) && transition->fade > s->seconds[to] &&
                is_taken_seen(s, transition)) {
                s->seconds[to] = transition->fade;
                grows = true;
            }
        }
    }
}

// Returns whether the followed state may be entered while it is seen; `by_fades`: by a fade.
static bool is_entered_seen(const search *s, bool by_fades) {
    const lmb_machine_def *machine = &s->machine->def;
    bool entered = false;
    for (uint32_t i = 0; i < machine->transition_count && !entered; i++) {
        const lmb_transition_def *transition = &machine->transitions[i];
        entered = transition->to == s->seen && (!by_fades || fades(transition)) && is_taken_seen(s, transition);
    }
    return entered;
}

// Returns whether a state may restart when it is entered while it is seen.
static bool may_restart(const search *s, uint32_t state) {
    const uint32_t player = s->machine->states[state].end_player;
    const bool stays = player != LMB_NONE && lmb_player_last_end(s->moving->players[player].def) != LMB_END_LOOP;
    return s->machine->def.states[state].restart || stays;
}

bool lmb_moving_restarts_seen(const lmb_moving *moving, const lmb_moving_machine *machine) {
    search s = {.moving = moving, .machine = machine};
    const uint32_t count = machine->def.state_count;
    bool any = false, grows = true;
    for (uint32_t i = 0; i < count; i++) {
        any = any || may_restart(&s, i);
        s.goes_on[i] = lmb_machine_travels(&machine->def); // it may be entered at once, without a path
    }
    for (uint32_t i = 0; i < machine->def.transition_count; i++) {
        const lmb_transition_def *transition = &machine->def.transitions[i];
        if (transition->start != LMB_START_OFFSET && transition->to < count) {
            s.goes_on[transition->to] = true;
        }
    }
    for (uint32_t searches = 0; any && grows; searches++) {
        grows = false;
        for (uint32_t i = 0; i < count; i++) {
            follow(&s, i);
            if (!s.goes_on[i] && (searches == MOST_SEARCHES || is_entered_seen(&s, false))) {
                s.goes_on[i] = true;
                grows = true;
            }
        }
    }
    bool restarts = false;
    for (uint32_t i = 0; i < count && any && !restarts; i++) {
        follow(&s, i);
        restarts = may_restart(&s, i) && is_entered_seen(&s, true);
    }
    return restarts;
}
