// A small renderer with Limber. Each frame, in one command buffer:
//
//   cull       lists the characters in the picture, by the boxes that Limber wrote in the frame before    cull.comp
//   batch      the control of all characters, the poses of those in the list         lmb_gpu_batch_record()
//   skin       their vertices, now and in the frame before                           lmb_gpu_skin_record()
//   shadows    depth as the sun sees it, drawn indirectly from the skinned vertices   shadow.vert
//   picture    colour and motion vectors, from the same vertices    character.vert, ground.vert, picture.frag
//   read back  footsteps, and where the first character is, for the camera           lmb_gpu_readback_record()
//
// The host does not know which characters are drawn. It reads what the last line says, and their number, two frames
// late.
//
// limber-renderer [FILE.lmb [FRAMES]]: the file is a pack with meshes and with a graph that has a character motion
// (`limber pack`). With a display it opens a window. Without one, or if FRAMES are given, it draws so many frames and
// writes the last one to renderer.png, and its motion vectors to renderer-motion.png.
#define VOLK_IMPLEMENTATION
#include "vulkan.hpp"

#define CGLM_FORCE_DEPTH_ZERO_TO_ONE
#include <cglm/cglm.h>
#include <stb/stb_image_write.h>

#define LIMBER_EXCEPTIONS 1 // value() throws
#include <limber/gpu.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

// A frame reads motions and lists of the one before, so there is a slot more than frames in flight: otherwise the next
// frame would write what this one draws.
constexpr uint32_t IN_FLIGHT = 2, SLOTS = IN_FLIGHT + 1, CHARACTERS = 100;
constexpr VkExtent2D SIZE{1280, 720}, SHADOW_SIZE{2048, 2048};
constexpr VkFormat COLOR = VK_FORMAT_R8G8B8A8_SRGB, MOTION = VK_FORMAT_R16G16_SFLOAT, DEPTH = VK_FORMAT_D32_SFLOAT;

// Compiled by glslc.
constexpr uint32_t cull_comp[] = {
#include "cull.comp.inc"
};
constexpr uint32_t shadow_vert[] = {
#include "shadow.vert.inc"
};
constexpr uint32_t character_vert[] = {
#include "character.vert.inc"
};
constexpr uint32_t ground_vert[] = {
#include "ground.vert.inc"
};
constexpr uint32_t picture_frag[] = {
#include "picture.frag.inc"
};

// The data of a frame. Mirrored by scene.glsl.
struct scene {
    mat4 view_projection, previous_view_projection, sun_projection;
    vec3 eye, sun;
    vec2 size;
    uint32_t character_count, vertex_count, lists_all;
    VkDeviceAddress positions, previous_positions, normals, colors, draw, list, listed, listed_before, motions,
        previous_motions, boxes;
};

// ---- The character: what does not change from frame to frame.

std::vector<uint32_t> read_file(const char *path) {
    std::error_code ignored; // opening a pipe would wait for what writes into it
    std::ifstream file;
    if (std::filesystem::is_regular_file(path, ignored)) {
        file.open(path, std::ios::binary | std::ios::ate);
    }
    if (!file.is_open()) {
        throw std::runtime_error(std::string(path) + " cannot be read");
    }
    const auto size = static_cast<size_t>(file.tellg());
    std::vector<uint32_t> words((size + 3) / 4);
    file.seekg(0).read(reinterpret_cast<char *>(words.data()), static_cast<std::streamsize>(size));
    return words;
}

// All meshes of a pack as one, which one indirect command draws. Textures and morph targets are left out.
struct model {
    std::vector<lmb_vertex> vertices;
    std::vector<uint32_t> indices;
    std::vector<std::array<float, 4>> colors;
    uint32_t influence_count = 1;

    explicit model(const lmb_pack *pack) {
        for (uint32_t i = 0; i < lmb_pack_get_def(pack)->mesh_count; i++) {
            const lmb_mesh *mesh = &lmb_pack_get_def(pack)->meshes[i];
            for (uint32_t k = 0; k < mesh->index_count; k++) {
                indices.push_back(static_cast<uint32_t>(vertices.size()) + mesh->indices[k]);
            }
            vertices.insert(vertices.end(), mesh->vertices, mesh->vertices + mesh->vertex_count);
            colors.resize(vertices.size(), std::to_array(mesh->base_color));
            influence_count = std::max(influence_count, mesh->influence_count);
        }
    }

    limber::skin create_skin(uint32_t joint_count) const {
        lmb_skin_def def = lmb_default_skin_def();
        def.joint_count = joint_count;
        def.vertex_count = static_cast<uint32_t>(vertices.size());
        def.influence_count = influence_count;
        def.positions = {LMB_SKIN_FORMAT_FLOAT, vertices.at(0).position, sizeof(lmb_vertex)};
        def.normals = {LMB_SKIN_FORMAT_FLOAT, vertices.at(0).normal, sizeof(lmb_vertex)};
        def.joints = {LMB_SKIN_FORMAT_UINT32, vertices.at(0).joints, sizeof(lmb_vertex)};
        def.weights = {LMB_SKIN_FORMAT_FLOAT, vertices.at(0).weights, sizeof(lmb_vertex)};
        return limber::create_skin(def).value();
    }
};

limber::graph create_graph(const lmb_pack *pack) {
    const lmb_pack_def *content = lmb_pack_get_def(pack);
    const lmb_pack_graph *first = content->graphs;
    if (content->graph_count == 0 || first->def->motion == nullptr || content->mesh_count == 0) {
        throw std::runtime_error("the pack has no meshes, or no graph with a character motion");
    }
    if (first->def->motion->full_rotation) {
        throw std::runtime_error("the graph has full rotation, and the shaders turn characters by their yaw");
    }
    return limber::create_graph(*first->def).value();
}

limber::gpu create_gpu(const vulkan &vk) {
    lmb_gpu_def def = lmb_default_gpu_def();
    def.get_instance_proc_addr = vkGetInstanceProcAddr;
    def.instance = vk.instance;
    def.physical_device = vk.physical;
    def.device = vk.device;
    def.probe_queue = vk.queue;
    def.probe_queue_family = vk.family;
    return limber::create_gpu(def).value();
}

// The characters begin in a square around the origin, 3 m from each other.
std::array<lmb_motion, CHARACTERS> find_starts() {
    const auto columns = static_cast<uint32_t>(std::ceil(std::sqrt(CHARACTERS)));
    std::array<lmb_motion, CHARACTERS> starts{};
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        starts[i].position[0] = 3.0 * (i % columns - 0.5 * (columns - 1));
        starts[i].position[2] = 3.0 * (i / columns - 0.5 * (columns - 1));
    }
    return starts;
}

limber::gpu_batch create_batch(lmb_gpu *gpu, lmb_gpu_graph *graph) {
    const auto starts = find_starts();
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.graph = graph;
    def.character_count = CHARACTERS;
    def.outputs = LMB_OUTPUT_PALETTE_BIT | LMB_OUTPUT_PREVIOUS_PALETTE_BIT | LMB_OUTPUT_BOUNDS_BIT;
    def.slot_count = SLOTS;
    def.emits_events = true;
    def.motions = starts.data();
    return limber::create_gpu_batch(gpu, def).value();
}

limber::gpu_readback create_readback(lmb_gpu *gpu, const lmb_gpu_batch *batch) {
    lmb_gpu_readback_def def = lmb_default_gpu_readback_def();
    def.batch = batch;
    def.contents = LMB_READBACK_EMITTED_BIT | LMB_READBACK_MOTIONS_BIT;
    return limber::create_gpu_readback(gpu, def).value();
}

// Returns the value of a 16-bit float.
float half(uint32_t bits) {
    const auto exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
    const float magnitude = std::ldexp(exponent == 0 ? fraction : fraction + 1024, std::max(exponent, 1) - 25);
    return bits >> 15 != 0 ? -magnitude : magnitude;
}

// ---- The renderer.

// What each frame in flight has of its own.
struct frame_slot {
    VkCommandBuffer commands;
    VkFence fence;
    VkSemaphore acquired;
    buffer scene, draw, list, listed, positions, previous_positions, normals;
};

struct renderer {
    vulkan vk;
    swapchain window;
    const std::vector<uint32_t> file;
    const limber::pack pack;
    const model mesh;
    const limber::graph graph;
    const limber::skin skin;
    const limber::gpu gpu;
    const limber::gpu_graph gpu_graph;
    const limber::gpu_batch batch;
    const limber::gpu_skin gpu_skin;
    const limber::gpu_readback readback;
    buffer words, indices, colors;
    image color, motion, depth, shadow;
    VkPipelineLayout layout;
    VkDescriptorSet shadow_set;
    VkPipeline cull, cast, characters, ground;
    std::array<frame_slot, SLOTS> slots;
    uint32_t frame = 0;
    double time = 0.0;  // seconds
    uint32_t drawn = 0; // characters in the picture, two frames ago
    uint64_t footsteps = 0;
    const std::array<lmb_motion, CHARACTERS> starts = find_starts();
    vec3 target = {0.0f, 0.0f, 0.0f}; // of the camera
    mat4 view_projection;             // of the last frame

    renderer(const char *path, GLFWwindow *of)
        : vk(of), window(vk, of), file(read_file(path)),
          pack(limber::open_pack(file.data(), file.size() * sizeof(uint32_t)).value()), mesh(pack.get()),
          graph(create_graph(pack.get())), skin(mesh.create_skin(lmb_graph_get_info(graph.get())->joint_count)),
          gpu(create_gpu(vk)), gpu_graph(limber::create_gpu_graph(gpu.get(), graph.get()).value()),
          batch(create_batch(gpu.get(), gpu_graph.get())), gpu_skin(limber::create_gpu_skin(gpu.get()).value()),
          readback(create_readback(gpu.get(), batch.get())) {
        create_buffers();
        create_images();
        create_pipelines();
    }
    ~renderer() {
        vkDeviceWaitIdle(vk.device); // before everything above is destroyed, from the last to the first
    }

    void create_buffers() {
        const VkDeviceSize stream = CHARACTERS * mesh.vertices.size() * sizeof(vec3);
        const VkDrawIndexedIndirectCommand nothing{.indexCount = static_cast<uint32_t>(mesh.indices.size())};
        const auto commands = vk.create_commands(SLOTS);
        words = vk.create_buffer(lmb_skin_get_info(skin.get())->word_count * sizeof(uint32_t), 0, true,
                                 lmb_skin_get_info(skin.get())->words);
        indices = vk.create_buffer(mesh.indices.size() * sizeof(uint32_t), VK_BUFFER_USAGE_INDEX_BUFFER_BIT, true,
                                   mesh.indices.data());
        colors = vk.create_buffer(mesh.colors.size() * sizeof(vec4), 0, true, mesh.colors.data());
        for (uint32_t i = 0; i < SLOTS; i++) {
            slots[i] = {.commands = commands[i],
                        .fence = vk.create_fence(),
                        .acquired = vk.create_semaphore(),
                        .scene = vk.create_buffer(sizeof(scene), 0, true),
                        .draw = vk.create_buffer(sizeof nothing, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, true, &nothing),
                        .list = vk.create_buffer(CHARACTERS * sizeof(uint32_t), 0, false),
                        .listed = vk.create_buffer(CHARACTERS * sizeof(uint32_t), 0, true),
                        .positions = vk.create_buffer(stream, 0, false),
                        .previous_positions = vk.create_buffer(stream, 0, false),
                        .normals = vk.create_buffer(stream, 0, false)};
        }
    }

    void create_images() {
        const auto read = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
        color = vk.create_image(SIZE, COLOR, read, VK_IMAGE_ASPECT_COLOR_BIT);
        motion = vk.create_image(SIZE, MOTION, read, VK_IMAGE_ASPECT_COLOR_BIT);
        depth = vk.create_image(SIZE, DEPTH, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT);
        shadow = vk.create_image(SHADOW_SIZE, DEPTH,
                                 VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
                                 VK_IMAGE_ASPECT_DEPTH_BIT);
    }

    void create_pipelines() {
        layout = vk.create_layout(shadow.view, &shadow_set);
        cull = vk.create_compute(layout, cull_comp);
        cast = vk.create_graphics(layout, shadow_vert, {}, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, {}, DEPTH);
        const VkFormat formats[] = {COLOR, MOTION};
        characters = vk.create_graphics(layout, character_vert, picture_frag, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                        formats, DEPTH);
        ground =
            vk.create_graphics(layout, ground_vert, picture_frag, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, formats, DEPTH);
    }

    // Draws the next frame, `seconds` after the last one.
    void draw(double seconds) {
        const uint32_t current = frame % SLOTS, before = (frame + SLOTS - 1) % SLOTS;
        const frame_slot &slot = slots[current], &oldest = slots[(frame + SLOTS - IN_FLIGHT) % SLOTS];
        check(vkWaitForFences(vk.device, 1, &oldest.fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
        check(vkResetFences(vk.device, 1, &slot.fence), "vkResetFences");
        limber::call(lmb_gpu_readback_completed, readback.get(), current).value();
        drawn = static_cast<VkDrawIndexedIndirectCommand *>(slot.draw.mapped)->instanceCount;
        read_back();
        write_parameters(current);
        write_scene(current, before);
        if (frame == IN_FLIGHT) {
            limber::call(lmb_gpu_graph_uploaded, gpu_graph.get()).value(); // by frame 0
        }

        const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        check(vkBeginCommandBuffer(slot.commands, &begin), "vkBeginCommandBuffer");
        for (const auto point : {VK_PIPELINE_BIND_POINT_COMPUTE, VK_PIPELINE_BIND_POINT_GRAPHICS}) {
            vkCmdBindDescriptorSets(slot.commands, point, layout, 0, 1, &shadow_set, 0, nullptr);
        }
        record_cull(slot);
        record_batch(slot, current, before, seconds);
        record_skin(slot, current);
        record_passes(slot);
        limber::call(lmb_gpu_readback_record, readback.get(), current, slot.commands).value();
        submit(slot);
        frame++;
        time += seconds;
    }

    // Takes what frames have reported that have completed.
    void read_back() {
        lmb_gpu_readback_frame report;
        while (lmb_gpu_readback_next(readback.get(), &report)) {
            for (uint32_t i = 0; i < CHARACTERS; i++) {
                footsteps += report.emitted[i * lmb_graph_get_info(graph.get())->emitted_words];
            }
            // As far from the middle as the first character is from where it began.
            target[0] = report.motions[0] - static_cast<float>(starts[0].position[0]);
            target[2] = report.motions[2] - static_cast<float>(starts[0].position[2]);
        }
    }

    // Everybody walks in a circle, at a speed of their own. Other parameters keep their defaults.
    void write_parameters(uint32_t current) {
        const uint32_t count = lmb_graph_get_info(graph.get())->parameter_count;
        const uint32_t speed = lmb_graph_find_parameter(graph.get(), "speed");
        const uint32_t heading = lmb_graph_find_parameter(graph.get(), "heading");
        float *row = lmb_gpu_batch_parameters(batch.get(), current);
        for (uint32_t i = 0; i < CHARACTERS; i++, row += count) {
            lmb_graph_defaults(graph.get(), row);
            if (speed != LMB_NONE) {
                row[speed] = 1.0f + 0.2f * static_cast<float>(i * 7 % 8);
            }
            if (heading != LMB_NONE) {
                row[heading] = std::remainder(0.8f * static_cast<float>(time), 2.0f * GLM_PIf);
            }
        }
    }

    void write_scene(uint32_t current, uint32_t before) {
        const frame_slot &slot = slots[current], &last = slots[before];
        const bool is_first = frame == 0;
        lmb_gpu_span boxes;
        lmb_gpu_batch_output(batch.get(), before, LMB_OUTPUT_BOUNDS, 0, &boxes);
        scene next{.size = {SIZE.width, SIZE.height},
                   .character_count = CHARACTERS,
                   .vertex_count = static_cast<uint32_t>(mesh.vertices.size()),
                   .lists_all = frame < SLOTS, // until each slot has boxes
                   .positions = slot.positions.address,
                   .previous_positions = slot.previous_positions.address,
                   .normals = slot.normals.address,
                   .colors = colors.address,
                   .draw = slot.draw.address,
                   .list = slot.list.address,
                   .listed = slot.listed.address,
                   .listed_before = last.listed.address,
                   .motions = lmb_gpu_batch_motions(batch.get(), current).address,
                   .previous_motions = lmb_gpu_batch_motions(batch.get(), is_first ? current : before).address,
                   .boxes = boxes.address};
        vec3 up = {0.0f, 1.0f, 0.0f}, from = {-4.0f, 3.2f, 9.0f}, light = {9.0f, 16.0f, 7.0f};
        mat4 projection, view;
        glm_vec3_add(target, from, next.eye);
        glm_lookat(next.eye, target, up, view);
        glm_perspective(0.7f, static_cast<float>(SIZE.width) / SIZE.height, 0.1f, 200.0f, projection);
        projection[1][1] *= -1.0f; // Vulkan's y points down
        glm_mat4_mul(projection, view, next.view_projection);
        glm_mat4_copy(is_first ? next.view_projection : view_projection, next.previous_view_projection);
        glm_mat4_copy(next.view_projection, view_projection);
        vec3 above;
        glm_vec3_normalize_to(light, next.sun);
        glm_vec3_add(target, light, above);
        glm_lookat(above, target, up, view);
        glm_ortho(-16.0f, 16.0f, -16.0f, 16.0f, 0.0f, 60.0f, projection);
        glm_mat4_mul(projection, view, next.sun_projection);
        memcpy(slot.scene.mapped, &next, sizeof next);
        static_cast<VkDrawIndexedIndirectCommand *>(slot.draw.mapped)->instanceCount = 0; // the cull shader counts
    }

    void use_scene(const frame_slot &slot, VkPipelineBindPoint point, VkPipeline pipeline) const {
        vkCmdBindPipeline(slot.commands, point, pipeline);
        vkCmdPushConstants(slot.commands, layout, VK_SHADER_STAGE_ALL, 0, sizeof slot.scene.address,
                           &slot.scene.address);
    }

    // Needs no barrier before it: lmb_gpu_batch_record() of the last frame has ended with one for all that is read
    // here, and the one that follows begins with one for the list. The barrier after it lets the host read the number
    // drawn.
    void record_cull(const frame_slot &slot) const {
        use_scene(slot, VK_PIPELINE_BIND_POINT_COMPUTE, cull);
        vkCmdDispatch(slot.commands, (CHARACTERS + 63) / 64, 1, 1);
        memory_barrier(slot.commands, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT,
                       VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
    }

    VkDeviceAddress list_count(const frame_slot &slot) const {
        return slot.draw.address + offsetof(VkDrawIndexedIndirectCommand, instanceCount);
    }

    void record_batch(const frame_slot &slot, uint32_t current, uint32_t before, double seconds) const {
        if (frame == 0) {
            limber::call(lmb_gpu_graph_record_upload, gpu_graph.get(), slot.commands).value();
        }
        lmb_gpu_record_info info = lmb_default_gpu_record_info();
        info.commands = slot.commands;
        info.slot = current;
        info.has_previous_slot = frame > 0;
        info.previous_slot = before;
        info.list = slot.list.address;
        info.list_count = list_count(slot);
        info.list_capacity = CHARACTERS;
        info.step = lmb_ticks_from_seconds(seconds);
        info.number = frame;
        limber::call(lmb_gpu_batch_record, batch.get(), &info).value();
    }

    void record_skin(const frame_slot &slot, uint32_t current) const {
        lmb_gpu_span palette, previous; // of the whole batch, because it is small
        lmb_gpu_batch_output(batch.get(), current, LMB_OUTPUT_PALETTE, 0, &palette);
        lmb_gpu_batch_output(batch.get(), current, LMB_OUTPUT_PREVIOUS_PALETTE, 0, &previous);
        lmb_gpu_skin_run run{};
        run.skin = skin.get();
        run.words = words.address;
        run.layout = lmb_default_skin_layout(CHARACTERS); // writes positions
        run.layout.packed = true;                         // in the order of the list
        run.layout.streams[LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS].format = LMB_SKIN_FORMAT_FLOAT;
        run.layout.streams[LMB_SKIN_OUTPUT_NORMALS].format = LMB_SKIN_FORMAT_FLOAT;
        run.palette = palette.address;
        run.previous_palette = previous.address;
        run.list = slot.list.address;
        run.list_count = list_count(slot);
        run.list_capacity = CHARACTERS;
        run.streams[LMB_SKIN_OUTPUT_POSITIONS] = slot.positions.address;
        run.streams[LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS] = slot.previous_positions.address;
        run.streams[LMB_SKIN_OUTPUT_NORMALS] = slot.normals.address;
        limber::call(lmb_gpu_skin_record, gpu_skin.get(), slot.commands, &run, 1u).value();
    }

    void draw_characters(const frame_slot &slot, VkPipeline pipeline) const {
        use_scene(slot, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
        vkCmdDrawIndexedIndirect(slot.commands, slot.draw.handle, 0, 1, 0);
    }

    void record_passes(const frame_slot &slot) {
        vkCmdBindIndexBuffer(slot.commands, indices.handle, 0, VK_INDEX_TYPE_UINT32);
        transition(slot.commands, shadow, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);
        begin_pass(slot.commands, {}, shadow, SHADOW_SIZE);
        draw_characters(slot, cast);
        vkCmdEndRendering(slot.commands);
        transition(slot.commands, shadow, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);

        transition(slot.commands, color, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
        transition(slot.commands, motion, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
        transition(slot.commands, depth, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);
        begin_pass(slot.commands, {{color.view, {{0.55f, 0.62f, 0.70f, 1.0f}}}, {motion.view, {}}}, depth, SIZE);
        draw_characters(slot, characters);
        use_scene(slot, VK_PIPELINE_BIND_POINT_GRAPHICS, ground);
        vkCmdDraw(slot.commands, 4, 1, 0, 0);
        vkCmdEndRendering(slot.commands);
        transition(slot.commands, color, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    }

    // Shows the picture in the window, if there is one.
    void submit(const frame_slot &slot) {
        if (window.window == nullptr) {
            vk.submit(slot.commands, slot.fence, VK_NULL_HANDLE, VK_NULL_HANDLE);
            return;
        }
        window.acquire(slot.acquired);
        window.record_copy(slot.commands, color, SIZE);
        vk.submit(slot.commands, slot.fence, slot.acquired, window.drawn[window.current]);
        window.present();
    }

    // Writes the last picture, and its motion vectors: red to the right, green down, 8 steps a pixel, none is 128.
    void write_pictures() {
        const std::vector<uint8_t> picture = read_image(vk, color, SIZE);
        stbi_write_png("renderer.png", SIZE.width, SIZE.height, 4, picture.data(), 4 * SIZE.width);
        const std::vector<uint8_t> halves = read_image(vk, motion, SIZE);
        std::vector<uint8_t> shown(3 * SIZE.width * SIZE.height, 128);
        for (size_t i = 0; i < halves.size() / 2; i++) {
            const float pixels = half(halves[2 * i] | halves[2 * i + 1] << 8);
            shown[i / 2 * 3 + i % 2] = static_cast<uint8_t>(std::clamp(128.5f + 8.0f * pixels, 0.0f, 255.0f));
        }
        stbi_write_png("renderer-motion.png", SIZE.width, SIZE.height, 3, shown.data(), 3 * SIZE.width);
    }
};

} // namespace

int main(int argc, char **argv) {
    const bool has_display = argc < 3 && glfwInit() == GLFW_TRUE;
    GLFWwindow *window = nullptr;
    if (has_display) {
        glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
        window = glfwCreateWindow(SIZE.width, SIZE.height, "Limber", nullptr, nullptr);
    }
    int status = EXIT_SUCCESS;
    try {
        renderer renderer(argc > 1 ? argv[1] : RENDERER_PACK, window);
        const int frames = argc > 2 ? std::atoi(argv[2]) : 30;
        double shown = window != nullptr ? glfwGetTime() : 0.0;
        for (int i = 0; window != nullptr ? !glfwWindowShouldClose(window) : i < frames; i++) {
            const double now = window != nullptr ? glfwGetTime() : shown + 1.0 / 60.0;
            renderer.draw(std::min(now - shown, 0.1)); // a slow frame slows down time, because boxes are a frame old
            shown = now;
            glfwPollEvents();
        }
        if (window == nullptr) {
            renderer.write_pictures();
        }
        std::printf("%u frames, %u of %u characters drawn, %llu footsteps\n", renderer.frame, renderer.drawn,
                    CHARACTERS, static_cast<unsigned long long>(renderer.footsteps));
    } catch (const std::exception &e) {
        std::fprintf(stderr, "limber-renderer: %s\n", e.what());
        status = EXIT_FAILURE;
    }
    glfwTerminate();
    return status;
}
