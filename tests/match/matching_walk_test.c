// Motion matching with long takes of the mannequin: how soon characters do what is asked for, and how often they jump.
#include "suite.h"

#include "control/control.h"
#include "mannequin_takes.h"

#include "../../shaders/ops/control_layout.h"

#include <limber/graph.h>
#include <limber/motion_database.h>
#include <math.h>
#include <stdlib.h>

enum { X, Z, PARAMETERS };
#define PI 3.14159265358979323846

static mannequin *figure;
static mannequin_take *takes[MANNEQUIN_TAKES];
static lmb_motion_database *database;
static lmb_graph *graph;

static lmb_result make_database(lmb_error *error) {
    lmb_motion_take list[MANNEQUIN_TAKES];
    for (uint32_t i = 0; i < MANNEQUIN_TAKES; i++) {
        list[i] = lmb_default_motion_take();
        list[i].clip = mannequin_take_clip(takes[i]);
        list[i].motion = mannequin_take_motion(takes[i]);
    }
    lmb_motion_database_def def = lmb_default_motion_database_def();
    def.rig = mannequin_rig(figure);
    def.hips = lmb_rig_find_joint(def.rig, "pelvis");
    def.left_foot = lmb_rig_find_joint(def.rig, "left_foot");
    def.right_foot = lmb_rig_find_joint(def.rig, "right_foot");
    def.takes = list;
    def.take_count = MANNEQUIN_TAKES;
    return lmb_motion_database_create(&def, NULL, &database, error);
}

static lmb_result make_graph(lmb_error *error) {
    static const uint32_t poses[MANNEQUIN_TAKES] = {0, 1, 2, 3};
    lmb_player_def players[MANNEQUIN_TAKES];
    lmb_state_def states[MANNEQUIN_TAKES];
    lmb_node_def nodes[MANNEQUIN_TAKES + 1];
    const lmb_clip *clips[MANNEQUIN_TAKES];
    for (uint32_t i = 0; i < MANNEQUIN_TAKES; i++) {
        clips[i] = mannequin_take_clip(takes[i]);
        players[i] = lmb_default_player_def();
        players[i].end = LMB_END_HOLD;
        players[i].motion = mannequin_take_motion(takes[i]);
        states[i] = lmb_default_state_def();
        nodes[i] = lmb_clip_node(i, lmb_constant(0.0f));
        nodes[i].player = &players[i];
    }
    size_t size;
    lmb_matching_def matching = lmb_default_matching_def();
    matching.database = lmb_motion_database_block(database, &size);
    matching.database_words = (uint32_t)(size / sizeof(uint32_t));
    matching.velocity[0] = lmb_parameter(X);
    matching.velocity[1] = lmb_parameter(Z);
    lmb_machine_def machine = lmb_default_machine_def();
    machine.states = states;
    machine.state_count = MANNEQUIN_TAKES;
    machine.matching = &matching;
    nodes[MANNEQUIN_TAKES] = lmb_machine_node(poses, &machine);
    const lmb_motion_def motion = lmb_default_motion_def();
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = mannequin_rig(figure);
    def.clips = clips;
    def.clip_count = MANNEQUIN_TAKES;
    def.nodes = nodes;
    def.node_count = MANNEQUIN_TAKES + 1;
    def.parameter_count = PARAMETERS;
    def.motion = &motion;
    return lmb_graph_create(&def, NULL, &graph, error);
}

static int set_up(void **state) {
    (void)state;
    lmb_error error = {0};
    lmb_result result = mannequin_create(NULL, &figure, &error);
    for (uint32_t i = 0; i < MANNEQUIN_TAKES && result == LMB_OK; i++) {
        result = mannequin_take_create(mannequin_rig(figure), i + 1, MANNEQUIN_TAKE_SECONDS, NULL, &takes[i], &error);
    }
    result = result == LMB_OK ? make_database(&error) : result;
    result = result == LMB_OK ? make_graph(&error) : result;
    return result == LMB_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    lmb_graph_destroy(graph);
    lmb_motion_database_destroy(database);
    for (uint32_t i = 0; i < MANNEQUIN_TAKES; i++) {
        mannequin_take_destroy(takes[i]);
    }
    mannequin_destroy(figure);
    return 0;
}

// A character, and what its last frame was.
typedef struct walker {
    const lmb_control *control;
    uint32_t *words;
    float *parameters;
    lmb_control_frame frame;
    uint32_t jumps;
    lmb_motion before, now;
} walker;

static walker start(void) {
    walker w = {.control = lmb_graph_control(graph), .frame = lmb_default_control_frame()};
    w.words = calloc(lmb_control_state_words(w.control), sizeof *w.words);
    w.parameters = calloc(lmb_graph_parameter_count(graph), sizeof *w.parameters);
    assert_true(w.words != NULL && w.parameters != NULL);
    w.frame.state = w.words;
    w.frame.parameters = w.parameters;
    w.frame.character_count = 1;
    w.frame.step = LMB_TICKS_PER_SECOND / 60;
    return w;
}

static void end(walker *w) {
    free(w->words);
    free(w->parameters);
}

static void step(walker *w, double x, double z) {
    const uint32_t *block = w->control->block;
    lmb_error error = {0};
    w->parameters[X] = (float)x;
    w->parameters[Z] = (float)z;
    w->before = w->now;
    assert_ok(lmb_control_run(w->control, &w->frame, 0, 1, &error), &error);
    w->frame.number++;
    w->now = lmb_control_motion(w->control, w->words);
    const uint32_t *recent = w->words + block[block[CONTROL_MATCHINGS] + MATCHING_STATE] + MATCHED_RECENT;
    w->jumps += recent[0] != 0 && recent[1] == w->frame.step;
}

static double speed_of(const walker *w) {
    return 60.0 * hypot(w->now.position[0] - w->before.position[0], w->now.position[2] - w->before.position[2]);
}

static double away_from(const walker *w, double x, double z) {
    return fabs(remainder(atan2(x, z) - w->now.yaw, 2.0 * PI));
}

// Seconds until the character heads there, within 30 degrees, and has half of the speed.
static double time_to(walker *w, double x, double z) {
    double seconds = 0.0;
    do {
        step(w, x, z);
        seconds += 1.0 / 60.0;
    } while (seconds < 5.0 && !(away_from(w, x, z) < PI / 6.0 && speed_of(w) > 0.5 * hypot(x, z)));
    return seconds;
}

static void turns_and_starts_are_quick(void **state) {
    (void)state;
    walker w = start();
    double turned = 0.0, started = 0.0, stopped = 0.0;
    for (int i = 0; i < 12; i++) {
        const double speed = i % 2 == 0 ? 1.2 : 2.6, angle = 0.7 * i;
        started = fmax(started, time_to(&w, speed * sin(angle), speed * cos(angle)));
        for (int frame = 0; frame < 60 + 7 * i; frame++) {
            step(&w, speed * sin(angle), speed * cos(angle));
        }
        const double turn = time_to(&w, -speed * sin(angle), -speed * cos(angle));
        turned = i % 2 == 0 ? fmax(turned, turn) : turned;
        for (int frame = 0; frame < 60; frame++) {
            step(&w, -speed * sin(angle), -speed * cos(angle));
        }
        double seconds = 0.0;
        do {
            step(&w, 0.0, 0.0);
            seconds += 1.0 / 60.0;
        } while (seconds < 5.0 && speed_of(&w) > 0.15);
        stopped = fmax(stopped, seconds);
        for (int frame = 0; frame < 60; frame++) {
            step(&w, 0.0, 0.0);
        }
    }
    print_message(
        "\na walk turns by 180 degrees within %.2f s, starts in any direction within %.2f s, stops in %.2f s\n", turned,
        started, stopped);
    end(&w);
}

static void jumps_are_rare(void **state) {
    (void)state;
    walker w = start();
    uint32_t at_rest = 0, in_all = 0;
    for (int i = 0; i < 40; i++) {
        const double speed = i % 5 == 0 ? 0.0 : 1.2 + 0.4 * (i % 4), angle = 2.4 * i;
        for (int frame = 0; frame < 180; frame++) {
            const uint32_t before = w.jumps;
            step(&w, speed * sin(angle), speed * cos(angle));
            in_all += w.jumps - before;
            at_rest += frame >= 90 ? w.jumps - before : 0;
        }
    }
    print_message("%.2f jumps a second, %.2f once what is asked for rests\n", in_all / 120.0, at_rest / 60.0);
    assert_true(in_all <= 3 * 120 && at_rest <= 2 * 60);
    end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_and_starts_are_quick),
        cmocka_unit_test(jumps_are_rare),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
