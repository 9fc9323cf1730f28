// The two sides of a game: a server, which decides what everyone does in a frame and runs it, and clients, which run
// ahead with guesses and go back when they were wrong. Both send packets through wires, and know no sockets.
//
//   client -> server   HELLO   player, script, fingerprint, first piece of a snapshot that it lacks
//                      INPUT   player, first frame that it lacks, first frame of what follows, count, player_input...
//   server -> client   REFUSED script and fingerprint that were refused, why, as text
//                      PIECE   frame, number of pieces, number of this one, bytes of a sealed snapshot
//                      FRAMES  first frame, count, for each frame frame_input and its hash
//
// Nothing is acknowledged by itself: each side sends what the other one lacks until it has it.
#ifndef LOCKSTEP_SESSION_H
#define LOCKSTEP_SESSION_H

#include "game.h"
#include "wire.h"

enum {
    ROLLBACK = 8,          // frames that a client may be ahead of what the server has decided
    PIECE_BYTES = 1024,    // of a snapshot, in one packet
    PIECES_A_TICK = 16,    // that a server sends to a client
    FRAMES_A_PACKET = 24,  // that a server sends to a client
    FRAMES_A_TICK = 4,     // that a side runs at most, if it is behind
    SILENT_TICKS = 60 * 60 // after which a player is taken out of the game
};

enum { MESSAGE_HELLO = 1, MESSAGE_INPUT, MESSAGE_REFUSED, MESSAGE_PIECE, MESSAGE_FRAMES };

void put_script(packet *packet, const script *script);
script get_script(reader *reader);

typedef struct server server;

lmb_result server_create(const lmb_graph *graph, const script *script, server **result, lmb_error *error);
void server_destroy(server *server);
// Returns the player from whom a packet is, or LMB_NONE if it is none of the game.
uint32_t server_receive(server *server, const packet *received);
// Runs the frames for which all input is there, and sends to each player, by wires[player].
lmb_result server_tick(server *server, uint32_t tick, wire *const *wires, lmb_error *error);
uint32_t server_frame(const server *server); // the next one
bool server_is_done(const server *server);   // also: all players have all frames
const frame_input *server_log(const server *server);
uint64_t server_hash(const server *server); // of the hashes of all frames so far
costs server_costs(const server *server);

typedef struct client_counts {
    uint32_t confirmed;   // frames that were compared with the server's
    uint32_t differences; // of these
    uint32_t rollbacks;
    uint32_t again;     // frames that ran again
    uint32_t deepest;   // rollback, in frames
    uint32_t snapshots; // that it took from the server
} client_counts;

typedef struct client client;

lmb_result client_create(const lmb_graph *graph, const script *script, uint32_t player, client **result,
                         lmb_error *error);
void client_use(client *client, evaluator evaluator);
void client_destroy(client *client);
// Fails if the server refuses this client, or sends something that it must not.
lmb_result client_receive(client *client, const packet *received, lmb_error *error);
// Runs the next frame, and those before it that had wrong input again. Compares, and sends.
lmb_result client_tick(client *client, uint32_t tick, wire *to_server, lmb_error *error);
uint32_t client_frame(const client *client);
bool client_is_done(const client *client); // all frames are confirmed
client_counts client_counted(const client *client);
costs client_costs(const client *client);
const char *client_report(const client *client); // where the first difference was, or ""
// For tests: changes a bit of its world whenever this frame runs.
void client_damage(client *client, uint32_t frame);

#endif
