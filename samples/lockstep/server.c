// The authoritative server. It runs a frame when it has the input of all who are present, and sends what it decided
// with the hash of what it got. See session.h.
#include "session.h"

#include <stdlib.h>
#include <string.h>

typedef struct seat {
    bool is_connected;
    bool is_dropped;
    uint32_t silent;        // ticks that the server has waited for it
    uint32_t known;         // its input is known for all frames before this one that matter
    uint32_t lacks;         // the first frame that it has not got
    bool is_refused;        // what said hello last
    script refused;         // its script
    uint64_t refused_graph; // its fingerprint
    bool is_fetching;       // a snapshot
    uint32_t snapshot_frame;
    uint32_t piece; // the first one that it lacks
    unsigned char *snapshot;
    size_t size;
} seat;

struct server {
    script script;
    uint64_t fingerprint;
    world *world;
    uint32_t frame;
    player_input (*inputs)[MAX_PLAYERS]; // [frame][player]
    frame_input *log;                    // [frame]
    uint64_t *hashes;                    // [frame]
    seat seats[MAX_PLAYERS];
};

lmb_result server_create(const lmb_graph *graph, const script *script, server **result, lmb_error *error) {
    server *s = calloc(1, sizeof *s);
    *result = s;
    if (s == NULL) {
        return no_memory(error);
    }
    s->script = *script;
    s->fingerprint = lmb_graph_fingerprint(graph);
    s->inputs = calloc(script->frame_count, sizeof *s->inputs);
    s->log = calloc(script->frame_count, sizeof *s->log);
    s->hashes = calloc(script->frame_count, sizeof *s->hashes);
    lmb_result made = s->inputs == NULL || s->log == NULL || s->hashes == NULL ? no_memory(error) : LMB_OK;
    if (made == LMB_OK) {
        made = world_create(graph, script, 0, &s->world, error);
    }
    for (uint32_t i = 0; made == LMB_OK && i < script->player_count; i++) {
        s->seats[i].snapshot = malloc(world_room(s->world));
        made = s->seats[i].snapshot == NULL ? no_memory(error) : LMB_OK;
    }
    if (made != LMB_OK) {
        server_destroy(s);
        *result = NULL;
    }
    return made;
}

void server_destroy(server *s) {
    if (s == NULL) {
        return;
    }
    for (uint32_t i = 0; i < MAX_PLAYERS; i++) {
        free(s->seats[i].snapshot);
    }
    world_destroy(s->world);
    free(s->inputs);
    free(s->log);
    free(s->hashes);
    free(s);
}

void put_script(packet *packet, const script *script) {
    put_32(packet, script->seed);
    put_32(packet, script->player_count);
    put_32(packet, script->squad);
    put_32(packet, script->frame_count);
}

script get_script(reader *r) {
    script script = {.seed = get_32(r)};
    script.player_count = get_32(r);
    script.squad = get_32(r);
    script.frame_count = get_32(r);
    return script;
}

// ---- What comes from clients. Nothing of it is trusted.

static void receive_hello(server *s, seat *seat, reader *r) {
    const script theirs = get_script(r);
    const uint64_t fingerprint = get_64(r);
    const uint32_t piece = get_32(r);
    if (r->failed) {
        return;
    }
    seat->is_refused = fingerprint != s->fingerprint || memcmp(&theirs, &s->script, sizeof theirs) != 0;
    if (seat->is_refused) {
        seat->refused = theirs;
        seat->refused_graph = fingerprint;
        return;
    }
    seat->is_connected = true;
    if (!seat->is_fetching) { // a snapshot of the frame that comes next
        if (world_save(s->world, s->frame, seat->snapshot, &seat->size, NULL) != LMB_OK ||
            lmb_snapshot_seal(seat->snapshot, seat->size, NULL) != LMB_OK) {
            return;
        }
        seat->snapshot_frame = s->frame;
        seat->is_fetching = true;
    }
    seat->piece = piece;
}

static void receive_input(server *s, seat *seat, uint32_t player, reader *r) {
    const uint32_t lacks = get_32(r), first = get_32(r), count = get_32(r);
    if (r->failed || !seat->is_connected || lacks > s->frame || count > s->script.frame_count ||
        first > s->script.frame_count - count || first > s->frame) {
        return; // also: a gap between what is decided and what it sends
    }
    seat->is_fetching = false; // it has its snapshot
    seat->lacks = lacks;
    if (seat->known < first) { // a newcomer: what was before is decided
        seat->known = first;
    }
    for (uint32_t frame = first; frame < first + count; frame++) {
        player_input input;
        get_bytes(r, &input, sizeof input);
        if (!r->failed && frame == seat->known) {
            s->inputs[frame][player] = input;
            seat->known++;
        }
    }
}

uint32_t server_receive(server *s, const packet *received) {
    reader r = {.packet = received};
    const uint32_t kind = get_32(&r), player = get_32(&r);
    if (r.failed || player >= s->script.player_count || (kind != MESSAGE_HELLO && kind != MESSAGE_INPUT)) {
        return LMB_NONE;
    }
    seat *seat = &s->seats[player];
    seat->silent = 0;
    if (kind == MESSAGE_HELLO) {
        receive_hello(s, seat, &r);
    } else {
        receive_input(s, seat, player, &r);
    }
    return player;
}

// ---- Frames.

// Decides a frame. Returns false if input of someone who is present is missing. Who stays silent is dropped.
static bool decide(server *s, frame_input *input) {
    *input = (frame_input){0};
    for (uint32_t i = 0; i < s->script.player_count; i++) {
        seat *seat = &s->seats[i];
        if (!script_is_present(&s->script, i, s->frame) || seat->is_dropped) {
            continue;
        }
        if (seat->known <= s->frame) {
            seat->is_dropped = ++seat->silent > SILENT_TICKS;
            return false;
        }
        input->present |= (uint8_t)(1u << i);
        input->players[i] = s->inputs[s->frame][i];
    }
    return true;
}

static void send_to(const server *s, seat *seat, uint32_t tick, wire *wire) {
    packet p = {0};
    if (seat->is_refused) {
        static const char why[] = "the client has another graph, or another script, than the server";
        put_32(&p, MESSAGE_REFUSED);
        put_script(&p, &seat->refused);
        put_64(&p, seat->refused_graph);
        put_bytes(&p, why, sizeof why);
        wire_send(wire, tick, &p);
        seat->is_refused = false; // once for each hello
        return;
    }
    if (seat->is_fetching) {
        const uint32_t pieces = (uint32_t)((seat->size + PIECE_BYTES - 1) / PIECE_BYTES);
        for (uint32_t i = seat->piece; i < pieces && i < seat->piece + PIECES_A_TICK; i++) {
            const size_t at = (size_t)i * PIECE_BYTES;
            p.size = 0;
            put_32(&p, MESSAGE_PIECE);
            put_32(&p, seat->snapshot_frame);
            put_32(&p, pieces);
            put_32(&p, i);
            put_bytes(&p, seat->snapshot + at, seat->size - at < PIECE_BYTES ? seat->size - at : PIECE_BYTES);
            wire_send(wire, tick, &p);
        }
    }
    if (seat->is_connected) {
        const uint32_t left = s->frame - seat->lacks, count = left < FRAMES_A_PACKET ? left : FRAMES_A_PACKET;
        p.size = 0;
        put_32(&p, MESSAGE_FRAMES);
        put_32(&p, seat->lacks);
        put_32(&p, count);
        for (uint32_t frame = seat->lacks; frame < seat->lacks + count; frame++) {
            put_bytes(&p, &s->log[frame], sizeof s->log[frame]);
            put_64(&p, s->hashes[frame]);
        }
        wire_send(wire, tick, &p);
    }
}

lmb_result server_tick(server *s, uint32_t tick, wire *const *wires, lmb_error *error) {
    frame_input input;
    for (uint32_t i = 0; i < FRAMES_A_TICK && s->frame < s->script.frame_count && decide(s, &input); i++) {
        lmb_result result = world_run(s->world, s->frame, &input, error);
        result = result == LMB_OK ? world_pack(s->world, s->frame + 1, error) : result;
        if (result != LMB_OK) {
            return result;
        }
        s->log[s->frame] = input;
        s->hashes[s->frame++] = world_hash(s->world);
    }
    for (uint32_t i = 0; i < s->script.player_count; i++) {
        send_to(s, &s->seats[i], tick, wires[i]);
    }
    return LMB_OK;
}

uint32_t server_frame(const server *s) {
    return s->frame;
}

bool server_is_done(const server *s) {
    bool done = s->frame == s->script.frame_count;
    for (uint32_t i = 0; i < s->script.player_count; i++) {
        const seat *seat = &s->seats[i];
        done = done && (!seat->is_connected || seat->is_dropped || seat->lacks == s->frame);
    }
    return done;
}

const frame_input *server_log(const server *s) {
    return s->log;
}

uint64_t server_hash(const server *s) {
    return game_hash(s->hashes, s->frame);
}

costs server_costs(const server *s) {
    return world_costs(s->world);
}
