// limber-bench-kernels: prints one row per kernel as a driver compiles it for a GPU that is not there, or emulates a
// Radeon that runs it; bench/kernels/run.sh formats them as a table.
#define _POSIX_C_SOURCE 200809L

#include "bits.h"
#include "device.h"
#include "divergent.h"
#include "emulated.h"
#include "file.h"
#include "graphs.h"
#include "matching.h"
#include "profile.h"
#include "terminal.h"
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JOINTS = 67, MANY_JOINTS = 1500, CHARACTERS = 64 }; // with MANY_JOINTS, no character fits a workgroup

static const char *folder;        // for disassembly, or NULL
static const char *workload_name; // of the current scene
static bool skips_known;          // while an interpreting gpu is created: skips the kernels that every gpu has
static bool emulates;
static bool profiles;
static uint32_t subgroup; // lanes, or 0: those of the driver
static const char *only;  // the workload to compile, or NULL
static bool failed;

static void print_usage(FILE *stream) {
    terminal_print_lines(
        stream,
        "usage: limber-bench-kernels [-e] [-p] [-s LANES] [-w WORKLOAD] [-d FOLDER]\n"
        "\n"
        "Compiles the library's kernels by the first Vulkan device's driver, runs none of them, and prints a\n"
        "row for each: workload, kernel, invocations, and the figures of statistics.h, in the same order.\n"
        "RADV does so without a Radeon where RADV_FORCE_FAMILY names one (navi21) and VK_DRIVER_FILES has its\n"
        "manifest alone. For drivers of NVIDIA's and Intel's GPUs see bench/kernels/run.sh.\n"
        "  -e  runs the workloads instead, on an emulated RDNA 2 (navi21): whether palettes have the reference's "
        "bits,\n"
        "      vector instructions a joint times lanes, cycles of a SIMD a joint, loads a joint times lanes\n"
        "  -p  the same, and a row for each kernel and each of its phases: see profile.h\n"
        "  -s  chooses workgroups for subgroups of so many lanes: 32 as NVIDIA has them\n"
        "  -w  compiles or runs one workload\n"
        "  -d  writes each kernel's disassembly into the folder\n");
}

static int fail(const char *where, const char *message) {
    terminal_error("limber-bench-kernels: %s: %s\n", where, message);
    return 1;
}

static void write_assembly(const kernel *kernel) {
    char path[1024];
    int length = snprintf(path, sizeof path, "%s/%s.%s.txt", folder, workload_name, kernel->name);
    lmb_error error = {.message = "the path is too long"};
    if (length < 0 || (size_t)length >= sizeof path ||
        file_write(path, kernel->assembly, strlen(kernel->assembly), &error)) {
        fail(folder, error.message);
        failed = true;
    }
}

static void print_figures(const kernel *kernel) {
    terminal_print("%s %s %u", workload_name, kernel->name, (unsigned)kernel->invocations);
    for (uint32_t i = 0; i < KERNEL_FIGURE_COUNT; i++) {
        if (kernel->figures[i] == KERNEL_UNKNOWN) {
            terminal_print(" -");
        } else {
            terminal_print(" %u", (unsigned)kernel->figures[i]);
        }
    }
    terminal_print("\n");
}

static void print_kernel(const kernel *kernel) {
    if (skips_known && (strcmp(kernel->name, "list") == 0 || strcmp(kernel->name, "model") == 0 ||
                        strcmp(kernel->name, "probe") == 0)) {
        return;
    }
    if (!emulates) {
        print_figures(kernel);
    }
    if (folder != NULL && kernel->assembly != NULL && !failed) {
        write_assembly(kernel);
    }
}

// Prints whether the bits are equal, and the counts per item and frame.
static void print_part(const char *what, const bits_part *part) {
    const double items = part->items;
    terminal_print("%-32s %-8s %-5s %6.0f %6.1f %6.0f\n", workload_name, what, part->differing == 0 ? "same" : "OTHER",
                   (double)part->counts.valu * RDNA_LANES / items, (double)part->counts.cycles / items,
                   (double)part->counts.loads * RDNA_LANES / items);
    if (part->differing > 0) {
        terminal_error("limber-bench-kernels: %s: %u of %u words of its %s differ from the reference\n", workload_name,
                       (unsigned)part->differing, (unsigned)part->words, what);
        failed = true;
    }
}

static void print_bits(const bits_result *found) {
    print_part("poses", &found->poses);
    if (found->control.items > 0) {
        print_part("control", &found->control);
    }
}

static uint32_t level_of(const lmb_rig *rig, uint32_t joint) {
    uint32_t level = 0;
    for (uint32_t at = lmb_rig_get_def(rig)->joints[joint].parent; at != LMB_NONE;
         at = lmb_rig_get_def(rig)->joints[at].parent) {
        level++;
    }
    return level;
}

// Counts the levels on which a joint has siblings, and the first: PROGRAM.bands in shaders/ops/layout.h.
static uint32_t count_bands(const lmb_rig *rig) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(rig);
    static bool forks[LMB_MAX_JOINTS];
    uint32_t bands = 1;
    memset(forks, 0, sizeof forks);
    for (uint32_t a = 0; a < rig_def->joint_count; a++) {
        for (uint32_t b = 0; b < a; b++) {
            const uint32_t parent = rig_def->joints[a].parent, level = level_of(rig, a);
            if (parent != LMB_NONE && parent == rig_def->joints[b].parent && !forks[level]) {
                forks[level] = true;
                bands++;
            }
        }
    }
    return bands;
}

static void print_profile(const workload *workload, const char *kernel, const rdna_profile *profile) {
    const lmb_rig *rig = workload->actor->rig;
    const bool of_character =
        strcmp(kernel, "weights") == 0 || strcmp(kernel, "control") == 0 || strcmp(kernel, "match") == 0;
    const profile_subject subject = {.workload = workload_name,
                                     .kernel = kernel,
                                     .items = CHARACTERS * (of_character ? 1 : lmb_rig_get_def(rig)->joint_count),
                                     .bands = strcmp(kernel, "graph") == 0 ? count_bands(rig) : 0};
    profile_print(&subject, profile, true);
}

// Compiles the pipelines of a graph, and that of its control, which a batch creates.
static lmb_result compile_graph(lmb_gpu *gpu, const bits_subject *subject, lmb_error *error) {
    lmb_gpu_graph *gpu_graph = NULL;
    lmb_gpu_batch *batch = NULL;
    lmb_result result = lmb_gpu_graph_create(gpu, subject->workload->graph, &gpu_graph, error);
    if (result == LMB_OK) {
        lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
        def.graph = gpu_graph;
        def.character_count = CHARACTERS;
        result = lmb_gpu_batch_create(gpu, &def, &batch, error);
    }
    if (result == LMB_OK && emulates) {
        bits_result found;
        result = bits_compare(subject, gpu_graph, batch, &found, error);
        if (result == LMB_OK) {
            print_bits(&found);
        }
    }
    lmb_gpu_batch_destroy(batch);
    lmb_gpu_graph_destroy(gpu_graph);
    return result;
}

typedef lmb_result (*create_graph)(const actor *actor, lmb_graph **graph, lmb_error *error);

typedef struct scene {
    const char *name;
    workload_kind workload;
    create_graph create; // NULL for a workload
    actor_kind clips;
    bool compressed;
    uint32_t joints;
    uint32_t own_clips; // of a divergent crowd, or 0: as many as it has
    bool sorted;        // by these
} scene;

static const scene scenes[] = {
    {"four-clips", WORKLOAD_FOUR_CLIPS, NULL, ACTOR_PROCEDURAL, false, JOINTS, 0, false},
    {"four-clips-pab", WORKLOAD_FOUR_CLIPS, NULL, ACTOR_PAB, false, JOINTS, 0, false},
    {"four-clips-pab-compressed", WORKLOAD_FOUR_CLIPS, NULL, ACTOR_PAB, true, JOINTS, 0, false},
    {"four-clips-mannequin-compressed", WORKLOAD_FOUR_CLIPS, NULL, ACTOR_MANNEQUIN, true, JOINTS, 0, false},
    {"two-clips", WORKLOAD_TWO_CLIPS, NULL, ACTOR_PROCEDURAL, false, JOINTS, 0, false},
    {"masked", WORKLOAD_MASKED, NULL, ACTOR_PROCEDURAL, false, JOINTS, 0, false},
    {"distant", WORKLOAD_DISTANT, NULL, ACTOR_PROCEDURAL, false, JOINTS, 0, false},
    {"machines", WORKLOAD_MACHINES, NULL, ACTOR_PROCEDURAL, false, JOINTS, 0, false},
    {"mirror", WORKLOAD_KIND_COUNT, graphs_create_mirror, ACTOR_PROCEDURAL, false, JOINTS, 0, false},
    {"model-additive", WORKLOAD_KIND_COUNT, graphs_create_model_additive, ACTOR_PROCEDURAL, false, JOINTS, 0, false},
    {"inertialized", WORKLOAD_KIND_COUNT, graphs_create_inertialized, ACTOR_PROCEDURAL, false, JOINTS, 0, false},
    {"divergent", WORKLOAD_DIVERGENT, NULL, ACTOR_MANNEQUIN, false, JOINTS, 0, false},
    {"divergent-sorted", WORKLOAD_DIVERGENT, NULL, ACTOR_MANNEQUIN, false, JOINTS, 0, true},
    {"divergent-compressed", WORKLOAD_DIVERGENT, NULL, ACTOR_MANNEQUIN, true, JOINTS, 0, false},
    {"divergent-compressed-sorted", WORKLOAD_DIVERGENT, NULL, ACTOR_MANNEQUIN, true, JOINTS, 0, true},
    {"game", WORKLOAD_GAME, NULL, ACTOR_MANNEQUIN, false, JOINTS, 0, false},
    {"states-4", WORKLOAD_DIVERGENT_STATES, NULL, ACTOR_MANNEQUIN, false, JOINTS, 4, false},
    {"states-4-sorted", WORKLOAD_DIVERGENT_STATES, NULL, ACTOR_MANNEQUIN, false, JOINTS, 4, true},
    {"states-12", WORKLOAD_DIVERGENT_STATES, NULL, ACTOR_MANNEQUIN, false, JOINTS, 12, false},
    {"states-12-sorted", WORKLOAD_DIVERGENT_STATES, NULL, ACTOR_MANNEQUIN, false, JOINTS, 12, true},
    {"clip-of-1", WORKLOAD_DIVERGENT_CLIPS, NULL, ACTOR_MANNEQUIN, false, JOINTS, 1, false},
    {"clip-of-4", WORKLOAD_DIVERGENT_CLIPS, NULL, ACTOR_MANNEQUIN, false, JOINTS, 4, false},
    {"clip-of-4-sorted", WORKLOAD_DIVERGENT_CLIPS, NULL, ACTOR_MANNEQUIN, false, JOINTS, 4, true},
    {"clip-of-20", WORKLOAD_DIVERGENT_CLIPS, NULL, ACTOR_MANNEQUIN, false, JOINTS, 20, false},
    {"clip-of-20-sorted", WORKLOAD_DIVERGENT_CLIPS, NULL, ACTOR_MANNEQUIN, false, JOINTS, 20, true},
    {"clip-of-200", WORKLOAD_DIVERGENT_CLIPS, NULL, ACTOR_MANNEQUIN, false, JOINTS, 200, false},
    {"clip-of-200-sorted", WORKLOAD_DIVERGENT_CLIPS, NULL, ACTOR_MANNEQUIN, false, JOINTS, 200, true},
    {"clip-of-1-compressed", WORKLOAD_DIVERGENT_CLIPS, NULL, ACTOR_MANNEQUIN, true, JOINTS, 1, false},
    {"clip-of-20-compressed", WORKLOAD_DIVERGENT_CLIPS, NULL, ACTOR_MANNEQUIN, true, JOINTS, 20, false},
    {"clip-of-20-compressed-sorted", WORKLOAD_DIVERGENT_CLIPS, NULL, ACTOR_MANNEQUIN, true, JOINTS, 20, true},
    {"four-clips-150-joints", WORKLOAD_FOUR_CLIPS, NULL, ACTOR_PROCEDURAL, false, 150, 0, false},
    {"four-clips-1500-joints", WORKLOAD_FOUR_CLIPS, NULL, ACTOR_PROCEDURAL, false, MANY_JOINTS, 0, false},
    {"inertialized-1500-joints", WORKLOAD_KIND_COUNT, graphs_create_inertialized, ACTOR_PROCEDURAL, false, MANY_JOINTS,
     0, false},
};

// Skips a scene if clip files are missing or this build cannot read them.
static lmb_result compile_scene(lmb_gpu *gpu, const scene *scene, lmb_error *error) {
    actor actor;
    workload workload = {0};
    lmb_result result = actor_create(scene->clips, scene->joints, scene->compressed, &actor, error);
    if (result == LMB_ERROR_FILE || result == LMB_ERROR_UNSUPPORTED) {
        terminal_print("skipped %s: %s\n", scene->name, error->message);
        result = LMB_OK;
    } else if (result == LMB_OK) {
        workload.kind = scene->workload;
        workload.actor = &actor;
        result = scene->create != NULL  ? scene->create(&actor, &workload.graph, error)
                 : scene->own_clips > 0 ? divergent_create(&workload, scene->own_clips, error)
                                        : workload_create(scene->workload, &actor, &workload, error);
        const bits_subject subject = {
            .workload = &workload, .sorted = scene->sorted, .profiled = profiles ? print_profile : NULL};
        result = result == LMB_OK ? compile_graph(gpu, &subject, error) : result;
    }
    workload_destroy(&workload);
    actor_destroy(&actor);
    return result;
}

// ---- Motion matching.

typedef struct matching_scene {
    const char *name;
    uint32_t takes;
    bool varied; // as in matching_create(): its searches must include each of matching_counts
} matching_scene;

// The second one has the kernels of the first.
static const matching_scene matching_scenes[] = {{"matching", 5, true}, {"matching-50000", 50, false}};

static matching current_matching;
static matching_counts current_counts;

static void count_searches(const workload *workload, uint32_t characters, const uint32_t *state,
                           const float *parameters) {
    (void)workload;
    matching_count(&current_matching, characters, state, parameters, &current_counts);
}

// Prints what the searches were, and fails if they do not test what they are to test.
static void print_searches(bool varied) {
    const matching_counts *n = &current_counts;
    terminal_print("%-32s %u searches: %u jumps, %u of them to mirrored rows, %u ties; %u others without tags, %u with "
                   "nothing left out\n",
                   workload_name, (unsigned)n->searches, (unsigned)n->jumps, (unsigned)n->mirrored, (unsigned)n->ties,
                   (unsigned)n->tagged, (unsigned)n->left_out);
    if (n->others > 0) {
        terminal_error("limber-bench-kernels: %s: %u searches of the database find another row\n", workload_name,
                       (unsigned)n->others);
        failed = true;
    }
    if (n->jumps == 0 || (varied && (n->mirrored == 0 || n->ties == 0 || n->tagged == 0 || n->left_out == 0))) {
        terminal_error("limber-bench-kernels: %s: searches of a kind are missing\n", workload_name);
        failed = true;
    }
}

static lmb_result compile_matching(lmb_gpu *gpu, const matching_scene *scene, lmb_error *error) {
    current_counts = (matching_counts){0};
    lmb_result result = matching_create(scene->takes, scene->varied, &current_matching, error);
    if (result == LMB_OK) {
        const bits_subject subject = {.workload = &current_matching.workload,
                                      .profiled = profiles ? print_profile : NULL,
                                      .moved = count_searches};
        result = compile_graph(gpu, &subject, error);
    }
    if (result == LMB_OK && emulates) {
        print_searches(scene->varied);
    }
    matching_destroy(&current_matching);
    return result;
}

static lmb_result create_interpreter(lmb_gpu_def def, lmb_error *error) {
    lmb_gpu *gpu = NULL;
    workload_name = "interpreted";
    def.interpret_graphs = true;
    skips_known = true;
    lmb_result result = lmb_gpu_create(&def, NULL, &gpu, error);
    lmb_gpu_destroy(gpu);
    skips_known = false;
    return result;
}

// Returns whether a scene is asked for. Some are only emulated, because they have the kernels of another.
static bool includes(const char *scene, bool has_own_kernels) {
    return only != NULL ? strcmp(only, scene) == 0 : emulates || has_own_kernels;
}

// Compiles both sets of kernels that a gpu may have for all graphs, then those of each scene.
static lmb_result compile_all(lmb_gpu_def def, lmb_error *error) {
    lmb_gpu *gpu = NULL;
    lmb_result result = emulates || only != NULL ? LMB_OK : create_interpreter(def, error);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes && result == LMB_OK; i++) {
        if (gpu == NULL) {
            workload_name = "any";
            result = lmb_gpu_create(&def, NULL, &gpu, error);
        }
        workload_name = scenes[i].name;
        const bool has_own_kernels = !scenes[i].sorted && scenes[i].own_clips == 0;
        if (result == LMB_OK && includes(workload_name, has_own_kernels)) {
            result = compile_scene(gpu, &scenes[i], error);
        }
    }
    for (size_t i = 0; i < sizeof matching_scenes / sizeof *matching_scenes && result == LMB_OK; i++) {
        workload_name = matching_scenes[i].name;
        if (includes(workload_name, matching_scenes[i].varied)) {
            result = compile_matching(gpu, &matching_scenes[i], error);
        }
    }
    lmb_gpu_destroy(gpu);
    return result;
}

// Prints a line such as "driver radv Mesa 22.3.6". Budgets are valid for one driver, not for one package of it.
static void print_driver(const device *device) {
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &driver};
    vkGetPhysicalDeviceProperties2(device->physical, &properties);
    terminal_print("driver %s %.*s\n", driver.driverName, (int)strcspn(driver.driverInfo, "-"), driver.driverInfo);
}

// Does not wait for the device, as device_close() would: RADV without hardware then crashes.
static void close_device(device *device) {
    vkDestroyPipelineCache(device->device, device->pipeline_cache, NULL);
    vkDestroyDevice(device->device, NULL);
    device->device = VK_NULL_HANDLE;
    device_close(device);
}

static int run(void) {
    device device;
    lmb_error error;
    const device_request request = {.executable_properties = true};
    if (device_open(&request, &device, &error) != LMB_OK) {
        return fail("device", error.message);
    }
    lmb_result result = statistics_open(device.physical, &error);
    if (result != LMB_OK) {
        close_device(&device);
        return fail("device", error.message);
    }
    print_driver(&device);
    if (profiles) {
        emulated_profile_kernels();
    }
    result = compile_all(kernels_gpu_def(&device, subgroup, print_kernel), &error);
    close_device(&device);
    if (result != LMB_OK) {
        return fail(workload_name, error.message);
    }
    if (!kernels_are_complete()) {
        return fail("statistics", "the driver lacks some of them, or cannot disassemble");
    }
    return failed;
}

int main(int argument_count, char **arguments) {
    int option;
    while ((option = getopt(argument_count, arguments, "d:ehps:w:")) != -1) {
        if (option == 'h') {
            print_usage(stdout);
            return 0;
        }
        if (option == 'e' || option == 'p') {
            emulates = true;
            profiles = profiles || option == 'p';
        } else if (option == 's') {
            subgroup = (uint32_t)strtoul(optarg, NULL, 10);
        } else if (option == 'w') {
            only = optarg;
        } else if (option == 'd') {
            folder = optarg;
        } else {
            print_usage(stderr);
            return 2;
        }
    }
    if (optind < argument_count) {
        print_usage(stderr);
        return 2;
    }
    return run();
}
