#include "takes.h"

#include "random.h"
#include "tools/matching_takes.h"

#include <limber/motion_database.h>
#include <mannequin_takes.h>

#include <math.h>
#include <stdlib.h>

enum { X, Z, PARAMETERS };
enum { COURSE_FRAMES = 42 };

// What a graph is made of, until it is created.
typedef struct making {
    mannequin *body;
    mannequin_take *takes[MANNEQUIN_TAKES];
    lmb_motion_take list[MANNEQUIN_TAKES];
    lmb_motion_database *database;
    lmb_player_def players[MANNEQUIN_TAKES];
    lmb_state_def states[MANNEQUIN_TAKES];
    lmb_node_def nodes[MANNEQUIN_TAKES + 1];
    lmb_matching_def matching;
    lmb_machine_def machine;
    lmb_motion_def motion;
} making;

static lmb_result make_clips(workload *workload, making *making, lmb_error *error) {
    lmb_result result = mannequin_create(NULL, &making->body, error);
    for (uint32_t i = 0; i < MANNEQUIN_TAKES && result == LMB_OK; i++) {
        result = mannequin_take_create(mannequin_rig(making->body), i + 1, MANNEQUIN_TAKE_SECONDS, NULL,
                                       &making->takes[i], error);
        if (result == LMB_OK) {
            result = actor_take_mannequin_clip(workload->actor, mannequin_rig(making->body),
                                               mannequin_take_clip(making->takes[i]), &workload->clips[i], error);
            workload->clip_count += result == LMB_OK;
        }
    }
    return result;
}

static lmb_result make_database(const workload *workload, making *making, lmb_error *error) {
    const lmb_rig *rig = workload->actor->rig;
    for (uint32_t i = 0; i < MANNEQUIN_TAKES; i++) {
        making->list[i] = lmb_default_motion_take();
        making->list[i].clip = workload->clips[i];
        making->list[i].motion = mannequin_take_motion(making->takes[i]);
    }
    lmb_motion_database_def def = lmb_default_motion_database_def();
    def.rig = rig;
    def.hips = lmb_rig_find_joint(rig, "pelvis");
    def.left_foot = lmb_rig_find_joint(rig, "left_foot");
    def.right_foot = lmb_rig_find_joint(rig, "right_foot");
    def.takes = making->list;
    def.take_count = MANNEQUIN_TAKES;
    return lmb_motion_database_create(&def, NULL, &making->database, error);
}

static void make_machine(making *making) {
    static const uint32_t poses[MANNEQUIN_TAKES] = {0, 1, 2, 3};
    matching_fill_states(making->list, MANNEQUIN_TAKES, MANNEQUIN_TAKES, making->players, making->states,
                         making->nodes);
    making->matching = matching_by_velocity(making->database);
    making->machine = lmb_default_machine_def();
    making->machine.states = making->states;
    making->machine.state_count = MANNEQUIN_TAKES;
    making->machine.matching = &making->matching;
    making->nodes[MANNEQUIN_TAKES] = lmb_machine_node(poses, &making->machine);
    making->motion = lmb_default_motion_def();
}

static lmb_result make_graph(workload *workload, making *making, lmb_error *error) {
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = workload->actor->rig;
    def.clips = (const lmb_clip *const *)workload->clips;
    def.clip_count = MANNEQUIN_TAKES;
    def.nodes = making->nodes;
    def.node_count = MANNEQUIN_TAKES + 1;
    def.parameter_count = PARAMETERS;
    def.motion = &making->motion;
    return lmb_graph_create(&def, NULL, &workload->graph, error);
}

lmb_result takes_create(workload *workload, lmb_error *error) {
    if (lmb_rig_find_joint(workload->actor->rig, "pelvis") == LMB_NONE) {
        *error = (lmb_error){.result = LMB_ERROR_ARGUMENT, .message = "matching needs the joints of the mannequin"};
        return error->result;
    }
    making *making = calloc(1, sizeof *making);
    if (making == NULL) {
        return actor_no_memory(error);
    }
    lmb_result result = make_clips(workload, making, error);
    result = result == LMB_OK ? make_database(workload, making, error) : result;
    if (result == LMB_OK) {
        make_machine(making);
        result = make_graph(workload, making, error);
    }
    lmb_motion_database_destroy(making->database);
    for (uint32_t i = 0; i < MANNEQUIN_TAKES; i++) {
        mannequin_take_destroy(making->takes[i]);
    }
    mannequin_destroy(making->body);
    free(making);
    return result;
}

void takes_fill(const lmb_graph *graph, uint32_t characters, uint32_t frame, float *parameters) {
    const size_t width = lmb_graph_get_info(graph)->parameter_count;
    for (uint32_t i = 0; i < characters; i++) {
        uint32_t state = i * 0x9e3779b1u ^ (frame + i) / COURSE_FRAMES * 0x85ebca77u;
        random_next(&state);
        const float speed = 3.0f * (float)(random_next(&state) % 1024) / 1024.0f,
                    angle = 6.2831853f * (float)(random_next(&state) % 1024) / 1024.0f;
        parameters[i * width + X] = speed * sinf(angle);
        parameters[i * width + Z] = speed * cosf(angle);
    }
}
