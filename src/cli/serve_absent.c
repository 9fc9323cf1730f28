// `limber serve` in a build without a server.
#include "command.h"
#include "terminal.h"

int command_serve(int argc, char **argv) {
    (void)argc;
    (void)argv;
    terminal_error("limber: serve: a graph is served by a build with LIMBER_SERVE alone, which needs libmicrohttpd\n");
    return 1;
}
