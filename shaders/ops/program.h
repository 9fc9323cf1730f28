// The evaluators of programs. A program is a list of stack instructions over joint transforms (operations.h), divided
// into passes. The GLSL evaluator runs all instructions of a pass for one joint of one character, in one invocation of
// a kernel. The CPU evaluator runs each instruction for a tile of joints, of one character or of one per SIMD lane,
// before it goes on to the next instruction.
#ifndef LMB_OPS_PROGRAM_H
#define LMB_OPS_PROGRAM_H

#include "operations.h"
#include "records.h"

#ifdef LMB_GLSL

// The three newest poses of the stack are variables. Older ones are in memory, accessed by these two functions, which
// the includer defines. Drivers spend most of their compile time on memory accesses, so the evaluator has four of them,
// not four for each operation.
void store_slot(uint slot, transform pose);
transform load_slot(uint slot);

// The newest poses before an instruction, and the poses that it replaces them with.
struct stack_top {
    transform top;
    transform under;
    transform third;
    transform next;
    transform next_under;
    uint depth; // poses on the stack
    uint pushed;
    bool popped;
    bool sums; // whether next_under replaces the pose below the top after a pop
};

void settle_stack(inout stack_top s) {
    if (s.pushed > 0u && s.depth > 2u) {
        store_slot(s.depth - 3u, s.third);
    }
    if (s.pushed > 1u && s.depth > 1u) {
        store_slot(s.depth - 2u, s.under);
    }
    if (s.pushed > 0u) {
        s.third = s.under;
        s.under = s.top;
    }
    if (s.pushed > 1u) {
        s.third = s.under;
        s.under = s.next_under;
    }
    if (s.popped) {
        s.under = s.third;
        if (s.sums) {
            s.under = s.next_under;
        }
        if (s.depth > 3u) {
            s.third = load_slot(s.depth - 4u);
        }
        s.depth = s.depth - 1u;
    }
    s.top = s.next;
    s.depth = s.depth + s.pushed;
}

#define EVALUATE_SOURCE(NAME, name, code, takes)                                                                       \
    case code:                                                                                                         \
        s.next = name##_operation(e, at);                                                                              \
        s.pushed = 1u;                                                                                                 \
        break;

#define EVALUATE_UNARY(NAME, name, code, takes)                                                                        \
    case code:                                                                                                         \
        s.next = name##_operation(e, at, s.top);                                                                       \
        break;

#define EVALUATE_BINARY(NAME, name, code, takes)                                                                       \
    case code:                                                                                                         \
        s.next = name##_operation(e, at, s.under, s.top);                                                              \
        s.popped = true;                                                                                               \
        break;

// The sums of a weighted sum are two poses: `sums` below `extra`. Those of matrices are read again after the program.
#define EVALUATE_SUM(NAME, name, code, takes)                                                                          \
    case code: {                                                                                                       \
        weighted_sums none = name##_begin();                                                                           \
        s.next_under = none.sums;                                                                                      \
        s.next = none.extra;                                                                                           \
    }                                                                                                                  \
        s.pushed = 2u;                                                                                                 \
        break;                                                                                                         \
    case code + 1u: {                                                                                                  \
        weighted_sums so_far;                                                                                          \
        so_far.sums = s.third;                                                                                         \
        so_far.extra = s.under;                                                                                        \
        weighted_sums more = name##_accumulate(e, at, so_far, s.top);                                                  \
        s.next_under = more.sums;                                                                                      \
        s.next = more.extra;                                                                                           \
    }                                                                                                                  \
        s.popped = true;                                                                                               \
        s.sums = true;                                                                                                 \
        break;                                                                                                         \
    case code + 2u: {                                                                                                  \
        weighted_sums all;                                                                                             \
        all.sums = s.under;                                                                                            \
        all.extra = s.top;                                                                                             \
        s.next = name##_end(e, at, all);                                                                               \
        if (code == OPERATION_MATRICES) {                                                                              \
            store_slot(1u, s.top);                                                                                     \
        }                                                                                                              \
    }                                                                                                                  \
        s.popped = true;                                                                                               \
        break;

// Runs a pass for a joint and returns its pose: for the last pass, the local transform.
transform evaluate_pass(evaluation e, uint pass) {
    uint instructions = HEADER(e.program, PROGRAM, instructions);
    uint end = first_of_pass(e.program, pass + 1u);
    stack_top s;
    s.top = zero_transform();
    s.under = s.top;
    s.third = s.top;
    s.depth = 0u;
    for (uint i = first_of_pass(e.program, pass); i < end; i++) {
        uint at = instructions + i * WORDS_OF(INSTRUCTION);
        s.next = s.top;
        s.next_under = s.under;
        s.pushed = 0u;
        s.popped = false;
        s.sums = false;
        switch (READ(e.program, at, INSTRUCTION, operation)) {
            EVERY_INSTRUCTION(EVALUATE_SOURCE, EVALUATE_UNARY, EVALUATE_BINARY, EVALUATE_SUM)
        default:
            break;
        }
        settle_stack(s);
    }
    return s.top;
}

#else

// Joints per tile. The poses of a tile should fit in the L1 cache.
#define TILE_JOINTS 8u

typedef struct slots {
    uint joints[TILE_JOINTS];
    lane_mask active[TILE_JOINTS];  // lanes in which refusals of a joint count
    transform poses[][TILE_JOINTS]; // one row per stack slot of the program
} slots;

#define SLOTS_SIZE(stack) (sizeof(slots) + (stack) * sizeof(transform[TILE_JOINTS]))

OP void store_slot(slots *in, uint slot, uint place, transform pose) {
    store_pose(&in->poses[slot][place], pose);
}

OP transform load_slot(const slots *in, uint slot, uint place) {
    return stored_pose(&in->poses[slot][place]);
}

// Counts the instructions of clips and rest poses from `at` on, each followed by an instruction with the code
// `accumulate`. Returns 0 unless these are all inputs of the sum.
OP uint count_sources(memory program, uint at, uint accumulate) {
    uint sources = 0u;
    while (READ(program, at, INSTRUCTION, operation) <= OPERATION_CLIP &&
           READ(program, at + WORDS_OF(INSTRUCTION), INSTRUCTION, operation) == accumulate) {
        sources++;
        at += 2u * WORDS_OF(INSTRUCTION);
    }
    return READ(program, at, INSTRUCTION, operation) == accumulate + 1u ? sources : 0u;
}

#ifdef LMB_SIMD_WIDTH
#include "ranks.h"
#endif

OP void take_place(evaluation *e, const slots *held, uint place) {
    e->joint = held->joints[place];
#ifndef LMB_PLAIN // a plain program refuses nothing per joint
    e->counts = held->active[place];
#endif
}

// Each kind of instruction evaluates all joints of a tile in its own function, which a table row defines below. The
// functions here are their bodies. They are inlined, and then the operation is, too.
typedef transform (*source_function)(evaluation e, uint instruction);
typedef transform (*unary_function)(evaluation e, uint instruction, transform a);
typedef transform (*binary_function)(evaluation e, uint instruction, transform a, transform b);
typedef struct sum_functions {
    weighted_sums (*begin)(void);
    weighted_sums (*accumulate)(evaluation e, uint instruction, weighted_sums so_far, transform a);
    transform (*end)(evaluation e, uint instruction, weighted_sums all);
} sum_functions;

// The instruction, and the poses that it works on.
typedef struct tile {
    const evaluation *given;
    uint at;
    uint depth;
    uint first; // place of the first joint, for a source; others work on all joints
    uint joints;
    slots *held;
} tile;

OP void evaluate_source(tile t, source_function operation, bool is_clip) {
    evaluation e = *t.given;
    if (is_clip) {
        e = begin_source(e, t.at);
    }
    for (uint place = t.first; place < t.joints; place++) {
        take_place(&e, t.held, place);
        store_slot(t.held, t.depth, place, operation(e, t.at));
    }
}

OP void evaluate_unary(tile t, unary_function operation, bool has_weight) {
    evaluation e = *t.given;
    if (has_weight) {
        e = begin_weight(e, t.at);
    }
    for (uint place = 0u; place < t.joints; place++) {
        take_place(&e, t.held, place);
        transform a = load_slot(t.held, t.depth - 1u, place);
        store_slot(t.held, t.depth - 1u, place, operation(e, t.at, a));
    }
}

OP void evaluate_binary(tile t, binary_function operation, bool has_weight) {
    evaluation e = *t.given;
    if (has_weight) {
        e = begin_weight(e, t.at);
    }
    for (uint place = 0u; place < t.joints; place++) {
        take_place(&e, t.held, place);
        transform a = load_slot(t.held, t.depth - 2u, place);
        transform b = load_slot(t.held, t.depth - 1u, place);
        store_slot(t.held, t.depth - 2u, place, operation(e, t.at, a, b));
    }
}

// begin_source() for a clip; a rest pose has no source.
OP evaluation begin_any_source(evaluation e, uint instruction) {
    e.from = NULL;
    e.search = NULL;
    if (READ(e.program, instruction, INSTRUCTION, operation) == OPERATION_CLIP) {
        e = begin_source(e, instruction);
    }
    return e;
}

OP transform source_operation(evaluation e, uint instruction) {
    if (e.from == NULL) {
        return rest_operation(e, instruction);
    }
    return clip_operation(e, instruction);
}

// Out of line, for sums that are rare: inlining the code that samples clips would make each larger than its own code.
OP_COLD void source_apart(const evaluation *at, uint instruction, transform *found) {
    *found = source_operation(*at, instruction);
}

// An input of a sum that is evaluated: the instruction of its source, and where it is sampled with what share.
typedef struct sum_input {
    uint at;
    const source *from;
    key_search *search;
    const stored_weight *share;
#ifdef LMB_SIMD_WIDTH
    bool covered;
#endif
} sum_input;

OP sum_input make_sum_input(uint at, const source *from, key_search *search, const stored_weight *share) {
    sum_input input = {.at = at, .from = from, .search = search, .share = share};
#ifdef LMB_SIMD_WIDTH
    input.covered = from != NULL && ALL(OR(from->sampled, NOT(share->value > 0.0f)));
#endif
    return input;
}

// Finds the inputs of a sum of sources that have a share in any lane; the others would change no bit. Returns their
// number.
OP uint find_sum_inputs(evaluation e, uint at, uint sources, const stored_weight *shares, sum_input *inputs) {
    uint count = 0u;
#ifdef LMB_SIMD_WIDTH
    const ranked_sum *ranked = find_ranked_sum(e, at);
    for (; ranked != NULL && count < ranked->ranks; count++) {
        uint rank = ranked->first + count;
        uint behind = HEADER(e.program, PROGRAM, sources) + rank;
        inputs[count] =
            make_sum_input(at + WORDS_OF(INSTRUCTION), &e.sources[behind], &e.searches[behind], &e.rank_weights[rank]);
    }
    sources = count > 0u ? 0u : sources;
#endif
    for (uint i = 0u; i < sources; i++) {
        uint source_at = at + WORDS_OF(INSTRUCTION) + 2u * i * WORDS_OF(INSTRUCTION);
        evaluation input = begin_any_source(e, source_at);
        if (ANY(shares[i].value > 0.0f)) {
            inputs[count] = make_sum_input(source_at, input.from, input.search, shares + i);
            count++;
        }
    }
    return count;
}

// Evaluates a sum whose inputs are all clips and rest poses at its begin instruction, joint by joint, which keeps the
// sums in registers.
OP void evaluate_sum_of_sources(tile t, uint sources, sum_functions sum) {
    evaluation e = *t.given;
    uint end = t.at + (1u + 2u * sources) * WORDS_OF(INSTRUCTION);
    evaluation ends = begin_weight(e, end);
    sum_input inputs[MOST_INPUTS];
    uint count = find_sum_inputs(e, t.at, sources, ends.weight - sources, inputs);
    for (uint place = 0u; place < t.joints; place++) {
        take_place(&e, t.held, place);
        weighted_sums sums = sum.begin();
        for (uint i = 0u; i < count; i++) {
            e.from = inputs[i].from;
            e.search = inputs[i].search;
#ifdef LMB_SIMD_WIDTH
            e.covered = inputs[i].covered;
#endif
            transform a = source_operation(e, inputs[i].at);
            e.weight = inputs[i].share;
            sums = sum.accumulate(e, inputs[i].at + WORDS_OF(INSTRUCTION), sums, a);
        }
        e.weight = ends.weight;
        store_slot(t.held, t.depth, place, sum.end(e, end, sums));
    }
}

// The accumulators of a sum are two poses: `sums` below `extra`.
OP void evaluate_begin(tile t, sum_functions sum) {
    for (uint place = 0u; place < t.joints; place++) {
        weighted_sums none = sum.begin();
        store_slot(t.held, t.depth, place, none.sums);
        store_slot(t.held, t.depth + 1u, place, none.extra);
    }
}

OP void evaluate_accumulate(tile t, const stored_weight *share, sum_functions sum) {
    evaluation e = *t.given;
    e.weight = share;
    for (uint place = 0u; place < t.joints; place++) {
        take_place(&e, t.held, place);
        weighted_sums so_far;
        so_far.sums = load_slot(t.held, t.depth - 3u, place);
        so_far.extra = load_slot(t.held, t.depth - 2u, place);
        weighted_sums more = sum.accumulate(e, t.at, so_far, load_slot(t.held, t.depth - 1u, place));
        store_slot(t.held, t.depth - 3u, place, more.sums);
        store_slot(t.held, t.depth - 2u, place, more.extra);
    }
}

OP void evaluate_end(tile t, sum_functions sum) {
    evaluation e = begin_weight(*t.given, t.at);
    for (uint place = 0u; place < t.joints; place++) {
        take_place(&e, t.held, place);
        weighted_sums all;
        all.sums = load_slot(t.held, t.depth - 2u, place);
        all.extra = load_slot(t.held, t.depth - 1u, place);
        store_slot(t.held, t.depth - 2u, place, sum.end(e, t.at, all));
    }
}

// The functions of the table's rows. A single function for all of them would take compilers several times as long.
#ifdef __GNUC__
#define STEP static __attribute__((noinline)) void
#else
#define STEP static void
#endif

// The steps of a sum whose inputs are evaluated for all joints of a tile.
typedef struct sum_steps {
    void (*begin)(tile t);
    void (*accumulate)(tile t, const stored_weight *share);
    void (*end)(tile t);
} sum_steps;

// Evaluates a rare sum whose inputs are all clips and rest poses at its begin instruction, input by input, by the steps
// of sums with other inputs.
STEP evaluate_rare_sum_of_sources(tile t, uint sources, sum_steps sum) {
    evaluation e = *t.given;
    uint end = t.at + (1u + 2u * sources) * WORDS_OF(INSTRUCTION);
    evaluation ends = begin_weight(e, end);
    sum_input inputs[MOST_INPUTS];
    uint count = find_sum_inputs(e, t.at, sources, ends.weight - sources, inputs);
    sum.begin(t);
    t.depth = t.depth + 2u;
    for (uint i = 0u; i < count; i++) {
        e.from = inputs[i].from;
        e.search = inputs[i].search;
#ifdef LMB_SIMD_WIDTH
        e.covered = inputs[i].covered;
#endif
        for (uint place = 0u; place < t.joints; place++) {
            take_place(&e, t.held, place);
            const evaluation at = sampling_part(e);
            transform sampled;
            source_apart(&at, inputs[i].at, &sampled);
            store_slot(t.held, t.depth, place, sampled);
        }
        tile added = t;
        added.at = inputs[i].at + WORDS_OF(INSTRUCTION);
        added.depth = t.depth + 1u;
        sum.accumulate(added, inputs[i].share);
    }
    t.at = end;
    sum.end(t);
}

#ifdef LMB_PLAIN
// Rare operations are compiled for any graph only, and the version for plain graphs calls them there.
// run_shared_step(), which the includer defines, runs an instruction. It expects the scale 1 and full joint weights in
// exchange areas. Placing feet is not shared: with the code that locks feet it takes 4 % more instructions.
#define IS_SHARED(takes) (((takes) & (IS_RARE | MOVES_FEW)) != 0u)
static void run_shared_step(const tile *t);

OP bool moves_joint(memory program, uint at, uint code, uint joint) {
    uint table = READ(program, at, EXCHANGED, table);
    bool moves = false;
    if (code == OPERATION_IK_TWO_BONE) {
        moves = joint == READ(program, table, TWO_BONE, start) || joint == READ(program, table, TWO_BONE, mid);
    } else if (code == OPERATION_IK_AIM) {
        for (uint i = 0u; i < READ(program, table, AIM, count); i++) {
            moves = moves || LOAD(program, table + FIELD(AIM, joints) + i * WORDS_OF(AIM_JOINT)) == joint;
        }
    } else {
        for (uint i = 0u; i < READ(program, table, TWIST, count); i++) {
            moves = moves || LOAD(program, table + WORDS_OF(TWIST) + i * WORDS_OF(TWIST_JOINT)) == joint;
        }
    }
    return moves;
}

OP void evaluate_few_joints(tile t, uint code) {
    evaluation e = *t.given;
    for (uint place = 0u; place < t.joints; place++) {
        uint joint = t.held->joints[place];
        if (moves_joint(e.program, t.at, code, joint)) {
            tile own = t;
            own.first = place;
            own.joints = place + 1u;
            run_shared_step(&own);
        } else {
            store_slot(t.held, t.depth, place, load_exchange(e, READ(e.program, t.at, EXCHANGED, area), joint));
        }
    }
}

// Completes the newest poses first, because a plain graph stores no scales and joint weights.
OP void evaluate_shared(tile t, uint code, uint takes, uint inputs) {
    for (uint i = 1u; i <= inputs; i++) {
        for (uint place = 0u; place < t.joints; place++) {
            transform *pose = &t.held->poses[t.depth - i][place];
            pose->s = all_vector(1.0f, 1.0f, 1.0f);
            pose->weight = SPLAT(WEIGHT_PRESENT);
        }
    }
    if ((takes & MOVES_FEW) != 0u) {
        evaluate_few_joints(t, code);
    } else {
        run_shared_step(&t);
    }
}
#else
#define IS_SHARED(takes) false

OP void evaluate_shared(tile t, uint code, uint takes, uint inputs) {
    UNUSED(t);
    UNUSED(code);
    UNUSED(takes);
    UNUSED(inputs);
}
#endif

#define DEFINE_SOURCE(NAME, name, code, takes)                                                                         \
    STEP evaluate_##name(tile t) {                                                                                     \
        if (IS_SHARED(takes)) {                                                                                        \
            evaluate_shared(t, code, takes, 0u);                                                                       \
        } else {                                                                                                       \
            evaluate_source(t, name##_operation, (code) == OPERATION_CLIP);                                            \
        }                                                                                                              \
    }

#define DEFINE_UNARY(NAME, name, code, takes)                                                                          \
    STEP evaluate_##name(tile t) {                                                                                     \
        if (IS_SHARED(takes)) {                                                                                        \
            evaluate_shared(t, code, takes, 1u);                                                                       \
        } else {                                                                                                       \
            evaluate_unary(t, name##_operation, ((takes)&TAKES_WEIGHT) != 0u);                                         \
        }                                                                                                              \
    }

#define DEFINE_BINARY(NAME, name, code, takes)                                                                         \
    STEP evaluate_##name(tile t) {                                                                                     \
        if (IS_SHARED(takes)) {                                                                                        \
            evaluate_shared(t, code, takes, 2u);                                                                       \
        } else {                                                                                                       \
            evaluate_binary(t, name##_operation, ((takes)&TAKES_WEIGHT) != 0u);                                        \
        }                                                                                                              \
    }

#define DEFINE_SUM(NAME, name, code, takes)                                                                            \
    STEP evaluate_##name##_begin(tile t) {                                                                             \
        const sum_functions sum = {name##_begin, name##_accumulate, name##_end};                                       \
        evaluate_begin(t, sum);                                                                                        \
    }                                                                                                                  \
    STEP evaluate_##name##_accumulate(tile t, const stored_weight *share) {                                            \
        const sum_functions sum = {name##_begin, name##_accumulate, name##_end};                                       \
        evaluate_accumulate(t, share, sum);                                                                            \
    }                                                                                                                  \
    STEP evaluate_##name##_end(tile t) {                                                                               \
        const sum_functions sum = {name##_begin, name##_accumulate, name##_end};                                       \
        evaluate_end(t, sum);                                                                                          \
    }                                                                                                                  \
    STEP evaluate_##name##_of_sources(tile t, uint sources) {                                                          \
        if ((code) == OPERATION_WEIGHTED) {                                                                            \
            const sum_functions sum = {name##_begin, name##_accumulate, name##_end};                                   \
            evaluate_sum_of_sources(t, sources, sum);                                                                  \
        } else {                                                                                                       \
            const sum_steps sum = {evaluate_##name##_begin, evaluate_##name##_accumulate, evaluate_##name##_end};      \
            evaluate_rare_sum_of_sources(t, sources, sum);                                                             \
        }                                                                                                              \
    }

EVERY_INSTRUCTION(DEFINE_SOURCE, DEFINE_UNARY, DEFINE_BINARY, DEFINE_SUM)

// The order in which joints are evaluated: first all joints that the level of detail of any lane computes. The joints
// after them keep the rest pose.
typedef struct walk_plan {
    bool has_lods;
    bool mixed;    // lanes have different levels of detail
    uint computed; // joints
    real level;
} walk_plan;

OP walk_plan plan_walk(evaluation e) {
    walk_plan plan;
    plan.has_lods = HEADER(e.program, PROGRAM, lod) != 0u;
    plan.mixed = false;
    plan.computed = HEADER(e.program, PROGRAM, joints);
    plan.level = SPLAT(0.0f);
    if (plan.has_lods) {
        plan.level = lod_level(e);
        float lowest = MIN_OF_LANES(plan.level);
        plan.mixed = ANY(plan.level > lowest);
        plan.computed = lod_count(e.program, (uint)lowest);
    }
    return plan;
}

OP uint walk_joint(evaluation e, walk_plan plan, uint place) {
    return plan.has_lods ? lod_joint(e.program, place) : place;
}

// Fills a tile with the next joints, starting at position `first` of the order.
OP void take_joints(evaluation e, walk_plan plan, uint first, uint joints, slots *held) {
    for (uint place = 0u; place < joints; place++) {
        held->joints[place] = walk_joint(e, plan, first + place);
        held->active[place] = e.counts;
        if (plan.mixed) {
            lane_mask dropped = joint_is_dropped(e.program, held->joints[place], plan.level);
            held->active[place] = AND(e.counts, NOT(dropped));
        }
    }
}

// Replaces the evaluated pose by the rest pose in lanes whose level of detail drops the joint.
OP void leave_at_rest(evaluation e, walk_plan plan, uint joints, slots *held) {
    for (uint place = 0u; place < joints; place++) {
        uint joint = held->joints[place];
        lane_mask dropped = joint_is_dropped(e.program, joint, plan.level);
        transform evaluated = load_slot(held, 0u, place);
        store_slot(held, 0u, place, select_transform(dropped, load_rest(e.program, joint), evaluated));
        if (USES_MATRICES && HEADER(e.program, PROGRAM, matrices) != 0u) {
            transform extra = load_slot(held, 1u, place);
            extra.q.x = SELECT(dropped, SPLAT(0.0f), extra.q.x);
            store_slot(held, 1u, place, extra);
        }
    }
}

// A joint's local matrix, from its evaluated pose.
OP affine evaluated_matrix(memory program, uint place, slots *held) {
    affine own;
    if (USES_MATRICES && HEADER(program, PROGRAM, matrices) != 0u) {
        own = blended_matrix(program, held->joints[place], load_slot(held, 0u, place), load_slot(held, 1u, place));
    } else {
        own = own_matrix(load_slot(held, 0u, place));
    }
    return own;
}

#define EVALUATE_SOURCE(NAME, name, code, takes)                                                                       \
    case code:                                                                                                         \
        evaluate_##name(t);                                                                                            \
        t.depth = t.depth + 1u;                                                                                        \
        break;

#define EVALUATE_UNARY(NAME, name, code, takes)                                                                        \
    case code:                                                                                                         \
        evaluate_##name(t);                                                                                            \
        break;

#define EVALUATE_BINARY(NAME, name, code, takes)                                                                       \
    case code:                                                                                                         \
        evaluate_##name(t);                                                                                            \
        t.depth = t.depth - 1u;                                                                                        \
        break;

#define EVALUATE_SUM(NAME, name, code, takes)                                                                          \
    case code:                                                                                                         \
        sources = count_sources(e.program, t.at + WORDS_OF(INSTRUCTION), (code) + 1u);                                 \
        if (sources > 0u) {                                                                                            \
            evaluate_##name##_of_sources(t, sources);                                                                  \
            t.depth = t.depth + 1u;                                                                                    \
            i += 2u * sources + 1u;                                                                                    \
        } else {                                                                                                       \
            evaluate_##name##_begin(t);                                                                                \
            t.depth = t.depth + 2u;                                                                                    \
        }                                                                                                              \
        break;                                                                                                         \
    case code + 1u:                                                                                                    \
        evaluate_##name##_accumulate(t, begin_weight(e, t.at).weight);                                                 \
        t.depth = t.depth - 1u;                                                                                        \
        break;                                                                                                         \
    case code + 2u:                                                                                                    \
        evaluate_##name##_end(t);                                                                                      \
        t.depth = t.depth - 1u;                                                                                        \
        break;

#if defined(LMB_SIMD_WIDTH) && !defined(LMB_PLAIN)
#define SHARE_STEP(NAME, name, code, takes)                                                                            \
    case code:                                                                                                         \
        evaluate_##name(t);                                                                                            \
        break;

#define SHARE_NO_STEP(NAME, name, code, takes)

// Runs the instruction of an operation that is not a sum, for run_shared_step().
OP void evaluate_step(tile t) {
    switch (READ(t.given->program, t.at, INSTRUCTION, operation)) {
        EVERY_INSTRUCTION(SHARE_STEP, SHARE_STEP, SHARE_STEP, SHARE_NO_STEP)
    default:
        break;
    }
}
#endif

// Returns the first instruction from `at` on that a lane needs, or the pass's end. If what is skipped leaves a pose,
// that is left. `skip` is the next of the pass's skips.
OP uint skip_instructions(tile *t, uint at, uint skip_end, uint *skip) {
    memory program = t->given->program;
    uint skips = HEADER(program, PROGRAM, skips);
    for (; *skip < skip_end; *skip = *skip + 1u) {
        uint record = skips + *skip * WORDS_OF(SKIP);
        uint first = READ(program, record, SKIP, first);
        if (first > at) {
            break;
        }
        if (first == at && !ANY(load_weight(*t->given, READ(program, record, SKIP, weight)) > 0.0f)) {
            uint absent = READ(program, record, SKIP, absent);
            for (uint place = 0u; place < t->joints && absent != 0u; place++) {
                store_slot(t->held, t->depth, place, load_static_pose(program, absent, t->held->joints[place]));
            }
            t->depth += absent != 0u ? 1u : 0u;
            at = READ(program, record, SKIP, end);
        }
    }
    return at;
}

// Runs a pass for the joints that take_joints() selected, at most TILE_JOINTS. Afterwards load_slot(held, 0, place)
// returns the pose of each: after the last pass, the local transform. find_sources() must have run.
OP void evaluate_joints(evaluation e, uint pass, uint joints, slots *held) {
    tile t = {.given = &e, .joints = joints, .held = held};
    uint sources;
    uint instructions = HEADER(e.program, PROGRAM, instructions);
    uint end = first_of_pass(e.program, pass + 1u);
    uint skip = skip_of_pass(e.program, pass), skip_end = skip_of_pass(e.program, pass + 1u);
    for (uint i = first_of_pass(e.program, pass); i < end; i++) {
        i = skip_instructions(&t, i, skip_end, &skip);
        if (i == end) {
            break;
        }
        t.at = instructions + i * WORDS_OF(INSTRUCTION);
        switch (READ(e.program, t.at, INSTRUCTION, operation)) {
            EVERY_INSTRUCTION(EVALUATE_SOURCE, EVALUATE_UNARY, EVALUATE_BINARY, EVALUATE_SUM)
        default:
            break;
        }
    }
}

#endif

#endif
