// Tests that work grows in proportion to the input. Every case runs with a count and with twice that count; growth.sh
// counts the instructions of measured() in each run and compares them.
#include "tools/capture_file.h"
#include "tools/play_script.h"

#include <limber/import.h>
#include <limber/machine.h>
#include <limber/mirror.h>
#include <limber/pack.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "growth: %s\n", what);
        exit(1);
    }
}

typedef struct text {
    char *bytes;
    size_t size;
    size_t capacity;
} text;

static void append(text *text, const char *format, ...) {
    if (text->capacity - text->size < 512) {
        text->capacity = text->capacity * 2 + 4096;
        text->bytes = realloc(text->bytes, text->capacity);
        require(text->bytes != NULL, "no memory");
    }
    va_list arguments;
    va_start(arguments, format);
    text->size += (size_t)vsnprintf(text->bytes + text->size, text->capacity - text->size, format, arguments);
    va_end(arguments);
}

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    require(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, "a file that cannot be written");
}

// The input that a case prepares before the measurement.
typedef struct input {
    text text;
    text second;
    lmb_rig *rig;
    lmb_clip *clip;
    uint32_t *partners;
    uint32_t count;
} input;

static void make_rig(input *input, uint32_t count, uint32_t channels) {
    lmb_joint_def *joints = calloc(count, sizeof *joints);
    lmb_channel_def *floats = calloc(channels + 1, sizeof *floats);
    char(*names)[16] = calloc(count + channels, sizeof *names);
    input->partners = calloc(count + channels, sizeof *input->partners);
    require(joints != NULL && floats != NULL && names != NULL && input->partners != NULL, "no memory");
    for (uint32_t i = 0; i < count + channels; i++) {
        snprintf(names[i], sizeof names[i], "%s%u", i % 2 == 0 ? "left" : "right", i / 2u);
    }
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
    }
    for (uint32_t i = 0; i < channels; i++) {
        floats[i].name = names[count + i];
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = count, .channels = floats, .channel_count = channels};
    require(lmb_rig_create(&def, NULL, &input->rig, NULL) == LMB_OK, "no rig");
    require(lmb_clip_create(input->rig, &(lmb_clip_def){.name = "Walk", .duration = 1.0f}, NULL, &input->clip, NULL) ==
                LMB_OK,
            "no clip");
    free(joints);
    free(floats);
    free(names);
}

// Accessor 0 has two key times, accessor 1 has two translations.
static void append_accessors(text *text) {
    append(text, "\"buffers\":[{\"byteLength\":8,\"uri\":\"data:;base64,AAAAAAAAgD8=\"}],"
                 "\"bufferViews\":[{\"buffer\":0,\"byteLength\":8}],"
                 "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},"
                 "{\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"}]");
}

static void append_nodes(text *text, const char *name, uint32_t count) {
    append(text, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
    for (uint32_t i = 0; i < count; i++) {
        append(text, "%s{\"name\":\"%s%u\"}", i == 0 ? "" : ",", name, (unsigned)i);
    }
    append(text, "],");
}

// Animations with one channel each, for a different node each.
// The targets are node 0, or one node each.
static void append_animations(text *text, uint32_t count, bool of_one) {
    append(text, "\"animations\":[");
    for (uint32_t i = 0; i < count; i++) {
        append(text,
               "%s{\"samplers\":[{\"input\":0,\"output\":1}],\"channels\":[{\"sampler\":0,\"target\":"
               "{\"node\":%u,\"path\":\"translation\"}}]}",
               i == 0 ? "" : ",", of_one ? 0u : (unsigned)i);
    }
    append(text, "],");
}

// A skin of one joint, so that the other nodes are not in a rig.
static void append_skin(input *input, uint32_t count, bool of_one) {
    append_nodes(&input->text, "n", count);
    append(&input->text, "\"skins\":[{\"joints\":[0]}],");
    append_animations(&input->text, count, of_one);
    append_accessors(&input->text);
    append(&input->text, "}");
}

static void make_animations(input *input, uint32_t count) {
    append_skin(input, count, true); // what moves is in the rig, and each clip has all its joints
}

static void import_text(input *input) {
    lmb_import *import = NULL;
    lmb_error error = {0};
    lmb_import_memory(input->text.bytes, input->text.size, "growth.gltf", NULL, NULL, &import, &error);
    require(import != NULL, error.message);
    lmb_import_destroy(import);
}

static void make_second(input *input, uint32_t count) {
    append_nodes(&input->second, "n", 1);
    append_accessors(&input->second);
    append(&input->second, "}");
    append_skin(input, count, false);
    write_file("growth_first.gltf", input->second.bytes, input->second.size);
    write_file("growth_second.gltf", input->text.bytes, input->text.size);
}

static void import_second(input *input) {
    (void)input;
    const char *const paths[] = {"growth_first.gltf", "growth_second.gltf"};
    lmb_import *import = NULL;
    lmb_error error = {0};
    lmb_import_files(paths, 2, NULL, &import, &error);
    require(import != NULL, error.message);
    lmb_import_destroy(import);
}

// One animation with a channel for each node of the rig.
static void make_channels(input *input, uint32_t count) {
    append_nodes(&input->text, "n", count);
    append(&input->text, "\"animations\":[{\"samplers\":[{\"input\":0,\"output\":1}],\"channels\":[");
    for (uint32_t i = 0; i < count; i++) {
        append(&input->text, "%s{\"sampler\":0,\"target\":{\"node\":%u,\"path\":\"translation\"}}", i == 0 ? "" : ",",
               (unsigned)i);
    }
    append(&input->text, "]}],");
    append_accessors(&input->text);
    append(&input->text, "}");
}

// Both files contain these names, the second in reverse order.
static void make_names(input *input, uint32_t count) {
    append(&input->second, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
    for (uint32_t i = 0; i < count; i++) {
        append(&input->second, "%s{\"name\":\"n%u\"}", i == 0 ? "" : ",", (unsigned)(count - 1 - i));
    }
    append(&input->second, "],");
    append_accessors(&input->second);
    append(&input->second, "}");
    make_channels(input, count);
    write_file("growth_first.gltf", input->second.bytes, input->second.size);
    write_file("growth_second.gltf", input->text.bytes, input->text.size);
}

// Nodes that share a mesh without primitives but with many other members.
static void make_meshes(input *input, uint32_t count) {
    append(&input->text, "{\"asset\":{\"version\":\"2.0\"},\"meshes\":[{\"extras\":{");
    for (uint32_t i = 0; i < count; i++) {
        append(&input->text, "%s\"e%u\":0", i == 0 ? "" : ",", (unsigned)i);
    }
    append(&input->text, "},\"primitives\":[{\"mode\":0,\"attributes\":{},\"targets\":[{}]}]}],\"nodes\":[");
    for (uint32_t i = 0; i < count; i++) {
        append(&input->text, "%s{\"mesh\":0}", i == 0 ? "" : ",");
    }
    append(&input->text, "]}");
}

// All buffers name the same file.
static void make_buffers(input *input, uint32_t count) {
    uint8_t *bytes = calloc(count, 8);
    require(bytes != NULL, "no memory");
    write_file("growth.bin", bytes, (size_t)count * 8);
    free(bytes);
    append(&input->text, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"buffers\":[");
    for (uint32_t i = 0; i < count; i++) {
        append(&input->text, "%s{\"byteLength\":8,\"uri\":\"growth.bin\"}", i == 0 ? "" : ",");
    }
    append(&input->text, "]}");
    write_file("growth_first.gltf", input->text.bytes, input->text.size);
}

static void import_file(input *input) {
    (void)input;
    lmb_import *import = NULL;
    lmb_error error = {0};
    lmb_import_file("growth_first.gltf", NULL, &import, &error);
    require(import != NULL, error.message);
    lmb_import_destroy(import);
}

static void make_joints(input *input, uint32_t count) {
    make_rig(input, count, 0);
}

static void find_mirror(input *input) {
    require(lmb_rig_find_mirror(input->rig, NULL, input->partners, NULL) == LMB_OK, "no partners");
    require(input->partners[2] == 3, "the wrong partner");
}

static void make_float_channels(input *input, uint32_t count) {
    make_rig(input, 1, count + 1);
}

static void find_mirror_channels(input *input) {
    lmb_rig_find_mirror_channels(input->rig, NULL, input->partners);
    require(input->partners[1] == 2, "the wrong partner");
}

// A weighted blend of weighted blends of fifteen clips, each with its own parameter.
static void make_graph(input *input, uint32_t count) {
    make_rig(input, 64, 0);
    append(&input->text, "{\"op\":\"weighted\",\"inputs\":[");
    for (uint32_t i = 0; i < count; i++) {
        append(&input->text, "%s{\"pose\":{\"op\":\"clip\",\"clip\":\"Walk\"},\"weight\":{\"param\":\"p%u\"}}%s",
               i == 0        ? "{\"pose\":{\"op\":\"weighted\",\"inputs\":["
               : i % 15 == 0 ? ",{\"pose\":{\"op\":\"weighted\",\"inputs\":["
                             : ",",
               (unsigned)i, i % 15 == 14 || i + 1 == count ? "]}}" : "");
    }
    append(&input->text, "]}");
}

static lmb_graph_source source_of(const input *input) {
    return (lmb_graph_source){.text = input->text.bytes,
                              .size = input->text.size,
                              .name = "growth",
                              .rig = input->rig,
                              .clips = (const lmb_clip *const *)&input->clip,
                              .clip_count = 1};
}

static void read_graph(input *input) {
    const lmb_graph_source source = source_of(input);
    lmb_graph_json *graph = NULL;
    lmb_error error = {0};
    lmb_graph_json_read(&source, NULL, &graph, NULL, &error);
    require(graph != NULL, error.message);
    lmb_graph_json_destroy(graph);
}

static void make_machine(input *input, uint32_t count) {
    make_rig(input, 64, 0);
    for (uint32_t i = 0; i < count; i++) {
        if (i % (count / 16) == 0) {
            append(&input->text, "%ss%u = Walk {", i == 0 ? "" : "}\n", (unsigned)(i / (count / 16)));
        }
        append(&input->text, " E%u s%u", (unsigned)i, (unsigned)((i * 7 + 1) % 16));
    }
    append(&input->text, " }\n");
}

static void read_machine(input *input) {
    const lmb_graph_source source = source_of(input);
    lmb_graph_json *graph = NULL;
    lmb_error error = {0};
    lmb_machine_read(&source, NULL, NULL, &graph, NULL, &error);
    require(graph != NULL, error.message);
    lmb_graph_json_destroy(graph);
}

static void make_script(input *input, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        append(&input->text, "%u send EVENT%u %u # a comment\n", (unsigned)i, (unsigned)i, (unsigned)i);
    }
}

static void read_script(input *input) {
    play_script script;
    require(play_script_read(input->text.bytes, input->text.size, &script, NULL) == LMB_OK, "no script");
    play_script_release(&script);
}

static void make_capture(input *input, uint32_t count) {
    make_rig(input, 4, 0);
    float *parameters = calloc(count, 4 * sizeof *parameters);
    require(parameters != NULL, "no memory");
    const lmb_node_def node = lmb_clip_node(0, lmb_constant(0.0f));
    lmb_graph_def graph = lmb_default_graph_def();
    graph.rig = input->rig;
    graph.clips = (const lmb_clip *const *)&input->clip;
    graph.clip_count = 1;
    graph.nodes = &node;
    graph.node_count = 1;
    const capture capture = {.character_count = count,
                             .device = "reference",
                             .graph = &graph,
                             .parameters = parameters,
                             .parameter_count = (size_t)count * 4};
    require(capture_write(&capture, "growth.capture", NULL) == LMB_OK, "no capture");
    free(parameters);
    FILE *file = fopen("growth.capture", "rb");
    require(file != NULL, "no file");
    input->text.bytes = malloc((size_t)count * 16 + (1 << 20));
    require(input->text.bytes != NULL, "no memory");
    input->text.size = fread(input->text.bytes, 1, (size_t)count * 16 + (1 << 20), file);
    fclose(file);
}

static void read_capture(input *input) {
    capture read;
    lmb_error error = {0};
    capture_read(input->text.bytes, input->text.size, &read, &error);
    require(error.message[0] == '\0', error.message);
    capture_release(&read);
}

// Graphs of one node, whose long names differ in their last characters.
static void make_pack(input *input, uint32_t count) {
    enum { NAME = 128 };
    make_rig(input, 1, 0);
    const lmb_node_def node = lmb_default_node_def();
    lmb_graph_def graph = lmb_default_graph_def();
    graph.rig = input->rig;
    graph.nodes = &node;
    graph.node_count = 1;
    lmb_pack_graph *graphs = calloc(count, sizeof *graphs);
    char(*names)[NAME] = calloc(count, sizeof *names);
    require(graphs != NULL && names != NULL, "no memory");
    for (uint32_t i = 0; i < count; i++) {
        memset(names[i], 'n', NAME - 12);
        snprintf(names[i] + NAME - 12, 12, "%u", i * 7919u % count);
        graphs[i] = (lmb_pack_graph){names[i], &graph};
    }
    const lmb_pack_def def = {.rig = input->rig, .graphs = graphs, .graph_count = count};
    require(lmb_pack_write(&def, NULL, NULL, 0, &input->text.size, NULL) == LMB_OK, "no pack");
    input->text.bytes = malloc(input->text.size);
    require(input->text.bytes != NULL &&
                lmb_pack_write(&def, NULL, input->text.bytes, input->text.size, &input->text.size, NULL) == LMB_OK,
            "no pack");
    free(graphs);
    free(names);
}

static void open_pack(input *input) {
    lmb_pack *pack = NULL;
    lmb_error error = {0};
    lmb_pack_open(input->text.bytes, input->text.size, NULL, &pack, &error);
    require(pack != NULL, error.message);
    lmb_pack_close(pack);
}

// Splines that linear keys can replace.
static void make_splines(input *input, uint32_t count) {
    make_rig(input, 2, 0);
    float *times = calloc(count, sizeof *times), *values = calloc(count, 9 * sizeof *values);
    require(times != NULL && values != NULL, "no memory");
    for (uint32_t i = 0; i < count; i++) {
        times[i] = (float)i / 32.0f;
        values[9 * i + 3] = (float)(i % 7) / 7.0f;
        values[9 * i + 4] = (float)(i % 3) / 3.0f;
    }
    const lmb_track_def track = {1, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_CUBIC_SPLINE, count, times, values};
    lmb_clip_destroy(input->clip);
    require(lmb_clip_create(input->rig, &(lmb_clip_def){.tracks = &track, .track_count = 1}, NULL, &input->clip,
                            NULL) == LMB_OK,
            "no clip");
    free(times);
    free(values);
}

static void compress_splines(input *input) {
    const lmb_clip_compression settings = {.error = 0.2f, .shell_distance = 0.1f};
    lmb_clip_compression_report report;
    lmb_clip *clip = NULL;
    require(lmb_clip_compress(input->rig, input->clip, &settings, NULL, &clip, &report, NULL) == LMB_OK, "no clip");
    require(report.packed_count == 1, "no packed track");
    lmb_clip_destroy(clip);
}

typedef struct growth_case {
    const char *name;
    void (*make)(input *input, uint32_t count);
    void (*run)(input *input);
    uint32_t count;
} growth_case;

void measured(const growth_case *tested, input *input);

// growth.sh counts the instructions of this function.
__attribute__((noinline)) void measured(const growth_case *tested, input *input) {
    tested->run(input);
}

static void run(const growth_case *tested, uint32_t count) {
    input input = {.count = count};
    tested->make(&input, count);
    measured(tested, &input);
    free(input.text.bytes);
    free(input.second.bytes);
    free(input.partners);
    lmb_clip_destroy(input.clip);
    lmb_rig_destroy(input.rig);
}

int main(int argc, char **argv) {
    static const growth_case cases[] = {
        {"animations and nodes of a glTF file", make_animations, import_text, 300},
        {"animations and nodes of a second glTF file", make_second, import_second, 300},
        {"channels of a glTF animation", make_channels, import_text, 400},
        {"nodes of a second glTF file with the rig's names", make_names, import_second, 400},
        {"nodes of a glTF file with one mesh", make_meshes, import_text, 400},
        {"buffers of a glTF file with one URI", make_buffers, import_file, 1000},
        {"joints with mirror partners", make_joints, find_mirror, 1000},
        {"float channels with mirror partners", make_float_channels, find_mirror_channels, 1000},
        {"nodes of a graph", make_graph, read_graph, 90},
        {"transitions of a machine", make_machine, read_machine, 128},
        {"lines of a script", make_script, read_script, 1000},
        {"keys of splines that are compressed", make_splines, compress_splines, 100},
        {"graphs of a pack", make_pack, open_pack, 1000},
        {"characters of a capture", make_capture, read_capture, 20000},
    };
    // An optional multiple of the counts, to observe the growth by wall-clock time.
    uint32_t multiple = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (argc > 2 && strstr(cases[i].name, argv[2]) == NULL) {
            continue;
        }
        printf("%s\n", cases[i].name);
        run(&cases[i], cases[i].count * multiple);
        run(&cases[i], cases[i].count * multiple * 2);
    }
    return 0;
}
