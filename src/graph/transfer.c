// Characters of one graph go on in another one. Parts are matched once, by hashes of their names: each part of the new
// graph has the index of the same part of the old one. A character then begins as in its first frame in the new graph,
// and the parts that have a match take the words of the old one.
#include <limber/transfer.h>

#include "base/host.h"
#include "control/control.h"
#include "program/program.h"
#include "snapshot.h"

#include <stdio.h>
#include <string.h>

#include "../../shaders/ops/control_layout.h"

#define ONE_BITS 0x3f800000u // bits of 1.0f
#define LOST_TEXT 300u       // bytes of what is said about a part

typedef enum part_kind { PART_MACHINE, PART_PLAYER, PART_SMOOTHED, PART_PARAMETER, PART_COUNT } part_kind;

// A graph, and the tables of its control.
typedef struct side {
    const lmb_graph *graph;
    const lmb_control *control; // or NULL
    const uint32_t *block;      // or NULL
    uint32_t counts[PART_COUNT];
} side;

struct lmb_graph_transfer {
    lmb_host host;
    lmb_arena memory;
    side from, to;
    uint32_t *matches[PART_COUNT];           // [part of `to`] that of `from`, or LMB_NONE
    uint32_t *states[LMB_MAX_MACHINES];      // [machine of `to`][state of `to`] that of `from`, or LMB_NONE
    uint32_t *transitions[LMB_MAX_MACHINES]; // the same for transitions
    uint32_t *begun;                         // a character of `to` after its first frame
    uint32_t state_words, inertia_words, reached_words;
    uint32_t joint_words, chain_words; // of inertia that go on, or 0
    bool keeps_reached;
    const char **lost;
    uint32_t lost_count, lost_room;
};

// ---- Names. A key is a hash of all names that make two parts the same.

static uint64_t add_name(uint64_t key, const char *name) {
    for (const char *c = name != NULL ? name : ""; *c != '\0'; c++) {
        key = (key ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    }
    return (key ^ 0x100) * UINT64_C(0x100000001b3); // the end of the name
}

static const uint64_t empty_key = UINT64_C(0xcbf29ce484222325);

static const uint32_t *record_of(const side *s, uint32_t table, uint32_t words, uint32_t index) {
    return s->block + s->block[table] + index * words;
}

static const uint32_t *machine_record(const side *s, uint32_t index) {
    return record_of(s, FIELD(CONTROL, machines), WORDS_OF(MACHINE), index);
}

static const uint32_t *player_record(const side *s, uint32_t index) {
    return record_of(s, FIELD(CONTROL, players), WORDS_OF(PLAYER), index);
}

static uint32_t group_of(const side *s, uint32_t player) {
    const uint32_t record = s->block[FIELD(CONTROL, players)] + player * WORDS_OF(PLAYER);
    for (uint32_t i = 0; i < s->block[FIELD(CONTROL, group_count)]; i++) {
        const uint32_t *group = record_of(s, FIELD(CONTROL, groups), WORDS_OF(GROUP), i);
        for (uint32_t k = 0; k < group[FIELD(GROUP, member_count)]; k++) {
            if (s->block[group[FIELD(GROUP, members)] + k * WORDS_OF(MEMBER) + FIELD(MEMBER, player)] == record) {
                return i;
            }
        }
    }
    return LMB_NONE;
}

// The machine and state of a player.
static uint64_t add_owner(const side *s, uint32_t player, uint64_t key) {
    const uint32_t *record = player_record(s, player);
    if (record[FIELD(PLAYER, machine)] == CONTROL_NONE) {
        return add_name(key, "");
    }
    const uint32_t machine = (record[FIELD(PLAYER, machine)] - s->block[FIELD(CONTROL, machines)]) / WORDS_OF(MACHINE);
    key = add_name(key, lmb_graph_machine_at(s->graph, machine).name);
    return add_name(key, lmb_graph_state_name(s->graph, machine, record[FIELD(PLAYER, machine_state)]));
}

static uint64_t part_key(const side *s, part_kind part, uint32_t index, bool with_owner) {
    switch (part) {
    case PART_MACHINE:
        return add_name(empty_key, lmb_graph_machine_at(s->graph, index).name);
    case PART_PLAYER: {
        const uint32_t group = group_of(s, index);
        uint64_t key = add_name(empty_key, lmb_graph_player_at(s->graph, index).name);
        key = add_name(key, group != LMB_NONE ? lmb_graph_group_name(s->graph, group) : "");
        return with_owner ? add_owner(s, index, key) : key;
    }
    case PART_SMOOTHED:
        index = record_of(s, FIELD(CONTROL, smoothed), WORDS_OF(SMOOTHED), index)[FIELD(SMOOTHED, parameter)];
        return add_name(empty_key, lmb_graph_parameter_at(s->graph, index).name);
    case PART_PARAMETER:
    case PART_COUNT:
        break;
    }
    const lmb_graph_parameter parameter = lmb_graph_parameter_at(s->graph, index);
    return add_name(add_name(empty_key, parameter.name), parameter.is_written ? "written" : "");
}

// Matches parts of equal keys in their order; `matches` has LMB_NONE for those that have none yet. A key of a part that
// is matched must not be looked at again, so that is 0.
static void match(uint64_t *from, uint32_t from_count, const uint64_t *to, uint32_t to_count, uint32_t *matches) {
    for (uint32_t i = 0; i < to_count; i++) {
        for (uint32_t k = 0; matches[i] == LMB_NONE && k < from_count; k++) {
            if (from[k] == to[i] && from[k] != 0) {
                matches[i] = k;
                from[k] = 0;
            }
        }
    }
}

static uint32_t *create_matches(lmb_graph_transfer *t, uint32_t count) {
    uint32_t *matches = lmb_arena_allocate(&t->memory, count, sizeof *matches);
    for (uint32_t i = 0; matches != NULL && i < count; i++) {
        matches[i] = LMB_NONE;
    }
    return matches;
}

// ---- What is lost.

// Keeps what is lost: `machine "body": state "hop"`. The names and what is between them may be NULL.
static void lose(lmb_graph_transfer *t, const char *kind, const char *name, const char *between, const char *second) {
    char text[LOST_TEXT];
    int size = snprintf(text, sizeof text, "%s", kind);
    if (name != NULL) {
        size = snprintf(text, sizeof text, "%s \"%s\"", kind, name);
    }
    if (name != NULL && second != NULL) {
        size = snprintf(text, sizeof text, "%s \"%s\"%s \"%s\"", kind, name, between, second);
    }
    const size_t bytes = (size_t)size < sizeof text ? (size_t)size + 1 : sizeof text;
    char *kept = lmb_arena_allocate(&t->memory, bytes, 1);
    if (kept != NULL && t->lost_count < t->lost_room) {
        memcpy(kept, text, bytes);
        t->lost[t->lost_count++] = kept;
    }
}

static void lose_part(lmb_graph_transfer *t, part_kind part, uint32_t index) {
    const side *s = &t->from;
    if (part == PART_MACHINE) {
        lose(t, "machine", lmb_graph_machine_at(s->graph, index).name, NULL, NULL);
    } else if (part == PART_PLAYER) {
        const uint32_t group = group_of(s, index);
        lose(t, "player of clip", lmb_graph_player_at(s->graph, index).name, " in group",
             group != LMB_NONE ? lmb_graph_group_name(s->graph, group) : NULL);
    } else if (part == PART_SMOOTHED) {
        index = record_of(s, FIELD(CONTROL, smoothed), WORDS_OF(SMOOTHED), index)[FIELD(SMOOTHED, parameter)];
        lose(t, "smoothed parameter", lmb_graph_parameter_at(s->graph, index).name, NULL, NULL);
    } else if (!lmb_graph_parameter_at(s->graph, index).is_written) {
        lose(t, "parameter", lmb_graph_parameter_at(s->graph, index).name, NULL, NULL);
    }
}

// Returns whether any of `count` matches is `index`.
static bool is_matched(const uint32_t *matches, uint32_t count, uint32_t index) {
    bool found = false;
    for (uint32_t i = 0; i < count && !found; i++) {
        found = matches[i] == index;
    }
    return found;
}

// ---- Matching.

static void match_parts(lmb_graph_transfer *t, part_kind part) {
    const uint32_t from_count = t->from.counts[part], to_count = t->to.counts[part];
    uint64_t *keys = lmb_arena_allocate(&t->memory, (size_t)from_count + to_count, sizeof *keys);
    uint32_t *matches = t->matches[part] = create_matches(t, to_count);
    if (keys == NULL || matches == NULL) {
        return;
    }
    for (int pass = part == PART_PLAYER ? 0 : 1; pass < 2; pass++) { // the first pass with owners
        for (uint32_t i = 0; i < from_count; i++) {
            keys[i] = is_matched(matches, to_count, i) ? 0 : part_key(&t->from, part, i, pass == 0);
        }
        for (uint32_t i = 0; i < to_count; i++) {
            keys[from_count + i] = part_key(&t->to, part, i, pass == 0);
        }
        match(keys, from_count, keys + from_count, to_count, matches);
    }
    for (uint32_t i = 0; i < from_count; i++) {
        if (!is_matched(matches, to_count, i)) {
            lose_part(t, part, i);
        }
    }
}

static uint64_t state_key(const side *s, uint32_t machine, uint32_t state) {
    return add_name(empty_key, lmb_graph_state_name(s->graph, machine, state));
}

static uint64_t transition_key(const side *s, uint32_t machine, uint32_t transition) {
    const uint32_t *record =
        s->block + machine_record(s, machine)[FIELD(MACHINE, transitions)] + transition * WORDS_OF(TRANSITION);
    const uint64_t to = add_name(empty_key, lmb_graph_state_name(s->graph, machine, record[FIELD(TRANSITION, to)]));
    const uint64_t key = add_name(to, lmb_graph_event_name(s->graph, record[FIELD(TRANSITION, event)]));
    const uint32_t states = machine_record(s, machine)[FIELD(MACHINE, state_count)];
    return record[FIELD(TRANSITION, from)] < states
               ? add_name(key, lmb_graph_state_name(s->graph, machine, record[FIELD(TRANSITION, from)]))
               : key;
}

// Matches the states or the transitions of a machine.
static uint32_t *match_inside(lmb_graph_transfer *t, uint32_t machine, uint32_t count_word,
                              uint64_t (*key)(const side *s, uint32_t machine, uint32_t index)) {
    const uint32_t old = t->matches[PART_MACHINE][machine];
    const uint32_t to_count = machine_record(&t->to, machine)[count_word];
    const uint32_t from_count = old != LMB_NONE ? machine_record(&t->from, old)[count_word] : 0;
    uint64_t *keys = lmb_arena_allocate(&t->memory, (size_t)from_count + to_count, sizeof *keys);
    uint32_t *matches = create_matches(t, to_count);
    if (keys == NULL || matches == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < from_count; i++) {
        keys[i] = key(&t->from, old, i);
    }
    for (uint32_t i = 0; i < to_count; i++) {
        keys[from_count + i] = key(&t->to, machine, i);
    }
    match(keys, from_count, keys + from_count, to_count, matches);
    return matches;
}

static void match_machine(lmb_graph_transfer *t, uint32_t machine) {
    const uint32_t old = t->matches[PART_MACHINE][machine];
    const uint32_t to_count = machine_record(&t->to, machine)[FIELD(MACHINE, state_count)];
    t->states[machine] = match_inside(t, machine, FIELD(MACHINE, state_count), state_key);
    t->transitions[machine] = match_inside(t, machine, FIELD(MACHINE, transition_count), transition_key);
    for (uint32_t i = 0;
         old != LMB_NONE && !t->memory.failed && i < lmb_graph_machine_at(t->from.graph, old).state_count; i++) {
        if (!is_matched(t->states[machine], to_count, i)) {
            lose(t, "machine", lmb_graph_machine_at(t->from.graph, old).name, ": state",
                 lmb_graph_state_name(t->from.graph, old, i));
        }
    }
}

// ---- Decisions: triggers that wait, and draws.

static uint32_t decision_count(const side *s) {
    return s->control != NULL && lmb_control_decides(s->control) ? s->block[FIELD(CONTROL, decision_count)] : 0;
}

static const uint32_t *decision_record(const side *s, uint32_t index) {
    return record_of(s, FIELD(CONTROL, decisions), WORDS_OF(DECISION), index);
}

static uint32_t machine_of_decision(const side *s, uint32_t index) {
    return (decision_record(s, index)[FIELD(DECISION, machine)] - s->block[FIELD(CONTROL, machines)]) /
           WORDS_OF(MACHINE);
}

// Returns whether a decision of the new graph is one of the old graph: of the same machine, both draws or both triggers
// of one event.
static bool is_same_decision(const lmb_graph_transfer *t, uint32_t own, uint32_t old) {
    const uint32_t event = decision_record(&t->to, own)[FIELD(DECISION, event)];
    const uint32_t old_event = decision_record(&t->from, old)[FIELD(DECISION, event)];
    const bool are_draws = event == CONTROL_NONE && old_event == CONTROL_NONE;
    const bool are_triggers =
        event != CONTROL_NONE && old_event != CONTROL_NONE &&
        strcmp(lmb_graph_event_name(t->to.graph, event), lmb_graph_event_name(t->from.graph, old_event)) == 0;
    return t->matches[PART_MACHINE][machine_of_decision(&t->to, own)] == machine_of_decision(&t->from, old) &&
           (are_draws || are_triggers);
}

// Says which decisions are lost, of machines that are not.
static void lose_decisions(lmb_graph_transfer *t) {
    for (uint32_t i = 0; i < decision_count(&t->from); i++) {
        const uint32_t machine = machine_of_decision(&t->from, i),
                       event = decision_record(&t->from, i)[FIELD(DECISION, event)];
        bool is_kept = !is_matched(t->matches[PART_MACHINE], t->to.counts[PART_MACHINE], machine);
        for (uint32_t k = 0; k < decision_count(&t->to) && !is_kept; k++) {
            is_kept = is_same_decision(t, k, i);
        }
        const char *name = lmb_graph_machine_at(t->from.graph, machine).name;
        if (!is_kept && event == CONTROL_NONE) {
            lose(t, "draw of machine", name, NULL, NULL);
        } else if (!is_kept) {
            lose(t, "trigger", lmb_graph_event_name(t->from.graph, event), " of machine", name);
        }
    }
}

static side side_of(const lmb_graph *graph) {
    side s = {.graph = graph, .control = graph->control};
    s.counts[PART_PARAMETER] = lmb_graph_get_info(graph)->parameter_count;
    if (s.control != NULL) {
        s.block = s.control->block;
        s.counts[PART_MACHINE] = s.block[FIELD(CONTROL, machine_count)];
        s.counts[PART_PLAYER] = s.block[FIELD(CONTROL, player_count)];
        s.counts[PART_SMOOTHED] = s.block[FIELD(CONTROL, smoothed_count)];
    }
    return s;
}

// Returns how many things can be lost.
static uint32_t count_losses(const side *s) {
    uint32_t count = 4 + decision_count(s); // motion, inertialization, chains and feet, reached targets
    for (int i = 0; i < PART_COUNT; i++) {
        count += s->counts[i];
    }
    for (uint32_t i = 0; i < s->counts[PART_MACHINE]; i++) {
        count += lmb_graph_machine_at(s->graph, i).state_count;
    }
    return count;
}

// Runs the first frame of a character, from which parts without a match take their words.
static lmb_result begin(lmb_graph_transfer *t, lmb_error *error) {
    const side *s = &t->to;
    t->state_words = lmb_graph_get_info(s->graph)->state_words;
    t->begun = lmb_arena_allocate(&t->memory, t->state_words, sizeof *t->begun);
    float *parameters =
        lmb_arena_allocate(&t->memory, lmb_graph_get_info(s->graph)->parameter_count, sizeof *parameters);
    if (t->memory.failed) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "graph transfer: no memory");
    }
    lmb_graph_defaults(s->graph, parameters);
    lmb_control_frame frame = lmb_default_control_frame();
    frame.character_count = 1;
    frame.state = t->begun;
    frame.parameters = parameters;
    return s->control != NULL ? lmb_control_run(s->graph, &frame, 0, 1, error) : LMB_OK;
}

// Finds which words of poses go on, and says which do not.
static void match_kept(lmb_graph_transfer *t) {
    const lmb_state_sizes from = lmb_graph_state_sizes(t->from.graph), to = lmb_graph_state_sizes(t->to.graph);
    t->inertia_words = lmb_graph_get_info(t->to.graph)->inertia_words;
    t->reached_words = lmb_graph_get_info(t->to.graph)->reached_count;
    t->joint_words = from.joints == to.joints && from.inertialization == to.inertialization ? to.joints : 0;
    t->chain_words = from.chains_and_feet == to.chains_and_feet ? to.chains_and_feet : 0;
    t->keeps_reached = lmb_graph_get_info(t->from.graph)->reached_count == t->reached_words;
    if (from.motion > 0 && to.motion == 0) {
        lose(t, "character motion", NULL, NULL, NULL);
    }
    if (from.joints > 0 && t->joint_words == 0) {
        lose(t, "inertialization", NULL, NULL, NULL);
    }
    if (from.chains_and_feet > 0 && t->chain_words == 0) {
        lose(t, "chains and feet", NULL, NULL, NULL);
    }
    if (lmb_graph_get_info(t->from.graph)->reached_count > 0 && !t->keeps_reached) {
        lose(t, "reached targets", NULL, NULL, NULL);
    }
}

lmb_result lmb_graph_transfer_create(const lmb_graph *from, const lmb_graph *to, const lmb_host *host,
                                     lmb_graph_transfer **transfer, lmb_error *error) {
    if (transfer != NULL) {
        *transfer = NULL;
    }
    if (from == NULL || to == NULL || transfer == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph transfer: %s",
                        transfer == NULL ? "the result is NULL" : "a graph is NULL");
    }
    const lmb_host resolved = lmb_host_resolve(host);
    lmb_graph_transfer *t = lmb_host_allocate(&resolved, 1, sizeof *t);
    if (t == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "graph transfer: no memory");
    }
    *t = (lmb_graph_transfer){.host = resolved, .from = side_of(from), .to = side_of(to)};
    t->memory.host = &t->host;
    t->lost_room = count_losses(&t->from);
    t->lost = lmb_arena_allocate(&t->memory, t->lost_room, sizeof *t->lost);
    for (int i = 0; i < PART_COUNT; i++) {
        match_parts(t, (part_kind)i);
    }
    for (uint32_t i = 0; i < t->to.counts[PART_MACHINE] && !t->memory.failed; i++) {
        match_machine(t, i);
    }
    if (!t->memory.failed) {
        lose_decisions(t);
    }
    match_kept(t);
    const lmb_result result = begin(t, error);
    if (result != LMB_OK) {
        lmb_graph_transfer_destroy(t);
        return result;
    }
    *transfer = t;
    return LMB_OK;
}

void lmb_graph_transfer_destroy(lmb_graph_transfer *transfer) {
    if (transfer != NULL) {
        lmb_arena_release(&transfer->memory);
        const lmb_host host = transfer->host;
        lmb_host_release(&host, transfer);
    }
}

uint32_t lmb_graph_transfer_lost_count(const lmb_graph_transfer *transfer) {
    return transfer->lost_count;
}

const char *lmb_graph_transfer_lost(const lmb_graph_transfer *transfer, uint32_t index) {
    return index < transfer->lost_count ? transfer->lost[index] : "";
}

// ---- Running.

static uint64_t wide(const uint32_t *words) {
    return (uint64_t)words[1] << 32 | words[0];
}

static void store_wide(uint32_t *words, uint64_t value) {
    words[0] = (uint32_t)value;
    words[1] = (uint32_t)(value >> 32);
}

// Converts a position in a clip to one in a clip of another length.
static uint64_t scale_place(uint64_t place, uint64_t from, uint64_t to) {
    if (from == to) {
        return place;
    }
    const double part = from > 0 ? (double)place / (double)from : 0.0;
    const uint64_t scaled = (uint64_t)(part * (double)to);
    return scaled < to ? scaled : to;
}

static void transfer_player(const lmb_graph_transfer *t, uint32_t index, const uint32_t *from, uint32_t *to) {
    const uint32_t *old = player_record(&t->from, t->matches[PART_PLAYER][index]);
    const uint32_t *own = player_record(&t->to, index);
    const uint32_t *was = from + old[FIELD(PLAYER, state)];
    uint32_t *is = to + own[FIELD(PLAYER, state)];
    const uint64_t before = wide(old + FIELD(PLAYER, duration)), after = wide(own + FIELD(PLAYER, duration));
    const bool turned = old[FIELD(PLAYER, end)] == PLAYER_TURNS, turns = own[FIELD(PLAYER, end)] == PLAYER_TURNS;
    const bool returns = turned && wide(was + FIELD(PLAYING, place)) > before; // on its way back
    const uint64_t place = scale_place(
        returns ? 2 * before - wide(was + FIELD(PLAYING, place)) : wide(was + FIELD(PLAYING, place)), before, after);
    store_wide(is + FIELD(PLAYING, place), returns && turns ? 2 * after - place : place);
    const uint32_t ended = was[FIELD(PLAYING, flags)] >> PLAYING_ENDED_SHIFT;
    const bool is_same = old[FIELD(PLAYER, end)] == own[FIELD(PLAYER, end)] &&
                         old[FIELD(PLAYER, repetitions)] == own[FIELD(PLAYER, repetitions)];
    is[FIELD(PLAYING, flags)] = is_same ? was[FIELD(PLAYING, flags)]
                                        : (ended <= own[FIELD(PLAYER, repetitions)] ? ended : 0) << PLAYING_ENDED_SHIFT;
    if (turns && wide(is + FIELD(PLAYING, place)) != 0) {
        is[FIELD(PLAYING, flags)] &= ~PLAYING_TURNED;
    }
    is[FIELD(PLAYING, weight)] = was[FIELD(PLAYING, weight)];
    if (own[FIELD(PLAYER, waited)] != CONTROL_NONE) {
        const uint64_t waited =
            old[FIELD(PLAYER, waited)] != CONTROL_NONE ? wide(from + old[FIELD(PLAYER, waited)]) : UINT64_MAX;
        const uint64_t delay = wide(own + FIELD(PLAYER, delay));
        store_wide(to + own[FIELD(PLAYER, waited)], waited < delay ? waited : delay);
    }
}

// Copies the draws of players that begin at random times.
static void transfer_player_draws(const lmb_graph_transfer *t, const uint32_t *from, uint32_t *to) {
    for (uint32_t i = 0; i < t->to.counts[PART_PLAYER]; i++) {
        const uint32_t match = t->matches[PART_PLAYER][i], own = lmb_player_draw(player_record(&t->to, i));
        const uint32_t old = match != LMB_NONE ? lmb_player_draw(player_record(&t->from, match)) : CONTROL_NONE;
        if (own != CONTROL_NONE && old != CONTROL_NONE) {
            to[own] = from[old];
        }
    }
}

// Returns the same state or transition of the new machine, or LMB_NONE.
static uint32_t find_match(const uint32_t *matches, uint32_t count, uint32_t old) {
    uint32_t found = 0;
    while (found < count && matches[found] != old) {
        found++;
    }
    return found < count ? found : LMB_NONE;
}

// Where a machine has its travel, in a state; LMB_NONE if it does not travel.
static uint32_t travel_word(const side *s, uint32_t machine) {
    const uint32_t *record = machine_record(s, machine);
    const uint32_t *table = s->block + s->block[record[FIELD(MACHINE, states)] + FIELD(STATE, table)];
    return (table[FIELD(TABLE, flags)] & TABLE_TRAVELS) != 0
               ? s->block[table[WORDS_OF(TABLE) + table[FIELD(TABLE, transition_count)]] + FIELD(TRAVEL, state)]
               : LMB_NONE;
}

// Returns whether an event asks a machine that travels for a state.
static bool can_travel(const side *s, uint32_t machine, uint32_t state) {
    const uint32_t *record = machine_record(s, machine);
    const uint32_t *table = s->block + s->block[record[FIELD(MACHINE, states)] + FIELD(STATE, table)];
    const uint32_t *travels = s->block + table[WORDS_OF(TABLE) + table[FIELD(TABLE, transition_count)]];
    return travels[WORDS_OF(TRAVEL) + state * WORDS_OF(DESTINATION) + FIELD(DESTINATION, event)] != CONTROL_NONE;
}

static bool has_profiles(const side *s, uint32_t machine) {
    const uint32_t *record = machine_record(s, machine);
    return s->block[s->block[record[FIELD(MACHINE, states)] + FIELD(STATE, table)] + FIELD(TABLE, profiles)] !=
           CONTROL_NONE;
}

// Copies the weights of all states that are in both machines.
static void copy_weights(const lmb_graph_transfer *t, uint32_t index, const uint32_t *was, uint32_t *is) {
    for (uint32_t i = 0; i < machine_record(&t->to, index)[FIELD(MACHINE, state_count)]; i++) {
        const uint32_t from = t->states[index][i];
        if (from != LMB_NONE) {
            memcpy(is + WORDS_OF(MACHINE_NOW) + i * WORDS_OF(STATE_WEIGHT),
                   was + WORDS_OF(MACHINE_NOW) + from * WORDS_OF(STATE_WEIGHT), WORDS_OF(STATE_WEIGHT) * sizeof *is);
        }
    }
}

// Copies a fade: its transition, and the weights of all states. Returns false if a part of it is lost.
static bool transfer_fade(const lmb_graph_transfer *t, uint32_t index, const uint32_t *was, uint32_t *is) {
    const uint32_t old = t->matches[PART_MACHINE][index];
    const uint32_t *record = machine_record(&t->from, old), *own = machine_record(&t->to, index);
    const uint32_t states = own[FIELD(MACHINE, state_count)];
    const uint32_t fading =
        (was[FIELD(MACHINE_NOW, fade)] - record[FIELD(MACHINE, transitions)]) / WORDS_OF(TRANSITION);
    const uint32_t fade = find_match(t->transitions[index], own[FIELD(MACHINE, transition_count)], fading);
    bool complete = fade != LMB_NONE && !has_profiles(&t->from, old) && !has_profiles(&t->to, index);
    for (uint32_t i = 0; i < record[FIELD(MACHINE, state_count)] && complete; i++) {
        const uint32_t *weights = was + WORDS_OF(MACHINE_NOW) + i * WORDS_OF(STATE_WEIGHT);
        complete = (weights[0] == 0 && weights[FIELD(STATE_WEIGHT, began)] == 0) ||
                   find_match(t->states[index], states, i) != LMB_NONE;
    }
    if (complete) {
        is[FIELD(MACHINE_NOW, fade)] = own[FIELD(MACHINE, transitions)] + fade * WORDS_OF(TRANSITION);
        memcpy(is + FIELD(MACHINE_NOW, faded), was + FIELD(MACHINE_NOW, faded), 2 * sizeof *is);
        copy_weights(t, index, was, is);
    }
    return complete;
}

static void transfer_machine(const lmb_graph_transfer *t, uint32_t index, const uint32_t *from, uint32_t *to) {
    const uint32_t old = t->matches[PART_MACHINE][index];
    const uint32_t *own = machine_record(&t->to, index);
    const uint32_t *was = from + machine_record(&t->from, old)[FIELD(MACHINE, state)];
    uint32_t *is = to + own[FIELD(MACHINE, state)];
    const uint32_t states = own[FIELD(MACHINE, state_count)];
    const uint32_t current = find_match(t->states[index], states, was[FIELD(MACHINE_NOW, current)]);
    if (current == LMB_NONE) {
        return; // it begins anew
    }
    memset(is, 0, (WORDS_OF(MACHINE_NOW) + states * WORDS_OF(STATE_WEIGHT)) * sizeof *is);
    is[FIELD(MACHINE_NOW, current)] = current;
    memcpy(is + FIELD(MACHINE_NOW, time), was + FIELD(MACHINE_NOW, time), 2 * sizeof *is);
    if (was[FIELD(MACHINE_NOW, fade)] == 0) {
        copy_weights(t, index, was, is);
    } else if (!transfer_fade(t, index, was, is)) {
        is[WORDS_OF(MACHINE_NOW) + current * WORDS_OF(STATE_WEIGHT)] = ONE_BITS;
    }
    const uint32_t travel = travel_word(&t->to, index), travelled = travel_word(&t->from, old);
    if (travel != LMB_NONE) {
        const uint32_t asked = travelled != LMB_NONE ? from[travelled] : 0;
        const uint32_t goal = asked != 0 ? find_match(t->states[index], states, asked - 1) : LMB_NONE;
        to[travel] = goal != LMB_NONE && can_travel(&t->to, index, goal) ? goal + 1 : 0;
    }
}

// Returns the record of the motion matching of a machine, or NULL.
static const uint32_t *matching_record(const side *s, uint32_t machine) {
    const uint32_t count =
        (s->block[FIELD(CONTROL, flags)] & CONTROL_MATCHES) != 0 ? s->block[FIELD(CONTROL, matching_count)] : 0;
    const uint32_t *found = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *record = record_of(s, FIELD(CONTROL, matchings), WORDS_OF(MATCHING), i);
        found = s->block + record[FIELD(MATCHING, machine)] == machine_record(s, machine) ? record : found;
    }
    return found;
}

static bool have_same_rows(const side *a, const uint32_t *of_a, const side *b, const uint32_t *of_b) {
    const size_t rows = of_a[FIELD(MATCHING, row_count)];
    return rows == of_b[FIELD(MATCHING, row_count)] &&
           memcmp(a->block + of_a[FIELD(MATCHING, numbers)], b->block + of_b[FIELD(MATCHING, numbers)],
                  rows * MATCH_ROW_WORDS * sizeof *a->block) == 0 &&
           memcmp(a->block + of_a[FIELD(MATCHING, moments)], b->block + of_b[FIELD(MATCHING, moments)],
                  rows * sizeof *a->block) == 0;
}

// Copies what a machine that matches motion knows, if its current state is in both. Rows are those of the same database
// alone.
static void transfer_matching(const lmb_graph_transfer *t, uint32_t index, const uint32_t *from, uint32_t *to) {
    const uint32_t old = t->matches[PART_MACHINE][index];
    const uint32_t *record = matching_record(&t->from, old), *own = matching_record(&t->to, index);
    const uint32_t current = from[machine_record(&t->from, old)[FIELD(MACHINE, state)] + FIELD(MACHINE_NOW, current)];
    if (record == NULL || own == NULL ||
        find_match(t->states[index], machine_record(&t->to, index)[FIELD(MACHINE, state_count)], current) == LMB_NONE) {
        return;
    }
    const uint32_t *was = from + record[FIELD(MATCHING, state)];
    uint32_t *is = to + own[FIELD(MATCHING, state)];
    memcpy(is, was, MATCHED_WORDS * sizeof *is);
    is[FIELD(MATCHED, mirrored)] = own[FIELD(MATCHING, mirrored)] != CONTROL_NONE ? was[FIELD(MATCHED, mirrored)] : 0;
    if (!have_same_rows(&t->from, record, &t->to, own)) {
        is[FIELD(MATCHED, found)] = 0;
        memset(is + WORDS_OF(MATCHED), 0, MOST_RECENT * WORDS_OF(RECENT) * sizeof *is);
    }
}

// Copies a trigger that waits, or a draw, of a machine that both graphs have.
static void transfer_decision(const lmb_graph_transfer *t, uint32_t index, const uint32_t *from, uint32_t *to) {
    for (uint32_t i = 0; i < decision_count(&t->from); i++) {
        if (is_same_decision(t, index, i)) {
            to[decision_record(&t->to, index)[FIELD(DECISION, state)]] =
                from[decision_record(&t->from, i)[FIELD(DECISION, state)]];
        }
    }
}

// Gives seeds to all draws before those that both graphs have are copied: `begun` has those of one character for all.
static void transfer_decisions(const lmb_graph_transfer *t, uint32_t row, const uint32_t *from, uint32_t *to) {
    lmb_error ignored; // no pointer is NULL
    if (from[FIELD(CHARACTER, begun)] != 0) {
        lmb_state_set_seed(t->to.graph, to, row, &ignored);
    }
    transfer_player_draws(t, from, to);
    for (uint32_t i = 0; i < decision_count(&t->to); i++) {
        transfer_decision(t, i, from, to);
    }
}

// Returns where a state has the root motion of a player, or CONTROL_NONE.
static uint32_t root_motion_of(const side *s, uint32_t player) {
    const uint32_t motion = s->block[FIELD(CONTROL, character_motion)];
    return motion != CONTROL_NONE ? s->block[s->block[motion + FIELD(CHARACTER_MOTION, root_motion)] + player]
                                  : CONTROL_NONE;
}

// Copies what the last update found for a player, from which frames until the next one go on.
static void transfer_root_motion(const lmb_graph_transfer *t, uint32_t player, const uint32_t *from, uint32_t *to) {
    const uint32_t match = t->matches[PART_PLAYER][player];
    const uint32_t old = match != LMB_NONE ? root_motion_of(&t->from, match) : CONTROL_NONE;
    const uint32_t own = root_motion_of(&t->to, player);
    if (old != CONTROL_NONE && own != CONTROL_NONE &&
        wide(player_record(&t->from, match) + FIELD(PLAYER, duration)) ==
            wide(player_record(&t->to, player) + FIELD(PLAYER, duration))) {
        memcpy(to + own, from + old, WORDS_OF(MOTION_SPAN) * sizeof *to);
    }
}

static void transfer_remaining(const lmb_graph_transfer *t, const uint32_t *from, uint32_t *to) {
    const uint32_t *old = t->from.block + t->from.block[FIELD(CONTROL, character_motion)],
                   *own = t->to.block + t->to.block[FIELD(CONTROL, character_motion)];
    const uint32_t was = old[FIELD(CHARACTER_MOTION, remaining)], is = own[FIELD(CHARACTER_MOTION, remaining)];
    if (was != CONTROL_NONE && is != CONTROL_NONE) {
        memcpy(to + is, from + was, WORDS_OF(REMAINING) * sizeof *to);
    }
}

// The velocity of a driven motion and the root motion of the frame follow its place.
static void transfer_motion(const lmb_graph_transfer *t, const uint32_t *from, uint32_t *to) {
    const lmb_word_range old = lmb_graph_get_info(t->from.graph)->motion_words;
    const lmb_word_range own = lmb_graph_get_info(t->to.graph)->motion_words;
    if (old.count == 0 || own.count == 0) {
        return;
    }
    const lmb_motion motion = lmb_state_motion(t->from.graph, from);
    lmb_error ignored; // a motion that was stored is valid
    if (old.count == own.count) {
        memcpy(to + own.first, from + old.first, own.count * sizeof *to);
    } else {
        lmb_state_set_motion(t->to.graph, to, &motion, &ignored);
    }
    const uint32_t *was = from + old.first + old.count;
    uint32_t *is = to + own.first + own.count;
    if (from[FIELD(CHARACTER, begun)] != 0) {
        const bool is_full = old.count == own.count && own.count == WORDS_OF(MOVING_FULLY);
        memcpy(is, was, (is_full ? WORDS_OF(MOVED_FULLY) : WORDS_OF(MOVED)) * sizeof *is);
        transfer_remaining(t, from, to);
        for (uint32_t i = 0; i < t->to.counts[PART_PLAYER]; i++) {
            transfer_root_motion(t, i, from, to);
        }
    }
}

// Inertialization goes on only with the words of its joints. Otherwise only the number of the frame does.
static void transfer_inertialization(const lmb_graph_transfer *t, const uint32_t *from, uint32_t *to) {
    const uint32_t old = t->from.block[FIELD(CONTROL, inertia)], own = t->to.block[FIELD(CONTROL, inertia)];
    if (old != CONTROL_NONE && own != CONTROL_NONE) {
        const uint32_t *was = from + t->from.block[old + FIELD(INERTIALIZED, state)];
        uint32_t *is = to + t->to.block[own + FIELD(INERTIALIZED, state)];
        memcpy(is, was, (t->joint_words > 0 ? WORDS_OF(INERTIAL) : 1) * sizeof *is);
    }
}

static void transfer_state(const lmb_graph_transfer *t, uint32_t row, const uint32_t *from, uint32_t *to) {
    if (from[FIELD(CHARACTER, begun)] == 0) {
        memset(to, 0, t->state_words * sizeof *to);
        to[FIELD(CHARACTER, update_phase)] = from[FIELD(CHARACTER, update_phase)];
        transfer_decisions(t, row, from, to);
        transfer_motion(t, from, to);
        return;
    }
    memcpy(to, t->begun, t->state_words * sizeof *to);
    memcpy(to, from, WORDS_OF(CHARACTER) * sizeof *to);
    for (uint32_t i = 0; i < t->to.counts[PART_SMOOTHED]; i++) {
        const uint32_t old = t->matches[PART_SMOOTHED][i];
        if (old != LMB_NONE) {
            to[record_of(&t->to, FIELD(CONTROL, smoothed), WORDS_OF(SMOOTHED), i)[FIELD(SMOOTHED, state)]] =
                from[record_of(&t->from, FIELD(CONTROL, smoothed), WORDS_OF(SMOOTHED), old)[FIELD(SMOOTHED, state)]];
        }
    }
    for (uint32_t i = 0; i < t->to.counts[PART_PLAYER]; i++) {
        if (t->matches[PART_PLAYER][i] != LMB_NONE) {
            transfer_player(t, i, from, to);
        }
    }
    for (uint32_t i = 0; i < t->to.counts[PART_MACHINE]; i++) {
        if (t->matches[PART_MACHINE][i] != LMB_NONE) {
            transfer_machine(t, i, from, to);
            transfer_matching(t, i, from, to);
        }
    }
    transfer_decisions(t, row, from, to);
    transfer_motion(t, from, to);
    transfer_inertialization(t, from, to);
}

// Inertialization of joints comes first, then chains and feet.
static void transfer_inertia(const lmb_graph_transfer *t, const uint32_t *from, uint32_t *to) {
    const lmb_state_sizes old = lmb_graph_state_sizes(t->from.graph), own = lmb_graph_state_sizes(t->to.graph);
    memset(to, 0, t->inertia_words * sizeof *to);
    if (t->joint_words > 0) {
        memcpy(to, from, t->joint_words * sizeof *to);
    }
    if (t->chain_words > 0) {
        memcpy(to + own.joints, from + old.joints, t->chain_words * sizeof *to);
    }
}

static uint32_t row_of(const lmb_character_words *of, uint32_t index) {
    return of->characters != NULL ? of->characters[index] : of->first + index;
}

// Checks that all characters are rows of the batch, and that what is needed of them is there.
static lmb_result check_words(const side *s, const lmb_character_words *of, const char *which, lmb_error *error) {
    if (of == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph transfer: the %s characters are NULL", which);
    }
    const char *missing = lmb_graph_get_info(s->graph)->state_words > 0 && of->states == NULL      ? "states"
                          : lmb_graph_get_info(s->graph)->inertia_words > 0 && of->inertia == NULL ? "inertia"
                          : lmb_graph_get_info(s->graph)->reached_count > 0 && of->reached == NULL ? "reached"
                                                                                                   : NULL;
    if (missing != NULL && of->count > 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph transfer: %s of the %s characters is NULL", missing, which);
    }
    for (uint32_t i = 0; i < of->count; i++) {
        const uint64_t row = of->characters != NULL ? of->characters[i] : (uint64_t)of->first + i;
        if (row >= of->row_count) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph transfer: there is no %s character %llu of %u", which,
                            (unsigned long long)row, (unsigned)of->row_count);
        }
    }
    return LMB_OK;
}

static lmb_result check_states(const lmb_graph_transfer *t, const lmb_character_words *from, lmb_error *error) {
    const uint32_t words = lmb_graph_get_info(t->from.graph)->state_words;
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < from->count && words > 0 && result == LMB_OK; i++) {
        result = lmb_state_check(t->from.graph, from->states + (size_t)row_of(from, i) * words, 1, error);
    }
    return result;
}

lmb_result lmb_graph_transfer_run(const lmb_graph_transfer *transfer, const lmb_character_words *from,
                                  const lmb_character_words *to, lmb_error *error) {
    const lmb_graph_transfer *t = transfer;
    if (t == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph transfer: it is NULL");
    }
    if (check_words(&t->from, from, "old", error) || check_words(&t->to, to, "new", error)) {
        return LMB_ERROR_ARGUMENT;
    }
    if (from->count != to->count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph transfer: there are %u old characters, and %u new ones",
                        (unsigned)from->count, (unsigned)to->count);
    }
    const lmb_result result = check_states(t, from, error);
    const uint32_t old_words = lmb_graph_get_info(t->from.graph)->state_words;
    const uint32_t old_inertia = lmb_graph_get_info(t->from.graph)->inertia_words;
    for (uint32_t i = 0; i < from->count && result == LMB_OK; i++) {
        const size_t old = row_of(from, i), own = row_of(to, i);
        if (t->state_words > 0 && old_words > 0) {
            transfer_state(t, (uint32_t)own, from->states + old * old_words, to->states + own * t->state_words);
        } else if (t->state_words > 0) {
            memset(to->states + own * t->state_words, 0, t->state_words * sizeof *to->states);
        }
        if (t->inertia_words > 0) {
            transfer_inertia(t, old_inertia > 0 ? from->inertia + old * old_inertia : NULL,
                             to->inertia + own * t->inertia_words);
        }
        if (t->reached_words > 0 && t->keeps_reached) {
            memcpy(to->reached + own * t->reached_words, from->reached + old * t->reached_words,
                   t->reached_words * sizeof *to->reached);
        } else if (t->reached_words > 0) {
            memset(to->reached + own * t->reached_words, 0, t->reached_words * sizeof *to->reached);
        }
    }
    return result;
}

lmb_result lmb_graph_transfer_snapshot(const lmb_graph_transfer *transfer, const void *bytes, size_t size,
                                       void *converted, size_t room, lmb_error *error) {
    if (transfer == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph transfer: it is NULL");
    }
    lmb_snapshot saved;
    lmb_result result = lmb_snapshot_open(bytes, size, &saved, error);
    if (result == LMB_OK && saved.fingerprint != lmb_graph_fingerprint(transfer->from.graph)) {
        result = lmb_fail(error, LMB_ERROR_FORMAT, "graph transfer: the snapshot belongs to another graph");
    }
    if (result != LMB_OK) {
        return result;
    }
    const uint32_t count = saved.character_count;
    const size_t needed = lmb_snapshot_size(transfer->to.graph, count);
    if (converted == NULL || room < needed) {
        return converted == NULL ? lmb_fail(error, LMB_ERROR_ARGUMENT, "graph transfer: the result is NULL")
                                 : lmb_fail(error, LMB_ERROR_LIMIT,
                                            "graph transfer: the snapshot takes %llu bytes, and there is room for %llu",
                                            (unsigned long long)needed, (unsigned long long)room);
    }
    if ((uintptr_t)converted % sizeof(uint32_t) != 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph transfer: the result is not aligned to 4");
    }
    const lmb_character_words from = {.states = (uint32_t *)(uintptr_t)saved.states, // only read
                                      .inertia = (uint32_t *)(uintptr_t)saved.inertia,
                                      .reached = (uint32_t *)(uintptr_t)saved.reached,
                                      .row_count = count,
                                      .count = count};
    const lmb_character_words to = lmb_snapshot_begin(transfer->to.graph, count, saved.tag, converted);
    return lmb_graph_transfer_run(transfer, &from, &to, error);
}

void lmb_graph_transfer_parameters(const lmb_graph_transfer *transfer, const float *from, float *to, uint32_t count) {
    const uint32_t old = transfer->from.counts[PART_PARAMETER], own = transfer->to.counts[PART_PARAMETER];
    for (uint32_t i = 0; i < count; i++, from += old, to += own) {
        lmb_graph_defaults(transfer->to.graph, to);
        for (uint32_t k = 0; k < own; k++) {
            const uint32_t match = transfer->matches[PART_PARAMETER][k];
            if (match != LMB_NONE && !lmb_graph_parameter_at(transfer->to.graph, k).is_written) {
                to[k] = from[match];
            }
        }
    }
}
