// Reads what concerns joints and channels by their names: masks, joint maps, mirrors and joint limits.
#include "graph.h"
#include "write.h"

#include "program/program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RANGE(member) offsetof(range, member)
#define LIMIT(member) offsetof(lmb_joint_limit_def, member)

// ---- Names.

enum { JOINTS = 1, CHANNELS = 2 };

// The names of joints, then of channels.
static const char *part_name_at(const void *rig, uint32_t index) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(rig);
    const uint32_t joint_count = rig_def->joint_count;
    return index < joint_count ? rig_def->joints[index].name : rig_def->channels[index - joint_count].name;
}

// Returns the index of a joint or channel of that name, or LMB_NONE. Where both are possible, channels follow the
// joints.
static uint32_t look_up_part(const lmb_graph_reader *reader, const char *name, unsigned kinds) {
    const lmb_rig *rig = reader->source->rig;
    const uint32_t joint_count = lmb_rig_get_def(rig)->joint_count;
    const char *meant = lmb_graph_resolve_joint(reader, name);
    uint32_t part = (kinds & JOINTS) != 0 ? lmb_names_find(reader->joints, joint_count, meant) : LMB_NONE;
    if (part == LMB_NONE && (kinds & CHANNELS) != 0) {
        part = lmb_names_find(reader->channels, lmb_rig_get_def(rig)->channel_count, meant);
        part += part != LMB_NONE && (kinds & JOINTS) != 0 ? joint_count : 0;
    }
    return part;
}

// The same for the name at a value; reports it if there is none.
static uint32_t find_part(lmb_graph_reader *reader, uint32_t value, unsigned kinds) {
    const lmb_rig *rig = reader->source->rig;
    const char *name = lmb_graph_text(reader, &reader->scratch, value);
    if (name == NULL) {
        return LMB_NONE;
    }
    const uint32_t part = look_up_part(reader, name, kinds);
    if (part == LMB_NONE) {
        const lmb_graph_names both = {part_name_at, rig,
                                      lmb_rig_get_def(rig)->joint_count + lmb_rig_get_def(rig)->channel_count};
        lmb_graph_report_name(reader, value, kinds == CHANNELS ? "the rig has no channel" : "the rig has no joint",
                              name,
                              kinds == CHANNELS ? lmb_graph_channel_names(rig)
                              : kinds == JOINTS ? lmb_graph_joint_names(rig)
                                                : both);
    }
    lmb_pool_release(&reader->scratch, (void *)(uintptr_t)name);
    return part;
}

// The same for a name that may end with a question mark: then the rig need not have it, and nothing is reported.
static uint32_t find_optional_part(lmb_graph_reader *reader, uint32_t value, unsigned kinds) {
    char *name = (char *)(uintptr_t)lmb_graph_text(reader, &reader->scratch, value);
    const size_t length = name != NULL ? strlen(name) : 0;
    if (length < 2 || name[length - 1] != '?' || look_up_part(reader, name, kinds) != LMB_NONE) {
        lmb_pool_release(&reader->scratch, name);
        return find_part(reader, value, kinds);
    }
    name[length - 1] = '\0';
    const uint32_t part = look_up_part(reader, name, kinds);
    lmb_pool_release(&reader->scratch, name);
    return part;
}

uint32_t lmb_graph_find_joint(lmb_graph_reader *reader, uint32_t value) {
    return find_part(reader, value, JOINTS);
}

static void read_joint(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    if (lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        *(uint32_t *)(void *)((char *)target + field->offset) = lmb_graph_find_joint(reader, value);
    }
}

const lmb_graph_kind lmb_kind_joint = {read_joint, "{'type':'string'}", lmb_graph_write_joint};

void lmb_graph_check_alone(lmb_graph_reader *reader, lmb_graph_def def, uint32_t at) {
    const lmb_node_def rest = lmb_default_node_def();
    def.rig = reader->source->rig;
    def.nodes = &rest;
    def.node_count = 1;
    lmb_error error;
    if (lmb_graph_check_poses(&def, &error) != LMB_OK) {
        lmb_graph_report(reader, at, "%s", error.message);
    }
}

// ---- A byte for each joint and channel: masks, joint weights, blend profiles and max lods.

// The value that an object gives a joint or a channel.
typedef struct share {
    uint32_t value;
    uint32_t key;
    bool is_set;
} share;

// Reads the value of a joint by its name, or of a channel if `count` includes the channels.
static void read_share(lmb_graph_reader *reader, uint32_t key, uint32_t max, uint32_t count, share *shares) {
    const lmb_graph_field field = {.offset = offsetof(share, value), .min = 0.0f, .max = (float)max};
    const bool with_channels = count > lmb_rig_get_def(reader->source->rig)->joint_count;
    const uint32_t part = find_optional_part(reader, key, with_channels ? JOINTS | CHANNELS : JOINTS);
    if (part == LMB_NONE) {
        return;
    }
    if (shares[part].is_set && !lmb_graph_is_same_text(reader, key, shares[part].key)) {
        const char *name = lmb_graph_text(reader, &reader->scratch, shares[part].key);
        lmb_graph_report(reader, key, "given twice: '%.60s' is the same one", name == NULL ? "" : name);
    } else if (shares[part].is_set) {
        lmb_graph_report(reader, key, "given twice");
    }
    shares[part].is_set = true;
    shares[part].key = key;
    lmb_graph_read_integer(reader, &field, key + 1, &shares[part]);
}

static uint32_t count_joint_maps(const lmb_rig *rig) {
    return lmb_rig_get_def(rig)->joint_count + lmb_rig_get_def(rig)->channel_count;
}

// Parents precede their children, so the value that a joint inherits is known.
static void inherit(const lmb_rig *rig, uint32_t of_root, uint32_t count, share *shares, uint8_t *bytes) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(rig);
    for (uint32_t part = rig_def->joint_count; part < count; part++) {
        bytes[part] = (uint8_t)shares[part].value;
    }
    for (uint32_t joint = 0; joint < rig_def->joint_count; joint++) {
        uint32_t parent = rig_def->joints[joint].parent;
        if (!shares[joint].is_set) {
            shares[joint].value = parent != LMB_NONE ? shares[parent].value : of_root;
        }
        bytes[joint] = (uint8_t)shares[joint].value;
    }
}

// Returns the index of a block in a list of pointers to blocks of this size. The list takes ownership of the block; one
// that it has already is released.
static uint32_t intern(lmb_graph_reader *reader, lmb_index *index, void *list, uint32_t *count, void *block,
                       size_t size) {
    lmb_pool *pool = &reader->graph->pool;
    const uint64_t hash = lmb_index_hash(block, size);
    const char *blocks;
    memcpy(&blocks, list, sizeof blocks);
    for (uint32_t i = lmb_index_first(index, hash); i != LMB_NONE; i = lmb_index_next(index, i)) {
        const void *known;
        memcpy(&known, blocks + i * sizeof known, sizeof known);
        if (memcmp(known, block, size) == 0) {
            lmb_pool_release(pool, block);
            return i;
        }
    }
    return lmb_graph_append(reader, pool, list, count, &block, sizeof block) && lmb_graph_index(reader, index, hash)
               ? *count - 1
               : 0;
}

uint8_t *lmb_graph_read_joint_bytes(lmb_graph_reader *reader, uint32_t value, uint32_t max, uint32_t of_root,
                                    bool with_channels) {
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return NULL;
    }
    uint32_t count =
        with_channels ? count_joint_maps(reader->source->rig) : lmb_rig_get_def(reader->source->rig)->joint_count;
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

// Warns of shares that are from 0 to 1, as those of other formats, and of those that are all 0.
static void check_shares(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, const uint8_t *bytes) {
    const bool is_profile = strcmp(field->name, "profile") == 0;
    uint8_t most = 0;
    for (uint32_t i = 0; i < count_joint_maps(reader->source->rig); i++) {
        most = bytes[i] > most ? bytes[i] : most;
    }
    if (most == 1) {
        lmb_graph_warn(reader, value, "the largest share is 1 of 255: 255 is all of it");
    } else if (most == 0) {
        lmb_graph_warn(reader, value,
                       "no joint has a share, so %s: {\"%.60s\": 255} gives it to a joint and all below it",
                       is_profile ? "all joints switch at once" : "nothing of it shows",
                       lmb_rig_get_def(reader->source->rig)->joints[0].name);
    }
}

static void read_mask(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_graph_json *graph = reader->graph;
    if (reader->json.values[value].type == LMB_JSON_ARRAY) {
        lmb_graph_report(reader, value, "an array, where an object was expected: {NAME: 255} of joints and channels");
        return;
    }
    uint8_t *mask = lmb_graph_read_joint_bytes(reader, value, 255, 0, true);
    if (mask != NULL) {
        check_shares(reader, field, value, mask);
        *(uint32_t *)(void *)((char *)target + field->offset) =
            intern(reader, &graph->mask_index, &graph->def.masks, &graph->def.mask_count, mask,
                   count_joint_maps(graph->def.rig));
    }
}

const lmb_graph_kind lmb_kind_mask = {read_mask, "@mask", lmb_graph_write_mask};

// ---- Joint maps of the inputs of a combine.

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

// Reads a list of joints, in the order of the input's joints; or an object of joints with the input's joint for each.
static void read_map(lmb_graph_reader *reader, uint32_t value, uint32_t *table) {
    const lmb_json_value *values = reader->json.values;
    const bool is_list = values[value].type == LMB_JSON_ARRAY;
    uint32_t joint = 0;
    for (uint32_t at = value + 1; at < values[value].next && reader->result == LMB_OK; at = values[at].next, joint++) {
        if (lmb_graph_expect(reader, is_list ? at : at + 1, LMB_JSON_STRING)) {
            set_joint(reader, at, is_list ? joint : lmb_graph_find_joint(reader, at + 1), table);
        }
    }
}

// Returns the index of a joint map. The table ends with the number of joints of the input.
static uint32_t add_joint_map(lmb_graph_reader *reader, uint32_t *table) {
    lmb_graph_json *graph = reader->graph;
    const uint32_t joint_count = lmb_rig_get_def(reader->source->rig)->joint_count, before = graph->part_count;
    const lmb_joint_map_def map = {table, table[joint_count]};
    const uint32_t index = intern(reader, &graph->part_index, &graph->joint_map_tables, &graph->part_count, table,
                                  (joint_count + 1) * sizeof *table);
    return graph->part_count == before || lmb_graph_append(reader, &graph->pool, &graph->def.joint_maps,
                                                           &graph->def.joint_map_count, &map, sizeof map)
               ? index
               : LMB_NONE;
}

static void read_joint_map(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *given = &reader->json.values[value];
    uint32_t joint_count = lmb_rig_get_def(reader->source->rig)->joint_count;
    bool is_list = given->type == LMB_JSON_ARRAY;
    if (!is_list && !lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return;
    }
    if (given->count == 0) {
        lmb_graph_report(reader, value, "no joints");
        return;
    }
    uint32_t *table = lmb_graph_allocate(reader, &reader->graph->pool, joint_count + 1, sizeof *table);
    if (table == NULL) {
        return;
    }
    memset(table, 0xff, joint_count * sizeof *table); // LMB_NONE
    read_map(reader, value, table);
    table[joint_count] = is_list ? given->count : joint_count;
    *(uint32_t *)(void *)((char *)target + field->offset) = add_joint_map(reader, table);
}

// Returns the only joint of the rig that represents a joint of a map, or LMB_NONE.
static uint32_t find_represented(const lmb_joint_map_def *map, uint32_t joint_count, uint32_t joint) {
    uint32_t found = LMB_NONE, count = 0;
    for (uint32_t i = 0; i < joint_count; i++) {
        found = map->joints[i] == joint ? i : found;
        count += map->joints[i] == joint;
    }
    return count == 1 ? found : LMB_NONE;
}

// Writes an object if the input has as many joints as the rig, else a list.
static void write_joint_map(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const uint32_t index = *(const uint32_t *)(const void *)((const char *)target + field->offset);
    if (index == LMB_NONE) {
        return;
    }
    const lmb_joint_map_def *map = &writer->def->joint_maps[index];
    const uint32_t joint_count = lmb_rig_get_def(writer->def->rig)->joint_count;
    const bool is_list = map->joint_count != joint_count;
    bool is_first = true;
    for (uint32_t joint = 0; joint < map->joint_count; joint++) {
        const uint32_t named = is_list ? find_represented(map, joint_count, joint) : joint;
        if (!is_list && map->joints[joint] == LMB_NONE) {
            continue;
        }
        lmb_graph_put(writer, !is_first ? "," : is_list ? "[" : "{");
        is_first = false;
        lmb_graph_put_joint(writer, named);
        if (!is_list) {
            lmb_graph_put(writer, ":");
            lmb_graph_put_joint(writer, map->joints[joint]);
        }
    }
    lmb_graph_put(writer, is_list ? "]" : "}");
    if (is_first) {
        lmb_graph_refuse(writer, "a joint map without joints");
    }
}

const lmb_graph_kind lmb_kind_joint_map = {
    read_joint_map,
    "{'anyOf':[{'type':'array','items':{'type':'string'},'minItems':1},{'type':'object',"
    "'additionalProperties':{'type':'string'},'minProperties':1}]}",
    write_joint_map};

// ---- Mirrors: their axis, and the partners of joints and channels.

// Makes two joints or channels each other's partners; reports it and returns false if one of them has another.
static bool pair(lmb_graph_reader *reader, uint32_t value, uint32_t first, uint32_t second, uint32_t *partners) {
    if ((partners[first] != first && partners[first] != second) ||
        (partners[second] != second && partners[second] != first)) {
        lmb_graph_report(reader, value, "one of the two has another partner");
        return false;
    }
    partners[first] = second;
    partners[second] = first;
    return true;
}

// What the object of a channel contains.
typedef struct channel_mirror {
    uint32_t partner; // or LMB_NONE
    float sign;
} channel_mirror;

static void read_channel_name(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    if (lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        ((channel_mirror *)target)->partner = find_part(reader, value, CHANNELS);
    }
}

static const lmb_graph_kind kind_channel_name = {read_channel_name, "{'type':'string'}", NULL};

static void read_sign(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    channel_mirror *mirror = target;
    lmb_graph_read_plain(reader, field, value, target);
    if (mirror->sign != 1.0f && mirror->sign != -1.0f) {
        lmb_graph_report(reader, value, "neither 1 nor -1");
    }
}

static const lmb_graph_kind kind_sign = {read_sign, "{'enum':[1,-1]}", NULL};

static const lmb_graph_field mirrored_members[] = {
    {.name = "partner", .about = "The other channel.", .kind = &kind_channel_name},
    {.name = "sign",
     .about = "The factor of both.",
     .kind = &kind_sign,
     .offset = offsetof(channel_mirror, sign),
     .min = -1.0f,
     .max = 1.0f}};
static const lmb_graph_fields mirrored_fields = {LMB_FIELDS("a channel's mirror", mirrored_members)};

// Reads the partner of a joint: its name; or that of a channel: its name or an object.
static void read_pair(lmb_graph_reader *reader, uint32_t key, unsigned kind, uint32_t *partners, int8_t *signs) {
    const uint32_t first = find_part(reader, key, kind);
    channel_mirror mirror = {.partner = first, .sign = 1.0f};
    if (first == LMB_NONE) {
        return;
    }
    if (kind == CHANNELS && reader->json.values[key + 1].type != LMB_JSON_STRING) {
        if (lmb_graph_expect(reader, key + 1, LMB_JSON_OBJECT)) {
            lmb_graph_read_fields(reader, &mirrored_fields, key + 1, &mirror);
        }
    } else if (lmb_graph_expect(reader, key + 1, LMB_JSON_STRING)) {
        mirror.partner = find_part(reader, key + 1, kind);
    }
    const uint32_t second = mirror.partner;
    if (second != LMB_NONE && pair(reader, key + 1, first, second, partners) && signs != NULL) {
        signs[first] = signs[second] = mirror.sign < 0.0f ? -1 : 1;
    }
}

// Returns the partners of all joints or channels; NULL if there are none. Those that are not named are their own.
static uint32_t *read_pairs_of(lmb_graph_reader *reader, uint32_t value, unsigned kind, uint32_t count, int8_t *signs) {
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return NULL;
    }
    uint32_t *partners = lmb_graph_allocate(reader, &reader->graph->pool, count, sizeof *partners);
    for (uint32_t i = 0; partners != NULL && i < count; i++) {
        partners[i] = i;
    }
    for (uint32_t key = value + 1; key < values[value].next && reader->result == LMB_OK; key = values[key].next) {
        read_pair(reader, key, kind, partners, signs);
    }
    return partners;
}

static void read_partners(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    const uint32_t count = lmb_rig_get_def(reader->source->rig)->joint_count;
    ((lmb_graph_node *)target)->mirror.partners = read_pairs_of(reader, value, JOINTS, count, NULL);
}

// Writes each pair once. A node that states no mirror has none.
static void write_partners(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const uint32_t *partners = ((const lmb_graph_node *)target)->mirror.partners;
    (void)field;
    if (partners == NULL) {
        return;
    }
    bool is_first = true;
    lmb_graph_put(writer, "{");
    for (uint32_t joint = 0; joint < lmb_rig_get_def(writer->def->rig)->joint_count; joint++) {
        if (partners[joint] > joint) {
            lmb_graph_put(writer, is_first ? "" : ",");
            is_first = false;
            lmb_graph_put_joint(writer, joint);
            lmb_graph_put(writer, ":");
            lmb_graph_put_joint(writer, partners[joint]);
        }
    }
    lmb_graph_put(writer, "}");
}

const lmb_graph_kind lmb_kind_partners = {read_partners, "{'type':'object','additionalProperties':{'type':'string'}}",
                                          write_partners};

static void read_channel_partners(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value,
                                  void *target) {
    (void)field;
    const uint32_t count = lmb_rig_get_def(reader->source->rig)->channel_count;
    lmb_mirror_def *mirror = &((lmb_graph_node *)target)->mirror;
    int8_t *signs = lmb_graph_allocate(reader, &reader->graph->pool, count, sizeof *signs);
    for (uint32_t channel = 0; signs != NULL && channel < count; channel++) {
        signs[channel] = 1;
    }
    mirror->channel_signs = signs;
    mirror->channel_partners = signs == NULL ? NULL : read_pairs_of(reader, value, CHANNELS, count, signs);
}

static void write_channel_mirror(lmb_graph_writer *writer, uint32_t channel, uint32_t partner, bool is_negative) {
    lmb_graph_put_channel(writer, channel, false);
    lmb_graph_put(writer, is_negative ? ":{" : ":");
    if (is_negative && partner != channel) {
        lmb_graph_put(writer, "\"partner\":");
    }
    if (partner != channel) {
        lmb_graph_put_channel(writer, partner, false);
    }
    if (is_negative) {
        lmb_graph_put(writer, partner != channel ? ",\"sign\":-1}" : "\"sign\":-1}");
    }
}

static void write_channel_partners(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const lmb_mirror_def *mirror = &((const lmb_graph_node *)target)->mirror;
    const uint32_t count = lmb_rig_get_def(writer->def->rig)->channel_count;
    (void)field;
    if (mirror->partners == NULL || count == 0) {
        return;
    }
    bool is_first = true;
    lmb_graph_put(writer, "{");
    for (uint32_t channel = 0; channel < count; channel++) {
        const uint32_t partner = mirror->channel_partners == NULL ? channel : mirror->channel_partners[channel];
        const bool is_negative = mirror->channel_signs != NULL && mirror->channel_signs[channel] < 0;
        if (partner > channel || (partner == channel && is_negative)) {
            lmb_graph_put(writer, is_first ? "" : ",");
            is_first = false;
            write_channel_mirror(writer, channel, partner, is_negative);
        }
    }
    lmb_graph_put(writer, "}");
}

const lmb_graph_kind lmb_kind_channel_partners = {
    read_channel_partners, "{'type':'object','additionalProperties':{'anyOf':[{'type':'string'},@channel-mirror]}}",
    write_channel_partners};

// Finds partners by name, once for all mirrors.
static uint32_t *find_channel_partners(lmb_graph_reader *reader) {
    if (reader->channel_partners == NULL) {
        const lmb_rig *rig = reader->source->rig;
        reader->channel_partners = lmb_graph_allocate(reader, &reader->graph->pool, lmb_rig_get_def(rig)->channel_count,
                                                      sizeof *reader->channel_partners);
        if (reader->channel_partners != NULL) {
            lmb_rig_find_mirror_channels(rig, &reader->graph->budget.host, reader->channel_partners);
        }
    }
    return reader->channel_partners;
}

// Finds partners by name, once for all mirrors.
static uint32_t *find_partners(lmb_graph_reader *reader, const lmb_graph_node *node) {
    if (reader->partners == NULL) {
        const lmb_rig *rig = reader->source->rig;
        lmb_error error;
        reader->partners = lmb_graph_allocate(reader, &reader->graph->pool, lmb_rig_get_def(rig)->joint_count,
                                              sizeof *reader->partners);
        if (reader->partners != NULL &&
            lmb_rig_find_mirror(rig, &reader->graph->budget.host, reader->partners, &error) != LMB_OK) {
            lmb_graph_report(reader, node->object, "%s", error.message);
        }
    }
    return reader->partners;
}

static bool are_alike(const lmb_mirror_def *a, const lmb_mirror_def *b, const lmb_rig *rig) {
    size_t joint_count = lmb_rig_get_def(rig)->joint_count, channel_count = lmb_rig_get_def(rig)->channel_count;
    return a->axis == b->axis && memcmp(a->partners, b->partners, joint_count * sizeof *a->partners) == 0 &&
           memcmp(a->channel_partners, b->channel_partners, channel_count * sizeof *a->channel_partners) == 0 &&
           a->channel_signs == b->channel_signs;
}

static double length_of(const float v[3]) {
    return sqrt((double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] + (double)v[2] * (double)v[2]);
}

static bool differ(double a, double b, double share) {
    return fabs(a - b) > share * fmax(a, b);
}

// Warns of partners whose rest poses have other scales, or are other distances from their parents: a mirror gives each
// the scale and the translation of the other one. Its correction for rest poses is of rotations alone. `mask`: the
// share of the mirror in each joint, or NULL: all of it.
void lmb_graph_warn_of_partners(lmb_graph_reader *reader, uint32_t index, const uint8_t *mask) {
    const lmb_graph_def *def = &reader->graph->def;
    const lmb_rig *rig = def->rig;
    const uint32_t *partners = def->mirrors[def->nodes[index].mirror].partners;
    const uint32_t joint_count = lmb_rig_get_def(rig)->joint_count;
    char names[120] = "";
    uint32_t count = 0;
    double longest = 0.0;
    for (uint32_t i = 0; i < joint_count; i++) {
        const lmb_transform rest = lmb_rig_get_def(rig)->joints[i].rest;
        longest =
            lmb_rig_get_def(rig)->joints[i].parent != LMB_NONE ? fmax(longest, length_of(rest.translation)) : longest;
    }
    for (uint32_t i = 0; i < joint_count; i++) {
        const uint32_t partner = partners[i] < joint_count ? partners[i] : i;
        const lmb_transform a = lmb_rig_get_def(rig)->joints[i].rest, b = lmb_rig_get_def(rig)->joints[partner].rest;
        const double near = length_of(a.translation), far = length_of(b.translation);
        const bool shows = mask == NULL || mask[i] > 0 || mask[partner] > 0;
        if (shows && partner > i &&
            (differ(length_of(a.scale), length_of(b.scale), 0.1) ||
             (differ(near, far, 0.25) && fabs(near - far) > 0.1 * longest))) {
            const size_t used = strlen(names);
            count++;
            if (used < sizeof names / 2) {
                snprintf(names + used, sizeof names - used, "%s'%.20s' and '%.20s'", used > 0 ? ", " : "",
                         lmb_rig_get_def(rig)->joints[i].name, lmb_rig_get_def(rig)->joints[partner].name);
            }
        }
    }
    if (count > 0) {
        lmb_graph_warn(reader, reader->objects[index],
                       "at rest %s have other scales or lengths, which the mirror swaps: \"masked\" around it with "
                       "these joints at 0 leaves them as they are",
                       names);
    }
}

uint32_t lmb_graph_add_mirror(lmb_graph_reader *reader, const lmb_graph_node *node) {
    lmb_graph_json *graph = reader->graph;
    lmb_mirror_def mirror = node->mirror;
    const char *stated = mirror.partners != NULL ? "partners" : mirror.channel_partners != NULL ? "channels" : NULL;
    mirror.partners = mirror.partners != NULL ? mirror.partners : find_partners(reader, node);
    mirror.channel_partners = mirror.channel_partners != NULL ? mirror.channel_partners : find_channel_partners(reader);
    if (mirror.partners == NULL || mirror.channel_partners == NULL) {
        return 0;
    }
    if (stated != NULL && reader->problem_count == 0) {
        lmb_graph_check_alone(reader, (lmb_graph_def){.mirrors = &mirror, .mirror_count = 1},
                              lmb_graph_find_member(reader, node->object, stated));
    }
    for (uint32_t i = 0; i < graph->def.mirror_count; i++) {
        if (are_alike(&graph->def.mirrors[i], &mirror, reader->source->rig)) {
            return i;
        }
    }
    if (!lmb_graph_append(reader, &graph->pool, &graph->def.mirrors, &graph->def.mirror_count, &mirror,
                          sizeof mirror)) {
        return 0;
    }
    return graph->def.mirror_count - 1;
}

// ---- Joint limits and ranges of channels.

// The ends of a range of three components, as a limit contains them.
typedef struct range {
    float min[3];
    float max[3];
} range;
_Static_assert(LIMIT(translation_max) == LIMIT(translation_min) + 12 && LIMIT(scale_max) == LIMIT(scale_min) + 12 &&
                   LIMIT(angle_max) == LIMIT(angle_min) + 12,
               "a limit contains ranges");

// Reads three numbers, or one that applies to all three.
static void read_triple(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *given = &reader->json.values[value];
    if (given->type == LMB_JSON_ARRAY && given->count != 3) {
        lmb_graph_report(reader, value, "%u numbers, where 3 were expected, or one for all", (unsigned)given->count);
    } else if (given->type == LMB_JSON_ARRAY) {
        lmb_graph_read_floats(reader, field, value, target);
    } else {
        lmb_graph_read_plain(reader, field, value, target);
        float *ends = (float *)(void *)((char *)target + field->offset);
        ends[1] = ends[2] = ends[0];
    }
}

static void write_triple(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const float *ends = (const float *)(const void *)((const char *)target + field->offset);
    if (ends[0] == ends[1] && ends[1] == ends[2]) {
        lmb_graph_write_number(writer, field, target);
    } else {
        lmb_graph_write_numbers(writer, field, target);
    }
}

static const lmb_graph_kind kind_triple = {
    read_triple,
    "{'anyOf':[{'type':'number',$range},{'type':'array','items':{'type':'number',$range},'minItems':3,"
    "'maxItems':3}]}",
    write_triple};

#define END(key, member, most)                                                                                         \
    {                                                                                                                  \
        .name = key, .required = true, .kind = &kind_triple, .offset = RANGE(member), .count = 3, .min = -(most),      \
        .max = most                                                                                                    \
    }

static const lmb_graph_field distance_members[] = {END("min", min, LMB_LARGEST), END("max", max, LMB_LARGEST)};
static const lmb_graph_fields distance_fields = {LMB_FIELDS("a range", distance_members)};
static const lmb_graph_field angle_members[] = {END("min", min, 180.0f), END("max", max, 180.0f)};
static const lmb_graph_fields angle_fields = {LMB_FIELDS("a range", angle_members)};

static const char *const axes[] = {"x", "y", "z", NULL};
static const lmb_graph_field twist_members[] = {
    {.name = "axis",
     .about = "The axis of the twist and the swing; y by default.",
     .kind = &lmb_kind_choice,
     .offset = LIMIT(twist_axis),
     .choices = axes},
    {.name = "min",
     .about = "-180 by default.",
     .kind = &lmb_kind_number,
     .offset = LIMIT(twist_min),
     .min = -360.0f,
     .max = 360.0f},
    {.name = "max",
     .about = "180 by default.",
     .kind = &lmb_kind_number,
     .offset = LIMIT(twist_max),
     .min = -360.0f,
     .max = 360.0f},
};
static const lmb_graph_fields twist_fields = {LMB_FIELDS("a twist", twist_members)};

static const lmb_graph_field limit_members[] = {
    {.name = "translation",
     .about = "The range of the translation.",
     .kind = &lmb_kind_object,
     .offset = LIMIT(translation_min),
     .inside = &distance_fields},
    {.name = "scale",
     .about = "The range of the scale.",
     .kind = &lmb_kind_object,
     .offset = LIMIT(scale_min),
     .inside = &distance_fields},
    {.name = "twist",
     .about = "The range of the twist about an axis.",
     .kind = &lmb_kind_object,
     .inside = &twist_fields},
    {.name = "swing",
     .about = "The largest swing away from the axis.",
     .kind = &lmb_kind_number,
     .offset = LIMIT(swing),
     .max = 180.0f},
    {.name = "angles",
     .about = "The ranges of three angles.",
     .kind = &lmb_kind_object,
     .offset = LIMIT(angle_min),
     .inside = &angle_fields},
};
// In the order of the fields.
static const uint32_t limit_bits[] = {LMB_JOINT_LIMIT_TRANSLATION, LMB_JOINT_LIMIT_SCALE, LMB_JOINT_LIMIT_TWIST,
                                      LMB_JOINT_LIMIT_SWING, LMB_JOINT_LIMIT_ANGLES};
static const lmb_graph_fields limit_fields = {LMB_FIELDS("a joint's limits", limit_members)};

static const lmb_graph_field channel_members[] = {{.name = "range",
                                                   .about = "Its lowest and its largest value.",
                                                   .required = true,
                                                   .kind = &lmb_kind_numbers,
                                                   .offset = offsetof(lmb_channel_range, min),
                                                   .what = "numbers",
                                                   .count = 2,
                                                   LMB_ANY_NUMBER}};
static const lmb_graph_fields channel_fields = {LMB_FIELDS("a channel's limits", channel_members)};

// Warns of angles of a joint that are most likely radians: all within half a turn of these, and not all whole numbers.
static void check_degrees(lmb_graph_reader *reader, uint32_t object, const lmb_joint_limit_def *limit) {
    const uint32_t twist = lmb_graph_find_member(reader, object, "twist");
    float most = 0.0f;
    bool is_whole = true;
    float angles[9] = {0.0f};
    if (twist != LMB_NONE) {
        angles[0] = lmb_graph_find_member(reader, twist, "min") != LMB_NONE ? limit->twist_min : 0.0f;
        angles[1] = lmb_graph_find_member(reader, twist, "max") != LMB_NONE ? limit->twist_max : 0.0f;
    }
    angles[2] = (limit->set & LMB_JOINT_LIMIT_SWING) != 0 ? limit->swing : 0.0f;
    for (int i = 0; i < 3 && (limit->set & LMB_JOINT_LIMIT_ANGLES) != 0; i++) {
        angles[3 + i] = limit->angle_min[i];
        angles[6 + i] = limit->angle_max[i];
    }
    for (int i = 0; i < 9; i++) {
        most = fmaxf(most, fabsf(angles[i]));
        is_whole = is_whole && angles[i] == floorf(angles[i]);
    }
    if (most > 0.1f && most < 3.15f && !is_whole) {
        lmb_graph_warn(reader, object, "no angle is above %.3g degrees; %.3g radians are %.4g degrees", (double)most,
                       (double)most, (double)most * 57.295779513082323);
    }
}

static void read_joint_limits(lmb_graph_reader *reader, uint32_t object, lmb_joint_limit_def *limit) {
    for (size_t i = 0; i < limit_fields.count; i++) {
        const bool is_set = lmb_graph_find_member(reader, object, limit_fields.fields[i].name) != LMB_NONE;
        limit->set |= is_set ? limit_bits[i] : 0;
    }
    if ((limit->set & LMB_JOINT_LIMIT_TWIST) != 0) {
        limit->twist_min = -180.0f;
        limit->twist_max = 180.0f;
    }
    const uint32_t problems = reader->problem_count;
    lmb_graph_read_fields(reader, &limit_fields, object, limit);
    if (reader->problem_count == problems) {
        check_degrees(reader, object, limit);
    }
}

static void read_part(lmb_graph_reader *reader, uint32_t key, lmb_joint_limit_def *limits, lmb_channel_range *ranges,
                      bool *given) {
    uint32_t joint_count = lmb_rig_get_def(reader->source->rig)->joint_count;
    uint32_t part = find_part(reader, key, JOINTS | CHANNELS);
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
        read_joint_limits(reader, key + 1, &limits[part]);
    } else {
        lmb_graph_read_fields(reader, &channel_fields, key + 1, &ranges[part - joint_count]);
    }
}

// Returns the index of joint limits, which the ranges of the channels follow in one block of this size.
static uint32_t add_limits(lmb_graph_reader *reader, lmb_joint_limit_def *limits, const lmb_channel_range *ranges,
                           size_t size) {
    lmb_graph_json *graph = reader->graph;
    uint32_t range_count = graph->def.joint_limits_count;
    const uint32_t before = range_count;
    const uint32_t index =
        intern(reader, &graph->limits_index, &graph->def.joint_limits, &graph->def.joint_limits_count, limits, size);
    return graph->def.joint_limits_count == before || lmb_graph_append(reader, &graph->pool, &graph->def.channel_ranges,
                                                                       &range_count, &ranges, sizeof ranges)
               ? index
               : 0;
}

static void read_limits(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return;
    }
    uint32_t joint_count = lmb_rig_get_def(reader->source->rig)->joint_count;
    uint32_t channel_count = lmb_rig_get_def(reader->source->rig)->channel_count;
    bool *given = lmb_graph_allocate(reader, &reader->scratch, (size_t)joint_count + channel_count, sizeof *given);
    const size_t size = joint_count * sizeof(lmb_joint_limit_def) + channel_count * sizeof(lmb_channel_range);
    lmb_joint_limit_def *limits = lmb_graph_allocate(reader, &reader->graph->pool, 1, size);
    if (given == NULL || limits == NULL) {
        return;
    }
    lmb_channel_range *ranges = (lmb_channel_range *)(limits + joint_count);
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
        const lmb_joint_limit_def *all_limits = limits;
        const lmb_channel_range *all_ranges = ranges;
        lmb_graph_check_alone(
            reader,
            (lmb_graph_def){.joint_limits = &all_limits, .joint_limits_count = 1, .channel_ranges = &all_ranges},
            value);
    }
    *(uint32_t *)(void *)((char *)target + field->offset) = add_limits(reader, limits, ranges, size);
}

const lmb_graph_definition lmb_graph_joint_definitions[] = {
    {"mask", "A share from 0 to 255 for each joint or channel; others take that of their parents.",
     "{'type':'object','additionalProperties':{'type':'integer','minimum':0,'maximum':255}}", NULL},
    {"channel-mirror", "What mirrors a channel.", "$inside", &mirrored_fields},
    {"joint-limits", "Limits of a joint, in degrees.", "$inside", &limit_fields},
    {"channel-limits", "The range of a channel.", "$inside", &channel_fields},
    {NULL, NULL, NULL, NULL},
};

// Writes the limits that are set. A swing without a twist needs one that states its axis.
static void write_joint_limits(lmb_graph_writer *writer, const lmb_joint_limit_def *limit) {
    lmb_joint_limit_def written = *limit, initial = lmb_default_joint_limit_def();
    const uint32_t set = limit->set | (limit->twist_axis != initial.twist_axis ? LMB_JOINT_LIMIT_TWIST : 0);
    initial.twist_min = -180.0f;
    initial.twist_max = 180.0f;
    if ((limit->set & LMB_JOINT_LIMIT_TWIST) == 0) {
        written.twist_min = initial.twist_min;
        written.twist_max = initial.twist_max;
    }
    bool is_first = true;
    lmb_graph_put(writer, "{");
    for (size_t i = 0; i < limit_fields.count; i++) {
        const lmb_graph_field *field = &limit_fields.fields[i];
        if ((set & limit_bits[i]) != 0) {
            lmb_graph_put_key(writer, &is_first, field->name);
            if (field->inside == &twist_fields) {
                lmb_graph_write_fields(writer, field->inside, &written, &initial);
            } else {
                field->kind->write(writer, field, &written);
            }
        }
    }
    lmb_graph_put(writer, "}");
}

static void write_limits(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const lmb_graph_def *def = writer->def;
    const uint32_t index = *(const uint32_t *)(const void *)((const char *)target + field->offset);
    const lmb_joint_limit_def *limits = def->joint_limits[index];
    const lmb_channel_range *ranges = def->channel_ranges == NULL ? NULL : def->channel_ranges[index];
    const lmb_channel_range unlimited = lmb_default_channel_range();
    bool is_first = true;
    lmb_graph_put(writer, "{");
    for (uint32_t joint = 0; joint < lmb_rig_get_def(def->rig)->joint_count; joint++) {
        if (limits[joint].set != 0) {
            lmb_graph_put(writer, is_first ? "" : ",");
            is_first = false;
            lmb_graph_put_joint(writer, joint);
            lmb_graph_put(writer, ":");
            write_joint_limits(writer, &limits[joint]);
        }
    }
    for (uint32_t channel = 0; ranges != NULL && channel < lmb_rig_get_def(def->rig)->channel_count; channel++) {
        if (ranges[channel].min != unlimited.min || ranges[channel].max != unlimited.max) {
            lmb_graph_put(writer, is_first ? "" : ",");
            is_first = false;
            lmb_graph_put_channel(writer, channel, true);
            lmb_graph_put(writer, ":");
            lmb_graph_write_fields(writer, &channel_fields, &ranges[channel], &unlimited);
        }
    }
    lmb_graph_put(writer, "}");
}

const lmb_graph_kind lmb_kind_limits = {
    read_limits, "{'type':'object','additionalProperties':{'anyOf':[@joint-limits,@channel-limits]}}", write_limits};
