// Checks the positions of blend spaces, and writes the tables from which stage 1 computes weights
// (shaders/ops/spaces.h):
// - 1D and grids: for each input and axis, the neighbouring coordinates and the slopes between.
// - Bands: for each input, the gradient of the band to every other input, in Cartesian or in polar space.
// - Nearest: the positions.
// - Triangles: the edges of the hull, and the pieces that blend_space.c cuts, with the gradients of their weights.
//
// Everything that needs a division or a root is computed here, in double precision. A kernel only multiplies and
// compares.
#include "blend_space.h"
#include "compiler.h"
#include "math/float64.h"

#include "../../shaders/ops/operations.h"

#include <math.h>
#include <stdio.h>

_Static_assert((uint32_t)LMB_SPACE2D_TRIANGLES == SPACE_TRIANGLES && (uint32_t)LMB_SPACE2D_GRID == SPACE_GRID &&
                   (uint32_t)LMB_SPACE2D_FREEFORM == SPACE_BANDS &&
                   (uint32_t)LMB_SPACE2D_DIRECTIONAL == SPACE_POLAR_BANDS &&
                   (uint32_t)LMB_SPACE2D_COUNT == SPACE_NEAREST,
               "the kinds of spaces differ from the operations' kinds");

static uint32_t dimensions(const lmb_node_def *node) {
    return (lmb_find_operation(node->op)->takes & TAKES_PLANE) ? 2 : 1;
}

// Reads the positions of the inputs, snapped like the position that is sampled.
static void read_positions(const lmb_node_def *node, lmb_place *positions) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        positions[i].at[0] = snap(node->positions[i][0]);
        positions[i].at[1] = dimensions(node) == 2 ? snap(node->positions[i][1]) : 0.0f;
    }
}

static bool refuse_position(const lmb_compiler *c, uint32_t index, uint32_t input, const char *what) {
    char field[sizeof "positions[64]"];
    snprintf(field, sizeof field, "positions[%u]", (unsigned)(input % LMB_MAX_SPACE_INPUTS));
    return lmb_graph_refuse_node(c, index, field, what);
}

static bool check_numbers(const lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    for (uint32_t i = 0; i < node->input_count; i++) {
        for (uint32_t axis = 0; axis < dimensions(node); axis++) {
            if (!(fabsf(node->positions[i][axis]) <= LMB_LARGEST)) {
                return refuse_position(c, index, i, "not a finite number up to 2^40");
            }
        }
    }
    return true;
}

// On a line, positions may be as close as floats can be.
static bool check_distinct(const lmb_compiler *c, uint32_t index, const lmb_place *positions) {
    const lmb_node_def *node = &c->def->nodes[index];
    lmb_blend_space space;
    lmb_blend_space_measure(positions, node->input_count, &space);
    const double near = dimensions(node) == 2 ? space.range * LMB_SPACE_NEAR : 0.0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (fabs((double)positions[i].at[0] - (double)positions[k].at[0]) <= near &&
                fabs((double)positions[i].at[1] - (double)positions[k].at[1]) <= near) {
                char what[80];
                snprintf(what, sizeof what, "the same position as positions[%u], which another input has", (unsigned)k);
                return refuse_position(c, index, i, what);
            }
        }
    }
    return true;
}

static bool is_first_on_axis(const lmb_place *positions, uint32_t place, int axis) {
    bool found = false;
    for (uint32_t i = 0; i < place; i++) {
        found = found || positions[i].at[axis] == positions[place].at[axis];
    }
    return !found;
}

static bool has_place(const lmb_place *positions, uint32_t count, float x, float y) {
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        found = found || (positions[i].at[0] == x && positions[i].at[1] == y);
    }
    return found;
}

// Checks that there is an input at every pair of a column and a row.
static bool check_grid(const lmb_compiler *c, uint32_t index, const lmb_place *positions) {
    const uint32_t count = c->def->nodes[index].input_count;
    for (uint32_t column = 0; column < count; column++) {
        for (uint32_t row = 0; row < count; row++) {
            const bool is_pair = is_first_on_axis(positions, column, 0) && is_first_on_axis(positions, row, 1);
            if (is_pair && !has_place(positions, count, positions[column].at[0], positions[row].at[1])) {
                char what[160];
                snprintf(
                    what, sizeof what,
                    "no input is at (%.9g, %.9g), where the column of positions[%u] meets the row of positions[%u]",
                    (double)positions[column].at[0], (double)positions[row].at[1], (unsigned)column, (unsigned)row);
                return lmb_graph_refuse_node(c, index, "positions", what);
            }
        }
    }
    return true;
}

// Names the two positions that are farthest apart.
static bool refuse_line(const lmb_compiler *c, uint32_t index, const lmb_place *positions) {
    uint32_t ends[2] = {0, 0};
    double furthest = 0.0;
    for (uint32_t i = 0; i < c->def->nodes[index].input_count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            const double distance = lmb_length64((double)positions[i].at[0] - (double)positions[k].at[0],
                                                 (double)positions[i].at[1] - (double)positions[k].at[1]);
            if (distance > furthest) {
                furthest = distance;
                ends[0] = k;
                ends[1] = i;
            }
        }
    }
    char what[112];
    snprintf(what, sizeof what, "all are on the line through positions[%u] and positions[%u], or nearly on it",
             (unsigned)ends[0], (unsigned)ends[1]);
    return lmb_graph_refuse_node(c, index, "positions", what);
}

static bool check_plane(const lmb_compiler *c, uint32_t index, const lmb_place *positions) {
    const lmb_node_def *node = &c->def->nodes[index];
    lmb_blend_space space;
    switch (node->space2d) {
    case LMB_SPACE2D_TRIANGLES:
        return node->discrete || lmb_blend_space_cut(positions, node->input_count, &space) ||
               refuse_line(c, index, positions);
    case LMB_SPACE2D_GRID:
        return node->discrete || check_grid(c, index, positions);
    case LMB_SPACE2D_FREEFORM:
    case LMB_SPACE2D_DIRECTIONAL:
        return true;
    case LMB_SPACE2D_COUNT:
        break;
    }
    return lmb_graph_refuse_node(c, index, "space2d", "unknown");
}

bool lmb_graph_check_space(const lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    lmb_place positions[LMB_MAX_SPACE_INPUTS];
    if (!check_numbers(c, index)) {
        return false;
    }
    read_positions(node, positions);
    return check_distinct(c, index, positions) && (dimensions(node) == 1 || check_plane(c, index, positions));
}

static uint32_t real_bits(double x) {
    return BITS((float)x);
}

static void write_vector(uint32_t *at, const double vector[2]) {
    at[0] = real_bits(vector[0]);
    at[1] = real_bits(vector[1]);
}

static void write_place(uint32_t *at, lmb_place place) {
    at[0] = BITS(place.at[0]);
    at[1] = BITS(place.at[1]);
}

// At the ends there is no neighbour. A position beyond all others replaces it.
static void write_row(const lmb_place *positions, uint32_t count, uint32_t input, int axis, uint32_t *row) {
    const float own = positions[input].at[axis];
    float min = own, max = own, before = -2.0f * LMB_LARGEST, after = 2.0f * LMB_LARGEST;
    for (uint32_t i = 0; i < count; i++) {
        const float x = positions[i].at[axis];
        min = fminf(min, x);
        max = fmaxf(max, x);
        before = x < own ? fmaxf(before, x) : before;
        after = x > own ? fminf(after, x) : after;
    }
    row[FIELD(ROW, min)] = BITS(min);
    row[FIELD(ROW, max)] = BITS(max);
    row[FIELD(ROW, before)] = BITS(before);
    row[FIELD(ROW, rise)] = real_bits(own > min ? 1.0 / ((double)own - (double)before) : 0.0);
    row[FIELD(ROW, own)] = BITS(own);
    row[FIELD(ROW, after)] = BITS(after);
    row[FIELD(ROW, fall)] = real_bits(own < max ? 1.0 / ((double)after - (double)own) : 0.0);
}

static uint32_t add_rows(lmb_compiler *c, const lmb_place *positions, uint32_t count, uint32_t axes) {
    uint32_t offset;
    uint32_t *rows = lmb_graph_add_data(c, count * axes * WORDS_OF(ROW), &offset);
    for (uint32_t i = 0; i < count * axes && rows != NULL; i++) {
        write_row(positions, count, i / axes, (int)(i % axes), rows + i * WORDS_OF(ROW));
    }
    return offset;
}

static void write_head(const lmb_blend_space *space, uint32_t place_count, uint32_t *table) {
    write_vector(table + FIELD(SPACE, middle), space->middle);
    table[FIELD(SPACE, reach)] = real_bits(space->range * LMB_SPACE_REACH);
    table[FIELD(SPACE, places)] = place_count;
}

// For the band from place j to place i, 1 - (p - p_i) (p_j - p_i) / |p_j - p_i|^2 is written as
// (p - p_j) (p_i - p_j) / |p_i - p_j|^2, which is exactly 0 at p_j.
static void write_band(lmb_place from, lmb_place to, uint32_t *band) {
    const double way[2] = {(double)to.at[0] - (double)from.at[0], (double)to.at[1] - (double)from.at[1]};
    const double square = way[0] * way[0] + way[1] * way[1];
    const double gradient[2] = {way[0] / square, way[1] / square};
    write_place(band, from);
    write_vector(band + FIELD(BAND, gradient), gradient);
}

static uint32_t add_bands(lmb_compiler *c, const lmb_place *positions, uint32_t count) {
    lmb_blend_space space;
    lmb_blend_space_measure(positions, count, &space);
    const uint32_t size = WORDS_OF(BAND_SPACE) + (count - 1) * WORDS_OF(BAND);
    uint32_t offset;
    uint32_t *words = lmb_graph_add_data(c, count * size, &offset);
    for (uint32_t input = 0; input < count && words != NULL; input++, words += size) {
        write_head(&space, count - 1, words);
        write_place(words + FIELD(BAND_SPACE, own_place), positions[input]);
        uint32_t *band = words + WORDS_OF(BAND_SPACE);
        for (uint32_t i = 0; i < count; i++) {
            if (i != input) {
                write_band(positions[i], positions[input], band);
                band += WORDS_OF(BAND);
            }
        }
    }
    return offset;
}

static double distance_of(lmb_place place) {
    const double x = (double)place.at[0], y = (double)place.at[1];
    return sqrt(x * x + y * y);
}

// The angle between two directions by the shared arithmetic, because libraries round arc tangents differently.
static void write_polar_gradients(lmb_place own, lmb_place other, uint32_t *band) {
    const double along = (double)own.at[0] * (double)other.at[0] + (double)own.at[1] * (double)other.at[1];
    const double across = (double)own.at[0] * (double)other.at[1] - (double)own.at[1] * (double)other.at[0];
    const double angle = (double)angle_from_axis((float)along, (float)across);
    const double mean = 0.5 * (distance_of(own) + distance_of(other));
    const double farther = (distance_of(other) - distance_of(own)) / mean;
    const double square = 4.0 * angle * angle + farther * farther;
    const bool is_opposite = angle >= 3.1101767270538954; // 0.99 pi
    band[FIELD(POLAR, side)] = real_bits(is_opposite ? 0.0 : across < 0.0 ? -1.0 : 1.0);
    band[FIELD(POLAR, by_angle)] = real_bits(4.0 * angle / square);
    band[FIELD(POLAR, by_distance)] = real_bits(farther / (mean * square));
}

static void write_polar_band(lmb_place own, lmb_place other, uint32_t *band) {
    const double own_distance = distance_of(own), other_distance = distance_of(other);
    write_place(band, other);
    if (own_distance > 0.0 && other_distance > 0.0) {
        band[FIELD(POLAR, kind)] = POLAR_BETWEEN;
        write_polar_gradients(own, other, band);
    } else {
        band[FIELD(POLAR, kind)] = own_distance > 0.0 ? POLAR_TO_ORIGIN : POLAR_FROM_ORIGIN;
        band[FIELD(POLAR, by_distance)] = real_bits(4.0 / (own_distance + other_distance));
    }
}

// Positions are moved towards the origin instead of the middle.
static uint32_t add_polar_bands(lmb_compiler *c, const lmb_place *positions, uint32_t count) {
    lmb_blend_space space = {.range = 0.0};
    for (uint32_t i = 0; i < count; i++) {
        space.range = fmax(space.range, distance_of(positions[i]));
    }
    const uint32_t size = WORDS_OF(POLAR_SPACE) + (count - 1) * WORDS_OF(POLAR);
    uint32_t offset;
    uint32_t *words = lmb_graph_add_data(c, count * size, &offset);
    for (uint32_t input = 0; input < count && words != NULL; input++, words += size) {
        write_head(&space, count - 1, words);
        write_place(words + FIELD(BAND_SPACE, own_place), positions[input]);
        words[FIELD(POLAR_SPACE, own_distance)] = real_bits(distance_of(positions[input]));
        uint32_t *band = words + WORDS_OF(POLAR_SPACE);
        for (uint32_t i = 0; i < count; i++) {
            if (i != input) {
                write_polar_band(positions[input], positions[i], band);
                band += WORDS_OF(POLAR);
            }
        }
    }
    return offset;
}

static uint32_t add_places(lmb_compiler *c, const lmb_place *positions, uint32_t count) {
    lmb_blend_space space;
    lmb_blend_space_measure(positions, count, &space);
    uint32_t offset;
    uint32_t *words = lmb_graph_add_data(c, WORDS_OF(SPACE) + 2 * count, &offset);
    if (words != NULL) {
        write_head(&space, count, words);
        for (uint32_t i = 0; i < count; i++) {
            write_place(words + WORDS_OF(SPACE) + 2 * i, positions[i]);
        }
    }
    return offset;
}

static void write_edge(lmb_place from, lmb_place to, uint32_t *edge) {
    const double way[2] = {(double)to.at[0] - (double)from.at[0], (double)to.at[1] - (double)from.at[1]};
    const double length = sqrt(way[0] * way[0] + way[1] * way[1]);
    const double along[2] = {way[0] / length, way[1] / length};
    write_place(edge + FIELD(EDGE, from), from);
    write_place(edge + FIELD(EDGE, to), to);
    write_vector(edge + FIELD(EDGE, along), along);
    edge[FIELD(EDGE, distance)] = real_bits(length);
}

static void write_piece(const lmb_space_piece *piece, const lmb_place *positions, uint32_t *words) {
    for (uint32_t i = 0; i < 3; i++) {
        words[FIELD(PIECE, corners) + i] = piece->corners[i] == LMB_NONE ? NO_CORNER : piece->corners[i];
    }
    write_place(words + FIELD(PIECE, from), positions[piece->corners[2]]);
    write_vector(words + FIELD(PIECE, gradients), piece->gradients[0]);
    write_vector(words + FIELD(PIECE, gradients) + 2, piece->gradients[1]);
}

static uint32_t add_triangles(lmb_compiler *c, const lmb_place *positions, uint32_t count) {
    lmb_blend_space space;
    (void)lmb_blend_space_cut(positions, count, &space); // it succeeded in lmb_graph_check_space()
    uint32_t offset, edges, pieces;
    uint32_t *words = lmb_graph_add_data(c, WORDS_OF(TRIANGLE_SPACE) + 2 * count, &offset);
    uint32_t *edge = lmb_graph_add_data(c, space.edge_count * WORDS_OF(EDGE), &edges);
    uint32_t *piece = lmb_graph_add_data(c, space.piece_count * WORDS_OF(PIECE), &pieces);
    if (words == NULL) {
        return offset;
    }
    write_head(&space, count, words);
    words[FIELD(TRIANGLE_SPACE, tolerance)] = real_bits(space.range * LMB_SPACE_NEAR);
    words[FIELD(TRIANGLE_SPACE, edges)] = space.edge_count;
    words[FIELD(TRIANGLE_SPACE, first_edge)] = edges;
    words[FIELD(TRIANGLE_SPACE, pieces)] = space.piece_count;
    words[FIELD(TRIANGLE_SPACE, first_piece)] = pieces;
    for (uint32_t i = 0; i < count; i++) {
        write_place(words + WORDS_OF(TRIANGLE_SPACE) + 2 * i, positions[i]);
    }
    for (uint32_t i = 0; i < space.edge_count; i++) {
        write_edge(positions[space.edges[i][0]], positions[space.edges[i][1]], edge + i * WORDS_OF(EDGE));
    }
    for (uint32_t i = 0; i < space.piece_count; i++) {
        write_piece(&space.pieces[i], positions, piece + i * WORDS_OF(PIECE));
    }
    return offset;
}

uint32_t lmb_graph_add_space(lmb_compiler *c, const lmb_node_def *node) {
    const uint32_t count = node->input_count;
    lmb_place positions[LMB_MAX_SPACE_INPUTS];
    read_positions(node, positions);
    if (node->discrete) {
        return add_places(c, positions, count);
    }
    if (dimensions(node) == 1 || node->space2d == LMB_SPACE2D_GRID) {
        return add_rows(c, positions, count, dimensions(node));
    }
    return node->space2d == LMB_SPACE2D_FREEFORM      ? add_bands(c, positions, count)
           : node->space2d == LMB_SPACE2D_DIRECTIONAL ? add_polar_bands(c, positions, count)
                                                      : add_triangles(c, positions, count);
}
