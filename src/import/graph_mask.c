// Reads a byte for each joint and channel: masks, joint weights, blend profiles and max lods.
#include "graph.h"

#include <string.h>

// The value that an object gives a joint or a channel.
typedef struct share {
    uint32_t value;
    bool is_set;
} share;

// Reads the value of a joint by its name, or of a channel if `count` includes the channels.
static void read_share(lmb_graph_reader *reader, uint32_t key, uint32_t max, uint32_t count, share *shares) {
    const lmb_graph_field field = {.offset = offsetof(share, value), .min = 0.0f, .max = (float)max};
    uint32_t part = lmb_graph_find_part(reader, key);
    if (part != LMB_NONE && part >= count) {
        lmb_graph_report(reader, key, "the rig has no joint of this name");
    }
    if (part >= count) {
        return;
    }
    if (shares[part].is_set) {
        lmb_graph_report(reader, key, "given twice");
    }
    shares[part].is_set = true;
    lmb_graph_read_whole(reader, &field, key + 1, &shares[part]);
}

static uint32_t count_parts(const lmb_rig *rig) {
    return lmb_rig_joint_count(rig) + lmb_rig_channel_count(rig);
}

// Parents precede their children, so the value that a joint inherits is known.
static void inherit(const lmb_rig *rig, uint32_t of_root, uint32_t count, share *shares, uint8_t *bytes) {
    for (uint32_t part = lmb_rig_joint_count(rig); part < count; part++) {
        bytes[part] = (uint8_t)shares[part].value;
    }
    for (uint32_t joint = 0; joint < lmb_rig_joint_count(rig); joint++) {
        uint32_t parent = lmb_rig_joint_parent(rig, joint);
        if (!shares[joint].is_set) {
            shares[joint].value = parent != LMB_NONE ? shares[parent].value : of_root;
        }
        bytes[joint] = (uint8_t)shares[joint].value;
    }
}

// Returns the index of this mask. The graph takes ownership of it, or releases it if it has an equal one already.
static uint32_t add_mask(lmb_graph_reader *reader, uint8_t *mask) {
    lmb_graph_json *graph = reader->graph;
    uint32_t count = count_parts(reader->source->rig);
    uint64_t hash = lmb_index_hash(mask, count);
    for (uint32_t i = lmb_index_first(&graph->mask_index, hash); i != LMB_NONE;
         i = lmb_index_next(&graph->mask_index, i)) {
        if (memcmp(graph->masks[i], mask, count) == 0) {
            lmb_pool_release(&graph->pool, mask);
            return i;
        }
    }
    uint8_t **masks =
        lmb_graph_grow(reader, &graph->pool, graph->masks, graph->def.mask_count, &graph->mask_capacity, sizeof *masks);
    if (masks == NULL) {
        return 0;
    }
    graph->masks = masks;
    if (!lmb_graph_index(reader, &graph->mask_index, hash)) {
        return 0;
    }
    masks[graph->def.mask_count] = mask;
    return graph->def.mask_count++;
}

uint8_t *lmb_graph_read_joint_bytes(lmb_graph_reader *reader, uint32_t value, uint32_t max, uint32_t of_root,
                                    bool with_channels) {
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return NULL;
    }
    uint32_t count = with_channels ? count_parts(reader->source->rig) : lmb_rig_joint_count(reader->source->rig);
    share *shares = lmb_graph_allocate(reader, &reader->scratch, count, sizeof *shares);
    uint8_t *bytes = lmb_graph_allocate(reader, &reader->graph->pool, count, 1);
    if (shares == NULL || bytes == NULL) {
        return NULL;
    }
    for (uint32_t key = value + 1; key < values[value].next && reader->result == LMB_OK; key = values[key].next) {
        read_share(reader, key, max, count, shares);
    }
    inherit(reader->source->rig, of_root, count, shares, bytes);
    lmb_pool_release(&reader->scratch, shares);
    return bytes;
}

void lmb_graph_read_mask(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    uint8_t *mask = lmb_graph_read_joint_bytes(reader, value, 255, 0, true);
    if (mask == NULL) {
        return;
    }
    *(uint32_t *)(void *)((char *)target + field->offset) = add_mask(reader, mask);
}
