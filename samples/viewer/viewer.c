// limber-viewer: shows a crowd, sampled, blended and skinned on the GPU, in a window or in a picture.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "comparison.h"
#include "compute_skin.h"
#include "controls.h"
#include "demo.h"
#include "graph_view.h"
#include "joints.h"
#include "matched.h"
#include "options.h"
#include "reader.h"
#include "reference_check.h"
#include "renderer.h"
#include "terminal.h"
#include "timing.h"
#include "ui.h"
#include "window.h"

#define FRAMES_IN_FLIGHT 2u
#define HEADLESS_STEP (1.0 / 60.0)
#define LONGEST_STEP 0.1 // so that nobody jumps after the whole process paused
#define CHARACTERS 300u
#define CHARACTERS_ON_CPU 60u
#define REACH 0.25f // of a character's arms, in picture heights

typedef struct slot {
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkCommandBuffer poses; // those of a frame whose joints are drawn
    VkFence done;
    bool submitted;
} slot;

typedef struct viewer {
    options options;
    window *window; // NULL when headless
    device device;
    character character;
    crowd crowd;
    comparison comparison; // replaces a moving crowd, if requested
    demo demo;             // its kind is NULL if there is none
    graph_view view;       // of the user's graph, if there is one; it has a batch of its own
    camera camera;
    controls controls;
    lmb_gpu *gpu;
    lmb_gpu_graph *graph;
    lmb_gpu_batch *batch;
    compute_skin *skin; // or NULL
    renderer *renderer;
    ui *ui;
    timing timing;
    float *palette; // of the character whose joints are drawn
    slot slots[FRAMES_IN_FLIGHT];
    uint32_t frames;    // drawn
    uint32_t last_slot; // of the last frame drawn
    double seconds;     // time that drawing took
    char title[200];
} viewer;

static double now(void) {
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool has_comparison(const viewer *viewer) {
    return viewer->options.comparison.graph != NULL;
}

static bool has_demo(const viewer *viewer) {
    return viewer->options.demo != NULL;
}

static bool has_graph(const viewer *viewer) {
    return viewer->options.graph.file != NULL;
}

// Returns what is around the characters, or NULL, and stores the time there.
static const play_scene *shown_scene(const viewer *viewer, double *seconds) {
    *seconds = viewer->demo.time;
    return has_graph(viewer) ? graph_view_scene(&viewer->view, seconds) : viewer->demo.scene;
}

static lmb_gpu_batch *shown_batch(const viewer *viewer) {
    return has_graph(viewer) ? graph_view_batch(&viewer->view) : viewer->batch;
}

static lmb_result open_device(viewer *viewer, lmb_error *error) {
    device_request request = {.name = viewer->options.device, .validation = viewer->options.validate};
    if (viewer->window != NULL) {
        request.instance_extensions = window_extensions(&request.instance_extension_count);
        request.swapchain = true;
    }
    if (device_open(&request, &viewer->device, error)) {
        return error->result;
    }
    if (!viewer->device.graphics) {
        return viewer_fail(error, LMB_ERROR_UNSUPPORTED, "device '%s' has no queue for graphics and compute",
                           viewer->device.properties.deviceName);
    }
    return viewer->window != NULL ? window_attach(viewer->window, &viewer->device, FRAMES_IN_FLIGHT, error) : LMB_OK;
}

static lmb_result upload_program(viewer *viewer, lmb_error *error) {
    VkCommandPool pool;
    VkCommandBuffer commands;
    if (device_begin(&viewer->device, &pool, &commands, error)) {
        return error->result;
    }
    lmb_result recorded = lmb_gpu_graph_record_upload(viewer->graph, commands, error);
    lmb_error submit_error;
    lmb_result submitted = device_submit_and_wait(&viewer->device, pool, commands, &submit_error);
    if (recorded == LMB_OK && submitted != LMB_OK) {
        *error = submit_error;
        return submitted;
    }
    return recorded == LMB_OK ? lmb_gpu_graph_uploaded(viewer->graph, error) : recorded;
}

static bool is_on_cpu(const viewer *viewer) {
    return viewer->device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

static lmb_result create_batch(viewer *viewer, lmb_error *error) {
    lmb_gpu_def gpu_def = device_gpu_def(&viewer->device);
    // The general kernels run every graph, so that one that is saved shows at once. A device on the CPU compiles a
    // pipeline when it first runs, and all frames of a window wait for that, so it has no others.
    gpu_def.prepare_interpreter = has_graph(viewer) && viewer->window != NULL;
    gpu_def.interpret_graphs = gpu_def.prepare_interpreter && is_on_cpu(viewer);
    if (gpu_def.interpret_graphs) {
        terminal_error(
            "limber-viewer: %s compiles kernels for every graph: a minute at the first start, seconds later\n",
            viewer->device.properties.deviceName);
    }
    if (lmb_gpu_create(&gpu_def, NULL, &viewer->gpu, error)) {
        return error->result;
    }
    if (has_graph(viewer)) {
        return graph_view_start(&viewer->view, &viewer->crowd, &viewer->device, viewer->gpu, FRAMES_IN_FLIGHT,
                                viewer->window == NULL, error);
    }
    if (lmb_gpu_graph_create(viewer->gpu, viewer->character.graph, &viewer->graph, error) ||
        upload_program(viewer, error)) {
        return error->result;
    }
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.graph = viewer->graph;
    def.character_count = viewer->crowd.count;
    def.slot_count = FRAMES_IN_FLIGHT;
    def.events_a_frame = DEMO_EVENTS;
    const bool skins = has_demo(viewer) && viewer->options.demo->skins;
    def.outputs |= skins ? LMB_OUTPUT_CHANNELS_BIT : 0;
    if (lmb_gpu_batch_create(viewer->gpu, &def, &viewer->batch, error)) {
        return error->result;
    }
    const compute_skin_def skin = {.device = &viewer->device,
                                   .gpu = viewer->gpu,
                                   .character = &viewer->character,
                                   .character_count = viewer->crowd.count,
                                   .frame_count = FRAMES_IN_FLIGHT};
    if (skins && compute_skin_create(&skin, &viewer->skin, error)) {
        return error->result;
    }
    return has_demo(viewer) ? demo_bind(&viewer->demo, &viewer->device, viewer->batch, FRAMES_IN_FLIGHT, error)
                            : LMB_OK;
}

static lmb_result create_slot(const device *device, slot *slot, lmb_error *error) {
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                          .queueFamilyIndex = device->queue_family};
    if (graphics_check(vkCreateCommandPool(device->device, &pool, NULL, &slot->pool), "vkCreateCommandPool", error)) {
        return error->result;
    }
    const VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = slot->pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 2};
    VkCommandBuffer buffers[2];
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (graphics_check(vkAllocateCommandBuffers(device->device, &commands, buffers), "vkAllocateCommandBuffers",
                       error)) {
        return error->result;
    }
    slot->commands = buffers[0];
    slot->poses = buffers[1];
    return graphics_check(vkCreateFence(device->device, &fence, NULL, &slot->done), "vkCreateFence", error);
}

static lmb_result create_ui(viewer *viewer, lmb_error *error) {
    const ui_def def = {.instance = viewer->device.instance,
                        .physical_device = viewer->device.physical,
                        .device = viewer->device.device,
                        .queue_family = viewer->device.queue_family,
                        .queue = viewer->device.queue,
                        .pass = renderer_pass(viewer->renderer),
                        .samples = renderer_samples(viewer->renderer),
                        .frame_count = FRAMES_IN_FLIGHT,
                        .window = viewer->window != NULL ? window_handle(viewer->window) : NULL};
    VkCommandPool pool;
    VkCommandBuffer commands;
    viewer->ui = ui_create(&def);
    if (viewer->ui == NULL) {
        return viewer_fail(error, LMB_ERROR_VULKAN, "Vulkan cannot create the user interface");
    }
    if (device_begin(&viewer->device, &pool, &commands, error)) {
        return error->result;
    }
    ui_record_font(viewer->ui, commands);
    if (device_submit_and_wait(&viewer->device, pool, commands, error)) {
        return error->result;
    }
    ui_font_uploaded(viewer->ui);
    return LMB_OK;
}

static lmb_result create_frames(viewer *viewer, lmb_error *error) {
    const renderer_def def = {.device = &viewer->device,
                              .crowd = &viewer->crowd,
                              .frame_count = FRAMES_IN_FLIGHT,
                              .span_count = lmb_gpu_batch_span_count(shown_batch(viewer)),
                              // A window on a device that draws on the CPU prefers speed.
                              .fine = viewer->window == NULL || !is_on_cpu(viewer),
                              .extent = viewer->window != NULL
                                            ? window_extent(viewer->window)
                                            : (VkExtent2D){viewer->options.width, viewer->options.height}};
    if (renderer_create(&def, &viewer->renderer, error) || create_ui(viewer, error) ||
        timing_create(&viewer->device, viewer->gpu, FRAMES_IN_FLIGHT, viewer->options.trace, &viewer->timing, error)) {
        return error->result;
    }
    for (uint32_t i = 0; i < FRAMES_IN_FLIGHT; i++) {
        if (create_slot(&viewer->device, &viewer->slots[i], error)) {
            return error->result;
        }
    }
    return LMB_OK;
}

static lmb_result open_comparison(viewer *viewer, lmb_error *error) {
    const options *options = &viewer->options;
    const float aspect = (float)options->width / (float)options->height;
    return has_comparison(viewer)
               ? comparison_create(&options->comparison, aspect, &viewer->character, &viewer->comparison, error)
               : LMB_OK;
}

static lmb_result open_demo(viewer *viewer, lmb_error *error) {
    const options *options = &viewer->options;
    if (has_demo(viewer) && options->demo->file != NULL && options->mannequin != NULL) {
        return viewer_fail(error, LMB_ERROR_ARGUMENT,
                           "the demo %s is for %s, which is not part of Limber: give its path", options->demo->name,
                           options->demo->file);
    }
    return has_demo(viewer)
               ? demo_open(options->demo, options->clips, options->clip_count, &viewer->character, &viewer->demo, error)
               : LMB_OK;
}

static lmb_result open_graph(viewer *viewer, lmb_error *error) {
    return has_graph(viewer) ? graph_view_open(&viewer->options.graph, &viewer->character, &viewer->view, error)
                             : LMB_OK;
}

static uint32_t choose_count(const viewer *viewer) {
    const options *options = &viewer->options;
    const uint32_t usual = has_demo(viewer) ? options->demo->characters : has_graph(viewer) ? 1 : CHARACTERS;
    if (has_comparison(viewer)) {
        return viewer->comparison.figure_count;
    }
    if (options->characters > 0) {
        return options->characters;
    }
    return is_on_cpu(viewer) && usual > CHARACTERS_ON_CPU ? CHARACTERS_ON_CPU : usual;
}

static lmb_result open_crowd(viewer *viewer, lmb_error *error) {
    if (crowd_create(&viewer->character, choose_count(viewer), &viewer->crowd, error)) {
        return error->result;
    }
    return has_demo(viewer) ? demo_start(&viewer->demo, &viewer->crowd, error) : LMB_OK;
}

// Places the camera ahead and to the side of a single character, or before the crowd.
static void place_camera(viewer *viewer) {
    viewer->camera = camera_before_crowd(viewer->crowd.radius, viewer->character.height);
    if ((has_demo(viewer) || has_graph(viewer)) && viewer->crowd.count == 1) {
        viewer->camera.yaw = 0.75f;
        viewer->camera.distance = fmaxf(2.5f * viewer->character.height, 2.9f * viewer->character.width);
        viewer->camera.target[1] = 0.55f * viewer->character.height;
    }
}

// Places the camera as the scene has it, if it has one. In a window the user moves it, and it only follows the
// characters.
static bool place_in_scene(viewer *viewer, bool whole) {
    double seconds = 0.0;
    const play_scene *scene = shown_scene(viewer, &seconds);
    float eye[3], target[3];
    if (scene == NULL || !play_scene_camera(scene, seconds, eye, target)) {
        return false;
    }
    if (whole) {
        camera_place(&viewer->camera, eye, target);
        viewer->camera.nearest = fminf(viewer->camera.nearest, 0.5f * viewer->camera.distance);
    } else {
        memcpy(viewer->camera.target, target, sizeof target);
    }
    return true;
}

// Keeps a single character in view, to the right of the windows over the picture, and the crowd of a graph.
static void follow_characters(viewer *viewer) {
    float *target = viewer->camera.target;
    if (place_in_scene(viewer, viewer->window == NULL)) {
        return;
    }
    if (viewer->crowd.count == 1) {
        const VkExtent2D extent = renderer_extent(viewer->renderer);
        const float aspect = (float)extent.width / (float)extent.height;
        const float hidden = (ui_covered(viewer->ui) - 0.5f) * aspect + REACH;
        const float *place = viewer->crowd.members[0].placement.position;
        target[0] = place[0];
        target[2] = place[1];
        camera_step_aside(&viewer->camera, fmaxf(fminf(hidden, 0.25f * aspect), 0.0f));
    } else if (has_graph(viewer)) {
        float way[2];
        graph_view_way(&viewer->view, way);
        target[0] = viewer->controls.camera.target[0] + way[0];
        target[2] = viewer->controls.camera.target[2] + way[1];
    }
}

static void place_comparison(viewer *viewer) {
    if (has_comparison(viewer)) {
        comparison_place(&viewer->comparison, &viewer->crowd);
        viewer->camera = comparison_camera(&viewer->comparison, &viewer->character);
    }
}

static uint32_t find_modes(const viewer *viewer) {
    const demo_kind *demo = viewer->options.demo;
    if (has_graph(viewer)) {
        return CONTROLS_GRAPH;
    }
    if (has_demo(viewer)) {
        return CONTROLS_DEMO | (demo->pressed != NULL ? CONTROLS_PRESSES : CONTROLS_PAUSES) |
               (demo->slider_count > 0 ? CONTROLS_SLIDERS : 0);
    }
    return CONTROLS_CROWD | (viewer->character.wave != NULL ? CONTROLS_WAVES : 0);
}

static lmb_result open_character(viewer *viewer, lmb_error *error) {
    const options *options = &viewer->options;
    const bool has_files = options->mannequin == NULL;
    character_def def = {.import = {.paths = has_files ? (const char *const *)options->files : &options->mannequin,
                                    .path_count = has_files ? options->file_count : 1,
                                    .skeleton_only = options->skeleton_only,
                                    .exact_scales = options->exact_scales,
                                    .bvh_unit = options->bvh_unit},
                         .clips = options->clips,
                         .clip_count = has_demo(viewer) ? 0 : options->clip_count,
                         .sources = options->sources,
                         .source_count = options->source_count,
                         .poses = options->poses,
                         .pose_count = options->pose_count,
                         // A window may be enlarged; a picture keeps its size.
                         .tallest = options->headless ? (float)options->height : FLT_MAX};
    lmb_arena splits = {0};
    lmb_result result = character_file_read_splits(options->splits, options->split_count, &splits, &def.import, error);
    result = result == LMB_OK ? character_open(&def, &viewer->character, error) : result;
    lmb_arena_release(&splits);
    return result;
}

static lmb_result open_viewer(viewer *viewer, lmb_error *error) {
    const options *options = &viewer->options;
    if ((!options->headless && window_open(options->width, options->height, &viewer->window, error)) ||
        open_device(viewer, error) || open_character(viewer, error) || open_comparison(viewer, error) ||
        open_demo(viewer, error) || open_graph(viewer, error) || open_crowd(viewer, error) ||
        create_batch(viewer, error) || create_frames(viewer, error)) {
        return error->result;
    }
    place_camera(viewer);
    place_comparison(viewer);
    place_in_scene(viewer, true);
    viewer->demo.scripted = options->headless;
    viewer->controls.speed = 1.0;
    viewer->controls.camera = viewer->camera;
    viewer->controls.modes = find_modes(viewer);
    viewer->controls.paths = true;
    viewer->controls.times = options->times;
    return LMB_OK;
}

static void close_device(viewer *viewer) {
    VkDevice device = viewer->device.device;
    vkDeviceWaitIdle(device);
    for (uint32_t i = 0; i < FRAMES_IN_FLIGHT; i++) {
        vkDestroyFence(device, viewer->slots[i].done, NULL);
        vkDestroyCommandPool(device, viewer->slots[i].pool, NULL);
    }
    timing_destroy(&viewer->timing);
    ui_destroy(viewer->ui);
    graph_view_close_device(&viewer->view);
    renderer_destroy(viewer->renderer);
    demo_unbind(&viewer->demo);
    compute_skin_destroy(viewer->skin);
    lmb_gpu_batch_destroy(viewer->batch);
    lmb_gpu_graph_destroy(viewer->graph);
    lmb_gpu_destroy(viewer->gpu);
}

// Returns the number of validation messages.
static uint32_t close_viewer(viewer *viewer) {
    if (viewer->device.device != VK_NULL_HANDLE) {
        close_device(viewer);
    }
    window_close(viewer->window);
    uint32_t messages = device_close(&viewer->device);
    crowd_destroy(&viewer->crowd);
    comparison_destroy(&viewer->comparison);
    free(viewer->palette);
    demo_close(&viewer->demo);
    graph_view_close(&viewer->view);
    character_close(&viewer->character);
    return messages;
}

static lmb_result wait_for_slot(viewer *viewer, uint32_t index, lmb_error *error) {
    slot *slot = &viewer->slots[index];
    if (!slot->submitted) {
        return LMB_OK;
    }
    if (graphics_check(vkWaitForFences(viewer->device.device, 1, &slot->done, VK_TRUE, UINT64_MAX), "vkWaitForFences",
                       error)) {
        return error->result;
    }
    slot->submitted = false;
    if (timing_collect(&viewer->timing, index, error) ||
        graphics_check(vkResetFences(viewer->device.device, 1, &slot->done), "vkResetFences", error)) {
        return error->result;
    }
    return graphics_check(vkResetCommandPool(viewer->device.device, slot->pool, 0), "vkResetCommandPool", error);
}

static bool draws_joints(const viewer *viewer) {
    return viewer->controls.joints != CONTROLS_NO_JOINTS && !has_comparison(viewer);
}

static uint32_t watched_character(const viewer *viewer) {
    return has_graph(viewer) ? viewer->view.watched : 0;
}

static void look(const viewer *viewer, camera_view *view) {
    const VkExtent2D extent = renderer_extent(viewer->renderer);
    camera_look(&viewer->camera, (float)extent.width / (float)extent.height, view);
}

// Finds the character whose motion matching may be shown. Returns whether its graph matches motion.
static bool find_matched(const viewer *viewer, matched *shown) {
    const uint32_t character = watched_character(viewer);
    *shown = (matched){.character = character};
    if (has_demo(viewer)) {
        const demo *demo = &viewer->demo;
        shown->graph = demo->graph;
        shown->state = demo->states + (size_t)character * lmb_graph_get_info(demo->graph)->state_words;
        shown->parameters = demo->parameters + (size_t)character * demo->parameter_count;
    } else if (has_graph(viewer) && viewer->view.run != NULL && graph_run_moment(viewer->view.run, 0) != NULL) {
        const graph_run *run = viewer->view.run;
        const graph_moment *moment = graph_run_moment(run, 0);
        shown->graph = run->graph;
        shown->state = graph_run_state(run, moment, character);
        shown->parameters = graph_run_parameters(run, moment, character);
    }
    return shown->graph != NULL && matched_has_any(shown->graph);
}

// Joints, paths and targets, which are no windows.
static void show_marks(viewer *viewer) {
    camera_view view;
    matched shown;
    look(viewer, &view);
    const bool matches = find_matched(viewer, &shown);
    viewer->controls.modes = (viewer->controls.modes & ~(uint32_t)CONTROLS_MATCHES) | (matches ? CONTROLS_MATCHES : 0);
    if (matches && viewer->controls.paths) {
        matched_show_paths(&shown, &viewer->crowd, &view, viewer->ui);
    }
    if (draws_joints(viewer)) {
        joints_show(&viewer->crowd, watched_character(viewer), viewer->palette, &view,
                    viewer->controls.joints == CONTROLS_NAMES, viewer->ui);
    }
    if (has_graph(viewer)) {
        graph_view_show_targets(&viewer->view, &view, viewer->ui);
    }
}

static void show_windows(viewer *viewer) {
    matched shown;
    if (has_demo(viewer)) {
        demo_show(&viewer->demo, viewer->ui);
    }
    if (has_graph(viewer)) {
        ui_keep_left_column(viewer->ui);
        graph_view_show_inputs(&viewer->view, viewer->ui);
    }
    if (viewer->controls.times) {
        timing_show(&viewer->timing, viewer->crowd.count, viewer->ui);
    }
    if (has_graph(viewer)) {
        ui_begin_right_column(viewer->ui);
        graph_view_show_graph(&viewer->view, viewer->ui);
    }
    if (viewer->controls.paths && find_matched(viewer, &shown)) {
        matched_show(&shown, viewer->ui);
    }
    if (viewer->controls.help) {
        controls_show_keys(&viewer->controls, viewer->ui);
    }
    if (has_graph(viewer)) {
        const graph_view_time time = {&viewer->controls.paused, &viewer->controls.steps, &viewer->controls.speed};
        graph_view_show_time(&viewer->view, time, viewer->ui);
    }
    if (has_comparison(viewer)) {
        comparison_show_names(&viewer->comparison, viewer->ui);
    }
}

static void show_over_picture(viewer *viewer) {
    ui_begin(viewer->ui, renderer_extent(viewer->renderer));
    show_marks(viewer);
    if (!viewer->options.plain) {
        show_windows(viewer);
    }
    ui_end(viewer->ui);
}

// Sets what is shown over the picture, and moves the camera, which depends on how much windows cover. They have the
// sizes that their contents had the time before, which the user does not notice; for a picture, and at first, all is
// set twice.
static void update_ui(viewer *viewer) {
    if (viewer->window == NULL || viewer->frames == 0) {
        show_over_picture(viewer);
    }
    if (has_demo(viewer) || has_graph(viewer)) {
        follow_characters(viewer);
    }
    show_over_picture(viewer);
}

// If only some frames are saved as pictures, only these are drawn.
static bool is_drawn(const viewer *viewer) {
    const options *options = &viewer->options;
    uint32_t frame = viewer->frames + 1;
    return !options->headless || options->every == 0 || frame % options->every == 0 || frame == options->frames;
}

static lmb_result record_poses(viewer *viewer, VkCommandBuffer commands, uint32_t index, lmb_gpu_profile *profile,
                               lmb_error *error) {
    const lmb_gpu_record_info info = {.commands = commands,
                                      .slot = index,
                                      .step = viewer->demo.step,
                                      .number = viewer->demo.number,
                                      .profile = profile};
    return has_graph(viewer) ? graph_view_record(&viewer->view, commands, index, profile, error)
                             : lmb_gpu_batch_record(viewer->batch, &info, error);
}

static lmb_result begin_commands(VkCommandBuffer commands, lmb_error *error) {
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    return graphics_check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer", error);
}

// Reads the palette of the character whose joints are drawn, from the span that has it.
static lmb_result read_palette(viewer *viewer, uint32_t index, lmb_error *error) {
    const uint32_t character = watched_character(viewer);
    const VkDeviceSize size =
        lmb_rig_get_def(viewer->character.rig)->joint_count * LMB_MATRIX_COMPONENTS * sizeof(float);
    lmb_gpu_span span = {0};
    uint32_t i = 0;
    while (lmb_gpu_batch_output(shown_batch(viewer), index, LMB_OUTPUT_PALETTE, i, &span) &&
           span.first_character + span.character_count <= character) {
        i++;
    }
    span.offset += (character - span.first_character) * size;
    span.size = size;
    free(viewer->palette);
    viewer->palette = malloc(size);
    return viewer->palette != NULL ? device_read_span(&viewer->device, &span, viewer->palette, error)
                                   : viewer_fail(error, LMB_ERROR_MEMORY, "no memory for a palette");
}

// Runs the poses of a frame before the rest of it, and waits for them, so that joints are drawn where they are.
static lmb_result run_poses(viewer *viewer, uint32_t index, lmb_error *error) {
    VkCommandBuffer commands = viewer->slots[index].poses;
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    if (begin_commands(commands, error) || record_poses(viewer, commands, index, NULL, error) ||
        graphics_check(vkEndCommandBuffer(commands), "vkEndCommandBuffer", error) ||
        graphics_check(vkQueueSubmit(viewer->device.queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit", error)) {
        return error->result;
    }
    return read_palette(viewer, index, error);
}

static lmb_result record_frame(viewer *viewer, uint32_t index, lmb_error *error) {
    VkCommandBuffer commands = viewer->slots[index].commands;
    if (begin_commands(commands, error) || timing_record_begin(&viewer->timing, commands, index, error) ||
        (!draws_joints(viewer) && record_poses(viewer, commands, index, viewer->timing.profile, error)) ||
        (viewer->skin != NULL && compute_skin_record(viewer->skin, commands, viewer->batch, index, error)) ||
        timing_record_before_draw(&viewer->timing, commands, index, error)) {
        return error->result;
    }
    double seconds = 0.0;
    const play_scene *scene = shown_scene(viewer, &seconds);
    if (is_drawn(viewer)) {
        renderer_record(viewer->renderer, &(renderer_frame){.commands = commands,
                                                            .frame = index,
                                                            .crowd = &viewer->crowd,
                                                            .camera = &viewer->camera,
                                                            .batch = shown_batch(viewer),
                                                            .skin = viewer->skin,
                                                            .scene = scene,
                                                            .seconds = seconds,
                                                            .ui = viewer->ui});
    }
    if (timing_record_after_draw(&viewer->timing, commands, index, error)) {
        return error->result;
    }
    if (viewer->window != NULL) {
        window_record_copy(viewer->window, commands, renderer_picture(viewer->renderer),
                           renderer_extent(viewer->renderer));
    }
    return graphics_check(vkEndCommandBuffer(commands), "vkEndCommandBuffer", error);
}

static lmb_result submit_frame(viewer *viewer, uint32_t index, lmb_error *error) {
    slot *slot = &viewer->slots[index];
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkSemaphore acquired = VK_NULL_HANDLE;
    VkSemaphore rendered = VK_NULL_HANDLE;
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &slot->commands};
    if (viewer->window != NULL) {
        acquired = window_acquired(viewer->window, index);
        rendered = window_rendered(viewer->window);
        submit.waitSemaphoreCount = 1;
        submit.pWaitSemaphores = &acquired;
        submit.pWaitDstStageMask = &stage;
        submit.signalSemaphoreCount = 1;
        submit.pSignalSemaphores = &rendered;
    }
    if (graphics_check(vkQueueSubmit(viewer->device.queue, 1, &submit, slot->done), "vkQueueSubmit", error)) {
        return error->result;
    }
    slot->submitted = true;
    viewer->last_slot = index;
    viewer->frames++;
    return viewer->window != NULL ? window_present(viewer->window, error) : LMB_OK;
}

// Recreates the swapchain and the picture at the window's size. `ready` is false while there is nothing to draw on.
static lmb_result prepare_window(viewer *viewer, uint32_t index, bool *ready, lmb_error *error) {
    *ready = false;
    if (window_is_stale(viewer->window)) {
        vkDeviceWaitIdle(viewer->device.device);
        if (window_renew(viewer->window, error)) {
            return error->result;
        }
        if (window_is_stale(viewer->window)) {
            return LMB_OK;
        }
        if (renderer_resize(viewer->renderer, window_extent(viewer->window), error)) {
            return error->result;
        }
    }
    return window_acquire(viewer->window, index, ready, error);
}

// Gives the pointer to the graph's view, and what that does not take to the camera.
static void apply_pointer(viewer *viewer, window_input *input) {
    const bool is_over_windows = ui_takes_mouse(viewer->ui);
    const graph_view_pointer pointer = {.at = {input->at[0], input->at[1]},
                                        .pressed = input->pressed && !is_over_windows,
                                        .released = input->lifted,
                                        .clicked = input->clicked && !is_over_windows};
    camera_view view;
    look(viewer, &view);
    if ((has_graph(viewer) && graph_view_point(&viewer->view, &pointer, &view)) || is_over_windows) {
        input->drag_x = input->drag_y = 0.0f;
    }
    if (is_over_windows) {
        input->wheel = 0.0f;
    }
}

static void read_input(viewer *viewer, window_input *input) {
    scripted_input *script = &viewer->options.input;
    const VkExtent2D extent = renderer_extent(viewer->renderer);
    if (viewer->window != NULL) {
        window_poll(viewer->window, input);
        return;
    }
    scripted_input_take(script, viewer->frames, extent, input);
    ui_set_pointer(viewer->ui, script->at[0] * (float)extent.width, script->at[1] * (float)extent.height, script->held);
}

static void handle_input(viewer *viewer) {
    window_input input;
    read_input(viewer, &input);
    apply_pointer(viewer, &input);
    if (has_demo(viewer) && !ui_takes_keys(viewer->ui)) {
        controls_apply_to_demo(&input, &viewer->demo);
    }
    if (has_graph(viewer) && !ui_takes_keys(viewer->ui)) {
        controls_apply_to_graph(&viewer->controls, &input, &viewer->view);
    }
    controls_apply(&viewer->controls, &input, &viewer->crowd, &viewer->camera);
    char title[sizeof viewer->title];
    controls_describe(&viewer->controls, &viewer->crowd, title, sizeof title);
    if (viewer->window != NULL && strcmp(title, viewer->title) != 0) {
        memcpy(viewer->title, title, sizeof title);
        window_set_title(viewer->window, title);
    }
}

static lmb_result write_parameters(viewer *viewer, uint32_t index, double elapsed, lmb_error *error) {
    double seconds = controls_take_time(&viewer->controls, elapsed);
    float eye[3];
    camera_eye(&viewer->camera, eye);
    if (has_demo(viewer)) {
        if (demo_advance(&viewer->demo, seconds, viewer->window != NULL ? eye : NULL, error)) {
            return error->result;
        }
        return demo_write(&viewer->demo, viewer->batch, index, error);
    }
    if (has_graph(viewer)) {
        const lmb_result result = graph_view_advance(&viewer->view, seconds, viewer->window != NULL ? eye : NULL, index,
                                                     viewer->frames, error);
        if (graph_view_needs_camera(&viewer->view)) {
            place_camera(viewer);
            place_in_scene(viewer, true);
            viewer->controls.camera = viewer->camera;
        }
        return result;
    }
    float *parameters = lmb_gpu_batch_parameters(viewer->batch, index);
    if (has_comparison(viewer)) {
        comparison_write_parameters(&viewer->comparison, viewer->frames, parameters);
        return LMB_OK;
    }
    crowd_advance(&viewer->crowd, seconds);
    crowd_write_parameters(&viewer->crowd, parameters);
    return LMB_OK;
}

static lmb_result draw_frame(viewer *viewer, double elapsed, lmb_error *error) {
    uint32_t index = viewer->frames % FRAMES_IN_FLIGHT;
    bool ready = true;
    timing_begin(&viewer->timing);
    if (wait_for_slot(viewer, index, error) ||
        (viewer->window != NULL && prepare_window(viewer, index, &ready, error))) {
        return error->result;
    }
    if (!ready) {
        return LMB_OK;
    }
    timing_end(&viewer->timing, TIMING_WAIT);
    if ((has_graph(viewer) && graph_view_begin(&viewer->view, index, viewer->frames, error)) ||
        write_parameters(viewer, index, elapsed, error) || (draws_joints(viewer) && run_poses(viewer, index, error))) {
        return error->result;
    }
    update_ui(viewer);
    timing_end(&viewer->timing, TIMING_CROWD);
    if (record_frame(viewer, index, error)) {
        return error->result;
    }
    timing_end(&viewer->timing, TIMING_RECORD);
    if (submit_frame(viewer, index, error)) {
        return error->result;
    }
    timing_end(&viewer->timing, TIMING_SUBMIT);
    timing_end_frame(&viewer->timing);
    return LMB_OK;
}

// Saves frames in between: PICTURE-0060.png for PICTURE.png.
static lmb_result save_in_between(viewer *viewer, lmb_error *error) {
    const options *options = &viewer->options;
    if (options->screenshot == NULL || options->every == 0 || viewer->frames % options->every != 0) {
        return LMB_OK;
    }
    for (uint32_t i = 0; i < FRAMES_IN_FLIGHT; i++) {
        if (wait_for_slot(viewer, i, error)) {
            return error->result;
        }
    }
    char path[1024];
    const char *dot = strrchr(options->screenshot, '.');
    int length = dot != NULL ? (int)(dot - options->screenshot) : (int)strlen(options->screenshot);
    snprintf(path, sizeof path, "%.*s-%04u%s", length, options->screenshot, viewer->frames, dot != NULL ? dot : "");
    return renderer_save_picture(viewer->renderer, path, error);
}

static lmb_result draw_frames(viewer *viewer, lmb_error *error) {
    double started = now();
    double before = started;
    while (!viewer->controls.quit && (viewer->options.frames == 0 || viewer->frames < viewer->options.frames)) {
        double elapsed = HEADLESS_STEP;
        if (viewer->window != NULL || viewer->options.input.count > 0) {
            handle_input(viewer);
        }
        if (viewer->window != NULL) {
            double after = now();
            elapsed = after - before < LONGEST_STEP ? after - before : LONGEST_STEP;
            before = after;
        }
        if (draw_frame(viewer, elapsed, error) || save_in_between(viewer, error)) {
            return error->result;
        }
    }
    for (uint32_t i = 0; i < FRAMES_IN_FLIGHT; i++) {
        if (wait_for_slot(viewer, i, error)) {
            return error->result;
        }
    }
    viewer->seconds = now() - started;
    return LMB_OK;
}

// Compares the characters' states, and stores the parameters for the comparison of palettes after it.
static lmb_result summarize_demo(viewer *viewer, bool *good, lmb_error *error) {
    uint64_t compared = 0, differ = 0;
    if (!has_demo(viewer)) {
        return LMB_OK;
    }
    if (demo_compare_with_reference(&viewer->demo, &viewer->device, viewer->batch, viewer->last_slot, &compared,
                                    &differ, error)) {
        return error->result;
    }
    terminal_print("control: %s: %llu words of state compared, %llu differ\n",
                   differ == 0 ? "bit-exact" : "not bit-exact", (unsigned long long)compared,
                   (unsigned long long)differ);
    const float *place = viewer->crowd.members[0].placement.position;
    terminal_print("first character: at %.3f, %.3f metres\n", (double)place[0], (double)place[1]);
    *good = differ == 0;
    return LMB_OK;
}

static lmb_result summarize_skin(const viewer *viewer, bool *good, lmb_error *error) {
    uint64_t compared = 0, differ = 0;
    if (viewer->skin == NULL) {
        return LMB_OK;
    }
    if (compute_skin_compare(viewer->skin, viewer->batch, viewer->last_slot, &compared, &differ, error)) {
        return error->result;
    }
    terminal_print("skinned vertices: %s: %llu values compared, %llu differ\n",
                   differ == 0 ? "bit-exact" : "not bit-exact", (unsigned long long)compared,
                   (unsigned long long)differ);
    *good = *good && differ == 0;
    return LMB_OK;
}

// Prints a summary; `good` is true if everything is bit-exact.
static lmb_result summarize(viewer *viewer, bool *good, lmb_error *error) {
    VkExtent2D extent = renderer_extent(viewer->renderer);
    lmb_comparison comparison = {0};
    const lmb_batch_inputs inputs =
        has_graph(viewer) ? graph_view_inputs(&viewer->view, viewer->last_slot)
                          : (lmb_batch_inputs){.points = viewer->demo.points[viewer->last_slot].mapped,
                                               .transforms = viewer->demo.transforms[viewer->last_slot].mapped};
    if (summarize_demo(viewer, good, error) || summarize_skin(viewer, good, error) ||
        compare_with_reference(&viewer->device, shown_batch(viewer), viewer->last_slot, &inputs, &comparison, error)) {
        return error->result;
    }
    terminal_print("device: %s\n", viewer->device.properties.deviceName);
    terminal_print("characters: %u of %s, %u joints each\n", viewer->crowd.count, viewer->character.name,
                   lmb_graph_get_info(viewer->character.graph)->joint_count);
    terminal_print("frames: %u of %ux%u in %.2f s\n", viewer->frames, extent.width, extent.height, viewer->seconds);
    if (timing_finish(&viewer->timing, error)) {
        return error->result;
    }
    uint64_t differs = lmb_comparison_differs(&comparison);
    terminal_print("%s: %llu values compared, %llu differ\n", differs == 0 ? "bit-exact" : "not bit-exact",
                   (unsigned long long)lmb_comparison_values(&comparison), (unsigned long long)differs);
    if (differs != 0) {
        char text[300];
        lmb_comparison_describe(&comparison, text, sizeof text);
        terminal_print("first difference: %s\n", text);
    }
    // In a window the user has seen what was wrong, and may have mended it.
    *good = *good && differs == 0 && !(viewer->options.headless && viewer->view.has_failed);
    return LMB_OK;
}

static lmb_result show(viewer *viewer, bool *good, lmb_error *error) {
    if (viewer->window != NULL) {
        window_show(viewer->window);
    }
    if (draw_frames(viewer, error)) {
        return error->result;
    }
    if (viewer->frames == 0) {
        return LMB_OK;
    }
    if (viewer->options.screenshot != NULL &&
        renderer_save_picture(viewer->renderer, viewer->options.screenshot, error)) {
        return error->result;
    }
    return summarize(viewer, good, error);
}

static int run(const options *options) {
    viewer viewer = {.options = *options};
    lmb_error error;
    bool good = true;
    lmb_result result = open_viewer(&viewer, &error);
    if (result == LMB_OK) {
        result = show(&viewer, &good, &error);
    }
    if (result != LMB_OK) {
        terminal_error("limber-viewer: %s\n", error.message);
    }
    uint32_t messages = close_viewer(&viewer);
    if (messages != 0) {
        terminal_error("limber-viewer: the validation layer had %u messages\n", messages);
        good = false;
    }
    return result == LMB_OK && good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argument_count, char **arguments) {
    reader_serve(argument_count, arguments);
    options options;
    const int status = options_parse(argument_count, arguments, &options);
    if (status == EXIT_SUCCESS) { // help was requested
        controls_print_keys();
    }
    return status == COMMAND_LINE_GOOD ? run(&options) : status;
}
