#include "kept_paths.h"

#include "flushing.h"
#include "random.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOINTS = 16 };

void kept_paths_start(kept_paths *paths, const lmb_graph *graph, uint32_t characters) {
    lmb_error error = {0};
    *paths = (kept_paths){.batch = {graph, characters, LMB_OUTPUT_LOCAL_BIT},
                          .words = lmb_graph_get_info(graph)->inertia_words};
    for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
        if (path != LMB_CPU_FAST && lmb_cpu_has((lmb_cpu_path)path)) {
            assert_int_equal(lmb_cpu_create(graph, (lmb_cpu_path)path, NULL, &paths->cpu[path], &error), LMB_OK);
            paths->memory[path] = calloc((size_t)characters * paths->words + 1, sizeof(uint32_t));
            assert_non_null(paths->memory[path]);
        }
    }
}

void kept_paths_end(kept_paths *paths) {
    for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
        lmb_cpu_destroy(paths->cpu[path]);
        free(paths->memory[path]);
    }
}

size_t kept_paths_bytes(const kept_paths *paths) {
    return (size_t)paths->batch.character_count * paths->words * sizeof(uint32_t);
}

void kept_paths_set(kept_paths *paths, const uint32_t *memory) {
    for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
        if (paths->cpu[path] != NULL) {
            memcpy(paths->memory[path], memory, kept_paths_bytes(paths));
        }
    }
}

void kept_paths_run(kept_paths *paths, int path, const lmb_batch_inputs *inputs, uint32_t *memory, float *poses) {
    const lmb_batch_outputs outputs = {
        .buffers[LMB_OUTPUT_LOCAL] = poses, .refused = paths->refused, .inertia = memory};
    assert_int_equal(lmb_cpu_run(paths->cpu[path], &paths->batch, inputs, &outputs, NULL), LMB_OK);
}

void kept_paths_run_all(kept_paths *paths, const lmb_batch_inputs *inputs, float *poses) {
    const size_t count = (size_t)paths->batch.character_count * lmb_graph_get_info(paths->batch.graph)->joint_count *
                         LMB_POSE_COMPONENTS;
    float *others = malloc(count * sizeof *others);
    uint32_t *flushed = malloc(kept_paths_bytes(paths) + 1);
    assert_true(others != NULL && flushed != NULL);
    memcpy(flushed, paths->memory[LMB_CPU_REFERENCE], kept_paths_bytes(paths));
    flushing_set(true);
    kept_paths_run(paths, LMB_CPU_REFERENCE, inputs, flushed, others);
    flushing_set(false);
    kept_paths_run(paths, LMB_CPU_REFERENCE, inputs, paths->memory[LMB_CPU_REFERENCE], poses);
    assert_memory_equal(others, poses, count * sizeof *others);
    assert_memory_equal(flushed, paths->memory[LMB_CPU_REFERENCE], kept_paths_bytes(paths));
    for (int path = LMB_CPU_FAST + 1; path < LMB_CPU_PATH_COUNT; path++) {
        if (paths->cpu[path] != NULL) {
            kept_paths_run(paths, path, inputs, paths->memory[path], others);
            assert_memory_equal(others, poses, count * sizeof *others);
            assert_memory_equal(paths->memory[path], paths->memory[LMB_CPU_REFERENCE], kept_paths_bytes(paths));
        }
    }
    free(others);
    free(flushed);
    for (size_t i = 0; i < count; i++) {
        assert_true(isfinite(poses[i]));
    }
}

lmb_rig *kept_rig_create(const uint32_t *parents, uint32_t count) {
    lmb_joint_def joints[MOST_JOINTS];
    assert_true(count <= MOST_JOINTS);
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = parents[i];
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = count};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

double kept_time(uint32_t character, uint32_t characters, uint32_t frame) {
    const double rate = 20.0 + 280.0 * character / characters;
    random_source source = random_branch(6, character * 10000 + frame);
    const double jitter = character % 3 == 0 ? random_between(&source, -0.4, 0.4) : 0.0;
    return (frame + 1.0 + jitter) / rate + 0.25;
}

void kept_models(const lmb_rig *rig, const float *pose, oracle_affine *models) {
    const uint32_t joints = lmb_rig_get_def(rig)->joint_count;
    oracle_transform locals[MOST_JOINTS];
    for (uint32_t joint = 0; joint < joints; joint++) {
        lmb_transform local;
        for (uint32_t i = 0; i < 3; i++) {
            local.translation[i] = pose[i * joints + joint];
            local.scale[i] = pose[(7 + i) * joints + joint];
        }
        for (uint32_t i = 0; i < 4; i++) {
            local.rotation[i] = pose[(3 + i) * joints + joint];
        }
        locals[joint] = oracle_transform_from_float(&local);
    }
    oracle_model(rig, locals, models, NULL);
}
