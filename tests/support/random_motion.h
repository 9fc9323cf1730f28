// Random further joints of motion databases; and a database of random takes of three joints, loops and others, with
// tags and further joints. Half of these are mirrored, too.
#ifndef LIMBER_TESTS_SUPPORT_RANDOM_MOTION_H
#define LIMBER_TESTS_SUPPORT_RANDOM_MOTION_H

#include "random.h"

#include <limber/motion_database.h>

enum { RANDOM_MOTION_TAKES = 5, RANDOM_MOTION_KEYS = 12, RANDOM_MOTION_JOINTS = 3 };
// Of all further joints together, at most.
enum { JOINT_FEATURES = LMB_MOTION_ROW_SIZE - LMB_MOTION_FEATURES };

typedef struct random_take {
    float times[RANDOM_MOTION_KEYS], values[RANDOM_MOTION_JOINTS][RANDOM_MOTION_KEYS * 3];
    float motion[RANDOM_MOTION_KEYS * 4];
    lmb_motion_track track;
    lmb_motion_tag_range range;
    lmb_clip *clip;
} random_take;

// Returns false if there is no clip.
static inline bool random_motion_take(random_source *source, const lmb_rig *rig, random_take *take) {
    lmb_track_def tracks[RANDOM_MOTION_JOINTS];
    for (uint32_t key = 0; key < RANDOM_MOTION_KEYS; key++) {
        take->times[key] = 0.15f * (float)key;
        for (uint32_t i = 0; i < 4; i++) {
            const float before = key > 0 ? take->motion[4 * key - 4 + i] : 0.0f;
            take->motion[4 * key + i] = before + (float)random_between(source, -0.4, 0.6);
        }
        for (uint32_t joint = 0; joint < RANDOM_MOTION_JOINTS; joint++) {
            for (uint32_t i = 0; i < 3; i++) {
                take->values[joint][3 * key + i] = (float)random_between(source, -0.5, 0.5);
            }
        }
    }
    for (uint32_t joint = 0; joint < RANDOM_MOTION_JOINTS; joint++) {
        tracks[joint] = lmb_default_track_def();
        tracks[joint].joint = joint;
        tracks[joint].key_count = 2 + random_below(source, RANDOM_MOTION_KEYS - 1);
        tracks[joint].times = take->times;
        tracks[joint].values = take->values[joint];
    }
    take->track = (lmb_motion_track){.key_count = RANDOM_MOTION_KEYS, .keys = take->motion};
    lmb_clip_def def = lmb_default_clip_def();
    def.tracks = tracks;
    def.track_count = RANDOM_MOTION_JOINTS;
    def.duration = (float)random_between(source, 1.7, 3.0);
    return lmb_clip_create(rig, &def, NULL, &take->clip, NULL) == LMB_OK;
}

static inline uint32_t count_motion_axes(const lmb_motion_joint *joint) {
    return (joint->axes[0] ? 1u : 0u) + (joint->axes[1] ? 1u : 0u) + (joint->axes[2] ? 1u : 0u);
}

// A joint in the middle, with at most so many axes.
static inline lmb_motion_joint random_motion_joint(random_source *source, uint32_t rig_joints, uint32_t max_axes) {
    static const float weights[] = {0.0f, 1000.0f};
    lmb_motion_joint joint = lmb_default_motion_joint();
    joint.joint = random_below(source, rig_joints);
    joint.is_velocity = random_below(source, 2) == 0;
    do {
        const uint32_t axes = 1 + random_below(source, 7);
        for (uint32_t i = 0; i < 3; i++) {
            joint.axes[i] = (axes >> i & 1) != 0;
        }
    } while (count_motion_axes(&joint) > max_axes);
    joint.weight =
        random_below(source, 5) == 0 ? weights[random_below(source, 2)] : (float)random_between(source, 0.1, 2.0);
    return joint;
}

static inline void swap_motion_joints(lmb_motion_joint *joints, uint32_t count, uint32_t a, uint32_t b) {
    const lmb_motion_joint kept = joints[a];
    joints[a] = joints[b];
    joints[b] = kept;
    for (uint32_t i = 0; i < count && a != b; i++) {
        joints[i].mirror = joints[i].mirror == a ? b : joints[i].mirror == b ? a : joints[i].mirror;
    }
}

// Further joints with up to JOINT_FEATURES features: some in the middle, and pairs that mirror each other. Returns
// how many joints these are.
static inline uint32_t random_motion_joints(random_source *source, uint32_t rig_joints,
                                            lmb_motion_joint joints[JOINT_FEATURES]) {
    uint32_t left = random_below(source, JOINT_FEATURES + 1), count = 0;
    while (left > 0) {
        const uint32_t sides = left > 1 && random_below(source, 2) == 0 ? 2 : 1;
        const lmb_motion_joint joint = random_motion_joint(source, rig_joints, left / sides);
        joints[count] = joint;
        if (sides == 2) {
            joints[count + 1] = joint;
            joints[count + 1].joint = random_below(source, rig_joints);
            joints[count].mirror = count + 1;
            joints[count + 1].mirror = count;
        } else if (random_below(source, 4) == 0) {
            joints[count].mirror = count;
        }
        count += sides;
        left -= sides * count_motion_axes(&joint);
    }
    // Partners are not always neighbours.
    for (uint32_t i = 0; i < count; i++) {
        swap_motion_joints(joints, count, i, random_below(source, count));
    }
    return count;
}

// Returns NULL if that fails. `times` may be NULL for the default.
static inline lmb_motion_database *random_motion_database(random_source *source, const float times[3]) {
    lmb_joint_def joints[RANDOM_MOTION_JOINTS];
    for (uint32_t i = 0; i < RANDOM_MOTION_JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : 0;
    }
    lmb_rig_def rig_def = lmb_default_rig_def();
    rig_def.joints = joints;
    rig_def.joint_count = RANDOM_MOTION_JOINTS;
    lmb_rig *rig = NULL;
    bool made = lmb_rig_create(&rig_def, NULL, &rig, NULL) == LMB_OK;
    random_take takes[RANDOM_MOTION_TAKES] = {0};
    lmb_motion_take defs[RANDOM_MOTION_TAKES];
    const uint32_t count = 1 + random_below(source, RANDOM_MOTION_TAKES);
    for (uint32_t i = 0; i < count && made; i++) {
        made = random_motion_take(source, rig, &takes[i]);
        defs[i] = lmb_default_motion_take();
        defs[i].clip = takes[i].clip;
        defs[i].motion = random_below(source, 3) > 0 ? &takes[i].track : NULL;
        defs[i].velocity[2] = (float)random_between(source, -1.0, 3.0);
        defs[i].loop = random_below(source, 2) > 0;
        defs[i].tags = random_below(source, 4);
        takes[i].range = (lmb_motion_tag_range){0.5f, 1.0f, 4u};
        defs[i].ranges = &takes[i].range;
        defs[i].range_count = random_below(source, 2);
    }
    lmb_motion_database_def def = lmb_default_motion_database_def();
    def.rig = rig;
    def.hips = 0;
    def.left_foot = 1;
    def.right_foot = 2;
    def.takes = defs;
    def.take_count = count;
    def.mirrored = random_below(source, 2) == 0;
    lmb_motion_joint further[JOINT_FEATURES];
    def.joints = further;
    def.joint_count = random_motion_joints(source, RANDOM_MOTION_JOINTS, further);
    if (times != NULL) {
        memcpy(def.times, times, sizeof def.times);
    }
    lmb_motion_database *database = NULL;
    made = made && lmb_motion_database_create(&def, NULL, &database, NULL) == LMB_OK;
    for (uint32_t i = 0; i < count; i++) {
        lmb_clip_destroy(takes[i].clip);
    }
    lmb_rig_destroy(rig);
    return made ? database : NULL;
}

// A search with a random query near a row, random tags, rows that play and that were left.
static inline lmb_motion_search_def random_motion_search(random_source *source, const lmb_motion_database *database) {
    const uint32_t rows = lmb_motion_database_get_info(database)->row_count;
    lmb_motion_search_def search = lmb_default_motion_search_def();
    const int16_t *near = lmb_motion_database_features(database, random_below(source, rows));
    for (uint32_t i = 0; i < LMB_MOTION_ROW_SIZE; i++) {
        search.query[i] = (int16_t)(near[i] + (int32_t)random_below(source, 4001) - 2000);
    }
    search.required_tags = random_below(source, 4) == 0 ? random_below(source, 8) : 0;
    search.forbidden_tags = random_below(source, 4) == 0 ? random_below(source, 8) : 0;
    search.current_row = random_below(source, 3) > 0 ? random_below(source, rows) : LMB_NONE;
    search.current_is_mirrored = random_below(source, 2) == 0;
    search.recent_rows[0] = random_below(source, rows + 3);
    search.recent_count = random_below(source, 2);
    return search;
}

#endif
