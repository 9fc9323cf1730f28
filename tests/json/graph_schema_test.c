// The JSON schema of graphs: it is the one in docs, accepts every graph of the samples and the manual, and agrees with
// the reader about graphs with one change. Graphs that are written fit it and are read as the same. A small validator
// of draft 7 knows the keywords that the schema uses.
#include "failing_host.h"
#include "json_tree.h"

#include <dirent.h>
#include <limber/graph_json.h>
#include <mannequin.h>
#include <stdio.h>

enum { TEXT_SIZE = 1 << 16, SCHEMA_SIZE = 1 << 18 };

static mannequin *character;
static char schema_text[SCHEMA_SIZE];
static json_tree schema;
static bool *visited; // for each value of the schema

// ---- The validator.

typedef struct document {
    const lmb_json *json;
    bool marks; // marks what it visits
} document;

static bool is_valid(const document *document, uint32_t rule, uint32_t value);

static const lmb_json_value *rule_at(uint32_t rule) {
    return &schema.json.values[rule];
}

static const lmb_json_value *value_at(const document *document, uint32_t value) {
    return &document->json->values[value];
}

static bool is_same_text(const lmb_json *a, uint32_t i, const lmb_json *b, uint32_t k) {
    const lmb_json_value *x = &a->values[i], *y = &b->values[k];
    return x->end - x->start == y->end - y->start &&
           memcmp(a->text + x->start, b->text + y->start, x->end - x->start) == 0;
}

static bool has_text(uint32_t rule, const char *text) {
    return json_tree_has_text(&schema, (int)rule, text);
}

// Returns the value of a member of the schema, or LMB_NONE.
static uint32_t find_rule(uint32_t object, const char *key) {
    for (uint32_t at = object + 1; at < rule_at(object)->next; at = rule_at(at)->next) {
        if (has_text(at, key)) {
            return at + 1;
        }
    }
    return LMB_NONE;
}

// Returns the member of an object of the document that has the name of a key or string of the schema, or LMB_NONE.
static uint32_t find_member(const document *document, uint32_t object, uint32_t name) {
    for (uint32_t at = object + 1; at < value_at(document, object)->next; at = value_at(document, at)->next) {
        if (is_same_text(document->json, at, &schema.json, name)) {
            return at + 1;
        }
    }
    return LMB_NONE;
}

static uint32_t follow(uint32_t reference) {
    const lmb_json_value *text = rule_at(reference);
    uint32_t at = 0, start = text->start + 2;
    assert_memory_equal(schema_text + text->start, "#/", 2);
    for (uint32_t end = start; end <= text->end; end++) {
        if (end == text->end || schema_text[end] == '/') {
            char key[64];
            snprintf(key, sizeof key, "%.*s", (int)(end - start), schema_text + start);
            at = find_rule(at, key);
            if (at == LMB_NONE) {
                fail_msg("no %.*s", (int)(text->end - text->start), schema_text + text->start);
            }
            start = end + 1;
        }
    }
    return at;
}

static bool check_reference(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    return is_valid(document, follow(rule), value);
}

static bool check_type(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    static const char *const names[] = {"null", "boolean", "number", "string", "array", "object"};
    (void)around;
    const lmb_json_type type = value_at(document, value)->type;
    if (has_text(rule, "integer")) {
        const double number = type == LMB_JSON_NUMBER ? lmb_json_number(document->json, value) : 0.5;
        return number >= -9e15 && number <= 9e15 && number == (double)(int64_t)number;
    }
    return has_text(rule, names[type]);
}

static bool is_equal(const document *document, uint32_t rule, uint32_t value) {
    if (rule_at(rule)->type != value_at(document, value)->type) {
        return false;
    }
    return rule_at(rule)->type == LMB_JSON_NUMBER
               ? lmb_json_number(&schema.json, rule) == lmb_json_number(document->json, value)
               : is_same_text(&schema.json, rule, document->json, value);
}

static bool check_const(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    return is_equal(document, rule, value);
}

static bool check_enum(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    bool found = false;
    for (uint32_t at = rule + 1; at < rule_at(rule)->next; at = rule_at(at)->next) {
        found = found || is_equal(document, at, value);
    }
    return found;
}

static bool check_min(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    return value_at(document, value)->type != LMB_JSON_NUMBER ||
           lmb_json_number(document->json, value) >= lmb_json_number(&schema.json, rule);
}

static bool check_max(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    return value_at(document, value)->type != LMB_JSON_NUMBER ||
           lmb_json_number(document->json, value) <= lmb_json_number(&schema.json, rule);
}

static bool check_length(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    assert_true(lmb_json_number(&schema.json, rule) == 1.0);
    return value_at(document, value)->type != LMB_JSON_STRING ||
           value_at(document, value)->end > value_at(document, value)->start;
}

static bool has_count(const document *document, uint32_t value, lmb_json_type type, double min, double max) {
    const lmb_json_value *at = value_at(document, value);
    return at->type != type || ((double)at->count >= min && (double)at->count <= max);
}

static bool check_min_items(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    return has_count(document, value, LMB_JSON_ARRAY, lmb_json_number(&schema.json, rule), 1e9);
}

static bool check_max_items(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    return has_count(document, value, LMB_JSON_ARRAY, 0, lmb_json_number(&schema.json, rule));
}

static bool check_min_members(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    return has_count(document, value, LMB_JSON_OBJECT, lmb_json_number(&schema.json, rule), 1e9);
}

static bool check_max_members(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    return has_count(document, value, LMB_JSON_OBJECT, 0, lmb_json_number(&schema.json, rule));
}

// A schema for all elements, or one for each of the first ones.
static bool check_items(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    const bool is_list = rule_at(rule)->type == LMB_JSON_ARRAY;
    uint32_t each = is_list ? rule + 1 : rule;
    bool valid = true;
    if (value_at(document, value)->type != LMB_JSON_ARRAY) {
        return true;
    }
    for (uint32_t at = value + 1; at < value_at(document, value)->next && each < rule_at(rule)->next;
         at = value_at(document, at)->next) {
        valid = is_valid(document, each, at) && valid;
        each = is_list ? rule_at(each)->next : each;
    }
    return valid;
}

static bool check_properties(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    bool valid = true;
    if (value_at(document, value)->type != LMB_JSON_OBJECT) {
        return true;
    }
    for (uint32_t at = rule + 1; at < rule_at(rule)->next; at = rule_at(at)->next) {
        const uint32_t member = find_member(document, value, at);
        valid = (member == LMB_NONE || is_valid(document, at + 1, member)) && valid;
    }
    return valid;
}

static bool check_required(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    bool valid = true;
    for (uint32_t at = rule + 1; value_at(document, value)->type == LMB_JSON_OBJECT && at < rule_at(rule)->next;
         at = rule_at(at)->next) {
        valid = valid && find_member(document, value, at) != LMB_NONE;
    }
    return valid;
}

static bool is_property(const document *document, uint32_t properties, uint32_t key) {
    bool found = false;
    for (uint32_t at = properties + 1; properties != LMB_NONE && at < rule_at(properties)->next;
         at = rule_at(at)->next) {
        found = found || is_same_text(&schema.json, at, document->json, key);
    }
    return found;
}

static bool check_additional(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    const uint32_t properties = find_rule(around, "properties");
    bool valid = true;
    if (value_at(document, value)->type != LMB_JSON_OBJECT) {
        return true;
    }
    for (uint32_t at = value + 1; at < value_at(document, value)->next; at = value_at(document, at)->next) {
        valid = (is_property(document, properties, at) || is_valid(document, rule, at + 1)) && valid;
    }
    return valid;
}

static uint32_t count_valid(const document *document, uint32_t rule, uint32_t value) {
    uint32_t count = 0;
    for (uint32_t at = rule + 1; at < rule_at(rule)->next; at = rule_at(at)->next) {
        count += is_valid(document, at, value);
    }
    return count;
}

static bool check_all(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    return count_valid(document, rule, value) == rule_at(rule)->count;
}

static bool check_any(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    return count_valid(document, rule, value) > 0;
}

static bool check_one(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    return count_valid(document, rule, value) == 1;
}

static bool check_not(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    return !is_valid(document, rule, value);
}

static bool check_if(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    return !is_valid(document, rule, value) || is_valid(document, find_rule(around, "then"), value);
}

static bool check_dependencies(const document *document, uint32_t rule, uint32_t value, uint32_t around) {
    (void)around;
    bool valid = true;
    for (uint32_t at = rule + 1; value_at(document, value)->type == LMB_JSON_OBJECT && at < rule_at(rule)->next;
         at = rule_at(at)->next) {
        const bool is_list = rule_at(at + 1)->type == LMB_JSON_ARRAY;
        if (find_member(document, value, at) != LMB_NONE) {
            valid =
                valid && (is_list ? check_required(document, at + 1, value, rule) : is_valid(document, at + 1, value));
        }
    }
    return valid;
}

static const struct {
    const char *name;
    bool (*check)(const document *document, uint32_t rule, uint32_t value, uint32_t around); // NULL for remarks
} keywords[] = {{"$ref", check_reference},
                {"type", check_type},
                {"const", check_const},
                {"enum", check_enum},
                {"minimum", check_min},
                {"maximum", check_max},
                {"minLength", check_length},
                {"minItems", check_min_items},
                {"maxItems", check_max_items},
                {"minProperties", check_min_members},
                {"maxProperties", check_max_members},
                {"items", check_items},
                {"properties", check_properties},
                {"required", check_required},
                {"additionalProperties", check_additional},
                {"allOf", check_all},
                {"anyOf", check_any},
                {"oneOf", check_one},
                {"not", check_not},
                {"if", check_if},
                {"dependencies", check_dependencies},
                {"then", NULL},
                {"description", NULL},
                {"title", NULL},
                {"definitions", NULL},
                {"$schema", NULL}};
enum { KEYWORDS = sizeof keywords / sizeof keywords[0] };

static bool is_valid(const document *document, uint32_t rule, uint32_t value) {
    bool valid = true;
    if (rule_at(rule)->type == LMB_JSON_BOOLEAN) {
        return lmb_json_boolean(&schema.json, rule);
    }
    for (uint32_t at = rule + 1; at < rule_at(rule)->next && (valid || document->marks); at = rule_at(at)->next) {
        int i = 0;
        while (i < KEYWORDS && !has_text(at, keywords[i].name)) {
            i++;
        }
        if (i == KEYWORDS) {
            fail_msg("unknown keyword %.*s", (int)(rule_at(at)->end - rule_at(at)->start),
                     schema_text + rule_at(at)->start);
        }
        valid = (keywords[i].check == NULL || keywords[i].check(document, at + 1, value, rule)) && valid;
    }
    visited[rule] = visited[rule] || (document->marks && valid);
    return valid;
}

// ---- Graphs.

// The only file that a text may include.
static lmb_result read_included(void *user, const char *path, const char **text, size_t *size, lmb_error *error) {
    (void)user;
    *text = "{\"define\":{\"far\":{\"op\":\"rest\"}}}";
    *size = strlen(*text);
    snprintf(error->message, sizeof error->message, "no file of this name");
    return strcmp(path, "far.json") == 0 ? LMB_OK : LMB_ERROR_FILE;
}

// Returns the problem of a text for the mannequin, or NULL if it is read. Then calls `use`, if it is not NULL.
typedef void use_def(const lmb_graph_def *def);
static const char *read_for(const char *text, size_t size, use_def *use) {
    static lmb_graph_problems problems;
    static lmb_error error;
    const lmb_rig *rig = mannequin_rig(character);
    const lmb_clip *clips[MANNEQUIN_CLIP_COUNT];
    for (uint32_t i = 0; i < MANNEQUIN_CLIP_COUNT; i++) {
        clips[i] = mannequin_clip(character, (mannequin_clip_id)i);
    }
    lmb_transform joints[100];
    for (uint32_t i = 0; i < lmb_rig_get_def(rig)->joint_count; i++) {
        joints[i] = lmb_rig_get_def(rig)->joints[i].rest;
    }
    const lmb_static_pose_def pose = {
        .name = "aside", .joints = joints, .joint_count = lmb_rig_get_def(rig)->joint_count};
    const lmb_graph_character other = {"other", rig, clips, MANNEQUIN_CLIP_COUNT};
    const lmb_graph_source source = {.text = text,
                                     .size = size,
                                     .characters = &other,
                                     .character_count = 1,
                                     .rig = rig,
                                     .clips = clips,
                                     .clip_count = MANNEQUIN_CLIP_COUNT,
                                     .static_poses = &pose,
                                     .static_pose_count = 1,
                                     .read_file = read_included};
    lmb_graph_json *graph = NULL;
    const lmb_result result = lmb_graph_json_read(&source, NULL, &graph, &problems, &error);
    if (result == LMB_OK && use != NULL) {
        use(lmb_graph_json_def(graph));
    }
    lmb_graph_json_destroy(graph);
    return result == LMB_OK ? NULL : problems.list[0].message;
}

static const char *read_with_limber(const char *text, size_t size) {
    return read_for(text, size, NULL);
}

static bool fits_schema(const char *text, bool marks) {
    json_tree tree = json_tree_read(text);
    const document document = {&tree.json, marks};
    const bool valid = is_valid(&document, 0, 0);
    json_tree_release(&tree);
    return valid;
}

typedef void use_graph(const char *name, const char *text);

static void use_file(const char *folder, const char *name, use_graph *use) {
    static char text[TEXT_SIZE];
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    text[size] = '\0';
    fclose(file);
    use(name, text);
}

static uint32_t use_samples(use_graph *use) {
    static const char *const folders[] = {"", "/operations", "/demos", "/characters", "/renderer"};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, LIMBER_SAMPLES "%s", folders[i]);
        DIR *folder = opendir(path);
        assert_non_null(folder);
        for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
            const size_t length = strlen(entry->d_name);
            if (length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0) {
                use_file(path, entry->d_name, use);
                count++;
            }
        }
        closedir(folder);
    }
    return count;
}

// Uses the blocks of JSON of a page that are graphs.
static uint32_t use_page(const char *page, use_graph *use) {
    static char block[TEXT_SIZE];
    char path[512], line[1024];
    uint32_t count = 0;
    size_t length = 0;
    bool inside = false;
    snprintf(path, sizeof path, LIMBER_SOURCES "/docs/%s.md", page);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (inside && strcmp(line, "```\n") == 0) {
            inside = false;
            if (strncmp(block, "{\"op\"", 5) == 0) {
                use(page, block);
                count++;
            }
        } else if (inside) {
            length += (size_t)snprintf(block + length, sizeof block - length, "%s", line);
        } else if (strcmp(line, "```json\n") == 0) {
            inside = true;
            length = 0;
        }
    }
    fclose(file);
    return count;
}

// Fields that no sample has.
static const char *const more[] = {
    "{'op':'foot-placement','pelvis':'pelvis','feet':[{'hip':'left_thigh','knee':'left_shin','ankle':'left_foot',"
    "'ground':[0,0,0],'normal':[0,1,0],'planted-channel':'smile'}],'base':{'op':'rest'}}",
    "{'$schema':'graph.schema.json','parameters':[{'param':'lod','default':1,'min':0,'max':7}],'op':'weighted','lod':{'"
    "param':'lod'},'max-lods':{'left_hand':2},"
    "'max-emitted-events':4,'update-every':2,'interpolate-updates':true,'streamed-clips':['walk'],"
    "'interpolation':'nlerp','shortest':false,'linear-scale':false,'inputs':[{'pose':{'op':'clip','clip':'walk'},'"
    "curve':{'bezier':[0.25,0.1,0.25,1]},"
    "'weight':{'in':'IN','out':'OUT','at-end':true,'after':1,'seconds':0.3,'out-seconds':0.5,'curve':'linear',"
    "'restart':true,'initial':'in','name':'first'}},{'pose':{'op':'clip','clip':'run'},'weight':{'fade':'first'}}]}",
    "{'op':'machine','linear-scale':true,'name':'m','initial':'b','any':[{'to':'a','event':'A','to-self':true,'"
    "priority':2}],'states':["
    "{'name':'a','restart':true,'entry':'IN','exit':'OUT','travel':'GO','pose':{'op':'clip','clip':'walk'},'"
    "transitions':["
    "{'to':'b','end':true,'after':0.5,'fade':0.3,'curve':{'keys':[[0,0],[0.5,0.2,1],[1,1,0,0]]},'kind':'frozen','"
    "profile':{'root':128},"
    "'to-self':false,'travel-cost':0,'start':'phase','start-phase':0.5,'when':{'or':[{'<':[{'phase':'walk'},0.5]},{'"
    "and':[{'>=':[{'remaining':true},0.25]"
    "},"
    "{'<=':[1,{'add':[{'param':'p'},2]}]},{'>':[{'curve':'uniform-s','of':{'param':'q'}},0]},{'==':[1,1]}]}]}}]},"
    "{'name':'b','pose':{'op':'clip','clip':'idle'},'transitions':[{'to':'a','event':'B'}]}]}",
    "{'op':'clip','clip':'walk','joint-weights':{'root':255},'play':{'end':'hold','rate':{'param':'rate'},'offset':0.1,"
    "'velocity':1,'ended':'ENDED','looped':'LOOPED','notifies':[{'time':0.1,'event':'STEP'},{'channel':'smile','"
    "threshold':0.3,'rising':'UP',"
    "'falling':'DOWN'}],"
    "'motion':{'joint':'root','axes':'xz','pitch':false,'yaw':true,'roll':false,'rate':30,'reference':'rest-pose','"
    "close':'x',"
    "'close-turn':false},'warps':[{'start':0.05,'end':'STEP','target':[1,{'param':'y'},0],'height':false,"
    "'heading':{'param':'heading'}}]},'character-motion':{'velocity':[0,0,1],'heading':0.5,'acceleration':4,"
    "'deceleration':0,'turn-rate':3,'velocity-half-life':0.1,'actual-velocity':[null,null,'pace'],'full-rotation':"
    "false}}",
    "{'op':'clip','clip':'walk','play':{'group':'g','cadence':'duration','markers':[0.1,0.2],"
    "'motion':[[0,0,0,0],[0,0,1,0]]},'character-motion':true}",
    "{'op':'clip','clip':{'param':'clip','default':1,'min':0,'max':3},'time':{'remap':[{'param':'t','smooth':0.2},0,1,"
    "{'clamp':[{'param':'u'},0,1]},{'min':[1,{'max':[2,{'subtract':[3,{'multiply':[{'param':'v'},2]}]}]}]}]},"
    "'rate':{'curve':{'bezier':[0,1]},'of':0.5},'offset':{'curve':{'keys':[{'x':0,'y':1,'stepped':true},"
    "{'x':10,'y':-1,'out':[1,1]},{'x':20,'y':2,'in':[-3,0.5]}]},'of':{'param':'far'}},'loop':false,'form':'parent','"
    "space':'model','additive':true,"
    "'reference':{'op':'rest'},'joint-weights':{'root':1}}",
    "{'op':'clamp','pose':{'op':'mirror','axis':'z','pose':{'op':'rest'},'partners':{},"
    "'channels':{'smile':'smile','open':{'partner':'open','sign':-1}}},'joint-limits':{'blink':{'range':[0,1]},'root':{"
    "'translation':{'min':-1,'max':[1,1,1]},'scale':{'min':0.5,'max':2}},"
    "'left_hand':{'angles':{'min':[0,0,0],'max':10}},'left_foot':{'twist':{'axis':'x','min':-10,'max':20},'swing':30}}"
    "}",
    "{'op':'combine','inputs':[{'pose':{'op':'pose','pose':3},'joints':['root']},{'pose':{'op':'rest'},"
    "'joints':{'left_hand':'right_hand'}},{'pose':{'op':'override','base':{'op':'rest'},'pose':'aside','curve':'linear'"
    ","
    "'weight':0.5,'mask':{'root':3}}}]}",
    "{'op':'ik-two-bone','goal':true,'start':'left_thigh','mid':'left_shin','end':'left_foot','pole':{'point':1},"
    "'space':'world','mid-axis':[1,0,0],'soften':0.9,'twist':0.5,'reached':{'index':0,'parameter':'there'},'weight':0."
    "5,'curve':'linear',"
    "'base':{'op':'retarget','from':'other','foot':'left_foot','joints':{'left_foot':'left_foot','left_shin':'left_"
    "shin','left_thigh':'left_thigh'},'not-aligned':['left_hand'],"
    "'align-above':1,'scales':{'root':2},'root-scale':1,'turn':[0,0,0,1],'source-pose':{'clip':'walk','time':0.5},"
    "'target-pose':'aside','pose':{'op':'clip','clip':'walk'}}}",
    "{'op':'ik-aim','joints':{'head':0.5},'target':{'point':0},'pole':[0,1,0],'forward':[0,0,1],'up':[0,1,0],"
    "'offset':[0,0,0],'limit':1,'twist':0.5,'reached':{'index':3,'parameter':'aimed'},'space':'model','weight':0.5,'"
    "curve':'linear','base':"
    "{'op':'rest'}}",
    "{'op':'foot-placement','pelvis':'pelvis','up':[0,1,0],'max-lowering':1,'max-angle':1,'soften':0.9,'space':'world',"
    "'speed':1,'clip-speed':{'param':'s'},'direction':[0,0,1],'time':{'param':'time'},'lock-distance':0.2,"
    "'release-half-life':0.1,'ground-half-life':0.1,'pelvis-half-life':0.1,'teleport':3,'weight':1,'curve':'linear',"
    "'feet':[{'hip':'left_thigh','knee':'left_shin','ankle':'left_foot','ground':[0,0,0],'normal':{'point':1},"
    "'knee-axis':[1,0,0],'planted':0.5,'planted-markers':[0,1]}],'base':{'op':'clip','clip':'walk',"
    "'play':{'markers':[0.1,0.6]}}}",
    "{'op':'blend','weight':{'param':'w','smooth-speed':2},'a':{'op':'clip','clip':'walk','play':true},"
    "'b':{'op':'clip','clip':'walk','play':{'repetitions':2,'offset':'random','drops-out':true,'delay':0.5,'sync-with':"
    "'walk'}}}",
    "{'op':'chain','start':'left_upper_arm','end':'left_hand','time':{'param':'time'},'velocity':[0,0,{'param':'v'}],"
    "'gravity':[0,-9,0],'stiffness':1,'damping':2,'teleport':3,'radii':[0.1],'weights':[1],'colliders':[{'joint':'root'"
    ",'radius':1,"
    "'offset':[1,0,0],'tail':[0,1,0]}],'weight':1,'curve':'linear','base':{'op':'twist',"
    "'source':'left_upper_arm','joints':{'left_shoulder':0.5},'axis':[1,0,0],'weight':1,'curve':'linear',"
    "'base':{'op':'rest'}}}",
    "{'op':'additive','base':{'op':'rest'},'weight':2,'curve':'linear','unclamped':true,'mask':{'root':1},"
    "'interpolation':'lerp','shortest':true,'linear-scale':true,'form':'affine','space':'local','add':{'op':'scale','"
    "weight':2,"
    "'interpolation':'slerp','shortest':true,'linear-scale':true,'pose':{'op':'make-additive','form':'affine','space':'"
    "local',"
    "'pose':{'op':'rest'},'reference':{'op':'rest'}}}}",
    "{'op':'masked','mask':{'root':1},'curve':'linear','interpolation':'nlerp','shortest':true,'linear-scale':true,"
    "'a':{'op':'partial','a':{'op':'rest'},'b':{'op':'rest'},'curve':'linear'},"
    "'b':{'op':'layers','threshold':0.1,'linear-scale':true,'inputs':[{'pose':{'op':'rest'},'curve':'linear'},{'pose':{"
    "'op':'bilinear','s':0,'t':1,"
    "'interpolation':'slerp','shortest':true,'linear-scale':true,'poses':[{'op':'rest'},{'op':'rest'},{'op':'rest'},{'"
    "op':'rest'}]}}]}}",
    "{'op':'weighted-matrix','inputs':[{'pose':{'op':'trilinear','s':0,'t':1,'u':0.5,'interpolation':'slerp',"
    "'shortest':true,'linear-scale':true,'poses':[{'op':'rest'},{'op':'rest'},{'op':'rest'},{'op':'rest'},{'op':'rest'}"
    ",{'op':'rest'},"
    "{'op':'rest'},{'op':'rest'}]},'curve':'linear'},{'pose':{'op':'subtract-scale-add','weight':1,"
    "'interpolation':'slerp','shortest':true,'linear-scale':true,'a':{'op':'rest'},'b':{'op':'rest'},'base':{'op':'ik-"
    "aim',"
    "'joints':{'head':1},'target':{'point':0},'base':{'op':'foot-placement','pelvis':'pelvis',"
    "'direction':{'point':3},'feet':[{'hip':'left_thigh','knee':'left_shin','ankle':'left_foot',"
    "'ground':{'point':1},'normal':[0,1,0]}],'base':{'op':'rest'}}}}}]}",
    // Names, comments and definitions.
    "{'op':'machine','name':'m','comment':'all','define':{'legs':{'op':'weighted','name':'gait','comment':'of both',"
    "'inputs':[{'pose':{'op':'clip','clip':'walk'},'comment':'slow'},{'pose':{'op':'clip','clip':'run'},'weight':"
    "{'in':'IN','comment':'fast'}}]}},'states':[{'name':'a','comment':'first','pose':{'op':'layers','inputs':["
    "{'pose':{'use':'legs','comment':'once'},'comment':'below'},{'pose':{'op':'space1d','at':1,'inputs':["
    "{'at':0,'pose':{'use':'legs'},'comment':'low'},{'at':1,'pose':{'op':'rest'}}]}}]},'transitions':["
    "{'to':'b','event':'B','comment':'on'}]},{'name':'b','pose':{'op':'combine','inputs':[{'pose':{'use':'legs'},"
    "'comment':'all joints'},{'pose':{'op':'space2d','x':1,'y':1,'kind':'freeform','inputs':[{'at':[0,0],'pose':"
    "{'op':'rest'},'comment':'here'},{'at':[0,1],'pose':{'op':'rest','name':'still'}}]}}]},'transitions':[]}]}",
    // Lists of states, defaults of transitions, and conditions that become terms.
    "{'op':'machine','fade':0.3,'curve':'linear','states':[{'name':'a','pose':{'op':'rest'}},{'name':'b','pose':"
    "{'op':'rest'}}],'any':[{'to':'a','event':'A','from':['b']},{'to':'b','except':['b'],'when':{'or':[{'!=':[1,2]},"
    "{'not':{'param':'x'}}]}}]}",
    // Triggers, chances and draws, and a machine inside that is heard and left.
    "{'op':'machine','states':[{'name':'a','pose':{'op':'machine','name':'inner','states':[{'name':'x','pose':{'op':"
    "'clip','clip':'walk'},'transitions':[{'to':['y',{'state':'x','weight':2}],'when':{'trigger':'T'}},"
    "{'out':'b','end':true}]},{'name':'y','pose':{'op':'rest'}}]},'transitions':[{'to':'b','when':{'and':["
    "{'in':{'inner':'y'}},{'random':0.5}]}}]},{'name':'b','pose':{'op':'rest'}}]}",
    // Motion matching.
    "{'op':'machine','character-motion':true,'matching':{'left-foot':'left_foot','right-foot':'right_foot','hips':"
    "'pelvis','velocity':[{'param':'x'},2],'path':[[0.5,1],[{'param':'p'},2],[1,3]],'heading':{'param':'yaw'},'tags':{'"
    "fast':{'param':'runs'},'slow':0},"
    "'half-life':0.3,'mirrored':{'partners':{'left_clavicle':'right_clavicle','left_shoulder':'right_shoulder'"
    ",'left_fingers':'right_fingers','left_foot':'right_foot','left_forearm':'right_forearm','left_hand':'righ"
    "t_hand','left_shin':'right_shin','left_thigh':'right_thigh','left_thumb':'right_thumb','left_toes':'right"
    "_toes','left_upper_arm':'right_upper_arm'},'channels':{}},'joints':[{'joint':'pelvis','velocity':true,'ax"
    "es':'yz','weight':2,'comment':'low'}],"
    "'interval':0.2,'velocity-change':1,'heading-change':1,'"
    "window':0.1,"
    "'recent':0.4,'bonus':2,"
    "'fade':0.3,'rate':20,'times':[0.25,0.5,1],'end':0.2,'weights':{'foot-positions':1,'foot-velocities':2,"
    "'hip-velocity':0.5,'path':3,'headings':1},'comment':'all'},'states':[{'name':'a','tags':['slow'],'pose':{'op':"
    "'clip','clip':'walk','play':{'velocity':1}}},{'name':'b','take':true,'tags':['fast'],'pose':{'op':'clip','clip':"
    "'run','play':{'velocity':3}}},{'name':'c','take':false,'pose':{'op':'rest'},'transitions':[{'to':'a','after':1}]"
    "}],'any':[{'to':'c','event':'STOP'}]}",
    "{'op':'mirror','axis':'x','include':['far.json'],'pose':{'use':'far'}}",
    "{'op':'blend','weight':0.5,'a':{'use':'turned','with':{'clip':'walk','rate':{'param':'rate'}}},"
    "'b':{'use':'turned','with':{'clip':'run'}},'define':{'turned':{'op':'mirror','axis':'x','arguments':{'clip':null,"
    "'rate':1},'pose':{'op':'clip','clip':{'argument':'clip'},'play':{'rate':{'argument':'rate'}}}}}}",
    "{'op':'weighted-matrix','inputs':[{'pose':{'op':'rest'},'comment':'nothing'},{'pose':{'op':'rest'}}]}",
    "{'op':'blend','linear-scale':true,'a':{'op':'space1d','at':1,'discrete':true,'linear-scale':true,'inputs':["
    "{'at':0,'pose':{'op':'rest'}},{'at':1,'pose':{'op':'rest'}}]},'b':{'op':'space2d','x':1,'y':1,"
    "'kind':'directional','discrete':false,'linear-scale':true,'inputs':[{'at':[0,0],'pose':{'op':'rest'}},"
    "{'at':[0,1],'pose':{'op':'rest'}}]}}",
};

static uint32_t use_more(use_graph *use) {
    static char text[TEXT_SIZE];
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        for (size_t k = 0; k <= strlen(more[i]); k++) {
            text[k] = more[i][k] == '\'' ? '"' : more[i][k];
        }
        use("more", text);
    }
    return sizeof more / sizeof more[0];
}

// ---- Cases.

static void accept(const char *name, const char *text) {
    if (!fits_schema(text, true)) {
        fail_msg("%s does not fit the schema:\n%s", name, text);
    }
}

static void accept_and_read(const char *name, const char *text) {
    accept(name, text);
    const char *problem = read_with_limber(text, strlen(text));
    if (problem != NULL) {
        fail_msg("%s\n%s", problem, text);
    }
}

// Fails if no graph has the fields at `properties`.
static void expect_visited(uint32_t properties) {
    for (uint32_t at = properties + 1; at < rule_at(properties)->next; at = rule_at(at)->next) {
        if (rule_at(at + 1)->type == LMB_JSON_OBJECT && !visited[at + 1] && !has_text(at, "op")) {
            fail_msg("no graph has this field: %.80s", schema_text + rule_at(at)->start - 1);
        }
    }
}

static void every_graph_fits_and_every_field_is_in_one(void **state) {
    (void)state;
    assert_true(use_samples(accept) >= 45);
    assert_true(use_page("graph-reference", accept) >= LMB_OP_COUNT);
    assert_true(use_page("graph-json", accept) >= 4);
    assert_true(use_page("state-machines", accept) >= 1);
    use_more(accept_and_read);
    expect_visited(find_rule(0, "properties"));
    const uint32_t definitions = find_rule(0, "definitions");
    for (uint32_t i = definitions + 1; i < rule_at(definitions)->next; i++) {
        if (rule_at(i)->type == LMB_JSON_OBJECT && find_rule(i, "additionalProperties") != LMB_NONE &&
            find_rule(i, "properties") != LMB_NONE) {
            expect_visited(find_rule(i, "properties"));
        }
    }
}

// What the reader refuses for a reason that no schema can state: names, times of clips, and values that must agree.
static const char *const beyond[] = {"of this name",
                                     "(used at", // in a definition with arguments, which the schema does not check
                                     "(for define.",
                                     "the argument '",
                                     "no notify of the clip has this event",
                                     "no pose plays this clip",
                                     "inside a retarget a clip is given by its name",
                                     "the range of this parameter",
                                     "is below \"min\"",
                                     "but another use of this parameter says",
                                     "outside 0 to 1", // a constant that is computed or the duration of a clip
                                     "in the order of their times",
                                     "markers ascend",
                                     "the clip plays from here on",
                                     "it goes from a time to a later one",
                                     "a channel's limits needs",
                                     "graph: ",  // what the checks of a graph find after the text was read
                                     "player: ", // the same, at the node
                                     "a pose",
                                     "an additive",
                                     "what is added was made with",
                                     "additives of form",
                                     "positions",
                                     "it is a constant, so no foot",
                                     "has these sync markers",
                                     "the next key",
                                     "not the name of a file below",
                                     "it does not go from (0, 0) to (1, 1)",
                                     "the machine has no \"matching\"",
                                     "is no range: the lower end comes first",
                                     "no foot would be locked and nothing smoothed",
                                     "a take", // of motion matching
                                     "needs the field \"velocity\", or \"path\"",
                                     "the character motion has full rotation",
                                     "has no mirror image",
                                     "the mirror image of",
                                     "and its mirror image",
                                     "motion database: "};

static bool is_beyond(const char *problem) {
    bool found = false;
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        found = found || strstr(problem, beyond[i]) != NULL;
    }
    return found;
}

static uint32_t change_count, compared_count, refused_count;

static void compare(const char *text) {
    if (change_count++ % (suite_stride() == 1 ? 1 : 2 * suite_stride()) != 0) {
        return;
    }
    const char *problem = read_with_limber(text, strlen(text));
    const bool fits = fits_schema(text, false);
    compared_count++;
    refused_count += problem != NULL;
    if (fits ? problem != NULL && !is_beyond(problem) : problem == NULL) {
        fail_msg("%s the schema: %s\n%s", fits ? "fits" : "does not fit", problem == NULL ? "is read" : problem, text);
    }
}

// Compares the text in which `with` replaces the bytes from `start` to `end`.
static void compare_changed(const char *text, size_t start, size_t end, const char *with) {
    static char changed[TEXT_SIZE + 64];
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)start, text, with, text + end);
    compare(changed);
}

// Compares the text without a member, whose key is value `key`.
static void remove_member(const char *text, const lmb_json_value *values, uint32_t key) {
    const lmb_json_value *value = &values[key + 1];
    size_t start = values[key].start - 1, end = value->end + (value->type == LMB_JSON_STRING);
    end += strspn(text + end, " \n");
    if (text[end] == ',') {
        end++;
    } else {
        while (start > 0 && text[start] != ',' && text[start] != '{') {
            start--;
        }
        start += text[start] == '{';
    }
    compare_changed(text, start, end, "");
}

// Changes each value to others, and misspells and removes each member.
static void change(const char *name, const char *text) {
    static const char *const others[] = {"null", "true", "-1e30", "7.5", "\"?\"", "{}", "[]"};
    (void)name;
    if (read_with_limber(text, strlen(text)) != NULL) {
        return; // for another character
    }
    json_tree tree = json_tree_read(text);
    for (uint32_t i = 1; i < tree.json.count; i++) {
        const lmb_json_value *value = &tree.json.values[i];
        const size_t quote = value->type == LMB_JSON_STRING;
        const bool is_key = quote && text[value->end + 1 + strspn(text + value->end + 1, " \n")] == ':';
        if (is_key) {
            compare_changed(text, value->end, value->end, "_");
            remove_member(text, tree.json.values, i);
            continue;
        }
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
            compare_changed(text, value->start - quote, value->end + quote, others[k]);
        }
    }
    json_tree_release(&tree);
}

static void schema_and_reader_agree_about_changed_graphs(void **state) {
    (void)state;
    use_samples(change);
    use_page("graph-reference", change);
    use_page("state-machines", change);
    use_more(change);
    assert_true(change_count > 20000 && refused_count > compared_count / 2);
}

// ---- Written graphs.

static char written[2][TEXT_SIZE];
static uint32_t written_count, writes; // graphs that are written; index into `written`

static void write_def(const lmb_graph_def *def) {
    size_t size = 0;
    lmb_error error;
    const lmb_result result = lmb_graph_json_write(def, NULL, written[writes], TEXT_SIZE - 1, &size, &error);
    if (result != LMB_OK && result != LMB_ERROR_UNSUPPORTED) {
        fail_msg("%s", error.message);
    }
    written[writes][size] = '\0';
}

// What is written fits the schema and is read as a graph that is written the same.
static void write_and_read(const char *name, const char *text) {
    writes = 0;
    if (read_for(text, strlen(text), write_def) != NULL || written[0][0] == '\0') {
        return;
    }
    writes = 1;
    const char *problem = read_for(written[0], strlen(written[0]), write_def);
    if (problem != NULL || strcmp(written[0], written[1]) != 0) {
        fail_msg("%s: %s\n%s\n%s\n%s", name, problem == NULL ? "other" : problem, text, written[0], written[1]);
    }
    assert_true(fits_schema(written[0], false));
    written_count++;
}

static void what_is_written_fits_and_is_read_the_same(void **state) {
    (void)state;
    use_samples(write_and_read);
    use_page("graph-reference", write_and_read);
    use_more(write_and_read);
    assert_true(written_count >= 40);
}

static void the_text_has_no_defaults(void **state) {
    (void)state;
    static const char text[] = "{\"op\":\"blend\",\"parameters\":[{\"param\":\"w\",\"default\":0.1,\"min\":0,\"max\":1}"
                               "],\"a\":{\"op\":\"rest\"},"
                               "\"b\":{\"op\":\"clip\",\"clip\":\"walk\",\"time\":0.3},\"weight\":{\"curve\":"
                               "\"smoothstep\",\"of\":{\"param\":\"w\"}}}\n";
    writes = 0;
    assert_null(read_for(text, strlen(text), write_def));
    assert_string_equal(written[0], text);
}

static void expect_refused(const lmb_graph_def *def) {
    size_t size = 1;
    lmb_error error;
    assert_int_equal(lmb_graph_json_write(def, NULL, NULL, 0, &size, &error), LMB_ERROR_UNSUPPORTED);
    assert_int_equal(size, 0);
    assert_string_equal(error.message, "graph: clips that play cannot be written as JSON");
    assert_int_equal(lmb_graph_json_write(NULL, NULL, NULL, 0, &size, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_graph_json_write(def, NULL, NULL, 1, &size, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_graph_json_write(def, NULL, NULL, 0, NULL, &error), LMB_ERROR_ARGUMENT);
}

static lmb_result write_with(const lmb_host *host, lmb_error *error, void *def) {
    size_t size = 0;
    return lmb_graph_json_write(def, host, NULL, 0, &size, error);
}

static void fail_allocations(const lmb_graph_def *def) {
    lmb_graph_def copy = *def;
    failing_host_try_all(write_with, &copy);
}

static void memory_that_is_refused(void **state) {
    (void)state;
    assert_null(read_for("{\"op\":\"rest\"}", 13, fail_allocations));
}

static void expect_refused_parameters(const lmb_graph_def *def) {
    static const struct {
        lmb_parameter_def parameters[2];
        const char *message;
    } rows[] = {{{{"a", 0, 0, 1}, {"a", 0, 0, 1}}, "two parameters of one name"},
                {{{"a", 0, 0, 1}, {NULL, 0, 0, 1}}, "a parameter without a name"},
                {{{"a", 2, 0, 1}, {"b", 0, 0, 1}}, "a parameter whose value is outside its range"},
                {{{"a", 0, 0, 1}, {"\xff", 0, 0, 1}}, "a name that is not UTF-8"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lmb_graph_def copy = *def;
        size_t size = 1;
        lmb_error error = {0};
        copy.parameters = rows[i].parameters;
        copy.parameter_count = 2;
        if (lmb_graph_json_write(&copy, NULL, NULL, 0, &size, &error) == LMB_OK ||
            (error.result == LMB_ERROR_UNSUPPORTED && strstr(error.message, rows[i].message) == NULL)) {
            fail_msg("'%s' instead of '%s'", error.message, rows[i].message);
        }
        assert_int_equal(size, 0);
    }
}

static void what_cannot_be_written_is_refused(void **state) {
    (void)state;
    assert_null(read_for("{\"op\":\"rest\"}", 13, expect_refused_parameters));
    static const char text[] = "{\"op\":\"clip\",\"clip\":\"walk\",\"play\":true}";
    assert_null(read_for(text, strlen(text), expect_refused));
}

static void the_schema_in_docs_is_this_one(void **state) {
    (void)state;
    static char text[SCHEMA_SIZE];
    FILE *file = fopen(LIMBER_SOURCES "/docs/graph.schema.json", "rb");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    if (size != strlen(schema_text) || memcmp(text, schema_text, size) != 0) {
        fail_msg("%s", "docs/graph.schema.json differs: limber graph --schema >docs/graph.schema.json");
    }
}

static void a_schema_that_does_not_fit_is_cut_off(void **state) {
    (void)state;
    char text[101];
    const size_t length = strlen(schema_text);
    assert_int_equal(lmb_graph_json_schema(NULL, 0), length);
    memset(text, 'x', sizeof text);
    assert_int_equal(lmb_graph_json_schema(text, 100), length);
    assert_memory_equal(text, schema_text, 99);
    assert_memory_equal(text + 99, "\0x", 2);
}

// Reads the first sentence after the picture of a section of docs/graph-reference.md, without ` and on one line.
static void read_first_sentence(const char *operation, char *sentence, size_t size) {
    char heading[100], line[1024];
    FILE *page = fopen(LIMBER_SOURCES "/docs/graph-reference.md", "r");
    assert_non_null(page);
    snprintf(heading, sizeof heading, "### %s\n", operation);
    do {
        assert_non_null(fgets(line, sizeof line, page));
    } while (strcmp(line, heading) != 0);
    size_t length = 0;
    while (fgets(line, sizeof line, page) != NULL && (length == 0 || line[0] != '\n')) {
        for (const char *c = line; line[0] != '!' && line[0] != '\n' && *c != '\0' && length + 1 < size; c++) {
            sentence[length] = *c == '\n' ? ' ' : *c;
            length += *c != '`';
        }
    }
    sentence[length] = '\0';
    fclose(page);
    char *end = strstr(sentence, ". ");
    assert_non_null(end);
    end[1] = '\0';
}

static void descriptions_of_operations_are_those_of_the_reference(void **state) {
    (void)state;
    for (int op = 0; op < LMB_OP_COUNT; op++) {
        char key[100], sentence[1024];
        snprintf(key, sizeof key, "op-%s", lmb_op_name((lmb_op)op));
        const int about = json_tree_member(
            &schema, json_tree_member(&schema, json_tree_member(&schema, 0, "definitions"), key), "description");
        read_first_sentence(lmb_op_name((lmb_op)op), sentence, sizeof sentence);
        json_tree_expect_text(&schema, about, sentence);
    }
}

static int set_up(void **state) {
    (void)state;
    assert_true(lmb_graph_json_schema(schema_text, sizeof schema_text) < sizeof schema_text);
    schema = json_tree_read(schema_text);
    visited = calloc(schema.json.count, sizeof *visited);
    assert_non_null(visited);
    return mannequin_create_with_face(NULL, &character, NULL) == LMB_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    mannequin_destroy(character);
    json_tree_release(&schema);
    free(visited);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schema_in_docs_is_this_one),
        cmocka_unit_test(a_schema_that_does_not_fit_is_cut_off),
        cmocka_unit_test(every_graph_fits_and_every_field_is_in_one),
        cmocka_unit_test(schema_and_reader_agree_about_changed_graphs),
        cmocka_unit_test(descriptions_of_operations_are_those_of_the_reference),
        cmocka_unit_test(what_is_written_fits_and_is_read_the_same),
        cmocka_unit_test(the_text_has_no_defaults),
        cmocka_unit_test(what_cannot_be_written_is_refused),
        cmocka_unit_test(memory_that_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
