// The sample samples/lockstep with a client on a device: it joins, rolls back, and has the bits of the server, which
// runs on the CPU. It is the game of lockstep_everywhere.sh. lockstep_test has a client that goes wrong.
#include "command.h"
#include "gpu_suite.h"

static void a_device_has_the_bits_of_the_server(void **state) {
    (void)state;
    command_output output =
        command_run("\"%s\" --gpu 1 --squad 2 --frames 300 --seed 3 --loss 10 --max-delay 5", LIMBER_LOCKSTEP);
    if (output.status != 0 || strstr(output.out, "300 frames of 8 characters") == NULL ||
        strstr(output.out, " hash adde709c46faba7e\n") == NULL || strstr(output.out, " 0 differences\n") == NULL ||
        strstr(output.out, "\n    device ") == NULL) {
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
