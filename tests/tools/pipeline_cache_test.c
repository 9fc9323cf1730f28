// The file of compiled pipelines: reading gives what was written, and no other data reaches a driver.
#define _POSIX_C_SOURCE 200809L
#include "folder.h"
#include "suite.h"

#include <pipeline_cache.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

enum { BYTES = 300 };

static char path[PIPELINE_CACHE_PATH];
static VkPhysicalDeviceProperties properties;
static unsigned char data[BYTES];

// A driver's data: its header, then arbitrary bytes.
static void fill_data(const VkPhysicalDeviceProperties *of) {
    VkPipelineCacheHeaderVersionOne head = {.headerSize = sizeof head,
                                            .headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
                                            .vendorID = of->vendorID,
                                            .deviceID = of->deviceID};
    memcpy(head.pipelineCacheUUID, of->pipelineCacheUUID, VK_UUID_SIZE);
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (unsigned char)(i * 7);
    }
    memcpy(data, &head, sizeof head);
}

static void set_cache_folder(const char *folder) {
#ifdef _WIN32
    _putenv_s("LIMBER_CACHE_DIR", folder);
#else
    setenv("LIMBER_CACHE_DIR", folder, 1);
#endif
}

static int start(void **state) {
    (void)state;
    char folder[FOLDER_PATH], nested[FOLDER_PATH + 8];
    if (!folder_create_temporary(folder)) {
        return -1;
    }
    snprintf(nested, sizeof nested, "%s/a/b", folder);
    set_cache_folder(nested);
    properties = (VkPhysicalDeviceProperties){.vendorID = 0x10de, .deviceID = 0x2330};
    memcpy(properties.pipelineCacheUUID, "0123456789abcdef", VK_UUID_SIZE);
    assert_true(pipeline_cache_path(&properties, path));
    assert_memory_equal(path, nested, strlen(nested));
    fill_data(&properties);
    return 0;
}

static int finish(void **state) {
    (void)state;
    (void)remove(path);
    for (int i = 0; i < 3; i++) { // b, a, and the folder itself
        *strrchr(path, '/') = '\0';
        (void)folder_remove(path);
    }
    return 0;
}

static void expect_ignored(const VkPhysicalDeviceProperties *by, const char *why) {
    size_t size = 1;
    char problem[200];
    assert_null(pipeline_cache_read(path, by, &size, problem));
    assert_int_equal(size, 0);
    if (strstr(problem, why) == NULL) {
        fail_msg("'%s', where '%s' was expected", problem, why);
    }
}

static void what_is_written_is_read(void **state) {
    (void)state;
    expect_ignored(&properties, ""); // there is no file yet
    assert_true(pipeline_cache_write(path, data, sizeof data));
    size_t size;
    char problem[200];
    void *read = pipeline_cache_read(path, &properties, &size, problem);
    assert_non_null(read);
    assert_string_equal(problem, "");
    assert_int_equal(size, sizeof data);
    assert_memory_equal(read, data, sizeof data);
    free(read);
}

static void another_drivers_file_is_ignored(void **state) {
    (void)state;
    assert_true(pipeline_cache_write(path, data, sizeof data));
    for (int i = 0; i < 3; i++) {
        VkPhysicalDeviceProperties other = properties;
        other.vendorID += i == 0;
        other.deviceID += i == 1;
        other.pipelineCacheUUID[15] ^= i == 2 ? 1 : 0;
        expect_ignored(&other, "another driver's");
        char others[PIPELINE_CACHE_PATH];
        assert_true(pipeline_cache_path(&other, others));
        assert_string_not_equal(others, path);
    }
}

// Damages every byte, and truncates to every length.
static void damaged_files_are_ignored(void **state) {
    (void)state;
    assert_true(pipeline_cache_write(path, data, sizeof data));
    unsigned char whole[BYTES + 100];
    FILE *file = fopen(path, "rb");
    const size_t size = fread(whole, 1, sizeof whole, file);
    fclose(file);
    assert_in_range(size, sizeof data + 1, sizeof whole - 2);
    for (size_t i = 0; i <= 2 * size + 1; i++) {
        const size_t kept = i < size ? size : i - size;
        whole[i < size ? i : size] ^= 0x20;
        file = fopen(path, "wb");
        fwrite(whole, 1, kept, file);
        fclose(file);
        whole[i < size ? i : size] ^= 0x20;
        if (kept != size || i < size) {
            expect_ignored(&properties, "damaged");
        }
    }
}

static void a_folder_that_cannot_be_made_is_no_crash(void **state) {
    (void)state;
    assert_true(pipeline_cache_write(path, data, sizeof data));
    char below[PIPELINE_CACHE_PATH + 8];
    snprintf(below, sizeof below, "%s/x/y", path); // a path component is a file
    assert_false(pipeline_cache_write(below, data, sizeof data));
#ifndef _WIN32 // where no variable is empty
    char kept[PIPELINE_CACHE_PATH];
    snprintf(kept, sizeof kept, "%s", getenv("LIMBER_CACHE_DIR"));
    char none[PIPELINE_CACHE_PATH];
    set_cache_folder("");
    assert_false(pipeline_cache_path(&properties, none));
    set_cache_folder(kept);
#endif
}

#ifndef _WIN32
static void write_victim(const char *name) {
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite("victim", 1, 6, file), 6);
    assert_int_equal(fclose(file), 0);
}

static void expect_victim(const char *name) {
    char text[10] = "";
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text, file), 6);
    fclose(file);
    assert_string_equal(text, "victim");
}

// Others may have put links where the file, or the file of this process that becomes it, is written.
static void links_are_not_followed(void **state) {
    (void)state;
    assert_true(pipeline_cache_write(path, data, sizeof data));
    char victim[PIPELINE_CACHE_PATH + 8], own[PIPELINE_CACHE_PATH + 32];
    snprintf(victim, sizeof victim, "%s.victim", path);
    snprintf(own, sizeof own, "%s.%ld", path, (long)getpid());
    write_victim(victim);
    (void)remove(path);
    assert_int_equal(symlink(victim, path), 0);
    assert_int_equal(symlink(victim, own), 0);
    assert_true(pipeline_cache_write(path, data, sizeof data));
    expect_victim(victim);
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(status.st_mode & 077, 0);
    assert_int_equal(lstat(own, &status), -1);
    (void)remove(victim);
}

static void a_pipe_is_no_cache(void **state) {
    (void)state;
    char own[PIPELINE_CACHE_PATH + 32];
    snprintf(own, sizeof own, "%s.%ld", path, (long)getpid());
    (void)remove(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(mkfifo(own, 0600), 0);
    alarm(60);
    expect_ignored(&properties, "");
    assert_true(pipeline_cache_write(path, data, sizeof data));
    size_t size;
    char problem[200];
    void *read = pipeline_cache_read(path, &properties, &size, problem);
    assert_non_null(read);
    free(read);
    alarm(0);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),   cmocka_unit_test(another_drivers_file_is_ignored),
        cmocka_unit_test(damaged_files_are_ignored), cmocka_unit_test(a_folder_that_cannot_be_made_is_no_crash),
#ifndef _WIN32
        cmocka_unit_test(links_are_not_followed),    cmocka_unit_test(a_pipe_is_no_cache),
#endif
    };
    return cmocka_run_group_tests(tests, start, finish);
}
