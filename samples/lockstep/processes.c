// A server or a client in a process of its own. Packets still go through wires first, which lose and delay them; the
// loopback of one machine does neither. Whoever says that it is a player is believed: a game would have keys for that.
// See processes.h.
#include "processes.h"
#include "udp.h"

enum { QUIET_TICKS = 200 }; // after the last packet, when a side has nothing more to do

static lmb_result no_socket(uint16_t port, lmb_error *error) {
    snprintf(error->message, sizeof error->message, "no socket at port %u", port);
    return LMB_ERROR_FILE;
}

static wire *create_wire(const run_def *def, uint32_t number) {
    wire_def wire = def->wire;
    wire.seed += number;
    return wire_create(&wire);
}

static void send_due(wire *from, uint32_t tick, udp *udp, uint16_t port) {
    packet due;
    while (wire_receive(from, tick, &due)) {
        if (port != 0) {
            udp_send(udp, port, &due);
        }
    }
}

lmb_result run_server(const lmb_graph *graph, const process_def *def, run_result *result, lmb_error *error) {
    const uint32_t players = def->run.script.player_count;
    uint16_t port = def->port, ports[MAX_PLAYERS] = {0}, from; // a client is where its last packet came from
    wire *wires[MAX_PLAYERS] = {0};
    server *server = NULL;
    packet received;
    *result = (run_result){0};
    udp *udp = udp_open(&port);
    lmb_result ran = udp != NULL ? server_create(graph, &def->run.script, &server, error) : no_socket(port, error);
    for (uint32_t i = 0; ran == LMB_OK && i < players; i++) {
        wires[i] = create_wire(&def->run, 2 * i + 1);
        ran = wires[i] == NULL ? no_memory(error) : LMB_OK;
    }
    printf("port %u\n", port);
    fflush(stdout);
    uint32_t quiet = 0;
    for (uint32_t tick = 0; ran == LMB_OK && (!server_is_done(server) || quiet < QUIET_TICKS); tick++) {
        quiet = server_frame(server) == def->run.script.frame_count ? quiet + 1 : 0;
        while (udp_receive(udp, &received, &from)) {
            const uint32_t player = server_receive(server, &received);
            if (player != LMB_NONE) {
                ports[player] = from;
                quiet = 0;
            }
        }
        ran = server_tick(server, tick, wires, error);
        for (uint32_t i = 0; i < players; i++) {
            send_due(wires[i], tick, udp, ports[i]);
        }
        udp_sleep(def->tick);
        result->ticks = tick + 1;
    }
    if (ran == LMB_OK) {
        result->frames = server_frame(server);
        result->hash = server_hash(server);
        result->server_costs = server_costs(server);
    }
    for (uint32_t i = 0; i < players; i++) {
        wire_destroy(wires[i]);
    }
    server_destroy(server);
    udp_close(udp);
    return ran;
}

lmb_result run_client(const lmb_graph *graph, const process_def *def, uint32_t player, run_result *result,
                      lmb_error *error) {
    uint16_t port = 0, from;
    client *client = NULL;
    packet received;
    *result = (run_result){0};
    udp *udp = udp_open(&port);
    wire *to_server = create_wire(&def->run, 2 * player);
    lmb_result ran = udp == NULL         ? no_socket(port, error)
                     : to_server == NULL ? no_memory(error)
                                         : client_create(graph, &def->run.script, player, &client, error);
    if (ran == LMB_OK) {
        client_damage(client, def->run.damage);
        client_use(client, def->run.evaluator);
    }
    // When it is done, it goes on for a while, so that the server learns it.
    uint32_t quiet = 0, done = 0;
    for (uint32_t tick = 0; ran == LMB_OK && done < QUIET_TICKS / 10; tick++) {
        while (ran == LMB_OK && udp_receive(udp, &received, &from)) {
            if (from == def->port) {
                quiet = 0;
                ran = client_receive(client, &received, error);
            }
        }
        if (ran == LMB_OK && ++quiet > SILENT_TICKS) {
            snprintf(error->message, sizeof error->message, "the server at port %u is silent", def->port);
            ran = LMB_ERROR_FILE;
        }
        if (ran == LMB_OK) {
            ran = client_tick(client, tick, to_server, error);
        }
        send_due(to_server, tick, udp, def->port);
        done += client_is_done(client);
        udp_sleep(def->tick);
        result->ticks = tick + 1;
    }
    if (ran == LMB_OK) {
        result->frames = client_frame(client);
        result->clients = client_counted(client);
        result->client_costs = client_costs(client);
        snprintf(result->report, sizeof result->report, "%s", client_report(client));
    }
    client_destroy(client);
    wire_destroy(to_server);
    udp_close(udp);
    return ran;
}
