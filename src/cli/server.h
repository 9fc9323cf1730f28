// A server for the editor of graphs in a browser: the files of its site, a graph and a character, on the loopback
// alone. docs/command.md describes the interface.
#ifndef LIMBER_SRC_CLI_SERVER_H
#define LIMBER_SRC_CLI_SERVER_H

#include <limber/base.h>

// What is served. All of it must outlive the server.
typedef struct server_def {
    uint16_t port;         // 0: any that is free
    const char *site;      // folder
    const char *graph;     // file, which is read and replaced
    const void *character; // bytes of a pack
    size_t character_size;
    const char *info; // JSON
    size_t info_size;
} server_def;

typedef struct server server;

// Starts a thread that answers requests. Create it with the signals blocked that end the program. On failure nothing is
// left allocated.
lmb_result server_start(const server_def *def, server **server, lmb_error *error);
// Returns the address of the site, with '/' at its end.
const char *server_address(const server *server);
// Accepts NULL.
void server_stop(server *server);

#endif
