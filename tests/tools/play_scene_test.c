// The demos that have a scene, run from their data on the CPU, as `limber play` runs them: planted feet stay in place,
// knees bend forwards, a hand stays on its rail, heads turn to the camera, and nothing jumps.
#include "suite.h"

#include "file.h"
#include "play_scene.h"

#include <limber/cpu.h>
#include <limber/graph_json.h>
#include <mannequin.h>

#include <math.h>
#include <stdio.h>

#define RATE 60u

typedef struct vector {
    double x, y, z;
} vector;

// A demo at work.
typedef struct show {
    mannequin *mannequin;
    const lmb_rig *rig;
    lmb_graph_json *json;
    lmb_graph *graph;
    play_scene *scene;
    lmb_cpu *cpu;
    uint32_t count;
    uint32_t frame;
    uint32_t *states;
    uint32_t *inertia;
    float *parameters;
    float *palettes;
    float *models;
} show;

static char *read_demo(const char *name, const char *kind, size_t *size) {
    char path[512], *text = NULL;
    lmb_error error;
    snprintf(path, sizeof path, "%s/%s.%s", LIMBER_SAMPLES "/demos", name, kind);
    if (file_read(path, FILE_LARGEST_TEXT, &text, size, &error) != LMB_OK) {
        fail_msg("%s: %s", path, error.message);
    }
    return text;
}

static void expect_good(lmb_result result, const lmb_error *error) {
    if (result != LMB_OK) {
        fail_msg("%s", error->message);
    }
}

static show open_show(const char *name, bool has_face, uint32_t count) {
    show show = {.count = count};
    lmb_error error;
    const lmb_clip *clips[MANNEQUIN_CLIP_COUNT + 4];
    expect_good(has_face ? mannequin_create_with_face(NULL, &show.mannequin, &error)
                         : mannequin_create(NULL, &show.mannequin, &error),
                &error);
    show.rig = mannequin_rig(show.mannequin);
    const uint32_t clip_count = mannequin_clip_count(show.mannequin);
    for (uint32_t i = 0; i < clip_count; i++) {
        clips[i] = mannequin_clip(show.mannequin, (mannequin_clip_id)i);
    }
    size_t size;
    char *text = read_demo(name, "json", &size);
    const lmb_graph_source source = {
        .text = text, .size = size, .name = name, .rig = show.rig, .clips = clips, .clip_count = clip_count};
    expect_good(lmb_graph_json_read(&source, NULL, &show.json, NULL, &error), &error);
    expect_good(lmb_graph_create(lmb_graph_json_def(show.json), NULL, &show.graph, &error), &error);
    free(text);
    text = read_demo(name, "scene", &size);
    const play_scene_def def = {text, size, name, show.rig, show.graph, count, 1.0f, NULL};
    expect_good(play_scene_create(&def, &show.scene, &error), &error);
    free(text);
    expect_good(lmb_cpu_create(show.graph, LMB_CPU_FAST, NULL, &show.cpu, &error), &error);
    const size_t floats = (size_t)count * lmb_graph_get_info(show.graph)->joint_count * LMB_MATRIX_COMPONENTS;
    show.states = calloc(count * lmb_graph_get_info(show.graph)->state_words + 1, sizeof(uint32_t));
    show.inertia = calloc(count * lmb_graph_get_info(show.graph)->inertia_words + 1, sizeof(uint32_t));
    show.parameters = calloc((size_t)count * lmb_graph_get_info(show.graph)->parameter_count + 1, sizeof(float));
    show.palettes = calloc(floats, sizeof(float));
    show.models = calloc(floats, sizeof(float));
    for (uint32_t i = 0; i < count; i++) {
        lmb_graph_defaults(show.graph, show.parameters + (size_t)i * lmb_graph_get_info(show.graph)->parameter_count);
    }
    return show;
}

static void close_show(show *show) {
    lmb_cpu_destroy(show->cpu);
    play_scene_destroy(show->scene);
    lmb_graph_destroy(show->graph);
    lmb_graph_json_destroy(show->json);
    mannequin_destroy(show->mannequin);
    free(show->states);
    free(show->inertia);
    free(show->parameters);
    free(show->palettes);
    free(show->models);
}

static double seconds_of(const show *show) {
    return (double)show->frame / RATE;
}

static void run_frame(show *show) {
    const double step = show->frame > 0 ? 1.0 / RATE : 0.0;
    lmb_error error;
    play_scene_set_parameters(show->scene, seconds_of(show), show->parameters);
    const lmb_control_frame frame = {.step = lmb_ticks_from_seconds(step),
                                     .number = show->frame,
                                     .character_count = show->count,
                                     .state = show->states,
                                     .parameters = show->parameters};
    if (lmb_graph_get_info(show->graph)->state_words > 0) {
        expect_good(lmb_control_run(show->graph, &frame, 0, show->count, &error), &error);
    }
    const play_scene_frame moment = {.seconds = seconds_of(show),
                                     .step = step,
                                     .states = show->states,
                                     .palettes = show->frame > 0 ? show->palettes : NULL};
    play_scene_advance(show->scene, &moment);
    const lmb_batch_def batch = {show->graph, show->count, LMB_OUTPUT_PALETTE_BIT | LMB_OUTPUT_MODEL_BIT};
    const lmb_batch_inputs inputs = {.parameters = show->parameters,
                                     .points = play_scene_points(show->scene),
                                     .transforms = play_scene_transforms(show->scene)};
    const lmb_batch_outputs outputs = {
        .buffers = {[LMB_OUTPUT_PALETTE] = show->palettes, [LMB_OUTPUT_MODEL] = show->models},
        .inertia = show->inertia};
    expect_good(lmb_cpu_run_poses(show->cpu, &batch, &inputs, &outputs, 0, show->count, &error), &error);
    show->frame++;
}

static vector transform(const float *rows, vector p, double w) {
    const double x[4] = {p.x, p.y, p.z, w};
    double r[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++) {
            r[i] += (double)rows[4 * i + k] * x[k];
        }
    }
    return (vector){r[0], r[1], r[2]};
}

static uint32_t joint_named(const show *show, const char *name) {
    const uint32_t joint = lmb_rig_find_joint(show->rig, name);
    assert_int_not_equal(joint, LMB_NONE);
    return joint;
}

static const float *model_of(const show *show, uint32_t character, uint32_t joint) {
    return show->models + ((size_t)character * lmb_rig_get_def(show->rig)->joint_count + joint) * LMB_MATRIX_COMPONENTS;
}

// Returns a position in a joint's space, in the world.
static vector in_world(const show *show, uint32_t character, uint32_t joint, vector offset) {
    const vector model = transform(model_of(show, character, joint), offset, 1.0);
    return transform(play_scene_transforms(show->scene) + (size_t)character * LMB_MATRIX_COMPONENTS, model, 1.0);
}

static vector subtract(vector a, vector b) {
    return (vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(vector a, vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double length(vector a) {
    return sqrt(dot(a, a));
}

// ---- Stairs.

// What is measured of a foot.
typedef struct planted {
    bool is_down;
    vector ankle, toes; // when it came down
} planted;

static double larger(double a, double b) {
    return a > b ? a : b;
}

static void planted_feet_stay(void **state) {
    (void)state;
    enum { CHARACTERS = 16, FRAMES = 480 };
    show show = open_show("stairs", false, CHARACTERS);
    const uint32_t feet[2] = {joint_named(&show, "left_foot"), joint_named(&show, "right_foot")};
    const uint32_t toes[2] = {joint_named(&show, "left_toes"), joint_named(&show, "right_toes")};
    const uint32_t parameter = lmb_graph_find_parameter(show.graph, "phase");
    planted was[CHARACTERS][2] = {0};
    double across = 0.0, up = 0.0, above = 0.0, below = 0.0;
    uint32_t steps = 0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        const double seconds = seconds_of(&show);
        run_frame(&show);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            for (uint32_t side = 0; side < 2 && frame > RATE; side++) {
                // In the walk a foot is flat on the ground for these shares of the cycle of one second.
                const float own = show.parameters[i * lmb_graph_get_info(show.graph)->parameter_count + parameter];
                const double phase = fmod(seconds + (double)own + 0.5 * side, 1.0);
                const bool is_down = phase > 0.10 && phase < 0.33;
                planted *foot = &was[i][side];
                const vector ankle = in_world(&show, i, feet[side], (vector){0}),
                             toe = in_world(&show, i, toes[side], (vector){0});
                if (is_down && foot->is_down) {
                    const vector a = subtract(ankle, foot->ankle), b = subtract(toe, foot->toes);
                    across = larger(across, larger(hypot(a.x, a.z), hypot(b.x, b.z)));
                    up = larger(up, larger(fabs(a.y), fabs(b.y)));
                    const double ground = (double)play_scene_ground(show.scene, (float)toe.x, (float)toe.z, NULL);
                    above = larger(above, toe.y - 0.020 - ground);
                    below = larger(below, ground - toe.y + 0.020);
                } else if (is_down) {
                    *foot = (planted){true, ankle, toe};
                    steps++;
                }
                foot->is_down = is_down;
            }
        }
    }
    print_message("%u steps: %.2f mm across, %.2f mm up or down; toes %.1f mm above and %.1f mm below the ground\n",
                  steps, 1e3 * across, 1e3 * up, 1e3 * above, 1e3 * below);
    assert_true(steps > 100);
    assert_true(across <= 0.005);
    assert_true(up <= 0.005);
    close_show(&show);
}

static void knees_bend_forwards(void **state) {
    (void)state;
    enum { CHARACTERS = 16, FRAMES = 480 };
    show show = open_show("stairs", false, CHARACTERS);
    const char *const names[2][3] = {{"left_thigh", "left_shin", "left_foot"},
                                     {"right_thigh", "right_shin", "right_foot"}};
    double lowest = 1.0, fastest = 0.0;
    vector before[CHARACTERS][2] = {0};
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        run_frame(&show);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            for (uint32_t side = 0; side < 2; side++) {
                vector at[3];
                for (int k = 0; k < 3; k++) {
                    at[k] = in_world(&show, i, joint_named(&show, names[side][k]), (vector){0});
                }
                // How far the knee is before the line from hip to ankle.
                const vector leg = subtract(at[2], at[0]), knee = subtract(at[1], at[0]);
                const double share = dot(leg, knee) / dot(leg, leg);
                lowest = fmin(lowest, knee.z - share * leg.z);
                if (frame > RATE / 2) { // in the first frames they find the ground
                    fastest = larger(fastest, RATE * length(subtract(at[1], before[i][side])));
                }
                before[i][side] = at[1];
            }
        }
    }
    print_message("knees are %.1f mm or more before the leg's line, and move at up to %.2f m/s\n", 1e3 * lowest,
                  fastest);
    assert_true(lowest > -0.001);
    assert_true(fastest < 4.5);
    close_show(&show);
}

// ---- A rail.

// The arm bends, is stretched until the rail is out of reach, and comes back: nothing jumps.
static void hands_follow_the_rail(void **state) {
    (void)state;
    enum { CHARACTERS = 5, FRAMES = 390 };
    show show = open_show("rail", false, CHARACTERS);
    const uint32_t hand = joint_named(&show, "right_hand"), elbow = joint_named(&show, "right_forearm"),
                   shoulder = joint_named(&show, "right_upper_arm");
    vector hands[CHARACTERS], elbows[CHARACTERS], targets[CHARACTERS];
    uint32_t reached = 0, missed = 0;
    double error = 0.0, ahead = 0.0, jump = 0.0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        run_frame(&show);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            const float *point = play_scene_points(show.scene) + (size_t)i * 4;
            const vector target = {(double)point[0], (double)point[1], (double)point[2]};
            const vector wrist = in_world(&show, i, hand, (vector){0}), bend = in_world(&show, i, elbow, (vector){0}),
                         start = in_world(&show, i, shoulder, (vector){0});
            const double reach = length(subtract(bend, start)) + length(subtract(wrist, bend));
            const double away = length(subtract(target, start)), miss = length(subtract(wrist, target));
            if (away < 0.93 * reach) {
                error = larger(error, miss);
                reached++;
            }
            missed += away > reach;
            if (frame > 0) {
                // No farther than the rail does, and what the idle clip moves the shoulder.
                ahead = larger(ahead, length(subtract(wrist, hands[i])) - length(subtract(target, targets[i])));
                jump = larger(jump, length(subtract(bend, elbows[i])));
            }
            hands[i] = wrist;
            elbows[i] = bend;
            targets[i] = target;
        }
    }
    print_message(
        "%u frames in reach, at most %.3f mm away; %u out of reach; hands move %.2f mm a frame more than the rail, "
        "elbows %.1f mm\n",
        reached, 1e3 * error, missed, 1e3 * ahead, 1e3 * jump);
    assert_true(reached > 500);
    assert_true(missed > 100);
    assert_true(error < 0.001);
    assert_true(ahead < 0.002);
    assert_true(jump < 0.020);
    close_show(&show);
}

// ---- Heads and eyes.

static void eyes_look_at_the_camera(void **state) {
    (void)state;
    enum { CHARACTERS = 15, FRAMES = 350 };
    show show = open_show("look", true, CHARACTERS);
    const uint32_t joints[3] = {joint_named(&show, "left_eye"), joint_named(&show, "right_eye"),
                                joint_named(&show, "head")};
    vector before[CHARACTERS][3];
    uint32_t looks = 0, exact = 0;
    double fastest = 0.0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        run_frame(&show);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            const float *point = play_scene_points(show.scene) + (size_t)i * 4;
            for (uint32_t k = 0; k < 3; k++) {
                const vector eye = in_world(&show, i, joints[k], (vector){0});
                const vector forward = subtract(in_world(&show, i, joints[k], (vector){0.0, 0.0, 1.0}), eye);
                const vector way = subtract((vector){(double)point[0], (double)point[1], (double)point[2]}, eye);
                const double cosine = dot(forward, way) / length(way);
                if (k < 2) {
                    looks++;
                    exact += cosine > 0.99999;
                }
                if (frame > 0) {
                    fastest = larger(fastest, RATE * length(subtract(forward, before[i][k])));
                }
                before[i][k] = forward;
            }
        }
    }
    print_message("%u of %u eyes look at the camera; the fastest turns at %.2f rad/s\n", exact, looks, fastest);
    assert_true(exact > 9 * (looks / 10));
    assert_true(fastest < 6.0);
    close_show(&show);
}

// ---- The ground, and what is refused.

static void the_ground_is_as_described(void **state) {
    (void)state;
    show show = open_show("stairs", false, 1);
    static const struct {
        float x, z, height, slope;
    } places[] = {{-1.0f, 1.0f, 0.0f, 0.0f},
                  {-1.0f, 2.6f, 0.14f, 0.0f},
                  {-1.0f, 4.5f, 0.56f, 0.0f},
                  {-1.0f, 9.375f, 0.35f, -0.7f / 3.75f},
                  {1.0f, 3.125f, 0.35f, 0.7f / 3.75f},
                  {1.0f, 7.6f, 0.56f, 0.0f},
                  {1.0f, 15.625f, 0.35f, 0.7f / 3.75f},
                  {1.0f, -9.375f, 0.35f, 0.7f / 3.75f},
                  {9.0f, 3.0f, 0.0f, 0.0f}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        float normal[3];
        assert_float_equal(play_scene_ground(show.scene, places[i].x, places[i].z, normal), places[i].height, 1e-5);
        assert_float_equal(normal[2] / normal[1], -places[i].slope, 1e-5);
        assert_float_equal(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2], 1.0, 1e-6);
    }
    close_show(&show);
}

static void bad_scenes_are_refused(void **state) {
    (void)state;
    static const char *const texts[][2] = {
        {"{", "test: line 1, column 2: "},
        {"[]", "line 1, column 1: an array, where an object was expected"},
        {"{\"sky\": 1}", "line 1, column 3: there is no field of this name; there are rows, parameters, "},
        {"{\"ride\": -1}", "the number is out of range"},
        {"{\"rows\": {\"columns\": 1.5}}", "a whole number up to 9999 was expected"},
        {"{\"rows\": {\"phase\": \"nobody\"}}", "the graph has no parameter of this name"},
        {"{\"rows\": {\"apart\": [1]}}", "1 elements, where 2 to 2 were expected"},
        {"{\"parameters\": {\"phase\": \"hours\"}}", "\"seconds\" or an object was expected"},
        {"{\"parameters\": {\"phase\": {}}}", "there are no keys"},
        {"{\"parameters\": {\"phase\": {\"keys\": [[0, 1], [0, 2]]}}}", "times begin at 0 and ascend"},
        {"{\"parameters\": {\"phase\": {\"keys\": [[1, 1]]}}}", "times begin at 0 and ascend"},
        {"{\"ground\": [{\"from\": 1, \"to\": 0, \"profile\": [[0, 0], [1, 0]]}]}", "\"from\" below \"to\""},
        {"{\"ground\": [{\"from\": 0, \"to\": 1, \"profile\": [[1, 0], [0, 0]]}]}", "must not descend"},
        {"{\"ground\": [{\"from\": 0, \"to\": 1, \"profile\": [[0, 0], [0, 1]]}]}", "the profile is too short"},
        {"{\"camera\": {}}", "the camera has no eye"},
        {"{\"rails\": [], \"ground\": [], \"ground\": []}", "line 1, column 30: this field is given twice"},
        {"{\"points\": [{\"camera\": false}]}", "true was expected"},
        {"{\"points\": [{\"offset\": [1, 1, 1]}]}",
         "column 13: a point needs one of ground, normal, camera, place, rail"},
        {"{\"points\": [{\"at\": [1, 1, 1]}]}", "column 20: \"at\" is a place along a rail, and there is no \"rail\" "
                                                "beside it: {\"place\": [x, y, z]} is one in "
                                                "world space"},
        {"{\"points\": [{\"ground\": \"head\", \"at\": [1, 1, 1]}]}", "\"at\" is a place along a rail"},
        {"{\"points\": [{\"ground\": \"head\", \"normal\": \"head\"}]}",
         "column 13: a point is one of ground, normal, camera, place, rail: another point may be the other"},
        {"{\"camera\": {\"eye\": [[0, 1, 2]]}}", "column 21: a key is [seconds, x, y, z]"},
        {"{\"camera\": {\"eye\": [1, 2, 3]}}", "column 21: a key is [seconds, x, y, z]"},
        {"{\"rails\": [[[0, 1, 2, 3]]]}", "column 13: a key is [seconds, [x, y, z], [x, y, z]]"},
        {"{\"parameters\": {\"phase\": {\"keys\": [1]}}}", "a key is [seconds, value]"},
        {"{\"points\": [{\"ground\": \"tail\"}]}", "there is no joint of this name"},
        {"{\"points\": [{\"ground\": \"LeftFoot\"}]}", "there is no joint of this name; the nearest are left_foot, "},
        {"{\"points\": [{\"rail\": 0}]}", "there is no rail of this index"},
        {"{\"points\": [{\"ground\": \"head\"}]}", "more points than the scene has"},
        {"{\"points\": [{\"camera\": true}, {\"camera\": true}, {\"camera\": true}, {\"camera\": true}]}",
         "a point is the camera, and there is none"},
        {"{}", "the graph reads more points than the scene has: \"points\" needs 4"},
    };
    show show = open_show("stairs", false, 1);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const play_scene_def def = {texts[i][0], strlen(texts[i][0]), "test", show.rig, show.graph, 1, 1.0f, NULL};
        play_scene *scene = NULL;
        lmb_error error = {0};
        assert_int_equal(play_scene_create(&def, &scene, &error), LMB_ERROR_FORMAT);
        assert_null(scene);
        if (strstr(error.message, texts[i][1]) == NULL) {
            fail_msg("%s: '%s' instead of '%s'", texts[i][0], error.message, texts[i][1]);
        }
    }
    close_show(&show);
}

// A place is in world space, and a camera without a target is no camera of the picture.
static void points_are_places(void **state) {
    (void)state;
    static const char text[] = "{\"camera\": {\"eye\": [[0, 7, 8, 9]]}, \"points\": [{\"place\": [1, 2, 3]}, "
                               "{\"camera\": true}, {\"place\": [4, 5, 6]}, {\"place\": [0, 1, 0]}]}";
    show show = open_show("stairs", false, 1);
    const play_scene_def def = {text, strlen(text), "test", show.rig, show.graph, 1, 1.0f, NULL};
    play_scene *scene = NULL;
    lmb_error error = {0};
    expect_good(play_scene_create(&def, &scene, &error), &error);
    const play_scene_frame frame = {.states = show.states};
    play_scene_advance(scene, &frame);
    static const float expected[4][3] = {{1, 2, 3}, {7, 8, 9}, {4, 5, 6}, {0, 1, 0}};
    for (int i = 0; i < 12; i++) {
        assert_true(play_scene_points(scene)[4 * (i / 3) + i % 3] == expected[i / 3][i % 3]);
    }
    float eye[3], target[3];
    assert_false(play_scene_camera(scene, 0.0, eye, target));
    const play_scene_frame seen = {.states = show.states, .eye = expected[0]}; // by the camera of a picture
    play_scene_advance(scene, &seen);
    assert_true(play_scene_points(scene)[4] == 7.0f);
    play_scene_destroy(scene);
    close_show(&show);
}

// Tracks of parameters are linear, and ease where the scene asks for it.
static void tracks_are_linear_or_ease(void **state) {
    (void)state;
    static const char *const texts[] = {"{\"parameters\": {\"phase\": {\"keys\": [[0, 0], [4, 2]]}}, \"points\": ["
                                        "{\"ground\": \"head\"}, {\"ground\": \"head\"}, {\"ground\": \"head\"}, "
                                        "{\"ground\": \"head\"}]}",
                                        "{\"parameters\": {\"phase\": {\"keys\": [[0, 0], [4, 2]], \"ease\": true}}, "
                                        "\"points\": [{\"ground\": \"head\"}, {\"ground\": \"head\"}, "
                                        "{\"ground\": \"head\"}, {\"ground\": \"head\"}]}"};
    show show = open_show("stairs", false, 1);
    const uint32_t phase = lmb_graph_find_parameter(show.graph, "phase");
    for (size_t i = 0; i < 2; i++) {
        const play_scene_def def = {texts[i], strlen(texts[i]), "test", show.rig, show.graph, 1, 1.0f, NULL};
        play_scene *scene = NULL;
        lmb_error error = {0};
        expect_good(play_scene_create(&def, &scene, &error), &error);
        play_scene_set_parameters(scene, 1.0, show.parameters);
        assert_float_equal(show.parameters[phase], i == 0 ? 0.5 : 2.0 * (3.0 / 16.0 - 2.0 / 64.0), 1e-6);
        play_scene_set_parameters(scene, 6.0, show.parameters); // repeats
        assert_float_equal(show.parameters[phase], 1.0, 1e-6);
        play_scene_destroy(scene);
    }
    close_show(&show);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_feet_stay),          cmocka_unit_test(knees_bend_forwards),
        cmocka_unit_test(hands_follow_the_rail),      cmocka_unit_test(eyes_look_at_the_camera),
        cmocka_unit_test(the_ground_is_as_described), cmocka_unit_test(bad_scenes_are_refused),
        cmocka_unit_test(tracks_are_linear_or_ease),  cmocka_unit_test(points_are_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
