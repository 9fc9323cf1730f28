// `limber profile`: measures how long a crowd takes on the CPU and on a device, stage by stage, how much memory it
// uses, and what each node of its program costs.
#include "command.h"
#include "crowd.h"
#include "gpu_side.h"
#include "terminal.h"
#include "trace.h"

#include "base/host.h"

#include <limber/cost.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Processes in the trace.
#define PROCESS_CPU 1u
#define PROCESS_DEVICE 2u
// If the graph has events, each character gets one of them once in this many frames of 1/60 s.
#define EVENT_FRAMES 16u
// The max number of characters for measuring the cost of nodes.
#define COST_CHARACTERS 1024u

// A side that ran the crowd.
typedef struct profiled_side {
    const char *name; // of the path or of the device
    const lmb_profile *times;
    uint32_t bandwidth; // GB per second, as the caller gave it, or 0
} profiled_side;

typedef struct profiling {
    subject subject; // with a graph to run instead of a random one, if one is given
    bool no_device;
    const char *trace_path;
    uint32_t character_count;
    uint32_t frame_count;
    uint64_t seed;
    uint32_t program;
    uint32_t cpu_bandwidth; // GB a second
    uint32_t device_bandwidth;
    bool as_json;

    crowd crowd;
    lmb_batch_outputs outputs; // the inertialization data is the CPU's; the device keeps its own
    uint32_t *state;           // of the control
    lmb_event *events;         // of a frame
    lmb_control_frame frame;
    lmb_cpu *cpu;
    lmb_cpu_profile *cpu_profile;
    gpu_device opened;
    gpu_side side;
    lmb_gpu_profile *gpu_profile;
    lmb_node_cost *costs;
    lmb_arena pool;
    trace trace;
    uint64_t started; // when the device's first frame was submitted

    // The report.
    lmb_batch_def batch;
    profiled_side sides[2]; // the CPU, and the device if there is one
    uint32_t side_count;
    lmb_gpu_bytes bytes[LMB_MAX_GPU_BYTES_ROWS];
    uint32_t bytes_count;
    uint64_t inertia_bytes; // inertialization data and that of chains, on the CPU
    double rest;            // nanoseconds of the rest pose
} profiling;

static uint32_t events_a_frame(const profiling *profiling) {
    const uint32_t event_count = lmb_graph_get_info(profiling->crowd.program)->event_count;
    return event_count == 0 ? 0 : profiling->character_count / EVENT_FRAMES + 1;
}

static lmb_result create_crowd(profiling *profiling, lmb_error *error) {
    const crowd_def def = {.rig = profiling->subject.character.rig,
                           .clips = profiling->subject.character.clips,
                           .clip_count = profiling->subject.character.clip_count,
                           .character_count = profiling->character_count,
                           .seed = profiling->seed,
                           .program = profiling->program,
                           .given = profiling->subject.def};
    if (crowd_create(&def, &profiling->crowd, error)) {
        return error->result;
    }
    const lmb_batch_def batch = profiling->batch = crowd_batch(&profiling->crowd, LMB_OUTPUT_PALETTE_BIT);
    const size_t characters = batch.character_count;
    profiling->inertia_bytes = (uint64_t)characters * lmb_graph_get_info(batch.graph)->inertia_words * sizeof(uint32_t);
    profiling->state = lmb_arena_allocate(&profiling->pool, characters * lmb_graph_get_info(batch.graph)->state_words,
                                          sizeof(uint32_t));
    profiling->events = lmb_arena_allocate(&profiling->pool, events_a_frame(profiling), sizeof *profiling->events);
    profiling->costs =
        lmb_arena_allocate(&profiling->pool, profiling->crowd.program_def.node_count, sizeof *profiling->costs);
    if (profiling->pool.failed) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for %u characters", profiling->character_count);
    }
    return outputs_create(&batch, &profiling->outputs, error);
}

static void add_side(profiling *profiling, const char *name, const lmb_profile *times, uint32_t bandwidth) {
    profiling->sides[profiling->side_count++] = (profiled_side){name, times, bandwidth};
}

static lmb_result create_cpu(profiling *profiling, lmb_error *error) {
    const lmb_cpu_profile_def def = {
        .clock = {.now = trace_clock},
        .window = profiling->frame_count < LMB_MAX_PROFILE_WINDOW ? profiling->frame_count : LMB_MAX_PROFILE_WINDOW};
    if (lmb_cpu_create(profiling->crowd.program, LMB_CPU_FAST, NULL, &profiling->cpu, error) ||
        lmb_cpu_profile_create(&def, NULL, &profiling->cpu_profile, error)) {
        return error->result;
    }
    lmb_cpu_set_profile(profiling->cpu, profiling->cpu_profile);
    add_side(profiling, lmb_cpu_path_name(lmb_cpu_path_of(profiling->cpu)),
             lmb_cpu_profile_times(profiling->cpu_profile), profiling->cpu_bandwidth);
    return LMB_OK;
}

static lmb_result create_device(profiling *profiling, lmb_error *error) {
    if (gpu_device_open(profiling->subject.device_name, false, &profiling->opened, error)) {
        return error->result;
    }
    device *device = &profiling->opened.device;
    lmb_gpu_profile_def def = lmb_default_gpu_profile_def();
    def.queue_family = device->queue_family;
    def.slot_count = 1;
    def.window = profiling->frame_count < LMB_MAX_PROFILE_WINDOW ? profiling->frame_count : LMB_MAX_PROFILE_WINDOW;
    if (lmb_gpu_profile_create(profiling->opened.gpu, &def, &profiling->gpu_profile, error) ||
        gpu_side_create_moving(device, profiling->opened.gpu, &profiling->batch, events_a_frame(profiling), false,
                               &profiling->side, error)) {
        return error->result;
    }
    profiling->side.profile = profiling->gpu_profile;
    add_side(profiling, device->properties.deviceName, lmb_gpu_profile_times(profiling->gpu_profile),
             profiling->device_bandwidth);
    profiling->bytes_count = lmb_gpu_batch_bytes(profiling->side.batch, profiling->bytes, LMB_MAX_GPU_BYTES_ROWS);
    return LMB_OK;
}

static lmb_result run_sides(profiling *profiling, lmb_error *error) {
    lmb_batch_inputs inputs = crowd_inputs(&profiling->crowd);
    inputs.control = lmb_graph_get_info(profiling->batch.graph)->state_words == 0 ? NULL : &profiling->frame;
    lmb_result result = lmb_cpu_run(profiling->cpu, &profiling->batch, &inputs, &profiling->outputs, error);
    if (profiling->started == 0) {
        profiling->started = trace_clock(NULL);
    }
    if (result == LMB_OK && profiling->gpu_profile != NULL) {
        result = gpu_side_run(&profiling->side, &inputs, &profiling->outputs, error);
    }
    return result;
}

// The device's clock starts with its first frame, so its times are shifted to when that frame was submitted.
static void trace_sides(profiling *profiling) {
    trace_take(&profiling->trace, PROCESS_CPU, 1, lmb_cpu_profile_times(profiling->cpu_profile), 0);
    if (profiling->gpu_profile != NULL) {
        trace_take(&profiling->trace, PROCESS_DEVICE, 1, lmb_gpu_profile_times(profiling->gpu_profile),
                   profiling->started);
    }
}

static void draw_frame(profiling *profiling, uint32_t number) {
    const uint32_t event_count = lmb_graph_get_info(profiling->crowd.program)->event_count;
    uint32_t sent = 0;
    crowd_draw(&profiling->crowd, number);
    for (uint32_t i = 0; event_count > 0 && i < profiling->character_count; i++) {
        if ((number + i) % EVENT_FRAMES == 0) {
            profiling->events[sent++] = (lmb_event){i, (number + i) / EVENT_FRAMES % event_count};
        }
    }
    profiling->frame = (lmb_control_frame){.step = LMB_TICKS_PER_SECOND / 60,
                                           .number = number,
                                           .character_count = profiling->character_count,
                                           .state = profiling->state,
                                           .parameters = profiling->crowd.parameters,
                                           .events = profiling->events,
                                           .event_count = sent};
}

// The first frame warms up and is not counted.
static lmb_result run_frames(profiling *profiling, lmb_error *error) {
    draw_frame(profiling, 0);
    lmb_result result = run_sides(profiling, error);
    lmb_profile_clear(lmb_cpu_profile_times(profiling->cpu_profile));
    if (profiling->gpu_profile != NULL) {
        lmb_profile_clear(lmb_gpu_profile_times(profiling->gpu_profile));
    }
    for (uint32_t frame = 0; frame < profiling->frame_count && result == LMB_OK; frame++) {
        draw_frame(profiling, frame + 1);
        result = run_sides(profiling, error);
        if (profiling->trace_path != NULL) {
            trace_sides(profiling);
        }
    }
    return result;
}

static lmb_result measure_costs(profiling *profiling, lmb_error *error) {
    const lmb_batch_inputs inputs = crowd_inputs(&profiling->crowd);
    const lmb_cost_def def = {
        .graph = &profiling->crowd.program_def,
        .path = LMB_CPU_FAST,
        .clock = {.now = trace_clock},
        .inputs = &inputs,
        .character_count = profiling->character_count < COST_CHARACTERS ? profiling->character_count : COST_CHARACTERS};
    return lmb_cost_measure(&def, NULL, profiling->costs, &profiling->rest, error);
}

static lmb_result begin_trace(profiling *profiling, lmb_error *error) {
    if (profiling->trace_path == NULL) {
        return LMB_OK;
    }
    lmb_result result = trace_open(profiling->trace_path, &profiling->trace, error);
    for (uint32_t i = 0; i < profiling->side_count && result == LMB_OK; i++) {
        trace_name_process(&profiling->trace, PROCESS_CPU + i, profiling->sides[i].name);
        trace_name_tracks(&profiling->trace, PROCESS_CPU + i, 1, i == 0 ? "runs" : "frames", "stages");
    }
    return result;
}

static lmb_result profile_crowd(profiling *profiling, lmb_error *error) {
    const bool failed = create_crowd(profiling, error) || create_cpu(profiling, error) ||
                        (!profiling->no_device && create_device(profiling, error)) || begin_trace(profiling, error) ||
                        run_frames(profiling, error) || trace_close(&profiling->trace, error) ||
                        measure_costs(profiling, error);
    return failed ? error->result : LMB_OK;
}

// Closes everything. Reports the first error.
static lmb_result close_all(profiling *profiling, lmb_result result, lmb_error *error) {
    lmb_error later;
    if (trace_close(&profiling->trace, &later) != LMB_OK && result == LMB_OK) {
        result = lmb_fail(error, later.result, "%s", later.message);
    }
    gpu_side_destroy(&profiling->side);
    lmb_gpu_profile_destroy(profiling->gpu_profile);
    result = gpu_device_close(&profiling->opened, result, error);
    lmb_cpu_destroy(profiling->cpu);
    lmb_cpu_profile_destroy(profiling->cpu_profile);
    crowd_destroy(&profiling->crowd);
    outputs_destroy(&profiling->outputs);
    lmb_arena_release(&profiling->pool);
    return result;
}

// ---- The report.

// Returns the fraction of the bandwidth floor that a side's whole frames reach at their median, or 0 if no bandwidth is
// known.
static double floor_share(const profiling *report, const profiled_side *side) {
    double median = (double)lmb_profile_total(side->times, 0).median;
    return lmb_profile_floor_share(&report->batch, 1e9 * side->bandwidth, median);
}

static double microseconds(uint64_t nanoseconds) {
    return 1e-3 * (double)nanoseconds;
}

static void print_stages(const profiling *report, const profiled_side *side) {
    terminal_print("\n%s\n", side->name);
    terminal_print("  %-12s %8s %12s %12s %12s %12s %14s\n", "stage", "samples", "median us", "min us", "max us",
                   "total ms", "ns a character");
    for (uint32_t stage = 0; stage < lmb_profile_stage_count(side->times); stage++) {
        const lmb_profile_totals total = lmb_profile_total(side->times, stage);
        if (total.count > 0) {
            terminal_print("  %-12s %8" PRIu64 " %12.1f %12.1f %12.1f %12.2f %14.1f\n",
                           lmb_profile_stage_name(side->times, stage), total.count, microseconds(total.median),
                           microseconds(total.min), microseconds(total.max), 1e-3 * microseconds(total.sum),
                           (double)total.median / report->batch.character_count);
        }
    }
    if (side->bandwidth > 0) {
        terminal_print("  %.2f %% of the floor: the palettes' bytes at %u GB/s\n", 100.0 * floor_share(report, side),
                       side->bandwidth);
    }
}

static void print_bytes(const profiling *report) {
    terminal_print("\n%-24s %8s %14s %14s\n", "buffer on the device", "buffers", "bytes", "a character");
    for (uint32_t i = 0; i < report->bytes_count; i++) {
        const lmb_gpu_bytes *row = &report->bytes[i];
        terminal_print("%-24s %8u %14" PRIu64 " %14.1f\n", row->name, row->count, (uint64_t)row->bytes,
                       (double)row->bytes / report->batch.character_count);
    }
}

static double cost_of_all(const profiling *report) {
    double all = report->rest;
    for (uint32_t i = 0; i < report->crowd.program_def.node_count; i++) {
        all += report->costs[i].alone * report->costs[i].uses;
    }
    return all;
}

static void print_costs(const profiling *report) {
    double all = cost_of_all(report);
    terminal_print("\n%-6s %-12s %6s %16s %8s  %s\n", "node", "operation", "uses", "ns a character", "share", "inputs");
    terminal_print("%-6s %-12s %6s %16.1f %6.1f %%\n", "", "rest pose", "", report->rest, 100.0 * report->rest / all);
    for (uint32_t i = 0; i < report->crowd.program_def.node_count; i++) {
        const lmb_node_def *node = &report->crowd.program_def.nodes[i];
        const lmb_node_cost *cost = &report->costs[i];
        char inputs[LMB_MAX_SPACE_INPUTS * 6 + 2] = "";
        size_t length = 0;
        for (uint32_t j = 0; j < node->input_count; j++) {
            length += (size_t)snprintf(inputs + length, sizeof inputs - length, "%s%u", j > 0 ? " " : "  ",
                                       node->inputs[j] & 0xffffu);
        }
        terminal_print("%-6u %-12s %6u %16.1f %6.1f %%%s\n", i, lmb_op_name(node->op), cost->uses, cost->alone,
                       100.0 * cost->alone * cost->uses / all, inputs);
    }
}

static void print_text(const profiling *report) {
    terminal_print("joints %u, characters %u, frames %u", lmb_graph_get_info(report->batch.graph)->joint_count,
                   report->batch.character_count, report->frame_count);
    if (report->inertia_bytes > 0) {
        const bool inertializes = lmb_graph_get_info(report->batch.graph)->inertia_parameters != LMB_NONE;
        terminal_print(", %s %" PRIu64 " bytes", inertializes ? "inertialized with" : "keeps", report->inertia_bytes);
    }
    terminal_print("\n");
    for (uint32_t i = 0; i < report->side_count; i++) {
        print_stages(report, &report->sides[i]);
    }
    if (report->bytes_count > 0) {
        print_bytes(report);
    }
    print_costs(report);
}

static void write_stages(json *json, const profiling *report, const profiled_side *side) {
    json_begin_named(json, side->name);
    json_begin_array(json, "stages");
    for (uint32_t stage = 0; stage < lmb_profile_stage_count(side->times); stage++) {
        const lmb_profile_totals total = lmb_profile_total(side->times, stage);
        if (total.count > 0) {
            json_begin_object(json, NULL);
            json_text(json, "stage", lmb_profile_stage_name(side->times, stage));
            json_unsigned(json, "samples", total.count);
            json_unsigned(json, "median_ns", total.median);
            json_unsigned(json, "min_ns", total.min);
            json_unsigned(json, "max_ns", total.max);
            json_unsigned(json, "sum_ns", total.sum);
            json_end_object(json);
        }
    }
    json_end_array(json);
    json_float(json, "floor_share", (float)floor_share(report, side));
    json_end_object(json);
}

static void write_bytes(json *json, const lmb_gpu_bytes *row) {
    json_begin_named(json, row->name);
    json_unsigned(json, "buffers", row->count);
    json_unsigned(json, "bytes", row->bytes);
    json_end_object(json);
}

static void write_cost(json *json, const lmb_node_def *node, const lmb_node_cost *cost) {
    json_begin_object(json, NULL);
    json_text(json, "operation", lmb_op_name(node->op));
    json_begin_array(json, "inputs");
    for (uint32_t i = 0; i < node->input_count; i++) {
        json_unsigned(json, NULL, node->inputs[i]);
    }
    json_end_array(json);
    json_unsigned(json, "uses", cost->uses);
    json_float(json, "ns_alone", (float)cost->alone);
    json_float(json, "ns_with_inputs", (float)cost->with_inputs);
    json_end_object(json);
}

static void print_json(const profiling *report) {
    json json = json_begin(stdout);
    json_text(&json, "file", report->subject.place);
    json_unsigned(&json, "joints", lmb_graph_get_info(report->batch.graph)->joint_count);
    json_unsigned(&json, "characters", report->batch.character_count);
    json_unsigned(&json, "frames", report->frame_count);
    json_unsigned(&json, "inertia_bytes", report->inertia_bytes);
    json_begin_array(&json, "sides");
    for (uint32_t i = 0; i < report->side_count; i++) {
        write_stages(&json, report, &report->sides[i]);
    }
    json_end_array(&json);
    json_begin_array(&json, "bytes");
    for (uint32_t i = 0; i < report->bytes_count; i++) {
        write_bytes(&json, &report->bytes[i]);
    }
    json_end_array(&json);
    json_float(&json, "rest_ns", (float)report->rest);
    json_begin_array(&json, "nodes");
    for (uint32_t i = 0; i < report->crowd.program_def.node_count; i++) {
        write_cost(&json, &report->crowd.program_def.nodes[i], &report->costs[i]);
    }
    json_end_array(&json);
    json_end(&json);
}

// ---- The command.

static lmb_result profile(subject *subject, lmb_error *error) {
    profiling *profiling = (struct profiling *)subject;
    const lmb_result result = profile_crowd(profiling, error);
    if (result == LMB_OK) {
        (profiling->as_json ? print_json : print_text)(profiling);
    }
    return close_all(profiling, result, error);
}

// Reads the value of --random-graph.
static const char *read_program(const char *text, void *target) {
    uint64_t program = 0;
    const bool is_good = option_read_whole(text, UINT32_MAX, &program);
    *(uint32_t *)target = (uint32_t)program;
    return is_good ? NULL : "below 4294967296";
}

int command_profile(int argc, char **argv) {
    profiling profiling = {.subject = {.gpu = true}, .character_count = 1000, .frame_count = 32, .seed = 1};
    const option options[] = {
        OPTION_GRAPH(&profiling.subject),
        OPTION_CHARACTER(&profiling.subject),
        OPTION_NAMES(&profiling.subject),
        OPTION_SKELETON(&profiling.subject),
        OPTION_SCALES(&profiling.subject),
        OPTION_SPLIT(&profiling.subject),
        OPTION_BVH_UNIT(&profiling.subject),
        {"--characters", OPTION_COUNT, &profiling.character_count, "N", "characters of the crowd (1000)"},
        {"--frames", OPTION_COUNT, &profiling.frame_count, "N", "frames after a first one that does not count (32)"},
        {"--seed", OPTION_NUMBER, &profiling.seed, "S", "what the crowd is drawn from (1)"},
        {"--random-graph", OPTION_OTHER, &(option_other){read_program, &profiling.program}, "N",
         "which graph of the seed: 0 has every operation (0)"},
        OPTION_DEVICE(&profiling.subject),
        {"--no-device", OPTION_FLAG, &profiling.no_device, NULL, "the CPU alone"},
        {"--cpu-bandwidth", OPTION_COUNT, &profiling.cpu_bandwidth, "GB/S", "report the share of the floor"},
        {"--device-bandwidth", OPTION_COUNT, &profiling.device_bandwidth, "GB/S", "the same for the device"},
        {"--trace", OPTION_TEXT, &profiling.trace_path, "FILE", "write a trace for chrome://tracing or Perfetto"},
        OPTION_JSON(&profiling.as_json),
        {0}};
    const usage usage = {
        .command = "limber profile",
        .synopsis = "FILE... [--graph FILE|JSON] [--characters N] [--frames N] [--device NAME|INDEX] [--trace FILE] "
                    "[--json] ...",
        .text =
            "Runs a crowd, of a random graph or of the one given, on the CPU's fast path, on one thread, and on a\n"
            "Vulkan device, and reports how long each stage takes, what a batch takes of the device's memory, and "
            "what\n"
            "each node of the graph costs, measured on the CPU. The floor is the time that the palettes' bytes take\n"
            "at the given bandwidth. Where the graph moves by itself, its control is measured too, and each character "
            "gets\n"
            "one of its events in one of 16 frames.\n" CHARACTER_HELP,
        .options = options,
        .files = OPTION_SOME_FILES};
    return subject_command(&profiling.subject, &usage, argc, argv, profile);
}
