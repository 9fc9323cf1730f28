// Builds the skin: splits the surface where its tone changes, computes weights, and creates meshes.
#include "mannequin.h"

#include "mannequin_child.h"
#include "mannequin_face.h"
#include "mannequin_memory.h"
#include "mannequin_shape.h"
#include "mannequin_surface.h"

#include <string.h>

// Written by mannequin_bake.c.
#include "mannequin_surfaces.inc"

enum { INFLUENCES = 4 };

// The mannequin's surface at one level of detail.
typedef struct baked_surface {
    uint32_t vertex_count; // as asked for
    const float (*points)[3];
    uint32_t point_count;
    const uint16_t (*triangles)[3];
    uint32_t triangle_count;
} baked_surface;

#define BAKED(vertex_count, level)                                                                                     \
    {                                                                                                                  \
        vertex_count, points_##level, sizeof points_##level / sizeof *points_##level, triangles_##level,               \
            sizeof triangles_##level / sizeof *triangles_##level                                                       \
    }

static const baked_surface BAKED_SURFACES[] = {BAKED(MANNEQUIN_VERTICES_LOW, 0), BAKED(MANNEQUIN_VERTICES_MEDIUM, 1),
                                               BAKED(MANNEQUIN_VERTICES_HIGH, 2)};

struct mannequin_skin {
    lmb_host host;
    lmb_mesh meshes[TONE_COUNT + FACE_MESHES];
    uint32_t mesh_count;
};

static const char *const TONE_NAMES[TONE_COUNT] = {"shell", "joints", "face"};
static const float TONE_COLOURS[TONE_COUNT][4] = {
    {0.74f, 0.72f, 0.68f, 1.0f}, {0.075f, 0.08f, 0.09f, 1.0f}, {0.02f, 0.16f, 0.20f, 1.0f}};

// ---- Splits along one border after the other. A point has a depth: positive inside, 0 on the border.

typedef struct cutter {
    surface surface;      // with room for `points` and `triangles`
    uint32_t *borders;    // per triangle: one bit for each border that it is inside
    double *depths;       // per point, for the current border
    bool *fixed;          // per point: it is on a border and must not move
    double *moves;        // per point: position of the border along an edge, as a share of its length
    vec3 *targets;        // per point: the position of that border
    uint32_t (*edges)[3]; // hash table of the edges that were split: two ends plus 1, and the point between
    uint32_t edge_mask;
} cutter;

// An end of an edge moves to the border if it is nearer than this share of the edge's length. This avoids thin
// triangles.
static const double SNAP = 0.3;

// Returns the position of the border between two points on different sides of it.
static double border_at(const double *depths, uint32_t a, uint32_t b) {
    return depths[a] / (depths[a] - depths[b]);
}

static void consider_move(cutter *c, uint32_t from, uint32_t to) {
    double t = border_at(c->depths, from, to);
    if (t < SNAP && t < c->moves[from] && !c->fixed[from]) {
        c->moves[from] = t;
        c->targets[from] = vec3_lerp(c->surface.points[from], c->surface.points[to], t);
    }
}

static void snap_to_border(cutter *c) {
    surface *s = &c->surface;
    for (uint32_t i = 0; i < s->point_count; i++) {
        c->moves[i] = 1.0;
    }
    for (uint32_t corner = 0; corner < 3 * s->triangle_count; corner++) {
        uint32_t a = s->triangles[corner / 3][corner % 3];
        uint32_t b = s->triangles[corner / 3][(corner % 3 + 1) % 3];
        if (c->depths[a] * c->depths[b] < 0.0) {
            consider_move(c, a, b);
            consider_move(c, b, a);
        }
    }
    for (uint32_t i = 0; i < s->point_count; i++) {
        if (c->moves[i] < SNAP) {
            s->points[i] = shape_project(c->targets[i]);
            c->depths[i] = 0.0;
            c->fixed[i] = true;
        }
    }
}

// Returns the point on the border that splits an edge. It is created on first use.
static uint32_t cut_edge(cutter *c, uint32_t a, uint32_t b) {
    uint32_t low = a < b ? a : b;
    uint32_t high = a < b ? b : a;
    uint32_t slot = (low * 2654435761u ^ high * 2246822519u) & c->edge_mask;
    while (c->edges[slot][0] != 0) {
        if (c->edges[slot][0] == low + 1 && c->edges[slot][1] == high + 1) {
            return c->edges[slot][2];
        }
        slot = (slot + 1) & c->edge_mask;
    }
    surface *s = &c->surface;
    uint32_t point = s->point_count++;
    double t = border_at(c->depths, low, high);
    s->points[point] = shape_project(vec3_lerp(s->points[low], s->points[high], t));
    c->depths[point] = 0.0;
    c->fixed[point] = true;
    c->edges[slot][0] = low + 1;
    c->edges[slot][1] = high + 1;
    c->edges[slot][2] = point;
    return point;
}

static void set_triangle(uint32_t *triangle, uint32_t a, uint32_t b, uint32_t c) {
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

static uint32_t (*add_piece(cutter *c, uint32_t index))[3] {
    c->borders[c->surface.triangle_count] = c->borders[index];
    return &c->surface.triangles[c->surface.triangle_count++];
}

// Splits triangle `index`; pieces after the first are appended.
static void cut_triangle(cutter *c, uint32_t index) {
    uint32_t *triangle = c->surface.triangles[index];
    for (uint32_t turn = 0; turn < 3; turn++) {
        uint32_t i = triangle[turn];
        uint32_t j = triangle[(turn + 1) % 3];
        uint32_t k = triangle[(turn + 2) % 3];
        bool ij = c->depths[i] * c->depths[j] < 0.0;
        bool jk = c->depths[j] * c->depths[k] < 0.0;
        bool ki = c->depths[k] * c->depths[i] < 0.0;
        if (ij && ki) {
            // The border separates `i` from the others.
            uint32_t p = cut_edge(c, i, j);
            uint32_t q = cut_edge(c, k, i);
            set_triangle(triangle, i, p, q);
            set_triangle(*add_piece(c, index), p, j, k);
            set_triangle(*add_piece(c, index), p, k, q);
            return;
        }
        if (jk && !ij && !ki) {
            // The border passes through `i` and the opposite edge.
            uint32_t p = cut_edge(c, j, k);
            set_triangle(triangle, i, j, p);
            set_triangle(*add_piece(c, index), i, p, k);
            return;
        }
    }
}

static void cut_along_border(cutter *c, uint32_t border) {
    surface *s = &c->surface;
    for (uint32_t i = 0; i < s->point_count; i++) {
        c->depths[i] = shape_border_depth(s->points[i], border);
    }
    snap_to_border(c);
    memset(c->edges, 0, ((size_t)c->edge_mask + 1) * sizeof *c->edges);
    uint32_t count = s->triangle_count;
    for (uint32_t i = 0; i < count; i++) {
        cut_triangle(c, i);
    }
    for (uint32_t i = 0; i < s->triangle_count; i++) {
        const uint32_t *t = s->triangles[i];
        if (c->depths[t[0]] + c->depths[t[1]] + c->depths[t[2]] > 0.0) {
            c->borders[i] |= 1u << border;
        }
    }
}

// Borders are short compared with the surface: all splits together add fewer triangles than there were.
static bool cutter_create(cutter *c, const baked_surface *whole, const lmb_host *host) {
    size_t triangles = 2u * (size_t)whole->triangle_count;
    size_t points = 2u * (size_t)whole->point_count;
    c->surface.points = memory_take(host, points, sizeof(vec3));
    c->surface.triangles = memory_take(host, triangles, 3 * sizeof(uint32_t));
    c->borders = memory_take(host, triangles, sizeof(uint32_t));
    c->depths = memory_take(host, points, sizeof(double));
    c->fixed = memory_take(host, points, sizeof(bool));
    c->moves = memory_take(host, points, sizeof(double));
    c->targets = memory_take(host, points, sizeof(vec3));
    c->edge_mask = 1;
    while (c->edge_mask < triangles) {
        c->edge_mask = 2 * c->edge_mask + 1;
    }
    c->edges = memory_take(host, (size_t)c->edge_mask + 1, sizeof *c->edges);
    if (c->surface.points == NULL || c->surface.triangles == NULL || c->borders == NULL || c->depths == NULL ||
        c->fixed == NULL || c->moves == NULL || c->targets == NULL || c->edges == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < whole->point_count; i++) {
        const float *point = whole->points[i];
        c->surface.points[i] = vec3_of((double)point[0], (double)point[1], (double)point[2]);
    }
    for (uint32_t corner = 0; corner < 3 * whole->triangle_count; corner++) {
        c->surface.triangles[corner / 3][corner % 3] = whole->triangles[corner / 3][corner % 3];
    }
    c->surface.point_count = whole->point_count;
    c->surface.triangle_count = whole->triangle_count;
    return true;
}

static void cutter_destroy(cutter *c, const lmb_host *host) {
    memory_give(host, c->surface.points);
    memory_give(host, c->surface.triangles);
    memory_give(host, c->borders);
    memory_give(host, c->depths);
    memory_give(host, c->fixed);
    memory_give(host, c->moves);
    memory_give(host, c->targets);
    memory_give(host, c->edges);
}

// ---- Meshes.

// Stores the largest weights in descending order, normalised to a sum of 1.
static void set_influences(lmb_vertex *vertex, vec3 point) {
    double weights[JOINT_COUNT];
    shape_weights(point, weights);
    double sum = 0.0;
    double kept[INFLUENCES] = {0};
    for (int k = 0; k < INFLUENCES; k++) {
        uint32_t largest = 0;
        for (uint32_t i = 1; i < JOINT_COUNT; i++) {
            largest = weights[i] > weights[largest] ? i : largest;
        }
        // Smaller weights are not visible.
        if (weights[largest] < 0.004) {
            break;
        }
        vertex->joints[k] = largest;
        kept[k] = weights[largest];
        sum += kept[k];
        weights[largest] = 0.0;
    }
    for (int k = 0; k < INFLUENCES; k++) {
        vertex->weights[k] = (float)(kept[k] / sum);
    }
}

static void set_vertex(lmb_vertex *vertex, vec3 point) {
    vec3 normal = shape_normal(point);
    vertex->position[0] = (float)point.x;
    vertex->position[1] = (float)point.y;
    vertex->position[2] = (float)point.z;
    vertex->normal[0] = (float)normal.x;
    vertex->normal[1] = (float)normal.y;
    vertex->normal[2] = (float)normal.z;
    // In a front view, the left side of the image is the body's right, and the top of the head is at 0.
    vertex->texcoord[0] = (float)((point.x - SHAPE_LOWEST.x) / (SHAPE_HIGHEST.x - SHAPE_LOWEST.x));
    vertex->texcoord[1] = (float)((SHAPE_HIGHEST.y - point.y) / (SHAPE_HIGHEST.y - SHAPE_LOWEST.y));
    set_influences(vertex, point);
}

static bool fill_mesh(lmb_mesh *mesh, shape_tone tone, const cutter *c, const lmb_host *host) {
    const surface *s = &c->surface;
    uint32_t *place = memory_take(host, s->point_count, sizeof(uint32_t));
    uint32_t *indices = memory_take(host, s->triangle_count, 3 * sizeof(uint32_t));
    lmb_vertex *vertices = memory_take(host, s->point_count, sizeof(lmb_vertex));
    *mesh = lmb_default_mesh();
    mesh->influence_count = INFLUENCES;
    mesh->indices = indices;
    mesh->vertices = vertices;
    if (place == NULL || indices == NULL || vertices == NULL) {
        memory_give(host, place);
        return false;
    }
    for (uint32_t i = 0; i < s->triangle_count; i++) {
        if (shape_tone_inside(c->borders[i]) != tone) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            uint32_t point = s->triangles[i][k];
            if (place[point] == 0) {
                set_vertex(&vertices[mesh->vertex_count], s->points[point]);
                place[point] = ++mesh->vertex_count;
            }
            indices[mesh->index_count++] = place[point] - 1;
        }
    }
    memory_give(host, place);
    mesh->name = TONE_NAMES[tone];
    memcpy(mesh->base_color, TONE_COLOURS[tone], sizeof mesh->base_color);
    return true;
}

static bool fill_face(mannequin_skin *skin, const baked_surface *whole) {
    const uint32_t detail = 1 + (uint32_t)(whole - BAKED_SURFACES);
    bool good = face_add_targets(&skin->host, &skin->meshes[TONE_SHELL]);
    for (uint32_t i = 0; good && i < FACE_MESHES; i++) {
        good = face_fill_mesh(i, detail, &skin->host, &skin->meshes[TONE_COUNT + i]);
    }
    return good;
}

static bool fill_skin(mannequin_skin *skin, const baked_surface *whole) {
    cutter c = {0};
    bool good = cutter_create(&c, whole, &skin->host);
    for (uint32_t border = 0; good && border < BORDERS; border++) {
        cut_along_border(&c, border);
    }
    for (shape_tone tone = TONE_SHELL; good && tone < TONE_COUNT; tone++) {
        good = fill_mesh(&skin->meshes[tone], tone, &c, &skin->host);
    }
    cutter_destroy(&c, &skin->host);
    return good;
}

static const baked_surface *find_nearest(uint32_t vertex_count) {
    const baked_surface *nearest = &BAKED_SURFACES[0];
    for (size_t i = 1; i < sizeof BAKED_SURFACES / sizeof *BAKED_SURFACES; i++) {
        if (2 * vertex_count > nearest->vertex_count + BAKED_SURFACES[i].vertex_count) {
            nearest = &BAKED_SURFACES[i];
        }
    }
    return nearest;
}

// Normals stay: each body part keeps its form.
static void make_child(lmb_mesh *mesh) {
    lmb_vertex *vertices = (lmb_vertex *)mesh->vertices;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        float *p = vertices[i].position;
        const vec3 moved = child_point(vec3_of((double)p[0], (double)p[1], (double)p[2]));
        p[0] = (float)moved.x;
        p[1] = (float)moved.y;
        p[2] = (float)moved.z;
    }
}

static lmb_result create(uint32_t vertex_count, joints_kind kind, const lmb_host *host, mannequin_skin **result,
                         lmb_error *error) {
    const baked_surface *surface = find_nearest(vertex_count);
    lmb_host resolved = memory_host(host);
    mannequin_skin *skin = memory_take(&resolved, 1, sizeof *skin);
    if (skin == NULL) {
        return memory_missing(error);
    }
    skin->host = resolved;
    const bool has_face = kind == JOINTS_WITH_FACE;
    skin->mesh_count = has_face ? TONE_COUNT + FACE_MESHES : TONE_COUNT;
    if (!fill_skin(skin, surface) || (has_face && !fill_face(skin, surface))) {
        mannequin_skin_destroy(skin);
        return memory_missing(error);
    }
    for (uint32_t i = 0; kind == JOINTS_OF_CHILD && i < skin->mesh_count; i++) {
        make_child(&skin->meshes[i]);
    }
    *result = skin;
    return LMB_OK;
}

lmb_result mannequin_skin_create(uint32_t vertex_count, const lmb_host *host, mannequin_skin **result,
                                 lmb_error *error) {
    return create(vertex_count, JOINTS_PLAIN, host, result, error);
}

lmb_result mannequin_skin_create_with_face(uint32_t vertex_count, const lmb_host *host, mannequin_skin **result,
                                           lmb_error *error) {
    return create(vertex_count, JOINTS_WITH_FACE, host, result, error);
}

lmb_result mannequin_skin_create_of(const mannequin *mannequin, uint32_t vertex_count, const lmb_host *host,
                                    mannequin_skin **result, lmb_error *error) {
    const joints_kind kind = mannequin_is_child(mannequin)   ? JOINTS_OF_CHILD
                             : mannequin_has_face(mannequin) ? JOINTS_WITH_FACE
                                                             : JOINTS_PLAIN;
    return create(vertex_count, kind, host, result, error);
}

void mannequin_skin_destroy(mannequin_skin *skin) {
    if (skin == NULL) {
        return;
    }
    for (uint32_t i = 0; i < skin->mesh_count; i++) {
        face_release_mesh(&skin->host, &skin->meshes[i]);
    }
    lmb_host host = skin->host;
    memory_give(&host, skin);
}

uint32_t mannequin_skin_mesh_count(const mannequin_skin *skin) {
    return skin->mesh_count;
}

const lmb_mesh *mannequin_skin_mesh(const mannequin_skin *skin, uint32_t index) {
    return index < skin->mesh_count ? &skin->meshes[index] : NULL;
}
