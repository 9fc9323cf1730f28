// Measures by differences: the time of many dispatches or turns less the time of few. So what a submission costs in any
// case does not count.
#include "small.h"

#include "terminal.h"

#include <string.h>

enum { QUERIES = 256, FEW = 8, TRIES = 5, FILL_WORKGROUPS = 16384, COUNTER_BYTES = 8192, UPDATE_BYTES = 256 };

// What follows each dispatch.
typedef enum separator {
    SEPARATOR_NOTHING,
    SEPARATOR_BARRIER,
    SEPARATOR_FILL, // these and the next with a barrier
    SEPARATOR_UPDATE,
    SEPARATOR_COPY,
    SEPARATOR_TIMESTAMP,
    SEPARATOR_COUNT
} separator;

// Dispatches of one command buffer.
typedef struct trial {
    VkPipeline pipeline;
    small_push push;
    uint32_t workgroups; // 0: no dispatch
    uint32_t repeats;
    separator separator;
    bool indirect;
} trial;

typedef struct small {
    lab *lab;
    device_buffer words;
    device_buffer counters; // mapped
    VkQueryPool queries;    // VK_NULL_HANDLE without timestamps
    uint32_t turns;         // of the longer of two runs
} small;

static void add_barrier(VkCommandBuffer commands) {
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                                      VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    vkCmdPipelineBarrier(commands, stages, stages, 0, 1, &barrier, 0, NULL, 0, NULL);
}

static void separate(const small *small, VkCommandBuffer commands, separator separator, uint32_t number) {
    static const uint32_t data[UPDATE_BYTES / sizeof(uint32_t)];
    const VkBufferCopy copy = {0, COUNTER_BYTES / 2, 1024};
    switch (separator) {
    case SEPARATOR_FILL:
        vkCmdFillBuffer(commands, small->words.buffer, 0, 16, 0);
        break;
    case SEPARATOR_UPDATE:
        vkCmdUpdateBuffer(commands, small->words.buffer, 0, sizeof data, data);
        break;
    case SEPARATOR_COPY:
        vkCmdCopyBuffer(commands, small->words.buffer, small->counters.buffer, 1, &copy);
        break;
    case SEPARATOR_TIMESTAMP:
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, small->queries, number % QUERIES);
        break;
    default:
        break;
    }
    if (separator != SEPARATOR_NOTHING) {
        add_barrier(commands);
    }
}

static void record(const small *small, const trial *trial, VkCommandBuffer commands) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, trial->pipeline);
    vkCmdPushConstants(commands, small->lab->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof trial->push, &trial->push);
    for (uint32_t i = 0; i < trial->repeats; i++) {
        if (trial->indirect) {
            vkCmdDispatchIndirect(commands, small->counters.buffer, 0);
        } else if (trial->workgroups > 0) {
            vkCmdDispatch(commands, trial->workgroups, 1, 1);
        }
        separate(small, commands, trial->separator, i);
    }
}

static double run_once(const small *small, const trial *trial) {
    lab *lab = small->lab;
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_error error;
    double taken;
    lab_require(device_begin(&lab->device, &pool, &commands, &error), "small kernels", &error);
    if (small->queries != VK_NULL_HANDLE) {
        vkCmdResetQueryPool(commands, small->queries, 0, QUERIES);
    }
    device_timer_begin(&lab->timer, commands);
    record(small, trial, commands);
    lab_require(device_timer_submit(&lab->timer, pool, commands, &taken, &error), "small kernels", &error);
    return taken;
}

// Returns the shortest of several runs, in seconds, after one that warms up. Chains go on where they ended, so that no
// run finds in a cache what the one before has loaded.
static double run(const small *small, trial *trial) {
    double best = 1e30;
    pace_raise(small->lab);
    for (int i = 0; i <= TRIES; i++) {
        const double taken = run_once(small, trial);
        best = i > 0 && taken < best ? taken : best;
        trial->push.start += trial->push.turns * trial->push.stride;
    }
    return best;
}

static small_push push_of(const small *small, small_mode mode) {
    return (small_push){.words = small->words.address,
                        .counters = small->counters.address,
                        .mode = mode,
                        .stride = 1,
                        .factor = 0.999f,
                        .term = 0.001f};
}

// Returns the seconds of one repeat.
static double time_repeat(const small *small, trial *trial) {
    const uint32_t many = small->lab->is_short ? 2 * FEW : 25 * FEW;
    trial->repeats = FEW;
    const double few = run(small, trial);
    trial->repeats = many;
    return (run(small, trial) - few) / (many - FEW);
}

// Returns the seconds of one turn.
static double time_turn(const small *small, trial *trial, uint32_t turns) {
    trial->push.turns = turns / 10;
    const double few = run(small, trial);
    trial->push.turns = turns;
    return (run(small, trial) - few) / (turns - turns / 10);
}

static void print_row(const char *what, double value, const char *unit) {
    terminal_print("%-58s %10.2f %s\n", what, value, unit);
    fflush(stdout);
}

static void measure_dispatches(const small *small) {
    static const char *const names[2][SEPARATOR_COUNT] = {
        {NULL, "barrier", "fill of 16 bytes, barrier", "update of 256 bytes, barrier", "copy of 1 KiB, barrier",
         "timestamp, barrier"},
        {"dispatch", "dispatch, barrier", "dispatch, fill of 16 bytes, barrier",
         "dispatch, update of 256 bytes, barrier", "dispatch, copy of 1 KiB, barrier", "dispatch, timestamp, barrier"}};
    trial trial = {.pipeline = small_kernel_create(small->lab, 64, 1), .push = push_of(small, SMALL_NOTHING)};
    for (uint32_t workgroups = 0; workgroups < 2; workgroups++) {
        for (int i = 0; i < SEPARATOR_COUNT; i++) {
            if (names[workgroups][i] == NULL || (i == SEPARATOR_TIMESTAMP && small->queries == VK_NULL_HANDLE)) {
                continue;
            }
            trial.workgroups = workgroups;
            trial.separator = (separator)i;
            print_row(names[workgroups][i], 1e6 * time_repeat(small, &trial), "us");
        }
    }
    const VkDispatchIndirectCommand one = {1, 1, 1};
    memcpy(small->counters.mapped, &one, sizeof one);
    trial.indirect = true;
    trial.separator = SEPARATOR_BARRIER;
    print_row("indirect dispatch, barrier", 1e6 * time_repeat(small, &trial), "us");
    small_kernel_destroy(small->lab, trial.pipeline);
}

// Writes the chain that the trial's loads follow.
static void fill(const small *small, const trial *loads) {
    trial trial = *loads;
    trial.push.mode = SMALL_FILL;
    trial.workgroups = FILL_WORKGROUPS < loads->push.mask / 32 + 1 ? FILL_WORKGROUPS : loads->push.mask / 32 + 1;
    trial.separator = SEPARATOR_BARRIER;
    run_once(small, &trial);
}

// Strides are about the golden section of the words, so that a chain visits all of them, far from each other. A run
// visits 20,000 words: of 16 KiB all lines many times, of 16 MiB more than a first cache has, of 1 GiB new lines only.
static void measure_latencies(const small *small) {
    static const struct {
        const char *name;
        small_mode mode;
        uint32_t words;
        uint32_t stride;
        double steps; // a turn
    } rows[] = {{"latency of a multiplication or addition", SMALL_ARITHMETIC, 0, 1, SMALL_OPERATIONS},
                {"latency of a load from workgroup memory", SMALL_LOAD_WORKGROUP, 0, 33, 1.0},
                {"latency of a load, 16 KiB (first cache)", SMALL_LOAD, 1u << 12, 2531, 1.0},
                {"latency of a load, 16 MiB (second cache)", SMALL_LOAD, 1u << 22, 2592221, 1.0},
                {"latency of a load, 1 GiB (memory)", SMALL_LOAD, 1u << 28, 165902235, 1.0}};
    trial trial = {.pipeline = small_kernel_create(small->lab, 32, 1024), .workgroups = 1, .repeats = 1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].words * sizeof(uint32_t) > small->words.size) {
            continue;
        }
        trial.push = push_of(small, rows[i].mode);
        trial.push.mask = rows[i].words - 1;
        trial.push.stride = rows[i].stride;
        if (rows[i].mode == SMALL_LOAD) {
            fill(small, &trial);
        }
        print_row(rows[i].name, 1e9 * time_turn(small, &trial, small->turns) / rows[i].steps, "ns");
    }
    small_kernel_destroy(small->lab, trial.pipeline);
}

static void measure_workgroup_barriers(const small *small) {
    const VkPhysicalDeviceLimits *limits = &small->lab->device.properties.limits;
    for (uint32_t size = 32; size <= 1024 && size <= limits->maxComputeWorkGroupInvocations; size *= 2) {
        trial trial = {.pipeline = small_kernel_create(small->lab, size, 1),
                       .push = push_of(small, SMALL_BARRIER),
                       .workgroups = 1,
                       .repeats = 1};
        char name[64];
        snprintf(name, sizeof name, "barrier in a workgroup of %u", (unsigned)size);
        print_row(name, 1e9 * time_turn(small, &trial, small->turns), "ns");
        small_kernel_destroy(small->lab, trial.pipeline);
    }
}

static uint32_t count_resident(const small *small, uint32_t invocations, uint32_t bytes) {
    trial trial = {.pipeline = small_kernel_create(small->lab, invocations, bytes / sizeof(uint32_t)),
                   .push = push_of(small, SMALL_RESIDENT),
                   .workgroups = small->lab->is_short ? 16 : 20000,
                   .repeats = 1};
    trial.push.turns = small->turns / 100;
    memset(small->counters.mapped, 0, 2 * sizeof(uint32_t));
    run_once(small, &trial);
    small_kernel_destroy(small->lab, trial.pipeline);
    return ((const uint32_t *)small->counters.mapped)[1];
}

static void measure_resident(const small *small) {
    static const uint32_t bytes[] = {1024, 2048,  3072,  4096,  5120,  6144,  6656,  7168,
                                     8192, 10240, 12288, 14336, 16384, 24576, 32768, 49152};
    static const uint32_t invocations[] = {32, 160};
    const VkPhysicalDeviceLimits *limits = &small->lab->device.properties.limits;
    const size_t count = small->lab->is_short ? 1 : sizeof bytes / sizeof *bytes;
    for (size_t i = 0; i < count && bytes[i] <= limits->maxComputeSharedMemorySize; i++) {
        for (size_t k = 0; k < 2 && invocations[k] <= limits->maxComputeWorkGroupInvocations; k++) {
            char name[96];
            snprintf(name, sizeof name, "resident workgroups of %u invocations and %u bytes", (unsigned)invocations[k],
                     (unsigned)bytes[i]);
            print_row(name, count_resident(small, invocations[k], bytes[i]), "");
        }
    }
}

static void print_memory(const lab *lab) {
    static const char *const names[] = {" device-local", " host-visible", " host-coherent", " host-cached"};
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(lab->device.physical, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
        char name[96];
        int length = snprintf(name, sizeof name, "memory type %u:", (unsigned)i);
        for (uint32_t bit = 0; bit < 4; bit++) {
            if ((memory.memoryTypes[i].propertyFlags >> bit & 1) != 0) {
                length += snprintf(name + length, sizeof name - (size_t)length, "%s", names[bit]);
            }
        }
        print_row(name, 1e-9 * (double)memory.memoryHeaps[memory.memoryTypes[i].heapIndex].size, "GB");
    }
}

static void create_buffers(small *small) {
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                                     VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                     VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
    const VkDeviceSize bytes = small->lab->is_short ? 1 << 20 : 1 << 30;
    lmb_error error;
    lab_require(device_buffer_create(&small->lab->device, bytes, usage, false, &small->words, &error), "small kernels",
                &error);
    lab_require(device_buffer_create(&small->lab->device, COUNTER_BYTES, usage, true, &small->counters, &error),
                "small kernels", &error);
}

void small_run(lab *lab) {
    small small = {.lab = lab, .turns = lab->is_short ? 200 : 20000};
    const VkQueryPoolCreateInfo queries = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = QUERIES};
    create_buffers(&small);
    if (lab->timer.queries != VK_NULL_HANDLE) {
        lab_require_vulkan(vkCreateQueryPool(lab->device.device, &queries, NULL, &small.queries), "vkCreateQueryPool");
    }
    terminal_print("%-58s %10s\n", "small kernels", "time");
    measure_dispatches(&small);
    measure_latencies(&small);
    measure_workgroup_barriers(&small);
    measure_resident(&small);
    print_memory(lab);
    vkDestroyQueryPool(lab->device.device, small.queries, NULL);
    device_buffer_destroy(&lab->device, &small.words);
    device_buffer_destroy(&lab->device, &small.counters);
}
