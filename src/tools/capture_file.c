#include "capture_file.h"

#include "file.h"

#include "../host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "LIMBCAP\n"
#define MAGIC_SIZE 8u
#define ENTRY_SIZE 16u
#define HEADER_SIZE (MAGIC_SIZE + 8u + CAPTURE_SECTIONS * ENTRY_SIZE)
#define BODY_BEGINS (HEADER_SIZE + 8u)
#define TRANSFORM_FLOATS 10u
#define AFFINE_FLOATS 12u

// ---- Writing.

typedef struct output {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    bool failed; // no memory
} output;

static void put(output *to, const void *bytes, size_t size) {
    if (to->size + size > to->capacity) {
        size_t capacity = (to->size + size) * 2;
        uint8_t *larger = to->failed ? NULL : realloc(to->bytes, capacity);
        if (larger == NULL) {
            to->failed = true;
            return;
        }
        to->bytes = larger;
        to->capacity = capacity;
    }
    if (size > 0) {
        memcpy(to->bytes + to->size, bytes, size);
    }
    to->size += size;
}

static void put_number(output *to, uint64_t number, uint32_t size) {
    uint8_t bytes[8];
    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(number >> (8 * i));
    }
    put(to, bytes, size);
}

static void put_word(output *to, uint32_t word) {
    put_number(to, word, 4);
}

static void put_words(output *to, const void *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, (const uint8_t *)words + i * sizeof word, sizeof word);
        put_word(to, word);
    }
}

static void put_text(output *to, const char *text) {
    put_word(to, (uint32_t)strlen(text));
    put(to, text, strlen(text));
}

static void put_rig(output *to, const capture *capture) {
    const lmb_rig *rig = capture->rig;
    put_word(to, lmb_rig_joint_count(rig));
    for (uint32_t i = 0; i < lmb_rig_joint_count(rig); i++) {
        const lmb_transform rest = lmb_rig_joint_rest(rig, i);
        const lmb_affine inverse = lmb_rig_joint_inverse_bind(rig, i);
        const float radius = lmb_rig_joint_radius(rig, i);
        put_text(to, lmb_rig_joint_name(rig, i));
        put_word(to, lmb_rig_joint_parent(rig, i));
        put_words(to, &rest, TRANSFORM_FLOATS);
        put_words(to, &inverse, AFFINE_FLOATS);
        put_words(to, &radius, 1);
    }
    put_word(to, lmb_rig_channel_count(rig));
    for (uint32_t i = 0; i < lmb_rig_channel_count(rig); i++) {
        const float rest = lmb_rig_channel_rest(rig, i);
        put_text(to, lmb_rig_channel_name(rig, i));
        put_words(to, &rest, 1);
        put_word(to, lmb_rig_channel_is_angle(rig, i));
    }
    put_word(to, lmb_rig_socket_count(rig));
    for (uint32_t i = 0; i < lmb_rig_socket_count(rig); i++) {
        const lmb_transform local = lmb_rig_socket_local(rig, i);
        put_text(to, lmb_rig_socket_name(rig, i));
        put_word(to, lmb_rig_socket_joint(rig, i));
        put_words(to, &local, TRANSFORM_FLOATS);
    }
}

static void put_clips(output *to, const capture *capture) {
    put_word(to, capture->clip_count);
    for (uint32_t i = 0; i < capture->clip_count; i++) {
        size_t size;
        const void *block = lmb_clip_block(capture->clips[i], &size);
        put_number(to, size, 8);
        put(to, block, size);
    }
}

static void put_poses(output *to, const capture *capture) {
    put_word(to, capture->static_pose_count);
    for (uint32_t i = 0; i < capture->static_pose_count; i++) {
        const lmb_static_pose_def *pose = &capture->static_poses[i];
        put_text(to, pose->name);
        put_word(to, pose->joint_count);
        put_words(to, pose->joints, (size_t)pose->joint_count * TRANSFORM_FLOATS);
        uint32_t channels = pose->channels == NULL ? 0 : lmb_rig_channel_count(capture->rig);
        put_word(to, channels);
        put_words(to, pose->channels, channels);
    }
}

static void put_frame(output *to, const capture *capture) {
    put_word(to, capture->number);
    put_word(to, capture->character_count);
    put_number(to, capture->step, 8);
    put_word(to, capture->max_emitted_events);
    put_text(to, capture->device);
}

static void put_graph(output *to, const capture *capture) {
    put(to, capture->graph, capture->graph == NULL ? 0 : capture->graph_size);
}

static void put_machine(output *to, const capture *capture) {
    put(to, capture->machine, capture->machine == NULL ? 0 : capture->machine_size);
}

static void put_parameters(output *to, const capture *capture) {
    put_words(to, capture->parameters, capture->parameter_count);
}

static void put_state(output *to, const capture *capture) {
    put_words(to, capture->state, capture->state_words);
}

static void put_inertia(output *to, const capture *capture) {
    put_words(to, capture->inertia, capture->inertia_words);
}

static void put_events(output *to, const capture *capture) {
    put_words(to, capture->events, (size_t)capture->event_count * 2);
}

static void put_results(output *to, const capture *capture) {
    put_word(to, capture->result_count);
    for (uint32_t i = 0; i < capture->result_count; i++) {
        put_text(to, capture->results[i].name);
        put_number(to, capture->results[i].hash, 8);
    }
}

// ---- Reading.

static uint64_t load(const uint8_t *at, uint32_t size) {
    uint64_t number = 0;
    for (uint32_t i = 0; i < size; i++) {
        number |= (uint64_t)at[i] << (8 * i);
    }
    return number;
}

typedef struct input {
    const uint8_t *bytes; // the file's
    const uint8_t *at;
    const uint8_t *end;  // of the section
    const char *section; // its name
    bool failed;
    lmb_error *error;
} input;

static lmb_result fail_here(input *from, lmb_result result, const char *why) {
    if (!from->failed) {
        lmb_fail(from->error, result, "capture: section '%s', byte %zu: %s", from->section,
                 (size_t)(from->at - from->bytes), why);
    }
    from->failed = true;
    return result;
}

static uint64_t take(input *from, uint32_t size) {
    if (from->failed || (size_t)(from->end - from->at) < size) {
        fail_here(from, LMB_ERROR_FORMAT, "it ends too early");
        return 0;
    }
    uint64_t number = load(from->at, size);
    from->at += size;
    return number;
}

static uint32_t take_word(input *from) {
    return (uint32_t)take(from, 4);
}

// Reads a count of things that have at least `min_bytes` bytes each. Fails if more are announced than can follow.
static uint32_t take_count(input *from, size_t min_bytes, uint32_t most) {
    uint32_t count = take_word(from);
    if (!from->failed && (count > most || count > (size_t)(from->end - from->at) / min_bytes)) {
        fail_here(from, LMB_ERROR_FORMAT, "a number is too large");
    }
    return from->failed ? 0 : count;
}

static void *allocate(input *from, size_t count, size_t size) {
    void *memory = from->failed ? NULL : calloc(count + 1, size);
    if (memory == NULL) {
        fail_here(from, LMB_ERROR_MEMORY, "no memory");
    }
    return memory;
}

static void take_words(input *from, void *words, size_t count) {
    for (size_t i = 0; i < count && !from->failed; i++) {
        uint32_t word = take_word(from);
        memcpy((uint8_t *)words + i * sizeof word, &word, sizeof word);
    }
}

static char *take_text(input *from) {
    uint32_t length = take_count(from, 1, UINT32_MAX);
    char *text = allocate(from, length, 1);
    if (text != NULL) {
        memcpy(text, from->at, length);
        if (strlen(text) != length) {
            fail_here(from, LMB_ERROR_FORMAT, "a text has a zero in it");
        }
        from->at += length;
    }
    return text;
}

// Reads a text into memory of a fixed size.
static void take_short_text(input *from, char *text, size_t room) {
    char *taken = take_text(from);
    if (taken != NULL && strlen(taken) >= room) {
        fail_here(from, LMB_ERROR_FORMAT, "a text is too long");
    } else if (taken != NULL) {
        memcpy(text, taken, strlen(taken) + 1);
    }
    free(taken);
}

static void read_frame(input *from, capture *capture) {
    capture->number = take_word(from);
    capture->character_count = take_word(from);
    capture->step = take(from, 8);
    capture->max_emitted_events = take_word(from);
    take_short_text(from, capture->device, sizeof capture->device);
}

static void read_joint(input *from, lmb_joint_def *joint) {
    *joint = lmb_default_joint_def();
    joint->name = take_text(from);
    joint->parent = take_word(from);
    take_words(from, &joint->rest, TRANSFORM_FLOATS);
    take_words(from, &joint->inverse_bind, AFFINE_FLOATS);
    take_words(from, &joint->radius, 1);
    joint->has_inverse_bind = true;
    joint->is_normalised = true;
}

static void read_socket(input *from, lmb_socket_def *socket) {
    *socket = lmb_default_socket_def();
    socket->name = take_text(from);
    socket->joint = take_word(from);
    take_words(from, &socket->local, TRANSFORM_FLOATS);
    socket->is_normalised = true;
}

static void create_rig(input *from, const lmb_rig_def *def, capture *capture) {
    lmb_rig *rig = NULL;
    lmb_error error = {0};
    lmb_result result = lmb_rig_create(def, NULL, &rig, &error);
    capture->rig = rig;
    if (result != LMB_OK) {
        fail_here(from, result, error.message);
    }
}

static void read_rig(input *from, capture *capture) {
    lmb_rig_def def = {.joint_count = take_count(from, 4 * (2 + TRANSFORM_FLOATS + AFFINE_FLOATS + 1), LMB_MAX_JOINTS)};
    lmb_joint_def *joints = allocate(from, def.joint_count, sizeof *joints);
    for (uint32_t i = 0; i < def.joint_count && !from->failed; i++) {
        read_joint(from, &joints[i]);
    }
    def.channel_count = take_count(from, 12, LMB_MAX_CHANNELS);
    lmb_channel_def *channels = allocate(from, def.channel_count, sizeof *channels);
    for (uint32_t i = 0; i < def.channel_count && !from->failed; i++) {
        channels[i].name = take_text(from);
        take_words(from, &channels[i].rest, 1);
        channels[i].angle = take_word(from) != 0;
    }
    def.channels = channels;
    def.socket_count = take_count(from, 4 * (2 + TRANSFORM_FLOATS), LMB_MAX_SOCKETS);
    lmb_socket_def *sockets = allocate(from, def.socket_count, sizeof *sockets);
    for (uint32_t i = 0; i < def.socket_count && !from->failed; i++) {
        read_socket(from, &sockets[i]);
    }
    def.joints = joints;
    def.sockets = sockets;
    if (!from->failed) {
        create_rig(from, &def, capture);
    }
    for (uint32_t i = 0; joints != NULL && i < def.joint_count; i++) {
        free((void *)(uintptr_t)joints[i].name);
    }
    for (uint32_t i = 0; sockets != NULL && i < def.socket_count; i++) {
        free((void *)(uintptr_t)sockets[i].name);
    }
    for (uint32_t i = 0; channels != NULL && i < def.channel_count; i++) {
        free((void *)(uintptr_t)channels[i].name);
    }
    free(joints);
    free(sockets);
    free(channels);
}

static void read_clip(input *from, capture *capture) {
    uint64_t size = take(from, 8);
    if (size > (size_t)(from->end - from->at)) {
        fail_here(from, LMB_ERROR_FORMAT, "a clip ends too late");
        return;
    }
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    lmb_result result = from->failed ? LMB_ERROR_FORMAT : lmb_clip_open(from->at, size, NULL, &clip, &error);
    if (result != LMB_OK) {
        fail_here(from, result, error.message);
        return;
    }
    capture->clips[capture->clip_count++] = clip;
    from->at += size;
}

static void read_clips(input *from, capture *capture) {
    uint32_t count = take_count(from, 8, UINT32_MAX);
    capture->clips = allocate(from, count, sizeof *capture->clips);
    for (uint32_t i = 0; i < count && !from->failed; i++) {
        read_clip(from, capture);
    }
}

// Reads the whole section. Returns NULL if it is empty.
static const char *read_whole_text(input *from, size_t *size) {
    *size = (size_t)(from->end - from->at);
    char *text = *size == 0 ? NULL : allocate(from, *size, 1);
    if (text != NULL) {
        memcpy(text, from->at, *size);
    }
    from->at = from->end;
    return text;
}

// Reads the channels of a pose: as many as the rig has, or none.
static void read_pose_channels(input *from, lmb_static_pose_def *pose, const lmb_rig *rig) {
    uint32_t count = take_count(from, 4, LMB_MAX_CHANNELS);
    if (!from->failed && count > 0 && count != lmb_rig_channel_count(rig)) {
        fail_here(from, LMB_ERROR_FORMAT, "a pose has other channels than the rig");
    }
    float *channels = count == 0 ? NULL : allocate(from, count, sizeof *channels);
    pose->channels = channels;
    take_words(from, channels, channels == NULL ? 0 : count);
}

static void read_poses(input *from, capture *capture) {
    uint32_t count = take_count(from, 8, UINT32_MAX);
    lmb_static_pose_def *poses = allocate(from, count, sizeof *poses);
    capture->static_poses = poses;
    for (uint32_t i = 0; i < count && !from->failed; i++) {
        poses[i].name = take_text(from);
        capture->static_pose_count++;
        poses[i].joint_count = take_count(from, 4 * TRANSFORM_FLOATS, LMB_MAX_JOINTS);
        lmb_transform *joints = allocate(from, poses[i].joint_count, sizeof *joints);
        poses[i].joints = joints;
        take_words(from, joints, (size_t)poses[i].joint_count * TRANSFORM_FLOATS);
        read_pose_channels(from, &poses[i], capture->rig);
    }
}

// Reads the whole section as words.
static void *read_words(input *from, size_t words_each, size_t *count) {
    size_t size = (size_t)(from->end - from->at);
    *count = size / (4 * words_each);
    if (size % (4 * words_each) != 0) {
        fail_here(from, LMB_ERROR_FORMAT, "it is of no whole number of words");
    }
    void *words = allocate(from, *count * words_each, sizeof(uint32_t));
    take_words(from, words, words == NULL ? 0 : *count * words_each);
    return words;
}

static void read_events(input *from, capture *capture) {
    size_t count;
    capture->events = read_words(from, 2, &count);
    if (count > UINT32_MAX) {
        fail_here(from, LMB_ERROR_FORMAT, "too many events");
    }
    capture->event_count = (uint32_t)count;
}

static void read_results(input *from, capture *capture) {
    uint32_t count = take_count(from, 12, CAPTURE_MOST_RESULTS);
    capture_result *results = allocate(from, count, sizeof *results);
    capture->results = results;
    capture->result_count = results == NULL ? 0 : count;
    for (uint32_t i = 0; i < count && !from->failed; i++) {
        take_short_text(from, results[i].name, sizeof results[i].name);
        results[i].hash = take(from, 8);
    }
}

static void read_graph(input *from, capture *capture) {
    capture->graph = read_whole_text(from, &capture->graph_size);
}

static void read_machine(input *from, capture *capture) {
    capture->machine = read_whole_text(from, &capture->machine_size);
}

static void read_parameters(input *from, capture *capture) {
    capture->parameters = read_words(from, 1, &capture->parameter_count);
}

static void read_state(input *from, capture *capture) {
    capture->state = read_words(from, 1, &capture->state_words);
}

static void read_inertia(input *from, capture *capture) {
    capture->inertia = read_words(from, 1, &capture->inertia_words);
}

// ---- The file.

static const struct {
    const char *name;
    void (*put)(output *to, const capture *capture);
    void (*read)(input *from, capture *capture);
} sections[CAPTURE_SECTIONS] = {
    [CAPTURE_FRAME] = {"frame", put_frame, read_frame},
    [CAPTURE_RIG] = {"rig", put_rig, read_rig},
    [CAPTURE_CLIPS] = {"clips", put_clips, read_clips},
    [CAPTURE_GRAPH] = {"graph", put_graph, read_graph},
    [CAPTURE_MACHINE] = {"machine", put_machine, read_machine},
    [CAPTURE_POSES] = {"poses", put_poses, read_poses},
    [CAPTURE_PARAMETERS] = {"parameters", put_parameters, read_parameters},
    [CAPTURE_STATE] = {"state", put_state, read_state},
    [CAPTURE_INERTIA] = {"inertia", put_inertia, read_inertia},
    [CAPTURE_EVENTS] = {"events", put_events, read_events},
    [CAPTURE_RESULTS] = {"results", put_results, read_results},
};

static void store(uint8_t *at, uint64_t number) {
    for (uint32_t i = 0; i < 8; i++) {
        at[i] = (uint8_t)(number >> (8 * i));
    }
}

static uint8_t *entry_of(const void *bytes, uint32_t section) {
    return (uint8_t *)(uintptr_t)bytes + MAGIC_SIZE + 8 + section * ENTRY_SIZE;
}

bool capture_seal(void *bytes, size_t size) {
    if (size < BODY_BEGINS) {
        return false;
    }
    size_t at = BODY_BEGINS;
    for (uint32_t i = 0; i < CAPTURE_SECTIONS; i++) {
        uint64_t length = load(entry_of(bytes, i), 8);
        if (length > size - at) {
            return false;
        }
        store(entry_of(bytes, i) + 8, file_hash((uint8_t *)bytes + at, length));
        at += length;
    }
    store((uint8_t *)bytes + HEADER_SIZE, file_hash(bytes, HEADER_SIZE));
    return true;
}

lmb_result capture_write(const capture *capture, const char *path, lmb_error *error) {
    output to = {0};
    put(&to, MAGIC, MAGIC_SIZE);
    put_word(&to, CAPTURE_VERSION);
    put_word(&to, CAPTURE_SECTIONS);
    for (uint32_t i = 0; i < 2 * CAPTURE_SECTIONS + 1; i++) {
        put_number(&to, 0, 8); // filled in below
    }
    for (uint32_t i = 0; i < CAPTURE_SECTIONS; i++) {
        size_t begin = to.size;
        sections[i].put(&to, capture);
        if (!to.failed) {
            store(entry_of(to.bytes, i), to.size - begin);
        }
    }
    bool sealed = !to.failed && capture_seal(to.bytes, to.size);
    lmb_result result = sealed ? file_write(path, to.bytes, to.size, error)
                               : lmb_fail(error, LMB_ERROR_MEMORY, "no memory for a capture");
    free(to.bytes);
    return result;
}

static lmb_result check_header(const uint8_t *bytes, size_t size, lmb_error *error) {
    if (size < BODY_BEGINS || memcmp(bytes, MAGIC, MAGIC_SIZE) != 0) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "capture: no capture, or only its begin");
    }
    uint32_t version = (uint32_t)load(bytes + MAGIC_SIZE, 4);
    if (version != CAPTURE_VERSION) {
        return lmb_fail(error, LMB_ERROR_UNSUPPORTED, "capture: of version %u, and this reads version %u",
                        (unsigned)version, CAPTURE_VERSION);
    }
    if (load(bytes + HEADER_SIZE, 8) != file_hash(bytes, HEADER_SIZE) ||
        load(bytes + MAGIC_SIZE + 4, 4) != CAPTURE_SECTIONS) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "capture: the header is damaged: its hash is another");
    }
    return LMB_OK;
}

lmb_result capture_read(const void *bytes, size_t size, capture *capture, lmb_error *error) {
    *capture = (struct capture){0};
    lmb_result result = check_header(bytes, size, error);
    const uint8_t *at = (const uint8_t *)bytes + BODY_BEGINS, *end = (const uint8_t *)bytes + size;
    for (uint32_t i = 0; i < CAPTURE_SECTIONS && result == LMB_OK; i++) {
        uint64_t length = load(entry_of(bytes, i), 8);
        lmb_error found = {0};
        input from = {.bytes = bytes, .at = at, .end = at, .section = sections[i].name, .error = &found};
        if (length > (size_t)(end - at)) {
            fail_here(&from, LMB_ERROR_FORMAT, "the file ends within it");
        } else if (file_hash(at, length) != load(entry_of(bytes, i) + 8, 8)) {
            fail_here(&from, LMB_ERROR_FORMAT, "it is damaged: its hash is another");
        } else {
            from.end = at + length;
            sections[i].read(&from, capture);
            if (from.at != from.end) {
                fail_here(&from, LMB_ERROR_FORMAT, "more than was expected");
            }
            at = from.end;
        }
        result = from.failed ? lmb_fail(error, found.result, "%s", found.message) : LMB_OK;
    }
    if (result == LMB_OK && at != end) {
        result = lmb_fail(error, LMB_ERROR_FORMAT, "capture: something follows the last section");
    }
    if (result != LMB_OK) {
        capture_release(capture);
    }
    return result;
}

void capture_release(capture *capture) {
    for (uint32_t i = 0; i < capture->clip_count; i++) {
        lmb_clip_destroy((lmb_clip *)(uintptr_t)capture->clips[i]);
    }
    for (uint32_t i = 0; i < capture->static_pose_count; i++) {
        free((void *)(uintptr_t)capture->static_poses[i].name);
        free((void *)(uintptr_t)capture->static_poses[i].joints);
        free((void *)(uintptr_t)capture->static_poses[i].channels);
    }
    lmb_rig_destroy((lmb_rig *)(uintptr_t)capture->rig);
    free(capture->clips);
    free((void *)(uintptr_t)capture->graph);
    free((void *)(uintptr_t)capture->machine);
    free((void *)(uintptr_t)capture->static_poses);
    free((void *)(uintptr_t)capture->parameters);
    free((void *)(uintptr_t)capture->state);
    free((void *)(uintptr_t)capture->inertia);
    free((void *)(uintptr_t)capture->events);
    free((void *)(uintptr_t)capture->results);
    *capture = (struct capture){0};
}
