// Compares all windows of all takes with each other. The sums of products that a distance needs are those of its
// frames: a row of products, of one frame with all others, is computed once, and a row of distances adds as many of
// them as a window has moments.
#include "cloud.h"

#include "base/float_environment.h"
#include "clip/clip.h"
#include "clip/motion.h"
#include "database.h"
#include "rig/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE 512u // columns whose products stay in the cache

// ---- Points.

static float weight_of(const lmb_motion_graph_def *def, uint32_t joint) {
    return def->joint_weights != NULL ? def->joint_weights[joint] : def->rig->def.joints[joint].is_extra ? 0.0f : 1.0f;
}

void lmb_cloud_allocate(motion_cloud *cloud, const lmb_motion_graph_def *def, lmb_arena *memory) {
    const float window = floorf(def->window * def->rate + 0.5f);
    cloud->window = window > 1.0f ? (uint32_t)window : 1;
    cloud->take_count = def->take_count;
    cloud->takes = lmb_arena_allocate(memory, def->take_count, sizeof *cloud->takes);
    for (uint32_t i = 0; cloud->takes != NULL && i < def->take_count; i++) {
        const uint32_t count = lmb_motion_count_rows(&def->takes[i], def->rate), longer = cloud->window - 1;
        const bool loops = def->takes[i].loop;
        const uint32_t windows = loops ? count : count > longer ? count - longer : 0;
        cloud->takes[i] = (cloud_take){cloud->frame_count, cloud->moment_count, count, windows, loops};
        cloud->frame_count += count + (loops ? longer : 0);
        cloud->moment_count += count;
    }
    for (uint32_t joint = 0; joint < def->rig->def.joint_count; joint++) {
        cloud->joint_count += weight_of(def, joint) > 0.0f ? 1 : 0;
    }
    for (uint32_t i = 0; i < 3; i++) {
        cloud->points[i] = lmb_arena_allocate(memory, (size_t)cloud->frame_count * cloud->joint_count, sizeof(double));
    }
    for (uint32_t i = 0; i < CLOUD_SUMS; i++) {
        cloud->sums[i] = lmb_arena_allocate(memory, cloud->frame_count, sizeof(double));
    }
    cloud->take_of = lmb_arena_allocate(memory, cloud->frame_count, sizeof *cloud->take_of);
    cloud->take_at = lmb_arena_allocate(memory, cloud->moment_count, sizeof *cloud->take_at);
    cloud->roots = lmb_arena_allocate(memory, cloud->joint_count, sizeof *cloud->roots);
    cloud->places = lmb_arena_allocate(memory, cloud->frame_count, sizeof *cloud->places);
}

// Fills in the points of a frame: where joints are over the ground. `models` has room for all joints.
static void fill_frame(motion_cloud *cloud, const lmb_motion_graph_def *def, const motion_of_take *m, uint32_t frame,
                       double time, matrix *models) {
    const double turns = m->take->loop ? floor(time / m->duration + 1e-6) : 0.0;
    const float wrapped = (float)fmax(time - turns * m->duration, 0.0);
    cloud->places[frame] = lmb_place_at(m, time);
    uint32_t point = 0;
    for (uint32_t joint = 0; joint < m->rig->def.joint_count; joint++) {
        const lmb_transform local = lmb_clip_sample(m->take->clip, m->rig, joint, wrapped);
        const uint32_t parent = m->rig->def.joints[joint].parent;
        models[joint] = lmb_model_of(&local, parent == LMB_NONE ? NULL : &models[parent]);
        if (weight_of(def, joint) > 0.0f) {
            place joints = {.cosine = 1.0};
            for (uint32_t i = 0; i < 3; i++) {
                joints.position[i] = models[joint].m[i][3];
            }
            const place there = lmb_place_compose(&cloud->places[frame], &joints);
            for (uint32_t i = 0; i < 3; i++) {
                cloud->points[i][(size_t)point * cloud->frame_count + frame] = cloud->roots[point] * there.position[i];
            }
            point++;
        }
    }
}

// Adds up the points of each frame, then those of each window.
static void fill_sums(motion_cloud *cloud) {
    const uint32_t frames = cloud->frame_count, window = cloud->window;
    for (uint32_t frame = 0; frame < frames; frame++) {
        double sums[CLOUD_SUMS] = {0};
        for (uint32_t joint = 0; joint < cloud->joint_count; joint++) {
            const size_t at = (size_t)joint * frames + frame;
            const double x = cloud->points[0][at], y = cloud->points[1][at], z = cloud->points[2][at];
            sums[CLOUD_X] += cloud->roots[joint] * x;
            sums[CLOUD_Y] += cloud->roots[joint] * y;
            sums[CLOUD_Z] += cloud->roots[joint] * z;
            sums[CLOUD_PLANE] += x * x + z * z;
            sums[CLOUD_HEIGHT] += y * y;
        }
        for (uint32_t i = 0; i < CLOUD_SUMS; i++) {
            cloud->sums[i][frame] = sums[i];
        }
    }
    for (uint32_t i = 0; i < CLOUD_SUMS; i++) {
        for (uint32_t frame = 0; frame + window <= frames; frame++) {
            double sum = 0.0;
            for (uint32_t t = 0; t < window; t++) {
                sum += cloud->sums[i][frame + t];
            }
            cloud->sums[i][frame] = sum / window;
        }
    }
}

LMB_NOINLINE void lmb_cloud_fill(motion_cloud *cloud, const lmb_motion_graph_def *def, matrix *models) {
    double total = 0.0;
    for (uint32_t joint = 0; joint < def->rig->def.joint_count; joint++) {
        total += (double)weight_of(def, joint);
    }
    for (uint32_t joint = 0, point = 0; joint < def->rig->def.joint_count; joint++) {
        if (weight_of(def, joint) > 0.0f) {
            cloud->roots[point++] = sqrt((double)weight_of(def, joint) / total);
        }
    }
    for (uint32_t i = 0; i < cloud->take_count; i++) {
        const cloud_take *take = &cloud->takes[i];
        const motion_of_take m = lmb_motion_measure(def->rig, &def->takes[i], def->rate);
        const uint32_t end = i + 1 < cloud->take_count ? take[1].frame : cloud->frame_count;
        for (uint32_t frame = take->frame; frame < end; frame++) {
            cloud->take_of[frame] = i;
            if (frame - take->frame < take->count) {
                cloud->take_at[take->moment + (frame - take->frame)] = i;
            }
            fill_frame(cloud, def, &m, frame, (double)lmb_motion_time(def->rate, frame - take->frame), models);
        }
    }
    fill_sums(cloud);
}

// ---- Loops.

static LMB_NOINLINE float measure_gap(const lmb_rig *rig, const lmb_clip *clip, matrix *models) {
    const float times[2] = {0.0f, lmb_clip_get_info(clip)->duration};
    matrix *ends[2] = {models, models + rig->def.joint_count};
    double largest = 0.0;
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        const uint32_t parent = rig->def.joints[joint].parent;
        double between[3];
        for (int end = 0; end < 2; end++) {
            const lmb_transform local = lmb_clip_sample(clip, rig, joint, times[end]);
            ends[end][joint] = lmb_model_of(&local, parent == LMB_NONE ? NULL : &ends[end][parent]);
        }
        for (int i = 0; i < 3; i++) {
            between[i] = ends[1][joint].m[i][3] - ends[0][joint].m[i][3];
        }
        largest = fmax(largest, lmb_length(between));
    }
    return (float)largest;
}

lmb_result lmb_motion_take_measure_gap(const lmb_rig *rig, const lmb_clip *clip, const lmb_host *host, float *gap,
                                       lmb_error *error) {
    if (rig == NULL || clip == NULL || gap == NULL || lmb_clip_get_info(clip)->joint_count != rig->def.joint_count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gap of a take: %s",
                        rig == NULL    ? "the rig is NULL"
                        : clip == NULL ? "the clip is NULL"
                        : gap == NULL  ? "the result is NULL"
                                       : "the clip is for another number of joints");
    }
    const lmb_host resolved = lmb_host_resolve(host);
    matrix *models = lmb_host_allocate(&resolved, (size_t)rig->def.joint_count * 2, sizeof *models);
    if (models == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "gap of a take: no memory");
    }
    lmb_environment callers;
    lmb_environment_enter(&callers);
    *gap = measure_gap(rig, clip, models);
    lmb_environment_leave(&callers);
    lmb_host_release(&resolved, models);
    return LMB_OK;
}

// ---- Distances.

// Returns the distance of the windows of two frames, from the points again, without differences of large sums.
static double distance_of(const motion_cloud *cloud, uint32_t from, uint32_t to) {
    const double *x = cloud->sums[CLOUD_X], *z = cloud->sums[CLOUD_Z];
    const double height = cloud->places[from].position[1] - cloud->places[to].position[1];
    double a = 0.0, b = 0.0, sum = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        const double length = sqrt(a * a + b * b);
        const double cosine = length > 0.0 ? a / length : 1.0, sine = length > 0.0 ? b / length : 0.0;
        for (uint32_t joint = 0; joint < cloud->joint_count; joint++) {
            const double root = cloud->roots[joint];
            for (uint32_t t = 0; t < cloud->window; t++) {
                const size_t i = (size_t)joint * cloud->frame_count + from + t, k = i - from + to;
                const double xi = cloud->points[0][i] - root * x[from], xk = cloud->points[0][k] - root * x[to];
                const double zi = cloud->points[2][i] - root * z[from], zk = cloud->points[2][k] - root * z[to];
                const double dx = xi - (cosine * xk + sine * zk), dz = zi - (cosine * zk - sine * xk);
                const double dy = cloud->points[1][i] - cloud->points[1][k] - root * height;
                a += pass == 0 ? xi * xk + zi * zk : 0.0;
                b += pass == 0 ? xi * zk - zi * xk : 0.0;
                sum += pass == 0 ? 0.0 : dx * dx + dy * dy + dz * dz;
            }
        }
    }
    return sqrt(sum / cloud->window);
}

// Returns a joint's point in its character's frame.
static place point_of(const motion_cloud *cloud, uint32_t joint, uint32_t frame) {
    const place back = lmb_place_invert(&cloud->places[frame]);
    place point = {.cosine = 1.0};
    for (uint32_t i = 0; i < 3; i++) {
        point.position[i] = cloud->points[i][(size_t)joint * cloud->frame_count + frame] / cloud->roots[joint];
    }
    return lmb_place_compose(&back, &point);
}

static double jump_of(const motion_cloud *cloud, uint32_t from, uint32_t to) {
    double sum = 0.0;
    for (uint32_t joint = 0; joint < cloud->joint_count; joint++) {
        const place a = point_of(cloud, joint, from), b = point_of(cloud, joint, to);
        for (uint32_t i = 0; i < 3; i++) {
            const double between = cloud->roots[joint] * (a.position[i] - b.position[i]);
            sum += between * between;
        }
    }
    return sqrt(sum);
}

enum { PLANE, TURNED, HEIGHT, PRODUCTS };

// Rows of the matrix of all frames.
typedef struct rows {
    const motion_cloud *cloud;
    double *products;    // [window][PRODUCTS][frame], the row of a frame in turns
    double *distance[3]; // [frame]: this row of distances, the one before and the one before that
    double *sums[PRODUCTS];
    double *own; // [frame]: what of a window alone counts in its distances
} rows;

static double *products_of(const rows *r, uint32_t row, uint32_t kind) {
    return r->products + ((size_t)(row % r->cloud->window) * PRODUCTS + kind) * r->cloud->frame_count;
}

static void multiply_row(const rows *r, uint32_t row) {
    const motion_cloud *cloud = r->cloud;
    const uint32_t frames = cloud->frame_count;
    double *plane = products_of(r, row, PLANE), *turned = products_of(r, row, TURNED);
    double *height = products_of(r, row, HEIGHT);
    memset(plane, 0, (size_t)frames * PRODUCTS * sizeof *plane);
    for (uint32_t first = 0; first < frames; first += AT_ONCE) {
        const uint32_t end = first + AT_ONCE < frames ? first + AT_ONCE : frames;
        for (uint32_t joint = 0; joint < cloud->joint_count; joint++) {
            const double *x = cloud->points[0] + (size_t)joint * frames, *y = cloud->points[1] + (size_t)joint * frames;
            const double *z = cloud->points[2] + (size_t)joint * frames;
            const double own_x = x[row], own_y = y[row], own_z = z[row];
            for (uint32_t i = first; i < end; i++) {
                plane[i] += own_x * x[i] + own_z * z[i];
                turned[i] += own_x * z[i] - own_z * x[i];
                height[i] += own_y * y[i];
            }
        }
    }
}

static void fill_own(const rows *r) {
    double *const *sums = r->cloud->sums;
    for (uint32_t i = 0; i < r->cloud->frame_count; i++) {
        const double x = sums[CLOUD_X][i], z = sums[CLOUD_Z][i], up = r->cloud->places[i].position[1];
        r->own[i] =
            sums[CLOUD_PLANE][i] - x * x - z * z + sums[CLOUD_HEIGHT][i] - 2.0 * up * sums[CLOUD_Y][i] + up * up;
    }
}

// Computes the distances of the window that begins at `row`, whose products are there, from those of a take.
static void measure_take(const rows *r, uint32_t row, const cloud_take *take) {
    double *const *of = r->cloud->sums;
    const uint32_t first = take->frame, end = first + take->windows;
    for (uint32_t kind = 0; kind < PRODUCTS; kind++) {
        for (uint32_t t = 0; t < r->cloud->window; t++) {
            const double *products = products_of(r, row + t, kind) + t;
            for (uint32_t i = first; i < end; i++) {
                r->sums[kind][i] = t == 0 ? products[i] : r->sums[kind][i] + products[i];
            }
        }
    }
    const double share = 1.0 / r->cloud->window, up = r->cloud->places[row].position[1];
    const double x = of[CLOUD_X][row], y = of[CLOUD_Y][row], z = of[CLOUD_Z][row];
    for (uint32_t i = first; i < end; i++) {
        const double other = r->cloud->places[i].position[1];
        const double a = r->sums[PLANE][i] * share - x * of[CLOUD_X][i] - z * of[CLOUD_Z][i];
        const double b = r->sums[TURNED][i] * share - x * of[CLOUD_Z][i] + z * of[CLOUD_X][i];
        const double c = r->sums[HEIGHT][i] * share - up * of[CLOUD_Y][i] - other * y + up * other;
        const double square = r->own[row] + r->own[i] - 2.0 * c - 2.0 * sqrt(a * a + b * b);
        r->distance[0][i] = square > 0.0 ? sqrt(square) : 0.0;
    }
}

// ---- Minima.

typedef struct finding {
    const motion_cloud *cloud;
    const lmb_motion_graph_def *def;
    const lmb_host *host;
    motion_minima *minima;
    uint32_t room;
    float limit;
} finding;

// Returns whether less than a window is between moments of a take.
static bool is_near(const motion_cloud *cloud, const cloud_take *take, uint32_t a, uint32_t b) {
    const uint32_t apart = a < b ? b - a : a - b;
    return apart < cloud->window || (take->loops && take->count - apart < cloud->window);
}

static bool append(finding *f, const motion_minimum *minimum) {
    motion_minima *minima = f->minima;
    if (minima->count == f->room) {
        const uint32_t room = f->room == 0 ? 1024 : f->room * 2;
        motion_minimum *list = room > f->room ? lmb_host_allocate(f->host, room, sizeof *list) : NULL;
        if (list == NULL) {
            return false;
        }
        if (minima->count > 0) {
            memcpy(list, minima->list, minima->count * sizeof *list);
        }
        lmb_host_release(f->host, minima->list);
        minima->list = list;
        f->room = room;
    }
    minima->list[minima->count++] = *minimum;
    return true;
}

// Keeps a minimum unless the pose jumps. Returns false without memory.
static bool keep(finding *f, uint32_t from, uint32_t to) {
    const motion_cloud *cloud = f->cloud;
    const cloud_take *first = &cloud->takes[cloud->take_of[from]], *second = &cloud->takes[cloud->take_of[to]];
    if (first == second && is_near(cloud, first, from, to)) {
        return true;
    }
    const motion_minimum found = {.from = first->moment + (from - first->frame),
                                  .to = second->moment + (to - second->frame),
                                  .distance = (float)distance_of(cloud, from, to),
                                  .jump = (float)jump_of(cloud, from, to)};
    return found.distance >= f->limit || found.jump > f->def->max_jump || append(f, &found);
}

// Returns whether no neighbour of a distance is smaller; of equal ones the first counts.
static bool is_minimum(const rows *r, uint32_t column) {
    const double *before = r->distance[2], *row = r->distance[1], *after = r->distance[0], own = row[column];
    const uint32_t *take = r->cloud->take_of, last = r->cloud->frame_count - 1;
    bool is_smallest = true;
    for (uint32_t i = column > 0 ? column - 1 : 0; i <= (column < last ? column + 1 : last); i++) {
        is_smallest = is_smallest && (take[i] != take[column] || (before[i] > own && after[i] >= own &&
                                                                  (i < column ? row[i] > own : row[i] >= own)));
    }
    return is_smallest;
}

static bool find_in_row(finding *f, const rows *r, uint32_t row) {
    bool success = true;
    for (uint32_t i = 0; success && i < r->cloud->frame_count; i++) {
        if (r->distance[1][i] < (double)f->limit && is_minimum(r, i)) {
            success = keep(f, row, i);
        }
    }
    return success;
}

static void draw_row(const finding *f, const rows *r, uint32_t row) {
    const motion_cloud *cloud = f->cloud;
    const uint64_t size = f->def->map_size, moments = cloud->moment_count;
    const cloud_take *own = &cloud->takes[cloud->take_of[row]];
    float *cells = f->def->map + (own->moment + (row - own->frame)) * size / moments * size;
    for (uint32_t take = 0; take < cloud->take_count; take++) {
        const cloud_take *other = &cloud->takes[take];
        for (uint32_t i = 0; i < other->windows; i++) {
            float *cell = &cells[(other->moment + i) * size / moments];
            const float distance = (float)r->distance[0][other->frame + i];
            *cell = distance < *cell ? distance : *cell;
        }
    }
}

static void next_row(rows *r) {
    double *oldest = r->distance[2];
    r->distance[2] = r->distance[1];
    r->distance[1] = r->distance[0];
    r->distance[0] = oldest;
    for (uint32_t i = 0; i < r->cloud->frame_count; i++) {
        oldest[i] = HUGE_VAL;
    }
}

static LMB_NOINLINE bool find_all(finding *f, rows *r) {
    const motion_cloud *cloud = f->cloud;
    bool success = true;
    fill_own(r);
    for (uint32_t take = 0; success && take < cloud->take_count; take++) {
        const cloud_take *own = &cloud->takes[take];
        for (int i = 0; i < 3; i++) {
            next_row(r);
        }
        for (uint32_t i = 0; own->windows > 0 && i + 1 < cloud->window; i++) {
            multiply_row(r, own->frame + i);
        }
        for (uint32_t i = 0; success && i <= own->windows; i++) {
            next_row(r);
            if (i < own->windows) {
                multiply_row(r, own->frame + i + cloud->window - 1);
                for (uint32_t other = 0; other < cloud->take_count; other++) {
                    measure_take(r, own->frame + i, &cloud->takes[other]);
                }
                if (f->def->map != NULL) {
                    draw_row(f, r, own->frame + i);
                }
            }
            success = i == 0 || find_in_row(f, r, own->frame + i - 1);
        }
    }
    return success;
}

static int compare(const void *first, const void *second) {
    const motion_minimum *a = first, *b = second;
    return a->distance != b->distance ? (a->distance < b->distance ? -1 : 1)
           : a->from != b->from       ? (a->from < b->from ? -1 : 1)
                                      : (a->to > b->to) - (a->to < b->to);
}

// Minima that are kept, so that those within a window's length of a smaller one are left out. The moments of each take
// are divided into cells as long as a window, so that at most one minimum is kept in a pair of cells. A table with open
// addressing has them.
typedef struct cells {
    uint32_t *first; // [take]: its first cell
    uint32_t *table; // a minimum's index, and 1 more; or 0
    uint32_t mask;
    const motion_minimum *list;
} cells;

// A pair of cells: those of `from` and `to`.
typedef struct cell_pair {
    uint32_t row, column;
} cell_pair;

static uint32_t cell_of(const motion_cloud *cloud, const cells *c, uint32_t moment) {
    const cloud_take *take = lmb_cloud_take_of(cloud, moment);
    return c->first[take - cloud->takes] + (moment - take->moment) / cloud->window;
}

static cell_pair pair_of(const motion_cloud *cloud, const cells *c, const motion_minimum *minimum) {
    return (cell_pair){cell_of(cloud, c, minimum->from), cell_of(cloud, c, minimum->to)};
}

// Returns the place in the table of a pair of cells, or where it would be.
static uint32_t *find_pair(const motion_cloud *cloud, const cells *c, cell_pair pair) {
    uint32_t at = (pair.row * 0x9e3779b1u) ^ (pair.column * 0x85ebca6bu);
    for (at ^= at >> 15;; at++) {
        uint32_t *entry = &c->table[at & c->mask];
        const cell_pair other = *entry != 0 ? pair_of(cloud, c, &c->list[*entry - 1]) : pair;
        if (other.row == pair.row && other.column == pair.column) {
            return entry;
        }
    }
}

static bool is_left_out(const motion_cloud *cloud, const cells *c, uint32_t index) {
    const motion_minimum *own = &c->list[index];
    const cloud_take *a = lmb_cloud_take_of(cloud, own->from), *b = lmb_cloud_take_of(cloud, own->to);
    const uint32_t rows = (a->count - 1) / cloud->window + 1, columns = (b->count - 1) / cloud->window + 1;
    const uint32_t first_row = c->first[a - cloud->takes], first_column = c->first[b - cloud->takes];
    const cell_pair pair = pair_of(cloud, c, own);
    // The last cell may be short, so in a loop the cell behind the next one may be near.
    for (uint32_t i = 0; i < 5; i++) {
        for (uint32_t k = 0; k < 5; k++) {
            const cell_pair near = {first_row + (pair.row - first_row + i + 2 * rows - 2) % rows,
                                    first_column + (pair.column - first_column + k + 2 * columns - 2) % columns};
            const uint32_t kept = *find_pair(cloud, c, near);
            if (kept != 0 && is_near(cloud, a, c->list[kept - 1].from, own->from) &&
                is_near(cloud, b, c->list[kept - 1].to, own->to)) {
                return true;
            }
        }
    }
    *find_pair(cloud, c, pair) = index + 1;
    return false;
}

static bool thin_out(const motion_cloud *cloud, const lmb_host *host, motion_minima *minima) {
    lmb_arena scratch = {.host = host};
    cells c = {
        .first = lmb_arena_allocate(&scratch, cloud->take_count, sizeof *c.first), .mask = 1, .list = minima->list};
    while (c.mask / 2 < minima->count && c.mask < UINT32_MAX / 2) {
        c.mask = c.mask * 2 + 1;
    }
    c.table = lmb_arena_allocate(&scratch, (size_t)c.mask + 1, sizeof *c.table);
    bool *left_out = lmb_arena_allocate(&scratch, minima->count, sizeof *left_out);
    const bool success = !scratch.failed;
    for (uint32_t i = 0, count = 0; success && i < cloud->take_count; i++) {
        c.first[i] = count;
        count += (cloud->takes[i].count - 1) / cloud->window + 1;
    }
    for (uint32_t i = 0; success && i < minima->count; i++) {
        left_out[i] = is_left_out(cloud, &c, i);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; success && i < minima->count; i++) {
        if (!left_out[i]) {
            minima->list[count++] = minima->list[i];
        }
    }
    minima->count = count;
    lmb_arena_release(&scratch);
    return success;
}

bool lmb_cloud_minima(const motion_cloud *cloud, const lmb_motion_graph_def *def, float limit, const lmb_host *host,
                      motion_minima *minima) {
    lmb_arena scratch = {.host = host};
    const uint32_t frames = cloud->frame_count;
    rows r = {.cloud = cloud,
              .products =
                  lmb_arena_allocate(&scratch, (size_t)cloud->window * PRODUCTS, (size_t)frames * sizeof(double)),
              .own = lmb_arena_allocate(&scratch, frames, sizeof(double))};
    for (int i = 0; i < 3; i++) {
        r.distance[i] = lmb_arena_allocate(&scratch, frames, sizeof(double));
        r.sums[i] = lmb_arena_allocate(&scratch, frames, sizeof(double));
    }
    for (size_t i = 0; def->map != NULL && i < (size_t)def->map_size * def->map_size; i++) {
        def->map[i] = HUGE_VALF;
    }
    finding f = {cloud, def, host, minima, 0, limit};
    const bool success = !scratch.failed && find_all(&f, &r);
    lmb_arena_release(&scratch);
    if (success && minima->count > 0) {
        qsort(minima->list, minima->count, sizeof *minima->list, compare);
    }
    return success && thin_out(cloud, host, minima);
}
