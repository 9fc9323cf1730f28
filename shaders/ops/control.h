// Control: what moves a character's times and weights on by a frame, as include/limber/control.h describes it. Scalar code,
// which may branch: one invocation, or one turn of a loop, for each character.
#ifndef LMB_OPS_CONTROL_H
#define LMB_OPS_CONTROL_H

#include "motion.h"

// What is told to the host. Where there is no room it is counted.
SELDOM_OP void tell_times(control c, uint event, real weight, uint times) {
    if (event == CONTROL_NONE || !c.tells) {
        return;
    }
    uint capacity = LOAD(c.block, CONTROL_TOLD_CAPACITY);
    uint count = LOAD(c.told, TOLD_AT(c, 0u));
    uint room = capacity > count ? capacity - count : 0u;
    uint kept = times < room ? times : room;
    for (address i = 0u; i < kept; i++) {
        STORE(c.told, TOLD_AT(c, 1u + 2u * (count + i)), event);
        STORE(c.told, TOLD_AT(c, 2u + 2u * (count + i)), BITS(weight));
    }
    STORE(c.told, TOLD_AT(c, 0u), count + times);
    set_state_word(c, CHARACTER_TOLD_LOST, state_word(c, CHARACTER_TOLD_LOST) + (times - kept));
}

OP void tell(control c, uint event, real weight) {
    tell_times(c, event, weight, 1u);
}

OP address inertia_state(control c) {
    return LOAD(c.block, LOAD(c.block, CONTROL_INERTIA) + INERTIAL_STATE);
}

// Another frame, in which time goes on.
SELDOM_OP void move_inertia(control c) {
    address at = inertia_state(c);
    ticks step = fine_of_ticks(c.duration);
    set_state_word(c, at + INERTIAL_NUMBER, (state_word(c, at + INERTIAL_NUMBER) + 1u) & INERTIA_LAST_NUMBER);
    set_state_word(c, at + INERTIAL_STEP_BEFORE, state_word(c, at + INERTIAL_STEP));
    set_state_word(c, at + INERTIAL_STEP, BITS(seconds_of_fine(step)));
    if (state_number(c, at + INERTIAL_DURATION) > 0.0f) {
        set_state_ticks(c, at + INERTIAL_TIME, add_ticks(state_ticks(c, at + INERTIAL_TIME), step));
    }
    if (!(seconds_of_fine(state_ticks(c, at + INERTIAL_TIME)) < state_number(c, at + INERTIAL_DURATION))) {
        set_state_word(c, at + INERTIAL_DURATION, 0u);
        set_state_ticks(c, at + INERTIAL_TIME, make_ticks(0u, 0u));
    }
}

// From the frame before on. Of several in a frame the longest.
SELDOM_OP void switch_inertia(control c, real duration) {
    address at = inertia_state(c);
    uint number = state_word(c, at + INERTIAL_NUMBER);
    bool again = state_word(c, at + INERTIAL_SWITCHED) == number;
    real longest = state_number(c, at + INERTIAL_DURATION);
    if (!again || duration > longest) {
        longest = duration;
    }
    set_state_word(c, at + INERTIAL_SWITCHED, number);
    set_state_word(c, at + INERTIAL_DURATION, BITS(longest));
    set_state_ticks(c, at + INERTIAL_TIME, fine_of_ticks(c.duration));
}

SELDOM_OP void write_inertia(control c) {
    address at = inertia_state(c);
    uint first = LOAD(c.block, LOAD(c.block, CONTROL_INERTIA) + INERTIAL_PARAMETER);
    real number = TO_REAL(state_word(c, at + INERTIAL_NUMBER));
    real switched = TO_REAL(state_word(c, at + INERTIAL_SWITCHED));
    write_parameter(c, first + INERTIA_NUMBER, number);
    write_parameter(c, first + INERTIA_STEP, state_number(c, at + INERTIAL_STEP_BEFORE));
    write_parameter(c, first + INERTIA_SWITCHED, switched);
    write_parameter(c, first + INERTIA_TIME, seconds_of_fine(state_ticks(c, at + INERTIAL_TIME)));
    write_parameter(c, first + INERTIA_DURATION, state_number(c, at + INERTIAL_DURATION));
}

OP address machine_at(control c, address machine) {
    return LOAD(c.block, machine + MACHINE_STATE);
}

OP address state_weight_at(control c, address machine, address state) {
    return machine_at(c, machine) + MACHINE_WEIGHTS + state * MACHINE_STATE_WEIGHT_WORDS;
}

OP real state_weight(control c, address machine, address state) {
    return state_number(c, state_weight_at(c, machine, state));
}

// A state's weight in all: in its machine, that one's in its own, and so on; 1 in no machine.
OP real whole_weight(control c, address machine, address state) {
    real weight = 1.0f;
    for (address level = 0u; level < MOST_MACHINES_WITHIN && machine != CONTROL_NONE; level++) {
        weight = weight * state_weight(c, machine, state);
        state = LOAD(c.block, machine + MACHINE_OUTER_STATE);
        machine = LOAD(c.block, machine + MACHINE_OUTER);
    }
    return snap(weight);
}

// Whether time passes in a state: it is current or still seen, and no fade from it freezes it, nor what it is in.
OP bool state_moves(control c, address machine, address state) {
    bool moves = true;
    for (address level = 0u; level < MOST_MACHINES_WITHIN && machine != CONTROL_NONE && moves; level++) {
        address at = machine_at(c, machine);
        if (state_word(c, at + MACHINE_CURRENT) != state) {
            // Most of the others are not seen.
            moves = state_weight(c, machine, state) > 0.0f;
            address fade = state_word(c, at + MACHINE_FADE);
            if (moves && fade != 0u) {
                moves = (LOAD(c.block, fade + TRANSITION_FLAGS) & TRANSITION_FREEZES) == 0u;
            }
        }
        state = LOAD(c.block, machine + MACHINE_OUTER_STATE);
        machine = LOAD(c.block, machine + MACHINE_OUTER);
    }
    return moves;
}

// A state that players are in, or none, as it is for all characters.
STRUCT(home)
address machine;
address state;
address current;   // where the state has the number of the machine's current one
address weight;    // and this one's weight
bool is_outermost; // the machine is in no other
END_STRUCT(home)

OP home load_home(memory block, address player) {
    home h;
    h.machine = LOAD(block, player + PLAYER_MACHINE);
    h.state = LOAD(block, player + PLAYER_MACHINE_STATE);
    h.current = 0u;
    h.weight = 0u;
    h.is_outermost = false;
    if (h.machine != CONTROL_NONE) {
        address at = LOAD(block, h.machine + MACHINE_STATE);
        h.current = at + MACHINE_CURRENT;
        h.weight = at + MACHINE_WEIGHTS + h.state * MACHINE_STATE_WEIGHT_WORDS;
        h.is_outermost = LOAD(block, h.machine + MACHINE_OUTER) == CONTROL_NONE;
    }
    return h;
}

// As state_moves, which is asked where the answer is not plain.
OP bool home_moves(control c, home h) {
    bool moves = true;
    if (h.machine != CONTROL_NONE) {
        bool is_current = state_word(c, h.current) == h.state;
        moves = is_current || state_number(c, h.weight) > 0.0f;
        if (moves && !(is_current && h.is_outermost)) {
            moves = state_moves(c, h.machine, h.state);
        }
    }
    return moves;
}

// Whether all the states that a machine is in are current.
OP bool machine_is_current(control c, address machine) {
    bool current = true;
    for (address level = 0u; level < MOST_MACHINES_WITHIN; level++) {
        address state = LOAD(c.block, machine + MACHINE_OUTER_STATE);
        machine = LOAD(c.block, machine + MACHINE_OUTER);
        if (machine == CONTROL_NONE) {
            break;
        }
        current = current && state_word(c, machine_at(c, machine) + MACHINE_CURRENT) == state;
    }
    return current;
}

// Whether a machine is in a state of another one, at whatever depth.
OP bool machine_is_in(control c, address inner, address machine, address state) {
    bool found = false;
    for (address level = 0u; level < MOST_MACHINES_WITHIN && inner != CONTROL_NONE; level++) {
        address outer = LOAD(c.block, inner + MACHINE_OUTER);
        found = found || (outer == machine && LOAD(c.block, inner + MACHINE_OUTER_STATE) == state);
        inner = outer;
    }
    return found;
}

OP void begin_machine(control c, address machine) {
    address at = machine_at(c, machine);
    address words = MACHINE_WEIGHTS + LOAD(c.block, machine + MACHINE_STATE_COUNT) * MACHINE_STATE_WEIGHT_WORDS;
    for (address i = 0u; i < words; i++) {
        set_state_word(c, at + i, 0u);
    }
    set_state_word(c, at + MACHINE_WEIGHTS, BITS(1.0f));
}

OP void begin_player(control c, address player) {
    address at = LOAD(c.block, player + PLAYER_STATE);
    set_state_ticks(c, at + PLAYING_PLACE, block_ticks(c, player + PLAYER_OFFSET));
    set_state_word(c, at + PLAYING_FLAGS, 0u);
}

SELDOM_OP void begin_state(control c, address machine, address state) {
    address machines = LOAD(c.block, CONTROL_MACHINES);
    address machine_count = LOAD(c.block, CONTROL_MACHINE_COUNT);
    for (address i = 0u; i < machine_count; i++) {
        address inner = machines + i * MACHINE_WORDS;
        if (machine_is_in(c, inner, machine, state)) {
            begin_machine(c, inner);
        }
    }
    address players = LOAD(c.block, CONTROL_PLAYERS);
    address player_count = LOAD(c.block, CONTROL_PLAYER_COUNT);
    for (address i = 0u; i < player_count; i++) {
        address player = players + i * PLAYER_WORDS;
        address owner = LOAD(c.block, player + PLAYER_MACHINE);
        bool here = owner == machine && LOAD(c.block, player + PLAYER_MACHINE_STATE) == state;
        if (here || (owner != CONTROL_NONE && machine_is_in(c, owner, machine, state))) {
            begin_player(c, player);
        }
    }
}

SELDOM_OP real shape_fade(uint curve, real part) {
    real shaped = shape_number(curve, 0.0f, 1.0f, part);
    return clamp_real(snap(shaped), 0.0f, 1.0f);
}

// The weights of a machine's states, from how far its fade has come.
OP void weigh_states(control c, address machine) {
    address at = machine_at(c, machine);
    address fade = state_word(c, at + MACHINE_FADE);
    if (fade == 0u) {
        return;
    }
    ticks faded = state_ticks(c, at + MACHINE_FADED);
    ticks whole = block_ticks(c, fade + TRANSITION_FADE);
    real share = 1.0f;
    if (ticks_less(faded, whole) && (LOAD(c.block, fade + TRANSITION_FLAGS) & TRANSITION_INERTIALIZES) == 0u) {
        // 24 bits of the share, which a float holds.
        real part = TO_REAL(share_of_ticks(faded, whole) >> 8u) * 5.96046448e-08f;
        share = shape_fade(LOAD(c.block, fade + TRANSITION_CURVE), part);
    } else {
        set_state_word(c, at + MACHINE_FADE, 0u);
    }
    address current = state_word(c, at + MACHINE_CURRENT);
    address state_count = LOAD(c.block, machine + MACHINE_STATE_COUNT);
    for (address state = 0u; state < state_count; state++) {
        address weight_at = at + MACHINE_WEIGHTS + state * MACHINE_STATE_WEIGHT_WORDS;
        real began = state_number(c, weight_at + 1u);
        real target = state == current ? 1.0f : 0.0f;
        real weight = lerp(began, target, share);
        set_state_word(c, weight_at, BITS(snap(weight)));
    }
}

OP bool compare_terms(uint kind, real left, real right) {
    bool holds = left == right;
    if (kind == TERM_LESS) {
        holds = left < right;
    }
    if (kind == TERM_LESS_EQUAL) {
        holds = left <= right;
    }
    if (kind == TERM_GREATER) {
        holds = left > right;
    }
    if (kind == TERM_GREATER_EQUAL) {
        holds = left >= right;
    }
    return holds;
}

// The truths so far are bits, the newest the lowest.
OP bool condition_holds(control c, address terms, uint count) {
    uint truths = 1u;
    for (address i = 0u; i < count; i++) {
        address term = terms + i * TERM_WORDS;
        uint kind = LOAD(c.block, term + TERM_KIND);
        uint both = truths & 3u;
        if (kind == TERM_AND) {
            truths = ((truths >> 2u) << 1u) | (both == 3u ? 1u : 0u);
        } else if (kind == TERM_OR) {
            truths = ((truths >> 2u) << 1u) | (both != 0u ? 1u : 0u);
        } else {
            real left = control_number(c, term + TERM_LEFT);
            real right = control_number(c, term + TERM_RIGHT);
            truths = (truths << 1u) | (compare_terms(kind, left, right) ? 1u : 0u);
        }
    }
    return (truths & 1u) != 0u;
}

OP address state_record(control c, address machine, address state) {
    return LOAD(c.block, machine + MACHINE_STATES) + state * STATE_WORDS;
}

OP address state_table(control c, address machine, address state) {
    return LOAD(c.block, state_record(c, machine, state) + STATE_TABLE);
}

OP bool state_ended(control c, address machine, address state) {
    address player = LOAD(c.block, state_record(c, machine, state) + STATE_END_PLAYER);
    bool ended = false;
    if (player != CONTROL_NONE) {
        uint flags = state_word(c, LOAD(c.block, player + PLAYER_STATE) + PLAYING_FLAGS);
        ended = (flags & (PLAYING_ENDED | PLAYING_PASSED)) != 0u;
    }
    return ended;
}

// Of one that leaves the current state, whatever its event.
OP bool transition_applies(control c, address machine, address current, address transition) {
    bool at_end = (LOAD(c.block, transition + TRANSITION_FLAGS) & TRANSITION_AT_END) != 0u;
    if (at_end && !state_ended(c, machine, current)) {
        return false;
    }
    ticks time = state_ticks(c, machine_at(c, machine) + MACHINE_TIME);
    if (ticks_less(time, block_ticks(c, transition + TRANSITION_AFTER))) {
        return false;
    }
    return condition_holds(c, LOAD(c.block, transition + TRANSITION_TERMS),
                           LOAD(c.block, transition + TRANSITION_TERM_COUNT));
}

OP void tell_state(control c, address machine, address state, uint which) {
    uint event = LOAD(c.block, state_record(c, machine, state) + which);
    if (event != CONTROL_NONE) {
        tell(c, event, whole_weight(c, machine, state));
    }
}

// Whether players began anew.
SELDOM_OP bool take_transition(control c, address machine, address transition) {
    address at = machine_at(c, machine);
    uint to = LOAD(c.block, transition + TRANSITION_TO);
    tell_state(c, machine, state_word(c, at + MACHINE_CURRENT), STATE_EXIT_EVENT);
    address state_count = LOAD(c.block, machine + MACHINE_STATE_COUNT);
    for (address state = 0u; state < state_count; state++) {
        address weight_at = at + MACHINE_WEIGHTS + state * MACHINE_STATE_WEIGHT_WORDS;
        set_state_word(c, weight_at + 1u, state_word(c, weight_at));
    }
    bool seen = state_weight(c, machine, to) > 0.0f;
    bool restarts = LOAD(c.block, state_table(c, machine, to) + TABLE_RESTARTS) != 0u;
    bool begins = !seen || state_ended(c, machine, to) || restarts;
    if (begins) {
        begin_state(c, machine, to);
    }
    set_state_word(c, at + MACHINE_CURRENT, to);
    set_state_ticks(c, at + MACHINE_TIME, make_ticks(0u, 0u));
    set_state_word(c, at + MACHINE_FADE, TO_WORD(transition));
    set_state_ticks(c, at + MACHINE_FADED, make_ticks(0u, 0u));
    weigh_states(c, machine);
    if ((LOAD(c.block, transition + TRANSITION_FLAGS) & TRANSITION_INERTIALIZES) != 0u) {
        switch_inertia(c, seconds_of_fine(block_ticks(c, transition + TRANSITION_FADE)));
    }
    tell_state(c, machine, to, STATE_ENTRY_EVENT);
    return begins;
}

// The first transition that needs no event and applies, or CONTROL_NONE.
OP address find_transition(control c, address machine) {
    address current = state_word(c, machine_at(c, machine) + MACHINE_CURRENT);
    address table = state_table(c, machine, current);
    address end = table + TABLE_TRANSITIONS + LOAD(c.block, table + TABLE_TRANSITION_COUNT);
    address found = CONTROL_NONE;
    for (address i = table + TABLE_TRANSITIONS; i < end; i++) {
        address transition = LOAD(c.block, i);
        if (transition_applies(c, machine, current, transition)) {
            found = transition;
            break;
        }
    }
    return found;
}

// Likewise the first that takes an event.
SELDOM_OP address find_taker(control c, address machine, uint event) {
    address current = state_word(c, machine_at(c, machine) + MACHINE_CURRENT);
    address transition = LOAD(c.block, machine + MACHINE_TRANSITIONS);
    address end = transition + LOAD(c.block, machine + MACHINE_TRANSITION_COUNT) * TRANSITION_WORDS;
    address found = CONTROL_NONE;
    for (; transition < end; transition += TRANSITION_WORDS) {
        uint from = LOAD(c.block, transition + TRANSITION_FROM);
        bool leaves = from == current || (from == CONTROL_NONE && LOAD(c.block, transition + TRANSITION_TO) != current);
        if (leaves && LOAD(c.block, transition + TRANSITION_EVENT) == event &&
            transition_applies(c, machine, current, transition)) {
            found = transition;
            break;
        }
    }
    return found;
}

// All of a machine's transitions in a frame: turn by turn one that needs no event, or else the next event's. Whether
// players began anew.
OP bool run_transitions(control c, address machine) {
    bool begun = false;
    uint taken = 0u;
    uint event = 0u;
    uint count = c.sent_count < MOST_EVENTS_SENT ? c.sent_count : MOST_EVENTS_SENT;
    while (machine_is_current(c, machine)) {
        address transition = find_transition(c, machine);
        if (transition == CONTROL_NONE) {
            if (event == count) {
                break;
            }
            transition = find_taker(c, machine, LOAD(c.sent, (c.sent_first + event) * 2u + 1u));
            event++;
        }
        if (transition != CONTROL_NONE) {
            if (taken == MOST_TRANSITIONS_A_FRAME) {
                uint left = state_word(c, CHARACTER_TRANSITIONS_LEFT);
                set_state_word(c, CHARACTER_TRANSITIONS_LEFT, left + 1u);
                break;
            }
            bool begins = take_transition(c, machine, transition);
            begun = begun || begins;
            taken++;
        }
    }
    return begun;
}

OP void move_fade(control c, address machine) {
    address at = machine_at(c, machine);
    address outer = LOAD(c.block, machine + MACHINE_OUTER);
    if (outer != CONTROL_NONE && !state_moves(c, outer, LOAD(c.block, machine + MACHINE_OUTER_STATE))) {
        return;
    }
    ticks fine = fine_of_ticks(c.duration);
    set_state_ticks(c, at + MACHINE_TIME, add_ticks(state_ticks(c, at + MACHINE_TIME), fine));
    if (state_word(c, at + MACHINE_FADE) != 0u) {
        set_state_ticks(c, at + MACHINE_FADED, add_ticks(state_ticks(c, at + MACHINE_FADED), fine));
    }
}

// A rate in 2^-16, and its direction.
STRUCT(pace)
uint rate;
bool backwards;
END_STRUCT(pace)

OP pace make_pace(real rate) {
    real bounded = is_finite(rate) ? clamp_real(snap(rate), -64.0f, 64.0f) : 0.0f;
    real magnitude = magnitude_of(bounded) * 65536.0f;
    pace p;
    p.backwards = bounded < 0.0f;
    p.rate = TO_WORD(magnitude + 0.5f);
    return p;
}

// Tells the notifies in [low, high), or up to and with high, in the order of time or against it.
OP void tell_notifies(control c, address player, ticks low, ticks high, bool with_high, bool backwards, real weight) {
    address notifies = LOAD(c.block, player + PLAYER_NOTIFIES);
    uint count = LOAD(c.block, player + PLAYER_NOTIFY_COUNT);
    for (address i = 0u; i < count; i++) {
        address notify = notifies + (backwards ? count - 1u - i : i) * NOTIFY_WORDS;
        ticks time = block_ticks(c, notify);
        bool below = ticks_less(time, high) || (with_high && !ticks_less(high, time));
        if (below && !ticks_less(time, low)) {
            tell(c, LOAD(c.block, notify + 2u), weight);
        }
    }
}

SELDOM_OP void tell_all_notifies(control c, address player, ticks duration, uint rounds, bool backwards, real weight) {
    uint count = LOAD(c.block, player + PLAYER_NOTIFY_COUNT);
    uint capacity = LOAD(c.block, CONTROL_TOLD_CAPACITY);
    uint told = count == 0u ? 0u : (rounds < capacity ? rounds : capacity);
    for (address i = 0u; i < told; i++) {
        tell_notifies(c, player, make_ticks(0u, 0u), duration, true, backwards, weight);
    }
    if (count > 0u && rounds > told) {
        // There is no room for any of them.
        tell_times(c, LOAD(c.block, LOAD(c.block, player + PLAYER_NOTIFIES) + 2u), weight, (rounds - told) * count);
    }
}

OP void tell_loop(control c, address player, passage p, ticks duration, real weight) {
    if (!c.tells || LOAD(c.block, player + PLAYER_NOTIFY_COUNT) == 0u) {
        return;
    }
    ticks start = make_ticks(0u, 0u);
    if (p.ends == 0u) {
        ticks low = p.backwards ? p.to : p.from;
        ticks high = p.backwards ? p.from : p.to;
        tell_notifies(c, player, low, high, false, p.backwards, weight);
    } else if (p.backwards) {
        tell_notifies(c, player, start, p.from, false, true, weight);
        tell_all_notifies(c, player, duration, p.ends - 1u, true, weight);
        tell_notifies(c, player, p.to, duration, true, true, weight);
    } else {
        tell_notifies(c, player, p.from, duration, true, false, weight);
        tell_all_notifies(c, player, duration, p.ends - 1u, false, weight);
        tell_notifies(c, player, start, p.to, false, false, weight);
    }
}

// The time in the clip of a place on the way there and back.
OP ticks turned_time(ticks place, ticks duration) {
    ticks time = place;
    if (!ticks_less(place, duration)) {
        time = subtract_ticks(add_ticks(duration, duration), place);
    }
    return time;
}

// How many ends lie at or before a place on the way there and back, coming from the first, or going back to it.
OP uint ends_reached(ticks place, ticks duration, bool backwards) {
    uint ends = ticks_less(place, duration) ? 0u : 1u;
    if (backwards) {
        ends = ticks_less(duration, place) ? 2u : (no_ticks(place) ? 0u : 1u);
    }
    return ends;
}

// On the way there and back, leg by leg. The clip's end is told where it is reached, its beginning where it is left.
SELDOM_OP void tell_turns(control c, address player, passage p, ticks duration, real weight) {
    bool rising = ticks_less(p.from, duration); // in the clip's time
    if (p.backwards) {
        rising = no_ticks(p.from) || ticks_less(duration, p.from);
    }
    ticks from = turned_time(p.from, duration);
    ticks to = turned_time(p.to, duration);
    uint most = LOAD(c.block, CONTROL_TOLD_CAPACITY) + 2u;
    uint legs = p.ends < most ? p.ends : most;
    for (uint leg = 0u; leg <= legs; leg++) {
        bool turns = leg < p.ends;
        ticks low = from;
        ticks high = turns ? duration : to;
        if (!rising) {
            low = turns || no_ticks(to) ? make_ticks(1u, 0u) : to;
            high = from;
        }
        tell_notifies(c, player, low, high, rising && turns, !rising, weight);
        from = rising ? duration : make_ticks(0u, 0u);
        rising = !rising;
    }
    uint count = LOAD(c.block, player + PLAYER_NOTIFY_COUNT);
    if (p.ends > legs && count > 0u) {
        uint event = LOAD(c.block, LOAD(c.block, player + PLAYER_NOTIFIES) + 2u);
        tell_times(c, event, weight, (p.ends - legs) * count);
    }
}

OP void set_playing(control c, address player, passage p, uint flags) {
    address at = LOAD(c.block, player + PLAYER_STATE);
    set_state_ticks(c, at + PLAYING_PLACE, p.to);
    set_state_word(c, at + PLAYING_FLAGS, flags | (p.ends > 0u ? PLAYING_PASSED : 0u));
}

// Of a player that does not move.
OP void stay(control c, address player) {
    address flags = LOAD(c.block, player + PLAYER_STATE) + PLAYING_FLAGS;
    set_state_word(c, flags, state_word(c, flags) & PLAYING_ENDED);
}

OP real player_weight(control c, address player) {
    return whole_weight(c, LOAD(c.block, player + PLAYER_MACHINE), LOAD(c.block, player + PLAYER_MACHINE_STATE));
}

OP bool player_moves(control c, address player) {
    return state_moves(c, LOAD(c.block, player + PLAYER_MACHINE), LOAD(c.block, player + PLAYER_MACHINE_STATE));
}

// How a player went, for its motion.
OP void note_passage(control c, address player, passage p) {
    if (!USES_MOVER || LOAD(c.block, CONTROL_MOVER) == CONTROL_NONE) {
        return;
    }
    address index = (player - LOAD(c.block, CONTROL_PLAYERS)) / PLAYER_WORDS;
    address carrying = LOAD(c.block, LOAD(c.block, LOAD(c.block, CONTROL_MOVER) + MOVER_CARRYING) + index);
    if (carrying != CONTROL_NONE) {
        set_state_ticks(c, carrying + CARRYING_FROM, p.from);
        set_state_word(c, carrying + CARRYING_ENDS, p.ends);
        set_state_word(c, carrying + CARRYING_HOW, p.backwards ? CARRYING_BACKWARDS : CARRYING_FORWARDS);
    }
}

// Whether a player's weight can matter to anybody who is told.
OP bool tells_something(control c, address player, bool ends) {
    return c.tells && (ends || LOAD(c.block, player + PLAYER_NOTIFY_COUNT) > 0u);
}

// To an end, where it stays.
OP void move_to_end(control c, address player, ticks by, bool backwards) {
    address at = LOAD(c.block, player + PLAYER_STATE);
    ticks duration = block_ticks(c, player + PLAYER_DURATION);
    bool had_ended = (state_word(c, at + PLAYING_FLAGS) & PLAYING_ENDED) != 0u;
    passage p;
    p.from = state_ticks(c, at + PLAYING_PLACE);
    p.to = p.from;
    p.ends = 0u;
    p.backwards = backwards;
    bool ended = had_ended;
    if (!no_ticks(by)) {
        ticks left = backwards ? p.from : subtract_ticks(duration, p.from);
        ended = !ticks_less(by, left);
        by = ended ? left : by;
        p.to = backwards ? subtract_ticks(p.from, by) : add_ticks(p.from, by);
    }
    note_passage(c, player, p);
    set_playing(c, player, p, ended ? PLAYING_ENDED : 0u);
    bool ends_now = ended && !had_ended;
    if (tells_something(c, player, ends_now)) {
        real weight = player_weight(c, player);
        ticks low = backwards ? p.to : p.from;
        ticks high = backwards ? p.from : p.to;
        tell_notifies(c, player, low, high, ends_now && !backwards, backwards, weight);
        if (ends_now) {
            tell(c, LOAD(c.block, player + PLAYER_ENDED_EVENT), weight);
        }
    }
}

// A player that no group moves, as it is for all characters.
STRUCT(player)
address record;
address state;
ticks duration;
uint end;
home at;
control_value rate;
pace constant_pace; // where no parameter gives it
END_STRUCT(player)

OP player load_player(memory block, address record) {
    player p;
    p.record = record;
    p.state = LOAD(block, record + PLAYER_STATE);
    p.duration = load_ticks(block, record + PLAYER_DURATION);
    p.end = LOAD(block, record + PLAYER_END);
    p.at = load_home(block, record);
    p.rate = load_value(block, record + PLAYER_RATE);
    p.constant_pace = make_pace(shape_value(p.rate, p.rate.constant));
    return p;
}

OP void move_player(control c, player own) {
    pace speed = own.constant_pace;
    if (own.rate.parameter != CONTROL_NONE) {
        speed = make_pace(number_of_value(c, own.rate));
    }
    ticks by = scale_ticks(c.duration, speed.rate);
    if (own.end == PLAYER_HOLDS || own.end == PLAYER_DROPS_OUT) {
        move_to_end(c, own.record, by, speed.backwards);
        return;
    }
    ticks duration = own.duration;
    ticks from = state_ticks(c, own.state + PLAYING_PLACE);
    ticks around = own.end == PLAYER_TURNS ? add_ticks(duration, duration) : duration;
    passage p = move_around(from, by, around, speed.backwards);
    note_passage(c, own.record, p);
    bool turns = own.end == PLAYER_TURNS && !no_ticks(duration);
    if (turns) {
        // Past ends of the clip rather than of the way there and back.
        uint reached_from = ends_reached(p.from, duration, speed.backwards);
        uint reached_to = ends_reached(p.to, duration, speed.backwards);
        p.ends = 2u * p.ends;
        p.ends = speed.backwards ? p.ends + reached_from - reached_to : p.ends + reached_to - reached_from;
    }
    set_playing(c, own.record, p, 0u);
    if (tells_something(c, own.record, p.ends > 0u)) {
        real weight = player_weight(c, own.record);
        if (turns) {
            tell_turns(c, own.record, p, duration, weight);
        } else {
            tell_loop(c, own.record, p, duration, weight);
        }
        if (p.ends > 0u) {
            tell(c, LOAD(c.block, own.record + PLAYER_LOOPED_EVENT), weight);
        }
    }
}

OP void move_players(CROWD all) {
    memory block = CROWD_BLOCK(all);
    address alone = LOAD(block, CONTROL_ALONE);
    address end = alone + LOAD(block, CONTROL_ALONE_COUNT);
    for (address at = alone; at < end; at++) {
        player own = load_player(block, LOAD(block, at));
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            if (c.moves && home_moves(c, own.at)) {
                move_player(c, own);
            } else if (c.moves) {
                stay(c, own.record);
            }
        }
    }
}

OP real motion_weight(control c, address motion) {
    address player = LOAD(c.block, motion + MOTION_PLAYER);
    uint flags = state_word(c, LOAD(c.block, player + PLAYER_STATE) + PLAYING_FLAGS);
    bool stays = (flags & PLAYING_ENDED) != 0u && LOAD(c.block, player + PLAYER_END) == PLAYER_DROPS_OUT;
    real weight = control_number(c, motion + MOTION_WEIGHT);
    return stays ? 0.0f : clamp_real(snap(weight), 0.0f, 1.09951163e+12f);
}

// What the ways of a home's players count: their weights, as many as sum up to 1 at most, of the home's. All are still.
OP real weigh_home(control c, address home) {
    address motions = LOAD(c.block, home + HOME_MOTIONS);
    address end = motions + LOAD(c.block, home + HOME_MOTION_COUNT) * MOTION_WORDS;
    real sum = 0.0f;
    for (address motion = motions; motion < end; motion += MOTION_WORDS) {
        address at = LOAD(c.block, motion + MOTION_STATE);
        real weight = motion_weight(c, motion);
        sum = sum + weight;
        set_state_word(c, at + CARRYING_WEIGHT, BITS(weight));
        set_state_word(c, at + CARRYING_HOW, 0u);
    }
    sum = snap(sum);
    real factor = whole_weight(c, LOAD(c.block, home + HOME_MACHINE), LOAD(c.block, home + HOME_MACHINE_STATE));
    if (sum > 1.0f) {
        factor = factor * reciprocal(sum);
    }
    for (address motion = motions; motion < end; motion += MOTION_WORDS) {
        address at = LOAD(c.block, motion + MOTION_STATE) + CARRYING_WEIGHT;
        set_state_word(c, at, BITS(snap(state_number(c, at) * factor)));
    }
    return factor * sum;
}

// Before players move. All homes together weigh 1 at most: what their ways are to be multiplied with for that.
SELDOM_OP real weigh_homes(control c, address mover) {
    address homes = LOAD(c.block, mover + MOVER_HOMES);
    real all = 0.0f;
    address home_count = LOAD(c.block, mover + MOVER_HOME_COUNT);
    for (address i = 0u; i < home_count; i++) {
        all = all + weigh_home(c, homes + i * HOME_WORDS);
    }
    return all > 1.0f ? reciprocal(all) : 1.0f;
}

// How far a player's clip carries.
OP displacement carried_by(control c, address motion) {
    address player = LOAD(c.block, motion + MOTION_PLAYER);
    address at = LOAD(c.block, motion + MOTION_STATE);
    ticks duration = block_ticks(c, player + PLAYER_DURATION);
    passage p;
    p.from = state_ticks(c, at + CARRYING_FROM);
    p.to = state_ticks(c, LOAD(c.block, player + PLAYER_STATE) + PLAYING_PLACE);
    p.ends = state_word(c, at + CARRYING_ENDS);
    p.backwards = state_word(c, at + CARRYING_HOW) == CARRYING_BACKWARDS;
    if (LOAD(c.block, player + PLAYER_END) == PLAYER_TURNS) {
        p.from = turned_time(p.from, duration);
        p.to = turned_time(p.to, duration);
        p.ends = 0u;
    }
    return displacement_along(c, motion, p, duration);
}

// After players have moved. Motions lie home by home.
SELDOM_OP void carry(control c, address mover, real share) {
    address motions = LOAD(c.block, mover + MOVER_MOTIONS);
    displacement sum = make_displacement(0.0f, 0.0f, 0.0f, 0.0f);
    address motion_count = LOAD(c.block, mover + MOVER_MOTION_COUNT);
    for (address i = 0u; i < motion_count; i++) {
        address motion = motions + i * MOTION_WORDS;
        address at = LOAD(c.block, motion + MOTION_STATE);
        real weight = state_number(c, at + CARRYING_WEIGHT) * share;
        if (weight > 0.0f && state_word(c, at + CARRYING_HOW) != 0u) {
            displacement d = carried_by(c, motion);
            sum = make_displacement(sum.x + d.x * weight, sum.y + d.y * weight, sum.z + d.z * weight,
                                    sum.turns + d.turns * weight);
        }
    }
    set_moved_by_clips(c, mover, sum);
    sum = moved_by_clips(c, mover);
    shift_mover(c, mover, sum, angle_of_turns(sum.turns));
}

// A piece between two markers of a member, counted from its first one.
STRUCT(piece)
address index;
ticks begin;
ticks size;
END_STRUCT(piece)

OP piece find_piece_at(control c, address group, address member, address index) {
    address markers = LOAD(c.block, member + MEMBER_MARKERS);
    uint count = LOAD(c.block, group + GROUP_MARKER_COUNT);
    ticks first = block_ticks(c, markers);
    ticks end = block_ticks(c, LOAD(c.block, member + MEMBER_PLAYER) + PLAYER_DURATION);
    if (index + 1u < count) {
        end = subtract_ticks(block_ticks(c, markers + (index + 1u) * 2u), first);
    }
    piece p;
    p.index = index;
    p.begin = subtract_ticks(block_ticks(c, markers + index * 2u), first);
    p.size = subtract_ticks(end, p.begin);
    return p;
}

// The piece that a place, counted from the first marker, lies in.
OP piece find_piece(control c, address group, address member, ticks place) {
    address index = 0u;
    address marker_count = LOAD(c.block, group + GROUP_MARKER_COUNT);
    for (address i = 1u; i < marker_count; i++) {
        piece p = find_piece_at(c, group, member, i);
        if (!ticks_less(place, p.begin)) {
            index = i;
        }
    }
    return find_piece_at(c, group, member, index);
}

// Where a leader is among its pieces, which is where the other members are among theirs.
STRUCT(phase)
address index;
uint share; // 2^-32 of the piece
END_STRUCT(phase)

OP phase find_phase(control c, address group, ticks leader) {
    piece led = find_piece(c, group, LOAD(c.block, group + GROUP_MEMBERS), leader);
    phase p;
    p.index = led.index;
    p.share = share_of_ticks(subtract_ticks(leader, led.begin), led.size);
    return p;
}

// From a place in the clip to one counted from the first marker on, and back.
OP ticks place_from_marker(control c, address member, ticks place) {
    ticks first = block_ticks(c, LOAD(c.block, member + MEMBER_MARKERS));
    if (ticks_less(place, first)) {
        place = add_ticks(place, block_ticks(c, LOAD(c.block, member + MEMBER_PLAYER) + PLAYER_DURATION));
    }
    return subtract_ticks(place, first);
}

OP ticks place_in_clip(control c, address member, ticks place) {
    ticks found = add_ticks(place, block_ticks(c, LOAD(c.block, member + MEMBER_MARKERS)));
    ticks duration = block_ticks(c, LOAD(c.block, member + MEMBER_PLAYER) + PLAYER_DURATION);
    if (!ticks_less(found, duration)) {
        found = subtract_ticks(found, duration);
    }
    return found;
}

// Where in its clip a member other than the leader is at a phase.
OP ticks matched_place(control c, address group, address member, phase at) {
    piece to = find_piece_at(c, group, member, at.index);
    return place_in_clip(c, member, add_ticks(to.begin, part_of_ticks(to.size, at.share)));
}

OP real member_weight(control c, address member) {
    real weight = control_number(c, member + MEMBER_WEIGHT);
    return clamp_real(snap(weight), 0.0f, 1.09951163e+12f);
}

// What the members make of the group's rate (x) and of its velocity (y).
STRUCT(group_mean)
real rate;
real velocity;
END_STRUCT(group_mean)

OP group_mean find_group_mean(control c, address group, ticks leader) {
    address leading = LOAD(c.block, group + GROUP_MEMBERS);
    address index = find_piece(c, group, leading, leader).index;
    real weights = 0.0f;
    real rates = 0.0f;
    real velocities = 0.0f;
    address member_count = LOAD(c.block, group + GROUP_MEMBER_COUNT);
    for (address i = 0u; i < member_count; i++) {
        address member = leading + i * MEMBER_WORDS;
        real weight = member_weight(c, member);
        address player = LOAD(c.block, member + MEMBER_PLAYER);
        real rate = LOAD_FLOAT(c.block, LOAD(c.block, player + PLAYER_RATES) + index);
        weights = weights + weight;
        rates = rates + weight * rate;
        velocities = velocities + weight * LOAD_FLOAT(c.block, member + MEMBER_VELOCITY);
    }
    real inverse = reciprocal(snap(weights));
    group_mean mean;
    mean.rate = rates * inverse;
    mean.velocity = velocities * inverse;
    if (snap(weights) == 0.0f) {
        mean.rate = 1.0f;
        mean.velocity = LOAD_FLOAT(c.block, leading + MEMBER_VELOCITY);
    }
    return mean;
}

OP ticks leader_place(control c, address group) {
    address leading = LOAD(c.block, group + GROUP_MEMBERS);
    address player = LOAD(c.block, leading + MEMBER_PLAYER);
    return place_from_marker(c, leading, state_ticks(c, LOAD(c.block, player + PLAYER_STATE) + PLAYING_PLACE));
}

OP bool share_home(memory block, address player, address other) {
    return LOAD(block, player + PLAYER_MACHINE) == LOAD(block, other + PLAYER_MACHINE) &&
           LOAD(block, player + PLAYER_MACHINE_STATE) == LOAD(block, other + PLAYER_MACHINE_STATE);
}

// Whether all of a group have one home.
OP bool group_shares_home(memory block, address group) {
    address leading = LOAD(block, group + GROUP_MEMBERS);
    uint count = LOAD(block, group + GROUP_MEMBER_COUNT);
    bool shares = true;
    for (address i = 1u; i < count; i++) {
        shares = shares && share_home(block, LOAD(block, leading + MEMBER_PLAYER),
                                      LOAD(block, leading + i * MEMBER_WORDS + MEMBER_PLAYER));
    }
    return shares;
}

OP bool group_moves(control c, address group) {
    address leading = LOAD(c.block, group + GROUP_MEMBERS);
    uint count = LOAD(c.block, group + GROUP_MEMBER_COUNT);
    bool moves = false;
    for (address i = 0u; i < count && !moves; i++) {
        moves = player_moves(c, LOAD(c.block, leading + i * MEMBER_WORDS + MEMBER_PLAYER));
    }
    return moves;
}

// Of a group that does not move.
OP void stay_in_group(control c, address group) {
    address leading = LOAD(c.block, group + GROUP_MEMBERS);
    uint count = LOAD(c.block, group + GROUP_MEMBER_COUNT);
    for (address i = 0u; i < count; i++) {
        address player = LOAD(c.block, leading + i * MEMBER_WORDS + MEMBER_PLAYER);
        stay(c, player);
    }
}

// One that moves. Where not all of it are in one state, each asks for its own.
OP void move_group(control c, address group, bool shares) {
    address leading = LOAD(c.block, group + GROUP_MEMBERS);
    address leader = LOAD(c.block, leading + MEMBER_PLAYER);
    ticks duration = block_ticks(c, leader + PLAYER_DURATION);
    ticks from = leader_place(c, group);
    group_mean mean = find_group_mean(c, group, from);
    pace speed = make_pace(control_number(c, group + GROUP_RATE) * mean.rate);
    passage led = move_around(from, scale_ticks(c.duration, speed.rate), duration, speed.backwards);
    phase after = find_phase(c, group, led.to);
    real weight = player_weight(c, leader);
    bool seen = true;
    address member_count = LOAD(c.block, group + GROUP_MEMBER_COUNT);
    for (address i = 0u; i < member_count; i++) {
        address member = leading + i * MEMBER_WORDS;
        address player = LOAD(c.block, member + MEMBER_PLAYER);
        ticks first = block_ticks(c, LOAD(c.block, member + MEMBER_MARKERS));
        passage p;
        p.from = state_ticks(c, LOAD(c.block, player + PLAYER_STATE) + PLAYING_PLACE);
        p.to = i == 0u ? place_in_clip(c, member, led.to) : matched_place(c, group, member, after);
        // The clip's end lies between a place before the first marker and that marker.
        uint past_before = ticks_less(p.from, first) ? 1u : 0u;
        uint past_after = ticks_less(p.to, first) ? 1u : 0u;
        p.ends = speed.backwards ? led.ends + past_before - past_after : led.ends + past_after - past_before;
        p.backwards = speed.backwards;
        set_playing(c, player, p, 0u);
        // One that is not seen keeps pace, and tells nothing.
        if (!shares) {
            seen = player_moves(c, player);
            weight = player_weight(c, player);
        }
        if (seen) {
            note_passage(c, player, p);
            tell_loop(c, player, p, block_ticks(c, player + PLAYER_DURATION), weight);
            if (p.ends > 0u) {
                tell(c, LOAD(c.block, player + PLAYER_LOOPED_EVENT), weight);
            }
        }
    }
}

// After players have begun anew, the others of a group are where its leader is.
SELDOM_OP void match_group(control c, address group) {
    address leading = LOAD(c.block, group + GROUP_MEMBERS);
    phase leader = find_phase(c, group, leader_place(c, group));
    address member_count = LOAD(c.block, group + GROUP_MEMBER_COUNT);
    for (address i = 1u; i < member_count; i++) {
        address member = leading + i * MEMBER_WORDS;
        address at = LOAD(c.block, LOAD(c.block, member + MEMBER_PLAYER) + PLAYER_STATE);
        set_state_ticks(c, at + PLAYING_PLACE, matched_place(c, group, member, leader));
    }
}

OP void move_groups(CROWD all) {
    memory block = CROWD_BLOCK(all);
    address group = LOAD(block, CONTROL_GROUPS);
    address end = group + LOAD(block, CONTROL_GROUP_COUNT) * GROUP_WORDS;
    for (; group < end; group += GROUP_WORDS) {
        address leader = LOAD(block, LOAD(block, group + GROUP_MEMBERS) + MEMBER_PLAYER);
        home leaders = load_home(block, leader);
        bool shares = group_shares_home(block, group);
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            if (c.moves) {
                if (shares ? home_moves(c, leaders) : group_moves(c, group)) {
                    move_group(c, group, shares);
                } else {
                    stay_in_group(c, group);
                }
            }
        }
    }
}

// Those of characters that do not move stay where they are.
OP void move_followers(CROWD all) {
    memory block = CROWD_BLOCK(all);
    address follower = LOAD(block, CONTROL_FOLLOWERS);
    address end = follower + LOAD(block, CONTROL_FOLLOWER_COUNT) * FOLLOWER_WORDS;
    for (; follower < end; follower += FOLLOWER_WORDS) {
        control_value source = load_value(block, follower + FOLLOWER_SOURCE);
        real rate = LOAD_FLOAT(block, follower + FOLLOWER_RATE);
        address at = LOAD(block, follower + FOLLOWER_STATE);
        address parameter = LOAD(block, follower + FOLLOWER_PARAMETER);
        // Most steps are the same: what is left of the way after one is found once.
        ticks step = make_ticks(0u, 0u);
        real left = 1.0f;
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            real target = number_of_value(c, source);
            real x = state_number(c, at);
            if (c.moves && is_finite(target)) {
                target = snap(target);
                if (c.begins || rate == 0.0f) {
                    x = target;
                } else {
                    if (!same_ticks(step, c.duration)) {
                        step = c.duration;
                        left = exponential2(-(seconds_of_fine(fine_of_ticks(step)) * rate));
                    }
                    x = snap(target + (x - target) * left);
                }
            }
            set_state_word(c, at, BITS(x));
            write_parameter(c, parameter, x);
        }
    }
}

OP void write_players(CROWD all) {
    memory block = CROWD_BLOCK(all);
    address record = LOAD(block, CONTROL_PLAYERS);
    address records_end = record + LOAD(block, CONTROL_PLAYER_COUNT) * PLAYER_WORDS;
    for (; record < records_end; record += PLAYER_WORDS) {
        ticks duration = load_ticks(block, record + PLAYER_DURATION);
        address at = LOAD(block, record + PLAYER_STATE);
        uint end = LOAD(block, record + PLAYER_END);
        address parameter = LOAD(block, record + PLAYER_TIME_PARAMETER);
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            ticks time = state_ticks(c, at + PLAYING_PLACE);
            if (end == PLAYER_TURNS) {
                time = turned_time(time, duration);
            }
            write_parameter(c, parameter, seconds_of_fine(time));
        }
    }
}

OP void write_player_weights(CROWD all) {
    memory block = CROWD_BLOCK(all);
    address record = LOAD(block, CONTROL_PLAYERS);
    address records_end = record + LOAD(block, CONTROL_PLAYER_COUNT) * PLAYER_WORDS;
    for (; record < records_end; record += PLAYER_WORDS) {
        address parameter = LOAD(block, record + PLAYER_WEIGHT_PARAMETER);
        if (parameter != CONTROL_NONE) {
            address flags = LOAD(block, record + PLAYER_STATE) + PLAYING_FLAGS;
            bool drops_out = LOAD(block, record + PLAYER_END) == PLAYER_DROPS_OUT;
            address machine = LOAD(block, record + PLAYER_MACHINE);
            address state = LOAD(block, record + PLAYER_MACHINE_STATE);
            FOR_EACH(all, i) {
                control c = CHARACTER(all, i);
                real weight = 1.0f;
                if (machine != CONTROL_NONE) {
                    weight = state_weight(c, machine, state);
                }
                if (drops_out && (state_word(c, flags) & PLAYING_ENDED) != 0u) {
                    weight = 0.0f;
                }
                write_parameter(c, parameter, weight);
            }
        }
    }
}

SELDOM_OP void write_groups(CROWD all) {
    memory block = CROWD_BLOCK(all);
    address group = LOAD(block, CONTROL_GROUPS);
    address end = group + LOAD(block, CONTROL_GROUP_COUNT) * GROUP_WORDS;
    for (; group < end; group += GROUP_WORDS) {
        address parameter = LOAD(block, group + GROUP_VELOCITY_PARAMETER);
        if (parameter != CONTROL_NONE) {
            FOR_EACH(all, i) {
                control c = CHARACTER(all, i);
                real rate = control_number(c, group + GROUP_RATE);
                group_mean mean = find_group_mean(c, group, leader_place(c, group));
                rate = is_finite(rate) ? clamp_real(snap(rate), -64.0f, 64.0f) : 0.0f;
                write_parameter(c, parameter, snap(rate * mean.velocity));
            }
        }
    }
}

OP void write_state_weights(CROWD all) {
    memory block = CROWD_BLOCK(all);
    address machine = LOAD(block, CONTROL_MACHINES);
    address end = machine + LOAD(block, CONTROL_MACHINE_COUNT) * MACHINE_WORDS;
    for (; machine < end; machine += MACHINE_WORDS) {
        address record = LOAD(block, machine + MACHINE_STATES);
        address records_end = record + LOAD(block, machine + MACHINE_STATE_COUNT) * STATE_WORDS;
        address at = LOAD(block, machine + MACHINE_STATE) + MACHINE_WEIGHTS;
        for (; record < records_end; record += STATE_WORDS) {
            address parameter = LOAD(block, record + STATE_WEIGHT_PARAMETER);
            if (parameter != CONTROL_NONE) {
                FOR_EACH(all, i) {
                    control c = CHARACTER(all, i);
                    write_parameter(c, parameter, state_number(c, at));
                }
            }
            at += MACHINE_STATE_WEIGHT_WORDS;
        }
    }
}

OP void write_control(CROWD all) {
    write_players(all);
    write_player_weights(all);
    write_groups(all);
    write_state_weights(all);
    if (LOAD(CROWD_BLOCK(all), CONTROL_INERTIA) != CONTROL_NONE) {
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            write_inertia(c);
        }
    }
}

// The mover alone stays where it is. And frames' numbers go on, past one, so that none of those before has the number of
// one that is told of from here on.
SELDOM_OP void begin_character(control c) {
    address inertia = LOAD(c.block, CONTROL_INERTIA);
    uint number = 0u;
    if (inertia != CONTROL_NONE) {
        number = state_word(c, inertia_state(c) + INERTIAL_NUMBER) + state_word(c, CHARACTER_BEGUN);
    }
    address mover = LOAD(c.block, CONTROL_MOVER);
    address kept = LOAD(c.block, CONTROL_STATE_WORDS);
    if (mover != CONTROL_NONE) {
        kept = mover_state(c, mover);
    }
    address state_words = LOAD(c.block, CONTROL_STATE_WORDS);
    for (address i = 0u; i < state_words; i++) {
        if (i < kept || i >= kept + MOVING_PLACE_WORDS) {
            set_state_word(c, i, 0u);
        }
    }
    if (inertia != CONTROL_NONE) {
        set_state_word(c, inertia_state(c) + INERTIAL_NUMBER, number & INERTIA_LAST_NUMBER);
    }
    address machines = LOAD(c.block, CONTROL_MACHINES);
    address machine_count = LOAD(c.block, CONTROL_MACHINE_COUNT);
    for (address i = 0u; i < machine_count; i++) {
        begin_machine(c, machines + i * MACHINE_WORDS);
    }
    address players = LOAD(c.block, CONTROL_PLAYERS);
    address player_count = LOAD(c.block, CONTROL_PLAYER_COUNT);
    for (address i = 0u; i < player_count; i++) {
        begin_player(c, players + i * PLAYER_WORDS);
    }
    address groups = LOAD(c.block, CONTROL_GROUPS);
    address group_count = LOAD(c.block, CONTROL_GROUP_COUNT);
    for (address i = 0u; i < group_count; i++) {
        match_group(c, groups + i * GROUP_WORDS);
    }
}

// What stands before players move.
OP void move_before_players(CHANGED_CROWD all) {
    memory block = CROWD_BLOCK(all);
    address mover = LOAD(block, CONTROL_MOVER);
    bool carries = USES_MOVER && mover != CONTROL_NONE;
    bool inertializes = LOAD(block, CONTROL_INERTIA) != CONTROL_NONE;
    if (carries || inertializes) {
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            if (c.moves && inertializes) {
                move_inertia(c);
            }
            if (c.moves && carries) {
                drive_mover(c, mover);
                SET_SHARE(all, i, weigh_homes(c, mover));
            }
        }
    }
}

OP void move_fades(CROWD all) {
    address machine = LOAD(CROWD_BLOCK(all), CONTROL_MACHINES);
    address end = machine + LOAD(CROWD_BLOCK(all), CONTROL_MACHINE_COUNT) * MACHINE_WORDS;
    for (; machine < end; machine += MACHINE_WORDS) {
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            if (c.moves) {
                move_fade(c, machine);
            }
        }
    }
}

OP void carry_all(CROWD all) {
    address mover = LOAD(CROWD_BLOCK(all), CONTROL_MOVER);
    if (USES_MOVER && mover != CONTROL_NONE) {
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            if (c.moves) {
                carry(c, mover, c.share);
            }
        }
    }
}

// All machines of a character.
OP void run_machines(control c) {
    address machines = LOAD(c.block, CONTROL_MACHINES);
    address machine_count = LOAD(c.block, CONTROL_MACHINE_COUNT);
    bool begun = false;
    for (address i = 0u; i < machine_count; i++) {
        weigh_states(c, machines + i * MACHINE_WORDS);
        bool begins_anew = run_transitions(c, machines + i * MACHINE_WORDS);
        begun = begun || begins_anew;
    }
    if (begun) {
        // Groups that moved are in phase.
        address groups = LOAD(c.block, CONTROL_GROUPS);
        address group_count = LOAD(c.block, CONTROL_GROUP_COUNT);
        for (address i = 0u; i < group_count; i++) {
            match_group(c, groups + i * GROUP_WORDS);
        }
    }
    if (c.begins && LOAD(c.block, CONTROL_INERTIA) != CONTROL_NONE) {
        // There is nothing that it was shown as before.
        set_state_word(c, inertia_state(c) + INERTIAL_DURATION, 0u);
    }
}

OP void run_all_machines(CROWD all) {
    FOR_EACH(all, i) {
        control c = CHARACTER(all, i);
        if (c.moves) {
            run_machines(c);
        }
    }
}

OP void show_movers(CROWD all) {
    address mover = LOAD(CROWD_BLOCK(all), CONTROL_MOVER);
    if (USES_MOVER && mover != CONTROL_NONE) {
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            if (!c.moves) {
                write_velocity(c, mover);
            }
            if (c.shows) {
                show_mover(c, mover);
            }
        }
    }
}

OP bool updates_in_frame(control c) {
    real every = control_number(c, CONTROL_UPDATE_EVERY);
    bool updates = true;
    if (every > 1.0f && is_finite(every)) {
        uint period = TO_WORD(clamp_real(FLOOR(snap(every)), 1.0f, 16.0f));
        updates = c.number % period == 0u;
    }
    return updates;
}

// Of events sorted by character, the first that is not of an earlier one.
OP uint find_sent(memory sent, uint count, uint character) {
    uint low = 0u;
    uint high = count;
    while (low < high) {
        uint middle = low + ((high - low) >> 1u);
        if (LOAD(sent, middle * 2u) < character) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

// What a character was sent: past the last that begins it anew.
OP uint last_reset(control c) {
    uint found = CONTROL_NONE;
    for (uint i = 0u; i < c.sent_count; i++) {
        if (LOAD(c.sent, (c.sent_first + i) * 2u + 1u) == EVENT_RESET) {
            found = i;
        }
    }
    return found;
}

// A character's frame, up to where time goes on.
OP control begin_frame(control c) {
    if (c.tells) {
        STORE(c.told, TOLD_AT(c, 0u), 0u);
    }
    uint reset = last_reset(c);
    c.begins = state_word(c, CHARACTER_BEGUN) == 0u || reset != CONTROL_NONE;
    if (reset != CONTROL_NONE) {
        c.sent_first = c.sent_first + reset + 1u;
        c.sent_count = c.sent_count - (reset + 1u);
    }
    if (c.begins) {
        begin_character(c);
        set_state_word(c, CHARACTER_BEGUN, 1u);
    }
    if (c.sent_count > MOST_EVENTS_SENT) {
        uint lost = state_word(c, CHARACTER_EVENTS_LOST) + (c.sent_count - MOST_EVENTS_SENT);
        set_state_word(c, CHARACTER_EVENTS_LOST, lost);
    }
    address mover = LOAD(c.block, CONTROL_MOVER);
    if (USES_MOVER && mover != CONTROL_NONE) {
        set_moved_by_clips(c, mover, make_displacement(0.0f, 0.0f, 0.0f, 0.0f));
    }
    ticks waited = add_ticks(state_ticks(c, CHARACTER_WAITING), c.duration);
    c.moves = c.begins || c.sent_count > 0u || updates_in_frame(c);
    c.duration = waited;
    c.share = 1.0f;
    set_state_ticks(c, CHARACTER_WAITING, waited);
    if (c.moves) {
        set_state_ticks(c, CHARACTER_WAITING, make_ticks(0u, 0u));
    }
    return c;
}

// A frame of those that have begun it.
OP void run_control(CHANGED_CROWD all) {
    move_followers(all);
    move_before_players(all);
    move_fades(all);
    move_players(all);
    move_groups(all);
    carry_all(all);
    run_all_machines(all);
    write_control(all);
    show_movers(all);
}

#endif
