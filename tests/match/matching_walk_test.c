// Motion matching with long takes of the mannequin: how soon characters do what is asked for, how often they jump, how
// far they are beside a stated path, and how much a jump changes their velocity; and whether takes that may only turn
// right turn left, too, once their rows count mirrored.
#include "suite.h"

#include "control/control.h"
#include "mannequin_takes.h"
#include "random.h"
#include "tools/matching_takes.h"

#include "../../shaders/ops/control_layout.h"

#include <limber/cpu.h>
#include <limber/graph.h>
#include <limber/motion_database.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { X, Z, CLOCK, MIRRORED, PLACES, PARAMETERS = PLACES + 6 };
enum { MACHINE = MANNEQUIN_TAKES, MOST_NODES = MACHINE + 4 }; // with a mirror, a blend and feet
enum { MOST_RANGES = 400, RANGES_A_SECOND = 10 };
#define TURNS_LEFT 1u // tag of rows whose path turns left
enum { FEET = 2 };
#define PI 3.14159265358979323846
#define LOCK_DISTANCE 0.4f

static mannequin *figure;
static mannequin_take *takes[MANNEQUIN_TAKES];
static lmb_motion_take list[MANNEQUIN_TAKES]; // of the same
static lmb_motion_tag_range ranges[MANNEQUIN_TAKES][MOST_RANGES];
static lmb_motion_database *database, *mirrored; // of the same takes
static lmb_graph *graph;                         // the machine alone
static lmb_graph *with_feet[2];                  // under feet: free, and locked
static lmb_graph *right_only[2];                 // the machine without rows that turn left: plain, mirrored
static lmb_graph *mirrored_feet;                 // the mirrored one under feet that are locked
static lmb_graph *led;                           // the machine, which follows a stated path
static lmb_graph *smooth;                        // the machine, after whose jumps velocity remains

static double yaw_at(const lmb_motion_track *motion, double part) {
    const double last = motion->key_count - 1.0, at = fmin(part, 1.0) * last;
    return (double)motion->keys[4 * (size_t)at + 3];
}

// Tags the moments of a take after which it turns left within a second.
static uint32_t tag_turns(uint32_t take) {
    const double seconds = (double)lmb_clip_get_info(mannequin_take_clip(takes[take]))->duration;
    const lmb_motion_track *motion = mannequin_take_motion(takes[take]);
    uint32_t count = 0;
    for (int i = 0; i < (int)(seconds * RANGES_A_SECOND); i++) {
        const double time = (double)i / RANGES_A_SECOND, step = 1.0 / RANGES_A_SECOND;
        bool turns = false;
        for (int k = 1; k <= RANGES_A_SECOND; k++) {
            const double ahead = yaw_at(motion, (time + k * step) / seconds) - yaw_at(motion, time / seconds);
            turns = turns || ahead > 0.1;
        }
        if (turns && count < MOST_RANGES) {
            ranges[take][count++] = (lmb_motion_tag_range){(float)time, (float)(time + step), TURNS_LEFT};
        }
    }
    return count;
}

static lmb_result make_database(bool is_mirrored, lmb_motion_database **made, lmb_error *error) {
    for (uint32_t i = 0; i < MANNEQUIN_TAKES; i++) {
        list[i] = lmb_default_motion_take();
        list[i].clip = mannequin_take_clip(takes[i]);
        list[i].motion = mannequin_take_motion(takes[i]);
        list[i].ranges = ranges[i];
        list[i].range_count = tag_turns(i);
    }
    lmb_motion_database_def def = lmb_default_motion_database_def();
    def.rig = mannequin_rig(figure);
    def.hips = lmb_rig_find_joint(def.rig, "pelvis");
    def.left_foot = lmb_rig_find_joint(def.rig, "left_foot");
    def.right_foot = lmb_rig_find_joint(def.rig, "right_foot");
    def.takes = list;
    def.take_count = MANNEQUIN_TAKES;
    def.mirrored = is_mirrored;
    return lmb_motion_database_create(&def, NULL, made, error);
}

static lmb_node_def make_feet(uint32_t base, float lock_distance) {
    static const char *const names[FEET][4] = {{"left_thigh", "left_shin", "left_foot", "left_planted"},
                                               {"right_thigh", "right_shin", "right_foot", "right_planted"}};
    const lmb_rig *rig = mannequin_rig(figure);
    lmb_foot_def feet[FEET];
    for (uint32_t i = 0; i < FEET; i++) {
        feet[i] = lmb_default_foot_def();
        feet[i].hip = lmb_rig_find_joint(rig, names[i][0]);
        feet[i].knee = lmb_rig_find_joint(rig, names[i][1]);
        feet[i].ankle = lmb_rig_find_joint(rig, names[i][2]);
        feet[i].knee_axis[0] = -1.0f;
        feet[i].knee_axis[2] = 0.0f;
        feet[i].planted_channel = lmb_rig_find_channel(rig, names[i][3]);
    }
    lmb_node_def node = lmb_foot_placement_node(base, lmb_rig_find_joint(rig, "pelvis"), feet, FEET);
    node.feet.space = LMB_IK_WORLD;
    node.feet.time = lmb_parameter(CLOCK);
    node.feet.lock_distance = lock_distance;
    node.feet.release_half_life = 0.1f;
    return node;
}

typedef struct form {
    bool is_mirrored, turns_right; // turns_right: no row is found that turns left
    float lock_distance;           // below 0: without feet
    bool follows_path;
    float velocity_half_life;
} form;

// Adds the mirror of the machine, and the blend of both.
static lmb_result add_mirror(lmb_graph_def *def, lmb_node_def *nodes, lmb_mirror_def *mirror, lmb_error *error) {
    static uint32_t joints[LMB_MAX_JOINTS], channels[64];
    lmb_rig_find_mirror_channels(def->rig, NULL, channels);
    *mirror = lmb_default_mirror_def();
    mirror->partners = joints;
    mirror->channel_partners = channels;
    matching_add_mirror(def, nodes, mirror, MIRRORED);
    return lmb_rig_find_mirror(def->rig, NULL, joints, error);
}

static lmb_result make_graph(form form, lmb_graph **made, lmb_error *error) {
    static const uint32_t poses[MANNEQUIN_TAKES] = {0, 1, 2, 3};
    lmb_player_def players[MANNEQUIN_TAKES];
    lmb_state_def states[MANNEQUIN_TAKES];
    lmb_node_def nodes[MOST_NODES];
    lmb_mirror_def mirror;
    const lmb_clip *clips[MANNEQUIN_TAKES];
    for (uint32_t i = 0; i < MANNEQUIN_TAKES; i++) {
        clips[i] = mannequin_take_clip(takes[i]);
    }
    matching_fill_states(list, MANNEQUIN_TAKES, MANNEQUIN_TAKES, players, states, nodes);
    lmb_matching_def matching = matching_by_velocity(form.is_mirrored ? mirrored : database);
    matching.half_life = 0.15f; // it obeys at once
    matching.follows_path = form.follows_path;
    for (uint32_t i = 0; i < 6; i++) {
        matching.path[i / 2][i % 2] = lmb_parameter(PLACES + i);
    }
    const lmb_tag_rule_def rule = {TURNS_LEFT, lmb_constant(-1.0f)};
    matching.rules = &rule;
    matching.rule_count = form.turns_right;
    matching.mirrored = form.is_mirrored ? MIRRORED : LMB_NONE;
    lmb_machine_def machine = lmb_default_machine_def();
    machine.states = states;
    machine.state_count = MANNEQUIN_TAKES;
    machine.matching = &matching;
    nodes[MACHINE] = lmb_machine_node(poses, &machine);
    lmb_motion_def motion = lmb_default_motion_def();
    motion.velocity_half_life = form.velocity_half_life;
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = mannequin_rig(figure);
    def.clips = clips;
    def.clip_count = MANNEQUIN_TAKES;
    def.nodes = nodes;
    def.node_count = MACHINE + 1;
    def.parameter_count = PARAMETERS;
    def.motion = &motion;
    lmb_result result = form.is_mirrored ? add_mirror(&def, nodes, &mirror, error) : LMB_OK;
    if (form.lock_distance >= 0.0f) {
        nodes[def.node_count] = make_feet(def.node_count - 1, form.lock_distance);
        def.node_count++;
    }
    return result == LMB_OK ? lmb_graph_create(&def, NULL, made, error) : result;
}

static int set_up(void **state) {
    (void)state;
    lmb_error error = {0};
    lmb_result result = mannequin_create_with_takes(NULL, &figure, &error);
    for (uint32_t i = 0; i < MANNEQUIN_TAKES && result == LMB_OK; i++) {
        result = mannequin_take_create(mannequin_rig(figure), i + 1, MANNEQUIN_TAKE_SECONDS, NULL, &takes[i], &error);
    }
    result = result == LMB_OK ? make_database(false, &database, &error) : result;
    result = result == LMB_OK ? make_database(true, &mirrored, &error) : result;
    const struct {
        form form;
        lmb_graph **made;
    } graphs[] = {{{false, false, -1.0f, false, 0.0f}, &graph},
                  {{false, false, 0.0f, false, 0.0f}, &with_feet[0]},
                  {{false, false, LOCK_DISTANCE, false, 0.0f}, &with_feet[1]},
                  {{false, true, -1.0f, false, 0.0f}, &right_only[0]},
                  {{true, true, -1.0f, false, 0.0f}, &right_only[1]},
                  {{true, true, LOCK_DISTANCE, false, 0.0f}, &mirrored_feet},
                  {{false, false, -1.0f, true, 0.0f}, &led},
                  {{false, false, -1.0f, false, 0.1f}, &smooth}};
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs && result == LMB_OK; i++) {
        result = make_graph(graphs[i].form, graphs[i].made, &error);
    }
    return result == LMB_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    lmb_graph_destroy(graph);
    lmb_graph_destroy(with_feet[0]);
    lmb_graph_destroy(with_feet[1]);
    lmb_graph_destroy(right_only[0]);
    lmb_graph_destroy(right_only[1]);
    lmb_graph_destroy(mirrored_feet);
    lmb_graph_destroy(led);
    lmb_graph_destroy(smooth);
    lmb_motion_database_destroy(database);
    lmb_motion_database_destroy(mirrored);
    for (uint32_t i = 0; i < MANNEQUIN_TAKES; i++) {
        mannequin_take_destroy(takes[i]);
    }
    mannequin_destroy(figure);
    return 0;
}

// A character, and what its last frame was.
typedef struct walker {
    const lmb_graph *graph;
    uint32_t *words;
    float *parameters;
    lmb_control_frame frame;
    uint32_t jumps;
    lmb_motion before, now;
} walker;

static walker start(const lmb_graph *of) {
    walker w = {.graph = of, .frame = lmb_default_control_frame()};
    w.words = calloc(lmb_graph_get_info(w.graph)->state_words, sizeof *w.words);
    w.parameters = calloc(lmb_graph_get_info(of)->parameter_count, sizeof *w.parameters);
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
    const uint32_t *block = w->graph->control->block;
    lmb_error error = {0};
    w->parameters[X] = (float)x;
    w->parameters[Z] = (float)z;
    w->before = w->now;
    assert_ok(lmb_control_run(w->graph, &w->frame, 0, 1, &error), &error);
    w->frame.number++;
    w->now = lmb_state_motion(w->graph, w->words);
    const uint32_t *recent =
        w->words + block[block[FIELD(CONTROL, matchings)] + FIELD(MATCHING, state)] + WORDS_OF(MATCHED);
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

// Stopping is up to the takes: a walk that is asked to stop may make a step before it stands.
static void turns_and_starts_are_quick(void **state) {
    (void)state;
    walker w = start(graph);
    double turned = 0.0, started = 0.0, stopped = 0.0;
    for (int i = 0; i < 48; i++) {
        const double speed = i % 4 == 3 ? 2.6 : 1.2, angle = 0.7 * i;
        started = fmax(started, time_to(&w, speed * sin(angle), speed * cos(angle)));
        for (int frame = 0; frame < 60 + 7 * (i % 12); frame++) {
            step(&w, speed * sin(angle), speed * cos(angle));
        }
        const double turn = time_to(&w, -speed * sin(angle), -speed * cos(angle));
        turned = speed == 1.2 ? fmax(turned, turn) : turned;
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
    assert_true(turned < 1.0 && started < 1.0 && stopped < 2.0);
    end(&w);
}

static void jumps_are_rare(void **state) {
    (void)state;
    walker w = start(graph);
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

// Returns the longest time for turns by 90 degrees to a side, in walks.
static double time_of_turns(const lmb_graph *of, double side) {
    walker w = start(of);
    double longest = 0.0, angle = 0.0;
    for (int i = 0; i < 24; i++, angle += side * PI / 2.0) {
        longest = fmax(longest, i > 0 ? time_to(&w, 1.2 * sin(angle), 1.2 * cos(angle)) : 0.0);
        for (int frame = 0; frame < 60 + 7 * (i % 12); frame++) {
            step(&w, 1.2 * sin(angle), 1.2 * cos(angle));
        }
    }
    end(&w);
    return longest;
}

// Yaw turns from z to x, so a turn to the left has a positive sign.
static void mirrored_rows_turn_to_the_other_side(void **state) {
    (void)state;
    const double right = time_of_turns(right_only[1], -1.0), left = time_of_turns(right_only[1], 1.0),
                 left_without = time_of_turns(right_only[0], 1.0);
    print_message("takes that turn right turn left within %.2f s, once their rows count mirrored (right %.2f); "
                  "without, within %.2f\n",
                  left, right, left_without);
    assert_true(left < 1.0 && right < 1.0 && left_without > 1.5);
}

enum { MOST_STEPS = 4000 };

// A character whose feet are placed, and where they were when they were planted last.
typedef struct stander {
    lmb_cpu *cpu;
    lmb_batch_def batch;
    lmb_control_frame frame;
    uint32_t *state, *memory;
    float *parameters, *models, world[12];
    bool is_planted[FEET];
    double places[FEET][2];
    double slides[FEET]; // since then, at most
    double all[MOST_STEPS];
    uint32_t count;
} stander;

static void stand(stander *s, lmb_graph *of) {
    const lmb_graph_info *info = lmb_graph_get_info(of);
    lmb_error error = {0};
    *s = (stander){.batch = {of, 1, LMB_OUTPUT_MODEL_BIT}, .frame = lmb_default_control_frame()};
    assert_ok(lmb_cpu_create(of, LMB_CPU_REFERENCE, NULL, &s->cpu, &error), &error);
    s->state = calloc(info->state_words, sizeof *s->state);
    s->memory = calloc(info->inertia_words + 1, sizeof *s->memory);
    s->parameters = calloc(info->parameter_count, sizeof *s->parameters);
    s->models = calloc(info->joint_count, 12 * sizeof *s->models);
    assert_true(s->state != NULL && s->memory != NULL && s->parameters != NULL && s->models != NULL);
    s->frame.state = s->state;
    s->frame.parameters = s->parameters;
    s->frame.matrices = s->world;
    s->frame.character_count = 1;
    s->frame.step = LMB_TICKS_PER_SECOND / 60;
}

static void leave(stander *s) {
    lmb_cpu_destroy(s->cpu);
    free(s->state);
    free(s->memory);
    free(s->parameters);
    free(s->models);
}

static void note_slide(stander *s, double slide) {
    assert_true(s->count < MOST_STEPS);
    s->all[s->count++] = slide;
}

// Whether the take that plays plants a foot. Mirrored, it is the take's other foot.
static bool plants(const stander *s, uint32_t shown) {
    static const char *const names[FEET] = {"left_planted", "right_planted"};
    const uint32_t foot = s->parameters[MIRRORED] > 0.5f ? 1 - shown : shown;
    const uint32_t take = lmb_state_current(s->batch.graph, s->state, 0);
    lmb_crossing crossings[MOST_STEPS];
    uint32_t count = 0;
    lmb_error error = {0};
    assert_ok(lmb_clip_find_crossings(mannequin_take_clip(takes[take]),
                                      lmb_rig_find_channel(mannequin_rig(figure), names[foot]), 0.5f, false, crossings,
                                      MOST_STEPS, &count, &error),
              &error);
    assert_in_range(count, 1, MOST_STEPS);
    bool is_planted = !crossings[0].rises;
    for (uint32_t i = 0; i < count && crossings[i].time <= s->parameters[PARAMETERS + take]; i++) {
        is_planted = crossings[i].rises;
    }
    return is_planted;
}

// Notes how far a foot is from where it was planted.
static void note_foot(stander *s, uint32_t foot) {
    static const char *const names[FEET] = {"left_foot", "right_foot"};
    const float *model = s->models + 12 * (size_t)lmb_rig_find_joint(mannequin_rig(figure), names[foot]);
    double place[2];
    for (int i = 0; i < 2; i++) {
        const float *row = s->world + 8 * (size_t)i;
        place[i] = (double)row[3];
        for (size_t k = 0; k < 3; k++) {
            place[i] += (double)row[k] * (double)model[4 * k + 3];
        }
    }
    const bool is_planted = plants(s, foot);
    if (is_planted && !s->is_planted[foot]) {
        memcpy(s->places[foot], place, sizeof place);
        s->slides[foot] = 0.0;
    } else if (!is_planted && s->is_planted[foot]) {
        note_slide(s, s->slides[foot]);
    }
    s->slides[foot] = fmax(s->slides[foot], hypot(place[0] - s->places[foot][0], place[1] - s->places[foot][1]));
    s->is_planted[foot] = is_planted;
}

static void walk_on(stander *s, double x, double z) {
    lmb_error error = {0};
    s->parameters[X] = (float)x;
    s->parameters[Z] = (float)z;
    s->parameters[CLOCK] = (float)s->frame.number / 60.0f;
    const lmb_batch_inputs inputs = {.control = &s->frame};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_MODEL] = s->models}, .inertia = s->memory};
    assert_ok(lmb_cpu_run(s->cpu, &s->batch, &inputs, &outputs, &error), &error);
    s->frame.number++;
    for (uint32_t foot = 0; foot < FEET; foot++) {
        note_foot(s, foot);
    }
}

static int compare_numbers(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Asks for movements and measures how far planted feet slide: the distances, in their order.
static stander *measure_slides(lmb_graph *of, const char *name) {
    stander *s = calloc(1, sizeof *s);
    assert_non_null(s);
    stand(s, of);
    for (int i = 0; i < 120; i++) {
        const double speed = i % 5 == 0 ? 0.0 : 0.8 + 0.4 * (i % 6), angle = 2.4 * i;
        for (int frame = 0; frame < 100 + 13 * (i % 5); frame++) {
            walk_on(s, speed * sin(angle), speed * cos(angle));
        }
    }
    leave(s);
    qsort(s->all, s->count, sizeof *s->all, compare_numbers);
    assert_true(s->count > 400);
    print_message("%s: of %u times that a foot is planted half slide by at least %.1f cm, a tenth by %.1f, a "
                  "fiftieth by %.1f, one by %.1f\n",
                  name, (unsigned)s->count, 100.0 * s->all[s->count / 2], 100.0 * s->all[s->count * 9 / 10],
                  100.0 * s->all[s->count * 49 / 50], 100.0 * s->all[s->count - 1]);
    return s;
}

// The offset of a jump decays below the locks, so they hold through it, if none would be longer than the lock distance.
static void planted_feet_do_not_slide(void **state) {
    (void)state;
    stander *without = measure_slides(with_feet[0], "without locks");
    stander *with = measure_slides(with_feet[1], "with locks");
    assert_true(without->all[without->count * 9 / 10] > 0.05);
    assert_true(with->all[with->count - 1] < 0.03);
    free(without);
    free(with);
}

static void planted_feet_do_not_slide_in_mirrored_takes(void **state) {
    (void)state;
    stander *with = measure_slides(mirrored_feet, "with locks, mirrored");
    assert_true(with->all[with->count - 1] < 0.03);
    free(with);
}

#define RADIUS 3.0
#define SPEED 1.2

// It begins at the origin, along z, and turns left.
static void place_on_circle(double way, double *x, double *z) {
    *x = RADIUS - RADIUS * cos(way / RADIUS);
    *z = RADIUS * sin(way / RADIUS);
}

static void a_stated_path_is_followed(void **state) {
    (void)state;
    walker w = start(led);
    double way = 0.0, farthest = 0.0;
    for (uint32_t frame = 0; frame < 1200; frame++) {
        const double x = w.now.position[0], z = w.now.position[2];
        const double passed = RADIUS * remainder(atan2(z, RADIUS - x) - way / RADIUS, 2.0 * PI);
        way += fmax(passed, 0.0);
        for (int i = 0; i < 3; i++) {
            double place[2];
            place_on_circle(way + SPEED * (i < 2 ? (i + 1) / 3.0 : 1.0), &place[0], &place[1]);
            w.parameters[PLACES + 2 * i] = (float)(place[0] - x);
            w.parameters[PLACES + 2 * i + 1] = (float)(place[1] - z);
        }
        step(&w, 0.0, 0.0);
        const double beside = fabs(hypot(w.now.position[0] - RADIUS, w.now.position[2]) - RADIUS);
        farthest = frame >= 120 ? fmax(farthest, beside) : farthest;
    }
    print_message("on a circle of 3 m it goes %.1f m in 20 s, at most %.2f m beside it\n", way, farthest);
    assert_true(way > 0.8 * SPEED * 20.0 && way < 1.1 * SPEED * 20.0);
    assert_true(farthest < 0.2);
    end(&w);
}

// Returns the largest change of the velocity from frame to frame while what is asked for changes.
static double largest_change(const lmb_graph *of) {
    walker w = start(of);
    random_source source = random_branch(1, 9);
    double largest = 0.0, before[2] = {0.0}, asked[2] = {0.0};
    for (uint32_t frame = 0; frame < 1500; frame++) {
        for (int i = 0; i < 2 && frame % 40 == 0; i++) {
            asked[i] = random_between(&source, -2.0, 2.0);
        }
        step(&w, asked[0], asked[1]);
        const double velocity[2] = {60.0 * (w.now.position[0] - w.before.position[0]),
                                    60.0 * (w.now.position[2] - w.before.position[2])};
        largest = fmax(largest, hypot(velocity[0] - before[0], velocity[1] - before[1]));
        memcpy(before, velocity, sizeof before);
    }
    end(&w);
    return largest;
}

static void velocity_remains_after_jumps(void **state) {
    (void)state;
    const double jumps = largest_change(graph), remains = largest_change(smooth);
    print_message("the velocity changes by at most %.2f m/s from frame to frame; by %.2f if it remains after jumps\n",
                  jumps, remains);
    assert_true(jumps > 0.5 && remains < 0.35);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_and_starts_are_quick),
        cmocka_unit_test(jumps_are_rare),
        cmocka_unit_test(mirrored_rows_turn_to_the_other_side),
        cmocka_unit_test(planted_feet_do_not_slide),
        cmocka_unit_test(planted_feet_do_not_slide_in_mirrored_takes),
        cmocka_unit_test(a_stated_path_is_followed),
        cmocka_unit_test(velocity_remains_after_jumps),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
