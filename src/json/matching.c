// Reads motion matching of a machine: its first states are takes, of whose clips a database is made here.
#include "matching.h"

#include "control/control.h"

#include <limber/motion_database.h>

#include <string.h>

#define MATCHING(member) offsetof(text, matching.member)
#define DATABASE(member) offsetof(text, database.member)
#define JOINT(member) offsetof(lmb_motion_joint, member)
#define MOST_TAGS 32u

// What the object says.
typedef struct text {
    lmb_matching_def matching;
    lmb_motion_database_def database;
    lmb_graph_node mirror; // the partners that it states
    uint32_t tags;         // the value of "tags", or LMB_NONE
} text;

// ---- Tags: bits in the order in which the object, then states name them.

typedef struct tag_names {
    const char *list[MOST_TAGS];
    uint32_t count;
} tag_names;

// Returns the bit of a tag, a key or a string; reports one that is too many, and returns 0.
static uint32_t tag_of(lmb_graph_reader *reader, tag_names *names, uint32_t value) {
    const char *name = lmb_graph_read_name(reader, value, LMB_EMPTY_NAME);
    if (name == NULL || name[0] == '\0') {
        return 0;
    }
    uint32_t i = 0;
    while (i < names->count && strcmp(names->list[i], name) != 0) {
        i++;
    }
    if (i == MOST_TAGS) {
        lmb_graph_report(reader, value, "more than %u tags", MOST_TAGS);
        return 0;
    }
    names->list[i] = name;
    names->count = i == names->count ? i + 1 : names->count;
    return 1u << i;
}

static uint32_t read_tags_of(lmb_graph_reader *reader, tag_names *names, uint32_t state) {
    const lmb_json_value *values = reader->json.values;
    const uint32_t list = lmb_graph_find_member(reader, state, "tags");
    uint32_t tags = 0;
    if (list != LMB_NONE && lmb_graph_expect(reader, list, LMB_JSON_ARRAY)) {
        for (uint32_t at = list + 1; at < values[list].next && reader->result == LMB_OK; at = values[at].next) {
            tags |= tag_of(reader, names, at);
        }
    }
    return tags;
}

// Reads the values that say which tags rows must have.
static void read_rules(lmb_graph_reader *reader, tag_names *names, uint32_t object, lmb_matching_def *matching) {
    static const lmb_graph_field when = {.offset = offsetof(lmb_tag_rule_def, when),
                                         .min = -1.0f,
                                         .max = 1.0f,
                                         .parameter_min = -1.0f,
                                         .parameter_max = 1.0f};
    const lmb_json_value *values = reader->json.values;
    if (object == LMB_NONE || !lmb_graph_expect(reader, object, LMB_JSON_OBJECT)) {
        return;
    }
    lmb_tag_rule_def *rules = NULL;
    for (uint32_t key = object + 1; key < values[object].next && reader->result == LMB_OK; key = values[key].next) {
        lmb_tag_rule_def rule = lmb_default_tag_rule_def();
        rule.tags = tag_of(reader, names, key);
        lmb_graph_read_early(reader, &when, key + 1, &rule);
        if (rule.tags != 0) {
            lmb_graph_append(reader, &reader->graph->pool, &rules, &matching->rule_count, &rule, sizeof rule);
        }
    }
    matching->rules = rules;
}

// ---- What is asked.

static void read_velocity(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    lmb_graph_field number = *field;
    if (lmb_graph_expect_count(reader, value, 2, 2, "numbers, along x and z")) {
        for (uint32_t at = value + 1; at < values[value].next; at = values[at].next) {
            lmb_graph_read_early(reader, &number, at, target);
            number.offset += sizeof(lmb_value);
        }
    }
}

static const lmb_graph_kind kind_velocity = {
    read_velocity,
    "{'type':'array','items':{'anyOf':[{'type':'number',$range},@early-value]},'minItems':2,'maxItems':2}", NULL};

// Reads three places, each with a number along x and z.
static void read_path(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    lmb_graph_field place = *field;
    if (lmb_graph_expect_count(reader, value, 3, 3, "places")) {
        for (uint32_t at = value + 1; at < values[value].next; at = values[at].next) {
            read_velocity(reader, &place, at, target);
            place.offset += 2 * sizeof(lmb_value);
        }
        ((text *)target)->matching.follows_path = true;
    }
}

static const lmb_graph_kind kind_path = {
    read_path,
    "{'type':'array','items':{'type':'array','items':{'anyOf':[{'type':'number',$range},@early-value]},'minItems':2,"
    "'maxItems':2},'minItems':3,'maxItems':3}",
    NULL};

static void read_heading(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    ((text *)target)->matching.faces_heading = true;
    lmb_graph_read_early(reader, field, value, target);
}

static const lmb_graph_kind kind_heading = {read_heading, "{'anyOf':[{'type':'number',$range},@early-value]}", NULL};

static void keep_tags(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)reader;
    (void)field;
    ((text *)target)->tags = value;
}

static const lmb_graph_kind kind_tags = {
    keep_tags,
    "{'type':'object','additionalProperties':{'anyOf':[{'type':'number','minimum':-1,'maximum':1},@early-value]}}",
    NULL};

// Numbers of the database, whose descriptor has no table.
#define RANGED_FIELD(key, at, low, high, text)                                                                         \
    { .name = key, .about = text, .kind = &lmb_kind_number, .offset = at, .min = low, .max = high }
#define WEIGHT_FIELD(key, member, text) RANGED_FIELD(key, offsetof(lmb_motion_weights, member), 0.0f, 1000.0f, text)

static const lmb_graph_field weight_members[] = {
    WEIGHT_FIELD("foot-positions", foot_positions, "Of where the feet are; 0.75 by default."),
    WEIGHT_FIELD("foot-velocities", foot_velocities, "Of how the feet move; 1 by default."),
    WEIGHT_FIELD("hip-velocity", hip_velocity, "Of how the hips move; 1 by default."),
    WEIGHT_FIELD("path", path, "Of where the character will be; 1 by default."),
    WEIGHT_FIELD("headings", headings, "Of where it will head; 1.5 by default."),
};
static const lmb_graph_fields weight_fields = {LMB_FIELDS("\"weights\"", weight_members)};

// ---- Further joints.

static bool read_letters(const char *text, bool axes[3]) {
    static const char letters[] = "xyz";
    uint32_t next = 0;
    axes[0] = axes[1] = axes[2] = false;
    for (; *text != '\0'; text++) {
        while (next < 3 && letters[next] != *text) {
            next++;
        }
        if (next == 3) {
            return false;
        }
        axes[next++] = true;
    }
    return next > 0;
}

static void read_axes(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const char *text = lmb_graph_read_name(reader, value, LMB_EMPTY_NAME);
    if (text != NULL && !read_letters(text, (bool *)((char *)target + field->offset))) {
        lmb_graph_report(reader, value, "'%.60s' is not one or more of x, y and z, in this order", text);
    }
}

static const lmb_graph_kind kind_axes = {read_axes, "{'enum':['x','y','z','xy','xz','yz','xyz']}", NULL};

static const lmb_graph_field joint_members[] = {
    {.name = "joint", .about = "The joint.", .required = true, .kind = &lmb_kind_joint, .offset = JOINT(joint)},
    {.name = "velocity",
     .about = "Whether its velocity over the ground counts, and not its position.",
     .kind = &lmb_kind_boolean,
     .offset = JOINT(is_velocity)},
    {.name = "axes", .about = "Which axes count; all by default.", .kind = &kind_axes, .offset = JOINT(axes)},
    RANGED_FIELD("weight", JOINT(weight), 0.0f, 1000.0f, "How much it counts; 1 by default."),
    LMB_COMMENT_FIELD,
};
static const lmb_graph_fields joint_fields = {LMB_FIELDS("a joint", joint_members)};

static void read_joints(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_motion_database_def *database = &((text *)target)->database;
    const lmb_motion_joint initial = lmb_default_motion_joint();
    database->joints = lmb_graph_read_objects(reader, &reader->scratch, field, value, sizeof initial, &initial,
                                              &database->joint_count);
}

static const lmb_graph_kind kind_joints = {read_joints,
                                           "{'type':'array','items':$inside,'minItems':1,'maxItems':$count}", NULL};

// ---- Mirrored moments: true, or the pairs of joints and channels.

static const lmb_graph_field mirrored_members[] = {
    {.name = "partners", .about = "Pairs of joints; by default found by their names.", .kind = &lmb_kind_partners},
    {.name = "channels",
     .about = "Pairs of channels, with a sign where they need one; by default found by their names.",
     .kind = &lmb_kind_channel_partners},
};
static const lmb_graph_fields mirrored_fields = {LMB_FIELDS("\"mirrored\"", mirrored_members)};

static void read_mirrored(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    text *read = target;
    if (reader->json.values[value].type == LMB_JSON_OBJECT) {
        read->database.mirrored = true;
        read->mirror.object = value;
        lmb_graph_read_fields(reader, field->inside, value, &read->mirror);
    } else {
        lmb_kind_boolean.read(reader, field, value, target);
    }
}

static const lmb_graph_kind kind_mirrored = {read_mirrored, "{'anyOf':[{'type':'boolean'},$inside]}", NULL};

// ---- The object.

static const lmb_graph_field matching_members[] = {
    {.name = "left-foot",
     .about = "The joint of the left foot.",
     .required = true,
     .kind = &lmb_kind_joint,
     .offset = DATABASE(left_foot)},
    {.name = "right-foot",
     .about = "The joint of the right foot.",
     .required = true,
     .kind = &lmb_kind_joint,
     .offset = DATABASE(right_foot)},
    {.name = "hips",
     .about = "The joint of the hips.",
     .required = true,
     .kind = &lmb_kind_joint,
     .offset = DATABASE(hips)},
    {.name = "velocity",
     .about = "The desired velocity: along x and z of the world. It is needed unless there is a path.",
     .kind = &kind_velocity,
     .offset = MATCHING(velocity),
     .min = -1048576.0f,
     .max = 1048576.0f,
     .parameter_min = -10.0f,
     .parameter_max = 10.0f},
    {.name = "path",
     .about = "Where it is to be after each of the times, along x and z of the world, from where it is.",
     .kind = &kind_path,
     .offset = MATCHING(path),
     .min = -1048576.0f,
     .max = 1048576.0f,
     .parameter_min = -10.0f,
     .parameter_max = 10.0f},
    {.name = "heading",
     .about = "The desired yaw, in radians; by default the character faces where it goes.",
     .kind = &kind_heading,
     .offset = MATCHING(heading),
     .min = -1048576.0f,
     .max = 1048576.0f,
     .parameter_min = -3.14159274f,
     .parameter_max = 3.14159274f,
     .turns = 1.0f},
    {.name = "tags",
     .about = "For each tag a value: above 0.5 rows must have it, below -0.5 they must not.",
     .kind = &kind_tags},
    LMB_NUMBER_FIELD("half-life", MATCHING(half_life),
                     "Seconds after which half of the difference from what is asked is gone; $ by default."),
    LMB_NUMBER_FIELD("interval", MATCHING(interval), "Seconds from search to search; $ by default."),
    LMB_NUMBER_FIELD("velocity-change", MATCHING(velocity_change),
                     "A change of the desired velocity above which a search begins at once; $ by default."),
    {.name = "heading-change",
     .about = "A turn of the desired heading above which a search begins at once, in radians; $ by default.",
     .kind = &lmb_kind_number,
     .offset = MATCHING(heading_change),
     .turns = 1.0f},
    LMB_NUMBER_FIELD("window", MATCHING(window),
                     "Seconds around the moment that plays, and around recent ones, that are not found; $ by default."),
    LMB_NUMBER_FIELD("recent", MATCHING(recent),
                     "Seconds for which a moment that was chosen is a recent one; $ by default."),
    LMB_NUMBER_FIELD("bonus", MATCHING(bonus), "By how much the moment that plays costs less; $ by default."),
    LMB_NUMBER_FIELD("fade", MATCHING(fade), "Seconds over which a jump is inertialized; $ by default."),
    {.name = "mirrored",
     .about = "Whether moments count mirrored, too: clips that turn left turn right as well.",
     .kind = &kind_mirrored,
     .offset = DATABASE(mirrored),
     .inside = &mirrored_fields},
    RANGED_FIELD("rate", DATABASE(rate), 1.0f, LMB_MAX_MOTION_RATE, "Moments a second; 30 by default."),
    {.name = "times",
     .about = "Seconds ahead of the path, ascending; 1/3, 2/3 and 1 by default.",
     .kind = &lmb_kind_numbers,
     .offset = DATABASE(times),
     .what = "times",
     .count = 3,
     .min = 0.001f,
     .max = LMB_MAX_MOTION_SECONDS},
    RANGED_FIELD("end", DATABASE(end), 0.0f, LMB_MAX_MOTION_SECONDS,
                 "The last seconds of a take that is no loop, which are not found; 0.3 by default."),
    {.name = "weights",
     .about = "How much groups of features count.",
     .kind = &lmb_kind_object,
     .offset = DATABASE(weights),
     .inside = &weight_fields},
    {.name = "joints",
     .about = "Further joints whose places or velocities count, with up to 5 axes together.",
     .kind = &kind_joints,
     .what = "joints",
     .count = LMB_MOTION_ROW_SIZE - LMB_MOTION_FEATURES,
     .inside = &joint_fields},
    LMB_COMMENT_FIELD,
};
static const lmb_graph_fields matching_fields = {
    LMB_FIELDS_OF(matching, offsetof(text, matching), "\"matching\"", matching_members)};

const lmb_graph_definition lmb_graph_matching_definitions[] = {
    {"matching", "Motion matching: searches say which of the first states plays, and from where.", "$inside",
     &matching_fields},
    {NULL, NULL, NULL, NULL},
};

// ---- The database.

// Returns false if a state is no take.
static bool make_take(lmb_graph_reader *reader, const lmb_graph_take *from, lmb_motion_take *take) {
    const lmb_graph_json *graph = reader->graph;
    const lmb_player_def *player = from->end_node != LMB_NONE ? graph->nodes[from->end_node].player : NULL;
    const char *why = player == NULL              ? "no clip of its own plays in the state of a take"
                      : player->group != LMB_NONE ? "the clip of a take is in no group"
                      : player->repetitions != 0  ? "the clip of a take has no repetitions"
                      : player->end == LMB_END_LOOP || player->end == LMB_END_HOLD
                          ? NULL
                          : "the clip of a take loops, or holds at its end";
    *take = lmb_default_motion_take();
    if (why != NULL) {
        lmb_graph_report(reader, from->object, "%s; \"take\": false keeps a state out", why);
        return false;
    }
    take->clip = graph->def.clips[(uint32_t)graph->nodes[from->end_node].clip.constant];
    take->motion = player->motion;
    take->velocity[2] = player->velocity;
    take->loop = player->end == LMB_END_LOOP;
    return true;
}

static void keep_block(lmb_graph_reader *reader, const lmb_motion_database *database, lmb_matching_def *matching) {
    size_t size;
    const void *block = lmb_motion_database_block(database, &size);
    uint32_t *words = lmb_graph_allocate(reader, &reader->graph->pool, size / sizeof *words, sizeof *words);
    if (words != NULL) {
        memcpy(words, block, size);
        matching->database = words;
        matching->database_words = (uint32_t)(size / sizeof *words);
    }
}

static void make_database(lmb_graph_reader *reader, uint32_t value, lmb_motion_database_def *def,
                          lmb_matching_def *matching) {
    const lmb_host host = lmb_pool_host(&reader->graph->pool);
    lmb_motion_database *database = NULL;
    lmb_error error;
    def->rig = reader->source->rig;
    const lmb_result result = lmb_motion_database_create(def, &host, &database, &error);
    if (result == LMB_OK) {
        keep_block(reader, database, matching);
    } else if (result == LMB_ERROR_MEMORY) {
        lmb_graph_fail_memory(reader);
    } else {
        lmb_graph_report(reader, value, "%s", error.message);
    }
    lmb_motion_database_destroy(database);
}

// ---- Mirrored moments.

static const char *joint_name(const lmb_graph_reader *reader, uint32_t joint) {
    return lmb_rig_get_def(reader->source->rig)->joints[joint].name;
}

// Checks that a joint's mirror image is the one that motion matching takes for it.
static void check_partner(lmb_graph_reader *reader, uint32_t value, const uint32_t *partners, uint32_t joint,
                          uint32_t expected) {
    const uint32_t partner = partners[joint];
    if (partner == expected || reader->problem_count > 0) {
        return;
    }
    if (partner == joint) {
        lmb_graph_report(
            reader, value,
            "'%.60s' has no mirror image; \"mirrored\": {\"partners\": {\"%.60s\": \"%.60s\"}} pairs joints",
            joint_name(reader, joint), joint_name(reader, joint), joint_name(reader, expected));
    } else {
        lmb_graph_report(reader, value, "the mirror image of '%.60s' is '%.60s', and not '%.60s'",
                         joint_name(reader, joint), joint_name(reader, partner), joint_name(reader, expected));
    }
}

// Finds the mirror image of a further joint among the others.
static void find_mirror(const uint32_t *partners, lmb_motion_database_def *def, uint32_t index) {
    lmb_motion_joint *joints = (lmb_motion_joint *)(uintptr_t)def->joints, *own = &joints[index];
    const uint32_t partner = partners[own->joint];
    for (uint32_t i = 0; i < def->joint_count && partner != own->joint; i++) {
        if (joints[i].joint == partner && joints[i].is_velocity == own->is_velocity &&
            memcmp(joints[i].axes, own->axes, sizeof own->axes) == 0 && joints[i].weight == own->weight &&
            (joints[i].mirror == LMB_NONE || joints[i].mirror == index)) {
            own->mirror = i;
            return;
        }
    }
}

// Finds the mirror, and checks that the feet are partners of each other, the hips in the middle, and that further
// joints are there with their partners.
static uint32_t find_partners(lmb_graph_reader *reader, uint32_t value, text *read) {
    const uint32_t mirror = lmb_graph_add_mirror(reader, &read->mirror);
    lmb_motion_database_def *def = &read->database;
    if (reader->result != LMB_OK || reader->problem_count > 0) {
        return mirror;
    }
    const uint32_t *partners = reader->graph->def.mirrors[mirror].partners;
    const uint32_t at = lmb_graph_find_member(reader, value, "mirrored");
    check_partner(reader, at, partners, def->left_foot, def->right_foot);
    check_partner(reader, at, partners, def->hips, def->hips);
    for (uint32_t i = 0; i < def->joint_count; i++) {
        find_mirror(partners, def, i);
        const uint32_t partner = partners[def->joints[i].joint];
        if (partner != def->joints[i].joint && def->joints[i].mirror == LMB_NONE) {
            lmb_graph_report(reader, lmb_graph_find_member(reader, value, "joints"),
                             "'%.60s' is here, and its mirror image '%.60s' not in the same way",
                             joint_name(reader, def->joints[i].joint), joint_name(reader, partner));
        }
    }
    return mirror;
}

uint32_t lmb_graph_add_mirrored(lmb_graph_reader *reader, const lmb_graph_matched *matched, uint32_t machine,
                                uint32_t object) {
    const lmb_node_def mirror = lmb_mirror_node(machine, matched->mirror);
    const uint32_t turned = lmb_graph_add_node(reader, &mirror, object);
    const lmb_node_def blend = lmb_blend_node(machine, turned, lmb_parameter(matched->def->mirrored));
    return lmb_graph_add_node(reader, &blend, object);
}

lmb_graph_matched lmb_graph_read_matching(lmb_graph_reader *reader, const char *machine, uint32_t value,
                                          const lmb_graph_take *takes, uint32_t count) {
    const uint32_t problems = reader->problem_count;
    lmb_graph_matched matched = {NULL, LMB_NONE};
    text read = {lmb_default_matching_def(),
                 lmb_default_motion_database_def(),
                 {.object = value, .mirror = lmb_default_mirror_def()},
                 LMB_NONE};
    lmb_matching_def *matching = lmb_graph_allocate(reader, &reader->graph->pool, 1, sizeof *matching);
    lmb_motion_take *list = lmb_graph_allocate(reader, &reader->scratch, count, sizeof *list);
    if (matching == NULL || list == NULL || !lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return matched;
    }
    reader->graph->has_character_motion = true;
    lmb_graph_read_fields(reader, &matching_fields, value, &read);
    const uint32_t velocity = lmb_graph_find_member(reader, value, "velocity");
    if (!read.matching.follows_path && velocity == LMB_NONE) {
        lmb_graph_report(reader, value, "\"matching\" needs the field \"velocity\", or \"path\"");
    } else if (read.matching.follows_path && velocity != LMB_NONE) {
        lmb_graph_warn(reader, velocity, "with a \"path\" nothing reads the velocity");
    }
    tag_names names = {.count = 0};
    read_rules(reader, &names, read.tags, &read.matching);
    for (uint32_t i = 0; i < count && reader->result == LMB_OK; i++) {
        if (make_take(reader, &takes[i], &list[i])) {
            list[i].tags = read_tags_of(reader, &names, takes[i].object);
        }
    }
    if (read.matching.fade > 0.0f && reader->inertia_at == LMB_NONE) {
        reader->inertia_at = value;
    }
    if (read.database.mirrored && reader->problem_count == problems && reader->result == LMB_OK) {
        matched.mirror = find_partners(reader, value, &read);
        read.matching.mirrored = lmb_graph_add_written(reader, machine, "mirrored", 0.0f, 1.0f, value);
    }
    read.database.takes = list;
    read.database.take_count = count;
    if (reader->problem_count == problems && reader->result == LMB_OK) {
        make_database(reader, value, &read.database, &read.matching);
    }
    *matching = read.matching;
    matched.def = reader->problem_count == problems ? matching : NULL;
    return matched;
}
