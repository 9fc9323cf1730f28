// Untrusted clip blocks: opening a block refuses it or gives a clip that samples to finite numbers. The mutator starts
// from valid blocks and mostly keeps the fixed words of the header, which random data would never match.
#include "clip/clip.h"
#include "clip/layout.h"

#include <limber/cpu.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOINTS 3u
#define CHANNELS 3u    // every second one is an angle
#define MAX_JOINTS 32u // larger clips are opened but not sampled, for speed

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "clip_fuzz: %s\n", what);
        abort();
    }
}

static lmb_rig *create_chain(uint32_t joint_count, uint32_t channel_count) {
    lmb_joint_def joints[MAX_JOINTS];
    lmb_channel_def channels[MAX_JOINTS];
    for (uint32_t i = 0; i < channel_count; i++) {
        channels[i] = (lmb_channel_def){.rest = 0.25f, .angle = i % 2 == 1};
    }
    for (uint32_t i = 0; i < joint_count; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
    }
    lmb_rig *rig = NULL;
    const lmb_rig_def def = {
        .joints = joints, .joint_count = joint_count, .channels = channels, .channel_count = channel_count};
    require(lmb_rig_create(&def, NULL, &rig, NULL) == LMB_OK, "no rig");
    return rig;
}

static void sample(const lmb_clip *clip) {
    const lmb_clip_info *info = lmb_clip_get_info(clip);
    uint32_t joint_count = info->joint_count;
    uint32_t channel_count = info->channel_count;
    lmb_rig *rig = create_chain(joint_count, channel_count);
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_parameter(0);
    node.loop = true;
    const lmb_graph_def def = {
        .rig = rig, .clips = &clip, .clip_count = 1, .nodes = &node, .node_count = 1, .parameter_count = 1};
    lmb_graph *program = NULL;
    require(lmb_graph_create(&def, NULL, &program, NULL) == LMB_OK, "no program of a clip that opened");
    lmb_cpu *cpu = NULL;
    require(lmb_cpu_create(program, LMB_CPU_REFERENCE, NULL, &cpu, NULL) == LMB_OK, "no scratch memory");

    const float duration = info->duration;
    const float times[] = {0.0f, duration * 0.5f, duration, -1.0f, LMB_LARGEST};
    enum { CHARACTERS = sizeof times / sizeof times[0] };
    float local[CHARACTERS * (LMB_POSE_COMPONENTS + 1) * MAX_JOINTS];
    const lmb_batch_def batch = {program, CHARACTERS, LMB_OUTPUT_LOCAL_BIT};
    const lmb_batch_inputs inputs = {.parameters = times};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_LOCAL] = local}};
    require(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL) == LMB_OK, "it does not run");
    for (uint32_t i = 0; i < CHARACTERS * (LMB_POSE_COMPONENTS * joint_count + channel_count); i++) {
        require(local[i] >= -LMB_LARGEST && local[i] <= LMB_LARGEST, "a sampled value is not finite");
    }
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(program);
    lmb_rig_destroy(rig);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lmb_clip *clip = NULL;
    lmb_error error;
    if (lmb_clip_open(data, size, NULL, &clip, &error) != LMB_OK) {
        require(clip == NULL && memchr(error.message, '\0', sizeof error.message) > (void *)error.message,
                "refused without a message");
        return 0;
    }
    size_t block_size;
    require(memcmp(lmb_clip_block(clip, &block_size), data, size) == 0 && block_size == size, "not the block given");
    require(strlen(lmb_clip_get_info(clip)->name) < size, "the name leaves the block");
    if (lmb_clip_get_info(clip)->joint_count <= MAX_JOINTS && lmb_clip_get_info(clip)->channel_count <= MAX_JOINTS) {
        sample(clip);
    }
    lmb_clip_destroy(clip);
    return 0;
}

// Replaces the clip by a compressed one, with so loose a bound that some of it is packed.
static void compress(const lmb_rig *rig, lmb_clip **clip) {
    lmb_clip *compressed = NULL;
    const lmb_clip_compression settings = {.error = 2.0f, .shell_distance = 0.1f};
    require(lmb_clip_compress(rig, *clip, &settings, NULL, &compressed, NULL, NULL) == LMB_OK, "no compressed seed");
    lmb_clip_destroy(*clip);
    *clip = compressed;
}

// Writes a valid block with tracks of each interpolation for some joints and channels. Every second block is
// compressed.
static size_t write_seed(uint8_t *data, size_t max_size, unsigned int seed) {
    enum { KEYS = 4 };
    const float times[KEYS] = {0.0f, 0.25f, 1.0f, 2.5f};
    float values[KEYS * 12];
    for (uint32_t i = 0; i < KEYS * 12; i++) {
        values[i] = (float)(1 + (i * 7 + seed) % 11) * 0.25f;
    }
    lmb_track_def tracks[3 * JOINTS + CHANNELS];
    uint32_t track_count = 0;
    for (uint32_t i = 0; i < 3 * JOINTS + CHANNELS; i++) {
        const bool of_joint = i < 3 * JOINTS;
        if (seed >> (of_joint ? i : i + 6) & 1) {
            tracks[track_count++] = (lmb_track_def){.joint = of_joint ? i / 3 : i - 3 * JOINTS,
                                                    .property = of_joint ? (lmb_property)(i % 3) : LMB_PROPERTY_FLOAT,
                                                    .interpolation = (lmb_interpolation)((seed >> 9) + i) % 3,
                                                    .key_count = 1 + (seed >> 12) % KEYS,
                                                    .times = times,
                                                    .values = values};
        }
    }
    lmb_rig *rig = create_chain(JOINTS, CHANNELS);
    lmb_clip *clip = NULL;
    const lmb_clip_def def = {.name = "seed", .tracks = tracks, .track_count = track_count};
    require(lmb_clip_create(rig, &def, NULL, &clip, NULL) == LMB_OK, "no seed");
    if (seed >> 14 & 1) {
        compress(rig, &clip);
    }
    size_t size;
    const void *block = lmb_clip_block(clip, &size);
    size = size < max_size ? size : max_size;
    memcpy(data, block, size);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    if (size < WORDS_OF(CLIP) * 4 || seed % 64 == 0) {
        return write_seed(data, max_size, seed >> 6);
    }
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 16 != 1 && size >= WORDS_OF(CLIP) * 4) {
        uint32_t words[WORDS_OF(CLIP)];
        size -= size % 4;
        memcpy(words, data, sizeof words);
        words[FIELD(CLIP, magic)] = CLIP_MAGIC_VALUE;
        words[FIELD(CLIP, version)] = CLIP_VERSION_VALUE;
        words[FIELD(CLIP, size)] = (uint32_t)(size / 4);
        memcpy(data, words, sizeof words);
    }
    return size;
}
