// Model matrices, the palette, and outputs computed from them. The includer stores model matrices: it defines
// load_model() and store_model() for a frame's joint.
affine load_model(evaluation e);
void store_model(evaluation e, affine model);

// Without a loop, because drivers limit the iterations of all loops of an invocation.
void copy_affine(Words to, Words from, uint at) {
    to.at[at] = from.at[at];
    to.at[at + 1u] = from.at[at + 1u];
    to.at[at + 2u] = from.at[at + 2u];
    to.at[at + 3u] = from.at[at + 3u];
    to.at[at + 4u] = from.at[at + 4u];
    to.at[at + 5u] = from.at[at + 5u];
    to.at[at + 6u] = from.at[at + 6u];
    to.at[at + 7u] = from.at[at + 7u];
    to.at[at + 8u] = from.at[at + 8u];
    to.at[at + 9u] = from.at[at + 9u];
    to.at[at + 10u] = from.at[at + 10u];
    to.at[at + 11u] = from.at[at + 11u];
}

// Copies the named palette first, because it may be the buffer that is written.
void store_palette(evaluation e, affine palette) {
    uint at = (e.character * HEADER(push.program, PROGRAM, joints) + e.joint) * MATRIX_COMPONENTS;
    if (writes_output(OUTPUT_PREVIOUS_PALETTE)) {
        Words previous = output_words(OUTPUT_PREVIOUS_PALETTE);
        if (push.has_named != 0u) {
            Words named = push.span.named_palette;
            copy_affine(previous, named, at);
        } else {
            store_affine(previous, at, palette);
        }
    }
    store_affine(output_words(OUTPUT_PALETTE), at, palette);
}

// Computes a joint's matrices. Its parent's model matrix must be stored already.
void finish_joint(evaluation e, affine own) {
    uint parent = push.program.at[HEADER(push.program, PROGRAM, parents) + e.joint];
    affine model = own;
    if (parent != NO_PARENT) {
        evaluation above = e;
        above.joint = parent;
        model = matrix_under(load_model(above), own);
    }
    store_model(e, model);
    if (writes_output(OUTPUT_PALETTE)) {
        affine inverse_bind = load_wide_affine(HEADER(push.program, PROGRAM, inverse_bind) / WIDE_LOAD + 3u * e.joint);
        store_palette(e, palette_matrix(model, inverse_bind));
    }
}

// The dual quaternion of joint_beside() must be written already, by any invocation of the workgroup.
void write_dual_quaternion(evaluation e) {
    SharedWords to = push.span.dual_quaternions;
    uint first = e.character * HEADER(push.program, PROGRAM, joints);
    quaternion beside = all_quaternion(0.0f, 0.0f, 0.0f, 1.0f);
    if (e.joint > 0u) {
        uint parent = push.program.at[HEADER(push.program, PROGRAM, parents) + e.joint];
        uint from = (first + joint_beside(parent)) * DUAL_COMPONENTS;
        beside = make_quaternion(LOAD_FLOAT(to, from), LOAD_FLOAT(to, from + 1u), LOAD_FLOAT(to, from + 2u),
                                 LOAD_FLOAT(to, from + 3u));
    }
    affine model = load_model(e);
    dual_quaternion motion = rigid_motion(model, load_inverse_rotation(push.program, e.joint),
                                          load_bind_position(push.program, e.joint), beside);
    uint at = (first + e.joint) * DUAL_COMPONENTS;
    to.at[at] = floatBitsToUint(motion.rotation.x);
    to.at[at + 1u] = floatBitsToUint(motion.rotation.y);
    to.at[at + 2u] = floatBitsToUint(motion.rotation.z);
    to.at[at + 3u] = floatBitsToUint(motion.rotation.w);
    to.at[at + 4u] = floatBitsToUint(motion.dual.x);
    to.at[at + 5u] = floatBitsToUint(motion.dual.y);
    to.at[at + 6u] = floatBitsToUint(motion.dual.z);
    to.at[at + 7u] = floatBitsToUint(motion.dual.w);
}

box box_of(evaluation e) {
    affine model = load_model(e);
    return joint_box(model, load_radius(push.program, e.joint));
}

void store_bounds(evaluation e, box bounds) {
    Words to = output_words(OUTPUT_BOUNDS);
    uint at = e.character * BOX_COMPONENTS;
    to.at[at] = floatBitsToUint(bounds.low.x);
    to.at[at + 1u] = floatBitsToUint(bounds.low.y);
    to.at[at + 2u] = floatBitsToUint(bounds.low.z);
    to.at[at + 3u] = floatBitsToUint(bounds.high.x);
    to.at[at + 4u] = floatBitsToUint(bounds.high.y);
    to.at[at + 5u] = floatBitsToUint(bounds.high.z);
}

void write_socket(evaluation e, uint socket) {
    uint at = (e.character * HEADER(push.program, PROGRAM, socket_count) + socket) * MATRIX_COMPONENTS;
    e.joint = load_socket_joint(push.program, socket);
    affine model = load_model(e);
    affine placed = socket_matrix(push.program, socket, model);
    store_affine(output_words(OUTPUT_SOCKETS), at, placed);
}

// Writes all outputs except the palette, by one invocation, in joint order.
void write_outputs(evaluation e) {
    uint joints = HEADER(push.program, PROGRAM, joints);
    if (writes_output(OUTPUT_DUAL_QUATERNIONS)) {
        for (e.joint = 0u; e.joint < joints; e.joint++) {
            write_dual_quaternion(e);
        }
    }
    if (writes_output(OUTPUT_BOUNDS)) {
        box bounds = empty_box();
        for (e.joint = 0u; e.joint < joints; e.joint++) {
            bounds = join_boxes(bounds, box_of(e));
        }
        store_bounds(e, bounds);
    }
    if (writes_output(OUTPUT_SOCKETS)) {
        for (uint socket = 0u; socket < HEADER(push.program, PROGRAM, socket_count); socket++) {
            write_socket(e, socket);
        }
    }
}
