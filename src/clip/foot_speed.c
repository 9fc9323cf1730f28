// Foot speed: how fast a character has to move so that its feet do not slide in a clip in place.
//
// The clip is sampled evenly as a loop. A foot is a joint at the end of a limb that is near the lowest joint in the
// rest pose; in clips hands may be as low. Its contact moves with it: the joint, or where its parent is low, too, and
// holds nothing else, the middle between both in the rest pose, which is below the middle of the foot. While a contact
// is close to its lowest point it stands, and the character has to move against it. Of the velocities of a contact the
// median counts, because a foot that lands or lifts moves in other ways, and of the feet the mean: where they differ,
// as in a gallop animated by hand, they slide least with it.
#include <limber/root_motion.h>

#include "base/float_environment.h"
#include "clip.h"
#include "given.h"
#include "math/quaternion.h"
#include "motion.h"

#include <math.h>
#include <stdlib.h>

#define SAMPLES 128u
#define TURN 6.283185307179586
// Shares of the height of the joints: a joint is low up to the first above the lowest one, and a foot if it is within
// the second of the lowest foot of its side. A foot stands up to the third above its own lowest point, and a character
// that moves by less than the fourth in a second stands still.
#define LOW_SHARE 0.14
#define FOOT_SHARE 0.04
#define STANDING_SHARE 0.012
#define STILL_SHARE 0.03

typedef struct feet {
    const lmb_rig *rig;
    double (*positions)[3]; // [SAMPLES][joint]
    double (*middles)[3];   // likewise: between the joint and its parent
    double *heights;        // [joint] in the rest pose
    double *lefts;          // likewise: how far to the left it is
    uint32_t *children;     // [joint] without extra ones
    double low, height;     // of all joints in the rest pose
    double seconds;         // from one sample to the next
} feet;

// Returns the middle between a joint and its parent in the rest pose, in the space of the joint.
static void find_middle(const lmb_rig *rig, uint32_t joint, double middle[3]) {
    lmb_affine inverse;
    const bool has_inverse = lmb_affine_invert(lmb_affine_from_transform(rig->def.joints[joint].rest), &inverse);
    for (int axis = 0; axis < 3; axis++) {
        middle[axis] = has_inverse ? 0.5 * (double)inverse.m[axis][3] : 0.0;
    }
}

static void sample_positions(feet *f, const lmb_clip *clip, matrix *models) {
    const uint32_t joints = f->rig->def.joint_count;
    double middle[3];
    for (uint32_t sample = 0; sample < SAMPLES; sample++) {
        const float time = (float)(f->seconds * (double)sample);
        for (uint32_t joint = 0; joint < joints; joint++) {
            const uint32_t parent = f->rig->def.joints[joint].parent;
            const lmb_transform local = lmb_clip_sample(clip, f->rig, joint, time);
            models[joint] = lmb_model_of(&local, parent != LMB_NONE ? &models[parent] : NULL);
            find_middle(f->rig, joint, middle);
            const size_t at = (size_t)sample * joints + joint;
            for (int axis = 0; axis < 3; axis++) {
                f->positions[at][axis] = models[joint].m[axis][3];
                f->middles[at][axis] = models[joint].m[axis][3] + lmb_dot(models[joint].m[axis], middle);
            }
        }
    }
}

// Measures the rest pose.
static void measure_heights(feet *f, matrix *models) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (uint32_t joint = 0; joint < f->rig->def.joint_count; joint++) {
        const uint32_t parent = f->rig->def.joints[joint].parent;
        models[joint] = lmb_model_of(&f->rig->def.joints[joint].rest, parent != LMB_NONE ? &models[parent] : NULL);
        f->heights[joint] = models[joint].m[1][3];
        f->lefts[joint] = models[joint].m[0][3];
        f->children[joint] = 0;
        if (!f->rig->def.joints[joint].is_extra) {
            low = fmin(low, f->heights[joint]);
            high = fmax(high, f->heights[joint]);
            if (parent != LMB_NONE) {
                f->children[parent]++;
            }
        }
    }
    f->height = fmax(high - low, 0.0);
    f->low = low;
}

static bool is_low(const feet *f, uint32_t joint) {
    return f->heights[joint] <= f->low + LOW_SHARE * f->height;
}

static bool is_low_end(const feet *f, uint32_t joint) {
    return !f->rig->def.joints[joint].is_extra && f->children[joint] == 0 && is_low(f, joint);
}

// Returns whether a joint is a foot: of the low ends of limbs on its side one of the lowest. Hands may be low, too.
static bool is_foot(const feet *f, uint32_t joint) {
    double lowest = f->heights[joint];
    for (uint32_t i = 0; i < f->rig->def.joint_count; i++) {
        const bool is_beside = (f->lefts[i] > 0.0) == (f->lefts[joint] > 0.0);
        lowest = is_beside && is_low_end(f, i) ? fmin(lowest, f->heights[i]) : lowest;
    }
    return is_low_end(f, joint) && f->heights[joint] <= lowest + FOOT_SHARE * f->height;
}

// Returns the positions of a foot's contact, `joint_count` apart.
static const double (*find_contact(const feet *f, uint32_t joint))[3] {
    const uint32_t parent = f->rig->def.joints[joint].parent;
    const bool has_two = parent != LMB_NONE && f->children[parent] == 1 && is_low(f, parent);
    return (const double(*)[3])((has_two ? f->middles : f->positions) + joint);
}

static int compare_numbers(const void *a, const void *b) {
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

// Lists the samples from which to the next one a foot stands. Returns their number: 0 also if it always stands, because
// then it takes no steps, as joints at the ground that only steer others do.
static uint32_t list_standing(const feet *f, uint32_t joint, uint32_t standing[SAMPLES]) {
    const double(*contacts)[3] = find_contact(f, joint);
    const size_t joints = f->rig->def.joint_count;
    double lowest = HUGE_VAL;
    uint32_t count = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        lowest = fmin(lowest, contacts[i * joints][1]);
    }
    const double limit = lowest + STANDING_SHARE * f->height;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        if (contacts[i * joints][1] <= limit && contacts[(i + 1) % SAMPLES * joints][1] <= limit) {
            standing[count++] = i;
        }
    }
    return count < SAMPLES ? count : 0;
}

// Collects the velocities against a foot while it stands, along x and z. Returns their number.
static uint32_t collect_velocities(const feet *f, uint32_t joint, double velocities[2][SAMPLES]) {
    const double(*contacts)[3] = find_contact(f, joint);
    const size_t joints = f->rig->def.joint_count;
    uint32_t standing[SAMPLES];
    const uint32_t count = list_standing(f, joint, standing);
    for (uint32_t i = 0; i < count; i++) {
        const double *from = contacts[standing[i] * joints], *to = contacts[(standing[i] + 1) % SAMPLES * joints];
        for (int k = 0; k < 2; k++) {
            velocities[k][i] = (from[2 * k] - to[2 * k]) / f->seconds;
        }
    }
    return count;
}

// Returns the mean over the feet of the medians of their velocities.
static void find_velocity(const feet *f, double velocity[2]) {
    double velocities[2][SAMPLES];
    uint32_t feet_count = 0;
    velocity[0] = velocity[1] = 0.0;
    for (uint32_t joint = 0; joint < f->rig->def.joint_count; joint++) {
        const uint32_t count = is_foot(f, joint) ? collect_velocities(f, joint, velocities) : 0;
        for (int k = 0; k < 2 && count > 0; k++) {
            qsort(velocities[k], count, sizeof *velocities[k], compare_numbers);
            velocity[k] += velocities[k][count / 2];
        }
        feet_count += count > 0;
    }
    for (int k = 0; k < 2 && feet_count > 0; k++) {
        velocity[k] /= feet_count;
    }
}

// Returns how far standing feet slide at a velocity, as a share of the way.
static double find_slide(const feet *f, const double velocity[2]) {
    double velocities[2][SAMPLES], sum = 0.0;
    uint32_t total = 0;
    for (uint32_t joint = 0; joint < f->rig->def.joint_count; joint++) {
        const uint32_t count = is_foot(f, joint) ? collect_velocities(f, joint, velocities) : 0;
        for (uint32_t i = 0; i < count; i++) {
            sum += lmb_length64(velocities[0][i] - velocity[0], velocities[1][i] - velocity[1]);
        }
        total += count;
    }
    return total > 0 ? sum / (total * lmb_length64(velocity[0], velocity[1])) : 0.0;
}

// Finds when the feet on the left stand and those on the right do not: the direction of the mean of the standing
// moments on a circle, which is a cycle of the clip, less that of the other side.
static void find_phase(const feet *f, lmb_foot_speed *speed) {
    double sums[2][2] = {{0.0}}; // right, left
    uint32_t counts[2] = {0}, standing[SAMPLES];
    for (uint32_t joint = 0; joint < f->rig->def.joint_count; joint++) {
        const uint32_t count = is_foot(f, joint) ? list_standing(f, joint, standing) : 0;
        const int side = f->lefts[joint] > 0.0;
        for (uint32_t i = 0; i < count; i++) {
            const double angle = TURN / SAMPLES * ((double)standing[i] + 0.5);
            sums[side][0] += lmb_cosine64(angle);
            sums[side][1] += lmb_sine64(angle);
        }
        counts[side] += count;
    }
    if (counts[0] > 0 && counts[1] > 0) {
        const double x = sums[1][0] / counts[1] - sums[0][0] / counts[0];
        const double y = sums[1][1] / counts[1] - sums[0][1] / counts[0];
        const double turn = lmb_arc_tangent64(y, x) / TURN;
        speed->phase = (float)(turn - floor(turn));
        speed->alternation = (float)(0.5 * lmb_length64(x, y));
    }
}

static LMB_NOINLINE void measure(feet *f, const lmb_clip *clip, matrix *models, lmb_foot_speed *speed) {
    double velocity[2];
    measure_heights(f, models);
    sample_positions(f, clip, models);
    find_velocity(f, velocity);
    if (lmb_length64(velocity[0], velocity[1]) > STILL_SHARE * f->height) {
        speed->velocity[0] = (float)velocity[0];
        speed->velocity[2] = (float)velocity[1];
        speed->slide = (float)find_slide(f, velocity);
        find_phase(f, speed);
    }
}

lmb_result lmb_root_motion_measure_feet(const lmb_rig *rig, const lmb_clip *clip, const lmb_host *host,
                                        lmb_foot_speed *speed, lmb_error *error) {
    const char *missing = rig == NULL ? "the rig" : clip == NULL ? "the clip" : speed == NULL ? "the result" : NULL;
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "foot speed: %s is NULL", missing);
    }
    *speed = (lmb_foot_speed){0};
    if (lmb_clip_get_info(clip)->joint_count != rig->def.joint_count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "foot speed: the clip is for %u joints, and the rig has %u",
                        (unsigned)lmb_clip_get_info(clip)->joint_count, (unsigned)rig->def.joint_count);
    }
    const double duration = (double)lmb_clip_get_info(clip)->duration;
    if (rig->def.joint_count == 0 || !(duration > 0.0)) {
        return LMB_OK;
    }
    const lmb_host resolved = lmb_host_resolve(host);
    lmb_arena memory = {.host = &resolved};
    feet f = {.rig = rig, .seconds = duration / SAMPLES};
    f.positions = lmb_arena_allocate(&memory, (size_t)SAMPLES * rig->def.joint_count, sizeof *f.positions);
    f.middles = lmb_arena_allocate(&memory, (size_t)SAMPLES * rig->def.joint_count, sizeof *f.middles);
    f.heights = lmb_arena_allocate(&memory, rig->def.joint_count, sizeof *f.heights);
    f.lefts = lmb_arena_allocate(&memory, rig->def.joint_count, sizeof *f.lefts);
    f.children = lmb_arena_allocate(&memory, rig->def.joint_count, sizeof *f.children);
    matrix *models = lmb_arena_allocate(&memory, rig->def.joint_count, sizeof *models);
    const bool failed = memory.failed;
    if (!failed) {
        lmb_environment callers;
        lmb_environment_enter(&callers);
        measure(&f, clip, models, speed);
        lmb_environment_leave(&callers);
    }
    lmb_arena_release(&memory);
    return failed ? lmb_fail(error, LMB_ERROR_MEMORY, "foot speed: no memory for %u joints",
                             (unsigned)rig->def.joint_count)
                  : LMB_OK;
}
