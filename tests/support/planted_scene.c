// The clip is 2 s long. Its first channel steps many times and is above 1/2 at first; the second one is linear and
// crosses 1/2 at stated times. Frames are at other times than these.
#include "planted_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 2.0f

// From when on a foot is planted, and until when.
static const float steps[][2] = {{0.0f, 0.1237f},    {0.21f, 0.2237f},   {0.3037f, 0.46f}, {0.5037f, 0.61f},
                                 {0.7237f, 0.8037f}, {0.9037f, 1.0037f}, {1.11f, 1.2237f}, {1.3137f, 1.56f},
                                 {1.6237f, 1.71f},   {1.8037f, 1.9237f}};
static const float lines[][2] = {{0.25f, 0.75f}, {1.25f, 1.75f}};
enum { STEPS = sizeof steps / sizeof *steps, LINES = sizeof lines / sizeof *lines };

static void make_rig(planted_scene *s) {
    static const char *const names[PLANTED_JOINTS] = {"pelvis",    "left_hip",   "left_knee",  "left_ankle",
                                                      "right_hip", "right_knee", "right_ankle"};
    lmb_joint_def joints[PLANTED_JOINTS];
    lmb_channel_def channels[PLANTED_FEET];
    for (uint32_t i = 0; i < PLANTED_JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
        joints[i].parent = i == 0 ? LMB_NONE : i % 3 == 1 ? 0 : i - 1;
        joints[i].rest.translation[0] = i % 3 == 1 ? (i == 1 ? 0.1f : -0.1f) : 0.0f;
        joints[i].rest.translation[1] = i == 0 ? 0.85f : i % 3 == 1 ? 0.0f : -0.4f;
        joints[i].rest.translation[2] = i != 0 && i % 3 == 2 ? 0.05f : 0.0f;
    }
    for (uint32_t i = 0; i < PLANTED_FEET; i++) {
        channels[i] = lmb_default_channel_def();
        channels[i].name = i == 0 ? "left_planted" : "right_planted";
    }
    lmb_rig_def def = lmb_default_rig_def();
    def.joints = joints;
    def.joint_count = PLANTED_JOINTS;
    def.channels = channels;
    def.channel_count = PLANTED_FEET;
    lmb_error error = {0};
    assert_ok(lmb_rig_create(&def, NULL, &s->rig, &error), &error);
}

// Hips swing in both clips; the first one has the channels.
static void make_clip(planted_scene *s, uint32_t index) {
    static const float times[3] = {0.0f, 0.5f * SECONDS, SECONDS};
    static const float swings[2][12] = {
        {0.1f, 0.0f, 0.0f, 0.99498744f, -0.2f, 0.0f, 0.0f, 0.9797959f, 0.1f, 0.0f, 0.0f, 0.99498744f},
        {-0.2f, 0.0f, 0.0f, 0.9797959f, 0.1f, 0.0f, 0.0f, 0.99498744f, -0.2f, 0.0f, 0.0f, 0.9797959f}};
    float step_times[2 * STEPS], step_values[2 * STEPS], line_times[2 * LINES + 2], line_values[2 * LINES + 2];
    for (uint32_t i = 0; i < 2 * STEPS; i++) {
        step_times[i] = steps[i / 2][i % 2];
        step_values[i] = i % 2 == 0 ? 1.0f : 0.25f;
    }
    for (uint32_t i = 0; i <= 2 * LINES; i++) { // a wave of triangles, which crosses 1/2 in the middle of its sides
        line_times[i] = 0.5f * (float)i;
        line_values[i] = i % 2 == 0 ? 0.0f : 1.0f;
    }
    const lmb_track_def tracks[4] = {
        {1, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 3, times, swings[index]},
        {4, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 3, times, swings[1 - index]},
        {0, LMB_PROPERTY_FLOAT, LMB_INTERPOLATION_STEP, 2 * STEPS, step_times, step_values},
        {1, LMB_PROPERTY_FLOAT, LMB_INTERPOLATION_LINEAR, 2 * LINES + 1, line_times, line_values}};
    lmb_clip_def def = lmb_default_clip_def();
    def.name = index == 0 ? "steps" : "others";
    def.duration = SECONDS;
    def.tracks = tracks;
    def.track_count = index == 0 ? 4 : 2;
    lmb_error error = {0};
    assert_ok(lmb_clip_create(s->rig, &def, NULL, &s->clips[index], &error), &error);
}

lmb_node_def planted_feet(uint32_t base, bool by_channels) {
    lmb_foot_def feet[PLANTED_FEET];
    for (uint32_t i = 0; i < PLANTED_FEET; i++) {
        feet[i] = lmb_default_foot_def();
        feet[i].hip = 1 + 3 * i;
        feet[i].knee = 2 + 3 * i;
        feet[i].ankle = 3 + 3 * i;
        feet[i].knee_axis[0] = 1.0f;
        feet[i].knee_axis[2] = 0.0f;
        if (by_channels) {
            feet[i].planted_channel = i;
        } else {
            feet[i].planted = lmb_parameter(PLANTED_HOST + i);
        }
    }
    lmb_node_def node = lmb_foot_placement_node(base, 0, feet, PLANTED_FEET);
    node.feet.space = LMB_IK_WORLD;
    node.feet.time = lmb_parameter(PLANTED_CLOCK);
    node.feet.lock_distance = 0.2f;
    return node;
}

static void make_graph(planted_scene *s, bool by_channels) {
    lmb_player_def players[2] = {lmb_default_player_def(), lmb_default_player_def()};
    players[0].rate = lmb_parameter(PLANTED_PACE);
    lmb_node_def turned = lmb_default_node_def();
    turned.op = LMB_OP_MIRROR;
    turned.inputs[0] = 2;
    turned.input_count = 1;
    const lmb_node_def feet = planted_feet(s->is_mirrored ? 3 : 2, by_channels);
    const lmb_node_def nodes[5] = {lmb_playing_node(0, &players[0]), lmb_playing_node(1, &players[1]),
                                   lmb_blend_node(0, 1, lmb_parameter(PLANTED_BLEND)), s->is_mirrored ? turned : feet,
                                   feet};
    static const uint32_t partners[PLANTED_JOINTS] = {0, 4, 5, 6, 1, 2, 3};
    lmb_mirror_def mirror = lmb_default_mirror_def();
    mirror.partners = partners;
    lmb_motion_def motion = lmb_default_motion_def();
    motion.velocity[2] = lmb_parameter(PLANTED_SPEED);
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = s->rig;
    def.clips = (const lmb_clip *const *)s->clips;
    def.clip_count = 2;
    def.nodes = nodes;
    def.node_count = s->is_mirrored ? 5 : 4;
    def.mirrors = &mirror;
    def.mirror_count = s->is_mirrored;
    def.parameter_count = PLANTED_PARAMETERS;
    def.motion = &motion;
    lmb_error error = {0};
    assert_ok(lmb_graph_create(&def, NULL, &s->graph, &error), &error);
}

void planted_begin(planted_scene *s, bool by_channels, bool is_mirrored) {
    *s = (planted_scene){.is_mirrored = is_mirrored};
    make_rig(s);
    for (uint32_t i = 0; i < 2; i++) {
        make_clip(s, i);
    }
    make_graph(s, by_channels);
    s->batch = (lmb_batch_def){s->graph, PLANTED_CHARACTERS, LMB_OUTPUT_MODEL_BIT};
    s->row = lmb_graph_get_info(s->graph)->parameter_count;
    const size_t state = lmb_graph_get_info(s->graph)->state_words, kept = lmb_graph_get_info(s->graph)->inertia_words;
    s->state = calloc(PLANTED_CHARACTERS * state, sizeof(uint32_t));
    s->memory = calloc(PLANTED_CHARACTERS * kept + 1, sizeof(uint32_t));
    s->parameters = calloc((size_t)PLANTED_CHARACTERS * s->row, sizeof(float));
    s->models = calloc((size_t)PLANTED_CHARACTERS * PLANTED_JOINTS * 12, sizeof(float));
    assert_true(s->state != NULL && s->memory != NULL && s->parameters != NULL && s->models != NULL);
}

void planted_end(planted_scene *s) {
    lmb_graph_destroy(s->graph);
    for (uint32_t i = 0; i < 2; i++) {
        lmb_clip_destroy(s->clips[i]);
    }
    lmb_rig_destroy(s->rig);
    free(s->state);
    free(s->memory);
    free(s->parameters);
    free(s->models);
}

bool planted_inside(const planted_scene *s, uint32_t character, uint32_t foot) {
    const double time = (double)s->ticks[character] / (double)LMB_TICKS_PER_SECOND;
    foot = s->is_mirrored ? 1 - foot : foot;
    const uint32_t count = foot == 0 ? STEPS : LINES;
    bool inside = false;
    for (uint32_t i = 0; i < count; i++) {
        const float *range = foot == 0 ? steps[i] : lines[i];
        inside = inside || (time >= (double)range[0] && time < (double)range[1]);
    }
    return inside;
}

void planted_move(planted_scene *s, uint32_t frame) {
    static const float paces[4] = {1.0f, 0.5f, 2.0f, 0.25f};
    const uint64_t step = frame == 0 ? 0 : LMB_TICKS_PER_SECOND / PLANTED_RATE;
    for (uint32_t i = 0; i < PLANTED_CHARACTERS; i++) {
        float *row = s->parameters + (size_t)i * s->row;
        const float pace = paces[i % 4];
        s->ticks[i] = (s->ticks[i] + (uint64_t)((float)step * pace)) % (uint64_t)(SECONDS * LMB_TICKS_PER_SECOND);
        row[PLANTED_CLOCK] = (float)frame / (float)PLANTED_RATE;
        row[PLANTED_PACE] = pace;
        row[PLANTED_BLEND] = 0.07f * (float)(i % 10);
        row[PLANTED_SPEED] = 0.1f + 0.05f * (float)i;
        for (uint32_t k = 0; k < PLANTED_FEET; k++) {
            row[PLANTED_HOST + k] = planted_inside(s, i, k) && row[PLANTED_BLEND] <= 0.5f ? 1.0f : 0.0f;
        }
    }
    s->frame = lmb_default_control_frame();
    s->frame.step = step;
    s->frame.number = frame;
    s->frame.character_count = PLANTED_CHARACTERS;
    s->frame.state = s->state;
    s->frame.parameters = s->parameters;
}
