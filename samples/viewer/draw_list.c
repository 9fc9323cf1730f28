// Finds the visible characters, their levels of detail, and the sun's projection.
#include "draw_list.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Length of a shadow, in heights of the character that casts it.
#define SHADOW_REACH 2.0f

typedef struct planes {
    float sides[4][4]; // unit normals that point inwards, and offsets
} planes;

static planes find_planes(const float matrix[16]) {
    planes planes;
    for (int side = 0; side < 4; side++) {
        float sign = side % 2 == 0 ? 1.0f : -1.0f;
        float *plane = planes.sides[side];
        for (int column = 0; column < 4; column++) {
            plane[column] = matrix[column * 4 + 3] + sign * matrix[column * 4 + side / 2];
        }
        float length = sqrtf(plane[0] * plane[0] + plane[1] * plane[1] + plane[2] * plane[2]);
        for (int column = 0; column < 4; column++) {
            plane[column] /= length;
        }
    }
    return planes;
}

// Returns how far the middle of a character is outside the view; negative inside.
static float distance_outside(const planes *planes, const float center[3]) {
    float outside = -FLT_MAX;
    for (int side = 0; side < 4; side++) {
        const float *plane = planes->sides[side];
        float inside = plane[0] * center[0] + plane[1] * center[1] + plane[2] * center[2] + plane[3];
        outside = fmaxf(outside, -inside);
    }
    return outside;
}

static draw_entry place_character(const draw_list_def *def, const planes *planes, uint32_t index) {
    const character *character = def->crowd->character;
    const crowd_placement *placement = &def->crowd->members[index].placement;
    const float center[3] = {placement->position[0], placement->lift + 0.5f * character->height,
                             placement->position[1]};
    float radius = 0.5f * character->height + character->width;
    float outside = distance_outside(planes, center);
    float way[3] = {center[0] - def->view->eye[0], center[1] - def->view->eye[1], center[2] - def->view->eye[2]};
    draw_entry entry = {.character = index,
                        .sight = SIGHT_VISIBLE,
                        .distance = sqrtf(way[0] * way[0] + way[1] * way[1] + way[2] * way[2])};
    if (outside > radius) {
        entry.sight = outside > radius + SHADOW_REACH * character->height ? SIGHT_NONE : SIGHT_CASTS_ONLY;
    }
    float pixels = def->picture_height * character->height / (2.0f * def->view->rise * entry.distance);
    while (entry.level + 1 < character->level_count && pixels < character->level_pixels[entry.level]) {
        entry.level++;
    }
    return entry;
}

// Sorts by level, then the visible before the others, then the nearest first, so that these hide what is behind them
// before it is shaded.
static int compare_entries(const void *a, const void *b) {
    const draw_entry *first = a;
    const draw_entry *second = b;
    if (first->level != second->level) {
        return first->level < second->level ? -1 : 1;
    }
    if (first->sight != second->sight) {
        return first->sight < second->sight ? -1 : 1;
    }
    return first->distance < second->distance ? -1 : first->distance > second->distance;
}

// The world in the sun's frame: two axes perpendicular to its light, one along it.
typedef struct sun_space {
    float axes[3][3];
    float low[3];
    float high[3];
} sun_space;

static sun_space begin_sun_space(const float sun[3]) {
    float level = sqrtf(sun[0] * sun[0] + sun[2] * sun[2]);
    sun_space space = {.axes = {{sun[2] / level, 0.0f, -sun[0] / level},
                                {-sun[0] * sun[1] / level, level, -sun[2] * sun[1] / level},
                                {sun[0], sun[1], sun[2]}},
                       .low = {FLT_MAX, FLT_MAX, FLT_MAX},
                       .high = {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    return space;
}

static void grow_sun_space(sun_space *space, const character *character, const crowd_placement *placement) {
    float reach = character->width * placement->scale;
    float middle = 0.5f * character->height * placement->scale;
    const float center[3] = {placement->position[0], placement->lift + middle, placement->position[1]};
    for (int i = 0; i < 3; i++) {
        const float *axis = space->axes[i];
        float at = axis[0] * center[0] + axis[1] * center[1] + axis[2] * center[2];
        float around = reach * sqrtf(fmaxf(0.0f, 1.0f - axis[1] * axis[1])) + 1.1f * middle * fabsf(axis[1]);
        space->low[i] = fminf(space->low[i], at - around);
        space->high[i] = fmaxf(space->high[i], at + around);
    }
}

// Solids may be beside the characters, and between them and the sun.
static void add_margin(sun_space *space) {
    for (int i = 0; i < 3 && space->low[i] <= space->high[i]; i++) {
        space->low[i] -= 4.0f;
        space->high[i] += 4.0f;
    }
}

static void finish_sun_space(sun_space *space, uint32_t map_size, draw_list_shadow *shadow) {
    float longest = 0.0f;
    for (int i = 0; i < 3; i++) {
        if (space->low[i] > space->high[i]) {
            space->low[i] = -1.0f;
            space->high[i] = 1.0f;
        }
    }
    memset(shadow->projection, 0, sizeof shadow->projection);
    for (int i = 0; i < 3; i++) {
        // The first two axes are mapped to [-1, 1]; the last to 0 for the nearest to the sun, 1 for the farthest.
        float length = space->high[i] - space->low[i];
        float scale = i < 2 ? 2.0f / length : -1.0f / length;
        for (int axis = 0; axis < 3; axis++) {
            shadow->projection[axis * 4 + i] = scale * space->axes[i][axis];
        }
        float start = i < 2 ? -1.0f - scale * space->low[i] : -scale * space->high[i];
        shadow->projection[12 + i] = start;
        longest = i < 2 ? fmaxf(longest, length) : longest;
    }
    shadow->projection[15] = 1.0f;
    shadow->texel = longest / (float)map_size;
}

// Returns how many of a span's characters are drawn.
static uint32_t list_span(const draw_list_def *def, const planes *planes, const draw_span *span) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < span->character_count; i++) {
        draw_entry entry = place_character(def, planes, span->first_character + i);
        if (entry.sight != SIGHT_NONE) {
            def->entries[count++] = entry;
        }
    }
    qsort(def->entries, count, sizeof *def->entries, compare_entries);
    return count;
}

static void build_span(const draw_list_def *def, const planes *planes, const draw_span *span,
                       crowd_placement *placements, uint32_t *used, draw_group *groups, sun_space *space) {
    uint32_t count = list_span(def, planes, span);
    uint32_t next = 0;
    for (uint32_t level = 0; level < CHARACTER_LEVELS; level++) {
        groups[level] = (draw_group){.first = *used};
        for (; next < count && def->entries[next].level == level; next++) {
            const draw_entry *entry = &def->entries[next];
            crowd_placement *placement = &placements[(*used)++];
            *placement = def->crowd->members[entry->character].placement;
            placement->character = entry->character - span->first_character;
            grow_sun_space(space, def->crowd->character, placement);
            groups[level].visible += entry->sight == SIGHT_VISIBLE;
            groups[level].total++;
        }
    }
}

void draw_list_build(const draw_list_def *def, crowd_placement *placements, draw_group *groups,
                     draw_list_shadow *shadow) {
    planes planes = find_planes(def->view->view_projection);
    sun_space space = begin_sun_space(def->sun);
    uint32_t used = 0;
    for (uint32_t span = 0; span < def->span_count; span++) {
        build_span(def, &planes, &def->spans[span], placements, &used, groups + (size_t)span * CHARACTER_LEVELS,
                   &space);
    }
    if (def->has_solids) {
        add_margin(&space);
    }
    finish_sun_space(&space, def->map_size, shadow);
}
