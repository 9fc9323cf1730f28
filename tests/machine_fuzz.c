// A state machine's text from outside: whatever it says, reading it either tells what is wrong, each mistake with its
// place, or gives a control that is created and runs.
#include <limber/machine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lmb_rig *rig;
static lmb_clip *clips[2];

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "machine_fuzz: %s\n", what);
        abort();
    }
}

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

static void check_problems(const lmb_graph_problems *problems, const char *text, size_t size) {
    uint32_t listed = problems->count < LMB_MAX_GRAPH_PROBLEMS ? problems->count : LMB_MAX_GRAPH_PROBLEMS;
    uint32_t lines = 1;
    for (size_t i = 0; i < size; i++) {
        lines += text[i] == '\n';
    }
    require(listed > 0, "a failure without a problem");
    for (uint32_t i = 0; i < listed; i++) {
        const lmb_graph_problem *problem = &problems->list[i];
        require(memchr(problem->path, '\0', sizeof problem->path) != NULL, "a path without an end");
        require(memchr(problem->message, '\0', sizeof problem->message) != NULL, "a message without an end");
        require(problem->message[0] != '\0', "a problem without a message");
        require(problem->line > 0 && problem->line <= lines && problem->column > 0, "a place outside the text");
    }
}

// Frames in which every event is sent.
static void run(const lmb_graph *graph) {
    const lmb_control_def *def = lmb_graph_control_def(graph);
    lmb_control *control = NULL;
    lmb_error error;
    require(def != NULL && def->machine_count == 1, "no machine");
    require(lmb_control_create(def, NULL, &control, &error) == LMB_OK, "no control");
    static float parameters[LMB_MAX_PARAMETERS];
    uint32_t *state = calloc(lmb_control_state_words(control), sizeof *state);
    require(state != NULL, "no memory");
    for (uint32_t number = 0; number < 8; number++) {
        const lmb_event event = {0, number};
        const lmb_control_frame frame = {.step = (uint64_t)number * 123456789,
                                         .number = number,
                                         .character_count = 1,
                                         .state = state,
                                         .parameters = parameters,
                                         .events = &event,
                                         .event_count = number < lmb_graph_event_count(graph) ? 1 : 0};
        require(lmb_control_run(control, &frame, 0, 1, &error) == LMB_OK, "the control does not run");
        require(lmb_control_check_states(control, state, 1, &error) == LMB_OK, "a state that is refused");
        uint32_t current = lmb_control_current_state(control, state, 0);
        require(current < def->machines[0].state_count, "no such state");
        require(lmb_graph_state_name(graph, 0, current)[0] != '\0', "a state without a name");
    }
    free(state);
    lmb_control_destroy(control);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static lmb_graph_problems problems;
    const lmb_graph_source source = {.text = (const char *)data,
                                     .size = size,
                                     .name = "fuzz",
                                     .rig = rig,
                                     .clips = (const lmb_clip *const *)clips,
                                     .clip_count = 2};
    lmb_graph *graph = NULL;
    lmb_error error;
    lmb_result result = lmb_machine_read(&source, NULL, NULL, &graph, &problems, &error);
    if (result != LMB_OK) {
        require(graph == NULL && error.result == result && result == LMB_ERROR_FORMAT, "an error that is none");
        require(strncmp(error.message, "fuzz: line ", 11) == 0, "a message that does not name the place");
        check_problems(&problems, source.text, size);
        return 0;
    }
    for (uint32_t i = 0; i < lmb_graph_warning_count(graph); i++) {
        require(lmb_graph_warning_at(graph, i)->line > 0, "a warning without a place");
    }
    run(graph);
    lmb_graph_destroy(graph);
    return 0;
}
