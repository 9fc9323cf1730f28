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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_result_has_its_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
