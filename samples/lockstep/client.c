// A client. It runs ahead of the server by up to ROLLBACK frames, with a guess of what the others do: what they did in
// the last frame that is decided. When that turns out to be wrong, it goes back and runs these frames again.
//
//   confirmed   frames before this one were compared with the server's
//   decided     the server's input is known before this one
//   late        the first one that ran with wrong input; `now` if none did
//   now         the next one to run, at most `decided` + ROLLBACK
#include "session.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = ROLLBACK + 1, RING = 64 }; // snapshots; frames of input and hashes

struct client {
    script script;
    uint32_t player;
    uint64_t fingerprint;
    world *world;
    bool has_world; // it has the server's snapshot
    uint32_t now, late, decided, confirmed;
    frame_input last;                     // that is decided
    frame_input inputs[RING], used[RING]; // decided; with which a frame ran
    uint64_t hashes[RING], server_hashes[RING];
    unsigned char *saved[KEPT]; // before each frame
    size_t saved_sizes[KEPT];

    bool is_fetching;       // a snapshot of the server's
    uint32_t fetched_frame; // of it; only a later one replaces it
    uint32_t pieces;        // 0: none came yet
    bool *has_piece;
    unsigned char *fetched;
    size_t fetched_size;

    client_counts counts;
    char report[300];
    uint32_t damaged_frame; // for tests: it always runs differently
};

lmb_result client_create(const lmb_graph *graph, const script *script, uint32_t player, client **result,
                         lmb_error *error) {
    client *c = calloc(1, sizeof *c);
    *result = c;
    if (c == NULL) {
        return no_memory(error);
    }
    c->script = *script;
    c->player = player;
    c->fingerprint = lmb_graph_fingerprint(graph);
    c->is_fetching = true;
    c->damaged_frame = LMB_NONE;
    lmb_result made = world_create(graph, script, player, &c->world, error);
    const size_t room = made == LMB_OK ? world_room(c->world) : 0;
    bool failed = false;
    for (uint32_t i = 0; made == LMB_OK && i < KEPT; i++) {
        c->saved[i] = malloc(room);
        failed = failed || c->saved[i] == NULL;
    }
    c->fetched = malloc(room + PIECE_BYTES);
    c->has_piece = calloc(room / PIECE_BYTES + 1, sizeof *c->has_piece);
    if (made == LMB_OK && (failed || c->fetched == NULL || c->has_piece == NULL)) {
        made = no_memory(error);
    }
    if (made != LMB_OK) {
        client_destroy(c);
        *result = NULL;
    }
    return made;
}

void client_destroy(client *c) {
    if (c == NULL) {
        return;
    }
    for (uint32_t i = 0; i < KEPT; i++) {
        free(c->saved[i]);
    }
    world_destroy(c->world);
    free(c->fetched);
    free(c->has_piece);
    free(c);
}

// ---- What comes from the server.

static void receive_frames(client *c, reader *r) {
    const uint32_t first = get_32(r), count = get_32(r);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        frame_input input;
        get_bytes(r, &input, sizeof input);
        const uint64_t hash = get_64(r);
        const uint32_t frame = first + i;
        if (r->failed || !c->has_world || frame != c->decided || frame >= c->now + RING - KEPT ||
            frame >= c->script.frame_count) {
            continue; // known already, after a gap, or too early
        }
        c->inputs[frame % RING] = input;
        c->server_hashes[frame % RING] = hash;
        c->last = input;
        c->decided++;
        if (frame < c->late && memcmp(&c->used[frame % RING], &input, sizeof input) != 0) {
            c->late = frame;
        }
    }
}

static uint32_t first_missing(const client *c) {
    uint32_t piece = 0;
    while (piece < c->pieces && c->has_piece[piece]) {
        piece++;
    }
    return piece;
}

// Compares a snapshot of the server with what this client has for that frame, for whoever looks for the cause.
static lmb_result report_difference(client *c, uint32_t frame, lmb_error *error) {
    uint32_t at = frame % KEPT;
    if (frame == c->now) {
        const lmb_result result = world_save(c->world, frame, c->saved[at], &c->saved_sizes[at], error);
        if (result != LMB_OK) {
            return result;
        }
    }
    if (c->report[0] == '\0' && frame <= c->now && frame + KEPT > c->now) {
        const int length = snprintf(c->report, sizeof c->report, "player %u before frame %u: ", c->player, frame);
        if (!world_difference(c->world, c->fetched, c->fetched_size, c->saved[at], c->saved_sizes[at],
                              c->report + length, sizeof c->report - (size_t)length)) {
            snprintf(c->report + length, sizeof c->report - (size_t)length, "equal states");
        }
    }
    return LMB_OK;
}

// If all pieces are there, checks the snapshot, which comes from a stranger, and continues from it.
static lmb_result take_snapshot(client *c, lmb_error *error) {
    if (c->pieces == 0 || first_missing(c) < c->pieces) {
        return LMB_OK;
    }
    uint32_t frame = 0;
    lmb_snapshot found;
    lmb_result result = lmb_snapshot_open(c->fetched, c->fetched_size, &found, error);
    if (result == LMB_OK && c->has_world) {
        frame = (uint32_t)found.tag;
        if (frame <= c->now && c->decided < frame) {
            return LMB_OK; // not all input before it is known
        }
        result = report_difference(c, frame, error);
    }
    if (result == LMB_OK) {
        result = world_restore(c->world, c->fetched, c->fetched_size, true, &frame, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    if (frame >= c->script.frame_count + 1) {
        snprintf(error->message, sizeof error->message, "the snapshot is of frame %u, after the end", frame);
        return LMB_ERROR_FORMAT;
    }
    c->now = c->late = c->confirmed = frame;
    if (c->decided < frame || !c->has_world) {
        c->decided = frame;
        c->last = (frame_input){.present = (uint8_t)(found.tag >> 32)};
    }
    c->is_fetching = false;
    c->has_world = true;
    c->counts.snapshots++;
    return LMB_OK;
}

// Forgets the pieces of an older snapshot.
static void fetch(client *c, uint32_t frame) {
    c->is_fetching = true;
    c->fetched_frame = frame;
    c->pieces = 0;
    memset(c->has_piece, 0, (world_room(c->world) / PIECE_BYTES + 1) * sizeof *c->has_piece);
}

static void receive_piece(client *c, reader *r) {
    const uint32_t frame = get_32(r), pieces = get_32(r), piece = get_32(r);
    const size_t size = r->packet->size - r->at, at = (size_t)piece * PIECE_BYTES;
    if (r->failed || !c->is_fetching || frame < c->fetched_frame || pieces > world_room(c->world) / PIECE_BYTES + 1 ||
        piece >= pieces || size > PIECE_BYTES || (piece + 1 < pieces && size != PIECE_BYTES)) {
        return; // old, or nonsense
    }
    if (frame > c->fetched_frame) {
        fetch(c, frame);
    }
    c->pieces = pieces;
    get_bytes(r, c->fetched + at, size);
    c->has_piece[piece] = true;
    if (piece + 1 == pieces) {
        c->fetched_size = at + size;
    }
}

lmb_result client_receive(client *c, const packet *received, lmb_error *error) {
    reader r = {.packet = received};
    switch (get_32(&r)) {
    case MESSAGE_REFUSED: {
        char why[100] = "";
        const script script = get_script(&r);
        if (memcmp(&script, &c->script, sizeof script) != 0 || get_64(&r) != c->fingerprint) {
            return LMB_OK; // somebody else was
        }
        const size_t size = received->size - r.at;
        get_bytes(&r, why, size < sizeof why ? size : sizeof why - 1);
        snprintf(error->message, sizeof error->message, "refused: %s", why);
        return LMB_ERROR_FORMAT;
    }
    case MESSAGE_PIECE:
        receive_piece(c, &r);
        return LMB_OK;
    case MESSAGE_FRAMES:
        receive_frames(c, &r);
        return LMB_OK;
    default:
        return LMB_OK;
    }
}

// ---- Frames.

// What the server decided; before that, what this player does, and a guess of what the others do.
static frame_input input_of(const client *c, uint32_t frame) {
    if (frame < c->decided) {
        return c->inputs[frame % RING];
    }
    frame_input guess = c->last;
    for (uint32_t i = 0; i < c->script.player_count; i++) {
        guess.players[i].buttons &= BUTTON_REACH; // held; the others are pressed
    }
    if ((guess.present >> c->player & 1) != 0) {
        guess.players[c->player] = script_input(&c->script, c->player, frame);
    }
    return guess;
}

static lmb_result run_frame(client *c, uint32_t frame, lmb_error *error) {
    lmb_result result = world_save(c->world, frame, c->saved[frame % KEPT], &c->saved_sizes[frame % KEPT], error);
    if (frame == c->damaged_frame) {
        world_damage(c->world);
    }
    if (result == LMB_OK) {
        c->used[frame % RING] = input_of(c, frame);
        result = world_run(c->world, frame, &c->used[frame % RING], error);
    }
    if (result == LMB_OK) {
        c->hashes[frame % RING] = world_hash(c->world);
    }
    return result;
}

// Goes back to the first frame that ran with wrong input, and runs again from there.
static lmb_result roll_back(client *c, lmb_error *error) {
    uint32_t frame = c->late;
    if (frame == c->now) {
        return LMB_OK;
    }
    const uint32_t depth = c->now - frame;
    c->counts.rollbacks++;
    c->counts.again += depth;
    c->counts.deepest = depth > c->counts.deepest ? depth : c->counts.deepest;
    lmb_result result =
        world_restore(c->world, c->saved[frame % KEPT], c->saved_sizes[frame % KEPT], false, &frame, error);
    for (; result == LMB_OK && frame < c->now; frame++) {
        result = run_frame(c, frame, error);
    }
    c->late = c->now;
    return result;
}

// Compares frames that have run with what the server decided. After a difference, asks for the server's state.
static void confirm(client *c) {
    while (!c->is_fetching && c->confirmed < c->decided && c->confirmed < c->now) {
        const uint32_t at = c->confirmed % RING;
        c->counts.confirmed++;
        c->confirmed++;
        if (c->hashes[at] != c->server_hashes[at]) {
            c->counts.differences++;
            fetch(c, c->confirmed);
        }
    }
}

static void send_to_server(const client *c, uint32_t tick, wire *to_server) {
    packet p = {0};
    if (c->is_fetching) {
        put_32(&p, MESSAGE_HELLO);
        put_32(&p, c->player);
        put_script(&p, &c->script);
        put_64(&p, c->fingerprint);
        put_32(&p, first_missing(c));
    } else {
        const uint32_t first = c->decided < c->now ? c->decided : c->now;
        put_32(&p, MESSAGE_INPUT);
        put_32(&p, c->player);
        put_32(&p, c->decided);
        put_32(&p, first);
        put_32(&p, c->now - first);
        for (uint32_t frame = first; frame < c->now; frame++) {
            const player_input input = script_input(&c->script, c->player, frame);
            put_bytes(&p, &input, sizeof input);
        }
    }
    wire_send(to_server, tick, &p);
}

lmb_result client_tick(client *c, uint32_t tick, wire *to_server, lmb_error *error) {
    lmb_result result = c->has_world ? roll_back(c, error) : LMB_OK;
    if (result == LMB_OK && c->is_fetching) {
        result = take_snapshot(c, error);
    }
    // One frame, and more if the server is ahead. A client that fetches a snapshot waits for it.
    for (uint32_t i = 0; result == LMB_OK && !c->is_fetching && c->now < c->script.frame_count; i++) {
        const bool is_behind = c->now < c->decided;
        if (is_behind ? i == FRAMES_A_TICK : i > 0 || c->now == c->decided + ROLLBACK) {
            break;
        }
        result = run_frame(c, c->now++, error);
        c->late = c->now;
    }
    if (result == LMB_OK) {
        confirm(c);
        send_to_server(c, tick, to_server);
    }
    return result;
}

uint32_t client_frame(const client *c) {
    return c->now;
}

bool client_is_done(const client *c) {
    return c->has_world && c->confirmed == c->script.frame_count;
}

client_counts client_counted(const client *c) {
    return c->counts;
}

costs client_costs(const client *c) {
    return world_costs(c->world);
}

const char *client_report(const client *c) {
    return c->report;
}

void client_use(client *c, evaluator evaluator) {
    world_use(c->world, evaluator);
}

void client_damage(client *c, uint32_t frame) {
    c->damaged_frame = frame;
}
