// The examples of the manual: every block of JSON makes a graph for the mannequin, and the C code runs.
#include "manual_example.h"
#include "manual_page.h"

#include <limber/cpu.h>
#include <limber/graph_json.h>
#include <mannequin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mannequin *character;

static int set_up(void **state) {
    (void)state;
    return mannequin_create(NULL, &character, NULL) == LMB_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    mannequin_destroy(character);
    return 0;
}

static lmb_graph *create_graph(const char *text) {
    const lmb_rig *rig = mannequin_rig(character);
    const lmb_clip *clips[MANNEQUIN_CLIP_COUNT];
    for (uint32_t i = 0; i < MANNEQUIN_CLIP_COUNT; i++) {
        clips[i] = mannequin_clip(character, (mannequin_clip_id)i);
    }
    lmb_transform joints[100];
    for (uint32_t i = 0; i < lmb_rig_get_def(rig)->joint_count; i++) {
        joints[i] = lmb_rig_get_def(rig)->joints[i].rest;
    }
    const lmb_static_pose_def pose = {
        .name = "aside", .joints = joints, .joint_count = lmb_rig_get_def(rig)->joint_count};
    const lmb_graph_character other = {"other", rig, clips, MANNEQUIN_CLIP_COUNT};
    const lmb_graph_source source = {.text = text,
                                     .characters = &other,
                                     .character_count = 1,
                                     .size = strlen(text),
                                     .rig = rig,
                                     .clips = clips,
                                     .clip_count = MANNEQUIN_CLIP_COUNT,
                                     .static_poses = &pose,
                                     .static_pose_count = 1};
    lmb_graph_json *json = NULL;
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    if (lmb_graph_json_read(&source, NULL, &json, NULL, &error) != LMB_OK ||
        lmb_graph_create(lmb_graph_json_def(json), NULL, &graph, &error) != LMB_OK) {
        fail_msg("%s\n%s", text, error.message);
    }
    lmb_graph_json_destroy(json);
    return graph;
}

// Makes a graph of an example. An example that is no pose is a member of a graph, as its first key says.
static void read_example(const char *example) {
    static const char *const around[][3] = {
        {"{\"op\"", "", ""},
        {"{\"end\"", "{\"op\":\"clip\",\"clip\":\"walk\",\"play\":", "}"},
        {"{\"velocity\"", "{\"op\":\"rest\",\"character-motion\":", "}"},
        {"{\"head\"", "{\"op\":\"clamp\",\"pose\":{\"op\":\"rest\"},\"joint-limits\":", "}"}};
    char text[5000] = "";
    for (size_t i = 0; i < sizeof around / sizeof around[0]; i++) {
        if (strncmp(example, around[i][0], strlen(around[i][0])) == 0) {
            snprintf(text, sizeof text, "%s%s%s", around[i][1], example, around[i][2]);
        }
    }
    lmb_graph_destroy(create_graph(text));
}

static void examples_of_the_manual(void **state) {
    (void)state;
    static const struct {
        const char *page;
        uint32_t examples;
    } pages[] = {{"cookbook", 6},       {"existing-renderer", 1}, {"graph-json", 13}, {"graph-reference", LMB_OP_COUNT},
                 {"state-machines", 3}, {"streaming", 1},         {"performance", 1}, {"motion-matching", 1}};
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        FILE *page = manual_page_open(pages[i].page);
        char block[4096] = "";
        uint32_t examples = 0;
        for (; manual_page_next(page, "json", block, sizeof block); examples++) {
            read_example(block);
        }
        fclose(page);
        assert_int_equal(examples, pages[i].examples);
    }
}

// docs/graph-reference.md has a section for each operation.
static void every_operation_has_a_section(void **state) {
    (void)state;
    for (uint32_t op = 0; op < LMB_OP_COUNT; op++) {
        char heading[100], line[1024];
        snprintf(heading, sizeof heading, "### %s\n", lmb_op_name((lmb_op)op));
        bool found = false;
        FILE *page = manual_page_open("graph-reference");
        while (fgets(line, sizeof line, page) != NULL) {
            found = found || strcmp(line, heading) == 0;
        }
        fclose(page);
        if (!found) {
            fail_msg("no section '%s'", lmb_op_name((lmb_op)op));
        }
    }
}

// Runs the page's graph of JSON with the host's actions of its C code.
static void play_example(const lmb_graph *graph, float *palette, uint32_t *footsteps) {
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    const uint32_t emitted_words = info->emitted_words;
    float *parameters = calloc(info->parameter_count, sizeof *parameters);
    uint32_t *words = calloc(info->state_words, sizeof *words);
    uint32_t *emitted = calloc(emitted_words, sizeof *emitted);
    uint32_t *inertia = calloc(info->inertia_words, sizeof *inertia);
    lmb_cpu *cpu = NULL;
    assert_int_equal(lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    const lmb_batch_def batch = {graph, 1, LMB_OUTPUT_PALETTE_BIT};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_PALETTE] = palette, .inertia = inertia};
    const lmb_event jump = {0, lmb_graph_find_event(graph, "JUMP")};
    const uint32_t speed = lmb_graph_find_parameter(graph, "speed"), step = lmb_graph_find_event(graph, "STEP");
    lmb_graph_defaults(graph, parameters);
    for (uint32_t number = 0; number < 300; number++) {
        const lmb_control_frame frame = {.step = number == 0 ? 0 : lmb_ticks_from_seconds(1 / 60.f),
                                         .number = number,
                                         .character_count = 1,
                                         .state = words,
                                         .parameters = parameters,
                                         .events = &jump,
                                         .event_count = number == 90 ? 1 : 0,
                                         .emitted = emitted};
        parameters[speed] = number >= 30 && number < 240 ? 2.0f : 0.0f;
        const lmb_batch_inputs inputs = {.control = &frame};
        assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
        for (uint32_t i = 0; i < lmb_emitted_count(graph, emitted); i++) {
            *footsteps += lmb_emitted_event_at(emitted, i).event == step;
        }
    }
    lmb_cpu_destroy(cpu);
    free(inertia);
    free(emitted);
    free(words);
    free(parameters);
}

// The first example of docs/state-machines.md.
static lmb_graph *create_state_machine(void) {
    char block[4096] = "";
    FILE *page = manual_page_open("state-machines");
    assert_true(manual_page_next(page, "json", block, sizeof block));
    fclose(page);
    return create_graph(block);
}

static void the_state_machine_in_c_is_the_one_in_json(void **state) {
    (void)state;
    const lmb_rig *rig = mannequin_rig(character);
    const lmb_clip *const clips[] = {mannequin_clip(character, MANNEQUIN_IDLE),
                                     mannequin_clip(character, MANNEQUIN_WALK),
                                     mannequin_clip(character, MANNEQUIN_RUN), mannequin_clip(character, MANNEQUIN_HOP),
                                     mannequin_clip(character, MANNEQUIN_LAND)};
    const size_t floats = (size_t)lmb_rig_get_def(rig)->joint_count * LMB_MATRIX_COMPONENTS;
    float *in_c = calloc(floats, sizeof *in_c), *in_json = calloc(floats, sizeof *in_json);
    uint32_t footsteps_in_c = 0, footsteps_in_json = 0;
    assert_int_equal(manual_state_machines(rig, clips, in_c, &footsteps_in_c), LMB_OK);
    lmb_graph *graph = create_state_machine();
    play_example(graph, in_json, &footsteps_in_json);
    assert_memory_equal(in_c, in_json, floats * sizeof *in_c);
    assert_int_equal(footsteps_in_c, footsteps_in_json);
    assert_true(footsteps_in_c > 2);
    lmb_graph_destroy(graph);
    free(in_json);
    free(in_c);
}

static bool is_same_sound(const manual_sound *a, const manual_sound *b) {
    return a->character == b->character && a->when == b->when && memcmp(&a->event, &b->event, sizeof a->event) == 0;
}

// Late input, with which frames run again, gives the bits of the same input in time. Each event is heard once.
static void expect_rollback(const lmb_graph *graph, lmb_cpu *cpu, uint32_t jumps) {
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    enum { CHARACTERS = 5, FRAMES = 100, LATE = 60, CHANGED = 53 };
    const uint32_t jump = lmb_graph_find_event(graph, "JUMP");
    const lmb_event sent[2] = {{1, jump}, {3, jump}};
    const size_t states = CHARACTERS * info->state_words;
    const size_t kept = CHARACTERS * info->inertia_words + 1;
    static manual_sound sounds[2][MANUAL_SOUNDS];
    uint32_t *state_words[2], *kept_words[2], sound_counts[2], stopped[2];
    for (int run = 0; run < 2; run++) {
        // In the first run the events of a frame are known in time, in the second, which guesses wrong, seven frames
        // later.
        uint32_t counts[FRAMES] = {[CHANGED] = run == 0 ? jumps : 2 - jumps};
        state_words[run] = calloc(states, sizeof **state_words);
        kept_words[run] = calloc(kept, sizeof **kept_words);
        float *parameters = calloc((size_t)CHARACTERS * info->parameter_count, sizeof *parameters);
        float *palettes = calloc((size_t)CHARACTERS * info->joint_count * 12, sizeof *palettes);
        lmb_control_frame frame = lmb_default_control_frame();
        frame.step = LMB_TICKS_PER_SECOND / 60;
        frame.character_count = CHARACTERS;
        frame.state = state_words[run];
        frame.parameters = parameters;
        const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_PALETTE] = palettes},
                                           .inertia = kept > 1 ? kept_words[run] : NULL};
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            float *row = parameters + i * info->parameter_count;
            lmb_graph_defaults(graph, row);
            row[lmb_graph_find_parameter(graph, "speed")] = 2.0f + 0.3f * (float)i;
        }
        manual_inputs inputs = {.sent = sent,
                                .counts = counts,
                                .arrives = run == 0 ? FRAMES : LATE,
                                .changed = CHANGED,
                                .arriving = jumps,
                                .sounds = sounds[run]};
        assert_int_equal(manual_netcode(graph, cpu, &inputs, FRAMES, frame, outputs), LMB_OK);
        sound_counts[run] = inputs.sound_count;
        stopped[run] = inputs.stopped;
        free(parameters);
        free(palettes);
    }
    assert_memory_equal(state_words[0], state_words[1], states * sizeof **state_words);
    assert_memory_equal(kept_words[0], kept_words[1], kept * sizeof **kept_words);
    assert_true(sound_counts[0] > 10 && stopped[0] == 0 && (jumps > 0 || stopped[1] == 2));
    assert_int_equal(sound_counts[0], sound_counts[1]);
    for (uint32_t i = 0; i < sound_counts[0]; i++) {
        uint32_t same = 0;
        for (uint32_t k = 0; k < sound_counts[1]; k++) {
            same += is_same_sound(&sounds[0][i], &sounds[1][k]);
        }
        assert_int_equal(same, 1);
    }
    for (int run = 0; run < 2; run++) {
        free(state_words[run]);
        free(kept_words[run]);
    }
}

static void rollback_gives_the_same_bits(void **state) {
    (void)state;
    lmb_graph *graph = create_state_machine();
    lmb_cpu *cpu;
    assert_int_equal(lmb_cpu_create(graph, LMB_CPU_FAST, NULL, &cpu, NULL), LMB_OK);
    expect_rollback(graph, cpu, 2);
    expect_rollback(graph, cpu, 0);
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(graph);
}

// Characters that stand go where their parameters say, and stay in the clip that does so.
static void expect_matching_machine(const lmb_graph *graph, const mannequin_clip_id *ids) {
    enum { CHARACTERS = 5 }; // one for each clip that does not turn
    const uint32_t words = lmb_graph_get_info(graph)->state_words, row = lmb_graph_get_info(graph)->parameter_count;
    uint32_t *states = calloc(CHARACTERS, words * sizeof *states);
    float *parameters = calloc(CHARACTERS, row * sizeof *parameters);
    assert_true(states != NULL && parameters != NULL);
    lmb_control_frame frame = lmb_default_control_frame();
    frame.state = states;
    frame.parameters = parameters;
    frame.character_count = CHARACTERS;
    frame.step = LMB_TICKS_PER_SECOND / 60;
    for (frame.number = 0; frame.number < 120; frame.number++) {
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            const mannequin_travel travel = mannequin_clip_travel(ids[i + 1]);
            parameters[i * row] = travel.left;
            parameters[i * row + 1] = travel.forward;
        }
        assert_int_equal(lmb_control_run(graph, &frame, 0, CHARACTERS, NULL), LMB_OK);
    }
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        const mannequin_travel travel = mannequin_clip_travel(ids[i + 1]);
        const lmb_motion moved = lmb_state_motion(graph, states + (size_t)i * words);
        assert_int_equal(lmb_state_current(graph, states + (size_t)i * words, 0), i + 1);
        assert_true(fabs(moved.position[0] - 2.0 * (double)travel.left) < 0.5);
        assert_true(fabs(moved.position[2] - 2.0 * (double)travel.forward) < 1.5);
    }
    free(states);
    free(parameters);
}

// From standing, the search finds the clip that goes where the stick points, and stays in it.
static void motion_matching_goes_where_the_stick_points(void **state) {
    (void)state;
    static const mannequin_clip_id ids[MANUAL_TAKES] = {
        MANNEQUIN_IDLE,        MANNEQUIN_WALK,         MANNEQUIN_RUN,       MANNEQUIN_WALK_BACK,
        MANNEQUIN_STRAFE_LEFT, MANNEQUIN_STRAFE_RIGHT, MANNEQUIN_TURN_LEFT, MANNEQUIN_TURN_RIGHT};
    const lmb_rig *rig = mannequin_rig(character);
    const lmb_clip *clips[MANUAL_TAKES];
    lmb_motion_track motions[MANUAL_TAKES];
    float keys[MANUAL_TAKES][8] = {0}; // float [key][4]
    for (int i = 0; i < MANUAL_TAKES; i++) {
        clips[i] = mannequin_clip(character, ids[i]);
        const mannequin_travel travel = mannequin_clip_travel(ids[i]);
        const float seconds = lmb_clip_get_info(clips[i])->duration;
        keys[i][4] = travel.left * seconds;
        keys[i][6] = travel.forward * seconds;
        keys[i][7] = travel.turn * seconds;
        motions[i] = (lmb_motion_track){.key_count = 2, .keys = keys[i]};
    }
    lmb_motion_database *database = NULL;
    lmb_graph *graph = NULL;
    assert_int_equal(manual_motion_matching(rig, clips, motions, &database, &graph), LMB_OK);
    expect_matching_machine(graph, ids);
    for (uint32_t desired = 1; desired <= 5; desired++) { // those that do not turn
        const mannequin_travel travel = mannequin_clip_travel(ids[desired]);
        const float speed = sqrtf(travel.left * travel.left + travel.forward * travel.forward);
        const float stick[2] = {travel.left / speed, travel.forward / speed};
        float velocity[2] = {0.0f, 0.0f};
        lmb_motion_row playing = {.take = 0};
        uint32_t jumps = 0;
        for (int i = 0; i < 20; i++) {
            jumps += manual_motion_search(database, velocity, stick, speed, 0.0f, &playing);
            playing.time = fmodf(playing.time + 0.1f, lmb_clip_get_info(clips[playing.take])->duration);
            for (int axis = 0; axis < 2; axis++) { // as the game moves the character
                velocity[axis] += 0.3f * (stick[axis] * speed - velocity[axis]);
            }
        }
        assert_int_equal(playing.take, desired);
        assert_in_range(jumps, 1, 3);
    }
    lmb_graph_destroy(graph);
    lmb_motion_database_destroy(database);
}

// A character of the past has the state and the bounds of then, and a packed snapshot is the same one.
static void past_and_packed_snapshots_have_the_same_bits(void **state) {
    (void)state;
    enum { CHARACTERS = 3, THEN = 20, FRAMES = 40, TARGET = 1, FLOATS = 6 };
    lmb_graph *graph = create_state_machine();
    lmb_cpu *cpu;
    assert_int_equal(lmb_cpu_create(graph, LMB_CPU_FAST, NULL, &cpu, NULL), LMB_OK);
    const size_t state_words = lmb_graph_get_info(graph)->state_words;
    const size_t size = lmb_snapshot_size(graph, CHARACTERS), room = lmb_snapshot_packed_bound(size);
    uint32_t *states = calloc(CHARACTERS * state_words, sizeof *states), *after = calloc(state_words, sizeof *after);
    uint32_t *found = calloc(state_words, sizeof *found);
    uint32_t *inertia = calloc((size_t)CHARACTERS * lmb_graph_get_info(graph)->inertia_words + 1, sizeof *inertia);
    float *parameters = calloc((size_t)CHARACTERS * lmb_graph_get_info(graph)->parameter_count, sizeof *parameters);
    unsigned char *saved = malloc(size), *last = malloc(size), *unpacked = malloc(size), *packet = malloc(room);
    const lmb_batch_def batch = {graph, CHARACTERS, LMB_OUTPUT_BOUNDS_BIT};
    assert_int_equal(lmb_batch_output_floats(&batch, LMB_OUTPUT_BOUNDS), FLOATS);
    float bounds[CHARACTERS * FLOATS], bounds_after[FLOATS], bounds_found[FLOATS];
    lmb_control_frame frame = lmb_default_control_frame(), then = frame;
    frame.step = LMB_TICKS_PER_SECOND / 60;
    frame.character_count = CHARACTERS;
    frame.state = states;
    frame.parameters = parameters;
    const lmb_event jump = {TARGET, lmb_graph_find_event(graph, "JUMP")};
    const lmb_batch_inputs inputs = {.control = &frame};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_BOUNDS] = bounds}, .inertia = inertia};
    const lmb_character_words words = {
        .states = states, .inertia = inertia, .row_count = CHARACTERS, .count = CHARACTERS};
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        float *row = parameters + i * lmb_graph_get_info(graph)->parameter_count;
        lmb_graph_defaults(graph, row);
        row[lmb_graph_find_parameter(graph, "speed")] = 2.0f + 0.3f * (float)i;
    }
    for (uint32_t number = 0; number < FRAMES; number++) {
        frame.number = number;
        frame.events = number == THEN ? &jump : NULL;
        frame.event_count = number == THEN;
        if (number == THEN) {
            then = frame;
            assert_int_equal(lmb_snapshot_save(graph, &words, number, saved, size, NULL), LMB_OK);
        }
        assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
        if (number == THEN) {
            memcpy(after, states + TARGET * state_words, state_words * sizeof *after);
            memcpy(bounds_after, bounds + (size_t)TARGET * FLOATS, sizeof bounds_after);
        }
    }
    assert_memory_not_equal(after, states + TARGET * state_words, state_words * sizeof *after);
    assert_int_equal(manual_past(cpu, batch, then, saved, size, TARGET, found, NULL, bounds_found), LMB_OK);
    assert_memory_equal(found, after, state_words * sizeof *after);
    assert_memory_equal(bounds_found, bounds_after, sizeof bounds_after);
    size_t packed_size = 0, unpacked_size = 0;
    assert_int_equal(lmb_snapshot_save(graph, &words, FRAMES, last, size, NULL), LMB_OK);
    assert_int_equal(manual_pack(last, saved, size, packet, room, &packed_size), LMB_OK);
    assert_true(packed_size > 0 && packed_size < size / 2);
    assert_int_equal(lmb_snapshot_unpack(packet, packed_size, saved, size, unpacked, size, &unpacked_size, NULL),
                     LMB_OK);
    assert_true(unpacked_size == size && memcmp(unpacked, last, size) == 0);
    void *const all[] = {states, after, found, inertia, parameters, saved, last, unpacked, packet};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        free(all[i]);
    }
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(graph);
}

static void the_code_that_imports_runs(void **state) {
    (void)state;
    lmb_error error = {0};
    if (manual_importing(LIMBER_CORPUS "/import_fuzz/complete.glb", LIMBER_CORPUS "/import_fuzz/complete.gltf",
                         &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
}

// The graph of a block of the cookbook, and one character that runs it on the CPU.
typedef struct recipe {
    lmb_graph *graph;
    lmb_cpu *cpu;
    lmb_control_frame frame;
    float *parameters, *models, *poses, points[4];
    uint32_t *state;
} recipe;

static recipe recipe_start(uint32_t block) {
    char text[4096] = "";
    FILE *page = manual_page_open("cookbook");
    for (uint32_t i = 0; i <= block; i++) {
        assert_true(manual_page_next(page, "json", text, sizeof text));
    }
    fclose(page);
    recipe r = {.graph = create_graph(text), .frame = lmb_default_control_frame()};
    const size_t joints = lmb_graph_get_info(r.graph)->joint_count;
    assert_int_equal(lmb_cpu_create(r.graph, LMB_CPU_FAST, NULL, &r.cpu, NULL), LMB_OK);
    r.parameters = calloc(lmb_graph_get_info(r.graph)->parameter_count + 1, sizeof *r.parameters);
    r.state = calloc(lmb_graph_get_info(r.graph)->state_words, sizeof *r.state);
    r.models = calloc(joints * LMB_MATRIX_COMPONENTS, sizeof *r.models);
    r.poses = calloc(joints * LMB_POSE_COMPONENTS, sizeof *r.poses);
    lmb_graph_defaults(r.graph, r.parameters);
    r.frame.step = lmb_ticks_from_seconds(0.125);
    r.frame.character_count = 1;
    r.frame.state = r.state;
    r.frame.parameters = r.parameters;
    return r;
}

// Runs the next frame. The character is at the origin.
static void recipe_run(recipe *r) {
    static const float transform[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const lmb_batch_def batch = {r->graph, 1, LMB_OUTPUT_MODEL_BIT};
    const lmb_batch_inputs inputs = {
        .control = &r->frame, .points = r->points, .transforms = transform, .poses = {r->poses}};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_MODEL] = r->models};
    assert_int_equal(lmb_cpu_run(r->cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
    r->frame.number++;
}

static void recipe_end(recipe *r) {
    lmb_cpu_destroy(r->cpu);
    lmb_graph_destroy(r->graph);
    free(r->parameters);
    free(r->state);
    free(r->models);
    free(r->poses);
}

static uint32_t find_joint(const char *name) {
    const lmb_rig *rig = mannequin_rig(character);
    uint32_t joint = 0;
    while (strcmp(lmb_rig_get_def(rig)->joints[joint].name, name) != 0) {
        joint++;
    }
    return joint;
}

static void a_head_looks_at_a_point(void **state) {
    (void)state;
    recipe r = recipe_start(2);
    const float *head = r.models + (size_t)find_joint("head") * LMB_MATRIX_COMPONENTS;
    for (int side = -1; side < 2; side++) {
        const float target[3] = {2.0f * (float)side, 1.6f, 3.0f};
        look_at(r.graph, 0, target, r.points);
        recipe_run(&r);
        float along = 0.0f, square = 0.0f;
        for (int i = 0; i < 3; i++) {
            const float way = target[i] - head[4 * i + 3];
            along += way * head[4 * i + 2];
            square += way * way;
        }
        assert_true(along > 0.0f && along * along > 0.9999f * square); // the head's z axis
    }
    recipe_end(&r);
}

static void a_ragdoll_takes_the_body(void **state) {
    (void)state;
    recipe r = recipe_start(3);
    const size_t floats = (size_t)lmb_graph_get_info(r.graph)->joint_count * LMB_MATRIX_COMPONENTS;
    float *bodies = calloc(floats, sizeof *bodies), *animated = calloc(floats, sizeof *animated);
    recipe_run(&r);
    memcpy(animated, r.models, floats * sizeof *animated);
    memcpy(bodies, r.models, floats * sizeof *bodies);
    for (size_t i = 0; i < floats; i += LMB_MATRIX_COMPONENTS) {
        bodies[i + 3] += 1.5f; // the physics engine moves all bodies along x
    }
    assert_int_equal(take_ragdoll(r.graph, 1, bodies, r.poses, NULL), LMB_OK);
    const lmb_event fall = {0, lmb_graph_find_event(r.graph, "FALL")},
                    rise = {0, lmb_graph_find_event(r.graph, "RISE")};
    r.frame.events = &fall;
    r.frame.event_count = 1;
    recipe_run(&r);
    for (size_t i = 0; i < floats; i++) {
        assert_true(r.models[i] - bodies[i] < 1e-5f && bodies[i] - r.models[i] < 1e-5f);
    }
    r.frame.events = &rise;
    for (int frame = 0; frame < 5; frame++) { // 0.625 s
        recipe_run(&r);
        r.frame.event_count = 0;
    }
    assert_true(r.models[3] < animated[3] + 0.2f && r.models[3] > animated[3] - 0.2f);
    free(animated);
    free(bodies);
    recipe_end(&r);
}

static void far_characters_take_less_and_hashes_find_them(void **state) {
    (void)state;
    uint64_t hashes[2][2], all[2];
    for (int side = 0; side < 2; side++) {
        uint32_t states[2][1000];
        for (uint32_t i = 0; i < 2; i++) {
            recipe r = recipe_start(5);
            write_distance(r.graph, i == 0 ? 5.0f : 100.0f, r.parameters);
            if (side == 1 && i == 1) {
                r.parameters[lmb_graph_find_parameter(r.graph, "speed")] = 2.0f; // what only one side has
            }
            for (int frame = 0; frame < 20; frame++) {
                recipe_run(&r);
            }
            const float *hand = r.models + (size_t)find_joint("left_hand") * LMB_MATRIX_COMPONENTS;
            const float *arm = r.models + (size_t)find_joint("left_forearm") * LMB_MATRIX_COMPONENTS;
            bool rigid = true; // a dropped hand has the forearm's axes
            for (int k = 0; k < 12; k++) {
                const float away = hand[k] - arm[k];
                rigid = rigid && (k % 4 == 3 || (away < 1e-5f && away > -1e-5f));
            }
            assert_int_equal(rigid, i == 1);
            const uint32_t words = lmb_graph_get_info(r.graph)->state_words;
            assert_true(words <= 1000);
            memcpy(states[i], r.state, words * sizeof(uint32_t));
            lmb_hash_rows(states[i], words, 1, &hashes[side][i]);
            all[side] = i == 0 ? 0 : all[side];
            all[side] ^= hash_states(r.graph, r.state, 1);
            recipe_end(&r);
        }
    }
    assert_true(all[0] != all[1]);
    assert_int_equal(find_difference(hashes[0], hashes[1], 2), 1);
    assert_int_equal(find_difference(hashes[0], hashes[0], 2), 2);
}

// The fast path is in place of a device.
static void a_frame_is_compared(void **state) {
    (void)state;
    recipe r = recipe_start(5);
    const lmb_graph_info *info = lmb_graph_get_info(r.graph);
    const size_t floats = (size_t)info->joint_count * LMB_MATRIX_COMPONENTS;
    float *palettes = calloc(floats, sizeof *palettes), *expected = calloc(floats, sizeof *expected);
    uint32_t *before = calloc(info->state_words, sizeof *before);
    lmb_cpu *reference;
    assert_int_equal(lmb_cpu_create(r.graph, LMB_CPU_REFERENCE, NULL, &reference, NULL), LMB_OK);
    for (int frame = 0; frame < 3; frame++) {
        memcpy(before, r.state, info->state_words * sizeof *before);
        const lmb_batch_def batch = {r.graph, 1, LMB_OUTPUT_PALETTE_BIT};
        lmb_control_frame again = r.frame;
        lmb_batch_inputs inputs = {.control = &r.frame};
        const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_PALETTE] = palettes};
        assert_int_equal(lmb_cpu_run(r.cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
        again.state = before;
        inputs.control = &again;
        palettes[17] += frame == 2 ? 1e-6f : 0.0f;
        assert_int_equal(has_same_bits(reference, &batch, &inputs, palettes, expected), frame < 2);
        r.frame.number++;
    }
    lmb_cpu_destroy(reference);
    free(before);
    free(expected);
    free(palettes);
    recipe_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_manual),
        cmocka_unit_test(every_operation_has_a_section),
        cmocka_unit_test(the_state_machine_in_c_is_the_one_in_json),
        cmocka_unit_test(rollback_gives_the_same_bits),
        cmocka_unit_test(motion_matching_goes_where_the_stick_points),
        cmocka_unit_test(past_and_packed_snapshots_have_the_same_bits),
        cmocka_unit_test(the_code_that_imports_runs),
        cmocka_unit_test(a_head_looks_at_a_point),
        cmocka_unit_test(a_ragdoll_takes_the_body),
        cmocka_unit_test(far_characters_take_less_and_hashes_find_them),
        cmocka_unit_test(a_frame_is_compared),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
