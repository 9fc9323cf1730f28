// The file reader of the command and the viewer: a file that crashes Assimp ends a child process, and nothing else.
#if defined(READER_TEST_ATTEMPTS)
#define _GNU_SOURCE
#endif
#include "reader.h"
#include "sandbox.h"
#include "suite.h"

#include <stdio.h>

#if defined(READER_TEST_ATTEMPTS)
#include <assimp/cimport.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#endif

#define FBX "; FBX 7.4.0 project file\nFBXHeaderExtension: {\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n}\n"
#define COLLADA "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
#define SCENE_OF_A(content)                                                                                            \
    "<library_visual_scenes><visual_scene id=\"s\"><node id=\"a\">" content                                            \
    "</node></visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>"

#if defined(LMB_WITH_UFBX)
#define FBX_BY_UFBX true // Assimp reads Collada alone
#else
#define FBX_BY_UFBX false
#endif

static const char fbx_text[] = FBX "Objects: {\nModel: 1, \"Model::a\", \"LimbNode\" {\n}\n}\n"
                                   "Connections: {\nC: \"OO\",1,0\n}\n";

static FILE *create(const char *path) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    return file;
}

static void write_text(const char *path, const char *text) {
    FILE *file = create(path);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

static lmb_result read_files(const char *const *paths, uint32_t count, lmb_import **import, lmb_error *error) {
    *error = (lmb_error){0};
    return reader_import(&(lmb_import_def){.paths = paths, .path_count = count}, import, error);
}

static lmb_result read_file(const char *path, lmb_import **import, lmb_error *error) {
    return read_files(&path, 1, import, error);
}

// Expects a message that names the file, and that the next file can be read.
static void expect_refused(const char *path) {
    lmb_import *import = NULL;
    lmb_error error;
    const lmb_result result = read_file(path, &import, &error);
    if (result != LMB_ERROR_FORMAT && result != LMB_ERROR_LIMIT) {
        fail_msg("%s: %s, %s", path, lmb_result_name(result), error.message);
    }
    assert_null(import);
    assert_ptr_equal(strstr(error.message, path), error.message);
    assert_int_equal(error.result, result);
}

// Expects the same bits as when the file is trusted and read in the process.
static void expect_same_files(lmb_import_def def) {
    lmb_import *there = NULL, *here = NULL;
    lmb_error error;
    if (reader_import(&def, &there, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    def.trusted = true;
    assert_int_equal(lmb_import_create(&def, NULL, &here, &error), LMB_OK);
    const size_t size = lmb_import_write(here, NULL, 0);
    assert_int_equal(lmb_import_write(there, NULL, 0), size);
    char *blocks = malloc(2 * size);
    assert_non_null(blocks);
    lmb_import_write(here, blocks, size);
    lmb_import_write(there, blocks + size, size);
    assert_memory_equal(blocks, blocks + size, size);
    free(blocks);
    lmb_import_destroy(here);
    lmb_import_destroy(there);
}

static void expect_same(const char *path) {
    expect_same_files((lmb_import_def){.paths = &path, .path_count = 1});
}

// A BVH file beside one that Assimp reads, with a scale that is noise: the child gets the settings, too.
static void settings_come_over(void **state) {
    (void)state;
    write_text("reader_test_unit.dae", COLLADA SCENE_OF_A("<scale>1.00001 1 1</scale>"));
    write_text("reader_test_unit.bvh", "HIERARCHY ROOT a\n{ OFFSET 1 2 3 CHANNELS 1 Xposition }\n"
                                       "MOTION Frames: 2 Frame Time: 1 5 6\n");
    const char *const paths[] = {"reader_test_unit.dae", "reader_test_unit.bvh"};
    expect_same_files((lmb_import_def){.paths = paths, .path_count = 2, .bvh_unit = 0.3f});
    expect_same_files((lmb_import_def){.paths = paths, .path_count = 2, .exact_scales = true});
    expect_same_files((lmb_import_def){.paths = paths, .path_count = 2, .scale_error = 1e-9f});
}

static void good_files_come_over_by_the_bit(void **state) {
    (void)state;
    write_text("reader_test.fbx", fbx_text);
    expect_same("reader_test.fbx");
    FILE *asset = fopen(LIMBER_ASSETS "/pab/skeleton.fbx", "rb");
    if (asset != NULL) {
        fclose(asset);
        expect_same(LIMBER_ASSETS "/pab/skeleton.fbx");
    }
}

static void loops_are_survived(void **state) {
    (void)state;
    write_text("reader_test_self.fbx", FBX "Objects: {\nModel: 1, \"Model::a\", \"Null\" {\n}\n}\n"
                                           "Connections: {\nC: \"OO\",1,0\nC: \"OO\",1,1\n}\n");
    expect_refused("reader_test_self.fbx");
    write_text("reader_test_self.dae", COLLADA SCENE_OF_A("<instance_node url=\"#a\"/>"));
    expect_refused("reader_test_self.dae");
}

// Deeply nested files, which a scan of the text before Assimp could easily miss.
static void deep_nesting_is_survived(void **state) {
    (void)state;
    static const struct {
        const char *path, *opening, *repeated;
    } rows[] = {{"reader_test_deep.fbx", "; FBX 7.4.0 project file\n", "a: {\n"},
                {"reader_test_comment.fbx", "; FBX 7.4.0 project file\n;\r", "a: {\n"},
                {"reader_test_deep.dae", "<COLLADA>", "<node>"},
                {"reader_test_doctype.dae", "<!DOCTYPE x [<!-- \" -->]><COLLADA>", "<node>"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FILE *file = create(rows[i].path);
        fputs(rows[i].opening, file);
        for (uint32_t k = 0; k < 200000; k++) {
            fputs(rows[i].repeated, file);
        }
        fclose(file);
        expect_refused(rows[i].path);
    }
}

// Each node contains the next one twice.
static void doubling_nodes_take_no_more_than_their_share(void **state) {
    (void)state;
    if (SUITE_SANITIZED) {
        skip(); // there is no memory limit
    }
    enum { LEVELS = 40 };
    FILE *file = create("reader_test_bomb.dae");
    fputs(COLLADA "<library_nodes>", file);
    for (int i = 0; i < LEVELS; i++) {
        fprintf(file, "<node id=\"n%d\"><instance_node url=\"#n%d\"/><instance_node url=\"#n%d\"/></node>", i, i + 1,
                i + 1);
    }
    fprintf(file, "<node id=\"n%d\"/></library_nodes>" SCENE_OF_A("<instance_node url=\"#n0\"/>"), LEVELS);
    fclose(file);
    expect_refused("reader_test_bomb.dae");
    if (FBX_BY_UFBX) {
        return;
    }
    file = create("reader_test_parents.fbx");
    fputs(FBX "Objects: {\n", file);
    for (int i = 1; i <= LEVELS; i++) {
        fprintf(file, "Model: %d, \"Model::a%d\", \"Null\" {\n}\n", i, i);
    }
    fputs("}\nConnections: {\nC: \"OO\",1,0\n", file);
    for (int i = 1; i < LEVELS; i++) {
        fprintf(file, "C: \"OO\",%d,%d\nC: \"OO\",%d,%d\n", i + 1, i, i + 1, i);
    }
    fputs("}\n", file);
    fclose(file);
    expect_refused("reader_test_parents.fbx");
}

// An assertion in Assimp ends the child process.
static void times_without_bounds_are_survived(void **state) {
    (void)state;
    if (FBX_BY_UFBX) {
        skip();
    }
    write_text(
        "reader_test_times.fbx", FBX
        "Objects: {\nModel: 100, \"Model::Hips\", \"LimbNode\" {\nVersion: 232\n}\n"
        "AnimationStack: 200, \"AnimStack::Lift\", \"\" {\n}\nAnimationLayer: 201, \"AnimLayer::Base\", \"\" {\n}\n"
        "AnimationCurveNode: 202, \"AnimCurveNode::T\", \"\" {\nProperties70:  {\n"
        "P: \"d|X\", \"Number\", \"\", \"A\",0\nP: \"d|Y\", \"Number\", \"\", \"A\",0\nP: \"d|Z\", \"Number\", \"\", "
        "\"A\",0\n}\n}\n"
        "AnimationCurve: 203, \"AnimCurve::\", \"\" {\nDefault: 0\nKeyVer: 4008\n"
        "KeyTime: *2 {\na: -9223372036854775808,9223372036854775807\n}\nKeyValueFloat: *2 {\na: 0,1\n}\n"
        "KeyAttrFlags: *1 {\na: 24836\n}\nKeyAttrDataFloat: *4 {\na: 0,0,0,0\n}\nKeyAttrRefCount: *1 {\na: 2\n}\n}\n}\n"
        "Connections: {\nC: \"OO\",100,0\nC: \"OO\",201,200\nC: \"OO\",202,201\n"
        "C: \"OP\",202,100, \"Lcl Translation\"\nC: \"OP\",203,202, \"d|X\"\n}\n");
    expect_refused("reader_test_times.fbx");
}

static void failures_name_their_cause(void **state) {
    (void)state;
    lmb_import *import = NULL;
    lmb_error error;
    assert_int_equal(read_file("no_such_file.fbx", &import, &error), LMB_ERROR_FILE);
    write_text("reader_test_empty.fbx", "");
    assert_int_equal(read_file("reader_test_empty.fbx", &import, &error), LMB_ERROR_FORMAT);
    assert_string_equal(error.message, "reader_test_empty.fbx: is empty");
    // A second file that cannot be read, and a file that crashes the reader: the message names both, or one of several.
    write_text("reader_test.fbx", fbx_text);
    const char *const missing[] = {"reader_test.fbx", "no_such_file.fbx"};
    assert_int_equal(read_files(missing, 2, &import, &error), LMB_ERROR_FILE);
    assert_non_null(strstr(error.message, "no_such_file.fbx"));
    const char *const deadly[] = {"reader_test.fbx", "reader_test_self.fbx"};
    assert_int_equal(read_files(deadly, 2, &import, &error), LMB_ERROR_FORMAT);
    assert_null(import);
}

static void gltf_and_bvh_need_no_child(void **state) {
    (void)state;
    write_text("reader_test.gltf", "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}]}");
    lmb_import *import = NULL;
    lmb_error error;
    assert_int_equal(read_file("reader_test.gltf", &import, &error), LMB_OK);
    lmb_import_destroy(import);
    write_text("reader_test.bvh", "HIERARCHY ROOT a { }");
    assert_int_equal(read_file("reader_test.bvh", &import, &error), LMB_OK);
    lmb_import_destroy(import);
}

#if defined(READER_TEST_ATTEMPTS)

// ---- A reader that a file has taken over: text after this mark says what it attempts. ----

#define MARK "attempt: "

static void attempt_socket(void) {
    socket(AF_UNIX, SOCK_STREAM, 0);
}

static void attempt_program(void) {
    char *const arguments[] = {"true", NULL};
    execv("/bin/true", arguments);
}

static void attempt_process(void) {
    if (fork() == 0) {
        _exit(0);
    }
}

static void attempt_vfork(void) {
    syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static void attempt_file(void) {
    open("reader_test_made", O_WRONLY | O_CREAT, 0600);
}

static void attempt_writing(void) {
    open("reader_test_attempt.dae", O_RDWR);
}

static void attempt_removing(void) {
    unlink("reader_test_attempt.dae");
}

static void attempt_signal(void) {
    kill(getppid(), 0);
}

static void attempt_trace(void) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static void attempt_code(void) {
    mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void attempt_waiting(void) {
    for (volatile int i = 0;; i = !i) {
    }
}

// Files of the parent are not open here.
static void attempt_inherited(void) {
    if (fcntl(100, F_GETFD) < 0) {
        abort();
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} attempts[] = {
    {"socket", attempt_socket},     {"program", attempt_program}, {"process", attempt_process},
    {"vfork", attempt_vfork},       {"file", attempt_file},       {"writing", attempt_writing},
    {"removing", attempt_removing}, {"signal", attempt_signal},   {"trace", attempt_trace},
    {"code", attempt_code},         {"waiting", attempt_waiting}, {"inherited", attempt_inherited},
};

const struct aiScene *__real_aiImportFileFromMemoryWithProperties(const char *bytes, unsigned size, unsigned flags,
                                                                  const char *hint, const struct aiPropertyStore *of);
const struct aiScene *__wrap_aiImportFileFromMemoryWithProperties(const char *bytes, unsigned size, unsigned flags,
                                                                  const char *hint, const struct aiPropertyStore *of);

const struct aiScene *__wrap_aiImportFileFromMemoryWithProperties(const char *bytes, unsigned size, unsigned flags,
                                                                  const char *hint, const struct aiPropertyStore *of) {
    const size_t start = sizeof MARK - 1;
    for (size_t i = 0; size > start && memcmp(bytes, MARK, start) == 0 && i < sizeof attempts / sizeof attempts[0];
         i++) {
        const size_t length = strlen(attempts[i].name);
        if (size == start + length && memcmp(bytes + start, attempts[i].name, length) == 0) {
            attempts[i].run();
        }
    }
    return __real_aiImportFileFromMemoryWithProperties(bytes, size, flags, hint, of);
}

// Writes the file for an attempt and returns its name.
static const char *attempt(const char *name) {
    char text[100];
    snprintf(text, sizeof text, MARK "%s", name);
    write_text("reader_test_attempt.dae", text);
    return "reader_test_attempt.dae";
}

static void expect_message(const char *path, const char *message) {
    lmb_import *import = NULL;
    lmb_error error;
    assert_int_equal(read_file(path, &import, &error), LMB_ERROR_FORMAT);
    char expected[200];
    snprintf(expected, sizeof expected, "%s: its reader failed: %s", path, message);
    assert_string_equal(error.message, expected);
}

static bool has_sandbox(void) {
    const pid_t child = fork();
    if (child == 0) {
        _exit(sandbox_enter() ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void a_reader_can_only_read(void **state) {
    (void)state;
    if (!has_sandbox()) {
        skip();
    }
    static const char *const names[] = {"socket",  "program",  "process", "vfork", "file",
                                        "writing", "removing", "signal",  "trace", "code"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        expect_message(attempt(names[i]), "Bad system call");
    }
    assert_int_equal(access("reader_test_made", F_OK), -1);
    const int kept = open("/dev/null", O_RDONLY);
    assert_int_equal(dup2(kept, 100), 100);
    expect_message(attempt("inherited"), "Aborted");
    close(100);
    close(kept);
}

// Returns the only child of a process, or 0.
static pid_t child_of(pid_t parent) {
    char path[64];
    long child = 0;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)parent, (long)parent);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        child = fscanf(file, "%ld", &child) == 1 ? child : 0;
        fclose(file);
    }
    return (pid_t)child;
}

static void pause_a_moment(void) {
    nanosleep(&(const struct timespec){.tv_nsec = 5000000}, NULL);
}

// The test takes over the reader of a parent that was killed, and sees it end.
static void a_reader_ends_with_its_parent(void **state) {
    (void)state;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    const char *path = attempt("waiting");
    const pid_t parent = fork();
    if (parent == 0) {
        lmb_import *import;
        lmb_error error;
        read_file(path, &import, &error);
        _exit(0);
    }
    pid_t reader = 0;
    for (int i = 0; reader == 0 && i < 2000; i++) {
        pause_a_moment();
        reader = child_of(parent);
    }
    assert_true(reader > 0);
    pause_a_moment();
    assert_int_equal(kill(parent, SIGKILL), 0);
    int status = 0;
    assert_int_equal(waitpid(parent, &status, 0), parent);
    pid_t ended = 0;
    for (int i = 0; ended == 0 && i < 2000; i++) {
        pause_a_moment();
        ended = waitpid(reader, &status, WNOHANG);
    }
    if (ended != reader) {
        kill(reader, SIGKILL);
        fail_msg("the reader lives on");
    }
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

// Starts a reader as a parent does, whose parent has died by then: nothing reads its output.
static void a_reader_without_a_parent_does_not_begin(void **state) {
    (void)state;
    const char *path = attempt("waiting");
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl("/proc/self/exe", "limber-reader", "--read-for-parent", "0", "0", "0", "0", path, (char *)NULL);
        _exit(2);
    }
    close(ends[1]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
}

#endif

int main(int argc, char **argv) {
    reader_serve(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files_come_over_by_the_bit),
        cmocka_unit_test(settings_come_over),
        cmocka_unit_test(loops_are_survived),
        cmocka_unit_test(deep_nesting_is_survived),
        cmocka_unit_test(doubling_nodes_take_no_more_than_their_share),
        cmocka_unit_test(times_without_bounds_are_survived),
        cmocka_unit_test(failures_name_their_cause),
        cmocka_unit_test(gltf_and_bvh_need_no_child),
#if defined(READER_TEST_ATTEMPTS)
        cmocka_unit_test(a_reader_can_only_read),
        cmocka_unit_test(a_reader_ends_with_its_parent),
        cmocka_unit_test(a_reader_without_a_parent_does_not_begin),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
