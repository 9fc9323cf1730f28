// Long takes of the mannequin: feet that stand do not slide, every kind of movement occurs, and a seed gives one take.
#include "mannequin_takes.h"
#include "suite.h"

#include "clip/clip.h"

#include <math.h>

static mannequin *figure;

static int set_up(void **state) {
    (void)state;
    return mannequin_create(NULL, &figure, NULL) == LMB_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    mannequin_destroy(figure);
    return 0;
}

static mannequin_take *create(uint32_t seed, float seconds) {
    mannequin_take *take = NULL;
    lmb_error error = {0};
    assert_ok(mannequin_take_create(mannequin_rig(figure), seed, seconds, NULL, &take, &error), &error);
    return take;
}

// Rotates by a unit quaternion.
static void rotate(const float q[4], const double v[3], double out[3]) {
    const double x = (double)q[0], y = (double)q[1], z = (double)q[2], w = (double)q[3];
    const double a = 2.0 * (y * v[2] - z * v[1]), b = 2.0 * (z * v[0] - x * v[2]), c = 2.0 * (x * v[1] - y * v[0]);
    out[0] = v[0] + w * a + y * c - z * b;
    out[1] = v[1] + w * b + z * a - x * c;
    out[2] = v[2] + w * c + x * b - y * a;
}

// Finds where a joint is on the ground that the take walks on, at a key.
static void find_joint(const mannequin_take *take, const char *name, uint32_t key, double position[3]) {
    const lmb_rig *rig = mannequin_rig(figure);
    const float *motion = mannequin_take_motion(take)->keys + 4 * (size_t)key;
    position[0] = position[1] = position[2] = 0.0;
    for (uint32_t joint = lmb_rig_find_joint(rig, name); joint != LMB_NONE;
         joint = lmb_rig_get_def(rig)->joints[joint].parent) {
        const lmb_transform local = lmb_clip_sample(mannequin_take_clip(take), rig, joint, (float)key / 30.0f);
        double turned[3];
        rotate(local.rotation, position, turned);
        for (int i = 0; i < 3; i++) {
            position[i] = turned[i] + (double)local.translation[i];
        }
    }
    const double sine = sin((double)motion[3]), cosine = cos((double)motion[3]), x = position[0], z = position[2];
    position[0] = (double)motion[0] + x * cosine + z * sine;
    position[2] = (double)motion[2] + z * cosine - x * sine;
}

// A foot stands flat if its ankle and its toes are as high as at rest.
static void standing_feet_do_not_slide(void **state) {
    (void)state;
    static const char *const feet[2][2] = {{"left_foot", "left_toes"}, {"right_foot", "right_toes"}};
    mannequin_take *take = create(1, 60.0f);
    const uint32_t count = mannequin_take_motion(take)->key_count;
    uint32_t flat = 0;
    double farthest = 0.0;
    for (int side = 0; side < 2; side++) {
        double before[3] = {0};
        bool was_flat = false;
        for (uint32_t key = 0; key < count; key++) {
            double ankle[3], toes[3];
            find_joint(take, feet[side][0], key, ankle);
            find_joint(take, feet[side][1], key, toes);
            const bool is_flat = ankle[1] < 0.0815 && fabs(toes[1] - 0.02) < 0.0015;
            if (is_flat && was_flat) {
                farthest = fmax(farthest, hypot(ankle[0] - before[0], ankle[2] - before[2]));
                flat++;
            }
            was_flat = is_flat;
            memcpy(before, ankle, sizeof before);
        }
    }
    print_message("%u of %u steps of a key are on a flat foot; it slides by %.4f m at most\n", (unsigned)flat,
                  (unsigned)(2 * count), farthest);
    assert_in_range(flat, count / 3, 2 * count);
    assert_true(farthest < 0.01);
    mannequin_take_destroy(take);
}

static void every_movement_occurs(void **state) {
    (void)state;
    enum { STANDS, WALKS, RUNS, BACK, LEFT, RIGHT, TURNS_LEFT, TURNS_RIGHT, MOVEMENTS };
    uint32_t counts[MOVEMENTS] = {0};
    for (uint32_t seed = 1; seed <= 4; seed++) {
        mannequin_take *take = create(seed, 60.0f);
        const lmb_motion_track *motion = mannequin_take_motion(take);
        assert_int_equal(motion->key_count, 1801);
        for (uint32_t key = 0; key + 1 < motion->key_count; key++) {
            const float *a = motion->keys + 4 * (size_t)key, *b = a + 4;
            const double x = (double)(b[0] - a[0]) * 30.0, z = (double)(b[2] - a[2]) * 30.0;
            const double sine = sin((double)a[3]), cosine = cos((double)a[3]), turn = (double)(b[3] - a[3]) * 30.0;
            const double forward = z * cosine + x * sine, left = x * cosine - z * sine;
            counts[STANDS] += fabs(forward) < 0.05 && fabs(left) < 0.05 && fabs(turn) < 0.05;
            counts[WALKS] += forward > 0.8 && forward < 1.6;
            counts[RUNS] += forward > 2.2;
            counts[BACK] += forward < -0.4;
            counts[LEFT] += left > 0.3;
            counts[RIGHT] += left < -0.3;
            counts[TURNS_LEFT] += turn > 1.0;
            counts[TURNS_RIGHT] += turn < -1.0;
        }
        mannequin_take_destroy(take);
    }
    for (int i = 0; i < MOVEMENTS; i++) {
        print_message("%u ", (unsigned)counts[i]);
        assert_true(counts[i] >= 60); // two seconds of four minutes
    }
    print_message("\n");
}

static void a_seed_gives_one_take(void **state) {
    (void)state;
    mannequin_take *takes[3] = {create(7, 5.0f), create(7, 5.0f), create(8, 5.0f)};
    const size_t bytes = mannequin_take_motion(takes[0])->key_count * 4 * sizeof(float);
    assert_memory_equal(mannequin_take_motion(takes[0])->keys, mannequin_take_motion(takes[1])->keys, bytes);
    assert_memory_not_equal(mannequin_take_motion(takes[0])->keys, mannequin_take_motion(takes[2])->keys, bytes);
    for (uint32_t joint = 0; joint < lmb_rig_get_def(mannequin_rig(figure))->joint_count; joint++) {
        const lmb_transform a = lmb_clip_sample(mannequin_take_clip(takes[0]), mannequin_rig(figure), joint, 3.0f);
        const lmb_transform b = lmb_clip_sample(mannequin_take_clip(takes[1]), mannequin_rig(figure), joint, 3.0f);
        assert_memory_equal(&a, &b, sizeof a);
    }
    assert_string_equal(lmb_clip_get_info(mannequin_take_clip(takes[2]))->name, "take 8");
    for (int i = 0; i < 3; i++) {
        mannequin_take_destroy(takes[i]);
    }
}

static void lengths_are_limited(void **state) {
    (void)state;
    mannequin_take *take = NULL;
    lmb_error error = {0};
    assert_int_equal(mannequin_take_create(mannequin_rig(figure), 1, 0.5f, NULL, &take, &error), LMB_ERROR_ARGUMENT);
    assert_string_equal(error.message, "mannequin take: 0.5 s are not from 1 to 600");
    assert_int_equal(mannequin_take_create(mannequin_rig(figure), 1, NAN, NULL, &take, NULL), LMB_ERROR_ARGUMENT);
    assert_null(take);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standing_feet_do_not_slide),
        cmocka_unit_test(every_movement_occurs),
        cmocka_unit_test(a_seed_gives_one_take),
        cmocka_unit_test(lengths_are_limited),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
