// Creates the graphs of the workloads and fills their parameters.
#include "workload.h"

#include "crowd.h"
#include "divergent.h"
#include "game.h"
#include "node.h"
#include "random.h"
#include "takes.h"
#include "travel.h"

#include <math.h>
#include <stdlib.h>

const char *workload_kind_name(workload_kind kind) {
    static const char *const names[WORKLOAD_KIND_COUNT] = {"four-clips",
                                                           "two-clips",
                                                           "masked",
                                                           "distant",
                                                           "neighbours",
                                                           "machines",
                                                           "ik-two-bone",
                                                           "ik-aim",
                                                           "foot-placement",
                                                           "stride",
                                                           "foot-lock",
                                                           "twist",
                                                           "chain",
                                                           "override",
                                                           "retarget",
                                                           "root-motion",
                                                           "warp",
                                                           "full-rotation",
                                                           "skin",
                                                           "skin-dual-quaternion",
                                                           "skin-morph",
                                                           "divergent",
                                                           "divergent-states",
                                                           "divergent-clips",
                                                           "divergent-fades",
                                                           "game",
                                                           "matching"};
    return names[kind];
}

static bool has_node(workload_kind kind) {
    return kind >= WORKLOAD_IK_TWO_BONE && kind <= WORKLOAD_OVERRIDE;
}

static bool has_skin(workload_kind kind) {
    return kind >= WORKLOAD_SKIN && kind <= WORKLOAD_SKIN_MORPH;
}

workload_kind workload_kind_base(workload_kind kind) {
    if (kind == WORKLOAD_WARP || kind == WORKLOAD_FULL_ROTATION) {
        return WORKLOAD_ROOT_MOTION;
    }
    const bool has_base = has_node(kind) || kind == WORKLOAD_RETARGET || kind == WORKLOAD_ROOT_MOTION || has_skin(kind);
    return has_base ? WORKLOAD_FOUR_CLIPS : kind;
}

bool workload_kind_has_control(workload_kind kind) {
    return kind == WORKLOAD_MACHINES || kind == WORKLOAD_MATCHING || travel_has(kind);
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
    if (travel_has(kind)) {
        return TRAVEL_PARAMETERS;
    }
    if (divergent_has(kind)) {
        return divergent_parameter_count(kind);
    }
    return clip_count(kind) + node_parameter_count(kind) + (kind == WORKLOAD_TWO_CLIPS || has_levels(kind) ? 1 : 0);
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

enum { MOST_NODES = 10 };

// Returns the number of nodes, without the one of node.h.
static uint32_t make_nodes(workload_kind kind, const travel *travel, lmb_node_def nodes[MOST_NODES]) {
    uint32_t count = clip_count(kind);
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = travel_has(kind) ? lmb_playing_node(i, &travel->players[i]) : clip_node(i);
    }
    switch (kind) {
    case WORKLOAD_TWO_CLIPS:
        nodes[count++] = two_inputs(LMB_OP_BLEND, 0, 1, lmb_parameter(2));
        break;
    case WORKLOAD_MASKED:
        nodes[count++] = lmb_masked_node(0, 1, 0, lmb_constant(1.0f));
        break;
    case WORKLOAD_RETARGET: // around poses alone: additives are between poses of the graph's rig
        nodes[count++] = weighted_node();
        nodes[count++] = lmb_retarget_node(4, 0);
        nodes[count++] = lmb_retarget_node(3, 0);
        nodes[count++] = lmb_default_node_def();
        nodes[count++] = two_inputs(LMB_OP_MAKE_ADDITIVE, 6, 7, lmb_constant(1.0f));
        nodes[count++] = two_inputs(LMB_OP_ADDITIVE, 5, 8, lmb_constant(0.6f));
        break;
    default:
        nodes[count++] = weighted_node();
        nodes[count++] = lmb_default_node_def(); // the rest pose, the reference of the additive
        nodes[count++] = two_inputs(LMB_OP_MAKE_ADDITIVE, 3, 5, lmb_constant(1.0f));
        nodes[count++] = two_inputs(LMB_OP_ADDITIVE, 4, 6, lmb_constant(0.6f));
        break;
    }
    return count;
}

// Parents precede their children, so the second half of any rig can be dropped.
static void make_levels(const actor *actor, uint8_t *max_lods) {
    uint32_t joints = lmb_rig_get_def(actor->rig)->joint_count;
    for (uint32_t joint = 0; joint < joints; joint++) {
        bool is_kept = joint < (joints + 1) / 2 || lmb_rig_get_def(actor->rig)->joints[joint].parent == LMB_NONE;
        max_lods[joint] = is_kept ? LMB_MAX_LODS - 1 : 0;
    }
}

lmb_result workload_create(workload_kind kind, const actor *actor, workload *workload, lmb_error *error) {
    *workload = (struct workload){.kind = kind, .actor = actor, .outputs = LMB_OUTPUT_PALETTE_BIT};
    if (kind == WORKLOAD_MACHINES) {
        lmb_result result = crowd_create_graph(actor, &workload->graph, error);
        return result;
    }
    if (divergent_has(kind)) {
        return divergent_create(workload, 0, error);
    }
    if (kind == WORKLOAD_GAME) {
        return game_create(workload, error);
    }
    if (kind == WORKLOAD_MATCHING) {
        return takes_create(workload, error);
    }
    travel travel;
    if (travel_has(kind)) {
        travel_make(kind, actor, &travel);
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
                         .node_count = make_nodes(kind, &travel, nodes),
                         .parameter_count = parameter_count(kind),
                         .motion = travel_has(kind) ? &travel.motion : NULL};
    lmb_result made = LMB_OK;
    if (has_node(kind)) {
        made = node_make(kind, actor->rig, def.node_count - 1, clip_count(kind), &nodes[def.node_count], error);
        def.node_count++;
    }
    if (has_skin(kind)) {
        const bool dual = kind == WORKLOAD_SKIN_DUAL_QUATERNION;
        workload->outputs |= dual ? LMB_OUTPUT_DUAL_QUATERNIONS_BIT : 0;
        made = skinning_create(actor->rig, dual ? LMB_SKIN_METHOD_DUAL_QUATERNION : LMB_SKIN_METHOD_LINEAR,
                               kind == WORKLOAD_SKIN_MORPH, &workload->skinning, error);
    }
    if (made != LMB_OK) {
        return made;
    }
    const uint32_t joints = lmb_rig_get_def(actor->rig)->joint_count;
    uint8_t *max_lods = malloc(joints);
    uint32_t *sources = malloc(joints * sizeof *sources);
    if (max_lods == NULL || sources == NULL) {
        free(max_lods);
        free(sources);
        return actor_no_memory(error);
    }
    for (uint32_t joint = 0; joint < joints; joint++) {
        sources[joint] = joint;
    }
    lmb_retarget_def retarget = lmb_retarget_of(actor->rig, sources);
    retarget.root_scale = 0.875f;
    if (kind == WORKLOAD_RETARGET) {
        def.retargets = &retarget;
        def.retarget_count = 1;
    }
    if (has_levels(kind)) {
        make_levels(actor, max_lods);
        def.max_lods = max_lods;
        def.lod = lmb_parameter(clip_count(kind));
    }
    lmb_result result = lmb_graph_create(&def, NULL, &workload->graph, error);
    free(max_lods);
    free(sources);
    return result;
}

void workload_destroy(workload *workload) {
    lmb_graph_destroy(workload->graph);
    divergent_destroy(workload);
    skinning_destroy(&workload->skinning);
    *workload = (struct workload){0};
}

void workload_fill_moving(const workload *workload, uint32_t characters, uint32_t frame, float *parameters) {
    if (workload->moves != NULL) {
        workload->moves->fill(workload->graph, characters, frame, parameters);
    } else if (workload->kind == WORKLOAD_MATCHING) {
        takes_fill(workload->graph, characters, frame, parameters);
    } else if (travel_has(workload->kind)) {
        travel_fill(workload->graph, characters, frame, parameters);
    } else {
        crowd_fill(workload->graph, characters, frame, parameters);
    }
}

uint32_t workload_list_events(const workload *workload, uint32_t characters, uint32_t frame, lmb_event *events) {
    return workload->kind == WORKLOAD_MACHINES ? crowd_list_events(characters, frame, events) : 0;
}

uint64_t workload_step(const workload *workload, uint32_t frame) {
    return workload->moves != NULL ? workload->moves->step : crowd_step(frame);
}

void workload_fill(const workload *workload, uint32_t characters, uint32_t frame, float *parameters) {
    if (workload_advances(workload)) {
        workload_fill_moving(workload, characters, CROWD_WARM_FRAMES + frame, parameters);
        return;
    }
    if (divergent_has(workload->kind)) {
        divergent_fill(workload, characters, frame, parameters);
        return;
    }
    if (workload->kind == WORKLOAD_GAME) {
        game_fill(workload, characters, frame, parameters);
        return;
    }
    uint32_t state = 1, clips = clip_count(workload->kind), width = parameter_count(workload->kind);
    for (uint32_t i = 0; i < characters; i++) {
        float phase = (float)(random_next(&state) % 4096) / 4096.0f;
        for (uint32_t clip = 0; clip < clips; clip++) {
            float duration = lmb_clip_get_info(workload->actor->clips[clip])->duration;
            parameters[i * width + clip] = fmodf(phase * duration + (float)frame / 60.0f, duration);
        }
        float *own = parameters + i * width + clips;
        if (has_node(workload->kind)) {
            node_fill(workload->kind, phase, frame, own);
        } else if (clips < width) {
            float level = workload->kind == WORKLOAD_DISTANT ? 1.0f : (float)(i % 2);
            *own = has_levels(workload->kind) ? level : phase;
        }
    }
}

static size_t palette_floats(const workload *workload) {
    return (size_t)lmb_rig_get_def(workload->actor->rig)->joint_count * LMB_MATRIX_COMPONENTS;
}

static size_t dual_floats(const workload *workload) {
    const bool has = (workload->outputs & LMB_OUTPUT_DUAL_QUATERNIONS_BIT) != 0;
    return has ? (size_t)lmb_rig_get_def(workload->actor->rig)->joint_count * LMB_DUAL_COMPONENTS : 0;
}

static size_t pose_floats(const workload *workload) {
    return lmb_graph_get_info(workload->graph)->pose_count > 0 ? lmb_graph_pose_floats(workload->graph, 0) : 0;
}

static size_t channel_floats(const workload *workload) {
    return workload->skinning.morphs ? SKINNING_TARGETS : 0;
}

size_t workload_output_bytes(const workload *workload) {
    return (palette_floats(workload) + dual_floats(workload) + skinning_floats(&workload->skinning)) * sizeof(float);
}

size_t workload_memory_bytes(const workload *workload) {
    return (pose_floats(workload) + channel_floats(workload) + lmb_graph_get_info(workload->graph)->inertia_words) *
           sizeof(float);
}

// Allocates zeroed words for each character; NULL if a character has none.
static void *allocate(uint32_t characters, size_t words, lmb_result *result, lmb_error *error) {
    void *memory = words > 0 ? calloc(characters, words * sizeof(float)) : NULL;
    if (words > 0 && memory == NULL) {
        *result = actor_no_memory(error);
    }
    return memory;
}

lmb_result workload_outputs_create(const workload *workload, uint32_t characters, workload_outputs *outputs,
                                   lmb_error *error) {
    lmb_result result = LMB_OK;
    outputs->palettes = allocate(characters, palette_floats(workload), &result, error);
    outputs->dual_quaternions = allocate(characters, dual_floats(workload), &result, error);
    outputs->vertices = allocate(characters, skinning_floats(&workload->skinning), &result, error);
    return result;
}

void workload_outputs_destroy(workload_outputs *outputs) {
    free(outputs->palettes);
    free(outputs->dual_quaternions);
    free(outputs->vertices);
    *outputs = (workload_outputs){0};
}

lmb_result workload_memory_create(const workload *workload, uint32_t characters, workload_memory *memory,
                                  lmb_error *error) {
    lmb_result result = LMB_OK;
    memory->poses = allocate(characters, pose_floats(workload), &result, error);
    memory->channels = allocate(characters, channel_floats(workload), &result, error);
    memory->inertia = allocate(characters, lmb_graph_get_info(workload->graph)->inertia_words, &result, error);
    for (uint32_t i = 0; i < characters && result == LMB_OK; i++) {
        const float phase = (float)i / (float)characters;
        if (memory->poses != NULL) {
            node_fill_pose(workload->actor->rig, phase, memory->poses + i * pose_floats(workload));
        }
        if (memory->channels != NULL) {
            skinning_fill(phase, memory->channels + i * channel_floats(workload));
        }
    }
    return result;
}

void workload_memory_destroy(workload_memory *memory) {
    free(memory->poses);
    free(memory->channels);
    free(memory->inertia);
    *memory = (workload_memory){0};
}

static lmb_result skin(const workload *workload, lmb_cpu_path path, uint32_t characters, const workload_memory *memory,
                       const workload_outputs *outputs, lmb_error *error) {
    const skinning *skinning = &workload->skinning;
    const bool dual = skinning->method == LMB_SKIN_METHOD_DUAL_QUATERNION;
    float *normals = outputs->vertices + characters * skinning_floats(skinning) / 2;
    const lmb_skin_run_info info = {
        .layout = skinning_layout(skinning, characters, 0, characters),
        .palette = dual ? outputs->dual_quaternions : outputs->palettes,
        .channels = memory->channels,
        .streams = {[LMB_SKIN_OUTPUT_POSITIONS] = outputs->vertices, [LMB_SKIN_OUTPUT_NORMALS] = normals}};
    return lmb_skin_run(skinning->skin, path, &info, error);
}

lmb_result workload_run(const workload *workload, lmb_cpu *cpu, uint32_t characters, const float *parameters,
                        const workload_memory *memory, const workload_outputs *outputs, lmb_error *error) {
    const lmb_batch_def batch = {workload->graph, characters, workload->outputs};
    const lmb_batch_inputs inputs = {.parameters = parameters, .poses = {memory->poses}};
    const lmb_batch_outputs to = {
        .buffers =
            {[LMB_OUTPUT_PALETTE] = outputs->palettes, [LMB_OUTPUT_DUAL_QUATERNIONS] = outputs->dual_quaternions},
        .inertia = memory->inertia};
    lmb_result result = lmb_cpu_run_poses(cpu, &batch, &inputs, &to, 0, characters, error);
    if (result == LMB_OK && workload->skinning.skin != NULL) {
        result = skin(workload, lmb_cpu_path_of(cpu), characters, memory, outputs, error);
    }
    return result;
}
