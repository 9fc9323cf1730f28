// All meshes of the mannequin become one skin. Morph targets move the vertices of the head, which is the usual case:
// few vertices, several targets.
#include "skinning.h"

#include <mannequin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The vertices of all meshes of the mannequin, one after another.
typedef struct vertices {
    lmb_vertex *each;
    uint32_t count;
    lmb_skin_delta *deltas; // [SKINNING_TARGETS][delta_count]
    uint32_t delta_count;
} vertices;

static lmb_result no_memory(lmb_error *error) {
    *error = (lmb_error){.result = LMB_ERROR_MEMORY, .message = "no memory for a mesh"};
    return LMB_ERROR_MEMORY;
}

static lmb_result copy_vertices(const mannequin_skin *meshes, vertices *vertices, lmb_error *error) {
    for (uint32_t i = 0; i < mannequin_skin_mesh_count(meshes); i++) {
        vertices->count += mannequin_skin_mesh(meshes, i)->vertex_count;
    }
    vertices->each = malloc(vertices->count * sizeof *vertices->each);
    if (vertices->each == NULL) {
        return no_memory(error);
    }
    lmb_vertex *at = vertices->each;
    for (uint32_t i = 0; i < mannequin_skin_mesh_count(meshes); i++) {
        const lmb_mesh *mesh = mannequin_skin_mesh(meshes, i);
        memcpy(at, mesh->vertices, mesh->vertex_count * sizeof *at);
        at += mesh->vertex_count;
    }
    return LMB_OK;
}

// Every target moves all vertices whose largest influence is the head.
static lmb_result create_deltas(const lmb_rig *rig, vertices *vertices, lmb_error *error) {
    const uint32_t head = lmb_rig_find_joint(rig, "head");
    vertices->deltas = calloc((size_t)vertices->count * SKINNING_TARGETS, sizeof *vertices->deltas);
    if (vertices->deltas == NULL) {
        return no_memory(error);
    }
    for (uint32_t i = 0; i < vertices->count; i++) {
        vertices->delta_count += vertices->each[i].joints[0] == head ? 1 : 0;
    }
    lmb_skin_delta *delta = vertices->deltas;
    for (uint32_t target = 0; target < SKINNING_TARGETS; target++) {
        for (uint32_t i = 0; i < vertices->count; i++) {
            if (vertices->each[i].joints[0] == head) {
                delta->vertex = i;
                delta->position[target % 3] = 0.01f;
                delta->normal[(target + 1) % 3] = 0.1f;
                delta++;
            }
        }
    }
    return LMB_OK;
}

static lmb_result create_skin(const lmb_rig *rig, const vertices *vertices, skinning *skinning, lmb_error *error) {
    const lmb_vertex *each = vertices->each;
    lmb_skin_target targets[SKINNING_TARGETS];
    lmb_skin_def def = lmb_default_skin_def();
    def.name = "mannequin";
    def.joint_count = lmb_rig_get_def(rig)->joint_count;
    def.vertex_count = vertices->count;
    def.positions = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, each->position, sizeof *each};
    def.normals = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, each->normal, sizeof *each};
    def.joints = (lmb_skin_attribute){LMB_SKIN_FORMAT_UINT32, each->joints, sizeof *each};
    def.weights = (lmb_skin_attribute){LMB_SKIN_FORMAT_FLOAT, each->weights, sizeof *each};
    if (skinning->morphs) {
        for (uint32_t i = 0; i < SKINNING_TARGETS; i++) {
            targets[i] = (lmb_skin_target){"target", i, vertices->deltas + (size_t)i * vertices->delta_count,
                                           vertices->delta_count};
        }
        def.targets = targets;
        def.target_count = SKINNING_TARGETS;
        def.channel_count = SKINNING_TARGETS;
    }
    return lmb_skin_create(&def, NULL, &skinning->skin, error);
}

lmb_result skinning_create(const lmb_rig *rig, lmb_skin_method method, bool morphs, skinning *skinning,
                           lmb_error *error) {
    *skinning = (struct skinning){.method = method, .morphs = morphs};
    mannequin_skin *meshes = NULL;
    vertices vertices = {0};
    if (lmb_rig_find_joint(rig, "head") == LMB_NONE) {
        *error = (lmb_error){.result = LMB_ERROR_ARGUMENT, .message = "skinning needs the joints of the mannequin"};
        return LMB_ERROR_ARGUMENT;
    }
    lmb_result result = mannequin_skin_create(MANNEQUIN_VERTICES_LOW, NULL, &meshes, error);
    result = result == LMB_OK ? copy_vertices(meshes, &vertices, error) : result;
    result = result == LMB_OK && morphs ? create_deltas(rig, &vertices, error) : result;
    result = result == LMB_OK ? create_skin(rig, &vertices, skinning, error) : result;
    mannequin_skin_destroy(meshes);
    free(vertices.each);
    free(vertices.deltas);
    return result;
}

void skinning_destroy(skinning *skinning) {
    lmb_skin_destroy(skinning->skin);
    *skinning = (struct skinning){0};
}

lmb_skin_layout skinning_layout(const skinning *skinning, uint32_t characters, uint32_t first, uint32_t count) {
    lmb_skin_layout layout = lmb_default_skin_layout(characters);
    layout.method = skinning->method;
    layout.first_character = first;
    layout.palette_count = count;
    layout.streams[LMB_SKIN_OUTPUT_NORMALS].format = LMB_SKIN_FORMAT_FLOAT;
    return layout;
}

size_t skinning_floats(const skinning *skinning) {
    return skinning->skin != NULL ? (size_t)lmb_skin_get_info(skinning->skin)->vertex_count * 6 : 0;
}

void skinning_fill(float phase, float *channels) {
    for (uint32_t i = 0; i < SKINNING_TARGETS; i++) {
        channels[i] = 0.2f + 0.1f * (float)i * phase;
    }
}
