// Stages of a control for a character in each lane of a vector: lanes.h. Compiled for each vector width.
#include "lanes.h"

#include <limber/batch.h>

#include "math/inline_ops.h"

#include "../../shaders/ops/conditions.h"
#include "../../shaders/ops/groups.h"
#include "../../shaders/ops/player_weights.h"
#include "../../shaders/ops/root_motion.h"
#include "../../shaders/ops/smoothed.h"

#define JOIN_NAMES(a, b) a##b
#define NAME_LANES(a, lanes) JOIN_NAMES(a, lanes)

#define WEIGH_NODES NAME_LANES(lmb_weigh_nodes_, SIMD_WIDTH)

LMB_NOINLINE void WEIGH_NODES(const evaluation *e) {
    weigh_nodes(*e);
}

static void weigh_nodes_apart(const evaluation *e) {
    WEIGH_NODES(e);
}

_Static_assert(LMB_CONTROL_TOGETHER % SIMD_WIDTH == 0, "characters that run together fill vectors");

static lane_mask lanes_of_bits(uint32_t bits, word lane) {
    return (ALL_WORD(bits) >> lane & 1u) != 0u;
}

static word lane_numbers(void) {
    word lane = ALL_WORD(0u);
    for (uint32_t i = 0; i < SIMD_WIDTH; i++) {
        LANE(lane, i) = i;
    }
    return lane;
}

// Gives each lane a character. Lanes without one repeat the last one, and are not stored.
static control take_characters(const lmb_control_lanes *all, uint32_t first) {
    const word lane = lane_numbers();
    control c = {.block = all->block,
                 .program = all->program,
                 .states = all->states + first,
                 .parameters = all->parameters,
                 .all = all,
                 .first = first};
    c.counts = c.moves = lanes_of_bits(all->moves >> first, lane);
    c.begins = lanes_of_bits(all->begins >> first, lane);
    c.emits_events = lanes_of_bits(all->emits >> first, lane);
    c.is_first_piece = lanes_of_bits(all->first_pieces >> first, lane);
    c.step = make_ticks(lmb_load_lanes(all->steps[0] + first), lmb_load_lanes(all->steps[1] + first));
    c.left = make_ticks(lmb_load_lanes(all->lefts[0] + first), lmb_load_lanes(all->lefts[1] + first));
    c.duration = make_ticks(lmb_load_lanes(all->durations[0] + first), lmb_load_lanes(all->durations[1] + first));
    c.character = MINIMUM(lane + first, all->count - 1u);
    c.row = c.character * all->parameter_count;
    return c;
}

#define VECTORS (LMB_CONTROL_TOGETHER / SIMD_WIDTH)

static bool vector_moves(const lmb_control_lanes *all, uint32_t first) {
    return (all->moves >> first & ((2u << (SIMD_WIDTH - 1)) - 1u)) != 0;
}

// ---- Events. A vector only finds the lanes that may emit some.

// Whether a notify of the player is in [low, high].
OP lane_mask has_notify(control c, address player, ticks low, ticks high) {
    address notify = READ(c.block, player, PLAYER, notifies);
    address end = notify + READ(c.block, player, PLAYER, notify_count) * WORDS_OF(NOTIFY);
    lane_mask has = ALL_WORD(0u) != 0u;
    for (; notify < end; notify += WORDS_OF(NOTIFY)) {
        ticks time = block_ticks(c, notify);
        has = OR(has, NOT(OR(ticks_less(time, low), ticks_less(high, time))));
    }
    return has;
}

static LMB_NOINLINE void emit_lanes(const control *c, address player, const player_move *m, lane_mask emits) {
    lmb_control_passages passages = {.player = (uint32_t)player,
                                     .first = c->first,
                                     .emits = lmb_lane_bits(emits),
                                     .backwards = lmb_lane_bits(m->p.backwards),
                                     .stops = lmb_lane_bits(m->stops),
                                     .had_turned = lmb_lane_bits(m->had_turned)};
    memcpy(passages.from[0], &m->p.from.low, sizeof m->p.from.low);
    memcpy(passages.from[1], &m->p.from.high, sizeof m->p.from.high);
    memcpy(passages.to[0], &m->p.to.low, sizeof m->p.to.low);
    memcpy(passages.to[1], &m->p.to.high, sizeof m->p.to.high);
    memcpy(passages.counts, &m->p.ends, sizeof m->p.ends);
    memcpy(passages.rates, &m->rate, sizeof m->rate);
    memcpy(passages.waits[0], &m->waits.low, sizeof m->waits.low);
    memcpy(passages.waits[1], &m->waits.high, sizeof m->waits.high);
    c->all->emit(c->all, &passages);
}

// `turns`: positions of the passage are not times in the clip.
OP void emit_passage(control c, address player, player_move m, bool turns) {
    const lane_mask ends = OR(m.stops, m.p.ends > 0u);
    lane_mask may = AND(c.counts, c.emits_events);
    if (READ(c.block, player, PLAYER, notify_count) == 0u) {
        bool has_event = READ(c.block, player, PLAYER, ended_event) != CONTROL_NONE ||
                         READ(c.block, player, PLAYER, looped_event) != CONTROL_NONE;
        may = has_event ? AND(may, ends) : ALL_WORD(0u) != 0u;
    } else if (!turns && ANY(may)) {
        ticks low = select_ticks(m.p.backwards, m.p.to, m.p.from);
        ticks high = select_ticks(m.p.backwards, m.p.from, m.p.to);
        may = AND(may, OR(ends, has_notify(c, player, low, high)));
    }
    if (ANY(may)) {
        emit_lanes(&c, player, &m, may);
    }
}

OP void emit_move(control c, player own, player_move m) {
    emit_passage(c, own.record, m, own.turns);
}

OP void emit_member(control c, address player, passage p) {
    const player_move m = {.p = p, .stops = ALL_WORD(0u) != 0u};
    emit_passage(c, player, m, false);
}

// ---- Stages.

static LMB_NOINLINE void weigh_lanes(lmb_control_lanes *all, uint32_t record) {
    (void)record;
    stored_weight weights[LMB_CONTROL_LANE_WEIGHTS];
    uint32_t refused[LMB_REFUSAL_COUNT] = {0}; // not used: later stages count refusals
    for (uint32_t first = 0; first < all->count; first += SIMD_WIDTH) {
        control c = take_characters(all, first);
        c.counts = AND(c.counts, lanes_of_bits(all->updates, c.character));
        if (ANY(c.counts)) {
            c.weights = weights;
            c.refused = refused;
            weigh_players(c);
        }
    }
}

static LMB_NOINLINE void drive_lanes(lmb_control_lanes *all, uint32_t record) {
    for (uint32_t first = 0; first < all->count; first += SIMD_WIDTH) {
        if (vector_moves(all, first)) {
            drive_character_motion(take_characters(all, first), record);
        }
    }
}

static LMB_NOINLINE void move_lanes(lmb_control_lanes *all, uint32_t record) {
    for (uint32_t first = 0; first < all->count; first += SIMD_WIDTH) {
        if (vector_moves(all, first)) {
            apply_root_motion(take_characters(all, first), record);
        }
    }
}

// Takes one player after another, each for all vectors, so that what characters share is read once. With many states,
// nearly all players stand still.
static LMB_NOINLINE void play_lanes(lmb_control_lanes *all, uint32_t record) {
    (void)record;
    const uint32_t *alone = all->block + all->block[FIELD(CONTROL, alone)],
                   count = all->block[FIELD(CONTROL, alone_count)];
    control each[VECTORS];
    uint32_t vectors = 0;
    for (uint32_t first = 0; first < all->count; first += SIMD_WIDTH) {
        if (vector_moves(all, first)) {
            each[vectors++] = take_characters(all, first);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const owning_state owner = load_owner(all->block, alone[i]);
        lane_mask moves[VECTORS];
        bool any = false;
        for (uint32_t k = 0; k < vectors; k++) {
            moves[k] = owner_moves(each[k], owner);
            stay(only_where(each[k], NOT(moves[k])), alone[i]);
            any = any || ANY(AND(moves[k], each[k].counts));
        }
        if (any) {
            const player own = load_player(all->block, alone[i]);
            for (uint32_t k = 0; k < vectors; k++) {
                const control moving = only_where(each[k], moves[k]);
                if (ANY(moving.counts)) {
                    move_player(moving, own);
                }
            }
        }
    }
}

static LMB_NOINLINE void play_group_lanes(lmb_control_lanes *all, uint32_t record) {
    const uint32_t leader = all->block[all->block[record + FIELD(GROUP, members)] + FIELD(MEMBER, player)];
    const owning_state leaders = load_owner(all->block, leader);
    const bool shares = group_shares_owner(all->block, record);
    for (uint32_t first = 0; first < all->count; first += SIMD_WIDTH) {
        if (!vector_moves(all, first)) {
            continue;
        }
        const control c = take_characters(all, first);
        const lane_mask moves = shares ? owner_moves(c, leaders) : group_moves(c, record);
        const control moving = only_where(c, moves), still = only_where(c, NOT(moves));
        if (ANY(still.counts)) {
            stay_in_group(still, record);
        }
        if (ANY(moving.counts)) {
            move_group(moving, record, shares);
        }
    }
}

// All characters, also those that do not move.
static control take_all(const lmb_control_lanes *all, uint32_t first) {
    control c = take_characters(all, first);
    c.counts = c.character - first == lane_numbers();
    return c;
}

static LMB_NOINLINE void smooth_lanes(lmb_control_lanes *all, uint32_t record) {
    (void)record;
    const uint32_t begin = all->block[FIELD(CONTROL, smoothed)];
    const uint32_t end = begin + all->block[FIELD(CONTROL, smoothed_count)] * WORDS_OF(SMOOTHED);
    for (uint32_t first = 0; first < all->count && begin < end; first += SIMD_WIDTH) {
        const control c = take_all(all, first);
        for (uint32_t at = begin; at < end; at += WORDS_OF(SMOOTHED)) {
            const smoothed own = load_smoothed(all->block, at);
            smooth_parameter(c, own, find_decay(c.step, own));
        }
    }
}

static LMB_NOINLINE void time_lanes(lmb_control_lanes *all, uint32_t record) {
    (void)record;
    const uint32_t begin = all->block[FIELD(CONTROL, players)];
    const uint32_t end = begin + all->block[FIELD(CONTROL, player_count)] * WORDS_OF(PLAYER);
    for (uint32_t first = 0; first < all->count && begin < end; first += SIMD_WIDTH) {
        const control c = take_all(all, first);
        for (uint32_t at = begin; at < end; at += WORDS_OF(PLAYER)) {
            write_player_time(c, load_shown_player(all->block, at));
        }
    }
}

// ---- Transitions that no event triggers. Nearly no character takes one in a frame.

// A machine, and the lanes in one of its states.
typedef struct state_lanes {
    uint32_t machine, state;
    ticks time;     // in the state
    lane_mask here; // lanes in which the state is current
} state_lanes;

// Whether a player may reach its next end within the step.
OP lane_mask may_end(control c, address record) {
    if (c.block[record + FIELD(PLAYER, is_grouped)] != 0) {
        return ALL_WORD(0u) != 0u;
    }
    const player own = load_player(c.block, record);
    const pace speed = player_pace(c, own);
    const playing now = load_playing(c, own.state);
    const ticks reach = scale_ticks(c.left, speed.rate);
    const lane_mask stopped = (now.flags & PLAYING_ENDED) != 0u;
    return AND(NOT(stopped), NOT(ticks_less(reach, distance_to_end(own, now.place, speed.backwards))));
}

OP bool has_place_term(const uint32_t *block, uint32_t transition) {
    const uint32_t terms = block[transition + FIELD(TRANSITION, terms)],
                   count = block[transition + FIELD(TRANSITION, term_count)];
    bool has = false;
    for (uint32_t i = 0; i < count; i++) {
        has = has || (block[terms + i * WORDS_OF(TERM) + FIELD(TERM, kind)] & TERM_OF_PLACE) != 0;
    }
    return has;
}

// The lanes in which a transition applies now, as transition_applies() finds.
OP lane_mask find_applying(control c, state_lanes s, uint32_t transition, lane_mask waits) {
    lane_mask applies = AND(s.here, NOT(waits));
    if ((c.block[transition + FIELD(TRANSITION, flags)] & TRANSITION_AT_END) != 0 && ANY(applies)) {
        applies = AND(applies, state_ended(c, s.machine, s.state, PLAYING_PASSED));
    }
    if (ANY(applies)) {
        applies = AND(applies, condition_holds(c, c.block[transition + FIELD(TRANSITION, terms)],
                                               c.block[transition + FIELD(TRANSITION, term_count)], false));
    }
    return applies;
}

// The lanes in which time_to_transition() may find less than the time left in the step.
OP lane_mask find_due(control c, state_lanes s, uint32_t transition, ticks after, lane_mask waits) {
    lane_mask due = waits;
    if ((c.block[transition + FIELD(TRANSITION, flags)] & TRANSITION_AT_END) != 0) {
        const uint32_t player = c.block[state_record(c, s.machine, s.state) + FIELD(STATE, end_player)];
        due = player != CONTROL_NONE ? OR(due, may_end(c, player)) : due;
    }
    if (has_place_term(c.block, transition)) {
        due = s.here;
    }
    due = AND(due, s.here);
    if (ANY(due)) {
        const lane_mask late = NOT(ticks_less(subtract_ticks(after, s.time), fine_of_ticks(c.left)));
        due = AND(due, NOT(AND(waits, late)));
    }
    if (ANY(due)) {
        due = AND(due, condition_holds(c, c.block[transition + FIELD(TRANSITION, terms)],
                                       c.block[transition + FIELD(TRANSITION, term_count)], true));
    }
    return due;
}

// Adds the lanes that must run alone: those in which a transition applies, and those in which one may be due.
OP void find_lanes(control c, lane_mask *applying, lane_mask *due) {
    const uint32_t *block = c.block;
    for (uint32_t i = 0; i < block[FIELD(CONTROL, machine_count)]; i++) {
        const uint32_t machine = block[FIELD(CONTROL, machines)] + i * WORDS_OF(MACHINE);
        const lane_mask runs = AND(c.counts, machine_is_current(c, machine));
        real row[4];
        lmb_load_rows_behind(c.states, machine_at(c, machine) + FIELD(MACHINE_NOW, current), row);
        const word current = BITS(row[0]);
        state_lanes s = {.machine = machine, .time = make_ticks(BITS(row[1]), BITS(row[2]))};
        const uint32_t travels = (uint32_t)travels_of(block, state_table(c, machine, 0));
        if (travels != CONTROL_NONE) {
            *applying = OR(*applying, AND(runs, state_word(c, block[travels + FIELD(TRAVEL, state)]) != 0u));
        }
        for (s.state = 0; s.state < block[machine + FIELD(MACHINE, state_count)]; s.state++) {
            const uint32_t table = (uint32_t)state_table(c, machine, s.state);
            s.here = AND(runs, current == s.state);
            for (uint32_t k = 0; k < block[table + FIELD(TABLE, transition_count)] && ANY(s.here); k++) {
                const uint32_t transition = block[table + WORDS_OF(TABLE) + k];
                const ticks after = block_ticks(c, transition + FIELD(TRANSITION, after));
                const lane_mask waits = ticks_less(s.time, after);
                *applying = OR(*applying, find_applying(c, s, transition, waits));
                *due = OR(*due, find_due(c, s, transition, after, waits));
            }
        }
    }
}

static LMB_NOINLINE void transition_lanes(lmb_control_lanes *all, uint32_t record) {
    (void)record;
    all->alone = all->due = 0;
    for (uint32_t first = 0; first < all->count; first += SIMD_WIDTH) {
        control c = take_characters(all, first);
        c.counts = AND(c.counts, lanes_of_bits(all->updates, c.character));
        if (ANY(c.counts)) {
            lane_mask applying = ALL_WORD(0u) != 0u, due = applying;
            find_lanes(c, &applying, &due);
            all->alone |= lmb_lane_bits(applying) << first;
            all->due |= lmb_lane_bits(due) << first;
        }
    }
}

// What the stage of transitions has found counts where none was taken.
static LMB_NOINLINE void stop_lanes(lmb_control_lanes *all, uint32_t record) {
    (void)record;
    all->alone |= all->due | all->decides;
}

lmb_control_stage *const NAME_LANES(lmb_control_stages_, SIMD_WIDTH)[STAGE_COUNT] = {
    [STAGE_WEIGHTS] = weigh_lanes,     [STAGE_DRIVE] = drive_lanes,
    [STAGE_ROOT_MOTION] = move_lanes,  [STAGE_PLAYERS] = play_lanes,
    [STAGE_GROUP] = play_group_lanes,  [STAGE_SMOOTHED] = smooth_lanes,
    [STAGE_PLAYER_TIMES] = time_lanes, [STAGE_TRANSITIONS] = transition_lanes,
    [STAGE_STOPS] = stop_lanes,
};
