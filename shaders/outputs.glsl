// Model matrices, the palette, and outputs computed from them. The includer stores model matrices: it defines
// load_model() and store_model() for a frame's joint.
affine load_model(frame f);
void store_model(frame f, affine model);

// Copies the named palette first, because it may be the buffer that is written.
void store_palette(frame f, affine palette) {
    uint at = (f.character * push.program.at[PROGRAM_JOINTS] + f.joint) * MATRIX_COMPONENTS;
    if (writes_stage(STAGE_PREVIOUS_PALETTE)) {
        Words previous = push.spans.at[f.span].stages[STAGE_PREVIOUS_PALETTE];
        if (push.has_named != 0u) {
            Words named = push.spans.at[f.span].named_palette;
            for (uint i = 0u; i < MATRIX_COMPONENTS; i++) {
                previous.at[at + i] = named.at[at + i];
            }
        } else {
            store_affine(previous, at, palette);
        }
    }
    store_affine(push.spans.at[f.span].stages[STAGE_PALETTE], at, palette);
}

// Computes a joint's matrices. Its parent's model matrix must be stored already.
void finish_joint(frame f, affine own) {
    uint parent = push.program.at[push.program.at[PROGRAM_PARENTS] + f.joint];
    affine model = own;
    if (parent != NO_PARENT) {
        frame above = f;
        above.joint = parent;
        model = matrix_under(load_model(above), own);
    }
    store_model(f, model);
    if (writes_stage(STAGE_PALETTE)) {
        affine inverse_bind = load_affine(push.program, push.program.at[PROGRAM_INVERSE_BIND] + f.joint * MATRIX_COMPONENTS);
        store_palette(f, palette_matrix(model, inverse_bind));
    }
}

// The dual quaternion of joint_beside() must be written already, by any invocation of the workgroup.
void write_dual_quaternion(frame f) {
    SharedWords to = push.spans.at[f.span].dual_quaternions;
    uint first = f.character * push.program.at[PROGRAM_JOINTS];
    quaternion beside = all_quaternion(0.0f, 0.0f, 0.0f, 1.0f);
    if (f.joint > 0u) {
        uint parent = push.program.at[push.program.at[PROGRAM_PARENTS] + f.joint];
        uint from = (first + joint_beside(parent)) * DUAL_COMPONENTS;
        beside = make_quaternion(LOAD_FLOAT(to, from), LOAD_FLOAT(to, from + 1u), LOAD_FLOAT(to, from + 2u),
                                 LOAD_FLOAT(to, from + 3u));
    }
    affine model = load_model(f);
    dual_quaternion motion = rigid_motion(model, load_inverse_rotation(push.program, f.joint),
                                          load_bind_position(push.program, f.joint), beside);
    uint at = (first + f.joint) * DUAL_COMPONENTS;
    to.at[at] = floatBitsToUint(motion.rotation.x);
    to.at[at + 1u] = floatBitsToUint(motion.rotation.y);
    to.at[at + 2u] = floatBitsToUint(motion.rotation.z);
    to.at[at + 3u] = floatBitsToUint(motion.rotation.w);
    to.at[at + 4u] = floatBitsToUint(motion.dual.x);
    to.at[at + 5u] = floatBitsToUint(motion.dual.y);
    to.at[at + 6u] = floatBitsToUint(motion.dual.z);
    to.at[at + 7u] = floatBitsToUint(motion.dual.w);
}

box box_of(frame f) {
    affine model = load_model(f);
    return joint_box(model, load_radius(push.program, f.joint));
}

void store_bounds(frame f, box bounds) {
    Words to = push.spans.at[f.span].stages[STAGE_BOUNDS];
    uint at = f.character * BOX_COMPONENTS;
    to.at[at] = floatBitsToUint(bounds.low.x);
    to.at[at + 1u] = floatBitsToUint(bounds.low.y);
    to.at[at + 2u] = floatBitsToUint(bounds.low.z);
    to.at[at + 3u] = floatBitsToUint(bounds.high.x);
    to.at[at + 4u] = floatBitsToUint(bounds.high.y);
    to.at[at + 5u] = floatBitsToUint(bounds.high.z);
}

void write_socket(frame f, uint socket) {
    uint at = (f.character * push.program.at[PROGRAM_SOCKET_COUNT] + socket) * MATRIX_COMPONENTS;
    f.joint = load_socket_joint(push.program, socket);
    affine model = load_model(f);
    affine placed = socket_matrix(push.program, socket, model);
    store_affine(push.spans.at[f.span].stages[STAGE_SOCKETS], at, placed);
}

// Writes all outputs except the palette, by one invocation, in joint order.
void write_outputs(frame f) {
    uint joints = push.program.at[PROGRAM_JOINTS];
    if (writes_stage(STAGE_DUAL_QUATERNIONS)) {
        for (f.joint = 0u; f.joint < joints; f.joint++) {
            write_dual_quaternion(f);
        }
    }
    if (writes_stage(STAGE_BOUNDS)) {
        box bounds = empty_box();
        for (f.joint = 0u; f.joint < joints; f.joint++) {
            bounds = join_boxes(bounds, box_of(f));
        }
        store_bounds(f, bounds);
    }
    if (writes_stage(STAGE_SOCKETS)) {
        for (uint socket = 0u; socket < push.program.at[PROGRAM_SOCKET_COUNT]; socket++) {
            write_socket(f, socket);
        }
    }
}
