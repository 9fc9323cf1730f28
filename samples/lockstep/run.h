// A whole game in one process: a server, its clients, and the wires between them; and a log of it, which can be written
// to a file and run again.
#ifndef LOCKSTEP_RUN_H
#define LOCKSTEP_RUN_H

#include "session.h"

typedef struct run_def {
    script script;
    wire_def wire;       // of all wires, each with a seed of its own
    uint32_t damage;     // the frame in which the first client goes wrong, or LMB_NONE
    evaluator evaluator; // of the first client
} run_def;

// 64 characters of 4 players, 600 frames, 5 of 100 packets lost, delays of 1 to 3 ticks.
run_def default_run_def(void);

typedef struct run_result {
    uint32_t frames;
    uint32_t ticks;
    uint64_t hash; // of all frames
    client_counts clients;
    costs server_costs, client_costs;
    char report[300]; // where the first difference was, or ""
} run_result;

// `log` is frame_input [frame_count], or NULL.
lmb_result run_game(const lmb_graph *graph, const run_def *def, run_result *result, frame_input *log, lmb_error *error);
// Runs a log, without a network. The hash is that of the game.
lmb_result run_log(const lmb_graph *graph, const script *script, const frame_input *log, uint64_t *hash,
                   lmb_error *error);

// A log in a file: the script, the graph's fingerprint, the hash, and the input of each frame.
lmb_result log_write(const char *path, const lmb_graph *graph, const script *script, const frame_input *log,
                     uint64_t hash, lmb_error *error);
// Refuses the log of another graph. The caller frees `log`.
lmb_result log_read(const char *path, const lmb_graph *graph, script *script, frame_input **log, uint64_t *hash,
                    lmb_error *error);

#endif
