// Reads retargets: the character that they name, the joints, and the pose inside, whose clips are of that character.
#include "graph.h"

#include <string.h>

// Returns the index of a clip of the character that the innermost retarget names, among those of the graph.
uint32_t lmb_graph_find_source_clip(lmb_graph_reader *reader, const char *name) {
    lmb_graph_json *graph = reader->graph;
    const lmb_graph_character *from = reader->character;
    uint32_t i = 0;
    while (i < from->clip_count && strcmp(lmb_clip_name(from->clips[i]), name) != 0) {
        i++;
    }
    if (i == from->clip_count) {
        return LMB_NONE;
    }
    const lmb_clip *clip = from->clips[i];
    uint32_t index = 0;
    while (index < graph->def.clip_count && graph->def.clips[index] != clip) {
        index++;
    }
    const bool is_known = index < graph->def.clip_count;
    return is_known ||
                   lmb_graph_append(reader, &graph->pool, &graph->def.clips, &graph->def.clip_count, &clip, sizeof clip)
               ? index
               : LMB_NONE;
}

static const lmb_graph_character *find_character(lmb_graph_reader *reader, uint32_t value) {
    const lmb_graph_source *source = reader->source;
    char names[200] = "";
    if (!lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        return NULL;
    }
    for (uint32_t i = 0; i < source->character_count; i++) {
        if (lmb_graph_is_text(reader, value, source->characters[i].name)) {
            return &source->characters[i];
        }
        lmb_graph_list_name(names, sizeof names, source->characters[i].name);
    }
    lmb_graph_report(reader, value, "there is no character of this name%s%s",
                     source->character_count == 0 ? ", and no other" : "; there are ", names);
    return NULL;
}

// Returns the joint of the character of that name; reports it and returns LMB_NONE if there is none.
static uint32_t find_source_joint(lmb_graph_reader *reader, const lmb_graph_character *from, uint32_t value) {
    const char *name = lmb_graph_text(reader, &reader->scratch, value);
    if (name == NULL) {
        return LMB_NONE;
    }
    const uint32_t joint = lmb_rig_find_joint(from->rig, name);
    lmb_pool_release(&reader->scratch, (void *)(uintptr_t)name);
    if (joint == LMB_NONE) {
        lmb_graph_report(reader, value, "%.80s has no joint of this name", from->name);
    }
    return joint;
}

// Reads the joints: an object of joints of the rig, with the character's joint for each.
static void read_joints(lmb_graph_reader *reader, const lmb_graph_character *from, uint32_t value, uint32_t *table) {
    const lmb_json_value *values = reader->json.values;
    memset(table, 0xff, lmb_rig_joint_count(reader->source->rig) * sizeof *table); // LMB_NONE
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return;
    }
    for (uint32_t key = value + 1; key < values[value].next && reader->result == LMB_OK; key = values[key].next) {
        const uint32_t joint = lmb_graph_find_joint(reader, key);
        if (!lmb_graph_expect(reader, key + 1, LMB_JSON_STRING)) {
            continue;
        }
        const uint32_t source = find_source_joint(reader, from, key + 1);
        if (joint != LMB_NONE && table[joint] != LMB_NONE) {
            lmb_graph_report(reader, key, "given twice");
        }
        if (joint != LMB_NONE) {
            table[joint] = source;
        }
    }
}

static void find_joints(lmb_graph_reader *reader, const lmb_graph_character *from, uint32_t object, uint32_t *table) {
    const uint32_t given = lmb_graph_find_member(reader, object, "joints");
    if (given != LMB_NONE) {
        read_joints(reader, from, given, table);
    } else if (lmb_rig_find_retarget(reader->source->rig, from->rig, table) == 0) {
        lmb_graph_report(reader, object, "no joint of %.80s has the name of a joint of the rig: give \"joints\"",
                         from->name);
    }
}

// Reads the joints whose bones keep their directions.
void lmb_graph_read_not_aligned(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    const uint32_t joint_count = lmb_rig_joint_count(reader->source->rig);
    (void)field;
    uint8_t *aligned = lmb_graph_allocate(reader, &reader->graph->pool, joint_count, 1);
    if (!lmb_graph_expect(reader, value, LMB_JSON_ARRAY) || aligned == NULL) {
        return;
    }
    memset(aligned, 1, joint_count);
    for (uint32_t at = value + 1; at < values[value].next && reader->result == LMB_OK; at = values[at].next) {
        const uint32_t joint =
            lmb_graph_expect(reader, at, LMB_JSON_STRING) ? lmb_graph_find_joint(reader, at) : LMB_NONE;
        if (joint != LMB_NONE) {
            aligned[joint] = 0;
        }
    }
    ((lmb_graph_node *)target)->retarget.aligned = aligned;
}

// Reads the factors of translations: an object of joints.
void lmb_graph_read_scales(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    const uint32_t joint_count = lmb_rig_joint_count(reader->source->rig);
    const lmb_graph_field factor = {.max = field->max};
    float *scales = lmb_graph_allocate(reader, &reader->graph->pool, joint_count, sizeof *scales);
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT) || scales == NULL) {
        return;
    }
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        scales[joint] = 1.0f;
    }
    for (uint32_t key = value + 1; key < values[value].next && reader->result == LMB_OK; key = values[key].next) {
        const uint32_t joint = lmb_graph_find_joint(reader, key);
        if (joint != LMB_NONE) {
            lmb_graph_read_plain(reader, &factor, key + 1, &scales[joint]);
        }
    }
    ((lmb_graph_node *)target)->retarget.scales = scales;
}

// Adds the retarget of a node. Returns its index.
static uint32_t add_retarget(lmb_graph_reader *reader, const lmb_graph_character *from, const lmb_graph_node *node) {
    lmb_graph_json *graph = reader->graph;
    const uint32_t before = reader->problem_count, index = graph->def.retarget_count;
    uint32_t *table = lmb_graph_allocate(reader, &graph->pool, lmb_rig_joint_count(reader->source->rig), sizeof *table);
    if (table == NULL) {
        return 0;
    }
    const lmb_retarget_def source = lmb_retarget_of(from->rig, table);
    lmb_retarget_def def = node->retarget;
    def.source_joint_count = source.source_joint_count;
    def.source_parents = source.source_parents;
    def.source_rest = source.source_rest;
    def.joints = table;
    find_joints(reader, from, node->object, table);
    if (reader->problem_count == before && index == LMB_MAX_RETARGETS) {
        lmb_graph_report(reader, node->object, "more than %u retargets", LMB_MAX_RETARGETS);
    } else if (reader->problem_count == before && lmb_graph_append(reader, &graph->pool, &graph->def.retargets,
                                                                   &graph->def.retarget_count, &def, sizeof def)) {
        lmb_graph_check_alone(reader, (lmb_graph_def){.retargets = &def, .retarget_count = 1}, node->object);
    }
    return index;
}

uint32_t lmb_graph_add_retarget(lmb_graph_reader *reader, const lmb_graph_node *node) {
    const uint32_t from_at = lmb_graph_find_member(reader, node->object, "from");
    const uint32_t pose_at = lmb_graph_find_member(reader, node->object, "pose");
    const lmb_graph_character *from = from_at == LMB_NONE ? NULL : find_character(reader, from_at);
    if (from == NULL || pose_at == LMB_NONE) {
        return 0; // reported
    }
    const lmb_graph_character *around = reader->character;
    lmb_node_def def = node->def;
    def.retarget = add_retarget(reader, from, node);
    reader->character = from;
    def.inputs[0] = lmb_graph_read_pose(reader, pose_at);
    reader->character = around;
    return lmb_graph_add_node(reader, &def, node->object);
}
