// Untrusted programs as JSON: the reader reports all errors, each with its position, or gives a descriptor that
// compiles, prints, and runs at its defaults without any refusal.
#include "graph_fuzzing.h"

#include <limber/cpu.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { JOINTS = 4, CLIPS = 2 };

static lmb_rig *rig;
static lmb_clip *clips[CLIPS];

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    static const char *const names[JOINTS] = {"Hips", "Spine", "Head", "Arm"};
    static const uint32_t parents[JOINTS] = {LMB_NONE, 0, 1, 1};
    static const float times[2] = {0.0f, 1.5f};
    static const float moves[6] = {0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f};
    static const lmb_track_def track = {1, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, moves};
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
        joints[i].parent = parents[i];
    }
    lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = JOINTS}, NULL, &rig, NULL);
    lmb_clip_create(rig, &(lmb_clip_def){.name = "Walk", .duration = 0.0f, .tracks = &track, .track_count = 1}, NULL,
                    &clips[0], NULL);
    lmb_clip_create(rig, &(lmb_clip_def){.name = "Wave"}, NULL, &clips[1], NULL);
    require(clips[0] != NULL && clips[1] != NULL, "no clips");
    return 0;
}

static void count_line(void *user, const char *line) {
    require(line[0] != '\0', "an empty line");
    ++*(uint32_t *)user;
}

static void evaluate(const lmb_graph *program, const float *parameters) {
    float pose[LMB_POSE_COMPONENTS * JOINTS] = {0};
    float palette[LMB_MATRIX_COMPONENTS * JOINTS];
    uint32_t refused[LMB_REFUSAL_COUNT] = {0};
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        pose[6 * JOINTS + joint] = 1.0f;
    }
    lmb_cpu *cpu = NULL;
    const lmb_batch_def batch = {program, 1, LMB_OUTPUT_PALETTE_BIT};
    static const float points[LMB_MAX_POINTS * 4] = {1.0f, 2.0f, 3.0f};
    static const float transform[LMB_MATRIX_COMPONENTS] = {[3] = 1.0f, [1] = 2.0f, [4] = -2.0f, [10] = 2.0f};
    lmb_batch_inputs inputs = {.parameters = parameters, .points = points, .transforms = transform};
    for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
        inputs.poses[i] = pose;
    }
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_PALETTE] = palette}, .refused = refused};
    require(lmb_cpu_create(program, LMB_CPU_REFERENCE, NULL, &cpu, NULL) == LMB_OK, "no cpu");
    require(lmb_cpu_run_poses(cpu, &batch, &inputs, &outputs, 0, 1, NULL) == LMB_OK, "it does not run");
    for (uint32_t i = 0; i < LMB_MATRIX_COMPONENTS * JOINTS; i++) {
        require(fabsf(palette[i]) <= LMB_LARGEST, "a value out of range");
    }
    lmb_cpu_destroy(cpu);
}

static void run(const lmb_graph *graph) {
    float parameters[LMB_MAX_PARAMETERS];
    for (uint32_t i = 0; i < lmb_graph_get_info(graph)->parameter_count; i++) {
        const lmb_graph_parameter parameter = lmb_graph_parameter_at(graph, i);
        require(parameter.min <= parameter.initial && parameter.initial <= parameter.max, "a default outside");
        require(parameter.is_written || lmb_graph_find_parameter(graph, parameter.name) == i,
                "a name that is not found");
        parameters[i] = parameter.initial;
    }
    evaluate(graph, parameters);
    require_motion(graph, parameters);
    evaluate(graph, parameters);
}

// Writes a graph; returns the size of the text, or 0 if it has something that is not written.
static size_t write_graph(const lmb_graph_json *graph, char *text, size_t room) {
    size_t size = 0;
    lmb_error error;
    const lmb_result result = lmb_graph_json_write(lmb_graph_json_def(graph), NULL, text, room, &size, &error);
    require(result == LMB_OK || result == LMB_ERROR_UNSUPPORTED, "a graph that is refused");
    return size <= room ? size : 0;
}

// What is written is read, and written as the same text.
static void write_and_read(const lmb_graph_json *graph) {
    static char text[1 << 20], again[1 << 20];
    const lmb_graph_source source = {.text = text,
                                     .size = write_graph(graph, text, sizeof text),
                                     .rig = rig,
                                     .clips = (const lmb_clip *const *)clips,
                                     .clip_count = CLIPS};
    lmb_graph_json *copy = NULL;
    if (source.size > 0) {
        require(lmb_graph_json_read(&source, NULL, &copy, NULL, NULL) == LMB_OK, "a written text that is refused");
        require(write_graph(copy, again, sizeof again) == source.size && memcmp(text, again, source.size) == 0,
                "another text");
        lmb_graph_json_destroy(copy);
    }
}

// Every file that the text includes has the text itself.
static lmb_result read_included(void *user, const char *path, const char **text, size_t *size, lmb_error *error) {
    const lmb_graph_source *source = user;
    require(path[0] != '/' && strncmp(path, "../", 3) != 0, "a path that leads out of the folder");
    *text = source->text;
    *size = source->size;
    snprintf(error->message, sizeof error->message, "the last file");
    return path[0] == 'z' ? LMB_ERROR_FILE : LMB_OK;
}

static void read_aliases(const uint8_t *data, size_t size) {
    lmb_graph_aliases *aliases = NULL;
    lmb_error error;
    const lmb_result result = lmb_graph_aliases_read((const char *)data, size, NULL, NULL, &aliases, &error);
    require(result == LMB_OK || (result == LMB_ERROR_FORMAT && aliases == NULL), "an error that is none");
    lmb_graph_aliases_destroy(aliases);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static lmb_graph_problems problems;
    lmb_graph_source source = {.text = (const char *)data,
                               .size = size,
                               .name = "fuzz",
                               .rig = rig,
                               .clips = (const lmb_clip *const *)clips,
                               .clip_count = CLIPS,
                               .read_file = read_included};
    lmb_graph_json *graph = NULL;
    lmb_error error;
    source.read_file_user = &source;
    read_aliases(data, size);
    lmb_result result = lmb_graph_json_read(&source, NULL, &graph, &problems, &error);
    if (result != LMB_OK) {
        require(graph == NULL && error.result == result && result == LMB_ERROR_FORMAT, "an error that is none");
        const bool is_own = problems.list[0].file[0] == '\0';
        require(is_own ? strncmp(error.message, "fuzz: line ", 11) == 0 : strstr(error.message, ": line ") != NULL,
                "a message that does not name the place");
        require_problems(&problems, source.text, size);
        return 0;
    }
    lmb_graph *program = NULL;
    require(lmb_graph_create(lmb_graph_json_def(graph), NULL, &program, &error) == LMB_OK, "it does not compile");
    uint32_t lines = 0;
    lmb_graph_print(program, count_line, &lines);
    require(lines > 0, "nothing is printed");
    run(program);
    lmb_graph_destroy(program);
    write_and_read(graph);
    lmb_graph_json_destroy(graph);
    return 0;
}

// Words of the language, so that mutations stay close to it.
static const char *const words[] = {"\"op\":",
                                    "\"define\":",
                                    "\"use\":",
                                    "\"with\":{",
                                    "\"arguments\":{",
                                    "{\"argument\":",
                                    "\"include\":",
                                    "\"comment\":",
                                    "\"rest\"",
                                    "\"clip\"",
                                    "\"pose\"",
                                    "\"blend\"",
                                    "\"masked\"",
                                    "\"weighted\"",
                                    "\"make-additive\"",
                                    "\"additive\"",
                                    "\"a\":",
                                    "\"b\":",
                                    "\"weight\":",
                                    "\"curve\":",
                                    "\"uniform-s\"",
                                    "\"linear\"",
                                    "\"cubic-in-out\"",
                                    "{\"bezier\":[0,1]}",
                                    "{\"bezier\":[0.25,0.1,0.25,1]}",
                                    "{\"keys\":[[0,0],[1,1]]}",
                                    "{\"x\":1,\"y\":1,\"in\":[0,0],\"out\":[0,0],\"stepped\":true}",
                                    "\"of\":",
                                    "\"param\":",
                                    "\"default\":",
                                    "\"min\":",
                                    "\"max\":",
                                    "\"inputs\":",
                                    "\"base\":",
                                    "\"add\":",
                                    "\"reference\":",
                                    "\"time\":",
                                    "\"rate\":",
                                    "\"offset\":",
                                    "\"loop\":",
                                    "\"mask\":",
                                    "\"fade\":",
                                    "{\"in\":\"IN\"}",
                                    "\"out\":",
                                    "\"at-end\":",
                                    "\"after\":",
                                    "\"restart\":",
                                    "\"play\":true",
                                    "\"play\":",
                                    "\"group\":",
                                    "\"cadence\":",
                                    "\"duration\"",
                                    "\"velocity\":",
                                    "\"machine\"",
                                    "\"states\":",
                                    "\"name\":",
                                    "\"event\":",
                                    "\"to\":",
                                    "\"Walk\"",
                                    "\"Wave\"",
                                    "\"Head\":",
                                    "\"Hips\":",
                                    "true",
                                    "null",
                                    "1e13",
                                    "-1",
                                    "0.5",
                                    "256",
                                    "8",
                                    "{\"op\":\"rest\"}",
                                    "[",
                                    "]",
                                    "{",
                                    "}",
                                    ","};

// Replaces the text from a quote, a digit or a bracket up to the next such character by one of the words.
static size_t replace_word(uint8_t *text, size_t size, size_t max_size, unsigned int seed) {
    const char *word = words[seed % (sizeof words / sizeof words[0])];
    size_t length = strlen(word);
    size_t start = seed / 64 % size;
    while (start > 0 && strchr("\"{[,:", text[start]) == NULL) {
        start--;
    }
    size_t end = start + 1;
    while (end < size && strchr("\"}],:", text[end]) == NULL) {
        end++;
    }
    end += end < size && text[end] == '"' && text[start] == '"' ? 1 : 0;
    if (size - (end - start) + length > max_size) {
        return size;
    }
    memmove(text + start + length, text + end, size - end);
    memcpy(text + start, word, length);
    return size - (end - start) + length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    return size > 0 && seed % 3 == 0 ? replace_word(data, size, max_size, seed / 3)
                                     : LLVMFuzzerMutate(data, size, max_size);
}
