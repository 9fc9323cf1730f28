// Reads mirrors: their axis, and the partners of joints and channels.
#include "graph.h"

#include "../graph.h"

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

static uint32_t find_channel(lmb_graph_reader *reader, uint32_t value) {
    uint32_t count = lmb_rig_channel_count(reader->source->rig);
    const char *name = lmb_graph_text(reader, &reader->scratch, value);
    if (name == NULL) {
        return LMB_NONE;
    }
    uint32_t channel = lmb_names_find(reader->channels, count, name);
    lmb_pool_release(&reader->scratch, (void *)(uintptr_t)name);
    if (channel == LMB_NONE) {
        lmb_graph_report(reader, value, "the rig has no channel of this name");
    }
    return channel;
}

// What the object of a channel contains.
typedef struct channel_mirror {
    uint32_t partner; // or LMB_NONE
    float sign;
} channel_mirror;

static void read_channel_name(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    if (lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        ((channel_mirror *)target)->partner = find_channel(reader, value);
    }
}

static void read_sign(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    channel_mirror *mirror = target;
    lmb_graph_read_plain(reader, field, value, target);
    if (mirror->sign != 1.0f && mirror->sign != -1.0f) {
        lmb_graph_report(reader, value, "neither 1 nor -1");
    }
}

static const lmb_graph_field channel_members[] = {
    {.name = "partner", .read = read_channel_name},
    {.name = "sign", .read = read_sign, .offset = offsetof(channel_mirror, sign), .min = -1.0f, .max = 1.0f}};
static const lmb_graph_fields channel_fields = {"a channel's mirror", channel_members, 2, NULL};

static void read_channel(lmb_graph_reader *reader, uint32_t key, uint32_t *partners, int8_t *signs) {
    uint32_t first = find_channel(reader, key);
    channel_mirror mirror = {.partner = first, .sign = 1.0f};
    if (first == LMB_NONE) {
        return;
    }
    if (reader->json.values[key + 1].type == LMB_JSON_STRING) {
        read_channel_name(reader, NULL, key + 1, &mirror);
    } else if (lmb_graph_expect(reader, key + 1, LMB_JSON_OBJECT)) {
        lmb_graph_read_fields(reader, &channel_fields, key + 1, &mirror);
    }
    uint32_t second = mirror.partner;
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
    signs[first] = signs[second] = mirror.sign < 0.0f ? -1 : 1;
}

void lmb_graph_read_channel_partners(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value,
                                     void *target) {
    (void)field;
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return;
    }
    uint32_t count = lmb_rig_channel_count(reader->source->rig);
    uint32_t *partners = lmb_graph_allocate(reader, &reader->graph->pool, count, sizeof *partners);
    int8_t *signs = lmb_graph_allocate(reader, &reader->graph->pool, count, sizeof *signs);
    if (partners == NULL || signs == NULL) {
        return;
    }
    for (uint32_t channel = 0; channel < count; channel++) {
        partners[channel] = channel;
        signs[channel] = 1;
    }
    for (uint32_t key = value + 1; key < values[value].next && reader->result == LMB_OK; key = values[key].next) {
        read_channel(reader, key, partners, signs);
    }
    lmb_graph_node *node = target;
    node->channel_partners = partners;
    node->channel_signs = signs;
    node->partners_at = node->partners == NULL ? value : node->partners_at;
}

// Finds partners by name, once for all mirrors.
static uint32_t *find_channel_partners(lmb_graph_reader *reader) {
    if (reader->channel_partners == NULL) {
        const lmb_rig *rig = reader->source->rig;
        reader->channel_partners = lmb_graph_allocate(reader, &reader->graph->pool, lmb_rig_channel_count(rig),
                                                      sizeof *reader->channel_partners);
        if (reader->channel_partners != NULL) {
            lmb_rig_find_mirror_channels(rig, reader->channel_partners);
        }
    }
    return reader->channel_partners;
}

// Finds partners by name, once for all mirrors.
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

// Reports an invalid mirror at the position of its partners.
static void check(lmb_graph_reader *reader, const lmb_mirror_def *mirror, uint32_t at) {
    const lmb_node_def rest = lmb_default_node_def();
    const lmb_graph_def def = {
        .rig = reader->source->rig, .nodes = &rest, .node_count = 1, .mirrors = mirror, .mirror_count = 1};
    lmb_error error;
    if (lmb_graph_check_poses(&def, &error) != LMB_OK) {
        lmb_graph_report(reader, at, "%s", error.message);
    }
}

static bool are_alike(const lmb_mirror_def *a, const lmb_mirror_def *b, const lmb_rig *rig) {
    size_t joint_count = lmb_rig_joint_count(rig), channel_count = lmb_rig_channel_count(rig);
    return a->axis == b->axis && memcmp(a->partners, b->partners, joint_count * sizeof *a->partners) == 0 &&
           memcmp(a->channel_partners, b->channel_partners, channel_count * sizeof *a->channel_partners) == 0 &&
           a->channel_signs == b->channel_signs;
}

uint32_t lmb_graph_add_mirror(lmb_graph_reader *reader, const lmb_graph_node *node) {
    lmb_graph_json *graph = reader->graph;
    lmb_mirror_def mirror = {.axis = node->axis,
                             .partners = node->partners != NULL ? node->partners : find_partners(reader, node),
                             .channel_partners = node->channel_partners != NULL ? node->channel_partners
                                                                                : find_channel_partners(reader),
                             .channel_signs = node->channel_signs};
    if (mirror.partners == NULL || mirror.channel_partners == NULL) {
        return 0;
    }
    if ((node->partners != NULL || node->channel_partners != NULL) && reader->problem_count == 0) {
        check(reader, &mirror, node->partners_at);
    }
    for (uint32_t i = 0; i < graph->def.mirror_count; i++) {
        if (are_alike(&graph->mirrors[i], &mirror, reader->source->rig)) {
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
