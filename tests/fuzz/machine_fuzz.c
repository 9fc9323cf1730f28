// Untrusted state machines as text: the reader reports all errors, each with its position, or gives a control that can
// be created and runs, and JSON that is the same graph.
#include "graph_fuzzing.h"
#include "packed.h"

#include <limber/machine.h>

#include <stdlib.h>
#include <string.h>

static lmb_rig *rig;
static lmb_clip *clips[2];

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    lmb_joint_def joint = lmb_default_joint_def();
    joint.name = "Hips";
    lmb_rig_create(&(lmb_rig_def){.joints = &joint, .joint_count = 1}, NULL, &rig, NULL);
    lmb_clip_create(rig, &(lmb_clip_def){.name = "a", .duration = 1.0f}, NULL, &clips[0], NULL);
    lmb_clip_create(rig, &(lmb_clip_def){.name = "b"}, NULL, &clips[1], NULL);
    require(clips[0] != NULL && clips[1] != NULL, "no clips");
    return 0;
}

static void require_json(const lmb_graph_source *source, const lmb_graph_json *graph) {
    lmb_graph_source written = *source;
    require(lmb_machine_json_write(source, NULL, NULL, 0, &written.size, NULL, NULL) == LMB_OK, "it is not written");
    char *json = malloc(written.size);
    require(json != NULL, "no memory");
    require(lmb_machine_json_write(source, NULL, json, written.size, &written.size, NULL, NULL) == LMB_OK,
            "it is not written again");
    written.text = json;
    lmb_graph_json *again = NULL;
    require(lmb_graph_json_read(&written, NULL, &again, NULL, NULL) == LMB_OK, "the JSON is not read");
    size_t sizes[2];
    void *packs[] = {packed_graph("graph", lmb_graph_json_def(graph), &sizes[0]), // all that its descriptor has
                     packed_graph("graph", lmb_graph_json_def(again), &sizes[1])};
    require(packs[0] != NULL && packs[1] != NULL, "it is not packed");
    require(sizes[0] == sizes[1] && memcmp(packs[0], packs[1], sizes[0]) == 0, "the JSON is another graph");
    free(packs[0]);
    free(packs[1]);
    lmb_graph_json_destroy(again);
    free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static lmb_graph_problems problems;
    const lmb_graph_source source = {.text = (const char *)data,
                                     .size = size,
                                     .name = "fuzz",
                                     .rig = rig,
                                     .clips = (const lmb_clip *const *)clips,
                                     .clip_count = 2};
    lmb_graph_json *graph = NULL;
    lmb_error error;
    lmb_result result = lmb_machine_read(&source, NULL, NULL, &graph, &problems, &error);
    if (result != LMB_OK) {
        require(graph == NULL && error.result == result && result == LMB_ERROR_FORMAT, "an error that is none");
        require(strncmp(error.message, "fuzz: line ", 11) == 0, "a message that does not name the place");
        require_problems(&problems, source.text, size);
        size_t written;
        require(lmb_machine_json_write(&source, NULL, NULL, 0, &written, NULL, NULL) == result, "it is written");
        return 0;
    }
    for (uint32_t i = 0; i < lmb_graph_json_warning_count(graph); i++) {
        require(lmb_graph_json_warning_at(graph, i)->line > 0, "a warning without a place");
    }
    static float parameters[LMB_MAX_PARAMETERS];
    lmb_graph *created = NULL;
    require(lmb_graph_create(lmb_graph_json_def(graph), NULL, &created, &error) == LMB_OK, "it is not created");
    require(lmb_graph_get_info(created)->machine_count == 1, "no machine");
    require_motion(created, parameters);
    lmb_graph_destroy(created);
    require_json(&source, graph);
    lmb_graph_json_destroy(graph);
    return 0;
}
