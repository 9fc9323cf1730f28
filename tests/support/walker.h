// A character that walks and hops by a machine with inertialized transitions, swings a tail, aims, reports whether it
// reaches its target, and moves by its clips, and faster after a frame in which it reached it: all that is kept of
// characters from frame to frame, and what is reached counts in every frame.
#ifndef LIMBER_TESTS_SUPPORT_WALKER_H
#define LIMBER_TESTS_SUPPORT_WALKER_H

#include "graph_text.h"
#include "suite.h"

#include <limber/graph_json.h>
#include <string.h>

enum { WALKER_JOINTS = 4, WALKER_CLIPS = 3 };

static const char *const walker_clip_names[WALKER_CLIPS] = {"stand", "walk", "hop"};
static lmb_rig *walker_rig;
static lmb_clip *walker_clips[WALKER_CLIPS];

// The second graph has the states of the first one exchanged.
#define WALKER_GRAPH(FIRST, SECOND, JUMP, LAND, FADE) "{" WALKER_MEMBERS(FIRST, SECOND, JUMP, LAND, FADE)
// Without the brace that opens it, so that members can be added.
#define WALKER_MEMBERS(FIRST, SECOND, JUMP, LAND, FADE)                                                                \
    "'op':'ik-aim','joints':{'Tip':1},'forward':[0,-1,0],'up':[0,0,1],'limit':1.2,'target':[1.2,-3,0.8],"              \
    "'reached':{'index':0,'parameter':'there'},'character-motion':{'velocity':[0,0,{'param':'there'}]},'base':{'op':'" \
    "chain','start':'Tail','end':'Tip',"                                                                               \
    "'time':{'param':'now'},'base':{'op':'machine','name':'body','states':[{'name':'" FIRST                            \
    "','pose':{'op':'clip','clip':'" FIRST "','play':{'velocity':1,'rate':{'param':'pace','smooth':0.2}}},"            \
    "'transitions':[{'to':'" SECOND "','event':'" JUMP "','fade':" FADE ",'kind':'inertialized'},"                     \
    "{'to':'" SECOND "','after':0.1,'when':{'>':[{'param':'there'},0.5]},'kind':'inertialized'}]},"                    \
    "{'name':'" SECOND "','entry':'" LAND "','pose':{'op':'clip','clip':'" SECOND "'},'transitions':[{'to':'" FIRST    \
    "','end':true,'fade':0.25,'kind':'inertialized'}]}]}}}"

static inline lmb_clip *walker_clip(uint32_t index, float height) {
    static const float times[2] = {0.0f, 1.0f};
    const float moves[6] = {(float)index, 0.0f, 0.0f, (float)index, height, 0.5f};
    const lmb_track_def track = {1, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, moves};
    lmb_clip *clip;
    assert_int_equal(
        lmb_clip_create(walker_rig,
                        &(lmb_clip_def){.name = walker_clip_names[index], .tracks = &track, .track_count = 1}, NULL,
                        &clip, NULL),
        LMB_OK);
    return clip;
}

static inline int walker_set_up(void **state) {
    (void)state;
    static const char *const names[WALKER_JOINTS] = {"Hips", "Tail", "Middle", "Tip"};
    lmb_joint_def joints[WALKER_JOINTS];
    for (uint32_t i = 0; i < WALKER_JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
        joints[i].rest.translation[1] = -0.5f;
        joints[i].radius = 0.1f;
    }
    lmb_socket_def socket = lmb_default_socket_def();
    socket.name = "end";
    socket.joint = WALKER_JOINTS - 1;
    socket.local.translation[1] = -0.25f;
    const lmb_rig_def rig = {.joints = joints, .joint_count = WALKER_JOINTS, .sockets = &socket, .socket_count = 1};
    assert_int_equal(lmb_rig_create(&rig, NULL, &walker_rig, NULL), LMB_OK);
    for (uint32_t i = 0; i < WALKER_CLIPS; i++) {
        walker_clips[i] = walker_clip(i, 1.0f);
    }
    return 0;
}

static inline int walker_tear_down(void **state) {
    (void)state;
    for (uint32_t i = 0; i < WALKER_CLIPS; i++) {
        lmb_clip_destroy(walker_clips[i]);
    }
    lmb_rig_destroy(walker_rig);
    return 0;
}

static inline lmb_graph *walker_graph_of(const char *text) {
    const lmb_graph_source source = graph_source(text, walker_rig, walker_clips, WALKER_CLIPS);
    lmb_graph_json *json;
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    if (lmb_graph_json_read(&source, NULL, &json, NULL, &error) != LMB_OK ||
        lmb_graph_create(lmb_graph_json_def(json), NULL, &graph, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    lmb_graph_json_destroy(json);
    return graph;
}

static inline lmb_graph *walker_graph(void) {
    return walker_graph_of(WALKER_GRAPH("walk", "hop", "jump", "land", "0.25"));
}

#endif
