// The headers for C++: handles, lists, results and errors. Compiled as C++17 and C++20, without and with exceptions.
#include <limber/gpu.hpp>
#ifdef LIMBER_HAS_IMPORT
#include <limber/import.hpp>
#endif
#include <limber/limber.hpp>

#include <array>
#include <cstdio>
#include <cstring>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace {

int failures = 0;
int allocated = 0;

void expect(bool condition, const char *what) {
    if (!condition) {
        std::fprintf(stderr, "hpp_test: %s\n", what);
        failures++;
    }
}

void *allocate(void *, size_t size) {
    allocated++;
    return std::malloc(size);
}

void release(void *, void *memory) {
    allocated--;
    std::free(memory);
}

const lmb_host host = {allocate, release, nullptr, nullptr};

limber::rig make_rig() {
    const std::array<lmb_joint_def, 1> joints = {lmb_default_joint_def()};
    lmb_rig_def def = lmb_default_rig_def();
    limber::set(def.joints, def.joint_count, joints);
    return limber::create_rig(def, &host).value();
}

// A clip that moves along x by `distance` in a second.
limber::clip make_clip(const lmb_rig *rig, float distance) {
    const float times[] = {0.0f, 1.0f};
    const std::vector<float> values = {0.0f, 0.0f, 0.0f, distance, 0.0f, 0.0f};
    lmb_track_def track = lmb_default_track_def();
    track.joint = 0;
    limber::set(track.times, track.key_count, times);
    track.values = values.data();
    lmb_clip_def def = lmb_default_clip_def();
    def.name = "step";
    def.tracks = &track;
    def.track_count = 1;
    return limber::create_clip(rig, def, &host).value();
}

void a_graph_runs() {
    const limber::rig rig = make_rig();
    const limber::clip first = make_clip(rig.get(), 2.0f), second = make_clip(rig.get(), 4.0f);
    const std::array clips = {static_cast<const lmb_clip *>(first.get()), static_cast<const lmb_clip *>(second.get())};
    std::vector<lmb_node_def> nodes = {lmb_clip_node(0, lmb_parameter(0)), lmb_clip_node(1, lmb_parameter(0)),
                                       lmb_blend_node(0, 1, lmb_parameter(1))};
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = rig.get();
    limber::set(def.clips, def.clip_count, clips);
    limber::set(def.nodes, def.node_count, nodes);
    def.parameter_count = 2;
    limber::graph graph = limber::create_graph(def, &host).value();
    limber::graph moved = std::move(graph);
    expect(graph == nullptr && moved != nullptr, "a handle moves");
    const limber::cpu cpu = limber::create_cpu(moved.get(), LMB_CPU_FAST, &host).value();
    const float parameters[] = {0.5f, 0.5f};
    float local[LMB_POSE_COMPONENTS];
    lmb_batch_def batch = lmb_default_batch_def();
    batch.graph = moved.get();
    batch.character_count = 1;
    batch.outputs = LMB_OUTPUT_LOCAL_BIT;
    lmb_batch_inputs inputs{};
    inputs.parameters = parameters;
    lmb_batch_outputs outputs{};
    outputs.buffers[LMB_OUTPUT_LOCAL] = local;
    expect(bool(limber::call(lmb_cpu_run, cpu.get(), &batch, &inputs, &outputs)), "the batch runs");
    expect(local[0] == 1.5f, "the clips are blended");
    const limber::result<void> fixed = limber::call(lmb_graph_set_clip, moved.get(), 0u, nullptr);
    expect(!fixed && fixed.error().result == LMB_ERROR_ARGUMENT, "a clip without a slot stays");
    inputs.parameters = nullptr;
    const limber::result<void> refused = limber::call(lmb_cpu_run, cpu.get(), &batch, &inputs, &outputs);
    expect(!refused && refused.error().result == LMB_ERROR_ARGUMENT, "a run without parameters is refused");
    expect(std::strstr(refused.error().message, "parameters") != nullptr, "the message names them");
#if __cplusplus >= 202002L
    std::span<const lmb_node_def> some(nodes.data(), 1);
    limber::set(def.nodes, def.node_count, some);
    expect(def.node_count == 1 && def.nodes == nodes.data(), "a span is a list");
#endif
}

// What a file has: a pack with a graph, aligned as memory from malloc() is.
std::vector<uint32_t> make_pack() {
    const limber::rig rig = make_rig();
    const limber::clip clip = make_clip(rig.get(), 2.0f);
    const std::array clips = {static_cast<const lmb_clip *>(clip.get())};
    const std::array nodes = {lmb_clip_node(0, lmb_parameter(0))};
    lmb_graph_def graph = lmb_default_graph_def();
    graph.rig = rig.get();
    limber::set(graph.clips, graph.clip_count, clips);
    limber::set(graph.nodes, graph.node_count, nodes);
    graph.parameter_count = 1;
    const std::array graphs = {lmb_pack_graph{"move", &graph}};
    lmb_pack_def def = lmb_default_pack_def();
    def.rig = rig.get();
    limber::set(def.graphs, def.graph_count, graphs);
    size_t size = 0;
    limber::call(lmb_pack_write, &def, &host, nullptr, 0, &size).value();
    std::vector<uint32_t> words(size / sizeof(uint32_t));
    limber::call(lmb_pack_write, &def, &host, words.data(), size, &size).value();
    return words;
}

void a_pack_opens() {
    std::vector<uint32_t> words = make_pack();
    const size_t size = words.size() * sizeof(uint32_t);
    limber::graph graph;
    {
        const limber::pack pack = limber::open_pack(words.data(), size, &host).value();
        expect(lmb_pack_get_def(pack.get())->clip_count == 1, "the clip of the graph is in the pack");
        graph = limber::create_graph(*lmb_pack_find_graph(pack.get(), "move"), &host).value();
    }
    expect(lmb_graph_get_info(graph.get())->parameter_count == 1, "a graph outlives its pack");
    words.back() ^= 1u;
    const limber::result<limber::pack> refused = limber::open_pack(words.data(), size, &host);
    expect(!refused && refused.error().result == LMB_ERROR_FORMAT, "a damaged pack is refused");
    expect(std::strstr(refused.error().message, "damaged") != nullptr, "the message says why");
}

#ifdef LIMBER_HAS_IMPORT
void a_text_is_read() {
    const limber::rig rig = make_rig();
    const limber::clip clip = make_clip(rig.get(), 2.0f);
    const std::array clips = {static_cast<const lmb_clip *>(clip.get())};
    const char text[] = R"({"op": "clip", "clip": "move", "play": {}})", names[] = R"({"clips": {"move": "step"}})";
    lmb_graph_source source{};
    source.text = text;
    source.size = sizeof text - 1;
    source.rig = rig.get();
    limber::set(source.clips, source.clip_count, clips);
    lmb_graph_problems problems;
    const limber::result<limber::graph_json> refused = limber::read_graph_json(source, &problems, &host);
    expect(!refused && problems.count == 1 && problems.list[0].line == 1, "a text with an unknown clip is refused");
    const limber::graph_aliases aliases = limber::read_graph_aliases(names, sizeof names - 1, "names", &host).value();
    lmb_graph_aliases_use(aliases.get(), &source);
    limber::graph graph;
    {
        const limber::graph_json read = limber::read_graph_json(source, &problems, &host).value();
        graph = limber::create_graph(*lmb_graph_json_def(read.get()), &host).value();
    }
    expect(lmb_graph_get_info(graph.get())->player_count == 1, "a graph outlives its text");
    lmb_graph_source machine = source;
    machine.text = "move { }";
    machine.size = std::strlen(machine.text);
    expect(bool(limber::read_machine(machine, nullptr, &problems, &host)), "the text of a machine is read");
}
#endif

void a_mesh_is_created() {
    const float positions[3][3] = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}}, weights[3] = {1, 1, 1};
    const uint8_t joints[3] = {0, 0, 0};
    lmb_skin_def def = lmb_default_skin_def();
    def.joint_count = 1;
    def.vertex_count = 3;
    def.influence_count = 1;
    def.positions = {LMB_SKIN_FORMAT_FLOAT, positions, 0};
    def.joints = {LMB_SKIN_FORMAT_UINT8, joints, 0};
    def.weights = {LMB_SKIN_FORMAT_FLOAT, weights, 0};
    const limber::skin skin = limber::create_skin(def, &host).value();
    expect(lmb_skin_get_info(skin.get())->vertex_count == 3, "a mesh is created");
}

void objects_of_a_gpu_need_one() {
    const lmb_gpu_readback_def def = lmb_default_gpu_readback_def();
    expect(limber::create_gpu_readback(nullptr, def).error().result == LMB_ERROR_ARGUMENT, "a readback needs a gpu");
    expect(limber::create_gpu_ragdoll(nullptr).error().result == LMB_ERROR_ARGUMENT, "a ragdoll needs a gpu");
    expect(limber::create_gpu_skin(nullptr).error().result == LMB_ERROR_ARGUMENT, "a skin needs a gpu");
}

void a_float_is_a_step() {
    const float seconds = 1.0f / 60.0f;
    expect(60 * lmb_ticks_from_seconds(seconds) == LMB_TICKS_PER_SECOND, "sixty steps of a float are a second");
}

void an_error_is_returned() {
    const limber::rig rig = make_rig();
    limber::result<limber::clip> clip = limber::create_clip(rig.get(), [] {
        lmb_clip_def def = lmb_default_clip_def();
        def.track_count = 1;
        return def;
    }());
    expect(!clip && clip.error().result == LMB_ERROR_ARGUMENT && clip.error().message[0] != '\0', "a clip is refused");
#if LIMBER_EXCEPTIONS
    bool caught = false;
    try {
        clip.value();
    } catch (const limber::exception &e) {
        caught = e.code == LMB_ERROR_ARGUMENT && std::strcmp(e.what(), clip.error().message) == 0;
    }
    expect(caught, "value() throws");
#endif
#ifdef LIMBER_HAS_IMPORT
    expect(limber::import_file("does-not-exist.glb").error().result == LMB_ERROR_FILE, "a missing file is refused");
#endif
}

} // namespace

int main() {
    a_graph_runs();
    a_pack_opens();
#ifdef LIMBER_HAS_IMPORT
    a_text_is_read();
#endif
    a_mesh_is_created();
    objects_of_a_gpu_need_one();
    a_float_is_a_step();
    an_error_is_returned();
    expect(allocated == 0, "handles destroy what they own");
    return failures;
}
