// Extracts the surface by marching tetrahedra, then simplifies and smooths it.
#include "mannequin_surface.h"

#include "mannequin_memory.h"
#include "mannequin_shape.h"

#include <string.h>

// ---- Marching tetrahedra: every cell of a grid is divided into six tetrahedra around its diagonal, so that the
// surface is closed and manifold for any field.

#define CELL 0.0135

enum { BLOCK = 4 }; // cells per side of a block whose distance is tested first

typedef struct field_grid {
    uint32_t size[3];   // corners along each axis, 1 more than a multiple of BLOCK
    float *distances;   // per corner
    uint32_t *crossing; // per corner and direction: the point on that edge, plus 1
} field_grid;

static uint32_t corner_index(const field_grid *grid, uint32_t x, uint32_t y, uint32_t z) {
    return (z * grid->size[1] + y) * grid->size[0] + x;
}

static vec3 corner_point(uint32_t x, uint32_t y, uint32_t z) {
    return vec3_add(SHAPE_LOWEST, vec3_scale(vec3_of(x, y, z), CELL));
}

static uint32_t corners_along(double length) {
    return (uint32_t)ceil(length / (CELL * BLOCK)) * BLOCK + 1;
}

static void fill_block(field_grid *grid, const uint32_t from[3]) {
    const double half = 0.5 * BLOCK * CELL;
    vec3 centre = vec3_add(corner_point(from[0], from[1], from[2]), vec3_of(half, half, half));
    // The surface does not enter a block if it is farther away than the block's half diagonal and the error of a
    // first-order distance.
    double distance = shape_distance(centre);
    bool far = distance > 2.2 * half;
    for (uint32_t z = from[2]; z <= from[2] + BLOCK; z++) {
        for (uint32_t y = from[1]; y <= from[1] + BLOCK; y++) {
            for (uint32_t x = from[0]; x <= from[0] + BLOCK; x++) {
                float *value = &grid->distances[corner_index(grid, x, y, z)];
                if (*value == 0.0f) {
                    *value = (float)(far ? distance : shape_distance(corner_point(x, y, z)));
                }
            }
        }
    }
}

static void fill_grid(field_grid *grid) {
    for (uint32_t z = 0; z + 1 < grid->size[2]; z += BLOCK) {
        for (uint32_t y = 0; y + 1 < grid->size[1]; y += BLOCK) {
            for (uint32_t x = 0; x + 1 < grid->size[0]; x += BLOCK) {
                fill_block(grid, (uint32_t[3]){x, y, z});
            }
        }
    }
}

// One tetrahedron: four corners of a cell, as bits x, y, z. Each is reached from the previous one by a step along
// another axis, so the exclusive or of two corners is the direction of their edge.
typedef struct tetrahedron {
    uint32_t corners[4];
    bool mirrored;
} tetrahedron;

static const tetrahedron TETRAHEDRA[6] = {
    {{0, 1, 3, 7}, false}, {{0, 2, 6, 7}, false}, {{0, 4, 5, 7}, false},
    {{0, 1, 5, 7}, true},  {{0, 2, 3, 7}, true},  {{0, 4, 6, 7}, true},
};

// Even permutations of a tetrahedron's corners, by the set of corners inside: those inside come first, or the only one
// outside.
static const uint8_t ORDERS[16][4] = {
    {0, 1, 2, 3}, {0, 1, 2, 3}, {1, 0, 3, 2}, {0, 1, 2, 3}, {2, 0, 1, 3}, {0, 2, 3, 1}, {1, 2, 0, 3}, {3, 0, 2, 1},
    {3, 0, 2, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}, {2, 0, 1, 3}, {2, 3, 0, 1}, {1, 0, 3, 2}, {0, 1, 2, 3}, {0, 1, 2, 3}};

// The state and result of marching. While `counting`, it only counts points and triangles.
typedef struct marching {
    field_grid grid;
    surface surface;
    bool counting;
    uint32_t cell[3];
    const tetrahedron *tetrahedron;
} marching;

static uint32_t march_corner(const marching *march, uint32_t bits) {
    return corner_index(&march->grid, march->cell[0] + (bits & 1), march->cell[1] + (bits >> 1 & 1),
                        march->cell[2] + (bits >> 2 & 1));
}

static vec3 march_point(const marching *march, uint32_t bits) {
    return corner_point(march->cell[0] + (bits & 1), march->cell[1] + (bits >> 1 & 1),
                        march->cell[2] + (bits >> 2 & 1));
}

// Returns the surface's point on the edge between two corners of the tetrahedron.
static uint32_t crossing(marching *march, uint32_t i, uint32_t j) {
    uint32_t low = march->tetrahedron->corners[i < j ? i : j];
    uint32_t high = march->tetrahedron->corners[i < j ? j : i];
    uint32_t *slot = &march->grid.crossing[march_corner(march, low) * 7u + (high ^ low) - 1u];
    if (*slot == 0) {
        double a = march->grid.distances[march_corner(march, low)];
        double b = march->grid.distances[march_corner(march, high)];
        // Keeps the point away from the corners, so that no triangle is tiny. Points are projected onto the surface
        // later.
        double t = lesser(greater(a / (a - b), 0.12), 0.88);
        if (!march->counting) {
            vec3 point = vec3_lerp(march_point(march, low), march_point(march, high), t);
            march->surface.points[march->surface.point_count] = point;
        }
        *slot = ++march->surface.point_count;
    }
    return *slot - 1;
}

static void add_triangle(marching *march, uint32_t a, uint32_t b, uint32_t c, bool turned) {
    if (!march->counting) {
        uint32_t *triangle = march->surface.triangles[march->surface.triangle_count];
        triangle[0] = a;
        triangle[1] = turned ? c : b;
        triangle[2] = turned ? b : c;
    }
    march->surface.triangle_count++;
}

static void march_tetrahedron(marching *march) {
    uint32_t inside = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 4; i++) {
        if (march->grid.distances[march_corner(march, march->tetrahedron->corners[i])] < 0.0f) {
            inside |= 1u << i;
            count++;
        }
    }
    if (count == 0 || count == 4) {
        return;
    }
    const uint8_t *o = ORDERS[inside];
    bool turned = march->tetrahedron->mirrored;
    if (count == 2) {
        uint32_t ac = crossing(march, o[0], o[2]);
        uint32_t ad = crossing(march, o[0], o[3]);
        uint32_t bd = crossing(march, o[1], o[3]);
        uint32_t bc = crossing(march, o[1], o[2]);
        add_triangle(march, ac, ad, bd, turned);
        add_triangle(march, ac, bd, bc, turned);
    } else {
        uint32_t ab = crossing(march, o[0], o[1]);
        uint32_t ac = crossing(march, o[0], o[2]);
        uint32_t ad = crossing(march, o[0], o[3]);
        add_triangle(march, ab, ac, ad, turned != (count == 3));
    }
}

static void march_grid(marching *march) {
    const uint32_t *size = march->grid.size;
    memset(march->grid.crossing, 0, (size_t)size[0] * size[1] * size[2] * 7 * sizeof(uint32_t));
    march->surface.point_count = 0;
    march->surface.triangle_count = 0;
    for (march->cell[2] = 0; march->cell[2] + 1 < size[2]; march->cell[2]++) {
        for (march->cell[1] = 0; march->cell[1] + 1 < size[1]; march->cell[1]++) {
            for (march->cell[0] = 0; march->cell[0] + 1 < size[0]; march->cell[0]++) {
                for (int i = 0; i < 6; i++) {
                    march->tetrahedron = &TETRAHEDRA[i];
                    march_tetrahedron(march);
                }
            }
        }
    }
}

static bool allocate_surface(surface *whole, const lmb_host *host) {
    whole->points = memory_take(host, whole->point_count, sizeof *whole->points);
    whole->triangles = memory_take(host, whole->triangle_count, sizeof *whole->triangles);
    return whole->points != NULL && whole->triangles != NULL;
}

// Extracts the field's surface, with small and uneven triangles.
static bool polygonise(const lmb_host *host, surface *result) {
    marching march = {.counting = true};
    vec3 extent = vec3_subtract(SHAPE_HIGHEST, SHAPE_LOWEST);
    march.grid.size[0] = corners_along(extent.x);
    march.grid.size[1] = corners_along(extent.y);
    march.grid.size[2] = corners_along(extent.z);
    size_t corners = (size_t)march.grid.size[0] * march.grid.size[1] * march.grid.size[2];
    march.grid.distances = memory_take(host, corners, sizeof(float));
    march.grid.crossing = memory_take(host, corners, 7 * sizeof(uint32_t));
    bool good = march.grid.distances != NULL && march.grid.crossing != NULL;
    if (good) {
        fill_grid(&march.grid);
        march_grid(&march);
        good = allocate_surface(&march.surface, host);
    }
    if (good) {
        march.counting = false;
        march_grid(&march);
    }
    memory_give(host, march.grid.distances);
    memory_give(host, march.grid.crossing);
    *result = march.surface;
    return good;
}

// ---- Simplification and smoothing. Vertices have lists of the triangle corners at them.

#define REMOVED UINT32_MAX

enum { MOST_NEIGHBOURS = 9, FEWEST_NEIGHBOURS = 3 };

typedef struct editing {
    surface *whole;
    uint32_t *first; // per point: its first corner (3 * triangle + place), or REMOVED
    uint32_t *last;
    uint32_t *next; // per corner: the next corner of the same point, or REMOVED
    uint32_t *mark; // per point: the stamp of the last search that visited it
    uint32_t stamp;
    uint32_t alive;
} editing;

static bool corner_alive(const editing *editor, uint32_t corner) {
    return editor->whole->triangles[corner / 3][0] != REMOVED;
}

static void list_corners(editing *editor) {
    surface *s = editor->whole;
    for (uint32_t i = 0; i < s->point_count; i++) {
        editor->first[i] = REMOVED;
    }
    for (uint32_t corner = 0; corner < 3 * s->triangle_count; corner++) {
        uint32_t point = s->triangles[corner / 3][corner % 3];
        editor->next[corner] = REMOVED;
        if (!corner_alive(editor, corner)) {
            continue;
        }
        if (editor->first[point] == REMOVED) {
            editor->first[point] = corner;
        } else {
            editor->next[editor->last[point]] = corner;
        }
        editor->last[point] = corner;
    }
}

// Returns the point `ahead` positions after a corner's point around its triangle.
static uint32_t around(const editing *editor, uint32_t corner, uint32_t ahead) {
    return editor->whole->triangles[corner / 3][(corner % 3 + ahead) % 3];
}

// On a closed surface, a point has as many neighbours as triangles.
static uint32_t neighbour_count(const editing *editor, uint32_t point) {
    uint32_t count = 0;
    for (uint32_t c = editor->first[point]; c != REMOVED; c = editor->next[c]) {
        count += corner_alive(editor, c) ? 1 : 0;
    }
    return count;
}

static void mark_neighbours(editing *editor, uint32_t point) {
    editor->stamp++;
    for (uint32_t c = editor->first[point]; c != REMOVED; c = editor->next[c]) {
        if (corner_alive(editor, c)) {
            editor->mark[around(editor, c, 1)] = editor->stamp;
        }
    }
}

// Joining two points keeps the surface manifold if they share only the two neighbours on both sides of their edge.
static bool join_keeps_manifold(editing *editor, uint32_t a, uint32_t b) {
    mark_neighbours(editor, a);
    uint32_t common = 0;
    for (uint32_t c = editor->first[b]; c != REMOVED; c = editor->next[c]) {
        uint32_t neighbour = corner_alive(editor, c) ? around(editor, c, 1) : b;
        if (neighbour != b && editor->mark[neighbour] == editor->stamp) {
            common++;
            if (neighbour_count(editor, neighbour) <= FEWEST_NEIGHBOURS) {
                return false;
            }
        }
    }
    uint32_t joined = neighbour_count(editor, a) + neighbour_count(editor, b) - 4;
    return common == 2 && joined <= MOST_NEIGHBOURS;
}

static vec3 triangle_normal(vec3 a, vec3 b, vec3 c) {
    return vec3_cross(vec3_subtract(b, a), vec3_subtract(c, a));
}

// Returns twice a triangle's area divided by the square of its longest edge: near 0 for a sliver, at most 0.87.
static double triangle_shape(vec3 a, vec3 b, vec3 c) {
    vec3 ab = vec3_subtract(b, a);
    vec3 bc = vec3_subtract(c, b);
    vec3 ca = vec3_subtract(a, c);
    double longest = greater(vec3_dot(ab, ab), greater(vec3_dot(bc, bc), vec3_dot(ca, ca)));
    return vec3_length(vec3_cross(ab, bc)) / greater(longest, 1e-18);
}

// Returns whether a triangle keeps its orientation and does not become a sliver if its corner moves from `before` to
// `after`.
static bool triangle_survives(vec3 before, vec3 after, vec3 i, vec3 j) {
    vec3 old_normal = triangle_normal(before, i, j);
    vec3 new_normal = triangle_normal(after, i, j);
    return vec3_dot(old_normal, new_normal) >= 0.3 * vec3_length(new_normal) * vec3_length(old_normal) &&
           triangle_shape(after, i, j) > lesser(0.08, 0.6 * triangle_shape(before, i, j));
}

// Returns whether all triangles of `point`, except those that contain `other`, survive if it moves to `target`, and no
// edge becomes too long.
static bool fan_survives(const editing *editor, uint32_t point, uint32_t other, vec3 target, double longest) {
    const vec3 *points = editor->whole->points;
    for (uint32_t c = editor->first[point]; c != REMOVED; c = editor->next[c]) {
        if (!corner_alive(editor, c)) {
            continue;
        }
        uint32_t i = around(editor, c, 1);
        uint32_t j = around(editor, c, 2);
        if (i == other || j == other) {
            continue;
        }
        if (!triangle_survives(points[point], target, points[i], points[j]) ||
            vec3_length(vec3_subtract(target, points[i])) > longest) {
            return false;
        }
    }
    return true;
}

static void join(editing *editor, uint32_t kept, uint32_t removed, vec3 target) {
    for (uint32_t c = editor->first[removed]; c != REMOVED; c = editor->next[c]) {
        uint32_t *triangle = editor->whole->triangles[c / 3];
        if (triangle[0] == REMOVED) {
            continue;
        }
        if (around(editor, c, 1) == kept || around(editor, c, 2) == kept) {
            triangle[0] = REMOVED;
        } else {
            triangle[c % 3] = kept;
        }
    }
    editor->next[editor->last[kept]] = editor->first[removed];
    editor->last[kept] = editor->last[removed];
    editor->first[removed] = REMOVED;
    editor->whole->points[kept] = target;
    editor->alive--;
}

static void try_join(editing *editor, uint32_t a, uint32_t b, double shortest) {
    vec3 *points = editor->whole->points;
    vec3 middle = vec3_lerp(points[a], points[b], 0.5);
    double limit = shortest * shape_grain(middle);
    if (vec3_length(vec3_subtract(points[a], points[b])) > limit || !join_keeps_manifold(editor, a, b)) {
        return;
    }
    vec3 target = shape_project(middle);
    double longest = 2.0 * limit + CELL;
    if (fan_survives(editor, a, b, target, longest) && fan_survives(editor, b, a, target, longest)) {
        join(editor, a, b, target);
    }
}

// Joins the ends of short edges, the shortest first, until `count` points are left.
static void thin_out(editing *editor, uint32_t count) {
    const double longest = 0.2;
    for (double shortest = 0.003; shortest < longest && editor->alive > count; shortest *= 1.06) {
        for (uint32_t corner = 0; corner < 3 * editor->whole->triangle_count; corner++) {
            if (editor->alive <= count) {
                return;
            }
            if (!corner_alive(editor, corner)) {
                continue;
            }
            uint32_t a = around(editor, corner, 0);
            uint32_t b = around(editor, corner, 1);
            if (a < b) {
                try_join(editor, a, b, shortest);
            }
        }
    }
}

static double cotangent(vec3 apex, vec3 a, vec3 b) {
    vec3 u = vec3_subtract(a, apex);
    vec3 v = vec3_subtract(b, apex);
    return vec3_dot(u, v) / greater(vec3_length(vec3_cross(u, v)), 1e-12);
}

static bool turned_survives(vec3 a, vec3 b, vec3 c, vec3 outward) {
    vec3 normal = triangle_normal(a, b, c);
    return vec3_dot(normal, outward) > 0.5 * vec3_length(normal) && triangle_shape(a, b, c) > 0.1;
}

// Flips the edge that starts at a corner, if the other diagonal is better (Delaunay) and nothing around it was changed
// in this round.
static void try_turn(editing *editor, uint32_t corner) {
    surface *s = editor->whole;
    uint32_t a = around(editor, corner, 0);
    uint32_t b = around(editor, corner, 1);
    uint32_t c = around(editor, corner, 2);
    uint32_t other = editor->first[b];
    while (other != REMOVED && (!corner_alive(editor, other) || around(editor, other, 1) != a)) {
        other = editor->next[other];
    }
    if (other == REMOVED) {
        return;
    }
    uint32_t d = around(editor, other, 2);
    const vec3 *p = s->points;
    bool better = cotangent(p[c], p[a], p[b]) + cotangent(p[d], p[a], p[b]) < -1e-9;
    uint32_t round = editor->stamp;
    if (!better || editor->mark[a] == round || editor->mark[b] == round || editor->mark[c] == round ||
        editor->mark[d] == round || neighbour_count(editor, a) <= FEWEST_NEIGHBOURS ||
        neighbour_count(editor, b) <= FEWEST_NEIGHBOURS) {
        return;
    }
    for (uint32_t i = editor->first[c]; i != REMOVED; i = editor->next[i]) {
        if (corner_alive(editor, i) && (around(editor, i, 1) == d || around(editor, i, 2) == d)) {
            return;
        }
    }
    vec3 outward = vec3_unit(vec3_add(triangle_normal(p[a], p[b], p[c]), triangle_normal(p[b], p[a], p[d])));
    if (!turned_survives(p[a], p[d], p[c], outward) || !turned_survives(p[d], p[b], p[c], outward)) {
        return;
    }
    uint32_t *one = s->triangles[corner / 3];
    uint32_t *two = s->triangles[other / 3];
    one[0] = a, one[1] = d, one[2] = c;
    two[0] = d, two[1] = b, two[2] = c;
    editor->mark[a] = editor->mark[b] = editor->mark[c] = editor->mark[d] = round;
}

static void turn_edges(editing *editor) {
    for (int round = 0; round < 4; round++) {
        list_corners(editor);
        editor->stamp++;
        for (uint32_t corner = 0; corner < 3 * editor->whole->triangle_count; corner++) {
            if (corner_alive(editor, corner)) {
                try_turn(editor, corner);
            }
        }
    }
    list_corners(editor);
}

// Returns the mean of a point's neighbours, or the point itself if it was removed.
static vec3 middle_of_neighbours(const editing *editor, uint32_t point) {
    const surface *s = editor->whole;
    vec3 sum = {0};
    double count = 0.0;
    for (uint32_t c = editor->first[point]; c != REMOVED; c = editor->next[c]) {
        if (corner_alive(editor, c)) {
            sum = vec3_add(sum, s->points[around(editor, c, 1)]);
            count += 1.0;
        }
    }
    return count == 0.0 ? s->points[point] : vec3_scale(sum, 1.0 / count);
}

// Moves points along the surface towards the mean of their neighbours.
static void even_out(editing *editor) {
    surface *s = editor->whole;
    for (uint32_t i = 0; i < s->point_count; i++) {
        if (editor->first[i] == REMOVED) {
            continue;
        }
        vec3 target = shape_project(vec3_lerp(s->points[i], middle_of_neighbours(editor, i), 0.6));
        if (fan_survives(editor, i, REMOVED, target, 1.0)) {
            s->points[i] = target;
        }
    }
}

// Returns the average normal of the triangles around a point.
static vec3 fan_normal(const editing *editor, uint32_t point) {
    const vec3 *points = editor->whole->points;
    vec3 sum = {0};
    for (uint32_t c = editor->first[point]; c != REMOVED; c = editor->next[c]) {
        if (corner_alive(editor, c)) {
            vec3 normal = triangle_normal(points[point], points[around(editor, c, 1)], points[around(editor, c, 2)]);
            sum = vec3_add(sum, normal);
        }
    }
    return vec3_unit(sum);
}

// Returns whether a triangle faces away from the surface's normals at its corners. These are computed only if the
// triangles around the corners do not decide it.
static bool is_turned_over(const editing *editor, const uint32_t *triangle) {
    const vec3 *points = editor->whole->points;
    vec3 normal = triangle_normal(points[triangle[0]], points[triangle[1]], points[triangle[2]]);
    vec3 fans = {0};
    for (int k = 0; k < 3; k++) {
        fans = vec3_add(fans, fan_normal(editor, triangle[k]));
    }
    if (vec3_dot(normal, fans) > 2.2 * vec3_length(normal)) {
        return false;
    }
    vec3 outward = {0};
    for (int k = 0; k < 3; k++) {
        outward = vec3_add(outward, shape_normal(points[triangle[k]]));
    }
    return vec3_dot(normal, outward) <= 0.6 * vec3_length(normal);
}

// Flattens folds in the narrowest places. They exist from the start, and keep the checks of even_out() from moving
// their points.
static void unfold(editing *editor) {
    surface *s = editor->whole;
    for (uint32_t i = 0; i < s->triangle_count; i++) {
        const uint32_t *triangle = s->triangles[i];
        if (triangle[0] == REMOVED || !is_turned_over(editor, triangle)) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            s->points[triangle[k]] = shape_project(middle_of_neighbours(editor, triangle[k]));
        }
    }
}

static void drop_removed(editing *editor) {
    surface *s = editor->whole;
    uint32_t *place = editor->mark;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->point_count; i++) {
        if (editor->first[i] != REMOVED) {
            s->points[count] = s->points[i];
            place[i] = count++;
        }
    }
    s->point_count = count;
    count = 0;
    for (uint32_t i = 0; i < s->triangle_count; i++) {
        if (s->triangles[i][0] != REMOVED) {
            for (int k = 0; k < 3; k++) {
                s->triangles[count][k] = place[s->triangles[i][k]];
            }
            count++;
        }
    }
    s->triangle_count = count;
}

static void edit(editing *editor, uint32_t point_count) {
    list_corners(editor);
    editor->alive = editor->whole->point_count;
    thin_out(editor, point_count);
    for (int round = 0; round < 4; round++) {
        turn_edges(editor);
        unfold(editor);
        even_out(editor);
    }
    for (int round = 0; round < 4; round++) {
        unfold(editor);
    }
    drop_removed(editor);
}

static bool simplify(uint32_t point_count, const lmb_host *host, surface *whole) {
    editing editor = {.whole = whole};
    editor.first = memory_take(host, whole->point_count, sizeof(uint32_t));
    editor.last = memory_take(host, whole->point_count, sizeof(uint32_t));
    editor.mark = memory_take(host, whole->point_count, sizeof(uint32_t));
    editor.next = memory_take(host, whole->triangle_count, 3 * sizeof(uint32_t));
    bool good = editor.first != NULL && editor.last != NULL && editor.mark != NULL && editor.next != NULL;
    if (good) {
        edit(&editor, point_count);
    }
    memory_give(host, editor.first);
    memory_give(host, editor.last);
    memory_give(host, editor.mark);
    memory_give(host, editor.next);
    return good;
}

lmb_result surface_create(uint32_t point_count, const lmb_host *host, surface *result, lmb_error *error) {
    *result = (surface){0};
    if (!polygonise(host, result) || !simplify(point_count, host, result)) {
        surface_destroy(result, host);
        return memory_missing(error);
    }
    return LMB_OK;
}

void surface_destroy(surface *whole, const lmb_host *host) {
    memory_give(host, whole->points);
    memory_give(host, whole->triangles);
    whole->points = NULL;
    whole->triangles = NULL;
}
