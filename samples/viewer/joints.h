// Draws the joints of a character over the picture: bones, axes and names.
#ifndef LIMBER_SAMPLES_VIEWER_JOINTS_H
#define LIMBER_SAMPLES_VIEWER_JOINTS_H

#include "camera.h"
#include "crowd.h"
#include "ui.h"

// `palette` is that of the character in this frame: float [joint][3][4].
void joints_show(const crowd *crowd, uint32_t character, const float *palette, const camera_view *camera,
                 bool has_names, ui *ui);

#endif
