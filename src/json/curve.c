// Reads and writes curves: by their names, as Beziers of two or four numbers, and as keys. Equal curves of a graph's
// own are stored once.
#include "graph.h"
#include "write.h"

#include "base/number.h"

#include <string.h>

// Of slopes and of the points of a Bezier, which no descriptor has, as of keys.
#define COORDINATE_RANGE .min = -1048576.0f, .max = 1048576.0f
#define TWO_CONTROLS "{\"bezier\": [c0, c1]}"

// A key as it is read, and the JSON value that states it.
typedef struct read_key {
    lmb_curve_key key;
    bool has_slopes;
    float slopes[2]; // before it and after it
    uint32_t at;
} read_key;

// A curve while its object is read.
typedef struct draft {
    lmb_value *shape; // the result
    read_key keys[LMB_MAX_CURVE_KEYS];
} draft;

// ---- The graph's own.

static bool same_keys(const lmb_curve_key *a, const lmb_curve_key *b) {
    return a->x == b->x && a->y == b->y && memcmp(a->in, b->in, sizeof a->in) == 0 &&
           memcmp(a->out, b->out, sizeof a->out) == 0 && a->stepped == b->stepped;
}

static bool same_curves(const lmb_curve_def *a, const lmb_curve_def *b) {
    bool same = a->key_count == b->key_count;
    for (uint32_t i = 0; i < a->key_count && same; i++) {
        same = same_keys(&a->keys[i], &b->keys[i]);
    }
    return same;
}

// Returns the curve with these keys: one that the graph has already, or a new one.
static lmb_curve add_curve(lmb_graph_reader *reader, const lmb_curve_def *curve, uint32_t value) {
    lmb_graph_json *graph = reader->graph;
    for (uint32_t i = 0; i < graph->def.curve_count; i++) {
        if (same_curves(&graph->def.curves[i], curve)) {
            return lmb_user_curve(i);
        }
    }
    if (graph->def.curve_count == LMB_MAX_CURVES) {
        lmb_graph_report(reader, value, "more than %u curves of the graph's own", LMB_MAX_CURVES);
        return LMB_CURVE_LINEAR;
    }
    lmb_curve_key *keys = lmb_graph_allocate(reader, &graph->pool, curve->key_count, sizeof *keys);
    if (keys == NULL) {
        return LMB_CURVE_LINEAR;
    }
    memcpy(keys, curve->keys, curve->key_count * sizeof *keys);
    lmb_curve_def added = lmb_default_curve_def();
    added.keys = keys;
    added.key_count = curve->key_count;
    const lmb_curve result = lmb_user_curve(graph->def.curve_count);
    return lmb_graph_append(reader, &graph->pool, &graph->def.curves, &graph->def.curve_count, &added, sizeof added)
               ? result
               : LMB_CURVE_LINEAR;
}

// Adds a curve if it is valid; reports it if not.
static void use_keys(lmb_graph_reader *reader, draft *draft, uint32_t count, uint32_t value) {
    lmb_curve_key keys[LMB_MAX_CURVE_KEYS];
    lmb_curve_fault fault;
    lmb_curve_def curve = lmb_default_curve_def();
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = draft->keys[i].key;
    }
    curve.keys = keys;
    curve.key_count = count;
    if (lmb_curve_check(&curve, &fault)) {
        draft->shape->curve = add_curve(reader, &curve, value);
    } else {
        lmb_graph_report(reader, fault.key < count ? draft->keys[fault.key].at : value, "%s", fault.why);
    }
}

// ---- Beziers.

static void read_bezier(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    draft *draft = target;
    const lmb_graph_field two = {.what = field->what, .count = 2, .min = -16.0f, .max = 16.0f};
    const lmb_graph_field four = {.what = field->what, .count = 4, COORDINATE_RANGE};
    float points[4] = {0.0f};
    const uint32_t problems = reader->problem_count;
    const uint32_t count = reader->json.values[value].count;
    if (!lmb_graph_expect_count(reader, value, 2, 4, field->what)) {
        return;
    }
    if (count == 3) {
        lmb_graph_report(reader, value, "3 %s, where 2 or 4 were expected", field->what);
    } else {
        lmb_graph_read_floats(reader, count == 2 ? &two : &four, value, points);
    }
    if (count == 4 && !(points[0] >= 0.0f && points[0] <= 1.0f && points[2] >= 0.0f && points[2] <= 1.0f)) {
        lmb_graph_report(reader, value, "x of a control point is outside 0 to 1");
    }
    if (reader->problem_count > problems) {
        return;
    }
    if (count == 2) {
        draft->shape->curve = LMB_CURVE_BEZIER;
        memcpy(draft->shape->control, points, sizeof draft->shape->control);
        return;
    }
    lmb_curve_key keys[2];
    lmb_css_keys(points[0], points[1], points[2], points[3], keys);
    draft->keys[0].key = keys[0];
    draft->keys[1].key = keys[1];
    draft->keys[0].at = draft->keys[1].at = value;
    use_keys(reader, draft, 2, value);
}

static const lmb_graph_kind kind_bezier = {
    read_bezier,
    "{'anyOf':[{'type':'array','items':{'type':'number','minimum':-16,'maximum':16},'minItems':2,'maxItems':2},"
    "{'type':'array','items':{'type':'number',$range},'minItems':4,'maxItems':4}]}",
    NULL};

// ---- Keys.

#define KEY(member) .offset = offsetof(lmb_curve_key, member)

static const lmb_graph_field key_members[] = {
    {.name = "x", .required = true, .kind = &lmb_kind_number, KEY(x)},
    {.name = "y", .required = true, .kind = &lmb_kind_number, KEY(y)},
    {.name = "in",
     .about = "The handle before it, x and y relative to the key.",
     .kind = &lmb_kind_numbers,
     .what = "numbers",
     KEY(in)},
    {.name = "out", .about = "The handle after it.", .kind = &lmb_kind_numbers, .what = "numbers", KEY(out)},
    {.name = "stepped", .about = "Whether y stays until the next key.", .kind = &lmb_kind_boolean, KEY(stepped)},
};
static const lmb_graph_fields key_fields = {LMB_FIELDS_OF(curve_key, 0, "a key", key_members)};

// Reads x, y and nothing, one slope, or the slopes before and after the key.
static void read_numbers(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, read_key *key) {
    const uint32_t count = reader->json.values[value].count;
    float numbers[4] = {0.0f};
    if (!lmb_graph_expect_count(reader, value, 2, 4, "numbers of a key")) {
        return;
    }
    lmb_graph_field all = *field;
    all.what = "numbers of a key";
    all.count = count;
    all.offset = 0;
    lmb_graph_read_floats(reader, &all, value, numbers);
    key->key = lmb_key(numbers[0], numbers[1]);
    key->has_slopes = count > 2;
    key->slopes[0] = numbers[2];
    key->slopes[1] = numbers[count == 4 ? 3 : 2];
}

static bool is_zero(const float handle[2]) {
    return handle[0] == 0.0f && handle[1] == 0.0f;
}

// Sets the handles between two keys if one of them has a slope. One without slope or handle has that of the straight
// line.
static void join_keys(read_key *from, read_key *to) {
    const float width = to->key.x - from->key.x;
    if ((!from->has_slopes && !to->has_slopes) || !(width > 0.0f)) {
        return;
    }
    const float line = (to->key.y - from->key.y) / width;
    lmb_curve_key a = from->key, b = to->key;
    lmb_set_slopes(&a, from->has_slopes ? from->slopes[1] : line, to->has_slopes ? to->slopes[0] : line, &b);
    if (is_zero(from->key.out)) {
        memcpy(from->key.out, a.out, sizeof a.out);
    }
    if (is_zero(to->key.in)) {
        memcpy(to->key.in, b.in, sizeof b.in);
    }
}

static void read_keys(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    draft *draft = target;
    const lmb_json_value *values = reader->json.values;
    const uint32_t problems = reader->problem_count;
    uint32_t count = 0;
    if (!lmb_graph_expect_count(reader, value, 2, field->count, "keys")) {
        return;
    }
    for (uint32_t at = value + 1; at < values[value].next && reader->result == LMB_OK; at = values[at].next) {
        read_key *key = &draft->keys[count++];
        *key = (read_key){.at = at};
        if (values[at].type == LMB_JSON_OBJECT) {
            lmb_graph_read_fields(reader, &key_fields, at, &key->key);
        } else {
            read_numbers(reader, field, at, key);
        }
    }
    for (uint32_t i = 0; i + 1 < count; i++) {
        join_keys(&draft->keys[i], &draft->keys[i + 1]);
    }
    if (reader->problem_count == problems && reader->result == LMB_OK) {
        use_keys(reader, draft, count, value);
    }
}

static const lmb_graph_kind kind_keys = {
    read_keys,
    "{'type':'array','items':{'anyOf':[{'type':'array','items':{'type':'number',$range},'minItems':2,'maxItems':4},"
    "@curve-key]},'minItems':2,'maxItems':$count}",
    NULL};

// ---- Any curve.

static const lmb_graph_field own_members[] = {
    {.name = "bezier",
     .about = "Two control points between 0 and 1, or x and y of both control points of a curve as CSS's.",
     .kind = &kind_bezier,
     .what = "control points",
     COORDINATE_RANGE},
    {.name = "keys",
     .about = "Keys: x, y, and the slopes before and after, which may be one; or objects.",
     .kind = &kind_keys,
     .count = LMB_MAX_CURVE_KEYS,
     COORDINATE_RANGE},
};
static const lmb_graph_fields own_fields = {.what = "a curve of one's own",
                                            .fields = own_members,
                                            .count = sizeof own_members / sizeof *own_members,
                                            .also = "'minProperties':1,'maxProperties':1"};

const lmb_graph_definition lmb_graph_curve_definitions[] = {
    {"curve", "A curve: by its name, or of one's own.", "{'anyOf':[{'enum':[$curves]},$inside]}", &own_fields},
    {"curve-key", "A key of a curve.", "$inside", &key_fields},
    {NULL, NULL, NULL, NULL},
};

static const char *name_at(const void *none, uint32_t index) {
    (void)none;
    return index == LMB_CURVE_BEZIER ? TWO_CONTROLS : lmb_curve_name((lmb_curve)index);
}

static void read_name(lmb_graph_reader *reader, uint32_t value, lmb_value *shape) {
    char message[LMB_GRAPH_MESSAGE_SIZE] = "there is no such curve";
    for (int curve = 0; curve < LMB_CURVE_COUNT; curve++) {
        if (curve != LMB_CURVE_BEZIER && lmb_graph_is_text(reader, value, lmb_curve_name((lmb_curve)curve))) {
            shape->curve = (lmb_curve)curve;
            return;
        }
    }
    if (lmb_graph_is_text(reader, value, lmb_curve_name(LMB_CURVE_BEZIER))) {
        lmb_graph_report(reader, value, "a Bezier has control points: %s", TWO_CONTROLS);
        return;
    }
    lmb_graph_add_nearest(reader, value, message, sizeof message, (lmb_graph_names){name_at, NULL, LMB_CURVE_COUNT});
    lmb_graph_report(reader, value, "%s", message);
}

static void read_shape(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    draft draft = {.shape = (lmb_value *)(void *)((char *)target + field->offset)};
    const uint32_t count = reader->json.values[value].count;
    if (reader->json.values[value].type == LMB_JSON_OBJECT) {
        lmb_graph_read_fields(reader, &own_fields, value, &draft);
        if (count != 1) {
            lmb_graph_report(reader, value, "a curve is either a bezier or keys");
        }
    } else if (lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        read_name(reader, value, draft.shape);
    }
}

const lmb_graph_kind lmb_kind_shape = {read_shape, "@curve", NULL};

lmb_graph_range lmb_graph_curve_range(const lmb_graph_def *def, lmb_curve curve) {
    if (curve < LMB_CURVE_USER) {
        return (lmb_graph_range){0.0f, 1.0f};
    }
    const lmb_curve_def *own = &def->curves[(uint32_t)curve - (uint32_t)LMB_CURVE_USER];
    return (lmb_graph_range){own->keys[0].x, own->keys[own->key_count - 1].x};
}

// ---- Writing.

static void put_pair(lmb_graph_writer *writer, const char *before, float a, float b) {
    lmb_graph_put(writer, before);
    lmb_graph_put_number(writer, a);
    lmb_graph_put(writer, ",");
    lmb_graph_put_number(writer, b);
}

static void put_key(lmb_graph_writer *writer, const lmb_curve_key *key) {
    if (is_zero(key->in) && is_zero(key->out) && !key->stepped) {
        put_pair(writer, "[", key->x, key->y);
        lmb_graph_put(writer, "]");
    } else {
        const lmb_curve_key none = lmb_key(0.0f, 0.0f);
        lmb_graph_write_fields(writer, &key_fields, key, &none);
    }
}

// Returns whether CSS's numbers are read as the same keys, and stores them.
static bool find_css(const lmb_curve_def *curve, float numbers[4]) {
    const lmb_curve_key *keys = curve->keys;
    lmb_curve_key same[2];
    if (curve->key_count != 2) {
        return false;
    }
    numbers[0] = keys[0].out[0];
    numbers[1] = keys[0].out[1];
    numbers[2] = 1.0f + keys[1].in[0];
    numbers[3] = 1.0f + keys[1].in[1];
    lmb_css_keys(numbers[0], numbers[1], numbers[2], numbers[3], same);
    return same_keys(&keys[0], &same[0]) && same_keys(&keys[1], &same[1]);
}

static void put_own(lmb_graph_writer *writer, const lmb_curve_def *curve) {
    float numbers[4];
    if (find_css(curve, numbers)) {
        put_pair(writer, "{\"bezier\":[", numbers[0], numbers[1]);
        put_pair(writer, ",", numbers[2], numbers[3]);
        lmb_graph_put(writer, "]}");
        return;
    }
    lmb_graph_put(writer, "{\"keys\":[");
    for (uint32_t i = 0; i < curve->key_count; i++) {
        lmb_graph_put(writer, i == 0 ? "" : ",");
        put_key(writer, &curve->keys[i]);
    }
    lmb_graph_put(writer, "]}");
}

void lmb_graph_put_curve(lmb_graph_writer *writer, lmb_curve curve, const float control[2]) {
    if (curve >= LMB_CURVE_USER) {
        put_own(writer, &writer->def->curves[(uint32_t)curve - (uint32_t)LMB_CURVE_USER]);
    } else if (curve == LMB_CURVE_BEZIER) {
        put_pair(writer, "{\"bezier\":[", control[0], control[1]);
        lmb_graph_put(writer, "]}");
    } else {
        lmb_graph_put_string(writer, lmb_curve_name(curve));
    }
}
