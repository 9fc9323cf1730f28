// Meshes for skinning: checks descriptors and layouts, and writes the block that the kernels read.
#include "skin.h"

#include "../../shaders/ops/skin_layout.h"

#include <limber/math.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// Kernels index words of a buffer with signed 32-bit integers, as SPIR-V does.
#define MOST_WORDS ((uint64_t)1 << 31)

_Static_assert(LMB_SKIN_OUTPUT_POSITIONS == SKIN_OUTPUT_POSITIONS &&
                   LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS == SKIN_OUTPUT_PREVIOUS_POSITIONS &&
                   LMB_SKIN_OUTPUT_NORMALS == SKIN_OUTPUT_NORMALS && LMB_SKIN_OUTPUT_TANGENTS == SKIN_OUTPUT_TANGENTS &&
                   LMB_SKIN_OUTPUT_COUNT == SKIN_OUTPUTS,
               "the kernel has other outputs");

lmb_skin_def lmb_default_skin_def(void) {
    return (lmb_skin_def){.influence_count = 4};
}

const char *lmb_skin_output_name(lmb_skin_output output) {
    static const char *const names[LMB_SKIN_OUTPUT_COUNT] = {"positions", "previous positions", "normals", "tangents"};
    return (unsigned)output < LMB_SKIN_OUTPUT_COUNT ? names[output] : "unknown output";
}

const lmb_skin_info *lmb_skin_get_info(const lmb_skin *skin) {
    return &skin->info;
}

uint32_t lmb_skin_joint_floats(lmb_skin_method method) {
    return method == LMB_SKIN_METHOD_LINEAR ? LMB_MATRIX_COMPONENTS : LMB_DUAL_COMPONENTS;
}

bool lmb_skin_needs_current(const lmb_skin_layout *layout) {
    return layout->streams[LMB_SKIN_OUTPUT_POSITIONS].format != LMB_SKIN_FORMAT_NONE ||
           layout->streams[LMB_SKIN_OUTPUT_NORMALS].format != LMB_SKIN_FORMAT_NONE ||
           layout->streams[LMB_SKIN_OUTPUT_TANGENTS].format != LMB_SKIN_FORMAT_NONE;
}

// Returns the bytes of a component, 0 for an unknown format.
static uint32_t component_bytes(lmb_skin_format format) {
    static const uint32_t bytes[LMB_SKIN_FORMAT_COUNT] = {[LMB_SKIN_FORMAT_FLOAT] = 4,
                                                          [LMB_SKIN_FORMAT_SNORM16] = 2,
                                                          [LMB_SKIN_FORMAT_UINT8] = 1,
                                                          [LMB_SKIN_FORMAT_UINT16] = 2,
                                                          [LMB_SKIN_FORMAT_UINT32] = 4};
    return (unsigned)format < LMB_SKIN_FORMAT_COUNT ? bytes[format] : 0;
}

// An attribute with what the check and the readers need to know of it. `formats` has a bit for each possible format.
typedef struct attribute {
    const char *name;
    const lmb_skin_attribute *of;
    uint32_t formats;
    uint32_t components;
    uint32_t stride;
} attribute;

enum { POSITIONS, NORMALS, TANGENTS, JOINTS, WEIGHTS, ATTRIBUTES };

static uint32_t stride_of(const attribute *a) {
    return a->of->stride != 0 ? a->of->stride : a->components * component_bytes(a->of->format);
}

static void list_attributes(const lmb_skin_def *def, attribute attributes[ATTRIBUTES]) {
    const uint32_t none = 1u << LMB_SKIN_FORMAT_NONE, floats = 1u << LMB_SKIN_FORMAT_FLOAT,
                   snorm = 1u << LMB_SKIN_FORMAT_SNORM16;
    const uint32_t bytes = 1u << LMB_SKIN_FORMAT_UINT8, halves = 1u << LMB_SKIN_FORMAT_UINT16,
                   words = 1u << LMB_SKIN_FORMAT_UINT32;
    const attribute normal = {"normal", &def->normals, none | floats | snorm, 3, 0};
    attributes[POSITIONS] = (attribute){"position", &def->positions, floats, 3, 0};
    attributes[NORMALS] = normal;
    attributes[NORMALS].components = def->normals.format == LMB_SKIN_FORMAT_SNORM16 ? 4 : 3;
    attributes[TANGENTS] = (attribute){"tangent", &def->tangents, none | floats | snorm, 4, 0};
    attributes[JOINTS] = (attribute){"joint", &def->joints, bytes | halves | words, def->influence_count, 0};
    attributes[WEIGHTS] = (attribute){"weight", &def->weights, floats | bytes | halves, def->influence_count, 0};
    for (int i = 0; i < ATTRIBUTES; i++) {
        attributes[i].stride = stride_of(&attributes[i]);
    }
}

static const char *name_of(const lmb_skin_def *def) {
    return def->name != NULL ? def->name : "mesh";
}

static bool check_attribute(const lmb_skin_def *def, const attribute *a, lmb_error *error) {
    const lmb_skin_format format = a->of->format;
    if ((unsigned)format >= LMB_SKIN_FORMAT_COUNT || !(a->formats >> format & 1u)) {
        return lmb_refuse(error, LMB_ERROR_ARGUMENT, "skin '%.80s': the format of its %ss is not possible",
                          name_of(def), a->name);
    }
    if (format != LMB_SKIN_FORMAT_NONE && a->of->data == NULL) {
        return lmb_refuse(error, LMB_ERROR_ARGUMENT, "skin '%.80s': its %ss are NULL", name_of(def), a->name);
    }
    const uint32_t bytes = a->components * component_bytes(format);
    if (a->stride < bytes || a->stride > LMB_MAX_SKIN_STRIDE) {
        return lmb_refuse(error, LMB_ERROR_ARGUMENT, "skin '%.80s': the stride of its %ss, %u bytes, is not %u to %u",
                          name_of(def), a->name, (unsigned)a->stride, (unsigned)bytes, LMB_MAX_SKIN_STRIDE);
    }
    return true;
}

static bool check_range(const lmb_skin_def *def, const char *what, uint32_t count, uint32_t most, lmb_error *error) {
    return (count > 0 && count <= most) ||
           lmb_refuse(error, LMB_ERROR_LIMIT, "skin '%.80s': %u %s, and 1 to %u are possible", name_of(def),
                      (unsigned)count, what, (unsigned)most);
}

// Returns a target for messages, in `text`.
static const char *name_of_target(const lmb_skin_def *def, uint32_t target, char text[120]) {
    const char *name = def->targets[target].name;
    snprintf(text, 120, "target %u%s%.80s%s", (unsigned)target, name != NULL ? " '" : "", name != NULL ? name : "",
             name != NULL ? "'" : "");
    return text;
}

static bool is_allowed(const float v[3]) {
    return fabsf(v[0]) <= LMB_LARGEST && fabsf(v[1]) <= LMB_LARGEST && fabsf(v[2]) <= LMB_LARGEST;
}

static bool check_target(const lmb_skin_def *def, uint32_t index, lmb_error *error) {
    const lmb_skin_target *target = &def->targets[index];
    char name[120];
    if (target->channel >= def->channel_count) {
        return lmb_refuse(error, LMB_ERROR_ARGUMENT, "skin '%.80s': %s: channel %u is not one of %u", name_of(def),
                          name_of_target(def, index, name), (unsigned)target->channel, (unsigned)def->channel_count);
    }
    if (target->deltas == NULL && target->delta_count > 0) {
        return lmb_refuse(error, LMB_ERROR_ARGUMENT, "skin '%.80s': %s: its displacements are NULL", name_of(def),
                          name_of_target(def, index, name));
    }
    if (target->delta_count > def->vertex_count) {
        return lmb_refuse(error, LMB_ERROR_ARGUMENT, "skin '%.80s': %s: %u displacements, and there are %u vertices",
                          name_of(def), name_of_target(def, index, name), (unsigned)target->delta_count,
                          (unsigned)def->vertex_count);
    }
    for (uint32_t i = 0; i < target->delta_count; i++) {
        const lmb_skin_delta *delta = &target->deltas[i];
        const char *why = delta->vertex >= def->vertex_count                       ? "does not exist"
                          : i > 0 && delta->vertex <= target->deltas[i - 1].vertex ? "does not ascend"
                          : !is_allowed(delta->position) || !is_allowed(delta->normal) || !is_allowed(delta->tangent)
                              ? "has a displacement that is not finite, or above 2^40"
                              : NULL;
        if (why != NULL) {
            return lmb_refuse(error, LMB_ERROR_ARGUMENT, "skin '%.80s': %s: vertex %u %s", name_of(def),
                              name_of_target(def, index, name), (unsigned)delta->vertex, why);
        }
    }
    return true;
}

static bool check_targets(const lmb_skin_def *def, lmb_error *error) {
    if (def->target_count > LMB_MAX_CHANNELS || def->channel_count > LMB_MAX_CHANNELS) {
        return lmb_refuse(error, LMB_ERROR_LIMIT, "skin '%.80s': %u targets, %u channels, and at most %u are possible",
                          name_of(def), (unsigned)def->target_count, (unsigned)def->channel_count, LMB_MAX_CHANNELS);
    }
    if (def->targets == NULL && def->target_count > 0) {
        return lmb_refuse(error, LMB_ERROR_ARGUMENT, "skin '%.80s': its targets are NULL", name_of(def));
    }
    bool valid = true;
    for (uint32_t i = 0; i < def->target_count && valid; i++) {
        valid = check_target(def, i, error);
    }
    return valid;
}

static bool check_def(const lmb_skin_def *def, lmb_error *error) {
    bool valid = check_range(def, "joints", def->joint_count, LMB_MAX_JOINTS, error) &&
                 check_range(def, "vertices", def->vertex_count, LMB_MAX_SKIN_VERTICES, error) &&
                 check_range(def, "influences", def->influence_count, LMB_MAX_SKIN_INFLUENCES, error);
    attribute attributes[ATTRIBUTES];
    list_attributes(def, attributes);
    for (int i = 0; i < ATTRIBUTES && valid; i++) {
        valid = check_attribute(def, &attributes[i], error);
    }
    return valid && check_targets(def, error);
}

// Reads a component of a vertex as a number. Joints are read unchanged, other integers are normalised.
static double read_component(const attribute *a, uint32_t vertex, uint32_t component, bool normalized) {
    const char *from =
        (const char *)a->of->data + (size_t)vertex * a->stride + (size_t)component * component_bytes(a->of->format);
    float number;
    int16_t signed_half;
    uint16_t half;
    uint32_t word;
    switch (a->of->format) {
    case LMB_SKIN_FORMAT_FLOAT:
        memcpy(&number, from, sizeof number);
        return (double)number;
    case LMB_SKIN_FORMAT_SNORM16:
        memcpy(&signed_half, from, sizeof signed_half);
        return signed_half < -32767 ? -1.0 : signed_half / 32767.0;
    case LMB_SKIN_FORMAT_UINT8:
        return *(const uint8_t *)from / (normalized ? 255.0 : 1.0);
    case LMB_SKIN_FORMAT_UINT16:
        memcpy(&half, from, sizeof half);
        return half / (normalized ? 65535.0 : 1.0);
    default:
        memcpy(&word, from, sizeof word);
        return word;
    }
}

// Writes the tables of a block, and refuses values on the way.
typedef struct writer {
    const lmb_skin_def *def;
    attribute attributes[ATTRIBUTES];
    uint32_t *block;
    uint32_t influences; // the largest number of a vertex
    lmb_error *error;
} writer;

static bool refuse_value(const writer *w, int which, uint32_t vertex, const char *why) {
    return lmb_refuse(w->error, LMB_ERROR_ARGUMENT, "skin '%.80s': vertex %u: its %s %s", name_of(w->def),
                      (unsigned)vertex, w->attributes[which].name, why);
}

static void store_float(const writer *w, uint32_t table, uint32_t row, uint32_t vertex, double value) {
    const float rounded = fabs(value) < (double)LMB_SMALLEST ? 0.0f : (float)value;
    memcpy(&w->block[w->block[table] + (size_t)row * w->block[FIELD(SKIN, padded)] + vertex], &rounded, sizeof rounded);
}

// Reads three components. Refuses those that are not finite or too large.
static bool read_vector(const writer *w, int which, uint32_t vertex, double v[3]) {
    for (uint32_t i = 0; i < 3; i++) {
        v[i] = read_component(&w->attributes[which], vertex, i, true);
        if (!(fabs(v[i]) <= (double)LMB_LARGEST)) {
            return refuse_value(w, which, vertex, "is not finite, or above 2^40");
        }
    }
    return true;
}

static bool write_position(const writer *w, uint32_t vertex) {
    double v[3];
    const bool valid = read_vector(w, POSITIONS, vertex, v);
    for (uint32_t i = 0; i < 3 && valid; i++) {
        store_float(w, FIELD(SKIN, positions), i, vertex, v[i]);
    }
    return valid;
}

// Writes a normal or the direction of a tangent: of unit length, or zero.
static bool write_direction(const writer *w, int which, uint32_t table, uint32_t vertex) {
    double v[3];
    if (!read_vector(w, which, vertex, v)) {
        return false;
    }
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (uint32_t i = 0; i < 3; i++) {
        store_float(w, table, i, vertex, length > 0.0 ? v[i] / length : 0.0);
    }
    return true;
}

static bool write_tangent(const writer *w, uint32_t vertex) {
    const double side = read_component(&w->attributes[TANGENTS], vertex, 3, true);
    if (isnan(side)) {
        return refuse_value(w, TANGENTS, vertex, "has a sign that is NaN");
    }
    store_float(w, FIELD(SKIN, tangents), 3, vertex, side < 0.0 ? -1.0 : 1.0);
    return write_direction(w, TANGENTS, FIELD(SKIN, tangents), vertex);
}

typedef struct influence {
    uint32_t joint;
    double weight;
} influence;

// Inserts an influence behind those of the same weight or more.
static void insert_influence(influence *list, uint32_t count, influence added) {
    while (count > 0 && list[count - 1].weight < added.weight) {
        list[count] = list[count - 1];
        count--;
    }
    list[count] = added;
}

// Reads the influences whose weight is not 0, by descending weight.
static bool read_influences(const writer *w, uint32_t vertex, influence list[LMB_MAX_SKIN_INFLUENCES], uint32_t *count,
                            double *sum) {
    *count = 0;
    *sum = 0.0;
    for (uint32_t i = 0; i < w->def->influence_count; i++) {
        const double weight = read_component(&w->attributes[WEIGHTS], vertex, i, true);
        const double joint = read_component(&w->attributes[JOINTS], vertex, i, false);
        if (!(weight >= 0.0 && weight <= (double)LMB_LARGEST)) {
            return refuse_value(w, WEIGHTS, vertex, "is negative, not finite, or above 2^40");
        }
        if (weight > 0.0 && joint >= w->def->joint_count) {
            return refuse_value(w, JOINTS, vertex, "is not one of the rig");
        }
        if (weight > 0.0) {
            insert_influence(list, (*count)++, (influence){(uint32_t)joint, weight});
            *sum += weight;
        }
    }
    return *count > 0 || refuse_value(w, WEIGHTS, vertex, "is 0 for all of its joints");
}

static bool write_influences(writer *w, uint32_t vertex) {
    influence list[LMB_MAX_SKIN_INFLUENCES];
    uint32_t count;
    double sum;
    if (!read_influences(w, vertex, list, &count, &sum)) {
        return false;
    }
    for (uint32_t i = 0; i < w->def->influence_count; i++) {
        const bool used = i < count && list[i].weight / sum >= (double)LMB_SMALLEST;
        w->block[w->block[FIELD(SKIN, indices)] + (size_t)i * w->block[FIELD(SKIN, padded)] + vertex] =
            list[used ? i : 0].joint;
        store_float(w, FIELD(SKIN, weights), i, vertex, used ? list[i].weight / sum : 0.0);
        w->influences = used && i >= w->influences ? i + 1 : w->influences;
    }
    return true;
}

static void store_displacement(uint32_t *to, const float v[3]) {
    for (int i = 0; i < 3; i++) {
        const float snapped = fabsf(v[i]) < LMB_SMALLEST ? 0.0f : v[i];
        memcpy(to + i, &snapped, sizeof snapped);
    }
}

// Writes the entries of all targets, sorted by vertex: counts those of each vertex, adds the counts up, then writes the
// targets in order. While it writes, the offset of a vertex is that of its next entry.
static void write_targets(const writer *w) {
    uint32_t *block = w->block;
    if (block[FIELD(SKIN, morphs)] == 0) {
        return;
    }
    const lmb_skin_def *def = w->def;
    const uint32_t padded = block[FIELD(SKIN, padded)], words = block[FIELD(SKIN, entry_words)];
    uint32_t *starts = block + block[FIELD(SKIN, morphs)];
    uint32_t at = block[FIELD(SKIN, morphs)] + padded + SKIN_PADDING;
    for (uint32_t t = 0; t < def->target_count; t++) {
        for (uint32_t i = 0; i < def->targets[t].delta_count; i++) {
            starts[def->targets[t].deltas[i].vertex] += words;
        }
    }
    for (uint32_t vertex = 0; vertex < padded + SKIN_PADDING; vertex++) {
        const uint32_t own = starts[vertex];
        starts[vertex] = at;
        at += own;
    }
    for (uint32_t t = 0; t < def->target_count; t++) {
        for (uint32_t i = 0; i < def->targets[t].delta_count; i++) {
            const lmb_skin_delta *delta = &def->targets[t].deltas[i];
            uint32_t *entry = block + starts[delta->vertex];
            entry[FIELD(ENTRY, channel)] = def->targets[t].channel;
            store_displacement(entry + FIELD(ENTRY, position), delta->position);
            if (block[FIELD(SKIN, entry_normal)] != 0) {
                store_displacement(entry + block[FIELD(SKIN, entry_normal)], delta->normal);
            }
            if (block[FIELD(SKIN, entry_tangent)] != 0) {
                store_displacement(entry + block[FIELD(SKIN, entry_tangent)], delta->tangent);
            }
            starts[delta->vertex] += words;
        }
    }
    // Now each offset is the end of its vertex, which is the beginning of the next.
    memmove(starts + 1, starts, (padded + SKIN_PADDING - 1) * sizeof *starts);
    starts[0] = block[FIELD(SKIN, morphs)] + padded + SKIN_PADDING;
}

// Not inlined: float_environment.h.
static LMB_NOINLINE bool write_tables(writer *w) {
    bool valid = true;
    for (uint32_t vertex = 0; vertex < w->def->vertex_count && valid; vertex++) {
        valid = write_position(w, vertex) &&
                (w->block[FIELD(SKIN, normals)] == 0 || write_direction(w, NORMALS, FIELD(SKIN, normals), vertex)) &&
                (w->block[FIELD(SKIN, tangents)] == 0 || write_tangent(w, vertex)) && write_influences(w, vertex);
    }
    write_targets(w);
    w->block[FIELD(SKIN, influences)] = w->influences;
    return valid;
}

// Reserves a table of a block, and returns its offset.
static uint32_t reserve(uint64_t *size, uint32_t rows, uint32_t padded) {
    const uint64_t at = *size;
    *size += (uint64_t)rows * padded;
    return (uint32_t)at;
}

static uint64_t count_entries(const lmb_skin_def *def) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < def->target_count; i++) {
        count += def->targets[i].delta_count;
    }
    return count;
}

// Fills the header's part about morph targets. The offsets of vertices have room for one more, and for lanes.
static void plan_targets(const lmb_skin_def *def, uint32_t padded, uint32_t header[WORDS_OF(SKIN)], uint64_t *size) {
    const uint64_t entries = count_entries(def);
    uint32_t words = 4;
    header[FIELD(SKIN, channels)] = def->target_count > 0 ? def->channel_count : 0;
    if (entries == 0) {
        return;
    }
    if (def->normals.format != LMB_SKIN_FORMAT_NONE) {
        header[FIELD(SKIN, entry_normal)] = words;
        words += 3;
    }
    if (def->tangents.format != LMB_SKIN_FORMAT_NONE) {
        header[FIELD(SKIN, entry_tangent)] = words;
        words += 3;
    }
    header[FIELD(SKIN, entry_words)] = words;
    header[FIELD(SKIN, morphs)] = reserve(size, 1, padded + SKIN_PADDING);
    *size += entries * words;
}

// Fills a zeroed header, and returns the words of the block.
static uint64_t plan_block(const lmb_skin_def *def, uint32_t header[WORDS_OF(SKIN)]) {
    const uint32_t padded = (def->vertex_count + SKIN_PADDING - 1) / SKIN_PADDING * SKIN_PADDING;
    uint64_t size = SKIN_PADDING; // tables are aligned
    header[FIELD(SKIN, vertices)] = def->vertex_count;
    header[FIELD(SKIN, padded)] = padded;
    header[FIELD(SKIN, influences)] = def->influence_count;
    header[FIELD(SKIN, joints)] = def->joint_count;
    header[FIELD(SKIN, positions)] = reserve(&size, 3, padded);
    header[FIELD(SKIN, normals)] = def->normals.format != LMB_SKIN_FORMAT_NONE ? reserve(&size, 3, padded) : 0;
    header[FIELD(SKIN, tangents)] = def->tangents.format != LMB_SKIN_FORMAT_NONE ? reserve(&size, 4, padded) : 0;
    header[FIELD(SKIN, indices)] = reserve(&size, def->influence_count, padded);
    header[FIELD(SKIN, weights)] = reserve(&size, def->influence_count, padded);
    plan_targets(def, padded, header, &size);
    return size;
}

_Static_assert(WORDS_OF(SKIN) <= SKIN_PADDING, "the header reaches into the tables");
_Static_assert((uint64_t)(LMB_MAX_SKIN_VERTICES + SKIN_PADDING) * (10 + 2 * LMB_MAX_SKIN_INFLUENCES) < MOST_WORDS,
               "a block without targets may exceed what kernels index");

lmb_result lmb_skin_create(const lmb_skin_def *def, const lmb_host *host, lmb_skin **skin, lmb_error *error) {
    if (skin != NULL) {
        *skin = NULL;
    }
    if (def == NULL || skin == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "skin: %s is NULL", def == NULL ? "the descriptor" : "the result");
    }
    lmb_error unread;
    error = error != NULL ? error : &unread;
    if (!check_def(def, error)) {
        return error->result;
    }
    uint32_t header[WORDS_OF(SKIN)] = {0};
    const uint64_t size = plan_block(def, header);
    if (size >= MOST_WORDS) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "skin '%.80s': its targets have %llu displacements, which is too many",
                        name_of(def), (unsigned long long)count_entries(def));
    }
    const lmb_host resolved = lmb_host_resolve(host);
    const size_t name_size = strlen(name_of(def)) + 1;
    lmb_skin *created = lmb_host_allocate(&resolved, 1, sizeof *created);
    uint32_t *block = lmb_host_allocate(&resolved, (size_t)size, sizeof *block);
    char *name = lmb_host_allocate(&resolved, name_size, 1);
    if (created == NULL || block == NULL || name == NULL) {
        lmb_host_release(&resolved, created);
        lmb_host_release(&resolved, block);
        lmb_host_release(&resolved, name);
        return lmb_fail(error, LMB_ERROR_MEMORY, "skin '%.80s': no memory for %u vertices", name_of(def),
                        (unsigned)def->vertex_count);
    }
    memcpy(block, header, sizeof header);
    memcpy(name, name_of(def), name_size);
    *created = (lmb_skin){.host = resolved, .name = name, .block = block};
    writer w = {.def = def, .block = block, .error = error};
    list_attributes(def, w.attributes);
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const bool valid = write_tables(&w);
    lmb_environment_leave(&callers);
    if (!valid) {
        lmb_skin_destroy(created);
        return error->result;
    }
    created->info = (lmb_skin_info){.vertex_count = block[FIELD(SKIN, vertices)],
                                    .joint_count = block[FIELD(SKIN, joints)],
                                    .influence_count = block[FIELD(SKIN, influences)],
                                    .has_targets = block[FIELD(SKIN, morphs)] != 0,
                                    .words = block,
                                    .word_count = (size_t)size};
    *skin = created;
    return LMB_OK;
}

void lmb_skin_destroy(lmb_skin *skin) {
    if (skin == NULL) {
        return;
    }
    const lmb_host host = skin->host;
    lmb_host_release(&host, skin->name);
    lmb_host_release(&host, skin->block);
    lmb_host_release(&host, skin);
}

lmb_skin_layout lmb_default_skin_layout(uint32_t character_count) {
    return (lmb_skin_layout){.character_count = character_count,
                             .palette_count = character_count,
                             .streams[LMB_SKIN_OUTPUT_POSITIONS].format = LMB_SKIN_FORMAT_FLOAT};
}

// Returns the bytes of an element of a stream, 0 if its format is not possible.
static uint32_t element_bytes(lmb_skin_output output, lmb_skin_format format) {
    const bool directions = output == LMB_SKIN_OUTPUT_NORMALS || output == LMB_SKIN_OUTPUT_TANGENTS;
    if (format == LMB_SKIN_FORMAT_SNORM16) {
        return directions ? 8 : 0;
    }
    return format != LMB_SKIN_FORMAT_FLOAT ? 0 : output == LMB_SKIN_OUTPUT_TANGENTS ? 16 : 12;
}

uint32_t lmb_skin_stride(const lmb_skin_layout *layout, lmb_skin_output output) {
    const lmb_skin_stream *stream = &layout->streams[output];
    return stream->format == LMB_SKIN_FORMAT_NONE ? 0
           : stream->stride != 0                  ? stream->stride
                                                  : element_bytes(output, stream->format);
}

static uint32_t character_vertices(const lmb_skin *skin, const lmb_skin_layout *layout) {
    return layout->character_vertices != 0 ? layout->character_vertices : lmb_skin_get_info(skin)->vertex_count;
}

size_t lmb_skin_character_bytes(const lmb_skin *skin, const lmb_skin_layout *layout, lmb_skin_output output) {
    return (size_t)character_vertices(skin, layout) * lmb_skin_stride(layout, output);
}

static lmb_result check_stream(const lmb_skin *skin, const lmb_skin_layout *layout, lmb_skin_output output,
                               uint32_t characters, lmb_error *error) {
    const char *name = lmb_skin_output_name(output);
    const uint32_t bytes = element_bytes(output, layout->streams[output].format);
    const uint32_t stride = lmb_skin_stride(layout, output);
    if (bytes == 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "skin '%.80s': the format of the stream of %s is not possible",
                        skin->name, name);
    }
    if (stride < bytes || stride > LMB_MAX_SKIN_STRIDE || stride % 4 != 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "skin '%.80s': the stride of the stream of %s, %u bytes, is not a multiple of 4 from %u to %u",
                        skin->name, name, (unsigned)stride, (unsigned)bytes, LMB_MAX_SKIN_STRIDE);
    }
    if ((output == LMB_SKIN_OUTPUT_NORMALS && skin->block[FIELD(SKIN, normals)] == 0) ||
        (output == LMB_SKIN_OUTPUT_TANGENTS && skin->block[FIELD(SKIN, tangents)] == 0)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "skin '%.80s': it has no %s to be written", skin->name, name);
    }
    if ((uint64_t)characters * character_vertices(skin, layout) >= MOST_WORDS / (stride / 4)) {
        return lmb_fail(error, LMB_ERROR_LIMIT,
                        "skin '%.80s': %u characters of the stream of %s have 2^31 words or more", skin->name,
                        (unsigned)characters, name);
    }
    return LMB_OK;
}

lmb_result lmb_skin_check_layout(const lmb_skin *skin, const lmb_skin_layout *layout, uint32_t characters,
                                 lmb_error *error) {
    if (skin == NULL || layout == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "skin: %s is NULL", skin == NULL ? "the mesh" : "the layout");
    }
    if ((unsigned)layout->method >= LMB_SKIN_METHOD_COUNT) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "skin '%.80s': there is no method %u", skin->name,
                        (unsigned)layout->method);
    }
    if (layout->first_character > layout->character_count ||
        layout->palette_count > layout->character_count - layout->first_character) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "skin '%.80s': characters %u and %u more are not in a batch of %u",
                        skin->name, (unsigned)layout->first_character, (unsigned)layout->palette_count,
                        (unsigned)layout->character_count);
    }
    if (layout->character_vertices != 0 && layout->character_vertices < lmb_skin_get_info(skin)->vertex_count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "skin '%.80s': a character has room for %u vertices, and the mesh %u", skin->name,
                        (unsigned)layout->character_vertices, (unsigned)lmb_skin_get_info(skin)->vertex_count);
    }
    const uint64_t joint_words = (uint64_t)lmb_skin_get_info(skin)->joint_count * lmb_skin_joint_floats(layout->method);
    if (layout->palette_count >= MOST_WORDS / joint_words) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "skin '%.80s': the palette of %u characters has 2^31 words or more",
                        skin->name, (unsigned)layout->palette_count);
    }
    bool any = false;
    for (int i = 0; i < LMB_SKIN_OUTPUT_COUNT; i++) {
        if (layout->streams[i].format != LMB_SKIN_FORMAT_NONE) {
            lmb_result result = check_stream(skin, layout, (lmb_skin_output)i, characters, error);
            if (result != LMB_OK) {
                return result;
            }
            any = true;
        }
    }
    if ((uint64_t)layout->palette_count * skin->block[FIELD(SKIN, channels)] >= MOST_WORDS) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "skin '%.80s': the channels of %u characters are 2^31 or more",
                        skin->name, (unsigned)layout->palette_count);
    }
    return any ? LMB_OK : lmb_fail(error, LMB_ERROR_ARGUMENT, "skin '%.80s': no stream is written", skin->name);
}
