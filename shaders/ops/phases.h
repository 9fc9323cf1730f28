// Phases of sync groups.
//
// All members of a group have the same number of markers, which divide each clip into pieces. A group's phase is a
// piece and the fraction of it. The leader, which is the first member, keeps the phase as its position. All members are
// set to it.
#ifndef LMB_OPS_PHASES_H
#define LMB_OPS_PHASES_H

#include "control_memory.h"

// A piece of a member's clip between two markers. Times are relative to its first marker.
STRUCT(piece)
word index;
ticks begin;
ticks size;
END_STRUCT(piece)

OP piece make_piece(word index, ticks begin, ticks end) {
    piece p;
    p.index = index;
    p.begin = begin;
    p.size = subtract_ticks(end, begin);
    return p;
}

OP piece find_piece_at(control c, address group, address member, word index) {
    uint markers = READ(c.block, member, MEMBER, markers);
    uint count = READ(c.block, group, GROUP, marker_count);
    ticks first = block_ticks(c, markers);
    ticks end = block_ticks(c, READ(c.block, member, MEMBER, player) + FIELD(PLAYER, duration));
    lane_mask is_before = index + 1u < count;
    if (ANY(is_before)) {
        word next = SELECT_BITS(is_before, index + 1u);
        end = select_ticks(is_before, subtract_ticks(gather_ticks(c.block, markers + next * 2u), first), end);
    }
    return make_piece(index, subtract_ticks(gather_ticks(c.block, markers + index * 2u), first), end);
}

// Finds the piece that contains a position relative to the first marker.
#ifdef LMB_SIMD_WIDTH
OP piece find_piece(control c, address group, address member, ticks place) {
    uint markers = READ(c.block, member, MEMBER, markers);
    uint count = READ(c.block, group, GROUP, marker_count);
    ticks first = block_ticks(c, markers);
    ticks end = block_ticks(c, READ(c.block, member, MEMBER, player) + FIELD(PLAYER, duration));
    piece found = make_piece(ALL_WORD(0u), subtract_ticks(first, first), end);
    for (uint index = 1u; index < count; index++) {
        ticks begin = subtract_ticks(block_ticks(c, markers + index * 2u), first);
        lane_mask is_before = ticks_less(place, begin);
        lane_mask is_here = AND(is_before, found.index == index - 1u);
        found.size = select_ticks(is_here, subtract_ticks(begin, found.begin), found.size);
        found.index = SELECT(is_before, found.index, ALL_WORD(index));
        found.begin = select_ticks(is_before, found.begin, begin);
        found.size = select_ticks(is_before, found.size, subtract_ticks(end, begin));
    }
    return found;
}
#else
OP piece find_piece(control c, address group, address member, ticks place) {
    address index = READ(c.block, group, GROUP, marker_count);
    bool is_here = false;
    piece p;
    while (!is_here) {
        index--;
        p = find_piece_at(c, group, member, TO_WORD(index));
        is_here = index == 0u || !ticks_less(place, p.begin);
    }
    return p;
}
#endif

STRUCT(phase)
word index; // of the piece
word share; // in 2^-32 of the piece
END_STRUCT(phase)

// The phase at a member's position relative to its first marker.
OP phase find_phase(control c, address group, address member, ticks place) {
    piece here = find_piece(c, group, member, place);
    phase p;
    p.index = here.index;
    p.share = share_of_ticks(subtract_ticks(place, here.begin), here.size);
    return p;
}

// Converts a position in the clip to one relative to the first marker, and back.
OP ticks place_from_marker(control c, address member, ticks place) {
    ticks first = block_ticks(c, READ(c.block, member, MEMBER, markers));
    ticks duration = block_ticks(c, READ(c.block, member, MEMBER, player) + FIELD(PLAYER, duration));
    return subtract_ticks(select_ticks(ticks_less(place, first), add_ticks(place, duration), place), first);
}

OP ticks place_in_clip(control c, address member, ticks place) {
    ticks found = add_ticks(place, block_ticks(c, READ(c.block, member, MEMBER, markers)));
    ticks duration = block_ticks(c, READ(c.block, member, MEMBER, player) + FIELD(PLAYER, duration));
    return select_ticks(ticks_less(found, duration), found, subtract_ticks(found, duration));
}

// The position in its clip of a member other than the leader at a phase.
OP ticks matched_place(control c, address group, address member, phase at) {
    piece to = find_piece_at(c, group, member, at.index);
    return place_in_clip(c, member, add_ticks(to.begin, part_of_ticks(to.size, at.share)));
}

// Where a member is in the state.
OP address member_place(control c, address member) {
    return READ(c.block, READ(c.block, member, MEMBER, player), PLAYER, state) + FIELD(PLAYING, place);
}

OP ticks leader_place(control c, address group) {
    address leading = READ(c.block, group, GROUP, members);
    return place_from_marker(c, leading, state_ticks(c, member_place(c, leading)));
}

#ifndef LMB_SIMD_WIDTH
// The phase at which the clips of a state begin, or that they begin at their own offsets.
STRUCT(beginning)
bool at_phase;
uint share; // in 2^-32 of their durations; 2^32 - 1 is the whole
END_STRUCT(beginning)

OP beginning begin_at_offsets(void) {
    beginning b;
    b.at_phase = false;
    b.share = 0u;
    return b;
}

// Where a player begins. A player that begins at a random time draws.
OP ticks start_place(control c, address player, beginning b) {
    ticks place = block_ticks(c, player + FIELD(PLAYER, offset));
    bool draws = USES_PLAYER_OPTIONS && LOAD(c.block, player + FIELD(PLAYER, offset) + 1u) == CONTROL_NONE;
    if (draws && !b.at_phase) {
        address own = LOAD(c.block, player + FIELD(PLAYER, offset));
        uint drawn = state_word(c, own) * DRAW_FACTOR + DRAW_STEP;
        set_state_word(c, own, drawn);
        place = part_of_ticks(block_ticks(c, player + FIELD(PLAYER, duration)), drawn);
    }
    if (USES_STARTS && b.at_phase) {
        ticks duration = block_ticks(c, player + FIELD(PLAYER, duration));
        ticks end = READ(c.block, player, PLAYER, end) == PLAYER_LOOPS ? make_ticks(0u, 0u) : duration;
        place = b.share == 0xffffffffu ? end : part_of_ticks(duration, b.share);
    }
    return place;
}

// The leader's position, relative to its first marker, at which another member has at least a position relative to its
// own first marker: the rounding of positions must not put the member before where it begins.
OP ticks place_to_lead(control c, address group, address member, ticks place) {
    piece own = find_piece(c, group, member, place);
    ticks inside = subtract_ticks(place, own.begin);
    uint share = share_of_ticks(inside, own.size);
    if (ticks_less(part_of_ticks(own.size, share), inside) && share != 0xffffffffu) {
        share++;
    }
    piece led = find_piece_at(c, group, READ(c.block, group, GROUP, members), own.index);
    ticks found = part_of_ticks(led.size, share);
    if (share_of_ticks(found, led.size) < share) {
        found = add_ticks(found, make_ticks(1u, 0u));
    }
    return add_ticks(led.begin, found);
}

// Begins a group where one of its members begins: the others take its phase.
OP_NOINLINE void begin_group(control c, address group, address first, beginning b) {
    address leading = READ(c.block, group, GROUP, members);
    address member_count = READ(c.block, group, GROUP, member_count);
    ticks offset = start_place(c, READ(c.block, first, MEMBER, player), b);
    ticks led = place_from_marker(c, first, offset);
    if (first != leading) {
        led = place_to_lead(c, group, first, led);
    }
    phase at = find_phase(c, group, leading, led);
    for (address i = 0u; i < member_count; i++) {
        address member = leading + i * WORDS_OF(MEMBER);
        ticks place = i == 0u ? place_in_clip(c, member, led) : matched_place(c, group, member, at);
        set_state_ticks(c, member_place(c, member), member == first ? offset : place);
    }
}
#endif

#endif
