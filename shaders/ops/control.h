// Control: what moves characters' times and weights on by a frame, as include/limber/control.h describes it. Scalar code,
// which may branch, for one character in each invocation, or for a crowd of them stage by stage.
#ifndef LMB_OPS_CONTROL_H
#define LMB_OPS_CONTROL_H

#include "carrying.h"
#include "groups.h"

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

OP_APART void write_groups(CROWD all) {
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
OP_APART void begin_character(control c) {
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

// What stands before players move. Players and groups may read the velocity, of characters that wait as well.
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
            } else if (carries) {
                write_velocity(c, mover);
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
