// The mannequin's surface as triangles: extracted from its distance field, then simplified and smoothed.
#ifndef LIMBER_SAMPLES_MANNEQUIN_SURFACE_H
#define LIMBER_SAMPLES_MANNEQUIN_SURFACE_H

#include "mannequin_math.h"

#include <limber/base.h>

// The surface is closed; triangles are counter-clockwise as seen from outside.
typedef struct surface {
    vec3 *points;
    uint32_t point_count;
    uint32_t (*triangles)[3];
    uint32_t triangle_count;
} surface;

// `host` is resolved. Fails with #LMB_ERROR_MEMORY.
lmb_result surface_create(uint32_t point_count, const lmb_host *host, surface *result, lmb_error *error);
void surface_destroy(surface *whole, const lmb_host *host);

#endif
