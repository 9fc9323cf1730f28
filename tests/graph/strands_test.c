// The order in which kernels compute model matrices: strands and bands of a rig, PROGRAM.bands in shaders/ops/layout.h.
#include "scene.h"
#include "suite.h"

#include "program/program.h"

#include "../../shaders/ops/layout.h"

#include <stdlib.h>
#include <string.h>

static lmb_graph *create_graph(const lmb_rig *rig) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_REST;
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = rig;
    def.nodes = &node;
    def.node_count = 1;
    lmb_graph *graph = NULL;
    assert_int_equal(lmb_graph_create(&def, NULL, &graph, NULL), LMB_OK);
    return graph;
}

static uint32_t length_of(const uint32_t *strands, uint32_t strand) {
    return strands[strand + 1] - strands[strand];
}

// Checks a strand: its first joint's parent is in a band before, and each joint is the child of the one before.
static void check_strand(const uint32_t *program, const uint32_t *parents, uint32_t strand, uint32_t band,
                         uint32_t *band_of) {
    const uint32_t *strands = program + program[FIELD(PROGRAM, strands)],
                   *order = program + program[FIELD(PROGRAM, order)];
    for (uint32_t place = strands[strand]; place < strands[strand + 1]; place++) {
        const uint32_t joint = order[place] & 0xffffu, parent = parents[joint];
        assert_int_equal(band_of[joint], LMB_NONE);
        band_of[joint] = band;
        if (parent == LMB_NONE) {
            assert_true(band == 0 && place == strands[strand]);
            continue;
        }
        assert_int_equal(order[place] >> 16, parent);
        if (place > strands[strand]) {
            assert_int_equal(order[place - 1] & 0xffffu, parent);
        } else {
            assert_true(band_of[parent] < band);
        }
    }
}

static void check_rig(lmb_rig *rig) {
    lmb_graph *graph = create_graph(rig);
    const uint32_t *program = graph->program;
    const uint32_t *bands = program + program[FIELD(PROGRAM, bands)],
                   *strands = program + program[FIELD(PROGRAM, strands)];
    const uint32_t joints = program[FIELD(PROGRAM, joints)], count = program[FIELD(PROGRAM, band_count)];
    uint32_t *band_of = malloc(joints * sizeof *band_of);
    assert_non_null(band_of);
    memset(band_of, 0xff, joints * sizeof *band_of);
    assert_int_equal(bands[0], 0);
    for (uint32_t band = 0; band < count; band++) {
        for (uint32_t strand = bands[band]; strand < bands[band + 1]; strand++) {
            assert_true(strand == bands[band] || length_of(strands, strand) <= length_of(strands, strand - 1));
            check_strand(program, program + program[FIELD(PROGRAM, parents)], strand, band, band_of);
        }
    }
    assert_int_equal(strands[bands[count]], joints);
    free(band_of);
    lmb_graph_destroy(graph);
    lmb_rig_destroy(rig);
}

static void strands_go_from_parent_to_child(void **state) {
    (void)state;
    for (uint32_t joints = 1; joints < 200; joints++) {
        check_rig(scene_rig(joints, joints % 7 == 0 ? SCENE_WIDE : SCENE_TREE, joints));
    }
}

// A chain, and one in which every second joint has a sibling without children.
static lmb_rig *create_large(bool forks) {
    lmb_joint_def *joints = malloc(LMB_MAX_JOINTS * sizeof *joints);
    assert_non_null(joints);
    for (uint32_t i = 0; i < LMB_MAX_JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : forks && i % 2 == 0 && i > 1 ? i - 2 : i - 1;
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = LMB_MAX_JOINTS};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    free(joints);
    return rig;
}

// Takes minutes if sorting takes the square of the number of joints.
static void the_largest_rigs_take_no_longer_than_their_size(void **state) {
    (void)state;
    check_rig(create_large(false));
    check_rig(create_large(true));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(strands_go_from_parent_to_child),
                                       cmocka_unit_test(the_largest_rigs_take_no_longer_than_their_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
