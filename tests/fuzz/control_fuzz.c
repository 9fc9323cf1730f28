// Untrusted descriptors of graphs that move by themselves: creation refuses a descriptor, or the control runs and its
// states pass the check of states. Changed states that pass it run, with the same bits on a processor that flushes
// subnormals. program_fuzz tests the other nodes.
#include "descriptor_fuzzing.h"
#include "flushing.h"

#include "program/program.h"

#include <limber/clip.h>
#include <limber/snapshot.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHARACTERS = 2, FRAMES = 6, CLIPS = 3, MOST_LEAVES = 6, MOST_NODES = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_smoothed(fuzz_input *in, lmb_graph_def *def) {
    def->smoothed_count = fuzz_count(in, 3, LMB_MAX_PARAMETERS);
    lmb_smoothed_def *smoothed = fuzz_array(in, def->smoothed_count, LMB_MAX_PARAMETERS, sizeof *smoothed);
    for (uint32_t i = 0; i < def->smoothed_count && i < fuzz_elements(def->smoothed_count, LMB_MAX_PARAMETERS); i++) {
        smoothed[i] = lmb_default_smoothed_def();
        smoothed[i].source = fuzz_value(in, def->parameter_count);
        smoothed[i].half_life = fuzz_float(in);
        smoothed[i].parameter = fuzz_index(in, def->parameter_count);
    }
    def->smoothed = smoothed;
}

static void read_computed(fuzz_input *in, lmb_graph_def *def) {
    def->computed_count = fuzz_count(in, 4, LMB_MAX_PARAMETERS);
    lmb_computed_def *computed = fuzz_array(in, def->computed_count, LMB_MAX_PARAMETERS, sizeof *computed);
    for (uint32_t i = 0; i < def->computed_count && i < fuzz_elements(def->computed_count, LMB_MAX_PARAMETERS); i++) {
        computed[i] = lmb_default_computed_def();
        computed[i].kind = (lmb_computed_kind)fuzz_choice(in, LMB_COMPUTED_COUNT);
        for (uint32_t j = 0; j < LMB_MAX_COMPUTED_INPUTS; j++) {
            computed[i].inputs[j] = fuzz_value(in, def->parameter_count);
        }
        computed[i].parameter = fuzz_index(in, def->parameter_count);
    }
    def->computed = computed;
}

static const lmb_motion_track *read_motion(fuzz_input *in) {
    lmb_motion_track *track = fuzz_array(in, 1, 1, sizeof *track);
    track->key_count = fuzz_count(in, 4, LMB_MAX_MOTION_KEYS);
    if (track->key_count > 4096 && track->key_count <= LMB_MAX_MOTION_KEYS) {
        track->key_count = 4096; // for speed
    }
    const uint32_t floats = track->key_count <= 4096 ? track->key_count * 4 : UINT32_MAX;
    track->keys = fuzz_floats(in, floats, 4096 * 4);
    track->rotations = fuzz_flag(in) ? fuzz_floats(in, floats, 4096 * 4) : NULL;
    return track;
}

static void read_notifies(fuzz_input *in, const lmb_graph_def *def, lmb_player_def *player) {
    player->notify_count = fuzz_count(in, 2, LMB_MAX_NOTIFIES);
    lmb_notify_def *notifies = fuzz_array(in, player->notify_count, LMB_MAX_NOTIFIES, sizeof *notifies);
    for (uint32_t i = 0; i < player->notify_count && i < fuzz_elements(player->notify_count, LMB_MAX_NOTIFIES); i++) {
        notifies[i] = (lmb_notify_def){fuzz_float(in), fuzz_index(in, def->event_count)};
    }
    player->notifies = notifies;
}

static void read_warps(fuzz_input *in, const lmb_graph_def *def, lmb_player_def *player) {
    player->warp_count = fuzz_count(in, 2, LMB_MAX_WARPS);
    lmb_warp_def *warps = fuzz_array(in, player->warp_count, LMB_MAX_WARPS, sizeof *warps);
    for (uint32_t i = 0; i < player->warp_count && i < fuzz_elements(player->warp_count, LMB_MAX_WARPS); i++) {
        warps[i] = lmb_default_warp_def();
        warps[i].start = fuzz_float(in);
        warps[i].end = fuzz_float(in);
        for (uint32_t k = 0; k < 3; k++) {
            warps[i].target[k] = fuzz_value(in, def->parameter_count);
        }
        warps[i].warps_height = fuzz_flag(in);
        warps[i].turns_to_heading = fuzz_flag(in);
        warps[i].heading = fuzz_value(in, def->parameter_count);
    }
    player->warps = warps;
}

// A byte selects the fields that differ from the default.
static const lmb_player_def *read_player(fuzz_input *in, const lmb_graph_def *def) {
    lmb_player_def *player = fuzz_array(in, 1, 1, sizeof *player);
    const uint8_t fields = fuzz_byte(in);
    *player = lmb_default_player_def();
    if (fields & 1) {
        player->group = fuzz_index(in, def->group_count);
    }
    if (fields & 2) {
        player->rate = fuzz_value(in, def->parameter_count);
        player->offset = fuzz_float(in);
        player->end = (lmb_end)fuzz_choice(in, LMB_END_COUNT);
    }
    if (fields & 4) {
        player->ended_event = fuzz_index(in, def->event_count);
        player->looped_event = fuzz_index(in, def->event_count);
    }
    if (fields & 16) {
        player->marker_count = fuzz_count(in, 3, LMB_MAX_MARKERS);
        player->markers = fuzz_floats(in, player->marker_count, LMB_MAX_MARKERS);
    }
    if (fields & 32) {
        read_notifies(in, def, player);
    }
    if (fields & 64) {
        player->motion = read_motion(in);
    }
    if (fields & 8) {
        read_warps(in, def, player);
    }
    if (fields & 128) {
        player->velocity = fuzz_float(in);
        player->repetitions = fuzz_flag(in) ? fuzz_choice(in, 8) : 0;
        player->drops_out = fuzz_flag(in);
        player->delay = fuzz_flag(in) ? fuzz_float(in) : 0.0f;
        player->sync_node = fuzz_index(in, MOST_NODES);
        player->random_offset = fuzz_flag(in);
    }
    return player;
}

static void read_groups(fuzz_input *in, lmb_graph_def *def) {
    def->group_count = fuzz_count(in, 2, LMB_MAX_PLAYERS);
    lmb_group_def *groups = fuzz_array(in, def->group_count, LMB_MAX_PLAYERS, sizeof *groups);
    for (uint32_t i = 0; i < def->group_count && i < fuzz_elements(def->group_count, LMB_MAX_PLAYERS); i++) {
        groups[i] = lmb_default_group_def();
        groups[i].cadence = (lmb_cadence)fuzz_choice(in, LMB_CADENCE_COUNT);
        groups[i].velocity_parameter = fuzz_index(in, def->parameter_count);
    }
    def->groups = groups;
}

static void read_fades(fuzz_input *in, lmb_graph_def *def) {
    def->fade_count = fuzz_count(in, 2, LMB_MAX_MACHINES);
    lmb_fade_def *fades = fuzz_array(in, def->fade_count, LMB_MAX_MACHINES, sizeof *fades);
    for (uint32_t i = 0; i < def->fade_count && i < fuzz_elements(def->fade_count, LMB_MAX_MACHINES); i++) {
        fades[i] = lmb_default_fade_def();
        fades[i].parameter = fuzz_index(in, def->parameter_count);
        fades[i].pose = fuzz_index(in, MOST_NODES);
        fades[i].in_event = fuzz_index(in, def->event_count);
        fades[i].out_event = fuzz_index(in, def->event_count);
        fades[i].begins_in = fuzz_flag(in);
        fades[i].restart = fuzz_flag(in);
        fades[i].at_end = fuzz_flag(in);
        fades[i].after = fuzz_flag(in) ? fuzz_float(in) : -1.0f;
        fades[i].curve = fuzz_curve(in);
        if (fades[i].curve == LMB_CURVE_BEZIER) {
            fades[i].curve_control[0] = fuzz_float(in);
        }
        fades[i].in_seconds = fuzz_float(in);
        fades[i].out_seconds = fuzz_float(in);
    }
    def->fades = fades;
}

static void read_terms(fuzz_input *in, const lmb_graph_def *def, lmb_transition_def *transition) {
    transition->term_count = fuzz_count(in, 3, LMB_MAX_TERMS);
    lmb_term *terms = fuzz_array(in, transition->term_count, LMB_MAX_TERMS, sizeof *terms);
    for (uint32_t i = 0; i < transition->term_count && i < fuzz_elements(transition->term_count, LMB_MAX_TERMS); i++) {
        terms[i].kind = (lmb_term_kind)fuzz_choice(in, LMB_TERM_COUNT);
        terms[i].left = fuzz_value(in, def->parameter_count);
        terms[i].right = fuzz_value(in, def->parameter_count);
        if (fuzz_flag(in)) {
            terms[i].operand = (lmb_operand)fuzz_choice(in, LMB_OPERAND_COUNT);
            terms[i].player_node = fuzz_index(in, MOST_LEAVES);
            terms[i].right = lmb_constant(fuzz_float(in));
        }
    }
    transition->terms = terms;
}

static void read_transitions(fuzz_input *in, const lmb_graph_def *def, lmb_machine_def *machine) {
    machine->transition_count = fuzz_count(in, 5, LMB_MAX_TRANSITIONS);
    const uint32_t count = machine->transition_count;
    lmb_transition_def *transitions = fuzz_array(in, count, LMB_MAX_TRANSITIONS, sizeof *transitions);
    for (uint32_t i = 0; i < count && i < fuzz_elements(count, LMB_MAX_TRANSITIONS); i++) {
        lmb_transition_def *transition = &transitions[i];
        const uint8_t fields = fuzz_byte(in);
        *transition = lmb_default_transition_def();
        transition->from = fuzz_index(in, machine->state_count);
        transition->to = fuzz_index(in, machine->state_count);
        transition->event = fields & 1 ? fuzz_index(in, def->event_count) : LMB_NONE;
        transition->at_end = (fields & 2) != 0;
        transition->to_self = (fields & 64) != 0;
        transition->after = fields & 4 ? fuzz_float(in) : -1.0f;
        if (fields & 8) {
            read_terms(in, def, transition);
        }
        if (fields & 16) {
            transition->priority = (int32_t)fuzz_word(in);
            transition->fade = fuzz_float(in);
            transition->curve = fuzz_curve(in);
            if (transition->curve == LMB_CURVE_BEZIER) {
                transition->curve_control[1] = fuzz_float(in);
            }
            transition->kind = (lmb_fade_kind)fuzz_choice(in, LMB_FADE_COUNT);
        }
        if (fields & 128) {
            transition->travel_cost = fuzz_word(in);
            transition->start = (lmb_start)fuzz_choice(in, LMB_START_COUNT);
            transition->start_phase = fuzz_float(in);
        }
        if (fields & 32) {
            transition->profile = fuzz_index(in, def->mask_count);
        }
    }
    machine->transitions = transitions;
}

static const lmb_machine_def *read_machine(fuzz_input *in, const lmb_graph_def *def, uint32_t inputs) {
    lmb_machine_def *machine = fuzz_array(in, 1, 1, sizeof *machine);
    const uint32_t count = fuzz_byte(in) < 250 ? inputs : fuzz_count(in, 4, LMB_MAX_STATES);
    machine->state_count = count;
    lmb_state_def *states = fuzz_array(in, count, LMB_MAX_STATES, sizeof *states);
    for (uint32_t j = 0; j < count && j < fuzz_elements(count, LMB_MAX_STATES); j++) {
        const uint8_t fields = fuzz_byte(in);
        states[j] = lmb_default_state_def();
        states[j].restart = (fields & 1) != 0;
        states[j].entry_event = fields & 8 ? fuzz_index(in, def->event_count) : LMB_NONE;
        states[j].exit_event = fields & 16 ? fuzz_index(in, def->event_count) : LMB_NONE;
        states[j].travel_event = fields & 32 ? fuzz_index(in, def->event_count) : LMB_NONE;
    }
    machine->states = states;
    read_transitions(in, def, machine);
    return machine;
}

static void read_character_motion(fuzz_input *in, lmb_graph_def *def) {
    lmb_motion_def *character_motion = fuzz_array(in, 1, 1, sizeof *character_motion);
    *character_motion = lmb_default_motion_def();
    for (int i = 0; i < 3; i++) {
        character_motion->velocity[i] = fuzz_value(in, def->parameter_count);
        character_motion->velocity_parameters[i] = fuzz_index(in, def->parameter_count);
    }
    character_motion->turns_to_heading = fuzz_flag(in);
    character_motion->heading = fuzz_value(in, def->parameter_count);
    character_motion->acceleration = fuzz_float(in);
    character_motion->deceleration = fuzz_float(in);
    character_motion->turn_rate = fuzz_float(in);
    character_motion->full_rotation = fuzz_flag(in);
    character_motion->velocity_half_life = fuzz_float(in);
    def->motion = character_motion;
}

// Clips that play, then machines and blends of nodes before them.
static void read_nodes(fuzz_input *in, lmb_graph_def *def, lmb_node_def nodes[MOST_NODES]) {
    static const lmb_op ops[] = {LMB_OP_MACHINE,  LMB_OP_MACHINE, LMB_OP_BLEND, LMB_OP_MASKED,       LMB_OP_WEIGHTED,
                                 LMB_OP_ADDITIVE, LMB_OP_PARTIAL, LMB_OP_ADD,   LMB_OP_MAKE_ADDITIVE};
    const uint32_t leaves = 1 + fuzz_byte(in) % MOST_LEAVES;
    def->node_count = leaves + fuzz_byte(in) % (MOST_NODES - leaves);
    for (uint32_t i = 0; i < def->node_count; i++) {
        lmb_node_def *node = &nodes[i];
        *node = lmb_default_node_def();
        if (i < leaves) {
            node->op = LMB_OP_CLIP;
            node->clip = lmb_constant((float)(fuzz_byte(in) % CLIPS));
            node->player = read_player(in, def);
            continue;
        }
        node->op = ops[fuzz_byte(in) % (sizeof ops / sizeof *ops)];
        node->input_count = node->op == LMB_OP_MACHINE ? 1 + fuzz_byte(in) % 4 : 2;
        for (uint32_t k = 0; k < node->input_count; k++) {
            node->inputs[k] = k == 0 ? i - 1 : fuzz_byte(in) % i;
            node->weights[k] = fuzz_value(in, def->parameter_count);
        }
        node->weight = fuzz_value(in, def->parameter_count);
        node->mask = fuzz_flag(in) || node->op == LMB_OP_MASKED ? 0 : LMB_NONE;
        node->machine = node->op == LMB_OP_MACHINE ? read_machine(in, def, node->input_count) : NULL;
    }
    def->nodes = nodes;
}

static void read_def(fuzz_input *in, lmb_graph_def *def, lmb_value *update_every, lmb_node_def nodes[MOST_NODES]) {
    const uint8_t present = fuzz_byte(in);
    def->parameter_count = fuzz_count(in, 24, LMB_MAX_PARAMETERS);
    def->event_count = fuzz_count(in, 4, LMB_EVENT_RESET - 1);
    def->max_emitted_events = fuzz_count(in, 8, LMB_MAX_EMITTED_EVENTS);
    if (present & 1) {
        *update_every = fuzz_value(in, def->parameter_count);
        def->update_every = update_every;
        def->interpolate_updates = fuzz_flag(in);
    }
    if (present & 4) {
        read_smoothed(in, def);
    }
    if (present & 16) {
        read_fades(in, def);
    }
    if (present & 32) {
        read_groups(in, def);
    }
    if (present & 64) {
        read_character_motion(in, def);
    }
    if (present & 128) {
        read_computed(in, def);
    }
    read_nodes(in, def, nodes);
    fuzz_curves(in, def);
}

static void require_counts(const lmb_graph *graph, const uint32_t *state) {
    for (uint32_t i = 0; i < lmb_graph_get_info(graph)->machine_count; i++) {
        const uint32_t states = lmb_graph_machine_at(graph, i).state_count;
        fuzz_require(lmb_state_current(graph, state, i) < states, "no such state");
        float sum = 0.0f;
        for (uint32_t j = 0; j < states; j++) {
            sum += lmb_state_weight(graph, state, i, j);
        }
        fuzz_require(fabsf(sum - 1.0f) < 1e-3f, "weights that do not sum to 1");
    }
    for (uint32_t i = 0; i < lmb_graph_get_info(graph)->player_count; i++) {
        const float weight = lmb_state_player(graph, state, i).weight;
        fuzz_require(weight >= 0.0f && weight <= LMB_LARGEST, "a player's weight is out of range");
        (void)lmb_state_player(graph, state, i).ticks;
    }
    const lmb_motion character_motion = lmb_state_motion(graph, state);
    for (int i = 0; i < 3; i++) {
        fuzz_require(fabs(character_motion.position[i]) <= 0x1p31, "character motion is out of range");
    }
}

// What a frame of a graph reads and writes.
typedef struct memory {
    uint32_t *state;
    uint32_t *emitted;
    float *parameters;
    float motions[CHARACTERS * LMB_FULL_MOTION_FLOATS];
    size_t state_words, emitted_words, parameter_count; // of all characters
} memory;

static memory memory_create(const lmb_graph *graph) {
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    memory m = {.state_words = (size_t)CHARACTERS * info->state_words,
                .emitted_words = (size_t)CHARACTERS * info->emitted_words,
                .parameter_count = (size_t)CHARACTERS * info->parameter_count};
    m.state = calloc(m.state_words, sizeof *m.state);
    m.emitted = calloc(m.emitted_words, sizeof *m.emitted);
    m.parameters = calloc(m.parameter_count + 1, sizeof *m.parameters);
    fuzz_require(m.state != NULL && m.emitted != NULL && m.parameters != NULL, "no memory");
    return m;
}

static void memory_copy(memory *to, const memory *from) {
    memcpy(to->state, from->state, from->state_words * sizeof *to->state);
    memcpy(to->emitted, from->emitted, from->emitted_words * sizeof *to->emitted);
    memcpy(to->parameters, from->parameters, from->parameter_count * sizeof *to->parameters);
    memcpy(to->motions, from->motions, sizeof to->motions);
}

static bool memory_equal(const memory *a, const memory *b) {
    return memcmp(a->state, b->state, a->state_words * sizeof *a->state) == 0 &&
           memcmp(a->emitted, b->emitted, a->emitted_words * sizeof *a->emitted) == 0 &&
           memcmp(a->parameters, b->parameters, a->parameter_count * sizeof *a->parameters) == 0 &&
           memcmp(a->motions, b->motions, sizeof a->motions) == 0;
}

static void memory_destroy(memory *m) {
    free(m->state);
    free(m->emitted);
    free(m->parameters);
}

// Draws a frame's inputs, except for its memory.
static lmb_control_frame read_frame(fuzz_input *in, const lmb_graph *graph, memory *m, lmb_event events[2]) {
    static const uint64_t steps[] = {LMB_TICKS_PER_SECOND / 60, 0, LMB_TICKS_PER_SECOND, LMB_MAX_STEP_TICKS};
    for (size_t i = 0; i < m->parameter_count && i < 64; i++) {
        m->parameters[i] = fuzz_float(in);
    }
    const uint32_t known = lmb_graph_get_info(graph)->event_count;
    const uint32_t event = known > 0 && fuzz_flag(in) ? fuzz_byte(in) % known : LMB_EVENT_RESET;
    events[0] = (lmb_event){0, event};
    events[1] = (lmb_event){1, event};
    return (lmb_control_frame){.step = steps[fuzz_byte(in) % 4],
                               .character_count = CHARACTERS,
                               .events = events,
                               .event_count = fuzz_byte(in) % 3};
}

static void run_frame(const lmb_graph *graph, lmb_control_frame frame, memory *m) {
    frame.state = m->state;
    frame.parameters = m->parameters;
    frame.emitted = m->emitted;
    frame.motions = m->motions;
    fuzz_require(lmb_control_run(graph, &frame, 0, CHARACTERS, NULL) == LMB_OK, "the control does not run");
}

static void expect_accepted(const lmb_graph *graph, const memory *m) {
    fuzz_require(lmb_state_check(graph, m->state, CHARACTERS, NULL) == LMB_OK, "a state that is refused");
}

// Changes words of a state. If it still passes the check, frames from it must be safe, and the same on a processor that
// flushes subnormals.
static void run_changed(fuzz_input *in, const lmb_graph *graph, memory *m, uint32_t number) {
    const uint32_t changes = fuzz_byte(in) % 8;
    for (uint32_t i = 0; i < changes; i++) {
        const float subnormal = (float)(1 + fuzz_byte(in)) * 0x1p-149f;
        const float value = fuzz_flag(in) ? subnormal : fuzz_float(in);
        memcpy(m->state + fuzz_word(in) % m->state_words, &value, sizeof value);
    }
    if (changes == 0 || lmb_state_check(graph, m->state, CHARACTERS, NULL) != LMB_OK) {
        return;
    }
    memory flushed = memory_create(graph);
    for (uint32_t i = 0; i < 2; i++) {
        lmb_event events[2];
        lmb_control_frame frame = read_frame(in, graph, m, events);
        frame.number = number + i;
        memory_copy(&flushed, m);
        run_frame(graph, frame, m);
        flushing_set(true);
        run_frame(graph, frame, &flushed);
        flushing_set(false);
        fuzz_require(memory_equal(m, &flushed), "an accepted state that depends on flushing");
        expect_accepted(graph, m);
    }
    memory_destroy(&flushed);
}

// Saves characters, and changes the snapshot. One that is sealed afterwards is accepted exactly if its states are; one
// that changed after its seal never is.
static void run_snapshot(fuzz_input *in, const lmb_graph *graph, memory *m) {
    const uint32_t characters[2] = {1, fuzz_byte(in) % CHARACTERS};
    uint32_t *inertia = calloc((size_t)CHARACTERS * lmb_graph_get_info(graph)->inertia_words + 1, sizeof *inertia);
    const lmb_character_words words = {.states = m->state,
                                       .inertia = inertia,
                                       .row_count = CHARACTERS,
                                       .characters = fuzz_flag(in) ? characters : NULL,
                                       .count = fuzz_byte(in) % (CHARACTERS + 1)};
    size_t size = lmb_snapshot_size(graph, words.count);
    uint32_t *bytes = malloc(size);
    fuzz_require(inertia != NULL && bytes != NULL, "no memory");
    fuzz_require(lmb_snapshot_save(graph, &words, fuzz_word(in), bytes, size, NULL) == LMB_OK, "it is not saved");
    const uint32_t at = fuzz_word(in) % (uint32_t)(size / sizeof *bytes), value = fuzz_word(in);
    const bool changes = bytes[at] != value;
    bytes[at] = value;
    size -= fuzz_flag(in) ? fuzz_byte(in) % size : 0;
    lmb_snapshot found;
    if (lmb_snapshot_open(bytes, size, &found, NULL) == LMB_OK && lmb_snapshot_seal(bytes, size, NULL) == LMB_OK &&
        lmb_snapshot_check(graph, bytes, size, NULL) == LMB_OK) {
        fuzz_require(lmb_state_check(graph, found.states, found.character_count, NULL) == LMB_OK,
                     "a snapshot with states that are refused");
        fuzz_require(lmb_snapshot_restore(graph, bytes, size, &words, NULL) == LMB_OK, "it is not restored");
        bytes[at] = ~value;
        fuzz_require(lmb_snapshot_check(graph, bytes, size, NULL) != LMB_OK, "damage is not found");
    } else {
        fuzz_require(changes || size < lmb_snapshot_size(graph, words.count), "a snapshot that is refused");
    }
    free(bytes);
    free(inertia);
}

// Packs a snapshot, also against one of which some words are others. It comes back, and damage does no harm.
static void run_packed(fuzz_input *in, const lmb_graph *graph, memory *m) {
    uint32_t *inertia = calloc((size_t)CHARACTERS * lmb_graph_get_info(graph)->inertia_words + 1, sizeof *inertia);
    const lmb_character_words words = {
        .states = m->state, .inertia = inertia, .row_count = CHARACTERS, .count = fuzz_byte(in) % (CHARACTERS + 1)};
    const size_t size = lmb_snapshot_size(graph, words.count), room = lmb_snapshot_packed_bound(size);
    uint32_t *bytes = malloc(size), *base = malloc(size), *back = malloc(size);
    unsigned char *packed = malloc(room);
    fuzz_require(inertia != NULL && bytes != NULL && base != NULL && back != NULL && packed != NULL, "no memory");
    fuzz_require(lmb_snapshot_save(graph, &words, fuzz_word(in), bytes, size, NULL) == LMB_OK, "it is not saved");
    memcpy(base, bytes, size);
    const uint32_t payload = (uint32_t)(size / sizeof *bytes) - LMB_SNAPSHOT_HEADER_WORDS;
    for (uint32_t count = payload > 0 ? fuzz_byte(in) % 16 : 0; count > 0; count--) {
        const uint32_t at = LMB_SNAPSHOT_HEADER_WORDS + fuzz_word(in) % payload;
        bytes[at] = fuzz_flag(in) ? fuzz_word(in) : bytes[at] ^ fuzz_byte(in);
    }
    const uint32_t *against = fuzz_flag(in) ? base : NULL;
    size_t packed_size = 0, back_size = 0;
    fuzz_require(lmb_snapshot_pack(bytes, size, against, size, packed, room, &packed_size, NULL) == LMB_OK,
                 "it is not packed");
    fuzz_require(lmb_snapshot_unpack(packed, packed_size, against, size, back, size, &back_size, NULL) == LMB_OK &&
                     back_size == size && memcmp(back, bytes, size) == 0,
                 "it does not come back");
    packed[fuzz_word(in) % packed_size] ^= fuzz_byte(in);
    packed_size -= fuzz_flag(in) ? fuzz_byte(in) % packed_size : 0;
    (void)lmb_snapshot_unpack(packed, packed_size, against, size, back, size, &back_size, NULL);
    free(inertia);
    free(bytes);
    free(base);
    free(back);
    free(packed);
}

static void run(fuzz_input *in, const lmb_graph *graph) {
    memory m = memory_create(graph);
    for (uint32_t number = 0; number < FRAMES; number++) {
        lmb_event events[2];
        lmb_control_frame frame = read_frame(in, graph, &m, events);
        frame.number = number;
        run_frame(graph, frame, &m);
        expect_accepted(graph, &m);
        require_counts(graph, m.state);
    }
    run_snapshot(in, graph, &m);
    run_changed(in, graph, &m, FRAMES);
    run_packed(in, graph, &m);
    memory_destroy(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static fuzz_input in;
    static const float durations[CLIPS] = {1.0f, 0.4f, 0.0f};
    static const uint8_t mask[] = {100};
    static const uint8_t *const masks[] = {mask};
    fuzz_begin(&in, data, size);
    const lmb_joint_def joint = lmb_default_joint_def();
    lmb_rig *rig = NULL;
    lmb_clip *clips[CLIPS] = {NULL};
    bool made = lmb_rig_create(&(lmb_rig_def){.joints = &joint, .joint_count = 1}, NULL, &rig, NULL) == LMB_OK;
    for (uint32_t i = 0; i < CLIPS && made; i++) {
        made = lmb_clip_create(rig, &(lmb_clip_def){.duration = durations[i]}, NULL, &clips[i], NULL) == LMB_OK;
    }
    fuzz_require(made, "no rig or clip");
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = rig;
    def.clips = (const lmb_clip *const *)clips;
    def.clip_count = CLIPS;
    def.masks = masks;
    def.mask_count = 1;
    lmb_value update_every;
    lmb_node_def nodes[MOST_NODES];
    read_def(&in, &def, &update_every, nodes);
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    const lmb_result result = lmb_graph_create(&def, NULL, &graph, &error);
    if (result == LMB_OK) {
        run(&in, graph);
        lmb_graph_destroy(graph);
    } else {
        fuzz_require_refused(result, graph, &error);
    }
    for (uint32_t i = 0; i < CLIPS; i++) {
        lmb_clip_destroy(clips[i]);
    }
    lmb_rig_destroy(rig);
    fuzz_end(&in);
    return 0;
}
