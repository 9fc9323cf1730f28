// What a character's state consists of, and where two states differ first, in the words of the graph.
#include <limber/snapshot.h>

#include "control/control.h"
#include "program/program.h"

#include "../../shaders/ops/control_layout.h"
#include "../../shaders/ops/layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t player_words(const uint32_t *block, uint32_t index) {
    const uint32_t *record = block + block[CONTROL_PLAYERS] + index * PLAYER_WORDS;
    return PLAYING_WORDS + (record[PLAYER_WAITED] != CONTROL_NONE ? 2 : 0) + (lmb_player_draw(record) != CONTROL_NONE);
}

// With the word of a machine that travels, and those of a fade with a blend profile.
static uint32_t machine_words(const uint32_t *block, uint32_t index) {
    const uint32_t *record = block + block[CONTROL_MACHINES] + index * MACHINE_WORDS;
    const uint32_t states = record[MACHINE_STATE_COUNT];
    const uint32_t *table = block + block[record[MACHINE_STATES] + STATE_TABLE];
    return MACHINE_WEIGHTS + states * MACHINE_STATE_WEIGHT_WORDS + ((table[TABLE_FLAGS] & TABLE_TRAVELS) != 0) +
           (table[TABLE_PROFILES] != CONTROL_NONE ? PROFILED_ENDS + states * PROFILED_ENDS_WORDS : 0);
}

static uint32_t matching_count(const lmb_control *control) {
    return (control->block[CONTROL_FLAGS] & CONTROL_MATCHES) != 0 ? control->block[CONTROL_MATCHING_COUNT] : 0;
}

lmb_state_sizes lmb_graph_state_sizes(const lmb_graph *graph) {
    const lmb_control *control = graph->control;
    const uint32_t kept = lmb_graph_get_info(graph)->inertia_words;
    const uint32_t joints = graph->program[PROGRAM_JOINT_KEPT] * graph->info.joint_count;
    lmb_state_sizes sizes = {.joints = joints, .chains_and_feet = kept - joints};
    if (control == NULL) {
        return sizes;
    }
    const uint32_t *block = control->block;
    sizes.smoothed = block[CONTROL_SMOOTHED_COUNT];
    sizes.inertialization = block[CONTROL_INERTIA] != CONTROL_NONE ? INERTIAL_WORDS : 0;
    for (uint32_t i = 0; i < block[CONTROL_PLAYER_COUNT]; i++) {
        sizes.players += player_words(block, i);
    }
    sizes.machines = lmb_control_decides(control) ? block[CONTROL_DECISION_COUNT] : 0;
    for (uint32_t i = 0; i < control->machine_count; i++) {
        sizes.machines += machine_words(block, i);
    }
    sizes.machines += matching_count(control) * MATCHED_WORDS;
    sizes.motion = control->state_words - CHARACTER_WORDS - sizes.smoothed - sizes.inertialization - sizes.players -
                   sizes.machines;
    sizes.character = CHARACTER_WORDS;
    return sizes;
}

typedef struct comparison {
    const lmb_graph *graph;
    const lmb_control *control;
    const uint32_t *a, *b;
    char *text;
    size_t size;
} comparison;

static bool differ(const comparison *c, uint32_t first, uint32_t count) {
    return memcmp(c->a + first, c->b + first, count * sizeof *c->a) != 0;
}

static double number(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static bool compare_machine(const comparison *c, uint32_t index) {
    const uint32_t *block = c->control->block;
    const uint32_t *record = block + block[CONTROL_MACHINES] + index * MACHINE_WORDS;
    const uint32_t at = record[MACHINE_STATE];
    const uint32_t words = MACHINE_WEIGHTS + record[MACHINE_STATE_COUNT] * MACHINE_STATE_WEIGHT_WORDS;
    const char *name = lmb_graph_machine_at(c->graph, index).name;
    if (differ(c, at + MACHINE_CURRENT, 1)) {
        snprintf(c->text, c->size, "machine \"%s\": state \"%s\", \"%s\"", name,
                 lmb_graph_state_name(c->graph, index, c->a[at + MACHINE_CURRENT]),
                 lmb_graph_state_name(c->graph, index, c->b[at + MACHINE_CURRENT]));
    } else if (differ(c, at, words)) {
        snprintf(c->text, c->size, "machine \"%s\": %s", name,
                 differ(c, at + MACHINE_TIME, 2)    ? "time in its state"
                 : differ(c, at + MACHINE_FADE, 1)  ? "transition"
                 : differ(c, at + MACHINE_FADED, 2) ? "time of its transition"
                                                    : "weights of its states");
    }
    return differ(c, at, words);
}

static bool compare_decision(const comparison *c, uint32_t index) {
    const uint32_t *block = c->control->block, *record = block + block[CONTROL_DECISIONS] + index * DECISION_WORDS;
    const uint32_t at = record[DECISION_STATE];
    const char *machine =
        lmb_graph_machine_at(c->graph, (record[DECISION_MACHINE] - block[CONTROL_MACHINES]) / MACHINE_WORDS).name;
    if (differ(c, at, 1) && record[DECISION_EVENT] != CONTROL_NONE) {
        snprintf(c->text, c->size, "machine \"%s\": trigger \"%s\": %u, %u", machine,
                 lmb_graph_event_name(c->graph, record[DECISION_EVENT]), (unsigned)c->a[at], (unsigned)c->b[at]);
    } else if (differ(c, at, 1)) {
        snprintf(c->text, c->size, "machine \"%s\": draw", machine);
    }
    return differ(c, at, 1);
}

static bool compare_matching(const comparison *c, uint32_t index) {
    const uint32_t *block = c->control->block, *record = block + block[CONTROL_MATCHINGS] + index * MATCHING_WORDS;
    const uint32_t at = record[MATCHING_STATE];
    const char *machine =
        lmb_graph_machine_at(c->graph, (record[MATCHING_MACHINE] - block[CONTROL_MACHINES]) / MACHINE_WORDS).name;
    if (differ(c, at, MATCHED_WORDS)) {
        snprintf(c->text, c->size, "machine \"%s\": %s", machine,
                 differ(c, at + MATCHED_FOUND, 1)      ? "the row that a search found"
                 : differ(c, at + MATCHED_MOVING, 4)   ? "velocity that follows the desired one"
                 : differ(c, at + MATCHED_MIRRORED, 1) ? "whether its take plays mirrored"
                 : differ(c, at + MATCHED_RECENT, MOST_RECENT * MATCHED_RECENT_WORDS) ? "rows chosen shortly before"
                                                                                      : "its last search");
    }
    return differ(c, at, MATCHED_WORDS);
}

static bool compare_player(const comparison *c, uint32_t index) {
    const uint32_t *block = c->control->block, *record = block + block[CONTROL_PLAYERS] + index * PLAYER_WORDS;
    const uint32_t at = record[PLAYER_STATE];
    const bool draws_differ = lmb_player_draw(record) != CONTROL_NONE && differ(c, lmb_player_draw(record), 1);
    const char *name = lmb_graph_player_at(c->graph, index).name;
    if (differ(c, at + PLAYING_PLACE, 2)) {
        snprintf(c->text, c->size, "player \"%s\": tick %" PRIu64 ", %" PRIu64, name,
                 lmb_state_player(c->graph, c->a, index).ticks, lmb_state_player(c->graph, c->b, index).ticks);
    } else if (differ(c, at, PLAYING_WORDS)) {
        snprintf(c->text, c->size, "player \"%s\": %s", name,
                 differ(c, at + PLAYING_FLAGS, 1) ? "whether it ended or passed an end" : "weight");
    } else if (draws_differ) {
        snprintf(c->text, c->size, "player \"%s\": draw", name);
    }
    return differ(c, at, PLAYING_WORDS) || draws_differ;
}

static bool compare_smoothed(const comparison *c, uint32_t index) {
    const uint32_t *block = c->control->block;
    const uint32_t *record = block + block[CONTROL_SMOOTHED] + index * SMOOTHED_WORDS;
    const uint32_t at = record[SMOOTHED_STATE];
    if (differ(c, at, 1)) {
        snprintf(c->text, c->size, "smoothed parameter \"%s\": %.9g, %.9g",
                 lmb_graph_parameter_at(c->graph, record[SMOOTHED_PARAMETER]).name, number(c->a[at]), number(c->b[at]));
    }
    return differ(c, at, 1);
}

static bool compare_motion(const comparison *c) {
    const lmb_word_range words = lmb_graph_get_info(c->graph)->motion_words;
    if (differ(c, words.first, words.count)) {
        const lmb_motion a = lmb_state_motion(c->graph, c->a), b = lmb_state_motion(c->graph, c->b);
        snprintf(c->text, c->size, "character motion: (%.9g, %.9g, %.9g) yaw %.9g, (%.9g, %.9g, %.9g) yaw %.9g",
                 a.position[0], a.position[1], a.position[2], a.yaw, b.position[0], b.position[1], b.position[2],
                 b.yaw);
    }
    return differ(c, words.first, words.count);
}

static bool compare_remaining(const comparison *c) {
    const uint32_t *block = c->control->block, motion = block[CONTROL_CHARACTER_MOTION];
    const uint32_t at = motion != CONTROL_NONE ? block[motion + CHARACTER_MOTION_REMAINING] : CONTROL_NONE;
    const bool found = at != CONTROL_NONE && differ(c, at, REMAINING_WORDS);
    if (found) {
        snprintf(c->text, c->size, "character motion: velocity that remains after transitions");
    }
    return found;
}

static bool compare_words(const comparison *c) {
    uint32_t at = 0;
    while (at < c->control->state_words && c->a[at] == c->b[at]) {
        at++;
    }
    const bool found = at < c->control->state_words;
    if (found) {
        snprintf(c->text, c->size, "word %u: 0x%08x, 0x%08x", (unsigned)at, (unsigned)c->a[at], (unsigned)c->b[at]);
    }
    return found;
}

bool lmb_graph_state_difference(const lmb_graph *graph, const uint32_t *a, const uint32_t *b, char *text, size_t size) {
    const comparison c = {graph, graph->control, a, b, text, size};
    bool found = false;
    if (size > 0) {
        text[0] = '\0';
    }
    if (c.control == NULL) {
        return false;
    }
    for (uint32_t i = 0; !found && i < c.control->machine_count; i++) {
        found = compare_machine(&c, i);
    }
    const uint32_t decisions = lmb_control_decides(c.control) ? c.control->block[CONTROL_DECISION_COUNT] : 0;
    for (uint32_t i = 0; !found && i < decisions; i++) {
        found = compare_decision(&c, i);
    }
    for (uint32_t i = 0; !found && i < matching_count(c.control); i++) {
        found = compare_matching(&c, i);
    }
    for (uint32_t i = 0; !found && i < c.control->block[CONTROL_PLAYER_COUNT]; i++) {
        found = compare_player(&c, i);
    }
    for (uint32_t i = 0; !found && i < c.control->block[CONTROL_SMOOTHED_COUNT]; i++) {
        found = compare_smoothed(&c, i);
    }
    return found || compare_motion(&c) || compare_remaining(&c) || compare_words(&c);
}
