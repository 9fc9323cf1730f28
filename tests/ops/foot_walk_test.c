// Planted feet that are locked do not slide where clips slide, and do not jump when a lock begins, ends or breaks.
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
    walk_begin(&locked, lock, HALF_LIFE, NULL);
    walk_begin(&free_feet, 0.0f, HALF_LIFE, NULL);
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
    walk_begin(&w, 0.5f, HALF_LIFE, &update_every);
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
    walk_begin(&w, lock, HALF_LIFE, NULL);
    walk_begin(&free_feet, 0.0f, HALF_LIFE, NULL);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks_hold_where_clips_slide),
        cmocka_unit_test(locks_hold_between_updates),
        cmocka_unit_test(values_plant_feet_until_locks_break),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
