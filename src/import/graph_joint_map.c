// Reads the joint maps of the inputs of a combine.
#include "graph.h"

#include <string.h>

uint32_t lmb_graph_find_joint(lmb_graph_reader *reader, uint32_t value) {
    const char *name = lmb_graph_text(reader, &reader->scratch, value);
    if (name == NULL) {
        return LMB_NONE;
    }
    uint32_t joint = lmb_names_find(reader->joints, lmb_rig_joint_count(reader->source->rig), name);
    lmb_pool_release(&reader->scratch, (void *)(uintptr_t)name);
    if (joint == LMB_NONE) {
        lmb_graph_report(reader, value, "the rig has no joint of this name");
    }
    return joint;
}

// Maps the joint named at `value` to joint `joint` of the input.
static void set_joint(lmb_graph_reader *reader, uint32_t value, uint32_t joint, uint32_t *table) {
    uint32_t named = lmb_graph_find_joint(reader, value);
    if (named == LMB_NONE || joint == LMB_NONE) {
        return;
    }
    if (table[named] != LMB_NONE) {
        lmb_graph_report(reader, value, "given twice");
    }
    table[named] = joint;
}

static void read_list(lmb_graph_reader *reader, uint32_t value, uint32_t *table) {
    const lmb_json_value *values = reader->json.values;
    uint32_t joint = 0;
    for (uint32_t at = value + 1; at < values[value].next && reader->result == LMB_OK; at = values[at].next) {
        if (lmb_graph_expect(reader, at, LMB_JSON_STRING)) {
            set_joint(reader, at, joint, table);
        }
        joint++;
    }
}

static void read_pairs(lmb_graph_reader *reader, uint32_t value, uint32_t *table) {
    const lmb_json_value *values = reader->json.values;
    for (uint32_t key = value + 1; key < values[value].next && reader->result == LMB_OK; key = values[key].next) {
        if (lmb_graph_expect(reader, key + 1, LMB_JSON_STRING)) {
            set_joint(reader, key, lmb_graph_find_joint(reader, key + 1), table);
        }
    }
}

// Returns the index of a joint map with this table. The graph takes ownership of the table, or releases it if it has an
// equal joint map already.
static uint32_t add_part(lmb_graph_reader *reader, uint32_t *table, uint32_t joint_count) {
    lmb_graph_json *graph = reader->graph;
    size_t size = lmb_rig_joint_count(reader->source->rig) * sizeof *table;
    uint64_t hash = lmb_index_hash(table, size);
    for (uint32_t i = lmb_index_first(&graph->part_index, hash); i != LMB_NONE;
         i = lmb_index_next(&graph->part_index, i)) {
        if (graph->joint_maps[i].joint_count == joint_count && memcmp(graph->joint_maps[i].joints, table, size) == 0) {
            lmb_pool_release(&graph->pool, table);
            return i;
        }
    }
    lmb_joint_map_def *joint_maps = lmb_graph_grow(reader, &graph->pool, graph->joint_maps, graph->def.joint_map_count,
                                                   &graph->part_capacity, sizeof *joint_maps);
    if (joint_maps == NULL) {
        return LMB_NONE;
    }
    graph->joint_maps = joint_maps;
    if (!lmb_graph_index(reader, &graph->part_index, hash)) {
        return LMB_NONE;
    }
    joint_maps[graph->def.joint_map_count] = (lmb_joint_map_def){table, joint_count};
    return graph->def.joint_map_count++;
}

void lmb_graph_read_part(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *given = &reader->json.values[value];
    uint32_t joint_count = lmb_rig_joint_count(reader->source->rig);
    bool is_list = given->type == LMB_JSON_ARRAY;
    if (!is_list && !lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return;
    }
    if (given->count == 0) {
        lmb_graph_report(reader, value, "no joints");
        return;
    }
    uint32_t *table = lmb_graph_allocate(reader, &reader->graph->pool, joint_count, sizeof *table);
    if (table == NULL) {
        return;
    }
    memset(table, 0xff, joint_count * sizeof *table); // LMB_NONE
    (is_list ? read_list : read_pairs)(reader, value, table);
    *(uint32_t *)(void *)((char *)target + field->offset) =
        add_part(reader, table, is_list ? given->count : joint_count);
}
