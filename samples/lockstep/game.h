// The game: what every side runs. A world has the characters of the players that are present, and one function that
// advances them by a frame. Everything that decides a bit of it is in `frame_input`, in the state that a snapshot has,
// or in the graph.
#ifndef LOCKSTEP_GAME_H
#define LOCKSTEP_GAME_H

#include <limber/cpu.h>
#include <limber/snapshot.h>
#include <stdio.h>

enum {
    MAX_PLAYERS = 8,
    FRAME_RATE = 60,
};

enum { BUTTON_JUMP = 1, BUTTON_WAVE = 2, BUTTON_HIT = 4, BUTTON_STOP = 8, BUTTON_REACH = 16 };

// What one player does in a frame. Bytes alone, so that they are sent, stored and compared as they are.
typedef struct player_input {
    uint8_t speed;   // 0 to 255: 0 to 3 m/s
    uint8_t heading; // in 256ths of a turn
    uint8_t aside;   // 0 to 255: 0 to 1 m/s
    uint8_t buttons; // BUTTON_...
} player_input;

// What everyone does in a frame, as the server decided. The list of these is the log of a game.
typedef struct frame_input {
    uint8_t present; // bit p: player p is in the game
    player_input players[MAX_PLAYERS];
} frame_input;

// The script of a game. It stands for people who play, and for a lobby that lets them in.
typedef struct script {
    uint32_t seed;
    uint32_t player_count;
    uint32_t squad; // characters of each player
    uint32_t frame_count;
} script;

player_input script_input(const script *script, uint32_t player, uint32_t frame);
// Whether a player is in the game. Player 1 joins after a fifth of it; player 2 leaves after two fifths, and comes back
// after three.
bool script_is_present(const script *script, uint32_t player, uint32_t frame);

// Processor time and how often, of one part of the work.
typedef struct cost {
    double seconds;
    uint64_t characters;
} cost;

typedef struct costs {
    cost control, poses, device, hash, save, restore, pack, unpack;
    uint64_t bytes, packed_bytes; // of what was packed against the frame before
} costs;

// Writes a message, and returns LMB_ERROR_MEMORY.
lmb_result no_memory(lmb_error *error);

typedef struct world world;

// Creates a world without characters. It orders its rows as it likes, here from the player `own` on: what a character
// does, does not depend on its row. The graph must outlive it.
lmb_result world_create(const lmb_graph *graph, const script *script, uint32_t own, world **result, lmb_error *error);
void world_destroy(world *world);

// What runs a frame in place of lmb_cpu_run(): a device. All memory is that of the world.
typedef lmb_result run_batch(void *context, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                             lmb_error *error);
typedef struct evaluator {
    run_batch *run; // NULL: the CPU
    void *context;
} evaluator;
void world_use(world *world, evaluator evaluator);

// Runs a frame. Characters of players that are present now, and were not, join; those of players that left are gone.
lmb_result world_run(world *world, uint32_t frame, const frame_input *input, lmb_error *error);
// Returns the hash of everything that the last frame gave: states, words of inertialization, targets reached, palettes
// and emitted events of all characters, in the order of characters.
uint64_t world_hash(world *world);

// Returns one hash of those of all frames, in their order.
uint64_t game_hash(const uint64_t *hashes, uint32_t count);

// Returns the number of bytes that a snapshot of all characters needs, with everyone present.
size_t world_room(const world *world);
// Writes the state before `frame` into `bytes`, aligned to 4, with room for world_room(), and stores the size.
lmb_result world_save(world *world, uint32_t frame, void *bytes, size_t *size, lmb_error *error);
// Packs the state before `frame` against the one that it packed last, as for clients that only look on, and unpacks it
// again. Fails if it comes back with another bit.
lmb_result world_pack(world *world, uint32_t frame, lmb_error *error);
// Goes back to a snapshot, and stores the frame that follows it. If `is_foreign`, it comes from someone else: it must
// be sealed, and everything in it is checked first.
lmb_result world_restore(world *world, const void *bytes, size_t size, bool is_foreign, uint32_t *frame,
                         lmb_error *error);
// Describes the first difference of two snapshots of one frame. Returns false if there is none.
bool world_difference(const world *world, const void *a, size_t a_size, const void *b, size_t b_size, char *text,
                      size_t text_size);
// Changes a bit of the state of the last character, for tests.
void world_damage(world *world);
costs world_costs(const world *world);
uint32_t world_character_count(const world *world); // of those who are present

#endif
