// Scales the mannequin to a child.
#include "mannequin_child.h"

#include "mannequin_shape.h"

double child_scale(uint32_t joint) {
    static const double arm[] = {0.62, 0.64, 0.62, 0.56, 0.62, 0.62, 0.62}, leg[] = {0.55, 0.53, 0.56, 0.56};
    if (joint >= LEFT_LEG) {
        return leg[(joint - LEFT_LEG) % 4];
    }
    if (joint >= LEFT_ARM) {
        return arm[(joint - LEFT_ARM) % 7];
    }
    return joint == HEAD ? 0.90 : joint == NECK ? 0.70 : 0.66;
}

// Lengths of the leg and the pelvis, from the ground up.
static vec3 pelvis_rest(void) {
    static const uint32_t up[] = {LEFT_LEG + FOOT, LEFT_LEG + SHIN, LEFT_LEG + THIGH, PELVIS};
    double height = 0.0, below = 0.0;
    for (int i = 0; i < 4; i++) {
        const double scale = child_scale(i < 1 ? LEFT_LEG + FOOT : up[i]);
        height += scale * (joint_rest(up[i]).y - below);
        below = joint_rest(up[i]).y;
    }
    return vec3_of(0.0, height, child_scale(PELVIS) * joint_rest(PELVIS).z);
}

vec3 child_rest(uint32_t joint) {
    if (joint <= PELVIS) {
        return joint == ROOT ? joint_rest(ROOT) : pelvis_rest();
    }
    const uint32_t parent = joint_parent(joint);
    const vec3 offset = vec3_subtract(joint_rest(joint), joint_rest(parent));
    return vec3_add(child_rest(parent), vec3_scale(offset, child_scale(parent)));
}

vec3 child_point(vec3 point) {
    double weights[JOINT_COUNT];
    vec3 result = vec3_of(0.0, 0.0, 0.0);
    shape_weights(point, weights);
    for (uint32_t i = 0; i < JOINT_COUNT; i++) {
        const vec3 offset = vec3_scale(vec3_subtract(point, joint_rest(i)), child_scale(i));
        result = vec3_add(result, vec3_scale(vec3_add(child_rest(i), offset), weights[i]));
    }
    return result;
}
