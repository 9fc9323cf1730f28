// Players and groups: how they move in a piece of a frame, and what they oracle_emit.
#include "oracle_control.h"

#include <math.h>
#include <stdlib.h>

// ---- Players at their ends

static double clamped_rate(const oracle_character *c, uint32_t player) {
    const double rate = oracle_value(c->graph->players[player].def->rate, c->row, c->graph->def->curves);
    return !isfinite(rate) ? 0.0 : rate < -64.0 ? -64.0 : rate > 64.0 ? 64.0 : rate;
}

int64_t oracle_rate(const oracle_character *c, uint32_t player) {
    return (int64_t)round(clamped_rate(c, player) * ORACLE_UNITS);
}

bool oracle_stays_at_end(const oracle_player *player) {
    return player->def->end == LMB_END_HOLD || player->def->end == LMB_END_ONCE || player->def->repetitions > 0;
}

bool oracle_is_at_end(const oracle_character *c, uint32_t player) {
    const int64_t rate = oracle_rate(c, player), time = c->players[player].time;
    const uint32_t repetitions = c->graph->players[player].def->repetitions;
    if (repetitions > 0) {
        return c->players[player].ended == repetitions;
    }
    return (rate > 0 && time == c->graph->players[player].duration) || (rate < 0 && time == 0);
}

// The player of a node, or LMB_NONE.
static uint32_t player_of(const oracle_graph *graph, uint32_t node) {
    uint32_t player = 0;
    while (player < graph->player_count && graph->players[player].node != node) {
        player++;
    }
    return player < graph->player_count ? player : LMB_NONE;
}

bool oracle_drops_out(const oracle_character *c, uint32_t machine, uint32_t state) {
    const uint32_t pose = c->graph->machines[machine].poses[state];
    const lmb_node_def *node = pose != LMB_NONE ? &c->graph->def->nodes[pose] : NULL;
    const bool is_difference = node != NULL && node->op == LMB_OP_MAKE_ADDITIVE;
    const uint32_t player = node != NULL ? player_of(c->graph, is_difference ? node->inputs[0] : pose) : LMB_NONE;
    const lmb_player_def *def = player != LMB_NONE ? c->graph->players[player].def : NULL;
    return def != NULL && (def->end == LMB_END_ONCE || def->drops_out) && oracle_is_at_end(c, player);
}

// ---- Phases of groups

static double piece_length(const oracle_player *player, uint32_t piece) {
    const uint32_t next = piece + 1;
    return next < player->marker_count
               ? (double)(player->markers[next] - player->markers[piece])
               : (double)(player->markers[0] + player->duration - player->markers[player->marker_count - 1]);
}

// A player's time at a phase, from its first marker on, so up to its duration later.
static int64_t unrolled(const oracle_player *player, uint32_t piece, double share) {
    return player->markers[piece] + (int64_t)floor(share * piece_length(player, piece) + 0.5);
}

static int64_t wrapped(int64_t time, int64_t duration) {
    const int64_t rest = time % duration;
    return rest < 0 ? rest + duration : rest;
}

// Gives a group the phase that one of its players has at a time.
void oracle_begin_group(oracle_character *c, uint32_t group, uint32_t first, int64_t time) {
    const oracle_player *player = &c->graph->players[first];
    oracle_group_state *state = &c->groups[group];
    state->piece = player->marker_count - 1;
    for (uint32_t i = 0; i + 1 < player->marker_count; i++) {
        if (player->markers[i] <= time && time < player->markers[i + 1]) {
            state->piece = i;
        }
    }
    const int64_t passed = wrapped(time - player->markers[state->piece], player->duration);
    state->share = (double)passed / piece_length(player, state->piece);
    state->error = passed == 0 ? 0.0 : 2.0 / piece_length(player, state->piece);
}

void oracle_follow_group(oracle_character *c, uint32_t group) {
    for (uint32_t i = 0; i < c->graph->player_count; i++) {
        const oracle_player *player = &c->graph->players[i];
        if (player->def->group == group) {
            c->players[i].time =
                wrapped(unrolled(player, c->groups[group].piece, c->groups[group].share), player->duration);
        }
    }
}

// ---- Passages

void oracle_emit(oracle_character *c, const oracle_emitted *emitted) {
    if (emitted->event != LMB_NONE && c->emitted_count < ORACLE_EMITTED) {
        c->emitted[c->emitted_count++] = *emitted;
    }
}

// Emits an event of a player, a distance from the beginning of its passage.
static void emit_of_player(oracle_character *c, uint32_t index, lmb_emitted_kind kind, uint32_t part, int32_t passes,
                           int64_t distance) {
    const lmb_player_def *def = c->graph->players[index].def;
    const oracle_emitted emitted = {.event = kind == LMB_EMITTED_NOTIFY   ? def->notifies[part].event
                                             : kind == LMB_EMITTED_LOOPED ? def->looped_event
                                                                          : def->ended_event,
                                    .weight = c->players[index].weight,
                                    .passes = passes,
                                    .kind = kind,
                                    .source = index,
                                    .part = part,
                                    .ticks = (double)distance};
    oracle_emit(c, &emitted);
}

// A player has reached an end.
static void reach_end(oracle_character *c) {
    c->first_end = c->first_end < 0 ? c->passed : c->first_end;
}

static void begin_passage(oracle_character *c) {
    c->passed = 0;
    c->first_end = -1;
}

// Gives the events of a passage, from an index on, their times: a player moves evenly from `begin` on for so many
// ticks.
static void time_events(oracle_character *c, uint32_t first, int64_t begin, double units_a_tick) {
    for (uint32_t i = first; i < c->emitted_count; i++) {
        c->emitted[i].ticks = (double)begin + ceil(c->emitted[i].ticks / units_a_tick);
    }
}

static void time_events_of_group(oracle_character *c, uint32_t first, int64_t ticks, double error) {
    for (uint32_t i = first; i < c->emitted_count; i++) {
        oracle_emitted *emitted = &c->emitted[i];
        const double share = fmin(emitted->ticks / (double)c->passed, 1.0);
        emitted->error = 2.0 + (double)ticks * (1e-6 + 4.0 * error / (double)c->passed);
        emitted->ticks = (double)c->piece_time + share * (double)ticks;
    }
}

// A notify at a time, or minus that time.
typedef struct passing {
    int64_t at;
    uint32_t order, index;
} passing;

static void sort_passings(passing *list, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t j = i; j > 0; j--) {
            const bool swap =
                list[j].at < list[j - 1].at || (list[j].at == list[j - 1].at && list[j].order < list[j - 1].order);
            if (!swap) {
                break;
            }
            const passing p = list[j];
            list[j] = list[j - 1];
            list[j - 1] = p;
        }
    }
}

// Emits the notifies that a passage from a time to another one within [0, duration] passes.
static void pass_notifies(oracle_character *c, uint32_t index, int64_t from, int64_t to) {
    const bool turned = c->players[index].has_turned;
    const oracle_player *player = &c->graph->players[index];
    passing list[LMB_MAX_NOTIFIES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < player->def->notify_count; i++) {
        const int64_t t = player->notifies[i];
        const bool forwards = (from <= t && t < to) || (from < to && to == player->duration && t == to);
        const bool begins_at_end = to < from && from == player->duration && player->def->end == LMB_END_LOOP;
        const bool backwards = (to <= t && t < from) || (begins_at_end && t == from);
        if ((forwards && !(turned && t == from)) || backwards) {
            const uint32_t order = to > from ? i : player->def->notify_count - i;
            list[count++] = (passing){to > from ? t : -t, order, i};
        }
    }
    sort_passings(list, count);
    for (uint32_t i = 0; i < count; i++) {
        const int64_t distance = c->passed + llabs(player->notifies[list[i].index] - from);
        emit_of_player(c, index, LMB_EMITTED_NOTIFY, list[i].index, to > from ? 1 : -1, distance);
    }
}

// One passage of a player, without an end inside it.
static void pass(oracle_character *c, uint32_t index, int64_t from, int64_t to, bool moves, oracle_motion *sum) {
    if (from != to && moves) {
        pass_notifies(c, index, from, to);
        oracle_add_passage(&c->graph->players[index], from, to, sum);
    }
    c->passed += llabs(to - from);
}

// Moves a player that loops by `distance` units. Returns how many ends it went past.
static int32_t loop(oracle_character *c, uint32_t index, int64_t distance, bool moves, oracle_motion *sum) {
    oracle_player_state *player = &c->players[index];
    const int64_t duration = c->graph->players[index].duration;
    int32_t looped = 0;
    while (distance > 0 && player->time + distance >= duration) {
        pass(c, index, player->time, duration, moves, sum);
        distance -= duration - player->time;
        player->time = 0;
        looped++;
        reach_end(c);
    }
    while (distance < 0 && player->time + distance < 0) {
        pass(c, index, player->time, 0, moves, sum);
        distance += player->time;
        player->time = duration;
        looped++;
        reach_end(c);
    }
    pass(c, index, player->time, player->time + distance, moves, sum);
    player->time += distance;
    return looped;
}

// The same with repetitions, each of which ends at an end that the player reaches.
static int32_t repeat(oracle_character *c, uint32_t index, int64_t distance, oracle_motion *sum) {
    oracle_player_state *player = &c->players[index];
    const int64_t duration = c->graph->players[index].duration;
    const uint32_t repetitions = c->graph->players[index].def->repetitions;
    const int64_t end = distance > 0 ? duration : 0;
    int32_t looped = 0;
    while (distance != 0 && player->ended < repetitions) {
        if (player->time == end) { // goes on at the other end
            player->time = duration - end;
            looped++;
            reach_end(c);
        }
        const int64_t room = end - player->time;
        const bool arrives = llabs(distance) >= llabs(room);
        const int64_t part = arrives ? room : distance;
        pass(c, index, player->time, player->time + part, true, sum);
        player->time += part;
        distance -= part;
        player->ended += arrives;
    }
    if (player->ended < repetitions && player->time == duration && end == duration) {
        player->time = 0; // a loop is never at its end, if that is not the last
        looped++;
        reach_end(c);
    }
    return looped;
}

static int32_t bounce(oracle_character *c, uint32_t index, int64_t distance, oracle_motion *sum) {
    oracle_player_state *player = &c->players[index];
    const int64_t duration = c->graph->players[index].duration;
    int32_t turned = 0;
    const int sign = distance < 0 ? -1 : 1;
    distance = distance < 0 ? -distance : distance;
    const uint32_t repetitions = c->graph->players[index].def->repetitions;
    while (distance > 0 && (repetitions == 0 || player->ended < repetitions)) {
        const bool forwards = player->direction * sign > 0;
        const int64_t room = forwards ? duration - player->time : player->time;
        const int64_t part = distance < room ? distance : room;
        const int64_t to = forwards ? player->time + part : player->time - part;
        pass(c, index, player->time, to, true, sum);
        player->time = to;
        distance -= part;
        player->ended += repetitions > 0 && part == room && part > 0;
        if (repetitions > 0 && player->ended == repetitions) {
            break;
        }
        player->has_turned = part == room && (part > 0 || player->has_turned); // not if it began there
        if (part == room) {
            player->direction = -player->direction;
            turned += part > 0;
            if (part > 0) {
                reach_end(c);
            }
        }
    }
    return turned;
}

static bool hold(oracle_character *c, uint32_t index, int64_t distance, oracle_motion *sum) {
    oracle_player_state *player = &c->players[index];
    const int64_t duration = c->graph->players[index].duration, from = player->time;
    int64_t to = from + distance;
    to = to < 0 ? 0 : to > duration ? duration : to;
    pass(c, index, from, to, true, sum);
    player->time = to;
    return from != to && to == (distance > 0 ? duration : 0);
}

static void move_player(oracle_character *c, uint32_t index, int64_t ticks, oracle_motion *sum) {
    const oracle_player *player = &c->graph->players[index];
    oracle_player_state *state = &c->players[index];
    const int64_t waits = oracle_ticks(player->def->delay) - state->waited;
    const int64_t passed = waits < ticks ? waits : ticks;
    state->waited += passed;
    const int64_t distance = (ticks - passed) * oracle_rate(c, index), begin = c->piece_time + passed;
    const double units_a_tick = (double)llabs(oracle_rate(c, index));
    const uint32_t first = c->emitted_count;
    begin_passage(c);
    if (player->def->end == LMB_END_HOLD || player->def->end == LMB_END_ONCE) {
        if (hold(c, index, distance, sum)) {
            emit_of_player(c, index, LMB_EMITTED_ENDED, 0, distance < 0 ? -1 : 1, c->passed);
        }
        time_events(c, first, begin, units_a_tick);
        return;
    }
    const uint32_t repetitions = player->def->repetitions, ended = state->ended;
    const int32_t looped = player->def->end != LMB_END_LOOP ? bounce(c, index, distance, sum)
                           : repetitions > 0                ? repeat(c, index, distance, sum)
                                                            : loop(c, index, distance, true, sum);
    state->passed_in_piece = looped > 0 && repetitions == 0;
    if (looped > 0) {
        emit_of_player(c, index, LMB_EMITTED_LOOPED, 0, distance < 0 ? -looped : looped, c->first_end);
    }
    if (state->ended > ended && state->ended == repetitions) {
        emit_of_player(c, index, LMB_EMITTED_ENDED, 0, distance < 0 ? -1 : 1, c->passed);
    }
    time_events(c, first, begin, units_a_tick);
}

// ---- Steps of groups

// The pieces between markers that a group passes in a second at rate 1.
static double group_speed(oracle_character *c, uint32_t group, uint32_t piece) {
    double above = 0.0, below = 0.0, leader = 0.0;
    for (uint32_t i = c->graph->player_count; i-- > 0;) {
        const oracle_player *player = &c->graph->players[i];
        if (player->def->group == group) {
            const double length = piece_length(player, piece) / ORACLE_UNITS_A_SECOND;
            const double weight = c->players[i].weight * (c->graph->by_velocity[group] ? fabs(player->speed) : 1.0);
            // The mean time of a piece, or the mean of the pieces in a second.
            const bool of_time = c->graph->by_velocity[group] || c->graph->by_length[group];
            above += of_time ? weight : weight / length;
            below += of_time ? weight * length : weight;
            leader = length;
        }
    }
    if (below > 0.0 && below < 1e-5) {
        c->close = "the weights in a group are nearly 0";
    }
    return below > 0.0 ? above / below : 1.0 / leader;
}

// A part of a group's step, within one piece between markers.
typedef struct group_part {
    uint32_t piece;
    double from, to;
} group_part;

enum { GROUP_PARTS = 8192 };

typedef struct group_step {
    uint32_t count;
    group_part parts[GROUP_PARTS];
} group_step;

static uint32_t group_leader(const oracle_character *c, uint32_t group) {
    uint32_t i = 0;
    while (c->graph->players[i].def->group != group) {
        i++;
    }
    return i;
}

static bool group_moves(const oracle_character *c, uint32_t group) {
    for (uint32_t i = 0; i < c->graph->player_count; i++) {
        if (c->graph->players[i].def->group == group && oracle_scope_moves(c, c->graph->players[i].scope)) {
            return true;
        }
    }
    return false;
}

// The largest factor by which a share grows that moves on to a piece of another length.
static double growth(const oracle_character *c, uint32_t group, uint32_t from, uint32_t to) {
    double largest = 0.0;
    for (uint32_t i = 0; i < c->graph->player_count; i++) {
        const oracle_player *player = &c->graph->players[i];
        if (player->def->group == group) {
            largest = fmax(largest, piece_length(player, from) / piece_length(player, to));
        }
    }
    return largest;
}

static void advance_group(oracle_character *c, uint32_t group, int64_t ticks, group_step *step) {
    const oracle_player *leader = &c->graph->players[group_leader(c, group)];
    const uint32_t last = leader->marker_count - 1;
    oracle_group_state *state = &c->groups[group];
    const double rate = clamped_rate(c, group_leader(c, group)); // its product with the factor is rounded
    double seconds = (double)ticks / (double)LMB_TICKS_PER_SECOND;
    step->count = 0;
    if (!group_moves(c, group) || rate == 0.0) {
        return;
    }
    while (seconds > 0.0 && step->count < GROUP_PARTS) {
        const double length = piece_length(leader, state->piece), fastest = 64.0 * ORACLE_UNITS_A_SECOND / length;
        const double speed = fmin(fmax(rate * group_speed(c, group, state->piece), -fastest), fastest);
        const double room = speed > 0.0 ? 1.0 - state->share : state->share, needs = room / fabs(speed);
        const double factor = fabs(speed / rate) * length / ORACLE_UNITS_A_SECOND;
        const double rounding = (1.0 + factor + fabs(rate)) * 0x1p-16 * ORACLE_UNITS_A_SECOND / length;
        group_part *part = &step->parts[step->count++];
        *part = (group_part){state->piece, state->share, state->share + speed * fmin(seconds, needs)};
        state->error += fmin(seconds, needs) * (rounding + 1e-6 * fabs(speed)) + 1.0 / length;
        if (needs > seconds) {
            state->share = part->to;
            return;
        }
        seconds -= needs;
        part->to = speed > 0.0 ? 1.0 : 0.0;
        state->piece =
            speed > 0.0 ? (state->piece == last ? 0 : state->piece + 1) : (state->piece == 0 ? last : state->piece - 1);
        state->share = speed > 0.0 ? 0.0 : 1.0;
        state->error *= growth(c, group, part->piece, state->piece);
    }
    if (state->share == 1.0) { // a time at a marker belongs to the piece after it
        const uint32_t before = state->piece;
        state->share = 0.0;
        state->piece = before == last ? 0 : before + 1;
        state->error *= growth(c, group, before, state->piece);
    }
}

double oracle_time_error(const oracle_character *c, uint32_t index) {
    const oracle_player *player = &c->graph->players[index];
    if (player->def->group == LMB_NONE) {
        return 0.0;
    }
    const oracle_group_state *group = &c->groups[player->def->group];
    return group->error * piece_length(player, group->piece) + 2.0;
}

static void check_group(oracle_character *c, uint32_t index) {
    const oracle_player *player = &c->graph->players[index];
    const double error = oracle_time_error(c, index);
    const int64_t time = c->players[index].time;
    if (c->groups[player->def->group].error == 0.0) {
        return;
    }
    bool close = (double)time <= error || (double)(player->duration - time) <= error;
    for (uint32_t i = 0; i < player->def->notify_count; i++) {
        close = close || (double)llabs(time - player->notifies[i]) <= error;
    }
    c->close = close ? "a time in a group is close to an event" : c->close;
}

static void follow_parts(oracle_character *c, uint32_t index, const group_step *step, int64_t ticks,
                         oracle_motion *sum) {
    const oracle_player *player = &c->graph->players[index];
    oracle_player_state *state = &c->players[index];
    const bool moves = oracle_scope_moves(c, player->scope);
    int32_t looped = 0;
    bool backwards = false;
    const uint32_t first = c->emitted_count;
    begin_passage(c);
    if (step->count > 0 && moves) {
        check_group(c, index);
    }
    for (uint32_t i = 0; i < step->count; i++) {
        const group_part *part = &step->parts[i];
        const int64_t from = unrolled(player, part->piece, part->from), to = unrolled(player, part->piece, part->to);
        looped += loop(c, index, to - from, moves, sum);
        backwards = backwards || part->to < part->from;
    }
    if (step->count > 0 && moves) {
        check_group(c, index);
    }
    state->passed_in_piece = looped > 0;
    if (looped > 0 && moves) {
        emit_of_player(c, index, LMB_EMITTED_LOOPED, 0, backwards ? -looped : looped, c->first_end);
    }
    time_events_of_group(c, first, ticks, oracle_time_error(c, index));
}

// ---- Steps of all players

// Advances the players of a group, or those that are in none.
static void advance_players_of(oracle_character *c, uint32_t group, int64_t ticks, oracle_motion *passed) {
    static group_step step;
    if (group != LMB_NONE) {
        advance_group(c, group, ticks, &step);
    }
    for (uint32_t i = 0; i < c->graph->player_count; i++) {
        const oracle_player *player = &c->graph->players[i];
        if (player->def->group != group) {
            continue;
        }
        passed[i] = oracle_no_motion;
        c->players[i].passed_in_piece = false;
        if (group != LMB_NONE) {
            follow_parts(c, i, &step, ticks, &passed[i]);
        } else if (oracle_scope_moves(c, player->scope)) {
            move_player(c, i, ticks, &passed[i]);
        }
        c->players[i].passed_in_frame = c->players[i].passed_in_frame || c->players[i].passed_in_piece;
    }
}

// Advances players without a group, then groups, which move the character.
void oracle_advance_players(oracle_character *c, int64_t ticks) {
    oracle_motion passed[ORACLE_PLAYERS];
    advance_players_of(c, LMB_NONE, ticks, passed);
    for (uint32_t g = 0; g < c->graph->def->group_count; g++) {
        advance_players_of(c, g, ticks, passed);
    }
    oracle_move(c, passed);
}
