// Reads joint limits and ranges of channels.
#include "graph.h"

#include "../graph.h"

#include <string.h>

// The ends of a range, of three components or of one.
typedef struct range {
    float min[3];
    float max[3];
    lmb_axis axis;
} range;

// Reads three numbers, or one that applies to all three.
static void read_triple(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    lmb_graph_field component = *field;
    if (values[value].type != LMB_JSON_ARRAY) {
        for (int i = 0; i < 3; i++, component.offset += sizeof(float)) {
            uint32_t problems = reader->problem_count;
            lmb_graph_read_plain(reader, &component, value, target);
            if (reader->problem_count > problems) {
                return;
            }
        }
        return;
    }
    if (values[value].count != 3) {
        lmb_graph_report(reader, value, "%u numbers, where 3 were expected, or one for all",
                         (unsigned)values[value].count);
        return;
    }
    for (uint32_t at = value + 1; at < values[value].next; at = values[at].next, component.offset += sizeof(float)) {
        lmb_graph_read_plain(reader, &component, at, target);
    }
}

#define ENDS(lowest, highest, is_required)                                                                             \
    {.name = "min",                                                                                                    \
     .required = is_required,                                                                                          \
     .read = read_triple,                                                                                              \
     .offset = offsetof(range, min),                                                                                   \
     .min = lowest,                                                                                                    \
     .max = highest},                                                                                                  \
    {                                                                                                                  \
        .name = "max", .required = is_required, .read = read_triple, .offset = offsetof(range, max), .min = lowest,    \
        .max = highest                                                                                                 \
    }

static const lmb_graph_field distance_members[] = {ENDS(-LMB_LARGEST, LMB_LARGEST, true)};
static const lmb_graph_fields distance_fields = {"a range", distance_members, 2, NULL};
static const lmb_graph_field angle_members[] = {ENDS(-180.0f, 180.0f, true)};
static const lmb_graph_fields angle_fields = {"a range", angle_members, 2, NULL};

static const char *const axes[] = {"x", "y", "z", NULL};
static const lmb_graph_field twist_members[] = {
    {.name = "axis", .read = lmb_graph_read_choice, .offset = offsetof(range, axis), .choices = axes},
    {.name = "min", .read = lmb_graph_read_plain, .offset = offsetof(range, min), .min = -360.0f, .max = 360.0f},
    {.name = "max", .read = lmb_graph_read_plain, .offset = offsetof(range, max), .min = -360.0f, .max = 360.0f},
};
static const lmb_graph_fields twist_fields = {"a twist", twist_members, 3, NULL};

static bool read_range(lmb_graph_reader *reader, const lmb_graph_fields *fields, uint32_t value, range *found) {
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return false;
    }
    lmb_graph_read_fields(reader, fields, value, found);
    return true;
}

static void read_translation(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    lmb_joint_limit_def *limit = target;
    range found = {.axis = LMB_AXIS_X};
    if (read_range(reader, &distance_fields, value, &found)) {
        limit->set |= LMB_JOINT_LIMIT_TRANSLATION;
        memcpy(limit->translation_min, found.min, sizeof found.min);
        memcpy(limit->translation_max, found.max, sizeof found.max);
    }
}

static void read_scale(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    lmb_joint_limit_def *limit = target;
    range found = {.axis = LMB_AXIS_X};
    if (read_range(reader, &distance_fields, value, &found)) {
        limit->set |= LMB_JOINT_LIMIT_SCALE;
        memcpy(limit->scale_min, found.min, sizeof found.min);
        memcpy(limit->scale_max, found.max, sizeof found.max);
    }
}

static void read_angles(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    lmb_joint_limit_def *limit = target;
    range found = {.axis = LMB_AXIS_X};
    if (read_range(reader, &angle_fields, value, &found)) {
        limit->set |= LMB_JOINT_LIMIT_ANGLES;
        memcpy(limit->angle_min, found.min, sizeof found.min);
        memcpy(limit->angle_max, found.max, sizeof found.max);
    }
}

static void read_twist(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    lmb_joint_limit_def *limit = target;
    range found = {.min = {-180.0f}, .max = {180.0f}, .axis = limit->twist_axis};
    if (read_range(reader, &twist_fields, value, &found)) {
        limit->set |= LMB_JOINT_LIMIT_TWIST;
        limit->twist_axis = found.axis;
        limit->twist_min = found.min[0];
        limit->twist_max = found.max[0];
    }
}

static void read_swing(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_graph_read_plain(reader, field, value, target);
    ((lmb_joint_limit_def *)target)->set |= LMB_JOINT_LIMIT_SWING;
}

static const lmb_graph_field limit_members[] = {
    {.name = "translation", .read = read_translation},
    {.name = "scale", .read = read_scale},
    {.name = "twist", .read = read_twist},
    {.name = "swing", .read = read_swing, .offset = offsetof(lmb_joint_limit_def, swing), .max = 180.0f},
    {.name = "angles", .read = read_angles},
};
static const lmb_graph_fields limit_fields = {"a joint's limits", limit_members, 5, NULL};

// Reads two numbers, min and max.
static void read_ends(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    lmb_graph_field end = *field;
    if (!lmb_graph_expect(reader, value, LMB_JSON_ARRAY)) {
        return;
    }
    if (values[value].count != 2) {
        lmb_graph_report(reader, value, "%u numbers, where 2 were expected", (unsigned)values[value].count);
        return;
    }
    lmb_graph_read_plain(reader, &end, value + 1, target);
    end.offset += sizeof(float);
    lmb_graph_read_plain(reader, &end, values[value + 1].next, target);
}

static const lmb_graph_field channel_members[] = {{.name = "range",
                                                   .required = true,
                                                   .read = read_ends,
                                                   .offset = offsetof(lmb_channel_range, min),
                                                   .min = -LMB_LARGEST,
                                                   .max = LMB_LARGEST}};
static const lmb_graph_fields channel_fields = {"a channel's limits", channel_members, 1, NULL};

static void read_part(lmb_graph_reader *reader, uint32_t key, lmb_joint_limit_def *limits, lmb_channel_range *ranges,
                      bool *given) {
    uint32_t joint_count = lmb_rig_joint_count(reader->source->rig);
    uint32_t part = lmb_graph_find_part(reader, key);
    if (part == LMB_NONE) {
        return;
    }
    if (given[part]) {
        lmb_graph_report(reader, key, "given twice");
    }
    given[part] = true;
    if (!lmb_graph_expect(reader, key + 1, LMB_JSON_OBJECT)) {
        return;
    }
    if (part < joint_count) {
        lmb_graph_read_fields(reader, &limit_fields, key + 1, &limits[part]);
    } else {
        lmb_graph_read_fields(reader, &channel_fields, key + 1, &ranges[part - joint_count]);
    }
}

// Reports errors that only the graph's own checks find.
static void check(lmb_graph_reader *reader, const lmb_joint_limit_def *limits, const lmb_channel_range *ranges,
                  uint32_t at) {
    const lmb_node_def rest = lmb_default_node_def();
    const lmb_graph_def def = {.rig = reader->source->rig,
                               .nodes = &rest,
                               .node_count = 1,
                               .joint_limits = &limits,
                               .joint_limits_count = 1,
                               .channel_ranges = &ranges};
    lmb_error error;
    if (lmb_graph_check_poses(&def, &error) != LMB_OK) {
        lmb_graph_report(reader, at, "%s", error.message);
    }
}

// Returns the index of these limits. The graph takes ownership of them, or releases them if it has equal ones already.
static uint32_t add_limits(lmb_graph_reader *reader, lmb_joint_limit_def *limits, lmb_channel_range *ranges) {
    lmb_graph_json *graph = reader->graph;
    size_t size = lmb_rig_joint_count(reader->source->rig) * sizeof *limits;
    size_t ranges_size = lmb_rig_channel_count(reader->source->rig) * sizeof *ranges;
    uint64_t hash = lmb_index_hash(limits, size) ^ lmb_index_hash(ranges, ranges_size);
    for (uint32_t i = lmb_index_first(&graph->limits_index, hash); i != LMB_NONE;
         i = lmb_index_next(&graph->limits_index, i)) {
        if (memcmp(graph->joint_limits[i], limits, size) == 0 && memcmp(graph->ranges[i], ranges, ranges_size) == 0) {
            lmb_pool_release(&graph->pool, limits);
            lmb_pool_release(&graph->pool, ranges);
            return i;
        }
    }
    lmb_channel_range **all_ranges = lmb_graph_grow(reader, &graph->pool, graph->ranges, graph->def.joint_limits_count,
                                                    &graph->ranges_capacity, sizeof *all_ranges);
    if (all_ranges == NULL) {
        return 0;
    }
    graph->ranges = all_ranges;
    all_ranges[graph->def.joint_limits_count] = ranges;
    lmb_joint_limit_def **all = lmb_graph_grow(reader, &graph->pool, graph->joint_limits, graph->def.joint_limits_count,
                                               &graph->limits_capacity, sizeof *all);
    if (all == NULL) {
        return 0;
    }
    graph->joint_limits = all;
    if (!lmb_graph_index(reader, &graph->limits_index, hash)) {
        return 0;
    }
    all[graph->def.joint_limits_count] = limits;
    return graph->def.joint_limits_count++;
}

void lmb_graph_read_limits(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return;
    }
    uint32_t joint_count = lmb_rig_joint_count(reader->source->rig);
    uint32_t channel_count = lmb_rig_channel_count(reader->source->rig);
    bool *given = lmb_graph_allocate(reader, &reader->scratch, (size_t)joint_count + channel_count, sizeof *given);
    lmb_joint_limit_def *limits = lmb_graph_allocate(reader, &reader->graph->pool, joint_count, sizeof *limits);
    lmb_channel_range *ranges = lmb_graph_allocate(reader, &reader->graph->pool, channel_count, sizeof *ranges);
    if (given == NULL || limits == NULL || ranges == NULL) {
        return;
    }
    for (uint32_t channel = 0; channel < channel_count; channel++) {
        ranges[channel] = lmb_default_channel_range();
    }
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        limits[joint] = lmb_default_joint_limit_def();
    }
    uint32_t problems = reader->problem_count;
    for (uint32_t key = value + 1; key < values[value].next && reader->result == LMB_OK; key = values[key].next) {
        read_part(reader, key, limits, ranges, given);
    }
    lmb_pool_release(&reader->scratch, given);
    if (reader->problem_count == problems) {
        check(reader, limits, ranges, value);
    }
    *(uint32_t *)(void *)((char *)target + field->offset) = add_limits(reader, limits, ranges);
}
