// What both pose kernels share: which joint an invocation has.

layout(local_size_x = 64) in;

#include "batch.glsl"

// Whether the invocation's joint is past the last one of the last character. (One function that gave a frame or none would
// leave a pointer undefined, which SwiftShader does not survive.)
bool is_past_the_end() {
    return grid_index() / push.program.at[PROGRAM_JOINTS] >= push.count;
}

frame current_frame() {
    uint joints = push.program.at[PROGRAM_JOINTS];
    uint index = grid_index();
    uint slot = index / joints;
    frame f = character_frame(slot);
    f.joint = index - slot * joints;
    return f;
}
