// Creates graphs. A descriptor is checked completely and emitted once to count instructions, weights and data. From
// these numbers plan_program() assigns the offset of every part. Then the program is allocated, the rig, masks and
// clips are copied into it, and the graph is emitted again to write the rest.
//
// A graph that moves by itself is split first (control/moving.h). Its poses become the program, and what moves becomes
// its control, which reads the weights of the program's sources.
#include "program/compiler.h"

#include "base/float_environment.h"
#include "clip/clip.h"
#include "clip/layout.h"
#include "control/control.h"
#include "names.h"
#include "program/clip_slot.h"
#include "rig/joint_limits.h"
#include "rig/rig.h"

#include "../../shaders/ops/channels.h"
#include "../../shaders/ops/inertia.h"
#include "../../shaders/ops/layout.h"

#include <limber/batch.h>

#include <string.h>

#define LARGEST_BLOCK (1u << 30) // words

_Static_assert(LMB_INERTIA_NUMBER == FIELD(INERTIA_INPUT, number) && LMB_INERTIA_STEP == FIELD(INERTIA_INPUT, step) &&
                   LMB_INERTIA_TRIGGERED == FIELD(INERTIA_INPUT, switched) &&
                   LMB_INERTIA_TIME == FIELD(INERTIA_INPUT, time) &&
                   LMB_INERTIA_DURATION == FIELD(INERTIA_INPUT, duration) &&
                   LMB_INERTIA_PARAMETERS == WORDS_OF(INERTIA_INPUT) && LMB_MAX_INERTIA_NUMBER == INERTIA_LAST_NUMBER,
               "the kernels read the parameters of inertialization otherwise than inertia.h says");
_Static_assert(LMB_MAX_STACK == STACK_POSES, "the evaluator's stack differs from the stated one");
_Static_assert(LMB_MAX_CHANNEL_STACK == STACK_CHANNELS, "the channels' stack differs from the stated one");
_Static_assert(LMB_MAX_STACK == 11 && STACK_CHANNELS >= 5 * LMB_MAX_INPUTS + 1,
               "five sums of 16 around one another, which two poses each leave room for, hold more values of channels");

static bool has_full_mask(const lmb_graph_def *def) {
    bool has = false;
    for (uint32_t i = 0; i < def->node_count; i++) {
        has |= def->nodes[i].op == LMB_OP_OVERRIDE && def->nodes[i].mask == LMB_NONE;
    }
    return has;
}

static uint64_t plan_program(lmb_compiler *c, uint32_t *header) {
    const lmb_graph_def *def = c->def;
    uint64_t joints = def->rig->def.joint_count;
    uint64_t at = PROGRAM_HEADER_WORDS;
    header[FIELD(PROGRAM, joints)] = (uint32_t)joints;
    header[FIELD(PROGRAM, parameters)] = def->parameter_count;
    header[FIELD(PROGRAM, instructions)] = (uint32_t)at;
    header[FIELD(PROGRAM, instruction_count)] = c->instruction_count;
    at += (uint64_t)c->instruction_count * WORDS_OF(INSTRUCTION);
    header[FIELD(PROGRAM, rules)] = (uint32_t)at;
    header[FIELD(PROGRAM, rule_count)] = c->rule_count;
    header[FIELD(PROGRAM, weights)] = c->weight_count;
    header[FIELD(PROGRAM, sources)] = c->source_count;
    at += (uint64_t)c->rule_count * WORDS_OF(RULE);
    c->first_motion_rule = c->root_rule_count;
    c->first_motion_weight = c->weight_count;
    header[FIELD(PROGRAM, motion_rules)] = (uint32_t)at;
    header[FIELD(PROGRAM, motion_rule_count)] = c->root_rule_count + c->motion_rule_count;
    header[FIELD(PROGRAM, control_weights)] = c->weight_count + c->motion_weight_count;
    at += ((uint64_t)c->root_rule_count + c->motion_rule_count) * WORDS_OF(MOTION_RULE);
    header[FIELD(PROGRAM, uses)] = (uint32_t)at;
    at += (uint64_t)c->source_count * WORDS_OF(USE);
    header[FIELD(PROGRAM, skips)] = (uint32_t)at;
    at += (uint64_t)c->skip_count * WORDS_OF(SKIP);
    header[FIELD(PROGRAM, points)] = (uint32_t)at;
    header[FIELD(PROGRAM, point_count)] = c->point_count;
    header[FIELD(PROGRAM, point_floats)] = c->point_slots * POINT_COMPONENTS;
    at += (uint64_t)c->point_count * WORDS_OF(POINT);
    header[FIELD(PROGRAM, parents)] = (uint32_t)at;
    at += joints;
    header[FIELD(PROGRAM, depth)] = def->rig->depth;
    header[FIELD(PROGRAM, bands)] = (uint32_t)at;
    at += def->rig->depth + UINT64_C(1);
    header[FIELD(PROGRAM, strands)] = (uint32_t)at;
    at += joints + UINT64_C(1);
    header[FIELD(PROGRAM, order)] = (uint32_t)at;
    at += joints;
    at = lmb_align_wide(at);
    header[FIELD(PROGRAM, rest)] = (uint32_t)at;
    at += WORDS_OF(STATIC_POSE) * joints;
    header[FIELD(PROGRAM, inverse_bind)] = (uint32_t)at;
    at += MATRIX_COMPONENTS * joints;
    header[FIELD(PROGRAM, binds)] = (uint32_t)at;
    at += BIND_COMPONENTS * joints;
    header[FIELD(PROGRAM, sockets)] = (uint32_t)at;
    header[FIELD(PROGRAM, socket_count)] = def->rig->def.socket_count;
    at += (uint64_t)WORDS_OF(SOCKET) * def->rig->def.socket_count;
    uint64_t channels = def->rig->def.channel_count;
    header[FIELD(PROGRAM, channels)] = (uint32_t)channels;
    header[FIELD(PROGRAM, channel_rest)] = (uint32_t)at;
    header[FIELD(PROGRAM, pose_floats)] = (uint32_t)(POSE_COMPONENTS * joints + channels);
    at += 2 * channels;
    c->mask_words = (uint32_t)((joints + channels + 3) / 4);
    c->masks = (uint32_t)at;
    header[FIELD(PROGRAM, masks)] = c->masks;
    c->has_full_mask = has_full_mask(def);
    at += ((uint64_t)def->mask_count + c->has_full_mask) * c->mask_words;
    header[FIELD(PROGRAM, clips)] = (uint32_t)at;
    header[FIELD(PROGRAM, clip_count)] = def->clip_count;
    at += def->clip_count;
    for (uint32_t i = 0; i < def->clip_count; i++) {
        at = lmb_align_wide(at) + lmb_graph_clip_words(def, i);
    }
    at += lmb_static_pose_padding(at - header[FIELD(PROGRAM, rest)]);
    c->data = (uint32_t)at;
    header[FIELD(PROGRAM, data)] = c->data;
    header[FIELD(PROGRAM, inertia)] = def->inertialize ? 1 + def->inertia_parameters : 0;
    header[FIELD(PROGRAM, inertia_pass)] = c->inertia_pass;
    header[FIELD(PROGRAM, kept)] = c->inertia_words + c->chain_words;
    header[FIELD(PROGRAM, joint_kept)] = c->joint_kept;
    header[FIELD(PROGRAM, reached)] = c->reached_count;
    at += c->data_words;
    at += 1; // spare: see load_vector() in shaders/ops/sampling.h
    header[FIELD(PROGRAM, size)] = (uint32_t)at;
    return at;
}

// What write_order() finds out, in memory of the program that is written later.
typedef struct hierarchy {
    uint32_t *level_of; // [joint]
    uint32_t *child_of; // [joint]: its last child, or LMB_NONE
    uint32_t *forks;    // [level]: whether a joint has siblings there; 1 for level 0
    uint32_t *shorter;  // [joint]: by how much the strand from there on is shorter than the rig is deep
    uint32_t *heads;    // joints that begin strands
    uint32_t *sorted;   // the same in another order
    uint32_t *counts;   // [key + 1]
} hierarchy;

// Parents come before their children.
static void find_strands(const lmb_rig *rig, const hierarchy *h) {
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        const uint32_t parent = rig->def.joints[joint].parent;
        h->child_of[joint] = LMB_NONE;
        h->forks[joint] = joint == 0;
        h->level_of[joint] = parent == LMB_NONE ? 0 : h->level_of[parent] + 1;
        if (parent != LMB_NONE) {
            h->forks[h->level_of[joint]] |= h->child_of[parent] != LMB_NONE;
            h->child_of[parent] = joint;
        }
    }
    for (uint32_t joint = rig->def.joint_count; joint-- > 0;) {
        const uint32_t child = h->child_of[joint];
        const bool ends = child == LMB_NONE || h->forks[h->level_of[child]];
        h->shorter[joint] = ends ? rig->depth - 1 : h->shorter[child] - 1;
    }
}

// Sorts joints by their keys, which are below `end`. Joints of the same key keep their order.
static void sort_joints(const uint32_t *keys, uint32_t end, const uint32_t *from, uint32_t count, uint32_t *counts,
                        uint32_t *to) {
    memset(counts, 0, (end + (size_t)1) * sizeof *counts);
    for (uint32_t i = 0; i < count; i++) {
        counts[keys[from[i]] + 1]++;
    }
    for (uint32_t key = 0; key < end; key++) {
        counts[key + 1] += counts[key];
    }
    for (uint32_t i = 0; i < count; i++) {
        to[counts[keys[from[i]]]++] = from[i];
    }
}

// Writes the joints strand by strand: by level, and the longest first.
static void write_order(const lmb_rig *rig, uint32_t *program) {
    const size_t joints = rig->def.joint_count;
    uint32_t *scratch = program + program[FIELD(PROGRAM, inverse_bind)];
    const hierarchy h = {scratch,
                         scratch + joints,
                         scratch + 2 * joints,
                         scratch + 3 * joints,
                         scratch + 4 * joints,
                         scratch + 5 * joints,
                         scratch + 6 * joints};
    uint32_t *strands = program + program[FIELD(PROGRAM, strands)], *order = program + program[FIELD(PROGRAM, order)];
    uint32_t bands = 0, count = 0, place = 0;
    find_strands(rig, &h);
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        h.heads[count] = joint;
        count += h.forks[h.level_of[joint]];
    }
    if (count > 0) {
        sort_joints(h.shorter, rig->depth, h.heads, count, h.counts, h.sorted);
        sort_joints(h.level_of, rig->depth, h.sorted, count, h.counts, h.heads);
    }
    for (uint32_t strand = 0; strand < count; strand++) {
        const uint32_t head = h.heads[strand];
        if (strand == 0 || h.level_of[head] != h.level_of[h.heads[strand - 1]]) {
            program[program[FIELD(PROGRAM, bands)] + bands++] = strand;
        }
        strands[strand] = place;
        uint32_t next = head;
        for (uint32_t i = h.shorter[head]; i < rig->depth; i++, next = h.child_of[next]) {
            order[place++] = next | rig->def.joints[next].parent << 16;
        }
    }
    program[program[FIELD(PROGRAM, bands)] + bands] = count;
    program[FIELD(PROGRAM, band_count)] = bands;
    strands[count] = place;
}

static void write_rig(const lmb_rig *rig, uint32_t *program) {
    uint32_t joints = rig->def.joint_count;
    write_order(rig, program);
    for (uint32_t joint = 0; joint < joints; joint++) {
        const lmb_affine *inverse_bind = &rig->def.joints[joint].inverse_bind;
        program[program[FIELD(PROGRAM, parents)] + joint] = rig->def.joints[joint].parent;
        memcpy(program + program[FIELD(PROGRAM, inverse_bind)] + (size_t)MATRIX_COMPONENTS * joint, inverse_bind,
               sizeof *inverse_bind);
        lmb_store_static_pose(&rig->def.joints[joint].rest, program + program[FIELD(PROGRAM, rest)], joint);
    }
    memcpy(program + program[FIELD(PROGRAM, binds)], rig->binds, joints * sizeof *rig->binds);
    for (uint32_t i = 0; i < rig->def.socket_count; i++) {
        uint32_t *socket = program + program[FIELD(PROGRAM, sockets)] + (size_t)i * WORDS_OF(SOCKET);
        socket[0] = rig->def.sockets[i].joint;
        const lmb_affine matrix = lmb_affine_from_transform(rig->def.sockets[i].local);
        memcpy(socket + 1, &matrix, sizeof matrix);
    }
    for (uint32_t i = 0; i < rig->def.channel_count; i++) {
        uint32_t *rest = program + program[FIELD(PROGRAM, channel_rest)];
        rest[i] = BITS(rig->def.channels[i].rest);
        rest[rig->def.channel_count + i] = rig->def.channels[i].angle;
    }
}

static void write_program(lmb_compiler *c, uint32_t *program) {
    const lmb_graph_def *def = c->def;
    write_rig(def->rig, program);
    for (uint32_t i = 0; i < def->mask_count; i++) {
        memcpy(program + c->masks + (size_t)i * c->mask_words, def->masks[i],
               def->rig->def.joint_count + def->rig->def.channel_count);
    }
    if (c->has_full_mask) {
        memset(program + c->masks + (size_t)def->mask_count * c->mask_words, 0xff, c->mask_words * sizeof *program);
    }
    uint32_t at = program[FIELD(PROGRAM, clips)] + def->clip_count;
    for (uint32_t i = 0; i < def->clip_count; i++) {
        at = (uint32_t)lmb_align_wide(at);
        program[program[FIELD(PROGRAM, clips)] + i] = at;
        if (def->clips[i] != NULL) {
            memcpy(program + at, def->clips[i]->words, def->clips[i]->size * sizeof *program);
            program[at + FIELD(CLIP, common_times)] = lmb_clip_find_common_track(def->clips[i]->words);
        }
        at += (uint32_t)lmb_graph_clip_words(def, i);
    }
    c->program = program;
    (void)lmb_graph_emit(c); // the same instructions as while counting
}

static void find_uses(lmb_graph *graph, const lmb_compiler *c) {
    const lmb_graph_def *def = c->def;
    for (uint32_t i = 0; i < def->node_count; i++) {
        graph->uses_spaces = graph->uses_spaces || def->nodes[i].op == LMB_OP_LAYERS ||
                             def->nodes[i].op == LMB_OP_SPACE2D ||
                             (def->nodes[i].op == LMB_OP_SPACE1D && def->nodes[i].discrete);
        graph->uses_profiles = graph->uses_profiles || lmb_graph_profile_count(&def->nodes[i]) > 0;
    }
    graph->uses_cubic = (c->played.kinds & LMB_CLIP_CUBIC) != 0;
    graph->uses_far = (c->played.kinds & LMB_CLIP_FAR) != 0;
    graph->uses_packed = (c->played.kinds & LMB_CLIP_PACKED) != 0;
    graph->uses_weights = c->uses_weights;
    graph->uses_joint_maps = graph->uses_joint_maps || c->played.has_other_joints;
}

// Checks a descriptor completely, and finds the header and the size of its program.
static bool prepare(lmb_compiler *c, uint32_t header[PROGRAM_HEADER_WORDS], uint64_t *size) {
    if (!lmb_graph_check_def(c) || !lmb_graph_emit(c)) {
        return false;
    }
    *size = plan_program(c, header);
    return *size <= LARGEST_BLOCK ||
           lmb_refuse(c->error, LMB_ERROR_LIMIT, "graph: it would take %llu words, and at most 2^30 are possible",
                      (unsigned long long)*size);
}

static lmb_result check_poses(const lmb_graph_def *def, uint32_t *weights, lmb_error *error) {
    lmb_error unread;
    lmb_compiler c = {.def = def, .error = error != NULL ? error : &unread, .joint_map = LMB_NONE};
    uint32_t header[PROGRAM_HEADER_WORDS] = {0};
    uint64_t size;
    const bool valid = prepare(&c, header, &size);
    *weights = c.weight_count + c.motion_weight_count;
    return valid ? LMB_OK : c.error->result;
}

lmb_result lmb_graph_check_poses(const lmb_graph_def *def, lmb_error *error) {
    uint32_t weights;
    return def == NULL ? lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: the descriptor is NULL")
                       : check_poses(def, &weights, error);
}

// Checks what a control requires of a graph: see LMB_MAX_CONTROL_WEIGHTS.
static lmb_result check_weights(const lmb_graph_def *def, uint32_t weights, lmb_error *error) {
    if (weights > LMB_MAX_CONTROL_WEIGHTS) {
        return lmb_fail(
            error, LMB_ERROR_LIMIT,
            "graph: its nodes have %u weights, and at most %u are possible where clips play or machines run",
            (unsigned)weights, LMB_MAX_CONTROL_WEIGHTS);
    }
    for (uint32_t i = 0; i < def->node_count; i++) {
        for (uint32_t k = 0; k < def->group_count; k++) {
            if (lmb_graph_weighs_by(&def->nodes[i], def->groups[k].velocity_parameter)) {
                return lmb_fail(error, LMB_ERROR_ARGUMENT,
                                "graph: node %u (%s): a weight reads the velocity of group %u, which is known after it",
                                (unsigned)i, lmb_op_name(def->nodes[i].op), (unsigned)k);
            }
        }
    }
    return LMB_OK;
}

// Splits a descriptor, and checks the result. On failure nothing is left allocated.
static lmb_result split(const lmb_graph_def *def, const lmb_host *host, lmb_moving *moving, lmb_error *error) {
    uint32_t weights = 0;
    lmb_result result = lmb_moving_create(def, host, moving, error);
    if (result != LMB_OK) {
        return result;
    }
    result = lmb_moving_check(moving, error);
    if (result == LMB_OK) {
        result = check_poses(&moving->poses, &weights, error);
    }
    if (result == LMB_OK) {
        result = check_weights(def, weights, error);
    }
    if (result != LMB_OK) {
        lmb_moving_release(moving);
    }
    return result;
}

lmb_result lmb_graph_check_moving(const lmb_graph_def *def, const lmb_host *host, lmb_error *error) {
    lmb_moving moving;
    const lmb_result result = split(def, host, &moving, error);
    if (result == LMB_OK) {
        lmb_moving_release(&moving);
    }
    return result;
}

lmb_result lmb_graph_check(const lmb_graph_def *def, lmb_error *error) {
    lmb_result result = lmb_graph_check_poses(def, error);
    return result == LMB_OK && lmb_graph_moves(def) ? lmb_graph_check_moving(def, NULL, error) : result;
}

static lmb_result create_names(lmb_graph *graph, const lmb_graph_def *def, const lmb_moving *moving, lmb_error *error) {
    graph->names = lmb_graph_names_create(def, moving, &graph->host);
    if (graph->names == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "graph: no memory for names");
    }
    lmb_graph_names_count(graph->names, &graph->info);
    return LMB_OK;
}

static lmb_result create_moving(const lmb_graph_def *def, const lmb_host *host, lmb_graph **graph, lmb_error *error) {
    lmb_moving moving;
    lmb_result result = lmb_graph_check_poses(def, error);
    if (result == LMB_OK) {
        result = split(def, host, &moving, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    result = lmb_graph_create_in(&moving.poses, LMB_NONE, host, graph, error);
    if (result == LMB_OK) {
        result = lmb_control_create(&moving, *graph, host, &(*graph)->control, error);
    }
    if (result == LMB_OK) {
        lmb_control_count((*graph)->control, &(*graph)->info);
        result = create_names(*graph, def, &moving, error);
    }
    lmb_moving_release(&moving);
    return result;
}

static LMB_NOINLINE lmb_result create(const lmb_graph_def *def, const lmb_host *host, lmb_graph **graph,
                                      lmb_error *error) {
    lmb_result result;
    if (lmb_graph_moves(def)) {
        result = create_moving(def, host, graph, error);
    } else {
        result = lmb_graph_create_in(def, LMB_NONE, host, graph, error);
        result = result == LMB_OK ? create_names(*graph, def, NULL, error) : result;
    }
    if (result != LMB_OK) {
        lmb_graph_destroy(*graph);
        *graph = NULL;
    } else {
        (*graph)->fingerprint = lmb_graph_find_fingerprint(*graph);
    }
    return result;
}

lmb_result lmb_graph_create(const lmb_graph_def *def, const lmb_host *host, lmb_graph **graph, lmb_error *error) {
    if (graph != NULL) {
        *graph = NULL;
    }
    if (def == NULL || graph == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "graph: %s is NULL", def == NULL ? "the descriptor" : "the result");
    }
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const lmb_result result = create(def, host, graph, error);
    lmb_environment_leave(&callers);
    return result;
}

// Returns the joints of the rig and of the largest source, if there is one.
static size_t count_frames(const lmb_graph_def *def) {
    size_t count = 0;
    for (uint32_t i = 0; i < def->retarget_count; i++) {
        const size_t both = (size_t)def->rig->def.joint_count + def->retargets[i].source_joint_count;
        count = both > count ? both : count;
    }
    return count;
}

static bool gives_matrices(const lmb_graph_def *def) {
    return def->nodes[def->node_count - 1].op == LMB_OP_WEIGHTED_MATRIX;
}

// Numbers of what has names follow with the names.
static lmb_graph_info create_info(const lmb_compiler *c, const uint32_t *header) {
    const lmb_graph_def *def = c->def;
    const uint32_t all = (UINT32_C(1) << LMB_OUTPUT_COUNT) - 1;
    const uint32_t of_matrices = all & ~(LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_DUAL_QUATERNIONS_BIT);
    return (lmb_graph_info){.joint_count = def->rig->def.joint_count,
                            .channel_count = def->rig->def.channel_count,
                            .socket_count = def->rig->def.socket_count,
                            .parameter_count = def->parameter_count,
                            .clip_slot_count = def->clip_slot_count,
                            .pose_count = c->pose_count,
                            .point_count = c->point_slots,
                            .uses_transforms = c->uses_transforms,
                            .outputs = gives_matrices(def) ? of_matrices : all,
                            .inertia_words = header[FIELD(PROGRAM, kept)],
                            .inertia_parameters = def->inertialize ? def->inertia_parameters : LMB_NONE,
                            .reached_count = c->reached_count,
                            .stack = c->deepest,
                            .exchange_count = c->ended - 1};
}

lmb_result lmb_graph_create_in(const lmb_graph_def *def, uint32_t joint_map, const lmb_host *host, lmb_graph **graph,
                               lmb_error *error) {
    *graph = NULL;
    lmb_error unread;
    lmb_compiler c = {.def = def, .error = error != NULL ? error : &unread, .joint_map = joint_map};
    uint32_t header[PROGRAM_HEADER_WORDS] = {0};
    uint64_t size;
    if (!prepare(&c, header, &size)) {
        return c.error->result;
    }
    lmb_host resolved = lmb_host_resolve(host);
    lmb_graph *created = lmb_host_allocate(&resolved, 1, sizeof *created);
    uint32_t *program = lmb_host_allocate(&resolved, size, sizeof *program);
    lmb_clip_slot *slots = def->clip_slot_count > 0 ? lmb_host_allocate(&resolved, 1, lmb_clip_slots_bytes(def)) : NULL;
    c.rest_turns =
        lmb_host_allocate(&resolved, def->mirror_count > 0 ? def->rig->def.joint_count : 0, sizeof *c.rest_turns);
    c.frames = lmb_host_allocate(&resolved, count_frames(def), sizeof *c.frames);
    if (created == NULL || program == NULL || c.rest_turns == NULL || c.frames == NULL ||
        (def->clip_slot_count > 0 && slots == NULL)) {
        lmb_host_release(&resolved, created);
        lmb_host_release(&resolved, program);
        lmb_host_release(&resolved, slots);
        lmb_host_release(&resolved, c.rest_turns);
        lmb_host_release(&resolved, c.frames);
        return lmb_fail(error, LMB_ERROR_MEMORY, "graph: no memory for %llu words", (unsigned long long)size);
    }
    memcpy(program, header, sizeof header);
    write_program(&c, program);
    lmb_clip_slots_write(def, program, slots);
    lmb_host_release(&resolved, c.rest_turns);
    lmb_host_release(&resolved, c.frames);
    *created = (lmb_graph){.host = resolved,
                           .clip_slots = slots,
                           .info = create_info(&c, header),
                           .finds_points = c.point_count > 0,
                           .mask_count = def->mask_count,
                           .uses_joint_maps = c.uses_joint_maps,
                           .uses_scale = c.scales,
                           .uses_curves = c.uses_curves,
                           .uses_user_curves = def->curve_count > 0,
                           .uses_retargets = c.uses_retargets,
                           .uses_lod = lmb_graph_has_lods(def),
                           .uses_inertia = def->inertialize,
                           .uses_chains = c.chain_words > 0,
                           .uses_colliders = c.uses_colliders,
                           .uses_detached = c.uses_detached,
                           .gives_matrices = gives_matrices(def),
                           .joint_limits = c.joint_limits,
                           .joint_maps = c.joint_maps,
                           .size = (uint32_t)size,
                           .program = program};
    memcpy(created->pose_joints, c.pose_joints, sizeof c.pose_joints);
    memcpy(created->pose_floats, c.pose_floats, sizeof c.pose_floats);
    find_uses(created, &c);
    *graph = created;
    return LMB_OK;
}

void lmb_graph_destroy(lmb_graph *graph) {
    if (graph == NULL) {
        return;
    }
    const unsigned users = atomic_load(&graph->users);
    if (users > 0) {
        lmb_host_log(&graph->host, LMB_LOG_ERROR, "graph: it is not destroyed before what uses it (gpu graphs: %u)",
                     users);
        return;
    }
    lmb_host host = graph->host;
    lmb_control_destroy(graph->control);
    lmb_graph_names_destroy(graph->names, &host);
    lmb_host_release(&host, graph->clip_slots);
    lmb_host_release(&host, graph->program);
    lmb_host_release(&host, graph);
}

const lmb_graph_info *lmb_graph_get_info(const lmb_graph *graph) {
    return &graph->info;
}

uint32_t lmb_graph_pose_floats(const lmb_graph *graph, uint32_t pose) {
    return pose < LMB_MAX_POSES ? graph->pose_floats[pose] : 0;
}

uint32_t lmb_graph_pose_joint_count(const lmb_graph *graph, uint32_t pose) {
    return pose < LMB_MAX_POSES ? graph->pose_joints[pose] : 0;
}

uint32_t lmb_graph_joints_at(const lmb_graph *graph, uint32_t level) {
    if (!graph->uses_lod) {
        return graph->info.joint_count;
    }
    return lod_count(graph->program, level < LMB_MAX_LODS ? level : LMB_MAX_LODS - 1);
}
