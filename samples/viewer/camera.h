// An orbit camera. Lengths are in metres, Y is up.
#ifndef LIMBER_SAMPLES_VIEWER_CAMERA_H
#define LIMBER_SAMPLES_VIEWER_CAMERA_H

#include <stdbool.h>

typedef struct camera {
    float target[3];
    float yaw;   // radians about Y; 0 looks from +Z towards -Z
    float pitch; // radians above the ground
    float distance;
    float nearest; // limits of the distance
    float farthest;
    float field_of_view; // radians, from the picture's lower to its upper edge
} camera;

typedef struct camera_view {
    float view_projection[16]; // column-major, Vulkan's clip space
    float eye[3];
    float right[3]; // forward + x right + y up points to the picture's edges at x, y = +-1
    float up[3];
    float forward[3];
    float rise;   // half the picture's height at distance 1
    float aspect; // the picture's width in heights
} camera_view;

// Returns a camera in front of a crowd around the origin: a circle of `radius` with characters of `height`.
camera camera_before_crowd(float radius, float height);
void camera_orbit(camera *camera, float yaw, float pitch);
// Moves to an eye that looks at a target.
void camera_place(camera *camera, const float eye[3], const float target[3]);
// Factors below 1 move closer.
void camera_zoom(camera *camera, float factor);
// Moves to the left, so that the former middle of the picture is `heights` picture heights to the right.
void camera_step_aside(camera *camera, float heights);
// Stores where the eye is.
void camera_eye(const camera *camera, float eye[3]);
void camera_look(const camera *camera, float aspect, camera_view *view);
// Stores where a point is in the picture, from 0 to 1 to the right and downwards. Returns false if it is behind the
// eye.
bool camera_project(const camera_view *view, const float point[3], float at[2]);
// Stores the way from the eye to such a place in the picture, at distance 1 along the view.
void camera_ray(const camera_view *view, const float at[2], float ray[3]);

#endif
