// The graphs of samples/characters: each is read, fits its character, and moves it by finite poses. The robot's file is
// not part of the tests: a figure with its names plays its graph.
#include "command.h"
#include "suite.h"

#include <limber/cpu.h>
#include <limber/graph_json.h>
#include <limber/import.h>

#include <mannequin.h>

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define FRAMES 240u // four seconds
#define MAX_FILES 4u

typedef struct sample {
    const char *graph;
    const char *files[MAX_FILES]; // of LIMBER_ASSETS, or of the test's folder if there is no folder in the name
    const char *script;
    const char *clips[4]; // that have a weight in some frame
    double min_path;      // min distance that the character moves, in its units
    bool plays_mannequin; // clips of the mannequin, as another character
} sample;

static const sample samples[] = {
    {.graph = "fox.json",
     .files = {LIMBER_ASSETS "/Fox.glb"},
     .script = "1 set speed 80\n2 set speed 220\n",
     .clips = {" Survey ", " Walk ", " Run "},
     .min_path = 200.0},
    {.graph = "pab.json",
     .files = {LIMBER_ASSETS "/pab/skeleton.fbx", LIMBER_ASSETS "/pab/walk.fbx", LIMBER_ASSETS "/pab/jog.fbx",
               LIMBER_ASSETS "/pab/run.fbx"},
     .script = "1 set speed 2\n2 set speed 4\n",
     .clips = {" walk ", " jog ", " run "},
     .min_path = 5.0},
    {.graph = "robot.json",
     .files = {"robot.gltf"},
     .script = "1 set speed 1.5\n1.5 send WAVE\n2.5 set speed 4\n3 send STOP\n",
     .clips = {" Idle ", " Walking ", " Running ", " Wave "},
     .min_path = 3.0},
    {.graph = "mannequin_on_pab.json",
     .files = {LIMBER_ASSETS "/pab/skeleton.fbx"},
     .script = "0 set speed 0\n1 set speed 1.25\n3 set speed 3\n",
     .clips = {" idle ", " walk ", " run "},
     .min_path = 3.0,
     .plays_mannequin = true},
};

// Three joints and four clips, which turn a joint each by the same keys: half a turn about z in a second.
static const char robot[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":["
    "{\"name\":\"Bone\",\"children\":[1,2]},{\"name\":\"Neck\",\"translation\":[0,1,0]},"
    "{\"name\":\"ShoulderR\",\"translation\":[-0.3,0.9,0]}],"
    "\"buffers\":[{\"byteLength\":40,\"uri\":\"data:application/octet-stream;base64,"
    "AAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAIA/AAAAAA==\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":8},{\"buffer\":0,\"byteOffset\":8,\"byteLength\":32}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\",\"min\":[0],\"max\":[1]},"
    "{\"bufferView\":1,\"componentType\":5126,\"count\":2,\"type\":\"VEC4\"}],\"animations\":["
#define CLIP(name, node)                                                                                               \
    "{\"name\":\"" name "\",\"samplers\":[{\"input\":0,\"output\":1}],"                                                \
    "\"channels\":[{\"sampler\":0,\"target\":{\"node\":" node ",\"path\":\"rotation\"}}]}"
    CLIP("Idle", "0") "," CLIP("Walking", "1") "," CLIP("Running", "1") "," CLIP("Wave", "2") "]}\n";

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static int enter(void **state) {
    (void)state;
    if (!command_enter_folder()) {
        return 1;
    }
    write_text("robot.gltf", robot);
    return 0;
}

static int leave(void **state) {
    (void)state;
    command_leave_folder();
    return 0;
}

static uint32_t count_files(const sample *sample) {
    uint32_t count = 0;
    while (count < MAX_FILES && sample->files[count] != NULL) {
        count++;
    }
    return count;
}

static lmb_result import_sample(const sample *sample, lmb_import **import, lmb_error *error) {
    lmb_import_def def = lmb_default_import_def();
    def.paths = sample->files;
    def.path_count = count_files(sample);
    def.trusted = true;
    return lmb_import_create(&def, NULL, import, error);
}

// Returns false if a file is not there, or is an FBX and there is no Assimp.
static bool can_read(const sample *sample) {
    lmb_import *import = NULL;
    lmb_error error = {0};
    for (uint32_t i = 0; i < count_files(sample); i++) {
        if (access(sample->files[i], R_OK) != 0) {
            print_message("%s is not there: %s skipped\n", sample->files[i], sample->graph);
            return false;
        }
    }
    const lmb_result result = import_sample(sample, &import, &error);
    lmb_import_destroy(import);
    if (result == LMB_ERROR_UNSUPPORTED && strstr(error.message, "LIMBER_ASSIMP") != NULL) {
        print_message("%s: %s skipped\n", error.message, sample->graph);
        return false;
    }
    return true;
}

static bool is_finite(const float *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

// The value of a parameter in a frame, by the script: a line is "TIME set NAME VALUE".
static void apply_script(const char *script, const lmb_graph *graph, float seconds, float *row) {
    for (const char *line = script; *line != '\0'; line = strchr(line, '\n') + 1) {
        char name[32];
        float time, value;
        if (sscanf(line, "%f set %31s %f", &time, name, &value) == 3 && time <= seconds) {
            const uint32_t parameter = lmb_graph_find_parameter(graph, name);
            assert_int_not_equal(parameter, LMB_NONE);
            row[parameter] = value;
        }
    }
}

static uint32_t find_sent(const char *script, const lmb_graph *graph, uint32_t frame) {
    uint32_t sent = LMB_NONE;
    for (const char *line = script; *line != '\0'; line = strchr(line, '\n') + 1) {
        char name[32];
        float time;
        if (sscanf(line, "%f send %31s", &time, name) == 2 && (uint32_t)(time * 60.0f) == frame) {
            sent = lmb_graph_find_event(graph, name);
            assert_int_not_equal(sent, LMB_NONE);
        }
    }
    return sent;
}

// A graph of a sample at work, with the outputs of its poses.
static const lmb_output kinds[] = {LMB_OUTPUT_LOCAL, LMB_OUTPUT_MODEL, LMB_OUTPUT_PALETTE};
#define KINDS (sizeof kinds / sizeof kinds[0])

typedef struct playing {
    lmb_import *import;
    mannequin *mannequin;
    const lmb_clip *others[MANNEQUIN_CLIP_COUNT];
    lmb_graph_json *json;
    lmb_graph *graph;
    lmb_cpu *cpu;
    lmb_batch_def batch;
    uint32_t *state;
    float *row;
    lmb_batch_outputs outputs;
    uint32_t refused[LMB_REFUSAL_COUNT];
} playing;

static lmb_result read_sample(const sample *sample, playing *p, lmb_error *error) {
    char path[600];
    const lmb_import_content *content = lmb_import_get_content(p->import);
    lmb_graph_character other = {.name = "mannequin", .clips = p->others, .clip_count = MANNEQUIN_CLIP_COUNT};
    snprintf(path, sizeof path, "%s/%s", LIMBER_SAMPLES "/characters", sample->graph);
    char *text = command_read_file(path);
    assert_non_null(text);
    lmb_graph_source source = {.text = text,
                               .size = strlen(text),
                               .name = sample->graph,
                               .rig = content->rig,
                               .clips = content->clips,
                               .clip_count = content->clip_count};
    if (sample->plays_mannequin) {
        assert_int_equal(mannequin_create(NULL, &p->mannequin, error), LMB_OK);
        for (uint32_t i = 0; i < MANNEQUIN_CLIP_COUNT; i++) {
            p->others[i] = mannequin_clip(p->mannequin, (mannequin_clip_id)i);
        }
        other.rig = mannequin_rig(p->mannequin);
        source.characters = &other;
        source.character_count = 1;
    }
    const lmb_result result = lmb_graph_json_read(&source, NULL, &p->json, NULL, error);
    free(text);
    return result == LMB_OK ? lmb_graph_create(lmb_graph_json_def(p->json), NULL, &p->graph, error) : result;
}

static void open_sample(const sample *sample, playing *p) {
    lmb_error error = {0};
    *p = (playing){0};
    if (import_sample(sample, &p->import, &error) || read_sample(sample, p, &error) ||
        lmb_cpu_create(p->graph, LMB_CPU_REFERENCE, NULL, &p->cpu, &error)) {
        fail_msg("%s: %s", sample->graph, error.message);
    }
    assert_int_equal(lmb_graph_json_warning_count(p->json), 0);
    assert_true(lmb_graph_get_info(p->graph)->state_words > 0);
    p->batch = (lmb_batch_def){p->graph, 1, LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_MODEL_BIT | LMB_OUTPUT_PALETTE_BIT};
    p->state = calloc(lmb_graph_get_info(p->graph)->state_words, sizeof *p->state);
    p->row = calloc(lmb_graph_get_info(p->graph)->parameter_count, sizeof *p->row);
    p->outputs.inertia = calloc(lmb_graph_get_info(p->graph)->inertia_words + (size_t)1, sizeof *p->outputs.inertia);
    p->outputs.refused = p->refused;
    assert_true(p->state != NULL && p->row != NULL && p->outputs.inertia != NULL);
    for (size_t i = 0; i < KINDS; i++) {
        p->outputs.buffers[kinds[i]] = calloc(lmb_batch_output_floats(&p->batch, kinds[i]), sizeof(float));
        assert_non_null(p->outputs.buffers[kinds[i]]);
    }
    lmb_graph_defaults(p->graph, p->row);
}

static void close_sample(playing *p) {
    for (size_t i = 0; i < KINDS; i++) {
        free(p->outputs.buffers[kinds[i]]);
    }
    free(p->outputs.inertia);
    free(p->row);
    free(p->state);
    lmb_cpu_destroy(p->cpu);
    lmb_graph_destroy(p->graph);
    lmb_graph_json_destroy(p->json);
    mannequin_destroy(p->mannequin);
    lmb_import_destroy(p->import);
}

static void run_frame(const sample *sample, playing *p, uint32_t frame) {
    lmb_error error = {0};
    lmb_control_frame run = lmb_default_control_frame();
    const lmb_event event = {0, find_sent(sample->script, p->graph, frame)};
    apply_script(sample->script, p->graph, (float)frame / 60.0f, p->row);
    run.character_count = 1;
    run.number = frame;
    run.step = frame > 0 ? LMB_TICKS_PER_SECOND / 60 : 0;
    run.state = p->state;
    run.parameters = p->row;
    run.events = &event;
    run.event_count = event.event != LMB_NONE;
    const lmb_batch_inputs inputs = {.control = &run};
    if (lmb_cpu_run(p->cpu, &p->batch, &inputs, &p->outputs, &error) != LMB_OK) {
        fail_msg("%s: frame %u: %s", sample->graph, (unsigned)frame, error.message);
    }
}

// All outputs are finite, nothing was refused, and rotations have unit length.
static void expect_poses(const playing *p) {
    const uint32_t joints = lmb_graph_get_info(p->graph)->joint_count;
    const float *local = p->outputs.buffers[LMB_OUTPUT_LOCAL];
    for (size_t i = 0; i < KINDS; i++) {
        assert_true(is_finite(p->outputs.buffers[kinds[i]], lmb_batch_output_floats(&p->batch, kinds[i])));
    }
    for (uint32_t i = 0; i < LMB_REFUSAL_COUNT; i++) {
        assert_int_equal(p->refused[i], 0);
    }
    for (uint32_t joint = 0; joint < joints; joint++) {
        float square = 0.0f;
        for (uint32_t component = 3; component < 7; component++) {
            const float q = local[component * joints + joint];
            square += q * q;
        }
        assert_true(fabsf(square - 1.0f) < 1e-4f);
    }
}

// Runs the graph on the CPU: the poses are finite and not all the same, and the character moves.
static void expect_finite_poses(const sample *sample) {
    playing p;
    double most = 0.0;
    open_sample(sample, &p);
    const size_t floats = lmb_batch_output_floats(&p.batch, LMB_OUTPUT_PALETTE);
    float *first = calloc(floats, sizeof *first);
    assert_non_null(first);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        run_frame(sample, &p, frame);
        expect_poses(&p);
        const lmb_motion motion = lmb_state_motion(p.graph, p.state);
        assert_true(isfinite(motion.position[0]) && isfinite(motion.position[2]) && isfinite(motion.yaw));
        most = fmax(most, hypot(motion.position[0], motion.position[2]));
        if (frame == 0) {
            memcpy(first, p.outputs.buffers[LMB_OUTPUT_PALETTE], floats * sizeof *first);
        }
    }
    assert_memory_not_equal(first, p.outputs.buffers[LMB_OUTPUT_PALETTE], floats * sizeof *first);
    if (!(most >= sample->min_path)) {
        fail_msg("%s: moved by only %g", sample->graph, most);
    }
    free(first);
    close_sample(&p);
}

// `limber play` accepts the graph, plays each of its clips and prints every frame.
static void expect_play(const sample *sample) {
    char files[2000] = "";
    for (uint32_t i = 0; i < count_files(sample); i++) {
        const size_t used = strlen(files);
        snprintf(files + used, sizeof files - used, "\"%s\" ", sample->files[i]);
    }
    write_text("script.txt", sample->script);
    command_output output = command_run("\"%s\" play %s --graph \"%s/%s\" --script script.txt --frames %u %s",
                                        LIMBER_CLI, files, LIMBER_SAMPLES "/characters", sample->graph, FRAMES,
                                        sample->plays_mannequin ? "--character mannequin=mannequin" : "");
    if (output.status != 0) {
        fail_msg("%s: status %d: %s", sample->graph, output.status, output.err);
    }
    uint32_t lines = 0;
    for (const char *at = output.out; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    assert_int_equal(lines, FRAMES);
    for (size_t i = 0; i < sizeof sample->clips / sizeof sample->clips[0] && sample->clips[i] != NULL; i++) {
        if (strstr(output.out, sample->clips[i]) == NULL) {
            fail_msg("%s: never played%s\n%s", sample->graph, sample->clips[i], output.out);
        }
    }
    assert_null(strstr(output.out, "nan"));
    assert_null(strstr(output.out, "inf"));
    command_output_release(&output);
}

static void expect_sample(const sample *sample) {
    if (!can_read(sample)) {
        skip();
    }
    expect_finite_poses(sample);
    expect_play(sample);
}

static void the_fox_plays(void **state) {
    (void)state;
    expect_sample(&samples[0]);
}

static void the_man_plays(void **state) {
    (void)state;
    expect_sample(&samples[1]);
}

static void the_robot_plays(void **state) {
    (void)state;
    expect_sample(&samples[2]);
}

static void the_man_plays_the_mannequin(void **state) {
    (void)state;
    expect_sample(&samples[3]);
}

// The mannequin's walk: each foot of the man comes down to its height at rest and not below, and lifts in between.
static void retargeted_feet_are_on_the_floor(void **state) {
    (void)state;
    static const char *const names[] = {"LeftFoot", "RightFoot"};
    static const sample walk = {.graph = "mannequin_on_pab.json",
                                .files = {LIMBER_ASSETS "/pab/skeleton.fbx"},
                                .script = "",
                                .plays_mannequin = true};
    playing p;
    float lowest[2] = {INFINITY, INFINITY}, highest[2] = {-INFINITY, -INFINITY}, rest[2];
    uint32_t feet[2];
    if (!can_read(&walk)) {
        skip();
    }
    open_sample(&walk, &p);
    const lmb_rig *rig = lmb_import_get_content(p.import)->rig;
    for (uint32_t i = 0; i < 2; i++) {
        lmb_affine bind;
        feet[i] = lmb_rig_find_joint(rig, names[i]);
        assert_int_not_equal(feet[i], LMB_NONE);
        assert_true(lmb_affine_invert(lmb_rig_get_def(rig)->joints[feet[i]].inverse_bind, &bind));
        rest[i] = bind.m[1][3];
    }
    for (uint32_t frame = 0; frame < 120; frame++) {
        run_frame(&walk, &p, frame);
        for (uint32_t i = 0; i < 2; i++) {
            const float y = p.outputs.buffers[LMB_OUTPUT_MODEL][feet[i] * LMB_MATRIX_COMPONENTS + 7];
            lowest[i] = fminf(lowest[i], y);
            highest[i] = fmaxf(highest[i], y);
        }
    }
    for (uint32_t i = 0; i < 2; i++) {
        print_message("%s: at rest %.4f, lowest %.4f, highest %.4f\n", names[i], (double)rest[i], (double)lowest[i],
                      (double)highest[i]);
        assert_true(fabsf(lowest[i] - rest[i]) < 0.005f);
        assert_true(highest[i] > rest[i] + 0.08f);
    }
    close_sample(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fox_plays),
        cmocka_unit_test(the_man_plays),
        cmocka_unit_test(the_robot_plays),
        cmocka_unit_test(the_man_plays_the_mannequin),
        cmocka_unit_test(retargeted_feet_are_on_the_floor),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
