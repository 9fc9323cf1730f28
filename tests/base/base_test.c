// Results, error messages, memory hooks, and memory hooks that fail.
#include "suite.h"

#include <limber/base.h>
#include <string.h>

static void every_result_has_its_name(void **state) {
    (void)state;
    assert_string_equal(lmb_result_name(LMB_OK), "LMB_OK");
    for (int result = LMB_OK; result <= LMB_ERROR_UNTRUSTED; result++) {
        assert_int_equal(strncmp(lmb_result_name((lmb_result)result), "LMB_", 4), 0);
    }
    assert_string_equal(lmb_result_name((lmb_result)1000), "unknown lmb_result");
}

static void the_library_has_the_version_of_its_headers(void **state) {
    (void)state;
    assert_int_equal(lmb_version(), LMB_VERSION);
    assert_true(LMB_MAKE_VERSION(1, 0, 0) > LMB_MAKE_VERSION(0, 999, 999));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_result_has_its_name),
                                       cmocka_unit_test(the_library_has_the_version_of_its_headers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
