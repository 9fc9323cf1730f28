// Characters of a batch on a device that join, leave, are placed, respawned, moved and restored while it runs: every
// frame has the bits of the CPU, where lmb_characters_place() and so on change the rows. Several spans, an update in
// every third frame, previous palettes of the same frame slot and of another one. Bad arguments are refused by name.
#include "suite.h"

#include "failing_host.h"
#include "gpu_suite.h"
#include "refusal.h"
#include "walker.h"

#include <limber/cpu.h>
#include <limber/gpu.h>
#include <limber/snapshot.h>

enum { ROWS = 9, STATE = 256, INERTIA = 512, PARAMETERS = 16, PALETTE = WALKER_JOINTS * 12, FRAMES = 90, SLOTS = 2 };

// Shared by all tests, so that drivers compile kernels once.
static device opened;
static failing_host counts;
static lmb_gpu *gpu;

// ---- The same crowd on the CPU and on the device.

typedef struct side {
    lmb_cpu *cpu;
    uint32_t states[ROWS * STATE];
    uint32_t inertia[ROWS * INERTIA];
    uint32_t reached[ROWS];
    float parameters[ROWS * PARAMETERS];
    float motions[ROWS * LMB_MOTION_FLOATS];
    float palettes[ROWS * PALETTE];
    float previous[ROWS * PALETTE];
    bool is_new[ROWS]; // its previous palette is that of the frame
} side;

typedef struct fixture {
    lmb_graph *graph;
    lmb_gpu_graph *gpu_graph;
    lmb_gpu_batch *batch;
    uint32_t slot_count;
    bool uploaded;
    uint32_t count; // characters that run
    uint32_t last_slot;
    uint32_t random;
    side here;
} fixture;

static uint32_t next_random(fixture *f, uint32_t below) {
    f->random = f->random * 1664525u + 1013904223u;
    return (f->random >> 8) % below;
}

static lmb_graph *updated_rarely(void) {
    return walker_graph_of("{'update-every':3,'interpolate-updates':true," //
                           WALKER_MEMBERS("walk", "hop", "jump", "land", "0.25"));
}

static void open_fixture(fixture *f, lmb_graph *graph, uint32_t slots, const lmb_motion *motions) {
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    lmb_error error = {0};
    *f = (fixture){.graph = graph, .slot_count = slots, .count = ROWS, .random = 12345};
    assert_ok(lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &f->here.cpu, &error), &error);
    assert_ok(lmb_gpu_graph_create(gpu, graph, &f->gpu_graph, &error), &error);
    const size_t states = info->state_words, inertia = info->inertia_words;
    assert_true(states > 0 && states <= STATE && inertia > 0 && inertia <= INERTIA);
    assert_true(info->parameter_count <= PARAMETERS && info->reached_count == 1);
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.graph = f->gpu_graph;
    def.character_count = ROWS;
    def.outputs = LMB_OUTPUT_PALETTE_BIT | LMB_OUTPUT_PREVIOUS_PALETTE_BIT;
    def.slot_count = slots;
    def.span_bytes = 4 * (inertia + 40) * sizeof(uint32_t);
    def.restored_a_frame = ROWS;
    def.motions = motions;
    assert_ok(lmb_gpu_batch_create(gpu, &def, &f->batch, &error), &error);
    assert_true(lmb_gpu_batch_span_count(f->batch) > 1);
}

static void close_fixture(fixture *f) {
    lmb_gpu_batch_destroy(f->batch);
    lmb_gpu_graph_destroy(f->gpu_graph);
    lmb_cpu_destroy(f->here.cpu);
    lmb_graph_destroy(f->graph);
}

static lmb_character_words words_of(fixture *f) {
    return (lmb_character_words){.states = f->here.states,
                                 .inertia = f->here.inertia,
                                 .reached = f->here.reached,
                                 .row_count = ROWS,
                                 .count = ROWS};
}

static void write_parameters(fixture *f, uint32_t frame) {
    const uint32_t count = lmb_graph_get_info(f->graph)->parameter_count;
    for (uint32_t row = 0; row < f->count; row++) {
        float *parameters = f->here.parameters + (size_t)row * count;
        parameters[lmb_graph_find_parameter(f->graph, "pace")] = 0.5f + 0.25f * (float)row;
        parameters[lmb_graph_find_parameter(f->graph, "now")] = (float)frame / 60.0f;
    }
}

static void run_here(fixture *f, uint32_t frame, const lmb_event *events, uint32_t event_count, bool has_previous) {
    side *here = &f->here;
    lmb_control_frame control = lmb_default_control_frame();
    control.step = LMB_TICKS_PER_SECOND / 60;
    control.number = frame;
    control.character_count = f->count;
    control.state = here->states;
    control.parameters = here->parameters;
    control.events = events;
    control.event_count = event_count;
    control.motions = here->motions;
    control.reached = here->reached;
    const lmb_batch_def batch = {f->graph, f->count, LMB_OUTPUT_PALETTE_BIT | LMB_OUTPUT_PREVIOUS_PALETTE_BIT};
    const lmb_batch_inputs inputs = {.control = &control, .previous_palette = has_previous ? here->palettes : NULL};
    const lmb_batch_outputs outputs = {
        .buffers = {[LMB_OUTPUT_PALETTE] = here->palettes, [LMB_OUTPUT_PREVIOUS_PALETTE] = here->previous},
        .inertia = here->inertia,
        .reached = here->reached};
    lmb_error error = {0};
    assert_ok(lmb_cpu_run(here->cpu, &batch, &inputs, &outputs, &error), &error);
    for (uint32_t row = 0; row < f->count; row++) {
        if (here->is_new[row]) {
            memcpy(here->previous + (size_t)row * PALETTE, here->palettes + (size_t)row * PALETTE,
                   PALETTE * sizeof(float));
        }
        here->is_new[row] = false;
    }
}

static void run_there(fixture *f, uint32_t slot, uint32_t frame, bool has_previous) {
    lmb_error error = {0};
    VkCommandPool pool;
    VkCommandBuffer commands;
    memcpy(lmb_gpu_batch_parameters(f->batch, slot), f->here.parameters,
           (size_t)f->count * lmb_graph_get_info(f->graph)->parameter_count * sizeof(float));
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    if (!f->uploaded) {
        assert_ok(lmb_gpu_graph_record_upload(f->gpu_graph, commands, &error), &error);
        f->uploaded = true;
    }
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    info.commands = commands;
    info.slot = slot;
    info.step = LMB_TICKS_PER_SECOND / 60;
    info.number = frame;
    info.character_count = f->count == ROWS ? 0 : f->count;
    info.has_previous_slot = has_previous;
    info.previous_slot = f->last_slot;
    const uint32_t asked = counts.asked;
    assert_ok(lmb_gpu_batch_record(f->batch, &info, &error), &error);
    assert_int_equal(counts.asked, asked); // nothing is allocated
    assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
    f->last_slot = slot;
}

static void run_frame(fixture *f, uint32_t frame) {
    lmb_error error = {0};
    const uint32_t slot = frame % f->slot_count;
    const bool has_previous = frame > 0;
    lmb_event events[ROWS];
    uint32_t event_count = 0;
    for (uint32_t row = 0; row < f->count; row++) {
        if ((frame + 5 * row) % 23 == 3) {
            events[event_count] = (lmb_event){row, lmb_graph_find_event(f->graph, "jump")};
            const lmb_event *event = &events[event_count++];
            assert_ok(lmb_gpu_batch_send(f->batch, slot, event->character, event->event, &error), &error);
        }
    }
    write_parameters(f, frame);
    run_there(f, slot, frame, has_previous);
    run_here(f, frame, events, event_count, has_previous);
}

static void compare_output(const fixture *f, lmb_output output, const float *expected) {
    float found[ROWS * PALETTE];
    lmb_error error = {0};
    assert_ok(device_read_output(&opened, f->batch, f->last_slot, output, found, &error), &error);
    assert_memory_equal(found, expected, (size_t)f->count * PALETTE * sizeof(float));
}

// Everything that is kept of all rows, and the outputs of those that run.
static void compare(const fixture *f) {
    lmb_error error = {0};
    uint32_t words[ROWS * INERTIA];
    float motions[ROWS * LMB_MOTION_FLOATS];
    const lmb_gpu_span states = lmb_gpu_batch_state(f->batch), reached = lmb_gpu_batch_reached(f->batch);
    const lmb_gpu_span moved = lmb_gpu_batch_motions(f->batch, f->last_slot);
    assert_ok(device_read_span(&opened, &states, words, &error), &error);
    assert_memory_equal(words, f->here.states, states.size);
    assert_ok(device_read_inertia(&opened, f->batch, words, &error), &error);
    assert_memory_equal(words, f->here.inertia, ROWS * lmb_graph_get_info(f->graph)->inertia_words * sizeof(uint32_t));
    assert_ok(device_read_span(&opened, &reached, words, &error), &error);
    assert_memory_equal(words, f->here.reached, reached.size);
    assert_ok(device_read_span(&opened, &moved, motions, &error), &error);
    assert_memory_equal(motions, f->here.motions, (size_t)f->count * LMB_MOTION_FLOATS * sizeof(float));
    compare_output(f, LMB_OUTPUT_PALETTE, f->here.palettes);
    compare_output(f, LMB_OUTPUT_PREVIOUS_PALETTE, f->here.previous);
}

// ---- Changes, on both sides.

static void place(fixture *f, uint32_t slot, uint32_t row, const lmb_motion *motion) {
    lmb_error error = {0};
    const lmb_character_words words = words_of(f);
    assert_ok(lmb_gpu_batch_place(f->batch, slot, row, motion, &error), &error);
    assert_ok(lmb_characters_place(f->graph, &words, row, motion, &error), &error);
}

static void respawn(fixture *f, uint32_t slot, uint32_t row, const lmb_motion *motion) {
    lmb_error error = {0};
    const lmb_character_words words = words_of(f);
    assert_ok(lmb_gpu_batch_respawn(f->batch, slot, row, motion, &error), &error);
    assert_ok(lmb_characters_respawn(f->graph, &words, row, motion, &error), &error);
    f->here.is_new[row] = true;
}

// A previous palette moves along, as it is when the frame begins: the palettes of the last frame.
static void move(fixture *f, uint32_t slot, uint32_t from, uint32_t to) {
    lmb_error error = {0};
    const lmb_character_words words = words_of(f);
    assert_ok(lmb_gpu_batch_move(f->batch, slot, from, to, &error), &error);
    assert_ok(lmb_characters_move(f->graph, &words, from, to, &error), &error);
    memmove(f->here.palettes + (size_t)to * PALETTE, f->here.palettes + (size_t)from * PALETTE,
            PALETTE * sizeof(float));
    f->here.is_new[to] = f->here.is_new[from];
}

static lmb_motion random_motion(fixture *f) {
    return (lmb_motion){.position = {next_random(f, 1000) * 0.125, next_random(f, 10), next_random(f, 1000) - 500.0},
                        .yaw = next_random(f, 600) * 0.01 - 3.0};
}

static void change_something(fixture *f, uint32_t slot) {
    const lmb_motion motion = random_motion(f);
    const uint32_t row = next_random(f, f->count), other = next_random(f, ROWS);
    switch (next_random(f, 6)) {
    case 0:
        place(f, slot, row, &motion);
        break;
    case 1:
        respawn(f, slot, row, next_random(f, 2) == 0 ? &motion : NULL);
        break;
    case 2: // joins
        if (f->count < ROWS) {
            respawn(f, slot, f->count++, &motion);
        }
        break;
    case 3: // leaves
        if (f->count > 2) {
            f->count--;
            move(f, slot, f->count, next_random(f, f->count));
        }
        break;
    default: // also rows that do not run
        move(f, slot, row, other);
    }
}

static void run_changes(lmb_graph *graph, uint32_t slots) {
    fixture f;
    lmb_motion motions[ROWS];
    const lmb_character_words words = {
        .states = f.here.states, .inertia = f.here.inertia, .reached = f.here.reached, .row_count = ROWS};
    for (uint32_t row = 0; row < ROWS; row++) {
        motions[row] = (lmb_motion){.position = {row, 0.5 * row, -3.0}, .yaw = 0.25 * row};
    }
    open_fixture(&f, graph, slots, motions);
    for (uint32_t row = 0; row < ROWS; row++) {
        assert_int_equal(lmb_characters_place(graph, &words, row, &motions[row], NULL), LMB_OK);
    }
    uint32_t seen = 0; // which numbers of characters ran
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        for (uint32_t i = next_random(&f, 5); i > 0; i--) {
            change_something(&f, frame % slots);
        }
        run_frame(&f, frame);
        compare(&f);
        seen |= 1u << f.count;
    }
    assert_true((seen & (seen - 1)) != 0);
    close_fixture(&f);
}

static void changes_have_the_bits_of_the_cpu(void **state) {
    (void)state;
    run_changes(walker_graph(), SLOTS);
}

static void a_frame_slot_has_its_own_previous_palettes(void **state) {
    (void)state;
    run_changes(walker_graph(), 1);
}

// Rows that do not run keep their states, beside those that are shown between updates.
static void rows_between_updates_are_kept(void **state) {
    (void)state;
    run_changes(updated_rarely(), SLOTS);
}

// Calls have the effect of their order, although all are in one frame.
static void calls_count_in_their_order(void **state) {
    (void)state;
    fixture f;
    open_fixture(&f, walker_graph(), SLOTS, NULL);
    for (uint32_t frame = 0; frame < 20; frame++) {
        run_frame(&f, frame);
    }
    const lmb_motion first = {.position = {1.0, 2.0, 3.0}}, second = {.position = {-4.0, 0.0, 9.0}, .yaw = 2.0};
    place(&f, 0, 3, &first);
    place(&f, 0, 3, &second);
    move(&f, 0, 3, 0); // takes the second place along
    place(&f, 0, 3, &first);
    move(&f, 0, 1, 2); // rows 1 and 2 change places
    move(&f, 0, 8, 1);
    move(&f, 0, 2, 8);
    move(&f, 0, 8, 2);
    respawn(&f, 0, 5, &first);
    move(&f, 0, 5, 6);
    place(&f, 0, 6, &second);
    move(&f, 0, 4, 7);
    respawn(&f, 0, 4, NULL);
    run_frame(&f, 20);
    compare(&f);
    close_fixture(&f);
}

// A snapshot from the CPU, restored to other rows and changed in the same frame.
static void snapshots_are_restored(void **state) {
    (void)state;
    static const uint32_t saved[3] = {7, 0, 4}, restored[3] = {1, 8, 3};
    uint32_t bytes[3 * (STATE + INERTIA + 1) + LMB_SNAPSHOT_HEADER_WORDS];
    lmb_error error = {0};
    fixture f;
    open_fixture(&f, walker_graph(), SLOTS, NULL);
    lmb_character_words some = words_of(&f);
    some.count = 3;
    const size_t size = lmb_snapshot_size(f.graph, 3);
    for (uint32_t frame = 0; frame < 60; frame++) {
        if (frame == 11) {
            some.characters = saved;
            assert_ok(lmb_snapshot_save(f.graph, &some, frame, bytes, sizeof bytes, &error), &error);
        }
        if (frame == 40) {
            const lmb_motion motion = {.position = {3.0, 0.0, 1.0}};
            some.characters = restored;
            place(&f, frame % SLOTS, 8, &motion); // undone
            assert_ok(lmb_gpu_batch_restore(f.batch, frame % SLOTS, bytes, size, restored, &error), &error);
            assert_ok(lmb_snapshot_restore(f.graph, bytes, size, &some, &error), &error);
            place(&f, frame % SLOTS, 3, &motion);
            move(&f, frame % SLOTS, 8, 2);
            respawn(&f, frame % SLOTS, 1, &motion);
        }
        run_frame(&f, frame);
    }
    compare(&f);
    close_fixture(&f);
}

static lmb_result create_batch(lmb_gpu_batch_def *def, lmb_error *error) {
    lmb_gpu_batch *batch = NULL;
    const lmb_result result = lmb_gpu_batch_create(gpu, def, &batch, error);
    lmb_gpu_batch_destroy(batch);
    return result;
}

static void bad_batches_are_refused(void **state) {
    (void)state;
    lmb_error error = {0};
    fixture f;
    open_fixture(&f, walker_graph(), 1, NULL);
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    lmb_motion motions[2] = {{.yaw = 1.0}, {.position = {0.0, 3e9, 0.0}}};
    def.graph = f.gpu_graph;
    def.character_count = 2;
    def.motions = motions;
    CHECK_REFUSAL(create_batch(&def, &error), &error, LMB_ERROR_ARGUMENT, "gpu batch: motions[1]: ", "3e+09");
    lmb_graph *still = walker_graph_of("{'op':'clip','clip':'walk','play':true}");
    lmb_gpu_graph *gpu_still;
    assert_ok(lmb_gpu_graph_create(gpu, still, &gpu_still, &error), &error);
    def.graph = gpu_still;
    CHECK_REFUSAL(create_batch(&def, &error), &error, LMB_ERROR_ARGUMENT, "gpu batch: motions: the graph has no");
    def.motions = NULL;
    lmb_gpu_batch *batch;
    assert_ok(lmb_gpu_batch_create(gpu, &def, &batch, &error), &error);
    CHECK_REFUSAL(lmb_gpu_batch_place(batch, 0, 0, motions, &error), &error, LMB_ERROR_ARGUMENT,
                  "gpu batch: the graph has no character motion");
    CHECK_REFUSAL(lmb_gpu_batch_respawn(batch, 0, 0, motions, &error), &error, LMB_ERROR_ARGUMENT,
                  "gpu batch: the graph has no character motion");
    assert_ok(lmb_gpu_batch_respawn(batch, 0, 0, NULL, &error), &error);
    lmb_gpu_batch_destroy(batch);
    lmb_gpu_graph_destroy(gpu_still);
    lmb_graph_destroy(still);
    close_fixture(&f);
}

static void bad_changes_are_refused(void **state) {
    (void)state;
    lmb_error error = {0};
    fixture f;
    open_fixture(&f, walker_graph(), 1, NULL);
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    const lmb_motion motion = {.yaw = 1.0}, far = {.position = {1e10, 0.0, 0.0}};
    lmb_gpu_batch *batch;
    def.graph = f.gpu_graph;
    def.character_count = 4;
    def.changes_a_frame = 2;
    def.restored_a_frame = 1;
    assert_ok(lmb_gpu_batch_create(gpu, &def, &batch, &error), &error);
    CHECK_REFUSAL(lmb_gpu_batch_place(NULL, 0, 0, &motion, &error), &error, LMB_ERROR_ARGUMENT, "it is NULL");
    CHECK_REFUSAL(lmb_gpu_batch_respawn(NULL, 0, 0, &motion, &error), &error, LMB_ERROR_ARGUMENT, "it is NULL");
    CHECK_REFUSAL(lmb_gpu_batch_move(NULL, 0, 0, 1, &error), &error, LMB_ERROR_ARGUMENT, "it is NULL");
    CHECK_REFUSAL(lmb_gpu_batch_restore(NULL, 0, NULL, 0, NULL, &error), &error, LMB_ERROR_ARGUMENT, "it is NULL");
    CHECK_REFUSAL(lmb_gpu_batch_place(batch, 2, 0, &motion, &error), &error, LMB_ERROR_ARGUMENT, "frame slot");
    CHECK_REFUSAL(lmb_gpu_batch_place(batch, 1, 4, &motion, &error), &error, LMB_ERROR_ARGUMENT, "no character 4");
    CHECK_REFUSAL(lmb_gpu_batch_place(batch, 0, 0, NULL, &error), &error, LMB_ERROR_ARGUMENT, "the motion is NULL");
    CHECK_REFUSAL(lmb_gpu_batch_place(batch, 0, 0, &far, &error), &error, LMB_ERROR_ARGUMENT, "gpu batch: ", "1e+10");
    CHECK_REFUSAL(lmb_gpu_batch_respawn(batch, 0, 0, &far, &error), &error, LMB_ERROR_ARGUMENT, "1e+10");
    CHECK_REFUSAL(lmb_gpu_batch_move(batch, 0, 0, 4, &error), &error, LMB_ERROR_ARGUMENT, "no character 4");
    CHECK_REFUSAL(lmb_gpu_batch_move(batch, 0, 4, 0, &error), &error, LMB_ERROR_ARGUMENT, "no character 4");
    // Two characters change, each as often as it likes.
    assert_ok(lmb_gpu_batch_place(batch, 0, 0, &motion, &error), &error);
    assert_ok(lmb_gpu_batch_respawn(batch, 0, 3, &motion, &error), &error);
    assert_ok(lmb_gpu_batch_move(batch, 0, 2, 0, &error), &error);
    assert_ok(lmb_gpu_batch_move(batch, 0, 1, 1, &error), &error);
    CHECK_REFUSAL(lmb_gpu_batch_place(batch, 0, 1, &motion, &error), &error, LMB_ERROR_LIMIT, "changes of 2 char");
    CHECK_REFUSAL(lmb_gpu_batch_respawn(batch, 0, 1, NULL, &error), &error, LMB_ERROR_LIMIT, "changes of 2 char");
    CHECK_REFUSAL(lmb_gpu_batch_move(batch, 0, 0, 1, &error), &error, LMB_ERROR_LIMIT, "changes of 2 char");
    assert_ok(lmb_gpu_batch_place(batch, 1, 1, &motion, &error), &error); // another slot
    uint32_t bytes[2 * (STATE + INERTIA + 1) + LMB_SNAPSHOT_HEADER_WORDS];
    static const uint32_t rows[2] = {3, 4};
    lmb_character_words words = words_of(&f);
    words.count = 2;
    assert_ok(lmb_snapshot_save(f.graph, &words, 0, bytes, sizeof bytes, &error), &error);
    size_t size = lmb_snapshot_size(f.graph, 2);
    CHECK_REFUSAL(lmb_gpu_batch_restore(batch, 0, bytes, size, rows, &error), &error, LMB_ERROR_ARGUMENT,
                  "characters[1]: there is no character 4");
    CHECK_REFUSAL(lmb_gpu_batch_restore(batch, 0, bytes, size - 4, NULL, &error), &error, LMB_ERROR_FORMAT, "bytes");
    CHECK_REFUSAL(lmb_gpu_batch_restore(batch, 0, bytes, size, NULL, &error), &error, LMB_ERROR_LIMIT,
                  "a frame restores 1 characters");
    words.count = 1;
    assert_ok(lmb_snapshot_save(f.graph, &words, 0, bytes, sizeof bytes, &error), &error);
    size = lmb_snapshot_size(f.graph, 1);
    CHECK_REFUSAL(lmb_gpu_batch_restore(batch, 2, bytes, size, NULL, &error), &error, LMB_ERROR_ARGUMENT, "slot");
    const uint32_t other[1] = {1};
    CHECK_REFUSAL(lmb_gpu_batch_restore(batch, 0, bytes, size, other, &error), &error, LMB_ERROR_LIMIT, "2 char");
    bytes[6] ^= 1u; // of the fingerprint
    CHECK_REFUSAL(lmb_gpu_batch_restore(batch, 0, bytes, size, NULL, &error), &error, LMB_ERROR_FORMAT,
                  "another graph");
    bytes[6] ^= 1u;
    assert_ok(lmb_gpu_batch_restore(batch, 0, bytes, size, NULL, &error), &error);
    lmb_gpu_batch_destroy(batch);
    def.changes_a_frame = 0;
    assert_ok(lmb_gpu_batch_create(gpu, &def, &batch, &error), &error);
    CHECK_REFUSAL(lmb_gpu_batch_place(batch, 0, 0, &motion, &error), &error, LMB_ERROR_LIMIT, "changes of 0 char");
    CHECK_REFUSAL(lmb_gpu_batch_restore(batch, 0, bytes, size, NULL, &error), &error, LMB_ERROR_LIMIT, "restores");
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    VkCommandPool pool;
    assert_ok(device_begin(&opened, &pool, &info.commands, &error), &error);
    info.character_count = 5;
    CHECK_REFUSAL(lmb_gpu_batch_record(batch, &info, &error), &error, LMB_ERROR_ARGUMENT,
                  "5 characters are more than the 4");
    assert_ok(device_submit_and_wait(&opened, pool, info.commands, &error), &error);
    lmb_gpu_batch_destroy(batch);
    close_fixture(&f);
}

static int start(void **state) {
    lmb_error error = {0};
    walker_set_up(state);
    open_device(&opened);
    const lmb_host host = failing_host_of(&counts);
    const lmb_gpu_def def = device_gpu_def(&opened);
    assert_ok(lmb_gpu_create(&def, &host, &gpu, &error), &error);
    return 0;
}

static int finish(void **state) {
    lmb_gpu_destroy(gpu);
    close_device(&opened);
    assert_int_equal(counts.live, 0);
    return walker_tear_down(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(changes_have_the_bits_of_the_cpu),
                                       cmocka_unit_test(a_frame_slot_has_its_own_previous_palettes),
                                       cmocka_unit_test(rows_between_updates_are_kept),
                                       cmocka_unit_test(calls_count_in_their_order),
                                       cmocka_unit_test(snapshots_are_restored),
                                       cmocka_unit_test(bad_batches_are_refused),
                                       cmocka_unit_test(bad_changes_are_refused)};
    return run_gpu_suite_with("character_rows_gpu_test", tests, sizeof tests / sizeof tests[0], start, finish);
}
