// Creates the graphs of the workloads and fills their parameters.
#include "workload.h"

#include "crowd.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>

const char *workload_kind_name(workload_kind kind) {
    static const char *const names[WORKLOAD_KIND_COUNT] = {"four-clips", "two-clips",  "masked",
                                                           "distant",    "neighbours", "machines"};
    return names[kind];
}

// The number of clips that a workload samples, each at its own time; the times are the first parameters.
static uint32_t clip_count(workload_kind kind) {
    return kind == WORKLOAD_TWO_CLIPS || kind == WORKLOAD_MASKED ? 2 : 4;
}

static bool has_levels(workload_kind kind) {
    return kind == WORKLOAD_DISTANT || kind == WORKLOAD_NEIGHBOURS;
}

static uint32_t parameter_count(workload_kind kind) {
    if (kind == WORKLOAD_MACHINES) {
        return CROWD_PARAMETERS;
    }
    return clip_count(kind) + (kind == WORKLOAD_TWO_CLIPS || has_levels(kind) ? 1 : 0);
}

static lmb_node_def clip_node(uint32_t clip) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.clip = lmb_constant((float)clip);
    node.time = lmb_parameter(clip);
    node.loop = true;
    return node;
}

static lmb_node_def two_inputs(lmb_op op, uint32_t a, uint32_t b, lmb_value weight) {
    lmb_node_def node = lmb_default_node_def();
    node.op = op;
    node.input_count = 2;
    node.inputs[0] = a;
    node.inputs[1] = b;
    node.weight = weight;
    return node;
}

static lmb_node_def weighted_node(void) {
    static const float weights[3] = {0.3f, 0.5f, 0.2f};
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_WEIGHTED;
    node.input_count = 3;
    for (uint32_t i = 0; i < 3; i++) {
        node.inputs[i] = i;
        node.weights[i] = lmb_constant(weights[i]);
    }
    return node;
}

enum { MOST_NODES = 8 };

// Returns the number of nodes.
static uint32_t make_nodes(workload_kind kind, lmb_node_def nodes[MOST_NODES]) {
    uint32_t count = clip_count(kind);
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = clip_node(i);
    }
    switch (kind) {
    case WORKLOAD_FOUR_CLIPS:
    case WORKLOAD_DISTANT:
    case WORKLOAD_NEIGHBOURS:
        nodes[count++] = weighted_node();
        nodes[count++] = lmb_default_node_def(); // the rest pose, the reference of the additive
        nodes[count++] = two_inputs(LMB_OP_MAKE_ADDITIVE, 3, 5, lmb_constant(1.0f));
        nodes[count++] = two_inputs(LMB_OP_ADDITIVE, 4, 6, lmb_constant(0.6f));
        break;
    case WORKLOAD_TWO_CLIPS:
        nodes[count++] = two_inputs(LMB_OP_BLEND, 0, 1, lmb_parameter(2));
        break;
    default:
        nodes[count++] = lmb_masked_node(0, 1, 0, lmb_constant(1.0f));
        break;
    }
    return count;
}

// Parents precede their children, so the second half of any rig can be dropped.
static void make_levels(const actor *actor, uint8_t *max_lods) {
    uint32_t joints = lmb_rig_joint_count(actor->rig);
    for (uint32_t joint = 0; joint < joints; joint++) {
        bool is_kept = joint < (joints + 1) / 2 || lmb_rig_joint_parent(actor->rig, joint) == LMB_NONE;
        max_lods[joint] = is_kept ? LMB_MAX_LODS - 1 : 0;
    }
}

lmb_result workload_create(workload_kind kind, const actor *actor, workload *workload, lmb_error *error) {
    *workload = (struct workload){.kind = kind, .actor = actor};
    if (kind == WORKLOAD_MACHINES) {
        lmb_result result = crowd_create_graph(actor, &workload->graph, error);
        workload->control = result == LMB_OK ? lmb_graph_control(workload->graph) : NULL;
        return result;
    }
    lmb_node_def nodes[MOST_NODES];
    const lmb_clip *clips[ACTOR_CLIPS];
    const uint8_t *mask = actor->upper_body;
    for (int i = 0; i < ACTOR_CLIPS; i++) {
        clips[i] = actor->clips[i];
    }
    lmb_graph_def def = {.rig = actor->rig,
                         .clips = clips,
                         .clip_count = ACTOR_CLIPS,
                         .masks = &mask,
                         .mask_count = 1,
                         .nodes = nodes,
                         .node_count = make_nodes(kind, nodes),
                         .parameter_count = parameter_count(kind)};
    uint8_t *max_lods = malloc(lmb_rig_joint_count(actor->rig));
    if (max_lods == NULL) {
        return actor_no_memory(error);
    }
    if (has_levels(kind)) {
        make_levels(actor, max_lods);
        def.max_lods = max_lods;
        def.lod = lmb_parameter(clip_count(kind));
    }
    lmb_result result = lmb_graph_create(&def, NULL, &workload->graph, error);
    free(max_lods);
    return result;
}

void workload_destroy(workload *workload) {
    lmb_graph_destroy(workload->graph);
    *workload = (struct workload){0};
}

void workload_fill(const workload *workload, uint32_t characters, uint32_t frame, float *parameters) {
    if (workload->control != NULL) {
        crowd_fill(workload->graph, characters, CROWD_WARM_FRAMES + frame, parameters);
        return;
    }
    uint32_t state = 1, clips = clip_count(workload->kind), width = parameter_count(workload->kind);
    for (uint32_t i = 0; i < characters; i++) {
        float phase = (float)(random_next(&state) % 4096) / 4096.0f;
        for (uint32_t clip = 0; clip < clips; clip++) {
            float duration = lmb_clip_duration(workload->actor->clips[clip]);
            parameters[i * width + clip] = fmodf(phase * duration + (float)frame / 60.0f, duration);
        }
        if (clips < width) {
            float level = workload->kind == WORKLOAD_DISTANT ? 1.0f : (float)(i % 2);
            parameters[i * width + clips] = has_levels(workload->kind) ? level : phase;
        }
    }
}

size_t workload_palette_bytes(const workload *workload) {
    return (size_t)lmb_rig_joint_count(workload->actor->rig) * sizeof(lmb_affine);
}
