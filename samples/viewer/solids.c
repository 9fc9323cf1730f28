// Writes triangles of strips of ground and of rails.
#include "solids.h"

#include <math.h>
#include <string.h>

#define AROUND 28.0f // metres of ground on both sides
#define RAIL_SIDES 10u
#define RAIL_RADIUS 0.022f
#define POST_RADIUS 0.016f

typedef struct solids {
    solid_vertex *vertices;
    uint32_t count;
} solids;

static const float ground_color[3] = {0.47f, 0.44f, 0.40f};
static const float side_color[3] = {0.30f, 0.285f, 0.27f};
static const float rail_color[3] = {0.62f, 0.16f, 0.10f};
static const float post_color[3] = {0.30f, 0.31f, 0.33f};

static void add_vertex(solids *solids, const float position[3], const float normal[3], const float color[3]) {
    solid_vertex *vertex = &solids->vertices[solids->count++];
    memcpy(vertex->position, position, sizeof vertex->position);
    memcpy(vertex->normal, normal, sizeof vertex->normal);
    memcpy(vertex->color, color, sizeof vertex->color);
}

// Adds a quad whose corners follow each other.
static void add_quad(solids *solids, float corners[4][3], const float normal[3], const float color[3]) {
    static const uint32_t order[6] = {0, 1, 2, 0, 2, 3};
    for (uint32_t i = 0; solids->count + 6 <= SOLIDS_VERTICES && i < 6; i++) {
        add_vertex(solids, corners[order[i]], normal, color);
    }
}

// Adds a part of a strip, from one key to the next: its top, or a riser, and both sides down to the ground.
static void add_part(solids *solids, const play_scene_strip *strip, const float a[2], const float b[2], float shift) {
    const float from = a[0] + shift, to = b[0] + shift, rise = b[1] - a[1], run = to - from;
    const float length = sqrtf(rise * rise + run * run);
    float top[4][3] = {
        {strip->from, a[1], from}, {strip->to, a[1], from}, {strip->to, b[1], to}, {strip->from, b[1], to}};
    if ((a[1] == 0.0f && b[1] == 0.0f) || length == 0.0f) {
        return;
    }
    const float normal[3] = {0.0f, run / length, -rise / length};
    add_quad(solids, top, normal, run > 0.0f ? ground_color : side_color);
    for (int side = 0; side < 2 && run > 0.0f; side++) {
        // Below the top, so that it is not seen in that of a strip beside it.
        const float x = side == 0 ? strip->from + 0.002f : strip->to - 0.002f;
        const float outwards[3] = {side == 0 ? -1.0f : 1.0f, 0.0f, 0.0f};
        float wall[4][3] = {{x, 0.0f, from}, {x, a[1], from}, {x, b[1], to}, {x, 0.0f, to}};
        add_quad(solids, wall, outwards, side_color);
    }
}

static void add_strip(solids *solids, const play_scene_strip *strip, float z) {
    const float first = strip->keys[0][0], period = strip->keys[strip->key_count - 1][0] - first;
    const int begin = (int)floorf((z - AROUND - first) / period), end = (int)ceilf((z + AROUND - first) / period);
    for (int i = begin; i < end; i++) {
        for (uint32_t k = 0; k + 1 < strip->key_count; k++) {
            add_part(solids, strip, strip->keys[k], strip->keys[k + 1], (float)i * period);
        }
    }
}

// Adds a prism around the line between two points, as a rod with smooth normals, and its ends.
static void add_rod(solids *solids, const float a[3], const float b[3], float radius, const float color[3]) {
    float axis[3], u[3], v[3], length = 0.0f;
    for (int i = 0; i < 3; i++) {
        axis[i] = b[i] - a[i];
        length += axis[i] * axis[i];
    }
    length = fmaxf(sqrtf(length), 1e-6f);
    for (int i = 0; i < 3; i++) {
        axis[i] /= length;
    }
    // Two directions across: along z, or along x for what is itself along z.
    const float other[3] = {fabsf(axis[2]) > 0.7f ? 1.0f : 0.0f, 0.0f, fabsf(axis[2]) > 0.7f ? 0.0f : 1.0f};
    float square = 0.0f;
    for (int i = 0; i < 3; i++) {
        u[i] = axis[(i + 1) % 3] * other[(i + 2) % 3] - axis[(i + 2) % 3] * other[(i + 1) % 3];
        square += u[i] * u[i];
    }
    for (int i = 0; i < 3; i++) {
        u[i] /= sqrtf(square);
    }
    for (int i = 0; i < 3; i++) {
        v[i] = axis[(i + 1) % 3] * u[(i + 2) % 3] - axis[(i + 2) % 3] * u[(i + 1) % 3];
    }
    for (uint32_t side = 0; side < RAIL_SIDES && solids->count + 6 <= SOLIDS_VERTICES; side++) {
        float corners[4][3], normals[4][3];
        for (uint32_t k = 0; k < 4; k++) {
            const float turn = 6.28318531f * (float)(side + (k == 1 || k == 2)) / (float)RAIL_SIDES;
            for (int i = 0; i < 3; i++) {
                normals[k][i] = cosf(turn) * u[i] + sinf(turn) * v[i];
                corners[k][i] = (k < 2 ? a[i] : b[i]) + radius * normals[k][i];
            }
        }
        static const uint32_t order[6] = {0, 1, 2, 0, 2, 3};
        for (uint32_t i = 0; i < 6; i++) {
            add_vertex(solids, corners[order[i]], normals[order[i]], color);
        }
    }
}

static void add_rail(solids *solids, const play_scene *scene, uint32_t index, double seconds) {
    float ends[2][3];
    play_scene_rail(scene, index, seconds, ends);
    add_rod(solids, ends[0], ends[1], RAIL_RADIUS, rail_color);
    for (uint32_t i = 0; i < 2; i++) {
        const float foot[3] = {ends[i][0], play_scene_ground(scene, ends[i][0], ends[i][2], NULL), ends[i][2]};
        add_rod(solids, foot, ends[i], POST_RADIUS, post_color);
    }
}

uint32_t solids_write(const play_scene *scene, double seconds, float z, solid_vertex *vertices) {
    solids solids = {vertices, 0};
    for (uint32_t i = 0; i < play_scene_rail_count(scene); i++) {
        add_rail(&solids, scene, i, seconds);
    }
    for (uint32_t i = 0; i < play_scene_strip_count(scene); i++) {
        const play_scene_strip strip = play_scene_strip_at(scene, i);
        add_strip(&solids, &strip, z);
    }
    return solids.count;
}
