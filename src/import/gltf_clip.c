// Builds clips from animations.
#include "gltf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const lmb_gltf_shape path_shapes[LMB_GLTF_CURVE] = {LMB_GLTF_VEC3, LMB_GLTF_VEC4, LMB_GLTF_VEC3,
                                                           LMB_GLTF_SCALAR};

// A channel of an animation: which property of which node a sampler moves.
typedef struct channel {
    lmb_gltf_target target;
    uint32_t sampler;
    lmb_interpolation interpolation;
    uint32_t input;   // the accessor of its times
    bool is_left_out; // another channel moves the same, or it has no keys
} channel;

typedef struct animation {
    const char *name;
    uint32_t index;
    lmb_gltf_place place;
    lmb_gltf_list channel_list;
    lmb_gltf_list samplers;
    lmb_pool pool; // data that is needed until the clip is built
    channel *channels;
    lmb_track_def *tracks;
    uint32_t track_count;
    float shift;     // by which its keys are moved, so that none is before 0
    float duration;  // of all channels, including skipped ones
    uint32_t *marks; // per node and path, then per curve: the serial number of the last channel that has it
    uint32_t serial; // that of its first channel; the first of all is 1
    lmb_name_list replaced;
    lmb_name_list empty;
    lmb_name_list doubled;
    lmb_name_list skipped_morphs;
    lmb_name_list skipped_pointers;
    lmb_name_list unmatched; // curves that the rig of another file does not have
    lmb_name_list skipped_nodes;
    uint32_t *outside; // nodes outside the rig that channels move
    uint32_t outside_count;
} animation;

static bool add_track(lmb_gltf *gltf, animation *animation, const lmb_track_def *track) {
    return lmb_importer_append(gltf->importer, &animation->pool, &animation->tracks, &animation->track_count, track,
                               sizeof *track);
}

// Names what a channel moves, such as "rotation of node 'Hip'".
static lmb_gltf_place name_channel(const lmb_gltf *gltf, const channel *channel) {
    const lmb_gltf_target *target = &channel->target;
    if (target->pointer != NULL && target->node == LMB_NONE) {
        return lmb_gltf_place_of("'%.100s'", target->pointer);
    }
    return target->node == LMB_NONE
               ? lmb_gltf_place_of("%s of no node", target->name)
               : lmb_gltf_place_of("%s of node '%.80s'", target->name, gltf->nodes[target->node].name);
}

static void list_channel(const lmb_gltf *gltf, const channel *channel, lmb_name_list *list) {
    const lmb_gltf_place place = name_channel(gltf, channel);
    lmb_name_list_add(list, place.text);
}

// ---- Keys ----

static bool find_accessor(const lmb_gltf_object *sampler, const char *key, uint32_t *index) {
    return lmb_gltf_require(sampler, key) &&
           lmb_gltf_read_index(sampler, key, sampler->gltf->accessor_count, "accessors", index);
}

static bool check_times(const lmb_gltf *gltf, const animation *animation, const channel *channel, const float *times) {
    const lmb_gltf_place moved = name_channel(gltf, channel);
    for (uint32_t i = 1; i < gltf->accessors[channel->input].count; i++) {
        if (times[i] < times[i - 1]) {
            return lmb_importer_fail(gltf->importer, LMB_ERROR_FORMAT,
                                     "accessors[%" PRIu32 "]: key %" PRIu32 " is at %.9g s, before the key before it"
                                     " (%s, animation '%.100s')",
                                     channel->input, i, (double)times[i], moved.text, animation->name);
        }
    }
    return true;
}

// Reads the times of a channel. Most channels of an animation share them, so they are stored in the accessor.
static bool read_times(lmb_gltf *gltf, const animation *animation, const lmb_gltf_object *sampler, channel *channel) {
    if (!find_accessor(sampler, "input", &channel->input)) {
        return false;
    }
    lmb_gltf_accessor *accessor = &gltf->accessors[channel->input];
    if (accessor->shape != LMB_GLTF_SCALAR || accessor->component != LMB_GLTF_FLOAT) {
        return lmb_gltf_fail(sampler, "input", "accessor %" PRIu32 " does not hold SCALAR floats", channel->input);
    }
    if (accessor->times == NULL) {
        float *values = lmb_gltf_decode_floats(gltf, &gltf->importer->scratch, channel->input, accessor->count);
        if (values == NULL || !check_times(gltf, animation, channel, values)) {
            return false;
        }
        accessor->times = values;
    }
    return true;
}

// Lists the keys that count: of several at one time the last. Moves them to the animation's beginning at 0.
static bool list_keys(lmb_gltf *gltf, const lmb_gltf_accessor *accessor, float shift, lmb_gltf_keys *keys) {
    const uint32_t count = accessor->count;
    float *times = lmb_importer_scratch(gltf->importer, count, sizeof *times);
    uint32_t *rows = lmb_importer_scratch(gltf->importer, count, sizeof *rows);
    if (times == NULL || rows == NULL) {
        return false;
    }
    *keys = (lmb_gltf_keys){.times = times, .rows = rows, .shift = shift};
    for (uint32_t i = 0; i < count; i++) {
        const float time = accessor->times[i] + shift;
        keys->count -= keys->count > 0 && times[keys->count - 1] == time;
        times[keys->count] = time;
        rows[keys->count++] = i;
    }
    return true;
}

static bool has_doubled_keys(const lmb_gltf_accessor *accessor) {
    bool found = false;
    for (uint32_t i = 1; i < accessor->count && !found; i++) {
        found = accessor->times[i] == accessor->times[i - 1];
    }
    return found;
}

// Finds the keys of a channel, which the accessor stores for the next one.
static bool find_keys(lmb_gltf *gltf, animation *animation, const channel *channel, lmb_gltf_keys *keys) {
    lmb_gltf_accessor *accessor = &gltf->accessors[channel->input];
    if (accessor->keys.times == NULL || accessor->keys.shift != animation->shift) {
        if (!lmb_importer_decode(gltf->importer, accessor->count * sizeof(float))) {
            return false;
        }
        if (animation->shift == 0 && !has_doubled_keys(accessor)) {
            accessor->keys = (lmb_gltf_keys){.times = accessor->times, .count = accessor->count};
        } else if (!list_keys(gltf, accessor, animation->shift, &accessor->keys)) {
            return false;
        }
    }
    *keys = accessor->keys;
    if (keys->count < accessor->count) {
        const lmb_gltf_place place = name_channel(gltf, channel);
        const lmb_gltf_place entry = lmb_gltf_place_of("%s (%" PRIu32 " of %" PRIu32 ")", place.text,
                                                       accessor->count - keys->count, accessor->count);
        lmb_name_list_add(&animation->doubled, entry.text);
    }
    return true;
}

// ---- Values ----

static bool is_output(const lmb_gltf_accessor *accessor, lmb_gltf_path path) {
    if (path == LMB_GLTF_CURVE) {
        return true;
    }
    bool normalized = (path == LMB_GLTF_ROTATION || path == LMB_GLTF_WEIGHTS) && accessor->normalized;
    return accessor->shape == path_shapes[path] && (accessor->component == LMB_GLTF_FLOAT || normalized);
}

// A key has one row of values, or the three of a spline.
static uint32_t rows_of(const channel *channel) {
    return channel->interpolation == LMB_INTERPOLATION_CUBIC_SPLINE ? 3 : 1;
}

// Finds the accessor of a sampler's values and checks its type and count: `width` elements for each row; for a curve,
// `width` floats.
static bool find_values(lmb_gltf *gltf, const lmb_gltf_object *sampler, const channel *channel, uint32_t width,
                        uint32_t *result) {
    uint32_t index = 0;
    if (!find_accessor(sampler, "output", &index)) {
        return false;
    }
    *result = index;
    const lmb_gltf_accessor *accessor = &gltf->accessors[index];
    if (!is_output(accessor, channel->target.path)) {
        return lmb_gltf_fail(sampler, "output", "accessor %" PRIu32 " has a type that no %s has", index,
                             lmb_gltf_path_names[channel->target.path]);
    }
    const uint32_t key_count = gltf->accessors[channel->input].count;
    const uint32_t floats = channel->target.path == LMB_GLTF_CURVE ? lmb_gltf_component_count(accessor->shape) : 1;
    const uint64_t needed = (uint64_t)key_count * rows_of(channel) * width;
    if ((uint64_t)accessor->count * floats != needed) {
        return lmb_gltf_fail(sampler, "output",
                             "accessor %" PRIu32 " has %" PRIu32 " elements, the %" PRIu32 " keys need %" PRIu64, index,
                             accessor->count, key_count, needed);
    }
    return true;
}

// Reads the values of the keys that count, `width` elements in each row.
static bool read_values(lmb_gltf *gltf, animation *animation, const lmb_gltf_object *sampler, const channel *channel,
                        uint32_t width, const lmb_gltf_keys *keys, float **result) {
    uint32_t index = 0;
    if (!find_values(gltf, sampler, channel, width, &index)) {
        return false;
    }
    const lmb_gltf_accessor *accessor = &gltf->accessors[index];
    float *values = lmb_gltf_decode_floats(gltf, &animation->pool, index, accessor->count);
    const size_t floats = (size_t)accessor->count * lmb_gltf_component_count(accessor->shape);
    const size_t size = floats / gltf->accessors[channel->input].count; // of a key
    for (uint32_t i = 0; values != NULL && keys->rows != NULL && i < keys->count; i++) {
        memmove(values + i * size, values + keys->rows[i] * size, size * sizeof *values);
    }
    *result = values;
    return values != NULL;
}

// Adds a track for one of the floats of each row. The values are stored key by key; for splines, each key begins with
// its in-tangents.
static bool add_float_track(lmb_gltf *gltf, animation *animation, lmb_track_def track, uint32_t rows, const float *all,
                            uint32_t width, uint32_t element) {
    float *values = lmb_importer_allocate(gltf->importer, &animation->pool, rows, sizeof(float));
    if (values == NULL) {
        return false;
    }
    for (uint32_t row = 0; row < rows; row++) {
        values[row] = all[(size_t)row * width + element];
    }
    track.property = LMB_PROPERTY_FLOAT;
    track.values = values;
    return add_track(gltf, animation, &track);
}

// Reads the values of `width` float channels, and adds a track for each that the rig has.
static bool read_float_tracks(lmb_gltf *gltf, animation *animation, const lmb_gltf_object *sampler,
                              const channel *channel, const lmb_gltf_keys *keys, lmb_track_def track, uint32_t first,
                              uint32_t width) {
    uint32_t matched = 0, unread;
    for (uint32_t i = 0; i < width; i++) {
        matched += gltf->channel_of[first + i] != LMB_NONE;
    }
    if (matched < width) {
        list_channel(gltf, channel,
                     channel->target.path == LMB_GLTF_CURVE ? &animation->unmatched : &animation->skipped_morphs);
    }
    float *all = NULL;
    if (matched == 0 ? !find_values(gltf, sampler, channel, width, &unread)
                     : !read_values(gltf, animation, sampler, channel, width, keys, &all)) {
        return false;
    }
    for (uint32_t i = 0; i < width; i++) {
        track.joint = gltf->channel_of[first + i];
        if (track.joint != LMB_NONE &&
            !add_float_track(gltf, animation, track, keys->count * rows_of(channel), all, width, i)) {
            return false;
        }
    }
    return true;
}

// Reads the weights of all morph targets of a node, or of one.
static bool read_weights(lmb_gltf *gltf, animation *animation, const lmb_gltf_object *sampler, const channel *channel,
                         const lmb_gltf_keys *keys, lmb_track_def track, const lmb_gltf_node *node) {
    const uint32_t element = channel->target.element;
    if (element != LMB_NONE ? element >= node->channel_count : node->channel_count == 0) {
        list_channel(gltf, channel, &animation->skipped_morphs);
        return true;
    }
    return read_float_tracks(gltf, animation, sampler, channel, keys, track,
                             node->first_channel + (element != LMB_NONE ? element : 0),
                             element != LMB_NONE ? 1 : node->channel_count);
}

// Reads the weights of a mesh, which are those of all its nodes that have none of their own.
static bool read_mesh_weights(lmb_gltf *gltf, animation *animation, const lmb_gltf_object *sampler,
                              const channel *channel, const lmb_gltf_keys *keys, lmb_track_def track) {
    bool read = lmb_importer_decode(gltf->importer, gltf->node_count * sizeof(uint32_t));
    for (uint32_t i = 0; read && i < gltf->node_count; i++) {
        const lmb_gltf_node *node = &gltf->nodes[i];
        if (node->mesh == channel->target.mesh && node->in_scene && !lmb_gltf_has_weights(gltf, node)) {
            read = read_weights(gltf, animation, sampler, channel, keys, track, node);
        }
    }
    return read;
}

// ---- Channels ----

// Leaves out the earlier one of two channels that move the same.
static void replace_earlier(const lmb_gltf *gltf, animation *animation, uint32_t index) {
    const channel *channel = &animation->channels[index];
    const lmb_gltf_target *target = &channel->target;
    const bool is_curve = target->path == LMB_GLTF_CURVE;
    if (target->element != LMB_NONE || (is_curve ? target->curve : target->node) == LMB_NONE) {
        return;
    }
    const size_t nodes = (size_t)gltf->node_count * LMB_GLTF_CURVE;
    uint32_t *mark = is_curve ? &animation->marks[nodes + target->curve]
                              : &animation->marks[(size_t)target->node * LMB_GLTF_CURVE + (size_t)target->path];
    if (*mark >= animation->serial) {
        animation->channels[*mark - animation->serial].is_left_out = true;
        list_channel(gltf, channel, &animation->replaced);
    }
    *mark = animation->serial + index;
}

static bool read_channel(lmb_gltf *gltf, animation *animation, uint32_t index) {
    static const char *const interpolations[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    const lmb_gltf_object object = lmb_gltf_item(&animation->channel_list, index);
    channel *channel = &animation->channels[index];
    uint32_t interpolation = LMB_INTERPOLATION_LINEAR;
    if (!lmb_gltf_read_target(&object, &channel->target) || !lmb_gltf_require(&object, "sampler") ||
        !lmb_gltf_read_index(&object, "sampler", animation->samplers.count, "samplers", &channel->sampler)) {
        return false;
    }
    if (channel->target.path == LMB_GLTF_PATH_COUNT) {
        channel->is_left_out = true;
        return lmb_importer_note(gltf->importer, "%s.target.path: '%.40s' is none of glTF's: channel left out",
                                 object.place.text, channel->target.name);
    }
    const lmb_gltf_object sampler = lmb_gltf_item(&animation->samplers, channel->sampler);
    if (!lmb_gltf_read_choice(&sampler, "interpolation", interpolations, 3, &interpolation) ||
        !read_times(gltf, animation, &sampler, channel)) {
        return false;
    }
    channel->interpolation = (lmb_interpolation)interpolation;
    replace_earlier(gltf, animation, index);
    if (gltf->accessors[channel->input].count == 0) {
        channel->is_left_out = true;
        list_channel(gltf, channel, &animation->empty);
    }
    return true;
}

// Counts a channel that gets no track. Returns whether it was one.
static bool is_skipped(const lmb_gltf *gltf, animation *animation, const channel *channel) {
    const lmb_gltf_target *target = &channel->target;
    if (target->path == LMB_GLTF_CURVE) {
        const bool skipped = target->curve == LMB_NONE;
        if (skipped) {
            list_channel(gltf, channel, &animation->skipped_pointers);
        }
        return skipped;
    }
    if (target->path == LMB_GLTF_WEIGHTS) {
        const bool skipped = target->node == LMB_NONE && target->mesh == LMB_NONE;
        if (skipped) {
            list_channel(gltf, channel, &animation->skipped_morphs);
        }
        return skipped;
    }
    if (target->node == LMB_NONE || !gltf->nodes[target->node].in_rig) {
        list_channel(gltf, channel, &animation->skipped_nodes);
        if (target->node != LMB_NONE) {
            animation->outside[animation->outside_count++] = target->node;
        }
        return true;
    }
    return false;
}

static bool build_channel(lmb_gltf *gltf, animation *animation, const channel *channel) {
    lmb_gltf_keys keys;
    if (channel->is_left_out) {
        return true;
    }
    if (!find_keys(gltf, animation, channel, &keys)) {
        return false;
    }
    const float last = keys.times[keys.count - 1];
    animation->duration = last > animation->duration ? last : animation->duration;
    if (is_skipped(gltf, animation, channel)) {
        return true;
    }
    const lmb_gltf_object sampler = lmb_gltf_item(&animation->samplers, channel->sampler);
    lmb_track_def track = {.interpolation = channel->interpolation, .key_count = keys.count, .times = keys.times};
    const lmb_gltf_target *target = &channel->target;
    if (target->path == LMB_GLTF_CURVE) {
        const lmb_gltf_curve *curve = &gltf->curves[target->curve];
        return read_float_tracks(gltf, animation, &sampler, channel, &keys, track, curve->first_channel, curve->width);
    }
    if (target->mesh != LMB_NONE) {
        return read_mesh_weights(gltf, animation, &sampler, channel, &keys, track);
    }
    if (target->path == LMB_GLTF_WEIGHTS) {
        return read_weights(gltf, animation, &sampler, channel, &keys, track, &gltf->nodes[target->node]);
    }
    float *values;
    if (!read_values(gltf, animation, &sampler, channel, 1, &keys, &values)) {
        return false;
    }
    track.values = values;
    track.joint = gltf->nodes[target->node].joint;
    track.property = (lmb_property)target->path;
    return add_track(gltf, animation, &track);
}

// Moves the keys of an animation that begins before 0.
static bool move_to_start(const lmb_gltf *gltf, animation *animation) {
    const channel *first = NULL;
    for (uint32_t i = 0; i < animation->channel_list.count; i++) {
        const channel *channel = &animation->channels[i];
        if (!channel->is_left_out && gltf->accessors[channel->input].times[0] < -animation->shift) {
            animation->shift = -gltf->accessors[channel->input].times[0];
            first = channel;
        }
    }
    if (first == NULL) {
        return true;
    }
    const lmb_gltf_place place = name_channel(gltf, first);
    return lmb_importer_note(gltf->importer, "animation '%.200s' begins at %g s (%s): its keys were moved to 0",
                             animation->name, -(double)animation->shift, place.text);
}

static bool read_channels(lmb_gltf *gltf, animation *animation) {
    const uint32_t count = animation->channel_list.count;
    animation->channels = lmb_importer_allocate(gltf->importer, &animation->pool, count, sizeof(channel));
    animation->outside = lmb_importer_allocate(gltf->importer, &animation->pool, count, sizeof(uint32_t));
    bool read = animation->channels != NULL && animation->outside != NULL;
    for (uint32_t i = 0; read && i < count; i++) {
        read = read_channel(gltf, animation, i);
    }
    read = read && move_to_start(gltf, animation);
    for (uint32_t i = 0; read && i < count; i++) {
        read = build_channel(gltf, animation, &animation->channels[i]);
    }
    return read;
}

// ---- Notes ----

static bool note_list(const lmb_gltf *gltf, const animation *animation, const char *what, lmb_name_list *list) {
    return list->count == 0 || lmb_importer_note(gltf->importer, "animation '%.200s': %s: %s", animation->name, what,
                                                 lmb_name_list_text(list));
}

static bool note_channels(const lmb_gltf *gltf, animation *animation) {
    return note_list(gltf, animation, "of two channels of one property the later one is used", &animation->replaced) &&
           note_list(gltf, animation, "channels without keys left out", &animation->empty) &&
           note_list(gltf, animation, "of several keys at one time the last one is used", &animation->doubled) &&
           note_list(gltf, animation, "tracks of morph targets skipped", &animation->skipped_morphs) &&
           note_list(gltf, animation, "tracks of nodes outside the rig skipped", &animation->skipped_nodes) &&
           note_list(gltf, animation, "pointers that lead to no number of the file skipped",
                     &animation->skipped_pointers) &&
           note_list(gltf, animation, "pointers to what the rig has no channel for skipped", &animation->unmatched);
}

// Adds tracks that hold joints at this file's rest pose: in a file that adds clips, it can differ from the rig's rest
// pose.
static bool add_rest_tracks(lmb_gltf *gltf, animation *animation) {
    for (uint32_t i = 0; i < gltf->rest_count; i++) {
        const lmb_gltf_rest *rest = &gltf->rests[i];
        uint32_t mark = animation->marks[(size_t)rest->node * LMB_GLTF_CURVE + (size_t)rest->track.property];
        if (mark < animation->serial && !add_track(gltf, animation, &rest->track)) {
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
    animation->skipped_nodes.count = 0; // named one by one instead
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
        !lmb_gltf_read_list(object, "channels", LMB_JSON_OBJECT, &animation->channel_list) ||
        !lmb_gltf_read_list(object, "samplers", LMB_JSON_OBJECT, &animation->samplers)) {
        return false;
    }
    if (animation->channel_list.count == 0) {
        return lmb_importer_note(gltf->importer, "animation '%.200s' has no channels: left out", animation->name);
    }
    bool has_motion = false;
    return read_channels(gltf, animation) && match_clip(gltf, animation, &has_motion) &&
           note_channels(gltf, animation) && (!has_motion || create_clip(gltf, animation));
}

bool lmb_gltf_build_clips(lmb_gltf *gltf) {
    lmb_importer *importer = gltf->importer;
    lmb_import *import = importer->import;
    const size_t mark_count = (size_t)gltf->node_count * LMB_GLTF_CURVE + gltf->curve_count;
    uint32_t *marks = lmb_importer_scratch(importer, mark_count, sizeof *marks);
    uint32_t serial = 1;
    if (marks == NULL || !lmb_gltf_list_rests(gltf)) {
        return false;
    }
    for (uint32_t i = 0; i < gltf->animations.count; i++) {
        lmb_gltf_object object = lmb_gltf_item(&gltf->animations, i);
        animation animation = {
            .index = i, .place = object.place, .pool = {.budget = &import->budget}, .marks = marks, .serial = serial};
        bool built = build_clip(gltf, &animation, &object);
        lmb_pool_clear(&animation.pool);
        if (!built) {
            return false;
        }
        serial += animation.channel_list.count;
    }
    return true;
}
