// The hash with which limber-hello compares a device's palettes is that of the reference's palettes.
#include "suite.h"

#include <limber/cpu.h>

int hello_main(int argc, char **argv);
#define HELLO_FOLDER LIMBER_SAMPLES
#define main hello_main
#include "../../samples/hello.c"
#undef main

static void the_hash_of_hello_is_that_of_the_reference(void **state) {
    (void)state;
    create_graph(HELLO_FOLDER "/hello.gltf", HELLO_FOLDER "/hello.json");
    const lmb_batch_def on_cpu = {
        .graph = graph, .character_count = CHARACTER_COUNT, .outputs = LMB_OUTPUT_PALETTE_BIT};
    const uint32_t floats = CHARACTER_COUNT * lmb_batch_output_floats(&on_cpu, LMB_OUTPUT_PALETTE);
    float *parameters = calloc(CHARACTER_COUNT * lmb_graph_get_info(graph)->parameter_count, sizeof *parameters);
    uint32_t *bits = calloc(floats, sizeof *bits);
    fill_parameters(parameters);
    lmb_cpu *cpu = NULL;
    assert_int_equal(lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    const lmb_batch_inputs inputs = {.parameters = parameters};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_PALETTE] = (float *)bits};
    assert_int_equal(lmb_cpu_run(cpu, &on_cpu, &inputs, &outputs, NULL), LMB_OK);
    const uint64_t hash = lmb_hash_words(bits, floats);
    if (hash != PALETTE_HASH) {
        fail_msg("0x%016llx instead of 0x%016llx", (unsigned long long)hash, (unsigned long long)PALETTE_HASH);
    }
    lmb_cpu_destroy(cpu);
    free(bits);
    free(parameters);
    lmb_graph_destroy(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_of_hello_is_that_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
