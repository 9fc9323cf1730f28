// Small kernels that measure what bounds a device: small.c.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint WORKGROUP_WORDS = 1u;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words {
    uint at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer Counters {
    uint resident;
    uint most;
};

// Matches struct small_push in lab.h.
layout(push_constant, scalar) uniform Push {
    Words words;
    Counters counters;
    uint mode;
    uint turns;
    uint mask;
    uint stride;
    uint start;
    float factor;
    float term;
}
push;

// Match enum small_mode.
const uint ARITHMETIC = 1u;
const uint LOAD_WORKGROUP = 2u;
const uint LOAD = 3u;
const uint BARRIER = 4u;
const uint RESIDENT = 5u;
const uint FILL = 6u;

shared uint memory[WORKGROUP_WORDS];

// 32 dependent multiplications and additions.
float calculate(float x) {
    for (uint k = 0u; k < 16u; k++) {
        x = x * push.factor + push.term;
    }
    return x;
}

uint run_arithmetic() {
    float x = float(gl_LocalInvocationIndex);
    for (uint i = 0u; i < push.turns; i++) {
        x = calculate(x);
    }
    return floatBitsToUint(x);
}

uint load_workgroup_memory() {
    for (uint i = gl_LocalInvocationIndex; i < WORKGROUP_WORDS; i += gl_WorkGroupSize.x) {
        memory[i] = (i + push.stride) % WORKGROUP_WORDS;
    }
    barrier();
    uint at = gl_LocalInvocationIndex % WORKGROUP_WORDS;
    for (uint i = 0u; i < push.turns; i++) {
        at = memory[at];
    }
    return at;
}

uint load_memory() {
    uint at = push.start & push.mask;
    for (uint i = 0u; i < push.turns; i++) {
        at = push.words.at[at];
    }
    return at;
}

uint run_barriers() {
    for (uint i = 0u; i < push.turns; i++) {
        memory[0] = i;
        barrier();
    }
    return memory[0];
}

uint count_resident() {
    if (gl_LocalInvocationIndex == 0u) {
        atomicMax(push.counters.most, atomicAdd(push.counters.resident, 1u) + 1u);
    }
    memory[WORKGROUP_WORDS - 1u] = gl_LocalInvocationIndex;
    barrier();
    uint found = run_arithmetic() + memory[WORKGROUP_WORDS - 1u];
    barrier();
    if (gl_LocalInvocationIndex == 0u) {
        atomicAdd(push.counters.resident, 0xffffffffu);
    }
    return found;
}

void fill() {
    for (uint at = gl_GlobalInvocationID.x; at <= push.mask; at += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
        push.words.at[at] = (at + push.stride) & push.mask;
    }
}

void main() {
    uint found = 0u;
    if (push.mode == ARITHMETIC) {
        found = run_arithmetic();
    } else if (push.mode == LOAD_WORKGROUP) {
        found = load_workgroup_memory();
    } else if (push.mode == LOAD) {
        found = load_memory();
    } else if (push.mode == BARRIER) {
        found = run_barriers();
    } else if (push.mode == RESIDENT) {
        found = count_resident();
    } else if (push.mode == FILL) {
        fill();
    }
    if (found == 0x7fc12345u) { // never, which no compiler knows
        push.words.at[gl_LocalInvocationIndex] = found;
    }
}
