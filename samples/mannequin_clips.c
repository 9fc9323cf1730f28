// Samples the mannequin's motions as keys and creates clips from them.
#include "mannequin_clips.h"

#include "mannequin_face.h"

#include "mannequin_memory.h"
#include "mannequin_motion.h"

static const char *const NAMES[MANNEQUIN_CLIP_COUNT] = {
    "idle", "walk",     "run",          "walk_back", "strafe_left",    "strafe_right", "turn_left",     "turn_right",
    "jump", "wave",     "lean",         "breathe",   "stand",          "stand2crouch", "crouch",        "takeoff",
    "hop",  "float",    "land",         "twist",     "aim_right_down", "aim_down",     "aim_left_down", "aim_right",
    "aim",  "aim_left", "aim_right_up", "aim_up",    "aim_left_up",
};

// Max number of tracks: a rotation and a scale for every joint, the translations of the pelvis and the root, and the
// channels of both feet.
enum { TRACKS = 2 * JOINT_COUNT + 2 + 2 };

typedef struct clip_keys {
    uint32_t count;
    float *times;
    motion_pose *poses;
    float *values; // of all tracks, stored one after the other
    size_t value_count;
    lmb_track_def tracks[TRACKS];
    uint32_t track_count;
} clip_keys;

const char *mannequin_clip_name(mannequin_clip_id id) {
    return (unsigned)id < MANNEQUIN_CLIP_COUNT ? NAMES[id] : NULL;
}

// Stores the values of one key of a channel and returns their number.
static uint32_t key_values(const motion_pose *pose, uint32_t joint, lmb_property channel, float values[4]) {
    if (channel == LMB_PROPERTY_ROTATION) {
        quat q = pose->rotations[joint];
        values[0] = (float)q.x;
        values[1] = (float)q.y;
        values[2] = (float)q.z;
        values[3] = (float)q.w;
        return 4;
    }
    vec3 value = channel == LMB_PROPERTY_TRANSLATION
                     ? pose->pelvis
                     : vec3_of(pose->scales[joint], pose->scales[joint], pose->scales[joint]);
    values[0] = (float)value.x;
    values[1] = (float)value.y;
    values[2] = (float)value.z;
    return 3;
}

// Negates rotations so that neighbouring keys are on one side of the sphere, and their components do not jump.
static void align_rotations(clip_keys *keys) {
    for (uint32_t i = 1; i < keys->count; i++) {
        for (uint32_t joint = 0; joint < JOINT_COUNT; joint++) {
            quat a = keys->poses[i - 1].rotations[joint];
            quat *b = &keys->poses[i].rotations[joint];
            if (a.x * b->x + a.y * b->y + a.z * b->z + a.w * b->w < 0.0) {
                *b = (quat){-b->x, -b->y, -b->z, -b->w};
            }
        }
    }
}

static void sample_keys(clip_keys *keys, mannequin_clip_id id) {
    uint32_t last = keys->count - 1;
    for (uint32_t i = 0; i < last; i++) {
        keys->times[i] = (float)(i / MOTION_RATE);
        motion_sample(id, i / MOTION_RATE, &keys->poses[i]);
    }
    if (!motion_loops(id)) {
        motion_sample(id, motion_duration(id), &keys->poses[last]);
    }
    align_rotations(keys);
    keys->times[last] = (float)motion_duration(id);
    if (motion_loops(id)) {
        keys->poses[last] = keys->poses[0];
    }
}

static bool track_moves(const float *values, uint32_t width, uint32_t count) {
    for (uint32_t i = width; i < width * count; i++) {
        if (values[i] != values[i % width]) {
            return true;
        }
    }
    return false;
}

static bool is_rest(const float *values, const motion_pose *rest, uint32_t joint, lmb_property channel) {
    float expected[4];
    uint32_t width = key_values(rest, joint, channel, expected);
    for (uint32_t i = 0; i < width; i++) {
        if (values[i] != expected[i]) {
            return false;
        }
    }
    return true;
}

// Adds the keys of one channel: one key if it does not change, none if it equals the rest pose.
static void add_track(clip_keys *keys, uint32_t joint, lmb_property channel, const motion_pose *rest) {
    float *values = keys->values + keys->value_count;
    uint32_t width = 0;
    for (uint32_t i = 0; i < keys->count; i++) {
        width = key_values(&keys->poses[i], joint, channel, values + (size_t)i * width);
    }
    bool moves = track_moves(values, width, keys->count);
    if (!moves && is_rest(values, rest, joint, channel)) {
        return;
    }
    keys->tracks[keys->track_count++] =
        (lmb_track_def){joint, channel, LMB_INTERPOLATION_LINEAR, moves ? keys->count : 1, keys->times, values};
    keys->value_count += (size_t)keys->count * width;
}

static motion_pose rest_pose(void) {
    motion_pose rest = {.pelvis = vec3_subtract(joint_rest(PELVIS), joint_rest(ROOT))};
    for (uint32_t i = 0; i < JOINT_COUNT; i++) {
        rest.rotations[i] = quat_identity();
        rest.scales[i] = 1.0;
    }
    return rest;
}

static void add_tracks(clip_keys *keys) {
    motion_pose rest = rest_pose();
    add_track(keys, PELVIS, LMB_PROPERTY_TRANSLATION, &rest);
    for (uint32_t joint = 0; joint < JOINT_COUNT; joint++) {
        add_track(keys, joint, LMB_PROPERTY_ROTATION, &rest);
        add_track(keys, joint, LMB_PROPERTY_SCALE, &rest);
    }
}

static lmb_result take_memory(const lmb_host *host, uint32_t count, clip_keys *keys, lmb_error *error) {
    *keys = (clip_keys){.count = count};
    keys->times = memory_take(host, count, sizeof(float));
    keys->poses = memory_take(host, count, sizeof(motion_pose));
    keys->values = memory_take(host, count, (6 + 4 + 7 * JOINT_COUNT) * sizeof(float));
    return keys->times != NULL && keys->poses != NULL && keys->values != NULL ? LMB_OK : memory_missing(error);
}

static void give_memory(const lmb_host *host, const clip_keys *keys) {
    memory_give(host, keys->times);
    memory_give(host, keys->poses);
    memory_give(host, keys->values);
}

static lmb_result create_from(const char *name, double duration, clip_keys *keys, const lmb_rig *rig,
                              const lmb_host *host, lmb_clip **clip, lmb_error *error) {
    add_tracks(keys);
    lmb_clip_def def = {
        .name = name, .duration = (float)duration, .tracks = keys->tracks, .track_count = keys->track_count};
    return lmb_clip_create(rig, &def, host, clip, error);
}

lmb_result clips_create(mannequin_clip_id id, const lmb_rig *rig, const lmb_host *host, lmb_clip **clip,
                        lmb_error *error) {
    clip_keys keys;
    lmb_result result = take_memory(host, (uint32_t)lround(motion_duration(id) * MOTION_RATE) + 1, &keys, error);
    if (result == LMB_OK) {
        sample_keys(&keys, id);
        result = create_from(NAMES[id], motion_duration(id), &keys, rig, host, clip, error);
    }
    give_memory(host, &keys);
    return result;
}

// Moves the root.
static void add_places(clip_keys *keys, const float (*places)[4]) {
    float *values = keys->values + keys->value_count;
    for (uint32_t i = 0; i < keys->count; i++) {
        keys->poses[i].rotations[ROOT] = quat_about_y((double)places[i][3]);
        for (uint32_t k = 0; k < 3; k++) {
            values[3 * i + k] = places[i][k];
        }
    }
    keys->tracks[keys->track_count++] =
        (lmb_track_def){ROOT, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, keys->count, keys->times, values};
    keys->value_count += (size_t)keys->count * 3;
}

// Adds a channel that steps to 1 when a foot stands, and to 0 at the last key before it no longer does: from there on
// it moves.
static void add_steps(clip_keys *keys, uint32_t channel, const bool (*standing)[2], uint32_t side) {
    float *times = keys->values + keys->value_count, *values = times + keys->count;
    uint32_t count = 0;
    for (uint32_t i = 0; i < keys->count; i++) {
        const float value = standing[i][side] && (i + 1 == keys->count || standing[i + 1][side]) ? 1.0f : 0.0f;
        if (i == 0 || value != values[count - 1]) {
            times[count] = keys->times[i];
            values[count++] = value;
        }
    }
    keys->tracks[keys->track_count++] =
        (lmb_track_def){channel, LMB_PROPERTY_FLOAT, LMB_INTERPOLATION_STEP, count, times, values};
    keys->value_count += (size_t)keys->count * 2;
}

lmb_result clips_create_of_poses(const char *name, const clip_poses *poses, const lmb_rig *rig, const lmb_host *host,
                                 lmb_clip **clip, lmb_error *error) {
    clip_keys keys;
    lmb_result result = take_memory(host, poses->count, &keys, error);
    if (result == LMB_OK) {
        for (uint32_t i = 0; i < poses->count; i++) {
            keys.times[i] = (float)(i / MOTION_RATE);
            keys.poses[i] = poses->poses[i];
        }
        if (poses->places != NULL) {
            add_places(&keys, poses->places);
        }
        for (uint32_t side = 0; side < 2 && poses->standing != NULL; side++) {
            const uint32_t channel = lmb_rig_find_channel(rig, joints_step_channel(side));
            if (channel != LMB_NONE) {
                add_steps(&keys, channel, poses->standing, side);
            }
        }
        align_rotations(&keys);
        result = create_from(name, (poses->count - 1) / MOTION_RATE, &keys, rig, host, clip, error);
    }
    give_memory(host, &keys);
    return result;
}

lmb_result clips_create_of_channel(uint32_t channel, const lmb_rig *rig, const lmb_host *host, lmb_clip **clip,
                                   lmb_error *error) {
    static const float time = 0.0f, value = 1.0f;
    const lmb_track_def track = {channel, LMB_PROPERTY_FLOAT, LMB_INTERPOLATION_LINEAR, 1, &time, &value};
    lmb_clip_def def = lmb_default_clip_def();
    def.name = face_channel_name(channel);
    def.duration = 1.0f;
    def.tracks = &track;
    def.track_count = 1;
    return lmb_clip_create(rig, &def, host, clip, error);
}
