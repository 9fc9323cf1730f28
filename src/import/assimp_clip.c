// Builds clips from the animations of an Assimp scene.
#include "assimp.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// A transform that an animation only repeats differs from the rest pose by rounding errors.
#define SAME_AS_REST 1e-4

typedef struct animation {
    const struct aiAnimation *source;
    char name[sizeof(((struct aiString *)0)->data)];
    uint32_t index;
    double start; // in ticks: the time of the first key if it is negative, else 0
    lmb_pool pool;
    lmb_track_def *tracks;
    uint32_t track_count;
    lmb_name_list unmatched;
    uint32_t conflicts; // keys that have the time of another key
    bool has_motion;    // a track differs from the rest pose
    float duration;
} animation;

// A translation, rotation or scale key: `value` holds 3 or 4 floats.
typedef struct key {
    double time;
    float value[4];
} key;

static key key_of(const struct aiNodeAnim *channel, lmb_property kind, unsigned index) {
    if (kind == LMB_PROPERTY_ROTATION) {
        const struct aiQuatKey *source = &channel->mRotationKeys[index];
        const struct aiQuaternion *q = &source->mValue;
        return (key){source->mTime, {q->x, q->y, q->z, q->w}};
    }
    const struct aiVectorKey *source =
        kind == LMB_PROPERTY_SCALE ? &channel->mScalingKeys[index] : &channel->mPositionKeys[index];
    return (key){source->mTime, {source->mValue.x, source->mValue.y, source->mValue.z}};
}

static unsigned key_count_of(const struct aiNodeAnim *channel, lmb_property kind) {
    if (kind == LMB_PROPERTY_ROTATION) {
        return channel->mNumRotationKeys;
    }
    return kind == LMB_PROPERTY_SCALE ? channel->mNumScalingKeys : channel->mNumPositionKeys;
}

static bool fail_key(const lmb_assimp *assimp, const animation *animation, const struct aiNodeAnim *channel,
                     lmb_property kind, unsigned index, const char *what) {
    static const char *const names[] = {"translation", "rotation", "scale"};
    return lmb_importer_fail(assimp->tables.importer, LMB_ERROR_FORMAT,
                             "animation '%.100s': key %u of the %s of node '%.100s' %s", animation->name, index,
                             names[kind], channel->mNodeName.data, what);
}

// Converts a value to the rig's space: metres, with Y up.
static void place_value(const lmb_assimp_space *space, lmb_property kind, bool is_top, float value[4]) {
    lmb_transform transform = lmb_transform_identity();
    float *part = kind == LMB_PROPERTY_ROTATION ? transform.rotation : transform.translation;
    size_t size = kind == LMB_PROPERTY_ROTATION ? sizeof transform.rotation : sizeof transform.translation;
    if (kind != LMB_PROPERTY_SCALE) {
        memcpy(part, value, size);
        transform = lmb_assimp_place(space, transform, is_top);
        memcpy(value, part, size);
    }
}

static bool equal(const float *a, const float *b, int count) {
    return memcmp(a, b, (size_t)count * sizeof(float)) == 0;
}

// Reads keys in ascending order. Of several keys at one time, the last one counts.
static bool read_keys(lmb_assimp *assimp, animation *animation, const struct aiNodeAnim *channel, lmb_property kind,
                      bool is_top, lmb_track_def *track, float *times, float *values) {
    int width = kind == LMB_PROPERTY_ROTATION ? 4 : 3;
    uint32_t count = 0;
    for (unsigned i = 0; i < key_count_of(channel, kind); i++) {
        key key = key_of(channel, kind, i);
        float time = (float)((key.time - animation->start) / animation->source->mTicksPerSecond);
        if (!isfinite(time) || (count > 0 && time < times[count - 1])) {
            return fail_key(assimp, animation, channel, kind, i, "is not after the one before");
        }
        place_value(&assimp->space, kind, is_top, key.value);
        if (count > 0 && time == times[count - 1]) {
            count--;
            animation->conflicts += !equal(key.value, values + (size_t)count * (size_t)width, width);
        }
        times[count] = time;
        memcpy(values + (size_t)count * (size_t)width, key.value, (size_t)width * sizeof(float));
        count++;
    }
    track->key_count = count;
    animation->duration = fmaxf(animation->duration, times[count - 1]);
    return true;
}

static bool add_track(lmb_assimp *assimp, animation *animation, const struct aiNodeAnim *channel, lmb_property kind,
                      const lmb_gltf_node *node) {
    lmb_importer *importer = assimp->tables.importer;
    unsigned count = key_count_of(channel, kind);
    if (count == 0) {
        return true;
    }
    size_t width = kind == LMB_PROPERTY_ROTATION ? 4 : 3;
    float *times = lmb_importer_allocate(importer, &animation->pool, count, sizeof(float));
    float *values = lmb_importer_allocate(importer, &animation->pool, count, width * sizeof(float));
    if (times == NULL || values == NULL) {
        return false;
    }
    lmb_track_def *track = &animation->tracks[animation->track_count++];
    *track = (lmb_track_def){.joint = node->joint,
                             .property = kind,
                             .interpolation = LMB_INTERPOLATION_LINEAR,
                             .times = times,
                             .values = values};
    if (!read_keys(assimp, animation, channel, kind, node->parent == LMB_NONE, track, times, values)) {
        return false;
    }
    animation->has_motion = animation->has_motion || lmb_gltf_leaves_rest(importer->import->rig, track, SAME_AS_REST);
    return true;
}

// Returns a name for a note. Of a part of a joint that Assimp has split, it is the joint's, with what the part is.
static lmb_gltf_place shown_name(const char *name) {
    static const char mark[] = "_$AssimpFbx$_";
    const char *split = strstr(name, mark);
    return split == NULL ? lmb_gltf_place_of("%s", name)
                         : lmb_gltf_place_of("%.*s (%s)", (int)(split - name < 80 ? split - name : 80), name,
                                             split + sizeof mark - 1);
}

static bool read_channel(lmb_assimp *assimp, animation *animation, const struct aiNodeAnim *channel) {
    lmb_gltf *tables = &assimp->tables;
    uint32_t index = lmb_names_find(assimp->node_names, tables->node_count, channel->mNodeName.data);
    if (index == LMB_NONE || !tables->nodes[index].in_rig) {
        const lmb_gltf_place shown = shown_name(channel->mNodeName.data);
        lmb_name_list_add(&animation->unmatched, shown.text);
        return true;
    }
    const lmb_gltf_node *node = &tables->nodes[index];
    if (assimp->moved[index] == animation->index + 1) {
        return lmb_importer_fail(tables->importer, LMB_ERROR_FORMAT,
                                 "animation '%.100s' has two channels of node '%.100s'", animation->name, node->name);
    }
    assimp->moved[index] = animation->index + 1;
    return add_track(assimp, animation, channel, LMB_PROPERTY_TRANSLATION, node) &&
           add_track(assimp, animation, channel, LMB_PROPERTY_ROTATION, node) &&
           add_track(assimp, animation, channel, LMB_PROPERTY_SCALE, node);
}

// Adds tracks that hold joints at this file's rest pose: in a file that adds clips, it can differ from the rig's rest
// pose.
static void add_rest_tracks(const lmb_assimp *assimp, animation *animation) {
    for (uint32_t i = 0; i < assimp->tables.rest_count; i++) {
        const lmb_gltf_rest *rest = &assimp->tables.rests[i];
        if (assimp->moved[rest->node] != animation->index + 1) {
            animation->tracks[animation->track_count++] = rest->track;
        }
    }
}

static bool find_start(const lmb_assimp *assimp, animation *animation) {
    const struct aiAnimation *source = animation->source;
    lmb_importer *importer = assimp->tables.importer;
    if (!(source->mTicksPerSecond > 0 && isfinite(source->mTicksPerSecond))) {
        return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "animation '%.100s' has %g ticks a second",
                                 animation->name, source->mTicksPerSecond);
    }
    for (unsigned i = 0; i < source->mNumChannels; i++) {
        const struct aiNodeAnim *channel = source->mChannels[i];
        for (int kind = LMB_PROPERTY_TRANSLATION; kind <= LMB_PROPERTY_SCALE; kind++) {
            if (key_count_of(channel, (lmb_property)kind) > 0) {
                animation->start = fmin(animation->start, key_of(channel, (lmb_property)kind, 0).time);
            }
        }
    }
    return animation->start == 0 || lmb_importer_note(importer, "animation '%.200s' begins at %g s: moved to 0",
                                                      animation->name, animation->start / source->mTicksPerSecond);
}

static bool note_skipped(const lmb_assimp *assimp, animation *animation) {
    lmb_importer *importer = assimp->tables.importer;
    unsigned morphs = animation->source->mNumMeshChannels + animation->source->mNumMorphMeshChannels;
    return lmb_gltf_note_unmatched(&assimp->tables, animation->name, &animation->unmatched) &&
           (morphs == 0 || lmb_importer_note(importer, "animation '%.200s': %u morph-target %s skipped",
                                             animation->name, morphs, morphs == 1 ? "track" : "tracks")) &&
           (animation->conflicts == 0 ||
            lmb_importer_note(importer, "animation '%.200s': %" PRIu32 " keys dropped where another has the same time",
                              animation->name, animation->conflicts));
}

// Uses the file's duration of the animation if it is longer than the keys: a loop may end with a pause.
static bool add_clip(lmb_assimp *assimp, animation *animation) {
    const struct aiAnimation *source = animation->source;
    float length = (float)((source->mDuration - animation->start) / source->mTicksPerSecond);
    const lmb_clip_def def = {.name = animation->name,
                              .duration = isfinite(length) ? fmaxf(animation->duration, length) : animation->duration,
                              .tracks = animation->tracks,
                              .track_count = animation->track_count};
    lmb_gltf_place place = lmb_gltf_place_of("animations[%" PRIu32 "]", animation->index);
    return lmb_importer_add_clip(assimp->tables.importer, place.text, &def);
}

static bool build_clip(lmb_assimp *assimp, animation *animation) {
    const struct aiAnimation *source = animation->source;
    lmb_gltf *tables = &assimp->tables;
    lmb_importer *importer = tables->importer;
    size_t most = 3 * (size_t)source->mNumChannels + tables->rest_count;
    animation->tracks = lmb_importer_allocate(importer, &animation->pool, most, sizeof(lmb_track_def));
    if (animation->tracks == NULL || !find_start(assimp, animation)) {
        return false;
    }
    for (unsigned i = 0; i < source->mNumChannels; i++) {
        if (!read_channel(assimp, animation, source->mChannels[i])) {
            return false;
        }
    }
    if (!note_skipped(assimp, animation)) {
        return false;
    }
    if (!animation->has_motion) {
        return lmb_importer_note(importer, "animation '%.200s' moves no joint of the rig: left out", animation->name);
    }
    add_rest_tracks(assimp, animation);
    return add_clip(assimp, animation);
}

static void set_name(animation *animation) {
    const struct aiString *name = &animation->source->mName;
    lmb_gltf_place unnamed = lmb_gltf_place_of("animation_%" PRIu32, animation->index);
    const char *text = name->length > 0 ? name->data : unnamed.text;
    snprintf(animation->name, sizeof animation->name, "%.1000s", text);
}

bool lmb_assimp_build_clips(lmb_assimp *assimp) {
    lmb_importer *importer = assimp->tables.importer;
    assimp->moved = lmb_importer_scratch(importer, assimp->tables.node_count, sizeof *assimp->moved);
    if (assimp->moved == NULL || !lmb_gltf_list_rests(&assimp->tables)) {
        return false;
    }
    for (unsigned i = 0; i < assimp->scene->mNumAnimations; i++) {
        animation animation = {.source = assimp->scene->mAnimations[i],
                               .index = i,
                               .pool = {.budget = &assimp->tables.importer->import->budget}};
        set_name(&animation);
        bool built = build_clip(assimp, &animation);
        lmb_pool_clear(&animation.pool);
        if (!built) {
            return false;
        }
    }
    return true;
}
