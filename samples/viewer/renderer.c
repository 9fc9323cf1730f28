// Creates the renderer's resources, and records a frame.
#include "renderer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_image_write.h>

#include "draw_list.h"
#include "file.h"
#include "pipelines.h"
#include "solids.h"

#define SHADOW_MAP_SIZE 2048u
#define MAX_FRAMES_IN_FLIGHT 8u

// Mirrored by frame.glsl.
typedef struct frame_contact {
    float position[3];
    uint32_t joint;
    float planted;
} frame_contact;

typedef struct frame_data {
    float view_projection[16];
    float sun_projection[16];
    float eye[3];
    float unit;
    float right[3];
    float height;
    float up[3];
    float fog_distance;
    float forward[3];
    float shadow_texel;
    float sun[3];
    float origin[3];
    uint32_t contact_count;
    frame_contact contacts[CHARACTER_CONTACTS];
} frame_data;

typedef struct mesh_range {
    uint32_t first_index;
    uint32_t index_count;
    int32_t first_vertex;
    uint32_t influence_count;
    float base_color[4];
    uint32_t material;
    bool double_sided;
    bool has_tint;
} mesh_range;

struct renderer {
    device *device;
    const character *character;
    pipelines pipelines;
    VkExtent2D extent;
    graphics_image color; // multisampled; unused if the picture itself is the target
    graphics_image depth;
    graphics_image picture;
    VkFramebuffer framebuffer;
    graphics_image shadow_map;
    VkFramebuffer shadow_framebuffer;
    VkSampler texture_sampler;
    VkSampler shadow_sampler;
    graphics_image *textures; // one for each image of the file, then a white one
    VkDescriptorSet *materials;
    uint32_t texture_count;
    VkDescriptorPool descriptor_pool;
    device_buffer vertices;
    device_buffer indices;
    mesh_range *meshes; // ordered by level
    uint32_t level_start[CHARACTER_LEVELS + 1];
    device_buffer frames[MAX_FRAMES_IN_FLIGHT]; // frame_data, then placements
    device_buffer solids[MAX_FRAMES_IN_FLIGHT];
    uint32_t solid_count; // vertices in this frame
    uint32_t frame_count;
    uint32_t span_count;
    draw_span *spans;
    draw_group *groups;
    draw_entry *entries; // scratch
};

static const float sun_direction[3] = {-0.6696f, 0.5498f, 0.4994f};

// The meshes of all levels, one after the other.
typedef struct geometry {
    lmb_vertex *vertices;
    uint32_t *indices;
    size_t vertex_count;
    size_t index_count;
    uint32_t mesh_count;
} geometry;

static void count_geometry(const character *character, geometry *geometry) {
    for (uint32_t level = 0; level < character->level_count; level++) {
        for (uint32_t i = 0; i < character_mesh_count(character, level); i++) {
            const lmb_mesh *mesh = character_mesh(character, level, i);
            geometry->vertex_count += mesh->vertex_count;
            geometry->index_count += mesh->index_count;
            geometry->mesh_count++;
        }
    }
}

static void append_mesh(renderer *renderer, const lmb_mesh *mesh, geometry *geometry, uint32_t range) {
    mesh_range *target = &renderer->meshes[range];
    *target =
        (mesh_range){.first_index = (uint32_t)geometry->index_count,
                     .index_count = mesh->index_count,
                     .first_vertex = (int32_t)geometry->vertex_count,
                     .influence_count = mesh->influence_count,
                     .material = mesh->image < renderer->texture_count - 1 ? mesh->image : renderer->texture_count - 1,
                     .double_sided = mesh->double_sided,
                     .has_tint = target->has_tint};
    memcpy(target->base_color, mesh->base_color, sizeof target->base_color);
    memcpy(geometry->vertices + geometry->vertex_count, mesh->vertices, mesh->vertex_count * sizeof(lmb_vertex));
    memcpy(geometry->indices + geometry->index_count, mesh->indices, mesh->index_count * sizeof(uint32_t));
    geometry->vertex_count += mesh->vertex_count;
    geometry->index_count += mesh->index_count;
}

static void append_levels(renderer *renderer, geometry *geometry) {
    uint32_t range = 0;
    geometry->vertex_count = 0;
    geometry->index_count = 0;
    for (uint32_t level = 0; level < CHARACTER_LEVELS; level++) {
        renderer->level_start[level] = range;
        uint32_t count =
            level < renderer->character->level_count ? character_mesh_count(renderer->character, level) : 0;
        for (uint32_t i = 0; i < count; i++) {
            renderer->meshes[range].has_tint = character_mesh_has_tint(renderer->character, i);
            append_mesh(renderer, character_mesh(renderer->character, level, i), geometry, range++);
        }
    }
    renderer->level_start[CHARACTER_LEVELS] = range;
}

static lmb_result create_meshes(renderer *renderer, lmb_error *error) {
    geometry geometry = {0};
    count_geometry(renderer->character, &geometry);
    if (geometry.vertex_count == 0 || geometry.index_count == 0 || geometry.vertex_count > INT32_MAX ||
        geometry.index_count > UINT32_MAX) {
        return viewer_fail(error, LMB_ERROR_UNSUPPORTED, "%s: no triangles to show, or too many",
                           renderer->character->name);
    }
    geometry.vertices = malloc(geometry.vertex_count * sizeof(lmb_vertex));
    geometry.indices = malloc(geometry.index_count * sizeof(uint32_t));
    renderer->meshes = calloc(geometry.mesh_count, sizeof(mesh_range));
    lmb_result result = LMB_OK;
    if (geometry.vertices == NULL || geometry.indices == NULL || renderer->meshes == NULL) {
        result = viewer_fail(error, LMB_ERROR_MEMORY, "no memory for the meshes");
    } else {
        append_levels(renderer, &geometry);
        result = graphics_buffer_upload(renderer->device, geometry.vertices, geometry.vertex_count * sizeof(lmb_vertex),
                                        VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, &renderer->vertices, error);
    }
    if (result == LMB_OK) {
        result = graphics_buffer_upload(renderer->device, geometry.indices, geometry.index_count * sizeof(uint32_t),
                                        VK_BUFFER_USAGE_INDEX_BUFFER_BIT, &renderer->indices, error);
    }
    free(geometry.vertices);
    free(geometry.indices);
    return result;
}

static lmb_result create_textures(renderer *renderer, lmb_error *error) {
    renderer->texture_count = character_image_count(renderer->character) + 1;
    renderer->textures = calloc(renderer->texture_count, sizeof *renderer->textures);
    renderer->materials = calloc(renderer->texture_count, sizeof *renderer->materials);
    if (renderer->textures == NULL || renderer->materials == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for %u textures", renderer->texture_count);
    }
    for (uint32_t i = 0; i + 1 < renderer->texture_count; i++) {
        const lmb_image *image = character_image(renderer->character, i);
        if (graphics_texture_create(renderer->device, image->bytes, image->size, image->name, &renderer->textures[i],
                                    error)) {
            return error->result;
        }
    }
    return graphics_texture_create(renderer->device, NULL, 0, "white", &renderer->textures[renderer->texture_count - 1],
                                   error);
}

static lmb_result create_samplers(renderer *renderer, lmb_error *error) {
    VkDevice device = renderer->device->device;
    const VkSamplerCreateInfo texture = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                         .magFilter = VK_FILTER_LINEAR,
                                         .minFilter = VK_FILTER_LINEAR,
                                         .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR,
                                         .maxLod = VK_LOD_CLAMP_NONE};
    // The shader fetches single texels from the shadow map, so the sampler has no effect.
    const VkSamplerCreateInfo shadow = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    if (graphics_check(vkCreateSampler(device, &texture, NULL, &renderer->texture_sampler), "vkCreateSampler", error)) {
        return error->result;
    }
    return graphics_check(vkCreateSampler(device, &shadow, NULL, &renderer->shadow_sampler), "vkCreateSampler", error);
}

static lmb_result create_framebuffer(const renderer *renderer, VkRenderPass pass, const VkImageView *views,
                                     uint32_t view_count, VkExtent2D extent, VkFramebuffer *framebuffer,
                                     lmb_error *error) {
    const VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                          .renderPass = pass,
                                          .attachmentCount = view_count,
                                          .pAttachments = views,
                                          .width = extent.width,
                                          .height = extent.height,
                                          .layers = 1};
    return graphics_check(vkCreateFramebuffer(renderer->device->device, &info, NULL, framebuffer),
                          "vkCreateFramebuffer", error);
}

static lmb_result create_shadow_map(renderer *renderer, lmb_error *error) {
    const VkExtent2D extent = {SHADOW_MAP_SIZE, SHADOW_MAP_SIZE};
    const graphics_image_def def = {.format = renderer->pipelines.depth_format,
                                    .extent = extent,
                                    .levels = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
                                    .aspect = VK_IMAGE_ASPECT_DEPTH_BIT};
    if (graphics_image_create(renderer->device, &def, &renderer->shadow_map, error)) {
        return error->result;
    }
    return create_framebuffer(renderer, renderer->pipelines.shadow_pass, &renderer->shadow_map.view, 1, extent,
                              &renderer->shadow_framebuffer, error);
}

static void write_material(const renderer *renderer, uint32_t material) {
    const VkDescriptorImageInfo images[2] = {
        {renderer->texture_sampler, renderer->textures[material].view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
        {renderer->shadow_sampler, renderer->shadow_map.view, VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL}};
    VkWriteDescriptorSet writes[2];
    for (uint32_t i = 0; i < 2; i++) {
        writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstSet = renderer->materials[material],
                                           .dstBinding = i,
                                           .descriptorCount = 1,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                           .pImageInfo = &images[i]};
    }
    vkUpdateDescriptorSets(renderer->device->device, 2, writes, 0, NULL);
}

static lmb_result create_materials(renderer *renderer, lmb_error *error) {
    VkDevice device = renderer->device->device;
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2 * renderer->texture_count};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = renderer->texture_count,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    if (graphics_check(vkCreateDescriptorPool(device, &pool, NULL, &renderer->descriptor_pool),
                       "vkCreateDescriptorPool", error)) {
        return error->result;
    }
    for (uint32_t i = 0; i < renderer->texture_count; i++) {
        const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = renderer->descriptor_pool,
                                                  .descriptorSetCount = 1,
                                                  .pSetLayouts = &renderer->pipelines.set_layout};
        if (graphics_check(vkAllocateDescriptorSets(device, &info, &renderer->materials[i]), "vkAllocateDescriptorSets",
                           error)) {
            return error->result;
        }
        write_material(renderer, i);
    }
    return LMB_OK;
}

static lmb_result create_frames(renderer *renderer, const renderer_def *def, lmb_error *error) {
    renderer->frame_count = def->frame_count;
    renderer->span_count = def->span_count;
    renderer->spans = calloc(def->span_count, sizeof *renderer->spans);
    renderer->groups = calloc((size_t)def->span_count * CHARACTER_LEVELS, sizeof *renderer->groups);
    renderer->entries = calloc(def->crowd->count, sizeof *renderer->entries);
    if (renderer->spans == NULL || renderer->groups == NULL || renderer->entries == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory to draw %u characters", def->crowd->count);
    }
    VkDeviceSize size = sizeof(frame_data) + (VkDeviceSize)def->crowd->count * sizeof(crowd_placement);
    for (uint32_t i = 0; i < def->frame_count; i++) {
        if (device_buffer_create(def->device, SOLIDS_VERTICES * sizeof(solid_vertex), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT,
                                 true, &renderer->solids[i], error)) {
            return error->result;
        }
        if (device_buffer_create(def->device, size,
                                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT, true,
                                 &renderer->frames[i], error)) {
            return error->result;
        }
    }
    return LMB_OK;
}

static void destroy_targets(renderer *renderer) {
    vkDestroyFramebuffer(renderer->device->device, renderer->framebuffer, NULL);
    renderer->framebuffer = VK_NULL_HANDLE;
    graphics_image_destroy(renderer->device, &renderer->color);
    graphics_image_destroy(renderer->device, &renderer->depth);
    graphics_image_destroy(renderer->device, &renderer->picture);
}

static lmb_result create_targets(renderer *renderer, VkExtent2D extent, lmb_error *error) {
    VkSampleCountFlagBits samples = renderer->pipelines.samples;
    bool resolves = samples != VK_SAMPLE_COUNT_1_BIT;
    const graphics_image_def picture = {.format = RENDERER_FORMAT,
                                        .extent = extent,
                                        .levels = 1,
                                        .samples = VK_SAMPLE_COUNT_1_BIT,
                                        .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                                        .aspect = VK_IMAGE_ASPECT_COLOR_BIT};
    graphics_image_def color = picture;
    color.samples = samples;
    color.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT;
    graphics_image_def depth = color;
    depth.format = renderer->pipelines.depth_format;
    depth.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT;
    depth.aspect = VK_IMAGE_ASPECT_DEPTH_BIT;
    renderer->extent = extent;
    if (graphics_image_create(renderer->device, &picture, &renderer->picture, error) ||
        graphics_image_create(renderer->device, &depth, &renderer->depth, error) ||
        (resolves && graphics_image_create(renderer->device, &color, &renderer->color, error))) {
        return error->result;
    }
    const VkImageView views[3] = {resolves ? renderer->color.view : renderer->picture.view, renderer->depth.view,
                                  renderer->picture.view};
    return create_framebuffer(renderer, renderer->pipelines.picture_pass, views, resolves ? 3 : 2, extent,
                              &renderer->framebuffer, error);
}

static lmb_result create_parts(renderer *renderer, const renderer_def *def, lmb_error *error) {
    if (pipelines_create(def->device, RENDERER_FORMAT, def->fine, &renderer->pipelines, error) ||
        create_textures(renderer, error) || create_meshes(renderer, error) || create_samplers(renderer, error) ||
        create_shadow_map(renderer, error) || create_materials(renderer, error) ||
        create_frames(renderer, def, error) || create_targets(renderer, def->extent, error)) {
        return error->result;
    }
    return LMB_OK;
}

lmb_result renderer_create(const renderer_def *def, renderer **result, lmb_error *error) {
    renderer *renderer = calloc(1, sizeof *renderer);
    if (renderer == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for the renderer");
    }
    renderer->device = def->device;
    renderer->character = def->crowd->character;
    if (create_parts(renderer, def, error)) {
        renderer_destroy(renderer);
        return error->result;
    }
    *result = renderer;
    return LMB_OK;
}

void renderer_destroy(renderer *renderer) {
    if (renderer == NULL) {
        return;
    }
    VkDevice device = renderer->device->device;
    destroy_targets(renderer);
    for (uint32_t i = 0; i < renderer->frame_count; i++) {
        device_buffer_destroy(renderer->device, &renderer->frames[i]);
        device_buffer_destroy(renderer->device, &renderer->solids[i]);
    }
    vkDestroyDescriptorPool(device, renderer->descriptor_pool, NULL);
    vkDestroyFramebuffer(device, renderer->shadow_framebuffer, NULL);
    graphics_image_destroy(renderer->device, &renderer->shadow_map);
    vkDestroySampler(device, renderer->texture_sampler, NULL);
    vkDestroySampler(device, renderer->shadow_sampler, NULL);
    device_buffer_destroy(renderer->device, &renderer->vertices);
    device_buffer_destroy(renderer->device, &renderer->indices);
    for (uint32_t i = 0; renderer->textures != NULL && i < renderer->texture_count; i++) {
        graphics_image_destroy(renderer->device, &renderer->textures[i]);
    }
    pipelines_destroy(renderer->device, &renderer->pipelines);
    free(renderer->textures);
    free(renderer->materials);
    free(renderer->meshes);
    free(renderer->spans);
    free(renderer->groups);
    free(renderer->entries);
    free(renderer);
}

lmb_result renderer_resize(renderer *renderer, VkExtent2D extent, lmb_error *error) {
    destroy_targets(renderer);
    return create_targets(renderer, extent, error);
}

VkExtent2D renderer_extent(const renderer *renderer) {
    return renderer->extent;
}

VkRenderPass renderer_pass(const renderer *renderer) {
    return renderer->pipelines.picture_pass;
}

VkSampleCountFlagBits renderer_samples(const renderer *renderer) {
    return renderer->pipelines.samples;
}

VkImage renderer_picture(const renderer *renderer) {
    return renderer->picture.image;
}

static void fill_view(const camera_view *view, frame_data *data) {
    memcpy(data->view_projection, view->view_projection, sizeof data->view_projection);
    memcpy(data->eye, view->eye, sizeof data->eye);
    memcpy(data->right, view->right, sizeof data->right);
    memcpy(data->up, view->up, sizeof data->up);
    memcpy(data->forward, view->forward, sizeof data->forward);
}

static void fill_character(const character *character, frame_data *data) {
    data->unit = character->unit;
    data->height = character->height;
    memcpy(data->origin, character->origin, sizeof data->origin);
    data->contact_count = character->contact_count;
    for (uint32_t i = 0; i < character->contact_count; i++) {
        const character_contact *contact = &character->contacts[i];
        data->contacts[i] = (frame_contact){.joint = contact->joint, .planted = contact->planted};
        memcpy(data->contacts[i].position, contact->position, sizeof contact->position);
    }
}

// Writes the data that the shaders read in this frame, and determines which characters are drawn.
static void fill_frame(renderer *renderer, const renderer_frame *frame) {
    camera_view view;
    camera_look(frame->camera, (float)renderer->extent.width / (float)renderer->extent.height, &view);
    for (uint32_t i = 0; i < renderer->span_count; i++) {
        lmb_gpu_span span;
        lmb_gpu_batch_output(frame->batch, frame->frame, LMB_OUTPUT_PALETTE, i, &span);
        renderer->spans[i] = (draw_span){span.first_character, span.character_count};
    }
    char *mapped = renderer->frames[frame->frame].mapped;
    const draw_list_def list = {.crowd = frame->crowd,
                                .view = &view,
                                .spans = renderer->spans,
                                .span_count = renderer->span_count,
                                .entries = renderer->entries,
                                .picture_height = (float)renderer->extent.height,
                                .map_size = SHADOW_MAP_SIZE,
                                .sun = sun_direction,
                                .has_solids = frame->scene != NULL};
    draw_list_shadow shadow;
    draw_list_build(&list, (crowd_placement *)(void *)(mapped + sizeof(frame_data)), renderer->groups, &shadow);

    // A lens twice as long is twice as far away and must see equally clearly.
    float length = 0.32f / view.rise;
    frame_data data = {.fog_distance = length * (1.6f * (frame->camera->distance + frame->crowd->radius) + 8.0f),
                       .shadow_texel = shadow.texel};
    memcpy(data.sun_projection, shadow.projection, sizeof data.sun_projection);
    memcpy(data.sun, sun_direction, sizeof data.sun);
    fill_view(&view, &data);
    fill_character(frame->crowd->character, &data);
    memcpy(mapped, &data, sizeof data);
    renderer->solid_count = frame->scene != NULL ? solids_write(frame->scene, frame->seconds, frame->camera->target[2],
                                                                (solid_vertex *)renderer->solids[frame->frame].mapped)
                                                 : 0;
}

static void bind_pipeline(const renderer *renderer, VkCommandBuffer commands, pipeline_id id) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, renderer->pipelines.handles[id]);
}

static void bind_material(const renderer *renderer, VkCommandBuffer commands, uint32_t material) {
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, renderer->pipelines.layout, 0, 1,
                            &renderer->materials[material], 0, NULL);
}

static void push(const renderer *renderer, VkCommandBuffer commands, const push_constants *constants) {
    vkCmdPushConstants(commands, renderer->pipelines.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
                       0, sizeof *constants, constants);
}

static push_constants begin_push(const renderer *renderer, const renderer_frame *frame) {
    VkDeviceAddress address = renderer->frames[frame->frame].address;
    return (push_constants){.frame = address,
                            .placements = address + sizeof(frame_data),
                            .joint_count = lmb_graph_get_info(renderer->character->graph)->joint_count};
}

static void draw_meshes(const renderer *renderer, const renderer_frame *frame, push_constants constants, uint32_t level,
                        uint32_t instance_count, bool shadow) {
    if (instance_count == 0) {
        return;
    }
    for (uint32_t i = renderer->level_start[level]; i < renderer->level_start[level + 1]; i++) {
        const mesh_range *mesh = &renderer->meshes[i];
        constants.influence_count = mesh->influence_count;
        memcpy(constants.base_color, mesh->base_color, sizeof constants.base_color);
        constants.base_color[3] = mesh->has_tint ? 1.0f : 0.0f;
        push(renderer, frame->commands, &constants);
        if (shadow) {
            bind_pipeline(renderer, frame->commands,
                          frame->skin != NULL  ? PIPELINE_SKINNED_SHADOW
                          : mesh->double_sided ? PIPELINE_SHADOW_DOUBLE_SIDED
                                               : PIPELINE_SHADOW);
        } else {
            bind_pipeline(renderer, frame->commands,
                          frame->skin != NULL  ? PIPELINE_SKINNED
                          : mesh->double_sided ? PIPELINE_CHARACTER_DOUBLE_SIDED
                                               : PIPELINE_CHARACTER);
            bind_material(renderer, frame->commands, mesh->material);
        }
        vkCmdDrawIndexed(frame->commands, mesh->index_count, instance_count, mesh->first_index, mesh->first_vertex, 0);
    }
}

static void draw_characters(const renderer *renderer, const renderer_frame *frame, bool shadow) {
    const VkDeviceSize offset = 0;
    vkCmdBindVertexBuffers(frame->commands, 0, 1, &renderer->vertices.buffer, &offset);
    vkCmdBindIndexBuffer(frame->commands, renderer->indices.buffer, 0, VK_INDEX_TYPE_UINT32);
    push_constants constants = begin_push(renderer, frame);
    for (uint32_t span = 0; span < renderer->span_count; span++) {
        lmb_gpu_span output;
        lmb_gpu_batch_output(frame->batch, frame->frame, LMB_OUTPUT_PALETTE, span, &output);
        constants.palette = output.address;
        if (frame->skin != NULL) {
            const compute_skin_streams streams = compute_skin_of(frame->skin, frame->frame);
            const VkDeviceSize first =
                (VkDeviceSize)output.first_character * streams.character_vertices * 3 * sizeof(float);
            constants.positions = streams.positions + first;
            constants.normals = streams.normals + first;
            constants.character_vertices = streams.character_vertices;
        }
        for (uint32_t level = 0; level < CHARACTER_LEVELS; level++) {
            const draw_group *group = &renderer->groups[span * CHARACTER_LEVELS + level];
            constants.first_placement = group->first;
            // A shadow shows no more detail than the coarsest level has.
            const uint32_t shown = frame->skin != NULL ? 0 : shadow ? renderer->character->level_count - 1 : level;
            draw_meshes(renderer, frame, constants, shown, shadow ? group->total : group->visible, shadow);
        }
    }
}

static void draw_solids(const renderer *renderer, const renderer_frame *frame, bool shadow) {
    const VkDeviceSize offset = 0;
    if (renderer->solid_count == 0) {
        return;
    }
    push_constants constants = begin_push(renderer, frame);
    push(renderer, frame->commands, &constants);
    bind_pipeline(renderer, frame->commands, shadow ? PIPELINE_SOLID_SHADOW : PIPELINE_SOLID);
    if (!shadow) {
        bind_material(renderer, frame->commands, renderer->texture_count - 1);
    }
    vkCmdBindVertexBuffers(frame->commands, 0, 1, &renderer->solids[frame->frame].buffer, &offset);
    vkCmdDraw(frame->commands, renderer->solid_count, 1, 0, 0);
}

static void draw_contacts(const renderer *renderer, const renderer_frame *frame) {
    bind_pipeline(renderer, frame->commands, PIPELINE_CONTACT);
    push_constants constants = begin_push(renderer, frame);
    for (uint32_t i = 0; i < renderer->span_count * CHARACTER_LEVELS; i++) {
        const draw_group *group = &renderer->groups[i];
        if (group->visible > 0) {
            lmb_gpu_span output;
            lmb_gpu_batch_output(frame->batch, frame->frame, LMB_OUTPUT_PALETTE, i / CHARACTER_LEVELS, &output);
            constants.palette = output.address;
            constants.first_placement = group->first;
            push(renderer, frame->commands, &constants);
            vkCmdDraw(frame->commands, 4, group->visible * (renderer->character->contact_count + 1), 0, 0);
        }
    }
}

static void begin_pass(VkCommandBuffer commands, VkRenderPass pass, VkFramebuffer framebuffer, VkExtent2D extent) {
    const VkClearValue clear[2] = {{.depthStencil = {1.0f, 0}}, {.depthStencil = {1.0f, 0}}};
    const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                         .renderPass = pass,
                                         .framebuffer = framebuffer,
                                         .renderArea = {{0, 0}, extent},
                                         .clearValueCount = 2,
                                         .pClearValues = clear};
    const VkViewport viewport = {0.0f, 0.0f, (float)extent.width, (float)extent.height, 0.0f, 1.0f};
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &begin.renderArea);
}

void renderer_record(renderer *renderer, const renderer_frame *frame) {
    fill_frame(renderer, frame);
    VkCommandBuffer commands = frame->commands;
    const pipelines *pipelines = &renderer->pipelines;
    const VkExtent2D map = {SHADOW_MAP_SIZE, SHADOW_MAP_SIZE};

    begin_pass(commands, pipelines->shadow_pass, renderer->shadow_framebuffer, map);
    draw_characters(renderer, frame, true);
    draw_solids(renderer, frame, true);
    vkCmdEndRenderPass(commands);

    begin_pass(commands, pipelines->picture_pass, renderer->framebuffer, renderer->extent);
    draw_characters(renderer, frame, false);
    draw_solids(renderer, frame, false);
    // Pixels covered by characters are not shaded again: the ground, its contact shades, then the sky are drawn last.
    push_constants constants = begin_push(renderer, frame);
    push(renderer, commands, &constants);
    bind_material(renderer, commands, renderer->texture_count - 1);
    bind_pipeline(renderer, commands, PIPELINE_GROUND);
    vkCmdDraw(commands, 4, 1, 0, 0);
    if (frame->scene == NULL || play_scene_strip_count(frame->scene) == 0) { // they are on the plane
        draw_contacts(renderer, frame);
    }
    bind_pipeline(renderer, commands, PIPELINE_SKY);
    vkCmdDraw(commands, 3, 1, 0, 0);
    ui_record(frame->ui, commands);
    vkCmdEndRenderPass(commands);
}

static lmb_result read_picture(const renderer *renderer, const device_buffer *pixels, lmb_error *error) {
    VkCommandPool pool;
    VkCommandBuffer commands;
    if (device_begin(renderer->device, &pool, &commands, error)) {
        return error->result;
    }
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {renderer->extent.width, renderer->extent.height, 1}};
    vkCmdCopyImageToBuffer(commands, renderer->picture.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels->buffer, 1,
                           &region);
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL,
                         0, NULL);
    return device_submit_and_wait(renderer->device, pool, commands, error);
}

// The bytes of a PNG, as stb_image_write hands them over: all at once.
typedef struct picture_file {
    const char *path;
    lmb_error *error;
    lmb_result result;
} picture_file;

static void write_picture(void *context, void *bytes, int size) {
    picture_file *file = context;
    file->result = file_write(file->path, bytes, (size_t)size, file->error);
}

lmb_result renderer_save_picture(const renderer *renderer, const char *path, lmb_error *error) {
    VkExtent2D extent = renderer->extent;
    device_buffer pixels = {0};
    lmb_result result = device_buffer_create(renderer->device, (VkDeviceSize)extent.width * extent.height * 4,
                                             VK_BUFFER_USAGE_TRANSFER_DST_BIT, true, &pixels, error);
    if (result == LMB_OK) {
        result = read_picture(renderer, &pixels, error);
    }
    if (result == LMB_OK) {
        picture_file file = {path, error, LMB_ERROR_MEMORY};
        const bool is_made = stbi_write_png_to_func(write_picture, &file, (int)extent.width, (int)extent.height, 4,
                                                    pixels.mapped, (int)extent.width * 4);
        result = is_made ? file.result : viewer_fail(error, LMB_ERROR_MEMORY, "%s: no memory for a picture", path);
    }
    device_buffer_destroy(renderer->device, &pixels);
    return result;
}
