// One side of a game in this process, and the others in processes of their own, which it reaches by UDP.
#ifndef LOCKSTEP_PROCESSES_H
#define LOCKSTEP_PROCESSES_H

#include "run.h"

typedef struct process_def {
    run_def run;
    uint32_t tick; // milliseconds
    uint16_t port; // of the server; for a server 0: any
} process_def;

// Prints the port, runs a server until all clients have all frames, and stores frames and hash.
lmb_result run_server(const lmb_graph *graph, const process_def *def, run_result *result, lmb_error *error);
// Runs a client until it has confirmed all frames, and stores counts and costs.
lmb_result run_client(const lmb_graph *graph, const process_def *def, uint32_t player, run_result *result,
                      lmb_error *error);

#endif
