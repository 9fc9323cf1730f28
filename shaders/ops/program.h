// The evaluators: one runs a program's instructions for a joint of a character, as a kernel does; the CPU's runs each
// instruction for several joints before the next one.
#ifndef LMB_OPS_PROGRAM_H
#define LMB_OPS_PROGRAM_H

#include "lod.h"
#include "operations.h"

#ifdef LMB_GLSL

// The three newest poses of the stack are variables. Older ones are in memory, which the includer reads and writes by
// these two functions. Drivers spend most of their compile time on memory accesses, so there are four, not four for each
// operation.
void store_slot(uint slot, transform pose);
transform load_slot(uint slot);

// The newest poses before an instruction, and what it leaves in the place of the newest two.
struct stack_top {
    transform top;
    transform under;
    transform third;
    transform next;
    transform next_under;
    uint depth; // poses on the stack
    uint pushed;
    bool popped;
    bool sums; // whether next_under replaces what is under the top after a pop
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
        s.next = name##_operation(f, at);                                                                              \
        s.pushed = 1u;                                                                                                 \
        break;

#define EVALUATE_UNARY(NAME, name, code, takes)                                                                        \
    case code:                                                                                                         \
        s.next = name##_operation(f, at, s.top);                                                                       \
        break;

#define EVALUATE_BINARY(NAME, name, code, takes)                                                                       \
    case code:                                                                                                         \
        s.next = name##_operation(f, at, s.under, s.top);                                                              \
        s.popped = true;                                                                                               \
        break;

// The sums of a fold stand as two poses, `sums` below `extra`. Those of matrices are read again after the program.
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
        weighted_sums more = name##_accumulate(f, at, so_far, s.top);                                                  \
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
        s.next = name##_end(f, at, all);                                                                               \
        if (code == OPERATION_MATRICES) {                                                                              \
            store_slot(1u, s.top);                                                                                     \
        }                                                                                                              \
    }                                                                                                                  \
        s.popped = true;                                                                                               \
        break;

// What a pass leaves of the joint: after the last one the local transform.
transform evaluate_pass(frame f, uint pass) {
    uint instructions = LOAD(f.program, PROGRAM_INSTRUCTIONS);
    uint end = first_of_pass(f.program, pass + 1u);
    stack_top s;
    s.top = zero_transform();
    s.under = s.top;
    s.third = s.top;
    s.depth = 0u;
    for (uint i = first_of_pass(f.program, pass); i < end; i++) {
        uint at = instructions + i * INSTRUCTION_WORDS;
        s.next = s.top;
        s.next_under = s.under;
        s.pushed = 0u;
        s.popped = false;
        s.sums = false;
        switch (LOAD(f.program, at + INSTRUCTION_OPERATION)) {
            EVERY_INSTRUCTION(EVALUATE_SOURCE, EVALUATE_UNARY, EVALUATE_BINARY, EVALUATE_SUM)
        default:
            break;
        }
        settle_stack(s);
    }
    return s.top;
}

#else

// Joints that are evaluated side by side: as many as leave their poses in the nearest cache.
#define TILE_JOINTS 8u

typedef struct slots {
    uint joints[TILE_JOINTS];
    lane_mask active[TILE_JOINTS];  // lanes for whom what a joint refuses counts
    transform poses[][TILE_JOINTS]; // as many as the program holds at once
} slots;

#define SLOTS_SIZE(stack) (sizeof(slots) + (stack) * sizeof(transform[TILE_JOINTS]))

OP void store_slot(slots *in, uint slot, uint place, transform pose) {
    store_pose(&in->poses[slot][place], pose);
}

OP transform load_slot(const slots *in, uint slot, uint place) {
    return stored_pose(&in->poses[slot][place]);
}

// Instructions of clips and rest poses from the one at `at` on, each followed by one with that code.
OP uint count_sources(memory program, uint at, uint accumulate) {
    uint sources = 0u;
    while (LOAD(program, at + INSTRUCTION_OPERATION) <= OPERATION_CLIP &&
           LOAD(program, at + INSTRUCTION_WORDS + INSTRUCTION_OPERATION) == accumulate) {
        sources++;
        at += 2u * INSTRUCTION_WORDS;
    }
    return LOAD(program, at + INSTRUCTION_OPERATION) == accumulate + 1u ? sources : 0u;
}

// A plain program refuses nothing by joints.
#ifdef LMB_PLAIN
#define TAKE_PLACE(place) (f.joint = held->joints[place], true)
#else
#define TAKE_PLACE(place) (f.joint = held->joints[place], f.counts = held->active[place], true)
#endif
#define EVERY_JOINT for (uint place = 0u; place < joints && TAKE_PLACE(place); place++)

// Each kind of instruction has its own function, which evaluates all joints of a tile. One function for all kinds takes
// compilers several times as long.
#ifdef __GNUC__
#define STEP(type, name) static __attribute__((noinline)) type name
#else
#define STEP(type, name) static type name
#endif

#define DEFINE_SOURCE(NAME, name, code, takes)                                                                         \
    STEP(void, evaluate_##name)(const frame *given, uint at, uint depth, uint joints, slots *held) {                   \
        frame f = *given;                                                                                              \
        if ((code) == OPERATION_CLIP) {                                                                                \
            f = begin_source(f, at);                                                                                   \
        }                                                                                                              \
        EVERY_JOINT {                                                                                                  \
            store_slot(held, depth, place, name##_operation(f, at));                                                   \
        }                                                                                                              \
    }

#define DEFINE_UNARY(NAME, name, code, takes)                                                                          \
    STEP(void, evaluate_##name)(const frame *given, uint at, uint depth, uint joints, slots *held) {                   \
        frame f = *given;                                                                                              \
        if (((takes)&TAKES_WEIGHT) != 0u) {                                                                            \
            f = begin_weight(f, at);                                                                                   \
        }                                                                                                              \
        EVERY_JOINT {                                                                                                  \
            transform a = load_slot(held, depth - 1u, place);                                                          \
            store_slot(held, depth - 1u, place, name##_operation(f, at, a));                                           \
        }                                                                                                              \
    }

#define DEFINE_BINARY(NAME, name, code, takes)                                                                         \
    STEP(void, evaluate_##name)(const frame *given, uint at, uint depth, uint joints, slots *held) {                   \
        frame f = *given;                                                                                              \
        if (((takes)&TAKES_WEIGHT) != 0u) {                                                                            \
            f = begin_weight(f, at);                                                                                   \
        }                                                                                                              \
        EVERY_JOINT {                                                                                                  \
            transform a = load_slot(held, depth - 2u, place);                                                          \
            transform b = load_slot(held, depth - 1u, place);                                                          \
            store_slot(held, depth - 2u, place, name##_operation(f, at, a, b));                                        \
        }                                                                                                              \
    }

// Of a clip, or of the rest pose, which is no source.
OP frame begin_any_source(frame f, uint instruction) {
    f.from = NULL;
    f.search = NULL;
    if (LOAD(f.program, instruction + INSTRUCTION_OPERATION) == OPERATION_CLIP) {
        f = begin_source(f, instruction);
    }
    return f;
}

OP transform source_operation(frame f, uint instruction) {
    if (f.from == NULL) {
        return rest_operation(f, instruction);
    }
    return clip_operation(f, instruction);
}

// For folds that are rare: a copy of all that samples clips would be larger than what they do themselves.
OP_COLD void source_apart(const frame *at, uint instruction, transform *found) {
    *found = source_operation(*at, instruction);
}

OP transform sum_source(frame f, uint instruction, bool is_usual) {
    transform found;
    if (is_usual) {
        found = source_operation(f, instruction);
    } else {
        const frame at = f;
        source_apart(&at, instruction, &found);
    }
    return found;
}

// The sums of a fold stand as two poses, `sums` below `extra`. A fold whose inputs are `sources` alone is done at its
// beginning, joint by joint, which keeps the sums in registers. An input without a share in any lane is passed over: it
// would change no bit.
#define DEFINE_SUM(NAME, name, code, takes)                                                                            \
    STEP(void, evaluate_##name##_of_sources)                                                                           \
    (const frame *given, uint at, uint depth, uint sources, uint joints, slots *held) {                                \
        frame f = *given;                                                                                              \
        uint first = at + INSTRUCTION_WORDS;                                                                           \
        uint end = first + 2u * sources * INSTRUCTION_WORDS;                                                           \
        frame ends = begin_weight(f, end);                                                                             \
        const stored_weight *shares = ends.weight - sources;                                                           \
        const source *from[MOST_INPUTS];                                                                               \
        key_search *searches[MOST_INPUTS];                                                                             \
        bool counts[MOST_INPUTS];                                                                                      \
        for (uint i = 0u; i < sources; i++) {                                                                          \
            frame input = begin_any_source(f, first + 2u * i * INSTRUCTION_WORDS);                                     \
            from[i] = input.from;                                                                                      \
            searches[i] = input.search;                                                                                \
            counts[i] = ANY(shares[i].value > 0.0f);                                                                   \
        }                                                                                                              \
        EVERY_JOINT {                                                                                                  \
            weighted_sums sums = name##_begin();                                                                       \
            for (uint i = 0u; i < sources; i++) {                                                                      \
                uint source_at = first + 2u * i * INSTRUCTION_WORDS;                                                   \
                if (counts[i]) {                                                                                       \
                    f.from = from[i];                                                                                  \
                    f.search = searches[i];                                                                            \
                    transform a = sum_source(f, source_at, (code) == OPERATION_WEIGHTED);                              \
                    f.weight = shares + i;                                                                             \
                    sums = name##_accumulate(f, source_at + INSTRUCTION_WORDS, sums, a);                               \
                }                                                                                                      \
            }                                                                                                          \
            f.weight = ends.weight;                                                                                    \
            store_slot(held, depth, place, name##_end(f, end, sums));                                                  \
            if (USES_MATRICES && (code) == OPERATION_MATRICES) {                                                       \
                store_slot(held, depth + 1u, place, sums.extra);                                                       \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    STEP(void, evaluate_##name##_begin)(uint depth, uint joints, slots * held) {                                       \
        for (uint place = 0u; place < joints; place++) {                                                               \
            weighted_sums none = name##_begin();                                                                       \
            store_slot(held, depth, place, none.sums);                                                                 \
            store_slot(held, depth + 1u, place, none.extra);                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    STEP(void, evaluate_##name##_accumulate)(const frame *given, uint at, uint depth, uint joints, slots *held) {      \
        frame f = *given;                                                                                              \
        f = begin_weight(f, at);                                                                                       \
        EVERY_JOINT {                                                                                                  \
            weighted_sums so_far;                                                                                      \
            so_far.sums = load_slot(held, depth - 3u, place);                                                          \
            so_far.extra = load_slot(held, depth - 2u, place);                                                         \
            weighted_sums more = name##_accumulate(f, at, so_far, load_slot(held, depth - 1u, place));                 \
            store_slot(held, depth - 3u, place, more.sums);                                                            \
            store_slot(held, depth - 2u, place, more.extra);                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    STEP(void, evaluate_##name##_end)(const frame *given, uint at, uint depth, uint joints, slots *held) {             \
        frame f = *given;                                                                                              \
        f = begin_weight(f, at);                                                                                       \
        EVERY_JOINT {                                                                                                  \
            weighted_sums all;                                                                                         \
            all.sums = load_slot(held, depth - 2u, place);                                                             \
            all.extra = load_slot(held, depth - 1u, place);                                                            \
            store_slot(held, depth - 2u, place, name##_end(f, at, all));                                               \
        }                                                                                                              \
    }

EVERY_INSTRUCTION(DEFINE_SOURCE, DEFINE_UNARY, DEFINE_BINARY, DEFINE_SUM)

// The order in which a character's joints (those of each lane's) are gone through: all that any lane computes, which are
// evaluated, then those that are left at rest.
typedef struct walk_plan {
    bool has_lods;
    bool mixed;    // lanes differ in their levels
    uint computed; // joints
    real level;
} walk_plan;

OP walk_plan plan_walk(frame f) {
    walk_plan plan;
    plan.has_lods = LOAD(f.program, PROGRAM_LOD) != 0u;
    plan.mixed = false;
    plan.computed = LOAD(f.program, PROGRAM_JOINTS);
    plan.level = SPLAT(0.0f);
    if (plan.has_lods) {
        plan.level = lod_level(f);
        float lowest = MIN_OF_LANES(plan.level);
        plan.mixed = ANY(plan.level > lowest);
        plan.computed = lod_count(f.program, (uint)lowest);
    }
    return plan;
}

OP uint walk_joint(frame f, walk_plan plan, uint place) {
    return plan.has_lods ? lod_joint(f.program, place) : place;
}

// The next joints to be evaluated, from the one at that place on.
OP void take_joints(frame f, walk_plan plan, uint first, uint joints, slots *held) {
    for (uint place = 0u; place < joints; place++) {
        held->joints[place] = walk_joint(f, plan, first + place);
        held->active[place] = f.counts;
        if (plan.mixed) {
            lane_mask dropped = joint_is_dropped(f.program, held->joints[place], plan.level);
            held->active[place] = AND(f.counts, NOT(dropped));
        }
    }
}

// Puts the rest pose in the place of what was evaluated, in lanes that drop a joint.
OP void leave_at_rest(frame f, walk_plan plan, uint joints, slots *held) {
    for (uint place = 0u; place < joints; place++) {
        uint joint = held->joints[place];
        lane_mask dropped = joint_is_dropped(f.program, joint, plan.level);
        transform evaluated = load_slot(held, 0u, place);
        store_slot(held, 0u, place, select_transform(dropped, load_rest(f.program, joint), evaluated));
        if (USES_MATRICES && LOAD(f.program, PROGRAM_MATRICES) != 0u) {
            transform extra = load_slot(held, 1u, place);
            extra.q.x = SELECT(dropped, SPLAT(0.0f), extra.q.x);
            store_slot(held, 1u, place, extra);
        }
    }
}

// A joint's own matrix, from what was evaluated.
OP affine evaluated_matrix(memory program, uint place, slots *held) {
    affine own;
    if (USES_MATRICES && LOAD(program, PROGRAM_MATRICES) != 0u) {
        own = blended_matrix(program, held->joints[place], load_slot(held, 0u, place), load_slot(held, 1u, place));
    } else {
        own = own_matrix(load_slot(held, 0u, place));
    }
    return own;
}

#define EVALUATE_SOURCE(NAME, name, code, takes)                                                                       \
    case code:                                                                                                         \
        evaluate_##name(&f, at, depth, joints, held);                                                                  \
        depth = depth + 1u;                                                                                            \
        break;

#define EVALUATE_UNARY(NAME, name, code, takes)                                                                        \
    case code:                                                                                                         \
        evaluate_##name(&f, at, depth, joints, held);                                                                  \
        break;

#define EVALUATE_BINARY(NAME, name, code, takes)                                                                       \
    case code:                                                                                                         \
        evaluate_##name(&f, at, depth, joints, held);                                                                  \
        depth = depth - 1u;                                                                                            \
        break;

#define EVALUATE_SUM(NAME, name, code, takes)                                                                          \
    case code: {                                                                                                       \
        uint accumulate = LOAD(f.program, at + INSTRUCTION_OPERATION) + 1u;                                            \
        uint sources = count_sources(f.program, at + INSTRUCTION_WORDS, accumulate);                                   \
        if (sources > 0u) {                                                                                            \
            evaluate_##name##_of_sources(&f, at, depth, sources, joints, held);                                        \
            depth = depth + 1u;                                                                                        \
            i += 2u * sources + 1u;                                                                                    \
        } else {                                                                                                       \
            evaluate_##name##_begin(depth, joints, held);                                                              \
            depth = depth + 2u;                                                                                        \
        }                                                                                                              \
        break;                                                                                                         \
    }                                                                                                                  \
    case code + 1u:                                                                                                    \
        evaluate_##name##_accumulate(&f, at, depth, joints, held);                                                     \
        depth = depth - 1u;                                                                                            \
        break;                                                                                                         \
    case code + 2u:                                                                                                    \
        evaluate_##name##_end(&f, at, depth, joints, held);                                                            \
        depth = depth - 1u;                                                                                            \
        break;

// What a pass leaves of the joints that take_joints() put in, at most TILE_JOINTS: load_slot(held, 0, place) has it then,
// after the last pass the local transforms. find_sources() has run.
OP void evaluate_joints(frame f, uint pass, uint joints, slots *held) {
    uint depth = 0u;
    uint instructions = LOAD(f.program, PROGRAM_INSTRUCTIONS);
    uint end = first_of_pass(f.program, pass + 1u);
    for (uint i = first_of_pass(f.program, pass); i < end; i++) {
        uint at = instructions + i * INSTRUCTION_WORDS;
        switch (LOAD(f.program, at + INSTRUCTION_OPERATION)) {
            EVERY_INSTRUCTION(EVALUATE_SOURCE, EVALUATE_UNARY, EVALUATE_BINARY, EVALUATE_SUM)
        default:
            break;
        }
    }
}

#endif

#endif
