// The table of operations, and what all parts of the compiler use.
#include "compiler.h"

#include "base/number.h"
#include "math/value.h"

#include "../../shaders/ops/operations.h"

static const lmb_operation operations[LMB_OP_COUNT] = {
#define SOURCE_ROW(NAME, name, code, takes) [LMB_OP_##NAME] = {#name, code, 0, 0, false, false, takes, 0},
#define UNARY_ROW(NAME, name, code, takes) [LMB_OP_##NAME] = {#name, code, 1, 1, false, false, takes, 0},
#define BINARY_ROW(NAME, name, code, takes) [LMB_OP_##NAME] = {#name, code, 2, 2, false, false, takes, 0},
#define SUM_ROW(NAME, name, code, takes) [LMB_OP_##NAME] = {#name, code, 2, LMB_MAX_INPUTS, true, false, takes, 0},
#define EXCHANGE_ROW(NAME, name, code, takes) [LMB_OP_##NAME] = {#name, code, 1, 1, false, true, takes, 0},
    OPERATIONS(SOURCE_ROW, UNARY_ROW, BINARY_ROW, SUM_ROW, EXCHANGE_ROW)
        // Operations that are lowered to others.
        [LMB_OP_MACHINE] = {"machine", OPERATION_WEIGHTED, 1, LMB_MAX_SPACE_INPUTS, true, false,
                            TAKES_SHARE | BLENDS_POSITIONS, 0},
    [LMB_OP_SUBTRACT_SCALE_ADD] = {"subtract-scale-add", 0, 3, 3, false, false, TAKES_WEIGHT | TAKES_CHOICE, 0},
    [LMB_OP_COMBINE] = {"combine", OPERATION_TAKE, 1, LMB_MAX_INPUTS, false, false, TAKES_JOINT_MAP, 0},
    [LMB_OP_RETARGET] = {"retarget", 0, 1, 1, false, false, ONLY_POSES, 0},
    [LMB_OP_LAYERS] = {"layers", OPERATION_WEIGHTED, 2, LMB_MAX_INPUTS, true, false, TAKES_LAYER | BLENDS_POSITIONS, 0},
    [LMB_OP_SPACE1D] = {"space1d", OPERATION_WEIGHTED, 2, LMB_MAX_SPACE_INPUTS, true, false,
                        TAKES_SPACE | BLENDS_POSITIONS, 0},
    [LMB_OP_SPACE2D] = {"space2d", OPERATION_WEIGHTED, 2, LMB_MAX_SPACE_INPUTS, true, false,
                        TAKES_SPACE | TAKES_PLANE | BLENDS_POSITIONS, 0},
    [LMB_OP_BILINEAR] = {"bilinear", 0, 4, 4, false, false, TAKES_PLACE | TAKES_CHOICE | BLENDS_POSITIONS, 2},
    [LMB_OP_TRILINEAR] = {"trilinear", 0, 8, 8, false, false, TAKES_PLACE | TAKES_CHOICE | BLENDS_POSITIONS, 3},
#undef SOURCE_ROW
#undef UNARY_ROW
#undef BINARY_ROW
#undef SUM_ROW
#undef EXCHANGE_ROW
};

const lmb_operation *lmb_find_operation(lmb_op op) {
    return &operations[op];
}

uint32_t lmb_count_coordinates(const lmb_operation *op) {
    return (op->takes & TAKES_PLANE) ? 2 : (op->takes & TAKES_SPACE) ? 1 : op->positions;
}

const char *lmb_op_name(lmb_op op) {
    switch (op) { // the table has identifiers of C
    case LMB_OP_WEIGHTED_MATRIX:
        return "weighted-matrix";
    case LMB_OP_MAKE_ADDITIVE:
        return "make-additive";
    case LMB_OP_IK_TWO_BONE:
        return "ik-two-bone";
    case LMB_OP_IK_AIM:
        return "ik-aim";
    case LMB_OP_FOOT_PLACEMENT:
        return "foot-placement";
    default:
        return (unsigned)op < LMB_OP_COUNT ? operations[op].name : "unknown operation";
    }
}

uint32_t *lmb_graph_add_data(lmb_compiler *c, uint32_t words, uint32_t *offset) {
    *offset = c->data + c->data_words;
    c->data_words += words;
    return c->program != NULL ? c->program + *offset : NULL;
}

uint32_t *lmb_graph_add_static_pose(lmb_compiler *c, uint32_t words, uint32_t *offset) {
    c->data_words += lmb_static_pose_padding(c->data_words);
    return lmb_graph_add_data(c, words, offset);
}

uint32_t lmb_graph_add_value(lmb_compiler *c, lmb_value value) {
    uint32_t offset;
    uint32_t *at = lmb_graph_add_data(c, WORDS_OF(VALUE), &offset);
    c->uses_curves = c->uses_curves || value.curve != LMB_CURVE_LINEAR;
    if (at != NULL) {
        lmb_value_write(value, c->curves, at);
    }
    return offset;
}

bool lmb_graph_refuse_node(const lmb_compiler *c, uint32_t node, const char *field, const char *what) {
    return lmb_refuse(c->error, LMB_ERROR_ARGUMENT, "graph: node %u (%s): %s: %s", (unsigned)node,
                      lmb_op_name(c->def->nodes[node].op), field, what);
}

bool lmb_graph_require(const lmb_compiler *c, uint32_t node, bool condition, const char *field, const char *what) {
    return condition || lmb_graph_refuse_node(c, node, field, what);
}
