// The graphs of samples/graphs: `limber play` runs each file for two characters, the mannequin and one whose joints and
// clips have other names (samples/graphs/robot.names.json). RobotExpressive.glb is no part of the project: a figure
// with its names replaces it, and where LIMBER_ASSETS has the file, it runs too. No graph gives a warning, each
// goes through its states in their order, and its script changes the poses.
#include "command.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define FOLDER LIMBER_SAMPLES "/graphs"
#define FIGURE "figure.gltf"
#define FRAMES 300

typedef struct sample {
    const char *name;
    const char *order[12]; // what `limber play --changes` prints, in this order
} sample;

static const sample samples[] = {
    {"locomotion", {" at 0.0000 0.0000 0.0000 "}},
    {"jump", {"body:ground ", "body:jump ", "body:land ", "!LANDED ", "body:jump ", "body:land "}},
    {"layers", {"CROUCH:out WAVE:out ", "CROUCH:out WAVE:in ", "CROUCH:in WAVE:in ", "CROUCH:out ", "WAVE:out "}},
    {"aim", {"AIM:out ", "AIM:in ", "AIM:out "}},
    {"look-at", {"LOOK:in ", "LOOK:out ", "LOOK:in "}},
    {"ik", {"GRAB:out ", "GRAB:in ", "GRAB:out "}},
    {"feet", {" at 0.0000 0.0000 0.0000 "}},
    {"hit-reaction", {"HIT:out ", "HIT:in ", "HIT:out ", "HIT:in ", "HIT:out "}},
    {"mirror", {"LEFT:out ", "LEFT:in ", "LEFT:out "}},
    {"nested-machine",
     {"body:up/gait:stand ", "body:up/gait:move ", "body:jump ", "body:up/gait:move ", "body:up/gait:stand ",
      "body:down ", "body:up/gait:stand "}},
    {"crowd", {"crowd:stand ", "crowd:rest ", "crowd:stand ", "crowd:greet "}},
    {"root-motion",
     {"way:stand ", "way:walk ", "way:vault ", "way:stand ", "way:turn ", "yaw 0.0", "way:stand ", "yaw 1.5700"}},
};
#define SAMPLES (sizeof samples / sizeof samples[0])

// ---- A figure with the names of robot.names.json, whose feet hang under the root.

typedef struct bone {
    const char *name;
    int parent;
    float at[3];
} bone;

enum { FOOT_L = 17, FOOT_R = 18 };
static const bone bones[] = {
    {"Root_Scene", -1, {0.0f, 0.0f, 0.0f}},   {"Body", 0, {0.0f, 0.95f, 0.0f}},
    {"Hips", 1, {0.0f, 0.1f, 0.0f}},          {"Abdomen", 2, {0.0f, 0.12f, 0.0f}},
    {"Torso_1", 3, {0.0f, 0.15f, 0.0f}},      {"Neck", 4, {0.0f, 0.2f, 0.0f}},
    {"Head", 5, {0.0f, 0.1f, 0.0f}},          {"UpperArmL", 4, {0.25f, 0.1f, 0.0f}},
    {"LowerArmL", 7, {0.05f, -0.28f, 0.0f}},  {"Palm2L", 8, {0.0f, -0.26f, 0.05f}},
    {"UpperArmR", 4, {-0.25f, 0.1f, 0.0f}},   {"LowerArmR", 10, {-0.05f, -0.28f, 0.0f}},
    {"Palm2R", 11, {0.0f, -0.26f, 0.05f}},    {"UpperLegL", 1, {0.12f, 0.0f, 0.0f}},
    {"LowerLegL", 13, {0.0f, -0.42f, 0.03f}}, {"UpperLegR", 1, {-0.12f, 0.0f, 0.0f}},
    {"LowerLegR", 15, {0.0f, -0.42f, 0.03f}}, {"FootL", 0, {0.12f, 0.08f, 0.0f}},
    {"FootR", 0, {-0.12f, 0.08f, 0.0f}},
};
#define BONES (sizeof bones / sizeof bones[0])
#define KEYS 5

// A clip turns joints, or moves both feet half a period apart.
typedef struct motion {
    const char *clip;
    int turned[2];
    float stride; // of the feet; 0: they stay
} motion;

static const motion motions[] = {
    {"Idle", {3, 6}, 0.0f},   {"Walking", {13, 15}, 0.3f}, {"Running", {13, 15}, 0.5f},
    {"Jump", {7, 10}, 0.0f},  {"Standing", {3, 4}, 0.0f},  {"Wave", {10, 11}, 0.0f},
    {"Punch", {10, 4}, 0.0f}, {"Sitting", {2, 3}, 0.0f},   {"Yes", {5, 6}, 0.0f},
};
#define MOTIONS (sizeof motions / sizeof motions[0])

// The keys of a foot: on the ground from front to back, then lifted to the front.
static void write_foot(FILE *file, float x, float stride, int phase) {
    static const float path[4][2] = {{1.0f, 0.0f}, {0.0f, 0.0f}, {-1.0f, 0.0f}, {0.0f, 0.15f}};
    for (int key = 0; key < KEYS; key++) {
        const float *at = path[(key + phase) % 4];
        const float keys[3] = {x, 0.08f + at[1], stride * at[0]};
        assert_int_equal(fwrite(keys, sizeof keys, 1, file), 1);
    }
}

// Each clip has the same length in the buffer: times, a rotation, and the positions of both feet.
static void write_buffer(void) {
    FILE *file = fopen("figure.bin", "wb");
    assert_non_null(file);
    for (size_t i = 0; i < MOTIONS; i++) {
        static const float times[KEYS] = {0.0f, 0.25f, 0.5f, 0.75f, 1.0f};
        assert_int_equal(fwrite(times, sizeof times, 1, file), 1);
        for (int key = 0; key < KEYS; key++) {
            const double angle = 0.2 * sin((double)key * 1.5707963);
            const float turn[4] = {(float)sin(angle), 0.0f, 0.0f, (float)cos(angle)};
            assert_int_equal(fwrite(turn, sizeof turn, 1, file), 1);
        }
        write_foot(file, bones[FOOT_L].at[0], motions[i].stride, 0);
        write_foot(file, bones[FOOT_R].at[0], motions[i].stride, 2);
    }
    assert_int_equal(fclose(file), 0);
}

static void write_node(FILE *file, int index) {
    const bone *own = &bones[index];
    bool has_children = false;
    fprintf(file, "%s{\"name\":\"%s\",\"translation\":[%g,%g,%g]", index > 0 ? "," : "", own->name, (double)own->at[0],
            (double)own->at[1], (double)own->at[2]);
    for (int i = 0; i < (int)BONES; i++) {
        if (bones[i].parent == index) {
            fprintf(file, "%s%d", has_children ? "," : ",\"children\":[", i);
            has_children = true;
        }
    }
    fprintf(file, "%s}", has_children ? "]" : "");
}

static void write_clip(FILE *file, size_t index) {
    const motion *own = &motions[index];
    const size_t first = index * 4; // accessors
    fprintf(file, "%s{\"name\":\"%s\",\"samplers\":[", index > 0 ? "," : "", own->clip);
    for (size_t i = 1; i < 4; i++) {
        fprintf(file, "%s{\"input\":%zu,\"output\":%zu}", i > 1 ? "," : "", first, first + i);
    }
    fprintf(file, "],\"channels\":[");
    for (int i = 0; i < 2; i++) {
        fprintf(file, "{\"sampler\":0,\"target\":{\"node\":%d,\"path\":\"rotation\"}},", own->turned[i]);
    }
    fprintf(file, "{\"sampler\":1,\"target\":{\"node\":%d,\"path\":\"translation\"}},", FOOT_L);
    fprintf(file, "{\"sampler\":2,\"target\":{\"node\":%d,\"path\":\"translation\"}}]}", FOOT_R);
}

static void write_figure(void) {
    static const size_t sizes[4] = {KEYS * 4, KEYS * 16, KEYS * 12, KEYS * 12};
    static const char *const types[4] = {"SCALAR\",\"min\":[0],\"max\":[1]", "VEC4\"", "VEC3\"", "VEC3\""};
    FILE *file = fopen(FIGURE, "wb");
    size_t offset = 0;
    assert_non_null(file);
    fprintf(file, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[");
    for (int i = 0; i < (int)BONES; i++) {
        write_node(file, i);
    }
    fprintf(file, "],\"bufferViews\":[");
    for (size_t i = 0; i < MOTIONS * 4; i++) {
        fprintf(file, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", i > 0 ? "," : "", offset, sizes[i % 4]);
        offset += sizes[i % 4];
    }
    fprintf(file, "],\"buffers\":[{\"byteLength\":%zu,\"uri\":\"figure.bin\"}],\"accessors\":[", offset);
    for (size_t i = 0; i < MOTIONS * 4; i++) {
        fprintf(file, "%s{\"bufferView\":%zu,\"componentType\":5126,\"count\":%d,\"type\":\"%s}", i > 0 ? "," : "", i,
                KEYS, types[i % 4]);
    }
    fprintf(file, "],\"animations\":[");
    for (size_t i = 0; i < MOTIONS; i++) {
        write_clip(file, i);
    }
    fprintf(file, "]}\n");
    assert_int_equal(fclose(file), 0);
    write_buffer();
}

// ---- Runs.

static int enter(void **state) {
    (void)state;
    if (!command_enter_folder()) {
        return 1;
    }
    write_figure();
    return 0;
}

static int leave(void **state) {
    (void)state;
    command_leave_folder();
    return 0;
}

// An option for the file of a sample, or nothing if there is no such file.
static void add_file(char *options, size_t size, const char *option, const sample *sample, const char *kind) {
    char path[512];
    const size_t used = strlen(options);
    snprintf(path, sizeof path, "%s/%s.%s", FOLDER, sample->name, kind);
    if (access(path, R_OK) == 0) {
        snprintf(options + used, size - used, " %s \"%s\"", option, path);
    }
}

static command_output play(const sample *sample, const char *character, bool has_script, const char *more) {
    char options[2048] = "";
    add_file(options, sizeof options, "--graph", sample, "json");
    add_file(options, sizeof options, "--scene", sample, "scene");
    if (has_script) {
        add_file(options, sizeof options, "--script", sample, "script");
    }
    command_output output =
        command_run("\"%s\" play %s%s --frames %d --characters 4 %s", LIMBER_CLI, character, options, FRAMES, more);
    if (output.status != 0) {
        fail_msg("%s of %s: status %d: %s", sample->name, character, output.status, output.err);
    }
    assert_null(strstr(output.out, "nan"));
    assert_null(strstr(output.out, "inf"));
    return output;
}

// The hash of the last line.
static unsigned long long last_hash(const command_output *output) {
    const char *at = strrchr(output->out, ' ');
    unsigned long long hash = 0;
    assert_non_null(at);
    assert_int_equal(sscanf(at, " 0x%llx", &hash), 1);
    return hash;
}

static void expect_order(const sample *sample, const char *character, const char *text) {
    const char *at = text;
    for (size_t i = 0; i < sizeof sample->order / sizeof sample->order[0] && sample->order[i] != NULL; i++) {
        const char *found = strstr(at, sample->order[i]);
        if (found == NULL) {
            fail_msg("%s of %s: no '%s' where it belongs:\n%s", sample->name, character, sample->order[i], text);
        }
        at = found + 1;
    }
}

// What the script does is seen: some frame differs from those without it.
static void expect_script(const sample *sample, const char *character) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.script", FOLDER, sample->name);
    if (access(path, R_OK) != 0) {
        return;
    }
    command_output with = play(sample, character, true, ""), without = play(sample, character, false, "");
    assert_string_not_equal(with.out, without.out);
    command_output_release(&with);
    command_output_release(&without);
}

static void expect_samples(const char *character) {
    for (size_t i = 0; i < SAMPLES; i++) {
        command_output output = play(&samples[i], character, true, "--changes");
        if (strstr(output.err, "warning") != NULL) {
            fail_msg("%s of %s: %s", samples[i].name, character, output.err);
        }
        expect_order(&samples[i], character, output.out);
        assert_int_not_equal(last_hash(&output), 0);
        command_output_release(&output);
        expect_script(&samples[i], character);
    }
}

static void the_mannequin_plays_all(void **state) {
    (void)state;
    expect_samples("mannequin");
}

static void a_figure_of_other_names_plays_all(void **state) {
    (void)state;
    expect_samples(FIGURE " --names \"" FOLDER "/robot.names.json\"");
}

static void the_robot_plays_all(void **state) {
    (void)state;
    if (access(LIMBER_ASSETS "/RobotExpressive.glb", R_OK) != 0) {
        print_message("%s/RobotExpressive.glb is not there: skipped\n", LIMBER_ASSETS);
        skip();
    }
    expect_samples("\"" LIMBER_ASSETS "/RobotExpressive.glb\" --names \"" FOLDER "/robot.names.json\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mannequin_plays_all),
        cmocka_unit_test(a_figure_of_other_names_plays_all),
        cmocka_unit_test(the_robot_plays_all),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
