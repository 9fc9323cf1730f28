// Shared by both pose kernels: the joint of an invocation.

layout(local_size_x = 64) in;

#include "batch.glsl"
#include "inertia.glsl"

// Whether the invocation has a joint: false after the last character's last joint, and if the character is outside the
// batch, which its first joint's invocation counts in the first pass. (This is separate from current_evaluation()
// because a function that returns a frame or none would leave a pointer undefined, which crashes SwiftShader.)
bool has_joint() {
    uint joints = HEADER(push.program, PROGRAM, joints);
    uint index = grid_index();
    uint slot = index / joints;
    if (slot >= slot_count()) {
        return false;
    }
    bool known = slot_character(slot) < span_count();
    if (!known && push.pass == 0u && index == slot * joints && is_refused(slot_character(slot))) {
        count_refusal(REFUSED_CHARACTER);
    }
    return known;
}

// Whether the character's level of detail drops the joint.
bool is_left_at_rest(evaluation e) {
    bool dropped = false;
    if (USES_LOD && HEADER(e.program, PROGRAM, lod) != 0u) {
        float level = lod_level(e);
        dropped = joint_is_dropped(e.program, e.joint, level);
    }
    return dropped;
}

// Whether the program's result is matrices. The model kernel reads them from the buffer of model matrices.
bool gives_matrices() {
    return USES_MATRICES && HEADER(push.program, PROGRAM, matrices) != 0u;
}

void store_own(evaluation e, affine own) {
    uint at = (e.character * HEADER(push.program, PROGRAM, joints) + e.joint) * MATRIX_COMPONENTS;
    store_affine(output_words(OUTPUT_MODEL), at, own);
}

evaluation current_evaluation() {
    uint joints = HEADER(push.program, PROGRAM, joints);
    uint index = grid_index();
    uint slot = index / joints;
    evaluation e = character_evaluation(slot_character(slot));
    e.joint = index - slot * joints;
    return e;
}
