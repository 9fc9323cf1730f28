#include "workload.h"

#include <math.h>
#include <stdlib.h>

enum { KEYS_A_SECOND = 30, MOST_KEYS = 64 };

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// Up to six limbs fork from the first joints; the rest of the joints extend them in turn, as fingers and toes do.
static lmb_result create_rig(uint32_t joints, lmb_rig **rig, lmb_error *error) {
    lmb_joint_def *defs = malloc(joints * sizeof *defs);
    if (defs == NULL) {
        error->result = LMB_ERROR_MEMORY;
        return LMB_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < joints; i++) {
        defs[i] = lmb_default_joint_def();
        defs[i].parent = i == 0 ? LMB_NONE : i < 7 ? (i - 1) / 2 : i - 6;
        defs[i].rest.translation[1] = i == 0 ? 1.0f : 0.1f;
    }
    lmb_rig_def def = {defs, joints};
    lmb_result result = lmb_rig_create(&def, NULL, rig, error);
    free(defs);
    return result;
}

static void fill_rotation(float *key, uint32_t joint, float phase, uint32_t seed) {
    uint32_t state = seed + joint * 7919u;
    float axis[3], length = 0.0f;
    for (int i = 0; i < 3; i++) {
        axis[i] = (float)(next_random(&state) % 2001) / 1000.0f - 1.0f;
        length += axis[i] * axis[i];
    }
    float half_angle = 0.3f * sinf(phase + (float)(joint % 5));
    float sine = sinf(half_angle) / sqrtf(length + 1e-6f);
    for (int i = 0; i < 3; i++) {
        key[i] = axis[i] * sine;
    }
    key[3] = cosf(half_angle);
}

static lmb_result create_clip(workload *w, uint32_t index, uint32_t joints, float duration, lmb_error *error) {
    uint32_t keys = (uint32_t)(duration * KEYS_A_SECOND) + 1;
    float(*rotations)[MOST_KEYS * 4] = malloc(joints * sizeof *rotations);
    lmb_track_def *tracks = malloc((joints + 1) * sizeof *tracks);
    float times[MOST_KEYS], translations[MOST_KEYS * 3];
    lmb_result result = LMB_ERROR_MEMORY;
    error->result = result;
    if (rotations != NULL && tracks != NULL) {
        for (uint32_t key = 0; key < keys; key++) {
            float phase = 6.2831853f * (float)key / (float)(keys - 1);
            times[key] = (float)key / KEYS_A_SECOND;
            translations[key * 3] = 0.0f;
            translations[key * 3 + 1] = 1.0f + 0.03f * sinf(2.0f * phase);
            translations[key * 3 + 2] = 0.0f;
            for (uint32_t joint = 0; joint < joints; joint++) {
                fill_rotation(&rotations[joint][key * 4], joint, phase, index);
            }
        }
        for (uint32_t joint = 0; joint < joints; joint++) {
            tracks[joint] =
                (lmb_track_def){joint, LMB_CHANNEL_ROTATION, LMB_INTERPOLATION_LINEAR, keys, times, rotations[joint]};
        }
        tracks[joints] =
            (lmb_track_def){0, LMB_CHANNEL_TRANSLATION, LMB_INTERPOLATION_LINEAR, keys, times, translations};
        lmb_clip_def def = {.name = "workload", .tracks = tracks, .track_count = joints + 1};
        result = lmb_clip_create(w->rig, &def, NULL, &w->clips[index], error);
    }
    free(rotations);
    free(tracks);
    return result;
}

static lmb_node_def clip_node(uint32_t clip) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.clip = lmb_constant((float)clip);
    node.time = lmb_parameter(clip);
    node.loop = true;
    return node;
}

static lmb_result create_program(workload *w, lmb_error *error) {
    lmb_node_def nodes[8];
    static const float weights[3] = {0.3f, 0.5f, 0.2f};
    for (uint32_t i = 0; i < WORKLOAD_CLIPS; i++) {
        nodes[i] = clip_node(i);
    }
    nodes[4] = lmb_default_node_def(); // the weighted blend
    nodes[4].op = LMB_OP_WEIGHTED;
    nodes[4].input_count = 3;
    for (uint32_t i = 0; i < 3; i++) {
        nodes[4].inputs[i] = i;
        nodes[4].weights[i] = lmb_constant(weights[i]);
    }
    nodes[5] = lmb_default_node_def(); // the rest pose, from which the fourth clip differs
    nodes[6] = lmb_default_node_def();
    nodes[6].op = LMB_OP_DIFFERENCE;
    nodes[6].input_count = 2;
    nodes[6].inputs[0] = 3;
    nodes[6].inputs[1] = 5;
    nodes[7] = lmb_default_node_def();
    nodes[7].op = LMB_OP_ADDITIVE;
    nodes[7].input_count = 2;
    nodes[7].inputs[0] = 4;
    nodes[7].inputs[1] = 6;
    nodes[7].weight = lmb_constant(0.6f);
    const lmb_clip *clips[WORKLOAD_CLIPS];
    for (int i = 0; i < WORKLOAD_CLIPS; i++) {
        clips[i] = w->clips[i];
    }
    lmb_program_def def = {.rig = w->rig,
                           .clips = clips,
                           .clip_count = WORKLOAD_CLIPS,
                           .nodes = nodes,
                           .node_count = 8,
                           .parameter_count = WORKLOAD_PARAMETERS};
    return lmb_program_create(&def, NULL, &w->program, error);
}

lmb_result workload_create(uint32_t joints, workload *w, lmb_error *error) {
    static const float durations[WORKLOAD_CLIPS] = {1.0f, 0.8f, 0.6f, 2.0f};
    *w = (workload){0};
    lmb_result result = create_rig(joints, &w->rig, error);
    for (uint32_t i = 0; i < WORKLOAD_CLIPS && result == LMB_OK; i++) {
        result = create_clip(w, i, joints, durations[i], error);
        w->durations[i] = result == LMB_OK ? lmb_clip_duration(w->clips[i]) : 0.0f;
    }
    return result == LMB_OK ? create_program(w, error) : result;
}

void workload_destroy(workload *w) {
    lmb_program_destroy(w->program);
    for (int i = 0; i < WORKLOAD_CLIPS; i++) {
        lmb_clip_destroy(w->clips[i]);
    }
    lmb_rig_destroy(w->rig);
    *w = (workload){0};
}

void workload_fill(const workload *w, uint32_t characters, uint32_t frame, float *parameters) {
    uint32_t state = 1;
    for (uint32_t i = 0; i < characters; i++) {
        float phase = (float)(next_random(&state) % 4096) / 4096.0f;
        for (int clip = 0; clip < WORKLOAD_CLIPS; clip++) {
            float time = phase * w->durations[clip] + (float)frame / 60.0f;
            parameters[i * WORKLOAD_PARAMETERS + (uint32_t)clip] = fmodf(time, w->durations[clip]);
        }
    }
}

size_t workload_floor_bytes(const workload *w) {
    return (size_t)lmb_rig_joint_count(w->rig) * sizeof(lmb_affine);
}
