// Random controls on a device against the CPU: states, emitted events, parameters and motion after every frame.
#include "gpu_suite.h"

#include "control/control.h"
#include "control_random.h"
#include "gpu/control.h"
#include "gpu/gpu.h"
#include "gpu/push.h"
#include "program/program.h"
#include "program_loop.h"

// Max words of a block, of a character's state, and of its emitted events; max weights that a program computes per
// character.
enum { MOST_WORDS = 1 << 16, MOST_STATE_WORDS = 512, MOST_EMITTED_WORDS = 96, MOST_WEIGHTS = LMB_MAX_CONTROL_WEIGHTS };
// The first controls have kernels of their own, as on devices that are not processors. If cases are quick, only one
// has, and none on lavapipe, which takes longest to compile it. The others share kernels.
enum { OWN_KERNELS = 8, MOST_KERNELS = OWN_KERNELS + 16 };

static device opened;
static lmb_gpu *gpu;
static VkPipeline match;  // of searches
static uint32_t searches; // dispatches of it

// The kernels: each is created when it is first needed. At most one is shared for each kind of character motion or, if
// cases are quick, for each kind of rotation.
static struct {
    lmb_kernel_constants constants;
    VkPipeline pipeline;
} kernels[MOST_KERNELS];
static uint32_t kernel_count;

// The buffers that frames of a control read and write.
typedef enum buffer {
    BLOCK,
    PROGRAM,
    WEIGHTS,
    STATE,
    STATES,
    PARAMETERS,
    REACHED,
    SENT,
    EMITTED,
    CHARACTER_MOTIONS,
    BUFFERS
} buffer;
static device_buffer buffers[BUFFERS];

static void create_buffer(buffer which, size_t words) {
    lmb_error error;
    assert_ok(device_buffer_create(&opened, words * sizeof(uint32_t),
                                   VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                                       VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                   true, &buffers[which], &error),
              &error);
}

static bool is_lavapipe(void) {
    return strstr(opened.properties.deviceName, "llvmpipe") != NULL;
}

static VkPipeline pipeline_of(const lmb_graph *control) {
    const bool quick = suite_is_quick();
    const uint32_t own = !quick ? OWN_KERNELS : is_lavapipe() ? 0 : 1;
    const bool shared = kernel_count >= own;
    lmb_kernel_constants constants = lmb_gpu_control_constants(control->control, shared);
    constants.motion = constants.motion || (quick && shared);
    constants.warps = constants.warps || (quick && shared);
    uint32_t i = 0;
    while (i < kernel_count && memcmp(&kernels[i].constants, &constants, sizeof constants) != 0) {
        i++;
    }
    if (i == kernel_count) {
        assert_true(kernel_count < MOST_KERNELS);
        lmb_error error;
        assert_ok(lmb_gpu_control_pipeline_create(gpu, constants, &kernels[i].pipeline, &error), &error);
        kernels[kernel_count++].constants = constants;
    }
    return kernels[i].pipeline;
}

static int start(void **state) {
    (void)state;
    open_device(&opened);
    lmb_error error = {0};
    const lmb_gpu_def def = device_gpu_def(&opened);
    assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
    const size_t rows = CONTROL_RANDOM_CHARACTERS * CONTROL_RANDOM_FRAMES;
    create_buffer(BLOCK, MOST_WORDS);
    create_buffer(PROGRAM, MOST_WORDS);
    create_buffer(WEIGHTS, (size_t)CONTROL_RANDOM_CHARACTERS * MOST_WEIGHTS);
    create_buffer(STATE, 2 * (size_t)CONTROL_RANDOM_CHARACTERS * MOST_STATE_WORDS); // and copies
    create_buffer(STATES, rows * MOST_STATE_WORDS);
    create_buffer(PARAMETERS, rows * CONTROL_RANDOM_PARAMETERS);
    create_buffer(REACHED, rows * CONTROL_RANDOM_REACHED);
    create_buffer(SENT, (size_t)CONTROL_RANDOM_FRAMES * CONTROL_RANDOM_EVENTS * 2);
    create_buffer(EMITTED, rows * MOST_EMITTED_WORDS);
    create_buffer(CHARACTER_MOTIONS, rows * (LMB_FULL_MOTION_FLOATS + LMB_MATRIX_COMPONENTS));
    return 0;
}

static int finish(void **state) {
    (void)state;
    for (int i = 0; i < BUFFERS; i++) {
        device_buffer_destroy(&opened, &buffers[i]);
    }
    for (uint32_t i = 0; i < kernel_count; i++) {
        lmb_gpu_pipeline_release(gpu, kernels[i].pipeline);
    }
    lmb_gpu_pipeline_release(gpu, match);
    lmb_gpu_destroy(gpu);
    return device_close(&opened) == 0 ? 0 : -1;
}

static bool matches(const lmb_graph *control) {
    return lmb_control_find_features(control->control).matching;
}

static uint32_t *words_of(buffer which, size_t frame, size_t words_a_frame) {
    return (uint32_t *)buffers[which].mapped + frame * words_a_frame;
}

static VkDeviceAddress address_of(buffer which, size_t frame, size_t words_a_frame) {
    return buffers[which].address + frame * words_a_frame * sizeof(uint32_t);
}

static void barrier(VkCommandBuffer commands) {
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all,
                         0, NULL, 0, NULL);
}

// The words of all characters in a frame.
typedef struct sizes {
    size_t state, parameters, reached, sent, emitted, motions, matrices;
} sizes;

static sizes sizes_of(const control_random *random) {
    const lmb_graph *graph = random->control;
    const bool places = random->writes_matrices && lmb_graph_get_info(graph)->has_motion;
    const size_t characters = CONTROL_RANDOM_CHARACTERS;
    return (sizes){.state = characters * lmb_graph_get_info(graph)->state_words,
                   .parameters = characters * CONTROL_RANDOM_PARAMETERS,
                   .reached = characters * CONTROL_RANDOM_REACHED,
                   .sent = (size_t)CONTROL_RANDOM_EVENTS * 2,
                   .emitted = characters * lmb_graph_get_info(graph)->emitted_words,
                   .motions = characters * lmb_graph_get_info(graph)->motion_floats,
                   .matrices = places ? characters * LMB_MATRIX_COMPONENTS : 0};
}

static void record_frame(VkCommandBuffer commands, VkPipeline pipeline, lmb_gpu_control_division *division,
                         const control_random *random, uint32_t frame) {
    const control_random_frame *given = &random->frames[frame];
    const sizes a_frame = sizes_of(random);
    memcpy(words_of(PARAMETERS, frame, a_frame.parameters), given->parameters, sizeof given->parameters);
    memcpy(words_of(REACHED, frame, a_frame.reached), given->reached, sizeof given->reached);
    memcpy(words_of(SENT, frame, a_frame.sent), given->events, given->event_count * sizeof *given->events);
    const lmb_control_push push = {.block = buffers[BLOCK].address,
                                   .program = buffers[PROGRAM].address,
                                   .weights = buffers[WEIGHTS].address,
                                   .state = buffers[STATE].address,
                                   .copies = (uint32_t)a_frame.state,
                                   .parameters = address_of(PARAMETERS, frame, a_frame.parameters),
                                   .reached = address_of(REACHED, frame, a_frame.reached),
                                   .sent = address_of(SENT, frame, a_frame.sent),
                                   .emitted = address_of(EMITTED, frame, a_frame.emitted),
                                   .motions = address_of(CHARACTER_MOTIONS, frame, a_frame.motions + a_frame.matrices),
                                   .matrices = a_frame.matrices > 0 ? (uint32_t)a_frame.motions : 0,
                                   .sent_count = given->event_count,
                                   .characters = CONTROL_RANDOM_CHARACTERS,
                                   .number = random->first_number + frame,
                                   .step_low = (uint32_t)given->step,
                                   .step_high = (uint32_t)(given->step >> 32),
                                   .emits_events = true};
    lmb_gpu_control_division_record_copies(gpu, division, commands);
    barrier(commands);
    lmb_gpu_control_dispatch(gpu, commands, pipeline, &push, division);
    if (matches(random->control)) {
        lmb_gpu_match_dispatch(gpu, commands, match, &push);
        searches++;
    }
    barrier(commands);
    const VkBufferCopy copy = {.dstOffset = frame * a_frame.state * sizeof(uint32_t),
                               .size = a_frame.state * sizeof(uint32_t)};
    vkCmdCopyBuffer(commands, buffers[STATE].buffer, buffers[STATES].buffer, 1, &copy);
    barrier(commands);
}

static void run_device(const control_random *random) {
    const lmb_graph *graph = random->control;
    assert_true(graph->control->size <= MOST_WORDS && lmb_graph_get_info(graph)->state_words <= MOST_STATE_WORDS &&
                lmb_graph_get_info(graph)->emitted_words <= MOST_EMITTED_WORDS);
    memcpy(buffers[BLOCK].mapped, graph->control->block, graph->control->size * sizeof(uint32_t));
    if (random->program != NULL) {
        assert_true(random->program->size <= MOST_WORDS);
        memcpy(buffers[PROGRAM].mapped, random->program->program, random->program->size * sizeof(uint32_t));
    }
    control_random_begin(random, buffers[STATE].mapped);
    lmb_error error;
    lmb_gpu_control_division division;
    assert_ok(lmb_gpu_control_division_create(gpu, graph->control, CONTROL_RANDOM_CHARACTERS, CONTROL_RANDOM_EVENTS,
                                              &division, &error),
              &error);
    if (matches(graph) && match == VK_NULL_HANDLE) {
        assert_ok(lmb_gpu_match_pipeline_create(gpu, graph->control, &match, &error), &error);
    }
    VkCommandPool pool;
    VkCommandBuffer commands;
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    for (uint32_t frame = 0; frame < CONTROL_RANDOM_FRAMES; frame++) {
        record_frame(commands, pipeline_of(graph), &division, random, frame);
    }
    assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
    lmb_gpu_control_division_destroy(gpu, &division);
}

static uint64_t compare(uint32_t number) {
    control_random *random = control_random_create(number);
    const sizes a_frame = sizes_of(random);
    run_device(random);
    control_random_result here = control_random_result_create(random);
    control_random_result there = control_random_result_create(random);
    uint64_t compared = 0;
    for (uint32_t frame = 0; frame < CONTROL_RANDOM_FRAMES; frame++) {
        control_random_run(random, frame, CONTROL_RANDOM_CHARACTERS, &here);
        memcpy(there.state, words_of(STATES, frame, a_frame.state), a_frame.state * sizeof(uint32_t));
        memcpy(there.emitted, words_of(EMITTED, frame, a_frame.emitted), a_frame.emitted * sizeof(uint32_t));
        memcpy(there.parameters, words_of(PARAMETERS, frame, a_frame.parameters), a_frame.parameters * sizeof(float));
        const uint32_t *motions = words_of(CHARACTER_MOTIONS, frame, a_frame.motions + a_frame.matrices);
        memcpy(there.motions, motions, a_frame.motions * sizeof(float));
        memcpy(there.matrices, motions + a_frame.motions, a_frame.matrices * sizeof(float));
        compared += control_random_expect_same(random, number, frame, &here, &there);
    }
    control_random_result_destroy(&here);
    control_random_result_destroy(&there);
    control_random_destroy(random);
    return compared;
}

static void same_bits_of_controls(void **state) {
    (void)state;
    program_loop loop = program_loop_start("controls", 0, suite_number("LIMBER_PROGRAMS", 60), 1);
    while (program_loop_next(&loop)) {
        loop.values += compare(loop.program);
    }
}

// Two of its machines match motion, and the character's velocity is kept over switches though no transition is
// inertialized. It comes first, because the first control has a kernel of its own if cases are quick, too.
static void same_bits_of_searches(void **state) {
    (void)state;
    const uint32_t before = searches;
    compare(28703394);
    assert_true(searches > before);
}

// Its machines switch hundreds of times in a frame, which took more iterations of loops than lavapipe allows.
static void same_bits_of_many_transitions(void **state) {
    (void)state;
    compare(28438117);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_of_searches),
                                       cmocka_unit_test(same_bits_of_many_transitions),
                                       cmocka_unit_test(same_bits_of_controls)};
    return run_gpu_suite_with("control_random", tests, sizeof tests / sizeof tests[0], start, finish);
}
