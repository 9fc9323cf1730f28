// Chains against float64: Verlet integration in world space, written from the formula in chain.h, frame by frame, on
// every CPU path. Where chains begin anew, frames that run twice, saved memory and foreign memory.
#include "kept_paths.h"
#include "refusal.h"
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOT, HIP, T0, T1, T2, T3, T4, LEAF, OTHER, JOINTS };
static const uint32_t parents[JOINTS] = {LMB_NONE, ROOT, HIP, T0, T1, T2, T3, T4, ROOT};
enum { BONES = 4, CHARACTERS = SUITE_SANITIZED ? 9 : 37 };
enum { TIME, VELOCITY, WEIGHT = VELOCITY + 3, LEVEL, INERTIA, PARAMETERS = INERTIA + LMB_INERTIA_PARAMETERS };

typedef float pose_rows[CHARACTERS][LMB_POSE_COMPONENTS][JOINTS];

typedef struct crowd {
    lmb_rig *rig;
    lmb_graph *graph;
    kept_paths paths;
    float parameters[CHARACTERS][PARAMETERS];
    pose_rows poses;
    pose_rows shown;
} crowd;

static lmb_chain_def swinging_chain(void) {
    lmb_chain_def chain = lmb_default_node_def().chain;
    chain.start = T0;
    chain.end = T4;
    chain.time = lmb_parameter(TIME);
    for (uint32_t i = 0; i < 3; i++) {
        chain.velocity[i] = lmb_parameter(VELOCITY + i);
    }
    chain.gravity[0] = 1.5f;
    return chain;
}

static lmb_result create_graph(const lmb_rig *rig, lmb_chain_def chain, bool inertialize, bool has_levels,
                               lmb_graph **graph, lmb_error *error) {
    lmb_node_def nodes[2] = {lmb_default_node_def(), lmb_default_node_def()};
    nodes[0].op = LMB_OP_POSE;
    nodes[1].op = LMB_OP_CHAIN;
    nodes[1].input_count = 1;
    nodes[1].weight = lmb_parameter(WEIGHT);
    nodes[1].chain = chain;
    // Level 1 drops the last joints of the chain.
    const uint8_t levels[JOINTS] = {7, 7, 7, 7, 0, 0, 0, 0, 7};
    const lmb_graph_def def = {.rig = rig,
                               .nodes = nodes,
                               .node_count = 2,
                               .parameter_count = PARAMETERS,
                               .max_lods = has_levels ? levels : NULL,
                               .lod = lmb_parameter(LEVEL),
                               .inertialize = inertialize,
                               .inertia_parameters = INERTIA};
    return lmb_graph_create(&def, NULL, graph, error);
}

static crowd *start_crowd_with(lmb_chain_def chain, bool inertialize, bool has_levels) {
    crowd *c = calloc(1, sizeof *c);
    assert_non_null(c);
    lmb_error error = {0};
    c->rig = kept_rig_create(parents, JOINTS);
    assert_int_equal(create_graph(c->rig, chain, inertialize, has_levels, &c->graph, &error), LMB_OK);
    kept_paths_start(&c->paths, c->graph, CHARACTERS);
    assert_int_equal(c->paths.words, 20 * BONES + (inertialize ? 36 * JOINTS : 0));
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        c->parameters[i][WEIGHT] = 1.0f;
    }
    return c;
}

static crowd *start_crowd(void) {
    return start_crowd_with(swinging_chain(), false, false);
}

static void end_crowd(crowd *c) {
    kept_paths_end(&c->paths);
    lmb_graph_destroy(c->graph);
    lmb_rig_destroy(c->rig);
    free(c);
}

// Poses that turn smoothly, with bones of different lengths and scales above the chain.
static void pose_crowd(crowd *c, uint32_t character, double time) {
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        random_source source = random_branch(5, character * JOINTS + joint);
        double q[4] = {0.0, 0.0, 0.0, 1.0}, square = 0.0;
        for (int i = 0; i < 3; i++) {
            const double speed = random_between(&source, -5.0, 5.0);
            q[i] = random_between(&source, -0.4, 0.4) + 0.3 * sin(speed * time);
        }
        for (int i = 0; i < 4; i++) {
            square += q[i] * q[i];
        }
        const double scale = joint <= T0 ? random_between(&source, 0.7, 1.4) : 1.0;
        for (uint32_t i = 0; i < 3; i++) {
            const double speed = random_between(&source, -3.0, 3.0);
            const double moved = joint == ROOT || joint == HIP ? 0.3 * sin(speed * time) : 0.0;
            c->poses[character][i][joint] = (float)(random_between(&source, 0.1, 0.4) + moved);
            c->poses[character][7 + i][joint] = (float)scale;
        }
        for (uint32_t i = 0; i < 4; i++) {
            c->poses[character][3 + i][joint] = (float)(q[i] / sqrt(square));
        }
    }
}

static void move_crowd(crowd *c, uint32_t frame) {
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        const float time = (float)kept_time(i, CHARACTERS, frame);
        c->parameters[i][TIME] = time;
        for (uint32_t k = 0; k < 3; k++) {
            c->parameters[i][VELOCITY + k] = i % 2 == 0 ? 0.0f : (float)(2.0 * sin(3.0 * (double)time + k + i));
        }
        pose_crowd(c, i, (double)time);
    }
}

static lmb_batch_inputs inputs_of(const crowd *c) {
    return (lmb_batch_inputs){.parameters = &c->parameters[0][0], .poses = {&c->poses[0][0][0]}};
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

static void subtract(const double a[3], const double b[3], double result[3]) {
    for (int i = 0; i < 3; i++) {
        result[i] = a[i] - b[i];
    }
}

static double length(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void position(const oracle_affine *model, double p[3]) {
    for (int i = 0; i < 3; i++) {
        p[i] = model->m[i][3];
    }
}

// ---- The oracle: a chain in world space.

typedef struct bone_state {
    double x[3], p[3]; // in the world
    double anchor[3];  // in model space, in the frame before
} bone_state;

typedef struct chain_state {
    bone_state bones[BONES];
    double origin[3]; // of the character in the world at the last step
    double time;
    bool begun;
} chain_state;

// Puts a point at the length of the bone from its beginning.
static void keep_length(const double from[3], const double bone[3], double p[3]) {
    double apart[3];
    subtract(p, from, apart);
    const double factor = length(bone) / length(apart);
    for (int i = 0; i < 3; i++) {
        p[i] = from[i] + apart[i] * factor;
    }
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A collider in the space of the character.
typedef struct shape {
    double head[3], tail[3], radius;
} shape;

static void place_point(const oracle_affine *model, const float local[3], double p[3]) {
    for (int i = 0; i < 3; i++) {
        p[i] = model->m[i][3];
        for (int k = 0; k < 3; k++) {
            p[i] += model->m[i][k] * (double)local[k];
        }
    }
}

static void place_colliders(const lmb_chain_def *def, const oracle_affine *models, shape *shapes) {
    for (uint32_t i = 0; i < def->collider_count; i++) {
        const lmb_collider_def *collider = &def->colliders[i];
        shapes[i].radius = (double)collider->radius;
        place_point(&models[collider->joint], collider->offset, shapes[i].head);
        place_point(&models[collider->joint], collider->is_capsule ? collider->tail : collider->offset, shapes[i].tail);
    }
}

static double radius_of(const lmb_chain_def *def, uint32_t bone) {
    return def->radius_count == 0 ? 0.0 : (double)def->radii[def->radius_count == 1 ? 0 : bone];
}

// Pushes the end of a bone out of the colliders, by the formulas of VRMC_springBone 1.0: "Collider / Sphere", "Collider
// / Capsule", and after each the length of the bone.
static void collide(const shape *shapes, uint32_t count, double radius, const double from[3], const double bone[3],
                    double end[3]) {
    for (uint32_t i = 0; i < count; i++) {
        double to_tail[3], delta[3];
        subtract(shapes[i].tail, shapes[i].head, to_tail);
        subtract(end, shapes[i].head, delta);
        const double along = dot(to_tail, delta), square = dot(to_tail, to_tail);
        if (along > square && square > 0.0) {
            subtract(end, shapes[i].tail, delta);
        } else if (along > 0.0 && square > 0.0) {
            for (int k = 0; k < 3; k++) {
                delta[k] -= to_tail[k] * along / square;
            }
        }
        const double distance = length(delta) - shapes[i].radius - radius, whole = length(delta);
        if (distance < 0.0) {
            for (int k = 0; k < 3; k++) {
                end[k] -= delta[k] / whole * distance;
            }
            keep_length(from, bone, end);
        }
    }
}

static void step_bone(const lmb_chain_def *def, bone_state *b, const double anchor[3], const double bone[3],
                      const double origin[3]) {
    const double h = 1.0 / 120.0, k = pow(2.0 * acos(-1.0) * (double)def->stiffness * h, 2.0), s = k / (1.0 + k);
    double next[3], from[3];
    for (int i = 0; i < 3; i++) {
        from[i] = anchor[i] + origin[i];
        next[i] = b->x[i] + exp(-(double)def->damping * h) * (b->x[i] - b->p[i]) + h * h * (double)def->gravity[i];
    }
    double swung[3], pulled[3];
    subtract(next, from, swung);
    for (int i = 0; i < 3; i++) {
        pulled[i] = s * (bone[i] - swung[i]);
    }
    const double along = dot(pulled, swung) / dot(bone, bone);
    for (int i = 0; i < 3; i++) {
        next[i] += pulled[i] - along * swung[i];
    }
    keep_length(from, bone, next);
    memcpy(b->p, b->x, sizeof b->p);
    memcpy(b->x, next, sizeof b->x);
}

// Advances a chain to a frame. Computes where the ends are then, in model space.
static void oracle_frame(const crowd *c, const lmb_chain_def *def, uint32_t character, pose_rows poses,
                         chain_state *chain, double ends[BONES][3]) {
    oracle_affine models[JOINTS];
    find_models(c, poses, character, models);
    const double h = 1.0 / 120.0, time = (double)c->parameters[character][TIME];
    double velocity[3], anchor[3], origin[3] = {0};
    for (int i = 0; i < 3; i++) {
        velocity[i] = (double)c->parameters[character][VELOCITY + i];
    }
    position(&models[T0], anchor);
    shape shapes[LMB_MAX_CHAIN_COLLIDERS];
    place_colliders(def, models, shapes);
    const long first = (long)floor(120.0 * chain->time + 0.125) + 1, last = (long)floor(120.0 * time + 0.125);
    const double since = time - ((double)last - 0.125) * h; // the last step
    for (uint32_t bone = 0; bone < BONES; bone++) {
        bone_state *b = &chain->bones[bone];
        double from[3], to[3], animated[3];
        position(&models[T0 + bone], from);
        position(&models[T0 + bone + 1], to);
        subtract(to, from, animated);
        memcpy(origin, chain->origin, sizeof origin);
        for (long n = first; n <= last && chain->begun; n++) {
            const double share = (((double)n - 0.125) * h - chain->time) / (time - chain->time);
            double here[3];
            for (int i = 0; i < 3; i++) {
                origin[i] += velocity[i] * h;
                here[i] = b->anchor[i] + share * (anchor[i] - b->anchor[i]);
            }
            step_bone(def, b, here, animated, origin);
            for (int i = 0; i < 3; i++) {
                b->x[i] -= origin[i];
            }
            collide(shapes, def->collider_count, radius_of(def, bone), here, animated, b->x);
            for (int i = 0; i < 3; i++) {
                b->x[i] += origin[i];
            }
        }
        for (int i = 0; i < 3; i++) {
            if (!chain->begun) {
                b->x[i] = anchor[i] + animated[i] + origin[i];
                b->p[i] = b->x[i] - velocity[i] * h;
                ends[bone][i] = anchor[i] + animated[i];
            } else {
                ends[bone][i] = b->x[i] - origin[i] + (b->x[i] - b->p[i] - velocity[i] * h) * since / h;
            }
        }
        keep_length(anchor, animated, ends[bone]);
        if (chain->begun) {
            collide(shapes, def->collider_count, radius_of(def, bone), anchor, animated, ends[bone]);
        }
        memcpy(b->anchor, anchor, sizeof anchor);
        memcpy(anchor, ends[bone], sizeof anchor);
    }
    memcpy(chain->origin, origin, sizeof origin);
    chain->time = time;
    chain->begun = true;
}

static double distance_to_base(const crowd *c, uint32_t character) {
    double worst = 0.0;
    oracle_affine base[JOINTS], shown[JOINTS];
    find_models(c, ((crowd *)(uintptr_t)c)->poses, character, base);
    find_models(c, ((crowd *)(uintptr_t)c)->shown, character, shown);
    for (uint32_t joint = T0; joint <= LEAF; joint++) {
        double a[3], b[3], apart[3];
        position(&base[joint], a);
        position(&shown[joint], b);
        subtract(a, b, apart);
        worst = fmax(worst, length(apart));
    }
    return worst;
}

// ---- Tests.

static void ends_follow_the_formula(void **state) {
    (void)state;
    static const struct {
        float stiffness, damping;
        double bound;
    } rows[] = {{2.0f, 4.0f, 1e-4}, {0.0f, 1.0f, 2e-3}, {12.0f, 2.0f, 2e-5}, {0.5f, 0.0f, 2e-2}};
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        lmb_chain_def def = swinging_chain();
        def.stiffness = rows[row].stiffness;
        def.damping = rows[row].damping;
        crowd *c = start_crowd_with(def, false, false);
        static chain_state chains[CHARACTERS];
        memset(chains, 0, sizeof chains);
        double worst = 0.0, swing = 0.0, roll = 0.0;
        for (uint32_t frame = 0; frame < 60; frame++) {
            move_crowd(c, frame);
            run_frame(c);
            for (uint32_t i = 0; i < CHARACTERS; i++) {
                oracle_affine shown[JOINTS], base[JOINTS];
                double ends[BONES][3], p[3], apart[3];
                oracle_frame(c, &def, i, c->poses, &chains[i], ends);
                find_models(c, c->shown, i, shown);
                find_models(c, c->poses, i, base);
                for (uint32_t bone = 0; bone < BONES; bone++) {
                    position(&shown[T0 + bone + 1], p);
                    subtract(p, ends[bone], apart);
                    worst = fmax(worst, length(apart));
                    // The turn from the base is the shortest: its axis is perpendicular to the bone.
                    double from[3], to[3], animated[3], a[4], b[4], turn[4];
                    position(&base[T0 + bone], from);
                    position(&base[T0 + bone + 1], to);
                    subtract(to, from, animated);
                    assert_true(oracle_affine_rotation(&base[T0 + bone], a));
                    assert_true(oracle_affine_rotation(&shown[T0 + bone], b));
                    oracle_quaternion_conjugate(a, a);
                    oracle_quaternion_multiply(b, a, turn);
                    const double along = animated[0] * turn[0] + animated[1] * turn[1] + animated[2] * turn[2];
                    roll = fmax(roll, fabs(along) / length(animated));
                }
                swing = fmax(swing, distance_to_base(c, i));
            }
        }
        print_message("stiffness %g, damping %g: error %.2g, roll %.2g, swing %.2g\n", (double)def.stiffness,
                      (double)def.damping, worst, roll, swing);
        assert_true(worst < rows[row].bound);
        assert_true(roll < 2e-6);
        assert_true(swing > 0.02);
        end_crowd(c);
    }
}

static void rotation(pose_rows poses, uint32_t character, uint32_t joint, double q[4]) {
    for (uint32_t k = 0; k < 4; k++) {
        q[k] = (double)poses[character][3 + k][joint];
    }
}

// Each joint beside the slerp by its weight from the base to what it is with weight 1. What bones keep is the same.
static void joints_have_weights(void **state) {
    (void)state;
    static const float lists[2][BONES] = {{1.0f, 0.5f, 0.0f, 0.25f}, {0.75f}};
    for (uint32_t row = 0; row < 2; row++) {
        lmb_chain_def def = swinging_chain();
        crowd *whole = start_crowd_with(def, false, false);
        def.weights = lists[row];
        def.weight_count = row == 0 ? BONES : 1;
        crowd *c = start_crowd_with(def, false, false);
        double worst = 0.0, turned = 0.0;
        for (uint32_t frame = 0; frame < 20; frame++) {
            for (uint32_t i = 0; i < CHARACTERS; i++) {
                whole->parameters[i][WEIGHT] = c->parameters[i][WEIGHT] = i % 2 == 0 ? 1.0f : 0.5f;
            }
            move_crowd(whole, frame);
            run_frame(whole);
            move_crowd(c, frame);
            run_frame(c);
            for (uint32_t i = 0; i < CHARACTERS * BONES; i++) {
                const uint32_t joint = T0 + i % BONES;
                const double weight = (double)lists[row][row == 0 ? i % BONES : 0];
                double from[4], to[4], got[4], expected[4];
                oracle_choices choices = {0};
                rotation(whole->poses, i / BONES, joint, from);
                rotation(whole->shown, i / BONES, joint, to);
                rotation(c->shown, i / BONES, joint, got);
                oracle_quaternion_slerp(from, to, weight, &choices, expected);
                worst = fmax(worst, 1.0 - fabs(oracle_quaternion_dot(got, expected)));
                turned = fmax(turned, 1.0 - fabs(oracle_quaternion_dot(from, to)));
                for (int k = 0; k < 4 && (weight == 0.0 || weight == 1.0); k++) {
                    assert_true(weight == 0.0 ? fabs(got[k] - from[k]) < 1e-6 : got[k] == to[k]);
                }
            }
        }
        assert_memory_equal(c->paths.memory[LMB_CPU_REFERENCE], whole->paths.memory[LMB_CPU_REFERENCE],
                            kept_paths_bytes(&c->paths));
        print_message("weights of joints: 1 - cosine %.2g, of turns by up to %.2g\n", worst, turned);
        assert_true(worst < 1e-6 && turned > 1e-3);
        end_crowd(whole);
        end_crowd(c);
    }
}

// How deep the ends of a character's bones are inside colliders.
static double depth_inside(const crowd *c, const lmb_chain_def *def, uint32_t character) {
    oracle_affine base[JOINTS], shown[JOINTS];
    shape shapes[LMB_MAX_CHAIN_COLLIDERS];
    find_models(c, ((crowd *)(uintptr_t)c)->poses, character, base);
    find_models(c, ((crowd *)(uintptr_t)c)->shown, character, shown);
    place_colliders(def, base, shapes);
    double deepest = 0.0;
    for (uint32_t bone = 0; bone < BONES; bone++) {
        double p[3], delta[3];
        position(&shown[T0 + bone + 1], p);
        subtract(p, shapes[0].head, delta);
        deepest = fmax(deepest, shapes[0].radius + radius_of(def, bone) - length(delta));
    }
    return deepest;
}

// Chains that a sphere and a capsule push, beside the oracle. The ends that are pushed are the same, and out of the
// sphere as far as the oracle's are.
static void colliders_push_the_ends(void **state) {
    (void)state;
    static const float radii[BONES] = {0.02f, 0.05f, 0.0f, 0.1f};
    lmb_collider_def colliders[2] = {lmb_default_collider_def(), lmb_default_collider_def()};
    colliders[0].joint = HIP;
    colliders[0].offset[0] = 0.3f;
    colliders[0].radius = 0.25f;
    colliders[1].joint = OTHER;
    colliders[1].is_capsule = true;
    colliders[1].offset[1] = -0.4f;
    colliders[1].tail[1] = 0.4f;
    colliders[1].tail[2] = 0.2f;
    colliders[1].radius = 0.2f;
    lmb_chain_def def = swinging_chain();
    def.colliders = colliders;
    def.radii = radii;
    def.radius_count = BONES;
    for (uint32_t count = 1; count <= 2; count++) {
        def.collider_count = count;
        crowd *c = start_crowd_with(def, false, false);
        static chain_state chains[CHARACTERS];
        memset(chains, 0, sizeof chains);
        double worst = 0.0, deepest = 0.0;
        lmb_chain_def without = def;
        without.collider_count = 0;
        static chain_state free_chains[CHARACTERS];
        memset(free_chains, 0, sizeof free_chains);
        double pushed = 0.0;
        for (uint32_t frame = 0; frame < 60; frame++) {
            move_crowd(c, frame);
            run_frame(c);
            for (uint32_t i = 0; i < CHARACTERS; i++) {
                oracle_affine shown[JOINTS];
                double ends[BONES][3], free_ends[BONES][3], p[3], apart[3];
                oracle_frame(c, &def, i, c->poses, &chains[i], ends);
                oracle_frame(c, &without, i, c->poses, &free_chains[i], free_ends);
                find_models(c, c->shown, i, shown);
                for (uint32_t bone = 0; bone < BONES; bone++) {
                    position(&shown[T0 + bone + 1], p);
                    subtract(p, ends[bone], apart);
                    worst = fmax(worst, length(apart));
                    subtract(p, free_ends[bone], apart);
                    pushed = fmax(pushed, length(apart));
                }
                deepest = frame > 0 && count == 1 ? fmax(deepest, depth_inside(c, &def, i)) : deepest;
            }
        }
        print_message("%u colliders: error %.2g, pushed by up to %.2g, inside by up to %.2g\n", count, worst, pushed,
                      deepest);
        assert_true(worst < 1e-3);
        assert_true(pushed > 0.1);
        end_crowd(c);
    }
}

// A bone without damping beside its energy at the beginning, over 10 seconds: in float64 and in the library. The bone
// hangs from a joint at rest, and begins turned away from where gravity and spring pull it.
static double energy_of(const lmb_chain_def *def, const double x[3], const double p[3], const double bone[3]) {
    const double h = 1.0 / 120.0, spring = 2.0 * acos(-1.0) * (double)def->stiffness;
    double energy = 0.0;
    for (int i = 0; i < 3; i++) {
        const double v = (x[i] - p[i]) / h, middle = 0.5 * (x[i] + p[i]), stretched = middle - bone[i];
        energy += 0.5 * v * v - (double)def->gravity[i] * middle + 0.5 * spring * spring * stretched * stretched;
    }
    return energy;
}

static void a_bone_without_damping_gains_no_energy(void **state) {
    (void)state;
    static const float stiffnesses[] = {0.0f, 0.5f, 2.0f, 5.0f, 10.0f, 18.0f, 100.0f};
    static const double angles[] = {10.0, 90.0, 150.0, 178.0};
    const double bone[3] = {0.0, -0.25, 0.0}, origin[3] = {0.0, 0.0, 0.0};
    double most = 0.0;
    for (size_t i = 0; i < sizeof stiffnesses / sizeof *stiffnesses * 4; i++) {
        lmb_chain_def def = lmb_default_node_def().chain;
        def.stiffness = stiffnesses[i / 4];
        def.damping = 0.0f;
        const double angle = angles[i % 4] * acos(-1.0) / 180.0;
        bone_state b = {.x = {0.25 * sin(angle), -0.25 * cos(angle), 0.0}};
        memcpy(b.p, b.x, sizeof b.p);
        const double first = energy_of(&def, b.x, b.p, bone), at_rest = energy_of(&def, bone, bone, bone);
        for (int step = 0; step < 1200; step++) {
            step_bone(&def, &b, origin, bone, origin);
            most = fmax(most, (energy_of(&def, b.x, b.p, bone) - first) / (first - at_rest));
        }
    }
    print_message("without damping the energy grows by up to %.2g\n", most);
    assert_true(most < 0.01);
}

static void a_frame_twice_changes_no_bit(void **state) {
    (void)state;
    crowd *c = start_crowd();
    uint32_t *kept = malloc(kept_paths_bytes(&c->paths));
    static pose_rows first;
    assert_non_null(kept);
    for (uint32_t frame = 0; frame < 30; frame++) {
        move_crowd(c, frame);
        c->parameters[3][TIME] = frame % 5 == 0 ? 500.0f : c->parameters[3][TIME]; // begins anew
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
    crowd *c = start_crowd();
    uint32_t *kept = malloc(kept_paths_bytes(&c->paths));
    static pose_rows first;
    assert_non_null(kept);
    for (uint32_t frame = 0; frame < 20; frame++) {
        move_crowd(c, frame);
        run_frame(c);
    }
    memcpy(kept, c->paths.memory[LMB_CPU_REFERENCE], kept_paths_bytes(&c->paths));
    for (uint32_t round = 0; round < 2; round++) {
        kept_paths_set(&c->paths, kept);
        for (uint32_t frame = 20; frame < 40; frame++) {
            move_crowd(c, frame);
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

// Runs frames until chains have swung, and one more in which `change` applies to every second character: these must
// begin anew, and the others not.
static void expect_new_beginning(lmb_chain_def def, bool has_levels, void (*change)(crowd *, uint32_t, uint32_t)) {
    crowd *c = start_crowd_with(def, false, has_levels);
    for (uint32_t frame = 0; frame < 12; frame++) {
        move_crowd(c, frame);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            c->parameters[i][VELOCITY] = frame < 11 ? (float)(frame % 2) * 4.0f : 0.0f;
            if (i % 2 == 0) {
                change(c, i, frame);
            }
        }
        run_frame(c);
    }
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        const double moved = distance_to_base(c, i);
        assert_true(i % 2 == 0 ? moved < 4e-7 : moved > 1e-4);
    }
    end_crowd(c);
}

static void after_a_gap(crowd *c, uint32_t character, uint32_t frame) {
    c->parameters[character][TIME] += frame == 11 ? 0.51f : 0.0f;
}

static void back_in_time(crowd *c, uint32_t character, uint32_t frame) {
    c->parameters[character][TIME] = frame == 11 ? 0.125f : c->parameters[character][TIME];
}

static void far_away(crowd *c, uint32_t character, uint32_t frame) {
    c->poses[character][0][ROOT] += frame == 11 ? 5.0f : 0.0f;
}

static void without_weight(crowd *c, uint32_t character, uint32_t frame) {
    c->parameters[character][WEIGHT] = frame == 10 ? 0.0f : 1.0f;
    c->parameters[character][TIME] += frame == 11 ? 0.5f : 0.0f; // since frame 9 more than half a second
}

static void beginnings_are_as_animated(void **state) {
    (void)state;
    lmb_chain_def def = swinging_chain();
    expect_new_beginning(def, false, after_a_gap);
    expect_new_beginning(def, false, back_in_time);
    expect_new_beginning(def, false, without_weight);
    def.teleport = 1.0f;
    expect_new_beginning(def, false, far_away);
}

// Joints that a level of detail drops have the rest pose, and keep nothing; the bones above them swing on.
static void dropped_joints_keep_nothing(void **state) {
    (void)state;
    crowd *c = start_crowd_with(swinging_chain(), false, true);
    static uint32_t before[20 * BONES];
    for (uint32_t frame = 0; frame < 40; frame++) {
        move_crowd(c, frame);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            c->parameters[i][LEVEL] = (float)((frame + i) / 4 % 2);
        }
        memcpy(before, c->paths.memory[LMB_CPU_REFERENCE], sizeof before);
        run_frame(c);
        for (uint32_t word = 0; c->parameters[0][LEVEL] > 0.0f && word < 20 * BONES; word++) {
            const bool is_dropped = word % BONES >= 2;
            assert_true(!is_dropped || before[word] == c->paths.memory[LMB_CPU_REFERENCE][word]);
        }
    }
    end_crowd(c);
}

static void times_wrap(void **state) {
    (void)state;
    crowd *c = start_crowd();
    static pose_rows first[40];
    for (uint32_t round = 0; round < 3; round++) {
        static const float begin[] = {511.5f, 1023.5f, 2047.5f};
        for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
            if (c->paths.cpu[path] != NULL) {
                memset(c->paths.memory[path], 0, kept_paths_bytes(&c->paths));
            }
        }
        for (uint32_t frame = 0; frame < 40; frame++) {
            move_crowd(c, frame);
            for (uint32_t i = 0; i < CHARACTERS; i++) {
                c->parameters[i][TIME] = begin[round] + (float)frame / 32.0f;
            }
            run_frame(c);
            if (round == 0) {
                memcpy(first[frame], c->shown, sizeof c->shown);
            }
            assert_memory_equal(first[frame], c->shown, sizeof c->shown);
        }
        assert_true(distance_to_base(c, 1) > 1e-3);
    }
    end_crowd(c);
}

static void weights_and_missing_memory_give_the_base(void **state) {
    (void)state;
    crowd *c = start_crowd();
    static pose_rows base, without;
    move_crowd(c, 0);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        c->parameters[i][WEIGHT] = 0.0f;
    }
    for (uint32_t frame = 0; frame < 10; frame++) {
        move_crowd(c, frame);
        run_frame(c);
        memcpy(base, c->shown, sizeof base);
        run_path(c, LMB_CPU_REFERENCE, NULL, without);
        assert_memory_equal(base, without, sizeof base);
    }
    for (size_t i = 0; i < kept_paths_bytes(&c->paths) / sizeof(uint32_t); i++) {
        assert_int_equal(c->paths.memory[LMB_CPU_REFERENCE][i], 0);
    }
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        c->parameters[i][WEIGHT] = 1.0f;
    }
    run_path(c, LMB_CPU_REFERENCE, NULL, without);
    assert_memory_equal(base, without, sizeof base);
    // Half a weight is half of the way; nothing but rotations of the chain changes.
    static pose_rows whole;
    for (uint32_t frame = 10; frame < 30; frame++) {
        move_crowd(c, frame);
        run_frame(c);
    }
    memcpy(whole, c->shown, sizeof whole);
    run_path(c, LMB_CPU_REFERENCE, NULL, base);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        c->parameters[i][WEIGHT] = 0.5f;
    }
    run_frame(c);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            double from[4], to[4], middle[4], got[4];
            for (uint32_t k = 0; k < LMB_POSE_COMPONENTS; k++) {
                const bool turns = joint >= T0 && joint < T4 && k >= 3 && k < 7;
                assert_true(turns || memcmp(&c->shown[i][k][joint], &base[i][k][joint], sizeof(float)) == 0);
            }
            for (uint32_t k = 0; k < 4; k++) {
                from[k] = (double)base[i][3 + k][joint];
                to[k] = (double)whole[i][3 + k][joint];
                got[k] = (double)c->shown[i][3 + k][joint];
            }
            oracle_choices choices = {0};
            oracle_quaternion_slerp(from, to, 0.5, &choices, middle);
            assert_true(fabs(oracle_quaternion_dot(middle, got)) > 1.0 - 1e-6);
        }
    }
    end_crowd(c);
}

// Without gravity and velocity a chain comes to rest where the animation has it.
static void chains_come_to_rest(void **state) {
    (void)state;
    lmb_chain_def def = swinging_chain();
    memset(def.gravity, 0, sizeof def.gravity);
    crowd *c = start_crowd_with(def, false, false);
    double most = 0.0, worst = 0.0;
    for (uint32_t frame = 0; frame < 600; frame++) {
        move_crowd(c, 0);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            c->parameters[i][TIME] = 0.25f + (float)frame / 60.0f;
            c->parameters[i][VELOCITY] = frame > 5 && frame < 10 ? 3.0f : 0.0f;
            c->parameters[i][VELOCITY + 1] = c->parameters[i][VELOCITY + 2] = 0.0f;
        }
        run_frame(c);
        most = fmax(most, distance_to_base(c, 5));
    }
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        worst = fmax(worst, distance_to_base(c, i));
    }
    print_message("swings by %.2g, rests within %.2g\n", most, worst);
    assert_true(most > 0.05 && worst < 1e-4);
    end_crowd(c);
}

static void foreign_memory_stays_finite(void **state) {
    (void)state;
    static const uint32_t extremes[] = {0x7fc00000u, 0xff800000u, 0x7f7fffffu, 0x00000001u, 0x80000000u, 0x3f800000u};
    random_source source = {11};
    for (int round = 0; round < 40; round++) {
        crowd *c = start_crowd();
        for (size_t i = 0; i < kept_paths_bytes(&c->paths) / sizeof(uint32_t); i++) {
            uint32_t word = round % 2 == 0 ? (uint32_t)random_bits(&source) : extremes[random_below(&source, 6)];
            const float time = (float)random_between(&source, 0.2, 0.4); // accepted as a frame before
            if (i % c->paths.words / BONES % 10 == 9 && round % 4 < 2) {
                memcpy(&word, &time, sizeof word);
            }
            for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
                if (c->paths.cpu[path] != NULL) {
                    c->paths.memory[path][i] = word;
                }
            }
        }
        for (uint32_t frame = 0; frame < 5; frame++) {
            move_crowd(c, frame);
            run_frame(c);
        }
        end_crowd(c);
    }
}

// NaN counts as 0 and as refused; extreme numbers stay finite.
static void faulty_parameters_are_refused(void **state) {
    (void)state;
    crowd *c = start_crowd();
    static const float values[] = {INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f, -5.0f, 1e9f};
    for (uint32_t frame = 0; frame < 20; frame++) {
        move_crowd(c, frame);
        c->parameters[2][TIME] = NAN;
        c->parameters[3][VELOCITY + frame % 3] = NAN;
        for (uint32_t i = 4; i < CHARACTERS; i++) {
            c->parameters[i][i % 4] = values[(frame / 2 + i) % 7];
        }
        run_frame(c);
    }
    assert_true(c->paths.refused[LMB_REFUSED_WEIGHT] >= 2);
    end_crowd(c);
}

// With inertialization, chains have their words after its own, and show the same.
static void inertialized_graphs_have_chains(void **state) {
    (void)state;
    crowd *c = start_crowd(), *inertialized = start_crowd_with(swinging_chain(), true, false);
    for (uint32_t frame = 0; frame < 20; frame++) {
        move_crowd(c, frame);
        move_crowd(inertialized, frame);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            inertialized->parameters[i][INERTIA + LMB_INERTIA_NUMBER] = (float)frame;
        }
        run_frame(c);
        run_frame(inertialized);
        assert_memory_equal(c->shown, inertialized->shown, sizeof c->shown);
    }
    end_crowd(c);
    end_crowd(inertialized);
}

#define REFUSED(...)                                                                                                   \
    CHECK_REFUSAL(create_graph(rig, def, false, false, &graph, &error), &error, LMB_ERROR_ARGUMENT, __VA_ARGS__);      \
    assert_null(graph);                                                                                                \
    def = good

static void faulty_nodes_are_refused(void **state) {
    (void)state;
    lmb_rig *rig = kept_rig_create(parents, JOINTS);
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    const lmb_chain_def good = swinging_chain();
    lmb_chain_def def = good;
    def.start = JOINTS;
    REFUSED("node 1 (chain)", "start", "no such joint");
    def.end = LMB_NONE;
    REFUSED("end", "no such joint");
    def.end = T0;
    REFUSED("end", "is not below");
    def.end = OTHER;
    REFUSED("end", "is not below");
    def.time = lmb_parameter(PARAMETERS);
    REFUSED("time", "parameter");
    def.velocity[2] = lmb_constant(NAN);
    REFUSED("velocity[2]", "finite");
    def.gravity[1] = INFINITY;
    REFUSED("gravity", "2^20");
    def.gravity[0] = NAN;
    REFUSED("gravity");
    def.stiffness = -1.0f;
    REFUSED("stiffness", "0 to 1000");
    def.stiffness = NAN;
    REFUSED("stiffness");
    def.damping = 1001.0f;
    REFUSED("damping", "0 to 1000");
    def.teleport = INFINITY;
    REFUSED("teleport", "2^40");
    lmb_collider_def colliders[LMB_MAX_CHAIN_COLLIDERS + 1];
    for (uint32_t i = 0; i <= LMB_MAX_CHAIN_COLLIDERS; i++) {
        colliders[i] = lmb_default_collider_def();
        colliders[i].joint = HIP;
    }
    def.collider_count = 1;
    REFUSED("colliders", "NULL");
    def.colliders = colliders;
    def.collider_count = LMB_MAX_CHAIN_COLLIDERS + 1;
    REFUSED("colliders", "more than 8");
#define REFUSED_COLLIDER(change, ...)                                                                                  \
    def.colliders = colliders;                                                                                         \
    def.collider_count = 2;                                                                                            \
    kept = colliders[1];                                                                                               \
    change;                                                                                                            \
    REFUSED(__VA_ARGS__);                                                                                              \
    colliders[1] = kept
    lmb_collider_def kept;
    REFUSED_COLLIDER(colliders[1].cookie = 0, "colliders", "lmb_default_collider_def()");
    REFUSED_COLLIDER(colliders[1].joint = JOINTS, "joint", "no such joint");
    REFUSED_COLLIDER(colliders[1].radius = -1.0f, "radius");
    REFUSED_COLLIDER(colliders[1].offset[2] = NAN, "offset");
    REFUSED_COLLIDER(colliders[1].tail[0] = INFINITY, "tail");
    static const float radii[BONES] = {1.0f, 1.0f, -1.0f, 1.0f};
    def.radius_count = 1;
    REFUSED("radii", "NULL");
    def.radii = radii;
    def.radius_count = 3;
    REFUSED("radii", "as many as bones");
    def.radii = radii;
    def.radius_count = BONES;
    REFUSED("radii", "0 to 2^20");
    def.weight_count = 1;
    REFUSED("weights", "NULL");
    def.weights = radii;
    def.weight_count = BONES + 1;
    REFUSED("weights", "as many as bones");
    def.weights = radii;
    def.weight_count = BONES;
    REFUSED("weights", "0 to 1");
    lmb_rig_destroy(rig);
    // A chain may have 32 bones, and not 33.
    lmb_joint_def joints[34];
    for (uint32_t i = 0; i < 34; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
    }
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = 34}, NULL, &rig, NULL), LMB_OK);
    def.start = 0;
    def.end = 33;
    REFUSED("end", "more than 32 bones");
    def.start = 0;
    def.end = 32;
    assert_int_equal(create_graph(rig, def, false, false, &graph, &error), LMB_OK);
    assert_int_equal(lmb_graph_get_info(graph)->inertia_words, 20 * 32);
    lmb_graph_destroy(graph);
    lmb_rig_destroy(rig);
    const lmb_node_def node = lmb_chain_node(3, T1, T4, lmb_parameter(2));
    assert_int_equal(node.op, LMB_OP_CHAIN);
    assert_int_equal(node.inputs[0], 3);
    assert_int_equal(node.chain.start, T1);
    assert_int_equal(node.chain.end, T4);
    assert_int_equal(node.chain.time.parameter, 2);
    assert_true(node.chain.gravity[1] == -9.81f && node.chain.stiffness == 2.0f && node.chain.damping == 4.0f &&
                node.chain.teleport == LMB_LARGEST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_follow_the_formula),
        cmocka_unit_test(joints_have_weights),
        cmocka_unit_test(colliders_push_the_ends),
        cmocka_unit_test(a_bone_without_damping_gains_no_energy),
        cmocka_unit_test(a_frame_twice_changes_no_bit),
        cmocka_unit_test(restored_memory_continues),
        cmocka_unit_test(beginnings_are_as_animated),
        cmocka_unit_test(dropped_joints_keep_nothing),
        cmocka_unit_test(times_wrap),
        cmocka_unit_test(weights_and_missing_memory_give_the_base),
        cmocka_unit_test(chains_come_to_rest),
        cmocka_unit_test(foreign_memory_stays_finite),
        cmocka_unit_test(faulty_parameters_are_refused),
        cmocka_unit_test(inertialized_graphs_have_chains),
        cmocka_unit_test(faulty_nodes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
