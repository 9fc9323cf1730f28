// Reads poses: a table of operations, and for each operation a table of its fields.
#include "graph.h"
#include "write.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define INPUT(member) offsetof(input, member)
#define NODE(member) offsetof(lmb_graph_node, member)

// Reads a member that is a pose, and stores the index of its node.
static void read_pose(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    *(uint32_t *)(void *)((char *)target + field->offset) = lmb_graph_read_pose(reader, value);
}

static void write_pose(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const uint32_t node = *(const uint32_t *)(const void *)((const char *)target + field->offset);
    if (node != LMB_NONE) {
        lmb_graph_write_pose(writer, node);
    }
}

static const lmb_graph_kind kind_pose = {read_pose, "@pose", write_pose};

// Reads the pose that a weight applies to. The target begins with the weight's fade.
static void read_weighed_pose(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    *(uint32_t *)(void *)((char *)target + field->offset) = lmb_graph_read_faded_pose(reader, target, value);
}

static const lmb_graph_kind kind_weighed_pose = {read_weighed_pose, "@pose", write_pose};

// Reads a value, or the fade of the pose that it weighs.
static void read_weight(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_graph_fade *fade = target;
    if (value != fade->at) {
        lmb_graph_read_value(reader, field, value, target);
        return;
    }
    // The curve beside it may have been read already.
    lmb_value *weight = (lmb_value *)(void *)((char *)target + field->offset);
    lmb_graph_set_value(weight, lmb_graph_read_fade(reader, fade));
}

static const lmb_graph_kind kind_weight = {read_weight, "{'anyOf':[{'type':'number',$range},@value,@fade]}",
                                           lmb_graph_write_value};

// Begins the fade of an object if the member that is its weight is a fade.
static void begin_fade(lmb_graph_reader *reader, const lmb_graph_fields *fields, uint32_t object,
                       lmb_graph_fade *fade) {
    const char *weight = NULL;
    for (size_t i = 0; i < fields->count; i++) {
        weight = fields->fields[i].kind == &kind_weight ? fields->fields[i].name : weight;
    }
    lmb_graph_begin_fade(reader, object, weight, fade);
}

// Reads a clip: by its name, or by its index, which may be a parameter.
static void read_clip(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_graph_node *node = target;
    uint32_t count = reader->character != NULL ? reader->character->clip_count : reader->source->clip_count;
    if (count == 0) {
        lmb_graph_report(reader, value, "there are no clips");
        return;
    }
    lmb_json_type type = reader->json.values[value].type;
    double index = type == LMB_JSON_NUMBER ? lmb_json_number(&reader->json, value) : 0.0;
    if (!(index >= 0.0 && index < (double)count)) {
        lmb_graph_report(reader, value, "no clip of this index: there are %u", (unsigned)count);
        return;
    }
    if (type != LMB_JSON_STRING && reader->character != NULL) {
        lmb_graph_report(reader, value, "inside a retarget a clip is given by its name");
        return;
    }
    if (type != LMB_JSON_STRING) {
        lmb_graph_field numbered = *field;
        numbered.min = 0.0f;
        numbered.max = numbered.parameter_max = nextafterf((float)count, 0.0f);
        lmb_graph_read_value(reader, &numbered, value, target);
        return;
    }
    const char *name = lmb_graph_text(reader, &reader->scratch, value);
    if (name == NULL) {
        return;
    }
    const bool is_own = reader->character == NULL;
    uint32_t clip = is_own ? lmb_names_find(reader->clips, count, lmb_graph_resolve_clip(reader, name))
                           : lmb_graph_find_source_clip(reader, name);
    if (clip == LMB_NONE) {
        const lmb_graph_source others = {.clips = is_own ? reader->source->clips : reader->character->clips,
                                         .clip_count = count};
        lmb_graph_report_name(reader, value, "there is no clip", name, lmb_graph_clip_names(&others));
    }
    node->def.clip = lmb_constant((float)clip);
    lmb_pool_release(&reader->scratch, (void *)(uintptr_t)name);
}

// Writes the name of a clip, or its index if another clip has the name, or if it is not one clip.
static void write_clip(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const lmb_graph_def *def = writer->def;
    const lmb_value clip = ((const lmb_graph_node *)target)->def.clip;
    const bool is_one = clip.kind == LMB_VALUE_CONSTANT && clip.curve == LMB_CURVE_LINEAR && clip.constant >= 0.0f &&
                        clip.constant < (float)def->clip_count && clip.constant == floorf(clip.constant);
    const uint32_t index = is_one ? (uint32_t)clip.constant : 0;
    uint32_t first = 0;
    while (is_one && first < index &&
           strcmp(lmb_clip_get_info(def->clips[first])->name, lmb_clip_get_info(def->clips[index])->name) != 0) {
        first++;
    }
    if (is_one && first == index) {
        lmb_graph_put_string(writer, lmb_clip_get_info(def->clips[index])->name);
    } else {
        lmb_graph_write_value(writer, field, target);
    }
}

static const lmb_graph_kind kind_clip = {
    read_clip, "{'anyOf':[{'type':'string'},{'type':'number','minimum':0},@value]}", write_clip};

static void read_time(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_graph_field seconds = *field;
    seconds.parameter_max = reader->longest;
    lmb_graph_read_value(reader, &seconds, value, target);
}

static const lmb_graph_kind kind_time = {read_time, "{'anyOf':[{'type':'number',$range},@value]}",
                                         lmb_graph_write_value};

// Reads the time of what keeps a state. It counts up, so its range has no end, also if a clip reads it, too.
static void read_clock(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_graph_field seconds = *field;
    seconds.parameter_max = LMB_LARGEST;
    lmb_graph_read_value(reader, &seconds, value, target);
    const lmb_value *read = (const lmb_value *)(const void *)((const char *)target + field->offset);
    const uint32_t parameter = lmb_value_reads(*read);
    if (parameter < reader->graph->def.parameter_count) {
        lmb_graph_stated *max = &reader->graph->parameters[parameter].max;
        max->value = max->at == LMB_NONE ? LMB_LARGEST : max->value;
    }
}

static const lmb_graph_kind kind_clock = {read_clock, "{'anyOf':[{'type':'number',$range},@value]}",
                                          lmb_graph_write_value};

// An input of an operation with a variable number of inputs.
typedef struct input {
    lmb_graph_fade fade;
    lmb_value weight;
    uint32_t node;
    int32_t priority;
    uint32_t mask;
    uint32_t joint_map;
    float place[2];
} input;
_Static_assert(offsetof(input, fade) == 0 && offsetof(lmb_graph_node, fade) == 0, "see read_weighed_pose()");

#define UNIT_PARAMETER .parameter_min = -1.0f, .parameter_max = 1.0f
// A parameter in it is 0 until somebody sets it, as everywhere but in factors of time: a switch is off.
#define WEIGHT_RANGE .min = 0.0f, .max = 1.0f, .parameter_min = 0.0f, .parameter_max = 1.0f

static const lmb_graph_field input_members[] = {
    {.name = "pose", .required = true, .kind = &kind_weighed_pose, .offset = INPUT(node)},
    {.name = "weight",
     .about = "Its weight; 1 by default.",
     .kind = &kind_weight,
     .offset = INPUT(weight),
     .min = 0.0f,
     .max = LMB_LARGEST,
     .parameter_max = 1.0f},
    {.name = "curve", .about = "A curve, applied to the weight.", .kind = &lmb_kind_curve, .offset = INPUT(weight)},
    LMB_COMMENT_FIELD,
};
static const lmb_graph_fields input_fields = {LMB_FIELDS("an input", input_members)};

static const lmb_graph_field layer_members[] = {
    {.name = "pose", .required = true, .kind = &kind_weighed_pose, .offset = INPUT(node)},
    {.name = "fade", .about = "Its weight; 1 by default.", .kind = &kind_weight, .offset = INPUT(weight), WEIGHT_RANGE},
    {.name = "priority",
     .about = "A whole number, 0 by default: inputs of a higher one cover those of a lower one.",
     .kind = &lmb_kind_integer,
     .offset = INPUT(priority),
     LMB_PRIORITY_RANGE},
    {.name = "curve", .about = "A curve, applied to the fade.", .kind = &lmb_kind_curve, .offset = INPUT(weight)},
    {.name = "mask", .kind = &lmb_kind_mask, .offset = INPUT(mask)},
    LMB_COMMENT_FIELD,
};
static const lmb_graph_fields layer_fields = {LMB_FIELDS("an input", layer_members)};

static const lmb_graph_field combined_members[] = {
    {.name = "pose", .required = true, .kind = &kind_pose, .offset = INPUT(node)},
    {.name = "joints",
     .about = "The joints of a small pose, in their order, or joints with the input's joint for each; by default all.",
     .kind = &lmb_kind_joint_map,
     .offset = INPUT(joint_map)},
    LMB_COMMENT_FIELD,
};
static const lmb_graph_fields combined_fields = {LMB_FIELDS("an input", combined_members)};

#define AT_FIELD(kinds)                                                                                                \
    {                                                                                                                  \
        .name = "at", .about = "The position of the input.", .required = true, .kind = kinds, .offset = INPUT(place),  \
        .what = "coordinates", .count = 2, LMB_ANY_NUMBER                                                              \
    }

static const lmb_graph_field line_members[] = {
    {.name = "pose", .required = true, .kind = &kind_pose, .offset = INPUT(node)},
    AT_FIELD(&lmb_kind_number),
    LMB_COMMENT_FIELD,
};
static const lmb_graph_fields line_fields = {LMB_FIELDS("an input", line_members)};

static const lmb_graph_field plane_members[] = {
    {.name = "pose", .required = true, .kind = &kind_pose, .offset = INPUT(node)},
    AT_FIELD(&lmb_kind_numbers),
    LMB_COMMENT_FIELD,
};
static const lmb_graph_fields plane_fields = {LMB_FIELDS("an input", plane_members)};

static input input_at(const lmb_node_def *def, uint32_t index) {
    const uint32_t weighed = index < LMB_MAX_INPUTS ? index : 0; // inputs of blend spaces have no weights
    return (input){.weight = def->weights[weighed],
                   .node = def->inputs[index],
                   .priority = def->priorities[weighed],
                   .mask = def->masks[weighed],
                   .joint_map = def->joint_maps[weighed],
                   .place = {def->positions[index][0], def->positions[index][1]}};
}

// Reads the inputs of an operation with their fields inside; the field has the min and max number of them.
static void read_inputs(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_graph_fields *fields = field->inside;
    const uint32_t most = (uint32_t)field->max;
    lmb_graph_node *node = target;
    lmb_node_def *def = &node->def;
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect_count(reader, value, (uint32_t)field->min, most, "inputs") &&
        values[value].type != LMB_JSON_ARRAY) {
        return;
    }
    const input initial = input_at(def, 0);
    def->input_count = 0;
    for (uint32_t at = value + 1; at < values[value].next && reader->result == LMB_OK; at = values[at].next) {
        input one = initial;
        if (lmb_graph_expect(reader, at, LMB_JSON_OBJECT)) {
            begin_fade(reader, fields, at, &one.fade);
            lmb_graph_read_fields(reader, fields, at, &one);
            lmb_graph_end_fade(reader, &one.fade);
        }
        if (def->input_count < LMB_MAX_INPUTS) {
            def->weights[def->input_count] = one.weight;
            def->priorities[def->input_count] = one.priority;
            def->masks[def->input_count] = one.mask;
            def->joint_maps[def->input_count] = one.joint_map;
        }
        if (def->input_count < most) {
            memcpy(def->positions[def->input_count], one.place, sizeof one.place);
            def->inputs[def->input_count++] = one.node;
        }
    }
}

static void write_inputs(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const lmb_node_def *def = &((const lmb_graph_node *)target)->def, none = lmb_default_node_def();
    const input initial = input_at(&none, 0);
    for (uint32_t i = 0; i < def->input_count; i++) {
        const input one = input_at(def, i);
        lmb_graph_put(writer, i == 0 ? "[" : ",");
        lmb_graph_write_fields(writer, field->inside, &one, &initial);
    }
    lmb_graph_put(writer, "]");
}

static const lmb_graph_kind kind_inputs = {
    read_inputs, "{'type':'array','items':$inside,'minItems':$min,'maxItems':$max}", write_inputs};

static const char *static_pose_name_at(const void *source, uint32_t index) {
    const char *name = ((const lmb_graph_source *)source)->static_poses[index].name;
    return name != NULL ? name : "";
}

uint32_t lmb_graph_find_static_pose(lmb_graph_reader *reader, uint32_t value) {
    const lmb_graph_source *source = reader->source;
    const char *name = lmb_graph_text(reader, &reader->scratch, value);
    uint32_t i = 0;
    while (name != NULL && i < source->static_pose_count &&
           (source->static_poses[i].name == NULL || strcmp(source->static_poses[i].name, name) != 0)) {
        i++;
    }
    if (name != NULL && i == source->static_pose_count) {
        lmb_graph_report_name(reader, value, "there is no static pose", name,
                              (lmb_graph_names){static_pose_name_at, source, source->static_pose_count});
    }
    lmb_pool_release(&reader->scratch, (void *)(uintptr_t)name);
    return name != NULL && i < source->static_pose_count ? i : LMB_NONE;
}

// Reads a pose buffer by its index, or a static pose of the source by its name.
static void read_given_pose(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    if (reader->json.values[value].type != LMB_JSON_STRING) {
        lmb_graph_read_integer(reader, field, value, target);
        return;
    }
    ((lmb_graph_node *)target)->def.static_pose = lmb_graph_find_static_pose(reader, value);
}

static void write_given_pose(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const lmb_static_pose_def *poses = writer->def->static_poses;
    const uint32_t index = ((const lmb_graph_node *)target)->def.static_pose;
    if (index == LMB_NONE) {
        lmb_graph_write_integer(writer, field, target);
        return;
    }
    for (uint32_t i = 0; i <= index; i++) {
        if (poses[index].name == NULL ||
            (i < index && poses[i].name != NULL && strcmp(poses[i].name, poses[index].name) == 0)) {
            lmb_graph_refuse(writer, "a static pose without a name of its own");
            return;
        }
    }
    lmb_graph_put_string(writer, poses[index].name);
}

static const lmb_graph_kind kind_given_pose = {
    read_given_pose, "{'anyOf':[{'type':'string'},{'type':'integer',$range}]}", write_given_pose};

// Finds a coordinate of an input's position. The input has not been read yet, so this returns false if the value is no
// number.
static bool find_coordinate(const lmb_json *json, uint32_t input, uint32_t axis, float *coordinate) {
    bool twice;
    if (json->values[input].type != LMB_JSON_OBJECT) {
        return false;
    }
    uint32_t value = lmb_json_member(json, input, "at", &twice);
    if (value != LMB_NONE && json->values[value].type == LMB_JSON_ARRAY && axis < json->values[value].count) {
        value = axis == 0 ? value + 1 : json->values[value + 1].next;
    }
    if (value == LMB_NONE || json->values[value].type != LMB_JSON_NUMBER) {
        return false;
    }
    *coordinate = (float)fmin(fmax(lmb_json_number(json, value), -(double)LMB_LARGEST), (double)LMB_LARGEST);
    return true;
}

// Reads a coordinate of a blend space's position. The range of a parameter is that of the inputs' positions.
static void read_coordinate(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json *json = &reader->json;
    const uint32_t axis = (uint32_t)((field->offset - NODE(def.coordinates)) / sizeof(lmb_value));
    lmb_graph_field ranged = *field;
    bool is_first = true;
    const uint32_t inputs = lmb_graph_find_member(reader, ((lmb_graph_node *)target)->object, "inputs");
    const bool has_inputs = inputs != LMB_NONE && json->values[inputs].type == LMB_JSON_ARRAY;
    for (uint32_t at = inputs + 1; has_inputs && at < json->values[inputs].next; at = json->values[at].next) {
        float coordinate;
        if (find_coordinate(json, at, axis, &coordinate)) {
            ranged.parameter_min = is_first ? coordinate : fminf(ranged.parameter_min, coordinate);
            ranged.parameter_max = is_first ? coordinate : fmaxf(ranged.parameter_max, coordinate);
            is_first = false;
        }
    }
    lmb_graph_read_value(reader, &ranged, value, target);
}

static const lmb_graph_kind kind_coordinate = {read_coordinate, "{'anyOf':[{'type':'number',$range},@value]}",
                                               lmb_graph_write_value};

uint32_t lmb_graph_add_node(lmb_graph_reader *reader, const lmb_node_def *def, uint32_t object) {
    lmb_graph_json *graph = reader->graph;
    if (graph->def.node_count == LMB_MAX_NODES) {
        if (!reader->is_full) {
            lmb_graph_report(reader, object, "more than %u operations", LMB_MAX_NODES);
        }
        reader->is_full = true;
        return 0;
    }
    uint32_t index = graph->def.node_count, names = index, comments = index;
    const char *none = NULL;
    return lmb_graph_append(reader, &reader->scratch, &reader->objects, &index, &object, sizeof object) &&
                   lmb_graph_append(reader, &graph->pool, &graph->node_names, &names, &none, sizeof none) &&
                   lmb_graph_append(reader, &graph->pool, &graph->node_comments, &comments, &none, sizeof none) &&
                   lmb_graph_append(reader, &graph->pool, &graph->nodes, &graph->def.node_count, def, sizeof *def)
               ? index - 1
               : 0;
}

static uint32_t finish_node(lmb_graph_reader *reader, const lmb_graph_node *node) {
    return lmb_graph_add_node(reader, &node->def, node->object);
}

// Warns of the form and space of an additive at a clip that is none.
static void warn_of_form(lmb_graph_reader *reader, uint32_t object) {
    static const char *const members[] = {"form", "space"};
    for (int i = 0; i < 2; i++) {
        const uint32_t at = lmb_graph_find_member(reader, object, members[i]);
        if (at != LMB_NONE) {
            lmb_graph_warn(reader, at, "a %s is for a clip with \"additive\": true, and this one has none", members[i]);
        }
    }
}

// A clip without a time gets the parameter that all such clips share, or a player's time; with "additive" it becomes an
// additive.
static uint32_t finish_clip(lmb_graph_reader *reader, const lmb_graph_node *stated) {
    lmb_graph_node taken = *stated;
    const lmb_graph_node *node = &taken;
    lmb_graph_take_part(reader, &taken);
    lmb_node_def clip = node->def;
    const bool states_time = lmb_graph_find_member(reader, node->object, "time") != LMB_NONE;
    if (lmb_graph_find_member(reader, node->object, "play") != LMB_NONE ||
        (reader->owner.name != NULL && !states_time)) {
        lmb_graph_add_player(reader, node, &clip);
    } else if (!states_time) {
        const lmb_graph_declared shared = {
            .name = "time", .initial.at = LMB_NONE, .min.at = LMB_NONE, .max.at = LMB_NONE};
        const lmb_graph_field seconds = {.parameter_max = reader->longest};
        clip.time = lmb_graph_use_parameter(reader, &shared, &seconds, node->object);
    }
    uint32_t sampled = lmb_graph_add_node(reader, &clip, node->object);
    if (!node->is_additive) {
        if (node->reference != LMB_NONE) {
            lmb_graph_report(reader, lmb_graph_find_member(reader, node->object, "reference"),
                             "a reference is for a clip with \"additive\": true");
        }
        warn_of_form(reader, node->object);
        return sampled;
    }
    lmb_node_def difference = lmb_default_node_def();
    difference.op = LMB_OP_MAKE_ADDITIVE;
    difference.form = node->def.form;
    difference.space = node->def.space;
    difference.input_count = 2;
    difference.inputs[0] = sampled;
    difference.inputs[1] = node->reference;
    if (node->reference == LMB_NONE) {
        clip.player = NULL;
        clip.time = lmb_constant(0.0f);
        clip.rate = lmb_constant(1.0f);
        clip.offset = lmb_constant(0.0f);
        difference.inputs[1] = lmb_graph_add_node(reader, &clip, node->object);
    }
    return lmb_graph_add_node(reader, &difference, node->object);
}

static const char *const forms[] = {
    [LMB_FORM_LOCAL] = "local", [LMB_FORM_PARENT] = "parent", [LMB_FORM_AFFINE] = "affine", NULL};

static const char *const spaces[] = {[LMB_SPACE_LOCAL] = "local", [LMB_SPACE_MODEL] = "model", NULL};

// Returns a node that makes an additive of those in a node, or LMB_NONE: any, or one whose form or space is not that of
// `unlike`. A difference of poses has no form of its own.
static uint32_t find_maker(const lmb_graph_json *graph, uint32_t index, const lmb_node_def *unlike) {
    const lmb_node_def *node = &graph->nodes[index];
    if (node->op == LMB_OP_MAKE_ADDITIVE) {
        // In model space the local form and that of the parent are the same.
        return unlike != NULL && node->space == unlike->space &&
                       (node->form == unlike->form || node->space == LMB_SPACE_MODEL)
                   ? LMB_NONE
                   : index;
    }
    uint32_t found = LMB_NONE;
    const bool is_difference = node->op == LMB_OP_SUBTRACT || node->op == LMB_OP_SUBTRACT_SCALE_ADD;
    for (uint32_t i = is_difference ? 2 : 0; i < node->input_count && found == LMB_NONE; i++) {
        found = find_maker(graph, node->inputs[i], unlike);
    }
    return found;
}

// Takes the form or the space of the additive if the node has none of its own; refuses another one, with which the sum
// would be another pose than that from which the additive was made.
static void take_choice(lmb_graph_reader *reader, uint32_t object, const char *field, const char *const *names,
                        unsigned made, unsigned *own) {
    const uint32_t at = lmb_graph_find_member(reader, object, field);
    if (at == LMB_NONE) {
        *own = made;
    } else if (*own != made) {
        lmb_graph_report(reader, at,
                         "%s, but what is added was made with \"%s\": \"%s\"; write that, or leave it out here",
                         names[*own], field, names[made]);
    }
}

static void take_form(lmb_graph_reader *reader, const lmb_graph_node *node, lmb_node_def *def) {
    const uint32_t maker = find_maker(reader->graph, def->inputs[1], NULL);
    if (maker == LMB_NONE) {
        return;
    }
    const lmb_node_def *made = &reader->graph->nodes[maker];
    unsigned form = def->form, space = def->space;
    take_choice(reader, node->object, "space", spaces, made->space, &space);
    def->space = (lmb_space)space;
    const bool is_any = space == LMB_SPACE_MODEL && form != LMB_FORM_AFFINE;
    take_choice(reader, node->object, "form", forms, is_any ? form : (unsigned)made->form, &form);
    def->form = (lmb_form)form;
    const uint32_t other = find_maker(reader->graph, def->inputs[1], made);
    if (other != LMB_NONE) {
        const lmb_node_def *second = &reader->graph->nodes[other];
        lmb_graph_report(reader, lmb_graph_find_member(reader, node->object, "add"),
                         "additives of form %s and space %s, and of form %s and space %s; give all the same",
                         forms[made->form], spaces[made->space], forms[second->form], spaces[second->space]);
    }
}

static uint32_t finish_additive(lmb_graph_reader *reader, const lmb_graph_node *node) {
    float weight = node->def.weight.constant;
    bool is_stated = node->def.weight.kind == LMB_VALUE_CONSTANT;
    if (is_stated && !node->def.unclamped && !(weight >= 0.0f && weight <= 1.0f)) {
        lmb_graph_report(reader, node->object, "a weight of %g is for an additive with \"unclamped\": true",
                         (double)weight);
    }
    lmb_node_def additive = node->def;
    if (reader->problem_count == 0) {
        take_form(reader, node, &additive);
    }
    return lmb_graph_add_node(reader, &additive, node->object);
}

static uint32_t finish_mirror(lmb_graph_reader *reader, const lmb_graph_node *node) {
    lmb_node_def mirror = node->def;
    mirror.mirror = lmb_graph_add_mirror(reader, node);
    return lmb_graph_add_node(reader, &mirror, node->object);
}

#define CURVE_FIELD                                                                                                    \
    { .name = "curve", .about = "A curve, applied to the weight.", .kind = &lmb_kind_curve, .offset = NODE(def.weight) }
// A weight that cannot be a fade.
#define VALUE_WEIGHT_FIELDS                                                                                            \
    {.name = "weight",                                                                                                 \
     .about = "The weight; $ by default.",                                                                             \
     .kind = &lmb_kind_value,                                                                                          \
     .offset = NODE(def.weight),                                                                                       \
     WEIGHT_RANGE},                                                                                                    \
        CURVE_FIELD
#define BLEND_FIELDS                                                                                                   \
    {.name = "weight",                                                                                                 \
     .about = "The weight; $ by default.",                                                                             \
     .kind = &kind_weight,                                                                                             \
     .offset = NODE(def.weight),                                                                                       \
     WEIGHT_RANGE},                                                                                                    \
        CURVE_FIELD
#define POSE_FIELD(key, member)                                                                                        \
    { .name = key, .required = true, .kind = &kind_pose, .offset = NODE(member) }
#define INPUTS_FIELD(fields, fewest, most)                                                                             \
    {                                                                                                                  \
        .name = "inputs", .about = "The inputs.", .required = true, .kind = &kind_inputs, .inside = &fields,           \
        .min = fewest, .max = most                                                                                     \
    }
#define MASK_FIELD(is_required)                                                                                        \
    { .name = "mask", .required = is_required, .kind = &lmb_kind_mask, .offset = NODE(def.mask) }
#define WEIGHED_POSE_FIELD(key, member)                                                                                \
    { .name = key, .required = true, .kind = &kind_weighed_pose, .offset = NODE(member) }

static const char *const mixes[] = {
    [LMB_MIX_SLERP] = "slerp", [LMB_MIX_NLERP] = "nlerp", [LMB_MIX_LERP] = "lerp", NULL};
#define LINEAR_SCALE_FIELD                                                                                             \
    {                                                                                                                  \
        .name = "linear-scale", .about = "Whether scale is blended linearly, not geometrically; false by default.",    \
        .kind = &lmb_kind_boolean, .offset = NODE(def.linear_scale)                                                    \
    }
#define MIX_FIELDS                                                                                                     \
    {.name = "interpolation",                                                                                          \
     .about = "How rotations are blended.",                                                                            \
     .kind = &lmb_kind_choice,                                                                                         \
     .offset = NODE(def.interpolation),                                                                                \
     .choices = mixes},                                                                                                \
        {.name = "shortest",                                                                                           \
         .about = "Whether rotations go the short way; true by default.",                                              \
         .kind = &lmb_kind_boolean,                                                                                    \
         .offset = NODE(def.shortest)},                                                                                \
        LINEAR_SCALE_FIELD
#define FORM_FIELDS(otherwise)                                                                                         \
    {.name = "form",                                                                                                   \
     .about = "On which side an additive is applied; " otherwise " by default.",                                       \
     .kind = &lmb_kind_choice,                                                                                         \
     .offset = NODE(def.form),                                                                                         \
     .choices = forms},                                                                                                \
    {                                                                                                                  \
        .name = "space", .about = "The axes of an additive; " otherwise " by default.", .kind = &lmb_kind_choice,      \
        .offset = NODE(def.space), .choices = spaces                                                                   \
    }
// Of what may also be subtracted.
#define SCALE_RANGE .min = -4.0f, .max = 4.0f, .parameter_max = 1.0f
#define SCALE_FIELD(kinds)                                                                                             \
    {                                                                                                                  \
        .name = "weight", .about = "The factor.", .required = true, .kind = kinds, .offset = NODE(def.weight),         \
        SCALE_RANGE                                                                                                    \
    }
#define PLACE_FIELD(key, index)                                                                                        \
    {                                                                                                                  \
        .name = key, .about = "The position, from 0 to 1.", .required = true, .kind = &lmb_kind_value,                 \
        .offset = NODE(def.coordinates) + index * sizeof(lmb_value), .max = 1.0f, .parameter_max = 1.0f                \
    }

// Reads exactly as many poses as the operation has inputs.
static void read_corners(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_node_def *def = &((lmb_graph_node *)target)->def;
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect_count(reader, value, field->count, field->count, "poses")) {
        return;
    }
    uint32_t corner = 0;
    for (uint32_t at = value + 1; at < values[value].next && reader->result == LMB_OK; at = values[at].next) {
        def->inputs[corner++] = lmb_graph_read_pose(reader, at);
    }
}

static void write_corners(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const lmb_node_def *def = &((const lmb_graph_node *)target)->def;
    for (uint32_t i = 0; i < field->count; i++) {
        lmb_graph_put(writer, i == 0 ? "[" : ",");
        lmb_graph_write_pose(writer, def->inputs[i]);
    }
    lmb_graph_put(writer, "]");
}

static const lmb_graph_kind kind_corners = {
    read_corners, "{'type':'array','items':@pose,'minItems':$count,'maxItems':$count}", write_corners};

static const lmb_graph_field clip_members[] = {
    {.name = "joint-weights",
     .about = "Weights of joints for partial, in place of the clip's own.",
     .kind = &lmb_kind_mask,
     .offset = NODE(def.joint_weights)},
    {.name = "clip",
     .about = "The name of a clip, or its index.",
     .required = true,
     .kind = &kind_clip,
     .offset = NODE(def.clip)},
    {.name = "from",
     .about = "Where the part of the clip begins, in seconds; 0 by default.",
     .kind = &lmb_kind_number,
     .offset = NODE(from),
     .max = LMB_LARGEST},
    {.name = "to",
     .about = "Where the part of the clip ends, in seconds; the end of the clip by default.",
     .kind = &lmb_kind_number,
     .offset = NODE(to),
     .max = LMB_LARGEST},
    {.name = "time", .about = "Seconds; by default the parameter time.", .kind = &kind_time, .offset = NODE(def.time)},
    {.name = "rate",
     .about = "A factor of the time; $ by default.",
     .kind = &lmb_kind_value,
     .offset = NODE(def.rate),
     .is_factor = true,
     .parameter_max = 2.0f},
    {.name = "offset", .about = "Seconds that are added to the time.", .kind = &kind_time, .offset = NODE(def.offset)},
    {.name = "loop",
     .about = "Whether the time wraps around; true by default.",
     .kind = &lmb_kind_boolean,
     .offset = NODE(def.loop)},
    {.name = "additive",
     .about = "Makes an additive of the clip; false by default.",
     .kind = &lmb_kind_boolean,
     .offset = NODE(is_additive)},
    {.name = "reference",
     .about = "The pose from which an additive is made; by default the first frame of the clip.",
     .kind = &kind_pose,
     .offset = NODE(reference)},
    FORM_FIELDS("local"),
    {.name = "play", .kind = &lmb_kind_later, .schema = "@play"},
};
#define GIVEN_POSE_FIELD                                                                                               \
    {                                                                                                                  \
        .name = "pose", .about = "The index of a pose buffer, or the name of a static pose.", .required = true,        \
        .kind = &kind_given_pose, .offset = NODE(def.pose), .max = LMB_MAX_POSES - 1                                   \
    }
static const lmb_graph_field pose_members[] = {GIVEN_POSE_FIELD};
static const lmb_graph_field override_members[] = {
    POSE_FIELD("base", def.inputs[0]),
    GIVEN_POSE_FIELD,
    VALUE_WEIGHT_FIELDS,
    MASK_FIELD(false),
};
static const lmb_graph_field blend_members[] = {
    POSE_FIELD("a", def.inputs[0]),
    WEIGHED_POSE_FIELD("b", def.inputs[1]),
    BLEND_FIELDS,
    MIX_FIELDS,
};
static const lmb_graph_field partial_members[] = {
    POSE_FIELD("a", def.inputs[0]),
    WEIGHED_POSE_FIELD("b", def.inputs[1]),
    BLEND_FIELDS,
};
static const lmb_graph_field masked_members[] = {
    POSE_FIELD("a", def.inputs[0]), WEIGHED_POSE_FIELD("b", def.inputs[1]), BLEND_FIELDS, MIX_FIELDS, MASK_FIELD(true),
};
static const lmb_graph_field weighted_members[] = {
    INPUTS_FIELD(input_fields, 2.0f, LMB_MAX_INPUTS),
    MIX_FIELDS,
};
static const lmb_graph_field weighted_matrix_members[] = {INPUTS_FIELD(input_fields, 2.0f, LMB_MAX_INPUTS)};
static const lmb_graph_field layers_members[] = {
    {.name = "threshold",
     .about = "The sum of a layer's fades from which on it covers those below it; $ by default.",
     .kind = &lmb_kind_number,
     .offset = NODE(def.threshold),
     .max = 1.0f},
    LINEAR_SCALE_FIELD,
    INPUTS_FIELD(layer_fields, 2.0f, LMB_MAX_INPUTS),
};
static const lmb_graph_field combine_members[] = {INPUTS_FIELD(combined_fields, 1.0f, LMB_MAX_INPUTS)};
#define COORDINATE_FIELD(key, index)                                                                                   \
    {                                                                                                                  \
        .name = key, .about = "The position among the inputs.", .required = true, .kind = &kind_coordinate,            \
        .offset = NODE(def.coordinates) + index * sizeof(lmb_value)                                                    \
    }

#define DISCRETE_FIELD                                                                                                 \
    {                                                                                                                  \
        .name = "discrete", .about = "Whether only the nearest input counts; false by default.",                       \
        .kind = &lmb_kind_boolean, .offset = NODE(def.discrete)                                                        \
    }

static const lmb_graph_field space1d_members[] = {
    COORDINATE_FIELD("at", 0),
    DISCRETE_FIELD,
    LINEAR_SCALE_FIELD,
    INPUTS_FIELD(line_fields, 2.0f, LMB_MAX_SPACE_INPUTS),
};
static const char *const kinds[] = {[LMB_SPACE2D_TRIANGLES] = "triangles",
                                    [LMB_SPACE2D_GRID] = "grid",
                                    [LMB_SPACE2D_FREEFORM] = "freeform",
                                    [LMB_SPACE2D_DIRECTIONAL] = "directional",
                                    NULL};
static const lmb_graph_field space2d_members[] = {
    COORDINATE_FIELD("x", 0),
    COORDINATE_FIELD("y", 1),
    {.name = "kind",
     .about = "How the inputs around the position are found.",
     .kind = &lmb_kind_choice,
     .offset = NODE(def.space2d),
     .choices = kinds},
    DISCRETE_FIELD,
    LINEAR_SCALE_FIELD,
    INPUTS_FIELD(plane_fields, 2.0f, LMB_MAX_SPACE_INPUTS),
};
static const lmb_graph_field make_additive_members[] = {
    POSE_FIELD("pose", def.inputs[0]),
    POSE_FIELD("reference", def.inputs[1]),
    FORM_FIELDS("local"),
};
static const lmb_graph_field additive_members[] = {
    POSE_FIELD("base", def.inputs[0]),
    WEIGHED_POSE_FIELD("add", def.inputs[1]),
    {.name = "weight",
     .about = "From 0 to 1, or from -4 to 4 if unclamped; $ by default.",
     .kind = &kind_weight,
     .offset = NODE(def.weight),
     SCALE_RANGE},
    CURVE_FIELD,
    MIX_FIELDS,
    FORM_FIELDS("as it was made"),
    {.name = "unclamped",
     .about = "Whether weights outside 0 to 1 are allowed; false by default.",
     .kind = &lmb_kind_boolean,
     .offset = NODE(def.unclamped)},
    MASK_FIELD(false),
};
static const lmb_graph_field sum_members[] = {
    POSE_FIELD("a", def.inputs[0]),
    POSE_FIELD("b", def.inputs[1]),
};
static const lmb_graph_field scale_members[] = {
    WEIGHED_POSE_FIELD("pose", def.inputs[0]),
    SCALE_FIELD(&kind_weight),
    MIX_FIELDS,
};
static const lmb_graph_field subtract_scale_add_members[] = {
    POSE_FIELD("a", def.inputs[0]),
    POSE_FIELD("b", def.inputs[1]),
    POSE_FIELD("base", def.inputs[2]),
    SCALE_FIELD(&lmb_kind_value),
    MIX_FIELDS,
};
static const lmb_graph_field bilinear_members[] = {
    {.name = "poses", .about = "4 poses, in the order s, t.", .required = true, .kind = &kind_corners, .count = 4},
    PLACE_FIELD("s", 0),
    PLACE_FIELD("t", 1),
    MIX_FIELDS,
};
static const lmb_graph_field trilinear_members[] = {
    {.name = "poses", .about = "8 poses, in the order s, t, u.", .required = true, .kind = &kind_corners, .count = 8},
    PLACE_FIELD("s", 0),
    PLACE_FIELD("t", 1),
    PLACE_FIELD("u", 2),
    MIX_FIELDS,
};

// The index of a point in the batch's points, as a target or a pole vector has it.
static const lmb_graph_field slot_members[] = {
    {.name = "point",
     .about = "Its index.",
     .required = true,
     .kind = &lmb_kind_integer,
     .offset = offsetof(lmb_point_slot, index),
     .max = LMB_MAX_POINTS - 1},
};
static const lmb_graph_fields slot_fields = {LMB_FIELDS("the point", slot_members)};
const lmb_graph_definition lmb_graph_operation_definitions[] = {
    {"point", "One of the character's points in the batch.", "$inside", &slot_fields}, {NULL, NULL, NULL, NULL}};

// Reads three coordinates, each a number or a parameter.
static void read_vector(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    lmb_graph_field element = *field;
    if (!lmb_graph_expect_count(reader, value, 3, 3, "coordinates")) {
        return;
    }
    for (uint32_t at = value + 1; at < values[value].next && reader->result == LMB_OK; at = values[at].next) {
        lmb_graph_read_value(reader, &element, at, target);
        element.offset += sizeof(lmb_value);
    }
}

static void write_vector(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    lmb_graph_field element = *field;
    for (uint32_t i = 0; i < 3; i++) {
        lmb_graph_put(writer, i == 0 ? "[" : ",");
        lmb_graph_write_value(writer, &element, target);
        element.offset += sizeof(lmb_value);
    }
    lmb_graph_put(writer, "]");
}

static const lmb_graph_kind kind_vector = {
    read_vector, "{'type':'array','items':{'anyOf':[{'type':'number',$range},@value]},'minItems':3,'maxItems':3}",
    write_vector};

// Reads an array of three values, or an object with the index of a point.
static void read_point(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    if (reader->json.values[value].type == LMB_JSON_OBJECT) {
        lmb_point_slot *slot = (lmb_point_slot *)(void *)((char *)target + field->slot);
        slot->in_buffer = true;
        lmb_graph_read_fields(reader, &slot_fields, value, slot);
        return;
    }
    read_vector(reader, field, value, target);
}

static void write_point(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const lmb_point_slot *slot = (const lmb_point_slot *)(const void *)((const char *)target + field->slot);
    if (slot->in_buffer) {
        lmb_graph_write_fields(writer, &slot_fields, slot, slot);
    } else {
        write_vector(writer, field, target);
    }
}

static const lmb_graph_kind kind_point = {
    read_point,
    "{'anyOf':[{'type':'array','items':{'anyOf':[{'type':'number',$range},@value]},'minItems':3,"
    "'maxItems':3},@point]}",
    write_point};

#define JOINT_FIELD(key, member, text)                                                                                 \
    { .name = key, .about = text, .required = true, .kind = &lmb_kind_joint, .offset = NODE(member) }
#define POINT_FIELD(key, member, is_required, text)                                                                    \
    {                                                                                                                  \
        .name = key, .about = text, .required = is_required, .kind = &kind_point, .offset = NODE(member),              \
        .slot = NODE(member##_slot), UNIT_PARAMETER                                                                    \
    }
#define AXIS_FIELD(key, member, text)                                                                                  \
    { .name = key, .about = text, .kind = &lmb_kind_numbers, .offset = NODE(member), .what = "coordinates" }
static const char *const ik_spaces[] = {[LMB_IK_MODEL] = "model", [LMB_IK_WORLD] = "world", NULL};
static void read_reached_parameter(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value,
                                   void *target) {
    const char *name = lmb_graph_read_name(reader, value, LMB_EMPTY_NAME);
    const lmb_graph_declared declared = {.name = name, .initial.at = LMB_NONE, .min.at = LMB_NONE, .max.at = LMB_NONE};
    const lmb_graph_field flag = {.parameter_max = 1.0f};
    (void)field;
    if (name != NULL && name[0] != '\0') {
        const lmb_value written = lmb_graph_use_parameter(reader, &declared, &flag, value);
        ((lmb_reached_slot *)target)->parameter = written.parameter;
    }
}

static void write_reached_parameter(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    (void)field;
    if (((const lmb_reached_slot *)target)->parameter != LMB_NONE) {
        lmb_graph_refuse(writer, "a parameter that a node writes");
    }
}

static const lmb_graph_kind kind_reached_parameter = {read_reached_parameter, "{'type':'string','minLength':1}",
                                                      write_reached_parameter};

static const lmb_graph_field reached_members[] = {
    {.name = "index",
     .about = "Of the word of each character that is 1 if the target is reached.",
     .required = true,
     .kind = &lmb_kind_integer,
     .offset = offsetof(lmb_reached_slot, index),
     .max = LMB_MAX_REACHED - 1},
    {.name = "parameter",
     .about = "The name of a parameter that says it in the next frame, for conditions; none by default.",
     .kind = &kind_reached_parameter},
};
static const lmb_graph_fields reached_fields = {LMB_FIELDS("where it is reported", reached_members)};

static void read_reached(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_reached_slot *slot = (lmb_reached_slot *)(void *)((char *)target + field->offset);
    slot->is_reported = true;
    if (lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        lmb_graph_read_fields(reader, &reached_fields, value, slot);
    }
}

static void write_reached(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const lmb_reached_slot *slot = (const lmb_reached_slot *)(const void *)((const char *)target + field->offset);
    if (slot->is_reported) {
        lmb_reached_slot initial;
        lmb_fields_default(&lmb_reached_slot_fields, &initial);
        lmb_graph_write_fields(writer, &reached_fields, slot, &initial);
    }
}

static const lmb_graph_kind kind_reached = {read_reached, "$inside", write_reached};

#define REACHED_FIELD(member)                                                                                          \
    {                                                                                                                  \
        .name = "reached", .about = "Where the node reports whether it reaches its target; nowhere by default.",       \
        .kind = &kind_reached, .offset = NODE(member), .inside = &reached_fields                                       \
    }
#define IK_SPACE_FIELD(member)                                                                                         \
    {                                                                                                                  \
        .name = "space", .about = "The space of targets and directions; model by default.", .kind = &lmb_kind_choice,  \
        .offset = NODE(member), .choices = ik_spaces                                                                   \
    }
// A goal is the first retarget in the base.
static uint32_t finish_two_bone(lmb_graph_reader *reader, const lmb_graph_node *node) {
    lmb_node_def def = node->def;
    const bool has_target = lmb_graph_find_member(reader, node->object, "target") != LMB_NONE;
    if (has_target == node->has_goal) {
        lmb_graph_report(reader, node->object, "\"ik-two-bone\" needs the field \"target\"%s \"goal\": true",
                         has_target ? ", not also" : " or");
    } else if (node->has_goal && reader->problem_count == 0) {
        const lmb_node_def *nodes = reader->graph->nodes;
        uint32_t at = def.inputs[0];
        while (nodes[at].op != LMB_OP_RETARGET && nodes[at].input_count > 0) {
            at = nodes[at].inputs[0];
        }
        def.goal = at;
        if (nodes[at].op != LMB_OP_RETARGET) {
            lmb_graph_report(reader, lmb_graph_find_member(reader, node->object, "goal"),
                             "there is no retarget in the base");
        }
    }
    if (reader->problem_count == 0) {
        const uint32_t joints[3] = {def.two_bone.start, def.two_bone.mid, def.two_bone.end};
        lmb_graph_take_bend(reader, node->object, "mid-axis", joints, def.two_bone.mid_axis);
    }
    return lmb_graph_add_node(reader, &def, node->object);
}

static const lmb_graph_field two_bone_members[] = {
    POSE_FIELD("base", def.inputs[0]),
    JOINT_FIELD("start", def.two_bone.start, "The first joint of the limb."),
    JOINT_FIELD("mid", def.two_bone.mid, "The joint that bends."),
    JOINT_FIELD("end", def.two_bone.end, "The joint that reaches the target."),
    POINT_FIELD("target", def.two_bone.target, false, "The target."),
    {.name = "goal",
     .about = "Whether the target is where a retarget in the base has the end.",
     .kind = &lmb_kind_boolean,
     .offset = NODE(has_goal)},
    POINT_FIELD("pole", def.two_bone.pole, false, "The direction to which the mid points; 0 is as the base bends."),
    IK_SPACE_FIELD(def.two_bone.space),
    {.name = "mid-axis",
     .about = "The axis of the mid, in its own space; 'auto' finds it.",
     .kind = &lmb_kind_bend_axis,
     .offset = NODE(def.two_bone.mid_axis),
     .what = "coordinates"},
    LMB_NUMBER_FIELD("soften", NODE(def.two_bone.soften),
                     "The share of the limb's length from which on it stretches softly; $ by default."),
    {.name = "twist",
     .about = "Turns the mid about the line from the start to the end, in radians.",
     .kind = &lmb_kind_value,
     .offset = NODE(def.two_bone.twist),
     UNIT_PARAMETER,
     .turns = 1.0f},
    REACHED_FIELD(def.two_bone.reached),
    VALUE_WEIGHT_FIELDS,
};

// Adds a joint of a chain. Parents precede their children in a rig, so descending indices lead from the joint that aims
// to its ancestors.
static void add_aim_joint(lmb_graph_reader *reader, lmb_aim_def *aim, uint32_t joint, float share, uint32_t key) {
    uint32_t place = aim->joint_count;
    if (place == LMB_MAX_AIM_JOINTS) {
        lmb_graph_report(reader, key, "more than %u joints", LMB_MAX_AIM_JOINTS);
        return;
    }
    for (; place > 0 && aim->joints[place - 1] < joint; place--) {
        aim->joints[place] = aim->joints[place - 1];
        aim->shares[place] = aim->shares[place - 1];
    }
    if (place > 0 && aim->joints[place - 1] == joint) {
        lmb_graph_report(reader, key, "given twice");
    }
    aim->joints[place] = joint;
    aim->shares[place] = share;
    aim->joint_count++;
}

// Reads the joints of a chain: an object with their shares.
static void read_aim_joints(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    const lmb_graph_field share_field = {.min = field->min, .max = field->max};
    lmb_aim_def *aim = &((lmb_graph_node *)target)->def.aim;
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return;
    }
    if (values[value].count == 0) {
        lmb_graph_report(reader, value, "there are no joints");
    }
    for (uint32_t key = value + 1; key < values[value].next && reader->result == LMB_OK; key = values[key].next) {
        const uint32_t joint = lmb_graph_find_joint(reader, key);
        float share = 0.0f;
        lmb_graph_read_plain(reader, &share_field, key + 1, &share);
        if (joint != LMB_NONE) {
            add_aim_joint(reader, aim, joint, share, key);
        }
    }
}

// Puts an object of joints with their shares.
static void put_shares(lmb_graph_writer *writer, const uint32_t *joints, const float *shares, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        lmb_graph_put(writer, i == 0 ? "{" : ",");
        lmb_graph_put_joint(writer, joints[i]);
        lmb_graph_put(writer, ":");
        lmb_graph_put_number(writer, shares[i]);
    }
    lmb_graph_put(writer, "}");
}

static void write_aim_joints(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const lmb_aim_def *aim = &((const lmb_graph_node *)target)->def.aim;
    (void)field;
    put_shares(writer, aim->joints, aim->shares, aim->joint_count);
}

#define SHARES                                                                                                         \
    "{'type':'object','additionalProperties':{'type':'number',$range},'minProperties':1,'maxProperties':$count}"
static const lmb_graph_kind kind_aim_joints = {read_aim_joints, SHARES, write_aim_joints};

static const lmb_graph_field aim_members[] = {
    POSE_FIELD("base", def.inputs[0]),
    {.name = "joints",
     .about = "Joints on one line of descent with the share of the turn for each, from 0 to 1.",
     .required = true,
     .kind = &kind_aim_joints,
     .offset = NODE(def.aim.shares)},
    POINT_FIELD("target", def.aim.target, true, "The target."),
    POINT_FIELD("pole", def.aim.pole, false, "The direction to which up points."),
    IK_SPACE_FIELD(def.aim.space),
    AXIS_FIELD("forward", def.aim.forward, "The axis that points at the target."),
    AXIS_FIELD("up", def.aim.up, "The axis that points up."),
    AXIS_FIELD("offset", def.aim.offset, "Where the axis begins, in the space of the joint."),
    {.name = "limit",
     .about = "The largest turn of a joint with the share 1, in radians.",
     .kind = &lmb_kind_number,
     .offset = NODE(def.aim.limit),
     .turns = 1.0f},
    {.name = "twist",
     .about = "Turns up beyond the pole about the line to the target, in radians.",
     .kind = &lmb_kind_value,
     .offset = NODE(def.aim.twist),
     UNIT_PARAMETER,
     .turns = 1.0f},
    REACHED_FIELD(def.aim.reached),
    VALUE_WEIGHT_FIELDS,
};

// Warns of a joint that turns by all that is left, without a limit: its ancestors then have nothing to do.
static void warn_of_shares(lmb_graph_reader *reader, const lmb_graph_node *node) {
    const lmb_aim_def *aim = &node->def.aim;
    for (uint32_t i = 0; i + 1 < aim->joint_count; i++) {
        if (aim->shares[i] == 1.0f && aim->limit >= 3.14159f) {
            const lmb_rig *rig = reader->source->rig;
            lmb_graph_warn(
                reader, lmb_graph_find_member(reader, node->object, "joints"),
                "'%.60s' comes first and takes all of the turn, so that '%.60s' never turns: the last one of "
                "the joints above has the share 1",
                lmb_rig_get_def(rig)->joints[aim->joints[i]].name,
                lmb_rig_get_def(rig)->joints[aim->joints[i + 1]].name);
            return;
        }
    }
}

static uint32_t finish_aim(lmb_graph_reader *reader, const lmb_graph_node *node) {
    const lmb_aim_def *aim = &node->def.aim;
    warn_of_shares(reader, node);
    if (aim->joint_count > 0 && aim->joints[0] < lmb_rig_get_def(reader->source->rig)->joint_count) {
        lmb_graph_check_aim(reader, node->object, aim->joints[0], aim->forward, aim->up);
    }
    return finish_node(reader, node);
}

#define FOOT(member) offsetof(lmb_foot_def, member)
#define FOOT_JOINT(key, member, text)                                                                                  \
    { .name = key, .about = text, .required = true, .kind = &lmb_kind_joint, .offset = FOOT(member) }
#define FOOT_POINT(key, member, text)                                                                                  \
    {                                                                                                                  \
        .name = key, .about = text, .required = true, .kind = &kind_point, .offset = FOOT(member),                     \
        .slot = FOOT(member##_slot), UNIT_PARAMETER                                                                    \
    }
// Reads the indices of two sync markers.
static void read_planted_markers(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_foot_def *foot = target;
    const lmb_graph_field index = {.min = field->min, .max = field->max};
    if (!lmb_graph_expect_count(reader, value, 2, 2, "sync markers")) {
        return;
    }
    const uint32_t second = reader->json.values[value + 1].next;
    lmb_graph_read_integer(reader, &index, value + 1, &foot->planted_from);
    lmb_graph_read_integer(reader, &index, second, &foot->planted_to);
}

static void write_planted_markers(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const lmb_foot_def *foot = target;
    (void)field;
    if (foot->planted_from != LMB_NONE) {
        lmb_graph_put(writer, "[");
        lmb_graph_put_integer(writer, foot->planted_from);
        lmb_graph_put(writer, ",");
        lmb_graph_put_integer(writer, foot->planted_to);
        lmb_graph_put(writer, "]");
    }
}

static const lmb_graph_kind kind_planted_markers = {
    read_planted_markers, "{'type':'array','items':{'type':'integer',$range},'minItems':2,'maxItems':2}",
    write_planted_markers};

static void read_planted_channel(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    const char *name = lmb_graph_read_name(reader, value, "a channel without a name");
    const lmb_rig *rig = reader->character != NULL ? reader->character->rig : reader->source->rig;
    if (name != NULL) {
        const uint32_t channel =
            lmb_rig_find_channel(rig, reader->character != NULL ? name : lmb_graph_resolve_joint(reader, name));
        if (channel == LMB_NONE) {
            lmb_graph_report_name(reader, value, "the rig has no float channel", name, lmb_graph_channel_names(rig));
        }
        ((lmb_foot_def *)target)->planted_channel = channel;
    }
}

static void write_planted_channel(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const lmb_foot_def *foot = target;
    (void)field;
    if (foot->planted_channel != LMB_NONE) {
        lmb_graph_put_channel(writer, foot->planted_channel, false);
    }
}

static const lmb_graph_kind kind_planted_channel = {read_planted_channel, "{'type':'string','minLength':1}",
                                                    write_planted_channel};

static const lmb_graph_field foot_members[] = {
    FOOT_JOINT("hip", hip, "The joint of the hip."),
    FOOT_JOINT("knee", knee, "The joint of the knee."),
    FOOT_JOINT("ankle", ankle, "The joint of the ankle."),
    FOOT_POINT("ground", ground, "A point of the ground under the foot."),
    FOOT_POINT("normal", normal, "The normal of the ground."),
    {.name = "knee-axis",
     .about = "The axis of the knee, in its own space; 'auto' finds it.",
     .kind = &lmb_kind_bend_axis,
     .offset = FOOT(knee_axis),
     .what = "coordinates"},
    {.name = "planted",
     .about = "Adds to the weight with which the foot is planted, from 0 to 1.",
     .kind = &lmb_kind_value,
     .offset = FOOT(planted),
     .max = 1.0f,
     .parameter_max = 1.0f},
    {.name = "planted-markers",
     .about = "The indices of two sync markers between which the foot is planted.",
     .kind = &kind_planted_markers,
     .offset = FOOT(planted_from)},
    {.name = "planted-channel",
     .about = "The float channel that is above 1/2 in a clip while it plants the foot.",
     .kind = &kind_planted_channel},
};
static const lmb_graph_fields foot_fields = {LMB_FIELDS_OF(foot, 0, "a foot", foot_members)};

static void read_feet(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    lmb_feet_def *feet = &((lmb_graph_node *)target)->def.feet;
    if (!lmb_graph_expect_count(reader, value, 1, field->count, "feet")) {
        return;
    }
    for (uint32_t at = value + 1; at < values[value].next && reader->result == LMB_OK; at = values[at].next) {
        if (lmb_graph_expect(reader, at, LMB_JSON_OBJECT)) {
            lmb_foot_def *foot = &feet->feet[feet->foot_count++];
            lmb_graph_read_fields(reader, field->inside, at, foot);
            if (reader->problem_count == 0) {
                const uint32_t joints[3] = {foot->hip, foot->knee, foot->ankle};
                lmb_graph_take_bend(reader, at, "knee-axis", joints, foot->knee_axis);
            }
        }
    }
}

static void write_feet(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const lmb_feet_def *feet = &((const lmb_graph_node *)target)->def.feet;
    const lmb_feet_def initial = lmb_default_node_def().feet;
    for (uint32_t i = 0; i < feet->foot_count; i++) {
        lmb_graph_put(writer, i == 0 ? "[" : ",");
        lmb_graph_write_fields(writer, field->inside, &feet->feet[i], &initial.feet[i]);
    }
    lmb_graph_put(writer, "]");
}

static const lmb_graph_kind kind_feet = {read_feet, "{'type':'array','items':$inside,'minItems':1,'maxItems':$count}",
                                         write_feet};

#define SPEED_FIELD(key, member, text)                                                                                 \
    {                                                                                                                  \
        .name = key, .about = text, .kind = &lmb_kind_value, .offset = NODE(member), .is_factor = true,                \
        .parameter_max = 4.0f                                                                                          \
    }

static const lmb_graph_field feet_members[] = {
    POSE_FIELD("base", def.inputs[0]),
    JOINT_FIELD("pelvis", def.feet.pelvis, "The joint of the pelvis."),
    {.name = "feet",
     .about = "The feet, 1 to 4.",
     .required = true,
     .kind = &kind_feet,
     .inside = &foot_fields,
     .count = LMB_MAX_FEET},
    AXIS_FIELD("up", def.feet.up, "The direction up."),
    LMB_NUMBER_FIELD("max-lowering", NODE(def.feet.max_lowering), "How far the pelvis goes down at most."),
    {.name = "max-angle",
     .about = "How far a foot turns at most, in radians.",
     .kind = &lmb_kind_number,
     .offset = NODE(def.feet.max_angle),
     .turns = 1.0f},
    LMB_NUMBER_FIELD("soften", NODE(def.feet.soften),
                     "The share of the leg's length from which on it stretches softly; $ by default."),
    IK_SPACE_FIELD(def.feet.space),
    SPEED_FIELD("speed", def.feet.speed, "The speed of the character."),
    SPEED_FIELD("clip-speed", def.feet.clip_speed, "The speed of the clip."),
    POINT_FIELD("direction", def.feet.direction, false, "The direction of the steps."),
    {.name = "time", .about = "Seconds, for locks and smoothing.", .kind = &kind_clock, .offset = NODE(def.feet.time)},
    LMB_NUMBER_FIELD("lock-distance", NODE(def.feet.lock_distance),
                     "The distance at which a locked foot comes free; 0 locks none."),
    LMB_NUMBER_FIELD("release-half-life", NODE(def.feet.release_half_life),
                     "Seconds in which half of the displacement of a lock decays."),
    LMB_NUMBER_FIELD("ground-half-life", NODE(def.feet.ground_half_life),
                     "Seconds in which half of the way to the ground is gone."),
    LMB_NUMBER_FIELD("pelvis-half-life", NODE(def.feet.pelvis_half_life),
                     "Seconds in which half of the way of the pelvis is gone."),
    LMB_NUMBER_FIELD("teleport", NODE(def.feet.teleport), "The jump of the pelvis after which everything begins anew."),
    VALUE_WEIGHT_FIELDS,
};

// Reads the helpers of a twist: an object with their shares.
static void read_helpers(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    const lmb_graph_field share_field = {.min = field->min, .max = field->max};
    lmb_twist_def *twist = &((lmb_graph_node *)target)->def.twist;
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return;
    }
    if (values[value].count == 0 || values[value].count > field->count) {
        lmb_graph_report(reader, value, "%u joints, 1 to %u were expected", (unsigned)values[value].count,
                         (unsigned)field->count);
        return;
    }
    for (uint32_t key = value + 1; key < values[value].next && reader->result == LMB_OK; key = values[key].next) {
        const uint32_t place = twist->joint_count++;
        twist->joints[place] = lmb_graph_find_joint(reader, key);
        lmb_graph_read_plain(reader, &share_field, key + 1, &twist->shares[place]);
    }
}

static void write_helpers(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const lmb_twist_def *twist = &((const lmb_graph_node *)target)->def.twist;
    (void)field;
    put_shares(writer, twist->joints, twist->shares, twist->joint_count);
}

static const lmb_graph_kind kind_helpers = {read_helpers, SHARES, write_helpers};

static const lmb_graph_field twist_members[] = {
    POSE_FIELD("base", def.inputs[0]),
    JOINT_FIELD("source", def.twist.source, "The joint whose twist is shared."),
    {.name = "joints",
     .about = "Helper joints with their shares of the twist, from -1 to 1.",
     .required = true,
     .kind = &kind_helpers,
     .offset = NODE(def.twist.shares)},
    AXIS_FIELD("axis", def.twist.axis, "The axis of the twist, in the space of the source."),
    VALUE_WEIGHT_FIELDS,
};

// A capsule has the other end, "tail".
static void read_tail(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    ((lmb_collider_def *)target)->is_capsule = true;
    lmb_graph_read_floats(reader, field, value, target);
}

static void write_tail(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    if (((const lmb_collider_def *)target)->is_capsule) {
        lmb_graph_write_numbers(writer, field, target);
    }
}

static const lmb_graph_kind kind_tail = {
    read_tail, "{'type':'array','items':{'type':'number',$range},'minItems':3,'maxItems':3}", write_tail};

#define COLLIDER(member) offsetof(lmb_collider_def, member)
static const lmb_graph_field collider_members[] = {
    {.name = "joint",
     .about = "The joint with which it moves.",
     .required = true,
     .kind = &lmb_kind_joint,
     .offset = COLLIDER(joint)},
    {.name = "radius", .about = "The radius.", .required = true, .kind = &lmb_kind_number, .offset = COLLIDER(radius)},
    {.name = "offset",
     .about = "The centre, or one end of a capsule, along the axes of the joint.",
     .kind = &lmb_kind_numbers,
     .offset = COLLIDER(offset),
     .what = "coordinates"},
    {.name = "tail",
     .about = "The other end of a capsule.",
     .kind = &kind_tail,
     .offset = COLLIDER(tail),
     .what = "coordinates"},
};
static const lmb_graph_fields collider_fields = {LMB_FIELDS_OF(collider, 0, "a collider", collider_members)};

static void read_colliders(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_chain_def *chain = &((lmb_graph_node *)target)->def.chain;
    const lmb_collider_def initial = lmb_default_collider_def();
    chain->colliders = lmb_graph_read_objects(reader, &reader->graph->pool, field, value, sizeof initial, &initial,
                                              &chain->collider_count);
}

static void write_colliders(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const lmb_chain_def *chain = &((const lmb_graph_node *)target)->def.chain;
    const lmb_collider_def initial = lmb_default_collider_def();
    for (uint32_t i = 0; i < chain->collider_count; i++) {
        lmb_graph_put(writer, i == 0 ? "[" : ",");
        lmb_graph_write_fields(writer, field->inside, &chain->colliders[i], &initial);
    }
    lmb_graph_put(writer, chain->collider_count > 0 ? "]" : "");
}

static const lmb_graph_kind kind_colliders = {
    read_colliders, "{'type':'array','items':$inside,'minItems':1,'maxItems':$count}", write_colliders};

// Numbers of bones in a chain, and after the pointer how many there are.
typedef struct bone_numbers {
    const float *numbers;
    uint32_t count;
} bone_numbers;

#define IS_BONE_NUMBERS(list, number)                                                                                  \
    (offsetof(lmb_chain_def, number) ==                                                                                \
     offsetof(lmb_chain_def, list) + offsetof(bone_numbers, count) - offsetof(bone_numbers, numbers))
_Static_assert(IS_BONE_NUMBERS(radii, radius_count) && IS_BONE_NUMBERS(weights, weight_count), "see bone_numbers");

static void read_bone_numbers(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    bone_numbers *list = (bone_numbers *)(void *)((char *)target + field->offset);
    if (!lmb_graph_expect_count(reader, value, 1, field->count, field->name)) {
        return;
    }
    float *numbers = lmb_graph_allocate(reader, &reader->graph->pool, values[value].count, sizeof *numbers);
    const lmb_graph_field each = {.max = field->max};
    for (uint32_t at = value + 1; numbers != NULL && at < values[value].next; at = values[at].next) {
        lmb_graph_read_plain(reader, &each, at, &numbers[list->count++]);
    }
    list->numbers = numbers;
}

static void write_bone_numbers(lmb_graph_writer *writer, const lmb_graph_field *field, const void *target) {
    const bone_numbers *list = (const bone_numbers *)(const void *)((const char *)target + field->offset);
    for (uint32_t i = 0; i < list->count; i++) {
        lmb_graph_put(writer, i == 0 ? "[" : ",");
        lmb_graph_put_number(writer, list->numbers[i]);
    }
    lmb_graph_put(writer, list->count > 0 ? "]" : "");
}

static const lmb_graph_kind kind_bone_numbers = {
    read_bone_numbers, "{'type':'array','items':{'type':'number',$range},'minItems':1,'maxItems':$count}",
    write_bone_numbers};

static const lmb_graph_field chain_members[] = {
    POSE_FIELD("base", def.inputs[0]),
    JOINT_FIELD("start", def.chain.start, "The first joint that turns."),
    JOINT_FIELD("end", def.chain.end, "The joint at the end of the last bone."),
    {.name = "time",
     .about = "Seconds, which the host advances.",
     .required = true,
     .kind = &kind_clock,
     .offset = NODE(def.chain.time)},
    {.name = "velocity",
     .about = "The velocity of the character: x, y and z.",
     .kind = &kind_vector,
     .offset = NODE(def.chain.velocity),
     UNIT_PARAMETER},
    {.name = "gravity",
     .about = "The acceleration of gravity.",
     .kind = &lmb_kind_numbers,
     .offset = NODE(def.chain.gravity),
     .what = "coordinates"},
    LMB_NUMBER_FIELD("stiffness", NODE(def.chain.stiffness), "The frequency of the springs, in Hz."),
    LMB_NUMBER_FIELD("damping", NODE(def.chain.damping), "The damping, per second."),
    LMB_NUMBER_FIELD("teleport", NODE(def.chain.teleport), "The jump after which the chain begins anew."),
    {.name = "colliders",
     .about = "Spheres and capsules on joints, out of which the chain is pushed.",
     .kind = &kind_colliders,
     .what = "colliders",
     .inside = &collider_fields,
     .count = LMB_MAX_CHAIN_COLLIDERS},
    {.name = "radii",
     .about = "The radii of the ends of the bones, or one for all.",
     .kind = &kind_bone_numbers,
     .offset = NODE(def.chain.radii),
     .count = LMB_MAX_CHAIN_BONES,
     .max = 0x1p20f},
    {.name = "weights",
     .about = "The weights of the joints, or one for all; 1 by default.",
     .kind = &kind_bone_numbers,
     .offset = NODE(def.chain.weights),
     .count = LMB_MAX_CHAIN_BONES,
     .max = 1.0f},
    VALUE_WEIGHT_FIELDS,
};

static const char *const axes[] = {"x", "y", "z", NULL};
static const lmb_graph_field mirror_members[] = {
    POSE_FIELD("pose", def.inputs[0]),
    {.name = "axis",
     .about = "The axis across the plane of the mirror.",
     .required = true,
     .kind = &lmb_kind_choice,
     .offset = NODE(mirror.axis),
     .choices = axes},
    {.name = "partners", .about = "Pairs of joints; by default found by their names.", .kind = &lmb_kind_partners},
    {.name = "channels",
     .about = "Pairs of channels, with a sign where they need one; by default found by their names.",
     .kind = &lmb_kind_channel_partners},
};

static const lmb_graph_field clamp_members[] = {
    POSE_FIELD("pose", def.inputs[0]),
    {.name = "joint-limits",
     .about = "The limits of joints and channels.",
     .required = true,
     .kind = &lmb_kind_limits,
     .offset = NODE(def.joint_limits)},
};

// `from`, `joints`, the reference poses and the pose, whose clips are of another character, are read after everything
// else.
static const lmb_graph_field retarget_members[] = {
    {.name = "from",
     .about = "The name of the other character.",
     .required = true,
     .kind = &lmb_kind_later,
     .schema = "{'type':'string'}"},
    {.name = "pose",
     .about = "A pose whose clips are those of the other character.",
     .required = true,
     .kind = &lmb_kind_later,
     .schema = "@pose"},
    {.name = "joints",
     .about = "Joints of the rig with the other character's joint for each; by default those of the same name.",
     .kind = &lmb_kind_later,
     .schema = "{'type':'object','additionalProperties':{'type':'string'}}"},
    {.name = "source-pose", .kind = &lmb_kind_later, .schema = "@reference-pose"},
    {.name = "target-pose", .kind = &lmb_kind_later, .schema = "@reference-pose"},
    {.name = "foot",
     .about = "A joint, whose leg gives the scale of the root.",
     .kind = &lmb_kind_joint,
     .offset = NODE(retarget.foot)},
    {.name = "not-aligned", .about = "Joints whose bones keep their directions.", .kind = &lmb_kind_not_aligned},
    {.name = "align-above",
     .about = "The angle above which a bone takes the direction of the source, in radians.",
     .kind = &lmb_kind_number,
     .offset = NODE(retarget.align_above),
     .turns = 1.0f},
    {.name = "scales",
     .about = "Joints with factors of their translations.",
     .kind = &lmb_kind_scales,
     .max = 1048576.0f},
    LMB_NUMBER_FIELD("root-scale", NODE(retarget.root_scale), "A factor of the translation of the root; 0 finds it."),
    {.name = "turn",
     .about = "A rotation of the other character: x, y, z and w.",
     .kind = &lmb_kind_numbers,
     .offset = NODE(retarget.turn),
     .what = "coordinates",
     LMB_ANY_NUMBER},
};

static const lmb_graph_field machine_members[] = {
    {.name = "name", .about = "The name of the machine.", .kind = &lmb_kind_later, .schema = "@name"},
    {.name = "states",
     .about = "The states.",
     .required = true,
     .kind = &lmb_kind_later,
     .schema = "{'type':'array','items':@state,'minItems':1,'maxItems':$count}",
     .count = LMB_MAX_STATES},
    {.name = "initial",
     .about = "The name of the state with which the machine begins; by default the first.",
     .kind = &lmb_kind_later,
     .schema = "@name"},
    {.name = "any",
     .about = "Transitions that leave every state.",
     .kind = &lmb_kind_later,
     .schema = "{'type':'array','items':@transition}"},
    {.name = "fade",
     .about = "Seconds of the transitions that state none; 0.2 by default.",
     .kind = &lmb_kind_later,
     .schema = "{'type':'number',$range}",
     .max = LMB_MAX_CONTROL_SECONDS},
    {.name = "curve",
     .about = "The curve of the transitions that state none; smoothstep by default.",
     .kind = &lmb_kind_later,
     .schema = "@curve"},
    {.name = "matching",
     .about = "Motion matching: searches say which of the first states plays, and from where.",
     .kind = &lmb_kind_later,
     .schema = "@matching"},
    LINEAR_SCALE_FIELD,
};

// ---- The table of operations.

#define FIELDS(members)                                                                                                \
    { LMB_FIELDS_OF(node, NODE(def), NULL, members) }
#define RETARGET_FIELDS                                                                                                \
    { LMB_FIELDS_OF(retarget, NODE(retarget), NULL, retarget_members) }

// The affine form has no model space.
#define NO_AFFINE_MODEL                                                                                                \
    "'not':{'required':['form','space'],'properties':{'form':{'const':'affine'},'space':{'const':'model'}}}"

const lmb_graph_operation lmb_graph_operations[LMB_OP_COUNT] = {
    {"rest", "Gives the rest pose of the rig.", LMB_OP_REST, 0, {.count = 0}, finish_node, NULL},
    {"clip", "Samples a clip at a time, or plays it.", LMB_OP_CLIP, 0, FIELDS(clip_members), finish_clip,
     "'dependencies':{'play':{'not':{'anyOf':[{'required':['time']},{'required':['rate']},"
     "{'required':['offset']},{'required':['loop']}]}},"
     "'reference':{'required':['additive'],'properties':{'additive':{'const':true}}}}," NO_AFFINE_MODEL},
    {"pose",
     "Reads a pose that the host made: from a pose buffer of the batch, one pose for each character, or a static pose "
     "of the graph.",
     LMB_OP_POSE, 0, FIELDS(pose_members), finish_node, NULL},
    {"blend", "Blends from a to b by one weight.", LMB_OP_BLEND, 2, FIELDS(blend_members), finish_node, NULL},
    {"masked", "A blend with a weight for each joint: Unreal's layered blend per bone, with a mask.", LMB_OP_MASKED, 2,
     FIELDS(masked_members), finish_node, NULL},
    {"weighted", "Blends any number of poses by weights that need not sum to 1.", LMB_OP_WEIGHTED, 0,
     FIELDS(weighted_members), finish_node, NULL},
    {"weighted-matrix", "Blends the joints' local matrices element by element, as some engines do.",
     LMB_OP_WEIGHTED_MATRIX, 0, FIELDS(weighted_matrix_members), finish_node, NULL},
    {"layers",
     "Stacks poses by priority; each layer covers those below it by its fade, as the layers of Unity's legacy "
     "animation.",
     LMB_OP_LAYERS, 0, FIELDS(layers_members), finish_node, NULL},
    {"combine", "Takes each joint from the last input that has it.", LMB_OP_COMBINE, 0, FIELDS(combine_members),
     finish_node, NULL},
    {"space1d", "Blends the two inputs next to a position on a line: a 1D blend space.", LMB_OP_SPACE1D, 0,
     FIELDS(space1d_members), finish_node, NULL},
    {"space2d", "Blends the inputs around a point in the plane: a 2D blend space.", LMB_OP_SPACE2D, 0,
     FIELDS(space2d_members), finish_node, NULL},
    {"make-additive", "Makes the additive that turns a reference into a pose.", LMB_OP_MAKE_ADDITIVE, 2,
     FIELDS(make_additive_members), finish_node, NO_AFFINE_MODEL},
    {"partial", "Blends b over a where both have a joint; elsewhere it takes the one that has it.", LMB_OP_PARTIAL, 2,
     FIELDS(partial_members), finish_node, NULL},
    {"additive", "Adds an additive to a base by a weight.", LMB_OP_ADDITIVE, 2, FIELDS(additive_members),
     finish_additive,
     NO_AFFINE_MODEL ",'if':{'not':{'required':['unclamped'],'properties':{'unclamped':{'const':true}}}},"
                     "'then':{'properties':{'weight':{'minimum':0,'maximum':1}}}"},
    {"add", "Adds b to a: translations add, rotations and scales multiply.", LMB_OP_ADD, 2, FIELDS(sum_members),
     finish_node, NULL},
    {"subtract", "Subtracts b from a: the inverse of add.", LMB_OP_SUBTRACT, 2, FIELDS(sum_members), finish_node, NULL},
    {"scale", "Makes a pose or an additive smaller or larger, or reverses it.", LMB_OP_SCALE, 1, FIELDS(scale_members),
     finish_node, NULL},
    {"subtract-scale-add", "Computes w (a - b) + base: a turn of the body, for instance.", LMB_OP_SUBTRACT_SCALE_ADD, 3,
     FIELDS(subtract_scale_add_members), finish_node, NULL},
    {"bilinear", "Blends four poses at the corners of a square.", LMB_OP_BILINEAR, 4, FIELDS(bilinear_members),
     finish_node, NULL},
    {"trilinear", "Blends eight poses at the corners of a cube.", LMB_OP_TRILINEAR, 8, FIELDS(trilinear_members),
     finish_node, NULL},
    {"mirror", "Mirrors a pose across a plane, and swaps left and right.", LMB_OP_MIRROR, 1, FIELDS(mirror_members),
     finish_mirror, NULL},
    {"clamp", "Clamps each joint to its joint limits.", LMB_OP_CLAMP, 1, FIELDS(clamp_members), finish_node, NULL},
    {"override", "Takes joints from a pose buffer, such as that of a ragdoll, each with a weight of its own.",
     LMB_OP_OVERRIDE, 1, FIELDS(override_members), finish_node, NULL},
    {"ik-two-bone",
     "Turns two joints of a limb so that a third one reaches a target: inverse kinematics with two bones.",
     LMB_OP_IK_TWO_BONE, 1, FIELDS(two_bone_members), finish_two_bone,
     "'oneOf':[{'required':['target'],'properties':{'goal':{'const':false}}},"
     "{'required':['goal'],'properties':{'goal':{'const':true}},'not':{'required':['target']}}]"},
    {"ik-aim",
     "Turns a joint, and ancestors that help, so that an axis of the joint points at a target: a head that looks, a "
     "hand that aims.",
     LMB_OP_IK_AIM, 1, FIELDS(aim_members), finish_aim, NULL},
    {"foot-placement", "Puts feet on uneven ground: lowers the pelvis, bends the legs and turns the feet to the slope.",
     LMB_OP_FOOT_PLACEMENT, 1, FIELDS(feet_members), finish_node, NULL},
    {"twist",
     "Gives helper joints a share of the twist of another joint, as Unity's Twist Correction and Unreal's twist joints "
     "do.",
     LMB_OP_TWIST, 1, FIELDS(twist_members), finish_node, NULL},
    {"chain", "Lets a chain of joints swing after its animation: a tail, hair, an antenna, a strap.", LMB_OP_CHAIN, 1,
     FIELDS(chain_members), finish_node, NULL},
    {"retarget",
     "Plays clips and poses of another character: each joint turns as much as its joint of the source, since the pose "
     "at rest.",
     LMB_OP_RETARGET, 1, RETARGET_FIELDS, lmb_graph_add_retarget, NULL},
    {"machine", "A state machine: the weighted blend of the poses of its states.", LMB_OP_MACHINE, 0,
     FIELDS(machine_members), lmb_graph_add_machine, NULL},
};

static const char *operation_name_at(const void *none, uint32_t index) {
    (void)none;
    return lmb_graph_operations[index].name;
}

// Nodes of engines, and the operation that is the same here.
static const char *const foreign_operations[][2] = {{"blendTree", "\"space1d\" or \"space2d\""},
                                                    {"BlendSpacePlayer", "\"space1d\" or \"space2d\""},
                                                    {"blendSpace", "\"space1d\" or \"space2d\""},
                                                    {"BlendSpace1D", "\"space1d\""},
                                                    {"BlendSpace2D", "\"space2d\""},
                                                    {"AnimSequencePlayer", "\"clip\" with \"play\": true"},
                                                    {"SequencePlayer", "\"clip\" with \"play\": true"},
                                                    {"StateMachine", "\"machine\""},
                                                    {"TwoBoneIK", "\"ik-two-bone\""},
                                                    {"LookAt", "\"ik-aim\""}};

// Returns the operation of this library that a node of another engine is, or NULL.
static const char *find_foreign(const lmb_graph_reader *reader, uint32_t value) {
    const char *found = NULL;
    for (size_t i = 0; i < sizeof foreign_operations / sizeof *foreign_operations; i++) {
        found = lmb_graph_is_text(reader, value, foreign_operations[i][0]) ? foreign_operations[i][1] : found;
    }
    return found;
}

static const lmb_graph_operation *find_operation(lmb_graph_reader *reader, uint32_t object) {
    bool twice;
    uint32_t value = lmb_json_member(&reader->json, object, "op", &twice);
    if (value == LMB_NONE) {
        lmb_graph_report(reader, object,
                         object == 0 ? "a pose needs the field \"op\"" : "a pose needs the field \"op\" or \"use\"");
        return NULL;
    }
    if (twice) {
        lmb_graph_report(reader, value, "given twice");
    }
    if (!lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        return NULL;
    }
    for (size_t i = 0; i < LMB_OP_COUNT; i++) {
        if (lmb_graph_is_text(reader, value, lmb_graph_operations[i].name)) {
            return &lmb_graph_operations[i];
        }
    }
    if (lmb_graph_is_text(reader, value, "fade")) {
        lmb_graph_report(reader, value, "a fade is no operation, but the weight of one: %s", LMB_GRAPH_FADE_FORM);
    } else if (find_foreign(reader, value) != NULL) {
        lmb_graph_report(reader, value, "there is no such operation: here it is %s", find_foreign(reader, value));
    } else {
        char message[LMB_GRAPH_MESSAGE_SIZE] = "there is no such operation";
        lmb_graph_add_nearest(reader, value, message, sizeof message,
                              (lmb_graph_names){operation_name_at, NULL, LMB_OP_COUNT});
        lmb_graph_report(reader, value, "%s", message);
    }
    return NULL;
}

const lmb_graph_field lmb_graph_node_members[LMB_GRAPH_NODE_FIELDS] = {
    {.name = "name", .about = "A name, which has no effect.", .kind = &lmb_kind_text, .offset = NODE(name)},
    {.name = "comment", .about = "A comment, which has no effect.", .kind = &lmb_kind_text, .offset = NODE(comment)},
};
static const lmb_graph_fields described = {LMB_FIELDS("a pose", lmb_graph_node_members)};

// Reads a name or a comment at its first key.
static bool read_node_member(lmb_graph_reader *reader, uint32_t key, uint32_t object, lmb_graph_node *node) {
    for (int i = 0; i < LMB_GRAPH_NODE_FIELDS; i++) {
        const lmb_graph_field *field = &lmb_graph_node_members[i];
        if (!lmb_graph_is_text(reader, key, field->name)) {
            continue;
        }
        if (lmb_graph_find_member(reader, object, field->name) != key + 1) {
            lmb_graph_report(reader, key, "given twice");
        } else {
            field->kind->read(reader, field, key + 1, node);
        }
        return true;
    }
    return false;
}

static bool read_other(lmb_graph_reader *reader, uint32_t key, uint32_t object, void *target) {
    return lmb_graph_is_text(reader, key, "op") || read_node_member(reader, key, object, target) ||
           reader->read_root_member(reader, key, object);
}

// Keeps the name and the comment of a pose.
static uint32_t describe(lmb_graph_reader *reader, const lmb_graph_node *node, uint32_t index) {
    lmb_graph_json *graph = reader->graph;
    if (index < graph->def.node_count && reader->objects[index] == node->object) {
        graph->node_names[index] = node->name;
        graph->node_comments[index] = node->comment;
    }
    return index;
}

static uint32_t read_operation(lmb_graph_reader *reader, uint32_t value) {
    const lmb_graph_operation *operation = find_operation(reader, value);
    if (operation == NULL) {
        return 0;
    }
    lmb_graph_node node = {.def = lmb_default_node_def(),
                           .object = value,
                           .to = INFINITY,
                           .reference = LMB_NONE,
                           .retarget = lmb_default_retarget_def()};
    node.def.op = operation->op;
    node.def.input_count = operation->input_count;
    node.def.loop = true;
    char what[40];
    snprintf(what, sizeof what, "\"%s\"", operation->name);
    lmb_graph_fields fields = operation->fields;
    fields.what = what;
    fields.read_other = read_other;
    begin_fade(reader, &fields, value, &node.fade);
    lmb_graph_read_fields(reader, &fields, value, &node);
    lmb_graph_end_fade(reader, &node.fade);
    if (node.def.form == LMB_FORM_AFFINE && node.def.space == LMB_SPACE_MODEL) {
        lmb_graph_report(reader, value, "the affine form has no model space");
    }
    return describe(reader, &node, operation->finish(reader, &node));
}

uint32_t lmb_graph_read_pose_or_use(lmb_graph_reader *reader, uint32_t value, uint32_t *use) {
    *use = LMB_NONE;
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return 0;
    }
    if (value != 0 && lmb_graph_find_member(reader, value, "use") != LMB_NONE) {
        return lmb_graph_read_use(reader, value, use);
    }
    if (reader->pose_depth == LMB_GRAPH_POSE_DEPTH) {
        lmb_graph_report(reader, value, "more than %u nested poses, those of definitions included",
                         LMB_GRAPH_POSE_DEPTH);
        return 0;
    }
    reader->pose_depth++;
    const uint32_t node = read_operation(reader, value);
    reader->pose_depth--;
    return node;
}

uint32_t lmb_graph_read_pose(lmb_graph_reader *reader, uint32_t value) {
    uint32_t use;
    return lmb_graph_read_pose_or_use(reader, value, &use);
}

// The first retarget in the base of a node has the goal.
static bool has_first_goal(const lmb_graph_def *def, const lmb_node_def *node) {
    uint32_t at = node->inputs[0];
    while (def->nodes[at].op != LMB_OP_RETARGET && def->nodes[at].input_count > 0) {
        at = def->nodes[at].inputs[0];
    }
    return at == node->goal;
}

// A goal replaces the target.
static void set_goal(lmb_graph_writer *writer, lmb_graph_node *node, const lmb_graph_node *initial) {
    node->has_goal = true;
    memcpy(node->def.two_bone.target, initial->def.two_bone.target, sizeof node->def.two_bone.target);
    node->def.two_bone.target_slot = initial->def.two_bone.target_slot;
    if (!has_first_goal(writer->def, &node->def)) {
        lmb_graph_refuse(writer, "a goal of another retarget than the first in the base");
    }
}

// Returns what the reader begins with. Fields that must be stated, though others may take their place, have no default.
static lmb_graph_node initial_node(void) {
    lmb_graph_node initial = {.def = lmb_default_node_def(), .to = INFINITY, .reference = LMB_NONE};
    initial.def.loop = true;
    initial.def.time = lmb_constant(NAN);
    initial.def.two_bone.target[0] = lmb_constant(NAN);
    return initial;
}

// Names the clip of which a node plays a part, if it plays one.
static void set_part(const lmb_graph_def *def, lmb_graph_node *node) {
    for (uint32_t i = 0; i < def->clip_origin_count; i++) {
        const lmb_clip_origin *origin = &def->clip_origins[i];
        if (node->def.clip.kind == LMB_VALUE_CONSTANT && node->def.clip.curve == LMB_CURVE_LINEAR &&
            node->def.clip.constant == (float)origin->clip) {
            node->def.clip = lmb_constant((float)origin->of);
            node->from = origin->start;
            node->to = origin->end;
            return;
        }
    }
}

void lmb_graph_write_operation(lmb_graph_writer *writer, uint32_t index) {
    const lmb_graph_def *def = writer->def;
    const uint32_t around = writer->node;
    const lmb_graph_operation *operation = lmb_graph_operations;
    bool is_first = false;
    writer->node = index;
    writer->depth++;
    if (++writer->written > def->node_count || writer->depth > MOST_WRITTEN_DEPTH) {
        lmb_graph_refuse(writer, "poses that are nested so deep");
        return;
    }
    while (operation->op != def->nodes[index].op) {
        operation++;
    }
    lmb_graph_node node = {
        .def = def->nodes[index],
        .name = def->node_names != NULL && !lmb_graph_names_definition(writer, index) ? def->node_names[index] : NULL,
        .comment = def->node_comments != NULL ? def->node_comments[index] : NULL,
        .to = INFINITY,
        .reference = LMB_NONE};
    const lmb_graph_node initial = initial_node();
    if (operation->op == LMB_OP_IK_TWO_BONE && node.def.goal != LMB_NONE) {
        set_goal(writer, &node, &initial);
    } else if (operation->op == LMB_OP_CLIP) {
        set_part(def, &node);
    } else if (operation->op == LMB_OP_MIRROR) {
        node.mirror = def->mirrors[node.def.mirror];
    }
    lmb_graph_put(writer, "{\"op\":");
    lmb_graph_put_string(writer, operation->name);
    lmb_graph_write_members(writer, &described, &node, &initial, &is_first);
    if (index == def->node_count - 1) {
        lmb_graph_put_root(writer, &is_first);
    }
    lmb_graph_write_members(writer, &operation->fields, &node, &initial, &is_first);
    if (index == def->node_count - 1) {
        lmb_graph_put_definitions(writer);
    }
    lmb_graph_put(writer, "}");
    writer->depth--;
    writer->node = around;
}

void lmb_graph_write_pose(lmb_graph_writer *writer, uint32_t index) {
    if (writer->shared[index].uses > 1) {
        lmb_graph_put_use(writer, index);
    } else {
        lmb_graph_write_operation(writer, index);
    }
}
