// Crowds whose characters play different clips: the SIMD paths put them in order, sample different clips in the lanes
// of a vector, and keep decoded tracks from run to run. None of this may change a bit of the reference's result.
#include "failing_host.h"

#include <limber/clip_slot.h>
#include <limber/cpu.h>
#include <limber/graph.h>
#include <stdlib.h>
#include <string.h>

enum { CLIPS = 12, MOST_KEYS = 9, LOD = 2 * CLIPS + 5, PARAMETERS, MOST_JOINTS = 3000 };

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static float next_float(uint32_t *state) {
    return (float)(next_random(state) % 65536) / 65536.0f;
}

typedef struct crowd {
    lmb_rig *rig;
    lmb_clip *clips[CLIPS];
    lmb_graph *graph;
    uint32_t characters;
    float *parameters;
} crowd;

static lmb_rig *create_rig(uint32_t joints) {
    lmb_joint_def *defs = calloc(joints, sizeof *defs);
    for (uint32_t i = 0; i < joints; i++) {
        defs[i] = lmb_default_joint_def();
        defs[i].parent = i == 0 ? LMB_NONE : (i - 1) / 2;
        defs[i].rest.translation[1] = 0.25f * (float)(i % 3);
    }
    const lmb_rig_def def = {.joints = defs, .joint_count = joints};
    lmb_rig *rig = NULL;
    lmb_error error;
    assert_ok(lmb_rig_create(&def, NULL, &rig, &error), &error);
    free(defs);
    return rig;
}

// Tracks of every kind: constant, stepped, linear, cubic, with the clip's own times and with others.
static lmb_clip *create_clip(const lmb_rig *rig, uint32_t index, bool scales, bool compressed) {
    uint32_t state = index * 7919u + 1u, joints = lmb_rig_get_def(rig)->joint_count;
    lmb_track_def *tracks = calloc((size_t)joints * 3, sizeof *tracks);
    float *values = calloc((size_t)joints * 3 * MOST_KEYS * 12, sizeof *values);
    float times[2][MOST_KEYS];
    const float duration = 0.5f + 0.1f * (float)(index % 5);
    for (uint32_t key = 0; key < MOST_KEYS; key++) {
        times[0][key] = duration * (float)key / (MOST_KEYS - 1);
        times[1][key] = duration * (float)(key * key) / ((MOST_KEYS - 1) * (MOST_KEYS - 1));
    }
    uint32_t count = 0;
    for (uint32_t joint = 0; joint < joints; joint++) {
        for (uint32_t property = 0; property < (scales ? 3u : 2u); property++) {
            const uint32_t kind = next_random(&state) % 16, width = property == 1 ? 4 : 3;
            float *own = values + ((size_t)joint * 3 + property) * MOST_KEYS * 12;
            lmb_track_def track = {.joint = joint,
                                   .property = (lmb_property)property,
                                   .interpolation = kind == 0 && !compressed   ? LMB_INTERPOLATION_STEP
                                                    : kind == 1 && !compressed ? LMB_INTERPOLATION_CUBIC_SPLINE
                                                                               : LMB_INTERPOLATION_LINEAR,
                                   .key_count = kind < 4 ? 1 : MOST_KEYS,
                                   .times = times[kind > 12],
                                   .values = own};
            track.key_count = kind < 2 ? MOST_KEYS - 2 : track.key_count;
            const uint32_t rows = track.interpolation == LMB_INTERPOLATION_CUBIC_SPLINE ? 3 : 1;
            for (uint32_t i = 0; i < track.key_count * rows; i++) {
                float *v = own + (size_t)i * width;
                for (uint32_t k = 0; k < width; k++) {
                    v[k] = property == 2 ? 0.75f + 0.5f * next_float(&state) : next_float(&state) - 0.5f;
                }
                v[3] = property == 1 ? 2.0f : v[3];
            }
            if (kind < 15) {
                tracks[count++] = track;
            }
        }
    }
    const lmb_clip_def def = {.name = "clip", .tracks = tracks, .track_count = count, .duration = duration};
    lmb_clip *clip = NULL;
    lmb_error error;
    assert_ok(lmb_clip_create(rig, &def, NULL, &clip, &error), &error);
    if (compressed) {
        lmb_clip *smaller = NULL;
        assert_ok(lmb_clip_compress(rig, clip, NULL, NULL, &smaller, NULL, &error), &error);
        lmb_clip_destroy(clip);
        clip = smaller;
    }
    free(tracks);
    free(values);
    return clip;
}

enum { OF_CLIPS, OF_FADES, OF_STATES, OF_BOTH, KINDS };

// A clip by parameter; two of them, blended; a sum of all clips; and a sum above which one is added.
static uint32_t make_nodes(int kind, lmb_node_def nodes[CLIPS + 6]) {
    uint32_t count = 0, sum = 0;
    if (kind == OF_STATES || kind == OF_BOTH) {
        lmb_node_def all = lmb_default_node_def();
        all.op = LMB_OP_WEIGHTED;
        for (; count < CLIPS; count++) {
            nodes[count] = lmb_clip_node(count, lmb_parameter(5 + count));
            all.inputs[all.input_count] = count;
            all.weights[all.input_count++] = lmb_parameter(5 + CLIPS + count);
        }
        sum = count;
        nodes[count++] = all;
    }
    if (kind != OF_STATES) {
        for (uint32_t i = 0; i < (kind == OF_CLIPS ? 1u : 2u); i++) {
            nodes[count] = lmb_clip_node(0, lmb_parameter(2 * i + 1));
            nodes[count++].clip = lmb_parameter(2 * i);
        }
    }
    if (kind == OF_FADES || kind == OF_BOTH) {
        nodes[count] = lmb_blend_node(count - 2, count - 1, lmb_parameter(4));
        count++;
    }
    if (kind == OF_BOTH) {
        nodes[count] = lmb_blend_node(sum, count - 1, lmb_constant(0.375f));
        count++;
    }
    return count;
}

// Half of the characters play one clip; refused clips and weights, and weights of 0, are among them.
static void fill(crowd *c) {
    uint32_t state = 5;
    for (uint32_t i = 0; i < c->characters; i++) {
        float *own = c->parameters + (size_t)i * PARAMETERS;
        for (uint32_t k = 0; k < PARAMETERS; k++) {
            own[k] = next_float(&state);
        }
        own[0] = (float)(next_random(&state) % CLIPS) - (i % 97 == 0 ? (float)CLIPS : 0.0f);
        own[2] = (float)(next_random(&state) % CLIPS);
        own[LOD] = (float)(next_random(&state) % 3);
        own[4] = i % 3 == 0 ? own[4] : (float)(i % 2);
        const uint32_t active = 1 + next_random(&state) % 10 / 5 + (i % 10 == 0);
        memset(own + 5 + CLIPS, 0, CLIPS * sizeof *own);
        for (uint32_t k = 0; k < active && i % 31 != 0; k++) {
            own[5 + CLIPS + next_random(&state) % CLIPS] = next_float(&state);
        }
    }
}

static crowd create_crowd(int kind, uint32_t joints, uint32_t characters, bool scales, bool compressed,
                          uint32_t slots) {
    crowd c = {.rig = create_rig(joints), .characters = characters};
    for (uint32_t i = 0; i < CLIPS; i++) {
        c.clips[i] = create_clip(c.rig, i, scales, compressed && i % 4 != 3);
    }
    lmb_node_def nodes[CLIPS + 6];
    lmb_clip_slot_def slot = lmb_default_clip_slot_def();
    slot.clip = 0;
    slot.bytes = 1u << 20;
    slot.kinds = LMB_CLIP_ANY;
    static uint8_t max_lods[MOST_JOINTS]; // parents are never dropped before their children
    for (uint32_t i = 0; i < joints; i++) {
        max_lods[i] = (uint8_t)(i < joints / 3 ? LMB_MAX_LODS - 1 : i < joints / 2 ? 1 : 0);
    }
    const lmb_graph_def def = {.rig = c.rig,
                               .max_lods = kind == OF_FADES || kind == OF_BOTH ? max_lods : NULL,
                               .lod = lmb_parameter(LOD),
                               .clips = (const lmb_clip *const *)c.clips,
                               .clip_count = CLIPS,
                               .clip_slots = &slot,
                               .clip_slot_count = slots,
                               .nodes = nodes,
                               .node_count = make_nodes(kind, nodes),
                               .parameter_count = PARAMETERS};
    lmb_error error;
    assert_ok(lmb_graph_create(&def, NULL, &c.graph, &error), &error);
    c.parameters = calloc((size_t)characters * PARAMETERS, sizeof *c.parameters);
    fill(&c);
    return c;
}

static void destroy_crowd(crowd *c) {
    for (uint32_t i = 0; i < CLIPS; i++) {
        lmb_clip_destroy(c->clips[i]);
    }
    lmb_graph_destroy(c->graph);
    lmb_rig_destroy(c->rig);
    free(c->parameters);
}

// What a run writes: local transforms, and counters.
typedef struct result {
    float *locals;
    size_t floats;
    uint32_t refused[LMB_REFUSAL_COUNT];
} result;

static result run(const crowd *c, lmb_cpu *cpu, const uint32_t *list, uint32_t count) {
    const lmb_batch_def batch = {c->graph, c->characters, LMB_OUTPUT_LOCAL_BIT};
    result r = {.floats = (size_t)c->characters * lmb_batch_output_floats(&batch, LMB_OUTPUT_LOCAL)};
    r.locals = calloc(r.floats, sizeof *r.locals);
    const lmb_batch_inputs inputs = {.parameters = c->parameters};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_LOCAL] = r.locals}, .refused = r.refused};
    lmb_error error;
    if (list != NULL) {
        assert_ok(lmb_cpu_run_list(cpu, &batch, &inputs, &outputs, list, count, &error), &error);
    } else {
        assert_ok(lmb_cpu_run(cpu, &batch, &inputs, &outputs, &error), &error);
    }
    return r;
}

static lmb_cpu *create_cpu(const crowd *c, lmb_cpu_path path) {
    lmb_cpu *cpu = NULL;
    lmb_error error;
    assert_ok(lmb_cpu_create(c->graph, path, NULL, &cpu, &error), &error);
    return cpu;
}

static void expect_same(const result *expected, result found) {
    assert_memory_equal(expected->locals, found.locals, expected->floats * sizeof(float));
    assert_memory_equal(expected->refused, found.refused, sizeof found.refused);
    free(found.locals);
}

static result run_reference(const crowd *c) {
    lmb_cpu *cpu = create_cpu(c, LMB_CPU_REFERENCE);
    result r = run(c, cpu, NULL, 0);
    lmb_cpu_destroy(cpu);
    return r;
}

// Every path, twice, with and without memory for keys.
static void expect_all_paths(const crowd *c) {
    result expected = run_reference(c);
    for (int path = LMB_CPU_FAST; path < LMB_CPU_PATH_COUNT; path++) {
        lmb_error error;
        if (!lmb_cpu_has((lmb_cpu_path)path)) {
            continue;
        }
        lmb_cpu *cpu = create_cpu(c, (lmb_cpu_path)path);
        expect_same(&expected, run(c, cpu, NULL, 0));
        expect_same(&expected, run(c, cpu, NULL, 0));
        assert_ok(lmb_cpu_set_key_memory(cpu, 0, &error), &error);
        expect_same(&expected, run(c, cpu, NULL, 0));
        assert_ok(lmb_cpu_set_key_memory(cpu, 5000, &error), &error); // for some of the clips
        expect_same(&expected, run(c, cpu, NULL, 0));
        lmb_cpu_destroy(cpu);
    }
    free(expected.locals);
}

static void same_bits_in_crowds_of_any_size(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 2, 5, 16, 17, 63, 300};
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            crowd c = create_crowd(kind, 11, sizes[i], i % 2 == 0, i % 3 != 1, 0);
            expect_all_paths(&c);
            destroy_crowd(&c);
        }
    }
}

// More characters than can wait at once.
static void same_bits_in_a_large_crowd(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        crowd c = create_crowd(kind, 3, 9001, false, kind % 2 == 0, 0);
        expect_all_paths(&c);
        destroy_crowd(&c);
    }
}

// The tracks of all clips do not fit the memory for rows.
static void same_bits_with_many_joints(void **state) {
    (void)state;
    for (int kind = OF_CLIPS; kind <= OF_STATES; kind += OF_STATES) {
        crowd c = create_crowd(kind, MOST_JOINTS, 21, true, false, 0);
        expect_all_paths(&c);
        destroy_crowd(&c);
    }
}

static void lists_in_any_order(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    crowd c = create_crowd(OF_BOTH, 5, 1500, false, true, 0);
    static uint32_t list[COUNT];
    uint32_t random = 3;
    for (uint32_t i = 0; i < COUNT; i++) {
        list[i] = i % 50 == 7 ? c.characters + i : next_random(&random) % c.characters;
    }
    lmb_cpu *cpu = create_cpu(&c, LMB_CPU_REFERENCE);
    result expected = run(&c, cpu, list, COUNT);
    assert_int_equal(expected.refused[LMB_REFUSED_CHARACTER], COUNT / 50);
    lmb_cpu_destroy(cpu);
    for (int path = LMB_CPU_FAST; path < LMB_CPU_PATH_COUNT; path++) {
        if (lmb_cpu_has((lmb_cpu_path)path)) {
            cpu = create_cpu(&c, (lmb_cpu_path)path);
            expect_same(&expected, run(&c, cpu, list, COUNT));
            lmb_cpu_destroy(cpu);
        }
    }
    free(expected.locals);
    destroy_crowd(&c);
}

// Decoded tracks and keys of a clip are not those of the clip that was in the slot before.
static void a_changed_clip_is_decoded_again(void **state) {
    (void)state;
    crowd c = create_crowd(OF_FADES, 7, 100, true, true, 1);
    lmb_cpu *cpu = create_cpu(&c, LMB_CPU_FAST);
    lmb_error error;
    for (uint32_t i = 0; i < 3; i++) {
        result expected = run_reference(&c);
        expect_same(&expected, run(&c, cpu, NULL, 0));
        free(expected.locals);
        assert_ok(lmb_graph_set_clip(c.graph, 0, i == 1 ? NULL : c.clips[5 + i], &error), &error);
    }
    lmb_cpu_destroy(cpu);
    destroy_crowd(&c);
}

typedef struct counted {
    size_t bytes;
} counted;

static void *count_bytes(void *user, size_t size) {
    counted *all = user;
    all->bytes += size;
    return malloc(size);
}

static void release(void *user, void *memory) {
    (void)user;
    free(memory);
}

static void key_memory_is_bounded(void **state) {
    (void)state;
    crowd c = create_crowd(OF_CLIPS, 11, 40, true, true, 0);
    counted all = {0};
    const lmb_host host = {.user = &all, .allocate = count_bytes, .release = release};
    static const size_t limits[] = {0, 4000, (size_t)1 << 40};
    size_t bytes[3];
    lmb_cpu *cpu = NULL;
    lmb_error error;
    assert_ok(lmb_cpu_create(c.graph, LMB_CPU_FAST, &host, &cpu, &error), &error);
    for (int i = 0; i < 3; i++) {
        all.bytes = 0;
        assert_ok(lmb_cpu_set_key_memory(cpu, limits[i], &error), &error);
        bytes[i] = all.bytes;
    }
    if (lmb_cpu_path_of(cpu) != LMB_CPU_REFERENCE) {
        assert_int_equal(bytes[1] - bytes[0], 4000);
        assert_in_range(bytes[2] - bytes[0], 4001, (size_t)CLIPS * 11 * 3 * 4 * MOST_KEYS * 4);
    }
    result expected = run_reference(&c);
    expect_same(&expected, run(&c, cpu, NULL, 0));
    free(expected.locals);
    lmb_cpu_destroy(cpu);
    assert_int_equal(lmb_cpu_set_key_memory(NULL, 0, &error), LMB_ERROR_ARGUMENT);
    destroy_crowd(&c);
}

// A slot may get any clip, so its graph takes all of the memory, which may be too much.
static void key_memory_with_slots(void **state) {
    (void)state;
    crowd c = create_crowd(OF_CLIPS, 11, 40, true, true, 1);
    lmb_cpu *cpu = create_cpu(&c, LMB_CPU_FAST);
    lmb_error error;
    if (lmb_cpu_path_of(cpu) != LMB_CPU_REFERENCE) {
        assert_int_equal(lmb_cpu_set_key_memory(cpu, SIZE_MAX, &error), LMB_ERROR_MEMORY);
    }
    result expected = run_reference(&c);
    expect_same(&expected, run(&c, cpu, NULL, 0));
    free(expected.locals);
    lmb_cpu_destroy(cpu);
    destroy_crowd(&c);
}

static lmb_result create_and_set(const lmb_host *host, lmb_error *error, void *user) {
    const crowd *c = user;
    lmb_cpu *cpu = NULL;
    lmb_result result = lmb_cpu_create(c->graph, LMB_CPU_FAST, host, &cpu, error);
    if (result == LMB_OK) {
        result = lmb_cpu_set_key_memory(cpu, 100, error);
    }
    lmb_cpu_destroy(cpu);
    return result;
}

static void failed_allocations_leave_nothing(void **state) {
    (void)state;
    crowd c = create_crowd(OF_CLIPS, 11, 4, true, true, 0);
    failing_host_try_all(create_and_set, &c);
    destroy_crowd(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_in_crowds_of_any_size), cmocka_unit_test(same_bits_in_a_large_crowd),
        cmocka_unit_test(same_bits_with_many_joints),      cmocka_unit_test(lists_in_any_order),
        cmocka_unit_test(a_changed_clip_is_decoded_again), cmocka_unit_test(key_memory_is_bounded),
        cmocka_unit_test(key_memory_with_slots),           cmocka_unit_test(failed_allocations_leave_nothing)};
    return cmocka_run_group_tests_name("divergent", tests, NULL, NULL);
}
