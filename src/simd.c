#include "simd.h"

#include "batch.h"
#include "graph.h"
#include "inline_ops.h"

#include "../shaders/ops/channels.h"
#include "../shaders/ops/inertia.h"
#include "../shaders/ops/layout.h"
#include "../shaders/ops/outputs.h"
#include "../shaders/ops/points.h"
#include "../shaders/ops/program.h"
#include "../shaders/ops/transform.h"
#include "../shaders/ops/weights.h"

#define JOIN_NAMES(a, b, c) a##b##c
#define NAME_SIMD(a, lanes, c) JOIN_NAMES(a, lanes, c)
#ifdef LMB_PLAIN
#define SIMD_SCRATCH NAME_SIMD(lmb_simd_, SIMD_WIDTH, _plain_scratch)
#define SIMD_RUN NAME_SIMD(lmb_simd_, SIMD_WIDTH, _plain_run)
#else
#define SIMD_SCRATCH NAME_SIMD(lmb_simd_, SIMD_WIDTH, _scratch)
#define SIMD_RUN NAME_SIMD(lmb_simd_, SIMD_WIDTH, _run)
#endif

#ifdef LMB_SIMD_WIDTH
// More rows would not fit the L2 cache, and take longer than decoding tracks again.
#define MOST_ROW_BYTES (512u * 1024u)

// Returns the number of rows, or 0 if there are too many.
static size_t count_rows(const lmb_graph *graph) {
    size_t rows = (size_t)graph->block[PROGRAM_SOURCES] * graph->joint_count;
    return rows * sizeof(clip_row) <= MOST_ROW_BYTES ? rows : 0;
}

// The rows, and before them the number of the last run. Scratch is zeroed at first, so no row is that of run 1.
static void begin_rows(const lmb_graph *graph, uint32_t *runs, evaluation *e) {
    size_t count = count_rows(graph);
    e->rows = count > 0 ? (clip_row *)(runs + 1) : NULL;
    if (++*runs == 0) {
        *runs = 1;
        memset(runs + 1, 0, count * sizeof(clip_row));
    }
    e->run = *runs;
}

static size_t row_bytes(const lmb_graph *graph) {
    return sizeof(uint32_t) + count_rows(graph) * sizeof(clip_row);
}
#else
static size_t row_bytes(const lmb_graph *graph) {
    (void)graph;
    return 0;
}
#endif

_Static_assert(sizeof(box) == BOX_COMPONENTS * sizeof(real), "a box is not laid out as batch.h says");

// The scratch has model matrices [joint] and the identity, then weights, sources and their searches, then the
// evaluator's poses, then rotations of dual quaternions [joint], then exchange areas, then rows of clips.
size_t SIMD_SCRATCH(const lmb_graph *graph) {
    return sizeof(affine) + graph->joint_count * (sizeof(affine) + sizeof(quaternion)) +
           graph->block[PROGRAM_WEIGHTS] * sizeof(stored_weight) +
           graph->block[PROGRAM_SOURCES] * (sizeof(source) + sizeof(key_search)) + SLOTS_SIZE(graph->stack) +
           (size_t)graph->exchange_count * (graph->joint_count + graph->channel_count) * sizeof(transform) +
           row_bytes(graph);
}

// The addresses of each lane's outputs. Lanes without a character repeat the last character's.
typedef struct rows {
    float *outputs[LMB_OUTPUT_COUNT][SIMD_WIDTH];
    int lanes;
} rows;

static rows find_rows(const lmb_batch_def *batch, const lmb_batch_outputs *outputs, size_t first, int lanes) {
    rows found = {.lanes = lanes};
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        size_t floats = lmb_batch_output_floats(batch, (lmb_output)output);
        for (int lane = 0; lane < SIMD_WIDTH && floats > 0 && (batch->outputs >> output & 1u); lane++) {
            size_t character = first + (size_t)(lane < lanes ? lane : lanes - 1);
            found.outputs[output][lane] = outputs->buffers[output] + character * floats;
        }
    }
    return found;
}

OP void store_value(const rows *to, lmb_output output, size_t at, real value) {
    for (int lane = 0; lane < to->lanes; lane++) {
        to->outputs[output][lane][at] = LANE(value, lane);
    }
}

static void store_local(const rows *to, uint32_t joints, uint32_t joint, const transform *local) {
    const real *components = (const real *)local;
    for (uint32_t i = 0; i < POSE_COMPONENTS; i++) {
        store_value(to, LMB_OUTPUT_LOCAL, (size_t)i * joints + joint, components[i]);
    }
}

// Prefetches explicitly, because some processors do not track as many streams as there are lanes.
OP void prefetch_rows(float *const *to, size_t at) {
    for (int lane = 0; lane < SIMD_WIDTH; lane++) {
        PREFETCH(to[lane] + at + 64);
    }
}

OP void store_row(float *const *to, size_t at, matrix_row row) {
    lmb_store_rows(to, at, row.x, row.y, row.z, row.t);
}

OP void store_affine(float *const *to, uint32_t joint, affine m) {
    size_t at = (size_t)joint * MATRIX_COMPONENTS;
    prefetch_rows(to, at);
    store_row(to, at, row_x(m));
    store_row(to, at + 4, row_y(m));
    store_row(to, at + 8, row_z(m));
}

// Computes a joint's outputs from its local matrix, one row at a time to save registers. The last of `models` is the
// identity, the parent of all roots. It changes no bit of their local matrices, because these are snapped.
OP void finish_joint(const lmb_batch_def *batch, const rows *to, memory block, uint32_t joint, affine own,
                     affine *models) {
    uint32_t parent = block[block[PROGRAM_PARENTS] + joint];
    const affine *above = &models[parent != NO_PARENT ? parent : batch->graph->joint_count];
    matrix_row x = matrix_row_under(row_x(*above), own);
    matrix_row y = matrix_row_under(row_y(*above), own);
    matrix_row z = matrix_row_under(row_z(*above), own);
    affine model = models[joint] = affine_of_rows(x, y, z);
    if (batch->outputs & LMB_OUTPUT_MODEL_BIT) {
        store_affine(to->outputs[LMB_OUTPUT_MODEL], joint, model);
    }
    if (batch->outputs & LMB_OUTPUT_PALETTE_BIT) {
        affine inverse_bind = load_affine(block, block[PROGRAM_INVERSE_BIND] + joint * MATRIX_COMPONENTS);
        float *const *rows = to->outputs[LMB_OUTPUT_PALETTE];
        size_t at = (size_t)joint * MATRIX_COMPONENTS;
        prefetch_rows(rows, at);
        store_row(rows, at, palette_row(x, inverse_bind));
        store_row(rows, at + 4, palette_row(y, inverse_bind));
        store_row(rows, at + 8, palette_row(z, inverse_bind));
    }
}

static bool needs_models(const lmb_batch_def *batch) {
    return (batch->outputs & ~(LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_CHANNELS_BIT)) != 0;
}

// Inertializes the joints held. `kept` begins with the first lane's row.
static LMB_NOINLINE void inertialize_joints(const evaluation *at, const inertia_clock *now, uint32_t *kept,
                                            uint32_t count, slots *held) {
    evaluation e = *at;
    for (uint32_t place = 0; place < count; place++) {
        e.joint = held->joints[place];
        store_slot(held, 0, place, inertialize(e, *now, kept, load_slot(held, 0, place), held->active[place]));
    }
}

// Runs all passes except the last one, for all joints.
static void run_exchanges(evaluation e, slots *held) {
    const walk_plan all = {.computed = e.program[PROGRAM_JOINTS]};
    for (uint32_t pass = 0; pass + 1 < e.program[PROGRAM_PASS_COUNT]; pass++) {
        transform *area = exchange_place(e, pass, 0);
        uint32_t count;
        for (uint32_t first = 0; first < all.computed; first += count) {
            count = all.computed - first < TILE_JOINTS ? all.computed - first : TILE_JOINTS;
            take_joints(e, all, first, count, held);
            evaluate_joints(e, pass, count, held);
            for (uint32_t place = 0; place < count; place++) {
                store_pose(area + first + place, load_slot(held, 0, place));
            }
        }
    }
}

static void run_joints(const lmb_batch_def *batch, const rows *to, evaluation e, uint32_t *kept, affine *models,
                       slots *held) {
    walk_plan plan = plan_walk(e);
    inertia_clock now;
    if (USES_INERTIA && kept != NULL) {
        now = load_inertia_clock(e);
    }
    uint32_t joints = batch->graph->joint_count, count;
    for (uint32_t first = 0; first < joints; first += count) {
        bool computed = first < plan.computed;
        uint32_t left = (computed ? plan.computed : joints) - first;
        count = left < TILE_JOINTS ? left : TILE_JOINTS;
        take_joints(e, plan, first, count, held);
        if (computed) {
            evaluate_joints(e, e.program[PROGRAM_PASS_COUNT] - 1, count, held);
            if (USES_INERTIA && kept != NULL) {
                inertialize_joints(&e, &now, kept, count, held);
            }
        }
        if (plan.mixed || !computed) {
            leave_at_rest(e, plan, count, held);
        }
        for (uint32_t place = 0; place < count; place++) {
            if (batch->outputs & LMB_OUTPUT_LOCAL_BIT) {
                transform local = load_slot(held, 0, place);
                store_local(to, joints, held->joints[place], &local);
            }
            if (needs_models(batch)) {
                finish_joint(batch, to, e.program, held->joints[place], evaluated_matrix(e.program, place, held),
                             models);
            }
        }
    }
}

static void run_dual_quaternions(memory block, uint32_t joints, const rows *to, const affine *models,
                                 quaternion *rotations) {
    for (uint32_t joint = 0; joint < joints; joint++) {
        uint32_t parent = block[block[PROGRAM_PARENTS] + joint];
        quaternion beside = joint == 0 ? identity_transform().q : rotations[joint_beside(parent)];
        dual_quaternion m =
            rigid_motion(models[joint], load_inverse_rotation(block, joint), load_bind_position(block, joint), beside);
        float *const *rows = to->outputs[LMB_OUTPUT_DUAL_QUATERNIONS];
        size_t at = (size_t)joint * DUAL_COMPONENTS;
        rotations[joint] = m.rotation;
        lmb_store_rows(rows, at, m.rotation.x, m.rotation.y, m.rotation.z, m.rotation.w);
        lmb_store_rows(rows, at + 4, m.dual.x, m.dual.y, m.dual.z, m.dual.w);
    }
}

static void run_bounds(memory block, uint32_t joints, const rows *to, const affine *models) {
    box bounds = empty_box();
    for (uint32_t joint = 0; joint < joints; joint++) {
        bounds = join_boxes(bounds, joint_box(models[joint], load_radius(block, joint)));
    }
    const real *components = (const real *)&bounds;
    for (uint32_t i = 0; i < BOX_COMPONENTS; i++) {
        store_value(to, LMB_OUTPUT_BOUNDS, i, components[i]);
    }
}

// Computes the outputs that follow from the model matrices, except the palette.
static void run_outputs(const lmb_batch_def *batch, const rows *to, const affine *models, quaternion *rotations) {
    memory block = batch->graph->block;
    uint32_t joints = batch->graph->joint_count;
    if (batch->outputs & LMB_OUTPUT_DUAL_QUATERNIONS_BIT) {
        run_dual_quaternions(block, joints, to, models, rotations);
    }
    if (batch->outputs & LMB_OUTPUT_BOUNDS_BIT) {
        run_bounds(block, joints, to, models);
    }
    for (uint32_t i = 0; (batch->outputs & LMB_OUTPUT_SOCKETS_BIT) && i < batch->graph->socket_count; i++) {
        affine socket = socket_matrix(block, i, models[load_socket_joint(block, i)]);
        store_affine(to->outputs[LMB_OUTPUT_SOCKETS], i, socket);
    }
}

// Here, too, each lane is a character.
static LMB_NOINLINE void run_channels(const lmb_batch_def *batch, const rows *to, evaluation e) {
    uint32_t joints = batch->graph->joint_count, channels = batch->graph->channel_count, pass = 0;
    for (; pass + 1 < e.program[PROGRAM_PASS_COUNT]; pass++) {
        for (e.joint = joints; e.joint < joints + channels; e.joint++) {
            (void)evaluate_channel(e, pass);
        }
    }
    for (uint32_t channel = 0; channel < channels; channel++) {
        e.joint = joints + channel;
        real value = evaluate_channel(e, pass);
        if (batch->outputs & LMB_OUTPUT_LOCAL_BIT) {
            store_value(to, LMB_OUTPUT_LOCAL, (size_t)POSE_COMPONENTS * joints + channel, value);
        }
        if (batch->outputs & LMB_OUTPUT_CHANNELS_BIT) {
            store_value(to, LMB_OUTPUT_CHANNELS, channel, value);
        }
    }
}

static LMB_NOINLINE void run_points(const evaluation *e) {
    find_points(*e);
}

void SIMD_RUN(const lmb_batch_def *batch, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
              uint32_t first, uint32_t count, void *scratch) {
    const lmb_graph *graph = batch->graph;
    uint32_t refused[LMB_REFUSAL_COUNT] = {0};
    const uint32_t *poses[LMB_MAX_POSES] = {0};
    affine *models = scratch;
    stored_weight *weights = (stored_weight *)(models + graph->joint_count + 1);
    source *sources = (source *)(weights + graph->block[PROGRAM_WEIGHTS]);
    key_search *searches = (key_search *)(sources + graph->block[PROGRAM_SOURCES]);
    slots *held = (slots *)(searches + graph->block[PROGRAM_SOURCES]);
    quaternion *rotations = (quaternion *)(held->poses + graph->stack);
    transform *exchange = (transform *)(rotations + graph->joint_count);
    evaluation e = {.program = graph->block,
                    .poses = poses,
                    .refused = outputs->refused != NULL ? outputs->refused : refused,
                    .weights = weights,
                    .sources = sources,
                    .searches = searches,
                    .exchange = exchange};
#ifdef LMB_SIMD_WIDTH
    size_t exchanged = (size_t)graph->exchange_count * (graph->joint_count + graph->channel_count);
    begin_rows(graph, (uint32_t *)(exchange + exchanged), &e);
#endif
    models[graph->joint_count] = own_matrix(identity_transform());
    for (uint32_t done = 0; done < count; done += SIMD_WIDTH) {
        int lanes = count - done < SIMD_WIDTH ? (int)(count - done) : SIMD_WIDTH;
        size_t character = (size_t)first + done;
        // Rows are found here because size_t indices cannot overflow; the evaluator numbers characters from 0.
        word number = ALL_WORD(0u);
        for (int lane = 0; lane < SIMD_WIDTH; lane++) {
            LANE(number, lane) = (uint32_t)lane;
        }
        e.character = MINIMUM(number, (uint32_t)lanes - 1u);
        e.counts = e.character == number;
        if (graph->parameter_count > 0) {
            e.parameters = (const uint32_t *)inputs->parameters + character * graph->parameter_count;
        }
        for (uint32_t pose = 0; pose < graph->pose_count; pose++) {
            poses[pose] = (const uint32_t *)inputs->poses[pose] + character * graph->pose_floats[pose];
        }
        if (graph->point_count > 0) {
            e.points = (const uint32_t *)inputs->points + character * graph->block[PROGRAM_POINT_FLOATS];
        }
        if (graph->uses_transforms) {
            e.transforms = (const uint32_t *)inputs->transforms + character * MATRIX_COMPONENTS;
        }
        rows to = find_rows(batch, outputs, character, lanes);
        e.joint = 0;
        weigh_nodes(e);
        if (graph->finds_points) {
            run_points(&e);
        }
        find_sources(e);
        if (outputs->inertia != NULL) {
            e.kept = outputs->inertia + character * graph->block[PROGRAM_KEPT];
        }
        run_exchanges(e, held);
        run_joints(batch, &to, e, graph->uses_inertia ? e.kept : NULL, models, held);
        run_outputs(batch, &to, models, rotations);
        if (lmb_batch_runs_channels(batch)) {
            run_channels(batch, &to, e);
        }
    }
}
