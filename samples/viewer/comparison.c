// Builds a graph that gives each figure of the row its pose, and draws the row.
#include "comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "graphics.h"
#include "measure.h"

#define NAMES_HEIGHT 0.085f // of the picture
#define PLACE_WIDTH 0.635f  // of a figure's place, in heights of the character, at least
#define GAP 0.06f           // between figures, in heights of the character, at least
#define APART 0.3f          // between the inputs and the results, in widths of a figure's place
#define MARGIN 0.22f        // at both ends
#define VIEW_HEIGHT 1.28f   // of the picture, in heights of the character, at least
#define HEADROOM 1.07f      // of that, the part from the ground to the upper edge
#define FIELD_OF_VIEW 0.16f // so small that figures at the ends of a long row are not distorted
#define TURN 0.5f           // rotation of each figure to the side, as seen

static lmb_result read_graph(const char *graph, const character *character, lmb_graph_json **result, lmb_error *error) {
    if (graph[strspn(graph, " \t\n")] == '{') {
        return character_read_graph(character, "--poses", graph, strlen(graph), result, error);
    }
    char *text = NULL;
    size_t size = 0;
    if (file_read(graph, FILE_LARGEST_TEXT, &text, &size, error)) {
        return error->result;
    }
    character_read_graph(character, graph, text, size, result, error);
    free(text);
    return *result != NULL ? LMB_OK : error->result;
}

// Returns the node to show for an input: an additive is not a pose that can be shown, so its first input is shown
// instead.
static uint32_t find_shown(const lmb_graph_def *def, uint32_t node) {
    while (def->nodes[node].op == LMB_OP_MAKE_ADDITIVE || def->nodes[node].op == LMB_OP_SUBTRACT) {
        node = def->nodes[node].inputs[0];
    }
    return node;
}

static const char *name_node(const lmb_graph_def *def, uint32_t node) {
    const lmb_node_def *shown = &def->nodes[node];
    uint32_t clip = (uint32_t)shown->clip.constant;
    if (shown->op == LMB_OP_POSE && shown->static_pose < def->static_pose_count) {
        return def->static_poses[shown->static_pose].name;
    }
    bool known = shown->op == LMB_OP_CLIP && shown->clip.kind == LMB_VALUE_CONSTANT && clip < def->clip_count;
    return known ? lmb_clip_get_info(def->clips[clip])->name : lmb_op_name(shown->op);
}

static void name_figures(const comparison_def *def, const lmb_graph_def *graph, const lmb_node_def *row,
                         comparison *comparison) {
    for (uint32_t i = 0; i < comparison->figure_count; i++) {
        comparison->names[i] = i < def->label_count ? def->labels[i] : name_node(graph, row->inputs[i]);
    }
}

// Builds a weighted blend of the shown poses. Each figure gives only one of them a weight. An override also takes in a
// given pose, which becomes a node.
static void fill_row(const comparison_def *def, lmb_graph_def *graph, lmb_node_def *nodes, comparison *comparison) {
    const uint32_t result = graph->node_count - 1, own = def->row > 0 ? 0 : 1;
    lmb_node_def row = lmb_default_node_def();
    uint32_t shown[LMB_MAX_INPUTS + 1], inputs = nodes[result].input_count;
    memcpy(shown, nodes[result].inputs, inputs * sizeof *shown);
    if (nodes[result].op == LMB_OP_OVERRIDE) {
        lmb_node_def given = lmb_default_node_def();
        given.op = LMB_OP_POSE;
        given.pose = nodes[result].pose;
        given.static_pose = nodes[result].static_pose;
        shown[inputs++] = graph->node_count;
        nodes[graph->node_count++] = given;
    }
    inputs = inputs < LMB_MAX_INPUTS - own ? inputs : LMB_MAX_INPUTS - own;
    row.op = LMB_OP_WEIGHTED;
    row.input_count = comparison->figure_count = inputs + own;
    comparison->result_count = def->row < inputs + own ? def->row + own : inputs + own;
    for (uint32_t i = 0; i < row.input_count; i++) {
        row.inputs[i] = i < inputs ? find_shown(graph, shown[i]) : result;
        row.weights[i] = lmb_parameter(graph->parameter_count + i);
    }
    name_figures(def, graph, &row, comparison);
    nodes[graph->node_count] = row;
}

// Matrices cannot be blended again: the figures of the inputs give a weight to one input each, in the operation itself.
static void fill_row_of_matrices(const comparison_def *def, const lmb_graph_def *graph, lmb_node_def *root,
                                 comparison *comparison) {
    lmb_node_def row = *root;
    row.inputs[root->input_count < LMB_MAX_INPUTS ? root->input_count : 0] = graph->node_count - 1;
    comparison->figure_count = root->input_count + (root->input_count < LMB_MAX_INPUTS ? 1 : 0);
    comparison->result_count = comparison->figure_count - root->input_count;
    for (uint32_t i = 0; i < root->input_count; i++) {
        const lmb_value weight = root->weights[i];
        comparison->weights[i] =
            weight.kind == LMB_VALUE_CONSTANT ? weight.constant : graph->parameters[weight.parameter].initial;
        root->weights[i] = lmb_parameter(graph->parameter_count + i);
    }
    name_figures(def, graph, &row, comparison);
}

static bool moves(const lmb_graph_def *def) {
    bool found = def->motion != NULL || def->smoothed_count > 0 || def->computed_count > 0 || def->fade_count > 0;
    for (uint32_t i = 0; i < def->node_count; i++) {
        found = found || def->nodes[i].player != NULL || def->nodes[i].op == LMB_OP_MACHINE;
    }
    return found;
}

static lmb_result create_program(const comparison_def *comparison_def, comparison *comparison, character *character,
                                 lmb_error *error) {
    lmb_graph_def def = *lmb_graph_json_def(comparison->graph);
    if (moves(&def)) {
        return viewer_fail(error, LMB_ERROR_UNSUPPORTED, "--poses: it moves by itself; '--graph' runs it");
    }
    lmb_node_def *nodes = malloc((def.node_count + (size_t)2) * sizeof *nodes);
    if (nodes == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for a graph");
    }
    memcpy(nodes, def.nodes, def.node_count * sizeof *nodes);
    lmb_node_def *root = &nodes[def.node_count - 1];
    def.nodes = nodes;
    comparison->of_matrices = root->op == LMB_OP_WEIGHTED_MATRIX;
    if (comparison->of_matrices) {
        fill_row_of_matrices(comparison_def, &def, root, comparison);
    } else {
        fill_row(comparison_def, &def, nodes, comparison);
    }
    comparison->own_count = def.parameter_count;
    def.parameters = NULL;
    comparison->parameter_count = def.parameter_count += comparison->figure_count;
    if (comparison->figure_count > 1 && !comparison->of_matrices) {
        def.node_count++;
    }
    lmb_graph_destroy(character->graph);
    character->graph = NULL;
    lmb_result result = lmb_graph_create(&def, NULL, &character->graph, error);
    free(nodes);
    if (result == LMB_OK && lmb_graph_get_info(character->graph)->pose_count > 0) {
        result = viewer_fail(error, LMB_ERROR_UNSUPPORTED,
                             "--poses: there are no pose buffers here; --pose gives a static pose");
    }
    return result;
}

static lmb_result apply_setting(const lmb_graph_def *graph, const char *setting, float *row, lmb_error *error) {
    const char *equals = strrchr(setting, '=');
    char *end = NULL;
    float value = equals == NULL ? 0.0f : strtof(equals + 1, &end);
    for (uint32_t i = 0; equals != NULL && end != equals + 1 && *end == '\0' && i < graph->parameter_count; i++) {
        const char *name = graph->parameters[i].name;
        size_t length = (size_t)(equals - setting);
        if (strlen(name) == length && memcmp(name, setting, length) == 0) {
            row[i] = value;
            return LMB_OK;
        }
    }
    return viewer_fail(error, LMB_ERROR_ARGUMENT, "--set %s: no number for a parameter of the graph", setting);
}

static uint32_t find_time(const lmb_graph_def *graph) {
    uint32_t time = 0;
    while (time < graph->parameter_count && strcmp(graph->parameters[time].name, "time") != 0) {
        time++;
    }
    return time < graph->parameter_count ? time : LMB_NONE;
}

static lmb_result fill_parameters(const comparison_def *def, comparison *comparison, lmb_error *error) {
    const uint32_t count = comparison->parameter_count, own = comparison->own_count;
    const lmb_graph_def *graph = lmb_graph_json_def(comparison->graph);
    comparison->time_parameter = find_time(graph);
    comparison->parameters = calloc((size_t)comparison->figure_count * count, sizeof(float));
    if (comparison->parameters == NULL) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for parameters");
    }
    for (uint32_t figure = 0; figure < comparison->figure_count; figure++) {
        float *row = comparison->parameters + (size_t)figure * count;
        for (uint32_t i = 0; i < own; i++) {
            row[i] = graph->parameters[i].initial;
        }
        for (uint32_t i = 0; i < def->setting_count; i++) {
            if (apply_setting(graph, def->settings[i], row, error) != LMB_OK) {
                return error->result;
            }
        }
        const bool is_blend = comparison->of_matrices && figure + comparison->result_count >= comparison->figure_count;
        for (uint32_t i = 0; i < comparison->figure_count && is_blend; i++) {
            row[own + i] = comparison->weights[i];
        }
        row[own + figure] = is_blend ? 0.0f : 1.0f;
    }
    return LMB_OK;
}

// The length of the row, and the position of a figure's middle in it, in widths of a figure's place.
static float row_length(const comparison *comparison) {
    return (float)comparison->figure_count + 2.0f * MARGIN +
           (comparison->figure_count > comparison->result_count ? APART : 0.0f);
}

static float row_place(const comparison *comparison, uint32_t figure) {
    bool apart = comparison->figure_count > comparison->result_count &&
                 figure + comparison->result_count >= comparison->figure_count;
    return (float)figure + 0.5f + MARGIN + (apart ? APART : 0.0f);
}

// Returns where a figure is on the ground, to the right of the middle, in metres.
static float row_position(const comparison *comparison, uint32_t figure) {
    return comparison->place_width * (row_place(comparison, figure) - 0.5f * row_length(comparison));
}

static float camera_distance(const comparison *comparison) {
    return 0.5f * comparison->view_height / tanf(0.5f * FIELD_OF_VIEW);
}

// Chooses sizes so that no figure touches another one or the edges of the picture.
static lmb_result find_sizes(const character *character, float aspect, comparison *comparison, lmb_error *error) {
    const uint32_t last = comparison->figure_count - 1;
    measure_bounds bounds[COMPARISON_FIGURES];
    if (measure_poses(character, comparison->parameters, comparison->figure_count, TURN, bounds, error)) {
        return error->result;
    }
    comparison->height = character->height;
    float place =
        fmaxf(PLACE_WIDTH * character->height, fmaxf(-bounds[0].low[0], bounds[last].high[0]) / (0.5f + MARGIN));
    for (uint32_t i = 0; i <= last; i++) {
        const float apart = i < last ? bounds[i].high[0] - bounds[i + 1].low[0] + GAP * character->height : 0.0f;
        place = fmaxf(place, apart);
        comparison->height = fmaxf(comparison->height, bounds[i].high[1] / HEADROOM);
    }
    comparison->place_width = place;
    comparison->view_height = fmaxf(VIEW_HEIGHT * comparison->height, row_length(comparison) * place / aspect);
    comparison->view_width = comparison->view_height * aspect;
    return LMB_OK;
}

lmb_result comparison_create(const comparison_def *def, float aspect, character *character, comparison *comparison,
                             lmb_error *error) {
    *comparison = (struct comparison){0};
    if (read_graph(def->graph, character, &comparison->graph, error) ||
        create_program(def, comparison, character, error) || fill_parameters(def, comparison, error)) {
        return error->result;
    }
    return find_sizes(character, aspect, comparison, error);
}

void comparison_write_parameters(const comparison *comparison, uint32_t frame, float *parameters) {
    const size_t count = comparison->parameter_count;
    memcpy(parameters, comparison->parameters, comparison->figure_count * count * sizeof *parameters);
    for (uint32_t figure = 0; figure < comparison->figure_count && comparison->time_parameter != LMB_NONE; figure++) {
        const size_t time = figure * count + comparison->time_parameter;
        parameters[time] = comparison->parameters[time] + (float)frame / 60.0f;
    }
}

void comparison_destroy(comparison *comparison) {
    lmb_graph_json_destroy(comparison->graph);
    free(comparison->parameters);
    *comparison = (struct comparison){0};
}

void comparison_place(const comparison *comparison, crowd *crowd) {
    static const float input_tint[3] = {0.90f, 0.84f, 0.74f}, result_tint[3] = {0.90f, 0.42f, 0.22f};
    for (uint32_t i = 0; i < comparison->figure_count; i++) {
        bool is_result = i + comparison->result_count >= comparison->figure_count;
        float x = row_position(comparison, i);
        // Every figure is seen from the same side, at any position.
        float turn = TURN + atan2f(-x, camera_distance(comparison));
        crowd_placement *placement = &crowd->members[i].placement;
        *placement = (crowd_placement){.position = {x, 0.0f}, .heading = {cosf(turn), sinf(turn)}, .scale = 1.0f};
        memcpy(placement->tint, is_result ? result_tint : input_tint, sizeof placement->tint);
    }
}

camera comparison_camera(const comparison *comparison, const character *character) {
    camera camera = camera_before_crowd(0.0f, character->height);
    // The figures are in the middle above the names.
    camera.target[1] = 0.515f * comparison->height - 0.5f * NAMES_HEIGHT * comparison->view_height;
    camera.target[2] = 0.0f;
    camera.yaw = 0.0f;
    camera.pitch = 0.12f;
    camera.distance = camera_distance(comparison);
    camera.field_of_view = FIELD_OF_VIEW;
    return camera;
}

void comparison_show_names(const comparison *comparison, ui *ui) {
    const float place = comparison->place_width / comparison->view_width;
    float middles[COMPARISON_FIGURES];
    for (uint32_t i = 0; i < comparison->figure_count; i++) {
        middles[i] = 0.5f + row_position(comparison, i) / comparison->view_width;
    }
    ui_names(ui, comparison->names, middles, comparison->figure_count, 0.94f * place, NAMES_HEIGHT);
}
