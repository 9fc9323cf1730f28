// A program as straight-line code: one function per kind of instruction. src/gpu/specialized.c replaces the body of
// run_straight_line() by calls of these functions, one for each instruction of the program, in order.

// The pose stack. It is in registers once the calls are inlined and every index is a constant.
transform poses[MOST_POSES + 1u]; // at least two, because leave_at_rest() uses poses[1] in every program
evaluation at_joint;
uint at_pass;
uint at_operand; // the number of the instruction among those that have an operand, or NOT_HELD
uint at_length;  // inputs of the run that is called next

// Whether to run the instructions up to the next call of this function. Takes their pass.
bool run_pass(const uint pass, const uint unused) {
    return at_pass == pass;
}

// Whether to run instructions that change nothing where a weight is 0; and whether, instead, to leave a pose.
bool run_needed(const uint weight, const uint unused) {
    return load_weight(at_joint, weight) > 0.0;
}

bool run_unneeded(const uint weight, const uint unused) {
    return !(load_weight(at_joint, weight) > 0.0);
}

void run_absent(const uint pose, const uint depth) {
    poses[depth] = load_static_pose(at_joint.program, pose, at_joint.joint);
}

// Called before an instruction that has an operand: it samples a clip or reads a weight.
void run_operand(const uint operand, const uint unused) {
    at_operand = operand;
}

// Called before a run: inputs of a sum, one after the other, that are clips. One call computes all of them, so that the
// kernel has the code of a clip once for them.
void run_length(const uint length, const uint unused) {
    at_length = length;
    at_operand = NOT_HELD;
}

// Returns a bit for each of 32 weights of the character, from weight 32 * `group` on: whether it is above 0.
uint weighed(evaluation e, uint group);

// The bits of a run's weights.
uint weighed_inputs(uint first, uint group) {
    uint bits = weighed(at_joint, group);
    uint end = first + at_length - group * 32u;
    if (group == first / 32u) {
        bits = bits & (0xffffffffu << (first & 31u));
    }
    return end < 32u ? bits & ((1u << end) - 1u) : bits;
}

// Each function takes the offset of its instruction, and the stack depth before it.
#define DEFINE_SOURCE(NAME, name, code, takes)                                                                         \
    void run_##name(const uint at, const uint depth) {                                                                 \
        poses[depth] = name##_operation(at_joint, at);                                                                 \
    }

#define DEFINE_UNARY(NAME, name, code, takes)                                                                          \
    void run_##name(const uint at, const uint depth) {                                                                 \
        poses[depth - 1u] = name##_operation(at_joint, at, poses[depth - 1u]);                                         \
    }

#define DEFINE_BINARY(NAME, name, code, takes)                                                                         \
    void run_##name(const uint at, const uint depth) {                                                                 \
        poses[depth - 2u] = name##_operation(at_joint, at, poses[depth - 2u], poses[depth - 1u]);                      \
    }

#define DEFINE_SUM(NAME, name, code, takes)                                                                            \
    void run_##name##_begin(const uint at, const uint depth) {                                                         \
        weighted_sums none = name##_begin();                                                                           \
        poses[depth] = none.sums;                                                                                      \
        poses[depth + 1u] = none.extra;                                                                                \
    }                                                                                                                  \
    void run_##name##_accumulate(const uint at, const uint depth) {                                                    \
        weighted_sums so_far;                                                                                          \
        so_far.sums = poses[depth - 3u];                                                                               \
        so_far.extra = poses[depth - 2u];                                                                              \
        weighted_sums more = name##_accumulate(at_joint, at, so_far, poses[depth - 1u]);                               \
        poses[depth - 3u] = more.sums;                                                                                 \
        poses[depth - 2u] = more.extra;                                                                                \
    }                                                                                                                  \
    void run_##name##_end(const uint at, const uint depth) {                                                           \
        weighted_sums all;                                                                                             \
        all.sums = poses[depth - 2u];                                                                                  \
        all.extra = poses[depth - 1u];                                                                                 \
        poses[depth - 2u] = name##_end(at_joint, at, all);                                                             \
    }                                                                                                                  \
    /* An invocation computes the inputs that have a weight for its own character. Others change no bit of a sum. */   \
    void run_##name##_clips(const uint at, const uint depth) {                                                         \
        weighted_sums so_far;                                                                                          \
        so_far.sums = poses[depth - 2u];                                                                               \
        so_far.extra = poses[depth - 1u];                                                                              \
        uint first = READ(at_joint.program, at + WORDS_OF(INSTRUCTION), BLEND, weight);                                \
        for (uint group = first / 32u; group * 32u < first + at_length; group++) {                                     \
            for (uint left = weighed_inputs(first, group); left != 0u; left = left & (left - 1u)) {                    \
                uint clip = at + (group * 32u + uint(findLSB(left)) - first) * 2u * WORDS_OF(INSTRUCTION);             \
                transform a = clip_operation(at_joint, clip);                                                          \
                so_far = name##_accumulate(at_joint, clip + WORDS_OF(INSTRUCTION), so_far, a);                         \
            }                                                                                                          \
        }                                                                                                              \
        poses[depth - 2u] = so_far.sums;                                                                               \
        poses[depth - 1u] = so_far.extra;                                                                              \
    }

EVERY_INSTRUCTION(DEFINE_SOURCE, DEFINE_UNARY, DEFINE_BINARY, DEFINE_SUM)

// Calls each function once, so that the compiler keeps all of them. The whole body is replaced.
#define CALL(NAME, name, code, takes) run_##name(0u, 2u);
#define CALL_SUM(NAME, name, code, takes)                                                                              \
    run_##name##_begin(0u, 0u);                                                                                        \
    run_##name##_accumulate(0u, 3u);                                                                                   \
    run_##name##_end(0u, 2u);                                                                                          \
    run_##name##_clips(0u, 2u);

void run_straight_line() {
    if (run_pass(0u, 0u) && run_needed(0u, 0u) && run_unneeded(0u, 0u)) {
        run_absent(0u, 2u);
        run_operand(0u, 0u);
        run_length(0u, 0u);
        EVERY_INSTRUCTION(CALL, CALL, CALL, CALL_SUM)
    }
}
