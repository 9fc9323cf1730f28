// Models the face as patches of a grid: parts of spheres for eyes and lids, and strips on the surface for mouth and
// brows. A morph target is the patch with another shape, minus the patch.
#include "mannequin_face.h"

#include "mannequin_memory.h"
#include "mannequin_shape.h"

#include <string.h>

#define DEGREES (PI / 180.0)
#define EYE_RADIUS 0.0185
#define LID_RADIUS 0.0202

static const char *const CHANNELS[FACE_CHANNELS] = {"smile", "open", "blink", "brows"};
static const char *const MESHES[FACE_MESHES] = {"lids", "eyes", "pupils", "features"};
static const float COLOURS[FACE_MESHES][4] = {{0.60f, 0.58f, 0.55f, 1.0f},
                                              {0.86f, 0.86f, 0.84f, 1.0f},
                                              {0.015f, 0.02f, 0.025f, 1.0f},
                                              {0.05f, 0.02f, 0.02f, 1.0f}};

const char *face_channel_name(uint32_t channel) {
    return CHANNELS[channel];
}

// A point of the surface, lifted along its normal.
static vec3 on_surface(double x, double y, double lift) {
    const vec3 point = shape_project(vec3_of(x, y, 0.105));
    return vec3_add(point, vec3_scale(shape_normal(point), lift));
}

vec3 face_eye(uint32_t joint) {
    const double side = joint == LEFT_EYE ? 1.0 : -1.0;
    return on_surface(0.029 * side, 1.684, -0.0095);
}

// Values of the channels.
typedef struct expression {
    double values[FACE_CHANNELS];
} expression;

// ---- Patches. Each maps u and v in [0, 1] to a point.

typedef struct patch {
    vec3 (*at)(const struct patch *patch, double u, double v, const expression *face);
    uint32_t joint;
    double side;     // 1 left, -1 right, 0 the middle
    double from, to; // range of v in degrees, of parts of a sphere
    uint32_t columns, rows;
} patch;

// Part of the eye between two angles from the direction in which it looks.
static vec3 eye_at(const patch *patch, double u, double v, const expression *face) {
    (void)face;
    const double around = 2.0 * PI * u, angle = (patch->from + (patch->to - patch->from) * v) * DEGREES;
    return vec3_add(face_eye(patch->joint),
                    vec3_scale(vec3_of(sin(angle) * cos(around), sin(angle) * sin(around), cos(angle)), EYE_RADIUS));
}

// A lid turns about the line between the corners of the eye: `from` is its edge when it is open, and blinking closes
// it.
static vec3 lid_at(const patch *patch, double u, double v, const expression *face) {
    const double across = (150.0 * u - 75.0) * DEGREES;
    const double edge = patch->from + face->values[FACE_BLINK] * (-12.0 - patch->from);
    const double angle = (edge + (patch->to - edge) * v) * DEGREES;
    const vec3 eye = face_eye(patch->side > 0.0 ? LEFT_EYE : RIGHT_EYE);
    const vec3 direction = vec3_of(sin(across), cos(across) * sin(angle), cos(across) * cos(angle));
    return vec3_add(eye, vec3_scale(direction, LID_RADIUS));
}

static vec3 mouth_at(const patch *patch, double u, double v, const expression *face) {
    (void)patch;
    const double s = 2.0 * u - 1.0, smile = face->values[FACE_SMILE], open = face->values[FACE_OPEN];
    const double thin = 1.0 - s * s;
    double y = 1.6185 + smile * (0.012 * s * s - 0.004);
    y += (v - 0.5) * (0.0026 + 0.0026 * thin); // two lips
    y += open * thin * (v < 0.5 ? -0.013 * (1.0 - 2.0 * v) : 0.003 * (2.0 * v - 1.0));
    return on_surface((0.023 + 0.006 * smile - 0.004 * open) * s, y, 0.0012);
}

static vec3 brow_at(const patch *patch, double u, double v, const expression *face) {
    const double x = patch->side * (0.013 + 0.035 * u), rise = face->values[FACE_BROWS];
    const double y = 1.7135 + 0.004 * sin(PI * u) - 0.003 * u + (v - 0.5) * 0.0062 + rise * 0.010;
    return on_surface(x, y, 0.0014);
}

// ---- Meshes.

typedef struct builder {
    lmb_mesh *mesh;
    lmb_vertex *vertices;
    uint32_t *indices;
} builder;

static const expression NEUTRAL = {{0.0}};

static void set_position(lmb_vertex *vertex, vec3 point, vec3 normal, uint32_t joint) {
    *vertex = (lmb_vertex){.position = {(float)point.x, (float)point.y, (float)point.z},
                           .normal = {(float)normal.x, (float)normal.y, (float)normal.z}};
    vertex->joints[0] = joint;
    vertex->weights[0] = 1.0f;
}

static vec3 normal_of(const patch *patch, vec3 point) {
    if (patch->at == mouth_at || patch->at == brow_at) {
        return shape_normal(point);
    }
    const uint32_t joint = patch->side > 0.0 ? LEFT_EYE : RIGHT_EYE;
    return vec3_unit(vec3_subtract(point, face_eye(joint)));
}

static uint32_t patch_points(const patch *patch) {
    return (patch->columns + 1) * (patch->rows + 1);
}

static vec3 patch_point(const patch *patch, uint32_t index, const expression *face) {
    const uint32_t column = index % (patch->columns + 1), row = index / (patch->columns + 1);
    return patch->at(patch, (double)column / patch->columns, (double)row / patch->rows, face);
}

// Orders a triangle so that it is counter-clockwise as seen along its normals.
static void add_triangle(builder *b, uint32_t i, uint32_t j, uint32_t k) {
    const lmb_vertex *v = b->vertices;
    double e[2][3], n[3], outward = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        e[0][axis] = (double)v[j].position[axis] - (double)v[i].position[axis];
        e[1][axis] = (double)v[k].position[axis] - (double)v[i].position[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        n[axis] = e[0][(axis + 1) % 3] * e[1][(axis + 2) % 3] - e[0][(axis + 2) % 3] * e[1][(axis + 1) % 3];
        outward += n[axis] * (double)v[i].normal[axis];
    }
    if (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] < 1e-18) {
        return; // at the pole of a sphere
    }
    uint32_t *corner = b->indices + b->mesh->index_count;
    corner[0] = i;
    corner[1] = outward > 0.0 ? j : k;
    corner[2] = outward > 0.0 ? k : j;
    b->mesh->index_count += 3;
}

static void add_patch(builder *b, const patch *patch) {
    const uint32_t first = b->mesh->vertex_count, width = patch->columns + 1;
    for (uint32_t i = 0; i < patch_points(patch); i++) {
        const vec3 point = patch_point(patch, i, &NEUTRAL);
        set_position(&b->vertices[b->mesh->vertex_count++], point, normal_of(patch, point), patch->joint);
    }
    for (uint32_t row = 0; row < patch->rows; row++) {
        for (uint32_t column = 0; column < patch->columns; column++) {
            const uint32_t corner = first + row * width + column;
            add_triangle(b, corner, corner + 1, corner + width + 1);
            add_triangle(b, corner, corner + width + 1, corner + width);
        }
    }
}

enum { MOST_PATCHES = 4 };

// Stores the patches of a mesh and returns their number. `detail` is from 1 to 3.
static uint32_t list_patches(uint32_t mesh, uint32_t detail, patch patches[MOST_PATCHES]) {
    uint32_t count = 0;
    for (int i = 0; i < 2; i++) {
        const double side = i == 0 ? 1.0 : -1.0;
        const uint32_t eye = i == 0 ? LEFT_EYE : RIGHT_EYE;
        switch (mesh) {
        case FACE_LIDS:
            patches[count++] = (patch){lid_at, HEAD, side, 34.0, 120.0, 4 * detail, 2 * detail};
            patches[count++] = (patch){lid_at, HEAD, side, -52.0, -120.0, 4 * detail, 2 * detail};
            break;
        case FACE_WHITES:
            patches[count++] = (patch){eye_at, eye, side, 27.0, 110.0, 6 * detail, 2 * detail};
            break;
        case FACE_PUPILS:
            patches[count++] = (patch){eye_at, eye, side, 0.0, 27.0, 6 * detail, detail};
            break;
        default:
            patches[count++] = (patch){brow_at, HEAD, side, 0.0, 0.0, 3 * detail, 1};
            break;
        }
    }
    if (mesh == FACE_FEATURES) {
        patches[count++] = (patch){mouth_at, HEAD, 0.0, 0.0, 0.0, 6 * detail, 2};
    }
    return count;
}

static bool take_targets(const lmb_host *host, lmb_mesh *mesh, const lmb_skin_delta *deltas[FACE_CHANNELS]) {
    lmb_skin_target *targets = memory_take(host, FACE_CHANNELS, sizeof *targets);
    bool good = targets != NULL;
    for (uint32_t i = 0; good && i < FACE_CHANNELS; i++) {
        deltas[i] = memory_take(host, mesh->vertex_count, sizeof(lmb_skin_delta));
        targets[i] = (lmb_skin_target){.name = CHANNELS[i], .channel = i, .deltas = deltas[i]};
        good = deltas[i] != NULL;
    }
    mesh->targets = targets;
    mesh->target_count = targets != NULL ? FACE_CHANNELS : 0;
    return good;
}

// Adds what a channel moves a vertex by, unless that is nothing.
static void add_delta(lmb_mesh *mesh, uint32_t channel, uint32_t vertex, vec3 way, vec3 normal) {
    lmb_skin_target *target = (lmb_skin_target *)&mesh->targets[channel];
    if (vec3_length(way) > 1e-5) {
        ((lmb_skin_delta *)target->deltas)[target->delta_count++] =
            (lmb_skin_delta){vertex,
                             {(float)way.x, (float)way.y, (float)way.z},
                             {(float)normal.x, (float)normal.y, (float)normal.z},
                             {0.0f, 0.0f, 0.0f}};
    }
}

bool face_fill_mesh(uint32_t mesh, uint32_t detail, const lmb_host *host, lmb_mesh *result) {
    patch patches[MOST_PATCHES];
    const lmb_skin_delta *deltas[FACE_CHANNELS];
    const uint32_t count = list_patches(mesh, detail, patches);
    uint32_t points = 0, quads = 0;
    for (uint32_t i = 0; i < count; i++) {
        points += patch_points(&patches[i]);
        quads += patches[i].columns * patches[i].rows;
    }
    builder b = {result, memory_take(host, points, sizeof(lmb_vertex)), memory_take(host, quads, 6 * sizeof(uint32_t))};
    *result = lmb_default_mesh();
    result->name = MESHES[mesh];
    result->vertices = b.vertices;
    result->indices = b.indices;
    result->double_sided = mesh == FACE_LIDS;
    result->influence_count = 1;
    memcpy(result->base_color, COLOURS[mesh], sizeof result->base_color);
    if (b.vertices == NULL || b.indices == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        add_patch(&b, &patches[i]);
    }
    if (!take_targets(host, result, deltas)) {
        return false;
    }
    for (uint32_t channel = 0; channel < FACE_CHANNELS; channel++) {
        expression changed = {{0.0}};
        changed.values[channel] = 1.0;
        for (uint32_t i = 0, vertex = 0; i < count; i++) {
            for (uint32_t k = 0; k < patch_points(&patches[i]); k++, vertex++) {
                const vec3 before = patch_point(&patches[i], k, &NEUTRAL),
                           after = patch_point(&patches[i], k, &changed);
                add_delta(result, channel, vertex, vec3_subtract(after, before),
                          vec3_subtract(normal_of(&patches[i], after), normal_of(&patches[i], before)));
            }
        }
    }
    return true;
}

// Cheeks rise with a smile, the jaw falls with an open mouth.
static vec3 skin_way(uint32_t channel, vec3 p) {
    const double side = p.x < 0.0 ? -1.0 : 1.0, front = smooth_rise(0.02, 0.07, p.z);
    if (channel == FACE_SMILE) {
        const double cheek = exp(-pow((fabs(p.x) - 0.041) / 0.016, 2.0) - pow((p.y - 1.640) / 0.017, 2.0)) * front;
        return vec3_scale(vec3_of(0.4 * side, 0.35, 0.7), 0.007 * cheek);
    }
    if (channel == FACE_OPEN) {
        const double jaw =
            (1.0 - smooth_rise(1.590, 1.625, p.y)) * smooth_rise(1.54, 1.565, p.y) * smooth_rise(0.03, 0.07, p.z);
        return vec3_of(0.0, -0.010 * jaw, -0.002 * jaw);
    }
    return vec3_of(0.0, 0.0, 0.0);
}

bool face_add_targets(const lmb_host *host, lmb_mesh *mesh) {
    const lmb_skin_delta *deltas[FACE_CHANNELS];
    if (!take_targets(host, mesh, deltas)) {
        return false;
    }
    for (uint32_t channel = 0; channel < FACE_CHANNELS; channel++) {
        for (uint32_t i = 0; i < mesh->vertex_count; i++) {
            const float *p = mesh->vertices[i].position;
            add_delta(mesh, channel, i, skin_way(channel, vec3_of((double)p[0], (double)p[1], (double)p[2])),
                      vec3_of(0.0, 0.0, 0.0));
        }
    }
    return true;
}

void face_release_mesh(const lmb_host *host, lmb_mesh *mesh) {
    for (uint32_t i = 0; i < mesh->target_count; i++) {
        memory_give(host, (void *)mesh->targets[i].deltas);
    }
    memory_give(host, (void *)mesh->targets);
    memory_give(host, (void *)mesh->vertices);
    memory_give(host, (void *)mesh->indices);
}
