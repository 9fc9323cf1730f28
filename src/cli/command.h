// The subcommands of `limber`, and what they share. Each takes the arguments after its name and returns the exit
// status: 0 for success, 1 for a failure, 2 for wrong usage.
#ifndef LIMBER_SRC_CLI_COMMAND_H
#define LIMBER_SRC_CLI_COMMAND_H

#include "command_line.h"

#include <limber/base.h>

int command_devices(int argc, char **argv);
int command_info(int argc, char **argv);
int command_sample(int argc, char **argv);
int command_eval(int argc, char **argv);
int command_graph(int argc, char **argv);
int command_play(int argc, char **argv);
int command_capture(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_profile(int argc, char **argv);

// Prints an error on stderr. `place` is a file or a command, or NULL if the message names the place itself, as those of
// an import do. Returns the exit status of failures, 1.
int command_failed(const char *place, const lmb_error *error);

// Options that several commands have.
#define OPTION_JSON(flag)                                                                                              \
    { "--json", OPTION_FLAG, flag, NULL, "print JSON" }
#define OPTION_DEVICE(name)                                                                                            \
    { "--device", OPTION_TEXT, name, "NAME|INDEX", "part of a device's name, or its index" }
#define OPTION_BACKEND(gpu)                                                                                            \
    { "--backend", OPTION_OTHER, &(option_other){command_read_backend, gpu}, "BACKEND", "reference (default) or gpu" }

// Reads the value of --backend. `target` is a bool: whether it is the GPU.
const char *command_read_backend(const char *text, void *target);
// Checks that a device is named only if it is used. Returns #COMMAND_LINE_GOOD, or the exit status of wrong usage.
int command_check_backend(const char *command, bool gpu, const char *device_name);

#endif
