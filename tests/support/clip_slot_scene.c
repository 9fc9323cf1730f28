#include "clip_slot_scene.h"

#include "random.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 9, TRACKS = 3 * SLOT_JOINTS + SLOT_CHANNELS };

// The keys of a clip: times, and up to 12 floats a key for each track.
typedef struct keys {
    float times[KEYS];
    float values[TRACKS][KEYS][12];
    lmb_track_def tracks[TRACKS];
    uint32_t track_count;
} keys;

static void set_key(float *value, const lmb_track_def *track, uint32_t key, uint32_t kind, random_source *source) {
    const float phase = (float)random_between(source, 0.0, 6.0), swing = 0.1f * sinf((float)key + phase);
    const float turn = kind == SLOT_FAR ? 1.4f * (float)(key % 2) : swing;
    switch (track->property) {
    case LMB_PROPERTY_ROTATION:
        value[track->joint % 3] = sinf(turn);
        value[3] = cosf(turn);
        break;
    case LMB_PROPERTY_SCALE:
        value[0] = value[1] = value[2] = 1.0f + 0.5f * swing;
        break;
    case LMB_PROPERTY_TRANSLATION:
    case LMB_PROPERTY_FLOAT:
        value[0] = swing;
        if (track->property == LMB_PROPERTY_TRANSLATION) {
            value[1] = 1.0f + swing;
            value[2] = 0.25f * phase;
        }
        break;
    }
}

static void add_track(keys *all, uint32_t joint, lmb_property property, uint32_t kind, random_source *source) {
    const bool spline = kind == SLOT_CUBIC && property != LMB_PROPERTY_FLOAT;
    const uint32_t width = property == LMB_PROPERTY_ROTATION ? 4 : property == LMB_PROPERTY_FLOAT ? 1 : 3;
    lmb_track_def *track = &all->tracks[all->track_count];
    float *values = &all->values[all->track_count++][0][0];
    *track = (lmb_track_def){.joint = joint,
                             .property = property,
                             .interpolation = spline ? LMB_INTERPOLATION_CUBIC_SPLINE : LMB_INTERPOLATION_LINEAR,
                             .key_count = KEYS,
                             .times = all->times,
                             .values = values};
    for (uint32_t key = 0; key < KEYS; key++) { // splines with tangents of 0
        set_key(values + (spline ? 3 * key + 1 : key) * width, track, key, kind, source);
    }
}

static lmb_clip *create_clip(const lmb_rig *rig, const char *name, uint32_t kind, bool additive, bool still,
                             uint64_t seed) {
    static uint8_t weights[SLOT_JOINTS + SLOT_CHANNELS];
    random_source source = {seed};
    keys *all = calloc(1, sizeof *all);
    lmb_error error = {0};
    assert_non_null(all);
    for (uint32_t i = 0; i < KEYS; i++) {
        all->times[i] = SLOT_SECONDS * (float)i / (float)(KEYS - 1);
    }
    for (uint32_t joint = 0; joint < SLOT_JOINTS && !still; joint++) {
        add_track(all, joint, LMB_PROPERTY_ROTATION, kind, &source);
        if (joint % 2 == 0 || kind == SLOT_PACKED) {
            add_track(all, joint, LMB_PROPERTY_TRANSLATION, kind, &source);
        }
        if (kind == SLOT_SCALED) {
            add_track(all, joint, LMB_PROPERTY_SCALE, kind, &source);
        }
        weights[joint] = joint == 0 ? 255 : (uint8_t)(20 * joint); // root motion has the weight of joint 0
    }
    if (!still) {
        add_track(all, 0, LMB_PROPERTY_FLOAT, kind, &source);
    }
    const lmb_clip_def def = {.name = name,
                              .duration = SLOT_SECONDS,
                              .tracks = all->tracks,
                              .track_count = all->track_count,
                              .joint_weights = kind == SLOT_PARTIAL ? weights : NULL,
                              .additive = additive};
    lmb_clip *clip = NULL;
    if (lmb_clip_create(rig, &def, NULL, &clip, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    free(all);
    if (kind == SLOT_PACKED) {
        lmb_clip *packed = NULL;
        assert_int_equal(lmb_clip_compress(rig, clip, NULL, NULL, &packed, NULL, NULL), LMB_OK);
        lmb_clip_destroy(clip);
        clip = packed;
    }
    return clip;
}

void slot_scene_create(slot_scene *scene) {
    static const char *const names[SLOT_KINDS] = {"plain", "cubic", "far", "packed", "scaled", "partial", "rest"};
    static const char *const additives[SLOT_ADDITIVES] = {"nod", "shake", "no change"};
    lmb_joint_def joints[SLOT_JOINTS];
    for (uint32_t i = 0; i < SLOT_JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : (i - 1) / 2;
        joints[i].rest.translation[1] = i == 0 ? 0.0f : 1.0f;
        joints[i].rest.rotation[i % 3] = 0.1f * (float)i;
    }
    const lmb_channel_def channel = {"smile", 0.25f, false};
    const lmb_rig_def rig = {
        .joints = joints, .joint_count = SLOT_JOINTS, .channels = &channel, .channel_count = SLOT_CHANNELS};
    assert_int_equal(lmb_rig_create(&rig, NULL, &scene->rig, NULL), LMB_OK);
    scene->base = create_clip(scene->rig, "base", SLOT_PLAIN, false, false, 1);
    for (uint32_t i = 0; i < SLOT_KINDS; i++) {
        scene->poses[i] = create_clip(scene->rig, names[i], i, false, i == SLOT_REST, 10 + i);
    }
    for (uint32_t i = 0; i < SLOT_ADDITIVES; i++) {
        scene->additives[i] = create_clip(scene->rig, additives[i], SLOT_PLAIN, true, i == SLOT_NO_CHANGE, 30 + i);
    }
}

void slot_scene_destroy(slot_scene *scene) {
    lmb_clip_destroy(scene->base);
    for (uint32_t i = 0; i < SLOT_KINDS; i++) {
        lmb_clip_destroy(scene->poses[i]);
    }
    for (uint32_t i = 0; i < SLOT_ADDITIVES; i++) {
        lmb_clip_destroy(scene->additives[i]);
    }
    lmb_rig_destroy(scene->rig);
}

// ---- The graph.

static void fill_slots(const slot_scene *scene, slot_recipe *r) {
    static const char *const names[SLOT_CLIPS] = {"", "hosted", "played", "added"};
    size_t largest = 0;
    for (uint32_t i = 0; i < SLOT_KINDS; i++) {
        size_t size;
        lmb_clip_block(scene->poses[i], &size);
        largest = size > largest ? size : largest;
    }
    for (uint32_t i = 1; i < SLOT_CLIPS; i++) {
        lmb_clip_slot_def *slot = &r->slots[i - 1];
        if (i == SLOT_ADDITIVE) {
            *slot = lmb_clip_slot_for(scene->additives[SLOT_NOD]);
        } else {
            *slot = lmb_default_clip_slot_def();
            slot->bytes = (uint32_t)largest;
            slot->duration = i == SLOT_PLAYED ? SLOT_SECONDS : -1.0f;
        }
        slot->clip = i;
        slot->name = names[i];
    }
    r->def.clip_slots = r->slots;
    r->def.clip_slot_count = SLOT_CLIPS - 1;
}

static void fill_machine(slot_recipe *r) {
    r->player = lmb_default_player_def();
    r->player.looped_event = SLOT_STEP;
    r->player.velocity = 1.5f;
    r->notify = (lmb_notify_def){0.75f, SLOT_STEP};
    r->player.notifies = &r->notify;
    r->player.notify_count = 1;
    for (uint32_t i = 0; i < 2; i++) {
        r->states[i] = lmb_default_state_def();
        r->transitions[i] = lmb_default_transition_def();
        r->transitions[i].from = i;
        r->transitions[i].to = 1 - i;
        r->transitions[i].event = i == 0 ? SLOT_GO : SLOT_BACK;
    }
    r->transitions[2] = r->transitions[1];
    r->transitions[2].event = LMB_NONE;
    r->transitions[2].at_end = true;
    r->machine = (lmb_machine_def){
        .name = "gait", .states = r->states, .state_count = 2, .transitions = r->transitions, .transition_count = 3};
    r->motion = lmb_default_motion_def();
    r->def.motion = &r->motion;
    r->def.event_count = SLOT_EVENTS;
}

void slot_recipe_fill(const slot_scene *scene, slot_recipe *r, bool has_slots) {
    *r = (slot_recipe){.clips = {scene->base}};
    r->def = lmb_default_graph_def();
    fill_machine(r);
    r->nodes[0] = lmb_clip_node(SLOT_BASE, lmb_parameter(SLOT_TIME));
    r->nodes[1] = lmb_clip_node(SLOT_HOST, lmb_parameter(SLOT_TIME));
    r->nodes[2] = lmb_playing_node(SLOT_PLAYED, &r->player);
    r->nodes[3] = lmb_clip_node(0, lmb_parameter(SLOT_TIME));
    r->nodes[3].clip = lmb_parameter(SLOT_CHOICE);
    r->nodes[3].rate = lmb_constant(0.75f);
    r->nodes[4] = lmb_machine_node((const uint32_t[]){0, 2}, &r->machine);
    r->nodes[5] = lmb_default_node_def();
    r->nodes[5].op = LMB_OP_LAYERS;
    r->nodes[5].input_count = 3;
    for (uint32_t i = 0; i < 3; i++) {
        static const uint32_t inputs[3] = {0, 1, 3};
        r->nodes[5].inputs[i] = inputs[i];
        r->nodes[5].priorities[i] = (int32_t)i;
        r->nodes[5].masks[i] = LMB_NONE;
        r->nodes[5].weights[i] = i == 0 ? lmb_constant(1.0f) : lmb_parameter(i == 1 ? SLOT_FADE : SLOT_COVER);
    }
    r->nodes[6] = lmb_blend_node(4, 5, lmb_parameter(SLOT_MIX));
    r->nodes[7] = lmb_clip_node(SLOT_ADDITIVE, lmb_parameter(SLOT_TIME));
    r->nodes[8] = lmb_additive_node(6, 7, lmb_parameter(SLOT_ADD));
    r->def.rig = scene->rig;
    r->def.clips = r->clips;
    r->def.clip_count = SLOT_CLIPS;
    r->def.nodes = r->nodes;
    r->def.node_count = 9;
    r->def.parameter_count = SLOT_PARAMETERS;
    if (has_slots) {
        fill_slots(scene, r);
    }
}

static lmb_graph *create_graph(const lmb_graph_def *def) {
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    if (lmb_graph_create(def, NULL, &graph, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return graph;
}

lmb_graph *slot_graph_create(const slot_scene *scene) {
    slot_recipe r;
    slot_recipe_fill(scene, &r, true);
    return create_graph(&r.def);
}

lmb_graph *slot_graph_create_fixed(const slot_scene *scene, const uint32_t filled[SLOT_CLIPS]) {
    slot_recipe r;
    slot_recipe_fill(scene, &r, false);
    r.clips[SLOT_HOST] = scene->poses[filled[SLOT_HOST]];
    r.clips[SLOT_PLAYED] = scene->poses[filled[SLOT_PLAYED]];
    r.clips[SLOT_ADDITIVE] = scene->additives[filled[SLOT_ADDITIVE]];
    return create_graph(&r.def);
}

// ---- Frames.

void slot_side_create(slot_side *side, const lmb_graph *graph, lmb_cpu_path path) {
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    *side = (slot_side){.batch = {graph, SLOT_CHARACTERS, SLOT_OUTPUTS}};
    assert_int_equal(lmb_cpu_create(graph, path, NULL, &side->cpu, NULL), LMB_OK);
    side->state_words = (size_t)SLOT_CHARACTERS * info->state_words;
    side->emitted_words = (size_t)SLOT_CHARACTERS * info->emitted_words;
    side->parameters = calloc(SLOT_CHARACTERS * info->parameter_count, sizeof(float));
    side->state = calloc(side->state_words, sizeof(uint32_t));
    side->emitted = calloc(side->emitted_words, sizeof(uint32_t));
    assert_true(side->parameters != NULL && side->state != NULL && side->emitted != NULL);
    for (uint32_t i = 0; i < LMB_OUTPUT_COUNT; i++) {
        if (SLOT_OUTPUTS >> i & 1u) {
            side->floats[i] = (size_t)SLOT_CHARACTERS * lmb_batch_output_floats(&side->batch, (lmb_output)i);
            side->outputs.buffers[i] = calloc(side->floats[i], sizeof(float));
            assert_non_null(side->outputs.buffers[i]);
        }
    }
    side->outputs.refused = side->refused;
}

void slot_side_destroy(slot_side *side) {
    lmb_cpu_destroy(side->cpu);
    free(side->parameters);
    free(side->state);
    free(side->emitted);
    for (uint32_t i = 0; i < LMB_OUTPUT_COUNT; i++) {
        free(side->outputs.buffers[i]);
    }
}

const lmb_event *slot_side_steer(slot_side *side, uint32_t frame, uint32_t *count) {
    static lmb_event events[SLOT_CHARACTERS];
    const uint32_t width = lmb_graph_get_info(side->batch.graph)->parameter_count;
    *count = 0;
    for (uint32_t i = 0; i < SLOT_CHARACTERS; i++) {
        random_source source = random_branch(frame, i);
        float *row = side->parameters + (size_t)i * width;
        row[SLOT_TIME] = (float)random_between(&source, 0.0, 5.0);
        row[SLOT_CHOICE] = (float)random_below(&source, SLOT_ADDITIVE);
        row[SLOT_FADE] = 0.25f * (float)random_below(&source, 5);
        row[SLOT_COVER] = 0.25f * (float)random_below(&source, 4);
        row[SLOT_ADD] = 0.5f * (float)random_below(&source, 3);
        row[SLOT_MIX] = 0.25f * (float)random_below(&source, 5);
        const uint32_t event = random_below(&source, 8);
        if (event <= SLOT_BACK) {
            events[(*count)++] = (lmb_event){i, event};
        }
    }
    return events;
}

void slot_side_run(slot_side *side, uint32_t frame) {
    lmb_error error = {0};
    lmb_control_frame moving = lmb_default_control_frame();
    moving.step = SLOT_STEP_TICKS;
    moving.number = frame;
    moving.character_count = SLOT_CHARACTERS;
    moving.state = side->state;
    moving.parameters = side->parameters;
    moving.events = slot_side_steer(side, frame, &moving.event_count);
    moving.emitted = side->emitted;
    const lmb_batch_inputs inputs = {.control = &moving};
    if (lmb_cpu_run(side->cpu, &side->batch, &inputs, &side->outputs, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
}

void slot_side_expect(const slot_side *side, const slot_side *expected, const char *what, uint32_t frame) {
    for (uint32_t i = 0; i < LMB_OUTPUT_COUNT; i++) {
        for (size_t k = 0; k < side->floats[i]; k++) {
            uint32_t a, b;
            memcpy(&a, &side->outputs.buffers[i][k], sizeof a);
            memcpy(&b, &expected->outputs.buffers[i][k], sizeof b);
            if (a != b) {
                fail_msg("%s, frame %u: %s: float %zu of character %zu is %g and not %g", what, frame,
                         lmb_output_name((lmb_output)i), k % (side->floats[i] / SLOT_CHARACTERS),
                         k / (side->floats[i] / SLOT_CHARACTERS), (double)side->outputs.buffers[i][k],
                         (double)expected->outputs.buffers[i][k]);
            }
        }
    }
    assert_memory_equal(side->state, expected->state, side->state_words * sizeof *side->state);
    assert_memory_equal(side->emitted, expected->emitted, side->emitted_words * sizeof *side->emitted);
}

// ---- Changes.

// Every kind goes into each slot for poses, in another order, with empty slots in between.
uint32_t slot_changes(uint32_t frame, slot_change changes[2]) {
    uint32_t count = 0;
    if (frame % 2 == 1) {
        const uint32_t clip = frame % 4 == 1 ? SLOT_HOST : SLOT_PLAYED, turn = frame / 4;
        const uint32_t to = (clip == SLOT_HOST ? turn : 5 * turn + 3) % SLOT_KINDS;
        changes[count++] = (slot_change){clip, to == SLOT_REST ? SLOT_KINDS : to};
    }
    if (frame % 3 == 1) {
        const uint32_t to = frame / 3 % SLOT_ADDITIVES;
        changes[count++] = (slot_change){SLOT_ADDITIVE, to == SLOT_NO_CHANGE ? SLOT_ADDITIVES : to};
    }
    return count;
}

const lmb_clip *slot_changed_clip(const slot_scene *scene, slot_change change) {
    return change.clip == SLOT_ADDITIVE ? (change.to < SLOT_ADDITIVES ? scene->additives[change.to] : NULL)
           : change.to < SLOT_KINDS     ? scene->poses[change.to]
                                        : NULL;
}
