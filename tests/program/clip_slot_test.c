// Clip slots on the CPU: a graph whose clips come and go gives, frame by frame, the bits of graphs that have these
// clips for good; states do not depend on what is in the slots; what does not fit is refused; nothing is allocated.
#include "clip_slot_scene.h"
#include "failing_host.h"
#include "packed.h"
#include "refusal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 60 };

static slot_scene scene;

static int set_up(void **state) {
    (void)state;
    slot_scene_create(&scene);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    slot_scene_destroy(&scene);
    return 0;
}

static void set_clip(lmb_graph *graph, uint32_t index, const lmb_clip *clip) {
    lmb_error error = {0};
    if (lmb_graph_set_clip(graph, index, clip, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(lmb_graph_has_clip(graph, index), clip != NULL);
}

// ---- Bits.

// Runs a frame of a graph that has what is in the slots for good, from the same states.
static void expect_fixed(const slot_side *after, const uint32_t *state, const uint32_t filled[SLOT_CLIPS],
                         uint32_t frame) {
    slot_side fixed;
    lmb_graph *graph = slot_graph_create_fixed(&scene, filled);
    slot_side_create(&fixed, graph, LMB_CPU_REFERENCE);
    assert_int_equal(fixed.state_words, after->state_words);
    memcpy(fixed.state, state, fixed.state_words * sizeof *state);
    slot_side_run(&fixed, frame);
    slot_side_expect(after, &fixed, lmb_cpu_path_name(lmb_cpu_path_of(after->cpu)), frame);
    slot_side_destroy(&fixed);
    lmb_graph_destroy(graph);
}

static void run_path(lmb_cpu_path path) {
    uint32_t filled[SLOT_CLIPS] = {0, SLOT_REST, SLOT_REST, SLOT_NO_CHANGE}, refused = 0, shown = 0;
    lmb_graph *graph = slot_graph_create(&scene);
    slot_side side;
    slot_side_create(&side, graph, path);
    uint32_t *before = calloc(side.state_words, sizeof *before);
    assert_non_null(before);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        slot_change changes[2];
        const uint32_t count = slot_changes(frame, changes);
        for (uint32_t i = 0; i < count; i++) {
            const lmb_clip *clip = slot_changed_clip(&scene, changes[i]);
            set_clip(graph, changes[i].clip, clip);
            filled[changes[i].clip] = clip != NULL                       ? changes[i].to
                                      : changes[i].clip == SLOT_ADDITIVE ? SLOT_NO_CHANGE
                                                                         : SLOT_REST;
        }
        memcpy(before, side.state, side.state_words * sizeof *before);
        slot_side_run(&side, frame);
        expect_fixed(&side, before, filled, frame);
        refused += side.refused[LMB_REFUSED_CLIP] > 0;
        shown += side.refused[LMB_REFUSED_CLIP] == 0;
        assert_int_equal(side.refused[LMB_REFUSED_TIME] + side.refused[LMB_REFUSED_WEIGHT], 0);
    }
    assert_true(refused > FRAMES / 8 && shown > FRAMES / 8);
    free(before);
    slot_side_destroy(&side);
    lmb_graph_destroy(graph);
}

static void clips_that_come_and_go_have_the_bits_of_fixed_ones(void **state) {
    (void)state;
    for (lmb_cpu_path path = LMB_CPU_REFERENCE; path < LMB_CPU_PATH_COUNT; path++) {
        if (path != LMB_CPU_FAST && lmb_cpu_has(path)) {
            run_path(path);
        }
    }
}

// Two machines load clips at different times. Their states, events and motions are the same in every frame, and a state
// that one saves can be restored by the other.
static void states_do_not_depend_on_what_is_loaded(void **state) {
    (void)state;
    lmb_graph *graphs[2] = {slot_graph_create(&scene), slot_graph_create(&scene)};
    slot_side sides[2];
    uint32_t events = 0;
    for (uint32_t i = 0; i < 2; i++) {
        slot_side_create(&sides[i], graphs[i], LMB_CPU_FAST);
    }
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        slot_change changes[2];
        const uint32_t count = slot_changes(frame, changes);
        for (uint32_t i = 0; i < count; i++) {
            set_clip(graphs[0], changes[i].clip, slot_changed_clip(&scene, changes[i]));
        }
        if (frame == FRAMES / 2) {
            set_clip(graphs[1], SLOT_PLAYED, scene.poses[SLOT_FAR]);
        }
        for (uint32_t i = 0; i < 2; i++) {
            slot_side_run(&sides[i], frame);
        }
        assert_memory_equal(sides[0].state, sides[1].state, sides[0].state_words * sizeof(uint32_t));
        assert_memory_equal(sides[0].emitted, sides[1].emitted, sides[0].emitted_words * sizeof(uint32_t));
        assert_int_equal(lmb_hash_words(sides[0].state, sides[0].state_words),
                         lmb_hash_words(sides[1].state, sides[1].state_words));
        for (uint32_t i = 0; i < SLOT_CHARACTERS; i++) {
            events += sides[0].emitted[i * lmb_graph_get_info(graphs[0])->emitted_words];
        }
        if (frame == FRAMES / 3) { // each goes on from what the other saved
            uint32_t *saved = sides[0].state;
            assert_int_equal(lmb_state_check(graphs[0], saved, SLOT_CHARACTERS, NULL), LMB_OK);
            sides[0].state = sides[1].state;
            sides[1].state = saved;
        }
    }
    assert_true(events > 0);
    for (uint32_t i = 0; i < 2; i++) {
        slot_side_destroy(&sides[i]);
        lmb_graph_destroy(graphs[i]);
    }
}

// A clip that is in its slot from the beginning is there as one that is set, and can be removed.
static void a_slot_may_begin_filled(void **state) {
    (void)state;
    slot_recipe r;
    lmb_graph *filled = NULL, *set = slot_graph_create(&scene);
    slot_recipe_fill(&scene, &r, true);
    r.clips[SLOT_PLAYED] = scene.poses[SLOT_PACKED];
    assert_int_equal(lmb_graph_create(&r.def, NULL, &filled, NULL), LMB_OK);
    assert_true(lmb_graph_has_clip(filled, SLOT_BASE) && lmb_graph_has_clip(filled, SLOT_PLAYED));
    assert_false(lmb_graph_has_clip(filled, SLOT_HOST));
    set_clip(set, SLOT_PLAYED, scene.poses[SLOT_PACKED]);
    slot_side sides[2];
    slot_side_create(&sides[0], filled, LMB_CPU_FAST);
    slot_side_create(&sides[1], set, LMB_CPU_FAST);
    for (uint32_t frame = 0; frame < 20; frame++) {
        if (frame == 10) {
            set_clip(filled, SLOT_PLAYED, NULL);
            set_clip(set, SLOT_PLAYED, NULL);
        }
        slot_side_run(&sides[0], frame);
        slot_side_run(&sides[1], frame);
        slot_side_expect(&sides[0], &sides[1], "filled", frame);
        assert_memory_equal(sides[0].refused, sides[1].refused, sizeof sides[0].refused);
    }
    slot_side_destroy(&sides[0]);
    slot_side_destroy(&sides[1]);
    lmb_graph_destroy(filled);
    lmb_graph_destroy(set);
}

// An empty slot is refused once for each character in whose pose it has a weight, and not where it has none.
static void an_empty_slot_counts_where_it_has_a_weight(void **state) {
    (void)state;
    const lmb_node_def nodes[] = {lmb_clip_node(0, lmb_constant(0.0f)), lmb_clip_node(1, lmb_constant(0.0f)),
                                  lmb_blend_node(0, 1, lmb_parameter(0))};
    const lmb_clip *const clips[] = {scene.base, NULL};
    lmb_clip_slot_def slot = lmb_clip_slot_for(scene.poses[SLOT_PLAIN]);
    slot.clip = 1;
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = scene.rig;
    def.clips = clips;
    def.clip_count = 2;
    def.clip_slots = &slot;
    def.clip_slot_count = 1;
    def.nodes = nodes;
    def.node_count = 3;
    def.parameter_count = 1;
    lmb_graph *graph = NULL;
    assert_int_equal(lmb_graph_create(&def, NULL, &graph, NULL), LMB_OK);
    const float weights[5] = {0.0f, 1.0f, 0.0f, 0.25f, 0.5f};
    static float palette[5 * SLOT_JOINTS * LMB_MATRIX_COMPONENTS];
    uint32_t refused[LMB_REFUSAL_COUNT];
    const lmb_batch_def batch = {graph, 5, LMB_OUTPUT_PALETTE_BIT};
    const lmb_batch_inputs inputs = {.parameters = weights};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_PALETTE] = palette, .refused = refused};
    for (lmb_cpu_path path = LMB_CPU_REFERENCE; path < LMB_CPU_PATH_COUNT; path++) {
        lmb_cpu *cpu = NULL;
        if (!lmb_cpu_has(path)) {
            continue;
        }
        assert_int_equal(lmb_cpu_create(graph, path, NULL, &cpu, NULL), LMB_OK);
        set_clip(graph, 1, NULL);
        assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
        assert_int_equal(refused[LMB_REFUSED_CLIP], 3);
        set_clip(graph, 1, scene.poses[SLOT_PLAIN]);
        assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
        assert_int_equal(refused[LMB_REFUSED_CLIP], 0);
        lmb_cpu_destroy(cpu);
    }
    lmb_graph_destroy(graph);
}

// ---- What fits.

static void clips_are_of_the_kinds_they_are_called(void **state) {
    (void)state;
    static const uint32_t kinds[SLOT_KINDS] = {
        0, LMB_CLIP_CUBIC, LMB_CLIP_FAR, LMB_CLIP_PACKED, LMB_CLIP_SCALED, LMB_CLIP_PARTIAL, 0};
    for (uint32_t i = 0; i < SLOT_KINDS; i++) {
        assert_int_equal(lmb_clip_kinds(scene.poses[i]), kinds[i]);
        const lmb_clip_slot_def slot = lmb_clip_slot_for(scene.poses[i]);
        size_t size;
        lmb_clip_block(scene.poses[i], &size);
        assert_int_equal(slot.kinds, kinds[i]);
        assert_int_equal(slot.bytes, size);
        assert_int_equal(slot.joint_count, SLOT_JOINTS);
        assert_true(slot.duration == SLOT_SECONDS && !slot.additive && slot.clip == LMB_NONE);
        assert_string_equal(slot.name, lmb_clip_get_info(scene.poses[i])->name);
    }
    assert_true(lmb_clip_slot_for(scene.additives[0]).additive);
}

static lmb_clip *create_empty(const lmb_rig *rig, float duration, bool additive) {
    lmb_clip_def def = lmb_default_clip_def();
    lmb_clip *clip = NULL;
    def.name = "other";
    def.duration = duration;
    def.additive = additive;
    assert_int_equal(lmb_clip_create(rig, &def, NULL, &clip, NULL), LMB_OK);
    return clip;
}

// Every slot takes exactly the kinds that it states, and keeps what it has when it refuses a clip.
static void a_slot_refuses_what_does_not_fit(void **state) {
    (void)state;
    static const char *const missing[SLOT_KINDS] = {NULL, "CUBIC", "FAR", "PACKED", "SCALED", "PARTIAL", NULL};
    slot_recipe r;
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    slot_recipe_fill(&scene, &r, true);
    r.slots[SLOT_HOST - 1].kinds = 0;
    r.slots[SLOT_HOST - 1].duration = SLOT_SECONDS;
    assert_int_equal(lmb_graph_create(&r.def, NULL, &graph, NULL), LMB_OK);
    set_clip(graph, SLOT_HOST, scene.poses[SLOT_PLAIN]);
    slot_side before, after;
    slot_side_create(&before, graph, LMB_CPU_FAST);
    slot_side_create(&after, graph, LMB_CPU_FAST);
    slot_side_run(&before, 7);
    for (uint32_t i = 0; i < SLOT_KINDS; i++) {
        if (missing[i] != NULL) {
            CHECK_REFUSAL(lmb_graph_set_clip(graph, SLOT_HOST, scene.poses[i], &error), &error, LMB_ERROR_ARGUMENT,
                          "clip 1", lmb_clip_get_info(scene.poses[i])->name, missing[i]);
        }
    }
    CHECK_REFUSAL(lmb_graph_set_clip(graph, SLOT_HOST, scene.additives[0], &error), &error, LMB_ERROR_ARGUMENT,
                  "is an additive");
    CHECK_REFUSAL(lmb_graph_set_clip(graph, SLOT_ADDITIVE, scene.poses[SLOT_REST], &error), &error, LMB_ERROR_ARGUMENT,
                  "clip 3", "no additive");
    lmb_joint_def joints[3] = {lmb_default_joint_def(), lmb_default_joint_def(), lmb_default_joint_def()};
    const lmb_channel_def channels[2] = {{"a", 0.0f, false}, {"b", 0.0f, false}};
    lmb_joint_def many[SLOT_JOINTS];
    for (uint32_t i = 0; i < SLOT_JOINTS; i++) {
        many[i] = lmb_default_joint_def();
    }
    const lmb_rig_def small = {.joints = joints, .joint_count = 3},
                      channelled = {
                          .joints = many, .joint_count = SLOT_JOINTS, .channels = channels, .channel_count = 2};
    lmb_rig *others[2];
    assert_int_equal(lmb_rig_create(&small, NULL, &others[0], NULL), LMB_OK);
    assert_int_equal(lmb_rig_create(&channelled, NULL, &others[1], NULL), LMB_OK);
    lmb_clip *clips[3] = {create_empty(others[0], SLOT_SECONDS, false), create_empty(others[1], SLOT_SECONDS, false),
                          create_empty(scene.rig, nextafterf(SLOT_SECONDS, 0.0f), false)};
    CHECK_REFUSAL(lmb_graph_set_clip(graph, SLOT_HOST, clips[0], &error), &error, LMB_ERROR_ARGUMENT, "3 joints", "11");
    CHECK_REFUSAL(lmb_graph_set_clip(graph, SLOT_HOST, clips[1], &error), &error, LMB_ERROR_ARGUMENT,
                  "2 float channels");
    CHECK_REFUSAL(lmb_graph_set_clip(graph, SLOT_HOST, clips[2], &error), &error, LMB_ERROR_ARGUMENT, "1.99999988 s",
                  "2 s");
    CHECK_REFUSAL(lmb_graph_set_clip(graph, SLOT_BASE, scene.base, &error), &error, LMB_ERROR_ARGUMENT,
                  "no slot for clip 0");
    CHECK_REFUSAL(lmb_graph_set_clip(graph, SLOT_CLIPS, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "no slot for clip 4");
    CHECK_REFUSAL(lmb_graph_set_clip(NULL, 0, NULL, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    assert_int_equal(lmb_graph_set_clip(graph, SLOT_BASE, NULL, NULL), LMB_ERROR_ARGUMENT);
    slot_side_run(&after, 7);
    slot_side_expect(&after, &before, "after refusals", 7);
    slot_side_destroy(&before);
    slot_side_destroy(&after);
    lmb_graph_destroy(graph);
    for (uint32_t i = 0; i < 3; i++) {
        lmb_clip_destroy(clips[i]);
    }
    lmb_rig_destroy(others[0]);
    lmb_rig_destroy(others[1]);
}

// A block of exactly the slot's size fits, one word less of room does not.
static void a_slot_refuses_a_larger_block(void **state) {
    (void)state;
    slot_recipe r;
    lmb_error error = {0};
    size_t size;
    lmb_clip_block(scene.poses[SLOT_CUBIC], &size);
    for (uint32_t less = 0; less < 2; less++) {
        lmb_graph *graph = NULL;
        slot_recipe_fill(&scene, &r, true);
        r.slots[0].bytes = (uint32_t)size - 4 * less - 3 * (1 - less); // room is rounded up to whole words
        assert_int_equal(lmb_graph_create(&r.def, NULL, &graph, NULL), LMB_OK);
        if (less == 0) {
            set_clip(graph, SLOT_HOST, scene.poses[SLOT_CUBIC]);
        } else {
            CHECK_REFUSAL(lmb_graph_set_clip(graph, SLOT_HOST, scene.poses[SLOT_CUBIC], &error), &error,
                          LMB_ERROR_LIMIT, "'cubic' takes", "bytes");
            assert_false(lmb_graph_has_clip(graph, SLOT_HOST));
        }
        lmb_graph_destroy(graph);
    }
}

// A clip of a joint map's joints, without float channels.
static void a_slot_takes_clips_of_a_joint_map(void **state) {
    (void)state;
    const uint32_t joints[SLOT_JOINTS] = {LMB_NONE, 0,        1,        LMB_NONE, LMB_NONE, LMB_NONE,
                                          LMB_NONE, LMB_NONE, LMB_NONE, LMB_NONE, LMB_NONE};
    const lmb_joint_map_def map = {joints, 2};
    const float times[2] = {0.0f, 1.0f}, values[6] = {3.0f, 4.0f, 5.0f, 3.0f, 4.0f, 5.0f};
    const lmb_track_def track = {1, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, values};
    const lmb_clip_def clip_def = {.tracks = &track, .track_count = 1};
    lmb_joint_def two[2] = {lmb_default_joint_def(), lmb_default_joint_def()};
    const lmb_rig_def rig_def = {.joints = two, .joint_count = 2};
    lmb_rig *rig = NULL;
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_rig_create(&rig_def, NULL, &rig, NULL), LMB_OK);
    assert_int_equal(lmb_clip_create(rig, &clip_def, NULL, &clip, NULL), LMB_OK);
    lmb_node_def nodes[] = {lmb_clip_node(0, lmb_constant(0.0f)), lmb_default_node_def()};
    nodes[1].op = LMB_OP_COMBINE;
    nodes[1].input_count = 1;
    nodes[1].joint_maps[0] = 0;
    const lmb_clip *const clips[] = {NULL};
    lmb_clip_slot_def slot = lmb_clip_slot_for(clip);
    slot.clip = 0;
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = scene.rig;
    def.clips = clips;
    def.clip_count = 1;
    def.clip_slots = &slot;
    def.clip_slot_count = 1;
    def.joint_maps = &map;
    def.joint_map_count = 1;
    def.nodes = nodes;
    def.node_count = 2;
    lmb_graph *graph = NULL;
    assert_int_equal(lmb_graph_create(&def, NULL, &graph, NULL), LMB_OK);
    float local[SLOT_JOINTS * LMB_POSE_COMPONENTS + SLOT_CHANNELS];
    lmb_cpu *cpu = NULL;
    const lmb_batch_def batch = {graph, 1, LMB_OUTPUT_LOCAL_BIT};
    const lmb_batch_inputs inputs = {0};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_LOCAL] = local};
    assert_int_equal(lmb_cpu_create(graph, LMB_CPU_FAST, NULL, &cpu, NULL), LMB_OK);
    assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
    assert_true(local[SLOT_JOINTS + 2] == 1.0f); // the rest pose's y of joint 2
    set_clip(graph, 0, clip);
    assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
    assert_true(local[2] == 3.0f && local[SLOT_JOINTS + 2] == 4.0f && local[2 * SLOT_JOINTS + 2] == 5.0f);
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_graph_set_clip(graph, 0, scene.base, &error), &error, LMB_ERROR_ARGUMENT, "11 joints", "2");
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(graph);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
}

// A clip in a retarget may be in a slot, which may be empty. It then has the bits of a clip that is there for good.
static void a_slot_takes_clips_of_a_retarget(void **state) {
    (void)state;
    const float times[2] = {0.0f, 1.0f}, values[6] = {3.0f, 4.0f, 5.0f, -3.0f, 4.0f, 5.0f};
    const lmb_track_def track = {1, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, values};
    const lmb_clip_def clip_def = {.tracks = &track, .track_count = 1};
    lmb_joint_def two[2] = {lmb_default_joint_def(), lmb_default_joint_def()};
    const lmb_channel_def channels[SLOT_CHANNELS + 1] = {{.name = "a"}};
    const lmb_rig_def rig_def = {
        .joints = two, .joint_count = 2, .channels = channels, .channel_count = SLOT_CHANNELS + 1};
    two[1].parent = 0;
    two[1].rest.translation[1] = 1.0f;
    lmb_rig *rig = NULL;
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_rig_create(&rig_def, NULL, &rig, NULL), LMB_OK);
    assert_int_equal(lmb_clip_create(rig, &clip_def, NULL, &clip, NULL), LMB_OK);
    uint32_t table[SLOT_JOINTS];
    for (uint32_t i = 0; i < SLOT_JOINTS; i++) {
        table[i] = i < 2 ? i : LMB_NONE;
    }
    const lmb_retarget_def retarget = lmb_retarget_of(rig, table);
    const lmb_node_def nodes[] = {lmb_clip_node(0, lmb_constant(0.25f)), lmb_retarget_node(0, 0)};
    const lmb_clip *clips[] = {NULL};
    lmb_clip_slot_def slot = lmb_clip_slot_for(clip);
    slot.clip = 0;
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = scene.rig;
    def.clips = clips;
    def.clip_count = 1;
    def.clip_slots = &slot;
    def.clip_slot_count = 1;
    def.retargets = &retarget;
    def.retarget_count = 1;
    def.nodes = nodes;
    def.node_count = 2;
    float local[3][SLOT_JOINTS * LMB_POSE_COMPONENTS + SLOT_CHANNELS]; // empty, set, for good
    for (int run = 0; run < 3; run++) {
        clips[0] = run == 2 ? clip : NULL;
        def.clip_slot_count = run == 2 ? 0 : 1;
        lmb_graph *graph = NULL;
        assert_int_equal(lmb_graph_create(&def, NULL, &graph, NULL), LMB_OK);
        if (run == 1) {
            set_clip(graph, 0, clip);
        }
        lmb_cpu *cpu = NULL;
        const lmb_batch_def batch = {graph, 1, LMB_OUTPUT_LOCAL_BIT};
        const lmb_batch_inputs inputs = {0};
        const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_LOCAL] = local[run]};
        assert_int_equal(lmb_cpu_create(graph, LMB_CPU_FAST, NULL, &cpu, NULL), LMB_OK);
        assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
        lmb_cpu_destroy(cpu);
        lmb_graph_destroy(graph);
    }
    assert_memory_equal(local[1], local[2], sizeof local[1]);
    assert_memory_not_equal(local[0], local[1], sizeof local[0]);
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    clips[0] = NULL;
    slot.additive = true;
    def.clip_slot_count = 1;
    CHECK_REFUSAL(lmb_graph_create(&def, NULL, &graph, &error), &error, LMB_ERROR_ARGUMENT,
                  "an additive, and only poses");
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
}

// ---- Descriptors.

static void expect_refused(const slot_recipe *r, lmb_result result, const char *a, const char *b) {
    lmb_error error = {0};
    lmb_graph *graph = NULL;
    CHECK_REFUSAL(lmb_graph_check(&r->def, &error), &error, result, a, b);
    CHECK_REFUSAL(lmb_graph_create(&r->def, NULL, &graph, &error), &error, result, a, b);
    assert_null(graph);
}

static void descriptors_of_slots_are_checked(void **state) {
    (void)state;
    slot_recipe r;
#define REFUSED(change, result, a, b)                                                                                  \
    slot_recipe_fill(&scene, &r, true);                                                                                \
    change;                                                                                                            \
    expect_refused(&r, result, a, b)
    REFUSED(r.slots[1].cookie = 0, LMB_ERROR_ARGUMENT, "clip slot 1", "lmb_default_clip_slot_def");
    REFUSED(r.slots[2].clip = SLOT_CLIPS, LMB_ERROR_ARGUMENT, "clip slot 2", "no such clip");
    REFUSED(r.slots[0].clip = LMB_NONE, LMB_ERROR_ARGUMENT, "clip slot 0", "no such clip");
    REFUSED(r.slots[1].clip = r.slots[0].clip, LMB_ERROR_ARGUMENT, "clip slot 1", "order of their clips");
    REFUSED(r.slots[0].clip = SLOT_PLAYED;
            r.slots[1].clip = SLOT_HOST, LMB_ERROR_ARGUMENT, "clip slot 1", "order of their clips");
    REFUSED(r.slots[0].bytes = 0, LMB_ERROR_ARGUMENT, "clip slot 0", "bytes");
    REFUSED(r.slots[0].duration = NAN, LMB_ERROR_ARGUMENT, "clip slot 0", "duration");
    REFUSED(r.slots[0].duration = INFINITY, LMB_ERROR_ARGUMENT, "clip slot 0", "duration");
    REFUSED(r.slots[0].kinds = 32, LMB_ERROR_ARGUMENT, "clip slot 0", "kinds");
    REFUSED(r.slots[0].joint_count = 10, LMB_ERROR_ARGUMENT, "clip slot 0", "joint_count");
    REFUSED(r.slots[1].duration = -1.0f, LMB_ERROR_ARGUMENT, "node 2 (clip)", "states no duration");
    REFUSED(r.slots[1].duration = 2e5f, LMB_ERROR_ARGUMENT, "", "");
    REFUSED(r.slots[2].additive = false, LMB_ERROR_ARGUMENT, "node 8 (additive)", "a pose");
    REFUSED(r.def.clip_slots = NULL, LMB_ERROR_ARGUMENT, "clip slots", "NULL");
    REFUSED(r.def.clip_slot_count = 0, LMB_ERROR_ARGUMENT, "clip 1 is NULL", "no slot");
    REFUSED(r.def.clip_slot_count = LMB_MAX_CLIP_SLOTS + 1, LMB_ERROR_LIMIT, "clip slots", "4096");
    REFUSED(r.def.clips = NULL, LMB_ERROR_ARGUMENT, "clips", "NULL");
    REFUSED(r.slots[0].bytes = r.slots[1].bytes = UINT32_MAX, LMB_ERROR_LIMIT, "graph: it would take", "2^30");
    REFUSED(r.clips[SLOT_HOST] = scene.additives[0], LMB_ERROR_ARGUMENT, "clip 1 'nod'", "is an additive");
    REFUSED(r.slots[0].bytes = 100; r.clips[SLOT_HOST] = scene.base, LMB_ERROR_LIMIT, "clip 1 'base' takes", "100");
    REFUSED(r.nodes[1].clip.constant = SLOT_CLIPS, LMB_ERROR_ARGUMENT, "node 1 (clip)", "no such clip");
#undef REFUSED
}

static void slots_are_found_by_name(void **state) {
    (void)state;
    slot_recipe r;
    slot_recipe_fill(&scene, &r, true);
    char name[] = "hosted";
    r.slots[0].name = name;
    r.slots[2].name = NULL;
    lmb_graph *graph = NULL;
    assert_int_equal(lmb_graph_create(&r.def, NULL, &graph, NULL), LMB_OK);
    memset(name, 'x', sizeof name - 1);
    assert_int_equal(lmb_graph_get_info(graph)->clip_slot_count, 3);
    assert_int_equal(lmb_graph_find_clip_slot(graph, "hosted"), SLOT_HOST);
    assert_int_equal(lmb_graph_find_clip_slot(graph, "played"), SLOT_PLAYED);
    assert_int_equal(lmb_graph_find_clip_slot(graph, ""), SLOT_ADDITIVE);
    assert_int_equal(lmb_graph_find_clip_slot(graph, "base"), LMB_NONE);
    assert_int_equal(lmb_graph_find_clip_slot(graph, NULL), LMB_NONE);
    const lmb_clip_slot_def slot = lmb_graph_clip_slot_at(graph, 1);
    assert_string_equal(slot.name, "played");
    assert_int_equal(slot.clip, SLOT_PLAYED);
    assert_int_equal(slot.joint_count, SLOT_JOINTS);
    assert_int_equal(slot.bytes, r.slots[1].bytes);
    assert_string_equal(lmb_graph_clip_slot_at(graph, 3).name, "");
    assert_int_equal(lmb_graph_clip_slot_at(graph, 3).clip, LMB_NONE);
    assert_false(lmb_graph_has_clip(graph, SLOT_CLIPS));
    // The player has the slot's name and duration.
    assert_string_equal(lmb_graph_player_at(graph, 0).name, "played");
    assert_true(lmb_graph_player_at(graph, 0).duration == SLOT_SECONDS);
    assert_string_equal(lmb_graph_parameter_at(graph, SLOT_PARAMETERS).name, "played.time");
    lmb_graph_destroy(graph);
}

// ---- Memory.

static lmb_result create_with(const lmb_host *host, lmb_error *error, void *user) {
    slot_recipe r;
    lmb_graph *graph = NULL;
    (void)user;
    slot_recipe_fill(&scene, &r, true);
    const lmb_result result = lmb_graph_create(&r.def, host, &graph, error);
    lmb_graph_destroy(graph);
    return result;
}

static void every_allocation_that_fails_is_reported(void **state) {
    (void)state;
    failing_host_try_all(create_with, NULL);
}

static void changes_and_frames_allocate_nothing(void **state) {
    (void)state;
    failing_host counts = {0};
    const lmb_host host = failing_host_of(&counts);
    slot_recipe r;
    lmb_graph *graph = NULL;
    slot_recipe_fill(&scene, &r, true);
    assert_int_equal(lmb_graph_create(&r.def, &host, &graph, NULL), LMB_OK);
    const uint32_t asked = counts.asked;
    slot_side side;
    slot_side_create(&side, graph, LMB_CPU_FAST);
    for (uint32_t frame = 0; frame < 8; frame++) {
        slot_change changes[2];
        const uint32_t count = slot_changes(frame, changes);
        for (uint32_t i = 0; i < count; i++) {
            set_clip(graph, changes[i].clip, slot_changed_clip(&scene, changes[i]));
        }
        slot_side_run(&side, frame);
    }
    assert_int_equal(counts.asked, asked);
    slot_side_destroy(&side);
    lmb_graph_destroy(graph);
    assert_int_equal(counts.live, 0);
}

// ---- Packs.

// A pack has the graph without the clips in slots, which come from a second pack while the graph runs.
static void clips_come_from_another_pack(void **state) {
    (void)state;
    slot_recipe r;
    slot_recipe_fill(&scene, &r, true);
    lmb_pack_def def = lmb_default_pack_def();
    def.rig = scene.rig;
    def.clips = (const lmb_clip *const *)scene.poses;
    def.clip_count = SLOT_KINDS;
    size_t sizes[2];
    void *bytes[] = {packed_graph("streamed", &r.def, &sizes[0]), packed(&def, &sizes[1])};
    lmb_pack *packs[2];
    lmb_graph *graph = NULL, *other = slot_graph_create(&scene);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(lmb_pack_open(bytes[i], sizes[i], NULL, &packs[i], NULL), LMB_OK);
    }
    assert_int_equal(lmb_pack_get_def(packs[0])->clip_count, 1); // that without a slot
    assert_int_equal(lmb_graph_create(lmb_pack_find_graph(packs[0], "streamed"), NULL, &graph, NULL), LMB_OK);
    slot_side sides[2];
    slot_side_create(&sides[0], graph, LMB_CPU_FAST);
    slot_side_create(&sides[1], other, LMB_CPU_FAST);
    for (uint32_t frame = 0; frame < 20; frame++) {
        if (frame % 5 == 1) {
            const uint32_t kind = frame / 5;
            const uint32_t clip = lmb_graph_find_clip_slot(graph, frame % 2 == 0 ? "hosted" : "played");
            set_clip(graph, clip, lmb_pack_find_clip(packs[1], lmb_clip_get_info(scene.poses[kind])->name));
            set_clip(other, clip, scene.poses[kind]);
        }
        slot_side_run(&sides[0], frame);
        slot_side_run(&sides[1], frame);
        slot_side_expect(&sides[0], &sides[1], "from a pack", frame);
    }
    for (uint32_t i = 0; i < 2; i++) {
        slot_side_destroy(&sides[i]);
        lmb_pack_close(packs[i]);
        free(bytes[i]);
    }
    lmb_graph_destroy(graph);
    lmb_graph_destroy(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_that_come_and_go_have_the_bits_of_fixed_ones),
        cmocka_unit_test(states_do_not_depend_on_what_is_loaded),
        cmocka_unit_test(a_slot_may_begin_filled),
        cmocka_unit_test(an_empty_slot_counts_where_it_has_a_weight),
        cmocka_unit_test(clips_are_of_the_kinds_they_are_called),
        cmocka_unit_test(a_slot_refuses_what_does_not_fit),
        cmocka_unit_test(a_slot_refuses_a_larger_block),
        cmocka_unit_test(a_slot_takes_clips_of_a_joint_map),
        cmocka_unit_test(a_slot_takes_clips_of_a_retarget),
        cmocka_unit_test(descriptors_of_slots_are_checked),
        cmocka_unit_test(slots_are_found_by_name),
        cmocka_unit_test(every_allocation_that_fails_is_reported),
        cmocka_unit_test(changes_and_frames_allocate_nothing),
        cmocka_unit_test(clips_come_from_another_pack),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
