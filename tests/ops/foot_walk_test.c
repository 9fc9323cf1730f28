// Planted feet that are locked do not slide where clips slide, and do not jump when a lock begins, ends or breaks.
// World transforms of the batch's own motion give the bits of those that a host makes.
#include "foot_walk.h"

#include <math.h>

enum { FRAMES = 420 };
static const float HALF_LIFE = 0.06f;

static double horizontal(const double a[3], const double b[3]) {
    return hypot(a[0] - b[0], a[2] - b[2]);
}

// What is measured of a foot.
typedef struct track {
    double from[3]; // where it was in the frame in which it was planted
    double last[3], base[3];
    double slide, base_slide; // most while planted
    double step, base_step;   // most in a frame
    // By how much the displacement from the base changed most in a frame without a lock, beyond what decays in it.
    double pop;
    uint32_t planted_frames, plants;
    bool planted;
} track;

static void follow(track *t, const double shown[3], const double base[3], bool planted, uint32_t frame) {
    if (planted && t->planted) {
        t->slide = fmax(t->slide, horizontal(shown, t->from));
        t->base_slide = fmax(t->base_slide, horizontal(base, t->from));
        t->planted_frames++;
    } else if (planted) {
        memcpy(t->from, shown, sizeof t->from);
        t->plants++;
    }
    if (frame > 0 && !(planted && t->planted)) {
        const double decays = 1.0 - exp2(-1.0 / WALK_RATE / (double)HALF_LIFE);
        const double x = t->last[0] - t->base[0], z = t->last[2] - t->base[2];
        const double changed = hypot(shown[0] - base[0] - x, shown[2] - base[2] - z);
        t->pop = fmax(t->pop, changed - decays * hypot(x, z));
    }
    if (frame > 0) {
        t->step = fmax(t->step, horizontal(shown, t->last) + fabs(shown[1] - t->last[1]));
        t->base_step = fmax(t->base_step, horizontal(base, t->base) + fabs(base[1] - t->base[1]));
    }
    t->planted = planted;
    memcpy(t->last, shown, sizeof t->last);
    memcpy(t->base, base, sizeof t->base);
}

static void locks_hold_where_clips_slide(void **state) {
    (void)state;
    const float lock = 0.5f;
    walk locked, free_feet;
    static track tracks[WALK_CHARACTERS][WALK_FEET];
    memset(tracks, 0, sizeof tracks);
    walk_begin(&locked, &(walk_def){.lock_distance = lock, .release_half_life = HALF_LIFE});
    walk_begin(&free_feet, &(walk_def){.release_half_life = HALF_LIFE});
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        walk_move(&locked, frame);
        walk_run(&locked);
        walk_move(&free_feet, frame);
        walk_run(&free_feet);
        for (uint32_t i = 0; i < WALK_CHARACTERS; i++) {
            for (uint32_t foot = 0; foot < WALK_FEET; foot++) {
                double shown[3], base[3];
                walk_ankle(&locked, i, foot, shown);
                walk_ankle(&free_feet, i, foot, base);
                follow(&tracks[i][foot], shown, base, walk_is_planted(&locked, i, foot), frame);
            }
        }
    }
    for (uint32_t i = 0; i < WALK_CHARACTERS; i++) {
        for (uint32_t foot = 0; foot < WALK_FEET; foot++) {
            const track *t = &tracks[i][foot];
            // A displacement that decays moves the foot by at most this in a frame.
            const double decay = (1.0 - exp2(-1.0 / WALK_RATE / (double)HALF_LIFE)) * (t->base_slide + 0.05);
            print_message("character %u, foot %u: planted %u times, %u frames; slides %.1f mm, unlocked %.1f; steps "
                          "%.1f mm, unlocked %.1f; pops %.2f mm\n",
                          i, foot, t->plants, t->planted_frames, 1e3 * t->slide, 1e3 * t->base_slide, 1e3 * t->step,
                          1e3 * t->base_step, 1e3 * t->pop);
            assert_true(t->plants >= 5 && t->planted_frames > FRAMES / 6);
            assert_true(t->slide <= 5e-3 && t->pop <= 1e-3);
            assert_true(t->step <= t->base_step + decay);
            assert_true(t->base_slide > (i == 1 || i == 2 ? 0.1 : 0.01));
        }
    }
    walk_end(&locked);
    walk_end(&free_feet);
}

// Characters that are updated in every third frame only, while the host moves them in each: planted feet stay.
static void locks_hold_between_updates(void **state) {
    (void)state;
    const lmb_value update_every = lmb_constant(3.0f);
    walk w;
    static track tracks[WALK_CHARACTERS][WALK_FEET];
    memset(tracks, 0, sizeof tracks);
    walk_begin(&w, &(walk_def){.lock_distance = 0.5f, .release_half_life = HALF_LIFE, .update_every = &update_every});
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        walk_move(&w, frame);
        walk_run(&w);
        for (uint32_t i = 0; i < WALK_CHARACTERS; i++) {
            for (uint32_t foot = 0; foot < WALK_FEET; foot++) {
                double shown[3];
                walk_ankle(&w, i, foot, shown);
                follow(&tracks[i][foot], shown, shown, walk_is_planted(&w, i, foot), frame);
            }
        }
    }
    for (uint32_t i = 0; i < WALK_CHARACTERS; i++) {
        for (uint32_t foot = 0; foot < WALK_FEET; foot++) {
            const track *t = &tracks[i][foot];
            print_message("character %u, foot %u: planted %u times, slides %.1f mm\n", i, foot, t->plants,
                          1e3 * t->slide);
            assert_true(t->plants >= 5 && t->slide <= 5e-3);
        }
    }
    walk_end(&w);
}

// The value `planted` plants a foot for as long as it says. The character leaves, and the lock breaks at its distance.
static void values_plant_feet_until_locks_break(void **state) {
    (void)state;
    const float lock = 0.12f;
    walk w, free_feet;
    walk_begin(&w, &(walk_def){.lock_distance = lock, .release_half_life = HALF_LIFE});
    walk_begin(&free_feet, &(walk_def){.release_half_life = HALF_LIFE});
    double from[WALK_CHARACTERS][WALK_FEET][3], most = 0.0;
    uint32_t held = 0;
    for (uint32_t frame = 0; frame < 60; frame++) {
        for (uint32_t i = 0; i < WALK_CHARACTERS; i++) {
            w.parameters[i * w.row + WALK_IDLE] = 1.0f;
        }
        walk_move(&w, frame);
        walk_run(&w);
        walk_move(&free_feet, frame);
        walk_run(&free_feet);
        for (uint32_t i = 0; i < WALK_CHARACTERS; i++) {
            for (uint32_t foot = 0; foot < WALK_FEET; foot++) {
                double shown[3], base[3];
                walk_ankle(&w, i, foot, shown);
                walk_ankle(&free_feet, i, foot, base);
                if (frame == 0) {
                    memcpy(from[i][foot], shown, sizeof shown);
                }
                held += horizontal(shown, from[i][foot]) < 5e-3;
                most = fmax(most, horizontal(shown, base));
            }
        }
    }
    print_message("held in %u frames, displaced by %.1f mm at most\n", held, 1e3 * most);
    assert_true(held > 2 * WALK_CHARACTERS * WALK_FEET && held < 50 * WALK_CHARACTERS * WALK_FEET);
    assert_true(most > 0.1 && most < (double)lock + 5e-3);
    walk_end(&w);
    walk_end(&free_feet);
}

// Characters that move by themselves, somewhere in the world.
static void begin_moving(walk *w, bool full_rotation) {
    walk_begin(
        w, &(walk_def){
               .lock_distance = 0.15f, .release_half_life = HALF_LIFE, .moves = true, .full_rotation = full_rotation});
    for (uint32_t i = 0; i < WALK_CHARACTERS; i++) {
        const lmb_motion placed = {.position = {3.0 * i - 5.0, 0.25 * i, 1000.0 * i}, .yaw = 0.7 * i};
        lmb_error error = {0};
        uint32_t *state = w->state + (size_t)i * lmb_graph_get_info(w->graph)->state_words;
        assert_int_equal(lmb_state_set_motion(w->graph, state, &placed, &error), LMB_OK);
    }
}

// Runs a frame as a host does that makes the transforms.
static void run_with_made_transforms(walk *w) {
    lmb_error error = {0};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_MODEL] = w->models, .inertia = w->memory};
    const lmb_batch_inputs inputs = {.parameters = w->parameters, .transforms = &w->transforms[0][0]};
    w->frame.matrices = NULL;
    assert_int_equal(lmb_control_run(w->graph, &w->frame, 0, WALK_CHARACTERS, &error), LMB_OK);
    for (uint32_t i = 0; i < WALK_CHARACTERS; i++) {
        const lmb_affine matrix =
            lmb_state_matrix(w->graph, w->state + (size_t)i * lmb_graph_get_info(w->graph)->state_words);
        memcpy(w->transforms[i], &matrix, sizeof matrix);
    }
    if (lmb_cpu_run_poses(w->cpu, &w->batch, &inputs, &outputs, 0, WALK_CHARACTERS, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
}

// Runs a character of the frame in which `w` is, from a snapshot of before it, and expects its bits.
static void expect_past(const walk *w, lmb_cpu *cpu, const void *snapshot, size_t size, uint32_t row) {
    lmb_error error = {0};
    static float models[256 * 12];
    const lmb_batch_inputs inputs = {.control = &w->frame};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_MODEL] = models};
    const lmb_past_character past = {.snapshot = snapshot, .snapshot_size = size, .index = row, .row = row};
    assert_in_range(w->joints, 1, 256);
    if (lmb_cpu_run_past(cpu, &w->batch, &inputs, &outputs, &past, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    const size_t floats = (size_t)w->joints * 12;
    assert_memory_equal(models, w->models + row * floats, floats * sizeof(float));
}

static void own_transforms_are_those_of_hosts(void **state) {
    (void)state;
    static const lmb_cpu_path paths[] = {LMB_CPU_REFERENCE, LMB_CPU_FAST};
    for (uint32_t k = 0; k < 4; k++) {
        static walk own, made;
        lmb_error error = {0};
        begin_moving(&own, k / 2 != 0);
        begin_moving(&made, k / 2 != 0);
        lmb_cpu_destroy(own.cpu);
        assert_int_equal(lmb_cpu_create(own.graph, paths[k % 2], NULL, &own.cpu, &error), LMB_OK);
        const size_t words = (size_t)WALK_CHARACTERS * lmb_graph_get_info(own.graph)->inertia_words;
        const size_t size = lmb_snapshot_size(own.graph, WALK_CHARACTERS);
        void *snapshot = malloc(size);
        assert_non_null(snapshot);
        for (uint32_t frame = 0; frame < 90; frame++) {
            const lmb_character_words kept = {
                .states = own.state, .inertia = own.memory, .row_count = WALK_CHARACTERS, .count = WALK_CHARACTERS};
            assert_int_equal(lmb_snapshot_save(own.graph, &kept, 0, snapshot, size, &error), LMB_OK);
            walk_move(&own, frame);
            walk_run(&own);
            walk_move(&made, frame);
            run_with_made_transforms(&made);
            assert_memory_equal(own.transforms, made.transforms, sizeof own.transforms);
            assert_memory_equal(own.models, made.models, (size_t)WALK_CHARACTERS * own.joints * 12 * sizeof(float));
            assert_memory_equal(own.memory, made.memory, words * sizeof(uint32_t));
            expect_past(&own, own.cpu, snapshot, size, frame % WALK_CHARACTERS);
        }
        free(snapshot);
        walk_end(&own);
        walk_end(&made);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks_hold_where_clips_slide),
        cmocka_unit_test(locks_hold_between_updates),
        cmocka_unit_test(values_plant_feet_until_locks_break),
        cmocka_unit_test(own_transforms_are_those_of_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
