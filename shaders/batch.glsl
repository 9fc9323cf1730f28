// Inputs of a batch's kernels, and the locations of a character's data.

// Matrices, stored in rows of four floats.
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Rows {
    vec4 at[];
};

// Words of the program, four at a time.
layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer WideWords {
    uvec4 at[];
};

// Words that one invocation of a workgroup writes and another reads.
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer SharedWords {
    uint at[];
};

// Four rows per source and character: weight, time, clip, key times; key, fraction, interval, tracks; and the terms of
// slerps.
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Sources {
    uvec4 at[];
};
#define SOURCE_ROWS 4u

// Poses in exchange areas, three rows each: rotation; translation and weight; scale. Within a workgroup, one invocation
// may write a pose that another one reads.
layout(buffer_reference, scalar, buffer_reference_align = 16) coherent buffer SharedRows {
    vec4 at[];
};

// Only the kernel of stage 1 writes its results.
#ifdef LMB_WEIGHTS_KERNEL
#define RESULT_WORDS Words
#define RESULT_ROWS Sources
#else
layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer ReadSources {
    uvec4 at[];
};
#define RESULT_WORDS ReadWords
#define RESULT_ROWS ReadSources
#endif

#define PUSH_OF_BATCH
#include "ops/push.h"

#include "grid.glsl"

uvec4 load_wide(uint row) {
    return push.wide_program.at[row];
}

// Loads a matrix of the program, from a row on.
affine load_wide_affine(uint row) {
    vec4 x = uintBitsToFloat(load_wide(row));
    vec4 y = uintBitsToFloat(load_wide(row + 1u));
    vec4 z = uintBitsToFloat(load_wide(row + 2u));
    return affine_of_rows(make_row(x.x, x.y, x.z, x.w), make_row(y.x, y.y, y.z, y.w), make_row(z.x, z.y, z.z, z.w));
}

void count_refusal(uint kind) {
    atomicAdd(push.refused.at[kind], 1u);
}

ReadWords pose_buffer(evaluation e, uint index) {
    return push.span.poses[index];
}

ReadWords point_buffer(evaluation e) {
    return push.span.points;
}

ReadWords transform_buffer(evaluation e) {
    return push.span.transforms;
}

Words kept_memory(evaluation e) {
    Words kept = push.span.inertia;
    return kept;
}

Words reached_memory(evaluation e) {
    Words reached = push.span.reached;
    return reached;
}

Words output_words(uint which) {
    Words words = push.span.outputs[which];
    return words;
}

uint weight_place(evaluation e, uint index) {
    return index * push.span_characters + e.character;
}

float load_weight(evaluation e, uint index) {
    return uintBitsToFloat(push.weights.at[weight_place(e, index)]);
}

#ifdef LMB_WEIGHTS_KERNEL
void store_weight(evaluation e, uint index, float weight) {
    push.weights.at[weight_place(e, index)] = floatBitsToUint(weight);
}
#endif

uint source_row(evaluation e, uint index) {
    return weight_place(e, index) * SOURCE_ROWS;
}

source source_of_row(uvec4 first) {
    source s;
    s.weight = uintBitsToFloat(first.x);
    s.time = uintBitsToFloat(first.y);
    s.clip = first.z;
    s.known = first.z != 0u;
    return s;
}

source load_source(evaluation e, uint index) {
    return source_of_row(push.sources.at[source_row(e, index)]);
}

// The first row of the record of the source that an instruction samples. Only load_operand_row() takes it.
uint operand_row(evaluation e, uint instruction);
uvec4 load_operand_row(uint row);

#ifndef LMB_HOLDS_OPERANDS
uint operand_row(evaluation e, uint instruction) {
    return source_row(e, READ(e.program, instruction, SAMPLE, source));
}

uvec4 load_operand_row(uint row) {
    return push.sources.at[row];
}

float load_operand_weight(evaluation e, uint instruction) {
    return load_weight(e, READ(e.program, instruction, BLEND, weight));
}

float load_operand_total(evaluation e, uint instruction) {
    return load_weight(e, READ(e.program, instruction, BLEND, weight) + 1u);
}
#endif

source load_operand_source(evaluation e, uint instruction) {
    return source_of_row(load_operand_row(operand_row(e, instruction)));
}

key_search load_search(evaluation e, uint instruction) {
    uint row = operand_row(e, instruction);
    uvec4 first = load_operand_row(row);
    uvec4 second = load_operand_row(row + 1u);
    key_search search;
    search.times = first.w;
    search.tracks = second.w;
    search.found.key = second.x & 0x7fffffffu;
    search.found.after = search.found.key + (second.x >> 31u);
    search.found.fraction = uintBitsToFloat(second.y);
    search.found.interval = uintBitsToFloat(second.z);
    search.terms = row + 2u;
    return search;
}

key_position load_terms(key_search search) {
    key_position at = search.found;
    vec4 first = uintBitsToFloat(load_operand_row(search.terms));
    vec4 second = uintBitsToFloat(load_operand_row(search.terms + 1u));
    at.from.t = 1.0f - at.fraction;
    at.from.first = first.x;
    at.from.second = first.y;
    at.from.third = first.z;
    at.to.t = at.fraction;
    at.to.first = first.w;
    at.to.second = second.x;
    at.to.third = second.y;
    return at;
}

#ifdef LMB_WEIGHTS_KERNEL
void store_source(evaluation e, uint index, source s, key_search search) {
    Sources to = push.sources;
    uint row = source_row(e, index);
    key_position found = prepare_rotations(search.found);
    to.at[row] = uvec4(floatBitsToUint(s.weight), floatBitsToUint(s.time), s.clip, search.times);
    to.at[row + 1u] = uvec4(found.key | (found.after - found.key) << 31u, floatBitsToUint(found.fraction),
                            floatBitsToUint(found.interval), search.tracks);
    to.at[row + 2u] = floatBitsToUint(vec4(found.from.first, found.from.second, found.from.third, found.to.first));
    to.at[row + 3u] = floatBitsToUint(vec4(found.to.second, found.to.third, 0.0f, 0.0f));
}
#endif

uint exchange_place(evaluation e, uint area, uint joint) {
    return ((area * push.span_characters + e.character) * push.exchanged + joint) * 3u;
}

quaternion load_exchange_rotation(evaluation e, uint area, uint joint) {
    vec4 q = push.exchange.at[exchange_place(e, area, joint)];
    return make_quaternion(q.x, q.y, q.z, q.w);
}

transform load_exchange(evaluation e, uint area, uint joint) {
    uint at = exchange_place(e, area, joint);
    vec4 t = push.exchange.at[at + 1u];
    transform pose;
    pose.q = load_exchange_rotation(e, area, joint);
    pose.t = make_vector(t.x, t.y, t.z);
    pose.s = make_vector(1.0f, 1.0f, 1.0f);
    if (USES_SCALE) {
        vec4 s = push.exchange.at[at + 2u];
        pose.s = make_vector(s.x, s.y, s.z);
    }
    pose.weight = t.w;
    return pose;
}

void store_exchange(evaluation e, uint area, transform pose) {
    uint at = exchange_place(e, area, e.joint);
    push.exchange.at[at] = vec4(pose.q.x, pose.q.y, pose.q.z, pose.q.w);
    push.exchange.at[at + 1u] = vec4(pose.t.x, pose.t.y, pose.t.z, pose.weight);
    if (USES_SCALE) {
        push.exchange.at[at + 2u] = vec4(pose.s.x, pose.s.y, pose.s.z, 0.0f);
    }
}

bool is_last_pass(uint pass) {
    return !USES_EXCHANGES || pass + 1u == HEADER(push.program, PROGRAM, pass_count);
}

bool writes_output(uint which) {
    return (push.outputs & (1u << which)) != 0u;
}

// Number of the span's characters.
uint span_count() {
    uint left = push.characters - push.first;
    return left < push.span_characters ? left : push.span_characters;
}

// Number of characters to run: all of the span, or those of the list that are in the span.
uint slot_count() {
    uint count = span_count();
    if (push.has_list != 0u) {
        count = HEADER(push.dispatch, DISPATCH, count);
    }
    return count;
}

// The index in the span of a slot's character. Not below span_count() if a list has a character of another span.
uint slot_character(uint slot) {
    uint character = slot;
    if (push.has_list != 0u) {
        character = push.list.at[slot] - push.first;
    }
    return character;
}

// Whether no span has a character. Only the kernel of the first span counts it.
bool is_refused(uint character) {
    return push.first == 0u && character >= push.characters;
}

// Makes a frame for a character of the span, at joint 0.
evaluation character_evaluation(uint character) {
    evaluation e;
    e.program = push.program;
    e.parameters = push.span.parameters;
    e.character = character;
    e.joint = 0u;
    e.counts = true;
    e.slot = 0u;
    return e;
}

void store_local(evaluation e, transform local) {
    if (!USES_SCALE) {
        local.s = make_vector(1.0f, 1.0f, 1.0f);
    }
    Words to = output_words(OUTPUT_LOCAL);
    uint joints = HEADER(push.program, PROGRAM, joints);
    uint at = e.character * HEADER(push.program, PROGRAM, pose_floats) + e.joint;
    to.at[at] = floatBitsToUint(local.t.x);
    to.at[at + joints] = floatBitsToUint(local.t.y);
    to.at[at + 2u * joints] = floatBitsToUint(local.t.z);
    to.at[at + 3u * joints] = floatBitsToUint(local.q.x);
    to.at[at + 4u * joints] = floatBitsToUint(local.q.y);
    to.at[at + 5u * joints] = floatBitsToUint(local.q.z);
    to.at[at + 6u * joints] = floatBitsToUint(local.q.w);
    to.at[at + 7u * joints] = floatBitsToUint(local.s.x);
    to.at[at + 8u * joints] = floatBitsToUint(local.s.y);
    to.at[at + 9u * joints] = floatBitsToUint(local.s.z);
}

void store_affine(Words to, uint at, affine m) {
    to.at[at] = floatBitsToUint(m.xx);
    to.at[at + 1u] = floatBitsToUint(m.xy);
    to.at[at + 2u] = floatBitsToUint(m.xz);
    to.at[at + 3u] = floatBitsToUint(m.xt);
    to.at[at + 4u] = floatBitsToUint(m.yx);
    to.at[at + 5u] = floatBitsToUint(m.yy);
    to.at[at + 6u] = floatBitsToUint(m.yz);
    to.at[at + 7u] = floatBitsToUint(m.yt);
    to.at[at + 8u] = floatBitsToUint(m.zx);
    to.at[at + 9u] = floatBitsToUint(m.zy);
    to.at[at + 10u] = floatBitsToUint(m.zz);
    to.at[at + 11u] = floatBitsToUint(m.zt);
}
