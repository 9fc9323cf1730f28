#include "foot_walk.h"

#include <math.h>
#include <stdio.h>

const walk_path walk_paths[WALK_CHARACTERS] = {{1.0, 0.0, 0.0}, {1.3, 0.0, 0.0},   {0.75, 0.0, 0.0},
                                               {1.0, 0.9, 0.0}, {1.15, -0.4, 0.3}, {0.9, 0.3, 1.0}};

// Phases after a foot lands: where it is planted. No frame is near them.
static const float FIRST = 0.0553f, LAST_OF_WALK = 0.4553f, LAST_OF_RUN = 0.2553f;

static uint32_t joint_named(const walk *w, const char *name) {
    const uint32_t joint = lmb_rig_find_joint(mannequin_rig(w->body), name);
    assert_int_not_equal(joint, LMB_NONE);
    return joint;
}

static lmb_node_def make_feet(walk *w, uint32_t base) {
    static const char *const names[WALK_FEET][3] = {{"left_thigh", "left_shin", "left_foot"},
                                                    {"right_thigh", "right_shin", "right_foot"}};
    lmb_foot_def feet[WALK_FEET];
    for (uint32_t i = 0; i < WALK_FEET; i++) {
        feet[i] = lmb_default_foot_def();
        feet[i].hip = joint_named(w, names[i][0]);
        feet[i].knee = joint_named(w, names[i][1]);
        feet[i].ankle = w->ankles[i] = joint_named(w, names[i][2]);
        feet[i].knee_axis[0] = -1.0f;
        feet[i].knee_axis[2] = 0.0f;
        feet[i].planted_from = 2 * i;
        feet[i].planted_to = 2 * i + 1;
        feet[i].planted = lmb_parameter(WALK_IDLE);
    }
    lmb_node_def node = lmb_foot_placement_node(base, joint_named(w, "pelvis"), feet, WALK_FEET);
    node.feet.space = LMB_IK_WORLD;
    node.feet.time = lmb_parameter(WALK_TIME);
    node.feet.lock_distance = w->def.lock_distance;
    node.feet.release_half_life = w->def.release_half_life;
    return node;
}

// A walk and a run in a group, blended. Each foot is flat on the ground between two of their markers.
static void make_graph(walk *w) {
    static const mannequin_clip_id ids[2] = {MANNEQUIN_WALK, MANNEQUIN_RUN};
    const lmb_clip *clips[2];
    lmb_node_def nodes[4];
    lmb_player_def players[2];
    float markers[2][4];
    for (uint32_t i = 0; i < 2; i++) {
        const float until = i == 0 ? LAST_OF_WALK : LAST_OF_RUN;
        clips[i] = mannequin_clip(w->body, ids[i]);
        const float duration = lmb_clip_get_info(clips[i])->duration;
        const float phases[4] = {FIRST, until, 0.5f + FIRST, 0.5f + until};
        for (uint32_t k = 0; k < 4; k++) {
            markers[i][k] = phases[k] * duration;
        }
        players[i] = lmb_default_player_def();
        players[i].group = 0;
        players[i].markers = markers[i];
        players[i].marker_count = 4;
        nodes[i] = lmb_playing_node(i, &players[i]);
    }
    nodes[2] = lmb_blend_node(0, 1, lmb_parameter(WALK_BLEND));
    nodes[3] = make_feet(w, 2);
    const lmb_group_def group = lmb_default_group_def();
    lmb_motion_def motion = lmb_default_motion_def();
    motion.velocity[2] = lmb_parameter(WALK_SPEED);
    motion.turns_to_heading = true;
    motion.heading = lmb_parameter(WALK_HEADING);
    motion.full_rotation = w->def.full_rotation;
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = mannequin_rig(w->body);
    def.clips = clips;
    def.clip_count = 2;
    def.nodes = nodes;
    def.node_count = 4;
    def.groups = &group;
    def.group_count = 1;
    def.parameter_count = WALK_PARAMETERS;
    def.update_every = w->def.update_every;
    def.motion = w->def.moves ? &motion : NULL;
    lmb_error error = {0};
    if (lmb_graph_create(&def, NULL, &w->graph, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
}

void walk_begin(walk *w, const walk_def *def) {
    lmb_error error;
    *w = (walk){.def = *def};
    assert_int_equal(mannequin_create(NULL, &w->body, &error), LMB_OK);
    make_graph(w);
    assert_int_equal(lmb_cpu_create(w->graph, LMB_CPU_REFERENCE, NULL, &w->cpu, &error), LMB_OK);
    w->batch = (lmb_batch_def){w->graph, WALK_CHARACTERS, LMB_OUTPUT_MODEL_BIT};
    w->row = lmb_graph_get_info(w->graph)->parameter_count;
    w->joints = lmb_graph_get_info(w->graph)->joint_count;
    w->state = calloc((size_t)WALK_CHARACTERS * lmb_graph_get_info(w->graph)->state_words, sizeof(uint32_t));
    w->memory = calloc((size_t)WALK_CHARACTERS * lmb_graph_get_info(w->graph)->inertia_words + 1, sizeof(uint32_t));
    w->parameters = calloc((size_t)WALK_CHARACTERS * w->row, sizeof(float));
    w->models = calloc((size_t)WALK_CHARACTERS * w->joints * 12, sizeof(float));
    assert_true(w->state != NULL && w->memory != NULL && w->parameters != NULL && w->models != NULL);
}

void walk_end(walk *w) {
    lmb_cpu_destroy(w->cpu);
    lmb_graph_destroy(w->graph);
    mannequin_destroy(w->body);
    free(w->state);
    free(w->memory);
    free(w->parameters);
    free(w->models);
}

// Moves a character on by a frame.
static void move_character(walk *w, uint32_t i, uint32_t frame) {
    const walk_path *p = &walk_paths[i];
    const double walks = (double)mannequin_clip_travel(MANNEQUIN_WALK).forward;
    const double runs = (double)mannequin_clip_travel(MANNEQUIN_RUN).forward;
    const double speed = p->speed * (walks + p->blend * (runs - walks));
    if (frame > 0) {
        w->yaw[i] += p->turn / WALK_RATE;
        w->place[i][0] += speed / WALK_RATE * sin(w->yaw[i]);
        w->place[i][1] += speed / WALK_RATE * cos(w->yaw[i]);
    }
    const double c = cos(w->yaw[i]), s = sin(w->yaw[i]);
    const double rows[12] = {c, 0.0, s, w->place[i][0], 0.0, 1.0, 0.0, 0.0, -s, 0.0, c, w->place[i][1]};
    for (int k = 0; k < 12 && !w->def.moves; k++) {
        w->transforms[i][k] = (float)rows[k];
    }
    w->parameters[i * w->row + WALK_SPEED] = (float)speed;
    w->parameters[i * w->row + WALK_HEADING] = (float)w->yaw[i];
    w->parameters[i * w->row + WALK_TIME] = (float)((double)frame / WALK_RATE);
    w->parameters[i * w->row + WALK_BLEND] = (float)p->blend;
}

void walk_move(walk *w, uint32_t frame) {
    for (uint32_t i = 0; i < WALK_CHARACTERS; i++) {
        move_character(w, i, frame);
    }
    w->frame = lmb_default_control_frame();
    w->frame.step = frame == 0 ? 0 : LMB_TICKS_PER_SECOND / WALK_RATE;
    w->frame.number = frame;
    w->frame.character_count = WALK_CHARACTERS;
    w->frame.state = w->state;
    w->frame.parameters = w->parameters;
    w->frame.matrices = w->def.moves ? &w->transforms[0][0] : NULL;
}

void walk_run(walk *w) {
    lmb_error error = {0};
    const lmb_batch_inputs inputs = {.control = &w->frame, .transforms = w->def.moves ? NULL : &w->transforms[0][0]};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_MODEL] = w->models, .inertia = w->memory};
    if (lmb_cpu_run(w->cpu, &w->batch, &inputs, &outputs, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
}

// Where an ankle is in the world.
void walk_ankle(const walk *w, uint32_t i, uint32_t foot, double p[3]) {
    const float *model = w->models + ((size_t)i * w->joints + w->ankles[foot]) * 12, *world = w->transforms[i];
    for (int row = 0; row < 3; row++) {
        p[row] = (double)world[4 * row + 3];
        for (int k = 0; k < 3; k++) {
            p[row] += (double)world[4 * row + k] * (double)model[4 * k + 3];
        }
    }
}

// Whether a foot is planted, from the times of both clips and their weights.
bool walk_is_planted(const walk *w, uint32_t i, uint32_t foot) {
    static const mannequin_clip_id ids[2] = {MANNEQUIN_WALK, MANNEQUIN_RUN};
    double weight = (double)w->parameters[i * w->row + WALK_IDLE];
    for (uint32_t k = 0; k < 2; k++) {
        const double duration = (double)lmb_clip_get_info(mannequin_clip(w->body, ids[k]))->duration;
        const double phase = (double)w->parameters[i * w->row + WALK_PARAMETERS + k] / duration - 0.5 * foot;
        const bool inside = phase >= (double)FIRST && phase < (double)(k == 0 ? LAST_OF_WALK : LAST_OF_RUN);
        weight += inside ? (k == 0 ? 1.0 - walk_paths[i].blend : walk_paths[i].blend) : 0.0;
    }
    return weight >= 0.5;
}
