// An orbit camera. Lengths are in metres, Y is up.
#ifndef LIMBER_SAMPLES_VIEWER_CAMERA_H
#define LIMBER_SAMPLES_VIEWER_CAMERA_H

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
    float rise; // half the picture's height at distance 1
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

#endif
