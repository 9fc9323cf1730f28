#include "graph.h"

#include <string.h>

static void read_pair(lmb_graph_reader *reader, uint32_t key, uint32_t *partners) {
    uint32_t first = lmb_graph_find_joint(reader, key);
    if (first == LMB_NONE || !lmb_graph_expect(reader, key + 1, LMB_JSON_STRING)) {
        return;
    }
    uint32_t second = lmb_graph_find_joint(reader, key + 1);
    if (second == LMB_NONE) {
        return;
    }
    if ((partners[first] != first && partners[first] != second) ||
        (partners[second] != second && partners[second] != first)) {
        lmb_graph_report(reader, key + 1, "one of the two has another partner");
        return;
    }
    partners[first] = second;
    partners[second] = first;
}

void lmb_graph_read_partners(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return;
    }
    uint32_t joint_count = lmb_rig_joint_count(reader->source->rig);
    uint32_t *partners = lmb_graph_allocate(reader, &reader->graph->pool, joint_count, sizeof *partners);
    if (partners == NULL) {
        return;
    }
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        partners[joint] = joint;
    }
    for (uint32_t key = value + 1; key < values[value].next && reader->result == LMB_OK; key = values[key].next) {
        read_pair(reader, key, partners);
    }
    lmb_graph_node *node = target;
    node->partners = partners;
    node->partners_at = value;
}

// By names, once for all mirrors.
static uint32_t *find_partners(lmb_graph_reader *reader, const lmb_graph_node *node) {
    if (reader->partners == NULL) {
        const lmb_rig *rig = reader->source->rig;
        lmb_error error;
        reader->partners =
            lmb_graph_allocate(reader, &reader->graph->pool, lmb_rig_joint_count(rig), sizeof *reader->partners);
        if (reader->partners != NULL && lmb_rig_find_mirror(rig, reader->partners, &error) != LMB_OK) {
            lmb_graph_report(reader, node->object, "%s", error.message);
        }
    }
    return reader->partners;
}

// What is wrong with a mirror is told where its partners stand.
static void check(lmb_graph_reader *reader, const lmb_mirror_def *mirror, uint32_t at) {
    const lmb_node_def rest = lmb_default_node_def();
    const lmb_program_def def = {
        .rig = reader->source->rig, .nodes = &rest, .node_count = 1, .mirrors = mirror, .mirror_count = 1};
    lmb_error error;
    if (lmb_program_check(&def, &error) != LMB_OK) {
        lmb_graph_report(reader, at, "%s", error.message);
    }
}

static bool are_alike(const lmb_mirror_def *a, const lmb_mirror_def *b, size_t joint_count) {
    return a->axis == b->axis && memcmp(a->partners, b->partners, joint_count * sizeof *a->partners) == 0;
}

uint32_t lmb_graph_add_mirror(lmb_graph_reader *reader, const lmb_graph_node *node) {
    lmb_graph *graph = reader->graph;
    lmb_mirror_def mirror = {.axis = node->axis, .partners = node->partners};
    if (mirror.partners == NULL) {
        mirror.partners = find_partners(reader, node);
    } else if (reader->problem_count == 0) {
        check(reader, &mirror, node->partners_at);
    }
    if (mirror.partners == NULL) {
        return 0;
    }
    for (uint32_t i = 0; i < graph->def.mirror_count; i++) {
        if (are_alike(&graph->mirrors[i], &mirror, lmb_rig_joint_count(reader->source->rig))) {
            return i;
        }
    }
    lmb_mirror_def *mirrors = lmb_graph_grow(reader, &graph->pool, graph->mirrors, graph->def.mirror_count,
                                             &graph->mirror_capacity, sizeof *mirrors);
    if (mirrors == NULL) {
        return 0;
    }
    graph->mirrors = mirrors;
    mirrors[graph->def.mirror_count] = mirror;
    return graph->def.mirror_count++;
}
