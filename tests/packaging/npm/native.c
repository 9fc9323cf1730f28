// Prints what consumer.mjs prints, by the native library: hashes of palettes and of characters.
//
//   npm_native game.lmb hello.gltf hello.json match.json borrow.json jump.txt game.json
#include <limber/cpu.h>
#include <limber/explain.h>
#include <limber/graph_json.h>
#include <limber/import.h>
#include <limber/machine.h>
#include <limber/pack.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHARACTERS = 99,
    FRAMES = 120,
    HELLO_CHARACTERS = 64,
    POINTS = 2,
    MATCHING = 5,
    MATCHED_FRAMES = 90,
    WATCHED = 4
};

static lmb_error error;

static void check(lmb_result result) {
    if (result != LMB_OK) {
        fprintf(stderr, "npm_native: %s\n", error.message);
        exit(EXIT_FAILURE);
    }
}

static void *zeroed(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (memory == NULL) {
        fprintf(stderr, "npm_native: no memory\n");
        exit(EXIT_FAILURE);
    }
    return memory;
}

static void *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    *size = (size_t)ftell(file);
    rewind(file);
    void *bytes = zeroed(*size, 1);
    if (fread(bytes, 1, *size, file) != *size) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    fclose(file);
    return bytes;
}

// A batch of one graph, and the input of frames: see input() in consumer.mjs.
typedef struct game {
    const lmb_graph *graph;
    uint32_t parameter_count, event_count;
    float *parameters, *points, *transforms;
    lmb_event events[CHARACTERS * 3];
} game;

static void set(game *g, uint32_t character, const char *name, float value) {
    g->parameters[character * g->parameter_count + lmb_graph_find_parameter(g->graph, name)] = value;
}

static void send(game *g, uint32_t character, const char *name) {
    g->events[g->event_count++] = (lmb_event){character, lmb_graph_find_event(g->graph, name)};
}

// Sets initial parameters and world transforms at the origin.
static void begin(game *g) {
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        lmb_graph_defaults(g->graph, g->parameters + (size_t)i * g->parameter_count);
        for (uint32_t row = 0; row < 3; row++) {
            g->transforms[i * LMB_MATRIX_COMPONENTS + row * 5] = 1.0f;
        }
    }
}

static void input(game *g, uint32_t frame) {
    g->event_count = 0;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        const uint32_t stick = i * 7 + frame / 24 * 5;
        set(g, i, "speed", (float)(stick % 13) * 0.25f);
        set(g, i, "aside", (float)(stick % 5) * 0.5f - 1.0f);
        set(g, i, "heading", (float)(stick % 7) * 0.5f - 1.5f);
        set(g, i, "reach", (float)(stick % 3) * 0.5f);
        set(g, i, "time", (float)(1.0 / 60.0));
        for (uint32_t point = 0; point < POINTS; point++) {
            float *at = g->points + ((size_t)i * POINTS + point) * 4;
            at[0] = (float)i * 0.5f + (float)point;
            at[1] = 1.5f;
            at[2] = (float)frame / 128.0f + 1.0f;
        }
        if ((frame + i * 11) % 50 == 0) {
            send(g, i, "JUMP");
        }
        if ((frame + i * 5) % 70 == 13) {
            send(g, i, "WAVE");
        }
        if ((frame + i * 3) % 90 == 60) {
            send(g, i, "HIT");
        }
    }
}

static uint64_t hash_of_characters(const lmb_graph *graph, const lmb_character_words *words) {
    uint64_t hashes[CHARACTERS];
    check(lmb_characters_hash(graph, words, hashes, &error));
    return lmb_hash_words((const uint32_t *)hashes, CHARACTERS * 2);
}

static uint32_t find_machine(const lmb_graph *graph, const char *name) {
    uint32_t machine = 0;
    while (strcmp(lmb_graph_machine_at(graph, machine).name, name) != 0) {
        machine++;
    }
    return machine;
}

// Why the machine takes its transitions or not.
static void print_reasons(const lmb_graph *graph, const uint32_t *state, const float *parameters, uint32_t machine) {
    static lmb_transition_report reports[LMB_MAX_TRANSITIONS];
    const uint32_t count = lmb_state_explain(graph, state, parameters, machine, reports, LMB_MAX_TRANSITIONS);
    for (uint32_t i = 0; i < count; i++) {
        const lmb_transition_report *report = &reports[i];
        printf("  %s %d %.5f %.5f", lmb_graph_state_name(graph, machine, report->to), report->applies,
               (double)report->after, (double)report->seconds);
        for (uint32_t k = 0; k < report->term_count; k++) {
            const lmb_term_report *term = &report->terms[k];
            if (term->kind < LMB_TERM_AND) {
                printf(" %.5f %s %.5f %d", (double)term->left, lmb_term_kind_name(term->kind), (double)term->right,
                       term->holds);
            }
        }
        printf("\n");
    }
}

static void play_game(const lmb_graph *graph) {
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    const lmb_batch_def batch = {graph, CHARACTERS, LMB_OUTPUT_PALETTE_BIT | LMB_OUTPUT_BOUNDS_BIT};
    const size_t palette_words = (size_t)CHARACTERS * lmb_batch_output_floats(&batch, LMB_OUTPUT_PALETTE);
    const size_t bounds_words = (size_t)CHARACTERS * lmb_batch_output_floats(&batch, LMB_OUTPUT_BOUNDS);
    game g = {.graph = graph, .parameter_count = info->parameter_count};
    g.parameters = zeroed((size_t)CHARACTERS * g.parameter_count, sizeof(float));
    g.points = zeroed((size_t)CHARACTERS * POINTS * 4, sizeof(float));
    g.transforms = zeroed((size_t)CHARACTERS * LMB_MATRIX_COMPONENTS, sizeof(float));
    const lmb_character_words words = {.states = zeroed((size_t)CHARACTERS * info->state_words, sizeof(uint32_t)),
                                       .inertia = zeroed((size_t)CHARACTERS * info->inertia_words, sizeof(uint32_t)),
                                       .reached = zeroed((size_t)CHARACTERS * info->reached_count, sizeof(uint32_t)),
                                       .row_count = CHARACTERS,
                                       .count = CHARACTERS};
    lmb_control_frame frame = lmb_default_control_frame();
    frame.step = lmb_ticks_from_seconds(1.0 / 60.0);
    frame.character_count = CHARACTERS;
    frame.state = words.states;
    frame.parameters = g.parameters;
    frame.emitted = zeroed((size_t)CHARACTERS * info->emitted_words, sizeof(uint32_t));
    frame.motions = zeroed((size_t)CHARACTERS * info->motion_floats, sizeof(float));
    frame.reached = words.reached;
    frame.events = g.events;
    const lmb_batch_inputs inputs = {.control = &frame, .points = g.points, .transforms = g.transforms};
    lmb_batch_outputs outputs = {.inertia = words.inertia, .reached = words.reached};
    outputs.buffers[LMB_OUTPUT_PALETTE] = zeroed(palette_words, sizeof(float));
    outputs.buffers[LMB_OUTPUT_BOUNDS] = zeroed(bounds_words, sizeof(float));
    lmb_cpu *cpu = NULL;
    check(lmb_cpu_create(graph, LMB_CPU_FAST, NULL, &cpu, &error));
    begin(&g);
    uint32_t emitted = 0, machine = find_machine(graph, "body");
    for (uint32_t number = 0; number < FRAMES; number++) {
        input(&g, number);
        frame.number = number;
        frame.event_count = g.event_count;
        check(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error));
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            emitted += lmb_emitted_count(graph, frame.emitted + i * info->emitted_words);
        }
        if (number % 30 == 29) {
            printf("frame %u: palettes %016" PRIx64 " bounds %016" PRIx64 " characters %016" PRIx64 "\n", number,
                   lmb_hash_words((const uint32_t *)outputs.buffers[LMB_OUTPUT_PALETTE], palette_words),
                   lmb_hash_words((const uint32_t *)outputs.buffers[LMB_OUTPUT_BOUNDS], bounds_words),
                   hash_of_characters(graph, &words));
            const size_t watched = number % CHARACTERS;
            print_reasons(graph, words.states + watched * info->state_words, g.parameters + watched * g.parameter_count,
                          machine);
        }
    }
    printf("%u events; character 0: %s\n", emitted,
           lmb_graph_state_name(graph, machine, lmb_state_current(graph, words.states, machine)));
    lmb_cpu_destroy(cpu);
    free(outputs.buffers[LMB_OUTPUT_PALETTE]);
    free(outputs.buffers[LMB_OUTPUT_BOUNDS]);
    free(frame.emitted);
    free(frame.motions);
    free(words.states);
    free(words.inertia);
    free(words.reached);
    free(g.parameters);
    free(g.points);
    free(g.transforms);
}

static lmb_graph_json *read_json(lmb_graph_source source, const char *path) {
    char *text = read_file(path, &source.size);
    lmb_graph_json *json = NULL;
    source.text = text;
    check(lmb_graph_json_read(&source, NULL, &json, NULL, &error));
    free(text);
    return json;
}

static lmb_graph *create_graph(lmb_graph_source source, const char *path) {
    lmb_graph_json *json = read_json(source, path);
    lmb_graph *graph = NULL;
    check(lmb_graph_create(lmb_graph_json_def(json), NULL, &graph, &error));
    lmb_graph_json_destroy(json);
    return graph;
}

// Returns a source without text, for the rig and the clips of a pack.
static lmb_graph_source source_of(const lmb_pack *pack) {
    const lmb_pack_def *content = lmb_pack_get_def(pack);
    return (lmb_graph_source){.rig = content->rig, .clips = content->clips, .clip_count = content->clip_count};
}

static lmb_graph *read_graph(const lmb_pack *pack, const char *path) {
    return create_graph(source_of(pack), path);
}

// Prints a machine's text as JSON, and the fingerprint of its graph.
static void print_machine(const lmb_pack *pack, const char *path) {
    lmb_graph_source source = source_of(pack);
    char *text = read_file(path, &source.size);
    lmb_graph_json *read = NULL;
    lmb_graph *graph = NULL;
    size_t size = 0;
    source.text = text;
    check(lmb_machine_json_write(&source, NULL, NULL, 0, &size, NULL, &error));
    char *json = zeroed(size, 1);
    check(lmb_machine_json_write(&source, NULL, json, size, &size, NULL, &error));
    check(lmb_machine_read(&source, NULL, NULL, &read, NULL, &error));
    check(lmb_graph_create(lmb_graph_json_def(read), NULL, &graph, &error));
    printf("%smachine %016" PRIx64 "\n", json, lmb_graph_fingerprint(graph));
    lmb_graph_destroy(graph);
    lmb_graph_json_destroy(read);
    free(json);
    free(text);
}

// Prints the size and a hash of a pack with two graphs.
static void print_pack(const char *name, lmb_pack_def def, const lmb_pack_graph *first, const lmb_pack_graph *second) {
    const lmb_pack_graph graphs[] = {*first, *second};
    size_t size = 0;
    def.graphs = graphs;
    def.graph_count = 2;
    check(lmb_pack_write(&def, NULL, NULL, 0, &size, &error));
    void *bytes = zeroed(size, 1);
    check(lmb_pack_write(&def, NULL, bytes, size, &size, &error));
    printf("%s: %zu bytes, %016" PRIx64 "\n", name, size, lmb_hash_words(bytes, size / 4));
    free(bytes);
}

// Writes the pack again, with another graph.
static void pack_again(const lmb_pack *pack, const char *path) {
    const lmb_pack_def *content = lmb_pack_get_def(pack);
    lmb_graph_json *json = read_json(source_of(pack), path);
    print_pack("game pack", *content, content->graphs, &(lmb_pack_graph){"again", lmb_graph_json_def(json)});
    lmb_graph_json_destroy(json);
}

static void print_numbers(const float *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        printf("%.5f ", (double)numbers[i]);
    }
}

static void print_matching(const lmb_graph *graph, const lmb_matching_report *report, uint64_t hash, uint32_t jumps) {
    printf("match: palettes %016" PRIx64 ", %u jumps, plays %s at row %u\n%.5f ", hash, jumps,
           lmb_graph_state_name(graph, 0, report->played.take), report->played.row, (double)report->played.time);
    for (int i = 0; i < 2; i++) {
        const lmb_motion_path *path = i == 0 ? &report->asked : &report->played.path;
        print_numbers(path->positions[0], 6);
        print_numbers(path->headings[0], 6);
    }
    printf("%.5f", (double)report->seconds);
    for (uint32_t i = 0; i < report->recent_count; i++) {
        printf(" %.5f", (double)report->recent_seconds[i]);
    }
    const lmb_motion_costs *costs = &report->played.costs;
    printf("\n%u %u %u %u %u %u", costs->foot_positions, costs->foot_velocities, costs->hip_velocity, costs->path,
           costs->headings, costs->joints);
    for (uint32_t i = 0; i < report->recent_count; i++) {
        printf(" %u", report->recent_rows[i]);
    }
    printf("\n");
}

static void run_match(const lmb_graph *graph) {
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    const lmb_batch_def batch = {graph, MATCHING, LMB_OUTPUT_PALETTE_BIT};
    const size_t palette_words = (size_t)MATCHING * lmb_batch_output_floats(&batch, LMB_OUTPUT_PALETTE);
    const uint32_t parameter_count = info->parameter_count, words = info->state_words;
    game g = {.graph = graph, .parameter_count = parameter_count};
    g.parameters = zeroed((size_t)MATCHING * parameter_count, sizeof(float));
    lmb_control_frame frame = lmb_default_control_frame();
    frame.step = lmb_ticks_from_seconds(1.0 / 60.0);
    frame.character_count = MATCHING;
    frame.state = zeroed((size_t)MATCHING * words, sizeof(uint32_t));
    frame.parameters = g.parameters;
    frame.matrices = zeroed((size_t)MATCHING * LMB_MATRIX_COMPONENTS, sizeof(float));
    const lmb_batch_inputs inputs = {.control = &frame};
    lmb_batch_outputs outputs = {.inertia = zeroed((size_t)MATCHING * info->inertia_words, sizeof(uint32_t))};
    outputs.buffers[LMB_OUTPUT_PALETTE] = zeroed(palette_words, sizeof(float));
    lmb_cpu *cpu = NULL;
    check(lmb_cpu_create(graph, LMB_CPU_FAST, NULL, &cpu, &error));
    for (uint32_t i = 0; i < MATCHING; i++) {
        lmb_graph_defaults(graph, g.parameters + (size_t)i * parameter_count);
    }
    lmb_matching_report report = {.played.row = LMB_NONE};
    uint32_t jumps = 0;
    for (uint32_t number = 0; number < MATCHED_FRAMES; number++) {
        for (uint32_t i = 0; i < MATCHING; i++) {
            set(&g, i, "x", number < 40 ? 0.0f : (float)i * 0.5f - 1.0f);
            set(&g, i, "z", (float)(i % 3));
            set(&g, i, "now", (float)(number / 60.0));
        }
        frame.number = number;
        check(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error));
        lmb_state_explain_matching(graph, frame.state + WATCHED * words,
                                   g.parameters + WATCHED * (size_t)parameter_count, 0, &report);
        jumps += report.found.row != LMB_NONE;
    }
    print_matching(graph, &report, lmb_hash_words((const uint32_t *)outputs.buffers[LMB_OUTPUT_PALETTE], palette_words),
                   jumps);
    lmb_cpu_destroy(cpu);
    free(outputs.buffers[LMB_OUTPUT_PALETTE]);
    free(outputs.inertia);
    free(frame.matrices);
    free(frame.state);
    free(g.parameters);
}

static void run_hello(const char *name, lmb_graph *graph) {
    lmb_cpu *cpu = NULL;
    check(lmb_cpu_create(graph, LMB_CPU_FAST, NULL, &cpu, &error));
    const lmb_batch_def batch = {graph, HELLO_CHARACTERS, LMB_OUTPUT_PALETTE_BIT};
    const size_t words = (size_t)HELLO_CHARACTERS * lmb_batch_output_floats(&batch, LMB_OUTPUT_PALETTE);
    const uint32_t parameter_count = lmb_graph_get_info(graph)->parameter_count;
    float *parameters = zeroed((size_t)HELLO_CHARACTERS * parameter_count, sizeof(float));
    lmb_batch_outputs outputs = {.refused = NULL};
    outputs.buffers[LMB_OUTPUT_PALETTE] = zeroed(words, sizeof(float));
    for (uint32_t i = 0; i < HELLO_CHARACTERS; i++) {
        float *row = parameters + (size_t)i * parameter_count;
        row[lmb_graph_find_parameter(graph, "time")] = 0.1f * (float)i;
        row[lmb_graph_find_parameter(graph, "stretch")] = (float)i / (HELLO_CHARACTERS - 1);
    }
    check(lmb_cpu_run(cpu, &batch, &(lmb_batch_inputs){.parameters = parameters}, &outputs, &error));
    printf("%s: palettes %016" PRIx64 "\n", name,
           lmb_hash_words((const uint32_t *)outputs.buffers[LMB_OUTPUT_PALETTE], words));
    free(outputs.buffers[LMB_OUTPUT_PALETTE]);
    free(parameters);
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(graph);
}

// Creates graphs of an import, of which one plays clips of a pack, runs them, and packs them.
static void run_import(const lmb_import *import, const lmb_pack *pack, const char *hello, const char *borrow) {
    const lmb_pack_def def = lmb_import_pack_def(import), *packed = lmb_pack_get_def(pack);
    const lmb_graph_character mannequin = {"mannequin", packed->rig, packed->clips, packed->clip_count};
    const lmb_graph_source source = {.rig = def.rig,
                                     .clips = def.clips,
                                     .clip_count = def.clip_count,
                                     .characters = &mannequin,
                                     .character_count = 1};
    run_hello("hello", create_graph(source, hello));
    run_hello("borrow", create_graph(source, borrow));
    lmb_graph_json *graphs[] = {read_json(source, hello), read_json(source, borrow)};
    print_pack("hello pack", def, &(lmb_pack_graph){"hello", lmb_graph_json_def(graphs[0])},
               &(lmb_pack_graph){"borrow", lmb_graph_json_def(graphs[1])});
    lmb_graph_json_destroy(graphs[0]);
    lmb_graph_json_destroy(graphs[1]);
}

int main(int argument_count, char **arguments) {
    if (argument_count != 8) {
        fprintf(stderr, "usage: npm_native game.lmb hello.gltf hello.json match.json borrow.json jump.txt game.json\n");
        return EXIT_FAILURE;
    }
    size_t size = 0;
    void *bytes = read_file(arguments[1], &size);
    lmb_pack *pack = NULL;
    lmb_graph *graph = NULL;
    check(lmb_pack_open(bytes, size, NULL, &pack, &error));
    print_machine(pack, arguments[6]);
    pack_again(pack, arguments[7]);
    check(lmb_graph_create(lmb_pack_get_def(pack)->graphs[0].def, NULL, &graph, &error));
    printf("graph %016" PRIx64 ", %u joints, %u parameters\n", lmb_graph_fingerprint(graph),
           lmb_graph_get_info(graph)->joint_count, lmb_graph_get_info(graph)->parameter_count);
    play_game(graph);
    lmb_graph_destroy(graph);
    graph = read_graph(pack, arguments[4]);
    run_match(graph);
    lmb_graph_destroy(graph);
    lmb_import *import = NULL;
    check(lmb_import_file(arguments[2], NULL, &import, &error));
    run_import(import, pack, arguments[3], arguments[5]);
    lmb_import_destroy(import);
    lmb_pack_close(pack);
    free(bytes);
    return EXIT_SUCCESS;
}
