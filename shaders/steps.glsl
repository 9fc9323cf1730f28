// A program as straight-line code: a function for each kind of instruction. src/gpu_steps.c puts the calls of a program's
// instructions, in order, in place of the body of step_through().

// Poses held at once, in registers once the calls are inlined and every index is a constant.
transform poses[MOST_POSES + 1u]; // leave_at_rest() names the second one whatever the program
uint wrapped[MOST_WRAPS]; // joints that operations are to go back to which have their inputs evaluated at another
uint climbed[MOST_WRAPS]; // how often those evaluated theirs that go on to the parent
frame at_joint;

// Each takes the offset of its instruction and the number of poses held before it.
#define DEFINE_SOURCE(NAME, name, code, takes)                                                                         \
    void step_##name(const uint at, const uint depth) {                                                                \
        poses[depth] = name##_operation(at_joint, at);                                                                 \
    }

#define DEFINE_UNARY(NAME, name, code, takes)                                                                          \
    void step_##name(const uint at, const uint depth) {                                                                \
        poses[depth - 1u] = name##_operation(at_joint, at, poses[depth - 1u]);                                         \
    }

#define DEFINE_BINARY(NAME, name, code, takes)                                                                         \
    void step_##name(const uint at, const uint depth) {                                                                \
        poses[depth - 2u] = name##_operation(at_joint, at, poses[depth - 2u], poses[depth - 1u]);                      \
    }

#define DEFINE_FOLD(NAME, name, code, takes)                                                                           \
    void step_##name##_begin(const uint at, const uint depth) {                                                        \
        fold_sums none = name##_begin();                                                                               \
        poses[depth] = none.sums;                                                                                      \
        poses[depth + 1u] = none.notes;                                                                                \
    }                                                                                                                  \
    void step_##name##_accumulate(const uint at, const uint depth) {                                                   \
        fold_sums so_far;                                                                                              \
        so_far.sums = poses[depth - 3u];                                                                               \
        so_far.notes = poses[depth - 2u];                                                                              \
        fold_sums more = name##_accumulate(at_joint, at, so_far, poses[depth - 1u]);                                   \
        poses[depth - 3u] = more.sums;                                                                                 \
        poses[depth - 2u] = more.notes;                                                                                \
    }                                                                                                                  \
    void step_##name##_end(const uint at, const uint depth) {                                                          \
        fold_sums all;                                                                                                 \
        all.sums = poses[depth - 2u];                                                                                  \
        all.notes = poses[depth - 1u];                                                                                 \
        poses[depth - 2u] = name##_end(at_joint, at, all);                                                             \
    }

// Both take the level above the number of poses.
#define DEFINE_WRAP(NAME, name, code, takes)                                                                           \
    void step_##name##_joint(const uint at, const uint depth) {                                                        \
        wrapped[depth >> 8u] = at_joint.joint;                                                                         \
        at_joint.joint = name##_joint(at_joint, at);                                                                   \
    }                                                                                                                  \
    void step_##name(const uint at, const uint depth) {                                                                \
        at_joint.joint = wrapped[depth >> 8u];                                                                         \
        poses[(depth & 255u) - 1u] = name##_operation(at_joint, at, poses[(depth & 255u) - 1u]);                       \
    }

// What stands between the two is a loop: the second one tells whether it goes on.
#define DEFINE_CLIMB(NAME, name, code, turns)                                                                          \
    void step_##name##_begin(const uint at, const uint depth) {                                                        \
        wrapped[depth >> 8u] = at_joint.joint;                                                                         \
        climbed[depth >> 8u] = 0u;                                                                                     \
    }                                                                                                                  \
    bool step_##name(const uint at, const uint depth) {                                                                \
        transform newest = poses[(depth & 255u) - 1u];                                                                 \
        if (climbed[depth >> 8u] > 0u) {                                                                               \
            newest = name##_operation(poses[(depth & 255u) - 2u], newest);                                             \
        }                                                                                                              \
        poses[(depth & 255u) - 2u] = newest;                                                                           \
        return climb_on(depth >> 8u, turns);                                                                           \
    }

bool climb_on(const uint level, const uint turns) {
    uint parent = LOAD(at_joint.program, LOAD(at_joint.program, PROGRAM_PARENTS) + at_joint.joint);
    climbed[level]++;
    bool again = parent != NO_PARENT && climbed[level] < turns;
    if (again) {
        at_joint.above += climbed[level] == 1u ? 1u : 0u;
        at_joint.joint = parent;
    } else {
        at_joint.above -= climbed[level] > 1u ? 1u : 0u;
        at_joint.joint = wrapped[level];
    }
    return again;
}

EVERY_INSTRUCTION(DEFINE_SOURCE, DEFINE_UNARY, DEFINE_BINARY, DEFINE_FOLD, DEFINE_WRAP)
CLIMBS(DEFINE_CLIMB)

// Calls everything once, so that the compiler keeps it; replaced whole.
#define CALL(NAME, name, code, takes) step_##name(0u, 2u);
#define CALL_FOLD(NAME, name, code, takes)                                                                             \
    step_##name##_begin(0u, 0u);                                                                                       \
    step_##name##_accumulate(0u, 3u);                                                                                  \
    step_##name##_end(0u, 2u);

#define CALL_WRAP(NAME, name, code, takes)                                                                             \
    step_##name##_joint(0u, 1u);                                                                                       \
    step_##name(0u, 1u);

#define CALL_CLIMB(NAME, name, code, turns)                                                                            \
    step_##name##_begin(0u, 0u);                                                                                       \
    if (step_##name(0u, 2u)) {                                                                                         \
        at_joint.joint = 0u;                                                                                           \
    }

void step_through() {
    EVERY_INSTRUCTION(CALL, CALL, CALL, CALL_FOLD, CALL_WRAP)
    CLIMBS(CALL_CLIMB)
}
