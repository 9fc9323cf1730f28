// Motion matching: what a character asks of a database, what a search leaves out, and how its result is taken. Searches
// are in src/match/search.c and shaders/match.comp: whole numbers, so their order does not matter.
#ifndef LMB_OPS_MATCHING_H
#define LMB_OPS_MATCHING_H

#include "motion.h"

// Where a character goes: a velocity along two axes, and an angle by which it turns.
STRUCT(course)
real x;
real z;
word turn;
END_STRUCT(course)

OP course make_course(real x, real z, word turn) {
    course w;
    w.x = x;
    w.z = z;
    w.turn = turn;
    return w;
}

// How a velocity along an axis follows a desired one as a critically damped spring: it differs by `off`, and changes by
// `on` in the unit of time of the spring.
STRUCT(approach)
real off;
real on;
END_STRUCT(approach)

// `rate`: of the spring, 0 if it is reached at once.
OP approach make_approach(real velocity, real acceleration, real desired, float rate) {
    approach f;
    f.off = rate > 0.0f ? snap(velocity - desired) : 0.0f;
    f.on = rate > 0.0f ? snap(acceleration + f.off * rate) : 0.0f;
    return f;
}

// The place along an axis after a time. `by_off` and `by_on`: as in AHEAD_WORDS.
OP real place_ahead(approach f, real desired, real time, real by_off, real by_on) {
    return snap(desired * time + (f.off * by_off + f.on * by_on));
}

// The heading after a share of a turn.
OP direction heading_ahead(word turn, real share) {
    return direction_of_angle(angle_of_turns(turns_of_radians(snap(radians_of_angle(turn) * share))));
}

// A feature as a number of a row, in two's complement.
OP word match_number(real feature, real mean, real factor) {
    real number = clamp_real(FLOOR((feature - mean) * factor + 0.5f), -4095.0f, 4095.0f);
    return TO_WORD(number + 4096.0f) - 4096u;
}

// A number of a row, 16 bits, as it becomes one of the mirrored row. `mirror`: MATCH_MIRROR_FROM and more.
OP uint mirrored_number(uint number, uint mirror) {
    uint negated = (mirror & MATCH_MIRROR_NEGATES) != 0u ? 0xffffu : 0u;
    return ((number ^ negated) + (negated & 1u)) & 0xffffu;
}

// Moments that a search leaves out: ranges, both ends included.
#define MOST_LEFT_OUT 18u
STRUCT(left_out)
uint first[MOST_LEFT_OUT];
uint last[MOST_LEFT_OUT];
uint count;
END_STRUCT(left_out)

OP left_out leave_out(left_out l, uint first, uint last) {
    l.first[l.count] = first;
    l.last[l.count] = last;
    l.count = l.count + 1u;
    return l;
}

// Leaves out the moments of a take around one of them, up to `rows` away.
OP left_out leave_out_around(left_out l, memory block, address take, uint moment, uint rows) {
    uint first = READ(block, take, TAKE, first);
    uint count = READ(block, take, TAKE, count);
    uint at = moment - first;
    uint before = at < rows ? at : rows;
    uint after = count - 1u - at < rows ? count - 1u - at : rows;
    l = leave_out(l, moment - before, moment + after);
    uint wrapped = rows < count ? rows : count - 1u;
    if (READ(block, take, TAKE, loops) != 0u && wrapped > before) {
        l = leave_out(l, first + count - (wrapped - before), first + count - 1u);
    } else if (READ(block, take, TAKE, loops) != 0u && wrapped > after) {
        l = leave_out(l, first, first + (wrapped - after) - 1u);
    }
    return l;
}

// Whether rows may be found of which any have some tags, and all have others.
OP bool tags_fit(uint any, uint all, uint required, uint forbidden) {
    return (any & required) == required && (all & forbidden) == 0u;
}

OP bool matches(memory block) {
    return USES_MATCHING && (HEADER(block, CONTROL, flags) & CONTROL_MATCHES) != 0u;
}

OP address matchings_end(memory block) {
    return HEADER(block, CONTROL, matchings) + HEADER(block, CONTROL, matching_count) * WORDS_OF(MATCHING);
}

// ---- What a character asks for.

OP address matched_at(control c, address matching) {
    return READ(c.block, matching, MATCHING, state);
}

// The player of the state that is a take.
OP address player_of_take(control c, address matching, address take) {
    address states = READ(c.block, READ(c.block, matching, MATCHING, machine), MACHINE, states);
    return READ(c.block, states + take * WORDS_OF(STATE), STATE, end_player);
}

// The take that plays.
OP uint current_take(control c, address matching) {
    address machine = READ(c.block, matching, MATCHING, machine);
    return state_word(c, READ(c.block, machine, MACHINE, state) + FIELD(MACHINE_NOW, current));
}

// The moment of a take that plays: that at or just before a time, or one that comes within a hundredth of a row.
OP uint current_moment(control c, address matching, address take) {
    address record = READ(c.block, matching, MATCHING, takes) + take * WORDS_OF(TAKE);
    address player = player_of_take(c, matching, take);
    ticks place = state_ticks(c, READ(c.block, player, PLAYER, state) + FIELD(PLAYING, place));
    real at = seconds_of_fine(place) * READ_FLOAT(c.block, matching, MATCHING, rate) + 0.01f;
    uint last = READ(c.block, record, TAKE, count) - 1u;
    uint index = at < 131072.0f ? TO_WORD(at) : last;
    return READ(c.block, record, TAKE, first) + (index < last ? index : last);
}

// Whether the take plays mirrored.
OP bool plays_mirrored(control c, address matching) {
    return state_word(c, matched_at(c, matching) + FIELD(MATCHED, mirrored)) != 0u;
}

OP uint row_of_moment(control c, address matching, uint moment) {
    return LOAD(c.block, READ(c.block, matching, MATCHING, rows) + moment);
}

// A number of a velocity or of a place that parameters ask for.
OP real asked_number(control c, address value) {
    real number = control_number(c, value);
    return is_finite(number) ? clamp_real(snap(number), -1048576.0f, 1048576.0f) : 0.0f;
}

// What parameters ask for, along axes of the world.
OP_NOINLINE course desired_course(control c, address matching, word yaw) {
    bool follows = READ(c.block, matching, MATCHING, follows) != 0u;
    float scale = follows ? READ_FLOAT(c.block, matching, MATCHING, first) : 1.0f;
    address asked = matching + (follows ? FIELD(MATCHING, places) : FIELD(MATCHING, velocity));
    real x = snap(asked_number(c, asked) * scale);
    real z = snap(asked_number(c, asked + WORDS_OF(VALUE)) * scale);
    word angle = yaw;
    if (READ(c.block, matching, MATCHING, faces) != 0u) {
        real heading = control_number(c, matching + FIELD(MATCHING, heading));
        angle = is_finite(heading) ? angle_of_turns(turns_of_radians(snap(heading))) : yaw;
    } else if (x != 0.0f || z != 0.0f) {
        real turns = turns_of_radians(angle_from_axis(z, x));
        angle = angle_of_turns(x < 0.0f ? -turns : turns);
    }
    return make_course(x, z, angle);
}

STRUCT(tag_masks)
uint required;
uint forbidden;
END_STRUCT(tag_masks)

OP tag_masks find_tags(control c, address matching) {
    tag_masks m;
    m.required = 0u;
    m.forbidden = 0u;
    address rule = READ(c.block, matching, MATCHING, rules);
    address end = rule + READ(c.block, matching, MATCHING, rule_count) * WORDS_OF(TAG_RULE);
    for (; rule < end; rule += WORDS_OF(TAG_RULE)) {
        real number = control_number(c, rule);
        uint tags = READ(c.block, rule, TAG_RULE, tags);
        bool counts = is_finite(number);
        m.required = m.required | (counts && number > 0.5f ? tags : 0u);
        m.forbidden = m.forbidden | (counts && number < -0.5f ? tags : 0u);
    }
    return m;
}

// What a search asks of the rows.
STRUCT(match_question)
uint query[MATCH_ROW_WORDS];
left_out without;
uint current; // choice that costs less, or CONTROL_NONE
uint required;
uint forbidden;
END_STRUCT(match_question)

// Two numbers of a row at an offset, or of the mirrored row.
OP uint load_pair(memory block, address matching, address row, uint pair, bool mirrored) {
    address mirrors = READ(block, matching, MATCHING, mirrors);
    uint numbers = 0u;
    for (uint i = 0u; i < 2u && mirrored; i++) {
        uint mirror = LOAD(block, mirrors + 2u * pair + i);
        uint from = mirror & MATCH_MIRROR_FROM;
        uint number = LOAD(block, row + (from >> 1u)) >> ((from & 1u) * 16u);
        numbers = numbers | (mirrored_number(number, mirror) << (i * 16u));
    }
    return mirrored ? numbers : LOAD(block, row + pair);
}

OP match_question put_feature(match_question q, memory block, address matching, uint feature, real x) {
    address normal = matching + FIELD(MATCHING, normals) + 2u * (feature - MATCH_PATH);
    word number = match_number(x, LOAD_FLOAT(block, normal), LOAD_FLOAT(block, normal + 1u)) & 0xffffu;
    uint shift = (feature & 1u) * 16u;
    q.query[feature >> 1u] = (q.query[feature >> 1u] & (0xffff0000u >> shift)) | (number << shift);
    return q;
}

// Where a character is to be after a time, in its frame, and to head.
STRUCT(spot)
real x;
real z;
direction heading;
END_STRUCT(spot)

// How the character approaches a course along its own axes. `ahead`: AHEAD_WORDS.
OP spot approached_spot(memory block, address ahead, approach x, approach z, course desired) {
    real time = LOAD_FLOAT(block, ahead);
    real by_off = LOAD_FLOAT(block, ahead + 2u);
    real by_on = LOAD_FLOAT(block, ahead + 3u);
    spot s;
    s.x = place_ahead(x, desired.x, time, by_off, by_on);
    s.z = place_ahead(z, desired.z, time, by_off, by_on);
    s.heading = heading_ahead(desired.turn, LOAD_FLOAT(block, ahead + 1u));
    return s;
}

// A place of the stated path. Its heading is the direction from the last place, or the heading there if both places
// are the same; if the character is to face a heading, it is that of `s`. `back` turns axes of the world to the
// character's.
OP spot stated_spot(spot s, control c, address matching, uint i, spot last, direction back) {
    address value = matching + FIELD(MATCHING, places) + 2u * i * WORDS_OF(VALUE);
    real x = asked_number(c, value);
    real z = asked_number(c, value + WORDS_OF(VALUE));
    displacement own = turn_displacement(make_displacement(x, 0.0f, z, 0.0f), back);
    s.x = snap(own.x);
    s.z = snap(own.z);
    if (READ(c.block, matching, MATCHING, faces) == 0u) {
        real along_x = snap(s.x - last.x);
        real along_z = snap(s.z - last.z);
        real square = along_x * along_x + along_z * along_z;
        s.heading = last.heading;
        if (square > 1e-12f) {
            real inverse = reciprocal_root(square);
            s.heading = make_direction(along_x * inverse, along_z * inverse);
        }
    }
    return s;
}

// Puts a path into a query: `x`, `z` and `desired` are along the character's axes.
OP match_question put_path(match_question q, control c, address matching, approach x, approach z, course desired,
                           direction back) {
    bool follows = READ(c.block, matching, MATCHING, follows) != 0u;
    spot last;
    last.x = 0.0f;
    last.z = 0.0f;
    last.heading = make_direction(0.0f, 1.0f);
    for (uint i = 0u; i < 3u; i++) {
        spot s = approached_spot(c.block, matching + FIELD(MATCHING, ahead) + i * AHEAD_WORDS, x, z, desired);
        if (follows) {
            s = stated_spot(s, c, matching, i, last, back);
        }
        uint place = MATCH_PATH + 2u * i;
        q = put_feature(q, c.block, matching, place, s.x);
        q = put_feature(q, c.block, matching, place + 1u, s.z);
        q = put_feature(q, c.block, matching, place + 6u, snap(s.heading.sine));
        q = put_feature(q, c.block, matching, place + 7u, snap(s.heading.cosine));
        last = s;
    }
    return q;
}

// Leaves out what plays and what was chosen shortly before.
OP match_question without_recent(match_question q, control c, address matching, uint moment) {
    uint window = READ(c.block, matching, MATCHING, window);
    uint longest = READ(c.block, matching, MATCHING, recent);
    address takes = READ(c.block, matching, MATCHING, takes);
    uint take = current_take(c, matching);
    q.without = leave_out_around(q.without, c.block, takes + take * WORDS_OF(TAKE), moment, window);
    address recent = matched_at(c, matching) + WORDS_OF(MATCHED);
    for (uint i = 0u; i < MOST_RECENT; i++) {
        uint row = state_word(c, recent + i * WORDS_OF(RECENT)) - 1u;
        if (row != 0xffffffffu && state_word(c, recent + i * WORDS_OF(RECENT) + 1u) <= longest) {
            take = LOAD(c.block, READ(c.block, matching, MATCHING, take_of) + row);
            moment = LOAD(c.block, READ(c.block, matching, MATCHING, moments) + row);
            q.without = leave_out_around(q.without, c.block, takes + take * WORDS_OF(TAKE), moment, window);
        }
    }
    return q;
}

// Whether a take ends: no row of it that follows can be found.
OP bool take_ends(control c, address matching, uint row) {
    address player = player_of_take(c, matching, current_take(c, matching));
    uint flags = state_word(c, READ(c.block, player, PLAYER, state) + FIELD(PLAYING, flags));
    return (flags & PLAYING_ENDED) != 0u || row >= READ(c.block, matching, MATCHING, found_count);
}

// The question of a character whose machine plays a take: the pose of the row that plays, and the path to what
// parameters ask for.
OP_NOINLINE match_question find_question(control c, address matching) {
    uint moment = current_moment(c, matching, current_take(c, matching));
    uint row = row_of_moment(c, matching, moment);
    bool mirrored = plays_mirrored(c, matching);
    match_question q;
    for (uint i = 0u; i < MATCH_ROW_WORDS; i++) {
        address numbers = READ(c.block, matching, MATCHING, numbers) + row * MATCH_ROW_WORDS;
        q.query[i] = load_pair(c.block, matching, numbers, i, mirrored);
    }
    word yaw = state_word(c, motion_state(c, HEADER(c.block, CONTROL, character_motion)) + FIELD(MOVING, yaw));
    course desired = desired_course(c, matching, yaw);
    direction back = direction_of_angle(0u - yaw);
    address at = matched_at(c, matching) + FIELD(MATCHED, moving);
    displacement along = turn_displacement(make_displacement(desired.x, 0.0f, desired.z, 0.0f), back);
    displacement v =
        turn_displacement(make_displacement(state_number(c, at), 0.0f, state_number(c, at + 1u), 0.0f), back);
    displacement a =
        turn_displacement(make_displacement(state_number(c, at + 2u), 0.0f, state_number(c, at + 3u), 0.0f), back);
    float rate = READ_FLOAT(c.block, matching, MATCHING, spring);
    desired = make_course(snap(along.x), snap(along.z), desired.turn - yaw);
    q = put_path(q, c, matching, make_approach(snap(v.x), snap(a.x), desired.x, rate),
                 make_approach(snap(v.z), snap(a.z), desired.z, rate), desired, back);
    q.without.count = 0u;
    q = without_recent(q, c, matching, moment);
    q.current = take_ends(c, matching, row) ? CONTROL_NONE : row + (mirrored ? MATCH_MIRRORED : 0u);
    tag_masks tags = find_tags(c, matching);
    q.required = tags.required;
    q.forbidden = tags.forbidden;
    return q;
}

// ---- Jumps to what searches found.

// The matching of a machine, or CONTROL_NONE.
OP address matching_of(memory block, address machine) {
    address found = CONTROL_NONE;
    if (matches(block)) {
        address end = matchings_end(block);
        for (address matching = HEADER(block, CONTROL, matchings); matching < end; matching += WORDS_OF(MATCHING)) {
            found = READ(block, matching, MATCHING, machine) == machine ? matching : found;
        }
    }
    return found;
}

// Begins a matching with its machine.
OP_NOINLINE void begin_matching(control c, address matching) {
    for (uint i = 0u; i < MATCHED_WORDS; i++) {
        set_state_word(c, matched_at(c, matching) + i, 0u);
    }
}

// 1 plus the choice that was found, or 0.
OP uint found_choice(control c, address matching) {
    uint found = 0u;
    if (matching != CONTROL_NONE) {
        found = state_word(c, matched_at(c, matching) + FIELD(MATCHED, found));
    }
    return found == MATCH_ASKED ? 0u : found;
}

// Whether a character jumps in this frame, if machines match motion.
OP_NOINLINE bool jumps(control c) {
    bool any = false;
    address end = matchings_end(c.block);
    for (address matching = HEADER(c.block, CONTROL, matchings); matching < end; matching += WORDS_OF(MATCHING)) {
        any = any || found_choice(c, matching) != 0u;
    }
    return any;
}

OP uint row_of_choice(uint choice) {
    return choice & (MATCH_MIRRORED - 1u);
}

// The transition to the take of a choice.
OP address jump_to(control c, address matching, uint choice) {
    uint row = row_of_choice(choice);
    uint take = LOAD(c.block, READ(c.block, matching, MATCHING, take_of) + row);
    return READ(c.block, matching, MATCHING, jumps) + take * WORDS_OF(TRANSITION);
}

// After that transition: puts the take at the row's time, mirrored or not, and remembers the row.
OP_NOINLINE void land(control c, address matching, uint choice) {
    uint row = row_of_choice(choice);
    uint take = LOAD(c.block, READ(c.block, matching, MATCHING, take_of) + row);
    uint moment = LOAD(c.block, READ(c.block, matching, MATCHING, moments) + row);
    uint index = moment - READ(c.block, READ(c.block, matching, MATCHING, takes) + take * WORDS_OF(TAKE), TAKE, first);
    address player = player_of_take(c, matching, take);
    ticks place = scale_ticks(block_ticks(c, matching + FIELD(MATCHING, step)), index);
    ticks duration = block_ticks(c, player + FIELD(PLAYER, duration));
    set_state_ticks(c, READ(c.block, player, PLAYER, state) + FIELD(PLAYING, place),
                    select_ticks(ticks_less(duration, place), duration, place));
    address recent = matched_at(c, matching) + WORDS_OF(MATCHED);
    for (uint i = MOST_RECENT - 1u; i > 0u; i--) {
        address from = recent + (i - 1u) * WORDS_OF(RECENT);
        set_state_word(c, from + WORDS_OF(RECENT), state_word(c, from));
        set_state_word(c, from + WORDS_OF(RECENT) + 1u, state_word(c, from + 1u));
    }
    set_state_word(c, recent, row + 1u);
    set_state_word(c, recent + 1u, 0u);
    set_state_word(c, matched_at(c, matching) + FIELD(MATCHED, found), 0u);
    set_state_word(c, matched_at(c, matching) + FIELD(MATCHED, mirrored), choice >= MATCH_MIRRORED ? 1u : 0u);
}

#endif
