// The database for motion matching: its features against float64 ones (support/motion_rows.h), also those of further
// joints and of mirrored rows; searches against a search of all rows; rows and their moments; refusals and failing
// memory.
#include "failing_host.h"
#include "motion_rows.h"
#include "refusal.h"

#include <limber/motion_database.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.141592653589793

static lmb_motion_database *create(const lmb_motion_database_def *def) {
    lmb_motion_database *database = NULL;
    lmb_error error = {0};
    assert_ok(lmb_motion_database_create(def, NULL, &database, &error), &error);
    assert_non_null(database);
    return database;
}

// The definition of a database with these takes. `list` receives them.
static lmb_motion_database_def definition(const lmb_rig *rig, const take_source *sources, uint32_t count,
                                          lmb_motion_take *list) {
    lmb_motion_database_def def = lmb_default_motion_database_def();
    def.rig = rig;
    def.left_foot = LEFT_FOOT;
    def.right_foot = RIGHT_FOOT;
    def.hips = HIPS;
    def.takes = list;
    def.take_count = count;
    for (uint32_t i = 0; i < count; i++) {
        list[i] = sources[i].take;
    }
    return def;
}

// ---- Rows. ----

static uint32_t find_moment(const expectation *e, const lmb_motion_row *row) {
    const uint32_t index = (uint32_t)lround((double)row->time * e->rate);
    assert_true(e->first[row->take] + index < e->first[row->take + 1]);
    return e->first[row->take] + index;
}

// Each moment is one row, with its tags. Rows of the same tags follow each other: first all that can be found, then the
// others.
static void check_rows(const lmb_motion_database *database, const expectation *e) {
    assert_int_equal(lmb_motion_database_get_info(database)->row_count, e->count);
    uint8_t *seen = allocate(e->count, 1), *seen_tags = allocate(1u << 16, 1);
    uint32_t kind = UINT32_MAX; // tags, and whether rows can be found
    for (uint32_t r = 0; r < e->count; r++) {
        const lmb_motion_row row = lmb_motion_database_row(database, r);
        const uint32_t at = find_moment(e, &row);
        const moment *m = &e->moments[at];
        assert_false(seen[at]);
        seen[at] = 1;
        assert_near((double)row.time, m->index / e->rate, 1e-7 * (1.0 + (double)m->time), "time");
        assert_int_equal(row.tags, m->tags);
        assert_int_equal(row.can_be_found, m->can_be_found);
        const uint32_t own = 2 * row.tags + (row.can_be_found ? 1 : 0);
        assert_true(own < 1u << 16);
        assert_true(own == kind || !seen_tags[own]);
        seen_tags[own] = 1;
        kind = own;
        // The row that plays.
        const bool is_first = m->index == 0;
        assert_int_equal(lmb_motion_database_find_row(database, m->take, row.time), r);
        assert_int_equal(lmb_motion_database_find_row(database, m->take, row.time + (float)(0.5 / e->rate)), r);
        const uint32_t before = lmb_motion_database_find_row(database, m->take, nextafterf(row.time, -1.0f));
        const lmb_motion_row row_before = lmb_motion_database_row(database, before);
        assert_int_equal(row_before.take, m->take);
        assert_int_equal(find_moment(e, &row_before), is_first ? at : at - 1);
    }
    free(seen);
    free(seen_tags);
}

// Times outside of the take, and rows and takes that do not exist.
static void check_rows_outside(const lmb_motion_database *database, const expectation *e, uint32_t take_count) {
    for (uint32_t take = 0; take < take_count; take++) {
        const float end = (float)e->durations[take], beyond[3] = {end, end + 1.0f, HUGE_VALF};
        for (int i = 0; i < 3; i++) {
            const lmb_motion_row last =
                lmb_motion_database_row(database, lmb_motion_database_find_row(database, take, beyond[i]));
            const lmb_motion_row first = lmb_motion_database_row(
                database, lmb_motion_database_find_row(database, take, i == 0 ? 0.0f : -beyond[i]));
            assert_true(last.take == take && first.take == take && first.time == 0.0f);
            assert_int_equal(find_moment(e, &last), e->first[take + 1] - 1);
        }
        const uint32_t of_nan = lmb_motion_database_find_row(database, take, NAN);
        assert_true(of_nan == LMB_NONE || lmb_motion_database_row(database, of_nan).take == take);
    }
    const uint32_t none[3] = {e->count, e->count + 1, LMB_NONE};
    for (int i = 0; i < 3; i++) {
        const lmb_motion_row row = lmb_motion_database_row(database, none[i]);
        assert_true(row.take == LMB_NONE && row.time == 0.0f && row.tags == 0 && !row.can_be_found);
        assert_null(lmb_motion_database_features(database, none[i]));
    }
    assert_int_equal(lmb_motion_database_find_row(database, take_count, 0.0f), LMB_NONE);
    assert_int_equal(lmb_motion_database_find_row(database, LMB_NONE, 0.0f), LMB_NONE);
}

// ---- Features. ----

// Clips are sampled at times that are rounded to floats. Seconds after the beginning that moves a foot by up to 1e-6 of
// its speed, and a velocity is a difference over two rows, down to a thirtieth of a second. So it is inexact, and the
// scale with it, which is from the largest number: the more, the less velocities differ.
#define MOST_OFF 0.02
#define MOST_OFF_OF_SCALE 1e-4    // relative
#define MOST_OFF_OF_VELOCITY 1e-4 // units a second
#define MOST_OFF_OF_POSITION 1e-6 // of a further joint, whose group may be a single axis that hardly differs

// The largest distance of a stored number from the exact one, beyond the half that rounding allows.
static double largest_excess;
static uint32_t numbers_compared, numbers_equal;

static void read_numbers(const lmb_motion_database *database, const feature_layout *layout, uint32_t row, bool mirrored,
                         int16_t numbers[WIDTH]) {
    const int16_t *stored = lmb_motion_database_features(database, row);
    if (mirrored) {
        mirror_numbers(layout, stored, numbers);
    } else {
        memcpy(numbers, stored, WIDTH * sizeof *numbers);
    }
}

static const feature_group *group_of(const feature_layout *layout, uint32_t feature) {
    uint32_t group = 0;
    while (feature >= layout->groups[group].end) {
        group++;
    }
    return &layout->groups[group];
}

static double feature_slack(const expectation *e, uint32_t feature) {
    const feature_group *group = group_of(&e->layout, feature);
    const double most = group->unit == UNIT_VELOCITY ? MOST_OFF_OF_VELOCITY
                        : group->first >= FEATURES   ? MOST_OFF_OF_POSITION
                                                     : 0.0;
    return most * e->factor[feature] * e->scale;
}

// Relative.
static double scale_slack(const expectation *e) {
    double most = 0.0;
    for (uint32_t i = 0; i < e->layout.count; i++) {
        most = fmax(most, feature_slack(e, i));
    }
    return MOST_OFF_OF_SCALE + most / MAX_NUMBER;
}

// Compares the numbers of a row, or of the mirrored one, and returns the largest magnitude. `at` is the place of the
// exact features.
static int check_row(const lmb_motion_database *database, uint32_t r, bool mirrored, const expectation *e,
                     uint32_t at) {
    int16_t numbers[WIDTH], again[WIDTH];
    float own_units[WIDTH];
    int largest = 0;
    read_numbers(database, &e->layout, r, mirrored, numbers);
    for (uint32_t i = 0; i < e->layout.count; i++) {
        const double exact = e->normalised[at][i], off = fabs(numbers[i] - exact);
        const double most = 0.5 + MOST_OFF + scale_slack(e) * fabs(exact) + feature_slack(e, i);
        if (!(off <= most)) {
            const moment *m = &e->moments[at % e->count];
            fail_msg("take %u, moment %u%s, feature %u: %d instead of %.3f", (unsigned)m->take, (unsigned)m->index,
                     mirrored ? " mirrored" : "", (unsigned)i, numbers[i], exact);
        }
        largest_excess = fmax(largest_excess, off - 0.5);
        numbers_compared++;
        numbers_equal += (double)numbers[i] == floor(exact + 0.5);
        largest = abs(numbers[i]) > largest ? abs(numbers[i]) : largest;
        own_units[i] = (float)e->features[at][i];
    }
    for (uint32_t i = e->layout.count; i < WIDTH; i++) {
        own_units[i] = 1e9f; // does not count
    }
    lmb_motion_database_normalize(database, own_units, again);
    for (uint32_t i = 0; i < WIDTH; i++) {
        const bool is_feature = i < e->layout.count;
        const double most = is_feature ? 1.0 + feature_slack(e, i) : 0.0;
        assert_true(abs(again[i] - numbers[i]) <= most && (is_feature || numbers[i] == 0));
    }
    return largest;
}

static void check_features(const lmb_motion_database *database, const expectation *e) {
    const lmb_motion_database_info *info = lmb_motion_database_get_info(database);
    int largest = 0;
    const bool are_mirrored = e->choice_count > e->count;
    assert_int_equal(info->feature_count, e->layout.count);
    assert_int_equal(info->is_mirrored, are_mirrored);
    assert_near((double)info->scale, e->scale, scale_slack(e) * e->scale, "scale");
    for (uint32_t r = 0; r < e->count; r++) {
        const lmb_motion_row row = lmb_motion_database_row(database, r);
        const uint32_t at = find_moment(e, &row);
        for (uint32_t side = 0; side < (are_mirrored ? 2u : 1u); side++) {
            const int most = check_row(database, r, side == 1, e, at + side * e->count);
            largest = most > largest ? most : largest;
        }
    }
    assert_int_equal(largest, e->scale > 0.0 ? MAX_NUMBER : 0);
}

typedef struct random_settings {
    uint32_t max_takes, max_rows;
    travel travels; // the last one that takes have
} random_settings;

static take_source *random_takes(const lmb_rig *rig, const random_settings *settings, double rate, uint32_t *count,
                                 random_source *source) {
    *count = 1 + random_below(source, settings->max_takes);
    take_source *sources = allocate(*count, sizeof *sources);
    for (uint32_t i = 0; i < *count; i++) {
        const bool loop = random_below(source, 2) == 0;
        const double rows = 1.0 + random_below(source, settings->max_rows - 1) + (loop ? 1.0 : 0.0);
        // Every second clip has an end between two moments.
        const double duration = (rows + (random_below(source, 2) == 0 ? 0.25 : 0.0)) / rate;
        make_random_take(&sources[i], rig, duration, loop, (travel)random_below(source, settings->travels + 1), rate,
                         source);
    }
    return sources;
}

static const float rates[] = {30.0f, 24.0f, 60.0f, 7.5f, 29.97f};

// `joints` receives further joints.
static void random_definition(lmb_motion_database_def *def, lmb_motion_joint joints[JOINT_FEATURES],
                              random_source *source) {
    def->end = random_below(source, 3) == 0 ? 0.0f : (float)random_between(source, 0.0, 1.0);
    if (random_below(source, 2) == 0) {
        def->times[0] = (float)random_between(source, 0.01, 0.5);
        def->times[1] = def->times[0] + (float)random_between(source, 0.01, 0.5);
        def->times[2] = def->times[1] + (float)random_between(source, 0.01, 3.0);
    }
    if (random_below(source, 2) == 0) {
        def->weights =
            (lmb_motion_weights){(float)random_between(source, 0.0, 2.0), (float)random_between(source, 0.0, 2.0),
                                 (float)random_between(source, 0.0, 2.0), (float)random_between(source, 0.0, 2.0),
                                 random_below(source, 2) == 0 ? 0.0f : 1000.0f};
    }
    def->mirrored = random_below(source, 2) == 0;
    def->joints = joints;
    def->joint_count = random_motion_joints(source, TAKE_JOINTS, joints);
}

// Rig, clips and lists are overwritten or released before the rows are read.
static void features_and_rows_are_those_of_the_oracle(void **state) {
    (void)state;
    const uint32_t cases = suite_is_slow() ? 10 : suite_is_quick() ? 40 : 400;
    for (uint32_t i = 0; i < cases; i++) {
        random_source source = random_branch(suite_first() + i, 1);
        const random_settings settings = {i % 5 == 0 ? 1 : 6, i % 4 == 0 ? 3 : 90, (travel)(i % TRAVELS)};
        const float rate = rates[i % (sizeof rates / sizeof *rates)];
        lmb_rig *rig = make_take_rig();
        uint32_t count;
        take_source *sources = random_takes(rig, &settings, (double)rate, &count, &source);
        lmb_motion_take *list = allocate(count, sizeof *list);
        lmb_motion_database_def def = definition(rig, sources, count, list);
        def.rate = rate;
        lmb_motion_joint joints[JOINT_FEATURES];
        random_definition(&def, joints, &source);
        expectation e = expect_rows(&def, sources);
        expect_features(&def, sources, &e);
        lmb_motion_database *database = create(&def);
        for (uint32_t take = 0; take < count; take++) {
            lmb_clip_destroy(sources[take].clip);
        }
        memset(sources, 0xff, count * sizeof *sources);
        memset(list, 0xff, count * sizeof *list);
        memset(joints, 0xff, sizeof joints);
        memset(&def, 0xff, sizeof def);
        lmb_rig_destroy(rig);
        check_rows(database, &e);
        check_rows_outside(database, &e, count);
        check_features(database, &e);
        lmb_motion_database_destroy(database);
        release_expectation(&e);
        free(sources);
        free(list);
    }
    print_message("%u of %u numbers are equal, the others within %.2g of the half\n", (unsigned)numbers_equal,
                  (unsigned)numbers_compared, largest_excess);
    assert_true((double)numbers_equal >= 0.999 * (double)numbers_compared);
}

// A loop whose clip ends elsewhere than it begins goes on at its beginning, also if its duration is rounded.
static void a_loop_goes_on_at_its_beginning(void **state) {
    (void)state;
    lmb_rig *rig = make_take_rig();
    for (uint32_t i = 0; i < 40; i++) {
        random_source source = random_branch(i, 2);
        const float rate = rates[i % (sizeof rates / sizeof *rates)];
        take_source *sources = allocate(1, sizeof *sources);
        make_random_take(sources, rig, (2 + 3 * i) / (double)rate, false, (travel)(i % TRAVELS), (double)rate, &source);
        sources->take.loop = true;
        lmb_motion_take list[1];
        lmb_motion_database_def def = definition(rig, sources, 1, list);
        def.rate = rate;
        def.times[2] = 5.0f; // several rounds
        def.mirrored = i % 3 == 0;
        lmb_motion_joint joints[JOINT_FEATURES];
        def.joints = joints;
        def.joint_count = random_motion_joints(&source, TAKE_JOINTS, joints);
        expectation e = expect_rows(&def, sources);
        assert_int_equal(e.count, 2 + 3 * i);
        expect_features(&def, sources, &e);
        lmb_motion_database *database = create(&def);
        check_rows(database, &e);
        check_features(database, &e);
        lmb_motion_database_destroy(database);
        release_expectation(&e);
        release_takes(sources, 1);
    }
    lmb_rig_destroy(rig);
}

static const float left_rest[3] = {0.0f, 0.0f, -0.8f};

static void check_numbers(const lmb_motion_database *database, uint32_t take, const int16_t expected[WIDTH]) {
    for (uint32_t r = 0; r < lmb_motion_database_get_info(database)->row_count; r++) {
        const int16_t *numbers = lmb_motion_database_features(database, r);
        for (uint32_t i = 0; i < WIDTH && lmb_motion_database_row(database, r).take == take; i++) {
            if (numbers[i] != expected[i]) {
                fail_msg("take %u, row %u, feature %u: %d", (unsigned)take, (unsigned)r, (unsigned)i, numbers[i]);
            }
        }
    }
}

// Two takes in place, at 1 and 3 units a second, with as many rows each. The deviations of velocities are 0, 0 and 1,
// with a mean of 1/3, and those of the path are 1/3, 2/3 and 1 in z, and 0 in x, with a mean of 1/3. So velocities
// become -3 and 3, and the path -1, -2, -3 and 1, 2, 3.
static void two_speeds_by_hand(void **state) {
    (void)state;
    lmb_rig *rig = make_take_rig();
    take_source *sources = allocate(2, sizeof *sources);
    lmb_motion_take list[2];
    int16_t expected[2][WIDTH] = {{0}};
    for (uint32_t i = 0; i < 2; i++) {
        make_line_take(&sources[i], rig, i == 0 ? 29.5f / 30.0f : 1.0f, LEFT_FOOT, left_rest, left_rest);
        sources[i].take.velocity[2] = i == 0 ? 1.0f : 3.0f;
        sources[i].take.loop = i == 1;
        const int16_t sign = i == 0 ? -1 : 1;
        expected[i][8] = expected[i][11] = expected[i][14] = (int16_t)(sign * 4095);
        for (uint32_t k = 0; k < 3; k++) {
            expected[i][16 + 2 * k] = (int16_t)(sign * 1365 * (int)(k + 1));
        }
    }
    lmb_motion_database_def def = definition(rig, sources, 2, list);
    lmb_motion_database *database = create(&def);
    assert_int_equal(lmb_motion_database_get_info(database)->row_count, 60);
    assert_near((double)lmb_motion_database_get_info(database)->scale, 1365.0, 1e-3, "scale");
    check_numbers(database, 0, expected[0]);
    check_numbers(database, 1, expected[1]);
    lmb_motion_database_destroy(database);
    release_takes(sources, 2);
    lmb_rig_destroy(rig);
}

// A take that walks to the left, at 1 unit a second along x, and nothing else. Alone it does not differ. Its mirrored
// rows walk to the right: deviations of velocities are 1, 0 and 0, with a mean of 1/3, and those of the path are 1/3,
// 2/3 and 1 in x, and 0 in z, with a mean of 1/3. So velocities become 3 and -3, and the path 1, 2, 3 and -1, -2, -3.
static void one_direction_by_hand(void **state) {
    (void)state;
    lmb_rig *rig = make_take_rig();
    take_source *sources = allocate(1, sizeof *sources);
    lmb_motion_take list[1];
    make_line_take(sources, rig, 1.0f, LEFT_FOOT, left_rest, left_rest);
    sources->take.velocity[0] = 1.0f;
    lmb_motion_database_def def = definition(rig, sources, 1, list);
    def.weights.foot_positions = 0.0f; // they do not mirror each other
    const int16_t none[WIDTH] = {0};
    int16_t expected[WIDTH] = {0}, other[WIDTH];
    expected[6] = expected[9] = expected[12] = 4095;
    for (uint32_t k = 0; k < 3; k++) {
        expected[15 + 2 * k] = (int16_t)(1365 * (k + 1));
    }
    const feature_layout layout = layout_of(&def);
    mirror_numbers(&layout, expected, other);
    for (int i = 0; i < 2; i++) {
        def.mirrored = i == 1;
        lmb_motion_database *database = create(&def);
        assert_int_equal(lmb_motion_database_get_info(database)->row_count, 31);
        assert_int_equal(lmb_motion_database_get_info(database)->is_mirrored, i == 1);
        assert_near((double)lmb_motion_database_get_info(database)->scale, i == 1 ? 1365.0 : 0.0, 1e-3, "scale");
        check_numbers(database, 0, i == 1 ? expected : none);
        lmb_motion_search_def search = lmb_default_motion_search_def();
        memcpy(search.query, other, sizeof other);
        const lmb_motion_match right = lmb_motion_database_search(database, &search);
        assert_true(right.row == 0 && right.mirrored == (i == 1) && (right.cost == 0) == (i == 1));
        memcpy(search.query, expected, sizeof expected);
        assert_false(lmb_motion_database_search(database, &search).mirrored);
        lmb_motion_database_destroy(database);
    }
    release_takes(sources, 1);
    lmb_rig_destroy(rig);
}

enum { LEFT_HAND = 3, RIGHT_HAND, HEAD, HAND_JOINTS };

// A rig of roots: feet, hips, hands and a head. Positions are those of the joints' keys, or of rest.
static lmb_rig *make_hand_rig(void) {
    static const float rest[HAND_JOINTS][3] = {{0.1f, 0.0f, 0.0f}, {-0.1f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f},
                                               {0.5f, 1.0f, 0.2f}, {-0.3f, 0.4f, 0.2f}, {0.1f, 1.7f, 0.0f}};
    lmb_joint_def joints[HAND_JOINTS];
    for (uint32_t i = 0; i < HAND_JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        memcpy(joints[i].rest.translation, rest[i], sizeof rest[i]);
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = HAND_JOINTS};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

// The definition of a database with these takes of that rig.
static lmb_motion_database_def hand_definition(const lmb_rig *rig, const take_source *sources, uint32_t count,
                                               lmb_motion_take *list, const lmb_motion_joint *joints,
                                               uint32_t joint_count) {
    lmb_motion_database_def def = definition(rig, sources, count, list);
    def.left_foot = 0;
    def.right_foot = 1;
    def.hips = 2;
    def.joints = joints;
    def.joint_count = joint_count;
    return def;
}

// The two speeds from above, whose scale is 1365, with the head at a height of 1 and of 3. Its height has a deviation
// of 1 and a weight of 0.4, so it becomes -0.4 and 0.4. Its velocity has deviations of 0 and 1, with a mean of 1/2, and
// a weight of 0.5, so it becomes -1 and 1. The velocity of the hips along z alone has a deviation of 1 and a weight of
// 0.2, so it becomes -0.2 and 0.2. Where the head is along x never differs.
static void further_joints_by_hand(void **state) {
    (void)state;
    static const lmb_motion_joint joints[4] = {{HEAD, false, {false, true, false}, 0.4f, LMB_NONE},
                                               {HEAD, true, {true, false, true}, 0.5f, LMB_NONE},
                                               {2, true, {false, false, true}, 0.2f, LMB_NONE},
                                               {HEAD, false, {true, false, false}, 1.0f, LMB_NONE}};
    lmb_rig *rig = make_hand_rig();
    take_source *sources = allocate(2, sizeof *sources);
    lmb_motion_take list[2];
    int16_t expected[2][WIDTH] = {{0}};
    for (uint32_t i = 0; i < 2; i++) {
        const float head[3] = {0.1f, i == 0 ? 1.0f : 3.0f, 0.0f};
        make_line_take(&sources[i], rig, 1.0f, HEAD, head, head);
        sources[i].take.velocity[2] = i == 0 ? 1.0f : 3.0f;
        const int16_t sign = i == 0 ? -1 : 1;
        expected[i][8] = expected[i][11] = expected[i][14] = (int16_t)(sign * 4095);
        for (uint32_t k = 0; k < 3; k++) {
            expected[i][16 + 2 * k] = (int16_t)(sign * 1365 * (int)(k + 1));
        }
        expected[i][27] = (int16_t)(sign * 546);
        expected[i][29] = (int16_t)(sign * 1365);
        expected[i][30] = (int16_t)(sign * 273);
    }
    const lmb_motion_database_def def = hand_definition(rig, sources, 2, list, joints, 4);
    lmb_motion_database *database = create(&def);
    assert_int_equal(lmb_motion_database_get_info(database)->feature_count, 32);
    assert_near((double)lmb_motion_database_get_info(database)->scale, 1365.0, 1e-3, "scale");
    check_numbers(database, 0, expected[0]);
    check_numbers(database, 1, expected[1]);
    lmb_motion_database_destroy(database);
    release_takes(sources, 2);
    lmb_rig_destroy(rig);
}

// Nothing moves. The left hand is at (0.5, 1), the right hand at (-0.3, 0.4); in mirrored rows they are at (0.3, 0.4)
// and (-0.5, 1). So each has deviations of 0.1 and 0.3, with a mean of 0.2, and becomes 0.5 and 1.5 from its mean, with
// signs. The head is at 0.1 and -0.1 along x, with a deviation of 0.1 and a weight of 0.2, so it becomes 0.2 and -0.2.
// The largest is 1.5, so the scale is 2730.
static void mirrored_joints_by_hand(void **state) {
    (void)state;
    static const lmb_motion_joint joints[3] = {{LEFT_HAND, false, {true, true, false}, 1.0f, 2},
                                               {HEAD, false, {true, false, false}, 0.2f, LMB_NONE},
                                               {RIGHT_HAND, false, {true, true, false}, 1.0f, 0}};
    static const int16_t numbers[2][5] = {{1365, 4095, 546, 1365, -4095}, {-1365, -4095, -546, -1365, 4095}};
    static const float head[3] = {0.1f, 1.7f, 0.0f};
    lmb_rig *rig = make_hand_rig();
    take_source *sources = allocate(1, sizeof *sources);
    lmb_motion_take list[1];
    make_line_take(sources, rig, 1.0f, HEAD, head, head);
    lmb_motion_database_def def = hand_definition(rig, sources, 1, list, joints, 3);
    def.mirrored = true;
    lmb_motion_database *database = create(&def);
    assert_int_equal(lmb_motion_database_get_info(database)->feature_count, 32);
    assert_near((double)lmb_motion_database_get_info(database)->scale, 2730.0, 1e-3, "scale");
    for (int i = 0; i < 2; i++) {
        int16_t expected[WIDTH] = {0};
        memcpy(expected + FEATURES, numbers[i], sizeof numbers[i]);
        if (i == 0) {
            check_numbers(database, 0, expected);
        }
        lmb_motion_search_def search = lmb_default_motion_search_def();
        memcpy(search.query, expected, sizeof expected);
        const lmb_motion_match match = lmb_motion_database_search(database, &search);
        assert_true(match.row == 0 && match.mirrored == (i == 1) && match.cost == 0);
        const lmb_motion_path path = {{{0.0f}}, {{0.0f, 1.0f}, {0.0f, 1.0f}, {0.0f, 1.0f}}};
        lmb_motion_database_query(database, 0, i == 1, &path, search.query);
        assert_memory_equal(search.query, expected, sizeof expected);
    }
    lmb_motion_database_destroy(database);
    release_takes(sources, 1);
    lmb_rig_destroy(rig);
}

// The head of two takes differs by a little more than rounding, or by less. A foot is at 0.1, so rounding is up to 1e-6
// in its height, and up to 3e-5 in its velocity at 30 rows a second. Where the head is does not count for that.
static void further_joints_that_hardly_differ_count_as_zero(void **state) {
    (void)state;
    static const struct {
        float height, velocity;
        int16_t number;
    } cases[] = {{1.1e-6f, 0.0f, 4095}, {0.9e-6f, 0.0f, 0}, {0.0f, 3.3e-5f, 4095}, {0.0f, 2.7e-5f, 0}};
    lmb_rig *rig = make_hand_rig();
    for (uint32_t i = 0; i < 4; i++) {
        const lmb_motion_joint joints[2] = {{HEAD, i >= 2, {false, true, false}, 1.0f, LMB_NONE},
                                            {HEAD, false, {true, false, false}, 1.0f, LMB_NONE}};
        take_source *sources = allocate(2, sizeof *sources);
        lmb_motion_take list[2];
        int16_t expected[2][WIDTH] = {{0}};
        for (int k = 0; k < 2; k++) {
            const float sign = k == 0 ? -1.0f : 1.0f, head[3] = {2.0f, sign * cases[i].height, 0.0f};
            make_line_take(&sources[k], rig, 1.0f, HEAD, head, head);
            sources[k].take.velocity[1] = sign * cases[i].velocity;
            expected[k][FEATURES] = (int16_t)(k == 0 ? -cases[i].number : cases[i].number);
        }
        lmb_motion_database_def def = hand_definition(rig, sources, 2, list, joints, 2);
        def.weights = (lmb_motion_weights){0};
        lmb_motion_database *database = create(&def);
        check_numbers(database, 0, expected[0]);
        check_numbers(database, 1, expected[1]);
        lmb_motion_database_destroy(database);
        release_takes(sources, 2);
    }
    lmb_rig_destroy(rig);
}

// A group that never differs counts as 0, whatever its value: sums of equal numbers round, and so do differences of
// positions at a constant speed. Here only a foot of the last take differs, and no further joint.
static void what_never_differs_counts_as_zero(void **state) {
    (void)state;
    static const float from[3] = {0.11f, 0.23f, -0.77f}, far_on[3] = {0.41f, 0.03f, 1.13f};
    static const lmb_motion_joint joints[3] = {{SPINE, false, {true, true, false}, 1000.0f, LMB_NONE},
                                               {RIGHT_THIGH, true, {false, false, true}, 1000.0f, LMB_NONE},
                                               {ROOT, true, {true, true, false}, 1000.0f, LMB_NONE}};
    lmb_rig *rig = make_take_rig();
    for (uint32_t i = 0; i < 4; i++) {
        take_source *sources = allocate(1, sizeof *sources);
        lmb_motion_take list[1];
        const bool moves = i == 3;
        make_line_take(sources, rig, (37.0f + (float)i) / 30.0f, LEFT_FOOT, from, moves ? far_on : from);
        if (i > 0) {
            sources->take.velocity[0] = 0.3f;
            sources->take.velocity[2] = 1.7f;
        }
        sources->take.loop = i == 2;
        lmb_motion_database_def def = definition(rig, sources, 1, list);
        def.joints = joints;
        def.joint_count = 3;
        const feature_layout layout = layout_of(&def);
        lmb_motion_database *database = create(&def);
        int largest[GROUPS + JOINT_FEATURES] = {0};
        for (uint32_t r = 0; r < lmb_motion_database_get_info(database)->row_count; r++) {
            for (uint32_t k = 0; k < layout.group_count; k++) {
                for (uint32_t f = layout.groups[k].first; f < layout.groups[k].end; f++) {
                    const int number = abs(lmb_motion_database_features(database, r)[f]);
                    largest[k] = number > largest[k] ? number : largest[k];
                }
            }
        }
        for (uint32_t k = 0; k < layout.group_count; k++) {
            if (largest[k] != (moves && k == 0 ? MAX_NUMBER : 0)) {
                fail_msg("case %u, group %u: %d", (unsigned)i, (unsigned)k, largest[k]);
            }
        }
        if (!moves) {
            assert_true(lmb_motion_database_get_info(database)->scale == 0.0f);
            // Then all rows are the same, and the first one that fits is found.
            lmb_motion_search_def search = lmb_default_motion_search_def();
            uint32_t first = 0;
            while (!lmb_motion_database_row(database, first).can_be_found) {
                first++;
            }
            assert_int_equal(lmb_motion_database_search(database, &search).row, first);
            assert_int_equal(lmb_motion_database_search(database, &search).cost, 0);
            search.query[3] = 5;
            assert_int_equal(lmb_motion_database_search(database, &search).cost, 25);
        }
        lmb_motion_database_destroy(database);
        release_takes(sources, 1);
    }
    lmb_rig_destroy(rig);
}

// Each group alone, by weights of 0: the others count as 0.
static void weights_of_zero_leave_groups_out(void **state) {
    (void)state;
    lmb_rig *rig = make_take_rig();
    random_source source = random_branch(0, 3);
    take_source *sources = allocate(2, sizeof *sources);
    lmb_motion_take list[2];
    make_random_take(&sources[0], rig, 1.0, false, TRAVEL_TURNING, 30.0, &source);
    make_random_take(&sources[1], rig, 0.9, true, TRAVEL_TURNING, 30.0, &source);
    lmb_motion_joint joints[2] = {{HIPS, false, {true, true, false}, 0.0f, LMB_NONE},
                                  {LEFT_SHIN, true, {false, true, true}, 0.0f, LMB_NONE}};
    lmb_motion_database_def def = definition(rig, sources, 2, list);
    def.joints = joints;
    def.joint_count = 2;
    for (uint32_t i = 0; i < 8; i++) {
        float weights[8] = {0};
        weights[i] = i < 7 ? 2.5f : 0.0f;
        def.weights = (lmb_motion_weights){weights[0], weights[1], weights[2], weights[3], weights[4]};
        joints[0].weight = weights[5];
        joints[1].weight = weights[6];
        expectation e = expect_rows(&def, sources);
        expect_features(&def, sources, &e);
        lmb_motion_database *database = create(&def);
        check_features(database, &e);
        static const uint32_t ends[8] = {0, 6, 12, 15, 21, 27, 29, 31};
        int largest = 0;
        for (uint32_t r = 0; r < e.count; r++) {
            for (uint32_t f = 0; f < WIDTH; f++) {
                const int number = abs(lmb_motion_database_features(database, r)[f]);
                if (i == 7 || f < ends[i] || f >= ends[i + 1]) {
                    assert_int_equal(number, 0);
                }
                largest = number > largest ? number : largest;
            }
        }
        assert_int_equal(largest, i < 7 ? MAX_NUMBER : 0);
        lmb_motion_database_destroy(database);
        release_expectation(&e);
    }
    release_takes(sources, 2);
    lmb_rig_destroy(rig);
}

// A rig of three roots: the positions are those of the keys. The left foot is at -1 and at 1 along each axis, so
// its deviations are 1 and the scale is 4095.
static lmb_motion_database *unit_database(void) {
    lmb_joint_def joints[3] = {lmb_default_joint_def(), lmb_default_joint_def(), lmb_default_joint_def()};
    const lmb_rig_def rig_def = {.joints = joints, .joint_count = 3};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&rig_def, NULL, &rig, NULL), LMB_OK);
    static const float below[3] = {-1.0f, -1.0f, -1.0f}, above[3] = {1.0f, 1.0f, 1.0f};
    take_source *sources = allocate(1, sizeof *sources);
    make_line_take(sources, rig, 1.0f / 32.0f, 0, below, above);
    lmb_motion_take list[1];
    lmb_motion_database_def def = definition(rig, sources, 1, list);
    def.left_foot = 0;
    def.right_foot = 1;
    def.hips = 2;
    def.rate = 32.0f;
    def.end = 0.0f;
    def.weights = (lmb_motion_weights){1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
    lmb_motion_database *database = create(&def);
    release_takes(sources, 1);
    lmb_rig_destroy(rig);
    return database;
}

static void halves_are_rounded_up(void **state) {
    (void)state;
    lmb_motion_database *database = unit_database();
    assert_int_equal(lmb_motion_database_get_info(database)->row_count, 2);
    assert_true(lmb_motion_database_get_info(database)->scale == 4095.0f);
    for (uint32_t r = 0; r < 2; r++) {
        const int16_t *numbers = lmb_motion_database_features(database, r);
        for (uint32_t i = 0; i < WIDTH; i++) {
            const int sign = lmb_motion_database_row(database, r).time > 0.0f ? 1 : -1;
            assert_int_equal(numbers[i], i < 3 ? sign * MAX_NUMBER : 0);
        }
    }
    static const struct {
        float value;
        int16_t number;
    } rows[] = {{0.5f, 2048},      {-0.5f, -2047},      {0.25f, 1024},  {-0.25f, -1024}, {1.0f, 4095},
                {-1.0f, -4095},    {1.0001f, 4095},     {-9.0f, -4095}, {1e30f, 4095},   {-1e30f, -4095},
                {HUGE_VALF, 4095}, {-HUGE_VALF, -4095}, {NAN, 0},       {0.0f, 0},       {-0.0f, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        float features[FEATURES];
        int16_t numbers[WIDTH];
        for (uint32_t k = 0; k < FEATURES; k++) {
            features[k] = rows[i].value;
        }
        memset(numbers, 0x55, sizeof numbers);
        lmb_motion_database_normalize(database, features, numbers);
        for (uint32_t k = 0; k < WIDTH; k++) {
            // The other groups never differ.
            if (numbers[k] != (k < 3 ? rows[i].number : 0)) {
                fail_msg("%g, feature %u: %d", (double)rows[i].value, (unsigned)k, numbers[k]);
            }
        }
    }
    lmb_motion_database_destroy(database);
}

// ---- Queries and searches. ----

// A database with what a search of all rows needs to know.
typedef struct searched {
    lmb_motion_database *database;
    uint32_t count;
    lmb_motion_row *rows;
    uint32_t choice_count;     // the rows, or these and then the mirrored ones
    int16_t (*numbers)[WIDTH]; // [choice]
    expectation e;
} searched;

// Releases the takes.
static searched make_searched(const lmb_motion_database_def *def, take_source *sources) {
    searched s = {.e = expect_rows(def, sources), .database = create(def)};
    s.count = lmb_motion_database_get_info(s.database)->row_count;
    assert_int_equal(s.count, s.e.count);
    s.rows = allocate(s.count, sizeof *s.rows);
    s.choice_count = def->mirrored ? 2 * s.count : s.count;
    s.numbers = allocate(s.choice_count, sizeof *s.numbers);
    for (uint32_t r = 0; r < s.count; r++) {
        s.rows[r] = lmb_motion_database_row(s.database, r);
    }
    for (uint32_t i = 0; i < s.choice_count; i++) {
        read_numbers(s.database, &s.e.layout, i % s.count, i >= s.count, s.numbers[i]);
    }
    return s;
}

static void release_searched(searched *s) {
    lmb_motion_database_destroy(s->database);
    release_expectation(&s->e);
    free(s->rows);
    free(s->numbers);
}

static bool is_near(const searched *s, uint32_t row, uint32_t other, double window) {
    if (other >= s->count || s->rows[row].take != s->rows[other].take) {
        return false;
    }
    const uint32_t take = s->rows[row].take;
    const uint32_t own = (uint32_t)lround((double)s->rows[row].time * s->e.rate);
    const uint32_t its = (uint32_t)lround((double)s->rows[other].time * s->e.rate);
    const uint32_t count = s->e.first[take + 1] - s->e.first[take];
    uint32_t rows = own < its ? its - own : own - its;
    if (s->e.loops[take]) {
        rows = rows < count - rows ? rows : count - rows;
    }
    return rows <= floor(window * s->e.rate + 0.5);
}

static bool is_current(const searched *s, const lmb_motion_search_def *def, uint32_t choice) {
    const bool mirrored = def->current_is_mirrored && s->choice_count > s->count;
    return choice % s->count == def->current_row && (choice >= s->count) == mirrored;
}

static bool can_be_chosen(const searched *s, const lmb_motion_search_def *def, uint32_t choice) {
    const uint32_t row = choice % s->count;
    const uint32_t recent = def->recent_count < LMB_MAX_MOTION_RECENT ? def->recent_count : LMB_MAX_MOTION_RECENT;
    const uint32_t tags = s->rows[row].tags;
    if ((tags & def->required_tags) != def->required_tags || (tags & def->forbidden_tags) != 0) {
        return false;
    }
    if (is_current(s, def, choice)) {
        return true;
    }
    bool result = s->rows[row].can_be_found && !is_near(s, row, def->current_row, (double)def->window);
    for (uint32_t i = 0; i < recent; i++) {
        result = result && !is_near(s, row, def->recent_rows[i], (double)def->window);
    }
    return result;
}

static int32_t clamped(int32_t number) {
    return number < -MAX_NUMBER ? -MAX_NUMBER : number > MAX_NUMBER ? MAX_NUMBER : number;
}

static uint32_t cost_of(const searched *s, const int16_t *query, uint32_t choice) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < s->e.layout.count; i++) {
        const int32_t off = clamped(query[i]) - s->numbers[choice][i];
        sum += (uint32_t)(off * off);
    }
    return sum;
}

// Searches all rows, then the mirrored ones. The current row costs `bonus` less, but not less than 0.
static lmb_motion_match search_all(const searched *s, const lmb_motion_search_def *def, double bonus) {
    lmb_motion_match best = {.row = LMB_NONE, .cost = UINT32_MAX};
    for (uint32_t choice = 0; choice < s->choice_count; choice++) {
        if (can_be_chosen(s, def, choice)) {
            uint32_t cost = cost_of(s, def->query, choice);
            if (is_current(s, def, choice)) {
                cost = (double)cost <= bonus ? 0 : cost - (uint32_t)bonus;
            }
            if (best.row == LMB_NONE || cost < best.cost) {
                best = (lmb_motion_match){.row = choice % s->count, .mirrored = choice >= s->count, .cost = cost};
            }
        }
    }
    return best;
}

static bool is_match(const lmb_motion_match *found, const lmb_motion_match *expected) {
    return found->row == expected->row && found->mirrored == expected->mirrored &&
           found->cost == (expected->row == LMB_NONE ? 0 : expected->cost);
}

// The header does not say how a bonus is rounded to a cost, so both neighbours are right.
static void check_search(const searched *s, const lmb_motion_search_def *def, const char *what) {
    lmb_motion_search_def before;
    memcpy(&before, def, sizeof before);
    const lmb_motion_match found = lmb_motion_database_search(s->database, def);
    const double scale = (double)lmb_motion_database_get_info(s->database)->scale;
    const double bonus = def->current_row < s->count ? (double)def->current_bonus * scale * scale : 0.0;
    const lmb_motion_match low = search_all(s, def, floor(bonus)), high = search_all(s, def, ceil(bonus));
    assert_memory_equal(&before, def, sizeof before);
    if (!is_match(&found, &low) && !is_match(&found, &high)) {
        fail_msg("%s: row %u%s for %u instead of row %u%s for %u; current row %u%s, bonus %g", what,
                 (unsigned)found.row, found.mirrored ? " mirrored" : "", (unsigned)found.cost, (unsigned)low.row,
                 low.mirrored ? " mirrored" : "", (unsigned)low.cost, (unsigned)def->current_row,
                 def->current_is_mirrored ? " mirrored" : "", bonus);
    }
}

static lmb_motion_path random_path(double reach, random_source *source) {
    lmb_motion_path path;
    for (int i = 0; i < 6; i++) {
        const double angle = random_between(source, -PI, PI);
        path.positions[i / 2][i % 2] = (float)random_between(source, -reach, reach);
        path.headings[i / 2][i % 2] = (float)(i % 2 == 0 ? sin(angle) : cos(angle));
    }
    return path;
}

// Beside a query that is its own mirror, each row costs as much as the mirrored one.
static void make_symmetric(const feature_layout *layout, int16_t query[WIDTH]) {
    int16_t mirrored[WIDTH];
    mirror_numbers(layout, query, mirrored);
    for (uint32_t i = 0; i < 12; i++) {
        query[i] = i % 6 < 3 ? query[i] : mirrored[i];
    }
    for (uint32_t i = 12; i < WIDTH; i++) {
        query[i] = (int16_t)((query[i] + mirrored[i]) / 2);
    }
}

static void random_query(const searched *s, int16_t query[WIDTH], random_source *source) {
    const uint32_t kind = random_below(source, 6), row = random_below(source, s->count);
    const bool mirrored = s->choice_count > s->count && random_below(source, 2) == 0;
    memcpy(query, s->numbers[mirrored ? s->count + row : row], WIDTH * sizeof *query);
    if (kind == 4) {
        const lmb_motion_path path = random_path(2.0, source);
        lmb_motion_database_query(s->database, row, mirrored, &path, query);
    }
    for (uint32_t i = 0; i < s->e.layout.count && kind > 0 && kind < 4; i++) {
        const int32_t reach = kind == 1 ? 300 : kind == 2 ? MAX_NUMBER : 32767;
        const int32_t number = (int32_t)random_below(source, 2u * (uint32_t)reach + 1) - reach;
        query[i] = (int16_t)(kind == 1 ? clamped(query[i] + number) : number);
    }
    if (kind == 5) {
        make_symmetric(&s->e.layout, query);
    }
}

static lmb_motion_search_def random_search(const searched *s, random_source *source) {
    lmb_motion_search_def def = lmb_default_motion_search_def();
    random_query(s, def.query, source);
    def.required_tags = random_below(source, 3) == 0 ? 1u << random_below(source, 6) : 0;
    def.forbidden_tags = random_below(source, 3) == 0 ? random_below(source, 32) : 0;
    if (random_below(source, 4) > 0) {
        def.current_row = random_below(source, s->count);
    } else if (random_below(source, 4) == 0) {
        def.current_row = s->count + random_below(source, 9);
    }
    def.current_is_mirrored = random_below(source, 2) == 0;
    static const float bonuses[] = {0.0f, 1.0f, 0.3f, 20.0f, 1e6f, 1e38f};
    def.current_bonus = bonuses[random_below(source, sizeof bonuses / sizeof *bonuses)];
    const uint32_t kind = random_below(source, 8);
    def.window = kind == 0   ? 0.0f
                 : kind == 1 ? 1e30f
                             : (float)((random_below(source, 20) + random_between(source, -0.45, 0.45)) / s->e.rate);
    def.recent_count = random_below(source, 3) == 0 ? 0 : random_below(source, LMB_MAX_MOTION_RECENT + 4);
    for (uint32_t i = 0; i < LMB_MAX_MOTION_RECENT; i++) {
        def.recent_rows[i] =
            random_below(source, 9) == 0 ? LMB_NONE - random_below(source, 2) : random_below(source, s->count);
    }
    return def;
}

// The mirror of a search finds the mirror of what it finds. Of rows that cost the same it may be another one.
static void check_mirrored_search(const searched *s, const lmb_motion_search_def *def, const char *what) {
    lmb_motion_search_def plain = *def, other = *def;
    for (uint32_t i = 0; i < WIDTH; i++) {
        plain.query[i] = (int16_t)clamped(def->query[i]);
    }
    mirror_numbers(&s->e.layout, plain.query, other.query);
    other.current_is_mirrored = !plain.current_is_mirrored;
    const lmb_motion_match found = lmb_motion_database_search(s->database, &plain),
                           opposite = lmb_motion_database_search(s->database, &other);
    bool same = opposite.row == found.row && opposite.mirrored != found.mirrored;
    if (!same && found.row != LMB_NONE && opposite.row != LMB_NONE) {
        const uint32_t choice = opposite.row + (opposite.mirrored ? 0 : s->count);
        same = is_current(s, &plain, choice) || cost_of(s, plain.query, choice) == found.cost;
    }
    if (!(same || (found.row == LMB_NONE && opposite.row == LMB_NONE)) || found.cost != opposite.cost) {
        fail_msg("%s: row %u%s for %u, and mirrored row %u%s for %u", what, (unsigned)found.row,
                 found.mirrored ? " mirrored" : "", (unsigned)found.cost, (unsigned)opposite.row,
                 opposite.mirrored ? " mirrored" : "", (unsigned)opposite.cost);
    }
}

static void check_random_searches(const searched *s, uint32_t count, random_source *source, const char *what) {
    for (uint32_t i = 0; i < count; i++) {
        const lmb_motion_search_def def = random_search(s, source);
        check_search(s, &def, what);
        if (s->choice_count > s->count) {
            check_mirrored_search(s, &def, what);
        }
    }
}

// Some takes are in the database twice, so that rows cost the same.
static void searches_find_what_a_search_of_all_rows_finds(void **state) {
    (void)state;
    const uint32_t cases = suite_is_slow() ? 8 : suite_is_quick() ? 30 : 200;
    for (uint32_t i = 0; i < cases; i++) {
        random_source source = random_branch(suite_first() + i, 4);
        const random_settings settings = {i % 5 == 0 ? 1 : i % 5 == 1 ? 60 : 8, i % 3 == 0 ? 5 : 150, TRAVEL_TURNING};
        const float rate = rates[i % (sizeof rates / sizeof *rates)];
        lmb_rig *rig = make_take_rig();
        uint32_t count;
        take_source *sources = random_takes(rig, &settings, (double)rate, &count, &source);
        take_source *all = allocate(2 * (size_t)count, sizeof *all);
        memcpy(all, sources, count * sizeof *all);
        const uint32_t all_count = count + (i % 2 == 0 ? count : 0);
        memcpy(all + count, sources, count * sizeof *all); // the same clips and ranges
        lmb_motion_take *list = allocate(all_count, sizeof *list);
        lmb_motion_database_def def = definition(rig, all, all_count, list);
        def.rate = rate;
        lmb_motion_joint joints[JOINT_FEATURES];
        random_definition(&def, joints, &source);
        searched s = make_searched(&def, all);
        release_takes(sources, count);
        lmb_rig_destroy(rig);
        char what[32];
        snprintf(what, sizeof what, "case %u", (unsigned)i);
        check_random_searches(&s, suite_is_slow() ? 40 : 300, &source, what);
        release_searched(&s);
        free(all);
        free(list);
    }
}

// A database of 64 takes with 2,048 rows each, and one of many takes.
static void check_large(uint32_t takes, uint32_t rows, bool mirrored, uint32_t searches) {
    random_source source = random_branch(takes, 5);
    lmb_rig *rig = make_take_rig();
    take_source *sources = allocate(takes, sizeof *sources);
    for (uint32_t i = 0; i < takes; i++) {
        const bool loop = i % 3 == 0;
        make_random_take(&sources[i], rig, (double)(loop ? rows : rows - 1) / 128.0, loop, (travel)(i % TRAVELS), 128.0,
                         &source);
    }
    lmb_motion_take *list = allocate(takes, sizeof *list);
    lmb_motion_database_def def = definition(rig, sources, takes, list);
    def.rate = 128.0f;
    def.mirrored = mirrored;
    lmb_motion_joint joints[JOINT_FEATURES];
    def.joints = joints;
    def.joint_count = random_motion_joints(&source, TAKE_JOINTS, joints);
    searched s = make_searched(&def, sources);
    assert_int_equal(s.count, takes * rows);
    check_rows(s.database, &s.e);
    check_random_searches(&s, searches, &source, "large");
    release_searched(&s);
    release_takes(sources, takes);
    free(list);
    lmb_rig_destroy(rig);
}

static void large_databases_are_searched(void **state) {
    (void)state;
    suite_full_only(); // a search of all rows takes long
    check_large(64, LMB_MAX_MOTION_ROWS / 64, false, 150);
    check_large(64, LMB_MAX_MOTION_ROWS / 64, true, 75);
    check_large(LMB_MAX_MOTION_TAKES / 8, 16, true, 150);
}

static void many_takes_are_searched(void **state) {
    (void)state;
    check_large(suite_is_slow() ? 100 : 1500, 3, false, 50);
    check_large(suite_is_slow() ? 100 : 1500, 3, true, 25);
}

// One take of 2 s, at 30 rows a second, with three features of further joints. Its rows are found by their times.
static searched one_take(bool loop, float end, bool mirrored) {
    random_source source = random_branch(7, 6);
    lmb_rig *rig = make_take_rig();
    take_source *sources = allocate(1, sizeof *sources);
    make_random_take(sources, rig, 2.0, loop, TRAVEL_TURNING, 30.0, &source);
    sources->take.range_count = 0;
    sources->take.tags = 4;
    lmb_motion_take list[1];
    lmb_motion_database_def def = definition(rig, sources, 1, list);
    def.end = end;
    def.mirrored = mirrored;
    static const lmb_motion_joint joints[3] = {{LEFT_SHIN, true, {true, false, false}, 1.0f, 2},
                                               {SPINE, false, {false, true, false}, 1.0f, LMB_NONE},
                                               {RIGHT_THIGH, true, {true, false, false}, 1.0f, 0}};
    def.joints = joints;
    def.joint_count = 3;
    searched s = make_searched(&def, sources);
    release_takes(sources, 1);
    lmb_rig_destroy(rig);
    return s;
}

static uint32_t row_at(const searched *s, int index) {
    return lmb_motion_database_find_row(s->database, 0, (float)((index + 0.5) / s->e.rate));
}

// Which rows a search can find: each is asked for by its own numbers.
static void check_findable(const searched *s, lmb_motion_search_def def, int low, int high, bool inside,
                           const char *what) {
    for (int index = 0; index < (int)s->count; index++) {
        const uint32_t row = row_at(s, index);
        memcpy(def.query, lmb_motion_database_features(s->database, row), sizeof def.query);
        const lmb_motion_match match = lmb_motion_database_search(s->database, &def);
        const bool expected = (index >= low && index <= high) == inside;
        if ((match.row == row && match.cost == 0) != expected) {
            fail_msg("%s: moment %d is %s", what, index, expected ? "not found" : "found");
        }
    }
}

// By hand: the default window of 0.2 s is six rows to both sides, and the last 0.3 s of a take, nine rows, are never
// found.
static void windows_and_ends_leave_rows_out(void **state) {
    (void)state;
    searched take = one_take(false, 0.3f, false), loop = one_take(true, 0.3f, false),
             whole = one_take(false, 0.0f, false);
    assert_int_equal(take.count, 61);
    assert_int_equal(loop.count, 60);
    lmb_motion_search_def def = lmb_default_motion_search_def();
    check_findable(&take, def, 52, 60, false, "the end");
    check_findable(&loop, def, 0, 59, true, "a loop has no end");
    check_findable(&whole, def, 0, 60, true, "no end");

    // Rows near the current one. It costs its own cost here, so that another row is found only by its own numbers.
    def.current_bonus = 0.0f;
    def.current_row = row_at(&whole, 20);
    def.forbidden_tags = 1;
    for (int index = 0; index <= 60; index++) {
        const uint32_t row = row_at(&whole, index);
        memcpy(def.query, lmb_motion_database_features(whole.database, row), sizeof def.query);
        const bool out = index != 20 && abs(index - 20) <= 6;
        assert_int_equal(lmb_motion_database_search(whole.database, &def).row == row, !out);
    }
    // The same for a recent one, which is left out itself.
    def.current_row = LMB_NONE;
    def.recent_rows[0] = row_at(&whole, 20);
    def.recent_count = 1;
    check_findable(&whole, def, 14, 26, false, "a recent row");
    def.window = 0.0f;
    check_findable(&whole, def, 20, 20, false, "a recent row alone");
    def.window = HUGE_VALF;
    check_findable(&whole, def, 0, 60, false, "an endless window");
    def.window = 0.2f;
    def.recent_rows[0] = row_at(&loop, 3);
    check_findable(&loop, def, 10, 56, true, "the other end of a loop");
    def.recent_rows[0] = row_at(&loop, 58);
    check_findable(&loop, def, 5, 51, true, "the beginning of a loop");
    def.recent_rows[0] = row_at(&take, 3);
    check_findable(&take, def, 10, 51, true, "a take has no other end");

    // No row fits; then the current row, which cannot be found otherwise.
    def = lmb_default_motion_search_def();
    def.required_tags = 8;
    assert_int_equal(lmb_motion_database_search(take.database, &def).row, LMB_NONE);
    def.required_tags = 4;
    assert_int_not_equal(lmb_motion_database_search(take.database, &def).row, LMB_NONE);
    def.forbidden_tags = 4;
    assert_int_equal(lmb_motion_database_search(take.database, &def).row, LMB_NONE);
    def.forbidden_tags = 0;
    def.window = 9.0f;
    def.current_row = def.recent_rows[0] = row_at(&take, 60);
    def.recent_count = 1;
    assert_int_equal(lmb_motion_database_search(take.database, &def).row, def.current_row);
    def.forbidden_tags = 4;
    assert_int_equal(lmb_motion_database_search(take.database, &def).row, LMB_NONE);
    release_searched(&take);
    release_searched(&loop);
    release_searched(&whole);
}

static lmb_motion_match search_for(const searched *s, lmb_motion_search_def *def, uint32_t row, bool mirrored) {
    memcpy(def->query, s->numbers[mirrored ? s->count + row : row], sizeof def->query);
    return lmb_motion_database_search(s->database, def);
}

// By hand: what is left out of the rows is left out of the mirrored rows, too.
static void windows_and_ends_leave_mirrored_rows_out(void **state) {
    (void)state;
    searched s = one_take(false, 0.3f, true);
    const uint32_t middle = row_at(&s, 20), end = row_at(&s, 60);
    for (int i = 0; i < 2 * 61 * 5; i++) {
        const int index = i / 2 % 61, kind = i / (2 * 61);
        const bool mirrored = i % 2 == 1;
        const uint32_t row = row_at(&s, index);
        lmb_motion_search_def def = lmb_default_motion_search_def();
        bool out = index >= 52;
        def.current_bonus = 0.0f;
        if (kind == 1) { // near a recent row
            def.recent_rows[0] = middle;
            def.recent_count = 1;
            out = out || abs(index - 20) <= 6;
        } else if (kind == 2) { // near the row that plays
            def.current_row = middle;
            out = out || (abs(index - 20) <= 6 && (index != 20 || mirrored));
        } else if (kind == 3) { // which plays mirrored
            def.current_row = middle;
            def.current_is_mirrored = true;
            out = out || (abs(index - 20) <= 6 && (index != 20 || !mirrored));
        } else if (kind == 4) { // and cannot be found otherwise
            def.current_row = end;
            def.current_is_mirrored = true;
            out = out && !(index == 60 && mirrored);
        }
        const lmb_motion_match match = search_for(&s, &def, row, mirrored);
        if ((match.row == row && match.mirrored == mirrored && match.cost == 0) == out) {
            fail_msg("kind %d, moment %d%s is %s", kind, index, mirrored ? " mirrored" : "",
                     out ? "found" : "left out");
        }
    }
    // A bonus is for what plays alone. All else costs something beside a pose that no row has.
    lmb_motion_search_def def = lmb_default_motion_search_def();
    def.current_row = middle;
    def.current_bonus = 1e6f;
    memset(def.query, 0x0f, sizeof def.query);
    for (int i = 0; i < 2; i++) {
        def.current_is_mirrored = i == 1;
        const lmb_motion_match match = lmb_motion_database_search(s.database, &def);
        assert_true(match.row == middle && match.mirrored == (i == 1) && match.cost == 0);
    }
    release_searched(&s);
}

enum { STRIDE_ROWS = 64, HALF_STRIDE = STRIDE_ROWS / 2, STRIDE_RATE = 32 };

// Keys of a foot in a walk of 2 s: each foot is where the other one was a second ago, reflected. If the feet hop, they
// are reflections of each other at any time.
static void make_stride(lmb_track_def tracks[3], float times[STRIDE_ROWS + 1], float values[3][STRIDE_ROWS + 1][3],
                        bool hops) {
    for (uint32_t i = 0; i <= STRIDE_ROWS; i++) {
        times[i] = (float)i / STRIDE_RATE;
        for (uint32_t foot = 0; foot < 2; foot++) {
            const uint32_t key = (foot == 1 && !hops ? i + HALF_STRIDE : i) % STRIDE_ROWS;
            const float angle = (float)(2.0 * PI) * (float)key / STRIDE_ROWS, side = foot == 0 ? 1.0f : -1.0f;
            const float at[3] = {side * (0.1f + 0.03f * sinf(angle + 1.0f)), 0.1f * cosf(3.0f * angle) + 0.2f,
                                 0.4f * sinf(angle)};
            memcpy(values[foot][i], at, sizeof at);
        }
        const float hips[3] = {0.0f, 1.0f, 0.0f};
        memcpy(values[2][i], hips, sizeof hips);
    }
    for (uint32_t i = 0; i < 3; i++) {
        tracks[i] = (lmb_track_def){
            i, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, STRIDE_ROWS + 1, times, values[i][0]};
    }
}

// The feet again, and the hips.
static const lmb_motion_joint stride_joints[3] = {{0, true, {true, false, true}, 0.7f, 2},
                                                  {2, false, {true, false, false}, 0.3f, LMB_NONE},
                                                  {1, true, {true, false, true}, 0.7f, 0}};

static lmb_motion_database *stride_database(bool hops, feature_layout *layout) {
    lmb_joint_def joints[3] = {lmb_default_joint_def(), lmb_default_joint_def(), lmb_default_joint_def()};
    const lmb_rig_def rig_def = {.joints = joints, .joint_count = 3};
    lmb_track_def tracks[3];
    float times[STRIDE_ROWS + 1], values[3][STRIDE_ROWS + 1][3];
    lmb_clip_def clip_def = lmb_default_clip_def();
    lmb_rig *rig = NULL;
    lmb_clip *clip = NULL;
    make_stride(tracks, times, values, hops);
    clip_def.tracks = tracks;
    clip_def.track_count = 3;
    assert_int_equal(lmb_rig_create(&rig_def, NULL, &rig, NULL), LMB_OK);
    assert_int_equal(lmb_clip_create(rig, &clip_def, NULL, &clip, NULL), LMB_OK);
    lmb_motion_take take = lmb_default_motion_take();
    take.clip = clip;
    take.loop = true;
    take.velocity[2] = 1.0f;
    lmb_motion_database_def def = lmb_default_motion_database_def();
    def.rig = rig;
    def.left_foot = 0;
    def.right_foot = 1;
    def.hips = 2;
    def.takes = &take;
    def.take_count = 1;
    def.rate = STRIDE_RATE;
    def.mirrored = true;
    def.joints = stride_joints;
    def.joint_count = 3;
    *layout = layout_of(&def);
    lmb_motion_database *database = create(&def);
    assert_int_equal(lmb_motion_database_get_info(database)->row_count, STRIDE_ROWS);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
    return database;
}

// A take that is its own mirror, at once or half a stride later: the row is found that is not mirrored, unless it is
// left out.
static void symmetric_motion_is_found_as_it_is(void **state) {
    (void)state;
    for (uint32_t hops = 0; hops < 2; hops++) {
        feature_layout layout;
        lmb_motion_database *database = stride_database(hops == 1, &layout);
        for (uint32_t i = 0; i < STRIDE_ROWS; i++) {
            const uint32_t own = lmb_motion_database_find_row(database, 0, (float)i / STRIDE_RATE);
            const uint32_t later = hops == 1 ? i : (i + HALF_STRIDE) % STRIDE_ROWS;
            const uint32_t pair = lmb_motion_database_find_row(database, 0, (float)later / STRIDE_RATE);
            int16_t mirrored[WIDTH];
            read_numbers(database, &layout, pair, true, mirrored);
            assert_memory_equal(lmb_motion_database_features(database, own), mirrored, sizeof mirrored);
            lmb_motion_search_def def = lmb_default_motion_search_def();
            def.current_bonus = 0.0f;
            memcpy(def.query, mirrored, sizeof mirrored);
            lmb_motion_match match = lmb_motion_database_search(database, &def);
            assert_true(match.row == own && !match.mirrored && match.cost == 0);
            def.current_row = pair;
            def.current_is_mirrored = true;
            def.recent_rows[0] = own;
            def.recent_count = 1;
            match = lmb_motion_database_search(database, &def);
            assert_true(match.row == pair && match.mirrored && match.cost == 0);
        }
        lmb_motion_database_destroy(database);
    }
}

// A take that is shorter than its end is never found, but its rows exist and may play.
static void a_short_take_is_never_found(void **state) {
    (void)state;
    searched s = one_take(false, 10.0f, false);
    lmb_motion_search_def def = lmb_default_motion_search_def();
    for (uint32_t r = 0; r < s.count; r++) {
        assert_false(s.rows[r].can_be_found);
    }
    assert_int_equal(lmb_motion_database_search(s.database, &def).row, LMB_NONE);
    def.current_row = 3;
    assert_int_equal(lmb_motion_database_search(s.database, &def).row, 3);
    release_searched(&s);
}

// Settings beyond their ranges do not fail, and find a row or none.
static void odd_searches_are_harmless(void **state) {
    (void)state;
    static const float odd[] = {NAN, -1.0f, -HUGE_VALF, HUGE_VALF, 1e38f, -0.0f};
    searched s = one_take(true, 0.3f, false);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        for (int k = 0; k < 2; k++) {
            lmb_motion_search_def def = lmb_default_motion_search_def();
            def.current_row = 7;
            def.recent_rows[0] = 9;
            def.recent_count = UINT32_MAX;
            for (uint32_t r = 1; r < LMB_MAX_MOTION_RECENT; r++) {
                def.recent_rows[r] = LMB_NONE;
            }
            *(k == 0 ? &def.current_bonus : &def.window) = odd[i];
            const lmb_motion_match match = lmb_motion_database_search(s.database, &def);
            assert_true(match.row < s.count);
            if (k == 0 && odd[i] > 1e30f) {
                assert_true(match.row == 7 && match.cost == 0);
            }
        }
    }
    // Numbers beyond the features change nothing about which row is found.
    lmb_motion_search_def def = lmb_default_motion_search_def();
    const uint32_t row = lmb_motion_database_search(s.database, &def).row;
    for (uint32_t i = s.e.layout.count; i < WIDTH; i++) {
        def.query[i] = INT16_MIN;
    }
    assert_int_equal(lmb_motion_database_search(s.database, &def).row, row);
    release_searched(&s);
}

static lmb_motion_path mirror_path(const lmb_motion_path *path) {
    lmb_motion_path mirrored = *path;
    for (int i = 0; i < 3; i++) {
        mirrored.positions[i][0] = -path->positions[i][0];
        mirrored.headings[i][0] = -path->headings[i][0];
    }
    return mirrored;
}

// Paths are rounded from floats, so their numbers may differ by 1.
static void expect_query(const int16_t query[WIDTH], const int16_t expected[WIDTH]) {
    for (uint32_t k = 0; k < WIDTH; k++) {
        const int32_t slack = k >= 15 && k < FEATURES ? 1 : 0;
        assert_in_range(query[k] - expected[k] + slack, 0, 2 * slack);
    }
}

static void queries_have_the_pose_of_a_row_and_a_path(void **state) {
    (void)state;
    searched takes[2] = {one_take(false, 0.3f, false), one_take(false, 0.3f, true)};
    random_source source = random_branch(0, 8);
    for (uint32_t i = 0; i < 400; i++) {
        const bool mirrored = i % 2 == 1, exists = i / 2 % 4 > 0;
        const searched *s = &takes[i % 16 > 8]; // both have mirrored poses
        const uint32_t row = exists ? random_below(&source, s->count) : i / 2 % 8 == 0 ? LMB_NONE : s->count;
        lmb_motion_path path = random_path(9.0, &source);
        if (i / 2 % 10 == 9) {
            path.positions[1][0] = path.positions[2][1] = NAN;
        }
        float features[WIDTH] = {0};
        memcpy(features + 15, path.positions, sizeof path.positions);
        memcpy(features + 21, path.headings, sizeof path.headings);
        int16_t expected[WIDTH], query[WIDTH];
        lmb_motion_database_normalize(s->database, features, expected);
        int16_t pose[WIDTH] = {0};
        if (exists) {
            read_numbers(s->database, &s->e.layout, row, mirrored, pose);
        }
        for (uint32_t k = 0; k < WIDTH; k++) {
            expected[k] = k < 15 || k >= FEATURES ? pose[k] : expected[k];
        }
        memset(query, 0x55, sizeof query);
        lmb_motion_database_query(s->database, row, mirrored, &path, query);
        expect_query(query, expected);
        if (s == &takes[1]) {
            const lmb_motion_path opposite = mirror_path(&path);
            lmb_motion_database_query(s->database, row, !mirrored, &opposite, query);
            mirror_numbers(&s->e.layout, query, expected);
            lmb_motion_database_query(s->database, row, mirrored, &path, query);
            expect_query(query, expected);
        }
    }
    release_searched(&takes[0]);
    release_searched(&takes[1]);
}

// ---- Definitions. ----

static void defaults_are_those_of_the_header(void **state) {
    (void)state;
    const lmb_motion_take take = lmb_default_motion_take();
    assert_true(take.clip == NULL && take.motion == NULL && !take.loop && take.tags == 0 && take.range_count == 0);
    assert_true(take.velocity[0] == 0.0f && take.velocity[1] == 0.0f && take.velocity[2] == 0.0f);
    const lmb_motion_database_def def = lmb_default_motion_database_def();
    assert_true(def.rig == NULL && def.takes == NULL && def.take_count == 0);
    assert_true(def.left_foot == LMB_NONE && def.right_foot == LMB_NONE && def.hips == LMB_NONE);
    assert_true(def.rate == 30.0f && def.times[0] == 1.0f / 3.0f && def.times[1] == 2.0f / 3.0f &&
                def.times[2] == 1.0f && def.end == 0.3f && !def.mirrored && def.joints == NULL && def.joint_count == 0);
    const lmb_motion_joint joint = lmb_default_motion_joint();
    assert_true(joint.joint == LMB_NONE && !joint.is_velocity && joint.axes[0] && joint.axes[1] && joint.axes[2] &&
                joint.weight == 1.0f && joint.mirror == LMB_NONE);
    const lmb_motion_weights *w = &def.weights;
    assert_true(w->foot_positions == 0.75f && w->foot_velocities == 1.0f && w->hip_velocity == 1.0f &&
                w->path == 1.0f && w->headings == 1.5f);
    const lmb_motion_search_def search = lmb_default_motion_search_def();
    for (uint32_t i = 0; i < WIDTH; i++) {
        assert_int_equal(search.query[i], 0);
    }
    assert_true(search.required_tags == 0 && search.forbidden_tags == 0 && search.current_row == LMB_NONE);
    assert_true(!search.current_is_mirrored && search.current_bonus == 1.0f && search.window == 0.2f &&
                search.recent_count == 0);
    lmb_motion_database_destroy(NULL);
}

static void the_same_takes_give_the_same_bits(void **state) {
    (void)state;
    lmb_rig *rig = make_take_rig();
    random_source source = random_branch(1, 9);
    uint32_t count;
    take_source *sources = random_takes(rig, &(random_settings){20, 90, TRAVEL_TURNING}, 30.0, &count, &source);
    lmb_motion_take *list = allocate(count, sizeof *list);
    lmb_motion_database_def def = definition(rig, sources, count, list);
    lmb_motion_joint joints[JOINT_FEATURES];
    do {
        def.joint_count = random_motion_joints(&source, TAKE_JOINTS, joints);
    } while (def.joint_count == 0);
    def.joints = joints;
    def.mirrored = true;
    lmb_motion_database *one = create(&def), *two = create(&def);
    assert_int_equal(lmb_motion_database_get_info(one)->row_count, lmb_motion_database_get_info(two)->row_count);
    assert_true(lmb_motion_database_get_info(one)->scale == lmb_motion_database_get_info(two)->scale);
    for (uint32_t r = 0; r < lmb_motion_database_get_info(one)->row_count; r++) {
        const lmb_motion_row a = lmb_motion_database_row(one, r), b = lmb_motion_database_row(two, r);
        assert_true(a.take == b.take && a.time == b.time && a.tags == b.tags && a.can_be_found == b.can_be_found);
        assert_memory_equal(lmb_motion_database_features(one, r), lmb_motion_database_features(two, r),
                            WIDTH * sizeof(int16_t));
    }
    lmb_motion_database_destroy(one);
    lmb_motion_database_destroy(two);
    release_takes(sources, count);
    free(list);
    lmb_rig_destroy(rig);
}

// Two takes, of which the second one is changed for each refusal.
typedef struct refusals {
    lmb_rig *rig;
    take_source *sources;
    lmb_motion_take list[2];
    lmb_motion_joint joints[4];
    lmb_motion_database_def def;
} refusals;

static refusals make_refusals(void) {
    refusals f = {.rig = make_take_rig(), .sources = allocate(2, sizeof *f.sources)};
    random_source source = random_branch(2, 10);
    make_random_take(&f.sources[0], f.rig, 1.0, true, TRAVEL_TURNING, 30.0, &source);
    make_random_take(&f.sources[1], f.rig, 1.0, false, TRAVEL_TURNING, 30.0, &source);
    f.sources[1].take.range_count = 2;
    f.sources[1].ranges[0] = (lmb_motion_tag_range){0.0f, 0.5f, 1};
    f.sources[1].ranges[1] = (lmb_motion_tag_range){0.25f, 0.25f, 2};
    return f;
}

static void release_refusals(refusals *f) {
    release_takes(f->sources, 2);
    lmb_rig_destroy(f->rig);
}

// Returns the definition as it is accepted, to be changed; `list` is that of `f`.
static lmb_motion_database_def *renew(refusals *f) {
    f->def = definition(f->rig, f->sources, 2, f->list);
    return &f->def;
}

static void expect_refused(const refusals *f, lmb_result expected, const char *first, const char *second) {
    lmb_motion_database *database = (lmb_motion_database *)(uintptr_t)8;
    lmb_error error = {0};
    failing_host counts = {0};
    const lmb_host host = failing_host_of(&counts);
    const lmb_result result = lmb_motion_database_create(&f->def, &host, &database, &error);
    CHECK_REFUSAL(result, &error, expected, "motion database", first, second);
    assert_null(database);
    assert_int_equal(counts.live, 0);
    assert_int_equal(lmb_motion_database_create(&f->def, NULL, &database, NULL), expected);
    assert_null(database);
}

static void what_is_null_is_refused(void **state) {
    (void)state;
    refusals f = make_refusals();
    lmb_error error = {0};
    lmb_motion_database *database = (lmb_motion_database *)(uintptr_t)8;
    renew(&f);
    CHECK_REFUSAL(lmb_motion_database_create(NULL, NULL, &database, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    assert_null(database);
    CHECK_REFUSAL(lmb_motion_database_create(&f.def, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    renew(&f)->rig = NULL;
    expect_refused(&f, LMB_ERROR_ARGUMENT, "rig", "NULL");
    renew(&f)->takes = NULL;
    expect_refused(&f, LMB_ERROR_ARGUMENT, "takes", "NULL");
    renew(&f);
    f.list[1].clip = NULL;
    expect_refused(&f, LMB_ERROR_ARGUMENT, "take 1", "clip");
    renew(&f);
    f.list[1].ranges = NULL;
    expect_refused(&f, LMB_ERROR_ARGUMENT, "take 1", "range");
    lmb_motion_track motion = f.sources[1].motion;
    motion.keys = NULL;
    renew(&f);
    f.list[1].motion = &motion;
    expect_refused(&f, LMB_ERROR_ARGUMENT, "take 1", "keys");
    release_refusals(&f);
}

static void numbers_out_of_range_are_refused(void **state) {
    (void)state;
    refusals f = make_refusals();
    const float odd[] = {NAN, HUGE_VALF, -HUGE_VALF, -1.0f};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        renew(&f)->rate = odd[i];
        expect_refused(&f, LMB_ERROR_ARGUMENT, "rate", "");
        renew(&f)->end = odd[i];
        expect_refused(&f, LMB_ERROR_ARGUMENT, "end", "");
        for (int k = 0; k < 3; k++) {
            renew(&f)->times[k] = odd[i];
            expect_refused(&f, LMB_ERROR_ARGUMENT, "time", "");
        }
        lmb_motion_weights *w = &f.def.weights;
        float *const weights[5] = {&w->foot_positions, &w->foot_velocities, &w->hip_velocity, &w->path, &w->headings};
        for (int k = 0; k < 5; k++) {
            renew(&f);
            *weights[k] = odd[i];
            expect_refused(&f, LMB_ERROR_ARGUMENT, "weight", "");
            renew(&f);
            *weights[k] = 1001.0f;
            expect_refused(&f, LMB_ERROR_ARGUMENT, "weight", "");
        }
    }
    static const float out[] = {0.0f, 0.99f, 240.1f};
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
        renew(&f)->rate = out[i];
        expect_refused(&f, LMB_ERROR_ARGUMENT, "rate", "");
    }
    renew(&f)->end = 10.01f;
    expect_refused(&f, LMB_ERROR_ARGUMENT, "end", "");
    static const float times[][3] = {{0.0f, 1.0f, 2.0f}, {0.5f, 0.5f, 1.0f},   {0.5f, 1.0f, 1.0f},  {0.7f, 0.5f, 1.0f},
                                     {0.5f, 1.0f, 0.7f}, {0.5f, 1.0f, 10.01f}, {-0.5f, 1.0f, 2.0f}, {1.0f, 0.0f, 2.0f}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        renew(&f);
        memcpy(f.def.times, times[i], sizeof times[i]);
        expect_refused(&f, LMB_ERROR_ARGUMENT, "time", "");
    }
    // The ends of all ranges are allowed.
    static const float ends[2][4] = {{1.0f, 0.001f, 0.002f, 0.003f}, {240.0f, 8.0f, 9.0f, 10.0f}};
    for (int i = 0; i < 2; i++) {
        renew(&f);
        f.def.rate = ends[i][0];
        memcpy(f.def.times, ends[i] + 1, sizeof f.def.times);
        f.def.end = i == 0 ? 0.0f : 10.0f;
        f.def.weights.path = i == 0 ? 0.0f : 1000.0f;
        f.def.take_count = 1;
        f.list[0] = f.sources[1].take;
        lmb_motion_database_destroy(create(&f.def));
    }
    release_refusals(&f);
}

static void joints_that_do_not_fit_are_refused(void **state) {
    (void)state;
    refusals f = make_refusals();
    static const char *const names[3] = {"left foot", "right foot", "hips"};
    static const char *const pairs[3] = {"both feet", "hips", "hips"};
    static const uint32_t bad[3] = {TAKE_JOINTS, LMB_NONE, 1u << 31};
    uint32_t *const joints[3] = {&f.def.left_foot, &f.def.right_foot, &f.def.hips};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            renew(&f);
            *joints[i] = bad[k];
            expect_refused(&f, LMB_ERROR_ARGUMENT, "joint", names[i]);
        }
        renew(&f);
        *joints[i] = *joints[(i + 1) % 3];
        expect_refused(&f, LMB_ERROR_ARGUMENT, pairs[i], "");
    }
    release_refusals(&f);
}

// Returns joints that are accepted, to be changed, in a definition that mirrors rows or not: one in the middle, and a
// pair; and one that does not count.
static lmb_motion_joint *renew_joints(refusals *f, bool mirrored) {
    static const lmb_motion_joint good[4] = {{SPINE, false, {false, true, false}, 1.0f, LMB_NONE},
                                             {LEFT_THIGH, true, {true, false, true}, 1.0f, 2},
                                             {RIGHT_THIGH, true, {true, false, true}, 1.0f, 1},
                                             {SPINE, false, {false, true, false}, 1.0f, LMB_NONE}};
    memcpy(f->joints, good, sizeof good);
    renew(f)->joints = f->joints;
    f->def.joint_count = 3;
    f->def.mirrored = mirrored;
    return f->joints;
}

// A message about a pair may name either partner.
static void expect_pair_refused(const refusals *f) {
    lmb_motion_database *database = NULL;
    lmb_error error = {0};
    assert_int_equal(lmb_motion_database_create(&f->def, NULL, &database, &error), LMB_ERROR_ARGUMENT);
    const bool first = strstr(error.message, "joint feature 1") != NULL;
    expect_refused(f, LMB_ERROR_ARGUMENT, first ? "joint feature 1" : "joint feature 2", "mirror");
}

static void further_joints_out_of_range_are_refused(void **state) {
    (void)state;
    refusals f = make_refusals();
    static const char *const names[3] = {"joint feature 0", "joint feature 1", "joint feature 2"};
    static const uint32_t bad_joints[] = {TAKE_JOINTS, LMB_NONE, 1u << 31};
    static const uint32_t bad_mirrors[] = {3, LMB_NONE - 1, 1u << 31};
    const float bad_weights[] = {NAN, HUGE_VALF, -HUGE_VALF, -1.0f, -1e-9f, 1000.1f};
    for (uint32_t i = 0; i < 6; i++) {
        const uint32_t joint = i % 3, partner = joint == 0 ? 0 : 3 - joint, first = joint == 0 ? 0 : 1;
        const bool mirrored = i < 3;
        for (int k = 0; k < 3; k++) {
            renew_joints(&f, mirrored)[joint].joint = bad_joints[k];
            expect_refused(&f, LMB_ERROR_ARGUMENT, names[joint], "no such joint");
            renew_joints(&f, mirrored)[joint].mirror = bad_mirrors[k];
            f.joints[3] = f.joints[joint]; // behind the list
            f.joints[3].mirror = joint;
            if (joint == 2) { // then the first partner does not fit either
                expect_pair_refused(&f);
            } else {
                expect_refused(&f, LMB_ERROR_ARGUMENT, names[joint], "mirror");
            }
        }
        // What partners share is wrong in both.
        for (size_t k = 0; k < sizeof bad_weights / sizeof *bad_weights; k++) {
            renew_joints(&f, mirrored)[joint].weight = bad_weights[k];
            f.joints[partner].weight = bad_weights[k];
            expect_refused(&f, LMB_ERROR_ARGUMENT, names[first], "weight");
        }
        memset(renew_joints(&f, mirrored)[joint].axes, 0, sizeof f.joints[0].axes);
        memset(f.joints[partner].axes, 0, sizeof f.joints[0].axes);
        expect_refused(&f, LMB_ERROR_ARGUMENT, names[first], "axis");
    }
    for (int i = 0; i < 2; i++) {
        renew_joints(&f, i == 1)[0].weight = i == 0 ? 0.0f : 1000.0f;
        f.joints[1].weight = f.joints[2].weight = i == 0 ? 1000.0f : 0.0f;
        lmb_motion_database *database = create(&f.def);
        assert_int_equal(lmb_motion_database_get_info(database)->feature_count, 32);
        lmb_motion_database_destroy(database);
    }
    release_refusals(&f);
}

static void further_joints_that_do_not_mirror_each_other_are_refused(void **state) {
    (void)state;
    refusals f = make_refusals();
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t one = 1 + i % 2, other = 3 - one;
        const bool mirrored = i < 2;
        renew_joints(&f, mirrored)[one].mirror = LMB_NONE;
        expect_pair_refused(&f);
        renew_joints(&f, mirrored)[one].mirror = one;
        expect_pair_refused(&f);
        renew_joints(&f, mirrored)[one].mirror = 0; // which is in the middle
        expect_pair_refused(&f);
        renew_joints(&f, mirrored)[one].is_velocity = false;
        expect_pair_refused(&f);
        renew_joints(&f, mirrored)[one].weight = 0.5f;
        expect_pair_refused(&f);
        renew_joints(&f, mirrored)[one].axes[2] = false;
        expect_pair_refused(&f);
        renew_joints(&f, mirrored)[one].axes[2] = false;
        f.joints[one].axes[1] = true; // as many
        expect_pair_refused(&f);
        // Round three of them.
        renew_joints(&f, mirrored)[0] = f.joints[one];
        f.joints[0].mirror = one;
        f.joints[one].mirror = other;
        f.joints[other].mirror = 0;
        for (uint32_t k = 0; k < 3; k++) {
            f.joints[k].axes[2] = false;
        }
        expect_refused(&f, LMB_ERROR_ARGUMENT, "joint feature", "mirror");
        // One that is named as its own mirror is in the middle.
        renew_joints(&f, mirrored)[0].mirror = 0;
        lmb_motion_database_destroy(create(&f.def));
    }
    release_refusals(&f);
}

static void too_many_further_joints_are_refused(void **state) {
    (void)state;
    refusals f = make_refusals();
    renew_joints(&f, true);
    f.def.joint_count = 4; // six features
    expect_refused(&f, LMB_ERROR_LIMIT, "joints", "5");
    renew(&f)->joint_count = 2;
    f.joints[0] = f.joints[1] = (lmb_motion_joint){HIPS, false, {true, true, true}, 1.0f, LMB_NONE};
    f.def.joints = f.joints;
    expect_refused(&f, LMB_ERROR_LIMIT, "joints", "5");
    // One feature each. No more of a list is read than can be allowed.
    static const uint32_t counts[] = {6, 7, 1u << 30, UINT32_MAX};
    lmb_motion_joint *list = allocate(6, sizeof *list);
    for (uint32_t i = 0; i < 6; i++) {
        list[i] = (lmb_motion_joint){HIPS, false, {true, false, false}, 1.0f, LMB_NONE};
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        renew(&f)->joints = list;
        f.def.joint_count = counts[i];
        expect_refused(&f, LMB_ERROR_LIMIT, "joints", "5");
    }
    for (uint32_t count = 0; count < 6; count++) {
        renew(&f)->joints = count == 0 ? NULL : list;
        f.def.joint_count = count;
        lmb_motion_database *database = create(&f.def);
        assert_int_equal(lmb_motion_database_get_info(database)->feature_count, FEATURES + count);
        lmb_motion_database_destroy(database);
        f.def.joints = NULL;
        if (count > 0) {
            expect_refused(&f, LMB_ERROR_ARGUMENT, "joints", "NULL");
        }
    }
    free(list);
    release_refusals(&f);
}

static void takes_that_do_not_fit_are_refused(void **state) {
    (void)state;
    refusals f = make_refusals();
    const float odd[] = {NAN, HUGE_VALF, -HUGE_VALF};
    renew(&f)->take_count = 0;
    expect_refused(&f, LMB_ERROR_ARGUMENT, "take", "");

    // A clip of another rig.
    const lmb_joint_def joint = lmb_default_joint_def();
    const lmb_rig_def one_joint = {.joints = &joint, .joint_count = 1};
    lmb_rig *other = NULL;
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_rig_create(&one_joint, NULL, &other, NULL), LMB_OK);
    assert_int_equal(lmb_clip_create(other, &(lmb_clip_def){.duration = 1.0f}, NULL, &clip, NULL), LMB_OK);
    renew(&f);
    f.list[1].clip = clip;
    expect_refused(&f, LMB_ERROR_ARGUMENT, "take 1", "joints");
    lmb_clip_destroy(clip);
    lmb_rig_destroy(other);

    // Clips of one row, and of two.
    static const struct {
        float duration;
        bool loop, short_of_rows;
    } lengths[] = {{1.0f / 32.0f, false, false}, {1.0f / 33.0f, false, true}, {1.0f / 32.0f, true, true},
                   {1.0f / 31.0f, true, false},  {0.0f, false, true},         {0.0f, true, true},
                   {1e-9f, true, true}};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        assert_int_equal(lmb_clip_create(f.rig, &(lmb_clip_def){.duration = lengths[i].duration}, NULL, &clip, NULL),
                         LMB_OK);
        renew(&f)->rate = 32.0f;
        f.list[1].clip = clip;
        f.list[1].loop = lengths[i].loop;
        f.list[1].range_count = 0;
        if (lengths[i].short_of_rows) {
            expect_refused(&f, LMB_ERROR_ARGUMENT, "take 1", "short");
        } else {
            lmb_motion_database *database = create(&f.def);
            assert_int_equal(lmb_motion_database_get_info(database)->row_count, 34);
            lmb_motion_database_destroy(database);
        }
        lmb_clip_destroy(clip);
    }

    // Motion tracks.
    static const uint32_t counts[] = {0, 1, LMB_MAX_MOTION_KEYS + 1, UINT32_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        lmb_motion_track motion = f.sources[1].motion;
        motion.key_count = counts[i];
        renew(&f);
        f.list[1].motion = &motion;
        expect_refused(&f, LMB_ERROR_ARGUMENT, "take 1", "key");
    }
    static const float unit[8] = {0, 0, 0, 1, 0, 0, 0, 1};
    float keys[8] = {0};
    const lmb_motion_track turned = {.key_count = 2, .keys = keys, .rotations = unit};
    const lmb_motion_track plain = {.key_count = 2, .keys = keys};
    renew(&f);
    f.list[1].motion = &turned;
    expect_refused(&f, LMB_ERROR_ARGUMENT, "take 1", "rotations");
    for (int key = 0; key < 8; key++) {
        for (int i = 0; i < 4; i++) {
            renew(&f);
            f.list[1].motion = &plain;
            keys[key] = i < 3 ? odd[i] : 1.01f * LMB_MAX_MOTION;
            expect_refused(&f, LMB_ERROR_ARGUMENT, "take 1", "key");
            keys[key] = 0.0f;
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < 3; i++) {
            renew(&f);
            f.list[1].motion = NULL;
            f.list[1].velocity[axis] = odd[i];
            expect_refused(&f, LMB_ERROR_ARGUMENT, "take 1", "velocity");
        }
    }

    // Ranges.
    lmb_motion_tag_range ranges[2] = {{0.0f, 1.0f, 1}, {0.5f, 0.5f, 1}};
    for (int i = 0; i < 7; i++) {
        const lmb_motion_tag_range good = {0.0f, 1.0f, 1};
        ranges[1] = good;
        *(i % 2 == 0 ? &ranges[1].start : &ranges[1].end) = i < 6 ? odd[i / 2] : 1.5f;
        renew(&f);
        f.list[1].ranges = ranges;
        expect_refused(&f, LMB_ERROR_ARGUMENT, "take 1", "range");
    }
    renew(&f);
    lmb_motion_database_destroy(create(&f.def));
    release_refusals(&f);
}

static void limits_are_refused(void **state) {
    (void)state;
    refusals f = make_refusals();
    lmb_motion_take *list = allocate(LMB_MAX_MOTION_TAKES + 1, sizeof *list);
    for (uint32_t i = 0; i <= LMB_MAX_MOTION_TAKES; i++) {
        list[i] = f.sources[0].take;
    }
    renew(&f)->takes = list;
    f.def.take_count = LMB_MAX_MOTION_TAKES + 1;
    expect_refused(&f, LMB_ERROR_LIMIT, "65537", "takes");
    f.def.take_count = LMB_MAX_MOTION_TAKES; // 30 rows each
    expect_refused(&f, LMB_ERROR_LIMIT, "rows", "131072");
    free(list);

    static const float durations[] = {131071.0f / 128.0f, 131072.0f / 128.0f, 1e5f, 1e8f, 1e9f};
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
        lmb_clip *clip = NULL;
        const lmb_clip_def still = {.duration = durations[i]};
        if (lmb_clip_create(f.rig, &still, NULL, &clip, NULL) != LMB_OK) {
            assert_true(durations[i] > 1e6f); // longer than clips may be
            continue;
        }
        renew(&f)->rate = 128.0f;
        f.def.take_count = 1;
        f.list[0] = lmb_default_motion_take();
        f.list[0].clip = clip;
        if (i == 0) {
            lmb_motion_database *database = create(&f.def);
            assert_int_equal(lmb_motion_database_get_info(database)->row_count, LMB_MAX_MOTION_ROWS);
            lmb_motion_database_destroy(database);
        } else {
            expect_refused(&f, LMB_ERROR_LIMIT, "rows", "131072");
        }
        lmb_clip_destroy(clip);
    }
    release_refusals(&f);
}

static lmb_result create_with(const lmb_host *host, lmb_error *error, void *user) {
    lmb_motion_database *database = (lmb_motion_database *)(uintptr_t)8;
    const lmb_result result = lmb_motion_database_create(user, host, &database, error);
    assert_true((result == LMB_OK) == (database != NULL));
    if (result == LMB_OK) {
        // Searches allocate nothing.
        const failing_host *counts = host->user;
        const uint32_t asked = counts->asked;
        const lmb_motion_search_def search = lmb_default_motion_search_def();
        lmb_motion_database_search(database, &search);
        assert_int_equal(counts->asked, asked);
    }
    lmb_motion_database_destroy(database);
    return result;
}

static void failing_memory_is_reported(void **state) {
    (void)state;
    refusals f = make_refusals();
    renew_joints(&f, true);
    failing_host_try_all(create_with, &f.def);
    release_refusals(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_and_rows_are_those_of_the_oracle),
        cmocka_unit_test(a_loop_goes_on_at_its_beginning),
        cmocka_unit_test(two_speeds_by_hand),
        cmocka_unit_test(one_direction_by_hand),
        cmocka_unit_test(further_joints_by_hand),
        cmocka_unit_test(mirrored_joints_by_hand),
        cmocka_unit_test(further_joints_that_hardly_differ_count_as_zero),
        cmocka_unit_test(what_never_differs_counts_as_zero),
        cmocka_unit_test(weights_of_zero_leave_groups_out),
        cmocka_unit_test(halves_are_rounded_up),
        cmocka_unit_test(searches_find_what_a_search_of_all_rows_finds),
        cmocka_unit_test(many_takes_are_searched),
        cmocka_unit_test(large_databases_are_searched),
        cmocka_unit_test(windows_and_ends_leave_rows_out),
        cmocka_unit_test(windows_and_ends_leave_mirrored_rows_out),
        cmocka_unit_test(symmetric_motion_is_found_as_it_is),
        cmocka_unit_test(a_short_take_is_never_found),
        cmocka_unit_test(odd_searches_are_harmless),
        cmocka_unit_test(queries_have_the_pose_of_a_row_and_a_path),
        cmocka_unit_test(defaults_are_those_of_the_header),
        cmocka_unit_test(the_same_takes_give_the_same_bits),
        cmocka_unit_test(what_is_null_is_refused),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(joints_that_do_not_fit_are_refused),
        cmocka_unit_test(further_joints_out_of_range_are_refused),
        cmocka_unit_test(further_joints_that_do_not_mirror_each_other_are_refused),
        cmocka_unit_test(too_many_further_joints_are_refused),
        cmocka_unit_test(takes_that_do_not_fit_are_refused),
        cmocka_unit_test(limits_are_refused),
        cmocka_unit_test(failing_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
