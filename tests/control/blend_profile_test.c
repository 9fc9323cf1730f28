// Blend profiles: the weights of states at each joint against float64, through fades that interrupt each other; the
// same bits on every CPU path; refused definitions.
#include "blend_profile.h"
#include "refusal.h"

#include <limber/cpu.h>
#include <math.h>
#include <stdio.h>

// ---- The oracle: a character's active fades, the newest one last. An interrupted fade keeps its progress.

enum { MOST_FADES = 64 };

typedef struct fade {
    const lmb_transition_def *transition;
    double seconds; // elapsed time
    bool has_profile;
} fade;

typedef struct oracle {
    uint32_t current;
    uint32_t first; // the state before the fades
    fade fades[MOST_FADES];
    uint32_t fade_count;
} oracle;

static double curve_at(const lmb_transition_def *transition, double a) {
    const double c0 = (double)transition->curve_control[0], c1 = (double)transition->curve_control[1];
    switch (transition->curve) {
    case LMB_CURVE_LINEAR:
        return a;
    case LMB_CURVE_BEZIER:
        return fmin(fmax(3.0 * (1.0 - a) * (1.0 - a) * a * c0 + 3.0 * (1.0 - a) * a * a * c1 + a * a * a, 0.0), 1.0);
    case LMB_CURVE_SMOOTHSTEP:
        return 3.0 * a * a - 2.0 * a * a * a;
    case LMB_CURVE_QUADRATIC_IN:
        return a * a;
    case LMB_CURVE_SINE_OUT:
        return sin(1.5707963267948966 * a);
    default:
        fail_msg("%s", "the oracle has no such curve");
        return 0.0;
    }
}

static void take(oracle *o, const lmb_transition_def *transition) {
    if (transition->to == o->current) {
        return;
    }
    bool has_profile = transition->profile != LMB_NONE;
    for (uint32_t i = 0; i < o->fade_count; i++) {
        has_profile = has_profile && !o->fades[i].has_profile;
    }
    assert_true(o->fade_count < MOST_FADES);
    o->fades[o->fade_count++] = (fade){transition, 0.0, has_profile};
    o->current = transition->to;
}

static void forget_what_is_over(oracle *o) {
    const fade *top = o->fade_count > 0 ? &o->fades[o->fade_count - 1] : NULL;
    if (top != NULL && top->seconds >= (double)top->transition->fade - 1e-8) {
        o->first = o->current;
        o->fade_count = 0;
    }
}

// A negative `byte` means the weights of the whole character.
static void find_weights(const blend_profile *scene, const oracle *o, int byte, double weights[PROFILED_STATES]) {
    for (uint32_t i = 0; i < PROFILED_STATES; i++) {
        weights[i] = i == o->first ? 1.0 : 0.0;
    }
    for (uint32_t i = 0; i < o->fade_count; i++) {
        const lmb_transition_def *transition = o->fades[i].transition;
        double part = o->fades[i].seconds / (double)transition->fade;
        if (o->fades[i].has_profile && byte >= 0) {
            const double scale = (double)scene->masks[transition->profile][byte] / 255.0;
            part = part < scale ? part / scale : 1.0;
        }
        const double share = curve_at(transition, part);
        for (uint32_t k = 0; k < PROFILED_STATES; k++) {
            weights[k] += share * ((k == transition->to ? 1.0 : 0.0) - weights[k]);
        }
    }
}

// The fraction of a fade's time is known to 2^-24. A small fraction for the joint amplifies this error.
static double bound_of(const blend_profile *scene, const oracle *o, int byte) {
    double bound = 1e-6;
    for (uint32_t i = 0; i < o->fade_count && byte >= 0; i++) {
        const uint8_t scale = o->fades[i].has_profile ? scene->masks[o->fades[i].transition->profile][byte] : 255;
        bound += scale > 0 ? 4e-7 * 255.0 / (double)scale : 0.0;
    }
    return bound;
}

// ---- Poses.

typedef struct poses {
    float local[PROFILED_LOCAL_FLOATS];
    float channels[PROFILED_CHARACTERS * PROFILED_CHANNELS];
} poses;

static void find_poses(const blend_profile *scene, lmb_cpu_path path, poses *found) {
    const lmb_batch_def batch = {scene->graph, PROFILED_CHARACTERS, LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_CHANNELS_BIT};
    const lmb_batch_inputs inputs = {.parameters = scene->parameters};
    uint32_t refused[LMB_REFUSAL_COUNT] = {0};
    const lmb_batch_outputs outputs = {
        .buffers = {[LMB_OUTPUT_LOCAL] = found->local, [LMB_OUTPUT_CHANNELS] = found->channels}, .refused = refused};
    lmb_cpu *cpu = NULL;
    assert_int_equal(lmb_cpu_create(scene->graph, path, NULL, &cpu, NULL), LMB_OK);
    *found = (poses){0};
    assert_int_equal(lmb_cpu_run_poses(cpu, &batch, &inputs, &outputs, 0, PROFILED_CHARACTERS, NULL), LMB_OK);
    lmb_cpu_destroy(cpu);
    for (uint32_t i = 0; i < LMB_REFUSAL_COUNT; i++) {
        assert_int_equal(refused[i], 0);
    }
}

// Reads a state's weight from a joint's position along the state's axis.
static float weight_at(const poses *found, uint32_t character, uint32_t joint, uint32_t state) {
    const uint32_t floats = PROFILED_JOINTS * LMB_POSE_COMPONENTS + PROFILED_CHANNELS;
    return found->local[character * floats + state * PROFILED_JOINTS + joint];
}

static void expect_near(double found, double expected, double bound, const blend_profile *scene, uint32_t character,
                        uint32_t byte) {
    if (!(fabs(found - expected) <= bound)) {
        fail_msg("frame %u, character %u, byte %u: %.9g instead of %.9g", scene->frame, character, byte, found,
                 expected);
    }
}

static void expect_character(const blend_profile *scene, const oracle *o, const poses *found, uint32_t character) {
    double weights[PROFILED_STATES];
    for (uint32_t joint = 0; joint < PROFILED_JOINTS; joint++) {
        find_weights(scene, o, (int)joint, weights);
        for (uint32_t k = 0; k < PROFILED_STATES; k++) {
            expect_near((double)weight_at(found, character, joint, k), weights[k], bound_of(scene, o, (int)joint),
                        scene, character, joint);
        }
    }
    find_weights(scene, o, PROFILED_JOINTS, weights);
    expect_near((double)found->channels[character], weights[0] + 2.0 * weights[1] + 4.0 * weights[2],
                4.0 * bound_of(scene, o, PROFILED_JOINTS), scene, character, PROFILED_JOINTS);
    // Everything else uses only the whole time of the fade.
    find_weights(scene, o, -1, weights);
    const uint32_t *state = scene->state + character * lmb_graph_get_info(scene->graph)->state_words;
    for (uint32_t k = 0; k < PROFILED_STATES; k++) {
        expect_near((double)lmb_state_weight(scene->graph, state, 0, k), weights[k], 1e-6, scene, character, 100);
        expect_near((double)lmb_state_player(scene->graph, state, k).weight, weights[k], 1e-6, scene, character, 101);
    }
}

static void joints_fade_by_their_own_times(void **state) {
    (void)state;
    blend_profile scene;
    blend_profile_start(&scene);
    blend_profile_create(&scene);
    static oracle oracles[PROFILED_CHARACTERS];
    static poses reference, fast;
    memset(oracles, 0, sizeof oracles);
    uint32_t interrupted = 0;
    for (uint32_t frame = 0; frame < (suite_is_slow() ? 60 : 400); frame++) {
        blend_profile_draw(&scene);
        blend_profile_run(&scene);
        find_poses(&scene, LMB_CPU_REFERENCE, &reference);
        find_poses(&scene, LMB_CPU_FAST, &fast);
        assert_memory_equal(&reference, &fast, sizeof fast);
        lmb_error error = {0};
        if (lmb_state_check(scene.graph, scene.state, PROFILED_CHARACTERS, &error) != LMB_OK) {
            fail_msg("%s", error.message);
        }
        for (uint32_t i = 0; i < scene.event_count; i++) {
            oracle *o = &oracles[scene.events[i].character];
            take(o, &scene.transitions[scene.events[i].event]);
            forget_what_is_over(o); // for a fade of duration 0
        }
        for (uint32_t i = 0; i < PROFILED_CHARACTERS; i++) {
            oracle *o = &oracles[i];
            if (o->fade_count > 0) {
                o->fades[o->fade_count - 1].seconds += (double)scene.step / (double)LMB_TICKS_PER_SECOND;
            }
            forget_what_is_over(o);
            interrupted += o->fade_count > 2;
            expect_character(&scene, o, &reference, i);
        }
    }
    assert_true(interrupted > 100);
    blend_profile_destroy(&scene);
}

// Full masks give the same bits as no masks.
static void full_profiles_change_no_bit(void **state) {
    (void)state;
    blend_profile scenes[2];
    static poses found[2];
    for (uint32_t k = 0; k < 2; k++) {
        blend_profile_start(&scenes[k]);
        for (uint32_t i = 0; i < PROFILED_TRANSITIONS; i++) {
            scenes[k].transitions[i].profile = k == 0 ? LMB_NONE : PROFILED_MASKS - 1;
        }
        blend_profile_create(&scenes[k]);
    }
    // Without masks, the graph has no data for profiles.
    assert_true(lmb_graph_get_info(scenes[0].graph)->parameter_count <
                lmb_graph_get_info(scenes[1].graph)->parameter_count);
    assert_true(lmb_graph_get_info(scenes[0].graph)->state_words < lmb_graph_get_info(scenes[1].graph)->state_words);
    for (uint32_t frame = 0; frame < 100; frame++) {
        for (uint32_t k = 0; k < 2; k++) {
            scenes[k].step = LMB_TICKS_PER_SECOND / 30;
            scenes[k].event_count = 0;
            for (uint32_t i = frame % 25; i < PROFILED_CHARACTERS; i += 25) {
                scenes[k].events[scenes[k].event_count++] = (lmb_event){i, (frame / 25 + i) % PROFILED_TRANSITIONS};
            }
            blend_profile_run(&scenes[k]);
            find_poses(&scenes[k], LMB_CPU_FAST, &found[k]);
        }
        assert_memory_equal(&found[0], &found[1], sizeof found[0]);
    }
    blend_profile_destroy(&scenes[0]);
    blend_profile_destroy(&scenes[1]);
}

static void step_all(blend_profile *scene, uint64_t step, uint32_t event, poses *found) {
    scene->step = step;
    scene->event_count = 0;
    for (uint32_t i = 0; i < PROFILED_CHARACTERS && event != LMB_NONE; i++) {
        scene->events[scene->event_count++] = (lmb_event){i, event};
    }
    blend_profile_run(scene);
    find_poses(scene, LMB_CPU_REFERENCE, found);
}

// A clip after its end has weight 0 at every joint, whatever the fade's progress at that joint is.
static void what_drops_out_weighs_nothing(void **state) {
    (void)state;
    blend_profile scene;
    static poses found;
    blend_profile_start(&scene);
    scene.players[0].end = LMB_END_ONCE;
    blend_profile_create(&scene);
    step_all(&scene, LMB_TICKS_PER_SECOND / 4, LMB_NONE, &found);
    step_all(&scene, LMB_TICKS_PER_SECOND / 8, 1, &found);
    assert_true(weight_at(&found, 0, 1, 0) > 0.1f);
    assert_true(weight_at(&found, 0, 0, 1) == 1.0f); // a joint with a fade time of 0
    step_all(&scene, LMB_TICKS_PER_SECOND / 8, LMB_NONE, &found);
    step_all(&scene, LMB_TICKS_PER_SECOND / 1000, LMB_NONE, &found);
    for (uint32_t joint = 0; joint < PROFILED_JOINTS; joint++) {
        assert_true(weight_at(&found, 0, joint, 0) == 0.0f && weight_at(&found, 0, joint, 1) == 1.0f);
    }
    blend_profile_destroy(&scene);
}

// In the frame of a transition, before time passes, joints with a fade time of 0 are already in the new state.
static void a_joint_that_does_not_fade_switches(void **state) {
    (void)state;
    blend_profile scene;
    static poses found;
    blend_profile_start(&scene);
    blend_profile_create(&scene);
    step_all(&scene, LMB_TICKS_PER_SECOND / 60, LMB_NONE, &found);
    step_all(&scene, 0, 1, &found);
    assert_true(weight_at(&found, 7, 0, 1) == 1.0f && weight_at(&found, 7, 0, 0) == 0.0f);
    assert_true(weight_at(&found, 7, 1, 0) == 1.0f && weight_at(&found, 7, 1, 1) == 0.0f);
    blend_profile_destroy(&scene);
}

// Poses check the range of the graph's own parameters when they read them.
static void odd_numbers_are_clamped(void **state) {
    (void)state;
    static const float odd[] = {NAN, INFINITY, -INFINITY, -1.0f, 0.5f, 4.0f, 6.0f, 1e30f, 4294967296.0f};
    blend_profile scene;
    static poses found[2];
    blend_profile_start(&scene);
    blend_profile_create(&scene);
    step_all(&scene, LMB_TICKS_PER_SECOND / 60, 3, &found[0]);
    const uint32_t count = lmb_graph_get_info(scene.graph)->parameter_count;
    const lmb_batch_def batch = {scene.graph, PROFILED_CHARACTERS, LMB_OUTPUT_LOCAL_BIT};
    for (uint32_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        for (uint32_t k = 0; k < 2 * PROFILED_STATES + 2; k++) {
            for (uint32_t character = 0; character < PROFILED_CHARACTERS; character++) {
                scene.parameters[(character + 1) * count - 1 - (k + character) % 8] = odd[(i + character) % 9];
            }
            for (uint32_t path = 0; path < 2; path++) {
                const lmb_batch_inputs inputs = {.parameters = scene.parameters};
                const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_LOCAL] = found[path].local};
                lmb_cpu *cpu = NULL;
                assert_int_equal(
                    lmb_cpu_create(scene.graph, path == 0 ? LMB_CPU_REFERENCE : LMB_CPU_FAST, NULL, &cpu, NULL),
                    LMB_OK);
                assert_int_equal(lmb_cpu_run_poses(cpu, &batch, &inputs, &outputs, 0, PROFILED_CHARACTERS, NULL),
                                 LMB_OK);
                lmb_cpu_destroy(cpu);
            }
            assert_memory_equal(found[0].local, found[1].local, sizeof found[0].local);
            for (uint32_t at = 0; at < PROFILED_LOCAL_FLOATS; at++) {
                assert_true(isfinite(found[0].local[at]));
            }
        }
    }
    blend_profile_destroy(&scene);
}

static void what_is_refused(void **state) {
    (void)state;
    blend_profile scene;
    lmb_error error = {0};
    lmb_graph *graph = NULL;
    blend_profile_start(&scene);
    scene.transitions[2].profile = PROFILED_MASKS;
    CHECK_REFUSAL(lmb_graph_create(&scene.def, NULL, &graph, &error), &error, LMB_ERROR_ARGUMENT,
                  "node 3 (machine): transition 2: profile: there is no such mask");
    scene.transitions[2].profile = LMB_NONE;
    scene.transitions[1].kind = LMB_FADE_INERTIALIZED;
    CHECK_REFUSAL(lmb_graph_create(&scene.def, NULL, &graph, &error), &error, LMB_ERROR_ARGUMENT,
                  "node 3 (machine): transition 1: profile: a transition that is inertialized has none");
    scene.transitions[1].kind = LMB_FADE_SMOOTH;
    scene.def.parameter_count = LMB_MAX_PARAMETERS - 13; // with the graph's own parameters, one too many
    CHECK_REFUSAL(lmb_graph_create(&scene.def, NULL, &graph, &error), &error, LMB_ERROR_LIMIT, "1025 parameters");
    scene.def.parameter_count = 0;
    // The words of a fade are at the end of the state.
    blend_profile_create(&scene);
    static poses found;
    step_all(&scene, LMB_TICKS_PER_SECOND / 60, 1, &found);
    const uint32_t words = lmb_graph_get_info(scene.graph)->state_words;
    assert_int_equal(lmb_state_check(scene.graph, scene.state, 1, &error), LMB_OK);
    for (uint32_t i = words - 4 - 2 * PROFILED_STATES; i < words; i++) {
        const uint32_t kept = scene.state[i];
        scene.state[i] = 0x7fc00000u;
        CHECK_REFUSAL(lmb_state_check(scene.graph, scene.state, 1, &error), &error, LMB_ERROR_FORMAT,
                      "machine 0: what its joints weigh");
        scene.state[i] = kept;
    }
    blend_profile_destroy(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_fade_by_their_own_times), cmocka_unit_test(full_profiles_change_no_bit),
        cmocka_unit_test(what_drops_out_weighs_nothing),  cmocka_unit_test(a_joint_that_does_not_fade_switches),
        cmocka_unit_test(odd_numbers_are_clamped),        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests_name("blend_profile", tests, NULL, NULL);
}
