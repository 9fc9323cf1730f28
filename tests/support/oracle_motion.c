// Displacements of clips, and the position and orientation of a character: lmb_motion_def, root_motion.h, mirror.h.
#include "oracle_control.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

const oracle_motion oracle_no_motion = {{0.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0, 1.0}};

static void multiply(const double a[4], const double b[4], double result[4]) {
    const double r[4] = {
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
        a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    memcpy(result, r, sizeof r);
}

static void rotate(const double q[4], const double v[3], double result[3]) {
    const double p[4] = {v[0], v[1], v[2], 0.0}, inverse[4] = {-q[0], -q[1], -q[2], q[3]};
    double r[4];
    multiply(q, p, r);
    multiply(r, inverse, r);
    memcpy(result, r, 3 * sizeof r[0]);
}

static void rotation_of_yaw(double yaw, double rotation[4]) {
    rotation[0] = rotation[2] = 0.0;
    rotation[1] = sin(yaw / 2.0);
    rotation[3] = cos(yaw / 2.0);
}

// a, then b along the axes that a leads to.
static oracle_motion compose(const oracle_motion *a, const oracle_motion *b) {
    oracle_motion result;
    rotate(a->rotation, b->position, result.position);
    for (int i = 0; i < 3; i++) {
        result.position[i] += a->position[i];
    }
    result.yaw = a->yaw + b->yaw;
    multiply(a->rotation, b->rotation, result.rotation);
    return result;
}

static oracle_motion inverse(const oracle_motion *a) {
    oracle_motion result = {
        {0.0, 0.0, 0.0}, -a->yaw, {-a->rotation[0], -a->rotation[1], -a->rotation[2], a->rotation[3]}};
    rotate(result.rotation, a->position, result.position);
    for (int i = 0; i < 3; i++) {
        result.position[i] = -result.position[i];
    }
    return result;
}

static void slerp(const float *a, const float *b, double share, double result[4]) {
    double dot = 0.0, square = 0.0;
    for (int i = 0; i < 4; i++) {
        dot += (double)a[i] * b[i];
    }
    const double sign = dot < 0.0 ? -1.0 : 1.0, angle = acos(fmin(1.0, fabs(dot)));
    const double wa = angle < 1e-9 ? 1.0 - share : sin((1.0 - share) * angle) / sin(angle);
    const double wb = angle < 1e-9 ? share : sin(share * angle) / sin(angle);
    for (int i = 0; i < 4; i++) {
        result[i] = wa * a[i] + wb * sign * b[i];
        square += result[i] * result[i];
    }
    for (int i = 0; i < 4; i++) {
        result[i] /= sqrt(square);
    }
}

// Where a clip has moved its character at a time, in units.
static oracle_motion motion_at(const oracle_player *player, int64_t time) {
    const lmb_motion_track *track = player->def->motion;
    oracle_motion result = oracle_no_motion;
    if (track == NULL) {
        result.position[2] = player->def->velocity * ((double)time / ORACLE_UNITS_A_SECOND);
        return result;
    }
    const double at = (double)time / (double)player->duration * (track->key_count - 1);
    const uint32_t key = at >= track->key_count - 1 ? track->key_count - 2 : (uint32_t)at;
    const float *a = track->keys + (size_t)4 * key, *b = a + 4;
    for (int i = 0; i < 3; i++) {
        result.position[i] = a[i] + (at - key) * ((double)b[i] - a[i]);
    }
    result.yaw = a[3] + (at - key) * ((double)b[3] - a[3]);
    if (track->rotations != NULL) {
        slerp(track->rotations + (size_t)4 * key, track->rotations + (size_t)4 * key + 4, at - key, result.rotation);
    } else {
        rotation_of_yaw(result.yaw, result.rotation);
    }
    return result;
}

// Adds the displacement of a clip between two times of one passage to `sum`.
void oracle_add_passage(const oracle_player *player, int64_t begin, int64_t end, oracle_motion *sum) {
    const oracle_motion a = motion_at(player, begin), b = motion_at(player, end), back = inverse(&a);
    const oracle_motion passage = compose(&back, &b);
    *sum = compose(sum, &passage);
}

static double turn_of(const double rotation[4]) {
    return 2.0 * acos(fmin(1.0, fabs(rotation[3])));
}

double oracle_average_speed(const oracle_player *player) {
    const lmb_motion_track *track = player->def->motion;
    if (player->def->velocity != 0.0f || track == NULL) {
        return player->def->velocity;
    }
    const float *last = track->keys + (size_t)4 * (track->key_count - 1);
    return hypot(last[0] - track->keys[0], last[2] - track->keys[2]) /
           ((double)player->duration / ORACLE_UNITS_A_SECOND);
}

// The largest speed and turn a second between two keys.
void oracle_find_fastest(oracle_player *player) {
    const uint32_t keys = player->def->motion == NULL ? 2 : player->def->motion->key_count;
    const double seconds = (double)player->duration / ORACLE_UNITS_A_SECOND / (keys - 1);
    for (uint32_t i = 0; i + 1 < keys; i++) {
        const oracle_motion a = motion_at(player, player->duration / (keys - 1) * i);
        const oracle_motion b = motion_at(player, player->duration / (keys - 1) * (i + 1)), back = inverse(&a);
        const oracle_motion move = compose(&back, &b);
        const double length = hypot(hypot(move.position[0], move.position[1]), move.position[2]);
        player->fastest[0] = fmax(player->fastest[0], length / seconds);
        player->fastest[1] = fmax(player->fastest[1], fmax(fabs(move.yaw), turn_of(move.rotation)) / seconds);
    }
}

// A displacement as a character sees it that is mirrored along the axes in `mirrors`.
static oracle_motion mirrored(const oracle_motion *motion, unsigned mirrors) {
    oracle_motion result = *motion;
    for (unsigned axis = 0; axis < 3; axis++) {
        if (mirrors & 1u << axis) {
            result.position[axis] = -result.position[axis];
            result.yaw = axis == 1 ? result.yaw : -result.yaw;
            for (unsigned i = 0; i < 3; i++) {
                result.rotation[i] = i == axis ? result.rotation[i] : -result.rotation[i];
            }
        }
    }
    return result;
}

// Adds the share of one player to the displacement of a piece. `lack` is what the weights lack of 1.
static void add_motion(const oracle_player_state *player, const oracle_motion *passed, oracle_motion *sum,
                       double *lack) {
    for (unsigned mirrors = 0; mirrors < ORACLE_MIRRORS; mirrors++) {
        const double m = player->motion[mirrors];
        const oracle_motion motion = mirrored(passed, mirrors);
        for (int i = 0; i < 3; i++) {
            sum->position[i] += m * motion.position[i];
        }
        sum->yaw += m * motion.yaw;
        const double sign = motion.rotation[3] < 0.0 ? -1.0 : 1.0, turn = m < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < 4; i++) {
            sum->rotation[i] += fabs(m) * sign * (i < 3 ? turn : 1.0) * motion.rotation[i];
        }
        *lack -= fabs(m);
    }
}

static void normalise(double rotation[4]) {
    double square = 0.0;
    for (int i = 0; i < 4; i++) {
        square += rotation[i] * rotation[i];
    }
    for (int i = 0; i < 4; i++) {
        rotation[i] /= sqrt(square);
    }
}

void oracle_move(oracle_character *c, const oracle_motion *passed) {
    oracle_motion sum = {{0.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0, 0.0}};
    double lack = 1.0;
    c->pieces++;
    if (c->graph->def->motion == NULL) {
        return;
    }
    for (uint32_t i = 0; i < c->graph->player_count; i++) {
        const oracle_player_state *player = &c->players[i];
        add_motion(player, &passed[i], &sum, &lack);
        for (int j = 0; j < ORACLE_MIRRORS; j++) {
            for (int k = 0; k < 3; k++) {
                c->distance += fabs(player->motion[j] * passed[i].position[k]);
            }
            c->turned += fabs(player->motion[j]) * fmax(fabs(passed[i].yaw), turn_of(passed[i].rotation));
            for (int k = 0; k < 2; k++) {
                c->slack[k] += fabs(player->motion[j]) * c->graph->players[i].fastest[k] *
                               (oracle_time_error(c, i) / ORACLE_UNITS_A_SECOND) * 0.5;
            }
        }
    }
    if (c->graph->def->motion->full_rotation) {
        sum.rotation[3] += lack;
        normalise(sum.rotation);
    } else {
        rotation_of_yaw(sum.yaw, sum.rotation);
    }
    c->step = compose(&c->step, &sum);
    c->motion = compose(&c->motion, &sum);
    c->motion.yaw = remainder(c->motion.yaw, 2.0 * PI);
}
