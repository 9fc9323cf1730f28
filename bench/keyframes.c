// Creates clips from poses at key times, and the reverse.
#include "actor.h"

#include <limber/cpu.h>
#include <limber/graph.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

lmb_result keyframes_create(float duration, uint32_t joints, keyframes *keyframes, lmb_error *error) {
    uint32_t intervals = (uint32_t)ceilf(duration * ACTOR_KEYS_A_SECOND - 0.01f);
    *keyframes = (struct keyframes){.duration = duration, .count = intervals + 1, .joints = joints};
    keyframes->poses = calloc((size_t)keyframes->count * joints, sizeof *keyframes->poses);
    return keyframes->poses != NULL ? LMB_OK : actor_no_memory(error);
}

void keyframes_destroy(keyframes *keyframes) {
    free(keyframes->poses);
    *keyframes = (struct keyframes){0};
}

float keyframes_time(const keyframes *keyframes, uint32_t key) {
    return key + 1 < keyframes->count ? (float)key / ACTOR_KEYS_A_SECOND : keyframes->duration;
}

lmb_transform *keyframes_pose(keyframes *keyframes, uint32_t key) {
    return keyframes->poses + (size_t)key * keyframes->joints;
}

// Returns a channel's values in a transform.
static const float *channel_of(const lmb_transform *transform, lmb_property channel) {
    return channel == LMB_PROPERTY_TRANSLATION ? transform->translation
           : channel == LMB_PROPERTY_ROTATION  ? transform->rotation
                                               : transform->scale;
}

static uint32_t channel_width(lmb_property channel) {
    return channel == LMB_PROPERTY_ROTATION ? 4 : 3;
}

// Tracks while they are built, and memory for their values.
typedef struct tracks {
    float *times;
    float *values;
    lmb_track_def *defs;
    size_t value_count;
    uint32_t count;
} tracks;

static void add_track(tracks *tracks, const keyframes *keyframes, const lmb_rig *rig, uint32_t joint,
                      lmb_property channel) {
    lmb_transform rest = lmb_rig_get_def(rig)->joints[joint].rest;
    uint32_t width = channel_width(channel);
    float *values = tracks->values + tracks->value_count;
    bool rests = channel != LMB_PROPERTY_ROTATION;
    for (uint32_t key = 0; key < keyframes->count; key++) {
        const float *from = channel_of(&keyframes->poses[(size_t)key * keyframes->joints + joint], channel);
        memcpy(values + (size_t)key * width, from, width * sizeof *values);
        rests = rests && memcmp(from, channel_of(&rest, channel), width * sizeof *values) == 0;
    }
    if (!rests) {
        tracks->defs[tracks->count++] =
            (lmb_track_def){joint, channel, LMB_INTERPOLATION_LINEAR, keyframes->count, tracks->times, values};
        tracks->value_count += (size_t)keyframes->count * width;
    }
}

lmb_result keyframes_clip(const keyframes *keyframes, const lmb_rig *rig, const char *name, lmb_clip **clip,
                          lmb_error *error) {
    tracks tracks = {.times = malloc(keyframes->count * sizeof *tracks.times),
                     .values = malloc((size_t)keyframes->count * keyframes->joints * sizeof *keyframes->poses),
                     .defs = malloc((size_t)keyframes->joints * 3 * sizeof *tracks.defs)};
    lmb_result result;
    if (tracks.times == NULL || tracks.values == NULL || tracks.defs == NULL) {
        result = actor_no_memory(error);
    } else {
        for (uint32_t key = 0; key < keyframes->count; key++) {
            tracks.times[key] = keyframes_time(keyframes, key);
        }
        for (uint32_t joint = 0; joint < keyframes->joints; joint++) {
            add_track(&tracks, keyframes, rig, joint, LMB_PROPERTY_TRANSLATION);
            add_track(&tracks, keyframes, rig, joint, LMB_PROPERTY_ROTATION);
            add_track(&tracks, keyframes, rig, joint, LMB_PROPERTY_SCALE);
        }
        lmb_clip_def def = {.name = name, .tracks = tracks.defs, .track_count = tracks.count};
        result = lmb_clip_create(rig, &def, NULL, clip, error);
    }
    free(tracks.times);
    free(tracks.values);
    free(tracks.defs);
    return result;
}

// Runs a graph that plays the clip with one character for each key, and copies their poses.
static lmb_result sample(const lmb_graph *graph, keyframes *keyframes, float offset, lmb_error *error) {
    enum { COMPONENTS = sizeof(lmb_transform) / sizeof(float) };
    const lmb_batch_def batch = {graph, keyframes->count, LMB_OUTPUT_LOCAL_BIT};
    const size_t floats = lmb_batch_output_floats(&batch, LMB_OUTPUT_LOCAL);
    float *times = malloc(keyframes->count * sizeof *times);
    float *locals = malloc(keyframes->count * floats * sizeof *locals);
    lmb_cpu *cpu = NULL;
    lmb_result result = times == NULL || locals == NULL ? actor_no_memory(error)
                                                        : lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &cpu, error);
    if (result == LMB_OK) {
        for (uint32_t key = 0; key < keyframes->count; key++) {
            times[key] = keyframes_time(keyframes, key) + offset;
        }
        const lmb_batch_inputs inputs = {.parameters = times};
        const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_LOCAL] = locals}};
        result = lmb_cpu_run(cpu, &batch, &inputs, &outputs, error);
    }
    for (size_t i = 0; i < (size_t)keyframes->count * keyframes->joints && result == LMB_OK; i++) {
        const float *pose = locals + i / keyframes->joints * floats + i % keyframes->joints;
        float *to = (float *)&keyframes->poses[i];
        for (uint32_t k = 0; k < COMPONENTS; k++) {
            to[k] = pose[(size_t)k * keyframes->joints];
        }
    }
    lmb_cpu_destroy(cpu);
    free(times);
    free(locals);
    return result;
}

lmb_result keyframes_sample(keyframes *keyframes, const lmb_rig *rig, const lmb_clip *clip, float offset,
                            lmb_error *error) {
    lmb_node_def node = lmb_clip_node(0, lmb_parameter(0));
    node.loop = offset > 0.0f; // without an offset the last key is not the first one
    const lmb_graph_def def = {
        .rig = rig, .clips = &clip, .clip_count = 1, .nodes = &node, .node_count = 1, .parameter_count = 1};
    lmb_graph *graph = NULL;
    lmb_result result = lmb_graph_create(&def, NULL, &graph, error);
    if (result == LMB_OK) {
        result = sample(graph, keyframes, offset, error);
    }
    lmb_graph_destroy(graph);
    return result;
}
