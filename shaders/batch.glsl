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

// Two rows per source. Each row is stored for all characters of a span consecutively.
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Sources {
    uvec4 at[];
};

// Poses in exchange areas, three rows each: rotation; translation and weight; scale. Within a workgroup, one invocation
// may write a pose that another one reads.
layout(buffer_reference, scalar, buffer_reference_align = 16) coherent buffer SharedRows {
    vec4 at[];
};

// A span's buffers, each starting at the span's first character. Must match struct lmb_span_row in src/gpu_push.h.
struct span_row {
    Words parameters;
    Words outputs[OUTPUT_COUNT];
    Rows rows[OUTPUT_COUNT]; // the same addresses: not every driver casts one reference to another
    SharedWords dual_quaternions; // the same address again
    Words named_palette;          // of the previous frame
    Rows named_rows;              // the same address
    ReadWords poses[MOST_POSE_BUFFERS];
    Words inertia; // memory kept between frames: of inertialization and of chains
    Sources sources; // [source][2][character]
    Words weights; // [weight][character]
    SharedRows exchange; // [area][character][joint, then channel]
    ReadWords points;
    ReadWords transforms;
};

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Spans {
    span_row at[];
};

// Must match struct lmb_batch_push in src/gpu_push.h.
layout(push_constant, scalar) uniform Push {
    ReadWords program;
    Spans spans;
    Words refused;
    Words list;           // indices of characters, if there is a list
    Words dispatch;       // written by list.comp
    uint characters;      // of the batch
    uint span_characters; // of each span except the last
    uint outputs;         // a bit per output
    uint has_named;       // whether there is a palette of the previous frame
    uint has_list;
    uint pass; // not used by kernels that run all passes
    WideWords wide_program; // the program's address again
}
push;

#include "grid.glsl"

uvec4 load_wide(uint at) {
    return push.wide_program.at[at >> 2u];
}

void count_refusal(uint kind) {
    atomicAdd(push.refused.at[kind], 1u);
}

ReadWords pose_buffer(evaluation e, uint index) {
    return push.spans.at[e.span].poses[index];
}

ReadWords point_buffer(evaluation e) {
    return push.spans.at[e.span].points;
}

ReadWords transform_buffer(evaluation e) {
    return push.spans.at[e.span].transforms;
}

Words kept_memory(evaluation e) {
    return push.spans.at[e.span].inertia;
}

uint weight_place(evaluation e, uint index) {
    return index * push.span_characters + e.character;
}

float load_weight(evaluation e, uint index) {
    return uintBitsToFloat(push.spans.at[e.span].weights.at[weight_place(e, index)]);
}

void store_weight(evaluation e, uint index, float weight) {
    push.spans.at[e.span].weights.at[weight_place(e, index)] = floatBitsToUint(weight);
}

source load_source(evaluation e, uint index) {
    uvec4 words = push.spans.at[e.span].sources.at[weight_place(e, 2u * index)];
    source s;
    s.weight = uintBitsToFloat(words.x);
    s.time = uintBitsToFloat(words.y);
    s.clip = words.z;
    s.known = words.z != 0u;
    return s;
}

key_search load_search(evaluation e, uint index) {
    uvec4 words = push.spans.at[e.span].sources.at[weight_place(e, 2u * index + 1u)];
    key_search search;
    search.times = words.x;
    search.found.key = words.y & 0x7fffffffu;
    search.found.after = search.found.key + (words.y >> 31u);
    search.found.fraction = uintBitsToFloat(words.z);
    search.found.interval = uintBitsToFloat(words.w);
    return search;
}

void store_source(evaluation e, uint index, source s, key_search search) {
    Sources to = push.spans.at[e.span].sources;
    to.at[weight_place(e, 2u * index)] = uvec4(floatBitsToUint(s.weight), floatBitsToUint(s.time), s.clip, 0u);
    to.at[weight_place(e, 2u * index + 1u)] =
        uvec4(search.times, search.found.key | (search.found.after - search.found.key) << 31u,
              floatBitsToUint(search.found.fraction), floatBitsToUint(search.found.interval));
}

uint exchange_place(evaluation e, uint area, uint joint) {
    uint joints = push.program.at[PROGRAM_JOINTS] + push.program.at[PROGRAM_CHANNELS];
    return ((area * push.span_characters + e.character) * joints + joint) * 3u;
}

quaternion load_exchange_rotation(evaluation e, uint area, uint joint) {
    vec4 q = push.spans.at[e.span].exchange.at[exchange_place(e, area, joint)];
    return make_quaternion(q.x, q.y, q.z, q.w);
}

transform load_exchange(evaluation e, uint area, uint joint) {
    uint at = exchange_place(e, area, joint);
    vec4 t = push.spans.at[e.span].exchange.at[at + 1u];
    transform pose;
    pose.q = load_exchange_rotation(e, area, joint);
    pose.t = make_vector(t.x, t.y, t.z);
    pose.s = make_vector(1.0f, 1.0f, 1.0f);
    if (USES_SCALE) {
        vec4 s = push.spans.at[e.span].exchange.at[at + 2u];
        pose.s = make_vector(s.x, s.y, s.z);
    }
    pose.weight = t.w;
    return pose;
}

void store_exchange(evaluation e, uint area, transform pose) {
    uint at = exchange_place(e, area, e.joint);
    push.spans.at[e.span].exchange.at[at] = vec4(pose.q.x, pose.q.y, pose.q.z, pose.q.w);
    push.spans.at[e.span].exchange.at[at + 1u] = vec4(pose.t.x, pose.t.y, pose.t.z, pose.weight);
    if (USES_SCALE) {
        push.spans.at[e.span].exchange.at[at + 2u] = vec4(pose.s.x, pose.s.y, pose.s.z, 0.0f);
    }
}

bool is_last_pass(uint pass) {
    return !USES_EXCHANGES || pass + 1u == push.program.at[PROGRAM_PASS_COUNT];
}

bool writes_output(uint which) {
    return (push.outputs & (1u << which)) != 0u;
}

// Number of characters to run: all of the batch, or those of the list.
uint slot_count() {
    uint count = push.characters;
    if (push.has_list != 0u) {
        count = push.dispatch.at[DISPATCH_COUNT];
    }
    return count;
}

// The index of a slot's character. Indices from a list may be outside the batch.
uint slot_character(uint slot) {
    uint character = slot;
    if (push.has_list != 0u) {
        character = push.list.at[slot];
    }
    return character;
}

// Makes a frame for a character, at joint 0.
evaluation character_evaluation(uint character) {
    evaluation e;
    e.program = push.program;
    e.span = character / push.span_characters;
    e.parameters = push.spans.at[e.span].parameters;
    e.character = character - e.span * push.span_characters;
    e.joint = 0u;
    e.counts = true;
    e.slot = 0u;
    return e;
}

void store_local(evaluation e, transform local) {
    Words to = push.spans.at[e.span].outputs[OUTPUT_LOCAL];
    uint joints = push.program.at[PROGRAM_JOINTS];
    uint at = e.character * push.program.at[PROGRAM_POSE_FLOATS] + e.joint;
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
