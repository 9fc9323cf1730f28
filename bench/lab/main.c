// limber-lab: what bounds a GPU, and what a frame takes there: costs of its parts by small kernels, then frames of
// workloads. One table, of which each row is printed as soon as it is known.
#include "clock.h"
#include "command_line.h"
#include "frames.h"
#include "small.h"
#include "terminal.h"

// The same program with another pose kernel: plain/number.h.
#ifdef LIMBER_LAB_PLAIN
#define PROGRAM "limber-lab-plain"
#define ABOUT "This program has the pose kernel without the promise, and no small kernels."
#else
#define PROGRAM "limber-lab"
#define ABOUT "limber-lab-plain runs the same frames by a pose kernel without the promise."
#endif

typedef struct arguments {
    const char *device;
    bool is_short;
    bool skips_small;
} arguments;

static int read_arguments(int count, char **texts, arguments *arguments) {
    const option table[] = {{"--device", OPTION_TEXT, &arguments->device, "NAME|INDEX",
                             "part of a device's name, or its index (the best device)"},
                            {"--short", OPTION_FLAG, &arguments->is_short, NULL,
                             "small crowds and few turns: figures are rough, and a processor takes seconds"},
                            {"--frames", OPTION_FLAG, &arguments->skips_small, NULL, "no small kernels"},
                            {0}};
    const usage usage = {
        .command = PROGRAM,
        .synopsis = "[options]",
        .text =
            "Measures one Vulkan device: dispatches, barriers, transfers, latencies and resident workgroups, then\n"
            "frames of workloads. Of a GPU, samples at a lower clock than the highest are dropped. A row of frames\n"
            "ends with `same` if palettes of some characters have the bits of the CPU's reference.\n" ABOUT "\n",
        .options = table};
    return command_line_read(&usage, count - 1, texts + 1, NULL);
}

int main(int count, char **texts) {
    arguments arguments = {0};
    const int status = read_arguments(count, texts, &arguments);
    if (status != COMMAND_LINE_GOOD) {
        return status;
    }
    const double begin = clock_seconds();
    lab lab = {.is_short = arguments.is_short, .seconds = arguments.is_short ? 0.001 : 0.3};
    lab_open(arguments.device, &lab);
    terminal_print(PROGRAM ", %s\n", lab.device.properties.deviceName);
#ifndef LIMBER_LAB_PLAIN
    if (!arguments.skips_small) {
        small_run(&lab);
    }
#endif
    frames_run(&lab);
    lab_close(&lab);
    terminal_print("%.0f s\n", clock_seconds() - begin);
    return 0;
}
