#include "ik_rig.h"

#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

uint32_t ik_parent(ik_place place, uint32_t joint) {
    if (joint == IK_ROOT) {
        return LMB_NONE;
    }
    if (joint >= IK_FEET) {
        const uint32_t side = (joint - IK_FEET) / 2;
        const bool is_toe = (joint - IK_FEET) % 2 != 0;
        return is_toe                   ? joint - 1
               : place == IK_UNDER_ROOT ? (uint32_t)IK_ROOT
               : place == IK_UNDER_BODY ? (uint32_t)IK_BODY
                                        : ik_leg(side, IK_SHIN);
    }
    return joint == IK_BODY || joint == IK_SPINE || (joint - IK_LEGS) % 3 != 0 ? joint - 1 : (uint32_t)IK_BODY;
}

void ik_models(ik_place place, const oracle_transform *locals, oracle_transform *models) {
    for (uint32_t joint = 0; joint < IK_JOINTS; joint++) {
        const uint32_t parent = ik_parent(place, joint);
        models[joint] = parent == LMB_NONE ? locals[joint] : oracle_transform_multiply(&models[parent], &locals[joint]);
    }
}

oracle_transform ik_local(const oracle_transform *parent, const oracle_transform *model) {
    oracle_transform inverse = *parent, from = *model;
    oracle_quaternion_conjugate(parent->rotation, inverse.rotation);
    for (int i = 0; i < 3; i++) {
        inverse.translation[i] = 0.0;
        inverse.scale[i] = 1.0;
        from.translation[i] -= parent->translation[i];
    }
    oracle_transform local = oracle_transform_multiply(&inverse, &from);
    for (int i = 0; i < 3; i++) {
        local.translation[i] /= parent->scale[0];
        local.scale[i] = model->scale[i] / parent->scale[0];
    }
    return local;
}

static oracle_transform make(double x, double y, double z, double about_x, double scale) {
    return (oracle_transform){
        {x, y, z}, {sin(about_x / 2.0), 0.0, 0.0, cos(about_x / 2.0)}, {scale, scale, scale}, 255.0};
}

void ik_rest(ik_place place, oracle_transform *locals) {
    oracle_transform models[IK_JOINTS];
    locals[IK_ROOT] = make(0.0, 0.0, 0.0, -0.3, 2.0);
    locals[IK_BODY] = make(0.0, 0.45, 0.02, 0.3, 1.0);
    locals[IK_SPINE] = make(0.0, 0.1, 0.0, 0.0, 1.0);
    for (uint32_t side = 0; side < 2; side++) {
        locals[ik_leg(side, IK_THIGH)] = make(side == 0 ? 0.1 : -0.1, 0.0, 0.0, 3.0, 1.0);
        locals[ik_leg(side, IK_SHIN)] = make(0.0, 0.22, 0.0, 0.25, 1.0);
        locals[ik_leg(side, IK_SHIN_END)] = make(0.0, 0.2, 0.0, 0.0, 1.0);
        locals[ik_foot(side)] = locals[ik_foot(side) + 1] = make(0.0, 0.05, 0.04, 0.2, 1.0);
    }
    ik_models(place, locals, models);
    for (uint32_t side = 0; side < 2; side++) {
        const uint32_t foot = ik_foot(side);
        oracle_transform model = make(0.0, 0.0, 0.0, 1.2, 2.0);
        memcpy(model.translation, models[ik_leg(side, IK_SHIN_END)].translation, sizeof model.translation);
        locals[foot] = ik_local(&models[ik_parent(place, foot)], &model);
    }
}

lmb_rig *ik_rig_create(ik_place place) {
    lmb_joint_def joints[IK_JOINTS];
    oracle_transform rest[IK_JOINTS];
    char names[IK_JOINTS][16];
    ik_rest(place, rest);
    for (uint32_t i = 0; i < IK_JOINTS; i++) {
        snprintf(names[i], sizeof names[i], "joint %u", (unsigned)i);
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
        joints[i].parent = ik_parent(place, i);
        for (int k = 0; k < 4; k++) {
            joints[i].rest.rotation[k] = (float)rest[i].rotation[k];
        }
        for (int k = 0; k < 3; k++) {
            joints[i].rest.translation[k] = (float)rest[i].translation[k];
            joints[i].rest.scale[k] = (float)rest[i].scale[k];
        }
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = IK_JOINTS};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}
