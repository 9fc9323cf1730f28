// Characters in frames of the past: each has all outputs, the state and the place of the batch that ran then, to the
// bit, whatever its row and its index in the snapshot, and however few inputs are left. Bad arguments are refused.
#include "refusal.h"
#include "suite.h"
#include "walkers.h"

enum { ROWS = WALKERS_ROWS, FRAMES = 60, LOCAL = WALKER_JOINTS * 10, MATRICES = WALKER_JOINTS * 12 };
enum { PARAMETERS = ROWS * WALKERS_PARAMETERS, WORDS = LMB_SNAPSHOT_HEADER_WORDS + ROWS * 800 };

#define OUTPUTS                                                                                                        \
    (LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_MODEL_BIT | LMB_OUTPUT_PALETTE_BIT | LMB_OUTPUT_PREVIOUS_PALETTE_BIT |          \
     LMB_OUTPUT_SOCKETS_BIT | LMB_OUTPUT_BOUNDS_BIT)

// All outputs of a character.
typedef struct outputs {
    float local[LOCAL], model[MATRICES], palette[MATRICES], previous[MATRICES], socket[12], bounds[6];
    float motion[LMB_MOTION_FLOATS];
    uint32_t state[WALKERS_STATE];
} outputs;

// A frame as a host keeps it.
typedef struct kept_frame {
    uint32_t saved[WORDS]; // before it
    float parameters[PARAMETERS];
    float palettes[ROWS * MATRICES]; // of the frame before
    lmb_event events[ROWS + 40];
    uint32_t event_count;
    outputs expected[ROWS];
} kept_frame;

static kept_frame frames[FRAMES];
static size_t size;                                         // of a snapshot
static const uint32_t listed[ROWS] = {3, 6, 0, 5, 1, 4, 2}; // the row of each character of a snapshot

// Fills buffers of a batch, or of one character.
typedef struct buffers {
    float local[ROWS * LOCAL], model[ROWS * MATRICES], palette[ROWS * MATRICES], previous[ROWS * MATRICES];
    float socket[ROWS * 12], bounds[ROWS * 6];
} buffers;

static lmb_batch_outputs outputs_to(buffers *b) {
    return (lmb_batch_outputs){.buffers = {[LMB_OUTPUT_LOCAL] = b->local,
                                           [LMB_OUTPUT_MODEL] = b->model,
                                           [LMB_OUTPUT_PALETTE] = b->palette,
                                           [LMB_OUTPUT_PREVIOUS_PALETTE] = b->previous,
                                           [LMB_OUTPUT_SOCKETS] = b->socket,
                                           [LMB_OUTPUT_BOUNDS] = b->bounds}};
}

static outputs outputs_of(const buffers *b, uint32_t row) {
    outputs o;
    memset(&o, 0, sizeof o);
    memcpy(o.local, b->local + row * LOCAL, sizeof o.local);
    memcpy(o.model, b->model + row * MATRICES, sizeof o.model);
    memcpy(o.palette, b->palette + row * MATRICES, sizeof o.palette);
    memcpy(o.previous, b->previous + row * MATRICES, sizeof o.previous);
    memcpy(o.socket, b->socket + row * 12, sizeof o.socket);
    memcpy(o.bounds, b->bounds + row * 6, sizeof o.bounds);
    return o;
}

// Some frames have more events than count, and some a reset.
static uint32_t send_events(const lmb_graph *graph, uint32_t frame, lmb_event *events) {
    uint32_t count = 0;
    for (uint32_t row = 0; row < ROWS; row++) {
        const uint32_t many = frame % 10 == row ? 20 : (frame + 5 * row) % 23 == 3;
        for (uint32_t i = 0; i < many; i++) {
            const bool resets = i == 1 && frame == 24;
            events[count++] = (lmb_event){row, resets ? LMB_EVENT_RESET : lmb_graph_find_event(graph, "jump")};
        }
    }
    return count;
}

// Runs all frames, and keeps them. `emits` is memory for emitted events, or NULL.
static void run_frames(walkers *w, uint32_t *emitted) {
    static buffers b;
    static float motions[ROWS * LMB_MOTION_FLOATS];
    lmb_error error = {0};
    memset(frames, 0, sizeof frames);
    lmb_character_words saved = walkers_words(w);
    saved.characters = listed;
    size = lmb_snapshot_size(w->graph, ROWS);
    assert_true(size <= sizeof frames[0].saved);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        kept_frame *f = &frames[frame];
        assert_int_equal(lmb_snapshot_save(w->graph, &saved, frame, f->saved, size, NULL), LMB_OK);
        f->event_count = send_events(w->graph, frame, f->events);
        walkers_input(w->graph, frame, walkers_in_order, ROWS, f->parameters);
        memcpy(w->parameters, f->parameters, sizeof f->parameters);
        memcpy(f->palettes, b.palette, sizeof f->palettes);
        lmb_control_frame control = walkers_frame(w, frame, ROWS, f->events, f->event_count);
        control.motions = motions;
        control.emitted = emitted;
        const lmb_batch_def batch = {w->graph, ROWS, OUTPUTS};
        const lmb_batch_inputs inputs = {.control = &control, .previous_palette = f->palettes};
        lmb_batch_outputs to = outputs_to(&b);
        to.inertia = w->inertia;
        to.reached = w->reached;
        if (lmb_cpu_run(w->cpu, &batch, &inputs, &to, &error) != LMB_OK) {
            fail_msg("%s", error.message);
        }
        for (uint32_t row = 0; row < ROWS; row++) {
            f->expected[row] = outputs_of(&b, row);
            memcpy(f->expected[row].motion, motions + row * LMB_MOTION_FLOATS, sizeof f->expected[row].motion);
            memcpy(f->expected[row].state, w->states + row * w->state_words, w->state_words * sizeof *w->states);
        }
    }
}

// What a host has for a character of the past.
typedef struct question {
    lmb_control_frame control;
    lmb_batch_def batch;
    lmb_batch_inputs inputs;
    lmb_past_character past;
} question;

static void ask(walkers *w, uint32_t frame, uint32_t index, uint32_t *emitted, question *q) {
    kept_frame *f = &frames[frame];
    q->control = walkers_frame(w, frame, ROWS, f->events, f->event_count);
    q->control.state = NULL;
    q->control.reached = NULL;
    q->control.emitted = emitted;
    q->control.parameters = f->parameters;
    q->batch = (lmb_batch_def){w->graph, ROWS, OUTPUTS};
    q->inputs = (lmb_batch_inputs){.control = &q->control, .previous_palette = f->palettes};
    q->past = (lmb_past_character){.snapshot = f->saved, .snapshot_size = size, .index = index, .row = listed[index]};
}

static outputs answer(walkers *w, question *q) {
    static buffers b;
    float motion[LMB_MOTION_FLOATS];
    uint32_t state[WALKERS_STATE] = {0};
    lmb_error error = {0};
    memset(&b, 0xff, sizeof b);
    q->past.state = state;
    q->past.motion = motion;
    const lmb_batch_outputs to = outputs_to(&b);
    if (lmb_cpu_run_past(w->cpu, &q->batch, &q->inputs, &to, &q->past, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    outputs found = outputs_of(&b, 0);
    memcpy(found.motion, motion, sizeof motion);
    memcpy(found.state, state, sizeof state);
    const float *next = b.palette + MATRICES;
    assert_true(next[0] != next[0]); // the next row is not written
    return found;
}

static void expect_all(walkers *w, bool emits) {
    static uint32_t emitted[ROWS * 64], kept_emitted[ROWS * 64];
    assert_true(lmb_graph_get_info(w->graph)->emitted_words <= 64);
    run_frames(w, emits ? emitted : NULL);
    memcpy(kept_emitted, emitted, sizeof emitted);
    walkers *before = malloc(sizeof *before);
    kept_frame *kept = malloc(sizeof frames);
    assert_true(before != NULL && kept != NULL);
    *before = *w;
    memcpy(kept, frames, sizeof frames);
    for (uint32_t i = 0; i < FRAMES; i++) {
        const uint32_t frame = (FRAMES - 1 - i) * 7 % FRAMES; // in no order
        for (uint32_t index = 0; index < ROWS; index++) {
            question q;
            ask(w, frame, index, emits ? emitted : NULL, &q);
            const outputs found = answer(w, &q);
            assert_memory_equal(&found, &frames[frame].expected[listed[index]], sizeof found);
        }
    }
    // Neither the batch of today nor what was kept has changed.
    assert_memory_equal(w, before, sizeof *w);
    assert_memory_equal(frames, kept, sizeof frames);
    assert_memory_equal(emitted, kept_emitted, sizeof emitted);
    free(before);
    free(kept);
    walkers_destroy(w);
}

static void every_path_has_the_bits_of_the_batch(void **state) {
    (void)state;
    expect_all(walkers_create(walker_graph(), LMB_CPU_REFERENCE), false);
    expect_all(walkers_create(walker_graph(), LMB_CPU_FAST), true);
}

// Updates in every third frame, in an order that rows decide, and shown between them.
static void rows_decide_the_phase_of_updates(void **state) {
    (void)state;
    expect_all(walkers_create(walker_graph_of("{'update-every':3,'interpolate-updates':true," //
                                              WALKER_MEMBERS("walk", "hop", "jump", "land", "0.25")),
                              LMB_CPU_FAST),
               true);
}

// A host that kept the input of one character alone.
static void one_row_is_enough(void **state) {
    (void)state;
    walkers *w = walkers_create(walker_graph(), LMB_CPU_FAST);
    run_frames(w, NULL);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        question q;
        ask(w, frame, 3, NULL, &q);
        lmb_event own[40];
        uint32_t count = 0;
        for (uint32_t i = 0; i < frames[frame].event_count; i++) {
            if (frames[frame].events[i].character == listed[3]) {
                own[count++] = (lmb_event){0, frames[frame].events[i].event};
            }
        }
        q.control.events = own;
        q.control.event_count = count;
        q.control.character_count = q.batch.character_count = 1;
        q.control.parameters = frames[frame].parameters + listed[3] * lmb_graph_get_info(w->graph)->parameter_count;
        q.inputs.previous_palette = frames[frame].palettes + listed[3] * MATRICES;
        q.past.row = 0;
        outputs found = answer(w, &q), expected = frames[frame].expected[listed[3]];
        if (frame == 0) { // its row was its phase of updates, which changes nothing without such
            const lmb_word_range phase = lmb_graph_get_info(w->graph)->update_phase_words;
            found.state[phase.first] = expected.state[phase.first];
        }
        assert_memory_equal(&found, &expected, sizeof found);
    }
    walkers_destroy(w);
}

// The state counts emitted events that had no room, if there was memory for them.
static void events_that_were_lost_are_counted(void **state) {
    (void)state;
    lmb_graph *graph = walker_graph_of(
        "{'max-emitted-events':1,'op':'machine','name':'body','states':[{'name':'walk','exit':'left','pose':{'op':'"
        "clip',"
        "'clip':'walk'},'transitions':[{'to':'hop','event':'jump'}]},{'name':'hop','entry':'land','pose':{'op':'clip',"
        "'clip':'hop'}}]}");
    lmb_cpu *cpu;
    assert_int_equal(lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    uint32_t words[WALKERS_STATE] = {0}, found[WALKERS_STATE], emitted[16],
             saved[LMB_SNAPSHOT_HEADER_WORDS + WALKERS_STATE];
    float palette[MATRICES], parameters[WALKERS_PARAMETERS] = {0};
    assert_true(lmb_graph_get_info(graph)->emitted_words <= 16 &&
                lmb_graph_get_info(graph)->state_words <= WALKERS_STATE);
    const lmb_event jump = {0, lmb_graph_find_event(graph, "jump")};
    const lmb_character_words one = {.states = words, .row_count = 1, .count = 1};
    lmb_control_frame frame = lmb_default_control_frame();
    frame.step = LMB_TICKS_PER_SECOND / 60;
    frame.character_count = 1;
    frame.state = words;
    frame.parameters = parameters;
    frame.events = &jump;
    const lmb_batch_def batch = {graph, 1, LMB_OUTPUT_PALETTE_BIT};
    const lmb_batch_inputs inputs = {.control = &frame};
    const lmb_batch_outputs to = {.buffers = {[LMB_OUTPUT_PALETTE] = palette}};
    const size_t bytes = lmb_snapshot_size(graph, 1);
    for (uint32_t i = 0; i < 4; i++) {
        frame.number = i;
        frame.event_count = i == 1;
        frame.emitted = i < 2 ? emitted : NULL;
        assert_int_equal(lmb_snapshot_save(graph, &one, i, saved, bytes, NULL), LMB_OK);
        assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &to, NULL), LMB_OK);
        const lmb_past_character past = {.snapshot = saved, .snapshot_size = bytes, .state = found};
        assert_int_equal(lmb_cpu_run_past(cpu, &batch, &inputs, &to, &past, NULL), LMB_OK);
        assert_memory_equal(found, words, lmb_graph_get_info(graph)->state_words * sizeof *words);
    }
    assert_int_equal(lmb_state_get_counts(graph, words).emitted_events, 1);
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(graph);
}

// Without a control: parameters, points, transforms and a pose buffer are rows of the batch.
static void graphs_without_a_control_have_rows_too(void **state) {
    (void)state;
    lmb_graph *graph = walker_graph_of(
        "{'op':'chain','start':'Tail','end':'Tip','time':{'param':'now'},'base':{'op':'ik-aim','joints':{'Tip':1},"
        "'forward':[0,-1,0],'target':{'point':0},'space':'world','base':{'op':'blend','weight':{'param':'share'},"
        "'a':{'op':'pose','pose':0},'b':{'op':'clip','clip':'walk','time':{'param':'now'}}}}}");
    lmb_cpu *cpu;
    assert_int_equal(lmb_cpu_create(graph, LMB_CPU_FAST, NULL, &cpu, NULL), LMB_OK);
    assert_int_equal(lmb_graph_get_info(graph)->state_words, 0);
    const uint32_t words = lmb_graph_get_info(graph)->inertia_words, count = lmb_graph_get_info(graph)->parameter_count;
    assert_true(words > 0 && words <= WALKERS_INERTIA && count == 2 && lmb_graph_get_info(graph)->point_count == 1);
    static uint32_t inertia[ROWS * WALKERS_INERTIA];
    float parameters[ROWS * 2], points[ROWS * 4], transforms[ROWS * 12], poses[ROWS * LOCAL];
    float palettes[ROWS * MATRICES], palette[MATRICES];
    const lmb_batch_def batch = {graph, ROWS, LMB_OUTPUT_PALETTE_BIT};
    const lmb_batch_inputs inputs = {
        .parameters = parameters, .points = points, .transforms = transforms, .poses = {poses}};
    const lmb_batch_outputs to = {.buffers = {[LMB_OUTPUT_PALETTE] = palettes}, .inertia = inertia};
    const lmb_character_words all = {.inertia = inertia, .row_count = ROWS, .count = ROWS};
    memset(inertia, 0, sizeof inertia);
    for (uint32_t frame = 0; frame < 20; frame++) {
        for (uint32_t row = 0; row < ROWS; row++) {
            parameters[row * 2 + lmb_graph_find_parameter(graph, "now")] = (float)frame / 60.0f;
            parameters[row * 2 + lmb_graph_find_parameter(graph, "share")] = (float)row * 0.125f;
            const float point[4] = {(float)row, -2.0f, (float)frame * 0.1f, 0.0f};
            const float transform[12] = {1, 0, 0, (float)row * 0.5f, 0, 1, 0, 0, 0, 0, 1, 0.25f};
            memcpy(points + row * 4, point, sizeof point);
            memcpy(transforms + row * 12, transform, sizeof transform);
            for (uint32_t i = 0; i < LOCAL; i++) {
                poses[row * LOCAL + i] = i / WALKER_JOINTS == 6 || i / WALKER_JOINTS >= 7 ? 1.0f : 0.01f * (float)row;
            }
        }
        lmb_error error = {0};
        const size_t bytes = lmb_snapshot_size(graph, ROWS);
        assert_int_equal(lmb_snapshot_save(graph, &all, frame, frames[0].saved, bytes, &error), LMB_OK);
        assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &to, &error), LMB_OK);
        for (uint32_t row = 0; row < ROWS; row++) {
            const lmb_past_character past = {
                .snapshot = frames[0].saved, .snapshot_size = bytes, .index = row, .row = row};
            const lmb_batch_outputs one = {.buffers = {[LMB_OUTPUT_PALETTE] = palette}};
            assert_int_equal(lmb_cpu_run_past(cpu, &batch, &inputs, &one, &past, &error), LMB_OK);
            assert_memory_equal(palette, palettes + row * MATRICES, sizeof palette);
        }
    }
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(graph);
}

static void bad_arguments_are_refused(void **state) {
    (void)state;
    static buffers b;
    walkers *w = walkers_create(walker_graph(), LMB_CPU_FAST);
    walkers *other = walkers_create(walker_graph_of(WALKER_GRAPH("hop", "walk", "jump", "land", "0.25")), LMB_CPU_FAST);
    run_frames(w, NULL);
    question q, bad;
    ask(w, 5, 2, NULL, &q);
    const lmb_batch_outputs to = outputs_to(&b);
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_cpu_run_past(NULL, &q.batch, &q.inputs, &to, &q.past, &error), &error, LMB_ERROR_ARGUMENT,
                  "cpu: it is NULL");
    CHECK_REFUSAL(lmb_cpu_run_past(w->cpu, NULL, &q.inputs, &to, &q.past, &error), &error, LMB_ERROR_ARGUMENT,
                  "cpu: the batch is NULL");
    CHECK_REFUSAL(lmb_cpu_run_past(w->cpu, &q.batch, NULL, &to, &q.past, &error), &error, LMB_ERROR_ARGUMENT,
                  "cpu: the inputs is NULL");
    CHECK_REFUSAL(lmb_cpu_run_past(w->cpu, &q.batch, &q.inputs, NULL, &q.past, &error), &error, LMB_ERROR_ARGUMENT,
                  "cpu: the outputs is NULL");
    CHECK_REFUSAL(lmb_cpu_run_past(w->cpu, &q.batch, &q.inputs, &to, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "cpu: the character is NULL");
    CHECK_REFUSAL(lmb_cpu_run_past(other->cpu, &q.batch, &q.inputs, &to, &q.past, &error), &error, LMB_ERROR_ARGUMENT,
                  "cpu: the batch has another graph");
    bad = q;
    bad.past.row = ROWS;
    CHECK_REFUSAL(lmb_cpu_run_past(w->cpu, &bad.batch, &bad.inputs, &to, &bad.past, &error), &error, LMB_ERROR_ARGUMENT,
                  "cpu: there is no row 7 in a batch of 7");
    bad = q;
    bad.past.index = ROWS;
    CHECK_REFUSAL(lmb_cpu_run_past(w->cpu, &bad.batch, &bad.inputs, &to, &bad.past, &error), &error, LMB_ERROR_ARGUMENT,
                  "snapshot: there is no character 7 of 7");
    bad = q;
    bad.past.snapshot = NULL;
    CHECK_REFUSAL(lmb_cpu_run_past(w->cpu, &bad.batch, &bad.inputs, &to, &bad.past, &error), &error, LMB_ERROR_ARGUMENT,
                  "snapshot: the bytes are NULL");
    bad = q;
    bad.past.snapshot_size -= 4;
    CHECK_REFUSAL(lmb_cpu_run_past(w->cpu, &bad.batch, &bad.inputs, &to, &bad.past, &error), &error, LMB_ERROR_FORMAT,
                  "bytes are not those of 7 characters");
    bad = q;
    bad.batch.graph = other->graph;
    CHECK_REFUSAL(lmb_cpu_run_past(other->cpu, &bad.batch, &bad.inputs, &to, &bad.past, &error), &error,
                  LMB_ERROR_FORMAT, "it belongs to another graph");
    bad = q;
    bad.inputs.control = NULL;
    CHECK_REFUSAL(lmb_cpu_run_past(w->cpu, &bad.batch, &bad.inputs, &to, &bad.past, &error), &error, LMB_ERROR_ARGUMENT,
                  "the frame of its control is NULL");
    bad = q;
    bad.batch.character_count = ROWS + 1;
    CHECK_REFUSAL(lmb_cpu_run_past(w->cpu, &bad.batch, &bad.inputs, &to, &bad.past, &error), &error, LMB_ERROR_ARGUMENT,
                  "another number of characters");
    bad = q;
    bad.control.parameters = NULL;
    bad.inputs.control = &bad.control;
    CHECK_REFUSAL(lmb_cpu_run_past(w->cpu, &bad.batch, &bad.inputs, &to, &bad.past, &error), &error, LMB_ERROR_ARGUMENT,
                  "the row of parameters is NULL");
    lmb_batch_outputs none = to;
    none.buffers[LMB_OUTPUT_SOCKETS] = NULL;
    CHECK_REFUSAL(lmb_cpu_run_past(w->cpu, &q.batch, &q.inputs, &none, &q.past, &error), &error, LMB_ERROR_ARGUMENT,
                  "cpu: output sockets is NULL");
    walkers_destroy(other);
    walkers_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_path_has_the_bits_of_the_batch),
                                       cmocka_unit_test(rows_decide_the_phase_of_updates),
                                       cmocka_unit_test(one_row_is_enough),
                                       cmocka_unit_test(events_that_were_lost_are_counted),
                                       cmocka_unit_test(graphs_without_a_control_have_rows_too),
                                       cmocka_unit_test(bad_arguments_are_refused)};
    return cmocka_run_group_tests(tests, walker_set_up, walker_tear_down);
}
