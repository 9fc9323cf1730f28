// What is not a regular file is refused at once by every function that reads or writes a file, with the reason.
#define _POSIX_C_SOURCE 200809L
#include "folder.h"
#include "suite.h"

#include <character_file.h>
#include <file.h>
#include <reader.h>
#include <trace.h>

#include <limber/graph_json.h>
#include <limber/import.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef _WIN32
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#endif

static char folder[FOLDER_PATH];
static lmb_import *hips;

static const char *path_of(const char *name) {
    static char path[FOLDER_PATH + 100];
    snprintf(path, sizeof path, "%s%s%s", name[0] == '/' ? "" : folder, name[0] == '/' ? "" : "/", name);
    return path;
}

// ---- The functions that read a file.

static lmb_result import(const char *path, lmb_error *error) {
    lmb_import *result = NULL;
    const lmb_result code = lmb_import_file(path, NULL, &result, error);
    assert_null(result);
    return code;
}

static lmb_result import_trusted(const char *path, lmb_error *error) {
    lmb_import *result = NULL;
    const char *const paths[] = {path};
    const lmb_import_def def = {.paths = paths, .path_count = 1, .trusted = true};
    return lmb_import_create(&def, NULL, &result, error);
}

static lmb_result create_graph(const char *path, lmb_error *error) {
    lmb_graph *graph = NULL;
    return lmb_graph_create_from_file(path, hips, NULL, &graph, error);
}

static lmb_result read_text(const char *path, lmb_error *error) {
    char *bytes = NULL;
    size_t size = 0;
    const lmb_result result = file_read(path, FILE_LARGEST_TEXT, &bytes, &size, error);
    assert_null(bytes);
    return result;
}

// A file may have as many bytes as a reader takes, and no more.
static void as_large_as_allowed(void **state) {
    (void)state;
    static const char text[100000] = {1};
    static const size_t sizes[] = {1, 65536, 65537, 99999, 100000};
    lmb_error error;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char *bytes = NULL;
        size_t size = 0;
        assert_int_equal(file_write(path_of("large"), text, sizes[i], &error), LMB_OK);
        assert_int_equal(file_read(path_of("large"), sizes[i], &bytes, &size, &error), LMB_OK);
        assert_int_equal(size, sizes[i]);
        free(bytes);
        assert_int_equal(file_read(path_of("large"), sizes[i] - 1, &bytes, &size, &error), LMB_ERROR_LIMIT);
        assert_null(bytes);
    }
}

static lmb_result open_character(const char *path, lmb_error *error) {
    character_file character;
    const lmb_import_def def = {.paths = &path, .path_count = 1};
    const lmb_result result = character_file_open(&def, &character, error);
    character_file_close(&character);
    return result;
}

static lmb_result read_character(const char *path, lmb_error *error) {
    lmb_import *result = NULL;
    const lmb_import_def def = {.paths = &path, .path_count = 1};
    return reader_import(&def, &result, error);
}

static lmb_result write_bytes(const char *path, lmb_error *error) {
    return file_write(path, "12", 2, error);
}

static lmb_result write_trace(const char *path, lmb_error *error) {
    trace trace;
    const lmb_result result = trace_open(path, &trace, error);
    return result == LMB_OK ? trace_close(&trace, error) : result;
}

typedef lmb_result file_function(const char *path, lmb_error *error);

static void expect_refused(file_function *function, const char *name, const char *why) {
    lmb_error error = {0};
    const char *path = path_of(name);
    assert_int_equal(function(path, &error), LMB_ERROR_FILE);
    if (strncmp(error.message, path, strlen(path)) != 0 || strstr(error.message, why) == NULL) {
        fail_msg("%s: '%s' does not say '%s'", path, error.message, why);
    }
}

static void what_is_no_file_is_not_read(void **state) {
    (void)state;
    static file_function *const functions[] = {import,    import_trusted, create_graph,
                                               read_text, open_character, read_character};
    static const struct {
        const char *name, *why;
    } rows[] = {
        {"folder", "it is a folder"},
        {"none", "No such file"},
#ifndef _WIN32
        {"pipe", "it is a pipe, not a file"},
        {"socket", "it is a socket, not a file"},
        {"dangling", "it is a link to a file that does not exist"},
        {"to_pipe", "it is a pipe, not a file"},
        {"to_itself", "symbolic links"},
        {"/dev/zero", "it is a device, not a file"},
        {"/dev/null", "it is a device, not a file"},
#endif
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
            expect_refused(functions[k], rows[i].name, rows[i].why);
        }
    }
}

static void outputs_do_not_wait(void **state) {
    (void)state;
    static file_function *const functions[] = {write_bytes, write_trace};
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
        expect_refused(functions[k], "folder", "it is a folder");
        expect_refused(functions[k], "none/none", "No such file");
#ifndef _WIN32
        expect_refused(functions[k], "pipe", "it is a pipe that nothing reads");
        expect_refused(functions[k], "socket", "it is a socket, not a file");
#endif
    }
}

// Files, also behind a link, devices, and pipes that something reads.
static void outputs_are_written(void **state) {
    (void)state;
    lmb_error error = {0};
    static const char *const names[] = {
        "file",
#ifndef _WIN32
        "to_file",
        "to_file",
#endif
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(file_write(path_of(names[i]), "123", i == 0 ? 3 : 2, &error), LMB_OK);
        char *bytes;
        size_t size;
        assert_int_equal(file_read(path_of("file"), FILE_LARGEST_TEXT, &bytes, &size, &error), LMB_OK);
        assert_int_equal(size, i == 0 ? 3 : 2);
        free(bytes);
    }
#ifndef _WIN32
    assert_int_equal(write_bytes("/dev/null", &error), LMB_OK);
    const int reader = open(path_of("pipe"), O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(write_bytes(path_of("pipe"), &error), LMB_OK);
    char got[3] = "";
    assert_int_equal(read(reader, got, sizeof got), 2);
    assert_string_equal(got, "12");
    close(reader);
#endif
}

#ifndef _WIN32
static void make_special_files(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int length = snprintf(address.sun_path, sizeof address.sun_path, "%s", path_of("socket"));
    assert_in_range(length, 1, sizeof address.sun_path - 1);
    const int end = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(end, (const struct sockaddr *)&address, sizeof address), 0);
    close(end);
    assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
    static const char *const links[][2] = {
        {"none", "dangling"}, {"pipe", "to_pipe"}, {"file", "to_file"}, {"to_itself", "to_itself"}};
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        assert_int_equal(symlink(links[i][0], path_of(links[i][1])), 0);
    }
    alarm(60); // a function that waits for the other end of a pipe fails the test
}
#endif

static int enter(void **state) {
    (void)state;
    static const char text[] = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"Hips\"}]}";
    if (!folder_create_temporary(folder) || !folder_create(path_of("folder")) ||
        lmb_import_memory(text, strlen(text), NULL, NULL, NULL, &hips, NULL) != LMB_OK) {
        return 1;
    }
#ifndef _WIN32
    make_special_files();
#endif
    return 0;
}

static int leave(void **state) {
    (void)state;
    static const char *const names[] = {"pipe",    "socket",    "dangling", "to_pipe",
                                        "to_file", "to_itself", "file",     "large"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)remove(path_of(names[i]));
    }
    lmb_import_destroy(hips);
    return folder_remove(path_of("folder")) && folder_remove(folder) ? 0 : 1;
}

int main(int argc, char **argv) {
    reader_serve(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_large_as_allowed),
        cmocka_unit_test(what_is_no_file_is_not_read),
        cmocka_unit_test(outputs_do_not_wait),
        cmocka_unit_test(outputs_are_written),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
