// Reads BVH files: the text of a hierarchy of joints, and one clip of frames at equal distances in time.
//
// A joint has an offset from its parent and up to six channels. A position channel replaces that component of the
// offset; rotations about the axes are multiplied in the order in which the channels are listed, so the last one is
// applied first. A frame has a number for each channel, in the order of the joints in the text. The format defines
// neither a unit nor axes: lmb_import_def.bvh_unit gives the unit, and Y is up.
//
// Programs write the format differently, so case, white space, colons and comments are read leniently. Nodes are
// stored in the tables of a glTF document, so that the same code builds or matches the rig.
#include "file.h"
#include "gltf.h"
#include "math/float64.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_CHANNELS 6u // of a joint: each at most once
// A clip that only repeats the rest pose differs from it by rounding errors.
#define SAME_AS_REST 1e-4

enum { POSITION_X, ROTATION_X = 3 };
static const char *const channel_names[MOST_CHANNELS] = {"Xposition", "Yposition", "Zposition",
                                                         "Xrotation", "Yrotation", "Zrotation"};

typedef struct bvh_joint {
    uint32_t first_value; // in a frame
    uint32_t channel_count;
    uint8_t channels[MOST_CHANNELS]; // in the order of the file
    bool has_offset;
    bool is_end_site;
} bvh_joint;

typedef struct bvh {
    lmb_gltf tables; // its nodes are the joints
    const char *text, *at, *end;
    bvh_joint *joints; // as many as nodes
    uint32_t joint_count;
    uint32_t value_count; // of a frame
    uint32_t frame_count;
    double frame_time; // seconds
    float *values;     // [frame][value]
} bvh;

typedef struct word {
    const char *text;
    size_t size;
} word;

// ---- Text ----

static bool is_blank(char character) {
    return (unsigned char)character <= ' ';
}

static bool is_line_end(char character) {
    return character == '\n' || character == '\r';
}

static bool begins_comment(const bvh *file, const char *at) {
    return *at == '#' || (*at == '/' && file->end - at > 1 && at[1] == '/');
}

// The length of a word in a message.
static int shown_size(word word) {
    return (int)(word.size < 40 ? word.size : 40);
}

// Reports an error at a word of the text. Lines end with LF, CR or both.
static bool fail_at(bvh *file, word place, lmb_result result, const char *format, ...) LMB_PRINTF(4, 5);
static bool fail_at(bvh *file, word place, lmb_result result, const char *format, ...) {
    uint32_t line = 1;
    const char *start = file->text;
    for (const char *at = file->text; at < place.text; at++) {
        if (*at == '\n' || (*at == '\r' && at + 1 < file->end && at[1] != '\n')) {
            line++;
            start = at + 1;
        }
    }
    char reason[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return lmb_importer_fail(file->tables.importer, result, "line %" PRIu32 ", column %zu: %s", line,
                             (size_t)(place.text - start) + 1, reason);
}

static void skip_blanks(bvh *file) {
    while (file->at < file->end && (is_blank(*file->at) || begins_comment(file, file->at))) {
        if (!is_blank(*file->at)) {
            while (file->at < file->end && !is_line_end(*file->at)) {
                file->at++;
            }
        } else {
            file->at++;
        }
    }
}

static bool ends_word(char character) {
    return is_blank(character) || character == '{' || character == '}' || character == ':';
}

// Returns the next word. A brace is a word of its own, and a colon belongs to none. At the end, the word is empty.
static word next_word(bvh *file) {
    do {
        skip_blanks(file);
    } while (file->at < file->end && *file->at == ':' && file->at++ != NULL);
    word word = {file->at, 0};
    while (file->at < file->end && !ends_word(*file->at)) {
        file->at++;
    }
    if (file->at == word.text && file->at < file->end) {
        file->at++;
    }
    word.size = (size_t)(file->at - word.text);
    return word;
}

static char lower(char character) {
    return character >= 'A' && character <= 'Z' ? (char)(character - 'A' + 'a') : character;
}

static bool is_word(word word, const char *expected) {
    bool same = word.size == strlen(expected);
    for (size_t i = 0; same && i < word.size; i++) {
        same = lower(word.text[i]) == lower(expected[i]);
    }
    return same;
}

static bool fail_expected(bvh *file, const char *expected, word found) {
    if (found.size == 0) {
        return fail_at(file, found, LMB_ERROR_FORMAT, "the file ends where %s is expected", expected);
    }
    return fail_at(file, found, LMB_ERROR_FORMAT, "'%.*s' where %s is expected", shown_size(found), found.text,
                   expected);
}

static bool expect(bvh *file, const char *expected) {
    const word found = next_word(file);
    return is_word(found, expected) || fail_expected(file, expected, found);
}

static size_t count_digits(word word, size_t at) {
    size_t count = 0;
    while (at + count < word.size && word.text[at + count] >= '0' && word.text[at + count] <= '9') {
        count++;
    }
    return count;
}

// Whether a word, after its sign, is digits with a point somewhere and an exponent.
static bool is_number(word word) {
    size_t at = count_digits(word, 0);
    size_t digits = at;
    if (at < word.size && word.text[at] == '.') {
        const size_t fraction = count_digits(word, at + 1);
        digits += fraction;
        at += 1 + fraction;
    }
    if (digits > 0 && at < word.size && lower(word.text[at]) == 'e') {
        at++;
        at += at < word.size && (word.text[at] == '-' || word.text[at] == '+');
        digits = count_digits(word, at);
        at += digits;
    }
    return digits > 0 && at == word.size;
}

// Reads a number, and where it is.
static bool read_number(bvh *file, word *found, double *number) {
    *found = next_word(file);
    const bool is_signed = found->size > 0 && (*found->text == '-' || *found->text == '+');
    const word magnitude = {found->text + is_signed, found->size - is_signed};
    if (!is_number(magnitude)) {
        return fail_expected(file, "a number", *found);
    }
    const double value = lmb_strtod(magnitude.text, magnitude.size);
    *number = *found->text == '-' ? -value : value;
    return value <= (double)LMB_LARGEST ||
           fail_at(file, *found, LMB_ERROR_FORMAT, "'%.*s' is too large", shown_size(*found), found->text);
}

static bool read_count(bvh *file, uint32_t most, word *found, uint32_t *count) {
    double number;
    if (!read_number(file, found, &number)) {
        return false;
    }
    if (!(number >= 0.0 && number <= most && number == floor(number))) {
        return fail_at(file, *found, LMB_ERROR_FORMAT, "%.9g is no count from 0 to %" PRIu32, number, most);
    }
    *count = (uint32_t)number;
    return true;
}

// ---- Hierarchy ----

// What is being read of a hierarchy.
typedef struct tree {
    uint32_t open; // the joint whose block is open, or LMB_NONE
    lmb_gltf_names names;
} tree;

// Reads a name to the end of its line: names may have spaces. A brace or a comment after a space ends it.
static char *read_name(bvh *file) {
    while (file->at < file->end && is_blank(*file->at) && !is_line_end(*file->at)) {
        file->at++;
    }
    const char *start = file->at;
    while (file->at < file->end && !is_line_end(*file->at) && *file->at != '{' &&
           !(file->at > start && is_blank(file->at[-1]) && begins_comment(file, file->at))) {
        file->at++;
    }
    const char *end = file->at;
    while (end > start && is_blank(end[-1])) {
        end--;
    }
    char *name = lmb_importer_scratch(file->tables.importer, (size_t)(end - start) + 1, 1);
    if (name != NULL) {
        memcpy(name, start, (size_t)(end - start));
    }
    return name;
}

// Adds a joint below the open one. Without a name, it has that of glTF's nodes.
static bool add_joint(bvh *file, tree *tree, word place, bool is_end_site) {
    lmb_gltf *tables = &file->tables;
    lmb_importer *importer = tables->importer;
    if (tables->node_count == LMB_MAX_JOINTS) {
        return fail_at(file, place, LMB_ERROR_LIMIT, "more than %u joints", LMB_MAX_JOINTS);
    }
    char *given = read_name(file);
    if (given == NULL) {
        return false;
    }
    char made[32];
    const char *name = given;
    if (is_end_site) {
        const char *parent = tables->nodes[tree->open].name;
        char *site = lmb_importer_scratch(importer, strlen(parent) + sizeof "EndSite_", 1);
        if (site == NULL) {
            return false;
        }
        sprintf(site, "EndSite_%s", parent);
        name = site;
    } else if (*given == '\0') {
        snprintf(made, sizeof made, "node_%" PRIu32, tables->node_count);
        name = made;
    }
    const char *unique = lmb_gltf_make_unique(importer, &tree->names, name);
    const uint32_t parent = tree->open;
    const bvh_joint joint = {.is_end_site = is_end_site};
    tree->open = tables->node_count;
    return unique != NULL &&
           lmb_importer_append(importer, &importer->scratch, &file->joints, &file->joint_count, &joint, sizeof joint) &&
           lmb_gltf_add_node(tables, unique, parent) && expect(file, "{");
}

static bool read_offset(bvh *file, uint32_t joint, word place) {
    float *translation = file->tables.nodes[joint].rest.translation;
    if (file->joints[joint].has_offset) {
        return fail_at(file, place, LMB_ERROR_FORMAT, "a second OFFSET of joint '%.100s'",
                       file->tables.nodes[joint].name);
    }
    file->joints[joint].has_offset = true;
    for (int i = 0; i < 3; i++) {
        word found;
        double number;
        if (!read_number(file, &found, &number)) {
            return false;
        }
        translation[i] = (float)(number * file->tables.importer->bvh_unit);
    }
    return true;
}

static bool read_channel(bvh *file, uint32_t index) {
    bvh_joint *joint = &file->joints[index];
    const word found = next_word(file);
    uint8_t channel = 0;
    while (channel < MOST_CHANNELS && !is_word(found, channel_names[channel])) {
        channel++;
    }
    if (channel == MOST_CHANNELS) {
        return fail_expected(file, "a channel as Xposition or Zrotation", found);
    }
    for (uint32_t i = 0; i < joint->channel_count; i++) {
        if (joint->channels[i] == channel) {
            return fail_at(file, found, LMB_ERROR_FORMAT, "a second %s of joint '%.100s'", channel_names[channel],
                           file->tables.nodes[index].name);
        }
    }
    joint->channels[joint->channel_count++] = channel;
    return true;
}

static bool read_channels(bvh *file, uint32_t index, word place) {
    bvh_joint *joint = &file->joints[index];
    word found;
    uint32_t count = 0;
    if (joint->channel_count > 0 || joint->is_end_site) {
        return fail_at(file, place, LMB_ERROR_FORMAT, "%s of joint '%.100s'",
                       joint->is_end_site ? "CHANNELS" : "a second CHANNELS", file->tables.nodes[index].name);
    }
    if (!read_count(file, MOST_CHANNELS, &found, &count)) {
        return false;
    }
    joint->first_value = file->value_count;
    file->value_count += count;
    bool success = true;
    for (uint32_t i = 0; success && i < count; i++) {
        success = read_channel(file, index);
    }
    return success;
}

// Reads one item of an open joint.
static bool read_item(bvh *file, tree *tree) {
    const word found = next_word(file);
    if (is_word(found, "OFFSET")) {
        return read_offset(file, tree->open, found);
    }
    if (is_word(found, "CHANNELS")) {
        return read_channels(file, tree->open, found);
    }
    const bool is_end_site = is_word(found, "End") || is_word(found, "EndSite");
    if ((is_end_site || is_word(found, "JOINT")) && !file->joints[tree->open].is_end_site) {
        return add_joint(file, tree, found, is_end_site);
    }
    if (!is_word(found, "}")) {
        return fail_expected(file, "OFFSET, CHANNELS, JOINT, End Site or '}'", found);
    }
    tree->open = file->tables.nodes[tree->open].parent;
    return true;
}

// Reads all trees up to MOTION, which it reads as well. Does not recurse, because the file decides how deep it goes.
static bool read_hierarchy(bvh *file, bool *has_motion) {
    lmb_importer *importer = file->tables.importer;
    tree tree = {.open = LMB_NONE};
    bool success = expect(file, "HIERARCHY"), is_over = false;
    while (success && !is_over) {
        if (tree.open != LMB_NONE) {
            success = read_item(file, &tree);
            continue;
        }
        const word found = next_word(file);
        *has_motion = is_word(found, "MOTION");
        is_over = file->tables.node_count > 0 && (*has_motion || found.size == 0);
        if (!is_over) {
            success =
                is_word(found, "ROOT") ? add_joint(file, &tree, found, false) : fail_expected(file, "ROOT", found);
        }
    }
    return success &&
           lmb_importer_note_names(importer, "joints are renamed, since others have their names", &tree.names.renamed);
}

// ---- Frames ----

static bool read_frame_time(bvh *file) {
    if (!expect(file, "Frame") || !expect(file, "Time")) {
        return false;
    }
    word found;
    if (!read_number(file, &found, &file->frame_time)) {
        return false;
    }
    // The time of a single frame is 0 whatever this says.
    return file->frame_count < 2 || file->frame_time > 0.0 ||
           fail_at(file, found, LMB_ERROR_FORMAT, "Frame Time is %g s", file->frame_time);
}

// Counts what follows the last frame, and says so: the file may have more frames than it states.
static bool note_rest(bvh *file) {
    uint64_t left = 0;
    while (next_word(file).size > 0) {
        left++;
    }
    return left == 0 || lmb_importer_note(file->tables.importer,
                                          "%" PRIu64 " words behind the %" PRIu32 " frames that it states are left out",
                                          left, file->frame_count);
}

static bool read_frames(bvh *file) {
    if (!expect(file, "Frames")) {
        return false;
    }
    word stated;
    if (!read_count(file, UINT32_MAX, &stated, &file->frame_count) || !read_frame_time(file)) {
        return false;
    }
    // Each number takes two bytes at least, so that a small file cannot ask for much memory.
    const uint64_t count = (uint64_t)file->frame_count * file->value_count;
    if (count > (uint64_t)(file->end - file->at)) {
        return fail_at(file, stated, LMB_ERROR_FORMAT,
                       "%" PRIu32 " frames of %" PRIu32 " numbers are more than the file has", file->frame_count,
                       file->value_count);
    }
    file->values = lmb_importer_scratch(file->tables.importer, (size_t)count, sizeof(float));
    bool success = file->values != NULL;
    for (uint64_t i = 0; success && i < count; i++) {
        word found;
        double number;
        success = read_number(file, &found, &number);
        file->values[i] = success ? (float)number : 0.0f;
    }
    return success && note_rest(file);
}

// ---- Clip ----

typedef struct clip {
    float *times;
    lmb_track_def *tracks;
    uint32_t track_count;
    bool has_motion; // a track differs from the rest pose
    lmb_name_list unmatched;
} clip;

static bool has_channel(const bvh_joint *joint, uint8_t first) {
    bool has = false;
    for (uint32_t i = 0; i < joint->channel_count; i++) {
        has = has || (joint->channels[i] >= first && joint->channels[i] < first + 3);
    }
    return has;
}

static void position_at(const bvh *file, const bvh_joint *joint, const float *rest, const float *frame, float *value) {
    memcpy(value, rest, 3 * sizeof *value);
    for (uint32_t i = 0; i < joint->channel_count; i++) {
        if (joint->channels[i] < ROTATION_X) {
            value[joint->channels[i]] = (float)((double)frame[i] * file->tables.importer->bvh_unit);
        }
    }
}

// The product of the rotations in the order of their channels.
static void rotation_at(const bvh_joint *joint, const float *frame, float *value) {
    double q[4] = {0.0, 0.0, 0.0, 1.0};
    for (uint32_t i = 0; i < joint->channel_count; i++) {
        if (joint->channels[i] >= ROTATION_X) {
            const uint32_t axis = joint->channels[i] - ROTATION_X, next = (axis + 1) % 3, last = (axis + 2) % 3;
            const double half = fmod((double)frame[i], 720.0) * (3.14159265358979323846 / 360.0);
            const double s = lmb_sine64(half), c = lmb_cosine64(half);
            const double product[4] = {q[axis] * c + q[3] * s, q[next] * c + q[last] * s, q[last] * c - q[next] * s,
                                       q[3] * c - q[axis] * s};
            q[axis] = product[0];
            q[next] = product[1];
            q[last] = product[2];
            q[3] = product[3];
        }
    }
    for (int i = 0; i < 4; i++) {
        value[i] = (float)q[i];
    }
}

static bool add_track(bvh *file, clip *clip, uint32_t index, lmb_property property) {
    lmb_importer *importer = file->tables.importer;
    const lmb_gltf_node *node = &file->tables.nodes[index];
    const bvh_joint *joint = &file->joints[index];
    const bool rotates = property == LMB_PROPERTY_ROTATION;
    const size_t width = rotates ? 4 : 3;
    if (!has_channel(joint, rotates ? ROTATION_X : POSITION_X)) {
        return true;
    }
    float *values = lmb_importer_scratch(importer, file->frame_count, width * sizeof *values);
    if (values == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < file->frame_count; i++) {
        const float *frame = file->values + (size_t)i * file->value_count + joint->first_value;
        if (rotates) {
            rotation_at(joint, frame, values + i * width);
        } else {
            position_at(file, joint, node->rest.translation, frame, values + i * width);
        }
    }
    lmb_track_def *track = &clip->tracks[clip->track_count++];
    *track = (lmb_track_def){.joint = node->joint,
                             .property = property,
                             .interpolation = LMB_INTERPOLATION_LINEAR,
                             .key_count = file->frame_count,
                             .times = clip->times,
                             .values = values};
    clip->has_motion = clip->has_motion || lmb_gltf_leaves_rest(importer->import->rig, track, SAME_AS_REST);
    return true;
}

// Adds the tracks of a joint. One that has no channels may have another rest pose than in the rig.
static bool add_tracks(bvh *file, clip *clip, uint32_t index) {
    const lmb_gltf_node *node = &file->tables.nodes[index];
    const bool moves = file->joints[index].channel_count > 0;
    if (!node->in_rig && moves) {
        lmb_name_list_add(&clip->unmatched, node->name);
    }
    return !node->in_rig || !moves ||
           (add_track(file, clip, index, LMB_PROPERTY_TRANSLATION) &&
            add_track(file, clip, index, LMB_PROPERTY_ROTATION));
}

static void add_rest_tracks(const bvh *file, clip *clip) {
    for (uint32_t i = 0; i < file->tables.rest_count; i++) {
        const lmb_gltf_rest *rest = &file->tables.rests[i];
        const uint8_t first = rest->track.property == LMB_PROPERTY_ROTATION ? ROTATION_X : POSITION_X;
        if (rest->track.property == LMB_PROPERTY_SCALE || !has_channel(&file->joints[rest->node], first)) {
            clip->tracks[clip->track_count++] = rest->track;
        }
    }
}

static bool build_clip(bvh *file) {
    lmb_importer *importer = file->tables.importer;
    if (file->frame_count == 0 || file->value_count == 0) {
        return lmb_importer_note(importer, "it has no frames: without a clip");
    }
    if (!lmb_gltf_list_rests(&file->tables)) {
        return false;
    }
    clip clip = {.times = lmb_importer_scratch(importer, file->frame_count, sizeof(float)),
                 .tracks = lmb_importer_scratch(importer, 2 * (size_t)file->tables.node_count + file->tables.rest_count,
                                                sizeof(lmb_track_def))};
    if (clip.times == NULL || clip.tracks == NULL) {
        return false;
    }
    for (uint32_t i = 1; i < file->frame_count; i++) {
        clip.times[i] = (float)(i * file->frame_time);
    }
    bool success = true;
    for (uint32_t i = 0; success && i < file->tables.node_count; i++) {
        success = add_tracks(file, &clip, i);
    }
    if (!success || !lmb_gltf_note_unmatched(&file->tables, "Motion", &clip.unmatched)) {
        return false;
    }
    if (!clip.has_motion) {
        return lmb_importer_note(importer, "animation 'Motion' moves no joint of the rig: left out");
    }
    add_rest_tracks(file, &clip);
    const lmb_clip_def def = {.name = "Motion",
                              .duration = clip.times[file->frame_count - 1],
                              .tracks = clip.tracks,
                              .track_count = clip.track_count};
    return lmb_importer_add_clip(importer, "MOTION", &def);
}

bool lmb_bvh_read(lmb_importer *importer, const uint8_t *bytes, size_t size) {
    const char *text = (const char *)bytes;
    const size_t mark = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    bvh file = {.tables = {.importer = importer}, .text = text + mark, .at = text + mark, .end = text + size};
    bool has_motion = false;
    if (!read_hierarchy(&file, &has_motion) || (has_motion && !read_frames(&file)) ||
        !lmb_gltf_order_as_listed(&file.tables)) {
        return false;
    }
    return (importer->adds_clips ? lmb_gltf_match_rig(&file.tables) : lmb_gltf_build_rig(&file.tables)) &&
           build_clip(&file);
}
