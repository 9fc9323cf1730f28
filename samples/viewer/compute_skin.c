// Creates a skin for each mesh, records its runs, and compares their streams with the CPU's.
#include "compute_skin.h"

#include <stdlib.h>
#include <string.h>

#define MOST_MESHES 32u
#define MOST_FRAMES 8u

typedef struct skinned_mesh {
    lmb_skin *skin;
    device_buffer words;
    uint32_t first_vertex; // in a slot
} skinned_mesh;

struct compute_skin {
    device *device;
    lmb_gpu_skin *kernels;
    uint32_t character_count;
    uint32_t frame_count;
    uint32_t character_vertices;
    skinned_mesh meshes[MOST_MESHES];
    uint32_t mesh_count;
    device_buffer positions[MOST_FRAMES];
    device_buffer normals[MOST_FRAMES];
};

static lmb_result create_mesh(compute_skin *skin, const character *character, const lmb_mesh *mesh, lmb_error *error) {
    skinned_mesh *target = &skin->meshes[skin->mesh_count];
    const uint32_t stride = sizeof *mesh->vertices;
    lmb_skin_def def = lmb_default_skin_def();
    def.name = mesh->name;
    def.joint_count = lmb_rig_get_def(character->rig)->joint_count;
    def.vertex_count = mesh->vertex_count;
    def.influence_count = mesh->influence_count;
    def.positions = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, mesh->vertices->position, stride};
    def.normals = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, mesh->vertices->normal, stride};
    def.joints = (lmb_skin_attribute){LMB_SKIN_FORMAT_UINT32, mesh->vertices->joints, stride};
    def.weights = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, mesh->vertices->weights, stride};
    def.targets = mesh->targets;
    def.target_count = mesh->target_count;
    def.channel_count = lmb_rig_get_def(character->rig)->channel_count;
    if (lmb_skin_create(&def, NULL, &target->skin, error)) {
        return error->result;
    }
    target->first_vertex = skin->character_vertices;
    skin->character_vertices += mesh->vertex_count;
    skin->mesh_count++;
    return graphics_buffer_upload(skin->device, lmb_skin_get_info(target->skin)->words,
                                  lmb_skin_get_info(target->skin)->word_count * sizeof(uint32_t),
                                  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                                  &target->words, error);
}

static lmb_result create_streams(compute_skin *skin, lmb_error *error) {
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                                     VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    const VkDeviceSize size = (VkDeviceSize)skin->character_count * skin->character_vertices * 3 * sizeof(float);
    for (uint32_t i = 0; i < skin->frame_count; i++) {
        if (device_buffer_create(skin->device, size, usage, false, &skin->positions[i], error) ||
            device_buffer_create(skin->device, size, usage, false, &skin->normals[i], error)) {
            return error->result;
        }
    }
    return LMB_OK;
}

static lmb_result create_all(compute_skin *skin, const compute_skin_def *def, lmb_error *error) {
    const uint32_t count = character_mesh_count(def->character, 0);
    if (count > MOST_MESHES) {
        return viewer_fail(error, LMB_ERROR_LIMIT, "%u meshes, and at most %u can be skinned", count, MOST_MESHES);
    }
    if (lmb_gpu_skin_create(def->gpu, &skin->kernels, error)) {
        return error->result;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (create_mesh(skin, def->character, character_mesh(def->character, 0, i), error)) {
            return error->result;
        }
    }
    return create_streams(skin, error);
}

lmb_result compute_skin_create(const compute_skin_def *def, compute_skin **result, lmb_error *error) {
    compute_skin *skin = calloc(1, sizeof *skin);
    if (skin == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory to skin");
    }
    skin->device = def->device;
    skin->character_count = def->character_count;
    skin->frame_count = def->frame_count;
    if (create_all(skin, def, error)) {
        compute_skin_destroy(skin);
        return error->result;
    }
    *result = skin;
    return LMB_OK;
}

void compute_skin_destroy(compute_skin *skin) {
    if (skin == NULL) {
        return;
    }
    for (uint32_t i = 0; i < skin->frame_count; i++) {
        device_buffer_destroy(skin->device, &skin->positions[i]);
        device_buffer_destroy(skin->device, &skin->normals[i]);
    }
    for (uint32_t i = 0; i < skin->mesh_count; i++) {
        device_buffer_destroy(skin->device, &skin->meshes[i].words);
        lmb_skin_destroy(skin->meshes[i].skin);
    }
    lmb_gpu_skin_destroy(skin->kernels);
    free(skin);
}

static lmb_skin_layout layout_of(const compute_skin *skin) {
    lmb_skin_layout layout = lmb_default_skin_layout(skin->character_count);
    layout.streams[LMB_SKIN_OUTPUT_NORMALS].format = LMB_SKIN_FORMAT_FLOAT;
    layout.character_vertices = skin->character_vertices;
    return layout;
}

// Returns the offset of a mesh in the slot of a character, in floats.
static size_t offset_of(const compute_skin *skin, const skinned_mesh *mesh, uint32_t character) {
    return 3 * ((size_t)character * skin->character_vertices + mesh->first_vertex);
}

static lmb_gpu_skin_run describe_run(const compute_skin *skin, const skinned_mesh *mesh, const lmb_gpu_batch *batch,
                                     uint32_t frame, uint32_t span) {
    lmb_gpu_span palette, channels;
    lmb_gpu_batch_output(batch, frame, LMB_OUTPUT_PALETTE, span, &palette);
    lmb_gpu_batch_output(batch, frame, LMB_OUTPUT_CHANNELS, span, &channels);
    lmb_gpu_skin_run run = {.skin = mesh->skin,
                            .words = mesh->words.address,
                            .layout = layout_of(skin),
                            .palette = palette.address,
                            .channels = channels.address};
    const VkDeviceSize offset = offset_of(skin, mesh, palette.first_character) * sizeof(float);
    run.layout.first_character = palette.first_character;
    run.layout.palette_count = palette.character_count;
    run.streams[LMB_SKIN_OUTPUT_POSITIONS] = skin->positions[frame].address + offset;
    run.streams[LMB_SKIN_OUTPUT_NORMALS] = skin->normals[frame].address + offset;
    return run;
}

lmb_result compute_skin_record(compute_skin *skin, VkCommandBuffer commands, const lmb_gpu_batch *batch, uint32_t frame,
                               lmb_error *error) {
    lmb_gpu_skin_run runs[MOST_MESHES];
    for (uint32_t span = 0; span < lmb_gpu_batch_span_count(batch); span++) {
        for (uint32_t i = 0; i < skin->mesh_count; i++) {
            runs[i] = describe_run(skin, &skin->meshes[i], batch, frame, span);
        }
        if (lmb_gpu_skin_record(skin->kernels, commands, runs, skin->mesh_count, error)) {
            return error->result;
        }
    }
    return LMB_OK;
}

compute_skin_streams compute_skin_of(const compute_skin *skin, uint32_t frame) {
    return (compute_skin_streams){skin->positions[frame].address, skin->normals[frame].address,
                                  skin->character_vertices};
}

// ---- The comparison.

typedef struct check {
    float *palette;
    float *channels;
    float *shown;
    float *expected[2]; // positions and normals
} check;

static lmb_result run_on_cpu(const compute_skin *skin, const check *check, lmb_error *error) {
    for (uint32_t i = 0; i < skin->mesh_count; i++) {
        const skinned_mesh *mesh = &skin->meshes[i];
        lmb_skin_run_info info = {.layout = layout_of(skin), .palette = check->palette, .channels = check->channels};
        info.streams[LMB_SKIN_OUTPUT_POSITIONS] = check->expected[0] + offset_of(skin, mesh, 0);
        info.streams[LMB_SKIN_OUTPUT_NORMALS] = check->expected[1] + offset_of(skin, mesh, 0);
        if (lmb_skin_run(mesh->skin, LMB_CPU_FAST, &info, error)) {
            return error->result;
        }
    }
    return LMB_OK;
}

lmb_result compute_skin_compare(const compute_skin *skin, lmb_gpu_batch *batch, uint32_t frame, uint64_t *compared,
                                uint64_t *differ, lmb_error *error) {
    const lmb_batch_def description = lmb_gpu_batch_description(batch);
    const size_t count = skin->character_count, floats = count * skin->character_vertices * 3;
    const check check = {
        malloc(count * lmb_batch_output_floats(&description, LMB_OUTPUT_PALETTE) * sizeof(float)),
        malloc((count * lmb_batch_output_floats(&description, LMB_OUTPUT_CHANNELS) + 1) * sizeof(float)),
        malloc(floats * sizeof(float)),
        {malloc(floats * sizeof(float)), malloc(floats * sizeof(float))}};
    lmb_result result = LMB_OK;
    *compared = *differ = 0;
    if (check.palette == NULL || check.channels == NULL || check.shown == NULL || check.expected[0] == NULL ||
        check.expected[1] == NULL) {
        result = viewer_fail(error, LMB_ERROR_MEMORY, "no memory to compare skinned vertices");
    }
    if (result == LMB_OK) {
        result = device_read_output(skin->device, batch, frame, LMB_OUTPUT_PALETTE, check.palette, error);
    }
    if (result == LMB_OK) {
        result = device_read_output(skin->device, batch, frame, LMB_OUTPUT_CHANNELS, check.channels, error);
    }
    result = result == LMB_OK ? run_on_cpu(skin, &check, error) : result;
    for (uint32_t stream = 0; result == LMB_OK && stream < 2; stream++) {
        const device_buffer *buffer = stream == 0 ? &skin->positions[frame] : &skin->normals[frame];
        const lmb_gpu_span span = {.buffer = buffer->buffer, .size = floats * sizeof(float)};
        result = device_read_span(skin->device, &span, check.shown, error);
        for (size_t i = 0; result == LMB_OK && i < floats; i++, ++*compared) {
            *differ += memcmp(&check.shown[i], &check.expected[stream][i], sizeof(float)) != 0;
        }
    }
    free(check.palette);
    free(check.channels);
    free(check.shown);
    free(check.expected[0]);
    free(check.expected[1]);
    return result;
}
