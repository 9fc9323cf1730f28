// Feet that are locked and smoothed, against float64, written from the formulas in ik.h, frame by frame, on every CPU
// path. Where they begin anew, frames that run twice, saved memory, foreign memory and faulty nodes.
#include "kept_paths.h"
#include "refusal.h"
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOT, PELVIS, LEFT, RIGHT = LEFT + 3, JOINTS = RIGHT + 3 };
enum { HIP, KNEE, ANKLE };
static const uint32_t parents[JOINTS] = {LMB_NONE, ROOT, PELVIS, LEFT, LEFT + 1, PELVIS, RIGHT, RIGHT + 1};
enum { FEET = 2, CHARACTERS = SUITE_SANITIZED ? 9 : 33, FRAMES = 90, WORDS = 2 * (5 + 11 * FEET) };
enum {
    TIME,
    WEIGHT,
    LEVEL,
    PLANTED,
    GROUND = PLANTED + FEET,
    NORMAL = GROUND + 3 * FEET,
    PARAMETERS = NORMAL + 3 * FEET
};

typedef float pose_rows[CHARACTERS][LMB_POSE_COMPONENTS][JOINTS];

typedef struct crowd {
    lmb_rig *rig;
    lmb_graph *graph;
    kept_paths paths;
    float parameters[CHARACTERS][PARAMETERS];
    float transforms[CHARACTERS][12];
    pose_rows poses;
    pose_rows shown;
} crowd;

static lmb_feet_def locked_feet(void) {
    lmb_feet_def feet = lmb_default_node_def().feet;
    feet.pelvis = PELVIS;
    feet.foot_count = FEET;
    feet.up[0] = 0.1f;
    feet.up[2] = -0.05f;
    feet.space = LMB_IK_WORLD;
    feet.time = lmb_parameter(TIME);
    feet.lock_distance = 0.3f;
    feet.release_half_life = 0.04f;
    feet.ground_half_life = 0.05f;
    feet.pelvis_half_life = 0.03f;
    feet.teleport = 4.0f;
    for (uint32_t foot = 0; foot < FEET; foot++) {
        lmb_foot_def *def = &feet.feet[foot];
        const uint32_t hip = foot == 0 ? LEFT : RIGHT;
        def->hip = hip + HIP;
        def->knee = hip + KNEE;
        def->ankle = hip + ANKLE;
        def->knee_axis[0] = -1.0f;
        def->knee_axis[2] = 0.0f;
        def->planted = lmb_parameter(PLANTED + foot);
        for (uint32_t k = 0; k < 3; k++) {
            def->ground[k] = lmb_parameter(GROUND + 3 * foot + k);
            def->normal[k] = lmb_parameter(NORMAL + 3 * foot + k);
        }
    }
    return feet;
}

static lmb_result create_graph(const lmb_rig *rig, lmb_feet_def feet, lmb_graph **graph, lmb_error *error) {
    lmb_node_def nodes[2] = {lmb_default_node_def(), lmb_default_node_def()};
    nodes[0].op = LMB_OP_POSE;
    nodes[1].op = LMB_OP_FOOT_PLACEMENT;
    nodes[1].input_count = 1;
    nodes[1].weight = lmb_parameter(WEIGHT);
    nodes[1].feet = feet;
    // Level 1 drops the legs, level 2 the pelvis too.
    const uint8_t levels[JOINTS] = {7, 1, 0, 0, 0, 0, 0, 0};
    const lmb_graph_def def = {.rig = rig,
                               .nodes = nodes,
                               .node_count = 2,
                               .parameter_count = PARAMETERS,
                               .max_lods = levels,
                               .lod = lmb_parameter(LEVEL)};
    return lmb_graph_create(&def, NULL, graph, error);
}

static crowd *start_crowd_with(lmb_feet_def feet) {
    crowd *c = calloc(1, sizeof *c);
    assert_non_null(c);
    lmb_error error = {0};
    c->rig = kept_rig_create(parents, JOINTS);
    const lmb_result result = create_graph(c->rig, feet, &c->graph, &error);
    if (result != LMB_OK) {
        fail_msg("%s", error.message);
    }
    kept_paths_start(&c->paths, c->graph, CHARACTERS);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        c->parameters[i][WEIGHT] = 1.0f;
    }
    return c;
}

static crowd *start_crowd(void) {
    return start_crowd_with(locked_feet());
}

static void end_crowd(crowd *c) {
    kept_paths_end(&c->paths);
    lmb_graph_destroy(c->graph);
    lmb_rig_destroy(c->rig);
    free(c);
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double length(const double v[3]) {
    return sqrt(dot(v, v));
}

static void add_scaled(const double a[3], const double b[3], double by, double result[3]) {
    for (int i = 0; i < 3; i++) {
        result[i] = a[i] + by * b[i];
    }
}

static double distance(const double a[3], const double b[3]) {
    double difference[3];
    add_scaled(a, b, -1.0, difference);
    return length(difference);
}

static void normalize(double v[3]) {
    const double whole = length(v);
    for (int i = 0; i < 3 && whole > 0.0; i++) {
        v[i] /= whole;
    }
}

static void cross(const double a[3], const double b[3], double result[3]) {
    for (int i = 0; i < 3; i++) {
        result[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

static void position(const oracle_affine *model, double p[3]) {
    for (int i = 0; i < 3; i++) {
        p[i] = model->m[i][3];
    }
}

// The rotation about an axis by an angle.
static void quaternion_about(double x, double y, double z, double angle, double q[4]) {
    const double all = sqrt(x * x + y * y + z * z);
    const double axis[3] = {x / all, y / all, z / all};
    for (int i = 0; i < 3; i++) {
        q[i] = axis[i] * sin(angle / 2.0);
    }
    q[3] = cos(angle / 2.0);
}

static void set_joint(crowd *c, uint32_t character, uint32_t joint, const double t[3], const double q[4],
                      double scale) {
    for (uint32_t k = 0; k < 3; k++) {
        c->poses[character][k][joint] = (float)t[k];
        c->poses[character][7 + k][joint] = (float)scale;
    }
    for (uint32_t k = 0; k < 4; k++) {
        c->poses[character][3 + k][joint] = (float)q[k];
    }
}

// Legs that swing below a pelvis that sways, and end a little above the ground.
static void pose_character(crowd *c, uint32_t character, double time) {
    random_source source = random_branch(5, character);
    const double scale = random_between(&source, 0.7, 1.4), speed = random_between(&source, 4.0, 9.0);
    const double phase = random_between(&source, 0.0, 6.0);
    double q[4];
    quaternion_about(0.2, 1.0, 0.1, random_between(&source, -3.0, 3.0), q);
    set_joint(c, character, ROOT, (double[3]){random_between(&source, -0.2, 0.2), 0.02, 0.1}, q, scale);
    quaternion_about(1.0, 0.5, -0.3, 0.1 * sin(speed * time), q);
    set_joint(c, character, PELVIS, (double[3]){0.03 * sin(speed * time), 0.9 + 0.02 * cos(2.0 * speed * time), 0.0}, q,
              1.0);
    for (uint32_t foot = 0; foot < FEET; foot++) {
        const double own = speed * time + phase + 3.14 * foot;
        const uint32_t hip = foot == 0 ? LEFT : RIGHT;
        quaternion_about(1.0, 0.1, 0.05, 0.25 * sin(own) - 0.35, q);
        set_joint(c, character, hip + HIP, (double[3]){foot == 0 ? -0.1 : 0.1, -0.05, 0.0}, q, 1.0);
        quaternion_about(1.0, 0.0, 0.0, 0.75 + 0.2 * cos(own), q);
        set_joint(c, character, hip + KNEE, (double[3]){0.0, -0.45, 0.0}, q, 1.0);
        quaternion_about(1.0, 0.3, 0.2, -0.4 + 0.2 * sin(own), q);
        set_joint(c, character, hip + ANKLE, (double[3]){0.0, -0.45, 0.0}, q, 1.0);
    }
}

// The character moves and turns in the world.
static void place_character(crowd *c, uint32_t character, double time) {
    random_source source = random_branch(7, character);
    const double scale = (double)(float)random_between(&source, 0.5, 2.0), turn = random_between(&source, -2.0, 2.0);
    double q[4], v[3], x[3];
    quaternion_about(0.1, 1.0, 0.2, turn * time + character, q);
    for (int row = 0; row < 3; row++) {
        v[row] = random_between(&source, -1.5, 1.5);
        c->transforms[character][4 * row + 3] = (float)(random_between(&source, -8.0, 8.0) + v[row] * time);
    }
    for (int column = 0; column < 3; column++) {
        const double axis[3] = {column == 0, column == 1, column == 2};
        double across[3], twice[3];
        cross(q, axis, across);
        cross(q, across, twice);
        for (int row = 0; row < 3; row++) {
            x[row] = axis[row] + 2.0 * (q[3] * across[row] + twice[row]);
            c->transforms[character][4 * row + column] = (float)(scale * x[row]);
        }
    }
}

static void unit_up(const lmb_feet_def *def, double up[3]) {
    for (int i = 0; i < 3; i++) {
        up[i] = (double)def->up[i];
    }
    normalize(up);
}

// A matrix of the world transform, or its inverse.
typedef struct matrix {
    double l[3][3], t[3];
} matrix;

static matrix world_of(const crowd *c, const lmb_feet_def *def, uint32_t character) {
    matrix m;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            m.l[row][column] = def->space == LMB_IK_WORLD ? (double)c->transforms[character][4 * row + column]
                                                          : (double)(row == column);
        }
        m.t[row] = def->space == LMB_IK_WORLD ? (double)c->transforms[character][4 * row + 3] : 0.0;
    }
    return m;
}

static void to_world(const matrix *m, const double p[3], bool is_point, double result[3]) {
    double found[3];
    for (int row = 0; row < 3; row++) {
        found[row] = dot(m->l[row], p) + (is_point ? m->t[row] : 0.0);
    }
    memcpy(result, found, sizeof found);
}

static void from_world(const matrix *m, const double p[3], bool is_point, double result[3]) {
    double from[3], cofactors[3][3], found[3];
    add_scaled(p, m->t, is_point ? -1.0 : 0.0, from);
    for (int i = 0; i < 3; i++) {
        cross(m->l[(i + 1) % 3], m->l[(i + 2) % 3], cofactors[i]);
    }
    const double volume = dot(m->l[0], cofactors[0]);
    for (int i = 0; i < 3; i++) {
        found[i] = (cofactors[0][i] * from[0] + cofactors[1][i] * from[1] + cofactors[2][i] * from[2]) / volume;
    }
    memcpy(result, found, sizeof found);
}

// Ground of each foot, which jumps now and then; some feet have none at times.
static void ground_character(crowd *c, const lmb_feet_def *def, uint32_t character, double time) {
    const matrix world = world_of(c, def, character);
    double up[3];
    unit_up(def, up);
    for (uint32_t foot = 0; foot < FEET; foot++) {
        random_source source = random_branch(8 + foot, character * 100 + (uint32_t)(time * 7.0));
        const double height = random_between(&source, -0.12, 0.06);
        double normal[3], point[3], tilted[3];
        for (int k = 0; k < 3; k++) {
            tilted[k] = up[k] + random_between(&source, -0.3, 0.3);
            point[k] = height * up[k] + random_between(&source, -0.02, 0.02);
        }
        to_world(&world, point, true, point);
        to_world(&world, tilted, false, normal);
        const bool has_none = character % 5 == 4 && random_below(&source, 4) == 0;
        for (int k = 0; k < 3; k++) {
            c->parameters[character][GROUND + 3 * foot + (uint32_t)k] = (float)point[k];
            c->parameters[character][NORMAL + 3 * foot + (uint32_t)k] = has_none ? 0.0f : (float)normal[k];
        }
        const bool planted = (uint32_t)(time * 5.0 + 0.5 * foot + character * 0.3) % 2 == 0;
        c->parameters[character][PLANTED + foot] = planted ? 0.75f : 0.25f;
    }
}

static void move_character(crowd *c, const lmb_feet_def *def, uint32_t character, double time) {
    c->parameters[character][TIME] = (float)time;
    pose_character(c, character, time);
    place_character(c, character, time);
    ground_character(c, def, character, time);
}

static void move_crowd(crowd *c, const lmb_feet_def *def, uint32_t frame) {
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        move_character(c, def, i, (double)(float)kept_time(i, CHARACTERS, frame));
    }
}

static lmb_batch_inputs inputs_of(const crowd *c) {
    return (lmb_batch_inputs){
        .parameters = &c->parameters[0][0], .poses = {&c->poses[0][0][0]}, .transforms = &c->transforms[0][0]};
}

static void run_path(crowd *c, int path, uint32_t *memory, pose_rows shown) {
    const lmb_batch_inputs inputs = inputs_of(c);
    kept_paths_run(&c->paths, path, &inputs, memory, &shown[0][0][0]);
}

static void run_frame(crowd *c) {
    const lmb_batch_inputs inputs = inputs_of(c);
    kept_paths_run_all(&c->paths, &inputs, &c->shown[0][0][0]);
}

static void find_models(const crowd *c, pose_rows poses, uint32_t character, oracle_affine models[JOINTS]) {
    kept_models(c->rig, &poses[character][0][0], models);
}

// ---- The oracle.

typedef struct foot_state {
    double lock[3], moved[3]; // in the node's space
    double offset, normal[3]; // in model space
    bool planted, locked, grounded;
} foot_state;

typedef struct feet_state {
    foot_state feet[FEET];
    double pelvis[3]; // in the node's space
    double lowered, time;
    bool begun;
} feet_state;

// Where the joints belong, in model space.
typedef struct expectation {
    double pelvis[3], ankles[FEET][3], normals[FEET][3];
    bool grounded[FEET];
    bool reached[FEET];
} expectation;

static double left_after(double seconds, float half_life) {
    return half_life > 0.0f ? exp2(-seconds / (double)half_life) : 0.0;
}

// How far the hip goes down, so that the ankle at `target` is not farther from it than that of the base.
static double needed_lowering(const double hip[3], const double ankle[3], const double target[3], double offset,
                              const double up[3]) {
    double from[3];
    add_scaled(target, hip, -1.0, from);
    const double before = distance(hip, ankle), first = fmax(-offset, 0.0), nearest = fmax(-dot(from, up), first);
    double low = first, high = nearest;
    add_scaled(hip, up, -low, from);
    if (distance(from, target) <= before) {
        return first;
    }
    add_scaled(hip, up, -high, from);
    if (distance(from, target) > before) {
        return nearest;
    }
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        add_scaled(hip, up, -middle, from);
        *(distance(from, target) > before ? &low : &high) = middle;
    }
    return high;
}

static void move_lock(const lmb_feet_def *def, const matrix *world, foot_state *foot, const double ankle[3],
                      const double up[3], bool planted, double left) {
    double held[3], at[3];
    to_world(world, ankle, true, at);
    add_scaled(foot->lock, at, -1.0, held);
    from_world(world, held, false, held);
    add_scaled(held, up, -dot(held, up), held);
    to_world(world, held, false, held);
    const bool holds = planted && foot->planted && foot->locked, begins = planted && !foot->planted;
    const double far = length(held);
    for (int i = 0; i < 3; i++) {
        foot->moved[i] = holds ? held[i] * fmin(1.0, (double)def->lock_distance / far) : foot->moved[i] * left;
    }
    if (begins) {
        add_scaled(at, foot->moved, 1.0, foot->lock);
    }
    foot->locked = begins || (holds && far <= (double)def->lock_distance);
    foot->planted = planted;
}

static expectation oracle_frame(const crowd *c, const lmb_feet_def *def, uint32_t character, feet_state *state) {
    oracle_affine models[JOINTS];
    find_models(c, ((crowd *)(uintptr_t)c)->poses, character, models);
    const matrix world = world_of(c, def, character);
    const double time = (double)c->parameters[character][TIME], passed = time - state->time;
    expectation e;
    double up[3], pelvis[3], lowered = 0.0;
    unit_up(def, up);
    position(&models[PELVIS], e.pelvis);
    to_world(&world, e.pelvis, true, pelvis);
    if (!state->begun || passed < 0.0 || passed > 0.5 || distance(pelvis, state->pelvis) > (double)def->teleport) {
        memset(state, 0, sizeof *state);
    }
    for (uint32_t i = 0; i < FEET; i++) {
        foot_state *foot = &state->feet[i];
        const uint32_t first = i == 0 ? LEFT : RIGHT;
        double hip[3], ankle[3], moved[3], ground[3], normal[3], target[3];
        position(&models[first + HIP], hip);
        position(&models[first + ANKLE], ankle);
        for (uint32_t k = 0; k < 3; k++) {
            ground[k] = (double)c->parameters[character][GROUND + 3 * i + k];
            normal[k] = (double)c->parameters[character][NORMAL + 3 * i + k];
        }
        from_world(&world, ground, true, ground);
        from_world(&world, normal, false, normal);
        normalize(normal);
        e.grounded[i] = dot(normal, up) > cos(80.0 * acos(-1.0) / 180.0);
        if (!e.grounded[i]) {
            memset(foot, 0, sizeof *foot);
            e.reached[i] = false;
            continue;
        }
        if (def->lock_distance > 0.0f) {
            const bool planted = c->parameters[character][PLANTED + i] >= 0.5f;
            move_lock(def, &world, foot, ankle, up, planted, left_after(passed, def->release_half_life));
        }
        from_world(&world, foot->moved, false, moved);
        add_scaled(moved, up, -dot(moved, up), moved);
        add_scaled(ankle, moved, 1.0, target);
        add_scaled(ground, target, -1.0, ground);
        double offset = (dot(ground, normal) + dot(target, up)) / dot(up, normal);
        if (foot->grounded) {
            const double left = left_after(passed, def->ground_half_life);
            offset += left * (foot->offset - offset);
            for (int k = 0; k < 3; k++) {
                normal[k] += left * (foot->normal[k] - normal[k]);
            }
            normalize(normal);
        }
        foot->grounded = true;
        foot->offset = offset;
        memcpy(foot->normal, normal, sizeof normal);
        memcpy(e.normals[i], normal, sizeof normal);
        add_scaled(target, up, offset, target);
        memcpy(e.ankles[i], target, sizeof target);
        const double needed = def->lock_distance > 0.0f ? needed_lowering(hip, ankle, target, offset, up) : -offset;
        lowered = fmin(lowered, -needed);
    }
    lowered = fmax(lowered, -(double)def->max_lowering);
    if (state->begun) {
        lowered += left_after(passed, def->pelvis_half_life) * (state->lowered - lowered);
    }
    for (uint32_t i = 0; i < FEET; i++) {
        double hip[3], knee[3], ankle[3];
        const uint32_t first = i == 0 ? LEFT : RIGHT;
        position(&models[first + HIP], hip);
        position(&models[first + KNEE], knee);
        position(&models[first + ANKLE], ankle);
        const double all = distance(hip, knee) + distance(knee, ankle);
        add_scaled(hip, up, lowered, hip);
        e.reached[i] = e.grounded[i] && distance(hip, e.ankles[i]) < 0.98 * all;
    }
    add_scaled(e.pelvis, up, lowered, e.pelvis);
    state->lowered = lowered;
    state->time = time;
    state->begun = true;
    memcpy(state->pelvis, pelvis, sizeof pelvis);
    return e;
}

// The rotation of an ankle relative to the base, applied to `up`, by at most max_angle: where it leads.
static double tilt_error(const lmb_feet_def *def, const oracle_affine *base, const oracle_affine *shown,
                         const double up[3], const double normal[3]) {
    double before[4], after[4], turn[4], got[3], expected[3], axis[3], across[3], twice[3];
    assert_true(oracle_affine_rotation(base, before));
    assert_true(oracle_affine_rotation(shown, after));
    oracle_quaternion_conjugate(before, before);
    oracle_quaternion_multiply(after, before, turn);
    cross(turn, up, across);
    for (int i = 0; i < 3; i++) {
        got[i] = up[i] + 2.0 * turn[3] * across[i];
    }
    cross(turn, across, twice);
    add_scaled(got, twice, 2.0, got);
    cross(up, normal, axis);
    const double angle = fmin(atan2(length(axis), dot(up, normal)), (double)def->max_angle);
    normalize(axis);
    cross(axis, up, across);
    for (int i = 0; i < 3; i++) {
        expected[i] = up[i] * cos(angle) + across[i] * sin(angle);
    }
    return distance(got, expected);
}

// ---- Tests.

static void feet_follow_the_formula(void **state) {
    (void)state;
    static const struct {
        float lock, release, ground, pelvis;
        lmb_ik_space space;
    } rows[] = {{0.3f, 0.04f, 0.05f, 0.03f, LMB_IK_WORLD}, {0.3f, 0.04f, 0.0f, 0.0f, LMB_IK_WORLD},
                {0.3f, 0.0f, 0.0f, 0.02f, LMB_IK_MODEL},   {0.0f, 0.0f, 0.05f, 0.1f, LMB_IK_WORLD},
                {0.0f, 0.1f, 0.0f, 0.05f, LMB_IK_MODEL},   {1000.0f, 0.1f, 0.2f, 0.0f, LMB_IK_MODEL}};
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        lmb_feet_def def = locked_feet();
        def.lock_distance = rows[row].lock;
        def.release_half_life = rows[row].release;
        def.ground_half_life = rows[row].ground;
        def.pelvis_half_life = rows[row].pelvis;
        def.space = rows[row].space;
        crowd *c = start_crowd_with(def);
        assert_int_equal(c->paths.words, WORDS);
        static feet_state states[CHARACTERS];
        memset(states, 0, sizeof states);
        double worst_pelvis = 0.0, worst_ankle = 0.0, worst_tilt = 0.0, moved = 0.0, up[3];
        uint32_t reached = 0, locked = 0, broken = 0;
        unit_up(&def, up);
        for (uint32_t frame = 0; frame < FRAMES; frame++) {
            move_crowd(c, &def, frame);
            run_frame(c);
            for (uint32_t i = 0; i < CHARACTERS; i++) {
                const expectation e = oracle_frame(c, &def, i, &states[i]);
                oracle_affine shown[JOINTS], base[JOINTS];
                double p[3];
                find_models(c, c->shown, i, shown);
                find_models(c, c->poses, i, base);
                position(&shown[PELVIS], p);
                worst_pelvis = fmax(worst_pelvis, distance(p, e.pelvis));
                for (uint32_t foot = 0; foot < FEET; foot++) {
                    const uint32_t ankle = (foot == 0 ? LEFT : RIGHT) + ANKLE;
                    const foot_state *s = &states[i].feet[foot];
                    position(&shown[ankle], p);
                    if (e.reached[foot]) {
                        worst_ankle = fmax(worst_ankle, distance(p, e.ankles[foot]));
                        reached++;
                    }
                    if (e.grounded[foot]) {
                        worst_tilt =
                            fmax(worst_tilt, tilt_error(&def, &base[ankle], &shown[ankle], up, e.normals[foot]));
                    }
                    locked += s->locked;
                    broken += s->planted && !s->locked;
                    moved = fmax(moved, length(s->moved));
                }
            }
        }
        print_message("row %zu: pelvis %.2g, ankle %.2g, tilt %.2g; %u reached, %u locked, %u broken, moved by %.2g\n",
                      row, worst_pelvis, worst_ankle, worst_tilt, reached, locked, broken, moved);
        assert_true(worst_pelvis < 4e-5 && worst_ankle < 4e-5 && worst_tilt < 4e-5);
        assert_true(reached > CHARACTERS * FRAMES);
        if (def.lock_distance > 0.0f) {
            assert_true(locked > CHARACTERS * FRAMES / 2 && moved > 0.2);
        }
        assert_true(broken > 0 || def.lock_distance != 0.3f || def.space == LMB_IK_MODEL);
        end_crowd(c);
    }
}

// The same node with and without what it keeps.
static void nothing_is_kept_by_default(void **state) {
    (void)state;
    lmb_feet_def def = locked_feet();
    crowd *kept = start_crowd_with(def);
    def.lock_distance = def.ground_half_life = def.pelvis_half_life = 0.0f;
    crowd *c = start_crowd_with(def);
    assert_int_equal(c->paths.words, 0);
    static pose_rows without;
    uint32_t same = 0;
    for (uint32_t frame = 0; frame < 20; frame++) {
        move_crowd(c, &def, frame);
        move_crowd(kept, &def, frame);
        run_frame(c);
        run_path(kept, LMB_CPU_REFERENCE, NULL, without);
        run_frame(kept);
        same += memcmp(kept->shown, c->shown, sizeof c->shown) == 0;
    }
    assert_true(same < 20);
    // Without memory no lock moves a foot. Legs that locks could move are kept from being longer than in the base.
    lmb_feet_def smoothed = locked_feet();
    smoothed.lock_distance = 0.0f;
    crowd *other = start_crowd_with(smoothed);
    for (uint32_t frame = 0; frame < 20; frame++) {
        move_crowd(c, &def, frame);
        move_crowd(other, &def, frame);
        run_frame(c);
        run_path(other, LMB_CPU_REFERENCE, NULL, without);
        assert_memory_equal(without, c->shown, sizeof without);
    }
    end_crowd(c);
    end_crowd(kept);
    end_crowd(other);
}

static void a_frame_twice_changes_no_bit(void **state) {
    (void)state;
    const lmb_feet_def def = locked_feet();
    crowd *c = start_crowd();
    uint32_t *kept = malloc(kept_paths_bytes(&c->paths));
    static pose_rows first;
    assert_non_null(kept);
    for (uint32_t frame = 0; frame < 40; frame++) {
        move_crowd(c, &def, frame);
        c->parameters[3][TIME] = frame % 5 == 0 ? 500.0f : c->parameters[3][TIME]; // begins anew
        c->transforms[4][3] += frame % 7 == 0 ? 100.0f : 0.0f;
        run_frame(c);
        memcpy(first, c->shown, sizeof first);
        memcpy(kept, c->paths.memory[LMB_CPU_REFERENCE], kept_paths_bytes(&c->paths));
        run_frame(c);
        assert_memory_equal(first, c->shown, sizeof first);
        assert_memory_equal(kept, c->paths.memory[LMB_CPU_REFERENCE], kept_paths_bytes(&c->paths));
    }
    free(kept);
    end_crowd(c);
}

static void restored_memory_continues(void **state) {
    (void)state;
    const lmb_feet_def def = locked_feet();
    crowd *c = start_crowd();
    uint32_t *kept = malloc(kept_paths_bytes(&c->paths));
    static pose_rows first;
    assert_non_null(kept);
    for (uint32_t frame = 0; frame < 30; frame++) {
        move_crowd(c, &def, frame);
        run_frame(c);
    }
    memcpy(kept, c->paths.memory[LMB_CPU_REFERENCE], kept_paths_bytes(&c->paths));
    for (uint32_t round = 0; round < 2; round++) {
        kept_paths_set(&c->paths, kept);
        for (uint32_t frame = 30; frame < 50; frame++) {
            move_crowd(c, &def, frame);
            run_frame(c);
        }
        if (round == 0) {
            memcpy(first, c->shown, sizeof first);
        }
    }
    assert_memory_equal(first, c->shown, sizeof first);
    free(kept);
    end_crowd(c);
}

// Runs frames, and one more in which `change` applies to every second character: these have the bits of characters that
// begin in that frame, and the others do not.
static void expect_new_beginning(void (*change)(crowd *, uint32_t, uint32_t)) {
    const lmb_feet_def def = locked_feet();
    crowd *c = start_crowd();
    static pose_rows anew;
    const uint32_t last = 24;
    for (uint32_t frame = 0; frame <= last; frame++) {
        move_crowd(c, &def, frame);
        for (uint32_t i = 0; i < CHARACTERS; i += 2) {
            change(c, i, last - frame);
        }
        run_frame(c);
    }
    uint32_t *zeros = calloc(1, kept_paths_bytes(&c->paths));
    assert_non_null(zeros);
    run_path(c, LMB_CPU_REFERENCE, zeros, anew);
    uint32_t differ = 0;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        const bool same = memcmp(c->shown[i], anew[i], sizeof anew[i]) == 0;
        assert_true(same || i % 2 == 1);
        differ += !same;
    }
    assert_int_equal(differ, CHARACTERS / 2);
    free(zeros);
    end_crowd(c);
}

static void after_a_gap(crowd *c, uint32_t character, uint32_t left) {
    c->parameters[character][TIME] += left == 0 ? 0.51f : 0.0f;
}

static void back_in_time(crowd *c, uint32_t character, uint32_t left) {
    c->parameters[character][TIME] = left == 0 ? 0.125f : c->parameters[character][TIME];
}

static void far_away(crowd *c, uint32_t character, uint32_t left) {
    c->transforms[character][3] += left == 0 ? 5.0f : 0.0f;
}

static void without_weight(crowd *c, uint32_t character, uint32_t left) {
    c->parameters[character][WEIGHT] = left == 1 ? 0.0f : 1.0f;
    c->parameters[character][TIME] += left == 0 ? 0.5f : 0.0f; // since the frame before that, more than half a second
}

static void without_pelvis(crowd *c, uint32_t character, uint32_t left) {
    c->parameters[character][LEVEL] = left == 1 ? 2.0f : 0.0f;
    c->parameters[character][TIME] += left == 0 ? 0.5f : 0.0f;
}

static void beginnings_are_as_animated(void **state) {
    (void)state;
    expect_new_beginning(after_a_gap);
    expect_new_beginning(back_in_time);
    expect_new_beginning(far_away);
    expect_new_beginning(without_weight);
    expect_new_beginning(without_pelvis);
}

// While a level of detail drops the legs, the pelvis keeps the state of all feet; with the pelvis dropped it stands
// still.
static void levels_keep_the_state(void **state) {
    (void)state;
    const lmb_feet_def def = locked_feet();
    crowd *c = start_crowd(), *whole = start_crowd();
    static uint32_t before[WORDS * CHARACTERS];
    for (uint32_t frame = 0; frame < 40; frame++) {
        move_crowd(c, &def, frame);
        move_crowd(whole, &def, frame);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            c->parameters[i][LEVEL] = (float)((frame + i) / 4 % 2);
        }
        run_frame(c);
        run_frame(whole);
        assert_memory_equal(c->paths.memory[LMB_CPU_REFERENCE], whole->paths.memory[LMB_CPU_REFERENCE],
                            kept_paths_bytes(&c->paths));
    }
    memcpy(before, c->paths.memory[LMB_CPU_REFERENCE], sizeof before);
    move_crowd(c, &def, 40);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        c->parameters[i][LEVEL] = 2.0f;
    }
    run_frame(c);
    assert_memory_equal(before, c->paths.memory[LMB_CPU_REFERENCE], sizeof before);
    end_crowd(c);
    end_crowd(whole);
}

static void times_wrap(void **state) {
    (void)state;
    const lmb_feet_def def = locked_feet();
    crowd *c = start_crowd();
    static pose_rows first[40];
    uint32_t *zeros = calloc(1, kept_paths_bytes(&c->paths));
    assert_non_null(zeros);
    for (uint32_t round = 0; round < 3; round++) {
        static const float begin[] = {511.5f, 1023.5f, 2047.5f};
        kept_paths_set(&c->paths, zeros);
        for (uint32_t frame = 0; frame < 40; frame++) {
            move_crowd(c, &def, frame);
            for (uint32_t i = 0; i < CHARACTERS; i++) {
                c->parameters[i][TIME] = begin[round] + (float)frame / 32.0f;
            }
            run_frame(c);
            if (round == 0) {
                memcpy(first[frame], c->shown, sizeof c->shown);
            }
            assert_memory_equal(first[frame], c->shown, sizeof c->shown);
        }
    }
    free(zeros);
    end_crowd(c);
}

static void foreign_memory_stays_finite(void **state) {
    (void)state;
    static const uint32_t extremes[] = {0x7fc00000u, 0xff800000u, 0x7f7fffffu, 0x00000001u, 0x80000000u, 0x3f800000u};
    const lmb_feet_def def = locked_feet();
    random_source source = {11};
    crowd *c = start_crowd();
    uint32_t *memory = malloc(kept_paths_bytes(&c->paths));
    assert_non_null(memory);
    for (int round = 0; round < 40; round++) {
        for (size_t i = 0; i < kept_paths_bytes(&c->paths) / sizeof(uint32_t); i++) {
            uint32_t word = round % 2 == 0 ? (uint32_t)random_bits(&source) : extremes[random_below(&source, 6)];
            const float time = (float)random_between(&source, 0.2, 0.4); // accepted as a frame before
            if (i % (WORDS / 2) == 4 && round % 4 < 2) {
                memcpy(&word, &time, sizeof word);
            }
            memory[i] = word;
        }
        kept_paths_set(&c->paths, memory);
        for (uint32_t frame = 0; frame < 4; frame++) {
            move_crowd(c, &def, frame);
            run_frame(c);
        }
    }
    free(memory);
    end_crowd(c);
}

// NaN counts as 0 and as refused; extreme numbers stay finite, and so do transforms without an inverse.
static void faulty_parameters_are_refused(void **state) {
    (void)state;
    const lmb_feet_def def = locked_feet();
    crowd *c = start_crowd();
    static const float values[] = {INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f, -5.0f, 1e9f};
    for (uint32_t frame = 0; frame < 40; frame++) {
        move_crowd(c, &def, frame);
        c->parameters[2][TIME] = NAN;
        c->parameters[3][PLANTED + frame % 2] = NAN;
        memset(c->transforms[4], 0, sizeof c->transforms[4]);
        for (uint32_t i = 5; i < CHARACTERS; i++) {
            c->parameters[i][i % 2 == 0 ? TIME : PLANTED + i % PARAMETERS % (PARAMETERS - PLANTED)] =
                values[(frame / 2 + i) % 7];
            c->transforms[i][frame % 12] *= i % 3 == 0 ? values[(frame + i) % 7] : 1.0f;
        }
        run_frame(c);
    }
    assert_true(c->paths.refused[LMB_REFUSED_WEIGHT] >= 2 && c->paths.refused[LMB_REFUSED_POSE] > 0);
    end_crowd(c);
}

#define REFUSED(...)                                                                                                   \
    CHECK_REFUSAL(create_graph(rig, def, &graph, &error), &error, LMB_ERROR_ARGUMENT, __VA_ARGS__);                    \
    assert_null(graph);                                                                                                \
    def = good

static void faulty_nodes_are_refused(void **state) {
    (void)state;
    lmb_rig *rig = kept_rig_create(parents, JOINTS);
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    const lmb_feet_def good = locked_feet();
    lmb_feet_def def = good;
    def.time = lmb_parameter(PARAMETERS);
    REFUSED("node 1 (foot-placement)", "time", "parameter");
    def.time = lmb_constant(1.0f);
    REFUSED("time", "it is a constant");
    def.time = lmb_constant(1.0f);
    def.lock_distance = def.ground_half_life = 0.0f;
    REFUSED("time", "it is a constant");
    def.lock_distance = -1.0f;
    REFUSED("lock_distance", "0 to 2^40");
    def.lock_distance = NAN;
    REFUSED("lock_distance");
    def.lock_distance = 2e12f;
    REFUSED("lock_distance");
    def.release_half_life = -0.1f;
    REFUSED("release_half_life", "0 to 1000");
    def.release_half_life = NAN;
    REFUSED("release_half_life");
    def.ground_half_life = 1001.0f;
    REFUSED("ground_half_life", "0 to 1000");
    def.pelvis_half_life = INFINITY;
    REFUSED("pelvis_half_life", "0 to 1000");
    def.teleport = -1.0f;
    REFUSED("teleport", "0 to 2^40");
    def.teleport = NAN;
    REFUSED("teleport");
    def.feet[1].planted = lmb_parameter(PARAMETERS);
    REFUSED("feet[1].planted", "parameter");
    def.feet[0].planted = lmb_constant(NAN);
    REFUSED("feet[0].planted", "finite");
    def.feet[1].planted_from = 16;
    def.feet[1].planted_to = 0;
    REFUSED("feet[1].planted_from", "at most 16");
    def.feet[1].planted_from = 0;
    def.feet[1].planted_to = 16;
    REFUSED("feet[1].planted_to", "at most 16");
    def.feet[0].planted_from = 0;
    REFUSED("feet[0].planted_to", "two sync markers, or none");
    def.feet[0].planted_to = 0;
    REFUSED("feet[0].planted_to", "two sync markers, or none");
    def.feet[0].planted_from = def.feet[0].planted_to = 0;
    REFUSED("feet[0].planted_from", "no clip that plays below the node");
    def.feet[0].planted_channel = 0;
    REFUSED("feet[0].planted_channel", "the rig has no such float channel");
    // Of feet that are not locked, sync markers do not matter.
    def.feet[0].planted_from = def.feet[0].planted_to = 0;
    def.lock_distance = 0.0f;
    assert_int_equal(create_graph(rig, def, &graph, &error), LMB_OK);
    lmb_graph_destroy(graph);
    lmb_rig_destroy(rig);
    const lmb_feet_def made = lmb_foot_placement_node(0, PELVIS, good.feet, FEET).feet;
    assert_true(made.lock_distance == 0.0f && made.ground_half_life == 0.0f && made.pelvis_half_life == 0.0f);
    assert_true(made.release_half_life == 0.05f && made.teleport == 2.0f);
    const lmb_foot_def foot = lmb_default_foot_def();
    assert_true(foot.planted_from == LMB_NONE && foot.planted_to == LMB_NONE && foot.planted_channel == LMB_NONE &&
                foot.planted.constant == 0.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feet_follow_the_formula),
        cmocka_unit_test(nothing_is_kept_by_default),
        cmocka_unit_test(a_frame_twice_changes_no_bit),
        cmocka_unit_test(restored_memory_continues),
        cmocka_unit_test(beginnings_are_as_animated),
        cmocka_unit_test(levels_keep_the_state),
        cmocka_unit_test(times_wrap),
        cmocka_unit_test(foreign_memory_stays_finite),
        cmocka_unit_test(faulty_parameters_are_refused),
        cmocka_unit_test(faulty_nodes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
