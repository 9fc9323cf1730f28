// Inertialization on a Vulkan device, from a machine's events to the final poses. In every frame, states, poses and
// memory equal those of the CPU, bit by bit, with each kernel that evaluates poses.
#include "control_def.h"
#include "gpu_suite.h"
#include "random.h"

#include "gpu/control.h"
#include <limber/cpu.h>

#include <string.h>

enum { CLIPS = 3, SLOTS = 2, EVENTS = 3, MOST_JOINTS = 700, MOST_CHARACTERS = 128 };
// A time and a weight for each clip, the inputs of the inertialization, then a level of detail.
enum { WEIGHTS = CLIPS, INERTIA = 2 * CLIPS, LEVEL = INERTIA + LMB_INERTIA_PARAMETERS, PARAMETERS };

typedef struct fixture {
    device device;
    lmb_gpu *gpu;
    lmb_rig *rig;
    lmb_clip *clips[CLIPS];
    lmb_graph *program;
    lmb_graph *control;
    lmb_gpu_graph *gpu_program;
    lmb_gpu_batch *batch;
    lmb_gpu_control *gpu_control;
    lmb_cpu *cpu;
    uint32_t joints;
    uint32_t characters;
    bool has_levels;
    bool corrects;         // a limb reaches for a target, after inertialization
    device_buffer list;    // of posed characters, after their number; none if all are posed
    uint32_t first_listed; // frame
    float *parameters;
    uint32_t *state;
    uint32_t *memory;
    float *shown;
    void *there; // read from the device
} fixture;

// Each joint moves and turns, along different paths in each clip.
static void make_clip(fixture *f, uint32_t index) {
    static const float times[] = {0.0f, 0.4f, 1.0f};
    static float values[MOST_JOINTS][3][12];
    static lmb_track_def tracks[3 * MOST_JOINTS];
    for (uint32_t joint = 0; joint < f->joints; joint++) {
        random_source source = random_branch(index, joint);
        for (uint32_t i = 0; i < 9; i++) {
            values[joint][0][i] = (float)random_between(&source, -1.0, 1.0);
            values[joint][2][i] = (float)random_between(&source, 0.8, 1.25);
        }
        for (uint32_t i = 0; i < 3; i++) {
            random_rotation(&source, values[joint][1] + 4 * i);
        }
        for (uint32_t channel = 0; channel < 3; channel++) {
            static const lmb_property channels[] = {LMB_PROPERTY_TRANSLATION, LMB_PROPERTY_ROTATION,
                                                    LMB_PROPERTY_SCALE};
            tracks[3 * joint + channel] = (lmb_track_def){.joint = joint,
                                                          .property = channels[channel],
                                                          .key_count = 3,
                                                          .times = times,
                                                          .values = values[joint][channel]};
        }
    }
    const lmb_clip_def def = {.duration = 1.0f, .tracks = tracks, .track_count = 3 * f->joints};
    lmb_error error;
    assert_ok(lmb_clip_create(f->rig, &def, NULL, &f->clips[index], &error), &error);
}

static void make_program(fixture *f) {
    static lmb_joint_def joints[MOST_JOINTS];
    lmb_error error;
    for (uint32_t i = 0; i < f->joints; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : (i - 1) / 2;
    }
    const lmb_rig_def rig = {.joints = joints, .joint_count = f->joints};
    assert_ok(lmb_rig_create(&rig, NULL, &f->rig, &error), &error);
    lmb_node_def nodes[CLIPS + 2];
    nodes[CLIPS] = lmb_default_node_def();
    nodes[CLIPS].op = LMB_OP_WEIGHTED;
    nodes[CLIPS].input_count = CLIPS;
    for (uint32_t i = 0; i < CLIPS; i++) {
        make_clip(f, i);
        nodes[i] = lmb_default_node_def();
        nodes[i].op = LMB_OP_CLIP;
        nodes[i].clip = lmb_constant((float)i);
        nodes[i].time = lmb_parameter(i);
        nodes[CLIPS].inputs[i] = i;
        nodes[CLIPS].weights[i] = lmb_parameter(WEIGHTS + i);
    }
    const lmb_value target[3] = {lmb_constant(0.5f), lmb_constant(0.25f), lmb_constant(-1.0f)};
    nodes[CLIPS + 1] = lmb_two_bone_node(CLIPS, 1, 4, 9, target);
    // The joints at the ends of branches exist only at level of detail 0.
    uint8_t levels[MOST_JOINTS];
    for (uint32_t i = 0; i < f->joints; i++) {
        levels[i] = 2 * i + 1 < f->joints ? LMB_MAX_LODS - 1 : 0;
    }
    const lmb_graph_def def = {.rig = f->rig,
                               .clips = (const lmb_clip *const *)f->clips,
                               .clip_count = CLIPS,
                               .nodes = nodes,
                               .node_count = f->corrects ? CLIPS + 2 : CLIPS + 1,
                               .parameter_count = PARAMETERS,
                               .max_lods = f->has_levels ? levels : NULL,
                               .lod = lmb_parameter(LEVEL),
                               .inertialize = true,
                               .inertia_parameters = INERTIA};
    assert_ok(lmb_graph_create(&def, NULL, &f->program, &error), &error);
}

// Each event leads to its state, with fades of different kinds.
static lmb_graph *make_control(const lmb_graph *program, uint32_t inertia_parameters) {
    control_player_def players[CLIPS];
    control_state_def states[CLIPS];
    lmb_transition_def transitions[EVENTS];
    for (uint32_t i = 0; i < CLIPS; i++) {
        players[i] = default_control_player_def();
        players[i].duration = 1.0f;
        players[i].time_parameter = i;
        players[i].machine = 0;
        players[i].state = i;
        states[i] = default_control_state_def();
        states[i].weight_parameter = WEIGHTS + i;
        transitions[i] = lmb_default_transition_def();
        transitions[i].to = i;
        transitions[i].event = i;
        transitions[i].fade = 0.15f + 0.1f * (float)i;
        transitions[i].kind = i == 1 ? LMB_FADE_SMOOTH : LMB_FADE_INERTIALIZED;
    }
    const control_machine_def machine = {states, CLIPS, transitions, EVENTS, LMB_NONE, 0, 0};
    control_def def = default_control_def();
    def.parameter_count = PARAMETERS;
    def.event_count = EVENTS;
    def.players = players;
    def.player_count = CLIPS;
    def.machines = &machine;
    def.machine_count = 1;
    def.inertialize = true;
    def.inertia_parameters = inertia_parameters;
    lmb_graph *control = NULL;
    lmb_error error;
    assert_ok(control_create(&def, program, NULL, &control, &error), &error);
    return control;
}

// Opens a fixture whose numbers and choices are set.
static void open_fixture(fixture *f, bool interprets, uint64_t span_bytes) {
    const uint32_t characters = f->characters;
    lmb_error error = {0};
    open_device(&f->device);
    lmb_gpu_def gpu_def = device_gpu_def(&f->device);
    gpu_def.interpret_graphs = interprets;
    assert_ok(lmb_gpu_create(&gpu_def, NULL, &f->gpu, &error), &error);
    make_program(f);
    f->control = make_control(f->program, INERTIA);
    assert_ok(lmb_cpu_create(f->program, LMB_CPU_REFERENCE, NULL, &f->cpu, &error), &error);
    assert_ok(lmb_gpu_graph_create(f->gpu, f->program, &f->gpu_program, &error), &error);
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.graph = f->gpu_program;
    def.character_count = characters;
    def.outputs = LMB_OUTPUT_LOCAL_BIT;
    def.slot_count = SLOTS;
    def.span_bytes = span_bytes;
    assert_ok(lmb_gpu_batch_create(f->gpu, &def, &f->batch, &error), &error);
    lmb_gpu_control_def control_def = lmb_default_gpu_control_def();
    control_def.control = f->control->control;
    control_def.graph = f->gpu_program;
    control_def.character_count = f->characters;
    control_def.slot_count = SLOTS;
    assert_ok(lmb_gpu_control_create(f->gpu, &control_def, &f->gpu_control, &error), &error);
    lmb_gpu_batch_set_control(f->batch, f->gpu_control);
    const size_t words = lmb_graph_get_info(f->program)->inertia_words;
    f->parameters = calloc(characters, PARAMETERS * sizeof(float));
    f->state = calloc((size_t)characters * lmb_graph_get_info(f->control)->state_words, sizeof(uint32_t));
    f->memory = calloc(characters * words, sizeof(uint32_t));
    f->there = calloc(characters * words, sizeof(uint32_t));
    f->shown = calloc((size_t)characters * f->joints * LMB_POSE_COMPONENTS, sizeof(float));
    assert_true(f->parameters != NULL && f->state != NULL && f->memory != NULL && f->there != NULL && f->shown != NULL);
}

static void close_fixture(fixture *f) {
    device_buffer_destroy(&f->device, &f->list);
    lmb_gpu_batch_destroy(f->batch);
    lmb_gpu_graph_destroy(f->gpu_program);
    lmb_graph_destroy(f->control);
    lmb_cpu_destroy(f->cpu);
    lmb_graph_destroy(f->program);
    for (uint32_t i = 0; i < CLIPS; i++) {
        lmb_clip_destroy(f->clips[i]);
    }
    lmb_rig_destroy(f->rig);
    lmb_gpu_destroy(f->gpu);
    close_device(&f->device);
    free(f->parameters);
    free(f->state);
    free(f->memory);
    free(f->there);
    free(f->shown);
}

static uint32_t draw_events(const fixture *f, uint32_t frame, lmb_event *events) {
    random_source source = random_branch(99, frame);
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->characters; i++) {
        if (random_below(&source, 6) == 0) {
            const uint32_t event = random_below(&source, 4 * EVENTS);
            events[count++] = (lmb_event){i, event == 0 ? LMB_EVENT_RESET : event % EVENTS};
        }
    }
    return count;
}

// Sets the host's parameter, the level of detail.
static void set_levels(const fixture *f, uint32_t frame, float *parameters) {
    for (uint32_t i = 0; i < f->characters; i++) {
        parameters[i * PARAMETERS + LEVEL] = (float)((frame / 2 + i) % 3 == 0);
    }
}

static void run_here(fixture *f, uint32_t frame, const lmb_event *events, uint32_t count) {
    lmb_error error;
    set_levels(f, frame, f->parameters);
    const lmb_control_frame moved = {.step = LMB_TICKS_PER_SECOND / 60,
                                     .number = frame,
                                     .character_count = f->characters,
                                     .state = f->state,
                                     .parameters = f->parameters,
                                     .events = events,
                                     .event_count = count};
    assert_ok(lmb_control_run(f->control, &moved, 0, f->characters, &error), &error);
    const lmb_batch_def batch = lmb_gpu_batch_description(f->batch);
    const lmb_batch_inputs inputs = {.parameters = f->parameters};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_LOCAL] = f->shown, .inertia = f->memory};
    const uint32_t *list = f->list.mapped;
    assert_ok(list != NULL ? lmb_cpu_run_list(f->cpu, &batch, &inputs, &outputs, list + 1, list[0], &error)
                           : lmb_cpu_run(f->cpu, &batch, &inputs, &outputs, &error),
              &error);
}

static void run_there(fixture *f, uint32_t frame, const lmb_event *events, uint32_t count) {
    lmb_error error;
    VkCommandPool pool;
    VkCommandBuffer commands;
    const uint32_t slot = f->list.mapped != NULL ? 0 : frame % SLOTS; // unlisted characters keep the slot's poses
    assert_ok(device_begin(&f->device, &pool, &commands, &error), &error);
    if (frame == 0) {
        assert_ok(lmb_gpu_graph_record_upload(f->gpu_program, commands, &error), &error);
    }
    memset(lmb_gpu_batch_parameters(f->batch, slot), 0, f->characters * PARAMETERS * sizeof(float));
    set_levels(f, frame, lmb_gpu_batch_parameters(f->batch, slot));
    for (uint32_t i = 0; i < count; i++) {
        assert_ok(lmb_gpu_control_send(f->gpu_control, slot, events[i].character, events[i].event, &error), &error);
    }
    lmb_gpu_record_info info = {.commands = commands, .slot = slot, .step = LMB_TICKS_PER_SECOND / 60, .number = frame};
    if (f->list.mapped != NULL) {
        info.list_count = f->list.address;
        info.list = f->list.address + sizeof(uint32_t);
        info.list_capacity = f->characters;
    }
    assert_ok(lmb_gpu_batch_record(f->batch, &info, &error), &error);
    assert_ok(device_submit_and_wait(&f->device, pool, commands, &error), &error);
}

static void expect_same(const char *what, const void *here, const void *there, size_t words, uint32_t frame) {
    for (size_t i = 0; i < words; i++) {
        const uint32_t a = ((const uint32_t *)there)[i], b = ((const uint32_t *)here)[i];
        if (a != b) {
            fail_msg("frame %u: %s: word %zu is 0x%08x on the device and 0x%08x here", frame, what, i, a, b);
        }
    }
}

static void expect_frame(fixture *f, uint32_t frame) {
    lmb_error error;
    const lmb_gpu_span state = lmb_gpu_control_state(f->gpu_control);
    assert_true(state.size <= f->characters * lmb_graph_get_info(f->program)->inertia_words * sizeof(uint32_t));
    assert_ok(device_read_span(&f->device, &state, f->there, &error), &error);
    expect_same("state", f->state, f->there, state.size / sizeof(uint32_t), frame);
    const uint32_t slot = f->list.mapped != NULL ? 0 : frame % SLOTS;
    assert_ok(device_read_output(&f->device, f->batch, slot, LMB_OUTPUT_LOCAL, f->there, &error), &error);
    expect_same("local", f->shown, f->there, (size_t)f->characters * f->joints * LMB_POSE_COMPONENTS, frame);
    const size_t words = lmb_graph_get_info(f->program)->inertia_words;
    for (uint32_t i = 0; i < lmb_gpu_batch_span_count(f->batch); i++) {
        lmb_gpu_span span;
        assert_true(lmb_gpu_batch_inertia(f->batch, i, &span));
        assert_int_equal(span.size, span.character_count * words * sizeof(uint32_t));
        assert_ok(device_read_span(&f->device, &span, f->there, &error), &error);
        expect_same("memory", f->memory + span.first_character * words, f->there, span.character_count * words, frame);
    }
    lmb_gpu_span none;
    assert_false(lmb_gpu_batch_inertia(f->batch, lmb_gpu_batch_span_count(f->batch), &none));
}

// Lists all characters first, so that both sides have the same data for unlisted ones; then each character in some
// frames.
static void list_characters(fixture *f, uint32_t frame) {
    uint32_t *list = f->list.mapped;
    list[0] = 0;
    for (uint32_t i = 0; i < f->characters; i++) {
        random_source source = random_branch(7, frame * f->characters + i);
        if (frame == f->first_listed || random_below(&source, 4) > 0) {
            list[++list[0]] = i;
        }
    }
}

static void run_frames(fixture *f, uint32_t first, uint32_t end) {
    lmb_event events[MOST_CHARACTERS];
    assert_true(f->characters <= MOST_CHARACTERS);
    for (uint32_t frame = first; frame < end; frame++) {
        const uint32_t count = draw_events(f, frame, events);
        if (f->list.mapped != NULL) {
            list_characters(f, frame);
        }
        run_there(f, frame, events, count);
        run_here(f, frame, events, count);
        expect_frame(f, frame);
    }
}

// Returns how many joints an offset moved in the last frame.
static uint32_t count_moved(fixture *f) {
    const size_t floats = (size_t)f->characters * f->joints * LMB_POSE_COMPONENTS;
    float *unmoved = malloc(floats * sizeof *unmoved);
    assert_non_null(unmoved);
    const lmb_batch_def batch = lmb_gpu_batch_description(f->batch);
    const lmb_batch_inputs inputs = {.parameters = f->parameters};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_LOCAL] = unmoved};
    assert_int_equal(lmb_cpu_run(f->cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
    uint32_t moved = 0;
    for (size_t i = 0; i < floats; i++) {
        moved += unmoved[i] != f->shown[i];
    }
    free(unmoved);
    return moved;
}

static lmb_gpu_span memory_of(const fixture *f, uint32_t index) {
    lmb_gpu_span span;
    assert_true(lmb_gpu_batch_inertia(f->batch, index, &span));
    return span;
}

// Saves, continues, restores memory and the control's state, and expects the same frames again.
static void expect_the_same_again(fixture *f, uint32_t first, uint32_t end) {
    lmb_error error;
    const size_t words = lmb_graph_get_info(f->program)->inertia_words;
    const lmb_gpu_span control = lmb_gpu_control_state(f->gpu_control);
    uint32_t *memory = malloc(f->characters * words * sizeof *memory), *states = malloc(control.size);
    assert_true(memory != NULL && states != NULL);
    memcpy(memory, f->memory, f->characters * words * sizeof *memory);
    memcpy(states, f->state, control.size);
    for (int round = 0; round < 2; round++) {
        lmb_event events[MOST_CHARACTERS];
        for (uint32_t frame = first; frame < end; frame++) {
            const uint32_t count = draw_events(f, frame, events);
            run_there(f, frame, events, count);
            if (round == 0) {
                run_here(f, frame, events, count);
            }
        }
        expect_frame(f, end - 1);
        for (uint32_t i = 0; round == 0 && i < lmb_gpu_batch_span_count(f->batch); i++) {
            const lmb_gpu_span span = memory_of(f, i);
            assert_ok(device_write_span(&f->device, &span, memory + span.first_character * words, &error), &error);
        }
        if (round == 0) {
            assert_ok(device_write_span(&f->device, &control, states, &error), &error);
        }
    }
    free(memory);
    free(states);
}

static void expect_refusal_of_other_parameters(const fixture *f) {
    lmb_error error = {0};
    control_def def = default_control_def();
    def.parameter_count = PARAMETERS;
    def.inertialize = true;
    def.inertia_parameters = INERTIA - 1;
    lmb_graph *other = NULL;
    // Created without the program, because the program reads one of these parameters.
    assert_ok(control_create(&def, NULL, NULL, &other, &error), &error);
    lmb_gpu_control_def control_def = lmb_default_gpu_control_def();
    control_def.control = other->control;
    control_def.graph = f->gpu_program;
    control_def.character_count = f->characters;
    control_def.slot_count = SLOTS;
    lmb_gpu_control *refused = NULL;
    assert_int_equal(lmb_gpu_control_create(f->gpu, &control_def, &refused, &error), LMB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "inertializes"));
    assert_null(refused);
    lmb_graph_destroy(other);
}

// In several spans, with levels of detail; again from saved data; then with lists of characters.
static void by_the_programs_own_kernel(void **state) {
    (void)state;
    fixture f = {.joints = 19, .characters = 70, .has_levels = true};
    lmb_error error;
    open_fixture(&f, false, 30 * 19 * 36 * sizeof(uint32_t));
    assert_int_equal(lmb_gpu_batch_span_count(f.batch), 3);
    expect_refusal_of_other_parameters(&f);
    run_frames(&f, 0, 24);
    assert_true(count_moved(&f) > 1000);
    expect_the_same_again(&f, 24, 32);
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    assert_ok(device_buffer_create(&f.device, 71 * sizeof(uint32_t), usage, true, &f.list, &error), &error);
    f.first_listed = 32;
    run_frames(&f, 32, 56);
    assert_true(count_moved(&f) > 1000);
    close_fixture(&f);
}

static void below_a_correction(void **state) {
    (void)state;
    fixture f = {.joints = 19, .characters = 40, .has_levels = true, .corrects = true};
    open_fixture(&f, false, 0);
    run_frames(&f, 0, 24);
    assert_true(count_moved(&f) > 1000);
    close_fixture(&f);
}

static void by_the_interpreter(void **state) {
    (void)state;
    suite_full_only();
    fixture f = {.joints = 19, .characters = 23, .has_levels = true, .corrects = true};
    open_fixture(&f, true, 0);
    run_frames(&f, 0, 24);
    assert_true(count_moved(&f) > 300);
    close_fixture(&f);
}

static void of_a_rig_too_large_for_one_kernel(void **state) {
    (void)state;
    fixture f = {.joints = MOST_JOINTS, .characters = 3, .corrects = true};
    open_fixture(&f, false, 0);
    run_frames(&f, 0, 20);
    assert_true(count_moved(&f) > 0);
    close_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_the_programs_own_kernel),
        cmocka_unit_test(below_a_correction),
        cmocka_unit_test(by_the_interpreter),
        cmocka_unit_test(of_a_rig_too_large_for_one_kernel),
    };
    return run_gpu_suite("inertia_gpu", tests, sizeof tests / sizeof tests[0]);
}
