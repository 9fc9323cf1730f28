// Computes long takes. First comes the path of the root, from orders that are drawn: velocity and turning follow them
// by springs. Then the figure walks along it: a foot lifts and lands at phases of the cycle of steps, and stands on one
// place of the ground until then. As the path is known, a foot lands where the body will be over it.
#include "mannequin_takes.h"

#include "mannequin_clips.h"
#include "mannequin_gait.h"
#include "mannequin_memory.h"

#include <stdio.h>

#define AHEAD 90u // keys of the path beyond the last pose, so that the last steps know where to land
#define STEP (1.0 / MOTION_RATE)

// The root at a key, and how it moves: along its own axes, in metres and radians a second.
typedef struct moment {
    double x, z, yaw;
    double forward, left, turn;
    double gain; // of the velocity ahead, metres a second squared
} moment;

struct mannequin_take {
    lmb_host host;
    char name[24];
    lmb_clip *clip;
    float (*keys)[4];
    lmb_motion_track motion;
};

// ---- The path.

// A velocity and a turning for some seconds.
typedef struct order {
    double seconds, forward, left, turn;
} order;

static double draw(uint64_t *state, double low, double high) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*state >> 11) * 0x1p-53;
}

static order draw_order(uint64_t *state) {
    const double side = draw(state, 0.0, 1.0) < 0.5 ? -1.0 : 1.0;
    order o = {.seconds = draw(state, 1.2, 3.0)};
    switch ((int)draw(state, 0.0, 10.0)) {
    case 0: // stands
        break;
    case 1:
        o.forward = draw(state, 0.7, 1.5);
        break;
    case 2:
        o.forward = draw(state, 2.0, 3.2);
        break;
    case 3: // an arc
        o.forward = draw(state, 0.9, 1.4);
        o.turn = side * draw(state, 0.4, 1.4);
        break;
    case 4:
        o.forward = draw(state, 2.0, 3.0);
        o.turn = side * draw(state, 0.3, 0.9);
        break;
    case 5:
        o.left = side * draw(state, 0.35, 0.6);
        break;
    case 6:
        o.forward = -draw(state, 0.5, 0.85);
        break;
    case 7: // turns in place
        o.turn = side * draw(state, 1.5, 3.0);
        o.seconds = draw(state, 1.2, PI) / fabs(o.turn);
        break;
    case 8: // turns round
        o.forward = draw(state, 0.8, 1.4);
        o.turn = side * draw(state, 5.0, 7.5);
        o.seconds = draw(state, 0.9 * PI, 1.1 * PI) / fabs(o.turn);
        break;
    default: // turns sharply
        o.forward = draw(state, 0.8, 1.4);
        o.turn = side * draw(state, 3.2, 5.0);
        o.seconds = draw(state, 1.2, PI) / fabs(o.turn);
        break;
    }
    return o;
}

// A number that follows another one as a critically damped spring, with its rate of change.
typedef struct spring {
    double value, rate;
} spring;

static void follow(spring *f, double target, double half_life) {
    const double y = 2.0 * 0.69314718056 / half_life, left = exp(-y * STEP);
    const double off = f->value - target, on = f->rate + off * y;
    f->value = target + left * (off + on * STEP);
    f->rate = left * (f->rate - on * y * STEP);
}

static void make_path(uint32_t seed, moment *path, uint32_t count) {
    uint64_t state = seed * 2654435769u + 1u;
    order now = {.seconds = 1.0};
    spring forward = {0}, left = {0}, turn = {0};
    moment at = {0};
    for (uint32_t i = 0; i < count; i++) {
        path[i] = at;
        now.seconds -= STEP;
        if (now.seconds <= 0.0) {
            now = draw_order(&state);
        }
        follow(&forward, now.forward, 0.18);
        follow(&left, now.left, 0.22);
        follow(&turn, now.turn, 0.10);
        const double middle = at.yaw + 0.5 * turn.value * STEP;
        at.x += (forward.value * sin(middle) + left.value * cos(middle)) * STEP;
        at.z += (forward.value * cos(middle) - left.value * sin(middle)) * STEP;
        at.yaw += turn.value * STEP;
        at.forward = forward.value;
        at.left = left.value;
        at.turn = turn.value;
        at.gain = forward.rate;
    }
}

// ---- Steps.

// A place on the ground, and a direction.
typedef struct spot {
    double x, z, yaw;
} spot;

typedef struct walker {
    const moment *path;
    uint32_t count; // of the path
    uint32_t at;
    double phase; // of the cycle of steps; of the left foot
    spot feet[2]; // where they stand, or from where they have lifted
    bool lifted[2];
} walker;

// What the body does at a moment: how much it walks, and how much of that is running.
typedef struct effort {
    double walks, runs;
    double duty, duration; // of a cycle
} effort;

static double mix(double a, double b, double share) {
    return a + (b - a) * share;
}

static effort effort_of(const moment *m) {
    const double speed = sqrt(m->forward * m->forward + m->left * m->left);
    const double runs = smooth_rise(1.5, 2.6, m->forward);
    const double slow = 1.0 - lesser(1.0, speed / 1.25);
    return (effort){smooth_rise(0.05, 0.8, speed), runs, mix(GAIT_WALK.duty, GAIT_RUN.duty, runs),
                    mix(GAIT_WALK.duration, GAIT_RUN.duration, runs) - 0.15 * slow};
}

// The phase of a gait at which it is as far in its stance, or in its swing.
static double phase_of(const gait *gait, double duty, double phase) {
    return phase < duty ? phase / duty * gait->duty : gait->duty + (phase - duty) / (1.0 - duty) * (1.0 - gait->duty);
}

static double blended(const effort *e, double phase, size_t curve) {
    const gait *gaits[2] = {&GAIT_WALK, &GAIT_RUN};
    double values[2];
    for (int i = 0; i < 2; i++) {
        const gait_curve *own = curve == 0 ? &gaits[i]->roll : &gaits[i]->lift;
        values[i] = gait_value(own, phase_of(gaits[i], e->duty, phase));
    }
    return mix(values[0], values[1], e->runs);
}

static double own_phase(const walker *w, int side) {
    const double phase = w->phase + 0.5 * side;
    return phase - floor(phase);
}

// Where a foot stands if the body rests over it at a key.
static spot neutral(const walker *w, int side, double key) {
    const double last = (double)(w->count - 1), at = lesser(key, last - 1.0);
    const uint32_t index = (uint32_t)at;
    const double share = at - index;
    const moment *a = &w->path[index], *b = &w->path[index + 1];
    const double outwards = side == FIGURE_LEFT ? 1.0 : -1.0;
    const effort e = effort_of(a);
    const double strafes = smooth_rise(0.1, 0.5, fabs(a->left));
    const double apart =
        mix(mix(FIGURE_FOOT_X, mix(GAIT_WALK.apart, GAIT_RUN.apart, e.runs), e.walks), GAIT_STRAFE.apart, strafes);
    const double behind = mix(GAIT_WALK.behind, GAIT_RUN.behind, e.runs) * lesser(1.0, greater(0.0, a->forward));
    const double x = apart * outwards, z = FIGURE_FOOT_Z - behind;
    const double yaw = mix(a->yaw, b->yaw, share), sine = sin(yaw), cosine = cos(yaw);
    return (spot){mix(a->x, b->x, share) + x * cosine + z * sine, mix(a->z, b->z, share) + z * cosine - x * sine,
                  yaw + outwards * mix(0.10, GAIT_WALK.toe_out * DEGREES, e.walks)};
}

static bool is_out_of_place(const walker *w) {
    bool out = false;
    for (int side = 0; side < 2; side++) {
        const spot n = neutral(w, side, w->at);
        const double x = w->feet[side].x - n.x, z = w->feet[side].z - n.z;
        out = out || x * x + z * z > 0.09 * 0.09 || fabs(w->feet[side].yaw - n.yaw) > 0.35;
    }
    return out;
}

// Advances the cycle by a key, unless the figure stands on both feet and may.
static void advance(walker *w) {
    const moment *m = &w->path[w->at];
    const effort e = effort_of(m);
    const double needs = sqrt(m->forward * m->forward + m->left * m->left) + 0.4 * fabs(m->turn);
    const bool stands = !w->lifted[0] && !w->lifted[1];
    const bool soon = needs > 0.12 || is_out_of_place(w);
    if (!stands || soon) {
        w->phase += STEP / e.duration;
    }
    for (int side = 0; side < 2; side++) {
        const bool lifts = own_phase(w, side) >= e.duty;
        if (w->lifted[side] && !lifts) {
            w->feet[side] = neutral(w, side, w->at + 0.5 * e.duty * e.duration / STEP);
        }
        w->lifted[side] = lifts;
    }
}

static figure_foot foot_at(const walker *w, int side, const effort *e) {
    const moment *m = &w->path[w->at];
    const double phase = own_phase(w, side), ahead = lesser(1.0, greater(0.0, m->forward));
    spot s = w->feet[side];
    figure_foot foot = {.roll = blended(e, phase, 0) * DEGREES * ahead};
    if (w->lifted[side]) {
        const double share = (phase - e->duty) / (1.0 - e->duty), smooth = share * share * (3.0 - 2.0 * share);
        const spot to = neutral(w, side, w->at + ((1.0 - phase) + 0.5 * e->duty) * e->duration / STEP);
        const double x = to.x - s.x, z = to.z - s.z;
        foot.lift = blended(e, phase, 1) * lesser(1.0, 0.5 + sqrt(x * x + z * z));
        s = (spot){s.x + x * smooth, s.z + z * smooth, mix(s.yaw, to.yaw, smooth)};
    }
    const double x = s.x - m->x, z = s.z - m->z, sine = sin(m->yaw), cosine = cos(m->yaw);
    foot.x = x * cosine - z * sine;
    foot.z = z * cosine + x * sine;
    foot.yaw = s.yaw - m->yaw;
    return foot;
}

// ---- The figure.

static figure_arm arm_at(const effort *e, double phase, const figure_arm *hangs) {
    const figure_arm walks = gait_arm(&GAIT_WALK, phase), runs = gait_arm(&GAIT_RUN, phase);
    return (figure_arm){.swing = mix(hangs->swing, mix(walks.swing, runs.swing, e->runs), e->walks),
                        .spread = mix(hangs->spread, mix(walks.spread, runs.spread, e->runs), e->walks),
                        .outward = hangs->outward,
                        .elbow = mix(hangs->elbow, mix(walks.elbow, runs.elbow, e->runs), e->walks),
                        .curl = mix(hangs->curl, mix(walks.curl, runs.curl, e->runs), e->walks),
                        .shrug = hangs->shrug};
}

#define BLEND(member) mix(GAIT_WALK.member, GAIT_RUN.member, e.runs)

static figure figure_at(const walker *w) {
    const moment *m = &w->path[w->at];
    const effort e = effort_of(m);
    const double turn = 2.0 * PI * w->phase, side = sin(turn - 0.10 * PI), breath = sin(0.9 * w->at * STEP);
    const double leans = greater(-0.12, lesser(0.12, 0.04 * m->gain));
    const double banks = greater(-0.14, lesser(0.14, -0.05 * m->forward * m->turn));
    figure f = figure_standing();
    f.pelvis.x += BLEND(sway) * side * e.walks;
    f.pelvis.y +=
        mix(0.0, BLEND(height), e.walks) - BLEND(bob) * e.walks * cos(2.0 * (turn - 2.0 * PI * BLEND(lowest)));
    f.hips = (figure_turn){-BLEND(hip_yaw) * DEGREES * cos(turn) * e.walks, BLEND(hip_pitch) * DEGREES * e.walks,
                           BLEND(hip_roll) * DEGREES * side * e.walks};
    f.chest =
        (figure_turn){BLEND(chest_yaw) * DEGREES * cos(turn) * e.walks + 0.10 * m->turn,
                      mix(0.01 + 0.01 * breath, BLEND(lean) * DEGREES, e.walks) + leans, -0.5 * f.hips.roll + banks};
    f.head = (figure_turn){0.15 * f.chest.yaw + greater(-0.5, lesser(0.5, 0.22 * m->turn)), 0.25 * f.chest.pitch, 0.0};
    for (int i = 0; i < 2; i++) {
        f.feet[i] = foot_at(w, i, &e);
        f.arms[i] = arm_at(&e, own_phase(w, i), &f.arms[i]);
    }
    return f;
}

#define MOST_ROLL (2.0 * DEGREES) // of a foot that stands with all of its sole

static void make_poses(const moment *path, uint32_t path_count, motion_pose *poses, bool (*standing)[2],
                       uint32_t count) {
    walker w = {.path = path, .count = path_count, .phase = 0.3};
    for (int side = 0; side < 2; side++) {
        w.feet[side] = neutral(&w, side, 0.0);
    }
    for (; w.at < count; w.at++) {
        const figure f = figure_at(&w);
        figure_pose(&f, &poses[w.at]);
        for (int side = 0; side < 2; side++) {
            standing[w.at][side] = !w.lifted[side] && fabs(f.feet[side].roll) < MOST_ROLL;
        }
        advance(&w);
    }
}

// ---- The take.

static lmb_result make(mannequin_take *take, const lmb_rig *rig, uint32_t seed, uint32_t count, bool moves_root,
                       lmb_error *error) {
    const lmb_host *host = &take->host;
    moment *path = memory_take(host, count + AHEAD, sizeof *path);
    motion_pose *poses = memory_take(host, count, sizeof *poses);
    bool(*standing)[2] = memory_take(host, count, sizeof *standing);
    take->keys = memory_take(host, count, sizeof *take->keys);
    const bool has_all = path != NULL && poses != NULL && standing != NULL && take->keys != NULL;
    lmb_result result = has_all ? LMB_OK : memory_missing(error);
    if (result == LMB_OK) {
        make_path(seed, path, count + AHEAD);
        make_poses(path, count + AHEAD, poses, standing, count);
        for (uint32_t i = 0; i < count; i++) {
            const float key[4] = {(float)path[i].x, 0.0f, (float)path[i].z, (float)path[i].yaw};
            for (int k = 0; k < 4; k++) {
                take->keys[i][k] = key[k];
            }
        }
        take->motion = (lmb_motion_track){.key_count = count, .keys = take->keys[0]};
        const clip_poses all = {count, poses, moves_root ? (const float(*)[4])take->keys : NULL,
                                (const bool(*)[2])standing};
        result = clips_create_of_poses(take->name, &all, rig, host, &take->clip, error);
    }
    memory_give(host, path);
    memory_give(host, poses);
    memory_give(host, standing);
    return result;
}

static lmb_result create(const lmb_rig *rig, uint32_t seed, float seconds, bool moves_root, const lmb_host *host,
                         mannequin_take **take, lmb_error *error) {
    const lmb_host resolved = memory_host(host);
    mannequin_take *made = memory_take(&resolved, 1, sizeof *made);
    if (made == NULL) {
        return memory_missing(error);
    }
    made->host = resolved;
    snprintf(made->name, sizeof made->name, "take %u", (unsigned)seed);
    const uint32_t count = (uint32_t)lround((double)seconds * MOTION_RATE) + 1;
    const lmb_result result = make(made, rig, seed, count, moves_root, error);
    if (result != LMB_OK) {
        mannequin_take_destroy(made);
        return result;
    }
    *take = made;
    return LMB_OK;
}

lmb_result mannequin_take_create(const lmb_rig *rig, uint32_t seed, float seconds, const lmb_host *host,
                                 mannequin_take **take, lmb_error *error) {
    *take = NULL;
    if (!(seconds >= 1.0f && seconds <= 600.0f)) {
        if (error != NULL) {
            error->result = LMB_ERROR_ARGUMENT;
            snprintf(error->message, sizeof error->message, "mannequin take: %g s are not from 1 to 600",
                     (double)seconds);
        }
        return LMB_ERROR_ARGUMENT;
    }
    return create(rig, seed, seconds, false, host, take, error);
}

lmb_result takes_create_clip(uint32_t seed, const lmb_rig *rig, const lmb_host *host, lmb_clip **clip,
                             lmb_error *error) {
    mannequin_take *take = NULL;
    const lmb_result result = create(rig, seed, MANNEQUIN_TAKE_SECONDS, true, host, &take, error);
    if (result == LMB_OK) {
        *clip = take->clip;
        take->clip = NULL;
    }
    mannequin_take_destroy(take);
    return result;
}

void mannequin_take_destroy(mannequin_take *take) {
    if (take != NULL) {
        const lmb_host host = take->host;
        lmb_clip_destroy(take->clip);
        memory_give(&host, take->keys);
        memory_give(&host, take);
    }
}

const lmb_clip *mannequin_take_clip(const mannequin_take *take) {
    return take->clip;
}

const lmb_motion_track *mannequin_take_motion(const mannequin_take *take) {
    return &take->motion;
}
