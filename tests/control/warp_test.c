// Warps of root motion against float64: the character's place in every frame, at any frame rate.
#include "control_stage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECOND LMB_TICKS_PER_SECOND
#define PI 3.141592653589793

enum { X, Y, Z, HEADING, PARAMETERS = 16 };

// A rigid motion: a rotation about y that turns z towards x, and a displacement.
typedef struct rigid {
    double x, y, z, yaw;
} rigid;

static rigid join(rigid a, rigid b) {
    return (rigid){a.x + b.x * cos(a.yaw) + b.z * sin(a.yaw), a.y + b.y, a.z - b.x * sin(a.yaw) + b.z * cos(a.yaw),
                   a.yaw + b.yaw};
}

static rigid invert(rigid a) {
    return (rigid){-(a.x * cos(a.yaw) - a.z * sin(a.yaw)), -a.y, -(a.x * sin(a.yaw) + a.z * cos(a.yaw)), -a.yaw};
}

// A clip that moves: its track, duration and warps.
typedef struct moving {
    lmb_motion_track track;
    double duration;
} moving;

static rigid track_at(const moving *m, double time) {
    const double at = time / m->duration * (double)(m->track.key_count - 1);
    uint32_t key = (uint32_t)at;
    key = key > m->track.key_count - 2 ? m->track.key_count - 2 : key;
    const float *from = m->track.keys + 4 * (size_t)key, *to = from + 4;
    double n[4];
    for (int i = 0; i < 4; i++) {
        n[i] = (double)from[i] + ((double)to[i] - (double)from[i]) * (at - key);
    }
    return (rigid){n[0], n[1], n[2], n[3]};
}

static rigid way(const moving *m, double from, double to) {
    return join(invert(track_at(m, from)), track_at(m, to));
}

// The length of the path between two times.
static double length_between(const moving *m, double from, double to) {
    const double interval = m->duration / (double)(m->track.key_count - 1);
    double length = 0.0;
    for (uint32_t i = 0; i + 1 < m->track.key_count; i++) {
        const double begin = fmax(from, i * interval), end = fmin(to, (i + 1) * interval);
        const float *a = m->track.keys + 4 * (size_t)i, *b = a + 4;
        const double x = (double)b[0] - (double)a[0], y = (double)b[1] - (double)a[1], z = (double)b[2] - (double)a[2];
        length += end > begin ? sqrt(x * x + y * y + z * z) * (end - begin) / interval : 0.0;
    }
    return length;
}

// What a warp aims at; NAN: this is not warped.
typedef struct aim {
    double start, end;
    rigid goal;
} aim;

static rigid path_at(const moving *m, const aim *a, double heading, double time) {
    const rigid goal = {a->goal.x, a->goal.y, a->goal.z, heading};
    return join(goal, invert(way(m, time, a->end)));
}

// Where a character is at `to` that was at `place` at `from`, both within the warp.
static rigid warp(const moving *m, const aim *a, rigid place, double from, double to) {
    const double clip_turn = way(m, from, a->end).yaw;
    const double heading = isnan(a->goal.yaw) ? place.yaw + clip_turn : a->goal.yaw;
    const double turn = isnan(a->goal.yaw) ? 0.0 : remainder(place.yaw - (a->goal.yaw - clip_turn), 2.0 * PI);
    aim filled = *a;
    const rigid alone = path_at(m, &(aim){.end = a->end}, heading, from); // relative to the goal
    filled.goal.x = isnan(a->goal.x) || isnan(a->goal.z) ? place.x - alone.x : a->goal.x;
    filled.goal.z = isnan(a->goal.x) || isnan(a->goal.z) ? place.z - alone.z : a->goal.z;
    filled.goal.y = isnan(a->goal.y) ? place.y - alone.y : a->goal.y;
    const rigid before = path_at(m, &filled, heading, from), after = path_at(m, &filled, heading, to);
    const double time_left = (a->end - to) / (a->end - from), path = length_between(m, from, a->end);
    const double left = path > 0.0 ? length_between(m, to, a->end) / path : time_left;
    return (rigid){after.x + (place.x - before.x) * left, after.y + (place.y - before.y) * left,
                   after.z + (place.z - before.z) * left, heading - way(m, to, a->end).yaw + turn * time_left};
}

// Where a character is at a time of the clip that was at `place` at another, within one loop.
static rigid move(const moving *m, const aim *aims, uint32_t count, rigid place, double from, double to) {
    for (uint32_t i = 0; i < count; i++) {
        const double start = fmin(fmax(from, aims[i].start), to), end = fmin(fmax(from, aims[i].end), to);
        place = join(place, way(m, from, start));
        place = end > start ? warp(m, &aims[i], place, start, end) : place;
        from = end;
    }
    return join(place, way(m, from, to));
}

static rigid place_of(const stage *s) {
    const lmb_motion m = lmb_state_motion(s->control, s->state);
    return (rigid){m.position[0], m.position[1], m.position[2], m.yaw};
}

static void assert_at(const stage *s, rigid expected, double bound) {
    const rigid place = place_of(s);
    assert_near(place.x, expected.x, bound);
    assert_near(place.y, expected.y, bound);
    assert_near(place.z, expected.z, bound);
    assert_near(remainder(place.yaw - expected.yaw, 2.0 * PI), 0.0, bound);
}

static void put(stage *s, rigid place) {
    lmb_error error;
    const lmb_motion m = {{place.x, place.y, place.z}, place.yaw, {0}};
    assert_int_equal(lmb_state_set_motion(s->control, s->state, &m, &error), LMB_OK);
}

static void aim_at(stage *s, rigid goal) {
    s->parameters[X] = (float)goal.x;
    s->parameters[Y] = (float)goal.y;
    s->parameters[Z] = (float)goal.z;
    s->parameters[HEADING] = (float)goal.yaw;
}

static lmb_warp_def warp_of(const aim *a) {
    lmb_warp_def def = lmb_default_warp_def();
    def.start = (float)a->start;
    def.end = (float)a->end;
    for (uint32_t i = 0; i < 3; i++) {
        def.target[i] = lmb_parameter(X + i);
    }
    def.turns_to_heading = true;
    def.heading = lmb_parameter(HEADING);
    return def;
}

static control_player_def player_of(const moving *m, const lmb_warp_def *warps, uint32_t count, lmb_end end) {
    control_player_def player = stage_player((float)m->duration, LMB_NONE);
    player.motion = &m->track;
    player.end = end;
    player.warps = warps;
    player.warp_count = count;
    return player;
}

static control_def control_of(const control_player_def *players, uint32_t count,
                              const lmb_motion_def *character_motion) {
    control_def def = stage_control(players, count, PARAMETERS);
    def.event_count = 4;
    def.motion = character_motion;
    return def;
}

static const float straight[] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.5f, 0.0f};
static const float vault[] = {0.0f, 0.0f, 0.0f, 0.0f, 0.1f, 0.3f, 0.4f, 0.3f, 0.3f, 1.0f, 0.7f, 0.5f,
                              0.3f, 1.0f, 0.7f, 0.1f, 0.2f, 0.5f, 1.1f, 0.1f, 0.4f, 0.0f, 2.0f, -0.2f};
static const float there_and_back[] = {1.0f, 2.0f, 3.0f,  1.0f, 1.0f, 2.0f, 4.0f, 2.0f, 1.0f, 2.0f,
                                       3.0f, 3.0f, -1.0f, 2.0f, 3.0f, 3.0f, 1.0f, 2.0f, 3.0f, 3.0f};
static const float still[] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
static const float spin[] = {3.0f, 1.0f, -2.0f, 1.0f, 3.5f, 1.0f, -1.5f, 14.0f};
static const moving clips[] = {{{2, straight, NULL}, 1.5},
                               {{6, vault, NULL}, 1.25},
                               {{5, there_and_back, NULL}, 2.0},
                               {{2, still, NULL}, 1.0},
                               {{2, spin, NULL}, 1.75}};
enum { CLIPS = sizeof clips / sizeof clips[0] };
static const uint64_t rates[] = {3, 7, 24, 30, 60, 144, 240};
enum { RATES = sizeof rates / sizeof rates[0] };
// Ahead, far ahead, to the side, behind, above, where the character is, and far away.
static const rigid goals[] = {{0.0, 0.0, 1.5, 0.0},    {0.5, 0.25, 4.0, 0.5}, {-2.0, 0.0, 0.0, -1.5},
                              {0.25, 0.0, -3.0, 3.0},  {0.0, 5.0, 0.5, 0.25}, {0.0, 0.0, 0.0, 0.0},
                              {90.0, -7.0, 55.0, 40.0}};
enum { GOALS = sizeof goals / sizeof goals[0] };

// From any start, at any frame rate, the character is in each frame where the formula puts it. It reaches the target
// with the end of the warp, and continues from there.
static void test_reaches(void **state) {
    (void)state;
    static const rigid starts[] = {{0.0, 0.0, 0.0, 0.0}, {-1.25, 0.5, 2.0, 2.5}};
    const lmb_motion_def character_motion = lmb_default_motion_def();
    for (uint32_t i = 0; i < CLIPS * RATES * GOALS * 2; i++) {
        const moving *m = &clips[i % CLIPS];
        const uint64_t rate = rates[i / CLIPS % RATES];
        const aim a = {0.25 * m->duration, 0.75 * m->duration, goals[i / CLIPS / RATES % GOALS]};
        const rigid start = starts[i / CLIPS / RATES / GOALS];
        const lmb_warp_def def = warp_of(&a);
        const control_player_def player = player_of(m, &def, 1, LMB_END_HOLD);
        const control_def control = control_of(&player, 1, &character_motion);
        stage s = stage_begin(&control);
        aim_at(&s, a.goal);
        put(&s, start);
        const uint32_t frames = (uint32_t)ceil(m->duration * (double)rate) + 1;
        for (uint32_t frame = 1; frame <= frames; frame++) {
            stage_step(&s, SECOND / rate);
            const double time = fmin((double)frame / (double)rate, m->duration);
            const rigid expected = move(m, &a, 1, start, 0.0, time);
            // Up to 240 steps, each rounded relative to the distance that is left.
            const double size = fabs(a.goal.x) + fabs(a.goal.y) + fabs(a.goal.z) + 5.0;
            assert_at(&s, expected, 2e-6 * size);
        }
        assert_at(
            &s, join((rigid){a.goal.x, a.goal.y, a.goal.z, (double)s.parameters[HEADING]}, way(m, a.end, m->duration)),
            5e-6 * (m->track.keys == spin ? 4.0 : 1.0) * (1.0 + fabs(a.goal.x) / 10.0));
        stage_end(&s);
    }
}

// The step that passes the end misses the target by at most 1e-6 of the distance and of the path left.
static void test_bound(void **state) {
    (void)state;
    const lmb_motion_def character_motion = lmb_default_motion_def();
    for (uint32_t i = 0; i < CLIPS * RATES * GOALS; i++) {
        const moving *m = &clips[i % CLIPS];
        const uint64_t rate = rates[i / CLIPS % RATES];
        const aim a = {0.0, m->duration, goals[i / CLIPS / RATES]};
        const lmb_warp_def def = warp_of(&a);
        const control_player_def player = player_of(m, &def, 1, LMB_END_HOLD);
        const control_def control = control_of(&player, 1, &character_motion);
        stage s = stage_begin(&control);
        aim_at(&s, a.goal);
        rigid before = place_of(&s);
        double time = 0.0;
        while (stage_player_seconds(&s, 0) < m->duration) {
            before = place_of(&s);
            time = stage_player_seconds(&s, 0);
            stage_step(&s, SECOND / rate);
        }
        const rigid place = place_of(&s);
        const double distance =
            sqrt((a.goal.x - before.x) * (a.goal.x - before.x) + (a.goal.y - before.y) * (a.goal.y - before.y) +
                 (a.goal.z - before.z) * (a.goal.z - before.z));
        const double missed =
            sqrt((a.goal.x - place.x) * (a.goal.x - place.x) + (a.goal.y - place.y) * (a.goal.y - place.y) +
                 (a.goal.z - place.z) * (a.goal.z - place.z));
        assert_in_range((uint64_t)(missed * 1e12), 0,
                        (uint64_t)(1e12 * (1e-6 * (distance + length_between(m, time, m->duration)) + 1e-9)));
        const double turned = PI + fabs(way(m, time, m->duration).yaw);
        assert_near(remainder(place.yaw - (double)s.parameters[HEADING], 2.0 * PI), 0.0, 1e-6 * turned);
        stage_end(&s);
    }
}

// A component that is not finite, or that the descriptor leaves out, is the clip's.
static void test_left_to_the_clip(void **state) {
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    const lmb_motion_def character_motion = lmb_default_motion_def();
    for (uint32_t i = 0; i < 3 * 32; i++) {
        const moving *m = &clips[i % 2];
        const uint32_t without = i / 3;
        aim a = {0.25, 1.0, {2.0, 1.0, -1.0, 1.25}};
        lmb_warp_def def = warp_of(&a);
        def.warps_height = (without & 16) == 0 || (without & 2) == 0;
        def.turns_to_heading = (without & 16) == 0 || (without & 8) == 0;
        const control_player_def player = player_of(m, &def, 1, LMB_END_HOLD);
        const control_def control = control_of(&player, 1, &character_motion);
        stage s = stage_begin(&control);
        aim_at(&s, a.goal);
        for (uint32_t k = 0; k < 4; k++) {
            s.parameters[X + k] = (without & 1u << k) != 0 ? bad[i % 3] : s.parameters[X + k];
        }
        a.goal.x = (without & 1) != 0 ? (double)NAN : a.goal.x;
        a.goal.y = (without & 2) != 0 ? (double)NAN : a.goal.y;
        a.goal.z = (without & 4) != 0 ? (double)NAN : a.goal.z;
        a.goal.yaw = (without & 8) != 0 ? (double)NAN : a.goal.yaw;
        for (uint32_t frame = 1; frame <= 40; frame++) {
            stage_step(&s, SECOND / 30);
            const double time = fmin(frame / 30.0, m->duration);
            assert_at(&s, move(m, &a, 1, (rigid){0.0, 0.0, 0.0, 0.0}, 0.0, time), 1e-5);
        }
        stage_end(&s);
    }
}

// Beyond 2^30 a target is at 2^30, and the state stays valid.
static void test_far_target(void **state) {
    (void)state;
    const lmb_motion_def character_motion = lmb_default_motion_def();
    const aim a = {0.0, 1.5, {0.0, 0.0, 0.0, 0.0}};
    const lmb_warp_def def = warp_of(&a);
    const control_player_def player = player_of(&clips[0], &def, 1, LMB_END_HOLD);
    const control_def control = control_of(&player, 1, &character_motion);
    stage s = stage_begin(&control);
    aim_at(&s, (rigid){1e30, -1e30, 1e-42, 1e30});
    for (int frame = 0; frame < 100; frame++) {
        stage_step(&s, SECOND / 60);
    }
    assert_near(place_of(&s).x, 0x1p30, 0x1p30 * 1e-5);
    assert_near(place_of(&s).y, -0x1p30, 0x1p30 * 1e-5);
    stage_end(&s);
}

// If nothing of the path remains, time decides: the character moves evenly. A target that moves while the clip rests is
// reached as well.
static void test_rest(void **state) {
    (void)state;
    static const float stops[] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f};
    const moving stopping = {{3, stops, NULL}, 2.0};
    const lmb_motion_def character_motion = lmb_default_motion_def();
    const aim a = {0.0, 2.0, {0.0, 0.0, 3.0, 0.0}};
    const lmb_warp_def def = warp_of(&a);
    const control_player_def player = player_of(&stopping, &def, 1, LMB_END_HOLD);
    const control_def control = control_of(&player, 1, &character_motion);
    stage s = stage_begin(&control);
    aim_at(&s, a.goal);
    for (int frame = 1; frame <= 120; frame++) {
        s.parameters[Z] = frame <= 80 ? 3.0f : 4.0f;
        stage_step(&s, SECOND / 60);
        const double expected = frame <= 60 ? frame / 20.0 : frame <= 80 ? 3.0 : 3.0 + (frame - 80) / 40.0;
        assert_near(place_of(&s).z, expected, 1e-5);
    }
    stage_end(&s);
    // A clip without any motion, and none in its descriptor.
    control_player_def quiet = player_of(&clips[3], &def, 1, LMB_END_HOLD);
    quiet.duration = 2.0f;
    quiet.motion = NULL;
    const control_def resting = control_of(&quiet, 1, &character_motion);
    s = stage_begin(&resting);
    aim_at(&s, (rigid){1.0, 2.0, 3.0, -2.0});
    for (int frame = 1; frame <= 14; frame++) {
        stage_step(&s, SECOND / 7);
        assert_at(&s, (rigid){frame / 14.0, frame / 7.0, frame * 3.0 / 14.0, -frame / 7.0}, 3e-6);
    }
    stage_end(&s);
}

// A clip that loops reaches its target in each loop, in steps of less than a loop and of many.
static void test_loops(void **state) {
    (void)state;
    static const double steps[] = {1.0 / 60.0, 1.0 / 3.0, 1.0, 2.5, 17.0};
    const lmb_motion_def character_motion = lmb_default_motion_def();
    for (uint32_t i = 0; i < CLIPS * 5; i++) {
        const moving *m = &clips[i % CLIPS];
        const double step = steps[i / CLIPS];
        const aim a = {0.25 * m->duration, 0.5 * m->duration, {1.0, 0.5, -2.0, 0.75}};
        const lmb_warp_def def = warp_of(&a);
        const control_player_def player = player_of(m, &def, 1, LMB_END_LOOP);
        const control_def control = control_of(&player, 1, &character_motion);
        stage s = stage_begin(&control);
        aim_at(&s, a.goal);
        rigid place = {0.0, 0.0, 0.0, 0.0};
        double time = 0.0;
        for (int frame = 0; frame < 40; frame++) {
            stage_step(&s, lmb_ticks_from_seconds(step));
            double left = step;
            while (time + left >= m->duration - 1e-9) {
                place = move(m, &a, 1, place, time, m->duration);
                left = fmax(left - (m->duration - time), 0.0);
                time = 0.0;
            }
            place = move(m, &a, 1, place, time, time + left);
            time += left;
            assert_at(&s, place, 2e-5);
        }
        stage_end(&s);
    }
}

// Backwards, nothing is warped. A clip that is paused within a warp does not move the character.
static void test_backwards(void **state) {
    (void)state;
    const lmb_motion_def character_motion = lmb_default_motion_def();
    const aim a = {0.25, 1.0, {5.0, 5.0, 5.0, 1.0}};
    const lmb_warp_def def = warp_of(&a);
    control_player_def player = player_of(&clips[1], &def, 1, LMB_END_HOLD);
    player.offset = 1.25f;
    player.rate = lmb_parameter(5);
    const control_def control = control_of(&player, 1, &character_motion);
    stage s = stage_begin(&control);
    aim_at(&s, a.goal);
    s.parameters[5] = -1.0f;
    for (int frame = 1; frame <= 60; frame++) {
        stage_step(&s, SECOND / 60);
        assert_at(&s, way(&clips[1], 1.25, 1.25 - frame / 60.0), 5e-6);
    }
    const rigid place = place_of(&s);
    s.parameters[5] = 0.0f;
    stage_step(&s, SECOND);
    assert_at(&s, place, 0.0);
    s.parameters[5] = 1.0f;
    const double turned = stage_player_seconds(&s, 0);
    stage_step(&s, SECOND / 2);
    assert_at(&s, move(&clips[1], &a, 1, place, turned, turned + 0.5), 1e-5);
    stage_end(&s);
}

// Two warps of one clip: to the edge, and to the ground behind it. The host, and a desired velocity, move the character
// in between.
static void test_two_warps(void **state) {
    (void)state;
    const moving *m = &clips[1];
    const aim aims[2] = {{0.1, 0.5, {0.5, 1.25, 1.0, 0.0}}, {0.5, 1.125, {1.0, -0.5, 3.0, 0.0}}};
    lmb_warp_def defs[2] = {warp_of(&aims[0]), warp_of(&aims[1])};
    const double *to[2] = {&aims[0].goal.x, &aims[1].goal.x};
    for (uint32_t i = 0; i < 6; i++) {
        defs[i / 3].target[i % 3] = lmb_constant((float)to[i / 3][i % 3]);
    }
    for (uint32_t i = 0; i < RATES * 3; i++) {
        lmb_motion_def character_motion = lmb_default_motion_def();
        character_motion.velocity[0] = lmb_constant(i / RATES == 1 ? 2.0f : 0.0f);
        const control_player_def player = player_of(m, defs, 2, LMB_END_HOLD);
        const control_def control = control_of(&player, 1, &character_motion);
        stage s = stage_begin(&control);
        uint32_t reached = 0;
        const uint64_t rate = rates[i % RATES];
        for (uint32_t frame = 1; frame <= 2 * rate; frame++) {
            const double before = stage_player_seconds(&s, 0);
            if (i / RATES == 2 && before < 0.5) { // the host interferes
                rigid moved = place_of(&s);
                moved.x += 0.01;
                moved.yaw -= 0.02;
                put(&s, moved);
            }
            stage_step(&s, SECOND / rate);
            const double time = stage_player_seconds(&s, 0);
            for (uint32_t k = 0; k < 2; k++) {
                const bool passes = before < aims[k].end && time >= aims[k].end;
                if (passes && (k == 1 || time < aims[1].end)) {
                    const rigid goal = {aims[k].goal.x, aims[k].goal.y, aims[k].goal.z, 0.0};
                    assert_at(&s, move(m, aims, 2, goal, aims[k].end, time), 1e-5);
                    reached++;
                }
            }
            if (i / RATES == 0) {
                assert_at(&s, move(m, aims, 2, (rigid){0.0, 0.0, 0.0, 0.0}, 0.0, time), 1e-5);
            }
        }
        assert_in_range(reached, 1, 2);
        stage_end(&s);
    }
}

// While a state fades in, the warp has its weight. The target is reached if the state has faded in by then, even if it
// was entered within the warp; and when it fades out, the share of its weight is made up for.
static void test_fades(void **state) {
    (void)state;
    static const float walk[] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.5f, 0.5f};
    const moving walking = {{2, walk, NULL}, 1.0}, *vaulting = &clips[1];
    const lmb_motion_def character_motion = lmb_default_motion_def();
    const aim a = {0.0, 1.0, {1.0, 0.75, 4.0, -0.75}};
    const lmb_warp_def def = warp_of(&a);
    static const rigid starts[] = {{0.0, 0.0, 0.0, 0.0}, {3.0, -1.0, 2.0, 2.0}};
    for (uint32_t i = 0; i < RATES * 3 * 2; i++) {
        const uint64_t rate = rates[i % RATES];
        const float fade = 0.3f * (float)(i / RATES % 3); // 0, 0.3 s, 0.6 s
        control_player_def players[2] = {player_of(&walking, NULL, 0, LMB_END_LOOP),
                                         player_of(vaulting, &def, 1, LMB_END_HOLD)};
        control_state_def states[2] = {default_control_state_def(), default_control_state_def()};
        const lmb_transition_def transition = stage_transition(0, 1, 0, fade);
        const control_machine_def machine = {
            .states = states, .state_count = 2, .transitions = &transition, .transition_count = 1, .machine = LMB_NONE};
        for (uint32_t k = 0; k < 2; k++) {
            players[k].machine = 0;
            players[k].state = k;
        }
        control_def control = control_of(players, 2, &character_motion);
        control.machines = &machine;
        control.machine_count = 1;
        stage s = stage_begin(&control);
        put(&s, starts[i / RATES / 3]);
        aim_at(&s, a.goal);
        stage_step(&s, SECOND / rate);
        stage_send(&s, SECOND / rate, 0);
        while (stage_player_seconds(&s, 1) < a.end) {
            stage_step(&s, SECOND / rate);
        }
        assert_near(stage_player_weight(&s, 1), 1.0, 1e-6);
        assert_at(&s, join(a.goal, way(vaulting, a.end, stage_player_seconds(&s, 1))), 1e-5);
        stage_end(&s);
    }
}

// With a constant weight w beside a clip at rest, each step makes up for the share w of what it would at weight 1.
static void test_weights(void **state) {
    (void)state;
    const lmb_motion_def character_motion = lmb_default_motion_def();
    const moving *m = &clips[0];
    const aim a = {0.0, 1.5, {2.0, 1.0, 3.0, 1.0}};
    const lmb_warp_def def = warp_of(&a);
    static const float weights[] = {0.0f, 0.25f, 0.5f, 0.875f, 1.0f};
    for (uint32_t i = 0; i < 5 * RATES; i++) {
        const double w = (double)weights[i / RATES];
        const uint64_t rate = rates[i % RATES];
        control_player_def players[2] = {player_of(m, &def, 1, LMB_END_HOLD), stage_player(1.0f, 9)};
        players[0].time_parameter = 8;
        const control_def control = control_of(players, 2, &character_motion);
        const lmb_value shares[2] = {lmb_constant((float)w), lmb_constant((float)(1.0 - w))};
        stage s = stage_begin_with(&control, control_program_create(&control, shares));
        aim_at(&s, a.goal);
        rigid place = {0.0, 0.0, 0.0, 0.0};
        for (uint32_t frame = 1; frame <= rate; frame++) {
            stage_step(&s, SECOND / rate);
            const double from = (double)(frame - 1) / (double)rate, to = (double)frame / (double)rate;
            const rigid moved = join(invert(place), warp(m, &a, place, from, to));
            place = join(place, (rigid){w * moved.x, w * moved.y, w * moved.z, w * moved.yaw});
            assert_at(&s, place, 1e-5);
        }
        stage_end(&s);
    }
}

// A clip that has faded out before the end of its warp does not jump: no step is longer than twice the warp's own. One
// that still fades out at the end never goes back or beyond the target.
static void test_fading_out(void **state) {
    (void)state;
    const moving *m = &clips[0];
    const lmb_motion_def character_motion = lmb_default_motion_def();
    const aim a = {0.0, 1.5, {0.0, 0.0, 30.0, 0.0}};
    const lmb_warp_def def = warp_of(&a);
    for (uint32_t i = 0; i < RATES * 2; i++) {
        const bool straddles = i >= RATES;
        const uint64_t rate = rates[i % RATES];
        control_player_def players[2] = {player_of(m, &def, 1, LMB_END_HOLD), stage_player(1.0f, LMB_NONE)};
        control_state_def states[2] = {default_control_state_def(), default_control_state_def()};
        lmb_transition_def transition = stage_transition(0, 1, LMB_NONE, 0.5f);
        transition.after = straddles ? 1.2f : 0.8f;
        const control_machine_def machine = {
            .states = states, .state_count = 2, .transitions = &transition, .transition_count = 1, .machine = LMB_NONE};
        players[0].machine = players[1].machine = 0;
        players[1].state = 1;
        control_def control = control_of(players, 2, &character_motion);
        control.machines = &machine;
        control.machine_count = 1;
        stage s = stage_begin(&control);
        aim_at(&s, a.goal);
        double before = 0.0;
        for (uint32_t frame = 0; frame < 2 * rate; frame++) {
            stage_step(&s, SECOND / rate);
            const double place = place_of(&s).z;
            assert_true(place >= before - 1e-5 && place <= 30.0 + 1e-5);
            assert_true(straddles || place - before <= 2.0 * 20.0 / (double)rate);
            before = place;
        }
        assert_true(before > 16.0 && before < 29.95);
        stage_end(&s);
    }
}

// Warps keep no state: after a save and restore, and in interpolated frames between updates, bits agree.
static void test_rollback(void **state) {
    (void)state;
    const lmb_motion_def character_motion = lmb_default_motion_def();
    const aim a = {0.25, 1.0, {1.0, 2.0, 3.0, 1.0}};
    const lmb_warp_def def = warp_of(&a);
    const control_player_def player = player_of(&clips[1], &def, 1, LMB_END_LOOP);
    control_def control = control_of(&player, 1, &character_motion);
    control.interpolate_updates = true;
    control.update_every = lmb_constant(3.0f);
    stage s = stage_begin(&control);
    aim_at(&s, a.goal);
    for (int frame = 0; frame < 30; frame++) {
        stage_step(&s, SECOND / 60);
    }
    stage saved = s;
    for (int frame = 0; frame < 60; frame++) {
        stage_step(&s, SECOND / 60);
        const double time = fmod((frame + 31) / 60.0, 1.25);
        const rigid start = frame + 31 < 75 ? (rigid){0.0, 0.0, 0.0, 0.0}
                                            : move(&clips[1], &a, 1, (rigid){0.0, 0.0, 0.0, 0.0}, 0.0, 1.25);
        const rigid shown = move(&clips[1], &a, 1, start, 0.0, time);
        assert_near((double)s.motion[2], shown.z, 1e-5);
    }
    for (int frame = 0; frame < 60; frame++) {
        stage_step(&saved, SECOND / 60);
    }
    assert_memory_equal(saved.state, s.state, sizeof s.state);
    assert_memory_equal(saved.motion, s.motion, sizeof s.motion);
    stage_end(&s);
}

static void test_refusals(void **state) {
    (void)state;
    const lmb_motion_def character_motion = lmb_default_motion_def();
    const aim a = {0.25, 1.0, {0.0, 0.0, 0.0, 0.0}};
    lmb_warp_def defs[LMB_MAX_WARPS + 1];
    for (uint32_t i = 0; i <= LMB_MAX_WARPS; i++) {
        defs[i] = warp_of(&(aim){0.1 * i, 0.1 * i + 0.1, {0.0, 0.0, 0.0, 0.0}});
    }
    control_player_def player = player_of(&clips[1], defs, LMB_MAX_WARPS + 1, LMB_END_HOLD);
    const control_def control = control_of(&player, 1, &character_motion);
    stage_refuse(&control, LMB_ERROR_ARGUMENT, "graph: node 0 (clip): player: warps: there are too many");
    player.warps = NULL;
    stage_refuse(&control, LMB_ERROR_ARGUMENT, "graph: node 0 (clip): player: warps: they are NULL");
    player.warps = defs;
    player.warp_count = 1;
    player.end = LMB_END_PING_PONG;
    stage_refuse(&control, LMB_ERROR_ARGUMENT,
                 "graph: node 0 (clip): player: warps: a clip that turns around has none");
    player.end = LMB_END_LOOP;
    defs[0] = warp_of(&a);
    static const float bad[] = {-0.1f, 1.25f, NAN};
    for (int i = 0; i < 3; i++) {
        defs[0].start = bad[i];
        stage_refuse(&control, LMB_ERROR_ARGUMENT, i == 1 ? "warp 0: end: it is not after" : "warp 0: start: it is");
    }
    defs[0].start = 0.25f;
    static const float bad_ends[] = {0.25f, 0.1f, 1.5f, NAN};
    for (int i = 0; i < 4; i++) {
        defs[0].end = bad_ends[i];
        stage_refuse(&control, LMB_ERROR_ARGUMENT,
                     "graph: node 0 (clip): player: warp 0: end: it is not after the start");
    }
    defs[0].end = 1.0f;
    defs[1] = defs[0];
    player.warp_count = 2;
    stage_refuse(&control, LMB_ERROR_ARGUMENT,
                 "graph: node 0 (clip): player: warp 1: start: it is below 0, or before the end");
    player.warp_count = 1;
    defs[0].target[1] = lmb_parameter(PARAMETERS);
    stage_refuse(&control, LMB_ERROR_ARGUMENT, "graph: node 0 (clip): player: warp 0: target: ");
    defs[0] = warp_of(&a);
    defs[0].heading = lmb_parameter(PARAMETERS);
    stage_refuse(&control, LMB_ERROR_ARGUMENT, "graph: node 0 (clip): player: warp 0: heading: ");
    defs[0] = warp_of(&a);
    const control_group_def pace = {
        .players = (const uint32_t[]){0}, .player_count = 1, .rate = lmb_constant(1.0f), .velocity_parameter = X};
    control_def late = control;
    late.groups = &pace;
    late.group_count = 1;
    stage_refuse(&late, LMB_ERROR_ARGUMENT, "warp 0: target: reads a parameter that a player");
    defs[0].cookie = 0;
    stage_refuse(&control, LMB_ERROR_ARGUMENT,
                 "graph: node 0 (clip): player: warp 0: cookie: it is not from lmb_default_warp_def");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reaches),    cmocka_unit_test(test_bound),      cmocka_unit_test(test_left_to_the_clip),
        cmocka_unit_test(test_far_target), cmocka_unit_test(test_rest),       cmocka_unit_test(test_loops),
        cmocka_unit_test(test_backwards),  cmocka_unit_test(test_two_warps),  cmocka_unit_test(test_fades),
        cmocka_unit_test(test_weights),    cmocka_unit_test(test_fading_out), cmocka_unit_test(test_rollback),
        cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
