// Each public function adds up the iterations for one kernel and one graph: for each instruction or rule, what its
// loops run at most. The numbers at the top say what functions in shaders/ops contain; change both together.
// tests/gpu/gpu_loops_test.c compares the sums with what the reference counts on random graphs. Clips in slots are not
// known yet, so they count as long as their slots.
#include "loops.h"

#include "program/clip_slot.h"

#include "../../shaders/ops/operations.h"

// The loops that the functions of operations.h run, with those around which they are.
#define SEARCH_LOOPS 1u             // find_key()
#define PACKED_LOOPS 2u             // of a packed translation or scale, and of a packed rotation
#define PACKED_KEYS 2u              // iterations of each
#define RETARGET_LOOPS 1u           // sample_clip(), without those of sample_properties()
#define BONE_LOOPS 2u               // chain_rotation()
#define FOOT_LOOPS 9u               // place_feet()
#define FOOT_ANCESTORS 7u           // loops over ancestors in load_foot()
#define DETACHED_ANCESTORS_AGAIN 2u // and of a detached ankle
#define DETACHED_LOOPS 4u           // over ancestors in ik_two_bone_operation() and place_detached_foot()
#define LAYER_LOOPS 2u              // joint_share()
#define RUN_LOOPS 4u     // of an input of a run: over words and inputs, and again over steps and properties of its clip
#define RUN_WEIGHTS 17u  // iterations over weights for an input of a run, of pose_specialized.comp
#define CHANNEL_LOOPS 2u // evaluate_channel(): each runs once for each input of a sum

enum {
#define CODE(NAME, name, code, takes) CODE_##NAME = code,
    EVERY_INSTRUCTION(CODE, CODE, CODE, CODE)
#undef CODE
};

// What the loops of a graph's instructions depend on.
typedef struct loop_counts {
    const uint32_t *program;
    uint32_t joints;
    uint32_t depth;          // levels of the rig's hierarchy: no joint has as many ancestors
    uint32_t search;         // iterations of the longest search in stage 1
    uint32_t search_again;   // of the longest one for key times that a clip's other tracks do not share
    uint32_t property_loops; // of sample_properties()
    uint32_t sample;         // iterations for a joint of a clip
    uint32_t run;            // iterations for an input of a run
    uint32_t own_again;      // loops of the kernel that each instruction enters again
    bool uses_retargets;
} loop_counts;

static uint32_t bits_of(uint32_t x) {
    uint32_t bits = 0;
    for (; x > 0; x >>= 1) {
        bits++;
    }
    return bits;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

// Returns whether every searched track of a clip has the key times that stage 1 has searched.
static bool shares_times(const uint32_t *program, uint32_t clip) {
    const uint32_t which = program[clip + FIELD(CLIP, common_times)];
    const uint32_t times =
        which != 0 ? load_track(program, clip, (which - 1) % PROPERTIES, (which - 1) / PROPERTIES).times : 0;
    for (uint32_t joint = 0; joint < program[clip + FIELD(CLIP, joints)]; joint++) {
        for (uint32_t property = 0; property < PROPERTIES; property++) {
            const track found = load_track(program, clip, property, joint);
            const bool searched = found.mode != MODE_REST && (found.keys > 1 || found.mode >= MODE_CUBIC);
            if (searched && found.times != times) {
                return false;
            }
        }
    }
    return true;
}

// A search takes an iteration for each bit of the largest step, which is below the number of keys.
static void count_searches(const lmb_graph *graph, loop_counts *counts) {
    const uint32_t *program = graph->program;
    for (uint32_t i = 0; i < program[FIELD(PROGRAM, clip_count)]; i++) {
        const uint32_t clip = program[program[FIELD(PROGRAM, clips)] + i];
        if (clip != 0) {
            const uint32_t steps = bits_of(program[clip + FIELD(CLIP, search)]);
            counts->search = larger(counts->search, steps);
            counts->search_again = larger(counts->search_again, shares_times(program, clip) ? 0 : steps);
        }
    }
    for (uint32_t i = 0; i < graph->info.clip_slot_count; i++) {
        const uint32_t steps = bits_of(graph->clip_slots[i].def.bytes / (uint32_t)sizeof(uint32_t));
        counts->search = larger(counts->search, steps);
        counts->search_again = larger(counts->search_again, steps);
    }
}

static loop_counts count_graph(const lmb_graph *graph) {
    loop_counts counts = {.program = graph->program,
                          .joints = graph->info.joint_count,
                          .depth = graph->program[FIELD(PROGRAM, depth)],
                          .uses_retargets = graph->uses_retargets};
    count_searches(graph, &counts);
    const uint32_t properties = graph->uses_scale ? PROPERTIES : PROPERTY_SCALE;
    counts.property_loops = 1 + SEARCH_LOOPS + (graph->uses_packed ? PACKED_LOOPS : 0);
    counts.sample = properties * (counts.property_loops + counts.search_again +
                                  (graph->uses_packed ? PACKED_LOOPS * PACKED_KEYS : 0));
    return counts;
}

// Returns the steps of a retargeted joint, 1 for another joint that the source has, and 0 for others.
static uint32_t count_steps(const loop_counts *c, uint32_t at, uint32_t joint) {
    const uint32_t map = c->program[at + FIELD(SAMPLE, joint_map)];
    const uint32_t source = map != 0 ? c->program[map + WORDS_OF(JOINT_MAP) + joint] : joint;
    return source == NO_JOINT                         ? 0
           : map != 0 && is_retarget(c->program, map) ? c->program[source + FIELD(RETARGET, count)]
                                                      : 1;
}

static bool is_in_table(const loop_counts *c, uint32_t first, uint32_t count, uint32_t words, uint32_t joint) {
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        found = found || c->program[first + i * words] == joint;
    }
    return found;
}

static uint64_t two_bone_loops(const loop_counts *c, uint32_t table, uint32_t joint) {
    const bool turns =
        joint == c->program[table + FIELD(TWO_BONE, start)] || joint == c->program[table + FIELD(TWO_BONE, mid)];
    const bool moves =
        c->program[table + FIELD(TWO_BONE, detached)] != 0 && joint == c->program[table + FIELD(TWO_BONE, end)];
    return (turns || moves ? c->depth + c->program[table + FIELD(TWO_BONE, ancestors)] : 0) +
           (moves ? DETACHED_LOOPS * (uint64_t)c->depth : 0);
}

static uint64_t aim_loops(const loop_counts *c, uint32_t table, uint32_t joint) {
    const uint32_t count = c->program[table + FIELD(AIM, count)];
    const bool turns = is_in_table(c, table + FIELD(AIM, joints), count, WORDS_OF(AIM_JOINT), joint);
    return count + (turns ? c->program[table + FIELD(AIM, ancestors)] + 2u * count + c->depth : 0);
}

static uint64_t feet_loops(const loop_counts *c, uint32_t table, uint32_t joint) {
    const uint32_t count = c->program[table + FIELD(FEET, count)];
    uint64_t detached = 0;
    bool places = joint == c->program[table + FIELD(FEET, pelvis)];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t foot = c->program[table + FIELD(FEET, tables) + i];
        places = places || is_in_table(c, foot + FIELD(TWO_BONE, start), 3, 1, joint);
        detached += c->program[foot + FIELD(TWO_BONE, detached)] != 0;
    }
    const uint64_t each = FOOT_LOOPS + (uint64_t)FOOT_ANCESTORS * c->depth;
    const uint64_t again = detached * DETACHED_ANCESTORS_AGAIN + (detached > 0 ? DETACHED_LOOPS : 0);
    return count + (places ? count * each + (3u + again) * (uint64_t)c->depth : 0);
}

static uint64_t chain_loops(const loop_counts *c, uint32_t table, uint32_t joint) {
    const uint32_t bones = c->program[table + FIELD(CHAIN, bones)] & CHAIN_BONE_MASK;
    const uint32_t ancestors = c->program[table + FIELD(CHAIN, ancestors)];
    const uint64_t colliders = c->program[table + FIELD(CHAIN, bones)] >> CHAIN_COLLIDERS_SHIFT;
    const uint32_t first = table + FIELD(CHAIN, ancestors) + 1 + ancestors;
    uint64_t loops = bones;
    for (uint32_t i = 0; i < bones; i++) {
        if (c->program[first + i] == joint) {
            const uint64_t steps = (uint64_t)CHAIN_MOST_STEPS,
                           pushes = colliders > 0 ? (1 + steps) * (1 + colliders) : 0;
            loops = bones + ancestors + (i + 1) * (BONE_LOOPS + steps + pushes) + colliders * (1 + (uint64_t)c->depth);
        }
    }
    return loops;
}

// Returns the iterations of an instruction's loops for a joint.
static uint64_t instruction_loops(const loop_counts *c, uint32_t at, uint32_t joint) {
    const uint32_t table = c->program[at + FIELD(EXCHANGED, table)];
    switch (c->program[at + FIELD(INSTRUCTION, operation)]) {
    case CODE_CLIP:
        return (uint64_t)count_steps(c, at, joint) *
                   (c->sample + (c->uses_retargets ? RETARGET_LOOPS + c->property_loops : 0)) +
               c->run;
    case CODE_POSE:
    case CODE_FIXED:
    case CODE_OVERRIDE:
        return count_steps(c, at, joint);
    case CODE_TO_MODEL:
        return c->depth;
    case CODE_IK_TWO_BONE:
        return two_bone_loops(c, table, joint);
    case CODE_IK_AIM:
        return aim_loops(c, table, joint);
    case CODE_FOOT_PLACEMENT:
        return feet_loops(c, table, joint);
    case CODE_TWIST:
        return c->program[table + FIELD(TWIST, count)];
    case CODE_CHAIN:
        return chain_loops(c, table, joint);
    // The second instruction of a sum, which adds an input. In layers it computes the share at the joint.
    case CODE_MEAN + 1:
        return (LAYER_LOOPS + 1) *
               (uint64_t)(c->program[at + FIELD(LAYERED, table)] != 0 ? c->program[at + FIELD(LAYERED, count)] : 0);
    default:
        return 0;
    }
}

static uint32_t instruction_at(const uint32_t *program, uint32_t index) {
    return program[FIELD(PROGRAM, instructions)] + index * WORDS_OF(INSTRUCTION);
}

// Returns the iterations of an instruction's loops for the joint, or the channel, with the most.
typedef uint64_t worst_loops(const loop_counts *counts, uint32_t at);

// Returns the iterations of the pass with the most.
static uint64_t most_of_passes(const loop_counts *counts, uint32_t own, worst_loops *of_instruction) {
    const uint32_t *program = counts->program;
    uint64_t most = 0;
    for (uint32_t pass = 0; pass < program[FIELD(PROGRAM, pass_count)]; pass++) {
        uint64_t loops = own;
        for (uint32_t i = first_of_pass(program, pass); i < first_of_pass(program, pass + 1); i++) {
            loops += of_instruction(counts, instruction_at(program, i));
        }
        most = loops > most ? loops : most;
    }
    return most;
}

static uint64_t worst_of_joints(const loop_counts *counts, uint32_t at) {
    uint64_t worst = 0;
    for (uint32_t joint = 0; joint < counts->joints; joint++) {
        const uint64_t one = instruction_loops(counts, at, joint);
        worst = one > worst ? one : worst;
    }
    return worst + counts->own_again;
}

static uint64_t worst_of_channels(const loop_counts *counts, uint32_t at) {
    const uint32_t *program = counts->program;
    const bool layers =
        program[at + FIELD(INSTRUCTION, operation)] == CODE_MEAN + 1 && program[at + FIELD(LAYERED, table)] != 0;
    return counts->own_again + counts->search + CHANNEL_LOOPS +
           (layers ? 3 * (uint64_t)program[at + FIELD(LAYERED, count)] : 0);
}

uint64_t lmb_gpu_pose_loops(const lmb_graph *graph, uint32_t own, bool interprets) {
    loop_counts counts = count_graph(graph);
    counts.own_again = interprets ? own : 0;
    counts.run = interprets ? 0 : RUN_LOOPS + RUN_WEIGHTS;
    return most_of_passes(&counts, own, worst_of_joints);
}

uint64_t lmb_gpu_character_loops(const lmb_graph *graph, uint32_t own) {
    loop_counts counts = count_graph(graph);
    counts.run = RUN_LOOPS;
    const uint32_t *program = graph->program;
    const uint64_t passes = program[FIELD(PROGRAM, pass_count)], joints = graph->info.joint_count;
    uint64_t loops = own * (1 + passes * (1 + joints)) + program[FIELD(PROGRAM, weights)];
    for (uint32_t i = 0; i < first_of_pass(program, (uint32_t)passes); i++) {
        for (uint32_t joint = 0; joint < graph->info.joint_count; joint++) {
            loops += instruction_loops(&counts, instruction_at(program, i), joint);
        }
    }
    // Model matrices strand by strand, palettes and other outputs: at most so often for each joint.
    const uint64_t joint_outputs = 20, level_outputs = 8;
    return loops + joint_outputs * (joints + graph->info.socket_count) +
           level_outputs * program[FIELD(PROGRAM, depth)] + counts.depth;
}

uint64_t lmb_gpu_model_loops(const lmb_graph *graph, uint32_t own) {
    // Matrices, dual quaternions and bounds each have a loop over joints.
    return own + 3 * (uint64_t)graph->info.joint_count + graph->info.socket_count;
}

static uint64_t rule_loops(const uint32_t *program, uint32_t rule) {
    const uint64_t count = program[rule + FIELD(RULE, count)];
    const uint32_t table = program[rule + FIELD(RULE, table)];
    uint64_t loops = 0;
    switch (program[rule + FIELD(RULE, kind)]) {
    case RULE_WEIGHTED:
    case RULE_NUMBERS:
    case RULE_SPACE1D:
    case RULE_PLANTED:
        loops = count + 1;
        break;
    case RULE_LAYERS:
    case RULE_JOINT_LAYERS:
        loops = 5 * count;
        break;
    case RULE_SPACE2D:
        loops = 2 + 3 + 6 * count;
        if (program[rule + FIELD(RULE, space)] == SPACE_BANDS ||
            program[rule + FIELD(RULE, space)] == SPACE_POLAR_BANDS) {
            loops += count * count;
        } else if (program[rule + FIELD(RULE, space)] == SPACE_TRIANGLES) {
            loops += program[table + FIELD(TRIANGLE_SPACE, edges)] + program[table + FIELD(TRIANGLE_SPACE, pieces)];
        }
        break;
    default:
        return 0;
    }
    return loops + 2 * count; // divide_weight()
}

uint64_t lmb_gpu_rules_loops(const lmb_graph *graph, uint32_t own) {
    const uint32_t *program = graph->program;
    uint64_t loops = 0;
    for (uint32_t i = 0; i < program[FIELD(PROGRAM, rule_count)]; i++) {
        loops += own + rule_loops(program, program[FIELD(PROGRAM, rules)] + i * WORDS_OF(RULE));
    }
    return loops;
}

uint64_t lmb_gpu_weights_loops(const lmb_graph *graph, uint32_t own) {
    const loop_counts counts = count_graph(graph);
    const uint32_t *program = graph->program;
    return own + lmb_gpu_rules_loops(graph, own) + program[FIELD(PROGRAM, point_count)] +
           program[FIELD(PROGRAM, sources)] * (1 + SEARCH_LOOPS + (uint64_t)counts.search);
}

uint64_t lmb_gpu_channels_loops(const lmb_graph *graph, uint32_t own) {
    loop_counts counts = count_graph(graph);
    counts.own_again = own;
    return most_of_passes(&counts, own, worst_of_channels);
}
