// limber-bench: measures the time of a character on every path of the CPU and on the Vulkan devices, in one run.
#include "measurement.h"
#include "memory.h"
#include "options.h"
#include "report.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>

// The devices, the limits of devices and CPU paths, and the cost of a character at the last size.
typedef struct machine {
    device devices[DEVICE_MAX];
    uint32_t device_count;
    limits cpu_limits[LMB_CPU_PATH_COUNT];
    limits device_limits[DEVICE_MAX];
    double cpu_cost[LMB_CPU_PATH_COUNT];
    double device_cost[DEVICE_MAX];
    trace trace; // not open if no trace is requested
} machine;

// The backends for one size, and pointers to their costs. A backend follows its base, whose pointer is NULL.
typedef struct lineup {
    backend backends[MEASUREMENT_MOST_BACKENDS];
    double *costs[MEASUREMENT_MOST_BACKENDS];
    uint32_t count;
    workload_outputs outputs;
} lineup;

// A workload, and the one that it is compared with, or NULL.
typedef struct workloads {
    const workload *whole;
    const workload *base;
} workloads;

static int fail(const char *where, const lmb_error *error) {
    terminal_error("limber-bench: %s: %s\n", where, error->message);
    return 1;
}

static bool is_measured(lmb_cpu_path path) {
    return path != LMB_CPU_FAST && lmb_cpu_has(path); // the fast path is one of the other paths
}

// Allows at most three quarters of the available memory, so that the rest of the machine is not affected.
static bool fits(double bytes, double available, char *why, size_t size) {
    snprintf(why, size, "it takes %.1f GB of memory, and %.1f GB are free", bytes * 1e-9, available * 1e-9);
    return bytes <= 0.75 * available;
}

static bool is_quick(double cost, uint32_t characters, const options *options, char *why, size_t size) {
    snprintf(why, size, "a frame would take %.0f seconds", cost * 1e-6 * characters);
    return cost * 1e-6 * characters <= options->longest_frame;
}

// Process numbers in the trace: a CPU path by its index, devices after all of them.
static lmb_result trace_backend(machine *machine, uint32_t process, backend *backend, lmb_error *error) {
    if (machine->trace.json.stream == NULL) {
        return LMB_OK;
    }
    backend->trace = &machine->trace;
    backend->process = process + 1;
    trace_name_process(&machine->trace, backend->process, backend->name);
    trace_name_tracks(&machine->trace, backend->process, 1, "runs", "stages");
    return backend->profile(backend, error);
}

// Returns the next backend, with room for the costs of its workload. Backends of a base have none.
static backend *add_backend(lineup *lineup, double *costs) {
    lineup->costs[lineup->count] = costs;
    return &lineup->backends[lineup->count++];
}

// Compares the newest backend with the one before it.
static void set_base(lineup *lineup, const workloads *workloads) {
    if (workloads->base != NULL) {
        lineup->backends[lineup->count - 1].base = lineup->count - 2;
    }
}

static int open_path(machine *machine, lmb_cpu_path path, const workload *workload, uint32_t characters, double *costs,
                     lineup *lineup) {
    lmb_error error;
    backend *backend = add_backend(lineup, costs);
    if (backend_open_cpu(workload, characters, path, &lineup->outputs, backend, &error) != LMB_OK ||
        trace_backend(machine, (uint32_t)path, backend, &error) != LMB_OK) {
        return fail(backend->name, &error);
    }
    backend->limits = machine->cpu_limits[path];
    return 0;
}

static int open_cpu(machine *machine, const options *options, const scene *scene, const workloads *workloads,
                    uint32_t characters, lineup *lineup) {
    double bytes = backend_cpu_bytes(workloads->whole, characters);
    char why[128];
    if (!fits(bytes, memory_of_machine(), why, sizeof why)) {
        report_skipped(scene, characters, "CPU", why);
        return 0;
    }
    lmb_error error;
    if (workload_outputs_create(workloads->whole, characters, &lineup->outputs, &error) != LMB_OK) {
        return fail("outputs", &error);
    }
    int status = 0;
    for (int i = 0; i < LMB_CPU_PATH_COUNT && status == 0; i++) {
        if (!is_measured((lmb_cpu_path)i)) {
            continue;
        }
        if (!is_quick(machine->cpu_cost[i], characters, options, why, sizeof why)) {
            report_skipped(scene, characters, lmb_cpu_path_name((lmb_cpu_path)i), why);
            continue;
        }
        if (workloads->base != NULL) {
            status = open_path(machine, (lmb_cpu_path)i, workloads->base, characters, NULL, lineup);
        }
        if (status == 0) {
            double *costs = &machine->cpu_cost[i];
            status = open_path(machine, (lmb_cpu_path)i, workloads->whole, characters, costs, lineup);
            set_base(lineup, workloads);
        }
    }
    return status;
}

static int open_device(machine *machine, uint32_t index, const workload *workload, uint32_t characters, double *costs,
                       lineup *lineup) {
    lmb_error error;
    device *device = &machine->devices[index];
    backend *backend = add_backend(lineup, costs);
    if (backend_open_gpu(workload, characters, device, backend, &error) != LMB_OK ||
        trace_backend(machine, LMB_CPU_PATH_COUNT + index, backend, &error) != LMB_OK) {
        return fail(device->properties.deviceName, &error);
    }
    backend->limits = machine->device_limits[index];
    return 0;
}

static int open_devices(machine *machine, const options *options, const scene *scene, const workloads *workloads,
                        uint32_t characters, lineup *lineup) {
    int status = 0;
    for (uint32_t i = 0; i < machine->device_count && status == 0; i++) {
        device *device = &machine->devices[i];
        double bytes = backend_gpu_bytes(workloads->whole, characters);
        bytes += workloads->base != NULL ? backend_gpu_bytes(workloads->base, characters) : 0.0;
        char why[128];
        if (!is_quick(machine->device_cost[i], characters, options, why, sizeof why) ||
            !fits(bytes, memory_of_device(device), why, sizeof why)) {
            report_skipped(scene, characters, device->properties.deviceName, why);
            continue;
        }
        if (workloads->base != NULL) {
            status = open_device(machine, i, workloads->base, characters, NULL, lineup);
        }
        if (status == 0) {
            status = open_device(machine, i, workloads->whole, characters, &machine->device_cost[i], lineup);
            set_base(lineup, workloads);
        }
    }
    return status;
}

static void close_lineup(lineup *lineup) {
    for (uint32_t i = 0; i < lineup->count; i++) {
        lineup->backends[i].close(&lineup->backends[i]);
    }
    workload_outputs_destroy(&lineup->outputs);
}

static int run_size(machine *machine, const options *options, const scene *scene, const workloads *workloads,
                    uint32_t characters, report *report) {
    static lineup lineup;
    lineup = (struct lineup){0};
    measurement measured[MEASUREMENT_MOST_BACKENDS];
    int status = open_cpu(machine, options, scene, workloads, characters, &lineup);
    if (status == 0) {
        status = open_devices(machine, options, scene, workloads, characters, &lineup);
    }
    if (status == 0) {
        lmb_error error;
        uint32_t failed;
        if (measurement_take(lineup.backends, lineup.count, options->seconds, measured, &failed, &error) != LMB_OK) {
            status = fail(lineup.backends[failed].name, &error);
        }
    }
    for (uint32_t i = 0; i < lineup.count && status == 0; i++) {
        if (lineup.costs[i] != NULL) {
            report_result(report, scene, &lineup.backends[i], &measured[i]);
            *lineup.costs[i] = measured[i].median;
        }
    }
    close_lineup(&lineup);
    return status;
}

static void forget_costs(machine *machine) {
    for (int i = 0; i < LMB_CPU_PATH_COUNT; i++) {
        machine->cpu_cost[i] = 0.0;
    }
    for (int i = 0; i < DEVICE_MAX; i++) {
        machine->device_cost[i] = 0.0;
    }
}

static int run_scene(machine *machine, const options *options, const scene *scene, report *report) {
    actor actor;
    workload workload = {0}, base = {0};
    lmb_error error;
    int status = 0;
    lmb_result result = actor_create(scene->clips, scene->joints, scene->compressed, &actor, &error);
    if (result == LMB_ERROR_FILE || result == LMB_ERROR_UNSUPPORTED) {
        report_skipped(scene, scene->characters.values[0], "every backend", error.message);
        actor_destroy(&actor);
        return 0;
    }
    if (result == LMB_OK) {
        result = workload_create(scene->workload, &actor, &workload, &error);
    }
    const workload_kind base_kind = workload_kind_base(scene->workload);
    if (result == LMB_OK && base_kind != scene->workload) {
        result = workload_create(base_kind, &actor, &base, &error);
    }
    if (result != LMB_OK) {
        status = fail(actor_kind_name(scene->clips), &error);
    } else {
        report_scene(report, scene);
        forget_costs(machine);
    }
    for (uint32_t i = 0; i < scene->characters.count && status == 0; i++) {
        const workloads workloads = {&workload, base.graph != NULL ? &base : NULL};
        status = run_size(machine, options, scene, &workloads, scene->characters.values[i], report);
    }
    workload_destroy(&workload);
    workload_destroy(&base);
    actor_destroy(&actor);
    return status;
}

// Opens every usable physical device, or the one that was named.
static bool find_devices(machine *machine, const options *options) {
    device_request request = {.name = options->device};
    lmb_error error;
    if (options->device != NULL) {
        machine->device_count = device_open(&request, &machine->devices[0], &error) == LMB_OK ? 1 : 0;
        return machine->device_count == 1;
    }
    for (int i = 0; i < DEVICE_MAX && !options->no_devices; i++) {
        char index[12];
        snprintf(index, sizeof index, "%d", i);
        request.name = index;
        if (device_open(&request, &machine->devices[machine->device_count], &error) == LMB_OK) {
            machine->device_count++;
        }
    }
    return true;
}

static int measure_limits(machine *machine, double seconds, report *report) {
    for (int i = 0; i < LMB_CPU_PATH_COUNT; i++) {
        if (is_measured((lmb_cpu_path)i)) {
            machine->cpu_limits[i] = limits_of_cpu((lmb_cpu_path)i, seconds);
        }
    }
    for (uint32_t i = 0; i < machine->device_count; i++) {
        lmb_error error;
        if (limits_of_device(&machine->devices[i], seconds, &machine->device_limits[i], &error) != LMB_OK) {
            return fail(machine->devices[i].properties.deviceName, &error);
        }
    }
    report_begin(report);
    for (int i = 0; i < LMB_CPU_PATH_COUNT; i++) {
        if (is_measured((lmb_cpu_path)i)) {
            report_limits(report, lmb_cpu_path_name((lmb_cpu_path)i), &machine->cpu_limits[i]);
        }
    }
    for (uint32_t i = 0; i < machine->device_count; i++) {
        report_limits(report, machine->devices[i].properties.deviceName, &machine->device_limits[i]);
    }
    return 0;
}

int main(int argument_count, char **arguments) {
    static options options;
    static machine machine;
    int status = options_read(argument_count, arguments, &options);
    if (status != COMMAND_LINE_GOOD) {
        return status;
    }
    if (!find_devices(&machine, &options)) {
        terminal_error("limber-bench: no device '%s' can be opened\n", options.device);
        return 1;
    }
    lmb_error error;
    if (options.trace != NULL && trace_open(options.trace, &machine.trace, &error) != LMB_OK) {
        return fail("trace", &error);
    }
    report report = {.json = options.json};
    status = measure_limits(&machine, options.seconds, &report);
    for (uint32_t i = 0; i < options.scene_count && status == 0; i++) {
        status = run_scene(&machine, &options, &options.scenes[i], &report);
    }
    if (status == 0) {
        report_end(&report);
    }
    for (uint32_t i = 0; i < machine.device_count; i++) {
        device_close(&machine.devices[i]);
    }
    if (trace_close(&machine.trace, &error) != LMB_OK) {
        status = fail("trace", &error);
    }
    return status;
}
