// The glTF files of tests/corpus/files against poses in float64, which tests/corpus/expected.py computes from the
// specification. Each NAME.expected has times of clips, and the matrices of the file's nodes in model space.
#include "suite.h"

#include <limber/cpu.h>
#include <limber/import.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOINTS = 256 };

typedef struct pose {
    const lmb_import *import;
    uint32_t clip;
    float models[12 * MOST_JOINTS];
    uint32_t joint_count;
} pose;

static void sample(pose *pose, float time) {
    const lmb_clip *clip = lmb_import_get_content(pose->import)->clips[pose->clip];
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_constant(time);
    const lmb_graph_def def = {.rig = lmb_import_get_content(pose->import)->rig,
                               .clips = &clip,
                               .clip_count = 1,
                               .nodes = &node,
                               .node_count = 1};
    lmb_graph *graph = NULL;
    lmb_cpu *cpu = NULL;
    pose->joint_count = lmb_rig_get_def(def.rig)->joint_count;
    assert_in_range(pose->joint_count, 1, MOST_JOINTS);
    assert_non_null(clip);
    assert_int_equal(lmb_graph_create(&def, NULL, &graph, NULL), LMB_OK);
    assert_int_equal(lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    const lmb_batch_def batch = {graph, 1, LMB_OUTPUT_MODEL_BIT};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_MODEL] = pose->models}};
    assert_int_equal(lmb_cpu_run(cpu, &batch, &(lmb_batch_inputs){0}, &outputs, NULL), LMB_OK);
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(graph);
}

// Compares the matrix of a node, if it is a joint. Returns whether it is.
static bool compare_node(const pose *pose, const char *name, float time, const char *line) {
    char *at;
    const uint32_t node = (uint32_t)strtoul(line, &at, 10),
                   joint = lmb_import_get_content(pose->import)->node_joints[node];
    if (joint == LMB_NONE) {
        return false;
    }
    for (uint32_t i = 0; i < 12; i++) {
        const double expected = strtod(at, &at), found = (double)pose->models[joint * 12 + i];
        if (!(fabs(found - expected) <= 2e-6 * fmax(1.0, fabs(expected)))) {
            fail_msg("%s, clip %u, %.9g s, node %u: entry %u is %.9g, not %.9g", name, pose->clip, (double)time, node,
                     i, found, expected);
        }
    }
    return true;
}

// Returns the number of matrices compared.
static uint32_t compare_file(const char *name) {
    char path[512], line[1024];
    const int length = (int)(strrchr(name, '.') - name);
    snprintf(path, sizeof path, "%s/%.*s.gltf", LIMBER_CORPUS "/files", length, name);
    lmb_import *import = NULL;
    lmb_error error;
    if (lmb_import_file(path, NULL, &import, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    snprintf(path, sizeof path, "%s/%s", LIMBER_CORPUS "/files", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    static pose pose;
    pose.import = import;
    uint32_t compared = 0;
    float time = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "clip ", 5) == 0) {
            pose.clip = (uint32_t)strtoul(line + 5, NULL, 10);
        } else if (strncmp(line, "time ", 5) == 0) {
            time = strtof(line + 5, NULL);
            sample(&pose, time);
        } else if (strncmp(line, "node ", 5) == 0) {
            compared += compare_node(&pose, name, time, line + 5);
        }
    }
    fclose(file);
    lmb_import_destroy(import);
    return compared;
}

static void files_have_the_poses_of_the_specification(void **state) {
    (void)state;
    uint32_t files = 0;
    DIR *folder = opendir(LIMBER_CORPUS "/files");
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const char *end = strrchr(entry->d_name, '.');
        if (end != NULL && strcmp(end, ".expected") == 0) {
            files++;
            if (compare_file(entry->d_name) == 0) {
                fail_msg("%s: nothing was compared", entry->d_name);
            }
        }
    }
    closedir(folder);
    assert_in_range(files, 10, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_have_the_poses_of_the_specification)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
