// Float channels: every operation against formulas in double precision, and rigs, clips and programs with float
// channels.
#include "failing_host.h"
#include "random.h"
#include "refusal.h"
#include "space_oracle.h"

#include <limber/cpu.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 8, JOINTS = 3, CHARACTERS = 37, POSES = 8, MOST_NODES = 100, PARAMETERS = 8, MOST_FLOATS = 38 };

// The channels of the second half are angles.
static bool is_angle(uint32_t channel) {
    return channel >= CHANNELS / 2;
}

static double nearest_turn(double x) {
    return remainder(x, 360.0);
}

static lmb_rig *create_rig(uint32_t joint_count) {
    lmb_joint_def joints[JOINTS] = {lmb_default_joint_def(), lmb_default_joint_def(), lmb_default_joint_def()};
    lmb_channel_def channels[CHANNELS] = {{0}};
    joints[1].parent = 0;
    joints[2].parent = 1;
    for (uint32_t i = 0; i < CHANNELS; i++) {
        channels[i].angle = is_angle(i);
        channels[i].rest = is_angle(i) ? 50.0f * (float)i : 0.125f * (float)i;
    }
    const lmb_rig_def def = {
        .joints = joints, .joint_count = joint_count, .channels = channels, .channel_count = CHANNELS};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

// ---- Rigs. ----

static lmb_result create_with(const lmb_channel_def *channels, uint32_t count, const lmb_host *host, lmb_rig **rig,
                              lmb_error *error) {
    const lmb_rig_def def = {.channels = channels, .channel_count = count};
    return lmb_rig_create(&def, host, rig, error);
}

static lmb_result create_and_destroy(const lmb_host *host, lmb_error *error, void *user) {
    lmb_rig *rig = NULL;
    const lmb_result result = create_with(user, 2, host, &rig, error);
    lmb_rig_destroy(rig);
    return result;
}

static void a_rig_reports_its_channels(void **state) {
    (void)state;
    char name[] = "smile";
    lmb_channel_def channels[3] = {{name, 0.5f, false}, {NULL, 540.0f, true}, {"smile", -1.0f, false}};
    lmb_rig *rig = NULL;
    lmb_error error = {0};
    assert_int_equal(create_with(channels, 3, NULL, &rig, NULL), LMB_OK);
    memset(name, 'x', 5);
    assert_int_equal(lmb_rig_get_def(rig)->joint_count, 0);
    assert_int_equal(lmb_rig_depth(rig), 0);
    assert_int_equal(lmb_rig_get_def(rig)->channel_count, 3);
    assert_string_equal(lmb_rig_get_def(rig)->channels[0].name, "smile");
    assert_string_equal(lmb_rig_get_def(rig)->channels[1].name, "channel_1");
    assert_int_equal(lmb_rig_find_channel(rig, "smile"), 0);
    assert_int_equal(lmb_rig_find_channel(rig, "channel_1"), 1);
    assert_int_equal(lmb_rig_find_channel(rig, "none"), LMB_NONE);
    assert_int_equal(lmb_rig_find_channel(rig, NULL), LMB_NONE);
    assert_true(lmb_rig_get_def(rig)->channels[0].rest == 0.5f && !lmb_rig_get_def(rig)->channels[0].angle);
    assert_true(lmb_rig_get_def(rig)->channels[1].rest == -180.0f && lmb_rig_get_def(rig)->channels[1].angle);
    lmb_rig_destroy(rig);
    failing_host_try_all(create_and_destroy, channels);
    channels[2].rest = NAN;
    CHECK_REFUSAL(create_with(channels, 3, NULL, &rig, &error), &error, LMB_ERROR_ARGUMENT, "channel 2", "smile",
                  "rest");
    channels[2].rest = 0x1.1p40f;
    CHECK_REFUSAL(create_with(channels, 3, NULL, &rig, &error), &error, LMB_ERROR_ARGUMENT, "channel 2");
    CHECK_REFUSAL(create_with(NULL, 3, NULL, &rig, &error), &error, LMB_ERROR_ARGUMENT, "channels");
    CHECK_REFUSAL(create_with(channels, LMB_MAX_CHANNELS + 1, NULL, &rig, &error), &error, LMB_ERROR_LIMIT, "65536");
    assert_null(rig);
}

static float wrapped(float degrees) {
    const lmb_channel_def channel = {.rest = degrees, .angle = true};
    lmb_rig *rig = NULL;
    assert_int_equal(create_with(&channel, 1, NULL, &rig, NULL), LMB_OK);
    const float result = lmb_rig_get_def(rig)->channels[0].rest;
    lmb_rig_destroy(rig);
    return result;
}

// Wrapping is exact: the result is the number modulo 360.
static void angles_are_wrapped_exactly(void **state) {
    (void)state;
    static const float given[] = {0.0f,     180.0f,      -180.0f,     540.0f,     -540.0f,     359.5f,     181.0f,
                                  -181.0f,  360.0f,      720.0f,      179.99998f, -180.00002f, 180.00002f, 0x1p40f,
                                  -0x1p40f, 23592960.0f, 11796480.0f, 1e-9f,      -1e-9f};
    random_source source = {3};
    for (uint32_t i = 0; i < 20000; i++) {
        const uint32_t count = sizeof given / sizeof given[0];
        const float x = i < count
                            ? given[i]
                            : (float)(random_between(&source, -1.0, 1.0) * exp2(random_between(&source, -10.0, 40.0)));
        double expected = nearest_turn((double)x);
        expected = expected >= 180.0 ? expected - 360.0 : expected;
        const float got = wrapped(x);
        if ((double)got != expected) {
            fail_msg("%.9g is wrapped to %.9g, not %.9g", (double)x, (double)got, expected);
        }
        assert_true(got != 0.0f || !signbit(got));
    }
}

// ---- Programs over pose buffers and clips. ----

typedef struct world {
    lmb_rig *rig;
    uint32_t joint_count;
    lmb_clip *clips[3];
    uint8_t masks[2][JOINTS + CHANNELS];
    uint8_t weights[JOINTS + CHANNELS]; // of the third clip
    lmb_mirror_def mirror;
    lmb_joint_limit_def joint_limits[JOINTS];
    lmb_channel_range ranges[CHANNELS];
    float parameters[CHARACTERS][PARAMETERS];
    float poses[POSES][CHARACTERS * MOST_FLOATS];
    lmb_node_def nodes[MOST_NODES];
    uint32_t node_count;
    float local[CHARACTERS * MOST_FLOATS];
    float channels[CHARACTERS][CHANNELS];
    uint32_t refused[LMB_REFUSAL_COUNT];
} world;

static const float key_times[] = {0.0f, 0.5f, 2.0f};
static float key_values[3][CHANNELS][9];
static const uint32_t partners[CHANNELS] = {1, 0, 2, 3, 5, 4, 6, 7};
static const int8_t signs[CHANNELS] = {1, 1, -1, 1, -1, -1, 1, -1};
static const uint32_t joint_partners[JOINTS] = {0, 1, 2};

static lmb_interpolation interpolation_of(uint32_t clip, uint32_t channel) {
    return (lmb_interpolation)((clip + channel) % 3);
}

// A clip has no track for the channel with its own number; the rest pose supplies it.
static lmb_clip *create_clip(const world *world, uint32_t number, const uint8_t *weights) {
    lmb_track_def tracks[CHANNELS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < CHANNELS; i++) {
        if (i != number) {
            tracks[count++] = (lmb_track_def){i, LMB_PROPERTY_FLOAT, interpolation_of(number, i),
                                              3, key_times,          key_values[number][i]};
        }
    }
    const lmb_clip_def def = {.name = "clip", .tracks = tracks, .track_count = count, .joint_weights = weights};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(world->rig, &def, NULL, &clip, NULL), LMB_OK);
    assert_int_equal(lmb_clip_get_info(clip)->channel_count, CHANNELS);
    return clip;
}

static size_t pose_floats(const world *world) {
    return (size_t)LMB_POSE_COMPONENTS * world->joint_count + CHANNELS;
}

static float *pose_channel(world *world, uint32_t pose, uint32_t character, uint32_t channel) {
    return world->poses[pose] + character * pose_floats(world) + LMB_POSE_COMPONENTS * world->joint_count + channel;
}

// Returns the only world, which is too large for the stack.
static world *world_start(uint32_t joint_count, uint64_t seed) {
    static world shared;
    world *world = &shared;
    random_source source = {seed};
    memset(world, 0, sizeof *world);
    world->rig = create_rig(joint_count);
    world->joint_count = joint_count;
    for (uint32_t clip = 0; clip < 3; clip++) {
        for (uint32_t i = 0; i < CHANNELS * 9; i++) {
            const double reach = is_angle(i / 9) ? 400.0 : 2.0;
            key_values[clip][i / 9][i % 9] = (float)random_between(&source, -reach, reach);
        }
    }
    for (uint32_t i = 0; i < joint_count + CHANNELS; i++) {
        world->masks[0][i] = (uint8_t)random_below(&source, 256);
        world->masks[1][i] = i % 3 == 0 ? 0 : 255;
        world->weights[i] = i % 4 == 0 ? 0 : (uint8_t)random_below(&source, 256);
    }
    for (uint32_t clip = 0; clip < 3; clip++) {
        world->clips[clip] = create_clip(world, clip, clip == 2 ? world->weights : NULL);
    }
    world->mirror = (lmb_mirror_def){
        .axis = LMB_AXIS_X, .partners = joint_partners, .channel_partners = partners, .channel_signs = signs};
    for (uint32_t i = 0; i < JOINTS; i++) {
        world->joint_limits[i] = lmb_default_joint_limit_def();
    }
    for (uint32_t i = 0; i < CHANNELS; i++) {
        world->ranges[i] = lmb_default_channel_range();
    }
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        for (uint32_t i = 0; i < PARAMETERS; i++) {
            world->parameters[character][i] = (float)random_between(&source, 0.0, 1.0);
        }
        for (uint32_t pose = 0; pose < POSES; pose++) {
            for (uint32_t joint = 0; joint < joint_count; joint++) { // identities
                float *first = world->poses[pose] + character * pose_floats(world) + joint;
                for (uint32_t i = 6; i < LMB_POSE_COMPONENTS; i++) {
                    first[(size_t)i * joint_count] = 1.0f;
                }
            }
            for (uint32_t i = 0; i < CHANNELS; i++) {
                const double reach = is_angle(i) ? 400.0 : 2.0;
                *pose_channel(world, pose, character, i) = (float)random_between(&source, -reach, reach);
            }
        }
    }
    return world;
}

static void world_end(world *world) {
    for (uint32_t i = 0; i < 3; i++) {
        lmb_clip_destroy(world->clips[i]);
    }
    lmb_rig_destroy(world->rig);
}

static lmb_node_def *add(world *world, lmb_op op, uint32_t input_count, const uint32_t *inputs) {
    assert_true(world->node_count < MOST_NODES);
    lmb_node_def *node = &world->nodes[world->node_count++];
    *node = lmb_default_node_def();
    node->op = op;
    node->mask = op == LMB_OP_MASKED || op == LMB_OP_OVERRIDE ? 0 : LMB_NONE;
    node->input_count = input_count;
    if (input_count > 0) {
        memcpy(node->inputs, inputs, input_count * sizeof *inputs);
    }
    return node;
}

// Adds nodes 0 to count - 1: pose buffers, except the last, which is the third clip. That clip has joint weights.
static void add_leaves(world *world, uint32_t count) {
    world->node_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        lmb_node_def *node = add(world, i + 1 < count ? LMB_OP_POSE : LMB_OP_CLIP, 0, NULL);
        node->pose = i;
        node->clip = lmb_constant(2.0f);
        node->time = lmb_parameter(PARAMETERS - 1);
    }
}

static lmb_result compile(const world *world, lmb_graph **program, lmb_error *error) {
    const lmb_joint_limit_def *limits[] = {world->joint_limits};
    const lmb_channel_range *ranges[] = {world->ranges};
    const uint8_t *masks[] = {world->masks[0], world->masks[1]};
    const lmb_graph_def def = {.rig = world->rig,
                               .clips = (const lmb_clip *const *)world->clips,
                               .clip_count = 3,
                               .masks = masks,
                               .mask_count = 2,
                               .nodes = world->nodes,
                               .node_count = world->node_count,
                               .parameter_count = PARAMETERS,
                               .mirrors = &world->mirror,
                               .mirror_count = 1,
                               .joint_limits = limits,
                               .joint_limits_count = 1,
                               .channel_ranges = ranges};
    return lmb_graph_create(&def, NULL, program, error);
}

// Runs one path. The channels output must equal the channels of the local output.
static void run_path(world *world, lmb_cpu_path path) {
    lmb_graph *program = NULL;
    lmb_cpu *cpu = NULL;
    lmb_error error = {0};
    if (compile(world, &program, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(lmb_graph_get_info(program)->channel_count, CHANNELS);
    assert_int_equal(lmb_cpu_create(program, path, NULL, &cpu, NULL), LMB_OK);
    const lmb_batch_def batch = {program, CHARACTERS, LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_CHANNELS_BIT};
    assert_int_equal(lmb_batch_output_floats(&batch, LMB_OUTPUT_LOCAL), pose_floats(world));
    assert_int_equal(lmb_batch_output_floats(&batch, LMB_OUTPUT_CHANNELS), CHANNELS);
    lmb_batch_inputs inputs = {.parameters = &world->parameters[0][0]};
    for (uint32_t i = 0; i < POSES; i++) {
        inputs.poses[i] = world->poses[i];
    }
    const lmb_batch_outputs outputs = {
        .buffers = {[LMB_OUTPUT_LOCAL] = world->local, [LMB_OUTPUT_CHANNELS] = world->channels[0]},
        .refused = world->refused};
    assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        assert_memory_equal(world->local + character * pose_floats(world) + LMB_POSE_COMPONENTS * world->joint_count,
                            world->channels[character], sizeof world->channels[character]);
    }
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(program);
}

// Runs the reference and compares every other path with it, bit by bit.
static void run(world *world) {
    static float expected[CHARACTERS][CHANNELS];
    uint32_t refused[LMB_REFUSAL_COUNT];
    run_path(world, LMB_CPU_REFERENCE);
    memcpy(expected, world->channels, sizeof expected);
    memcpy(refused, world->refused, sizeof refused);
    for (lmb_cpu_path path = LMB_CPU_SIMD_4; path < LMB_CPU_PATH_COUNT; path++) {
        if (lmb_cpu_has(path)) {
            run_path(world, path);
            assert_memory_equal(world->channels, expected, sizeof expected);
            assert_memory_equal(world->refused, refused, sizeof refused);
        }
    }
}

// ---- The oracle. ----

typedef struct value {
    double x;
    double weight;
} value;

static double number(const world *world, lmb_value given, uint32_t character, double min, double most) {
    const double x = given.kind == LMB_VALUE_CONSTANT ? (double)given.constant
                                                      : (double)world->parameters[character][given.parameter];
    return fmin(fmax(x, min), most);
}

// Returns the difference from a to b, for angles the shorter way.
static double way(uint32_t channel, double a, double b) {
    return is_angle(channel) ? nearest_turn(b - a) : b - a;
}

static double sample(uint32_t clip, uint32_t channel, double time) {
    const lmb_interpolation interpolation = interpolation_of(clip, channel);
    const float *values = key_values[clip][channel];
    const uint32_t stride = interpolation == LMB_INTERPOLATION_CUBIC_SPLINE ? 3 : 1, middle = stride / 2;
    const uint32_t key = time >= 2.0 ? 2 : time >= 0.5 ? 1 : 0;
    const double a = (double)values[key * stride + middle];
    if (key == 2 || interpolation == LMB_INTERPOLATION_STEP) {
        return a;
    }
    const double interval = (double)key_times[key + 1] - (double)key_times[key];
    const double u = (time - (double)key_times[key]) / interval;
    const double b = a + way(channel, a, (double)values[(key + 1) * stride + middle]);
    if (interpolation == LMB_INTERPOLATION_LINEAR) {
        return a + u * (b - a);
    }
    const double out = (double)values[key * 3 + 2], in = (double)values[(key + 1) * 3];
    return (2 * u * u * u - 3 * u * u + 1) * a + interval * (u * u * u - 2 * u * u + u) * out +
           (-2 * u * u * u + 3 * u * u) * b + interval * (u * u * u - u * u) * in;
}

static value evaluate(const world *world, uint32_t index, uint32_t character, uint32_t channel);

// Computes the shares of a layered node's inputs. The last share is the rest pose's.
static void layer_shares(const world *world, const lmb_node_def *node, uint32_t character, uint32_t channel,
                         const value *inputs, double *shares) {
    double left = 1.0, fades[LMB_MAX_INPUTS];
    bool done[LMB_MAX_INPUTS] = {false};
    for (uint32_t i = 0; i < node->input_count; i++) {
        const double mask =
            node->masks[i] == LMB_NONE ? 255.0 : (double)world->masks[node->masks[i]][world->joint_count + channel];
        const bool is_clip = world->nodes[node->inputs[i]].op == LMB_OP_CLIP;
        fades[i] = number(world, node->weights[i], character, 0.0, 1.0) * mask / 255.0 *
                   (is_clip ? inputs[i].weight / 255.0 : 1.0);
    }
    for (;;) {
        int32_t highest = INT32_MIN;
        for (uint32_t i = 0; i < node->input_count; i++) {
            highest = !done[i] && node->priorities[i] > highest ? node->priorities[i] : highest;
        }
        if (highest == INT32_MIN) {
            break;
        }
        double sum = 0.0;
        for (uint32_t i = 0; i < node->input_count; i++) {
            sum += node->priorities[i] == highest ? fades[i] : 0.0;
        }
        for (uint32_t i = 0; i < node->input_count; i++) {
            if (node->priorities[i] == highest) {
                shares[i] = fades[i] > 0.0 ? left * fades[i] / fmax((double)node->threshold, sum) : 0.0;
                done[i] = true;
            }
        }
        left *= sum > 0.0 ? 1.0 - fmin(1.0, sum / (double)node->threshold) : 1.0;
    }
    shares[node->input_count] = left;
}

static value mean(const world *world, const lmb_node_def *node, uint32_t character, uint32_t channel) {
    value inputs[LMB_MAX_SPACE_INPUTS];
    double shares[LMB_MAX_SPACE_INPUTS] = {0.0};
    const bool is_space = node->op == LMB_OP_SPACE1D || node->op == LMB_OP_SPACE2D;
    const uint32_t count = node->input_count + (node->op == LMB_OP_LAYERS ? 1 : 0);
    for (uint32_t i = 0; i < node->input_count; i++) {
        inputs[i] = evaluate(world, node->inputs[i], character, channel);
        shares[i] = is_space ? 0.0 : number(world, node->weights[i], character, 0.0, 0x1p40);
    }
    if (is_space) {
        space_oracle_weights(node, number(world, node->coordinates[0], character, -0x1p40, 0x1p40),
                             number(world, node->coordinates[1], character, -0x1p40, 0x1p40), shares);
    }
    if (node->op == LMB_OP_LAYERS) {
        inputs[node->input_count] = (value){(double)lmb_rig_get_def(world->rig)->channels[channel].rest, 255.0};
        layer_shares(world, node, character, channel, inputs, shares);
    }
    uint32_t most = 0;
    double sum = 0.0, total = 0.0, kept_weight = 0.0;
    for (uint32_t i = 1; i < count; i++) {
        most = shares[i] > shares[most] ? i : most;
    }
    for (uint32_t i = 0; i < count; i++) {
        const double unwrapped = inputs[most].x + way(channel, inputs[most].x, inputs[i].x);
        sum += shares[i] * unwrapped;
        total += shares[i];
        kept_weight = shares[i] > 0.0 ? fmax(kept_weight, inputs[i].weight) : kept_weight;
    }
    return total > 0.0 ? (value){sum / total, kept_weight}
                       : (value){(double)lmb_rig_get_def(world->rig)->channels[channel].rest, 255.0};
}

static value partial(value a, value b, double alpha, uint32_t channel) {
    if (a.weight == 0.0 || b.weight == 0.0) {
        return a.weight == 0.0 ? b : a;
    }
    const double blend =
        b.weight > a.weight ? (b.weight - a.weight + alpha * a.weight) / b.weight : alpha * b.weight / a.weight;
    return (value){a.x + blend * way(channel, a.x, b.x), floor((1.0 - blend) * a.weight + blend * b.weight + 0.5)};
}

static double masked(const world *world, const lmb_node_def *node, uint32_t channel, double weight) {
    return weight * (double)world->masks[node->mask][world->joint_count + channel] / 255.0;
}

static value corners(const world *world, const lmb_node_def *node, uint32_t character, uint32_t channel, uint32_t first,
                     uint32_t positions) {
    if (positions == 0) {
        return evaluate(world, node->inputs[first], character, channel);
    }
    const value a = corners(world, node, character, channel, first, positions - 1);
    const value b = corners(world, node, character, channel, first + (1u << (positions - 1)), positions - 1);
    const double w = number(world, node->coordinates[positions - 1], character, 0.0, 1.0);
    return (value){a.x + w * way(channel, a.x, b.x), a.weight};
}

// The formulas of graph.h, without the final wrapping of an angle. The comparison ignores it too.
static value evaluate(const world *world, uint32_t index, uint32_t character, uint32_t channel) {
    const lmb_node_def *node = &world->nodes[index];
    const double rest = (double)lmb_rig_get_def(world->rig)->channels[channel].rest;
    value in[3] = {{0.0, 0.0}};
    const bool few = node->op != LMB_OP_WEIGHTED && node->op != LMB_OP_LAYERS && node->op != LMB_OP_MIRROR &&
                     node->op != LMB_OP_SPACE1D && node->op != LMB_OP_SPACE2D;
    for (uint32_t i = 0; few && i < node->input_count && i < 3; i++) {
        in[i] = evaluate(world, node->inputs[i], character, channel);
    }
    const bool factor = node->op == LMB_OP_SCALE || node->op == LMB_OP_SUBTRACT_SCALE_ADD ||
                        (node->op == LMB_OP_ADDITIVE && node->unclamped);
    double w = number(world, node->weight, character, factor ? -4.0 : 0.0, factor ? 4.0 : 1.0);
    value result = in[0];
    switch (node->op) {
    case LMB_OP_REST:
        return (value){rest, 255.0};
    case LMB_OP_CLIP: {
        const uint32_t clip = (uint32_t)number(world, node->clip, character, 0.0, 2.0);
        const double time = number(world, node->time, character, 0.0, 2.0);
        return (value){clip == channel ? rest : sample(clip, channel, time),
                       clip == 2 ? (double)world->weights[world->joint_count + channel] : 255.0};
    }
    case LMB_OP_POSE:
        return (value){(double)world->poses[node->pose][character * pose_floats(world) +
                                                        LMB_POSE_COMPONENTS * world->joint_count + channel],
                       255.0};
    case LMB_OP_MASKED:
    case LMB_OP_BLEND:
        w = node->op == LMB_OP_MASKED ? masked(world, node, channel, w) : w;
        if (is_angle(channel) && !node->shortest) { // without unwrapping: both are between -180 and 180
            result.x = nearest_turn(in[0].x) * (1.0 - w) + nearest_turn(in[1].x) * w;
        } else {
            result.x = in[0].x + w * way(channel, in[0].x, in[1].x);
        }
        return result;
    case LMB_OP_OVERRIDE: {
        const double given = (double)world->poses[node->pose][character * pose_floats(world) +
                                                              LMB_POSE_COMPONENTS * world->joint_count + channel];
        result.x = in[0].x + masked(world, node, channel, w) * way(channel, in[0].x, given);
        return result;
    }
    case LMB_OP_IK_TWO_BONE:
    case LMB_OP_IK_AIM:
    case LMB_OP_FOOT_PLACEMENT:
    case LMB_OP_TWIST:
    case LMB_OP_CHAIN:
        return in[0];
    case LMB_OP_PARTIAL:
        return partial(in[0], in[1], w, channel);
    case LMB_OP_WEIGHTED:
    case LMB_OP_LAYERS:
    case LMB_OP_SPACE1D:
    case LMB_OP_SPACE2D:
        return mean(world, node, character, channel);
    case LMB_OP_MAKE_ADDITIVE:
    case LMB_OP_SUBTRACT:
        result.x = way(channel, in[1].x, in[0].x);
        return result;
    case LMB_OP_ADD:
        result.x = in[0].x + in[1].x;
        return result;
    case LMB_OP_ADDITIVE:
        w = node->mask != LMB_NONE ? masked(world, node, channel, w) : w;
        result.x = in[0].x + w * way(channel, 0.0, in[1].x);
        return result;
    case LMB_OP_SCALE:
        result.x = w * way(channel, 0.0, in[0].x);
        return result;
    case LMB_OP_SUBTRACT_SCALE_ADD:
        result.x = w * way(channel, in[1].x, in[0].x) + in[2].x;
        return result;
    case LMB_OP_BILINEAR:
        return corners(world, node, character, channel, 0, 2);
    case LMB_OP_TRILINEAR:
        return corners(world, node, character, channel, 0, 3);
    case LMB_OP_MIRROR:
        result = evaluate(world, node->inputs[0], character, partners[channel]);
        result.x *= (double)signs[channel];
        return result;
    default:
        fail_msg("the oracle does not know %s", lmb_op_name(node->op));
        return result;
    }
}

// Angles that are opposite within rounding can take either way around. These seeds do not generate any.
static void run_and_compare(world *world, double bound) {
    run(world);
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        for (uint32_t channel = 0; channel < CHANNELS; channel++) {
            const float got = world->channels[character][channel];
            const double expected = evaluate(world, world->node_count - 1, character, channel).x;
            const double error = is_angle(channel) ? nearest_turn((double)got - expected) : (double)got - expected;
            if (!(fabs(error) <= bound * (is_angle(channel) ? 180.0 : 4.0))) {
                fail_msg("%s: character %u, channel %u: %.9g, not %.9g",
                         lmb_op_name(world->nodes[world->node_count - 1].op), character, channel, (double)got,
                         nearest_turn(expected));
            }
            assert_true(!is_angle(channel) || (got >= -180.0f && got < 180.0f));
        }
    }
}

static uint32_t in_order[LMB_MAX_SPACE_INPUTS];

static void sources_give_rest_clips_and_poses(void **state) {
    (void)state;
    world *w = world_start(JOINTS, 1);
    for (uint32_t clip = 0; clip < 3; clip++) {
        w->node_count = 0;
        lmb_node_def *node = add(w, LMB_OP_CLIP, 0, NULL);
        node->clip = lmb_constant((float)clip);
        node->time = lmb_parameter(0);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            w->parameters[i][0] = 2.25f * (float)i / (float)CHARACTERS; // also beyond the end
        }
        run_and_compare(w, 1e-6);
    }
    w->node_count = 0;
    add(w, LMB_OP_REST, 0, NULL);
    run_and_compare(w, 0.0);
    w->node_count = 0;
    add(w, LMB_OP_POSE, 0, NULL);
    run_and_compare(w, 0.0); // wrapped exactly
    world_end(w);
}

// Each character plays another clip, so that SIMD lanes differ.
static void clips_by_parameter(void **state) {
    (void)state;
    world *w = world_start(JOINTS, 2);
    lmb_node_def *node = add(w, LMB_OP_CLIP, 0, NULL);
    node->clip = lmb_parameter(0);
    node->time = lmb_parameter(1);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        w->parameters[i][0] = (float)(i % 3);
    }
    run_and_compare(w, 1e-6);
    w->parameters[5][0] = 7.0f;
    run(w);
    assert_int_equal(w->refused[LMB_REFUSED_CLIP], 1);
    for (uint32_t i = 0; i < CHANNELS; i++) {
        assert_true(w->channels[5][i] == lmb_rig_get_def(w->rig)->channels[i].rest);
    }
    world_end(w);
}

static void every_operation_follows_its_formula(void **state) {
    (void)state;
    for (uint32_t joints = 0; joints <= JOINTS; joints += JOINTS) {
        world *w = world_start(joints, 3 + joints);
        static const lmb_op binary[] = {LMB_OP_BLEND,    LMB_OP_MASKED, LMB_OP_PARTIAL, LMB_OP_MAKE_ADDITIVE,
                                        LMB_OP_SUBTRACT, LMB_OP_ADD,    LMB_OP_ADDITIVE};
        for (uint32_t i = 0; i < sizeof binary / sizeof binary[0]; i++) {
            for (uint32_t leaves = 2; leaves <= 3; leaves++) { // input 1 is a clip with joint weights, or a pose
                if (binary[i] == LMB_OP_ADDITIVE && leaves == 2) {
                    continue; // a clip is not an additive
                }
                add_leaves(w, leaves);
                lmb_node_def *node = add(w, binary[i], 2, in_order);
                node->weight = lmb_parameter(0);
                run_and_compare(w, 1e-6);
            }
        }
        for (uint32_t choice = 0; choice < 8; choice++) {
            add_leaves(w, 3);
            lmb_node_def *node = add(w, LMB_OP_ADDITIVE, 2, in_order);
            node->weight = choice & 1 ? lmb_constant(-2.5f) : lmb_parameter(1);
            node->unclamped = true;
            node->mask = choice & 2 ? 0 : LMB_NONE;
            node->form = choice & 4 ? LMB_FORM_PARENT : LMB_FORM_LOCAL;
            run_and_compare(w, 4e-6);
            node->form = LMB_FORM_AFFINE;
            run_and_compare(w, 4e-6);
            add_leaves(w, 3);
            add(w, LMB_OP_MAKE_ADDITIVE, 2, in_order)->form = (lmb_form)(choice % LMB_FORM_COUNT);
            run_and_compare(w, 1e-6);
            add_leaves(w, 3);
            node = add(w, choice & 1 ? LMB_OP_MASKED : LMB_OP_BLEND, 2, in_order);
            node->weight = lmb_parameter(2);
            node->shortest = (choice & 2) == 0;
            node->interpolation = choice & 4 ? LMB_MIX_LERP : LMB_MIX_NLERP;
            run_and_compare(w, 1e-6);
        }
        add_leaves(w, 3);
        add(w, LMB_OP_OVERRIDE, 1, in_order)->weight = lmb_parameter(0);
        run_and_compare(w, 1e-6);
        if (joints > 0) {
            add_leaves(w, 3);
            lmb_two_bone_def *chain = &add(w, LMB_OP_IK_TWO_BONE, 1, in_order)->two_bone;
            chain->start = 0;
            chain->mid = 1;
            chain->end = 2;
            run_and_compare(w, 1e-6);
            add_leaves(w, 3);
            lmb_aim_def *aim = &add(w, LMB_OP_IK_AIM, 1, in_order)->aim;
            aim->joints[0] = 1;
            aim->joint_count = 1;
            run_and_compare(w, 1e-6);
            add_leaves(w, 3);
            lmb_twist_def *twist = &add(w, LMB_OP_TWIST, 1, in_order)->twist;
            twist->source = 1;
            twist->joints[0] = 2;
            twist->joint_count = 1;
            run_and_compare(w, 1e-6);
            add_leaves(w, 3);
            lmb_chain_def *swinging = &add(w, LMB_OP_CHAIN, 1, in_order)->chain;
            swinging->start = 1;
            swinging->end = 2;
            run_and_compare(w, 1e-6);
        }
        add_leaves(w, 2);
        add(w, LMB_OP_SCALE, 1, in_order)->weight = lmb_constant(-3.25f);
        run_and_compare(w, 4e-6);
        add_leaves(w, 3);
        add(w, LMB_OP_SUBTRACT_SCALE_ADD, 3, in_order)->weight = lmb_constant(1.75f);
        run_and_compare(w, 4e-6);
        add_leaves(w, POSES);
        for (uint32_t positions = 2; positions <= 3; positions++) {
            lmb_node_def *node = add(w, positions == 2 ? LMB_OP_BILINEAR : LMB_OP_TRILINEAR, 1u << positions, in_order);
            for (uint32_t i = 0; i < positions; i++) {
                node->coordinates[i] = lmb_parameter(i);
            }
            run_and_compare(w, 2e-6);
        }
        world_end(w);
    }
}

static void means_of_many(void **state) {
    (void)state;
    world *w = world_start(JOINTS, 5);
    for (uint32_t count = 2; count <= LMB_MAX_INPUTS; count += 7) {
        for (uint32_t layered = 0; layered < 2; layered++) {
            w->node_count = 0;
            for (uint32_t i = 0; i < count; i++) {
                add(w, LMB_OP_POSE, 0, NULL)->pose = i % POSES;
            }
            lmb_node_def *node = add(w, layered ? LMB_OP_LAYERS : LMB_OP_WEIGHTED, count, in_order);
            for (uint32_t i = 0; i < count; i++) {
                node->weights[i] = lmb_parameter(i % PARAMETERS);
                node->priorities[i] = (int32_t)(i % 3);
            }
            run_and_compare(w, 2e-6);
            node->interpolation = LMB_MIX_SLERP;
            run_and_compare(w, 2e-6);
            for (uint32_t i = 0; i < count; i++) {
                node->weights[i] = lmb_constant(0.0f);
            }
            run_and_compare(w, 0.0); // the rest pose
        }
    }
    // Nested weighted sums.
    add_leaves(w, 4);
    add(w, LMB_OP_WEIGHTED, 2, (const uint32_t[]){0, 3})->weights[0] = lmb_parameter(0);
    add(w, LMB_OP_WEIGHTED, 3, (const uint32_t[]){1, 4, 2})->weights[1] = lmb_parameter(1);
    add(w, LMB_OP_LAYERS, 3, (const uint32_t[]){5, 4, 0})->weights[2] = lmb_parameter(2);
    run_and_compare(w, 2e-6);
    // Masks of layers, and a clip with weights for joints and channels.
    add_leaves(w, 4);
    lmb_node_def *node = add(w, LMB_OP_LAYERS, 4, in_order);
    for (uint32_t i = 0; i < 4; i++) {
        node->weights[i] = lmb_parameter(i);
        node->priorities[i] = (int32_t)(i / 2);
        node->masks[i] = i < 2 ? i : LMB_NONE;
    }
    run_and_compare(w, 2e-6);
    world_end(w);
}

// Adds a space with this many pose inputs, at random positions or in columns and rows.
static lmb_node_def *add_space(world *w, lmb_op op, uint32_t count, lmb_space2d kind) {
    random_source source = {count};
    const uint32_t first = w->node_count;
    for (uint32_t i = 0; i < count; i++) {
        add(w, LMB_OP_POSE, 0, NULL)->pose = (i + first) % POSES;
    }
    lmb_node_def *node = add(w, op, count, in_order);
    node->space2d = kind;
    for (uint32_t i = 0; i < count; i++) {
        const double off = kind == LMB_SPACE2D_GRID ? 0.0 : random_between(&source, 0.0, 0.5);
        node->inputs[i] += first;
        node->positions[i][0] = (float)((i % 8 + off) / 8.0 + (op == LMB_OP_SPACE1D ? i / 8 : 0));
        node->positions[i][1] = (float)((i / 8 + off * off) / 8.0);
    }
    node->coordinates[0] = lmb_parameter(0);
    node->coordinates[1] = lmb_parameter(1);
    return node;
}

static void spaces_of_many(void **state) {
    (void)state;
    world *w = world_start(JOINTS, 7);
    for (int kind = 0; kind < (int)LMB_SPACE2D_COUNT; kind++) {
        w->node_count = 0;
        // The oracle is slow with triangles.
        add_space(w, LMB_OP_SPACE2D, kind == (int)LMB_SPACE2D_TRIANGLES ? 24 : 64, (lmb_space2d)kind);
        run_and_compare(w, 2e-6);
    }
    w->node_count = 0;
    add_space(w, LMB_OP_SPACE1D, LMB_MAX_SPACE_INPUTS, LMB_SPACE2D_FREEFORM);
    run_and_compare(w, 2e-6);
    // Nested spaces: 63 values are on the stack when the last input begins, so 18 more fit. A space of two inputs
    // leaves one.
    for (uint32_t inside = 18; inside <= 19; inside++) {
        lmb_graph *program = NULL;
        lmb_error error = {0};
        w->node_count = 0;
        add_space(w, LMB_OP_SPACE1D, 2, LMB_SPACE2D_FREEFORM);
        add_space(w, LMB_OP_SPACE1D, inside, LMB_SPACE2D_FREEFORM)->inputs[0] = 2;
        const uint32_t last = w->node_count - 1;
        add_space(w, LMB_OP_SPACE2D, LMB_MAX_SPACE_INPUTS, LMB_SPACE2D_FREEFORM)->inputs[63] = last;
        if (inside == 18) {
            run_and_compare(w, 2e-6);
        } else {
            assert_int_equal(compile(w, &program, &error), LMB_ERROR_LIMIT);
            assert_non_null(strstr(error.message, "82 values of a float channel at once, and at most 81"));
        }
    }
    world_end(w);
}

static void set_all(world *w, uint32_t pose, float x) {
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        for (uint32_t channel = 0; channel < CHANNELS; channel++) {
            *pose_channel(w, pose, character, channel) = x;
        }
    }
}

static void check_angles(world *w, float expected) {
    run(w);
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        for (uint32_t channel = CHANNELS / 2; channel < CHANNELS; channel++) {
            if (w->channels[character][channel] != expected) {
                fail_msg("%.9g, not %.9g", (double)w->channels[character][channel], (double)expected);
            }
        }
    }
}

// Integers and weights that are powers of two, so that each result is exact.
static void ways_round_the_circle(void **state) {
    (void)state;
    static const struct {
        float a, b, weight, expected;
    } rows[] = {{170, -170, 0.5f, -180}, {170, -170, 0.25f, 175},   {-170, 170, 0.25f, -175}, {540, 170, 0.5f, 175},
                {-180, 180, 0.5f, -180}, {0, 180, 0.5f, -90},       {0, -180, 0.5f, -90},     {90, -90, 0.5f, 0},
                {-90, 90, 0.5f, -180},   {10, 370, 0.75f, 10},      {100, -100, 1.0f, -100},  {100, -100, 0.0f, 100},
                {179, -179, 0.5f, -180}, {3600, 3690, 0.5f, 45.0f}, {45, 225, 0.25f, 0}};
    world *w = world_start(0, 6);
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        set_all(w, 0, rows[i].a);
        set_all(w, 1, rows[i].b);
        add_leaves(w, 3);
        add(w, LMB_OP_BLEND, 2, in_order)->weight = lmb_constant(rows[i].weight);
        check_angles(w, rows[i].expected);
    }
    world_end(w);
}

// Each angle is unwrapped to within 180 degrees of the angle with the largest weight, or of the first such angle.
static void means_round_the_circle(void **state) {
    (void)state;
    static const struct {
        float values[4], weights[4], expected;
    } rows[] = {
        {{170, -170, 0, 0}, {1, 1, 0, 0}, -180}, {{0, 180, 0, 0}, {1, 1, 0, 0}, -90}, // downwards from the first
        {{180, 0, 0, 0}, {1, 1, 0, 0}, 90},      {{10, 190, 0, 0}, {1, 1, 0, 0}, -80},
        {{10, 190, 0, 0}, {1, 3, 0, 0}, 145},    {{0, 120, -120, 0}, {2, 1, 1, 0}, 0},
        {{120, -120, 0, 0}, {1, 1, 2, 0}, 0},    {{120, -120, 0, 0}, {2, 1, 1, 0}, 120},
        {{-120, 120, 0, 0}, {2, 1, 1, 0}, -120}, {{100, 200, 300, 20}, {1, 1, 1, 1}, 65},
        {{720, 0, 90, 0}, {1, 1, 2, 0}, 45},     {{0, 0, 0, 0}, {0, 0, 0, 8}, 0},
        {{33, 33, 33, 33}, {1, 2, 4, 1}, 33},
    };
    world *w = world_start(0, 7);
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        add_leaves(w, 5);
        lmb_node_def *node = add(w, LMB_OP_WEIGHTED, 4, in_order);
        for (uint32_t k = 0; k < 4; k++) {
            set_all(w, k, rows[i].values[k]);
            node->weights[k] = lmb_constant(rows[i].weights[k]);
        }
        check_angles(w, rows[i].expected);
    }
    world_end(w);
}

static void mirrors_swap_and_turn_signs(void **state) {
    (void)state;
    world *w = world_start(JOINTS, 8);
    add_leaves(w, 2);
    add(w, LMB_OP_MIRROR, 1, in_order);
    run_and_compare(w, 0.0);
    add(w, LMB_OP_MIRROR, 1, (const uint32_t[]){2}); // a second mirror restores every bit
    run(w);
    static float twice[CHARACTERS][CHANNELS];
    memcpy(twice, w->channels, sizeof twice);
    add_leaves(w, 2);
    add(w, LMB_OP_BLEND, 2, (const uint32_t[]){0, 1})->weight = lmb_constant(0.0f);
    run(w);
    assert_memory_equal(twice, w->channels, sizeof twice);
    // A mirror inside a blend, and another around it.
    add_leaves(w, 3);
    add(w, LMB_OP_MIRROR, 1, in_order);
    add(w, LMB_OP_BLEND, 2, (const uint32_t[]){1, 3})->weight = lmb_parameter(0);
    add(w, LMB_OP_MIRROR, 1, (const uint32_t[]){4});
    run_and_compare(w, 1e-6);
    w->mirror.channel_partners = NULL;
    w->mirror.channel_signs = NULL;
    add_leaves(w, 2);
    add(w, LMB_OP_MIRROR, 1, in_order);
    run(w);
    assert_memory_equal(twice, w->channels, sizeof twice); // each is its own partner
    world_end(w);
}

static void mirrors_are_found_by_names(void **state) {
    (void)state;
    static const lmb_channel_def channels[] = {{"smile_l", 0, false}, {"blink", 0, false},    {"smile_r", 0, false},
                                               {"lookLeft", 0, true}, {"lookRight", 0, true}, {"brow.L", 0, false},
                                               {"brow.R", 0, true},   {"left", 0, false}};
    static const uint32_t expected[] = {2, 1, 0, 4, 3, 5, 6, 7};
    lmb_rig *rig = NULL;
    uint32_t found[8];
    assert_int_equal(create_with(channels, 8, NULL, &rig, NULL), LMB_OK);
    lmb_rig_find_mirror_channels(rig, NULL, found);
    assert_memory_equal(found, expected, sizeof expected);
    lmb_rig_destroy(rig);
}

static void limits_hold_numbers_and_angles(void **state) {
    (void)state;
    static const struct {
        float min, max, given, plain, angle;
    } rows[] = {{0, 1, 0.5f, 0.5f, 0.5f},
                {0, 1, -2, 0, 0},
                {0, 1, 2, 1, 1},
                {0, 170, -179, 0, 170},
                {0, 170, -30, 0, 0},
                {-90, 90, -180, -90, 90}, // at the same distance
                {170, 190, -175, 170, -175},
                {170, 190, -100, 170, -170},
                {170, 190, 100, 170, 170},
                {-360, 360, 123, 123, 123},
                {0, 180, -180, 0, -180},
                {45, 45, 44, 45, 45},
                {-10, 10, 370, 10, 10},
                {-10, 10, 10.5f, 10, 10},
                {0, 170, 170, 170, 170}};
    world *w = world_start(JOINTS, 9);
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        set_all(w, 0, rows[i].given);
        for (uint32_t channel = 0; channel < CHANNELS; channel++) {
            w->ranges[channel] = (lmb_channel_range){rows[i].min, rows[i].max};
        }
        add_leaves(w, 2);
        add(w, LMB_OP_CLAMP, 1, in_order);
        check_angles(w, rows[i].angle);
        assert_true(w->channels[0][0] == rows[i].plain);
        add(w, LMB_OP_CLAMP, 1, (const uint32_t[]){2}); // a second clamp changes nothing
        check_angles(w, rows[i].angle);
    }
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        w->ranges[channel] = lmb_default_channel_range();
    }
    set_all(w, 0, -179.25f);
    add_leaves(w, 2);
    add(w, LMB_OP_CLAMP, 1, in_order);
    check_angles(w, -179.25f);
    world_end(w);
}

// Each value that is not finite is refused and replaced by the rest value.
static void poses_are_checked(void **state) {
    (void)state;
    world *w = world_start(JOINTS, 10);
    *pose_channel(w, 0, 3, 1) = NAN;
    *pose_channel(w, 0, 3, 6) = INFINITY;
    *pose_channel(w, 0, CHARACTERS - 1, 0) = -INFINITY;
    *pose_channel(w, 0, 4, 0) = 1e-13f;
    add(w, LMB_OP_POSE, 0, NULL);
    run(w);
    assert_int_equal(w->refused[LMB_REFUSED_POSE], 3);
    assert_true(w->channels[3][1] == lmb_rig_get_def(w->rig)->channels[1].rest);
    assert_true(w->channels[3][6] == lmb_rig_get_def(w->rig)->channels[6].rest);
    assert_true(w->channels[CHARACTERS - 1][0] == lmb_rig_get_def(w->rig)->channels[0].rest);
    assert_true(w->channels[4][0] == 0.0f);
    world_end(w);
}

// A local output can be used directly as a pose buffer.
static void an_output_is_an_input(void **state) {
    (void)state;
    for (uint32_t joints = 0; joints <= JOINTS; joints += JOINTS) {
        world *w = world_start(joints, 11);
        add_leaves(w, 3);
        add(w, LMB_OP_BLEND, 2, in_order)->weight = lmb_parameter(0);
        run(w);
        static float before[CHARACTERS * MOST_FLOATS];
        memcpy(before, w->local, sizeof before);
        memcpy(w->poses[0], before, sizeof before);
        w->node_count = 0;
        add(w, LMB_OP_POSE, 0, NULL);
        run(w);
        assert_memory_equal(w->local, before, sizeof(float[CHARACTERS]) * pose_floats(w));
        assert_int_equal(w->refused[LMB_REFUSED_POSE], 0);
        world_end(w);
    }
}

// Without joints there are no matrices and the bounds are empty. Refusals are still counted.
static void a_rig_without_joints(void **state) {
    (void)state;
    world *w = world_start(0, 12);
    lmb_node_def *node = add(w, LMB_OP_CLIP, 0, NULL);
    node->time = lmb_parameter(0);
    w->parameters[2][0] = NAN;
    run(w);
    assert_int_equal(w->refused[LMB_REFUSED_TIME], 1);
    lmb_graph *program = NULL;
    assert_int_equal(compile(w, &program, NULL), LMB_OK);
    for (lmb_cpu_path path = LMB_CPU_REFERENCE; path < LMB_CPU_PATH_COUNT; path++) {
        lmb_cpu *cpu = NULL;
        if (!lmb_cpu_has(path)) {
            continue;
        }
        assert_int_equal(lmb_cpu_create(program, path, NULL, &cpu, NULL), LMB_OK);
        const lmb_batch_def batch = {
            program, CHARACTERS, ((1u << LMB_OUTPUT_COUNT) - 1) & ~(LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_CHANNELS_BIT)};
        float bounds[CHARACTERS][LMB_BOX_COMPONENTS];
        uint32_t refused[LMB_REFUSAL_COUNT] = {0};
        const lmb_batch_inputs inputs = {.parameters = w->parameters[0]};
        const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_BOUNDS] = bounds[0]}, .refused = refused};
        assert_int_equal(lmb_batch_output_floats(&batch, LMB_OUTPUT_MODEL), 0);
        assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
        assert_true(bounds[7][0] == LMB_LARGEST && bounds[7][5] == -LMB_LARGEST);
        assert_int_equal(refused[LMB_REFUSED_TIME], 1);
        lmb_cpu_destroy(cpu);
    }
    lmb_graph_destroy(program);
    world_end(w);
}

// A compressed clip keeps every bit of its float tracks. Constant tracks and tracks at the rest value take less memory.
static void compression_keeps_channels(void **state) {
    (void)state;
    static const float still[] = {0.25f, 0.25f, 0.25f};
    for (uint32_t joints = 0; joints <= JOINTS; joints += JOINTS) {
        world *w = world_start(joints, 13);
        lmb_track_def tracks[CHANNELS];
        for (uint32_t i = 0; i < CHANNELS; i++) {
            tracks[i] = (lmb_track_def){
                i, LMB_PROPERTY_FLOAT, i % 2 ? LMB_INTERPOLATION_LINEAR : LMB_INTERPOLATION_CUBIC_SPLINE,
                3, key_times,          key_values[0][i]};
        }
        tracks[1].values = tracks[3].values = still; // one of them equals the rest value
        tracks[3].interpolation = LMB_INTERPOLATION_STEP;
        const float held[9] = {0, 0.25f, 0, 0, 0.25f, 0, 0, 0.25f, 0};
        tracks[2].values = held;
        lmb_clip *clip = NULL, *smaller = NULL;
        const lmb_clip_def def = {
            .tracks = tracks, .track_count = CHANNELS, .joint_weights = joints == 0 ? w->weights : NULL};
        assert_int_equal(lmb_clip_create(w->rig, &def, NULL, &clip, NULL), LMB_OK);
        assert_int_equal(lmb_clip_compress(w->rig, clip, NULL, NULL, &smaller, NULL, NULL), LMB_OK);
        size_t size, less;
        (void)lmb_clip_block(clip, &size);
        const void *block = lmb_clip_block(smaller, &less);
        assert_true(less < size);
        lmb_clip *opened = NULL;
        assert_int_equal(lmb_clip_open(block, less, NULL, &opened, NULL), LMB_OK);
        static float expected[CHARACTERS][CHANNELS];
        lmb_clip *const each[] = {clip, opened};
        for (uint32_t i = 0; i < 2; i++) {
            lmb_clip *kept = w->clips[0];
            w->clips[0] = each[i];
            w->node_count = 0;
            lmb_node_def *node = add(w, LMB_OP_CLIP, 0, NULL);
            node->time = lmb_parameter(0);
            run(w);
            w->clips[0] = kept;
            if (i == 0) {
                memcpy(expected, w->channels, sizeof expected);
            }
        }
        assert_memory_equal(w->channels, expected, sizeof expected);
        lmb_clip_destroy(clip);
        lmb_clip_destroy(smaller);
        lmb_clip_destroy(opened);
        world_end(w);
    }
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    world *w = world_start(JOINTS, 14);
    lmb_error error = {0};
    lmb_graph *program = NULL;
    add_leaves(w, 2);
    uint32_t spoiled[CHANNELS];
    int8_t turned[CHANNELS];
    memcpy(spoiled, partners, sizeof spoiled);
    w->mirror.channel_partners = spoiled;
    spoiled[2] = CHANNELS;
    CHECK_REFUSAL(compile(w, &program, &error), &error, LMB_ERROR_ARGUMENT, "mirror 0", "channel", "no channel");
    spoiled[2] = 3;
    CHECK_REFUSAL(compile(w, &program, &error), &error, LMB_ERROR_ARGUMENT, "mirror 0", "channel",
                  "not its partner's partner");
    spoiled[2] = partners[2];
    spoiled[3] = 6;
    spoiled[6] = 3;
    CHECK_REFUSAL(compile(w, &program, &error), &error, LMB_ERROR_ARGUMENT, "channel 3", "an angle");
    w->mirror.channel_partners = partners;
    memcpy(turned, signs, sizeof turned);
    w->mirror.channel_signs = turned;
    turned[0] = -1;
    CHECK_REFUSAL(compile(w, &program, &error), &error, LMB_ERROR_ARGUMENT, "channel 0", "another sign");
    turned[0] = 0;
    CHECK_REFUSAL(compile(w, &program, &error), &error, LMB_ERROR_ARGUMENT, "channel 0", "1 or -1");
    w->mirror.channel_signs = NULL;
    w->ranges[1] = (lmb_channel_range){1.0f, 0.0f};
    CHECK_REFUSAL(compile(w, &program, &error), &error, LMB_ERROR_ARGUMENT, "limits 0", "channel 1", "min is above");
    w->ranges[1] = (lmb_channel_range){NAN, 0.0f};
    CHECK_REFUSAL(compile(w, &program, &error), &error, LMB_ERROR_ARGUMENT, "channel 1", "out of range");
    w->ranges[1] = (lmb_channel_range){-400.0f, 0.0f};
    w->ranges[5] = (lmb_channel_range){-400.0f, 0.0f};
    CHECK_REFUSAL(compile(w, &program, &error), &error, LMB_ERROR_ARGUMENT, "channel 5", "out of range");
    w->ranges[5] = lmb_default_channel_range();
    // A clip of a rig with other channels.
    lmb_joint_def joints[JOINTS] = {lmb_default_joint_def(), lmb_default_joint_def(), lmb_default_joint_def()};
    lmb_rig *bare = NULL;
    lmb_clip *clip = NULL, *kept = w->clips[1], *smaller = NULL;
    const lmb_rig_def def = {.joints = joints, .joint_count = JOINTS};
    assert_int_equal(lmb_rig_create(&def, NULL, &bare, NULL), LMB_OK);
    assert_int_equal(lmb_clip_create(bare, &(lmb_clip_def){.name = "bare"}, NULL, &clip, NULL), LMB_OK);
    w->clips[1] = clip;
    CHECK_REFUSAL(compile(w, &program, &error), &error, LMB_ERROR_ARGUMENT, "clip 1", "bare", "0 float channels");
    w->clips[1] = kept;
    CHECK_REFUSAL(lmb_clip_compress(bare, kept, NULL, NULL, &smaller, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "8 float channels");
    // A track of a channel that does not exist, and a track with a NaN.
    lmb_track_def track = {CHANNELS, LMB_PROPERTY_FLOAT, LMB_INTERPOLATION_STEP, 3, key_times, key_values[0][0]};
    const lmb_clip_def with_track = {.name = "wrong", .tracks = &track, .track_count = 1};
    CHECK_REFUSAL(lmb_clip_create(w->rig, &with_track, NULL, &smaller, &error), &error, LMB_ERROR_ARGUMENT, "track 0",
                  "float channel");
    static const float spoilt[] = {0.0f, NAN, 0.0f};
    track.joint = 2;
    track.values = spoilt;
    CHECK_REFUSAL(lmb_clip_create(w->rig, &with_track, NULL, &smaller, &error), &error, LMB_ERROR_ARGUMENT, "track 0",
                  "float channel 'channel_2'", "key 1");
    assert_null(program);
    assert_null(smaller);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(bare);
    world_end(w);
}

int main(void) {
    for (uint32_t i = 0; i < LMB_MAX_SPACE_INPUTS; i++) {
        in_order[i] = i;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rig_reports_its_channels),
        cmocka_unit_test(angles_are_wrapped_exactly),
        cmocka_unit_test(sources_give_rest_clips_and_poses),
        cmocka_unit_test(clips_by_parameter),
        cmocka_unit_test(every_operation_follows_its_formula),
        cmocka_unit_test(means_of_many),
        cmocka_unit_test(spaces_of_many),
        cmocka_unit_test(ways_round_the_circle),
        cmocka_unit_test(means_round_the_circle),
        cmocka_unit_test(mirrors_swap_and_turn_signs),
        cmocka_unit_test(mirrors_are_found_by_names),
        cmocka_unit_test(limits_hold_numbers_and_angles),
        cmocka_unit_test(poses_are_checked),
        cmocka_unit_test(an_output_is_an_input),
        cmocka_unit_test(a_rig_without_joints),
        cmocka_unit_test(compression_keeps_channels),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
