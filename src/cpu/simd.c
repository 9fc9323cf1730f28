// The CPU executor: simd.h. Each lane of a vector has a character, and a run goes through these steps:
// - take_characters() and weigh(): stage 1, the weights and what each character samples;
// - if all lanes sample the same clips, pose() runs the other stages at once;
// - else the characters wait. When many do, run_waiting() puts those together that sample the same, computes stage 1
//   again, and runs whole vectors of them. Where too few sample the same, lanes sample different clips (sample_rows.h),
//   and share the work of weighted sums by rank (ranks.h).
// The reference has one lane, and no need for an order.
#include "simd.h"

#include "batch.h"
#include "control/lanes.h"
#include "math/inline_ops.h"
#include "program/program.h"

#include "../../shaders/ops/channels.h"
#include "../../shaders/ops/inertia.h"
#include "../../shaders/ops/layout.h"
#include "../../shaders/ops/outputs.h"
#include "../../shaders/ops/points.h"
#include "../../shaders/ops/program.h"
#include "../../shaders/ops/transform.h"
#include "../../shaders/ops/weights.h"

#define JOIN_NAMES(a, b, c) a##b##c
#define NAME_SIMD(a, lanes, c) JOIN_NAMES(a, lanes, c)
#ifdef LMB_PLAIN
#define SIMD_SCRATCH NAME_SIMD(lmb_simd_, SIMD_WIDTH, _plain_scratch)
#define SIMD_RUN NAME_SIMD(lmb_simd_, SIMD_WIDTH, _plain_run)
#else
#define SIMD_SCRATCH NAME_SIMD(lmb_simd_, SIMD_WIDTH, _scratch)
#define SIMD_RUN NAME_SIMD(lmb_simd_, SIMD_WIDTH, _run)
#endif

// What is rare, or runs once for a character, is compiled once for each number of lanes: for any graph, weights for
// controls as well. The version for plain graphs calls it. It reads and writes scales and joint weights, which the
// version for plain graphs ignores.
#define SHARED_POINTS NAME_SIMD(lmb_simd_, SIMD_WIDTH, _points)
#define SHARED_CHANNELS NAME_SIMD(lmb_simd_, SIMD_WIDTH, _channels)
void SHARED_POINTS(const evaluation *e);
void SHARED_CHANNELS(const lmb_batch_def *batch, const lmb_batch_outputs *outputs, size_t first, int lanes,
                     const evaluation *at);
#ifdef LMB_SIMD_WIDTH
#define SHARED_STEP NAME_SIMD(lmb_simd_, SIMD_WIDTH, _step)
#define SHARED_WEIGH(e) NAME_SIMD(lmb_weigh_nodes_, SIMD_WIDTH, )(&(e))
void SHARED_STEP(const tile *t);
#else
#define SHARED_WEIGH(e) weigh_nodes(e)
#endif

#ifdef LMB_PLAIN
static void run_shared_step(const tile *t) {
    SHARED_STEP(t);
}
#else
#ifdef LMB_SIMD_WIDTH
void SHARED_STEP(const tile *t) {
    evaluate_step(*t);
}
#endif

LMB_NOINLINE void SHARED_POINTS(const evaluation *e) {
    find_points(*e);
}
#endif

_Static_assert(sizeof(box) == BOX_COMPONENTS * sizeof(real), "a box is not laid out as batch.h says");

#ifdef LMB_SIMD_WIDTH
// Characters whose clips differ from those of their neighbours wait until there are this many, to be put in order.
#define MOST_WAITING 4096u

typedef struct waiting {
    uint32_t count;
    uint32_t numbers[MOST_WAITING];
    uint32_t keys[MOST_WAITING];     // of what is evaluated
    uint32_t order[2][MOST_WAITING]; // indices of `numbers`
} waiting;

// Ranked sums have sources, searches and weights of their own.
#define RANKED 1u
#else
#define RANKED 0u
#endif

// The memory of a run, in this order. Sources, searches and weights of ranks follow those of the program.
typedef struct scratch_layout {
    size_t weights, sources, searches, held, rotations, exchange, rank_weights, sums, waiting, size; // bytes
} scratch_layout;

static scratch_layout find_scratch(const lmb_graph *graph) {
    const size_t joints = graph->info.joint_count, sources = graph->program[FIELD(PROGRAM, sources)];
    scratch_layout at;
    at.weights = (joints + 1) * sizeof(affine);
    at.sources = at.weights + graph->program[FIELD(PROGRAM, weights)] * sizeof(stored_weight);
    at.searches = at.sources + (1 + RANKED) * sources * sizeof(source);
    at.held = at.searches + (1 + RANKED) * sources * sizeof(key_search);
    at.rotations = at.held + SLOTS_SIZE(graph->info.stack);
    at.exchange = at.rotations + joints * sizeof(quaternion);
    at.rank_weights =
        at.exchange + graph->info.exchange_count * (joints + graph->info.channel_count) * sizeof(transform);
    at.sums = at.rank_weights + RANKED * sources * sizeof(stored_weight);
#ifdef LMB_SIMD_WIDTH
    at.waiting = at.sums + sources * sizeof(ranked_sum);
    at.size = at.waiting + sizeof(waiting);
#else
    at.waiting = at.size = at.sums;
#endif
    return at;
}

size_t SIMD_SCRATCH(const lmb_graph *graph) {
    return find_scratch(graph).size;
}

// The addresses of each lane's outputs.
typedef struct rows {
    float *outputs[LMB_OUTPUT_COUNT][SIMD_WIDTH];
    int lanes;
} rows;

// The outputs of `first` and each lane's number. Lanes without a character repeat the last character's.
static rows find_output_rows(const lmb_batch_def *batch, const lmb_batch_outputs *outputs, size_t first, word number,
                             int lanes) {
    rows found = {.lanes = lanes};
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        size_t floats = lmb_batch_output_floats(batch, (lmb_output)output);
        for (int lane = 0; lane < SIMD_WIDTH && floats > 0 && (batch->outputs >> output & 1u); lane++) {
            size_t character = first + LANE(number, lane);
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

static bool four_follow(const uint32_t *joints) {
    return joints[1] == joints[0] + 1 && joints[2] == joints[0] + 2 && joints[3] == joints[0] + 3;
}

// Stores the poses of a tile's joints. If four joints follow each other, each component of them is a row.
static void store_locals(const rows *to, uint32_t joints, uint32_t count, const slots *held) {
    transform locals[TILE_JOINTS];
    for (uint32_t place = 0; place < count; place++) {
        locals[place] = load_slot(held, 0, place);
    }
    for (uint32_t i = 0; i < POSE_COMPONENTS; i++) {
        const size_t begin = (size_t)i * joints;
        real v[TILE_JOINTS];
        for (uint32_t place = 0; place < count; place++) {
            v[place] = ((const real *)&locals[place])[i];
        }
        uint32_t place = 0;
        for (; place + 4 <= count && four_follow(&held->joints[place]); place += 4) {
            lmb_store_rows(to->outputs[LMB_OUTPUT_LOCAL], begin + held->joints[place], v[place], v[place + 1],
                           v[place + 2], v[place + 3]);
        }
        for (; place < count; place++) {
            store_value(to, LMB_OUTPUT_LOCAL, begin + held->joints[place], v[place]);
        }
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
OP void finish_joint(const lmb_batch_def *batch, const rows *to, memory program, uint32_t joint, affine own,
                     affine *models) {
    uint32_t parent = program[program[FIELD(PROGRAM, parents)] + joint];
    const affine *above = &models[parent != NO_PARENT ? parent : batch->graph->info.joint_count];
    matrix_row x = matrix_row_under(row_x(*above), own);
    matrix_row y = matrix_row_under(row_y(*above), own);
    matrix_row z = matrix_row_under(row_z(*above), own);
    affine model = models[joint] = affine_of_rows(x, y, z);
    if (batch->outputs & LMB_OUTPUT_MODEL_BIT) {
        store_affine(to->outputs[LMB_OUTPUT_MODEL], joint, model);
    }
    if (batch->outputs & LMB_OUTPUT_PALETTE_BIT) {
        affine inverse_bind = load_affine(program, program[FIELD(PROGRAM, inverse_bind)] + joint * MATRIX_COMPONENTS);
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

// Inertializes the joints held.
static LMB_NOINLINE void inertialize_joints(const evaluation *at, const inertia_clock *now, uint32_t count,
                                            slots *held) {
    evaluation e = *at;
    for (uint32_t place = 0; place < count; place++) {
        e.joint = held->joints[place];
        store_slot(held, 0, place, inertialize(e, *now, e.kept, load_slot(held, 0, place), held->active[place]));
    }
}

// Runs a pass for the joints held, and inertializes its result if the clock of that is given and it is that pass.
static void run_pass(const evaluation *e, uint32_t pass, const inertia_clock *now, uint32_t count, slots *held) {
    evaluate_joints(*e, pass, count, held);
    if (USES_INERTIA && now != NULL && pass == e->program[FIELD(PROGRAM, inertia_pass)]) {
        inertialize_joints(e, now, count, held);
    }
}

// Runs all passes except the last one, for all joints.
static void run_exchanges(evaluation e, const inertia_clock *now, slots *held) {
    const walk_plan all = {.computed = e.program[FIELD(PROGRAM, joints)]};
    for (uint32_t pass = 0; pass + 1 < e.program[FIELD(PROGRAM, pass_count)]; pass++) {
        transform *area = exchange_place(e, pass, 0);
        uint32_t count;
        for (uint32_t first = 0; first < all.computed; first += count) {
            count = all.computed - first < TILE_JOINTS ? all.computed - first : TILE_JOINTS;
            take_joints(e, all, first, count, held);
            run_pass(&e, pass, now, count, held);
            for (uint32_t place = 0; place < count; place++) {
                store_pose(area + first + place, load_slot(held, 0, place));
            }
        }
    }
}

static void run_joints(const lmb_batch_def *batch, const rows *to, evaluation e, const inertia_clock *now,
                       affine *models, slots *held) {
    walk_plan plan = plan_walk(e);
    uint32_t joints = batch->graph->info.joint_count, count;
    for (uint32_t first = 0; first < joints; first += count) {
        bool computed = first < plan.computed;
        uint32_t left = (computed ? plan.computed : joints) - first;
        count = left < TILE_JOINTS ? left : TILE_JOINTS;
        take_joints(e, plan, first, count, held);
        if (computed) {
            run_pass(&e, e.program[FIELD(PROGRAM, pass_count)] - 1, now, count, held);
        }
        if (plan.mixed || !computed) {
            leave_at_rest(e, plan, count, held);
        }
        if (batch->outputs & LMB_OUTPUT_LOCAL_BIT) {
            store_locals(to, joints, count, held);
        }
        for (uint32_t place = 0; place < count; place++) {
            if (needs_models(batch)) {
                finish_joint(batch, to, e.program, held->joints[place], evaluated_matrix(e.program, place, held),
                             models);
            }
        }
    }
}

static void run_dual_quaternions(memory program, uint32_t joints, const rows *to, const affine *models,
                                 quaternion *rotations) {
    for (uint32_t joint = 0; joint < joints; joint++) {
        uint32_t parent = program[program[FIELD(PROGRAM, parents)] + joint];
        quaternion beside = joint == 0 ? identity_transform().q : rotations[joint_beside(parent)];
        dual_quaternion m = rigid_motion(models[joint], load_inverse_rotation(program, joint),
                                         load_bind_position(program, joint), beside);
        float *const *rows = to->outputs[LMB_OUTPUT_DUAL_QUATERNIONS];
        size_t at = (size_t)joint * DUAL_COMPONENTS;
        rotations[joint] = m.rotation;
        lmb_store_rows(rows, at, m.rotation.x, m.rotation.y, m.rotation.z, m.rotation.w);
        lmb_store_rows(rows, at + 4, m.dual.x, m.dual.y, m.dual.z, m.dual.w);
    }
}

static void run_bounds(memory program, uint32_t joints, const rows *to, const affine *models) {
    box bounds = empty_box();
    for (uint32_t joint = 0; joint < joints; joint++) {
        bounds = join_boxes(bounds, joint_box(models[joint], load_radius(program, joint)));
    }
    const real *components = (const real *)&bounds;
    for (uint32_t i = 0; i < BOX_COMPONENTS; i++) {
        store_value(to, LMB_OUTPUT_BOUNDS, i, components[i]);
    }
}

// Computes the outputs that follow from the model matrices, except the palette.
static void run_outputs(const lmb_batch_def *batch, const rows *to, const affine *models, quaternion *rotations) {
    memory program = batch->graph->program;
    uint32_t joints = batch->graph->info.joint_count;
    if (batch->outputs & LMB_OUTPUT_DUAL_QUATERNIONS_BIT) {
        run_dual_quaternions(program, joints, to, models, rotations);
    }
    if (batch->outputs & LMB_OUTPUT_BOUNDS_BIT) {
        run_bounds(program, joints, to, models);
    }
    for (uint32_t i = 0; (batch->outputs & LMB_OUTPUT_SOCKETS_BIT) && i < batch->graph->info.socket_count; i++) {
        affine socket = socket_matrix(program, i, models[load_socket_joint(program, i)]);
        store_affine(to->outputs[LMB_OUTPUT_SOCKETS], i, socket);
    }
}

#ifndef LMB_PLAIN
// Here, too, each lane is a character. Takes no rows by address, so that compilers know that stores do not change them.
LMB_NOINLINE void SHARED_CHANNELS(const lmb_batch_def *batch, const lmb_batch_outputs *outputs, size_t first, int lanes,
                                  const evaluation *at) {
    evaluation e = *at;
    const rows to = find_output_rows(batch, outputs, first, e.character, lanes);
    const uint32_t joints = batch->graph->info.joint_count, passes = e.program[FIELD(PROGRAM, pass_count)];
    for (uint32_t pass = 0; pass < passes; pass++) {
        for (uint32_t channel = 0; channel < batch->graph->info.channel_count; channel++) {
            e.joint = joints + channel;
            real value = evaluate_channel(e, pass);
            if (pass + 1 == passes && (batch->outputs & LMB_OUTPUT_LOCAL_BIT)) {
                store_value(&to, LMB_OUTPUT_LOCAL, (size_t)POSE_COMPONENTS * joints + channel, value);
            }
            if (pass + 1 == passes && (batch->outputs & LMB_OUTPUT_CHANNELS_BIT)) {
                store_value(&to, LMB_OUTPUT_CHANNELS, channel, value);
            }
        }
    }
}
#endif

// What a run needs for each group of characters, one in each lane.
typedef struct run {
    const lmb_batch_def *batch;
    const lmb_batch_outputs *outputs;
    size_t first; // character, from which the evaluator numbers them
    evaluation e;
    const uint32_t *poses[LMB_MAX_POSES];
    uint32_t refused[LMB_REFUSAL_COUNT];
    affine *models;
    slots *held;
    quaternion *rotations;
} run;

static void begin_inputs(run *r, const lmb_batch_inputs *inputs) {
    const lmb_graph *graph = r->batch->graph;
    if (graph->info.parameter_count > 0) {
        r->e.parameters = (const uint32_t *)inputs->parameters + r->first * graph->info.parameter_count;
    }
    for (uint32_t pose = 0; pose < graph->info.pose_count; pose++) {
        r->poses[pose] = (const uint32_t *)inputs->poses[pose] + r->first * graph->pose_floats[pose];
    }
    if (graph->info.point_count > 0) {
        r->e.points = (const uint32_t *)inputs->points + r->first * graph->program[FIELD(PROGRAM, point_floats)];
    }
    if (graph->info.uses_transforms) {
        r->e.transforms = (const uint32_t *)inputs->transforms + r->first * MATRIX_COMPONENTS;
    }
    if (r->outputs->inertia != NULL) {
        r->e.kept = r->outputs->inertia + r->first * graph->program[FIELD(PROGRAM, kept)];
    }
    if (r->outputs->reached != NULL) {
        r->e.reached = r->outputs->reached + r->first * graph->program[FIELD(PROGRAM, reached)];
    }
}

static void begin_run(run *r, clip_cache *cache, char *scratch) {
    const lmb_graph *graph = r->batch->graph;
    const scratch_layout at = find_scratch(graph);
    r->models = (affine *)scratch;
    r->models[graph->info.joint_count] = own_matrix(identity_transform());
    r->held = (slots *)(scratch + at.held);
    r->rotations = (quaternion *)(scratch + at.rotations);
    r->e = (evaluation){.program = graph->program,
                        .poses = r->poses,
                        .refused = r->outputs->refused != NULL ? r->outputs->refused : r->refused,
                        .weights = (stored_weight *)(scratch + at.weights),
                        .sources = (source *)(scratch + at.sources),
                        .searches = (key_search *)(scratch + at.searches),
                        .exchange = (transform *)(scratch + at.exchange)};
#ifdef LMB_PLAIN
    // Stores of poses leave these as they are, and rare operations read them.
    const size_t joints = (size_t)graph->info.joint_count + graph->info.channel_count;
    for (size_t i = 0; i < graph->info.exchange_count * joints; i++) {
        r->e.exchange[i].s = all_vector(1.0f, 1.0f, 1.0f);
        r->e.exchange[i].weight = SPLAT(WEIGHT_PRESENT);
    }
#endif
#ifdef LMB_SIMD_WIDTH
    lmb_clip_cache_begin(cache, graph);
    r->e.cache = cache;
    r->e.rank_weights = (stored_weight *)(scratch + at.rank_weights);
    r->e.sums = (ranked_sum *)(scratch + at.sums);
    r->e.sum_count = list_ranked_sums(graph->program, r->e.sums);
#else
    (void)cache;
#endif
}

// Gives each lane a character. Lanes without one repeat the last one.
static void take_characters(run *r, const uint32_t *list, uint32_t from, int lanes) {
    word lane_of = ALL_WORD(0u);
    for (int lane = 0; lane < SIMD_WIDTH; lane++) {
        uint32_t index = from + (uint32_t)(lane < lanes ? lane : lanes - 1);
        LANE(lane_of, lane) = (uint32_t)lane;
        LANE(r->e.character, lane) = list != NULL ? list[index] : index;
    }
    r->e.counts = lane_of < ALL_WORD((uint32_t)lanes);
}

// Stage 1 of the characters in the lanes.
static void weigh(run *r) {
    r->e.joint = 0;
    SHARED_WEIGH(r->e);
    find_sources(r->e, 0, 1);
}

// The other stages.
static void pose(run *r, int lanes) {
    const lmb_graph *graph = r->batch->graph;
    const rows to = find_output_rows(r->batch, r->outputs, r->first, r->e.character, lanes);
    if (graph->finds_points) {
        SHARED_POINTS(&r->e);
    }
    const bool inertializes = USES_INERTIA && graph->uses_inertia && r->e.kept != NULL;
    inertia_clock now;
    if (inertializes) {
        now = load_inertia_clock(r->e);
    }
    run_exchanges(r->e, inertializes ? &now : NULL, r->held);
    run_joints(r->batch, &to, r->e, inertializes ? &now : NULL, r->models, r->held);
    run_outputs(r->batch, &to, r->models, r->rotations);
    if (lmb_batch_runs_channels(r->batch)) {
        SHARED_CHANNELS(r->batch, r->outputs, r->first, lanes, &r->e);
    }
}

#ifdef LMB_SIMD_WIDTH

// Whether every source is sampled in all lanes or in none, by the same clip, at the same level of detail.
static bool lanes_are_like(const evaluation *e) {
    bool like = !plan_walk(*e).mixed;
    for (uint32_t i = 0; i < e->program[FIELD(PROGRAM, sources)] && like; i++) {
        like = !e->sources[i].any || (e->sources[i].alike && e->sources[i].full);
    }
    return like;
}

// Lanes whose character is inertialized.
static lane_mask inertialized_lanes(const evaluation *e) {
    lane_mask moves = ALL_WORD(0u) != 0u;
    if (USES_INERTIA && e->program[FIELD(PROGRAM, inertia)] != 0) {
        const word row =
            e->character * e->program[FIELD(PROGRAM, parameters)] + (e->program[FIELD(PROGRAM, inertia)] - 1);
        moves = GATHER_REAL(e->parameters, row + FIELD(INERTIA_INPUT, time)) <
                GATHER_REAL(e->parameters, row + FIELD(INERTIA_INPUT, duration));
    }
    return moves;
}

// Which skips of a program a character needs: a bit for each of up to 16 skips, that of the first one highest. In Gray
// code, so that neighbours in the order of these numbers differ in one skip where they can.
static word needed_skips(const evaluation *e) {
    const uint32_t skips = e->program[FIELD(PROGRAM, skips)];
    const uint32_t count = skip_of_pass(e->program, e->program[FIELD(PROGRAM, pass_count)]);
    word needed = ALL_WORD(0u);
    for (uint32_t i = 0; i < count; i++) {
        const real weight = load_weight(*e, READ(e->program, skips + i * WORDS_OF(SKIP), SKIP, weight));
        needed = ((needed << 1u | needed >> 15u) & 0xffffu) ^ SELECT(weight > 0.0f, ALL_WORD(1u), ALL_WORD(0u));
    }
    for (uint32_t shift = 1; shift < 16; shift *= 2) {
        needed = needed ^ needed >> shift;
    }
    return needed;
}

// A key for what a character evaluates: from the high byte on what it samples first, in two bytes the skips that it
// needs, and a hash of all that it samples and of its level of detail, whose last bit is whether it is inertialized.
static word evaluated_keys(const evaluation *e) {
    word first = ALL_WORD(0u), hash = TO_WORD(plan_walk(*e).level) * 0x9e3779b1u;
    lane_mask found = ALL_WORD(0u) != 0u;
    for (uint32_t i = 0; i < e->program[FIELD(PROGRAM, sources)]; i++) {
        const source *s = &e->sources[i];
        if (s->any) {
            const word own = s->place + 13u * i;
            first = SELECT(AND(s->sampled, NOT(found)), own, first);
            hash = SELECT(s->sampled, (hash + own + 1u) * 0x9e3779b1u, hash);
            found = OR(found, s->sampled);
        }
    }
    const word moves = SELECT(inertialized_lanes(e), ALL_WORD(1u), ALL_WORD(0u));
    return (first & 255u) << 24u | needed_skips(e) << 8u | hash >> 25u << 1u | moves;
}

static void let_wait(waiting *w, const evaluation *e, int lanes) {
    const word keys = evaluated_keys(e);
    for (int lane = 0; lane < lanes; lane++) {
        w->numbers[w->count] = LANE(e->character, lane);
        w->keys[w->count] = LANE(keys, lane);
        w->count++;
    }
}

// Puts the waiting characters in the order of their keys, those with equal keys in the order of their arrival.
static const uint32_t *order_waiting(waiting *w) {
    for (uint32_t i = 0; i < w->count; i++) {
        w->order[0][i] = i;
    }
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        const uint32_t *from = w->order[shift / 8 % 2];
        uint32_t *to = w->order[1 - shift / 8 % 2];
        uint32_t begin[257] = {0};
        for (uint32_t i = 0; i < w->count; i++) {
            begin[(w->keys[i] >> shift & 255u) + 1]++;
        }
        for (uint32_t i = 1; i < 257; i++) {
            begin[i] += begin[i - 1];
        }
        for (uint32_t i = 0; i < w->count; i++) {
            to[begin[w->keys[from[i]] >> shift & 255u]++] = from[i];
        }
    }
    return w->order[0];
}

// Runs characters of which stage 1 has counted what it refused.
static void run_again(run *r, const uint32_t *list, uint32_t count) {
    for (uint32_t done = 0; done < count; done += SIMD_WIDTH) {
        const int lanes = count - done < SIMD_WIDTH ? (int)(count - done) : SIMD_WIDTH;
        take_characters(r, list, done, lanes);
        const lane_mask counts = r->e.counts;
        r->e.counts = ALL_WORD(0u) != 0u;
        weigh(r);
        r->e.counts = counts;
        rank_sums(&r->e, lanes_are_like(&r->e));
        pose(r, lanes);
    }
}

// Runs the waiting characters: first those of which enough sample the same to fill most lanes, then the others. Among
// those that sample the same, the ones that are inertialized come last.
static void run_waiting(run *r, waiting *w) {
    const uint32_t *order = order_waiting(w);
    uint32_t *sorted = w->order[1], *others = w->order[0], other_count = 0; // what was read in order[0] may change
    for (uint32_t i = 0; i < w->count; i++) {
        sorted[i] = order[i];
    }
    for (uint32_t begin = 0, end; begin < w->count; begin = end) {
        for (end = begin; end < w->count && w->keys[sorted[end]] >> 1 == w->keys[sorted[begin]] >> 1;) {
            end++;
        }
        const uint32_t rest = (end - begin) % SIMD_WIDTH, left = 3 * rest < 2 * SIMD_WIDTH ? rest : 0;
        for (uint32_t i = end - left; i < end; i++) {
            others[other_count++] = w->numbers[sorted[i]];
        }
        for (uint32_t i = begin; i < end - left; i++) {
            sorted[i] = w->numbers[sorted[i]];
        }
        run_again(r, sorted + begin, end - left - begin);
    }
    run_again(r, others, other_count);
    w->count = 0;
}

static void run_all(run *r, const lmb_characters *characters, waiting *w) {
    w->count = 0;
    for (uint32_t done = 0; done < characters->count; done += SIMD_WIDTH) {
        const uint32_t left = characters->count - done;
        const int lanes = left < SIMD_WIDTH ? (int)left : SIMD_WIDTH;
        take_characters(r, characters->list, done, lanes);
        weigh(r);
        const bool like = lanes_are_like(&r->e);
        if (like || characters->count <= SIMD_WIDTH) {
            rank_sums(&r->e, like);
            pose(r, lanes);
        } else {
            let_wait(w, &r->e, lanes);
        }
        if (w->count > MOST_WAITING - SIMD_WIDTH) {
            run_waiting(r, w);
        }
    }
    run_waiting(r, w);
}

#else

static void run_all(run *r, const lmb_characters *characters, void *unused) {
    (void)unused;
    for (uint32_t done = 0; done < characters->count; done++) {
        take_characters(r, characters->list, done, 1);
        weigh(r);
        pose(r, 1);
    }
}

#endif

void SIMD_RUN(const lmb_batch_def *batch, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
              const lmb_characters *characters, clip_cache *cache, void *scratch) {
    run r = {.batch = batch, .outputs = outputs, .first = characters->first};
    begin_run(&r, cache, scratch);
    begin_inputs(&r, inputs);
    run_all(&r, characters, (void *)((char *)scratch + find_scratch(batch->graph).waiting));
}
