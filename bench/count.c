// limber-count PATH WORKLOAD CLIPS [compressed]: runs one frame of a small crowd on one path of the CPU, for a tool
// that counts instructions while lmb_cpu_run_poses() and lmb_skin_run() run (bench/count.sh). Prints the number of
// joints computed and the compiler. With `control` as the path, it runs only the workload's control for the frames of a
// second; instructions are counted while movement_run() runs, and it prints the number of characters moved.
#include "movement.h"
#include "terminal.h"

#include <limber/cpu.h>

#include <stdlib.h>
#include <string.h>

enum { CHARACTERS = 64, JOINTS = 67, CONTROL_FRAMES = 60 };

static int fail(const char *where, const char *message) {
    terminal_error("limber-count: %s: %s\n", where, message);
    return 1;
}

static void print_count(uint32_t count, const char *what) {
#ifdef __clang__
    terminal_print("%u %s, Clang %d\n", (unsigned)count, what, __clang_major__);
#else
    terminal_print("%u %s, GCC %d\n", (unsigned)count, what, __GNUC__);
#endif
}

static float parameters[CHARACTERS * WORKLOAD_MOST_PARAMETERS];

static int run_control(const workload *workload, bool counts) {
    movement movement = {0};
    lmb_error error = {.result = LMB_ERROR_ARGUMENT, .message = "the workload has none"};
    lmb_result result = LMB_ERROR_ARGUMENT;
    if (workload_advances(workload)) {
        result = movement_create(workload, CHARACTERS, parameters, &movement, &error);
    }
    for (uint32_t frame = 0; frame < CONTROL_FRAMES && result == LMB_OK; frame++) {
        movement_begin_frame(&movement, frame);
        workload_fill(workload, CHARACTERS, frame, parameters);
        result = movement_run(&movement, frame, parameters, &error);
    }
    movement_destroy(&movement);
    if (result != LMB_OK) {
        return fail("control", error.message);
    }
    if (counts) {
        print_count(CHARACTERS * CONTROL_FRAMES, "characters");
    }
    return 0;
}

static int run(lmb_cpu_path path, const workload *workload) {
    lmb_cpu *cpu = NULL;
    workload_memory memory = {0};
    workload_outputs outputs = {0};
    lmb_error error;
    lmb_result result = lmb_cpu_create(workload->graph, path, NULL, &cpu, &error);
    if (result == LMB_OK) {
        result = workload_memory_create(workload, CHARACTERS, &memory, &error);
    }
    if (result == LMB_OK) {
        result = workload_outputs_create(workload, CHARACTERS, &outputs, &error);
    }
    if (result == LMB_OK) {
        workload_fill(workload, CHARACTERS, 0, parameters);
        if (workload_advances(workload) && run_control(workload, false) != 0) {
            return 1;
        }
        result = workload_run(workload, cpu, CHARACTERS, parameters, &memory, &outputs, &error);
    }
    workload_memory_destroy(&memory);
    workload_outputs_destroy(&outputs);
    lmb_cpu_destroy(cpu);
    if (result != LMB_OK) {
        return fail(lmb_cpu_path_name(path), error.message);
    }
    print_count(CHARACTERS * JOINTS, "joints");
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
    int path = 0, kind, clips;
    bool compressed = argument_count == 5 && strcmp(arguments[4], "compressed") == 0;
    bool control = argument_count > 1 && strcmp(arguments[1], "control") == 0;
    if ((argument_count != 4 && !compressed) ||
        (!control && !find(arguments[1], path_name, LMB_CPU_PATH_COUNT, &path)) ||
        !find(arguments[2], workload_name, WORKLOAD_KIND_COUNT, &kind) ||
        !find(arguments[3], clips_name, ACTOR_KIND_COUNT, &clips)) {
        terminal_error("usage: limber-count PATH|control WORKLOAD CLIPS [compressed]\n");
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
        status = control ? run_control(&workload, true) : run((lmb_cpu_path)path, &workload);
    }
    workload_destroy(&workload);
    actor_destroy(&actor);
    return status;
}
