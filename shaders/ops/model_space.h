// Rotations between local and model space, from poses in an exchange area. Included by operations.h.
#ifndef LMB_OPS_MODEL_SPACE_H
#define LMB_OPS_MODEL_SPACE_H

OP uint parent_of(memory program, uint joint) {
    return LOAD(program, LOAD(program, PROGRAM_PARENTS) + joint);
}

// Converts the joint's rotation to model space by multiplying the rotations of all its ancestors from the left.
// Translation and scale stay local.
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

// Converts the joint's rotation from model space to local space, using the parent's rotation in model space.
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
