// A joint's matrix is its palette's, which takes the bind pose to the frame's, times its matrix in the bind pose.
#include "joints.h"

#include <math.h>
#include <string.h>

#include <limber/math.h>

#define AXIS_SHARE 0.035f // of the character's height

static lmb_affine find_joint(const lmb_rig *rig, const lmb_affine *place, const float *palette, uint32_t joint) {
    lmb_affine bind, skin;
    lmb_affine_invert(lmb_rig_get_def(rig)->joints[joint].inverse_bind, &bind); // or the identity
    memcpy(&skin, palette + (size_t)joint * LMB_MATRIX_COMPONENTS, sizeof skin);
    return lmb_affine_multiply(*place, lmb_affine_multiply(skin, bind));
}

static void show_axes(const lmb_affine *joint, float length, const camera_view *camera, ui *ui) {
    static const ui_mark_kind kinds[3] = {UI_MARK_X, UI_MARK_Y, UI_MARK_Z};
    const float from[3] = {joint->m[0][3], joint->m[1][3], joint->m[2][3]};
    float start[2], end[2];
    for (size_t axis = 0; axis < 3; axis++) {
        const float size = sqrtf(joint->m[0][axis] * joint->m[0][axis] + joint->m[1][axis] * joint->m[1][axis] +
                                 joint->m[2][axis] * joint->m[2][axis]);
        float to[3];
        for (size_t row = 0; row < 3; row++) {
            to[row] = from[row] + length * joint->m[row][axis] / fmaxf(size, 1e-9f);
        }
        if (camera_project(camera, from, start) && camera_project(camera, to, end)) {
            ui_line(ui, start, end, kinds[axis]);
        }
    }
}

void joints_show(const crowd *crowd, uint32_t character, const float *palette, const camera_view *camera,
                 bool has_names, ui *ui) {
    const lmb_rig *rig = crowd->character->rig;
    const crowd_placement *placement = &crowd->members[character].placement;
    const float length = AXIS_SHARE * placement->scale * crowd->character->height;
    float matrix[LMB_MATRIX_COMPONENTS];
    lmb_affine place;
    crowd_matrix(crowd, placement, matrix);
    memcpy(&place, matrix, sizeof place);
    for (uint32_t i = 0; i < lmb_rig_get_def(rig)->joint_count; i++) {
        const uint32_t parent = lmb_rig_get_def(rig)->joints[i].parent;
        const lmb_affine joint = find_joint(rig, &place, palette, i);
        const float at[3] = {joint.m[0][3], joint.m[1][3], joint.m[2][3]};
        float end[2], start[2];
        if (!camera_project(camera, at, end)) {
            continue;
        }
        if (parent != LMB_NONE) {
            const lmb_affine above = find_joint(rig, &place, palette, parent);
            const float from[3] = {above.m[0][3], above.m[1][3], above.m[2][3]};
            if (camera_project(camera, from, start)) {
                ui_line(ui, start, end, UI_MARK_JOINT);
            }
        }
        show_axes(&joint, length, camera, ui);
        ui_mark(ui, end, UI_MARK_JOINT, has_names ? lmb_rig_get_def(rig)->joints[i].name : "", false);
    }
}
