// The command `limber`.
#include "command.h"
#include "reader.h"
#include "terminal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} command;

static const command commands[] = {
    {"devices", command_devices, "list the Vulkan devices, and which of them give the same bits"},
    {"info", command_info, "show what a file holds"},
    {"sample", command_sample, "print the poses of a clip at given times"},
    {"eval", command_eval, "print the poses of a graph written as JSON"},
    {"graph", command_graph, "print the state machines of a graph, or draw them for Graphviz"},
    {"play", command_play, "run a graph that moves by itself, frame by frame, driven by a script"},
    {"pack", command_pack, "write a character and its graphs into one file, which the core library alone reads"},
    {"serve", command_serve, "serve the editor of graphs to a browser, for a graph and a character of this machine"},
    {"motion-graph", command_motion_graph, "find a machine in the clips of a character, and write it as JSON"},
    {"motion-match", command_motion_match, "write a graph that matches motion of the clips of a character"},
    {"capture", command_capture, "write a frame of a crowd into a file, with all that it takes to run it again"},
    {"replay", command_replay, "run a captured frame again, and name the first operation that differs"},
    {"compare", command_compare, "run a crowd on a device and on the reference, and compare every bit"},
    {"profile", command_profile, "measure a crowd, stage by stage, and what the nodes of its graph cost"},
};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static void print_help(FILE *stream) {
    terminal_print_lines(stream, "usage: limber COMMAND [ARGUMENTS]\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        char line[200];
        snprintf(line, sizeof line, "  %-12s %s\n", commands[i].name, commands[i].summary);
        terminal_print_lines(stream, line);
    }
    terminal_print_lines(
        stream, "\n'limber COMMAND --help' explains one. 'limber --version' prints the version.\n"
                "Exit status: 0, 1 for a failure or a difference, 2 for wrong usage.\n"
                "With LIMBER_VALIDATE=1 in the environment, devices are used under the Vulkan validation layer,\n"
                "and a message of its is a failure.\n");
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0) {
        print_help(stdout);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        const unsigned version = lmb_version();
        terminal_print("limber %u.%u.%u\n", version / 1000000u, version / 1000u % 1000u, version % 1000u);
        return 0;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 2, argv + 2);
        }
    }
    terminal_error("limber: unknown command '%s'\nTry 'limber --help'.\n", argv[1]);
    return 2;
}

int main(int argc, char **argv) {
    reader_serve(argc, argv);
    int status = run(argc, argv);
    // A full disk or a closed pipe is detected here, and must not count as success.
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == 0) {
        terminal_error("limber: standard output: %s\n", strerror(errno));
        return 1;
    }
    return status;
}
