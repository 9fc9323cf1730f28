// Rotations in model space, from poses in an exchange area. Included by operations.h.
#ifndef LMB_OPS_MODEL_SPACE_H
#define LMB_OPS_MODEL_SPACE_H

OP uint parent_of(memory program, uint joint) {
    return LOAD(program, LOAD(program, PROGRAM_PARENTS) + joint);
}

// The rotation in model space: each joint's stands on the left of those below it. Translation and scale stay local.
OP transform to_model_operation(frame f, uint instruction) {
    uint area = LOAD(f.program, instruction + EXCHANGE_AREA);
    transform chained = load_exchange(f, area, f.joint);
    uint above = parent_of(f.program, f.joint);
    while (above != NO_PARENT) {
        quaternion q = quaternion_multiply(load_exchange_rotation(f, area, above), chained.q);
        chained.q = quaternion_polish(q);
        above = parent_of(f.program, above);
    }
    return chained;
}

// And back: from the rotation in model space, and that of the parent.
OP transform to_local_operation(frame f, uint instruction) {
    uint area = LOAD(f.program, instruction + EXCHANGE_AREA);
    transform local = load_exchange(f, area, f.joint);
    uint above = parent_of(f.program, f.joint);
    if (above != NO_PARENT) {
        quaternion inverse = quaternion_conjugate(load_exchange_rotation(f, area, above));
        quaternion q = quaternion_multiply(inverse, local.q);
        local.q = quaternion_polish(q);
    }
    return local;
}

#endif
