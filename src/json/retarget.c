// Reads retargets: the character that they name, the joints, and the pose inside, whose clips are of that character.
#include "rig/retarget.h"
#include "clip/clip.h"
#include "graph.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Returns the index of a clip of the character that the innermost retarget names, among those of the graph.
uint32_t lmb_graph_find_source_clip(lmb_graph_reader *reader, const char *name) {
    lmb_graph_json *graph = reader->graph;
    const lmb_graph_character *from = reader->character;
    uint32_t i = 0;
    while (i < from->clip_count && strcmp(lmb_clip_get_info(from->clips[i])->name, name) != 0) {
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
    if (source->character_count == 0) {
        lmb_graph_report(reader, value, "no other character is given (--character NAME=FILE of the programs)");
    } else {
        lmb_graph_report(reader, value, "there is no character of this name; there are %s", names);
    }
    return NULL;
}

// Returns the joint of the character of that name; reports it and returns LMB_NONE if there is none.
static uint32_t find_source_joint(lmb_graph_reader *reader, const lmb_graph_character *from, uint32_t value) {
    const char *name = lmb_graph_text(reader, &reader->scratch, value);
    if (name == NULL) {
        return LMB_NONE;
    }
    const uint32_t joint = lmb_rig_find_joint(from->rig, name);
    if (joint == LMB_NONE) {
        char what[100];
        snprintf(what, sizeof what, "%.80s has no joint", from->name);
        lmb_graph_report_name(reader, value, what, name, lmb_graph_joint_names(from->rig));
    }
    lmb_pool_release(&reader->scratch, (void *)(uintptr_t)name);
    return joint;
}

uint32_t lmb_graph_find_clip_joint(lmb_graph_reader *reader, uint32_t value) {
    return reader->character != NULL ? find_source_joint(reader, reader->character, value)
                                     : lmb_graph_find_joint(reader, value);
}

// Reads the joints: an object of joints of the rig, with the character's joint for each.
static void read_joints(lmb_graph_reader *reader, const lmb_graph_character *from, uint32_t value, uint32_t *table) {
    const lmb_json_value *values = reader->json.values;
    memset(table, 0xff, lmb_rig_get_def(reader->source->rig)->joint_count * sizeof *table); // LMB_NONE
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

// Warns if the names that are found may match by chance: if they are less than half of the smaller rig's joints.
static void warn_of_few_joints(lmb_graph_reader *reader, const lmb_graph_character *from, uint32_t object,
                               uint32_t found, const uint32_t *table) {
    const lmb_rig *rig = reader->source->rig;
    const uint32_t own = lmb_rig_get_def(rig)->joint_count, others = lmb_rig_get_def(from->rig)->joint_count;
    char names[100] = "", more[24] = "";
    uint32_t left = own - found;
    if (2 * found >= (own < others ? own : others)) {
        return;
    }
    for (uint32_t joint = 0; joint < own && strlen(names) < sizeof names / 2; joint++) {
        if (table[joint] == LMB_NONE) {
            lmb_graph_list_name(names, sizeof names, lmb_rig_get_def(rig)->joints[joint].name);
            left--;
        }
    }
    if (left > 0) {
        snprintf(more, sizeof more, " and %" PRIu32 " more", left);
    }
    lmb_graph_warn(reader, object,
                   "only %" PRIu32 " of %" PRIu32 " joints have the name of a joint of %.40s: give \"joints\"; "
                   "without motion are %s%s",
                   found, own, from->name, names, more);
}

static void find_joints(lmb_graph_reader *reader, const lmb_graph_character *from, uint32_t object, uint32_t *table) {
    const uint32_t given = lmb_graph_find_member(reader, object, "joints");
    if (given != LMB_NONE) {
        read_joints(reader, from, given, table);
        return;
    }
    const uint32_t found = lmb_rig_find_retarget(reader->source->rig, from->rig, table);
    if (found == 0) {
        lmb_graph_report(reader, object, "no joint of %.80s has the name of a joint of the rig: give \"joints\"",
                         from->name);
    } else {
        warn_of_few_joints(reader, from, object, found, table);
    }
}

// Reads the joints whose bones keep their directions.
static void read_not_aligned(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    const uint32_t joint_count = lmb_rig_get_def(reader->source->rig)->joint_count;
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

const lmb_graph_kind lmb_kind_not_aligned = {read_not_aligned, "{'type':'array','items':{'type':'string'}}", NULL};

// Reads the factors of translations: an object of joints.
static void read_scales(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    const uint32_t joint_count = lmb_rig_get_def(reader->source->rig)->joint_count;
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

const lmb_graph_kind lmb_kind_scales = {read_scales,
                                        "{'type':'object','additionalProperties':{'type':'number',$range}}", NULL};

// A reference pose that is a clip's at a time, and the clips among which it is.
typedef struct reference {
    const lmb_clip *const *clips;
    uint32_t clip_count;
    bool is_own; // the clips are those of the rig
    const lmb_clip *clip;
    float time;
} reference;

static void read_reference_clip(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    reference *reference = target;
    (void)field;
    if (!lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        return;
    }
    const char *name = lmb_graph_text(reader, &reader->scratch, value);
    if (name == NULL) {
        return;
    }
    const lmb_graph_source *own = reader->source;
    const char *meant = reference->is_own ? lmb_graph_resolve(own->clip_aliases, own->clip_alias_count, name) : name;
    for (uint32_t i = 0; i < reference->clip_count && reference->clip == NULL; i++) {
        reference->clip = strcmp(lmb_clip_get_info(reference->clips[i])->name, meant) == 0 ? reference->clips[i] : NULL;
    }
    if (reference->clip == NULL) {
        const lmb_graph_source others = {.clips = reference->clips, .clip_count = reference->clip_count};
        lmb_graph_report_name(reader, value, "there is no clip", name, lmb_graph_clip_names(&others));
    }
    lmb_pool_release(&reader->scratch, (void *)(uintptr_t)name);
}

static const lmb_graph_kind kind_reference_clip = {read_reference_clip, "{'type':'string'}", NULL};

static const lmb_graph_field reference_members[] = {
    {.name = "clip", .about = "The name of a clip.", .required = true, .kind = &kind_reference_clip},
    {.name = "time",
     .about = "Seconds; 0 by default.",
     .kind = &lmb_kind_number,
     .offset = offsetof(reference, time),
     .max = LMB_LARGEST},
};
static const lmb_graph_fields reference_fields = {LMB_FIELDS("a reference pose", reference_members)};

const lmb_graph_definition lmb_graph_retarget_definitions[] = {
    {"reference-pose", "The name of a static pose, or the pose of a clip at a time.",
     "{'anyOf':[{'type':'string'},$inside]}", &reference_fields},
    {NULL, NULL, NULL, NULL},
};

// Returns the pose of a clip at a time, in the graph's pool.
static const lmb_transform *sample_reference(lmb_graph_reader *reader, uint32_t value, const lmb_rig *rig,
                                             reference *reference) {
    const uint32_t joint_count = lmb_rig_get_def(rig)->joint_count;
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return NULL;
    }
    lmb_graph_read_fields(reader, &reference_fields, value, reference);
    if (reference->clip == NULL) {
        return NULL; // reported
    }
    if (lmb_clip_get_info(reference->clip)->is_additive) {
        lmb_graph_report(reader, value, "this clip is an additive, and has no pose");
        return NULL;
    }
    if (lmb_clip_get_info(reference->clip)->joint_count != joint_count) {
        lmb_graph_report(reader, value, "this clip has %u joints, and the rig %u",
                         (unsigned)lmb_clip_get_info(reference->clip)->joint_count, (unsigned)joint_count);
        return NULL;
    }
    lmb_transform *pose = lmb_graph_allocate(reader, &reader->graph->pool, joint_count, sizeof *pose);
    for (uint32_t joint = 0; joint < joint_count && pose != NULL; joint++) {
        pose[joint] = lmb_clip_sample(reference->clip, rig, joint, reference->time);
    }
    return pose;
}

// Reads a reference pose of a rig: the name of a static pose, or a clip and a time. Returns NULL if the object has
// none.
static const lmb_transform *read_reference(lmb_graph_reader *reader, uint32_t object, const char *key,
                                           const lmb_rig *rig, const lmb_clip *const *clips, uint32_t clip_count) {
    const uint32_t value = lmb_graph_find_member(reader, object, key);
    if (value == LMB_NONE) {
        return NULL;
    }
    if (reader->json.values[value].type != LMB_JSON_STRING) {
        reference reference = {clips, clip_count, rig == reader->source->rig && clips == reader->source->clips, NULL,
                               0.0f};
        return sample_reference(reader, value, rig, &reference);
    }
    const uint32_t index = lmb_graph_find_static_pose(reader, value);
    if (index == LMB_NONE) {
        return NULL;
    }
    const lmb_static_pose_def *pose = &reader->source->static_poses[index];
    if (pose->joint_count != lmb_rig_get_def(rig)->joint_count) {
        lmb_graph_report(reader, value, "this static pose has %u joints, and the rig %u", (unsigned)pose->joint_count,
                         (unsigned)lmb_rig_get_def(rig)->joint_count);
        return NULL;
    }
    return pose->joints;
}

// A bone of the trunk that is turned by more than 60 degrees is most likely another one.
#define MOST_ARC_COSINE 0.5f
#define TRUNK_SHARE 0.02f // of the longest way from the middle: a joint that is closer to it is of the trunk

// Warns of the first joint of the trunk whose bone points elsewhere than that of the other character, so that the
// retarget turns it, and all below it. Arms and legs may: one stands with its arms out, another lets them hang.
static void warn_of_arcs(lmb_graph_reader *reader, const lmb_graph_character *from, const lmb_graph_node *node,
                         const lmb_retarget_def *def) {
    const lmb_rig *rig = reader->source->rig;
    const uint32_t count = lmb_rig_get_def(rig)->joint_count;
    const lmb_host host = lmb_pool_host(&reader->scratch);
    float *cosines = lmb_graph_allocate(reader, &reader->scratch, 2 * (size_t)count, sizeof *cosines);
    if (cosines == NULL || !lmb_retarget_find_arcs(rig, def, &host, cosines)) {
        lmb_graph_fail_memory(reader);
        return;
    }
    float *sides = cosines + count, widest = 0.0f;
    for (uint32_t joint = 0; joint < count; joint++) {
        sides[joint] = fabsf(lmb_graph_model_of(rig, NULL, 0.0f, joint).m[0][3]);
        widest = fmaxf(widest, sides[joint]);
    }
    for (uint32_t joint = 0; joint < count; joint++) {
        if (cosines[joint] < MOST_ARC_COSINE && sides[joint] <= TRUNK_SHARE * widest) {
            lmb_graph_warn(reader, node->object,
                           "'%.60s' is turned by %.0f degrees, with all below it, so that its bone points as that of "
                           "'%.60s': list it in \"not-aligned\" if the characters are built another way there",
                           lmb_rig_get_def(rig)->joints[joint].name,
                           57.29578 * acos(fmax((double)cosines[joint], -1.0)),
                           lmb_rig_get_def(from->rig)->joints[def->joints[joint]].name);
            return;
        }
    }
}

// Warns of the first mapped joint that is turned round in a rest pose, which is the reference if none is stated.
static void warn_of_turned(lmb_graph_reader *reader, const lmb_graph_character *from, const lmb_graph_node *node,
                           const lmb_retarget_def *def) {
    const lmb_graph_source *own = reader->source;
    for (uint32_t joint = 0; joint < lmb_rig_get_def(own->rig)->joint_count; joint++) {
        const uint32_t source = def->joints[joint];
        const bool is_own = source != LMB_NONE && def->target_pose == NULL &&
                            lmb_graph_is_turned(own->rig, own->clips, own->clip_count, joint);
        const bool is_other = source != LMB_NONE && def->source_pose == NULL &&
                              lmb_graph_is_turned(from->rig, from->clips, from->clip_count, source);
        if (is_own || is_other) {
            lmb_graph_warn(
                reader, node->object,
                "joint '%.60s' is turned round in the rest pose against its clips, and the retarget turns it "
                "so: state \"%s\": {\"clip\": NAME}, a clip that begins as the other character stands",
                is_own ? lmb_rig_get_def(own->rig)->joints[joint].name
                       : lmb_rig_get_def(from->rig)->joints[source].name,
                is_own ? "target-pose" : "source-pose");
            return;
        }
    }
}

// Adds the retarget of a node. Returns its index.
static uint32_t add_retarget(lmb_graph_reader *reader, const lmb_graph_character *from, const lmb_graph_node *node) {
    lmb_graph_json *graph = reader->graph;
    const uint32_t before = reader->problem_count, index = graph->def.retarget_count;
    uint32_t *table =
        lmb_graph_allocate(reader, &graph->pool, lmb_rig_get_def(reader->source->rig)->joint_count, sizeof *table);
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
    const lmb_graph_source *own = reader->source;
    def.source_pose = read_reference(reader, node->object, "source-pose", from->rig, from->clips, from->clip_count);
    def.target_pose = read_reference(reader, node->object, "target-pose", own->rig, own->clips, own->clip_count);
    if (reader->problem_count == before && index == LMB_MAX_RETARGETS) {
        lmb_graph_report(reader, node->object, "more than %u retargets", LMB_MAX_RETARGETS);
    } else if (reader->problem_count == before && lmb_graph_append(reader, &graph->pool, &graph->def.retargets,
                                                                   &graph->def.retarget_count, &def, sizeof def)) {
        lmb_graph_check_alone(reader, (lmb_graph_def){.retargets = &def, .retarget_count = 1}, node->object);
        if (reader->problem_count == before) {
            warn_of_turned(reader, from, node, &def);
            warn_of_arcs(reader, from, node, &def);
        }
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
