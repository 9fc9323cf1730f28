// Pose, model matrices and palette in one dispatch, specialised for one program. Each workgroup computes several
// characters, and writes only the requested outputs to memory. src/gpu/workgroup.c chooses the number of characters and
// invocations per workgroup.
//
// Neighbouring invocations compute the same joint of neighbouring characters, which read the same tracks. So the more
// characters a workgroup has, the more loads of a subgroup share cache lines, and the fewer of its branches on the kind
// of a track diverge. An invocation computes every JOINT_STRIDE-th joint of one character.
//
// In a workgroup, invocations evaluate poses and store joints' local matrices in shared memory. Then they compute model
// matrices band by band of the hierarchy, outputs that need model matrices, and the palette, all in place.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
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
// Weights of a character of which runs need to know which are above 0.
layout(constant_id = 28) const uint WEIGHED = 0u;
// A workgroup consists of blocks of so many consecutive invocations, of which each is in one subgroup.
layout(constant_id = 29) const uint STRAND_BLOCK = 4u;

// Sources and weights of stage 1 that the invocations load ahead; 0: none.
layout(constant_id = 39) const uint AHEAD_SOURCES = 0u;
layout(constant_id = 40) const uint AHEAD_WEIGHTS = 0u;

#define LMB_HOLDS_OPERANDS
#include "batch.glsl"
#include "inertia.glsl"
#include "outputs.glsl"
#include "specialized.glsl"

// The operands of instructions, the records of sources and weights, are the same for all joints of a character. With
// WALKS an invocation loads them once for its character, because loads are expensive if kernels run on a CPU. The
// arrays are in registers, as every index is a constant. src/gpu/specialized.c replaces the body of run_hold_operands()
// by calls of the two functions before it. They take the index of a source or weight, and the number of the operand.
uvec4 held_rows[MOST_HELD * SOURCE_ROWS];
float held_weights[MOST_HELD];

void run_hold_source(const uint index, const uint operand) {
    uint row = source_row(at_joint, index);
    held_rows[operand * SOURCE_ROWS] = push.sources.at[row];
    held_rows[operand * SOURCE_ROWS + 1u] = push.sources.at[row + 1u];
    held_rows[operand * SOURCE_ROWS + 2u] = push.sources.at[row + 2u];
    held_rows[operand * SOURCE_ROWS + 3u] = push.sources.at[row + 3u];
}

void run_hold_weight(const uint index, const uint operand) {
    held_weights[operand] = load_weight(at_joint, index);
}

void run_hold_operands() {
    run_hold_source(0u, 0u);
    run_hold_weight(0u, 0u);
}

bool is_held() {
    return WALKS && at_operand != NOT_HELD;
}

uint operand_row(evaluation e, uint instruction) {
    return is_held() ? at_operand * SOURCE_ROWS : source_row(e, READ(e.program, instruction, SAMPLE, source));
}

uvec4 load_operand_row(uint row) {
    if (is_held()) {
        return held_rows[row];
    }
    return push.sources.at[row];
}

float load_operand_weight(evaluation e, uint instruction) {
    if (is_held()) {
        return held_weights[at_operand];
    }
    return load_weight(e, READ(e.program, instruction, BLEND, weight));
}

// What is held for the end of a sum is the total.
float load_operand_total(evaluation e, uint instruction) {
    if (is_held()) {
        return held_weights[at_operand];
    }
    return load_weight(e, READ(e.program, instruction, BLEND, weight) + 1u);
}

#define NO_CHARACTER 0xffffffffu

// The number of invocations per workgroup is a multiple of CHARACTERS.
const uint JOINT_STRIDE = gl_WorkGroupSize.x / CHARACTERS;

// Rows of four floats. The stride between characters is an odd number of rows, so that neighbouring invocations, which
// have neighbouring characters, access different banks.
const uint MATRIX_ROWS = 3u * JOINTS;
const uint MATRIX_STRIDE = MATRIX_ROWS | 1u;
const uint WEIGHED_STRIDE = WEIGHED / 32u + 1u;
// From a row to the one that a workgroup's invocation stores next.
const uint SLOT_STEP = gl_WorkGroupSize.x / MATRIX_ROWS;
const uint ROW_STEP = gl_WorkGroupSize.x % MATRIX_ROWS;

shared vec4 matrices[CHARACTERS * MATRIX_STRIDE]; // [character][joint][row]: local, then model, then palette matrices
shared uint places[CHARACTERS];                   // index in the span, or NO_CHARACTER
shared uint rows[CHARACTERS];                     // of outputs: of row n of `matrices`, less n; or NO_CHARACTER
shared float levels[CHARACTERS];                  // levels of detail
shared uint weighed_bits[CHARACTERS * WEIGHED_STRIDE];
shared uint corners[CHARACTERS * BOX_COMPONENTS]; // of bounding boxes, as integers in the same order as the floats

evaluation slot_evaluation(uint slot) {
    evaluation e;
    e.program = push.program;
    e.slot = slot;
    e.character = places[slot];
    e.parameters = push.span.parameters;
    e.joint = 0u;
    e.counts = true;
    return e;
}

// The character of an invocation, at its first joint.
evaluation own_evaluation() {
    evaluation e = slot_evaluation(gl_LocalInvocationIndex % CHARACTERS);
    e.joint = gl_LocalInvocationIndex / CHARACTERS;
    return e;
}

// Finds the characters of the workgroup, and their levels of detail.
void find_places() {
    uint first = grid_group() * CHARACTERS;
    for (uint slot = gl_LocalInvocationIndex; slot < CHARACTERS; slot += gl_WorkGroupSize.x) {
        places[slot] = NO_CHARACTER;
        rows[slot] = NO_CHARACTER;
        if (USES_LOD) {
            levels[slot] = LAST_LOD;
        }
        for (uint group = 0u; WEIGHED > 0u && group < WEIGHED_STRIDE; group++) {
            weighed_bits[slot * WEIGHED_STRIDE + group] = 0u;
        }
        if (first + slot < slot_count()) {
            uint character = slot_character(first + slot);
            if (character < span_count()) {
                places[slot] = character;
                rows[slot] = (character - slot) * MATRIX_ROWS;
                if (USES_LOD) {
                    levels[slot] = lod_level(character_evaluation(character));
                }
            } else if (is_refused(character)) {
                count_refusal(REFUSED_CHARACTER);
            }
        }
    }
}

// Loads a word of each sector that poses will read of stage 1's results, all at once, so that they do not wait for one
// after another. An invocation loads at most one word.
uint touch_results() {
    evaluation e = own_evaluation();
    uint touched = 0u;
    if (e.character != NO_CHARACTER) {
        if (e.joint < 2u * AHEAD_SOURCES) {
            touched = push.sources.at[source_row(e, e.joint / 2u) + 2u * (e.joint & 1u)].x;
        } else if (e.joint < 2u * AHEAD_SOURCES + AHEAD_WEIGHTS) {
            touched = push.weights.at[weight_place(e, e.joint - 2u * AHEAD_SOURCES)];
        }
    }
    return touched;
}

// Finds which weights of the workgroup's characters are above 0, between barriers.
void find_weighed() {
    for (uint n = gl_LocalInvocationIndex; n < CHARACTERS * WEIGHED; n += gl_WorkGroupSize.x) {
        uint slot = n % CHARACTERS;
        uint weight = n / CHARACTERS;
        if (places[slot] != NO_CHARACTER && load_weight(slot_evaluation(slot), weight) > 0.0f) {
            atomicOr(weighed_bits[slot * WEIGHED_STRIDE + weight / 32u], 1u << (weight & 31u));
        }
    }
}

uint weighed(evaluation e, uint group) {
    return weighed_bits[e.slot * WEIGHED_STRIDE + group];
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
        store_affine(output_words(OUTPUT_MODEL), (e.character * JOINTS + e.joint) * MATRIX_COMPONENTS, model);
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
    at_joint = own_evaluation();
    if (at_joint.character == NO_CHARACTER) {
        return;
    }
    uint n = at_joint.joint;
    for (; n < computed; n += JOINT_STRIDE) {
        at_joint.joint = n;
        bool dropped = false;
        if (USES_LOD && last) {
            at_joint.joint = lod_joint(push.program, n);
            dropped = joint_is_dropped(push.program, at_joint.joint, levels[at_joint.slot]);
        }
        if (dropped) {
            leave_at_rest();
        } else {
            run_straight_line();
            poses[0] = shown_pose(at_joint, at_pass, poses[0]);
        }
        if (last) {
            keep_pose(keeps_matrices);
        } else {
            store_exchange(at_joint, at_pass, poses[0]);
        }
    }
    if (USES_LOD) {
        for (; n < JOINTS; n += JOINT_STRIDE) {
            at_joint.joint = lod_joint(push.program, n);
            leave_at_rest();
            keep_pose(keeps_matrices);
        }
    }
}

// Runs all passes. If WALKS, an invocation does not need poses of other invocations, so there are no barriers.
void pose_all(bool keeps_matrices) {
    bool last = false;
    at_joint = own_evaluation();
    if (WALKS && at_joint.character != NO_CHARACTER) {
        run_hold_operands();
    }
    for (at_pass = 0u; !last; at_pass++) {
        last = is_last_pass(at_pass);
        pose(keeps_matrices, last);
        if (!last && !WALKS) {
            memoryBarrierBuffer();
            barrier();
        }
    }
    if (WALKS && keeps_matrices && places[gl_LocalInvocationIndex] != NO_CHARACTER) {
        write_outputs(slot_evaluation(gl_LocalInvocationIndex));
    }
}

// Whether the rows of a matrix are divided among three invocations of a block, where a workgroup has few characters.
const bool DIVIDES_ROWS = CHARACTERS < 8u;
const uint STRAND_LANES = DIVIDES_ROWS ? 3u : 1u;
const uint BLOCK_WALKERS = STRAND_BLOCK / STRAND_LANES;

// Computes a joint's model matrix in place. With DIVIDES_ROWS an invocation computes a row, which is the first of
// `above`: it depends on the same row of the parent's matrix. It reads the whole local matrix before another invocation
// overwrites a row of it.
affine step_down(affine above, uint own, uint row, bool is_live) {
    affine local = load_matrix(own);
    affine model = matrix_under(above, local);
    if (DIVIDES_ROWS) {
        subgroupBarrier();
    }
    if (is_live) {
        if (DIVIDES_ROWS) {
            matrices[own + row] = vec4(model.xx, model.xy, model.xz, model.xt);
        } else {
            store_matrix(own, model);
        }
    }
    return model;
}

affine load_above(uint at, uint row) {
    affine above = load_matrix(at);
    if (DIVIDES_ROWS) {
        vec4 own = matrices[at + row];
        above = affine_of_rows(make_row(own.x, own.y, own.z, own.w), row_y(above), row_z(above));
    }
    return above;
}

// Goes down the strands of a band; the invocations of a subgroup together, as many steps as its longest strand has.
void walk_strands(uint first, uint end, bool has_parents) {
    uint strands = HEADER(push.program, PROGRAM, strands);
    uint order = HEADER(push.program, PROGRAM, order);
    uint lane = gl_LocalInvocationIndex % gl_SubgroupSize;
    uint in_block = lane % STRAND_BLOCK;
    uint row = in_block % STRAND_LANES;
    uint walker = lane / STRAND_BLOCK * BLOCK_WALKERS + in_block / STRAND_LANES;
    uint round = (gl_LocalInvocationIndex - lane) / STRAND_BLOCK * BLOCK_WALKERS;
    for (; round < (end - first) * CHARACTERS; round += gl_WorkGroupSize.x / STRAND_BLOCK * BLOCK_WALKERS) {
        uint longest = first + round / CHARACTERS;
        uint steps = push.program.at[strands + longest + 1u] - push.program.at[strands + longest];
        uint strand = first + (round + walker) / CHARACTERS;
        uint at = (round + walker) % CHARACTERS * MATRIX_STRIDE;
        uint place = 0u;
        uint stop = 0u;
        if (in_block < BLOCK_WALKERS * STRAND_LANES && strand < end) {
            place = push.program.at[strands + strand];
            stop = push.program.at[strands + strand + 1u];
        }
        uint entry = place < stop ? push.program.at[order + place] : 0u;
        affine above = load_above(at + 3u * (entry >> (has_parents ? 16u : 0u) & 0xffffu), row);
        // A root's model matrix is its local one.
        uint i = has_parents ? 0u : 1u;
        place += i;
        entry = place < stop ? push.program.at[order + place] : 0u;
        for (; i < steps; i++) {
            uint own = at + 3u * (entry & 0xffffu);
            bool is_live = place < stop;
            place++;
            entry = place < stop ? push.program.at[order + place] : 0u;
            above = step_down(above, own, row, is_live);
        }
    }
}

// Computes model matrices from local matrices, band by band of the hierarchy (PROGRAM.bands).
void descend() {
    uint bands = HEADER(push.program, PROGRAM, bands);
    uint count = HEADER(push.program, PROGRAM, band_count);
    for (uint band = 0u; band < count; band++) {
        walk_strands(push.program.at[bands + band], push.program.at[bands + band + 1u], band > 0u);
        barrier();
    }
}

// Computes the palette from model matrices.
void bind() {
    uint inverse_binds = HEADER(push.program, PROGRAM, inverse_bind) / WIDE_LOAD;
    uint first = (gl_LocalInvocationIndex % CHARACTERS) * MATRIX_STRIDE;
    for (uint joint = gl_LocalInvocationIndex / CHARACTERS; joint < JOINTS; joint += JOINT_STRIDE) {
        uint at = first + 3u * joint;
        affine inverse_bind = load_wide_affine(inverse_binds + 3u * joint);
        store_matrix(at, palette_matrix(load_matrix(at), inverse_bind));
    }
}

// Copies a row of the named palette, before it may be overwritten.
void copy_previous(uint at, vec4 row) {
    Rows previous = push.span.rows[OUTPUT_PREVIOUS_PALETTE];
    if (push.has_named != 0u) {
        previous.at[at] = push.span.named_rows.at[at];
    } else {
        previous.at[at] = row;
    }
}

// Neighbouring invocations store neighbouring rows, so that a subgroup writes whole cache lines.
void store_matrices(uint which) {
    Rows to = push.span.rows[which];
    uint slot = gl_LocalInvocationIndex / MATRIX_ROWS;
    uint row = gl_LocalInvocationIndex % MATRIX_ROWS;
    for (uint n = gl_LocalInvocationIndex; n < CHARACTERS * MATRIX_ROWS; n += gl_WorkGroupSize.x) {
        uint begin = rows[slot];
        if (begin != NO_CHARACTER) {
            uint at = begin + n;
            vec4 stored = matrices[n + slot * (MATRIX_STRIDE - MATRIX_ROWS)];
            if (which == OUTPUT_PALETTE && writes_output(OUTPUT_PREVIOUS_PALETTE)) {
                copy_previous(at, stored);
            }
            to.at[at] = stored;
        }
        row += ROW_STEP;
        slot += SLOT_STEP + (row >= MATRIX_ROWS ? 1u : 0u);
        row -= row >= MATRIX_ROWS ? MATRIX_ROWS : 0u;
    }
}

// Computes joint 0 first, because it determines the signs of further roots; then the strands of each band.
void find_dual_quaternions() {
    uint bands = HEADER(push.program, PROGRAM, bands);
    uint strands = HEADER(push.program, PROGRAM, strands);
    uint order = HEADER(push.program, PROGRAM, order);
    uint count = HEADER(push.program, PROGRAM, band_count);
    evaluation e = own_evaluation();
    for (uint turn = 0u; turn <= count; turn++) {
        uint strand = gl_LocalInvocationIndex / CHARACTERS + (turn > 0u ? push.program.at[bands + turn - 1u] : 0u);
        uint end = turn > 0u ? push.program.at[bands + turn] : 1u;
        for (; strand < end && e.character != NO_CHARACTER; strand += JOINT_STRIDE) {
            uint n = turn > 0u ? push.program.at[strands + strand] : 0u;
            uint stop = turn > 0u ? push.program.at[strands + strand + 1u] : 1u;
            for (; n < stop; n++) {
                e.joint = turn > 0u ? push.program.at[order + n] & 0xffffu : 0u;
                if ((e.joint == 0u) == (turn == 0u)) {
                    write_dual_quaternion(e);
                }
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
    for (evaluation e = own_evaluation(); e.joint < JOINTS; e.joint += JOINT_STRIDE) {
        uint at = e.slot * BOX_COMPONENTS;
        if (e.character != NO_CHARACTER) {
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
        if (e.character != NO_CHARACTER) {
            box all;
            all.low = make_vector(number_of(corners[at]), number_of(corners[at + 1u]), number_of(corners[at + 2u]));
            all.high =
                make_vector(number_of(corners[at + 3u]), number_of(corners[at + 4u]), number_of(corners[at + 5u]));
            store_bounds(e, all);
        }
    }
}

void find_sockets() {
    uint sockets = HEADER(push.program, PROGRAM, socket_count);
    evaluation e = own_evaluation();
    if (e.character != NO_CHARACTER) {
        for (uint socket = e.joint; socket < sockets; socket += JOINT_STRIDE) {
            write_socket(e, socket);
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

// Whether a list has no character of this span for the workgroup.
bool is_empty() {
    bool empty = !WALKS && push.has_list != 0u;
    for (uint slot = 0u; slot < CHARACTERS && empty; slot++) {
        empty = places[slot] == NO_CHARACTER;
    }
    return empty;
}

void main() {
    bool keeps_matrices = (push.outputs & ~(1u << OUTPUT_LOCAL)) != 0u;
    find_places();
    barrier();
    uint touched = touch_results();
    if (WEIGHED > 0u) {
        find_weighed();
        barrier();
    }
    keeps_matrices = keeps_matrices && !is_empty();
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
    if (touched == BITS_SIGN) {
        corners[0] = 0u; // nobody reads it any more: this keeps the loads
    }
}
