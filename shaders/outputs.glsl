// What follows from a character's model matrices beside the palette: each by one invocation, in the joints' order.
// `models` is the buffer of model matrices, every `to` that of the output.

void store_quaternion(Words to, uint at, quaternion q) {
    to.at[at] = floatBitsToUint(q.x);
    to.at[at + 1u] = floatBitsToUint(q.y);
    to.at[at + 2u] = floatBitsToUint(q.z);
    to.at[at + 3u] = floatBitsToUint(q.w);
}

void write_dual_quaternions(Words program, Words models, Words to, uint character) {
    uint joints = LOAD(program, PROGRAM_JOINTS);
    uint parents = LOAD(program, PROGRAM_PARENTS);
    uint first = character * joints;
    for (uint joint = 0u; joint < joints; joint++) {
        quaternion beside = all_quaternion(0.0f, 0.0f, 0.0f, 1.0f);
        if (joint > 0u) {
            beside = load_quaternion(to, (first + joint_beside(LOAD(program, parents + joint))) * DUAL_COMPONENTS);
        }
        affine model = load_affine(models, (first + joint) * MATRIX_COMPONENTS);
        dual_quaternion motion = rigid_motion(model, load_inverse_rotation(program, joint),
                                              load_bind_position(program, joint), beside);
        store_quaternion(to, (first + joint) * DUAL_COMPONENTS, motion.rotation);
        store_quaternion(to, (first + joint) * DUAL_COMPONENTS + 4u, motion.dual);
    }
}

void write_bounds(Words program, Words models, Words to, uint character) {
    uint joints = LOAD(program, PROGRAM_JOINTS);
    box bounds = empty_box();
    for (uint joint = 0u; joint < joints; joint++) {
        affine model = load_affine(models, (character * joints + joint) * MATRIX_COMPONENTS);
        bounds = join_boxes(bounds, joint_box(model, load_radius(program, joint)));
    }
    uint at = character * BOX_COMPONENTS;
    to.at[at] = floatBitsToUint(bounds.low.x);
    to.at[at + 1u] = floatBitsToUint(bounds.low.y);
    to.at[at + 2u] = floatBitsToUint(bounds.low.z);
    to.at[at + 3u] = floatBitsToUint(bounds.high.x);
    to.at[at + 4u] = floatBitsToUint(bounds.high.y);
    to.at[at + 5u] = floatBitsToUint(bounds.high.z);
}

void write_sockets(Words program, Words models, Words to, uint character) {
    uint joints = LOAD(program, PROGRAM_JOINTS);
    uint sockets = LOAD(program, PROGRAM_SOCKET_COUNT);
    for (uint socket = 0u; socket < sockets; socket++) {
        uint joint = load_socket_joint(program, socket);
        affine model = load_affine(models, (character * joints + joint) * MATRIX_COMPONENTS);
        affine placed = socket_matrix(program, socket, model);
        store_affine(to, (character * sockets + socket) * MATRIX_COMPONENTS, placed);
    }
}
