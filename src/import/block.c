#include "importer.h"

#include "../mesh.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// After the magic text follow little-endian 32-bit words. Each text and block begins with its size in bytes and is
// padded to whole words:
//
//   counts of joints, channels, clips, meshes, images, notes and nodes
//   joint:   name, parent, rest (10), inverse bind matrix (12), radius
//   channel: name, rest, whether it is an angle
//   clip:    size, block (lmb_clip_block)
//   mesh:    name, material, color (4), metallic, roughness, scale of normals, images (3), sides, vertex count, vertices
//            (24 each), index count, indices, tangents and colors (count: 0 or that of the vertices; 4 each), count of
//            morph targets,
//            [target]: name, channel, count, displacements (10 each)
//   image:   name, size, bytes
//   note:    text
//   node:    joint
#define MAGIC_SIZE (sizeof LMB_IMPORT_BLOCK_MAGIC - 1)
#define REST_WORDS 10u
#define MATRIX_WORDS 12u

_Static_assert(sizeof(lmb_transform) == REST_WORDS * 4 && sizeof(lmb_affine) == MATRIX_WORDS * 4 &&
                   sizeof(lmb_vertex) == 24 * 4 && sizeof(lmb_skin_delta) == 10 * 4,
               "what is written has padding");

// ---- Writing. If the buffer is too small, only the size is computed. ----

typedef struct writer {
    uint8_t *bytes;
    size_t room, size;
} writer;

static void put(writer *out, const void *bytes, size_t size) {
    static const uint8_t zeros[4];
    const size_t padding = (0 - size) & 3u;
    if (out->size + size + padding <= out->room && out->bytes != NULL) {
        memcpy(out->bytes + out->size, bytes, size);
        memcpy(out->bytes + out->size + size, zeros, padding);
    }
    out->size += size + padding;
}

static void put_word(writer *out, uint32_t word) {
    put(out, &word, sizeof word);
}

static void put_block(writer *out, const void *bytes, size_t size) {
    put_word(out, (uint32_t)size);
    if (size > 0) {
        put(out, bytes, size);
    }
}

static void put_text(writer *out, const char *text) {
    put_block(out, text, strlen(text));
}

static void put_rig(writer *out, const lmb_rig *rig) {
    for (uint32_t i = 0; i < lmb_rig_joint_count(rig); i++) {
        const lmb_transform rest = lmb_rig_joint_rest(rig, i);
        const lmb_affine inverse_bind = lmb_rig_joint_inverse_bind(rig, i);
        const float radius = lmb_rig_joint_radius(rig, i);
        put_text(out, lmb_rig_joint_name(rig, i));
        put_word(out, lmb_rig_joint_parent(rig, i));
        put(out, &rest, sizeof rest);
        put(out, &inverse_bind, sizeof inverse_bind);
        put(out, &radius, sizeof radius);
    }
    for (uint32_t i = 0; i < lmb_rig_channel_count(rig); i++) {
        const float rest = lmb_rig_channel_rest(rig, i);
        put_text(out, lmb_rig_channel_name(rig, i));
        put(out, &rest, sizeof rest);
        put_word(out, lmb_rig_channel_is_angle(rig, i));
    }
}

// Writes an array that a mesh may lack.
static void put_vectors(writer *out, const float *vectors, uint32_t count) {
    put_word(out, vectors != NULL ? count : 0);
    if (vectors != NULL) {
        put(out, vectors, count * 4 * sizeof *vectors);
    }
}

static void put_mesh(writer *out, const lmb_mesh *mesh) {
    put_text(out, mesh->name);
    put_text(out, mesh->material);
    put(out, mesh->base_color, sizeof mesh->base_color);
    put(out, &mesh->metallic, sizeof mesh->metallic);
    put(out, &mesh->roughness, sizeof mesh->roughness);
    put(out, &mesh->normal_scale, sizeof mesh->normal_scale);
    put_word(out, mesh->image);
    put_word(out, mesh->metallic_roughness_image);
    put_word(out, mesh->normal_image);
    put_word(out, mesh->double_sided);
    put_word(out, mesh->vertex_count);
    put(out, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
    put_word(out, mesh->index_count);
    put(out, mesh->indices, mesh->index_count * sizeof *mesh->indices);
    put_vectors(out, mesh->tangents, mesh->vertex_count);
    put_vectors(out, mesh->colors, mesh->vertex_count);
    put_word(out, mesh->target_count);
    for (uint32_t i = 0; i < mesh->target_count; i++) {
        const lmb_skin_target *target = &mesh->targets[i];
        put_text(out, target->name);
        put_word(out, target->channel);
        put_word(out, target->delta_count);
        if (target->delta_count > 0) {
            put(out, target->deltas, target->delta_count * sizeof *target->deltas);
        }
    }
}

size_t lmb_import_write(const lmb_import *import, void *bytes, size_t size) {
    writer out = {.bytes = bytes, .room = size};
    put(&out, LMB_IMPORT_BLOCK_MAGIC, MAGIC_SIZE);
    const uint32_t counts[] = {lmb_rig_joint_count(import->rig),
                               lmb_rig_channel_count(import->rig),
                               import->clip_count,
                               import->mesh_count,
                               import->image_count,
                               import->note_count,
                               import->node_count};
    put(&out, counts, sizeof counts);
    put_rig(&out, import->rig);
    for (uint32_t i = 0; i < import->clip_count; i++) {
        size_t clip_size;
        const void *clip = lmb_clip_block(import->clips[i], &clip_size);
        put_block(&out, clip, clip_size);
    }
    for (uint32_t i = 0; i < import->mesh_count; i++) {
        put_mesh(&out, &import->meshes[i]);
    }
    for (uint32_t i = 0; i < import->image_count; i++) {
        put_text(&out, import->images[i].name);
        put_block(&out, import->images[i].bytes, import->images[i].size);
    }
    for (uint32_t i = 0; i < import->note_count; i++) {
        put_text(&out, import->notes[i]);
    }
    for (uint32_t i = 0; i < import->node_count; i++) {
        put_word(&out, import->joint_of_node[i]);
    }
    return out.size;
}

// ---- Reading ----

typedef struct reader {
    lmb_importer *importer;
    const uint8_t *bytes;
    size_t size, at;
    char place[48]; // what is being read, for messages
    lmb_joint_def *joints;
    lmb_channel_def *channels;
    uint32_t image_count;
} reader;

static bool fail(reader *in, const char *why) {
    return lmb_importer_fail(in->importer, LMB_ERROR_FORMAT, "%s: %s", in->place, why);
}

// Reads things of one kind one by one.
static bool take_each(reader *in, const char *kind, uint32_t count, bool (*take_one)(reader *in, uint32_t index)) {
    bool success = true;
    for (uint32_t i = 0; success && i < count; i++) {
        snprintf(in->place, sizeof in->place, "%s %" PRIu32, kind, i);
        success = take_one(in, i);
    }
    return success;
}

// Returns the next bytes; NULL if fewer are left.
static const uint8_t *take(reader *in, size_t size) {
    const size_t left = in->size - in->at;
    if (size > left || ((0 - size) & 3u) > left - size) {
        fail(in, "the import block ends inside it");
        return NULL;
    }
    const uint8_t *taken = in->bytes + in->at;
    in->at += size + ((0 - size) & 3u);
    return taken;
}

static bool take_into(reader *in, void *result, size_t size) {
    const uint8_t *taken = take(in, size);
    if (taken != NULL) {
        memcpy(result, taken, size);
    }
    return taken != NULL;
}

static bool take_word(reader *in, uint32_t *word) {
    return take_into(in, word, sizeof *word);
}

static char *take_text(reader *in, lmb_pool *pool) {
    uint32_t length;
    const uint8_t *text = take_word(in, &length) ? take(in, length) : NULL;
    if (text == NULL) {
        return NULL;
    }
    if (memchr(text, '\0', length) != NULL) {
        fail(in, "a text has a byte of 0 inside");
        return NULL;
    }
    char *copy = lmb_importer_allocate(in->importer, pool, (size_t)length + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
    }
    return copy;
}

// Allocates `count` elements. Each occupies at least `min` bytes in the block, so a count that the remaining bytes
// cannot hold is rejected.
static void *take_list(reader *in, lmb_pool *pool, uint32_t count, size_t min, size_t size) {
    if (count > (in->size - in->at) / min) {
        fail(in, "the import block ends inside it");
        return NULL;
    }
    return lmb_importer_allocate(in->importer, pool, count > 0 ? count : 1, size);
}

// Reads a count and as many elements, which become part of the import.
static const void *take_array(reader *in, uint32_t *count, size_t size) {
    void *elements = take_word(in, count) ? take_list(in, &in->importer->import->pool, *count, size, size) : NULL;
    return elements != NULL && take_into(in, elements, *count * size) ? elements : NULL;
}

static bool take_joint(reader *in, uint32_t index) {
    lmb_joint_def *joint = &in->joints[index];
    *joint = lmb_default_joint_def();
    joint->is_normalised = joint->has_inverse_bind = true;
    joint->name = take_text(in, &in->importer->scratch);
    return joint->name != NULL && take_word(in, &joint->parent) && take_into(in, &joint->rest, sizeof joint->rest) &&
           take_into(in, &joint->inverse_bind, sizeof joint->inverse_bind) &&
           take_into(in, &joint->radius, sizeof joint->radius) &&
           (joint->parent == LMB_NONE || joint->parent < index || fail(in, "its parent does not come before it"));
}

static bool take_channel(reader *in, uint32_t index) {
    lmb_channel_def *channel = &in->channels[index];
    uint32_t angle;
    channel->name = take_text(in, &in->importer->scratch);
    if (channel->name == NULL || !take_into(in, &channel->rest, sizeof channel->rest) || !take_word(in, &angle)) {
        return false;
    }
    channel->angle = angle == 1;
    return angle <= 1 || fail(in, "it is an angle or it is not: 0 or 1");
}

static bool take_rig(reader *in, uint32_t joint_count, uint32_t channel_count) {
    lmb_importer *importer = in->importer;
    if (joint_count == 0) {
        return fail(in, "there is no joint");
    }
    in->joints = take_list(in, &importer->scratch, joint_count, 100, sizeof *in->joints);
    in->channels = take_list(in, &importer->scratch, channel_count, 12, sizeof *in->channels);
    if (in->joints == NULL || in->channels == NULL || !take_each(in, "joint", joint_count, take_joint) ||
        !take_each(in, "channel", channel_count, take_channel)) {
        return false;
    }
    return lmb_importer_create_rig(importer, in->joints, joint_count, in->channels, channel_count);
}

static bool take_clip(reader *in, uint32_t index) {
    (void)index;
    lmb_import *import = in->importer->import;
    lmb_host host = lmb_pool_host(&import->pool);
    lmb_error error;
    lmb_clip *clip;
    uint32_t size;
    const uint8_t *block = take_word(in, &size) ? take(in, size) : NULL;
    if (block == NULL) {
        return false;
    }
    if (lmb_clip_open(block, size, &host, &clip, &error) != LMB_OK) {
        return lmb_importer_fail_inner(in->importer, in->place, &error);
    }
    return lmb_importer_keep_clip(in->importer, clip) &&
           ((lmb_clip_joint_count(clip) == lmb_rig_joint_count(import->rig) &&
             lmb_clip_channel_count(clip) == lmb_rig_channel_count(import->rig)) ||
            fail(in, "it is of another rig"));
}

static bool take_vectors(reader *in, const lmb_mesh *mesh, const float **vectors) {
    uint32_t count;
    const float *taken = take_array(in, &count, 4 * sizeof **vectors);
    if (taken == NULL) {
        return false;
    }
    if (count != 0 && count != mesh->vertex_count) {
        return fail(in, "its tangents or colors are not as many as its vertices");
    }
    *vectors = count > 0 ? taken : NULL;
    return true;
}

static bool take_targets(reader *in, lmb_mesh *mesh) {
    lmb_import *import = in->importer->import;
    uint32_t count;
    if (!take_word(in, &count)) {
        return false;
    }
    lmb_skin_target *targets = take_list(in, &import->pool, count, 12, sizeof *targets);
    mesh->targets = targets;
    for (uint32_t i = 0; targets != NULL && i < count; i++) {
        targets[i].name = take_text(in, &import->pool);
        if (targets[i].name == NULL || !take_word(in, &targets[i].channel)) {
            return false;
        }
        targets[i].deltas = take_array(in, &targets[i].delta_count, sizeof *targets[i].deltas);
        if (targets[i].deltas == NULL) {
            return false;
        }
        mesh->target_count++;
    }
    return targets != NULL;
}

static bool take_mesh(reader *in, uint32_t index) {
    lmb_import *import = in->importer->import;
    lmb_mesh *mesh = &import->meshes[index];
    uint32_t sides;
    mesh->name = take_text(in, &import->pool);
    mesh->material = mesh->name == NULL ? NULL : take_text(in, &import->pool);
    if (mesh->material == NULL || !take_into(in, mesh->base_color, sizeof mesh->base_color) ||
        !take_into(in, &mesh->metallic, sizeof mesh->metallic) ||
        !take_into(in, &mesh->roughness, sizeof mesh->roughness) ||
        !take_into(in, &mesh->normal_scale, sizeof mesh->normal_scale) || !take_word(in, &mesh->image) ||
        !take_word(in, &mesh->metallic_roughness_image) || !take_word(in, &mesh->normal_image) ||
        !take_word(in, &sides)) {
        return false;
    }
    if (sides > 1) {
        return fail(in, "it has two sides or it has not: 0 or 1");
    }
    mesh->double_sided = sides == 1;
    import->mesh_count++;
    mesh->vertices = take_array(in, &mesh->vertex_count, sizeof *mesh->vertices);
    mesh->indices = mesh->vertices == NULL ? NULL : take_array(in, &mesh->index_count, sizeof *mesh->indices);
    if (mesh->indices == NULL || !take_vectors(in, mesh, &mesh->tangents) || !take_vectors(in, mesh, &mesh->colors) ||
        !take_targets(in, mesh)) {
        return false;
    }
    char why[64];
    return lmb_mesh_check(mesh, import->rig, in->image_count, why, sizeof why) || fail(in, why);
}

static bool take_image(reader *in, uint32_t index) {
    lmb_import *import = in->importer->import;
    lmb_image *image = &import->images[index];
    uint32_t size;
    image->name = take_text(in, &import->pool);
    const uint8_t *bytes = image->name != NULL && take_word(in, &size) ? take(in, size) : NULL;
    uint8_t *copy = bytes == NULL ? NULL : lmb_importer_keep(in->importer, size > 0 ? size : 1, 1);
    if (copy == NULL) {
        return false;
    }
    image->bytes = memcpy(copy, bytes, size);
    image->size = size;
    import->image_count++;
    return true;
}

static bool take_note(reader *in, uint32_t index) {
    (void)index;
    const char *note = take_text(in, &in->importer->scratch);
    if (note != NULL && note[0] == '\0') {
        return fail(in, "it is empty");
    }
    return note != NULL && lmb_importer_note(in->importer, "%s", note);
}

static bool take_nodes(reader *in, uint32_t count) {
    lmb_import *import = in->importer->import;
    snprintf(in->place, sizeof in->place, "nodes");
    uint32_t *joints = take_list(in, &import->pool, count, sizeof *joints, sizeof *joints);
    if (joints == NULL || !take_into(in, joints, count * sizeof *joints)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (joints[i] != LMB_NONE && joints[i] >= lmb_rig_joint_count(import->rig)) {
            return fail(in, "a joint is out of range");
        }
    }
    import->joint_of_node = joints;
    import->node_count = count;
    return true;
}

bool lmb_import_read_block(lmb_importer *importer, const uint8_t *bytes, size_t size) {
    lmb_import *import = importer->import;
    reader in = {.importer = importer, .bytes = bytes, .size = size, .at = MAGIC_SIZE, .place = "counts"};
    struct {
        uint32_t joints, channels, clips, meshes, images, notes, nodes;
    } counts;
    if (importer->adds_clips) {
        return lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED,
                                 "an import block adds no clips to another file's rig");
    }
    if (!take_into(&in, &counts, sizeof counts) || !take_rig(&in, counts.joints, counts.channels) ||
        !take_each(&in, "clip", counts.clips, take_clip)) {
        return false;
    }
    in.image_count = counts.images;
    import->meshes = take_list(&in, &import->pool, counts.meshes, 56, sizeof *import->meshes);
    if (import->meshes == NULL || !take_each(&in, "mesh", counts.meshes, take_mesh)) {
        return false;
    }
    import->images = take_list(&in, &import->pool, counts.images, 8, sizeof *import->images);
    return import->images != NULL && take_each(&in, "image", counts.images, take_image) &&
           take_each(&in, "note", counts.notes, take_note) && take_nodes(&in, counts.nodes) &&
           (in.at == in.size || lmb_importer_fail(importer, LMB_ERROR_FORMAT, "something follows the import block"));
}
