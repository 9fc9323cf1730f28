// A whole game in one process, and logs. See run.h.
#include "run.h"

#include <stdlib.h>
#include <string.h>

enum { EARLY = 60 }; // frames before a player's turn in which its client connects

run_def default_run_def(void) {
    return (run_def){.script = {.seed = 1, .player_count = 4, .squad = 16, .frame_count = 600},
                     .wire = {.seed = 1, .loss = 5, .min_delay = 1, .max_delay = 3},
                     .damage = LMB_NONE};
}

typedef struct game {
    const lmb_graph *graph;
    const run_def *def;
    server *server;
    client *clients[MAX_PLAYERS]; // NULL: not connected
    wire *to_server[MAX_PLAYERS], *to_client[MAX_PLAYERS];
    run_result *result;
} game;

static void add_cost(cost *sum, cost added) {
    sum->seconds += added.seconds;
    sum->characters += added.characters;
}

static void disconnect(game *g, uint32_t player) {
    client *leaving = g->clients[player];
    if (leaving == NULL) {
        return;
    }
    const client_counts counts = client_counted(leaving);
    const costs costs = client_costs(leaving);
    client_counts *sum = &g->result->clients;
    sum->confirmed += counts.confirmed;
    sum->differences += counts.differences;
    sum->rollbacks += counts.rollbacks;
    sum->again += counts.again;
    sum->deepest = counts.deepest > sum->deepest ? counts.deepest : sum->deepest;
    sum->snapshots += counts.snapshots;
    add_cost(&g->result->client_costs.control, costs.control);
    add_cost(&g->result->client_costs.poses, costs.poses);
    add_cost(&g->result->client_costs.device, costs.device);
    add_cost(&g->result->client_costs.hash, costs.hash);
    add_cost(&g->result->client_costs.save, costs.save);
    add_cost(&g->result->client_costs.restore, costs.restore);
    if (g->result->report[0] == '\0') {
        snprintf(g->result->report, sizeof g->result->report, "%s", client_report(leaving));
    }
    client_destroy(leaving);
    g->clients[player] = NULL;
}

// Clients connect shortly before their players join, and disconnect when these have left.
static lmb_result connect_clients(game *g, lmb_error *error) {
    const uint32_t frame = server_frame(g->server);
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; result == LMB_OK && i < g->def->script.player_count; i++) {
        const bool is_here =
            script_is_present(&g->def->script, i, frame) || script_is_present(&g->def->script, i, frame + EARLY);
        if (!is_here) {
            disconnect(g, i);
        } else if (g->clients[i] == NULL) {
            result = client_create(g->graph, &g->def->script, i, &g->clients[i], error);
            if (result == LMB_OK && i == 0) {
                client_damage(g->clients[i], g->def->damage);
                client_use(g->clients[i], g->def->evaluator);
            }
        }
    }
    return result;
}

static lmb_result tick_client(game *g, uint32_t player, uint32_t tick, lmb_error *error) {
    client *client = g->clients[player];
    packet received;
    lmb_result result = LMB_OK;
    while (result == LMB_OK && wire_receive(g->to_client[player], tick, &received)) {
        result = client_receive(client, &received, error);
    }
    return result == LMB_OK ? client_tick(client, tick, g->to_server[player], error) : result;
}

static bool is_over(const game *g) {
    bool over = server_is_done(g->server);
    for (uint32_t i = 0; i < g->def->script.player_count; i++) {
        over = over && (g->clients[i] == NULL || client_is_done(g->clients[i]));
    }
    return over;
}

static lmb_result play(game *g, lmb_error *error) {
    lmb_result result = LMB_OK;
    packet received;
    for (uint32_t tick = 0; result == LMB_OK && !is_over(g); tick++) {
        g->result->ticks = tick + 1;
        result = connect_clients(g, error);
        for (uint32_t i = 0; i < g->def->script.player_count; i++) {
            while (wire_receive(g->to_server[i], tick, &received)) {
                server_receive(g->server, &received);
            }
        }
        if (result == LMB_OK) {
            result = server_tick(g->server, tick, g->to_client, error);
        }
        for (uint32_t i = 0; i < g->def->script.player_count; i++) {
            while (g->clients[i] == NULL && wire_receive(g->to_client[i], tick, &received)) {
                // nobody is there
            }
            if (result == LMB_OK && g->clients[i] != NULL) {
                result = tick_client(g, i, tick, error);
            }
        }
    }
    return result;
}

lmb_result run_game(const lmb_graph *graph, const run_def *def, run_result *result, frame_input *log,
                    lmb_error *error) {
    *result = (run_result){0};
    game g = {.graph = graph, .def = def, .result = result};
    lmb_result played = server_create(graph, &def->script, &g.server, error);
    for (uint32_t i = 0; played == LMB_OK && i < def->script.player_count; i++) {
        wire_def wire = def->wire;
        wire.seed += 2 * i;
        g.to_server[i] = wire_create(&wire);
        wire.seed++;
        g.to_client[i] = wire_create(&wire);
        played = g.to_server[i] == NULL || g.to_client[i] == NULL ? no_memory(error) : LMB_OK;
    }
    if (played == LMB_OK) {
        played = play(&g, error);
        result->frames = server_frame(g.server);
        result->hash = server_hash(g.server);
        result->server_costs = server_costs(g.server);
        if (log != NULL) {
            memcpy(log, server_log(g.server), def->script.frame_count * sizeof *log);
        }
    }
    for (uint32_t i = 0; i < MAX_PLAYERS; i++) {
        disconnect(&g, i);
        wire_destroy(g.to_server[i]);
        wire_destroy(g.to_client[i]);
    }
    server_destroy(g.server);
    return played;
}

// ---- Logs.

lmb_result run_log(const lmb_graph *graph, const script *script, const frame_input *log, uint64_t *hash,
                   lmb_error *error) {
    world *world = NULL;
    uint64_t *hashes = calloc(script->frame_count, sizeof *hashes);
    lmb_result result = hashes != NULL ? world_create(graph, script, 0, &world, error) : no_memory(error);
    for (uint32_t frame = 0; result == LMB_OK && frame < script->frame_count; frame++) {
        result = world_run(world, frame, &log[frame], error);
        hashes[frame] = result == LMB_OK ? world_hash(world) : 0;
    }
    if (result == LMB_OK) {
        *hash = game_hash(hashes, script->frame_count);
    }
    world_destroy(world);
    free(hashes);
    return result;
}

typedef struct log_header {
    char magic[8];
    script script;
    uint64_t fingerprint;
    uint64_t hash;
} log_header;

static const char magic[8] = "LOCKSTP1";

lmb_result log_write(const char *path, const lmb_graph *graph, const script *script, const frame_input *log,
                     uint64_t hash, lmb_error *error) {
    log_header header = {.script = *script, .fingerprint = lmb_graph_fingerprint(graph), .hash = hash};
    memcpy(header.magic, magic, sizeof magic);
    FILE *file = fopen(path, "wb");
    bool written = file != NULL && fwrite(&header, sizeof header, 1, file) == 1 &&
                   fwrite(log, sizeof *log, script->frame_count, file) == script->frame_count;
    written = file != NULL && fclose(file) == 0 && written;
    if (!written) {
        snprintf(error->message, sizeof error->message, "cannot write %.200s", path);
    }
    return written ? LMB_OK : LMB_ERROR_FILE;
}

lmb_result log_read(const char *path, const lmb_graph *graph, script *script, frame_input **log, uint64_t *hash,
                    lmb_error *error) {
    log_header header = {0};
    *log = NULL;
    FILE *file = fopen(path, "rb");
    bool read = file != NULL && fread(&header, sizeof header, 1, file) == 1 &&
                memcmp(header.magic, magic, sizeof magic) == 0 && header.script.frame_count > 0 &&
                header.script.player_count > 0 && header.script.player_count <= MAX_PLAYERS && header.script.squad > 0;
    if (read && header.fingerprint != lmb_graph_fingerprint(graph)) {
        fclose(file);
        snprintf(error->message, sizeof error->message, "%.200s is the log of another graph", path);
        return LMB_ERROR_FORMAT;
    }
    *log = read ? calloc(header.script.frame_count, sizeof **log) : NULL;
    read = *log != NULL && fread(*log, sizeof **log, header.script.frame_count, file) == header.script.frame_count;
    if (file != NULL) {
        fclose(file);
    }
    if (!read) {
        free(*log);
        *log = NULL;
        snprintf(error->message, sizeof error->message, "%.200s is no log, or ends too early", path);
        return LMB_ERROR_FORMAT;
    }
    *script = header.script;
    *hash = header.hash;
    return LMB_OK;
}
