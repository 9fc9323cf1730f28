// limber-count PATH WORKLOAD CLIPS [compressed]: runs one frame of a small crowd on one path of the CPU, for a tool that
// counts instructions while lmb_cpu_run_range() runs; bench/count.sh is the tool. Prints how many joints were done, and
// by what the code was compiled.
#include "workload.h"

#include <limber/cpu.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHARACTERS = 64, JOINTS = 67 };

static int fail(const char *where, const char *message) {
    fprintf(stderr, "limber-count: %s: %s\n", where, message);
    return 1;
}

static int run(lmb_cpu_path path, const workload *workload) {
    static float palette[CHARACTERS * JOINTS * LMB_MATRIX_COMPONENTS],
        parameters[CHARACTERS * WORKLOAD_MOST_PARAMETERS];
    lmb_cpu *cpu = NULL;
    lmb_error error;
    if (lmb_cpu_create(workload->program, path, NULL, &cpu, &error) != LMB_OK) {
        return fail(lmb_cpu_path_name(path), error.message);
    }
    workload_fill(workload, CHARACTERS, 0, parameters);
    lmb_batch batch = {workload->program, CHARACTERS, LMB_OUTPUT_PALETTE};
    lmb_batch_inputs inputs = {.parameters = parameters};
    lmb_batch_outputs outputs = {.stages = {[LMB_STAGE_PALETTE] = palette}};
    lmb_result result = lmb_cpu_run_range(cpu, &batch, &inputs, &outputs, 0, CHARACTERS, &error);
    lmb_cpu_destroy(cpu);
    if (result != LMB_OK) {
        return fail(lmb_cpu_path_name(path), error.message);
    }
#ifdef __clang__
    printf("%u joints, Clang %d\n", CHARACTERS * JOINTS, __clang_major__);
#else
    printf("%u joints, GCC %d\n", CHARACTERS * JOINTS, __GNUC__);
#endif
    return 0;
}

static bool find(const char *name, const char *(*name_of)(int), int count, int *found) {
    for (*found = 0; *found < count; ++*found) {
        if (strcmp(name, name_of(*found)) == 0) {
            return true;
        }
    }
    return false;
}

static const char *path_name(int path) {
    return lmb_cpu_path_name((lmb_cpu_path)path);
}

static const char *workload_name(int kind) {
    return workload_kind_name((workload_kind)kind);
}

static const char *clips_name(int kind) {
    return actor_kind_name((actor_kind)kind);
}

int main(int argument_count, char **arguments) {
    int path, kind, clips;
    bool compressed = argument_count == 5 && strcmp(arguments[4], "compressed") == 0;
    if ((argument_count != 4 && !compressed) || !find(arguments[1], path_name, LMB_CPU_PATH_COUNT, &path) ||
        !find(arguments[2], workload_name, WORKLOAD_KIND_COUNT, &kind) ||
        !find(arguments[3], clips_name, ACTOR_KIND_COUNT, &clips)) {
        fprintf(stderr, "usage: limber-count PATH WORKLOAD CLIPS [compressed]\n");
        return 2;
    }
    actor actor;
    workload workload = {0};
    lmb_error error;
    int status = 1;
    if (actor_create((actor_kind)clips, JOINTS, compressed, &actor, &error) != LMB_OK ||
        workload_create((workload_kind)kind, &actor, &workload, &error) != LMB_OK) {
        status = fail(arguments[3], error.message);
    } else {
        status = run((lmb_cpu_path)path, &workload);
    }
    workload_destroy(&workload);
    actor_destroy(&actor);
    return status;
}
