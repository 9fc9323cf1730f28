// Weights of nodes from the last one down, and motion weights of players: graph.h ("Weights") and lmb_motion_def.
#include "oracle_control.h"
#include "space_oracle.h"

#include <math.h>

// One pass over the uses of nodes. A node that is used twice is visited twice.
typedef struct pass {
    oracle_character *character;
    const lmb_graph_def *def;
} pass;

static double clamp(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

static double weight_of(const pass *p, lmb_value value, double low, double high) {
    return clamp(oracle_value(value, p->character->row, p->def->curves), low, high);
}

static uint32_t machine_of(const pass *p, uint32_t node) {
    const oracle_graph *graph = p->character->graph;
    for (uint32_t i = 0; i < graph->machine_count; i++) {
        if (graph->machines[i].node == node) {
            return i;
        }
    }
    return LMB_NONE;
}

static double mask_share(const pass *p, uint32_t mask, uint32_t joint) {
    return mask == LMB_NONE ? 1.0 : p->def->masks[mask][joint] / 255.0;
}

// The shares of a machine's states in its pose.
static void machine_shares(const pass *p, uint32_t machine, double *shares) {
    const oracle_machine *m = &p->character->graph->machines[machine];
    double sum = 0.0;
    for (uint32_t i = 0; i < m->state_count; i++) {
        shares[i] = oracle_drops_out(p->character, machine, i) ? 0.0 : p->character->machines[machine].weights[i];
        sum += shares[i];
    }
    if (sum > 0.0 && sum < 1e-2) {
        p->character->close = "little weight remains beside a clip that has dropped out";
    }
    for (uint32_t i = 0; i < m->state_count && sum > 0.0; i++) {
        shares[i] /= sum;
    }
}

static void weighted_shares(const pass *p, const lmb_node_def *node, double *shares) {
    double sum = 0.0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        shares[i] = weight_of(p, node->weights[i], 0.0, LMB_LARGEST);
        sum += shares[i];
    }
    for (uint32_t i = 0; i < node->input_count && sum > 0.0; i++) {
        shares[i] /= sum;
    }
}

static void space1d_shares(const pass *p, const lmb_node_def *node, double *shares) {
    const double x = oracle_value(node->coordinates[0], p->character->row, p->def->curves);
    if (node->discrete) {
        space_oracle_weights(node, x, 0.0, shares);
        return;
    }
    uint32_t below = LMB_NONE, above = LMB_NONE;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const double at = node->positions[i][0];
        shares[i] = 0.0;
        if (at <= x && (below == LMB_NONE || at > node->positions[below][0])) {
            below = i;
        }
        if (at > x && (above == LMB_NONE || at < node->positions[above][0])) {
            above = i;
        }
    }
    if (below == LMB_NONE || above == LMB_NONE) {
        shares[below == LMB_NONE ? above : below] = 1.0;
        return;
    }
    const double a = node->positions[below][0], b = node->positions[above][0];
    shares[above] = (x - a) / (b - a);
    shares[below] = 1.0 - shares[above];
}

static void space2d_shares(const pass *p, const lmb_node_def *node, double *shares) {
    const double x = oracle_value(node->coordinates[0], p->character->row, p->def->curves);
    const double y = oracle_value(node->coordinates[1], p->character->row, p->def->curves);
    space_oracle_weights(node, x, y, shares);
}

// The joint weight of a joint, 0 to 255.
static double joint_weight(const pass *p, uint32_t index, uint32_t joint);

static bool layer_is_partial(const pass *p, const lmb_node_def *node, uint32_t input) {
    const lmb_node_def *below = &p->def->nodes[node->inputs[input]];
    return node->masks[input] != LMB_NONE || (below->op == LMB_OP_CLIP && below->joint_weights != LMB_NONE);
}

// How much a layer covers of those below it if its fades have this sum.
static double covered_part(const lmb_node_def *node, double sum) {
    return sum > 0.0 ? fmin(1.0, sum / (double)node->threshold) : 0.0;
}

// The largest share that each input of layers can have at any joint.
static void layer_shares(const pass *p, const lmb_node_def *node, double *shares) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        double own = 0.0, left = 1.0;
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->priorities[j] == node->priorities[i] && !layer_is_partial(p, node, j)) {
                own += weight_of(p, node->weights[j], 0.0, 1.0);
            }
        }
        for (uint32_t j = 0; j < node->input_count; j++) {
            bool is_first = node->priorities[j] > node->priorities[i];
            double above = 0.0;
            for (uint32_t k = 0; k < node->input_count; k++) {
                if (node->priorities[k] == node->priorities[j]) {
                    is_first = is_first && k >= j;
                    above += layer_is_partial(p, node, k) ? 0.0 : weight_of(p, node->weights[k], 0.0, 1.0);
                }
            }
            left *= is_first ? 1.0 - covered_part(node, above) : 1.0;
        }
        const double fade = weight_of(p, node->weights[i], 0.0, 1.0);
        shares[i] = fade > 0.0 ? fmin(1.0, fade / fmax((double)node->threshold, own)) * left : 0.0;
    }
}

// The shares at a joint.
static void layer_shares_at(const pass *p, const lmb_node_def *node, uint32_t joint, double *shares) {
    double fades[LMB_MAX_INPUTS];
    for (uint32_t i = 0; i < node->input_count; i++) {
        const lmb_node_def *below = &p->def->nodes[node->inputs[i]];
        fades[i] = weight_of(p, node->weights[i], 0.0, 1.0) * mask_share(p, node->masks[i], joint);
        if (below->op == LMB_OP_CLIP) {
            fades[i] *= mask_share(p, below->joint_weights, joint);
        }
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        double own = 0.0, left = 1.0;
        for (uint32_t j = 0; j < node->input_count; j++) {
            bool is_first = node->priorities[j] > node->priorities[i];
            double above = 0.0;
            own += node->priorities[j] == node->priorities[i] ? fades[j] : 0.0;
            for (uint32_t k = 0; k < node->input_count; k++) {
                if (node->priorities[k] == node->priorities[j]) {
                    is_first = is_first && k >= j;
                    above += fades[k];
                }
            }
            left *= is_first ? 1.0 - covered_part(node, above) : 1.0;
        }
        shares[i] = fades[i] > 0.0 ? fades[i] / fmax((double)node->threshold, own) * left : 0.0;
    }
}

// The input that a combine takes a joint from, or LMB_NONE.
static uint32_t combine_input(const pass *p, const lmb_node_def *node, uint32_t joint) {
    uint32_t root = LMB_NONE;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const uint32_t map = node->joint_maps[i];
        if (map == LMB_NONE || p->def->joint_maps[map].joints[joint] != LMB_NONE) {
            root = i;
        }
    }
    return root;
}

static void shares_of(const pass *p, uint32_t index, double *shares) {
    const lmb_node_def *node = &p->def->nodes[index];
    switch (node->op) {
    case LMB_OP_WEIGHTED:
    case LMB_OP_WEIGHTED_MATRIX:
        weighted_shares(p, node, shares);
        break;
    case LMB_OP_SPACE1D:
        space1d_shares(p, node, shares);
        break;
    case LMB_OP_SPACE2D:
        space2d_shares(p, node, shares);
        break;
    case LMB_OP_LAYERS:
        layer_shares(p, node, shares);
        break;
    default:
        machine_shares(p, machine_of(p, index), shares);
        break;
    }
}

// The share of b in LMB_OP_PARTIAL at a joint, and the joint weight of the result.
static double partial_blend(const pass *p, const lmb_node_def *node, uint32_t joint, double *weight) {
    const double w = weight_of(p, node->weight, 0.0, 1.0);
    const double a = joint_weight(p, node->inputs[0], joint), b = joint_weight(p, node->inputs[1], joint);
    double blend;
    if (a == 0.0 || b == 0.0) {
        blend = b == 0.0 && a > 0.0 ? 0.0 : 1.0;
    } else {
        blend = b > a ? (b - a + w * a) / b : w * b / a;
    }
    const double exact = (1.0 - blend) * a + blend * b;
    *weight = floor(exact + 0.5);
    if (fabs(exact + 0.5 - *weight) < 1e-3 && exact != floor(exact)) {
        p->character->close = "a joint weight is halfway between two integers";
    }
    return blend;
}

static double joint_weight(const pass *p, uint32_t index, uint32_t joint) {
    const lmb_node_def *node = &p->def->nodes[index];
    double shares[LMB_MAX_SPACE_INPUTS], largest = 0.0;
    uint32_t root;
    switch (node->op) {
    case LMB_OP_REST:
    case LMB_OP_POSE:
        return 255.0;
    case LMB_OP_CLIP:
        return node->joint_weights == LMB_NONE ? 255.0 : p->def->masks[node->joint_weights][joint];
    case LMB_OP_PARTIAL:
        partial_blend(p, node, joint, &largest);
        return largest;
    case LMB_OP_COMBINE:
        root = combine_input(p, node, joint);
        return root == LMB_NONE ? 255.0 : joint_weight(p, node->inputs[root], joint);
    case LMB_OP_LAYERS:
        layer_shares_at(p, node, joint, shares);
        break;
    case LMB_OP_WEIGHTED:
    case LMB_OP_WEIGHTED_MATRIX:
    case LMB_OP_SPACE1D:
    case LMB_OP_SPACE2D:
    case LMB_OP_MACHINE:
        shares_of(p, index, shares);
        break;
    case LMB_OP_MIRROR:
        return joint_weight(p, node->inputs[0], p->def->mirrors[node->mirror].partners[joint]);
    default:
        return joint_weight(p, node->inputs[0], joint);
    }
    // What the inputs leave, the rest pose takes, which has the joint.
    double left = 1.0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        left -= shares[i];
        if (shares[i] > 0.0) {
            largest = fmax(largest, joint_weight(p, node->inputs[i], joint));
        }
    }
    if (left > 1e-9 && left < 1e-6) {
        p->character->close = "a rest pose nearly has no share";
    }
    return left > 1e-9 ? 255.0 : largest;
}

// A use of a node. `mirrors` has a bit for each axis that is mirrored an odd number of times around it; `joint` is what
// joint 0 is outside of the mirrors.
typedef struct use {
    double w, m; // weight and motion weight
    unsigned mirrors;
    uint32_t joint;
} use;

static use scaled(use u, double w, double m) {
    u.w *= w;
    u.m *= m;
    return u;
}

// Passes the weights of a use of a node on to its inputs.
static void pass_on(const pass *p, uint32_t index, use u);

static void pass_bilinear(const pass *p, const lmb_node_def *node, uint32_t first, use u) {
    const double s = weight_of(p, node->coordinates[0], 0.0, 1.0), t = weight_of(p, node->coordinates[1], 0.0, 1.0);
    for (uint32_t i = 0; i < 4; i++) {
        const double share = (i & 1 ? s : 1.0 - s) * (i & 2 ? t : 1.0 - t);
        pass_on(p, node->inputs[first + i], scaled(u, share, share));
    }
}

static void pass_shares(const pass *p, uint32_t index, use u) {
    const lmb_node_def *node = &p->def->nodes[index];
    double shares[LMB_MAX_SPACE_INPUTS], root_shares[LMB_MAX_SPACE_INPUTS];
    shares_of(p, index, shares);
    shares_of(p, index, root_shares);
    if (node->op == LMB_OP_LAYERS) {
        layer_shares_at(p, node, u.joint, root_shares);
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        pass_on(p, node->inputs[i], scaled(u, shares[i], root_shares[i]));
    }
}

static void pass_partial(const pass *p, const lmb_node_def *node, use u) {
    double ignored;
    const double blend = partial_blend(p, node, u.joint, &ignored), w = weight_of(p, node->weight, 0.0, 1.0);
    pass_on(p, node->inputs[0], scaled(u, 1.0, 1.0 - blend));
    pass_on(p, node->inputs[1], scaled(u, fmax(w, 0x1p-40), blend));
}

static void pass_combine(const pass *p, const lmb_node_def *node, use u) {
    const uint32_t root = combine_input(p, node, u.joint);
    for (uint32_t i = 0; i < node->input_count; i++) {
        pass_on(p, node->inputs[i], scaled(u, 1.0, i == root ? 1.0 : 0.0));
    }
}

static void pass_mirror(const pass *p, const lmb_node_def *node, use u) {
    const lmb_mirror_def *mirror = &p->def->mirrors[node->mirror];
    u.mirrors ^= 1u << mirror->axis;
    u.joint = mirror->partners[u.joint];
    pass_on(p, node->inputs[0], u);
}

static void pass_clip(const pass *p, uint32_t index, use u) {
    oracle_character *c = p->character;
    for (uint32_t i = 0; i < c->graph->player_count; i++) {
        if (c->graph->players[i].node == index) {
            c->players[i].weight += u.w;
            c->players[i].motion[u.mirrors] += u.m;
        }
    }
}

// Sums and differences, and what scales them.
static void pass_terms(const pass *p, const lmb_node_def *node, use u) {
    const double factor = weight_of(p, node->weight, -4.0, 4.0), size = fmin(fabs(factor), 1.0);
    const uint32_t *in = node->inputs;
    switch (node->op) {
    case LMB_OP_ADD:
        pass_on(p, in[0], u);
        pass_on(p, in[1], u);
        break;
    case LMB_OP_SCALE:
        pass_on(p, in[0], scaled(u, size, factor));
        break;
    case LMB_OP_SUBTRACT_SCALE_ADD:
        pass_on(p, in[0], scaled(u, size, factor));
        pass_on(p, in[1], scaled(u, size, -factor));
        pass_on(p, in[2], u);
        break;
    default: // make-additive and subtract
        pass_on(p, in[0], u);
        pass_on(p, in[1], scaled(u, 1.0, -1.0));
        break;
    }
}

// What has one weight for its second input.
static void pass_blend(const pass *p, const lmb_node_def *node, use u) {
    const bool factor = node->op == LMB_OP_ADDITIVE && node->unclamped;
    const double w = weight_of(p, node->weight, factor ? -4.0 : 0.0, factor ? 4.0 : 1.0), size = fmin(fabs(w), 1.0);
    const double root = w * (node->op == LMB_OP_BLEND ? 1.0 : mask_share(p, node->mask, u.joint));
    const uint32_t *in = node->inputs;
    switch (node->op) {
    case LMB_OP_BLEND:
        pass_on(p, in[0], scaled(u, 1.0 - w, 1.0 - root));
        break;
    case LMB_OP_ADDITIVE:
        pass_on(p, in[0], u);
        break;
    default:
        pass_on(p, in[0], scaled(u, 1.0, 1.0 - root));
        break;
    }
    if (node->op != LMB_OP_OVERRIDE) {
        pass_on(p, in[1], scaled(u, size, root));
    }
}

static void pass_on(const pass *p, uint32_t index, use u) {
    const lmb_node_def *node = &p->def->nodes[index];
    const double upper = weight_of(p, node->coordinates[2], 0.0, 1.0);
    switch (node->op) {
    case LMB_OP_REST:
    case LMB_OP_POSE:
        break;
    case LMB_OP_CLIP:
        pass_clip(p, index, u);
        break;
    case LMB_OP_BLEND:
    case LMB_OP_MASKED:
    case LMB_OP_OVERRIDE:
    case LMB_OP_ADDITIVE:
        pass_blend(p, node, u);
        break;
    case LMB_OP_PARTIAL:
        pass_partial(p, node, u);
        break;
    case LMB_OP_MAKE_ADDITIVE:
    case LMB_OP_SUBTRACT:
    case LMB_OP_ADD:
    case LMB_OP_SCALE:
    case LMB_OP_SUBTRACT_SCALE_ADD:
        pass_terms(p, node, u);
        break;
    case LMB_OP_BILINEAR:
        pass_bilinear(p, node, 0, u);
        break;
    case LMB_OP_TRILINEAR:
        pass_bilinear(p, node, 0, scaled(u, 1.0 - upper, 1.0 - upper));
        pass_bilinear(p, node, 4, scaled(u, upper, upper));
        break;
    case LMB_OP_COMBINE:
        pass_combine(p, node, u);
        break;
    case LMB_OP_MIRROR:
        pass_mirror(p, node, u);
        break;
    case LMB_OP_WEIGHTED:
    case LMB_OP_WEIGHTED_MATRIX:
    case LMB_OP_LAYERS:
    case LMB_OP_SPACE1D:
    case LMB_OP_SPACE2D:
    case LMB_OP_MACHINE:
        pass_shares(p, index, u);
        break;
    default:
        pass_on(p, node->inputs[0], u);
        break;
    }
}

void oracle_weights(oracle_character *character) {
    const pass p = {character, character->graph->def};
    for (uint32_t i = 0; i < character->graph->player_count; i++) {
        character->players[i].weight = 0.0;
        for (uint32_t j = 0; j < ORACLE_MIRRORS; j++) {
            character->players[i].motion[j] = 0.0;
        }
    }
    pass_on(&p, p.def->node_count - 1, (use){1.0, 1.0, 0, 0});
}
