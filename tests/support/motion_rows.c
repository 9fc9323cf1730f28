// Rows of a motion database in float64, by the table and the formulas of motion_database.h.
#include "motion_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

feature_layout layout_of(const lmb_motion_database_def *def) {
    const lmb_motion_weights *w = &def->weights;
    // The feet are groups of their own.
    feature_layout layout = {
        FEATURES,
        {
            {0, 3, UNIT_LENGTH, w->foot_positions},
            {3, 6, UNIT_LENGTH, w->foot_positions},
            {6, 9, UNIT_VELOCITY, w->foot_velocities},
            {9, 12, UNIT_VELOCITY, w->foot_velocities},
            {12, 15, UNIT_VELOCITY, w->hip_velocity},
            {15, 21, UNIT_LENGTH, w->path},
            {21, 27, UNIT_NONE, w->headings},
        },
        GROUPS,
        {{0}},
        def->joint_count,
    };
    for (uint32_t i = 0; i < def->joint_count; i++) {
        const lmb_motion_joint *joint = &def->joints[i];
        const uint32_t first = layout.count;
        layout.joints[i] = *joint;
        layout.count += count_motion_axes(joint);
        layout.groups[layout.group_count++] =
            (feature_group){first, layout.count, joint->is_velocity ? UNIT_VELOCITY : UNIT_LENGTH, joint->weight};
    }
    return layout;
}

// Which of the further joints becomes this one in a mirrored row.
static uint32_t partner_of(const feature_layout *layout, uint32_t joint) {
    const uint32_t mirror = layout->joints[joint].mirror;
    return mirror == LMB_NONE ? joint : mirror;
}

void mirror_numbers(const feature_layout *layout, const int16_t numbers[WIDTH], int16_t mirrored[WIDTH]) {
    static const uint32_t signed_ones[] = {0, 3, 6, 9, 12, 15, 17, 19, 21, 23, 25};
    for (uint32_t i = 0; i < WIDTH; i++) {
        mirrored[i] = numbers[i >= 12 ? i : i % 6 < 3 ? i + 3 : i - 3];
    }
    for (size_t i = 0; i < sizeof signed_ones / sizeof *signed_ones; i++) {
        mirrored[signed_ones[i]] = (int16_t)-mirrored[signed_ones[i]];
    }
    for (uint32_t i = 0; i < layout->joint_count; i++) {
        const feature_group *own = &layout->groups[GROUPS + i],
                            *other = &layout->groups[GROUPS + partner_of(layout, i)];
        for (uint32_t k = 0; k < own->end - own->first; k++) {
            const bool is_along_x = k == 0 && layout->joints[i].axes[0];
            const int16_t number = numbers[other->first + k];
            mirrored[own->first + k] = is_along_x ? (int16_t)-number : number;
        }
    }
}

// The joints whose positions count: both feet, the hips and the further ones.
enum { FURTHER = 3, TRACKED = FURTHER + JOINT_FEATURES };

// Their positions in the model, as the clip has them; or reflected across the plane x = 0, where the left foot is what
// was the right one, and each further joint what was its partner.
static void tracked_positions(const lmb_motion_database_def *def, const feature_layout *layout, const take_source *t,
                              double time, bool mirrored, double positions[TRACKED][3]) {
    double all[TAKE_JOINTS][3];
    take_positions_at(def->rig, t, time, all);
    memcpy(positions[0], all[mirrored ? def->right_foot : def->left_foot], sizeof *all);
    memcpy(positions[1], all[mirrored ? def->left_foot : def->right_foot], sizeof *all);
    memcpy(positions[2], all[def->hips], sizeof *all);
    for (uint32_t i = 0; i < layout->joint_count; i++) {
        const uint32_t seen = mirrored ? partner_of(layout, i) : i;
        memcpy(positions[FURTHER + i], all[layout->joints[seen].joint], sizeof *all);
    }
    for (uint32_t i = 0; i < FURTHER + layout->joint_count; i++) {
        positions[i][0] = mirrored ? -positions[i][0] : positions[i][0];
    }
}

// Where the take has moved its character, or the reflected take.
static place place_at(const take_source *t, double time, double rate, bool mirrored) {
    const place at = take_place_at(t, time, rate);
    return mirrored ? (place){{-at.p[0], at.p[1], at.p[2]}, -at.yaw} : at;
}

// Positions of the tracked joints at a moment of the motion, or of the reflected one, and their velocities.
static void pose_at(const lmb_motion_database_def *def, const feature_layout *layout, const take_source *t,
                    uint32_t index, uint32_t count, bool mirrored, double positions[TRACKED][3],
                    double velocities[TRACKED][3]) {
    const double rate = (double)def->rate, time = index / rate;
    const bool first = index == 0 && !t->take.loop, last = index == count - 1 && !t->take.loop;
    const double sides[2] = {first ? time : (index - 1.0) / rate, last ? time : (index + 1.0) / rate};
    const place here = place_at(t, time, rate, mirrored);
    double side[2][TRACKED][3];
    for (int i = 0; i < 2; i++) {
        const place there = place_at(t, sides[i], rate, mirrored), seen = place_seen_from(&here, &there);
        tracked_positions(def, layout, t, sides[i], mirrored, positions);
        for (uint32_t joint = 0; joint < FURTHER + layout->joint_count; joint++) {
            const place of_joint = {{positions[joint][0], positions[joint][1], positions[joint][2]}, 0.0};
            const place result = place_go_on(&seen, &of_joint);
            memcpy(side[i][joint], result.p, sizeof result.p);
        }
    }
    tracked_positions(def, layout, t, time, mirrored, positions);
    for (uint32_t i = 0; i < 3 * (FURTHER + layout->joint_count); i++) {
        velocities[i / 3][i % 3] = (side[1][i / 3][i % 3] - side[0][i / 3][i % 3]) / (sides[1] - sides[0]);
    }
}

// Features by the table of the header.
static void features_at(const lmb_motion_database_def *def, const feature_layout *layout, const take_source *t,
                        uint32_t index, uint32_t count, bool mirrored, double features[WIDTH]) {
    const double rate = (double)def->rate, time = index / rate;
    double positions[TRACKED][3], velocities[TRACKED][3];
    pose_at(def, layout, t, index, count, mirrored, positions, velocities);
    memcpy(features, positions, 6 * sizeof *features);
    memcpy(features + 6, velocities, 9 * sizeof *features);
    const place here = place_at(t, time, rate, mirrored);
    for (int i = 0; i < 3; i++) {
        const place there = place_at(t, time + (double)def->times[i], rate, mirrored);
        const place seen = place_seen_from(&here, &there);
        features[15 + 2 * i] = seen.p[0];
        features[16 + 2 * i] = seen.p[2];
        features[21 + 2 * i] = sin(seen.yaw);
        features[22 + 2 * i] = cos(seen.yaw);
    }
    uint32_t feature = FEATURES;
    for (uint32_t i = 0; i < 3 * layout->joint_count; i++) {
        const lmb_motion_joint *joint = &layout->joints[i / 3];
        if (joint->axes[i % 3]) {
            features[feature++] = (joint->is_velocity ? velocities : positions)[FURTHER + i / 3][i % 3];
        }
    }
}

// The mean of each feature; returns the largest magnitude in a position of a foot.
static double measure(expectation *e, double deviation[WIDTH]) {
    double farthest = 0.0;
    for (uint32_t i = 0; i < e->layout.count; i++) {
        double sum = 0.0, squares = 0.0;
        for (uint32_t row = 0; row < e->choice_count; row++) {
            sum += e->features[row][i];
            farthest = i < 6 ? fmax(farthest, fabs(e->features[row][i])) : farthest;
        }
        e->mean[i] = sum / e->choice_count;
        for (uint32_t row = 0; row < e->choice_count; row++) {
            const double off = e->features[row][i] - e->mean[i];
            squares += off * off;
        }
        deviation[i] = sqrt(squares / e->choice_count);
    }
    return farthest;
}

static void normalise(expectation *e) {
    double deviation[WIDTH] = {0}, largest = 0.0;
    const double farthest = measure(e, deviation);
    for (uint32_t k = 0; k < e->layout.group_count; k++) {
        const feature_group *group = &e->layout.groups[k];
        double sum = 0.0;
        for (uint32_t i = group->first; i < group->end; i++) {
            sum += deviation[i];
        }
        const double unit = group->unit == UNIT_NONE       ? 1.0
                            : group->unit == UNIT_VELOCITY ? farthest * e->rate
                                                           : farthest;
        const double divisor = sum / (group->end - group->first);
        for (uint32_t i = group->first; i < group->end; i++) {
            e->factor[i] = divisor > 1e-5 * unit ? (double)group->weight / divisor : 0.0;
        }
    }
    for (uint32_t row = 0; row < e->choice_count; row++) {
        for (uint32_t i = 0; i < e->layout.count; i++) {
            e->normalised[row][i] = (e->features[row][i] - e->mean[i]) * e->factor[i];
            largest = fmax(largest, fabs(e->normalised[row][i]));
        }
    }
    e->scale = largest > 0.0 ? MAX_NUMBER / largest : 0.0;
    for (uint32_t i = 0; i < e->choice_count * WIDTH; i++) {
        e->normalised[i / WIDTH][i % WIDTH] *= e->scale;
    }
}

expectation expect_rows(const lmb_motion_database_def *def, const take_source *sources) {
    expectation e = {.first = allocate(def->take_count + 1, sizeof *e.first), .rate = (double)def->rate};
    e.durations = allocate(def->take_count, sizeof *e.durations);
    e.loops = allocate(def->take_count, sizeof *e.loops);
    e.layout = layout_of(def);
    for (uint32_t i = 0; i < def->take_count; i++) {
        e.first[i] = e.count;
        e.count += count_take_moments(&sources[i], e.rate);
        e.durations[i] = (double)lmb_clip_get_info(sources[i].take.clip)->duration;
        e.loops[i] = sources[i].take.loop;
    }
    e.first[def->take_count] = e.count;
    e.choice_count = def->mirrored ? 2 * e.count : e.count;
    const uint32_t last = (uint32_t)lround((double)def->end * e.rate);
    e.moments = allocate(e.count, sizeof *e.moments);
    for (uint32_t i = 0; i < def->take_count; i++) {
        const lmb_motion_take *take = &sources[i].take;
        const uint32_t count = e.first[i + 1] - e.first[i];
        for (uint32_t index = 0; index < count; index++) {
            moment *m = &e.moments[e.first[i] + index];
            *m = (moment){i, index, (float)(index / e.rate), take->tags, take->loop || index + last < count};
            for (uint32_t k = 0; k < take->range_count; k++) {
                const bool within = take->ranges[k].start <= m->time && m->time <= take->ranges[k].end;
                m->tags |= within ? take->ranges[k].tags : 0;
            }
        }
    }
    return e;
}

void expect_features(const lmb_motion_database_def *def, const take_source *sources, expectation *e) {
    e->features = allocate(e->choice_count, sizeof *e->features);
    e->normalised = allocate(e->choice_count, sizeof *e->normalised);
    for (uint32_t row = 0; row < e->choice_count; row++) {
        const moment *m = &e->moments[row % e->count];
        const uint32_t rows = e->first[m->take + 1] - e->first[m->take];
        features_at(def, &e->layout, &sources[m->take], m->index, rows, row >= e->count, e->features[row]);
    }
    normalise(e);
}

void release_expectation(expectation *e) {
    free(e->first);
    free(e->moments);
    free(e->features);
    free(e->normalised);
    free(e->durations);
    free(e->loops);
}
