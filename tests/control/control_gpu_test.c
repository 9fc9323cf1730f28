// The control on a Vulkan device: during random events, the device has the same states, emitted events and poses as the
// CPU, bit by bit. LIMBER_FRAMES is the number of frames of 1,000 characters; 10,000 have a golden hash. Frames start
// at LIMBER_FIRST, and other frames have other events. LIMBER_SECONDS ends them early.
#include "suite.h"

#include "control_scenario.h"
#include "gpu_suite.h"

#include "gpu/control.h"
#include <limber/compare.h>
#include <limber/cpu.h>
#include <string.h>
#include <time.h>

enum { SLOTS = 8 };

// All cases share them, so drivers compile the kernel of a control once.
static device opened;
static lmb_gpu *gpu;

typedef struct fixture {
    lmb_gpu_graph *gpu_program;
    lmb_gpu_batch *batch;
    lmb_gpu_control *control;
    control_scenario scenario;
    device_buffer list; // of posed characters, after their number; none if all are posed
} fixture;

typedef lmb_result create_function(control_scenario *scenario, uint32_t character_count, lmb_error *error);

static void open_scenario(fixture *f, uint32_t characters, create_function *create) {
    lmb_error error = {0};
    memset(f, 0, sizeof *f);
    assert_ok(create(&f->scenario, characters, &error), &error);
    assert_ok(lmb_gpu_graph_create(gpu, f->scenario.program, &f->gpu_program, &error), &error);
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.graph = f->gpu_program;
    def.character_count = characters;
    def.outputs = LMB_OUTPUT_LOCAL_BIT;
    def.slot_count = SLOTS;
    assert_ok(lmb_gpu_batch_create(gpu, &def, &f->batch, &error), &error);
    lmb_gpu_control_def control_def = lmb_default_gpu_control_def();
    control_def.control = f->scenario.control->control;
    control_def.graph = f->gpu_program;
    control_def.character_count = characters;
    control_def.slot_count = SLOTS;
    control_def.events_a_frame = characters;
    control_def.emits_events = true;
    assert_ok(lmb_gpu_control_create(gpu, &control_def, &f->control, &error), &error);
    lmb_gpu_batch_set_control(f->batch, f->control);
}

static void open_fixture(fixture *f, uint32_t characters) {
    open_scenario(f, characters, control_scenario_create);
}

static void close_fixture(fixture *f) {
    lmb_gpu_batch_destroy(f->batch); // with its control
    lmb_gpu_graph_destroy(f->gpu_program);
    control_scenario_destroy(&f->scenario);
}

// Records the frame into the commands for the device, and runs it immediately on the CPU.
static void run_frame(fixture *f, VkCommandBuffer commands, uint32_t frame) {
    lmb_error error = {0};
    const uint32_t slot = frame % SLOTS;
    control_scenario_begin_frame(&f->scenario, frame);
    memcpy(lmb_gpu_batch_parameters(f->batch, slot), f->scenario.parameters,
           (size_t)f->scenario.character_count * CONTROL_SCENARIO_PARAMETERS * sizeof(float));
    // The library sorts events, so characters may be in any order.
    for (uint32_t i = f->scenario.event_count; i-- > 0;) {
        const lmb_event event = f->scenario.events[i];
        assert_ok(lmb_gpu_control_send(f->control, slot, event.character, event.event, &error), &error);
    }
    lmb_gpu_record_info info = {.commands = commands, .slot = slot, .step = f->scenario.step, .number = frame};
    if (f->list.buffer != VK_NULL_HANDLE) {
        info.list_count = f->list.address;
        info.list = f->list.address + sizeof(uint32_t);
        info.list_capacity = 3;
    }
    assert_ok(lmb_gpu_batch_record(f->batch, &info, &error), &error);
    assert_ok(control_scenario_run(&f->scenario, frame, &error), &error);
}

static void expect_same_words(const char *what, const uint32_t *a, const uint32_t *b, size_t count, uint32_t frame) {
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i]) {
            fail_msg("frame %u: %s: word %zu is 0x%08x on the device and 0x%08x here", frame, what, i, a[i], b[i]);
        }
    }
}

static void expect_same_states(fixture *f, uint32_t frame) {
    lmb_error error = {0};
    const lmb_gpu_span span = lmb_gpu_control_state(f->control);
    uint32_t *words = malloc(span.size);
    assert_non_null(words);
    assert_ok(device_read_span(&opened, &span, words, &error), &error);
    expect_same_words("state", words, f->scenario.state, span.size / sizeof *words, frame);
    free(words);
}

static void expect_same_emitted(fixture *f, uint32_t frame) {
    lmb_error error = {0};
    const lmb_gpu_span span = lmb_gpu_control_emitted(f->control, frame % SLOTS);
    uint32_t *words = malloc(span.size);
    assert_non_null(words);
    assert_ok(device_read_span(&opened, &span, words, &error), &error);
    expect_same_words("emitted", words, f->scenario.emitted, span.size / sizeof *words, frame);
    free(words);
}

static void expect_same_character_motions(fixture *f, uint32_t frame) {
    lmb_error error = {0};
    const lmb_gpu_span span = lmb_gpu_control_motions(f->control, frame % SLOTS);
    if (!lmb_graph_get_info(f->scenario.control)->has_motion) {
        assert_int_equal(span.size, 0);
        return;
    }
    assert_int_equal(span.size, f->scenario.character_count * LMB_MOTION_FLOATS * sizeof(float));
    uint32_t *there = malloc(span.size), *here = malloc(span.size);
    assert_true(there != NULL && here != NULL);
    assert_ok(device_read_span(&opened, &span, there, &error), &error);
    memcpy(here, f->scenario.motions, span.size);
    expect_same_words("character motions", there, here, span.size / sizeof *here, frame);
    free(there);
    free(here);
}

static void expect_same_poses(fixture *f, uint32_t frame) {
    lmb_error error = {0};
    const lmb_batch_def batch = lmb_gpu_batch_description(f->batch);
    const size_t floats = (size_t)batch.character_count * LMB_POSE_COMPONENTS;
    float *here = malloc(floats * sizeof *here), *there = malloc(floats * sizeof *there);
    assert_true(here != NULL && there != NULL);
    lmb_cpu *cpu = NULL;
    assert_ok(lmb_cpu_create(f->scenario.program, LMB_CPU_REFERENCE, NULL, &cpu, &error), &error);
    const lmb_batch_inputs inputs = {.parameters = f->scenario.parameters};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_LOCAL] = here};
    assert_ok(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), &error);
    assert_ok(device_read_output(&opened, f->batch, frame % SLOTS, LMB_OUTPUT_LOCAL, there, &error), &error);
    assert_int_equal(memcmp(here, there, floats * sizeof *here), 0);
    lmb_cpu_destroy(cpu);
    free(here);
    free(there);
}

// Runs frames from `begin`, a multiple of SLOTS, until `end` or, if `stop` is not 0, until that time. Returns their
// number.
static uint32_t run_frames_until(fixture *f, uint32_t begin, uint32_t end, time_t stop) {
    lmb_error error = {0};
    uint32_t done = 0;
    while (done < end - begin && (done == 0 || stop == 0 || time(NULL) < stop)) {
        const uint32_t first = begin + done;
        const uint32_t frames = end - first < SLOTS ? end - first : SLOTS;
        VkCommandPool pool;
        VkCommandBuffer commands;
        assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
        if (first == begin) {
            assert_ok(lmb_gpu_graph_record_upload(f->gpu_program, commands, &error), &error);
        }
        for (uint32_t frame = first; frame < first + frames; frame++) {
            run_frame(f, commands, frame);
        }
        assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
        if (done % (SLOTS * 16) == 0 || first + frames == end) {
            expect_same_states(f, first + frames - 1);
            expect_same_emitted(f, first + frames - 1);
            expect_same_character_motions(f, first + frames - 1);
            expect_same_poses(f, first + frames - 1);
        }
        done += frames;
    }
    return done;
}

static void run_frames(fixture *f, uint32_t frames) {
    run_frames_until(f, 0, frames, 0);
}

// If cases are quick, runs a quarter of the frames. They have no hash of their own, but are compared with the CPU.
static void expect_golden(create_function *create, uint64_t golden) {
    fixture f;
    open_scenario(&f, CONTROL_GOLDEN_CHARACTERS, create);
    run_frames(&f, suite_is_quick() ? CONTROL_GOLDEN_FRAMES / 4 : CONTROL_GOLDEN_FRAMES);
    const uint64_t hash = control_scenario_hash(&f.scenario);
    if (hash != golden && !suite_is_quick()) {
        fail_msg("0x%016llx", (unsigned long long)hash);
    }
    close_fixture(&f);
}

static void golden_hash(void **state) {
    (void)state;
    expect_golden(control_scenario_create, control_scenario_golden);
}

static void golden_hash_of_character_motions(void **state) {
    (void)state;
    expect_golden(motion_scenario_create, motion_scenario_golden);
}

static void random_events(void **state) {
    (void)state;
    const uint32_t begin = suite_first() / SLOTS * SLOTS;
    const uint32_t frames = suite_number("LIMBER_FRAMES", suite_is_quick() ? 24 : 96);
    const time_t stop = suite_seconds() > 0 ? time(NULL) + suite_seconds() : 0;
    fixture f;
    open_scenario(&f, CONTROL_LONG_CHARACTERS, motion_scenario_create);
    const uint32_t done = run_frames_until(&f, begin, begin + frames, stop);
    const bool is_golden = begin == 0 && done == CONTROL_LONG_FRAMES;
    if (is_golden) {
        assert_true(control_scenario_hash(&f.scenario) == motion_scenario_long_golden);
    }
    printf("random events: %u frames from %u%s\n", done, begin, is_golden ? ", the golden hash" : "");
    close_fixture(&f);
}

// Groups that span states of machines, with weights from a position in a plane.
static void stretched_groups(void **state) {
    (void)state;
    suite_full_only(); // its graph needs an interpreter, which takes long to compile
    fixture f;
    open_scenario(&f, 70, stretched_scenario_create);
    run_frames(&f, 96);
    close_fixture(&f);
}

// Characters with interpolated updates.
static void interpolated_updates(void **state) {
    (void)state;
    fixture f;
    open_scenario(&f, 70, interpolated_scenario_create);
    run_frames(&f, 99); // ends between updates
    close_fixture(&f);
}

// Characters with culled poses are still updated: their states, character motions and emitted events.
static void culled_poses(void **state) {
    (void)state;
    fixture f;
    lmb_error error = {0};
    open_scenario(&f, 70, motion_scenario_create);
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    assert_ok(device_buffer_create(&opened, 4 * sizeof(uint32_t), usage, true, &f.list, &error), &error);
    memcpy(f.list.mapped, (const uint32_t[]){2, 5, 69, 0}, 4 * sizeof(uint32_t));
    VkCommandPool pool;
    VkCommandBuffer commands;
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    assert_ok(lmb_gpu_graph_record_upload(f.gpu_program, commands, &error), &error);
    for (uint32_t frame = 0; frame < SLOTS; frame++) {
        run_frame(&f, commands, frame);
    }
    assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
    expect_same_states(&f, SLOTS - 1);
    expect_same_emitted(&f, SLOTS - 1);
    expect_same_character_motions(&f, SLOTS - 1);
    // The character motions are not zero.
    assert_true(f.scenario.motions[2] != 0.0f && f.scenario.motions[6 * LMB_MOTION_FLOATS + 2] != 0.0f);
    device_buffer_destroy(&opened, &f.list);
    close_fixture(&f);
}

// A state that was saved and restored gives the same frames again.
static void saved_and_restored(void **state) {
    (void)state;
    fixture f;
    lmb_error error = {0};
    open_scenario(&f, 70, motion_scenario_create);
    run_frames(&f, 16);
    const lmb_gpu_span span = lmb_gpu_control_state(f.control);
    device_buffer saved;
    assert_ok(device_buffer_create(&opened, span.size,
                                   VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true, &saved,
                                   &error),
              &error);
    uint64_t hashes[2];
    for (int round = 0; round < 2; round++) {
        VkCommandPool pool;
        VkCommandBuffer commands;
        assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
        const VkBufferCopy copy = {.size = span.size};
        vkCmdCopyBuffer(commands, round == 0 ? span.buffer : saved.buffer, round == 0 ? saved.buffer : span.buffer, 1,
                        &copy);
        assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
        memcpy(f.scenario.state, saved.mapped, span.size);
        assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
        for (uint32_t frame = 16; frame < 16 + SLOTS; frame++) {
            run_frame(&f, commands, frame);
        }
        assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
        expect_same_states(&f, 16 + SLOTS - 1);
        hashes[round] = control_scenario_hash(&f.scenario);
    }
    assert_int_equal(hashes[0], hashes[1]);
    device_buffer_destroy(&opened, &saved);
    close_fixture(&f);
}

static void refusals(void **state) {
    (void)state;
    fixture f;
    lmb_error error = {0};
    open_fixture(&f, 3);
    VkCommandPool pool;
    VkCommandBuffer commands;
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    assert_ok(lmb_gpu_graph_record_upload(f.gpu_program, commands, &error), &error);
    lmb_gpu_record_info info = {.commands = commands, .step = LMB_MAX_STEP_TICKS + 1};
    assert_int_equal(lmb_gpu_batch_record(f.batch, &info, &error), LMB_ERROR_ARGUMENT);
    assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
    lmb_gpu_control *made = NULL;
    lmb_gpu_control_def def = lmb_default_gpu_control_def();
    assert_int_equal(lmb_gpu_control_create(gpu, &def, &made, &error), LMB_ERROR_ARGUMENT);
    def.control = f.scenario.control->control;
    assert_int_equal(lmb_gpu_control_create(gpu, &def, &made, &error), LMB_ERROR_ARGUMENT);
    def.graph = f.gpu_program;
    def.character_count = 3;
    def.slot_count = SLOTS;
    assert_int_equal(lmb_gpu_control_create(NULL, &def, &made, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_gpu_control_create(gpu, NULL, &made, &error), LMB_ERROR_ARGUMENT);
    def.events_a_frame = UINT32_MAX;
    assert_int_equal(lmb_gpu_control_create(gpu, &def, &made, &error), LMB_ERROR_LIMIT);
    control_def other_def = default_control_def();
    lmb_graph *other = NULL;
    assert_ok(control_create(&other_def, NULL, NULL, &other, &error), &error);
    def = lmb_default_gpu_control_def();
    def.control = other->control;
    def.graph = f.gpu_program;
    def.character_count = 3;
    def.slot_count = SLOTS;
    assert_int_equal(lmb_gpu_control_create(gpu, &def, &made, &error), LMB_ERROR_ARGUMENT);
    assert_null(made);
    lmb_graph_destroy(other);
    // A control with a program must have the batch's program, not an equal one.
    control_scenario like;
    assert_ok(control_scenario_create(&like, 1, &error), &error);
    other_def.parameter_count = CONTROL_SCENARIO_PARAMETERS;
    for (int is_same = 0; is_same < 2; is_same++) {
        assert_ok(control_create(&other_def, is_same ? f.scenario.program : like.program, NULL, &other, &error),
                  &error);
        def.control = other->control;
        if (is_same) {
            assert_ok(lmb_gpu_control_create(gpu, &def, &made, &error), &error);
            lmb_gpu_control_destroy(made);
            made = NULL;
        } else {
            assert_int_equal(lmb_gpu_control_create(gpu, &def, &made, &error), LMB_ERROR_ARGUMENT);
            assert_string_equal(error.message, "gpu control: its graph is not the batch's");
            assert_null(made);
        }
        lmb_graph_destroy(other);
    }
    control_scenario_destroy(&like);
    assert_int_equal(lmb_gpu_control_send(NULL, 0, 0, 0, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_gpu_control_send(f.control, SLOTS, 0, 0, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_gpu_control_send(f.control, 0, 3, 0, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_gpu_control_send(f.control, 0, 0, CONTROL_SCENARIO_EVENTS, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_gpu_control_send(f.control, 0, 0, LMB_NONE, &error), LMB_ERROR_ARGUMENT);
    assert_string_equal(error.message, "gpu batch: the event is LMB_NONE, as of a name that was not found");
    for (int i = 0; i < 3; i++) {
        assert_ok(lmb_gpu_control_send(f.control, 0, 2, LMB_EVENT_RESET, &error), &error);
    }
    assert_int_equal(lmb_gpu_control_send(f.control, 0, 0, 0, &error), LMB_ERROR_LIMIT);
    assert_int_equal(lmb_gpu_control_emitted(f.control, SLOTS).size, 0);
    assert_int_equal(lmb_gpu_control_motions(f.control, 0).size, 0);
    lmb_gpu_control_destroy(NULL);
    close_fixture(&f);
}

static int start(void **state) {
    (void)state;
    lmb_error error = {0};
    open_device(&opened);
    const lmb_gpu_def def = device_gpu_def(&opened);
    assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
    return 0;
}

static int finish(void **state) {
    (void)state;
    lmb_gpu_destroy(gpu);
    return device_close(&opened) == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_hash),      cmocka_unit_test(golden_hash_of_character_motions),
        cmocka_unit_test(random_events),    cmocka_unit_test(saved_and_restored),
        cmocka_unit_test(stretched_groups), cmocka_unit_test(interpolated_updates),
        cmocka_unit_test(culled_poses),     cmocka_unit_test(refusals)};
    return run_gpu_suite_with("control_gpu", tests, sizeof tests / sizeof tests[0], start, finish);
}
