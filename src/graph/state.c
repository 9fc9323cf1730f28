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
    const uint32_t *record = block + block[FIELD(CONTROL, players)] + index * WORDS_OF(PLAYER);
    return WORDS_OF(PLAYING) + (record[FIELD(PLAYER, waited)] != CONTROL_NONE ? 2 : 0) +
           (lmb_player_draw(record) != CONTROL_NONE);
}

// With the word of a machine that travels, and those of a fade with a blend profile.
static uint32_t machine_words(const uint32_t *block, uint32_t index) {
    const uint32_t *record = block + block[FIELD(CONTROL, machines)] + index * WORDS_OF(MACHINE);
    const uint32_t states = record[FIELD(MACHINE, state_count)];
    const uint32_t *table = block + block[record[FIELD(MACHINE, states)] + FIELD(STATE, table)];
    return WORDS_OF(MACHINE_NOW) + states * WORDS_OF(STATE_WEIGHT) +
           ((table[FIELD(TABLE, flags)] & TABLE_TRAVELS) != 0) +
           (table[FIELD(TABLE, profiles)] != CONTROL_NONE ? WORDS_OF(PROFILED) + states * WORDS_OF(PROFILED_END) : 0);
}

static uint32_t matching_count(const lmb_control *control) {
    return (control->block[FIELD(CONTROL, flags)] & CONTROL_MATCHES) != 0
               ? control->block[FIELD(CONTROL, matching_count)]
               : 0;
}

lmb_state_sizes lmb_graph_state_sizes(const lmb_graph *graph) {
    const lmb_control *control = graph->control;
    const uint32_t kept = lmb_graph_get_info(graph)->inertia_words;
    const uint32_t joints = graph->program[FIELD(PROGRAM, joint_kept)] * graph->info.joint_count;
    lmb_state_sizes sizes = {.joints = joints, .chains_and_feet = kept - joints};
    if (control == NULL) {
        return sizes;
    }
    const uint32_t *block = control->block;
    sizes.smoothed = block[FIELD(CONTROL, smoothed_count)];
    sizes.inertialization = block[FIELD(CONTROL, inertia)] != CONTROL_NONE ? WORDS_OF(INERTIAL) : 0;
    for (uint32_t i = 0; i < block[FIELD(CONTROL, player_count)]; i++) {
        sizes.players += player_words(block, i);
    }
    sizes.machines = lmb_control_decides(control) ? block[FIELD(CONTROL, decision_count)] : 0;
    for (uint32_t i = 0; i < control->machine_count; i++) {
        sizes.machines += machine_words(block, i);
    }
    sizes.machines += matching_count(control) * MATCHED_WORDS;
    sizes.motion = control->state_words - WORDS_OF(CHARACTER) - sizes.smoothed - sizes.inertialization - sizes.players -
                   sizes.machines;
    sizes.character = WORDS_OF(CHARACTER);
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
    const uint32_t *record = block + block[FIELD(CONTROL, machines)] + index * WORDS_OF(MACHINE);
    const uint32_t at = record[FIELD(MACHINE, state)];
    const uint32_t words = WORDS_OF(MACHINE_NOW) + record[FIELD(MACHINE, state_count)] * WORDS_OF(STATE_WEIGHT);
    const char *name = lmb_graph_machine_at(c->graph, index).name;
    if (differ(c, at + FIELD(MACHINE_NOW, current), 1)) {
        snprintf(c->text, c->size, "machine \"%s\": state \"%s\", \"%s\"", name,
                 lmb_graph_state_name(c->graph, index, c->a[at + FIELD(MACHINE_NOW, current)]),
                 lmb_graph_state_name(c->graph, index, c->b[at + FIELD(MACHINE_NOW, current)]));
    } else if (differ(c, at, words)) {
        snprintf(c->text, c->size, "machine \"%s\": %s", name,
                 differ(c, at + FIELD(MACHINE_NOW, time), 2)    ? "time in its state"
                 : differ(c, at + FIELD(MACHINE_NOW, fade), 1)  ? "transition"
                 : differ(c, at + FIELD(MACHINE_NOW, faded), 2) ? "time of its transition"
                                                                : "weights of its states");
    }
    return differ(c, at, words);
}

static bool compare_decision(const comparison *c, uint32_t index) {
    const uint32_t *block = c->control->block,
                   *record = block + block[FIELD(CONTROL, decisions)] + index * WORDS_OF(DECISION);
    const uint32_t at = record[FIELD(DECISION, state)];
    const char *machine =
        lmb_graph_machine_at(c->graph,
                             (record[FIELD(DECISION, machine)] - block[FIELD(CONTROL, machines)]) / WORDS_OF(MACHINE))
            .name;
    if (differ(c, at, 1) && record[FIELD(DECISION, event)] != CONTROL_NONE) {
        snprintf(c->text, c->size, "machine \"%s\": trigger \"%s\": %u, %u", machine,
                 lmb_graph_event_name(c->graph, record[FIELD(DECISION, event)]), (unsigned)c->a[at],
                 (unsigned)c->b[at]);
    } else if (differ(c, at, 1)) {
        snprintf(c->text, c->size, "machine \"%s\": draw", machine);
    }
    return differ(c, at, 1);
}

static bool compare_matching(const comparison *c, uint32_t index) {
    const uint32_t *block = c->control->block,
                   *record = block + block[FIELD(CONTROL, matchings)] + index * WORDS_OF(MATCHING);
    const uint32_t at = record[FIELD(MATCHING, state)];
    const char *machine =
        lmb_graph_machine_at(c->graph,
                             (record[FIELD(MATCHING, machine)] - block[FIELD(CONTROL, machines)]) / WORDS_OF(MACHINE))
            .name;
    if (differ(c, at, MATCHED_WORDS)) {
        snprintf(c->text, c->size, "machine \"%s\": %s", machine,
                 differ(c, at + FIELD(MATCHED, found), 1)      ? "the row that a search found"
                 : differ(c, at + FIELD(MATCHED, moving), 4)   ? "velocity that follows the desired one"
                 : differ(c, at + FIELD(MATCHED, mirrored), 1) ? "whether its take plays mirrored"
                 : differ(c, at + WORDS_OF(MATCHED), MOST_RECENT * WORDS_OF(RECENT)) ? "rows chosen shortly before"
                                                                                     : "its last search");
    }
    return differ(c, at, MATCHED_WORDS);
}

static bool compare_player(const comparison *c, uint32_t index) {
    const uint32_t *block = c->control->block,
                   *record = block + block[FIELD(CONTROL, players)] + index * WORDS_OF(PLAYER);
    const uint32_t at = record[FIELD(PLAYER, state)];
    const bool draws_differ = lmb_player_draw(record) != CONTROL_NONE && differ(c, lmb_player_draw(record), 1);
    const char *name = lmb_graph_player_at(c->graph, index).name;
    if (differ(c, at + FIELD(PLAYING, place), 2)) {
        snprintf(c->text, c->size, "player \"%s\": tick %" PRIu64 ", %" PRIu64, name,
                 lmb_state_player(c->graph, c->a, index).ticks, lmb_state_player(c->graph, c->b, index).ticks);
    } else if (differ(c, at, WORDS_OF(PLAYING))) {
        snprintf(c->text, c->size, "player \"%s\": %s", name,
                 differ(c, at + FIELD(PLAYING, flags), 1) ? "whether it ended or passed an end" : "weight");
    } else if (draws_differ) {
        snprintf(c->text, c->size, "player \"%s\": draw", name);
    }
    return differ(c, at, WORDS_OF(PLAYING)) || draws_differ;
}

static bool compare_smoothed(const comparison *c, uint32_t index) {
    const uint32_t *block = c->control->block;
    const uint32_t *record = block + block[FIELD(CONTROL, smoothed)] + index * WORDS_OF(SMOOTHED);
    const uint32_t at = record[FIELD(SMOOTHED, state)];
    if (differ(c, at, 1)) {
        snprintf(c->text, c->size, "smoothed parameter \"%s\": %.9g, %.9g",
                 lmb_graph_parameter_at(c->graph, record[FIELD(SMOOTHED, parameter)]).name, number(c->a[at]),
                 number(c->b[at]));
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
    const uint32_t *block = c->control->block, motion = block[FIELD(CONTROL, character_motion)];
    const uint32_t at = motion != CONTROL_NONE ? block[motion + FIELD(CHARACTER_MOTION, remaining)] : CONTROL_NONE;
    const bool found = at != CONTROL_NONE && differ(c, at, WORDS_OF(REMAINING));
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
    const uint32_t decisions = lmb_control_decides(c.control) ? c.control->block[FIELD(CONTROL, decision_count)] : 0;
    for (uint32_t i = 0; !found && i < decisions; i++) {
        found = compare_decision(&c, i);
    }
    for (uint32_t i = 0; !found && i < matching_count(c.control); i++) {
        found = compare_matching(&c, i);
    }
    for (uint32_t i = 0; !found && i < c.control->block[FIELD(CONTROL, player_count)]; i++) {
        found = compare_player(&c, i);
    }
    for (uint32_t i = 0; !found && i < c.control->block[FIELD(CONTROL, smoothed_count)]; i++) {
        found = compare_smoothed(&c, i);
    }
    return found || compare_motion(&c) || compare_remaining(&c) || compare_words(&c);
}
