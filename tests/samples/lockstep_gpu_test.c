// The sample samples/lockstep with a client on a device: it joins, rolls back, and has the bits of the server, which
// runs on the CPU. lockstep_test has one that goes wrong.
#include "command.h"
#include "gpu_suite.h"

static void a_device_has_the_bits_of_the_server(void **state) {
    (void)state;
    command_output output = command_run("\"%s\" --gpu 1 --squad 2 --frames 60", LIMBER_LOCKSTEP);
    if (output.status != 0 || strstr(output.out, "60 frames of 8 characters") == NULL ||
        strstr(output.out, " 0 differences\n") == NULL || strstr(output.out, "\n    device ") == NULL) {
        fail_msg("status %d: %s%s", output.status, output.out, output.err);
    }
    command_output_release(&output);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_has_the_bits_of_the_server),
    };
    return run_gpu_suite("lockstep_gpu_test", tests, sizeof tests / sizeof *tests);
}
