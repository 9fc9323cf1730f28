// A rollback on a device: frames in flight run with a guess, snapshots come from what is read back, and when late input
// arrives, eight frames run again from one of them. Snapshots, and all frames from then on, have the bits of a CPU that
// had the input in time. Hashes computed on the device are those of the words.
#include "suite.h"

#include "flight.h"
#include "refusal.h"
#include "walkers.h"

#include <limber/gpu_readback.h>

enum {
    ROWS = WALKERS_ROWS,
    SLOTS = FLIGHT_SLOTS,
    CHANGED = 24,
    ARRIVES = 32,
    FRAMES = 50,
    KEPT = 16,
    RUNS = FRAMES + ARRIVES - CHANGED
};
enum { NEEDED = LMB_READBACK_STATES_BIT | LMB_READBACK_INERTIA_BIT | LMB_READBACK_REACHED_BIT };
enum { WORDS = LMB_SNAPSHOT_HEADER_WORDS + ROWS * (WALKERS_STATE + WALKERS_INERTIA + 1) };

static device opened;
static lmb_gpu *gpu;

typedef struct fixture {
    lmb_graph *graph;
    lmb_gpu_graph *gpu_graph;
    lmb_gpu_batch *batch;
    lmb_gpu_readback *readback;
    flight flight;
    size_t size; // of a snapshot
    uint32_t run_count;
    uint32_t runs[RUNS]; // the frame of each run
    uint32_t arrived;    // runs that were read back
    uint32_t different;  // of them, runs that differ from the CPU's frame
    uint32_t saved[KEPT][WORDS];
    uint32_t expected[FRAMES][WORDS];       // of the CPU, after each frame
    float palettes[ROWS * WALKERS_PALETTE]; // of the CPU, after the last frame
} fixture;

// The events of frame CHANGED are others, and known only if `knows`.
static uint32_t events_of(const lmb_graph *graph, uint32_t frame, bool knows, lmb_event events[ROWS]) {
    if (frame != CHANGED) {
        return walkers_events(graph, frame, walkers_in_order, ROWS, events);
    }
    for (uint32_t row = 0; row < 3; row++) {
        events[row] = (lmb_event){row, row == 1 ? LMB_EVENT_RESET : lmb_graph_find_event(graph, "jump")};
    }
    return knows ? 3 : 0;
}

static void run_on_cpu(fixture *f) {
    lmb_error error = {0};
    walkers *c = walkers_create(walker_graph(), LMB_CPU_REFERENCE);
    const lmb_character_words words = walkers_words(c);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        lmb_event events[ROWS];
        const uint32_t event_count = events_of(f->graph, frame, true, events);
        walkers_run_with(c, frame, walkers_in_order, ROWS, events, event_count);
        assert_ok(lmb_snapshot_save(f->graph, &words, frame, f->expected[frame], f->size, &error), &error);
    }
    memcpy(f->palettes, c->palettes, sizeof f->palettes);
    walkers_destroy(c);
}

static void open_fixture(fixture *f) {
    lmb_error error = {0};
    memset(f, 0, sizeof *f);
    f->graph = walker_graph();
    f->size = lmb_snapshot_size(f->graph, ROWS);
    assert_true(f->size <= sizeof f->saved[0] && lmb_graph_get_info(f->graph)->parameter_count <= WALKERS_PARAMETERS);
    assert_ok(lmb_gpu_graph_create(gpu, f->graph, &f->gpu_graph, &error), &error);
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.graph = f->gpu_graph;
    def.character_count = ROWS;
    def.slot_count = SLOTS;
    def.restored_a_frame = ROWS;
    def.span_bytes = 3 * (lmb_graph_get_info(f->graph)->inertia_words + 40) * sizeof(uint32_t);
    assert_ok(lmb_gpu_batch_create(gpu, &def, &f->batch, &error), &error);
    assert_true(lmb_gpu_batch_span_count(f->batch) > 1);
    lmb_gpu_readback_def readback = lmb_default_gpu_readback_def();
    readback.batch = f->batch;
    readback.contents = NEEDED | LMB_READBACK_HASHES_BIT;
    assert_ok(lmb_gpu_readback_create(gpu, &readback, &f->readback, &error), &error);
    flight_open(&f->flight, &opened);
}

static void close_fixture(fixture *f) {
    flight_close(&f->flight);
    lmb_gpu_readback_destroy(f->readback);
    lmb_gpu_batch_destroy(f->batch);
    lmb_gpu_graph_destroy(f->gpu_graph);
    lmb_graph_destroy(f->graph);
}

// Those of the device are those of the words that it wrote.
static void expect_hashes(const lmb_graph *graph, const lmb_gpu_readback_frame *found) {
    lmb_error error = {0};
    uint64_t hashes[ROWS];
    const lmb_character_words words = {.states = (uint32_t *)(uintptr_t)found->states,
                                       .inertia = (uint32_t *)(uintptr_t)found->inertia,
                                       .reached = (uint32_t *)(uintptr_t)found->reached,
                                       .row_count = ROWS,
                                       .count = ROWS};
    assert_ok(lmb_characters_hash(graph, &words, hashes, &error), &error);
    assert_memory_equal(found->hashes, hashes, sizeof hashes);
}

// Saves what has arrived, and compares it with the CPU.
static void read_back(fixture *f, uint32_t slot) {
    lmb_error error = {0};
    lmb_gpu_readback_frame found;
    flight_wait(&f->flight, slot);
    assert_ok(lmb_gpu_readback_completed(f->readback, slot, &error), &error);
    while (lmb_gpu_readback_next(f->readback, &found)) {
        const uint32_t frame = f->runs[f->arrived++];
        assert_true(found.number == frame && found.missed == 0 && found.character_count == ROWS);
        uint32_t *saved = f->saved[frame % KEPT];
        assert_ok(lmb_gpu_readback_save(f->readback, &found, NULL, ROWS, frame, saved, f->size, &error), &error);
        f->different += memcmp(saved, f->expected[frame], f->size) != 0;
        expect_hashes(f->graph, &found);
    }
}

// Runs a frame with what is known: late input from the frame on in which it arrives.
static void run_frame(fixture *f, uint32_t frame, bool knows, const uint32_t *restored) {
    lmb_error error = {0};
    const uint32_t slot = f->run_count % SLOTS;
    lmb_event events[ROWS];
    read_back(f, slot);
    const uint32_t count = events_of(f->graph, frame, knows, events);
    for (uint32_t i = 0; i < count; i++) {
        assert_ok(lmb_gpu_batch_send(f->batch, slot, events[i].character, events[i].event, &error), &error);
    }
    if (restored != NULL) {
        assert_ok(lmb_gpu_batch_restore(f->batch, slot, restored, f->size, NULL, &error), &error);
    }
    walkers_input(f->graph, frame, walkers_in_order, ROWS, lmb_gpu_batch_parameters(f->batch, slot));
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    info.commands = flight_begin(&f->flight, slot);
    info.slot = slot;
    info.step = LMB_TICKS_PER_SECOND / 60;
    info.number = frame;
    if (f->run_count == 0) {
        assert_ok(lmb_gpu_graph_record_upload(f->gpu_graph, info.commands, &error), &error);
    }
    assert_ok(lmb_gpu_batch_record(f->batch, &info, &error), &error);
    assert_ok(lmb_gpu_readback_record(f->readback, slot, info.commands, &error), &error);
    flight_submit(&f->flight, slot);
    f->runs[f->run_count++] = frame;
}

// Returns how many rows have other words of reached targets in two snapshots.
static uint32_t reached_otherwise(const fixture *f, const uint32_t *a, const uint32_t *b) {
    lmb_snapshot x, y;
    uint32_t count = 0;
    assert_int_equal(lmb_snapshot_open(a, f->size, &x, NULL), LMB_OK);
    assert_int_equal(lmb_snapshot_open(b, f->size, &y, NULL), LMB_OK);
    for (uint32_t row = 0; row < ROWS; row++) {
        count += x.reached[row] != y.reached[row];
    }
    return count;
}

static void frames_run_again_have_the_bits_of_the_cpu(void **state) {
    (void)state;
    static fixture f;
    open_fixture(&f);
    run_on_cpu(&f);
    for (uint32_t frame = 0; frame < ARRIVES; frame++) {
        run_frame(&f, frame, false, NULL);
    }
    // Nothing waits: the newest frames are still in flight, and the snapshot arrived long ago.
    assert_true(f.arrived >= CHANGED && f.arrived < ARRIVES);
    run_frame(&f, CHANGED, true, f.saved[(CHANGED - 1) % KEPT]);
    for (uint32_t frame = CHANGED + 1; frame < FRAMES; frame++) {
        run_frame(&f, frame, true, NULL);
        if (frame + 1 == CHANGED + SLOTS) { // the last guess has arrived: what the device had when it went back
            const uint32_t *last = f.saved[(ARRIVES - 1) % KEPT];
            assert_true(reached_otherwise(&f, f.expected[CHANGED - 1], last) > 0);
        }
    }
    for (uint32_t i = 0; i < SLOTS; i++) {
        read_back(&f, (f.run_count + i) % SLOTS);
    }
    assert_int_equal(f.arrived, RUNS);
    assert_int_equal(f.different, ARRIVES - CHANGED); // those that guessed
    float found[ROWS * WALKERS_PALETTE];
    lmb_error error = {0};
    assert_ok(device_read_output(&opened, f.batch, (f.run_count - 1) % SLOTS, LMB_OUTPUT_PALETTE, found, &error),
              &error);
    assert_memory_equal(found, f.palettes, sizeof found);
    close_fixture(&f);
}

static void bad_arguments_are_refused(void **state) {
    (void)state;
    static fixture f;
    static uint32_t words[ROWS * WALKERS_INERTIA];
    static const uint32_t beyond[1] = {ROWS};
    lmb_error error = {0};
    open_fixture(&f);
    uint32_t *saved = f.saved[0];
    lmb_gpu_readback_frame frame = {.states = words, .inertia = words, .reached = words, .character_count = ROWS};
    CHECK_REFUSAL(lmb_gpu_readback_save(NULL, &frame, NULL, 1, 0, saved, f.size, &error), &error, LMB_ERROR_ARGUMENT,
                  "gpu readback: it is NULL");
    CHECK_REFUSAL(lmb_gpu_readback_save(f.readback, NULL, NULL, 1, 0, saved, f.size, &error), &error,
                  LMB_ERROR_ARGUMENT, "gpu readback: the frame is NULL");
    CHECK_REFUSAL(lmb_gpu_readback_save(f.readback, &frame, beyond, 1, 0, saved, f.size, &error), &error,
                  LMB_ERROR_ARGUMENT, "there is no character 7 of 7");
    CHECK_REFUSAL(lmb_gpu_readback_save(f.readback, &frame, NULL, ROWS, 0, saved, f.size - 1, &error), &error,
                  LMB_ERROR_LIMIT, "room");
    frame.inertia = NULL;
    CHECK_REFUSAL(lmb_gpu_readback_save(f.readback, &frame, NULL, 1, 0, saved, f.size, &error), &error,
                  LMB_ERROR_ARGUMENT, "inertia");
    frame.recorded = 1;
    CHECK_REFUSAL(lmb_gpu_readback_save(f.readback, &frame, NULL, 1, 0, saved, f.size, &error), &error, LMB_ERROR_STATE,
                  "gpu readback: the pointers of frame 0 are no longer valid");
    close_fixture(&f);
    lmb_graph *still = walker_graph_of("{'op':'clip','clip':'walk','play':true}");
    lmb_gpu_graph *gpu_still;
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    lmb_gpu_readback_def readback = lmb_default_gpu_readback_def();
    lmb_gpu_batch *batch;
    lmb_gpu_readback *none;
    assert_ok(lmb_gpu_graph_create(gpu, still, &gpu_still, &error), &error);
    def.graph = gpu_still;
    def.character_count = 1;
    assert_ok(lmb_gpu_batch_create(gpu, &def, &batch, &error), &error);
    readback.batch = batch;
    readback.contents = LMB_READBACK_INERTIA_BIT;
    CHECK_REFUSAL(lmb_gpu_readback_create(gpu, &readback, &none, &error), &error, LMB_ERROR_ARGUMENT,
                  "gpu readback: the batch has no words of inertialization");
    lmb_gpu_batch_destroy(batch);
    lmb_gpu_graph_destroy(gpu_still);
    lmb_graph_destroy(still);
}

// A graph without inertialization and targets, of more characters than a workgroup hashes: the words of a part are
// missing, and one that was not read back is hashed.
static void hashes_of_states_alone_are_those_of_the_cpu(void **state) {
    (void)state;
    enum { CHARACTERS = 21 };
    lmb_error error = {0};
    lmb_graph *still = walker_graph_of("{'op':'clip','clip':'walk','play':true}");
    assert_true(lmb_graph_get_info(still)->inertia_words == 0 && lmb_graph_get_info(still)->reached_count == 0);
    lmb_gpu_graph *gpu_still;
    lmb_gpu_batch *batch;
    lmb_gpu_readback *both[2];
    const uint32_t contents[2] = {LMB_READBACK_HASHES_BIT, LMB_READBACK_STATES_BIT};
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    flight f;
    flight_open(&f, &opened);
    assert_ok(lmb_gpu_graph_create(gpu, still, &gpu_still, &error), &error);
    def.graph = gpu_still;
    def.character_count = CHARACTERS;
    assert_ok(lmb_gpu_batch_create(gpu, &def, &batch, &error), &error);
    for (int i = 0; i < 2; i++) {
        lmb_gpu_readback_def readback = lmb_default_gpu_readback_def();
        readback.batch = batch;
        readback.contents = contents[i];
        assert_ok(lmb_gpu_readback_create(gpu, &readback, &both[i], &error), &error);
    }
    for (uint32_t i = 0; i < CHARACTERS * lmb_graph_get_info(still)->parameter_count; i++) {
        lmb_gpu_batch_parameters(batch, 0)[i] = 0.125f * (float)i;
    }
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    info.commands = flight_begin(&f, 0);
    info.step = LMB_TICKS_PER_SECOND / 7;
    assert_ok(lmb_gpu_graph_record_upload(gpu_still, info.commands, &error), &error);
    assert_ok(lmb_gpu_batch_record(batch, &info, &error), &error);
    for (int i = 0; i < 2; i++) {
        assert_ok(lmb_gpu_readback_record(both[i], 0, info.commands, &error), &error);
    }
    flight_submit(&f, 0);
    flight_wait(&f, 0);
    lmb_gpu_readback_frame found[2];
    for (int i = 0; i < 2; i++) {
        assert_ok(lmb_gpu_readback_completed(both[i], 0, &error), &error);
        assert_true(lmb_gpu_readback_next(both[i], &found[i]));
    }
    assert_true(found[0].states == NULL && found[0].hashes != NULL && found[1].hashes == NULL);
    uint64_t hashes[CHARACTERS];
    const lmb_character_words words = {
        .states = (uint32_t *)(uintptr_t)found[1].states, .row_count = CHARACTERS, .count = CHARACTERS};
    assert_ok(lmb_characters_hash(still, &words, hashes, &error), &error);
    assert_memory_equal(found[0].hashes, hashes, sizeof hashes);
    flight_close(&f);
    lmb_gpu_readback_destroy(both[1]);
    lmb_gpu_readback_destroy(both[0]);
    lmb_gpu_batch_destroy(batch);
    lmb_gpu_graph_destroy(gpu_still);
    lmb_graph_destroy(still);
}

static int start(void **state) {
    lmb_error error = {0};
    walker_set_up(state);
    open_device(&opened);
    const lmb_gpu_def def = device_gpu_def(&opened);
    assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
    return 0;
}

static int finish(void **state) {
    lmb_gpu_destroy(gpu);
    close_device(&opened);
    return walker_tear_down(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(frames_run_again_have_the_bits_of_the_cpu),
                                       cmocka_unit_test(hashes_of_states_alone_are_those_of_the_cpu),
                                       cmocka_unit_test(bad_arguments_are_refused)};
    return run_gpu_suite_with("rollback_gpu_test", tests, sizeof tests / sizeof tests[0], start, finish);
}
