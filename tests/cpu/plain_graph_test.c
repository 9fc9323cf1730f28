// Plain graphs (lmb_graph_is_plain()) have code of their own on the vector paths, which runs rare operations by the
// code for any graph. Each of these has the bits of the reference on every path, in whole vectors and in the rest.
#include "kept_paths.h"
#include "suite.h"
#include "walker.h"

#include "program/program.h"

enum { CHARACTERS = 39, FRAMES = 3 };

#define WALK "{'op':'clip','clip':'walk','time':{'param':'t'}}"
#define AIM                                                                                                            \
    "{'op':'ik-aim','joints':{'Tip':1,'Middle':0.5},'forward':[0,-1,0],'up':[0,0,1],'limit':1.2,"                      \
    "'target':[1.2,{'param':'x'},0.8],'weight':{'param':'w'},'base':" WALK "}"

static const struct {
    const char *name;
    const char *text;
} graphs[] = {
    {"two-bone", "{'op':'ik-two-bone','start':'Hips','mid':'Middle','end':'Tip','mid-axis':[1,0,0],"
                 "'target':[0.3,{'param':'x'},0.4],'pole':[0.2,0,1],'weight':{'param':'w'},'base':" WALK "}"},
    {"aim", AIM},
    {"twist", "{'op':'twist','source':'Middle','axis':[0,1,0],'joints':{'Tip':0.5},'base':" AIM "}"},
    {"clamp", "{'op':'clamp','pose':" AIM ",'joint-limits':{'Tip':{'swing':5,'twist':{'axis':'y'}}}}"},
    {"affine additive", "{'op':'additive','form':'affine','weight':{'param':'w'},'base':" WALK
                        ",'add':{'op':'make-additive','form':'affine','pose':" AIM ",'reference':{'op':'rest'}}}"},
    {"weighted", "{'op':'weighted','inputs':[{'pose':" WALK ",'weight':{'param':'w'}},{'pose':" AIM
                 "},{'pose':{'op':'rest'},'weight':0.25},{'pose':{'op':'clip','clip':'hop','time':{'param':'t'}}}]}"},
    {"foot placement",
     "{'op':'foot-placement','pelvis':'Hips','feet':[{'hip':'Tail','knee':'Middle','ankle':'Tip','knee-axis':[1,0,0],"
     "'ground':[0,{'param':'x'},0],'normal':[0.2,1,0]}],'base':" WALK "}"},
};

static void rare_operations_of_plain_graphs_have_the_bits_of_the_reference(void **state) {
    (void)state;
    static float poses[CHARACTERS * WALKER_JOINTS * LMB_POSE_COMPONENTS];
    static float before[sizeof poses / sizeof poses[0]];
    for (size_t i = 0; i < sizeof graphs / sizeof graphs[0]; i++) {
        lmb_graph *graph = walker_graph_of(graphs[i].text);
        if (!lmb_graph_is_plain(graph)) {
            fail_msg("%s: the graph is not plain", graphs[i].name);
        }
        const uint32_t parameter_count = lmb_graph_get_info(graph)->parameter_count;
        float parameters[CHARACTERS * 8];
        assert_true(parameter_count <= 8);
        kept_paths paths;
        kept_paths_start(&paths, graph, CHARACTERS);
        for (uint32_t frame = 0; frame < FRAMES; frame++) {
            for (uint32_t k = 0; k < CHARACTERS * parameter_count; k++) {
                parameters[k] = (float)((7 * k + 31 * frame) % 53) / 50.0f;
            }
            const lmb_batch_inputs inputs = {.parameters = parameters};
            kept_paths_run_all(&paths, &inputs, poses);
            assert_memory_not_equal(poses, before, sizeof poses);
            memcpy(before, poses, sizeof poses);
        }
        kept_paths_end(&paths);
        lmb_graph_destroy(graph);
    }
}

static lmb_graph *graph_of(const lmb_clip *const *clips, uint32_t clip_count, lmb_node_def node) {
    lmb_graph_def def = lmb_default_graph_def();
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    def.rig = walker_rig;
    def.clips = clips;
    def.clip_count = clip_count;
    def.nodes = &node;
    def.node_count = 1;
    def.parameter_count = 1;
    if (lmb_graph_create(&def, NULL, &graph, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return graph;
}

// A descriptor may have all clips of a file. What they have counts only for those that a node can play.
static void clips_that_no_node_plays_count_for_nothing(void **state) {
    (void)state;
    static const float times[2] = {0.0f, 1.0f};
    static const float scales[6] = {1.0f, 1.0f, 1.0f, 2.0f, 1.0f, 1.0f};
    const lmb_track_def track = {1, LMB_PROPERTY_SCALE, LMB_INTERPOLATION_LINEAR, 2, times, scales};
    lmb_clip *scaled;
    assert_int_equal(lmb_clip_create(walker_rig, &(lmb_clip_def){.name = "grow", .tracks = &track, .track_count = 1},
                                     NULL, &scaled, NULL),
                     LMB_OK);
    const lmb_clip *const clips[] = {walker_clips[1], scaled};
    lmb_node_def by_parameter = lmb_clip_node(0, lmb_constant(0.5f));
    by_parameter.clip = lmb_parameter(0);
    const struct {
        lmb_node_def node;
        bool scales;
    } cases[] = {{lmb_clip_node(0, lmb_constant(0.5f)), false},
                 {lmb_clip_node(1, lmb_constant(0.5f)), true},
                 {by_parameter, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lmb_graph *graph = graph_of(clips, 2, cases[i].node);
        assert_true(graph->uses_scale == cases[i].scales && lmb_graph_is_plain(graph) == !cases[i].scales);
        kept_paths paths;
        kept_paths_start(&paths, graph, CHARACTERS);
        float poses[CHARACTERS * WALKER_JOINTS * LMB_POSE_COMPONENTS], parameters[CHARACTERS];
        for (uint32_t k = 0; k < CHARACTERS; k++) {
            parameters[k] = (float)(k % 2);
        }
        const lmb_batch_inputs inputs = {.parameters = parameters};
        kept_paths_run_all(&paths, &inputs, poses);
        const float scale = poses[(7 * WALKER_JOINTS) + 1], next = poses[(10 + 7) * WALKER_JOINTS + 1];
        assert_true(scale == (i == 1 ? 1.5f : 1.0f) && next == (i > 0 ? 1.5f : 1.0f));
        kept_paths_end(&paths);
        lmb_graph_destroy(graph);
    }
    lmb_clip_destroy(scaled);
    lmb_graph *graph = walker_graph_of("{'op':'override','pose':0,'base':" WALK "}"); // the buffer may have scales
    assert_true(graph->uses_scale);
    lmb_graph_destroy(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rare_operations_of_plain_graphs_have_the_bits_of_the_reference),
                                       cmocka_unit_test(clips_that_no_node_plays_count_for_nothing)};
    return cmocka_run_group_tests(tests, walker_set_up, walker_tear_down);
}
