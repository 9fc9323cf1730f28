// Bounds of the iterations of the control kernel's loops, and the parts of a frame that stay within the limit.
//
// What loops.h says about these drivers holds here. A loop counts once for each iteration and once more when it
// ends, and that last time, too, all loops inside it count. So a loop of n iterations counts (n + 1) (1 + inside) times
// at most, where `inside` is what its inner loops count. These are bounds for any states of characters: for example,
// each machine takes as many transitions as it can in each piece of a step.
#include "control_parts.h"

#include "control/control.h"
#include "loops.h"
#include "program/program.h"

#include "../../shaders/ops/control_layout.h"

#include <stdio.h>
#include <string.h>

#define WITHIN (MOST_MACHINES_WITHIN + 1u) // a loop over the machines around a machine
#define SHARE 33u                          // share_of_ticks()
#define TIME_AT_RATE 49u                   // time_at_rate()
#define TICKS_TO_PASS 9u                   // ticks_to_pass()
#define NO_DIVISION 2u                     // the loops of divide_ticks() without an active lane
#define DISPLACEMENT 42u                   // displacement_along() and rigid_along()
#define WARP_LOOPS 3u                      // loops through a clip that warped_along() distinguishes
#define WARP_STEPS 4u                      // iterations for a warp
#define WARP_GOAL 5u                       // load_warp_goal()
#define WORD_BITS 33u                      // of a quotient that ticks_at_rate() computes first
#define COMPUTED (MOST_COMPUTED_INPUTS + 1u)
#define MOST_RATE 64u

// Loops inside others, as the kernel's module has them.
#define OWN_BEGIN_GROUP 6u
#define OWN_BEGIN_GROUPS 10u
#define OWN_NEXT_STOP 18u
#define OWN_PLAYER 20u
#define OWN_GROUP 28u
#define OWN_WARP 2u
#define OWN_MOTION_RULE 6u

typedef struct bounds {
    const uint32_t *block;
    const lmb_graph *graph; // or NULL
    uint32_t machine_count, player_count, group_count, capacity;
    uint64_t begin, cut, end, finish; // of a frame and of a piece; what each part may have to finish
    const lmb_gpu_loop_limits *limits;
} bounds;

static uint64_t loop(uint64_t count, uint64_t inside) {
    return (count + 1) * (1 + inside);
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t division_loops(uint64_t bits) {
    return 2 * (bits + 1);
}

static uint64_t wide(const uint32_t *words) {
    return words[0] | (uint64_t)words[1] << 32;
}

static uint32_t machine_at(const bounds *b, uint32_t index) {
    return b->block[FIELD(CONTROL, machines)] + index * WORDS_OF(MACHINE);
}

static uint32_t player_at(const bounds *b, uint32_t index) {
    return b->block[FIELD(CONTROL, players)] + index * WORDS_OF(PLAYER);
}

static uint32_t group_at(const bounds *b, uint32_t index) {
    return b->block[FIELD(CONTROL, groups)] + index * WORDS_OF(GROUP);
}

// Returns whether a machine, named by its offset, is another one or inside it.
static bool is_inside(const bounds *b, uint32_t inner, uint32_t machine) {
    while (inner != CONTROL_NONE && inner != machine) {
        inner = b->block[inner + FIELD(MACHINE, outer)];
    }
    return inner == machine;
}

// ---- Transitions.

static uint32_t machine_state_words(const bounds *b, uint32_t machine) {
    return WORDS_OF(MACHINE_NOW) + b->block[machine + FIELD(MACHINE, state_count)] * WORDS_OF(STATE_WEIGHT);
}

// begin_group(), which calls find_piece() and share_of_ticks() for the group's leader and for another member.
static uint64_t begin_group_loops(const bounds *b, uint32_t group) {
    const uint64_t markers = b->block[group + FIELD(GROUP, marker_count)];
    return 2 * loop(markers, 0) + 3 * SHARE + loop(b->block[group + FIELD(GROUP, member_count)], 0);
}

// begin_groups() for a machine's states, or for all players (CONTROL_NONE).
static uint64_t begin_groups_loops(const bounds *b, uint32_t machine) {
    uint64_t loops = 1 + OWN_BEGIN_GROUPS;
    for (uint32_t i = 0; i < b->group_count; i++) {
        const uint32_t group = group_at(b, i), count = b->block[group + FIELD(GROUP, member_count)];
        bool begins = false;
        for (uint32_t j = 0; j < count; j++) {
            const uint32_t player =
                b->block[b->block[group + FIELD(GROUP, members)] + j * WORDS_OF(MEMBER) + FIELD(MEMBER, player)];
            begins = begins || is_inside(b, b->block[player + FIELD(PLAYER, machine)], machine);
        }
        loops += 1 + loop(count, 2 * WITHIN) + (begins ? begin_group_loops(b, group) : OWN_BEGIN_GROUP);
    }
    return loops;
}

// What each player of a state counts that begins: whether it is inside, and the time of another one.
static uint64_t begin_player_loops(const bounds *b) {
    bool syncs = false;
    for (uint32_t i = 0; i < b->player_count; i++) {
        syncs = syncs || b->block[player_at(b, i) + FIELD(PLAYER, sync)] != CONTROL_NONE;
    }
    return WITHIN + (syncs ? WITHIN + division_loops(64) : 1 + NO_DIVISION);
}

// The loops over triggers and draws: draw(), and set_triggers().
static uint64_t draw_loops(const bounds *b) {
    return loop((b->block[FIELD(CONTROL, flags)] & CONTROL_DECIDES) != 0 ? b->block[FIELD(CONTROL, decision_count)] : 0,
                0);
}

static uint64_t set_triggers_loops(const bounds *b) {
    return (b->block[FIELD(CONTROL, flags)] & CONTROL_DECIDES) != 0
               ? loop(b->block[FIELD(CONTROL, decision_count)], loop(MOST_EVENTS_SENT, 0))
               : 2;
}

static uint64_t begin_state_loops(const bounds *b, uint32_t machine) {
    uint64_t loops = 1 + WITHIN + 2;
    for (uint32_t i = 0; i < b->machine_count; i++) {
        const uint32_t inner = machine_at(b, i);
        const bool begins = is_inside(b, inner, machine);
        loops += 1 + WITHIN + loop(begins ? machine_state_words(b, inner) : 0, 0) + (begins ? draw_loops(b) : 1);
    }
    return loops + loop(b->player_count, begin_player_loops(b)) + begin_groups_loops(b, machine);
}

static uint32_t most_terms(const bounds *b, uint32_t machine) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < b->block[machine + FIELD(MACHINE, transition_count)]; i++) {
        const uint32_t transition = b->block[machine + FIELD(MACHINE, transitions)] + i * WORDS_OF(TRANSITION);
        most = (uint32_t)larger(most, b->block[transition + FIELD(TRANSITION, term_count)]);
    }
    return most;
}

static uint64_t take_transition_loops(const bounds *b, uint32_t machine) {
    const uint64_t states = loop(b->block[machine + FIELD(MACHINE, state_count)], 0);
    return 2 * WITHIN + SHARE + begin_state_loops(b, machine) + 4 * states + loop(most_terms(b, machine), 0) +
           draw_loops(b);
}

static uint64_t condition_loops(uint64_t terms) {
    return loop(terms, loop(2, 0));
}

// The most transitions of a state that need no event.
static uint32_t most_tabled(const bounds *b, uint32_t machine) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < b->block[machine + FIELD(MACHINE, state_count)]; i++) {
        const uint32_t table =
            b->block[b->block[machine + FIELD(MACHINE, states)] + i * WORDS_OF(STATE) + FIELD(STATE, table)];
        most = (uint32_t)larger(most, b->block[table + FIELD(TABLE, transition_count)]);
    }
    return most;
}

static bool travels(const bounds *b, uint32_t machine) {
    const uint32_t table = b->block[b->block[machine + FIELD(MACHINE, states)] + FIELD(STATE, table)];
    return (b->block[table + FIELD(TABLE, flags)] & TABLE_TRAVELS) != 0;
}

// The loop in run_transitions(): a round takes a transition or, in two rounds, tries an event.
static uint32_t most_rounds(bool has_events) {
    return MOST_TRANSITIONS_A_FRAME + 1 + (has_events ? 2 * MOST_EVENTS_SENT : 0);
}

static uint64_t round_loops(const bounds *b, uint32_t index, bool has_events) {
    const uint32_t machine = machine_at(b, index);
    const uint64_t transitions =
        has_events ? b->block[machine + FIELD(MACHINE, transition_count)] : most_tabled(b, machine);
    const uint64_t states = travels(b, machine) ? b->block[machine + FIELD(MACHINE, state_count)] : 0; // begin_travel()
    return WITHIN + loop(transitions, condition_loops(most_terms(b, machine))) + take_transition_loops(b, machine) +
           loop(states, 0);
}

// ---- The cut, and weights.

static uint64_t ticks_at_rate_loops(void) {
    return division_loops(WORD_BITS) + division_loops(FINE_BITS + 1);
}

// Returns whether a transition waits for a time in a clip by its term of an index, or for the end by the one after the
// last.
static bool waits_for_clip(const bounds *b, uint32_t transition, uint32_t index) {
    const uint32_t count = b->block[transition + FIELD(TRANSITION, term_count)];
    const uint32_t term = b->block[transition + FIELD(TRANSITION, terms)] + index * WORDS_OF(TERM);
    return index < count    ? (b->block[term + FIELD(TERM, kind)] & TERM_OF_PLACE) != 0
           : index == count ? (b->block[transition + FIELD(TRANSITION, flags)] & TRANSITION_AT_END) != 0
                            : false;
}

// time_to_transition() for any transition of a machine.
static uint64_t time_to_transition_loops(const bounds *b, uint32_t machine) {
    const uint32_t count = b->block[machine + FIELD(MACHINE, transition_count)], terms = most_terms(b, machine);
    uint64_t loops = ticks_at_rate_loops() + condition_loops(terms) + 1 + WITHIN + 2 * NO_DIVISION +
                     (travels(b, machine) ? ticks_at_rate_loops() : 2 * NO_DIVISION); // time_of_fade()
    for (uint32_t index = 0; index <= terms; index++) {
        bool waits = false;
        for (uint32_t i = 0; i < count; i++) {
            waits = waits || waits_for_clip(
                                 b, b->block[machine + FIELD(MACHINE, transitions)] + i * WORDS_OF(TRANSITION), index);
        }
        loops += 1 + WITHIN + (waits ? ticks_at_rate_loops() : 2 * NO_DIVISION);
    }
    return loops;
}

static uint64_t machine_cut_loops(const bounds *b, uint32_t machine) {
    const uint64_t states = b->block[machine + FIELD(MACHINE, state_count)];
    const uint64_t candidates = larger(most_tabled(b, machine), travels(b, machine) ? 1 : 0);
    return 1 + WITHIN + loop(candidates, time_to_transition_loops(b, machine)) + // find_next_stop()
           1 + WITHIN + 2 * (SHARE + loop(states, 0)) +                          // move_fades()
           1 + loop(states, 0) + loop(2 * states, 0);                            // write_state_weights()
}

static uint64_t motion_rule_loops(const uint32_t *block, uint32_t rule) {
    const uint64_t count = block[rule + FIELD(MOTION_RULE, count)];
    switch (block[rule + FIELD(MOTION_RULE, kind)]) {
    case ROOT_RULE_LAYERS:
        return loop(count, 3 + 2) + 2 * count; // each layer once for each of two passes
    case ROOT_RULE_PROFILES:
    case ROOT_RULE_SUM:
    case MOTION_RULE_SUM:
        return count + 1;
    default:
        return 0;
    }
}

static uint64_t weigh_nodes_loops(const bounds *b) {
    uint64_t loops = 2 * (uint64_t)b->limits->own_weights;
    if (b->graph == NULL) {
        return loops;
    }
    const uint32_t *program = b->graph->program;
    loops += lmb_gpu_rules_loops(b->graph, b->limits->own_weights);
    for (uint32_t i = 0; i < program[FIELD(PROGRAM, motion_rule_count)]; i++) {
        loops += 1 + OWN_MOTION_RULE +
                 motion_rule_loops(program, program[FIELD(PROGRAM, motion_rules)] + i * WORDS_OF(MOTION_RULE));
    }
    return loops;
}

static uint32_t character_motion(const bounds *b) {
    return b->block[FIELD(CONTROL, character_motion)];
}

static uint32_t track_count(const bounds *b) {
    return character_motion(b) != CONTROL_NONE ? b->block[character_motion(b) + FIELD(CHARACTER_MOTION, track_count)]
                                               : 0;
}

static uint32_t track_at(const bounds *b, uint32_t index) {
    return b->block[character_motion(b) + FIELD(CHARACTER_MOTION, tracks)] + index * WORDS_OF(MOTION);
}

static uint64_t computed_loops(const bounds *b) {
    const uint32_t *table = b->block + b->block[FIELD(CONTROL, alone)] + b->block[FIELD(CONTROL, alone_count)];
    return loop((table[COMPUTED_PHASES] - table[0]) / WORDS_OF(COMPUTED), COMPUTED);
}

static uint64_t cut_loops(const bounds *b) {
    uint64_t loops = 3 + OWN_NEXT_STOP + (1 + WITHIN + 2 * (SHARE + 1)) + 2;
    for (uint32_t i = 0; i < b->machine_count; i++) {
        loops += machine_cut_loops(b, machine_at(b, i));
    }
    loops += loop(b->player_count, 0) + computed_loops(b) + weigh_nodes_loops(b);
    for (uint32_t i = 0; i < b->player_count; i++) {
        loops += 1 + loop(b->block[player_at(b, i) + FIELD(PLAYER, use_count)], 0) + WITHIN;
    }
    loops += 2 * loop(track_count(b), 1) + 1 + 1 + WITHIN;
    for (uint32_t i = 0; i < track_count(b); i++) {
        loops += b->block[b->block[track_at(b, i) + FIELD(MOTION, player)] + FIELD(PLAYER, use_count)];
    }
    return loops;
}

// ---- Players, groups and root motion.

static uint64_t bits_of(uint64_t x) {
    uint64_t bits = 0;
    for (; x > 0; x >>= 1) {
        bits++;
    }
    return bits;
}

// move_around(), which divides in one of two places.
static uint64_t move_around_loops(const bounds *b, uint32_t player) {
    const uint64_t duration = wide(b->block + player + FIELD(PLAYER, duration)) >> FINE_BITS;
    const uint64_t farthest = LONGEST_WAIT * MOST_RATE;
    return 2 * division_loops(duration > 0 ? bits_of(farthest / duration) + 1 : 64);
}

// What a player emits. The legs of a passage are as many as there is room for events, and two; if the player turns
// around, twice as many.
static uint64_t emit_loops(const bounds *b, uint32_t player) {
    const uint32_t end = b->block[player + FIELD(PLAYER, end)];
    const uint64_t notifies = loop(b->block[player + FIELD(PLAYER, notify_count)], 0);
    const uint64_t legs = end == PLAYER_HOLDS || end == PLAYER_DROPS_OUT ? 1
                          : end == PLAYER_TURNS                          ? 2 * (uint64_t)b->capacity + 4
                                                                         : b->capacity + 2;
    return loop(legs, notifies) + loop(b->capacity, TICKS_TO_PASS);
}

static uint64_t player_loops(const bounds *b, uint32_t index) {
    const uint32_t player = b->block[b->block[FIELD(CONTROL, alone)] + index];
    return 1 + OWN_PLAYER + WITHIN + move_around_loops(b, player) + emit_loops(b, player);
}

static uint64_t lead_group_loops(const bounds *b, uint32_t group) {
    const uint64_t markers = b->block[group + FIELD(GROUP, marker_count)];
    const uint64_t mean = loop(b->block[group + FIELD(GROUP, member_count)], 0);
    const uint32_t leader = b->block[b->block[group + FIELD(GROUP, members)] + FIELD(MEMBER, player)];
    const bool varies = (b->block[group + FIELD(GROUP, cadence)] & CADENCE_VARIES) != 0;
    return mean + move_around_loops(b, leader) +
           (varies ? loop(markers, 0) + loop(2 * markers + 1, mean + TIME_AT_RATE + NO_DIVISION) + division_loops(64)
                   : 0);
}

static uint64_t group_loops(const bounds *b, uint32_t index) {
    const uint32_t group = group_at(b, index);
    const uint64_t count = b->block[group + FIELD(GROUP, member_count)],
                   markers = b->block[group + FIELD(GROUP, marker_count)];
    uint64_t loops = 1 + OWN_GROUP + loop(count, 0) + WITHIN + loop(count, WITHIN) + lead_group_loops(b, group) +
                     loop(markers, 0) + SHARE + loop(count, 0);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t member = b->block[group + FIELD(GROUP, members)] + i * WORDS_OF(MEMBER);
        loops += 1 + WITHIN + emit_loops(b, b->block[member + FIELD(MEMBER, player)]);
    }
    return loops;
}

static uint64_t end_loops(const bounds *b) {
    uint64_t loops = 2 * (1 + DISPLACEMENT + OWN_WARP) + 2 * loop(3, 0) + set_triggers_loops(b);
    for (uint32_t i = 0; i < track_count(b); i++) {
        const uint64_t warps = b->block[track_at(b, i) + FIELD(MOTION, warp_count)];
        loops +=
            2 * (1 + DISPLACEMENT) + (warps > 0 ? loop(WARP_LOOPS * (WARP_STEPS * warps + 3), WARP_GOAL) : OWN_WARP);
    }
    return loops;
}

// ---- A frame.

static uint64_t begin_loops(const bounds *b) {
    const uint64_t words = loop(b->block[FIELD(CONTROL, state_words)], 0);
    uint64_t loops = SHARE + 2 * loop(b->limits->events_a_frame, 0) +
                     loop(EMITTED_COUNT_WORDS + WORDS_OF(EMITTED) * (uint64_t)b->capacity, 0) + 2 * words +
                     loop(b->player_count, 0) + begin_groups_loops(b, CONTROL_NONE) + 3 + set_triggers_loops(b) +
                     draw_loops(b); // seed_draws()
    for (uint32_t i = 0; i < b->machine_count; i++) {
        loops += 1 + loop(machine_state_words(b, machine_at(b, i)), 0) + draw_loops(b);
    }
    const uint64_t driven = loop(4, 0) + loop(3, 0) + loop(4, 0);
    return loops + loop(b->block[FIELD(CONTROL, smoothed_count)], 0) + loop(2, driven + 1 + COMPUTED) +
           computed_loops(b) + loop(b->graph != NULL ? b->graph->info.reached_count : 0, 0);
}

static uint64_t finish_loops(const bounds *b) {
    uint64_t loops = loop(b->player_count, 0) + 2 + 2 * loop(3, 0);
    for (uint32_t i = 0; i < b->group_count; i++) {
        loops += 1 + loop(b->block[group_at(b, i) + FIELD(GROUP, member_count)], 0);
    }
    return loops;
}

static bounds find_bounds(const lmb_control *control, const lmb_gpu_loop_limits *limits) {
    const uint32_t *block = control->block;
    bounds b = {.block = block,
                .graph = (block[FIELD(CONTROL, flags)] & CONTROL_WEIGHS) != 0 ? control->graph : NULL,
                .machine_count = block[FIELD(CONTROL, machine_count)],
                .player_count = block[FIELD(CONTROL, player_count)],
                .group_count = block[FIELD(CONTROL, group_count)],
                .capacity = block[FIELD(CONTROL, emitted_capacity)],
                .limits = limits};
    b.begin = begin_loops(&b);
    b.cut = cut_loops(&b);
    b.end = end_loops(&b);
    b.finish = finish_loops(&b);
    return b;
}

// ---- Parts.

// What a frame consists of, in order. `index` is that of a machine, player or group.
typedef enum step_kind { BEGIN, MACHINE, CUT, PLAYER, GROUP, END } step_kind;

typedef struct planner {
    const lmb_host *host;
    bounds bounds;
    lmb_gpu_control_parts *parts;
    uint32_t room;
    uint32_t *part;  // that is open
    uint64_t loops;  // of the open part
    bool has_events; // the frame has
    lmb_error *error;
    lmb_result result;
} planner;

static uint64_t most_loops(const planner *p) {
    // What a part does not run counts once, and once more when the loop over pieces ends.
    const uint64_t own = 2 * (uint64_t)p->bounds.limits->own + p->bounds.finish;
    return p->bounds.limits->iterations > own ? p->bounds.limits->iterations - own : 0;
}

static void fail(planner *p, step_kind kind, uint32_t index, uint64_t loops) {
    static const char *const names[] = {
        "the events of a frame", "a transition of machine", "all weights of clips", "player", "group",
        "all root motion"};
    char number[16] = "";
    if (kind == MACHINE || kind == PLAYER || kind == GROUP) {
        snprintf(number, sizeof number, " %u", (unsigned)index);
    }
    p->result =
        lmb_fail(p->error, LMB_ERROR_DEVICE,
                 "gpu control: %s%s may need %llu iterations of loops in an invocation, and the driver ends all "
                 "loops after %u",
                 names[kind], number, (unsigned long long)loops, (unsigned)p->bounds.limits->iterations);
}

// Opens a part that has nothing yet.
static void open_part(planner *p, uint32_t piece) {
    const uint32_t count = p->parts->counts[0] + p->parts->counts[1];
    if (count == p->room) {
        const uint32_t room = p->room > 0 ? 2 * p->room : 16;
        uint32_t *words = lmb_host_allocate(p->host, (size_t)room * WORDS_OF(PART), sizeof *words);
        if (words == NULL) {
            p->result = lmb_fail(p->error, LMB_ERROR_MEMORY, "gpu control: no memory for the parts of a frame");
            return;
        }
        if (count > 0) {
            memcpy(words, p->parts->words, (size_t)count * WORDS_OF(PART) * sizeof *words);
        }
        lmb_host_release(p->host, p->parts->words);
        p->parts->words = words;
        p->room = room;
    }
    p->parts->counts[p->has_events]++;
    p->part = p->parts->words + (size_t)count * WORDS_OF(PART);
    memset(p->part, 0, WORDS_OF(PART) * sizeof *p->part);
    p->part[FIELD(PART, pieces)] = piece;
    p->part[FIELD(PART, pieces) + 1] = piece;
    p->part[FIELD(PART, rounds)] = most_rounds(p->has_events);
    p->loops = 0;
}

// Makes room for so many iterations, in the open part or, if it has no room, in a new one.
static void make_room(planner *p, uint32_t piece, step_kind kind, uint32_t index, uint64_t loops) {
    if (p->result == LMB_OK && loops > most_loops(p)) {
        fail(p, kind, index, loops);
    } else if (p->result == LMB_OK && p->loops + loops > most_loops(p)) {
        open_part(p, piece);
    }
    p->loops += loops;
}

// Adds something of an index to the range of a part. A part's ranges are contiguous.
static void extend(uint32_t *range, uint32_t index) {
    range[0] = range[0] == range[1] ? index : range[0];
    range[1] = index + 1;
}

// Adds the transitions of a machine. If they are too many for a part, each part has some rounds of them.
static void add_machine(planner *p, uint32_t piece, uint32_t index) {
    const uint64_t round = round_loops(&p->bounds, index, p->has_events);
    uint32_t left = most_rounds(p->has_events);
    if (1 + loop(1, round) > most_loops(p)) {
        fail(p, MACHINE, index, 1 + loop(1, round));
    }
    for (bool resumes = false; p->result == LMB_OK && left > 0; resumes = true) {
        const uint64_t most = (most_loops(p) - 1) / (1 + round) - 1;
        const uint32_t rounds = left <= most ? left : (uint32_t)most;
        if (resumes || rounds < left) {
            open_part(p, piece); // a part that stops within a machine has nothing else
        }
        make_room(p, piece, MACHINE, index, 1 + loop(rounds, round));
        if (p->result == LMB_OK) {
            extend(p->part + FIELD(PART, machines), index);
            p->part[FIELD(PART, pieces) + 1] = piece + 1;
            p->part[FIELD(PART, flags)] |= resumes ? PART_RESUMES : 0;
            p->part[FIELD(PART, rounds)] = rounds < left ? rounds : most_rounds(p->has_events);
        }
        left -= rounds;
    }
}

static void add(planner *p, uint32_t piece, step_kind kind, uint32_t index, uint64_t loops) {
    make_room(p, piece, kind, index, loops);
    if (p->result != LMB_OK) {
        return;
    }
    p->part[FIELD(PART, pieces) + 1] = piece + 1;
    p->part[FIELD(PART, flags)] |= kind == CUT ? PART_CUTS : kind == END ? PART_ENDS : 0;
    if (kind == PLAYER || kind == GROUP) {
        extend(p->part + (kind == PLAYER ? FIELD(PART, players) : FIELD(PART, groups)), index);
    }
}

static void add_steps(planner *p, uint32_t piece) {
    const bounds *b = &p->bounds;
    for (uint32_t i = 0; i < b->machine_count; i++) {
        add_machine(p, piece, i);
    }
    add(p, piece, CUT, 0, b->cut);
    for (uint32_t i = 0; i < b->block[FIELD(CONTROL, alone_count)]; i++) {
        add(p, piece, PLAYER, i, player_loops(b, i));
    }
    for (uint32_t i = 0; i < b->group_count; i++) {
        add(p, piece, GROUP, i, group_loops(b, i));
    }
    add(p, piece, END, 0, b->end);
}

static uint64_t piece_loops(const bounds *b, bool has_events) {
    uint64_t loops = 1 + b->cut + b->end;
    for (uint32_t i = 0; i < b->machine_count; i++) {
        loops += 1 + loop(most_rounds(has_events), round_loops(b, i, has_events));
    }
    for (uint32_t i = 0; i < b->block[FIELD(CONTROL, alone_count)]; i++) {
        loops += player_loops(b, i);
    }
    for (uint32_t i = 0; i < b->group_count; i++) {
        loops += group_loops(b, i);
    }
    return loops;
}

// Adds a whole piece to a part that has only whole ones.
static void add_whole(planner *p, uint32_t piece, uint64_t loops) {
    const bounds *b = &p->bounds;
    p->loops += loops;
    p->part[FIELD(PART, pieces) + 1] = piece + 1;
    p->part[FIELD(PART, flags)] |= PART_CUTS | PART_ENDS;
    p->part[FIELD(PART, machines) + 1] = b->machine_count;
    p->part[FIELD(PART, players) + 1] = b->block[FIELD(CONTROL, alone_count)];
    p->part[FIELD(PART, groups) + 1] = b->group_count;
}

static void plan(planner *p, bool has_events) {
    p->has_events = has_events;
    open_part(p, 1);
    if (p->result == LMB_OK) {
        p->part[FIELD(PART, flags)] = PART_BEGINS;
    }
    make_room(p, 1, BEGIN, 0, p->bounds.begin);
    const uint64_t loops = piece_loops(&p->bounds, has_events);
    for (uint32_t piece = 1; piece <= MOST_PIECES && p->result == LMB_OK; piece++) {
        const bool is_whole = loops <= most_loops(p);
        if (is_whole ? p->loops + loops > most_loops(p) : piece > 1) {
            open_part(p, piece);
        }
        if (!is_whole) {
            add_steps(p, piece);
        } else if (p->result == LMB_OK) {
            add_whole(p, piece, loops);
        }
    }
}

lmb_result lmb_gpu_control_parts_create(const lmb_host *host, const lmb_control *control,
                                        const lmb_gpu_loop_limits *limits, lmb_gpu_control_parts *parts,
                                        lmb_error *error) {
    *parts = (lmb_gpu_control_parts){0};
    planner p = {.host = host, .bounds = find_bounds(control, limits), .parts = parts, .error = error};
    plan(&p, false);
    if (p.result == LMB_OK) {
        plan(&p, true);
    }
    if (p.result != LMB_OK) {
        lmb_gpu_control_parts_destroy(host, parts);
    }
    return p.result;
}

void lmb_gpu_control_parts_destroy(const lmb_host *host, lmb_gpu_control_parts *parts) {
    lmb_host_release(host, parts->words);
    *parts = (lmb_gpu_control_parts){0};
}
