#include "program_random.h"

#include "keyframes.h"
#include "scene.h"

#include <limber/compare.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 20261121u
#define CLIP_COUNT 3u
#define CHARACTERS 203u
#define ALL_OUTPUTS (LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_MODEL_BIT | LMB_OUTPUT_PALETTE_BIT | LMB_OUTPUT_CHANNELS_BIT)
#define CHANNELS 7u // every third one is an angle

// A rig and clips of every interpolation for it.
typedef struct world {
    lmb_rig *rig;
    lmb_clip *clips[CLIP_COUNT];
} world;

// The joints of a scene's rig, if any, and float channels.
static lmb_rig *create_rig(uint32_t joint_count) {
    lmb_joint_def *joints = calloc(joint_count + 1, sizeof *joints);
    lmb_channel_def channels[CHANNELS] = {{0}};
    assert_non_null(joints);
    if (joint_count > 0) {
        lmb_rig *scene = scene_rig(joint_count, SCENE_TREE, joint_count);
        for (uint32_t i = 0; i < joint_count; i++) {
            joints[i] = lmb_default_joint_def();
            joints[i].parent = lmb_rig_get_def(scene)->joints[i].parent;
            joints[i].rest = lmb_rig_get_def(scene)->joints[i].rest;
        }
        lmb_rig_destroy(scene);
    }
    for (uint32_t i = 0; i < CHANNELS; i++) {
        channels[i].angle = i % 3 == 1;
        channels[i].rest = (channels[i].angle ? 100.0f : 0.25f) * (float)i;
    }
    const lmb_rig_def def = {
        .joints = joints, .joint_count = joint_count, .channels = channels, .channel_count = CHANNELS};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    free(joints);
    return rig;
}

// A clip with keys for random joints, of each interpolation, followed by tracks for all float channels except one.
static lmb_clip *create_clip(const lmb_rig *rig, uint32_t number) {
    enum { KEYS = 4 };
    static const float times[KEYS] = {0.0f, 0.5f, 1.25f, 2.0f};
    const uint32_t joint_count = lmb_rig_get_def(rig)->joint_count;
    random_source source = {joint_count + number};
    keyframes keys = {0};
    if (joint_count > 0) {
        keys = keyframes_create(joint_count, 2 + 9 * number, joint_count + number);
    }
    lmb_track_def *tracks = calloc(keys.clip.track_count + CHANNELS, sizeof *tracks);
    uint8_t *weights = calloc(joint_count + CHANNELS, 1);
    float values[CHANNELS][3 * KEYS];
    assert_non_null(tracks);
    assert_non_null(weights);
    if (joint_count > 0) {
        memcpy(tracks, keys.tracks, keys.clip.track_count * sizeof *tracks);
    }
    uint32_t count = keys.clip.track_count;
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        for (uint32_t i = 0; i < 3 * KEYS; i++) {
            double reach = lmb_rig_get_def(rig)->channels[channel].angle ? 400.0 : 1.0;
            values[channel][i] = (float)random_between(&source, -reach, reach);
        }
        if (channel != number) {
            tracks[count++] = (lmb_track_def){
                channel, LMB_PROPERTY_FLOAT, (lmb_interpolation)((channel + number) % 3), 1 + (channel + number) % KEYS,
                times,   values[channel]};
        }
    }
    for (uint32_t i = 0; i < joint_count + CHANNELS; i++) {
        weights[i] = (uint8_t)random_below(&source, 256);
    }
    const lmb_clip_def def = {
        .name = "random", .tracks = tracks, .track_count = count, .joint_weights = number == 2 ? weights : NULL};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(rig, &def, NULL, &clip, NULL), LMB_OK);
    keyframes_destroy(&keys);
    free(tracks);
    free(weights);
    return clip;
}

// Replaces a clip by a part of it.
static void take_part(const lmb_rig *rig, lmb_clip **clip) {
    const lmb_clip_part_def def = {.name = "part", .start = 0.3f, .end = 1.7f};
    lmb_clip *part = NULL;
    assert_int_equal(lmb_clip_cut(rig, *clip, &def, NULL, &part, NULL), LMB_OK);
    lmb_clip_destroy(*clip);
    *clip = part;
}

// The last clip is a part of a clip.
static void world_create(world *world, uint32_t joint_count) {
    world->rig = create_rig(joint_count);
    for (uint32_t i = 0; i < CLIP_COUNT; i++) {
        world->clips[i] = create_clip(world->rig, i);
    }
    take_part(world->rig, &world->clips[CLIP_COUNT - 1]);
}

static void world_destroy(world *world) {
    for (uint32_t i = 0; i < CLIP_COUNT; i++) {
        lmb_clip_destroy(world->clips[i]);
    }
    lmb_rig_destroy(world->rig);
}

typedef struct results {
    lmb_batch_outputs outputs;
    uint32_t refused[LMB_REFUSAL_COUNT];
} results;

static void results_create(const lmb_batch_def *batch, results *results) {
    *results = (struct results){.outputs.refused = results->refused};
    results->outputs.inertia =
        calloc((size_t)batch->character_count * lmb_graph_get_info(batch->graph)->inertia_words + 1, sizeof(uint32_t));
    assert_non_null(results->outputs.inertia);
    results->outputs.reached =
        calloc((size_t)batch->character_count * lmb_graph_get_info(batch->graph)->reached_count + 1, sizeof(uint32_t));
    assert_non_null(results->outputs.reached);
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        size_t floats = lmb_batch_output_floats(batch, (lmb_output)output);
        results->outputs.buffers[output] = calloc(batch->character_count * floats, sizeof(float));
        assert_non_null(results->outputs.buffers[output]);
    }
}

static void results_destroy(results *results) {
    free(results->outputs.inertia);
    free(results->outputs.reached);
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        free(results->outputs.buffers[output]);
    }
}

void program_random_run_cpu(lmb_cpu_path path, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                            const lmb_batch_outputs *outputs, const program_list *list) {
    lmb_cpu *cpu = NULL;
    assert_int_equal(lmb_cpu_create(batch->graph, path, NULL, &cpu, NULL), LMB_OK);
    assert_int_equal(lmb_cpu_run(cpu, batch, inputs, outputs, NULL), LMB_OK);
    if (list != NULL) {
        assert_int_equal(lmb_cpu_run_list(cpu, batch, inputs, outputs, list->characters, list->count, NULL), LMB_OK);
    }
    lmb_cpu_destroy(cpu);
}

// Lists each character at most once, in random order, because characters that keep memory must not run side by side.
// Every fourth index is outside the batch. Programs with even numbers have no list.
static bool draw_list(const crowd *crowd, uint32_t *characters, program_list *list) {
    const uint32_t count = crowd->def.character_count;
    random_source source = random_branch(crowd->def.seed, crowd->def.program);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t other = random_below(&source, i + 1);
        characters[i] = characters[other];
        characters[other] = i;
    }
    for (uint32_t i = 0; i < count; i += 4) {
        characters[i] = i % 8 == 0 ? LMB_NONE : count + random_below(&source, 20);
    }
    *list = (program_list){characters, count};
    return crowd->def.given != NULL || crowd->def.program % 2 == 1;
}

static uint64_t values_compared;
static program_loop *hashing; // takes the reference's outputs, unless it is NULL

static bool find_difference(const lmb_batch_def *batch, const results *a, const results *b, char *text, size_t size) {
    lmb_comparison comparison = {0};
    assert_int_equal(lmb_compare(batch, &a->outputs, &b->outputs, 0, batch->character_count, &comparison, NULL),
                     LMB_OK);
    values_compared += lmb_comparison_values(&comparison);
    if (text != NULL) {
        lmb_comparison_describe(&comparison, text, size);
    }
    if (lmb_comparison_differs(&comparison) > 0) {
        return true;
    }
    const size_t words = (size_t)batch->character_count * lmb_graph_get_info(batch->graph)->reached_count;
    if (memcmp(a->outputs.reached, b->outputs.reached, words * sizeof(uint32_t)) != 0) {
        if (text != NULL) {
            snprintf(text, size, "other targets are reached on the other side");
        }
        return true;
    }
    for (uint32_t i = 0; i < LMB_REFUSAL_COUNT; i++) {
        if (a->refused[i] != b->refused[i]) {
            if (text != NULL) {
                snprintf(text, size, "refusal counter %u is %u on the reference, %u on the other side", i,
                         a->refused[i], b->refused[i]);
            }
            return true;
        }
    }
    return false;
}

static void hash_results(const lmb_batch_def *batch, const results *results) {
    for (int output = 0; hashing != NULL && output < LMB_OUTPUT_COUNT; output++) {
        const size_t floats = lmb_batch_output_floats(batch, (lmb_output)output);
        program_loop_hash(hashing, results->outputs.buffers[output], batch->character_count * floats);
    }
}

bool program_random_differs(const program_side *side, const crowd *crowd, char *text, size_t size) {
    const lmb_batch_def batch = crowd_batch(crowd, ALL_OUTPUTS);
    const lmb_batch_inputs inputs = crowd_inputs(crowd);
    results reference;
    results other;
    results_create(&batch, &reference);
    results_create(&batch, &other);
    uint32_t *characters = calloc(batch.character_count, sizeof *characters);
    assert_non_null(characters);
    program_list list;
    const program_list *listed = draw_list(crowd, characters, &list) ? &list : NULL;
    program_random_run_cpu(LMB_CPU_REFERENCE, &batch, &inputs, &reference.outputs, listed);
    side->run(side, &batch, &inputs, &other.outputs, listed);
    free(characters);
    hash_results(&batch, &reference);
    bool differs = find_difference(&batch, &reference, &other, text, size);
    results_destroy(&reference);
    results_destroy(&other);
    return differs;
}

// ---- Shrinking. ----

// Keeps only the nodes that the last node uses, in order.
static void drop_unused(random_program *program) {
    bool used[RANDOM_PROGRAM_MOST_NODES] = {false};
    uint32_t renamed[RANDOM_PROGRAM_MOST_NODES];
    uint32_t count = 0;
    used[program->node_count - 1] = true;
    for (uint32_t i = program->node_count; i-- > 0;) {
        for (uint32_t input = 0; used[i] && input < program->nodes[i].input_count; input++) {
            used[program->nodes[i].inputs[input]] = true;
        }
    }
    for (uint32_t i = 0; i < program->node_count; i++) {
        renamed[i] = count;
        if (used[i]) {
            lmb_node_def node = program->nodes[i];
            for (uint32_t input = 0; input < node.input_count; input++) {
                node.inputs[input] = renamed[node.inputs[input]];
            }
            program->nodes[count++] = node;
        }
    }
    program->node_count = count;
}

// Replaces a node by one of its inputs, or, past the last one, by a static pose, which may be an additive too.
static void replace_node(random_program *program, uint32_t node, uint32_t input) {
    if (input == program->nodes[node].input_count) {
        program->nodes[node] = lmb_default_node_def();
        program->nodes[node].op = LMB_OP_POSE;
        program->nodes[node].static_pose = 0;
        drop_unused(program);
        return;
    }
    uint32_t kept = program->nodes[node].inputs[input];
    for (uint32_t i = node + 1; i < program->node_count; i++) {
        for (uint32_t j = 0; j < program->nodes[i].input_count; j++) {
            if (program->nodes[i].inputs[j] == node) {
                program->nodes[i].inputs[j] = kept;
            }
        }
    }
    if (node + 1 == program->node_count) {
        program->node_count = kept + 1;
    }
    drop_unused(program);
}

// Returns whether the program is a valid graph: without a node, it may mix poses and additives.
static bool compile(crowd *crowd, const random_program *program) {
    lmb_graph_def def = crowd->program_def;
    def.nodes = program->nodes;
    def.node_count = program->node_count;
    return crowd_compile(crowd, &def, NULL) == LMB_OK;
}

// Returns whether it found a smaller program that still differs. That program then becomes the crowd's.
static bool shrink_once(const program_side *side, crowd *crowd) {
    for (uint32_t node = crowd->random->node_count; node-- > 0;) {
        const uint32_t inputs = crowd->random->nodes[node].input_count;
        for (uint32_t input = 0; inputs > 0 && input <= inputs; input++) {
            random_program smaller = *crowd->random;
            replace_node(&smaller, node, input);
            if (compile(crowd, &smaller) && program_random_differs(side, crowd, NULL, 0)) {
                *crowd->random = smaller;
                assert_true(compile(crowd, crowd->random));
                return true;
            }
        }
    }
    assert_true(compile(crowd, crowd->random));
    return false;
}

void program_random_shrink(const program_side *side, crowd *crowd) {
    while (shrink_once(side, crowd)) {
    }
}

static void print_line(void *user, const char *line) {
    (void)user;
    print_error("%s\n", line);
}

static void fail_program(const program_side *side, crowd *crowd) {
    program_random_shrink(side, crowd);
    char text[300];
    program_random_differs(side, crowd, text, sizeof text);
    lmb_graph_print(crowd->program, print_line, NULL);
    fail_msg("program %u over %u joints, shrunk to %u operations, differs on %s (again: LIMBER_FIRST=%u "
             "LIMBER_PROGRAMS=1): %s",
             crowd->def.program, lmb_graph_get_info(crowd->program)->joint_count, crowd->random->node_count, side->name,
             crowd->def.program, text);
}

static void compare_program(const program_side *side, const world *world, uint32_t program) {
    const crowd_def def = {.rig = world->rig,
                           .clips = (const lmb_clip *const *)world->clips,
                           .clip_count = program % 16 == 15 ? 0 : CLIP_COUNT,
                           .character_count = side->characters > 0 ? side->characters : CHARACTERS,
                           .seed = SEED,
                           .program = program,
                           .most_nodes = 1 + program * 7 % RANDOM_PROGRAM_NODES,
                           .one_in = program % 4 == 0 ? 61 : 0};
    crowd crowd;
    lmb_error error;
    if (crowd_create(&def, &crowd, &error) != LMB_OK) {
        fail_msg("program %u: %s", program, error.message);
    }
    crowd_draw(&crowd, 0);
    if (program_random_differs(side, &crowd, NULL, 0)) {
        fail_program(side, &crowd);
    }
    crowd_destroy(&crowd);
}

void program_random_compare(const program_side *side, program_loop loop, uint32_t first) {
    static const uint32_t joint_counts[] = {29, 5, 67, 0};
    enum { WORLDS = sizeof joint_counts / sizeof joint_counts[0] };
    world worlds[WORLDS];
    for (uint32_t i = 0; i < WORLDS; i++) {
        world_create(&worlds[i], joint_counts[i]);
    }
    while (program_loop_next(&loop)) {
        values_compared = 0;
        hashing = &loop;
        // Other choices by number repeat every 4 and every 64 programs; this index lets each of them meet every rig in
        // a long run.
        compare_program(side, &worlds[(loop.program - first + loop.program / 64) % WORLDS], loop.program);
        loop.values += values_compared;
    }
    hashing = NULL;
    for (uint32_t i = 0; i < WORLDS; i++) {
        world_destroy(&worlds[i]);
    }
}
