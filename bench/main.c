// limber-bench: what a character costs, on every path of the CPU and on the Vulkan devices, in one run.
#include "backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIZES = 16, MOST_BACKENDS = DEVICE_MAX + LMB_CPU_PATH_COUNT, MOST_SAMPLES = 101 };

typedef struct options {
    uint32_t sizes[MOST_SIZES];
    uint32_t size_count;
    uint32_t joints;
    double seconds; // to spend on each backend and size
    const char *device;
    bool json;
} options;

typedef struct measurement {
    double median, low, high; // microseconds a character: median, and the quartiles about it
    double floor;             // microseconds a character that copying its palette takes
} measurement;

static void usage(FILE *to) {
    fprintf(to,
            "usage: limber-bench [--characters N[,N...]] [--joints N] [--seconds S] [--device NAME|INDEX] [--json]\n"
            "\n"
            "Runs the workload of bench/workload.h on every path of the CPU and on every Vulkan device (or the one "
            "named),\n"
            "interleaved, and prints the median of microseconds a character, the quartiles, and the share of the\n"
            "floor: the time in which the palettes' bytes could be copied, measured in the same run.\n"
            "  --characters  crowd sizes; default 1,16,1000,10000\n"
            "  --joints      joints of the rig; default 67\n"
            "  --seconds     to spend on each backend and size; default 1\n");
}

static bool parse_sizes(const char *text, options *options) {
    options->size_count = 0;
    for (const char *at = text; *at != '\0';) {
        char *end;
        unsigned long size = strtoul(at, &end, 10);
        if (end == at || size == 0 || size > 10000000 || options->size_count == MOST_SIZES ||
            (*end != ',' && *end != '\0')) {
            return false;
        }
        options->sizes[options->size_count++] = (uint32_t)size;
        at = *end == ',' ? end + 1 : end;
    }
    return options->size_count > 0;
}

static bool parse(int count, char **arguments, options *options) {
    *options = (struct options){.sizes = {1, 16, 1000, 10000}, .size_count = 4, .joints = 67, .seconds = 1.0};
    for (int i = 1; i < count; i++) {
        const char *value = i + 1 < count ? arguments[i + 1] : NULL;
        char *end = NULL;
        if (strcmp(arguments[i], "--json") == 0) {
            options->json = true;
            continue;
        }
        if (value == NULL) {
            return false;
        }
        if (strcmp(arguments[i], "--characters") == 0) {
            if (!parse_sizes(value, options)) {
                return false;
            }
        } else if (strcmp(arguments[i], "--joints") == 0) {
            options->joints = (uint32_t)strtoul(value, &end, 10);
            if (*end != '\0' || options->joints < 1 || options->joints > LMB_MAX_JOINTS) {
                return false;
            }
        } else if (strcmp(arguments[i], "--seconds") == 0) {
            options->seconds = strtod(value, &end);
            if (*end != '\0' || !(options->seconds > 0.0)) {
                return false;
            }
        } else if (strcmp(arguments[i], "--device") == 0) {
            options->device = value;
        } else {
            return false;
        }
        i++;
    }
    return true;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int fail(const char *where, const lmb_error *error) {
    fprintf(stderr, "limber-bench: %s: %s\n", where, error->message);
    return 1;
}

// Runs the backends in turn, a frame each, so that whatever else the machine does meets all of them alike.
static int measure(const options *options, backend *backends, uint32_t count, measurement *measured) {
    static double samples[MOST_BACKENDS][MOST_SAMPLES];
    uint32_t taken[MOST_BACKENDS] = {0};
    double spent[MOST_BACKENDS] = {0};
    bool more = true;
    for (uint32_t frame = 0; more; frame++) {
        more = false;
        for (uint32_t i = 0; i < count; i++) {
            lmb_error error;
            double seconds;
            if (taken[i] >= MOST_SAMPLES || (taken[i] >= 5 && spent[i] >= options->seconds)) {
                continue;
            }
            if (backends[i].run(&backends[i], frame, &seconds, &error) != LMB_OK) {
                return fail(backends[i].name, &error);
            }
            more = true;
            spent[i] += seconds;
            if (frame > 1) { // the first frames warm up
                samples[i][taken[i]++] = seconds * 1e6 / backends[i].characters;
            }
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        qsort(samples[i], taken[i], sizeof samples[i][0], compare_doubles);
        measured[i] =
            (measurement){samples[i][taken[i] / 2], samples[i][taken[i] / 4], samples[i][taken[i] * 3 / 4],
                          (double)workload_floor_bytes(backends[i].workload) * 1e6 / backends[i].copy_bandwidth};
    }
    return 0;
}

static void print_row(const options *options, const backend *backend, const measurement *m, bool last) {
    if (options->json) {
        printf("  {\"backend\":\"%s\",\"joints\":%u,\"characters\":%u,\"us_per_character\":%.6g,\"low\":%.6g,"
               "\"high\":%.6g,\"floor_us\":%.6g}%s\n",
               backend->name, (unsigned)options->joints, (unsigned)backend->characters, m->median, m->low, m->high,
               m->floor, last ? "" : ",");
    } else {
        printf("| %-32s | %10u | %12.3f | %8.3f to %8.3f | %7.2f %% |\n", backend->name, (unsigned)backend->characters,
               m->median, m->low, m->high, 100.0 * m->floor / m->median);
    }
    fflush(stdout);
}

static int run_size(const options *options, const workload *workload, uint32_t characters, device *devices,
                    const double *bandwidths, uint32_t device_count, bool last) {
    backend backends[MOST_BACKENDS] = {0};
    measurement measured[MOST_BACKENDS];
    lmb_error error;
    uint32_t count = 0;
    int status = 0;
    for (int i = 0; i < LMB_CPU_PATH_COUNT && status == 0; i++) {
        lmb_cpu_path path = (lmb_cpu_path)i;
        if (path == LMB_CPU_FAST || !lmb_cpu_has(path)) {
            continue; // the fast path is one of the others
        }
        backend *backend = &backends[count++];
        if (backend_open_cpu(workload, characters, path, backend, &error) != LMB_OK) {
            status = fail(lmb_cpu_path_name(path), &error);
        }
        backend->copy_bandwidth = bandwidths[0];
    }
    for (uint32_t i = 0; i < device_count && status == 0; i++) {
        backend *backend = &backends[count++];
        if (backend_open_gpu(workload, characters, &devices[i], backend, &error) != LMB_OK) {
            status = fail(devices[i].properties.deviceName, &error);
        }
        backend->copy_bandwidth = bandwidths[i + 1];
    }
    if (status == 0) {
        status = measure(options, backends, count, measured);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (status == 0) {
            print_row(options, &backends[i], &measured[i], last && i + 1 == count);
        }
        backends[i].close(&backends[i]);
    }
    return status;
}

// One device of each physical device that can be used, or the one named.
static uint32_t open_devices(const options *options, device *devices) {
    device_request request = {.name = options->device};
    lmb_error error;
    uint32_t count = 0;
    if (options->device != NULL) {
        return device_open(&request, &devices[0], &error) == LMB_OK ? 1 : 0;
    }
    for (int i = 0; i < DEVICE_MAX; i++) {
        char index[12];
        snprintf(index, sizeof index, "%d", i);
        request.name = index;
        if (device_open(&request, &devices[count], &error) == LMB_OK) {
            count++;
        }
    }
    return count;
}

int main(int argument_count, char **arguments) {
    options options;
    if (argument_count == 2 && strcmp(arguments[1], "--help") == 0) {
        usage(stdout);
        return 0;
    }
    if (!parse(argument_count, arguments, &options)) {
        usage(stderr);
        return 2;
    }
    static device devices[DEVICE_MAX];
    double bandwidths[DEVICE_MAX + 1];
    lmb_error error;
    workload workload;
    if (workload_create(options.joints, &workload, &error) != LMB_OK) {
        return fail("workload", &error);
    }
    uint32_t device_count = open_devices(&options, devices);
    if (options.device != NULL && device_count == 0) {
        fprintf(stderr, "limber-bench: no device '%s' can be opened\n", options.device);
        return 1;
    }
    bandwidths[0] = bench_copy_bandwidth();
    for (uint32_t i = 0; i < device_count; i++) {
        if (bench_device_copy_bandwidth(&devices[i], &bandwidths[i + 1], &error) != LMB_OK) {
            return fail(devices[i].properties.deviceName, &error);
        }
    }
    printf(options.json ? "[\n"
                        : "| backend | characters | us a character | quartiles | share of the floor |\n"
                          "| --- | ---: | ---: | :---: | ---: |\n");
    int status = 0;
    for (uint32_t i = 0; i < options.size_count && status == 0; i++) {
        status = run_size(&options, &workload, options.sizes[i], devices, bandwidths, device_count,
                          i + 1 == options.size_count);
    }
    printf(options.json ? "]\n" : "");
    for (uint32_t i = 0; i < device_count; i++) {
        device_close(&devices[i]);
    }
    workload_destroy(&workload);
    return status;
}
