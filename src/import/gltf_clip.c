// Builds clips from animations.
#include "gltf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef enum path { PATH_TRANSLATION, PATH_ROTATION, PATH_SCALE, PATH_WEIGHTS, PATH_POINTER, PATH_COUNT } path;

// "pointer" is the path of KHR_animation_pointer, whose channels name no node.
static const char *const path_names[PATH_COUNT] = {"translation", "rotation", "scale", "weights", "pointer"};
static const lmb_gltf_shape path_shapes[PATH_COUNT] = {LMB_GLTF_VEC3, LMB_GLTF_VEC4, LMB_GLTF_VEC3, LMB_GLTF_SCALAR,
                                                       LMB_GLTF_SCALAR};

typedef struct animation {
    const char *name;
    uint32_t index;
    lmb_gltf_place place;
    lmb_gltf_list channels;
    lmb_gltf_list samplers;
    lmb_pool pool; // data that is needed until the clip is built
    lmb_track_def *tracks;
    uint32_t track_count;
    float duration;  // of all channels, including skipped ones
    uint32_t *marks; // per node and path: 1 + the index of the last animation that has it
    uint32_t skipped_morphs;
    uint32_t skipped_pointers;
    uint32_t skipped_nodes;
    uint32_t *outside; // nodes outside the rig that channels move
    uint32_t outside_count;
} animation;

static bool add_track(lmb_gltf *gltf, animation *animation, const lmb_track_def *track) {
    return lmb_importer_append(gltf->importer, &animation->pool, &animation->tracks, &animation->track_count, track,
                               sizeof *track);
}

static bool check_times(const lmb_gltf *gltf, uint32_t accessor, const float *times, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (times[i] < 0 || (i > 0 && times[i] <= times[i - 1])) {
            return lmb_importer_fail(gltf->importer, LMB_ERROR_FORMAT,
                                     "accessors[%" PRIu32 "]: key %" PRIu32 " is at %.9g s, not after the one before"
                                     " or negative",
                                     accessor, i, (double)times[i]);
        }
    }
    return true;
}

static bool find_accessor(const lmb_gltf_object *sampler, const char *key, uint32_t *index) {
    return lmb_gltf_require(sampler, key) &&
           lmb_gltf_read_index(sampler, key, sampler->gltf->accessor_count, "accessors", index);
}

// Most channels of an animation share their key times, so these are stored in the accessor.
static bool read_times(lmb_gltf *gltf, const lmb_gltf_object *sampler, uint32_t *key_count, const float **times) {
    uint32_t index = 0;
    if (!find_accessor(sampler, "input", &index)) {
        return false;
    }
    lmb_gltf_accessor *accessor = &gltf->accessors[index];
    if (accessor->shape != LMB_GLTF_SCALAR || accessor->component != LMB_GLTF_FLOAT) {
        return lmb_gltf_fail(sampler, "input", "accessor %" PRIu32 " does not hold SCALAR floats", index);
    }
    if (accessor->times == NULL) {
        float *values = lmb_gltf_decode_floats(gltf, &gltf->importer->scratch, index, accessor->count);
        if (values == NULL || !check_times(gltf, index, values, accessor->count)) {
            return false;
        }
        accessor->times = values;
    }
    *key_count = accessor->count;
    *times = accessor->times;
    return true;
}

static bool is_output(const lmb_gltf_accessor *accessor, path path) {
    bool normalized = (path == PATH_ROTATION || path == PATH_WEIGHTS) && accessor->normalized;
    return accessor->shape == path_shapes[path] && (accessor->component == LMB_GLTF_FLOAT || normalized);
}

// Finds the accessor of a sampler's values and checks its type and count: `width` elements for each key, three times as
// many for splines.
static bool find_values(lmb_gltf *gltf, const lmb_gltf_object *sampler, path path, uint32_t width,
                        const lmb_track_def *track, uint32_t *result) {
    uint32_t index = 0;
    if (!find_accessor(sampler, "output", &index)) {
        return false;
    }
    *result = index;
    const lmb_gltf_accessor *accessor = &gltf->accessors[index];
    if (!is_output(accessor, path)) {
        return lmb_gltf_fail(sampler, "output", "accessor %" PRIu32 " has a type that no %s has", index,
                             path_names[path]);
    }
    bool cubic = track->interpolation == LMB_INTERPOLATION_CUBIC_SPLINE;
    uint64_t needed = (uint64_t)track->key_count * width * (cubic ? 3 : 1);
    if (accessor->count != needed) {
        return lmb_gltf_fail(sampler, "output",
                             "accessor %" PRIu32 " has %" PRIu32 " elements, the %" PRIu32 " keys need %" PRIu64, index,
                             accessor->count, track->key_count, needed);
    }
    return true;
}

static bool read_values(lmb_gltf *gltf, animation *animation, const lmb_gltf_object *sampler, path path, uint32_t width,
                        lmb_track_def *track) {
    uint32_t index = 0;
    if (!find_values(gltf, sampler, path, width, track, &index)) {
        return false;
    }
    track->values = lmb_gltf_decode_floats(gltf, &animation->pool, index, gltf->accessors[index].count);
    return track->values != NULL;
}

// Reads the weights of all morph targets of a node, and adds a track for each that is a channel of the rig. The values
// are stored key by key; for splines, each key begins with its in-tangents.
static bool read_weights(lmb_gltf *gltf, animation *animation, const lmb_gltf_object *sampler,
                         const lmb_gltf_node *node, lmb_track_def all) {
    const uint32_t width = node->channel_count;
    uint32_t matched = 0;
    for (uint32_t target = 0; target < width; target++) {
        matched += gltf->channel_of[node->first_channel + target] != LMB_NONE;
    }
    animation->skipped_morphs += width - matched;
    if (matched == 0) {
        uint32_t unread;
        return find_values(gltf, sampler, PATH_WEIGHTS, width, &all, &unread);
    }
    if (!read_values(gltf, animation, sampler, PATH_WEIGHTS, width, &all)) {
        return false;
    }
    const uint32_t rows = all.key_count * (all.interpolation == LMB_INTERPOLATION_CUBIC_SPLINE ? 3 : 1);
    for (uint32_t target = 0; target < width; target++) {
        uint32_t channel = gltf->channel_of[node->first_channel + target];
        if (channel == LMB_NONE) {
            continue;
        }
        float *values = lmb_importer_allocate(gltf->importer, &animation->pool, rows, sizeof(float));
        if (values == NULL) {
            return false;
        }
        for (uint32_t row = 0; row < rows; row++) {
            values[row] = all.values[(size_t)row * width + target];
        }
        lmb_track_def track = all;
        track.joint = channel;
        track.property = LMB_PROPERTY_FLOAT;
        track.values = values;
        if (!add_track(gltf, animation, &track)) {
            return false;
        }
    }
    return true;
}

// Counts a channel that gets no track. Returns whether it was one.
static bool is_skipped(const lmb_gltf *gltf, animation *animation, path path, uint32_t node) {
    if (path == PATH_POINTER) {
        animation->skipped_pointers++;
        return true;
    }
    if (path == PATH_WEIGHTS) {
        bool skipped = node == LMB_NONE || gltf->nodes[node].channel_count == 0;
        animation->skipped_morphs += skipped;
        return skipped;
    }
    if (node == LMB_NONE || !gltf->nodes[node].in_rig) {
        animation->skipped_nodes++;
        if (node != LMB_NONE) {
            animation->outside[animation->outside_count++] = node;
        }
        return true;
    }
    return false;
}

static bool read_target(lmb_gltf *gltf, animation *animation, const lmb_gltf_object *channel, path *path,
                        uint32_t *node) {
    lmb_gltf_object target;
    uint32_t name = 0;
    if (!lmb_gltf_read_object(channel, "target", &target, NULL) || !lmb_gltf_require(&target, "path") ||
        !lmb_gltf_read_choice(&target, "path", path_names, PATH_COUNT, &name) ||
        !lmb_gltf_read_index(&target, "node", gltf->node_count, "nodes", node)) {
        return false;
    }
    *path = name;
    if (*node == LMB_NONE || *path == PATH_POINTER) {
        return true;
    }
    uint32_t *mark = &animation->marks[(size_t)*node * PATH_COUNT + name];
    if (*mark == animation->index + 1) {
        return lmb_gltf_fail(&target, NULL, "the %s of nodes[%" PRIu32 "] ('%.100s') has a channel already",
                             path_names[name], *node, gltf->nodes[*node].name);
    }
    *mark = animation->index + 1;
    return true;
}

static bool read_channel(lmb_gltf *gltf, animation *animation, const lmb_gltf_object *channel) {
    static const char *const interpolations[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    uint32_t node = LMB_NONE;
    path path = PATH_TRANSLATION;
    uint32_t sampler_index = 0;
    uint32_t interpolation = LMB_INTERPOLATION_LINEAR;
    if (!read_target(gltf, animation, channel, &path, &node) || !lmb_gltf_require(channel, "sampler") ||
        !lmb_gltf_read_index(channel, "sampler", animation->samplers.count, "samplers", &sampler_index)) {
        return false;
    }
    lmb_gltf_object sampler = lmb_gltf_item(&animation->samplers, sampler_index);
    lmb_track_def track = {0};
    if (!lmb_gltf_read_choice(&sampler, "interpolation", interpolations, 3, &interpolation) ||
        !read_times(gltf, &sampler, &track.key_count, &track.times)) {
        return false;
    }
    float last = track.times[track.key_count - 1];
    animation->duration = last > animation->duration ? last : animation->duration;
    if (is_skipped(gltf, animation, path, node)) {
        return true;
    }
    track.interpolation = (lmb_interpolation)interpolation;
    if (path == PATH_WEIGHTS) {
        return read_weights(gltf, animation, &sampler, &gltf->nodes[node], track);
    }
    track.joint = gltf->nodes[node].joint;
    track.property = (lmb_property)path;
    return read_values(gltf, animation, &sampler, path, 1, &track) && add_track(gltf, animation, &track);
}

static bool note_skipped(const lmb_gltf *gltf, const animation *animation, uint32_t count, const char *one,
                         const char *many) {
    return count == 0 || lmb_importer_note(gltf->importer, "animation '%.200s': %" PRIu32 " %s skipped",
                                           animation->name, count, count == 1 ? one : many);
}

static bool note_all_skipped(const lmb_gltf *gltf, const animation *animation) {
    return note_skipped(gltf, animation, animation->skipped_morphs, "morph-target track", "morph-target tracks") &&
           note_skipped(gltf, animation, animation->skipped_nodes, "track of a node outside the rig",
                        "tracks of nodes outside the rig") &&
           note_skipped(gltf, animation, animation->skipped_pointers, "track of a property that is no node's",
                        "tracks of properties that are no node's");
}

// Adds tracks that hold joints at this file's rest pose: in a file that adds clips, it can differ from the rig's rest
// pose.
static bool add_rest_tracks(lmb_gltf *gltf, animation *animation) {
    for (uint32_t i = 0; i < gltf->rest_count; i++) {
        const lmb_gltf_rest *rest = &gltf->rests[i];
        uint32_t mark = animation->marks[(size_t)rest->node * PATH_COUNT + (size_t)rest->track.property];
        if (mark != animation->index + 1 && !add_track(gltf, animation, &rest->track)) {
            return false;
        }
    }
    return true;
}

static int compare_nodes(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

// Notes each node once, in the file's order.
static bool note_unmatched(const lmb_gltf *gltf, const animation *animation) {
    lmb_name_list names = {0};
    qsort(animation->outside, animation->outside_count, sizeof *animation->outside, compare_nodes);
    for (uint32_t i = 0; i < animation->outside_count; i++) {
        if (i == 0 || animation->outside[i] != animation->outside[i - 1]) {
            lmb_name_list_add(&names, gltf->nodes[animation->outside[i]].name);
        }
    }
    return lmb_gltf_note_unmatched(gltf, animation->name, &names);
}

// Adds notes and tracks of an animation in a file that adds clips. `has_motion` becomes false if such an animation
// moves nothing in the rig.
static bool match_clip(lmb_gltf *gltf, animation *animation, bool *has_motion) {
    *has_motion = true;
    if (!gltf->importer->adds_clips) {
        return true;
    }
    *has_motion = animation->track_count > 0;
    animation->skipped_nodes = 0; // named one by one instead
    return note_unmatched(gltf, animation) &&
           (*has_motion ? add_rest_tracks(gltf, animation)
                        : lmb_importer_note(gltf->importer, "animation '%.200s' moves no joint of the rig: left out",
                                            animation->name));
}

static bool create_clip(lmb_gltf *gltf, const animation *animation) {
    lmb_clip_def def = {.name = animation->name,
                        .duration = animation->duration,
                        .tracks = animation->tracks,
                        .track_count = animation->track_count};
    return lmb_importer_add_clip(gltf->importer, animation->place.text, &def);
}

static bool build_clip(lmb_gltf *gltf, animation *animation, const lmb_gltf_object *object) {
    if (!lmb_gltf_read_name(object, "animation", animation->index, &animation->name) ||
        !lmb_gltf_require(object, "channels") || !lmb_gltf_require(object, "samplers") ||
        !lmb_gltf_read_list(object, "channels", LMB_JSON_OBJECT, &animation->channels) ||
        !lmb_gltf_read_list(object, "samplers", LMB_JSON_OBJECT, &animation->samplers)) {
        return false;
    }
    animation->outside =
        lmb_importer_allocate(gltf->importer, &animation->pool, animation->channels.count, sizeof(uint32_t));
    for (uint32_t i = 0; animation->outside != NULL && i < animation->channels.count; i++) {
        lmb_gltf_object channel = lmb_gltf_item(&animation->channels, i);
        if (!read_channel(gltf, animation, &channel)) {
            return false;
        }
    }
    bool has_motion = false;
    return animation->outside != NULL && match_clip(gltf, animation, &has_motion) &&
           note_all_skipped(gltf, animation) && (!has_motion || create_clip(gltf, animation));
}

bool lmb_gltf_build_clips(lmb_gltf *gltf) {
    lmb_importer *importer = gltf->importer;
    lmb_import *import = importer->import;
    uint32_t *marks = lmb_importer_scratch(importer, gltf->node_count, PATH_COUNT * sizeof(uint32_t));
    if (marks == NULL || !lmb_gltf_list_rests(gltf)) {
        return false;
    }
    for (uint32_t i = 0; i < gltf->animations.count; i++) {
        lmb_gltf_object object = lmb_gltf_item(&gltf->animations, i);
        animation animation = {.index = i, .place = object.place, .pool = {.budget = &import->budget}, .marks = marks};
        bool built = build_clip(gltf, &animation, &object);
        lmb_pool_clear(&animation.pool);
        if (!built) {
            return false;
        }
    }
    return true;
}
