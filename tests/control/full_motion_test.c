// Character motion with full rotation against float64: root motion through loops, blends and steps of any length,
// desired velocity and heading, positions from the host.
#include "control_stage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECOND LMB_TICKS_PER_SECOND
#define PI 3.141592653589793

enum { PARAMETERS = 16 };

// A rigid motion in float64: a quaternion x, y, z, w and a displacement.
typedef struct rigid {
    double t[3], q[4];
} rigid;

static const rigid still = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};

static void multiply(const double a[4], const double b[4], double result[4]) {
    const double product[4] = {
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    memcpy(result, product, sizeof product);
}

static void rotate(const double q[4], const double v[3], double result[3]) {
    const double whole[4] = {v[0], v[1], v[2], 0.0}, back[4] = {-q[0], -q[1], -q[2], q[3]};
    double turned[4];
    multiply(q, whole, turned);
    multiply(turned, back, turned);
    memcpy(result, turned, 3 * sizeof *result);
}

static void normalize(double q[4]) {
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) {
        q[i] /= length;
    }
}

static rigid join(rigid a, rigid b) {
    rigid result;
    rotate(a.q, b.t, result.t);
    for (int i = 0; i < 3; i++) {
        result.t[i] += a.t[i];
    }
    multiply(a.q, b.q, result.q);
    normalize(result.q);
    return result;
}

static rigid invert(rigid a) {
    rigid result = {.q = {-a.q[0], -a.q[1], -a.q[2], a.q[3]}};
    rotate(result.q, a.t, result.t);
    for (int i = 0; i < 3; i++) {
        result.t[i] = -result.t[i];
    }
    return result;
}

static void about(double x, double y, double z, double angle, double q[4]) {
    const double length = sqrt(x * x + y * y + z * z), sine = sin(0.5 * angle) / length;
    const double turned[4] = {x * sine, y * sine, z * sine, cos(0.5 * angle)};
    memcpy(q, turned, sizeof turned);
}

// Evaluates a track at a time: a lerp of the displacement and a slerp of the rotation, or of the yaw.
static rigid motion_at(const lmb_motion_track *track, double duration, double time) {
    const double at = time / duration * (double)(track->key_count - 1);
    uint32_t key = (uint32_t)at;
    key = key > track->key_count - 2 ? track->key_count - 2 : key;
    const double u = at - key;
    const float *from = track->keys + 4 * (size_t)key;
    rigid result;
    for (int i = 0; i < 3; i++) {
        result.t[i] = (double)from[i] + ((double)from[i + 4] - (double)from[i]) * u;
    }
    about(0.0, 1.0, 0.0, (double)from[3] + ((double)from[7] - (double)from[3]) * u, result.q);
    if (track->rotations != NULL) {
        const float *q = track->rotations + 4 * (size_t)key;
        double dot = 0.0;
        for (int i = 0; i < 4; i++) {
            dot += (double)q[i] * (double)q[i + 4];
        }
        const double angle = acos(fmin(fabs(dot), 1.0)), sine = sin(angle);
        for (int i = 0; i < 4; i++) {
            const double a = sine > 1e-9 ? sin((1.0 - u) * angle) / sine : 1.0 - u;
            const double b = (sine > 1e-9 ? sin(u * angle) / sine : u) * (dot < 0.0 ? -1.0 : 1.0);
            result.q[i] = a * (double)q[i] + b * (double)q[i + 4];
        }
        normalize(result.q);
    }
    return result;
}

static rigid way(const lmb_motion_track *track, double duration, double from, double to) {
    return join(invert(motion_at(track, duration, from)), motion_at(track, duration, to));
}

// The same, continued from loop to loop; `to` may be before `from`.
static rigid looped_way(const lmb_motion_track *track, double duration, double from, double to) {
    rigid result = still;
    while (floor(to / duration) > floor(from / duration)) {
        const double loop = floor(from / duration);
        result = join(result, way(track, duration, from - loop * duration, duration));
        from = (loop + 1.0) * duration;
    }
    if (to < from && floor(to / duration) < floor(from / duration)) {
        return invert(looped_way(track, duration, to, from));
    }
    const double loop = floor(from / duration);
    return join(result, way(track, duration, from - loop * duration, to - loop * duration));
}

static rigid place_of(const stage *s) {
    const lmb_motion m = lmb_state_motion(s->control, s->state);
    rigid place;
    memcpy(place.t, m.position, sizeof place.t);
    memcpy(place.q, m.rotation, sizeof place.q);
    return place;
}

// The angle between two orientations.
static double angle_between(const double a[4], const double b[4]) {
    double near = 0.0, far = 0.0;
    for (int i = 0; i < 4; i++) {
        near += (a[i] - b[i]) * (a[i] - b[i]);
        far += (a[i] + b[i]) * (a[i] + b[i]);
    }
    return 2.0 * sqrt(fmin(near, far));
}

static void assert_at(const stage *s, rigid expected, double bound) {
    const rigid place = place_of(s);
    const lmb_motion m = lmb_state_motion(s->control, s->state);
    for (int i = 0; i < 3; i++) {
        assert_near(place.t[i], expected.t[i], bound);
        assert_near((double)s->motion[i], place.t[i], 1e-6 * fabs(place.t[i]));
    }
    assert_near(angle_between(place.q, expected.q), 0.0, bound);
    const double shown[4] = {(double)s->motion[3], (double)s->motion[4], (double)s->motion[5], (double)s->motion[6]};
    assert_near(angle_between(shown, place.q), 0.0, 1e-6);
    assert_near(remainder(m.yaw - 2.0 * atan2(place.q[1], place.q[3]), 2.0 * PI), 0.0, 1e-9);
    assert_true(m.yaw >= -PI && m.yaw < PI);
    const lmb_affine matrix = lmb_state_matrix(s->control, s->state);
    for (int column = 0; column < 3; column++) {
        const double axis[3] = {column == 0, column == 1, column == 2};
        double turned[3];
        rotate(place.q, axis, turned);
        for (int row = 0; row < 3; row++) {
            assert_near((double)matrix.m[row][column], turned[row], 1e-6);
            assert_near((double)matrix.m[row][3], place.t[row], 1e-6 * fmax(1.0, fabs(place.t[row])));
        }
    }
}

static lmb_motion_def full_motion(void) {
    lmb_motion_def def = lmb_default_motion_def();
    def.full_rotation = true;
    return def;
}

static control_def control_of(const control_player_def *players, uint32_t count, const lmb_motion_def *motion) {
    control_def def = stage_control(players, count, PARAMETERS);
    def.event_count = 4;
    def.motion = motion;
    return def;
}

enum { KEYS = 6 };
static float tumble_keys[KEYS * 4], tumble_turns[KEYS * 4], roll_turns[2 * 4];
static const float roll_keys[] = {0.0f, 0.5f, 0.0f, 9.0f, 0.0f, 0.75f, 1.0f, -9.0f};
static const float winding[] = {0.5f, 0.0f, 0.25f, 1.0f,  0.1f, 0.05f, 0.4f, 1.3f, 0.3f, 0.0f,
                                0.7f, 1.5f, 0.2f,  0.05f, 1.1f, 1.1f,  0.4f, 0.0f, 1.4f, 0.8f};
static const lmb_motion_track tracks[] = {
    {KEYS, tumble_keys, tumble_turns}, {2, roll_keys, roll_turns}, {5, winding, NULL}};
enum { TRACKS = sizeof tracks / sizeof tracks[0] };

// Fills the tracks that turn: a tumble about changing axes, with signs that alternate, and a roll by nearly half a
// turn.
static int set_up(void **state) {
    (void)state;
    for (uint32_t i = 0; i < KEYS; i++) {
        double q[4];
        about(1.0, sin(2.0 * i), 0.5 * i - 1.0, 0.4 + 0.9 * i, q);
        for (int k = 0; k < 4; k++) {
            tumble_turns[4 * i + (uint32_t)k] = (float)(i % 2 == 0 ? q[k] : -q[k]);
        }
        tumble_keys[4 * i] = (float)sin(1.5 * i);
        tumble_keys[4 * i + 1] = (float)(0.2 * i);
        tumble_keys[4 * i + 2] = (float)(0.7 * i - 0.1 * i * i);
    }
    for (uint32_t i = 0; i < 2; i++) {
        double q[4];
        about(1.0, 0.0, 0.2, 0.25 + 3.0 * i, q);
        for (int k = 0; k < 4; k++) {
            roll_turns[4 * i + (uint32_t)k] = (float)q[k];
        }
    }
    return 0;
}

// For any step, rate and end, the displacement of a clip is that of its track.
static void test_ways(void **state) {
    (void)state;
    static const float rates[] = {1.0f, 0.5f, -1.0f, -2.25f, 9.0f, 0.0f};
    static const uint64_t steps[] = {SECOND / 240, SECOND / 60, SECOND / 7, 3 * SECOND};
    const lmb_motion_def motion = full_motion();
    for (uint32_t i = 0; i < TRACKS * LMB_END_COUNT * 6 * 4; i++) {
        const lmb_motion_track *track = &tracks[i % TRACKS];
        const lmb_end end_kind = (lmb_end)(i / TRACKS % LMB_END_COUNT);
        const float rate = rates[i / TRACKS / LMB_END_COUNT % 6];
        const uint64_t ticks = steps[i / TRACKS / LMB_END_COUNT / 6];
        control_player_def player = stage_player(1.75f, LMB_NONE);
        player.offset = 0.5f;
        player.rate = lmb_constant(rate);
        player.end = end_kind;
        player.motion = track;
        const control_def def = control_of(&player, 1, &motion);
        stage s = stage_begin(&def);
        for (uint32_t frame = 1; frame <= 25; frame++) {
            stage_step(&s, ticks);
            double time = 0.5 + (double)ticks / (double)SECOND * (double)rate * frame;
            rigid expected;
            if (end_kind == LMB_END_LOOP) {
                expected = looped_way(track, 1.75, 0.5, time);
            } else {
                time = end_kind == LMB_END_PING_PONG ? fabs(remainder(time, 3.5)) : fmin(fmax(time, 0.0), 1.75);
                expected = way(track, 1.75, 0.5, time);
            }
            const double loops = fabs(time) / 1.75;
            assert_at(&s, expected, 5e-6 * (1.0 + loops));
        }
        stage_end(&s);
    }
}

// Many small steps: each rounds the orientation by at most 3e-7, most of it by chance.
static void test_many_steps(void **state) {
    (void)state;
    static const uint64_t rates[] = {60, 240};
    const lmb_motion_def motion = full_motion();
    for (uint32_t i = 0; i < TRACKS * 2; i++) {
        control_player_def player = stage_player(1.0f, LMB_NONE);
        player.motion = &tracks[i % TRACKS];
        const control_def def = control_of(&player, 1, &motion);
        stage s = stage_begin(&def);
        const uint64_t rate = rates[i / TRACKS];
        for (uint64_t frame = 0; frame < 50 * rate; frame++) {
            stage_step(&s, SECOND / rate);
        }
        assert_int_equal(lmb_state_player(s.control, s.state, 0).ticks, 0);
        const rigid expected = looped_way(&tracks[i % TRACKS], 1.0, 0.0, 50.0), place = place_of(&s);
        const double off = angle_between(place.q, expected.q);
        print_message("%u steps: orientation off by %.2g\n", (unsigned)(50 * rate), off);
        assert_true(off < 2e-4);
        stage_end(&s);
    }
}

// Blends: the weighted sum of translations, and the normalised weighted sum of quaternions in each step. Weights that
// sum up to less than 1 leave the rest to no rotation.
static void test_blends(void **state) {
    (void)state;
    static const float rows[][2] = {{0.5f, 0.5f}, {1.0f, 0.0f}, {0.25f, 0.75f}};
    const lmb_motion_def motion = full_motion();
    for (uint32_t i = 0; i < 3 * 2; i++) {
        const uint64_t ticks = i / 3 ? SECOND / 3 : SECOND / 60;
        control_player_def players[3] = {stage_player(1.5f, 8), stage_player(1.25f, 9), stage_player(1.0f, 10)};
        players[0].motion = &tracks[0];
        players[1].motion = &tracks[1];
        const control_def def = control_of(players, 3, &motion);
        const double third = i % 2 ? 0.5 : 0.0; // a clip that does not move
        const double sum = (double)rows[i % 3][0] + (double)rows[i % 3][1] + third;
        const lmb_value weights[3] = {lmb_constant(rows[i % 3][0]), lmb_constant(rows[i % 3][1]),
                                      lmb_constant((float)third)};
        stage s = stage_begin_with(&def, control_program_create(&def, weights));
        rigid expected = still;
        for (uint32_t frame = 0; frame < 60; frame++) {
            const double from = frame * (double)ticks / (double)SECOND;
            const double to = (frame + 1) * (double)ticks / (double)SECOND;
            rigid step = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
            for (int k = 0; k < 2; k++) {
                const double w = (double)rows[i % 3][k] / sum;
                const rigid own = looped_way(&tracks[k], (double)players[k].duration, from, to);
                const double sign = own.q[3] < 0.0 ? -1.0 : 1.0;
                for (int n = 0; n < 4; n++) {
                    step.t[n % 3] += n < 3 ? w * own.t[n] : 0.0;
                    step.q[n] += w * sign * own.q[n] - (n == 3 ? w : 0.0);
                }
            }
            normalize(step.q);
            expected = join(expected, step);
            stage_step(&s, ticks);
            const lmb_root_displacement moved = lmb_state_root_motion(s.control, s.state);
            assert_near(angle_between(moved.rotation, step.q), 0.0, 3e-6);
            assert_near((double)moved.translation[2], step.t[2], 3e-6);
            assert_near((double)moved.yaw, remainder(2.0 * atan2(step.q[1], step.q[3]), 2.0 * PI), 5e-6);
            assert_at(&s, expected, 5e-5);
        }
        stage_end(&s);
    }
}

// A desired velocity is along the character's axes, however it is turned. A heading turns it about the world's y axis.
static void test_driven(void **state) {
    (void)state;
    lmb_error error;
    lmb_motion_def motion = full_motion();
    motion.velocity[2] = lmb_constant(2.0f);
    motion.turns_to_heading = true;
    motion.heading = lmb_parameter(0);
    motion.turn_rate = 1.5f;
    const control_def def = control_of(NULL, 0, &motion);
    for (uint32_t i = 0; i < 24; i++) {
        stage s = stage_begin(&def);
        const double heading = remainder(0.7 * i, 2.0 * PI), pitch = 0.4 * (i % 5) - 0.8, roll = 0.3 * (i % 3);
        double a[4], b[4], c[4];
        about(0.0, 1.0, 0.0, 1.1 * i, a);
        about(1.0, 0.0, 0.0, pitch, b);
        about(0.0, 0.0, 1.0, roll, c);
        lmb_motion put = {.position = {1.0, 2.0, 3.0}};
        multiply(a, b, put.rotation);
        multiply(put.rotation, c, put.rotation);
        assert_int_equal(lmb_state_set_motion(s.control, s.state, &put, &error), LMB_OK);
        s.parameters[0] = i == 23 ? NAN : (float)heading;
        rigid expected = {{1.0, 2.0, 3.0}, {0}};
        memcpy(expected.q, put.rotation, sizeof expected.q);
        double left = i == 23 ? 0.0 : remainder(heading - 1.1 * i, 2.0 * PI);
        for (int frame = 0; frame < 90; frame++) {
            const double most = 1.5 / 30.0, turn = fmin(fmax(left, -most), most);
            double half[4];
            const double ahead[3] = {0.0, 0.0, 2.0 / 30.0};
            double moved[3];
            about(0.0, 1.0, 0.0, 0.5 * turn, half);
            multiply(half, expected.q, expected.q);
            rotate(expected.q, ahead, moved);
            multiply(half, expected.q, expected.q);
            for (int k = 0; k < 3; k++) {
                expected.t[k] += moved[k];
            }
            left -= turn;
            stage_step(&s, SECOND / 30);
            assert_at(&s, expected, 5e-5);
        }
        stage_end(&s);
    }
    // Straight up there is no heading.
    stage s = stage_begin(&def);
    lmb_motion up = {.rotation = {-1.0, 0.0, 0.0, 1.0}};
    assert_int_equal(lmb_state_set_motion(s.control, s.state, &up, &error), LMB_OK);
    assert_int_equal(lmb_state_check(s.control, s.state, 1, &error), LMB_OK);
    s.parameters[0] = 2.0f;
    stage_step(&s, SECOND);
    const rigid expected = {{0.0, 2.0, 0.0}, {-sqrt(0.5), 0.0, 0.0, sqrt(0.5)}};
    assert_at(&s, expected, 1e-5);
    stage_end(&s);
}

// Positions from the host, resets, rollbacks and checks of states.
static void test_places(void **state) {
    (void)state;
    lmb_error error;
    control_player_def player = stage_player(1.0f, LMB_NONE);
    player.motion = &tracks[0];
    const lmb_motion_def motion = full_motion(), plain = lmb_default_motion_def();
    control_def def = control_of(&player, 1, &motion);
    def.interpolate_updates = true;
    def.update_every = lmb_constant(3.0f);
    stage s = stage_begin(&def);
    assert_true(lmb_graph_get_info(s.control)->rotates_fully);
    assert_int_equal(lmb_graph_get_info(s.control)->motion_floats, LMB_FULL_MOTION_FLOATS);
    const lmb_word_range range = lmb_graph_get_info(s.control)->motion_words;
    assert_int_equal(range.count, 11);
    rigid at = place_of(&s); // before it has begun
    assert_near(angle_between(at.q, still.q), 0.0, 0.0);
    lmb_motion put = {{3.0, -4.0, 5.5}, 1.25, {0}};
    assert_int_equal(lmb_state_set_motion(s.control, s.state, &put, &error), LMB_OK);
    stage_step(&s, 0);
    about(0.0, 1.0, 0.0, 1.25, at.q);
    memcpy(at.t, put.position, sizeof at.t);
    assert_at(&s, at, 1e-6);
    put.yaw = -7e12; // a turn is 2 PI, as float64 has it
    assert_int_equal(lmb_state_set_motion(s.control, s.state, &put, &error), LMB_OK);
    stage_step(&s, 0);
    about(0.0, 1.0, 0.0, fmod(-7e12, 4.0 * PI), at.q);
    assert_at(&s, at, 1e-6);
    const double far[4] = {3e5, -1e5, 2e5, 7e5}; // of any length
    memcpy(put.rotation, far, sizeof far);
    assert_int_equal(lmb_state_set_motion(s.control, s.state, &put, &error), LMB_OK);
    stage_send(&s, 0, LMB_EVENT_RESET);
    memcpy(at.q, far, sizeof far);
    normalize(at.q);
    assert_at(&s, at, 1e-6);
    for (int frame = 0; frame < 20; frame++) {
        stage_step(&s, SECOND / 60);
    }
    stage saved = s;
    for (int frame = 0; frame < 50; frame++) {
        stage_step(&s, SECOND / 60);
    }
    for (int frame = 0; frame < 50; frame++) {
        stage_step(&saved, SECOND / 60);
    }
    assert_memory_equal(s.state, saved.state, sizeof s.state);
    assert_memory_equal(s.motion, saved.motion, sizeof s.motion);
    static const double bad[][4] = {{NAN, 0, 0, 1}, {INFINITY, 0, 0, 1}, {1e-300, 0, 0, 0}, {1e300, 0, 0, 1}};
    for (int i = 0; i < 4; i++) {
        memcpy(put.rotation, bad[i], sizeof bad[i]);
        assert_int_equal(lmb_state_set_motion(s.control, s.state, &put, &error), LMB_ERROR_ARGUMENT);
    }
    s.state[range.first + 8] = 0x40000000; // 2
    assert_int_equal(lmb_state_check(s.control, s.state, 1, &error), LMB_ERROR_FORMAT);
    s.state[range.first + 8] = 0x7fc00000; // NaN
    assert_int_equal(lmb_state_check(s.control, s.state, 1, &error), LMB_ERROR_FORMAT);
    stage_end(&s);
    // A character motion of yaw alone takes the twist about y, and reports it as a quaternion, too.
    def.motion = &plain;
    def.update_every = lmb_constant(1.0f);
    s = stage_begin(&def);
    assert_false(lmb_graph_get_info(s.control)->rotates_fully);
    assert_int_equal(lmb_graph_get_info(s.control)->motion_floats, LMB_MOTION_FLOATS);
    double before = 0.0;
    for (int frame = 1; frame <= 5; frame++) {
        stage_step(&s, SECOND / 5);
        const rigid moved = way(&tracks[0], 1.0, 0.0, frame / 5.0);
        const double twist = 2.0 * atan2(moved.q[1], moved.q[3]);
        before = twist + 2.0 * PI * rint((before - twist) / (2.0 * PI));
        const lmb_motion m = lmb_state_motion(s.control, s.state);
        assert_near(remainder(m.yaw - before, 2.0 * PI), 0.0, 1e-5);
        assert_near(remainder(2.0 * atan2(m.rotation[1], m.rotation[3]) - m.yaw, 2.0 * PI), 0.0, 1e-9);
    }
    stage_end(&s);
    def.motion = NULL;
    s = stage_begin(&def);
    assert_int_equal(lmb_graph_get_info(s.control)->motion_floats, 0);
    assert_near(lmb_state_motion(s.control, s.state).rotation[3], 1.0, 0.0);
    stage_end(&s);
}

static void test_refusals(void **state) {
    (void)state;
    const lmb_motion_def motion = full_motion();
    lmb_warp_def warp = lmb_default_warp_def();
    warp.end = 0.5f;
    control_player_def player = stage_player(1.0f, LMB_NONE);
    control_def def = control_of(&player, 1, &motion);
    player.warps = &warp;
    player.warp_count = 1;
    stage_refuse(&def, LMB_ERROR_ARGUMENT,
                 "graph: node 0 (clip): player: warps: a character motion with full rotation has none");
    player.warp_count = 0;
    static const float keys[8] = {0};
    float turns[8] = {0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 0.9f};
    const lmb_motion_track track = {2, keys, turns};
    player.motion = &track;
    stage_refuse(&def, LMB_ERROR_ARGUMENT, "graph: node 0 (clip): player: motion: a rotation is not a unit quaternion");
    turns[7] = NAN;
    stage_refuse(&def, LMB_ERROR_ARGUMENT, "graph: node 0 (clip): player: motion: a rotation is not a unit quaternion");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ways),   cmocka_unit_test(test_many_steps),
                                       cmocka_unit_test(test_blends), cmocka_unit_test(test_driven),
                                       cmocka_unit_test(test_places), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
