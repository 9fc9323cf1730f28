// Each row opens its own batch. Its first frame is compared with the reference; then frames are timed until the row has
// used its seconds: one alone, ten in a row, and one with a profile. Parameters stay the same, and no events are sent.
#include "frames.h"

#include "clock.h"
#include "crowd.h"
#include "movement.h"
#include "terminal.h"

#include <limber/gpu_profile.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SIZES = 5,
    MOST_COMPARED = 64, // characters
    MOST_SAMPLES = 400,
    FEWEST_SAMPLES = 3,
    FRAMES_IN_A_ROW = 10,
    SHORT_CROWD = 17,
    SHORT_JOINTS = 29
};

// A workload with some crowds. A short run has one small crowd, with fewer joints, of those that are marked for it,
// because drivers that run on the processor compile each for seconds.
typedef struct scene {
    workload_kind kind;
    actor_kind clips;
    uint32_t joints;
    bool compressed;
    bool is_short;
    uint32_t sizes[MOST_SIZES]; // 0: no more
} scene;

static const scene scenes[] = {
    {WORKLOAD_FOUR_CLIPS, ACTOR_PROCEDURAL, 67, false, true, {16, 1000, 10000, 100000, 1000000}},
    {WORKLOAD_FOUR_CLIPS, ACTOR_PROCEDURAL, 24, false, false, {100000}},
    {WORKLOAD_FOUR_CLIPS, ACTOR_PROCEDURAL, 200, false, false, {10000, 33792}},
    {WORKLOAD_FOUR_CLIPS, ACTOR_MANNEQUIN, 67, false, false, {100000}},
    {WORKLOAD_FOUR_CLIPS, ACTOR_MANNEQUIN, 67, true, false, {100000}},
    {WORKLOAD_FOUR_CLIPS, ACTOR_PAB, 67, false, false, {100000}},
    {WORKLOAD_FOUR_CLIPS, ACTOR_PAB, 67, true, false, {100000}},
    {WORKLOAD_MACHINES, ACTOR_PROCEDURAL, 67, false, true, {16, 1000, 10000, 100000}},
    {WORKLOAD_DIVERGENT, ACTOR_MANNEQUIN, 67, false, false, {100000}},
    {WORKLOAD_DIVERGENT_STATES, ACTOR_MANNEQUIN, 67, false, false, {100000}},
    {WORKLOAD_DIVERGENT_CLIPS, ACTOR_MANNEQUIN, 67, false, true, {100000}},
    {WORKLOAD_GAME, ACTOR_MANNEQUIN, 67, false, false, {100000}},
    {WORKLOAD_RETARGET, ACTOR_MANNEQUIN, 67, false, false, {100000}}};

// One row.
typedef struct frames {
    lab *lab;
    lmb_gpu *gpu;
    const workload *workload;
    uint32_t characters;
    lmb_gpu_graph *graph;
    lmb_gpu_batch *batch;
    lmb_gpu_profile *profile; // NULL without timestamps
    float *parameters;        // of the first frame
    uint32_t number;          // of the next frame
} frames;

typedef enum stage { STAGE_PARAMETERS, STAGE_CONTROL, STAGE_POSES, STAGE_COUNT } stage;

typedef struct samples {
    double alone[MOST_SAMPLES];
    double in_a_row[MOST_SAMPLES];
    double stages[STAGE_COUNT][MOST_SAMPLES]; // microseconds; 0 without a profile
    uint32_t count;
    uint32_t dropped; // at a lower clock
} samples;

// What a row is about, for messages.
static const char *name_of(const frames *frames) {
    return workload_kind_name(frames->workload->kind);
}

static void require(const frames *frames, lmb_result result, const lmb_error *error) {
    lab_require(result, name_of(frames), error);
}

static void begin_commands(const frames *frames, VkCommandPool *pool, VkCommandBuffer *commands) {
    lmb_error error;
    require(frames, device_begin(&frames->lab->device, pool, commands, &error), &error);
}

static void record(frames *frames, VkCommandBuffer commands, lmb_gpu_profile *profile) {
    lmb_error error;
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    info.commands = commands;
    info.step = crowd_step(CROWD_WARM_FRAMES);
    info.number = frames->number++;
    info.profile = profile;
    require(frames, lmb_gpu_batch_record(frames->batch, &info, &error), &error);
}

// Returns the seconds of so many frames. With a profile, it has the times of the stages afterwards.
static double run(frames *frames, int count, lmb_gpu_profile *profile) {
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_error error;
    double taken;
    begin_commands(frames, &pool, &commands);
    device_timer_begin(&frames->lab->timer, commands);
    if (profile != NULL) {
        require(frames, lmb_gpu_profile_begin(profile, 0, commands, &error), &error);
    }
    for (int i = 0; i < count; i++) {
        record(frames, commands, profile);
    }
    require(frames, device_timer_submit(&frames->lab->timer, pool, commands, &taken, &error), &error);
    if (profile != NULL) {
        require(frames, lmb_gpu_profile_collect(profile, 0, NULL, &error), &error);
    }
    return taken;
}

static void create_profile(frames *frames) {
    lmb_error error;
    lmb_gpu_profile_def def = lmb_default_gpu_profile_def();
    def.queue_family = frames->lab->device.queue_family;
    def.slot_count = 1;
    const lmb_result result = lmb_gpu_profile_create(frames->gpu, &def, &frames->profile, &error);
    if (result != LMB_ERROR_UNSUPPORTED) {
        require(frames, result, &error);
    }
}

static void open_batch(frames *frames) {
    lmb_error error;
    require(frames, lmb_gpu_graph_create(frames->gpu, frames->workload->graph, &frames->graph, &error), &error);
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.graph = frames->graph;
    def.outputs = frames->workload->outputs;
    def.character_count = frames->characters;
    def.slot_count = 1;
    def.events_a_frame = frames->characters;
    require(frames, lmb_gpu_batch_create(frames->gpu, &def, &frames->batch, &error), &error);
    VkCommandPool pool;
    VkCommandBuffer commands;
    begin_commands(frames, &pool, &commands);
    const lmb_result recorded = lmb_gpu_graph_record_upload(frames->graph, commands, &error);
    require(frames, device_finish(&frames->lab->device, pool, commands, recorded, &error), &error);
    require(frames, lmb_gpu_graph_uploaded(frames->graph, &error), &error);
}

static void close_batch(frames *frames) {
    lmb_gpu_profile_destroy(frames->profile);
    lmb_gpu_batch_destroy(frames->batch);
    lmb_gpu_graph_destroy(frames->graph);
    free(frames->parameters);
}

// Writes the states of a crowd that the CPU has moved through the warm-up frames, after a frame that zeroes states.
// Then the CPU moves it through the first frame of the row.
static void move_crowd(frames *frames) {
    lmb_error error;
    movement movement;
    require(frames, movement_create(frames->workload, frames->characters, frames->parameters, &movement, &error),
            &error);
    (void)run(frames, 1, NULL);
    const lmb_gpu_span span = lmb_gpu_batch_state(frames->batch);
    require(frames, device_write_span(&frames->lab->device, &span, movement.state, &error), &error);
    workload_fill(frames->workload, frames->characters, 0, frames->parameters);
    movement.event_count = 0;
    require(frames, movement_run(&movement, 0, frames->parameters, &error), &error);
    movement_destroy(&movement);
}

// The parameters of the first frame on both sides.
static void fill_parameters(frames *frames) {
    const uint32_t count = lmb_graph_get_info(frames->workload->graph)->parameter_count;
    const lmb_error no_memory = {.result = LMB_ERROR_MEMORY, .message = "no memory for parameters"};
    frames->parameters = calloc(frames->characters, count * sizeof(float));
    require(frames, frames->parameters != NULL ? LMB_OK : LMB_ERROR_MEMORY, &no_memory);
    workload_fill(frames->workload, frames->characters, 0, lmb_gpu_batch_parameters(frames->batch, 0));
    workload_fill(frames->workload, frames->characters, 0, frames->parameters);
    if (workload_advances(frames->workload)) {
        move_crowd(frames);
    }
    frames->number = CROWD_WARM_FRAMES;
}

// Characters from the whole crowd, at equal distances, and their palettes on both sides.
typedef struct comparison {
    uint32_t count;
    uint32_t floats; // of a palette
    workload_outputs reference;
    float *found;
} comparison;

static uint32_t compared_character(const frames *frames, const comparison *comparison, uint32_t index) {
    return comparison->count > 1 ? (uint32_t)((uint64_t)index * (frames->characters - 1) / (comparison->count - 1)) : 0;
}

static void read_palette(const frames *frames, uint32_t character, uint32_t floats, float *palette) {
    lmb_error error;
    lmb_gpu_span span;
    for (uint32_t i = 0; lmb_gpu_batch_output(frames->batch, 0, LMB_OUTPUT_PALETTE, i, &span); i++) {
        if (character - span.first_character < span.character_count) {
            span.size = floats * sizeof *palette;
            span.offset += span.size * (character - span.first_character);
            require(frames, device_read_span(&frames->lab->device, &span, palette, &error), &error);
            return;
        }
    }
}

static void run_reference(const frames *frames, const comparison *comparison) {
    lmb_error error;
    lmb_cpu *cpu;
    workload_memory memory;
    const uint32_t count = lmb_graph_get_info(frames->workload->graph)->parameter_count;
    float *parameters = malloc(comparison->count * count * sizeof *parameters);
    const lmb_error no_memory = {.result = LMB_ERROR_MEMORY, .message = "no memory for parameters"};
    require(frames, parameters != NULL ? LMB_OK : LMB_ERROR_MEMORY, &no_memory);
    for (uint32_t i = 0; i < comparison->count; i++) {
        const uint32_t character = compared_character(frames, comparison, i);
        memcpy(parameters + i * count, frames->parameters + (size_t)character * count, count * sizeof *parameters);
    }
    require(frames, workload_memory_create(frames->workload, comparison->count, &memory, &error), &error);
    require(frames, lmb_cpu_create(frames->workload->graph, LMB_CPU_REFERENCE, NULL, &cpu, &error), &error);
    require(frames,
            workload_run(frames->workload, cpu, comparison->count, parameters, &memory, &comparison->reference, &error),
            &error);
    lmb_cpu_destroy(cpu);
    workload_memory_destroy(&memory);
    free(parameters);
}

// Returns the largest difference between two palettes; 0 if they have the same bits.
static double difference(const float *a, const float *b, size_t count) {
    double largest = 0.0;
    if (memcmp(a, b, count * sizeof *a) == 0) {
        return 0.0;
    }
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs((double)a[i] - (double)b[i]));
    }
    return fmax(largest, 1e-9); // other zeros or NaN
}

// Runs the first frame and compares its palettes.
static double compare(frames *frames) {
    const lmb_batch_def batch = lmb_gpu_batch_description(frames->batch);
    lmb_error error;
    comparison comparison = {.count = frames->characters < MOST_COMPARED ? frames->characters : MOST_COMPARED,
                             .floats = lmb_batch_output_floats(&batch, LMB_OUTPUT_PALETTE)};
    const size_t floats = (size_t)comparison.count * comparison.floats;
    const lmb_error no_memory = {.result = LMB_ERROR_MEMORY, .message = "no memory for palettes"};
    comparison.found = calloc(floats, sizeof *comparison.found);
    require(frames, comparison.found != NULL ? LMB_OK : LMB_ERROR_MEMORY, &no_memory);
    require(frames, workload_outputs_create(frames->workload, comparison.count, &comparison.reference, &error), &error);
    (void)run(frames, 1, NULL);
    for (uint32_t i = 0; i < comparison.count; i++) {
        read_palette(frames, compared_character(frames, &comparison, i), comparison.floats,
                     comparison.found + (size_t)i * comparison.floats);
    }
    run_reference(frames, &comparison);
    const double found = difference(comparison.found, comparison.reference.palettes, floats);
    workload_outputs_destroy(&comparison.reference);
    free(comparison.found);
    return found;
}

static void take_stages(frames *frames, samples *samples) {
    const lmb_profile *times = lmb_gpu_profile_times(frames->profile);
    double poses = 0.0;
    for (uint32_t i = LMB_GPU_STAGE_CHARACTERS; i <= LMB_GPU_STAGE_MODEL; i++) {
        poses += lmb_profile_total(times, i).count > 0 ? (double)lmb_profile_total(times, i).newest : 0.0;
    }
    samples->stages[STAGE_PARAMETERS][samples->count] =
        1e-3 * (double)lmb_profile_total(times, LMB_GPU_STAGE_PARAMETERS).newest;
    samples->stages[STAGE_CONTROL][samples->count] =
        1e-3 * (double)lmb_profile_total(times, LMB_GPU_STAGE_CONTROL).newest;
    samples->stages[STAGE_POSES][samples->count] = 1e-3 * poses;
}

// Takes a sample; drops it if the clock was lower before or after it.
static void take_sample(frames *frames, samples *samples) {
    const double before = pace_take(frames->lab);
    samples->alone[samples->count] = 1e6 * run(frames, 1, NULL);
    samples->in_a_row[samples->count] = frames->lab->is_processor
                                            ? samples->alone[samples->count]
                                            : 1e6 * run(frames, FRAMES_IN_A_ROW, NULL) / FRAMES_IN_A_ROW;
    if (frames->profile != NULL) {
        (void)run(frames, 1, frames->profile);
        take_stages(frames, samples);
    }
    if (pace_holds(frames->lab, before) && pace_holds(frames->lab, pace_take(frames->lab))) {
        samples->count++;
    } else {
        samples->dropped++;
    }
}

// On a device whose clock stays low it keeps the last sample. The row says how many were dropped.
static void measure(frames *frames, samples *samples) {
    const double begin = clock_seconds(), seconds = frames->lab->seconds;
    pace_raise(frames->lab);
    for (double spent = 0.0; samples->count < MOST_SAMPLES && (spent < seconds || samples->count < FEWEST_SAMPLES) &&
                             spent < 10 * seconds + 2;
         spent = clock_seconds() - begin) {
        take_sample(frames, samples);
    }
    samples->count += samples->count == 0;
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, uint32_t count) {
    qsort(values, count, sizeof *values, compare_doubles);
    return count > 0 ? values[count / 2] : NAN;
}

static void print_header(void) {
    terminal_print("%-17s %-10s %-10s %6s %10s %11s %9s %9s %10s %8s %9s %8s %s\n", "frames", "clips", "", "joints",
                   "characters", "us a char.", "alone us", "in a row", "parameters", "control", "poses", "dropped",
                   "bits");
}

static void print_row(const scene *scene, const frames *frames, samples *samples, double apart) {
    const double in_a_row = median(samples->in_a_row, samples->count);
    terminal_print("%-17s %-10s %-10s %6u %10u %11.5f %9.1f %9.1f %10.2f %8.2f %9.2f %8u ", name_of(frames),
                   actor_kind_name(scene->clips), scene->compressed ? "compressed" : "",
                   (unsigned)lmb_rig_get_def(frames->workload->actor->rig)->joint_count, (unsigned)frames->characters,
                   in_a_row / frames->characters, median(samples->alone, samples->count), in_a_row,
                   median(samples->stages[STAGE_PARAMETERS], samples->count),
                   median(samples->stages[STAGE_CONTROL], samples->count),
                   median(samples->stages[STAGE_POSES], samples->count), (unsigned)samples->dropped);
    if (apart == 0.0) {
        terminal_print("same\n");
    } else {
        terminal_print("%.1e apart\n", apart);
    }
    fflush(stdout);
}

static void run_size(lab *lab, lmb_gpu *gpu, const scene *scene, const workload *workload, uint32_t characters) {
    static samples samples;
    frames frames = {.lab = lab, .gpu = gpu, .workload = workload, .characters = characters};
    memset(&samples, 0, sizeof samples);
    open_batch(&frames);
    create_profile(&frames);
    fill_parameters(&frames);
    const double apart = compare(&frames);
    measure(&frames, &samples);
    print_row(scene, &frames, &samples, apart);
    close_batch(&frames);
}

static void run_scene(lab *lab, lmb_gpu *gpu, const scene *scene) {
    actor actor;
    workload workload = {0};
    lmb_error error;
    const uint32_t joints = lab->is_short ? SHORT_JOINTS : scene->joints;
    const lmb_result created = actor_create(scene->clips, joints, scene->compressed, &actor, &error);
    if (created == LMB_ERROR_FILE || created == LMB_ERROR_UNSUPPORTED) {
        terminal_print("%-17s %-10s left out: %s\n", workload_kind_name(scene->kind), actor_kind_name(scene->clips),
                       error.message);
        actor_destroy(&actor);
        return;
    }
    lab_require(created, actor_kind_name(scene->clips), &error);
    lab_require(workload_create(scene->kind, &actor, &workload, &error), workload_kind_name(scene->kind), &error);
    if (lab->is_short) {
        run_size(lab, gpu, scene, &workload, SHORT_CROWD);
    }
    for (int i = 0; i < MOST_SIZES && scene->sizes[i] != 0 && !lab->is_short; i++) {
        run_size(lab, gpu, scene, &workload, scene->sizes[i]);
    }
    workload_destroy(&workload);
    actor_destroy(&actor);
}

void frames_run(lab *lab) {
    lmb_error error;
    lmb_gpu *gpu = NULL;
    const lmb_gpu_def def = device_gpu_def(&lab->device);
    lab_require(lmb_gpu_create(&def, NULL, &gpu, &error), "frames", &error);
    print_header();
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        if (!lab->is_short || scenes[i].is_short) {
            run_scene(lab, gpu, &scenes[i]);
        }
    }
    lmb_gpu_destroy(gpu);
}
