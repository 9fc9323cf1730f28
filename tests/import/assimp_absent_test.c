// In a build without Assimp, the error names the build option that the file's format needs.
#include "suite.h"

#include <limber/import.h>
#include <string.h>

static void other_formats_name_the_option(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *name;
        const char *message;
    } rows[] = {{"Kaydara FBX Binary  ", "a", "a: FBX is read by a build with LIMBER_UFBX or LIMBER_ASSIMP alone"},
                {"; FBX 7.4.0 project file\n", "a", "a: FBX is read"},
                {"", "walk.FBX", "walk.FBX: FBX is read"},
                {"\xEF\xBB\xBF<?xml version=\"1.0\"?><COLLADA>", "a", "a: Collada is read"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lmb_import *import = NULL;
        lmb_error error = {0};
        assert_int_equal(
            lmb_import_memory(rows[i].text, strlen(rows[i].text), rows[i].name, NULL, NULL, &import, &error),
            LMB_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.message, rows[i].message));
        assert_null(import);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(other_formats_name_the_option)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
