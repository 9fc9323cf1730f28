#include "camera.h"

#include <math.h>
#include <string.h>

#include <cglm/cglm.h>
#include <cglm/clipspace/persp_rh_zo.h>
#include <cglm/clipspace/view_rh_zo.h>

#define FIELD_OF_VIEW 0.62f
#define LOWEST 0.03f
#define HIGHEST 1.45f

camera camera_before_crowd(float radius, float height) {
    camera camera = {.target = {0.0f, 0.38f * height, radius * 0.44f},
                     .yaw = 0.42f,
                     .pitch = 0.21f,
                     .distance = 3.4f * height + 0.60f * radius,
                     .nearest = 0.6f * height,
                     .farthest = 12.0f * height + 4.0f * radius,
                     .field_of_view = FIELD_OF_VIEW};
    return camera;
}

void camera_orbit(camera *camera, float yaw, float pitch) {
    camera->yaw += yaw;
    camera->pitch = glm_clamp(camera->pitch + pitch, LOWEST, HIGHEST);
}

void camera_place(camera *camera, const float eye[3], const float target[3]) {
    vec3 backward;
    for (int i = 0; i < 3; i++) {
        camera->target[i] = target[i];
        backward[i] = eye[i] - target[i];
    }
    camera->distance = fmaxf(glm_vec3_norm(backward), 0.01f);
    camera->yaw = atan2f(backward[0], backward[2]);
    camera->pitch = asinf(glm_clamp(backward[1] / camera->distance, -1.0f, 1.0f));
}

void camera_zoom(camera *camera, float factor) {
    camera->distance = glm_clamp(camera->distance * factor, camera->nearest, camera->farthest);
}

void camera_step_aside(camera *camera, float heights) {
    const float step = heights * 2.0f * camera->distance * tanf(0.5f * camera->field_of_view);
    camera->target[0] -= step * cosf(camera->yaw);
    camera->target[2] += step * sinf(camera->yaw);
}

void camera_eye(const camera *camera, float eye[3]) {
    vec3 backward = {cosf(camera->pitch) * sinf(camera->yaw), sinf(camera->pitch),
                     cosf(camera->pitch) * cosf(camera->yaw)};
    memcpy(eye, camera->target, sizeof(vec3));
    glm_vec3_muladds(backward, camera->distance, eye);
}

void camera_look(const camera *camera, float aspect, camera_view *view) {
    vec3 target = {camera->target[0], camera->target[1], camera->target[2]};
    vec3 eye;
    camera_eye(camera, eye);
    mat4 look;
    mat4 projection;
    mat4 both;
    glm_lookat_rh_zo(eye, target, (vec3){0.0f, 1.0f, 0.0f}, look);
    glm_perspective_rh_zo(camera->field_of_view, aspect, 0.02f * camera->distance, 400.0f * camera->distance,
                          projection);
    projection[1][1] = -projection[1][1]; // Vulkan's clip space has Y down
    glm_mat4_mul(projection, look, both);
    memcpy(view->view_projection, both, sizeof view->view_projection);
    view->rise = tanf(0.5f * camera->field_of_view);
    view->aspect = aspect;
    for (int i = 0; i < 3; i++) {
        view->eye[i] = eye[i];
        view->right[i] = look[i][0] * view->rise * aspect;
        view->up[i] = look[i][1] * view->rise;
        view->forward[i] = -look[i][2];
    }
}

bool camera_project(const camera_view *view, const float point[3], float at[2]) {
    const float *m = view->view_projection;
    float clip[4];
    for (int row = 0; row < 4; row++) {
        clip[row] = m[row] * point[0] + m[4 + row] * point[1] + m[8 + row] * point[2] + m[12 + row];
    }
    at[0] = 0.5f + 0.5f * clip[0] / clip[3];
    at[1] = 0.5f + 0.5f * clip[1] / clip[3];
    return clip[3] > 1e-6f;
}

void camera_ray(const camera_view *view, const float at[2], float ray[3]) {
    for (int i = 0; i < 3; i++) {
        ray[i] = view->forward[i] + (2.0f * at[0] - 1.0f) * view->right[i] + (1.0f - 2.0f * at[1]) * view->up[i];
    }
}
