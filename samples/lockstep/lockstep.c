// Animation in lockstep: a server and its clients run one game, with loss and delay, and compare every bit.
//
//   limber-lockstep [OPTION...]      a server and all clients in this process
//   limber-lockstep --replay FILE    runs the log of a game, without a network
//   limber-lockstep --server PORT    the server alone, for clients in processes of their own; 0: any port, printed
//   limber-lockstep --client PORT    the client of one player; all other options are those of the server
//
//   --player N                       of --client (0)
//   --tick N                         milliseconds, of --server and --client (16)
//   --players N --squad N            players, and characters of each (4, 16)
//   --frames N --seed N              of the script that all play (600, 1)
//   --loss N                         of 100 packets (5)
//   --min-delay N --max-delay N      ticks that a packet takes (1, 3)
//   --damage N                       the first client goes wrong in this frame, to see how that is found
//   --gpu 1                          the first client runs on the first Vulkan device (0)
//   --record FILE                    writes the log
//   --pack FILE                      with the graph "game"
//
// Prints a hash of everything that all characters did, which is the same on every machine and for any network, and what
// it costs. Exits with 1 if anything differs.
#include "device.h"
#include "processes.h"

#include <limber/pack.h>
#include <stdlib.h>
#include <string.h>

#ifndef LOCKSTEP_PACK
#define LOCKSTEP_PACK "game.lmb"
#endif

typedef struct options {
    run_def run;
    const char *pack, *record, *replay;
    uint32_t server, client, player, tick; // ports: LMB_NONE if not given
    uint32_t gpu;
} options;

static int fail(const char *message) {
    fprintf(stderr, "limber-lockstep: %s\n", message);
    return EXIT_FAILURE;
}

// ---- Options.

typedef struct number_option {
    const char *name;
    uint32_t min, max;
    uint32_t *value;
} number_option;

static bool read_number(const char *text, const number_option *option) {
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end != '\0' || text[0] == '-' || value < option->min || value > option->max) {
        fprintf(stderr, "limber-lockstep: %s is a number from %u to %u\n", option->name, option->min, option->max);
        return false;
    }
    *option->value = (uint32_t)value;
    return true;
}

static bool read_options(int count, char **texts, options *o) {
    const number_option numbers[] = {
        {"--players", 1, MAX_PLAYERS, &o->run.script.player_count},
        {"--squad", 1, 1000, &o->run.script.squad},
        {"--frames", 1, 10000000, &o->run.script.frame_count},
        {"--seed", 0, 0xffffffff, &o->run.script.seed},
        {"--loss", 0, 90, &o->run.wire.loss},
        {"--min-delay", 0, 1000, &o->run.wire.min_delay},
        {"--max-delay", 0, 1000, &o->run.wire.max_delay},
        {"--damage", 0, 10000000, &o->run.damage},
        {"--server", 0, 65535, &o->server},
        {"--client", 1, 65535, &o->client},
        {"--player", 0, MAX_PLAYERS - 1, &o->player},
        {"--tick", 0, 1000, &o->tick},
        {"--gpu", 0, 1, &o->gpu},
    };
    const struct {
        const char *name;
        const char **value;
    } files[] = {{"--pack", &o->pack}, {"--record", &o->record}, {"--replay", &o->replay}};
    for (int i = 1; i < count; i += 2) {
        bool known = false;
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            if (strcmp(texts[i], numbers[k].name) == 0 && i + 1 < count) {
                known = true;
                if (!read_number(texts[i + 1], &numbers[k])) {
                    return false;
                }
            }
        }
        for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
            if (strcmp(texts[i], files[k].name) == 0 && i + 1 < count) {
                known = true;
                *files[k].value = texts[i + 1];
            }
        }
        if (!known) {
            fprintf(stderr, "limber-lockstep: no option of this name, or no value: %s\n", texts[i]);
            return false;
        }
    }
    o->run.wire.seed = o->run.script.seed;
    if (o->run.wire.max_delay < o->run.wire.min_delay) {
        o->run.wire.max_delay = o->run.wire.min_delay;
    }
    if (o->player >= o->run.script.player_count) {
        fprintf(stderr, "limber-lockstep: --player is below the number of players, %u\n", o->run.script.player_count);
        return false;
    }
    return true;
}

// ---- The graph, from a pack: what a game ships.

static void *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        return NULL;
    }
    const long length = ftell(file);
    rewind(file);
    void *bytes = malloc(length > 0 ? (size_t)length : 1);
    *size = bytes != NULL ? fread(bytes, 1, (size_t)length, file) : 0;
    fclose(file);
    return bytes;
}

static lmb_result create_graph(const char *path, lmb_graph **graph, lmb_error *error) {
    size_t size = 0;
    void *bytes = read_file(path, &size);
    if (bytes == NULL) {
        snprintf(error->message, sizeof error->message, "cannot read %.200s", path);
        return LMB_ERROR_FILE;
    }
    lmb_pack *pack = NULL;
    lmb_result result = lmb_pack_open(bytes, size, NULL, &pack, error);
    if (result == LMB_OK) {
        result = lmb_graph_create(lmb_pack_find_graph(pack, "game"), NULL, graph, error);
    }
    lmb_pack_close(pack); // the graph has copies of everything it needs
    free(bytes);
    return result;
}

// ---- What is printed.

static void print_cost(const char *name, cost cost) {
    if (cost.characters > 0) {
        printf("    %-8s %8.3f us a character, %llu times\n", name, cost.seconds * 1e6 / (double)cost.characters,
               (unsigned long long)cost.characters);
    }
}

static void print_costs(const char *who, costs costs) {
    printf("%s:\n", who);
    print_cost("control", costs.control);
    print_cost("poses", costs.poses);
    print_cost("device", costs.device);
    print_cost("hash", costs.hash);
    print_cost("save", costs.save);
    print_cost("restore", costs.restore);
    print_cost("pack", costs.pack);
    print_cost("unpack", costs.unpack);
    if (costs.pack.characters > 0) {
        printf("    snapshots take %.0f bytes a character, packed against the frame before %.0f\n",
               (double)costs.bytes / (double)costs.pack.characters,
               (double)costs.packed_bytes / (double)costs.pack.characters);
    }
}

static void print_frames(const run_def *def, const run_result *result) {
    printf("%u frames of %u characters in %u ticks, hash %016llx\n", result->frames,
           def->script.player_count * def->script.squad, result->ticks, (unsigned long long)result->hash);
}

static int print_clients(const run_result *result) {
    const client_counts *counts = &result->clients;
    printf("clients: %u rollbacks of up to %u frames, %u frames again, %u snapshots taken\n", counts->rollbacks,
           counts->deepest, counts->again, counts->snapshots);
    printf("%u frames confirmed, %u differences\n", counts->confirmed, counts->differences);
    if (result->report[0] != '\0') {
        printf("first difference: %s\n", result->report);
    }
    print_costs("clients", result->client_costs);
    return counts->differences == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// ---- Modes.

static int play(const lmb_graph *graph, const options *o) {
    lmb_error error = {0};
    run_result result;
    frame_input *log = calloc(o->run.script.frame_count, sizeof *log);
    lmb_result played = log != NULL ? run_game(graph, &o->run, &result, log, &error) : no_memory(&error);
    if (played == LMB_OK && o->record != NULL) {
        played = log_write(o->record, graph, &o->run.script, log, result.hash, &error);
    }
    free(log);
    if (played != LMB_OK) {
        return fail(error.message);
    }
    print_frames(&o->run, &result);
    print_costs("server", result.server_costs);
    return print_clients(&result);
}

// Runs one side of a game.
static int take_part(const lmb_graph *graph, const options *o) {
    const bool serves = o->server != LMB_NONE;
    const process_def def = {.run = o->run, .tick = o->tick, .port = (uint16_t)(serves ? o->server : o->client)};
    lmb_error error = {0};
    run_result result;
    const lmb_result ran =
        serves ? run_server(graph, &def, &result, &error) : run_client(graph, &def, o->player, &result, &error);
    if (ran != LMB_OK) {
        return fail(error.message);
    }
    if (!serves) {
        return print_clients(&result);
    }
    print_frames(&o->run, &result);
    print_costs("server", result.server_costs);
    return EXIT_SUCCESS;
}

static int replay(const lmb_graph *graph, const options *o) {
    lmb_error error = {0};
    script script;
    frame_input *log = NULL;
    uint64_t recorded = 0, hash = 0;
    lmb_result result = log_read(o->replay, graph, &script, &log, &recorded, &error);
    if (result == LMB_OK) {
        result = run_log(graph, &script, log, &hash, &error);
    }
    free(log);
    if (result != LMB_OK) {
        return fail(error.message);
    }
    printf("%u frames of %u characters again, hash %016llx, %s\n", script.frame_count,
           script.player_count * script.squad, (unsigned long long)hash,
           hash == recorded ? "as recorded" : "another than recorded");
    return hash == recorded ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run(const lmb_graph *graph, const options *o) {
    if (o->replay != NULL) {
        return replay(graph, o);
    }
    return o->server != LMB_NONE || o->client != LMB_NONE ? take_part(graph, o) : play(graph, o);
}

// The same with a device for the first client, or for the one of this process.
static int run_on_device(const lmb_graph *graph, options *o) {
#ifdef LOCKSTEP_GPU
    gpu_device *device = NULL;
    lmb_error error = {0};
    if (gpu_device_create(graph, o->run.script.player_count * o->run.script.squad, &device, &error) != LMB_OK) {
        return fail(error.message);
    }
    o->run.evaluator = (evaluator){.run = gpu_device_run, .context = device};
    const int status = run(graph, o);
    gpu_device_destroy(device);
    return status;
#else
    (void)graph, (void)o;
    return fail("this build has no GPU");
#endif
}

int main(int argc, char **argv) {
    options o = {.run = default_run_def(), .pack = LOCKSTEP_PACK, .server = LMB_NONE, .client = LMB_NONE, .tick = 16};
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    if (!read_options(argc, argv, &o)) {
        return EXIT_FAILURE;
    }
    if (create_graph(o.pack, &graph, &error) != LMB_OK) {
        return fail(error.message);
    }
    const int status = o.gpu != 0 ? run_on_device(graph, &o) : run(graph, &o);
    lmb_graph_destroy(graph);
    return status;
}
