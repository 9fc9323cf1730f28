#include "scenario.h"

#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

enum { JOINTS = 37, SOCKETS = 7, KEYS = 19, TRACKS = 3 * JOINTS, PARAMETERS = 12 };

const scenario_hashes scenario_golden = {BITS_OF_POSES, BITS_OF_OUTPUTS};

// PCG XSH RR 32.
static uint32_t next_random(uint64_t *state) {
    uint64_t old = *state;
    *state = old * 6364136223846793005u + 1442695040888963407u;
    uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return mixed >> turn | mixed << (-turn & 31);
}

// A multiple of 2^-20 in [-1, 1). It is exact, so rounding and flushing cannot change it.
static float next_float(uint64_t *state) {
    return (float)((int32_t)(next_random(state) >> 11) - (1 << 20)) * 0x1p-20f;
}

static float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static lmb_result create_rig(scenario *s, uint64_t *state, lmb_error *error) {
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : next_random(state) % i;
        for (int k = 0; k < 4; k++) {
            joints[i].rest.rotation[k] = next_float(state);
        }
        for (int k = 0; k < 3; k++) {
            joints[i].rest.translation[k] = next_float(state);
            joints[i].rest.scale[k] = 1.0f;
        }
    }
    uint64_t extra = 2026; // a separate seed, so that all other values stay as they were
    lmb_socket_def sockets[SOCKETS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i].radius = i % 5 == 0 ? 0.0f : next_float(&extra) * 0.25f + 0.25f;
    }
    for (uint32_t i = 0; i < SOCKETS; i++) {
        sockets[i] = lmb_default_socket_def();
        sockets[i].joint = next_random(&extra) % JOINTS;
        for (int k = 0; k < 4; k++) {
            sockets[i].local.rotation[k] = next_float(&extra);
        }
        for (int k = 0; k < 3; k++) {
            sockets[i].local.translation[k] = next_float(&extra);
            sockets[i].local.scale[k] = next_float(&extra);
        }
    }
    lmb_rig_def def = {.joints = joints, .joint_count = JOINTS, .sockets = sockets, .socket_count = SOCKETS};
    return lmb_rig_create(&def, NULL, &s->rig, error);
}

// Values of one key of a channel. Rotations are arbitrary, or small if `near` is set. Scales are near 1 and sometimes
// negative. Translations are in the cube from -1 to 1.
static void fill_key(float *values, lmb_property channel, bool near, uint64_t *state) {
    int width = channel == LMB_PROPERTY_ROTATION ? 4 : 3;
    for (int i = 0; i < width; i++) {
        float value = next_float(state);
        values[i] = channel != LMB_PROPERTY_SCALE  ? value
                    : next_random(state) % 16 == 0 ? value
                                                   : float_of_bits(0x3f000000u + (next_random(state) & 0xffffffu));
    }
    if (channel == LMB_PROPERTY_ROTATION && near) {
        for (int i = 0; i < 3; i++) {
            values[i] *= 0x1p-4f;
        }
        values[3] = 1.0f;
    }
}

static lmb_result create_clip(scenario *s, uint32_t index, uint64_t *state, lmb_error *error) {
    float(*values)[KEYS * 12] = calloc(TRACKS, sizeof *values);
    float times[KEYS];
    lmb_track_def tracks[TRACKS];
    uint32_t count = 0;
    if (values == NULL) {
        error->result = LMB_ERROR_MEMORY;
        return LMB_ERROR_MEMORY;
    }
    for (uint32_t key = 0; key < KEYS; key++) {
        times[key] = (float)(key * 4 + next_random(state) % 4) * 0x1p-5f;
    }
    for (uint32_t i = 0; i < TRACKS; i++) {
        lmb_property channel = (lmb_property)(i % 3);
        lmb_interpolation interpolation = (lmb_interpolation)(next_random(state) % 3);
        int joint_maps = interpolation == LMB_INTERPOLATION_CUBIC_SPLINE ? 3 : 1;
        if (next_random(state) % 5 == 0) {
            continue; // the rest pose supplies it
        }
        for (int key = 0; key < KEYS * joint_maps; key++) {
            fill_key(&values[i][key * (channel == LMB_PROPERTY_ROTATION ? 4 : 3)], channel, index == 2, state);
        }
        tracks[count++] =
            (lmb_track_def){i / 3, channel, interpolation, 1 + next_random(state) % KEYS, times, values[i]};
    }
    lmb_clip_def def = {.name = "scenario", .tracks = tracks, .track_count = count};
    lmb_result result = lmb_clip_create(s->rig, &def, NULL, &s->clips[index], error);
    free(values);
    return result;
}

static lmb_node_def node(lmb_op op, uint32_t first, uint32_t second) {
    lmb_node_def def = lmb_default_node_def();
    def.op = op;
    def.mask = op == LMB_OP_MASKED ? 0 : LMB_NONE;
    if (op != LMB_OP_REST && op != LMB_OP_CLIP && op != LMB_OP_POSE) {
        def.inputs[0] = first;
        def.inputs[1] = second;
        def.input_count = 2;
    }
    return def;
}

static lmb_node_def clip_node(uint32_t clip_parameter, uint32_t time_parameter, bool loop) {
    lmb_node_def def = node(LMB_OP_CLIP, 0, 0);
    def.clip = lmb_parameter(clip_parameter);
    def.time = lmb_parameter(time_parameter);
    def.loop = loop;
    return def;
}

static lmb_result create_program(scenario *s, uint64_t *state, lmb_error *error) {
    uint8_t mask[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        mask[i] = i % 7 == 0 ? 0 : i % 7 == 1 ? 255 : (uint8_t)(next_random(state) >> 24);
    }
    const uint8_t *masks[] = {mask};
    const lmb_clip *clips[] = {s->clips[0], s->clips[1], s->clips[2]};
    lmb_node_def nodes[10] = {clip_node(0, 2, true),   clip_node(1, 3, false),  node(LMB_OP_BLEND, 0, 1),
                              node(LMB_OP_REST, 0, 0), node(LMB_OP_POSE, 0, 0), node(LMB_OP_WEIGHTED, 2, 3)};
    nodes[2].weight = lmb_parameter(4);
    nodes[2].weight.curve = LMB_CURVE_UNIFORM_S;
    nodes[5].inputs[2] = 4;
    nodes[5].inputs[3] = 1;
    nodes[5].input_count = 4;
    for (uint32_t i = 0; i < 4; i++) {
        nodes[5].weights[i] = lmb_parameter(5 + i);
    }
    nodes[6] = node(LMB_OP_MAKE_ADDITIVE, 1, 3);
    nodes[7] = node(LMB_OP_ADDITIVE, 5, 6);
    nodes[7].weight = lmb_parameter(9);
    nodes[8] = clip_node(1, 10, true);
    nodes[9] = node(LMB_OP_MASKED, 7, 8);
    nodes[9].weight = lmb_parameter(11);
    lmb_graph_def def = {.rig = s->rig,
                         .clips = clips,
                         .clip_count = 3,
                         .masks = masks,
                         .mask_count = 1,
                         .nodes = nodes,
                         .node_count = 10,
                         .parameter_count = PARAMETERS};
    return lmb_graph_create(&def, NULL, &s->program, error);
}

// Mostly values in range, and some of every kind that is refused, clamped, or on a boundary.
static void fill_parameters(float *parameters, uint64_t *state) {
    static const uint32_t odd[] = {0x7fc00000u, 0xff800000u, 0x7f800000u, 0x00000001u, 0x80000000u, 0x3f800000u,
                                   0x00000000u, 0x40400000u, 0xbf800000u, 0x2b7fffffu, 0x5f000000u};
    for (uint32_t i = 0; i < PARAMETERS; i++) {
        parameters[i] = i < 2                         ? (float)(next_random(state) % 3)
                        : i == 2 || i == 3 || i == 10 ? next_float(state) * 4.0f
                                                      : (float)(next_random(state) >> 12) * 0x1p-20f;
        if (next_random(state) % 23 == 0) {
            parameters[i] = float_of_bits(odd[next_random(state) % (sizeof odd / sizeof odd[0])]);
        }
    }
}

static lmb_result create_inputs(scenario *s, uint64_t *state, lmb_error *error) {
    s->pose_floats = (size_t)SCENARIO_CHARACTERS * lmb_batch_output_floats(&s->batch, LMB_OUTPUT_LOCAL);
    s->pose = malloc(s->pose_floats * sizeof *s->pose);
    for (int frame = 0; frame < SCENARIO_FRAMES; frame++) {
        s->parameters[frame] = malloc(SCENARIO_CHARACTERS * PARAMETERS * sizeof **s->parameters);
        if (s->parameters[frame] == NULL || s->pose == NULL) {
            error->result = LMB_ERROR_MEMORY;
            return LMB_ERROR_MEMORY;
        }
        for (uint32_t i = 0; i < SCENARIO_CHARACTERS; i++) {
            fill_parameters(s->parameters[frame] + i * PARAMETERS, state);
        }
    }
    for (size_t i = 0; i < s->pose_floats; i++) {
        // Sometimes any exponent: tiny, huge, infinite, NaN.
        s->pose[i] = next_random(state) % 61 == 0 ? float_of_bits(next_random(state)) : next_float(state);
    }
    return LMB_OK;
}

lmb_result scenario_create(scenario *s, lmb_error *error) {
    memset(s, 0, sizeof *s);
    uint64_t state = 2024;
    lmb_result result = create_rig(s, &state, error);
    for (uint32_t i = 0; i < 3 && result == LMB_OK; i++) {
        result = create_clip(s, i, &state, error);
    }
    if (result == LMB_OK) {
        result = create_program(s, &state, error);
    }
    if (result == LMB_OK) {
        s->batch = (lmb_batch_def){s->program, SCENARIO_CHARACTERS, (1u << LMB_OUTPUT_COUNT) - 1};
        result = create_inputs(s, &state, error);
    }
    return result;
}

void scenario_destroy(scenario *s) {
    for (int frame = 0; frame < SCENARIO_FRAMES; frame++) {
        free(s->parameters[frame]);
    }
    free(s->pose);
    lmb_graph_destroy(s->program);
    for (int i = 0; i < 3; i++) {
        lmb_clip_destroy(s->clips[i]);
    }
    lmb_rig_destroy(s->rig);
    memset(s, 0, sizeof *s);
}

lmb_batch_inputs scenario_inputs(const scenario *s, int frame, lmb_batch_outputs *outputs) {
    return (lmb_batch_inputs){.parameters = s->parameters[frame],
                              .poses = {s->pose},
                              .previous_palette = frame > 0 ? outputs->buffers[LMB_OUTPUT_PALETTE] : NULL};
}

lmb_batch_outputs scenario_outputs_create(const scenario *s) {
    lmb_batch_outputs outputs = {0};
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        size_t floats = (size_t)SCENARIO_CHARACTERS * lmb_batch_output_floats(&s->batch, (lmb_output)output);
        outputs.buffers[output] = calloc(floats, sizeof(float));
    }
    outputs.refused = calloc(LMB_REFUSAL_COUNT, sizeof *outputs.refused);
    return outputs;
}

void scenario_outputs_destroy(lmb_batch_outputs *outputs) {
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        free(outputs->buffers[output]);
    }
    free(outputs->refused);
    *outputs = (lmb_batch_outputs){0};
}

static uint64_t hash_bytes(const void *bytes, size_t size, uint64_t hash) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

scenario_hashes scenario_hash(const scenario *s, const lmb_batch_outputs *outputs, scenario_hashes hashes) {
    const uint64_t start = UINT64_C(14695981039346656037);
    hashes.poses = hashes.poses == 0 ? start : hashes.poses;
    hashes.outputs = hashes.outputs == 0 ? start : hashes.outputs;
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        size_t floats = (size_t)SCENARIO_CHARACTERS * lmb_batch_output_floats(&s->batch, (lmb_output)output);
        uint64_t *hash = output <= LMB_OUTPUT_PALETTE ? &hashes.poses : &hashes.outputs;
        *hash = hash_bytes(outputs->buffers[output], floats * sizeof(float), *hash);
    }
    hashes.poses = hash_bytes(outputs->refused, LMB_REFUSED_CHARACTER * sizeof *outputs->refused, hashes.poses);
    return hashes;
}

bool scenario_is_golden(scenario_hashes hashes) {
    return hashes.poses == scenario_golden.poses && hashes.outputs == scenario_golden.outputs;
}
