// Pose, model matrices and palette in one dispatch, specialised for one program. Each workgroup computes several
// characters, and writes only the requested outputs to memory. src/gpu_workgroup.c chooses the number of characters and
// invocations per workgroup.
//
// Neighbouring invocations compute the same joint of neighbouring characters, which read the same tracks. So the loads
// of a subgroup share cache lines, and its branches on the kind of a track do not diverge.
//
// In a workgroup, invocations evaluate poses and store joints' local matrices in shared memory. Then they compute model
// matrices level by level of the hierarchy, outputs that need model matrices, and the palette, all in place.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#define LMB_GLSL
#include "ops/operations.h"
#include "ops/records.h"
#include "ops/inertia.h"
#include "ops/transform.h"
#include "ops/outputs.h"

layout(local_size_x = 64, local_size_x_id = 4) in;
layout(constant_id = 5) const uint JOINTS = 1u;
layout(constant_id = 6) const uint CHARACTERS = 1u; // per workgroup
// Each invocation computes a whole character, joint by joint, parents first. This needs no barriers, which are
// expensive if kernels run on a CPU.
layout(constant_id = 7) const bool WALKS = false;

#include "batch.glsl"
#include "inertia.glsl"
#include "outputs.glsl"
#include "specialized.glsl"

#define NO_SPAN 0xffffffffu

// Rows of four floats. The stride between characters is an odd number of rows, so that neighbouring invocations, which
// have neighbouring characters, access different banks.
const uint MATRIX_ROWS = 3u * JOINTS;
const uint MATRIX_STRIDE = MATRIX_ROWS | 1u;

shared vec4 matrices[CHARACTERS * MATRIX_STRIDE]; // [character][joint][row]: local, then model, then palette matrices
shared uvec2 places[CHARACTERS]; // span, or NO_SPAN if there is no character, and index in the span
shared float levels[CHARACTERS]; // levels of detail
shared uint corners[CHARACTERS * BOX_COMPONENTS]; // of bounding boxes, as integers in the same order as the floats

evaluation slot_evaluation(uint slot) {
    evaluation e;
    e.program = push.program;
    e.slot = slot;
    e.span = places[slot].x;
    e.character = places[slot].y;
    e.parameters = push.spans.at[e.span].parameters;
    e.joint = 0u;
    e.counts = true;
    return e;
}

// Finds the characters of the workgroup, and their levels of detail.
void find_places() {
    uint first = grid_group() * CHARACTERS;
    for (uint slot = gl_LocalInvocationIndex; slot < CHARACTERS; slot += gl_WorkGroupSize.x) {
        places[slot] = uvec2(NO_SPAN, 0u);
        if (USES_LOD) {
            levels[slot] = LAST_LOD;
        }
        if (first + slot < slot_count()) {
            uint character = slot_character(first + slot);
            if (character < push.characters) {
                evaluation e = character_evaluation(character);
                places[slot] = uvec2(e.span, e.character);
                if (USES_LOD) {
                    levels[slot] = lod_level(e);
                }
            } else {
                count_refusal(REFUSED_CHARACTER);
            }
        }
    }
}

affine load_matrix(uint at) {
    vec4 x = matrices[at];
    vec4 y = matrices[at + 1u];
    vec4 z = matrices[at + 2u];
    affine m;
    m.xx = x.x;
    m.xy = x.y;
    m.xz = x.z;
    m.xt = x.w;
    m.yx = y.x;
    m.yy = y.y;
    m.yz = y.z;
    m.yt = y.w;
    m.zx = z.x;
    m.zy = z.y;
    m.zz = z.z;
    m.zt = z.w;
    return m;
}

void store_matrix(uint at, affine m) {
    matrices[at] = vec4(m.xx, m.xy, m.xz, m.xt);
    matrices[at + 1u] = vec4(m.yx, m.yy, m.yz, m.yt);
    matrices[at + 2u] = vec4(m.zx, m.zy, m.zz, m.zt);
}

affine load_model(evaluation e) {
    return load_matrix(e.slot * MATRIX_STRIDE + 3u * e.joint);
}

void store_model(evaluation e, affine model) {
    store_matrix(e.slot * MATRIX_STRIDE + 3u * e.joint, model);
    if (writes_output(OUTPUT_MODEL)) {
        store_affine(push.spans.at[e.span].outputs[OUTPUT_MODEL], (e.character * JOINTS + e.joint) * MATRIX_COMPONENTS, model);
    }
}

// The number of joints that any character of the workgroup computes: the first ones in lod order.
uint count_computed() {
    float lowest = levels[0];
    for (uint slot = 1u; slot < CHARACTERS; slot++) {
        lowest = levels[slot] < lowest ? levels[slot] : lowest;
    }
    return lod_count(push.program, uint(lowest));
}

// Gives the rest pose to a joint that its character's level of detail drops.
void leave_at_rest() {
    poses[0] = load_rest(push.program, at_joint.joint);
    if (USES_MATRICES) {
        poses[1] = zero_transform();
    }
}

// Stores a joint's pose, and its matrix if needed.
void keep_pose(bool keeps_matrices) {
    if (writes_output(OUTPUT_LOCAL)) {
        store_local(at_joint, poses[0]);
    }
    if (keeps_matrices) {
        affine own;
        if (USES_MATRICES) {
            own = blended_matrix(push.program, at_joint.joint, poses[0], poses[1]);
        } else {
            own = own_matrix(poses[0]);
        }
        if (WALKS) {
            finish_joint(at_joint, own);
        } else {
            store_matrix(at_joint.slot * MATRIX_STRIDE + 3u * at_joint.joint, own);
        }
    }
}

// Runs a pass. The last one computes local transforms and joints' local matrices. With levels of detail, the first loop
// covers only joints that some character computes: a shorter loop is faster on every device.
void pose(bool keeps_matrices, bool last) {
    uint computed = JOINTS;
    if (USES_LOD && last) {
        computed = count_computed();
    }
    uint n = gl_LocalInvocationIndex;
    for (; n < CHARACTERS * computed; n += gl_WorkGroupSize.x) {
        if (places[n % CHARACTERS].x == NO_SPAN) {
            continue;
        }
        at_joint = slot_evaluation(n % CHARACTERS);
        at_joint.joint = n / CHARACTERS;
        bool dropped = false;
        if (USES_LOD && last) {
            at_joint.joint = lod_joint(push.program, at_joint.joint);
            dropped = joint_is_dropped(push.program, at_joint.joint, levels[at_joint.slot]);
        }
        if (dropped) {
            leave_at_rest();
        } else {
            run_straight_line();
            if (last) {
                poses[0] = shown_pose(at_joint, poses[0]);
            }
        }
        if (last) {
            keep_pose(keeps_matrices);
        } else {
            store_exchange(at_joint, at_pass, poses[0]);
        }
    }
    if (USES_LOD) {
        for (; n < CHARACTERS * JOINTS; n += gl_WorkGroupSize.x) {
            if (places[n % CHARACTERS].x == NO_SPAN) {
                continue;
            }
            at_joint = slot_evaluation(n % CHARACTERS);
            at_joint.joint = lod_joint(push.program, n / CHARACTERS);
            leave_at_rest();
            keep_pose(keeps_matrices);
        }
    }
}

// Runs all passes. If WALKS, an invocation does not need poses of other invocations, so there are no barriers.
void pose_all(bool keeps_matrices) {
    bool last = false;
    for (at_pass = 0u; !last; at_pass++) {
        last = is_last_pass(at_pass);
        pose(keeps_matrices, last);
        if (!last && !WALKS) {
            memoryBarrierBuffer();
            barrier();
        }
    }
    if (WALKS && keeps_matrices && places[gl_LocalInvocationIndex].x != NO_SPAN) {
        write_outputs(slot_evaluation(gl_LocalInvocationIndex));
    }
}

// Computes model matrices from local matrices, level by level of the hierarchy. A level has few joints, so invocations
// share the work for all characters of a workgroup.
void descend() {
    uint levels = push.program.at[PROGRAM_LEVELS];
    uint order = push.program.at[PROGRAM_ORDER];
    uint count = push.program.at[PROGRAM_LEVEL_COUNT];
    for (uint level = 1u; level < count; level++) {
        uint first = push.program.at[levels + level];
        uint end = push.program.at[levels + level + 1u];
        for (uint n = gl_LocalInvocationIndex; n < CHARACTERS * (end - first); n += gl_WorkGroupSize.x) {
            uint entry = push.program.at[order + first + n / CHARACTERS];
            uint at = (n % CHARACTERS) * MATRIX_STRIDE;
            uint own = at + 3u * (entry & 0xffffu);
            store_matrix(own, matrix_under(load_matrix(at + 3u * (entry >> 16u)), load_matrix(own)));
        }
        barrier();
    }
}

// Computes the palette from model matrices.
void bind() {
    uint inverse_binds = push.program.at[PROGRAM_INVERSE_BIND];
    for (uint n = gl_LocalInvocationIndex; n < CHARACTERS * JOINTS; n += gl_WorkGroupSize.x) {
        uint joint = n / CHARACTERS;
        uint at = (n % CHARACTERS) * MATRIX_STRIDE + 3u * joint;
        affine inverse_bind = load_affine(push.program, inverse_binds + joint * MATRIX_COMPONENTS);
        store_matrix(at, palette_matrix(load_matrix(at), inverse_bind));
    }
}

// Copies a row of the named palette, before it may be overwritten.
void copy_previous(uint span, uint at, vec4 row) {
    Rows named = push.spans.at[span].named_rows;
    push.spans.at[span].rows[OUTPUT_PREVIOUS_PALETTE].at[at] = push.has_named != 0u ? named.at[at] : row;
}

// Neighbouring invocations store neighbouring rows, so that a subgroup writes whole cache lines.
void store_matrices(uint which) {
    for (uint n = gl_LocalInvocationIndex; n < CHARACTERS * MATRIX_ROWS; n += gl_WorkGroupSize.x) {
        uint slot = n / MATRIX_ROWS;
        uint row = n % MATRIX_ROWS;
        uvec2 place = places[slot];
        if (place.x != NO_SPAN) {
            Rows to = push.spans.at[place.x].rows[which];
            uint at = place.y * MATRIX_ROWS + row;
            vec4 stored = matrices[slot * MATRIX_STRIDE + row];
            if (which == OUTPUT_PALETTE && writes_output(OUTPUT_PREVIOUS_PALETTE)) {
                copy_previous(place.x, at, stored);
            }
            to.at[at] = stored;
        }
    }
}

// Computes joint 0 first, because it determines the signs of further roots; then level by level.
void find_dual_quaternions() {
    uint levels = push.program.at[PROGRAM_LEVELS];
    uint order = push.program.at[PROGRAM_ORDER];
    uint count = push.program.at[PROGRAM_LEVEL_COUNT];
    for (uint turn = 0u; turn <= count; turn++) {
        uint level = turn == 0u ? 0u : turn - 1u;
        uint first = push.program.at[levels + level];
        uint end = push.program.at[levels + level + 1u];
        for (uint n = gl_LocalInvocationIndex; n < CHARACTERS * (end - first); n += gl_WorkGroupSize.x) {
            evaluation e = slot_evaluation(n % CHARACTERS);
            e.joint = push.program.at[order + first + n / CHARACTERS] & 0xffffu;
            if (e.span != NO_SPAN && (e.joint == 0u) == (turn == 0u)) {
                write_dual_quaternion(e);
            }
        }
        memoryBarrierBuffer();
        barrier();
    }
}

// Maps floats to integers in the same order; zeros must have no sign. And back.
uint ordered_bits(float x) {
    uint bits = floatBitsToUint(x);
    return (bits & BITS_SIGN) != 0u ? ~bits : bits | BITS_SIGN;
}

float number_of(uint ordered) {
    return uintBitsToFloat((ordered & BITS_SIGN) != 0u ? ordered ^ BITS_SIGN : ~ordered);
}

// Minimum and maximum do not depend on the order of joining.
void find_bounds() {
    for (uint n = gl_LocalInvocationIndex; n < CHARACTERS * BOX_COMPONENTS; n += gl_WorkGroupSize.x) {
        corners[n] = n % BOX_COMPONENTS < 3u ? 0xffffffffu : 0u;
    }
    barrier();
    for (uint n = gl_LocalInvocationIndex; n < CHARACTERS * JOINTS; n += gl_WorkGroupSize.x) {
        evaluation e = slot_evaluation(n % CHARACTERS);
        e.joint = n / CHARACTERS;
        uint at = e.slot * BOX_COMPONENTS;
        if (e.span != NO_SPAN) {
            box one = box_of(e);
            atomicMin(corners[at], ordered_bits(one.low.x));
            atomicMin(corners[at + 1u], ordered_bits(one.low.y));
            atomicMin(corners[at + 2u], ordered_bits(one.low.z));
            atomicMax(corners[at + 3u], ordered_bits(one.high.x));
            atomicMax(corners[at + 4u], ordered_bits(one.high.y));
            atomicMax(corners[at + 5u], ordered_bits(one.high.z));
        }
    }
    barrier();
    for (uint n = gl_LocalInvocationIndex; n < CHARACTERS; n += gl_WorkGroupSize.x) {
        evaluation e = slot_evaluation(n);
        uint at = n * BOX_COMPONENTS;
        if (e.span != NO_SPAN) {
            box all;
            all.low = make_vector(number_of(corners[at]), number_of(corners[at + 1u]), number_of(corners[at + 2u]));
            all.high = make_vector(number_of(corners[at + 3u]), number_of(corners[at + 4u]), number_of(corners[at + 5u]));
            store_bounds(e, all);
        }
    }
}

void find_sockets() {
    uint sockets = push.program.at[PROGRAM_SOCKET_COUNT];
    for (uint n = gl_LocalInvocationIndex; n < CHARACTERS * sockets; n += gl_WorkGroupSize.x) {
        evaluation e = slot_evaluation(n % CHARACTERS);
        if (e.span != NO_SPAN) {
            write_socket(e, n / CHARACTERS);
        }
    }
}

#define FROM_PALETTES ((1u << OUTPUT_LOCAL) | (1u << OUTPUT_PALETTE) | (1u << OUTPUT_PREVIOUS_PALETTE))

// Writes outputs that need model matrices, before the palette replaces them.
void find_outputs() {
    if (writes_output(OUTPUT_MODEL)) {
        store_matrices(OUTPUT_MODEL);
    }
    if (writes_output(OUTPUT_DUAL_QUATERNIONS)) {
        find_dual_quaternions();
    }
    if (writes_output(OUTPUT_BOUNDS)) {
        find_bounds();
    }
    if (writes_output(OUTPUT_SOCKETS)) {
        find_sockets();
    }
}

void main() {
    bool keeps_matrices = (push.outputs & ~(1u << OUTPUT_LOCAL)) != 0u;
    find_places();
    barrier();
    pose_all(keeps_matrices);
    if (!WALKS && keeps_matrices) {
        barrier();
        descend();
        if ((push.outputs & ~FROM_PALETTES) != 0u) {
            find_outputs();
            barrier();
        }
        if (writes_output(OUTPUT_PALETTE)) {
            bind();
            barrier();
            store_matrices(OUTPUT_PALETTE);
        }
    }
}
