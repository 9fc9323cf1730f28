// The game: rows of characters, their input, and snapshots. See game.h.
//
// A character is known by its number, player * squad + index. Its row in the batch is another number, which each side
// chooses for itself. Snapshots and hashes have characters in the order of their numbers.
#include "game.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct world {
    const lmb_graph *graph;
    lmb_cpu *cpu;
    evaluator evaluator;
    script script;
    uint32_t own;
    uint32_t capacity;   // characters
    uint32_t present;    // players, as bits
    uint32_t count;      // rows in use: of those who are present
    uint32_t *order;     // [count] row of each character that is present, in the order of characters
    uint32_t *character; // [count] of each row

    uint32_t *states, *inertia, *reached, *emitted; // [row][words]
    uint32_t state_words, inertia_words, reached_words, emitted_words, palette_words;
    float *parameters, *points, *transforms;
    uint32_t *palettes; // float [row][joint][3][4], as bits
    uint32_t parameter_count, point_count;
    lmb_event *events;
    uint64_t *row_hashes;
    uint32_t *hashes;
    unsigned char *scratch; // a snapshot of those who stay while others join or leave
    unsigned char *packed;  // world_pack() makes all of these
    unsigned char *shown[2], *unpacked;
    size_t shown_size;
    uint32_t shown_present; // who is in the last one

    uint32_t speed, aside, heading, reach, time; // parameters
    uint32_t jump_event, wave_event, hit_event, stop_event;
    costs costs;
};

// ---- The script.

static uint32_t mix(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t h = (a * 0x9e3779b1u) ^ ((b + 0x7f4a7c15u) * 0x85ebca6bu) ^ ((c + 1u) * 0xc2b2ae35u);
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return h ^ h >> 15;
}

// Sticks move every 24 frames or so, and buttons are pressed now and then.
player_input script_input(const script *script, uint32_t player, uint32_t frame) {
    const uint32_t stick = mix((frame + player * 7) / 24, player, script->seed);
    const uint32_t press = mix(frame, player + 100, script->seed);
    player_input input = {.speed = (stick & 3) == 0 ? 0 : (uint8_t)(stick >> 8),
                          .heading = (uint8_t)(stick >> 16),
                          .aside = (stick & 12) == 0 ? 128 : 0,
                          .buttons = (stick & 16) != 0 ? BUTTON_REACH : 0};
    if (press % 40 == 0) {
        input.buttons |= (uint8_t)(BUTTON_JUMP << (press >> 8) % 4);
    }
    return input;
}

bool script_is_present(const script *script, uint32_t player, uint32_t frame) {
    const uint32_t fifth = script->frame_count / 5;
    if (player == 1) {
        return frame >= fifth;
    }
    return player != 2 || frame < 2 * fifth || frame >= 3 * fifth;
}

// ---- Memory.

static void *zeroed(size_t count, size_t size, bool *failed) {
    void *memory = calloc(count > 0 ? count : 1, size);
    *failed = *failed || memory == NULL;
    return memory;
}

lmb_result no_memory(lmb_error *error) {
    snprintf(error->message, sizeof error->message, "no memory");
    return LMB_ERROR_MEMORY;
}

lmb_result world_create(const lmb_graph *graph, const script *script, uint32_t own, world **result, lmb_error *error) {
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    *result = NULL;
    world *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return no_memory(error);
    }
    w->graph = graph;
    w->script = *script;
    w->own = own;
    w->capacity = script->player_count * script->squad;
    w->state_words = lmb_graph_get_info(w->graph)->state_words;
    w->inertia_words = info->inertia_words;
    w->reached_words = info->reached_count;
    w->emitted_words = lmb_graph_get_info(w->graph)->emitted_words;
    w->palette_words = info->joint_count * LMB_MATRIX_COMPONENTS;
    w->parameter_count = info->parameter_count;
    w->point_count = info->point_count;
    w->speed = lmb_graph_find_parameter(graph, "speed");
    w->aside = lmb_graph_find_parameter(graph, "aside");
    w->heading = lmb_graph_find_parameter(graph, "heading");
    w->reach = lmb_graph_find_parameter(graph, "reach");
    w->time = lmb_graph_find_parameter(graph, "time");
    w->jump_event = lmb_graph_find_event(graph, "JUMP");
    w->wave_event = lmb_graph_find_event(graph, "WAVE");
    w->hit_event = lmb_graph_find_event(graph, "HIT");
    w->stop_event = lmb_graph_find_event(graph, "STOP");
    bool failed = false;
    const size_t n = w->capacity;
    w->order = zeroed(n, sizeof *w->order, &failed);
    w->character = zeroed(n, sizeof *w->character, &failed);
    w->states = zeroed(n * w->state_words, sizeof *w->states, &failed);
    w->inertia = zeroed(n * w->inertia_words, sizeof *w->inertia, &failed);
    w->reached = zeroed(n * w->reached_words, sizeof *w->reached, &failed);
    w->emitted = zeroed(n * w->emitted_words, sizeof *w->emitted, &failed);
    w->palettes = zeroed(n * w->palette_words, sizeof *w->palettes, &failed);
    w->parameters = zeroed(n * w->parameter_count, sizeof *w->parameters, &failed);
    w->points = zeroed(n * w->point_count * 4, sizeof *w->points, &failed);
    w->transforms = zeroed(n * LMB_MATRIX_COMPONENTS, sizeof *w->transforms, &failed);
    w->events = zeroed(n * 4, sizeof *w->events, &failed);
    w->row_hashes = zeroed(n, sizeof *w->row_hashes, &failed);
    w->hashes = zeroed(n * 10, sizeof *w->hashes, &failed);
    w->scratch = zeroed(world_room(w), 1, &failed);
    const uint32_t found[] = {w->speed,      w->aside,      w->heading,   w->reach,     w->time,
                              w->jump_event, w->wave_event, w->hit_event, w->stop_event};
    lmb_result made = failed ? no_memory(error) : lmb_cpu_create(graph, LMB_CPU_FAST, NULL, &w->cpu, error);
    for (size_t i = 0; made == LMB_OK && i < sizeof found / sizeof *found; i++) {
        if (found[i] == LMB_NONE) {
            snprintf(error->message, sizeof error->message, "the graph lacks a parameter or an event of the game");
            made = LMB_ERROR_ARGUMENT;
        }
    }
    if (made != LMB_OK) {
        world_destroy(w);
        return made;
    }
    *result = w;
    return LMB_OK;
}

void world_destroy(world *w) {
    if (w == NULL) {
        return;
    }
    lmb_cpu_destroy(w->cpu);
    void *const memory[] = {
        w->order,      w->character,  w->states, w->inertia,    w->reached, w->emitted, w->palettes, w->points,
        w->parameters, w->transforms, w->events, w->row_hashes, w->hashes,  w->scratch, w->packed,   w->shown[0],
        w->shown[1],   w->unpacked,   w};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        free(memory[i]);
    }
}

void world_use(world *w, evaluator evaluator) {
    w->evaluator = evaluator;
}

// ---- Costs: processor time, by the only clock that every C library has.

static clock_t begin(void) {
    return clock();
}

static void end(cost *cost, clock_t begun, uint32_t characters) {
    cost->seconds += (double)(clock() - begun) / CLOCKS_PER_SEC;
    cost->characters += characters;
}

costs world_costs(const world *w) {
    return w->costs;
}

uint32_t world_character_count(const world *w) {
    return w->count;
}

// ---- Who is in the game.

// The words of the rows in `order`.
static lmb_character_words words_of(const world *w, const uint32_t *order, uint32_t count) {
    return (lmb_character_words){.states = w->states,
                                 .inertia = w->inertia,
                                 .reached = w->reached,
                                 .row_count = w->capacity,
                                 .characters = order,
                                 .count = count};
}

// Gives rows to the characters of all who are present, beginning with this world's own player.
static void take_seats(world *w, uint32_t present) {
    w->present = present;
    w->count = 0;
    uint32_t first_row[MAX_PLAYERS];
    for (uint32_t i = 0; i < w->script.player_count; i++) {
        const uint32_t player = (w->own + i) % w->script.player_count;
        first_row[player] = w->count;
        for (uint32_t k = 0; (present >> player & 1) != 0 && k < w->script.squad; k++) {
            w->character[w->count++] = player * w->script.squad + k;
        }
    }
    for (uint32_t player = 0, next = 0; player < w->script.player_count; player++) {
        for (uint32_t k = 0; (present >> player & 1) != 0 && k < w->script.squad; k++) {
            w->order[next++] = first_row[player] + k;
        }
    }
}

// Lists the rows of the characters of some players, in the order of characters.
static uint32_t rows_of(const world *w, uint32_t players, uint32_t *rows) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        if ((players >> w->character[w->order[i]] / w->script.squad & 1) != 0) {
            rows[count++] = w->order[i];
        }
    }
    return count;
}

// A character joins with words of zeros, at a place of its own.
static lmb_result place(world *w, uint32_t row, lmb_error *error) {
    uint32_t *state = w->states + (size_t)row * w->state_words;
    memset(state, 0, w->state_words * sizeof *state);
    memset(w->inertia + (size_t)row * w->inertia_words, 0, w->inertia_words * sizeof *w->inertia);
    memset(w->reached + (size_t)row * w->reached_words, 0, w->reached_words * sizeof *w->reached);
    // Not the C library's sine: it differs between systems in its last bits.
    const float angle = (float)w->character[row] * 2.4f, radius = 1.0f + 0.2f * (float)w->character[row];
    const lmb_motion motion = {.position = {radius * lmb_sine(angle), 0.0, radius * lmb_cosine(angle)}, .yaw = angle};
    const lmb_result result = lmb_state_set_motion(w->graph, state, &motion, error);
    // Without this, its row would decide in which frames it is updated (lmb_graph_def.update_every).
    return result == LMB_OK ? lmb_state_set_update_phase(w->graph, state, w->character[row], error) : result;
}

// Players join and leave between frames. Those who stay move to other rows by way of a snapshot.
static lmb_result change_players(world *w, uint32_t present, lmb_error *error) {
    uint32_t *rows = w->hashes; // not in use now
    const uint32_t staying = w->present & present, joining = present & ~w->present;
    lmb_character_words stay = words_of(w, rows, rows_of(w, staying, rows));
    const size_t size = lmb_snapshot_size(w->graph, stay.count);
    lmb_result result = lmb_snapshot_save(w->graph, &stay, 0, w->scratch, size, error);
    if (result != LMB_OK) {
        return result;
    }
    take_seats(w, present);
    stay.count = rows_of(w, staying, rows);
    result = lmb_snapshot_restore(w->graph, w->scratch, size, &stay, error);
    const uint32_t count = result == LMB_OK ? rows_of(w, joining, rows) : 0;
    for (uint32_t i = 0; result == LMB_OK && i < count; i++) {
        result = place(w, rows[i], error);
    }
    return result;
}

// ---- A frame.

// Writes a character's parameters, and its events to `events`. Returns how many.
static uint32_t control_character(world *w, uint32_t row, uint32_t frame, const frame_input *input, lmb_event *events) {
    const uint32_t member = w->character[row] % w->script.squad;
    const player_input *player = &input->players[w->character[row] / w->script.squad];
    const uint8_t heading = (uint8_t)(player->heading + member * 11);
    float *p = w->parameters + (size_t)row * w->parameter_count;
    lmb_graph_defaults(w->graph, p);
    p[w->speed] = (float)player->speed * (3.0f / 256);
    p[w->aside] = (float)player->aside * (1.0f / 256);
    p[w->heading] = (float)(heading - 128) * 0.0245f;
    p[w->reach] = (player->buttons & BUTTON_REACH) != 0 ? 1.0f : 0.0f;
    p[w->time] = (float)(frame % (FRAME_RATE * 1024)) * (1.0f / FRAME_RATE);
    const uint32_t sent[] = {w->jump_event, w->wave_event, w->hit_event, w->stop_event};
    uint32_t count = 0;
    for (uint32_t i = 0; i < sizeof sent / sizeof *sent; i++) {
        // Half of a squad obeys.
        if ((player->buttons >> i & 1) != 0 && (member + frame) % 2 == 0) {
            events[count++] = (lmb_event){.character = row, .event = sent[i]};
        }
    }
    return count;
}

// Characters look at a comrade, and reach for a thing beside him. World matrices are those before the frame, so that a
// device runs control and poses at once.
static void aim_character(world *w, uint32_t row) {
    const lmb_affine matrix = lmb_state_matrix(w->graph, w->states + (size_t)row * w->state_words);
    memcpy(w->transforms + (size_t)row * LMB_MATRIX_COMPONENTS, matrix.m, sizeof matrix.m);
    const uint32_t member = w->character[row] % w->script.squad; // a squad has consecutive rows
    const uint32_t comrade = row - member + (member + 1) % w->script.squad;
    const lmb_affine other = lmb_state_matrix(w->graph, w->states + (size_t)comrade * w->state_words);
    float *point = w->points + (size_t)row * w->point_count * 4;
    for (uint32_t i = 0; i < w->point_count; i++, point += 4) {
        point[0] = other.m[0][3] + (i == 0 ? 0.0f : 0.3f);
        point[1] = i == 0 ? 1.5f : 1.1f;
        point[2] = other.m[2][3] + 0.4f;
    }
}

lmb_result world_run(world *w, uint32_t frame, const frame_input *input, lmb_error *error) {
    lmb_result result = LMB_OK;
    if (input->present != w->present) {
        result = change_players(w, input->present, error);
    }
    lmb_control_frame control = lmb_default_control_frame();
    for (uint32_t row = 0; row < w->count; row++) { // events are sorted by row
        control.event_count += control_character(w, row, frame, input, w->events + control.event_count);
    }
    control.step = LMB_TICKS_PER_SECOND / FRAME_RATE;
    control.number = frame;
    control.character_count = w->count;
    control.state = w->states;
    control.parameters = w->parameters;
    control.events = w->events;
    control.emitted = w->emitted;
    control.reached = w->reached;
    for (uint32_t row = 0; row < w->count; row++) {
        aim_character(w, row);
    }
    const lmb_batch_def batch = {.graph = w->graph, .character_count = w->count, .outputs = LMB_OUTPUT_PALETTE_BIT};
    const lmb_batch_inputs inputs = {
        .parameters = w->parameters, .control = &control, .points = w->points, .transforms = w->transforms};
    const lmb_batch_outputs outputs = {
        .buffers[LMB_OUTPUT_PALETTE] = (float *)w->palettes, .inertia = w->inertia, .reached = w->reached};
    clock_t begun = begin();
    if (w->evaluator.run != NULL) {
        result = result == LMB_OK ? w->evaluator.run(w->evaluator.context, &inputs, &outputs, error) : result;
        end(&w->costs.device, begun, w->count);
        return result;
    }
    // lmb_cpu_run() does both. Here they are apart, to see what each costs.
    result = result == LMB_OK ? lmb_control_run(w->graph, &control, 0, w->count, error) : result;
    end(&w->costs.control, begun, w->count);
    begun = begin();
    result = result == LMB_OK ? lmb_cpu_run_poses(w->cpu, &batch, &inputs, &outputs, 0, w->count, error) : result;
    end(&w->costs.poses, begun, w->count);
    return result;
}

uint64_t world_hash(world *w) {
    const clock_t begun = begin();
    const uint32_t *const words[] = {w->states, w->inertia, w->reached, w->palettes, w->emitted};
    const uint32_t widths[] = {w->state_words, w->inertia_words, w->reached_words, w->palette_words, w->emitted_words};
    uint32_t count = 0;
    for (uint32_t kind = 0; kind < sizeof widths / sizeof *widths; kind++) {
        lmb_hash_rows(words[kind], widths[kind], w->count, w->row_hashes);
        for (uint32_t i = 0; i < w->count; i++) {
            const uint64_t hash = w->row_hashes[w->order[i]];
            w->hashes[count++] = (uint32_t)hash;
            w->hashes[count++] = (uint32_t)(hash >> 32);
        }
    }
    const uint64_t hash = lmb_hash_words(w->hashes, count);
    end(&w->costs.hash, begun, w->count);
    return hash;
}

uint64_t game_hash(const uint64_t *hashes, uint32_t count) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < count; i++) {
        hash = (hash ^ hashes[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

// ---- Snapshots. The tag has the frame, and above it who is present.

size_t world_room(const world *w) {
    return lmb_snapshot_size(w->graph, w->capacity);
}

lmb_result world_save(world *w, uint32_t frame, void *bytes, size_t *size, lmb_error *error) {
    const clock_t begun = begin();
    const lmb_character_words words = words_of(w, w->order, w->count);
    *size = lmb_snapshot_size(w->graph, w->count);
    const uint64_t tag = frame | (uint64_t)w->present << 32;
    const lmb_result result = lmb_snapshot_save(w->graph, &words, tag, bytes, *size, error);
    end(&w->costs.save, begun, w->count);
    return result;
}

lmb_result world_pack(world *w, uint32_t frame, lmb_error *error) {
    const size_t room = lmb_snapshot_packed_bound(world_room(w));
    bool failed = false;
    if (w->packed == NULL) {
        w->packed = zeroed(room, 1, &failed);
        w->shown[0] = zeroed(world_room(w), 1, &failed);
        w->shown[1] = zeroed(world_room(w), 1, &failed);
        w->unpacked = zeroed(world_room(w), 1, &failed);
    }
    if (failed) {
        return no_memory(error);
    }
    unsigned char *now = w->shown[frame % 2], *before = w->shown[1 - frame % 2];
    const bool has_base = w->shown_size > 0 && w->shown_present == w->present; // the same characters
    size_t size = 0, packed_size = 0, unpacked_size = 0;
    lmb_result result = world_save(w, frame, now, &size, error);
    clock_t begun = begin();
    if (result == LMB_OK) {
        result =
            lmb_snapshot_pack(now, size, has_base ? before : NULL, w->shown_size, w->packed, room, &packed_size, error);
    }
    if (has_base) {
        end(&w->costs.pack, begun, w->count);
        w->costs.bytes += size;
        w->costs.packed_bytes += packed_size;
    }
    begun = begin();
    if (result == LMB_OK) {
        result = lmb_snapshot_unpack(w->packed, packed_size, has_base ? before : NULL, w->shown_size, w->unpacked,
                                     world_room(w), &unpacked_size, error);
    }
    end(&w->costs.unpack, begun, w->count);
    w->shown_size = size;
    w->shown_present = w->present;
    if (result == LMB_OK && (unpacked_size != size || memcmp(w->unpacked, now, size) != 0)) {
        snprintf(error->message, sizeof error->message, "a snapshot of frame %u was packed, and another came back",
                 frame);
        return LMB_ERROR_FORMAT;
    }
    return result;
}

lmb_result world_restore(world *w, const void *bytes, size_t size, bool is_foreign, uint32_t *frame, lmb_error *error) {
    lmb_snapshot found;
    lmb_result result = is_foreign ? lmb_snapshot_check(w->graph, bytes, size, error) : LMB_OK;
    if (result == LMB_OK) {
        result = lmb_snapshot_open(bytes, size, &found, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    const uint32_t present = (uint32_t)(found.tag >> 32);
    uint32_t count = 0;
    for (uint32_t player = 0; player < w->script.player_count; player++) {
        count += (present >> player & 1) * w->script.squad;
    }
    if (present >> w->script.player_count != 0 || count != found.character_count) {
        snprintf(error->message, sizeof error->message, "the snapshot has %u characters in place of %u",
                 found.character_count, count);
        return LMB_ERROR_FORMAT;
    }
    const clock_t begun = begin();
    if (present != w->present) {
        take_seats(w, present);
    }
    const lmb_character_words words = words_of(w, w->order, w->count);
    result = lmb_snapshot_restore(w->graph, bytes, size, &words, error);
    end(&w->costs.restore, begun, w->count);
    *frame = (uint32_t)found.tag;
    return result;
}

bool world_difference(const world *w, const void *a, size_t a_size, const void *b, size_t b_size, char *text,
                      size_t text_size) {
    lmb_snapshot x, y;
    if (lmb_snapshot_open(a, a_size, &x, NULL) != LMB_OK || lmb_snapshot_open(b, b_size, &y, NULL) != LMB_OK ||
        x.tag != y.tag || x.character_count != y.character_count) {
        snprintf(text, text_size, "the snapshots are of other frames or players");
        return true;
    }
    for (uint32_t i = 0; i < x.character_count; i++) {
        const size_t at = (size_t)i * w->state_words;
        char found[200];
        if (lmb_graph_state_difference(w->graph, x.states + at, y.states + at, found, sizeof found)) {
            snprintf(text, text_size, "character %u of %u: %s", i, x.character_count, found);
            return true;
        }
    }
    for (uint32_t i = 0; i < x.character_count; i++) {
        const size_t at = (size_t)i * w->inertia_words;
        if (memcmp(x.inertia + at, y.inertia + at, w->inertia_words * sizeof *x.inertia) != 0) {
            snprintf(text, text_size, "character %u of %u: words of inertialization", i, x.character_count);
            return true;
        }
    }
    return false;
}

void world_damage(world *w) {
    if (w->count > 0) {
        const uint32_t row = w->order[w->count - 1];
        w->states[(size_t)row * w->state_words + lmb_graph_get_info(w->graph)->motion_words.first] ^= 0x10000u;
    }
}
