// Characters whose machine matches motion: takes of made-up walks, and a state that an event enters and its end leaves.
// What each asks for changes a few times. If rows count mirrored, the machine's pose is mirrored by a parameter.
#ifndef LIMBER_TESTS_SUPPORT_MATCHING_SCENE_H
#define LIMBER_TESTS_SUPPORT_MATCHING_SCENE_H

#include "random.h"
#include "suite.h"
#include "tools/matching_takes.h"
#include "tools/walk_takes.h"

#include <limber/graph.h>
#include <stdlib.h>

enum { SCENE_TAKES = 4, SCENE_STATES, MATCHING_CHARACTERS = 23 };
enum { ASKED_X, ASKED_Z, ASKED_HEADING, ASKED_RUNS, ASKED_NUMBERS, MATCHING_MIRRORED_PARAMETER = ASKED_NUMBERS };
#define MATCHING_RUN 1u // tag of moments at which a take is fast
#define MATCHING_OTHER (SCENE_STATES - 1)

typedef struct matching_scene {
    lmb_rig *rig;
    walk_take *made;
    lmb_motion_take takes[SCENE_TAKES];
    lmb_motion_tag_range ranges[SCENE_TAKES];
    lmb_motion_database *database;
    lmb_clip *clips[SCENE_TAKES];
    lmb_player_def players[SCENE_STATES];
    lmb_node_def nodes[SCENE_STATES + 3]; // the states, the machine; if rows count mirrored, its mirror and the blend
    lmb_state_def states[SCENE_STATES];
    lmb_transition_def transitions[2];
    lmb_tag_rule_def rule;
    lmb_matching_def matching;
    lmb_machine_def machine;
    lmb_motion_def motion;
    lmb_mirror_def mirror;
    lmb_graph_def def;
} matching_scene;

static inline void matching_make_database(matching_scene *scene, bool mirrored) {
    lmb_error error = {0};
    uint32_t state = 1;
    scene->made = calloc(SCENE_TAKES, sizeof *scene->made);
    assert_non_null(scene->made);
    assert_ok(walk_make_rig(&scene->rig, &error), &error);
    for (uint32_t i = 0; i < SCENE_TAKES; i++) {
        assert_ok(walk_make_take(scene->rig, &scene->made[i], &state, &error), &error);
        scene->clips[i] = scene->made[i].clip;
    }
    lmb_motion_database_def def = walk_database_def(scene->rig, scene->made, SCENE_TAKES, scene->takes);
    def.mirrored = mirrored;
    for (uint32_t i = 0; i < SCENE_TAKES; i++) {
        scene->ranges[i] = (lmb_motion_tag_range){5.0f, 9.0f + (float)i, MATCHING_RUN};
        scene->takes[i].ranges = &scene->ranges[i];
        scene->takes[i].range_count = 1;
        scene->takes[i].loop = i == 3;
    }
    assert_ok(lmb_motion_database_create(&def, NULL, &scene->database, &error), &error);
}

static inline void matching_make_machine(matching_scene *scene) {
    static const uint32_t poses[SCENE_STATES] = {0, 1, 2, 3, 4};
    matching_fill_states(scene->takes, SCENE_TAKES, SCENE_STATES, scene->players, scene->states, scene->nodes);
    scene->players[MATCHING_OTHER].offset = 32.0f;
    for (uint32_t i = 0; i < 2; i++) {
        scene->transitions[i] = lmb_default_transition_def();
        scene->transitions[i].to = i == 0 ? MATCHING_OTHER : 2;
    }
    scene->transitions[0].event = 0;
    scene->transitions[1].from = MATCHING_OTHER;
    scene->transitions[1].at_end = true;
    scene->rule = (lmb_tag_rule_def){MATCHING_RUN, lmb_parameter(ASKED_RUNS)};
    scene->matching = matching_by_velocity(scene->database);
    scene->matching.heading = lmb_parameter(ASKED_HEADING);
    scene->matching.rules = &scene->rule;
    scene->matching.rule_count = 1;
    scene->machine = lmb_default_machine_def();
    scene->machine.states = scene->states;
    scene->machine.state_count = SCENE_STATES;
    scene->machine.transitions = scene->transitions;
    scene->machine.transition_count = 2;
    scene->machine.matching = &scene->matching;
    scene->nodes[SCENE_STATES] = lmb_machine_node(poses, &scene->machine);
}

// Lets the scene mirror the machine's pose by the parameter that the machine writes.
static inline void matching_make_mirror(matching_scene *scene) {
    static const uint32_t partners[WALK_JOINTS] = {
        [WALK_HIPS] = WALK_HIPS, [WALK_LEFT_FOOT] = WALK_RIGHT_FOOT, [WALK_RIGHT_FOOT] = WALK_LEFT_FOOT};
    scene->mirror = lmb_default_mirror_def();
    scene->mirror.partners = partners;
    matching_add_mirror(&scene->def, scene->nodes, &scene->mirror, MATCHING_MIRRORED_PARAMETER);
    scene->matching.mirrored = MATCHING_MIRRORED_PARAMETER;
    scene->def.parameter_count = ASKED_NUMBERS + 1;
}

// `mirrored`: rows count mirrored, too.
static inline void matching_start(matching_scene *scene, bool mirrored) {
    *scene = (matching_scene){0};
    matching_make_database(scene, mirrored);
    matching_make_machine(scene);
    scene->motion = lmb_default_motion_def();
    scene->def = lmb_default_graph_def();
    scene->def.rig = scene->rig;
    scene->def.clips = (const lmb_clip *const *)scene->clips;
    scene->def.clip_count = SCENE_TAKES;
    scene->def.nodes = scene->nodes;
    scene->def.node_count = SCENE_STATES + 1;
    scene->def.parameter_count = ASKED_NUMBERS;
    scene->def.event_count = 1;
    scene->def.motion = &scene->motion;
    if (mirrored) {
        matching_make_mirror(scene);
    }
}

static inline void matching_end(matching_scene *scene) {
    lmb_motion_database_destroy(scene->database);
    for (uint32_t i = 0; i < SCENE_TAKES; i++) {
        lmb_clip_destroy(scene->clips[i]);
    }
    lmb_rig_destroy(scene->rig);
    free(scene->made);
}

// Lets characters follow paths whose places are of the parameters for the velocity and the heading. They may end with
// the second place.
static inline void matching_follow(matching_scene *scene, bool ends) {
    const uint32_t places[6] = {
        ASKED_X, ASKED_Z, ASKED_HEADING, ASKED_X, ends ? ASKED_HEADING : ASKED_Z, ends ? ASKED_X : ASKED_HEADING};
    for (uint32_t i = 0; i < 6; i++) {
        scene->matching.path[i / 2][i % 2] = lmb_parameter(places[i]);
    }
    scene->matching.follows_path = true;
}

// Fills a character's parameters: asks for another course every two thirds of a second, at times of its own.
static inline void matching_ask(uint32_t character, uint32_t frame, float *parameters) {
    random_source source = random_branch(character, (frame + 3 * character) / 40);
    const float speed = (float)random_between(&source, 0.0, 4.0), angle = (float)random_between(&source, -3.1, 3.1);
    parameters[ASKED_X] = speed * sinf(angle);
    parameters[ASKED_Z] = speed * cosf(angle);
    parameters[ASKED_HEADING] = (float)random_between(&source, -3.0, 3.0);
    parameters[ASKED_RUNS] = (float)random_below(&source, 3) - 1.0f;
}

#endif
