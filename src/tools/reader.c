// Files that need Assimp are read by a copy of this program with a special first argument. The child limits its memory,
// time and files, enters the sandbox, and writes a result code and then an import block or a message to a pipe. The
// parent reads with limits of its own, checks the block as it checks any file, and explains a child that died. So a
// file can at most make its child fail. Other systems than Linux refuse such files.
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "reader.h"

#include "sandbox.h"

#include "base/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The first argument of a child. The members bvh_unit, scale_error, skeleton_only and exact_scales of lmb_import_def
// follow as numbers, then the files.
#define CHILD_ARGUMENT "--read-for-parent"
#define ARGUMENTS_BEFORE_FILES 6u

// Address space of a child: this, and MEMORY_PER_BYTE for each byte of its files, which is what the library itself
// would allow.
#define BASE_MEMORY ((rlim_t)1 << 30)
#define MEMORY_PER_BYTE 64u
#define STACK ((rlim_t)8 << 20)
#define PROCESSOR_SECONDS 60u
#define WAITING_SECONDS 180 // for a child that sleeps

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static rlim_t memory_of(const char *const *paths, uint32_t count) {
    rlim_t memory = BASE_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        struct stat status;
        memory += stat(paths[i], &status) == 0 && status.st_size > 0 ? (rlim_t)status.st_size * MEMORY_PER_BYTE : 0;
    }
    return memory;
}

// ---- The child. It writes the result's word to stdout, then the message or the import block. ----

static void limit(int what, rlim_t most) {
    struct rlimit now;
    if (getrlimit(what, &now) != 0) {
        return;
    }
    now.rlim_cur = now.rlim_max == RLIM_INFINITY || most < now.rlim_max ? most : now.rlim_max;
    now.rlim_max = now.rlim_cur;
    setrlimit(what, &now);
}

static void limit_child(const char *const *paths, uint32_t count) {
    if (!SANITIZED) { // the address sanitizer reserves more than any machine has
        limit(RLIMIT_AS, memory_of(paths, count));
    }
    limit(RLIMIT_STACK, STACK);
    limit(RLIMIT_CPU, PROCESSOR_SECONDS);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0); // a pipe is not a file
}

// Ends this process with its parent. A parent that has died already does not read the pipe.
static void end_with_parent(void) {
    struct pollfd output = {.fd = STDOUT_FILENO};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (poll(&output, 1, 0) != 0) {
        _exit(1);
    }
}

static void hand_over(const void *bytes, size_t size) {
    const char *at = bytes;
    while (size > 0) {
        const ssize_t written = write(STDOUT_FILENO, at, size);
        if (written < 0 && errno != EINTR) {
            _exit(1);
        }
        at += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
}

static void serve(const lmb_import_def *def) {
    end_with_parent();
    limit_child(def->paths, def->path_count);
    (void)sandbox_enter(); // where there is none, the limits remain
    lmb_import *import = NULL;
    lmb_error error = {0};
    uint32_t result = (uint32_t)lmb_import_create(def, NULL, &import, &error);
    const size_t size = import == NULL ? 0 : lmb_import_write(import, NULL, 0);
    void *block = size == 0 ? NULL : malloc(size);
    if (import != NULL && block == NULL) {
        result = (uint32_t)lmb_fail(&error, LMB_ERROR_LIMIT, "%.200s: no memory is left for the import", def->paths[0]);
    }
    hand_over(&result, sizeof result);
    if (result == LMB_OK) {
        lmb_import_write(import, block, size);
        hand_over(block, size);
    } else {
        hand_over(error.message, strlen(error.message));
    }
    _exit(0); // the system releases what Assimp left behind
}

void reader_serve(int argc, char **argv) {
    if (argc > (int)ARGUMENTS_BEFORE_FILES && strcmp(argv[1], CHILD_ARGUMENT) == 0) {
        serve(&(lmb_import_def){.paths = (const char *const *)argv + ARGUMENTS_BEFORE_FILES,
                                .path_count = (uint32_t)argc - ARGUMENTS_BEFORE_FILES,
                                .trusted = true,
                                .bvh_unit = strtof(argv[2], NULL),
                                .scale_error = strtof(argv[3], NULL),
                                .skeleton_only = strcmp(argv[4], "1") == 0,
                                .exact_scales = strcmp(argv[5], "1") == 0});
    }
}

// ---- The parent ----

typedef struct reply {
    uint8_t *bytes;
    size_t size, capacity, most;
} reply;

// Returns false at the end of the data, or if no more fits.
static bool receive(int pipe, reply *reply) {
    if (reply->size > reply->most) {
        return false;
    }
    if (reply->size == reply->capacity) {
        const size_t capacity = reply->capacity == 0 ? 1 << 16 : 2 * reply->capacity;
        uint8_t *larger = realloc(reply->bytes, capacity);
        if (larger == NULL) {
            return false;
        }
        reply->bytes = larger;
        reply->capacity = capacity;
    }
    const ssize_t got = read(pipe, reply->bytes + reply->size, reply->capacity - reply->size);
    reply->size += got > 0 ? (size_t)got : 0;
    return got > 0 || (got < 0 && errno == EINTR);
}

// Returns false if it took too long.
static bool receive_all(int pipe, reply *reply) {
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    bool more = true;
    while (more) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        const time_t left = start.tv_sec + WAITING_SECONDS - now.tv_sec;
        struct pollfd wait = {.fd = pipe, .events = POLLIN};
        const int ready = left > 0 ? poll(&wait, 1, (int)left * 1000) : 0;
        if (ready == 0) {
            return false;
        }
        more = ready < 0 ? errno == EINTR : receive(pipe, reply);
    }
    return true;
}

static lmb_result start_child(const lmb_import_def *def, pid_t *child, int *from_child, lmb_error *error) {
    extern char **environ;
    int ends[2];
    char unit[32], scale_error[32];
    snprintf(unit, sizeof unit, "%.9g", (double)def->bvh_unit);
    snprintf(scale_error, sizeof scale_error, "%.9g", (double)def->scale_error);
    char **arguments = malloc((ARGUMENTS_BEFORE_FILES + def->path_count + (size_t)1) * sizeof *arguments);
    if (arguments == NULL || pipe2(ends, O_CLOEXEC) != 0) {
        free(arguments);
        return lmb_fail(error, LMB_ERROR_MEMORY, "%.200s: no process can be started", def->paths[0]);
    }
    arguments[0] = "limber-reader";
    arguments[1] = CHILD_ARGUMENT;
    arguments[2] = unit;
    arguments[3] = scale_error;
    arguments[4] = def->skeleton_only ? "1" : "0";
    arguments[5] = def->exact_scales ? "1" : "0";
    memcpy(arguments + ARGUMENTS_BEFORE_FILES, def->paths, def->path_count * sizeof *arguments);
    arguments[ARGUMENTS_BEFORE_FILES + def->path_count] = NULL;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int failed = posix_spawn(child, "/proc/self/exe", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(arguments);
    close(ends[1]);
    if (failed != 0) {
        close(ends[0]);
        return lmb_fail(error, LMB_ERROR_FILE, "%.200s: no process can be started: %s", def->paths[0],
                        strerror(failed));
    }
    *from_child = ends[0];
    return LMB_OK;
}

// Explains why a child did not return a complete result.
static lmb_result explain(const char *const *paths, uint32_t count, int status, bool in_time, lmb_error *error) {
    char which[300];
    snprintf(which, sizeof which, count > 1 ? "%.200s or one of %u more files" : "%.200s", paths[0], count - 1);
    if (!in_time) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "%s: its reader takes too long", which);
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "%s: its reader took more than %u s", which, PROCESSOR_SECONDS);
    }
    if (WIFSIGNALED(status)) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "%s: its reader failed: %s", which, strsignal(WTERMSIG(status)));
    }
    return lmb_fail(error, LMB_ERROR_FORMAT, "%s: its reader failed with status %d", which,
                    WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static lmb_result take_reply(const lmb_import_def *def, const reply *reply, lmb_import **import, lmb_error *error) {
    uint32_t result;
    memcpy(&result, reply->bytes, sizeof result);
    const uint8_t *rest = reply->bytes + sizeof result;
    const size_t size = reply->size - sizeof result;
    if (result == LMB_OK) {
        const lmb_import_def block = {
            .bytes = rest, .size = size, .name = def->paths[0], .splits = def->splits, .split_count = def->split_count};
        return lmb_import_create(&block, NULL, import, error);
    }
    // Even the result code is not trusted.
    return lmb_fail(error, result <= LMB_ERROR_UNTRUSTED ? (lmb_result)result : LMB_ERROR_FORMAT, "%.*s",
                    (int)(size < sizeof error->message ? size : sizeof error->message), (const char *)rest);
}

static lmb_result import_in_child(const lmb_import_def *def, lmb_import **import, lmb_error *error) {
    const char *const *paths = def->paths;
    const uint32_t count = def->path_count;
    pid_t child;
    int from_child = -1;
    if (start_child(def, &child, &from_child, error)) {
        return error->result;
    }
    reply reply = {.most = (size_t)memory_of(paths, count)};
    const bool in_time = receive_all(from_child, &reply);
    close(from_child);
    if (!in_time) {
        kill(child, SIGKILL);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    lmb_result result;
    if (!in_time || !WIFEXITED(status) || WEXITSTATUS(status) != 0 || reply.size < sizeof(uint32_t)) {
        result = explain(paths, count, status, in_time, error);
    } else {
        result = take_reply(def, &reply, import, error);
    }
    free(reply.bytes);
    return result;
}

#else

void reader_serve(int argc, char **argv) {
    (void)argc;
    (void)argv;
}

static lmb_result import_in_child(const lmb_import_def *def, lmb_import **import, lmb_error *error) {
    (void)import;
    return lmb_fail(error, LMB_ERROR_UNSUPPORTED,
                    "%.200s%s: FBX and Collada files are read on Linux alone, since they need a process with limits",
                    def->paths[0], def->path_count > 1 ? " and more" : "");
}

#endif

lmb_result reader_import(const lmb_import_def *def, lmb_import **import, lmb_error *error) {
    const lmb_result result = lmb_import_create(def, NULL, import, error);
    return result == LMB_ERROR_UNTRUSTED ? import_in_child(def, import, error) : result;
}
