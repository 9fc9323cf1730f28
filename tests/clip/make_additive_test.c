// Additive clips: at any time they equal the oracle's additive within the stated bound, and applied to their reference
// they give their source.
#include "failing_host.h"
#include "keyframes.h"
#include "refusal.h"
#include "scene.h"

#include <limber/additive.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 9, TIMES = 400 };

// Two clips on a rig without uneven scales, with tracks of every interpolation. `scales` keeps the scale tracks.
typedef struct world {
    lmb_rig *rig;
    keyframes keys[2];
    lmb_clip *clips[2];
    lmb_transform pose[FEW];
} world;

static lmb_rig *plain_rig(void) {
    lmb_joint_def joints[FEW];
    random_source source = {7};
    for (uint32_t i = 0; i < FEW; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : (i - 1) / 2;
        random_rotation(&source, joints[i].rest.rotation);
        joints[i].rest.translation[0] = (float)i;
    }
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = FEW}, NULL, &rig, NULL), LMB_OK);
    return rig;
}

static void start(world *world, bool scales) {
    static const uint32_t counts[2] = {9, 6};
    random_source source = {11};
    world->rig = plain_rig();
    for (uint32_t i = 0; i < 2; i++) {
        world->keys[i] = keyframes_create(FEW, counts[i], 21 + i);
        lmb_clip_def *def = &world->keys[i].clip;
        def->duration = i == 0 ? 2.5f : 3.75f;
        uint32_t kept = 0;
        for (uint32_t track = 0; track < def->track_count; track++) {
            if (scales || world->keys[i].tracks[track].property != LMB_PROPERTY_SCALE) {
                world->keys[i].tracks[kept++] = world->keys[i].tracks[track];
            }
        }
        def->track_count = kept;
        assert_int_equal(lmb_clip_create(world->rig, def, NULL, &world->clips[i], NULL), LMB_OK);
    }
    for (uint32_t i = 0; i < FEW; i++) {
        random_rotation(&source, world->pose[i].rotation);
        for (int k = 0; k < 3; k++) {
            world->pose[i].translation[k] = (float)random_between(&source, -5.0, 5.0);
            world->pose[i].scale[k] = scales ? (float)random_between(&source, 0.5, 2.0) : 1.0f;
        }
    }
}

static void end(world *world) {
    for (uint32_t i = 0; i < 2; i++) {
        lmb_clip_destroy(world->clips[i]);
        keyframes_destroy(&world->keys[i]);
    }
    lmb_rig_destroy(world->rig);
}

static lmb_clip *bake(const lmb_rig *rig, const lmb_clip *source, const lmb_clip_additive_def *def) {
    lmb_clip *baked = NULL;
    lmb_error error = {0};
    if (lmb_clip_make_additive(rig, source, def, NULL, &baked, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return baked;
}

// Returns a program's local transforms at each of the times, which are parameter 0: float [time][10][joint].
static float *run(const lmb_graph_def *def, const float *times, const float *pose) {
    const uint32_t joints = lmb_rig_get_def(def->rig)->joint_count;
    float *local = calloc((size_t)TIMES * joints * LMB_POSE_COMPONENTS, sizeof *local);
    lmb_graph *program = NULL;
    lmb_cpu *cpu = NULL;
    lmb_error error = {0};
    assert_non_null(local);
    if (lmb_graph_create(def, NULL, &program, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    const lmb_batch_def batch = {program, TIMES, LMB_OUTPUT_LOCAL_BIT};
    const lmb_batch_inputs inputs = {.parameters = times, .poses = {pose}};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_LOCAL] = local}};
    assert_int_equal(lmb_cpu_create(program, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(program);
    return local;
}

static lmb_node_def clip_node(float clip, float rate) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.clip = lmb_constant(clip);
    node.time = lmb_parameter(0);
    node.rate = lmb_constant(rate);
    return node;
}

static float *run_clip(const lmb_rig *rig, const lmb_clip *clip, const float *times) {
    const lmb_node_def node = clip_node(0.0f, 1.0f);
    const lmb_graph_def def = {
        .rig = rig, .clips = &clip, .clip_count = 1, .nodes = &node, .node_count = 1, .parameter_count = 1};
    return run(&def, times, NULL);
}

// Fills in random times and key times.
static void fill_times(const world *world, float *times) {
    random_source source = {31};
    for (uint32_t i = 0; i < TIMES; i++) {
        const lmb_track_def *track = &world->keys[0].tracks[i % world->keys[0].clip.track_count];
        times[i] = i % 4 == 0 ? track->times[i / 4 % track->key_count] : (float)random_between(&source, 0.0, 2.5);
    }
    times[1] = 0.0f;
    times[2] = 2.5f;
}

typedef enum reference { FIRST_FRAME, POSE, CLIP } reference;

static void compare(const world *world, reference kind, lmb_form form, lmb_space space, float error) {
    static float times[TIMES];
    fill_times(world, times);
    const lmb_clip_additive_def def = {.pose = kind == POSE ? world->pose : NULL,
                                       .clip = kind == CLIP ? world->clips[1] : NULL,
                                       .form = form,
                                       .space = space,
                                       .error = error};
    lmb_clip *baked = bake(world->rig, world->clips[0], &def);
    float *found = run_clip(world->rig, baked, times);
    float *poses = calloc((size_t)TIMES * FEW * LMB_POSE_COMPONENTS, sizeof *poses);
    assert_non_null(poses);
    lmb_node_def nodes[3] = {clip_node(0.0f, 1.0f), clip_node(1.0f, 1.5f), lmb_default_node_def()};
    if (kind == FIRST_FRAME) {
        nodes[1] = clip_node(0.0f, 0.0f);
    } else if (kind == POSE) {
        nodes[1].op = LMB_OP_POSE;
        for (uint32_t i = 0; i < TIMES * FEW * LMB_POSE_COMPONENTS; i++) {
            float values[LMB_POSE_COMPONENTS];
            memcpy(values, &world->pose[i % FEW], sizeof values);
            poses[i] = values[i / FEW % LMB_POSE_COMPONENTS];
        }
    }
    nodes[2].op = LMB_OP_MAKE_ADDITIVE;
    nodes[2].input_count = 2;
    nodes[2].inputs[1] = 1;
    nodes[2].form = form;
    nodes[2].space = space;
    const lmb_clip_def clips[2] = {world->keys[0].clip, world->keys[1].clip};
    const oracle_scene scene = {.rig = world->rig,
                                .clips = clips,
                                .clip_count = 2,
                                .nodes = nodes,
                                .parameter_count = 1,
                                .parameters = times,
                                .poses = {poses}};
    const double bound = (error == 0.0f ? 1e-4 : (double)error) + 1e-5;
    double largest[3] = {0.0, 0.0, 0.0};
    for (uint32_t time = 0; time < TIMES; time++) {
        for (uint32_t joint = 0; joint < FEW; joint++) {
            oracle_choices choices = {0, 0};
            const oracle_transform expected = oracle_evaluate(&scene, 2, time, joint, &choices);
            double got[LMB_POSE_COMPONENTS];
            for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
                got[i] = (double)found[((size_t)time * LMB_POSE_COMPONENTS + i) * FEW + joint];
            }
            const double sign = oracle_quaternion_dot(got + 3, expected.rotation) < 0.0 ? -1.0 : 1.0;
            for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
                const double value = i < 3   ? expected.translation[i]
                                     : i < 7 ? sign * expected.rotation[i - 3]
                                             : expected.scale[i - 7];
                const uint32_t part = i < 3 ? 0 : i < 7 ? 1 : 2;
                const double off = fabs(got[i] - value) / fmax(1.0, fabs(value));
                largest[part] = fmax(largest[part], off);
                if (!(off <= bound)) {
                    fail_msg("reference %d, form %d, space %d: time %g, joint %u, component %u: %.9g instead of %.9g",
                             kind, form, space, (double)times[time], joint, i, got[i], value);
                }
            }
        }
    }
    print_message("reference %d, form %d, space %d: %u keys: translation %.2g, rotation %.2g, scale %.2g\n", kind, form,
                  space, lmb_clip_get_info(baked)->key_count, largest[0], largest[1], largest[2]);
    free(found);
    free(poses);
    lmb_clip_destroy(baked);
}

static void any_reference_form_and_space(void **state) {
    (void)state;
    for (int scales = 0; scales < 2; scales++) {
        world world;
        start(&world, scales != 0);
        // Keys cannot represent the quotient by a scale that passes through zero.
        for (reference kind = FIRST_FRAME; kind <= (scales != 0 ? POSE : CLIP); kind++) {
            compare(&world, kind, LMB_FORM_LOCAL, LMB_SPACE_LOCAL, 0.0f);
            compare(&world, kind, LMB_FORM_PARENT, LMB_SPACE_LOCAL, 0.0f);
            compare(&world, kind, LMB_FORM_LOCAL, LMB_SPACE_MODEL, 0.0f);
            if (scales == 0) {
                compare(&world, kind, LMB_FORM_AFFINE, LMB_SPACE_LOCAL, 0.0f);
            }
        }
        compare(&world, POSE, LMB_FORM_LOCAL, LMB_SPACE_LOCAL, 1e-3f);
        end(&world);
    }
}

// Applied to the reference at the same phase, the additive clip gives the source.
static void the_source_comes_back(void **state) {
    (void)state;
    static const struct {
        lmb_form form;
        lmb_space space;
    } ways[] = {{LMB_FORM_LOCAL, LMB_SPACE_LOCAL},
                {LMB_FORM_PARENT, LMB_SPACE_LOCAL},
                {LMB_FORM_AFFINE, LMB_SPACE_LOCAL},
                {LMB_FORM_LOCAL, LMB_SPACE_MODEL}};
    static float times[TIMES];
    world world;
    start(&world, false);
    fill_times(&world, times);
    float *expected = run_clip(world.rig, world.clips[0], times);
    for (size_t way = 0; way < 4; way++) {
        const lmb_clip_additive_def def = {
            .clip = world.clips[1], .form = ways[way].form, .space = ways[way].space, .error = 1e-5f};
        lmb_clip *baked = bake(world.rig, world.clips[0], &def);
        const lmb_clip *clips[2] = {baked, world.clips[1]};
        lmb_node_def nodes[3] = {clip_node(0.0f, 1.0f), clip_node(1.0f, 1.5f), lmb_default_node_def()};
        nodes[2].op = LMB_OP_ADDITIVE;
        nodes[2].input_count = 2;
        nodes[2].inputs[0] = 1;
        nodes[2].inputs[1] = 0;
        nodes[2].form = ways[way].form;
        nodes[2].space = ways[way].space;
        const lmb_graph_def program = {
            .rig = world.rig, .clips = clips, .clip_count = 2, .nodes = nodes, .node_count = 3, .parameter_count = 1};
        float *found = run(&program, times, NULL);
        double largest = 0.0;
        for (uint32_t time = 0; time < TIMES; time++) {
            for (uint32_t joint = 0; joint < FEW; joint++) {
                double off[2] = {0.0, 0.0}; // with either sign of the rotation
                for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
                    const size_t at = ((size_t)time * LMB_POSE_COMPONENTS + i) * FEW + joint;
                    const double in = (double)expected[at], out = (double)found[at];
                    const bool turns = i >= 3 && i < 7;
                    off[0] = fmax(off[0], fabs(in - out) / (turns ? 1.0 : 40.0));
                    off[1] = fmax(off[1], fabs(turns ? in + out : in - out) / (turns ? 1.0 : 40.0));
                }
                largest = fmax(largest, fmin(off[0], off[1]));
            }
        }
        print_message("way %zu: %.2g from the source\n", way, largest);
        assert_true(largest <= (ways[way].space == LMB_SPACE_MODEL ? 2e-4 : 5e-5));
        free(found);
        lmb_clip_destroy(baked);
    }
    free(expected);
    end(&world);
}

// A rig of one or two joints.
static lmb_rig *small_rig(uint32_t joints) {
    lmb_joint_def defs[2] = {lmb_default_joint_def(), lmb_default_joint_def()};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = defs, .joint_count = joints}, NULL, &rig, NULL), LMB_OK);
    return rig;
}

static lmb_clip *small_clip(const lmb_rig *rig, lmb_interpolation interpolation, const float *times,
                            const float *values, uint32_t keys, const uint8_t *weights) {
    const lmb_track_def track = {0, LMB_PROPERTY_TRANSLATION, interpolation, keys, times, values};
    lmb_clip *clip = NULL;
    const lmb_clip_def def = {.name = "small", .tracks = &track, .track_count = 1, .joint_weights = weights};
    assert_int_equal(lmb_clip_create(rig, &def, NULL, &clip, NULL), LMB_OK);
    return clip;
}

// Steps remain steps if source and reference are steps. A step against a linear track changes between adjacent floats,
// not over the interval.
static void steps_stay_sharp(void **state) {
    (void)state;
    static const float times[3] = {0.0f, 0.5f, 1.0f}, later[3] = {0.0f, 1.0f, 2.0f}, third[2] = {0.0f, 3.0f};
    static const float values[9] = {1.0f, 0, 0, 2.0f, 0, 0, 3.0f, 0, 0}, slope[6] = {0, 0, 0, 3.0f, 0, 0};
    const uint8_t weights[1] = {77};
    lmb_rig *rig = small_rig(1);
    lmb_clip *steps = small_clip(rig, LMB_INTERPOLATION_STEP, times, values, 3, weights);
    lmb_clip *slow = small_clip(rig, LMB_INTERPOLATION_STEP, later, values, 3, NULL);
    lmb_clip *ramp = small_clip(rig, LMB_INTERPOLATION_LINEAR, third, slope, 2, NULL);
    // The same steps at the same phase give no difference: one key for each of the three channels.
    lmb_clip *baked = bake(rig, steps, &(lmb_clip_additive_def){.clip = slow});
    assert_int_equal(lmb_clip_get_info(baked)->key_count, 3);
    assert_int_equal(lmb_clip_get_info(baked)->track_count, 3);
    assert_true(lmb_clip_get_info(baked)->duration == 1.0f);
    assert_string_equal(lmb_clip_get_info(baked)->name, "small");
    lmb_clip_destroy(baked);
    // Against the clip's first frame: steps at their times.
    baked = bake(rig, steps, &(lmb_clip_additive_def){.name = "steps"});
    assert_int_equal(lmb_clip_get_info(baked)->key_count, 5);
    assert_string_equal(lmb_clip_get_info(baked)->name, "steps");
    lmb_clip_destroy(baked);
    // Against the linear track, which is 3 t at the same phase.
    baked = bake(rig, steps, &(lmb_clip_additive_def){.clip = ramp});
    static float at[TIMES];
    for (uint32_t i = 0; i < TIMES; i++) {
        at[i] = i == 0 ? nextafterf(0.5f, 0.0f) : i == 1 ? nextafterf(1.0f, 0.0f) : (float)i / (TIMES - 1);
    }
    float *found = run_clip(rig, baked, at);
    for (uint32_t i = 0; i < TIMES; i++) {
        const double step = at[i] < 0.5f ? 1.0 : at[i] < 1.0f ? 2.0 : 3.0;
        const double value = (double)found[(size_t)i * LMB_POSE_COMPONENTS];
        if (!(fabs(value - (step - 3.0 * (double)at[i])) <= 2e-6)) {
            fail_msg("%.9g at %.9g", value, (double)at[i]);
        }
    }
    free(found);
    lmb_clip_destroy(baked);
    lmb_clip_destroy(steps);
    lmb_clip_destroy(slow);
    lmb_clip_destroy(ramp);
    lmb_rig_destroy(rig);
}

// A clip without a duration is at phase 0, both as source and as reference.
static void clips_without_a_duration(void **state) {
    (void)state;
    static const float none[1] = {0.0f}, one[2] = {0.0f, 1.0f};
    static const float here[3] = {5.0f, 0, 0}, slope[6] = {1.0f, 0, 0, 3.0f, 0, 0};
    lmb_rig *rig = small_rig(1);
    lmb_clip *still = small_clip(rig, LMB_INTERPOLATION_LINEAR, none, here, 1, NULL);
    lmb_clip *moving = small_clip(rig, LMB_INTERPOLATION_LINEAR, one, slope, 2, NULL);
    static float at[TIMES] = {0.0f, 1.0f, 0.5f};
    const struct {
        lmb_clip *source, *reference;
        float expected[3];
    } rows[] = {{still, moving, {4.0f, 4.0f, 4.0f}}, {moving, still, {-4.0f, -2.0f, -3.0f}}};
    for (int i = 0; i < 2; i++) {
        lmb_clip *baked = bake(rig, rows[i].source, &(lmb_clip_additive_def){.clip = rows[i].reference});
        assert_true(lmb_clip_get_info(baked)->duration == lmb_clip_get_info(rows[i].source)->duration);
        float *found = run_clip(rig, baked, at);
        for (int time = 0; time < 3; time++) {
            assert_true(found[time * (int)LMB_POSE_COMPONENTS] == rows[i].expected[time]);
        }
        free(found);
        lmb_clip_destroy(baked);
    }
    lmb_clip_destroy(still);
    lmb_clip_destroy(moving);
    lmb_rig_destroy(rig);
}

static void expect_failure(const lmb_rig *rig, const lmb_clip *source, lmb_clip_additive_def def, const char *message) {
    lmb_clip *baked = (lmb_clip *)(uintptr_t)1;
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_clip_make_additive(rig, source, &def, NULL, &baked, &error), &error, LMB_ERROR_ARGUMENT, message);
    assert_null(baked);
}

static void what_is_refused(void **state) {
    (void)state;
    world world;
    start(&world, true);
    lmb_rig *rig = small_rig(2);
    static const float none[1] = {0.0f}, here[3] = {5.0f, 0, 0};
    lmb_clip *foreign = small_clip(rig, LMB_INTERPOLATION_LINEAR, none, here, 1, NULL);
    const lmb_clip_additive_def plain = {.form = LMB_FORM_LOCAL};
    lmb_error error;
    expect_failure(NULL, world.clips[0], plain, "the rig is NULL");
    expect_failure(world.rig, NULL, plain, "the source is NULL");
    expect_failure(world.rig, foreign, plain, "the source is a clip of another rig");
    lmb_clip *baked = NULL;
    CHECK_REFUSAL(lmb_clip_make_additive(world.rig, world.clips[0], NULL, NULL, &baked, &error), &error,
                  LMB_ERROR_ARGUMENT, "the descriptor is NULL");
    assert_int_equal(lmb_clip_make_additive(world.rig, world.clips[0], &plain, NULL, NULL, &error), LMB_ERROR_ARGUMENT);
    const struct {
        lmb_clip_additive_def def;
        const char *message;
    } rows[] = {{{.clip = foreign}, "the reference is a clip of another rig"},
                {{.clip = world.clips[1], .pose = world.pose}, "both a pose and a clip"},
                {{.form = LMB_FORM_COUNT}, "unknown form"},
                {{.space = LMB_SPACE_COUNT}, "unknown form"},
                {{.form = LMB_FORM_AFFINE, .space = LMB_SPACE_MODEL}, "the affine form has no model space"},
                {{.error = -1.0f}, "the error"},
                {{.error = NAN}, "the error"},
                {{.form = LMB_FORM_AFFINE}, "shears"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect_failure(world.rig, world.clips[0], rows[i].def, rows[i].message);
    }
    world.pose[3].scale[1] = INFINITY;
    expect_failure(world.rig, world.clips[0], (lmb_clip_additive_def){.pose = world.pose}, "the reference pose");
    world.pose[3].scale[1] = 1.0f;
    memset(world.pose[4].rotation, 0, sizeof world.pose[4].rotation);
    expect_failure(world.rig, world.clips[0], (lmb_clip_additive_def){.pose = world.pose}, "the reference pose");
    lmb_clip_destroy(foreign);
    lmb_rig_destroy(rig);
    end(&world);
}

// An index out of range gives no change where all clips are additives, beside characters that play one.
static void absent_additives_change_nothing(void **state) {
    (void)state;
    static const float indices[] = {0.0f, 1.0f, -1.0f, NAN, 0.5f, 1e9f, 0.0f};
    enum { CHARACTERS = sizeof indices / sizeof *indices };
    world world;
    start(&world, true);
    lmb_clip *baked = bake(world.rig, world.clips[0], &(lmb_clip_additive_def){.clip = world.clips[1]});
    lmb_node_def node = lmb_clip_node(0, lmb_constant(1.0f));
    node.clip = lmb_parameter(0);
    const lmb_graph_def def = {.rig = world.rig,
                               .clips = (const lmb_clip *const *)&baked,
                               .clip_count = 1,
                               .nodes = &node,
                               .node_count = 1,
                               .parameter_count = 1};
    lmb_graph *graph = NULL;
    assert_int_equal(lmb_graph_create(&def, NULL, &graph, NULL), LMB_OK);
    const lmb_batch_def batch = {graph, CHARACTERS, LMB_OUTPUT_LOCAL_BIT};
    for (lmb_cpu_path path = 0; path < LMB_CPU_PATH_COUNT; path++) {
        float local[CHARACTERS][LMB_POSE_COMPONENTS][FEW];
        lmb_cpu *cpu = NULL;
        if (!lmb_cpu_has(path)) {
            continue;
        }
        assert_int_equal(lmb_cpu_create(graph, path, NULL, &cpu, NULL), LMB_OK);
        const lmb_batch_inputs inputs = {.parameters = indices};
        const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_LOCAL] = &local[0][0][0]}};
        assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
        lmb_cpu_destroy(cpu);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            const bool plays = indices[i] >= 0.0f && indices[i] < 1.0f;
            bool changes = false;
            for (uint32_t component = 0; component < LMB_POSE_COMPONENTS; component++) {
                for (uint32_t joint = 0; joint < FEW; joint++) {
                    changes = changes || local[i][component][joint] != (component < 6 ? 0.0f : 1.0f);
                }
            }
            assert_int_equal(changes, plays);
        }
    }
    lmb_graph_destroy(graph);
    lmb_clip_destroy(baked);
    end(&world);
}

static lmb_result bake_once(const lmb_host *host, lmb_error *error, void *user) {
    const world *world = user;
    const lmb_clip_additive_def def = {.clip = world->clips[1], .space = LMB_SPACE_MODEL};
    lmb_clip *baked = NULL;
    const lmb_result result = lmb_clip_make_additive(world->rig, world->clips[0], &def, host, &baked, error);
    lmb_clip_destroy(baked);
    return result;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    world world;
    start(&world, true);
    failing_host_try_all(bake_once, &world);
    end(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_reference_form_and_space),
        cmocka_unit_test(the_source_comes_back),
        cmocka_unit_test(steps_stay_sharp),
        cmocka_unit_test(clips_without_a_duration),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(absent_additives_change_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
