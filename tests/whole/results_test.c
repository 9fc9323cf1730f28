// A failing call sets its result to NULL, whatever it was before, so that the caller may release it.
#include "suite.h"

#include "gpu/control.h"
#include <limber/additive.h>
#include <limber/batch.h>
#include <limber/clip.h>
#include <limber/cpu.h>
#include <limber/cpu_pool.h>
#include <limber/cpu_profile.h>
#include <limber/gpu.h>
#include <limber/gpu_profile.h>
#include <limber/gpu_readback.h>
#include <limber/graph.h>
#include <limber/profile.h>
#include <limber/rig.h>
#include <limber/root_motion.h>
#ifdef LIMBER_HAS_IMPORT
#include <limber/graph_json.h>
#include <limber/import.h>
#include <limber/machine.h>
#endif

// EXPECT_NULL(type, call): `call` passes `result` as its result, and fails because its other arguments are missing.
#define EXPECT_NULL(type, call)                                                                                        \
    do {                                                                                                               \
        static char before;                                                                                            \
        type *made = (type *)(void *)&before, **result = &made;                                                        \
        if ((call) == LMB_OK || made != NULL) {                                                                        \
            fail_msg("%s does not set its result to NULL", #call);                                                     \
        }                                                                                                              \
        result = NULL;                                                                                                 \
        assert_int_equal(call, LMB_ERROR_ARGUMENT);                                                                    \
    } while (0)

static void results_of_the_core_are_null(void **state) {
    (void)state;
    EXPECT_NULL(lmb_rig, lmb_rig_create(NULL, NULL, result, NULL));
    EXPECT_NULL(lmb_clip, lmb_clip_create(NULL, NULL, NULL, result, NULL));
    EXPECT_NULL(lmb_clip, lmb_clip_open(NULL, 0, NULL, result, NULL));
    EXPECT_NULL(lmb_clip, lmb_clip_compress(NULL, NULL, NULL, NULL, result, NULL, NULL));
    EXPECT_NULL(lmb_clip, lmb_clip_make_additive(NULL, NULL, NULL, NULL, result, NULL));
    EXPECT_NULL(lmb_root_motion, lmb_root_motion_extract(NULL, NULL, NULL, NULL, result, NULL));
    EXPECT_NULL(lmb_graph, lmb_graph_create(NULL, NULL, result, NULL));
    EXPECT_NULL(lmb_cpu, lmb_cpu_create(NULL, LMB_CPU_FAST, NULL, result, NULL));
    EXPECT_NULL(lmb_cpu_pool, lmb_cpu_pool_create(NULL, LMB_CPU_FAST, 1, NULL, result, NULL));
    EXPECT_NULL(lmb_cpu_profile, lmb_cpu_profile_create(NULL, NULL, result, NULL));
    EXPECT_NULL(lmb_profile, lmb_profile_create(NULL, NULL, result, NULL));
    EXPECT_NULL(lmb_gpu, lmb_gpu_create(NULL, NULL, result, NULL));
    EXPECT_NULL(lmb_gpu_graph, lmb_gpu_graph_create(NULL, NULL, result, NULL));
    EXPECT_NULL(lmb_gpu_batch, lmb_gpu_batch_create(NULL, NULL, result, NULL));
    EXPECT_NULL(lmb_gpu_profile, lmb_gpu_profile_create(NULL, NULL, result, NULL));
    EXPECT_NULL(lmb_gpu_readback, lmb_gpu_readback_create(NULL, NULL, result, NULL));
}

static void results_of_importing_are_null(void **state) {
    (void)state;
#ifdef LIMBER_HAS_IMPORT
    EXPECT_NULL(lmb_import, lmb_import_file(NULL, NULL, result, NULL));
    EXPECT_NULL(lmb_import, lmb_import_files(NULL, 0, NULL, result, NULL));
    EXPECT_NULL(lmb_import, lmb_import_memory(NULL, 1, NULL, NULL, NULL, result, NULL));
    EXPECT_NULL(lmb_graph_json, lmb_graph_json_read(NULL, NULL, result, NULL, NULL));
    EXPECT_NULL(lmb_graph_aliases, lmb_graph_aliases_read(NULL, 0, NULL, NULL, result, NULL));
    EXPECT_NULL(lmb_graph, lmb_graph_create_from_file(NULL, NULL, NULL, result, NULL));
    EXPECT_NULL(lmb_graph_json, lmb_machine_read(NULL, NULL, NULL, result, NULL, NULL));
    // Also with valid descriptors and an invalid file.
    static char before;
    lmb_import *import = (lmb_import *)(void *)&before;
    assert_int_equal(lmb_import_file("nowhere.glb", NULL, &import, NULL), LMB_ERROR_FILE);
    assert_null(import);
    import = (lmb_import *)(void *)&before;
    assert_int_not_equal(lmb_import_memory("{", 1, NULL, NULL, NULL, &import, NULL), LMB_OK);
    assert_null(import);
#else
    skip();
#endif
}

static void what_is_not_there_has_no_size(void **state) {
    (void)state;
    lmb_joint_def joint = lmb_default_joint_def();
    const lmb_rig_def rig_def = {.joints = &joint, .joint_count = 1};
    const lmb_clip_def clip_def = {.name = "still", .duration = 1.0f};
    lmb_node_def node = lmb_default_node_def();
    lmb_rig *rig = NULL;
    lmb_clip *clip = NULL;
    lmb_graph *program = NULL;
    assert_int_equal(lmb_rig_create(&rig_def, NULL, &rig, NULL), LMB_OK);
    assert_int_equal(lmb_clip_create(rig, &clip_def, NULL, &clip, NULL), LMB_OK);
    const lmb_graph_def def = {.rig = rig, .nodes = &node, .node_count = 1};
    assert_int_equal(lmb_graph_create(&def, NULL, &program, NULL), LMB_OK);
    const lmb_batch_def batch = {program, 1, LMB_OUTPUT_LOCAL_BIT};
    assert_int_equal(lmb_batch_output_floats(&batch, LMB_OUTPUT_COUNT), 0);
    assert_int_equal(lmb_batch_output_floats(&batch, (lmb_output)-1), 0);
    assert_true(lmb_batch_output_floats(&batch, LMB_OUTPUT_LOCAL) > 0);
    size_t size = 0;
    assert_ptr_equal(lmb_clip_block(clip, NULL), lmb_clip_block(clip, &size));
    assert_true(size > 0);
    lmb_graph_destroy(program);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_of_the_core_are_null),
        cmocka_unit_test(results_of_importing_are_null),
        cmocka_unit_test(what_is_not_there_has_no_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
