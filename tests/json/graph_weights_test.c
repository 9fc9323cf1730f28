// One graph: its nodes have the same weights in the pose, in sync groups, in root motion and in emitted events. Read
// from JSON, and compared with the formulas of the blends.
#include "suite.h"

#include <limber/graph_json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECOND LMB_TICKS_PER_SECOND

static const struct {
    const char *name;
    float seconds;
} clip_rows[] = {{"idle", 1.3f}, {"walk", 0.9f}, {"run", 0.7f}, {"back", 1.1f}, {"left", 0.8f}, {"right", 0.6f}};
enum {
    CLIPS = sizeof clip_rows / sizeof clip_rows[0],
    JOINTS = 2,
    MOST_WORDS = 512,
    MOST_PARAMETERS = 64,
    EMITTED = 64
};

typedef struct stage {
    lmb_rig *rig;
    lmb_clip *clips[CLIPS];
    lmb_graph *graph;
    uint32_t state[MOST_WORDS];
    uint32_t emitted[1 + EMITTED * LMB_EMITTED_EVENT_WORDS];
    float parameters[MOST_PARAMETERS];
    float motion[LMB_MOTION_FLOATS];
    uint32_t number;
} stage;

static void expect_made(lmb_result result, const lmb_error *error) {
    if (result != LMB_OK) {
        fail_msg("%s", error->message);
    }
}

static stage begin(const char *text) {
    static const lmb_joint_def joints[JOINTS] = {
        {.name = "root", .parent = LMB_NONE, .rest = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}},
        {.name = "arm", .parent = 0, .rest = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}}};
    stage s = {0};
    lmb_error error = {0};
    expect_made(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = JOINTS}, NULL, &s.rig, &error), &error);
    for (uint32_t i = 0; i < CLIPS; i++) {
        const lmb_clip_def def = {.name = clip_rows[i].name, .duration = clip_rows[i].seconds};
        expect_made(lmb_clip_create(s.rig, &def, NULL, &s.clips[i], &error), &error);
    }
    const lmb_graph_source source = {.text = text,
                                     .size = strlen(text),
                                     .rig = s.rig,
                                     .clips = (const lmb_clip *const *)s.clips,
                                     .clip_count = CLIPS};
    lmb_graph_json *json = NULL;
    expect_made(lmb_graph_json_read(&source, NULL, &json, NULL, &error), &error);
    lmb_graph_def def = *lmb_graph_json_def(json);
    def.max_emitted_events = EMITTED;
    expect_made(lmb_graph_create(&def, NULL, &s.graph, &error), &error);
    lmb_graph_json_destroy(json);
    assert_in_range(lmb_graph_get_info(s.graph)->state_words, 1, MOST_WORDS);
    assert_in_range(lmb_graph_get_info(s.graph)->parameter_count, 1, MOST_PARAMETERS);
    lmb_graph_defaults(s.graph, s.parameters);
    return s;
}

static void end(stage *s) {
    lmb_graph_destroy(s->graph);
    for (uint32_t i = 0; i < CLIPS; i++) {
        lmb_clip_destroy(s->clips[i]);
    }
    lmb_rig_destroy(s->rig);
}

static void set(stage *s, const char *name, float value) {
    const uint32_t parameter = lmb_graph_find_parameter(s->graph, name);
    assert_int_not_equal(parameter, LMB_NONE);
    s->parameters[parameter] = value;
}

static void step(stage *s, uint64_t ticks, const char *event_name) {
    const lmb_event event = {0, event_name != NULL ? lmb_graph_find_event(s->graph, event_name) : 0};
    const lmb_control_frame frame = {.step = ticks,
                                     .number = s->number++,
                                     .character_count = 1,
                                     .state = s->state,
                                     .parameters = s->parameters,
                                     .events = &event,
                                     .event_count = event_name != NULL,
                                     .emitted = s->emitted,
                                     .motions = s->motion};
    lmb_error error = {0};
    expect_made(lmb_control_run(s->graph, &frame, 0, 1, &error), &error);
}

static void run(stage *s, double seconds) {
    for (int frame = 0; frame < (int)lround(seconds * 60.0); frame++) {
        step(s, SECOND / 60, NULL);
    }
}

static uint32_t find_player(const stage *s, const char *clip) {
    uint32_t player = 0;
    while (strcmp(lmb_graph_player_at(s->graph, player).name, clip) != 0) {
        player++;
        assert_true(player < lmb_graph_get_info(s->graph)->player_count);
    }
    return player;
}

static double place_of(const stage *s, const char *clip) {
    return (double)lmb_state_player(s->graph, s->state, find_player(s, clip)).ticks / (double)SECOND;
}

static double weight_of(const stage *s, const char *clip) {
    return (double)lmb_state_player(s->graph, s->state, find_player(s, clip)).weight;
}

static void expect_near(double actual, double expected, double bound) {
    if (!(fabs(actual - expected) <= bound)) {
        fail_msg("%.9g is not within %g of %.9g", actual, bound, expected);
    }
}

// The bound covers weights and rounded rates of groups that add up over seconds.
static void expect_displacement(const stage *s, double x, double z) {
    const lmb_motion character_motion = lmb_state_motion(s->graph, s->state);
    expect_near(character_motion.position[0], x, 2e-5 * (1.0 + fabs(x)));
    expect_near(character_motion.position[2], z, 2e-5 * (1.0 + fabs(z)));
}

#define PLAY(clip, more) "{\"op\":\"clip\",\"clip\":\"" clip "\",\"play\":{" more "}}"
#define WALK PLAY("walk", "\"group\":\"g\",\"velocity\":1.25")
#define RUN PLAY("run", "\"group\":\"g\",\"velocity\":3")

// The character and the group have the blended velocity, for any weight.
static void a_blend_travels_at_the_blended_velocity(void **state) {
    (void)state;
    stage s =
        begin("{\"op\":\"blend\",\"character-motion\":true,\"weight\":{\"param\":\"w\"},\"a\":" WALK ",\"b\":" RUN "}");
    double way = 0.0;
    for (int i = 0; i <= 8; i++) {
        set(&s, "w", (float)i / 8.0f);
        run(&s, 1.0);
        way += 1.25 + (3.0 - 1.25) * i / 8.0;
        expect_displacement(&s, 0.0, way);
        expect_near(weight_of(&s, "walk"), 1.0 - i / 8.0, 0.0);
        expect_near(weight_of(&s, "run"), i / 8.0, 0.0);
        expect_near(place_of(&s, "walk") / 0.9, place_of(&s, "run") / 0.7, 1e-6);
    }
    end(&s);
}

// With a position in a blend space, and with the duration cadence if the group has it.
static void a_group_has_the_cadence_that_is_asked_for(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{\"op\":\"space1d\",\"character-motion\":true,\"at\":{\"param\":\"speed\"},\"inputs\":["
        "{\"at\":1.25,\"pose\":" WALK "},{\"at\":3,\"pose\":" RUN "}]}",
        "{\"op\":\"space1d\",\"character-motion\":true,\"at\":{\"param\":\"speed\"},\"inputs\":["
        "{\"at\":1.25,\"pose\":" PLAY(
            "walk", "\"group\":\"g\",\"velocity\":1.25,\"cadence\":\"duration\"") "},"
                                                                                  "{\"at\":3,\"pose\":" RUN "}]}"};
    const double f = (2.0 - 1.25) / (3.0 - 1.25);
    const double cycles = (1.0 - f) / 0.9 + f / 0.7, stride = (1.0 - f) * 1.25 * 0.9 + f * 3.0 * 0.7;
    for (int i = 0; i < 2; i++) {
        stage s = begin(texts[i]);
        set(&s, "speed", 2.0f);
        run(&s, 3.0);
        expect_displacement(&s, 0.0, 3.0 * (i == 0 ? 2.0 : cycles * stride));
        const double rate = i == 0 ? 2.0 / stride : cycles;
        expect_near(place_of(&s, "walk"), 0.9 * (rate * 3.0 - floor(rate * 3.0)), 1e-4);
        end(&s);
    }
}

// Five clips in a plane: a group, and one clip without a group.
static void a_space_in_the_plane_travels_as_its_position_says(void **state) {
    (void)state;
    stage s = begin(
        "{\"op\":\"space2d\",\"character-motion\":true,\"x\":{\"param\":\"x\"},\"y\":{\"param\":\"z\"},\"inputs\":["
        "{\"at\":[0,0],\"pose\":" PLAY(
            "idle",
            "") "},{\"at\":[0,1.25],\"pose\":" WALK "},"
                "{\"at\":[0,-0.85],\"pose\":" PLAY(
                    "back",
                    "\"group\":\"g\",\"velocity\":-0.85") "},"
                                                          "{\"at\":[0.5,0],\"pose\":" PLAY(
                                                              "left",
                                                              "\"group\":\"g\",\"motion\":[[0,0,0,0],[0.4,0,0,0]"
                                                              "]") "},"
                                                                   "{\"at\":[-0.5,0],\"pose\":" PLAY(
                                                                       "right", "\"group\":\"g\",\"motion\":[[0,"
                                                                                "0,0,0],[-0.3,0,0,0]]") "}]}");
    static const float positions[][2] = {{0.0f, 1.25f}, {0.5f, 0.0f}, {-0.5f, 0.0f}, {0.0f, -0.85f}, {0.0f, 0.0f}};
    double x = 0.0, z = 0.0;
    for (size_t i = 0; i < sizeof positions / sizeof positions[0]; i++) {
        set(&s, "x", positions[i][0]);
        set(&s, "z", positions[i][1]);
        run(&s, 2.0);
        x += 2.0 * (double)positions[i][0];
        z += 2.0 * (double)positions[i][1];
        expect_displacement(&s, x, z);
    }
    // Between positions, the velocity is the sum of weight times velocity.
    set(&s, "x", 0.2f);
    set(&s, "z", 0.6f);
    run(&s, 2.0);
    const double left = weight_of(&s, "left"), walk = weight_of(&s, "walk");
    expect_near(left + walk + weight_of(&s, "idle"), 1.0, 1e-6);
    assert_true(left > 0.1 && walk > 0.1);
    const lmb_motion character_motion = lmb_state_motion(s.graph, s.state);
    const double phases = 2.0 * (left * 0.5 + walk * 1.25) / (left * 0.4 + walk * 1.25 * 0.9);
    expect_near(character_motion.position[0] - x, phases * left * 0.4, 1e-4);
    expect_near(character_motion.position[2] - z, phases * walk * 1.25 * 0.9, 1e-4);
    end(&s);
}

// A group that spans two states uses the weights of the states, also for its displacement.
static void a_group_across_states_knows_what_the_states_weigh(void **state) {
    (void)state;
    stage s = begin("{\"op\":\"machine\",\"character-motion\":true,\"states\":["
                    "{\"name\":\"a\",\"pose\":" WALK ",\"transitions\":[{\"to\":\"b\",\"event\":\"GO\",\"fade\":0.5,"
                    "\"curve\":\"linear\"}]},{\"name\":\"b\",\"pose\":" RUN "}]}");
    run(&s, 2.35);
    expect_near(place_of(&s, "walk"), fmod(2.35, 0.9), 1e-6);
    expect_displacement(&s, 0.0, 2.35 * 1.25);
    double way = lmb_state_motion(s.graph, s.state).position[2];
    double phase = place_of(&s, "walk") / 0.9;
    for (int frame = 1; frame <= 40; frame++) {
        step(&s, SECOND / 60, frame == 1 ? "GO" : NULL);
        const double w = fmin(frame / 30.0, 1.0), v = (1.0 - w) * 1.25 + w * 3.0;
        expect_near(weight_of(&s, "run"), w, 1e-6);
        expect_near(weight_of(&s, "walk"), 1.0 - w, 1e-6);
        way += v / 60.0;
        phase += v / 60.0 / ((1.0 - w) * 1.25 * 0.9 + w * 3.0 * 0.7);
        expect_displacement(&s, 0.0, way);
        expect_near(place_of(&s, "walk") / 0.9, phase - floor(phase), 1e-4);
    }
    end(&s);
}

// A layer over the arm does not affect root motion. A layer over the root replaces the root motion below.
static void masks_weigh_root_motion_by_the_root(void **state) {
    (void)state;
    static const char *const masks[] = {"{\"arm\":255}", "{\"root\":255}", "{\"root\":51,\"arm\":255}"};
    static const double roots[] = {0.0, 1.0, 0.2};
    for (int i = 0; i < 3; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "{\"op\":\"masked\",\"character-motion\":true,\"weight\":0.75,\"mask\":%s,\"a\":%s,\"b\":%s}",
                 masks[i], PLAY("walk", "\"velocity\":1.25"), PLAY("run", "\"velocity\":3"));
        stage s = begin(text);
        run(&s, 1.0);
        const double m = 0.75 * roots[i];
        expect_displacement(&s, 0.0, (1.0 - m) * 1.25 + m * 3.0);
        expect_near(weight_of(&s, "walk"), 1.0, 0.0);
        expect_near(weight_of(&s, "run"), 0.75, 0.0);
        end(&s);
    }
}

// Each joint map has its own clip, and only the one that contains the root moves the character.
static void of_a_combine_the_root_travels(void **state) {
    (void)state;
    stage s = begin("{\"op\":\"combine\",\"character-motion\":true,\"inputs\":[{\"pose\":" PLAY(
        "walk", "\"velocity\":1.25") "},"
                                     "{\"pose\":" PLAY(
                                         "run",
                                         "\"velocity\":3") ",\"joints\":{\"root\":\"root\",\"arm\":\"arm\"}},"
                                                           "{\"pose\":" PLAY(
                                                               "back",
                                                               "\"velocity\":-7") ",\"joints\":{\"arm\":\"arm\"}}]}");
    run(&s, 1.0);
    expect_displacement(&s, 0.0, 3.0);
    end(&s);
}

#define W PLAY("walk", "\"velocity\":1")
#define R PLAY("run", "\"velocity\":3")
#define B PLAY("back", "\"velocity\":0.5")
#define LEFT PLAY("left", "\"motion\":[[0,0,0,0],[0.48,0.1,0.25,0.5]]")
#define PART(clip, velocity, root)                                                                                     \
    "{\"op\":\"clip\",\"clip\":\"" clip "\",\"joint-weights\":{\"root\":" root "},\"play\":{\"velocity\":" velocity "}}"

// What decides the translation of the root decides the root motion: in m/s for walk 1, run 3, back 0.5.
static void root_motion_is_blended_as_the_root_is(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double z;
    } rows[] = {
        {"\"op\":\"subtract\",\"a\":" R ",\"b\":" W, 2.0},
        {"\"op\":\"add\",\"a\":" R ",\"b\":" W, 4.0},
        {"\"op\":\"additive\",\"base\":" W ",\"add\":{\"op\":\"make-additive\",\"pose\":" R ",\"reference\":" B "}",
         3.5},
        {"\"op\":\"additive\",\"weight\":0.5,\"base\":" W ",\"add\":{\"op\":\"make-additive\",\"pose\":" R
         ",\"reference\":" B "}",
         2.25},
        {"\"op\":\"additive\",\"weight\":-2,\"unclamped\":true,\"base\":" W
         ",\"add\":{\"op\":\"make-additive\",\"pose\":" R ",\"reference\":" B "}",
         -4.0},
        {"\"op\":\"additive\",\"space\":\"model\",\"weight\":0.5,\"base\":" W
         ",\"add\":{\"op\":\"make-additive\",\"space\":\"model\","
         "\"pose\":" R ",\"reference\":" B "}",
         2.25},
        {"\"op\":\"additive\",\"mask\":{\"root\":51},\"base\":" W ",\"add\":{\"op\":\"make-additive\",\"pose\":" R
         ",\"reference\":" B "}",
         1.5},
        {"\"op\":\"subtract-scale-add\",\"weight\":-1,\"a\":" R ",\"b\":" B ",\"base\":" W, -1.5},
        {"\"op\":\"scale\",\"weight\":-1,\"pose\":" R, -3.0},
        {"\"op\":\"scale\",\"weight\":2,\"pose\":" R, 6.0},
        {"\"op\":\"scale\",\"weight\":-2,\"pose\":{\"op\":\"scale\",\"weight\":-1.5,\"pose\":" R "}", 9.0},
        {"\"op\":\"partial\",\"weight\":0.5,\"a\":" PART("walk", "1", "0") ",\"b\":" PART("run", "3", "200"), 3.0},
        {"\"op\":\"partial\",\"weight\":0.5,\"a\":" PART("walk", "1", "200") ",\"b\":" PART("run", "3", "0"), 1.0},
        {"\"op\":\"partial\",\"weight\":0.5,\"a\":" PART("walk", "1", "100") ",\"b\":" PART("run", "3", "200"), 2.5},
        {"\"op\":\"partial\",\"weight\":0.5,\"a\":" PART("walk", "1", "200") ",\"b\":" PART("run", "3", "100"), 1.5},
        {"\"op\":\"partial\",\"weight\":0.5,\"a\":" W
         ",\"b\":{\"op\":\"blend\",\"weight\":0.25,\"a\":" PART("run", "3", "51") ",\"b\":" B "}",
         0.9 + 0.1 * (0.75 * 3.0 + 0.25 * 0.5)},
        {"\"op\":\"layers\",\"inputs\":[{\"fade\":0.5,\"priority\":1,\"mask\":{\"root\":102},\"pose\":" R
         "},{\"pose\":" W "}]",
         0.2 * 3.0 + 0.8},
        {"\"op\":\"layers\",\"inputs\":[{\"priority\":1,\"pose\":" PART("run", "3", "51") "},{\"pose\":" W "}]",
         0.2 * 3.0 + 0.8},
        {"\"op\":\"override\",\"pose\":0,\"weight\":0.5,\"mask\":{\"root\":51},\"base\":" R, 2.7},
        {"\"op\":\"mirror\",\"axis\":\"z\",\"pose\":" R, -3.0},
        {"\"op\":\"mirror\",\"axis\":\"x\",\"pose\":" R, 3.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[1200];
        snprintf(text, sizeof text, "{\"character-motion\":true,%s}", rows[i].text);
        stage s = begin(text);
        run(&s, 2.0);
        const lmb_motion reached = lmb_state_motion(s.graph, s.state);
        if (!(fabs(reached.position[2] - 2.0 * rows[i].z) <= 1e-4)) {
            fail_msg("%s: %g m/s, not %g", text, reached.position[2] / 2.0, rows[i].z);
        }
        end(&s);
    }
}

// In a fade with a blend profile, root motion fades as the root does.
static void a_blend_profile_fades_the_root_motion_of_the_root(void **state) {
    (void)state;
    static const char *const profiles[] = {"{\"root\":51,\"arm\":255}", "{\"arm\":255}", "{\"root\":255}"};
    static const double scales[] = {0.2, 0.0, 1.0};
    for (int i = 0; i < 3; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 "{\"op\":\"machine\",\"character-motion\":true,\"states\":[{\"name\":\"a\",\"pose\":%s,"
                 "\"transitions\":[{\"to\":\"b\",\"event\":\"GO\",\"fade\":0.5,\"curve\":\"linear\",\"profile\":%s}]},"
                 "{\"name\":\"b\",\"pose\":%s}]}",
                 W, profiles[i], R);
        stage s = begin(text);
        double way = 0.0;
        for (int frame = 1; frame <= 60; frame++) {
            step(&s, SECOND / 60, frame == 10 ? "GO" : NULL);
            const double t = frame < 10 ? 0.0 : fmin((frame - 9) / 30.0, 1.0);
            const double w = frame < 10 ? 0.0 : scales[i] > 0.0 ? fmin(t / scales[i], 1.0) : 1.0;
            way += (1.0 + 2.0 * w) / 60.0;
            expect_displacement(&s, 0.0, way);
            expect_near(weight_of(&s, "run"), t, 1e-6);
        }
        end(&s);
    }
}

// Two mirrors cancel, and one reflects displacement and yaw. Weights of clips keep their meaning.
static void mirrors_reflect_root_motion(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double x, y, z, yaw;
    } rows[] = {
        {"\"op\":\"mirror\",\"axis\":\"x\",\"pose\":" LEFT, -0.48, 0.1, 0.25, -0.5},
        {"\"op\":\"mirror\",\"axis\":\"y\",\"pose\":" LEFT, 0.48, -0.1, 0.25, 0.5},
        {"\"op\":\"mirror\",\"axis\":\"z\",\"pose\":" LEFT, 0.48, 0.1, -0.25, -0.5},
        {"\"op\":\"mirror\",\"axis\":\"x\",\"pose\":{\"op\":\"mirror\",\"axis\":\"x\",\"pose\":" LEFT "}", 0.48, 0.1,
         0.25, 0.5},
        {"\"op\":\"mirror\",\"axis\":\"x\",\"pose\":{\"op\":\"mirror\",\"axis\":\"z\",\"pose\":" LEFT "}", -0.48, 0.1,
         -0.25, 0.5},
        {"\"op\":\"scale\",\"weight\":-1,\"pose\":{\"op\":\"mirror\",\"axis\":\"x\",\"pose\":" LEFT "}", 0.48, -0.1,
         -0.25, 0.5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[600];
        snprintf(text, sizeof text, "{%s}", rows[i].text);
        stage s = begin(text);
        step(&s, SECOND * 4 / 5, NULL); // one loop
        const lmb_motion reached = lmb_state_motion(s.graph, s.state);
        expect_near(reached.position[0], rows[i].x, 1e-6);
        expect_near(reached.position[1], rows[i].y, 1e-6);
        expect_near(reached.position[2], rows[i].z, 1e-6);
        expect_near(reached.yaw, rows[i].yaw, 1e-6);
        expect_near(weight_of(&s, "left"), 1.0, 0.0);
        end(&s);
    }
}

// The events of a clip have the clip's weight in the pose.
static void events_have_the_weight_of_the_pose(void **state) {
    (void)state;
    stage s = begin("{\"op\":\"machine\",\"states\":[{\"name\":\"a\",\"pose\":{\"op\":\"blend\",\"weight\":"
                    "{\"param\":\"w\"},\"a\":" PLAY("walk", "\"looped\":\"WALKED\"") ",\"b\":" PLAY(
                        "run", "\"notifies\":[{\"time\":0.1,\"event\":\"STEP\"}]") "}}]}");
    const uint32_t walked = lmb_graph_find_event(s.graph, "WALKED");
    for (int i = 0; i <= 4; i++) {
        const float w = (float)i / 4.0f;
        uint32_t seen = 0;
        set(&s, "w", w);
        for (int frame = 0; frame < 60; frame++) {
            step(&s, SECOND / 60, NULL);
            for (uint32_t k = 0; k < s.emitted[0]; k++) {
                const lmb_emitted_event emitted = lmb_emitted_event_at(s.emitted, k);
                assert_true(emitted.weight == (emitted.event == walked ? 1.0f - w : w));
                seen++;
            }
        }
        assert_in_range(seen, 2, 4);
    }
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_blend_travels_at_the_blended_velocity),
                                       cmocka_unit_test(a_group_has_the_cadence_that_is_asked_for),
                                       cmocka_unit_test(a_space_in_the_plane_travels_as_its_position_says),
                                       cmocka_unit_test(a_group_across_states_knows_what_the_states_weigh),
                                       cmocka_unit_test(masks_weigh_root_motion_by_the_root),
                                       cmocka_unit_test(of_a_combine_the_root_travels),
                                       cmocka_unit_test(root_motion_is_blended_as_the_root_is),
                                       cmocka_unit_test(a_blend_profile_fades_the_root_motion_of_the_root),
                                       cmocka_unit_test(mirrors_reflect_root_motion),
                                       cmocka_unit_test(events_have_the_weight_of_the_pose)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
