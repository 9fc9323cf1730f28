#include "blend_profile.h"

#include "random.h"

static void make_clips(blend_profile *scene) {
    lmb_joint_def joints[PROFILED_JOINTS];
    for (uint32_t i = 0; i < PROFILED_JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i > 0 ? i - 1 : LMB_NONE;
    }
    const lmb_channel_def channels[PROFILED_CHANNELS] = {{.name = "height"}};
    const lmb_rig_def def = {
        .joints = joints, .joint_count = PROFILED_JOINTS, .channels = channels, .channel_count = PROFILED_CHANNELS};
    assert_int_equal(lmb_rig_create(&def, NULL, &scene->rig, NULL), LMB_OK);
    for (uint32_t state = 0; state < PROFILED_STATES; state++) {
        static const float time = 0.0f;
        const float place[3] = {state == 0 ? 1.0f : 0.0f, state == 1 ? 1.0f : 0.0f, state == 2 ? 1.0f : 0.0f};
        const float height = (float)(1u << state);
        lmb_track_def tracks[PROFILED_BYTES];
        for (uint32_t i = 0; i < PROFILED_BYTES; i++) {
            const bool is_joint = i < PROFILED_JOINTS;
            tracks[i] = (lmb_track_def){.joint = is_joint ? i : i - PROFILED_JOINTS,
                                        .property = is_joint ? LMB_PROPERTY_TRANSLATION : LMB_PROPERTY_FLOAT,
                                        .key_count = 1,
                                        .times = &time,
                                        .values = is_joint ? place : &height};
        }
        const lmb_clip_def clip = {.duration = 0.5f, .tracks = tracks, .track_count = PROFILED_BYTES};
        assert_int_equal(lmb_clip_create(scene->rig, &clip, NULL, &scene->clips[state], NULL), LMB_OK);
    }
}

void blend_profile_start(blend_profile *scene) {
    static const uint8_t masks[PROFILED_MASKS][PROFILED_BYTES] = {
        {255, 128, 51, 1, 0, 200, 30}, {0, 255, 90, 255, 10, 128, 255}, {255, 255, 255, 255, 255, 255, 255}};
    static const struct {
        uint32_t to, profile;
        float fade;
        lmb_curve curve;
        lmb_fade_kind kind;
        float control[2];
    } rows[PROFILED_TRANSITIONS] = {{0, 0, 0.5f, LMB_CURVE_BEZIER, LMB_FADE_SMOOTH, {0.75f, -0.5f}},
                                    {1, 1, 0.4f, LMB_CURVE_SMOOTHSTEP, LMB_FADE_SMOOTH, {0}},
                                    {2, LMB_NONE, 0.3f, LMB_CURVE_BEZIER, LMB_FADE_SMOOTH, {-0.5f, 2.0f}},
                                    {1, 0, 0.8f, LMB_CURVE_SINE_OUT, LMB_FADE_FROZEN, {0}},
                                    {0, LMB_NONE, 0.0f, LMB_CURVE_LINEAR, LMB_FADE_SMOOTH, {0}},
                                    {2, 2, 0.6f, LMB_CURVE_QUADRATIC_IN, LMB_FADE_SMOOTH, {0}}};
    static const uint32_t poses[PROFILED_STATES] = {0, 1, 2};
    *scene = (blend_profile){0};
    make_clips(scene);
    memcpy(scene->masks, masks, sizeof masks);
    for (uint32_t i = 0; i < PROFILED_MASKS; i++) {
        scene->mask_rows[i] = scene->masks[i];
    }
    for (uint32_t i = 0; i < PROFILED_STATES; i++) {
        scene->players[i] = lmb_default_player_def();
        scene->states[i] = lmb_default_state_def();
        scene->nodes[i] = lmb_playing_node(i, &scene->players[i]);
    }
    for (uint32_t i = 0; i < PROFILED_TRANSITIONS; i++) {
        scene->transitions[i] = lmb_default_transition_def();
        scene->transitions[i].to = rows[i].to;
        scene->transitions[i].event = i;
        scene->transitions[i].fade = rows[i].fade;
        scene->transitions[i].curve = rows[i].curve;
        memcpy(scene->transitions[i].curve_control, rows[i].control, sizeof rows[i].control);
        scene->transitions[i].kind = rows[i].kind;
        scene->transitions[i].profile = rows[i].profile;
    }
    scene->machine = (lmb_machine_def){.name = "moods",
                                       .states = scene->states,
                                       .state_count = PROFILED_STATES,
                                       .transitions = scene->transitions,
                                       .transition_count = PROFILED_TRANSITIONS};
    scene->nodes[PROFILED_STATES] = lmb_machine_node(poses, &scene->machine);
    scene->def = (lmb_graph_def){.rig = scene->rig,
                                 .clips = (const lmb_clip *const *)scene->clips,
                                 .clip_count = PROFILED_STATES,
                                 .masks = scene->mask_rows,
                                 .mask_count = PROFILED_MASKS,
                                 .nodes = scene->nodes,
                                 .node_count = PROFILED_STATES + 1,
                                 .event_count = PROFILED_TRANSITIONS};
}

void blend_profile_create(blend_profile *scene) {
    lmb_error error = {0};
    if (lmb_graph_create(&scene->def, NULL, &scene->graph, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    const size_t words = lmb_graph_get_info(scene->graph)->state_words,
                 floats = lmb_graph_get_info(scene->graph)->parameter_count;
    scene->state = calloc(PROFILED_CHARACTERS * words, sizeof *scene->state);
    scene->parameters = calloc(PROFILED_CHARACTERS * floats, sizeof *scene->parameters);
    assert_true(scene->state != NULL && scene->parameters != NULL);
    for (uint32_t i = 0; i < PROFILED_CHARACTERS; i++) {
        lmb_graph_defaults(scene->graph, scene->parameters + i * floats);
    }
}

void blend_profile_destroy(blend_profile *scene) {
    lmb_graph_destroy(scene->graph);
    for (uint32_t i = 0; i < PROFILED_STATES; i++) {
        lmb_clip_destroy(scene->clips[i]);
    }
    lmb_rig_destroy(scene->rig);
    free(scene->state);
    free(scene->parameters);
}

void blend_profile_draw(blend_profile *scene) {
    static const uint64_t rates[] = {60, 60, 30, 144, 1000000, 7};
    random_source random = random_branch(15, scene->frame);
    scene->step = random_below(&random, 20) == 0 ? 0 : LMB_TICKS_PER_SECOND / rates[random_below(&random, 6)];
    scene->event_count = 0;
    for (uint32_t i = 0; i < PROFILED_CHARACTERS; i++) {
        for (uint32_t k = 0; k < PROFILED_EVENTS && random_below(&random, 8) == 0; k++) {
            scene->events[scene->event_count++] = (lmb_event){i, random_below(&random, PROFILED_TRANSITIONS)};
        }
    }
}

void blend_profile_run(blend_profile *scene) {
    const lmb_control_frame frame = {.step = scene->step,
                                     .number = scene->frame++,
                                     .character_count = PROFILED_CHARACTERS,
                                     .state = scene->state,
                                     .parameters = scene->parameters,
                                     .events = scene->events,
                                     .event_count = scene->event_count};
    lmb_error error = {0};
    if (lmb_control_run(scene->graph, &frame, 0, PROFILED_CHARACTERS, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
}
