// Walks over motion graphs: the path as text, the walk as lines and as a picture.
#include "motion_walk.h"

#include "file.h"
#include "terminal.h"

#include "base/host.h"
#include "base/open_file.h"

#include <errno.h>
#include <limber/math.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define PICTURE_SIZE 800.0f // of the longer side
#define MARGIN 40.0f

// ---- The path.

typedef struct path {
    const char *place; // for messages: the option or the file
    bool is_file;
    char *text; // its words are terminated while it is read
    float *points;
    uint32_t count;
} path;

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Reads "x,z", which becomes two texts.
static bool read_point(char *word, float point[2]) {
    char *comma = strchr(word, ',');
    if (comma == NULL) {
        return false;
    }
    *comma = '\0';
    const bool valid = option_read_float(word, &point[0]) && option_read_float(comma + 1, &point[1]);
    *comma = ',';
    return valid;
}

static lmb_result refuse_point(const path *path, uint32_t line, const char *word, lmb_error *error) {
    return path->is_file ? lmb_fail(error, LMB_ERROR_ARGUMENT, "%.200s:%u: '%.60s' is not a point, x,z", path->place,
                                    (unsigned)line, word)
                         : lmb_fail(error, LMB_ERROR_ARGUMENT, "--walk: point %u: '%.60s' is not x,z",
                                    (unsigned)path->count, word);
}

static lmb_result read_points(path *path, lmb_error *error) {
    uint32_t line = 1;
    for (char *at = path->text; *at != '\0';) {
        char *word = at;
        while (*at != '\0' && !is_space(*at)) {
            at++;
        }
        const char end = *at;
        *at = '\0';
        if (at > word) {
            if (path->count == LMB_MAX_MOTION_WALK_POINTS) {
                return lmb_fail(error, LMB_ERROR_LIMIT, "%.200s: more than %u points", path->place,
                                LMB_MAX_MOTION_WALK_POINTS);
            }
            if (!read_point(word, path->points + (size_t)2 * path->count)) {
                return refuse_point(path, line, word, error);
            }
            path->count++;
        }
        line += end == '\n' ? 1 : 0;
        at += end != '\0' ? 1 : 0;
    }
    return LMB_OK;
}

// A text with a comma and a space is the path itself.
static lmb_result read_path(path *path, const char *given, lmb_error *error) {
    size_t size = strlen(given);
    char *bytes = NULL;
    path->is_file = strchr(given, ',') == NULL || strchr(given, ' ') == NULL;
    path->place = path->is_file ? given : "--walk";
    if (path->is_file && file_read(given, FILE_LARGEST_TEXT, &bytes, &size, error) != LMB_OK) {
        return error->result;
    }
    path->text = malloc(size + 1);
    path->points = malloc((size / 2 + 1) * 2 * sizeof *path->points);
    lmb_result result = LMB_ERROR_MEMORY;
    if (path->text == NULL || path->points == NULL) {
        lmb_fail(error, result, "no memory");
    } else if (path->is_file && memchr(bytes, '\0', size) != NULL) {
        result = lmb_fail(error, LMB_ERROR_ARGUMENT, "%.200s is not a text", given);
    } else {
        memcpy(path->text, path->is_file ? bytes : given, size);
        path->text[size] = '\0';
        result = read_points(path, error);
    }
    free(bytes);
    return result;
}

// Returns the first step from `from` on, 1 or more, that does not go on in the clip where the one before it ends.
static uint32_t find_jump(const lmb_motion_graph *graph, const lmb_motion_walk *walk, uint32_t from) {
    const lmb_motion_part *parts = lmb_motion_graph_get_content(graph)->parts;
    const lmb_motion_walk_step *steps = lmb_motion_walk_get_content(walk)->steps;
    const uint32_t count = lmb_motion_walk_get_content(walk)->step_count;
    uint32_t i = from;
    while (i < count && parts[steps[i - 1].part].next == steps[i].part &&
           parts[steps[i - 1].part].end == parts[steps[i].part].start) {
        i++;
    }
    return i;
}

// ---- The picture: from above, x to the right and z down.

typedef struct view {
    float low[2], high[2], scale;
} view;

static void include(view *view, const float point[2]) {
    for (int i = 0; i < 2; i++) {
        view->low[i] = fminf(view->low[i], point[i]);
        view->high[i] = fmaxf(view->high[i], point[i]);
    }
}

static double across(const view *view, const float point[2], int axis) {
    return (double)(MARGIN + (point[axis] - view->low[axis]) * view->scale);
}

static view view_of(const path *path, const lmb_motion_walk_moment *moments, uint32_t count) {
    view view = {{HUGE_VALF, HUGE_VALF}, {-HUGE_VALF, -HUGE_VALF}, 1.0f};
    for (uint32_t i = 0; i < path->count; i++) {
        include(&view, path->points + (size_t)2 * i);
    }
    for (uint32_t i = 0; i < count; i++) {
        include(&view, moments[i].position);
    }
    view.scale = PICTURE_SIZE / fmaxf(fmaxf(view.high[0] - view.low[0], view.high[1] - view.low[1]), 1e-6f);
    return view;
}

// Draws points that are `stride` bytes apart.
static void draw_line(FILE *stream, const view *view, const void *points, size_t stride, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const float *point = (const float *)(const void *)((const char *)points + i * stride);
        fprintf(stream, "%s%.1f %.1f", i == 0 ? "M" : "L", across(view, point, 0), across(view, point, 1));
    }
}

static void draw(const path *path, const lmb_motion_graph *graph, const lmb_motion_walk *walk, FILE *stream) {
    const lmb_motion_walk_step *steps = lmb_motion_walk_get_content(walk)->steps;
    const uint32_t step_count = lmb_motion_walk_get_content(walk)->step_count;
    const lmb_motion_walk_moment *moments = lmb_motion_walk_get_content(walk)->moments;
    const uint32_t count = lmb_motion_walk_get_content(walk)->moment_count;
    const view view = view_of(path, moments, count);
    const float metre[2] = {view.low[0] + 1.0f, view.low[1]};
    const double width = across(&view, view.high, 0) + (double)MARGIN;
    const double height = across(&view, view.high, 1) + (double)MARGIN;
    fprintf(stream,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.1f %.1f' font-family='sans-serif' font-size='12'>\n"
            "<rect width='%.1f' height='%.1f' fill='white'/>\n"
            "<path fill='none' stroke='rgb(190,200,215)' stroke-width='6' stroke-linejoin='round' d='",
            width, height, width, height);
    draw_line(stream, &view, path->points, 2 * sizeof(float), path->count);
    fputs("'/>\n", stream);
    if (count > 0) {
        fputs("<path fill='none' stroke='rgb(200,60,30)' stroke-width='2' d='", stream);
        draw_line(stream, &view, (const char *)moments + offsetof(lmb_motion_walk_moment, position), sizeof *moments,
                  count);
        fputs("'/>\n", stream);
    }
    for (uint32_t i = 0; i < step_count; i = find_jump(graph, walk, i + 1)) {
        const float place[2] = {steps[i].position[0], steps[i].position[2]};
        fprintf(stream, "<circle cx='%.1f' cy='%.1f' r='3.5' fill='rgb(30,60,120)'/>\n", across(&view, place, 0),
                across(&view, place, 1));
    }
    fprintf(stream,
            "<path stroke='black' d='M%g 12H%.1f'/>\n<text x='%g' y='28'>1 m; dots: where clips are entered</text>\n",
            (double)MARGIN, across(&view, metre, 0), (double)MARGIN);
    fputs("</svg>\n", stream);
}

static lmb_result write_picture(const path *path, const lmb_motion_graph *graph, const lmb_motion_walk *walk,
                                const char *name, lmb_error *error) {
    const char *why;
    FILE *stream = lmb_open_file(name, LMB_OPEN_WRITE, &why);
    if (stream == NULL) {
        return lmb_fail(error, LMB_ERROR_FILE, "%s: %s", name, why);
    }
    draw(path, graph, walk, stream);
    const bool written = !ferror(stream);
    return fclose(stream) == 0 && written ? LMB_OK : lmb_fail(error, LMB_ERROR_FILE, "%s: %s", name, strerror(errno));
}

// ---- The walk.

static void print_walk(const motion_walk_graph *graph, const lmb_motion_walk *walk) {
    const lmb_motion_part *parts = lmb_motion_graph_get_content(graph->graph)->parts;
    const lmb_motion_walk_content *content = lmb_motion_walk_get_content(walk);
    const lmb_motion_walk_step *steps = content->steps;
    const lmb_motion_walk_summary summary = content->summary;
    const uint32_t count = content->step_count;
    uint32_t lines = 0;
    terminal_print("    time  clip                         from       to        x        z      yaw\n");
    for (uint32_t i = 0, next; i < count; i = next, lines++) {
        next = find_jump(graph->graph, walk, i + 1);
        const lmb_motion_part *part = &parts[steps[i].part], *last = &parts[steps[next - 1].part];
        terminal_print("%8.3f  %-24s %8.3f %8.3f %8.3f %8.3f %8.3f\n", (double)steps[i].time,
                       graph->take_name(graph->user, part->take), (double)part->start, (double)last->end,
                       (double)steps[i].position[0], (double)steps[i].position[2], (double)steps[i].yaw);
    }
    terminal_print("%u parts follow %.3f of %.3f m in %.3f s, %.3f m from the path on average, at most %.3f m\n",
                   (unsigned)lines, (double)fminf(summary.travelled, summary.path_length), (double)summary.path_length,
                   (double)summary.time, (double)summary.mean_deviation, (double)summary.most_deviation);
    if (summary.cut_searches > 0) {
        terminal_print("%u of %u searches took too long and were ended: a shorter --walk-ahead may be better\n",
                       (unsigned)summary.cut_searches, (unsigned)summary.searches);
    }
}

// A walk begins at the first point of the path, towards the first one elsewhere.
static void set_begin(lmb_motion_walk_def *def) {
    const float *points = def->path;
    def->position[0] = points[0];
    def->position[2] = points[1];
    for (uint32_t i = 1; i < def->point_count; i++) {
        const float x = points[2 * i] - points[0], z = points[2 * i + 1] - points[1];
        if (x != 0.0f || z != 0.0f) {
            def->yaw = lmb_arc_tangent(x, z);
            return;
        }
    }
}

static lmb_result check_end(const path *path, const lmb_motion_walk_def *def, const lmb_motion_walk_summary *summary,
                            lmb_error *error) {
    if (summary->end == LMB_MOTION_WALK_ARRIVED) {
        return LMB_OK;
    }
    char why[100];
    snprintf(why, sizeof why, "no walk stays within %g m of it", (double)def->tolerance);
    return lmb_fail(error, LMB_ERROR_ARGUMENT, "%.200s: the walk ends after %.3f of %.3f m of the path: %s",
                    path->place, (double)summary->travelled, (double)summary->path_length,
                    summary->end == LMB_MOTION_WALK_LOST ? why : "it has too many parts, or a search takes too long");
}

static lmb_result walk_along(const motion_walk_options *options, const motion_walk_graph *graph, const path *path,
                             lmb_error *error) {
    lmb_motion_walk_def def = lmb_default_motion_walk_def();
    def.graph = graph->graph;
    def.takes = graph->takes;
    def.take_count = graph->take_count;
    def.path = path->points;
    def.point_count = path->count;
    def.tolerance = options->within.is_given ? options->within.value : def.tolerance;
    def.look_ahead = options->ahead.is_given ? options->ahead.value : def.look_ahead;
    def.keep = def.look_ahead / 4.0f;
    if (path->count > 0) {
        set_begin(&def);
    }
    lmb_motion_walk *walk = NULL;
    lmb_error found;
    lmb_result result = lmb_motion_walk_create(&def, NULL, &walk, &found);
    if (result != LMB_OK) {
        return lmb_fail(error, result, "%.200s: %.300s", path->place, found.message);
    }
    const lmb_motion_walk_summary summary = lmb_motion_walk_get_content(walk)->summary;
    print_walk(graph, walk);
    result = options->picture != NULL ? write_picture(path, graph->graph, walk, options->picture, error) : LMB_OK;
    lmb_motion_walk_destroy(walk);
    return result == LMB_OK ? check_end(path, &def, &summary, error) : result;
}

static void release_path(path *path) {
    free(path->text);
    free(path->points);
}

lmb_result motion_walk_check(const motion_walk_options *options, lmb_error *error) {
    path path = {0};
    if (options->path == NULL) {
        const char *given = options->picture != NULL   ? "--walk-picture"
                            : options->within.is_given ? "--walk-within"
                            : options->ahead.is_given  ? "--walk-ahead"
                                                       : NULL;
        return given == NULL ? LMB_OK : lmb_fail(error, LMB_ERROR_ARGUMENT, "%s needs --walk", given);
    }
    const lmb_result result = read_path(&path, options->path, error);
    release_path(&path);
    return result;
}

lmb_result motion_walk_run(const motion_walk_options *options, const motion_walk_graph *graph, lmb_error *error) {
    path path = {0};
    lmb_result result = read_path(&path, options->path, error);
    if (result == LMB_OK) {
        result = walk_along(options, graph, &path, error);
    }
    release_path(&path);
    return result;
}
